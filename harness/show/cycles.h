// SPDX-License-Identifier: Apache-2.0
//
// Where the cycles of a recorded run went: for each unit how many it was busy, starved (of which
// channel), blocked (by which) or idle, and the chain of waits that decided how long the run took.
// Counts only; how they are shown is the command line's.

#ifndef CYCLES_H
#define CYCLES_H

#include "base/status.h"
#include "harness/replay/recording.h"

#include <stddef.h>
#include <stdint.h>

/** Values of probe_unit.wait: a tpu_stream, PROBE_WAIT_MEMORY or PROBE_WAIT_HAZARD. */
#define CYCLES_WAITS 32u

/** Cycles by state and cause; all members together are the cycles looked at. */
typedef struct cycles_split {
    uint64_t idle;
    uint64_t busy;
    uint64_t starved[CYCLES_WAITS];
    uint64_t blocked[CYCLES_WAITS];
} cycles_split;

/** Cycles in a row of the critical path, both included, that one unit decided. */
typedef struct cycles_step {
    uint64_t first;
    uint64_t last;
    tpu_unit unit;
    probe_unit cause;
} cycles_step;

/** The whole account. Zero-initialise, end with cycles_clear. */
typedef struct cycles {
    recording_window window; /**< cycles that are counted */
    uint64_t total;
    bool whole; /**< the window is the whole run, up to its end */
    cycles_split unit[TPU_UNIT_COUNT];
    cycles_split path[TPU_UNIT_COUNT]; /**< of the critical path; sums to total over all units */
    cycles_step *step;                 /**< the path, by cycle */
    size_t step_count;
    uint64_t mm_rows;  /**< rows that the issued mms send through the array: (N/T)(K/T)M */
    uint64_t mm_count; /**< how many mms were issued */
} cycles;

/**
 * Counts as the machine's own counters do: the cycle that shows `done` is left out, and in cycle 0,
 * in which the start is only just heard, every unit is idle whatever it shows.
 * @param[in,out] out  zeroed.
 * @return TPU_OK, TPU_ERR_MEMORY, or TPU_ERR_INTERNAL when the spans of a unit have a gap.
 */
tpu_status cycles_count(const recording *from, cycles *out, tpu_message *why) TPU_NODISCARD;

void cycles_clear(cycles *self);

uint64_t cycles_sum(const uint64_t counts[CYCLES_WAITS]);

/** "wcol", "memory", "hazard"; static storage. */
const char *cycles_wait_name(unsigned wait);

/** "idle", "busy", "starved", "blocked"; static storage. */
const char *cycles_state_name(unsigned state);

#endif
