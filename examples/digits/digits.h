// SPDX-License-Identifier: Apache-2.0
//
// The digits demo: a two-layer int8 perceptron, 64 -> 32 -> 16 (10 used), without bias and without
// requantisation: every layer is saturate(max(x * W1, 0)) or saturate(x * W2), one GEMM each.
// Gives the layers' operands batch by batch to any engine; it runs none itself.

#ifndef DIGITS_H
#define DIGITS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGITS_PIXELS 64  /**< inputs, 0 .. 16 each */
#define DIGITS_HIDDEN 32  /**< hidden units after layer 1 */
#define DIGITS_OUTPUTS 16 /**< outputs of layer 2; the first DIGITS_CLASSES are used */
#define DIGITS_CLASSES 10
#define DIGITS_COUNT 1797   /**< images in the file */
#define DIGITS_TRAINED 1200 /**< the first images train; the rest is held out */
#define DIGITS_HELD_OUT (DIGITS_COUNT - DIGITS_TRAINED)
#define DIGITS_BATCH 64  /**< largest M of one GEMM */
#define DIGITS_MAXDIM 64 /**< the smallest MAXDIM that the demo fits */

/** Images, labels and weights. Plain data, about 125 KB; no pointer inside. */
typedef struct digits {
    int8_t pixels[DIGITS_COUNT][DIGITS_PIXELS];
    uint8_t label[DIGITS_COUNT];
    int8_t w1[DIGITS_PIXELS][DIGITS_HIDDEN];
    int8_t w2[DIGITS_HIDDEN][DIGITS_OUTPUTS];
} digits;

/** One GEMM of the demo: C (m x n) = A (m x k) * B (k x n). Operands are borrowed, row-major. */
typedef struct digits_gemm {
    size_t m, k, n;
    int relu;
    const int8_t *a; /**< k elements from row to row */
    const int8_t *b; /**< n elements from row to row */
} digits_gemm;

/**
 * Runs one GEMM: fills c, m rows of n elements without a gap.
 * @return TPU_OK or a failure, which ends digits_score.
 */
typedef tpu_status (*digits_engine)(void *user, const digits_gemm *gemm, int8_t *c,
                                    tpu_message *why);

/** What a run over the held-out images gave. */
typedef struct digits_result {
    size_t images;
    size_t correct;
    uint32_t digest; /**< over every image's bytes of both layers; the same for every T */
} digits_result;

/** TPU_OK when the demo fits the parameter point, else TPU_REFUSED with the limit and by how much.
 */
tpu_status digits_fits(uint32_t t, uint32_t maxdim, tpu_message *why) TPU_NODISCARD;

/** Reads digits.csv.gz alone from `directory`; weights are zero. */
tpu_status digits_load_images(const char *directory, digits *out, tpu_message *why) TPU_NODISCARD;

/** Reads digits.csv.gz, w1.npy and w2.npy from `directory`. `out` is unspecified on failure. */
tpu_status digits_load(const char *directory, digits *out, tpu_message *why) TPU_NODISCARD;

/** Number of held-out batches of at most DIGITS_BATCH images. */
size_t digits_batches(void);

/**
 * Layer 1 of a batch (0-based). The last batch is padded: `m` is a multiple of `t` whose surplus
 * rows are images of the start of the held-out part.
 * @param scratch  borrowed, DIGITS_BATCH * DIGITS_PIXELS bytes, lives as long as the result
 */
digits_gemm digits_layer1(const digits *self, size_t batch, size_t t, int8_t *scratch);

/** Layer 2 on what layer 1 gave: `hidden` is borrowed, m rows of DIGITS_HIDDEN. */
digits_gemm digits_layer2(const digits *self, size_t m, const int8_t *hidden);

/** Class of one output row: the first largest of its DIGITS_CLASSES values. */
size_t digits_class(const int8_t *outputs);

/** Runs `batches` batches (from the first) through `run`, both layers, and counts. */
tpu_status digits_score(const digits *self, size_t batches, size_t t, digits_engine run, void *user,
                        digits_result *out, tpu_message *why) TPU_NODISCARD;

/** A digits_engine in plain C; `user` is not used. */
tpu_status digits_plain(void *user, const digits_gemm *gemm, int8_t *c, tpu_message *why);

#endif
