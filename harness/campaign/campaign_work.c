// SPDX-License-Identifier: Apache-2.0
//
// Units of one process, one after the other: fuzz_run does a unit, one transaction notes that it is
// finished and that the next one is begun.

#define _POSIX_C_SOURCE 200809L

#include "harness/campaign/campaign_work.h"

#include "base/stopwatch.h"
#include "harness/campaign/campaign_store.h"
#include "harness/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Reproducers that a process makes and shrinks for one signature; the shortest one is shown.
#define TRIES 2u
// Shrinking in one unit, in multiples of the time for one finding.
#define SHRINK_FACTOR 6u

typedef struct work {
    const campaign_job *job;
    campaign_store store;
    double begin;
    // of the unit under way
    campaign_unit unit;
    uint32_t sequences;     // done
    campaign_progress base; // of the units before
} work;

tpu_status campaign_work_path(const char *directory, uint32_t process, const char *ending,
                              char *path, size_t size, tpu_message *why) {
    int length = snprintf(path, size, "%s/worker_%04" PRIu32 ".%s", directory, process, ending);
    return length > 0 && (size_t)length < size
               ? TPU_OK
               : status_fail(why, TPU_REFUSED, "%s: the path is too long", directory);
}

// ---- one unit ----------------------------------------------------------------------------------

static bool on_sequence(void *user, const fuzz_summary *so_far) {
    work *self = user;
    campaign_tally *tally = self->job->tally;
    atomic_store(&tally->programs, self->base.programs + so_far->programs);
    atomic_store(&tally->cycles, self->base.cycles + so_far->cycles);
    atomic_store(&tally->findings, self->base.findings + so_far->findings);
    return ++self->sequences < self->unit.count;
}

static bool on_finding(void *user, const char *signature) {
    work *self = user;
    uint64_t known = 0;
    return campaign_store_reproducers(&self->store, signature, &known, NULL) == TPU_OK &&
           known < TRIES;
}

static tpu_status run_unit(work *self, fuzz_summary *out, tpu_message *why) {
    const campaign_job *job = self->job;
    const campaign_plan *plan = job->plan;
    char directory[PATH_MAX + 32];
    (void)snprintf(directory, sizeof directory, "%s/found/%" PRIu64, job->options->directory,
                   self->unit.id);
    const fuzz_options options = {.engine = plan->engine,
                                  .api = job->api[self->unit.point],
                                  .config = {.params = plan->point[self->unit.point],
                                             .init = plan->init,
                                             .timing = {.read_latency = 1, .write_latency = 1},
                                             .watchdog = plan->watchdog},
                                  .seed = self->unit.seed,
                                  .job = (uint32_t)self->unit.first,
                                  .jobs = 1,
                                  .calm = plan->calm,
                                  .keep_init = plan->keep_init,
                                  .shape = {.cycles = plan->cycles},
                                  .directory = directory,
                                  .shrink_seconds = job->options->shrink_seconds,
                                  .budget_seconds = SHRINK_FACTOR * job->options->shrink_seconds};
    const fuzz_watcher watcher = {.user = self, .progress = on_sequence, .claim = on_finding};
    tpu_message cause;
    memset(out, 0, sizeof *out);
    self->sequences = 0;
    tpu_status status = fuzz_run(&options, &watcher, out, &cause);
    if (status == TPU_OK) {
        return TPU_OK;
    }
    return status_fail(why, status, "%.400s%s", cause.text,
                       status == TPU_ERR_IO ? "; when that is mended the same command goes on"
                                            : "");
}

// ---- all of them -------------------------------------------------------------------------------

// The first unit of this process from `id` on; false when there is none or the time is up.
static bool find_unit(const work *self, uint64_t id, uint64_t *out) {
    const campaign_job *job = self->job;
    double seconds = job->options->seconds;
    uint64_t units = campaign_plan_units(job->plan);
    if (seconds > 0 && stopwatch_wall() - self->begin >= seconds) {
        return false;
    }
    while (id < units && (job->finished[id] != 0 ||
                          campaign_plan_owner(job->plan, id, job->processes) != job->process)) {
        id++;
    }
    *out = id;
    return id < units;
}

static tpu_status open_store(work *self, tpu_message *why) {
    char path[PATH_MAX];
    campaign_plan *same = malloc(sizeof *same);
    if (same == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    }
    tpu_status status = campaign_work_path(self->job->options->directory, self->job->process,
                                           "sqlite", path, sizeof path, why);
    if (status == TPU_OK && access(path, F_OK) != 0) {
        status = campaign_store_create(path, self->job->plan, why);
    }
    if (status == TPU_OK) {
        status = campaign_store_open(path, &self->store, why);
    }
    if (status == TPU_OK) {
        *same = *self->job->plan;
        memset(same->given, 1, sizeof same->given);
        status = campaign_store_plan(&self->store, same, why);
    }
    free(same);
    return status;
}

static tpu_status run_units(work *self, fuzz_summary *sum, tpu_message *why) {
    const campaign_job *job = self->job;
    uint64_t id = 0;
    bool more = find_unit(self, 0, &id);
    tpu_status status = more ? campaign_store_begin(&self->store, job->process, id, why) : TPU_OK;
    while (status == TPU_OK && more) {
        self->unit = campaign_plan_unit(job->plan, id);
        atomic_store(&job->tally->unit, id);
        status = run_unit(self, sum, why);
        if (status != TPU_OK) {
            break;
        }
        const campaign_outcome outcome = {
            .unit = self->unit, .worker = job->process, .commit = job->options->commit, .sum = sum};
        more = find_unit(self, id + 1, &id);
        status = campaign_store_finish(&self->store, &outcome, more ? &id : NULL, why);
        self->base.programs += sum->programs;
        self->base.cycles += sum->cycles;
        self->base.findings += sum->findings;
        atomic_fetch_add(&job->tally->finished, status == TPU_OK ? 1u : 0u);
    }
    return status;
}

tpu_status campaign_work(const campaign_job *job, tpu_message *why) {
    work self = {.job = job, .begin = stopwatch_wall()};
    fuzz_summary *sum = calloc(1, sizeof *sum);
    tpu_status status = sum != NULL ? open_store(&self, why)
                                    : status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    if (status == TPU_OK) {
        status = run_units(&self, sum, why);
    }
    campaign_store_close(&self.store);
    free(sum);
    return status;
}
