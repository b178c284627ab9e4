// SPDX-License-Identifier: Apache-2.0
//
// The imem image: header, refusals of the image's own rules, and the way back.

#include "csim/isa/image.h"

#include "csim/isa/assembly.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

static isa_program parse(const char *text) {
    isa_program program = {0};
    tpu_message why = {""};
    cr_assert_eq(assembly_parse(text, "t", &program, &why), TPU_OK, "%s", why.text);
    return program;
}

#define LOADS                                                                                      \
    "dma_ld rows=5 mode=1 dram_row0=7 col_block=0 dst_row0=0\n"                                    \
    "dma_ld rows=8 mode=2 dram_row0=1 col_block=0 dst_row0=0\n"

// Every opcode once, so each cost of the seed's table shows: T = 4.
static const char all_ops[] = LOADS "vld rows=4 vr0=8 spad0=0\n"
                                    "mm rows=6 vr_a=0 ar0=0 acc=0 spad_w=0\n"
                                    "nop\n"
                                    "vadd rows=6 ar_d=10 ar_s1=0 ar_s2=0\n"
                                    "vrelu rows=6 ar_d=20 ar_s=0\n"
                                    "vaddrelu rows=5 ar_d=30 ar_s1=0 ar_s2=1\n"
                                    "loop x2\n"
                                    "mvout rows=3 ar0=0 dram_row0=0 col_block=0\n"
                                    "endloop\n";

static const uint64_t all_ops_header[TPU_NHDR] = {
    11,              // static instructions
    13,              // 5 + 8 rows loaded
    5 + 4 + (4 + 1), // to spad, vld, one mm
    8 + 4 + 6,       // to vr, vld, mm
    1 | 6 << 16,     // one mm of six rows
    6 + 12 + 6 + 10 + 2 * 3,
    6,
    9 | 12 << 16, // rows 1..8 of A, rows 7..11 of B
};

Test(image, the_header_holds_the_work_of_every_unit) {
    tpu_params params = params_default(4, 16);
    isa_program program = parse(all_ops);
    image built = {0};
    tpu_message why = {""};
    cr_assert_eq(image_build(&params, &program, true, &built, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(built.count, TPU_NHDR + 2 * 11);
    for (size_t i = 0; i < TPU_NHDR; i++) {
        cr_expect_eq(built.words[i], all_ops_header[i], "word %zu is %" PRIu64, i, built.words[i]);
    }
    image_clear(&built);
    isa_program_clear(&program);
}

Test(image, weights_cost_t_plus_one_scratchpad_steps) {
    tpu_params params = params_default(16, 64);
    image_counts counts = {0};
    image_count_issue(&params, &(isa_issue){.op = TPU_OP_MM, .nr = 9}, &counts);
    cr_expect_eq(counts.spm_rows, 17);
    cr_expect_eq(counts.mm_rows, 9);
}

static void expect_refused(const tpu_params *params, const isa_program *program,
                           const char *sentence) {
    image built = {0};
    tpu_message why = {""};
    cr_expect_eq(image_build(params, program, true, &built, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, sentence);
    cr_expect_null(built.words);
}

Test(image, a_program_longer_than_imem_is_refused_in_both_modes) {
    tpu_params params = params_default(4, 16);
    isa_program program = {0};
    for (int i = 0; i < 25; i++) {
        cr_assert_eq(isa_program_append(&program, &(isa_insn){0}), TPU_OK);
    }
    expect_refused(&params, &program,
                   "imem.overflow: 25 instructions and the header take 58 words, but IMEM_SIZE=56 "
                   "holds 24 instructions: over by 2 words");
    image built = {0};
    cr_expect_eq(image_build(&params, &program, false, &built, NULL), TPU_REFUSED);
    program.count = 24;
    cr_expect_eq(image_build(&params, &program, true, &built, NULL), TPU_OK);
    image_clear(&built);
    isa_program_clear(&program);
}

Test(image, a_count_that_its_slice_cannot_hold_is_refused) {
    tpu_params params = params_default(4, 16);
    // 127 * 17 * 16 = 34544 rows loaded; 32767 can be promised.
    isa_program program =
        parse("loop x127\nloop x17\ndma_ld rows=16 mode=0 dram_row0=0 col_block=0 dst_row0=0\n"
              "endloop\nendloop\n");
    expect_refused(&params, &program,
                   "hdr.count_overflow: the program needs dma_ld_rows=34544 in the header, which "
                   "holds 0..32767: over by 1777");
    isa_program_clear(&program);
}

Test(image, array_counts_have_their_own_rule) {
    tpu_params params = params_default(4, 16);
    isa_program rows = parse(LOADS "loop x127\nloop x33\nmm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n"
                                   "endloop\nendloop\n");
    expect_refused(&params, &rows,
                   "hdr.array_overflow: the program needs mm_rows=33528 in the header, which holds "
                   "0..32767: over by 761");
    isa_program count = parse(LOADS "loop x127\nloop x127\nloop x3\n"
                                    "mm rows=1 vr_a=0 ar0=0 acc=0 spad_w=0\n"
                                    "endloop\nendloop\nendloop\n");
    expect_refused(&params, &count,
                   "hdr.array_overflow: the program needs mm_count=48387 in the header, which "
                   "holds 0..32767: over by 15620");
    isa_program_clear(&rows);
    isa_program_clear(&count);
}

Test(image, a_program_that_check_refuses_is_refused_unless_told_otherwise) {
    tpu_params params = params_default(4, 16);
    isa_program program = parse("mvout rows=4 ar0=0 dram_row0=0 col_block=0\n");
    image built = {0};
    tpu_message why = {""};
    cr_expect_eq(image_build(&params, &program, true, &built, &why), TPU_REFUSED);
    cr_expect_eq(strncmp(why.text, "mem.write_before_read: ", 23), 0);
    cr_expect_eq(image_build(&params, &program, false, &built, &why), TPU_OK);
    cr_expect_eq(built.words[5], 4);
    cr_expect_eq(built.words[6], 4);
    image_clear(&built);
    isa_program_clear(&program);
}

Test(image, an_unchecked_run_that_goes_astray_is_counted_up_to_there) {
    tpu_params params = params_default(4, 16);
    isa_program program = parse("dma_ld rows=4 mode=0 dram_row0=0 col_block=0 dst_row0=0\n"
                                "endloop\n"
                                "dma_ld rows=8 mode=0 dram_row0=0 col_block=0 dst_row0=0\n");
    image built = {0};
    cr_assert_eq(image_build(&params, &program, false, &built, NULL), TPU_OK);
    cr_expect_eq(built.words[0], 3);
    cr_expect_eq(built.words[1], 4);
    image_clear(&built);
    isa_program_clear(&program);
}

Test(image, decoding_gives_the_program_back_and_ignores_padding) {
    tpu_params params = params_default(4, 16);
    isa_program program = parse(all_ops);
    isa_program back = {0};
    image built = {0};
    uint64_t padded[56] = {0};
    cr_assert_eq(image_build(&params, &program, true, &built, NULL), TPU_OK);
    memset(padded, 0xFF, sizeof padded);
    memcpy(padded, built.words, built.count * sizeof built.words[0]);
    cr_assert_eq(image_decode(padded, 56, &back, NULL), TPU_OK);
    cr_assert_eq(back.count, program.count);
    for (size_t i = 0; i < back.count; i++) {
        back.insn[i].line = program.insn[i].line;
        cr_expect_eq(memcmp(&back.insn[i], &program.insn[i], sizeof back.insn[i]), 0);
    }
    image_clear(&built);
    isa_program_clear(&program);
    isa_program_clear(&back);
}

Test(image, a_truncated_or_damaged_image_is_refused) {
    isa_program back = {0};
    tpu_message why = {""};
    uint64_t words[12] = {2};
    cr_expect_eq(image_decode(words, 7, &back, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "the image has 7 words; its header alone takes 8");
    cr_expect_eq(image_decode(words, 11, &back, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "the image has 11 words, but its header promises 2 instructions, "
                               "which take 12");
    words[11] = UINT64_C(1) << 63;
    cr_expect_eq(image_decode(words, 12, &back, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "instruction 1: word 1 of the instruction is 0x8000000000000000: "
                               "bits 0x8000000000000000 belong to no field and must be 0");
    cr_expect_null(back.insn);
}
