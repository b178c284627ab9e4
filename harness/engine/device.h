// SPDX-License-Identifier: Apache-2.0
//
// What an engine needs of a simulator: a clock cycle with given pins, a look into the memories, a
// trace. engine_host.c is written against it in C; engine_verilator.cpp and
// engine_systemc.cpp each implement it, and one shared object holds exactly one of them.

#ifndef DEVICE_H
#define DEVICE_H

#include "base/status.h"
#include "harness/engine/engine.h"
#include "harness/engine/memory.h"
#include "harness/engine/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define DEVICE_NOEXCEPT noexcept
#else
#define DEVICE_NOEXCEPT
#endif

typedef struct device device;

/** Pins that the host drives during one cycle. */
typedef struct device_drive {
    bool rst_n;
    bool aw_valid; /**< control port, write: address and data always go together */
    uint16_t aw_addr;
    uint32_t w_data;
    bool ar_valid; /**< control port, read */
    uint16_t ar_addr;
    memory_drive memory;
    bool traced;   /**< this cycle goes into the open trace, if any */
    uint64_t time; /**< of the rising edge that begins the cycle */
} device_drive;

/** Time from the rising edge to the falling one; a cycle takes twice as long. */
#define DEVICE_HALF 5u

/** Pins that the machine drives during the same cycle. Pointers in `memory` end with the cycle. */
typedef struct device_sample {
    bool w_ready; /**< address and data taken */
    bool b_valid;
    uint8_t b_resp;
    bool ar_ready;
    bool r_valid;
    uint8_t r_resp;
    uint32_t r_data;
    bool irq;
    memory_sample memory;
} device_sample;

/** Static storage: "verilator", "systemc", ... */
extern const char *const device_name;

/**
 * Builds the simulated machine at power-up, clock low and reset asserted.
 * @param[out] out  given to the caller; ended by device_destroy.
 */
tpu_status device_create(engine_init init, uint64_t seed, device **out,
                         tpu_message *why) DEVICE_NOEXCEPT TPU_NODISCARD;

/** NULL-safe; closes an open trace. */
void device_destroy(device *self) DEVICE_NOEXCEPT;

/**
 * The rising edge that ends the last cycle and begins the next, with the pins of the next; then
 * what the machine shows of it. Effects of a cycle reach its memories with the next call.
 * @param[in,out] shown  `fired`, `row`, `unit` and `done` are set.
 */
tpu_status device_cycle(device *self, const device_drive *in, device_sample *out, probe *shown,
                        tpu_message *why) DEVICE_NOEXCEPT TPU_NODISCARD;

/**
 * Copies the first rows of an on-chip memory.
 * @param bytes  whole rows.
 * @return TPU_OK; TPU_REFUSED when this build does not show its memories or has fewer rows.
 */
tpu_status device_read(const device *self, tpu_mem which, void *data, size_t bytes,
                       tpu_message *why) DEVICE_NOEXCEPT TPU_NODISCARD;

/** Failed assertions since create; `first` (borrowed until destroy) is the first one's text. */
uint64_t device_assertions(const device *self, const char **first) DEVICE_NOEXCEPT;

/**
 * Opens an FST file; cycles that are driven as traced go into it. Replaces an open one.
 * @return TPU_OK or TPU_ERR_IO.
 */
tpu_status device_trace_open(device *self, const char *path,
                             tpu_message *why) DEVICE_NOEXCEPT TPU_NODISCARD;

/** Writes out what the file is to hold so far: a killed process leaves that. None open is fine. */
void device_trace_flush(device *self) DEVICE_NOEXCEPT;

/** Ends and flushes the file; none open is fine. */
void device_trace_close(device *self) DEVICE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
