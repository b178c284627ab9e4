// SPDX-License-Identifier: Apache-2.0
//
// Failure directories as real faults left them, named by $TPU_PAGES (with ':' between them): the
// page opens and shows what report.json says, the timelines are taken by readers of their formats.
// ci/check_pages finds the directories.

#include "harness/io/textfile.h"
#include "tests/support/browser.h"
#include "tests/support/scratch.h"
#include "tests/support/traceform.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(page_failures, .timeout = 280);

static char *read_from(const char *directory, const char *name) {
    char path[4096];
    char *text = NULL;
    tpu_message why;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK, "%s", why.text);
    return text;
}

static void check_page(const char *directory, const char *scratch) {
    char path[4096];
    browser seen = {.dom = NULL};
    char *said = read_from(directory, "report.json");
    cJSON *report = cJSON_Parse(said);
    cr_assert(report != NULL, "%s/report.json", directory);
    (void)snprintf(path, sizeof path, "%s/report.html", directory);
    browser_open(path, "#selftest", scratch, &seen);
    cr_expect_str_eq(seen.console, "", "%s", path);
    char *own = browser_text(&seen, "selftest");
    cr_assert(own != NULL, "%s", path);
    cr_expect(strstr(own, "FAILED") == NULL, "%s: %s", path, own);
    cr_expect_geq(browser_compare(&seen, "report/", report), 40, "%s", path);
    cr_expect(strstr(seen.dom, "data-json=\"report/unit\"") != NULL, "%s names no unit", path);
    free(own);
    free(said);
    cJSON_Delete(report);
    browser_clear(&seen);
}

// A machine that faults at once has issued nothing, and there may be no instruction to draw.
static bool has_issues(const char *directory) {
    char *said = read_from(directory, "report.json");
    cJSON *report = cJSON_Parse(said);
    bool has = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(report, "recent")) > 0;
    cJSON_Delete(report);
    free(said);
    return has;
}

static void check_timelines(const char *directory) {
    char *trace = read_from(directory, "timeline.json");
    char *log = read_from(directory, "timeline.kanata");
    cr_expect_gt(traceform_read_chrome(trace).slices, 0, "%s", directory);
    if (has_issues(directory)) {
        cr_expect_gt(traceform_read_kanata(log).instructions, 0, "%s", directory);
    }
    free(trace);
    free(log);
}

Test(page_failures, open_with_the_numbers_of_their_reports) {
    char scratch[256];
    const char *list = getenv("TPU_PAGES");
    cr_assert(list != NULL && list[0] != '\0', "TPU_PAGES names no directory");
    scratch_make(scratch, sizeof scratch);
    while (*list != '\0') {
        char directory[2048];
        size_t length = strcspn(list, ":");
        cr_assert_lt(length, sizeof directory);
        memcpy(directory, list, length);
        directory[length] = '\0';
        check_page(directory, scratch);
        check_timelines(directory);
        list += length + (list[length] == ':');
    }
    scratch_remove(scratch);
}
