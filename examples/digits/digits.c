// SPDX-License-Identifier: Apache-2.0
//
// Images and weights of the digits demo, and its layers as GEMMs.

#include "examples/digits/digits.h"

#include "harness/io/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PATH_MAX_BYTES 1024
#define LINE_MAX_BYTES 512
#define PIXEL_MAX 16

tpu_status digits_fits(uint32_t t, uint32_t maxdim, tpu_message *why) {
    if (maxdim < DIGITS_MAXDIM) {
        return status_fail(why, TPU_REFUSED,
                           "digits needs MAXDIM >= %d (64 pixels are the K of its first layer): "
                           "MAXDIM = %u is %u too small",
                           DIGITS_MAXDIM, maxdim, DIGITS_MAXDIM - maxdim);
    }
    if (t == 0 || DIGITS_OUTPUTS % t != 0) {
        return status_fail(why, TPU_REFUSED,
                           "digits needs a T that divides its %d outputs: T = %u does not",
                           DIGITS_OUTPUTS, t);
    }
    return TPU_OK;
}

static tpu_status join(const char *directory, const char *name, char path[PATH_MAX_BYTES],
                       tpu_message *why) {
    int length = snprintf(path, PATH_MAX_BYTES, "%s/%s", directory, name);
    if (length >= PATH_MAX_BYTES) {
        return status_fail(why, TPU_REFUSED, "%s: the name of the directory is too long",
                           directory);
    }
    return TPU_OK;
}

// Reads the number at *at, 0 .. limit, and the separator behind it.
static bool take_number(char **at, char separator, long limit, long *out) {
    char *end = *at;
    long value = strtol(*at, &end, 10);
    if (end == *at || value < 0 || value > limit || *end != separator) {
        return false;
    }
    *at = *end == '\0' ? end : end + 1;
    *out = value;
    return true;
}

static bool parse_line(char *line, int8_t pixels[DIGITS_PIXELS], uint8_t *label) {
    long value = 0;
    char *at = line;
    for (size_t i = 0; i < DIGITS_PIXELS; i++) {
        if (!take_number(&at, ',', PIXEL_MAX, &value)) {
            return false;
        }
        pixels[i] = (int8_t)value;
    }
    if (!take_number(&at, '\0', DIGITS_CLASSES - 1, &value)) {
        return false;
    }
    *label = (uint8_t)value;
    return true;
}

static tpu_status read_lines(gzFile file, const char *path, digits *out, tpu_message *why) {
    char line[LINE_MAX_BYTES];
    for (size_t i = 0; i < DIGITS_COUNT; i++) {
        if (gzgets(file, line, sizeof line) == NULL) {
            return status_fail(why, TPU_REFUSED, "%s: %zu images were found, %d are needed", path,
                               i, DIGITS_COUNT);
        }
        line[strcspn(line, "\r\n")] = '\0';
        if (!parse_line(line, out->pixels[i], &out->label[i])) {
            return status_fail(why, TPU_REFUSED,
                               "%s:%zu: not 64 pixels of 0..%d and a label of 0..%d", path, i + 1,
                               PIXEL_MAX, DIGITS_CLASSES - 1);
        }
    }
    if (gzgets(file, line, sizeof line) != NULL) {
        return status_fail(why, TPU_REFUSED, "%s: more than %d images were found", path,
                           DIGITS_COUNT);
    }
    return TPU_OK;
}

tpu_status digits_load_images(const char *directory, digits *out, tpu_message *why) {
    char path[PATH_MAX_BYTES];
    memset(out, 0, sizeof *out);
    tpu_status status = join(directory, "digits.csv.gz", path, why);
    if (status != TPU_OK) {
        return status;
    }
    gzFile file = gzopen(path, "rb");
    if (file == NULL) {
        return status_fail(why, TPU_ERR_IO, "%s: cannot be opened", path);
    }
    status = read_lines(file, path, out, why);
    (void)gzclose(file);
    return status;
}

static tpu_status load_weights(const char *directory, const char *name, size_t rows, size_t columns,
                               int8_t *out, tpu_message *why) {
    char path[PATH_MAX_BYTES];
    npy_matrix matrix = {0};
    tpu_status status = join(directory, name, path, why);
    if (status == TPU_OK) {
        status = npy_read(path, &matrix, why);
    }
    if (status == TPU_OK && (matrix.rows != rows || matrix.columns != columns)) {
        status =
            status_fail(why, TPU_REFUSED, "%s: a %zu x %zu matrix was found, %zu x %zu is needed",
                        path, matrix.rows, matrix.columns, rows, columns);
    }
    if (status == TPU_OK) {
        memcpy(out, matrix.data, rows * columns);
    }
    npy_clear(&matrix);
    return status;
}

tpu_status digits_load(const char *directory, digits *out, tpu_message *why) {
    tpu_status status = digits_load_images(directory, out, why);
    if (status == TPU_OK) {
        status = load_weights(directory, "w1.npy", DIGITS_PIXELS, DIGITS_HIDDEN, out->w1[0], why);
    }
    if (status == TPU_OK) {
        status = load_weights(directory, "w2.npy", DIGITS_HIDDEN, DIGITS_OUTPUTS, out->w2[0], why);
    }
    return status;
}

size_t digits_batches(void) {
    return (DIGITS_HELD_OUT + DIGITS_BATCH - 1) / DIGITS_BATCH;
}

static size_t batch_images(size_t batch) {
    size_t left = DIGITS_HELD_OUT - batch * DIGITS_BATCH;
    return left < DIGITS_BATCH ? left : DIGITS_BATCH;
}

digits_gemm digits_layer1(const digits *self, size_t batch, size_t t, int8_t *scratch) {
    size_t images = batch_images(batch);
    size_t m = (images + t - 1) / t * t;
    for (size_t i = 0; i < m; i++) {
        size_t image = i < images ? batch * DIGITS_BATCH + i : i - images;
        memcpy(scratch + i * DIGITS_PIXELS, self->pixels[DIGITS_TRAINED + image], DIGITS_PIXELS);
    }
    return (digits_gemm){
        .m = m, .k = DIGITS_PIXELS, .n = DIGITS_HIDDEN, .relu = 1, .a = scratch, .b = self->w1[0]};
}

digits_gemm digits_layer2(const digits *self, size_t m, const int8_t *hidden) {
    return (digits_gemm){
        .m = m, .k = DIGITS_HIDDEN, .n = DIGITS_OUTPUTS, .relu = 0, .a = hidden, .b = self->w2[0]};
}

size_t digits_class(const int8_t *outputs) {
    size_t best = 0;
    for (size_t i = 1; i < DIGITS_CLASSES; i++) {
        best = outputs[i] > outputs[best] ? i : best;
    }
    return best;
}

// FNV-1a, so that two runs can be compared by one number.
static uint32_t add_digest(uint32_t digest, const int8_t *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        digest = (digest ^ (uint8_t)data[i]) * UINT32_C(16777619);
    }
    return digest;
}

static tpu_status score_batch(const digits *self, size_t batch, size_t t, digits_engine run,
                              void *user, digits_result *out, tpu_message *why) {
    int8_t pixels[DIGITS_BATCH * DIGITS_PIXELS];
    int8_t hidden[DIGITS_BATCH * DIGITS_HIDDEN];
    int8_t outputs[DIGITS_BATCH * DIGITS_OUTPUTS];
    digits_gemm first = digits_layer1(self, batch, t, pixels);
    tpu_status status = run(user, &first, hidden, why);
    if (status != TPU_OK) {
        return status;
    }
    digits_gemm second = digits_layer2(self, first.m, hidden);
    status = run(user, &second, outputs, why);
    if (status != TPU_OK) {
        return status;
    }
    size_t images = batch_images(batch);
    out->digest = add_digest(out->digest, hidden, images * DIGITS_HIDDEN);
    out->digest = add_digest(out->digest, outputs, images * DIGITS_OUTPUTS);
    for (size_t i = 0; i < images; i++) {
        size_t image = DIGITS_TRAINED + batch * DIGITS_BATCH + i;
        out->images++;
        out->correct += digits_class(outputs + i * DIGITS_OUTPUTS) == self->label[image];
    }
    return TPU_OK;
}

tpu_status digits_score(const digits *self, size_t batches, size_t t, digits_engine run, void *user,
                        digits_result *out, tpu_message *why) {
    digits_result result = {.digest = UINT32_C(2166136261)};
    size_t count = batches < digits_batches() ? batches : digits_batches();
    for (size_t i = 0; i < count; i++) {
        tpu_status status = score_batch(self, i, t, run, user, &result, why);
        if (status != TPU_OK) {
            return status;
        }
    }
    *out = result;
    return TPU_OK;
}

tpu_status digits_plain(void *user, const digits_gemm *gemm, int8_t *c, tpu_message *why) {
    (void)user;
    (void)why;
    for (size_t i = 0; i < gemm->m; i++) {
        for (size_t j = 0; j < gemm->n; j++) {
            int sum = 0;
            for (size_t k = 0; k < gemm->k; k++) {
                sum += gemm->a[i * gemm->k + k] * gemm->b[k * gemm->n + j];
            }
            sum = gemm->relu != 0 && sum < 0 ? 0 : sum;
            c[i * gemm->n + j] = (int8_t)(sum > 127 ? 127 : sum < -128 ? -128 : sum);
        }
    }
    return TPU_OK;
}
