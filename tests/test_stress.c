// SPDX-License-Identifier: Apache-2.0
//
// The generator: every program is legal in the eyes of `check`, which was written apart from it;
// equal seeds give equal words; and everything it is there for really comes about, counted by
// traits, which knows nothing of it either.

#include "harness/stress/stress.h"

#include "csim/isa/check.h"
#include "csim/isa/expand.h"
#include "csim/isa/image.h"
#include "harness/lockstep/digest.h"
#include "harness/stress/traits.h"

#include <criterion/criterion.h>

#include <stdlib.h>

#define STRIDE_BITS 11u

static isa_program program;
static tpu_message why;

static void make(const tpu_params *params, uint64_t seed, const stress_options *options) {
    cr_assert_eq(stress_program(params, seed, options, &program, &why), TPU_OK, "%s", why.text);
}

static void expect_legal(const tpu_params *params, uint64_t seed) {
    image built = {0};
    cr_expect_leq(program.count, params_max_instructions(params));
    cr_expect_eq(check_program(params, &program, NULL, &why), TPU_OK,
                 "T=%u MAXDIM=%u seed %llu: %s", params->t, params->maxdim,
                 (unsigned long long)seed, why.text);
    cr_expect_eq(image_build(params, &program, true, &built, &why), TPU_OK, "seed %llu: %s",
                 (unsigned long long)seed, why.text);
    image_clear(&built);
}

static void expect_all_legal(const tpu_params *params, uint64_t seeds) {
    for (uint64_t seed = 0; seed < seeds; seed++) {
        make(params, seed, NULL);
        expect_legal(params, seed);
    }
    isa_program_clear(&program);
}

Test(stress, programs_are_legal_at_the_small_machine) {
    const tpu_params params = params_default(4, 16);
    expect_all_legal(&params, 20000);
}

Test(stress, programs_are_legal_at_every_point) {
    static const uint32_t points[][2] = {{4, 4}, {4, 64}, {4, 88},  {5, 20},  {7, 14},  {12, 24},
                                         {8, 8}, {8, 64}, {8, 120}, {16, 64}, {32, 32}, {64, 64}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const tpu_params params = params_default(points[i][0], points[i][1]);
        cr_assert_eq(params_check(&params, &why), TPU_OK, "%s", why.text);
        expect_all_legal(&params, 1000);
    }
}

Test(stress, programs_are_legal_in_odd_memories) {
    tpu_params params = params_default(4, 16);
    params.spad_rows = 2048;
    params.nvr = 67;
    params.nar = 2048;
    expect_all_legal(&params, 1000);
    params.imem_size = 256;
    expect_all_legal(&params, 500);
    params.nar = 131; // no multiple of anything
    params.imem_size = 1024;
    expect_all_legal(&params, 300);
    params.imem_size = 16; // four instructions
    expect_all_legal(&params, 500);
}

// As many instructions as would do more than a header can promise.
Test(stress, programs_are_legal_in_instruction_memories_that_hold_too_much) {
    tpu_params params = params_default(4, 64);
    params.imem_size = 8192;
    expect_all_legal(&params, 300);
}

// ---- the options -------------------------------------------------------------------------------

Test(stress, keeps_to_the_number_of_instructions_asked_for) {
    const tpu_params params = params_default(4, 16);
    for (uint32_t most = 1; most <= 12; most++) {
        const stress_options options = {.instructions = most};
        for (uint64_t seed = 0; seed < 200; seed++) {
            make(&params, seed, &options);
            cr_expect_leq(program.count, most);
            cr_expect_geq(program.count, 1u);
            expect_legal(&params, seed);
        }
    }
    isa_program_clear(&program);
}

static uint64_t accu_steps(const tpu_params *params, uint32_t cycles) {
    const stress_options options = {.cycles = cycles};
    uint64_t sum = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        image_counts counts = {0};
        make(params, seed, &options);
        cr_assert_eq(image_count(params, &program, &counts, &why), TPU_OK, "%s", why.text);
        sum += counts.accu_iterations;
    }
    isa_program_clear(&program);
    return sum;
}

Test(stress, does_more_work_when_more_is_asked_for) {
    tpu_params params = params_default(4, 64);
    params.imem_size = 2048;
    cr_expect_gt(accu_steps(&params, 1000), 3 * accu_steps(&params, 100));
}

// A small instruction memory: all of the work comes from loops.
Test(stress, long_programs_are_long_and_legal) {
    static const uint32_t points[][2] = {{4, 16}, {4, 64}, {8, 32}, {16, 64}};
    const stress_options options = {.cycles = 8000};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const tpu_params params = params_default(points[i][0], points[i][1]);
        uint32_t long_ones = 0;
        for (uint64_t seed = 0; seed < 300; seed++) {
            image_counts counts = {0};
            make(&params, seed, &options);
            expect_legal(&params, seed);
            cr_assert_eq(image_count(&params, &program, &counts, &why), TPU_OK, "%s", why.text);
            long_ones += counts.dma_ld_rows > 1024 || counts.vru_words > 1024 ||
                         counts.accu_iterations > 1024;
        }
        cr_expect_gt(long_ones, 75u, "T=%u MAXDIM=%u: %u of 300", params.t, params.maxdim,
                     long_ones);
    }
    isa_program_clear(&program);
}

// ---- the numbers -------------------------------------------------------------------------------

static uint64_t digest_of(const tpu_params *params, uint64_t seed) {
    image built = {0};
    make(params, seed, NULL);
    cr_assert_eq(image_build(params, &program, true, &built, &why), TPU_OK, "%s", why.text);
    uint64_t digest = digest_row(DIGEST_START, (const uint8_t *)built.words, built.count * 8);
    image_clear(&built);
    return digest;
}

Test(stress, the_same_seed_gives_the_same_words_whatever_was_made_before) {
    const tpu_params params = params_default(4, 16);
    uint64_t first = digest_of(&params, 17);
    uint64_t other = digest_of(&params, 18);
    cr_expect_neq(first, other);
    cr_expect_eq(digest_of(&params, 17), first);
    isa_program_clear(&program);
    cr_expect_eq(digest_of(&params, 18), other);
    isa_program_clear(&program);
}

// The digests were printed once by this very test, on x86-64 with gcc 12 at -O2, and typed in. They
// hold on every machine; a change of the generator changes them, and old seeds lose their meaning.
Test(stress, fixed_seeds_give_the_words_they_always_gave) {
    static const struct {
        uint32_t t;
        uint32_t maxdim;
        uint64_t seed;
        uint64_t digest;
    } known[] = {{4, 16, 1, 0x45c2f5c6e0a7d9fa},
                 {4, 16, 2, 0xb0958c658391bff9},
                 {4, 64, 3, 0x69f1e1069acb3e24},
                 {8, 32, 4, 0xb68ab16046ce1522},
                 {16, 64, UINT64_MAX, 0x148b346d8308c427}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const tpu_params params = params_default(known[i].t, known[i].maxdim);
        uint64_t digest = digest_of(&params, known[i].seed);
        cr_expect_eq(digest, known[i].digest, "T=%u MAXDIM=%u seed %llu: 0x%016llx", known[i].t,
                     known[i].maxdim, (unsigned long long)known[i].seed,
                     (unsigned long long)digest);
    }
    isa_program_clear(&program);
}

// ---- what it is there for ----------------------------------------------------------------------

// One program in a hundred or so fills a large memory, and most of the default one's do.
Test(stress, instruction_memories_of_every_size_are_filled) {
    static const uint32_t sizes[] = {56, 128, 256, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        tpu_params params = params_default(4, 16);
        uint32_t full = 0;
        params.imem_size = sizes[i];
        for (uint64_t seed = 0; seed < 1000; seed++) {
            make(&params, seed, NULL);
            full += program.count == params_max_instructions(&params);
        }
        cr_expect_geq(full, 5u, "imem of %u words: %u", sizes[i], full);
        isa_program_clear(&program);
    }
}

// Rows of every mm that follows another at once.
static void count_pairs(uint32_t pairs[TPU_MAXROWS + 1]) {
    expand it;
    isa_issue issue;
    bool done = false;
    bool behind_mm = false;
    expand_start(&it, &program);
    while (expand_next(&it, &issue, &done, NULL) == TPU_OK && !done) {
        bool is_mm = issue.op == TPU_OP_MM;
        pairs[issue.nr] += is_mm && behind_mm;
        behind_mm = is_mm;
    }
}

Test(stress, products_of_1_to_127_rows_follow_another_at_once) {
    const tpu_params params = params_default(4, 64);
    uint32_t pairs[TPU_MAXROWS + 1] = {0};
    for (uint64_t seed = 0; seed < 150000; seed++) {
        make(&params, seed, NULL);
        count_pairs(pairs);
    }
    for (uint32_t rows = 1; rows <= TPU_MAXROWS; rows++) {
        cr_expect_gt(pairs[rows], 0u, "no mm of %u rows behind another", rows);
    }
    isa_program_clear(&program);
}

Test(stress, two_terms_meet_on_every_field) {
    const tpu_params params = params_default(4, 16);
    uint32_t count[TPU_FIELDS + 1] = {0};
    for (uint64_t seed = 0; seed < 5000; seed++) {
        make(&params, seed, NULL);
        for (size_t pc = 0; pc < program.count; pc++) {
            const isa_term *term = program.insn[pc].term;
            for (uint32_t i = 0; i < TPU_AGU_TERMS; i++) {
                uint32_t other = (i + 1) % TPU_AGU_TERMS;
                count[term[i].target] += term[i].target == term[other].target;
            }
        }
    }
    for (uint32_t target = 1; target <= TPU_FIELDS; target++) {
        cr_expect_geq(count[target], 50u, "f%u: %u", target - 1, count[target]);
    }
    isa_program_clear(&program);
}

// Strides, by the term's place and by bit, with which a loop of two turns or more moves a field
// that no unit reads.
static void count_idle_strides(uint32_t count[TPU_AGU_TERMS][STRIDE_BITS]) {
    uint32_t trip[TPU_LOOP_DEPTH] = {0};
    uint32_t depth = 0;
    for (size_t pc = 0; pc < program.count; pc++) {
        const isa_insn *insn = &program.insn[pc];
        if (insn->op == TPU_OP_LOOP) {
            trip[depth++] = insn->nr;
        }
        depth -= insn->op == TPU_OP_ENDLOOP;
        for (uint32_t i = 0; i < TPU_AGU_TERMS; i++) {
            const isa_term *term = &insn->term[i];
            bool idle =
                term->target != 0 && tpu_ops[insn->op].operand[term->target - 1].name == NULL;
            for (uint32_t bit = 0; bit < STRIDE_BITS && idle && trip[term->level] > 1; bit++) {
                count[i][bit] += term->stride >> bit & 1u;
            }
        }
    }
}

Test(stress, loops_move_idle_fields_by_strides_of_every_bit) {
    const tpu_params params = params_default(4, 16);
    uint32_t count[TPU_AGU_TERMS][STRIDE_BITS] = {{0}};
    cr_assert_eq(TPU_AGU_STRIDE_MAX, (1 << STRIDE_BITS) - 1);
    for (uint64_t seed = 0; seed < 20000; seed++) {
        make(&params, seed, NULL);
        count_idle_strides(count);
    }
    for (uint32_t i = 0; i < TPU_AGU_TERMS; i++) {
        for (uint32_t bit = 0; bit < STRIDE_BITS; bit++) {
            cr_expect_geq(count[i][bit], 10u, "term %u, bit %u: %u", i, bit, count[i][bit]);
        }
    }
    isa_program_clear(&program);
}

Test(stress, accu_works_alone_long_after_everything_else) {
    const tpu_params params = params_default(4, 16);
    uint32_t late[TPU_OP_COUNT] = {0};
    for (uint64_t seed = 0; seed < 20000; seed++) {
        make(&params, seed, NULL);
        const isa_insn *end = program.insn + program.count;
        if (program.count > 4 && end[-2].op == TPU_OP_ENDLOOP && end[-3].op == TPU_OP_NOP &&
            end[-4].op == TPU_OP_LOOP && end[-4].nr >= 24) {
            late[end[-1].op]++;
        }
    }
    cr_expect_geq(late[TPU_OP_VADD], 40u, "%u", late[TPU_OP_VADD]);
    cr_expect_geq(late[TPU_OP_VADDRELU], 40u, "%u", late[TPU_OP_VADDRELU]);
    cr_expect_geq(late[TPU_OP_VRELU], 40u, "%u", late[TPU_OP_VRELU]);
    isa_program_clear(&program);
}

// Programs with each trait, of `seeds` programs.
static void count_traits(const tpu_params *params, uint64_t seeds, uint32_t count[TRAITS_COUNT]) {
    for (uint64_t seed = 0; seed < seeds; seed++) {
        traits_set set = 0;
        make(params, seed, NULL);
        cr_assert_eq(traits_of(params, &program, &set, &why), TPU_OK, "%s", why.text);
        for (unsigned i = 0; i < TRAITS_COUNT; i++) {
            count[i] += (uint32_t)(set >> i & 1u);
        }
    }
    isa_program_clear(&program);
}

static void expect_every_trait(uint32_t t, uint32_t maxdim) {
    const tpu_params params = params_default(t, maxdim);
    uint32_t count[TRAITS_COUNT] = {0};
    count_traits(&params, 20000, count);
    for (unsigned i = 0; i < TRAITS_COUNT; i++) {
        cr_expect_geq(count[i], 5u, "T=%u MAXDIM=%u, in 20000 programs: %u times %s", t, maxdim,
                      count[i], traits_text((traits_name)i));
    }
}

Test(stress, every_trait_comes_about_on_the_small_machine) {
    expect_every_trait(4, 16);
}

Test(stress, every_trait_comes_about_on_the_default_machine) {
    expect_every_trait(4, 64);
}

Test(stress, every_trait_comes_about_on_a_wide_machine) {
    expect_every_trait(8, 64);
}
