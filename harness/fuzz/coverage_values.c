// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the lanes: sums at the edges of int8 and int32, results, and which kind of activation
// row meets which kind of weight tile.

#include "harness/fuzz/coverage_internal.h"

#include <stdio.h>

// What a row of int8 is like; the first that fits.
enum { ZERO, ONE_HOT, EQUAL, BOTH_ENDS, LOW_END, HIGH_END, SMALL, OTHER };

// Traits of a row or tile while it is looked at.
enum {
    SEES_LOW = 1,
    SEES_HIGH = 2,
    SEES_LARGE = 4,
    SEES_NONZERO = 8,
    SEES_MANY = 16,
    SEES_DIFF = 32
};

static const uint32_t writers[COVERAGE_OPS] = {0, 0, 0, 0, 2, 3, 4, 0};

void coverage_values_begin(coverage *self) {
    self->weight_rows = 0;
    self->weight_tiles = 0;
    self->weight_traits = 0;
    self->active_tiles = 0;
    self->wcol_started = false;
}

static uint32_t traits_of_row(const uint8_t *lanes, uint32_t count) {
    uint32_t out = 0;
    uint32_t nonzero = 0;
    for (uint32_t i = 0; i < count; i++) {
        int32_t value = (int8_t)lanes[i];
        out |= value == INT8_MIN ? SEES_LOW : value == INT8_MAX ? SEES_HIGH : 0u;
        out |= value > 2 || value < -2 ? SEES_LARGE : 0u;
        out |= lanes[i] != lanes[0] ? SEES_DIFF : 0u;
        nonzero += value != 0;
    }
    return out | (nonzero > 0 ? SEES_NONZERO : 0u) | (nonzero > 1 ? SEES_MANY : 0u);
}

static uint32_t kind_of(uint32_t traits) {
    if ((traits & SEES_NONZERO) == 0) {
        return ZERO;
    }
    if ((traits & SEES_MANY) == 0) {
        return ONE_HOT;
    }
    if ((traits & SEES_DIFF) == 0) {
        return EQUAL;
    }
    switch (traits & (SEES_LOW | SEES_HIGH)) {
    case SEES_LOW | SEES_HIGH:
        return BOTH_ENDS;
    case SEES_LOW:
        return LOW_END;
    case SEES_HIGH:
        return HIGH_END;
    default:
        return (traits & SEES_LARGE) != 0 ? OTHER : SMALL;
    }
}

// The first row of wcol is of the header; then the row count of an mm and T rows of weights.
static void take_weights(coverage *self, const uint8_t *row) {
    if (!self->wcol_started) {
        self->wcol_started = true;
        return;
    }
    if (self->weight_rows > 0) {
        self->weight_traits |= traits_of_row(row, self->params.t);
    }
    self->weight_rows++;
    if (self->weight_rows == self->params.t + 1) {
        self->weight_kind[self->weight_tiles++ % COVERAGE_HELD_MAX] =
            (uint8_t)kind_of(self->weight_traits);
        self->weight_rows = 0;
        self->weight_traits = 0;
    }
}

static void take_activations(coverage *self, const uint8_t *row, const coverage_word *word) {
    uint32_t tile = self->active_tiles;
    if (tile < self->weight_tiles && self->weight_tiles - tile <= COVERAGE_HELD_MAX) {
        uint32_t at = kind_of(traits_of_row(row, self->params.t)) * COVERAGE_ROW_KINDS +
                      self->weight_kind[tile % COVERAGE_HELD_MAX];
        coverage_mark(self, COVERAGE_BASE_OPERAND + at * 2 + (word->accumulate & 1u));
    }
    self->active_tiles += word->left == 0; // counted already: this was its last row
}

static uint32_t class_of_sum(int32_t value) {
    static const int32_t limits[COVERAGE_WIDE - 1] = {-(1 << 30), -129, -128, -127, 0,
                                                      1,          127,  128,  129,  1 << 30};
    uint32_t at = 0;
    if (value >= -127 && value < 127) { // most are
        return 4u + (value >= 0) + (value > 0);
    }
    while (at < COVERAGE_WIDE - 1 && value >= limits[at]) {
        at++;
    }
    return at;
}

static uint32_t place_of(uint32_t lane, uint32_t lanes) {
    return lane == 0 ? 0 : lane + 1 == lanes ? 1 : 2;
}

static int32_t word32(const uint8_t *at) {
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

static void take_sums(coverage *self, const uint8_t *lanes, const coverage_word *word) {
    uint32_t writer =
        word->op == coverage_op(TPU_OP_MM) ? word->accumulate & 1u : writers[word->op];
    for (uint32_t i = 0; i < self->params.t; i++) {
        uint32_t at = writer * COVERAGE_WIDE + class_of_sum(word32(lanes + (size_t)4 * i));
        coverage_mark(self, COVERAGE_BASE_SUM + at * 3 + place_of(i, self->params.t));
    }
}

static void take_results(coverage *self, const uint8_t *lanes) {
    for (uint32_t i = 0; i < self->params.t; i++) {
        int32_t value = (int8_t)lanes[i];
        uint32_t at = value == INT8_MIN  ? 0
                      : value < 0        ? 1
                      : value == 0       ? 2
                      : value < INT8_MAX ? 3
                                         : 4;
        coverage_mark(self, COVERAGE_BASE_RESULT + at * 3 + place_of(i, self->params.t));
    }
}

void coverage_values_row(coverage *self, tpu_stream stream, const uint8_t *row,
                         const coverage_word *word) {
    const uint8_t *lanes = row + tpu_streams[stream].head_bytes;
    switch (stream) {
    case TPU_STREAM_WCOL:
        take_weights(self, lanes);
        return;
    case TPU_STREAM_ACOL:
        if (word != NULL) {
            take_activations(self, lanes, word);
        }
        return;
    case TPU_STREAM_AR_WRITE_MM:
    case TPU_STREAM_AR_WRITE_ALU:
        if (word != NULL) {
            take_sums(self, lanes, word);
        }
        return;
    case TPU_STREAM_AC2SP:
        take_results(self, lanes);
        return;
    default:
        return;
    }
}

// ---- names -------------------------------------------------------------------------------------

static const char *const lane_places[3] = {"in the first lane", "in the last lane",
                                           "in a lane between"};

static void name_sum(uint32_t at, char *text, size_t size) {
    static const char *const makers[5] = {"mm", "mm with acc", "vadd", "vaddrelu", "vrelu"};
    static const char *const sums[COVERAGE_WIDE] = {
        "below -2^30", "-2^30 .. -130", "-129", "-128",        "-127 .. -1",  "0",
        "1 .. 126",    "127",           "128",  "129 .. 2^30", "2^30 or more"};
    (void)snprintf(text, size, "%s writes %s %s", makers[at / 3 / COVERAGE_WIDE],
                   sums[at / 3 % COVERAGE_WIDE], lane_places[at % 3]);
}

void coverage_values_name(coverage_group group, uint32_t at, char *text, size_t size) {
    static const char *const results[COVERAGE_NARROW] = {"-128", "-127 .. -1", "0", "1 .. 126",
                                                         "127"};
    static const char *const kinds[COVERAGE_ROW_KINDS] = {
        "all zero",  "one-hot",  "all equal",  "with -128 and 127",
        "with -128", "with 127", "of -2 .. 2", "of other numbers"};
    switch (group) {
    case COVERAGE_SUM:
        name_sum(at, text, size);
        return;
    case COVERAGE_RESULT:
        (void)snprintf(text, size, "mvout gives %s %s", results[at / 3], lane_places[at % 3]);
        return;
    default:
        (void)snprintf(text, size, "activations %s, weights %s, %s",
                       kinds[at / 2 / COVERAGE_ROW_KINDS], kinds[at / 2 % COVERAGE_ROW_KINDS],
                       (at % 2) != 0 ? "acc" : "no acc");
    }
}
