// SPDX-License-Identifier: Apache-2.0
//
// Plants mutants one by one in copies of the tree, builds what they touch, lets the fuzzer or a
// test look for them, and keeps who noticed, how soon, whom it blamed and how small it got. Each
// mutant has a process of its own. Prints nothing.

#ifndef MUTANT_RUN_H
#define MUTANT_RUN_H

#include "base/status.h"
#include "harness/fuzz/fuzz.h"
#include "harness/mutants/mutant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What became of one. */
typedef enum mutant_outcome {
    MUTANT_CAUGHT,
    MUTANT_SURVIVED,
    MUTANT_BROKEN, /**< it could not be planted, built or run: says nothing */
    MUTANT_OUTCOME_COUNT
} mutant_outcome;

/** Plain data: it goes through a pipe. Times in seconds. */
typedef struct mutant_result {
    mutant_outcome outcome;
    bool place_right; /**< shown first where the file says */
    bool unit_right;  /**< the blamed unit is one that the file names */
    bool refused;     /**< the harness would not look at it, so nobody was blamed */
    bool small;       /**< a program was shrunk: the numbers of it hold */
    double build;     /**< planting and building */
    double detect;    /**< fuzzing, or the test, until it was noticed; or until given up */
    double minimal;   /**< from the failure to the shrunk program, replayed cold twice */
    uint64_t programs;
    uint64_t cycles; /**< checked until then */
    uint32_t found_instructions;
    uint32_t instructions;
    uint32_t runs; /**< programs that the shrunk reproducer runs one after the other */
    char signature[FUZZ_SIGNATURE_MAX];
    char note[256]; /**< what went wrong, or what the test said */
} mutant_result;

/** Strings are borrowed and absolute paths. */
typedef struct mutant_options {
    const char *tree;       /**< source tree: it is copied, never touched */
    const char *build;      /**< build tree of it, with tpu_point and the tests */
    const char *out;        /**< everything is made below it */
    uint32_t jobs;          /**< mutants at the same time, >= 1 */
    double seconds;         /**< of fuzzing, until a mutant counts as survived */
    double control_seconds; /**< the same for what must survive */
    double shrink_seconds;
    uint64_t seed; /**< of the fuzzer */
    bool full;     /**< build engines as for everybody, with a trace */
} mutant_options;

/** Hears of each result as it comes; `index` into the list. */
typedef void (*mutant_heard)(void *user, const mutant *of, const mutant_result *result);

/** True for what nothing may notice: a control or an equivalent mutant. */
bool mutant_must_survive(const mutant *self);

/** True when it was caught and had to be, or survived and had to. */
bool mutant_went_well(const mutant *self, const mutant_result *result);

const char *mutant_outcome_name(mutant_outcome outcome);

/**
 * Whether each anchor occurs exactly once in its file of `tree`; nothing is written.
 * @return TPU_OK; TPU_REFUSED with the first that does not, or whose file is not there.
 */
tpu_status mutant_check_anchors(const char *tree, const mutant *list, size_t count,
                                tpu_message *why) TPU_NODISCARD;

/**
 * The controls of a list: what each kind does, with nothing planted. Without them a harness that
 * is red anyway would catch everything.
 * @param[out] controls  given: mutant_free.
 */
tpu_status mutant_controls(const mutant *list, size_t count, mutant **controls, size_t *made,
                           tpu_message *why) TPU_NODISCARD;

/**
 * Runs them.
 * @param heard         may be NULL.
 * @param[out] results  `count` of them.
 * @return TPU_OK whatever became of them; TPU_ERR_IO when a tree cannot be copied or no process
 *         made; TPU_ERR_ENGINE when the engine does not build with nothing planted.
 */
tpu_status mutant_run_all(const mutant_options *options, const mutant *list, size_t count,
                          mutant_heard heard, void *user, mutant_result *results,
                          tpu_message *why) TPU_NODISCARD;

#endif
