// SPDX-License-Identifier: Apache-2.0
//
// The layout of the report is held by golden files: TPU_UPDATE_GOLDEN=1 rewrites them, a person
// reads the difference. The content is checked word by word where it matters.

#include "harness/show/report.h"

#include "tests/support/lockstep_rig.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lockstep_rig rig;

static void set_up(void) {
    lockstep_rig_create(&rig);
}

static void tear_down(void) {
    lockstep_rig_destroy(&rig);
}

TestSuite(report, .init = set_up, .fini = tear_down, .timeout = 20);

static report_context context(void) {
    return (report_context){.name = "gemm 8x8x8 relu looped",
                            .source = "gemm.s",
                            .engine = "fake",
                            .params = &rig.params,
                            .program = &rig.program,
                            .words = rig.job.words,
                            .word_count = rig.job.word_count,
                            .seed = 8,
                            .replay = "tpucosim replay fail/gemm/repro.json"};
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    if (file != NULL) {
        size_t got = fread(text, 1, 65535, file);
        text[got] = '\0';
        (void)fclose(file);
    }
    return text;
}

static void expect_golden(const char *name) {
    char path[128];
    char *text = NULL;
    tpu_message why = {{0}};
    report_context with = context();
    (void)snprintf(path, sizeof path, "tests/golden/report_%s.txt", name);
    cr_assert_eq(report_screen(&rig.out, &with, &text, &why), TPU_OK, "%s", why.text);
    if (getenv("TPU_UPDATE_GOLDEN") != NULL) {
        FILE *file = fopen(path, "wb");
        cr_assert(file != NULL);
        (void)fputs(text, file);
        (void)fclose(file);
    }
    char *golden = read_all(path);
    cr_expect_str_eq(text, golden, "%s differs", path);
    free(golden);
    free(text);
}

static void run(fake_fault fault) {
    lockstep_rig_run(&rig, &fault);
}

Test(report, shows_a_right_run) {
    lockstep_rig_run(&rig, NULL);
    expect_golden("ok");
}

Test(report, shows_a_wrong_partial_sum) {
    run((fake_fault){
        .kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 4 * 8 + 4});
    expect_golden("cw");
}

Test(report, shows_a_wrong_field) {
    run((fake_fault){
        .kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_ISSUE, .event = 5, .bit = 6 * 8 + 2});
    expect_golden("issue");
}

Test(report, shows_a_wrong_control_word) {
    run((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_C_SPM, .event = 5, .bit = 60});
    expect_golden("c_spm");
}

Test(report, shows_a_missing_row) {
    run((fake_fault){.kind = FAKE_FAULT_DROP, .stream = TPU_STREAM_C_WRITE, .event = 15});
    expect_golden("missing");
}

Test(report, shows_an_event_too_many) {
    run((fake_fault){.kind = FAKE_FAULT_DOUBLE, .stream = TPU_STREAM_AC2SP, .event = 15});
    expect_golden("extra");
}

Test(report, shows_a_stray_cell_of_c) {
    run((fake_fault){.kind = FAKE_FAULT_C_CELL, .event = 20 * 64 + 3});
    expect_golden("c_outside");
}

Test(report, shows_a_corrupted_memory) {
    run((fake_fault){.kind = FAKE_FAULT_MEMORY, .memory = TPU_MEM_AR, .event = 16 * 7 + 4});
    expect_golden("ar");
}

Test(report, shows_a_hang) {
    run((fake_fault){.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_CW, .event = 9});
    expect_golden("hang");
}

Test(report, shows_a_wrong_machine) {
    run((fake_fault){.kind = FAKE_FAULT_PARAM, .value = 6});
    expect_golden("wrong_machine");
}

Test(report, fits_one_screen) {
    run((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 32});
    char *text = NULL;
    report_context with = context();
    cr_assert_eq(report_screen(&rig.out, &with, &text, NULL), TPU_OK);
    size_t lines = 0;
    size_t width = 0;
    for (const char *at = text; *at != '\0'; at += strcspn(at, "\n") + 1) {
        size_t length = strcspn(at, "\n");
        width = length > width ? length : width;
        lines++;
    }
    cr_expect_leq(lines, 45u);
    cr_expect_leq(width, 120u);
    free(text);
}

Test(report, breaks_a_long_note_between_words) {
    run((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 32});
    rig.out.note_count = 0;
    verdict_note(&rig.out, "%s",
                 "a note of more words than a line of the screen has room for, so that it must go "
                 "on below, where it is set in by two more columns than the others");
    char *text = NULL;
    report_context with = context();
    cr_assert_eq(report_screen(&rig.out, &with, &text, NULL), TPU_OK);
    cr_expect(strstr(text,
                     "  suggests  a note of more words than a line of the screen has room for, "
                     "so that it must go on below, where it\n"
                     "              is set in by two more columns than the others\n") != NULL,
              "%s", text);
    free(text);
}

Test(report, shows_the_waits_of_a_hang_in_json) {
    run((fake_fault){.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_CW, .event = 9});
    char *text = NULL;
    report_context with = context();
    cr_assert_eq(report_json(&rig.out, &with, &text, NULL), TPU_OK);
    cJSON *root = cJSON_Parse(text);
    const cJSON *waits = cJSON_GetObjectItem(root, "waits");
    cr_assert(waits != NULL);
    const cJSON *edges = cJSON_GetObjectItem(waits, "edges");
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(waits, "nodes")), TPU_UNIT_COUNT);
    cr_assert_eq(cJSON_GetArraySize(edges), 2);
    const cJSON *starved = cJSON_GetArrayItem(edges, 1);
    cr_expect_str_eq(cJSON_GetObjectItem(starved, "from")->valuestring, "accu");
    cr_expect_str_eq(cJSON_GetObjectItem(starved, "to")->valuestring, "array");
    cr_expect_str_eq(cJSON_GetObjectItem(starved, "stream")->valuestring, "cw");
    cr_expect_str_eq(cJSON_GetObjectItem(starved, "waits_for")->valuestring, "a row");
    cr_expect_str_eq(cJSON_GetObjectItem(starved, "held")->valuestring, "0");
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(waits, "circle")), 0);
    cr_expect_eq(cJSON_GetObjectItem(waits, "depth")->valueint, 16);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "suggests")), 1);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "inputs")), 2);
    cJSON_Delete(root);
    free(text);
}

Test(report, says_the_same_in_json) {
    run((fake_fault){
        .kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 4 * 8 + 4});
    char *text = NULL;
    report_context with = context();
    cr_assert_eq(report_json(&rig.out, &with, &text, NULL), TPU_OK);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root != NULL);
    cr_expect_str_eq(cJSON_GetObjectItem(root, "verdict")->valuestring, "MISMATCH");
    cr_expect_str_eq(cJSON_GetObjectItem(root, "stream")->valuestring, "cw");
    cr_expect_str_eq(cJSON_GetObjectItem(root, "row")->valuestring, "19");
    cr_expect_eq(cJSON_GetObjectItem(root, "lane")->valueint, 1);
    cr_expect(cJSON_IsNull(cJSON_GetObjectItem(root, "memory")));
    const cJSON *issue = cJSON_GetObjectItem(root, "issue");
    cr_assert(issue != NULL);
    cr_expect_eq(cJSON_GetObjectItem(issue, "pc")->valueint, 7);
    cJSON_Delete(root);
    free(text);
}
