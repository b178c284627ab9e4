// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing reproducer small while its signature stays the same: fewer runs before it, fewer
// instructions, loops, rows and terms, plainer operands and timing. Every candidate is a legal
// program on a fresh engine; the result is replayed cold twice. Prints nothing.

#ifndef SHRINK_H
#define SHRINK_H

#include "base/status.h"
#include "harness/engine/engine.h"
#include "harness/replay/reproducer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct shrink_options {
    const engine_api *api; /**< borrowed */
    double seconds;        /**< ends with the best so far; 0 = no limit */
} shrink_options;

/** What it took. */
typedef struct shrink_report {
    uint32_t tried;   /**< candidates that ran */
    uint32_t kept;    /**< of these, that failed in the same way */
    uint32_t illegal; /**< candidates that `check` refused; they never ran */
    size_t runs[2];   /**< before, after */
    size_t instructions[2];
    size_t operand_bytes[2]; /**< bytes of A, B and C of the last run that are not 0 */
    double seconds;
    bool timed_out;
} shrink_report;

/**
 * Shrinks in place.
 * @param[in,out] self  a reproducer with expectations; on success its expectations are those of
 *                      the small one. Unchanged on failure.
 * @param[out] out      may be NULL.
 * @return TPU_OK; TPU_REFUSED when it does not fail, or not as expected, or its last run is not a
 *         checked one; TPU_ERR_ENGINE when two cold replays of the result differ; TPU_ERR_MEMORY.
 */
tpu_status shrink_run(reproducer *self, const shrink_options *options, shrink_report *out,
                      tpu_message *why) TPU_NODISCARD;

#endif
