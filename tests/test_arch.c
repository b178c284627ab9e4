// SPDX-License-Identifier: Apache-2.0
//
// The functional model as a whole: header, control words, issue rows, row lengths, memories from
// run to run. Expected values are the instruction set's page's or worked out by hand.

#include "tests/support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

static rig at;

static void open_small(void) {
    rig_open(&at, 4, 16);
}

static void open_reference(void) {
    rig_open_reference(&at);
}

static void run_well(void) {
    tpu_status status = rig_run(&at);
    cr_assert_eq(status, TPU_OK, "%s", at.why.text);
}

static void close_rig(void) {
    rig_close(&at);
}

TestSuite(arch, .init = open_small, .fini = close_rig);

// ---- header and control words --------------------------------------------------------------

Test(arch, the_header_words_come_first_on_every_control_channel, .init = open_reference) {
    cr_assert_eq(rig_start(&at), TPU_OK, "%s", at.why.text);
    cr_assert_eq(record_total(&at.rows), 8);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_DLD, 0, 0, 8), 32);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_DLD, 1, 0, 8), 524296);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_SPM, 0, 0, 8), 36);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_SPM, 1, 0, 8), 2097156);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_VRU, 0, 0, 8), 48);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_ACC, 0, 0, 8), 64);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_DST, 0, 0, 8), 16);
    RIG_EXPECT_ROW(&at, TPU_STREAM_WCOL, 0, 0x04, 0x00, 0x20, 0x00); // 4 mm, 32 rows
}

Test(arch, the_array_counts_are_extended_with_zeros_to_a_wide_row) {
    rig_open(&at, 8, 16);
    at.program.word[4] = 0xFFFFFFFF00200004u;
    cr_assert_eq(rig_start(&at), TPU_OK, "%s", at.why.text);
    RIG_EXPECT_ROW(&at, TPU_STREAM_WCOL, 0, 0x04, 0x00, 0x20, 0x00, 0, 0, 0, 0);
}

// Row counts are the header's own numbers plus the words that each channel carries in front.
Test(arch, the_reference_gemm_emits_every_row_of_every_stream, .init = open_reference) {
    static const struct {
        tpu_stream stream;
        size_t count;
    } expected[] = {
        {TPU_STREAM_ISSUE, 12},        // 10 and one vrelu for each of two column tiles
        {TPU_STREAM_C_DLD, 2 + 4},     //
        {TPU_STREAM_C_SPM, 2 + 2 + 4}, // the B loads, the mm
        {TPU_STREAM_C_VRU, 1 + 2 + 4}, // the A loads, the mm
        {TPU_STREAM_C_ACC, 1 + 4 + 4}, // mm; vrelu and mvout
        {TPU_STREAM_C_DST, 1 + 2},     //
        {TPU_STREAM_DMA2SP, 16},       // 2 blocks of 8 rows
        {TPU_STREAM_DMA2VR, 16},       //
        {TPU_STREAM_SP2VR, 0},         //
        {TPU_STREAM_WCOL, 1 + 4 * 5},  // counts; 4 mm of one header and T weight rows
        {TPU_STREAM_ACOL, 32},         // mm_rows
        {TPU_STREAM_CW, 32},           //
        {TPU_STREAM_AC2SP, 16},        // dma_st_rows
        {TPU_STREAM_SPAD_WRITE, 16},   //
        {TPU_STREAM_VR_WRITE, 16},     //
        {TPU_STREAM_AR_WRITE_MM, 32},  //
        {TPU_STREAM_AR_WRITE_ALU, 16}, //
        {TPU_STREAM_C_WRITE, 16},      //
    };
    run_well();
    cr_assert_eq(sizeof expected / sizeof expected[0], TPU_STREAM_COUNT);
    for (size_t i = 0; i < TPU_STREAM_COUNT; i++) {
        cr_expect_eq(record_count(&at.rows, expected[i].stream), expected[i].count, "stream %d",
                     (int)expected[i].stream);
    }
}

Test(arch, the_reference_gemm_computes_relu_of_the_product, .init = open_reference) {
    int8_t a[64 * 64] = {0};
    int8_t b[64 * 64] = {0};
    for (int i = 0; i < 64 * 64; i++) {
        a[i] = (int8_t)(i * 7 % 11 - 5);
        b[i] = (int8_t)(i * 5 % 13 - 6);
    }
    arch_set_memory(at.model, TPU_MEM_A, a, sizeof a);
    arch_set_memory(at.model, TPU_MEM_B, b, sizeof b);
    run_well();
    const int8_t *c = (const int8_t *)rig_memory(&at, TPU_MEM_C);
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < 8; j++) {
            int sum = 0;
            for (size_t k = 0; k < 8; k++) {
                sum += a[i * 64 + k] * b[k * 64 + j];
            }
            int expected = sum < 0 ? 0 : sum > 127 ? 127 : sum;
            cr_expect_eq(c[i * 64 + j], expected, "cell %zu,%zu", i, j);
        }
    }
}

Test(arch, mm_reaches_the_scratchpad_with_its_own_count_and_the_array_rows,
     .init = open_reference) {
    run_well();
    // First mm: nr = 8. spm gets nr = T + 1 = 5 and f1 = 8; vru and accu get the word as it is.
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_SPM, 4, 0, 8), 0x0140000000200004u);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_VRU, 3, 0, 8), 0x0200000000000004u);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_ACC, 1, 0, 8), 0x0200000000000004u);
    // Accumulating mm of the second column tile: f0 = 64, f1 = 0, f2 = 1, f3 = 4 + 64 = 68.
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_SPM, 7, 0, 8), 0x0141100040201004u);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_VRU, 6, 0, 8), 0x0201100040001004u);
    RIG_EXPECT_ROW(&at, TPU_STREAM_WCOL, 1, 8, 0, 0, 0); // its header row in the array
}

Test(arch, vadd_and_vaddrelu_reach_accu_with_two_steps_a_row) {
    rig_add(&at, DMA_LD, 16, 2, 0, 0, 0);
    rig_add(&at, DMA_LD, 16, 0, 0, 0, 0);
    for (unsigned i = 0; i < 8; i++) {
        rig_add(&at, MM, 16, 0, 16 * i, 0, 0);
    }
    rig_add(&at, VADD, 127, 0, 0, 0, 0);
    rig_add(&at, VADDRELU, 3, 10, 20, 30, 0);
    run_well();
    // 254 uses all eight bits of nr.
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_ACC, 9, 0, 8), (uint64_t)254 << 54 | 5);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_ACC, 10, 0, 8),
                 (uint64_t)6 << 54 | (uint64_t)30 << 30 | 20u << 18 | 10u << 6 | 10);
}

// ---- issue rows ----------------------------------------------------------------------------

Test(arch, an_issue_row_carries_resolved_fields_and_open_induction_values) {
    rig_add(&at, LOOP, 2, 0, 0, 0, 0);
    rig_add(&at, LOOP, 3, 0, 0, 0, 0);
    rig_add(&at, DMA_LD, 1, 2, 1, 0, 5);
    handcode_term(&at.program, 0, 2, 0, 4);
    handcode_term(&at.program, 1, 4, 1, 7);
    handcode_term(&at.program, 2, 3, 1, 1);
    rig_add(&at, ENDLOOP, 0, 0, 0, 0, 0);
    rig_add(&at, NOP, 0, 0, 0, 0, 0);
    rig_add(&at, ENDLOOP, 0, 0, 0, 0, 0);
    run_well();
    cr_assert_eq(record_count(&at.rows, TPU_STREAM_ISSUE), 8);
    // Outer 0, inner 2: f1 = 1, f2 = 2, f3 = 5 + 14 = 19.
    RIG_EXPECT_ROW(&at, TPU_STREAM_ISSUE, 2, 2, 0, 1, 1, 2, 0, 1, 0, 2, 0, 19, 0, 0, 2, 0, 0);
    // The nop stands in the outer loop only: level 1 is closed and shows 0.
    RIG_EXPECT_ROW(&at, TPU_STREAM_ISSUE, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    // Outer 1, inner 1: f1 = 5, f2 = 1, f3 = 12.
    RIG_EXPECT_ROW(&at, TPU_STREAM_ISSUE, 5, 2, 0, 1, 1, 2, 0, 5, 0, 1, 0, 12, 0, 1, 1, 0, 0);
    RIG_EXPECT_ROW(&at, TPU_STREAM_ISSUE, 7, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
}

Test(arch, a_nop_shows_in_the_issue_stream_only) {
    rig_add(&at, NOP, 0, 0, 0, 0, 0);
    run_well();
    cr_expect_eq(record_total(&at.rows), 8 + 1);
    cr_expect_eq(record_count(&at.rows, TPU_STREAM_ISSUE), 1);
}

// ---- shapes --------------------------------------------------------------------------------

Test(arch, every_row_has_the_length_that_its_stream_declares, .init = open_reference) {
    run_well();
    for (size_t s = 0; s < TPU_STREAM_COUNT; s++) {
        size_t expected = tpu_streams[s].head_bytes + 4u * tpu_streams[s].lane_bytes;
        for (size_t i = 0; i < record_count(&at.rows, (tpu_stream)s); i++) {
            cr_expect_eq(record_bytes(&at.rows, (tpu_stream)s, i), expected);
        }
    }
}

Test(arch, an_odd_width_works_like_any_other) {
    rig_open(&at, 5, 20);
    int8_t a[400] = {2, 0, 0, 0, -3};
    int8_t b[400] = {0};
    for (size_t j = 0; j < 5; j++) {
        b[j] = (int8_t)(10 * (int)j);
        b[4 * 20 + j] = (int8_t)j;
    }
    arch_set_memory(at.model, TPU_MEM_A, a, sizeof a);
    arch_set_memory(at.model, TPU_MEM_B, b, sizeof b);
    rig_add(&at, DMA_LD, 1, 2, 0, 0, 0);
    rig_add(&at, DMA_LD, 5, 1, 0, 0, 0);
    rig_add(&at, MM, 1, 0, 0, 0, 0);
    rig_add(&at, MVOUT, 1, 0, 19, 3, 0);
    run_well();
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_SPM, 3, 0, 8) >> 54, 6);
    RIG_EXPECT_ROW(&at, TPU_STREAM_C_WRITE, 0, 19, 0, 3, 0, 0, 17, 34, 51, 68); // 20j - 3j
}

Test(arch, the_generated_names_match_the_fields_that_the_model_uses) {
    static const struct {
        tpu_op op;
        const char *names[4];
    } expected[] = {
        {TPU_OP_DMA_LD, {"mode", "dram_row0", "col_block", "dst_row0"}},
        {TPU_OP_VLD, {"vr0", "spad0", NULL, NULL}},
        {TPU_OP_MM, {"vr_a", "ar0", "acc", "spad_w"}},
        {TPU_OP_VADD, {"ar_d", "ar_s1", "ar_s2", NULL}},
        {TPU_OP_VRELU, {"ar_d", "ar_s", NULL, NULL}},
        {TPU_OP_MVOUT, {"ar0", "dram_row0", "col_block", NULL}},
        {TPU_OP_VADDRELU, {"ar_d", "ar_s1", "ar_s2", NULL}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        for (size_t f = 0; f < 4; f++) {
            const char *name = tpu_ops[expected[i].op].operand[f].name;
            const char *wanted = expected[i].names[f];
            cr_expect(wanted == NULL ? name == NULL : name != NULL && strcmp(name, wanted) == 0,
                      "opcode %d f%zu", (int)expected[i].op, f);
        }
    }
}

// ---- state from run to run -----------------------------------------------------------------

Test(arch, memories_show_their_size_and_what_was_put_there) {
    static const struct {
        tpu_mem memory;
        size_t bytes;
    } sizes[] = {{TPU_MEM_SPAD, 256}, {TPU_MEM_VR, 256}, {TPU_MEM_AR, 2048}, {TPU_MEM_A, 256},
                 {TPU_MEM_B, 256},    {TPU_MEM_C, 256},  {TPU_MEM_IMEM, 0}};
    const uint8_t mark[3] = {9, 8, 7};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t bytes = 1;
        const uint8_t *data = arch_memory(at.model, sizes[i].memory, &bytes);
        cr_assert_eq(bytes, sizes[i].bytes);
        for (size_t k = 0; k < bytes; k++) {
            cr_assert_eq(data[k], 0);
        }
        if (bytes > 0) {
            arch_set_memory(at.model, sizes[i].memory, mark, sizeof mark);
            cr_expect_arr_eq(data, mark, sizeof mark);
        }
    }
}

Test(arch, an_image_that_cannot_be_decoded_is_refused) {
    rig_add(&at, NOP, 0, 0, 0, 0, 0);
    tpu_status status =
        arch_start(at.model, at.program.word, at.program.count - 1, record_take, &at.rows, &at.why);
    cr_expect_eq(status, TPU_REFUSED);
    at.program.word[8] = (uint64_t)1 << 63; // a bit outside every field
    status =
        arch_start(at.model, at.program.word, at.program.count, record_take, &at.rows, &at.why);
    cr_expect_eq(status, TPU_REFUSED);
    cr_expect_eq(record_total(&at.rows), 0);
}

Test(arch, a_destroyed_nothing_is_nothing) {
    arch_destroy(NULL);
}
