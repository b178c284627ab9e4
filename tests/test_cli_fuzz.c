// SPDX-License-Identifier: Apache-2.0
//
// fuzz and shrink as a person meets them: help, and one sentence and code 2 for bad input. No test
// here needs an engine.

#define _POSIX_C_SOURCE 200809L

#include "harness/io/textfile.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[256];
static char output[SHELL_OUTPUT_MAX];

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    (void)setenv("TPU_ENGINE_DIR", directory, 1); // an empty one
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(cli_fuzz, .init = set_up, .fini = tear_down, .timeout = 60);

static void expect_refused(const char *arguments, const char *part) {
    shell_expect_refused(arguments, directory, part, output);
}

Test(cli_fuzz, both_have_help) {
    cr_expect_eq(shell_run("fuzz --help", directory, output), 0);
    cr_expect(strstr(output, "--seconds") != NULL, "%s", output);
    cr_expect_eq(shell_run("shrink --help", directory, output), 0);
    cr_expect(strstr(output, "-o OUT") != NULL, "%s", output);
}

Test(cli_fuzz, options_that_cannot_be_are_refused) {
    expect_refused("fuzz --seconds soon", "--seconds");
    expect_refused("fuzz --seconds 0", "needs --programs");
    expect_refused("fuzz --jobs 100000", "--jobs");
    expect_refused("fuzz --latency 3", "draws latency");
    expect_refused("fuzz program.s", "takes no argument");
    expect_refused("fuzz --sideways", "--sideways");
    expect_refused("shrink", "takes one file");
    expect_refused("shrink a b", "takes one file");
    expect_refused("shrink --latency 3 a", "the file says everything");
    expect_refused("shrink --seconds soon a", "--seconds");
}

Test(cli_fuzz, a_corpus_that_cannot_be_meant_is_refused) {
    expect_refused("fuzz --corpus @", "--corpus needs --guided");
    expect_refused("fuzz --keep 5", "--keep needs --minimise");
    expect_refused("fuzz --keep some --minimise @", "--keep");
    expect_refused("fuzz --replay-corpus @ --minimise @", "one or the other");
    expect_refused("fuzz --replay-corpus @", "holds no corpus file");
    expect_refused("fuzz --replay-corpus @/nowhere", "nowhere");
}

Test(cli_fuzz, a_damaged_corpus_file_is_named_and_stays) {
    char path[512];
    char *text = NULL;
    (void)snprintf(path, sizeof path, "%s/broken", directory);
    cr_assert_eq(textfile_write(path, "TPUTAPE1 but then", 17, NULL), TPU_OK);
    expect_refused("fuzz --replay-corpus @", "/broken: not a corpus file");
    expect_refused("fuzz --minimise @", "/broken: not a corpus file");
    cr_expect_eq(textfile_read(path, &text, NULL, NULL), TPU_OK);
    free(text);
}

Test(cli_fuzz, a_missing_engine_is_named_with_the_command_that_builds_it) {
    cr_expect_eq(shell_run("fuzz --seconds 1", directory, output), 2, "%s", output);
    cr_expect(strstr(output, "make engine") != NULL, "%s", output);
}

Test(cli_fuzz, a_missing_or_damaged_reproducer_is_refused_and_nothing_is_written) {
    char path[512];
    char *text = NULL;
    expect_refused("shrink @/none.json", "none.json");
    (void)snprintf(path, sizeof path, "%s/bad.json", directory);
    cr_assert_eq(textfile_write(path, "{\"format\":", 10, NULL), TPU_OK);
    expect_refused("shrink @/bad.json", "bad.json");
    (void)snprintf(path, sizeof path, "%s/bad.min.json", directory);
    cr_expect_eq(textfile_read(path, &text, NULL, NULL), TPU_REFUSED);
    free(text);
}
