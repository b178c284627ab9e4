// SPDX-License-Identifier: Apache-2.0
//
// Runs another program to its end, with a limit on its time, its output in a file. Prints nothing.

#ifndef COMMAND_H
#define COMMAND_H

#include "base/status.h"

#include <stdbool.h>

/** How a program ended. */
typedef struct command_end {
    int code;       /**< exit code; -1 when a signal ended it */
    int signal;     /**< 0 = none */
    bool timed_out; /**< it was ended because its time was up */
    double seconds;
} command_end;

/**
 * Runs argv[0] (searched in PATH) in a process group of its own, with the caller's environment.
 * @param argv       ends with NULL; borrowed.
 * @param directory  it starts there; NULL = where the caller is.
 * @param log        file for its output and errors, written anew.
 * @param limit      seconds after which the whole group is killed.
 * @return TPU_OK however it ended; TPU_ERR_IO when it cannot be started at all.
 */
tpu_status command_run(const char *const *argv, const char *directory, const char *log,
                       double limit, command_end *out, tpu_message *why) TPU_NODISCARD;

#endif
