// SPDX-License-Identifier: Apache-2.0
//
// A save file fitted to a waveform of another width; what it names and the waveform has not got.

#include "harness/show/wave_fit.h"

#include "harness/io/textfile.h"
#include "harness/show/wave_writer.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[256];
static char path[300];
static wave_file *file;
static wave_fit fit;
static tpu_message why;
static bool diverges; // at cycle 64
static wave_lane marker;

static void declare(void *user, wave_writer *to) {
    wave_lane *ready = user;
    wave_writer_open_scope(to, "TOP");
    (void)wave_writer_add_bits(to, "row", 64, NULL);
    *ready = wave_writer_add_bits(to, "ready", 1, NULL);
    (void)wave_writer_add_bits(to, "mem_q[3]", 32, NULL);
    (void)wave_writer_add_text(to, "insn");
    wave_writer_close_scope(to);
    if (diverges) {
        wave_writer_open_scope(to, "tpucosim");
        wave_writer_open_scope(to, "verdict");
        marker = wave_writer_add_bits(to, "diverged", 1, NULL);
        wave_writer_close_scope(to);
        wave_writer_close_scope(to);
    }
}

static void toggle(void *user, wave_writer *to, uint64_t cycle) {
    const wave_lane *ready = user;
    wave_writer_set(to, *ready, cycle);
    if (diverges) {
        wave_writer_set(to, marker, cycle >= 64);
    }
}

static void write_wave(void) {
    wave_lane ready = 0;
    const wave_source source = {.user = &ready,
                                .first = 0,
                                .last = 99,
                                .cycle_time = 10,
                                .declare = declare,
                                .cycle = toggle};
    cr_assert_eq(wave_writer_run(NULL, &source, path, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(wave_file_open(path, &file, &why), TPU_OK, "%s", why.text);
}

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/a.fst", directory);
    why.text[0] = '\0';
    diverges = false;
    write_wave();
}

static void tear_down(void) {
    wave_fit_clear(&fit);
    wave_file_close(file);
    scratch_remove(directory);
}

TestSuite(wave_fit, .init = set_up, .fini = tear_down, .timeout = 20);

static void expect_gtkw(const char *text, const char *names, const char *fitted) {
    cr_assert_eq(wave_fit_make(text, file, names, &fit, &why), TPU_OK, "%s", why.text);
    cr_expect_str_eq(fit.gtkw, fitted);
}

Test(wave_fit, gives_a_signal_the_range_that_it_has_here) {
    expect_gtkw("@22\nTOP.row[127:0]\nTOP.mem_q[3][7:0]\n@28\nTOP.ready\nTOP.insn\n", NULL,
                "@22\nTOP.row[63:0]\nTOP.mem_q[3][31:0]\n@28\nTOP.ready\nTOP.insn\n");
}

Test(wave_fit, takes_a_signal_without_a_range) {
    expect_gtkw("@22\nTOP.row\nTOP.mem_q[3]\n", NULL, "@22\nTOP.row[63:0]\nTOP.mem_q[3][31:0]\n");
}

Test(wave_fit, leaves_settings_groups_and_colours_as_they_are) {
    const char *text =
        "[timestart] 40\n*-6.0 640 -1\n@800200\n-group\n[color] 3\n@1000200\n-group\n";
    expect_gtkw(text, NULL, text);
}

Test(wave_fit, finds_translation_files_where_it_is_told) {
    expect_gtkw("@2022\n^1 spec/generated/opcodes.gtkw.txt\nTOP.row\n", "/there",
                "@2022\n^1 /there/opcodes.gtkw.txt\nTOP.row[63:0]\n");
}

Test(wave_fit, makes_the_same_view_for_surfer) {
    cr_assert_eq(wave_fit_make("*-6.0 640 -1\n@800200\n-group\n@22\nTOP.row\n@1000200\n-group\n",
                               file, NULL, &fit, &why),
                 TPU_OK);
    cr_expect_str_eq(fit.sucl, "cursor_set 640\nmarker_set #1\ndivider_add group\n"
                               "variable_add TOP.row\ngoto_cursor\n");
}

Test(wave_fit, tells_what_the_waveform_has_not_got) {
    cr_expect_eq(wave_fit_make("@22\nTOP.row\nTOP.none[3:0]\nTOP.gone\n", file, NULL, &fit, &why),
                 TPU_REFUSED);
    cr_expect_str_eq(why.text, "the waveform has not got 2 of the signals of the view: "
                               "TOP.none[3:0], TOP.gone");
    cr_expect(fit.gtkw == NULL);
}

// The specification's own files, but for their heads.
Test(wave_fit, writes_translations_as_the_generated_files_have_them) {
    static const char *const names[] = {WAVE_FIT_OPCODES, WAVE_FIT_RULES, WAVE_FIT_UNITS};
    cr_assert_eq(wave_fit_write_names(directory, &why), TPU_OK, "%s", why.text);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *made = NULL;
        char *generated = NULL;
        char name[320];
        (void)snprintf(name, sizeof name, "%s/%s", directory, names[i]);
        cr_assert_eq(textfile_read(name, &made, NULL, &why), TPU_OK, "%s", why.text);
        (void)snprintf(name, sizeof name, "spec/generated/%s", names[i]);
        cr_assert_eq(textfile_read(name, &generated, NULL, &why), TPU_OK, "%s", why.text);
        const char *body = strstr(generated, "\n\n");
        cr_assert(body != NULL, "%s", names[i]);
        cr_expect_str_eq(made, body + 2);
        free(made);
        free(generated);
    }
}

// The file ends at 1000; a page of GTKWave is 530 long.
Test(wave_fit, puts_the_cursor_of_a_view_that_has_none_at_the_first_difference) {
    diverges = true;
    wave_file_close(file);
    write_wave();
    expect_gtkw("[timestart] 0\n*-6.000000 0 -1\n", NULL,
                "[timestart] 390\n*-6.000000 640 640 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 "
                "-1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
    wave_fit_clear(&fit);
    expect_gtkw("[timestart] 80\n*-6.000000 120 -1\n", NULL, "[timestart] 80\n*-6.000000 120 -1\n");
}
