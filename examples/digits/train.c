// SPDX-License-Identifier: Apache-2.0
//
// Trains the weights of the digits demo and writes them beside the images.

#include "examples/digits/digits.h"
#include "examples/digits/trainer.h"
#include "harness/io/npy.h"

#include <stdio.h>

static digits data;

static tpu_status write_weights(const char *directory, const char *name, const int8_t *weights,
                                size_t rows, size_t columns, tpu_message *why) {
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (length >= (int)sizeof path) {
        return status_fail(why, TPU_REFUSED, "%s: the name of the directory is too long",
                           directory);
    }
    return npy_write(path, weights, rows, columns, columns, NPY_ORDER_C, why);
}

static tpu_status train(const char *directory, digits_result *result, tpu_message *why) {
    tpu_status status = digits_load_images(directory, &data, why);
    if (status == TPU_OK) {
        status = trainer_train(&data, why);
    }
    if (status == TPU_OK) {
        status = write_weights(directory, "w1.npy", data.w1[0], DIGITS_PIXELS, DIGITS_HIDDEN, why);
    }
    if (status == TPU_OK) {
        status = write_weights(directory, "w2.npy", data.w2[0], DIGITS_HIDDEN, DIGITS_OUTPUTS, why);
    }
    return status == TPU_OK
               ? digits_score(&data, digits_batches(), 1, digits_plain, NULL, result, why)
               : status;
}

int main(int argc, char **argv) {
    tpu_message why;
    digits_result result;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: digits_train DIRECTORY   (the one with digits.csv.gz)\n");
        return 2;
    }
    tpu_status status = train(argv[1], &result, &why);
    if (status != TPU_OK) {
        (void)fprintf(stderr, "digits_train: %s\n", why.text);
        return status == TPU_REFUSED ? 2 : 3;
    }
    printf("held out: %zu of %zu right, %.1f %%\n", result.correct, result.images,
           100.0 * (double)result.correct / (double)result.images);
    return 0;
}
