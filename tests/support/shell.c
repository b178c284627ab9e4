// SPDX-License-Identifier: Apache-2.0
//
// popen with a scratch directory put in.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/shell.h"

#include "base/status.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

int shell_run(const char *arguments, const char *directory, char *output) {
    char command[4096];
    const char *binary = getenv("TPUCOSIM");
    size_t length = (size_t)snprintf(command, sizeof command, "%s ",
                                     binary != NULL ? binary : "build/tpucosim");
    for (const char *at = arguments; *at != '\0'; at++) {
        length += (size_t)snprintf(command + length, sizeof command - length, "%s%.*s",
                                   *at == '@' ? directory : "", *at == '@' ? 0 : 1, at);
        TPU_CHECK(length + 8 < sizeof command, "the test's command is short enough");
    }
    (void)snprintf(command + length, sizeof command - length, " 2>&1");
    FILE *pipe = popen(command, "r");
    TPU_CHECK(pipe != NULL, "a command can be started");
    size_t got = fread(output, 1, SHELL_OUTPUT_MAX - 1, pipe);
    output[got] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

size_t shell_lines(const char *text) {
    size_t lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

void shell_expect_refused(const char *arguments, const char *directory, const char *part,
                          char *output) {
    cr_expect_eq(shell_run(arguments, directory, output), 2, "%s: %s", arguments, output);
    cr_expect(strstr(output, part) != NULL, "%s: %s", arguments, output);
    cr_expect_eq(shell_lines(output), 1u, "%s: %s", arguments, output);
}
