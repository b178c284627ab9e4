// SPDX-License-Identifier: Apache-2.0
//
// Traits of programs written by hand, whose meetings and distances are worked out in the comments.

#include "harness/stress/traits.h"

#include "csim/isa/assembly.h"

#include <criterion/criterion.h>

#define LOADS                                                                                      \
    "dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"                                    \
    "dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
#define MM8 "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n"

static traits_set traits(const char *text) {
    const tpu_params params = params_default(4, 16); // spad 64, vr 64, ar 128, 4 column blocks
    isa_program program = {0};
    tpu_message why;
    traits_set set = 0;
    cr_assert_eq(assembly_parse(text, "text", &program, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(traits_of(&params, &program, &set, &why), TPU_OK, "%s", why.text);
    isa_program_clear(&program);
    return set;
}

static bool has(traits_set set, traits_name name) {
    return (set >> name & 1u) != 0;
}

#define EXPECT(set, name) cr_expect(has(set, TRAITS_##name), "%s", traits_text(TRAITS_##name))
#define EXPECT_NOT(set, name) cr_expect(!has(set, TRAITS_##name), "%s", traits_text(TRAITS_##name))

Test(traits, a_nop_has_nothing_but_itself) {
    traits_set set = traits("nop\n");
    cr_expect_eq(set, (traits_set)1 << TRAITS_NOP | (traits_set)1 << TRAITS_SHORT_PROGRAM);
}

Test(traits, loads_are_told_apart_by_source_and_target) {
    traits_set set = traits(LOADS);
    EXPECT(set, DMA_B_SPAD);
    EXPECT(set, DMA_A_VR);
    EXPECT_NOT(set, DMA_A_SPAD);
    EXPECT_NOT(set, DMA_B_VR);
    EXPECT(set, SPAD_LOW);
    EXPECT_NOT(set, SPAD_TOP);
    EXPECT_NOT(set, DRAM_TOP);
}

Test(traits, the_last_rows_count_only_with_their_last_row) {
    traits_set set = traits("dma_ld rows=8 mode=0 dram_row0=8 col_block=3 dst_row0=56\n");
    EXPECT(set, SPAD_TOP);
    EXPECT(set, DRAM_TOP);
    set = traits("dma_ld rows=8 mode=0 dram_row0=8 col_block=2 dst_row0=55\n");
    EXPECT_NOT(set, SPAD_TOP);
    EXPECT_NOT(set, DRAM_TOP);
}

Test(traits, a_store_of_the_fourth_last_row_is_at_the_exact_distance) {
    // mm writes row i at step i; the store begins at step 8, so row 4 is 4 steps old.
    traits_set set = traits(LOADS MM8 "mvout rows=1 ar0=4 dram_row0=0 col_block=0\n");
    EXPECT(set, EXACT_MVOUT);
    EXPECT(set, MVOUT_OVER_MM);
    set = traits(LOADS MM8 "mvout rows=1 ar0=3 dram_row0=0 col_block=0\n");
    EXPECT_NOT(set, EXACT_MVOUT);
}

Test(traits, the_right_source_is_read_a_step_after_the_left) {
    // Step 8 reads the left source, step 9 the right: rows 4 and 5 are 4 steps old then.
    traits_set set = traits(LOADS MM8 "vadd rows=1 ar_d=20 ar_s1=4 ar_s2=0\n");
    EXPECT(set, EXACT_LEFT);
    EXPECT_NOT(set, EXACT_RIGHT);
    set = traits(LOADS MM8 "vadd rows=1 ar_d=20 ar_s1=0 ar_s2=5\n");
    EXPECT(set, EXACT_RIGHT);
    EXPECT_NOT(set, EXACT_LEFT);
}

Test(traits, an_instruction_meets_its_own_rows) {
    // vrelu writes row 4 + i at step i and reads row i: row 4 at step 4, its own.
    traits_set set = traits(LOADS MM8 "vrelu rows=6 ar_d=4 ar_s=0\n");
    EXPECT(set, OWN_ROW);
    EXPECT(set, OVERLAP_VRELU);
    set = traits(LOADS MM8 "vrelu rows=4 ar_d=4 ar_s=0\n");
    EXPECT_NOT(set, OWN_ROW);
    EXPECT_NOT(set, OVERLAP_VRELU);
}

Test(traits, aliases_of_the_addition_are_told_apart) {
    traits_set set = traits(LOADS MM8 "vadd rows=2 ar_d=1 ar_s1=1 ar_s2=3\n");
    EXPECT(set, DEST_IS_LEFT);
    EXPECT_NOT(set, DEST_IS_RIGHT);
    EXPECT_NOT(set, SAME_SOURCES);
    EXPECT_NOT(set, OVERLAP_VADD); // rows 3..4 are not rows 1..2
    set = traits(LOADS MM8 "vadd rows=2 ar_d=2 ar_s1=3 ar_s2=3\n");
    EXPECT(set, SAME_SOURCES);
    EXPECT(set, OVERLAP_VADD);
}

Test(traits, overwriting_what_the_mm_before_reads_is_seen) {
    traits_set set = traits(LOADS MM8 "dma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=3\n");
    EXPECT(set, WEIGHTS_RELOADED); // weights are rows 0..3
    EXPECT_NOT(set, ACTIVATIONS_LOST);
    set = traits(LOADS MM8 "dma_ld rows=1 mode=2 dram_row0=0 col_block=0 dst_row0=7\n");
    EXPECT(set, ACTIVATIONS_LOST);
    EXPECT_NOT(set, WEIGHTS_RELOADED);
    set = traits(LOADS MM8 "dma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=4\n");
    EXPECT_NOT(set, WEIGHTS_RELOADED);
}

Test(traits, a_copy_of_rows_nobody_wrote_is_seen) {
    traits_set set = traits(LOADS "vld rows=2 vr0=0 spad0=7\n"); // rows 7 and 8, loaded is 0..7
    EXPECT(set, VLD_UNWRITTEN);
    EXPECT_NOT(set, VLD_FRESH); // the instruction before loaded vr
    set = traits("dma_ld rows=2 mode=0 dram_row0=0 col_block=0 dst_row0=0\n"
                 "vld rows=2 vr0=0 spad0=0\n");
    EXPECT(set, VLD_FRESH);
    EXPECT_NOT(set, VLD_UNWRITTEN);
}

Test(traits, loops_are_measured) {
    traits_set set = traits("loop x2\n  loop x1\n    loop x40\n    endloop\n  endloop\nendloop\n");
    EXPECT(set, NEST_3);
    EXPECT(set, TRIP_1);
    EXPECT(set, TRIP_LONG);
    EXPECT(set, LOOP_EMPTY);
    EXPECT_NOT(set, NEST_4);
}

Test(traits, a_store_that_walks_all_three_fields_is_seen) {
    const char *const loop =
        LOADS MM8 "loop x2\n"
                  "  mvout rows=2 ar0=0 dram_row0=0 col_block=0 agu: ar0+=iv0*2, dram_row0+=iv0*2, "
                  "col_block+=iv0*1\n"
                  "endloop\n";
    traits_set set = traits(loop);
    EXPECT(set, MVOUT_LOOP);
    EXPECT(set, MVOUT_LOOP_3);
    set = traits(LOADS MM8 "loop x2\n"
                           "  mvout rows=2 ar0=0 dram_row0=0 col_block=0 agu: ar0+=iv0*2, "
                           "dram_row0+=iv0*2, col_block+=iv0*0\n"
                           "endloop\n");
    EXPECT(set, MVOUT_LOOP);
    EXPECT_NOT(set, MVOUT_LOOP_3); // the block stays
}

Test(traits, terms_of_several_loops_count_only_in_a_full_nest) {
    traits_set set = traits("loop x2\nloop x2\nloop x1\nloop x1\n"
                            "dma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=0 "
                            "agu: dst_row0+=iv0*1, dram_row0+=iv1*1\n"
                            "endloop\nendloop\nendloop\nendloop\n");
    EXPECT(set, NEST_4_TERMS);
    set = traits("loop x2\nloop x2\nloop x1\nloop x1\n"
                 "dma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=0 "
                 "agu: dst_row0+=iv0*1, dram_row0+=iv0*1, col_block+=iv2*1\n"
                 "endloop\nendloop\nendloop\nendloop\n");
    EXPECT(set, NEST_4);
    EXPECT_NOT(set, NEST_4_TERMS); // loop 2 has one turn, and the others are one loop
    set = traits("loop x2\nloop x2\n"
                 "dma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=0 "
                 "agu: dst_row0+=iv0*1, dram_row0+=iv1*1\n"
                 "endloop\nendloop\n");
    EXPECT_NOT(set, NEST_4_TERMS);
}

Test(traits, many_turns_count_only_in_the_fourth_loop) {
    traits_set set = traits("loop x1\nloop x2\nloop x1\nloop x64\nnop\n"
                            "endloop\nendloop\nendloop\nendloop\n");
    EXPECT(set, NEST_4_LONG);
    set = traits("loop x64\nloop x2\nloop x1\nloop x63\nnop\n"
                 "endloop\nendloop\nendloop\nendloop\n");
    EXPECT(set, NEST_4);
    EXPECT_NOT(set, NEST_4_LONG);
}

Test(traits, a_walking_accumulate_field_is_seen) {
    traits_set set = traits(LOADS "loop x2\n"
                                  "  mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0 agu: acc+=iv0*1\n"
                                  "endloop\n");
    EXPECT(set, ACC_WALKS);
    EXPECT(set, TERM_F2);
    EXPECT(set, EXACT_MM); // four rows come round four steps later
    EXPECT(set, MM_BACK_TO_BACK);
    EXPECT(set, MM_SHORT_PAIR);
    set = traits(LOADS "loop x1\n"
                       "  mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0 agu: acc+=iv0*1\n"
                       "endloop\n");
    EXPECT_NOT(set, ACC_WALKS);
    EXPECT(set, STRIDE_IDLE);
}

Test(traits, words_of_c_written_twice_are_seen) {
    traits_set set = traits(LOADS MM8 "mvout rows=2 ar0=0 dram_row0=14 col_block=3\n");
    EXPECT(set, C_TOP);
    EXPECT_NOT(set, C_AGAIN);
    set = traits(LOADS MM8 "mvout rows=2 ar0=0 dram_row0=0 col_block=0\n"
                           "mvout rows=1 ar0=0 dram_row0=1 col_block=0\n");
    EXPECT(set, C_AGAIN);
}

Test(traits, a_program_that_runs_astray_is_refused) {
    const tpu_params params = params_default(4, 16);
    isa_insn insn = {.op = TPU_OP_ENDLOOP};
    isa_program program = {.insn = &insn, .count = 1, .capacity = 1};
    traits_set set = 77;
    cr_expect_eq(traits_of(&params, &program, &set, NULL), TPU_REFUSED);
    cr_expect_eq(set, 77u);
}

Test(traits, every_trait_has_a_text) {
    for (unsigned i = 0; i < TRAITS_COUNT; i++) {
        cr_expect_not_null(traits_text((traits_name)i));
    }
    cr_expect_null(traits_text(TRAITS_COUNT));
}

// Nine times 16 rows are 144, eight times are 128; a copy between them ends the train.
Test(traits, a_train_of_loads_is_longer_than_128_rows_and_unbroken) {
    EXPECT(traits("loop x9\ndma_ld rows=16 mode=1 dram_row0=0 col_block=0 dst_row0=0\nendloop\n"),
           LOAD_TRAIN);
    EXPECT_NOT(
        traits("loop x8\ndma_ld rows=16 mode=1 dram_row0=0 col_block=0 dst_row0=0\nendloop\n"),
        LOAD_TRAIN);
    EXPECT_NOT(traits("loop x9\ndma_ld rows=16 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"
                      "vld rows=1 vr0=0 spad0=0\nendloop\n"),
               LOAD_TRAIN);
}
