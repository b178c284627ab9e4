// SPDX-License-Identifier: Apache-2.0
//
// A whole program: draws what this one is like (windows, weights of the kinds, sizes), loads
// enough to compute with, adds things until the room or the work is used up, and stores a result.

#include "harness/stress/stress.h"

#include "harness/stress/stress_internal.h"

// Fruitless attempts in a row after which a program is as good as it gets.
#define PATIENCE 12u

// Instructions of the default memory; a longer program is something to be drawn.
#define ROOM_USUAL 24u

// Cycles of the busiest unit that a place in a long program is worth.
#define CYCLES_EACH 40u

// No unit may do more than a header can promise, and the last nest may pass the aim by half.
#define CYCLES_MOST (TPU_COUNT_MAX / 8 * 5)

static uint32_t rows_of(const tpu_params *params, tpu_mem memory) {
    uint32_t rows = memory == TPU_MEM_SPAD ? params->spad_rows
                    : memory == TPU_MEM_VR ? params->nvr
                                           : params->nar;
    return rows < STRESS_ROWS ? rows : STRESS_ROWS;
}

// Low, high, anywhere or all of the memory.
static void draw_window(stress_maker *self, tpu_mem memory) {
    static const uint16_t sizes[] = {8, 12, 16, 32, TPU_TEST_WINDOW, STRESS_ROWS};
    uint32_t depth = rows_of(self->params, memory);
    uint32_t size = sizes[stress_draw_below(self, sizeof sizes / sizeof sizes[0])];
    size = size < 2 * self->params->t ? 2 * self->params->t : size;
    size = size < depth ? size : depth;
    uint32_t slack = depth - size;
    uint32_t first = 0;
    switch (stress_draw_below(self, 3)) {
    case 0:
        break;
    case 1:
        first = slack;
        break;
    default:
        first = stress_draw_below(self, slack + 1);
    }
    self->window[memory] = (stress_window){.first = first, .rows = size};
}

// Each program likes some things and does without others, so that rare meetings come about.
static void draw_weights(stress_maker *self) {
    static const uint8_t usual[STRESS_KINDS] = {
        [STRESS_DMA_LD] = 6,   [STRESS_VLD] = 4,    [STRESS_MM] = 8,     [STRESS_VADD] = 4,
        [STRESS_VADDRELU] = 3, [STRESS_VRELU] = 3,  [STRESS_MVOUT] = 6,  [STRESS_NOP] = 1,
        [STRESS_BURST] = 3,    [STRESS_RELOAD] = 3, [STRESS_WAR] = 3,    [STRESS_RETIRE] = 3,
        [STRESS_CHAIN] = 3,    [STRESS_NEST] = 12,  [STRESS_DOUBLE] = 1, [STRESS_FILL] = 2};
    static const uint8_t factor[] = {0, 1, 1, 2, 4};
    self->total_weight = 0;
    for (uint32_t kind = 0; kind < STRESS_KINDS; kind++) {
        self->weight[kind] = usual[kind] * (uint32_t)factor[stress_draw_below(self, sizeof factor)];
    }
    if (stress_draw_chance(self, 85)) {
        self->weight[STRESS_MM] += usual[STRESS_MM];
    }
    self->weight[STRESS_NOP] += 1; // so that the sum is never 0
    for (uint32_t kind = 0; kind < STRESS_KINDS; kind++) {
        self->total_weight += self->weight[kind];
    }
}

static void draw_sizes(stress_maker *self, const stress_options *options) {
    uint32_t most = params_max_instructions(self->params);
    uint32_t aim = options->cycles > 0 ? options->cycles : STRESS_CYCLES;
    if (options->instructions > 0 && options->instructions < most) {
        most = options->instructions;
    }
    // What instruction memory does not hold must come from loops.
    self->turns = aim / 8 > STRESS_TURNS ? aim / 8 : STRESS_TURNS;
    bool whole = stress_draw_chance(self, 25) || most < 9 || stress_is_long(self);
    self->room = whole ? most : 4 + stress_draw_below(self, most - 4 + 1);
    switch (stress_draw_below(self, 8)) {
    case 0:
        self->cycles = 3 * aim;
        break;
    case 1:
    case 2:
    case 3:
        self->cycles = aim;
        break;
    default:
        self->cycles = aim / 4 + stress_draw_below(self, aim + 1);
    }
    // A large instruction memory is filled now and then; the usual work ends long before.
    if (self->room > ROOM_USUAL && stress_draw_chance(self, 2)) {
        self->room = most;
        self->cycles = most * CYCLES_EACH;
    }
    self->cycles = self->cycles > CYCLES_MOST ? CYCLES_MOST : self->cycles;
    if (stress_is_long(self)) {
        self->weight[STRESS_NEST] += self->total_weight;
        self->total_weight *= 2;
    }
    self->rows_cap = stress_draw_chance(self, 10)   ? 1
                     : stress_draw_chance(self, 15) ? TPU_MAXROWS
                                                    : 4 + self->cycles / 5;
    self->rows_least = stress_draw_chance(self, 40) ? 1 + stress_draw_below(self, 14) : 1;
    self->junk = stress_draw_chance(self, 25) ? 50 : 0;
}

static stress_kind draw_kind(stress_maker *self) {
    uint32_t at = stress_draw_below(self, self->total_weight);
    uint32_t kind = 0;
    while (kind + 1 < STRESS_KINDS && at >= self->weight[kind]) {
        at -= self->weight[kind++];
    }
    return (stress_kind)kind;
}

// One load into spad or vr; of single rows in a loop where the program has no longer ones.
static void load_one(stress_maker *self, tpu_mem memory) {
    uint32_t window = self->window[memory].rows;
    uint32_t maxdim = self->params->maxdim;
    uint32_t least = memory == TPU_MEM_SPAD ? self->params->t : 1;
    uint32_t rows = stress_draw_rows(self, maxdim < window ? maxdim : window);
    rows = rows < least ? least : rows;
    isa_insn insn = {.op = TPU_OP_DMA_LD, .nr = (uint8_t)rows};
    insn.f[0] = (uint16_t)stress_draw_below(self, 2);
    insn.f[0] = (uint16_t)(insn.f[0] + (memory == TPU_MEM_VR ? TPU_DMA_TO_VR : 0));
    insn.f[1] = (uint16_t)stress_draw_below(self, maxdim - rows + 1);
    insn.f[2] = (uint16_t)stress_draw_below(self, self->now.wpr);
    insn.f[3] = (uint16_t)stress_draw_target(self, memory, rows);
    if (self->rows_cap > 1 || rows == 1) {
        (void)stress_recipe_emit(self, &insn);
        return;
    }
    insn.nr = 1;
    insn.term[0] = (isa_term){.target = 2, .stride = 1};
    insn.term[1] = (isa_term){.target = 4, .stride = 1};
    (void)stress_nest_load(self, &insn, rows);
}

// T rows of weights and a few activations.
static void load_first(stress_maker *self) {
    bool weights_first = stress_draw_chance(self, 50);
    load_one(self, weights_first ? TPU_MEM_SPAD : TPU_MEM_VR);
    load_one(self, weights_first ? TPU_MEM_VR : TPU_MEM_SPAD);
}

// Something must be in the accumulators to be stored, and old enough: mm and short loads help.
static void store_last(stress_maker *self) {
    for (uint32_t tries = 0; tries < 3; tries++) {
        if (stress_recipe_single(self, STRESS_MVOUT)) {
            return;
        }
        (void)stress_recipe_single(self, STRESS_MM);
    }
}

// Work for accu alone that comes long after everything else has come to rest.
static void work_late(stress_maker *self) {
    static const stress_kind kinds[] = {STRESS_VADD, STRESS_VADDRELU, STRESS_VRELU};
    isa_insn insn;
    if (self->room >= self->out->count + 4 &&
        stress_draw_insn(self, kinds[stress_draw_below(self, 3)], &insn) &&
        stress_nest_wait(self)) {
        (void)stress_recipe_emit(self, &insn);
    }
}

static void draw_from(stress_maker *self, const stress_part *part) {
    rng_seed(&self->source, part->seed);
    self->fixed = part;
    self->drawn = 0;
}

// From one seed there is always more; of parts only as many as there are.
static bool take_part(stress_maker *self) {
    if (self->parts == NULL) {
        return true;
    }
    if (self->part + 1 >= self->parts->count) {
        return false;
    }
    draw_from(self, &self->parts->part[++self->part]);
    return true;
}

// Draws what no part stands for: the store at the end.
static void leave_parts(stress_maker *self) {
    if (self->parts != NULL) {
        rng_seed(&self->source, ((uint64_t)self->parts->part[0].seed << 32) + 1);
        self->fixed = NULL;
    }
}

static void fill(stress_maker *self) {
    uint32_t room = self->room;
    uint32_t failed = 0;
    self->room = room > 1 ? room - 1 : room; // the last place is the store's
    while (failed < PATIENCE && self->status == TPU_OK && self->out->count < self->room &&
           stress_track_cycles(&self->now) < self->cycles && take_part(self)) {
        bool made = stress_recipe_make(self, draw_kind(self));
        failed = made || self->parts != NULL ? 0 : failed + 1;
    }
    self->room = room;
}

static tpu_status make(stress_maker *self, const stress_options *options, tpu_message *why) {
    static const stress_options all = {0};
    self->depth = 0;
    self->last_mm.op = TPU_OP_NOP;
    self->status = TPU_OK;
    self->out->count = 0;
    stress_track_start(&self->now, self->params);
    for (tpu_mem memory = TPU_MEM_SPAD; memory <= TPU_MEM_AR; memory++) {
        draw_window(self, memory);
    }
    draw_weights(self);
    draw_sizes(self, options != NULL ? options : &all);
    load_first(self);
    fill(self);
    leave_parts(self);
    store_last(self);
    if (stress_draw_chance(self, 8)) {
        work_late(self);
    }
    if (self->status != TPU_OK) {
        self->out->count = 0;
        return status_fail(why, self->status, "stress: out of memory for a program");
    }
    if (self->out->count == 0) { // no room for a load: imem of one instruction
        const isa_insn nop = {.op = TPU_OP_NOP};
        return isa_program_append(self->out, &nop);
    }
    return TPU_OK;
}

// The maker is large, and only what is used of it is set.
static void start(stress_maker *self, const tpu_params *params, isa_program *out) {
    self->params = params;
    self->out = out;
    self->parts = NULL;
    self->part = 0;
    self->fixed = NULL;
    self->drawn = 0;
}

tpu_status stress_program(const tpu_params *params, uint64_t seed, const stress_options *options,
                          isa_program *out, tpu_message *why) {
    stress_maker self;
    start(&self, params, out);
    rng_seed(&self.source, seed);
    return make(&self, options, why);
}

tpu_status stress_program_parts(const tpu_params *params, const stress_parts *parts,
                                const stress_options *options, isa_program *out, tpu_message *why) {
    stress_maker self;
    start(&self, params, out);
    self.parts = parts;
    draw_from(&self, &parts->part[0]);
    return make(&self, options, why);
}
