// SPDX-License-Identifier: Apache-2.0
//
// The command line as a person meets it: exit codes, one sentence for bad input, nothing written
// half. $TPUCOSIM names the binary; no test here needs an engine.

#define _POSIX_C_SOURCE 200809L

#include "harness/io/npy.h"
#include "harness/io/textfile.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[256];
static char output[SHELL_OUTPUT_MAX];

static void set_up(void) {
    static const char *const variables[] = {"TPU_T",      "TPU_MAXDIM",    "TPU_SPAD",  "TPU_NVR",
                                            "TPU_NAR",    "TPU_IMEM",      "TPU_QD",    "TPU_TB",
                                            "TPU_SHAPES", "TPU_DMA_WORDS", "TPU_ENGINE"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        (void)unsetenv(variables[i]);
    }
    scratch_make(directory, sizeof directory);
    (void)setenv("TPU_ENGINE_DIR", directory, 1); // an empty one
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(cli, .init = set_up, .fini = tear_down, .timeout = 60);

static int run(const char *arguments) {
    return shell_run(arguments, directory, output);
}

static void put(const char *name, const char *text) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, text, strlen(text), NULL), TPU_OK);
}

static void put_matrix(const char *name, size_t rows, size_t columns) {
    char path[512];
    int8_t *data = calloc(rows * columns, 1);
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(npy_write(path, data, rows, columns, columns, NPY_ORDER_C, NULL), TPU_OK);
    free(data);
}

static bool exists(const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

// Exit code 2, one line, and a word that a person would look for.
static void expect_refused(const char *arguments, const char *word) {
    int code = run(arguments);
    cr_expect_eq(code, 2, "%s: exit code %d: %s", arguments, code, output);
    cr_expect_eq(shell_lines(output), 1u, "%s: %s", arguments, output);
    cr_expect(strncmp(output, "tpucosim: ", 10) == 0, "%s: %s", arguments, output);
    cr_expect(strstr(output, word) != NULL, "%s: no \"%s\" in: %s", arguments, word, output);
}

static const char program[] = "loop x2\n"
                              "  dma_ld rows=4 mode=2 dram_row0=0 col_block=0 dst_row0=0"
                              "   agu: col_block+=iv0*1, dst_row0+=iv0*16\n"
                              "endloop\n"
                              "dma_ld rows=4 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"
                              "mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0\n"
                              "mvout rows=4 ar0=0 dram_row0=0 col_block=0\n";

Test(cli, explains_itself_and_every_command) {
    static const char *const commands[] = {"cosim", "gemm",   "run",   "replay", "bench",
                                           "asm",   "disasm", "check", "expand", "limits"};
    cr_expect_eq(run("help"), 0);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char arguments[64];
        cr_expect_eq(run("help"), 0);
        cr_expect(strstr(output, commands[i]) != NULL);
        (void)snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        cr_expect_eq(run(arguments), 0, "%s", arguments);
        cr_expect(strncmp(output, "usage: tpucosim", 15) == 0, "%s", output);
    }
}

Test(cli, refuses_what_it_does_not_know) {
    expect_refused("", "which command");
    expect_refused("dance", "dance");
    expect_refused("cosim --bogus", "--bogus");
    expect_refused("cosim extra", "no argument");
    expect_refused("cosim --latency", "--latency");
    expect_refused("cosim --latency 0", "--latency");
    expect_refused("cosim --stall 1000", "--stall");
    expect_refused("cosim --seed -1", "--seed");
    expect_refused("cosim --init ones-and-zeros", "--init");
    expect_refused("cosim --engine abacus", "abacus");
    expect_refused("cosim --shapes 8x8", "--shapes");
    expect_refused("cosim --shapes 8x8x8,", "--shapes");
    expect_refused("limits 4 4", "3 argument");
    expect_refused("limits 4 4 four", "four");
}

Test(cli, refuses_a_machine_that_cannot_be) {
    (void)setenv("TPU_T", "3", 1);
    expect_refused("cosim", "T");
    (void)setenv("TPU_T", "8", 1);
    (void)setenv("TPU_QD", "1", 1);
    expect_refused("bench", "QD");
    (void)setenv("TPU_QD", "two", 1);
    expect_refused("check @/none.s", "TPU_QD");
}

Test(cli, refuses_a_missing_engine_with_the_command_that_builds_it) {
    (void)setenv("TPU_T", "8", 1);
    put_matrix("a.npy", 8, 8);
    int code = run("cosim");
    cr_expect_eq(code, 2, "%d", code);
    cr_expect(strstr(output, "make engine TPU_T=8") != NULL, "%s", output);
    expect_refused("gemm @/a.npy @/a.npy -o @/c.npy", "make engine TPU_T=8");
    cr_expect(!exists("c.npy"));
}

Test(cli, assembles_and_disassembles_to_the_same_words) {
    put("p.s", program);
    cr_expect_eq(run("asm @/p.s -o @/p.hex"), 0, "%s", output);
    cr_expect_eq(run("disasm @/p.hex -o @/q.s"), 0, "%s", output);
    cr_expect_eq(run("asm @/q.s -o @/q.hex"), 0, "%s", output);
    cr_expect_eq(run("asm @/p.s"), 0);
    char *first = strdup(output);
    cr_expect_eq(run("asm @/q.s"), 0);
    cr_expect_str_eq(first, output);
    cr_expect_eq(shell_lines(output), 8u + 2u * 6u);
    cr_expect(strncmp(output, "0000000000000006\n", 17) == 0, "%s", output);
    free(first);
}

Test(cli, expands_loops_to_issues) {
    put("p.s", program);
    cr_expect_eq(run("expand @/p.s"), 0);
    cr_expect_eq(shell_lines(output), 5u);
    cr_expect(strstr(output, "iv0=1") != NULL);
    cr_expect(strstr(output, "dst_row0=16") != NULL);
    cr_expect_eq(run("expand --json @/p.s"), 0);
    cr_expect_eq(output[0], '[');
}

Test(cli, judges_programs) {
    put("p.s", program);
    cr_expect_eq(run("check @/p.s"), 0, "%s", output);
    put("bad.s", "mvout rows=4 ar0=0 dram_row0=0 col_block=0\n");
    expect_refused("check @/bad.s", "mem.write_before_read");
    expect_refused("asm @/bad.s -o @/bad.hex", "mem.write_before_read");
    cr_expect(!exists("bad.hex"));
    cr_expect_eq(run("asm --unchecked @/bad.s -o @/bad.hex"), 0, "%s", output);
    cr_expect_eq(run("check --json @/bad.s"), 2);
    cr_expect(strstr(output, "\"legal\":\tfalse") != NULL, "%s", output);
}

Test(cli, names_file_line_and_column_of_a_bad_program) {
    put("bad.s", "mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0\nmm rows=4 weight=9\n");
    expect_refused("check @/bad.s", "bad.s:2:");
    expect_refused("check @/none.s", "none.s");
    put("bad.hex", "0001\nxyz\n");
    expect_refused("disasm @/bad.hex", "bad.hex:2:");
}

Test(cli, names_the_limit_that_refuses_a_shape_and_by_how_much) {
    cr_expect_eq(run("limits 64 64 64"), 0, "%s", output);
    cr_expect_eq(run("limits 68 64 64"), 2);
    cr_expect(strstr(output, "by 4") != NULL || strstr(output, " 4") != NULL, "%s", output);
}

Test(cli, refuses_matrices_that_do_not_fit) {
    put_matrix("a.npy", 65, 8);
    put_matrix("b.npy", 8, 8);
    put_matrix("c.npy", 4, 8);
    put("d.npy", "not numpy");
    expect_refused("gemm @/a.npy @/b.npy -o @/o.npy", "1 more than MAXDIM = 64");
    expect_refused("gemm @/b.npy @/c.npy -o @/o.npy", "must agree");
    expect_refused("gemm @/d.npy @/b.npy -o @/o.npy", "d.npy");
    expect_refused("gemm @/none.npy @/b.npy -o @/o.npy", "none.npy");
    expect_refused("gemm @/b.npy", "2 file");
    expect_refused("gemm @/b.npy @/b.npy --form spiral", "spiral");
    cr_expect(!exists("o.npy"));
}

Test(cli, refuses_reproducers_that_it_cannot_trust) {
    put("r.json", "{\"format\": \"tinytpu-cosim reproducer\", \"version\": 7}");
    expect_refused("replay @/r.json", "newer");
    put("r.json", "{\"format\": \"tinytpu-cosim rep");
    expect_refused("replay @/r.json", "cut short");
    expect_refused("replay @/none.json", "none.json");
    expect_refused("replay", "one file");
}
