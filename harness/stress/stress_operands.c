// SPDX-License-Identifier: Apache-2.0
//
// The pool. Each matrix is held twice in a row, so that a window of one region's size that starts
// at any of its rows is a matrix too: the same numbers in other places, without a copy.
//
// The boundary class repeats in every tile, for weights loaded from a DRAM row that is a multiple
// of T and any activations: (1, 1, i % 5 - 2, 0 ...) times (t / 2, t - t / 2, 1, 0 ...).

#include "harness/stress/stress_operands.h"

#include "harness/stress/operands.h"

#include <stdlib.h>
#include <string.h>

#define VARIANTS 6u

struct stress_operands {
    tpu_params params;
    size_t region;
    uint8_t *a; // OPERANDS_KIND_COUNT * VARIANTS pairs of regions
    uint8_t *b;
    uint8_t *c; // VARIANTS pairs
};

static void fill_boundary_a(const tpu_params *params, uint8_t *to) {
    for (uint32_t row = 0; row < params->maxdim; row++) {
        for (uint32_t column = 0; column < params->maxdim; column++) {
            uint32_t lane = column % params->t;
            int32_t value = lane < 2 ? 1 : lane == 2 ? (int32_t)(row % 5) - 2 : 0;
            *to++ = (uint8_t)(int8_t)value;
        }
    }
}

static void fill_boundary_b(const tpu_params *params, uint64_t seed, uint8_t *to) {
    static const int16_t targets[] = {127, 128,  -128, -129, 0,   1,    -1,  126,
                                      129, -127, -130, 2,    200, -200, 254, -254};
    for (uint32_t row = 0; row < params->maxdim; row++) {
        for (uint32_t column = 0; column < params->maxdim; column++) {
            uint32_t lane = row % params->t;
            size_t at = (column + row / params->t + seed) % (sizeof targets / sizeof targets[0]);
            int32_t half = targets[at] / 2;
            int32_t value = lane == 0 ? half : lane == 1 ? targets[at] - half : lane == 2;
            *to++ = (uint8_t)(int8_t)value;
        }
    }
}

static void fill_pair(const stress_operands *self, operands_kind kind, uint64_t seed, uint8_t *a,
                      uint8_t *b) {
    uint32_t maxdim = self->params.maxdim;
    if (kind == OPERANDS_BOUNDARY) {
        fill_boundary_a(&self->params, a);
        fill_boundary_b(&self->params, seed, b);
    } else {
        operands_fill(kind, seed, maxdim, maxdim, maxdim, maxdim, a, b);
    }
    memcpy(a + self->region, a, self->region);
    memcpy(b + self->region, b, self->region);
}

static void fill_all(stress_operands *self, uint64_t seed) {
    rng source;
    rng_seed(&source, seed);
    for (size_t i = 0; i < OPERANDS_KIND_COUNT * VARIANTS; i++) {
        size_t at = 2 * i * self->region;
        fill_pair(self, (operands_kind)(i / VARIANTS), rng_next(&source), self->a + at,
                  self->b + at);
    }
    rng_fill(&source, self->c, 2 * VARIANTS * self->region);
}

tpu_status stress_operands_create(const tpu_params *params, uint64_t seed, stress_operands **out,
                                  tpu_message *why) {
    stress_operands *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "stress: out of memory for operands");
    }
    self->params = *params;
    self->region = params_region_bytes(params);
    self->a = malloc(2 * OPERANDS_KIND_COUNT * VARIANTS * self->region);
    self->b = malloc(2 * OPERANDS_KIND_COUNT * VARIANTS * self->region);
    self->c = malloc(2 * VARIANTS * self->region);
    if (self->a == NULL || self->b == NULL || self->c == NULL) {
        stress_operands_destroy(self);
        return status_fail(why, TPU_ERR_MEMORY, "stress: out of memory for operands");
    }
    fill_all(self, seed);
    *out = self;
    return TPU_OK;
}

void stress_operands_destroy(stress_operands *self) {
    if (self == NULL) {
        return;
    }
    free(self->a);
    free(self->b);
    free(self->c);
    free(self);
}

// A start in the doubled matrix; whole tiles, so that boundary tiles stay where loads find them.
static size_t draw_turn(const stress_operands *self, rng *source) {
    const tpu_params *params = &self->params;
    return (size_t)rng_below(source, params_wpr(params)) * params->t * params->maxdim;
}

void stress_operands_draw(const stress_operands *self, rng *source, stress_operands_pick *out) {
    uint32_t kind = rng_below(source, OPERANDS_KIND_COUNT);
    size_t first = (size_t)kind * VARIANTS;
    size_t a = first + rng_below(source, VARIANTS);
    size_t b = first + rng_below(source, VARIANTS);
    size_t c = rng_below(source, VARIANTS);
    out->kind = operands_kind_name((operands_kind)kind);
    out->a = self->a + 2 * a * self->region + draw_turn(self, source);
    out->b = self->b + 2 * b * self->region + draw_turn(self, source);
    out->c = self->c + 2 * c * self->region + draw_turn(self, source);
}
