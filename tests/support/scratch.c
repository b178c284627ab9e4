// SPDX-License-Identifier: Apache-2.0
//
// In $TMPDIR, else where the C library keeps temporary files.

#define _XOPEN_SOURCE 700

#include "tests/support/scratch.h"

#include "base/status.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void scratch_make(char *path, size_t size) {
    const char *base = getenv("TMPDIR");
    (void)snprintf(path, size, "%s/tpu_scratch_XXXXXX", base != NULL ? base : P_tmpdir);
    TPU_CHECK(mkdtemp(path) != NULL, "a scratch directory can be made");
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status;
    (void)type;
    (void)at;
    (void)remove(path);
    return 0;
}

void scratch_remove(const char *path) {
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
