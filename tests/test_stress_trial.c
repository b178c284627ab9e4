// SPDX-License-Identifier: Apache-2.0
//
// Illegal programs on the machine: each ends in the fault of its rule at its instruction, and the
// legal program behind it is exact. Then machines that lie about it, which must be found.

#include "harness/stress/stress_trial.h"

#include "harness/engine/loader.h"

#include <criterion/criterion.h>

#include <string.h>

static const engine_api *real;
static loader *library;
static stress_trial_summary sum;
static tpu_message why;

static stress_trial_options options_of(const engine_api *api, uint64_t programs) {
    const tpu_params params = params_default(4, 16);
    return (stress_trial_options){.api = api,
                                  .config = {.params = params, .watchdog = 2000},
                                  .seed = 20261130,
                                  .programs = programs};
}

static void run(const engine_api *api, uint64_t programs) {
    const stress_trial_options options = options_of(api, programs);
    memset(&sum, 0, sizeof sum);
    cr_assert_eq(stress_trial_run(&options, &sum, &why), TPU_OK, "%s", why.text);
}

static void set_up(void) {
    const tpu_params params = params_default(4, 16);
    cr_assert_eq(loader_open("verilator", &params, &library, &why), TPU_OK, "%s", why.text);
    real = loader_api(library);
}

static void tear_down(void) {
    loader_close(library);
}

TestSuite(stress_trial, .init = set_up, .fini = tear_down, .timeout = 120);

Test(stress_trial, every_illegal_program_faults_and_leaves_the_machine_exact) {
    run(real, 2000);
    cr_expect_eq(sum.findings, 0u, "%llu: %s", (unsigned long long)sum.findings, sum.sentence[0]);
    for (unsigned rule = 1; rule < STRESS_TRIAL_RULES; rule++) {
        const stress_trial_row *row = &sum.row[rule];
        if (stress_illegal_knows((tpu_rule)rule)) {
            cr_expect_gt(row->made, 0u, "%s", tpu_rule_name(rule));
            cr_expect_eq(row->refused, row->made, "%s", tpu_rule_name(rule));
            cr_expect_eq(row->same + row->other, row->made, "%s", tpu_rule_name(rule));
            cr_expect_eq(row->clean, row->made, "%s", tpu_rule_name(rule));
        }
    }
}

// ---- machines that lie -------------------------------------------------------------------------

static tpu_status say_nothing(engine *self, engine_status *out, tpu_message *to) {
    tpu_status status = real->status(self, out, to);
    out->fault = 0;
    return status;
}

static tpu_status say_another(engine *self, engine_status *out, tpu_message *to) {
    tpu_status status = real->status(self, out, to);
    out->fault = out->fault == TPU_RULE_MEM_RANGE ? TPU_RULE_RESULT_RANGE : out->fault;
    return status;
}

static tpu_status say_elsewhere(engine *self, engine_status *out, tpu_message *to) {
    tpu_status status = real->status(self, out, to);
    out->fault_pc++;
    return status;
}

static tpu_status blame_another(engine *self, engine_status *out, tpu_message *to) {
    tpu_status status = real->status(self, out, to);
    out->fault_unit++;
    return status;
}

static tpu_status never_end(engine *self, probe *out, tpu_message *to) {
    tpu_status status = real->step(self, out, to);
    out->done = false;
    return status;
}

// Shows a C that is wrong in one bit: what a machine that is damaged by a fault might do.
static tpu_status spoil_result(engine *self, engine_region region, void *data, size_t bytes,
                               tpu_message *to) {
    tpu_status status = real->read(self, region, data, bytes, to);
    if (region == TPU_MEM_C) {
        *(uint8_t *)data ^= 1;
    }
    return status;
}

Test(stress_trial, a_machine_that_faults_in_silence_is_found) {
    engine_api liar = *real;
    liar.status = say_nothing;
    run(&liar, 40);
    cr_expect_eq(sum.findings, 40u);
}

Test(stress_trial, a_machine_that_names_another_rule_is_found) {
    engine_api liar = *real;
    liar.status = say_another;
    run(&liar, 100);
    cr_expect_eq(sum.findings, sum.row[TPU_RULE_MEM_RANGE].made);
    cr_expect_gt(sum.findings, 0u);
}

Test(stress_trial, a_machine_that_names_another_instruction_is_found) {
    engine_api liar = *real;
    liar.status = say_elsewhere;
    run(&liar, 40);
    // prog.empty, imem.overflow, the overlong counts and the false header have no instruction.
    cr_expect_gt(sum.findings, 25u);
    cr_expect(strstr(sum.sentence[0], "meant at") != NULL, "%s", sum.sentence[0]);
}

// All but those that several units may notice: mm of rows nobody loaded, and overlong counts.
Test(stress_trial, a_machine_that_blames_another_unit_is_found) {
    engine_api liar = *real;
    liar.status = blame_another;
    run(&liar, 40);
    cr_expect_gt(sum.findings, 30u);
    cr_expect(strstr(sum.sentence[0], "blames") != NULL, "%s", sum.sentence[0]);
}

Test(stress_trial, a_machine_that_never_ends_does_not_hang_the_trial) {
    engine_api liar = *real;
    liar.step = never_end;
    run(&liar, 3);
    cr_expect_eq(sum.findings, 3u);
    cr_expect(strstr(sum.sentence[0], "does not end") != NULL, "%s", sum.sentence[0]);
}

Test(stress_trial, a_machine_that_is_not_exact_afterwards_is_found) {
    engine_api liar = *real;
    liar.read = spoil_result;
    run(&liar, 10);
    cr_expect_eq(sum.findings, 10u);
    cr_expect(strstr(sum.sentence[0], "behind it") != NULL, "%s", sum.sentence[0]);
}
