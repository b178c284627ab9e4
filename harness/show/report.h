// SPDX-License-Identifier: Apache-2.0
//
// Shows a verdict: one screen of text for a person, JSON for a script. Both are built in memory;
// the caller decides where they go.

#ifndef REPORT_H
#define REPORT_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "csim/isa/params.h"
#include "harness/lockstep/verdict.h"

#include <stdint.h>

/** What the verdict itself does not know. Every pointer is borrowed and may be NULL. */
typedef struct report_context {
    const char *name;           /**< of the program or run */
    const char *source;         /**< file of the program, for "file:line" */
    const char *engine;         /**< "verilator" */
    const tpu_params *params;   /**< never NULL */
    const isa_program *program; /**< text of the instructions */
    const uint64_t *words;      /**< raw words, image as loaded; word_count 0 = none */
    size_t word_count;
    uint64_t seed;
    const char *replay; /**< command that runs it again */
    const char *wave;   /**< trace file */
    const char *absent; /**< why there is no wave, timeline or page */
} report_context;

/** One screen. @param[out] out  given to the caller, free(). */
tpu_status report_screen(const verdict *result, const report_context *context, char **out,
                         tpu_message *why) TPU_NODISCARD;

/** The same as JSON text; 64-bit integers are strings. @param[out] out  given, free(). */
tpu_status report_json(const verdict *result, const report_context *context, char **out,
                       tpu_message *why) TPU_NODISCARD;

#endif
