// SPDX-License-Identifier: Apache-2.0
//
// One JSON file that holds everything a run needs to happen again, to the cycle: parameters, every
// program run on the engine so far with its operands, initial state, memory timing, and the
// verdict that was seen. Writing is temp + rename; reading refuses what it cannot trust.

#ifndef REPRODUCER_H
#define REPRODUCER_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "csim/isa/params.h"
#include "harness/engine/engine.h"
#include "harness/lockstep/lockstep.h"
#include "harness/lockstep/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPRODUCER_VERSION 1

/** One program run on the engine. Owns its arrays. */
typedef struct reproducer_run {
    char name[64];
    isa_program program;
    uint64_t *words;
    size_t word_count;
    bool checked; /**< false: the program is illegal and runs without the model */
    lockstep_gemm gemm;
    engine_timing timing;
    uint8_t *a; /**< params_region_bytes each */
    uint8_t *b;
    uint8_t *c;
} reproducer_run;

/** The file in memory. Zero-initialise, end with reproducer_clear. */
typedef struct reproducer {
    char engine[16];      /**< "verilator" */
    engine_config config; /**< parameters, initial state, watchdog; timing of the first run */
    uint64_t hang_limit;
    uint64_t seed; /**< from which the operands came; information only */
    reproducer_run *run;
    size_t run_count;
    verdict_signature expected; /**< of the last run; the ones before are OK */
    uint64_t expected_cycle;
    uint64_t expected_digest;
} reproducer;

void reproducer_clear(reproducer *self);

/** "random", "edge", ...; static storage, NULL when out of range. */
const char *reproducer_stall_name(engine_stall mode);

/** The job that runs a recorded run again; borrows everything from it. */
lockstep_job reproducer_job(const reproducer_run *run);

/**
 * Appends a run, copying everything of `job`.
 * @return TPU_OK or TPU_ERR_MEMORY (unchanged).
 */
tpu_status reproducer_add(reproducer *self, const char *name, const lockstep_job *job,
                          const engine_timing *timing, tpu_message *why) TPU_NODISCARD;

/** Forgets the runs, keeps the settings: for a fresh engine. */
void reproducer_forget(reproducer *self);

/** Notes what was seen in the last run. */
void reproducer_expect(reproducer *self, const verdict *seen);

/** Writes the file, whole or not at all. @return TPU_OK or TPU_ERR_IO, TPU_ERR_MEMORY. */
tpu_status reproducer_write(const reproducer *self, const char *path,
                            tpu_message *why) TPU_NODISCARD;

/**
 * Reads a file. `out` is untouched on failure.
 * @return TPU_OK; TPU_REFUSED when it is missing, damaged, cut short, newer than this program,
 *         of another spec, or contradicts itself.
 */
tpu_status reproducer_read(const char *path, reproducer *out, tpu_message *why) TPU_NODISCARD;

/** Who looks on while the last run is replayed. Borrowed; every member may be NULL or 0. */
typedef struct reproducer_watch {
    const char *wave;            /**< file for a waveform of all of it */
    const lockstep_hooks *hooks; /**< see lockstep_job */
    uint64_t after;
    /** Called once before it starts, with `hooks->user`: to open a trace later on. */
    void (*ready)(void *user, engine *device);
    /** Called once after a run that reached its end, likewise: to read counters. */
    void (*ended)(void *user, engine *device);
} reproducer_watch;

/**
 * Runs all of it on a fresh engine of `api`; stops at the first verdict that is not OK.
 * @param watch    of the last run; NULL = nobody looks on
 * @param[in,out] out  initialised; the last run's verdict.
 * @param[out] at      number of the run that gave it.
 */
void reproducer_replay(const reproducer *self, const engine_api *api, const reproducer_watch *watch,
                       verdict *out, size_t *at);

/** True when the verdict of run `at` is what the file says, to the cycle and digest. */
bool reproducer_same(const reproducer *self, const verdict *seen, size_t at);

#endif
