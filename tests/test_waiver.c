// SPDX-License-Identifier: Apache-2.0
//
// Waiver files: what is read, what is refused with file and key, and when one fails a run.

#include "harness/campaign/waiver.h"

#include "harness/io/textfile.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define SIGNATURE "MISMATCH/value/stream=cw/memory=-/unit=array/field=-/pattern=all-lanes/fault=-"
#define OTHER "HANG/stuck/stream=-/memory=-/unit=dma_ld/field=-/pattern=none/fault=-"

static char directory[256];
static char path[300];
static tpu_message why;

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/waivers.json", directory);
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(waiver, .init = set_up, .fini = tear_down);

static void put(const char *text) {
    cr_assert_eq(textfile_write(path, text, strlen(text), &why), TPU_OK, "%s", why.text);
}

// A file with one waiver whose member `key` is `value`, JSON text; NULL leaves it out.
static void put_with(const char *key, const char *value) {
    static const char *const keys[] = {"signature", "reason", "owner", "max_count", "expires"};
    static const char *const good[] = {"\"" SIGNATURE "\"", "\"known\"", "\"me\"", "3",
                                       "\"2027-01-31\""};
    char text[2048] = "{\"format\":\"tinytpu-waivers\",\"version\":1,\"waivers\":[{\"x\":0";
    char *comma = strstr(text, "\"x\":0");
    size_t used = (size_t)(comma - text);
    for (size_t i = 0; i < 5; i++) {
        bool chosen = strcmp(keys[i], key) == 0;
        const char *shown = chosen ? value : good[i];
        if (shown != NULL) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\":%s",
                                     text[used - 1] == '{' ? "" : ",", keys[i], shown);
        }
    }
    (void)snprintf(text + used, sizeof text - used, "}]}");
    put(text);
}

static void expect_refused(const char *part) {
    waiver_list list = {.item = NULL};
    cr_expect_eq(waiver_read(path, &list, &why), TPU_REFUSED, "%s", part);
    cr_expect(strstr(why.text, "waivers.json") != NULL, "%s", why.text);
    cr_expect(strstr(why.text, part) != NULL, "%s: %s", part, why.text);
    cr_expect_null(list.item);
}

static waiver_list read_good(void) {
    waiver_list list = {.item = NULL};
    put_with("", NULL);
    cr_assert_eq(waiver_read(path, &list, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(list.count, 1u);
    return list;
}

Test(waiver, a_good_file_is_read_whole) {
    waiver_list list = read_good();
    cr_expect_str_eq(list.item[0].signature, SIGNATURE);
    cr_expect_str_eq(list.item[0].reason, "known");
    cr_expect_str_eq(list.item[0].owner, "me");
    cr_expect_str_eq(list.item[0].expires, "2027-01-31");
    cr_expect_eq(list.item[0].limit, 3u);
    waiver_clear(&list);
}

Test(waiver, a_file_without_waivers_is_fine) {
    waiver_list list = {.item = NULL};
    put("{\"format\":\"tinytpu-waivers\",\"version\":1,\"waivers\":[]}");
    cr_assert_eq(waiver_read(path, &list, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(list.count, 0u);
    cr_expect_eq(waiver_faults(&list, "2099-01-01", true), 0u);
    waiver_clear(&list);
}

Test(waiver, a_missing_damaged_or_foreign_file_is_refused) {
    expect_refused("No such file");
    put("");
    expect_refused("no JSON");
    put("{\"format\":\"tinytpu-waivers\",\"version\":1,\"waivers\":[");
    expect_refused("no JSON");
    put("{\"format\":\"tinytpu-waivers\",\"version\":1,\"waivers\":[]} and more");
    expect_refused("no JSON");
    put("{\"format\":\"something\",\"version\":1,\"waivers\":[]}");
    expect_refused("\"format\"");
    put("{\"format\":\"tinytpu-waivers\",\"version\":2,\"waivers\":[]}");
    expect_refused("\"version\"");
    put("{\"format\":\"tinytpu-waivers\",\"version\":1}");
    expect_refused("\"waivers\"");
    put("{\"format\":\"tinytpu-waivers\",\"version\":1,\"waivers\":[7]}");
    expect_refused("waivers[0]");
}

Test(waiver, every_key_must_be_there_once_and_make_sense) {
    put_with("signature", NULL);
    expect_refused("waivers[0].signature");
    put_with("signature", "\"it is wrong\"");
    expect_refused("waivers[0].signature");
    put_with("signature", "\"MISMATCH/value/stream=cw/memory=-/unit=nobody/field=-/pattern="
                          "all-lanes/fault=-\"");
    expect_refused("nobody");
    put_with("reason", "\"\"");
    expect_refused("waivers[0].reason");
    put_with("owner", "5");
    expect_refused("waivers[0].owner");
    put_with("owner", "\"me\",\"owner\":\"you\"");
    expect_refused("\"owner\" is there twice");
    put_with("owner", "\"me\",\"max-count\":7");
    expect_refused("\"max-count\" is not known");
    put_with("max_count", "0");
    expect_refused("waivers[0].max_count");
    put_with("max_count", "1.5");
    expect_refused("waivers[0].max_count");
    put_with("max_count", "\"3\"");
    expect_refused("waivers[0].max_count");
    put_with("expires", "\"2027-02-29\"");
    expect_refused("waivers[0].expires");
    put_with("expires", "\"soon\"");
    expect_refused("waivers[0].expires");
}

Test(waiver, the_same_signature_twice_is_refused) {
    static const char one[] = "{\"signature\":\"" SIGNATURE "\",\"reason\":\"a\",\"owner\":\"b\","
                              "\"max_count\":1,\"expires\":\"2027-01-31\"}";
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "{\"format\":\"tinytpu-waivers\",\"version\":1,\"waivers\":[%s,%s]}", one, one);
    put(text);
    expect_refused("waivers[1].signature contradicts");
}

Test(waiver, days_are_those_of_the_calendar) {
    static const char *const good[] = {"2024-02-29", "2000-02-29", "2026-12-31", "2027-04-30"};
    static const char *const bad[] = {
        "2023-02-29", "1900-02-29", "2026-13-01",  "2026-00-10", "2027-04-31",
        "2026-1-1",   "20261231",   "2026-12-31 ", "2026-12-00", ""};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cr_expect(waiver_date_valid(good[i]), "%s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_not(waiver_date_valid(bad[i]), "%s", bad[i]);
    }
    char today[WAIVER_DATE_SIZE];
    waiver_date_today(today);
    cr_expect(waiver_date_valid(today), "%s", today);
}

static void expect_state(const waiver_list *list, const char *today, bool complete,
                         waiver_state expected, const char *part) {
    tpu_message sentence;
    waiver_state state = waiver_judge(&list->item[0], today, complete, &sentence);
    cr_expect_eq(state, expected, "%s: %s", part, waiver_state_name(state));
    cr_expect(strstr(sentence.text, part) != NULL, "%s: %s", part, sentence.text);
    cr_expect_eq(waiver_faults(list, today, complete), expected != WAIVER_HOLDS ? 1u : 0u);
}

Test(waiver, one_that_covers_what_was_seen_holds_through_its_last_day) {
    waiver_list list = read_good();
    cr_expect(waiver_note(&list, SIGNATURE, 2));
    cr_expect(waiver_note(&list, SIGNATURE, 1));
    cr_expect_not(waiver_note(&list, OTHER, 1));
    expect_state(&list, "2026-06-01", true, WAIVER_HOLDS, "3 of at most 3");
    expect_state(&list, "2027-01-31", true, WAIVER_HOLDS, "known");
    expect_state(&list, "2027-02-01", true, WAIVER_EXPIRED, "expired on 2027-01-31");
    waiver_clear(&list);
}

Test(waiver, more_findings_than_it_covers_fail) {
    waiver_list list = read_good();
    cr_expect(waiver_note(&list, SIGNATURE, 4));
    expect_state(&list, "2026-06-01", true, WAIVER_EXCEEDED,
                 "covers 3 finding(s), and there are 4");
    waiver_clear(&list);
}

Test(waiver, one_that_nothing_needed_fails_once_the_run_is_whole) {
    waiver_list list = read_good();
    expect_state(&list, "2026-06-01", false, WAIVER_HOLDS, "0 of at most 3");
    expect_state(&list, "2026-06-01", true, WAIVER_UNUSED, "was not used");
    waiver_clear(&list);
}
