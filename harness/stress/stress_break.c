// SPDX-License-Identifier: Apache-2.0
//
// Places in a legal program, and the rules that its text alone can break. What stands before the
// place is left alone, so the first broken rule is the one that is planted.

#include "harness/stress/stress_break.h"

#include "csim/isa/expand.h"

#include <string.h>

#define OPS (TPU_OP_MAX + 1)              // what an opcode's usable bits hold
#define ALL_OPS (2 * OPS)                 // with the spare bit
#define FIELD_END (2 * TPU_FIELD_MAX + 2) // what the bits of a field hold
#define STRIDE_END (2 * TPU_AGU_STRIDE_MAX + 2)
#define NR_END 256
#define LEVELS 8 // what the bits of a level hold
#define TARGETS 16
#define BARE (STRESS_BREAK_OP(NOP) | STRESS_BREAK_OP(LOOP) | STRESS_BREAK_OP(ENDLOOP))

uint32_t stress_break_below(stress_break *self, uint32_t bound) {
    return rng_below(&self->source, bound);
}

uint32_t stress_break_between(stress_break *self, uint32_t first, uint32_t last) {
    return first + rng_below(&self->source, last - first + 1);
}

// ---- places ------------------------------------------------------------------------------------

static uint32_t depth_at(const isa_program *program, uint32_t pc) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < pc; i++) {
        depth += program->insn[i].op == TPU_OP_LOOP;
        depth -= program->insn[i].op == TPU_OP_ENDLOOP;
    }
    return depth;
}

static tpu_status put_in(isa_program *program, uint32_t pc, const isa_insn *insn, uint32_t count) {
    tpu_status status = TPU_OK;
    for (uint32_t i = 0; i < count && status == TPU_OK; i++) {
        status = isa_program_append(program, &insn[i]);
    }
    if (status == TPU_OK) {
        isa_insn *at = program->insn + pc;
        memmove(at + count, at, (program->count - count - pc) * sizeof *at);
        memcpy(at, insn, count * sizeof *at);
    }
    return status;
}

static void take_out(isa_program *program, uint32_t pc) {
    isa_insn *at = program->insn + pc;
    memmove(at, at + 1, (program->count - pc - 1) * sizeof *at);
    program->count--;
}

// A nop in front of `pc` shows when it is reached, even where no issue follows in that turn.
void stress_break_reach(stress_break *self, uint32_t pc) {
    static const isa_insn mark = {.op = TPU_OP_NOP};
    isa_program *program = &self->out->program;
    expand it;
    isa_issue issue;
    bool done = false;
    self->pc = pc;
    self->depth = depth_at(program, pc);
    stress_track_start(&self->now, self->params);
    self->status = put_in(program, pc, &mark, 1);
    if (self->status != TPU_OK) {
        return;
    }
    expand_start(&it, program);
    while (expand_next(&it, &issue, &done, NULL) == TPU_OK && !done && issue.pc != pc) {
        (void)stress_track_issue(&self->now, issue.op, issue.nr, issue.f);
    }
    take_out(program, pc);
}

isa_insn *stress_break_find(stress_break *self, uint32_t ops) {
    isa_program *program = &self->out->program;
    uint32_t count = (uint32_t)program->count;
    uint32_t begin = stress_break_below(self, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pc = (begin + i) % count;
        if ((ops >> program->insn[pc].op & 1u) != 0) {
            stress_break_reach(self, pc);
            return &program->insn[pc];
        }
    }
    return NULL;
}

bool stress_break_place(stress_break *self, uint32_t depth) {
    uint32_t places = (uint32_t)self->out->program.count + 1;
    uint32_t begin = stress_break_below(self, places);
    for (uint32_t i = 0; i < places; i++) {
        uint32_t pc = (begin + i) % places;
        if (depth_at(&self->out->program, pc) <= depth) {
            stress_break_reach(self, pc);
            return true;
        }
    }
    return false;
}

bool stress_break_insert(stress_break *self, const isa_insn *insn, uint32_t count) {
    isa_program *program = &self->out->program;
    if (program->count + count > params_max_instructions(self->params)) {
        return false;
    }
    self->status = put_in(program, self->pc, insn, count);
    return self->status == TPU_OK;
}

static bool insert_one(stress_break *self, uint32_t op, uint32_t nr) {
    const isa_insn insn = {.op = (uint8_t)op, .nr = (uint8_t)nr};
    return stress_break_insert(self, &insn, 1);
}

// ---- opcodes and loops -------------------------------------------------------------------------

static uint8_t draw_unknown(stress_break *self) {
    uint32_t op = stress_break_between(self, TPU_OP_COUNT - 1, ALL_OPS - 1);
    return (uint8_t)(op < TPU_OP_COUNT ? TPU_OP_DMA_ST : op);
}

static bool insert_unknown(stress_break *self) {
    return stress_break_place(self, TPU_LOOP_DEPTH) &&
           insert_one(self, draw_unknown(self), stress_break_below(self, TPU_MAXROWS + 1));
}

static bool replace_by_unknown(stress_break *self) {
    isa_insn *insn = stress_break_find(self, UINT32_MAX);
    insn->op = draw_unknown(self);
    return true;
}

static bool nest_too_deep(stress_break *self) {
    isa_insn insn[2 * (TPU_LOOP_DEPTH + 1)] = {{0}};
    (void)stress_break_place(self, TPU_LOOP_DEPTH);
    uint32_t more = TPU_LOOP_DEPTH + 1 - self->depth;
    for (uint32_t i = 0; i < more; i++) {
        insn[i] = (isa_insn){.op = TPU_OP_LOOP, .nr = (uint8_t)stress_break_between(self, 1, 3)};
        insn[more + i] = (isa_insn){.op = TPU_OP_ENDLOOP};
    }
    self->out->pc = self->pc + more - 1;
    return stress_break_insert(self, insn, 2 * more);
}

static uint8_t draw_bad_rows(stress_break *self) {
    return (uint8_t)(stress_break_below(self, 3) == 0
                         ? 0
                         : stress_break_between(self, TPU_MAXROWS + 1, NR_END - 1));
}

static bool alter_trip(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_OP(LOOP));
    if (insn != NULL) {
        insn->nr = draw_bad_rows(self);
    }
    return insn != NULL;
}

static bool insert_trip(stress_break *self) {
    const isa_insn insn[] = {{.op = TPU_OP_LOOP, .nr = draw_bad_rows(self)},
                             {.op = TPU_OP_ENDLOOP}};
    return stress_break_place(self, TPU_LOOP_DEPTH - 1) && stress_break_insert(self, insn, 2);
}

static bool insert_endloop(stress_break *self) {
    return stress_break_place(self, 0) && insert_one(self, TPU_OP_ENDLOOP, 0);
}

static bool replace_by_endloop(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_DATA | STRESS_BREAK_OP(NOP));
    if (insn == NULL || self->depth > 0) {
        return false;
    }
    *insn = (isa_insn){.op = TPU_OP_ENDLOOP};
    return true;
}

// An unclosed loop is found behind the last instruction, whichever it is.
static bool end_unclosed(stress_break *self) {
    self->out->pc = (uint32_t)self->out->program.count - 1;
    return true;
}

static bool cut_in_loop(stress_break *self) {
    isa_program *program = &self->out->program;
    if (!stress_break_place(self, TPU_LOOP_DEPTH) || self->depth == 0) {
        return false;
    }
    program->count = self->pc;
    return end_unclosed(self);
}

static bool append_loop(stress_break *self) {
    stress_break_reach(self, (uint32_t)self->out->program.count);
    return insert_one(self, TPU_OP_LOOP, stress_break_between(self, 1, TPU_MAXROWS)) &&
           end_unclosed(self);
}

// A loop around all that follows, where no term behind it would mean another level by that.
static bool insert_loop(stress_break *self) {
    const isa_program *program = &self->out->program;
    if (!stress_break_place(self, 0)) {
        return false;
    }
    uint32_t depth = 1;
    for (size_t pc = self->pc; pc < program->count; pc++) {
        const isa_insn *insn = &program->insn[pc];
        depth += insn->op == TPU_OP_LOOP;
        depth -= insn->op == TPU_OP_ENDLOOP;
        bool moves = insn->term[0].target + insn->term[1].target + insn->term[2].target > 0;
        if (moves || depth > TPU_LOOP_DEPTH) {
            return false;
        }
    }
    return insert_one(self, TPU_OP_LOOP, stress_break_between(self, 1, 3)) && end_unclosed(self);
}

// ---- address terms -----------------------------------------------------------------------------

static isa_term *draw_term(stress_break *self, isa_insn *insn) {
    return insn != NULL ? &insn->term[stress_break_below(self, TPU_AGU_TERMS)] : NULL;
}

static bool name_closed_level(stress_break *self) {
    isa_term *term = draw_term(self, stress_break_find(self, STRESS_BREAK_DATA));
    if (term == NULL) {
        return false;
    }
    uint32_t level = stress_break_below(self, 2) == 0
                         ? self->depth
                         : stress_break_between(self, self->depth, LEVELS - 1);
    *term = (isa_term){.target = (uint8_t)stress_break_between(self, 1, TPU_FIELDS),
                       .level = (uint8_t)level,
                       .stride = (uint16_t)stress_break_below(self, TPU_AGU_STRIDE_MAX + 1)};
    return true;
}

// Mostly in a loop and with an open level, so that nothing else is wrong with the term.
static bool name_no_target(stress_break *self) {
    isa_term *term = draw_term(self, stress_break_find(self, STRESS_BREAK_DATA));
    if (term == NULL || (self->depth == 0 && stress_break_below(self, 8) > 0)) {
        return false;
    }
    uint32_t last = stress_break_below(self, 2) == 0 ? TARGETS - 1 : TPU_AGU_TARGET_MAX + 4;
    term->target = (uint8_t)stress_break_between(self, TPU_AGU_TARGET_MAX + 1, last);
    term->level = (uint8_t)(self->depth > 0 ? stress_break_below(self, self->depth) : 0);
    return true;
}

static bool put_term_on_bare(stress_break *self) {
    isa_term *term = draw_term(self, stress_break_find(self, BARE));
    if (term != NULL) {
        *term = (isa_term){.target = (uint8_t)stress_break_between(self, 1, TPU_FIELDS),
                           .level = (uint8_t)stress_break_below(self, LEVELS),
                           .stride = (uint16_t)stress_break_below(self, TPU_AGU_STRIDE_MAX + 1)};
    }
    return term != NULL;
}

static bool stride_too_far(stress_break *self) {
    isa_term *term = draw_term(self, stress_break_find(self, STRESS_BREAK_DATA));
    if (term == NULL || self->depth == 0) {
        return false;
    }
    *term = (isa_term){
        .target = (uint8_t)stress_break_between(self, 1, TPU_FIELDS),
        .level = (uint8_t)stress_break_below(self, self->depth),
        .stride = (uint16_t)stress_break_between(self, TPU_AGU_STRIDE_MAX + 1, STRIDE_END - 1)};
    return true;
}

// ---- fields of any instruction -----------------------------------------------------------------

// The sequencer judges what has no operands, issue all the rest.
static bool field_over(stress_break *self) {
    isa_insn *insn = stress_break_find(self, stress_break_below(self, 2) == 0 ? BARE : UINT32_MAX);
    if (insn == NULL) {
        return false;
    }
    insn->f[stress_break_below(self, TPU_FIELDS)] =
        (uint16_t)stress_break_between(self, TPU_FIELD_MAX + 1, FIELD_END - 1);
    return true;
}

static bool idle_rows_over(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_OP(NOP) | STRESS_BREAK_OP(ENDLOOP));
    if (insn != NULL) {
        insn->nr = (uint8_t)stress_break_between(self, TPU_MAXROWS + 1, NR_END - 1);
    }
    return insn != NULL;
}

static bool bad_rows(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_DATA);
    if (insn != NULL) {
        insn->nr = draw_bad_rows(self);
    }
    return insn != NULL;
}

const stress_break_form stress_break_text[] = {
    {TPU_RULE_OP_UNKNOWN, "an unknown opcode is put in", insert_unknown, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_OP_UNKNOWN, "an opcode becomes unknown", replace_by_unknown, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_DEPTH, "loops to five deep", nest_too_deep, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_TRIP, "a loop's trip count", alter_trip, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_TRIP, "a loop without a legal trip is put in", insert_trip,
     STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_UNBALANCED, "an endloop is put in", insert_endloop, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_UNBALANCED, "an instruction becomes endloop", replace_by_endloop,
     STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_UNCLOSED, "cut inside a loop", cut_in_loop, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_UNCLOSED, "a loop at the end", append_loop, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_LOOP_UNCLOSED, "a loop is put in", insert_loop, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_AGU_TERM, "a term names a closed level", name_closed_level, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_AGU_TERM, "a term names no field", name_no_target, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_AGU_TERM, "a term where none may be", put_term_on_bare, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_AGU_TERM, "a stride over its range", stride_too_far, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_FIELD_RANGE, "a field over its range", field_over, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_FIELD_RANGE, "an idle row count over its range", idle_rows_over,
     STRESS_ILLEGAL_CHECK},
    {TPU_RULE_ZERO_ROWS, "a row count", bad_rows, STRESS_ILLEGAL_CHECK},
    {TPU_RULE_NONE, NULL, NULL, STRESS_ILLEGAL_CHECK}};
