// SPDX-License-Identifier: Apache-2.0
//
// Rows of an 8x8x8 GEMM (T = 4, looped, relu; see lockstep_rig.h) spoilt as a faulty unit would
// spoil them, with the unit, element and words that a person would find. Addresses are those of
// the program in the rig: A lies in vr rows 0..7 and 64..71, a column block each, B in spad.

#include "harness/lockstep/lockstep.h"

#include "tests/support/lockstep_rig.h"

#include <criterion/criterion.h>

#include <string.h>

static lockstep_rig rig;
static uint8_t kept[16]; // for edits that need a row seen before

static void set_up(void) {
    lockstep_rig_create(&rig);
}

static void tear_down(void) {
    lockstep_rig_destroy(&rig);
}

TestSuite(blame, .init = set_up, .fini = tear_down, .timeout = 20);

static void edit(void (*how)(tpu_stream stream, uint64_t index, uint8_t *row)) {
    const fake_fault fault = {.kind = FAKE_FAULT_EDIT, .edit = how};
    lockstep_rig_run(&rig, &fault);
    cr_assert_eq(rig.out.kind, VERDICT_MISMATCH, "%s", rig.out.sentence.text);
}

static void expect_note(const char *words) {
    bool found = false;
    for (size_t i = 0; i < rig.out.note_count; i++) {
        found = found || strstr(rig.out.note[i].text, words) != NULL;
    }
    cr_expect(found, "wanted \"%s\"; %zu notes, first \"%s\"", words, rig.out.note_count,
              rig.out.note_count > 0 ? rig.out.note[0].text : "");
}

static int32_t get_word(const uint8_t *at) {
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

static void add_word(uint8_t *at, int32_t value) {
    uint32_t sum = (uint32_t)get_word(at) + (uint32_t)value;
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(sum >> 8 * i);
    }
}

// Lane `lane` of row `row` of block `block` of A, as the mms take it.
static int32_t a_at(uint32_t row, uint32_t block, uint32_t lane) {
    return (int8_t)rig.a[row * 64 + block * 4 + lane];
}

// ---- where a row was read -----------------------------------------------------------------------

static void read_three_rows_on(tpu_stream stream, uint64_t index, uint8_t *row) {
    // Row 9 of acol is row 1 of the second mm: vr row 65. What comes is vr row 68.
    if (stream == TPU_STREAM_ACOL && index == 9) {
        for (uint32_t lane = 0; lane < 4; lane++) {
            row[lane] = (uint8_t)a_at(4, 1, lane);
        }
    }
}

Test(blame, names_the_row_that_was_read_instead) {
    edit(read_three_rows_on);
    cr_expect_eq(rig.out.unit, TPU_UNIT_VRU);
    expect_note("it is row 68 of vr; row 65 is asked for, 3 rows further on");
    expect_note("its lanes are those of row 12 of acol, 3 rows later");
}

static void read_another_block(tpu_stream stream, uint64_t index, uint8_t *row) {
    // Row 2 of dma2vr is row 2, block 0 of A; what comes is row 2, block 1.
    if (stream == TPU_STREAM_DMA2VR && index == 2) {
        for (uint32_t lane = 0; lane < 4; lane++) {
            row[lane] = (uint8_t)a_at(2, 1, lane);
        }
    }
}

Test(blame, names_the_place_in_the_matrix_that_was_read_instead) {
    edit(read_another_block);
    cr_expect_eq(rig.out.unit, TPU_UNIT_DMA_LD);
    expect_note("it is row 2, column block 1 of A; row 2, block 0 is asked for");
}

static void read_what_was_there(tpu_stream stream, uint64_t index, uint8_t *row) {
    if (stream == TPU_STREAM_ACOL && index == 10) {
        memcpy(row, kept, 4);
    }
}

Test(blame, recognises_what_a_row_held_before_the_run) {
    // Row 10 of acol is vr row 66. Run once with another A; the second run reads the first one's.
    for (uint32_t lane = 0; lane < 4; lane++) {
        rig.a[2 * 64 + 4 + lane] = (uint8_t)(100 + lane);
        kept[lane] = (uint8_t)(100 + lane);
    }
    lockstep_rig_run(&rig, NULL);
    cr_assert_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    for (uint32_t lane = 0; lane < 4; lane++) {
        rig.a[2 * 64 + 4 + lane] = (uint8_t)lane;
    }
    edit(read_what_was_there);
    expect_note("it is what row 66 of vr still held from before this run");
}

static void read_the_sum_before(tpu_stream stream, uint64_t index, uint8_t *row) {
    // ar row 3 is written by the first mm, the second mm and the vrelu: rows 3 and 11 of
    // ar.write.mm, row 3 of ar.write.alu. ac2sp row 3 shows it; here as it was before the vrelu.
    if (stream == TPU_STREAM_AR_WRITE_MM && index == 11) {
        for (int lane = 0; lane < 4; lane++) {
            int32_t value = get_word(row + 2 + 4 * lane);
            kept[lane] = (uint8_t)(value > 127 ? 127 : value < -128 ? -128 : value);
        }
    }
}

static void show_the_sum_before(tpu_stream stream, uint64_t index, uint8_t *row) {
    if (stream == TPU_STREAM_AC2SP && index == 3) {
        memcpy(row, kept, 4);
    }
}

Test(blame, recognises_what_a_row_held_before_its_last_write) {
    const fake_fault look = {.kind = FAKE_FAULT_EDIT, .edit = read_the_sum_before};
    lockstep_rig_run(&rig, &look); // changes nothing
    cr_assert_eq(rig.out.kind, VERDICT_OK, "%s", rig.out.sentence.text);
    edit(show_the_sum_before);
    expect_note("it is what row 3 of ar held before it was written last");
}

// ---- the array ----------------------------------------------------------------------------------

static void other_weight(tpu_stream stream, uint64_t index, uint8_t *row) {
    // Rows 16..23 of cw: the third mm, activations of block 0. PE(2,1) has 5 more than its weight.
    if (stream == TPU_STREAM_CW && index >= 16 && index < 24) {
        add_word(row + 4, 5 * a_at((uint32_t)index - 16, 0, 2));
    }
}

Test(blame, names_the_element_with_another_weight) {
    edit(other_weight);
    cr_expect_eq(rig.out.stream, TPU_STREAM_CW);
    cr_expect_eq(rig.out.unit, TPU_UNIT_ARRAY);
    cr_expect_eq(rig.out.pe_row, 2, "PE(%d,%d)", rig.out.pe_row, rig.out.pe_col);
    cr_expect_eq(rig.out.pe_col, 1);
    expect_note("PE(2,1) multiplies by ");
}

static void weights_of_the_mm_before(tpu_stream stream, uint64_t index, uint8_t *row) {
    // The second mm (rows 8..15) takes block 1 of A with rows 4..7 of B, columns 0..3; with the
    // weights of the first it is rows 0..3 of B.
    if (stream != TPU_STREAM_CW || index < 8 || index >= 16) {
        return;
    }
    for (uint32_t j = 0; j < 4; j++) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < 4; i++) {
            sum += a_at((uint32_t)index - 8, 1, i) * (int8_t)rig.b[i * 64 + j];
        }
        add_word(row + 4 * j, sum - get_word(row + 4 * j));
    }
}

Test(blame, recognises_the_weights_of_the_mm_before) {
    edit(weights_of_the_mm_before);
    expect_note("every PE still multiplies by the weight of the mm before");
    cr_expect_eq(rig.out.pe_row, -1);
}

// ---- operands, fields, shapes -------------------------------------------------------------------

static void base_left_out(tpu_stream stream, uint64_t index, uint8_t *row) {
    // The second mm adds to rows 0..7: rows 8..15 of ar.write.mm. Row 11 holds the sums alone.
    if (stream == TPU_STREAM_CW && index == 11) {
        memcpy(kept, row, 16);
    }
    if (stream == TPU_STREAM_AR_WRITE_MM && index == 11) {
        memcpy(row + 2, kept, 16);
    }
}

Test(blame, sees_that_an_operand_is_left_out) {
    edit(base_left_out);
    cr_expect_eq(rig.out.unit, TPU_UNIT_ACCU);
    expect_note("it is the right operand as it stands: the left one was left out");
}

static void term_left_out(tpu_stream stream, uint64_t index, uint8_t *row) {
    // Issue 8: mm with spad_w = 0 + iv0 * 64; f3 stands at byte 10.
    if (stream == TPU_STREAM_ISSUE && index == 8) {
        row[10] = 0;
    }
}

Test(blame, names_the_address_term_that_is_left_out) {
    edit(term_left_out);
    cr_expect_eq(rig.out.unit, TPU_UNIT_SEQUENCER);
    expect_note("f3 is as written: no address term was added");
}

static void one_turn_ahead(tpu_stream stream, uint64_t index, uint8_t *row) {
    // The same field with iv0 = 2 instead of 1: 128 instead of 64.
    if (stream == TPU_STREAM_ISSUE && index == 8) {
        row[10] = 128;
    }
}

Test(blame, names_the_counter_that_is_ahead) {
    edit(one_turn_ahead);
    expect_note("iv0 is one ahead in term 0 (f3 += iv0 * 64)");
}

static void base_ignored(tpu_stream stream, uint64_t index, uint8_t *row) {
    // Rows 8..15 of vr.write go to 64..71; here they go to 0..7. The row stands at byte 0.
    if (stream == TPU_STREAM_VR_WRITE && index >= 8) {
        row[0] = (uint8_t)(index - 8);
    }
}

Test(blame, sees_that_a_base_address_is_left_out) {
    edit(base_ignored);
    cr_expect_eq(rig.out.unit, TPU_UNIT_VRU);
    expect_note("the row counts from 0: the base of the instruction is left out");
}

static void slip(tpu_stream stream, uint64_t index, uint8_t *row) {
    // A diagonal: lane 0 of row 8, lane 1 of row 9, ... of cw.
    if (stream == TPU_STREAM_CW && index >= 8 && index < 12) {
        add_word(row + 4 * (index - 8), 1000);
    }
}

Test(blame, sees_a_diagonal) {
    edit(slip);
    cr_expect_eq(rig.out.shape, VERDICT_SHAPE_DIAGONAL);
    expect_note("a slip in time");
}

// ---- several at once ----------------------------------------------------------------------------

static uint64_t weight_write; // row of spad.write that comes in the cycle of acol's first row

static void two_at_once(tpu_stream stream, uint64_t index, uint8_t *row) {
    bool chosen = (stream == TPU_STREAM_ACOL && index == 0) ||
                  (stream == TPU_STREAM_SPAD_WRITE && index == weight_write);
    if (chosen) {
        row[3] ^= 1;
    }
}

Test(blame, prefers_the_unit_upstream_of_two_that_differ_in_one_cycle) {
    // With no delays the rows of an issue come one a cycle, and those of the next issues beside.
    fake_engine_schedule(rig.device, 1, 0);
    lockstep_rig_run(&rig, NULL);
    uint64_t when = fake_engine_cycle_of(rig.device, TPU_STREAM_ACOL, 0);
    weight_write = 0;
    while (weight_write < 16 &&
           fake_engine_cycle_of(rig.device, TPU_STREAM_SPAD_WRITE, weight_write) != when) {
        weight_write++;
    }
    cr_assert_lt(weight_write, 16u);
    edit(two_at_once);
    cr_expect_eq(rig.out.cycle, when);
    cr_expect_eq(rig.out.stream, TPU_STREAM_SPAD_WRITE, "%s", rig.out.sentence.text);
    cr_expect_eq(rig.out.unit, TPU_UNIT_SPM);
    cr_expect_eq(rig.out.row, weight_write);
    cr_expect_eq(rig.out.beside, 1u << TPU_STREAM_ACOL);
}

// ---- inputs -------------------------------------------------------------------------------------

Test(blame, counts_the_rows_that_a_wrong_row_is_made_from) {
    // cw row 19 is row 3 of the third mm: wcol has its counts and 3 times header and 4 rows, acol
    // the 16 rows of two mms and 4 of this one.
    const fake_fault fault = {
        .kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_CW, .event = 19, .bit = 9};
    lockstep_rig_run(&rig, &fault);
    cr_assert_eq(rig.out.input_count, 2u);
    cr_expect_eq(rig.out.input[0].stream, TPU_STREAM_WCOL);
    cr_expect_eq(rig.out.input[0].needed, 16u);
    cr_expect_eq(rig.out.input[1].stream, TPU_STREAM_ACOL);
    cr_expect_eq(rig.out.input[1].needed, 20u);
}

Test(blame, follows_missing_rows_up_to_the_unit_that_has_its_inputs) {
    // The run ends with nothing shown: everything is missing, and only the sequencer needs nothing.
    const fake_fault fault = {.kind = FAKE_FAULT_SILENT};
    lockstep_rig_run(&rig, &fault);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_MISSING);
    cr_expect_eq(rig.out.unit, TPU_UNIT_SEQUENCER);
}

// ---- standing still -----------------------------------------------------------------------------

static void hang(tpu_stream stream, uint64_t event, const probe_unit units[TPU_UNIT_COUNT]) {
    const fake_fault fault = {
        .kind = FAKE_FAULT_HANG, .stream = stream, .event = event, .units = units};
    lockstep_rig_run(&rig, &fault);
    cr_assert_eq(rig.out.kind, VERDICT_HANG);
}

Test(blame, does_not_believe_a_unit_that_finds_no_room_in_an_empty_channel) {
    // cw has 9 rows and ar.write.mm has all 9 of them: nothing lies in between.
    static const probe_unit units[TPU_UNIT_COUNT] = {
        [TPU_UNIT_ARRAY] = {.state = PROBE_BLOCKED, .wait = TPU_STREAM_CW},
        [TPU_UNIT_ACCU] = {.state = PROBE_STARVED, .wait = TPU_STREAM_CW}};
    hang(TPU_STREAM_CW, 9, units);
    cr_expect_eq(rig.out.unit, TPU_UNIT_ARRAY);
    cr_expect_eq(rig.out.held[TPU_STREAM_CW], 0u);
    expect_note("array finds no room in cw and accu finds no row there");
}

Test(blame, follows_a_full_channel_to_the_reader_that_does_not_take) {
    // The model gives cw row k and then ar.write.mm row k: stopped at the latter, one row lies in
    // cw. The array owes the next one and says that it finds no room.
    static const probe_unit units[TPU_UNIT_COUNT] = {
        [TPU_UNIT_ARRAY] = {.state = PROBE_BLOCKED, .wait = TPU_STREAM_CW},
        [TPU_UNIT_ACCU] = {.state = PROBE_STARVED, .wait = TPU_STREAM_CW}};
    hang(TPU_STREAM_AR_WRITE_MM, 9, units);
    cr_expect_eq(rig.out.unit, TPU_UNIT_ACCU);
    cr_expect_eq(rig.out.stream, TPU_STREAM_AR_WRITE_MM);
    cr_expect_geq(rig.out.held[TPU_STREAM_CW], 1u);
}

Test(blame, goes_upstream_to_the_unit_that_owes_the_input) {
    // Weights stop before the second mm (wcol row 6 of 21, its header). The array says that it
    // works; its input is not there.
    static const probe_unit units[TPU_UNIT_COUNT] = {
        [TPU_UNIT_SPM] = {.state = PROBE_IDLE},
        [TPU_UNIT_ARRAY] = {.state = PROBE_BUSY},
        [TPU_UNIT_ACCU] = {.state = PROBE_STARVED, .wait = TPU_STREAM_CW}};
    hang(TPU_STREAM_WCOL, 6, units);
    cr_expect_eq(rig.out.unit, TPU_UNIT_SPM);
    cr_expect_eq(rig.out.stream, TPU_STREAM_WCOL);
    cr_expect_eq(rig.out.row, 6u);
    expect_note("spm owes a row and has all that it needs; it says that it is idle");
}

Test(blame, sees_a_circle) {
    static const probe_unit units[TPU_UNIT_COUNT] = {
        [TPU_UNIT_SPM] = {.state = PROBE_BLOCKED, .wait = TPU_STREAM_WCOL},
        [TPU_UNIT_VRU] = {.state = PROBE_STARVED, .wait = TPU_STREAM_SP2VR},
        [TPU_UNIT_ARRAY] = {.state = PROBE_STARVED, .wait = TPU_STREAM_ACOL}};
    hang(TPU_STREAM_ACOL, 9, units);
    expect_note("the waits form a circle");
    cr_expect_eq(rig.out.unit, TPU_UNIT_VRU);
}

// ---- who stands alone ---------------------------------------------------------------------------

static tpu_stream spoilt;

static void spoil_the_model(void *user, tpu_stream stream, uint64_t index, uint8_t *row,
                            size_t bytes) {
    (void)user;
    if (stream == spoilt && index == 2) {
        row[bytes - 1] ^= 1;
    }
}

static void start_again(void) {
    lockstep_rig_destroy(&rig);
    lockstep_rig_create(&rig);
}

Test(blame, tells_a_wrong_model_from_a_wrong_machine_by_the_row_itself) {
    // C never differs here: only the row does, on the model's side or on the machine's.
    for (int s = TPU_STREAM_C_DLD; s < TPU_STREAM_COUNT; s++) {
        if (s == TPU_STREAM_SP2VR) {
            continue; // never written by a GEMM
        }
        start_again();
        spoilt = (tpu_stream)s;
        rig.hooks.expected_row = spoil_the_model;
        lockstep_rig_run(&rig, NULL);
        cr_expect_eq(rig.out.vote, VERDICT_VOTE_MODEL, "%s: %s", tpu_streams[s].name,
                     verdict_vote_text(rig.out.vote));
        start_again();
        const fake_fault fault = {.kind = FAKE_FAULT_FLIP, .stream = s, .event = 2, .bit = 0};
        lockstep_rig_run(&rig, &fault);
        cr_expect_eq(rig.out.vote, VERDICT_VOTE_MACHINE, "%s: %s", tpu_streams[s].name,
                     verdict_vote_text(rig.out.vote));
    }
}

// ---- after the run ------------------------------------------------------------------------------

static void exchange_rows_of_c(void *user, uint8_t *c, size_t bytes) {
    (void)user;
    (void)bytes;
    uint8_t block[4] = {11, 12, 13, 14}; // nothing that is anywhere else
    memcpy(c + 3 * 64, c, 4);
    memcpy(c, block, 4);
}

Test(blame, sees_that_a_block_of_c_stands_elsewhere) {
    rig.hooks.expected_c = exchange_rows_of_c;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_C_INSIDE);
    cr_expect_eq(rig.out.unit, TPU_UNIT_DMA_ST);
    expect_note("it holds what belongs to C[3][0..]: written to the wrong place");
}

static void want_a_write(void *user, uint8_t *c, size_t bytes) {
    (void)user;
    (void)bytes;
    c[20 * 64 + 5] ^= 0x55; // the program never writes there
}

Test(blame, sees_that_a_block_is_as_it_was_before_the_run) {
    rig.hooks.expected_c = want_a_write;
    lockstep_rig_run(&rig, NULL);
    cr_expect_eq(rig.out.row, 20u);
    expect_note("it holds what was there before the run");
}

Test(blame, says_where_the_program_stood_when_a_fault_was_raised) {
    // The fake machine ends its run as it should and then shows a fault at pc 0.
    const fake_fault fault = {.kind = FAKE_FAULT_RAISED, .value = TPU_RULE_OP_UNKNOWN};
    lockstep_rig_run(&rig, &fault);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_FAULT);
    expect_note("the program has issued all of its 12 instructions; the machine goes on at pc 0");
}

Test(blame, asks_who_is_wrong_about_a_header) {
    const fake_fault fault = {.kind = FAKE_FAULT_RAISED, .value = TPU_FAULT_HEADER};
    uint64_t words[64];
    lockstep_rig_run(&rig, &fault);
    cr_expect_eq(rig.out.vote, VERDICT_VOTE_MACHINE); // the header is right
    start_again();
    memcpy(words, rig.job.words, rig.job.word_count * sizeof words[0]);
    words[6]++; // one row too many promised to dma_st; the fake machine does not mind
    rig.job.words = words;
    lockstep_rig_run(&rig, &fault);
    cr_expect_eq(rig.out.vote, VERDICT_VOTE_MODEL);
    expect_note("header word 6 is not what the instructions add up to");
}

Test(blame, takes_the_writer_of_the_channel_whose_assertion_failed) {
    const fake_fault fault = {.kind = FAKE_FAULT_ASSERTION};
    lockstep_rig_run(&rig, &fault);
    cr_expect_eq(rig.out.diff, VERDICT_DIFF_ASSERTION);
    cr_expect_eq(rig.out.unit, TPU_UNIT_VRU); // of acol
    expect_note("a writer takes back what it offered");
}

Test(blame, keeps_what_it_suggests_out_of_the_signature) {
    edit(other_weight);
    verdict_signature with = verdict_signature_of(&rig.out);
    rig.out.note_count = 0;
    rig.out.pe_row = 0;
    rig.out.input_count = 0;
    rig.out.beside = 7;
    verdict_signature without = verdict_signature_of(&rig.out);
    cr_expect(verdict_signature_equal(&with, &without));
}
