// SPDX-License-Identifier: Apache-2.0
//
// A copy of an on-chip memory that is brought up to date row by row, and remembers of each row what
// it held before its last write and whether there was one.

#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise; owns its arrays. */
typedef struct shadow {
    uint8_t *now;
    uint8_t *before; /**< what a row held before its last write */
    bool *written;   /**< since the start */
    bool *again;     /**< more than once */
    bool *loaded;    /**< what was written last was marked as loaded data */
    size_t rows;
    size_t bytes; /**< of a row */
} shadow;

/** @param from  contents at the start, borrowed; NULL = zeros. @return false: out of memory. */
bool shadow_create(shadow *self, const uint8_t *from, size_t rows, size_t bytes);

void shadow_clear(shadow *self);

/** A row beyond the end is dropped. */
void shadow_write(shadow *self, uint32_t row, const uint8_t *data, bool loaded);

/** Contents now and before; NULL beyond the end. */
const uint8_t *shadow_row(const shadow *self, uint32_t row);
const uint8_t *shadow_row_before(const shadow *self, uint32_t row);

#endif
