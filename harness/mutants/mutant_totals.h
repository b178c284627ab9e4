// SPDX-License-Identifier: Apache-2.0
//
// The numbers over many mutants: caught, blamed right, shrunk small, how soon.

#ifndef MUTANT_TOTALS_H
#define MUTANT_TOTALS_H

#include "harness/mutants/mutant_run.h"

/** A reproducer of so many instructions is read at a glance. */
#define MUTANT_SMALL 10u

/** Sums. */
typedef struct mutant_totals {
    size_t asked; /**< that must be caught */
    size_t caught;
    size_t right;      /**< and where the file says */
    size_t fuzzed;     /**< caught by the fuzzer: they have a unit */
    size_t blamed;     /**< right */
    size_t shrunk;     /**< to any size */
    size_t small;      /**< to SMALL instructions at most */
    size_t silent;     /**< controls and equivalents */
    size_t quiet;      /**< of them, not noticed */
    size_t bad;        /**< rows that did not go well */
    double build;      /**< seconds */
    double detect[2];  /**< seconds of fuzzing: median, 95th percentile */
    double minimal[2]; /**< seconds from failure to minimal reproducer, the same */
} mutant_totals;

/** True when the fuzzer looks for it, so that it has a unit and a program; false for a test. */
bool mutant_is_fuzzed(const mutant *of);

/** Adds up. Percentiles are by nearest rank. */
tpu_status mutant_add_up(const mutant *list, const mutant_result *results, size_t count,
                         mutant_totals *out, tpu_message *why) TPU_NODISCARD;

/** All of it as JSON. @param[out] out  given: free(). */
tpu_status mutant_totals_json(const mutant_options *options, const mutant *list,
                              const mutant_result *results, size_t count, const mutant_totals *sum,
                              char **out, tpu_message *why) TPU_NODISCARD;

#endif
