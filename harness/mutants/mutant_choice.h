// SPDX-License-Identifier: Apache-2.0
//
// Which mutants of a list run: those that are named, and a sample of the others.

#ifndef MUTANT_CHOICE_H
#define MUTANT_CHOICE_H

#include "harness/mutants/mutant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What somebody asked for. Neither names nor a sample = all. */
typedef struct mutant_wish {
    const char *only; /**< "name,name"; NULL = none by name */
    bool sampled;
    uint64_t sample; /**< how many of those that are not named */
    uint64_t seed;
} mutant_wish;

/** @return TPU_REFUSED with the first name of `only` that is not in the list. */
tpu_status mutant_check_names(const char *only, const mutant *list, size_t count,
                              tpu_message *why) TPU_NODISCARD;

/**
 * Brings those that run to the front, by name; the others stay behind them.
 * @return how many run.
 */
size_t mutant_choose(const mutant_wish *wish, mutant *list, size_t count);

#endif
