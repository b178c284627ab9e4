// SPDX-License-Identifier: Apache-2.0
//
// The loop-nest builder: what it derives and what it refuses to write.

#include "csim/isa/nest.h"

#include "csim/isa/disasm.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect_text(nest *n, const char *wanted) {
    isa_program program = {0};
    tpu_message why = {""};
    char *text = NULL;
    cr_assert_eq(nest_finish(n, &program, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(disasm_program(&program, &text, NULL), TPU_OK);
    cr_expect_str_eq(text, wanted);
    free(text);
    isa_program_clear(&program);
}

static void expect_refused(nest *n, const char *sentence) {
    isa_program program = {0};
    tpu_message why = {""};
    cr_expect_eq(nest_finish(n, &program, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, sentence);
    cr_expect_null(program.insn);
}

static void mm_walking(nest *n, nest_ref vr_a) {
    nest_mm(n, vr_a, nest_base(0), nest_base(0), nest_base(0), 8);
}

Test(nest, swapping_two_loops_moves_the_levels_along) {
    for (int swapped = 0; swapped < 2; swapped++) {
        nest n;
        nest_start(&n);
        nest_iv outer = nest_open(&n, 2, swapped ? "k" : "n");
        nest_iv inner = nest_open(&n, 3, swapped ? "n" : "k");
        nest_iv nb = swapped ? inner : outer;
        nest_iv kb = swapped ? outer : inner;
        nest_mm(&n, nest_at(nest_base(64), kb, 64), nest_base(0), nest_base(1),
                nest_at(nest_at(nest_base(4), nb, 64), kb, 4), 8);
        nest_close(&n, inner);
        nest_close(&n, outer);
        expect_text(&n, swapped
                            ? "loop x2\n  loop x3\n    mm rows=8 vr_a=64 ar0=0 acc=1 spad_w=4   "
                              "agu: vr_a+=iv0*64, spad_w+=iv1*64, spad_w+=iv0*4\n"
                              "  endloop\nendloop\n"
                            : "loop x2\n  loop x3\n    mm rows=8 vr_a=64 ar0=0 acc=1 spad_w=4   "
                              "agu: vr_a+=iv1*64, spad_w+=iv0*64, spad_w+=iv1*4\n"
                              "  endloop\nendloop\n");
    }
}

Test(nest, every_data_opcode_can_be_written) {
    nest n;
    nest_start(&n);
    nest_dma_ld(&n, NEST_FROM_B, NEST_TO_VR, nest_base(1), nest_base(2), nest_base(3), 4);
    nest_vld(&n, nest_base(1), nest_base(2), 3);
    nest_mm(&n, nest_base(1), nest_base(2), nest_base(1), nest_base(3), 4);
    nest_vadd(&n, nest_base(1), nest_base(2), nest_base(3), 4);
    nest_vrelu(&n, nest_base(1), nest_base(2), 3);
    nest_vaddrelu(&n, nest_base(1), nest_base(2), nest_base(3), 4);
    nest_mvout(&n, nest_base(1), nest_base(2), nest_base(3), 4);
    nest_nop(&n);
    expect_text(&n, "dma_ld rows=4 mode=3 dram_row0=1 col_block=2 dst_row0=3\n"
                    "vld rows=3 vr0=1 spad0=2\n"
                    "mm rows=4 vr_a=1 ar0=2 acc=1 spad_w=3\n"
                    "vadd rows=4 ar_d=1 ar_s1=2 ar_s2=3\n"
                    "vrelu rows=3 ar_d=1 ar_s=2\n"
                    "vaddrelu rows=4 ar_d=1 ar_s1=2 ar_s2=3\n"
                    "mvout rows=4 ar0=1 dram_row0=2 col_block=3\n"
                    "nop\n");
}

Test(nest, a_folded_loop_of_one_trip_is_left_out) {
    nest n;
    nest_start(&n);
    nest_iv once = nest_open_folded(&n, 1, "k");
    mm_walking(&n, nest_at(nest_base(5), once, 64));
    nest_close(&n, once);
    nest_iv twice = nest_open_folded(&n, 2, "k");
    nest_nop(&n);
    nest_close(&n, twice);
    expect_text(&n, "mm rows=8 vr_a=5 ar0=0 acc=0 spad_w=0\nloop x2\n  nop\nendloop\n");
}

Test(nest, a_nest_too_deep_is_named) {
    nest n;
    nest_start(&n);
    static const char *const names[] = {"n", "k", "m", "j", "i"};
    for (size_t i = 0; i < 5; i++) {
        (void)nest_open(&n, 2, names[i]);
    }
    expect_refused(&n, "the nest is n > k > m > j > i: 5 loops deep, and the loop stack holds 4");
}

Test(nest, trip_counts_outside_one_to_127_are_refused) {
    nest n;
    nest_start(&n);
    (void)nest_open(&n, 0, "k");
    expect_refused(&n, "loop k has trip count 0, but the machine tests at the end of the body and "
                       "would run it once: leave the loop out");
    nest_start(&n);
    (void)nest_open(&n, 128, "k");
    expect_refused(&n, "loop k has trip count 128; 1..127 can be encoded");
}

Test(nest, a_stale_induction_variable_is_refused) {
    nest n;
    nest_start(&n);
    nest_iv k = nest_open(&n, 2, "k");
    nest_close(&n, k);
    nest_iv other = nest_open(&n, 2, "n");
    mm_walking(&n, nest_at(nest_base(0), k, 64));
    nest_close(&n, other);
    expect_refused(&n, "vr_a of mm walks loop k, which is not open here: the machine would add a "
                       "stale induction value");
}

Test(nest, an_induction_variable_of_another_program_is_refused) {
    nest n;
    nest elsewhere;
    nest_start(&n);
    nest_start(&elsewhere);
    nest_iv foreign = nest_open(&elsewhere, 2, "k");
    (void)nest_open(&n, 2, "k");
    mm_walking(&n, nest_at(nest_base(0), foreign, 64));
    expect_refused(&n, "vr_a of mm walks loop k, which belongs to another program");
    isa_program_clear(&elsewhere.program);
}

Test(nest, more_terms_than_an_instruction_carries_are_refused) {
    for (uint32_t walks = 3; walks <= 12; walks++) {
        nest n;
        nest_start(&n);
        nest_iv k = nest_open(&n, 2, "k");
        nest_ref ref = nest_base(0);
        for (uint32_t i = 0; i < walks; i++) {
            ref = nest_at(ref, k, 1);
        }
        mm_walking(&n, ref);
        nest_close(&n, k);
        isa_program program = {0};
        cr_expect_eq(nest_finish(&n, &program, NULL), walks == 3 ? TPU_OK : TPU_REFUSED);
        isa_program_clear(&program);
    }
}

Test(nest, a_fourth_term_on_acc_breaks_the_budget) {
    nest n;
    nest_start(&n);
    nest_iv nb = nest_open(&n, 2, "n");
    nest_iv kb = nest_open(&n, 2, "k");
    nest_mm(&n, nest_at(nest_base(0), kb, 64), nest_base(0), nest_at(nest_base(0), kb, 1),
            nest_at(nest_at(nest_base(0), nb, 64), kb, 4), 8);
    expect_refused(&n, "mm needs 4 address terms (one for each loop that a field walks); an "
                       "instruction carries 3");
}

Test(nest, loops_must_be_closed_and_in_order) {
    nest n;
    nest_start(&n);
    (void)nest_open(&n, 2, "n");
    (void)nest_open(&n, 2, "k");
    expect_refused(&n, "the program ends inside n > k: loop k was never closed");
    nest_start(&n);
    nest_iv outer = nest_open(&n, 2, "n");
    (void)nest_open(&n, 2, "k");
    nest_close(&n, outer);
    expect_refused(&n, "loop n cannot be closed here: it is not the innermost open loop "
                       "(open: n > k)");
}

Test(nest, values_that_cannot_be_encoded_are_refused) {
    nest n;
    nest_start(&n);
    mm_walking(&n, nest_base(2048));
    expect_refused(&n, "vr_a of mm is 2048; 0..2047 can be encoded");
    nest_start(&n);
    nest_vrelu(&n, nest_base(0), nest_base(0), 128);
    expect_refused(&n, "vrelu works on 128 rows; 1..127 can be encoded");
    nest_start(&n);
    nest_vrelu(&n, nest_base(0), nest_base(0), 0);
    expect_refused(&n, "vrelu works on 0 rows; 1..127 can be encoded");
    nest_start(&n);
    nest_iv k = nest_open(&n, 2, "k");
    mm_walking(&n, nest_at(nest_base(0), k, 2048));
    expect_refused(&n, "vr_a of mm walks loop k by 2048 rows; 0..2047 can be encoded");
}

Test(nest, the_first_mistake_is_the_one_reported) {
    nest n;
    nest_start(&n);
    mm_walking(&n, nest_base(2048));
    (void)nest_open(&n, 0, "k");
    expect_refused(&n, "vr_a of mm is 2048; 0..2047 can be encoded");
}
