// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the fuzzer share: fuzz.c (blind: program after program), guided.c (what an
// engine for guidance asks for), fuzz_loop.c (one program on one machine), fuzz_case.c (where a
// program comes from) and fuzz_finding.c (what a finding leaves). Nobody else includes this.

#ifndef FUZZ_INTERNAL_H
#define FUZZ_INTERNAL_H

#include "csim/isa/image.h"
#include "harness/fuzz/fuzz.h"
#include "harness/fuzz/tape.h"
#include "harness/lockstep/lockstep.h"
#include "harness/stress/stress_operands.h"

/** One program with all that its run depends on. */
typedef struct fuzz_case {
    isa_program program;
    image words;
    engine_timing timing;
    stress_operands_pick operands;
} fuzz_case;

/** Where the programs of a sequence come from; asked once more for what led to a finding. */
typedef struct fuzz_source {
    void *user; /**< borrowed, given back */
    tpu_status (*make)(void *user, const fuzz_options *options, const stress_operands *operands,
                       uint64_t sequence, uint32_t index, fuzz_case *out, tpu_message *why);
} fuzz_source;

/** From the seed. Makes program `index` of a sequence. Reuses what `out` holds. */
tpu_status fuzz_case_make(const fuzz_options *options, const stress_operands *operands,
                          uint64_t sequence, uint32_t index, fuzz_case *out,
                          tpu_message *why) TPU_NODISCARD;

/** Source that makes programs so. */
extern const fuzz_source fuzz_case_blind;

/** From a program of a tape. */
tpu_status fuzz_case_from_tape(const fuzz_options *options, const stress_operands *operands,
                               const tape_program *program, fuzz_case *out,
                               tpu_message *why) TPU_NODISCARD;

void fuzz_case_clear(fuzz_case *self);

/** The run of a case; everything is borrowed from it. */
void fuzz_case_job(const fuzz_options *options, const fuzz_case *from, uint32_t index,
                   lockstep_job *out);

/** Initial state of a sequence's engine. */
engine_config fuzz_case_config(const fuzz_options *options, uint64_t sequence);

/** Writes the directory of a new bucket: reproducer, program, report; shrinks it if it may. */
tpu_status fuzz_finding_save(const fuzz_options *options, const fuzz_source *source,
                             const verdict *seen, fuzz_bucket *bucket, double *shrink_left,
                             tpu_message *why) TPU_NODISCARD;

/** The bucket of a signature; NULL = there is none yet. */
fuzz_bucket *fuzz_find_bucket(fuzz_summary *sum, const char *signature);

/** A machine, and everything that programs run on it need. */
typedef struct fuzz_loop {
    const fuzz_options *options;
    const fuzz_watcher *watcher;
    fuzz_source source;
    fuzz_summary *sum;
    stress_operands *operands;
    fuzz_case now;   /**< the program that runs */
    coverage *cover; /**< NULL = not asked for */
    engine *device;
    lockstep *pair;
    verdict seen;
    engine_timing timing; /**< of the engine */
    double begin;         /**< s */
    double spent;         /**< processor time at the start, s */
    double shrink_left;
} fuzz_loop;

/** Everything is borrowed until fuzz_loop_end, which is due even after a failure. */
tpu_status fuzz_loop_start(fuzz_loop *self, const fuzz_options *options,
                           const fuzz_watcher *watcher, const fuzz_source *source,
                           fuzz_summary *out, tpu_message *why) TPU_NODISCARD;

/** Brings the summary up to date: times, coverage. */
void fuzz_loop_account(fuzz_loop *self);
void fuzz_loop_end(fuzz_loop *self);

/** True when time or programs are used up. */
bool fuzz_loop_is_over(const fuzz_loop *self);

/** A fresh engine with the initial state of a sequence, in place of the one before. */
tpu_status fuzz_loop_open(fuzz_loop *self, uint64_t sequence, tpu_message *why) TPU_NODISCARD;
void fuzz_loop_close(fuzz_loop *self);

/**
 * Makes and runs program `index` of the sequence and takes what it finds.
 * @param[out] go_on  false when the engine is spent.
 */
tpu_status fuzz_loop_run(fuzz_loop *self, uint64_t sequence, uint32_t index, bool *go_on,
                         tpu_message *why) TPU_NODISCARD;

/** Tells the watcher. @return false when it wants an end. */
bool fuzz_loop_report(fuzz_loop *self);

#endif
