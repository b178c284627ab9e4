// SPDX-License-Identifier: Apache-2.0
//
// Bytes from anywhere into one of the readers, for the libFuzzer targets of tests/fuzz and for the
// replay of their corpora: the answer is yes, or no with a sentence, and never anything else.

#ifndef FEED_H
#define FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A reader, and the bytes that are most worth trying on it. */
typedef struct feed_reader {
    const char *name; /**< of its corpus below tests/corpora */
    /** @return true: taken; false: refused. Stops the process on any other answer. */
    bool (*give)(const uint8_t *data, size_t size);
} feed_reader;

/** Ends with a name of NULL. */
extern const feed_reader feed_readers[];

/** A reader that refuses without a sentence: shows that this stops the process. */
void feed_stumble(const uint8_t *data, size_t size);

/** NULL when there is none of that name. */
const feed_reader *feed_find(const char *name);

#endif
