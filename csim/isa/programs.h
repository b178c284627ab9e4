// SPDX-License-Identifier: Apache-2.0
//
// The programs this project ships, written with the loop-nest builder. All of them are legal for
// the parameters they are asked for, or refused with the reason.

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
    PROGRAMS_FAST,        /**< first mm as early as possible, next B block ahead of its mms */
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

/** C[M x T] = relu(2 * A[M x T] * B[T x T]): the first output tile, through vadd and vrelu. */
tpu_status programs_vadd(const tpu_params *params, uint32_t m, isa_program *out,
                         tpu_message *why) TPU_NODISCARD;

/** Varies every field that a GEMM holds still; needs M even and >= T, 2M <= MAXDIM, WPR >= 4. */
tpu_status programs_vector(const tpu_params *params, uint32_t m, isa_program *out,
                           tpu_message *why) TPU_NODISCARD;

/** Every accumulator read comes exactly `d` accu steps after its write; legal from d = 4 on. */
tpu_status programs_ar_distance(const tpu_params *params, uint32_t d, isa_program *out,
                                tpu_message *why) TPU_NODISCARD;

/** Unrolled row-tiled GEMM: n_out row tiles of `rows`, n_block column tiles, n_reduce k tiles. */
tpu_status programs_tiled(const tpu_params *params, uint32_t n_out, uint32_t n_block,
                          uint32_t n_reduce, uint32_t rows, isa_program *out,
                          tpu_message *why) TPU_NODISCARD;

/** Unrolled element-wise family: n_out tiles of `rows`, each x + x (vaddrelu or vadd). */
tpu_status programs_pointwise(const tpu_params *params, uint32_t n_out, uint32_t rows, bool relu,
                              isa_program *out, tpu_message *why) TPU_NODISCARD;

#endif
