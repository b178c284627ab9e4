// SPDX-License-Identifier: Apache-2.0
//
// One SQLite file of a campaign. All SQL of the project is in campaign_store.c and
// campaign_result.c; both see the handle through this header, which is for campaign*.c alone.
//
// plan     key, value: the identity
// state    key, value: "processes", how many share the units
// attempt  a unit was begun: worker, serial, unit, process, begun
// unit     a unit is finished: its numbers
// finding  unit, signature: what it found

#ifndef CAMPAIGN_STORE_H
#define CAMPAIGN_STORE_H

#include "base/status.h"
#include "harness/campaign/campaign_plan.h"
#include "harness/fuzz/fuzz.h"

#include <sqlite3.h>

#include <limits.h>
#include <stdint.h>

typedef struct campaign_store {
    sqlite3 *base;
    char path[PATH_MAX];
} campaign_store;

/** A finished unit. All borrowed. */
typedef struct campaign_outcome {
    campaign_unit unit;
    uint32_t worker;
    const char *commit;
    const fuzz_summary *sum;
} campaign_outcome;

/** Makes a file with a plan and nothing done; whole or not at all. */
tpu_status campaign_store_create(const char *path, const campaign_plan *plan,
                                 tpu_message *why) TPU_NODISCARD;

/**
 * Opens a file and looks it through.
 * @param[in,out] out  zeroed; campaign_store_close ends it, also after a failure.
 * @return TPU_OK; TPU_REFUSED when it is missing, damaged or of another version.
 */
tpu_status campaign_store_open(const char *path, campaign_store *out,
                               tpu_message *why) TPU_NODISCARD;

/** Safe on a zeroed one. */
void campaign_store_close(campaign_store *self);

/**
 * Completes a plan from the file; what the caller has given must be what the file says.
 * @return TPU_OK; TPU_REFUSED with the first key that contradicts.
 */
tpu_status campaign_store_plan(campaign_store *self, campaign_plan *plan,
                               tpu_message *why) TPU_NODISCARD;

/** How many processes share the units; 0 = nobody has said. */
tpu_status campaign_store_processes(campaign_store *self, uint32_t *out,
                                    tpu_message *why) TPU_NODISCARD;
tpu_status campaign_store_set_processes(campaign_store *self, uint32_t processes,
                                        tpu_message *why) TPU_NODISCARD;

/** Notes that a unit is begun. */
tpu_status campaign_store_begin(campaign_store *self, uint32_t worker, uint64_t unit,
                                tpu_message *why) TPU_NODISCARD;

/** Notes a finished unit, and that `next` (may be NULL) is begun, in one transaction. */
tpu_status campaign_store_finish(campaign_store *self, const campaign_outcome *outcome,
                                 const uint64_t *next, tpu_message *why) TPU_NODISCARD;

/** Sets finished[id] = 1 for every finished unit below `units`. */
tpu_status campaign_store_mark(campaign_store *self, uint8_t *finished, uint64_t units,
                               tpu_message *why) TPU_NODISCARD;

/** Reproducers that the file knows of with a signature. */
tpu_status campaign_store_reproducers(campaign_store *self, const char *signature, uint64_t *out,
                                      tpu_message *why) TPU_NODISCARD;

/** Runs SQL made as by sqlite3_mprintf. */
tpu_status campaign_store_exec(campaign_store *self, tpu_message *why, const char *fmt, ...);

/** Prepares a statement made as by sqlite3_mprintf. @param[out] out  given: sqlite3_finalize. */
tpu_status campaign_store_query(campaign_store *self, sqlite3_stmt **out, tpu_message *why,
                                const char *fmt, ...);

/** One step. @return TPU_OK; `row` is false at the end. */
tpu_status campaign_store_step(campaign_store *self, sqlite3_stmt *of, bool *row,
                               tpu_message *why) TPU_NODISCARD;

/** The status and sentence of SQLite's last failure on this file. */
tpu_status campaign_store_fail(campaign_store *self, tpu_message *why);

#endif
