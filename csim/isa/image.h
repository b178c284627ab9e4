// SPDX-License-Identifier: Apache-2.0
//
// The contents of instruction memory: a header of per-unit work counts, then two words an
// instruction (spec/isa_spec.json#imem).

#ifndef IMAGE_H
#define IMAGE_H

#include "csim/isa/isa.h"
#include "csim/isa/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Words of imem: header and instructions, no padding. Zero-initialise before use. */
typedef struct image {
    uint64_t *words; /**< owned */
    size_t count;
} image;

/** What a run costs each unit, before it is squeezed into header slices. */
typedef struct image_counts {
    uint64_t n_instr;         /**< static instructions */
    uint64_t dma_ld_rows;     /**< steps of dma_ld */
    uint64_t spm_rows;        /**< steps of spm */
    uint64_t vru_words;       /**< steps of vru */
    uint64_t mm_count;        /**< mm issues */
    uint64_t mm_rows;         /**< wavefront rows through the array */
    uint64_t accu_iterations; /**< steps of accu */
    uint64_t dma_st_rows;     /**< steps of dma_st */
    uint64_t a_span;          /**< rows 0 .. span-1 of A are read */
    uint64_t b_span;          /**< rows 0 .. span-1 of B are read */
    uint64_t issues;          /**< data issues, nops included; not in the header */
    uint64_t fetches;         /**< fetches, loop and endloop included; not in the header */
} image_counts;

/** Adds the cost of one issue; `n_instr`, `issues` and `fetches` are left alone. */
void image_count_issue(const tpu_params *params, const isa_issue *issue, image_counts *counts);

/** Runs the control flow and counts. @return TPU_OK or what expand_next refuses. */
tpu_status image_count(const tpu_params *params, const isa_program *program, image_counts *out,
                       tpu_message *why) TPU_NODISCARD;

/**
 * Builds header and words.
 * @param checked  true: check_program first, and every field and count must fit. false (tests that
 *                 put a bad program on the machine): fields and counts are cut to their width; a
 *                 run that goes astray is counted up to there.
 * @param[out] out  previous contents are not released; untouched on failure.
 * @return TPU_OK, TPU_REFUSED (imem.overflow in either mode; hdr.count_overflow,
 *         hdr.array_overflow and check's rules when checked), or TPU_ERR_MEMORY.
 */
tpu_status image_build(const tpu_params *params, const isa_program *program, bool checked,
                       image *out, tpu_message *why) TPU_NODISCARD;

/**
 * Reads the instructions back; padding after them is ignored.
 * @param words  borrowed, `count` words.
 * @param[out] out  previous contents are not released; untouched on failure.
 * @return TPU_OK, TPU_REFUSED (truncated, or a bit outside every field), or TPU_ERR_MEMORY.
 */
tpu_status image_decode(const uint64_t *words, size_t count, isa_program *out,
                        tpu_message *why) TPU_NODISCARD;

/** Releases the words and zeroes the struct; safe on a zeroed one. */
void image_clear(image *self);

#endif
