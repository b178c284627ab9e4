// SPDX-License-Identifier: Apache-2.0
//
// Guided fuzzing on the fake engine: the same seed does the same, a fault becomes a finding with a
// reproducer like any other, and what it leaves in its corpus can be replayed.

#include "harness/fuzz/guided.h"

#include "harness/fuzz/corpus.h"
#include "harness/fuzz/fuzz_workers.h"
#include "harness/show/failure.h"
#include "tests/support/fake_engine.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[256];
static tpu_message why;
static fake_fault planted;
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
                          .programs = 1000,
                          .drive = guided_run};
}

static const fake_fault none = {.kind = FAKE_FAULT_NONE};

static fuzz_summary *run(const fuzz_options *options) {
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    cr_assert_eq(fuzz_workers_run(options, NULL, NULL, sum, &why), TPU_OK, "%s", why.text);
    return sum;
}

static void set_up(void) {
    if (!guided_available()) {
        cr_skip_test("built without libFuzzer");
    }
    scratch_make(directory, sizeof directory);
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(guided, .init = set_up, .fini = tear_down, .timeout = 60);

Test(guided, the_same_seed_does_the_same_and_another_does_not) {
    fuzz_options options = options_for(none);
    fuzz_summary *first = run(&options);
    fuzz_summary *again = run(&options);
    options.seed = 10;
    fuzz_summary *other = run(&options);
    cr_expect_eq(first->programs, 1000u);
    cr_expect_eq(first->findings, 0u);
    cr_expect_eq(first->digest, again->digest);
    cr_expect_neq(first->digest, other->digest);
    cr_expect_geq(coverage_count(first->covered), 500u);
    free(first);
    free(again);
    free(other);
}

Test(guided, what_it_leaves_covers_again_what_it_covered) {
    fuzz_options options = options_for(none);
    corpus files = {.count = 0};
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    options.corpus = directory;
    fuzz_summary *first = run(&options);
    cr_assert_eq(corpus_open(directory, &files, &why), TPU_OK, "%s", why.text);
    cr_expect_geq(files.count, 50u);
    cr_assert_eq(corpus_replay(&files, &options, sum, &why), TPU_OK, "%s", why.text);
    // Bins that a program hit only because of what others had left in the memories may be missing.
    cr_expect_geq(coverage_count(sum->covered), coverage_count(first->covered) * 98 / 100);
    corpus_clear(&files);
    free(first);
    free(sum);
}

Test(guided, two_jobs_share_a_corpus) {
    fuzz_options options = options_for(none);
    corpus files = {.count = 0};
    options.corpus = directory;
    options.jobs = 2;
    fuzz_summary *sum = run(&options);
    cr_expect_eq(sum->programs, 2000u); // so many in each job
    cr_assert_eq(corpus_open(directory, &files, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(corpus_check(&files, &options.config.params, &why), TPU_OK, "%s", why.text);
    corpus_clear(&files);
    free(sum);
}

Test(guided, a_fault_becomes_a_reproducer_that_fails_again) {
    char path[1024];
    char name[FAILURE_NAME_MAX];
    reproducer repro = {.run = NULL};
    verdict seen;
    size_t at = 0;
    fuzz_options options =
        options_for((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .bit = 5});
    options.directory = directory;
    options.programs = 100;
    fuzz_summary *sum = run(&options);
    cr_assert_geq(sum->bucket_count, 1u);
    cr_assert_geq(sum->bucket[0].runs, 1u);
    failure_name(sum->bucket[0].signature, name, sizeof name);
    (void)snprintf(path, sizeof path, "%s/%s/" FAILURE_REPRODUCER, directory, name);
    cr_assert_eq(reproducer_read(path, &repro, &why), TPU_OK, "%s", why.text);
    verdict_init(&seen);
    reproducer_replay(&repro, &api, NULL, &seen, &at);
    cr_expect(reproducer_same(&repro, &seen, at), "%s", path);
    verdict_clear(&seen);
    reproducer_clear(&repro);
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        failure_name(sum->bucket[i].signature, name, sizeof name);
        (void)snprintf(path, sizeof path, "%s/%s", directory, name);
        scratch_remove(path);
    }
    free(sum);
}
