// SPDX-License-Identifier: Apache-2.0
//
// Programs for tests, coded by hand from the instruction set's page: positions are plain numbers
// here, so that a test of a decoder does not use the encoder beside it.

#ifndef HANDCODE_H
#define HANDCODE_H

#include <stddef.h>
#include <stdint.h>

#define HANDCODE_WORDS_MAX 1024

/** An instruction memory image under construction. Plain data. */
typedef struct handcode {
    uint64_t word[HANDCODE_WORDS_MAX];
    size_t count;
} handcode;

/** Starts an image with this header; word 0 (the static count) is kept up to date by add. */
void handcode_start(handcode *self, const uint64_t header[8]);

/** Appends an instruction without terms. */
void handcode_add(handcode *self, unsigned op, unsigned nr, unsigned f0, unsigned f1, unsigned f2,
                  unsigned f3);

/** Sets term `index` of the last instruction. */
void handcode_term(handcode *self, unsigned index, unsigned target, unsigned level,
                   unsigned stride);

#endif
