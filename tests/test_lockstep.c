// SPDX-License-Identifier: Apache-2.0
//
// The detector must be able to fail: one fault at a time, each with the verdict, cycle, stream,
// row and lane that it must have. Row counts come from the closed forms of a tiled GEMM.

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

TestSuite(lockstep, .init = set_up, .fini = tear_down, .timeout = 20);

static void start_again(void) {
    lockstep_rig_destroy(&rig);
    lockstep_rig_create(&rig);
}

static void run(fake_fault fault) {
    lockstep_rig_run(&rig, &fault);
}

static void expect_place(verdict_diff diff, tpu_stream stream, uint64_t row) {
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH, "%s: %s", tpu_streams[stream].name,
                 rig.out.sentence.text);
    cr_expect_eq(rig.out.diff, diff, "%s: %s", tpu_streams[stream].name, rig.out.sentence.text);
    cr_expect_eq(rig.out.stream, (int)stream, "%s: %s", tpu_streams[stream].name,
                 rig.out.sentence.text);
    cr_expect_eq(rig.out.unit, (int)tpu_streams[stream].unit);
    cr_expect_eq(rig.out.row, row, "%s: row %llu", tpu_streams[stream].name,
                 (unsigned long long)rig.out.row);
}

Test(lockstep, accepts_a_right_run_and_counts_every_row) {
    // T=4, 8x8x8, relu: Kt = Nt = 2, 4 mm of 8 rows.
    static const uint64_t rows[TPU_STREAM_COUNT] = {
        [TPU_STREAM_ISSUE] = 12,       [TPU_STREAM_C_DLD] = 6,         [TPU_STREAM_C_SPM] = 8,
        [TPU_STREAM_C_VRU] = 7,        [TPU_STREAM_C_ACC] = 9,         [TPU_STREAM_C_DST] = 3,
        [TPU_STREAM_DMA2SP] = 16,      [TPU_STREAM_DMA2VR] = 16,       [TPU_STREAM_SP2VR] = 0,
        [TPU_STREAM_WCOL] = 21,        [TPU_STREAM_ACOL] = 32,         [TPU_STREAM_CW] = 32,
        [TPU_STREAM_AC2SP] = 16,       [TPU_STREAM_SPAD_WRITE] = 16,   [TPU_STREAM_VR_WRITE] = 16,
        [TPU_STREAM_AR_WRITE_MM] = 32, [TPU_STREAM_AR_WRITE_ALU] = 16, [TPU_STREAM_C_WRITE] = 16};
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        cr_expect_eq(rig.out.counts.compared[s], rows[s], "%s: %llu", tpu_streams[s].name,
                     (unsigned long long)rig.out.counts.compared[s]);
    }
    cr_expect_eq(rig.out.counts.c_cells, 64u * 64u);
    cr_expect_eq(rig.out.counts.memory_rows, 1024u + 1024u + 136u);
    cr_expect_eq(rig.out.vote, VERDICT_VOTE_AGREE);
}

Test(lockstep, finds_a_flipped_bit_in_every_stream_at_its_cycle_row_and_lane) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        const tpu_stream_info *info = &tpu_streams[s];
        if (info->lane_bytes == 0 || s == TPU_STREAM_SP2VR) {
            continue; // no lanes, or never written by a GEMM
        }
        start_again();
        uint32_t byte = info->head_bytes + 2u * info->lane_bytes;
        run((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = s, .event = 7, .bit = byte * 8 + 3});
        expect_place(VERDICT_DIFF_VALUE, (tpu_stream)s, 7);
        cr_expect_eq(rig.out.lane, 2);
        cr_expect_eq(rig.out.field, -1);
        cr_expect_eq(rig.out.lanes_differ, 1u);
        cr_expect(rig.out.pattern == VERDICT_PATTERN_ONE);
        cr_expect_eq(rig.out.cycle, fake_engine_cycle_of(rig.device, (tpu_stream)s, 7));
        cr_expect_eq(rig.out.first.got ^ rig.out.first.expected, 8);
        cr_expect_eq(rig.out.vote, VERDICT_VOTE_MACHINE);
    }
}

Test(lockstep, names_the_flipped_field_of_every_stream_that_has_fields) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        const tpu_stream_info *info = &tpu_streams[s];
        for (size_t f = 0; f < info->field_count && s != TPU_STREAM_SP2VR; f++) {
            start_again();
            run((fake_fault){.kind = FAKE_FAULT_FLIP,
                             .stream = s,
                             .event = 2,
                             .bit = info->fields[f].offset * 8u});
            expect_place(VERDICT_DIFF_VALUE, (tpu_stream)s, 2);
            cr_expect_eq(rig.out.field, (int)f, "%s: field %d", info->name, rig.out.field);
            cr_expect_eq(rig.out.lane, -1);
            cr_expect(rig.out.pattern == VERDICT_PATTERN_FIELD);
            cr_expect_eq(rig.out.first.got ^ rig.out.first.expected, 1);
        }
    }
}

Test(lockstep, names_the_processing_element_of_a_wrong_weight) {
    // wcol: row 0 is the counts, then 5 rows an mm: header, weight rows 0..3. Row 8 = weight row 1
    // of the second mm.
    run((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_WCOL, .event = 8, .bit = 3 * 8});
    expect_place(VERDICT_DIFF_VALUE, TPU_STREAM_WCOL, 8);
    cr_expect_eq(rig.out.pe_row, 1);
    cr_expect_eq(rig.out.pe_col, 3);
}

Test(lockstep, names_the_column_of_a_wrong_partial_sum_and_the_issue) {
    // cw: 8 rows an mm; row 19 = row 3 of the third mm = mm at pc 7 in the second turn of the n
    // loop; issues 0..3 are loads, then mm mm vrelu mvout mm: number 8.
    run((fake_fault){.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 4 * 8});
    expect_place(VERDICT_DIFF_VALUE, TPU_STREAM_CW, 19);
    cr_expect_eq(rig.out.pe_col, 1);
    cr_assert(rig.out.issue.known);
    cr_expect_eq(rig.out.issue.issue.seq, 8u);
    cr_expect_eq(rig.out.issue.issue.pc, 7);
    cr_expect_eq(rig.out.issue.issue.op, TPU_OP_MM);
    cr_expect_eq(rig.out.issue.issue.iv[0], 1);
    cr_expect_eq(rig.out.issue.issue.f[3], 64u);
    cr_expect_eq(rig.out.issue.row, 3u);
    cr_expect_eq(rig.out.issue.line, 8u);
    cr_expect_eq(rig.out.elements_seen, 5u * 4u);
    cr_expect_eq(rig.out.elements_differ, 1u);
    cr_expect_eq(rig.out.shape, VERDICT_SHAPE_CELL);
    cr_expect_eq(rig.out.window.first, 17u);
    cr_expect_eq(rig.out.window.rows, 5u);
    cr_expect_eq(rig.out.window.seen, 5u);
}

Test(lockstep, finds_a_dropped_event_in_every_stream) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (s == TPU_STREAM_SP2VR) {
            continue;
        }
        start_again();
        run((fake_fault){.kind = FAKE_FAULT_DROP, .stream = s, .event = 1});
        expect_place(VERDICT_DIFF_VALUE, (tpu_stream)s, 1);
        cr_expect_eq(rig.out.hint, VERDICT_HINT_NEXT);
    }
}

Test(lockstep, finds_a_dropped_last_event_as_missing) {
    run((fake_fault){.kind = FAKE_FAULT_DROP, .stream = TPU_STREAM_C_WRITE, .event = 15});
    expect_place(VERDICT_DIFF_MISSING, TPU_STREAM_C_WRITE, 15);
    cr_expect_eq(rig.out.issue.issue.op, TPU_OP_MVOUT);
    cr_expect_eq(rig.out.issue.row, 7u);
}

Test(lockstep, finds_a_doubled_event_in_every_stream) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (s == TPU_STREAM_SP2VR) {
            continue;
        }
        start_again();
        run((fake_fault){.kind = FAKE_FAULT_DOUBLE, .stream = s, .event = 1});
        expect_place(VERDICT_DIFF_VALUE, (tpu_stream)s, 2);
        cr_expect_eq(rig.out.hint, VERDICT_HINT_PREVIOUS);
    }
}

Test(lockstep, finds_a_doubled_last_event_as_extra) {
    run((fake_fault){.kind = FAKE_FAULT_DOUBLE, .stream = TPU_STREAM_C_DST, .event = 2});
    expect_place(VERDICT_DIFF_EXTRA, TPU_STREAM_C_DST, 3);
    cr_expect_eq(rig.out.hint, VERDICT_HINT_PREVIOUS);
}

Test(lockstep, finds_an_event_after_done) {
    run((fake_fault){.kind = FAKE_FAULT_AFTER, .stream = TPU_STREAM_C_WRITE});
    expect_place(VERDICT_DIFF_EXTRA, TPU_STREAM_C_WRITE, 16);
}

Test(lockstep, finds_swapped_events_at_the_first_of_them) {
    run((fake_fault){.kind = FAKE_FAULT_SWAP, .stream = TPU_STREAM_ISSUE, .event = 3});
    expect_place(VERDICT_DIFF_VALUE, TPU_STREAM_ISSUE, 3);
    cr_expect_eq(rig.out.hint, VERDICT_HINT_NEXT);
}

Test(lockstep, accepts_a_late_event_with_the_same_digest) {
    lockstep_rig_run(&rig, NULL);
    uint64_t digest = rig.out.digest;
    uint64_t cycles = rig.out.cycle;
    run((fake_fault){
        .kind = FAKE_FAULT_LATE, .stream = TPU_STREAM_C_WRITE, .event = 4, .value = 100});
    cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    cr_expect_eq(rig.out.digest, digest);
    cr_expect_gt(rig.out.cycle, cycles);
}

Test(lockstep, gives_one_digest_for_every_timing_and_another_for_other_data) {
    lockstep_rig_run(&rig, NULL);
    uint64_t digest = rig.out.digest;
    for (uint32_t seed = 0; seed < 20; seed++) {
        fake_engine_schedule(rig.device, seed, 1 + 5 * seed);
        lockstep_rig_run(&rig, NULL);
        cr_expect_eq(rig.out.kind, VERDICT_OK, "seed %u: %s", seed, rig.out.sentence.text);
        cr_expect_eq(rig.out.digest, digest, "seed %u", seed);
    }
    rig.a[0] ^= 1;
    lockstep_rig_run(&rig, NULL);
    cr_expect_neq(rig.out.digest, digest);
}

Test(lockstep, reports_a_late_event_beyond_the_limit_as_hang) {
    run((fake_fault){
        .kind = FAKE_FAULT_LATE, .stream = TPU_STREAM_ISSUE, .event = 11, .value = 5000});
    cr_expect_eq(rig.out.kind, VERDICT_HANG);
}

Test(lockstep, finds_a_written_cell_of_c_outside_the_window) {
    // Row 20, column 3: the program writes rows and columns 0..7.
    run((fake_fault){.kind = FAKE_FAULT_C_CELL, .event = 20 * 64 + 3});
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_C_OUTSIDE);
    cr_expect_eq(rig.out.memory, TPU_MEM_C);
    cr_expect_eq(rig.out.row, 20u);
    cr_expect_eq(rig.out.lane, 3);
    cr_expect_eq(rig.out.unit, TPU_UNIT_DMA_ST);
    cr_expect_eq(rig.out.vote, VERDICT_VOTE_MACHINE);
}

Test(lockstep, looks_at_the_first_cell_of_c_and_at_the_last) {
    static const uint64_t cells[] = {0, 64 * 64 - 1};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        start_again();
        run((fake_fault){.kind = FAKE_FAULT_C_CELL, .event = cells[i]});
        cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
        cr_expect_eq(rig.out.memory, TPU_MEM_C);
        cr_expect_neq(rig.out.diff, VERDICT_DIFF_ORACLE, "only the oracle saw it");
        cr_expect_eq(rig.out.row, cells[i] / 64);
        cr_expect_eq(rig.out.lane, (int)(cells[i] % 64));
    }
}

Test(lockstep, finds_a_wrong_cell_of_c_inside_the_window) {
    run((fake_fault){.kind = FAKE_FAULT_C_CELL, .event = 7 * 64 + 7});
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_C_INSIDE);
    cr_expect_eq(rig.out.row, 7u);
    cr_expect_eq(rig.out.lane, 7);
}

Test(lockstep, finds_corrupted_final_contents_of_each_on_chip_memory) {
    static const struct {
        tpu_mem memory;
        uint64_t byte;
        uint64_t row;
        int lane;
        tpu_unit unit;
    } cases[] = {{TPU_MEM_SPAD, 4 * 900 + 1, 900, 1, TPU_UNIT_SPM},
                 {TPU_MEM_VR, 4 * 5 + 3, 5, 3, TPU_UNIT_VRU},
                 {TPU_MEM_AR, 16 * 135 + 8, 135, 2, TPU_UNIT_ACCU}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start_again();
        run((fake_fault){
            .kind = FAKE_FAULT_MEMORY, .memory = cases[i].memory, .event = cases[i].byte});
        cr_expect_eq(rig.out.diff, VERDICT_DIFF_MEMORY, "%s", rig.out.sentence.text);
        cr_expect_eq(rig.out.memory, (int)cases[i].memory);
        cr_expect_eq(rig.out.row, cases[i].row);
        cr_expect_eq(rig.out.lane, cases[i].lane);
        cr_expect_eq(rig.out.unit, (int)cases[i].unit);
    }
}

Test(lockstep, refuses_to_compare_with_the_wrong_machine) {
    for (uint32_t i = 0; i < TPU_PARAM_COUNT; i++) {
        run((fake_fault){.kind = FAKE_FAULT_PARAM, .value = i});
        cr_expect_eq(rig.out.kind, VERDICT_ERROR);
        cr_expect(strstr(rig.out.sentence.text, tpu_param_infos[i].name) != NULL, "%s",
                  rig.out.sentence.text);
        cr_expect_eq(rig.out.steps, 0u);
    }
    run((fake_fault){.kind = FAKE_FAULT_HASH});
    cr_expect_eq(rig.out.kind, VERDICT_ERROR);
    cr_expect(strstr(rig.out.sentence.text, "again with: make engine TPU_T=") != NULL);
    cr_expect(strstr(rig.out.sentence.text, "spec") != NULL);
    cr_expect_eq(rig.out.steps, 0u);
}

Test(lockstep, reports_a_hang_with_the_unit_that_holds_the_others_up) {
    run((fake_fault){.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_CW, .event = 9});
    cr_expect_eq(rig.out.kind, VERDICT_HANG);
    cr_expect_eq(rig.out.stream, TPU_STREAM_CW);
    cr_expect_eq(rig.out.row, 9u);
    cr_expect_eq(rig.out.unit, TPU_UNIT_ARRAY);
    cr_expect_eq(rig.out.units[TPU_UNIT_ACCU].state, PROBE_STARVED);
    cr_expect_eq(rig.out.units[TPU_UNIT_ARRAY].state, PROBE_BLOCKED);
}

Test(lockstep, reports_the_machines_own_watchdog_as_hang) {
    run((fake_fault){.kind = FAKE_FAULT_WATCHDOG, .stream = TPU_STREAM_ACOL, .event = 9});
    cr_expect_eq(rig.out.kind, VERDICT_HANG, "%s", rig.out.sentence.text);
    cr_expect_eq(rig.out.status.fault, TPU_FAULT_WATCHDOG);
    cr_expect_eq(rig.out.unit, TPU_UNIT_VRU);
    cr_expect_eq(rig.out.row, 9u);
}

Test(lockstep, does_not_take_silence_for_success) {
    run((fake_fault){.kind = FAKE_FAULT_SILENT});
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_MISSING);
    cr_expect_eq(rig.out.row, 0u);
}

Test(lockstep, does_not_pass_when_a_stream_is_not_compared) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (s == TPU_STREAM_SP2VR) {
            continue;
        }
        start_again();
        rig.hooks.mute = 1u << s;
        lockstep_rig_run(&rig, NULL);
        cr_expect_eq(rig.out.kind, VERDICT_ERROR, "%s", tpu_streams[s].name);
        cr_expect(strstr(rig.out.sentence.text, tpu_streams[s].name) != NULL, "%s",
                  rig.out.sentence.text);
    }
}

Test(lockstep, does_not_pass_when_nothing_is_compared) {
    rig.hooks.mute = UINT32_MAX;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_ERROR);
}

Test(lockstep, reports_a_fault_in_a_legal_program) {
    run((fake_fault){.kind = FAKE_FAULT_RAISED, .value = TPU_FAULT_HEADER});
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_FAULT);
}

Test(lockstep, reports_a_failed_assertion) {
    run((fake_fault){.kind = FAKE_FAULT_ASSERTION});
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_ASSERTION);
}

Test(lockstep, reports_a_sequencer_that_walks_and_never_issues) {
    probe_unit units[TPU_UNIT_COUNT] = {[TPU_UNIT_SEQUENCER] = {.state = PROBE_BUSY}};
    const fake_fault astray = {
        .kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_ISSUE, .event = 3, .units = units};
    run(astray);
    cr_expect_eq(rig.out.kind, VERDICT_HANG);
    cr_expect_eq(rig.out.unit, TPU_UNIT_SEQUENCER);
    cr_expect_eq(rig.out.stream, TPU_STREAM_ISSUE);
    cr_expect_eq(rig.out.row, 3u);
    cr_expect(strstr(rig.out.sentence.text, "still walked") != NULL, "%s", rig.out.sentence.text);
    for (int watch = 0; watch < LOCKSTEP_WATCH_COUNT; watch++) {
        start_again();
        rig.job.watch = (lockstep_watch)watch;
        run(astray);
        cr_expect_eq(rig.out.kind, VERDICT_HANG, "%d", watch);
    }
}

Test(lockstep, reports_an_end_that_is_shown_while_a_unit_is_at_work) {
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        start_again();
        run((fake_fault){.kind = FAKE_FAULT_EARLY, .value = (uint32_t)unit});
        cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
        cr_expect_eq(rig.out.diff, VERDICT_DIFF_EARLY);
        cr_expect_eq(rig.out.unit, unit);
        cr_expect(strstr(rig.out.sentence.text, tpu_unit_names[unit]) != NULL);
    }
}

Test(lockstep, reports_a_start_that_is_refused_and_who_is_still_at_work) {
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        start_again();
        run((fake_fault){.kind = FAKE_FAULT_REFUSED, .value = (uint32_t)unit});
        cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
        cr_expect_eq(rig.out.diff, VERDICT_DIFF_EARLY);
        cr_expect_eq(rig.out.unit, unit);
        cr_expect(strstr(rig.out.sentence.text, tpu_unit_names[unit]) != NULL);
    }
}

Test(lockstep, reports_a_start_that_is_refused_though_every_unit_rests) {
    const fake_fault refused = {.kind = FAKE_FAULT_REFUSED, .value = TPU_UNIT_COUNT};
    run(refused);
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_EARLY);
    cr_expect_eq(rig.out.unit, -1);
    cr_expect(strstr(rig.out.sentence.text, "the bus owes an answer") != NULL);
    start_again();
    rig.job.mode = LOCKSTEP_MODE_BARE;
    run(refused);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_EARLY);
}

Test(lockstep, reports_a_failing_engine_as_error) {
    run((fake_fault){.kind = FAKE_FAULT_STEP, .value = 9});
    cr_expect_eq(rig.out.kind, VERDICT_ERROR);
    cr_expect(strstr(rig.out.sentence.text, "told to fail") != NULL);
}

static void spoil_row(void *user, tpu_stream stream, uint64_t index, uint8_t *row, size_t bytes) {
    (void)bytes;
    const fake_fault *spoil = user;
    if (stream == spoil->stream && index == spoil->event) {
        row[0] ^= 1;
    }
}

Test(lockstep, finds_a_fault_of_the_model_in_every_stream) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (s == TPU_STREAM_SP2VR) {
            continue;
        }
        start_again();
        fake_fault spoil = {.stream = s, .event = 2};
        rig.hooks.user = &spoil;
        rig.hooks.expected_row = spoil_row;
        lockstep_rig_run(&rig, NULL);
        expect_place(VERDICT_DIFF_VALUE, (tpu_stream)s, 2);
    }
}

static void spoil_c(void *user, uint8_t *c, size_t bytes) {
    (void)user;
    (void)bytes;
    c[1] ^= 4;
}

Test(lockstep, lets_the_vote_name_a_model_with_a_wrong_c) {
    rig.hooks.expected_c = spoil_c;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_C_INSIDE);
    cr_expect_eq(rig.out.vote, VERDICT_VOTE_MODEL);
    cr_expect_eq(rig.out.lane, 1);
}

Test(lockstep, hears_the_oracle_when_it_stands_alone) {
    rig.job.gemm.relu = false; // the program rectifies, the oracle is told that it does not
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_MISMATCH);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_ORACLE);
    cr_expect_eq(rig.out.vote, VERDICT_VOTE_ORACLE);
}

Test(lockstep, agrees_with_the_backward_oracle_too) {
    rig.job.gemm.m = 0;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    cr_expect_eq(rig.out.vote, VERDICT_VOTE_AGREE);
}

Test(lockstep, refuses_the_level_that_has_no_model_yet) {
    rig.job.level = LOCKSTEP_LEVEL_CYCLE;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_REFUSED);
    cr_expect(strstr(rig.out.sentence.text, "cycle model") != NULL);
}

Test(lockstep, runs_an_unchecked_program_to_its_fault) {
    rig.job.mode = LOCKSTEP_MODE_UNCHECKED;
    run((fake_fault){.kind = FAKE_FAULT_RAISED, .value = TPU_RULE_WRITE_BEFORE_READ});
    cr_expect_eq(rig.out.kind, VERDICT_OK);
    cr_expect_eq(rig.out.status.fault, TPU_RULE_WRITE_BEFORE_READ);
    run((fake_fault){.kind = FAKE_FAULT_HANG, .stream = TPU_STREAM_CW, .event = 1});
    cr_expect_eq(rig.out.kind, VERDICT_HANG);
}

Test(lockstep, takes_over_inherited_memories_after_a_clean_run) {
    for (int i = 0; i < 3; i++) {
        lockstep_rig_run(&rig, NULL);
        cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    }
    rig.job.mode = LOCKSTEP_MODE_BARE;
    rig.a[0] ^= 1; // the bare run changes vr behind the model's back
    lockstep_rig_run(&rig, NULL);
    rig.job.mode = LOCKSTEP_MODE_CHECKED;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
}
