// SPDX-License-Identifier: Apache-2.0
//
// Known divergences that do not fail a run: a signature with a reason, an owner, the most findings
// it may have and the last day it holds. One that is past its day, over its number or of no use
// any more fails the run, so that no waiver outlives what it was written for.

#ifndef WAIVER_H
#define WAIVER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAIVER_VERSION 1

#define WAIVER_SIGNATURE_MAX 192u
#define WAIVER_TEXT_MAX 256u

/** "2027-01-31" and its NUL. Days in this form compare as strings. */
#define WAIVER_DATE_SIZE 11u

/** One known divergence. */
typedef struct waiver {
    char signature[WAIVER_SIGNATURE_MAX]; /**< as verdict_signature_format writes it */
    char reason[WAIVER_TEXT_MAX];
    char owner[WAIVER_TEXT_MAX];
    uint64_t limit;                 /**< findings it covers in one run, at least 1 */
    char expires[WAIVER_DATE_SIZE]; /**< the last day on which it holds */
    uint64_t seen;                  /**< findings of this run, see waiver_note */
} waiver;

/** The file in memory. Zero-initialised = no waivers; end with waiver_clear. */
typedef struct waiver_list {
    waiver *item;
    size_t count;
} waiver_list;

/** What became of a waiver in a run. */
typedef enum waiver_state {
    WAIVER_HOLDS,
    WAIVER_EXPIRED,
    WAIVER_EXCEEDED,
    WAIVER_UNUSED,
    WAIVER_STATE_COUNT
} waiver_state;

/**
 * Reads a file.
 * @param[in,out] out  zeroed; untouched on failure.
 * @return TPU_OK; TPU_REFUSED with file and key when it is missing, damaged, of another version,
 *         or names a signature twice; TPU_ERR_MEMORY.
 */
tpu_status waiver_read(const char *path, waiver_list *out, tpu_message *why) TPU_NODISCARD;

void waiver_clear(waiver_list *self);

/** Tells of findings. @return true when there is a waiver of that signature. */
bool waiver_note(waiver_list *self, const char *signature, uint64_t findings);

/**
 * Judges one waiver after a run.
 * @param today     "YYYY-MM-DD".
 * @param complete  false when the run was cut short: then none is unused yet.
 * @param[out] sentence  what is wrong, or what it covered.
 */
waiver_state waiver_judge(const waiver *self, const char *today, bool complete,
                          tpu_message *sentence);

/** Waivers that do not hold: each fails the run. */
size_t waiver_faults(const waiver_list *self, const char *today, bool complete);

/** "holds", "expired", "exceeded", "unused"; NULL when out of range. */
const char *waiver_state_name(waiver_state state);

/** True for a day that exists, written YYYY-MM-DD. */
bool waiver_date_valid(const char *text);

/** Today in UTC. @param[out] text  WAIVER_DATE_SIZE characters. */
void waiver_date_today(char *text);

#endif
