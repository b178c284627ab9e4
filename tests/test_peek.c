// SPDX-License-Identifier: Apache-2.0
//
// A waveform of an array written by hand: each element shows the sum of the row that is looked for
// only while that row stands in it, and noise before and after; every third cycle all of it stands
// still. Sums are added up here from the operands of the rig's GEMM.

#include "harness/show/peek.h"

#include "harness/show/wave.h"
#include "harness/show/wave_writer.h"
#include "tests/support/lockstep_rig.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define T 4u
#define STEPS (2 * T - 1) // from acol to cw

static lockstep_rig rig;
static reproducer repro;
static recording taken;
static engine_api spoiled;
static char directory[256];
static char path[300];

static const fake_fault wrong_sum = {
    .kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 4 * 8 + 4};

static tpu_status create_spoiled(const engine_config *config, engine **out, tpu_message *why) {
    tpu_status status = fake_engine_api()->create(config, out, why);
    if (status == TPU_OK) {
        fake_engine_inject(*out, &wrong_sum);
        fake_engine_schedule(*out, 5, 12); // late enough for a row to have stood in the array
    }
    return status;
}

static void set_up(void) {
    static const recording_window all = {.first = 0, .last = UINT64_MAX};
    lockstep_rig_create(&rig);
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/window.fst", directory);
    spoiled = *fake_engine_api();
    spoiled.create = create_spoiled;
    memset(&repro, 0, sizeof repro);
    memset(&taken, 0, sizeof taken);
    repro.config = rig.config;
    repro.hang_limit = 1000;
    cr_assert_eq(reproducer_add(&repro, "one", &rig.job, &rig.config.timing, NULL), TPU_OK);
    cr_assert_eq(recording_take(&repro, &spoiled, &all, NULL, &taken, NULL), TPU_OK);
    cr_assert_eq(taken.seen.stream, TPU_STREAM_CW);
    cr_assert_gt(taken.seen.cycle, 2 * STEPS);
}

static void tear_down(void) {
    recording_clear(&taken);
    reproducer_clear(&repro);
    lockstep_rig_destroy(&rig);
    scratch_remove(directory);
}

TestSuite(peek, .init = set_up, .fini = tear_down, .timeout = 20);

// ---- the waveform -------------------------------------------------------------------------------

typedef struct bench {
    wave_lane advance;
    wave_lane sum[T][T];
    int32_t value[T][T]; // while the row is there
    bool has_array;
} bench;

static bool moves(uint64_t cycle) {
    return cycle % 3 != 0;
}

static uint64_t moves_before(uint64_t cycle) {
    uint64_t count = 0;
    for (uint64_t c = 0; c < cycle; c++) {
        count += moves(c);
    }
    return count;
}

// Row 19 of cw is row 3 of the third mm: A row 3, block 0, with rows 0..3 of B, columns 4..7.
static void right_sums(bench *self) {
    for (uint32_t j = 0; j < T; j++) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < T; i++) {
            sum += (int8_t)rig.a[3 * 64 + i] * (int8_t)rig.b[i * 64 + 4 + j];
            self->value[i][j] = sum;
        }
    }
}

static void declare(void *user, wave_writer *to) {
    static const char *const scopes[] = {"TOP", "tpu_engine", "u_top", "u_core", "u_array"};
    bench *self = user;
    char name[32];
    for (size_t i = 0; i < 5; i++) {
        wave_writer_open_scope(to, scopes[i]);
    }
    self->advance = wave_writer_add_bits(to, "advance", 1, NULL);
    for (uint32_t i = 0; i < T && self->has_array; i++) {
        (void)snprintf(name, sizeof name, "gen_row[%u]", i);
        wave_writer_open_scope(to, name);
        for (uint32_t j = 0; j < T; j++) {
            (void)snprintf(name, sizeof name, "gen_col[%u]", j);
            wave_writer_open_scope(to, name);
            wave_writer_open_scope(to, "u_pe");
            self->sum[i][j] = wave_writer_add_bits(to, "psum_q", 32, NULL);
            wave_writer_close_scope(to);
            wave_writer_close_scope(to);
        }
        wave_writer_close_scope(to);
    }
    for (size_t i = 0; i < 5; i++) {
        wave_writer_close_scope(to);
    }
}

static void show_cycle(void *user, wave_writer *to, uint64_t cycle) {
    bench *self = user;
    uint64_t end = taken.seen.cycle;
    uint64_t left = moves_before(end) - moves_before(cycle < end ? cycle : end);
    wave_writer_set(to, self->advance, moves(cycle));
    for (uint32_t i = 0; i < T && self->has_array; i++) {
        for (uint32_t j = 0; j < T; j++) {
            bool here = cycle <= end && left + i + j + 1 == STEPS;
            uint64_t noise = 7777 + 13 * cycle + i;
            wave_writer_set(to, self->sum[i][j],
                            here ? (uint32_t)self->value[i][j] : (uint32_t)noise);
        }
    }
}

static void write_wave(bench *self) {
    const wave_source ours = {.user = self,
                              .first = 0,
                              .last = taken.seen.cycle + 5,
                              .cycle_time = WAVE_CYCLE,
                              .declare = declare,
                              .cycle = show_cycle};
    tpu_message why = {{0}};
    cr_assert_eq(wave_writer_run(NULL, &ours, path, &why), TPU_OK, "%s", why.text);
}

// ---- the tests ----------------------------------------------------------------------------------

Test(peek, names_the_first_element_whose_sum_is_wrong) {
    bench array = {.has_array = true};
    peek found;
    tpu_message why = {{0}};
    right_sums(&array);
    int32_t right = array.value[2][1];
    array.value[2][1] += 16;
    array.value[3][1] += 16;
    write_wave(&array);
    cr_assert_eq(peek_array(&taken, path, &found, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(found.row, 2);
    cr_expect_eq(found.col, 1);
    cr_expect_eq(found.expected, right);
    cr_expect_eq(found.got, right + 16);
    cr_expect_eq(found.others, 0u);
}

Test(peek, names_the_leftmost_element_of_a_row_that_is_wrong) {
    bench array = {.has_array = true};
    peek found;
    right_sums(&array);
    for (uint32_t i = 1; i < T; i++) {
        array.value[i][2] -= 3;
        array.value[i][3] -= 4;
    }
    write_wave(&array);
    cr_assert_eq(peek_array(&taken, path, &found, NULL), TPU_OK);
    cr_expect_eq(found.row, 1);
    cr_expect_eq(found.col, 2);
    cr_expect_eq(found.others, 0u);
}

Test(peek, counts_columns_that_go_wrong_elsewhere) {
    bench array = {.has_array = true};
    peek found;
    right_sums(&array);
    array.value[3][0] += 1;
    array.value[3][3] += 1;
    array.value[2][3] += 1;
    write_wave(&array);
    cr_assert_eq(peek_array(&taken, path, &found, NULL), TPU_OK);
    cr_expect_eq(found.row, 3);
    cr_expect_eq(found.col, 0);
    cr_expect_eq(found.others, 1u);
}

Test(peek, finds_nothing_when_the_sums_inside_are_right) {
    bench array = {.has_array = true};
    peek found;
    right_sums(&array);
    write_wave(&array);
    cr_assert_eq(peek_array(&taken, path, &found, NULL), TPU_OK);
    cr_expect_eq(found.row, -1);
    peek_into(&taken, path);
    cr_expect(strstr(taken.seen.note[0].text, "changed on its way out") != NULL);
}

Test(peek, puts_the_element_into_the_verdict_and_its_note_first) {
    bench array = {.has_array = true};
    right_sums(&array);
    array.value[3][1] = 999;
    write_wave(&array);
    size_t before = taken.seen.note_count;
    peek_into(&taken, path);
    cr_expect_eq(taken.seen.pe_row, 3);
    cr_expect_eq(taken.seen.pe_col, 1);
    cr_expect_eq(taken.seen.note_count, before + 1);
    cr_expect(strstr(taken.seen.note[0].text, "goes wrong in PE(3,1): 999, expected ") != NULL,
              "%s", taken.seen.note[0].text);
}

static void expect_refused(const char *part) {
    peek found;
    tpu_message why = {{0}};
    cr_expect_eq(peek_array(&taken, path, &found, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, part) != NULL, "%s", why.text);
    cr_expect_eq(found.row, -1);
}

Test(peek, refuses_what_it_cannot_see) {
    bench array = {.has_array = false};
    expect_refused(path); // no such file
    write_wave(&array);
    expect_refused("gen_row[0].gen_col[0].u_pe.psum_q");
    taken.window.first = taken.seen.cycle - 2;
    expect_refused("begins after the row entered");
    taken.event_count = 0;
    expect_refused("operands");
    taken.seen.stream = TPU_STREAM_ACOL;
    expect_refused("no row of cw");
}
