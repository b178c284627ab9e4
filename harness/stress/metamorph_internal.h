// SPDX-License-Identifier: Apache-2.0
//
// What metamorph.c (runs and judges) and metamorph_pair.c (makes the second program of a pair)
// share. Nobody else includes this.

#ifndef METAMORPH_INTERNAL_H
#define METAMORPH_INTERNAL_H

#include "base/rng.h"
#include "csim/isa/isa.h"
#include "csim/isa/params.h"
#include "harness/stress/metamorph.h"

#include <stdbool.h>
#include <stdint.h>

/** One program with its matrices, params_region_bytes each. */
typedef struct metamorph_side {
    isa_program program;
    uint8_t *a;
    uint8_t *b;
    uint8_t *c; /**< before the run */
} metamorph_side;

/** What is run, and how the second C follows from the first. */
typedef struct metamorph_pair {
    const tpu_params *params;
    rng *source;
    metamorph_side first;
    metamorph_side second;
    uint32_t m; /**< of a GEMM; 0 = a program of stress.h */
    uint32_t n;
    bool zero;       /**< m x n of the second C must be zero, and nothing else is asked */
    uint32_t *row;   /**< row r of the first C is row row[r] of the second; maxdim entries */
    uint32_t differ; /**< streams that may differ; the others must not */
} metamorph_pair;

/**
 * Makes both sides.
 * @return TPU_OK and *made; *made false: this draw offers nothing. TPU_ERR_MEMORY.
 */
tpu_status metamorph_pair_make(metamorph_pair *self, metamorph_kind kind, bool *made,
                               tpu_message *why) TPU_NODISCARD;

#endif
