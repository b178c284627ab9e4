// SPDX-License-Identifier: Apache-2.0
//
// Coverage bins: what cycles written by hand must hit, by the names that a person reads.

#include "harness/fuzz/coverage.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static coverage *cover;
static isa_program program;
static probe seen;

static void set_up(void) {
    const tpu_params params = params_default(4, 16);
    const isa_insn nop = {.op = TPU_OP_NOP};
    cover = coverage_create(&params);
    cr_assert_not_null(cover);
    cr_assert_eq(isa_program_append(&program, &nop), TPU_OK);
    coverage_begin(cover, &program);
    memset(&seen, 0, sizeof seen);
}

static void tear_down(void) {
    coverage_destroy(cover);
    isa_program_clear(&program);
}

TestSuite(coverage, .init = set_up, .fini = tear_down, .timeout = 60);

static uint32_t find(const char *name) {
    char text[COVERAGE_NAME_MAX];
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        coverage_name(bin, text, sizeof text);
        if (strcmp(text, name) == 0 && coverage_possible(bin)) {
            return bin;
        }
    }
    cr_assert(false, "no bin is called \"%s\"", name);
    return 0;
}

static void expect_hits(const char *name, uint64_t programs) {
    uint64_t hits = coverage_hits(cover)[find(name)];
    cr_expect_eq(hits, programs, "%s: %llu", name, (unsigned long long)hits);
}

static void cycle(void) {
    coverage_cycle(cover, &seen);
    seen.cycle++;
    seen.fired = 0;
}

static void fire(tpu_stream stream, const uint8_t *row) {
    seen.fired |= 1u << stream;
    seen.row[stream] = row;
}

static void wait_for(tpu_unit unit, probe_state state, uint8_t what) {
    seen.unit[unit] = (probe_unit){.state = (uint8_t)state, .wait = what};
}

static void issue(uint8_t op, uint8_t nr, uint8_t f0, uint8_t f1, uint8_t f2, uint8_t f3) {
    const uint8_t row[16] = {0, 0, op, nr, f0, 0, f1, 0, f2, 0, f3, 0, 0, 0, 0, 0};
    fire(TPU_STREAM_ISSUE, row);
    cycle();
}

static int by_text(const void *left, const void *right) {
    return strcmp(left, right);
}

Test(coverage, every_possible_bin_has_a_name_of_its_own) {
    uint32_t count = coverage_possible_count();
    char(*names)[COVERAGE_NAME_MAX] = calloc(count, sizeof *names);
    uint32_t at = 0;
    cr_assert_not_null(names);
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        if (coverage_possible(bin)) {
            coverage_name(bin, names[at], sizeof *names);
            cr_expect(strstr(names[at], ": ") != NULL, "%s", names[at]);
            cr_expect(strstr(names[at], "not possible") == NULL, "bin %u", bin);
            cr_expect_lt(strlen(names[at]), COVERAGE_NAME_MAX - 1u, "%s is cut", names[at]);
            at++;
        }
    }
    qsort(names, count, sizeof *names, by_text);
    for (uint32_t i = 1; i < count; i++) {
        cr_expect_neq(strcmp(names[i - 1], names[i]), 0, "twice: %s", names[i]);
    }
    free(names);
}

Test(coverage, two_units_that_wait_make_a_pair_and_a_third_a_triple) {
    wait_for(TPU_UNIT_VRU, PROBE_BLOCKED, TPU_STREAM_ACOL);
    wait_for(TPU_UNIT_ARRAY, PROBE_STARVED, TPU_STREAM_WCOL);
    wait_for(TPU_UNIT_ACCU, PROBE_STARVED, TPU_STREAM_CW);
    cycle();
    coverage_end(cover);
    expect_hits("pair: vru blocked by acol while array starved of wcol", 1);
    expect_hits("pair: array starved of wcol while accu starved of cw", 1);
    expect_hits("pair: array starved of wcol while accu busy", 0);
    expect_hits("triple: vru blocked by acol, array starved of wcol, accu starved of cw", 1);
}

Test(coverage, the_length_of_a_wait_is_known_when_it_ends) {
    wait_for(TPU_UNIT_DMA_LD, PROBE_STARVED, PROBE_WAIT_MEMORY);
    for (int i = 0; i < 5; i++) {
        cycle();
    }
    wait_for(TPU_UNIT_DMA_LD, PROBE_BUSY, 0);
    cycle();
    coverage_end(cover);
    expect_hits("wait: dma_ld starved of memory for 4 .. 7 cycles", 1);
    expect_hits("wait: dma_ld starved of memory for 1 cycle", 0);
    expect_hits("turn: dma_ld starved of memory, then busy", 1);
}

Test(coverage, a_program_counts_once_however_often_it_hits) {
    for (int i = 0; i < 3; i++) {
        wait_for(TPU_UNIT_ACCU, i % 2 == 0 ? PROBE_BUSY : PROBE_IDLE, 0);
        cycle();
    }
    size_t count = 0;
    const uint16_t *touched = coverage_touched(cover, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            cr_expect_neq(touched[i], touched[k]);
        }
    }
    coverage_end(cover);
    expect_hits("turn: accu busy, then idle", 1);
    coverage_begin(cover, &program);
    coverage_end(cover);
    expect_hits("turn: accu busy, then idle", 1);
}

// A word of a channel: opcode in bits 5:0, nr in bits 61:54.
static void give_word(tpu_stream channel, uint8_t op, uint8_t nr) {
    const uint8_t row[8] = {op, 0, 0, 0, 0, 0, (uint8_t)(nr << 6), (uint8_t)(nr >> 2)};
    fire(channel, row);
    cycle();
}

Test(coverage, a_unit_holds_a_word_until_its_rows_are_out) {
    const uint8_t row[4] = {0};
    wait_for(TPU_UNIT_DMA_ST, PROBE_STARVED, TPU_STREAM_AC2SP);
    give_word(TPU_STREAM_C_DST, 0, 0); // of the header
    give_word(TPU_STREAM_C_DST, TPU_OP_MVOUT, 2);
    fire(TPU_STREAM_C_WRITE, row);
    cycle();
    wait_for(TPU_UNIT_DMA_ST, PROBE_BUSY, 0);
    fire(TPU_STREAM_C_WRITE, row);
    cycle(); // the last row; the word counts to the end of this cycle
    wait_for(TPU_UNIT_DMA_ST, PROBE_IDLE, 0);
    cycle();
    coverage_end(cover);
    expect_hits("word: dma_st starved of ac2sp, its oldest word mvout", 1);
    expect_hits("word: dma_st busy, its oldest word mvout", 1);
    expect_hits("word: dma_st idle, its oldest word none", 1);
    expect_hits("word: dma_st idle, its oldest word mvout", 0);
    expect_hits("held: dma_st busy and holds 1 word", 1);
}

Test(coverage, issues_that_share_rows_meet) {
    issue(TPU_OP_MM, 4, 0, 8, 0, 0);      // writes ar 8..11
    issue(TPU_OP_VRELU, 2, 20, 10, 0, 0); // reads 10, 11
    issue(TPU_OP_MVOUT, 2, 30, 0, 0, 0);
    coverage_end(cover);
    expect_hits("next: mm and then vrelu, which reads what it wrote", 1);
    expect_hits("next: mm and then vrelu, which reads what it wrote, row for row", 0);
    expect_hits("next: vrelu and then mvout, which lies apart", 1);
    expect_hits("after: mm and then mvout, which lies apart, two or three issues later", 1);
    expect_hits("rows: mm of T rows", 1);
    expect_hits("rows: vrelu of 2 rows", 1);
    expect_hits("edge: mm of vr row at the first row", 1);
}

Test(coverage, a_distance_is_counted_in_accumulator_steps) {
    issue(TPU_OP_MM, 4, 0, 8, 0, 0);     // row 8 at step 0 ... row 11 at step 3
    issue(TPU_OP_VRELU, 1, 40, 8, 0, 0); // reads row 8 at step 4
    issue(TPU_OP_MM, 1, 0, 11, 1, 0);    // adds to row 11 at step 5: 2 is not legal, class of 4
    issue(TPU_OP_VADD, 1, 41, 9, 10, 0); // left at step 6: 5 after; right at step 7: 5 after
    coverage_end(cover);
    expect_hits("age: vrelu reads a row 4 step(s) after mm wrote it", 1);
    expect_hits("age: vadd reads as left a row 5 step(s) after mm wrote it", 1);
    expect_hits("age: vadd reads as right a row 5 step(s) after mm wrote it", 1);
    expect_hits("age: vadd reads as right a row 6 step(s) after mm wrote it", 0);
}

Test(coverage, streams_that_write_in_one_cycle_are_seen_together) {
    const uint8_t row[16] = {0};
    fire(TPU_STREAM_CW, row);
    fire(TPU_STREAM_C_WRITE, row);
    cycle();
    coverage_end(cover);
    expect_hits("both: cw and c.write write in one cycle", 1);
}
