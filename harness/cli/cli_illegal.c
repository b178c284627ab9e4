// SPDX-License-Identifier: Apache-2.0
//
// fuzz --illegal: programs that break one rule each, and a table of what check and machine made of
// them.

#include "harness/cli/cli_bounded.h"
#include "harness/engine/loader.h"
#include "harness/stress/stress_trial.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WATCHDOG 2000u

static const char usage[] =
    "usage: tpucosim fuzz --illegal [OPTION]...\n\n"
    "Breaks one rule after the other in generated programs. `check` must refuse each with that\n"
    "rule at that instruction; the machine with its check off must end in a fault; a legal\n"
    "program behind it on the same engine must be exact. Exit code 1 when one of that fails or a\n"
    "rule had no program.\n"
    "  --seconds N       how long, default 10; 0 = until --programs are done\n"
    "  --programs N      at most so many illegal programs\n"
    "  --seed N          of everything, default 1\n"
    "  --engine KIND     verilator, systemc or netlist (TPU_ENGINE)\n"
    "  --watchdog N      cycles without movement before the machine gives up, default 2000\n"
    "  --json            JSON on standard output\n";

static const cli_bounded_kind kind = {
    .option = "illegal",
    .watchdog = WATCHDOG,
    .most = UINT64_MAX / 8,
    .drawn = "fuzz --illegal draws latency, stalls and initial state for itself"};

// ---- output ------------------------------------------------------------------------------------

// Rules that no program broke though they can be broken on this machine.
static uint32_t count_missing(const stress_trial_summary *sum) {
    uint32_t missing = 0;
    for (unsigned rule = 1; rule < STRESS_TRIAL_RULES; rule++) {
        const stress_trial_row *row = &sum->row[rule];
        missing += stress_illegal_knows((tpu_rule)rule) && row->made == 0 && !row->impossible;
    }
    return missing;
}

static void put_text(const cli_bounded *asked, const stress_trial_summary *sum) {
    (void)printf("%-22s %10s %10s %12s %12s %10s\n", "rule", "programs", "refused", "same fault",
                 "other fault", "clean");
    for (unsigned rule = 1; rule < STRESS_TRIAL_RULES; rule++) {
        const stress_trial_row *row = &sum->row[rule];
        if (!stress_illegal_knows((tpu_rule)rule)) {
            continue;
        }
        (void)printf("%-22s %10" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64
                     "%s\n",
                     tpu_rule_name(rule), row->made, row->refused, row->same, row->other,
                     row->clean, row->impossible ? "  cannot be broken here" : "");
    }
    for (uint32_t i = 0; i < sum->findings && i < STRESS_TRIAL_KEPT; i++) {
        (void)printf("finding: %s\n", sum->sentence[i]);
    }
    (void)printf("seed %" PRIu64 ", %.1f s: %" PRIu64 " illegal programs, %" PRIu64
                 " finding(s), %" PRIu32 " rule(s) without a program\n",
                 asked->settings.seed, sum->seconds, sum->programs, sum->findings,
                 count_missing(sum));
}

static void add_row(cJSON *to, unsigned rule, const stress_trial_row *row) {
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddItemToArray(to, out);
    (void)cJSON_AddStringToObject(out, "rule", tpu_rule_name(rule));
    (void)cJSON_AddNumberToObject(out, "programs", (double)row->made);
    (void)cJSON_AddNumberToObject(out, "refused", (double)row->refused);
    (void)cJSON_AddNumberToObject(out, "same_fault", (double)row->same);
    (void)cJSON_AddNumberToObject(out, "other_fault", (double)row->other);
    (void)cJSON_AddNumberToObject(out, "clean", (double)row->clean);
    (void)cJSON_AddNumberToObject(out, "cycles", (double)row->cycles);
}

static tpu_status put_json(const stress_trial_summary *sum, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    cJSON *rows = cJSON_AddArrayToObject(root, "rules");
    for (unsigned rule = 1; rule < STRESS_TRIAL_RULES; rule++) {
        if (stress_illegal_knows((tpu_rule)rule)) {
            add_row(rows, rule, &sum->row[rule]);
        }
    }
    cJSON *findings = cJSON_AddArrayToObject(root, "findings");
    for (uint32_t i = 0; i < sum->findings && i < STRESS_TRIAL_KEPT; i++) {
        (void)cJSON_AddItemToArray(findings, cJSON_CreateString(sum->sentence[i]));
    }
    (void)cJSON_AddNumberToObject(root, "programs", (double)sum->programs);
    (void)cJSON_AddNumberToObject(root, "finding_count", (double)sum->findings);
    (void)cJSON_AddNumberToObject(root, "seconds", sum->seconds);
    return cli_put_json(root, why);
}

static int run_request(const cli_bounded *asked) {
    stress_trial_options options = {.config = asked->settings.config,
                                    .hang_limit = asked->settings.hang_limit,
                                    .seed = asked->settings.seed,
                                    .seconds = asked->seconds,
                                    .programs = asked->programs};
    stress_trial_summary *sum = calloc(1, sizeof *sum);
    loader *library = NULL;
    tpu_message why;
    if (sum == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status = loader_open(asked->settings.engine, &options.config.params, &library, &why);
    if (status == TPU_OK) {
        options.api = loader_api(library);
        status = stress_trial_run(&options, sum, &why);
    }
    int code = sum->findings > 0 || count_missing(sum) > 0 ? CLI_DIVERGED : CLI_OK;
    if (status == TPU_OK && asked->settings.json) {
        status = put_json(sum, &why);
    } else if (status == TPU_OK) {
        put_text(asked, sum);
    }
    free(sum);
    loader_close(library);
    return status == TPU_OK ? code : cli_fail(status, &why);
}

int cli_illegal(int argc, char **argv) {
    cli_bounded asked;
    tpu_message why;
    tpu_status status = cli_bounded_read(argc, argv, &kind, &asked, &why);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (asked.help) {
        (void)fputs(usage, stdout);
        return CLI_OK;
    }
    return run_request(&asked);
}
