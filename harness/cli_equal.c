// SPDX-License-Identifier: Apache-2.0
//
// fuzz --equal: the same programs on engines with other contents, latencies and stalls.

#include "harness/cli.h"
#include "harness/equal.h"
#include "harness/jsonnum.h"
#include "harness/loader.h"
#include "harness/reproducer.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SECONDS 10u
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

enum { OPT_EQUAL = 1, OPT_SECONDS, OPT_PROGRAMS };

typedef struct request {
    cli_settings settings;
    equal_options equal;
    bool help;
} request;

static tpu_status take_option(int option, char *const *argv, request *to, tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case OPT_EQUAL:
        return TPU_OK;
    case OPT_SECONDS:
        status = cli_read_number("--seconds", optarg, 100000000, &number, why);
        to->equal.seconds = (double)number;
        return status;
    case OPT_PROGRAMS:
        return cli_read_number("--programs", optarg, UINT64_MAX, &to->equal.programs, why);
    case CLI_OPT_HELP:
        to->help = true;
        return TPU_OK;
    case CLI_OPT_LATENCY:
    case CLI_OPT_STALL:
    case CLI_OPT_INIT:
        return status_fail(why, TPU_REFUSED,
                           "fuzz --equal runs through latencies, stalls and initial states itself");
    default:
        return cli_take_option(option, argv, &to->settings, why);
    }
}

static tpu_status read_request(int argc, char **argv, request *out, tpu_message *why) {
    static const struct option options[] = {{"equal", no_argument, NULL, OPT_EQUAL},
                                            {"seconds", required_argument, NULL, OPT_SECONDS},
                                            {"programs", required_argument, NULL, OPT_PROGRAMS},
                                            CLI_SETTING_OPTIONS};
    int option = 0;
    *out = (request){.equal = {.seconds = SECONDS}};
    tpu_status status = cli_read_settings(&out->settings, why);
    out->settings.config.watchdog = WATCHDOG;
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        status = take_option(option, argv, out, why);
    }
    if (status == TPU_OK && optind < argc) {
        return status_fail(why, TPU_REFUSED, "fuzz takes no argument \"%s\"", argv[optind]);
    }
    if (status == TPU_OK && out->equal.seconds <= 0 && out->equal.programs == 0) {
        return status_fail(why, TPU_REFUSED, "fuzz: --seconds 0 needs --programs");
    }
    out->equal.config = out->settings.config;
    out->equal.hang_limit = out->settings.hang_limit;
    out->equal.seed = out->settings.seed;
    return status;
}

// ---- output ------------------------------------------------------------------------------------

static uint32_t count_latencies(const equal_summary *sum) {
    uint32_t count = 0;
    for (size_t i = 0; i < EQUAL_LATENCIES; i++) {
        count += sum->latency[i] > 0;
    }
    return count;
}

static void put_text(const request *asked, const equal_summary *sum) {
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
                 asked->equal.seed, sum->seconds, sum->programs, sum->runs, sum->cycles, sum->rows);
    (void)printf("%" PRIu64 " finding(s); digest %016" PRIx64 "\n", sum->findings, sum->digest);
}

static void put_json(const request *asked, const equal_summary *sum) {
    cJSON *root = cJSON_CreateObject();
    cJSON *findings = cJSON_AddArrayToObject(root, "findings");
    for (uint32_t i = 0; i < sum->findings && i < EQUAL_KEPT; i++) {
        (void)cJSON_AddItemToArray(findings, cJSON_CreateString(sum->sentence[i]));
    }
    jsonnum_add(root, "seed", asked->equal.seed);
    jsonnum_add_hex(root, "digest", sum->digest);
    (void)cJSON_AddNumberToObject(root, "programs", (double)sum->programs);
    (void)cJSON_AddNumberToObject(root, "runs", (double)sum->runs);
    (void)cJSON_AddNumberToObject(root, "cycles", (double)sum->cycles);
    (void)cJSON_AddNumberToObject(root, "read_latencies", count_latencies(sum));
    (void)cJSON_AddNumberToObject(root, "finding_count", (double)sum->findings);
    (void)cJSON_AddNumberToObject(root, "seconds", sum->seconds);
    char *shown = cJSON_Print(root);
    cJSON_Delete(root);
    (void)puts(shown != NULL ? shown : "null");
    free(shown);
}

static int run_request(request *asked) {
    equal_summary *sum = calloc(1, sizeof *sum);
    loader *library = NULL;
    tpu_message why;
    if (sum == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status =
        loader_open(asked->settings.engine, &asked->equal.config.params, &library, &why);
    if (status == TPU_OK) {
        asked->equal.api = loader_api(library);
        status = equal_run(&asked->equal, sum, &why);
    }
    int code = sum->findings > 0 ? CLI_DIVERGED : CLI_OK;
    if (status != TPU_OK) {
        code = cli_fail(status, &why);
    } else if (asked->settings.json) {
        put_json(asked, sum);
    } else {
        put_text(asked, sum);
    }
    free(sum);
    loader_close(library);
    return code;
}

int cli_equal(int argc, char **argv) {
    request asked;
    tpu_message why;
    tpu_status status = read_request(argc, argv, &asked, &why);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (asked.help) {
        (void)fputs(usage, stdout);
        return CLI_OK;
    }
    return run_request(&asked);
}
