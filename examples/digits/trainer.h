// SPDX-License-Identifier: Apache-2.0
//
// Trains the digits demo's weights: same numbers on every machine with IEEE doubles.

#ifndef TRAINER_H
#define TRAINER_H

#include "examples/digits/digits.h"

/**
 * Trains on the first DIGITS_TRAINED images and writes w1 and w2; the rest is never looked at.
 * @param[in,out] data  borrowed: images in, weights out
 * @return TPU_OK or TPU_ERR_MEMORY
 */
tpu_status trainer_train(digits *data, tpu_message *why) TPU_NODISCARD;

#endif
