// SPDX-License-Identifier: Apache-2.0
//
// The loop-nest builder. The author writes tiling, loop order and layout; the builder derives the
// AGU levels, the AGU terms and the closings. It chooses nothing and searches nothing. The first
// mistake sticks: later calls do nothing and nest_finish gives the sentence.

#ifndef NEST_H
#define NEST_H

#include "csim/isa/isa.h"

#include <stdint.h>

/** An induction variable: the only handle on a loop level. */
typedef struct nest_iv {
    const void *owner; /**< the nest that gave it; NULL for a folded loop, whose value is 0 */
    const char *name;  /**< of its loop; borrowed */
    uint32_t id;       /**< which loop of that nest, from 1 */
    uint32_t level;
} nest_iv;

/** Most walks a reference can be given; more than an instruction can carry, so it can be named. */
#define NEST_WALK_MAX 8

/** An address: base plus any number of (induction variable, stride) walks. Plain value. */
typedef struct nest_ref {
    uint32_t base;
    uint32_t walks;
    nest_iv iv[NEST_WALK_MAX];
    uint32_t stride[NEST_WALK_MAX];
} nest_ref;

/** One open loop. */
typedef struct nest_loop {
    const char *name; /**< borrowed */
    uint32_t id;
} nest_loop;

/** A program under construction. Plain struct; fields are private to nest.c. */
typedef struct nest {
    isa_program program;
    nest_loop open[TPU_LOOP_DEPTH];
    uint32_t depth;
    uint32_t loops; /**< loops opened so far */
    tpu_status status;
    tpu_message why;
} nest;

/** Where a dma_ld takes its rows. */
typedef enum nest_source { NEST_FROM_A, NEST_FROM_B } nest_source;

/** Where a dma_ld puts its rows. */
typedef enum nest_target { NEST_TO_SPAD, NEST_TO_VR } nest_target;

/** Starts an empty program. Must be ended by nest_finish. */
void nest_start(nest *self);

/** A fixed address. */
nest_ref nest_base(uint32_t base);

/** `ref` that also moves by `stride` with each iteration of the loop of `iv`. */
nest_ref nest_at(nest_ref ref, nest_iv iv, uint32_t stride);

/**
 * Opens a loop. Refused: trips 0 (the machine would run the body once) or over TPU_MAXROWS, and a
 * nest deeper than TPU_LOOP_DEPTH, named from the outside in ("n > k > m > j > i").
 * @param name  borrowed until nest_finish.
 */
nest_iv nest_open(nest *self, uint32_t trips, const char *name);

/** nest_open, except that a loop of one trip is left out: its variable is a constant 0. */
nest_iv nest_open_folded(nest *self, uint32_t trips, const char *name);

/** Closes the innermost loop, which must be the one of `iv`; nothing for a folded one. */
void nest_close(nest *self, nest_iv iv);

/* One call per data opcode; operands in the order of the spec. Refused: a stale or foreign
 * induction variable, more than TPU_AGU_TERMS walks in one instruction, a stride or base out of
 * range, rows outside 1 .. TPU_MAXROWS. Terms come out by field f0..f3, then in nest_at order. */
void nest_dma_ld(nest *self, nest_source from, nest_target to, nest_ref dram_row0,
                 nest_ref col_block, nest_ref dst_row0, uint32_t rows);
void nest_vld(nest *self, nest_ref vr0, nest_ref spad0, uint32_t rows);
void nest_mm(nest *self, nest_ref vr_a, nest_ref ar0, nest_ref acc, nest_ref spad_w, uint32_t rows);
void nest_vadd(nest *self, nest_ref ar_d, nest_ref ar_s1, nest_ref ar_s2, uint32_t rows);
void nest_vrelu(nest *self, nest_ref ar_d, nest_ref ar_s, uint32_t rows);
void nest_vaddrelu(nest *self, nest_ref ar_d, nest_ref ar_s1, nest_ref ar_s2, uint32_t rows);
void nest_mvout(nest *self, nest_ref ar0, nest_ref dram_row0, nest_ref col_block, uint32_t rows);
void nest_nop(nest *self);

/**
 * Ends the builder; on success the program goes to `out` (given), else it is released.
 * @return TPU_OK, TPU_REFUSED (the first mistake, or a loop left open), or TPU_ERR_MEMORY.
 */
tpu_status nest_finish(nest *self, isa_program *out, tpu_message *why) TPU_NODISCARD;

#endif
