// SPDX-License-Identifier: Apache-2.0
//
// The external memory that an engine sits on: an AXI4 slave of four regions (imem, A, B, C) in
// plain C. One beat a cycle each way, in order, many outstanding; latency and random stalls are
// settings. It answers a wrong access with an error response and never fails on one.

#ifndef MEMORY_H
#define MEMORY_H

#include "base/status.h"
#include "csim/isa/params.h"
#include "harness/engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** AXI response codes; EXOKAY is never given. */
#define MEMORY_RESP_OKAY 0u
#define MEMORY_RESP_SLVERR 2u
#define MEMORY_RESP_DECERR 3u

typedef struct memory memory;

/** What the memory drives during one cycle. It never depends on the machine's pins of that cycle.
 */
typedef struct memory_drive {
    bool ar_ready;
    bool r_valid;
    uint8_t r_resp;
    const uint8_t *r_data; /**< TPU_BUS_BYTES bytes, borrowed until memory_clock; set if r_valid */
    bool aw_ready;
    bool w_ready;
    bool b_valid;
    uint8_t b_resp;
} memory_drive;

/** What the machine drives during the same cycle. Fields of a channel count where it is valid. */
typedef struct memory_sample {
    bool ar_valid;
    uint64_t ar_addr;
    uint8_t ar_len;  /**< AXI: beats - 1; only 0 is served */
    uint8_t ar_size; /**< AXI: log2 of the bytes; only 6 is served */
    bool r_ready;
    bool aw_valid;
    uint64_t aw_addr;
    uint8_t aw_len;
    uint8_t aw_size;
    bool w_valid;
    const uint8_t *w_data; /**< TPU_BUS_BYTES bytes, borrowed until return */
    uint64_t w_strb;
    bool w_last;
    bool b_ready;
} memory_sample;

/**
 * Builds a memory whose regions are all zero, with latency 1 and no stalls. Each region holds its
 * bytes rounded up to whole beats.
 * @param params  borrowed; gives the sizes of the regions.
 * @return given to the caller; NULL when out of memory.
 */
memory *memory_create(const tpu_params *params);

/** Ends it; NULL-safe. */
void memory_destroy(memory *self);

/**
 * Sets the timing of later cycles and does what memory_restart does.
 * @return TPU_OK; TPU_REFUSED for a latency of 0 or above 2^20 or a chance above 1000 (nothing
 * changed); TPU_ERR_MEMORY.
 */
tpu_status memory_set_timing(memory *self, const engine_timing *timing,
                             tpu_message *why) TPU_NODISCARD;

/** Forgets everything in flight and begins the stall sequence of the seed again. Keeps contents. */
void memory_restart(memory *self);

/** Bus address of the region's first byte, 64-byte aligned. @pre IMEM, A, B or C. */
uint64_t memory_base(const memory *self, tpu_mem region);

/** Borrowed contents, until destroy. @param[out] bytes  unrounded size. NULL if not external. */
uint8_t *memory_region(memory *self, tpu_mem region, size_t *bytes);

/** Says what the memory drives in the coming cycle; call it once a cycle. */
void memory_begin(memory *self, memory_drive *out);

/**
 * Ends the cycle: takes what was accepted and moves on. An address accepted in cycle n is answered
 * in cycle n + latency at the earliest; a write counts from the later of its address and its data.
 */
void memory_clock(memory *self, const memory_sample *in);

#ifdef __cplusplus
}
#endif

#endif
