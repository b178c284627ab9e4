// SPDX-License-Identifier: Apache-2.0
//
// A failure directory: its name says what differs, everything in it is there and belongs together,
// and what cannot be written is said instead of being passed over.

#include "harness/show/failure.h"

#include "harness/io/textfile.h"
#include "tests/support/lockstep_rig.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lockstep_rig rig;
static reproducer repro;
static char directory[256];
static fake_fault injected;
static engine_api spoiled;

static void set_up(void) {
    size_t at = 0;
    lockstep_rig_create(&rig);
    spoiled = fake_engine_faulty(&injected);
    injected = (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 3, .bit = 5};
    memset(&repro, 0, sizeof repro);
    (void)snprintf(repro.engine, sizeof repro.engine, "fake");
    repro.config = rig.config;
    repro.hang_limit = 1000;
    cr_assert_eq(reproducer_add(&repro, "one", &rig.job, &rig.config.timing, NULL), TPU_OK);
    reproducer_replay(&repro, &spoiled, NULL, &rig.out, &at);
    reproducer_expect(&repro, &rig.out);
    scratch_make(directory, sizeof directory);
}

static void tear_down(void) {
    reproducer_clear(&repro);
    lockstep_rig_destroy(&rig);
    scratch_remove(directory);
}

TestSuite(failure, .init = set_up, .fini = tear_down, .timeout = 20);

static void write_it(void) {
    tpu_message why = {{0}};
    const failure found = {.repro = &repro, .api = &spoiled, .seen = &rig.out};
    cr_assert_eq(failure_write(&found, directory, &why), TPU_OK, "%s", why.text);
}

static char *read_file(const char *name) {
    char path[300];
    char *text = NULL;
    tpu_message why = {{0}};
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK, "%s", why.text);
    return text;
}

Test(failure, is_named_by_what_its_signature_says_of_itself) {
    char name[FAILURE_NAME_MAX];
    failure_name("MISMATCH/value/stream=ar.write.alu/memory=-/unit=accu/field=-/"
                 "pattern=all-lanes/fault=-",
                 name, sizeof name);
    cr_expect_str_eq(name, "mismatch-value-ar_write_alu-accu-all_lanes");
    failure_name("HANG/stuck/stream=-", name, sizeof name);
    cr_expect_str_eq(name, "hang-stuck");
    failure_name("", name, sizeof name);
    cr_expect_str_eq(name, "");
    failure_name("MISMATCH/value/stream=cw", name, 12);
    cr_expect_str_eq(name, "mismatch-va");
}

Test(failure, leaves_a_reproducer_that_fails_again_and_reports_of_that_run) {
    char path[300];
    reproducer again = {.run = NULL};
    verdict seen;
    size_t at = 0;
    verdict_init(&seen);
    write_it();
    (void)snprintf(path, sizeof path, "%s/%s", directory, FAILURE_REPRODUCER);
    cr_assert_eq(reproducer_read(path, &again, NULL), TPU_OK);
    reproducer_replay(&again, &spoiled, NULL, &seen, &at);
    cr_expect(reproducer_same(&again, &seen, at));
    char *screen = read_file(FAILURE_REPORT);
    cr_expect(strstr(screen, "row 3 of cw") != NULL, "%s", screen);
    char *json = read_file(FAILURE_REPORT_JSON);
    cr_expect(strstr(json, "\"cw\"") != NULL, "%s", json);
    char *program = read_file(FAILURE_PROGRAM);
    cr_expect(strstr(program, "mm") != NULL, "%s", program);
    free(screen);
    free(json);
    free(program);
    verdict_clear(&seen);
    reproducer_clear(&again);
}

// The fake engine writes no trace: that is said, with its own words, and the streams are drawn.
Test(failure, says_what_is_missing_and_why) {
    char path[300];
    write_it();
    char *screen = read_file(FAILURE_REPORT);
    cr_expect(strstr(screen, "writes no trace") != NULL, "%s", screen);
    (void)snprintf(path, sizeof path, "%s/%s", directory, FAILURE_WAVE);
    cr_expect_eq(access(path, F_OK), 0, "the streams need no trace of the machine");
    free(read_file(FAILURE_TIMELINE));
    free(read_file(FAILURE_PAGE));
    free(screen);
}

Test(failure, refuses_a_place_that_is_a_file) {
    char path[300];
    tpu_message why = {{0}};
    const failure found = {.repro = &repro, .api = &spoiled, .seen = &rig.out};
    (void)snprintf(path, sizeof path, "%s/taken", directory);
    cr_assert_eq(textfile_write(path, "x", 1, NULL), TPU_OK);
    cr_assert_eq(failure_write(&found, path, &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "taken") != NULL, "%s", why.text);
}
