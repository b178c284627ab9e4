// SPDX-License-Identifier: Apache-2.0
//
// Seeded operands.

#include "harness/stress/operands.h"

#include <stddef.h>

static const char *const kind_names[OPERANDS_KIND_COUNT] = {"full",     "corner", "mid",    "small",
                                                            "boundary", "equal",  "one-hot"};

const char *operands_kind_name(operands_kind kind) {
    return (unsigned)kind < OPERANDS_KIND_COUNT ? kind_names[kind] : NULL;
}

static int8_t draw_corner(rng *source) {
    // Each value as often as it stands here.
    static const int8_t values[] = {-128, -128, -128, -128, -127, -127, -1, 0,
                                    1,    126,  126,  127,  127,  127,  127};
    return values[rng_below(source, sizeof values)];
}

static int8_t draw(operands_kind kind, rng *source) {
    switch (kind) {
    case OPERANDS_CORNER:
        return draw_corner(source);
    case OPERANDS_MID:
        return (int8_t)((int32_t)rng_below(source, 33) - 16);
    case OPERANDS_SMALL:
        return (int8_t)((int32_t)rng_below(source, 9) - 4);
    case OPERANDS_BOUNDARY:
    case OPERANDS_ONE_HOT:
        return 0;
    default:
        return (int8_t)((int32_t)rng_below(source, 256) - 128);
    }
}

static void fill_window(operands_kind kind, rng *source, uint32_t stride, uint32_t rows,
                        uint32_t columns, uint8_t *to) {
    const int8_t same = kind == OPERANDS_EQUAL ? draw_corner(source) : 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint8_t *at = to + (size_t)row * stride;
        for (uint32_t column = 0; column < columns; column++) {
            at[column] = (uint8_t)(kind == OPERANDS_EQUAL ? same : draw(kind, source));
        }
        if (kind == OPERANDS_ONE_HOT && columns > 0) {
            uint32_t hot = rng_below(source, columns);
            at[hot] = (uint8_t)draw(OPERANDS_FULL, source);
        }
    }
}

static void put(uint8_t *to, uint32_t stride, uint32_t row, uint32_t column, int32_t value) {
    to[(size_t)row * stride + column] = (uint8_t)(int8_t)value;
}

// Row i of A is (1, 1, i%5 - 2, 0 ...), column j of B halves of a target and 1: each result is a
// target off by at most two.
static void fill_boundary(uint32_t stride, uint32_t m, uint32_t k, uint32_t n, uint8_t *a,
                          uint8_t *b) {
    static const int16_t targets[] = {127, 128,  -128, -129, 0,   1,    -1,  126,
                                      129, -127, -130, 2,    200, -200, 254, -254};
    for (uint32_t row = 0; row < m && k >= 3; row++) {
        put(a, stride, row, 0, 1);
        put(a, stride, row, 1, 1);
        put(a, stride, row, 2, (int32_t)(row % 5) - 2);
    }
    for (uint32_t column = 0; column < n && k >= 3; column++) {
        int32_t target = targets[column % (sizeof targets / sizeof targets[0])];
        put(b, stride, 0, column, target / 2);
        put(b, stride, 1, column, target - target / 2);
        put(b, stride, 2, column, 1);
    }
}

void operands_fill(operands_kind kind, uint64_t seed, uint32_t stride, uint32_t m, uint32_t k,
                   uint32_t n, uint8_t *a, uint8_t *b) {
    rng source;
    rng_seed(&source, seed);
    rng_fill(&source, a, (size_t)stride * stride);
    rng_fill(&source, b, (size_t)stride * stride);
    fill_window(kind, &source, stride, m, k, a);
    fill_window(kind, &source, stride, k, n, b);
    if (kind == OPERANDS_BOUNDARY) {
        fill_boundary(stride, m, k, n, a, b);
    }
    if (kind == OPERANDS_FULL && k > 1) {
        put(a, stride, 0, 0, INT8_MIN);
        put(a, stride, 0, 1, INT8_MAX);
        put(b, stride, 0, 0, INT8_MIN);
        put(b, stride, 1, 0, INT8_MAX);
    }
}
