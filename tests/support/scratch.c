// SPDX-License-Identifier: Apache-2.0
//
// In $TMPDIR, else where the C library keeps temporary files.

#define _XOPEN_SOURCE 700

#include "tests/support/scratch.h"

#include "base/status.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void scratch_make(char *path, size_t size) {
    const char *base = getenv("TMPDIR");
    (void)snprintf(path, size, "%s/tpu_scratch_XXXXXX", base != NULL ? base : P_tmpdir);
    TPU_CHECK(mkdtemp(path) != NULL, "a scratch directory can be made");
}

void scratch_remove(const char *path) {
    char file[PATH_MAX];
    DIR *directory = opendir(path);
    struct dirent *entry = NULL;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        (void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        (void)unlink(file); // fails on "." and "..", as it should
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    (void)rmdir(path);
}
