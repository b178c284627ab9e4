// SPDX-License-Identifier: Apache-2.0
//
// The int8 configuration of the spec's numerics, in one place: wrap, saturate, rectify and the
// order of accumulation. Scalar forms say the formula; row forms apply it to T lanes.

#ifndef NUMERICS_H
#define NUMERICS_H

#include <stddef.h>
#include <stdint.h>

/** Sum modulo 2^32, two's complement. @source spec/isa_spec.json#numerics accumulate */
int32_t numerics_wrap_add(int32_t left, int32_t right);

/** max(value, 0). @source spec/isa_spec.json#numerics elementwise vrelu */
int32_t numerics_max0(int32_t value);

/** Nearest value in -128 .. 127, no rounding. @source spec/isa_spec.json#numerics output */
int8_t numerics_to_operand(int32_t value);

/** Widens `count` weights once per mm, so that the row product needs no sign extension. */
void numerics_widen(const int8_t *weights, int16_t *out, size_t count);

/**
 * One activation row through the array: sums[j] = sum over i of activation[i] * weights[i*t + j],
 * added in ascending i.
 * @param activation  borrowed, t lanes
 * @param weights     borrowed, t rows of t lanes, row i = weight row i; int8 values
 * @param[out] sums   borrowed, t lanes, no overlap with the inputs
 */
void numerics_row_product(const int8_t *activation, const int16_t *weights, int32_t *sums,
                          size_t t);

/** out[j] = wrapping left[j] + right[j]; out may be either input. */
void numerics_row_add(const int32_t *left, const int32_t *right, int32_t *out, size_t t);

/** row[j] = max(row[j], 0). */
void numerics_row_max0(int32_t *row, size_t t);

/** out[j] = row[j] clipped to int8; no overlap. */
void numerics_row_to_operand(const int32_t *row, int8_t *out, size_t t);

#endif
