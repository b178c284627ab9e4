// SPDX-License-Identifier: Apache-2.0
//
// Sums the spans of a recording, and walks its critical path backwards. The walk stands on one unit
// in one cycle. A unit that moved, or waited for memory or for itself, decided that cycle; one that
// waited for another passes the question on to it: starved to the writer of the channel, blocked
// to its reader, idle to who had not given it anything.
//
//   cycle    ... 40    41    42    43 (end)
//   dma_st                  <-- c.write
//   accu           <-- ac2sp        each cycle belongs to exactly one unit and cause
//   array    <-- cw

#include "harness/show/cycles.h"

#include <stdlib.h>
#include <string.h>

static bool is_whole(const recording *from) {
    return from->window.first == 0 && from->seen.kind == VERDICT_OK &&
           from->window.last + 1 >= from->seen.cycle;
}

// A run that came to its end shows `done` in its last cycle, and no unit has work there.
static uint64_t count_last(const recording *from) {
    bool ended = from->seen.kind == VERDICT_OK && from->window.last >= from->seen.cycle;
    if (ended && from->seen.cycle > from->window.first) {
        return from->seen.cycle - 1;
    }
    return from->window.last;
}

static void add(cycles_split *to, probe_unit what, uint64_t count) {
    unsigned wait = what.wait % CYCLES_WAITS;
    switch (what.state) {
    case PROBE_BUSY:
        to->busy += count;
        break;
    case PROBE_STARVED:
        to->starved[wait] += count;
        break;
    case PROBE_BLOCKED:
        to->blocked[wait] += count;
        break;
    default:
        to->idle += count;
        break;
    }
}

static tpu_status count_unit(const recording *from, tpu_unit unit, cycles *out, tpu_message *why) {
    uint64_t next = out->window.first;
    for (size_t i = 0; i < from->span_count[unit] && next <= out->window.last; i++) {
        const recording_span *span = &from->span[unit][i];
        if (span->first != next || span->last < span->first) {
            break;
        }
        uint64_t last = span->last < out->window.last ? span->last : out->window.last;
        uint64_t count = last - next + 1;
        if (next == 0) { // the start itself
            out->unit[unit].idle++;
            count--;
        }
        add(&out->unit[unit], span->unit, count);
        next = last + 1;
    }
    if (next <= out->window.last) {
        return status_fail(why, TPU_ERR_INTERNAL, "the recording of %s has a gap at cycle %llu",
                           tpu_unit_names[unit], (unsigned long long)next);
    }
    return TPU_OK;
}

// A place in the walk: a unit and the span of it that holds the cycle.
typedef struct walk {
    const recording *from;
    size_t at[TPU_UNIT_COUNT];
    uint64_t cycle;
    tpu_unit unit;
} walk;

static const recording_span *span_of(walk *self, tpu_unit unit) {
    const recording_span *spans = self->from->span[unit];
    size_t *at = &self->at[unit];
    while (*at > 0 && spans[*at].first > self->cycle) {
        (*at)--;
    }
    return &spans[*at];
}

// Who could have given an idle unit work. The array has no channel from the sequencer: it waits for
// weights when activations are held up before it, else for activations. A sequencer that is idle
// too has nothing to give: the run begins, or ends.
static tpu_unit asks_idle(walk *self, tpu_unit unit) {
    if (unit == TPU_UNIT_ARRAY) {
        const probe_unit vru = span_of(self, TPU_UNIT_VRU)->unit;
        bool waits = vru.state == PROBE_BLOCKED && vru.wait == TPU_STREAM_ACOL;
        unit = waits ? TPU_UNIT_SPM : TPU_UNIT_VRU;
        return span_of(self, unit)->unit.state == PROBE_IDLE ? TPU_UNIT_ARRAY : unit;
    }
    bool over = span_of(self, TPU_UNIT_SEQUENCER)->unit.state == PROBE_IDLE;
    return over ? unit : TPU_UNIT_SEQUENCER;
}

// The unit that this one waits for; itself when it decides the cycle.
static tpu_unit asks(walk *self, tpu_unit unit) {
    const probe_unit state = span_of(self, unit)->unit;
    if (state.state == PROBE_IDLE) {
        return asks_idle(self, unit);
    }
    if (state.state == PROBE_BUSY || state.wait >= TPU_STREAM_COUNT) {
        return unit;
    }
    const tpu_stream_info *channel = &tpu_streams[state.wait];
    if (state.state == PROBE_STARVED) {
        return channel->unit;
    }
    return channel->reader >= 0 ? (tpu_unit)channel->reader : unit;
}

// Goes from unit to unit within the cycle, at most once to each.
static const recording_span *settle(walk *self) {
    unsigned seen = 0;
    for (;;) {
        tpu_unit next = asks(self, self->unit);
        seen |= 1u << self->unit;
        if ((seen >> next & 1u) != 0) {
            return span_of(self, self->unit);
        }
        self->unit = next;
    }
}

static bool push(cycles *out, size_t *capacity, const cycles_step *step) {
    if (out->step_count == *capacity) {
        size_t wanted = *capacity == 0 ? 64 : 2 * *capacity;
        cycles_step *more = realloc(out->step, wanted * sizeof *more);
        if (more == NULL) {
            return false;
        }
        out->step = more;
        *capacity = wanted;
    }
    out->step[out->step_count++] = *step;
    return true;
}

static bool same_cause(const cycles_step *step, tpu_unit unit, probe_unit cause) {
    return step->unit == unit && step->cause.state == cause.state && step->cause.wait == cause.wait;
}

static void reverse(cycles *out) {
    for (size_t i = 0; i < out->step_count / 2; i++) {
        cycles_step kept = out->step[i];
        out->step[i] = out->step[out->step_count - 1 - i];
        out->step[out->step_count - 1 - i] = kept;
    }
}

// `wait` says nothing of a unit that does not wait.
static probe_unit plain(probe_unit state) {
    bool waits = state.state == PROBE_STARVED || state.state == PROBE_BLOCKED;
    return (probe_unit){.state = state.state, .wait = waits ? state.wait : 0};
}

// The unit whose row was the last one; the walk begins there.
static void walk_start(walk *self, const cycles *out) {
    self->unit = TPU_UNIT_DMA_ST;
    self->cycle = out->window.last;
    for (size_t i = 0; i < self->from->event_count; i++) {
        self->unit = tpu_streams[self->from->event[i].stream].unit;
    }
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        self->at[u] = self->from->span_count[u] - 1;
    }
}

static tpu_status walk_path(const recording *from, cycles *out, tpu_message *why) {
    size_t capacity = 0;
    walk self = {.from = from};
    walk_start(&self, out);
    for (uint64_t left = out->total; left > 0; left--, self.cycle--) {
        probe_unit cause = plain(settle(&self)->unit);
        cycles_step *before = out->step_count > 0 ? &out->step[out->step_count - 1] : NULL;
        add(&out->path[self.unit], cause, 1);
        if (before != NULL && same_cause(before, self.unit, cause)) {
            before->first = self.cycle;
            continue;
        }
        const cycles_step step = {self.cycle, self.cycle, self.unit, cause};
        if (!push(out, &capacity, &step)) {
            return status_fail(why, TPU_ERR_MEMORY, "cycles: out of memory");
        }
    }
    reverse(out);
    return TPU_OK;
}

static void count_mm(const recording *from, cycles *out) {
    for (size_t i = 0; i < from->issue_count; i++) {
        const recording_issue *at = &from->issue[i];
        bool inside = at->cycle >= out->window.first && at->cycle <= out->window.last;
        if (inside && at->issue.op == TPU_OP_MM) {
            out->mm_rows += at->issue.nr;
            out->mm_count++;
        }
    }
}

tpu_status cycles_count(const recording *from, cycles *out, tpu_message *why) {
    out->window = (recording_window){from->window.first, count_last(from)};
    out->total = out->window.last - out->window.first + 1;
    out->whole = is_whole(from);
    tpu_status status = TPU_OK;
    for (int u = 0; u < TPU_UNIT_COUNT && status == TPU_OK; u++) {
        status = count_unit(from, (tpu_unit)u, out, why);
    }
    if (status == TPU_OK) {
        count_mm(from, out);
        status = walk_path(from, out, why);
    }
    return status;
}

void cycles_clear(cycles *self) {
    free(self->step);
    *self = (cycles){.total = 0};
}

uint64_t cycles_sum(const uint64_t counts[CYCLES_WAITS]) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < CYCLES_WAITS; i++) {
        sum += counts[i];
    }
    return sum;
}

const char *cycles_wait_name(unsigned wait) {
    if (wait < TPU_STREAM_COUNT) {
        return tpu_streams[wait].name;
    }
    return wait == PROBE_WAIT_MEMORY ? "memory" : wait == PROBE_WAIT_HAZARD ? "hazard" : "?";
}

const char *cycles_state_name(unsigned state) {
    static const char *const names[] = {"idle", "busy", "starved", "blocked"};
    return state < 4 ? names[state] : "?";
}
