// SPDX-License-Identifier: Apache-2.0
//
// At start the model runs to its end and every row it emits is given a cycle; step shows them.

#include "tests/support/fake_engine.h"

#include "base/rng.h"
#include "csim/arch/arch.h"

#include <stdlib.h>
#include <string.h>

#define QUIET_CYCLES 3u // from the last event to done

typedef struct track {
    uint8_t *rows;
    uint64_t *when;
    uint64_t *order; // place among all rows, as the model emitted them
    size_t bytes;
    size_t count;
    size_t capacity;
    size_t next;
} track;

struct engine {
    engine_config config;
    arch *model;
    uint64_t *imem;
    size_t imem_words;
    track tracks[TPU_STREAM_COUNT];
    fake_fault fault;
    rng delays;
    uint64_t delay_seed;
    uint32_t max_delay;
    uint64_t issue_cycle;
    uint64_t emitted;
    uint64_t cycle;
    uint64_t end;
    uint8_t raised;
    bool stuck;
    bool broken; // out of memory, or the program is illegal
};

static size_t row_bytes(const engine *self, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    return info->head_bytes + (size_t)info->lane_bytes * self->config.params.t;
}

static bool track_reserve(track *self) {
    if (self->count < self->capacity) {
        return true;
    }
    size_t capacity = self->capacity == 0 ? 64 : self->capacity * 2;
    uint8_t *rows = realloc(self->rows, capacity * self->bytes);
    if (rows != NULL) {
        self->rows = rows;
    }
    uint64_t *when = realloc(self->when, capacity * sizeof *when);
    if (when != NULL) {
        self->when = when;
    }
    uint64_t *order = realloc(self->order, capacity * sizeof *order);
    if (order != NULL) {
        self->order = order;
    }
    if (rows == NULL || when == NULL || order == NULL) {
        return false;
    }
    self->capacity = capacity;
    return true;
}

static void record(void *user, tpu_stream stream, const uint8_t *row, size_t bytes) {
    engine *self = user;
    track *to = &self->tracks[stream];
    if (!track_reserve(to) || bytes != to->bytes) {
        self->broken = true;
        return;
    }
    uint64_t when = self->issue_cycle + rng_below(&self->delays, self->max_delay + 1);
    if (to->count > 0 && when <= to->when[to->count - 1]) {
        when = to->when[to->count - 1] + 1;
    }
    memcpy(to->rows + to->count * bytes, row, bytes);
    to->order[to->count] = self->emitted++;
    to->when[to->count++] = when;
    self->end = when > self->end ? when : self->end;
}

static void flip(track *at, uint64_t event, uint32_t bit) {
    if (event < at->count) {
        uint8_t *byte = at->rows + event * at->bytes + bit / 8;
        *byte = (uint8_t)(*byte ^ 1u << bit % 8);
    }
}

static void drop(track *at, uint64_t event) {
    if (event >= at->count) {
        return;
    }
    size_t after = at->count - (size_t)event - 1;
    memmove(at->rows + event * at->bytes, at->rows + (event + 1) * at->bytes, after * at->bytes);
    memmove(at->when + event, at->when + event + 1, after * sizeof *at->when);
    at->count--;
}

static void repeat(engine *self, track *at, uint64_t event) {
    if (event >= at->count || !track_reserve(at)) {
        return;
    }
    size_t after = at->count - (size_t)event;
    memmove(at->rows + (event + 1) * at->bytes, at->rows + event * at->bytes, after * at->bytes);
    at->count++;
    at->when[at->count - 1] = at->count > 1 ? at->when[at->count - 2] + 1 : 1;
    self->end = at->when[at->count - 1] > self->end ? at->when[at->count - 1] : self->end;
}

static void swap(track *at, uint64_t event) {
    if (event + 1 >= at->count) {
        return;
    }
    uint8_t *left = at->rows + event * at->bytes;
    for (size_t i = 0; i < at->bytes; i++) {
        uint8_t byte = left[i];
        left[i] = left[i + at->bytes];
        left[i + at->bytes] = byte;
    }
}

static void delay(engine *self, track *at, uint64_t event, uint32_t cycles) {
    for (uint64_t i = event; i < at->count; i++) {
        at->when[i] += cycles;
        self->end = at->when[i] > self->end ? at->when[i] : self->end;
    }
}

static void invert_byte(engine *self, tpu_mem memory, uint64_t at) {
    size_t bytes = 0;
    const uint8_t *now = arch_memory(self->model, memory, &bytes);
    uint8_t *copy = malloc(bytes);
    if (copy != NULL && at < bytes) {
        memcpy(copy, now, bytes);
        copy[at] = (uint8_t)~copy[at];
        arch_set_memory(self->model, memory, copy, bytes);
    }
    free(copy);
}

static void after_done(engine *self, track *at) {
    if (track_reserve(at)) {
        memset(at->rows + at->count * at->bytes, 0, at->bytes);
        at->when[at->count++] = self->end + QUIET_CYCLES + 2;
    }
}

// What the model emitted before the event still drains; nothing after it comes.
static void stop_at(engine *self, const track *at, uint64_t event) {
    if (event >= at->count) {
        return;
    }
    uint64_t limit = at->order[event];
    self->end = 0;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        track *each = &self->tracks[s];
        while (each->count > 0 && each->order[each->count - 1] >= limit) {
            each->count--;
        }
        if (each->count > 0 && each->when[each->count - 1] > self->end) {
            self->end = each->when[each->count - 1];
        }
    }
    self->stuck = true;
    self->end += self->config.watchdog;
}

static void edit_rows(engine *self) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        track *at = &self->tracks[s];
        for (size_t i = 0; i < at->count; i++) {
            self->fault.edit((tpu_stream)s, i, at->rows + i * at->bytes);
        }
    }
}

static void apply_fault(engine *self) {
    const fake_fault *fault = &self->fault;
    track *at = &self->tracks[fault->stream];
    switch (fault->kind) {
    case FAKE_FAULT_FLIP:
        flip(at, fault->event, fault->bit);
        break;
    case FAKE_FAULT_DROP:
        drop(at, fault->event);
        break;
    case FAKE_FAULT_DOUBLE:
        repeat(self, at, fault->event);
        break;
    case FAKE_FAULT_SWAP:
        swap(at, fault->event);
        break;
    case FAKE_FAULT_LATE:
        delay(self, at, fault->event, fault->value);
        break;
    case FAKE_FAULT_C_CELL:
        invert_byte(self, TPU_MEM_C, fault->event);
        break;
    case FAKE_FAULT_MEMORY:
        invert_byte(self, fault->memory, fault->event);
        break;
    case FAKE_FAULT_RAISED:
        self->raised = (uint8_t)fault->value;
        break;
    case FAKE_FAULT_HANG:
    case FAKE_FAULT_WATCHDOG:
        stop_at(self, at, fault->event);
        break;
    case FAKE_FAULT_AFTER:
        after_done(self, at);
        break;
    case FAKE_FAULT_EDIT:
        edit_rows(self);
        break;
    default:
        break;
    }
}

static tpu_status fake_create(const engine_config *config, engine **out, tpu_message *why) {
    engine *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "fake engine: out of memory");
    }
    self->config = *config;
    self->model = arch_create(&config->params);
    self->imem = calloc(config->params.imem_size, sizeof *self->imem);
    fake_engine_schedule(self, config->timing.stall_seed, config->timing.read_latency % 64 + 2);
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        self->tracks[s].bytes = row_bytes(self, (tpu_stream)s);
    }
    rng source;
    rng_seed(&source, config->init_seed);
    size_t bytes = 0;
    for (tpu_mem memory = TPU_MEM_SPAD; memory <= TPU_MEM_AR; memory++) {
        (void)arch_memory(self->model, memory, &bytes);
        uint8_t *fill = calloc(bytes, 1);
        if (config->init != ENGINE_INIT_ZEROS) {
            memset(fill, 0xff, bytes);
        }
        if (config->init == ENGINE_INIT_RANDOM) {
            rng_fill(&source, fill, bytes);
        }
        arch_set_memory(self->model, memory, fill, bytes);
        free(fill);
    }
    *out = self;
    return TPU_OK;
}

static void fake_destroy(engine *self) {
    if (self == NULL) {
        return;
    }
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        free(self->tracks[s].rows);
        free(self->tracks[s].when);
        free(self->tracks[s].order);
    }
    arch_destroy(self->model);
    free(self->imem);
    free(self);
}

static tpu_status fake_reset(engine *self, tpu_message *why) {
    (void)self;
    (void)why;
    return TPU_OK;
}

static tpu_status fake_identify(engine *self, engine_identity *out, tpu_message *why) {
    (void)why;
    out->params = self->config.params;
    out->spec_hash = TPU_SPEC_HASH;
    out->name = "fake";
    uint32_t *params[TPU_PARAM_COUNT] = {
        &out->params.t,   &out->params.maxdim,    &out->params.spad_rows, &out->params.nvr,
        &out->params.nar, &out->params.imem_size, &out->params.qd,        &out->params.dma_words};
    if (self->fault.kind == FAKE_FAULT_PARAM) {
        ++*params[self->fault.value % TPU_PARAM_COUNT];
    }
    if (self->fault.kind == FAKE_FAULT_HASH) {
        out->spec_hash ^= 1;
    }
    return TPU_OK;
}

static tpu_status fake_set_timing(engine *self, const engine_timing *timing, tpu_message *why) {
    (void)why;
    self->config.timing = *timing;
    fake_engine_schedule(self, timing->stall_seed, timing->read_latency % 64 + 2);
    return TPU_OK;
}

static tpu_status fake_load(engine *self, engine_region region, const void *data, size_t bytes,
                            tpu_message *why) {
    if (region != TPU_MEM_IMEM) {
        arch_set_memory(self->model, region, data, bytes);
        return TPU_OK;
    }
    if (bytes > self->config.params.imem_size * sizeof *self->imem) {
        return status_fail(why, TPU_REFUSED, "fake engine: %zu bytes are too many for imem", bytes);
    }
    memcpy(self->imem, data, bytes);
    self->imem_words = bytes / sizeof *self->imem;
    return TPU_OK;
}

static tpu_status fake_read(engine *self, engine_region region, void *data, size_t bytes,
                            tpu_message *why) {
    (void)why;
    size_t have = 0;
    const uint8_t *from = arch_memory(self->model, region, &have);
    memcpy(data, from, bytes < have ? bytes : have);
    return TPU_OK;
}

// The whole run ahead of time. An illegal program ends with a fault where the model stops.
static void play(engine *self) {
    bool done = false;
    tpu_message why;
    self->issue_cycle = 1;
    tpu_status status = arch_start(self->model, self->imem, self->imem_words, record, self, &why);
    while (status == TPU_OK && !done) {
        self->issue_cycle += 1 + rng_below(&self->delays, 2);
        status = arch_step(self->model, record, self, &done, &why);
    }
    self->raised = status == TPU_OK ? TPU_RULE_NONE : TPU_RULE_WRITE_BEFORE_READ;
}

static tpu_status fake_start(engine *self, tpu_message *why) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        self->tracks[s].count = 0;
        self->tracks[s].next = 0;
    }
    rng_seed(&self->delays, self->delay_seed);
    self->cycle = 0;
    self->end = 0;
    self->emitted = 0;
    self->stuck = false;
    play(self);
    apply_fault(self);
    return self->broken ? status_fail(why, TPU_ERR_MEMORY, "fake engine: out of memory") : TPU_OK;
}

static void show_units(const engine *self, probe *out) {
    memset(out->unit, 0, sizeof out->unit);
    if (!self->stuck) {
        return;
    }
    if (self->fault.units != NULL) {
        memcpy(out->unit, self->fault.units, sizeof out->unit);
        return;
    }
    const tpu_stream_info *info = &tpu_streams[self->fault.stream];
    out->unit[info->unit] = (probe_unit){.state = PROBE_BLOCKED, .wait = PROBE_WAIT_HAZARD};
    if (info->reader >= 0) {
        out->unit[info->reader] =
            (probe_unit){.state = PROBE_STARVED, .wait = (uint8_t)self->fault.stream};
    }
}

static void show_events(engine *self, probe *out) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        track *at = &self->tracks[s];
        if (at->next == at->count || at->when[at->next] > self->cycle) {
            continue;
        }
        if (self->fault.kind != FAKE_FAULT_SILENT) {
            out->fired |= 1u << s;
            out->row[s] = at->rows + at->next * at->bytes;
        }
        at->next++;
    }
}

static tpu_status fake_step(engine *self, probe *out, tpu_message *why) {
    if (self->fault.kind == FAKE_FAULT_STEP && self->cycle == self->fault.value) {
        return status_fail(why, TPU_ERR_ENGINE, "fake engine: told to fail in cycle %u",
                           self->fault.value);
    }
    out->cycle = self->cycle;
    out->fired = 0;
    show_events(self, out);
    show_units(self, out);
    bool ends = !self->stuck || self->fault.kind == FAKE_FAULT_WATCHDOG;
    out->done = ends && self->cycle >= self->end + QUIET_CYCLES;
    out->refused = self->fault.kind == FAKE_FAULT_REFUSED;
    if (out->refused) {
        memset(out->unit, 0, sizeof out->unit);
        if (self->fault.value < TPU_UNIT_COUNT) {
            out->unit[self->fault.value].state = PROBE_BUSY;
        }
    }
    if (self->fault.kind == FAKE_FAULT_EARLY) {
        out->unit[self->fault.value] =
            (probe_unit){.state = PROBE_STARVED, .wait = PROBE_WAIT_MEMORY};
    }
    self->cycle++;
    return TPU_OK;
}

static tpu_status fake_status(engine *self, engine_status *out, tpu_message *why) {
    memset(out, 0, sizeof *out);
    out->done = true;
    out->cycles = self->end + QUIET_CYCLES;
    out->fault = self->stuck ? (uint8_t)TPU_FAULT_WATCHDOG : self->raised;
    out->assertions = self->fault.kind == FAKE_FAULT_ASSERTION ? 1 : 0;
    if (out->assertions != 0) { // as the real engine words it
        (void)status_fail(
            why, TPU_OK,
            "tpu_fifo_sva.sv:37: assertion failed in TOP.tpu_engine.u_top.u_core."
            "u_acol.u_sva.ValidHoldsUnderStall_A: a writer takes back what it offered");
    }
    return TPU_OK;
}

// Nothing is counted here.
static tpu_status fake_counters(engine *self, engine_counters *out, tpu_message *why) {
    (void)self;
    (void)why;
    memset(out, 0, sizeof *out);
    return TPU_OK;
}

static tpu_status fake_trace_open(engine *self, const char *path, tpu_message *why) {
    (void)self;
    (void)path;
    return status_fail(why, TPU_REFUSED, "the fake engine writes no trace");
}

static tpu_status fake_trace_close(engine *self, tpu_message *why) {
    (void)self;
    (void)why;
    return TPU_OK;
}

const engine_api *fake_engine_api(void) {
    static const engine_api api = {.abi = ENGINE_ABI,
                                   .create = fake_create,
                                   .destroy = fake_destroy,
                                   .reset = fake_reset,
                                   .identify = fake_identify,
                                   .set_timing = fake_set_timing,
                                   .load = fake_load,
                                   .read = fake_read,
                                   .start = fake_start,
                                   .step = fake_step,
                                   .status = fake_status,
                                   .counters = fake_counters,
                                   .trace_open = fake_trace_open,
                                   .trace_close = fake_trace_close};
    return &api;
}

static const fake_fault *planted;

static tpu_status create_faulty(const engine_config *config, engine **out, tpu_message *why) {
    tpu_status status = fake_create(config, out, why);
    if (status == TPU_OK) {
        fake_engine_inject(*out, planted);
    }
    return status;
}

engine_api fake_engine_faulty(const fake_fault *fault) {
    engine_api api = *fake_engine_api();
    planted = fault;
    api.create = create_faulty;
    return api;
}

void fake_engine_inject(engine *self, const fake_fault *fault) {
    self->fault = *fault;
}

void fake_engine_schedule(engine *self, uint64_t seed, uint32_t max_delay) {
    self->delay_seed = seed;
    self->max_delay = max_delay;
}

uint64_t fake_engine_cycle_of(const engine *self, tpu_stream stream, uint64_t event) {
    return self->tracks[stream].when[event];
}
