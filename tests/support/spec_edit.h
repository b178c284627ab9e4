// SPDX-License-Identifier: Apache-2.0
//
// Single-point edits of the specification for the tests of specgen: the real file with one text
// replaced, and specgen run on it inside this process.

#ifndef SPEC_EDIT_H
#define SPEC_EDIT_H

#include "spec/specgen_run.h"

#include <stddef.h>

#define SPEC_EDIT_PATH 512
#define SPEC_EDIT_SAID 2048

/** A scratch directory with a copy of the specification, and what specgen last said. */
typedef struct spec_edit {
    char directory[SPEC_EDIT_PATH];
    char file[SPEC_EDIT_PATH];      /**< the copy */
    char said[SPEC_EDIT_SAID];      /**< stderr of the last run, cut when longer */
    char said_well[SPEC_EDIT_SAID]; /**< its stdout */
} spec_edit;

/** Makes the directory and copies the real specification there. */
void spec_edit_open(spec_edit *self);

/**
 * Replaces the one place at which `from` stands; stops the test when it stands nowhere or twice.
 * A '\n' in `from` or `to` matches a line feed.
 */
void spec_edit_replace(spec_edit *self, const char *from, const char *to);

/** Writes `text` as the whole specification. */
void spec_edit_text(spec_edit *self, const char *text, size_t size);

/** Runs specgen with one mode (--write or --check) on the copy; outputs go to the directory. */
int spec_edit_run(spec_edit *self, const char *mode, specgen_run_behaviour behaviour);

/** The text of the copy; the caller frees it. */
char *spec_edit_read(const char *file, size_t *size);

/** Removes the directory. */
void spec_edit_close(spec_edit *self);

#endif
