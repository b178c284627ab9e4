// SPDX-License-Identifier: Apache-2.0
//
// Sums of small mms written out by hand, each with one fault in one place. The array is 4 x 4;
// where only a column matters, the weights of the others are 0 and so are their sums.

#include "harness/lockstep/systolic.h"

#include <criterion/criterion.h>

#include <string.h>

TestSuite(systolic, .timeout = 10);

#define T 4

// Two activation rows; column 1 of the weights is 2, 3, 5, 7, the rest are 0.
static const int8_t acts[2 * T] = {1, 2, 3, 4, 10, 0, -1, 2};
static const int8_t weights[T * T] = {0, 2, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0};
// Right sums of column 1: 2+6+15+28 = 51 and 20+0-5+14 = 29.

static systolic_case case_of(const int32_t *got, uint32_t rows) {
    return (systolic_case){.t = T, .rows = rows, .seen = rows, .a = acts, .w = weights, .got = got};
}

static void expect_element(const systolic_case *of, int row, int col, const char *words) {
    systolic_answer answer;
    systolic_explain(of, &answer);
    cr_expect_eq(answer.row, row, "row %d: %s", answer.row, answer.reason.text);
    cr_expect_eq(answer.col, col, "column %d: %s", answer.col, answer.reason.text);
    cr_expect(strstr(answer.reason.text, words) != NULL, "wanted \"%s\", got \"%s\"", words,
              answer.reason.text);
}

Test(systolic, finds_the_element_with_another_weight) {
    // PE(2,1) multiplies by 9 instead of 5: 51 + 3*4 = 63, 29 - 1*4 = 25.
    static const int32_t got[2 * T] = {0, 63, 0, 0, 0, 25, 0, 0};
    const systolic_case of = case_of(got, 2);
    expect_element(&of, 2, 1, "PE(2,1) multiplies by 9 instead of its weight 5");
}

Test(systolic, recognises_the_weight_of_the_mm_before) {
    // PE(3,1) still has 6: 51 - 4 = 47, 29 - 2 = 27. All others had what they have now.
    int8_t before[T * T];
    memcpy(before, weights, sizeof before);
    before[3 * T + 1] = 6;
    static const int32_t got[2 * T] = {0, 47, 0, 0, 0, 27, 0, 0};
    systolic_case of = case_of(got, 2);
    of.w_before = before;
    systolic_answer answer;
    systolic_explain(&of, &answer);
    cr_expect_eq(answer.row, 3);
    cr_expect(strstr(answer.reason.text, "weight of the mm before") != NULL, "%s",
              answer.reason.text);
}

Test(systolic, recognises_a_weight_that_comes_one_row_late) {
    // Every weight was 1 before. Row 0 of column 1 meets the old ones: 1+2+3+4 = 10.
    static const int8_t ones[T * T] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t got[2 * T] = {10, 10, 10, 10, 0, 29, 0, 0};
    systolic_case of = case_of(got, 2);
    of.w_before = ones;
    expect_element(&of, -1, -1, "every PE takes its weight one row late");
}

Test(systolic, finds_the_element_that_takes_its_weight_late) {
    // PE(2,1) had 100 before, the others another weight too: row 0 gets 3*100 instead of 3*5, row
    // 1 with -1*5 is right.
    static const int8_t before[T * T] = {0, 31, 0, 0, 0, 33, 0, 0, 0, 100, 0, 0, 0, 37, 0, 0};
    static const int32_t got[2 * T] = {0, 336, 0, 0, 0, 29, 0, 0};
    systolic_case of = case_of(got, 2);
    of.w_before = before;
    expect_element(&of, 2, 1, "PE(2,1) takes its weight one row late");
}

Test(systolic, follows_a_wrong_activation_to_the_east) {
    // Weights 1 everywhere, two rows whose sums are 10 and 11. From column 2 on, row 3 of the
    // array sees no activation: 4 and 2 are missing there.
    static const int8_t ones[T * T] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t got[2 * T] = {10, 10, 6, 6, 11, 11, 9, 9};
    systolic_case of = case_of(got, 2);
    of.w = ones;
    expect_element(&of, 3, 2, "PE(3,2) sees no activation");
}

Test(systolic, finds_where_a_row_of_the_array_gets_other_weights) {
    // Weights 1 everywhere; in row 2 columns 1 and 3 have 8 and -1 instead: +7*3 and -2*3 in the
    // first row, -7 and +2 in the second, whose activation is -1.
    static const int8_t ones[T * T] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t got[2 * T] = {10, 31, 10, 4, 11, 4, 11, 13};
    systolic_case of = case_of(got, 2);
    of.w = ones;
    expect_element(&of, 2, 1, "PE(2,1) and those to its east multiply by other weights");
}

Test(systolic, says_that_a_sum_keeps_16_bits) {
    // 4 * 100 * 100 = 40000 wraps to -25536 at 16 bits; 4 * 10 * 100 = 4000 does not.
    static const int8_t a[2 * T] = {100, 100, 100, 100, 10, 10, 10, 10};
    static const int8_t w[T * T] = {100, 0, 0, 0, 100, 0, 0, 0, 100, 0, 0, 0, 100, 0, 0, 0};
    static const int32_t got[2 * T] = {-25536, 0, 0, 0, 4000, 0, 0, 0};
    const systolic_case of = {.t = T, .rows = 2, .seen = 2, .a = a, .w = w, .got = got};
    // Three products are 30000 and fit, so it is the last element whose sum is cut.
    expect_element(&of, 3, 0, "keeps only the low 16 bits of the partial sum");
}

Test(systolic, recognises_lanes_in_reverse) {
    // PE(0,0) = 1 and PE(1,2) = 1: columns 0 and 2 are lanes 0 and 1; here they are lanes 3 and 2.
    static const int8_t w[T * T] = {1, 0, 0, 0, 0, 0, 1, 0};
    static const int32_t got[2 * T] = {4, 0, 3, 0, 2, 0, -1, 0};
    const systolic_case of = {.t = T, .rows = 2, .seen = 2, .a = acts, .w = w, .got = got};
    expect_element(&of, -1, -1, "every PE meets the opposite lane");
}

Test(systolic, names_only_the_column_when_two_elements_explain_it) {
    // One row: 51 + 12 could be PE(1,1) with 9 (2*6) or PE(2,1) with 9 (3*4) or others.
    static const int32_t got[T] = {0, 63, 0, 0};
    const systolic_case of = case_of(got, 1);
    systolic_answer answer;
    systolic_explain(&of, &answer);
    cr_expect_gt(answer.theories, 1u);
    cr_expect_eq(answer.row, -1);
    cr_expect_eq(answer.col, 1);
    cr_expect_eq(strncmp(answer.reason.text, "perhaps PE(", 11), 0, "%s", answer.reason.text);
}

Test(systolic, claims_nothing_that_a_right_row_contradicts) {
    // Row 0 would fit another weight in PE(0,1), but row 1 with activation 10 is right.
    static const int32_t got[2 * T] = {0, 52, 0, 0, 0, 29, 0, 0};
    const systolic_case of = case_of(got, 2);
    systolic_answer answer;
    systolic_explain(&of, &answer);
    cr_expect_neq(answer.row, 0, "%s", answer.reason.text);
    cr_expect_eq(answer.col, 1);
}

Test(systolic, explains_nothing_when_noise_hits_several_columns) {
    static const int32_t got[2 * T] = {977, 51, 131, 0, 0, 29, -4123, 71};
    const systolic_case of = case_of(got, 2);
    systolic_answer answer;
    systolic_explain(&of, &answer);
    cr_expect_eq(answer.theories, 0u, "%s", answer.reason.text);
    cr_expect_eq(answer.row, -1);
    cr_expect_eq(answer.col, -1);
}

// Four activation rows that leave no weight open: unit vectors, and one more to be sure.
static const int8_t units[5 * T] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1};

Test(systolic, works_out_the_weights_of_several_elements) {
    // With unit vectors the sums are the weights themselves, and their total in the last row. In
    // column 0 PE(1,0) has 5 and PE(3,0) has -2 instead of 0, in column 1 PE(2,1) has 9, not 5.
    static const int32_t got[5 * T] = {0, 2, 0,  0, 5, 3, 0, 0,  0, 9,
                                       0, 0, -2, 7, 0, 0, 3, 21, 0, 0};
    systolic_case of = {.t = T, .rows = 5, .seen = 5, .a = units, .w = weights, .got = got};
    expect_element(&of, -1, -1, "3 of 16 PEs multiply by other weights, the first is PE(1,0)");
    // All three are those of the mm before, which had more than these.
    static const int8_t before[T * T] = {8, 2, 0, 0, 5, 3, 0, 0, 1, 9, 0, 0, -2, 7, 0, 4};
    of.w_before = before;
    expect_element(&of, -1, -1, "all of them by those of the mm before");
}

Test(systolic, claims_no_weights_that_a_row_contradicts) {
    static const int32_t got[5 * T] = {0, 2, 0,  0, 5, 3, 0, 0,  0, 9,
                                       0, 0, -2, 7, 0, 0, 4, 21, 0, 0};
    const systolic_case of = {.t = T, .rows = 5, .seen = 5, .a = units, .w = weights, .got = got};
    systolic_answer answer;
    systolic_explain(&of, &answer);
    cr_expect_eq(answer.theories, 0u, "%s", answer.reason.text);
}

Test(systolic, claims_no_weights_from_too_few_rows) {
    static const int32_t got[3 * T] = {0, 2, 0, 0, 5, 3, 0, 0, 0, 9, 0, 0};
    const systolic_case of = {.t = T, .rows = 3, .seen = 3, .a = units, .w = weights, .got = got};
    systolic_answer answer;
    systolic_explain(&of, &answer);
    cr_expect_eq(strstr(answer.reason.text, "of 16 PEs"), NULL);
}

Test(systolic, sees_when_the_sums_are_right) {
    static const int32_t got[2 * T] = {0, 51, 0, 0, 0, 29, 0, 0};
    const systolic_case of = case_of(got, 2);
    systolic_answer answer;
    systolic_explain(&of, &answer);
    cr_expect(answer.right);
    cr_expect_eq(answer.theories, 0u);
}
