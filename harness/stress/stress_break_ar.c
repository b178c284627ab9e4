// SPDX-License-Identifier: Apache-2.0
//
// Reads of accumulators that nobody wrote, or that were written too few steps ago. Only the planted
// read may break a rule, since two lanes of accu that both did might be named in either order.

#include "harness/stress/stress_break.h"

#include "csim/isa/expand.h"

#include <string.h>

#define TRIES 64u

bool stress_break_ripe(stress_break *self, uint32_t *out) {
    uint32_t begin = stress_break_below(self, self->now.ar_rows);
    for (uint32_t i = 0; i < self->now.ar_rows; i++) {
        uint32_t row = (begin + i) % self->now.ar_rows;
        int32_t written = self->now.ar[row];
        if (written != STRESS_NEVER && self->now.step - written >= TPU_AR_RAW_DIST) {
            *out = row;
            return true;
        }
    }
    return false;
}

static tpu_rule read_row(const stress_track *at, uint32_t row, int32_t step) {
    if (at->ar[row] == STRESS_NEVER) {
        return TPU_RULE_WRITE_BEFORE_READ;
    }
    return step - at->ar[row] < TPU_AR_RAW_DIST ? TPU_RULE_RAW_DISTANCE : TPU_RULE_NONE;
}

// The first rule that the reads of an instruction break, its own writes included. Spoils `at`.
static tpu_rule first_trouble(stress_track *at, const isa_insn *insn) {
    bool pair = insn->op == TPU_OP_VADD || insn->op == TPU_OP_VADDRELU;
    uint32_t source = insn->op == TPU_OP_MVOUT ? insn->f[0] : insn->f[1];
    uint32_t target = insn->op == TPU_OP_MM ? insn->f[1] : insn->f[0];
    tpu_rule rule = TPU_RULE_NONE;
    for (uint32_t i = 0; i < insn->nr && rule == TPU_RULE_NONE; i++) {
        int32_t step = at->step + (int32_t)(pair ? 2 * i : i);
        rule = read_row(at, source + i, step);
        if (pair) {
            step++;
            rule = rule == TPU_RULE_NONE ? read_row(at, insn->f[2] + i, step) : rule;
        }
        if (insn->op != TPU_OP_MVOUT) {
            at->ar[target + i] = step;
        }
    }
    return rule;
}

// A row that tends to break the rule asked for.
static uint32_t draw_row(stress_break *self, tpu_rule rule, uint32_t rows) {
    uint32_t last = self->now.ar_rows - rows;
    uint32_t row = stress_break_below(self, last + 1);
    if (rule == TPU_RULE_RAW_DISTANCE && self->now.step > 0) {
        row = self->now.recent[stress_break_below(self, STRESS_RECENT)];
        uint32_t back = stress_break_below(self, rows);
        row = row > back ? row - back : 0;
    }
    return row > last ? last : row;
}

// The issue as the machine does it, legal or not.
static void force(stress_track *at, const isa_issue *issue) {
    bool pair = issue->op == TPU_OP_VADD || issue->op == TPU_OP_VADDRELU;
    uint32_t target = issue->op == TPU_OP_MM ? issue->f[1] : issue->f[0];
    for (uint32_t i = 0; i < issue->nr; i++) {
        at->step += pair ? 2 : 1;
        if (issue->op != TPU_OP_MVOUT) {
            at->ar[target + i] = at->step - 1;
        }
    }
}

// True when no other instruction of the program breaks a rule. Two lanes of accu may hold two
// instructions, and if both were bad the machine could name the younger one.
static bool is_alone(stress_break *self) {
    expand it;
    isa_issue issue;
    bool done = false;
    bool good = true;
    stress_track at;
    stress_track_start(&at, self->params);
    expand_start(&it, &self->out->program);
    while (good && expand_next(&it, &issue, &done, NULL) == TPU_OK && !done) {
        if (issue.pc == self->pc) {
            uint32_t target = issue.op == TPU_OP_MM ? issue.f[1] : issue.f[0];
            good = target + issue.nr <= at.ar_rows;
            if (good) {
                force(&at, &issue);
            }
        } else {
            good = stress_track_issue(&at, issue.op, issue.nr, issue.f);
        }
    }
    return good;
}

// Moves a source, or for the distance a destination, until the reads break just this rule.
static bool move_in_ar(stress_break *self, tpu_rule rule) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_DATA & ~STRESS_BREAK_OP(DMA_LD) &
                                                 ~STRESS_BREAK_OP(VLD));
    for (uint32_t i = 0; insn != NULL && i < TRIES; i++) {
        isa_insn tried = *insn;
        stress_track scratch;
        bool two = insn->op == TPU_OP_VADD || insn->op == TPU_OP_VADDRELU;
        uint32_t field = insn->op == TPU_OP_MVOUT ? 0 : 1 + (two ? stress_break_below(self, 2) : 0);
        bool has_target = insn->op != TPU_OP_MVOUT && insn->op != TPU_OP_MM;
        if (insn->op == TPU_OP_MM) {
            tried.f[2] = 1;
        }
        if (has_target && rule == TPU_RULE_RAW_DISTANCE && stress_break_below(self, 2) == 0) {
            uint32_t last = self->now.ar_rows - insn->nr;
            uint32_t near = insn->f[field] + stress_break_between(self, 1, 3);
            tried.f[0] = (uint16_t)(near > last ? last : near);
        } else {
            tried.f[field] = (uint16_t)draw_row(self, rule, insn->nr);
        }
        stress_track_copy(&scratch, &self->now);
        if (first_trouble(&scratch, &tried) == rule) {
            *insn = tried;
            return is_alone(self);
        }
    }
    return false;
}

bool stress_break_lose_row(stress_break *self) {
    return move_in_ar(self, TPU_RULE_WRITE_BEFORE_READ);
}

bool stress_break_come_early(stress_break *self) {
    return move_in_ar(self, TPU_RULE_RAW_DISTANCE);
}

// Stores a row right behind the instruction that writes it.
bool stress_break_store_early(stress_break *self) {
    if (!stress_break_place(self, TPU_LOOP_DEPTH) || self->now.step == 0) {
        return false;
    }
    isa_insn insn = {.op = TPU_OP_MVOUT, .nr = 1};
    insn.f[0] = self->now.recent[(uint32_t)(self->now.step - 1) & (STRESS_RECENT - 1)];
    insn.f[1] = (uint16_t)stress_break_below(self, self->params->maxdim);
    insn.f[2] = (uint16_t)stress_break_below(self, self->now.wpr);
    return read_row(&self->now, insn.f[0], self->now.step) == TPU_RULE_RAW_DISTANCE &&
           stress_break_insert(self, &insn, 1);
}

// An instruction of one row that reads `row` in any of the ways there are, and `ripe` beside it.
static bool draw_reader(stress_break *self, uint32_t row, uint32_t ripe, isa_insn *out) {
    static const uint8_t ops[] = {TPU_OP_MM, TPU_OP_MVOUT, TPU_OP_VRELU, TPU_OP_VADD,
                                  TPU_OP_VADDRELU};
    *out = (isa_insn){.op = ops[stress_break_below(self, sizeof ops)], .nr = 1};
    out->f[1] = (uint16_t)row;
    switch (out->op) {
    case TPU_OP_MM:
        out->f[2] = 1;
        return stress_break_loaded(self, out);
    case TPU_OP_MVOUT:
        out->f[0] = (uint16_t)row;
        out->f[1] = (uint16_t)stress_break_below(self, self->params->maxdim);
        out->f[2] = (uint16_t)stress_break_below(self, self->now.wpr);
        return true;
    case TPU_OP_VRELU:
        out->f[0] = (uint16_t)stress_break_below(self, self->now.ar_rows);
        return true;
    default:
        out->f[0] = (uint16_t)stress_break_below(self, self->now.ar_rows);
        out->f[1] = (uint16_t)ripe;
        out->f[2] = (uint16_t)ripe;
        out->f[1 + stress_break_below(self, 2)] = (uint16_t)row;
        return true;
    }
}

// The end of the program as often as all other places together: that is where pc and steps are
// high.
static bool place_late(stress_break *self, uint32_t depth) {
    if (stress_break_below(self, 2) == 0) {
        return stress_break_place(self, depth);
    }
    stress_break_reach(self, (uint32_t)self->out->program.count);
    return true;
}

// Reads one row that nobody wrote, every other row being as it should.
bool stress_break_read_hole(stress_break *self) {
    uint32_t ripe = 0;
    isa_insn insn;
    if (!place_late(self, TPU_LOOP_DEPTH) || !stress_break_ripe(self, &ripe)) {
        return false;
    }
    uint32_t row = stress_break_below(self, self->now.ar_rows);
    return self->now.ar[row] == STRESS_NEVER && draw_reader(self, row, ripe, &insn) &&
           stress_break_insert(self, &insn, 1) && is_alone(self);
}

// As many accu steps as reach a bit of their count: a few hundred, seldom ten thousand and more.
static uint32_t draw_steps(stress_break *self) {
    uint32_t bit = stress_break_below(self, 8) == 0 ? stress_break_between(self, 12, 14)
                                                    : stress_break_between(self, 5, 11);
    return (UINT32_C(1) << bit) + stress_break_below(self, UINT32_C(1) << (bit - 1));
}

// Rows from `first` on that may be read now; no more than a store takes.
static uint32_t count_ripe(const stress_break *self, uint32_t first) {
    uint32_t rows = 0;
    while (rows < self->params->maxdim && first + rows < self->now.ar_rows &&
           read_row(&self->now, first + rows, self->now.step) == TPU_RULE_NONE) {
        rows++;
    }
    return rows;
}

// Stores in loops, so that steps go by, then a row that is written and read at once.
bool stress_break_read_early(stress_break *self) {
    uint32_t ripe = 0;
    if (!place_late(self, TPU_LOOP_DEPTH - 2) || !stress_break_ripe(self, &ripe)) {
        return false;
    }
    uint32_t row = stress_break_below(self, self->now.ar_rows);
    uint32_t rows = count_ripe(self, ripe);
    uint32_t turns = draw_steps(self) / rows + 1;
    uint32_t inner = turns < TPU_MAXROWS ? turns : TPU_MAXROWS;
    uint32_t outer = turns / inner < TPU_MAXROWS ? turns / inner : TPU_MAXROWS;
    isa_insn block[] = {{.op = TPU_OP_LOOP, .nr = (uint8_t)outer},
                        {.op = TPU_OP_LOOP, .nr = (uint8_t)inner},
                        {.op = TPU_OP_MVOUT, .nr = (uint8_t)rows, .f = {(uint16_t)ripe}},
                        {.op = TPU_OP_ENDLOOP},
                        {.op = TPU_OP_ENDLOOP},
                        {.op = TPU_OP_VRELU, .nr = 1, .f = {(uint16_t)row, (uint16_t)ripe}},
                        {.op = TPU_OP_NOP}};
    const uint32_t count = sizeof block / sizeof block[0];
    block[2].f[2] = (uint16_t)stress_break_below(self, self->now.wpr);
    if (row == ripe || !draw_reader(self, row, ripe, &block[count - 1]) ||
        !stress_break_insert(self, block, count)) {
        return false;
    }
    self->pc += count - 1;
    return is_alone(self);
}
