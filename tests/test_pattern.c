// SPDX-License-Identifier: Apache-2.0
//
// Rows made by hand and the words that a person would find for them. Each case says which words
// must stand in the answer, and the last ones that nothing is said where nothing is to be seen.

#include "harness/lockstep/pattern.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

TestSuite(pattern, .timeout = 10);

#define LANES 4u

typedef struct example {
    int64_t want[LANES];
    int64_t got[LANES];
    const char *words; // NULL = nothing may be said
} example;

static void expect(const example *one, unsigned bits) {
    tpu_message text[6];
    const pattern_row row = {.want = one->want, .got = one->got, .lanes = LANES, .bits = bits};
    size_t count = pattern_describe(&row, text, 6);
    bool found = one->words == NULL && count == 0;
    for (size_t i = 0; i < count; i++) {
        found = found || (one->words != NULL && strstr(text[i].text, one->words) != NULL);
    }
    cr_expect(found, "wanted \"%s\", first of %zu answers is \"%s\"",
              one->words != NULL ? one->words : "(nothing)", count, count > 0 ? text[0].text : "");
}

Test(pattern, names_what_wrong_words_have_in_common) {
    static const example cases[] = {
        {{5, -7, 12, 9}, {0, 0, 0, 0}, "all zeros"},
        {{5, -7, 12, 9}, {-5, 7, -12, -9}, "sign is flipped"},
        {{5, -7, 12, 9}, {5, 7, 12, 9}, "sign is flipped"},
        {{5, -7, 12, 9}, {6, -7, 13, 9}, "off by one: 1 too much"},
        {{5, -7, 12, 9}, {5, -7, 12, 8}, "off by one: 1 too little"},
        {{5, -7, 12, 9}, {105, 93, 112, 109}, "every wrong lane is off by 100"},
        {{70000, -7, 12, 9}, {4464, -7, 12, 9}, "low 16 bits are kept"},
        {{40000, -40000, 12, 9}, {-25536, 25536, 12, 9}, "low 16 bits are kept"},
        {{70000, -7, 12, 9}, {4464, 65529, 12, 9}, "low 16 bits are kept, without the sign"},
        {{300, -7, 12, 9}, {44, -7, 12, 9}, "low 8 bits are kept"},
        {{16, 1, 2, 3}, {16, 1, 2, 67}, "bit 6 is flipped"},
        {{1, 2, 4, 9}, {1, 3, 5, 9}, "off by one"},
        {{1, 2, 4, 9}, {1, 3, 5, 9}, "bit 0 reads as 1 in every lane"},
        {{0, 2, 8, 16}, {32, 34, 40, 48}, "bit 5 reads as 1 in every lane"},
        {{37, 34, 72, 16}, {5, 2, 72, 16}, "bit 5 reads as 0 in every lane"},
        {{0x120005, 0x340006, 7, 8}, {0x560005, 0x710006, 7, 8}, "the low 16 bits are right"},
        {{100, 200, 300, 400}, {102, 201, 300, 400}, "only the lowest bits differ"},
        {{0, 0, 3, 4}, {-9, 0, 3, 4}, "not replaced by 0"},
        {{-9, -2, 3, 4}, {0, 0, 3, 4}, "a relu that is not in the program"},
        {{5, -7, 12, 9}, {9, 12, -7, 5}, "reverse order"},
        {{5, -7, 12, 9}, {-7, 12, 9, 5}, "lane 0 holds what belongs to lane 1"},
        {{5, -7, 12, 9}, {9, 5, -7, 12}, "lane 0 holds what belongs to lane 3"},
        {{5, -7, 12, 9}, {5, 12, -7, 9}, "lanes 1 and 2 are exchanged"},
        {{5, -7, 12, 9}, {12, 5, -7, 9}, "same values in another order"},
        {{5, -7, 12, 9}, {12, 12, 12, 12}, "every lane holds what belongs to lane 2"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(&cases[i], 32);
    }
}

Test(pattern, knows_the_bounds_of_int8) {
    static const example cases[] = {
        {{127, 3, -128, 4}, {-100, 3, 90, 4}, "only lanes at a bound"},
        {{127, 127, -128, 4}, {-128, 127, -128, 4}, "only lanes at a bound"},
        {{55, 3, -70, 4}, {127, 3, -128, 4}, "clipped where they should not be"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(&cases[i], 8);
    }
}

Test(pattern, says_nothing_of_a_single_number_that_could_be_anything) {
    static const example cases[] = {{{5, -7, 1200, 9}, {5, -7, 3417, 9}, NULL},
                                    {{5, -7, 1200, 9}, {77, -7, 3417, 9}, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(&cases[i], 32);
    }
}

Test(pattern, says_no_more_than_there_is_room_for) {
    static const int64_t want[LANES] = {-9, -2, 3, 4};
    static const int64_t got[LANES] = {0, 0, 3, 4};
    const pattern_row row = {.want = want, .got = got, .lanes = LANES, .bits = 32};
    cr_expect_eq(pattern_describe(&row, NULL, 0), 0u);
}

Test(pattern, finds_the_wrong_combination_of_two_operands) {
    static const int64_t left[LANES] = {10, -20, 30, 40};
    static const int64_t right[LANES] = {1, 2, -50, 4};
    static const int64_t want[LANES] = {11, -18, -20, 44};
    static const struct {
        int64_t got[LANES];
        const char *words;
    } cases[] = {{{10, -20, 30, 40}, "left operand as it stands"},
                 {{1, 2, -50, 4}, "right operand as it stands"},
                 {{9, -22, 80, 36}, "left minus right"},
                 {{-9, 22, -80, -36}, "right minus left"},
                 {{20, -40, 60, 80}, "left operand twice"},
                 {{2, 4, -100, 8}, "right operand twice"},
                 {{11, 0, 0, 44}, "after a relu"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tpu_message text = {{0}};
        const pattern_row row = {.want = want, .got = cases[i].got, .lanes = LANES, .bits = 32};
        cr_expect_eq(pattern_combine(&row, left, right, &text), 1u, "%s", cases[i].words);
        cr_expect(strstr(text.text, cases[i].words) != NULL, "%s: %s", cases[i].words, text.text);
    }
    static const int64_t other[LANES] = {1, 1, 2, 3};
    tpu_message text;
    const pattern_row row = {.want = want, .got = other, .lanes = LANES, .bits = 32};
    cr_expect_eq(pattern_combine(&row, left, right, &text), 0u);
}

Test(pattern, takes_no_operand_of_zeros_for_one_that_was_left_out) {
    static const int64_t left[LANES] = {0, 0, 0, 0};
    static const int64_t right[LANES] = {-1, 5, 6, 7};
    static const int64_t want[LANES] = {0, 5, 6, 7}; // a vaddrelu
    tpu_message text = {{0}};
    const pattern_row row = {.want = want, .got = right, .lanes = LANES, .bits = 32};
    cr_expect_eq(pattern_combine(&row, left, right, &text), 1u);
    cr_expect(strstr(text.text, "the plain sum") != NULL, "%s", text.text);
    cr_expect_eq(pattern_combine(&row, right, NULL, &text), 1u); // a vrelu
    cr_expect_str_eq(text.text, "it is the operand as it stands");
}

Test(pattern, adds_at_32_bits_as_the_machine_does) {
    static const int64_t left[LANES] = {INT32_MIN, 1, 1, 1};
    static const int64_t right[LANES] = {1, 1, 1, 1};
    static const int64_t want[LANES] = {0, 2, 2, 2};
    static const int64_t got[LANES] = {INT32_MAX, 0, 0, 0}; // INT32_MIN - 1 wraps
    tpu_message text = {{0}};
    const pattern_row row = {.want = want, .got = got, .lanes = LANES, .bits = 32};
    cr_expect_eq(pattern_combine(&row, left, right, &text), 1u);
    cr_expect(strstr(text.text, "left minus right") != NULL, "%s", text.text);
}
