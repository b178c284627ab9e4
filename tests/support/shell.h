// SPDX-License-Identifier: Apache-2.0
//
// Runs the command line as a person does, and keeps what it says.

#ifndef SHELL_H
#define SHELL_H

#include <stddef.h>

#define SHELL_OUTPUT_MAX 65536

/**
 * Runs "tpucosim <arguments>", the binary being $TPUCOSIM.
 * @param directory  stands for every '@' in the arguments; borrowed.
 * @param[out] output  SHELL_OUTPUT_MAX characters: standard output and errors, as they came.
 * @return exit code, -1 when it did not end by itself.
 */
int shell_run(const char *arguments, const char *directory, char *output);

/**
 * Expects that the arguments are refused: exit code 2 and one line that holds `part`.
 * @param directory, output  see shell_run.
 */
void shell_expect_refused(const char *arguments, const char *directory, const char *part,
                          char *output);

/** Lines in a text. */
size_t shell_lines(const char *text);

#endif
