// SPDX-License-Identifier: Apache-2.0
//
// The same programs on several engines at once, each with initial contents, latency and stalls of
// its own: every event and the whole of C must be the same. No model is asked. Prints nothing.

#ifndef EQUAL_H
#define EQUAL_H

#include "base/status.h"
#include "harness/engine/engine.h"

#include <stdbool.h>
#include <stdint.h>

/** Engines that run each program; number 0 has zeros, latency 1 and no stalls. */
#define EQUAL_VARIANTS 6u

/** Latencies of reads and writes are 1 .. EQUAL_LATENCIES. */
#define EQUAL_LATENCIES 100u

#define EQUAL_KEPT 8u

typedef struct equal_options {
    const engine_api *api; /**< borrowed */
    engine_config config;  /**< init and timing are set per engine */
    uint64_t hang_limit;
    uint64_t seed;     /**< program p depends on it and on p alone */
    uint64_t programs; /**< 0 = no limit */
    double seconds;    /**< 0 = no limit */
} equal_options;

typedef struct equal_summary {
    uint64_t programs;
    uint64_t runs;
    uint64_t cycles;
    uint64_t rows;     /**< of the first engine */
    uint64_t findings; /**< runs that differ from the first engine's */
    uint64_t digest;   /**< of the first engine's events: the same for every queue depth */
    uint64_t latency[EQUAL_LATENCIES]; /**< runs with a read latency of index + 1 */
    uint64_t mode[ENGINE_STALL_COUNT]; /**< runs with these stalls */
    uint64_t init[3];                  /**< runs on engines with these contents */
    char sentence[EQUAL_KEPT][320];    /**< the first findings */
    double seconds;
} equal_summary;

/**
 * Runs.
 * @param[in,out] out  zeroed.
 * @return TPU_OK, findings or not; what generator and engine say.
 */
tpu_status equal_run(const equal_options *options, equal_summary *out,
                     tpu_message *why) TPU_NODISCARD;

#endif
