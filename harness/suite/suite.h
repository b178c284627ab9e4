// SPDX-License-Identifier: Apache-2.0
//
// The table of `make cosim`: which programs run on which shapes, each in lockstep, with cycles,
// compares and speeds as data. Layout of the table and exit codes are the command line's.

#ifndef SUITE_H
#define SUITE_H

#include "base/status.h"
#include "harness/engine/engine.h"
#include "harness/lockstep/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct suite_shape {
    uint32_t m;
    uint32_t k;
    uint32_t n;
} suite_shape;

typedef struct suite suite;

/** What to run. Strings and arrays are borrowed until suite_run returns. */
typedef struct suite_options {
    const char *engine;
    engine_config config;
    uint64_t hang_limit; /**< 0 = default */
    uint64_t seed;
    bool stress;               /**< adds the stress calls and the program families */
    const suite_shape *shapes; /**< NULL = the benchmark shapes that fit */
    size_t shape_count;
    const char *fail_directory; /**< failures leave a directory in it */
    double speed_seconds;       /**< spent on each speed figure; 0 = none */
    const engine_api *api;      /**< NULL = load the engine; for tests */
    /** Lines of the caller's, after the others: suite_begin, suite_gemm, suite_end; or NULL. */
    tpu_status (*extra)(void *user, suite *self, tpu_message *why);
    void *extra_user;
} suite_options;

/** One line of the table. */
typedef struct suite_row {
    char program[40]; /**< "gemm relu flat" */
    suite_shape shape;
    bool skipped; /**< did not run; `sentence` says why; neither exact nor failed */
    verdict_kind kind;
    uint64_t cycles; /**< least over the calls; of a stress line, over its GEMMs */
    uint64_t ideal;  /**< (N/T)(K/T)M; 0 = not a GEMM */
    uint64_t calls;  /**< programs run in one engine after another */
    uint64_t compared[TPU_STREAM_COUNT];
    uint64_t cells; /**< memory rows and cells of C compared */
    double checked; /**< cycles a second; 0 = not measured */
    double bare;
    uint64_t digest;
    tpu_message sentence;
    tpu_message note;    /**< one more line of text; "" = none */
    char directory[160]; /**< of the failure; "" = none */
} suite_row;

typedef struct suite_summary {
    size_t run;
    size_t exact;
    size_t skipped;
    verdict_kind worst; /**< ERROR before REFUSED before HANG before MISMATCH before OK */
    uint64_t compared[TPU_STREAM_COUNT];
    uint64_t digest; /**< over the rows' digests, in order */
    bool stopped;    /**< lines were left out: the engine cannot start over after a failure */
} suite_summary;

/** Called with each finished line; `row` is borrowed. */
typedef void (*suite_on_row)(void *user, const suite_row *row);

/** The ten benchmark shapes; those that are multiples of T and fit MAXDIM are kept. */
size_t suite_shapes(const tpu_params *params, suite_shape *out, size_t limit);

#define SUITE_SHAPES_MAX 64

/** One GEMM of a caller's line, any operands that fit MAXDIM; extents are multiples of T. */
typedef struct suite_product {
    uint32_t m;
    uint32_t k;
    uint32_t n;
    bool relu;
    const int8_t *a; /**< m rows of k, borrowed */
    const int8_t *b; /**< k rows of n, borrowed */
    int8_t *machine; /**< m rows of n; what the machine gave */
    int8_t *model;   /**< the same of the model */
} suite_product;

/** Starts a caller's line with a fresh engine. */
tpu_status suite_begin(suite *self, const char *program, tpu_message *why) TPU_NODISCARD;

/**
 * Runs one product in lockstep as part of the line.
 * @return TPU_OK, or TPU_ERR_ENGINE when it was not exact (the line knows), or TPU_REFUSED.
 */
tpu_status suite_gemm(suite *self, const suite_product *product, tpu_message *why) TPU_NODISCARD;

/** Ends the line; `note` (may be NULL) is shown below it. `exact` false: the caller found fault. */
void suite_end(suite *self, bool exact, const char *note);

/** Ends the line as not run, with the reason. */
void suite_skip(suite *self, const tpu_message *why);

const tpu_params *suite_params(const suite *self);

/**
 * Runs the table.
 * @return TPU_OK, also when rows failed; TPU_REFUSED when there is no engine or nothing to run.
 */
tpu_status suite_run(const suite_options *options, suite_on_row on_row, void *user,
                     suite_summary *out, tpu_message *why) TPU_NODISCARD;

#endif
