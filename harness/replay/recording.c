// SPDX-License-Identifier: Apache-2.0
//
// The onlooker of a replay: copies what lockstep shows while the window is open, and opens and
// closes the engine's trace at its edges. Names of the instructions come from expanding the
// program alongside, so that a long run is not kept.

#include "harness/replay/recording.h"

#include "csim/isa/expand.h"
#include "harness/lockstep/lockstep.h"

#include <stdlib.h>
#include <string.h>

// A list that grows by doubling; `bytes` of it are used.
typedef struct store {
    uint8_t *data;
    size_t bytes;
    size_t capacity;
} store;

typedef struct recorder {
    const reproducer_run *run;
    const engine_api *api;
    engine *device; // set when the last run is about to start
    recording_window window;
    const char *wave;
    tpu_status failed;
    tpu_message why;
    bool tracing;
    uint64_t last_cycle; // seen
    store events;
    store spans[TPU_UNIT_COUNT];
    store issues;
    store rows;
    engine_counters counters;
    expand it; // stands before the issue that comes next
} recorder;

static void fail(recorder *self, tpu_status status, const tpu_message *why) {
    if (self->failed == TPU_OK) {
        self->failed = status;
        self->why = *why;
    }
}

// Room for `bytes` more at the end; NULL after a failure.
static void *extend(recorder *self, store *list, size_t bytes) {
    if (list->bytes + bytes > list->capacity) {
        size_t capacity = 2 * list->capacity + bytes + 1024;
        uint8_t *data = realloc(list->data, capacity);
        if (data == NULL) {
            tpu_message why;
            (void)status_fail(&why, TPU_ERR_MEMORY, "recording: out of memory");
            fail(self, TPU_ERR_MEMORY, &why);
            return NULL;
        }
        list->data = data;
        list->capacity = capacity;
    }
    void *at = list->data + list->bytes;
    list->bytes += bytes;
    return at;
}

static void trace_open(recorder *self) {
    tpu_message why;
    if (self->wave == NULL || self->tracing || self->failed != TPU_OK) {
        return;
    }
    tpu_status status = self->api->trace_open(self->device, self->wave, &why);
    if (status != TPU_OK) {
        fail(self, status, &why);
        return;
    }
    self->tracing = true;
}

static void trace_close(recorder *self) {
    if (self->tracing) {
        (void)self->api->trace_close(self->device, NULL);
        self->tracing = false;
        self->wave = NULL; // once
    }
}

static void see_unit(recorder *self, unsigned unit, const probe *seen) {
    store *list = &self->spans[unit];
    const probe_unit *now = &seen->unit[unit];
    recording_span *last = NULL;
    if (list->bytes != 0) {
        last = (recording_span *)(void *)(list->data + list->bytes) - 1;
    }
    if (last != NULL && last->unit.state == now->state && last->unit.wait == now->wait) {
        last->last = seen->cycle;
        return;
    }
    recording_span *made = extend(self, list, sizeof *made);
    if (made != NULL) {
        *made = (recording_span){.first = seen->cycle, .last = seen->cycle, .unit = *now};
    }
}

static bool inside(const recorder *self, uint64_t cycle) {
    return cycle >= self->window.first && cycle <= self->window.last;
}

static void see_cycle(void *user, const probe *seen) {
    recorder *self = user;
    self->last_cycle = seen->cycle;
    if (seen->cycle + 1 == self->window.first) {
        trace_open(self); // holds from the next cycle on
    }
    if (seen->cycle >= self->window.last) {
        trace_close(self);
    }
    if (!inside(self, seen->cycle)) {
        return;
    }
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        see_unit(self, unit, seen);
    }
}

// Drops the oldest half of the issues from before the window once they are twice as many as asked.
static void drop_old_issues(recorder *self, uint64_t cycle) {
    const size_t keep = RECORDING_BACK * sizeof(recording_issue);
    if (cycle < self->window.first && self->issues.bytes == 2 * keep) {
        memmove(self->issues.data, self->issues.data + keep, keep);
        self->issues.bytes = keep;
    }
}

static void see_issue(recorder *self, const lockstep_row *seen) {
    isa_issue issue;
    bool done = false;
    const isa_program *program = &self->run->program;
    bool named = program->count > 0 && seen->expected != NULL;
    if (!named || expand_next(&self->it, &issue, &done, NULL) != TPU_OK || done) {
        return;
    }
    drop_old_issues(self, seen->cycle);
    recording_issue *made = extend(self, &self->issues, sizeof *made);
    if (made != NULL) {
        *made = (recording_issue){
            .cycle = seen->cycle, .issue = issue, .line = program->insn[issue.pc].line};
    }
}

static void see_row(void *user, const lockstep_row *seen) {
    recorder *self = user;
    if (seen->stream == TPU_STREAM_ISSUE && seen->cycle <= self->window.last) {
        see_issue(self, seen);
    }
    if (!inside(self, seen->cycle)) {
        return;
    }
    bool extra = seen->expected == NULL;
    size_t at = self->rows.bytes;
    uint8_t *rows = extend(self, &self->rows, 2 * seen->bytes);
    recording_event *made = extend(self, &self->events, sizeof *made);
    if (rows == NULL || made == NULL) {
        return;
    }
    memcpy(rows, seen->got, seen->bytes);
    memcpy(rows + seen->bytes, extra ? seen->got : seen->expected, seen->bytes);
    *made =
        (recording_event){.cycle = seen->cycle,
                          .index = seen->index,
                          .issue = extra ? RECORDING_NO_ISSUE : seen->issue,
                          .in_issue = seen->in_issue,
                          .stream = (uint8_t)seen->stream,
                          .extra = extra,
                          .differs = extra || memcmp(seen->got, seen->expected, seen->bytes) != 0,
                          .at = at};
}

static void see_ready(void *user, engine *device) {
    recorder *self = user;
    self->device = device;
    if (self->window.first == 0) {
        trace_open(self);
    }
}

static void see_end(void *user, engine *device) {
    recorder *self = user;
    tpu_message why;
    tpu_status status = self->api->counters(device, &self->counters, &why);
    if (status != TPU_OK) {
        fail(self, status, &why);
    }
}

recording_window recording_window_of(const verdict *seen, uint64_t before, uint64_t after) {
    if (seen->kind == VERDICT_OK) {
        return (recording_window){.first = 0, .last = UINT64_MAX};
    }
    recording_window window = {.first = seen->cycle > before ? seen->cycle - before : 0,
                               .last = seen->cycle + after};
    uint64_t issued = seen->issue.known ? seen->issue.cycle : 0;
    if (issued != 0 && issued < window.first) {
        window.first = issued;
    }
    return window;
}

// Hands the lists over; the recorder is empty afterwards.
static void give(recorder *self, recording *out) {
    out->event = (recording_event *)(void *)self->events.data;
    out->event_count = self->events.bytes / sizeof(recording_event);
    out->issue = (recording_issue *)(void *)self->issues.data;
    out->issue_count = self->issues.bytes / sizeof(recording_issue);
    out->rows = self->rows.data;
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        out->span[unit] = (recording_span *)(void *)self->spans[unit].data;
        out->span_count[unit] = self->spans[unit].bytes / sizeof(recording_span);
    }
    out->counters = self->counters;
    out->window = self->window;
    if (out->window.last > self->last_cycle) {
        out->window.last = self->last_cycle;
    }
}

static tpu_status judge(const recorder *self, const recording *out, tpu_message *why) {
    if (self->failed != TPU_OK) {
        return status_fail(why, self->failed, "%s", self->why.text);
    }
    if (out->seen.kind == VERDICT_ERROR || out->seen.kind == VERDICT_REFUSED) {
        return status_fail(why, out->seen.kind == VERDICT_REFUSED ? TPU_REFUSED : TPU_ERR_ENGINE,
                           "%s", out->seen.sentence.text);
    }
    if (self->device == NULL) {
        return status_fail(why, TPU_REFUSED, "run %zu fails before the last one, which is run %zu",
                           out->run + 1, out->run + 2);
    }
    if (self->window.first > self->last_cycle) {
        return status_fail(
            why, TPU_REFUSED, "the window begins at cycle %llu, the run ends at cycle %llu",
            (unsigned long long)self->window.first, (unsigned long long)self->last_cycle);
    }
    return TPU_OK;
}

tpu_status recording_take(const reproducer *from, const engine_api *api,
                          const recording_window *window, const char *wave, recording *out,
                          tpu_message *why) {
    if (from->run_count == 0) {
        return status_fail(why, TPU_REFUSED, "the reproducer holds no run");
    }
    recorder self = {.run = &from->run[from->run_count - 1],
                     .api = api,
                     .window = *window,
                     .wave = wave,
                     .failed = TPU_OK};
    const lockstep_hooks hooks = {.user = &self, .cycle = see_cycle, .row = see_row};
    const uint64_t after = window->last == UINT64_MAX ? 0 : window->last - window->first;
    const reproducer_watch watch = {
        .hooks = &hooks, .after = after, .ready = see_ready, .ended = see_end};
    expand_start(&self.it, &self.run->program);
    verdict_init(&out->seen);
    reproducer_replay(from, api, &watch, &out->seen, &out->run);
    out->params = from->config.params;
    give(&self, out);
    tpu_status status = judge(&self, out, why);
    if (status != TPU_OK) {
        recording_clear(out);
    }
    return status;
}

void recording_clear(recording *self) {
    free(self->event);
    free(self->issue);
    free(self->rows);
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        free(self->span[unit]);
    }
    verdict_clear(&self->seen);
    *self = (recording){.event = NULL};
}

size_t recording_row_bytes(const recording *self, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    return info->head_bytes + (size_t)info->lane_bytes * self->params.t;
}

const uint8_t *recording_got(const recording *self, const recording_event *event) {
    return self->rows + event->at;
}

const uint8_t *recording_expected(const recording *self, const recording_event *event) {
    size_t bytes = recording_row_bytes(self, (tpu_stream)event->stream);
    return event->extra ? NULL : self->rows + event->at + bytes;
}

const recording_issue *recording_find_issue(const recording *self, uint32_t seq) {
    if (self->issue_count == 0 || seq < self->issue[0].issue.seq ||
        seq - self->issue[0].issue.seq >= self->issue_count) {
        return NULL;
    }
    return &self->issue[seq - self->issue[0].issue.seq];
}
