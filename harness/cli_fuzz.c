// SPDX-License-Identifier: Apache-2.0
//
// fuzz: random legal programs in lockstep until the time is up; a table of the findings at the end.

#define _POSIX_C_SOURCE 200809L // isatty

#include "harness/cli.h"
#include "harness/cli_waiver.h"
#include "harness/failure.h"
#include "harness/fuzz_workers.h"
#include "harness/jsonnum.h"
#include "harness/loader.h"
#include "harness/traits.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 10u
#define JOBS_MAX 256u
// No latency and no row of stalls that is drawn comes near; a hang is shrunk many times over.
#define WATCHDOG 2000u
// Shrinking of one finding, and of all findings of a worker.
#define SHRINK_SECONDS 10u
#define SHRINK_FACTOR 6u

static const char usage[] =
    "usage: tpucosim fuzz [OPTION]...\n\n"
    "Generates legal programs, runs them in lockstep one after the other without reset, with\n"
    "random memory latencies and stalls, and compares every event. Findings with one signature\n"
    "are one line, and one directory with repro.json (shrunk), found.json (as it was found),\n"
    "program.s and report.txt. Exit code 1 when there is a finding.\n"
    "  --seconds N       how long, default 10; 0 = until --programs are done\n"
    "  --programs N      at most so many in each job\n"
    "  --jobs N          processes; which programs run does not depend on it, default 1\n"
    "  --cycles N        work that a program aims at, default 110 cycles of the busiest unit\n"
    "  --calm            no latency, no stalls\n"
    "  --out DIR         where the directories go, default fail\n"
    "  --shrink N        seconds for each new finding, default 10; 0 = as found\n"
    "  --coverage        the bins of the functional coverage with the programs that hit each\n"
    "  --traits          how many of the sampled programs exercised what\n"
    "  --engine KIND     verilator, systemc or netlist (TPU_ENGINE)\n"
    "  --seed N          of everything, default 1\n"
    "  --init KIND       zeros, ones or random in every sequence; by default it is drawn\n"
    "  --watchdog N      cycles without movement before the machine gives up, default 2000\n"
    "  --json            JSON on standard output\n" CLI_WAIVER_HELP
    "  --illegal         programs that break one rule each instead; fuzz --illegal --help\n"
    "  --equal           the same programs with other timing and contents; fuzz --equal --help\n"
    "The machine is the one of TPU_T, TPU_MAXDIM, TPU_SPAD, TPU_NVR, TPU_NAR, TPU_IMEM, TPU_QD,\n"
    "TPU_DMA_WORDS and TPU_DMA_WIDEN.\n";

enum {
    OPT_SECONDS = 1,
    OPT_PROGRAMS,
    OPT_JOBS,
    OPT_CYCLES,
    OPT_CALM,
    OPT_OUT,
    OPT_SHRINK,
    OPT_TRAITS,
    OPT_COVERAGE,
    OPT_WAIVERS,
    OPT_TODAY
};

typedef struct request {
    cli_settings settings;
    fuzz_options fuzz;
    cli_waivers waivers;
    bool traits;
    bool help;
} request;

static tpu_status take_number(const char *name, uint64_t limit, uint64_t *out, tpu_message *why) {
    return cli_read_number(name, optarg, limit, out, why);
}

static tpu_status take_option(int option, char *const *argv, request *to, tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case OPT_SECONDS:
        status = take_number("--seconds", 100000000, &number, why);
        to->fuzz.seconds = (double)number;
        return status;
    case OPT_PROGRAMS:
        return take_number("--programs", UINT64_MAX, &to->fuzz.programs, why);
    case OPT_JOBS:
        status = take_number("--jobs", JOBS_MAX, &number, why);
        to->fuzz.jobs = number > 0 ? (uint32_t)number : 1;
        return status;
    case OPT_CYCLES:
        status = take_number("--cycles", 20000, &number, why);
        to->fuzz.shape.cycles = (uint32_t)number;
        return status;
    case OPT_CALM:
        to->fuzz.calm = true;
        return TPU_OK;
    case OPT_OUT:
        to->fuzz.directory = optarg;
        return TPU_OK;
    case OPT_SHRINK:
        status = take_number("--shrink", 100000, &number, why);
        to->fuzz.shrink_seconds = (double)number;
        return status;
    case OPT_COVERAGE:
        to->fuzz.coverage = true;
        return TPU_OK;
    case OPT_WAIVERS:
        to->waivers.path = optarg;
        return TPU_OK;
    case OPT_TODAY:
        return cli_waivers_set_today(&to->waivers, optarg, why);
    case OPT_TRAITS:
        to->traits = true;
        return TPU_OK;
    case CLI_OPT_HELP:
        to->help = true;
        return TPU_OK;
    case CLI_OPT_LATENCY:
    case CLI_OPT_STALL:
        return status_fail(why, TPU_REFUSED,
                           "fuzz draws latency and stalls for itself; --calm leaves them out");
    case CLI_OPT_INIT:
        to->fuzz.keep_init = true;
        return cli_take_option(option, argv, &to->settings, why);
    default:
        return cli_take_option(option, argv, &to->settings, why);
    }
}

static tpu_status read_request(int argc, char **argv, request *out, tpu_message *why) {
    static const struct option options[] = {{"seconds", required_argument, NULL, OPT_SECONDS},
                                            {"programs", required_argument, NULL, OPT_PROGRAMS},
                                            {"jobs", required_argument, NULL, OPT_JOBS},
                                            {"cycles", required_argument, NULL, OPT_CYCLES},
                                            {"calm", no_argument, NULL, OPT_CALM},
                                            {"out", required_argument, NULL, OPT_OUT},
                                            {"shrink", required_argument, NULL, OPT_SHRINK},
                                            {"coverage", no_argument, NULL, OPT_COVERAGE},
                                            {"traits", no_argument, NULL, OPT_TRAITS},
                                            {"waivers", required_argument, NULL, OPT_WAIVERS},
                                            {"today", required_argument, NULL, OPT_TODAY},
                                            CLI_SETTING_OPTIONS};
    int option = 0;
    *out = (request){
        .fuzz = {
            .seconds = SECONDS, .jobs = 1, .directory = "fail", .shrink_seconds = SHRINK_SECONDS}};
    tpu_status status = cli_read_settings(&out->settings, why);
    out->settings.config.watchdog = WATCHDOG;
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        status = take_option(option, argv, out, why);
    }
    if (status == TPU_OK && optind < argc) {
        return status_fail(why, TPU_REFUSED, "fuzz takes no argument \"%s\"", argv[optind]);
    }
    if (status == TPU_OK && out->fuzz.seconds <= 0 && out->fuzz.programs == 0) {
        return status_fail(why, TPU_REFUSED, "fuzz: --seconds 0 needs --programs");
    }
    out->fuzz.engine = out->settings.engine;
    out->fuzz.config = out->settings.config;
    out->fuzz.hang_limit = out->settings.hang_limit;
    out->fuzz.seed = out->settings.seed;
    out->fuzz.budget_seconds = SHRINK_FACTOR * out->fuzz.shrink_seconds;
    return status;
}

// ---- output ------------------------------------------------------------------------------------

static double rate(uint64_t count, double seconds) {
    return seconds > 0 ? (double)count / seconds : 0;
}

static void put_progress(void *user, uint64_t programs, uint64_t cycles, uint64_t findings,
                         double seconds) {
    (void)user;
    (void)fprintf(stderr,
                  "\r%6.0f s  %" PRIu64 " programs (%.0f/s)  %" PRIu64 " cycles  %" PRIu64
                  " finding(s) ",
                  seconds, programs, rate(programs, seconds), cycles, findings);
}

static void put_bucket(const request *asked, const fuzz_bucket *bucket) {
    char name[FUZZ_SIGNATURE_MAX];
    failure_name(bucket->signature, name, sizeof name);
    (void)printf("\n%s\n  %s\n", bucket->signature, bucket->sentence);
    (void)printf("  %" PRIu64 " time(s), first in sequence %" PRIu64 ", program %" PRIu32
                 ", after %.2f s and %" PRIu64 " program(s)\n",
                 bucket->count, bucket->sequence, bucket->index, bucket->seconds, bucket->program);
    if (bucket->runs > 0) {
        (void)printf("  %" PRIu32 " instruction(s) of %" PRIu32 ", in %" PRIu32
                     " run(s): tpucosim replay %s/%s/repro.json\n",
                     bucket->instructions, bucket->found_instructions, bucket->runs,
                     asked->fuzz.directory, name);
    }
}

static void put_traits(const fuzz_summary *sum) {
    (void)printf("\nof %" PRIu64 " programs looked at:\n", sum->sampled);
    for (unsigned i = 0; i < TRAITS_COUNT; i++) {
        (void)printf("%8" PRIu64 "  %s\n", sum->traits[i], traits_text((traits_name)i));
    }
}

static void put_coverage(const fuzz_summary *sum) {
    char name[COVERAGE_NAME_MAX];
    (void)printf("\nprograms that hit each bin:\n");
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        if (sum->covered[bin] > 0 || coverage_possible(bin)) {
            coverage_name(bin, name, sizeof name);
            (void)printf("%8" PRIu64 "  %s\n", sum->covered[bin], name);
        }
    }
}

static void put_text(const request *asked, const fuzz_summary *sum) {
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        put_bucket(asked, &sum->bucket[i]);
    }
    if (asked->traits) {
        put_traits(sum);
    }
    if (asked->fuzz.coverage) {
        put_coverage(sum);
    }
    cli_waivers_put(&asked->waivers, true);
    if (sum->bucket_count > 0 || asked->traits || asked->fuzz.coverage ||
        asked->waivers.list.count > 0) {
        (void)printf("\n");
    }
    (void)printf("seed %" PRIu64 ", %u job(s), %.1f s: %" PRIu64 " programs, %" PRIu64
                 " issues, %" PRIu64 " cycles checked, %" PRIu64 " rows compared\n",
                 asked->fuzz.seed, asked->fuzz.jobs, sum->seconds, sum->programs, sum->issues,
                 sum->cycles, sum->rows);
    (void)printf("%.0f programs/s, %.0f cycles/s; a second of processor time: %.0f programs, %.0f "
                 "cycles\n",
                 rate(sum->programs, sum->seconds), rate(sum->cycles, sum->seconds),
                 rate(sum->programs, sum->processor_seconds),
                 rate(sum->cycles, sum->processor_seconds));
    if (asked->fuzz.coverage) {
        (void)printf("%" PRIu32 " of %" PRIu32 " bins hit\n", coverage_count(sum->covered),
                     coverage_possible_count());
    }
    (void)printf("%" PRIu64 " finding(s) of %" PRIu32 " kind(s); digest %016" PRIx64 "\n",
                 sum->findings, sum->bucket_count, sum->digest);
}

// In GitHub Actions: each finding at the unit that it blames.
static void annotate_findings(const request *asked, const fuzz_summary *sum) {
    char path[FUZZ_SIGNATURE_MAX + 256];
    char name[FUZZ_SIGNATURE_MAX];
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        failure_name(sum->bucket[i].signature, name, sizeof name);
        (void)snprintf(path, sizeof path, "%.200s/%s", asked->fuzz.directory, name);
        cli_annotate_directory(sum->bucket[i].runs > 0 ? path : "");
    }
}

static void add_bucket(cJSON *to, const request *asked, const fuzz_bucket *bucket) {
    char name[FUZZ_SIGNATURE_MAX];
    char path[FUZZ_SIGNATURE_MAX + 256];
    cJSON *out = cJSON_CreateObject();
    failure_name(bucket->signature, name, sizeof name);
    (void)snprintf(path, sizeof path, "%.200s/%s", asked->fuzz.directory, name);
    (void)cJSON_AddItemToArray(to, out);
    (void)cJSON_AddStringToObject(out, "signature", bucket->signature);
    (void)cJSON_AddStringToObject(out, "sentence", bucket->sentence);
    (void)cJSON_AddNumberToObject(out, "count", (double)bucket->count);
    (void)cJSON_AddNumberToObject(out, "sequence", (double)bucket->sequence);
    (void)cJSON_AddNumberToObject(out, "index", bucket->index);
    (void)cJSON_AddNumberToObject(out, "programs_before", (double)bucket->program);
    (void)cJSON_AddNumberToObject(out, "seconds", bucket->seconds);
    (void)cJSON_AddNumberToObject(out, "found_instructions", bucket->found_instructions);
    (void)cJSON_AddNumberToObject(out, "instructions", bucket->instructions);
    (void)cJSON_AddNumberToObject(out, "runs", bucket->runs);
    if (bucket->runs > 0) {
        (void)cJSON_AddStringToObject(out, "directory", path);
    }
}

static tpu_status put_json(const request *asked, const fuzz_summary *sum, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    jsonnum_add(root, "seed", asked->fuzz.seed);
    jsonnum_add_hex(root, "digest", sum->digest);
    (void)cJSON_AddNumberToObject(root, "jobs", asked->fuzz.jobs);
    (void)cJSON_AddNumberToObject(root, "seconds", sum->seconds);
    (void)cJSON_AddNumberToObject(root, "processor_seconds", sum->processor_seconds);
    (void)cJSON_AddNumberToObject(root, "programs", (double)sum->programs);
    (void)cJSON_AddNumberToObject(root, "issues", (double)sum->issues);
    (void)cJSON_AddNumberToObject(root, "cycles", (double)sum->cycles);
    (void)cJSON_AddNumberToObject(root, "rows", (double)sum->rows);
    (void)cJSON_AddNumberToObject(root, "findings", (double)sum->findings);
    cJSON *buckets = cJSON_AddArrayToObject(root, "buckets");
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        add_bucket(buckets, asked, &sum->bucket[i]);
    }
    (void)cJSON_AddItemToObject(root, "waivers", cli_waivers_json(&asked->waivers, true));
    char *shown = cJSON_Print(root);
    cJSON_Delete(root);
    if (shown == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "fuzz: out of memory");
    }
    (void)puts(shown);
    free(shown);
    return TPU_OK;
}

// Findings that no waiver knows, and waivers that do not hold, make it red.
static int judge(request *asked, const fuzz_summary *sum) {
    uint64_t unknown = sum->findings; // more than the buckets hold stay unknown
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        const fuzz_bucket *bucket = &sum->bucket[i];
        if (waiver_note(&asked->waivers.list, bucket->signature, bucket->count)) {
            unknown -= bucket->count;
        }
    }
    size_t faults = waiver_faults(&asked->waivers.list, asked->waivers.today, true);
    return unknown > 0 || faults > 0 ? CLI_DIVERGED : CLI_OK;
}

static int run_request(request *asked) {
    bool eager = isatty(STDERR_FILENO) != 0 && !asked->settings.json;
    fuzz_summary *sum = calloc(1, sizeof *sum);
    loader *library = NULL;
    tpu_message why;
    if (sum == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status = cli_waivers_open(&asked->waivers, &why);
    if (status == TPU_OK) {
        status = loader_open(asked->fuzz.engine, &asked->fuzz.config.params, &library, &why);
    }
    if (status != TPU_OK) {
        waiver_clear(&asked->waivers.list);
        free(sum);
        return cli_fail(status, &why);
    }
    asked->fuzz.api = loader_api(library);
    status = fuzz_workers_run(&asked->fuzz, eager ? put_progress : NULL, NULL, sum, &why);
    if (eager) {
        (void)fprintf(stderr, "\n");
    }
    tpu_message cause;
    int code = judge(asked, sum);
    if (asked->settings.json && put_json(asked, sum, &cause) != TPU_OK && status == TPU_OK) {
        status = status_fail(&why, TPU_ERR_MEMORY, "%s", cause.text);
    } else if (!asked->settings.json) {
        put_text(asked, sum);
    }
    annotate_findings(asked, sum);
    waiver_clear(&asked->waivers.list);
    free(sum);
    loader_close(library);
    return status == TPU_OK ? code : cli_fail(status, &why);
}

// --illegal or --equal among the arguments makes it another command.
static bool wants(int argc, char **argv, const char *option) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], option) == 0) {
            return true;
        }
    }
    return false;
}

int cli_fuzz(int argc, char **argv) {
    request asked;
    tpu_message why;
    if (wants(argc, argv, "--illegal")) {
        return cli_illegal(argc, argv);
    }
    if (wants(argc, argv, "--equal")) {
        return cli_equal(argc, argv);
    }
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
