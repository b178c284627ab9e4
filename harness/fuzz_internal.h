// SPDX-License-Identifier: Apache-2.0
//
// What fuzz.c (the loop) and fuzz_finding.c (what a finding leaves) share. Nobody else includes
// this.
//
// The seam for guidance: fuzz_case_make is the only place where a program comes from. A guided
// fuzzer replaces it by mutation of a corpus and learns from the verdict that fuzz_run has.

#ifndef FUZZ_INTERNAL_H
#define FUZZ_INTERNAL_H

#include "csim/isa/image.h"
#include "harness/fuzz.h"
#include "harness/lockstep.h"
#include "harness/stress_operands.h"

/** One program with all that its run depends on. */
typedef struct fuzz_case {
    isa_program program;
    image words;
    engine_timing timing;
    stress_operands_pick operands;
} fuzz_case;

/** Makes program `index` of a sequence. Reuses what `out` holds. */
tpu_status fuzz_case_make(const fuzz_options *options, const stress_operands *operands,
                          uint64_t sequence, uint32_t index, fuzz_case *out,
                          tpu_message *why) TPU_NODISCARD;

void fuzz_case_clear(fuzz_case *self);

/** The run of a case; everything is borrowed from it. */
void fuzz_case_job(const fuzz_options *options, const fuzz_case *from, uint32_t index,
                   lockstep_job *out);

/** Initial state of a sequence's engine. */
engine_config fuzz_case_config(const fuzz_options *options, uint64_t sequence);

/** Writes the directory of a new bucket: reproducer, program, report; shrinks it if it may. */
tpu_status fuzz_finding_save(const fuzz_options *options, const verdict *seen, fuzz_bucket *bucket,
                             double *shrink_left, tpu_message *why) TPU_NODISCARD;

#endif
