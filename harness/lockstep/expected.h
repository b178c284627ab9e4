// SPDX-License-Identifier: Apache-2.0
//
// The model's side of a lockstep run: steps csim/arch on demand and keeps the rows it emits in one
// growable ring a stream, each row with the issue it belongs to. Compares nothing.

#ifndef EXPECTED_H
#define EXPECTED_H

#include "base/status.h"
#include "csim/arch/arch.h"
#include "csim/isa/params.h"
#include "harness/lockstep/lockstep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Rows kept behind the reading end, for the report's window. */
#define EXPECTED_HISTORY 2u

/** Number of an issue for rows that the header causes. */
#define EXPECTED_NO_ISSUE UINT32_MAX

typedef struct expected expected;

/** One row with its origin; `row` is borrowed until the next call on the owner. */
typedef struct expected_row {
    const uint8_t *row; /**< NULL = none */
    uint32_t issue;     /**< number of the issue, or EXPECTED_NO_ISSUE */
    uint32_t in_issue;  /**< row of this stream within the issue */
} expected_row;

/** @return NULL when out of memory. */
expected *expected_create(const tpu_params *params);

/** NULL-safe. */
void expected_destroy(expected *self);

/** See arch_set_memory. */
void expected_set_memory(expected *self, tpu_mem memory, const void *data, size_t bytes);

/** See arch_memory. */
const uint8_t *expected_memory(const expected *self, tpu_mem memory, size_t *bytes);

/** Drops all rows and starts a program. `hooks` (may be NULL) is borrowed for the run. */
tpu_status expected_start(expected *self, const uint64_t *words, size_t count,
                          const lockstep_hooks *hooks, tpu_message *why) TPU_NODISCARD;

/**
 * Takes the next row of a stream, stepping the model as needed. NULL = none is left, or the model
 * failed: see expected_failed.
 */
const uint8_t *expected_take(expected *self, tpu_stream stream);

/** The model's failure, TPU_OK when there was none. */
tpu_status expected_failed(const expected *self, tpu_message *why) TPU_NODISCARD;

/** Steps the model to the end of the program; the rows stay to be looked at. */
tpu_status expected_finish(expected *self, tpu_message *why) TPU_NODISCARD;

/**
 * A row by its index in the stream: the last taken ones (EXPECTED_HISTORY + 1 of them) and those
 * not taken yet; steps the model to reach it. `row` NULL = out of reach.
 */
expected_row expected_peek(expected *self, tpu_stream stream, uint64_t index);

/** Rows emitted so far, and rows taken. */
uint64_t expected_emitted(const expected *self, tpu_stream stream);
uint64_t expected_taken(const expected *self, tpu_stream stream);

/**
 * How many rows of a stream come no later than row `in_issue` of that issue; at least as many as
 * are out of reach of expected_peek. Looks at what is emitted, steps nothing.
 */
uint64_t expected_count(const expected *self, tpu_stream stream, uint32_t issue, uint32_t in_issue);

/** Steps the model to the first issue that is not taken; instructions fetched by then. */
uint64_t expected_fetches(expected *self);

/** What spad, vr or ar held when the program started; NULL for the other memories. */
const uint8_t *expected_initial(const expected *self, tpu_mem memory, size_t *bytes);

/** Bytes of a row of the stream. */
size_t expected_row_bytes(const expected *self, tpu_stream stream);

/** True when the program has written that packed word of C. */
bool expected_c_written(const expected *self, uint32_t dram_row, uint32_t col_block);

#endif
