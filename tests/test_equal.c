// SPDX-License-Identifier: Apache-2.0
//
// The same programs on engines with other contents, latencies and stalls; and engines whose events
// depend on one of these, which must be found without any model.

#include "harness/stress/equal.h"

#include "harness/engine/loader.h"

#include <criterion/criterion.h>

#include <string.h>

static const engine_api *real;
static loader *library;
static equal_summary sum;
static tpu_message why;

static void set_up(void) {
    const tpu_params params = params_default(4, 16);
    cr_assert_eq(loader_open("verilator", &params, &library, &why), TPU_OK, "%s", why.text);
    real = loader_api(library);
}

static void tear_down(void) {
    loader_close(library);
}

TestSuite(equal, .init = set_up, .fini = tear_down, .timeout = 120);

static void run(const engine_api *api, uint64_t programs) {
    const equal_options options = {.api = api,
                                   .config = {.params = params_default(4, 16), .watchdog = 5000},
                                   .seed = 20261130,
                                   .programs = programs};
    memset(&sum, 0, sizeof sum);
    cr_assert_eq(equal_run(&options, &sum, &why), TPU_OK, "%s", why.text);
}

Test(equal, a_hundred_programs_meet_every_latency_and_every_way_to_stall) {
    run(real, 100);
    cr_expect_eq(sum.findings, 0u, "%s", sum.sentence[0]);
    cr_expect_eq(sum.runs, 100u * EQUAL_VARIANTS);
    cr_expect_gt(sum.cycles, sum.runs);
    for (unsigned i = 0; i < EQUAL_LATENCIES; i++) {
        cr_expect_gt(sum.latency[i], 0u, "latency %u", i + 1);
    }
    for (unsigned i = 0; i < ENGINE_STALL_COUNT; i++) {
        cr_expect_gt(sum.mode[i], 0u, "stall mode %u", i);
    }
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_geq(sum.init[i], 200u, "contents %u", i);
    }
}

Test(equal, the_same_seed_gives_the_same_digest) {
    run(real, 10);
    uint64_t digest = sum.digest;
    run(real, 10);
    cr_expect_eq(sum.digest, digest);
    run(real, 11);
    cr_expect_neq(sum.digest, digest);
}

// ---- engines that depend on what they must not -------------------------------------------------

static uint32_t latency;
static engine_stall mode;

static tpu_status note_timing(engine *self, const engine_timing *timing, tpu_message *to) {
    latency = timing->read_latency;
    mode = timing->stall_permille > 0 ? timing->stall_mode : ENGINE_STALL_COUNT;
    return real->set_timing(self, timing, to);
}

// Turns a bit of one row of cw, where `spoilt` says so.
static bool (*spoilt)(void);
static uint8_t row[64];

static tpu_status step_wrong(engine *self, probe *out, tpu_message *to) {
    tpu_status status = real->step(self, out, to);
    if ((out->fired >> TPU_STREAM_CW & 1u) != 0 && spoilt()) {
        memcpy(row, out->row[TPU_STREAM_CW], 16);
        row[0] ^= 1;
        out->row[TPU_STREAM_CW] = row;
    }
    return status;
}

static bool by_latency(void) {
    return latency > 50;
}

static bool by_stall(void) {
    return mode == ENGINE_STALL_EDGE;
}

static bool never(void) {
    return false;
}

// Engines that began with ones; the others are never told apart by number alone.
static const engine *with_ones[EQUAL_VARIANTS];
static size_t ones;
static const engine *at_work;

static tpu_status create_noting(const engine_config *config, engine **out, tpu_message *to) {
    tpu_status status = real->create(config, out, to);
    if (status == TPU_OK && config->init == ENGINE_INIT_ONES) {
        with_ones[ones++ % EQUAL_VARIANTS] = *out;
    }
    return status;
}

static tpu_status start_noting(engine *self, tpu_message *to) {
    at_work = self;
    return real->start(self, to);
}

static bool by_contents(void) {
    for (size_t i = 0; i < EQUAL_VARIANTS; i++) {
        if (with_ones[i] == at_work) {
            return true;
        }
    }
    return false;
}

static tpu_status read_wrong(engine *self, engine_region region, void *data, size_t bytes,
                             tpu_message *to) {
    tpu_status status = real->read(self, region, data, bytes, to);
    if (region == TPU_MEM_C && mode == ENGINE_STALL_BURST) {
        ((uint8_t *)data)[5] ^= 4;
    }
    return status;
}

static engine_api liar_of(bool (*rule)(void)) {
    engine_api liar = *real;
    spoilt = rule;
    liar.create = create_noting;
    liar.start = start_noting;
    liar.set_timing = note_timing;
    liar.step = step_wrong;
    return liar;
}

Test(equal, an_event_that_depends_on_latency_is_found) {
    const engine_api liar = liar_of(by_latency);
    run(&liar, 20);
    cr_expect_gt(sum.findings, 10u);
    cr_expect(strstr(sum.sentence[0], "stream cw") != NULL, "%s", sum.sentence[0]);
}

Test(equal, an_event_that_depends_on_what_memory_held_is_found) {
    const engine_api liar = liar_of(by_contents);
    run(&liar, 20);
    cr_expect_gt(sum.findings, 10u);
}

Test(equal, an_event_that_depends_on_the_way_to_stall_is_found) {
    const engine_api liar = liar_of(by_stall);
    run(&liar, 60);
    cr_expect_gt(sum.findings, 3u);
    cr_expect_lt(sum.findings, 60u);
}

Test(equal, a_result_that_depends_on_stalls_is_found) {
    engine_api liar = liar_of(never);
    liar.read = read_wrong;
    run(&liar, 60);
    cr_expect_gt(sum.findings, 3u);
    cr_expect(strstr(sum.sentence[0], "C is not") != NULL, "%s", sum.sentence[0]);
}
