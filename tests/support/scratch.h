// SPDX-License-Identifier: Apache-2.0
//
// A directory of its own for a test that writes files.

#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

/** Makes an empty directory and writes its path; stops the test when it cannot. */
void scratch_make(char *path, size_t size);

/** Removes it and all that is in it. */
void scratch_remove(const char *path);

#endif
