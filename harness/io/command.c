// SPDX-License-Identifier: Apache-2.0
//
// fork, exec and a watched wait. Waiting is by polling: the callers' programs take seconds.

#define _POSIX_C_SOURCE 200809L

#include "harness/io/command.h"

#include "base/stopwatch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 5000000L

// What a shell says of a command that is not there.
#define NOT_FOUND 127

// Never returns. argv is only read; exec's type is older than const.
static void become(const char *const *argv, const char *directory, int log) {
    char *words[64] = {NULL};
    (void)setpgid(0, 0);
    for (size_t i = 0; argv[i] != NULL && i + 1 < sizeof words / sizeof words[0]; i++) {
        memcpy(&words[i], &argv[i], sizeof words[i]);
    }
    if ((directory == NULL || chdir(directory) == 0) && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0) {
        (void)execvp(words[0], words);
    }
    _exit(NOT_FOUND);
}

static void watch(pid_t pid, double limit, command_end *out) {
    const struct timespec pause = {.tv_nsec = POLL_NS};
    double begin = stopwatch_wall();
    int ended = 0;
    pid_t got = 0;
    while ((got = waitpid(pid, &ended, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (!out->timed_out && stopwatch_wall() - begin > limit) {
            out->timed_out = true;
            (void)kill(-pid, SIGKILL);
        }
        (void)nanosleep(&pause, NULL);
    }
    out->seconds = stopwatch_wall() - begin;
    out->code = got == pid && WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    out->signal = got == pid && WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
}

tpu_status command_run(const char *const *argv, const char *directory, const char *log,
                       double limit, command_end *out, tpu_message *why) {
    *out = (command_end){.code = -1};
    int to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (to < 0) {
        return status_fail(why, TPU_ERR_IO, "%s cannot be written: %s", log, strerror(errno));
    }
    pid_t pid = fork();
    if (pid == 0) {
        become(argv, directory, to);
    }
    (void)close(to);
    if (pid < 0) {
        return status_fail(why, TPU_ERR_IO, "%s: no process: %s", argv[0], strerror(errno));
    }
    (void)setpgid(pid, pid); // whoever of the two comes first
    watch(pid, limit, out);
    if (out->code == NOT_FOUND) {
        return status_fail(why, TPU_ERR_IO, "%s cannot be started; is it installed?", argv[0]);
    }
    return TPU_OK;
}
