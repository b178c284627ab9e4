// SPDX-License-Identifier: Apache-2.0
//
// The digits demo as a line of the table: every layer of every batch runs in lockstep, and the
// held-out accuracy of machine, model and plain C must be the same.

#define _POSIX_C_SOURCE 200809L

#include "examples/digits/digits.h"
#include "harness/cli/cli.h"
#include "harness/engine/loader.h"
#include "harness/suite/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYERS 2

// The run, and what the model gave in it: layer after layer, taken again for the model's score.
typedef struct demo {
    suite *table;
    int8_t *model; // DIGITS_BATCH * DIGITS_HIDDEN bytes a layer
    size_t next;   // layer
} demo;

static int8_t *model_layer(demo *self) {
    return self->model + self->next++ * DIGITS_BATCH * DIGITS_HIDDEN;
}

static tpu_status run_layer(void *user, const digits_gemm *gemm, int8_t *c, tpu_message *why) {
    demo *self = user;
    const suite_product product = {.m = (uint32_t)gemm->m,
                                   .k = (uint32_t)gemm->k,
                                   .n = (uint32_t)gemm->n,
                                   .relu = gemm->relu != 0,
                                   .a = gemm->a,
                                   .b = gemm->b,
                                   .machine = c,
                                   .model = model_layer(self)};
    return suite_gemm(self->table, &product, why);
}

static tpu_status recall_layer(void *user, const digits_gemm *gemm, int8_t *c, tpu_message *why) {
    (void)why;
    memcpy(c, model_layer(user), gemm->m * gemm->n);
    return TPU_OK;
}

// $TPU_DIGITS_DIR, else the directory below the working one, else below the executable's parent.
static void find_directory(char *path, size_t size) {
    const char *set = getenv("TPU_DIGITS_DIR");
    char self[PATH_MAX];
    (void)snprintf(path, size, "%s", set != NULL ? set : "examples/digits");
    if (set != NULL || access(path, R_OK) == 0) {
        return;
    }
    loader_program_directory(self, sizeof self);
    (void)snprintf(path, size, "%s/../examples/digits", self);
}

static double percent(const digits_result *result) {
    return result->images > 0 ? 100.0 * (double)result->correct / (double)result->images : 0;
}

static tpu_status score(demo *self, const digits *images, digits_result result[3],
                        tpu_message *why) {
    uint32_t t = suite_params(self->table)->t;
    tpu_status status = digits_score(images, digits_batches(), t, run_layer, self, &result[0], why);
    if (status == TPU_OK) {
        self->next = 0;
        status = digits_score(images, digits_batches(), t, recall_layer, self, &result[1], why);
    }
    if (status == TPU_OK) {
        status = digits_score(images, digits_batches(), t, digits_plain, NULL, &result[2], why);
    }
    return status;
}

static bool all_equal(const digits_result result[3]) {
    return result[0].correct == result[1].correct && result[0].correct == result[2].correct &&
           result[0].digest == result[1].digest && result[0].digest == result[2].digest;
}

static void finish(demo *self, tpu_status status, const digits_result result[3],
                   const tpu_message *why) {
    char note[256];
    if (status != TPU_OK) {
        suite_end(self->table, false, why->text);
        return;
    }
    (void)snprintf(note, sizeof note,
                   "held-out digits right: machine %.1f %%, model %.1f %%, plain C %.1f %% "
                   "(%zu, %zu, %zu of %zu)%s",
                   percent(&result[0]), percent(&result[1]), percent(&result[2]), result[0].correct,
                   result[1].correct, result[2].correct, result[0].images,
                   all_equal(result) ? ": all outputs equal" : ": THEY DIFFER");
    suite_end(self->table, all_equal(result), note);
}

tpu_status cli_digits(void *user, suite *table, tpu_message *why) {
    char directory[PATH_MAX + 32];
    const tpu_params *params = suite_params(table);
    demo self = {.table = table};
    digits_result result[3] = {{.images = 0}};
    tpu_message reason = {{0}};
    (void)user;
    tpu_status status = suite_begin(table, "digits", why);
    if (status != TPU_OK) {
        return status;
    }
    digits *images = calloc(1, sizeof *images);
    self.model = calloc(LAYERS * digits_batches(), DIGITS_BATCH * DIGITS_HIDDEN);
    if (images == NULL || self.model == NULL) {
        free(images);
        free(self.model);
        return status_fail(why, TPU_ERR_MEMORY, "digits: out of memory");
    }
    find_directory(directory, sizeof directory);
    status = digits_fits(params->t, params->maxdim, &reason);
    if (status == TPU_OK) {
        status = digits_load(directory, images, &reason);
    }
    if (status == TPU_OK) {
        status = score(&self, images, result, &reason);
        finish(&self, status, result, &reason);
    } else {
        suite_skip(table, &reason);
    }
    free(images);
    free(self.model);
    return TPU_OK;
}
