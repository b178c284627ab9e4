// SPDX-License-Identifier: Apache-2.0
//
// The header is the published one of the 8x8x8 GEMM with relu (see lockstep_rig.c); distances are
// counted on fingers: an instruction of n rows takes n steps of accu, a vadd 2n.

#include "harness/oracle/oracle_law.h"

#include "tests/support/lockstep_rig.h"

#include <criterion/criterion.h>

#include <string.h>

TestSuite(oracle_law, .timeout = 10);

Test(oracle_law, adds_up_the_header_of_a_gemm) {
    static const uint64_t header[8] = {14, 32, 36, 48, 2097156, 64, 16, 524296};
    lockstep_rig rig;
    oracle_flow flow = {.issue = NULL};
    uint64_t words[8];
    lockstep_rig_create(&rig);
    cr_assert_eq(oracle_flow_run(rig.job.words, rig.job.word_count, &flow, NULL), TPU_OK);
    cr_expect_eq(oracle_law_header(&flow, 4, header), 0u);
    for (unsigned word = 1; word < 8; word++) {
        memcpy(words, header, sizeof words);
        words[word]++;
        cr_expect_eq(oracle_law_header(&flow, 4, words), word);
    }
    oracle_flow_clear(&flow);
    lockstep_rig_destroy(&rig);
}

static bool keeps(const oracle_issue *issues, size_t count) {
    oracle_issue copy[8];
    memcpy(copy, issues, count * sizeof issues[0]);
    const oracle_flow flow = {.issue = copy, .count = count};
    return oracle_law_distance(&flow, 64);
}

Test(oracle_law, counts_steps_between_write_and_read) {
    // mm writes rows 0 to 3 in steps 0 to 3; mvout reads them in steps 4 to 7: 4 apart.
    const oracle_issue four[] = {{.op = 4, .nr = 4}, {.op = 7, .nr = 4}};
    cr_expect(keeps(four, 2));
    // Of 3 rows: written in 0 to 2, read in 3 to 5.
    const oracle_issue three[] = {{.op = 4, .nr = 3}, {.op = 7, .nr = 3}};
    cr_expect_not(keeps(three, 2));
    // An accumulating mm reads its rows, an overwriting one does not.
    const oracle_issue add[] = {{.op = 4, .nr = 3}, {.op = 4, .nr = 3, .f = {0, 0, 1}}};
    const oracle_issue replace[] = {{.op = 4, .nr = 3}, {.op = 4, .nr = 3, .f = {0, 0, 0}}};
    cr_expect_not(keeps(add, 2));
    cr_expect(keeps(replace, 2));
    // vrelu of rows 0 to 2 right after: too near; with a store of one other row between: not.
    const oracle_issue relu[] = {{.op = 4, .nr = 3}, {.op = 6, .nr = 3, .f = {8, 0}}};
    const oracle_issue later[] = {
        {.op = 4, .nr = 3}, {.op = 7, .nr = 1, .f = {20}}, {.op = 6, .nr = 3, .f = {8, 0}}};
    cr_expect_not(keeps(relu, 2));
    cr_expect(keeps(later, 3));
}

Test(oracle_law, knows_that_a_pair_takes_two_steps) {
    // mm row 0 in step 0, row 1 in step 1, row 2 in step 2. vadd of one row begins in step 3: its
    // left row is read in 3, its right one in 4.
    const oracle_issue left[] = {{.op = 4, .nr = 3}, {.op = 5, .nr = 1, .f = {9, 0, 0}}};
    const oracle_issue right[] = {{.op = 4, .nr = 3}, {.op = 5, .nr = 1, .f = {9, 30, 0}}};
    const oracle_issue near[] = {{.op = 4, .nr = 3}, {.op = 10, .nr = 1, .f = {9, 30, 1}}};
    cr_expect_not(keeps(left, 2));
    cr_expect(keeps(right, 2));
    cr_expect_not(keeps(near, 2));
}
