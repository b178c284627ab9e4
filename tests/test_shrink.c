// SPDX-License-Identifier: Apache-2.0
//
// Shrinking, on the fake engine with one planted fault: the small program is worked out by hand,
// the signature stays, the result fails again from cold. Bad reproducers are refused.

#include "harness/shrink/shrink.h"

#include "base/rng.h"
#include "csim/isa/assembly.h"
#include "csim/isa/image.h"
#include "tests/support/fake_engine.h"

#include <criterion/criterion.h>

#include <string.h>

#define SIDE 16u

// The fake engine, which goes wrong from its creation on, as an engine of a mutated RTL would.
static fake_fault planted;

static engine_api planted_api(fake_fault fault) {
    planted = fault;
    return fake_engine_faulty(&planted);
}

static reproducer repro;
static tpu_message why;
static uint8_t a[SIDE * SIDE];
static uint8_t b[SIDE * SIDE];
static uint8_t c[SIDE * SIDE];

static void start_reproducer(void) {
    rng source;
    rng_seed(&source, 4);
    rng_fill(&source, a, sizeof a);
    rng_fill(&source, b, sizeof b);
    rng_fill(&source, c, sizeof c);
    memset(&repro, 0, sizeof repro);
    (void)strcpy(repro.engine, "fake");
    repro.config = (engine_config){.params = params_default(4, SIDE),
                                   .init = ENGINE_INIT_RANDOM,
                                   .init_seed = 3,
                                   .timing = {.read_latency = 1, .write_latency = 1},
                                   .watchdog = 500};
    repro.hang_limit = 2000;
}

static void add(const char *text) {
    isa_program program = {0};
    image words = {0};
    const engine_timing timing = {
        .read_latency = 7, .write_latency = 3, .stall_permille = 100, .stall_seed = 5};
    cr_assert_eq(assembly_parse(text, "text", &program, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(image_build(&repro.config.params, &program, true, &words, &why), TPU_OK, "%s",
                 why.text);
    const lockstep_job job = {.mode = LOCKSTEP_MODE_CHECKED,
                              .program = &program,
                              .words = words.words,
                              .word_count = words.count,
                              .a = a,
                              .b = b,
                              .c = c};
    cr_assert_eq(reproducer_add(&repro, "run", &job, &timing, &why), TPU_OK);
    image_clear(&words);
    isa_program_clear(&program);
}

// What the file would say: the verdict of a replay.
static void expect_failure(const engine_api *api) {
    verdict seen;
    size_t at = 0;
    verdict_init(&seen);
    reproducer_replay(&repro, api, NULL, &seen, &at);
    cr_assert(seen.kind == VERDICT_MISMATCH || seen.kind == VERDICT_HANG, "%s", seen.sentence.text);
    reproducer_expect(&repro, &seen);
    verdict_clear(&seen);
}

static const isa_program *small_program(void) {
    return &repro.run[repro.run_count - 1].program;
}

static shrink_report shrink_it(const engine_api *api) {
    const shrink_options how = {.api = api, .seconds = 20};
    const verdict_signature before = repro.expected;
    shrink_report done;
    verdict seen;
    size_t at = 0;
    cr_assert_eq(shrink_run(&repro, &how, &done, &why), TPU_OK, "%s", why.text);
    cr_expect(verdict_signature_equal(&before, &repro.expected));
    verdict_init(&seen);
    reproducer_replay(&repro, api, NULL, &seen, &at);
    cr_expect(reproducer_same(&repro, &seen, at), "it does not fail again");
    verdict_clear(&seen);
    return done;
}

#define LOADS                                                                                      \
    "dma_ld rows=8 mode=1 dram_row0=0 col_block=1 dst_row0=3\n"                                    \
    "dma_ld rows=9 mode=2 dram_row0=2 col_block=2 dst_row0=7\n"
#define PROGRAM                                                                                    \
    LOADS "mm rows=9 vr_a=7 ar0=20 acc=0 spad_w=5\n"                                               \
          "mm rows=6 vr_a=8 ar0=40 acc=0 spad_w=3\n"                                               \
          "loop x3\n"                                                                              \
          "  loop x2\n"                                                                            \
          "    mm rows=6 vr_a=8 ar0=40 acc=1 spad_w=3 agu: vr_a+=iv1*1, spad_w+=iv0*1\n"           \
          "  endloop\n"                                                                            \
          "  vrelu rows=5 ar_d=60 ar_s=20 agu: ar_d+=iv0*5\n"                                      \
          "endloop\n"                                                                              \
          "nop\n"                                                                                  \
          "mvout rows=5 ar0=21 dram_row0=4 col_block=3\n"                                          \
          "mvout rows=4 ar0=60 dram_row0=0 col_block=1\n"

TestSuite(shrink, .init = start_reproducer, .timeout = 60);

Test(shrink, a_fault_of_the_first_row_of_spad_needs_one_load_of_one_row) {
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_SPAD_WRITE, .bit = 3 * 8});
    add(PROGRAM);
    expect_failure(&api);
    shrink_report done = shrink_it(&api);
    cr_assert_eq(small_program()->count, 1u);
    const isa_insn *load = small_program()->insn;
    cr_expect_eq(load->op, TPU_OP_DMA_LD);
    cr_expect_eq(load->nr, 1);
    cr_expect_eq(load->f[0] & TPU_DMA_TO_VR, 0);
    cr_expect_eq(done.operand_bytes[1], 0u);
    cr_expect_eq(repro.run[0].timing.read_latency, 1u);
    cr_expect_eq(repro.run[0].timing.stall_permille, 0u);
    cr_expect_eq(repro.config.init, ENGINE_INIT_ZEROS);
    cr_expect_eq(done.instructions[0], 13u);
    cr_expect_eq(done.instructions[1], 1u);
    reproducer_clear(&repro);
}

Test(shrink, a_fault_of_the_first_stored_row_needs_loads_product_and_store) {
    // mm of 4 rows and more is old enough to be stored at once; of fewer, something must lie
    // between. Two loads, mm, mvout are the least.
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_WRITE, .bit = 5 * 8});
    add(PROGRAM);
    expect_failure(&api);
    (void)shrink_it(&api);
    cr_assert_eq(small_program()->count, 4u);
    cr_expect_eq(small_program()->insn[2].op, TPU_OP_MM);
    cr_expect_eq(small_program()->insn[2].nr, 4);
    cr_expect_eq(small_program()->insn[3].op, TPU_OP_MVOUT);
    cr_expect_eq(small_program()->insn[3].nr, 1);
    reproducer_clear(&repro);
}

Test(shrink, a_fault_of_the_seventh_issue_keeps_seven_issues) {
    // An issue is all that counts: seven of them can come from a loop around a nop, or stand in a
    // row; either way at most seven instructions are left, and the smallest have no operands.
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_ISSUE, .event = 6, .bit = 24});
    add(PROGRAM);
    expect_failure(&api);
    shrink_report done = shrink_it(&api);
    cr_expect_leq(small_program()->count, 7u);
    cr_expect_gt(done.illegal, 0u);
    reproducer_clear(&repro);
}

Test(shrink, a_fault_of_the_fortieth_issue_becomes_a_loop) {
    // Forty issues are needed: three instructions can make them, or four with two in the loop.
    char text[64 * 16] = "";
    for (int i = 0; i < 50; i++) {
        strcat(text, i % 7 == 3 ? "nop\nnop\n" : "nop\n");
    }
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_ISSUE, .event = 39, .bit = 24});
    repro.config.params.imem_size = 8 + 2 * 64;
    add(text);
    expect_failure(&api);
    (void)shrink_it(&api);
    cr_expect_leq(small_program()->count, 4u);
    cr_expect_eq(small_program()->insn[0].op, TPU_OP_LOOP);
    reproducer_clear(&repro);
}

Test(shrink, a_hang_shrinks_as_a_mismatch_does) {
    engine_api api =
        planted_api((fake_fault){.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_ACOL, .event = 2});
    add(PROGRAM);
    expect_failure(&api);
    cr_assert_eq(repro.expected.kind, VERDICT_HANG);
    (void)shrink_it(&api);
    cr_expect_leq(small_program()->count, 6u);
    reproducer_clear(&repro);
}

Test(shrink, runs_that_the_failure_does_not_need_are_dropped) {
    engine_api api = planted_api((fake_fault){.kind = FAKE_FAULT_NONE});
    fake_fault late = {.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_AC2SP, .event = 5, .bit = 1};
    add(LOADS);
    add(LOADS);
    add(PROGRAM);
    planted = late; // the loads store nothing, so the third run is the first to show it
    expect_failure(&api);
    shrink_report done = shrink_it(&api);
    cr_expect_eq(done.runs[0], 3u);
    cr_expect_eq(done.runs[1], 1u);
    reproducer_clear(&repro);
}

// Goes wrong in the second run after creation and later, as a machine with a stale state would.
static unsigned starts;

static tpu_status create_stale(const engine_config *config, engine **out, tpu_message *message) {
    starts = 0;
    return fake_engine_api()->create(config, out, message);
}

static tpu_status start_stale(engine *self, tpu_message *message) {
    if (++starts == 2) {
        fake_engine_inject(self, &planted);
    }
    return fake_engine_api()->start(self, message);
}

Test(shrink, a_failure_that_needs_a_run_before_it_keeps_the_least_of_one) {
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_DLD, .event = 2, .bit = 58});
    api.create = create_stale;
    api.start = start_stale;
    add(PROGRAM);
    add("nop\n");
    add("nop\n"); // no load, so no third row of c_dld, and no failure
    add(PROGRAM);
    expect_failure(&api);
    shrink_report done = shrink_it(&api);
    cr_expect_eq(done.runs[1], 2u);
    cr_expect_eq(repro.run[0].program.count, 1u);
    cr_expect_eq(repro.run[1].program.count, 1u);
    cr_expect_eq(repro.run[1].program.insn[0].op, TPU_OP_DMA_LD);
    reproducer_clear(&repro);
}

Test(shrink, the_time_limit_ends_it_with_a_result) {
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_WRITE, .bit = 5 * 8});
    add(PROGRAM);
    expect_failure(&api);
    const shrink_options how = {.api = &api, .seconds = 1e-6};
    shrink_report done;
    cr_assert_eq(shrink_run(&repro, &how, &done, &why), TPU_OK, "%s", why.text);
    cr_expect(done.timed_out);
    cr_expect_eq(small_program()->count, 13u);
    reproducer_clear(&repro);
}

// ---- refusals ----------------------------------------------------------------------------------

static void expect_refused(const engine_api *api, const char *part) {
    const shrink_options how = {.api = api, .seconds = 5};
    size_t runs = repro.run_count;
    cr_expect_eq(shrink_run(&repro, &how, NULL, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, part) != NULL, "%s", why.text);
    cr_expect_eq(repro.run_count, runs);
    reproducer_clear(&repro);
}

Test(shrink, a_reproducer_without_a_run_is_refused) {
    engine_api api = planted_api((fake_fault){.kind = FAKE_FAULT_NONE});
    expect_refused(&api, "no run");
}

Test(shrink, a_reproducer_that_expects_success_is_refused) {
    engine_api api = planted_api((fake_fault){.kind = FAKE_FAULT_NONE});
    add(PROGRAM);
    expect_refused(&api, "expects no failure");
}

Test(shrink, a_reproducer_that_fails_no_more_is_refused) {
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_WRITE, .bit = 5 * 8});
    add(PROGRAM);
    expect_failure(&api);
    planted = (fake_fault){.kind = FAKE_FAULT_NONE};
    expect_refused(&api, "and gives OK");
}

Test(shrink, a_reproducer_that_fails_otherwise_is_refused) {
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_WRITE, .bit = 5 * 8});
    add(PROGRAM);
    expect_failure(&api);
    planted = (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .bit = 5};
    expect_refused(&api, "and gives MISMATCH");
}

Test(shrink, an_unchecked_run_is_refused) {
    engine_api api = planted_api(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_WRITE, .bit = 5 * 8});
    add(PROGRAM);
    expect_failure(&api);
    repro.run[0].checked = false;
    expect_refused(&api, "illegal program");
}
