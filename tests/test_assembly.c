// SPDX-License-Identifier: Apache-2.0
//
// Program text, both ways: what parses to what, what is refused where, and that disassembled
// programs parse back to themselves.

#include "csim/isa/assembly.h"

#include "base/rng.h"
#include "csim/isa/codec.h"
#include "csim/isa/disasm.h"
#include "csim/isa/image.h"
#include "csim/isa/programs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static isa_program parse(const char *text) {
    isa_program program = {0};
    tpu_message why = {""};
    cr_assert_eq(assembly_parse(text, "p.s", &program, &why), TPU_OK, "%s", why.text);
    return program;
}

static void expect_refused(const char *text, const char *sentence) {
    isa_program program = {0};
    tpu_message why = {""};
    cr_expect_eq(assembly_parse(text, "p.s", &program, &why), TPU_REFUSED, "%s", text);
    cr_expect_str_eq(why.text, sentence);
    cr_expect_null(program.insn);
}

Test(assembly, an_accumulating_mm_with_three_terms_has_the_published_words) {
    isa_program program = parse("mm rows=8 vr_a=64 ar0=0 acc=1 spad_w=4   "
                                "agu: vr_a+=iv1*64, spad_w+=iv0*64, spad_w+=iv1*4\n");
    uint64_t word[TPU_IWORDS];
    cr_assert_eq(program.count, 1);
    cr_assert_eq(codec_encode(&program.insn[0], word, NULL), TPU_OK);
    cr_expect_eq(word[0], 0x0200100040001004u);
    cr_expect_eq(word[1], 0x0000850100202011u);
    cr_expect_eq(program.insn[0].line, 1);
    isa_program_clear(&program);
}

Test(assembly, operands_may_come_in_any_order_and_in_hexadecimal) {
    isa_program a = parse("mvout rows=8 ar0=1 dram_row0=16 col_block=3");
    isa_program b = parse("mvout col_block=0x3 dram_row0 = 0x10 ar0=1   rows=8");
    cr_expect_eq(memcmp(a.insn, b.insn, sizeof a.insn[0]), 0);
    isa_program_clear(&a);
    isa_program_clear(&b);
}

Test(assembly, comments_blank_lines_tabs_and_carriage_returns_are_skipped) {
    isa_program program = parse("; whole line\r\n\n# another\n\tloop x2 ; twice\r\n"
                                "nop# tight\n  endloop");
    cr_assert_eq(program.count, 3);
    cr_expect_eq(program.insn[0].op, TPU_OP_LOOP);
    cr_expect_eq(program.insn[0].nr, 2);
    cr_expect_eq(program.insn[0].line, 4);
    cr_expect_eq(program.insn[1].op, TPU_OP_NOP);
    cr_expect_eq(program.insn[2].line, 6);
    isa_program_clear(&program);
}

Test(assembly, an_empty_text_is_an_empty_program) {
    isa_program program = parse("");
    cr_expect_eq(program.count, 0);
    program = parse("\n ; nothing\n");
    cr_expect_eq(program.count, 0);
}

Test(assembly, every_operand_name_of_every_opcode_is_taken) {
    isa_program program = parse("dma_ld rows=1 mode=3 dram_row0=5 col_block=6 dst_row0=7\n"
                                "vld rows=2 vr0=8 spad0=9\n"
                                "mm rows=3 vr_a=10 ar0=11 acc=1 spad_w=12\n"
                                "vadd rows=4 ar_d=13 ar_s1=14 ar_s2=15\n"
                                "vrelu rows=5 ar_d=16 ar_s=17\n"
                                "mvout rows=6 ar0=18 dram_row0=19 col_block=20\n"
                                "vaddrelu rows=7 ar_d=21 ar_s1=22 ar_s2=23\n");
    static const uint16_t fields[7][4] = {{3, 5, 6, 7},    {8, 9, 0, 0},   {10, 11, 1, 12},
                                          {13, 14, 15, 0}, {16, 17, 0, 0}, {18, 19, 20, 0},
                                          {21, 22, 23, 0}};
    static const uint8_t ops[7] = {1, 3, 4, 5, 6, 7, 10};
    cr_assert_eq(program.count, 7);
    for (uint8_t i = 0; i < 7; i++) {
        cr_expect_eq(program.insn[i].op, ops[i]);
        cr_expect_eq(program.insn[i].nr, i + 1);
        cr_expect_eq(memcmp(program.insn[i].f, fields[i], sizeof fields[i]), 0, "line %d", i + 1);
    }
    isa_program_clear(&program);
}

Test(assembly, unused_fields_have_raw_names) {
    isa_program program = parse("vrelu rows=1 ar_d=0 ar_s=0 f2=9 f3=8\nnop nr=3 f0=1");
    cr_expect_eq(program.insn[0].f[2], 9);
    cr_expect_eq(program.insn[0].f[3], 8);
    cr_expect_eq(program.insn[1].nr, 3);
    isa_program_clear(&program);
}

Test(assembly, bad_text_is_refused_with_file_line_and_column) {
    expect_refused("nop\nmm rows=8 vr_a=0 ar0=0 acc=0", "p.s:2:1: found \"mm\"; mm lacks spad_w");
    expect_refused("  mul rows=1", "p.s:1:3: found \"mul\"; an instruction is one of nop, dma_ld, "
                                   "vld, mm, vadd, vrelu, mvout, loop, endloop, vaddrelu, .word");
    expect_refused("dma_st", "p.s:1:1: found \"dma_st\"; this opcode is retired: results leave "
                             "through mvout");
    expect_refused("vrelu rows=4 ar_d=1 ar_x=2",
                   "p.s:1:21: found \"ar_x=2\"; vrelu takes rows, ar_d, ar_s");
    expect_refused("vrelu rows=4 ar_d=1 ar_d=2 ar_s=0",
                   "p.s:1:21: found \"ar_d=2\"; ar_d was given already");
    expect_refused("vld rows=4 rows=4 vr0=0 spad0=0",
                   "p.s:1:12: found \"rows=4\"; rows was given already");
    expect_refused("vld vr0=0 spad0=0", "p.s:1:1: found \"vld\"; vld lacks rows");
    expect_refused("\n\nvld rows=4 vr0=2048 spad0=0",
                   "p.s:3:16: found \"2048\"; vr0 is a number from 0 to 2047, decimal or 0x");
    expect_refused("vld rows=128 vr0=0 spad0=0",
                   "p.s:1:10: found \"128\"; rows is a number from 0 to 127, decimal or 0x");
    expect_refused("vld rows=-1 vr0=0 spad0=0",
                   "p.s:1:10: found \"-1\"; rows is a number from 0 to 127, decimal or 0x");
    expect_refused("vld rows=4x vr0=0 spad0=0",
                   "p.s:1:10: found \"4x\"; rows is a number from 0 to 127, decimal or 0x");
    expect_refused("vld rows= vr0=0 spad0=0",
                   "p.s:1:11: found \"vr0=0\"; rows is a number from 0 to 127, decimal or 0x");
    expect_refused("vld rows=99999999999999999999999 vr0=0 spad0=0",
                   "p.s:1:10: found \"99999999999999999999999\"; rows is a number from 0 to 127, "
                   "decimal or 0x");
    expect_refused("vld rows 4",
                   "p.s:1:10: found \"4\"; \"=\" is expected after an operand's name");
    expect_refused("vld rows=4, vr0=0",
                   "p.s:1:11: found \",\"; a blank is expected between operands");
    expect_refused("nop \x01z", "p.s:1:5: found \"?z\"; nop takes no operand");
}

Test(assembly, bad_loops_are_refused) {
    expect_refused("loop", "p.s:1:1: found \"loop\"; loop lacks its trip count, as in \"loop x7\"");
    expect_refused("loop 7", "p.s:1:6: found \"7\"; loop takes its trip count as x1..x127");
    expect_refused("loop x200", "p.s:1:7: found \"200\"; the trip count is a number from 0 to 127, "
                                "decimal or 0x");
    expect_refused("loop x2 x3", "p.s:1:9: found \"x3\"; the trip count was given already");
    expect_refused("endloop x2", "p.s:1:9: found \"x2\"; endloop takes no operand");
}

Test(assembly, bad_address_terms_are_refused) {
    expect_refused("vld rows=1 vr0=0 spad0=0 agu: vr1+=iv0*1",
                   "p.s:1:31: found \"vr1+=iv0*1\"; vld takes rows, vr0, spad0");
    expect_refused("vld rows=1 vr0=0 spad0=0 agu: vr0+=iv4*1",
                   "p.s:1:38: found \"4*1\"; the loop level after iv is a number from 0 to 3, "
                   "decimal or 0x");
    expect_refused("vld rows=1 vr0=0 spad0=0 agu: vr0+=k*1",
                   "p.s:1:36: found \"k*1\"; iv0..iv3 is expected after \"+=\"");
    expect_refused(
        "vld rows=1 vr0=0 spad0=0 agu: vr0+=iv0*2048",
        "p.s:1:40: found \"2048\"; the stride is a number from 0 to 2047, decimal or 0x");
    expect_refused("vld rows=1 vr0=0 spad0=0 agu: vr0+=iv0 1",
                   "p.s:1:40: found \"1\"; \"*\" is expected between induction variable and "
                   "stride");
    expect_refused("vld rows=1 vr0=0 spad0=0 agu: vr0=iv0*1",
                   "p.s:1:34: found \"=iv0*1\"; \"+=\" is expected after the field of an address "
                   "term");
    expect_refused("vld rows=1 vr0=0 spad0=0 agu: vr0+=iv0*1 vr0+=iv1*1",
                   "p.s:1:42: found \"vr0+=iv1*1\"; a comma and a further term, or the end of the "
                   "line is expected");
    expect_refused("vld rows=1 vr0=0 spad0=0 agu: vr0+=iv0*1,vr0+=iv0*1,vr0+=iv0*1,vr0+=iv0*1",
                   "p.s:1:64: found \"vr0+=iv0*1\"; an instruction carries at most 3 address "
                   "terms");
    expect_refused("vld rows=1 vr0=0 spad0=0 agu:",
                   "p.s:1:30: found the end of the line; vld takes rows, vr0, spad0");
}

Test(assembly, bad_words_are_refused) {
    expect_refused(".word 0x12", "p.s:1:11: found the end of the line; each of the two words is a "
                                 "number from 0 to 18446744073709551615, decimal or 0x");
    expect_refused(".word 1 2 3", "p.s:1:11: found \"3\"; .word takes two numbers");
    expect_refused(".word 0x4000000000000000 0",
                   "p.s:1:7: found \"0x4000000000000000\"; word 0 of the instruction is "
                   "0x4000000000000000: bits 0x4000000000000000 belong to no field and must be 0");
}

static void expect_same(const isa_program *a, const isa_program *b) {
    cr_assert_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        uint64_t x[TPU_IWORDS];
        uint64_t y[TPU_IWORDS];
        codec_encode_unchecked(&a->insn[i], x);
        codec_encode_unchecked(&b->insn[i], y);
        cr_expect(x[0] == y[0] && x[1] == y[1], "instruction %zu", i);
    }
}

static void expect_round_trip(const isa_program *program) {
    char *text = NULL;
    cr_assert_eq(disasm_program(program, &text, NULL), TPU_OK);
    isa_program back = parse(text);
    expect_same(program, &back);
    isa_program_clear(&back);
    free(text);
}

Test(assembly, disassembled_programs_parse_back_to_themselves) {
    tpu_params params = params_default(4, 64);
    for (int form = 0; form < PROGRAMS_FORM_COUNT; form++) {
        isa_program program = {0};
        cr_assert_eq(programs_gemm(&params, (programs_form)form, 32, 16, 24, true, &program, NULL),
                     TPU_OK);
        expect_round_trip(&program);
        isa_program_clear(&program);
    }
}

Test(assembly, random_words_survive_the_trip_through_text) {
    rng source;
    rng_seed(&source, 2026);
    isa_program program = {0};
    for (int i = 0; i < 5000; i++) {
        uint64_t word[TPU_IWORDS] = {rng_next(&source) >> 2, rng_next(&source) >> 7};
        isa_insn insn;
        if (i % 2 == 0) { // mostly small values and known opcodes, so that both spellings occur
            word[0] &= 0x1FDF7DF7DF7DF7CF;
            word[1] &= 0x0000000000FFF833u * (uint64_t)(i % 4 / 2);
        }
        cr_assert_eq(codec_decode(word, &insn, NULL), TPU_OK);
        cr_assert_eq(isa_program_append(&program, &insn), TPU_OK);
    }
    expect_round_trip(&program);
    isa_program_clear(&program);
}

Test(assembly, a_program_is_printed_with_its_loops_indented) {
    tpu_params params = params_default(4, 64);
    isa_program program = {0};
    char *text = NULL;
    cr_assert_eq(programs_gemm(&params, PROGRAMS_LOOPED, 8, 8, 8, true, &program, NULL), TPU_OK);
    cr_assert_eq(disasm_program(&program, &text, NULL), TPU_OK);
    cr_expect_str_eq(
        text, "loop x2\n"
              "  dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0   agu: col_block+=iv0*1, "
              "dst_row0+=iv0*64\n"
              "endloop\n"
              "loop x2\n"
              "  dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0   agu: col_block+=iv0*1, "
              "dst_row0+=iv0*64\n"
              "endloop\n"
              "loop x2\n"
              "  mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0   agu: spad_w+=iv0*64\n"
              "  loop x1\n"
              "    mm rows=8 vr_a=64 ar0=0 acc=1 spad_w=4   agu: vr_a+=iv1*64, spad_w+=iv0*64, "
              "spad_w+=iv1*4\n"
              "  endloop\n"
              "  vrelu rows=8 ar_d=0 ar_s=0\n"
              "  mvout rows=8 ar0=0 dram_row0=0 col_block=0   agu: col_block+=iv0*1\n"
              "endloop\n");
    free(text);
    isa_program_clear(&program);
}

Test(assembly, what_has_no_spelling_becomes_words_with_a_comment) {
    isa_program program = parse(".word 0x02 0\n.word 0x3f 0\n.word 0x2000000000000003 0\n");
    char *text = NULL;
    cr_assert_eq(disasm_program(&program, &text, NULL), TPU_OK);
    cr_expect_str_eq(text, ".word 0x0000000000000002 0x0000000000000000  ; dma_st\n"
                           ".word 0x000000000000003f 0x0000000000000000  ; op63\n"
                           ".word 0x2000000000000003 0x0000000000000000  ; vld rows=128 vr0=0 "
                           "spad0=0\n");
    free(text);
    isa_program_clear(&program);
}

Test(assembly, a_short_buffer_cuts_the_text) {
    isa_program program = parse("vld rows=4 vr0=1 spad0=2");
    char text[8];
    disasm_insn(&program.insn[0], text, sizeof text);
    cr_expect_str_eq(text, "vld row");
    char one[1];
    disasm_insn(&program.insn[0], one, sizeof one);
    cr_expect_str_eq(one, "");
    isa_program_clear(&program);
}

Test(assembly, an_issue_is_printed_with_its_resolved_values) {
    isa_issue issue = {.op = TPU_OP_MM, .nr = 8, .f = {128, 0, 1, 72}};
    char text[DISASM_LINE_MAX];
    disasm_issue(&issue, text, sizeof text);
    cr_expect_str_eq(text, "mm rows=8 vr_a=128 ar0=0 acc=1 spad_w=72");
}
