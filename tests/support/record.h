// SPDX-License-Identifier: Apache-2.0
//
// An arch_sink that keeps every row of every stream, so that a test can ask for the n-th.

#ifndef RECORD_H
#define RECORD_H

#include "csim/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

#define RECORD_ROW_MAX 128

typedef struct record_stream {
    uint8_t *rows; /**< owned, RECORD_ROW_MAX bytes apart */
    size_t *bytes; /**< owned: length of each row */
    size_t count;
} record_stream;

/** Zero-initialise before use; ended by record_clear. */
typedef struct record {
    record_stream stream[TPU_STREAM_COUNT];
} record;

/** The sink; `user` is a record. */
void record_take(void *user, tpu_stream stream, const uint8_t *row, size_t bytes);

/** Rows seen on a stream. */
size_t record_count(const record *self, tpu_stream stream);

/** Rows seen on all streams. */
size_t record_total(const record *self);

/** Row `index` of a stream; fails the process when there is none. */
const uint8_t *record_row(const record *self, tpu_stream stream, size_t index);

/** Its length. */
size_t record_bytes(const record *self, tpu_stream stream, size_t index);

/** Little-endian number at `offset` of row `index`. */
uint64_t record_number(const record *self, tpu_stream stream, size_t index, size_t offset,
                       size_t bytes);

/** Forgets and releases everything. */
void record_clear(record *self);

#endif
