// SPDX-License-Identifier: Apache-2.0
//
// A recording holds what happened and nothing else: every row of the window with the model's
// beside it, every cycle of every unit, and the cycles behind the first difference.

#include "harness/replay/recording.h"

#include "tests/support/lockstep_rig.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static lockstep_rig rig;
static reproducer repro;
static recording taken;
static fake_fault injected;
static engine_api spoiled;
static const recording_window everything = {.first = 0, .last = UINT64_MAX};

static void set_up(void) {
    lockstep_rig_create(&rig);
    spoiled = fake_engine_faulty(&injected);
    injected = (fake_fault){.kind = FAKE_FAULT_NONE};
    memset(&repro, 0, sizeof repro);
    memset(&taken, 0, sizeof taken);
    repro.config = rig.config;
    repro.hang_limit = 1000;
    cr_assert_eq(reproducer_add(&repro, "one", &rig.job, &rig.config.timing, NULL), TPU_OK);
}

static void tear_down(void) {
    recording_clear(&taken);
    reproducer_clear(&repro);
    lockstep_rig_destroy(&rig);
}

TestSuite(recording, .init = set_up, .fini = tear_down, .timeout = 20);

static void take(const recording_window *window) {
    tpu_message why = {{0}};
    tpu_status status = recording_take(&repro, &spoiled, window, NULL, &taken, &why);
    cr_assert_eq(status, TPU_OK, "%s", why.text);
}

static size_t count_differing(void) {
    size_t count = 0;
    for (size_t i = 0; i < taken.event_count; i++) {
        count += taken.event[i].differs;
    }
    return count;
}

Test(recording, keeps_every_row_of_a_run_and_finds_no_difference_where_there_is_none) {
    size_t seen[TPU_STREAM_COUNT] = {0};
    take(&everything);
    for (size_t i = 0; i < taken.event_count; i++) {
        const recording_event *event = &taken.event[i];
        size_t bytes = recording_row_bytes(&taken, (tpu_stream)event->stream);
        cr_assert_eq(event->index, seen[event->stream]++);
        cr_assert_arr_eq(recording_got(&taken, event), recording_expected(&taken, event), bytes);
    }
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        cr_expect_eq(seen[s], taken.seen.counts.compared[s], "stream %s", tpu_streams[s].name);
    }
    cr_expect_gt(seen[TPU_STREAM_C_WRITE], 0);
    cr_expect_eq(count_differing(), 0);
    cr_expect_eq(taken.seen.kind, VERDICT_OK);
}

Test(recording, covers_every_cycle_of_every_unit_without_a_gap) {
    take(&everything);
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        uint64_t next = 0;
        for (size_t i = 0; i < taken.span_count[unit]; i++) {
            cr_assert_eq(taken.span[unit][i].first, next);
            next = taken.span[unit][i].last + 1;
        }
        cr_expect_eq(next, taken.window.last + 1, "unit %u ends early", unit);
    }
}

// The rig's 8x8x8 at T=4: 16 rows of A and of B in loads, 2x2x2 mm, retired with relu.
Test(recording, names_the_issues_in_order_with_the_cycle_of_each) {
    take(&everything);
    cr_assert_eq(taken.issue_count, taken.seen.counts.compared[TPU_STREAM_ISSUE]);
    for (size_t i = 0; i < taken.issue_count; i++) {
        cr_assert_eq(taken.issue[i].issue.seq, i);
        cr_assert_eq(recording_find_issue(&taken, (uint32_t)i), &taken.issue[i]);
        cr_assert(i == 0 || taken.issue[i].cycle > taken.issue[i - 1].cycle);
    }
    cr_expect_null(recording_find_issue(&taken, (uint32_t)taken.issue_count));
}

Test(recording, goes_on_behind_the_first_difference) {
    injected = (fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 3, .bit = 5};
    repro.expected.kind = VERDICT_MISMATCH;
    take(&(recording_window){.first = 0, .last = 100000});
    cr_assert_eq(taken.seen.kind, VERDICT_MISMATCH);
    cr_expect_gt(taken.window.last, taken.seen.cycle, "nothing was kept behind it");
    cr_expect_eq(count_differing(), 1, "one row was flipped, %zu differ", count_differing());
    for (size_t i = 0; i < taken.event_count; i++) {
        const recording_event *event = &taken.event[i];
        if (event->differs) {
            cr_expect_eq(event->stream, TPU_STREAM_CW);
            cr_expect_eq(event->index, 3);
            cr_expect_eq(event->cycle, taken.seen.cycle);
            cr_expect_eq(recording_got(&taken, event)[0] ^ recording_expected(&taken, event)[0],
                         1 << 5);
        }
    }
}

Test(recording, keeps_the_window_only_and_the_issue_that_reaches_into_it) {
    take(&everything);
    uint64_t issued = taken.issue[5].cycle;
    recording_clear(&taken);
    take(&(recording_window){.first = issued + 2, .last = issued + 20});
    cr_expect_eq(taken.window.first, issued + 2);
    cr_expect_eq(taken.window.last, issued + 20);
    cr_assert_gt(taken.event_count, 0);
    cr_expect_geq(taken.event[0].cycle, issued + 2);
    cr_expect_leq(taken.event[taken.event_count - 1].cycle, issued + 20);
    const recording_issue *before = recording_find_issue(&taken, 5);
    cr_assert_not_null(before, "an issue from just before the window is not kept");
    cr_expect_eq(before->cycle, issued);
}

Test(recording, refuses_a_window_behind_the_end_with_both_numbers) {
    tpu_message why = {{0}};
    const recording_window window = {.first = 90000000, .last = 90000001};
    cr_assert_eq(recording_take(&repro, &spoiled, &window, NULL, &taken, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "90000000") != NULL, "%s", why.text);
    cr_expect_null(taken.event);
}

Test(recording, begins_the_window_where_the_guilty_instruction_was_issued) {
    verdict seen;
    verdict_init(&seen);
    seen.kind = VERDICT_MISMATCH;
    seen.cycle = 5000;
    recording_window plain = recording_window_of(&seen, 200, 50);
    cr_expect_eq(plain.first, 4800);
    cr_expect_eq(plain.last, 5050);
    seen.issue.known = true;
    seen.issue.cycle = 300;
    cr_expect_eq(recording_window_of(&seen, 200, 50).first, 300);
    seen.issue.cycle = 4900;
    cr_expect_eq(recording_window_of(&seen, 200, 50).first, 4800);
    seen.cycle = 10;
    seen.issue.known = false;
    cr_expect_eq(recording_window_of(&seen, 200, 50).first, 0);
}
