// SPDX-License-Identifier: Apache-2.0
//
// The programs this project ships, written with the loop-nest builder. What their layout cannot
// hold is refused with the reason; the rest is legal, except programs_ar_distance below
// TPU_AR_RAW_DIST, which is there to be refused by `check`.

#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "csim/isa/isa.h"
#include "csim/isa/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Orders of one and the same GEMM. */
typedef enum programs_form {
    PROGRAMS_LOOPED,      /**< shipped: all of A, all of B, then the products */
    PROGRAMS_INTERLEAVED, /**< A's blocks are loaded between the mms of the first n tile */
    PROGRAMS_B_PER_TILE,  /**< A first, each B block inside the n loop */
    PROGRAMS_FLAT,        /**< LOOPED fully unrolled, absolute addresses; may outgrow imem */
    PROGRAMS_FAST, /**< fewest cycles: two tiles open together, B in pieces, no loop of one trip */
    PROGRAMS_FORM_COUNT
} programs_form;

/** "looped", "interleaved", "b_per_tile", "flat", "fast"; NULL when unknown. */
const char *programs_form_name(programs_form form);

/** The form of that name. @return false when there is none; `out` is untouched then. */
bool programs_form_from_name(const char *name, programs_form *out);

/**
 * C[M x N] = A[M x K] * B[K x N], optionally rectified, saturated to int8.
 * @param[out] out  previous contents are not released; untouched on failure.
 * @return TPU_OK, TPU_REFUSED (limits_check_gemm, or a form that cannot do this shape), or
 *         TPU_ERR_MEMORY. Whether it fits imem is image_build's question.
 */
tpu_status programs_gemm(const tpu_params *params, programs_form form, uint32_t m, uint32_t k,
                         uint32_t n, bool relu, isa_program *out, tpu_message *why) TPU_NODISCARD;

/**
 * C[M x T] = relu(2 * (A[M x T] * B[T x T])): the first output tile, through vadd and vrelu.
 * @return as programs_gemm; refused unless TPU_AR_RAW_DIST <= M <= MAXDIM.
 */
tpu_status programs_vadd(const tpu_params *params, uint32_t m, isa_program *out,
                         tpu_message *why) TPU_NODISCARD;

/**
 * Varies every field that a GEMM holds still: both destinations of dma_ld, vld, four accumulator
 * regions, mvout in a loop that walks three fields.
 * @param m  rows; even, >= T, 2M <= MAXDIM. Needs WPR >= 4 and 5 + 2T <= MAXDIM as well.
 */
tpu_status programs_vector(const tpu_params *params, uint32_t m, isa_program *out,
                           tpu_message *why) TPU_NODISCARD;

/**
 * Every accumulator read comes exactly `d` accu steps after the write it depends on, through every
 * kind of read and of write. Built for d < TPU_AR_RAW_DIST too, for the sake of refusing it.
 * @param d  1 .. MAXDIM / 2; needs WPR >= 3.
 */
tpu_status programs_ar_distance(const tpu_params *params, uint32_t d, isa_program *out,
                                tpu_message *why) TPU_NODISCARD;

/**
 * Row-tiled GEMM, unrolled: C = A * B with M = n_out * rows, N = n_block * T, K = n_reduce * T.
 * @param rows  rows of one output tile, >= TPU_AR_RAW_DIST.
 */
tpu_status programs_tiled(const tpu_params *params, uint32_t n_out, uint32_t n_block,
                          uint32_t n_reduce, uint32_t rows, isa_program *out,
                          tpu_message *why) TPU_NODISCARD;

/**
 * Element-wise work on n_out row tiles, unrolled: x = A tile * B[T x T], C tile = x + x, then
 * rectified when `relu`. M = n_out * rows, one output column block.
 */
tpu_status programs_pointwise(const tpu_params *params, uint32_t n_out, uint32_t rows, bool relu,
                              isa_program *out, tpu_message *why) TPU_NODISCARD;

#endif
