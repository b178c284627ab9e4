// SPDX-License-Identifier: Apache-2.0
//
// From the symptom of a failure to its cause, one step after another, in words: which row, which
// instruction, how far it reached, who is to blame and why, what it suggests, what to open.

#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "base/status.h"
#include "harness/replay/recording.h"
#include "harness/show/report.h"

#include <stddef.h>

#define EXPLAIN_STEPS 10

/** One step. */
typedef struct explain_step {
    const char *key; /**< "symptom", "row", ...; static */
    char *text;      /**< one or more lines, no line feed at the end; owned */
} explain_step;

/** All steps; end with explain_clear. */
typedef struct explain {
    explain_step step[EXPLAIN_STEPS];
    size_t count;
} explain;

/**
 * Makes the steps.
 * @param from     what was recorded around the difference; its verdict is the one explained.
 * @param[in,out] out  zeroed. @return TPU_OK or TPU_ERR_MEMORY.
 */
tpu_status explain_make(const recording *from, const report_context *context, explain *out,
                        tpu_message *why) TPU_NODISCARD;

void explain_clear(explain *self);

/** Numbered, for a person. @param[out] out  given, free(). */
tpu_status explain_text(const explain *self, const verdict *seen, const report_context *context,
                        char **out, tpu_message *why) TPU_NODISCARD;

/** For a script: {"verdict", "signature", "steps": [{"step", "says": [line, ...]}]}. */
tpu_status explain_json(const explain *self, const verdict *seen, const report_context *context,
                        char **out, tpu_message *why) TPU_NODISCARD;

#endif
