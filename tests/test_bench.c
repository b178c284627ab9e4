// SPDX-License-Identifier: Apache-2.0
//
// The benchmark on the fake engine: ideals and targets as the closed form and the performance page
// say, every line exact, and a wrong machine gives no cycle count.

#include "harness/suite/bench_tools.h"

#include "csim/isa/params.h"
#include "tests/support/fake_engine.h"

#include <criterion/criterion.h>

#include <string.h>

typedef struct lines {
    bench_row row[32];
    size_t count;
} lines;

static lines seen;
static fake_fault injected;
static engine_api spoiled;

static void note_row(void *user, const bench_row *row) {
    lines *self = user;
    cr_assert_lt(self->count, 32u);
    self->row[self->count++] = *row;
}

static void set_up(void) {
    memset(&seen, 0, sizeof seen);
    memset(&injected, 0, sizeof injected);
    spoiled = fake_engine_faulty(&injected);
}

TestSuite(bench, .init = set_up, .timeout = 60);

static bench_options options(void) {
    return (bench_options){.engine = "fake",
                           .config = {.params = params_default(4, 16), .watchdog = 1000},
                           .seed = 1,
                           .api = &spoiled};
}

Test(bench, gives_every_shape_its_ideal_and_its_target) {
    static const uint64_t ideal[] = {4, 32, 108, 128, 256};
    static const uint64_t target[] = {60, 95, 185, 210, 350};
    bench_options with = options();
    with.speed_seconds = 0.001;
    cr_assert_eq(bench_run(&with, note_row, &seen, NULL), TPU_OK);
    cr_assert_eq(seen.count, 5u);
    for (size_t i = 0; i < seen.count; i++) {
        cr_expect_eq(seen.row[i].ideal, ideal[i]);
        cr_expect_eq(seen.row[i].target, target[i]);
        cr_expect(seen.row[i].exact, "%s", seen.row[i].sentence.text);
        cr_expect_gt(seen.row[i].checked, 0.0);
        cr_expect_gt(seen.row[i].bare, 0.0);
        for (size_t k = 0; k < BENCH_LATENCIES; k++) {
            cr_expect_gt(seen.row[i].shipped[k], 0u);
            cr_expect_gt(seen.row[i].best[k], 0u);
        }
        cr_expect_leq(seen.row[i].best[0], seen.row[i].shipped[0]);
    }
}

Test(bench, has_no_cycle_count_of_a_wrong_result) {
    bench_options with = options();
    injected = (fake_fault){.kind = FAKE_FAULT_C_CELL, .event = 255};
    cr_assert_eq(bench_run(&with, note_row, &seen, NULL), TPU_OK);
    for (size_t i = 0; i < seen.count; i++) {
        cr_expect(!seen.row[i].exact);
        cr_expect_eq(seen.row[i].shipped[0], 0u);
        cr_expect_eq(seen.row[i].best[0], 0u);
        cr_expect(strlen(seen.row[i].sentence.text) > 0);
    }
}

// The fake engine's rate says nothing; that something was counted, and that a wrong program is no
// figure, does.
Test(bench, counts_fuzzed_programs_and_has_no_figure_of_a_wrong_one) {
    bench_options with = options();
    bench_figure figure;
    tpu_message why = {{0}};
    cr_assert_eq(bench_tools_fuzz(&with, 0.2, &figure, &why), TPU_OK, "%s", why.text);
    cr_expect_gt(figure.value, 0);
    cr_expect_eq(figure.target, 5000);
    injected = (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_DLD, .event = 0};
    cr_expect_eq(bench_tools_fuzz(&with, 0.2, &figure, &why), TPU_ERR_ENGINE);
    cr_expect(strstr(why.text, "c_dld") != NULL, "%s", why.text);
}

Test(bench, holds_a_figure_against_a_floor_or_a_ceiling) {
    cr_expect(bench_tools_reached(&(bench_figure){.value = 1, .target = 0}));
    cr_expect(bench_tools_reached(&(bench_figure){.value = 5000, .target = 5000}));
    cr_expect_not(bench_tools_reached(&(bench_figure){.value = 4999, .target = 5000}));
    cr_expect(bench_tools_reached(&(bench_figure){.value = 1.05, .target = 1.05, .at_most = true}));
    cr_expect_not(
        bench_tools_reached(&(bench_figure){.value = 1.06, .target = 1.05, .at_most = true}));
}
