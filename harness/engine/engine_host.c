// SPDX-License-Identifier: Apache-2.0
//
// engine.h on top of a simulated machine (device.h) and the memory model: the host driver. All
// that an engine decides is here, in C, and the same for every simulator; the shims only move
// pins. One cycle is always
//
//     memory_begin -> device_cycle (pins in, pins and probe out) -> memory_clock
//
// Register accesses are cycles of the same kind. The bases never change, so they are written once
// after reset; a run then starts with one register write, and the cycle after it is cycle 0.

#include "harness/engine/device.h"
#include "harness/engine/engine.h"
#include "harness/engine/engine_port.h"
#include "harness/engine/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum {
    RESET_CYCLES = 3,
    FLUSH_OFTEN = 64, // a trace is flushed in so many of its cycles, so that a killed process
    FLUSH_RARELY =
        1024,           // leaves all but the last ones; rarely later on, since each costs kilobytes
    ANSWER_CYCLES = 16, // the control port answers within; more means it is broken
    HEAD_WORDS = 4,     // STATUS, FAULT, CYCLES_LO, CYCLES_HI
    UNIT_WORDS = 4,     // registers of a unit's counters
    READ_WORDS_MAX = TPU_UNIT_COUNT * UNIT_WORDS
};

// Registers that are being read, one a cycle from `address` up; the answers come in order.
typedef struct reading {
    uint16_t address;
    size_t count; // 0 = nothing is being read
    size_t asked;
    size_t got;
    uint32_t value[READ_WORDS_MAX];
    uint8_t resp; // the first that is not OKAY
} reading;

struct engine {
    engine_config config;
    memory *memory;
    device *device;
    device_drive drive;
    device_sample seen; // of the last cycle
    probe unshown;      // of cycles that no caller sees
    reading reading;
    bool ahead;      // `reading` is of STATUS and behind, begun when the run ended
    uint64_t cycle;  // number of the next step in the run
    bool configured; // bases and watchdog hold since reset
    bool running;
    bool tracing;
    uint64_t trace_base; // trace time of cycle 0
    uint64_t trace_next; // trace time behind the last cycle in the file
    uint64_t traced;     // cycles in the file
};

// The point this object was built for, from the build.
static const tpu_params built = {TPU_BUILT_T,   TPU_BUILT_MAXDIM, TPU_BUILT_SPAD, TPU_BUILT_NVR,
                                 TPU_BUILT_NAR, TPU_BUILT_IMEM,   TPU_BUILT_QD,   TPU_BUILT_DMA};

static tpu_status run_cycle(engine *self, probe *shown, tpu_message *why) {
    memory_begin(self->memory, &self->drive.memory);
    const tpu_status status = device_cycle(self->device, &self->drive, &self->seen, shown, why);
    if (status == TPU_OK) {
        memory_clock(self->memory, &self->seen.memory);
    }
    return status;
}

static tpu_status no_answer(uint16_t address, tpu_message *why) {
    return status_fail(why, TPU_ERR_ENGINE, "the control port does not answer at 0x%03x", address);
}

static void begin_reading(engine *self, uint16_t address, size_t count) {
    self->reading = (reading){.address = address, .count = count, .resp = MEMORY_RESP_OKAY};
}

// One cycle in which the control port reads on, if anything is left to read.
static tpu_status reading_cycle(engine *self, probe *shown, tpu_message *why) {
    reading *at = &self->reading;
    self->drive.ar_valid = at->asked < at->count;
    self->drive.ar_addr = (uint16_t)(at->address + 4 * at->asked);
    const tpu_status status = run_cycle(self, shown, why);
    if (status == TPU_OK) {
        at->asked += self->drive.ar_valid && self->seen.ar_ready;
        if (self->seen.r_valid && at->got < at->asked) {
            at->value[at->got++] = self->seen.r_data;
            at->resp = at->resp == MEMORY_RESP_OKAY ? self->seen.r_resp : at->resp;
        }
    }
    self->drive.ar_valid = false;
    return status;
}

static tpu_status finish_reading(engine *self, tpu_message *why) {
    reading *at = &self->reading;
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < at->count + ANSWER_CYCLES && at->got < at->count; i++) {
        status = reading_cycle(self, &self->unshown, why);
        if (status != TPU_OK) {
            break;
        }
    }
    if (status == TPU_OK && at->got < at->count) {
        status = no_answer(at->address, why);
    }
    at->count = 0;
    return status;
}

// What was read ahead is of no use behind another access; its answers must not be taken for those
// of the next.
static tpu_status drop_ahead(engine *self, tpu_message *why) {
    const tpu_status status = self->ahead ? finish_reading(self, why) : TPU_OK;
    self->ahead = false;
    return status;
}

// Cycles until the port takes a write; it is decoded in the cycle after the last of these.
static tpu_status send_write(engine *self, uint16_t address, uint32_t value, tpu_message *why) {
    tpu_status status = drop_ahead(self, why);
    if (status != TPU_OK) {
        return status;
    }
    self->drive.aw_valid = true;
    self->drive.aw_addr = address;
    self->drive.w_data = value;
    status = no_answer(address, why);
    for (int i = 0; i < ANSWER_CYCLES; i++) {
        status = run_cycle(self, &self->unshown, why);
        if (status != TPU_OK || self->seen.w_ready) {
            break;
        }
        status = no_answer(address, why);
    }
    self->drive.aw_valid = false;
    return status;
}

static tpu_status write_register(engine *self, uint16_t address, uint32_t value, uint8_t *resp,
                                 tpu_message *why) {
    tpu_status status = send_write(self, address, value, why);
    for (int i = 0; i < ANSWER_CYCLES && status == TPU_OK; i++) {
        status = run_cycle(self, &self->unshown, why);
        if (self->seen.b_valid) {
            *resp = self->seen.b_resp;
            return status;
        }
    }
    return status == TPU_OK ? no_answer(address, why) : status;
}

// Reads `count` registers from `address` up. *resp is the first that is not OKAY.
static tpu_status read_registers(engine *self, uint16_t address, size_t count, uint32_t *value,
                                 uint8_t *resp, tpu_message *why) {
    tpu_status status = drop_ahead(self, why);
    if (status == TPU_OK) {
        begin_reading(self, address, count);
        status = finish_reading(self, why);
    }
    memcpy(value, self->reading.value, count * sizeof *value);
    *resp = self->reading.resp;
    return status;
}

static tpu_status expect_okay(tpu_status status, uint8_t resp, uint16_t address, tpu_message *why) {
    if (status == TPU_OK && resp != MEMORY_RESP_OKAY) {
        return status_fail(why, TPU_ERR_ENGINE, "the control port refuses register 0x%03x",
                           address);
    }
    return status;
}

static tpu_status set_register(engine *self, uint16_t address, uint32_t value, tpu_message *why) {
    uint8_t resp = MEMORY_RESP_OKAY;
    const tpu_status status = write_register(self, address, value, &resp, why);
    return expect_okay(status, resp, address, why);
}

static tpu_status get_registers(engine *self, uint16_t address, size_t count, uint32_t *value,
                                tpu_message *why) {
    uint8_t resp = MEMORY_RESP_OKAY;
    const tpu_status status = read_registers(self, address, count, value, &resp, why);
    return expect_okay(status, resp, address, why);
}

static tpu_status host_reset(engine *self, tpu_message *why) {
    memory_restart(self->memory);
    self->drive = (device_drive){.time = self->drive.time};
    self->reading.count = 0;
    self->ahead = false;
    self->configured = false;
    self->running = false;
    for (int i = 0; i < RESET_CYCLES; i++) {
        const tpu_status status = run_cycle(self, &self->unshown, why);
        if (status != TPU_OK) {
            return status;
        }
    }
    self->drive.rst_n = true;
    return TPU_OK;
}

static tpu_status refuse_params(const tpu_params *asked, tpu_message *why) {
    return status_fail(why, TPU_REFUSED,
                       "this engine is built for T=%u MAXDIM=%u SPAD=%u NVR=%u NAR=%u IMEM=%u "
                       "QD=%u DMA_WORDS=%u, not for T=%u MAXDIM=%u SPAD=%u NVR=%u NAR=%u IMEM=%u "
                       "QD=%u DMA_WORDS=%u",
                       built.t, built.maxdim, built.spad_rows, built.nvr, built.nar,
                       built.imem_size, built.qd, built.dma_words, asked->t, asked->maxdim,
                       asked->spad_rows, asked->nvr, asked->nar, asked->imem_size, asked->qd,
                       asked->dma_words);
}

static void host_destroy(engine *self) {
    if (self == NULL) {
        return;
    }
    device_destroy(self->device);
    memory_destroy(self->memory);
    free(self);
}

static tpu_status assemble(engine *self, const engine_config *config, tpu_message *why) {
    self->config = *config;
    self->memory = memory_create(&config->params);
    if (self->memory == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "no memory for the regions of an engine");
    }
    tpu_status status = memory_set_timing(self->memory, &config->timing, why);
    if (status != TPU_OK) {
        return status;
    }
    status = device_create(config->init, config->init_seed, &self->device, why);
    return status == TPU_OK ? host_reset(self, why) : status;
}

static tpu_status host_create(const engine_config *config, engine **out, tpu_message *why) {
    if (memcmp(&config->params, &built, sizeof built) != 0) {
        return refuse_params(&config->params, why);
    }
    if (config->watchdog < 1) {
        return status_fail(why, TPU_REFUSED,
                           "the watchdog limit is 0 cycles; at least 1 is needed");
    }
    engine *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "no memory for an engine");
    }
    const tpu_status status = assemble(self, config, why);
    if (status != TPU_OK) {
        host_destroy(self);
        return status;
    }
    *out = self;
    return TPU_OK;
}

static tpu_status host_identify(engine *self, engine_identity *out, tpu_message *why) {
    uint32_t id[3]; // ID, HASH_LO, HASH_HI
    uint32_t param[TPU_PARAM_COUNT];
    tpu_status status = get_registers(self, TPU_REG_ID, 3, id, why);
    if (status == TPU_OK) {
        status = get_registers(self, TPU_REG_PARAM, TPU_PARAM_COUNT, param, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    if (id[0] != TPU_REG_ID_VALUE) {
        return status_fail(why, TPU_ERR_ENGINE, "the device calls itself 0x%08x, not 0x%08x", id[0],
                           TPU_REG_ID_VALUE);
    }
    out->params = (tpu_params){param[0], param[1], param[2], param[3],
                               param[4], param[5], param[6], param[7]};
    out->spec_hash = (uint64_t)id[2] << 32 | id[1];
    out->name = device_name;
    return TPU_OK;
}

static tpu_status refuse_running(const engine *self, tpu_message *why) {
    return self->running ? status_fail(why, TPU_ERR_ENGINE, "a run is under way") : TPU_OK;
}

static tpu_status host_set_timing(engine *self, const engine_timing *timing, tpu_message *why) {
    const tpu_status status = refuse_running(self, why);
    return status == TPU_OK ? memory_set_timing(self->memory, timing, why) : status;
}

// The region's bytes, or a refusal when it is not external or too small.
static tpu_status find_region(engine *self, tpu_mem region, size_t bytes, uint8_t **at,
                              tpu_message *why) {
    size_t held = 0;
    *at = memory_region(self->memory, region, &held);
    if (*at == NULL) {
        return status_fail(why, TPU_REFUSED, "memory %d cannot be loaded from outside", region);
    }
    if (bytes > held) {
        return status_fail(why, TPU_REFUSED, "%zu bytes do not fit external memory %d of %zu bytes",
                           bytes, region, held);
    }
    return TPU_OK;
}

static tpu_status host_load(engine *self, engine_region region, const void *data, size_t bytes,
                            tpu_message *why) {
    uint8_t *at = NULL;
    const tpu_status status = find_region(self, region, bytes, &at, why);
    if (status == TPU_OK && bytes != 0) {
        memcpy(at, data, bytes);
    }
    return status;
}

static tpu_status host_read(engine *self, engine_region region, void *data, size_t bytes,
                            tpu_message *why) {
    if (region == TPU_MEM_SPAD || region == TPU_MEM_VR || region == TPU_MEM_AR) {
        return device_read(self->device, region, data, bytes, why);
    }
    uint8_t *at = NULL;
    const tpu_status status = find_region(self, region, bytes, &at, why);
    if (status == TPU_OK && bytes != 0) {
        memcpy(data, at, bytes);
    }
    return status;
}

static tpu_status configure(engine *self, tpu_message *why) {
    static const struct {
        tpu_mem region;
        uint16_t low;
    } bases[] = {{TPU_MEM_IMEM, TPU_REG_IMEM_LO},
                 {TPU_MEM_A, TPU_REG_A_LO},
                 {TPU_MEM_B, TPU_REG_B_LO},
                 {TPU_MEM_C, TPU_REG_C_LO}};
    tpu_status status = set_register(self, TPU_REG_WATCHDOG, self->config.watchdog, why);
    for (size_t i = 0; i < sizeof bases / sizeof bases[0] && status == TPU_OK; i++) {
        const uint64_t base = memory_base(self->memory, bases[i].region);
        status = set_register(self, bases[i].low, (uint32_t)base, why);
        if (status == TPU_OK) {
            status = set_register(self, (uint16_t)(bases[i].low + 4), (uint32_t)(base >> 32), why);
        }
    }
    self->configured = status == TPU_OK;
    return status;
}

static tpu_status host_start(engine *self, tpu_message *why) {
    tpu_status status = refuse_running(self, why);
    if (status == TPU_OK && !self->configured) {
        status = configure(self, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    status = send_write(self, TPU_REG_CTRL, 1, why);
    memory_restart(self->memory);
    self->running = status == TPU_OK;
    self->cycle = 0;
    self->trace_base = self->tracing ? self->trace_next : 0;
    return status;
}

static void flush_trace(engine *self) {
    const uint64_t done = self->traced++;
    if (done % (done < FLUSH_RARELY ? FLUSH_OFTEN : FLUSH_RARELY) == 0) {
        device_trace_flush(self->device);
    }
}

static tpu_status host_step(engine *self, probe *out, tpu_message *why) {
    const uint64_t begin = self->trace_base + 2 * DEVICE_HALF * self->cycle;
    self->drive.traced = self->tracing;
    self->drive.time = begin;
    const tpu_status status = reading_cycle(self, out, why);
    self->drive.traced = false;
    if (status != TPU_OK) {
        return status;
    }
    if (self->tracing) {
        self->trace_next = begin + 2 * DEVICE_HALF;
        flush_trace(self);
    }
    out->cycle = self->cycle++;
    out->refused = self->seen.b_valid && self->seen.b_resp != MEMORY_RESP_OKAY;
    // Whoever steps on behind the end gets the status without cycles of its own.
    if (self->running && out->done) {
        begin_reading(self, TPU_REG_STATUS, HEAD_WORDS);
        self->ahead = true;
    }
    self->running = self->running && !out->done && !out->refused;
    return TPU_OK;
}

static tpu_status host_status(engine *self, engine_status *out, tpu_message *why) {
    if (!self->ahead) {
        begin_reading(self, TPU_REG_STATUS, HEAD_WORDS);
    }
    self->ahead = false;
    const tpu_status status =
        expect_okay(finish_reading(self, why), self->reading.resp, TPU_REG_STATUS, why);
    if (status != TPU_OK) {
        return status;
    }
    const uint32_t *head = self->reading.value;
    const char *first = NULL;
    *out = (engine_status){.done = (head[0] & 2) != 0,
                           .cycles = (uint64_t)head[3] << 32 | head[2],
                           .fault = (uint8_t)head[1],
                           .fault_unit = (uint8_t)(head[1] >> 8),
                           .fault_pc = (uint16_t)(head[1] >> 16),
                           .assertions = device_assertions(self->device, &first)};
    if (out->assertions != 0) {
        (void)status_fail(why, TPU_OK, "%s", first); // for a caller that asks what failed
    }
    return TPU_OK;
}

static tpu_status host_counters(engine *self, engine_counters *out, tpu_message *why) {
    uint32_t unit[TPU_UNIT_COUNT * UNIT_WORDS];
    const tpu_status status =
        get_registers(self, TPU_REG_UNIT, TPU_UNIT_COUNT * UNIT_WORDS, unit, why);
    for (size_t u = 0; u < TPU_UNIT_COUNT && status == TPU_OK; u++) {
        out->busy[u] = unit[UNIT_WORDS * u];
        out->starved[u] = unit[UNIT_WORDS * u + 1];
        out->blocked[u] = unit[UNIT_WORDS * u + 2];
    }
    return status;
}

static tpu_status host_trace_close(engine *self, tpu_message *why) {
    (void)why;
    device_trace_close(self->device);
    self->tracing = false;
    return TPU_OK;
}

static tpu_status host_trace_open(engine *self, const char *path, tpu_message *why) {
    // Verilator's writer does not survive a path that it cannot create.
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return status_fail(why, TPU_ERR_IO, "%s: a trace cannot be written there", path);
    }
    (void)fclose(file);
    const tpu_status status = device_trace_open(self->device, path, why);
    self->tracing = status == TPU_OK;
    self->trace_base = 0;
    self->trace_next = 0;
    self->traced = 0;
    return status;
}

static tpu_status port_read(engine *self, uint16_t address, uint32_t *value, uint8_t *resp,
                            tpu_message *why) {
    return read_registers(self, address, 1, value, resp, why);
}

static bool port_interrupt(const engine *self) {
    return self->seen.irq;
}

static const engine_api api = {
    .abi = ENGINE_ABI,
    .create = host_create,
    .destroy = host_destroy,
    .reset = host_reset,
    .identify = host_identify,
    .set_timing = host_set_timing,
    .load = host_load,
    .read = host_read,
    .start = host_start,
    .step = host_step,
    .status = host_status,
    .counters = host_counters,
    .trace_open = host_trace_open,
    .trace_close = host_trace_close,
};

static const engine_port_api port_api = {
    .write = write_register,
    .read = port_read,
    .interrupt = port_interrupt,
};

EXPORTED const engine_api *engine_entry(void) {
    return &api;
}

EXPORTED const engine_port_api *engine_port_entry(void) {
    return &port_api;
}
