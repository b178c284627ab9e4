// SPDX-License-Identifier: Apache-2.0
//
// peek.c counts steps of the array and names signals of the RTL; here both are held to the real
// one. Every row of cw of a run with stalls is looked at: all sums inside must be right. Then one
// weight that the model expects is changed, and the element that holds it must be named.

#include "harness/show/peek.h"

#include "base/rng.h"
#include "csim/isa/assembly.h"
#include "csim/isa/image.h"
#include "harness/engine/loader.h"
#include "harness/show/wave.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define T 4u
#define REGION (16u * 16u)

static const tpu_params point = {.t = T,
                                 .maxdim = 16,
                                 .spad_rows = 64,
                                 .nvr = 64,
                                 .nar = 128,
                                 .imem_size = 56,
                                 .qd = 16,
                                 .dma_words = 1};

// Mms of several lengths, one after another, with stores between them that hold the array up.
static const char text[] = "dma_ld rows=16 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
                           "dma_ld rows=16 mode=1 dram_row0=0 col_block=1 dst_row0=0\n"
                           "mm rows=5 vr_a=0 ar0=0 acc=0 spad_w=0\n"
                           "mm rows=1 vr_a=7 ar0=5 acc=0 spad_w=4\n"
                           "mvout rows=6 ar0=0 dram_row0=0 col_block=0\n"
                           "mm rows=9 vr_a=2 ar0=0 acc=0 spad_w=8\n"
                           "mvout rows=9 ar0=0 dram_row0=6 col_block=1\n";

static loader *library;
static reproducer repro;
static recording taken;
static isa_program program;
static image words;
static char directory[256];
static char path[300];
static uint8_t operand[3][REGION];

static void set_up(void) {
    static const engine_timing timing = {
        .read_latency = 3, .write_latency = 2, .stall_permille = 400, .stall_seed = 9};
    tpu_message why = {{0}};
    rng source;
    rng_seed(&source, 11);
    for (size_t i = 0; i < 3; i++) {
        rng_fill(&source, operand[i], REGION);
    }
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/window.fst", directory);
    cr_assert_eq(loader_open("verilator", &point, &library, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(assembly_parse(text, "text", &program, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(image_build(&point, &program, true, &words, &why), TPU_OK, "%s", why.text);
    const lockstep_job job = {.program = &program,
                              .words = words.words,
                              .word_count = words.count,
                              .a = operand[0],
                              .b = operand[1],
                              .c = operand[2]};
    repro = (reproducer){.config = {.params = point,
                                    .init = ENGINE_INIT_RANDOM,
                                    .init_seed = 4,
                                    .timing = timing,
                                    .watchdog = 2000}};
    cr_assert_eq(reproducer_add(&repro, "wave", &job, &timing, &why), TPU_OK, "%s", why.text);
}

static void tear_down(void) {
    recording_clear(&taken);
    reproducer_clear(&repro);
    image_clear(&words);
    isa_program_clear(&program);
    loader_close(library);
    scratch_remove(directory);
}

TestSuite(array_wave, .init = set_up, .fini = tear_down, .timeout = 60);

static void record(void) {
    static const recording_window all = {.first = 0, .last = UINT64_MAX};
    tpu_message why = {{0}};
    tpu_status status = recording_take(&repro, loader_api(library), &all, path, &taken, &why);
    cr_assert_eq(status, TPU_OK, "%s", why.text);
    cr_assert_eq(taken.seen.kind, VERDICT_OK, "%s", taken.seen.sentence.text);
    status = wave_write_window(&taken, path, path, &why);
    cr_assert_eq(status, TPU_OK, "%s", why.text);
}

// As if this row of cw had been the first wrong one.
static void pretend(const recording_event *event) {
    verdict *seen = &taken.seen;
    seen->diff = VERDICT_DIFF_VALUE;
    seen->stream = TPU_STREAM_CW;
    seen->cycle = event->cycle;
    seen->row = event->index;
    seen->issue.known = true;
    seen->issue.row = event->in_issue;
    seen->issue.issue.seq = event->issue;
}

static peek look(void) {
    peek found;
    tpu_message why = {{0}};
    tpu_status status = peek_array(&taken, path, &found, &why);
    cr_assert_eq(status, TPU_OK, "%s", why.text);
    return found;
}

Test(array_wave, holds_the_right_sums_on_the_way_to_every_row) {
    size_t rows = 0;
    record();
    for (size_t i = 0; i < taken.event_count; i++) {
        if (taken.event[i].stream == TPU_STREAM_CW) {
            pretend(&taken.event[i]);
            peek found = look();
            cr_expect_eq(found.row, -1, "row %zu: PE(%d,%d) %d, expected %d", rows, found.row,
                         found.col, found.got, found.expected);
            rows++;
        }
    }
    cr_expect_eq(rows, 15u);
}

static recording_event *find_event(tpu_stream stream, uint64_t index) {
    for (size_t i = 0; i < taken.event_count; i++) {
        if (taken.event[i].stream == stream && taken.event[i].index == index) {
            return &taken.event[i];
        }
    }
    cr_assert_fail("no such row");
    return NULL;
}

// A row that is expected; the recording owns it, and this test owns the recording.
static uint8_t *expected_of(const recording_event *event) {
    const uint8_t *row = recording_expected(&taken, event);
    return taken.rows + (row - taken.rows);
}

Test(array_wave, shows_the_element_whose_weight_is_not_the_expected_one) {
    record();
    // wcol: counts, then header and 4 weight rows an mm; the third mm's are rows 12 to 15. Its
    // first activation row is row 6 of acol and of cw.
    const recording_event *sums = find_event(TPU_STREAM_CW, 6);
    const uint8_t *acts = expected_of(find_event(TPU_STREAM_ACOL, 6));
    pretend(sums);
    for (uint32_t i = 0; i < T; i++) {
        cr_assert_neq(acts[i], 0, "the seed gives activations that are not 0");
        for (uint32_t j = 0; j < T; j++) {
            uint8_t *weight = expected_of(find_event(TPU_STREAM_WCOL, 12 + i)) + j;
            *weight ^= 1;
            peek found = look();
            cr_expect_eq(found.row, (int)i, "PE(%u,%u): row %d", i, j, found.row);
            cr_expect_eq(found.col, (int)j, "PE(%u,%u): column %d", i, j, found.col);
            *weight ^= 1;
        }
    }
}
