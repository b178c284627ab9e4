// SPDX-License-Identifier: Apache-2.0
//
// Operands for stress programs, which take tiles of T from anywhere: a pool of filled matrices of
// every class, made once from a seed; picking from it costs nothing.

#ifndef STRESS_OPERANDS_H
#define STRESS_OPERANDS_H

#include "base/rng.h"
#include "base/status.h"
#include "csim/isa/params.h"

#include <stdint.h>

typedef struct stress_operands stress_operands;

/** What one program works on: params_region_bytes each, borrowed from the pool. */
typedef struct stress_operands_pick {
    const uint8_t *a;
    const uint8_t *b;
    const uint8_t *c;
    const char *kind; /**< "full", ..., "boundary" (in every tile), "equal", "one-hot" */
} stress_operands_pick;

/** Equal seeds and parameters give equal pools. @return TPU_OK or TPU_ERR_MEMORY. */
tpu_status stress_operands_create(const tpu_params *params, uint64_t seed, stress_operands **out,
                                  tpu_message *why) TPU_NODISCARD;

/** NULL-safe. */
void stress_operands_destroy(stress_operands *self);

/** Picks matrices; depends on the pool and on `source` alone. */
void stress_operands_draw(const stress_operands *self, rng *source, stress_operands_pick *out);

#endif
