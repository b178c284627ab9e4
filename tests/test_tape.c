// SPDX-License-Identifier: Apache-2.0
//
// Tapes: the file refuses whatever is not exactly what was written, and every list of records is a
// program that `check`, written apart from the generator, accepts.

#include "harness/fuzz/tape.h"

#include "csim/isa/check.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static tpu_message why;
static tape made;
static tape other;
static uint8_t bytes[TAPE_BYTES_MAX];

static tpu_params point(void) {
    return params_default(4, 16);
}

static size_t write_drawn(uint64_t seed) {
    rng source;
    const tpu_params params = point();
    rng_seed(&source, seed);
    tape_draw(&made, &source);
    return tape_encode(&made, &params, bytes);
}

static void expect_refused(const uint8_t *data, size_t size, const tpu_params *params,
                           const char *part) {
    other.count = 77;
    cr_expect_eq(tape_decode(data, size, params, &other, &why), TPU_REFUSED);
    cr_expect_eq(other.count, 77u, "a refused file changed the tape");
    cr_expect(strstr(why.text, part) != NULL, "%s", why.text);
}

TestSuite(tape, .timeout = 60);

Test(tape, what_is_written_is_read_again) {
    const tpu_params params = point();
    for (uint64_t seed = 0; seed < 50; seed++) {
        size_t size = write_drawn(seed);
        cr_assert_eq(tape_decode(bytes, size, &params, &other, &why), TPU_OK, "%s", why.text);
        cr_expect_eq(other.count, made.count);
        cr_expect_eq(memcmp(other.record, made.record, made.count * sizeof made.record[0]), 0);
        cr_expect_eq(tape_digest(&other), tape_digest(&made));
    }
}

Test(tape, a_file_begins_with_its_name_and_version) {
    size_t size = write_drawn(1);
    cr_expect_eq(memcmp(bytes, "TPUTAPE1", 8), 0);
    cr_expect_eq(size, 64 + 16 * made.count);
}

Test(tape, every_shorter_file_is_refused) {
    const tpu_params params = point();
    size_t size = write_drawn(2);
    for (size_t cut = 0; cut < size; cut++) {
        expect_refused(bytes, cut, &params, cut < 64 ? "not a corpus file" : "cut short");
    }
    expect_refused(bytes, size + 1, &params, "cut short");
}

Test(tape, every_changed_bit_is_refused) {
    const tpu_params params = point();
    size_t size = write_drawn(3);
    for (size_t at = 0; at < size; at++) {
        if (at >= 52 && at < 56) {
            continue; // not used
        }
        bytes[at] ^= 4u;
        cr_expect_eq(tape_decode(bytes, size, &params, &other, &why), TPU_REFUSED, "byte %zu", at);
        bytes[at] ^= 4u;
    }
}

Test(tape, another_version_spec_or_machine_is_named) {
    tpu_params params = point();
    size_t size = write_drawn(4);
    params.qd = 2;
    expect_refused(bytes, size, &params, "made for QD = 16, this machine has 2");
    params = point();
    bytes[7] = '2';
    expect_refused(bytes, size, &params, "another version");
    bytes[7] = '1';
    bytes[8] ^= 1u;
    expect_refused(bytes, size, &params, "made for spec");
}

Test(tape, a_list_is_cut_into_programs_where_a_record_opens_one) {
    tape_program program;
    size_t at = 0;
    made.count = 6;
    memset(made.record, 0, sizeof made.record);
    made.record[0].seed = 5 | TAPE_OPENS;
    made.record[1].value[1] = 7;
    made.record[1].value[2] = 1;
    made.record[4].seed = TAPE_OPENS;
    cr_assert(tape_next(&made, &at, &program));
    cr_expect_eq(program.like.seed, 5u);
    cr_expect_eq(program.operands, 7u);
    cr_expect_eq(program.timing, 0x10000u);
    cr_expect_eq(program.count, 2u); // the records 2 and 3
    cr_assert(tape_next(&made, &at, &program));
    cr_expect_eq(program.count, 0u); // 5 holds its seeds
    cr_expect_not(tape_next(&made, &at, &program));
    cr_expect_eq(tape_programs(&made), 2u);
}

static void make_program(const tape_program *from, isa_program *out) {
    static stress_part part[TAPE_RECORDS_MAX + 1];
    const tpu_params params = point();
    part[0] = from->like;
    memcpy(part + 1, from->things, from->count * sizeof part[0]);
    const stress_parts parts = {.part = part, .count = from->count + 1};
    cr_assert_eq(stress_program_parts(&params, &parts, NULL, out, &why), TPU_OK, "%s", why.text);
}

Test(tape, any_records_make_a_legal_program) {
    const tpu_params params = point();
    isa_program program = {.insn = NULL};
    size_t instructions = 0;
    rng source;
    rng_seed(&source, 11);
    for (uint32_t i = 0; i < 1500; i++) {
        tape_program which;
        size_t at = 0;
        made.count = 1 + rng_below(&source, 60);
        rng_fill(&source, made.record, made.count * sizeof made.record[0]);
        while (tape_next(&made, &at, &which)) {
            make_program(&which, &program);
            cr_assert_eq(check_program(&params, &program, NULL, &why), TPU_OK, "%s", why.text);
            instructions += program.count;
        }
    }
    cr_expect_gt(instructions, 5000u);
    isa_program_clear(&program);
}

// What is stored at the end, and accu's late work, come after all parts: at most so many
// instructions.
#define TAIL 10u

static isa_program build(const stress_part *part, size_t count) {
    const tpu_params params = point();
    const stress_parts parts = {.part = part, .count = count};
    isa_program out = {.insn = NULL};
    cr_assert_eq(stress_program_parts(&params, &parts, NULL, &out, &why), TPU_OK, "%s", why.text);
    return out;
}

Test(tape, a_changed_thing_leaves_what_lies_before_it_as_it_was) {
    size_t compared = 0;
    for (uint32_t seed = 0; seed < 800; seed++) {
        stress_part part[6];
        memset(part, 255, sizeof part);
        for (uint32_t i = 0; i < 6; i++) {
            part[i].seed = 6 * seed + i;
        }
        isa_program before = build(part, 5);
        isa_program first = build(part, 6);
        part[5].seed += 100000;
        isa_program second = build(part, 6);
        size_t common = before.count > TAIL ? before.count - TAIL : 0;
        cr_assert_geq(first.count, common);
        cr_assert_geq(second.count, common);
        for (size_t i = 0; i < common; i++) {
            cr_expect_eq(first.insn[i].op, second.insn[i].op, "seed %u, instruction %zu", seed, i);
            cr_expect_eq(memcmp(first.insn[i].f, second.insn[i].f, sizeof first.insn[i].f), 0);
        }
        compared += common;
        isa_program_clear(&before);
        isa_program_clear(&first);
        isa_program_clear(&second);
    }
    cr_expect_gt(compared, 500u);
}

Test(tape, changes_stay_within_bounds_and_follow_from_the_seed) {
    rng source;
    rng again;
    rng_seed(&source, 21);
    rng_seed(&again, 21);
    tape_draw(&made, &source);
    tape_draw(&other, &again);
    for (uint32_t i = 0; i < 20000; i++) {
        tape_mutate(&made, &source);
        tape_mutate(&other, &again);
        cr_assert(made.count > 0 && made.count <= TAPE_RECORDS_MAX, "%zu records", made.count);
        cr_assert((made.record[0].seed & TAPE_OPENS) != 0);
        cr_assert_eq(tape_digest(&made), tape_digest(&other), "change %u", i);
    }
}

Test(tape, a_crossing_holds_pieces_of_both) {
    static tape left;
    static tape right;
    static tape out;
    rng source;
    rng_seed(&source, 31);
    uint32_t mixed = 0;
    for (uint32_t i = 0; i < 300; i++) {
        bool has_left = false;
        bool has_right = false;
        tape_draw(&left, &source);
        tape_draw(&right, &source);
        tape_cross(&left, &right, &source, &out);
        cr_assert(out.count > 0 && out.count <= TAPE_RECORDS_MAX);
        for (size_t k = 0; k < out.count; k++) {
            for (size_t n = 0; n < left.count; n++) {
                has_left = has_left || (out.record[k].seed ^ left.record[n].seed) << 1 == 0;
            }
            for (size_t n = 0; n < right.count; n++) {
                has_right = has_right || (out.record[k].seed ^ right.record[n].seed) << 1 == 0;
            }
        }
        mixed += has_left && has_right;
    }
    cr_expect_gt(mixed, 100u, "%u of 300", mixed);
}
