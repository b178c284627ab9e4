// SPDX-License-Identifier: Apache-2.0
//
// What an engine shows of one cycle: which streams wrote a row, the rows, and what each unit did.
// The only contract between a device under test and the harness; it decides nothing.

#ifndef PROBE_H
#define PROBE_H

#include "spec/generated/tpu_isa.h"

#include <stdbool.h>
#include <stdint.h>

/** What a unit did in a cycle. */
typedef enum probe_state {
    PROBE_IDLE = 0,    /**< no work held */
    PROBE_BUSY = 1,    /**< moved at least one item */
    PROBE_STARVED = 2, /**< waits for an input: `wait` says which */
    PROBE_BLOCKED = 3  /**< waits for room or for a hazard: `wait` says which */
} probe_state;

/** Values of `wait` that are not a tpu_stream. */
#define PROBE_WAIT_MEMORY 30u /**< the memory port */
#define PROBE_WAIT_HAZARD 31u /**< an older access of the unit's own memory */

typedef struct probe_unit {
    uint8_t state; /**< probe_state */
    uint8_t wait;  /**< tpu_stream, or PROBE_WAIT_*; meaningful when starved or blocked */
} probe_unit;

/**
 * One cycle. Rows are byte strings laid out as tpu_streams[] says; they are borrowed from the
 * engine and end with the next call on it.
 */
typedef struct probe {
    uint64_t cycle;                       /**< 0 = the cycle in which start was taken */
    uint32_t fired;                       /**< bit s: stream s wrote row[s] in this cycle */
    const uint8_t *row[TPU_STREAM_COUNT]; /**< valid where fired */
    probe_unit unit[TPU_UNIT_COUNT];
    bool done;    /**< the run has ended; the status says how */
    bool refused; /**< the machine answered its start with an error: nothing runs */
} probe;

#endif
