// SPDX-License-Identifier: Apache-2.0
//
// The account on the real machine (T=4, MAXDIM=16): it must be what the machine's own counters
// say, to the cycle, whatever the memory does; no run may be faster than its program allows.

#define _POSIX_C_SOURCE 200809L

#include "base/rng.h"
#include "csim/isa/image.h"
#include "csim/isa/programs.h"
#include "harness/engine/loader.h"
#include "harness/io/npy.h"
#include "harness/io/textfile.h"
#include "harness/replay/recording.h"
#include "harness/show/cycles.h"
#include "harness/show/life.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"
#include "tests/support/traceform.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tpu_params params;
static loader *machine;
static tpu_message why;

static void set_up(void) {
    (void)setenv("TPU_T", "4", 1);
    (void)setenv("TPU_MAXDIM", "16", 1);
    params = params_default(4, 16);
    cr_assert_eq(loader_open("verilator", &params, &machine, &why), TPU_OK, "%s", why.text);
}

static void tear_down(void) {
    loader_close(machine);
}

TestSuite(timeline_run, .init = set_up, .fini = tear_down, .timeout = 120);

// A GEMM on seeded operands as a reproducer of one run.
static void make_gemm(reproducer *out, programs_form form, uint32_t size,
                      const engine_timing *timing) {
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    uint8_t region[3][16 * 16];
    rng chance;
    rng_seed(&chance, 7);
    rng_fill(&chance, region, sizeof region);
    cr_assert_eq(programs_gemm(&params, form, size, size, size, true, &program, &why), TPU_OK);
    cr_assert_eq(image_build(&params, &program, true, &words, &why), TPU_OK);
    const lockstep_job job = {.mode = LOCKSTEP_MODE_CHECKED,
                              .program = &program,
                              .words = words.words,
                              .word_count = words.count,
                              .a = region[0],
                              .b = region[1],
                              .c = region[2]};
    *out = (reproducer){.engine = "verilator"};
    out->config = (engine_config){.params = params, .timing = *timing, .watchdog = 100000};
    cr_assert_eq(reproducer_add(out, "gemm", &job, timing, &why), TPU_OK);
    isa_program_clear(&program);
    image_clear(&words);
}

static void take(programs_form form, uint32_t size, const engine_timing *timing, recording *out) {
    static const recording_window all = {0, UINT64_MAX};
    reproducer file;
    make_gemm(&file, form, size, timing);
    cr_assert_eq(recording_take(&file, loader_api(machine), &all, NULL, out, &why), TPU_OK, "%s",
                 why.text);
    cr_assert_eq(out->seen.kind, VERDICT_OK, "%s", out->seen.sentence.text);
    reproducer_clear(&file);
}

static const engine_timing timings[] = {
    {.read_latency = 1, .write_latency = 1},
    {.read_latency = 7, .write_latency = 5},
    {.read_latency = 1, .write_latency = 1, .stall_permille = 300, .stall_seed = 3},
    {.read_latency = 64, .write_latency = 64},
    {.read_latency = 20, .write_latency = 3, .stall_permille = 600, .stall_seed = 4}};

#define TIMINGS (sizeof timings / sizeof timings[0])

Test(timeline_run, counts_exactly_what_the_machine_counts) {
    for (size_t i = 0; i < TIMINGS; i++) {
        recording seen = {.event = NULL};
        cycles account = {.total = 0};
        take(PROGRAMS_LOOPED, 16, &timings[i], &seen);
        cr_assert_eq(cycles_count(&seen, &account, &why), TPU_OK, "%s", why.text);
        cr_expect_eq(account.total, seen.seen.status.cycles, "timing %zu", i);
        for (int u = 0; u < TPU_UNIT_COUNT; u++) {
            const cycles_split *of = &account.unit[u];
            cr_expect_eq(of->busy, seen.counters.busy[u], "unit %d, timing %zu", u, i);
            cr_expect_eq(cycles_sum(of->starved), seen.counters.starved[u], "unit %d", u);
            cr_expect_eq(cycles_sum(of->blocked), seen.counters.blocked[u], "unit %d", u);
            cr_expect_eq(of->busy + of->idle + cycles_sum(of->starved) + cycles_sum(of->blocked),
                         account.total, "unit %d", u);
        }
        cycles_clear(&account);
        recording_clear(&seen);
    }
}

// (N/T) (K/T) M rows of 16 x 16 x 16 at T = 4: 4 * 4 * 16.
Test(timeline_run, knows_the_rows_that_a_gemm_sends_through_the_array) {
    recording seen = {.event = NULL};
    cycles account = {.total = 0};
    take(PROGRAMS_LOOPED, 16, &timings[0], &seen);
    cr_assert_eq(cycles_count(&seen, &account, &why), TPU_OK);
    cr_expect_eq(account.mm_rows, 256);
    cr_expect_eq(account.mm_count, 16);
    cycles_clear(&account);
    recording_clear(&seen);
}

// A bound that a run beats is none.
Test(timeline_run, never_runs_faster_than_the_program_allows) {
    for (int form = 0; form < PROGRAMS_FORM_COUNT; form++) {
        for (uint32_t size = 4; size <= 12; size += 4) {
            recording seen = {.event = NULL};
            life_list ideal = {.one = NULL};
            take((programs_form)form, size, &timings[0], &seen);
            cr_assert_eq(life_ideal(&seen, &ideal, &why), TPU_OK);
            cr_expect_leq(ideal.end, seen.seen.status.cycles, "form %d size %u", form, size);
            cr_expect_geq(ideal.end, (size / 4) * (size / 4) * size, "form %d", form);
            life_list_clear(&ideal);
            recording_clear(&seen);
        }
    }
}

// Row by row: the bound of every stream of every instruction holds.
Test(timeline_run, shows_no_row_before_the_bound_allows_it) {
    recording seen = {.event = NULL};
    life_list ideal = {.one = NULL};
    life_list lives = {.one = NULL};
    take(PROGRAMS_INTERLEAVED, 16, &timings[0], &seen);
    cr_assert_eq(life_ideal(&seen, &ideal, &why), TPU_OK);
    cr_assert_eq(life_recorded(&seen, &lives, &why), TPU_OK);
    for (size_t i = 0; i < lives.count; i++) {
        for (int s = TPU_STREAM_DMA2SP; s < TPU_STREAM_COUNT; s++) {
            const life_rows *real = &lives.one[i].stream[s];
            const life_rows *bound = &ideal.one[i].stream[s];
            cr_expect_eq(real->count, bound->count, "issue %zu stream %d", i, s);
            if (real->count > 0) {
                cr_expect_geq(real->last, bound->last, "issue %zu stream %d", i, s);
            }
        }
    }
    life_list_clear(&lives);
    life_list_clear(&ideal);
    recording_clear(&seen);
}

static char directory[256];
static char output[SHELL_OUTPUT_MAX];

static char *read_file(const char *name) {
    char path[512];
    char *text = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK, "%s", why.text);
    return text;
}

Test(timeline_run, writes_both_files_of_a_program) {
    scratch_make(directory, sizeof directory);
    cr_assert_eq(shell_run("timeline examples/gemm_16x16x16.s --out @ --latency 5 --json",
                           directory, output),
                 0, "%s", output);
    cJSON *root = cJSON_Parse(output);
    cr_assert(root != NULL, "%s", output);
    const cJSON *total = cJSON_GetObjectItemCaseSensitive(root, "total");
    cr_assert(cJSON_IsString(total));
    char *log = read_file("timeline.kanata");
    const traceform_kanata read = traceform_read_kanata(log);
    cr_expect_gt(read.instructions, 4);
    cr_expect_eq(read.retired, read.instructions);
    cr_expect_leq(read.last_cycle, strtoull(total->valuestring, NULL, 10));
    char *bound = read_file("timeline_ideal.kanata");
    const traceform_kanata ideal = traceform_read_kanata(bound);
    cr_expect_eq(ideal.instructions, read.instructions);
    cr_expect_eq(ideal.retired, read.instructions);
    cr_expect_lt(ideal.last_cycle, read.last_cycle);
    free(bound);
    char *trace = read_file("timeline.json");
    cr_expect_gt(traceform_read_chrome(trace).slices, 50);
    free(trace);
    free(log);
    cJSON_Delete(root);
    scratch_remove(directory);
}

Test(timeline_run, takes_a_reproducer_and_a_part_of_its_run) {
    scratch_make(directory, sizeof directory);
    cr_assert_eq(shell_run("run examples/one_tile.s --save @/run.json", directory, output), 0);
    cr_expect_eq(shell_run("timeline @/run.json --out @ --cycles 5-30", directory, output), 0);
    cr_expect(strstr(output, "cycles 5 to 30\n") != NULL, "%s", output);
    cr_expect(strstr(output, " 26\n") != NULL, "%s", output);
    cr_expect(strstr(output, "needs") == NULL, "there is no bound of a part");
    cr_expect_eq(shell_run("timeline @/run.json --out @ --cycles 0-30", directory, output), 0);
    cr_expect(strstr(output, "cycles 0 to 30\n") != NULL, "not all of it: %s", output);
    cr_expect_eq(shell_run("timeline @/run.json --out @ --cycles 0-9999999", directory, output), 0);
    cr_expect(strstr(output, " (all)\n") != NULL, "%s", output);
    scratch_remove(directory);
}

static void write_long_program(void) {
    static const char text[] = "loop x127\nloop x127\nloop x65\nnop\nendloop\nendloop\nendloop\n";
    char path[512];
    (void)snprintf(path, sizeof path, "%s/long.s", directory);
    cr_assert_eq(textfile_write(path, text, strlen(text), &why), TPU_OK);
}

Test(timeline_run, refuses_what_it_cannot_show) {
    scratch_make(directory, sizeof directory);
    write_long_program();
    static const struct {
        const char *arguments;
        const char *sentence;
    } table[] = {
        {"timeline", "takes one file"},
        {"timeline @/nothing.json", "nothing.json"},
        {"timeline @/long.s --out @", "cycles, a timeline 1000000 at most: choose some"},
        {"timeline examples/one_tile.s --cycles 9", "not a range like"},
        {"timeline examples/one_tile.s --cycles 9-3", "ends before it begins"},
        {"timeline examples/one_tile.s --out @ --cycles 90000-90001", "the run ends at cycle"},
        {"timeline examples/one_tile.s --out /proc/nothing", "/proc/nothing"},
        {"timeline tests/programs/bad_syntax.s --out @", "bad_syntax.s:"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        cr_expect_eq(shell_run(table[i].arguments, directory, output), 2, "%s: %s",
                     table[i].arguments, output);
        cr_expect(strstr(output, table[i].sentence) != NULL, "%s: %s", table[i].arguments, output);
        cr_expect_eq(shell_lines(output), 1, "%s", output);
    }
    scratch_remove(directory);
}
