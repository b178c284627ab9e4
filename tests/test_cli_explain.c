// SPDX-License-Identifier: Apache-2.0
//
// A failure as a person and as GitHub Actions see it. A right machine fails on demand: with a
// watchdog of 40 cycles it gives up while it waits 100 for the program, which is a HANG of the
// sequencer.

#define _POSIX_C_SOURCE 200809L

#include "harness/io/textfile.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HANG "--watchdog 40 --latency 100"

static char directory[256];
static char output[SHELL_OUTPUT_MAX];

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    cr_assert_eq(chdir(directory), 0); // failures go into ./fail
    (void)setenv("TPU_T", "4", 1);
    (void)setenv("TPU_MAXDIM", "16", 1);
    (void)unsetenv("GITHUB_ACTIONS");
    (void)unsetenv("GITHUB_STEP_SUMMARY");
}

static void tear_down(void) {
    char command[512];
    (void)snprintf(command, sizeof command, "rm -rf %s/fail", directory);
    cr_expect_eq(system(command), 0);
    cr_assert_eq(chdir("/"), 0);
    scratch_remove(directory);
}

TestSuite(cli_explain, .init = set_up, .fini = tear_down, .timeout = 60);

static void act(void) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/summary.md", directory);
    (void)setenv("GITHUB_ACTIONS", "true", 1);
    (void)setenv("GITHUB_STEP_SUMMARY", path, 1);
}

static void write_file(const char *name, const char *text) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, text, strlen(text), NULL), TPU_OK);
}

static char *read_file(const char *name) {
    char path[512];
    char *text = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_read(path, &text, NULL, NULL), TPU_OK, "%s", name);
    return text;
}

static void expect_has(const char *text, const char *part) {
    cr_expect(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
}

static void run_program(void) {
    write_file("one.s", "; a comment\n"
                        "dma_ld rows=4 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
                        "dma_ld rows=4 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"
                        "mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0\n"
                        "mvout rows=4 ar0=0 dram_row0=0 col_block=0\n");
    cr_expect_eq(shell_run("run one.s " HANG, directory, output), 1, "%s", output);
}

Test(cli_explain, says_nothing_to_github_outside_of_it) {
    run_program();
    expect_has(output, "HANG");
    cr_expect(strstr(output, "::error") == NULL, "%s", output);
    cr_expect(strchr(output, '\033') == NULL, "colours in a pipe");
}

Test(cli_explain, annotates_a_failing_run_and_adds_to_the_summary) {
    act();
    write_file("summary.md", "before\n");
    run_program();
    expect_has(output, "::error file=rtl/core/tpu_sequencer.sv,line=1,title=one.s::HANG: nothing "
                       "moved any more");
    expect_has(output, "; to blame: sequencer");
    char *summary = read_file("summary.md");
    cr_expect_eq(strncmp(summary, "before\n### HANG: one.s\n", 23), 0, "%s", summary);
    expect_has(summary, "| unit | sequencer |\n");
    free(summary);
}

Test(cli_explain, annotates_a_line_of_the_suite_at_the_unit) {
    act();
    cr_expect_eq(shell_run("cosim --fast --shapes 4x4x4 --fail @/fail " HANG, directory, output), 1,
                 "%s", output);
    expect_has(output, "::error file=rtl/core/tpu_sequencer.sv");
    char *summary = read_file("summary.md");
    expect_has(summary, "| files | ");
    free(summary);
}

Test(cli_explain, says_when_the_summary_cannot_be_written) {
    act();
    (void)setenv("GITHUB_STEP_SUMMARY", "/nowhere/summary.md", 1);
    run_program();
    expect_has(output, "the job summary /nowhere/summary.md cannot be written");
}

Test(cli_explain, walks_through_a_reproducer) {
    run_program();
    cr_expect_eq(shell_run("explain @/fail/run/repro.json", directory, output), 1, "%s", output);
    static const char *const parts[] = {"1 symptom", "sequencer waits for the memory port",
                                        "blame",     "sequencer: the waits and the rows that are",
                                        "open",      "rtl/core/tpu_sequencer.sv"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        expect_has(output, parts[i]);
    }
    cr_expect_eq(shell_run("explain --json @/fail/run/repro.json", directory, output), 1, "%s",
                 output);
    cJSON *root = cJSON_Parse(output);
    cr_assert(root != NULL, "%s", output);
    cr_expect_str_eq(cJSON_GetObjectItem(root, "verdict")->valuestring, "HANG");
    cJSON_Delete(root);
}

Test(cli_explain, refuses_what_it_cannot_explain) {
    static const struct {
        const char *arguments;
        const char *part;
    } bad[] = {{"explain", "takes one file"},
               {"explain a b", "takes one file"},
               {"explain nothing.json", "nothing.json"},
               {"explain --seed 3 a", "the file says everything"},
               {"explain --sideways a", "--sideways"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_eq(shell_run(bad[i].arguments, directory, output), 2, "%s", output);
        expect_has(output, bad[i].part);
        cr_expect_eq(shell_lines(output), 1u, "%s", output);
    }
    cr_expect_eq(shell_run("explain --help", directory, output), 0);
    expect_has(output, "usage: tpucosim explain");
}
