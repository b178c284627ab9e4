// SPDX-License-Identifier: Apache-2.0
//
// A standstill: which unit holds the others up. Counting rows comes first, since it needs no word
// of the machine: a unit whose inputs are all there owes the row, one that lacks an input does
// not. The units' own states only decide where a unit says that it finds no room.

#include "harness/lockstep/lockstep_internal.h"
#include "harness/lockstep/waitgraph.h"

#include <string.h>

// Control words and weights are taken whole, of other channels one row for each row given.
static bool taken_whole(tpu_stream stream) {
    return stream <= TPU_STREAM_C_DST || stream == TPU_STREAM_WCOL;
}

// Rows of a channel that row `in_issue` of the issue needs.
static uint64_t needed_of(const lockstep *self, tpu_stream stream, uint32_t issue,
                          uint32_t in_issue) {
    return expected_count(self->model, stream, issue, taken_whole(stream) ? UINT32_MAX : in_issue);
}

// A channel that has not brought what the next row of `stream` needs; -1 = all is there.
static int dry_input(lockstep *self, tpu_stream stream) {
    expected_row owed = expected_peek(self->model, stream, expected_taken(self->model, stream));
    for (int s = 0; s < TPU_STREAM_COUNT && owed.row != NULL; s++) {
        tpu_stream input = (tpu_stream)s;
        if (tpu_streams[s].reader == (int)tpu_streams[stream].unit &&
            needed_of(self, input, owed.issue, owed.in_issue) >
                expected_taken(self->model, input)) {
            return s;
        }
    }
    return -1;
}

// The oldest row that a unit owes; -1 = none.
static int oldest_owed(lockstep *self, int unit) {
    int found = -1;
    uint64_t earliest = 0;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        tpu_stream stream = (tpu_stream)s;
        uint64_t taken = expected_taken(self->model, stream);
        if ((int)tpu_streams[s].unit != unit || taken >= expected_emitted(self->model, stream)) {
            continue;
        }
        expected_row row = expected_peek(self->model, stream, taken);
        uint64_t place = (uint64_t)(uint32_t)(row.issue + 1u) << 32 | row.in_issue;
        if (found < 0 || place < earliest) {
            found = s;
            earliest = place;
        }
    }
    return found;
}

// ---- what lies in the channels ------------------------------------------------------------------

// The stream whose rows show that a channel was read.
static bool answers(tpu_stream channel, tpu_stream output) {
    switch (channel) {
    case TPU_STREAM_DMA2SP:
        return output == TPU_STREAM_SPAD_WRITE;
    case TPU_STREAM_DMA2VR:
    case TPU_STREAM_SP2VR:
        return output == TPU_STREAM_VR_WRITE;
    case TPU_STREAM_CW:
        return output == TPU_STREAM_AR_WRITE_MM;
    default:
        return (int)tpu_streams[output].unit == tpu_streams[channel].reader;
    }
}

// Rows of a channel that its reader has answered by rows of its own.
static uint64_t answered(lockstep *self, tpu_stream channel) {
    uint64_t most = 0;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        tpu_stream output = (tpu_stream)s;
        uint64_t taken = expected_taken(self->model, output);
        if (!answers(channel, output) || taken == 0) {
            continue;
        }
        expected_row last = expected_peek(self->model, output, taken - 1);
        uint64_t count = needed_of(self, channel, last.issue, last.in_issue);
        most = count > most ? count : most;
    }
    return most;
}

// ---- from a debt to the debtor
// -------------------------------------------------------------------

// The channel in which a unit says that it finds no room; -1 = it does not say so.
static int full_channel(const waitgraph *graph, int unit) {
    const waitgraph_edge *edge = waitgraph_of(graph, unit);
    bool on_room = edge != NULL && !edge->starved && edge->stream >= 0 && edge->to >= 0;
    return on_room ? edge->stream : -1;
}

// The reader of a channel that finds no row in the very channel whose writer finds no room.
static bool sees_nothing(const waitgraph *graph, int reader, int channel) {
    const waitgraph_edge *edge = waitgraph_of(graph, reader);
    return edge != NULL && edge->starved && edge->stream == channel;
}

static bool is_empty(lockstep *self, tpu_stream channel) {
    return answered(self, channel) >= expected_taken(self->model, channel);
}

// One step from a debtor that has all its inputs; false = it is the one.
static bool follow_room(lockstep *self, const waitgraph *graph, unsigned visited, blame_debt *at,
                        bool *ends) {
    const int channel = full_channel(graph, at->unit);
    if (channel < 0 || is_empty(self, (tpu_stream)channel)) {
        return false; // it has room, whatever it says
    }
    const int reader = tpu_streams[channel].reader;
    *at = (blame_debt){.stream = oldest_owed(self, reader), .unit = reader};
    // Who does not see what lies in its channel, or owes nothing and takes nothing, holds it up.
    *ends = at->stream < 0 || (visited >> reader & 1u) != 0 || sees_nothing(graph, reader, channel);
    return true;
}

blame_debt blame_follow(lockstep *self, int stream, const probe_unit units[TPU_UNIT_COUNT]) {
    waitgraph graph;
    unsigned visited = 0;
    bool ends = false;
    waitgraph_build(units, &graph);
    blame_debt at = {.stream = stream, .unit = (int)tpu_streams[stream].unit};
    for (int i = 0; i < 2 * TPU_STREAM_COUNT && !ends; i++) {
        int dry = dry_input(self, (tpu_stream)at.stream);
        if (dry >= 0) {
            at = (blame_debt){.stream = dry, .unit = (int)tpu_streams[dry].unit};
            continue;
        }
        visited |= 1u << at.unit;
        if (!follow_room(self, &graph, visited, &at, &ends)) {
            break;
        }
    }
    return at;
}

// The first unit along the flow that holds work. Where every row has come, no other owes it any.
static int first_at_work(const probe_unit units[TPU_UNIT_COUNT]) {
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        if (units[unit].state != PROBE_IDLE) {
            return unit;
        }
    }
    return TPU_UNIT_SEQUENCER;
}

// Nobody knows which rows are owed: along the waits to the unit that waits for nobody.
static int follow_states(const probe_unit units[TPU_UNIT_COUNT]) {
    waitgraph graph;
    unsigned visited = 0;
    waitgraph_build(units, &graph);
    int unit = first_at_work(units);
    while ((visited >> unit & 1u) == 0) {
        const waitgraph_edge *edge = waitgraph_of(&graph, unit);
        visited |= 1u << unit;
        if (edge == NULL || edge->to < 0) {
            break;
        }
        unit = edge->to;
    }
    return unit;
}

static void note_held(lockstep *self) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        tpu_stream channel = (tpu_stream)s;
        uint64_t pushed = expected_taken(self->model, channel);
        uint64_t read = tpu_streams[s].reader < 0 ? pushed : answered(self, channel);
        self->out->held[s] = pushed > read ? pushed - read : 0;
    }
}

static const char *state_words(const probe_unit *unit) {
    if (unit->state == PROBE_IDLE) {
        return "says that it is idle: the instruction got lost in it, or was never taken";
    }
    if (unit->state == PROBE_BUSY) {
        return "says that it moves, and gives nothing";
    }
    return unit->wait == PROBE_WAIT_HAZARD ? "waits for an older access of its own that never ends"
           : unit->wait == PROBE_WAIT_MEMORY ? "waits for the memory port"
                                             : NULL;
}

// What the unit that owes a row says of itself, when all that it needs was pushed.
static void note_wait(lockstep *self) {
    verdict *out = self->out;
    const probe_unit *unit = &out->units[out->unit];
    const char *name = tpu_unit_names[out->unit];
    const char *words = state_words(unit);
    if (out->stream >= 0 && dry_input(self, (tpu_stream)out->stream) >= 0) {
        return;
    }
    if (words != NULL && out->stream >= 0) {
        verdict_note(out, "%s owes a row and has all that it needs; it %s", name, words);
    } else if (words == NULL && unit->state == PROBE_STARVED) {
        verdict_note(out,
                     "%s waits for %s, where all that it needs was pushed: a row lost in the "
                     "channel, or one too many taken",
                     name, tpu_streams[unit->wait].name);
    }
}

static void note_graph(verdict *out) {
    waitgraph graph;
    waitgraph_build(out->units, &graph);
    for (size_t i = 0; i < graph.edge_count; i++) {
        const waitgraph_edge *edge = &graph.edge[i];
        const waitgraph_edge *back = edge->to >= 0 ? waitgraph_of(&graph, edge->to) : NULL;
        if (!edge->starved && edge->stream >= 0 && back != NULL && back->starved &&
            back->stream == edge->stream) {
            verdict_note(out,
                         "%s finds no room in %s and %s finds no row there: the channel, or "
                         "its reader's ready",
                         tpu_unit_names[edge->from], tpu_streams[edge->stream].name,
                         tpu_unit_names[edge->to]);
            return;
        }
    }
    if (graph.circle != 0) {
        verdict_note(out, "the waits form a circle: no unit on it can go on by itself");
    }
}

// ---- the verdict --------------------------------------------------------------------------------

static void say_stuck(lockstep *self) {
    verdict *out = self->out;
    unsigned long long cycle = out->cycle;
    const char *what = self->astray ? "the sequencer still walked, farther than the program goes,"
                                    : "nothing moved any more";
    if (out->stream < 0) {
        (void)status_fail(&out->sentence, TPU_OK, "%s in cycle %llu", what, cycle);
        return;
    }
    tpu_stream stream = (tpu_stream)out->stream;
    (void)status_fail(&out->sentence, TPU_OK, "%s in cycle %llu; row %llu of %llu of %s never came",
                      what, cycle, (unsigned long long)out->row,
                      (unsigned long long)expected_emitted(self->model, stream),
                      tpu_streams[stream].name);
}

static void blame_debtor(lockstep *self, int missing) {
    verdict *out = self->out;
    blame_debt debt = blame_follow(self, missing, out->units);
    expected_row oldest =
        expected_peek(self->model, (tpu_stream)missing, expected_taken(self->model, missing));
    blame_issue(self, &oldest);
    out->unit = debt.unit;
    out->stream = debt.stream >= 0 ? debt.stream : missing;
    out->row = expected_taken(self->model, (tpu_stream)out->stream);
}

void blame_stuck(lockstep *self) {
    verdict *out = self->out;
    out->kind = VERDICT_HANG;
    out->diff = VERDICT_DIFF_STUCK;
    memcpy(out->units, self->stall, sizeof out->units);
    out->unit = follow_states(out->units);
    bool checked =
        self->job->mode == LOCKSTEP_MODE_CHECKED && expected_finish(self->model, NULL) == TPU_OK;
    if (!checked) {
        say_stuck(self);
        return;
    }
    int missing = settle_first_missing(self);
    if (missing >= 0) {
        blame_debtor(self, missing);
    } else {
        out->unit = first_at_work(out->units);
    }
    note_held(self);
    note_wait(self);
    note_graph(out);
    say_stuck(self);
    if (out->stream >= 0) {
        blame_why(self, NULL, 0);
    }
    settle_vote(self, false);
}
