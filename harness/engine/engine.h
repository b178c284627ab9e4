// SPDX-License-Identifier: Apache-2.0
//
// The one interface of a device under test: a C table of functions. The Verilated RTL, the
// SystemC build, a cycle model and the tests' fake all implement it, and the harness cannot tell
// which it drives. An engine holds its memory images, so two engines never share a byte.
//
// Life cycle: create, reset, then any number of { load*, start, step until done, status, read* },
// then destroy. Memories inside the machine keep their contents from run to run; reset does not
// clear them either.

#ifndef ENGINE_H
#define ENGINE_H

#include "base/status.h"
#include "csim/isa/params.h"
#include "harness/engine/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Changes whenever this file does in a way that an old shared object would not notice. */
#define ENGINE_ABI 4u

/** Name of the function that an engine's shared object exports; type engine_entry_fn. */
#define ENGINE_ENTRY_NAME "engine_entry"

typedef struct engine engine;

/** What uninitialised state holds after create: no result may depend on it. */
typedef enum engine_init { ENGINE_INIT_ZEROS, ENGINE_INIT_ONES, ENGINE_INIT_RANDOM } engine_init;

/** How the memory holds its readies and valids back; without stall_permille it never does. */
typedef enum engine_stall {
    ENGINE_STALL_RANDOM,    /**< each point by itself with the chance of stall_permille */
    ENGINE_STALL_EDGE,      /**< each opens only after the machine has waited there for a while */
    ENGINE_STALL_ALTERNATE, /**< each is open every other cycle */
    ENGINE_STALL_BURST,     /**< all are held together for stall_permille of each round */
    ENGINE_STALL_FREEZE,    /**< some stand still for hundreds of cycles */
    ENGINE_STALL_AR,        /**< only this one, at random */
    ENGINE_STALL_R,
    ENGINE_STALL_AW,
    ENGINE_STALL_W,
    ENGINE_STALL_B,
    ENGINE_STALL_COUNT
} engine_stall;

/** Timing of the external memory, per engine. All in cycles. */
typedef struct engine_timing {
    uint32_t read_latency;   /**< accepted read address to its first beat, >= 1 */
    uint32_t write_latency;  /**< accepted write beat to its response, >= 1 */
    uint32_t stall_permille; /**< chance in 1000 that a ready or valid is held back in a cycle */
    engine_stall stall_mode;
    uint64_t stall_seed; /**< which cycles are held back */
} engine_timing;

typedef struct engine_config {
    tpu_params params; /**< must equal what the engine was built for */
    engine_init init;
    uint64_t init_seed; /**< used by ENGINE_INIT_RANDOM */
    engine_timing timing;
    uint32_t watchdog; /**< cycles without movement before the machine gives up, >= 1 */
} engine_config;

/** Memories a caller can load (IMEM, A, B, C) or read (all). Rows are packed, little-endian. */
typedef tpu_mem engine_region;

/** What the hardware says of itself, read back through its own registers. */
typedef struct engine_identity {
    tpu_params params;
    uint64_t spec_hash;
    const char *name; /**< "verilator", "systemc", "fake"; static storage */
} engine_identity;

typedef struct engine_status {
    bool done;
    uint64_t cycles; /**< as the machine's own counter says: start taken to done */
    uint8_t fault;   /**< tpu_rule; 0 = none */
    uint8_t fault_unit;
    uint16_t fault_pc;
    uint64_t assertions; /**< failed RTL assertions since create */
} engine_status;

/** The machine's own counters, cycles of the last run; see probe_state. */
typedef struct engine_counters {
    uint32_t busy[TPU_UNIT_COUNT];
    uint32_t starved[TPU_UNIT_COUNT];
    uint32_t blocked[TPU_UNIT_COUNT];
} engine_counters;

/** The table. Every function returns TPU_OK or fails with a sentence in `why` (may be NULL). */
typedef struct engine_api {
    uint32_t abi; /**< ENGINE_ABI */

    /** Builds an engine at power-up. @param[out] out given to the caller, ended by destroy. */
    tpu_status (*create)(const engine_config *config, engine **out, tpu_message *why);

    /** Ends the engine and closes an open trace. NULL is allowed. */
    void (*destroy)(engine *self);

    /** Asserts reset. Memories keep their contents. */
    tpu_status (*reset)(engine *self, tpu_message *why);

    /** Parameters and hash as the hardware reports them; the caller compares before cycle 0. */
    tpu_status (*identify)(engine *self, engine_identity *out, tpu_message *why);

    /** Changes the timing of later cycles; only between runs. */
    tpu_status (*set_timing)(engine *self, const engine_timing *timing, tpu_message *why);

    /**
     * Copies `bytes` bytes (borrowed) to the start of an external memory: IMEM (8 bytes a word),
     * A, B or C. What lies behind them in the region is kept.
     */
    tpu_status (*load)(engine *self, engine_region region, const void *data, size_t bytes,
                       tpu_message *why);

    /**
     * Copies the start of a memory out: external ones, and spad, vr (T bytes a row) and ar
     * (4*T bytes a row) as they stand now.
     */
    tpu_status (*read)(engine *self, engine_region region, void *data, size_t bytes,
                       tpu_message *why);

    /** Writes the control registers and starts; the next step is cycle 0 of the run. */
    tpu_status (*start)(engine *self, tpu_message *why);

    /** One clock cycle. Fills `out` (borrowed; rows stay the engine's). After done: no movement. */
    tpu_status (*step)(engine *self, probe *out, tpu_message *why);

    /** Reads status and fault through the registers; between runs, or after done. */
    tpu_status (*status)(engine *self, engine_status *out, tpu_message *why);

    /** Likewise the counters: apart, since reading them takes as long as a short program. */
    tpu_status (*counters)(engine *self, engine_counters *out, tpu_message *why);

    /** Starts an FST file at the next cycle. Changes no event. */
    tpu_status (*trace_open)(engine *self, const char *path, tpu_message *why);

    /** Ends and flushes the file; no file open is fine. */
    tpu_status (*trace_close)(engine *self, tpu_message *why);
} engine_api;

/** What the exported entry gives: static storage of the shared object. */
typedef const engine_api *(*engine_entry_fn)(void);
const engine_api *engine_entry(void);

#ifdef __cplusplus
}
#endif

#endif
