// SPDX-License-Identifier: Apache-2.0
//
// Both timeline files of a recording that was written down by hand. The Konata log and the bound
// were worked out on paper; both formats are read by tests/support/traceform.c.

#include "harness/show/timeline.h"

#include "harness/io/textfile.h"
#include "harness/show/kanata.h"
#include "tests/support/recording_rig.h"
#include "tests/support/scratch.h"
#include "tests/support/traceform.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static recording rec;
static life_list lives;
static tpu_message why;

static void set_up(void) {
    recording_rig_small(&rec);
    cr_assert_eq(life_recorded(&rec, &lives, &why), TPU_OK, "%s", why.text);
}

static void tear_down(void) {
    life_list_clear(&lives);
    recording_clear(&rec);
}

TestSuite(timeline, .init = set_up, .fini = tear_down, .timeout = 20);

static const char small_log[] = "Kanata\t0004\n"
                                "C=\t2\n"
                                "I\t0\t0\t0\n"
                                "L\t0\t0\t0: dma_ld rows=2 mode=0 dram_row0=0 col_block=0 "
                                "dst_row0=0\n"
                                "L\t0\t1\tissue 0, line 7\n"
                                "S\t0\t0\tIs\n"
                                "C\t1\n"
                                "I\t1\t1\t0\n"
                                "L\t1\t0\t1: mm rows=1 vr_a=0 ar0=0 acc=1 spad_w=0\n"
                                "L\t1\t1\tissue 1, iv0 = 3, line 8\n"
                                "S\t1\t0\tIs\n"
                                "C\t1\n"
                                "E\t0\t0\tIs\n"
                                "S\t0\t0\tLd\n"
                                "I\t2\t2\t0\n"
                                "L\t2\t0\t2: mvout rows=1 ar0=0 dram_row0=0 col_block=0\n"
                                "L\t2\t1\tissue 2, line 9\n"
                                "S\t2\t0\tIs\n"
                                "C\t3\n"
                                "E\t0\t0\tLd\n"
                                "R\t0\t0\t0\n"
                                "E\t1\t0\tIs\n"
                                "S\t1\t0\tLd\n"
                                "C\t6\n"
                                "E\t1\t0\tLd\n"
                                "S\t1\t0\tCp\n"
                                "C\t3\n"
                                "E\t1\t0\tCp\n"
                                "R\t1\t1\t0\n"
                                "C\t1\n"
                                "E\t2\t0\tIs\n"
                                "S\t2\t0\tRt\n"
                                "C\t3\n"
                                "E\t2\t0\tRt\n"
                                "R\t2\t2\t0\n";

Test(timeline, logs_the_stages_of_each_instruction_for_konata) {
    char *text = NULL;
    cr_assert_eq(kanata_text(&rec, &lives, &text, &why), TPU_OK, "%s", why.text);
    cr_expect_str_eq(text, small_log);
    const traceform_kanata read = traceform_read_kanata(text);
    cr_expect_eq(read.instructions, 3);
    cr_expect_eq(read.retired, 3);
    cr_expect_eq(read.last_cycle, 20);
    free(text);
}

Test(timeline, flushes_an_instruction_that_the_window_cuts_off) {
    char *text = NULL;
    rec.event_count--; // the write of C is gone
    life_list_clear(&lives);
    cr_assert_eq(life_recorded(&rec, &lives, &why), TPU_OK);
    cr_expect_not(life_finished(&lives.one[2]));
    cr_assert_eq(kanata_text(&rec, &lives, &text, &why), TPU_OK);
    const traceform_kanata read = traceform_read_kanata(text);
    cr_expect_eq(read.retired, 2);
    cr_expect_eq(read.flushed, 1);
    cr_expect_eq(read.last_cycle, 21, "one cycle behind the window");
    free(text);
}

Test(timeline, marks_the_guilty_instruction_in_the_log) {
    char *text = NULL;
    rec.seen.issue.known = true;
    rec.seen.issue.issue = rec.issue[1].issue;
    cr_assert_eq(kanata_text(&rec, &lives, &text, &why), TPU_OK);
    cr_expect(strstr(text, "L\t1\t0\t(!) 1: mm rows=1") != NULL);
    cr_expect(strstr(text, "L\t0\t0\t0: dma_ld") != NULL);
    free(text);
}

// By hand, one row a cycle and a row read in the cycle after it was written. dma_ld is issued in 0:
// dma2sp 1 2, spad 2 3. mm in 1: its count on wcol in 2, weights 0 and 1 when they are written, 3
// and 4, then 5 and 6; cw behind them in 7, ar in 8. mvout in 2: ac2sp 9, C 10.
Test(timeline, knows_the_earliest_cycles_that_the_program_allows) {
    life_list ideal = {.one = NULL};
    cr_assert_eq(life_ideal(&rec, &ideal, &why), TPU_OK, "%s", why.text);
    const struct {
        uint32_t issue;
        tpu_stream stream;
        uint64_t first;
        uint64_t last;
        uint32_t rows;
    } table[] = {
        {0, TPU_STREAM_DMA2SP, 1, 2, 2}, {0, TPU_STREAM_SPAD_WRITE, 2, 3, 2},
        {1, TPU_STREAM_WCOL, 2, 6, 5},   {1, TPU_STREAM_ACOL, 2, 2, 1},
        {1, TPU_STREAM_CW, 7, 7, 1},     {1, TPU_STREAM_AR_WRITE_MM, 8, 8, 1},
        {2, TPU_STREAM_AC2SP, 9, 9, 1},  {2, TPU_STREAM_C_WRITE, 10, 10, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const life_rows *got = &ideal.one[table[i].issue].stream[table[i].stream];
        cr_expect_eq(got->first, table[i].first, "line %zu begins in %lu", i, got->first);
        cr_expect_eq(got->last, table[i].last, "line %zu ends in %lu", i, got->last);
        cr_expect_eq(got->count, table[i].rows, "line %zu", i);
    }
    cr_expect_eq(ideal.end, 11);
    life_list_clear(&ideal);
}

// vadd reads its two rows through one port: two steps a row. Issued in 0, its first row is read in
// 1 and 2 and written in 2, its second in 4; the vrelu behind it waits for them: 5 and 6.
Test(timeline, lets_an_addition_take_two_steps_a_row) {
    recording two;
    life_list ideal = {.one = NULL};
    recording_rig_start(&two, 0, 9);
    isa_issue *add = recording_rig_issue(&two, 0, TPU_OP_VADD, 2, 0);
    add->f[0] = 8;
    isa_issue *relu = recording_rig_issue(&two, 1, TPU_OP_VRELU, 2, 0);
    relu->f[1] = 8;
    cr_assert_eq(life_ideal(&two, &ideal, &why), TPU_OK);
    const life_rows *sum = &ideal.one[0].stream[TPU_STREAM_AR_WRITE_ALU];
    const life_rows *after = &ideal.one[1].stream[TPU_STREAM_AR_WRITE_ALU];
    cr_expect_eq(sum->first, 2);
    cr_expect_eq(sum->last, 4);
    cr_expect_eq(after->first, 5);
    cr_expect_eq(after->last, 6);
    life_list_clear(&ideal);
    recording_clear(&two);
}

static char *small_trace(void) {
    cycles account = {.total = 0};
    life_list ideal = {.one = NULL};
    char *text = NULL;
    cr_assert_eq(cycles_count(&rec, &account, &why), TPU_OK);
    cr_assert_eq(life_ideal(&rec, &ideal, &why), TPU_OK);
    cr_assert_eq(timeline_text(&rec, &account, &lives, &ideal, &text, &why), TPU_OK);
    cycles_clear(&account);
    life_list_clear(&ideal);
    return text;
}

// Slices: states that are not idle 2 + 2 + 2 + 2 + 1 + 4 + 2, path 9, instructions 3 + 8, ideal 8.
// Instants: the verdict and the wrong row of cw.
Test(timeline, writes_a_trace_that_perfetto_reads) {
    char *text = small_trace();
    const traceform_chrome read = traceform_read_chrome(text);
    cr_expect_eq(read.slices, 15 + 9 + 11 + 8, "%zu slices", read.slices);
    cr_expect_eq(read.instants, 2);
    cr_expect_gt(read.counters, 4);
    cr_expect(strstr(text, "\"ideal cycles\":\"11\"") != NULL);
    cr_expect(strstr(text, "\"got\":\"07070707070707070707070707070707\"") != NULL);
    free(text);
}

Test(timeline, shows_what_each_unit_did_and_for_which_instruction) {
    char *text = small_trace();
    const char *mm = "mm rows=1 vr_a=0 ar0=0 acc=1 spad_w=0";
    cr_expect_eq(traceform_chrome_cycles(text, "accu", "state", "starved on cw"), 10);
    cr_expect_eq(traceform_chrome_cycles(text, "accu", "state", "busy"), 3);
    cr_expect_eq(traceform_chrome_cycles(text, "vru", "state", "blocked by acol"), 5);
    cr_expect_eq(traceform_chrome_cycles(text, "spm", "wcol", mm), 5);
    cr_expect_eq(traceform_chrome_cycles(text, "accu", "ar.write.mm", mm), 1);
    cr_expect_eq(traceform_chrome_cycles(text, "spm (ideal)", "wcol", mm), 5);
    cr_expect_eq(traceform_chrome_cycles(text, "run", "critical path", "spm busy"), 8);
    free(text);
}

Test(timeline, leaves_the_ideal_out_of_a_window) {
    char directory[256];
    char path[512];
    char *text = NULL;
    scratch_make(directory, sizeof directory);
    rec.seen.kind = VERDICT_MISMATCH;
    cr_assert_eq(timeline_write(&rec, directory, &why), TPU_OK, "%s", why.text);
    (void)snprintf(path, sizeof path, "%s/timeline.json", directory);
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK);
    (void)traceform_read_chrome(text);
    cr_expect(strstr(text, "(ideal)") == NULL);
    free(text);
    (void)snprintf(path, sizeof path, "%s/timeline.kanata", directory);
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK);
    (void)traceform_read_kanata(text);
    free(text);
    scratch_remove(directory);
}

Test(timeline, says_where_it_cannot_write) {
    cr_expect_eq(timeline_write(&rec, "/proc/no/such/place", &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "timeline.json") != NULL, "%s", why.text);
}
