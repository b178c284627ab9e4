// SPDX-License-Identifier: Apache-2.0
//
// What arch.c (life, memories, program), actions.c (what one issue does) and guard.c (what it may
// touch) share. Private to csim/arch.

#ifndef ARCH_INTERNAL_H
#define ARCH_INTERNAL_H

#include "csim/arch/arch.h"
#include "csim/isa/expand.h"
#include "csim/isa/isa.h"

/** Which field is which operand: as tpu_ops[].operand names them. */
enum arch_operand {
    DMA_LD_MODE = 0,
    DMA_LD_DRAM_ROW0 = 1,
    DMA_LD_COL_BLOCK = 2,
    DMA_LD_DST_ROW0 = 3,
    VLD_VR0 = 0,
    VLD_SPAD0 = 1,
    MM_VR_A = 0,
    MM_AR0 = 1,
    MM_ACC = 2,
    MM_SPAD_W = 3,
    ALU_AR_D = 0,
    ALU_AR_S1 = 1,
    ALU_AR_S2 = 2,
    MVOUT_AR0 = 0,
    MVOUT_DRAM_ROW0 = 1,
    MVOUT_COL_BLOCK = 2,
    SPM_ARRAY_ROWS = 1 /**< in the rewritten mm: the array's row count */
};

/** One memory. On-chip rows carry a written flag; A, B and C do not. */
typedef struct arch_memory_state {
    uint8_t *data;    /**< owned; NULL for imem, which the model does not hold */
    uint8_t *written; /**< owned; one byte a row, NULL for A, B and C */
    uint32_t rows;
    size_t row_bytes;
} arch_memory_state;

struct arch {
    tpu_params params;
    arch_memory_state memory[TPU_MEM_COUNT];
    int16_t *weights; /**< owned: the T x T weights of the mm at work, widened */
    int32_t *psum;    /**< owned: T partial sums at the foot of the array */
    uint8_t *stage;   /**< owned: room for a row's head, then T int32 lanes */
    isa_program program;
    expand issues;
    arch_sink sink; /**< borrowed during arch_start and arch_step only */
    void *user;
    bool unwritten; /**< the issue at work used a row that the program never wrote */
    tpu_mem unwritten_memory;
    uint32_t unwritten_row;
};

/** Emits one row of a stream as it stands. */
void actions_emit(arch *self, tpu_stream stream, const void *row, size_t bytes);

/** Emits the rows that the header of an image causes. @pre count >= TPU_NHDR */
void actions_header(arch *self, const uint64_t *words);

/**
 * Executes one issue and emits its rows.
 * @return TPU_OK; TPU_ERR_INTERNAL when the issue breaks a rule: field, row count, opcode or row
 *         range (nothing is emitted), or a row read before it was written (all is emitted).
 */
tpu_status actions_execute(arch *self, const isa_issue *issue, tpu_message *why) TPU_NODISCARD;

/**
 * Refuses an issue that the model cannot execute: opcode, field, row count, rows of a memory.
 * @return TPU_OK or TPU_ERR_INTERNAL; `check` should have refused the program.
 */
tpu_status guard_issue(const arch *self, const isa_issue *issue, tpu_message *why) TPU_NODISCARD;

/** TPU_ERR_INTERNAL when the issue just executed read a row that the program never wrote. */
tpu_status guard_reads(const arch *self, const isa_issue *issue, tpu_message *why) TPU_NODISCARD;

#endif
