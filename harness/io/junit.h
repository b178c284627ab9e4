// SPDX-License-Identifier: Apache-2.0
//
// A JUnit XML file, which every CI service reads: one suite of cases.

#ifndef JUNIT_H
#define JUNIT_H

#include "base/status.h"
#include "harness/io/textbuf.h"

typedef enum junit_kind {
    JUNIT_PASSED,
    JUNIT_FAILED,  /**< the thing under test is wrong */
    JUNIT_ERROR,   /**< it could not be tested */
    JUNIT_SKIPPED, /**< known, or left out */
    JUNIT_KIND_COUNT
} junit_kind;

/** Zero-initialise; end with junit_write or junit_clear. */
typedef struct junit {
    textbuf cases;
    unsigned count[JUNIT_KIND_COUNT];
} junit;

/** Adds a case. @param seconds  it took. @param message  one sentence; NULL when it passed. */
void junit_add(junit *self, const char *name, double seconds, junit_kind kind, const char *message);

/** Writes the file, whole or not at all, and clears. */
tpu_status junit_write(junit *self, const char *suite, double seconds, const char *path,
                       tpu_message *why) TPU_NODISCARD;

void junit_clear(junit *self);

#endif
