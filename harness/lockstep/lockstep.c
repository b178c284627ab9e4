// SPDX-License-Identifier: Apache-2.0
//
// The run: the loop that steps and compares. What comes before the first cycle is in
// lockstep_begin.c, what is checked after the last one in settle.c, what a difference means in
// blame.c.

#include "harness/lockstep/lockstep.h"

#include "csim/isa/expand.h"
#include "harness/lockstep/digest.h"
#include "harness/lockstep/lockstep_internal.h"

#include <stdlib.h>
#include <string.h>

// Cycles stepped after done: an event there is an event too many.
#define AFTERGLOW 4u

static size_t largest(size_t left, size_t right) {
    return left > right ? left : right;
}

size_t lockstep_memory_bytes(const lockstep *self, tpu_mem memory) {
    switch (memory) {
    case TPU_MEM_SPAD:
        return (size_t)self->params.spad_rows * self->params.t;
    case TPU_MEM_VR:
        return (size_t)self->params.nvr * self->params.t;
    case TPU_MEM_AR:
        return (size_t)self->params.nar * self->params.t * 4;
    default:
        return 0;
    }
}

tpu_status lockstep_create(const engine_api *api, engine *device, const tpu_params *params,
                           lockstep **out, tpu_message *why) {
    lockstep *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "lockstep: out of memory");
    }
    self->api = api;
    self->device = device;
    self->params = *params;
    size_t region = params_region_bytes(params);
    size_t on_chip = largest(
        lockstep_memory_bytes(self, TPU_MEM_SPAD),
        largest(lockstep_memory_bytes(self, TPU_MEM_VR), lockstep_memory_bytes(self, TPU_MEM_AR)));
    self->model = expected_create(params);
    self->machine_c = calloc(region, 1);
    self->model_c = calloc(region, 1);
    self->oracle_c = calloc(region, 1);
    self->buffer = calloc(on_chip, 1);
    if (self->model == NULL || self->machine_c == NULL || self->model_c == NULL ||
        self->oracle_c == NULL || self->buffer == NULL) {
        lockstep_destroy(self);
        return status_fail(why, TPU_ERR_MEMORY, "lockstep: out of memory");
    }
    *out = self;
    return TPU_OK;
}

void lockstep_destroy(lockstep *self) {
    if (self == NULL) {
        return;
    }
    expected_destroy(self->model);
    free(self->machine_c);
    free(self->model_c);
    free(self->oracle_c);
    free(self->buffer);
    free(self);
}

const uint8_t *lockstep_c(const lockstep *self) {
    return self->machine_c;
}

const uint8_t *lockstep_model_c(const lockstep *self) {
    return self->model_c;
}

void lockstep_give_up(lockstep *self, tpu_status status, const tpu_message *why) {
    self->out->kind = status == TPU_REFUSED ? VERDICT_REFUSED : VERDICT_ERROR;
    self->out->sentence = *why;
    self->synced = false;
}

// No row left: an event too many, or the model itself failed.
static void no_row_left(lockstep *self, const probe *seen, tpu_stream stream) {
    tpu_message why;
    tpu_status failed = expected_failed(self->model, &why);
    if (failed != TPU_OK) {
        lockstep_give_up(self, failed == TPU_REFUSED ? TPU_ERR_INTERNAL : failed, &why);
        return;
    }
    blame_extra(self, seen, stream, seen->row[stream]);
}

// One event against its row. False = the run is over.
static bool compare_event(lockstep *self, const probe *seen, tpu_stream stream) {
    const uint8_t *got = seen->row[stream];
    const uint8_t *want = expected_take(self->model, stream);
    if (want == NULL) {
        no_row_left(self, seen, stream);
        return false;
    }
    const lockstep_hooks *hooks = self->job->hooks;
    if (hooks != NULL && (hooks->mute >> stream & 1u) != 0) {
        return true;
    }
    verdict *out = self->out;
    size_t bytes = expected_row_bytes(self->model, stream);
    if (stream == TPU_STREAM_ISSUE) {
        self->issued[out->counts.compared[stream] % LOCKSTEP_ISSUED] = seen->cycle;
    }
    out->counts.compared[stream]++;
    out->stream_digest[stream] = digest_row(out->stream_digest[stream], got, bytes);
    if (memcmp(want, got, bytes) == 0) {
        return true;
    }
    blame_value(self, seen, stream, got);
    return false;
}

// A row that nobody compares: the model's is dropped, so that its queue stays short.
static void pass_event(lockstep *self, tpu_stream stream) {
    if (self->job->watch != LOCKSTEP_WATCH_HANG) {
        (void)expected_take(self->model, stream);
    }
}

bool lockstep_watches(const lockstep *self, tpu_stream stream) {
    lockstep_watch watch = self->job->watch;
    return watch == LOCKSTEP_WATCH_EVERY ||
           (watch == LOCKSTEP_WATCH_ISSUE && stream == TPU_STREAM_ISSUE);
}

// Streams of one cycle in the order of the data's way, so that the first to differ is the cause.
static bool compare_cycle(lockstep *self, const probe *seen) {
    uint32_t fired = seen->fired;
    for (unsigned stream = 0; fired >> stream != 0; stream++) {
        if ((fired >> stream & 1u) == 0) {
            continue;
        }
        if (!lockstep_watches(self, (tpu_stream)stream)) {
            pass_event(self, (tpu_stream)stream);
        } else if (!compare_event(self, seen, (tpu_stream)stream)) {
            return false;
        }
    }
    return true;
}

uint64_t lockstep_issue_cycle(const lockstep *self, uint64_t seq) {
    uint64_t seen = self->out->counts.compared[TPU_STREAM_ISSUE];
    bool kept = seq < seen && seen - seq <= LOCKSTEP_ISSUED;
    return kept ? self->issued[seq % LOCKSTEP_ISSUED] : 0;
}

// Rows are numbered here once more: behind a difference nothing is taken from the model any more.
static void show_rows(lockstep *self, const probe *seen) {
    const lockstep_hooks *hooks = self->job->hooks;
    for (unsigned s = 0; seen->fired >> s != 0; s++) {
        if ((seen->fired >> s & 1u) == 0) {
            continue;
        }
        uint64_t index = self->shown[s]++;
        expected_row want = expected_peek(self->model, (tpu_stream)s, index);
        const lockstep_row row = {.cycle = seen->cycle,
                                  .index = index,
                                  .got = seen->row[s],
                                  .expected = want.row,
                                  .bytes = expected_row_bytes(self->model, (tpu_stream)s),
                                  .issue = want.issue,
                                  .in_issue = want.in_issue,
                                  .stream = (tpu_stream)s};
        hooks->row(hooks->user, &row);
    }
}

static void show(lockstep *self, const probe *seen) {
    const lockstep_hooks *hooks = self->job->hooks;
    if (hooks == NULL || self->job->mode == LOCKSTEP_MODE_BARE) {
        return;
    }
    if (hooks->cycle != NULL) {
        hooks->cycle(hooks->user, seen);
    }
    if (hooks->row != NULL && self->job->mode == LOCKSTEP_MODE_CHECKED) {
        show_rows(self, seen);
    }
}

tpu_status lockstep_step(lockstep *self, probe *seen, tpu_message *why) {
    tpu_status status = self->api->step(self->device, seen, why);
    if (status == TPU_OK) {
        self->now = seen->cycle;
        show(self, seen);
    }
    return status;
}

static uint64_t hang_limit(const lockstep *self) {
    return self->job->hang_limit != 0 ? self->job->hang_limit : LOCKSTEP_HANG_LIMIT;
}

// A walk through loops that issue nothing writes no row, but it is movement: an instruction a
// cycle. It ends where the model's does, or it does not lead anywhere.
static bool is_walking(lockstep *self, const probe *seen) {
    const lockstep_job *job = self->job;
    uint64_t walked = seen->cycle - self->last_row;
    if (seen->unit[TPU_UNIT_SEQUENCER].state != PROBE_BUSY) {
        return false;
    }
    if (walked > hang_limit(self)) {
        bool modelled = job->mode == LOCKSTEP_MODE_CHECKED && job->watch == LOCKSTEP_WATCH_EVERY;
        self->astray = walked > (modelled ? expected_fetches(self->model) : EXPAND_FETCH_MAX);
    }
    return !self->astray;
}

static bool is_stuck(lockstep *self, const probe *seen) {
    if (seen->fired != 0) {
        self->last_row = seen->cycle;
        self->astray = false;
    }
    if (seen->fired != 0 || is_walking(self, seen)) {
        self->last_event = seen->cycle;
    }
    if (seen->cycle - self->last_event == LOCKSTEP_PAUSE) {
        memcpy(self->stall, seen->unit, sizeof self->stall);
    }
    // Rows without end are rows too many; who does not look at them needs a limit.
    if (self->job->watch != LOCKSTEP_WATCH_EVERY && seen->cycle > LOCKSTEP_CYCLES_MAX) {
        return true;
    }
    return seen->cycle - self->last_event > hang_limit(self);
}

// One cycle of the run. False = there was none, `out` says why.
static bool advance(lockstep *self, probe *seen) {
    tpu_message why;
    self->out->steps++;
    if (lockstep_step(self, seen, &why) != TPU_OK) {
        lockstep_give_up(self, TPU_ERR_ENGINE, &why);
        return false;
    }
    if (seen->refused) {
        blame_refused(self, seen);
    }
    return !seen->refused;
}

// False = the machine stands still, and `out` says who holds it up.
static bool is_alive(lockstep *self, const probe *seen) {
    if (!is_stuck(self, seen)) {
        return true;
    }
    self->out->cycle = seen->cycle;
    blame_stuck(self);
    return false;
}

// One cycle: step, show, compare. False = the run is over, `out` says how.
static bool checked_cycle(lockstep *self, probe *seen) {
    return advance(self, seen) && (seen->fired == 0 || compare_cycle(self, seen)) &&
           (seen->done || is_alive(self, seen));
}

static void run_checked(lockstep *self) {
    probe seen = {.done = false};
    while (!seen.done) {
        if (!checked_cycle(self, &seen)) {
            return;
        }
    }
    uint64_t end = seen.cycle;
    memcpy(self->out->units, seen.unit, sizeof seen.unit);
    for (unsigned i = 0; i < AFTERGLOW; i++) {
        if (!checked_cycle(self, &seen)) {
            return;
        }
        self->late |= seen.fired;
    }
    self->out->steps -= AFTERGLOW;
    self->out->cycle = end;
    settle_run(self);
}

// What an onlooker wants to see behind a difference. The verdict stands already.
static void go_on(lockstep *self) {
    probe seen = {.done = false};
    while (self->now < self->out->cycle + self->job->after && !seen.done) {
        if (lockstep_step(self, &seen, NULL) != TPU_OK) {
            break;
        }
    }
}

// The engine by itself, up to its end.
static void run_alone(lockstep *self) {
    probe seen = {.done = false};
    tpu_message why;
    while (!seen.done) {
        if (!advance(self, &seen) || !is_alive(self, &seen)) {
            return;
        }
    }
    self->out->cycle = seen.cycle;
    tpu_status status = self->api->status(self->device, &self->out->status, &why);
    if (status == TPU_OK) {
        status = self->api->read(self->device, TPU_MEM_C, self->machine_c,
                                 params_region_bytes(&self->params), &why);
    }
    if (status != TPU_OK) {
        lockstep_give_up(self, TPU_ERR_ENGINE, &why);
    }
}

static uint64_t combine_digests(const verdict *out) {
    uint64_t digest = DIGEST_START;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        digest = digest_word(digest, out->stream_digest[s]);
        digest = digest_word(digest, out->counts.compared[s]);
    }
    return digest;
}

void lockstep_run(lockstep *self, const lockstep_job *job, verdict *out) {
    tpu_message why;
    verdict_clear(out);
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        out->stream_digest[s] = DIGEST_START;
    }
    self->job = job;
    self->out = out;
    self->last_event = 0;
    self->last_row = 0;
    self->astray = false;
    self->late = 0;
    memset(self->shown, 0, sizeof self->shown);
    memset(self->stall, 0, sizeof self->stall);
    tpu_status status = lockstep_begin(self, &why);
    if (status != TPU_OK) {
        lockstep_give_up(self, status, &why);
        return;
    }
    if (job->mode == LOCKSTEP_MODE_CHECKED) {
        run_checked(self);
        if (job->after != 0 && out->kind == VERDICT_MISMATCH) {
            go_on(self);
        }
        settle_counts(self);
        // Where the model did not run, what the machine holds is read anew.
        self->synced = self->synced && out->kind == VERDICT_OK && job->watch != LOCKSTEP_WATCH_HANG;
    } else {
        run_alone(self);
    }
    out->digest = combine_digests(out);
}

static const char *const watch_names[LOCKSTEP_WATCH_COUNT] = {"every", "issue", "end", "c", "hang"};

const char *lockstep_watch_name(lockstep_watch watch) {
    return (unsigned)watch < LOCKSTEP_WATCH_COUNT ? watch_names[watch] : NULL;
}

tpu_status lockstep_watch_parse(const char *text, lockstep_watch *out, tpu_message *why) {
    for (int i = 0; i < LOCKSTEP_WATCH_COUNT; i++) {
        if (strcmp(text, watch_names[i]) == 0) {
            *out = (lockstep_watch)i;
            return TPU_OK;
        }
    }
    return status_fail(why, TPU_REFUSED, "\"%s\" is not every, issue, end, c or hang", text);
}
