// SPDX-License-Identifier: Apache-2.0
//
// The pool of operands: each class holds what its name says, and the boundary class plants every
// edge of int8 wherever weights are loaded from a row that is a multiple of T. Products are plain
// sums, made here.

#include "harness/stress/stress_operands.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define DRAWS 400

static tpu_params params;
static stress_operands *pool;
static stress_operands_pick pick;
static tpu_message why;

static void set_up(void) {
    params = params_default(4, 16);
    cr_assert_eq(stress_operands_create(&params, 5, &pool, &why), TPU_OK, "%s", why.text);
}

static void tear_down(void) {
    stress_operands_destroy(pool);
}

TestSuite(stress_operands, .init = set_up, .fini = tear_down);

static int8_t at(const uint8_t *matrix, uint32_t row, uint32_t column) {
    return (int8_t)matrix[row * params.maxdim + column];
}

static int smallest(const uint8_t *matrix) {
    int least = 127;
    for (uint32_t i = 0; i < params_region_bytes(&params); i++) {
        least = (int8_t)matrix[i] < least ? (int8_t)matrix[i] : least;
    }
    return least;
}

static int largest(const uint8_t *matrix) {
    int most = -128;
    for (uint32_t i = 0; i < params_region_bytes(&params); i++) {
        most = (int8_t)matrix[i] > most ? (int8_t)matrix[i] : most;
    }
    return most;
}

// Draws until a class comes; every class must.
static void draw(rng *source, const char *kind) {
    for (int i = 0; i < DRAWS; i++) {
        stress_operands_draw(pool, source, &pick);
        if (strcmp(pick.kind, kind) == 0) {
            return;
        }
    }
    cr_assert(false, "no %s in %d draws", kind, DRAWS);
}

Test(stress_operands, full_has_both_extremes_in_every_matrix) {
    rng source;
    rng_seed(&source, 1);
    for (int i = 0; i < 30; i++) {
        draw(&source, "full");
        cr_expect_eq(smallest(pick.a), -128);
        cr_expect_eq(largest(pick.a), 127);
        cr_expect_eq(smallest(pick.b), -128);
        cr_expect_eq(largest(pick.b), 127);
    }
}

Test(stress_operands, the_narrow_classes_stay_in_their_range) {
    rng source;
    rng_seed(&source, 2);
    for (int i = 0; i < 20; i++) {
        draw(&source, "mid");
        cr_expect(smallest(pick.a) >= -16 && largest(pick.a) <= 16);
        draw(&source, "small");
        cr_expect(smallest(pick.b) >= -4 && largest(pick.b) <= 4);
        draw(&source, "equal");
        cr_expect_eq(smallest(pick.a), largest(pick.a));
    }
}

Test(stress_operands, corner_holds_the_seven_corners_and_nothing_else) {
    static const int corners[] = {-128, -127, -1, 0, 1, 126, 127};
    bool seen[7] = {false};
    rng source;
    rng_seed(&source, 3);
    for (int i = 0; i < 20; i++) {
        draw(&source, "corner");
        for (uint32_t byte = 0; byte < params_region_bytes(&params); byte++) {
            int which = 0;
            while (which < 7 && corners[which] != (int8_t)pick.a[byte]) {
                which++;
            }
            cr_assert_lt(which, 7, "%d", (int8_t)pick.a[byte]);
            seen[which] = true;
        }
    }
    for (int i = 0; i < 7; i++) {
        cr_expect(seen[i], "%d", corners[i]);
    }
}

Test(stress_operands, one_hot_is_zero_but_for_one_in_a_row_or_fewer) {
    rng source;
    rng_seed(&source, 4);
    draw(&source, "one-hot");
    uint32_t set = 0;
    for (uint32_t row = 0; row < params.maxdim; row++) {
        uint32_t in_row = 0;
        for (uint32_t column = 0; column < params.maxdim; column++) {
            in_row += at(pick.a, row, column) != 0;
        }
        cr_expect_leq(in_row, 1u);
        set += in_row;
    }
    cr_expect_gt(set, 0u);
}

// The product of one tile of activations with weights from rows `row` .. row + T - 1.
static int product(uint32_t a_row, uint32_t a_block, uint32_t b_row, uint32_t b_column) {
    int sum = 0;
    for (uint32_t lane = 0; lane < params.t; lane++) {
        sum += at(pick.a, a_row, a_block * params.t + lane) * at(pick.b, b_row + lane, b_column);
    }
    return sum;
}

Test(stress_operands, boundary_plants_every_edge_of_int8_in_a_tile) {
    static const int edges[] = {127, 128, -128, -129, 126, 129, -127, -130};
    uint32_t seen[8] = {0};
    rng source;
    rng_seed(&source, 6);
    for (int i = 0; i < 20; i++) {
        draw(&source, "boundary");
        for (uint32_t tile = 0; tile < params.maxdim; tile += params.t) {
            for (uint32_t column = 0; column < params.maxdim; column++) {
                for (uint32_t row = 0; row < params.maxdim; row++) {
                    int sum = product(row, tile / params.t, tile, column);
                    for (int e = 0; e < 8; e++) {
                        seen[e] += sum == edges[e];
                    }
                }
            }
        }
    }
    for (int e = 0; e < 8; e++) {
        cr_expect_gt(seen[e], 100u, "%d: %u", edges[e], seen[e]);
    }
}
