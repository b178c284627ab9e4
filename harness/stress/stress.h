// SPDX-License-Identifier: Apache-2.0
//
// Seeded generator of legal programs that are nasty to the machine: it keeps written flags and
// accumulator ages as `check` does and only ever adds what is legal in every iteration. Equal
// seeds give equal programs on every machine. What a program exercises is judged by traits.h.

#ifndef STRESS_H
#define STRESS_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "csim/isa/params.h"

#include <stddef.h>
#include <stdint.h>

/** Work that stress_program aims at when the options do not say: cycles of the busiest unit. */
#define STRESS_CYCLES 110u

/** What a program may be like. Zero-initialised = everything, as the seed decides. */
typedef struct stress_options {
    uint32_t cycles;       /**< aim for the busiest unit's work; 0 = STRESS_CYCLES. Varies widely */
    uint32_t instructions; /**< most static instructions; 0 = what instruction memory holds */
} stress_options;

/** Draws of a part that can be given, in place of what its seed says. */
#define STRESS_FIXED 4u

/** Number of a draw that never comes. */
#define STRESS_UNFIXED 255u

/** What one part of a program is drawn from. Any contents are legal. */
typedef struct stress_part {
    uint32_t seed;
    uint8_t index[STRESS_FIXED];  /**< numbers of draws, from 0 */
    uint16_t value[STRESS_FIXED]; /**< each as a fraction of its draw's bound, in 1/65536 */
} stress_part;

/** A program in parts: what it is like, then the things it is made of, one after the other. */
typedef struct stress_parts {
    const stress_part *part; /**< borrowed */
    size_t count;            /**< >= 1 */
} stress_parts;

/**
 * Makes a program.
 * @param params       checked parameters.
 * @param options      borrowed; NULL = all zero.
 * @param[in,out] out  initialised; its contents are replaced, its capacity is used again.
 * @return TPU_OK; TPU_ERR_MEMORY (out is empty).
 */
tpu_status stress_program(const tpu_params *params, uint64_t seed, const stress_options *options,
                          isa_program *out, tpu_message *why) TPU_NODISCARD;

/**
 * Makes a program from parts. It ends with the last part, or where it would get too large. A part
 * that cannot be done at its place is left out.
 */
tpu_status stress_program_parts(const tpu_params *params, const stress_parts *parts,
                                const stress_options *options, isa_program *out,
                                tpu_message *why) TPU_NODISCARD;

#endif
