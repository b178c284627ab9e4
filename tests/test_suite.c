// SPDX-License-Identifier: Apache-2.0
//
// The suite on the fake engine: which lines there are, that they are exact, that a fault leaves a
// reproducer which brings the same verdict back, and that a broken harness ends it.

#include "harness/suite/suite.h"

#include "csim/isa/params.h"
#include "harness/replay/reproducer.h"
#include "harness/stress/operands.h"
#include "tests/support/fake_engine.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define ROWS_MAX 256

typedef struct table {
    suite_row row[ROWS_MAX];
    size_t count;
} table;

static table seen;
static fake_fault injected;
static engine_api spoiled;
static char directory[256];

static void note_row(void *user, const suite_row *row) {
    table *self = user;
    cr_assert_lt(self->count, (size_t)ROWS_MAX);
    self->row[self->count++] = *row;
}

static void set_up(void) {
    memset(&seen, 0, sizeof seen);
    memset(&injected, 0, sizeof injected);
    spoiled = fake_engine_faulty(&injected);
    scratch_make(directory, sizeof directory);
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(suite, .init = set_up, .fini = tear_down, .timeout = 60);

static suite_options options(uint32_t t, uint32_t maxdim) {
    return (suite_options){.engine = "fake",
                           .config = {.params = params_default(t, maxdim),
                                      .init = ENGINE_INIT_RANDOM,
                                      .init_seed = 5,
                                      .timing = {.read_latency = 1, .write_latency = 1},
                                      .watchdog = 1000},
                           .hang_limit = 2000,
                           .seed = 1,
                           .fail_directory = directory,
                           .api = &spoiled};
}

static size_t count_lines(const char *program) {
    size_t count = 0;
    for (size_t i = 0; i < seen.count; i++) {
        count += strcmp(seen.row[i].program, program) == 0;
    }
    return count;
}

Test(suite, keeps_the_benchmark_shapes_that_fit) {
    suite_shape shapes[SUITE_SHAPES_MAX];
    tpu_params small = params_default(4, 16);
    tpu_params large = params_default(8, 64);
    // T=4: all up to 16 = 5 of them. T=8: (4,4,4) and (12,12,12) are no multiples.
    cr_expect_eq(suite_shapes(&small, shapes, SUITE_SHAPES_MAX), 5u);
    cr_expect_eq(suite_shapes(&large, shapes, SUITE_SHAPES_MAX), 8u);
    cr_expect_eq(shapes[0].m, 8u);
}

Test(suite, is_exact_on_an_engine_that_plays_the_model) {
    suite_summary summary;
    tpu_message why = {{0}};
    suite_options with = options(4, 16);
    cr_assert_eq(suite_run(&with, note_row, &seen, &summary, &why), TPU_OK, "%s", why.text);
    for (size_t i = 0; i < seen.count; i++) {
        cr_expect(seen.row[i].skipped || seen.row[i].kind == VERDICT_OK, "%s: %s",
                  seen.row[i].program, seen.row[i].sentence.text);
    }
    // 5 shapes in 4 forms, vadd, vector; flat 16x16x16 outgrows imem twice.
    cr_expect_eq(seen.count, 22u);
    cr_expect_eq(summary.skipped, 2u);
    cr_expect_eq(summary.run, 20u);
    cr_expect_eq(summary.exact, 20u);
    cr_expect_eq(summary.worst, VERDICT_OK);
    cr_expect_eq(count_lines("gemm relu flat"), 5u);
    cr_expect_eq(seen.row[0].ideal, 4u);
    cr_expect_eq(seen.row[16].ideal, 256u);
}

Test(suite, adds_the_stress_calls_and_the_families) {
    suite_summary summary;
    suite_options with = options(4, 64);
    with.stress = true;
    cr_assert_eq(suite_run(&with, note_row, &seen, &summary, NULL), TPU_OK);
    cr_expect_eq(summary.exact, summary.run);
    cr_expect_eq(count_lines("stress"), 10u);
    cr_expect_eq(count_lines("gemm interleaved"), 10u);
    cr_expect_eq(count_lines("tiled n2b2k2r4"), 1u);
    for (size_t i = 0; i < seen.count; i++) {
        if (strcmp(seen.row[i].program, "stress") == 0) {
            cr_expect_eq(seen.row[i].calls, 6u, "%llu", (unsigned long long)seen.row[i].calls);
        }
    }
}

Test(suite, has_one_digest_for_every_timing) {
    suite_summary one;
    suite_summary other;
    suite_options with = options(4, 16);
    cr_assert_eq(suite_run(&with, note_row, &seen, &one, NULL), TPU_OK);
    with.config.init_seed = 99;
    injected =
        (fake_fault){.kind = FAKE_FAULT_LATE, .stream = TPU_STREAM_ACOL, .event = 1, .value = 77};
    seen.count = 0;
    cr_assert_eq(suite_run(&with, note_row, &seen, &other, NULL), TPU_OK);
    cr_expect_eq(other.exact, other.run);
    cr_expect_eq(one.digest, other.digest);
}

Test(suite, leaves_a_reproducer_of_every_failure) {
    suite_summary summary;
    suite_options with = options(4, 16);
    const suite_shape shape = {8, 8, 8};
    with.shapes = &shape;
    with.shape_count = 1;
    injected =
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 9, .bit = 33};
    cr_assert_eq(suite_run(&with, note_row, &seen, &summary, NULL), TPU_OK);
    cr_expect_eq(summary.worst, VERDICT_MISMATCH);
    cr_expect_eq(summary.exact, 0u);
    for (size_t i = 0; i < seen.count; i++) {
        reproducer file = {.run = NULL};
        char path[300];
        verdict again;
        tpu_message why = {{0}};
        size_t at = 0;
        verdict_init(&again);
        (void)snprintf(path, sizeof path, "%s/repro.json", seen.row[i].directory);
        cr_assert_eq(reproducer_read(path, &file, &why), TPU_OK, "%s", why.text);
        reproducer_replay(&file, &spoiled, NULL, &again, &at);
        cr_expect(reproducer_same(&file, &again, at), "%s", seen.row[i].program);
        verdict_clear(&again);
        reproducer_clear(&file);
        scratch_remove(seen.row[i].directory);
    }
}

static int created;

static tpu_status create_once(const engine_config *config, engine **out, tpu_message *why) {
    created++;
    return fake_engine_faulty(&injected).create(config, out, why);
}

Test(suite, keeps_the_one_systemc_engine_that_a_process_can_have) {
    suite_summary summary;
    suite_summary usual;
    suite_options with = options(4, 16);
    cr_assert_eq(suite_run(&with, note_row, &seen, &usual, NULL), TPU_OK);
    seen.count = 0;
    with.engine = "systemc";
    with.speed_seconds = 0.001;
    spoiled.create = create_once;
    created = 0;
    cr_assert_eq(suite_run(&with, note_row, &seen, &summary, NULL), TPU_OK);
    cr_expect_eq(created, 1);
    cr_expect_eq(summary.exact, 20u);
    cr_expect_eq(summary.digest, usual.digest);
    cr_expect(!summary.stopped);
}

Test(suite, stops_after_a_failure_of_an_engine_that_cannot_start_over) {
    suite_summary summary;
    suite_options with = options(4, 16);
    with.engine = "systemc";
    injected = (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 1};
    cr_assert_eq(suite_run(&with, note_row, &seen, &summary, NULL), TPU_OK);
    cr_expect_eq(summary.worst, VERDICT_MISMATCH);
    cr_expect_eq(summary.run, 1u);
    cr_expect(summary.stopped);
    scratch_remove(seen.row[0].directory);
}

Test(suite, stops_when_the_harness_is_broken) {
    suite_summary summary;
    tpu_message why = {{0}};
    suite_options with = options(4, 16);
    injected = (fake_fault){.kind = FAKE_FAULT_HASH};
    cr_expect_eq(suite_run(&with, note_row, &seen, &summary, &why), TPU_ERR_INTERNAL);
    cr_expect_eq(seen.count, 1u);
    cr_expect(strstr(why.text, "spec") != NULL, "%s", why.text);
}

Test(suite, draws_boundary_operands_whose_results_straddle_the_bounds_of_int8) {
    uint8_t a[64 * 64];
    uint8_t b[64 * 64];
    static const int targets[] = {127, 128,  -128, -129, 0,   1,    -1,  126,
                                  129, -127, -130, 2,    200, -200, 254, -254};
    operands_fill(OPERANDS_BOUNDARY, 3, 64, 16, 8, 16, a, b);
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 16; j++) {
            int sum = 0;
            for (int k = 0; k < 8; k++) {
                sum += (int8_t)a[i * 64 + k] * (int8_t)b[k * 64 + j];
            }
            cr_expect_eq(sum, targets[j] + i % 5 - 2);
        }
    }
}
