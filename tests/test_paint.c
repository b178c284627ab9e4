// SPDX-License-Identifier: Apache-2.0
//
// Colours add escape sequences and nothing else, in the places where a person looks first.

#include "harness/show/paint.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

TestSuite(paint, .timeout = 10);

static const char plain[] = "MISMATCH  value in cw  --  gemm\n"
                            "  lane 1 of row 19 of cw is 26, expected 10\n"
                            "\n"
                            "  where     cycle 26, cw row 19, unit array, PE(2,1)\n"
                            "  suggests  bit 4 is flipped\n"
                            "            one lane in several rows\n"
                            "  vote      the machine stands alone\n"
                            "  row 19    want          -9          10 \n"
                            "             got          -9          26*\n";

static char *painted_of(const char *text) {
    char *out = NULL;
    tpu_message why = {{0}};
    cr_assert_eq(paint_report(text, &out, &why), TPU_OK, "%s", why.text);
    return out;
}

static void strip(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == '\033') {
            from += strcspn(from, "m");
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
}

static void expect_has(const char *text, const char *part) {
    cr_expect(strstr(text, part) != NULL, "%s", part);
}

Test(paint, changes_no_character) {
    char *text = painted_of(plain);
    cr_expect_gt(strlen(text), strlen(plain));
    strip(text);
    cr_expect_str_eq(text, plain);
    free(text);
}

Test(paint, marks_verdict_unit_wrong_cells_and_what_is_suggested) {
    char *text = painted_of(plain);
    expect_has(text, "\033[1;31mMISMATCH\033[0m  value in cw");
    expect_has(text, "unit \033[1marray, PE(2,1)\033[0m\n");
    expect_has(text, "          -9          \033[1;31m26*\033[0m\n");
    expect_has(text, "\033[33mbit 4 is flipped\033[0m\n");
    expect_has(text, "\033[33m            one lane in several rows\033[0m\n");
    expect_has(text, "\033[36m  vote      \033[0mthe machine stands alone\n");
    expect_has(text, "  row 19    want          -9          10 \n");
    expect_has(text, "\n  lane 1 of row 19 of cw is 26, expected 10\n");
    free(text);
}

Test(paint, shows_a_right_run_in_another_colour) {
    char *text = painted_of("OK  --  gemm\n\n  cycles    40\n");
    cr_expect_str_eq(text, "\033[1;32mOK\033[0m  --  gemm\n\n\033[36m  cycles    \033[0m40\n");
    free(text);
}

Test(paint, takes_any_text) {
    static const char *const texts[] = {"", "\n\n", "no line feed", "*", "  x"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *text = painted_of(texts[i]);
        strip(text);
        cr_expect_str_eq(text, texts[i]);
        free(text);
    }
}

Test(paint, heeds_the_variables_that_forbid_it) {
    cr_expect(paint_allowed(NULL, "xterm"));
    cr_expect(paint_allowed("", "xterm"));
    cr_expect_not(paint_allowed("1", "xterm"));
    cr_expect_not(paint_allowed(NULL, "dumb"));
    cr_expect_not(paint_allowed(NULL, ""));
    cr_expect_not(paint_allowed(NULL, NULL));
}
