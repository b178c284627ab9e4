// SPDX-License-Identifier: Apache-2.0
//
// Random stalls are drawn every cycle whatever the traffic, so that they are a matter of seed and
// cycle alone. The patterns never hold a point for good: a machine that waits is heard in the end.

#include "harness/engine/memory_stall.h"

#include <string.h>

enum {
    STALL_BITS = 12, // bits of one draw; five draws fit one random word
    PERMILLE = 1000,
    EDGE_WAIT = 3,     // cycles that a waiting machine is kept waiting
    EDGE_PATIENCE = 9, // cycles after which the memory stops waiting for the machine to wait
    BURST_MAX = 40,
    FREEZE_LEAST = 100, // cycles; a watchdog of a few hundred must be set higher
    FREEZE_MOST = 300
};

static unsigned all_points(void) {
    return (1u << MEMORY_STALL_POINTS) - 1;
}

void memory_stall_start(memory_stall *self, const engine_timing *timing) {
    memset(self, 0, sizeof *self);
    self->timing = *timing;
    // Rounded up, so that the smallest chance is not none; 1000 is always.
    self->below = (((uint64_t)timing->stall_permille << STALL_BITS) + PERMILLE - 1) / PERMILLE;
    rng_seed(&self->source, timing->stall_seed);
    if (timing->stall_mode == ENGINE_STALL_BURST) {
        self->period = 2 + rng_below(&self->source, BURST_MAX);
        self->held = (self->period * timing->stall_permille + PERMILLE - 1) / PERMILLE;
        self->held = self->held < self->period ? self->held : self->period - 1;
        self->phase = rng_below(&self->source, self->period);
    } else if (timing->stall_mode == ENGINE_STALL_ALTERNATE) {
        self->phase = rng_below(&self->source, 1u << MEMORY_STALL_POINTS);
    }
}

// One bit a point.
static unsigned draw_random(memory_stall *self) {
    uint64_t word = rng_next(&self->source);
    unsigned held = 0;
    for (unsigned point = 0; point < MEMORY_STALL_POINTS; point++) {
        held |= (unsigned)((word & ((1u << STALL_BITS) - 1)) < self->below) << point;
        word >>= STALL_BITS;
    }
    return held;
}

// Open exactly when the other side does not expect it any more: after it has waited for a while, or
// when it has not shown up for long.
static unsigned draw_edge(memory_stall *self) {
    unsigned held = 0;
    for (unsigned point = 0; point < MEMORY_STALL_POINTS; point++) {
        unsigned limit = (self->waiting >> point & 1u) != 0 ? EDGE_WAIT : EDGE_PATIENCE;
        held |= (unsigned)(self->patience[point] < limit) << point;
    }
    return held;
}

static unsigned draw_burst(const memory_stall *self) {
    uint64_t at = (self->cycle + self->phase) % self->period;
    return at < self->held ? all_points() : 0;
}

// Every other cycle; which points together is the seed's.
static unsigned draw_alternate(const memory_stall *self) {
    return (self->cycle & 1u) != 0 ? self->phase : ~self->phase & all_points();
}

// Some points stand still for hundreds of cycles, then all run for as long.
static unsigned draw_freeze(memory_stall *self) {
    if (self->phase == 0) {
        self->period = FREEZE_LEAST + rng_below(&self->source, FREEZE_MOST - FREEZE_LEAST + 1);
        self->phase = self->period;
        self->frozen =
            self->frozen != 0 ? 0 : 1 + rng_below(&self->source, (1u << MEMORY_STALL_POINTS) - 1);
    }
    self->phase--;
    return self->frozen;
}

unsigned memory_stall_draw(memory_stall *self) {
    if (self->below == 0) {
        return 0;
    }
    switch (self->timing.stall_mode) {
    case ENGINE_STALL_EDGE:
        return draw_edge(self);
    case ENGINE_STALL_ALTERNATE:
        return draw_alternate(self);
    case ENGINE_STALL_BURST:
        return draw_burst(self);
    case ENGINE_STALL_FREEZE:
        return draw_freeze(self);
    case ENGINE_STALL_AR:
        return draw_random(self) & 1u << MEMORY_STALL_AR;
    case ENGINE_STALL_R:
        return draw_random(self) & 1u << MEMORY_STALL_R;
    case ENGINE_STALL_AW:
        return draw_random(self) & 1u << MEMORY_STALL_AW;
    case ENGINE_STALL_W:
        return draw_random(self) & 1u << MEMORY_STALL_W;
    case ENGINE_STALL_B:
        return draw_random(self) & 1u << MEMORY_STALL_B;
    default:
        return draw_random(self);
    }
}

void memory_stall_see(memory_stall *self, unsigned waiting, unsigned passed) {
    self->cycle++;
    if (self->timing.stall_mode != ENGINE_STALL_EDGE) {
        return;
    }
    unsigned changed = passed | (waiting & ~self->waiting); // counted from where it shows up
    for (unsigned point = 0; point < MEMORY_STALL_POINTS; point++) {
        uint8_t *patience = &self->patience[point];
        *patience = (uint8_t)((changed >> point & 1u) != 0 ? 0
                              : *patience < UINT8_MAX      ? *patience + 1
                                                           : UINT8_MAX);
    }
    self->waiting = waiting;
}
