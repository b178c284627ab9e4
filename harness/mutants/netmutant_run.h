// SPDX-License-Identifier: Apache-2.0
//
// Runs planted faults: for each a fresh machine in which it is awake, and generated programs in
// lockstep until something differs or the bound is reached. All faults and all ways of watching
// see the same programs in the same order. Prints nothing.

#ifndef NETMUTANT_RUN_H
#define NETMUTANT_RUN_H

#include "base/status.h"
#include "harness/fuzz/fuzz.h"
#include "harness/lockstep/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Name of the variable by which a machine of the kind mutants is told which fault is awake. */
#define NETMUTANT_VARIABLE "TPU_MUTANT"

/** What became of a fault. */
typedef enum netmutant_fate {
    NETMUTANT_WAITING,
    NETMUTANT_CAUGHT,
    NETMUTANT_REFUSED, /**< caught by illegal programs: no fault, or a wrong one */
    NETMUTANT_SURVIVED,
    NETMUTANT_FAILED /**< the harness failed: the sentence says how */
} netmutant_fate;

/** Plain data: workers write it into shared memory. */
typedef struct netmutant_result {
    netmutant_fate fate;
    verdict_signature signature; /**< when caught */
    uint64_t programs;           /**< until the one that told, included; or all of them */
    uint64_t cycles;             /**< in these programs, the one of the difference included */
    uint64_t illegal;            /**< illegal programs tried */
    uint64_t steps;              /**< cycles simulated, looking behind a difference included */
    double seconds;              /**< of one processor */
    double run_seconds;          /**< of these, in lockstep: without making programs and machines */
    char sentence[200];
} netmutant_result;

/** One model: it holds the faults `first` .. `first + count - 1`. */
typedef struct netmutant_model {
    const engine_api *api;
    uint32_t first;
    uint32_t count;
} netmutant_model;

typedef struct netmutant_options {
    fuzz_options fuzz; /**< config, seed, shape, watch, hang_limit; `programs` is the bound */
    uint64_t illegal;  /**< illegal programs for a fault that the legal ones do not show */
    const netmutant_model *model;
    size_t model_count;
    uint32_t jobs; /**< processes, >= 1 */
} netmutant_options;

/** Hears about once a second of how many of all runs are done. */
typedef void (*netmutant_progress)(void *user, size_t done, size_t all, double seconds);

/**
 * Runs the chosen faults; number 0 is the machine without any.
 * @param numbers       borrowed, `count` of them.
 * @param[out] results  `count`, in the order of `numbers`.
 * @return TPU_OK, whatever became of the faults; TPU_REFUSED for a number that no model holds;
 *         TPU_ERR_MEMORY, TPU_ERR_IO; TPU_ERR_INTERNAL when a worker died.
 */
tpu_status netmutant_run(const netmutant_options *options, const uint32_t *numbers, size_t count,
                         netmutant_progress progress, void *user, netmutant_result *results,
                         tpu_message *why) TPU_NODISCARD;

#endif
