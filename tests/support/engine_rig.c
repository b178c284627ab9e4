// SPDX-License-Identifier: Apache-2.0

#include "tests/support/engine_rig.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    T = ENGINE_RIG_T,
    MAXDIM = ENGINE_RIG_MAXDIM,
    CELLS = ENGINE_RIG_CELLS,
    PREFILL = 0x5a,
    STEPS_MAX = 20000
};

// Bytes of a row of each stream at T = 4: scalars, then lanes.
static const size_t row_bytes[TPU_STREAM_COUNT] = {16, 8, 8,  8, 8, 8, 4,  4,  5,
                                                   4,  4, 16, 4, 6, 7, 18, 18, 8};

static const uint64_t gemm4[] = {
    0x000000000000000a, 0x0000000000000008, 0x0000000000000009, 0x0000000000000008,
    0x0000000000040001, 0x0000000000000008, 0x0000000000000004, 0x0000000000040004,
    0x0040000000000008, 0x0000000000000000, 0x0100000000000081, 0x0000000100200083,
    0x0000000000000009, 0x0000000000000000, 0x0040000000000008, 0x0000000000000000,
    0x0100000000000041, 0x0000000100200083, 0x0000000000000009, 0x0000000000000000,
    0x0040000000000008, 0x0000000000000000, 0x0100000000000004, 0x0000000000002004,
    0x0100000000000007, 0x0000000000000083, 0x0000000000000009, 0x0000000000000000};

static const uint64_t gemm8_relu[] = {
    0x000000000000000e, 0x0000000000000020, 0x0000000000000024, 0x0000000000000030,
    0x0000000000200004, 0x0000000000000040, 0x0000000000000010, 0x0000000000080008,
    0x0080000000000008, 0x0000000000000000, 0x0200000000000081, 0x0000000100200083,
    0x0000000000000009, 0x0000000000000000, 0x0080000000000008, 0x0000000000000000,
    0x0200000000000041, 0x0000000100200083, 0x0000000000000009, 0x0000000000000000,
    0x0080000000000008, 0x0000000000000000, 0x0200000000000004, 0x0000000000002004,
    0x0040000000000008, 0x0000000000000000, 0x0200100040001004, 0x0000850100202011,
    0x0000000000000009, 0x0000000000000000, 0x0200000000000006, 0x0000000000000000,
    0x0200000000000007, 0x0000000000000083, 0x0000000000000009, 0x0000000000000000};

const engine_rig_program engine_rig_gemm4 = {gemm4, sizeof gemm4, 4, false};
const engine_rig_program engine_rig_gemm8_relu = {gemm8_relu, sizeof gemm8_relu, 8, true};
const tpu_params engine_rig_point = {T, MAXDIM, 1024, 1024, 136, 56, 16, 1};

const char *engine_rig_kind(void) {
    const char *named = getenv("TPU_ENGINE");
    return named == NULL || named[0] == '\0' ? "verilator" : named;
}

void engine_rig_open(engine_rig *self) {
    engine_rig_open_kind(self, engine_rig_kind());
}

void engine_rig_open_kind(engine_rig *self, const char *kind) {
    const char *dir = getenv("TPU_ENGINE_DIR");
    char path[512];
    snprintf(path, sizeof path, "%s/libtpu_engine_%s_T4_MD64_SP1024_VR1024_AR136_IM56_QD16_DW1.so",
             dir == NULL ? "build/engines" : dir, kind);
    self->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(self->object, "%s", dlerror());
    engine_entry_fn entry;
    engine_port_entry_fn port_entry;
    *(void **)&entry = dlsym(self->object, ENGINE_ENTRY_NAME);
    *(void **)&port_entry = dlsym(self->object, ENGINE_PORT_ENTRY_NAME);
    self->api = entry();
    self->port = port_entry();
    self->config = (engine_config){.params = engine_rig_point,
                                   .init = ENGINE_INIT_RANDOM,
                                   .init_seed = 1,
                                   .timing = {.read_latency = 1, .write_latency = 1},
                                   .watchdog = 1000};
    cr_assert_eq(self->api->create(&self->config, &self->dut, &self->why), TPU_OK, "%s",
                 self->why.text);
}

void engine_rig_close(engine_rig *self) {
    self->api->destroy(self->dut);
    dlclose(self->object);
}

int8_t engine_rig_operand(int matrix, int row, int col) {
    return (int8_t)((row * 37 + col * 101 + matrix * 59 + row * col * 7) % 256 - 128);
}

int engine_rig_product(int matrix, int size, int row, int col) {
    int sum = 0;
    for (int k = 0; k < size; k++) {
        sum += engine_rig_operand(matrix, row, k) * engine_rig_operand(matrix + 1, k, col);
    }
    return sum;
}

static void fill(uint8_t cells[CELLS], int matrix) {
    for (int i = 0; i < CELLS; i++) {
        cells[i] = (uint8_t)engine_rig_operand(matrix, i / MAXDIM, i % MAXDIM);
    }
}

static void put(engine_rig *self, engine *dut, tpu_mem memory, const void *data, size_t bytes) {
    cr_assert_eq(self->api->load(dut, memory, data, bytes, &self->why), TPU_OK, "%s",
                 self->why.text);
}

void engine_rig_load(engine_rig *self, engine *dut, const engine_rig_program *program, int matrix) {
    uint8_t cells[CELLS];
    put(self, dut, TPU_MEM_IMEM, program->words, program->bytes);
    fill(cells, matrix);
    put(self, dut, TPU_MEM_A, cells, CELLS);
    fill(cells, matrix + 1);
    put(self, dut, TPU_MEM_B, cells, CELLS);
    memset(cells, PREFILL, CELLS);
    put(self, dut, TPU_MEM_C, cells, CELLS);
}

// FNV-1a, continued from row to row.
static void note(engine_rig_run *out, const probe *shown) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if ((shown->fired >> s & 1) == 0) {
            continue;
        }
        uint64_t digest = out->digest[s] ^ 0xcbf29ce484222325u;
        for (size_t i = 0; i < row_bytes[s]; i++) {
            digest = (digest ^ shown->row[s][i]) * 0x100000001b3u;
        }
        out->digest[s] = digest;
        out->rows[s]++;
    }
}

bool engine_rig_step(engine_rig *self, engine *dut, engine_rig_run *out) {
    probe shown = {0};
    cr_assert_eq(self->api->step(dut, &shown, &self->why), TPU_OK, "%s", self->why.text);
    note(out, &shown);
    out->last_cycle = shown.cycle;
    return shown.done;
}

void engine_rig_finish(engine_rig *self, engine *dut, engine_rig_run *out) {
    bool done = false;
    for (int i = 0; i < STEPS_MAX && !done; i++) {
        done = engine_rig_step(self, dut, out);
    }
    cr_assert(done, "the run did not end");
    cr_assert_eq(self->api->status(dut, &out->status, &self->why), TPU_OK, "%s", self->why.text);
    cr_expect_eq(out->status.assertions, 0, "%s", self->why.text);
}

engine_rig_run engine_rig_start(engine_rig *self) {
    engine_rig_run out = {0};
    cr_assert_eq(self->api->start(self->dut, &self->why), TPU_OK, "%s", self->why.text);
    engine_rig_finish(self, self->dut, &out);
    return out;
}

engine_rig_run engine_rig_whole(engine_rig *self, const engine_rig_program *program, int matrix) {
    engine_rig_load(self, self->dut, program, matrix);
    return engine_rig_start(self);
}

static int expected_cell(const engine_rig_program *program, int matrix, int row, int col) {
    if (row >= program->size || col >= program->size) {
        return PREFILL;
    }
    int value = engine_rig_product(matrix, program->size, row, col);
    value = program->relu && value < 0 ? 0 : value;
    return value > 127 ? 127 : value < -128 ? -128 : value;
}

void engine_rig_expect_product(engine_rig *self, engine *dut, const engine_rig_program *program,
                               int matrix) {
    int8_t cells[CELLS];
    cr_assert_eq(self->api->read(dut, TPU_MEM_C, cells, CELLS, &self->why), TPU_OK);
    for (int i = 0; i < CELLS; i++) {
        const int want = expected_cell(program, matrix, i / MAXDIM, i % MAXDIM);
        cr_expect_eq(cells[i], want, "C[%d][%d] is %d, not %d", i / MAXDIM, i % MAXDIM, cells[i],
                     want);
    }
}

void engine_rig_expect_same_events(const engine_rig_run *left, const engine_rig_run *right) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        cr_expect_eq(left->rows[s], right->rows[s], "stream %d: %lu and %lu rows", s,
                     (unsigned long)left->rows[s], (unsigned long)right->rows[s]);
        cr_expect_eq(left->digest[s], right->digest[s], "stream %d differs", s);
    }
}

uint8_t engine_rig_poke(engine_rig *self, uint16_t address, uint32_t value) {
    uint8_t resp = 0xff;
    cr_assert_eq(self->port->write(self->dut, address, value, &resp, &self->why), TPU_OK, "%s",
                 self->why.text);
    return resp;
}

uint8_t engine_rig_peek(engine_rig *self, uint16_t address, uint32_t *value) {
    uint8_t resp = 0xff;
    cr_assert_eq(self->port->read(self->dut, address, value, &resp, &self->why), TPU_OK, "%s",
                 self->why.text);
    return resp;
}
