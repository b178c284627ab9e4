// SPDX-License-Identifier: Apache-2.0
//
// What the generator's files share: stress_track.c (what is legal now), stress_draw.c (single
// instructions), stress_recipe.c (short sequences), stress_nest.c (loops) and stress.c (whole
// programs). Nobody else includes this.

#ifndef STRESS_INTERNAL_H
#define STRESS_INTERNAL_H

#include "base/rng.h"
#include "harness/stress/stress.h"

#include <stdbool.h>

/** Rows that an address can name: no deeper memory matters. */
#define STRESS_ROWS (TPU_FIELD_MAX + 1)

/** Age of an accumulator row that this program has not written; older than any distance. */
#define STRESS_NEVER INT32_MIN

/** Accu steps that are remembered with the row they wrote; a power of two above AR_RAW_DIST. */
#define STRESS_RECENT 8u

/** Most turns of a nest's innermost body, all levels multiplied, in a program of usual size. */
#define STRESS_TURNS 48u

/** What a program has done so far: enough to say whether the next issue is legal. */
typedef struct stress_track {
    uint32_t spad_rows;
    uint32_t vr_rows;
    uint32_t ar_rows;
    uint32_t t;
    uint32_t maxdim;
    uint32_t wpr;
    int32_t step;                  // accu steps so far
    uint32_t work[TPU_UNIT_COUNT]; // rows or steps of each unit; [SEQUENCER] = issues
    uint16_t recent[STRESS_RECENT];
    uint8_t spad[STRESS_ROWS]; // 1 = holds data of a dma_ld
    uint8_t vr[STRESS_ROWS];
    int32_t ar[STRESS_ROWS]; // accu step of the last write, or STRESS_NEVER
} stress_track;

void stress_track_start(stress_track *self, const tpu_params *params);

/** Copies only the rows that exist. */
void stress_track_copy(stress_track *to, const stress_track *from);

/** Executes an issue. False = it is not legal, and the track is spoilt: copy an old one back. */
bool stress_track_issue(stress_track *self, uint32_t op, uint32_t nr, const uint32_t f[TPU_FIELDS]);

/** Cycles of the busiest unit, about. */
uint32_t stress_track_cycles(const stress_track *self);

/** A range of rows that a program keeps to, so that it meets its own data again. */
typedef struct stress_window {
    uint32_t first;
    uint32_t rows;
} stress_window;

/** Things a program is made of; each has a weight of its own in every program. */
typedef enum stress_kind {
    STRESS_DMA_LD,
    STRESS_VLD,
    STRESS_MM,
    STRESS_VADD,
    STRESS_VADDRELU,
    STRESS_VRELU,
    STRESS_MVOUT,
    STRESS_NOP,
    STRESS_SINGLES,                // the ones above are one instruction each
    STRESS_BURST = STRESS_SINGLES, // back-to-back mm of few rows
    STRESS_RELOAD,                 // weights replaced while the mm that uses them runs
    STRESS_WAR,                    // activations overwritten while they are read
    STRESS_RETIRE,                 // mvout and mm on the same rows
    STRESS_CHAIN,                  // dma_ld, vld, mm on the same rows
    STRESS_NEST,                   // loops
    STRESS_DOUBLE,                 // x += x until int32 wraps
    STRESS_FILL,                   // one long run of rows, or a train of loads, in a loop
    STRESS_KINDS
} stress_kind;

/** A program being made. */
typedef struct stress_maker {
    const tpu_params *params;
    isa_program *out;
    rng source;
    const stress_parts *parts; // NULL = all comes from one seed
    size_t part;               // number of the part that is drawn from
    const stress_part *fixed;  // draws of that part that are given; NULL = none
    uint32_t drawn;            // draws of that part so far
    stress_track now;
    stress_track undo;       // before the last instruction
    stress_track start;      // before the block
    stress_window window[3]; // by tpu_mem: spad, vr, ar
    uint32_t weight[STRESS_KINDS];
    uint32_t total_weight;
    uint32_t room;       // most instructions
    uint32_t cycles;     // aim for the busiest unit
    uint32_t turns;      // most of the innermost body of a nest; more than usual in a long program
    uint32_t rows_cap;   // most rows of one instruction
    uint32_t rows_least; // fewest, where there are as many
    uint32_t junk;       // chance in 100 that a field nobody reads is filled
    uint32_t depth;      // open loops
    uint8_t trip[TPU_LOOP_DEPTH];
    isa_insn last_mm; // op 0 = none yet
    tpu_status status;
} stress_maker;

/** The aim is so large that most of the work must come from loops. */
static inline bool stress_is_long(const stress_maker *self) {
    return self->turns > STRESS_TURNS;
}

uint32_t stress_draw_below(stress_maker *self, uint32_t bound);
bool stress_draw_chance(stress_maker *self, uint32_t percent);

/** A row count 1..most, small ones and the largest often. */
uint32_t stress_draw_rows(stress_maker *self, uint32_t most);

/** First row of `rows` rows inside the window, its ends often. `rows` fits. */
uint32_t stress_draw_target(stress_maker *self, tpu_mem memory, uint32_t rows);

/** Draws one instruction of a kind below STRESS_SINGLES. False = none is possible now. */
bool stress_draw_insn(stress_maker *self, stress_kind kind, isa_insn *out);

/**
 * Appends an instruction and executes it with all induction values 0.
 * @return false when it is not legal or does not fit; nothing has changed then.
 */
bool stress_recipe_emit(stress_maker *self, const isa_insn *insn);

/** Draws and emits. */
bool stress_recipe_single(stress_maker *self, stress_kind kind);

/** Makes something of any kind at the current place. False = it did not work out. */
bool stress_recipe_make(stress_maker *self, stress_kind kind);

/** A loop nest; false leaves everything as it was. */
bool stress_nest_random(stress_maker *self);
bool stress_nest_double(stress_maker *self);
bool stress_nest_fill(stress_maker *self);

bool stress_nest_train(stress_maker *self);
bool stress_nest_store(stress_maker *self);

/** A loop of nops, 24 turns at least, after which nothing moves any more; it takes three places. */
bool stress_nest_wait(stress_maker *self);

/** One instruction in a loop of its own. */
bool stress_nest_load(stress_maker *self, const isa_insn *load, uint32_t trip);

#endif
