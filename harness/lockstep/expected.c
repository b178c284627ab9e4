// SPDX-License-Identifier: Apache-2.0
//
// One ring a stream: rows between `head` (next to take) and `tail` (next to write), and the
// EXPECTED_HISTORY + 1 rows before `head`, which the report still wants to see. Indices only grow;
// a row's slot is its index modulo the capacity, a power of two.

#include "harness/lockstep/expected.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u

typedef struct origin {
    uint32_t issue;
    uint32_t in_issue;
} origin;

typedef struct queue {
    uint8_t *rows;
    origin *origins;
    size_t bytes;  // of a row
    size_t stride; // of a slot
    uint64_t capacity;
    uint64_t head;
    uint64_t tail;
    origin next; // of the row that comes next
} queue;

struct expected {
    arch *model;
    tpu_params params;
    queue queues[TPU_STREAM_COUNT];
    const lockstep_hooks *hooks;
    uint32_t issue; // the model is executing; EXPECTED_NO_ISSUE during the start
    bool done;
    tpu_status failed;
    tpu_message why;
    uint8_t *c_written; // one byte a packed word of C
    uint8_t *scratch;   // a row that a hook may change
    uint8_t *initial[TPU_MEM_AR + 1];
};

static size_t row_bytes_of(const tpu_params *params, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    return info->head_bytes + (size_t)info->lane_bytes * params->t;
}

static bool queue_create(queue *self, size_t bytes) {
    self->bytes = bytes;
    self->stride = (bytes + 7) / 8 * 8;
    self->capacity = FIRST_CAPACITY;
    self->rows = calloc(FIRST_CAPACITY, self->stride);
    self->origins = calloc(FIRST_CAPACITY, sizeof *self->origins);
    return self->rows != NULL && self->origins != NULL;
}

static uint8_t *queue_slot(const queue *self, uint64_t index) {
    return self->rows + (size_t)(index & (self->capacity - 1)) * self->stride;
}

// First index whose slot still holds its row.
static uint64_t queue_oldest(const queue *self) {
    uint64_t kept = EXPECTED_HISTORY + 1;
    return self->head > kept ? self->head - kept : 0;
}

static bool queue_grow(queue *self) {
    queue bigger = *self;
    bigger.capacity *= 2;
    bigger.rows = calloc(bigger.capacity, self->stride);
    bigger.origins = calloc(bigger.capacity, sizeof *self->origins);
    if (bigger.rows == NULL || bigger.origins == NULL) {
        free(bigger.rows);
        free(bigger.origins);
        return false;
    }
    for (uint64_t i = queue_oldest(self); i < self->tail; i++) {
        memcpy(queue_slot(&bigger, i), queue_slot(self, i), self->stride);
        bigger.origins[i & (bigger.capacity - 1)] = self->origins[i & (self->capacity - 1)];
    }
    free(self->rows);
    free(self->origins);
    *self = bigger;
    return true;
}

static void queue_push(queue *self, const uint8_t *row, uint32_t issue) {
    if (self->next.issue != issue) {
        self->next = (origin){.issue = issue, .in_issue = 0};
    }
    memcpy(queue_slot(self, self->tail), row, self->bytes);
    self->origins[self->tail & (self->capacity - 1)] = self->next;
    self->next.in_issue++;
    self->tail++;
}

static void fail(expected *self, const char *sentence) {
    if (self->failed == TPU_OK) {
        self->failed = status_fail(&self->why, TPU_ERR_INTERNAL, "%s", sentence);
    }
}

static void note_c_write(expected *self, const uint8_t *row) {
    uint32_t dram_row = (uint32_t)(row[0] | row[1] << 8);
    uint32_t col_block = (uint32_t)(row[2] | row[3] << 8);
    uint32_t words = self->params.maxdim / self->params.t;
    if (dram_row < self->params.maxdim && col_block < words) {
        self->c_written[(size_t)dram_row * words + col_block] = 1;
    }
}

static const uint8_t *apply_hook(expected *self, tpu_stream stream, const uint8_t *row) {
    const queue *at = &self->queues[stream];
    memcpy(self->scratch, row, at->bytes);
    self->hooks->expected_row(self->hooks->user, stream, at->tail, self->scratch, at->bytes);
    return self->scratch;
}

static void take_row(void *user, tpu_stream stream, const uint8_t *row, size_t bytes) {
    expected *self = user;
    queue *at = &self->queues[stream];
    if (bytes != at->bytes) {
        fail(self, "the model gave a row of the wrong length");
        return;
    }
    if (at->tail - queue_oldest(at) >= at->capacity && !queue_grow(at)) {
        fail(self, "out of memory for expected rows");
        return;
    }
    if (stream == TPU_STREAM_C_WRITE) {
        note_c_write(self, row);
    }
    if (self->hooks != NULL && self->hooks->expected_row != NULL) {
        row = apply_hook(self, stream, row);
    }
    queue_push(at, row, self->issue);
}

expected *expected_create(const tpu_params *params) {
    expected *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->params = *params;
    self->model = arch_create(params);
    self->c_written = calloc((size_t)params->maxdim * (params->maxdim / params->t), 1);
    self->scratch = calloc(1, TPU_STREAM_HEAD_MAX + (size_t)4 * params->t);
    bool good = self->model != NULL && self->c_written != NULL && self->scratch != NULL;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        good = queue_create(&self->queues[s], row_bytes_of(params, (tpu_stream)s)) && good;
    }
    for (int memory = 0; memory <= TPU_MEM_AR && self->model != NULL; memory++) {
        size_t bytes = 0;
        (void)arch_memory(self->model, (tpu_mem)memory, &bytes);
        self->initial[memory] = calloc(bytes, 1);
        good = self->initial[memory] != NULL && good;
    }
    if (!good) {
        expected_destroy(self);
        return NULL;
    }
    return self;
}

void expected_destroy(expected *self) {
    if (self == NULL) {
        return;
    }
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        free(self->queues[s].rows);
        free(self->queues[s].origins);
    }
    for (int memory = 0; memory <= TPU_MEM_AR; memory++) {
        free(self->initial[memory]);
    }
    arch_destroy(self->model);
    free(self->c_written);
    free(self->scratch);
    free(self);
}

void expected_set_memory(expected *self, tpu_mem memory, const void *data, size_t bytes) {
    arch_set_memory(self->model, memory, data, bytes);
}

const uint8_t *expected_memory(const expected *self, tpu_mem memory, size_t *bytes) {
    return arch_memory(self->model, memory, bytes);
}

tpu_status expected_start(expected *self, const uint64_t *words, size_t count,
                          const lockstep_hooks *hooks, tpu_message *why) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        self->queues[s].head = 0;
        self->queues[s].tail = 0;
        self->queues[s].next = (origin){.issue = EXPECTED_NO_ISSUE, .in_issue = 0};
    }
    memset(self->c_written, 0,
           (size_t)self->params.maxdim * (self->params.maxdim / self->params.t));
    for (int memory = 0; memory <= TPU_MEM_AR; memory++) {
        size_t bytes = 0;
        const uint8_t *now = arch_memory(self->model, (tpu_mem)memory, &bytes);
        memcpy(self->initial[memory], now, bytes);
    }
    self->hooks = hooks;
    self->issue = EXPECTED_NO_ISSUE;
    self->done = false;
    self->failed = TPU_OK;
    tpu_status status = arch_start(self->model, words, count, take_row, self, why);
    if (status != TPU_OK) {
        self->done = true;
        return status;
    }
    return expected_failed(self, why);
}

// One issue of the model. False at the end and on failure.
static bool step_model(expected *self) {
    if (self->done || self->failed != TPU_OK) {
        return false;
    }
    self->issue++; // EXPECTED_NO_ISSUE + 1 = 0
    tpu_message why;
    tpu_status status = arch_step(self->model, take_row, self, &self->done, &why);
    if (status != TPU_OK && self->failed == TPU_OK) {
        self->failed = status;
        self->why = why;
    }
    return !self->done && self->failed == TPU_OK;
}

const uint8_t *expected_take(expected *self, tpu_stream stream) {
    queue *from = &self->queues[stream];
    while (from->head == from->tail) {
        if (!step_model(self)) {
            return NULL;
        }
    }
    return queue_slot(from, from->head++);
}

tpu_status expected_failed(const expected *self, tpu_message *why) {
    return self->failed == TPU_OK ? TPU_OK : status_fail(why, self->failed, "%s", self->why.text);
}

tpu_status expected_finish(expected *self, tpu_message *why) {
    while (step_model(self)) {
    }
    return expected_failed(self, why);
}

expected_row expected_peek(expected *self, tpu_stream stream, uint64_t index) {
    queue *from = &self->queues[stream];
    while (index >= from->tail) {
        if (!step_model(self)) {
            return (expected_row){.row = NULL, .issue = EXPECTED_NO_ISSUE, .in_issue = 0};
        }
    }
    if (index < queue_oldest(from)) {
        return (expected_row){.row = NULL, .issue = EXPECTED_NO_ISSUE, .in_issue = 0};
    }
    origin where = from->origins[index & (from->capacity - 1)];
    return (expected_row){
        .row = queue_slot(from, index), .issue = where.issue, .in_issue = where.in_issue};
}

uint64_t expected_emitted(const expected *self, tpu_stream stream) {
    return self->queues[stream].tail;
}

uint64_t expected_taken(const expected *self, tpu_stream stream) {
    return self->queues[stream].head;
}

// Order in the program; the header's rows come first.
static uint64_t place_of(uint32_t issue, uint32_t in_issue) {
    return (uint64_t)(uint32_t)(issue + 1u) << 32 | in_issue;
}

uint64_t expected_count(const expected *self, tpu_stream stream, uint32_t issue,
                        uint32_t in_issue) {
    const queue *from = &self->queues[stream];
    const uint64_t limit = place_of(issue, in_issue);
    uint64_t low = queue_oldest(from);
    uint64_t high = from->tail;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const origin *at = &from->origins[middle & (from->capacity - 1)];
        if (place_of(at->issue, at->in_issue) <= limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t expected_fetches(expected *self) {
    (void)expected_peek(self, TPU_STREAM_ISSUE, expected_taken(self, TPU_STREAM_ISSUE));
    return arch_fetches(self->model);
}

const uint8_t *expected_initial(const expected *self, tpu_mem memory, size_t *bytes) {
    (void)arch_memory(self->model, memory, bytes);
    return memory <= TPU_MEM_AR ? self->initial[memory] : NULL;
}

size_t expected_row_bytes(const expected *self, tpu_stream stream) {
    return self->queues[stream].bytes;
}

bool expected_c_written(const expected *self, uint32_t dram_row, uint32_t col_block) {
    uint32_t words = self->params.maxdim / self->params.t;
    return self->c_written[(size_t)dram_row * words + col_block] != 0;
}
