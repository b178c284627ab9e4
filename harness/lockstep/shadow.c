// SPDX-License-Identifier: Apache-2.0
//
// Plain arrays of rows.

#include "harness/lockstep/shadow.h"

#include <stdlib.h>
#include <string.h>

bool shadow_create(shadow *self, const uint8_t *from, size_t rows, size_t bytes) {
    self->rows = rows;
    self->bytes = bytes;
    self->now = calloc(rows, bytes);
    self->before = calloc(rows, bytes);
    self->written = calloc(rows, sizeof *self->written);
    self->again = calloc(rows, sizeof *self->again);
    self->loaded = calloc(rows, sizeof *self->loaded);
    bool good = self->now != NULL && self->before != NULL && self->written != NULL &&
                self->loaded != NULL && self->again != NULL;
    if (good && from != NULL) {
        memcpy(self->now, from, rows * bytes);
    }
    return good;
}

void shadow_clear(shadow *self) {
    free(self->now);
    free(self->before);
    free(self->written);
    free(self->again);
    free(self->loaded);
    *self = (shadow){.now = NULL};
}

void shadow_write(shadow *self, uint32_t row, const uint8_t *data, bool loaded) {
    if (row < self->rows) {
        uint8_t *at = self->now + row * self->bytes;
        memcpy(self->before + row * self->bytes, at, self->bytes);
        memcpy(at, data, self->bytes);
        self->again[row] = self->written[row];
        self->written[row] = true;
        self->loaded[row] = loaded;
    }
}

const uint8_t *shadow_row(const shadow *self, uint32_t row) {
    return row < self->rows ? self->now + row * self->bytes : NULL;
}

const uint8_t *shadow_row_before(const shadow *self, uint32_t row) {
    return row < self->rows ? self->before + row * self->bytes : NULL;
}
