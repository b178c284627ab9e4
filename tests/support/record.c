// SPDX-License-Identifier: Apache-2.0
//
// The recording sink.

#include "tests/support/record.h"

#include <stdlib.h>
#include <string.h>

static size_t capacity_for(size_t count) {
    size_t capacity = 16;
    while (capacity < count) {
        capacity *= 2;
    }
    return capacity;
}

void record_take(void *user, tpu_stream stream, const uint8_t *row, size_t bytes) {
    record_stream *at = &((record *)user)->stream[stream];
    TPU_CHECK(bytes <= RECORD_ROW_MAX, "a row is longer than the recorder keeps");
    size_t capacity = capacity_for(at->count + 1);
    at->rows = realloc(at->rows, capacity * RECORD_ROW_MAX);
    at->bytes = realloc(at->bytes, capacity * sizeof *at->bytes);
    TPU_CHECK(at->rows != NULL && at->bytes != NULL, "no memory for the recorder");
    memcpy(at->rows + at->count * RECORD_ROW_MAX, row, bytes);
    at->bytes[at->count++] = bytes;
}

size_t record_count(const record *self, tpu_stream stream) {
    return self->stream[stream].count;
}

size_t record_total(const record *self) {
    size_t total = 0;
    for (size_t i = 0; i < TPU_STREAM_COUNT; i++) {
        total += self->stream[i].count;
    }
    return total;
}

const uint8_t *record_row(const record *self, tpu_stream stream, size_t index) {
    TPU_CHECK(index < self->stream[stream].count, "the recorder has no such row");
    return self->stream[stream].rows + index * RECORD_ROW_MAX;
}

size_t record_bytes(const record *self, tpu_stream stream, size_t index) {
    TPU_CHECK(index < self->stream[stream].count, "the recorder has no such row");
    return self->stream[stream].bytes[index];
}

uint64_t record_number(const record *self, tpu_stream stream, size_t index, size_t offset,
                       size_t bytes) {
    const uint8_t *row = record_row(self, stream, index);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)row[offset + i] << (8 * i);
    }
    return value;
}

void record_clear(record *self) {
    for (size_t i = 0; i < TPU_STREAM_COUNT; i++) {
        free(self->stream[i].rows);
        free(self->stream[i].bytes);
    }
    *self = (record){0};
}
