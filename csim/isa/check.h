// SPDX-License-Identifier: Apache-2.0
//
// The judge of programs: every rule a legal program keeps (spec/isa_spec.json#contracts), in a
// fixed order, exact, in time linear in the rows that the program touches. Rules of the image
// (size of imem, header counts) are image.h's.

#ifndef CHECK_H
#define CHECK_H

#include "csim/isa/isa.h"
#include "csim/isa/params.h"

#include <stdbool.h>
#include <stdint.h>

/** Where a program breaks which rule. */
typedef struct check_finding {
    tpu_rule rule;              /**< TPU_RULE_NONE when the program is legal */
    uint32_t pc;                /**< instruction index; the last one for an unclosed loop */
    uint32_t line;              /**< its source line, 0 when there is none */
    uint8_t op;                 /**< its opcode */
    bool dynamic;               /**< found while running it: seq, depth and iv are meaningful */
    uint32_t seq;               /**< 0-based number of the issue */
    uint8_t depth;              /**< loops open at that point */
    uint8_t iv[TPU_LOOP_DEPTH]; /**< their induction values */
    int field;                  /**< 0..3 = f0..f3 when the rule is about one field, else -1 */
    int memory;                 /**< tpu_mem when the rule is about rows, else -1 */
    uint32_t row_first;         /**< first row concerned, when memory >= 0 */
    uint32_t row_last;          /**< last row concerned */
} check_finding;

/**
 * Checks a program against one parameter point.
 * @param[out] out  borrowed, may be NULL; set in every case.
 * @param[out] why  borrowed, may be NULL; on refusal one sentence: rule, pc, mnemonic, induction
 *                  values, rows.
 * @return TPU_OK, TPU_REFUSED (the first broken rule), or TPU_ERR_MEMORY.
 */
tpu_status check_program(const tpu_params *params, const isa_program *program, check_finding *out,
                         tpu_message *why) TPU_NODISCARD;

#endif
