// SPDX-License-Identifier: Apache-2.0
//
// What the files of the illegal generator share: stress_illegal.c (whole programs), stress_break.c
// (places, and rules of the text), stress_break_rows.c (rules of an issue), stress_break_ar.c
// (reads of accumulators) and stress_break_image.c (rules of the image). Nobody else includes this.

#ifndef STRESS_BREAK_H
#define STRESS_BREAK_H

#include "harness/stress/stress_illegal.h"
#include "harness/stress/stress_internal.h"

/** A legal program about to be broken. */
typedef struct stress_break {
    const tpu_params *params;
    rng source;
    stress_illegal *out; // its program is the legal one; pc is set by the form
    stress_track now;    // before the first issue at or behind `pc`
    uint32_t pc;
    uint32_t depth; // loops open at pc
    tpu_status status;
} stress_break;

/** One way to break a rule. False = this program offers no place for it; it may be spoilt then. */
typedef struct stress_break_form {
    tpu_rule rule;
    const char *name;
    bool (*apply)(stress_break *self);
    stress_illegal_judge judge;
} stress_break_form;

/** Ends with a form of rule TPU_RULE_NONE each. */
extern const stress_break_form stress_break_text[];
extern const stress_break_form stress_break_issue[];
extern const stress_break_form stress_break_whole[];

uint32_t stress_break_below(stress_break *self, uint32_t bound);

/** Uniform in first..last. */
uint32_t stress_break_between(stress_break *self, uint32_t first, uint32_t last);

/** Bit of an opcode in a mask of stress_break_find. */
#define STRESS_BREAK_OP(op) (UINT32_C(1) << TPU_OP_##op)

/** Opcodes whose nr is a row count. */
#define STRESS_BREAK_DATA                                                                          \
    (STRESS_BREAK_OP(DMA_LD) | STRESS_BREAK_OP(VLD) | STRESS_BREAK_OP(MM) |                        \
     STRESS_BREAK_OP(VADD) | STRESS_BREAK_OP(VADDRELU) | STRESS_BREAK_OP(VRELU) |                  \
     STRESS_BREAK_OP(MVOUT))

/** Goes to the first time that instruction `pc` (or the end) is reached: depth and track. */
void stress_break_reach(stress_break *self, uint32_t pc);

/** Goes to a random instruction of these opcodes; NULL when there is none. */
isa_insn *stress_break_find(stress_break *self, uint32_t ops);

/** Goes to a random place, the end included, at which at most `depth` loops are open. */
bool stress_break_place(stress_break *self, uint32_t depth);

/** Puts instructions in front of `pc`; false when instruction memory has no room for them. */
bool stress_break_insert(stress_break *self, const isa_insn *insn, uint32_t count);

/** An accumulator row that may be read now; false when there is none. */
bool stress_break_ripe(stress_break *self, uint32_t *out);

/** Gives an mm of nr rows weights and activations that are written; false when there are none. */
bool stress_break_loaded(const stress_break *self, isa_insn *mm);

/** Forms of stress_break_ar.c: a source moves to a row that nobody wrote, or is put there. */
bool stress_break_lose_row(stress_break *self);
bool stress_break_read_hole(stress_break *self);

/** A read too early: moved there, a store right behind a write, or one after many steps. */
bool stress_break_come_early(stress_break *self);
bool stress_break_store_early(stress_break *self);
bool stress_break_read_early(stress_break *self);

#endif
