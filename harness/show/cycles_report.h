// SPDX-License-Identifier: Apache-2.0
//
// Shows an account of cycles: tables for a person, JSON for a script.

#ifndef CYCLES_REPORT_H
#define CYCLES_REPORT_H

#include "base/status.h"
#include "harness/lockstep/verdict.h"
#include "harness/show/cycles.h"

#include <stdbool.h>
#include <stdint.h>

/** What the account itself does not know. Pointers are borrowed. */
typedef struct cycles_report_context {
    const char *name;      /**< of the run; NULL = none */
    const verdict *seen;   /**< never NULL */
    uint64_t ideal;        /**< cycles that the program needs at least; 0 = not known */
    bool list_path;        /**< the critical path step by step, not only its sums */
    const char *directory; /**< where the timeline files are; NULL = nowhere */
} cycles_report_context;

/** @param[out] out  given, free(). */
tpu_status cycles_report_screen(const cycles *account, const cycles_report_context *context,
                                char **out, tpu_message *why) TPU_NODISCARD;

/** The same as JSON text; 64-bit integers are strings. @param[out] out  given, free(). */
tpu_status cycles_report_json(const cycles *account, const cycles_report_context *context,
                              char **out, tpu_message *why) TPU_NODISCARD;

#endif
