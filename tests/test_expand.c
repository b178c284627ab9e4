// SPDX-License-Identifier: Apache-2.0
//
// Control flow and address generation, on programs small enough to run by hand.

#include "csim/isa/expand.h"

#include "csim/isa/assembly.h"

#include <criterion/criterion.h>
#include <string.h>

static isa_program parse(const char *text) {
    isa_program program = {0};
    tpu_message why = {""};
    cr_assert_eq(assembly_parse(text, "t", &program, &why), TPU_OK, "%s", why.text);
    return program;
}

Test(expand, nested_loops_walk_their_fields) {
    isa_program program =
        parse("loop x2\n loop x3\n"
              "vld rows=1 vr0=10 spad0=5 agu: vr0+=iv0*100, vr0+=iv1*1, spad0+=iv1*7\n"
              "endloop\n nop\n endloop\n");
    static const uint32_t vr[] = {10, 11, 12, 0, 110, 111, 112, 0};
    static const uint32_t spad[] = {5, 12, 19, 0, 5, 12, 19, 0};
    expand it;
    expand_start(&it, &program);
    for (uint32_t i = 0; i < 8; i++) {
        isa_issue issue;
        bool done = true;
        cr_assert_eq(expand_next(&it, &issue, &done, NULL), TPU_OK);
        cr_assert_not(done);
        cr_expect_eq(issue.seq, i);
        cr_expect_eq(issue.pc, i % 4 == 3 ? 4 : 2);
        cr_expect_eq(issue.f[0], vr[i]);
        cr_expect_eq(issue.f[1], spad[i]);
        cr_expect_eq(issue.depth, i % 4 == 3 ? 1 : 2);
        cr_expect_eq(issue.iv[0], i / 4);
        cr_expect_eq(issue.iv[1], i % 4 == 3 ? 0 : i % 4);
    }
    isa_issue issue;
    bool done = false;
    cr_assert_eq(expand_next(&it, &issue, &done, NULL), TPU_OK);
    cr_expect(done);
    cr_expect_eq(it.fetches, 1 + 2 * (1 + 3 * 2 + 1 + 1));
    isa_program_clear(&program);
}

Test(expand, a_loop_of_trip_zero_runs_once_as_in_the_machine) {
    isa_program program = parse("loop x0\nnop\nendloop\n");
    expand it;
    isa_issue issue;
    bool done = false;
    expand_start(&it, &program);
    cr_assert_eq(expand_next(&it, &issue, &done, NULL), TPU_OK);
    cr_expect_not(done);
    cr_assert_eq(expand_next(&it, &issue, &done, NULL), TPU_OK);
    cr_expect(done);
    isa_program_clear(&program);
}

Test(expand, resolved_fields_are_not_cut_to_twelve_bits) {
    isa_program program = parse("loop x3\nvld rows=1 vr0=2047 spad0=0 agu: vr0+=iv0*2047\nendloop");
    expand it;
    isa_issue issue;
    bool done = false;
    expand_start(&it, &program);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(expand_next(&it, &issue, &done, NULL), TPU_OK);
        cr_expect_eq(issue.f[0], 2047 + i * 2047);
    }
    isa_program_clear(&program);
}

Test(expand, a_closed_level_keeps_its_stale_value_for_the_agu) {
    isa_program program =
        parse("loop x3\nnop\nendloop\nvld rows=1 vr0=0 spad0=0 agu: vr0+=iv0*10\n");
    expand it;
    isa_issue issue;
    bool done = false;
    expand_start(&it, &program);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(expand_next(&it, &issue, &done, NULL), TPU_OK);
    }
    cr_expect_eq(issue.f[0], 20);
    cr_expect_eq(issue.iv[0], 0);
    isa_program_clear(&program);
}

static void expect_refused(const char *text, const char *sentence) {
    isa_program program = parse(text);
    expand it;
    isa_issue issue;
    bool done = false;
    tpu_message why = {""};
    tpu_status status = TPU_OK;
    expand_start(&it, &program);
    while (status == TPU_OK && !done) {
        status = expand_next(&it, &issue, &done, &why);
    }
    cr_expect_eq(status, TPU_REFUSED);
    cr_expect_str_eq(why.text, sentence);
    isa_program_clear(&program);
}

Test(expand, runs_that_go_astray_are_refused) {
    expect_refused("nop\nendloop", "instruction 1 (endloop) closes a loop, but none is open");
    expect_refused("loop x2\nloop x2\nloop x2\nloop x2\nloop x2",
                   "instruction 4 (loop) opens a loop inside 4 others; the loop stack holds 4");
    expect_refused("loop x127\nloop x127\nloop x127\nloop x127\nnop\nendloop\nendloop\nendloop\n"
                   "endloop",
                   "the program does not end within 4194304 fetches");
}
