// SPDX-License-Identifier: Apache-2.0
//
// What a page holds, without a browser: the data survives the way into HTML and back byte by byte
// whatever it contains, nothing in it points outside, and a long window is cut to size.

#include "harness/show/page.h"

#include "harness/io/textfile.h"
#include "tests/support/recording_rig.h"
#include "tests/support/scratch.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static recording rec;
static report_context context;
static tpu_message why;

static void set_up(void) {
    recording_rig_small(&rec);
    rec.seen.kind = VERDICT_MISMATCH;
    rec.seen.diff = VERDICT_DIFF_VALUE;
    rec.seen.stream = TPU_STREAM_CW;
    rec.seen.unit = TPU_UNIT_ARRAY;
    rec.seen.cycle = 13;
    context = (report_context){.name = "small", .params = &rec.params, .engine = "fake"};
}

static void tear_down(void) {
    recording_clear(&rec);
}

TestSuite(page, .init = set_up, .fini = tear_down, .timeout = 60);

static char *build(size_t *bytes) {
    char *data = NULL;
    char *html = NULL;
    cr_assert_eq(page_json(&rec, &context, &data, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(page_build(data, context.name, &html, bytes, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(strlen(html), *bytes);
    free(data);
    return html;
}

// The JSON between the tags of its element.
static cJSON *data_of(const char *html) {
    static const char mark[] = "<script type=\"application/json\" id=\"data\">";
    const char *from = strstr(html, mark);
    cr_assert(from != NULL);
    from += sizeof mark - 1;
    const char *to = strstr(from, "</script>");
    cr_assert(to != NULL);
    cJSON *json = cJSON_ParseWithLength(from, (size_t)(to - from));
    cr_assert(json != NULL, "the data is no JSON");
    return json;
}

static const cJSON *get(const cJSON *json, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    cr_assert(item != NULL, "no %s", key);
    return item;
}

static size_t count(const char *text, const char *word) {
    size_t times = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        times++;
    }
    return times;
}

Test(page, carries_names_that_would_end_its_script) {
    size_t bytes = 0;
    context.name = "</script><script>alert(1)</script><!-- & \"x\" \\ '";
    context.source = "a]]>b</SCRIPT >.s";
    context.replay = "tpucosim replay '<img src=x onerror=alert(1)>'";
    char *html = build(&bytes);
    cr_expect_eq(count(html, "<script"), 2);
    cr_expect_eq(count(html, "</script"), 2);
    cr_expect_eq(count(html, "</SCRIPT"), 0);
    cr_expect_eq(count(html, "<img"), 0);
    cJSON *json = data_of(html);
    const cJSON *report = get(json, "report");
    cr_expect_str_eq(get(report, "name")->valuestring, context.name);
    cr_expect_str_eq(get(report, "again")->valuestring, context.replay);
    cr_expect_str_eq(get(json, "source")->valuestring, context.source);
    cJSON_Delete(json);
    free(html);
}

Test(page, holds_the_report_word_for_word) {
    size_t bytes = 0;
    char *said = NULL;
    char *html = build(&bytes);
    cJSON *json = data_of(html);
    cr_assert_eq(report_json(&rec.seen, &context, &said, &why), TPU_OK);
    cJSON *report = cJSON_Parse(said);
    cr_expect(cJSON_Compare(report, get(json, "report"), true));
    cJSON_Delete(report);
    cJSON_Delete(json);
    free(said);
    free(html);
}

// [13, cw, 0, 1, 0, 1, got, expected]: the wrong row of the rig, 16 bytes of 7 instead of 8.
Test(page, holds_every_row_of_the_window) {
    size_t bytes = 0;
    char *html = build(&bytes);
    cJSON *json = data_of(html);
    const cJSON *recorded = get(json, "recording");
    const cJSON *events = get(recorded, "events");
    cr_expect_str_eq(get(recorded, "first")->valuestring, "0");
    cr_expect_str_eq(get(recorded, "last")->valuestring, "20");
    cr_expect_not(cJSON_IsTrue(get(recorded, "cut")));
    cr_expect_eq(cJSON_GetArraySize(events), 17);
    const cJSON *wrong = cJSON_GetArrayItem(events, 13);
    cr_expect_eq(cJSON_GetArrayItem(wrong, 0)->valueint, 13);
    cr_expect_eq(cJSON_GetArrayItem(wrong, 1)->valueint, TPU_STREAM_CW);
    cr_expect_eq(cJSON_GetArrayItem(wrong, 5)->valueint, 1);
    cr_expect_str_eq(cJSON_GetArrayItem(wrong, 6)->valuestring, "07070707070707070707070707070707");
    cr_expect_str_eq(cJSON_GetArrayItem(wrong, 7)->valuestring, "08080808080808080808080808080808");
    cr_expect_eq(cJSON_GetArraySize(get(recorded, "issues")), 3);
    cr_expect_eq(cJSON_GetArraySize(get(recorded, "spans")), TPU_UNIT_COUNT);
    cJSON_Delete(json);
    free(html);
}

// An address in a page is text, or the name of the SVG vocabulary, which nothing loads.
Test(page, points_at_nothing_outside) {
    static const char *const ways[] = {"src=",           "url(h",     "@import", "fetch(",
                                       "XMLHttp",        "WebSocket", "import(", "innerHTML",
                                       "document.write", "eval("};
    size_t bytes = 0;
    char *html = build(&bytes);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cr_expect_eq(count(html, ways[i]), 0, "%s", ways[i]);
    }
    cr_expect_eq(count(html, "://"), count(html, "\"http://www.w3.org/2000/svg\""));
    cr_expect(strstr(html, "default-src 'none'") != NULL);
    free(html);
}

static int number(const cJSON *json, const char *key) {
    return atoi(get(json, key)->valuestring);
}

// 60,000 wrong rows of 64 bytes would take 16 MB.
Test(page, stays_small_whatever_the_window) {
    recording_clear(&rec);
    recording_rig_start(&rec, 0, 59999);
    rec.params.t = 16;
    rec.seen.kind = VERDICT_MISMATCH;
    rec.seen.cycle = 40000;
    rec.event = calloc(60000, sizeof *rec.event);
    rec.rows = calloc(2, 64);
    cr_assert(rec.event != NULL && rec.rows != NULL);
    memset(rec.rows + 64, 1, 64);
    for (uint64_t i = 0; i < 60000; i++) {
        rec.event[i] = (recording_event){
            .cycle = i, .index = i, .stream = TPU_STREAM_CW, .differs = true, .issue = 0};
    }
    rec.event_count = 60000;
    recording_rig_rest_idle(&rec);
    size_t bytes = 0;
    char *html = build(&bytes);
    cr_expect_lt(bytes, PAGE_BYTES_MAX, "%zu bytes", bytes);
    cJSON *json = data_of(html);
    const cJSON *recorded = get(json, "recording");
    cr_expect(cJSON_IsTrue(get(recorded, "cut")));
    cr_expect_leq(number(recorded, "first"), 40000);
    cr_expect_geq(number(recorded, "last"), 40000);
    cr_expect_gt(cJSON_GetArraySize(get(recorded, "events")), 500, "and shows what it can");
    cJSON_Delete(json);
    free(html);
}

Test(page, says_where_it_cannot_be_written) {
    cr_expect_eq(page_write(&rec, &context, "/proc/no/such/page.html", &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "page.html") != NULL, "%s", why.text);
}

Test(page, is_written_whole) {
    char directory[256];
    char path[512];
    char *text = NULL;
    size_t bytes = 0;
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/report.html", directory);
    cr_assert_eq(page_write(&rec, &context, path, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(textfile_read(path, &text, &bytes, &why), TPU_OK);
    cr_expect_eq(strncmp(text, "<!DOCTYPE html>", 15), 0);
    cr_expect_eq(strcmp(text + bytes - 8, "</html>\n"), 0);
    cr_expect_eq(count(text, "<title>MISMATCH in cw - small</title>"), 1);
    free(text);
    scratch_remove(directory);
}
