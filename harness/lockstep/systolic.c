// SPDX-License-Identifier: Apache-2.0
//
// A theory is one kind of fault in one place: one processing element, or all of them alike. It is
// tried by computing the sums with that fault in place. Theories are few (some hundred for each
// row of the array), and most are dropped at the first sum.

#include "harness/lockstep/systolic.h"

#include "harness/lockstep/systolic_solve.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define EVERYWHERE (-1)

typedef enum theory_kind {
    WEIGHT_BEFORE,  // the weight of the mm before
    WEIGHT_AFTER,   // the weight of the mm after
    WEIGHT_LATE,    // the first row still meets the weight of the mm before
    WEIGHT_EARLY,   // the last row already meets the weight of the mm after
    WEIGHT_SWAPPED, // lanes of the weight rows in reverse order
    WEIGHT_TURNED,  // rows and columns of the weights exchanged
    WEIGHT_NATURAL, // the weight taken as unsigned
    WEIGHT_VALUE,   // another weight: `value`
    WEIGHT_ROW,     // other weights in one row, from a column on to the east: see row_stands
    ACT_SWAPPED,    // activation lanes in reverse order; weight rows in reverse give the same sums
    ACT_BEFORE,     // the activation of the row before
    ACT_AFTER,      // the activation of the row after
    ACT_NATURAL,    // the activation taken as unsigned
    ACT_ZERO,       // no activation
    ACT_BIT,        // one bit of the activation stands still: see `value`
    PRODUCT_CUT,    // the product keeps its low `value` bits
    PRODUCT_MINUS,  // the product is subtracted
    PRODUCT_BIT,    // one bit of the product stands still
    SUM_CUT,        // the sum keeps its low `value` bits, with their sign
    SUM_NATURAL,    // the sum keeps its low `value` bits, without a sign
    SUM_START,      // the sum of the row above is left out
    SUM_BIT,        // one bit of the sum stands still
    THEORY_KINDS
} theory_kind;

// ACT_BIT, PRODUCT_BIT, SUM_BIT: value = 2 * bit + level.
typedef struct theory {
    theory_kind kind;
    int row; // of the processing element, EVERYWHERE = all
    int col;
    int32_t value;
} theory;

static bool is_activation(theory_kind kind) {
    return kind >= ACT_SWAPPED && kind <= ACT_BIT;
}

// An activation goes on to the east, so what is wrong in it is wrong in all columns from there.
static bool applies(const theory *what, int row, int col) {
    if (what->row == EVERYWHERE) {
        return true;
    }
    bool column = is_activation(what->kind) ? col >= what->col : col == what->col;
    return row == what->row && column;
}

static int32_t hold_bit(int32_t value, int32_t which) {
    uint32_t mask = 1u << (which / 2);
    uint32_t bits = (uint32_t)value;
    return (int32_t)((which & 1) != 0 ? bits | mask : bits & ~mask);
}

static int32_t keep_low(int32_t value, int32_t bits, bool sign) {
    uint32_t mask = (1u << bits) - 1;
    uint32_t low = (uint32_t)value & mask;
    bool negative = sign && (low >> (bits - 1) & 1u) != 0;
    return (int32_t)(negative ? low | ~mask : low);
}

// Weights of another mm that is not there read as the right ones: the theory then explains nothing.
static int32_t weight_of(const systolic_case *of, const theory *what, uint32_t r, uint32_t i,
                         uint32_t j) {
    const uint32_t t = of->t;
    const int32_t right = of->w[i * t + j];
    switch (what->kind) {
    case WEIGHT_BEFORE:
        return of->w_before != NULL ? of->w_before[i * t + j] : right;
    case WEIGHT_AFTER:
        return of->w_after != NULL ? of->w_after[i * t + j] : right;
    case WEIGHT_LATE:
        return r == 0 && of->w_before != NULL ? of->w_before[i * t + j] : right;
    case WEIGHT_EARLY:
        return r + 1 == of->rows && of->w_after != NULL ? of->w_after[i * t + j] : right;
    case WEIGHT_SWAPPED:
        return of->w[i * t + (t - 1 - j)];
    case WEIGHT_TURNED:
        return of->w[j * t + i];
    case WEIGHT_NATURAL:
        return (uint8_t)right;
    case WEIGHT_VALUE:
        return what->value;
    default:
        return right;
    }
}

static int32_t activation_before(const systolic_case *of, uint32_t r, uint32_t i) {
    if (r > 0) {
        return of->a[(r - 1) * of->t + i];
    }
    return of->a_before != NULL ? of->a_before[i] : of->a[i];
}

static int32_t activation_of(const systolic_case *of, const theory *what, uint32_t r, uint32_t i) {
    const uint32_t t = of->t;
    const int32_t right = of->a[r * t + i];
    switch (what->kind) {
    case ACT_SWAPPED:
        return of->a[r * t + (t - 1 - i)];
    case ACT_BEFORE:
        return activation_before(of, r, i);
    case ACT_AFTER:
        return r + 1 < of->rows ? of->a[(r + 1) * t + i] : right;
    case ACT_NATURAL:
        return (uint8_t)right;
    case ACT_ZERO:
        return 0;
    case ACT_BIT:
        return (int8_t)hold_bit(right, what->value);
    default:
        return right;
    }
}

static int32_t product_of(const theory *what, int32_t product) {
    switch (what->kind) {
    case PRODUCT_CUT:
        return keep_low(product, what->value, true);
    case PRODUCT_MINUS:
        return -product;
    case PRODUCT_BIT:
        return (int16_t)hold_bit(product, what->value);
    default:
        return product;
    }
}

static int32_t sum_of(const theory *what, int32_t north, int32_t product) {
    const int32_t sum = (int32_t)((uint32_t)north + (uint32_t)product);
    switch (what->kind) {
    case SUM_CUT:
        return keep_low(sum, what->value, true);
    case SUM_NATURAL:
        return keep_low(sum, what->value, false);
    case SUM_START:
        return product;
    case SUM_BIT:
        return hold_bit(sum, what->value);
    default:
        return sum;
    }
}

// The sum of row r that leaves column j when the theory is true.
static int32_t predict(const systolic_case *of, const theory *what, uint32_t r, uint32_t j) {
    static const theory none = {.kind = THEORY_KINDS};
    int32_t sum = 0;
    for (uint32_t i = 0; i < of->t; i++) {
        const theory *here = applies(what, (int)i, (int)j) ? what : &none;
        int32_t product = activation_of(of, here, r, i) * weight_of(of, here, r, i, j);
        sum = sum_of(here, sum, product_of(here, product));
    }
    return sum;
}

static bool stands(const systolic_case *of, const theory *what) {
    for (uint32_t r = 0; r < of->seen; r++) {
        for (uint32_t j = 0; j < of->t; j++) {
            if (predict(of, what, r, j) != of->got[r * of->t + j]) {
                return false;
            }
        }
    }
    return true;
}

// ---- the search ---------------------------------------------------------------------------------

// Which columns are wrong, and the first row of the first of them that is.
typedef struct columns_wrong {
    int first;
    int last;
    uint32_t row;
} columns_wrong;

static columns_wrong find_columns(const systolic_case *of) {
    static const theory none = {.kind = THEORY_KINDS, .row = EVERYWHERE};
    columns_wrong out = {.first = -1, .last = -1};
    for (uint32_t j = 0; j < of->t; j++) {
        for (uint32_t r = 0; r < of->seen; r++) {
            if (predict(of, &none, r, j) != of->got[r * of->t + j]) {
                out.row = out.first < 0 ? r : out.row;
                out.first = out.first < 0 ? (int)j : out.first;
                out.last = (int)j;
                break;
            }
        }
    }
    return out;
}

// Theories that stand, in ranks: one element by a theory without a number in it, one element by a
// number that was fitted to the rows, and all elements alike. The first rank that has any counts.
typedef enum rank { RANK_PLAIN, RANK_FITTED, RANK_ALIKE, RANKS } rank;

typedef struct search {
    const systolic_case *of;
    systolic_answer *out;
    columns_wrong wrong;
    theory first[RANKS];
    unsigned count[RANKS];
    bool several[RANKS]; // they name more than one element
} search;

static bool has_number(theory_kind kind) {
    switch (kind) {
    case WEIGHT_VALUE:
    case ACT_BIT:
    case PRODUCT_CUT:
    case PRODUCT_BIT:
    case SUM_CUT:
    case SUM_NATURAL:
    case SUM_BIT:
        return true;
    default:
        return false;
    }
}

static void accept(search *self, const theory *what, rank in) {
    const theory *first = &self->first[in];
    if (self->count[in]++ == 0) {
        self->first[in] = *what;
    } else {
        self->several[in] = self->several[in] || what->row != first->row || what->col != first->col;
    }
    self->out->theories++;
}

static void try_theory(search *self, theory_kind kind, int row, int col, int32_t value) {
    const theory what = {.kind = kind, .row = row, .col = col, .value = value};
    // A wrong sum first: nearly every theory ends there.
    const uint32_t r = self->wrong.row;
    const uint32_t j = (uint32_t)self->wrong.first;
    if (predict(self->of, &what, r, j) == self->of->got[r * self->of->t + j] &&
        stands(self->of, &what)) {
        accept(self, &what,
               row == EVERYWHERE  ? RANK_ALIKE
               : has_number(kind) ? RANK_FITTED
                                  : RANK_PLAIN);
    }
}

// Every kind that has no number, and the numbers of those that have one.
static void try_kinds(search *self, theory_kind from, theory_kind to, int row, int col) {
    for (theory_kind kind = from; kind <= to; kind++) {
        int32_t low = 0;
        int32_t high = 0;
        switch (kind) {
        case WEIGHT_VALUE:
        case WEIGHT_ROW:
            continue;
        case ACT_BIT:
            high = 15;
            break;
        case PRODUCT_CUT:
            low = 7;
            high = 15;
            break;
        case PRODUCT_BIT:
            high = 31;
            break;
        case SUM_CUT:
        case SUM_NATURAL:
            low = 8;
            high = 31;
            break;
        case SUM_BIT:
            high = 63;
            break;
        default:
            break;
        }
        for (int32_t value = low; value <= high; value++) {
            try_theory(self, kind, row, col, value);
        }
    }
}

// The weight that would explain the first wrong row in which the element has something to do.
static bool solve_weight(const systolic_case *of, int row, int col, int32_t *weight) {
    static const theory none = {.kind = THEORY_KINDS, .row = EVERYWHERE};
    for (uint32_t r = 0; r < of->seen; r++) {
        const int32_t a = of->a[r * of->t + (uint32_t)row];
        const int64_t error =
            (int64_t)of->got[r * of->t + (uint32_t)col] - predict(of, &none, r, (uint32_t)col);
        if (error == 0 || a == 0) {
            continue;
        }
        const int64_t value = error / a + of->w[(uint32_t)row * of->t + (uint32_t)col];
        *weight = (int32_t)value;
        return error % a == 0 && value >= INT8_MIN && value <= INT8_MAX;
    }
    return false;
}

static void try_weight(search *self, int row, int col) {
    int32_t weight = 0;
    if (solve_weight(self->of, row, col, &weight)) {
        try_theory(self, WEIGHT_VALUE, row, col, weight);
    }
}

static bool column_stands(const systolic_case *of, const theory *what, uint32_t j) {
    for (uint32_t r = 0; r < of->seen; r++) {
        if (predict(of, what, r, j) != of->got[r * of->t + j]) {
            return false;
        }
    }
    return true;
}

// One row of the array with other weights from some column on, each column for itself: a swap that
// is lost on its way east. Which weights these are the sums say; nothing has to be known of them.
static bool row_stands(const systolic_case *of, int row, const columns_wrong *wrong) {
    static const theory none = {.kind = THEORY_KINDS, .row = EVERYWHERE};
    for (int col = wrong->first; col <= wrong->last; col++) {
        theory what = {.kind = WEIGHT_VALUE, .row = row, .col = col};
        if (column_stands(of, &none, (uint32_t)col)) {
            continue;
        }
        if (!solve_weight(of, row, col, &what.value) || !column_stands(of, &what, (uint32_t)col)) {
            return false;
        }
    }
    return true;
}

static void search_rows(search *self, const columns_wrong *wrong) {
    for (int row = 0; row < (int)self->of->t && wrong->first != wrong->last; row++) {
        if (row_stands(self->of, row, wrong)) {
            const theory what = {.kind = WEIGHT_ROW, .row = row, .col = wrong->first};
            accept(self, &what, RANK_FITTED);
        }
    }
}

static void search_elements(search *self, const columns_wrong *wrong) {
    for (int row = 0; row < (int)self->of->t; row++) {
        if (wrong->first == wrong->last) {
            try_kinds(self, WEIGHT_BEFORE, WEIGHT_EARLY, row, wrong->first);
            try_weight(self, row, wrong->first);
        }
        try_kinds(self, ACT_BEFORE, ACT_BIT, row, wrong->first);
        if (wrong->first == wrong->last) {
            try_kinds(self, PRODUCT_CUT, SUM_BIT, row, wrong->first);
        }
    }
}

// ---- in words -----------------------------------------------------------------------------------

static void say_place(const theory *what, char *text, size_t size) {
    if (what->row == EVERYWHERE) {
        (void)snprintf(text, size, "every PE");
    } else {
        (void)snprintf(text, size, "PE(%d,%d)", what->row, what->col);
    }
}

static const char *plain_words(theory_kind kind) {
    static const char *const words[THEORY_KINDS] = {
        [WEIGHT_BEFORE] = "still multiplies by the weight of the mm before",
        [WEIGHT_AFTER] = "already multiplies by the weight of the mm after",
        [WEIGHT_LATE] = "takes its weight one row late",
        [WEIGHT_EARLY] = "takes the weight of the next mm one row early",
        [WEIGHT_SWAPPED] = "has the weight of the opposite column: lanes of wcol in reverse",
        [WEIGHT_ROW] = "and those to its east multiply by other weights: a swap got lost there",
        [WEIGHT_TURNED] = "has the weight of row and column exchanged",
        [WEIGHT_NATURAL] = "takes its weight as unsigned",
        [ACT_SWAPPED] = "meets the opposite lane: lanes of acol or rows of wcol in reverse",
        [ACT_BEFORE] = "sees the activation of the row before",
        [ACT_AFTER] = "sees the activation of the row after",
        [ACT_NATURAL] = "takes the activation as unsigned",
        [ACT_ZERO] = "sees no activation: its row adds nothing",
        [PRODUCT_MINUS] = "subtracts its product",
        [SUM_START] = "leaves out the partial sum from above"};
    return words[kind];
}

static void say_number(const theory *what, const systolic_case *of, const char *where,
                       tpu_message *out) {
    const int value = what->value;
    const char *level = (value & 1) != 0 ? "1" : "0";
    switch (what->kind) {
    case WEIGHT_VALUE:
        (void)status_fail(out, TPU_OK, "%s multiplies by %d instead of its weight %d", where, value,
                          of->w[(uint32_t)what->row * of->t + (uint32_t)what->col]);
        break;
    case ACT_BIT:
        (void)status_fail(out, TPU_OK, "%s sees bit %d of the activation as %s", where, value / 2,
                          level);
        break;
    case PRODUCT_BIT:
        (void)status_fail(out, TPU_OK, "%s: bit %d of the product is always %s", where, value / 2,
                          level);
        break;
    case SUM_BIT:
        (void)status_fail(out, TPU_OK, "%s: bit %d of the partial sum is always %s", where,
                          value / 2, level);
        break;
    case PRODUCT_CUT:
        (void)status_fail(out, TPU_OK, "%s keeps only the low %d bits of its product", where,
                          value);
        break;
    default:
        (void)status_fail(out, TPU_OK, "%s keeps only the low %d bits of the partial sum%s", where,
                          value, what->kind == SUM_NATURAL ? ", without the sign" : "");
        break;
    }
}

// `open`: the rows would let others be at fault as well.
static void say(const theory *what, const systolic_case *of, bool open, tpu_message *out) {
    char name[24];
    char where[40];
    say_place(what, name, sizeof name);
    (void)snprintf(where, sizeof where, "%s%s", open ? "perhaps " : "", name);
    const char *words = plain_words(what->kind);
    if (words != NULL) {
        (void)status_fail(out, TPU_OK, "%s %s", where, words);
    } else {
        say_number(what, of, where, out);
    }
}

// No theory stands: several elements, each with a weight of its own.
static void say_weights(const systolic_case *of, systolic_answer *out) {
    systolic_weights found;
    if (!systolic_solve(of, &found)) {
        return;
    }
    const bool before = found.before == found.others;
    const bool after = found.after == found.others;
    out->theories = 1;
    (void)status_fail(&out->reason, TPU_OK,
                      "%u of %u PEs multiply by other weights, the first is PE(%d,%d)%s",
                      found.others, of->t * of->t, found.row, found.col,
                      before  ? "; all of them by those of the mm before"
                      : after ? "; all of them by those of the mm after"
                              : "");
}

// A fault in all elements that shows in several columns is told first: no single one explains more.
static rank choose(const search *self, bool one_column) {
    if (!one_column && self->count[RANK_ALIKE] > 0) {
        return RANK_ALIKE;
    }
    for (rank in = RANK_PLAIN; in < RANK_ALIKE; in++) {
        if (self->count[in] > 0) {
            return in;
        }
    }
    return RANK_ALIKE;
}

void systolic_explain(const systolic_case *of, systolic_answer *out) {
    search it = {.of = of, .out = out};
    *out = (systolic_answer){.row = -1, .col = -1};
    const columns_wrong wrong = find_columns(of);
    it.wrong = wrong;
    out->right = wrong.first < 0;
    if (out->right) {
        return;
    }
    const bool one_column = wrong.first == wrong.last;
    out->col = one_column ? wrong.first : -1;
    search_elements(&it, &wrong);
    search_rows(&it, &wrong);
    try_kinds(&it, WEIGHT_BEFORE, SUM_BIT, EVERYWHERE, EVERYWHERE);
    const rank best = choose(&it, one_column);
    if (it.count[best] == 0) {
        say_weights(of, out);
        return;
    }
    const bool open = best == RANK_ALIKE ? of->seen == 1 : it.several[best];
    say(&it.first[best], of, open, &out->reason);
    if (best != RANK_ALIKE && !it.several[best]) {
        out->row = it.first[best].row;
        out->col = it.first[best].col;
    }
}
