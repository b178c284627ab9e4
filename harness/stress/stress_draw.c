// SPDX-License-Identifier: Apache-2.0
//
// One instruction at a time: sources are taken where the program has written, destinations
// anywhere in the window, and inside loops the room that is left becomes strides. Most of what is
// drawn is legal; stress_track has the last word.

#include "harness/stress/stress_internal.h"

#include <string.h>

// What a part says of its next draw; `drawn` where it says nothing.
static uint32_t take_fixed(stress_maker *self, uint32_t bound, uint32_t drawn) {
    uint32_t at = self->drawn++;
    for (size_t i = 0; i < STRESS_FIXED && at < STRESS_UNFIXED; i++) {
        if (self->fixed->index[i] == at) {
            return (uint32_t)(((uint64_t)self->fixed->value[i] * bound) >> 16);
        }
    }
    return drawn;
}

uint32_t stress_draw_below(stress_maker *self, uint32_t bound) {
    uint32_t drawn = rng_below(&self->source, bound);
    return self->fixed == NULL ? drawn : take_fixed(self, bound, drawn);
}

bool stress_draw_chance(stress_maker *self, uint32_t percent) {
    return stress_draw_below(self, 100) < percent;
}

static uint32_t smaller(uint32_t left, uint32_t right) {
    return left < right ? left : right;
}

static uint32_t draw_count(stress_maker *self, uint32_t limit) {
    uint32_t kind = stress_draw_below(self, 16);
    if (kind < 4) {
        return 1;
    }
    if (kind < 8) {
        return 1 + stress_draw_below(self, smaller(limit, self->params->t + 2));
    }
    if (kind < 13) {
        return 1 + stress_draw_below(self, smaller(limit, 12));
    }
    return kind < 15 ? 1 + stress_draw_below(self, limit) : limit;
}

uint32_t stress_draw_rows(stress_maker *self, uint32_t most) {
    uint32_t limit = smaller(smaller(most, TPU_MAXROWS), self->rows_cap);
    uint32_t rows = limit > 1 ? draw_count(self, limit) : 1;
    uint32_t least = smaller(limit, self->rows_least);
    return rows < least ? least : rows;
}

uint32_t stress_draw_target(stress_maker *self, tpu_mem memory, uint32_t rows) {
    const stress_window *window = &self->window[memory];
    uint32_t slack = window->rows - rows;
    switch (stress_draw_below(self, 8)) {
    case 0:
        return window->first;
    case 1:
        return window->first + slack;
    default:
        return window->first + stress_draw_below(self, slack + 1);
    }
}

static uint32_t target_rows(stress_maker *self, tpu_mem memory, uint32_t most) {
    return stress_draw_rows(self, smaller(most, self->window[memory].rows));
}

// ---- where something was written ---------------------------------------------------------------

typedef struct run {
    uint32_t first;
    uint32_t rows;
} run;

// Rows from `row` on, before `end`, that are not written.
static uint32_t count_unwritten(const uint8_t *flags, uint32_t row, uint32_t end) {
    const uint8_t *written = memchr(flags + row, 1, end - row);
    return written != NULL ? (uint32_t)(written - flags) - row : end - row;
}

// A run of written rows of spad or vr, `least` long at least.
static bool find_loaded(stress_maker *self, tpu_mem memory, uint32_t least, run *out) {
    const stress_window *window = &self->window[memory];
    const uint8_t *flags = memory == TPU_MEM_SPAD ? self->now.spad : self->now.vr;
    uint32_t end = window->first + window->rows;
    uint32_t begin = window->first + stress_draw_below(self, window->rows);
    uint32_t row = begin;
    while (row > window->first && flags[row - 1] != 0) {
        row--; // to the start of the run that `begin` may lie in
    }
    for (uint32_t looked = 0; looked <= window->rows; row = row >= end ? window->first : row) {
        uint32_t first = row;
        while (row < end && flags[row] != 0) {
            row++;
        }
        if (row - first >= least) {
            *out = (run){.first = first, .rows = row - first};
            return true;
        }
        row += row < end ? count_unwritten(flags, row, end) : 1;
        looked += row - first;
    }
    return false;
}

// How an instruction goes through the accumulators that it reads.
typedef struct pace {
    uint32_t delay; // steps before its first read
    uint32_t per;   // steps a row
} pace;

static bool is_ripe(const stress_maker *self, uint32_t row, uint32_t step) {
    int32_t written = self->now.ar[row];
    return written != STRESS_NEVER && self->now.step + (int32_t)step - written >= TPU_AR_RAW_DIST;
}

static uint32_t ripe_rows(const stress_maker *self, uint32_t first, pace at) {
    uint32_t end = self->window[TPU_MEM_AR].first + self->window[TPU_MEM_AR].rows;
    uint32_t rows = 0;
    while (first + rows < end && rows < TPU_MAXROWS &&
           is_ripe(self, first + rows, at.delay + rows * at.per)) {
        rows++;
    }
    return rows;
}

// The row whose write lies exactly AR_RAW_DIST before its read.
static bool find_exact(const stress_maker *self, pace at, run *out) {
    int32_t step = self->now.step + (int32_t)at.delay - TPU_AR_RAW_DIST;
    if (step < 0) {
        return false;
    }
    uint32_t row = self->now.recent[(uint32_t)step & (STRESS_RECENT - 1)];
    if (self->now.ar[row] != step) {
        return false;
    }
    *out = (run){.first = row, .rows = ripe_rows(self, row, at)};
    return out->rows > 0;
}

// Accumulator rows that may be read now.
static bool find_ripe(stress_maker *self, pace at, run *out) {
    const stress_window *window = &self->window[TPU_MEM_AR];
    if (stress_draw_chance(self, 40) && find_exact(self, at, out)) {
        return true;
    }
    uint32_t begin = stress_draw_below(self, window->rows);
    for (uint32_t i = 0; i < window->rows; i++) {
        uint32_t row = window->first + (begin + i) % window->rows;
        if (is_ripe(self, row, at.delay)) {
            *out = (run){.first = row, .rows = ripe_rows(self, row, at)};
            return true;
        }
    }
    return false;
}

// ---- address terms -----------------------------------------------------------------------------

static isa_term *free_term(stress_maker *self, isa_insn *insn) {
    uint32_t at = stress_draw_below(self, TPU_AGU_TERMS);
    for (uint32_t i = 0; i < TPU_AGU_TERMS; i++) {
        isa_term *term = &insn->term[(at + i) % TPU_AGU_TERMS];
        if (term->target == 0) {
            return term;
        }
    }
    return NULL;
}

// A loop of one trip never moves, so its stride may be anything.
static uint32_t draw_stride(stress_maker *self, const isa_insn *insn, uint32_t trip,
                            uint32_t slack) {
    uint32_t most = trip > 1 ? smaller(slack / (trip - 1), TPU_AGU_STRIDE_MAX) : TPU_AGU_STRIDE_MAX;
    switch (stress_draw_below(self, 8)) {
    case 0:
        return most;
    case 1:
    case 2:
        return smaller(most, insn->nr);
    case 3:
    case 4:
        return smaller(most, 1);
    default:
        return stress_draw_below(self, most + 1);
    }
}

// Lets open loops move a field by at most `slack` rows in all.
static void walk(stress_maker *self, isa_insn *insn, uint32_t field, uint32_t slack) {
    while (self->depth > 0 && stress_draw_chance(self, 55)) {
        isa_term *term = free_term(self, insn);
        if (term == NULL) {
            return;
        }
        uint32_t level = stress_draw_below(self, self->depth);
        uint32_t trip = self->trip[level];
        uint32_t stride = draw_stride(self, insn, trip, slack);
        *term = (isa_term){
            .target = (uint8_t)(field + 1), .level = (uint8_t)level, .stride = (uint16_t)stride};
        slack -= stride * (trip - 1);
    }
}

// Takes a place for `rows` rows in a run; what is left behind them may be walked.
static void place_in(stress_maker *self, isa_insn *insn, uint32_t field, run from, uint32_t rows) {
    uint32_t slack = from.rows - rows;
    uint32_t skip = stress_draw_chance(self, 50) ? 0 : stress_draw_below(self, slack + 1);
    insn->f[field] = (uint16_t)(from.first + skip);
    walk(self, insn, field, slack - skip);
}

static void place_target(stress_maker *self, isa_insn *insn, uint32_t field, tpu_mem memory) {
    const stress_window *window = &self->window[memory];
    uint32_t first = stress_draw_target(self, memory, insn->nr);
    insn->f[field] = (uint16_t)first;
    walk(self, insn, field, window->first + window->rows - insn->nr - first);
}

// DRAM row and column block of an operand or of C.
static void place_dram(stress_maker *self, isa_insn *insn) {
    uint32_t slack = self->params->maxdim - insn->nr;
    uint32_t row = stress_draw_chance(self, 20) ? slack : stress_draw_below(self, slack + 1);
    if (stress_draw_chance(self, 40)) {
        row -= row % self->params->t; // where the boundary operands have their tiles
    }
    uint32_t block = stress_draw_below(self, self->now.wpr);
    insn->f[1] = (uint16_t)row;
    insn->f[2] = (uint16_t)block;
    walk(self, insn, 1, slack - row);
    walk(self, insn, 2, self->now.wpr - 1 - block);
}

// ---- one function a kind -----------------------------------------------------------------------

static bool draw_dma_ld(stress_maker *self, isa_insn *insn) {
    uint32_t mode = stress_draw_below(self, 4);
    tpu_mem memory = (mode & TPU_DMA_TO_VR) != 0 ? TPU_MEM_VR : TPU_MEM_SPAD;
    insn->op = TPU_OP_DMA_LD;
    insn->nr = (uint8_t)target_rows(self, memory, self->params->maxdim);
    if (stress_draw_chance(self, 50)) { // what is loaded is what others can work on
        uint32_t more = target_rows(self, memory, self->params->maxdim);
        insn->nr = (uint8_t)(more > insn->nr ? more : insn->nr);
    }
    insn->f[0] = (uint16_t)mode;
    if (stress_draw_chance(self, 20)) {
        walk(self, insn, 0, TPU_DMA_SRC_B + TPU_DMA_TO_VR - mode);
    }
    place_target(self, insn, 3, memory);
    place_dram(self, insn);
    return true;
}

static bool draw_vld(stress_maker *self, isa_insn *insn) {
    run from = {.first = self->window[TPU_MEM_SPAD].first, .rows = self->window[TPU_MEM_SPAD].rows};
    if (stress_draw_chance(self, 80) && !find_loaded(self, TPU_MEM_SPAD, 1, &from)) {
        return false;
    }
    insn->op = TPU_OP_VLD;
    insn->nr = (uint8_t)target_rows(self, TPU_MEM_VR, from.rows);
    place_in(self, insn, 1, from, insn->nr);
    place_target(self, insn, 0, TPU_MEM_VR);
    return true;
}

// acc = 1, or the induction value of a loop that runs twice: overwrite, then accumulate.
static bool draw_accumulate(stress_maker *self, isa_insn *insn) {
    for (uint32_t level = 0; level < self->depth; level++) {
        if (self->trip[level] == 2 && stress_draw_chance(self, 35)) {
            isa_term *term = free_term(self, insn);
            *term = (isa_term){.target = 3, .level = (uint8_t)level, .stride = 1};
            return false;
        }
    }
    return stress_draw_chance(self, 50);
}

static bool draw_mm(stress_maker *self, isa_insn *insn) {
    run weights;
    run activations;
    run base;
    if (!find_loaded(self, TPU_MEM_SPAD, self->params->t, &weights) ||
        !find_loaded(self, TPU_MEM_VR, 1, &activations)) {
        return false;
    }
    insn->op = TPU_OP_MM;
    bool accumulate = draw_accumulate(self, insn);
    bool on_live = accumulate || stress_draw_chance(self, 40);
    bool found = on_live && find_ripe(self, (pace){0, 1}, &base);
    insn->f[2] = accumulate && found;
    if (found) {
        insn->nr = (uint8_t)stress_draw_rows(self, smaller(activations.rows, base.rows));
        place_in(self, insn, 1, base, insn->nr);
    } else {
        insn->nr = (uint8_t)target_rows(self, TPU_MEM_AR, activations.rows);
        place_target(self, insn, 1, TPU_MEM_AR);
    }
    place_in(self, insn, 0, activations, insn->nr);
    place_in(self, insn, 3, weights, self->params->t);
    return true;
}

// A destination that meddles with the sources, often.
static void place_result(stress_maker *self, isa_insn *insn, uint32_t sources) {
    const stress_window *window = &self->window[TPU_MEM_AR];
    uint32_t last = window->first + window->rows - insn->nr;
    uint32_t kind = stress_draw_below(self, 10);
    uint32_t near = insn->f[1 + stress_draw_below(self, sources)];
    if (kind >= 6 || near > last) {
        place_target(self, insn, 0, TPU_MEM_AR);
        return;
    }
    if (kind >= 3) { // up to nr rows off; above the source it feeds itself
        near = near + stress_draw_below(self, kind == 3 ? insn->nr : 2u * insn->nr + 1);
        near = kind == 3 ? near : near > window->first + insn->nr ? near - insn->nr : window->first;
        near = near > last ? last : near;
    }
    insn->f[0] = (uint16_t)near;
    walk(self, insn, 0, last - near);
}

static bool draw_vadd(stress_maker *self, isa_insn *insn, uint32_t op) {
    run left;
    run right;
    if (!find_ripe(self, (pace){0, 2}, &left)) {
        return false;
    }
    if (stress_draw_chance(self, 15)) {
        right = left;
    } else if (!find_ripe(self, (pace){1, 2}, &right)) {
        return false;
    }
    insn->op = (uint8_t)op;
    insn->nr = (uint8_t)stress_draw_rows(self, smaller(left.rows, right.rows));
    insn->f[1] = (uint16_t)left.first;
    insn->f[2] = (uint16_t)right.first;
    walk(self, insn, 1, left.rows - insn->nr);
    walk(self, insn, 2, right.rows - insn->nr);
    place_result(self, insn, 2);
    return true;
}

static bool draw_vrelu(stress_maker *self, isa_insn *insn) {
    run from;
    if (!find_ripe(self, (pace){0, 1}, &from)) {
        return false;
    }
    insn->op = TPU_OP_VRELU;
    insn->nr = (uint8_t)stress_draw_rows(self, from.rows);
    place_in(self, insn, 1, from, insn->nr);
    place_result(self, insn, 1);
    return true;
}

static bool draw_mvout(stress_maker *self, isa_insn *insn) {
    run from;
    if (!find_ripe(self, (pace){0, 1}, &from)) {
        return false;
    }
    insn->op = TPU_OP_MVOUT;
    insn->nr = (uint8_t)stress_draw_rows(self, smaller(from.rows, self->params->maxdim));
    place_in(self, insn, 0, from, insn->nr);
    place_dram(self, insn);
    return true;
}

// Fields that no unit reads may hold anything, and loops may move them as far as they are wide.
static void fill_idle(stress_maker *self, isa_insn *insn) {
    if (!stress_draw_chance(self, self->junk)) {
        return;
    }
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        if (tpu_ops[insn->op].operand[i].name == NULL) {
            bool low = stress_draw_chance(self, 50); // with all the way to go
            insn->f[i] = low ? 0 : (uint16_t)stress_draw_below(self, TPU_FIELD_MAX + 1);
            if (insn->op != TPU_OP_NOP) {
                walk(self, insn, (uint32_t)i, TPU_FIELD_MAX - insn->f[i]);
            }
        }
    }
    if (insn->op == TPU_OP_NOP) {
        insn->nr = (uint8_t)stress_draw_below(self, TPU_MAXROWS + 1);
    }
}

bool stress_draw_insn(stress_maker *self, stress_kind kind, isa_insn *out) {
    bool made = true;
    memset(out, 0, sizeof *out);
    switch (kind) {
    case STRESS_DMA_LD:
        made = draw_dma_ld(self, out);
        break;
    case STRESS_VLD:
        made = draw_vld(self, out);
        break;
    case STRESS_MM:
        made = draw_mm(self, out);
        break;
    case STRESS_VADD:
        made = draw_vadd(self, out, TPU_OP_VADD);
        break;
    case STRESS_VADDRELU:
        made = draw_vadd(self, out, TPU_OP_VADDRELU);
        break;
    case STRESS_VRELU:
        made = draw_vrelu(self, out);
        break;
    case STRESS_MVOUT:
        made = draw_mvout(self, out);
        break;
    default:
        break; // a nop
    }
    if (made) {
        fill_idle(self, out);
    }
    return made;
}
