// SPDX-License-Identifier: Apache-2.0
//
// A run of the machine by itself, told by its events: what two runs have in common is asked without
// any model, so that a mistake that machine and model share does not hide.

#ifndef ALONE_H
#define ALONE_H

#include "harness/lockstep/lockstep.h"

#include <stdint.h>

/** What the machine showed. */
typedef struct alone_result {
    verdict_kind kind;                 /**< OK: it ended */
    uint64_t digest[TPU_STREAM_COUNT]; /**< of all rows of a stream in order */
    uint64_t rows[TPU_STREAM_COUNT];
    uint64_t cycles;
    uint64_t assertions;  /**< failed ones of the RTL */
    unsigned fault;       /**< tpu_rule, 0 = none */
    tpu_message sentence; /**< if it did not end */
} alone_result;

/**
 * Runs `job` without the model; its mode and hooks are ignored. C is lockstep_c(pair) afterwards.
 * @param params  of the machine.
 */
void alone_run(lockstep *pair, const tpu_params *params, const lockstep_job *job,
               alone_result *out);

/** True when both ended without a fault and no stream outside the set `but` differs. */
bool alone_same(const alone_result *left, const alone_result *right, uint32_t but, int *stream);

/** One number for all streams outside the set `but`. */
uint64_t alone_digest(const alone_result *self, uint32_t but);

#endif
