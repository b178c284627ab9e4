// SPDX-License-Identifier: Apache-2.0
//
// fuzz: random legal programs in lockstep until the time is up; a table of the findings at the end.

#include "harness/cli/cli.h"
#include "harness/cli/cli_fuzz_internal.h"
#include "harness/engine/loader.h"
#include "harness/fuzz/guided.h"

#include <stdio.h>
#include <stdlib.h>

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
    "  --first           each job ends at its first finding\n"
    "  --calm            no latency, no stalls\n"
    "  --out DIR         where the directories go, default fail\n"
    "  --shrink N        seconds for each new finding, default 10; 0 = as found\n"
    "  --guided          learn from what programs cover instead of drawing each anew\n"
    "  --corpus DIR      with --guided: what it learnt, read at the start and added to\n"
    "  --replay-corpus DIR  runs every file of a corpus, each on a fresh machine, and nothing "
    "else\n"
    "  --minimise DIR    runs every file of a corpus and removes those that cover nothing more\n"
    "  --keep N          at most so many files of it: those that cover most for their size\n"
    "  --coverage        the bins of the functional coverage with the programs that hit each\n"
    "  --growth FILE     bins over time as CSV, a line a second\n"
    "  --watch WAY       every event (default), issue, end, c or hang: docs/detectors.md\n"
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
    OPT_FIRST,
    OPT_CALM,
    OPT_OUT,
    OPT_SHRINK,
    OPT_TRAITS,
    OPT_WATCH,
    OPT_COVERAGE,
    OPT_WAIVERS,
    OPT_TODAY,
    OPT_GUIDED,
    OPT_CORPUS,
    OPT_GROWTH,
    OPT_REPLAY,
    OPT_MINIMISE,
    OPT_KEEP
};

static tpu_status take_number(const char *name, uint64_t limit, uint64_t *out, tpu_message *why) {
    return cli_read_number(name, optarg, limit, out, why);
}

// What guidance, coverage and corpora are told.
static tpu_status take_guidance(int option, cli_fuzz_request *to, tpu_message *why) {
    switch (option) {
    case OPT_GUIDED:
        to->fuzz.drive = guided_run;
        return TPU_OK;
    case OPT_CORPUS:
        to->fuzz.corpus = optarg;
        return TPU_OK;
    case OPT_KEEP:
        return take_number("--keep", 1000000, &to->keep, why);
    case OPT_REPLAY:
        to->replay = optarg;
        return TPU_OK;
    case OPT_MINIMISE:
        to->minimise = optarg;
        return TPU_OK;
    case OPT_GROWTH:
        to->growth = optarg;
        to->fuzz.coverage = true;
        return TPU_OK;
    default: // OPT_COVERAGE
        to->fuzz.coverage = true;
        return TPU_OK;
    }
}

static tpu_status take_option(int option, char *const *argv, cli_fuzz_request *to,
                              tpu_message *why) {
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
    case OPT_FIRST:
        to->fuzz.first = true;
        return TPU_OK;
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
    case OPT_GUIDED:
    case OPT_CORPUS:
    case OPT_KEEP:
    case OPT_REPLAY:
    case OPT_MINIMISE:
    case OPT_GROWTH:
    case OPT_COVERAGE:
        return take_guidance(option, to, why);
    case OPT_WAIVERS:
        to->waivers.path = optarg;
        return TPU_OK;
    case OPT_TODAY:
        return cli_waivers_set_today(&to->waivers, optarg, why);
    case OPT_WATCH:
        return lockstep_watch_parse(optarg, &to->fuzz.watch, why);
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

static tpu_status read_request(int argc, char **argv, cli_fuzz_request *out, tpu_message *why) {
    static const struct option options[] = {{"seconds", required_argument, NULL, OPT_SECONDS},
                                            {"programs", required_argument, NULL, OPT_PROGRAMS},
                                            {"jobs", required_argument, NULL, OPT_JOBS},
                                            {"cycles", required_argument, NULL, OPT_CYCLES},
                                            {"first", no_argument, NULL, OPT_FIRST},
                                            {"calm", no_argument, NULL, OPT_CALM},
                                            {"out", required_argument, NULL, OPT_OUT},
                                            {"shrink", required_argument, NULL, OPT_SHRINK},
                                            {"coverage", no_argument, NULL, OPT_COVERAGE},
                                            {"growth", required_argument, NULL, OPT_GROWTH},
                                            {"replay-corpus", required_argument, NULL, OPT_REPLAY},
                                            {"minimise", required_argument, NULL, OPT_MINIMISE},
                                            {"keep", required_argument, NULL, OPT_KEEP},
                                            {"guided", no_argument, NULL, OPT_GUIDED},
                                            {"corpus", required_argument, NULL, OPT_CORPUS},
                                            {"traits", no_argument, NULL, OPT_TRAITS},
                                            {"watch", required_argument, NULL, OPT_WATCH},
                                            {"waivers", required_argument, NULL, OPT_WAIVERS},
                                            {"today", required_argument, NULL, OPT_TODAY},
                                            CLI_SETTING_OPTIONS};
    int option = 0;
    *out = (cli_fuzz_request){
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

// Findings that no waiver knows, and waivers that do not hold, make it red.
static int judge(cli_fuzz_request *asked, const fuzz_summary *sum) {
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

static int run_request(cli_fuzz_request *asked) {
    fuzz_summary *sum = calloc(1, sizeof *sum);
    loader *library = NULL;
    tpu_message why;
    tpu_message cause;
    if (sum == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status = cli_waivers_open(&asked->waivers, &why);
    if (status == TPU_OK) {
        status = cli_fuzz_check(asked, &why);
    }
    if (status == TPU_OK) {
        status = loader_open(asked->fuzz.engine, &asked->fuzz.config.params, &library, &why);
    }
    if (status == TPU_OK) {
        asked->fuzz.api = loader_api(library);
        status = cli_fuzz_run(asked, sum, &why);
    }
    int code = judge(asked, sum);
    if (status == TPU_REFUSED) { // nothing ran
    } else if (asked->settings.json && cli_fuzz_show_json(asked, sum, &cause) != TPU_OK) {
        status = status_fail(&why, TPU_ERR_MEMORY, "%s", cause.text);
    } else if (!asked->settings.json) {
        cli_fuzz_show_text(asked, sum);
    }
    cli_fuzz_show_annotations(asked, sum);
    waiver_clear(&asked->waivers.list);
    free(sum);
    loader_close(library);
    return status == TPU_OK ? code : cli_fail(status, &why);
}

int cli_fuzz(int argc, char **argv) {
    cli_fuzz_request asked;
    tpu_message why;
    if (cli_has_option(argc, argv, "--illegal")) {
        return cli_illegal(argc, argv);
    }
    if (cli_has_option(argc, argv, "--equal")) {
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
