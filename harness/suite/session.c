// SPDX-License-Identifier: Apache-2.0
//
// The session. Timing runs go to engines of their own, so that what the first one went through is
// exactly what the reproducer says.

#include "harness/suite/session.h"

#include "base/stopwatch.h"
#include "harness/engine/loader.h"
#include "harness/replay/reproducer.h"
#include "harness/show/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An engine with its lockstep.
typedef struct pair {
    engine *device;
    lockstep *both;
} pair;

struct session {
    session_options options;
    loader *loader;
    const engine_api *api;
    pair main;
    pair timing[2]; // checked and bare
    reproducer history;
    bool failed; // the last run was not OK: the main engine stands in the middle of it
};

// The SystemC kernel is global: a process has one engine of it, once.
static bool is_single(const session *self) {
    return strcmp(self->options.engine, "systemc") == 0;
}

static void pair_close(const session *self, pair *which) {
    lockstep_destroy(which->both);
    if (self->api != NULL) {
        self->api->destroy(which->device);
    }
    *which = (pair){.device = NULL, .both = NULL};
}

static tpu_status pair_open(const session *self, pair *which, tpu_message *why) {
    tpu_status status = self->api->create(&self->options.config, &which->device, why);
    if (status == TPU_OK) {
        status = self->api->reset(which->device, why);
    }
    if (status == TPU_OK) {
        status = lockstep_create(self->api, which->device, &self->options.config.params,
                                 &which->both, why);
    }
    return status;
}

static tpu_status find_api(session *self, tpu_message *why) {
    if (self->options.api != NULL) {
        self->api = self->options.api;
        return TPU_OK;
    }
    tpu_status status =
        loader_open(self->options.engine, &self->options.config.params, &self->loader, why);
    if (status == TPU_OK) {
        self->api = loader_api(self->loader);
    }
    return status;
}

tpu_status session_open(const session_options *options, session **out, tpu_message *why) {
    session *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "session: out of memory");
    }
    self->options = *options;
    self->history.config = options->config;
    self->history.hang_limit = options->hang_limit;
    self->history.seed = options->seed;
    (void)snprintf(self->history.engine, sizeof self->history.engine, "%s", options->engine);
    tpu_status status = find_api(self, why);
    if (status == TPU_OK) {
        status = pair_open(self, &self->main, why);
    }
    if (status != TPU_OK) {
        session_close(self);
        return status;
    }
    *out = self;
    return TPU_OK;
}

void session_close(session *self) {
    if (self == NULL) {
        return;
    }
    pair_close(self, &self->main);
    pair_close(self, &self->timing[0]);
    pair_close(self, &self->timing[1]);
    reproducer_clear(&self->history);
    loader_close(self->loader);
    free(self);
}

bool session_can_renew(const session *self) {
    return !is_single(self) || !self->failed;
}

static tpu_status reset_single(session *self, tpu_message *why) {
    if (!session_can_renew(self)) {
        return status_fail(why, TPU_REFUSED,
                           "the SystemC engine cannot start over after a run that was not OK");
    }
    return self->api->reset(self->main.device, why);
}

tpu_status session_renew(session *self, tpu_message *why) {
    if (is_single(self)) {
        return reset_single(self, why);
    }
    reproducer_forget(&self->history);
    pair_close(self, &self->main);
    self->failed = false;
    return pair_open(self, &self->main, why);
}

tpu_status session_set_timing(session *self, const engine_timing *timing, tpu_message *why) {
    tpu_status status = self->api->set_timing(self->main.device, timing, why);
    if (status == TPU_OK) {
        self->options.config.timing = *timing;
        self->history.config.timing = *timing;
    }
    return status;
}

void session_run(session *self, const char *name, const lockstep_job *job, verdict *out) {
    tpu_message why;
    lockstep_job with = *job;
    with.hang_limit = self->options.hang_limit;
    if (reproducer_add(&self->history, name, &with, &self->options.config.timing, &why) != TPU_OK) {
        verdict_clear(out);
        out->kind = VERDICT_ERROR;
        out->sentence = why;
        return;
    }
    lockstep_run(self->main.both, &with, out);
    self->failed = out->kind != VERDICT_OK;
}

const uint8_t *session_c(const session *self) {
    return lockstep_c(self->main.both);
}

const uint8_t *session_model_c(const session *self) {
    return lockstep_model_c(self->main.both);
}

// What one of the two sides of a measurement has gathered.
typedef struct meter {
    lockstep_job job;
    uint64_t cycles;
    double seconds;
} meter;

static tpu_status measure_once(session *self, size_t which, meter *to, tpu_message *why) {
    verdict seen;
    tpu_status status = TPU_OK;
    verdict_init(&seen);
    const pair *on = is_single(self) ? &self->main : &self->timing[which];
    double begin = stopwatch_processor();
    lockstep_run(on->both, &to->job, &seen);
    to->seconds += stopwatch_processor() - begin;
    to->cycles += seen.steps;
    if (seen.kind != VERDICT_OK) {
        pair_close(self, &self->timing[which]);
        self->failed = self->failed || is_single(self);
        status =
            status_fail(why, TPU_ERR_ENGINE, "a timing run was not OK: %.400s", seen.sentence.text);
    }
    verdict_clear(&seen);
    return status;
}

static tpu_status open_timing(session *self, tpu_message *why) {
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < 2 && status == TPU_OK && !is_single(self); i++) {
        if (self->timing[i].device == NULL) {
            status = pair_open(self, &self->timing[i], why);
        }
    }
    return status;
}

tpu_status session_measure(session *self, const lockstep_job *job, double seconds,
                           session_speed *out, tpu_message *why) {
    meter meters[2] = {{.job = *job}, {.job = *job}};
    meters[0].job.skip_oracle = true;
    meters[0].job.hang_limit = meters[1].job.hang_limit = self->options.hang_limit;
    meters[1].job.mode = LOCKSTEP_MODE_BARE;
    tpu_status status = open_timing(self, why);
    for (size_t turn = 0; status == TPU_OK; turn++) {
        if (turn == 1) { // the first turn fills the caches and does not count
            meters[0].seconds = meters[1].seconds = 0;
            meters[0].cycles = meters[1].cycles = 0;
        }
        if (turn > 1 && meters[0].seconds + meters[1].seconds > 2 * seconds) {
            break;
        }
        status = measure_once(self, 0, &meters[0], why);
        if (status == TPU_OK) {
            status = measure_once(self, 1, &meters[1], why);
        }
    }
    if (status == TPU_OK) {
        out->checked = (double)meters[0].cycles / meters[0].seconds;
        out->bare = (double)meters[1].cycles / meters[1].seconds;
    }
    return status;
}

const reproducer *session_reproducer(const session *self) {
    return &self->history;
}

tpu_status session_save_reproducer(session *self, const char *path, const verdict *seen,
                                   tpu_message *why) {
    reproducer_expect(&self->history, seen);
    return reproducer_write(&self->history, path, why);
}

tpu_status session_save(session *self, const char *directory, const verdict *seen,
                        const char *source, tpu_message *why) {
    reproducer_expect(&self->history, seen);
    const failure found = {
        .repro = &self->history, .api = self->api, .seen = seen, .source = source};
    return failure_write(&found, directory, why);
}

const engine_api *session_api(const session *self) {
    return self->api;
}

engine *session_engine(const session *self) {
    return self->main.device;
}
