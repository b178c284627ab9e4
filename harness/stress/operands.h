// SPDX-License-Identifier: Apache-2.0
//
// Operand matrices for tests and benchmarks: seeded, in the distributions that find faults.

#ifndef OPERANDS_H
#define OPERANDS_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum operands_kind {
    OPERANDS_FULL,     /**< all of int8, its bounds in the first elements */
    OPERANDS_CORNER,   /**< mostly the bounds of int8 and their neighbours */
    OPERANDS_MID,      /**< -16 .. 16 */
    OPERANDS_SMALL,    /**< -4 .. 4 */
    OPERANDS_BOUNDARY, /**< products just below, at and above the bounds of int8; k >= 3 */
    OPERANDS_EQUAL,    /**< one value in all of A, one in all of B, often a bound */
    OPERANDS_ONE_HOT,  /**< one element a row is not zero */
    OPERANDS_KIND_COUNT
} operands_kind;

/** "full", ...; NULL when out of range. */
const char *operands_kind_name(operands_kind kind);

/**
 * Fills A (m rows of k) and B (k rows of n), both with row stride `stride` in regions of
 * stride * stride bytes. Everything outside the two is random, so that a wrong address shows.
 */
void operands_fill(operands_kind kind, uint64_t seed, uint32_t stride, uint32_t m, uint32_t k,
                   uint32_t n, uint8_t *a, uint8_t *b);

#endif
