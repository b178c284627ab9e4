// SPDX-License-Identifier: Apache-2.0
//
// Life, memories and the program of the functional model. What an issue does is in actions.c.

#include "csim/arch/arch.h"

#include "csim/arch/arch_internal.h"
#include "csim/isa/image.h"

#include <stdlib.h>
#include <string.h>

// ar rows are int32 lanes in host order and leave as little-endian bytes.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the model needs a little-endian host");

static void set_shape(arch *self) {
    const tpu_params *params = &self->params;
    arch_memory_state *memory = self->memory;
    memory[TPU_MEM_SPAD].rows = params->spad_rows;
    memory[TPU_MEM_SPAD].row_bytes = params->t;
    memory[TPU_MEM_VR].rows = params->nvr;
    memory[TPU_MEM_VR].row_bytes = params->t;
    memory[TPU_MEM_AR].rows = params->nar;
    memory[TPU_MEM_AR].row_bytes = sizeof(int32_t) * params->t;
    const tpu_mem dram[] = {TPU_MEM_A, TPU_MEM_B, TPU_MEM_C};
    for (size_t i = 0; i < sizeof dram / sizeof dram[0]; i++) {
        memory[dram[i]].rows = params->maxdim;
        memory[dram[i]].row_bytes = params->maxdim;
    }
}

static size_t memory_bytes(const arch_memory_state *memory) {
    return memory->rows * memory->row_bytes;
}

static bool has_flags(size_t memory) {
    return memory == TPU_MEM_SPAD || memory == TPU_MEM_VR || memory == TPU_MEM_AR;
}

static bool allocate_memory(arch *self, size_t index) {
    arch_memory_state *memory = &self->memory[index];
    if (memory->rows == 0) {
        return true;
    }
    memory->data = calloc(memory->rows, memory->row_bytes);
    if (has_flags(index)) {
        memory->written = calloc(memory->rows, 1);
    }
    return memory->data != NULL && (!has_flags(index) || memory->written != NULL);
}

static bool allocate(arch *self) {
    size_t t = self->params.t;
    self->weights = calloc(t * t, sizeof *self->weights);
    self->psum = calloc(t, sizeof *self->psum);
    self->stage = calloc(1, TPU_STREAM_HEAD_MAX + t * sizeof(int32_t));
    bool all = self->weights != NULL && self->psum != NULL && self->stage != NULL;
    for (size_t i = 0; i < TPU_MEM_COUNT; i++) {
        all = allocate_memory(self, i) && all;
    }
    return all;
}

arch *arch_create(const tpu_params *params) {
    arch *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->params = *params;
    set_shape(self);
    if (!allocate(self)) {
        arch_destroy(self);
        return NULL;
    }
    expand_start(&self->issues, &self->program);
    return self;
}

void arch_destroy(arch *self) {
    if (self == NULL) {
        return;
    }
    for (size_t i = 0; i < TPU_MEM_COUNT; i++) {
        free(self->memory[i].data);
        free(self->memory[i].written);
    }
    free(self->weights);
    free(self->psum);
    free(self->stage);
    isa_program_clear(&self->program);
    free(self);
}

void arch_set_memory(arch *self, tpu_mem memory, const void *data, size_t bytes) {
    arch_memory_state *target = &self->memory[memory];
    TPU_CHECK(bytes <= memory_bytes(target), "more data than the model's memory holds");
    if (bytes > 0) {
        memcpy(target->data, data, bytes);
    }
}

const uint8_t *arch_memory(const arch *self, tpu_mem memory, size_t *bytes) {
    *bytes = memory_bytes(&self->memory[memory]);
    return self->memory[memory].data;
}

static void clear_flags(arch *self) {
    for (size_t i = 0; i < TPU_MEM_COUNT; i++) {
        if (self->memory[i].written != NULL) {
            memset(self->memory[i].written, 0, self->memory[i].rows);
        }
    }
}

tpu_status arch_start(arch *self, const uint64_t *words, size_t count, arch_sink sink, void *user,
                      tpu_message *why) {
    isa_program program = {0};
    tpu_status status = image_decode(words, count, &program, why);
    if (status != TPU_OK) {
        return status;
    }
    isa_program_clear(&self->program);
    self->program = program;
    expand_start(&self->issues, &self->program);
    clear_flags(self);
    self->sink = sink;
    self->user = user;
    actions_header(self, words);
    return TPU_OK;
}

tpu_status arch_step(arch *self, arch_sink sink, void *user, bool *done, tpu_message *why) {
    isa_issue issue;
    bool ended = false;
    tpu_message cause;
    if (expand_next(&self->issues, &issue, &ended, &cause) != TPU_OK) {
        return status_fail(why, TPU_ERR_INTERNAL,
                           "the model was given a program that runs astray: %s", cause.text);
    }
    *done = ended;
    if (ended) {
        return TPU_OK;
    }
    self->sink = sink;
    self->user = user;
    return actions_execute(self, &issue, why);
}

uint64_t arch_fetches(const arch *self) {
    return self->issues.fetches;
}
