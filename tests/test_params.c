// SPDX-License-Identifier: Apache-2.0
//
// Parameter points: defaults, ranges, cross constraints and the environment.

#include "csim/isa/params.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_default(uint32_t t, uint32_t maxdim, uint32_t operand, uint32_t nar,
                           uint32_t wpr) {
    tpu_params params = params_default(t, maxdim);
    cr_expect_eq(params.t, t);
    cr_expect_eq(params.maxdim, maxdim);
    cr_expect_eq(params.spad_rows, operand);
    cr_expect_eq(params.nvr, operand);
    cr_expect_eq(params.nar, nar);
    cr_expect_eq(params.imem_size, 56);
    cr_expect_eq(params.qd, 16);
    cr_expect_eq(params.dma_words, 1);
    cr_expect_eq(params_wpr(&params), wpr);
    cr_expect_eq(params_check(&params, NULL), TPU_OK);
}

Test(params, defaults_are_the_published_ones) {
    expect_default(4, 64, 1024, 136, 16);
    expect_default(4, 16, 64, 128, 4);
    expect_default(8, 64, 512, 136, 8);
    expect_default(16, 64, 256, 136, 4);
}

Test(params, sizes_follow_from_the_point) {
    tpu_params params = params_default(4, 64);
    cr_expect_eq(params_max_instructions(&params), 24);
    cr_expect_eq(params_region_bytes(&params), 4096);
}

static void expect_refused(tpu_params params, const char *sentence) {
    tpu_message why = {""};
    cr_expect_eq(params_check(&params, &why), TPU_REFUSED);
    cr_expect_eq(strncmp(why.text, sentence, strlen(sentence)), 0, "%s", why.text);
}

static tpu_params with(size_t member, uint32_t value) {
    tpu_params params = params_default(4, 64);
    uint32_t *const at[] = {&params.t,   &params.maxdim,    &params.spad_rows, &params.nvr,
                            &params.nar, &params.imem_size, &params.qd,        &params.dma_words};
    *at[member] = value;
    return params;
}

Test(params, every_value_below_its_minimum_is_refused) {
    expect_refused(with(0, 0), "T=0 is too small: 4 or more is allowed");
    expect_refused(with(0, 3), "T=3 is too small: 4 or more is allowed");
    expect_refused(with(1, 3), "MAXDIM=3 is too small: 4 or more is allowed");
    expect_refused(with(2, 0), "SPAD_ROWS=0 is out of range: 1..2048 is allowed");
    expect_refused(with(3, 0), "NVR=0 is out of range: 1..2048 is allowed");
    expect_refused(with(4, 0), "NAR=0 is out of range: 1..2048 is allowed");
    expect_refused(with(5, 7), "IMEM_SIZE=7 is too small: 8 or more is allowed");
    expect_refused(with(6, 1), "QD=1 is too small: 2 or more is allowed");
    expect_refused(with(7, 0), "DMA_WORDS=0 is too small: 1 or more is allowed");
}

Test(params, every_cross_constraint_is_refused_with_values_and_reason) {
    expect_refused(with(1, 66), "T=4, MAXDIM=66: MAXDIM % T == 0 is demanded, because ");
    expect_refused(params_default(4, 92), "T=4, MAXDIM=92, OPERAND_ROWS=2116: OPERAND_ROWS <= 2048 "
                                          "is demanded, because ");
    expect_refused(with(5, 60), "IMEM_SIZE=60: IMEM_SIZE % 8 == 0 is demanded, because ");
    expect_refused(with(5, 8), "IMEM_SIZE=8: IMEM_SIZE >= NHDR + IWORDS is demanded, because ");
    expect_refused(with(2, 2049), "SPAD_ROWS=2049, NVR=1024, NAR=136: SPAD_ROWS <= 2048 and ");
    expect_refused(with(3, 2049), "SPAD_ROWS=1024, NVR=2049, NAR=136: SPAD_ROWS <= 2048 and ");
    expect_refused(with(4, 2049), "SPAD_ROWS=1024, NVR=1024, NAR=2049: SPAD_ROWS <= 2048 and ");
    expect_refused(with(2, 1023), "T=4, MAXDIM=64, SPAD_ROWS=1023, NVR=1024, OPERAND_ROWS=1024: "
                                  "SPAD_ROWS >= OPERAND_ROWS and NVR >= OPERAND_ROWS is demanded, "
                                  "because ");
    expect_refused(with(3, 1023), "T=4, MAXDIM=64, SPAD_ROWS=1024, NVR=1023, OPERAND_ROWS=1024: "
                                  "SPAD_ROWS >= OPERAND_ROWS and NVR >= OPERAND_ROWS is demanded, "
                                  "because ");
    expect_refused(with(4, 129), "MAXDIM=64, NAR=129: NAR >= 2 * MAXDIM + 2 is demanded, because ");
    cr_expect_eq(params_check(&(tpu_params){4, 64, 1024, 1024, 130, 56, 2, 1}, NULL), TPU_OK);
}

Test(params, both_ends_of_the_address_ceiling_are_where_the_encoding_puts_them) {
    static const uint32_t ends[][2] = {{4, 88}, {8, 128}, {16, 176}};
    for (size_t i = 0; i < 3; i++) {
        tpu_params fits = params_default(ends[i][0], ends[i][1]);
        tpu_params past = params_default(ends[i][0], ends[i][1] + ends[i][0]);
        cr_expect_eq(params_check(&fits, NULL), TPU_OK);
        cr_expect_eq(params_check(&past, NULL), TPU_REFUSED);
    }
}

// The environment of a test: pairs of name and value, NULL-terminated.
static const char *const *pairs;

static const char *read_pairs(const char *name) {
    for (size_t i = 0; pairs[i] != NULL; i += 2) {
        if (strcmp(pairs[i], name) == 0) {
            return pairs[i + 1];
        }
    }
    return NULL;
}

static tpu_status from(const char *const *list, tpu_params *out, tpu_message *why) {
    pairs = list;
    return params_from_env(read_pairs, out, why);
}

Test(params, an_empty_environment_gives_the_shipped_point) {
    tpu_params params;
    cr_assert_eq(from((const char *const[]){"TPU_T", "", NULL}, &params, NULL), TPU_OK);
    tpu_params wanted = params_default(4, 64);
    cr_expect_eq(memcmp(&params, &wanted, sizeof params), 0);
}

Test(params, every_variable_sets_its_parameter_and_the_rest_follows) {
    tpu_params params;
    const char *const all[] = {"TPU_T",   "8",   "TPU_MAXDIM",    "32",  "TPU_SPAD", "200",
                               "TPU_NVR", "201", "TPU_NAR",       "202", "TPU_IMEM", "64",
                               "TPU_QD",  "3",   "TPU_DMA_WORDS", "2",   NULL};
    cr_assert_eq(from(all, &params, NULL), TPU_OK);
    tpu_params wanted = {8, 32, 200, 201, 202, 64, 3, 2};
    cr_expect_eq(memcmp(&params, &wanted, sizeof params), 0);
    cr_assert_eq(from((const char *const[]){"TPU_T", "8", NULL}, &params, NULL), TPU_OK);
    cr_expect_eq(params.spad_rows, 512);
}

Test(params, widening_fills_the_bus) {
    tpu_params params;
    cr_assert_eq(from((const char *const[]){"TPU_DMA_WIDEN", "1", NULL}, &params, NULL), TPU_OK);
    cr_expect_eq(params.dma_words, 16);
    const char *const small[] = {"TPU_DMA_WIDEN", "1", "TPU_MAXDIM", "16", "TPU_T", "8", NULL};
    cr_assert_eq(from(small, &params, NULL), TPU_OK);
    cr_expect_eq(params.dma_words, 2);
    cr_assert_eq(from((const char *const[]){"TPU_DMA_WIDEN", "0", NULL}, &params, NULL), TPU_OK);
    cr_expect_eq(params.dma_words, 1);
}

static void expect_env_refused(const char *name, const char *value, const char *sentence) {
    tpu_params params = {.t = 77};
    tpu_message why = {""};
    const char *const list[] = {name, value, NULL};
    cr_expect_eq(from(list, &params, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, sentence);
    cr_expect_eq(params.t, 77, "the result is untouched");
}

Test(params, bad_variables_are_refused_by_name) {
    expect_env_refused("TPU_T", "eight",
                       "TPU_T=\"eight\" is not a number: decimal digits are allowed");
    expect_env_refused("TPU_T", "-8", "TPU_T=\"-8\" is not a number: decimal digits are allowed");
    expect_env_refused("TPU_T", "3", "TPU_T=3 is too small: 4 or more is allowed");
    expect_env_refused("TPU_SPAD", "4096", "TPU_SPAD=4096 is out of range: 1..2048 is allowed");
    expect_env_refused("TPU_QD", "1", "TPU_QD=1 is too small: 2 or more is allowed");
    expect_env_refused("TPU_QD", "99999999999", "TPU_QD=99999999999 is too large for a parameter");
    expect_env_refused("TPU_DMA_WIDEN", "yes", "TPU_DMA_WIDEN=\"yes\": 0 or 1 is allowed");
}

Test(params, a_text_of_words_says_a_point_whatever_the_environment_says) {
    tpu_params params;
    tpu_message why = {""};
    (void)setenv("TPU_QD", "3", 1);
    cr_assert_eq(params_from_text(" TPU_T=8\tTPU_MAXDIM=32 ", &params, &why), TPU_OK, "%s",
                 why.text);
    cr_expect_eq(params.t, 8u);
    cr_expect_eq(params.maxdim, 32u);
    cr_expect_eq(params.qd, 16u);
    cr_expect_eq(params.dma_words, 1u);
    cr_assert_eq(params_from_text("TPU_T=8 TPU_DMA_WIDEN=1", &params, &why), TPU_OK);
    cr_expect_eq(params.dma_words, 8u);
    cr_assert_eq(params_from_text("", &params, &why), TPU_OK, "all defaults");
    cr_expect_eq(params.t, 4u);
}

Test(params, a_word_that_sets_no_parameter_or_one_again_is_refused) {
    static const char *const bad[] = {"TPU_T",           "T=8",       "TPU_T=8 TPU_T=8",
                                      "TPU_T=8 TPU_X=1", "TPU_T=x",   "TPU_DMA_WIDEN=2",
                                      "TPU_T=-4",        "TPU_TT=16", "TPU_T=99999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tpu_params params = params_default(4, 16);
        tpu_message why = {""};
        cr_expect_eq(params_from_text(bad[i], &params, &why), TPU_REFUSED, "%s", bad[i]);
        cr_expect_gt(strlen(why.text), 10u, "%s", bad[i]);
        cr_expect_eq(params.maxdim, 16u, "%s", bad[i]);
    }
}
