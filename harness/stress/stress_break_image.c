// SPDX-License-Identifier: Apache-2.0
//
// Rules that only the whole program breaks: none at all, too long, more work than a count holds;
// and headers that promise something else than the program does.

#include "harness/stress/stress_break.h"

#include <stdlib.h>
#include <string.h>

#define COUNTS 9u       // dynamic counts in the header
#define COUNT_BITS 16u  // of each
#define LENGTH_BITS 15u // of the number of instructions

static bool make_empty(stress_break *self) {
    self->out->program.count = 0;
    self->pc = 0;
    return true;
}

// A count that is too large by a few, or by one bit.
static uint32_t draw_too_many(stress_break *self) {
    uint32_t most = params_max_instructions(self->params);
    uint32_t low = 1;
    while (UINT32_C(1) << low < most) {
        low++;
    }
    if (low > LENGTH_BITS - 1 || stress_break_below(self, 2) == 0) {
        return most + stress_break_between(self, 1, 8);
    }
    uint32_t bit = stress_break_between(self, low, LENGTH_BITS - 1);
    return (UINT32_C(1) << bit) + stress_break_between(self, 1, most < 16 ? most : 16);
}

static bool append_nops(stress_break *self) {
    const isa_insn nop = {.op = TPU_OP_NOP};
    isa_program *program = &self->out->program;
    uint32_t over = draw_too_many(self);
    while (program->count < over && self->status == TPU_OK) {
        self->status = isa_program_append(program, &nop);
    }
    return self->status == TPU_OK;
}

// `insn` in three loops behind the end, until its `unit` rows are more than a count holds.
static bool repeat(stress_break *self, isa_insn insn, uint32_t unit) {
    uint32_t turns = TPU_COUNT_MAX / unit + 1;
    uint32_t inner = turns < TPU_MAXROWS ? turns : TPU_MAXROWS;
    uint32_t rest = (turns + inner - 1) / inner;
    uint32_t middle = rest < TPU_MAXROWS ? rest : TPU_MAXROWS;
    uint32_t outer = (rest + middle - 1) / middle;
    const isa_insn block[] = {{.op = TPU_OP_LOOP, .nr = (uint8_t)outer},
                              {.op = TPU_OP_LOOP, .nr = (uint8_t)middle},
                              {.op = TPU_OP_LOOP, .nr = (uint8_t)inner},
                              insn,
                              {.op = TPU_OP_ENDLOOP},
                              {.op = TPU_OP_ENDLOOP},
                              {.op = TPU_OP_ENDLOOP}};
    return stress_break_insert(self, block, sizeof block / sizeof block[0]);
}

static bool load_too_much(stress_break *self) {
    isa_insn insn = {.op = TPU_OP_DMA_LD};
    uint32_t rows = self->params->maxdim < TPU_MAXROWS ? self->params->maxdim : TPU_MAXROWS;
    stress_break_reach(self, (uint32_t)self->out->program.count);
    insn.nr = (uint8_t)rows;
    insn.f[0] = (uint16_t)stress_break_below(self, 4);
    insn.f[2] = (uint16_t)stress_break_below(self, self->now.wpr);
    return repeat(self, insn, rows);
}

// The longest mm that the end of the program allows.
static bool multiply_too_much(stress_break *self) {
    isa_insn insn = {.op = TPU_OP_MM};
    uint32_t rows = 0;
    stress_break_reach(self, (uint32_t)self->out->program.count);
    const stress_track *at = &self->now;
    uint32_t weights = 0;
    while (weights + at->t <= at->spad_rows && memchr(at->spad + weights, 0, at->t) != NULL) {
        weights++;
    }
    for (uint32_t row = 0, run = 0; row < at->vr_rows && run < TPU_MAXROWS; row++) {
        run = at->vr[row] != 0 ? run + 1 : 0;
        if (run > rows && run <= at->ar_rows) {
            rows = run;
            insn.f[0] = (uint16_t)(row + 1 - run);
        }
    }
    insn.f[3] = (uint16_t)weights;
    insn.nr = (uint8_t)rows;
    return rows > 0 && weights + at->t <= at->spad_rows && repeat(self, insn, rows);
}

// One count of a legal image becomes another.
static bool promise_other(stress_break *self) {
    static const struct {
        uint8_t word;
        uint8_t lo;
        uint8_t unit;
    } counts[COUNTS] = {{1, 0, TPU_UNIT_DMA_LD}, {2, 0, TPU_UNIT_SPM},    {3, 0, TPU_UNIT_VRU},
                        {4, 0, TPU_UNIT_ARRAY},  {4, 16, TPU_UNIT_ARRAY}, {5, 0, TPU_UNIT_ACCU},
                        {6, 0, TPU_UNIT_DMA_ST}, {7, 0, TPU_UNIT_DMA_LD}, {7, 16, TPU_UNIT_DMA_LD}};
    image *words = &self->out->words;
    image_clear(words);
    self->status = image_build(self->params, &self->out->program, true, words, NULL);
    if (self->status != TPU_OK) {
        return false;
    }
    uint32_t which = stress_break_below(self, COUNTS);
    uint64_t *word = &words->words[counts[which].word];
    uint64_t had = *word >> counts[which].lo & UINT16_MAX;
    uint64_t now = had;
    switch (stress_break_below(self, 4)) {
    case 0:
        now = had + 1;
        break;
    case 1:
        now = had > 0 ? had - 1 : 1;
        break;
    case 2:
        now = had ^ UINT64_C(1) << stress_break_below(self, COUNT_BITS);
        break;
    default:
        now = stress_break_below(self, TPU_COUNT_MAX + 1);
        now = now == had ? had + 1 : now;
    }
    *word ^= (had ^ now) << counts[which].lo;
    self->out->unit = (tpu_unit)counts[which].unit;
    return true;
}

const stress_break_form stress_break_whole[] = {
    {TPU_RULE_PROG_EMPTY, "no instruction", make_empty, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_IMEM_OVERFLOW, "more instructions than fit", append_nops, STRESS_ILLEGAL_IMAGE},
    {TPU_RULE_COUNT_OVERFLOW, "more rows than a count holds", load_too_much, STRESS_ILLEGAL_IMAGE},
    {TPU_RULE_ARRAY_OVERFLOW, "more mm rows than a count holds", multiply_too_much,
     STRESS_ILLEGAL_IMAGE},
    {TPU_FAULT_HEADER, "a count of the header", promise_other, STRESS_ILLEGAL_MACHINE},
    {TPU_RULE_NONE, NULL, NULL, STRESS_ILLEGAL_CHECK}};
