// SPDX-License-Identifier: Apache-2.0
//
// The oracle's own reading of an instruction memory image: words to a list of issues. Private to
// oracle.c and its tests; shares nothing with csim.

#ifndef ORACLE_FLOW_H
#define ORACLE_FLOW_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Opcodes, by the numbers of the instruction set's own table. */
enum oracle_flow_op {
    ORACLE_NOP = 0,
    ORACLE_DMA_LD = 1,
    ORACLE_VLD = 3,
    ORACLE_MM = 4,
    ORACLE_VADD = 5,
    ORACLE_VRELU = 6,
    ORACLE_MVOUT = 7,
    ORACLE_LOOP = 8,
    ORACLE_ENDLOOP = 9,
    ORACLE_VADDRELU = 10
};

/** One issue with its addresses resolved. */
typedef struct oracle_issue {
    uint32_t op;
    uint32_t nr;
    uint32_t f[4];
} oracle_issue;

/** The issues of a run in order. Owns `issue`; zero-initialise before use. */
typedef struct oracle_flow {
    oracle_issue *issue;
    size_t count;
    size_t capacity;
} oracle_flow;

/**
 * Runs the control flow and lists the data issues.
 * @param words  borrowed image, header included
 * @param[out] out  given; ended by oracle_flow_clear, also on failure
 * @return TPU_OK, TPU_REFUSED (the image or its control flow is not legal), TPU_ERR_MEMORY.
 */
tpu_status oracle_flow_run(const uint64_t *words, size_t count, oracle_flow *out,
                           tpu_message *why) TPU_NODISCARD;

/** Releases the list and zeroes the struct. */
void oracle_flow_clear(oracle_flow *flow);

#endif
