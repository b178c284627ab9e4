// SPDX-License-Identifier: Apache-2.0
//
// The digits demo without a machine: data as shipped, training that repeats, layers as GEMMs.
// Runs in the root of the tree.

#define _XOPEN_SOURCE 700

#include "examples/digits/digits.h"
#include "examples/digits/trainer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY "examples/digits"

static digits data;
static tpu_message why;

static void load(void) {
    tpu_status status = digits_load(DIRECTORY, &data, &why);
    cr_assert_eq(status, TPU_OK, "%s", why.text);
}

// First and last line of the file, read with zcat.
Test(digits, the_images_are_the_ones_of_the_file) {
    static const int8_t first[16] = {0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0};
    load();
    cr_expect_arr_eq(data.pixels[0], first, sizeof first);
    cr_expect_eq(data.label[0], 0);
    cr_expect_eq(data.label[1], 1);
    cr_expect_eq(data.label[DIGITS_COUNT - 1], 8);
    size_t ink = 0;
    for (size_t i = 0; i < DIGITS_COUNT; i++) {
        cr_assert(data.label[i] < DIGITS_CLASSES);
        for (size_t j = 0; j < DIGITS_PIXELS; j++) {
            cr_assert(data.pixels[i][j] >= 0 && data.pixels[i][j] <= 16);
            ink += (size_t)data.pixels[i][j];
        }
    }
    cr_expect_eq(ink, 561718); // summed by awk
}

Test(digits, at_least_nine_in_ten_held_out_images_are_read_right) {
    digits_result result;
    load();
    cr_assert_eq(digits_score(&data, digits_batches(), 4, digits_plain, NULL, &result, &why),
                 TPU_OK);
    cr_expect_eq(result.images, 597);
    cr_expect_geq(result.correct * 10, result.images * 9);
    cr_expect_eq(result.correct, 552); // what the README says
}

Test(digits, training_again_gives_the_shipped_weights, .timeout = 120) {
    static digits again;
    load();
    cr_assert_eq(digits_load_images(DIRECTORY, &again, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(trainer_train(&again, &why), TPU_OK, "%s", why.text);
    cr_expect_arr_eq(again.w1, data.w1, sizeof data.w1);
    cr_expect_arr_eq(again.w2, data.w2, sizeof data.w2);
}

Test(digits, training_does_not_look_at_held_out_images, .timeout = 120) {
    static digits again;
    load();
    cr_assert_eq(digits_load_images(DIRECTORY, &again, &why), TPU_OK, "%s", why.text);
    memset(again.pixels[DIGITS_TRAINED], 16, sizeof again.pixels[0] * DIGITS_HELD_OUT);
    memset(again.label + DIGITS_TRAINED, 3, DIGITS_HELD_OUT);
    cr_assert_eq(trainer_train(&again, &why), TPU_OK, "%s", why.text);
    cr_expect_arr_eq(again.w1, data.w1, sizeof data.w1);
    cr_expect_arr_eq(again.w2, data.w2, sizeof data.w2);
}

Test(digits, unused_outputs_have_zero_weights) {
    load();
    for (size_t i = 0; i < DIGITS_HIDDEN; i++) {
        for (size_t j = DIGITS_CLASSES; j < DIGITS_OUTPUTS; j++) {
            cr_expect_eq(data.w2[i][j], 0);
        }
    }
}

// 597 = 9 * 64 + 21: ten batches, the last padded to a multiple of T.
Test(digits, batches_are_whole_tiles_and_the_last_is_padded_with_held_out_images) {
    static const size_t widths[][2] = {{4, 24}, {8, 24}, {16, 32}};
    int8_t scratch[DIGITS_BATCH * DIGITS_PIXELS];
    load();
    cr_assert_eq(digits_batches(), 10);
    for (size_t i = 0; i < 3; i++) {
        digits_gemm full = digits_layer1(&data, 8, widths[i][0], scratch);
        cr_expect_eq(full.m, 64);
        cr_expect_arr_eq(full.a, data.pixels[1200 + 512], 64 * 64);
        digits_gemm last = digits_layer1(&data, 9, widths[i][0], scratch);
        cr_expect_eq(last.m, widths[i][1]);
        cr_expect_arr_eq(last.a, data.pixels[1200 + 576], 21 * 64);
        cr_expect_arr_eq(last.a + 21 * 64, data.pixels[1200], 3 * 64);
        cr_expect(last.k == 64 && last.n == 32 && last.relu == 1);
        digits_gemm second = digits_layer2(&data, last.m, scratch);
        cr_expect(second.m == last.m && second.k == 32 && second.n == 16 && second.relu == 0);
    }
}

Test(digits, the_score_and_the_digest_do_not_depend_on_the_width) {
    digits_result narrow, wide;
    load();
    cr_assert_eq(digits_score(&data, 10, 4, digits_plain, NULL, &narrow, &why), TPU_OK);
    cr_assert_eq(digits_score(&data, 99, 16, digits_plain, NULL, &wide, &why), TPU_OK);
    cr_expect_eq(narrow.correct, wide.correct);
    cr_expect_eq(narrow.digest, wide.digest);
}

Test(digits, the_first_largest_output_is_the_class) {
    const int8_t tie[16] = {-128, 5, 127, 3, 127, 0, 0, 0, 0, 0, 127, 127};
    const int8_t beyond[16] = {-5, -5, -5, -5, -5, -5, -5, -5, -5, -4, 100, 100};
    cr_expect_eq(digits_class(tie), 2);
    cr_expect_eq(digits_class(beyond), 9);
}

static tpu_status break_off(void *user, const digits_gemm *gemm, int8_t *c, tpu_message *text) {
    int *left = user;
    if ((*left)-- == 0) {
        return status_fail(text, TPU_ERR_ENGINE, "broken");
    }
    return digits_plain(NULL, gemm, c, text);
}

Test(digits, a_failing_engine_ends_the_score) {
    digits_result result = {.images = 77};
    load();
    for (int calls = 0; calls < 3; calls++) {
        int left = calls;
        cr_expect_eq(digits_score(&data, 10, 4, break_off, &left, &result, &why), TPU_ERR_ENGINE);
        cr_expect_str_eq(why.text, "broken");
        cr_expect_eq(result.images, 77);
    }
}

Test(digits, a_point_that_does_not_fit_is_refused_with_the_limit) {
    cr_expect_eq(digits_fits(4, 64, &why), TPU_OK);
    cr_expect_eq(digits_fits(16, 128, &why), TPU_OK);
    cr_expect_eq(digits_fits(4, 16, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text,
                     "digits needs MAXDIM >= 64 (64 pixels are the K of its first layer): "
                     "MAXDIM = 16 is 48 too small");
    cr_expect_eq(digits_fits(32, 64, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "digits needs a T that divides its 16 outputs: T = 32 does not");
}

static void expect_bad_images(const char *text, size_t copies, const char *sentence) {
    char directory[64];
    char path[96];
    snprintf(directory, sizeof directory, "%s/digits_test_XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/digits.csv.gz", directory);
    FILE *file = fopen(path, "wb"); // zlib reads plain text as it stands
    cr_assert_not_null(file);
    for (size_t i = 0; i < copies; i++) {
        (void)fputs(text, file);
    }
    (void)fclose(file);
    cr_expect_eq(digits_load_images(directory, &data, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, sentence) != NULL, "'%s' lacks '%s'", why.text, sentence);
    (void)unlink(path);
    (void)rmdir(directory);
}

#define EIGHT "0,1,2,3,4,5,6,16,"
#define IMAGE EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

Test(digits, damaged_images_are_refused_with_their_line) {
    expect_bad_images(IMAGE "9\n", 3, ": 3 images were found, 1797 are needed");
    expect_bad_images(IMAGE "9\n", 1798, ": more than 1797 images were found");
    expect_bad_images(IMAGE "10\n", 3, ":1: not 64 pixels of 0..16 and a label of 0..9");
    expect_bad_images(IMAGE "\n", 3, ":1: not 64 pixels");
    expect_bad_images("17" EIGHT "\n", 3, ":1: not 64 pixels");
    expect_bad_images(IMAGE "9,1\n", 3, ":1: not 64 pixels");
}

Test(digits, a_missing_directory_is_named) {
    cr_expect_eq(digits_load("no/such", &data, &why), TPU_ERR_IO);
    cr_expect_str_eq(why.text, "no/such/digits.csv.gz: cannot be opened");
}
