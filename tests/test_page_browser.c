// SPDX-License-Identifier: Apache-2.0
//
// The pages in a real browser: they open without a word on the console, ask nothing of the network,
// obey the keyboard, and every number on them is the one of the JSON that the report gives a
// script.

#include "harness/io/textfile.h"
#include "harness/show/cycles.h"
#include "harness/show/cycles_report.h"
#include "harness/show/page.h"
#include "tests/support/browser.h"
#include "tests/support/recording_rig.h"
#include "tests/support/scratch.h"
#include "tests/support/summaries.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static recording rec;
static report_context context;
static browser seen;
static tpu_message why;
static char directory[256];
static char path[512];

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/page.html", directory);
}

static void tear_down(void) {
    browser_clear(&seen);
    scratch_remove(directory);
}

TestSuite(page_browser, .init = set_up, .fini = tear_down, .timeout = 120);

// The wrong row of the rig as a verdict: cw is 7 in every byte where 8 was meant.
static void make_mismatch(void) {
    recording_rig_small(&rec);
    verdict *out = &rec.seen;
    out->kind = VERDICT_MISMATCH;
    out->diff = VERDICT_DIFF_VALUE;
    out->stream = TPU_STREAM_CW;
    out->unit = TPU_UNIT_ARRAY;
    out->cycle = 13;
    out->pe_col = 2;
    out->issue = (verdict_issue){.known = true, .issue = rec.issue[1].issue, .line = 8};
    out->recent[0] = rec.issue[0].issue;
    out->recent[1] = rec.issue[1].issue;
    out->recent_count = 2;
    out->counts.compared[TPU_STREAM_CW] = 18446744073709551615u;
    out->digest = 0xfedcba9876543210u;
    out->elements_seen = 4;
    out->elements_differ = 4;
    (void)status_fail(&out->sentence, TPU_OK, "cw <is> \"wrong\" & </script> so");
    verdict_describe_row(out, TPU_STREAM_CW, recording_expected(&rec, &rec.event[13]),
                         recording_got(&rec, &rec.event[13]), 16);
    context = (report_context){.name = "a </script><b> name",
                               .params = &rec.params,
                               .engine = "fake",
                               .replay = "tpucosim replay 'x & y.json'"};
}

static void expect_selftest(const char *answer) {
    char *text = browser_text(&seen, "selftest");
    cr_assert(text != NULL, "the self test left nothing: %s", seen.console);
    cr_expect((strstr(text, "FAILED") == NULL) == (strcmp(answer, "ok") == 0), "%s", text);
    cr_expect_gt(strlen(text), 200);
    free(text);
}

static void expect_text(const char *id, const char *want) {
    char *text = browser_text(&seen, id);
    cr_assert(text != NULL, "no element %s", id);
    cr_expect_str_eq(text, want, "%s", id);
    free(text);
}

static void compare_report(size_t least) {
    char *said = NULL;
    cr_assert_eq(report_json(&rec.seen, &context, &said, &why), TPU_OK);
    cJSON *report = cJSON_Parse(said);
    size_t count = browser_compare(&seen, "report/", report);
    cr_expect_geq(count, least, "only %zu places of the report are shown", count);
    cJSON_Delete(report);
    free(said);
}

static void compare_cycles(void) {
    cycles account = {.total = 0};
    const cycles_report_context with = {.name = context.name, .seen = &rec.seen};
    char *said = NULL;
    cr_assert_eq(cycles_count(&rec, &account, &why), TPU_OK);
    cr_assert_eq(cycles_report_json(&account, &with, &said, &why), TPU_OK);
    cJSON *json = cJSON_Parse(said);
    cr_expect_eq(browser_compare(&seen, "cycles/", json), 2 * TPU_UNIT_COUNT);
    cJSON_Delete(json);
    free(said);
    cycles_clear(&account);
}

Test(page_browser, shows_a_mismatch_as_its_json_says_it) {
    make_mismatch();
    cr_assert_eq(page_write(&rec, &context, path, &why), TPU_OK, "%s", why.text);
    browser_open(path, "#selftest", directory, &seen);
    cr_expect_str_eq(seen.console, "");
    expect_selftest("ok");
    compare_report(60);
    compare_cycles();
    // One row of four lanes is shown, all of them wrong.
    expect_text("heat-wrong", "4");
    expect_text("heat-all", "4");
    recording_clear(&rec);
}

// Nothing moves; accu waits for a row that never comes, and the row after it is one too many.
Test(page_browser, shows_a_hang_and_an_extra_row) {
    recording_rig_start(&rec, 100, 399);
    rec.seen.kind = VERDICT_HANG;
    rec.seen.diff = VERDICT_DIFF_STUCK;
    rec.seen.stream = TPU_STREAM_CW;
    rec.seen.unit = TPU_UNIT_ARRAY;
    rec.seen.cycle = 390;
    rec.seen.units[TPU_UNIT_ACCU] = (probe_unit){PROBE_STARVED, TPU_STREAM_CW};
    recording_rig_span(&rec, TPU_UNIT_ACCU, 100, 399, PROBE_STARVED, TPU_STREAM_CW);
    recording_rig_rest_idle(&rec);
    recording_rig_row(&rec, 120, TPU_STREAM_CW, 0, 0, 3, -1);
    context = (report_context){.name = "hang", .params = &rec.params, .engine = "fake"};
    cr_assert_eq(page_write(&rec, &context, path, &why), TPU_OK, "%s", why.text);
    browser_open(path, "#selftest", directory, &seen);
    cr_expect_str_eq(seen.console, "");
    expect_selftest("ok");
    compare_report(40);
    cr_expect(strstr(seen.dom, "id=\"waits\"") != NULL, "who waits for whom is shown");
    recording_clear(&rec);
}

// After the end ar row 5 holds 1 in lane 2 where -2 was meant; its neighbour is right.
Test(page_browser, shows_a_memory_that_differs_at_the_end) {
    static const int32_t want[2][4] = {{9, 9, 9, 9}, {0, 7, -2, -8}};
    recording_rig_small(&rec);
    rec.event[13].differs = false;
    verdict *out = &rec.seen;
    out->kind = VERDICT_MISMATCH;
    out->diff = VERDICT_DIFF_MEMORY;
    out->memory = TPU_MEM_AR;
    out->unit = TPU_UNIT_ACCU;
    out->row = 5;
    out->lane = 2;
    out->first = (verdict_element){.expected = -2, .got = 1, .bytes = 4};
    out->window = (verdict_window){.first = 4, .rows = 2, .seen = 2, .row_bytes = 16};
    out->window.expected = calloc(VERDICT_WINDOW, 16);
    out->window.got = calloc(VERDICT_WINDOW, 16);
    cr_assert(out->window.expected != NULL && out->window.got != NULL);
    memcpy(out->window.expected, want, sizeof want);
    memcpy(out->window.got, want, sizeof want);
    out->window.got[16 + 8] = 1; // little-endian: 1 instead of -2
    memset(out->window.got + 16 + 9, 0, 3);
    context = (report_context){.name = "end", .params = &rec.params, .engine = "fake"};
    cr_assert_eq(page_write(&rec, &context, path, &why), TPU_OK, "%s", why.text);
    browser_open(path, "#selftest", directory, &seen);
    cr_expect_str_eq(seen.console, "");
    expect_selftest("ok");
    compare_report(50);
    expect_text("heat-wrong", "1");
    expect_text("heat-all", "8");
    cr_expect(strstr(seen.dom, "expected -2, got 1") != NULL);
    recording_clear(&rec);
}

// Nothing differs: a run that went well can be looked at too.
Test(page_browser, shows_a_run_without_a_difference) {
    recording_rig_small(&rec);
    rec.event[13].differs = false;
    context = (report_context){.name = "fine", .params = &rec.params, .engine = "fake"};
    cr_assert_eq(page_write(&rec, &context, path, &why), TPU_OK, "%s", why.text);
    browser_open(path, "#selftest", directory, &seen);
    cr_expect_str_eq(seen.console, "");
    expect_selftest("ok");
    compare_report(30);
    compare_cycles();
    recording_clear(&rec);
}

// Places shown of each summary at least: cells of its tables and its facts, counted by hand.
Test(page_browser, shows_a_whole_run_as_its_json_says_it) {
    static const size_t least[SUMMARIES_COUNT] = {30, 40, 25, 30, 25, 6, 10, 6};
    page_summary_part all[SUMMARIES_COUNT + 2];
    memcpy(all, summaries, sizeof summaries);
    memcpy(all + SUMMARIES_COUNT, summaries_growth, sizeof summaries_growth);
    cr_assert_eq(page_summary_write(all, SUMMARIES_COUNT + 2, "A <b>night</b>", path, &why), TPU_OK,
                 "%s", why.text);
    browser_open(path, "#selftest", directory, &seen);
    cr_expect_str_eq(seen.console, "");
    expect_selftest("ok");
    for (int i = 0; i < SUMMARIES_COUNT; i++) {
        char prefix[32];
        (void)snprintf(prefix, sizeof prefix, "parts/%d/json/", i);
        cJSON *json = cJSON_Parse(summaries[i].text);
        size_t count = browser_compare(&seen, prefix, json);
        cr_expect_geq(count, least[i], "%s: only %zu places", summaries[i].name, count);
        cJSON_Delete(json);
    }
    cr_expect(strstr(seen.dom, "Coverage growth") != NULL);
    cr_expect(strstr(seen.dom, "guided.csv, blind.csv") != NULL, "one picture for both");
    cr_expect(strstr(seen.dom, "guided 1200") != NULL, "the last point of the line");
    cr_expect(strstr(seen.dom, "guided.csv 1234") != NULL);
    cr_expect(strstr(seen.dom, "blind.csv 765") != NULL);
    cr_expect(strstr(seen.dom, "<b>") == NULL, "no text became markup");
}

Test(page_browser, tests_itself_only_where_it_is_asked_to) {
    char *text = NULL;
    make_mismatch();
    cr_assert_eq(page_write(&rec, &context, path, &why), TPU_OK);
    browser_open(path, "", directory, &seen);
    cr_expect(browser_text(&seen, "selftest") == NULL, "only where it is asked for");
    char *at = strstr(seen.dom, "data-json=\"report/cycle\">13<");
    cr_assert(at != NULL, "the verdict's cycle is shown");
    cr_assert_eq(report_json(&rec.seen, &context, &text, &why), TPU_OK);
    cr_expect(strstr(text, "\"cycle\":\t\"13\"") != NULL);
    free(text);
    recording_clear(&rec);
}

// The tests above can fail: a page that is spoiled, and one that asks for an image, are noticed.
Test(page_browser, notices_a_page_that_asks_the_network) {
    char *text = NULL;
    size_t bytes = 0;
    make_mismatch();
    cr_assert_eq(page_write(&rec, &context, path, &why), TPU_OK);
    cr_assert_eq(textfile_read(path, &text, &bytes, &why), TPU_OK);
    char *at = strstr(text, "<footer id=\"foot\">");
    cr_assert(at != NULL);
    char *spoiled = calloc(bytes + 200, 1);
    cr_assert(spoiled != NULL);
    (void)snprintf(spoiled, bytes + 200, "%.*s<img src=\"http://127.0.0.1:9/x.png\">%s",
                   (int)(at - text), text, at);
    cr_assert_eq(textfile_write(path, spoiled, strlen(spoiled), &why), TPU_OK);
    browser_open(path, "#selftest", directory, &seen);
    expect_selftest("fails");
    cr_expect(strstr(seen.console, "127.0.0.1") != NULL, "%s", seen.console);
    free(spoiled);
    free(text);
    recording_clear(&rec);
}
