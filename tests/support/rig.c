// SPDX-License-Identifier: Apache-2.0
//
// The model's test rig.

#include "tests/support/rig.h"

#include <string.h>

static const uint64_t no_header[8] = {0};

static void open_params(rig *self, const tpu_params *params) {
    rig_close(self);
    self->model = arch_create(params);
    TPU_CHECK(self->model != NULL, "no memory for the model");
    handcode_start(&self->program, no_header);
}

void rig_open(rig *self, uint32_t t, uint32_t maxdim) {
    const tpu_params params = {.t = t,
                               .maxdim = maxdim,
                               .spad_rows = 64,
                               .nvr = 64,
                               .nar = 128,
                               .imem_size = 56,
                               .qd = 2,
                               .dma_words = 1};
    open_params(self, &params);
}

void rig_open_reference(rig *self) {
    // The shipped form at T = 4, MAXDIM = 64: words and header as the machine's page prints them.
    static const uint64_t image[] = {
        14,
        32,
        36,
        48,
        2097156,
        64,
        16,
        524296, // header
        0x0080000000000008u,
        0, // loop 2
        0x0200000000000081u,
        0x0000000100200083u, //   dma_ld A
        0x0000000000000009u,
        0, // endloop
        0x0080000000000008u,
        0, // loop 2
        0x0200000000000041u,
        0x0000000100200083u, //   dma_ld B
        0x0000000000000009u,
        0, // endloop
        0x0080000000000008u,
        0, // loop 2
        0x0200000000000004u,
        0x0000000000002004u, //   mm
        0x0040000000000008u,
        0, //   loop 1
        0x0200100040001004u,
        0x0000850100202011u, //     mm acc
        0x0000000000000009u,
        0, //   endloop
        0x0200000000000006u,
        0, //   vrelu
        0x0200000000000007u,
        0x0000000000000083u, //   mvout
        0x0000000000000009u,
        0, // endloop
    };
    const tpu_params params = {.t = 4,
                               .maxdim = 64,
                               .spad_rows = 1024,
                               .nvr = 1024,
                               .nar = 136,
                               .imem_size = 56,
                               .qd = 16,
                               .dma_words = 1};
    open_params(self, &params);
    memcpy(self->program.word, image, sizeof image);
    self->program.count = sizeof image / sizeof image[0];
}

void rig_close(rig *self) {
    arch_destroy(self->model);
    self->model = NULL;
    record_clear(&self->rows);
}

void rig_restart(rig *self) {
    handcode_start(&self->program, no_header);
    record_clear(&self->rows);
}

void rig_add(rig *self, unsigned op, unsigned nr, unsigned f0, unsigned f1, unsigned f2,
             unsigned f3) {
    handcode_add(&self->program, op, nr, f0, f1, f2, f3);
}

tpu_status rig_start(rig *self) {
    return arch_start(self->model, self->program.word, self->program.count, record_take,
                      &self->rows, &self->why);
}

tpu_status rig_run(rig *self) {
    bool done = false;
    tpu_status status = rig_start(self);
    while (!done && status == TPU_OK) {
        status = arch_step(self->model, record_take, &self->rows, &done, &self->why);
    }
    return status;
}

int32_t rig_lane(const rig *self, tpu_stream stream, size_t index, size_t head, size_t lane) {
    uint32_t raw = (uint32_t)record_number(&self->rows, stream, index, head + 4 * lane, 4);
    int32_t value;
    memcpy(&value, &raw, sizeof value);
    return value;
}

const uint8_t *rig_memory(const rig *self, tpu_mem memory) {
    size_t bytes = 0;
    return arch_memory(self->model, memory, &bytes);
}

bool rig_row_is(const rig *self, tpu_stream stream, size_t index, const uint8_t *bytes,
                size_t count) {
    return record_bytes(&self->rows, stream, index) == count &&
           memcmp(record_row(&self->rows, stream, index), bytes, count) == 0;
}
