// SPDX-License-Identifier: Apache-2.0
//
// What each opcode does to the rows: loads, copies, the array, the accumulators, the way out.
// Expected values are worked out by hand.

#include "tests/support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

static rig at;

static void open_small(void) {
    rig_open(&at, 4, 16);
}

static void run_well(void) {
    tpu_status status = rig_run(&at);
    cr_assert_eq(status, TPU_OK, "%s", at.why.text);
}

static void close_rig(void) {
    rig_close(&at);
}

TestSuite(actions, .init = open_small, .fini = close_rig);

static void fill_matrices(void) {
    int8_t a[256];
    int8_t b[256];
    for (int i = 0; i < 256; i++) {
        a[i] = (int8_t)(i - 128);
        b[i] = (int8_t)(127 - i);
    }
    arch_set_memory(at.model, TPU_MEM_A, a, sizeof a);
    arch_set_memory(at.model, TPU_MEM_B, b, sizeof b);
}

Test(actions, a_load_takes_matrix_and_destination_from_its_mode) {
    fill_matrices();
    rig_add(&at, DMA_LD, 2, 0, 3, 1, 60); // A -> spad
    rig_add(&at, DMA_LD, 1, 1, 15, 3, 7); // B -> spad
    rig_add(&at, DMA_LD, 1, 2, 0, 0, 63); // A -> vr
    rig_add(&at, DMA_LD, 1, 3, 2, 2, 0);  // B -> vr
    run_well();
    // A row 3 starts at 48; block 1 is columns 4..7: 52 - 128 = -76 = 0xB4.
    RIG_EXPECT_ROW(&at, TPU_STREAM_DMA2SP, 0, 0xB4, 0xB5, 0xB6, 0xB7);
    RIG_EXPECT_ROW(&at, TPU_STREAM_SPAD_WRITE, 0, 60, 0, 0xB4, 0xB5, 0xB6, 0xB7);
    RIG_EXPECT_ROW(&at, TPU_STREAM_SPAD_WRITE, 1, 61, 0, 0xC4, 0xC5, 0xC6, 0xC7);
    // B row 15 block 3: 127 - 252 = -125 = 0x83.
    RIG_EXPECT_ROW(&at, TPU_STREAM_SPAD_WRITE, 2, 7, 0, 0x83, 0x82, 0x81, 0x80);
    RIG_EXPECT_ROW(&at, TPU_STREAM_DMA2VR, 0, 0x80, 0x81, 0x82, 0x83);
    RIG_EXPECT_ROW(&at, TPU_STREAM_VR_WRITE, 0, 63, 0, 1, 0x80, 0x81, 0x82, 0x83);
    // B row 2 block 2: 127 - 40 = 87 = 0x57.
    RIG_EXPECT_ROW(&at, TPU_STREAM_VR_WRITE, 1, 0, 0, 1, 0x57, 0x56, 0x55, 0x54);
    cr_expect_eq(record_count(&at.rows, TPU_STREAM_C_SPM), 2 + 2);
    cr_expect_eq(record_count(&at.rows, TPU_STREAM_C_VRU), 1 + 2);
    cr_expect_eq(rig_memory(&at, TPU_MEM_SPAD)[61 * 4 + 3], 0xC7);
    cr_expect_eq(rig_memory(&at, TPU_MEM_VR)[3], 0x54);
}

Test(actions, a_copy_carries_the_written_flag_with_the_row) {
    const uint8_t stale[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    arch_set_memory(at.model, TPU_MEM_SPAD, stale, sizeof stale);
    fill_matrices();
    rig_add(&at, DMA_LD, 1, 0, 0, 0, 1); // spad row 1; row 0 stays unwritten
    rig_add(&at, VLD, 2, 30, 0, 0, 0);
    run_well();
    RIG_EXPECT_ROW(&at, TPU_STREAM_SP2VR, 0, 0, 1, 2, 3, 4);
    RIG_EXPECT_ROW(&at, TPU_STREAM_SP2VR, 1, 1, 0x80, 0x81, 0x82, 0x83);
    RIG_EXPECT_ROW(&at, TPU_STREAM_VR_WRITE, 0, 30, 0, 0, 1, 2, 3, 4);
    RIG_EXPECT_ROW(&at, TPU_STREAM_VR_WRITE, 1, 31, 0, 1, 0x80, 0x81, 0x82, 0x83);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_SPM, 3, 0, 8),
                 (uint64_t)2 << 54 | 30u << 6 | 3);
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_C_VRU, 1, 0, 8),
                 (uint64_t)2 << 54 | 30u << 6 | 3);
}

// A (2 rows) into vr 0.., B (4 rows) into spad 0..
static void load_tile(const int8_t activations[2][4], const int8_t weights[4][4]) {
    int8_t a[256] = {0};
    int8_t b[256] = {0};
    for (size_t i = 0; i < 4; i++) {
        if (i < 2) {
            memcpy(a + 16 * i, activations[i], 4);
        }
        memcpy(b + 16 * i, weights[i], 4);
    }
    arch_set_memory(at.model, TPU_MEM_A, a, sizeof a);
    arch_set_memory(at.model, TPU_MEM_B, b, sizeof b);
    rig_add(&at, DMA_LD, 2, 2, 0, 0, 0);
    rig_add(&at, DMA_LD, 4, 1, 0, 0, 0);
}

static const int8_t small_activations[2][4] = {{1, 2, 3, 4}, {-1, 0, 0, 10}};
static const int8_t small_weights[4][4] = {
    {1, 0, -1, 5}, {0, 1, -1, 5}, {2, 0, -1, 5}, {0, 3, -1, -128}};
// Column j = sum over i of act[i] * w[i][j].
static const int32_t small_product[2][4] = {{7, 14, -10, -482}, {-1, 30, -9, -1285}};

Test(actions, output_column_j_sums_activation_lane_i_times_weight_row_i) {
    load_tile(small_activations, small_weights);
    rig_add(&at, MM, 2, 0, 40, 0, 0);
    run_well();
    RIG_EXPECT_ROW(&at, TPU_STREAM_WCOL, 1, 2, 0, 0, 0);
    RIG_EXPECT_ROW(&at, TPU_STREAM_WCOL, 2, 1, 0, 0xFF, 5);
    RIG_EXPECT_ROW(&at, TPU_STREAM_WCOL, 5, 0, 3, 0xFF, 0x80);
    RIG_EXPECT_ROW(&at, TPU_STREAM_ACOL, 1, 0xFF, 0, 0, 10);
    for (size_t row = 0; row < 2; row++) {
        cr_expect_eq(record_number(&at.rows, TPU_STREAM_AR_WRITE_MM, row, 0, 2), 40 + row);
        for (size_t j = 0; j < 4; j++) {
            cr_expect_eq(rig_lane(&at, TPU_STREAM_CW, row, 0, j), small_product[row][j]);
            cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_MM, row, 2, j), small_product[row][j]);
        }
    }
}

Test(actions, an_accumulating_mm_adds_its_base_behind_the_array) {
    load_tile(small_activations, small_weights);
    rig_add(&at, MM, 2, 0, 0, 0, 0);
    rig_add(&at, MM, 2, 0, 0, 1, 0);
    rig_add(&at, MM, 2, 0, 0, 0, 0);
    run_well();
    for (size_t j = 0; j < 4; j++) {
        cr_expect_eq(rig_lane(&at, TPU_STREAM_CW, 3, 0, j), small_product[1][j]);
        cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_MM, 3, 2, j), 2 * small_product[1][j]);
        cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_MM, 5, 2, j), small_product[1][j]);
    }
}

Test(actions, vadd_vrelu_and_vaddrelu_do_what_their_names_say) {
    load_tile(small_activations, small_weights);
    rig_add(&at, MM, 2, 0, 0, 0, 0);
    rig_add(&at, VADD, 1, 20, 0, 1, 0);
    rig_add(&at, VRELU, 1, 30, 1, 0, 0);
    rig_add(&at, VADDRELU, 1, 40, 0, 1, 0);
    run_well();
    static const int32_t sum[4] = {6, 44, -19, -1767};
    static const int32_t rectified[4] = {0, 30, 0, 0};
    static const int32_t both[4] = {6, 44, 0, 0};
    for (size_t j = 0; j < 4; j++) {
        cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 0, 2, j), sum[j]);
        cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 1, 2, j), rectified[j]);
        cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 2, 2, j), both[j]);
    }
    cr_expect_eq(record_number(&at.rows, TPU_STREAM_AR_WRITE_ALU, 1, 0, 2), 30);
}

// (-128) * (-128) * 4 = 2^16; doubled fifteen times it wraps to -2^31, once more to 0.
Test(actions, accumulators_wrap_at_32_bits) {
    const int8_t activations[2][4] = {{-128, -128, -128, -128}, {0, 0, 0, 0}};
    const int8_t weights[4][4] = {{-128}, {-128}, {-128}, {-128}};
    load_tile(activations, weights);
    rig_add(&at, MM, 1, 0, 0, 0, 0);
    rig_add(&at, LOOP, 16, 0, 0, 0, 0);
    rig_add(&at, VADD, 1, 0, 0, 0, 0);
    rig_add(&at, ENDLOOP, 0, 0, 0, 0, 0);
    run_well();
    cr_expect_eq(rig_lane(&at, TPU_STREAM_CW, 0, 0, 0), 65536);
    cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 13, 2, 0), 1073741824);
    cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 14, 2, 0), INT32_MIN);
    cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 15, 2, 0), 0);
}

Test(actions, mvout_saturates_and_leaves_other_cells_alone) {
    const int8_t activations[2][4] = {{1, 1, 0, 0}, {0, 0, 0, 0}};
    const int8_t weights[4][4] = {{127, 127, -128, -128}, {0, 1, 0, -1}};
    int8_t before[256];
    memset(before, 0x55, sizeof before);
    load_tile(activations, weights);
    arch_set_memory(at.model, TPU_MEM_C, before, sizeof before);
    rig_add(&at, MM, 1, 0, 9, 0, 0);
    rig_add(&at, MVOUT, 1, 9, 5, 3, 0);
    run_well();
    cr_expect_eq(rig_lane(&at, TPU_STREAM_CW, 0, 0, 1), 128);
    cr_expect_eq(rig_lane(&at, TPU_STREAM_CW, 0, 0, 3), -129);
    RIG_EXPECT_ROW(&at, TPU_STREAM_AC2SP, 0, 0x7F, 0x7F, 0x80, 0x80);
    RIG_EXPECT_ROW(&at, TPU_STREAM_C_WRITE, 0, 5, 0, 3, 0, 0x7F, 0x7F, 0x80, 0x80);
    const uint8_t *c = rig_memory(&at, TPU_MEM_C);
    for (size_t i = 0; i < 256; i++) {
        bool inside = i >= 5 * 16 + 12 && i < 5 * 16 + 16;
        cr_expect(inside || c[i] == 0x55, "cell %zu", i);
    }
    cr_expect_eq(c[5 * 16 + 14], 0x80);
}

// Rows of one issue go one after another: row 4 reads what row 0 of the same vadd wrote.
Test(actions, a_vector_operation_sees_the_rows_that_it_wrote_itself) {
    const int8_t activations[2][4] = {{1, 0, 0, 0}, {0, 0, 0, 0}};
    const int8_t weights[4][4] = {{3}};
    load_tile(activations, weights);
    for (unsigned i = 0; i < 4; i++) {
        rig_add(&at, MM, 1, 0, i, 0, 0);
    }
    rig_add(&at, VADD, 8, 4, 0, 0, 0);
    run_well();
    cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 3, 2, 0), 6);
    cr_expect_eq(rig_lane(&at, TPU_STREAM_AR_WRITE_ALU, 7, 2, 0), 12);
}

Test(actions, a_new_program_keeps_the_memories_and_forgets_what_was_written) {
    load_tile(small_activations, small_weights);
    rig_add(&at, MM, 2, 0, 0, 0, 0);
    run_well();
    rig_restart(&at);
    rig_add(&at, VLD, 1, 1, 0, 0, 0);
    record_clear(&at.rows);
    run_well();
    RIG_EXPECT_ROW(&at, TPU_STREAM_SP2VR, 0, 0, 1, 0, 0xFF, 5); // the old row, not written any more
    rig_add(&at, MVOUT, 1, 0, 0, 0, 0);
    record_clear(&at.rows);
    cr_expect_eq(rig_run(&at), TPU_ERR_INTERNAL);
    RIG_EXPECT_ROW(&at, TPU_STREAM_AC2SP, 0, 7, 14, 0xF6, 0x80);
}
