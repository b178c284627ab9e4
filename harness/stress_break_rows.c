// SPDX-License-Identifier: Apache-2.0
//
// Rules that an issue breaks with its resolved fields: ranges, rows nobody wrote, rows written too
// lately. One operand is moved and the others stay legal, so it is that rule and no other; a load
// that walks out of its range in a later turn harms nothing before it does.

#include "harness/stress_break.h"

#include "csim/isa/expand.h"

#include <string.h>

#define TRIES 64u

// ---- ranges ------------------------------------------------------------------------------------

// A loop of its own around `insn`, whose field walks by `stride`; broken in the second turn.
static bool insert_walk(stress_break *self, isa_insn insn, uint32_t field, uint32_t stride) {
    isa_insn block[3] = {{.op = TPU_OP_LOOP, .nr = (uint8_t)stress_break_between(self, 2, 5)},
                         insn,
                         {.op = TPU_OP_ENDLOOP}};
    block[1].term[stress_break_below(self, TPU_AGU_TERMS)] = (isa_term){
        .target = (uint8_t)(field + 1), .level = (uint8_t)self->depth, .stride = (uint16_t)stride};
    self->out->pc = self->pc + 1;
    return stress_break_insert(self, block, 3);
}

// A load that is legal where it stands. Loads take nothing from what follows.
static isa_insn draw_load(stress_break *self) {
    isa_insn insn = {.op = TPU_OP_DMA_LD};
    uint32_t mode = stress_break_below(self, 4);
    uint32_t depth = (mode & TPU_DMA_TO_VR) != 0 ? self->now.vr_rows : self->now.spad_rows;
    uint32_t most = self->params->maxdim < 8 ? self->params->maxdim : 8;
    insn.nr = (uint8_t)stress_break_between(self, 1, most);
    insn.f[0] = (uint16_t)mode;
    insn.f[1] = (uint16_t)stress_break_below(self, self->params->maxdim - insn.nr + 1);
    insn.f[2] = (uint16_t)stress_break_below(self, self->now.wpr);
    insn.f[3] = (uint16_t)stress_break_below(self, depth - insn.nr + 1);
    return insn;
}

static bool walk_over_field(stress_break *self) {
    if (!stress_break_place(self, TPU_LOOP_DEPTH - 1)) {
        return false;
    }
    isa_insn insn = draw_load(self);
    uint32_t field = 1 + 2 * stress_break_below(self, 2);
    insn.f[field] = (uint16_t)(insn.f[field] > 0 ? insn.f[field] : 1);
    if (field == 1) {
        insn.nr = 1; // row 1 of the matrix is there
    } else if (insn.f[3] + insn.nr > self->now.vr_rows ||
               insn.f[3] + insn.nr > self->now.spad_rows) {
        return false;
    }
    uint32_t least = TPU_FIELD_MAX + 1u - insn.f[field];
    return insert_walk(self, insn, field, stress_break_between(self, least, TPU_AGU_STRIDE_MAX));
}

// A field that no unit reads, driven out of its range by a loop that is there.
static bool walk_idle_field(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_DATA);
    uint32_t idle = TPU_FIELDS;
    for (uint32_t i = 0; insn != NULL && i < TPU_FIELDS; i++) {
        idle = tpu_ops[insn->op].operand[i].name == NULL ? i : idle;
    }
    if (insn == NULL || idle == TPU_FIELDS || self->depth == 0) {
        return false;
    }
    // The innermost loop moves first.
    uint32_t loop = self->pc;
    for (uint32_t open = 1; open > 0;) {
        uint32_t op = self->out->program.insn[--loop].op;
        open += op == TPU_OP_ENDLOOP;
        open -= op == TPU_OP_LOOP;
    }
    for (uint32_t i = 0; i < TPU_AGU_TERMS && self->out->program.insn[loop].nr > 1; i++) {
        if (insn->term[i].target == 0) {
            uint32_t stride = stress_break_between(self, 1, TPU_AGU_STRIDE_MAX);
            insn->term[i] = (isa_term){.target = (uint8_t)(idle + 1),
                                       .level = (uint8_t)(self->depth - 1),
                                       .stride = (uint16_t)stride};
            insn->f[idle] = TPU_FIELD_MAX;
            return true;
        }
    }
    return false;
}

static bool alter_mode(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_OP(DMA_LD));
    if (insn != NULL) {
        insn->f[0] = (uint16_t)stress_break_between(
            self, 4, stress_break_below(self, 2) == 0 ? 7 : TPU_FIELD_MAX);
    }
    return insn != NULL;
}

static bool walk_mode(stress_break *self) {
    if (!stress_break_place(self, TPU_LOOP_DEPTH - 1)) {
        return false;
    }
    isa_insn insn = draw_load(self);
    return insert_walk(self, insn, 0, stress_break_between(self, 4u - insn.f[0], 7));
}

static bool alter_dram(stress_break *self, isa_insn *insn) {
    if (insn == NULL) {
        return false;
    }
    if (stress_break_below(self, 2) == 0) {
        insn->f[2] = (uint16_t)stress_break_between(
            self, self->now.wpr, stress_break_below(self, 2) == 0 ? self->now.wpr : TPU_FIELD_MAX);
        return true;
    }
    uint32_t least = self->params->maxdim - insn->nr + 1;
    insn->f[1] = (uint16_t)stress_break_between(
        self, least, stress_break_below(self, 2) == 0 ? least : TPU_FIELD_MAX);
    return true;
}

static bool alter_operand(stress_break *self) {
    return alter_dram(self, stress_break_find(self, STRESS_BREAK_OP(DMA_LD)));
}

static bool alter_result(stress_break *self) {
    return alter_dram(self, stress_break_find(self, STRESS_BREAK_OP(MVOUT)));
}

static bool walk_operand(stress_break *self) {
    if (!stress_break_place(self, TPU_LOOP_DEPTH - 1)) {
        return false;
    }
    isa_insn insn = draw_load(self);
    uint32_t field = 1 + stress_break_below(self, 2);
    uint32_t left =
        field == 1 ? self->params->maxdim - insn.nr - insn.f[1] : self->now.wpr - 1u - insn.f[2];
    return insert_walk(self, insn, field, left + stress_break_between(self, 1, 3));
}

// A row that may be read now; false when there is none.
static bool find_ripe(stress_break *self, uint32_t *out) {
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

// A store takes accu steps, which only makes rows behind it older.
static bool walk_result(stress_break *self) {
    uint32_t row = 0;
    if (!stress_break_place(self, TPU_LOOP_DEPTH - 1) || !find_ripe(self, &row)) {
        return false;
    }
    isa_insn insn = {.op = TPU_OP_MVOUT, .nr = 1, .f = {(uint16_t)row}};
    insn.f[1] = (uint16_t)stress_break_below(self, self->params->maxdim);
    insn.f[2] = (uint16_t)stress_break_below(self, self->now.wpr);
    uint32_t field = 1 + stress_break_below(self, 2);
    uint32_t left =
        field == 1 ? self->params->maxdim - 1u - insn.f[1] : self->now.wpr - 1u - insn.f[2];
    return insert_walk(self, insn, field, left + stress_break_between(self, 1, 3));
}

static bool alter_accumulate(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_OP(MM));
    if (insn != NULL) {
        insn->f[2] = (uint16_t)stress_break_between(
            self, 2, stress_break_below(self, 2) == 0 ? 3 : TPU_FIELD_MAX);
    }
    return insn != NULL;
}

// Which memory a field of an opcode addresses; TPU_MEM_COUNT = none.
static tpu_mem field_memory(uint32_t op, uint32_t field, const isa_insn *insn) {
    static const uint8_t none = TPU_MEM_COUNT;
    static const uint8_t memory[TPU_OP_COUNT][TPU_FIELDS] = {
        [TPU_OP_VLD] = {TPU_MEM_VR, TPU_MEM_SPAD, none, none},
        [TPU_OP_MM] = {TPU_MEM_VR, TPU_MEM_AR, none, TPU_MEM_SPAD},
        [TPU_OP_VADD] = {TPU_MEM_AR, TPU_MEM_AR, TPU_MEM_AR, none},
        [TPU_OP_VADDRELU] = {TPU_MEM_AR, TPU_MEM_AR, TPU_MEM_AR, none},
        [TPU_OP_VRELU] = {TPU_MEM_AR, TPU_MEM_AR, none, none},
        [TPU_OP_MVOUT] = {TPU_MEM_AR, none, none, none}};
    if (op == TPU_OP_DMA_LD) {
        bool to_vr = (insn->f[0] & TPU_DMA_TO_VR) != 0;
        return field != 3 ? TPU_MEM_COUNT : to_vr ? TPU_MEM_VR : TPU_MEM_SPAD;
    }
    return (tpu_mem)memory[op][field];
}

static uint32_t rows_of(const stress_break *self, tpu_mem memory) {
    return memory == TPU_MEM_SPAD ? self->now.spad_rows
           : memory == TPU_MEM_VR ? self->now.vr_rows
                                  : self->now.ar_rows;
}

static bool alter_row(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_DATA);
    uint32_t field = stress_break_below(self, TPU_FIELDS);
    if (insn == NULL || field_memory(insn->op, field, insn) == TPU_MEM_COUNT) {
        return false;
    }
    bool weights = insn->op == TPU_OP_MM && field == 3;
    uint32_t rows = weights ? self->params->t : insn->nr;
    uint32_t least = rows_of(self, field_memory(insn->op, field, insn)) - rows + 1;
    if (least > TPU_FIELD_MAX) {
        return false; // the memory is as deep as addresses reach
    }
    insn->f[field] = (uint16_t)stress_break_between(
        self, least, stress_break_below(self, 2) == 0 ? least : TPU_FIELD_MAX);
    return true;
}

static bool walk_row(stress_break *self) {
    if (!stress_break_place(self, TPU_LOOP_DEPTH - 1)) {
        return false;
    }
    isa_insn insn = draw_load(self);
    uint32_t depth = rows_of(self, field_memory(TPU_OP_DMA_LD, 3, &insn));
    uint32_t least = depth - insn.nr - insn.f[3] + 1;
    return insn.f[3] + least + 3 <= TPU_FIELD_MAX &&
           insert_walk(self, insn, 3, least + stress_break_below(self, 3));
}

// ---- rows of spad and vr -----------------------------------------------------------------------

// Moves a field to where one of `rows` rows at least is not written.
static bool move_to_hole(stress_break *self, uint16_t *field, const uint8_t *flags, uint32_t depth,
                         uint32_t rows) {
    for (uint32_t i = 0; i < TRIES; i++) {
        uint32_t first = stress_break_below(self, depth - rows + 1);
        if (memchr(flags + first, 0, rows) != NULL) {
            *field = (uint16_t)first;
            return true;
        }
    }
    return false;
}

static bool lose_weights(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_OP(MM));
    return insn != NULL &&
           move_to_hole(self, &insn->f[3], self->now.spad, self->now.spad_rows, self->params->t);
}

static bool lose_activations(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_OP(MM));
    return insn != NULL &&
           move_to_hole(self, &insn->f[0], self->now.vr, self->now.vr_rows, insn->nr);
}

// A copy of rows that nobody wrote takes the mark off those that it overwrites.
static bool copy_hole(stress_break *self) {
    isa_insn *mm = stress_break_find(self, STRESS_BREAK_OP(MM));
    if (mm == NULL) {
        return false;
    }
    isa_insn copy = {.op = TPU_OP_VLD, .nr = 1};
    copy.f[0] = (uint16_t)(mm->f[0] + stress_break_below(self, mm->nr));
    self->out->pc = self->pc + 1;
    return move_to_hole(self, &copy.f[1], self->now.spad, self->now.spad_rows, 1) &&
           stress_break_insert(self, &copy, 1);
}

// ---- rows of ar --------------------------------------------------------------------------------

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

static bool lose_row(stress_break *self) {
    return move_in_ar(self, TPU_RULE_WRITE_BEFORE_READ);
}

static bool come_early(stress_break *self) {
    return move_in_ar(self, TPU_RULE_RAW_DISTANCE);
}

// Stores a row right behind the instruction that writes it.
static bool store_early(stress_break *self) {
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

#define IN_CHECK STRESS_ILLEGAL_CHECK

const stress_break_form stress_break_issue[] = {
    {TPU_RULE_FIELD_RANGE, "a loop drives a field over its range", walk_over_field, IN_CHECK},
    {TPU_RULE_FIELD_RANGE, "a loop drives an idle field over its range", walk_idle_field, IN_CHECK},
    {TPU_RULE_DMA_LD_FIELD, "a mode", alter_mode, IN_CHECK},
    {TPU_RULE_DMA_LD_FIELD, "a loop drives a mode too far", walk_mode, IN_CHECK},
    {TPU_RULE_OPERAND_RANGE, "rows or block of an operand", alter_operand, IN_CHECK},
    {TPU_RULE_OPERAND_RANGE, "a loop leaves an operand", walk_operand, IN_CHECK},
    {TPU_RULE_MEM_RANGE, "rows of a memory", alter_row, IN_CHECK},
    {TPU_RULE_MEM_RANGE, "a loop leaves a memory", walk_row, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "weights nobody loaded", lose_weights, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "activations nobody loaded", lose_activations, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "activations copied from nowhere", copy_hole, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "accumulators nobody wrote", lose_row, IN_CHECK},
    {TPU_RULE_MM_ACC_FIELD, "acc", alter_accumulate, IN_CHECK},
    {TPU_RULE_RAW_DISTANCE, "a read too early", come_early, IN_CHECK},
    {TPU_RULE_RAW_DISTANCE, "a store right behind the write", store_early, IN_CHECK},
    {TPU_RULE_RESULT_RANGE, "rows or block of the result", alter_result, IN_CHECK},
    {TPU_RULE_RESULT_RANGE, "a loop leaves the result", walk_result, IN_CHECK},
    {TPU_RULE_NONE, NULL, NULL, IN_CHECK}};
