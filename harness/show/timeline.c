// SPDX-License-Identifier: Apache-2.0
//
// The trace of the Chrome trace event format: complete events (X) for slices, instants (i) for
// wrong rows and the verdict, counters (C), and names and order of the tracks (M).
//
//   process  0            the run: verdict, critical path, counters
//            1 + unit     machine: track 0 the unit's state, track 1 + s the stream s it writes
//            101 + unit   ideal: the same streams as early as the program allows

#include "harness/show/timeline.h"

#include "csim/isa/disasm.h"
#include "harness/io/textbuf.h"
#include "harness/io/textfile.h"
#include "harness/show/kanata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PID_MACHINE 1
#define PID_IDEAL 101

typedef unsigned long long ull;

typedef struct writer {
    const recording *from;
    textbuf text;
    bool comma;
} writer;

// Begins an event; the caller adds what it needs and closes the brace.
static void begin(writer *self, const char *phase, int pid, int tid) {
    textbuf_add(&self->text, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", self->comma ? ",\n" : "",
                phase, pid, tid);
    self->comma = true;
}

static void end(writer *self) {
    textbuf_add(&self->text, "}");
}

static void meta(writer *self, const char *what, int pid, int tid, const char *key,
                 const char *value) {
    begin(self, "M", pid, tid);
    textbuf_add(&self->text, ",\"name\":\"%s\",\"args\":{\"%s\":%s}", what, key, value);
    end(self);
}

// `name` holds nothing that JSON would have to escape.
static void name_track(writer *self, int pid, int tid, const char *name) {
    char quoted[96];
    char order[16];
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", name);
    (void)snprintf(order, sizeof order, "%d", tid);
    meta(self, "thread_name", pid, tid, "name", quoted);
    meta(self, "thread_sort_index", pid, tid, "sort_index", order);
}

static void name_process(writer *self, int pid, int place, const char *unit, const char *side) {
    char quoted[96];
    char order[16];
    (void)snprintf(quoted, sizeof quoted, "\"%s%s\"", unit, side);
    (void)snprintf(order, sizeof order, "%d", place);
    meta(self, "process_name", pid, 0, "name", quoted);
    meta(self, "process_sort_index", pid, 0, "sort_index", order);
}

static void name_unit(writer *self, tpu_unit unit, bool ideal) {
    name_process(self, PID_MACHINE + (int)unit, 1 + 2 * (int)unit, tpu_unit_names[unit], "");
    name_track(self, PID_MACHINE + (int)unit, 0, "state");
    if (ideal) {
        name_process(self, PID_IDEAL + (int)unit, 2 + 2 * (int)unit, tpu_unit_names[unit],
                     " (ideal)");
    }
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (tpu_streams[s].unit != unit) {
            continue;
        }
        name_track(self, PID_MACHINE + (int)unit, 1 + s, tpu_streams[s].name);
        if (ideal && life_stage_of((tpu_stream)s) != LIFE_STAGE_COUNT) {
            name_track(self, PID_IDEAL + (int)unit, 1 + s, tpu_streams[s].name);
        }
    }
}

static void put_time(writer *self, uint64_t first, uint64_t last) {
    textbuf_add(&self->text, ",\"ts\":%llu,\"dur\":%llu", (ull)first, (ull)(last - first + 1));
}

static const char *state_text(probe_unit state, char *text, size_t size) {
    const char *joint = state.state == PROBE_STARVED   ? " on "
                        : state.state == PROBE_BLOCKED ? " by "
                                                       : "";
    (void)snprintf(text, size, "%s%s%s", cycles_state_name(state.state), joint,
                   joint[0] != '\0' ? cycles_wait_name(state.wait) : "");
    return text;
}

static void put_spans(writer *self, tpu_unit unit) {
    char text[64];
    for (size_t i = 0; i < self->from->span_count[unit]; i++) {
        const recording_span *span = &self->from->span[unit][i];
        if (span->unit.state == PROBE_IDLE) {
            continue;
        }
        begin(self, "X", PID_MACHINE + (int)unit, 0);
        put_time(self, span->first, span->last);
        textbuf_add(&self->text, ",\"cat\":\"%s\",\"name\":\"%s\"",
                    cycles_state_name(span->unit.state), state_text(span->unit, text, sizeof text));
        end(self);
    }
}

static void put_path(writer *self, const cycles *account) {
    char text[64];
    name_process(self, 0, 0, "run", "");
    name_track(self, 0, 0, "verdict");
    name_track(self, 0, 1, "critical path");
    for (size_t i = 0; i < account->step_count; i++) {
        const cycles_step *step = &account->step[i];
        begin(self, "X", 0, 1);
        put_time(self, step->first, step->last);
        textbuf_add(&self->text, ",\"cat\":\"path\",\"name\":\"%s %s\"", tpu_unit_names[step->unit],
                    state_text(step->cause, text, sizeof text));
        end(self);
    }
}

static void put_verdict(writer *self) {
    const verdict *seen = &self->from->seen;
    char signature[256];
    verdict_signature parts = verdict_signature_of(seen);
    verdict_signature_format(&parts, signature, sizeof signature);
    begin(self, "i", 0, 0);
    textbuf_add(&self->text, ",\"s\":\"g\",\"ts\":%llu,\"cat\":\"verdict\",\"name\":\"%s\"",
                (ull)seen->cycle, signature);
    end(self);
}

// The text of an instruction is letters, digits, blanks and ,=[]: nothing to escape.
static void put_issue(writer *self, const life *one, int stream, const life *ideal) {
    const isa_issue *issue = &one->of->issue;
    const life_rows *rows = &one->stream[stream];
    char text[DISASM_LINE_MAX];
    disasm_issue(issue, text, sizeof text);
    put_time(self, rows->first, rows->last);
    textbuf_add(&self->text, ",\"cat\":\"issue\",\"name\":\"%s\",\"args\":{\"issue\":%u,\"pc\":%u",
                text, issue->seq, issue->pc);
    textbuf_add(&self->text, ",\"line\":%u,\"rows\":%u", one->of->line, rows->count);
    for (unsigned level = 0; level < issue->depth; level++) {
        textbuf_add(&self->text, ",\"iv%u\":%u", level, issue->iv[level]);
    }
    if (rows->differ > 0) {
        textbuf_add(&self->text, ",\"rows that differ\":%u", rows->differ);
    }
    if (ideal != NULL && ideal->stream[stream].count > 0) {
        textbuf_add(&self->text, ",\"later than ideal\":%lld",
                    (long long)(rows->last - ideal->stream[stream].last));
    }
    textbuf_add(&self->text, "}");
}

static void put_lives(writer *self, const life_list *lives, const life_list *ideal, int pid) {
    for (size_t i = 0; i < lives->count; i++) {
        const life *one = &lives->one[i];
        for (int s = 0; s < TPU_STREAM_COUNT; s++) {
            if (one->stream[s].count == 0) {
                continue;
            }
            begin(self, "X", pid + (int)tpu_streams[s].unit, 1 + s);
            put_issue(self, one, s, ideal != NULL ? &ideal->one[i] : NULL);
            end(self);
        }
    }
}

static void put_hex(writer *self, const char *key, const uint8_t *row, size_t bytes) {
    textbuf_add(&self->text, ",\"%s\":\"", key);
    for (size_t i = 0; row != NULL && i < bytes; i++) {
        textbuf_add(&self->text, "%02x", row[i]);
    }
    textbuf_add(&self->text, "\"");
}

static void put_wrong(writer *self) {
    for (size_t i = 0; i < self->from->event_count; i++) {
        const recording_event *event = &self->from->event[i];
        if (!event->differs) {
            continue;
        }
        size_t bytes = recording_row_bytes(self->from, (tpu_stream)event->stream);
        begin(self, "i", PID_MACHINE + (int)tpu_streams[event->stream].unit, 1 + event->stream);
        textbuf_add(&self->text, ",\"s\":\"t\",\"ts\":%llu,\"cat\":\"wrong\",\"name\":\"%s\"",
                    (ull)event->cycle, event->extra ? "extra row" : "differs");
        textbuf_add(&self->text, ",\"args\":{\"row\":%llu", (ull)event->index);
        put_hex(self, "got", recording_got(self->from, event), bytes);
        put_hex(self, "expected", recording_expected(self->from, event), bytes);
        textbuf_add(&self->text, "}");
        end(self);
    }
}

static void put_counter(writer *self, const char *name, uint64_t cycle, uint64_t value) {
    begin(self, "C", 0, 0);
    textbuf_add(&self->text, ",\"ts\":%llu,\"name\":\"%s\",\"args\":{\"value\":%llu}", (ull)cycle,
                name, (ull)value);
    end(self);
}

// Rows written a cycle: a value where it changes.
static void put_rows(writer *self) {
    const recording *from = self->from;
    uint64_t shown = UINT64_MAX;
    uint64_t cycle = from->window.first;
    for (size_t i = 0; i < from->event_count; cycle++) {
        uint64_t rows = 0;
        while (i < from->event_count && from->event[i].cycle == cycle) {
            rows++;
            i++;
        }
        if (rows != shown) {
            put_counter(self, "rows a cycle", cycle, rows);
            shown = rows;
        }
    }
    if (shown != 0) {
        put_counter(self, "rows a cycle", cycle, 0);
    }
}

// Units that moved, likewise: each span that begins or ends may change it.
static void put_busy(writer *self) {
    size_t at[TPU_UNIT_COUNT] = {0};
    uint64_t shown = UINT64_MAX;
    for (uint64_t cycle = self->from->window.first; cycle <= self->from->window.last; cycle++) {
        uint64_t busy = 0;
        for (int u = 0; u < TPU_UNIT_COUNT; u++) {
            const recording_span *spans = self->from->span[u];
            while (at[u] + 1 < self->from->span_count[u] && spans[at[u]].last < cycle) {
                at[u]++;
            }
            busy += spans[at[u]].unit.state == PROBE_BUSY ? 1u : 0u;
        }
        if (busy != shown) {
            put_counter(self, "busy units", cycle, busy);
            shown = busy;
        }
    }
}

static void put_head(writer *self, const cycles *account, const life_list *ideal) {
    textbuf_add(&self->text, "{\"displayTimeUnit\":\"ms\",\"otherData\":{");
    textbuf_add(&self->text, "\"unit of time\":\"1 us is 1 cycle\",\"first cycle\":\"%llu\"",
                (ull)account->window.first);
    textbuf_add(&self->text, ",\"last cycle\":\"%llu\",\"mm rows\":\"%llu\"",
                (ull)account->window.last, (ull)account->mm_rows);
    if (ideal != NULL) {
        textbuf_add(&self->text, ",\"ideal cycles\":\"%llu\"", (ull)ideal->end);
    }
    textbuf_add(&self->text, "},\"traceEvents\":[\n");
}

tpu_status timeline_text(const recording *from, const cycles *account, const life_list *lives,
                         const life_list *ideal, char **out, tpu_message *why) {
    writer self = {.from = from};
    put_head(&self, account, ideal);
    put_path(&self, account);
    put_verdict(&self);
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        name_unit(&self, (tpu_unit)u, ideal != NULL);
        put_spans(&self, (tpu_unit)u);
    }
    put_lives(&self, lives, ideal, PID_MACHINE);
    if (ideal != NULL) {
        put_lives(&self, ideal, NULL, PID_IDEAL);
    }
    put_wrong(&self);
    put_rows(&self);
    put_busy(&self);
    textbuf_add(&self.text, "\n]}\n");
    return textbuf_take(&self.text, out, why);
}

static tpu_status save(const char *directory, const char *name, char *text, tpu_message *why) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    tpu_status status = TPU_ERR_IO;
    if (length < 0 || (size_t)length >= sizeof path) {
        (void)status_fail(why, TPU_ERR_IO, "%s: the path is too long", name);
    } else {
        status = textfile_write(path, text, strlen(text), why);
    }
    free(text);
    return status;
}

// What both files are made of.
typedef struct material {
    cycles account;
    life_list lives;
    life_list ideal;
} material;

static tpu_status collect(const recording *from, material *out, tpu_message *why) {
    if (from->window.last - from->window.first >= TIMELINE_CYCLES_MAX) {
        return status_fail(why, TPU_REFUSED, "a timeline of more than %u cycles opens in no viewer",
                           TIMELINE_CYCLES_MAX);
    }
    tpu_status status = cycles_count(from, &out->account, why);
    if (status == TPU_OK) {
        status = life_recorded(from, &out->lives, why);
    }
    if (status == TPU_OK && out->account.whole) {
        status = life_ideal(from, &out->ideal, why);
    }
    return status;
}

static tpu_status save_log(const recording *from, const life_list *lives, const char *directory,
                           const char *name, tpu_message *why) {
    char *text = NULL;
    tpu_status status = kanata_text(from, lives, &text, why);
    return status == TPU_OK ? save(directory, name, text, why) : status;
}

tpu_status timeline_write(const recording *from, const char *directory, tpu_message *why) {
    material with = {.account = {.total = 0}};
    char *text = NULL;
    tpu_status status = collect(from, &with, why);
    if (status == TPU_OK) {
        status = timeline_text(from, &with.account, &with.lives,
                               with.account.whole ? &with.ideal : NULL, &text, why);
    }
    if (status == TPU_OK) {
        status = save(directory, "timeline.json", text, why);
    }
    if (status == TPU_OK) {
        status = save_log(from, &with.lives, directory, "timeline.kanata", why);
    }
    if (status == TPU_OK && with.account.whole) {
        status = save_log(from, &with.ideal, directory, "timeline_ideal.kanata", why);
    }
    cycles_clear(&with.account);
    life_list_clear(&with.lives);
    life_list_clear(&with.ideal);
    return status;
}
