// SPDX-License-Identifier: Apache-2.0
//
// Illegal programs on trial: `check` must refuse each with the rule that was broken, the machine
// with its check off must end each in a fault, and a legal program right after it, on the same
// engine and in lockstep, must be exact. Prints nothing.

#ifndef STRESS_TRIAL_H
#define STRESS_TRIAL_H

#include "base/status.h"
#include "harness/engine/engine.h"
#include "harness/stress/stress_illegal.h"

#include <stdbool.h>
#include <stdint.h>

/** Values of tpu_rule that a table is indexed by. */
#define STRESS_TRIAL_RULES 64u

/** Findings that are kept in words. */
#define STRESS_TRIAL_KEPT 16u

typedef struct stress_trial_options {
    const engine_api *api; /**< borrowed */
    engine_config config;  /**< init and timing are drawn */
    uint64_t hang_limit;
    uint64_t seed;     /**< program p depends on it and on p alone */
    uint64_t programs; /**< illegal ones; 0 = no limit */
    double seconds;    /**< 0 = no limit */
    bool first;        /**< end with the first finding */
    bool brief;        /**< without the rules whose programs take tens of thousands of cycles */
} stress_trial_options;

/** What became of the programs that break one rule. */
typedef struct stress_trial_row {
    uint64_t made;
    uint64_t refused; /**< by check or image, with this rule at this instruction */
    uint64_t same;    /**< the machine names this rule */
    uint64_t other;   /**< the machine names another; see stress_trial_allows */
    uint64_t clean;   /**< the legal program behind it was exact */
    uint64_t cycles;  /**< of the machine, until it faulted */
    bool impossible;  /**< cannot be broken on this machine */
} stress_trial_row;

typedef struct stress_trial_summary {
    stress_trial_row row[STRESS_TRIAL_RULES]; /**< by tpu_rule */
    uint64_t programs;
    uint64_t findings;
    char sentence[STRESS_TRIAL_KEPT][320]; /**< the first of them */
    double seconds;
} stress_trial_summary;

/** True when the machine may say `fault` of a program whose first broken rule is `rule`. */
bool stress_trial_allows(tpu_rule rule, unsigned fault);

/**
 * Runs.
 * @param[in,out] out  zeroed.
 * @return TPU_OK, findings or not; what generator and engine say.
 */
tpu_status stress_trial_run(const stress_trial_options *options, stress_trial_summary *out,
                            tpu_message *why) TPU_NODISCARD;

/**
 * Judges one program with check and image alone.
 * @return true when it is refused with the right rule at the right instruction; else `why` says
 *         what happened.
 */
bool stress_trial_refused(const tpu_params *params, const stress_illegal *made, tpu_message *why);

#endif
