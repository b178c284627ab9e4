// SPDX-License-Identifier: Apache-2.0
//
// The oracle against values worked out by hand on small programs at T = 4, and against a plain
// triple loop on GEMMs. Programs are coded by hand; neither csim nor a generated header is here.

#include "base/rng.h"
#include "harness/oracle/oracle.h"
#include "tests/support/handcode.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

enum { NOP, DMA_LD, DMA_ST, VLD, MM, VADD, VRELU, MVOUT, LOOP, ENDLOOP, VADDRELU };

#define DIM 16
#define CELLS (DIM * DIM)

static const oracle_shape shape = {.t = 4, .maxdim = DIM};
static handcode program;
static int8_t a[CELLS], b[CELLS], c[CELLS];
static uint8_t written[CELLS];
static tpu_message why;

static void prepare(void) {
    static const uint64_t no_header[8] = {0};
    handcode_start(&program, no_header);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    memset(c, 0x55, sizeof c);
    memset(written, 9, sizeof written);
}

static tpu_status run(void) {
    return oracle_program(&shape, program.word, program.count, a, b, c, written, &why);
}

static void run_well(void) {
    tpu_status status = run();
    cr_assert_eq(status, TPU_OK, "%s", why.text);
}

static void add(unsigned op, unsigned nr, unsigned f0, unsigned f1, unsigned f2, unsigned f3) {
    handcode_add(&program, op, nr, f0, f1, f2, f3);
}

static void set_rows(int8_t *matrix, const int8_t rows[][4], size_t count) {
    for (size_t i = 0; i < count; i++) {
        memcpy(matrix + i * DIM, rows[i], 4);
    }
}

static void expect_lanes(size_t row, size_t block, const int8_t lanes[4]) {
    for (size_t j = 0; j < 4; j++) {
        size_t cell = row * DIM + block * 4 + j;
        cr_expect_eq(c[cell], lanes[j], "row %zu block %zu lane %zu: %d", row, block, j, c[cell]);
        cr_expect_eq(written[cell], 1);
    }
}

static size_t cells_written(void) {
    size_t count = 0;
    for (size_t i = 0; i < CELLS; i++) {
        cr_assert(written[i] <= 1);
        cr_expect(written[i] == 1 || c[i] == 0x55, "cell %zu changed", i);
        count += written[i];
    }
    return count;
}

// Two activation rows to vr 0, one weight tile to spad 0. Products worked out by hand:
//   row 0: 7 14 -10 -482      row 1: -1 30 -9 -1285
static void load_small(void) {
    static const int8_t activations[2][4] = {{1, 2, 3, 4}, {-1, 0, 0, 10}};
    static const int8_t weights[4][4] = {
        {1, 0, -1, 5}, {0, 1, -1, 5}, {2, 0, -1, 5}, {0, 3, -1, -128}};
    set_rows(a, activations, 2);
    set_rows(b, weights, 4);
    add(DMA_LD, 2, 2, 0, 0, 0);
    add(DMA_LD, 4, 1, 0, 0, 0);
}

TestSuite(oracle, .init = prepare);

// ---- GEMM --------------------------------------------------------------------------------------

Test(oracle, a_gemm_by_hand_saturates_and_rectifies) {
    const int8_t left[2 * 3] = {1, 2, 0, /**/ -4, 0, 50};
    const int8_t right[2 * 4] = {3, -1, 99, 99, /**/ 62, 64, 99, 99};
    int8_t result[2 * 3] = {7, 7, 7, 7, 7, 7};
    oracle_gemm(2, 2, 2, left, 3, right, 4, 0, result, 3);
    const int8_t plain[6] = {127, 127, 7, -12, 4, 7}; // 3+124 = 127, -1+128 = 127; -12, 4
    cr_expect_arr_eq(result, plain, sizeof plain);
    oracle_gemm(2, 2, 2, left, 3, right, 4, 1, result, 3);
    const int8_t rectified[6] = {127, 127, 7, 0, 4, 7};
    cr_expect_arr_eq(result, rectified, sizeof rectified);
}

Test(oracle, a_gemm_clips_just_beyond_both_ends) {
    const int8_t left[4] = {127, 1, -128, -1};
    const int8_t right[4] = {1, 1, 0, 0};
    int8_t result = 0;
    oracle_gemm(1, 2, 1, left, 2, right, 1, 0, &result, 1); // 128
    cr_expect_eq(result, 127);
    oracle_gemm(1, 2, 1, left + 2, 2, right, 1, 0, &result, 1); // -129
    cr_expect_eq(result, -128);
}

// ---- programs by hand --------------------------------------------------------------------------

Test(oracle, one_product_reaches_the_cells_of_its_mvout_and_no_others) {
    load_small();
    add(MM, 2, 0, 9, 0, 0);
    add(MVOUT, 2, 9, 3, 2, 0);
    run_well();
    expect_lanes(3, 2, (const int8_t[]){7, 14, -10, -128});
    expect_lanes(4, 2, (const int8_t[]){-1, 30, -9, -128});
    cr_expect_eq(cells_written(), 8);
}

Test(oracle, the_vector_operations_follow_their_sources) {
    load_small();
    add(MM, 2, 0, 0, 0, 0);
    add(VADD, 1, 10, 0, 1, 0);     // 6 44 -19 -1767
    add(VRELU, 1, 11, 10, 0, 0);   // 6 44 0 0
    add(VADDRELU, 1, 12, 1, 1, 0); // -2 60 -18 .. -> 0 60 0 0
    add(MVOUT, 3, 10, 0, 0, 0);
    run_well();
    expect_lanes(0, 0, (const int8_t[]){6, 44, -19, -128});
    expect_lanes(1, 0, (const int8_t[]){6, 44, 0, 0});
    expect_lanes(2, 0, (const int8_t[]){0, 60, 0, 0});
    cr_expect_eq(cells_written(), 12);
}

Test(oracle, an_accumulating_mm_adds_to_what_was_there_and_an_overwriting_one_forgets) {
    load_small();
    add(MM, 2, 0, 0, 0, 0);
    add(MM, 2, 0, 0, 1, 0);
    add(MM, 1, 0, 0, 1, 0); // row 0 three times, row 1 twice
    add(MVOUT, 2, 0, 0, 0, 0);
    add(MM, 1, 0, 0, 0, 0);
    add(MVOUT, 1, 0, 5, 1, 0);
    run_well();
    expect_lanes(0, 0, (const int8_t[]){21, 42, -30, -128});
    expect_lanes(1, 0, (const int8_t[]){-2, 60, -18, -128});
    expect_lanes(5, 1, (const int8_t[]){7, 14, -10, -128});
}

Test(oracle, later_stores_win_and_earlier_values_stay_with_their_time) {
    load_small();
    add(MM, 2, 0, 0, 0, 0);
    add(MVOUT, 1, 0, 0, 0, 0); // overwritten below
    add(VADD, 1, 20, 0, 0, 0); // 14 28 -20
    add(MM, 1, 1, 0, 0, 0);    // ar 0 changes afterwards
    add(MVOUT, 1, 20, 0, 0, 0);
    add(MVOUT, 1, 0, 1, 0, 0);
    run_well();
    expect_lanes(0, 0, (const int8_t[]){14, 28, -20, -128});
    expect_lanes(1, 0, (const int8_t[]){-1, 30, -9, -128});
    cr_expect_eq(cells_written(), 8);
}

// Activations go B -> spad -> vr; a second load of the same spad row must not be seen.
Test(oracle, a_copy_keeps_what_the_scratchpad_held_at_its_time) {
    static const int8_t identity[4][4] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};
    set_rows(b, identity, 4);
    memcpy(b + 5 * DIM + 8, (const int8_t[]){11, -12, 13, -14}, 4);
    memcpy(b + 6 * DIM + 8, (const int8_t[]){21, 22, 23, 24}, 4);
    add(DMA_LD, 4, 1, 0, 0, 0);  // identity -> spad 0
    add(DMA_LD, 1, 1, 5, 2, 40); // B(5, 8..) -> spad 40
    add(VLD, 1, 7, 40, 0, 0);
    add(DMA_LD, 1, 1, 6, 2, 40);
    add(MM, 1, 7, 0, 0, 0);
    add(MVOUT, 1, 0, 15, 3, 0);
    run_well();
    expect_lanes(15, 3, (const int8_t[]){11, -12, 13, -14});
}

Test(oracle, addresses_walk_with_the_loops_that_enclose_them) {
    static const int8_t identity[4][4] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};
    set_rows(b, identity, 4);
    for (size_t i = 0; i < CELLS; i++) {
        a[i] = (int8_t)((int)i - 128);
    }
    add(DMA_LD, 4, 1, 0, 0, 0);
    add(LOOP, 2, 0, 0, 0, 0); // level 0: row pairs, level 1: blocks
    add(LOOP, 3, 0, 0, 0, 0);
    add(DMA_LD, 2, 2, 4, 1, 0);
    handcode_term(&program, 0, 2, 0, 2); // dram_row0 += 2 iv0
    handcode_term(&program, 1, 3, 1, 1); // col_block += iv1
    add(MM, 2, 0, 0, 0, 0);
    add(MVOUT, 2, 0, 0, 0, 0);
    handcode_term(&program, 0, 2, 0, 8); // row += 8 iv0
    handcode_term(&program, 1, 2, 1, 2); // row += 2 iv1 as well: two terms on one field
    add(ENDLOOP, 0, 0, 0, 0, 0);
    add(ENDLOOP, 0, 0, 0, 0, 0);
    run_well();
    cr_expect_eq(cells_written(), 2 * 3 * 8);
    // iv0 = 1, iv1 = 2: A rows 6, 7, columns 12..15 -> C rows 12, 13, block 0.
    expect_lanes(12, 0, (const int8_t[]){-20, -19, -18, -17}); // 6*16+12-128
    expect_lanes(13, 0, (const int8_t[]){-4, -3, -2, -1});
    // iv0 = 0, iv1 = 0: A row 4, columns 4..7 -> C row 0.
    expect_lanes(0, 0, (const int8_t[]){-60, -59, -58, -57});
}

// 4 * 16384 = 2^16, doubled 16 times: 2^31 wraps to -2^31 and then to 0; a chain without a memory
// of its values would take 2^100 steps.
Test(oracle, a_long_chain_of_additions_wraps_and_ends_at_once) {
    for (size_t i = 0; i < 4; i++) {
        a[i] = -128;
        b[i * DIM] = -128;
        b[i * DIM + 1] = 1; // lane 1: -512
    }
    add(DMA_LD, 1, 2, 0, 0, 0);
    add(DMA_LD, 4, 1, 0, 0, 0);
    add(MM, 1, 0, 0, 0, 0);
    add(LOOP, 15, 0, 0, 0, 0);
    add(VADD, 1, 0, 0, 0, 0);
    add(ENDLOOP, 0, 0, 0, 0, 0);
    add(MVOUT, 1, 0, 0, 0, 0); // -2^31; lane 1: -512 * 2^15 = -2^24
    add(VRELU, 1, 1, 0, 0, 0);
    add(MVOUT, 1, 1, 1, 0, 0);
    add(LOOP, 100, 0, 0, 0, 0);
    add(VADD, 1, 0, 0, 0, 0);
    add(ENDLOOP, 0, 0, 0, 0, 0);
    add(MVOUT, 1, 0, 2, 0, 0);
    run_well();
    expect_lanes(0, 0, (const int8_t[]){-128, -128, 0, 0});
    expect_lanes(1, 0, (const int8_t[]){0, 0, 0, 0});
    expect_lanes(2, 0, (const int8_t[]){0, 0, 0, 0});
}

// Rows of one vadd go one after another: row 4 takes what row 0 wrote.
Test(oracle, a_vector_operation_sees_rows_that_it_wrote_itself) {
    a[0] = 1;
    b[0] = 3;
    add(DMA_LD, 1, 2, 0, 0, 0);
    add(DMA_LD, 4, 1, 0, 0, 0);
    for (unsigned i = 0; i < 4; i++) {
        add(MM, 1, 0, i, 0, 0);
    }
    add(VADD, 8, 4, 0, 0, 0);
    add(MVOUT, 8, 4, 0, 0, 0);
    run_well();
    expect_lanes(3, 0, (const int8_t[]){6, 0, 0, 0});
    expect_lanes(7, 0, (const int8_t[]){12, 0, 0, 0});
}

Test(oracle, nops_and_empty_programs_write_nothing) {
    add(NOP, 0, 0, 0, 0, 0);
    run_well();
    cr_expect_eq(cells_written(), 0);
}

// ---- the machine's own GEMM --------------------------------------------------------------------

// The looped form as the machine's page tabulates it, any multiple of T, memories by MAXDIM.
static void build_gemm(unsigned t, unsigned maxdim, unsigned m, unsigned k, unsigned n, int relu) {
    add(LOOP, k / t, 0, 0, 0, 0);
    add(DMA_LD, m, 2, 0, 0, 0);
    handcode_term(&program, 0, 3, 0, 1);
    handcode_term(&program, 1, 4, 0, maxdim);
    add(ENDLOOP, 0, 0, 0, 0, 0);
    add(LOOP, n / t, 0, 0, 0, 0);
    add(DMA_LD, k, 1, 0, 0, 0);
    handcode_term(&program, 0, 3, 0, 1);
    handcode_term(&program, 1, 4, 0, maxdim);
    add(ENDLOOP, 0, 0, 0, 0, 0);
    add(LOOP, n / t, 0, 0, 0, 0);
    add(MM, m, 0, 0, 0, 0);
    handcode_term(&program, 0, 4, 0, maxdim);
    if (k > t) {
        add(LOOP, k / t - 1, 0, 0, 0, 0);
        add(MM, m, maxdim, 0, 1, t);
        handcode_term(&program, 0, 1, 1, maxdim);
        handcode_term(&program, 1, 4, 0, maxdim);
        handcode_term(&program, 2, 4, 1, t);
        add(ENDLOOP, 0, 0, 0, 0, 0);
    }
    if (relu != 0) {
        add(VRELU, m, 0, 0, 0, 0);
    }
    add(MVOUT, m, 0, 0, 0, 0);
    handcode_term(&program, 0, 3, 0, 1);
    add(ENDLOOP, 0, 0, 0, 0, 0);
}

static void expect_gemm(unsigned t, unsigned m, unsigned k, unsigned n, int relu, uint64_t seed) {
    static int8_t left[64 * 64], right[64 * 64], wanted[64 * 64], got[64 * 64];
    const oracle_shape large = {.t = t, .maxdim = 64};
    rng source;
    rng_seed(&source, seed);
    rng_fill(&source, left, sizeof left);
    rng_fill(&source, right, sizeof right);
    for (size_t i = 0; i < sizeof left; i++) {
        left[i] = (int8_t)(left[i] / (i % 3 == 0 ? 1 : 32)); // a mix of clipped and plain cells
        right[i] = (int8_t)(right[i] / 32);
    }
    prepare();
    build_gemm(t, 64, m, k, n, relu);
    memset(got, 0x33, sizeof got);
    memset(wanted, 0x33, sizeof wanted);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            int sum = 0;
            for (size_t x = 0; x < k; x++) {
                sum += left[i * 64 + x] * right[x * 64 + j];
            }
            sum = relu != 0 && sum < 0 ? 0 : sum;
            wanted[i * 64 + j] = (int8_t)(sum > 127 ? 127 : sum < -128 ? -128 : sum);
        }
    }
    tpu_status status =
        oracle_program(&large, program.word, program.count, left, right, got, NULL, &why);
    cr_assert_eq(status, TPU_OK, "%s", why.text);
    cr_expect_arr_eq(got, wanted, sizeof got, "T=%u %ux%ux%u relu %d", t, m, k, n, relu);
    oracle_gemm(m, k, n, left, 64, right, 64, relu, got, 64);
    cr_expect_arr_eq(got, wanted, sizeof got, "oracle_gemm %ux%ux%u relu %d", m, k, n, relu);
}

Test(oracle, the_looped_gemm_equals_the_triple_loop) {
    expect_gemm(4, 4, 4, 4, 0, 1);
    expect_gemm(4, 16, 16, 8, 1, 2);
    expect_gemm(8, 16, 8, 24, 0, 3);
    expect_gemm(16, 32, 64, 16, 1, 4);
    expect_gemm(4, 64, 64, 64, 1, 5);
}

Test(oracle, the_largest_gemm_takes_well_under_a_second) {
    clock_t begin = clock();
    expect_gemm(4, 64, 64, 64, 0, 6);
    cr_expect_lt((double)(clock() - begin) / CLOCKS_PER_SEC, 1.0);
}

// ---- what it cannot answer ---------------------------------------------------------------------

static void expect_refused(const char *part) {
    cr_expect_eq(run(), TPU_REFUSED, "expected: %s", part);
    cr_expect(strstr(why.text, part) != NULL, "'%s' lacks '%s'", why.text, part);
    for (size_t i = 0; i < CELLS; i++) {
        cr_assert_eq(c[i], 0x55);
        cr_assert_eq(written[i], 9);
    }
    prepare();
}

Test(oracle, a_cell_without_a_value_is_refused_and_nothing_is_touched) {
    add(MVOUT, 1, 3, 0, 0, 0);
    expect_refused("ar row 3");
    load_small();
    add(MM, 1, 0, 0, 0, 0);
    add(MM, 1, 0, 1, 1, 0);
    add(MVOUT, 2, 0, 0, 0, 0);
    expect_refused("ar row 1");
    load_small();
    add(MM, 3, 0, 0, 0, 0);
    add(MVOUT, 3, 0, 0, 0, 0);
    expect_refused("vr row 2");
    load_small();
    add(MM, 1, 0, 0, 0, 1);
    add(MVOUT, 1, 0, 0, 0, 0);
    expect_refused("spad row 4");
    load_small();
    add(MM, 1, 0, 0, 0, 0);
    add(MVOUT, 1, 0, 16, 0, 0);
    expect_refused("outside C");
}

Test(oracle, control_flow_that_is_not_legal_is_refused) {
    add(ENDLOOP, 0, 0, 0, 0, 0);
    expect_refused("not open");
    add(LOOP, 0, 0, 0, 0, 0);
    expect_refused("no trip");
    for (int i = 0; i < 5; i++) {
        add(LOOP, 1, 0, 0, 0, 0);
    }
    expect_refused("too deep");
    add(NOP, 0, 0, 0, 0, 0);
    handcode_term(&program, 0, 1, 0, 1);
    expect_refused("term");
    add(VRELU, 1, 2048, 0, 0, 0);
    expect_refused("2048");
    add(NOP, 0, 0, 0, 0, 0);
    program.count--;
    expect_refused("too short");
}
