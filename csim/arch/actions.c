// SPDX-License-Identifier: Apache-2.0
//
// What one issue does: a small function per action primitive, then one per opcode that calls them
// in the order of the spec's action list (spec/isa_spec.json#opcodes). A row travels from the
// emitting to the receiving unit as a plain value, so emit and receive are one call.
//
//   stage:  | head, right-aligned | T lanes ... |
//           0                     TPU_STREAM_HEAD_MAX (aligned for int32)
//
// Rows with a head are built there in place; all others are emitted from the memory they lie in.

#include "csim/arch/arch_internal.h"
#include "csim/arch/numerics.h"
#include "csim/isa/codec.h"

#include <string.h>

// ---- rows ----------------------------------------------------------------------------------

void actions_emit(arch *self, tpu_stream stream, const void *row, size_t bytes) {
    self->sink(self->user, stream, row, bytes);
}

static void put(uint8_t *row, tpu_stream stream, size_t field, uint64_t value) {
    const tpu_stream_field *at = &tpu_streams[stream].fields[field];
    for (size_t i = 0; i < at->bytes; i++) {
        row[at->offset + i] = (uint8_t)(value >> (8 * i));
    }
}

static uint8_t *stage_lanes(arch *self) {
    return self->stage + TPU_STREAM_HEAD_MAX;
}

static uint8_t *stage_row(arch *self, tpu_stream stream) {
    return stage_lanes(self) - tpu_streams[stream].head_bytes;
}

static void emit_staged(arch *self, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    size_t bytes = info->head_bytes + (size_t)info->lane_bytes * self->params.t;
    actions_emit(self, stream, stage_row(self, stream), bytes);
}

static void emit_word(arch *self, tpu_stream stream, uint64_t word) {
    put(stage_row(self, stream), stream, 0, word);
    emit_staged(self, stream);
}

// A count in front of weight rows: the value in the low bytes of an otherwise empty row.
static void emit_count(arch *self, tpu_stream stream, uint32_t count) {
    uint8_t *lanes = stage_lanes(self);
    memset(lanes, 0, self->params.t);
    memcpy(lanes, &count, sizeof count);
    emit_staged(self, stream);
}

static void emit_lanes(arch *self, tpu_stream stream, const uint8_t *lanes) {
    actions_emit(self, stream, lanes, self->params.t);
}

// ---- memories ------------------------------------------------------------------------------

static uint8_t *row_at(arch *self, tpu_mem memory, uint32_t row) {
    return self->memory[memory].data + row * self->memory[memory].row_bytes;
}

static uint8_t *dram_at(arch *self, tpu_mem memory, uint32_t row, uint32_t col_block) {
    return row_at(self, memory, row) + (size_t)col_block * self->params.t;
}

// Reads a row that the program must have written; the first that it did not is remembered.
static const uint8_t *read_row(arch *self, tpu_mem memory, uint32_t row) {
    if (self->memory[memory].written[row] == 0 && !self->unwritten) {
        self->unwritten = true;
        self->unwritten_memory = memory;
        self->unwritten_row = row;
    }
    return row_at(self, memory, row);
}

static const int32_t *read_ar(arch *self, uint32_t row) {
    return (const int32_t *)(const void *)read_row(self, TPU_MEM_AR, row);
}

static void write_row(arch *self, tpu_mem memory, uint32_t row, const uint8_t *data, bool written) {
    arch_memory_state *target = &self->memory[memory];
    memcpy(row_at(self, memory, row), data, target->row_bytes);
    target->written[row] = written;
}

static void write_spad(arch *self, uint32_t row, const uint8_t *lanes) {
    uint8_t *staged = stage_row(self, TPU_STREAM_SPAD_WRITE);
    put(staged, TPU_STREAM_SPAD_WRITE, 0, row);
    memcpy(stage_lanes(self), lanes, self->params.t);
    write_row(self, TPU_MEM_SPAD, row, lanes, true);
    emit_staged(self, TPU_STREAM_SPAD_WRITE);
}

static void write_vr(arch *self, uint32_t row, const uint8_t *lanes, bool written) {
    uint8_t *staged = stage_row(self, TPU_STREAM_VR_WRITE);
    put(staged, TPU_STREAM_VR_WRITE, 0, row);
    put(staged, TPU_STREAM_VR_WRITE, 1, written);
    memmove(stage_lanes(self), lanes, self->params.t);
    write_row(self, TPU_MEM_VR, row, lanes, written);
    emit_staged(self, TPU_STREAM_VR_WRITE);
}

// The int32 lanes to write stand in the stage already.
static int32_t *total_lanes(arch *self) {
    return (int32_t *)(void *)stage_lanes(self);
}

static void write_ar(arch *self, tpu_stream stream, uint32_t row) {
    put(stage_row(self, stream), stream, 0, row);
    write_row(self, TPU_MEM_AR, row, stage_lanes(self), true);
    emit_staged(self, stream);
}

static void write_c(arch *self, uint32_t dram_row, uint32_t col_block, const uint8_t *lanes) {
    uint8_t *staged = stage_row(self, TPU_STREAM_C_WRITE);
    put(staged, TPU_STREAM_C_WRITE, 0, dram_row);
    put(staged, TPU_STREAM_C_WRITE, 1, col_block);
    memmove(stage_lanes(self), lanes, self->params.t);
    memcpy(dram_at(self, TPU_MEM_C, dram_row, col_block), lanes, self->params.t);
    emit_staged(self, TPU_STREAM_C_WRITE);
}

// ---- computations --------------------------------------------------------------------------

static tpu_mem select_source(uint32_t mode) {
    return (mode & TPU_DMA_SRC_B) != 0 ? TPU_MEM_B : TPU_MEM_A;
}

static void matmul(arch *self, const uint8_t *activation) {
    numerics_row_product((const int8_t *)activation, self->weights, self->psum, self->params.t);
}

// A missing base counts as zero.
static void acc_add(arch *self, const int32_t *carried) {
    if (carried == NULL) {
        memcpy(total_lanes(self), self->psum, self->params.t * sizeof(int32_t));
    } else {
        numerics_row_add(carried, self->psum, total_lanes(self), self->params.t);
    }
}

static void add(arch *self, const int32_t *left, const int32_t *right) {
    numerics_row_add(left, right, total_lanes(self), self->params.t);
}

static void max0(arch *self) {
    numerics_row_max0(total_lanes(self), self->params.t);
}

static const uint8_t *to_operand(arch *self, const int32_t *value) {
    uint8_t *clipped = (uint8_t *)self->psum;
    numerics_row_to_operand(value, (int8_t *)clipped, self->params.t);
    return clipped;
}

// ---- dispatch ------------------------------------------------------------------------------

static void send(arch *self, tpu_stream channel, const isa_issue *issue) {
    emit_word(self, channel, codec_word0(issue->op, issue->f, issue->nr));
}

// A unit whose own work count differs from nr gets its count in nr.
static void send_rewritten(arch *self, tpu_stream channel, const isa_issue *issue, uint32_t nr) {
    emit_word(self, channel, codec_word0(issue->op, issue->f, nr));
}

static void send_weights(arch *self, const isa_issue *issue) {
    uint32_t f[TPU_FIELDS];
    memcpy(f, issue->f, sizeof f);
    f[SPM_ARRAY_ROWS] = issue->nr;
    emit_word(self, TPU_STREAM_C_SPM, codec_word0(issue->op, f, self->params.t + 1));
}

static void emit_issue(arch *self, const isa_issue *issue) {
    uint8_t *row = stage_row(self, TPU_STREAM_ISSUE);
    size_t field = 0;
    put(row, TPU_STREAM_ISSUE, field++, issue->pc);
    put(row, TPU_STREAM_ISSUE, field++, issue->op);
    put(row, TPU_STREAM_ISSUE, field++, issue->nr);
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        put(row, TPU_STREAM_ISSUE, field++, issue->f[i]);
    }
    for (size_t i = 0; i < TPU_LOOP_DEPTH; i++) {
        put(row, TPU_STREAM_ISSUE, field++, issue->iv[i]);
    }
    emit_staged(self, TPU_STREAM_ISSUE);
}

void actions_header(arch *self, const uint64_t *words) {
    static const struct {
        tpu_stream channel;
        size_t word;
    } sent[] = {
        {TPU_STREAM_C_DLD, 1}, {TPU_STREAM_C_DLD, 7}, {TPU_STREAM_C_SPM, 2}, {TPU_STREAM_C_SPM, 4},
        {TPU_STREAM_C_VRU, 3}, {TPU_STREAM_C_ACC, 5}, {TPU_STREAM_C_DST, 6},
    };
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        emit_word(self, sent[i].channel, words[sent[i].word]);
    }
    emit_count(self, TPU_STREAM_WCOL, (uint32_t)words[4]);
}

// ---- opcodes -------------------------------------------------------------------------------

static void execute_dma_ld(arch *self, const isa_issue *issue) {
    const uint32_t *f = issue->f;
    bool to_vr = (f[DMA_LD_MODE] & TPU_DMA_TO_VR) != 0;
    tpu_mem source = select_source(f[DMA_LD_MODE]);
    send(self, TPU_STREAM_C_DLD, issue);
    send(self, to_vr ? TPU_STREAM_C_VRU : TPU_STREAM_C_SPM, issue);
    for (uint32_t row = 0; row < issue->nr; row++) {
        const uint8_t *beat = dram_at(self, source, f[DMA_LD_DRAM_ROW0] + row, f[DMA_LD_COL_BLOCK]);
        emit_lanes(self, to_vr ? TPU_STREAM_DMA2VR : TPU_STREAM_DMA2SP, beat);
        if (to_vr) {
            write_vr(self, f[DMA_LD_DST_ROW0] + row, beat, true);
        } else {
            write_spad(self, f[DMA_LD_DST_ROW0] + row, beat);
        }
    }
}

// A pure copy: an unwritten row may be copied, and the copy is unwritten too.
static void execute_vld(arch *self, const isa_issue *issue) {
    send(self, TPU_STREAM_C_SPM, issue);
    send(self, TPU_STREAM_C_VRU, issue);
    for (uint32_t row = 0; row < issue->nr; row++) {
        uint32_t from = issue->f[VLD_SPAD0] + row;
        bool written = self->memory[TPU_MEM_SPAD].written[from] != 0;
        put(stage_row(self, TPU_STREAM_SP2VR), TPU_STREAM_SP2VR, 0, written);
        memcpy(stage_lanes(self), row_at(self, TPU_MEM_SPAD, from), self->params.t);
        emit_staged(self, TPU_STREAM_SP2VR);
        write_vr(self, issue->f[VLD_VR0] + row, stage_lanes(self), written);
    }
}

static void load_weights(arch *self, const isa_issue *issue) {
    size_t t = self->params.t;
    emit_count(self, TPU_STREAM_WCOL, issue->nr & ((1u << TPU_F1_WIDTH) - 1));
    for (uint32_t row = 0; row < t; row++) {
        const uint8_t *weights = read_row(self, TPU_MEM_SPAD, issue->f[MM_SPAD_W] + row);
        emit_lanes(self, TPU_STREAM_WCOL, weights);
        numerics_widen((const int8_t *)weights, self->weights + row * t, t);
    }
}

static void execute_mm(arch *self, const isa_issue *issue) {
    send_weights(self, issue);
    send(self, TPU_STREAM_C_VRU, issue);
    send(self, TPU_STREAM_C_ACC, issue);
    load_weights(self, issue);
    size_t sum_bytes = self->params.t * sizeof(int32_t);
    for (uint32_t row = 0; row < issue->nr; row++) {
        uint32_t ar_row = issue->f[MM_AR0] + row;
        const uint8_t *activation = read_row(self, TPU_MEM_VR, issue->f[MM_VR_A] + row);
        emit_lanes(self, TPU_STREAM_ACOL, activation);
        matmul(self, activation);
        actions_emit(self, TPU_STREAM_CW, self->psum, sum_bytes);
        acc_add(self, issue->f[MM_ACC] != 0 ? read_ar(self, ar_row) : NULL);
        write_ar(self, TPU_STREAM_AR_WRITE_MM, ar_row);
    }
}

// Two accumulator steps a row: the unit has one read port.
static void execute_two_sources(arch *self, const isa_issue *issue, bool rectify) {
    send_rewritten(self, TPU_STREAM_C_ACC, issue, 2u * issue->nr);
    for (uint32_t row = 0; row < issue->nr; row++) {
        const int32_t *left = read_ar(self, issue->f[ALU_AR_S1] + row);
        const int32_t *right = read_ar(self, issue->f[ALU_AR_S2] + row);
        add(self, left, right);
        if (rectify) {
            max0(self);
        }
        write_ar(self, TPU_STREAM_AR_WRITE_ALU, issue->f[ALU_AR_D] + row);
    }
}

static void execute_vadd(arch *self, const isa_issue *issue) {
    execute_two_sources(self, issue, false);
}

static void execute_vaddrelu(arch *self, const isa_issue *issue) {
    execute_two_sources(self, issue, true);
}

static void execute_vrelu(arch *self, const isa_issue *issue) {
    send(self, TPU_STREAM_C_ACC, issue);
    for (uint32_t row = 0; row < issue->nr; row++) {
        const int32_t *before = read_ar(self, issue->f[ALU_AR_S1] + row);
        memcpy(total_lanes(self), before, self->params.t * sizeof(int32_t));
        max0(self);
        write_ar(self, TPU_STREAM_AR_WRITE_ALU, issue->f[ALU_AR_D] + row);
    }
}

static void execute_mvout(arch *self, const isa_issue *issue) {
    send(self, TPU_STREAM_C_ACC, issue);
    send(self, TPU_STREAM_C_DST, issue);
    for (uint32_t row = 0; row < issue->nr; row++) {
        const uint8_t *clipped = to_operand(self, read_ar(self, issue->f[MVOUT_AR0] + row));
        emit_lanes(self, TPU_STREAM_AC2SP, clipped);
        write_c(self, issue->f[MVOUT_DRAM_ROW0] + row, issue->f[MVOUT_COL_BLOCK], clipped);
    }
}

static void execute_nop(arch *self, const isa_issue *issue) {
    (void)self;
    (void)issue;
}

// ---- execution -----------------------------------------------------------------------------

tpu_status actions_execute(arch *self, const isa_issue *issue, tpu_message *why) {
    static void (*const execute[TPU_OP_COUNT])(arch *, const isa_issue *) = {
        [TPU_OP_NOP] = execute_nop,     [TPU_OP_DMA_LD] = execute_dma_ld,
        [TPU_OP_VLD] = execute_vld,     [TPU_OP_MM] = execute_mm,
        [TPU_OP_VADD] = execute_vadd,   [TPU_OP_VRELU] = execute_vrelu,
        [TPU_OP_MVOUT] = execute_mvout, [TPU_OP_VADDRELU] = execute_vaddrelu,
    };
    tpu_status status = guard_issue(self, issue, why);
    if (status != TPU_OK) {
        return status;
    }
    self->unwritten = false;
    emit_issue(self, issue);
    execute[issue->op](self, issue);
    return guard_reads(self, issue, why);
}
