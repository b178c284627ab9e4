// SPDX-License-Identifier: Apache-2.0
//
// The build parameters of the machine at run time: defaults, environment, ranges and cross
// constraints. Every number comes from the generated tables of spec/isa_spec.json.

#ifndef PARAMS_H
#define PARAMS_H

#include "base/status.h"
#include "spec/generated/tpu_isa.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One parameter point. All counts; see spec/isa_spec.json#parameters for roles. */
typedef struct tpu_params {
    uint32_t t;         /**< TPU_T: SIMD lanes and array dimension. */
    uint32_t maxdim;    /**< TPU_MAXDIM: largest M, K, N and the DRAM row stride in bytes. */
    uint32_t spad_rows; /**< TPU_SPAD: scratchpad rows. */
    uint32_t nvr;       /**< TPU_NVR: operand vector registers. */
    uint32_t nar;       /**< TPU_NAR: accumulator rows. */
    uint32_t imem_size; /**< TPU_IMEM: instruction memory in 64-bit words, header included. */
    uint32_t qd;        /**< TPU_QD: depth of every channel. */
    uint32_t dma_words; /**< TPU_DMA_WORDS: packed words a load may move per step. */
} tpu_params;

/** Reads one environment variable; returns NULL when unset. Lets tests replace getenv. */
typedef const char *(*params_getenv)(const char *name);

/**
 * Fills `out` from the environment (TPU_T, TPU_MAXDIM, ...), defaults derived where unset, and
 * checks the result. `out` is untouched on failure.
 * @param read  borrowed function; NULL means the process environment.
 * @return TPU_OK, or TPU_REFUSED with a sentence naming variable, value and what is allowed.
 */
tpu_status params_from_env(params_getenv read, tpu_params *out, tpu_message *why) TPU_NODISCARD;

/**
 * The same from a text of words "TPU_T=8 TPU_QD=2"; what is not named has its default, whatever
 * the environment says. A word that sets no parameter, or one again, is refused.
 */
tpu_status params_from_text(const char *text, tpu_params *out, tpu_message *why) TPU_NODISCARD;

/** Defaults for a given T and MAXDIM (both unchecked): what the spec's default expressions give. */
tpu_params params_default(uint32_t t, uint32_t maxdim);

/** TPU_OK, or TPU_REFUSED with the spec's own reason for the first violated range or constraint. */
tpu_status params_check(const tpu_params *params, tpu_message *why) TPU_NODISCARD;

/** Packed words per DRAM row: MAXDIM / T; the legal range of col_block is 0 .. this - 1. */
uint32_t params_wpr(const tpu_params *params);

/** Largest static instruction count that imem can hold beside the header. */
uint32_t params_max_instructions(const tpu_params *params);

/** Size of one operand region (A, B or C) in bytes: MAXDIM * MAXDIM. */
uint32_t params_region_bytes(const tpu_params *params);

#ifdef __cplusplus
}
#endif

#endif
