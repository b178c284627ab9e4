// SPDX-License-Identifier: Apache-2.0
//
// The earliest cycles at which a program's rows can be, given that a stream carries one row a
// cycle and that a row is written before it is read and read before it is written over. Each
// instruction is laid on what the ones before it left: when each stream is free again, when each
// row of spad, vr and ar may be read, and when it was read last. The steps of an instruction are
// those of the instruction set's page, "Steps of each unit".

#include "harness/show/life.h"

#include <stdlib.h>

// A memory's rows: from when on they may be read, and the last cycle in which one was.
typedef struct file {
    uint64_t *ready;
    uint64_t *read;
    uint32_t rows;
} file;

typedef struct plan {
    const tpu_params *params;
    uint64_t free[TPU_STREAM_COUNT]; // first cycle in which the stream can carry a row
    file memory[TPU_MEM_AR + 1];
    life *now;
    uint64_t end;
} plan;

static uint64_t later(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

static void note(plan *self, tpu_stream stream, uint64_t cycle) {
    life_rows *rows = &self->now->stream[stream];
    if (rows->count++ == 0) {
        rows->first = cycle;
    }
    rows->last = cycle;
    rows->reached = rows->count;
    self->free[stream] = cycle + 1;
    self->end = later(self->end, cycle + 1);
}

// A row that its unit makes in `from` at the earliest.
static uint64_t carry(plan *self, tpu_stream stream, uint64_t from) {
    uint64_t cycle = later(later(self->free[stream], from), self->now->issued + 1);
    note(self, stream, cycle);
    return cycle;
}

// The cycle from which on a row may be read; rows that do not exist are always there.
static uint64_t ready(const plan *self, tpu_mem memory, uint32_t row) {
    return row < self->memory[memory].rows ? self->memory[memory].ready[row] : 0;
}

static void read_in(plan *self, tpu_mem memory, uint32_t row, uint64_t cycle) {
    if (row < self->memory[memory].rows) {
        self->memory[memory].read[row] = later(self->memory[memory].read[row], cycle);
    }
}

// Writes a row of a memory through the stream that shows it.
static void write_row(plan *self, tpu_mem memory, uint32_t row, tpu_stream stream, uint64_t from) {
    file *at = &self->memory[memory];
    bool exists = row < at->rows;
    if (exists) {
        from = later(from, later(at->read[row], at->ready[row]));
    }
    uint64_t cycle = carry(self, stream, from);
    if (exists) {
        at->ready[row] = cycle + 1;
    }
}

static void load(plan *self, const isa_issue *issue, uint32_t j) {
    bool to_vr = (issue->f[0] & TPU_DMA_TO_VR) != 0;
    tpu_stream way = to_vr ? TPU_STREAM_DMA2VR : TPU_STREAM_DMA2SP;
    tpu_stream other = to_vr ? TPU_STREAM_DMA2SP : TPU_STREAM_DMA2VR;
    uint64_t cycle = carry(self, way, 0);
    self->free[other] = cycle + 1; // one port to memory feeds both
    write_row(self, to_vr ? TPU_MEM_VR : TPU_MEM_SPAD, issue->f[3] + j,
              to_vr ? TPU_STREAM_VR_WRITE : TPU_STREAM_SPAD_WRITE, cycle + 1);
}

static void copy(plan *self, const isa_issue *issue, uint32_t j) {
    uint64_t cycle = carry(self, TPU_STREAM_SP2VR, ready(self, TPU_MEM_SPAD, issue->f[1] + j));
    read_in(self, TPU_MEM_SPAD, issue->f[1] + j, cycle);
    write_row(self, TPU_MEM_VR, issue->f[0] + j, TPU_STREAM_VR_WRITE, cycle + 1);
}

// The count, then T weight rows; gives the cycle of the last.
static uint64_t weights(plan *self, const isa_issue *issue) {
    uint64_t cycle = carry(self, TPU_STREAM_WCOL, 0);
    for (uint32_t i = 0; i < self->params->t; i++) {
        cycle = carry(self, TPU_STREAM_WCOL, ready(self, TPU_MEM_SPAD, issue->f[3] + i));
        read_in(self, TPU_MEM_SPAD, issue->f[3] + i, cycle);
    }
    return cycle;
}

static void multiply(plan *self, const isa_issue *issue) {
    uint64_t loaded = weights(self, issue);
    for (uint32_t j = 0; j < issue->nr; j++) {
        uint32_t row = issue->f[1] + j;
        uint64_t base = issue->f[2] != 0 ? ready(self, TPU_MEM_AR, row) : 0;
        uint64_t cycle = carry(self, TPU_STREAM_ACOL, ready(self, TPU_MEM_VR, issue->f[0] + j));
        read_in(self, TPU_MEM_VR, issue->f[0] + j, cycle);
        cycle = carry(self, TPU_STREAM_CW, later(cycle, loaded) + 1);
        write_row(self, TPU_MEM_AR, row, TPU_STREAM_AR_WRITE_MM, later(cycle + 1, base));
    }
}

// One read port: the right row is read in the step after the left one.
static void add(plan *self, const isa_issue *issue, uint32_t j) {
    uint64_t *port = &self->free[TPU_STREAM_AR_WRITE_ALU];
    uint64_t left = later(*port, ready(self, TPU_MEM_AR, issue->f[1] + j));
    left = later(left, self->now->issued + 1);
    uint64_t right = later(left + 1, ready(self, TPU_MEM_AR, issue->f[2] + j));
    read_in(self, TPU_MEM_AR, issue->f[1] + j, left);
    read_in(self, TPU_MEM_AR, issue->f[2] + j, right);
    write_row(self, TPU_MEM_AR, issue->f[0] + j, TPU_STREAM_AR_WRITE_ALU, right);
}

static void rectify(plan *self, const isa_issue *issue, uint32_t j) {
    uint64_t from = later(ready(self, TPU_MEM_AR, issue->f[1] + j), self->now->issued + 1);
    from = later(from, self->free[TPU_STREAM_AR_WRITE_ALU]);
    read_in(self, TPU_MEM_AR, issue->f[1] + j, from);
    write_row(self, TPU_MEM_AR, issue->f[0] + j, TPU_STREAM_AR_WRITE_ALU, from);
}

static void store(plan *self, const isa_issue *issue, uint32_t j) {
    uint64_t cycle = carry(self, TPU_STREAM_AC2SP, ready(self, TPU_MEM_AR, issue->f[0] + j));
    read_in(self, TPU_MEM_AR, issue->f[0] + j, cycle);
    (void)carry(self, TPU_STREAM_C_WRITE, cycle + 1);
}

static void row_of(plan *self, const isa_issue *issue, uint32_t j) {
    switch (issue->op) {
    case TPU_OP_DMA_LD:
        load(self, issue, j);
        break;
    case TPU_OP_VLD:
        copy(self, issue, j);
        break;
    case TPU_OP_VADD:
    case TPU_OP_VADDRELU:
        add(self, issue, j);
        break;
    case TPU_OP_VRELU:
        rectify(self, issue, j);
        break;
    case TPU_OP_MVOUT:
        store(self, issue, j);
        break;
    default:
        break;
    }
}

static void place(plan *self, const isa_issue *issue) {
    if (issue->op == TPU_OP_MM) {
        multiply(self, issue);
        return;
    }
    for (uint32_t j = 0; j < issue->nr; j++) {
        row_of(self, issue, j);
    }
}

static bool plan_create(plan *self, const tpu_params *params) {
    const uint32_t rows[] = {params->spad_rows, params->nvr, params->nar};
    bool good = true;
    self->params = params;
    for (int m = TPU_MEM_SPAD; m <= TPU_MEM_AR; m++) {
        file *at = &self->memory[m];
        at->rows = rows[m - TPU_MEM_SPAD];
        at->ready = calloc(at->rows, sizeof *at->ready);
        at->read = calloc(at->rows, sizeof *at->read);
        good = good && at->ready != NULL && at->read != NULL;
    }
    return good;
}

static void plan_destroy(plan *self) {
    for (int m = TPU_MEM_SPAD; m <= TPU_MEM_AR; m++) {
        free(self->memory[m].ready);
        free(self->memory[m].read);
    }
}

tpu_status life_ideal(const recording *from, life_list *out, tpu_message *why) {
    plan self = {.end = 0};
    bool good = plan_create(&self, &from->params);
    out->one = calloc(from->issue_count + 1, sizeof *out->one);
    if (!good || out->one == NULL) {
        plan_destroy(&self);
        return status_fail(why, TPU_ERR_MEMORY, "timeline: out of memory");
    }
    out->count = from->issue_count;
    for (size_t i = 0; i < from->issue_count; i++) {
        self.now = &out->one[i];
        self.now->of = &from->issue[i];
        self.now->issued = i;
        self.end = later(self.end, i + 1);
        place(&self, &from->issue[i].issue);
    }
    out->end = self.end;
    plan_destroy(&self);
    return TPU_OK;
}
