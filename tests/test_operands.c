// SPDX-License-Identifier: Apache-2.0
//
// Operand classes: what each promises holds for every element of its window.

#include "harness/stress/operands.h"

#include "csim/isa/params.h"
#include "harness/stress/stress_operands.h"

#include <criterion/criterion.h>

#include <string.h>

#define SIDE 16u

static uint8_t a[SIDE * SIDE];
static uint8_t b[SIDE * SIDE];

static int at(const uint8_t *matrix, uint32_t row, uint32_t column) {
    return (int8_t)matrix[row * SIDE + column];
}

Test(operands, equal_holds_one_value_in_each_matrix) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        operands_fill(OPERANDS_EQUAL, seed, SIDE, SIDE, SIDE, SIDE, a, b);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            cr_expect_eq(a[i], a[0]);
            cr_expect_eq(b[i], b[0]);
        }
    }
}

Test(operands, one_hot_holds_at_most_one_element_a_row) {
    uint32_t hot = 0;
    operands_fill(OPERANDS_ONE_HOT, 5, SIDE, SIDE, SIDE, SIDE, a, b);
    for (uint32_t row = 0; row < SIDE; row++) {
        uint32_t count = 0;
        for (uint32_t column = 0; column < SIDE; column++) {
            count += at(a, row, column) != 0;
        }
        cr_expect_leq(count, 1u);
        hot += count;
    }
    cr_expect_geq(hot, SIDE / 2);
}

Test(operands, every_class_has_a_name) {
    for (unsigned kind = 0; kind < OPERANDS_KIND_COUNT; kind++) {
        cr_expect_not_null(operands_kind_name((operands_kind)kind));
    }
    cr_expect_null(operands_kind_name(OPERANDS_KIND_COUNT));
}

// ---- the pool ----------------------------------------------------------------------------------

static stress_operands *open_pool(const tpu_params *params) {
    stress_operands *pool = NULL;
    tpu_message why;
    cr_assert_eq(stress_operands_create(params, 3, &pool, &why), TPU_OK, "%s", why.text);
    return pool;
}

Test(operands, the_pool_gives_every_class_and_the_same_for_the_same_seed) {
    const tpu_params params = params_default(4, SIDE);
    stress_operands *pool = open_pool(&params);
    stress_operands *twin = open_pool(&params);
    uint32_t seen = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        stress_operands_pick one;
        stress_operands_pick other;
        rng source;
        rng_seed(&source, seed);
        stress_operands_draw(pool, &source, &one);
        rng_seed(&source, seed);
        stress_operands_draw(twin, &source, &other);
        cr_expect_arr_eq(one.a, other.a, sizeof a);
        cr_expect_arr_eq(one.b, other.b, sizeof b);
        cr_expect_arr_eq(one.c, other.c, sizeof b);
        for (unsigned kind = 0; kind < OPERANDS_KIND_COUNT; kind++) {
            seen |= (uint32_t)(strcmp(one.kind, operands_kind_name(kind)) == 0) << kind;
        }
    }
    cr_expect_eq(seen, (1u << OPERANDS_KIND_COUNT) - 1);
    stress_operands_destroy(pool);
    stress_operands_destroy(twin);
}

// Any 4x4 tile of A times any 4x4 tile of B is a target off by at most two; targets by hand.
static bool is_planted(int sum) {
    static const int targets[] = {127, 128,  -128, -129, 0,   1,    -1,  126,
                                  129, -127, -130, 2,    200, -200, 254, -254};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (sum >= targets[i] - 2 && sum <= targets[i] + 2) {
            return true;
        }
    }
    return false;
}

static void expect_planted(const stress_operands_pick *pick, uint32_t tile) {
    for (uint32_t row = 0; row < SIDE; row++) {
        for (uint32_t column = 0; column < SIDE; column++) {
            int sum = 0;
            for (uint32_t k = 0; k < 4; k++) {
                sum += at(pick->a, row, 4 * (tile % 4) + k) * at(pick->b, 4 * tile + k, column);
            }
            cr_expect(is_planted(sum), "tile %u, %u, %u: %d", tile, row, column, sum);
        }
    }
}

Test(operands, boundary_tiles_of_the_pool_land_on_the_edges_of_int8) {
    const tpu_params params = params_default(4, SIDE);
    stress_operands *pool = open_pool(&params);
    rng source;
    rng_seed(&source, 1);
    uint32_t looked = 0;
    for (uint32_t i = 0; i < 100; i++) {
        stress_operands_pick pick;
        stress_operands_draw(pool, &source, &pick);
        if (strcmp(pick.kind, "boundary") == 0) {
            expect_planted(&pick, i % 4);
            looked++;
        }
    }
    cr_expect_geq(looked, 5u);
    stress_operands_destroy(pool);
}
