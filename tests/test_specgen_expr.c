// SPDX-License-Identifier: Apache-2.0
//
// The expression language: values worked out by hand, texts that must not parse.

#include "spec/specgen_expr.h"

#include <criterion/criterion.h>
#include <string.h>

static bool look_up(void *user, const char *name, int64_t *value) {
    (void)user;
    *value = 6;
    return strcmp(name, "six") == 0;
}

static bool name_c(void *user, const char *name, specgen_text *text) {
    (void)user;
    specgen_text_add(text, "v_%s", name);
    return strcmp(name, "bad") != 0;
}

Test(specgen_expr, values_are_those_worked_out_by_hand) {
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 3 - 2", 5},
        {"2 ** 3 * 2", 16},
        {"2 ** (8 - 1) - 1", 127},
        {"17 // 5", 3},
        {"(0 - 7) // 2", -4},
        {"(0 - 7) % 2", 1},
        {"17 % 5", 2},
        {"six & 3", 2},
        {"six | 1", 7},
        {"six ^ 3", 5},
        {"1 << 4 >> 1", 8},
        {"(six & 2) == 2", 1},
        {"six != 6 or 3 < 2", 0},
        {"six >= 6 and 2 <= 2 and 5 > 4", 1},
        {"min(3, six, 2)", 2},
        {"max(128, 64, 2 * six + 8)", 128},
        {"min(max(1, 2), 3)", 2},
        {"0x10 + 1", 17},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        specgen_expr expr;
        tpu_message why = {{0}};
        int64_t value = -99;
        cr_assert_eq(specgen_expr_parse(cases[i].text, &expr, &why), TPU_OK, "%s", why.text);
        cr_expect_eq(specgen_expr_eval(&expr, look_up, NULL, &value, &why), TPU_OK, "%s", why.text);
        cr_expect_eq(value, cases[i].value, "%s gave %lld", cases[i].text, (long long)value);
    }
}

Test(specgen_expr, a_text_that_does_not_parse_is_refused_with_its_column) {
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        {"", "column 1"},       {"1 +", "column 4"},
        {"(1", "column 3"},     {"1 2", "column 3"},
        {"a $ b", "column 3"},  {"sqrt(2)", "column 1"},
        {"min(1)", "column 6"}, {"1 + * 2", "column 5"},
        {"3x", "column 1"},     {"99999999999999999999", "column 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        specgen_expr expr;
        tpu_message why = {{0}};
        cr_expect_eq(specgen_expr_parse(cases[i].text, &expr, &why), TPU_REFUSED, "%s",
                     cases[i].text);
        cr_expect_not_null(strstr(why.text, cases[i].said), "%s: %s", cases[i].text, why.text);
    }
}

Test(specgen_expr, nesting_and_length_are_bounded) {
    char deep[200];
    char length[900] = "1";
    specgen_expr expr;
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    cr_expect_eq(specgen_expr_parse(deep, &expr, NULL), TPU_REFUSED);
    for (int i = 0; i < 120; i++) {
        memcpy(length + strlen(length), " + 1", 5);
    }
    cr_expect_eq(specgen_expr_parse(length, &expr, NULL), TPU_REFUSED);
}

Test(specgen_expr, what_has_no_value_is_refused) {
    static const char *const texts[] = {
        "1 // 0",    "1 % 0",        "2 ** 63",           "seven",       "1 << 63",
        "0 - 1 & 1", "(0 - 1) >> 1", "2 ** 40 * 2 ** 40", "1 // (0 - 2)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        specgen_expr expr;
        int64_t value = 0;
        cr_assert_eq(specgen_expr_parse(texts[i], &expr, NULL), TPU_OK, "%s", texts[i]);
        cr_expect_eq(specgen_expr_eval(&expr, look_up, NULL, &value, NULL), TPU_REFUSED, "%s",
                     texts[i]);
    }
}

static tpu_status to_c(const char *source, specgen_text *text) {
    specgen_expr expr;
    tpu_status status = specgen_expr_parse(source, &expr, NULL);
    return status == TPU_OK ? specgen_expr_c(&expr, name_c, NULL, text, NULL) : status;
}

Test(specgen_expr, c_text_keeps_the_grouping) {
    specgen_text text = {0};
    cr_assert_eq(to_c("(a // b) * c <= 4 and max(a, 1) % 2 == 0", &text), TPU_OK);
    cr_expect_str_eq(text.data, "((quotient(v_a, v_b) * v_c) <= 4) && "
                                "(remainder_of(larger(v_a, 1), 2) == 0)");
    specgen_text_clear(&text);
}

Test(specgen_expr, c_text_has_no_minus_no_power_and_no_unknown_name) {
    static const char *const texts[] = {"a - 1", "a ** 2", "bad + 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        specgen_text text = {0};
        cr_expect_eq(to_c(texts[i], &text), TPU_REFUSED, "%s", texts[i]);
        specgen_text_clear(&text);
    }
}
