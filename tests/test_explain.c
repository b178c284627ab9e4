// SPDX-License-Identifier: Apache-2.0
//
// The walk through one fault of the fake engine: the numbers in it are those of the GEMM that the
// rig runs, counted by hand in test_lockstep.c. The JSON says the same as the text.

#include "harness/show/explain.h"

#include "tests/support/lockstep_rig.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static lockstep_rig rig;
static reproducer repro;
static recording taken;
static explain steps;
static fake_fault injected;
static engine_api spoiled;
static report_context context;

static void set_up(void) {
    lockstep_rig_create(&rig);
    spoiled = fake_engine_faulty(&injected);
    memset(&repro, 0, sizeof repro);
    memset(&taken, 0, sizeof taken);
    memset(&steps, 0, sizeof steps);
    repro.config = rig.config;
    repro.hang_limit = 1000;
    cr_assert_eq(reproducer_add(&repro, "one", &rig.job, &rig.config.timing, NULL), TPU_OK);
    context = (report_context){.name = "one",
                               .source = "one.s",
                               .params = &rig.params,
                               .program = &rig.program,
                               .replay = "tpucosim replay one.json"};
}

static void tear_down(void) {
    explain_clear(&steps);
    recording_clear(&taken);
    reproducer_clear(&repro);
    lockstep_rig_destroy(&rig);
}

TestSuite(explain, .init = set_up, .fini = tear_down, .timeout = 20);

static void explain_fault(fake_fault fault) {
    static const recording_window all = {.first = 0, .last = UINT64_MAX};
    tpu_message why = {{0}};
    injected = fault;
    cr_assert_eq(recording_take(&repro, &spoiled, &all, NULL, &taken, &why), TPU_OK, "%s",
                 why.text);
    cr_assert_eq(explain_make(&taken, &context, &steps, &why), TPU_OK, "%s", why.text);
}

static const char *step_text(const char *key) {
    for (size_t i = 0; i < steps.count; i++) {
        if (strcmp(steps.step[i].key, key) == 0) {
            return steps.step[i].text;
        }
    }
    return "";
}

static void expect_says(const char *key, const char *words) {
    cr_expect(strstr(step_text(key), words) != NULL, "%s: wanted \"%s\", says \"%s\"", key, words,
              step_text(key));
}

static const fake_fault wrong_sum = {
    .kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 4 * 8 + 4};

Test(explain, walks_from_a_wrong_sum_to_the_array) {
    explain_fault(wrong_sum);
    expect_says("symptom", "MISMATCH in cycle ");
    expect_says("symptom", "lane 1 of row 19 of cw");
    expect_says("row", "cw is written by array and read by accu. Before its row 19, ");
    expect_says("row", "rows of 18 streams were compared and right");
    expect_says("instruction", "#8, pc 7: mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=64  with iv0=1");
    expect_says("instruction", "written as: mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0   agu:");
    expect_says("instruction", "source: one.s:8");
    expect_says("instruction", "it is row 3 of the instruction on this stream");
    expect_says("spread", "No other stream differs in the window."); // only what is shown is spoilt
    expect_says("blame", "array, column 1 of the array: it wrote the first wrong row");
    expect_says("suggests", "bit 4 is flipped");
    expect_says("vote", "the machine stands alone");
    expect_says("open", "rtl/core/tpu_array.sv:");
    expect_says("open", "tpucosim replay one.json");
    cr_expect_str_eq(step_text("waits"), "");
    cr_expect_str_eq(step_text("memory"), "");
}

Test(explain, tells_the_waits_of_a_hang) {
    explain_fault((fake_fault){.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_CW, .event = 9});
    expect_says("symptom", "row 9 of 32 of cw never came");
    expect_says("waits", "array waits for an older access of its own");
    expect_says("waits", "accu waits for array: no row in cw");
    expect_says("waits", "no circle");
    expect_says("blame", "array: the waits and the rows that are owed lead to it");
    cr_expect_str_eq(step_text("spread"), "");
}

Test(explain, says_that_only_the_memory_is_wrong) {
    explain_fault((fake_fault){.kind = FAKE_FAULT_MEMORY, .memory = TPU_MEM_AR, .event = 16 * 7});
    expect_says("memory", "only the contents of ar after the run are not, first in row 7");
    expect_says("blame", "accu: it owns that memory");
    cr_expect_str_eq(step_text("row"), "");
}

Test(explain, has_one_step_for_a_right_run) {
    explain_fault((fake_fault){.kind = FAKE_FAULT_NONE});
    cr_expect_eq(steps.count, 1u);
    expect_says("symptom", "OK in cycle ");
}

Test(explain, says_the_same_in_text_and_in_json) {
    char *text = NULL;
    char *json = NULL;
    explain_fault(wrong_sum);
    cr_assert_eq(explain_text(&steps, &taken.seen, &context, &text, NULL), TPU_OK);
    cr_assert_eq(explain_json(&steps, &taken.seen, &context, &json, NULL), TPU_OK);
    cJSON *root = cJSON_Parse(json);
    cr_assert(root != NULL);
    cr_expect_str_eq(cJSON_GetObjectItem(root, "verdict")->valuestring, "MISMATCH");
    const cJSON *list = cJSON_GetObjectItem(root, "steps");
    cr_expect_eq((size_t)cJSON_GetArraySize(list), steps.count);
    const cJSON *step = NULL;
    cJSON_ArrayForEach(step, list) {
        const cJSON *line = NULL;
        cJSON_ArrayForEach(line, cJSON_GetObjectItem(step, "says")) {
            cr_expect(strstr(text, line->valuestring) != NULL, "%s", line->valuestring);
        }
    }
    cJSON_Delete(root);
    free(json);
    free(text);
}
