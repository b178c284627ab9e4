// SPDX-License-Identifier: Apache-2.0
//
// Seeded generator of illegal programs: a legal one of stress.h, changed in one place so that one
// rule, named beforehand, is the first that it breaks. Which rule and where follow from the change
// and from the generator's own idea of legality, never from `check`, which is judged by it.

#ifndef STRESS_ILLEGAL_H
#define STRESS_ILLEGAL_H

#include "base/status.h"
#include "csim/isa/image.h"
#include "csim/isa/isa.h"
#include "csim/isa/params.h"

#include <stdbool.h>
#include <stdint.h>

/** Who is to refuse it. */
typedef enum stress_illegal_judge {
    STRESS_ILLEGAL_CHECK,  /**< check_program */
    STRESS_ILLEGAL_IMAGE,  /**< the program is legal; image_build refuses it */
    STRESS_ILLEGAL_MACHINE /**< program and image are legal but for a count: the machine alone */
} stress_illegal_judge;

/** A program that breaks one rule. Owns its arrays; zero-initialise. */
typedef struct stress_illegal {
    isa_program program;
    image words;   /**< for the machine with its check off */
    tpu_rule rule; /**< the first that it breaks; TPU_FAULT_HEADER for a false count */
    uint32_t pc;   /**< the instruction that breaks it, if `judge` is CHECK */
    stress_illegal_judge judge;
    tpu_unit unit;    /**< that the machine is to name; TPU_UNIT_COUNT = left open */
    const char *form; /**< how it was broken; static storage */
} stress_illegal;

void stress_illegal_clear(stress_illegal *self);

/** The rules that can be asked for: every rule of a program and of its image, and false counts. */
bool stress_illegal_knows(tpu_rule rule);

/**
 * Makes a program that breaks `rule`; equal arguments give equal programs.
 * @param[in,out] out  its contents are replaced.
 * @return TPU_OK; TPU_REFUSED when the rule cannot be broken on this machine (a nest of five loops
 *         where instruction memory holds four instructions); TPU_ERR_MEMORY.
 */
tpu_status stress_illegal_make(const tpu_params *params, tpu_rule rule, uint64_t seed,
                               stress_illegal *out, tpu_message *why) TPU_NODISCARD;

#endif
