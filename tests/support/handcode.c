// SPDX-License-Identifier: Apache-2.0
//
// Hand coding of instruction words.

#include "tests/support/handcode.h"

#include <string.h>

void handcode_start(handcode *self, const uint64_t header[8]) {
    memset(self, 0, sizeof *self);
    memcpy(self->word, header, 8 * sizeof *header);
    self->word[0] = 0;
    self->count = 8;
}

void handcode_add(handcode *self, unsigned op, unsigned nr, unsigned f0, unsigned f1, unsigned f2,
                  unsigned f3) {
    if (self->count + 2 > HANDCODE_WORDS_MAX) {
        return;
    }
    self->word[self->count] = (uint64_t)nr << 54 | (uint64_t)f3 << 42 | (uint64_t)f2 << 30 |
                              (uint64_t)f1 << 18 | (uint64_t)f0 << 6 | op;
    self->word[self->count + 1] = 0;
    self->count += 2;
    self->word[0]++;
}

void handcode_term(handcode *self, unsigned index, unsigned target, unsigned level,
                   unsigned stride) {
    uint64_t term = (uint64_t)stride << 7 | (uint64_t)level << 4 | target;
    self->word[self->count - 1] |= term << (19 * index);
}
