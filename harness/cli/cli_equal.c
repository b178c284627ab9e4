// SPDX-License-Identifier: Apache-2.0
//
// fuzz --equal: the same programs on engines with other contents, latencies and stalls.

#include "harness/cli/cli_bounded.h"
#include "harness/engine/loader.h"
#include "harness/io/jsonnum.h"
#include "harness/replay/reproducer.h"
#include "harness/stress/equal.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WATCHDOG 5000u

static const char usage[] =
    "usage: tpucosim fuzz --equal [OPTION]...\n\n"
    "Runs generated programs on several engines at once, each with initial contents, latency and\n"
    "stalls of its own, and demands the same events and the same C. No model is asked. Exit code "
    "1\n"
    "when two differ. The digest is that of an engine without stalls: it must be the same for\n"
    "every TPU_QD and for the engines of ci/stall_tree.\n"
    "  --seconds N       how long, default 10; 0 = until --programs are done\n"
    "  --programs N      at most so many programs\n"
    "  --seed N          of everything, default 1\n"
    "  --engine KIND     verilator or netlist (TPU_ENGINE)\n"
    "  --watchdog N      cycles without movement before the machine gives up, default 5000\n"
    "  --json            JSON on standard output\n";

static const cli_bounded_kind kind = {
    .option = "equal",
    .watchdog = WATCHDOG,
    .most = UINT64_MAX,
    .drawn = "fuzz --equal runs through latencies, stalls and initial states itself"};

// ---- output ------------------------------------------------------------------------------------

static uint32_t count_latencies(const equal_summary *sum) {
    uint32_t count = 0;
    for (size_t i = 0; i < EQUAL_LATENCIES; i++) {
        count += sum->latency[i] > 0;
    }
    return count;
}

static void put_text(const cli_bounded *asked, const equal_summary *sum) {
    for (uint32_t i = 0; i < sum->findings && i < EQUAL_KEPT; i++) {
        (void)printf("finding: %s\n", sum->sentence[i]);
    }
    (void)printf("runs with stalls:");
    for (int mode = 0; mode < ENGINE_STALL_COUNT; mode++) {
        (void)printf(" %s %" PRIu64, reproducer_stall_name((engine_stall)mode), sum->mode[mode]);
    }
    (void)printf("\nruns with contents: zeros %" PRIu64 ", ones %" PRIu64 ", random %" PRIu64
                 "; read latencies %" PRIu32 " of %u\n",
                 sum->init[ENGINE_INIT_ZEROS], sum->init[ENGINE_INIT_ONES],
                 sum->init[ENGINE_INIT_RANDOM], count_latencies(sum), EQUAL_LATENCIES);
    (void)printf("seed %" PRIu64 ", %.1f s: %" PRIu64 " programs, %" PRIu64 " runs, %" PRIu64
                 " cycles, %" PRIu64 " rows each\n",
                 asked->settings.seed, sum->seconds, sum->programs, sum->runs, sum->cycles,
                 sum->rows);
    (void)printf("%" PRIu64 " finding(s); digest %016" PRIx64 "\n", sum->findings, sum->digest);
}

static tpu_status put_json(const cli_bounded *asked, const equal_summary *sum, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    cJSON *findings = cJSON_AddArrayToObject(root, "findings");
    for (uint32_t i = 0; i < sum->findings && i < EQUAL_KEPT; i++) {
        (void)cJSON_AddItemToArray(findings, cJSON_CreateString(sum->sentence[i]));
    }
    jsonnum_add(root, "seed", asked->settings.seed);
    jsonnum_add_hex(root, "digest", sum->digest);
    (void)cJSON_AddNumberToObject(root, "programs", (double)sum->programs);
    (void)cJSON_AddNumberToObject(root, "runs", (double)sum->runs);
    (void)cJSON_AddNumberToObject(root, "cycles", (double)sum->cycles);
    (void)cJSON_AddNumberToObject(root, "read_latencies", count_latencies(sum));
    (void)cJSON_AddNumberToObject(root, "finding_count", (double)sum->findings);
    (void)cJSON_AddNumberToObject(root, "seconds", sum->seconds);
    return cli_put_json(root, why);
}

static int run_request(const cli_bounded *asked) {
    equal_options options = {.config = asked->settings.config,
                             .hang_limit = asked->settings.hang_limit,
                             .seed = asked->settings.seed,
                             .seconds = asked->seconds,
                             .programs = asked->programs};
    equal_summary *sum = calloc(1, sizeof *sum);
    loader *library = NULL;
    tpu_message why;
    if (sum == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status = loader_open(asked->settings.engine, &options.config.params, &library, &why);
    if (status == TPU_OK) {
        options.api = loader_api(library);
        status = equal_run(&options, sum, &why);
    }
    int code = sum->findings > 0 ? CLI_DIVERGED : CLI_OK;
    if (status == TPU_OK && asked->settings.json) {
        status = put_json(asked, sum, &why);
    } else if (status == TPU_OK) {
        put_text(asked, sum);
    }
    free(sum);
    loader_close(library);
    return status == TPU_OK ? code : cli_fail(status, &why);
}

int cli_equal(int argc, char **argv) {
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
