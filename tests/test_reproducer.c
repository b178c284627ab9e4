// SPDX-License-Identifier: Apache-2.0
//
// A reproducer brings back the same verdict to the cycle, and a file that cannot be trusted is
// refused with one sentence.

#include "harness/replay/reproducer.h"

#include "harness/io/base64.h"
#include "harness/io/textfile.h"
#include "tests/support/lockstep_rig.h"
#include "tests/support/resign.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lockstep_rig rig;
static reproducer repro;
static char directory[256];
static char path[300];
static fake_fault injected;
static engine_api spoiled;

static void set_up(void) {
    lockstep_rig_create(&rig);
    spoiled = fake_engine_faulty(&injected);
    memset(&repro, 0, sizeof repro);
    (void)snprintf(repro.engine, sizeof repro.engine, "fake");
    repro.config = rig.config;
    repro.hang_limit = 1000;
    repro.seed = UINT64_MAX - 1;
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/repro.json", directory);
}

static void tear_down(void) {
    reproducer_clear(&repro);
    lockstep_rig_destroy(&rig);
    scratch_remove(directory);
}

TestSuite(reproducer, .init = set_up, .fini = tear_down, .timeout = 20);

// Two runs in one engine; the fault shows in both, so only the first is noted.
static void note(fake_fault fault) {
    size_t at = 0;
    injected = fault;
    cr_assert_eq(reproducer_add(&repro, "one", &rig.job, &rig.config.timing, NULL), TPU_OK);
    reproducer_replay(&repro, &spoiled, NULL, &rig.out, &at);
    reproducer_expect(&repro, &rig.out);
    cr_assert_eq(reproducer_write(&repro, path, NULL), TPU_OK);
}

static void expect_refused(const char *word) {
    reproducer other = {.run = NULL};
    tpu_message why = {{0}};
    cr_expect_eq(reproducer_read(path, &other, &why), TPU_REFUSED, "\"%s\" was accepted", word);
    cr_expect(strstr(why.text, word) != NULL, "\"%s\" is not in \"%s\"", word, why.text);
    cr_expect(other.run == NULL);
}

static void replace(const char *from, const char *to) {
    char *text = NULL;
    size_t bytes = 0;
    cr_assert_eq(textfile_read(path, &text, &bytes, NULL), TPU_OK);
    char *at = strstr(text, from);
    cr_assert(at != NULL, "%s", from);
    char *changed = calloc(1, bytes + strlen(to) + 1);
    memcpy(changed, text, (size_t)(at - text));
    strcat(changed, to);
    strcat(changed, at + strlen(from));
    cr_assert_eq(textfile_write(path, changed, strlen(changed), NULL), TPU_OK);
    free(changed);
    free(text);
}

// The same with a checksum that fits again.
static void replace_and_sign(const char *from, const char *to) {
    char *text = NULL;
    replace(from, to);
    cr_assert_eq(textfile_read(path, &text, NULL, NULL), TPU_OK);
    char *again = resign(text);
    cr_assert_not_null(again);
    cr_assert_eq(textfile_write(path, again, strlen(again), NULL), TPU_OK);
    free(again);
    free(text);
}

Test(reproducer, brings_back_the_same_verdict_to_the_cycle) {
    static const fake_fault faults[] = {
        {.kind = FAKE_FAULT_NONE},
        {.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 40},
        {.kind = FAKE_FAULT_DROP, .stream = TPU_STREAM_ISSUE, .event = 11},
        {.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_ACOL, .event = 3},
        {.kind = FAKE_FAULT_C_CELL, .event = 700}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        reproducer other = {.run = NULL};
        tpu_message why = {{0}};
        size_t at = 9;
        reproducer_forget(&repro);
        note(faults[i]);
        cr_assert_eq(reproducer_read(path, &other, &why), TPU_OK, "%s", why.text);
        reproducer_replay(&other, &spoiled, NULL, &rig.out, &at);
        cr_expect(reproducer_same(&other, &rig.out, at), "fault %zu: %s", i, rig.out.sentence.text);
        cr_expect_eq(rig.out.cycle, repro.expected_cycle);
        cr_expect_eq(other.seed, UINT64_MAX - 1);
        reproducer_clear(&other);
    }
}

Test(reproducer, knows_another_cycle_other_events_and_another_run_apart) {
    reproducer two = {.run_count = 2};
    verdict seen;
    verdict_init(&seen);
    seen.kind = VERDICT_MISMATCH;
    seen.cycle = 70;
    seen.digest = 1234;
    reproducer_expect(&two, &seen);
    cr_expect(reproducer_same(&two, &seen, 1));
    cr_expect_not(reproducer_same(&two, &seen, 0));
    seen.cycle = 71;
    cr_expect_not(reproducer_same(&two, &seen, 1));
    seen.cycle = 70;
    seen.digest = 1235;
    cr_expect_not(reproducer_same(&two, &seen, 1));
    verdict_clear(&seen);
}

Test(reproducer, says_when_the_fault_is_gone) {
    size_t at = 0;
    note((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 40});
    reproducer_replay(&repro, fake_engine_api(), NULL, &rig.out, &at);
    cr_expect_eq(rig.out.kind, VERDICT_OK);
    cr_expect(!reproducer_same(&repro, &rig.out, at));
}

Test(reproducer, replays_every_run_before_the_last) {
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(reproducer_add(&repro, "turn", &rig.job, &rig.config.timing, NULL), TPU_OK);
    }
    reproducer_replay(&repro, fake_engine_api(), NULL, &rig.out, &at);
    cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    cr_expect_eq(at, 2u);
}

Test(reproducer, brings_back_the_way_in_which_the_memory_stalls) {
    for (int mode = 0; mode < ENGINE_STALL_COUNT; mode++) {
        reproducer other = {.run = NULL};
        tpu_message why = {{0}};
        engine_timing timing = rig.config.timing;
        timing.stall_mode = (engine_stall)mode;
        reproducer_forget(&repro);
        cr_assert_eq(reproducer_add(&repro, "turn", &rig.job, &timing, NULL), TPU_OK);
        cr_assert_eq(reproducer_write(&repro, path, NULL), TPU_OK);
        cr_assert_eq(reproducer_read(path, &other, &why), TPU_OK, "%s", why.text);
        cr_expect_eq(other.run[0].timing.stall_mode, mode);
        reproducer_clear(&other);
    }
}

Test(reproducer, a_file_from_before_there_were_ways_to_stall_stalls_at_random) {
    reproducer other = {.run = NULL};
    tpu_message why = {{0}};
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    replace_and_sign("\"stall_mode\":", "\"was\":");
    cr_assert_eq(reproducer_read(path, &other, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(other.run[0].timing.stall_mode, ENGINE_STALL_RANDOM);
    reproducer_clear(&other);
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    replace_and_sign("\"stall_mode\":\t\"random\"", "\"stall_mode\":\t\"sideways\"");
    expect_refused("stall_mode");
}

Test(reproducer, refuses_a_missing_file) {
    (void)remove(path);
    expect_refused(path);
}

Test(reproducer, refuses_a_file_that_is_cut_short_anywhere) {
    char *text = NULL;
    size_t bytes = 0;
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    cr_assert_eq(textfile_read(path, &text, &bytes, NULL), TPU_OK);
    for (size_t keep = 0; keep + 1 < bytes; keep += 1 + bytes / 50) {
        cr_assert_eq(textfile_write(path, text, keep, NULL), TPU_OK);
        expect_refused("cut short");
    }
    free(text);
}

Test(reproducer, refuses_one_flipped_character_of_an_operand) {
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    replace("\"a\":\t\"", "\"a\":\t\"/");
    expect_refused("damaged");
}

Test(reproducer, refuses_a_newer_version) {
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    replace("\"version\":\t1", "\"version\":\t2");
    expect_refused("newer");
}

Test(reproducer, refuses_another_kind_of_file) {
    cr_assert_eq(textfile_write(path, "{}", 2, NULL), TPU_OK);
    expect_refused("no reproducer");
    cr_assert_eq(textfile_write(path, "[1]", 3, NULL), TPU_OK);
    expect_refused("no reproducer");
}

Test(reproducer, refuses_words_that_are_not_the_programs) {
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    repro.run[0].words[9] ^= 128;
    cr_assert_eq(reproducer_write(&repro, path, NULL), TPU_OK);
    expect_refused("contradicts itself");
}

Test(reproducer, refuses_parameters_that_cannot_be) {
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    repro.config.params.qd = 1;
    cr_assert_eq(reproducer_write(&repro, path, NULL), TPU_OK);
    expect_refused("contradicts itself");
}

Test(reproducer, refuses_a_shape_beyond_maxdim) {
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    repro.run[0].gemm.n = 68;
    cr_assert_eq(reproducer_write(&repro, path, NULL), TPU_OK);
    expect_refused("MAXDIM");
}

Test(reproducer, leaves_the_old_file_when_it_cannot_write) {
    tpu_message why = {{0}};
    note((fake_fault){.kind = FAKE_FAULT_NONE});
    cr_expect_eq(reproducer_write(&repro, "no/such/dir/repro.json", &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "no/such/dir/repro.json") != NULL);
}

// RFC 4648, section 10.
Test(reproducer, writes_base64_as_the_rfc_says) {
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[16];
        uint8_t data[8];
        size_t bytes = strlen(cases[i][0]);
        memcpy(data, cases[i][0], bytes);
        base64_encode(data, bytes, text);
        cr_expect_str_eq(text, cases[i][1]);
        memset(data, 0, sizeof data);
        cr_expect(base64_decode(text, data, bytes));
        cr_expect_eq(memcmp(data, cases[i][0], bytes), 0);
    }
    uint8_t data[8];
    cr_expect(!base64_decode("Zm9", data, 3));
    cr_expect(!base64_decode("Zm9*", data, 3));
    cr_expect(!base64_decode("Zh==", data, 1));
    cr_expect(!base64_decode("Z===", data, 1));
}
