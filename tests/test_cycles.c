// SPDX-License-Identifier: Apache-2.0
//
// The account of a recording that was written down by hand: every number here was counted on paper
// from the list in tests/support/recording_rig.h and its spans.

#include "harness/show/cycles.h"

#include "harness/show/cycles_report.h"
#include "tests/support/recording_rig.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static recording rec;
static cycles account;
static tpu_message why;

static void set_up(void) {
    recording_rig_small(&rec);
    cr_assert_eq(cycles_count(&rec, &account, &why), TPU_OK, "%s", why.text);
}

static void tear_down(void) {
    cycles_clear(&account);
    recording_clear(&rec);
}

TestSuite(cycles, .init = set_up, .fini = tear_down, .timeout = 20);

Test(cycles, leaves_out_the_cycle_that_shows_the_end) {
    cr_expect_eq(account.window.first, 0);
    cr_expect_eq(account.window.last, 19);
    cr_expect_eq(account.total, 20);
    cr_expect(account.whole);
}

static uint64_t all_of(const cycles_split *of) {
    return of->idle + of->busy + cycles_sum(of->starved) + cycles_sum(of->blocked);
}

Test(cycles, gives_every_cycle_of_every_unit_one_cause) {
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        cr_expect_eq(all_of(&account.unit[u]), 20, "unit %d", u);
    }
}

Test(cycles, counts_states_and_what_was_waited_for) {
    const cycles_split *accu = &account.unit[TPU_UNIT_ACCU];
    cr_expect_eq(accu->busy, 3);
    cr_expect_eq(accu->starved[TPU_STREAM_CW], 10);
    cr_expect_eq(accu->blocked[PROBE_WAIT_HAZARD], 1);
    cr_expect_eq(accu->idle, 6);
    cr_expect_eq(account.unit[TPU_UNIT_VRU].blocked[TPU_STREAM_ACOL], 5);
    cr_expect_eq(account.unit[TPU_UNIT_SEQUENCER].starved[PROBE_WAIT_MEMORY], 1, "cycle 0 is idle");
    cr_expect_eq(account.unit[TPU_UNIT_DMA_ST].starved[TPU_STREAM_AC2SP], 13);
}

Test(cycles, counts_the_rows_that_the_mms_send_through_the_array) {
    cr_expect_eq(account.mm_rows, 1);
    cr_expect_eq(account.mm_count, 1);
}

// Backwards from the write of C: dma_st 18-19; it waited for ac2sp, so accu 17 and its hazard in
// 16 and 14-15; that waited for cw, so the array in 13; the array was idle before vru, which was
// blocked, so for weights: spm 5-12; spm waited for dma2sp, so dma_ld 3-4; that waited for its
// instruction, so the sequencer 0-2.
Test(cycles, walks_the_critical_path_back_over_what_was_waited_for) {
    static const cycles_step path[] = {
        {0, 1, TPU_UNIT_SEQUENCER, {PROBE_STARVED, PROBE_WAIT_MEMORY}},
        {2, 2, TPU_UNIT_SEQUENCER, {PROBE_BUSY, 0}},
        {3, 4, TPU_UNIT_DMA_LD, {PROBE_BUSY, 0}},
        {5, 12, TPU_UNIT_SPM, {PROBE_BUSY, 0}},
        {13, 13, TPU_UNIT_ARRAY, {PROBE_BUSY, 0}},
        {14, 15, TPU_UNIT_ACCU, {PROBE_BUSY, 0}},
        {16, 16, TPU_UNIT_ACCU, {PROBE_BLOCKED, PROBE_WAIT_HAZARD}},
        {17, 17, TPU_UNIT_ACCU, {PROBE_BUSY, 0}},
        {18, 19, TPU_UNIT_DMA_ST, {PROBE_BUSY, 0}},
    };
    const size_t count = sizeof path / sizeof path[0];
    cr_assert_eq(account.step_count, count, "%zu steps", account.step_count);
    for (size_t i = 0; i < count; i++) {
        const cycles_step *got = &account.step[i];
        cr_expect_eq(got->first, path[i].first, "step %zu begins at %lu", i, got->first);
        cr_expect_eq(got->last, path[i].last, "step %zu ends at %lu", i, got->last);
        cr_expect_eq(got->unit, path[i].unit, "step %zu is of unit %d", i, (int)got->unit);
        cr_expect_eq(got->cause.state, path[i].cause.state, "step %zu", i);
        cr_expect_eq(got->cause.wait, path[i].cause.wait, "step %zu", i);
    }
}

Test(cycles, sums_the_path_to_the_length_of_the_run) {
    uint64_t sum = 0;
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        sum += all_of(&account.path[u]);
    }
    cr_expect_eq(sum, 20);
    cr_expect_eq(account.path[TPU_UNIT_SPM].busy, 8);
}

// Two units that wait for each other must not keep the walk going round.
Test(cycles, ends_the_walk_where_units_wait_in_a_circle) {
    recording stuck;
    cycles of = {.total = 0};
    recording_rig_start(&stuck, 0, 9);
    stuck.seen.kind = VERDICT_HANG;
    recording_rig_span(&stuck, TPU_UNIT_SPM, 0, 9, PROBE_BLOCKED, TPU_STREAM_SP2VR);
    recording_rig_span(&stuck, TPU_UNIT_VRU, 0, 9, PROBE_STARVED, TPU_STREAM_SP2VR);
    recording_rig_rest_idle(&stuck);
    recording_rig_row(&stuck, 1, TPU_STREAM_VR_WRITE, 0, 0, 1, 1);
    cr_assert_eq(cycles_count(&stuck, &of, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(of.total, 10);
    cr_expect_not(of.whole);
    cr_expect_eq(of.path[TPU_UNIT_SPM].blocked[TPU_STREAM_SP2VR] +
                     of.path[TPU_UNIT_VRU].starved[TPU_STREAM_SP2VR],
                 10);
    cycles_clear(&of);
    recording_clear(&stuck);
}

Test(cycles, refuses_a_recording_with_a_gap) {
    recording torn;
    cycles of = {.total = 0};
    recording_rig_start(&torn, 0, 9);
    recording_rig_span(&torn, TPU_UNIT_SPM, 0, 3, PROBE_BUSY, 0);
    recording_rig_span(&torn, TPU_UNIT_SPM, 5, 9, PROBE_BUSY, 0);
    recording_rig_rest_idle(&torn);
    cr_expect_eq(cycles_count(&torn, &of, &why), TPU_ERR_INTERNAL);
    cr_expect(strstr(why.text, "spm has a gap at cycle 4") != NULL, "%s", why.text);
    cycles_clear(&of);
    recording_clear(&torn);
}

static uint64_t number(const cJSON *from, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    cr_assert(cJSON_IsString(item), "%s is no string", key);
    return strtoull(item->valuestring, NULL, 10);
}

Test(cycles, says_the_same_in_json) {
    const cycles_report_context context = {.name = "small", .seen = &rec.seen, .ideal = 17};
    char *text = NULL;
    cr_assert_eq(cycles_report_json(&account, &context, &text, &why), TPU_OK, "%s", why.text);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root != NULL);
    cr_expect_eq(number(root, "total"), 20);
    cr_expect_eq(number(root, "mm_rows"), 1);
    cr_expect_eq(number(root, "ideal"), 17);
    const cJSON *units = cJSON_GetObjectItemCaseSensitive(root, "units");
    const cJSON *accu = cJSON_GetObjectItemCaseSensitive(units, "accu");
    cr_expect_eq(number(accu, "busy"), 3);
    cr_expect_eq(number(cJSON_GetObjectItemCaseSensitive(accu, "starved"), "cw"), 10);
    cr_expect_eq(number(cJSON_GetObjectItemCaseSensitive(accu, "blocked"), "hazard"), 1);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "steps")), 9);
    cJSON_Delete(root);
    free(text);
}

Test(cycles, prints_the_table_on_the_screen) {
    const cycles_report_context context = {.name = "small", .seen = &rec.seen, .ideal = 17};
    static const char *const lines[] = {
        "small: OK, cycles 0 to 19 (all)\n",
        "accu                 3        10         1         6        20\n"
        "  starved on cw 10 (50.0 %)\n"
        "  blocked by hazard 1 (5.0 %)\n",
        "          8  40.0 %  spm          busy\n",
        "1 rows through the array in 20 cycles: 5.0 % of a row a cycle\n",
        "needs 17 cycles at least: 85.0 %\n",
    };
    char *text = NULL;
    cr_assert_eq(cycles_report_screen(&account, &context, &text, &why), TPU_OK, "%s", why.text);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        cr_expect(strstr(text, lines[i]) != NULL, "missing: %s\nin\n%s", lines[i], text);
    }
    free(text);
}
