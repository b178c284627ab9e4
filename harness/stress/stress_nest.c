// SPDX-License-Identifier: Apache-2.0
//
// Loops. A nest is drawn as a random walk of opening, adding and closing, with instructions that
// fit the first turn; then the whole of it is executed with real induction values, and a nest that
// is not legal in every turn, or costs too much, is taken back.

#include "csim/isa/expand.h"
#include "harness/stress/stress_internal.h"

// Rows of an instruction in a nest of more than four turns: this part of the most turns.
#define TURNS_A_ROW 8u

// Rows of a train of loads: dma_ld holds 128 in flight.
#define TRAIN_LEAST 132u
#define TRAIN_BLOCK 32u

// A nest being drawn.
typedef struct nest_walk {
    size_t first;                  // instruction of the nest
    uint32_t turns;                // product of the open trips
    uint32_t limit;                // most instructions in the nest, endloops included
    uint32_t deepest;              // levels to reach
    bool reached;                  // it was that deep once
    uint32_t body[TPU_LOOP_DEPTH]; // instructions in each open body so far
} nest_walk;

static bool append(stress_maker *self, uint32_t op, uint32_t nr) {
    isa_insn insn = {.op = (uint8_t)op, .nr = (uint8_t)nr};
    if (stress_draw_chance(self, self->junk)) {
        uint32_t field = stress_draw_below(self, TPU_FIELDS);
        insn.f[field] = (uint16_t)stress_draw_below(self, TPU_FIELD_MAX + 1);
    }
    if (self->status == TPU_OK) {
        self->status = isa_program_append(self->out, &insn);
    }
    return self->status == TPU_OK;
}

// Runs what was appended since `first` from the block's start, every turn of it.
static bool execute(stress_maker *self, size_t first) {
    isa_program part = {.insn = self->out->insn + first, .count = self->out->count - first};
    expand it;
    isa_issue issue;
    bool done = false;
    uint32_t most = self->cycles + self->cycles / 2 + STRESS_CYCLES / 4;
    stress_track_copy(&self->now, &self->start);
    expand_start(&it, &part);
    while (expand_next(&it, &issue, &done, NULL) == TPU_OK && !done) {
        if (!stress_track_issue(&self->now, issue.op, issue.nr, issue.f) ||
            stress_track_cycles(&self->now) > most) {
            return false;
        }
    }
    return done;
}

static bool settle(stress_maker *self, size_t first, bool good) {
    self->depth = 0;
    self->last_mm.op = TPU_OP_NOP;
    if (good && self->status == TPU_OK && execute(self, first)) {
        return true;
    }
    self->out->count = first;
    stress_track_copy(&self->now, &self->start);
    return false;
}

static uint32_t draw_trip(stress_maker *self, uint32_t turns) {
    uint32_t most = self->turns / turns;
    uint32_t kind = stress_draw_below(self, 16);
    uint32_t trip = 1;
    if (!stress_is_long(self) && kind >= 15) {
        return 1 + stress_draw_below(self, turns == 1 ? TPU_MAXROWS : most);
    }
    if (stress_is_long(self)) { // any length of trip, in every digit
        trip = 1 + stress_draw_below(self, 4u << stress_draw_below(self, 6));
        trip = trip > TPU_MAXROWS ? TPU_MAXROWS : trip;
    } else if (kind >= 12) {
        trip = 3 + stress_draw_below(self, 5);
    } else if (kind >= 2) {
        trip = kind >= 8 ? 3 : 2;
    }
    return trip > most ? (most > 0 ? most : 1) : trip;
}

static bool open_loop(stress_maker *self, nest_walk *at) {
    uint32_t trip = draw_trip(self, at->turns);
    self->trip[self->depth] = (uint8_t)trip;
    at->body[self->depth] = 0;
    self->depth++;
    at->turns = at->turns * trip > self->turns ? self->turns : at->turns * trip;
    at->reached = at->reached || self->depth == at->deepest;
    return append(self, TPU_OP_LOOP, trip);
}

static bool close_loop(stress_maker *self, nest_walk *at) {
    self->depth--;
    at->turns /= self->trip[self->depth];
    at->turns = at->turns > 0 ? at->turns : 1;
    if (self->depth > 0) {
        at->body[self->depth - 1]++;
    }
    return append(self, TPU_OP_ENDLOOP, 0);
}

static stress_kind draw_single(stress_maker *self) {
    uint32_t total = 0;
    for (uint32_t kind = 0; kind < STRESS_SINGLES; kind++) {
        total += self->weight[kind];
    }
    uint32_t at = stress_draw_below(self, total);
    uint32_t kind = 0;
    while (kind < STRESS_SINGLES && at >= self->weight[kind]) {
        at -= self->weight[kind++];
    }
    return kind < STRESS_SINGLES ? (stress_kind)kind : STRESS_NOP;
}

static void add_body(stress_maker *self, nest_walk *at) {
    uint32_t cap = self->rows_cap;
    if (at->turns > 4 && cap > self->turns / TURNS_A_ROW) {
        self->rows_cap = self->turns / TURNS_A_ROW; // many turns of few rows
    }
    if (stress_recipe_single(self, draw_single(self))) {
        at->body[self->depth - 1]++;
    }
    self->rows_cap = cap;
}

// One step of the walk; false = the program has no memory left.
static bool take_step(stress_maker *self, nest_walk *at) {
    uint32_t used = (uint32_t)(self->out->count - at->first) + self->depth;
    uint32_t left = at->limit > used ? at->limit - used : 0;
    uint32_t body = at->body[self->depth - 1];
    bool may_open = self->depth < TPU_LOOP_DEPTH && left >= 3;
    uint32_t kind = stress_draw_below(self, 100);
    if (may_open && ((!at->reached && self->depth < at->deepest && kind < 60) || kind < 6)) {
        return open_loop(self, at);
    }
    if (left == 0 || (body > 0 && kind >= 62) || (body == 0 && kind >= 97)) {
        return close_loop(self, at);
    }
    add_body(self, at);
    return self->status == TPU_OK;
}

// Four loops, one of them with many turns: the high bits of every level's counters. The body is a
// nop, which shows all induction values and costs a cycle; few fields could follow that far.
static bool nest_of_four(stress_maker *self) {
    size_t first = self->out->count;
    uint32_t longest = stress_draw_below(self, TPU_LOOP_DEPTH);
    bool good = true;
    stress_track_copy(&self->start, &self->now);
    for (uint32_t level = 0; level < TPU_LOOP_DEPTH; level++) {
        uint32_t trip = level == longest ? 5 + stress_draw_below(self, TPU_MAXROWS - 4)
                                         : 1 + stress_draw_below(self, 8) / 6;
        good = good && append(self, TPU_OP_LOOP, trip);
    }
    good = good && append(self, TPU_OP_NOP, 0);
    for (uint32_t level = 0; level < TPU_LOOP_DEPTH; level++) {
        good = good && append(self, TPU_OP_ENDLOOP, 0);
    }
    return settle(self, first, good);
}

bool stress_nest_wait(stress_maker *self) {
    uint32_t turns = 24 + stress_draw_below(self, TPU_MAXROWS - 23);
    return append(self, TPU_OP_LOOP, turns) && append(self, TPU_OP_NOP, 0) &&
           append(self, TPU_OP_ENDLOOP, 0);
}

bool stress_nest_random(stress_maker *self) {
    static const uint8_t depths[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 4};
    nest_walk at = {.first = self->out->count, .turns = 1};
    uint32_t left = self->room - (uint32_t)self->out->count;
    if (left < 3) {
        return false;
    }
    at.deepest = depths[stress_draw_below(self, sizeof depths)];
    if (at.deepest == TPU_LOOP_DEPTH && left > 2 * TPU_LOOP_DEPTH && stress_draw_chance(self, 40)) {
        return nest_of_four(self);
    }
    at.limit = 2 * at.deepest + 1 + stress_draw_below(self, 6);
    at.limit = at.limit < left ? at.limit : left;
    stress_track_copy(&self->start, &self->now);
    bool good = open_loop(self, &at);
    for (uint32_t steps = 0; good && self->depth > 0; steps++) {
        good = steps < 40 ? take_step(self, &at) : close_loop(self, &at);
    }
    return settle(self, at.first, good);
}

// x += x: from any start that is not a multiple of a high power of two, int32 wraps in 31 turns.
bool stress_nest_double(stress_maker *self) {
    isa_insn add = {.op = TPU_OP_VADD};
    size_t first = self->out->count;
    if (self->room < first + 3 || !stress_draw_insn(self, STRESS_MVOUT, &add)) {
        return false;
    }
    uint32_t row = add.f[0];
    uint32_t rows = add.nr > 3 ? 3 : add.nr;
    add = (isa_insn){.op = (uint8_t)(stress_draw_chance(self, 80) ? TPU_OP_VADD : TPU_OP_VADDRELU),
                     .nr = (uint8_t)rows,
                     .f = {(uint16_t)row, (uint16_t)row, (uint16_t)row}};
    // Fewer rows come round too early; nops do not help, only accu steps count.
    if (rows < 3) {
        return false;
    }
    stress_track_copy(&self->start, &self->now);
    bool good = append(self, TPU_OP_LOOP, 12 + stress_draw_below(self, 14));
    good = good && stress_recipe_emit(self, &add) && append(self, TPU_OP_ENDLOOP, 0);
    return settle(self, first, good);
}

// A store whose source, row and column block all walk.
bool stress_nest_store(stress_maker *self) {
    isa_insn out;
    size_t first = self->out->count;
    uint32_t trip = 2 + stress_draw_below(self, 2);
    if (self->room < first + 3 || self->now.wpr < trip ||
        !stress_draw_insn(self, STRESS_MVOUT, &out) || out.nr < trip) {
        return false;
    }
    uint32_t most = out.nr / trip < 4 ? out.nr / trip : 4;
    uint32_t rows = 1 + stress_draw_below(self, most);
    uint32_t slack = (self->params->maxdim - rows) / (trip - 1);
    uint32_t stride = 1 + stress_draw_below(self, slack);
    out.nr = (uint8_t)rows;
    out.f[1] =
        (uint16_t)stress_draw_below(self, self->params->maxdim - rows - stride * (trip - 1) + 1);
    out.f[2] = (uint16_t)stress_draw_below(self, self->now.wpr - trip + 1);
    out.term[0] = (isa_term){.target = 3, .stride = 1};
    out.term[1] = (isa_term){.target = 2, .stride = (uint16_t)stride};
    out.term[2] = (isa_term){.target = 1, .stride = (uint16_t)rows};
    return stress_nest_load(self, &out, trip);
}

bool stress_nest_load(stress_maker *self, const isa_insn *load, uint32_t trip) {
    size_t first = self->out->count;
    if (self->room < first + 3) {
        return false;
    }
    stress_track_copy(&self->start, &self->now);
    bool good = append(self, TPU_OP_LOOP, trip);
    good = good && stress_recipe_emit(self, load) && append(self, TPU_OP_ENDLOOP, 0);
    return settle(self, first, good);
}

// Load after load, each behind the last: the only way to long runs where MAXDIM is small.
bool stress_nest_fill(stress_maker *self) {
    bool to_vr = stress_draw_chance(self, 60);
    const stress_window *window = &self->window[to_vr ? TPU_MEM_VR : TPU_MEM_SPAD];
    uint32_t rows = window->rows > TPU_MAXROWS ? TPU_MAXROWS + 1 : window->rows;
    uint32_t block = self->params->maxdim < rows ? self->params->maxdim : rows;
    block = 1 + stress_draw_below(self, block);
    uint32_t trip = rows / block; // no longer than one mm can read
    trip = trip > TPU_MAXROWS ? TPU_MAXROWS : trip;
    isa_insn load = {.op = TPU_OP_DMA_LD, .nr = (uint8_t)block};
    load.f[0] = (uint16_t)(stress_draw_below(self, 2) + (to_vr ? TPU_DMA_TO_VR : 0));
    load.f[1] = (uint16_t)stress_draw_below(self, self->params->maxdim - block + 1);
    load.f[2] = (uint16_t)stress_draw_below(self, self->now.wpr);
    load.f[3] = (uint16_t)window->first;
    load.term[0] = (isa_term){.target = 4, .level = 0, .stride = (uint16_t)block};
    if (load.f[1] == 0 && trip > 1 && (self->params->maxdim - block) / (trip - 1) >= 1) {
        load.term[2] = (isa_term){.target = 2, .level = 0, .stride = 1};
    }
    return stress_nest_load(self, &load, trip);
}

// Loads to spad and vr by turns, as large as they come, with nothing between them: more rows than
// any latency that dma_ld can hide. By turns, since one memory's channel would hold them back.
bool stress_nest_train(stress_maker *self) {
    uint32_t depth =
        self->now.spad_rows < self->now.vr_rows ? self->now.spad_rows : self->now.vr_rows;
    uint32_t block = self->params->maxdim < depth ? self->params->maxdim : depth;
    block = block > TRAIN_BLOCK ? TRAIN_BLOCK : block;
    block = stress_draw_chance(self, 25) ? 1 : block; // a beat for every row
    uint32_t rows = TRAIN_LEAST + stress_draw_below(self, TRAIN_LEAST / 2);
    uint32_t trip = (rows + 2 * block - 1) / (2 * block);
    size_t first = self->out->count;
    if (trip > TPU_MAXROWS || self->room < first + 5) {
        return false;
    }
    isa_insn load = {.op = TPU_OP_DMA_LD, .nr = (uint8_t)block};
    load.f[0] = (uint16_t)stress_draw_below(self, TPU_DMA_SRC_B + 1);
    load.f[1] = (uint16_t)stress_draw_below(self, self->params->maxdim - block + 1);
    load.f[2] = (uint16_t)stress_draw_below(self, self->now.wpr);
    load.f[3] = (uint16_t)stress_draw_below(self, depth - block + 1);
    load.term[0] = (isa_term){.target = 1, .level = 1, .stride = TPU_DMA_TO_VR};
    stress_track_copy(&self->start, &self->now);
    bool good = append(self, TPU_OP_LOOP, trip) && append(self, TPU_OP_LOOP, 2);
    good = good && stress_recipe_emit(self, &load);
    good = good && append(self, TPU_OP_ENDLOOP, 0) && append(self, TPU_OP_ENDLOOP, 0);
    return settle(self, first, good);
}
