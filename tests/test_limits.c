// SPDX-License-Identifier: Apache-2.0
//
// Program limits and MAXDIM ceilings; the numbers are the published ones.

#include "csim/isa/limits.h"

#include "csim/isa/image.h"
#include "csim/isa/programs.h"

#include <criterion/criterion.h>

Test(limits, ceilings_are_the_published_ones) {
    cr_expect_eq(limits_maxdim_addressing(4), 88);
    cr_expect_eq(limits_maxdim_addressing(8), 128);
    cr_expect_eq(limits_maxdim_addressing(16), 176);
    cr_expect_eq(limits_maxdim_cubic_header(4), 76);
    cr_expect_eq(limits_maxdim_cubic_header(8), 120);
    cr_expect_eq(limits_maxdim_cubic_header(16), 192);
    cr_expect_eq(limits_maxdim_addressing(0), 0);
}

static void expect_over(uint32_t m, uint32_t k, uint32_t n, const uint64_t over[LIMITS_COUNT]) {
    tpu_params params = params_default(8, 128);
    limits_row rows[LIMITS_COUNT];
    limits_gemm(&params, m, k, n, rows);
    for (size_t i = 0; i < LIMITS_COUNT; i++) {
        cr_expect_eq(rows[i].over, over[i], "%ux%ux%u %s", m, k, n, rows[i].name);
    }
}

Test(limits, refusals_at_t8_maxdim128_are_the_published_ones) {
    expect_over(32, 128, 128, (uint64_t[]){0, 1, 0, 0});
    expect_over(64, 128, 128, (uint64_t[]){0, 1, 0, 0});
    expect_over(128, 128, 128, (uint64_t[]){0, 1, 1, 2049});
    expect_over(120, 120, 120, (uint64_t[]){0, 0, 0, 0});
    tpu_params params = params_default(8, 128);
    limits_row rows[LIMITS_COUNT];
    limits_gemm(&params, 128, 128, 128, rows);
    cr_expect_eq(rows[3].need, 34816);
    cr_expect_eq(rows[3].allowed, 32767);
}

Test(limits, the_sentence_names_the_limit_and_the_excess) {
    tpu_params params = params_default(8, 128);
    tpu_message why = {""};
    cr_expect_eq(limits_check_gemm(&params, 32, 128, 128, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "GEMM 32x128x128 is refused by rows_per_instruction.shipped_layout: "
                               "needs 128, 127 is allowed, over by 1");
    cr_expect_eq(limits_check_gemm(&params, 136, 8, 8, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "GEMM 136x8x8 is refused by build_extent: needs 136, 128 is "
                               "allowed, over by 8");
    cr_expect_eq(limits_check_gemm(&params, 8, 12, 8, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "K=12 is refused: the GEMM programs take multiples of T=8 from T on "
                               "(pad the matrix with zeros)");
    cr_expect_eq(limits_check_gemm(&params, 8, 8, 0, &why), TPU_REFUSED);
    cr_expect_eq(limits_check_gemm(&params, 3, 8, 8, &why), TPU_REFUSED);
    cr_expect_eq(limits_check_gemm(&params, 5, 8, 8, &why), TPU_OK);
}

// A shape assembles exactly when every limit but the alternative layout's fits.
static void expect_prediction(const tpu_params *params, uint32_t m, uint32_t k, uint32_t n) {
    limits_row rows[LIMITS_COUNT];
    limits_gemm(params, m, k, n, rows);
    bool fits = true;
    for (size_t i = 0; i < LIMITS_COUNT; i++) {
        fits = fits && (rows[i].alternative || rows[i].over == 0);
    }
    isa_program program = {0};
    image built = {0};
    tpu_status status = programs_gemm(params, PROGRAMS_LOOPED, m, k, n, false, &program, NULL);
    if (status == TPU_OK) {
        status = image_build(params, &program, true, &built, NULL);
    }
    cr_expect_eq(status == TPU_OK, fits, "T=%u %ux%ux%u", params->t, m, k, n);
    image_clear(&built);
    isa_program_clear(&program);
}

Test(limits, limits_predict_what_assembles_in_thirty_shapes) {
    static const uint32_t points[][2] = {{4, 64}, {8, 64}, {8, 128}, {4, 88}};
    for (size_t p = 0; p < sizeof points / sizeof points[0]; p++) {
        tpu_params params = params_default(points[p][0], points[p][1]);
        uint32_t t = params.t;
        uint32_t most = params.maxdim;
        const uint32_t m[] = {t, 2 * t, most / 2 / t * t, 128, most};
        const uint32_t k[] = {t, most / 2 / t * t, most};
        const uint32_t n[] = {t, most};
        for (size_t i = 0; i < 30; i++) {
            expect_prediction(&params, m[i % 5], k[i / 5 % 3], n[i / 15]);
        }
    }
}

Test(limits, the_cubic_ceiling_is_where_the_image_refuses) {
    for (uint32_t t = 4; t <= 8; t += 4) {
        uint32_t most = limits_maxdim_cubic_header(t);
        for (uint32_t side = most; side <= most + t; side += t) {
            tpu_params params = params_default(t, side);
            cr_assert_eq(params_check(&params, NULL), TPU_OK);
            isa_program program = {0};
            image built = {0};
            tpu_status status =
                programs_gemm(&params, PROGRAMS_LOOPED, side, side, side, false, &program, NULL);
            if (status == TPU_OK) {
                status = image_build(&params, &program, true, &built, NULL);
            }
            cr_expect_eq(status, side == most ? TPU_OK : TPU_REFUSED, "T=%u %u", t, side);
            image_clear(&built);
            isa_program_clear(&program);
        }
    }
}
