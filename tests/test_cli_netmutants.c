// SPDX-License-Identifier: Apache-2.0
//
// mutants --netlist as a person meets it: help, and one sentence and code 2 for what cannot be,
// a machine without Yosys included. Nothing is built here.

#define _POSIX_C_SOURCE 200809L // setenv

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
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(cli_netmutants, .init = set_up, .fini = tear_down, .timeout = 60);

static void expect_refused(const char *arguments, const char *part) {
    shell_expect_refused(arguments, directory, part, output);
}

Test(cli_netmutants, has_help) {
    cr_expect_eq(shell_run("mutants --netlist 1 --help", directory, output), 0);
    cr_expect(strstr(output, "--watch WAY") != NULL, "%s", output);
}

Test(cli_netmutants, options_that_cannot_be_are_refused) {
    expect_refused("mutants --netlist", "lacks its value");
    expect_refused("mutants --netlist 0", "at least one fault");
    expect_refused("mutants --netlist many", "--netlist");
    expect_refused("mutants --netlist 65536", "--netlist");
    expect_refused("mutants --netlist 5 --watch me", "every, issue, end, c or hang, or all");
    expect_refused("mutants --netlist 5 --programs 0", "at least one program");
    expect_refused("mutants --netlist 5 --jobs two", "--jobs");
    expect_refused("mutants --netlist 5 --only 6", "no fault 6 among 5");
    expect_refused("mutants --netlist 5 --only 0", "--only");
    expect_refused("mutants --netlist 5 --only 4-2", "--only");
    expect_refused("mutants --netlist 5 --sample 3", "--sample");
    expect_refused("mutants --netlist 5 more", "no argument \"more\"");
    expect_refused("mutants --netlist 5 --tree @", "no source tree");
    expect_refused("mutants --netlist 5 --tree @/nowhere", "no directory");
    expect_refused("fuzz --watch me", "every, issue, end, c or hang");
}

// All that ci/netmutants needs before it asks for Yosys, and nothing else.
Test(cli_netmutants, a_machine_without_yosys_is_told_so) {
    char command[1024];
    (void)snprintf(command, sizeof command,
                   "for tool in bash sh cat mkdir flock grep sha256sum rm dirname wc; do "
                   "ln -s \"$(command -v $tool)\" %s/ || exit 1; done",
                   directory);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(setenv("PATH", directory, 1), 0);
    expect_refused("mutants --netlist 5 --seed 4242", "there is no yosys on this machine");
}
