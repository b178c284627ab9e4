// SPDX-License-Identifier: Apache-2.0
//
// Each unit waits for one thing at most, so following the edges from any unit ends in a unit that
// waits for nobody, in the memory port, or in the only circle that can be reached from there.

#include "harness/lockstep/waitgraph.h"

static void add_edge(waitgraph *self, int from, const probe_unit *unit) {
    bool starved = unit->state == PROBE_STARVED;
    if (!starved && unit->state != PROBE_BLOCKED) {
        return;
    }
    waitgraph_edge edge = {.from = from, .to = from, .stream = -1, .starved = starved};
    if (unit->wait < TPU_STREAM_COUNT) {
        const tpu_stream_info *info = &tpu_streams[unit->wait];
        edge.stream = unit->wait;
        edge.to = starved ? (int)info->unit : info->reader;
    } else if (unit->wait == PROBE_WAIT_MEMORY) {
        edge.to = WAITGRAPH_MEMORY;
    }
    self->edge[self->edge_count++] = edge;
}

const waitgraph_edge *waitgraph_of(const waitgraph *self, int unit) {
    for (size_t i = 0; i < self->edge_count; i++) {
        if (self->edge[i].from == unit) {
            return &self->edge[i];
        }
    }
    return NULL;
}

// The units on the way from `unit` when it leads back to it, else 0.
static unsigned circle_through(const waitgraph *self, int unit) {
    unsigned on = 0;
    int at = unit;
    for (int i = 0; i < TPU_UNIT_COUNT; i++) {
        const waitgraph_edge *edge = waitgraph_of(self, at);
        if (edge == NULL || edge->to < 0 || edge->to == at) {
            return 0;
        }
        on |= 1u << at;
        at = edge->to;
        if (at == unit) {
            return on;
        }
    }
    return 0;
}

void waitgraph_build(const probe_unit units[TPU_UNIT_COUNT], waitgraph *out) {
    *out = (waitgraph){.edge_count = 0};
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        add_edge(out, unit, &units[unit]);
    }
    for (int unit = 0; unit < TPU_UNIT_COUNT && out->circle == 0; unit++) {
        out->circle = circle_through(out, unit);
    }
}
