// SPDX-License-Identifier: Apache-2.0
//
// The lists grow by one; nothing here is fast.

#include "tests/support/recording_rig.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static void *grow(void *list, size_t count, size_t item) {
    void *more = realloc(list, (count + 1) * item);
    TPU_CHECK(more != NULL, "no memory for the rig");
    memset((uint8_t *)more + count * item, 0, item);
    return more;
}

void recording_rig_start(recording *self, uint64_t first, uint64_t last) {
    *self = (recording){.window = {first, last}};
    self->params = params_default(4, 16);
    verdict_init(&self->seen);
    self->seen.cycle = last;
    self->seen.status.cycles = last;
}

void recording_rig_span(recording *self, tpu_unit unit, uint64_t first, uint64_t last,
                        probe_state state, unsigned wait) {
    self->span[unit] = grow(self->span[unit], self->span_count[unit], sizeof(recording_span));
    self->span[unit][self->span_count[unit]++] =
        (recording_span){.first = first, .last = last, .unit = {(uint8_t)state, (uint8_t)wait}};
}

void recording_rig_rest_idle(recording *self) {
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        if (self->span_count[u] == 0) {
            recording_rig_span(self, (tpu_unit)u, self->window.first, self->window.last, PROBE_IDLE,
                               0);
        }
    }
}

isa_issue *recording_rig_issue(recording *self, uint64_t cycle, unsigned op, unsigned nr,
                               unsigned line) {
    self->issue = grow(self->issue, self->issue_count, sizeof(recording_issue));
    recording_issue *made = &self->issue[self->issue_count];
    made->cycle = cycle;
    made->line = line;
    made->issue.seq = (uint32_t)self->issue_count;
    made->issue.pc = (uint16_t)self->issue_count;
    made->issue.op = (uint8_t)op;
    made->issue.nr = (uint8_t)nr;
    self->issue_count++;
    return &made->issue;
}

void recording_rig_row(recording *self, uint64_t cycle, tpu_stream stream, uint32_t issue,
                       uint32_t in_issue, int got, int expected) {
    size_t bytes = recording_row_bytes(self, stream);
    size_t at = 0;
    uint64_t index = 0;
    for (size_t i = 0; i < self->event_count; i++) {
        at += 2 * recording_row_bytes(self, (tpu_stream)self->event[i].stream);
        index += self->event[i].stream == stream ? 1u : 0u;
    }
    self->event = grow(self->event, self->event_count, sizeof(recording_event));
    self->rows = realloc(self->rows, at + 2 * bytes);
    TPU_CHECK(self->rows != NULL, "no memory for the rig");
    memset(self->rows + at, got, bytes);
    memset(self->rows + at + bytes, expected < 0 ? got : expected, bytes);
    self->event[self->event_count++] =
        (recording_event){.cycle = cycle,
                          .index = index,
                          .issue = expected < 0 ? RECORDING_NO_ISSUE : issue,
                          .in_issue = in_issue,
                          .stream = (uint8_t)stream,
                          .extra = expected < 0,
                          .differs = got != expected,
                          .at = at};
}

static void small_rows(recording *self) {
    recording_rig_row(self, 2, TPU_STREAM_ISSUE, 0, 0, 1, 1);
    recording_rig_row(self, 3, TPU_STREAM_ISSUE, 1, 0, 2, 2);
    recording_rig_row(self, 4, TPU_STREAM_ISSUE, 2, 0, 3, 3);
    recording_rig_row(self, 4, TPU_STREAM_DMA2SP, 0, 0, 1, 1);
    recording_rig_row(self, 5, TPU_STREAM_DMA2SP, 0, 1, 2, 2);
    recording_rig_row(self, 5, TPU_STREAM_SPAD_WRITE, 0, 0, 1, 1);
    recording_rig_row(self, 6, TPU_STREAM_SPAD_WRITE, 0, 1, 2, 2);
    recording_rig_row(self, 7, TPU_STREAM_ACOL, 1, 0, 5, 5);
    for (uint32_t i = 0; i < 5; i++) {
        recording_rig_row(self, 8 + i, TPU_STREAM_WCOL, 1, i, 6, 6);
    }
    recording_rig_row(self, 13, TPU_STREAM_CW, 1, 0, 7, 8);
    recording_rig_row(self, 15, TPU_STREAM_AR_WRITE_MM, 1, 0, 9, 9);
    recording_rig_row(self, 17, TPU_STREAM_AC2SP, 2, 0, 4, 4);
    recording_rig_row(self, 19, TPU_STREAM_C_WRITE, 2, 0, 4, 4);
}

// The end at cycle 20 shows done; nothing happens in it.
static void small_spans(recording *self) {
    recording_rig_span(self, TPU_UNIT_SEQUENCER, 0, 1, PROBE_STARVED, PROBE_WAIT_MEMORY);
    recording_rig_span(self, TPU_UNIT_SEQUENCER, 2, 4, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_SEQUENCER, 5, 20, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_DMA_LD, 0, 2, PROBE_STARVED, TPU_STREAM_C_DLD);
    recording_rig_span(self, TPU_UNIT_DMA_LD, 3, 5, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_DMA_LD, 6, 20, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_SPM, 0, 2, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_SPM, 3, 4, PROBE_STARVED, TPU_STREAM_DMA2SP);
    recording_rig_span(self, TPU_UNIT_SPM, 5, 12, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_SPM, 13, 20, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_VRU, 0, 6, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_VRU, 7, 7, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_VRU, 8, 12, PROBE_BLOCKED, TPU_STREAM_ACOL);
    recording_rig_span(self, TPU_UNIT_VRU, 13, 20, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_ARRAY, 0, 12, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_ARRAY, 13, 13, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_ARRAY, 14, 20, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_ACCU, 0, 3, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_ACCU, 4, 13, PROBE_STARVED, TPU_STREAM_CW);
    recording_rig_span(self, TPU_UNIT_ACCU, 14, 15, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_ACCU, 16, 16, PROBE_BLOCKED, PROBE_WAIT_HAZARD);
    recording_rig_span(self, TPU_UNIT_ACCU, 17, 17, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_ACCU, 18, 20, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_DMA_ST, 0, 4, PROBE_IDLE, 0);
    recording_rig_span(self, TPU_UNIT_DMA_ST, 5, 17, PROBE_STARVED, TPU_STREAM_AC2SP);
    recording_rig_span(self, TPU_UNIT_DMA_ST, 18, 19, PROBE_BUSY, 0);
    recording_rig_span(self, TPU_UNIT_DMA_ST, 20, 20, PROBE_IDLE, 0);
}

void recording_rig_small(recording *self) {
    recording_rig_start(self, 0, 20);
    (void)recording_rig_issue(self, 2, TPU_OP_DMA_LD, 2, 7);
    isa_issue *mm = recording_rig_issue(self, 3, TPU_OP_MM, 1, 8);
    mm->f[2] = 1;
    mm->depth = 1;
    mm->iv[0] = 3;
    (void)recording_rig_issue(self, 4, TPU_OP_MVOUT, 1, 9);
    small_rows(self);
    small_spans(self);
}
