// SPDX-License-Identifier: Apache-2.0
//
// The third opinion: what C must hold, found without the model. It shares no code with csim and
// reads no generated header: plain integers, and a decode table of its own written from the seed.
// Slow and obvious on purpose; it knows no stream, no memory contents and no cycle.

#ifndef ORACLE_H
#define ORACLE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/** The shape of the machine as far as the meaning of a program depends on it. */
typedef struct oracle_shape {
    uint32_t t;      /**< lanes of a row, and rows of a weight tile */
    uint32_t maxdim; /**< bytes from one row of A, B or C to the next */
} oracle_shape;

/**
 * C = saturate(A * B), or saturate(max(A * B, 0)) with `relu`: the triple loop.
 * @param a    borrowed, m rows of k, `lda` elements apart; likewise b (k rows of n)
 * @param[out] c  borrowed, m rows of n, `ldc` elements apart; cells outside are untouched
 */
void oracle_gemm(size_t m, size_t k, size_t n, const int8_t *a, size_t lda, const int8_t *b,
                 size_t ldb, int relu, int8_t *c, size_t ldc);

/**
 * What C holds after a legal program: each written cell is traced back through the last writer of
 * every row it depends on, to A and B.
 * @param words  borrowed instruction memory image, header included; `count` words
 * @param a      borrowed, maxdim * maxdim bytes; likewise b
 * @param[in,out] c  borrowed, maxdim * maxdim bytes: the contents before the run, then after it
 * @param[out] written  borrowed, maxdim * maxdim bytes: 1 where the program wrote, else 0; or NULL
 * @return TPU_OK; TPU_REFUSED when the program is not legal in a way that leaves a cell without a
 *         value (then c and written are untouched); TPU_ERR_MEMORY.
 */
tpu_status oracle_program(const oracle_shape *shape, const uint64_t *words, size_t count,
                          const int8_t *a, const int8_t *b, int8_t *c, uint8_t *written,
                          tpu_message *why) TPU_NODISCARD;

#endif
