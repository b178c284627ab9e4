// SPDX-License-Identifier: Apache-2.0
//
// The command tpucosim: finds the subcommand. Exit codes: 0 all right, 1 a divergence or hang was
// found, 2 the input is refused, 3 the harness itself failed.

#include "harness/cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *purpose;
} command;

static const command commands[] = {
    {"cosim", cli_cosim, "run the suite in lockstep and print the table"},
    {"gemm", cli_gemm, "multiply two matrices on the machine, checked"},
    {"run", cli_run, "run a program on the machine, checked"},
    {"replay", cli_replay, "run a reproducer again"},
    {"wave", cli_wave, "show a waveform in the viewer that is installed"},
    {"explain", cli_explain, "walk through a reproducer from symptom to cause"},
    {"fuzz", cli_fuzz, "random legal programs in lockstep; findings become reproducers"},
    {"campaign", cli_campaign, "fuzzing by plan, over processes and machines, resumable"},
    {"shrink", cli_shrink, "make a failing reproducer small"},
    {"timeline", cli_timeline, "where the cycles of a run went; files for Perfetto and Konata"},
    {"page", cli_page, "a failure or a whole run as one HTML file"},
    {"mutants", cli_mutants, "plant faults, and say who notices them"},
    {"bench", cli_bench, "cycles against the targets, and speeds"},
    {"asm", cli_asm, "program text to instruction words"},
    {"disasm", cli_disasm, "instruction words to program text"},
    {"check", cli_check, "say whether a program keeps every rule"},
    {"expand", cli_expand, "list every issue of a program"},
    {"limits", cli_limits, "say which limit refuses a shape, and by how much"}};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static int help(void) {
    (void)puts("usage: tpucosim COMMAND [OPTION]...\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        (void)printf("  %-8s %s\n", commands[i].name, commands[i].purpose);
    }
    (void)puts("\ntpucosim COMMAND --help says more. Exit code: 0 all right, 1 a divergence or "
               "hang,\n2 input refused, 3 the harness failed.");
    return CLI_OK;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        return cli_refuse("which command? tpucosim help lists them");
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help();
    }
    opterr = 0; // sentences come from here, not from getopt
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            int code = commands[i].run(argc - 1, argv + 1);
            return fflush(stdout) == 0 ? code : CLI_BROKEN;
        }
    }
    return cli_refuse("\"%s\" is no command; tpucosim help lists them", name);
}
