// SPDX-License-Identifier: Apache-2.0
//
// What an issue may touch. `check` judges programs; this only keeps the model from reading or
// writing outside its memories, and says so when `check` let something through.

#include "csim/arch/arch_internal.h"

#define ILLEGAL "the model was given an illegal program: pc %u (%s) "

static tpu_status need_rows(const arch *self, const isa_issue *issue, tpu_mem memory, size_t field,
                            uint32_t count, tpu_message *why) {
    uint32_t first = issue->f[field];
    uint32_t rows = self->memory[memory].rows;
    if (first + count <= rows) {
        return TPU_OK;
    }
    return status_fail(why, TPU_ERR_INTERNAL, ILLEGAL "needs rows %u..%u of %s, which has %u",
                       issue->pc, tpu_ops[issue->op].name, first, first + count - 1,
                       tpu_mem_names[memory], rows);
}

static tpu_status need_at_most(const isa_issue *issue, size_t field, uint32_t most,
                               tpu_message *why) {
    if (issue->f[field] <= most) {
        return TPU_OK;
    }
    return status_fail(why, TPU_ERR_INTERNAL, ILLEGAL "has f%zu = %u, at most %u is allowed",
                       issue->pc, tpu_ops[issue->op].name, field, issue->f[field], most);
}

static tpu_status need_block(const arch *self, const isa_issue *issue, size_t row_field,
                             size_t block_field, tpu_mem memory, tpu_message *why) {
    uint32_t last_block = self->params.maxdim / self->params.t - 1;
    tpu_status status = need_at_most(issue, block_field, last_block, why);
    return status == TPU_OK ? need_rows(self, issue, memory, row_field, issue->nr, why) : status;
}

static tpu_status guard_dma_ld(const arch *self, const isa_issue *issue, tpu_message *why) {
    uint32_t mode = issue->f[DMA_LD_MODE];
    tpu_mem source = (mode & TPU_DMA_SRC_B) != 0 ? TPU_MEM_B : TPU_MEM_A;
    tpu_mem target = (mode & TPU_DMA_TO_VR) != 0 ? TPU_MEM_VR : TPU_MEM_SPAD;
    tpu_status status = need_at_most(issue, DMA_LD_MODE, TPU_DMA_SRC_B | TPU_DMA_TO_VR, why);
    if (status == TPU_OK) {
        status = need_block(self, issue, DMA_LD_DRAM_ROW0, DMA_LD_COL_BLOCK, source, why);
    }
    return status == TPU_OK ? need_rows(self, issue, target, DMA_LD_DST_ROW0, issue->nr, why)
                            : status;
}

static tpu_status guard_vld(const arch *self, const isa_issue *issue, tpu_message *why) {
    tpu_status status = need_rows(self, issue, TPU_MEM_VR, VLD_VR0, issue->nr, why);
    return status == TPU_OK ? need_rows(self, issue, TPU_MEM_SPAD, VLD_SPAD0, issue->nr, why)
                            : status;
}

static tpu_status guard_mm(const arch *self, const isa_issue *issue, tpu_message *why) {
    tpu_status status = need_at_most(issue, MM_ACC, 1, why);
    if (status == TPU_OK) {
        status = need_rows(self, issue, TPU_MEM_VR, MM_VR_A, issue->nr, why);
    }
    if (status == TPU_OK) {
        status = need_rows(self, issue, TPU_MEM_AR, MM_AR0, issue->nr, why);
    }
    return status == TPU_OK ? need_rows(self, issue, TPU_MEM_SPAD, MM_SPAD_W, self->params.t, why)
                            : status;
}

static tpu_status guard_vrelu(const arch *self, const isa_issue *issue, tpu_message *why) {
    tpu_status status = need_rows(self, issue, TPU_MEM_AR, ALU_AR_D, issue->nr, why);
    return status == TPU_OK ? need_rows(self, issue, TPU_MEM_AR, ALU_AR_S1, issue->nr, why)
                            : status;
}

static tpu_status guard_vadd(const arch *self, const isa_issue *issue, tpu_message *why) {
    tpu_status status = guard_vrelu(self, issue, why);
    return status == TPU_OK ? need_rows(self, issue, TPU_MEM_AR, ALU_AR_S2, issue->nr, why)
                            : status;
}

static tpu_status guard_mvout(const arch *self, const isa_issue *issue, tpu_message *why) {
    tpu_status status = need_rows(self, issue, TPU_MEM_AR, MVOUT_AR0, issue->nr, why);
    return status == TPU_OK
               ? need_block(self, issue, MVOUT_DRAM_ROW0, MVOUT_COL_BLOCK, TPU_MEM_C, why)
               : status;
}

// The machine executes an opcode that it has and that is neither control flow nor retired.
static bool is_executable(uint8_t op) {
    return op < TPU_OP_COUNT && tpu_ops[op].is_control == 0 && tpu_ops[op].retired == 0;
}

static tpu_status guard_common(const isa_issue *issue, tpu_message *why) {
    if (!is_executable(issue->op)) {
        return status_fail(why, TPU_ERR_INTERNAL,
                           "the model was given an illegal program: pc %u has opcode %u, which "
                           "cannot be executed",
                           issue->pc, issue->op);
    }
    if (tpu_ops[issue->op].has_rows != 0 && (issue->nr < 1 || issue->nr > TPU_MAXROWS)) {
        return status_fail(why, TPU_ERR_INTERNAL, ILLEGAL "has nr = %u, 1..%u is allowed",
                           issue->pc, tpu_ops[issue->op].name, issue->nr, TPU_MAXROWS);
    }
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < TPU_FIELDS && status == TPU_OK; i++) {
        status = need_at_most(issue, i, TPU_FIELD_MAX, why);
    }
    return status;
}

tpu_status guard_issue(const arch *self, const isa_issue *issue, tpu_message *why) {
    typedef tpu_status (*guard_fn)(const arch *, const isa_issue *, tpu_message *);
    static const guard_fn guards[TPU_OP_COUNT] = {
        [TPU_OP_DMA_LD] = guard_dma_ld, [TPU_OP_VLD] = guard_vld,     [TPU_OP_MM] = guard_mm,
        [TPU_OP_VADD] = guard_vadd,     [TPU_OP_VRELU] = guard_vrelu, [TPU_OP_MVOUT] = guard_mvout,
        [TPU_OP_VADDRELU] = guard_vadd,
    };
    tpu_status status = guard_common(issue, why);
    if (status != TPU_OK || guards[issue->op] == NULL) {
        return status;
    }
    return guards[issue->op](self, issue, why);
}

tpu_status guard_reads(const arch *self, const isa_issue *issue, tpu_message *why) {
    if (!self->unwritten) {
        return TPU_OK;
    }
    return status_fail(why, TPU_ERR_INTERNAL, ILLEGAL "reads %s row %u, which nothing wrote",
                       issue->pc, tpu_ops[issue->op].name, tpu_mem_names[self->unwritten_memory],
                       self->unwritten_row);
}
