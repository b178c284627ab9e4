// SPDX-License-Identifier: Apache-2.0
//
// campaign as a person meets it: help, refusals, and what waivers make of the exit code. Findings
// come from the fake engine; the command line only merges and judges them.

#define _POSIX_C_SOURCE 200809L

#include "harness/campaign/campaign.h"
#include "harness/io/textfile.h"
#include "tests/support/fake_engine.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[256];
static char output[SHELL_OUTPUT_MAX];
static tpu_message why;

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    (void)setenv("TPU_ENGINE_DIR", directory, 1); // an empty one
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(cli_campaign, .init = set_up, .fini = tear_down, .timeout = 60);

static void expect_refused(const char *arguments, const char *part) {
    shell_expect_refused(arguments, directory, part, output);
}

Test(cli_campaign, it_has_help) {
    cr_expect_eq(shell_run("campaign --help", directory, output), 0);
    cr_expect(strstr(output, "--waivers FILE") != NULL, "%s", output);
    cr_expect(strstr(output, "--worker I/N") != NULL, "%s", output);
}

Test(cli_campaign, options_that_cannot_be_are_refused) {
    expect_refused("campaign", "takes one directory");
    expect_refused("campaign @ @", "takes one directory");
    expect_refused("campaign @ --seeds 9..1", "ends before it begins");
    expect_refused("campaign @ --seeds all", "--seeds");
    expect_refused("campaign @ --sequences 0", "nothing to run");
    expect_refused("campaign @ --sequences many", "\"sequences\"");
    expect_refused("campaign @ --unit 65", "\"unit\"");
    expect_refused("campaign @ --jobs 0", "--jobs");
    expect_refused("campaign @ --worker 0/2", "--worker");
    expect_refused("campaign @ --worker 3/2", "--worker");
    expect_refused("campaign @ --worker 2", "--worker");
    expect_refused("campaign @ --worker 1/2 --junit @/j.xml", "given to --merge");
    expect_refused("campaign @ --worker 1/2 --waivers @/w.json", "given to --merge");
    expect_refused("campaign @ --latency 3", "draws latency");
    expect_refused("campaign @ --engine systemc", "cannot start over");
    expect_refused("campaign @ --points @/none", "none");
    expect_refused("campaign @ --waivers @/none", "none");
    expect_refused("campaign @ --today tomorrow", "--today");
    expect_refused("campaign @ --sideways", "--sideways");
    expect_refused("campaign @/nothing --merge", "nothing/campaign.sqlite");
}

Test(cli_campaign, a_missing_engine_is_named_with_the_command_that_builds_it) {
    expect_refused("campaign @/c --sequences 1", "make engine");
    char path[300];
    (void)snprintf(path, sizeof path, "%s/c/campaign.sqlite", directory);
    char *text = NULL;
    cr_expect_eq(textfile_read(path, &text, NULL, NULL), TPU_REFUSED, "nothing was begun");
}

// ---- waivers -----------------------------------------------------------------------------------

static engine_api api;

// A campaign with findings in `directory`/c.
static campaign_result *make_findings(void) {
    static const fake_fault fault = {
        .kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_WRITE, .bit = 40};
    char path[300];
    (void)snprintf(path, sizeof path, "%s/c", directory);
    api = fake_engine_faulty(&fault);
    const campaign_options options = {.directory = path,
                                      .workers = 1,
                                      .jobs = 1,
                                      .commit = "",
                                      .api = &api,
                                      .plan = {.engine = "verilator",
                                               .point = {params_default(4, 16)},
                                               .point_count = 1,
                                               .first_seed = 1,
                                               .last_seed = 1,
                                               .sequences = 6,
                                               .unit = 3,
                                               .cycles = 20,
                                               .watchdog = 500}};
    campaign_result *result = calloc(1, sizeof *result);
    cr_assert_not_null(result);
    cr_assert_eq(campaign_run(&options, NULL, NULL, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(campaign_read(path, result, &why), TPU_OK, "%s", why.text);
    cr_assert_geq(result->bucket_count, 1u);
    return result;
}

// One waiver for each bucket, `more` findings above what was seen, and one for `extra`.
static void put_waivers(const campaign_result *result, int more, const char *extra) {
    char path[300];
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"format\":\"tinytpu-waivers\",\"version\":1,\"waivers\":[");
    for (size_t i = 0; i < result->bucket_count + (extra != NULL); i++) {
        bool own = i < result->bucket_count;
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"signature\":\"%s\",\"reason\":\"r\",\"owner\":\"o\","
                                 "\"max_count\":%d,\"expires\":\"2030-06-30\"}",
                                 i > 0 ? "," : "", own ? result->bucket[i].signature : extra,
                                 own ? (int)result->bucket[i].count + more : 1);
    }
    (void)snprintf(text + used, sizeof text - used, "]}");
    (void)snprintf(path, sizeof path, "%s/w.json", directory);
    cr_assert_eq(textfile_write(path, text, strlen(text), &why), TPU_OK, "%s", why.text);
}

static void expect_code(const char *arguments, int code, const char *part) {
    int got = shell_run(arguments, directory, output);
    cr_expect_eq(got, code, "%s: %d: %s", arguments, got, output);
    cr_expect(strstr(output, part) != NULL, "%s: %s", arguments, output);
}

Test(cli_campaign, findings_fail_unless_a_waiver_holds) {
    static const char stuck[] =
        "HANG/stuck/stream=-/memory=-/unit=dma_ld/field=-/pattern=none/fault=-";
    campaign_result *result = make_findings();
    expect_code("campaign @/c --merge", 1, "0 of them waived");
    put_waivers(result, 0, NULL);
    expect_code("campaign @/c --merge --waivers @/w.json --today 2030-06-30", 0, "(waived)");
    expect_code("campaign @/c --merge --waivers @/w.json --today 2030-06-30 --json", 0,
                "\"state\":\t\"holds\"");
    expect_code("campaign @/c --merge --waivers @/w.json --today 2030-07-01", 1, "expired");
    put_waivers(result, 0, stuck);
    expect_code("campaign @/c --merge --waivers @/w.json --today 2030-06-30", 1, "was not used");
    if (result->bucket[0].count > 1) {
        put_waivers(result, -1, NULL);
        expect_code("campaign @/c --merge --waivers @/w.json --today 2030-06-30", 1, "covers");
    }
    campaign_clear(result);
    free(result);
}

static void expect_junit(const char *part) {
    char path[300];
    char *text = NULL;
    (void)snprintf(path, sizeof path, "%s/j.xml", directory);
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK, "%s", why.text);
    cr_expect(strstr(text, part) != NULL, "%s: %s", part, text);
    free(text);
}

Test(cli_campaign, junit_has_a_case_for_each_point_bucket_and_faulty_waiver) {
    char counts[96];
    campaign_result *result = make_findings();
    unsigned kinds = (unsigned)result->bucket_count;
    expect_code("campaign @/c --merge --junit @/j.xml", 1, "finding(s)");
    (void)snprintf(counts, sizeof counts, "tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\"",
                   kinds + 1, kinds);
    expect_junit(counts);
    expect_junit(result->bucket[0].signature);
    put_waivers(result, 0, NULL);
    expect_code("campaign @/c --merge --waivers @/w.json --today 2030-06-30 --junit @/j.xml", 0,
                "finding(s)");
    (void)snprintf(counts, sizeof counts, "tests=\"%u\" failures=\"0\" errors=\"0\" skipped=\"%u\"",
                   kinds + 1, kinds);
    expect_junit(counts);
    expect_code("campaign @/c --merge --waivers @/w.json --today 2031-01-01 --junit @/j.xml", 1,
                "finding(s)");
    expect_junit("<testcase name=\"waiver of ");
    campaign_clear(result);
    free(result);
}
