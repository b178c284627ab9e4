// SPDX-License-Identifier: Apache-2.0
//
// The units in the scope `tpucosim`: state, what it waits for, and the instruction that it works
// on. That is the oldest one which still owes a row of the unit's streams, from its issue on.

#include "harness/show/wave_internal.h"

#include "harness/show/cycles.h"
#include "harness/show/wave.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const state_names[] = {"idle", "busy", "starved", "blocked"};

static bool is_row_of(const recording_event *event, tpu_unit unit) {
    return tpu_streams[event->stream].unit == unit && event->issue != RECORDING_NO_ISSUE;
}

// The first issue kept behind `seq` that has work for the unit.
static uint32_t next_for(const recording *from, tpu_unit unit, uint32_t seq) {
    for (size_t i = 0; i < from->issue_count; i++) {
        const isa_issue *issue = &from->issue[i].issue;
        if (issue->seq > seq && issue->op < TPU_OP_COUNT &&
            (tpu_ops[issue->op].unit_mask >> unit & 1) != 0) {
            return issue->seq;
        }
    }
    return RECORDING_NO_ISSUE;
}

// What the unit owes when it shows no row in the window.
static uint32_t owed_without_rows(const recording *from, tpu_unit unit) {
    const verdict *seen = &from->seen;
    const isa_issue *issue = &seen->issue.issue;
    const bool guilty = seen->issue.known && issue->op < TPU_OP_COUNT &&
                        (tpu_ops[issue->op].unit_mask >> unit & 1) != 0;
    return guilty ? issue->seq : RECORDING_NO_ISSUE;
}

// Work on an issue counts from the cycle in which it was issued.
static void add_work(const recording *from, wave_unit *lanes, uint64_t cycle, uint32_t seq) {
    const recording_issue *found =
        seq == RECORDING_NO_ISSUE ? NULL : recording_find_issue(from, seq);
    if (found != NULL && found->cycle > cycle) {
        lanes->work[lanes->work_count++] = (wave_work){cycle, RECORDING_NO_ISSUE};
        cycle = found->cycle;
    }
    lanes->work[lanes->work_count++] = (wave_work){cycle, seq};
}

// `row` holds the cycle and issue of each row of the unit; the issue becomes the oldest one of this
// row and all behind it.
static void take_oldest(wave_work *row, size_t count) {
    for (size_t i = count; i > 1; i--) {
        if (row[i - 1].seq < row[i - 2].seq) {
            row[i - 2].seq = row[i - 1].seq;
        }
    }
}

static void list_work(const recording *from, wave_unit *lanes, tpu_unit unit, wave_work *row,
                      size_t count) {
    uint32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        last = row[i].seq > last ? row[i].seq : last;
    }
    take_oldest(row, count);
    uint64_t cycle = from->window.first;
    for (size_t i = 0; i < count; i++) {
        add_work(from, lanes, cycle, row[i].seq);
        cycle = row[i].cycle + 1;
    }
    add_work(from, lanes, cycle,
             count > 0 ? next_for(from, unit, last) : owed_without_rows(from, unit));
}

bool wave_units_make(wave_both *self, tpu_unit unit) {
    const recording *from = self->from;
    wave_unit *lanes = &self->unit[unit];
    size_t count = 0;
    for (size_t i = 0; i < from->event_count; i++) {
        count += is_row_of(&from->event[i], unit);
    }
    wave_work *row = calloc(count + 1, sizeof *row);
    lanes->work = calloc(2 * count + 2, sizeof *lanes->work);
    if (row == NULL || lanes->work == NULL) {
        free(row);
        return false;
    }
    size_t used = 0;
    for (size_t i = 0; i < from->event_count; i++) {
        if (is_row_of(&from->event[i], unit)) {
            row[used++] = (wave_work){from->event[i].cycle, from->event[i].issue};
        }
    }
    list_work(from, lanes, unit, row, count);
    free(row);
    return true;
}

void wave_units_clear(wave_both *self, tpu_unit unit) {
    free(self->unit[unit].work);
}

// "pc 4 iv 0 1: mm rows=4 ..."; a blank when there is no such issue.
void wave_issue_text(const recording *from, uint32_t seq, char *text, size_t size) {
    const recording_issue *found =
        seq == RECORDING_NO_ISSUE ? NULL : recording_find_issue(from, seq);
    char insn[DISASM_LINE_MAX];
    if (found == NULL) {
        (void)snprintf(text, size, "%s", " ");
        return;
    }
    const isa_issue *issue = &found->issue;
    int used = snprintf(text, size, "pc %u", issue->pc);
    for (uint8_t level = 0; level < issue->depth; level++) {
        used += snprintf(text + used, size - (size_t)used, "%s%u", level == 0 ? " iv " : " ",
                         issue->iv[level]);
    }
    disasm_issue(issue, insn, sizeof insn);
    (void)snprintf(text + used, size - (size_t)used, ": %s", insn);
}

static void declare_unit(wave_both *self, wave_writer *to, unsigned unit, const wave_names *states,
                         const wave_names *waits) {
    wave_unit *lanes = &self->unit[unit];
    wave_writer_open_scope(to, tpu_unit_names[unit]);
    lanes->state = wave_writer_add_bits(to, "state", 2, states);
    lanes->wait = wave_writer_add_bits(to, "wait", 5, waits);
    lanes->waits_for = wave_writer_add_text(to, "waits_for");
    lanes->insn = wave_writer_add_text(to, "insn");
    lanes->issue = wave_writer_add_bits(to, "issue", 32, NULL);
    lanes->pc = wave_writer_add_bits(to, "pc", 16, NULL);
    for (int level = 0; level < TPU_LOOP_DEPTH; level++) {
        char name[16];
        (void)snprintf(name, sizeof name, "iv%d", level);
        lanes->iv[level] = wave_writer_add_bits(to, name, 8, NULL);
    }
    wave_writer_close_scope(to);
}

void wave_units_declare(wave_both *self, wave_writer *to) {
    const char *wait_text[TPU_STREAM_COUNT + 2];
    uint32_t wait_value[TPU_STREAM_COUNT + 2];
    for (uint32_t i = 0; i < TPU_STREAM_COUNT + 2; i++) {
        wait_value[i] = i < TPU_STREAM_COUNT ? i : PROBE_WAIT_MEMORY + (i - TPU_STREAM_COUNT);
        wait_text[i] = cycles_wait_name(wait_value[i]);
    }
    const wave_names states = {"tpucosim_state", 2, state_names, NULL, 4};
    const wave_names waits = {"tpucosim_wait", 5, wait_text, wait_value, TPU_STREAM_COUNT + 2};
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        declare_unit(self, to, unit, &states, &waits);
    }
}

static void show_span(wave_unit *lanes, wave_writer *to, const recording_span *span) {
    const bool waits = span->unit.state == PROBE_STARVED || span->unit.state == PROBE_BLOCKED;
    wave_writer_set(to, lanes->state, span->unit.state);
    if (waits) {
        wave_writer_set(to, lanes->wait, span->unit.wait);
    } else {
        wave_writer_fill(to, lanes->wait, 'z');
    }
    wave_writer_say(to, lanes->waits_for, waits ? cycles_wait_name(span->unit.wait) : " ");
}

static void show_work(wave_both *self, wave_unit *lanes, wave_writer *to, uint32_t seq) {
    char text[WAVE_TEXT_MAX];
    const recording_issue *found =
        seq == RECORDING_NO_ISSUE ? NULL : recording_find_issue(self->from, seq);
    wave_issue_text(self->from, seq, text, sizeof text);
    wave_writer_say(to, lanes->insn, text);
    if (found == NULL) {
        wave_writer_fill(to, lanes->issue, 'z');
        wave_writer_fill(to, lanes->pc, 'z');
    } else {
        wave_writer_set(to, lanes->issue, seq);
        wave_writer_set(to, lanes->pc, found->issue.pc);
    }
    for (int level = 0; level < TPU_LOOP_DEPTH; level++) {
        if (found != NULL && level < found->issue.depth) {
            wave_writer_set(to, lanes->iv[level], found->issue.iv[level]);
        } else {
            wave_writer_fill(to, lanes->iv[level], 'z');
        }
    }
}

void wave_units_start(wave_both *self, wave_writer *to) {
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        show_work(self, &self->unit[unit], to, RECORDING_NO_ISSUE);
    }
}

static void show_unit(wave_both *self, wave_writer *to, unsigned unit, uint64_t cycle) {
    wave_unit *lanes = &self->unit[unit];
    const recording *from = self->from;
    for (; lanes->span < from->span_count[unit] && from->span[unit][lanes->span].first <= cycle;
         lanes->span++) {
        show_span(lanes, to, &from->span[unit][lanes->span]);
    }
    for (; lanes->work_next < lanes->work_count && lanes->work[lanes->work_next].cycle <= cycle;
         lanes->work_next++) {
        show_work(self, lanes, to, lanes->work[lanes->work_next].seq);
    }
}

void wave_units_cycle(wave_both *self, wave_writer *to, uint64_t cycle) {
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        show_unit(self, to, unit, cycle);
    }
}
