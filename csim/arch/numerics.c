// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of the int8 configuration (spec/isa_spec.json#numerics). The only file of the
// model in which values are added, clipped or compared.

#include "csim/arch/numerics.h"

// Unsigned addition has no overflow; the conversion back keeps the bits (every C compiler that
// the project names does so).
int32_t numerics_wrap_add(int32_t left, int32_t right) {
    return (int32_t)((uint32_t)left + (uint32_t)right);
}

int32_t numerics_max0(int32_t value) {
    return value > 0 ? value : 0;
}

int8_t numerics_to_operand(int32_t value) {
    int32_t low = value < INT8_MIN ? INT8_MIN : value;
    return (int8_t)(low > INT8_MAX ? INT8_MAX : low);
}

void numerics_widen(const int8_t *weights, int16_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = weights[i];
    }
}

// No product exceeds 128 * 128, so 16 bits hold it exactly (and are what the compiler vectorises
// well); t stays below 2^16, so the sums cannot overflow. Inlined with a constant t below, so that
// the sums stay in vector registers.
static inline void product(const int8_t *restrict activation, const int16_t *restrict weights,
                           int32_t *restrict sums, size_t t) {
    for (size_t j = 0; j < t; j++) {
        sums[j] = 0;
    }
    for (size_t i = 0; i < t; i++) {
        int16_t tap = activation[i];
        for (size_t j = 0; j < t; j++) {
            int16_t exact = (int16_t)(tap * weights[i * t + j]);
            sums[j] += exact;
        }
    }
}

void numerics_row_product(const int8_t *activation, const int16_t *weights, int32_t *sums,
                          size_t t) {
    switch (t) {
    case 4:
        product(activation, weights, sums, 4);
        break;
    case 8:
        product(activation, weights, sums, 8);
        break;
    case 16:
        product(activation, weights, sums, 16);
        break;
    default:
        product(activation, weights, sums, t);
        break;
    }
}

void numerics_row_add(const int32_t *left, const int32_t *right, int32_t *out, size_t t) {
    for (size_t j = 0; j < t; j++) {
        out[j] = numerics_wrap_add(left[j], right[j]);
    }
}

void numerics_row_max0(int32_t *row, size_t t) {
    for (size_t j = 0; j < t; j++) {
        row[j] = numerics_max0(row[j]);
    }
}

void numerics_row_to_operand(const int32_t *row, int8_t *out, size_t t) {
    for (size_t j = 0; j < t; j++) {
        out[j] = numerics_to_operand(row[j]);
    }
}
