// SPDX-License-Identifier: Apache-2.0
//
// A corpus on the fake engine: every file does the same whatever is beside it, a bad one stops all
// before anything runs, and what is left out covers nothing of its own.

#include "harness/fuzz/corpus.h"

#include "harness/io/textfile.h"
#include "tests/support/fake_engine.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[256];
static tpu_message why;
static fake_fault planted;
static engine_api api;
static corpus files;
static fuzz_options options;

static void set_up(void) {
    planted = (fake_fault){.kind = FAKE_FAULT_NONE};
    api = fake_engine_faulty(&planted);
    options = (fuzz_options){.engine = "fake",
                             .api = &api,
                             .config = {.params = params_default(4, 16), .watchdog = 500},
                             .hang_limit = 2000,
                             .seed = 9,
                             .jobs = 1};
    scratch_make(directory, sizeof directory);
}

static void tear_down(void) {
    corpus_clear(&files);
    scratch_remove(directory);
}

TestSuite(corpus, .init = set_up, .fini = tear_down, .timeout = 60);

static void write_bytes(const char *name, const void *data, size_t size) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, data, size, &why), TPU_OK, "%s", why.text);
}

static void write_tape(const char *name, uint64_t seed) {
    static tape made;
    static uint8_t bytes[TAPE_BYTES_MAX];
    rng source;
    rng_seed(&source, seed);
    tape_draw(&made, &source);
    write_bytes(name, bytes, tape_encode(&made, &options.config.params, bytes));
}

static void open_files(void) {
    corpus_clear(&files);
    cr_assert_eq(corpus_open(directory, &files, &why), TPU_OK, "%s", why.text);
}

static fuzz_summary *replay(void) {
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    open_files();
    cr_assert_eq(corpus_replay(&files, &options, sum, &why), TPU_OK, "%s", why.text);
    return sum;
}

Test(corpus, names_are_in_byte_order_and_directories_are_left_out) {
    write_tape("b", 1);
    write_tape("a", 2);
    write_tape(".hidden", 3);
    open_files();
    cr_assert_eq(files.count, 2u);
    cr_expect_str_eq(files.name[0], "a");
    cr_expect_str_eq(files.name[1], "b");
}

Test(corpus, a_replay_does_the_same_each_time_and_whatever_the_seed) {
    for (uint64_t seed = 0; seed < 5; seed++) {
        char name[16];
        (void)snprintf(name, sizeof name, "t%u", (unsigned)seed);
        write_tape(name, seed);
    }
    fuzz_summary *first = replay();
    options.seed = 10;
    fuzz_summary *again = replay();
    cr_expect_geq(first->programs, 5u);
    cr_expect_eq(first->programs, again->programs);
    cr_expect_eq(first->digest, again->digest);
    cr_expect_eq(first->findings, 0u);
    free(first);
    free(again);
}

Test(corpus, files_add_up_to_what_each_does_alone) {
    write_tape("one", 1);
    fuzz_summary *first = replay();
    char path[512];
    (void)snprintf(path, sizeof path, "%s/one", directory);
    (void)unlink(path);
    write_tape("another", 2);
    fuzz_summary *second = replay();
    write_tape("one", 1);
    fuzz_summary *both = replay();
    cr_expect_eq(both->programs, first->programs + second->programs);
    cr_expect_eq(both->digest, first->digest + second->digest);
    free(first);
    free(second);
    free(both);
}

Test(corpus, a_fault_is_found_by_a_replay) {
    planted = (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_AC2SP, .bit = 5};
    for (uint64_t seed = 0; seed < 5; seed++) {
        char name[16];
        (void)snprintf(name, sizeof name, "t%u", (unsigned)seed);
        write_tape(name, seed);
    }
    fuzz_summary *sum = replay();
    cr_expect_geq(sum->findings, 1u);
    cr_assert_geq(sum->bucket_count, 1u);
    cr_expect(strstr(sum->bucket[0].signature, "ac2sp") != NULL, "%s", sum->bucket[0].signature);
    free(sum);
}

Test(corpus, a_damaged_file_is_named_and_nothing_runs) {
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    write_tape("good", 1);
    write_bytes("wrong", "TPUTAPE1 and then nothing", 25);
    open_files();
    cr_expect_eq(corpus_replay(&files, &options, sum, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "/wrong: not a corpus file") != NULL, "%s", why.text);
    cr_expect_eq(sum->programs, 0u);
    cr_expect_eq(corpus_check(&files, &options.config.params, &why), TPU_REFUSED);
    free(sum);
}

Test(corpus, a_directory_that_is_not_there_is_named) {
    cr_expect_eq(corpus_open("/proc/nowhere", &files, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "/proc/nowhere") != NULL, "%s", why.text);
}

Test(corpus, what_adds_nothing_is_removed_and_nothing_is_lost) {
    for (uint64_t seed = 0; seed < 30; seed++) {
        char name[16];
        (void)snprintf(name, sizeof name, "t%02u", (unsigned)seed);
        write_tape(name, seed);
    }
    write_tape("twin", 3);
    fuzz_summary *before = replay();
    fuzz_summary *sum = calloc(1, sizeof *sum);
    size_t kept = 0;
    cr_assert_not_null(sum);
    cr_assert_eq(corpus_minimise(&files, &options, 0, sum, &kept, &why), TPU_OK, "%s", why.text);
    fuzz_summary *after = replay();
    cr_expect_eq(files.count, kept);
    cr_expect_lt(kept, 31u);
    cr_expect_gt(kept, 1u);
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        cr_expect_eq(before->covered[bin] > 0, after->covered[bin] > 0, "bin %u", bin);
    }
    free(before);
    free(sum);
    free(after);
}

Test(corpus, as_few_files_stay_as_are_asked_for) {
    for (uint64_t seed = 0; seed < 10; seed++) {
        char name[16];
        (void)snprintf(name, sizeof name, "t%02u", (unsigned)seed);
        write_tape(name, seed);
    }
    fuzz_summary *sum = calloc(1, sizeof *sum);
    size_t kept = 0;
    cr_assert_not_null(sum);
    open_files();
    cr_assert_eq(corpus_minimise(&files, &options, 3, sum, &kept, &why), TPU_OK, "%s", why.text);
    open_files();
    cr_expect_eq(kept, 3u);
    cr_expect_eq(files.count, 3u);
    free(sum);
}
