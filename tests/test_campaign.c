// SPDX-License-Identifier: Apache-2.0
//
// Campaigns on the fake engine: the plan covers what it says once, processes and groups share it
// evenly, a stopped one goes on, findings become buckets, and no damage is taken for a result.
// Killing for real is ci/check_campaign's.

#include "harness/campaign/campaign.h"

#include "harness/campaign/campaign_store.h"
#include "harness/io/textfile.h"
#include "harness/show/failure.h"
#include "tests/support/fake_engine.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char directory[256];
static tpu_message why;
static engine_api api;
static fake_fault planted;
static unsigned creations; // of engines, in this process
static unsigned deadly;    // the creation that kills; 0 = none

static tpu_status create_planted(const engine_config *config, engine **out, tpu_message *message) {
    if (++creations == deadly) {
        (void)raise(SIGKILL);
    }
    tpu_status status = fake_engine_api()->create(config, out, message);
    if (status == TPU_OK) {
        fake_engine_inject(*out, &planted);
    }
    return status;
}

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    api = *fake_engine_api();
    api.create = create_planted;
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(campaign, .init = set_up, .fini = tear_down, .timeout = 60);

// Two machines, two seeds, five sequences each: units of 2, 2 and 1.
static campaign_options small(void) {
    return (campaign_options){.directory = directory,
                              .workers = 1,
                              .jobs = 2,
                              .commit = "abc",
                              .api = &api,
                              .plan = {.engine = "verilator",
                                       .point = {params_default(4, 16), params_default(4, 32)},
                                       .point_count = 2,
                                       .first_seed = 3,
                                       .last_seed = 4,
                                       .sequences = 5,
                                       .unit = 2,
                                       .cycles = 20,
                                       .init = ENGINE_INIT_RANDOM,
                                       .watchdog = 500}};
}

static void run(const campaign_options *options) {
    cr_assert_eq(campaign_run(options, NULL, NULL, &why), TPU_OK, "%s", why.text);
}

static campaign_result *result_of(const char *where) {
    campaign_result *result = calloc(1, sizeof *result);
    cr_assert_not_null(result);
    cr_assert_eq(campaign_read(where, result, &why), TPU_OK, "%s", why.text);
    return result;
}

static void forget(campaign_result *result) {
    campaign_clear(result);
    free(result);
}

// ---- the plan ----------------------------------------------------------------------------------

Test(campaign, units_cover_every_sequence_of_every_seed_at_every_point_once) {
    campaign_plan plan = small().plan;
    for (uint32_t unit = 1; unit <= 6; unit++) {
        unsigned seen[2][2][5] = {{{0}}};
        plan.unit = unit;
        for (uint64_t id = 0; id < campaign_plan_units(&plan); id++) {
            const campaign_unit one = campaign_plan_unit(&plan, id);
            cr_assert(one.point < 2 && one.seed >= 3 && one.seed <= 4, "%u", unit);
            for (uint32_t i = 0; i < one.count; i++) {
                cr_assert(one.first + i < 5, "%u", unit);
                seen[one.point][one.seed - 3][one.first + i]++;
            }
        }
        for (size_t i = 0; i < 20; i++) {
            cr_expect_eq(seen[i / 10][i / 5 % 2][i % 5], 1u, "unit %u, sequence %zu", unit, i);
        }
    }
}

Test(campaign, every_process_gets_its_share_of_every_point) {
    campaign_plan plan = small().plan;
    plan.sequences = 240;
    for (uint32_t processes = 1; processes <= 7; processes++) {
        unsigned share[7][2] = {{0}};
        for (uint64_t id = 0; id < campaign_plan_units(&plan); id++) {
            uint32_t owner = campaign_plan_owner(&plan, id, processes);
            cr_assert(owner < processes);
            share[owner][campaign_plan_unit(&plan, id).point]++;
        }
        for (uint32_t i = 0; i < processes; i++) { // 2 seeds of 120 units at each point
            for (size_t point = 0; point < 2; point++) {
                cr_expect(share[i][point] >= 240 / processes &&
                              share[i][point] <= 240 / processes + 1,
                          "%u of %u: %u", i, processes, share[i][point]);
            }
        }
    }
}

Test(campaign, a_plan_survives_its_own_text) {
    campaign_plan plan = small().plan;
    campaign_plan *read = calloc(1, sizeof *read);
    char *text = malloc(CAMPAIGN_TEXT_MAX);
    cr_assert(read != NULL && text != NULL);
    for (int key = 0; key < CAMPAIGN_KEY_COUNT; key++) {
        campaign_plan_text(&plan, (campaign_key)key, text);
        cr_expect_eq(campaign_plan_take(read, (campaign_key)key, text, &why), TPU_OK, "%s",
                     why.text);
    }
    read->init = plan.init; // "drawn" says nothing of it
    cr_expect_eq(memcmp(read, &plan, sizeof plan), 0);
    campaign_plan_text(&plan, CAMPAIGN_KEY_SEEDS, text);
    cr_expect_str_eq(text, "3..4");
    free(text);
    free(read);
}

static void expect_plan_refused(campaign_plan plan, const char *part) {
    cr_expect_eq(campaign_plan_check(&plan, &why), TPU_REFUSED, "%s", part);
    cr_expect(strstr(why.text, part) != NULL, "%s", why.text);
}

Test(campaign, plans_that_cannot_be_are_refused) {
    campaign_plan plan = small().plan;
    cr_expect_eq(campaign_plan_check(&plan, &why), TPU_OK);
    plan.first_seed = 5;
    expect_plan_refused(plan, "ends before it begins");
    plan = small().plan;
    plan.sequences = 0;
    expect_plan_refused(plan, "nothing to run");
    plan = small().plan;
    plan.point[1] = plan.point[0];
    expect_plan_refused(plan, "points 1 and 2");
    plan = small().plan;
    plan.first_seed = 0;
    plan.last_seed = UINT64_MAX; // their number is more than 64 bits hold
    expect_plan_refused(plan, "more than");
    plan = small().plan;
    plan.sequences = UINT32_MAX;
    expect_plan_refused(plan, "more than");
    static const char *const ranges[] = {"", "x", "1..", "..2", "1..2..3", "-1..2", "1.2", "1..2 "};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        cr_expect_eq(campaign_plan_take(&plan, CAMPAIGN_KEY_SEEDS, ranges[i], &why), TPU_REFUSED,
                     "%s", ranges[i]);
    }
}

static tpu_status read_points(const char *text, campaign_plan *out) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s/points", directory);
    cr_assert_eq(textfile_write(path, text, strlen(text), &why), TPU_OK);
    return campaign_plan_read_points(path, out, &why);
}

Test(campaign, a_list_of_points_is_read_line_by_line) {
    campaign_plan *plan = calloc(1, sizeof *plan);
    cr_assert_not_null(plan);
    (void)setenv("TPU_QD", "3", 1); // must not matter
    cr_assert_eq(read_points("# two\n\n  TPU_T=4 TPU_MAXDIM=16 # small\nTPU_QD=2 TPU_T=8", plan),
                 TPU_OK, "%s", why.text);
    cr_expect_eq(plan->point_count, 2u);
    cr_expect_eq(plan->point[0].maxdim, 16u);
    cr_expect_eq(plan->point[0].qd, 16u);
    cr_expect_eq(plan->point[1].t, 8u);
    cr_expect_eq(plan->point[1].qd, 2u);
    static const struct {
        const char *text;
        const char *part;
    } bad[] = {{"", "no parameter point"},
               {"TPU_T=4\nTPU_T=five", "points:2: "},
               {"TPU_T=4 TPU_T=8", "there twice"},
               {"T=4", "sets no parameter"},
               {"TPU_T=4 TPU_SEED=4", "\"TPU_SEED=4\""},
               {"\n\nTPU_T=3", "points:3: "}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_eq(read_points(bad[i].text, plan), TPU_REFUSED, "%s", bad[i].text);
        cr_expect(strstr(why.text, bad[i].part) != NULL, "%s", why.text);
    }
    cr_expect_eq(plan->point_count, 2u, "a refused list changes nothing");
    free(plan);
}

// ---- running -----------------------------------------------------------------------------------

Test(campaign, it_does_what_fuzz_does_with_the_same_seeds) {
    const campaign_options options = small();
    run(&options);
    campaign_result *result = result_of(directory);
    fuzz_summary *sum = calloc(1, sizeof *sum);
    cr_assert_not_null(sum);
    for (uint64_t seed = 3; seed <= 4; seed++) {
        const fuzz_options fuzz = {.engine = "verilator",
                                   .api = &api,
                                   .config = {.params = options.plan.point[1], .watchdog = 500},
                                   .seed = seed,
                                   .jobs = 1,
                                   .programs = 5 * FUZZ_SEQUENCE,
                                   .shape = {.cycles = 20}};
        fuzz_summary *one = calloc(1, sizeof *one);
        cr_assert_not_null(one);
        cr_assert_eq(fuzz_run(&fuzz, NULL, one, &why), TPU_OK, "%s", why.text);
        fuzz_merge(sum, one);
        free(one);
    }
    cr_expect(campaign_complete(result));
    cr_expect_eq(result->total.units, 2u * 2u * 3u);
    cr_expect_eq(result->total.sequences, 2u * 2u * 5u);
    cr_expect_eq(result->total.programs, 20u * FUZZ_SEQUENCE);
    cr_expect_eq(result->point[1].programs, sum->programs);
    cr_expect_eq(result->point[1].cycles, sum->cycles);
    cr_expect_eq(result->point[1].rows, sum->rows);
    cr_expect_eq(result->point[1].digest, sum->digest);
    cr_expect_eq(result->attempts, 12u);
    cr_expect_str_eq(result->commits, "abc");
    free(sum);
    forget(result);
}

Test(campaign, a_little_time_finishes_a_little_and_the_rest_comes_later) {
    campaign_options options = small();
    options.jobs = 1;
    options.seconds = 1e-9;
    run(&options);
    campaign_result *result = result_of(directory);
    cr_expect_eq(result->total.finished, 0u, "the time is up before the first unit");
    cr_expect_not(campaign_complete(result));
    forget(result);
    options.seconds = 0;
    run(&options);
    result = result_of(directory);
    cr_expect(campaign_complete(result));
    cr_expect_eq(result->attempts, 12u);
    forget(result);
}

Test(campaign, groups_share_the_work_and_the_merge_puts_it_together) {
    char other[256];
    campaign_options options = small();
    run(&options);
    campaign_result *alone = result_of(directory);
    scratch_make(other, sizeof other);
    options.directory = other;
    options.workers = 3;
    options.jobs = 1;
    for (options.worker = 0; options.worker < 3; options.worker++) {
        run(&options);
    }
    campaign_result *shared = result_of(other);
    cr_expect_eq(shared->total.finished, 0u, "nobody has merged");
    forget(shared);
    for (int round = 0; round < 2; round++) { // the second one changes nothing
        cr_assert_eq(campaign_merge(other, &why), TPU_OK, "%s", why.text);
        shared = result_of(other);
        cr_expect(campaign_complete(shared));
        cr_expect_eq(shared->total.digest, alone->total.digest);
        cr_expect_eq(shared->total.rows, alone->total.rows);
        cr_expect_eq(shared->attempts, 12u);
        forget(shared);
    }
    forget(alone);
    scratch_remove(other);
}

Test(campaign, a_process_that_dies_is_named_and_the_campaign_goes_on) {
    campaign_options options = small();
    options.jobs = 1;
    deadly = 4; // the second sequence of the second unit
    cr_expect_eq(campaign_run(&options, NULL, NULL, &why), TPU_ERR_INTERNAL);
    cr_expect(strstr(why.text, "process 0 died (signal 9) in unit 1 ") != NULL, "%s", why.text);
    campaign_result *result = result_of(directory);
    cr_expect_eq(result->total.finished, 1u);
    forget(result);
    deadly = 0;
    run(&options);
    result = result_of(directory);
    cr_expect(campaign_complete(result));
    cr_expect_eq(result->attempts, 13u, "only the unit under way runs again");
    forget(result);
}

Test(campaign, another_plan_is_refused_and_what_is_left_out_is_taken_from_the_first) {
    campaign_options options = small();
    run(&options);
    options.plan.given[CAMPAIGN_KEY_SEQUENCES] = true;
    options.plan.sequences = 6;
    cr_expect_eq(campaign_run(&options, NULL, NULL, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "was begun with sequences 5, not 6") != NULL, "%s", why.text);
    options.plan.given[CAMPAIGN_KEY_SEQUENCES] = false;
    run(&options);
    campaign_result *result = result_of(directory);
    cr_expect_eq(result->plan.sequences, 5u);
    cr_expect_eq(result->attempts, 12u);
    forget(result);
}

Test(campaign, the_same_process_twice_at_a_time_is_refused) {
    char path[300];
    const campaign_options options = small();
    (void)snprintf(path, sizeof path, "%s/worker_0001.lock", directory);
    int held = open(path, O_RDWR | O_CREAT, 0666);
    cr_assert(held >= 0 && flock(held, LOCK_EX) == 0);
    cr_expect_eq(campaign_run(&options, NULL, NULL, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "process 1 is running already") != NULL, "%s", why.text);
    (void)close(held);
    run(&options);
}

Test(campaign, another_number_of_processes_waits_for_those_that_run) {
    char path[300];
    campaign_options options = small();
    run(&options);
    (void)snprintf(path, sizeof path, "%s/campaign.lock", directory);
    int held = open(path, O_RDWR);
    cr_assert(held >= 0 && flock(held, LOCK_SH) == 0);
    run(&options); // as many as before: nobody is in the way
    options.jobs = 3;
    cr_expect_eq(campaign_run(&options, NULL, NULL, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "is run by 2 processes") != NULL, "%s", why.text);
    (void)close(held);
    run(&options);
}

// ---- findings ----------------------------------------------------------------------------------

Test(campaign, findings_of_one_signature_are_one_bucket_with_its_shortest_reproducer) {
    char path[1024];
    reproducer repro = {.run = NULL};
    campaign_options options = small();
    planted = (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .bit = 5};
    options.shrink_seconds = 1;
    run(&options);
    campaign_result *result = result_of(directory);
    cr_assert_geq(result->bucket_count, 1u);
    uint64_t counted = 0;
    for (size_t i = 0; i < result->bucket_count; i++) {
        const campaign_bucket *bucket = &result->bucket[i];
        char name[FAILURE_NAME_MAX];
        counted += bucket->count;
        cr_expect_str_eq(bucket->commit, "abc");
        cr_expect(bucket->seed >= 3 && bucket->seed <= 4 && bucket->sequence < 5);
        cr_assert_gt(bucket->runs, 0u, "%s", bucket->signature);
        failure_name(bucket->signature, name, sizeof name);
        (void)snprintf(path, sizeof path, "%s/fail/%s/repro.json", directory, name);
        cr_assert_eq(reproducer_read(path, &repro, &why), TPU_OK, "%s", why.text);
        cr_expect_eq(repro.run[repro.run_count - 1].program.count, bucket->instructions);
        cr_expect_leq(bucket->instructions, bucket->found_instructions);
        reproducer_clear(&repro);
    }
    cr_expect_eq(counted, result->total.findings);
    cr_expect_eq(result->total.findings, 20u, "each sequence ends with its first finding");
    forget(result);
}

// ---- files -------------------------------------------------------------------------------------

static void change(const char *file, const char *sql) {
    campaign_store store = {.base = NULL};
    char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", directory, file);
    cr_assert_eq(campaign_store_open(path, &store, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(campaign_store_exec(&store, &why, "%s", sql), TPU_OK, "%s", why.text);
    campaign_store_close(&store);
}

static void expect_merge(tpu_status expected, const char *part) {
    cr_expect_eq(campaign_merge(directory, &why), expected, "%s", part);
    cr_expect(strstr(why.text, part) != NULL, "%s", why.text);
}

Test(campaign, a_unit_with_two_digests_is_the_harness_s_trouble) {
    const campaign_options options = small();
    run(&options);
    change("worker_0001.sqlite", "UPDATE unit SET digest = digest + 1 WHERE id = "
                                 "(SELECT max(id) FROM unit)");
    expect_merge(TPU_ERR_INTERNAL, "another digest: unit 10");
}

Test(campaign, a_file_of_another_campaign_or_version_is_refused) {
    const campaign_options options = small();
    run(&options);
    change("worker_0000.sqlite", "UPDATE plan SET value = '1..9' WHERE key = 'seeds'");
    expect_merge(TPU_REFUSED,
                 "worker_0000.sqlite: belongs to another campaign: it differs in seeds");
    change("worker_0000.sqlite", "PRAGMA user_version = 99");
    expect_merge(TPU_REFUSED, "worker_0000.sqlite: was written by another version");
}

Test(campaign, a_plan_that_is_missing_or_of_another_spec_is_refused) {
    const campaign_options options = small();
    run(&options);
    change("campaign.sqlite", "UPDATE plan SET value = '0000000000000000' WHERE key = 'spec'");
    cr_expect_eq(campaign_run(&options, NULL, NULL, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "\"spec\" is 0000000000000000 there") != NULL, "%s", why.text);
    change("campaign.sqlite", "DELETE FROM plan WHERE key = 'spec'");
    cr_expect_eq(campaign_run(&options, NULL, NULL, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "says nothing of \"spec\"") != NULL, "%s", why.text);
    change("campaign.sqlite", "DROP TABLE plan");
    cr_expect_eq(campaign_run(&options, NULL, NULL, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "is damaged") != NULL, "%s", why.text);
}

Test(campaign, a_directory_without_a_campaign_cannot_be_merged) {
    expect_merge(TPU_REFUSED, "campaign.sqlite: No such file");
}
