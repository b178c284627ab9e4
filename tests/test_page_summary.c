// SPDX-License-Identifier: Apache-2.0
//
// What a summary page takes and what it refuses: it knows each summary by its keys, does without
// what is absent, and says where one is damaged.

#include "harness/show/page_summary.h"

#include "harness/io/textfile.h"
#include "tests/support/scratch.h"
#include "tests/support/summaries.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tpu_message why;

TestSuite(page_summary, .timeout = 30);

Test(page_summary, knows_each_summary_by_its_keys) {
    static const char *const kinds[] = {"cosim",   "bench",    "fuzz",    "campaign",
                                        "mutants", "timeline", "illegal", "equal"};
    for (size_t i = 0; i < SUMMARIES_COUNT; i++) {
        const char *kind = page_summary_kind(summaries[i].text);
        cr_assert(kind != NULL, "%s", summaries[i].name);
        cr_expect_str_eq(kind, kinds[i]);
    }
    cr_expect(page_summary_kind("{\"format\":\"tpucosim reproducer\",\"runs\":[]}") == NULL);
    cr_expect(page_summary_kind("no JSON") == NULL);
}

Test(page_summary, carries_every_summary_as_it_is) {
    char *text = NULL;
    cr_assert_eq(page_summary_json(summaries, SUMMARIES_COUNT, "all", &text, &why), TPU_OK, "%s",
                 why.text);
    cJSON *json = cJSON_Parse(text);
    const cJSON *parts = cJSON_GetObjectItemCaseSensitive(json, "parts");
    cr_assert_eq(cJSON_GetArraySize(parts), SUMMARIES_COUNT);
    for (int i = 0; i < SUMMARIES_COUNT; i++) {
        cJSON *given = cJSON_Parse(summaries[i].text);
        const cJSON *part = cJSON_GetArrayItem(parts, i);
        const cJSON *kept = cJSON_GetObjectItemCaseSensitive(part, "json");
        cr_expect(cJSON_Compare(given, kept, true), "%s", summaries[i].name);
        cJSON_Delete(given);
    }
    cJSON_Delete(json);
    free(text);
}

Test(page_summary, reads_the_growth_of_coverage) {
    char *text = NULL;
    cr_expect_str_eq(page_summary_kind(summaries_growth[0].text), "growth");
    cr_assert_eq(page_summary_json(summaries_growth, 2, "two", &text, &why), TPU_OK, "%s",
                 why.text);
    cJSON *json = cJSON_Parse(text);
    const cJSON *parts = cJSON_GetObjectItemCaseSensitive(json, "parts");
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(parts, 0), "json");
    cr_assert_eq(cJSON_GetArraySize(points), 3);
    const cJSON *last = cJSON_GetArrayItem(points, 2);
    cr_expect_eq(cJSON_GetObjectItemCaseSensitive(last, "bins")->valueint, 1234);
    cr_expect_eq(cJSON_GetObjectItemCaseSensitive(last, "programs")->valueint, 12200);
    cr_expect_eq(cJSON_GetObjectItemCaseSensitive(last, "seconds")->valuedouble, 3.0);
    cJSON_Delete(json);
    free(text);
}

Test(page_summary, does_without_what_is_absent) {
    static const char *const texts[] = {
        "{\"rows\":[],\"exact\":0}",
        "{\"rows\":[{}],\"exact\":0,\"something new\":[1,2]}",
        "{\"rows\":[],\"figures\":[]}",
        "{\"buckets\":[],\"programs\":0}",
        "{\"points\":[],\"first_seed\":\"1\"}",
        "{\"mutants\":[]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const page_summary_part part = {.name = "x.json", .text = texts[i]};
        char *text = NULL;
        cr_expect_eq(page_summary_json(&part, 1, "t", &text, &why), TPU_OK, "%s", texts[i]);
        free(text);
    }
}

Test(page_summary, says_where_a_summary_is_damaged) {
    static const struct {
        const char *text;
        const char *sentence;
    } table[] = {
        {"", "x.json: no JSON from character 1 on"},
        {"{\"rows\":[],\"exact\":", "x.json: no JSON from character"},
        {"{\"rows\":[],\"exact\":0} more", "x.json: no JSON from character 23 on"},
        {"{\"some\":1}", "x.json: not what cosim, bench, fuzz"},
        {"[1]", "x.json: not what cosim"},
        {"{\"rows\":[7],\"exact\":0}", "x.json: rows[0] must be an object"},
        {"{\"rows\":[{},{\"cycles\":\"many\"}],\"exact\":0}",
         "x.json: rows[1].cycles must be a number"},
        {"{\"rows\":[{\"program\":3}],\"exact\":0}", "x.json: rows[0].program must be a text"},
        {"{\"rows\":[{\"best\":7}],\"figures\":[]}", "x.json: rows[0].best must be a list"},
        {"{\"buckets\":[{\"signature\":null}],\"programs\":0}",
         "x.json: buckets[0].signature must be a text"},
        {"{\"buckets\":[],\"programs\":0,\"growth\":{}}", "x.json: growth must be a list"},
        {"{\"mutants\":[],\"totals\":[]}", "x.json: totals must be an object"},
        {"seconds,bins\n1,2\n1;2\n", "x.json: line 3 must be 2 numbers with commas"},
        {"seconds,bins\n1,2\n3,4", "x.json: line 3 must be 2 numbers"},
        {"seconds,bins\n1,2,3\n", "x.json: line 2 must be 2 numbers"},
        {"{\"points\":[],\"first_seed\":\"1\",\"complete\":\"yes\"}",
         "x.json: complete must be true or false"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const page_summary_part part = {.name = "x.json", .text = table[i].text};
        char *text = NULL;
        cr_expect_eq(page_summary_json(&part, 1, "t", &text, &why), TPU_REFUSED, "%s",
                     table[i].text);
        cr_expect(strstr(why.text, table[i].sentence) == why.text, "%s: %s", table[i].text,
                  why.text);
        cr_expect(text == NULL);
    }
}

Test(page_summary, leaves_nothing_behind_when_it_refuses) {
    char directory[256];
    char path[512];
    const page_summary_part parts[] = {summaries[0], {.name = "bad.json", .text = "{"}};
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/s.html", directory);
    cr_expect_eq(page_summary_write(parts, 2, "t", path, &why), TPU_REFUSED);
    FILE *file = fopen(path, "rb");
    cr_expect(file == NULL);
    cr_expect_eq(page_summary_write(parts, 1, "t", path, &why), TPU_OK, "%s", why.text);
    scratch_remove(directory);
}
