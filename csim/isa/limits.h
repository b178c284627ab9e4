// SPDX-License-Identifier: Apache-2.0
//
// Which GEMM shapes a build can run, what refuses the others and by how much
// (spec/isa_spec.json#program_limits, #maxdim_ceilings).

#ifndef LIMITS_H
#define LIMITS_H

#include "csim/isa/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One limit against one shape. */
typedef struct limits_row {
    const char *name; /**< static storage, e.g. "header_counts.accu" */
    uint64_t need;
    uint64_t allowed;
    uint64_t over;    /**< need - allowed, 0 when it fits */
    bool alternative; /**< holds for another layout (split operand load), not the shipped one */
} limits_row;

#define LIMITS_COUNT 4

/** Fills all rows for an M x K times K x N product; extents in elements, each >= 1. */
void limits_gemm(const tpu_params *params, uint32_t m, uint32_t k, uint32_t n,
                 limits_row out[LIMITS_COUNT]);

/**
 * TPU_OK when the GEMM programs can run the shape, else TPU_REFUSED with the limit that refuses it
 * and by how much. Refused too: K or N that is 0 or no multiple of T, and M < TPU_AR_RAW_DIST (an
 * accumulator row would be read back too soon). M need not be a multiple of T.
 */
tpu_status limits_check_gemm(const tpu_params *params, uint32_t m, uint32_t k, uint32_t n,
                             tpu_message *why) TPU_NODISCARD;

/** Largest MAXDIM (a multiple of T) whose operand layout the address field can name. */
uint32_t limits_maxdim_addressing(uint32_t t);

/** Largest MAXDIM (a multiple of T) at which a cubic GEMM's accu count fits its header slice. */
uint32_t limits_maxdim_cubic_header(uint32_t t);

#endif
