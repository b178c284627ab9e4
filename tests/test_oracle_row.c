// SPDX-License-Identifier: Apache-2.0
//
// Rows of every stream worked out by hand from the page of the instruction set, T = 4, MAXDIM = 8.

#include "harness/oracle/oracle_row.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

TestSuite(oracle_row, .timeout = 10);

static const uint64_t header[8] = {3, 11, 22, 33, 0x12340005, 55, 66, 0x00020008};
static int8_t a_matrix[64];
static int8_t b_matrix[64];

static oracle_row_facts facts_of(const oracle_issue *issue, uint32_t in_issue) {
    for (int i = 0; i < 64; i++) {
        a_matrix[i] = (int8_t)i;
        b_matrix[i] = (int8_t)(-i);
    }
    return (oracle_row_facts){.t = 4,
                              .maxdim = 8,
                              .words = header,
                              .issue = issue,
                              .in_issue = in_issue,
                              .matrix_a = a_matrix,
                              .matrix_b = b_matrix};
}

static void expect_row(unsigned stream, const oracle_row_facts *facts, const char *hex) {
    uint8_t row[64] = {0};
    char text[129];
    uint32_t from = 0;
    uint32_t to = 0;
    cr_assert(oracle_row(stream, facts, row, &from, &to), "stream %u", stream);
    for (uint32_t i = from; i < to; i++) {
        (void)snprintf(text + 2 * (i - from), 3, "%02x", row[i]);
    }
    cr_expect_str_eq(text, hex, "stream %u: %s", stream, text);
}

static void expect_silence(unsigned stream, const oracle_row_facts *facts) {
    uint8_t row[64];
    uint32_t from = 0;
    uint32_t to = 0;
    cr_expect_not(oracle_row(stream, facts, row, &from, &to), "stream %u", stream);
}

Test(oracle_row, hands_the_header_out) {
    oracle_row_facts facts = facts_of(NULL, 0);
    expect_row(1, &facts, "0b00000000000000");
    expect_row(2, &facts, "1600000000000000");
    expect_row(3, &facts, "2100000000000000");
    expect_row(4, &facts, "3700000000000000");
    expect_row(5, &facts, "4200000000000000");
    expect_row(9, &facts, "05003412"); // word 4
    facts.in_issue = 1;
    expect_row(1, &facts, "0800020000000000");
    expect_row(2, &facts, "0500341200000000");
    expect_silence(3, &facts);
    expect_silence(11, &facts);
    expect_silence(0, &facts);
}

Test(oracle_row, counts_rows_as_each_unit_does) {
    // mm of 3 rows: vr_a 1, ar0 2, acc 1, spad_w 4. Word: op | f0 << 6 | f1 << 18 | f2 << 30 |
    // f3 << 42 | nr << 54.
    const oracle_issue mm = {.op = 4, .nr = 3, .f = {1, 2, 1, 4}};
    const oracle_row_facts of_mm = facts_of(&mm, 0);
    const uint64_t as_is = 4 | 1ull << 6 | 2ull << 18 | 1ull << 30 | 4ull << 42 | 3ull << 54;
    const uint64_t for_spm = 4 | 1ull << 6 | 3ull << 18 | 1ull << 30 | 4ull << 42 | 5ull << 54;
    uint8_t row[8];
    uint32_t from = 0;
    uint32_t to = 0;
    cr_assert(oracle_row(3, &of_mm, row, &from, &to));
    cr_expect_eq(memcmp(row, &as_is, 8), 0);
    cr_assert(oracle_row(2, &of_mm, row, &from, &to));
    cr_expect_eq(memcmp(row, &for_spm, 8), 0);
    const oracle_issue vadd = {.op = 5, .nr = 100, .f = {0, 0, 0, 0}};
    const oracle_row_facts of_vadd = facts_of(&vadd, 0);
    const uint64_t doubled = 5 | 200ull << 54;
    cr_assert(oracle_row(4, &of_vadd, row, &from, &to));
    cr_expect_eq(memcmp(row, &doubled, 8), 0);
}

Test(oracle_row, shows_an_issue_without_its_place) {
    const oracle_issue vld = {.op = 3, .nr = 2, .f = {0x102, 7, 0, 0}};
    const oracle_row_facts facts = facts_of(&vld, 0);
    expect_row(0, &facts, "03020201070000000000"); // bytes 2 to 11 of the row
}

Test(oracle_row, loads_blocks_of_the_matrices) {
    oracle_issue load = {.op = 1, .nr = 2, .f = {0, 1, 1, 5}}; // A, row 1, block 1
    oracle_row_facts facts = facts_of(&load, 0);
    expect_row(6, &facts, "0c0d0e0f");
    facts.in_issue = 1;
    expect_row(7, &facts, "14151617");
    load.f[0] = 1;
    expect_row(6, &facts, "ecebeae9"); // -20, -21, -22, -23
}

Test(oracle_row, hands_rows_on_with_their_addresses) {
    static const uint8_t lanes[4] = {1, 2, 0xfe, 4};
    const oracle_issue load = {.op = 1, .nr = 2, .f = {2, 0, 0, 0x105}};
    const oracle_issue vld = {.op = 3, .nr = 2, .f = {0x102, 7, 0, 0}};
    const oracle_issue mm = {.op = 4, .nr = 9, .f = {0, 0, 0, 0}};
    const oracle_issue mvout = {.op = 7, .nr = 2, .f = {0, 6, 1, 0}};
    oracle_row_facts facts = facts_of(&load, 1);
    expect_silence(13, &facts);
    facts.lanes = lanes;
    expect_row(13, &facts, "06010102fe04");
    expect_row(14, &facts, "0601010102fe04"); // from dma_ld: loaded
    facts.issue = &vld;
    expect_row(14, &facts, "0301000102fe04"); // a copy of a row that was not
    expect_row(8, &facts, "000102fe04");
    facts.written = true;
    expect_row(14, &facts, "0301010102fe04");
    facts.issue = &mm;
    expect_row(9, &facts, "0102fe04");
    expect_row(10, &facts, "0102fe04");
    facts.in_issue = 0;
    expect_row(9, &facts, "09000000"); // the row count before the weights
    facts.issue = &mvout;
    facts.in_issue = 1;
    expect_row(17, &facts, "070001000102fe04");
}

Test(oracle_row, computes) {
    static const int8_t a[4] = {1, 2, 3, 4};
    static const int8_t w[16] = {1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1, -1, 0, 0, 0, -128};
    static const int32_t left[4] = {127, 128, -129, INT32_MIN};
    static const int32_t right[4] = {1, -200, 4, -1};
    oracle_issue mm = {.op = 4, .nr = 1, .f = {0, 9, 0, 0}};
    oracle_row_facts facts = facts_of(&mm, 0);
    facts.a = a;
    facts.w = w;
    expect_row(11, &facts, "010000000200000003000000fafdffff"); // 1 2 3, -6 - 512 = -518
    facts.left = left;
    facts.right = right;
    expect_row(12, &facts, "7f7f8080");
    expect_row(15, &facts, "09000100000038ffffff04000000ffffffff");
    mm.f[2] = 1; // 128, -72, -125, wraps to INT32_MAX
    expect_row(15, &facts, "090080000000b8ffffff83ffffffffffff7f");
}

Test(oracle_row, adds_and_rectifies) {
    static const int32_t left[4] = {5, -5, INT32_MAX, -1};
    static const int32_t right[4] = {1, 2, 1, 1};
    oracle_issue issue = {.op = 5, .nr = 1, .f = {3, 0, 0, 0}};
    oracle_row_facts facts = facts_of(&issue, 0);
    expect_silence(16, &facts);
    facts.left = left;
    expect_silence(16, &facts);
    facts.right = right;
    expect_row(16, &facts, "030006000000fdffffff0000008000000000"); // vadd: 6 -3 wraps 0
    issue.op = 10;
    expect_row(16, &facts, "030006000000000000000000000000000000"); // vaddrelu
    issue.op = 6;
    facts.right = NULL;
    expect_row(16, &facts, "03000500000000000000ffffff7f00000000"); // vrelu of the left
}
