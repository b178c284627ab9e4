// SPDX-License-Identifier: Apache-2.0
//
// One child a mutant: it may crash, hang or write over its memory. The answer comes through a pipe;
// a child that ends without one is a broken mutant.

#include "harness/mutants/mutant_run.h"

#include "base/stopwatch.h"
#include "harness/mutants/mutant_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Seconds beside the fuzzing: build, test, shrinking, all slow.
#define CHILD_EXTRA 1500u

typedef struct slot {
    pid_t pid; // 0 = free
    int pipe;
    size_t index;
} slot;

typedef struct pool {
    const mutant_options *options;
    const mutant *list;
    size_t count;
    size_t next;
    mutant_heard heard;
    void *user;
    mutant_result *results;
    slot *slots;
} pool;

bool mutant_must_survive(const mutant *self) {
    return self->file == NULL || self->equivalent != NULL;
}

bool mutant_went_well(const mutant *self, const mutant_result *result) {
    return mutant_must_survive(self) ? result->outcome == MUTANT_SURVIVED
                                     : result->outcome == MUTANT_CAUGHT && result->place_right;
}

const char *mutant_outcome_name(mutant_outcome outcome) {
    static const char *const names[MUTANT_OUTCOME_COUNT] = {"caught", "survived", "broken"};
    return (unsigned)outcome < MUTANT_OUTCOME_COUNT ? names[outcome] : NULL;
}

// ---- controls ----------------------------------------------------------------------------------

static bool same_text(const char *left, const char *right) {
    return left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
}

// The control of a mutant: who looks, at which point, with nothing planted.
static mutant control_of(const mutant *of) {
    mutant out = {.kind = of->kind, .test = of->test, .point = of->point};
    if (of->test == NULL) {
        out.kind = MUTANT_DESIGN;
    }
    (void)snprintf(out.name, sizeof out.name, "control%s%.20s%s%.30s", of->test != NULL ? "-" : "",
                   of->test != NULL ? of->test : "", of->point != NULL ? "-" : "",
                   of->point != NULL ? of->point : "");
    for (char *at = out.name; *at != '\0'; at++) {
        *at = (char)(*at == ' ' || *at == '=' ? '_' : *at);
    }
    return out;
}

static bool has_control(const mutant *list, size_t count, const mutant *control) {
    for (size_t i = 0; i < count; i++) {
        if (list[i].kind == control->kind && same_text(list[i].test, control->test) &&
            same_text(list[i].point, control->point)) {
            return true;
        }
    }
    return false;
}

tpu_status mutant_controls(const mutant *list, size_t count, mutant **controls, size_t *made,
                           tpu_message *why) {
    *made = 0;
    *controls = calloc(count + 1, sizeof **controls);
    if (*controls == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        const mutant control = control_of(&list[i]);
        if (!has_control(*controls, *made, &control)) {
            (*controls)[(*made)++] = control;
        }
    }
    return TPU_OK;
}

// ---- in the child ------------------------------------------------------------------------------

static void run_one(mutant_job *job) {
    mutant_result *result = job->result;
    tpu_message why;
    tpu_message cause;
    double begin = stopwatch_wall();
    tpu_status status = mutant_tree_build(job, &why);
    result->build = stopwatch_wall() - begin;
    if (status == TPU_OK) {
        status = mutant_judge(job, &why);
    }
    if (mutant_tree_restore(job, &cause) != TPU_OK && status == TPU_OK) {
        status = status_fail(&why, TPU_ERR_IO, "%s", cause.text);
    }
    if (status != TPU_OK) {
        result->outcome = MUTANT_BROKEN;
        (void)snprintf(result->note, sizeof result->note, "%.250s", why.text);
    }
}

static void write_all(int to, const void *data, size_t bytes) {
    const char *at = data;
    while (bytes > 0) {
        ssize_t written = write(to, at, bytes);
        if (written < 0 && errno != EINTR) {
            return;
        }
        if (written > 0) {
            at += written;
            bytes -= (size_t)written;
        }
    }
}

static void work(const pool *self, size_t index, size_t number, int to) {
    mutant_result result = {.outcome = MUTANT_BROKEN};
    mutant_job *job = calloc(1, sizeof *job);
    char name[32];
    (void)alarm((unsigned)self->options->seconds + CHILD_EXTRA);
    if (job != NULL) {
        job->options = self->options;
        job->what = &self->list[index];
        job->result = &result;
        (void)snprintf(name, sizeof name, "job%zu", number);
        mutant_path(job->home, self->options->out, name);
        mutant_path(job->place, self->options->out, job->what->name);
        mutant_set_point(job->what);
        run_one(job);
        write_all(to, &result, sizeof result);
    }
    free(job);
    _exit(0); // not exit: buffers and handlers are the parent's
}

// ---- in the parent -----------------------------------------------------------------------------

static tpu_status start(pool *self, size_t number, tpu_message *why) {
    slot *at = &self->slots[number];
    int ends[2];
    if (pipe(ends) != 0) {
        return status_fail(why, TPU_ERR_IO, "mutants: no pipe: %s", strerror(errno));
    }
    at->index = self->next;
    at->pid = fork();
    if (at->pid == 0) {
        (void)close(ends[0]);
        work(self, at->index, number, ends[1]);
    }
    (void)close(ends[1]);
    at->pipe = ends[0];
    if (at->pid < 0) {
        (void)close(ends[0]);
        at->pid = 0;
        return status_fail(why, TPU_ERR_IO, "mutants: no process: %s", strerror(errno));
    }
    self->next++;
    return TPU_OK;
}

static size_t read_all(int from, void *data, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = read(from, (char *)data + done, bytes - done);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return done;
}

// The child's answer is smaller than a pipe's buffer, so it waits for nobody.
static void finish(pool *self, slot *at) {
    mutant_result *result = &self->results[at->index];
    int ended = 0;
    size_t got = read_all(at->pipe, result, sizeof *result);
    (void)close(at->pipe);
    while (waitpid(at->pid, &ended, 0) < 0 && errno == EINTR) {
    }
    if (got != sizeof *result) {
        *result = (mutant_result){.outcome = MUTANT_BROKEN};
        (void)snprintf(result->note, sizeof result->note, "its process died of signal %d",
                       WIFSIGNALED(ended) ? WTERMSIG(ended) : 0);
    }
    at->pid = 0;
    if (self->heard != NULL) {
        self->heard(self->user, &self->list[at->index], result);
    }
}

// Waits for any child.
static void wait_one(pool *self, struct pollfd *fds) {
    nfds_t open = 0;
    for (uint32_t i = 0; i < self->options->jobs; i++) {
        if (self->slots[i].pid != 0) {
            fds[open++] = (struct pollfd){.fd = self->slots[i].pipe, .events = POLLIN};
        }
    }
    while (open > 0 && poll(fds, open, -1) < 0 && errno == EINTR) {
    }
    for (nfds_t k = 0; k < open; k++) {
        for (uint32_t i = 0; i < self->options->jobs && fds[k].revents != 0; i++) {
            if (self->slots[i].pid != 0 && self->slots[i].pipe == fds[k].fd) {
                finish(self, &self->slots[i]);
                break;
            }
        }
    }
}

static bool is_busy(const pool *self) {
    for (uint32_t i = 0; i < self->options->jobs; i++) {
        if (self->slots[i].pid != 0) {
            return true;
        }
    }
    return false;
}

static tpu_status run_pool(pool *self, struct pollfd *fds, tpu_message *why) {
    tpu_status status = TPU_OK;
    do {
        for (uint32_t i = 0; i < self->options->jobs && status == TPU_OK; i++) {
            if (self->slots[i].pid == 0 && self->next < self->count) {
                status = start(self, i, why);
            }
        }
        wait_one(self, fds);
    } while (is_busy(self) || (status == TPU_OK && self->next < self->count));
    return status;
}

tpu_status mutant_run_all(const mutant_options *options, const mutant *list, size_t count,
                          mutant_heard heard, void *user, mutant_result *results,
                          tpu_message *why) {
    pool self = {.options = options,
                 .list = list,
                 .count = count,
                 .heard = heard,
                 .user = user,
                 .results = results,
                 .slots = calloc(options->jobs, sizeof(slot))};
    struct pollfd *fds = calloc(options->jobs, sizeof *fds);
    tpu_status status = self.slots != NULL && fds != NULL
                            ? mutant_tree_prepare(options, list, count, why)
                            : status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
    if (status == TPU_OK) {
        status = run_pool(&self, fds, why);
    }
    free(self.slots);
    free(fds);
    return status;
}
