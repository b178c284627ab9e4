// SPDX-License-Identifier: Apache-2.0
//
// The simulated machine through engine.h: whole programs, memories, isolation, traces.
// TPU_ENGINE names the simulator.

#include "harness/engine/engine.h"
#include "tests/support/engine_rig.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { T = ENGINE_RIG_T, MAXDIM = ENGINE_RIG_MAXDIM, CELLS = ENGINE_RIG_CELLS };

Test(engine, computes_4x4x4_and_leaves_the_rest_of_c_alone, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    const engine_rig_run out = engine_rig_whole(&rig, &engine_rig_gemm4, 0);
    cr_expect_eq(out.status.fault, 0, "fault %u", out.status.fault);
    cr_expect(out.status.done);
    engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm4, 0);
    engine_rig_close(&rig);
}

Test(engine, computes_8x8x8_with_relu, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    const engine_rig_run out = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 2);
    cr_expect_eq(out.status.fault, 0, "fault %u", out.status.fault);
    engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm8_relu, 2);
    engine_rig_close(&rig);
}

// Counts by hand: 2 dma_ld of A and 2 of B (8 rows each), 4 mm, 2 vrelu, 2 mvout of 8 rows.

Test(engine, shows_every_row_of_every_stream, .timeout = 60) {
    static const uint64_t rows[TPU_STREAM_COUNT] = {
        [TPU_STREAM_ISSUE] = 12,        [TPU_STREAM_C_DLD] = 2 + 4, [TPU_STREAM_C_SPM] = 2 + 6,
        [TPU_STREAM_C_VRU] = 1 + 6,     [TPU_STREAM_C_ACC] = 1 + 8, [TPU_STREAM_C_DST] = 1 + 2,
        [TPU_STREAM_DMA2SP] = 16,       [TPU_STREAM_DMA2VR] = 16,   [TPU_STREAM_WCOL] = 1 + 4 * 5,
        [TPU_STREAM_ACOL] = 32,         [TPU_STREAM_CW] = 32,       [TPU_STREAM_AC2SP] = 16,
        [TPU_STREAM_SPAD_WRITE] = 16,   [TPU_STREAM_VR_WRITE] = 16, [TPU_STREAM_AR_WRITE_MM] = 32,
        [TPU_STREAM_AR_WRITE_ALU] = 16, [TPU_STREAM_C_WRITE] = 16};
    engine_rig rig = {0};
    engine_rig_open(&rig);
    const engine_rig_run out = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 0);
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        cr_expect_eq(out.rows[s], rows[s], "stream %d shows %lu rows, not %lu", s,
                     (unsigned long)out.rows[s], (unsigned long)rows[s]);
    }
    engine_rig_close(&rig);
}

Test(engine, counts_its_cycles_from_start_to_done, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    const engine_rig_run out = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 0);
    engine_counters count;
    cr_expect_eq(out.status.cycles, out.last_cycle);
    cr_assert_eq(rig.api->counters(rig.dut, &count, &rig.why), TPU_OK, "%s", rig.why.text);
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        cr_expect_gt(count.busy[u], 0, "unit %d was never busy", u);
        cr_expect_leq(count.busy[u] + count.starved[u] + count.blocked[u], out.status.cycles,
                      "unit %d", u);
    }
    engine_rig_close(&rig);
}

Test(engine, shows_the_same_events_at_every_memory_timing, .timeout = 60) {
    static const engine_timing timings[] = {
        {.read_latency = 1, .write_latency = 1, .stall_permille = 0, .stall_seed = 0},
        {.read_latency = 2, .write_latency = 7, .stall_permille = 0, .stall_seed = 0},
        {.read_latency = 64, .write_latency = 64, .stall_permille = 0, .stall_seed = 0},
        {.read_latency = 1, .write_latency = 1, .stall_permille = 300, .stall_seed = 5},
        {.read_latency = 9, .write_latency = 3, .stall_permille = 700, .stall_seed = 6},
        {.read_latency = 64, .write_latency = 1, .stall_permille = 500, .stall_seed = 7}};
    engine_rig rig = {0};
    engine_rig_open(&rig);
    const engine_rig_run first = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 1);
    for (size_t i = 0; i < sizeof timings / sizeof timings[0]; i++) {
        cr_assert_eq(rig.api->set_timing(rig.dut, &timings[i], &rig.why), TPU_OK, "%s",
                     rig.why.text);
        const engine_rig_run out = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 1);
        const engine_rig_run again = engine_rig_start(&rig);
        engine_rig_expect_same_events(&first, &out);
        cr_expect_eq(out.last_cycle, again.last_cycle, "timing %zu", i);
        cr_expect_geq(out.last_cycle, first.last_cycle, "timing %zu", i);
        engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm8_relu, 1);
    }
    engine_rig_close(&rig);
}

Test(engine, does_not_depend_on_what_its_state_was, .timeout = 60) {
    static const engine_init inits[] = {ENGINE_INIT_ZEROS, ENGINE_INIT_ONES, ENGINE_INIT_RANDOM,
                                        ENGINE_INIT_RANDOM};
    if (strcmp(engine_rig_kind(), "systemc") == 0) {
        cr_skip_test("one SystemC engine a process");
    }
    engine_rig rig = {0};
    engine_rig_open(&rig);
    const engine_rig_run first = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 1);
    for (size_t i = 0; i < sizeof inits / sizeof inits[0]; i++) {
        rig.api->destroy(rig.dut);
        rig.config.init = inits[i];
        rig.config.init_seed = i;
        cr_assert_eq(rig.api->create(&rig.config, &rig.dut, &rig.why), TPU_OK, "%s", rig.why.text);
        const engine_rig_run out = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 1);
        engine_rig_expect_same_events(&first, &out);
        cr_expect_eq(out.last_cycle, first.last_cycle);
    }
    engine_rig_close(&rig);
}

Test(engine, random_state_differs_by_seed, .timeout = 60) {
    uint8_t one[256];
    uint8_t other[256];
    uint8_t again[256];
    uint8_t *const kept[] = {one, other, again};
    static const uint64_t seeds[] = {3, 4, 3};
    if (strcmp(engine_rig_kind(), "systemc") == 0) {
        cr_skip_test("one SystemC engine a process");
    }
    engine_rig rig = {0};
    engine_rig_open(&rig);
    for (int i = 0; i < 3; i++) {
        rig.api->destroy(rig.dut);
        rig.config.init_seed = seeds[i];
        cr_assert_eq(rig.api->create(&rig.config, &rig.dut, &rig.why), TPU_OK, "%s", rig.why.text);
        cr_assert_eq(rig.api->read(rig.dut, TPU_MEM_VR, kept[i], 256, &rig.why), TPU_OK, "%s",
                     rig.why.text);
    }
    cr_expect_neq(memcmp(one, other, sizeof one), 0);
    cr_expect_eq(memcmp(one, again, sizeof one), 0);
    engine_rig_close(&rig);
}

Test(engine, reads_its_memories_as_the_program_left_them, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    (void)engine_rig_whole(&rig, &engine_rig_gemm8_relu, 2);
    int8_t spad[72 * T];
    int8_t vr[72 * T];
    int32_t ar[8 * T];
    cr_assert_eq(rig.api->read(rig.dut, TPU_MEM_SPAD, spad, sizeof spad, &rig.why), TPU_OK);
    cr_assert_eq(rig.api->read(rig.dut, TPU_MEM_VR, vr, sizeof vr, &rig.why), TPU_OK);
    cr_assert_eq(rig.api->read(rig.dut, TPU_MEM_AR, ar, sizeof ar, &rig.why), TPU_OK);
    for (int i = 0; i < 8 * 8; i++) { // column blocks lie MAXDIM rows apart
        const int row = i / 8;
        const int col = i % 8;
        const int at = (col / T * MAXDIM + row) * T + col % T;
        cr_expect_eq(vr[at], engine_rig_operand(2, row, col), "A[%d][%d]", row, col);
        cr_expect_eq(spad[at], engine_rig_operand(3, row, col), "B[%d][%d]", row, col);
    }
    for (int i = 0; i < 8 * T; i++) { // what is left is the second column block
        const int want = engine_rig_product(2, 8, i / T, T + i % T);
        cr_expect_eq(ar[i], want < 0 ? 0 : want, "ar[%d][%d]", i / T, i % T);
    }
    cr_expect_eq(rig.api->read(rig.dut, TPU_MEM_AR, ar, 5, &rig.why), TPU_REFUSED);
    engine_rig_close(&rig);
}

Test(engine, refuses_what_it_was_not_built_for, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    rig.api->destroy(rig.dut);
    engine *none = NULL;
    engine_config wrong = rig.config;
    wrong.params.t = 8;
    cr_expect_eq(rig.api->create(&wrong, &none, &rig.why), TPU_REFUSED);
    cr_expect_not_null(strstr(rig.why.text, "T=8"), "%s", rig.why.text);
    wrong = rig.config;
    wrong.watchdog = 0;
    cr_expect_eq(rig.api->create(&wrong, &none, &rig.why), TPU_REFUSED);
    wrong = rig.config;
    wrong.timing.read_latency = 0;
    cr_expect_eq(rig.api->create(&wrong, &none, &rig.why), TPU_REFUSED);
    cr_expect_null(none);
    rig.dut = NULL;
    engine_rig_close(&rig);
}

Test(engine, refuses_a_load_that_does_not_fit, .timeout = 60) {
    static const uint8_t bytes[CELLS + 1];
    engine_rig rig = {0};
    engine_rig_open(&rig);
    cr_expect_eq(rig.api->load(rig.dut, TPU_MEM_IMEM, bytes, 56 * 8 + 1, &rig.why), TPU_REFUSED);
    cr_expect_eq(rig.api->load(rig.dut, TPU_MEM_A, bytes, CELLS + 1, &rig.why), TPU_REFUSED);
    cr_expect_eq(rig.api->load(rig.dut, TPU_MEM_SPAD, bytes, 4, &rig.why), TPU_REFUSED);
    cr_expect_eq(rig.api->load(rig.dut, TPU_MEM_A, bytes, CELLS, &rig.why), TPU_OK);
    engine_rig_close(&rig);
}

Test(engine, two_in_one_process_do_not_meet, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    engine *other = NULL;
    if (strcmp(engine_rig_kind(), "systemc") == 0) {
        cr_expect_eq(rig.api->create(&rig.config, &other, &rig.why), TPU_REFUSED);
        cr_expect_null(other);
        engine_rig_close(&rig);
        return;
    }
    const engine_rig_run alone = engine_rig_whole(&rig, &engine_rig_gemm4, 0);
    cr_assert_eq(rig.api->create(&rig.config, &other, &rig.why), TPU_OK, "%s", rig.why.text);
    engine_rig_load(&rig, rig.dut, &engine_rig_gemm4, 0);
    engine_rig_load(&rig, other, &engine_rig_gemm8_relu, 10);
    engine_rig_run mine = {0};
    engine_rig_run theirs = {0};
    cr_assert_eq(rig.api->start(rig.dut, &rig.why), TPU_OK);
    cr_assert_eq(rig.api->start(other, &rig.why), TPU_OK);
    while (!engine_rig_step(&rig, rig.dut, &mine)) {
        (void)engine_rig_step(&rig, other, &theirs);
    }
    engine_rig_finish(&rig, other, &theirs);
    engine_rig_expect_same_events(&alone, &mine);
    engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm4, 0);
    engine_rig_expect_product(&rig, other, &engine_rig_gemm8_relu, 10);
    rig.api->destroy(other);
    engine_rig_close(&rig);
}

Test(engine, a_trace_changes_no_event, .timeout = 60) {
    char directory[256];
    char path[300];
    scratch_make(directory, sizeof directory);
    snprintf(path, sizeof path, "%s/x.fst", directory);
    engine_rig rig = {0};
    engine_rig_open(&rig);
    const engine_rig_run closed = engine_rig_whole(&rig, &engine_rig_gemm8_relu, 1);
    cr_assert_eq(rig.api->trace_open(rig.dut, path, &rig.why), TPU_OK, "%s", rig.why.text);
    const engine_rig_run open = engine_rig_start(&rig);
    cr_assert_eq(rig.api->trace_close(rig.dut, &rig.why), TPU_OK);
    cr_assert_eq(rig.api->start(rig.dut, &rig.why), TPU_OK);
    engine_rig_run window = {0};
    for (int i = 0; i < 20; i++) {
        (void)engine_rig_step(&rig, rig.dut, &window);
    }
    cr_assert_eq(rig.api->trace_open(rig.dut, path, &rig.why), TPU_OK, "%s", rig.why.text);
    engine_rig_finish(&rig, rig.dut, &window);
    cr_assert_eq(rig.api->trace_close(rig.dut, &rig.why), TPU_OK);
    engine_rig_expect_same_events(&closed, &open);
    engine_rig_expect_same_events(&closed, &window);
    cr_expect_eq(closed.last_cycle, open.last_cycle);
    cr_expect_eq(closed.last_cycle, window.last_cycle);
    FILE *trace = fopen(path, "rb");
    cr_assert_not_null(trace);
    cr_expect_eq(fseek(trace, 0, SEEK_END), 0);
    cr_expect_gt(ftell(trace), 1000);
    fclose(trace);
    snprintf(path, sizeof path, "%s/none/x.fst", directory);
    cr_expect_eq(rig.api->trace_open(rig.dut, path, &rig.why), TPU_ERR_IO);
    scratch_remove(directory);
    engine_rig_close(&rig);
}

Test(engine, of_systemc_shows_the_events_and_cycles_of_the_other, .timeout = 60) {
    if (strcmp(engine_rig_kind(), "systemc") != 0) {
        cr_skip_test("runs where both engines are built");
    }
    engine_rig one = {0};
    engine_rig other = {0};
    engine_rig_open_kind(&one, "systemc");
    engine_rig_open_kind(&other, "verilator");
    static const engine_timing timings[] = {
        {.read_latency = 1, .write_latency = 1},
        {.read_latency = 64, .write_latency = 9},
        {.read_latency = 5, .write_latency = 2, .stall_permille = 400, .stall_seed = 11}};
    for (size_t i = 0; i < sizeof timings / sizeof timings[0]; i++) {
        cr_assert_eq(one.api->set_timing(one.dut, &timings[i], &one.why), TPU_OK);
        cr_assert_eq(other.api->set_timing(other.dut, &timings[i], &other.why), TPU_OK);
        const engine_rig_run left = engine_rig_whole(&one, &engine_rig_gemm8_relu, 3);
        const engine_rig_run right = engine_rig_whole(&other, &engine_rig_gemm8_relu, 3);
        engine_rig_expect_same_events(&left, &right);
        cr_expect_eq(left.last_cycle, right.last_cycle, "timing %zu", i);
        cr_expect_eq(memcmp(&left.status, &right.status, sizeof left.status), 0, "timing %zu", i);
    }
    engine_rig_close(&one);
    engine_rig_close(&other);
}
