// SPDX-License-Identifier: Apache-2.0
//
// Short sequences whose point is how the instructions meet: in the array, in one memory, in the
// accumulators. Each may end early; what it has emitted by then is legal and stays.

#include "harness/stress/stress_internal.h"

#include <string.h>

static void widen(const isa_insn *insn, uint32_t f[TPU_FIELDS]) {
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        f[i] = insn->f[i];
    }
}

bool stress_recipe_emit(stress_maker *self, const isa_insn *insn) {
    uint32_t f[TPU_FIELDS];
    if (self->out->count >= self->room || self->status != TPU_OK) {
        return false;
    }
    widen(insn, f);
    stress_track_copy(&self->undo, &self->now);
    if (!stress_track_issue(&self->now, insn->op, insn->nr, f)) {
        stress_track_copy(&self->now, &self->undo);
        return false;
    }
    self->status = isa_program_append(self->out, insn);
    if (insn->op == TPU_OP_MM) {
        self->last_mm = *insn;
    }
    return self->status == TPU_OK;
}

bool stress_recipe_single(stress_maker *self, stress_kind kind) {
    isa_insn insn;
    return stress_draw_insn(self, kind, &insn) && stress_recipe_emit(self, &insn);
}

static bool make_burst(stress_maker *self) {
    uint32_t cap = self->rows_cap;
    uint32_t count = 2 + stress_draw_below(self, 4);
    bool good = true;
    self->rows_cap = 1 + stress_draw_below(self, self->params->t);
    for (uint32_t i = 0; i < count && good; i++) {
        good = stress_recipe_single(self, STRESS_MM);
    }
    self->rows_cap = cap;
    return good;
}

// A load of `rows` rows to `first` on, or as near as the window allows.
static bool load_over(stress_maker *self, tpu_mem memory, uint32_t first, uint32_t rows) {
    uint32_t depth = memory == TPU_MEM_VR ? self->now.vr_rows : self->now.spad_rows;
    uint32_t nr = rows < self->params->maxdim ? rows : self->params->maxdim;
    isa_insn insn = {.op = TPU_OP_DMA_LD, .nr = (uint8_t)nr};
    uint32_t mode = stress_draw_below(self, 2) * TPU_DMA_SRC_B;
    insn.f[0] = (uint16_t)(memory == TPU_MEM_VR ? mode + TPU_DMA_TO_VR : mode);
    insn.f[1] = (uint16_t)stress_draw_below(self, self->params->maxdim - nr + 1);
    insn.f[2] = (uint16_t)stress_draw_below(self, self->now.wpr);
    insn.f[3] = (uint16_t)(first + nr > depth ? depth - nr : first);
    return stress_recipe_emit(self, &insn);
}

// mm, its weights loaded again at once, the same mm with the new ones.
static bool make_reload(stress_maker *self) {
    if (!stress_recipe_single(self, STRESS_MM)) {
        return false;
    }
    isa_insn again = self->last_mm;
    if (!load_over(self, TPU_MEM_SPAD, again.f[3], self->params->t)) {
        return false;
    }
    again.f[2] = 0;
    return stress_recipe_emit(self, &again);
}

// mm, then a write to the rows that it may still be reading.
static bool make_war(stress_maker *self) {
    if (!stress_recipe_single(self, STRESS_MM)) {
        return false;
    }
    isa_insn mm = self->last_mm;
    isa_insn copy = {.op = TPU_OP_VLD, .nr = mm.nr, .f = {mm.f[0]}};
    uint32_t spad_rows = self->window[TPU_MEM_SPAD].rows;
    if (stress_draw_chance(self, 50) && mm.nr <= spad_rows) {
        copy.f[1] = (uint16_t)stress_draw_target(self, TPU_MEM_SPAD, mm.nr);
        return stress_recipe_emit(self, &copy);
    }
    return load_over(self, TPU_MEM_VR, mm.f[0], mm.nr);
}

// A store in a loop; or mvout, then mm over the rows that leave; or mm, then mvout of the oldest of
// them that may go.
static bool make_retire(stress_maker *self) {
    isa_insn out;
    isa_insn mm;
    if (stress_draw_chance(self, 15) && stress_nest_store(self)) {
        return true;
    }
    if (!stress_draw_insn(self, STRESS_MVOUT, &out) || !stress_recipe_emit(self, &out)) {
        return stress_recipe_single(self, STRESS_MM);
    }
    if (!stress_draw_insn(self, STRESS_MM, &mm)) {
        return false;
    }
    mm.f[1] = out.f[0];
    mm.f[2] = 0;
    mm.nr = mm.nr > out.nr ? out.nr : mm.nr;
    if (!stress_recipe_emit(self, &mm)) {
        return false;
    }
    if (mm.nr > TPU_AR_RAW_DIST && stress_draw_chance(self, 50)) {
        out.nr = mm.nr; // every row exactly nr steps after its write
        return stress_recipe_emit(self, &out);
    }
    return true;
}

static bool make_chain(stress_maker *self) {
    uint32_t rows = stress_draw_rows(self, self->window[TPU_MEM_SPAD].rows);
    rows = rows < self->window[TPU_MEM_VR].rows ? rows : self->window[TPU_MEM_VR].rows;
    rows = rows < self->params->maxdim ? rows : self->params->maxdim;
    uint32_t first = stress_draw_target(self, TPU_MEM_SPAD, rows);
    isa_insn copy = {.op = TPU_OP_VLD, .nr = (uint8_t)rows};
    isa_insn mm;
    copy.f[0] = (uint16_t)stress_draw_target(self, TPU_MEM_VR, rows);
    copy.f[1] = (uint16_t)first;
    if (!load_over(self, TPU_MEM_SPAD, first, rows) || !stress_recipe_emit(self, &copy) ||
        !stress_draw_insn(self, STRESS_MM, &mm)) {
        return false;
    }
    if (mm.nr <= rows) {
        mm.f[0] = copy.f[0];
    }
    return stress_recipe_emit(self, &mm);
}

// A memory filled from end to end, then one mm as long as it can be, and others right behind it
// whose length may be any, and now and then a vector operation on as many rows.
static bool make_train(stress_maker *self) {
    uint32_t cap = self->rows_cap;
    uint32_t least = self->rows_least;
    if (!stress_nest_fill(self)) {
        return false;
    }
    uint32_t more = stress_draw_below(self, 4);
    self->rows_cap = TPU_MAXROWS;
    self->rows_least = TPU_MAXROWS;
    bool good = stress_recipe_single(self, STRESS_MM);
    for (; good && more > 0; more--) {
        bool longest = stress_draw_chance(self, 10);
        self->rows_cap = longest ? TPU_MAXROWS : 1 + stress_draw_below(self, TPU_MAXROWS);
        self->rows_least = self->rows_cap;
        good = stress_recipe_single(self, STRESS_MM);
    }
    if (good && stress_draw_chance(self, 40)) {
        static const stress_kind kinds[] = {STRESS_VADD, STRESS_VADD, STRESS_VADDRELU,
                                            STRESS_VRELU};
        self->rows_cap = TPU_MAXROWS;
        self->rows_least = TPU_MAXROWS;
        (void)stress_recipe_single(self, kinds[stress_draw_below(self, 4)]);
    }
    self->rows_cap = cap;
    self->rows_least = least;
    return true;
}

// In the windows of the program, or in the whole of vr and ar: only there is room for 127 rows.
static bool make_long(stress_maker *self) {
    uint32_t trains = stress_is_long(self) ? 40 : 8; // of hundred
    if (stress_draw_chance(self, trains) && stress_nest_train(self)) {
        return true;
    }
    stress_window vr = self->window[TPU_MEM_VR];
    stress_window ar = self->window[TPU_MEM_AR];
    if (stress_draw_chance(self, 50)) {
        self->window[TPU_MEM_VR] = (stress_window){.first = 0, .rows = self->now.vr_rows};
        self->window[TPU_MEM_AR] = (stress_window){.first = 0, .rows = self->now.ar_rows};
    }
    bool good = make_train(self);
    self->window[TPU_MEM_VR] = vr;
    self->window[TPU_MEM_AR] = ar;
    return good;
}

// Two turns of an instruction that a loop moves only where no unit looks, by strides of one bit
// each: the issue shows them, and nothing stands in their way.
static bool make_idle_walk(stress_maker *self, stress_kind kind) {
    isa_insn insn;
    uint32_t idle[TPU_FIELDS];
    uint32_t room[TPU_FIELDS] = {TPU_FIELD_MAX, TPU_FIELD_MAX, TPU_FIELD_MAX, TPU_FIELD_MAX};
    uint32_t count = 0;
    if (!stress_draw_insn(self, kind, &insn)) {
        return false;
    }
    for (uint32_t field = 0; field < TPU_FIELDS; field++) {
        if (tpu_ops[insn.op].operand[field].name == NULL) {
            insn.f[field] = 0;
            idle[count++] = field;
        }
    }
    for (uint32_t i = 0; i < TPU_AGU_TERMS && count > 0; i++) {
        uint32_t field = idle[stress_draw_below(self, count)];
        uint32_t stride = 1u << stress_draw_below(self, TPU_AGU_STRIDE_WIDTH - 1);
        while (stride > room[field]) {
            stride /= 2;
        }
        insn.term[i] = (isa_term){.target = (uint8_t)(field + 1), .stride = (uint16_t)stride};
        room[field] -= stride;
    }
    return count > 0 && stress_nest_load(self, &insn, 2);
}

bool stress_recipe_make(stress_maker *self, stress_kind kind) {
    bool made = false;
    switch (kind) {
    case STRESS_BURST:
        return make_burst(self);
    case STRESS_RELOAD:
        return make_reload(self);
    case STRESS_WAR:
        return make_war(self);
    case STRESS_RETIRE:
        return make_retire(self);
    case STRESS_CHAIN:
        return make_chain(self);
    case STRESS_NEST:
        return stress_nest_random(self);
    case STRESS_DOUBLE:
        return stress_nest_double(self);
    case STRESS_FILL:
        return make_long(self);
    default:
        made = stress_recipe_single(self, kind);
        if (made && kind != STRESS_NOP && stress_draw_chance(self, 4)) {
            (void)make_idle_walk(self, kind);
        }
        return made;
    }
}
