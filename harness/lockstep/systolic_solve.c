// SPDX-License-Identifier: Apache-2.0
//
// Elimination modulo a prime: exact, without fractions, and the small solution that is wanted is
// the same as over the integers. Every solution is tried on all rows in plain integers afterwards.

#include "harness/lockstep/systolic_solve.h"

#include <stddef.h>
#include <stdlib.h>

#define PRIME 2147483647ull // 2^31 - 1

// Rows of activations with the error of the sum at their end, all modulo PRIME.
typedef struct equations {
    uint64_t *cell; // rows * (t + 1)
    uint32_t rows;
    uint32_t t;
} equations;

static uint64_t residue(int64_t value) {
    int64_t rest = value % (int64_t)PRIME;
    return (uint64_t)(rest < 0 ? rest + (int64_t)PRIME : rest);
}

static uint64_t inverse(uint64_t value) {
    uint64_t result = 1;
    for (uint64_t power = PRIME - 2; power != 0; power >>= 1) {
        if ((power & 1) != 0) {
            result = result * value % PRIME;
        }
        value = value * value % PRIME;
    }
    return result;
}

static uint64_t *row_of(const equations *self, uint32_t row) {
    return self->cell + (size_t)row * (self->t + 1);
}

static int64_t sum_of(const systolic_case *of, uint32_t r, uint32_t j) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < of->t; i++) {
        sum += of->a[(size_t)r * of->t + i] * of->w[(size_t)i * of->t + j];
    }
    return sum;
}

static void fill(equations *self, const systolic_case *of, uint32_t j) {
    for (uint32_t r = 0; r < self->rows; r++) {
        uint64_t *row = row_of(self, r);
        for (uint32_t i = 0; i < of->t; i++) {
            row[i] = residue(of->a[(size_t)r * of->t + i]);
        }
        row[of->t] = residue(of->got[(size_t)r * of->t + j] - sum_of(of, r, j));
    }
}

static void swap_rows(const equations *self, uint32_t one, uint32_t other) {
    uint64_t *left = row_of(self, one);
    uint64_t *right = row_of(self, other);
    for (uint32_t i = 0; i <= self->t; i++) {
        uint64_t kept = left[i];
        left[i] = right[i];
        right[i] = kept;
    }
}

// Clears column `i` in all rows but the pivot's, which gets a 1 there.
static void clear_column(const equations *self, uint32_t pivot, uint32_t i) {
    uint64_t *from = row_of(self, pivot);
    uint64_t factor = inverse(from[i]);
    for (uint32_t k = 0; k <= self->t; k++) {
        from[k] = from[k] * factor % PRIME;
    }
    for (uint32_t r = 0; r < self->rows; r++) {
        uint64_t *row = row_of(self, r);
        uint64_t times = row[i];
        for (uint32_t k = 0; r != pivot && times != 0 && k <= self->t; k++) {
            row[k] = (row[k] + (PRIME - times) * from[k]) % PRIME;
        }
    }
}

// False when the rows leave an unknown open.
static bool eliminate(const equations *self) {
    for (uint32_t i = 0; i < self->t; i++) {
        uint32_t pivot = i;
        while (pivot < self->rows && row_of(self, pivot)[i] == 0) {
            pivot++;
        }
        if (pivot == self->rows) {
            return false;
        }
        swap_rows(self, i, pivot);
        clear_column(self, i, i);
    }
    return true;
}

static bool explains(const systolic_case *of, const int32_t *off, uint32_t j) {
    for (uint32_t r = 0; r < of->seen; r++) {
        int64_t error = of->got[(size_t)r * of->t + j] - sum_of(of, r, j);
        for (uint32_t i = 0; i < of->t; i++) {
            error -= (int64_t)of->a[(size_t)r * of->t + i] * off[i];
        }
        if (error != 0) {
            return false;
        }
    }
    return true;
}

static void note_weight(const systolic_case *of, uint32_t i, uint32_t j, int32_t weight,
                        systolic_weights *out) {
    size_t at = (size_t)i * of->t + j;
    if (out->others++ == 0) {
        out->row = (int)i;
        out->col = (int)j;
    }
    out->before += of->w_before != NULL && of->w_before[at] == weight;
    out->after += of->w_after != NULL && of->w_after[at] == weight;
}

// What every weight of a column is off by.
static bool solve_column(const systolic_case *of, equations *space, int32_t *off, uint32_t j,
                         systolic_weights *out) {
    fill(space, of, j);
    if (!eliminate(space)) {
        return false;
    }
    for (uint32_t i = 0; i < of->t; i++) {
        uint64_t value = row_of(space, i)[of->t];
        off[i] = (int32_t)(value > PRIME / 2 ? (int64_t)value - (int64_t)PRIME : (int64_t)value);
        int64_t weight = (int64_t)of->w[(size_t)i * of->t + j] + off[i];
        if (weight < INT8_MIN || weight > INT8_MAX) {
            return false;
        }
    }
    if (!explains(of, off, j)) {
        return false;
    }
    for (uint32_t i = 0; i < of->t; i++) {
        if (off[i] != 0) {
            note_weight(of, i, j, of->w[(size_t)i * of->t + j] + off[i], out);
        }
    }
    return true;
}

bool systolic_solve(const systolic_case *of, systolic_weights *out) {
    equations space = {.rows = of->seen, .t = of->t};
    *out = (systolic_weights){.row = -1, .col = -1};
    if (of->seen < of->t) {
        return false;
    }
    space.cell = calloc((size_t)of->seen * (of->t + 1), sizeof *space.cell);
    int32_t *off = calloc(of->t, sizeof *off);
    bool good = space.cell != NULL && off != NULL;
    for (uint32_t j = 0; j < of->t && good; j++) {
        good = solve_column(of, &space, off, j, out);
    }
    free(space.cell);
    free(off);
    return good && out->others > 0;
}
