// SPDX-License-Identifier: Apache-2.0
//
// What each way of watching must see and what it must miss: one fault at a time under all of them.
// Which of the two it is follows from what a way looks at, not from what the code did.

#include "harness/lockstep/lockstep.h"

#include "tests/support/lockstep_rig.h"

#include <criterion/criterion.h>

#include <string.h>

static lockstep_rig rig;

static void set_up(void) {
    lockstep_rig_create(&rig);
}

static void tear_down(void) {
    lockstep_rig_destroy(&rig);
}

TestSuite(watch, .init = set_up, .fini = tear_down, .timeout = 20);

enum { EVERY = 1, ISSUE = 2, END = 4, C = 8, HANG = 16, ALL = 31 };

// Runs the fault under each way of watching, on a fresh machine.
static void expect_seen_by(fake_fault fault, int by, const char *what) {
    for (int w = 0; w < LOCKSTEP_WATCH_COUNT; w++) {
        lockstep_rig_destroy(&rig);
        lockstep_rig_create(&rig);
        rig.job.watch = (lockstep_watch)w;
        lockstep_rig_run(&rig, &fault);
        bool seen = rig.out.kind == VERDICT_MISMATCH || rig.out.kind == VERDICT_HANG;
        cr_expect_eq(seen, (by >> w & 1) != 0, "%s, %s: %s, %s", what,
                     lockstep_watch_name((lockstep_watch)w), verdict_kind_name(rig.out.kind),
                     rig.out.sentence.text);
    }
}

Test(watch, passes_a_right_run_however_it_is_watched) {
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_NONE}, 0, "nothing");
}

Test(watch, sees_a_wrong_row_only_where_its_stream_is_compared) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (s != TPU_STREAM_SP2VR) { // the rig's program copies no row that way
            int by = s == TPU_STREAM_ISSUE ? EVERY | ISSUE : EVERY;
            expect_seen_by((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = (tpu_stream)s}, by,
                           tpu_streams[s].name);
        }
    }
}

Test(watch, sees_a_dropped_doubled_or_late_issue_only_in_the_issues) {
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_DROP, .stream = TPU_STREAM_ISSUE, .event = 3},
                   EVERY | ISSUE, "dropped");
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_DROP, .stream = TPU_STREAM_ISSUE, .event = 11},
                   EVERY | ISSUE, "dropped at the end");
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_AFTER, .stream = TPU_STREAM_ISSUE},
                   EVERY | ISSUE, "one too many");
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_AFTER, .stream = TPU_STREAM_CW}, EVERY,
                   "one too many elsewhere");
}

Test(watch, sees_wrong_final_contents_only_where_they_are_compared) {
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_C_CELL, .event = 3}, EVERY | END | C, "C");
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_MEMORY, .memory = TPU_MEM_VR, .event = 23},
                   EVERY | END, "vr");
}

Test(watch, sees_a_hang_and_a_fault_however_it_is_watched) {
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_CW, .event = 9}, ALL,
                   "hang");
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_WATCHDOG, .stream = TPU_STREAM_ACOL, .event = 9},
                   ALL, "watchdog");
    expect_seen_by((fake_fault){.kind = FAKE_FAULT_RAISED, .value = TPU_FAULT_BUS}, ALL, "fault");
}

Test(watch, does_not_lose_a_difference_that_a_run_before_left_in_a_memory) {
    const fake_fault none = {.kind = FAKE_FAULT_NONE};
    const fake_fault vr = {.kind = FAKE_FAULT_MEMORY, .memory = TPU_MEM_VR, .event = 4 * 900};
    rig.job.watch = LOCKSTEP_WATCH_C;
    lockstep_rig_run(&rig, &vr);
    cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    rig.job.watch = LOCKSTEP_WATCH_END;
    lockstep_rig_run(&rig, &none);
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.memory, (int)TPU_MEM_VR);
}

Test(watch, follows_the_machine_where_the_model_did_not_run) {
    rig.job.watch = LOCKSTEP_WATCH_HANG;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_OK);
    cr_expect_eq(rig.out.counts.emitted[TPU_STREAM_ISSUE], 0u);
    rig.job.watch = LOCKSTEP_WATCH_EVERY;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
}

Test(watch, reads_its_own_names_and_no_other) {
    tpu_message why;
    for (int w = 0; w < LOCKSTEP_WATCH_COUNT; w++) {
        lockstep_watch read = LOCKSTEP_WATCH_COUNT;
        cr_expect_eq(lockstep_watch_parse(lockstep_watch_name((lockstep_watch)w), &read, &why),
                     TPU_OK);
        cr_expect_eq((int)read, w);
    }
    lockstep_watch read = LOCKSTEP_WATCH_COUNT;
    cr_expect_eq(lockstep_watch_parse("nothing", &read, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "\"nothing\" is not every, issue, end, c or hang");
    cr_expect_eq(read, LOCKSTEP_WATCH_COUNT);
    cr_expect_null(lockstep_watch_name(LOCKSTEP_WATCH_COUNT));
}
