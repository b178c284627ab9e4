// SPDX-License-Identifier: Apache-2.0
//
// wave as a person meets it where there is no viewer, no display, no waveform or no such signal:
// one sentence that says what to do, and code 2. The waveform is made by hand.

#define _POSIX_C_SOURCE 200809L

#include "harness/io/textfile.h"
#include "harness/show/wave_writer.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[256];
static char output[SHELL_OUTPUT_MAX];

static void declare(void *user, wave_writer *to) {
    wave_lane *clock = user;
    wave_writer_open_scope(to, "TOP");
    *clock = wave_writer_add_bits(to, "clk_i", 1, NULL);
    wave_writer_close_scope(to);
}

static void tick(void *user, wave_writer *to, uint64_t cycle) {
    wave_writer_set(to, *(wave_lane *)user, cycle);
}

static void put(const char *name, const char *text) {
    char path[320];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, text, strlen(text), NULL), TPU_OK);
}

static void set_up(void) {
    wave_lane clock = 0;
    char path[320];
    const wave_source source = {
        .user = &clock, .first = 0, .last = 9, .cycle_time = 10, .declare = declare, .cycle = tick};
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/window.fst", directory);
    cr_assert_eq(wave_writer_run(NULL, &source, path, NULL), TPU_OK);
    put("window.gtkw", "@28\nTOP.clk_i\n");
    (void)unsetenv("DISPLAY");
    (void)unsetenv("WAYLAND_DISPLAY");
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(cli_wave, .init = set_up, .fini = tear_down, .timeout = 60);

static void expect_refused(const char *arguments, const char *part) {
    shell_expect_refused(arguments, directory, part, output);
}

// A program of that name in the directory, which is then all of PATH.
static void install(const char *name) {
    char path[320];
    put(name, "#!/bin/sh\nexit 0\n");
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(chmod(path, 0755), 0);
}

static void set_path(void) {
    (void)setenv("PATH", directory, 1);
}

Test(cli_wave, has_help) {
    cr_expect_eq(shell_run("wave --help", directory, output), 0);
    cr_expect(strstr(output, "--view FILE") != NULL, "%s", output);
}

Test(cli_wave, says_that_no_viewer_is_installed_and_which_would_do) {
    set_path();
    expect_refused("wave @", "no waveform viewer is installed here; install the package gtkwave");
    install("gtkwave");
    expect_refused("wave @ --viewer surfer", "no surfer is installed here");
}

Test(cli_wave, says_that_there_is_no_display) {
    install("gtkwave");
    set_path();
    expect_refused("wave @", "there is no display for gtkwave (DISPLAY is not set)");
}

Test(cli_wave, starts_the_viewer_that_is_there) {
    install("surfer");
    set_path();
    (void)setenv("DISPLAY", ":0", 1);
    cr_expect_eq(shell_run("wave @", directory, output), 0, "%s", output);
}

Test(cli_wave, refuses_an_unknown_signal_before_it_looks_for_a_viewer) {
    set_path();
    put("other.gtkw", "@28\nTOP.clk_i\nTOP.gone[3:0]\n");
    expect_refused("wave @ --view @/other.gtkw", "has not got 1 of the signals of the view: "
                                                 "TOP.gone[3:0]");
}

Test(cli_wave, takes_a_file_a_directory_or_the_reproducer_in_it) {
    const char *const forms[] = {"wave @/window.fst --write @", "wave @ --write @",
                                 "wave @/repro.json --write @"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char path[320];
        char *text = NULL;
        (void)snprintf(path, sizeof path, "%s/view.gtkw", directory);
        (void)remove(path);
        cr_expect_eq(shell_run(forms[i], directory, output), 0, "%s: %s", forms[i], output);
        cr_assert_eq(textfile_read(path, &text, NULL, NULL), TPU_OK, "%s", forms[i]);
        cr_expect_str_eq(text, "@28\nTOP.clk_i\n");
        free(text);
    }
}

Test(cli_wave, says_what_makes_the_waveform_that_is_missing) {
    char path[320];
    (void)snprintf(path, sizeof path, "%s/window.fst", directory);
    cr_assert_eq(remove(path), 0);
    expect_refused("wave @/repro.json", "replay");
    expect_refused("wave @", "there is no waveform");
}

Test(cli_wave, refuses_what_is_no_waveform) {
    put("text.fst", "hello");
    expect_refused("wave @/text.fst", "this is no waveform");
}

Test(cli_wave, refuses_options_that_cannot_be) {
    expect_refused("wave", "takes one directory or file");
    expect_refused("wave --sideways @", "--sideways");
    expect_refused("replay --before 3 @/repro.json", "say which cycles --wave writes");
    expect_refused("replay --wave @/a.fst --before soon @/repro.json", "--before");
}
