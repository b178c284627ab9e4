// SPDX-License-Identifier: Apache-2.0
//
// A 64-bit fingerprint of a sequence of rows: order and contents count, timing does not. Not
// cryptographic.

#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGEST_START 0xCBF29CE484222325u

/** Takes one word; multiplies by an odd constant and folds the high half down. */
static inline uint64_t digest_word(uint64_t digest, uint64_t word) {
    uint64_t mixed = (digest ^ word) * 0x9E3779B97F4A7C15u;
    return mixed ^ (mixed >> 29);
}

/** Takes one row, its length included. */
static inline uint64_t digest_row(uint64_t digest, const uint8_t *row, size_t bytes) {
    digest = digest_word(digest, bytes);
    for (; bytes >= 8; row += 8, bytes -= 8) {
        uint64_t word = 0;
        memcpy(&word, row, sizeof word);
        digest = digest_word(digest, word);
    }
    if (bytes > 0) {
        uint64_t word = 0;
        memcpy(&word, row, bytes);
        digest = digest_word(digest, word);
    }
    return digest;
}

#endif
