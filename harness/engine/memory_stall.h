// SPDX-License-Identifier: Apache-2.0
//
// Which pins of the memory are held back in a cycle: at random, or in patterns that a machine is
// most likely to trip over. A matter of the settings, the cycle and what both sides offered.

#ifndef MEMORY_STALL_H
#define MEMORY_STALL_H

#include "base/rng.h"
#include "harness/engine/engine.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The five handshakes; bit p of a set stands for point p. */
typedef enum memory_stall_point {
    MEMORY_STALL_AR,
    MEMORY_STALL_AW,
    MEMORY_STALL_W,
    MEMORY_STALL_R,
    MEMORY_STALL_B,
    MEMORY_STALL_POINTS
} memory_stall_point;

/** Plain data; set by memory_stall_start. */
typedef struct memory_stall {
    engine_timing timing;
    uint64_t below; /**< a draw below this holds a point back; 0 = no stalls at all */
    rng source;
    uint64_t cycle;
    unsigned waiting; /**< points at which the machine waited at the end of the last cycle */
    uint8_t patience[MEMORY_STALL_POINTS]; /**< EDGE: cycles since the last transfer or change */
    uint32_t period;                       /**< BURST, FREEZE: cycles of one round */
    uint32_t held;                         /**< of them held */
    uint32_t phase;
    unsigned frozen; /**< FREEZE: the points of this round */
} memory_stall;

/** Begins the sequence of these settings. */
void memory_stall_start(memory_stall *self, const engine_timing *timing);

/** The points that are held in the coming cycle; call it once a cycle. */
unsigned memory_stall_draw(memory_stall *self);

/**
 * Ends the cycle.
 * @param waiting  points at which the machine stood ready and nothing passed: valid of AR, AW and
 *                 W, ready of R and B.
 * @param passed   points at which something passed.
 */
void memory_stall_see(memory_stall *self, unsigned waiting, unsigned passed);

#ifdef __cplusplus
}
#endif

#endif
