// SPDX-License-Identifier: Apache-2.0
//
// Waveforms of the real machine: what a killed process leaves, that a trace changes nothing, that
// everything a window needs is in the dump, and that the machine's own signals and the rows that
// the harness noted agree in every cycle.

#include "harness/replay/recording.h"
#include "harness/show/wave.h"
#include "harness/show/wave_check.h"
#include "harness/show/wave_file.h"

#include "csim/isa/image.h"
#include "csim/isa/programs.h"
#include "tests/support/engine_rig.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static engine_rig rig;
static char directory[256];
static char path[300];
static reproducer repro;
static wave_file *file;
static tpu_message why;

// A GEMM of 8x8x8 with its operands, as a reproducer with one run.
static void make_reproducer(void) {
    static uint8_t a[ENGINE_RIG_CELLS];
    static uint8_t b[ENGINE_RIG_CELLS];
    static uint8_t c[ENGINE_RIG_CELLS];
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    for (int i = 0; i < ENGINE_RIG_CELLS; i++) {
        a[i] = (uint8_t)(7 * i);
        b[i] = (uint8_t)(13 * i + 5);
    }
    cr_assert_eq(programs_gemm(&engine_rig_point, PROGRAMS_LOOPED, 8, 8, 8, true, &program, &why),
                 TPU_OK);
    cr_assert_eq(image_build(&engine_rig_point, &program, true, &words, &why), TPU_OK);
    const lockstep_job job = {.program = &program,
                              .words = words.words,
                              .word_count = words.count,
                              .a = a,
                              .b = b,
                              .c = c,
                              .gemm = {8, 8, 8, true}};
    (void)snprintf(repro.engine, sizeof repro.engine, "%s", engine_rig_kind());
    repro.config = rig.config;
    cr_assert_eq(reproducer_add(&repro, "gemm", &job, &rig.config.timing, &why), TPU_OK);
    isa_program_clear(&program);
    image_clear(&words);
}

static void set_up(void) {
    engine_rig_open(&rig);
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/wave.fst", directory);
    memset(&repro, 0, sizeof repro);
    make_reproducer();
    file = NULL;
}

static void tear_down(void) {
    wave_file_close(file);
    reproducer_clear(&repro);
    scratch_remove(directory);
    engine_rig_close(&rig);
}

TestSuite(wave_engine, .init = set_up, .fini = tear_down, .timeout = 60);

static void expect_open(void) {
    cr_assert_eq(wave_file_open(path, &file, &why), TPU_OK, "%s", why.text);
}

static const char *value_at(const char *name, uint64_t time) {
    const wave_signal *signal = wave_file_find(file, name);
    cr_assert(signal != NULL, "%s is not in the file", name);
    return wave_file_value(file, signal, time);
}

static void take(const recording_window *window, const char *wave, recording *out) {
    *out = (recording){.event = NULL};
    cr_assert_eq(recording_take(&repro, rig.api, window, wave, out, &why), TPU_OK, "%s", why.text);
}

// Dumps 200 cycles and dies as hard as a process can.
static void dump_and_die(void) {
    engine_rig_run shown;
    memset(&shown, 0, sizeof shown);
    engine_rig_load(&rig, rig.dut, &engine_rig_gemm8_relu, 0);
    if (rig.api->trace_open(rig.dut, path, NULL) != TPU_OK ||
        rig.api->start(rig.dut, NULL) != TPU_OK) {
        _exit(1);
    }
    for (int cycle = 0; cycle < 200; cycle++) {
        (void)engine_rig_step(&rig, rig.dut, &shown);
    }
    (void)raise(SIGKILL);
}

Test(wave_engine, opens_after_kill_in_the_middle_of_the_dump) {
    int ended = 0;
    const pid_t child = fork();
    if (child == 0) {
        dump_and_die();
    }
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    expect_open();
    // The last flush was in cycle 192.
    cr_expect_geq(wave_file_last(file), 192u * WAVE_CYCLE);
    cr_expect_str_eq(value_at("TOP.clk_i", 150 * WAVE_CYCLE), "1");
    cr_expect_str_eq(value_at("TOP.clk_i", 150 * WAVE_CYCLE + WAVE_CYCLE / 2), "0");
    cr_expect_str_eq(value_at("TOP.rst_ni", 192 * WAVE_CYCLE), "1");
}

Test(wave_engine, has_the_same_digests_with_the_window_open) {
    const recording_window middle = {.first = 20, .last = 60};
    recording with;
    recording without;
    take(&middle, path, &with);
    take(&middle, NULL, &without);
    cr_expect_eq(with.seen.kind, VERDICT_OK, "%s", with.seen.sentence.text);
    cr_expect_eq(with.seen.digest, without.seen.digest);
    cr_expect_eq(with.seen.cycle, without.seen.cycle);
    cr_expect_neq(with.seen.digest, 0);
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        cr_expect_eq(with.seen.stream_digest[s], without.seen.stream_digest[s], "%s",
                     tpu_streams[s].name);
    }
    recording_clear(&with);
    recording_clear(&without);
}

Test(wave_engine, holds_the_window_and_nothing_else) {
    const recording_window middle = {.first = 20, .last = 60};
    recording taken;
    take(&middle, path, &taken);
    cr_assert_eq(wave_write_window(&taken, path, path, &why), TPU_OK, "%s", why.text);
    expect_open();
    cr_expect_eq(wave_file_first(file), 20u * WAVE_CYCLE);
    cr_expect_eq(wave_file_last(file), 61u * WAVE_CYCLE);
    recording_clear(&taken);
}

// The machine's own probe, as the simulator dumped it, against what the harness noted.
Test(wave_engine, shows_rows_in_the_very_cycles_in_which_the_machine_fires) {
    const recording_window all = {.first = 0, .last = UINT64_MAX};
    recording taken;
    uint64_t fired = 0;
    take(&all, path, &taken);
    cr_assert_eq(wave_write_window(&taken, path, path, &why), TPU_OK, "%s", why.text);
    expect_open();
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        char scope[32];
        char valid[64];
        wave_scope_name(tpu_streams[s].name, scope, sizeof scope);
        (void)snprintf(valid, sizeof valid, "tpucosim.%s.valid", scope);
        for (uint64_t cycle = 0; cycle <= taken.window.last; cycle += 7) {
            const uint64_t time = cycle * WAVE_CYCLE + WAVE_CYCLE / 2;
            const char *mask = value_at("TOP.tpu_engine.probe_fired", time);
            const char machine = mask[TPU_STREAM_COUNT - 1 - s];
            const char *noted = value_at(valid, time);
            cr_expect_eq(noted[0], machine, "%s in cycle %d", scope, (int)cycle);
            fired += machine == '1';
        }
    }
    cr_expect_gt(fired, 20);
    recording_clear(&taken);
}

Test(wave_engine, dumps_every_probe_and_every_row_of_the_memories) {
    const char *kind = engine_rig_kind();
    if (strcmp(kind, "systemc") == 0) {
        cr_skip_test("a process can have one SystemC engine only");
    }
    cr_assert_eq(wave_check_engine(rig.api, &rig.config, path, 250, true, &why), TPU_OK, "%s",
                 why.text);
    cr_expect_neq(access(path, F_OK), 0, "the check leaves a file");
}
