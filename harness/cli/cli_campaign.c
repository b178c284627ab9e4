// SPDX-License-Identifier: Apache-2.0
//
// campaign: options, progress, and what the exit code makes of the result.

#define _XOPEN_SOURCE 700 // isatty, SIGXFSZ

#include "harness/cli/cli.h"

#include "base/stopwatch.h"
#include "harness/cli/cli_campaign.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 256u
#define GROUPS_MAX 100000u
#define SEQUENCES 256u
#define UNIT 8u
// As in fuzz: no latency and no row of stalls that is drawn comes near.
#define WATCHDOG 2000u
#define SHRINK_SECONDS 10u

static const char usage[] =
    "usage: tpucosim campaign DIR [OPTION]...\n\n"
    "Fuzzing by plan: points x seeds x sequences, shared by processes and kept in DIR. Stopped in\n"
    "any way, the same command goes on where it was; `tpucosim campaign DIR` is enough. Exit code\n"
    "1 when there is a finding that no waiver covers, or a waiver that does not hold.\n"
    "The plan, fixed when DIR is new:\n"
    "  --seeds A..B      default 1\n"
    "  --sequences N     of 128 programs, for each seed at each point, default 256\n"
    "  --points FILE     parameter points, a line each, such as TPU_T=8 TPU_QD=2; default: the\n"
    "                    machine of TPU_T, TPU_MAXDIM, ... in the environment\n"
    "  --unit N          sequences that are finished or run again together, default 8\n"
    "  --cycles N        work that a program aims at, default 110 cycles of the busiest unit\n"
    "  --calm            no latency, no stalls\n"
    "  --init KIND       zeros, ones or random in every sequence; by default it is drawn\n"
    "  --watchdog N      cycles without movement before the machine gives up, default 2000\n"
    "  --engine KIND     verilator or netlist (TPU_ENGINE)\n"
    "How it is run:\n"
    "  --jobs N          processes, default 1\n"
    "  --seconds N       begin no unit after so long; the rest is for the next time\n"
    "  --worker I/N      this is group I of N, each with --jobs processes; --merge ends it\n"
    "  --merge           only put together what the groups did, and judge it\n"
    "  --shrink N        seconds for each new finding, default 10; 0 = as found\n"
    "  --commit TEXT     what is tested, for \"first seen\"\n" CLI_WAIVER_HELP
    "  --junit FILE      the result as JUnit XML\n"
    "  --json            JSON on standard output\n";

enum {
    OPT_SEEDS = 1,
    OPT_SEQUENCES,
    OPT_POINTS,
    OPT_UNIT,
    OPT_CYCLES,
    OPT_CALM,
    OPT_JOBS,
    OPT_SECONDS,
    OPT_WORKER,
    OPT_MERGE,
    OPT_SHRINK,
    OPT_COMMIT,
    OPT_WAIVERS,
    OPT_TODAY,
    OPT_JUNIT
};

typedef struct request {
    cli_settings settings;
    campaign_options run;
    cli_waivers waivers;
    const char *junit;
    bool merge;
    bool help;
} request;

// ---- options -----------------------------------------------------------------------------------

static tpu_status take_key(request *to, campaign_key key, tpu_message *why) {
    to->run.plan.given[key] = true;
    return campaign_plan_take(&to->run.plan, key, optarg, why);
}

static tpu_status take_worker(request *to, tpu_message *why) {
    char *slash = NULL;
    char *end = NULL;
    unsigned long group = strtoul(optarg, &slash, 10);
    unsigned long groups = *slash == '/' ? strtoul(slash + 1, &end, 10) : 0;
    bool digits = optarg[0] >= '0' && optarg[0] <= '9' && *slash == '/' && slash[1] >= '0' &&
                  slash[1] <= '9' && *end == '\0';
    if (!digits || group < 1 || group > groups || groups > GROUPS_MAX) {
        return status_fail(why, TPU_REFUSED, "--worker: \"%.40s\" is not I/N, I from 1 to N",
                           optarg);
    }
    to->run.worker = (uint32_t)group - 1;
    to->run.workers = (uint32_t)groups;
    return TPU_OK;
}

static tpu_status take_number(const char *name, uint64_t least, uint64_t limit, uint64_t *out,
                              tpu_message *why) {
    tpu_status status = cli_read_number(name, optarg, limit, out, why);
    return status == TPU_OK && *out < least
               ? status_fail(why, TPU_REFUSED, "%s: must be at least %" PRIu64, name, least)
               : status;
}

static tpu_status take_run_option(int option, request *to, tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case OPT_JOBS:
        status = take_number("--jobs", 1, JOBS_MAX, &number, why);
        to->run.jobs = (uint32_t)number;
        return status;
    case OPT_SECONDS:
        status = take_number("--seconds", 0, 100000000, &number, why);
        to->run.seconds = (double)number;
        return status;
    case OPT_SHRINK:
        status = take_number("--shrink", 0, 100000, &number, why);
        to->run.shrink_seconds = (double)number;
        return status;
    case OPT_WORKER:
        return take_worker(to, why);
    case OPT_MERGE:
        to->merge = true;
        return TPU_OK;
    case OPT_COMMIT:
        to->run.commit = optarg;
        return TPU_OK;
    case OPT_WAIVERS:
        to->waivers.path = optarg;
        return TPU_OK;
    case OPT_TODAY:
        return cli_waivers_set_today(&to->waivers, optarg, why);
    default:
        to->junit = optarg;
        return TPU_OK;
    }
}

static tpu_status take_setting(int option, char *const *argv, request *to, tpu_message *why) {
    switch (option) {
    case CLI_OPT_HELP:
        to->help = true;
        return TPU_OK;
    case CLI_OPT_LATENCY:
    case CLI_OPT_STALL:
    case CLI_OPT_TIMING_SEED:
        return status_fail(why, TPU_REFUSED,
                           "campaign draws latency and stalls for itself; --calm leaves them out");
    case CLI_OPT_SEED:
        return take_key(to, CAMPAIGN_KEY_SEEDS, why);
    case CLI_OPT_INIT:
        to->run.plan.given[CAMPAIGN_KEY_INIT] = true;
        to->run.plan.keep_init = true;
        break;
    case CLI_OPT_WATCHDOG:
        to->run.plan.given[CAMPAIGN_KEY_WATCHDOG] = true;
        break;
    case CLI_OPT_ENGINE:
        to->run.plan.given[CAMPAIGN_KEY_ENGINE] = true;
        break;
    default:
        break;
    }
    return cli_take_option(option, argv, &to->settings, why);
}

static tpu_status take_option(int option, char *const *argv, request *to, tpu_message *why) {
    switch (option) {
    case OPT_SEEDS:
        return take_key(to, CAMPAIGN_KEY_SEEDS, why);
    case OPT_SEQUENCES:
        return take_key(to, CAMPAIGN_KEY_SEQUENCES, why);
    case OPT_UNIT:
        return take_key(to, CAMPAIGN_KEY_UNIT, why);
    case OPT_CYCLES:
        return take_key(to, CAMPAIGN_KEY_CYCLES, why);
    case OPT_CALM:
        to->run.plan.given[CAMPAIGN_KEY_CALM] = true;
        to->run.plan.calm = true;
        return TPU_OK;
    case OPT_POINTS:
        to->run.plan.given[CAMPAIGN_KEY_POINTS] = true;
        return campaign_plan_read_points(optarg, &to->run.plan, why);
    case OPT_JOBS:
    case OPT_SECONDS:
    case OPT_WORKER:
    case OPT_MERGE:
    case OPT_SHRINK:
    case OPT_COMMIT:
    case OPT_WAIVERS:
    case OPT_TODAY:
    case OPT_JUNIT:
        return take_run_option(option, to, why);
    default:
        return take_setting(option, argv, to, why);
    }
}

static bool is_set(const char *name) {
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0';
}

// A plan from the environment; what is set there counts as said.
static tpu_status begin_request(request *out, tpu_message *why) {
    *out = (request){.run = {.workers = 1,
                             .jobs = 1,
                             .shrink_seconds = SHRINK_SECONDS,
                             .commit = "",
                             .plan = {.point_count = 1,
                                      .first_seed = 1,
                                      .last_seed = 1,
                                      .sequences = SEQUENCES,
                                      .unit = UNIT,
                                      .init = ENGINE_INIT_RANDOM}}};
    tpu_status status = cli_read_settings(&out->settings, why);
    out->settings.config.watchdog = WATCHDOG;
    out->run.plan.point[0] = out->settings.config.params;
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        out->run.plan.given[CAMPAIGN_KEY_POINTS] |= is_set(tpu_param_infos[i].env);
    }
    out->run.plan.given[CAMPAIGN_KEY_POINTS] |= is_set("TPU_DMA_WIDEN");
    out->run.plan.given[CAMPAIGN_KEY_ENGINE] = is_set("TPU_ENGINE");
    return status;
}

static tpu_status end_request(int argc, char **argv, request *out, tpu_message *why) {
    campaign_plan *plan = &out->run.plan;
    if (argc - optind != 1) {
        return status_fail(why, TPU_REFUSED,
                           "campaign takes one directory; see tpucosim campaign "
                           "--help");
    }
    if (out->run.workers > 1 && !out->merge &&
        (out->settings.json || out->junit != NULL || out->waivers.path != NULL)) {
        return status_fail(why, TPU_REFUSED,
                           "--worker only runs; what there is to be judged or "
                           "shown is given to --merge");
    }
    out->run.directory = argv[optind];
    (void)snprintf(plan->engine, sizeof plan->engine, "%s", out->settings.engine);
    plan->watchdog = out->settings.config.watchdog;
    if (plan->keep_init) {
        plan->init = out->settings.config.init;
    }
    if (strcmp(plan->engine, "systemc") == 0) {
        return status_fail(why, TPU_REFUSED,
                           "campaign: the engine systemc cannot start over in a process");
    }
    return campaign_plan_check(plan, why);
}

static tpu_status read_request(int argc, char **argv, request *out, tpu_message *why) {
    static const struct option options[] = {{"seeds", required_argument, NULL, OPT_SEEDS},
                                            {"sequences", required_argument, NULL, OPT_SEQUENCES},
                                            {"points", required_argument, NULL, OPT_POINTS},
                                            {"unit", required_argument, NULL, OPT_UNIT},
                                            {"cycles", required_argument, NULL, OPT_CYCLES},
                                            {"calm", no_argument, NULL, OPT_CALM},
                                            {"jobs", required_argument, NULL, OPT_JOBS},
                                            {"seconds", required_argument, NULL, OPT_SECONDS},
                                            {"worker", required_argument, NULL, OPT_WORKER},
                                            {"merge", no_argument, NULL, OPT_MERGE},
                                            {"shrink", required_argument, NULL, OPT_SHRINK},
                                            {"commit", required_argument, NULL, OPT_COMMIT},
                                            {"waivers", required_argument, NULL, OPT_WAIVERS},
                                            {"today", required_argument, NULL, OPT_TODAY},
                                            {"junit", required_argument, NULL, OPT_JUNIT},
                                            CLI_SETTING_OPTIONS};
    int option = 0;
    tpu_status status = begin_request(out, why);
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        status = take_option(option, argv, out, why);
    }
    return status == TPU_OK && !out->help ? end_request(argc, argv, out, why) : status;
}

// ---- running -----------------------------------------------------------------------------------

static void put_progress(void *user, const campaign_progress *at) {
    uint64_t here = at->finished - at->begun_at;
    (void)user;
    (void)fprintf(stderr,
                  "\r%6.0f s  %" PRIu64 " of %" PRIu64 " units  %" PRIu64
                  " programs (%.0f/s)  %" PRIu64 " finding(s)",
                  at->seconds, at->finished, at->units, at->programs,
                  at->seconds > 0 ? (double)at->programs / at->seconds : 0.0, at->findings);
    if (here > 0) {
        (void)fprintf(stderr, "  %.0f s left ",
                      at->seconds * (double)(at->units - at->finished) / (double)here);
    }
}

// One group of several: what it did is judged by --merge.
static int show_group(const request *asked) {
    (void)printf("campaign %s: group %" PRIu32 " of %" PRIu32
                 " is done; --merge puts all together\n",
                 asked->run.directory, asked->run.worker + 1, asked->run.workers);
    return CLI_OK;
}

static int judge(request *asked, const campaign_result *result, const bool *waived) {
    bool complete = campaign_complete(result);
    size_t faults = waiver_faults(&asked->waivers.list, asked->waivers.today, complete);
    for (size_t i = 0; i < result->bucket_count; i++) {
        faults += !waived[i];
    }
    if (faults > 0) {
        return CLI_DIVERGED;
    }
    return asked->merge && !complete ? CLI_BROKEN : CLI_OK;
}

// In GitHub Actions: each finding that nobody waived, at the unit that it blames.
static void annotate_findings(const request *asked, const campaign_result *result,
                              const bool *waived) {
    for (size_t i = 0; i < result->bucket_count; i++) {
        const campaign_bucket *bucket = &result->bucket[i];
        char path[PATH_MAX];
        (void)snprintf(path, sizeof path, "%s/%s", asked->run.directory, bucket->directory);
        cli_annotate_directory(!waived[i] && bucket->runs > 0 ? path : "");
    }
}

static tpu_status show(request *asked, const campaign_result *result, double seconds, int *code,
                       tpu_message *why) {
    bool *waived = calloc(result->bucket_count + 1, sizeof *waived);
    if (waived == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    }
    for (size_t i = 0; i < result->bucket_count; i++) {
        waived[i] =
            waiver_note(&asked->waivers.list, result->bucket[i].signature, result->bucket[i].count);
    }
    const cli_campaign_view view = {.directory = asked->run.directory,
                                    .result = result,
                                    .waivers = &asked->waivers,
                                    .waived = waived,
                                    .seconds = seconds};
    tpu_status status = TPU_OK;
    if (asked->settings.json) {
        status = cli_campaign_put_json(&view, why);
    } else {
        cli_campaign_put_text(&view);
    }
    if (status == TPU_OK && asked->junit != NULL) {
        status = cli_campaign_write_junit(&view, asked->junit, why);
    }
    annotate_findings(asked, result, waived);
    *code = judge(asked, result, waived);
    free(waived);
    return status;
}

static int show_all(request *asked, double seconds) {
    tpu_message why;
    int code = CLI_OK;
    campaign_result *result = calloc(1, sizeof *result);
    if (result == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status = campaign_read(asked->run.directory, result, &why);
    if (status == TPU_OK) {
        status = show(asked, result, seconds, &code, &why);
    }
    campaign_clear(result);
    free(result);
    return status == TPU_OK ? code : cli_fail(status, &why);
}

static int run_request(request *asked) {
    bool eager = isatty(STDERR_FILENO) != 0 && !asked->settings.json;
    double begin = stopwatch_wall();
    tpu_message why;
    (void)signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is told like a full disk
    tpu_status status = cli_waivers_open(&asked->waivers, &why);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (asked->merge) {
        status = campaign_merge(asked->run.directory, &why);
    } else {
        status = campaign_run(&asked->run, eager ? put_progress : NULL, NULL, &why);
        (void)fputs(eager ? "\n" : "", stderr);
    }
    if (status == TPU_OK && asked->run.workers > 1 && !asked->merge) {
        return show_group(asked);
    }
    return status == TPU_OK ? show_all(asked, stopwatch_wall() - begin) : cli_fail(status, &why);
}

int cli_campaign(int argc, char **argv) {
    request *asked = calloc(1, sizeof *asked);
    tpu_message why;
    int code = CLI_OK;
    if (asked == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status = read_request(argc, argv, asked, &why);
    if (status != TPU_OK) {
        code = cli_fail(status, &why);
    } else if (asked->help) {
        (void)fputs(usage, stdout);
    } else {
        code = run_request(asked);
    }
    waiver_clear(&asked->waivers.list);
    free(asked);
    return code;
}
