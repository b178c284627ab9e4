// SPDX-License-Identifier: Apache-2.0
//
// fuzz --illegal as a person meets it: the table, and one sentence for what cannot be.

#include "tests/support/shell.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static char output[SHELL_OUTPUT_MAX];

static void expect_refused(const char *arguments, const char *part) {
    shell_expect_refused(arguments, "", part, output);
}

Test(cli_illegal, what_cannot_be_is_refused) {
    expect_refused("fuzz --illegal --seconds soon", "--seconds");
    expect_refused("fuzz --illegal --seconds 0", "needs --programs");
    expect_refused("fuzz --illegal --jobs 2", "--jobs");
    expect_refused("fuzz --illegal --stall 3", "draws latency");
    expect_refused("fuzz --illegal more", "takes no argument");
}

Test(cli_illegal, the_table_counts_every_rule) {
    (void)setenv("TPU_MAXDIM", "16", 1);
    cr_expect_eq(shell_run("fuzz --illegal --programs 60 --seed 3", "", output), 0, "%s", output);
    cr_expect(strstr(output, "dram.result_range") != NULL, "%s", output);
    cr_expect(strstr(output, "60 illegal programs, 0 finding(s), 0 rule(s)") != NULL, "%s", output);
    cr_expect_eq(shell_run("fuzz --illegal --programs 40 --json", "", output), 0, "%s", output);
    cr_expect(strstr(output, "\"finding_count\":\t0") != NULL, "%s", output);
}

Test(cli_illegal, a_rule_without_a_program_is_a_failure) {
    (void)setenv("TPU_MAXDIM", "16", 1);
    cr_expect_eq(shell_run("fuzz --illegal --programs 3", "", output), 1, "%s", output);
}
