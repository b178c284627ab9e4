// SPDX-License-Identifier: Apache-2.0
//
// The waveform of a window, read back: what stands in which cycle. The recording is made by hand,
// and so is the machine's own file.

#include "harness/show/wave.h"

#include "harness/io/textfile.h"
#include "harness/show/wave_file.h"
#include "harness/show/wave_view.h"
#include "harness/show/wave_writer.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T = 4, FIRST = 100, LAST = 109 };

static char directory[256];
static char machine[300];
static char path[300];
static recording from;
static recording_event events[4];
static recording_issue issues[2];
static recording_span spans[3];
static recording_span idle = {.first = FIRST, .last = LAST, .unit = {PROBE_IDLE, 0}};
static uint8_t rows[512];
static wave_file *file;

// A row of cw at `cycle`: got 1 2 3 4, expected as given.
static void add_cw(size_t index, uint64_t cycle, uint32_t issue, const int32_t expected[T]) {
    static const int32_t got[T] = {1, 2, 3, 4};
    recording_event *event = &events[index];
    *event = (recording_event){.cycle = cycle,
                               .index = 40 + index,
                               .issue = issue,
                               .stream = TPU_STREAM_CW,
                               .differs = memcmp(got, expected, sizeof got) != 0,
                               .at = 64 * index};
    memcpy(rows + event->at, got, sizeof got);
    memcpy(rows + event->at + sizeof got, expected, sizeof got);
}

static void make_recording(void) {
    static const int32_t same[T] = {1, 2, 3, 4};
    static const int32_t other[T] = {1, 2, -1, 4};
    issues[0] = (recording_issue){
        .cycle = 90,
        .issue = {.seq = 7, .pc = 3, .op = TPU_OP_MM, .nr = 2, .f = {0, 8, 0, 4}, .depth = 0}};
    issues[1] = (recording_issue){.cycle = 104,
                                  .issue = {.seq = 8,
                                            .pc = 4,
                                            .op = TPU_OP_MM,
                                            .nr = 1,
                                            .f = {2, 9, 1, 5},
                                            .iv = {5, 6},
                                            .depth = 2}};
    add_cw(0, 101, 7, same);
    add_cw(1, 102, 7, other);
    add_cw(2, 106, 8, same);
    events[3] = events[2];
    events[3].cycle = 107;
    events[3].extra = true;
    events[3].issue = RECORDING_NO_ISSUE;
    spans[0] = (recording_span){.first = 100, .last = 102, .unit = {PROBE_BUSY, 0}};
    spans[1] =
        (recording_span){.first = 103, .last = 105, .unit = {PROBE_STARVED, TPU_STREAM_ACOL}};
    spans[2] =
        (recording_span){.first = 106, .last = 109, .unit = {PROBE_BLOCKED, PROBE_WAIT_HAZARD}};
    from = (recording){.window = {FIRST, LAST},
                       .params = params_default(T, 16),
                       .event = events,
                       .event_count = 4,
                       .issue = issues,
                       .issue_count = 2,
                       .rows = rows};
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        from.span[unit] = unit == TPU_UNIT_ARRAY ? spans : &idle;
        from.span_count[unit] = unit == TPU_UNIT_ARRAY ? 3 : 1;
    }
    verdict_init(&from.seen);
    from.seen.kind = VERDICT_MISMATCH;
    from.seen.cycle = 102;
    (void)snprintf(from.seen.sentence.text, sizeof from.seen.sentence.text, "lane 2 of cw is 3");
}

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    (void)snprintf(machine, sizeof machine, "%s/machine.fst", directory);
    (void)snprintf(path, sizeof path, "%s/window.fst", directory);
    memset(rows, 0, sizeof rows);
    make_recording();
    file = NULL;
}

static void tear_down(void) {
    wave_file_close(file);
    scratch_remove(directory);
}

TestSuite(wave, .init = set_up, .fini = tear_down, .timeout = 20);

// A machine of one counter with named values, one alias of it and one text.
typedef struct counter {
    wave_lane bits;
    wave_lane text;
} counter;

static void declare_counter(void *user, wave_writer *to) {
    static const char *const text[] = {"none", "one", "two"};
    const wave_names names = {"counter_e", 8, text, NULL, 3};
    counter *self = user;
    wave_writer_open_scope(to, "TOP");
    wave_writer_open_scope(to, "u_count");
    self->bits = wave_writer_add_bits(to, "count_q", 8, &names);
    self->text = wave_writer_add_text(to, "word");
    wave_writer_close_scope(to);
    wave_writer_close_scope(to);
}

static void step_counter(void *user, wave_writer *to, uint64_t cycle) {
    counter *self = user;
    wave_writer_set(to, self->bits, cycle - FIRST);
    wave_writer_say(to, self->text, cycle % 2 == 0 ? "even" : "odd");
}

static void write_machine(void) {
    counter user;
    const wave_source source = {.user = &user,
                                .first = FIRST,
                                .last = LAST,
                                .cycle_time = WAVE_CYCLE,
                                .declare = declare_counter,
                                .cycle = step_counter};
    tpu_message why = {{0}};
    cr_assert_eq(wave_writer_run(NULL, &source, machine, &why), TPU_OK, "%s", why.text);
}

static void write_and_open(const char *with) {
    tpu_message why = {{0}};
    cr_assert_eq(wave_write_window(&from, with, path, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(wave_file_open(path, &file, &why), TPU_OK, "%s", why.text);
}

static void expect_value(const char *name, uint64_t cycle, const char *value) {
    const wave_signal *signal = wave_file_find(file, name);
    cr_assert(signal != NULL, "%s is not in the file", name);
    const char *got = wave_file_value(file, signal, cycle * WAVE_CYCLE + WAVE_CYCLE / 2);
    cr_assert(got != NULL, "%s has no value in cycle %d", name, (int)cycle);
    cr_expect_str_eq(got, value, "%s in cycle %d: %s, not %s", name, (int)cycle, got, value);
}

Test(wave, puts_a_row_of_both_sides_into_its_cycle_and_nothing_beside_it) {
    write_and_open(NULL);
    expect_value("tpucosim.cw.valid", 100, "0");
    expect_value("tpucosim.cw.got_0", 100, "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
    expect_value("tpucosim.cw.valid", 101, "1");
    expect_value("tpucosim.cw.got_2", 101, "00000000000000000000000000000011");
    expect_value("tpucosim.cw.expected_2", 101, "00000000000000000000000000000011");
    expect_value("tpucosim.cw.got_2", 102, "00000000000000000000000000000011");
    expect_value("tpucosim.cw.expected_2", 102, "11111111111111111111111111111111");
    expect_value("tpucosim.cw.valid", 103, "0");
    expect_value("tpucosim.cw.expected_2", 103, "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
    expect_value("tpucosim.cw.index", 102, "00000000000000000000000000101001");
}

Test(wave, marks_only_what_differs) {
    write_and_open(NULL);
    expect_value("tpucosim.cw.differs", 101, "0");
    expect_value("tpucosim.cw.differs", 102, "1");
    expect_value("tpucosim.cw.lanes_differ", 102, "0100");
    expect_value("tpucosim.cw.differs", 103, "0");
    expect_value("tpucosim.cw.lanes_differ", 103, "0000");
    expect_value("tpucosim.cw.differs", 106, "0");
    expect_value("tpucosim.ac2sp.differs", 102, "0");
}

Test(wave, shows_a_row_that_nobody_expects_beside_an_unknown_one) {
    write_and_open(NULL);
    expect_value("tpucosim.cw.got_0", 107, "00000000000000000000000000000001");
    expect_value("tpucosim.cw.expected_0", 107, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    expect_value("tpucosim.cw.differs", 107, "1");
    expect_value("tpucosim.cw.lanes_differ", 107, "1111");
}

static void expect_row_that_never_came(verdict_diff diff) {
    static uint8_t window[VERDICT_WINDOW * 4 * T];
    static const int32_t due[T] = {9, 8, 7, 6};
    memcpy(window + 4 * T, due, sizeof due);
    from.seen.diff = diff;
    from.seen.stream = TPU_STREAM_CW;
    from.seen.cycle = 109;
    from.seen.row = 44;
    from.seen.window = (verdict_window){
        .first = 43, .rows = 2, .seen = 1, .row_bytes = 4 * T, .expected = window, .got = window};
    write_and_open(NULL);
    expect_value("tpucosim.cw.differs", 109, "1");
    expect_value("tpucosim.cw.valid", 109, "0");
    expect_value("tpucosim.cw.got_1", 109, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    expect_value("tpucosim.cw.expected_1", 109, "00000000000000000000000000001000");
}

Test(wave, shows_the_row_that_never_came_where_the_run_was_given_up) {
    expect_row_that_never_came(VERDICT_DIFF_MISSING);
}

Test(wave, shows_the_row_that_a_hang_owes) {
    from.seen.kind = VERDICT_HANG;
    expect_row_that_never_came(VERDICT_DIFF_STUCK);
}

Test(wave, raises_the_marker_at_the_divergence_and_says_why) {
    write_and_open(NULL);
    expect_value("tpucosim.verdict.diverged", 101, "0");
    expect_value("tpucosim.verdict.diverged", 102, "1");
    expect_value("tpucosim.verdict.diverged", 109, "1");
    expect_value("tpucosim.verdict.text", 101, " ");
    expect_value("tpucosim.verdict.text", 102, "lane 2 of cw is 3");
    expect_value("tpucosim.cycle", 105,
                 "0000000000000000000000000000000000000000000000000000000001101001");
}

Test(wave, names_the_instruction_that_a_unit_still_owes_from_its_issue_on) {
    write_and_open(NULL);
    expect_value("tpucosim.array.insn", 100, "pc 3: mm rows=2 vr_a=0 ar0=8 acc=0 spad_w=4");
    expect_value("tpucosim.array.pc", 102, "0000000000000011");
    expect_value("tpucosim.array.insn", 103, " "); // the next one is issued at 104
    expect_value("tpucosim.array.insn", 104, "pc 4 iv 5 6: mm rows=1 vr_a=2 ar0=9 acc=1 spad_w=5");
    expect_value("tpucosim.array.iv0", 104, "00000101");
    expect_value("tpucosim.array.iv1", 106, "00000110");
    expect_value("tpucosim.array.iv2", 106, "zzzzzzzz");
    expect_value("tpucosim.array.insn", 107, " ");
    expect_value("tpucosim.cw.insn", 102, "pc 3: mm rows=2 vr_a=0 ar0=8 acc=0 spad_w=4");
}

Test(wave, says_what_a_unit_does_and_waits_for) {
    write_and_open(NULL);
    expect_value("tpucosim.array.state", 102, "01");
    expect_value("tpucosim.array.waits_for", 102, " ");
    expect_value("tpucosim.array.state", 103, "10");
    expect_value("tpucosim.array.waits_for", 105, "acol");
    expect_value("tpucosim.array.wait", 105, "01010");
    expect_value("tpucosim.array.state", 106, "11");
    expect_value("tpucosim.array.waits_for", 109, "hazard");
    expect_value("tpucosim.accu.state", 109, "00");
}

Test(wave, keeps_everything_of_the_machine_on_the_same_time_axis) {
    write_machine();
    write_and_open(machine);
    expect_value("TOP.u_count.count_q", 100, "00000000");
    expect_value("TOP.u_count.count_q", 102, "00000010");
    expect_value("TOP.u_count.word", 102, "even");
    expect_value("TOP.u_count.word", 109, "odd");
    expect_value("tpucosim.cw.differs", 102, "1");
    cr_expect_eq(wave_file_first(file), FIRST * WAVE_CYCLE);
    cr_expect_eq(wave_file_last(file), (LAST + 1) * WAVE_CYCLE);
}

Test(wave, may_replace_the_file_that_it_reads) {
    (void)snprintf(machine, sizeof machine, "%s", path);
    write_machine();
    write_and_open(path);
    expect_value("TOP.u_count.count_q", 109, "00001001");
    expect_value("tpucosim.cw.valid", 101, "1");
}

Test(wave, refuses_a_machine_file_that_is_no_waveform_and_leaves_nothing) {
    tpu_message why = {{0}};
    cr_assert_eq(textfile_write(machine, "not a wave", 10, NULL), TPU_OK);
    cr_expect_eq(wave_write_window(&from, machine, path, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "no waveform") != NULL, "%s", why.text);
    cr_expect_eq(remove(path), -1);
}

Test(wave, fails_in_a_directory_that_is_not_there) {
    tpu_message why = {{0}};
    (void)snprintf(path, sizeof path, "%s/none/window.fst", directory);
    cr_expect_eq(wave_write_window(&from, NULL, path, &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "none/window.fst") != NULL, "%s", why.text);
}

static void expect_view(const char *end, const char *first, const char *second) {
    char *name = wave_view_path(path, end);
    char *text = NULL;
    cr_assert_eq(textfile_read(name, &text, NULL, NULL), TPU_OK, "%s", name);
    const char *at = strstr(text, first);
    cr_assert(at != NULL, "%s lacks %s", end, first);
    cr_expect(strstr(at, second) != NULL, "%s: no %s behind %s", end, second, first);
    free(text);
    free(name);
}

Test(wave, shows_the_verdict_then_the_stream_then_the_guilty_unit) {
    tpu_message why = {{0}};
    from.seen.stream = TPU_STREAM_CW;
    from.seen.unit = TPU_UNIT_ARRAY;
    write_and_open(NULL);
    cr_assert_eq(wave_view_write(&from, path, &why), TPU_OK, "%s", why.text);
    expect_view(".gtkw", "tpucosim.verdict.diverged", "tpucosim.cw.got[127:0]");
    expect_view(".gtkw", "tpucosim.cw.expected_3[31:0]", "tpucosim.array.insn");
    expect_view(".gtkw", "-its inputs", "tpucosim.wcol.differs");
    expect_view(".gtkw", "-neighbours", "tpucosim.accu.waits_for");
    expect_view(".gtkw", "*-6.500000 1020 1020 -1", "@");
    expect_view(".sucl", "cursor_set 1020", "variable_add tpucosim.cw.got_3\n");
}

Test(wave, shows_all_units_when_none_is_to_blame) {
    tpu_message why = {{0}};
    write_and_open(NULL);
    cr_assert_eq(wave_view_write(&from, path, &why), TPU_OK, "%s", why.text);
    expect_view(".gtkw", "-units", "tpucosim.sequencer.insn");
    expect_view(".gtkw", "tpucosim.sequencer.insn", "tpucosim.dma_st.insn");
}

Test(wave, puts_the_ends_of_names_in_place_of_fst) {
    char *name = wave_view_path("a.fst/b.fst", ".gtkw");
    cr_expect_str_eq(name, "a.fst/b.gtkw");
    free(name);
    name = wave_view_path("plain", ".sucl");
    cr_expect_str_eq(name, "plain.sucl");
    free(name);
}
