// SPDX-License-Identifier: Apache-2.0
//
// What of the RTL is refused: names that the package lacks, part selects that reach past a field,
// literal bounds on an instruction word.

#include "spec/specgen_rtl.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const package = "package tpu_isa_pkg;\n"
                                   "  localparam int COUNT_WIDTH = 16;\n"
                                   "  localparam int AGU_TERM_BITS = 19;\n"
                                   "  localparam int AGU_LEVEL_LO = 4;\n"
                                   "  localparam int F0_LO = 6;\n"
                                   "  localparam int F0_WIDTH = 12;\n"
                                   "  localparam int NR_LO    = 54;\n"
                                   "  localparam int NR_WIDTH = 8;\n"
                                   "  localparam logic [5:0] OP_MM = 6'd4;\n"
                                   "endpackage\n";

Test(specgen_rtl, good_lines_pass) {
    static const char *const lines[] = {
        "assign is_mm = op == tpu_isa_pkg::OP_MM;",
        "assign nr = word[tpu_isa_pkg::NR_LO +: 8];",
        "assign nr = word[tpu_isa_pkg::NR_LO +: tpu_isa_pkg::NR_WIDTH];",
        "assign low = word[tpu_isa_pkg::NR_LO +: 4];",
        "assign t = word1[19*t + tpu_isa_pkg::AGU_LEVEL_LO +: 3];",
        "assign f = word0[tpu_isa_pkg::F0_LO + 12*f +: 12];",
        "assign count = word[15:0];",
        "assign both = word_q[31:16];",
        "assign unused_bits = ^{word[63:62], word[17:16]};",
        "assign x = row_data[7:0];  // not tpu_isa_pkg::OP_NONE",
        "assign w = rd_word[3:0];",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        tpu_message why = {{0}};
        cr_expect_eq(specgen_rtl_check_text("a.sv", lines[i], package, &why), TPU_OK, "%s",
                     why.text);
    }
}

Test(specgen_rtl, each_breach_is_named_with_file_and_line) {
    static const struct {
        const char *line;
        const char *said;
    } cases[] = {
        {"\nassign x = tpu_isa_pkg::OP_MMX;", "a.sv:2: found OP_MMX"},
        {"assign x = tpu_isa_pkg::OP_M;", "a.sv:1: found OP_M; tpu_isa_pkg defines no such name"},
        {"assign x = tpu_isa_pkg::;", "a.sv:1"},
        {"assign nr = word[tpu_isa_pkg::NR_LO +: 9];", "wider than the field"},
        {"assign t = word1[18*t + tpu_isa_pkg::AGU_LEVEL_LO +: 3];", "AGU_TERM_BITS"},
        {"assign f = word0[tpu_isa_pkg::F0_LO + 11*f +: 12];", "step between fields"},
        {"\n\nassign nr = word[61:54];", "a.sv:3: found word[61:54]"},
        {"assign op = insn_word0_i[5:0];", "found insn_word0_i[5:0]"},
        {"assign top = word0[61];", "found word0[61]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tpu_message why = {{0}};
        cr_expect_eq(specgen_rtl_check_text("a.sv", cases[i].line, package, &why), TPU_REFUSED,
                     "%s", cases[i].line);
        cr_expect_not_null(strstr(why.text, cases[i].said), "%s: %s", cases[i].line, why.text);
    }
}

Test(specgen_rtl, a_tree_without_rtl_is_refused_since_nothing_was_looked_at) {
    size_t files = 99;
    tpu_message why = {{0}};
    cr_expect_eq(specgen_rtl_check("tests/no_such_directory", package, &files, &why), TPU_REFUSED);
    cr_expect_not_null(strstr(why.text, "holds no .sv file"), "%s", why.text);
}
