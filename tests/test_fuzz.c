// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer, on the fake engine: what it runs follows from the seed alone, jobs split it without
// doubling or losing any, and a planted fault becomes one bucket with files that fail again.

#include "harness/fuzz/fuzz.h"

#include "harness/fuzz/fuzz_workers.h"
#include "harness/io/textfile.h"
#include "harness/show/failure.h"
#include "tests/support/fake_engine.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024

static fake_fault planted;
static tpu_message why;

static engine_api api;

static fuzz_options options_for(fake_fault fault) {
    planted = fault;
    api = fake_engine_faulty(&planted);
    return (fuzz_options){.engine = "fake",
                          .api = &api,
                          .config = {.params = params_default(4, 16), .watchdog = 500},
                          .hang_limit = 2000,
                          .seed = 9,
                          .jobs = 1,
                          .programs = 300};
}

static const fake_fault none = {.kind = FAKE_FAULT_NONE};

static fuzz_summary *run(const fuzz_options *options) {
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    cr_assert_eq(fuzz_run(options, NULL, sum, &why), TPU_OK, "%s", why.text);
    return sum;
}

TestSuite(fuzz, .timeout = 60);

Test(fuzz, a_right_machine_has_no_finding) {
    const fuzz_options options = options_for(none);
    fuzz_summary *sum = run(&options);
    cr_expect_eq(sum->programs, 300u);
    cr_expect_eq(sum->findings, 0u);
    cr_expect_geq(sum->rows, 300u * 10u);
    cr_expect_geq(sum->cycles, 300u * 10u);
    free(sum);
}

Test(fuzz, the_same_seed_does_the_same_and_another_does_not) {
    fuzz_options options = options_for(none);
    fuzz_summary *first = run(&options);
    fuzz_summary *again = run(&options);
    options.seed = 10;
    fuzz_summary *other = run(&options);
    cr_expect_eq(first->rows, again->rows);
    cr_expect_eq(first->issues, again->issues);
    cr_expect_eq(first->digest, again->digest);
    cr_expect_neq(first->digest, other->digest);
    cr_expect_neq(first->rows, other->rows);
    free(first);
    free(again);
    free(other);
}

static bool same_words(const reproducer_run *left, const reproducer_run *right) {
    return left->word_count == right->word_count &&
           memcmp(left->words, right->words, left->word_count * sizeof left->words[0]) == 0;
}

Test(fuzz, no_two_programs_of_a_sequence_are_the_same) {
    const fuzz_options options = options_for(none);
    reproducer made = {.run = NULL};
    cr_assert_eq(fuzz_rebuild(&options, 3, 20, &made, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(made.run_count, 21u);
    for (size_t i = 0; i < made.run_count; i++) {
        for (size_t k = 0; k < i; k++) {
            cr_expect_not(same_words(&made.run[i], &made.run[k]), "%zu and %zu", k, i);
        }
    }
    reproducer_clear(&made);
}

Test(fuzz, two_jobs_do_what_one_does) {
    // Four sequences: 0..3 in one job, or 0 and 2 beside 1 and 3.
    fuzz_options options = options_for(none);
    options.programs = 4 * FUZZ_SEQUENCE;
    fuzz_summary *alone = run(&options);
    options.programs = 2 * FUZZ_SEQUENCE;
    options.jobs = 2;
    fuzz_summary *even = run(&options);
    options.job = 1;
    fuzz_summary *odd = run(&options);
    fuzz_merge(even, odd);
    cr_expect_eq(even->programs, alone->programs);
    cr_expect_eq(even->rows, alone->rows);
    cr_expect_eq(even->issues, alone->issues);
    cr_expect_eq(even->digest, alone->digest);
    free(alone);
    free(even);
    free(odd);
}

Test(fuzz, a_fault_becomes_one_bucket_however_often_it_shows) {
    fuzz_options options =
        options_for((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .bit = 5});
    fuzz_summary *sum = run(&options);
    cr_assert_geq(sum->bucket_count, 1u);
    cr_expect_geq(sum->findings, 100u);
    cr_expect_leq(sum->bucket_count, 3u);
    cr_expect(strstr(sum->bucket[0].signature, "stream=cw") != NULL, "%s",
              sum->bucket[0].signature);
    uint64_t counted = 0;
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        counted += sum->bucket[i].count;
    }
    cr_expect_eq(counted, sum->findings);
    cr_expect_leq(sum->bucket[0].program, 10u);
    free(sum);
}

Test(fuzz, it_may_end_at_the_first_finding) {
    fuzz_options options =
        options_for((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .bit = 5});
    fuzz_summary *all = run(&options);
    options.first = true;
    fuzz_summary *one = run(&options);
    cr_expect_gt(all->findings, 1u);
    cr_expect_eq(one->findings, 1u);
    cr_assert_eq(one->bucket_count, 1u);
    cr_expect_eq(one->programs, one->bucket[0].program);
    cr_expect_eq(one->bucket[0].program, all->bucket[0].program);
    options = options_for(none);
    options.first = true;
    fuzz_summary *right = run(&options);
    cr_expect_eq(right->programs, 300u);
    free(all);
    free(one);
    free(right);
}

static void path_in(const char *directory, const fuzz_bucket *bucket, const char *file, char *path,
                    size_t size) {
    char name[FUZZ_SIGNATURE_MAX];
    failure_name(bucket->signature, name, sizeof name);
    (void)snprintf(path, size, "%s/%s/%s", directory, name, file);
}

static void remove_all(const char *directory, const fuzz_summary *sum) {
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        char path[PATH_BYTES + FUZZ_SIGNATURE_MAX + 32];
        path_in(directory, &sum->bucket[i], ".", path, sizeof path);
        path[strlen(path) - 2] = '\0'; // without the "/."
        scratch_remove(path);
    }
    scratch_remove(directory);
}

static void expect_fails_again(const char *path, size_t most_instructions) {
    reproducer repro = {.run = NULL};
    verdict seen;
    size_t at = 0;
    cr_assert_eq(reproducer_read(path, &repro, &why), TPU_OK, "%s", why.text);
    cr_expect_leq(repro.run[repro.run_count - 1].program.count, most_instructions);
    verdict_init(&seen);
    reproducer_replay(&repro, &api, NULL, &seen, &at);
    cr_expect(reproducer_same(&repro, &seen, at), "%s", path);
    verdict_clear(&seen);
    reproducer_clear(&repro);
}

static void expect_text(const char *path, const char *part) {
    char *text = NULL;
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK, "%s", why.text);
    cr_expect(strstr(text, part) != NULL, "%s: %s", path, text);
    free(text);
}

Test(fuzz, a_finding_leaves_a_reproducer_a_program_and_a_report) {
    char directory[PATH_BYTES];
    char path[PATH_BYTES + FUZZ_SIGNATURE_MAX + 32];
    scratch_make(directory, sizeof directory);
    fuzz_options options = options_for(
        (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_WRITE, .bit = 5 * 8});
    options.directory = directory;
    options.shrink_seconds = 5;
    options.budget_seconds = 10;
    options.programs = 20;
    fuzz_summary *sum = run(&options);
    cr_assert_geq(sum->bucket_count, 1u);
    const fuzz_bucket *bucket = &sum->bucket[0];
    cr_expect_leq(bucket->instructions, 8u);
    cr_expect_eq(bucket->runs, 1u);
    path_in(directory, bucket, "repro.json", path, sizeof path);
    expect_fails_again(path, 8);
    path_in(directory, bucket, "found.json", path, sizeof path);
    expect_fails_again(path, 24);
    path_in(directory, bucket, "program.s", path, sizeof path);
    expect_text(path, "mvout");
    path_in(directory, bucket, "report.txt", path, sizeof path);
    expect_text(path, "c.write");
    remove_all(directory, sum);
    free(sum);
}

Test(fuzz, a_place_that_cannot_be_written_is_said) {
    fuzz_options options =
        options_for((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .bit = 5});
    fuzz_summary *sum = calloc(1, sizeof *sum);
    options.directory = "/proc/nowhere";
    cr_assert_not_null(sum);
    cr_expect_eq(fuzz_run(&options, NULL, sum, &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "/proc/nowhere") != NULL, "%s", why.text);
    free(sum);
}

Test(fuzz, an_engine_that_fails_is_the_harness_s_trouble_and_no_finding) {
    fuzz_options options = options_for((fake_fault){.kind = FAKE_FAULT_STEP, .value = 5});
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    cr_expect_eq(fuzz_run(&options, NULL, sum, &why), TPU_ERR_INTERNAL);
    cr_expect(strstr(why.text, "sequence 0, program 0") != NULL, "%s", why.text);
    cr_expect_eq(sum->findings, 0u);
    free(sum);
}

// ---- processes ---------------------------------------------------------------------------------

Test(fuzz, workers_add_up_to_what_one_process_does) {
    fuzz_options options = options_for(none);
    options.programs = 3 * FUZZ_SEQUENCE;
    fuzz_summary *alone = run(&options);
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    options.programs = FUZZ_SEQUENCE;
    options.jobs = 3;
    cr_assert_eq(fuzz_workers_run(&options, NULL, NULL, sum, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(sum->programs, alone->programs);
    cr_expect_eq(sum->rows, alone->rows);
    free(alone);
    free(sum);
}

Test(fuzz, workers_share_their_buckets) {
    char directory[PATH_BYTES];
    scratch_make(directory, sizeof directory);
    fuzz_options options =
        options_for((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .bit = 5});
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    options.jobs = 2;
    options.directory = directory;
    cr_assert_eq(fuzz_workers_run(&options, NULL, NULL, sum, &why), TPU_OK, "%s", why.text);
    cr_expect_geq(sum->findings, 100u);
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        cr_expect_eq(sum->bucket[i].runs > 0, true, "no files for %s", sum->bucket[i].signature);
        for (uint32_t k = 0; k < i; k++) {
            cr_expect_neq(strcmp(sum->bucket[i].signature, sum->bucket[k].signature), 0);
        }
    }
    remove_all(directory, sum);
    free(sum);
}

static tpu_status create_and_die(const engine_config *config, engine **out, tpu_message *message) {
    (void)config;
    (void)out;
    (void)message;
    (void)raise(SIGKILL);
    return TPU_ERR_ENGINE;
}

Test(fuzz, a_worker_that_dies_is_named) {
    fuzz_options options = options_for(none);
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    api.create = create_and_die;
    cr_expect_eq(fuzz_workers_run(&options, NULL, NULL, sum, &why), TPU_ERR_INTERNAL);
    cr_expect(strstr(why.text, "worker 0 of 1 died (signal 9)") != NULL, "%s", why.text);
    free(sum);
}
