// SPDX-License-Identifier: Apache-2.0
//
// One group of processes. Three locks, all given back by the kernel however a process ends:
//
//     DIR/campaign.lock        shared by all groups that run; alone while the plan is made, or
//                              while the number of processes changes: that changes who owns a unit
//     DIR/worker_0003.lock     process 3 runs; its children's, so that orphans count too
//
// A child dies with its parent.

#define _GNU_SOURCE // prctl, flock, MAP_ANONYMOUS

#include "harness/campaign/campaign.h"

#include "base/stopwatch.h"
#include "harness/campaign/campaign_store.h"
#include "harness/campaign/campaign_work.h"
#include "harness/engine/loader.h"
#include "harness/io/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A process that was killed needs a moment until its locks are free.
#define LOCK_SECONDS 5.0
#define POLL_SECONDS 0.02
#define SHOW_SECONDS 1.0

typedef struct campaign {
    const campaign_options *options;
    campaign_plan plan; // complete
    uint32_t processes; // of all groups
    uint32_t first;     // process of this group
    char main_file[PATH_MAX];
    int shared; // campaign.lock; -1 = none
    int *locks; // of this group's processes; -1 = none
    loader *library[CAMPAIGN_POINTS_MAX];
    const engine_api *api[CAMPAIGN_POINTS_MAX];
    uint8_t *finished;
    campaign_tally *tally;
    pid_t *child; // 0 = ended
    uint32_t started;
} campaign;

static void wait_a_moment(double seconds) {
    struct timespec rest = {.tv_nsec = (long)(seconds * 1e9)};
    (void)nanosleep(&rest, NULL);
}

// ---- locks -------------------------------------------------------------------------------------

static tpu_status open_lock(const char *path, int *out, tpu_message *why) {
    *out = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    return *out >= 0
               ? TPU_OK
               : status_fail(why, TPU_ERR_IO, "%s: cannot be made: %s", path, strerror(errno));
}

static tpu_status lock_process(campaign *self, uint32_t index, tpu_message *why) {
    char path[PATH_MAX];
    uint32_t process = self->first + index;
    double deadline = stopwatch_wall() + LOCK_SECONDS;
    tpu_status status =
        campaign_work_path(self->options->directory, process, "lock", path, sizeof path, why);
    if (status == TPU_OK) {
        status = open_lock(path, &self->locks[index], why);
    }
    while (status == TPU_OK && flock(self->locks[index], LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            return status_fail(why, TPU_ERR_IO, "%s: cannot be locked: %s", path, strerror(errno));
        }
        if (stopwatch_wall() > deadline) {
            return status_fail(why, TPU_REFUSED, "%s: process %" PRIu32 " is running already",
                               self->options->directory, process);
        }
        wait_a_moment(POLL_SECONDS);
    }
    return status;
}

static tpu_status lock_processes(campaign *self, tpu_message *why) {
    tpu_status status = TPU_OK;
    for (uint32_t i = 0; i < self->options->jobs && status == TPU_OK; i++) {
        status = lock_process(self, i, why);
    }
    return status;
}

// ---- engines -----------------------------------------------------------------------------------

// Those that are open stay.
static tpu_status open_engines(campaign *self, tpu_message *why) {
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < self->plan.point_count && status == TPU_OK; i++) {
        if (self->options->api != NULL) {
            self->api[i] = self->options->api;
        } else if (self->library[i] == NULL) {
            status = loader_open(self->plan.engine, &self->plan.point[i], &self->library[i], why);
            self->api[i] = status == TPU_OK ? loader_api(self->library[i]) : NULL;
        }
    }
    return status;
}

// ---- the plan ----------------------------------------------------------------------------------

// Reads plan and number of processes; `there` is false when nothing is made yet.
static tpu_status look(campaign *self, bool *there, uint32_t *processes, tpu_message *why) {
    campaign_store store = {.base = NULL};
    *there = access(self->main_file, F_OK) == 0;
    *processes = 0;
    self->plan = self->options->plan;
    if (!*there) {
        return campaign_plan_check(&self->plan, why);
    }
    tpu_status status = campaign_store_open(self->main_file, &store, why);
    if (status == TPU_OK) {
        status = campaign_store_plan(&store, &self->plan, why);
    }
    if (status == TPU_OK) {
        status = campaign_plan_check(&self->plan, why);
    }
    if (status == TPU_OK) {
        status = campaign_store_processes(&store, processes, why);
    }
    campaign_store_close(&store);
    return status;
}

// Alone: makes what is missing, or merges under the old numbering and takes the new one.
static tpu_status settle(campaign *self, bool there, tpu_message *why) {
    campaign_store store = {.base = NULL};
    // A plan that no engine is there for is not begun.
    tpu_status status =
        there ? campaign_merge(self->options->directory, why) : open_engines(self, why);
    if (status == TPU_OK && !there) {
        status = campaign_store_create(self->main_file, &self->plan, why);
    }
    if (status == TPU_OK) {
        status = campaign_store_open(self->main_file, &store, why);
    }
    if (status == TPU_OK) {
        status = campaign_store_set_processes(&store, self->processes, why);
    }
    campaign_store_close(&store);
    return status;
}

static tpu_status refuse_number(const campaign *self, uint32_t processes, tpu_message *why) {
    return status_fail(why, TPU_REFUSED,
                       "%s: is run by %" PRIu32
                       " processes in all just now, and this command would "
                       "make it %" PRIu32 ": wait for their end, or ask for the same number",
                       self->options->directory, processes, self->processes);
}

// Ends with the shared lock, a complete plan, and our number of processes in the main file.
static tpu_status join(campaign *self, tpu_message *why) {
    double deadline = stopwatch_wall() + LOCK_SECONDS;
    for (;;) {
        bool there = false;
        uint32_t processes = 0;
        bool held = flock(self->shared, LOCK_SH | LOCK_NB) == 0;
        tpu_status status = held ? look(self, &there, &processes, why) : TPU_OK;
        if (status != TPU_OK || (held && there && processes == self->processes)) {
            return status;
        }
        if (held && flock(self->shared, LOCK_EX | LOCK_NB) == 0) {
            status = look(self, &there, &processes, why); // another may have been faster
            if (status == TPU_OK && !(there && processes == self->processes)) {
                status = settle(self, there, why);
            }
            if (status != TPU_OK) {
                return status;
            }
            continue; // and take it as the others do
        }
        if (stopwatch_wall() > deadline) {
            return refuse_number(self, processes, why);
        }
        (void)flock(self->shared, LOCK_UN);
        wait_a_moment(POLL_SECONDS * (1.0 + (double)(getpid() % 7) / 4.0));
    }
}

static tpu_status open_directory(campaign *self, tpu_message *why) {
    char path[PATH_MAX];
    int length = snprintf(self->main_file, sizeof self->main_file, "%s/campaign.sqlite",
                          self->options->directory);
    int longer = snprintf(path, sizeof path, "%s/campaign.lock", self->options->directory);
    if (length < 0 || longer < 0 || (size_t)length + FUZZ_SIGNATURE_MAX >= sizeof path) {
        return status_fail(why, TPU_REFUSED, "%s: the path is too long", self->options->directory);
    }
    tpu_status status = textfile_make_directory(self->options->directory, why);
    if (status == TPU_OK) {
        status = open_lock(path, &self->shared, why);
    }
    if (status == TPU_OK) {
        status = join(self, why);
    }
    return status;
}

// ---- what is to be done ------------------------------------------------------------------------

static tpu_status mark_file(campaign *self, const char *path, tpu_message *why) {
    campaign_store store = {.base = NULL};
    tpu_status status = campaign_store_open(path, &store, why);
    if (status == TPU_OK) {
        status = campaign_store_mark(&store, self->finished, campaign_plan_units(&self->plan), why);
    }
    campaign_store_close(&store);
    return status;
}

// What is merged, and what these very processes did: nobody else has had their units.
static tpu_status mark_finished(campaign *self, tpu_message *why) {
    self->finished = calloc(campaign_plan_units(&self->plan), 1);
    if (self->finished == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    }
    tpu_status status = mark_file(self, self->main_file, why);
    for (uint32_t i = 0; i < self->options->jobs && status == TPU_OK; i++) {
        char path[PATH_MAX];
        status = campaign_work_path(self->options->directory, self->first + i, "sqlite", path,
                                    sizeof path, why);
        if (status == TPU_OK && access(path, F_OK) == 0) {
            status = mark_file(self, path, why);
        }
    }
    return status;
}

// ---- processes ---------------------------------------------------------------------------------

static void run_child(const campaign *self, uint32_t index, pid_t parent) {
    campaign_tally *tally = &self->tally[index];
    const campaign_job job = {.options = self->options,
                              .plan = &self->plan,
                              .api = self->api,
                              .finished = self->finished,
                              .process = self->first + index,
                              .processes = self->processes,
                              .tally = tally};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) {
        tally->status = campaign_work(&job, &tally->why);
        atomic_store(&tally->ended, true);
    }
    _exit(0); // not exit: buffers and handlers are the parent's
}

static tpu_status start_children(campaign *self, tpu_message *why) {
    uint32_t jobs = self->options->jobs;
    pid_t parent = getpid();
    void *page = mmap(NULL, jobs * sizeof *self->tally, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    }
    self->tally = page;
    for (uint32_t i = 0; i < jobs; i++) {
        self->child[i] = fork();
        if (self->child[i] == 0) {
            run_child(self, i, parent);
        }
        if (self->child[i] < 0) {
            self->child[i] = 0;
            return status_fail(why, TPU_ERR_IO, "campaign: no process: %s", strerror(errno));
        }
        self->started++;
    }
    return TPU_OK;
}

static void count_units(const campaign *self, campaign_progress *out) {
    uint64_t units = campaign_plan_units(&self->plan);
    for (uint64_t id = 0; id < units; id++) {
        uint32_t owner = campaign_plan_owner(&self->plan, id, self->processes);
        if (owner >= self->first && owner - self->first < self->options->jobs) {
            out->units++;
            out->begun_at += self->finished[id];
        }
    }
}

static void count_work(const campaign *self, const campaign_progress *base, double begin,
                       campaign_progress *out) {
    *out = *base;
    out->finished = base->begun_at;
    out->seconds = stopwatch_wall() - begin;
    for (uint32_t i = 0; i < self->started; i++) {
        campaign_tally *of = &self->tally[i];
        out->finished += atomic_load(&of->finished);
        out->programs += atomic_load(&of->programs);
        out->cycles += atomic_load(&of->cycles);
        out->findings += atomic_load(&of->findings);
    }
}

static tpu_status judge(const campaign *self, uint32_t index, int ended, tpu_message *why) {
    const campaign_tally *of = &self->tally[index];
    if (atomic_load(&of->ended)) {
        return of->status == TPU_OK ? TPU_OK : status_fail(why, of->status, "%s", of->why.text);
    }
    char point[256];
    const campaign_unit unit = campaign_plan_unit(&self->plan, atomic_load(&of->unit));
    campaign_plan_point_text(&self->plan.point[unit.point], point, sizeof point);
    return status_fail(why, TPU_ERR_INTERNAL,
                       "campaign: process %" PRIu32 " died (%s %d) in unit %" PRIu64
                       " (%s, seed %" PRIu64 ", sequence %" PRIu64 " on); the same command goes on",
                       self->first + index, WIFSIGNALED(ended) ? "signal" : "exit code",
                       WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended), unit.id, point,
                       unit.seed, unit.first);
}

// One look at every child. @return how many still run.
static uint32_t reap(campaign *self, tpu_status *status, tpu_message *why) {
    uint32_t running = 0;
    for (uint32_t i = 0; i < self->started; i++) {
        int ended = 0;
        if (self->child[i] == 0) {
            continue;
        }
        pid_t got = waitpid(self->child[i], &ended, WNOHANG);
        if (got != self->child[i]) {
            running++;
            continue;
        }
        self->child[i] = 0;
        tpu_message cause;
        tpu_status one = judge(self, i, ended, &cause);
        if (*status == TPU_OK && one != TPU_OK) { // the first failure is told
            *status = status_fail(why, one, "%s", cause.text);
        }
    }
    return running;
}

static tpu_status wait_for_all(campaign *self, campaign_on_progress on_progress, void *user,
                               tpu_message *why) {
    campaign_progress base = {.units = 0};
    campaign_progress seen;
    double begin = stopwatch_wall();
    double shown = begin;
    tpu_status status = TPU_OK;
    count_units(self, &base);
    while (reap(self, &status, why) > 0) {
        wait_a_moment(POLL_SECONDS);
        if (on_progress != NULL && stopwatch_wall() - shown >= SHOW_SECONDS) {
            shown = stopwatch_wall();
            count_work(self, &base, begin, &seen);
            on_progress(user, &seen);
        }
    }
    if (on_progress != NULL) {
        count_work(self, &base, begin, &seen);
        on_progress(user, &seen);
    }
    return status;
}

static tpu_status run_all(campaign *self, campaign_on_progress on_progress, void *user,
                          tpu_message *why) {
    tpu_message cause;
    tpu_status status = start_children(self, why);
    tpu_status ended = wait_for_all(self, on_progress, user, &cause);
    if (status == TPU_OK && ended != TPU_OK) {
        status = status_fail(why, ended, "%s", cause.text);
    }
    return status;
}

// ---- from outside ------------------------------------------------------------------------------

static void close_all(campaign *self) {
    for (uint32_t i = 0; self->locks != NULL && i < self->options->jobs; i++) {
        if (self->locks[i] >= 0) {
            (void)close(self->locks[i]);
        }
    }
    if (self->shared >= 0) {
        (void)close(self->shared);
    }
    for (size_t i = 0; i < CAMPAIGN_POINTS_MAX; i++) {
        loader_close(self->library[i]);
    }
    if (self->tally != NULL) {
        (void)munmap(self->tally, self->options->jobs * sizeof *self->tally);
    }
    free(self->locks);
    free(self->child);
    free(self->finished);
    free(self);
}

static campaign *create(const campaign_options *options) {
    campaign *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->options = options;
    self->processes = options->workers * options->jobs;
    self->first = options->worker * options->jobs;
    self->shared = -1;
    self->locks = calloc(options->jobs, sizeof *self->locks);
    self->child = calloc(options->jobs, sizeof *self->child);
    for (uint32_t i = 0; self->locks != NULL && i < options->jobs; i++) {
        self->locks[i] = -1;
    }
    if (self->locks == NULL || self->child == NULL) {
        close_all(self);
        return NULL;
    }
    return self;
}

tpu_status campaign_run(const campaign_options *options, campaign_on_progress on_progress,
                        void *user, tpu_message *why) {
    campaign *self = create(options);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    }
    tpu_status status = open_directory(self, why);
    if (status == TPU_OK) {
        status = open_engines(self, why);
    }
    if (status == TPU_OK) {
        status = lock_processes(self, why);
    }
    if (status == TPU_OK) {
        status = mark_finished(self, why);
    }
    if (status == TPU_OK) {
        status = run_all(self, on_progress, user, why);
    }
    // Also after a failure: what is finished is to be seen.
    if (self->finished != NULL && options->workers == 1) {
        tpu_message cause;
        tpu_status merged = campaign_merge(options->directory, &cause);
        if (status == TPU_OK && merged != TPU_OK) {
            status = status_fail(why, merged, "%s", cause.text);
        }
    }
    close_all(self);
    return status;
}
