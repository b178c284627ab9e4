// SPDX-License-Identifier: Apache-2.0
//
// fork, and one pipe each. The shared page is written with atomics only; a worker that is killed
// leaves its last counts there, so that the parent can say where it was.

#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include "harness/fuzz/fuzz_workers.h"

#include "base/stopwatch.h"
#include "harness/lockstep/digest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLAIMS_MAX 1024u
#define POLL_MS 1000

// Counts of one worker, for the eye.
typedef struct tally {
    _Atomic uint64_t programs;
    _Atomic uint64_t cycles;
    _Atomic uint64_t findings;
    _Atomic uint64_t microseconds; // of processor time
} tally;

typedef struct shared {
    _Atomic uint64_t claim[CLAIMS_MAX]; // digests of signatures; 0 = free
    _Atomic bool stop;                  // all are to end soon
    _Atomic uint8_t covered[COVERAGE_BINS_MAX];
    tally worker[];
} shared;

// What a worker sends at its end.
typedef struct answer {
    tpu_status status;
    tpu_message why;
    fuzz_summary sum;
} answer;

typedef struct child {
    pid_t pid;
    int pipe; // reading end; -1 = closed
    size_t got;
    answer *said;
} child;

typedef struct workers {
    const fuzz_options *options;
    shared *page;
    size_t page_bytes;
    child *children;
    uint32_t started;
} workers;

// What the watcher of one worker needs.
typedef struct post {
    shared *page;
    uint32_t job;
    int to; // writing end of the pipe
    pid_t parent;
    answer *said;
} post;

// ---- in the worker -----------------------------------------------------------------------------

static bool tell(void *user, const fuzz_summary *so_far) {
    post *self = user;
    tally *mine = &self->page->worker[self->job];
    atomic_store(&mine->programs, so_far->programs);
    atomic_store(&mine->cycles, so_far->cycles);
    atomic_store(&mine->findings, so_far->findings);
    atomic_store(&mine->microseconds, (uint64_t)(1e6 * so_far->processor_seconds));
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        if (so_far->covered[bin] > 0) {
            atomic_store_explicit(&self->page->covered[bin], 1, memory_order_relaxed);
        }
    }
    // Nobody waits for the answer of a worker whose parent was killed.
    return !atomic_load(&self->page->stop) && getppid() == self->parent;
}

static bool claim(void *user, const char *signature) {
    post *self = user;
    uint64_t digest = digest_row(DIGEST_START, (const uint8_t *)signature, strlen(signature)) | 1u;
    for (size_t i = 0; i < CLAIMS_MAX; i++) {
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&self->page->claim[i], &found, digest)) {
            return true;
        }
        if (found == digest) {
            return false;
        }
    }
    return false;
}

static void write_all(int to, const void *data, size_t bytes) {
    const char *at = data;
    while (bytes > 0) {
        ssize_t written = write(to, at, bytes);
        if (written < 0 && errno != EINTR) {
            return; // the parent is gone
        }
        if (written > 0) {
            at += written;
            bytes -= (size_t)written;
        }
    }
}

// Sends the answer and ends; not by exit, because buffers and handlers are the parent's.
static void finish(void *user, tpu_status status, const tpu_message *why) {
    post *self = user;
    self->said->status = status;
    if (status != TPU_OK) {
        self->said->why = *why;
    }
    write_all(self->to, self->said, sizeof *self->said);
    _exit(0);
}

static void work(const workers *self, uint32_t job, int to) {
    post where = {.page = self->page,
                  .job = job,
                  .to = to,
                  .parent = getppid(),
                  .said = calloc(1, sizeof(answer))};
    const fuzz_watcher watcher = {
        .user = &where, .progress = tell, .claim = claim, .finish = finish};
    fuzz_options options = *self->options;
    tpu_message why;
    options.job = job;
    // Ctrl-C reaches all processes of a terminal; the parent passes it on in its own way.
    (void)signal(SIGINT, SIG_IGN);
    if (where.said == NULL) {
        _exit(1);
    }
    tpu_status status = (options.drive != NULL ? options.drive : fuzz_run)(&options, &watcher,
                                                                           &where.said->sum, &why);
    finish(&where, status, &why);
}

// ---- in the parent -----------------------------------------------------------------------------

static tpu_status start(workers *self, uint32_t job, tpu_message *why) {
    child *at = &self->children[job];
    int ends[2];
    at->said = calloc(1, sizeof *at->said);
    if (at->said == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "fuzz: out of memory");
    }
    if (pipe(ends) != 0) {
        return status_fail(why, TPU_ERR_IO, "fuzz: no pipe: %s", strerror(errno));
    }
    at->pid = fork();
    if (at->pid == 0) {
        (void)close(ends[0]);
        work(self, job, ends[1]);
    }
    (void)close(ends[1]);
    at->pipe = ends[0];
    if (at->pid < 0) {
        (void)close(ends[0]);
        at->pipe = -1;
        return status_fail(why, TPU_ERR_IO, "fuzz: no process: %s", strerror(errno));
    }
    self->started++;
    return TPU_OK;
}

// Takes what the pipe holds; at its end, closes it.
static void receive(child *from) {
    char *to = (char *)from->said + from->got;
    char rest[1];
    size_t room = sizeof *from->said - from->got;
    ssize_t got = read(from->pipe, room > 0 ? to : rest, room > 0 ? room : sizeof rest);
    if (got > 0 && room > 0) {
        from->got += (size_t)got;
    }
    if (got == 0 || (got < 0 && errno != EINTR)) {
        (void)close(from->pipe);
        from->pipe = -1;
    }
}

static void show(const workers *self, fuzz_workers_progress progress, void *user, double begin) {
    fuzz_workers_state state = {.seconds = stopwatch_wall() - begin};
    for (uint32_t i = 0; i < self->started; i++) {
        tally *of = &self->page->worker[i];
        state.programs += atomic_load(&of->programs);
        state.cycles += atomic_load(&of->cycles);
        state.findings += atomic_load(&of->findings);
        state.processor_seconds += 1e-6 * (double)atomic_load(&of->microseconds);
    }
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        state.bins += atomic_load_explicit(&self->page->covered[bin], memory_order_relaxed);
    }
    if (progress != NULL) {
        progress(user, &state);
    }
}

static void collect(workers *self, fuzz_workers_progress progress, void *user) {
    struct pollfd *fds = calloc(self->started + 1u, sizeof *fds);
    double begin = stopwatch_wall();
    double shown = begin;
    for (uint32_t open = self->started; fds != NULL && open > 0;) {
        for (uint32_t i = 0; i < self->started; i++) {
            fds[i] = (struct pollfd){.fd = self->children[i].pipe, .events = POLLIN};
        }
        (void)poll(fds, self->started, POLL_MS);
        if (self->options->stop != NULL && *self->options->stop != 0) {
            atomic_store(&self->page->stop, true);
        }
        open = 0;
        for (uint32_t i = 0; i < self->started; i++) {
            if (fds[i].fd >= 0 && fds[i].revents != 0) {
                receive(&self->children[i]);
            }
            open += self->children[i].pipe >= 0;
        }
        if (stopwatch_wall() - shown >= 1e-3 * POLL_MS) {
            shown = stopwatch_wall();
            show(self, progress, user, begin);
        }
    }
    free(fds);
}

static tpu_status judge(const workers *self, uint32_t job, fuzz_summary *out, tpu_message *why) {
    const child *at = &self->children[job];
    int ended = 0;
    while (waitpid(at->pid, &ended, 0) < 0 && errno == EINTR) {
    }
    if (at->got == sizeof *at->said) {
        fuzz_merge(out, &at->said->sum);
        return at->said->status == TPU_OK
                   ? TPU_OK
                   : status_fail(why, at->said->status, "%s", at->said->why.text);
    }
    uint64_t programs = atomic_load(&self->page->worker[job].programs);
    out->programs += programs;
    out->cycles += atomic_load(&self->page->worker[job].cycles);
    return status_fail(why, TPU_ERR_INTERNAL,
                       "fuzz: worker %u of %u died (%s %d) after %llu programs, in sequence %llu",
                       job, self->options->jobs, WIFSIGNALED(ended) ? "signal" : "exit code",
                       WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended),
                       (unsigned long long)programs,
                       (unsigned long long)(job + programs / FUZZ_SEQUENCE * self->options->jobs));
}

static tpu_status open_page(workers *self, tpu_message *why) {
    uint32_t jobs = self->options->jobs;
    self->page_bytes = sizeof(shared) + jobs * sizeof(tally);
    void *page =
        mmap(NULL, self->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    self->children = calloc(jobs, sizeof *self->children);
    if (page == MAP_FAILED || self->children == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "fuzz: out of memory for %u workers", jobs);
    }
    self->page = page; // zero: all claims are free
    return TPU_OK;
}

static void close_page(workers *self) {
    for (uint32_t i = 0; self->children != NULL && i < self->options->jobs; i++) {
        free(self->children[i].said);
    }
    free(self->children);
    if (self->page != NULL) {
        (void)munmap(self->page, self->page_bytes);
    }
}

tpu_status fuzz_workers_run(const fuzz_options *options, fuzz_workers_progress progress, void *user,
                            fuzz_summary *out, tpu_message *why) {
    workers self = {.options = options};
    tpu_status status = open_page(&self, why);
    for (uint32_t i = 0; i < options->jobs && status == TPU_OK; i++) {
        status = start(&self, i, why);
    }
    collect(&self, progress, user);
    for (uint32_t i = 0; i < self.started; i++) {
        tpu_message cause;
        tpu_status ended = judge(&self, i, out, &cause);
        if (status == TPU_OK && ended != TPU_OK) {
            status = status_fail(why, ended, "%s", cause.text);
        }
    }
    close_page(&self);
    return status;
}
