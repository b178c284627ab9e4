// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic contract at its edges. Expected values are worked out by hand.

#include "csim/arch/numerics.h"

#include <criterion/criterion.h>

Test(numerics, addition_wraps_at_both_ends) {
    cr_expect_eq(numerics_wrap_add(2147483647, 1), INT32_MIN);
    cr_expect_eq(numerics_wrap_add(INT32_MIN, -1), 2147483647);
    cr_expect_eq(numerics_wrap_add(2147483647, 2147483647), -2);
    cr_expect_eq(numerics_wrap_add(INT32_MIN, INT32_MIN), 0);
    cr_expect_eq(numerics_wrap_add(-5, 7), 2);
}

Test(numerics, rectification_keeps_positive_values_only) {
    cr_expect_eq(numerics_max0(INT32_MIN), 0);
    cr_expect_eq(numerics_max0(-1), 0);
    cr_expect_eq(numerics_max0(0), 0);
    cr_expect_eq(numerics_max0(1), 1);
    cr_expect_eq(numerics_max0(INT32_MAX), INT32_MAX);
}

Test(numerics, an_operand_is_clipped_to_int8_and_not_rounded) {
    static const struct {
        int32_t value;
        int8_t clipped;
    } cases[] = {
        {127, 127},       {128, 127},        {-128, -128}, {-129, -128}, {0, 0},     {-1, -1},
        {INT32_MAX, 127}, {INT32_MIN, -128}, {126, 126},   {-127, -127}, {256, 127}, {-256, -128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(numerics_to_operand(cases[i].value), cases[i].clipped, "value %d",
                     cases[i].value);
    }
}

// Weight row i is multiplied by lane i of the activation: column j = sum of act[i] * w[i][j].
Test(numerics, a_row_product_taps_lane_i_with_weight_row_i) {
    const int8_t activation[4] = {1, 10, 100, -1};
    const int8_t weights[16] = {
        1, 2, 3, 4,  // row 0
        5, 6, 7, 8,  // row 1
        0, 1, 0, -1, // row 2
        9, 0, 1, 1,  // row 3
    };
    int16_t wide[16];
    int32_t sums[4];
    numerics_widen(weights, wide, 16);
    numerics_row_product(activation, wide, sums, 4);
    cr_expect_eq(sums[0], 1 + 50 + 0 - 9);
    cr_expect_eq(sums[1], 2 + 60 + 100 - 0);
    cr_expect_eq(sums[2], 3 + 70 + 0 - 1);
    cr_expect_eq(sums[3], 4 + 80 - 100 - 1);
}

Test(numerics, the_extreme_products_are_exact_at_every_width) {
    static const size_t widths[] = {4, 5, 6, 8, 12, 16, 22};
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
        size_t t = widths[k];
        int8_t activation[22];
        int8_t weights[22 * 22];
        int16_t wide[22 * 22];
        int32_t sums[22];
        for (size_t i = 0; i < t; i++) {
            activation[i] = -128;
            for (size_t j = 0; j < t; j++) {
                weights[i * t + j] = j == 0 ? 127 : -128;
            }
        }
        numerics_widen(weights, wide, t * t);
        numerics_row_product(activation, wide, sums, t);
        cr_expect_eq(sums[0], -16256 * (int32_t)t, "T = %zu", t);
        for (size_t j = 1; j < t; j++) {
            cr_expect_eq(sums[j], 16384 * (int32_t)t, "T = %zu, lane %zu", t, j);
        }
    }
}

Test(numerics, row_forms_say_what_the_scalar_forms_say) {
    int32_t left[5] = {2147483647, -1, 5, INT32_MIN, 100};
    const int32_t right[5] = {1, 1, -9, -1, 28};
    int8_t clipped[5];
    numerics_row_add(left, right, left, 5);
    const int32_t sum[5] = {INT32_MIN, 0, -4, 2147483647, 128};
    cr_expect_arr_eq(left, sum, sizeof sum);
    numerics_row_to_operand(left, clipped, 5);
    const int8_t operand[5] = {-128, 0, -4, 127, 127};
    cr_expect_arr_eq(clipped, operand, sizeof operand);
    numerics_row_max0(left, 5);
    const int32_t rectified[5] = {0, 0, 0, 2147483647, 128};
    cr_expect_arr_eq(left, rectified, sizeof rectified);
}
