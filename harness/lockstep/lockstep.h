// SPDX-License-Identifier: Apache-2.0
//
// Runs a program on an engine and on the model at once and compares every event on the cycle in
// which the engine shows it. Drives, pairs and decides; it neither prints nor knows files.
//
//   engine --step--> probe --event--> compare <--row-- expected <--arch_step-- model
//
// The model is stepped only when a stream's queue of expected rows is empty, so memory stays flat
// however long the run is.

#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "csim/isa/params.h"
#include "harness/engine/engine.h"
#include "harness/lockstep/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lockstep lockstep;

typedef enum lockstep_level {
    LOCKSTEP_LEVEL_ARCH, /**< contents and order of every stream */
    LOCKSTEP_LEVEL_CYCLE /**< cycle numbers too: refused, no cycle model yet */
} lockstep_level;

typedef enum lockstep_mode {
    LOCKSTEP_MODE_CHECKED,
    LOCKSTEP_MODE_UNCHECKED, /**< engine alone, for illegal programs: done, fault or watchdog */
    LOCKSTEP_MODE_BARE       /**< engine alone, nothing looked at: the yardstick of the overhead */
} lockstep_mode;

/**
 * How much of a checked run is looked at. All but the first are what other harnesses do; they are
 * here to be measured against it (docs/detectors.md). A hang and a raised fault end every run.
 */
typedef enum lockstep_watch {
    LOCKSTEP_WATCH_EVERY, /**< every row of every stream, memories, C, oracle */
    LOCKSTEP_WATCH_ISSUE, /**< rows of the stream issue */
    LOCKSTEP_WATCH_END,   /**< final spad, vr, ar and C */
    LOCKSTEP_WATCH_C,     /**< final C */
    LOCKSTEP_WATCH_HANG,  /**< that the run ends */
    LOCKSTEP_WATCH_COUNT
} lockstep_watch;

/** What the program computes, when it is a plain GEMM; m = 0 = it is something else. */
typedef struct lockstep_gemm {
    uint32_t m;
    uint32_t k;
    uint32_t n;
    bool relu;
} lockstep_gemm;

/** A row as a stream wrote it and the one that the model expects there. Pointers are borrowed. */
typedef struct lockstep_row {
    uint64_t cycle;
    uint64_t index; /**< in its stream */
    const uint8_t *got;
    const uint8_t *expected; /**< NULL = the model has no row left */
    size_t bytes;
    uint32_t issue;    /**< number of the issue it belongs to; UINT32_MAX = the header's, or none */
    uint32_t in_issue; /**< row of this stream within the issue */
    tpu_stream stream;
} lockstep_row;

/** For tests of the detector and for onlookers; every member may be NULL or 0. */
typedef struct lockstep_hooks {
    void *user; /**< borrowed, given back to each function */
    /** May change a row that the model gave, before it is stored. */
    void (*expected_row)(void *user, tpu_stream stream, uint64_t index, uint8_t *row, size_t bytes);
    /** May change the model's final C. */
    void (*expected_c)(void *user, uint8_t *c, size_t bytes);
    /** Sees every cycle, also those after the first difference. */
    void (*cycle)(void *user, const probe *seen);
    /** Sees every row of the cycle that `cycle` saw, in the order of the data's way. */
    void (*row)(void *user, const lockstep_row *seen);
    uint32_t mute; /**< bit s: rows of stream s pass without being compared */
} lockstep_hooks;

/** One run. All pointers are borrowed until lockstep_run returns. */
typedef struct lockstep_job {
    lockstep_level level;
    lockstep_mode mode;
    const isa_program *program; /**< names the issues; NULL = no names */
    const uint64_t *words;      /**< imem image: header, then two words an instruction */
    size_t word_count;
    const uint8_t *a; /**< params_region_bytes each, row stride MAXDIM */
    const uint8_t *b;
    const uint8_t *c; /**< contents before the run */
    lockstep_gemm gemm;
    lockstep_watch watch;
    uint64_t hang_limit; /**< cycles without an event; 0 = LOCKSTEP_HANG_LIMIT */
    uint64_t after;      /**< cycles to go on behind a difference, for the onlookers */
    bool skip_oracle;    /**< ask the oracle only when something differs */
    const lockstep_hooks *hooks;
} lockstep_job;

#define LOCKSTEP_HANG_LIMIT 20000u

/** Where less than every event is watched, a run longer than this counts as a hang. */
#define LOCKSTEP_CYCLES_MAX 200000u

/**
 * Pairs an engine with a model.
 * @param api, device  borrowed until lockstep_destroy; `device` is at its first start or after a
 *                     run that ended.
 * @param params       what the engine is meant to be; compared with what it says.
 * @return TPU_OK or TPU_ERR_MEMORY.
 */
tpu_status lockstep_create(const engine_api *api, engine *device, const tpu_params *params,
                           lockstep **out, tpu_message *why) TPU_NODISCARD;

/** Ends the pair; the engine is the caller's. NULL-safe. */
void lockstep_destroy(lockstep *self);

/**
 * Runs one program to its verdict. Failures of the engine or of the harness become a verdict
 * ERROR or REFUSED with the sentence. After MISMATCH, HANG or ERROR the engine stands in the
 * middle of a run: destroy it. After OK the next run inherits the memories.
 * @param[in,out] out  initialised; cleared first.
 */
void lockstep_run(lockstep *self, const lockstep_job *job, verdict *out);

/** "every", "issue", "end", "c" or "hang"; NULL when out of range. */
const char *lockstep_watch_name(lockstep_watch watch);

/** @return TPU_OK or TPU_REFUSED with the names there are. */
tpu_status lockstep_watch_parse(const char *text, lockstep_watch *out,
                                tpu_message *why) TPU_NODISCARD;

/** The engine's C after the last run that reached its end; params_region_bytes long. */
const uint8_t *lockstep_c(const lockstep *self);

/** The model's C after the last checked run that was compared to its end. */
const uint8_t *lockstep_model_c(const lockstep *self);

#endif
