// SPDX-License-Identifier: Apache-2.0
//
// Rules that an issue breaks with its resolved fields: ranges, and rows of spad and vr that nobody
// wrote. One operand is moved and the others stay legal, so it is that rule and no other; a load
// that walks out of its range in a later turn harms nothing before it does.

#include "harness/stress/stress_break.h"

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

// A store takes accu steps, which only makes rows behind it older.
static bool walk_result(stress_break *self) {
    uint32_t row = 0;
    if (!stress_break_place(self, TPU_LOOP_DEPTH - 1) || !stress_break_ripe(self, &row)) {
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

// How far beyond its memory a span ends: by one row, by one bit of an address, or by any.
static uint32_t draw_beyond(stress_break *self, uint32_t least) {
    uint32_t most = TPU_FIELD_MAX - least;
    uint32_t by = stress_break_below(self, 2) == 0 ? 0
                                                   : (UINT32_C(1) << stress_break_below(self, 12)) -
                                                         1 + stress_break_below(self, 3);
    return least + (by <= most ? by : stress_break_below(self, most + 1));
}

static bool move_beyond(stress_break *self, isa_insn *insn, uint32_t field) {
    if (field_memory(insn->op, field, insn) == TPU_MEM_COUNT) {
        return false;
    }
    bool weights = insn->op == TPU_OP_MM && field == 3;
    uint32_t rows = weights ? self->params->t : insn->nr;
    uint32_t least = rows_of(self, field_memory(insn->op, field, insn)) - rows + 1;
    if (least > TPU_FIELD_MAX) {
        return false; // the memory is as deep as addresses reach
    }
    insn->f[field] = (uint16_t)draw_beyond(self, least);
    return true;
}

static bool alter_row(stress_break *self) {
    isa_insn *insn = stress_break_find(self, STRESS_BREAK_DATA);
    uint32_t field = stress_break_below(self, TPU_FIELDS);
    return insn != NULL && move_beyond(self, insn, field);
}

// The first run of rows that are all written.
static bool find_run(const uint8_t *flags, uint32_t depth, uint32_t rows, uint16_t *out) {
    for (uint32_t first = 0; first + rows <= depth; first++) {
        if (memchr(flags + first, 0, rows) == NULL) {
            *out = (uint16_t)first;
            return true;
        }
    }
    return false;
}

bool stress_break_loaded(const stress_break *self, isa_insn *mm) {
    return find_run(self->now.vr, self->now.vr_rows, mm->nr, &mm->f[0]) &&
           find_run(self->now.spad, self->now.spad_rows, self->params->t, &mm->f[3]);
}

// An instruction of its own, of any kind, whose other operands are inside their memories. What mm
// reads must be written too, so its operands are the first that are.
static bool insert_row(stress_break *self) {
    static const uint8_t ops[] = {TPU_OP_VLD,      TPU_OP_MM,    TPU_OP_VADD,
                                  TPU_OP_VADDRELU, TPU_OP_VRELU, TPU_OP_MVOUT};
    if (!stress_break_place(self, TPU_LOOP_DEPTH)) {
        return false;
    }
    isa_insn insn = {.op = ops[stress_break_below(self, sizeof ops)]};
    insn.nr = (uint8_t)stress_break_between(self, 1, 4);
    for (uint32_t field = 0; field < TPU_FIELDS; field++) {
        tpu_mem memory = field_memory(insn.op, field, &insn);
        if (memory != TPU_MEM_COUNT) {
            uint32_t last = rows_of(self, memory) - insn.nr;
            insn.f[field] = (uint16_t)stress_break_below(self, last + 1);
        }
    }
    if (insn.op == TPU_OP_MM && !stress_break_loaded(self, &insn)) {
        return false;
    }
    return move_beyond(self, &insn, stress_break_below(self, TPU_FIELDS)) &&
           stress_break_insert(self, &insn, 1);
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

static uint32_t count_holes(const uint8_t *flags, uint32_t rows) {
    uint32_t holes = 0;
    for (uint32_t i = 0; i < rows; i++) {
        holes += flags[i] == 0;
    }
    return holes;
}

// Moves a field to where one of `rows` rows at least is not written; half the time to where it is
// just one, if that is found.
static bool move_to_hole(stress_break *self, uint16_t *field, const uint8_t *flags, uint32_t depth,
                         uint32_t rows) {
    uint32_t most = stress_break_below(self, 2) == 0 ? 1 : rows;
    bool found = false;
    for (uint32_t i = 0; i < TRIES; i++) {
        uint32_t first = stress_break_below(self, depth - rows + 1);
        uint32_t holes = count_holes(flags + first, rows);
        if (holes > 0) {
            *field = (uint16_t)first;
            found = true;
        }
        if (holes > 0 && holes <= most) {
            break;
        }
    }
    return found;
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

#define IN_CHECK STRESS_ILLEGAL_CHECK

const stress_break_form stress_break_issue[] = {
    {TPU_RULE_FIELD_RANGE, "a loop drives a field over its range", walk_over_field, IN_CHECK},
    {TPU_RULE_FIELD_RANGE, "a loop drives an idle field over its range", walk_idle_field, IN_CHECK},
    {TPU_RULE_DMA_LD_FIELD, "a mode", alter_mode, IN_CHECK},
    {TPU_RULE_DMA_LD_FIELD, "a loop drives a mode too far", walk_mode, IN_CHECK},
    {TPU_RULE_OPERAND_RANGE, "rows or block of an operand", alter_operand, IN_CHECK},
    {TPU_RULE_OPERAND_RANGE, "a loop leaves an operand", walk_operand, IN_CHECK},
    {TPU_RULE_MEM_RANGE, "rows of a memory", alter_row, IN_CHECK},
    {TPU_RULE_MEM_RANGE, "an instruction beyond a memory is put in", insert_row, IN_CHECK},
    {TPU_RULE_MEM_RANGE, "a loop leaves a memory", walk_row, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "weights nobody loaded", lose_weights, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "activations nobody loaded", lose_activations, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "activations copied from nowhere", copy_hole, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "accumulators nobody wrote", stress_break_lose_row, IN_CHECK},
    {TPU_RULE_WRITE_BEFORE_READ, "one accumulator that nobody wrote", stress_break_read_hole,
     IN_CHECK},
    {TPU_RULE_MM_ACC_FIELD, "acc", alter_accumulate, IN_CHECK},
    {TPU_RULE_RAW_DISTANCE, "a read too early", stress_break_come_early, IN_CHECK},
    {TPU_RULE_RAW_DISTANCE, "a store right behind the write", stress_break_store_early, IN_CHECK},
    {TPU_RULE_RAW_DISTANCE, "a read too early after many steps", stress_break_read_early, IN_CHECK},
    {TPU_RULE_RESULT_RANGE, "rows or block of the result", alter_result, IN_CHECK},
    {TPU_RULE_RESULT_RANGE, "a loop leaves the result", walk_result, IN_CHECK},
    {TPU_RULE_NONE, NULL, NULL, IN_CHECK}};
