// SPDX-License-Identifier: Apache-2.0
//
// The small machine itself with seeded operands, for programs that are built by hand: run alone,
// legal or not, or in lockstep with the model, where everything must be right.

#ifndef MACHINE_RIG_H
#define MACHINE_RIG_H

#include "csim/isa/isa.h"
#include "csim/isa/params.h"
#include "harness/engine/loader.h"
#include "harness/lockstep/lockstep.h"

#include <stddef.h>
#include <stdint.h>

#define MACHINE_RIG_T 4
#define MACHINE_RIG_MAXDIM 16
#define MACHINE_RIG_CELLS (MACHINE_RIG_MAXDIM * MACHINE_RIG_MAXDIM)
#define MACHINE_RIG_WATCHDOG 2000

/** Assembly: 8 rows of B to spad, 8 of A to vr. */
#define MACHINE_RIG_LOADS                                                                          \
    "dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"                                    \
    "dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"

/** The same, and one mm of 8 rows. */
#define MACHINE_RIG_MM MACHINE_RIG_LOADS "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n"

typedef struct machine_rig {
    tpu_params params;
    loader *library;
    const engine_api *api;
    engine *device;
    uint8_t a[MACHINE_RIG_CELLS];
    uint8_t b[MACHINE_RIG_CELLS];
    uint8_t c[MACHINE_RIG_CELLS];
    tpu_message why;
} machine_rig;

/** Opens the Verilator engine with random state, after reset. Stops the test when it cannot. */
void machine_rig_open(machine_rig *self);

/** The same with a watchdog limit and a memory latency, both in cycles. */
void machine_rig_open_with(machine_rig *self, uint32_t watchdog, uint32_t latency);

void machine_rig_close(machine_rig *self);

/** Runs an image without the model; the machine must end by itself. */
engine_status machine_rig_run(machine_rig *self, const uint64_t *words, size_t count);

/** Lockstep of one legal program; everything about it must be right. `what` names it. */
void machine_rig_run_exact(machine_rig *self, const isa_program *program, const char *what);

/** machine_rig_run_exact of a small GEMM, after something else. */
void machine_rig_run_clean(machine_rig *self, const char *after);

#endif
