// SPDX-License-Identifier: Apache-2.0
//
// mutants: plants faults, and says of each who noticed; a table and totals at the end.

#define _XOPEN_SOURCE 700 // realpath

#include "harness/cli/cli.h"
#include "harness/engine/loader.h"
#include "harness/mutants/mutant_choice.h"
#include "harness/mutants/mutant_totals.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 64u
#define SECONDS 60u
#define CONTROL_SECONDS 10u
#define SHRINK_SECONDS 60u

static const char usage[] =
    "usage: tpucosim mutants [OPTION]...\n\n"
    "Plants the faults of tests/mutants, one at a time, in a copy of the tree, builds what they\n"
    "touch and lets the fuzzer look for them (or the test that the file names). Exit code 1 when "
    "a\n"
    "mutant survives or is broken, shows first where its file does not say, or when something is\n"
    "noticed where nothing is planted.\n"
    "  --only NAME,...   these alone\n"
    "  --sample N        N others than those of --only, drawn by --seed\n"
    "  --list            only say which would run; every anchor is looked for\n"
    "  --jobs J          mutants at the same time, default 1\n"
    "  --seconds N       of fuzzing before a mutant counts as survived, default 60\n"
    "  --control N       of fuzzing what must survive, default 10\n"
    "  --shrink N        seconds for making a finding small, default 60\n"
    "  --seed N          of the fuzzer and of --sample, default 1\n"
    "  --mutants DIR     default tests/mutants in the tree\n"
    "  --tree DIR        source tree, default the directory that you are in\n"
    "  --out DIR         default mutants beside this program\n"
    "  --anywhere        it may show first in another stream than the file says: seeds differ\n"
    "  --full            engines as for everybody, with a trace, so that `replay --wave` works\n"
    "  --json            JSON on standard output\n"
    "  --netlist N       not these: N faults that Yosys draws from the netlist; its options: "
    "--netlist 1 --help\n"
    "The machine is the small one, T = 4 and MAXDIM = 16, where a mutant names no other.\n";

enum {
    OPT_ONLY = 1,
    OPT_SAMPLE,
    OPT_LIST,
    OPT_JOBS,
    OPT_SECONDS,
    OPT_CONTROL,
    OPT_SHRINK,
    OPT_SEED,
    OPT_MUTANTS,
    OPT_TREE,
    OPT_OUT,
    OPT_FULL,
    OPT_ANYWHERE,
    OPT_JSON,
    OPT_HELP
};

typedef struct request {
    mutant_options run;
    mutant_wish wish;
    const char *directory;
    const char *tree;
    const char *out;
    bool anywhere; // --anywhere
    bool list;
    bool json;
    bool help;
    char paths[4][PATH_MAX];
} request;

// ---- options -----------------------------------------------------------------------------------

static tpu_status take_seconds(const char *name, double *out, tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = cli_read_number(name, optarg, 1000000, &number, why);
    *out = (double)number;
    return status;
}

static tpu_status take_number(int option, request *to, tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case OPT_SAMPLE:
        to->wish.sampled = true;
        return cli_read_number("--sample", optarg, 100000, &to->wish.sample, why);
    case OPT_JOBS:
        status = cli_read_number("--jobs", optarg, JOBS_MAX, &number, why);
        to->run.jobs = number > 0 ? (uint32_t)number : 1;
        return status;
    case OPT_SECONDS:
        return take_seconds("--seconds", &to->run.seconds, why);
    case OPT_CONTROL:
        return take_seconds("--control", &to->run.control_seconds, why);
    case OPT_SHRINK:
        return take_seconds("--shrink", &to->run.shrink_seconds, why);
    default:
        return cli_read_number("--seed", optarg, UINT64_MAX, &to->run.seed, why);
    }
}

static tpu_status take_option(int option, char *const *argv, request *to, tpu_message *why) {
    switch (option) {
    case OPT_ONLY:
        to->wish.only = optarg;
        return TPU_OK;
    case OPT_LIST:
        to->list = true;
        return TPU_OK;
    case OPT_MUTANTS:
        to->directory = optarg;
        return TPU_OK;
    case OPT_TREE:
        to->tree = optarg;
        return TPU_OK;
    case OPT_OUT:
        to->out = optarg;
        return TPU_OK;
    case OPT_FULL:
        to->run.full = true;
        return TPU_OK;
    case OPT_ANYWHERE:
        to->anywhere = true;
        return TPU_OK;
    case OPT_JSON:
        to->json = true;
        return TPU_OK;
    case OPT_HELP:
        to->help = true;
        return TPU_OK;
    case '?':
        return status_fail(why, TPU_REFUSED,
                           "mutants: option \"%s\" is unknown or lacks its value; see tpucosim "
                           "mutants --help",
                           argv[optind - 1]);
    default:
        return take_number(option, to, why);
    }
}

static tpu_status read_request(int argc, char **argv, request *out, tpu_message *why) {
    static const struct option options[] = {{"only", required_argument, NULL, OPT_ONLY},
                                            {"sample", required_argument, NULL, OPT_SAMPLE},
                                            {"list", no_argument, NULL, OPT_LIST},
                                            {"jobs", required_argument, NULL, OPT_JOBS},
                                            {"seconds", required_argument, NULL, OPT_SECONDS},
                                            {"control", required_argument, NULL, OPT_CONTROL},
                                            {"shrink", required_argument, NULL, OPT_SHRINK},
                                            {"seed", required_argument, NULL, OPT_SEED},
                                            {"mutants", required_argument, NULL, OPT_MUTANTS},
                                            {"tree", required_argument, NULL, OPT_TREE},
                                            {"out", required_argument, NULL, OPT_OUT},
                                            {"full", no_argument, NULL, OPT_FULL},
                                            {"anywhere", no_argument, NULL, OPT_ANYWHERE},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"help", no_argument, NULL, OPT_HELP},
                                            {NULL, 0, NULL, 0}};
    int option = 0;
    tpu_status status = TPU_OK;
    *out = (request){.run = {.jobs = 1,
                             .seconds = SECONDS,
                             .control_seconds = CONTROL_SECONDS,
                             .shrink_seconds = SHRINK_SECONDS,
                             .seed = 1},
                     .tree = "."};
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        status = take_option(option, argv, out, why);
    }
    if (status == TPU_OK && optind < argc) {
        return status_fail(why, TPU_REFUSED, "mutants takes no argument \"%s\"", argv[optind]);
    }
    out->wish.seed = out->run.seed;
    return status;
}

// ---- where things are --------------------------------------------------------------------------

static tpu_status find_tree(request *self, tpu_message *why) {
    char *tree = self->paths[0];
    char marker[PATH_MAX + 16];
    if (realpath(self->tree, tree) == NULL) {
        return status_fail(why, TPU_REFUSED, "--tree: there is no directory %s", self->tree);
    }
    (void)snprintf(marker, sizeof marker, "%s/ci/engine", tree);
    if (access(marker, X_OK) != 0) {
        return status_fail(why, TPU_REFUSED,
                           "%s is no source tree: it has no ci/engine; name one with --tree", tree);
    }
    return TPU_OK;
}

static tpu_status find_places(request *self, tpu_message *why) {
    char *out = self->paths[2];
    tpu_status status = find_tree(self, why);
    loader_program_directory(self->paths[1], PATH_MAX);
    if (self->out == NULL) {
        (void)snprintf(out, PATH_MAX, "%.4000s/mutants", self->paths[1]);
    } else if (self->out[0] == '/') {
        (void)snprintf(out, PATH_MAX, "%s", self->out);
    } else if (getcwd(out, PATH_MAX) != NULL) {
        size_t length = strlen(out);
        (void)snprintf(out + length, PATH_MAX - length, "/%s", self->out);
    }
    if (self->directory == NULL) {
        (void)snprintf(self->paths[3], PATH_MAX, "%.4000s/tests/mutants", self->paths[0]);
        self->directory = self->paths[3];
    }
    self->run.tree = self->paths[0];
    self->run.build = self->paths[1];
    self->run.out = out;
    return status;
}

// ---- table -------------------------------------------------------------------------------------

static void put_head(void) {
    (void)printf("%-34s %-8s %-8s %6s %8s %9s %11s %5s %4s %7s  %s\n", "mutant", "kind", "",
                 "build", "seconds", "programs", "cycles", "unit", "insn", "minimal", "first seen");
}

static void put_row(const mutant *of, const mutant_result *result) {
    char size[16] = "-";
    char minimal[16] = "-";
    bool named = result->outcome == MUTANT_CAUGHT && mutant_is_fuzzed(of) &&
                 !mutant_must_survive(of) && !result->refused;
    if (result->small) {
        (void)snprintf(size, sizeof size, "%u", (unsigned)result->instructions);
        (void)snprintf(minimal, sizeof minimal, "%.2f", result->minimal);
    }
    const char *kind = of->file == NULL         ? "control"
                       : of->equivalent != NULL ? "same"
                                                : mutant_kind_name(of->kind);
    (void)printf("%-34s %-8s %-8s %6.1f %8.3f %9llu %11llu %5s %4s %7s  %s%s%s%s\n", of->name, kind,
                 mutant_outcome_name(result->outcome), result->build, result->detect,
                 (unsigned long long)result->programs, (unsigned long long)result->cycles,
                 !named               ? "-"
                 : result->unit_right ? "right"
                                      : "wrong",
                 size, minimal, mutant_went_well(of, result) ? "" : "<- ", result->signature,
                 result->note[0] != '\0' ? " " : "", result->note);
    (void)fflush(stdout);
}

// In GitHub Actions: a mutant that went as it must not, at its file.
static void annotate(const mutant *of, const mutant_result *result) {
    char path[PATH_MAX];
    tpu_message sentence;
    (void)snprintf(path, sizeof path, "tests/mutants/%s.mutant", of->name);
    (void)status_fail(&sentence, TPU_OK, "%s: %s%s%s %s", of->name,
                      mutant_outcome_name(result->outcome),
                      result->signature[0] != '\0' ? ", " : "", result->signature, result->note);
    if (!mutant_went_well(of, result)) {
        cli_annotate_error(of->file != NULL ? path : NULL, 1, "mutants", sentence.text);
    }
}

static void hear(void *user, const mutant *of, const mutant_result *result) {
    const request *self = user;
    if (!self->json) {
        put_row(of, result);
    }
    annotate(of, result);
}

static double percent(size_t part, size_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : 100.0;
}

static void put_totals(const mutant_totals *sum) {
    (void)printf("\n%zu of %zu caught (%.1f %%), %zu where their file says; %zu of %zu that must "
                 "stay quiet did\n",
                 sum->caught, sum->asked, percent(sum->caught, sum->asked), sum->right, sum->quiet,
                 sum->silent);
    (void)printf("unit blamed right: %zu of %zu (%.1f %%)\n", sum->blamed, sum->fuzzed,
                 percent(sum->blamed, sum->fuzzed));
    (void)printf("shrunk to at most %u instructions: %zu of %zu (%.1f %%)\n", MUTANT_SMALL,
                 sum->small, sum->shrunk, percent(sum->small, sum->shrunk));
    (void)printf("seconds of fuzzing to detection: median %.3f, 95th percentile %.3f\n",
                 sum->detect[0], sum->detect[1]);
    (void)printf("seconds from failure to minimal reproducer: median %.2f, 95th percentile %.2f\n",
                 sum->minimal[0], sum->minimal[1]);
    (void)printf("seconds of building, all together: %.0f\n", sum->build);
}

// ---- all together ------------------------------------------------------------------------------

static tpu_status run_list(request *self, const mutant *all, size_t count, mutant_totals *sum,
                           tpu_message *why) {
    mutant_result *results = calloc(count + 1, sizeof *results);
    if (results == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
    }
    if (!self->json) {
        put_head();
    }
    tpu_status status = mutant_run_all(&self->run, all, count, hear, self, results, why);
    if (status == TPU_OK) {
        status = mutant_add_up(all, results, count, sum, why);
    }
    if (status == TPU_OK && self->json) {
        char *shown = NULL;
        status = mutant_totals_json(&self->run, all, results, count, sum, &shown, why);
        (void)puts(shown != NULL ? shown : "");
        free(shown);
    } else if (status == TPU_OK) {
        put_totals(sum);
    }
    free(results);
    return status;
}

// Controls first: when they are red, nobody need wait for the rest.
static tpu_status run_chosen(request *self, const mutant *list, size_t chosen, mutant_totals *sum,
                             tpu_message *why) {
    mutant *all = NULL;
    size_t controls = 0;
    tpu_status status = mutant_controls(list, chosen, &all, &controls, why);
    if (status != TPU_OK) {
        return status;
    }
    mutant *more = realloc(all, (controls + chosen + 1) * sizeof *all);
    if (more == NULL) {
        free(all);
        return status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
    }
    memcpy(more + controls, list, chosen * sizeof *list); // texts stay the list's
    status = run_list(self, more, controls + chosen, sum, why);
    free(more);
    return status;
}

static void put_names(const mutant *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        (void)printf("%-34s %-8s %s\n", list[i].name, mutant_kind_name(list[i].kind), list[i].why);
    }
}

static int run_request(request *self) {
    mutant *list = NULL;
    size_t count = 0;
    mutant_totals sum = {.bad = 0};
    tpu_message why;
    tpu_status status = find_places(self, &why);
    if (status == TPU_OK) {
        status = mutant_list(self->directory, &list, &count, &why);
    }
    if (status == TPU_OK) {
        status = mutant_check_names(self->wish.only, list, count, &why);
    }
    if (status == TPU_OK) {
        status = mutant_check_anchors(self->run.tree, list, count, &why);
    }
    if (status == TPU_OK) {
        size_t chosen = mutant_choose(&self->wish, list, count);
        if (self->list) {
            put_names(list, chosen);
        } else {
            status = run_chosen(self, list, chosen, &sum, &why);
        }
    }
    mutant_free(list, count);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    size_t pardoned = self->anywhere ? sum.caught - sum.right : 0;
    return sum.bad > pardoned ? CLI_DIVERGED : CLI_OK;
}

int cli_mutants(int argc, char **argv) {
    request asked;
    tpu_message why;
    if (cli_has_option(argc, argv, "--netlist")) {
        return cli_netmutants(argc, argv);
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
