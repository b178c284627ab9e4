// SPDX-License-Identifier: Apache-2.0
//
// The command mutants as a person meets it: help, the list, and one sentence and code 2 for bad
// input. Nothing is built here.

#include "harness/io/textfile.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static char directory[256];
static char output[SHELL_OUTPUT_MAX];

static void set_up(void) {
    scratch_make(directory, sizeof directory);
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(cli_mutants, .init = set_up, .fini = tear_down, .timeout = 60);

static void expect_refused(const char *arguments, const char *part) {
    shell_expect_refused(arguments, directory, part, output);
}

static void write_mutant(const char *name, const char *text) {
    char path[512];
    tpu_message why;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, text, strlen(text), &why), TPU_OK, "%s", why.text);
}

Test(cli_mutants, has_help) {
    cr_expect_eq(shell_run("mutants --help", directory, output), 0);
    cr_expect(strstr(output, "--sample N") != NULL, "%s", output);
}

Test(cli_mutants, options_that_cannot_be_are_refused) {
    expect_refused("mutants --jobs many", "--jobs");
    expect_refused("mutants --jobs 65", "--jobs");
    expect_refused("mutants --seconds soon", "--seconds");
    expect_refused("mutants --seed", "--seed");
    expect_refused("mutants --sideways", "--sideways");
    expect_refused("mutants clip", "takes no argument \"clip\"");
    expect_refused("mutants --only no_such_mutant", "there is no mutant \"no_such_mutant\"");
    expect_refused("mutants --tree @", "is no source tree");
    expect_refused("mutants --tree @/none", "there is no directory");
    expect_refused("mutants --mutants @", "there is no mutant file here");
}

Test(cli_mutants, a_damaged_file_is_named_with_its_line) {
    write_mutant("bad.mutant", "why: x\nkind: design\nfile: rtl/a.sv\nexpect: cw\nunit: array\n"
                               "--- find\na\n");
    expect_refused("mutants --list --mutants @", "bad.mutant:7: the file ends before its");
}

Test(cli_mutants, the_list_names_what_would_run) {
    write_mutant("one.mutant",
                 "why: a slip\nkind: design\nfile: rtl/core/tpu_pe.sv\n"
                 "expect: cw\nunit: array\n--- find\nendmodule\n--- replace\nb\n--- end\n");
    cr_expect_eq(shell_run("mutants --list --mutants @", directory, output), 0, "%s", output);
    cr_expect(strstr(output, "one") != NULL && strstr(output, "a slip") != NULL, "%s", output);
    cr_expect_eq(shell_run("mutants --list --only clip_hi_off_by_one", directory, output), 0);
    cr_expect_eq(shell_lines(output), 1u, "%s", output);
}

Test(cli_mutants, an_anchor_that_is_gone_is_refused) {
    write_mutant("one.mutant", "why: x\nkind: design\nfile: rtl/core/tpu_pe.sv\nexpect: cw\n"
                               "unit: array\n--- find\nno such text\n--- replace\nb\n--- end\n");
    expect_refused("mutants --list --mutants @", "one: its anchor does not occur in");
}

// An edit of the tree that takes an anchor away turns this red at once, long before a mutant runs.
Test(cli_mutants, every_anchor_of_at_least_150_is_in_the_tree) {
    cr_expect_eq(shell_run("mutants --list", directory, output), 0, "%s", output);
    cr_expect_geq(shell_lines(output), 150u);
}
