// SPDX-License-Identifier: Apache-2.0
//
// An opened engine with everything a command needs around it: lockstep, the reproducer that grows
// with every run, a second engine for timing, and the files of a failure.

#ifndef SESSION_H
#define SESSION_H

#include "base/status.h"
#include "harness/engine/engine.h"
#include "harness/lockstep/lockstep.h"
#include "harness/lockstep/verdict.h"
#include "harness/replay/reproducer.h"
#include "harness/show/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct session session;

/** What a session is opened with. Strings are borrowed for its life. */
typedef struct session_options {
    const char *engine; /**< "verilator", "systemc", "netlist" */
    engine_config config;
    uint64_t hang_limit;   /**< 0 = default */
    uint64_t seed;         /**< for the reports */
    const engine_api *api; /**< NULL = load the shared object of `engine` */
} session_options;

/** @return TPU_OK, TPU_REFUSED (no such engine), or what create says. */
tpu_status session_open(const session_options *options, session **out,
                        tpu_message *why) TPU_NODISCARD;

/** NULL-safe. */
void session_close(session *self);

/**
 * Throws the engine away and takes a fresh one; the reproducer starts anew. Where there can be only
 * one engine a process (SystemC's kernel is global) it is reset instead: memories and reproducer
 * stay, and after a run that was not OK it is refused.
 */
tpu_status session_renew(session *self, tpu_message *why) TPU_NODISCARD;

/** False when no run can follow any more: see session_renew. */
bool session_can_renew(const session *self);

/** Memory timing of the runs to come. */
tpu_status session_set_timing(session *self, const engine_timing *timing,
                              tpu_message *why) TPU_NODISCARD;

/** Runs a job to its verdict and notes it for the reproducer. hang_limit is filled in. */
void session_run(session *self, const char *name, const lockstep_job *job, verdict *out);

/** The machine's C after the last run; see lockstep_c. */
const uint8_t *session_c(const session *self);

/** The model's; see lockstep_model_c. */
const uint8_t *session_model_c(const session *self);

/** Cycles a second of a whole run, loading included; processor time, not the clock on the wall. */
typedef struct session_speed {
    double checked;
    double bare;
} session_speed;

/**
 * Runs the job checked and bare in turn for about `seconds` each, on engines of their own where
 * there can be several.
 * @return TPU_OK, or TPU_ERR_ENGINE when a run is not OK.
 */
tpu_status session_measure(session *self, const lockstep_job *job, double seconds,
                           session_speed *out, tpu_message *why) TPU_NODISCARD;

/** Writes a failure directory for the last run; see failure_write. `source` may be NULL. */
tpu_status session_save(session *self, const char *directory, const verdict *seen,
                        const char *source, tpu_message *why) TPU_NODISCARD;

/** Writes the reproducer alone. */
tpu_status session_save_reproducer(session *self, const char *path, const verdict *seen,
                                   tpu_message *why) TPU_NODISCARD;

/** Everything that ran since the engine was fresh; borrowed. */
const reproducer *session_reproducer(const session *self);

/** Borrowed. */
const engine_api *session_api(const session *self);
engine *session_engine(const session *self);

#endif
