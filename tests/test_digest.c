// SPDX-License-Identifier: Apache-2.0
//
// The fingerprint of a sequence of rows: what must change it and what must not. No value is
// written down; a fingerprint has no right one.

#include "harness/lockstep/digest.h"

#include <criterion/criterion.h>

static uint64_t of(const char *first, const char *second) {
    uint64_t digest = digest_row(DIGEST_START, (const uint8_t *)first, strlen(first));
    return digest_row(digest, (const uint8_t *)second, strlen(second));
}

Test(digest, is_the_same_for_the_same_rows) {
    cr_expect_eq(of("one row, and", "another"), of("one row, and", "another"));
}

Test(digest, sees_the_order_of_rows) {
    cr_expect_neq(of("ab", "cd"), of("cd", "ab"));
    cr_expect_neq(of("eight ch", "ars each"), of("ars each", "eight ch"));
}

Test(digest, sees_where_one_row_ends_and_the_next_begins) {
    cr_expect_neq(of("ab", "cd"), of("abc", "d"));
    cr_expect_neq(of("", "abcd"), of("abcd", ""));
}

Test(digest, sees_every_bit_of_every_byte) {
    uint8_t row[19] = {0};
    const uint64_t plain = digest_row(DIGEST_START, row, sizeof row);
    for (size_t bit = 0; bit < 8 * sizeof row; bit++) {
        row[bit / 8] = (uint8_t)(1u << bit % 8);
        cr_expect_neq(digest_row(DIGEST_START, row, sizeof row), plain, "bit %zu", bit);
        row[bit / 8] = 0;
    }
}

Test(digest, sees_the_order_of_the_words_of_a_row) {
    const uint64_t left = digest_word(digest_word(DIGEST_START, 1), 2);
    const uint64_t right = digest_word(digest_word(DIGEST_START, 2), 1);
    cr_expect_neq(left, right);
}
