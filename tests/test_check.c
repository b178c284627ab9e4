// SPDX-License-Identifier: Apache-2.0
//
// Every rule of a legal program, each broken by small programs written for it: the eighteen of the
// original's stress harness and at least one more per rule. A legal twin stands beside the rules
// whose edge matters.

#include "csim/isa/check.h"

#include "csim/isa/assembly.h"
#include "csim/isa/programs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// T=4, MAXDIM=16: WPR 4, SPAD and NVR 64, NAR 128.
static check_finding judge(const char *text, tpu_status wanted, tpu_message *why) {
    tpu_params params = params_default(4, 16);
    isa_program program = {0};
    check_finding found;
    cr_assert_eq(assembly_parse(text, "t", &program, why), TPU_OK, "%s", why->text);
    cr_expect_eq(check_program(&params, &program, &found, why), wanted, "%s\n%s", text, why->text);
    isa_program_clear(&program);
    return found;
}

static void expect_rule(const char *text, tpu_rule rule) {
    tpu_message why = {""};
    check_finding found = judge(text, TPU_REFUSED, &why);
    cr_expect_eq(found.rule, rule, "%s\n%s", text, why.text);
    const char *name = tpu_rule_name(rule);
    cr_expect_eq(strncmp(why.text, name, strlen(name)), 0, "%s", why.text);
}

static void expect_legal(const char *text) {
    tpu_message why = {""};
    check_finding found = judge(text, TPU_OK, &why);
    cr_expect_eq(found.rule, TPU_RULE_NONE);
}

static void expect_sentence(const char *text, const char *sentence) {
    tpu_message why = {""};
    (void)judge(text, TPU_REFUSED, &why);
    cr_expect_str_eq(why.text, sentence);
}

// Four weight rows at spad 0, eight activation rows at vr 0, eight ar rows written at 0.
#define LOADS                                                                                      \
    "dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"                                    \
    "dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
#define MM LOADS "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n"

// The eighteen crafted programs of the original's stress harness.
static const struct {
    const char *text;
    tpu_rule rule;
} crafted[] = {
    {"mvout rows=4 ar0=0 dram_row0=0 col_block=0", TPU_RULE_WRITE_BEFORE_READ},
    {LOADS "mm rows=8 vr_a=0 ar0=0 acc=1 spad_w=0", TPU_RULE_WRITE_BEFORE_READ},
    {MM "vadd rows=8 ar_d=0 ar_s1=0 ar_s2=20", TPU_RULE_WRITE_BEFORE_READ},
    {MM "vrelu rows=8 ar_d=0 ar_s=1", TPU_RULE_WRITE_BEFORE_READ},
    {"dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
     "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0",
     TPU_RULE_WRITE_BEFORE_READ},
    {"dma_ld rows=8 mode=0 dram_row0=0 col_block=0 dst_row0=0\n"
     "mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0",
     TPU_RULE_WRITE_BEFORE_READ},
    {"dma_ld rows=8 mode=4 dram_row0=0 col_block=0 dst_row0=0", TPU_RULE_DMA_LD_FIELD},
    // The distance program at 3 is in the test below; this is its first step.
    {LOADS "mm rows=3 vr_a=0 ar0=0 acc=0 spad_w=0\nmm rows=3 vr_a=0 ar0=0 acc=1 spad_w=0",
     TPU_RULE_RAW_DISTANCE},
    {LOADS "mm rows=1 vr_a=0 ar0=0 acc=0 spad_w=0\nmvout rows=1 ar0=0 dram_row0=0 col_block=0",
     TPU_RULE_RAW_DISTANCE},
    {LOADS "vld rows=4 vr0=20 spad0=8\nmm rows=4 vr_a=20 ar0=0 acc=0 spad_w=0",
     TPU_RULE_WRITE_BEFORE_READ},
    {MM "loop x2\nmvout rows=8 ar0=0 dram_row0=0 col_block=0 agu: ar0+=iv0*8\nendloop",
     TPU_RULE_WRITE_BEFORE_READ},
    {LOADS "vld rows=0 vr0=0 spad0=0", TPU_RULE_ZERO_ROWS},
    {"loop x0\nnop\nendloop", TPU_RULE_LOOP_TRIP},
    {"loop x2\nnop\nendloop\ndma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=0 "
     "agu: dst_row0+=iv0*1",
     TPU_RULE_AGU_TERM},
    {LOADS "mm rows=8 vr_a=0 ar0=121 acc=0 spad_w=0", TPU_RULE_MEM_RANGE},
    {MM "mvout rows=8 ar0=0 dram_row0=9 col_block=0", TPU_RULE_RESULT_RANGE},
    {".word 2 0", TPU_RULE_OP_UNKNOWN},
    {"nop\nendloop", TPU_RULE_LOOP_UNBALANCED},
};

Test(check, the_eighteen_crafted_programs_are_refused_by_the_right_rule) {
    cr_assert_eq(sizeof crafted / sizeof crafted[0], 18);
    for (size_t i = 0; i < 18; i++) {
        expect_rule(crafted[i].text, crafted[i].rule);
    }
}

Test(check, rule_prog_empty) {
    expect_rule("", TPU_RULE_PROG_EMPTY);
    expect_rule("; only a comment\n", TPU_RULE_PROG_EMPTY);
}

Test(check, rule_op_unknown) {
    expect_rule("nop\n.word 11 0", TPU_RULE_OP_UNKNOWN);
    expect_rule(".word 0x3f 0", TPU_RULE_OP_UNKNOWN);
}

Test(check, rule_loop_depth) {
    expect_rule("loop x1\nloop x1\nloop x1\nloop x1\nloop x1\nnop\nendloop\nendloop\nendloop\n"
                "endloop\nendloop",
                TPU_RULE_LOOP_DEPTH);
    expect_legal("loop x1\nloop x1\nloop x1\nloop x1\nnop\nendloop\nendloop\nendloop\nendloop");
}

Test(check, rule_loop_trip) {
    expect_rule("loop x2\nloop x0\nnop\nendloop\nendloop", TPU_RULE_LOOP_TRIP);
    expect_rule(".word 0x2000000000000008 0\nnop\nendloop", TPU_RULE_LOOP_TRIP); // 128 trips
    expect_legal("loop x127\nnop\nendloop");
}

Test(check, rule_loop_unbalanced) {
    expect_rule("loop x2\nendloop\nendloop\nnop", TPU_RULE_LOOP_UNBALANCED);
}

Test(check, rule_loop_unclosed) {
    expect_rule("loop x2\nnop", TPU_RULE_LOOP_UNCLOSED);
    expect_rule("loop x2\nloop x2\nnop\nendloop", TPU_RULE_LOOP_UNCLOSED);
}

Test(check, rule_agu_term) {
    // On nop, loop and endloop; a level that is not open yet; a target that does not exist.
    expect_rule("loop x2\nnop agu: f0+=iv0*1\nendloop", TPU_RULE_AGU_TERM);
    expect_rule("loop x2 agu: f0+=iv0*1\nnop\nendloop", TPU_RULE_AGU_TERM);
    expect_rule("loop x2\nnop\nendloop agu: f0+=iv0*1", TPU_RULE_AGU_TERM);
    expect_rule("loop x2\nvld rows=1 vr0=0 spad0=0 agu: vr0+=iv1*1\nendloop", TPU_RULE_AGU_TERM);
    expect_rule("loop x2\n.word 0x0040000000000003 0x85\nendloop", TPU_RULE_AGU_TERM);
    expect_legal("loop x2\nvld rows=1 vr0=0 spad0=0 agu: vr0+=iv0*1\nendloop");
}

Test(check, rule_field_range) {
    expect_rule("loop x2\nvld rows=1 vr0=2000 spad0=0 agu: vr0+=iv0*48\nendloop",
                TPU_RULE_MEM_RANGE); // iteration 0 is in range of the field, not of the memory
    expect_rule("loop x2\nvld rows=1 vr0=0 spad0=0 f3=2000 agu: f3+=iv0*48\nendloop",
                TPU_RULE_FIELD_RANGE);
    expect_rule(".word 0x0040000000020003 0", TPU_RULE_FIELD_RANGE); // vld with f0 = 2048
    expect_rule(".word 0x0000000000020000 0", TPU_RULE_FIELD_RANGE); // nop with f0 = 2048
    expect_legal("loop x2\nvld rows=1 vr0=0 spad0=0 f3=2000 agu: f3+=iv0*47\nendloop");
}

Test(check, rule_zero_rows) {
    expect_rule("dma_ld rows=0 mode=1 dram_row0=0 col_block=0 dst_row0=0", TPU_RULE_ZERO_ROWS);
    expect_rule(".word 0x2000000000000003 0", TPU_RULE_ZERO_ROWS); // 128 rows
}

Test(check, rule_dma_ld_field) {
    expect_rule("loop x3\ndma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=0 "
                "agu: mode+=iv0*2\nendloop",
                TPU_RULE_DMA_LD_FIELD);
}

Test(check, rule_operand_range) {
    expect_rule("dma_ld rows=8 mode=1 dram_row0=9 col_block=0 dst_row0=0", TPU_RULE_OPERAND_RANGE);
    expect_rule("dma_ld rows=8 mode=0 dram_row0=0 col_block=4 dst_row0=0", TPU_RULE_OPERAND_RANGE);
    expect_legal("dma_ld rows=8 mode=1 dram_row0=8 col_block=3 dst_row0=56");
}

Test(check, rule_mem_range) {
    expect_rule("dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=57", TPU_RULE_MEM_RANGE);
    expect_rule("dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=57", TPU_RULE_MEM_RANGE);
    expect_rule("vld rows=2 vr0=0 spad0=63", TPU_RULE_MEM_RANGE);
    expect_rule("vld rows=2 vr0=63 spad0=0", TPU_RULE_MEM_RANGE);
    expect_rule(LOADS "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=61", TPU_RULE_MEM_RANGE);
    expect_rule(LOADS "mm rows=8 vr_a=57 ar0=0 acc=0 spad_w=0", TPU_RULE_MEM_RANGE);
    expect_rule(MM "vadd rows=8 ar_d=121 ar_s1=0 ar_s2=0", TPU_RULE_MEM_RANGE);
    expect_rule(MM "vaddrelu rows=8 ar_d=0 ar_s1=0 ar_s2=121", TPU_RULE_MEM_RANGE);
    expect_rule(MM "vrelu rows=8 ar_d=121 ar_s=0", TPU_RULE_MEM_RANGE);
    expect_rule("mvout rows=8 ar0=121 dram_row0=0 col_block=0", TPU_RULE_MEM_RANGE);
}

Test(check, rule_write_before_read) {
    expect_rule(MM "vaddrelu rows=8 ar_d=0 ar_s1=20 ar_s2=0", TPU_RULE_WRITE_BEFORE_READ);
    expect_rule(LOADS "mm rows=8 vr_a=1 ar0=0 acc=0 spad_w=0", TPU_RULE_WRITE_BEFORE_READ);
    expect_rule(LOADS "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=5", TPU_RULE_WRITE_BEFORE_READ);
    // A vld of an unwritten row takes the mark away from a row that had it.
    expect_rule(LOADS "vld rows=1 vr0=0 spad0=30\nmm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0",
                TPU_RULE_WRITE_BEFORE_READ);
    expect_legal(LOADS "vld rows=4 vr0=20 spad0=30\nvld rows=4 vr0=20 spad0=4\n"
                       "mm rows=4 vr_a=20 ar0=0 acc=0 spad_w=0");
}

Test(check, rule_mm_acc_field) {
    expect_rule(LOADS "mm rows=8 vr_a=0 ar0=0 acc=2 spad_w=0", TPU_RULE_MM_ACC_FIELD);
}

Test(check, rule_raw_distance) {
    expect_rule(LOADS "mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0\nvrelu rows=2 ar_d=2 ar_s=2\n"
                      "mvout rows=1 ar0=2 dram_row0=0 col_block=0",
                TPU_RULE_RAW_DISTANCE);
    // Inside one instruction: each row reads what the row before it wrote.
    expect_rule(MM "vrelu rows=4 ar_d=1 ar_s=0", TPU_RULE_RAW_DISTANCE);
    expect_rule(MM "vadd rows=3 ar_d=1 ar_s1=4 ar_s2=0", TPU_RULE_RAW_DISTANCE);
    // Two steps a vadd row: the row written two rows earlier is four steps old for the right
    // source.
    expect_rule(MM "vadd rows=3 ar_d=2 ar_s1=0 ar_s2=4", TPU_RULE_RAW_DISTANCE);
    expect_legal(MM "vadd rows=3 ar_d=2 ar_s1=4 ar_s2=0");
    expect_legal(LOADS "mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0\n"
                       "mm rows=4 vr_a=0 ar0=0 acc=1 spad_w=0");
}

Test(check, rule_result_range) {
    expect_rule(MM "mvout rows=8 ar0=0 dram_row0=0 col_block=4", TPU_RULE_RESULT_RANGE);
    expect_legal(MM "mvout rows=8 ar0=0 dram_row0=8 col_block=3");
}

Test(check, ar_distance_three_is_refused_where_the_second_mm_reads) {
    tpu_params params = params_default(4, 16);
    isa_program program = {0};
    check_finding found;
    tpu_message why = {""};
    cr_assert_eq(programs_ar_distance(&params, 3, &program, NULL), TPU_OK);
    cr_expect_eq(check_program(&params, &program, &found, &why), TPU_REFUSED);
    cr_expect_eq(found.rule, TPU_RULE_RAW_DISTANCE);
    cr_expect_eq(found.pc, 3);
    cr_expect_eq(found.row_first, 10);
    cr_expect_str_eq(why.text, "ar.raw_distance: instruction 3, mm rows=3 vr_a=0 ar0=10 acc=1 "
                               "spad_w=0: ar row 10 is read as the accumulate base 3 accu "
                               "step(s) after its write; 4 or more are needed");
    isa_program_clear(&program);
}

Test(check, acc_driven_by_a_loop_is_legal_for_two_trips_and_names_f2_at_three) {
    static const char *const form = LOADS "loop x%d\n"
                                          "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0 "
                                          "agu: acc+=iv0*1\nendloop";
    char text[512];
    (void)snprintf(text, sizeof text, form, 2);
    expect_legal(text);
    (void)snprintf(text, sizeof text, form, 3);
    tpu_message why = {""};
    check_finding found = judge(text, TPU_REFUSED, &why);
    cr_expect_eq(found.rule, TPU_RULE_MM_ACC_FIELD);
    cr_expect_eq(found.field, 2);
    cr_expect_eq(found.iv[0], 2);
    cr_expect_str_eq(why.text, "op.mm_acc_field: instruction 3, line 4, iv0=2, mm rows=8 vr_a=0 "
                               "ar0=0 acc=2 spad_w=0: f2=2 is neither 0 (overwrite) nor 1 "
                               "(accumulate)");
}

Test(check, the_finding_carries_place_iteration_and_rows) {
    tpu_message why = {""};
    check_finding found =
        judge(MM "loop x2\nnop\nloop x3\nmvout rows=4 ar0=0 dram_row0=0 col_block=0 "
                 "agu: ar0+=iv0*2, ar0+=iv1*2\nendloop\nendloop",
              TPU_REFUSED, &why);
    cr_expect_eq(found.rule, TPU_RULE_WRITE_BEFORE_READ);
    cr_expect_eq(found.pc, 6);
    cr_expect_eq(found.line, 7);
    cr_expect_eq(found.op, TPU_OP_MVOUT);
    cr_expect(found.dynamic);
    cr_expect_eq(found.depth, 2);
    cr_expect_eq(found.iv[0], 1);
    cr_expect_eq(found.iv[1], 2);
    cr_expect_eq(found.seq, 3 + 1 + 3 + 1 + 2);
    cr_expect_eq(found.memory, TPU_MEM_AR);
    cr_expect_eq(found.row_first, 8);
    cr_expect_eq(found.row_last, 8);
    cr_expect_eq(found.field, -1);
    cr_expect_str_eq(why.text,
                     "mem.write_before_read: instruction 6, line 7, iv0=1, iv1=2, mvout rows=4 "
                     "ar0=6 dram_row0=0 col_block=0: ar row(s) 8..8 are read as the value to "
                     "retire, but nothing in this program wrote them before; the hardware clears "
                     "no memory");
}

Test(check, sentences_name_rows_and_bounds) {
    expect_sentence(LOADS "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=6",
                    "mem.write_before_read: instruction 2, line 3, mm rows=8 vr_a=0 ar0=0 acc=0 "
                    "spad_w=6: spad row(s) 8..9 are read as weights, but nothing in this program "
                    "wrote them before; the hardware clears no memory");
    expect_sentence("vld rows=2 vr0=63 spad0=0",
                    "mem.out_of_range: instruction 0, line 1, vld rows=2 vr0=63 spad0=0: vr rows "
                    "63..64 are outside 0..63");
    expect_sentence("dma_ld rows=8 mode=1 dram_row0=9 col_block=4 dst_row0=0",
                    "dram.operand_range: instruction 0, line 1, dma_ld rows=8 mode=1 dram_row0=9 "
                    "col_block=4 dst_row0=0: B rows 9..16, column block 4 lie outside B (rows "
                    "0..15, blocks 0..3)");
    expect_sentence("loop x2\nnop\nendloop\nvld rows=1 vr0=0 spad0=0 agu: vr0+=iv0*4",
                    "agu.term: instruction 3, line 4, vld rows=1 vr0=0 spad0=0   agu: "
                    "vr0+=iv0*4: AGU term 0 moves f0 with loop level 0, but 0 loop(s) are open "
                    "here: the machine would add a stale induction value");
    expect_sentence("", "prog.empty: the program has no instruction");
}

Test(check, static_rules_come_before_dynamic_ones) {
    expect_rule("mvout rows=4 ar0=0 dram_row0=0 col_block=0\nendloop", TPU_RULE_LOOP_UNBALANCED);
}

Test(check, rules_of_one_issue_come_in_their_order) {
    // Field range before rows before mode before operand range before memory range.
    expect_rule(".word 0x0000000000020101 0", TPU_RULE_FIELD_RANGE);
    expect_rule("dma_ld rows=0 mode=4 dram_row0=0 col_block=9 dst_row0=99", TPU_RULE_ZERO_ROWS);
    expect_rule("dma_ld rows=1 mode=4 dram_row0=0 col_block=9 dst_row0=99", TPU_RULE_DMA_LD_FIELD);
    expect_rule("dma_ld rows=1 mode=0 dram_row0=0 col_block=9 dst_row0=99", TPU_RULE_OPERAND_RANGE);
    expect_rule("mvout rows=1 ar0=0 dram_row0=0 col_block=9", TPU_RULE_WRITE_BEFORE_READ);
}

Test(check, a_nop_may_carry_anything_encodable) {
    expect_legal("nop nr=5 f0=2047 f3=1");
}

Test(check, every_shipped_program_is_legal_at_every_t) {
    static const uint32_t points[][2] = {{4, 16}, {4, 64}, {8, 64}, {16, 64}, {4, 76}, {12, 48}};
    for (size_t p = 0; p < sizeof points / sizeof points[0]; p++) {
        tpu_params params = params_default(points[p][0], points[p][1]);
        for (int form = 0; form < PROGRAMS_FORM_COUNT; form++) {
            for (int relu = 0; relu < 2; relu++) {
                isa_program program = {0};
                tpu_message why = {""};
                cr_assert_eq(programs_gemm(&params, (programs_form)form, points[p][1], points[p][1],
                                           points[p][1], relu != 0, &program, &why),
                             TPU_OK, "%s", why.text);
                cr_expect_eq(check_program(&params, &program, NULL, &why), TPU_OK, "%s", why.text);
                isa_program_clear(&program);
            }
        }
    }
}

// The tests run in the root of the tree.
static isa_program parse_file(const char *path) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char text[4096];
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[bytes] = '\0';
    isa_program program = {0};
    tpu_message why = {""};
    cr_assert_eq(assembly_parse(text, path, &program, &why), TPU_OK, "%s", why.text);
    return program;
}

static void expect_file(const char *path, uint32_t t, tpu_rule rule, uint32_t line) {
    tpu_params params = params_default(t, 64);
    isa_program program = parse_file(path);
    check_finding found;
    tpu_message why = {""};
    tpu_status status = check_program(&params, &program, &found, &why);
    cr_expect_eq(status, rule == TPU_RULE_NONE ? TPU_OK : TPU_REFUSED, "%s: %s", path, why.text);
    cr_expect_eq(found.rule, rule, "%s: %s", path, why.text);
    cr_expect_eq(found.line, line, "%s: %s", path, why.text);
    isa_program_clear(&program);
}

Test(check, the_programs_in_the_tree_are_as_they_say) {
    expect_file("examples/one_tile.s", 8, TPU_RULE_NONE, 0);
    expect_file("examples/gemm_16x16x16.s", 8, TPU_RULE_NONE, 0);
    expect_file("examples/residual.s", 8, TPU_RULE_NONE, 0);
    expect_file("examples/transposed_roles.s", 8, TPU_RULE_NONE, 0);
    expect_file("examples/relu_64x64x64_in_halves.s", 4, TPU_RULE_NONE, 0);
    expect_file("tests/programs/all_opcodes.s", 4, TPU_RULE_NONE, 0);
    expect_file("tests/programs/all_opcodes.s", 8, TPU_RULE_NONE, 0);
    expect_file("tests/programs/bad_distance.s", 8, TPU_RULE_RAW_DISTANCE, 5);
    expect_file("tests/programs/bad_stale_iv.s", 8, TPU_RULE_AGU_TERM, 5);
    expect_file("tests/programs/bad_unwritten.s", 8, TPU_RULE_WRITE_BEFORE_READ, 6);
}
