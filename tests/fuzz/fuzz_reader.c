// SPDX-License-Identifier: Apache-2.0
//
// The libFuzzer target of all readers; FUZZ_READER names the one. Built by ci/fuzz_readers with
// AddressSanitizer and UndefinedBehaviorSanitizer.

#include "tests/support/feed.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const feed_reader *reader;

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    const char *name = getenv("FUZZ_READER");
    (void)count;
    (void)arguments;
    reader = name != NULL ? feed_find(name) : NULL;
    if (reader == NULL) {
        (void)fprintf(stderr, "FUZZ_READER names no reader\n");
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)reader->give(data, size);
    return 0;
}
