// SPDX-License-Identifier: Apache-2.0
//
// What the tests of a real engine stand on: opens the shared object at T=4, MAXDIM=64, loads a
// program with operands, runs it and keeps a digest of every stream. Programs are the encoded
// words of the reference page's shipped GEMM with the headers printed there; expected cells are
// plain arithmetic.

#ifndef ENGINE_RIG_H
#define ENGINE_RIG_H

#include "harness/engine/engine.h"
#include "harness/engine/engine_port.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENGINE_RIG_T 4
#define ENGINE_RIG_MAXDIM 64
#define ENGINE_RIG_CELLS (ENGINE_RIG_MAXDIM * ENGINE_RIG_MAXDIM)

typedef struct engine_rig {
    void *object; /**< of dlopen */
    const engine_api *api;
    const engine_port_api *port;
    engine *dut;
    engine_config config;
    tpu_message why;
} engine_rig;

/** What a run showed. */
typedef struct engine_rig_run {
    uint64_t digest[TPU_STREAM_COUNT]; /**< of all rows in order */
    uint64_t rows[TPU_STREAM_COUNT];
    uint64_t last_cycle; /**< of the probe that showed done */
    engine_status status;
} engine_rig_run;

/** A program and the square GEMM that it computes. */
typedef struct engine_rig_program {
    const uint64_t *words;
    size_t bytes;
    int size;
    bool relu;
} engine_rig_program;

extern const engine_rig_program engine_rig_gemm4;      /**< 4x4x4 */
extern const engine_rig_program engine_rig_gemm8_relu; /**< 8x8x8 with relu */

/** The parameter point of the rig. */
extern const tpu_params engine_rig_point;

/** $TPU_ENGINE, or "verilator". */
const char *engine_rig_kind(void);

/** Opens engine_rig_kind() with random state and memory latency 1. Ends the test on failure. */
void engine_rig_open(engine_rig *self);

/** The same for a named kind. */
void engine_rig_open_kind(engine_rig *self, const char *kind);

void engine_rig_close(engine_rig *self);

/** Loads a program, operands that `matrix` and `matrix + 1` select, and a prefilled C. */
void engine_rig_load(engine_rig *self, engine *dut, const engine_rig_program *program, int matrix);

/** Cell of the operand that `matrix` selects. */
int8_t engine_rig_operand(int matrix, int row, int col);

/** Cell of the int32 product of `matrix` and `matrix + 1` over `size` terms. */
int engine_rig_product(int matrix, int size, int row, int col);

/** One cycle into `out`; true when the run has ended. */
bool engine_rig_step(engine_rig *self, engine *dut, engine_rig_run *out);

/** Steps until the run ends and reads the status; no assertion may have failed. */
void engine_rig_finish(engine_rig *self, engine *dut, engine_rig_run *out);

/** Start and finish on the rig's own engine. */
engine_rig_run engine_rig_start(engine_rig *self);

/** Load, start and finish on the rig's own engine. */
engine_rig_run engine_rig_whole(engine_rig *self, const engine_rig_program *program, int matrix);

/** Every cell of C: the product in its window, what was prefilled elsewhere. */
void engine_rig_expect_product(engine_rig *self, engine *dut, const engine_rig_program *program,
                               int matrix);

void engine_rig_expect_same_events(const engine_rig_run *left, const engine_rig_run *right);

/** Register accesses; the AXI response is returned. */
uint8_t engine_rig_poke(engine_rig *self, uint16_t address, uint32_t value);
uint8_t engine_rig_peek(engine_rig *self, uint16_t address, uint32_t *value);

#endif
