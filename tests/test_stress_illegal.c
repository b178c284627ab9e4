// SPDX-License-Identifier: Apache-2.0
//
// The generator of illegal programs against `check`: neither was written with the other. Whatever
// one of them thinks of a program, the other must say too, down to the instruction.

#include "harness/stress/stress_illegal.h"

#include "csim/isa/check.h"
#include "harness/lockstep/digest.h"
#include "harness/stress/stress.h"
#include "harness/stress/stress_trial.h"

#include <criterion/criterion.h>

#include <string.h>

static stress_illegal bad;
static tpu_message why;

// Makes `seeds` programs for every rule; those in `impossible` must be refused by the generator.
static void expect_refused(const tpu_params *params, uint64_t seeds, uint32_t impossible) {
    cr_assert_eq(params_check(params, &why), TPU_OK, "%s", why.text);
    for (unsigned rule = 1; rule < TPU_RULE_COUNT; rule++) {
        for (uint64_t seed = 0; seed < seeds; seed++) {
            tpu_status status = stress_illegal_make(params, (tpu_rule)rule, seed, &bad, &why);
            if ((impossible >> rule & 1u) != 0) {
                cr_assert_eq(status, TPU_REFUSED, "%s", tpu_rule_name(rule));
                break;
            }
            cr_assert_eq(status, TPU_OK, "%s", why.text);
            cr_expect(stress_trial_refused(params, &bad, &why),
                      "T=%u MAXDIM=%u %s (%s) seed %llu: %s", params->t, params->maxdim,
                      tpu_rule_name(rule), bad.form, (unsigned long long)seed, why.text);
        }
    }
    stress_illegal_clear(&bad);
}

Test(stress_illegal, every_rule_of_a_program_can_be_broken) {
    for (unsigned rule = 1; rule < TPU_RULE_COUNT; rule++) {
        cr_expect(stress_illegal_knows((tpu_rule)rule), "%s", tpu_rule_name(rule));
    }
    cr_expect(stress_illegal_knows(TPU_FAULT_HEADER));
    cr_expect_not(stress_illegal_knows(TPU_RULE_NONE));
    cr_expect_not(stress_illegal_knows(TPU_FAULT_BUS));
}

Test(stress_illegal, check_names_the_broken_rule_and_its_instruction) {
    const tpu_params params = params_default(4, 16);
    expect_refused(&params, 1000, 0);
}

Test(stress_illegal, check_names_them_at_other_points) {
    static const uint32_t points[][2] = {{4, 4}, {4, 64}, {5, 20}, {7, 14}, {8, 64}, {16, 64}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const tpu_params params = params_default(points[i][0], points[i][1]);
        expect_refused(&params, 60, 0);
    }
}

Test(stress_illegal, memories_as_deep_as_addresses_reach_have_edges_too) {
    tpu_params params = params_default(4, 16);
    params.spad_rows = 2048;
    params.nvr = 2048;
    params.nar = 2047;
    expect_refused(&params, 60, 0);
}

Test(stress_illegal, what_four_instructions_cannot_break_is_said) {
    tpu_params params = params_default(4, 16);
    params.imem_size = 16;
    expect_refused(&params, 20,
                   1u << TPU_RULE_LOOP_DEPTH | 1u << TPU_RULE_COUNT_OVERFLOW |
                       1u << TPU_RULE_ARRAY_OVERFLOW);
}

// ---- what the trial would find -----------------------------------------------------------------

Test(stress_illegal, a_legal_program_that_claims_to_be_illegal_is_told) {
    const tpu_params params = params_default(4, 16);
    cr_assert_eq(stress_program(&params, 3, NULL, &bad.program, &why), TPU_OK);
    bad.rule = TPU_RULE_MEM_RANGE;
    cr_expect_not(stress_trial_refused(&params, &bad, &why));
    cr_expect(strstr(why.text, "lets it by") != NULL, "%s", why.text);
    bad.judge = STRESS_ILLEGAL_IMAGE;
    cr_expect_not(stress_trial_refused(&params, &bad, &why));
    bad.judge = STRESS_ILLEGAL_MACHINE;
    cr_expect(stress_trial_refused(&params, &bad, &why));
    stress_illegal_clear(&bad);
}

Test(stress_illegal, another_rule_or_another_instruction_is_told) {
    const tpu_params params = params_default(4, 16);
    cr_assert_eq(stress_illegal_make(&params, TPU_RULE_ZERO_ROWS, 5, &bad, &why), TPU_OK);
    cr_expect(stress_trial_refused(&params, &bad, &why), "%s", why.text);
    bad.pc++;
    cr_expect_not(stress_trial_refused(&params, &bad, &why));
    bad.pc--;
    bad.rule = TPU_RULE_RAW_DISTANCE;
    cr_expect_not(stress_trial_refused(&params, &bad, &why));
    cr_expect(strstr(why.text, "enc.zero_rows") != NULL, "%s", why.text);
    stress_illegal_clear(&bad);
}

Test(stress_illegal, only_overlong_counts_may_end_in_another_fault) {
    cr_expect(stress_trial_allows(TPU_RULE_COUNT_OVERFLOW, TPU_FAULT_HEADER));
    cr_expect(stress_trial_allows(TPU_RULE_ARRAY_OVERFLOW, TPU_FAULT_HEADER));
    cr_expect(stress_trial_allows(TPU_RULE_MEM_RANGE, TPU_RULE_MEM_RANGE));
    cr_expect_not(stress_trial_allows(TPU_RULE_MEM_RANGE, TPU_FAULT_HEADER));
    cr_expect_not(stress_trial_allows(TPU_RULE_MEM_RANGE, TPU_RULE_NONE));
    cr_expect_not(stress_trial_allows(TPU_RULE_COUNT_OVERFLOW, TPU_RULE_NONE));
}

// ---- the numbers -------------------------------------------------------------------------------

static uint64_t digest_of(tpu_rule rule, uint64_t seed) {
    const tpu_params params = params_default(4, 16);
    cr_assert_eq(stress_illegal_make(&params, rule, seed, &bad, &why), TPU_OK, "%s", why.text);
    return digest_row(DIGEST_START, (const uint8_t *)bad.words.words, bad.words.count * 8);
}

Test(stress_illegal, the_same_seed_gives_the_same_words_whatever_was_made_before) {
    uint64_t first = digest_of(TPU_RULE_AGU_TERM, 17);
    uint64_t other = digest_of(TPU_RULE_RAW_DISTANCE, 18);
    cr_expect_neq(first, other);
    cr_expect_eq(digest_of(TPU_RULE_AGU_TERM, 17), first);
    stress_illegal_clear(&bad);
    cr_expect_eq(digest_of(TPU_RULE_RAW_DISTANCE, 18), other);
    stress_illegal_clear(&bad);
}

// Programs broken in every way that there is, not only in the first one that fits.
Test(stress_illegal, every_form_is_used) {
    const tpu_params params = params_default(4, 16);
    const char *seen[64];
    size_t count = 0;
    for (unsigned rule = 1; rule < TPU_RULE_COUNT; rule++) {
        for (uint64_t seed = 0; seed < 200; seed++) {
            cr_assert_eq(stress_illegal_make(&params, (tpu_rule)rule, seed, &bad, &why), TPU_OK);
            size_t i = 0;
            while (i < count && seen[i] != bad.form) {
                i++;
            }
            if (i == count) {
                seen[count++] = bad.form;
            }
        }
    }
    // 17 of the text, 20 of an issue, 4 of the whole; the false header is the machine's.
    cr_expect_eq(count, 41u, "%zu forms", count);
    stress_illegal_clear(&bad);
}
