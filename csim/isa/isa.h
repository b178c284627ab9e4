// SPDX-License-Identifier: Apache-2.0
//
// The plain data of the ISA: an instruction as written, a program, and an issue as the sequencer
// resolves it. Field and opcode names come from the generated header; no bit position is here.

#ifndef ISA_H
#define ISA_H

#include "base/status.h"
#include "spec/generated/tpu_isa.h"

#include <stddef.h>
#include <stdint.h>

/** One AGU term: field[target] += iv[level] * stride; target 0 is unused. */
typedef struct isa_term {
    uint8_t target; /**< 0 unused, 1..4 = f0..f3 */
    uint8_t level;  /**< loop level, 0 = outermost */
    uint16_t stride;
} isa_term;

/** One instruction before address generation. */
typedef struct isa_insn {
    uint8_t op; /**< TPU_OP_* */
    uint8_t nr; /**< row count or trip count */
    uint16_t f[TPU_FIELDS];
    isa_term term[TPU_AGU_TERMS];
    uint32_t line; /**< 1-based source line, 0 when built by a program */
} isa_insn;

/** A growable list of instructions. Owns `insn`; zero-initialise before use. */
typedef struct isa_program {
    isa_insn *insn;
    size_t count;
    size_t capacity;
} isa_program;

/** One dynamic issue: what the sequencer sends to the units. */
typedef struct isa_issue {
    uint32_t seq; /**< 0-based number of this issue in the run */
    uint16_t pc;  /**< 0-based instruction index */
    uint8_t op;
    uint8_t nr;
    uint32_t f[TPU_FIELDS];     /**< resolved, not truncated */
    uint8_t iv[TPU_LOOP_DEPTH]; /**< induction values; 0 for levels that are not open */
    uint8_t depth;              /**< open loops */
} isa_issue;

/** Appends a copy of `insn`. @return TPU_OK or TPU_ERR_MEMORY (program unchanged). */
tpu_status isa_program_append(isa_program *program, const isa_insn *insn) TPU_NODISCARD;

/** Releases the list and zeroes the struct; safe on a zeroed one. */
void isa_program_clear(isa_program *program);

#endif
