// SPDX-License-Identifier: Apache-2.0
//
// mutants --netlist: plants faults in the netlist of the core, hundreds in one machine, and looks
// which of them are found, by every way of watching that is asked for. ci/netmutants builds the
// machines. What it finds is printed by cli_netmutants_table.c.

#define _XOPEN_SOURCE 700 // realpath

#include "harness/cli/cli_netmutants.h"

#include "harness/engine/loader.h"
#include "harness/io/command.h"
#include "harness/io/textfile.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAMS 512u
#define ILLEGAL 512u
#define PROGRAMS_MAX 65536u
#define JOBS_MAX 256u
#define WATCHDOG 2000u
#define HANG_LIMIT 6000u // beyond the watchdog's: a machine that stands still although it has one
#define BUILD_SECONDS 7200.0

static const char usage[] =
    "usage: tpucosim mutants --netlist N [OPTION]...\n\n"
    "Has Yosys draw N single faults (a bit inverted, stuck, or inverted when another bit is 0 or\n"
    "1) from the netlist of the core, plants several hundred in each machine, and runs generated\n"
    "programs on each until it is found. What legal programs do not show is tried with illegal\n"
    "ones. Survivors are sorted by tests/mutants/netlist_survivors.txt. Exit code 1 when one is\n"
    "not explained there.\n"
    "  --seed N          of the faults, default 1; programs have a seed of their own\n"
    "  --programs N      legal programs before a fault counts as survived, default 512\n"
    "  --illegal N       illegal programs after these, default 512\n"
    "  --watch WAY       every, issue, end, c or hang; all = one after the other\n"
    "  --jobs J          processes, default 1\n"
    "  --only N[-M]      these faults alone\n"
    "  --list            every fault with its fate, not only what nothing explains\n"
    "  --tree DIR        source tree, default the directory that you are in\n"
    "  --survivors FILE  default tests/mutants/netlist_survivors.txt in the tree\n"
    "  --json            JSON on standard output\n"
    "The machine is a small one: T = 4, MAXDIM = 16, 64 rows of spad and vr, 34 of ar, QD = 4.\n"
    "One fault by itself, with any command: TPU_ENGINE=mutants TPU_MUTANT=NUMBER, and "
    "TPU_ENGINE_DIR\n"
    "as in build/netmutants/*/models.txt.\n";

enum {
    OPT_NETLIST = 1,
    OPT_SEED,
    OPT_PROGRAMS,
    OPT_ILLEGAL,
    OPT_WATCH,
    OPT_JOBS,
    OPT_ONLY,
    OPT_LIST,
    OPT_TREE,
    OPT_SURVIVORS,
    OPT_JSON,
    OPT_HELP
};

// ---- options -----------------------------------------------------------------------------------

static tpu_status take_watch(netmutants_request *to, tpu_message *why) {
    lockstep_watch watch = LOCKSTEP_WATCH_EVERY;
    tpu_message cause;
    if (strcmp(optarg, "all") == 0) {
        to->ways = LOCKSTEP_WATCH_COUNT;
        return TPU_OK;
    }
    tpu_status status = lockstep_watch_parse(optarg, &watch, &cause);
    to->ways = 1;
    to->way[0] = watch;
    return status == TPU_OK
               ? TPU_OK
               : status_fail(why, status, "--watch: %.200s, or all of them", cause.text);
}

static tpu_status take_number(int option, netmutants_request *to, tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case OPT_NETLIST:
        status = cli_read_number("--netlist", optarg, NETMUTANT_MAX, &number, why);
        to->faults = (uint32_t)number;
        return status;
    case OPT_PROGRAMS:
        return cli_read_number("--programs", optarg, PROGRAMS_MAX, &to->run.fuzz.programs, why);
    case OPT_ILLEGAL:
        return cli_read_number("--illegal", optarg, PROGRAMS_MAX, &to->run.illegal, why);
    case OPT_JOBS:
        status = cli_read_number("--jobs", optarg, JOBS_MAX, &number, why);
        to->run.jobs = number > 0 ? (uint32_t)number : 1;
        return status;
    default:
        return cli_read_number("--seed", optarg, UINT32_MAX, &to->seed, why);
    }
}

// N, or N-M.
static tpu_status take_only(netmutants_request *to, tpu_message *why) {
    char *end = NULL;
    unsigned long first = strtoul(optarg, &end, 10);
    unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
    if (optarg[0] < '0' || optarg[0] > '9' || *end != '\0' || first == 0 || last < first ||
        last > NETMUTANT_MAX) {
        return status_fail(why, TPU_REFUSED, "--only: \"%s\" is not the number of a fault or two",
                           optarg);
    }
    to->first = (uint32_t)first;
    to->last = (uint32_t)last;
    return TPU_OK;
}

static tpu_status take_option(int option, char *const *argv, netmutants_request *to,
                              tpu_message *why) {
    switch (option) {
    case OPT_WATCH:
        return take_watch(to, why);
    case OPT_ONLY:
        return take_only(to, why);
    case OPT_LIST:
        to->list = true;
        return TPU_OK;
    case OPT_TREE:
        to->tree = optarg;
        return TPU_OK;
    case OPT_SURVIVORS:
        to->survivors = optarg;
        return TPU_OK;
    case OPT_JSON:
        to->json = true;
        return TPU_OK;
    case OPT_HELP:
        to->help = true;
        return TPU_OK;
    case '?':
        return status_fail(why, TPU_REFUSED,
                           "mutants: option \"%s\" is unknown beside --netlist or lacks its value; "
                           "see tpucosim mutants --netlist 1 --help",
                           argv[optind - 1]);
    default:
        return take_number(option, to, why);
    }
}

static tpu_status check_request(const netmutants_request *self, tpu_message *why) {
    if (self->faults == 0) {
        return status_fail(why, TPU_REFUSED, "--netlist: at least one fault is needed");
    }
    if (self->run.fuzz.programs == 0) {
        return status_fail(why, TPU_REFUSED, "--programs: at least one program is needed");
    }
    if (self->last > self->faults) {
        return status_fail(why, TPU_REFUSED, "--only: there is no fault %u among %u", self->last,
                           self->faults);
    }
    return TPU_OK;
}

// The point that ci/netmutants builds, whatever the environment says.
static void set_machine(netmutants_request *to) {
    to->run.fuzz.engine = "mutants";
    to->run.fuzz.seed = 1;
    to->run.fuzz.hang_limit = HANG_LIMIT;
    to->run.fuzz.config = (engine_config){.params = {.t = 4,
                                                     .maxdim = 16,
                                                     .spad_rows = 64,
                                                     .nvr = 64,
                                                     .nar = 34,
                                                     .imem_size = 56,
                                                     .qd = 4,
                                                     .dma_words = 1},
                                          .timing = {.read_latency = 1, .write_latency = 1},
                                          .watchdog = WATCHDOG};
}

static tpu_status read_request(int argc, char **argv, netmutants_request *out, tpu_message *why) {
    static const struct option options[] = {{"netlist", required_argument, NULL, OPT_NETLIST},
                                            {"seed", required_argument, NULL, OPT_SEED},
                                            {"programs", required_argument, NULL, OPT_PROGRAMS},
                                            {"illegal", required_argument, NULL, OPT_ILLEGAL},
                                            {"watch", required_argument, NULL, OPT_WATCH},
                                            {"jobs", required_argument, NULL, OPT_JOBS},
                                            {"only", required_argument, NULL, OPT_ONLY},
                                            {"list", no_argument, NULL, OPT_LIST},
                                            {"tree", required_argument, NULL, OPT_TREE},
                                            {"survivors", required_argument, NULL, OPT_SURVIVORS},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"help", no_argument, NULL, OPT_HELP},
                                            {NULL, 0, NULL, 0}};
    int option = 0;
    tpu_status status = TPU_OK;
    *out =
        (netmutants_request){.run = {.fuzz = {.programs = PROGRAMS}, .illegal = ILLEGAL, .jobs = 1},
                             .tree = ".",
                             .seed = 1,
                             .ways = 1};
    set_machine(out);
    for (int i = 0; i < LOCKSTEP_WATCH_COUNT; i++) {
        out->way[i] = (lockstep_watch)i;
    }
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        status = take_option(option, argv, out, why);
    }
    if (status == TPU_OK && optind < argc) {
        return status_fail(why, TPU_REFUSED, "mutants takes no argument \"%s\"", argv[optind]);
    }
    return status == TPU_OK && !out->help ? check_request(out, why) : status;
}

// ---- the machines ------------------------------------------------------------------------------

// The last line that a failed build printed says why.
static tpu_status build_failed(const char *log, int code, tpu_message *why) {
    char *text = NULL;
    tpu_message unread;
    const char *last = "it printed nothing";
    if (textfile_read(log, &text, NULL, &unread) == TPU_OK) {
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            last = line;
        }
    }
    tpu_status status = status_fail(why, code == 2 ? TPU_REFUSED : TPU_ERR_INTERNAL,
                                    "the faults cannot be planted: %.300s (see %.200s)", last, log);
    free(text);
    return status;
}

static tpu_status build_models(netmutants_request *self, tpu_message *why) {
    char build[PATH_MAX];
    char tree[PATH_MAX];
    char script[PATH_MAX + 32];
    char log[PATH_MAX + 32];
    char count[16];
    char seed[24];
    command_end end;
    loader_program_directory(build, sizeof build);
    if (realpath(self->tree, tree) == NULL) {
        return status_fail(why, TPU_REFUSED, "--tree: there is no directory %s", self->tree);
    }
    (void)snprintf(script, sizeof script, "%s/ci/netmutants", tree);
    if (access(script, X_OK) != 0) {
        return status_fail(why, TPU_REFUSED,
                           "%s is no source tree: it has no ci/netmutants; name one with --tree",
                           tree);
    }
    (void)snprintf(count, sizeof count, "%u", self->faults);
    (void)snprintf(seed, sizeof seed, "%" PRIu64, self->seed);
    (void)snprintf(log, sizeof log, "%s/netmutants.log", build);
    (void)snprintf(self->home, sizeof self->home, "%.3000s/netmutants/n%s_s%s", build, count, seed);
    const char *const argv[] = {script, build, count, seed, NULL};
    tpu_status status = command_run(argv, tree, log, BUILD_SECONDS, &end, why);
    return status == TPU_OK && end.code != 0 ? build_failed(log, end.code, why) : status;
}

// "FIRST COUNT DIRECTORY" a line.
static tpu_status open_model(netmutants_request *self, const char *line, tpu_message *why) {
    netmutant_model *model = &self->model[self->run.model_count];
    char directory[PATH_MAX];
    if (self->run.model_count == NETMUTANTS_MODELS ||
        sscanf(line, "%" SCNu32 " %" SCNu32 " %4000[^\n]", &model->first, &model->count,
               directory) != 3) {
        return status_fail(why, TPU_REFUSED, "%s/models.txt: not FIRST COUNT DIRECTORY: %.100s",
                           self->home, line);
    }
    tpu_status status = loader_open_in(directory, "mutants", &self->run.fuzz.config.params,
                                       &self->library[self->run.model_count], why);
    if (status == TPU_OK) {
        model->api = loader_api(self->library[self->run.model_count++]);
    }
    return status;
}

static tpu_status open_models(netmutants_request *self, tpu_message *why) {
    char path[PATH_MAX + 32];
    char *text = NULL;
    (void)snprintf(path, sizeof path, "%s/models.txt", self->home);
    tpu_status status = textfile_read(path, &text, NULL, why);
    char *rest = NULL;
    for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL;
         line != NULL && status == TPU_OK; line = strtok_r(NULL, "\n", &rest)) {
        status = open_model(self, line, why);
    }
    free(text);
    self->run.model = self->model;
    if (status == TPU_OK && self->run.model_count == 0) {
        return status_fail(why, TPU_REFUSED, "%s names no machine", path);
    }
    return status;
}

static tpu_status read_lists(netmutants_request *self, tpu_message *why) {
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof path, "%s/mutants.txt", self->home);
    tpu_status status = netmutant_list_read(path, &self->faulty, why);
    if (status == TPU_OK && self->faulty.count != self->faults) {
        return status_fail(why, TPU_REFUSED, "%s holds %zu faults, not %u", path,
                           self->faulty.count, self->faults);
    }
    (void)snprintf(path, sizeof path, "%.4000s/tests/mutants/netlist_survivors.txt", self->tree);
    const char *survivors = self->survivors != NULL ? self->survivors : path;
    return status == TPU_OK ? netmutant_rules_read(survivors, &self->rules, why) : status;
}

// ---- the runs ----------------------------------------------------------------------------------

static void put_progress(void *user, size_t done, size_t all, double seconds) {
    const char *way = user;
    (void)fprintf(stderr, "\r%-5s %5zu of %zu  %6.0f s ", way, done, all, seconds);
}

// Number 0, the machine without a fault, comes first: nothing may be found in it.
static tpu_status check_control(const netmutant_result *good, lockstep_watch way,
                                tpu_message *why) {
    if (good->fate == NETMUTANT_SURVIVED) {
        return TPU_OK;
    }
    return status_fail(why, TPU_ERR_INTERNAL,
                       "something is found in the machine without a fault (watching %s): %.190s",
                       lockstep_watch_name(way), good->sentence);
}

static tpu_status run_way(netmutants_request *self, size_t at, tpu_message *why) {
    bool eager = isatty(STDERR_FILENO) != 0 && !self->json;
    netmutant_options options = self->run;
    options.fuzz.watch = self->way[at];
    if (options.fuzz.watch != LOCKSTEP_WATCH_EVERY) {
        options.illegal = 0; // other harnesses have none
    }
    char name[16];
    (void)snprintf(name, sizeof name, "%s", lockstep_watch_name(self->way[at]));
    self->result[at] = calloc(self->numbers + 1, sizeof *self->result[at]);
    if (self->result[at] == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
    }
    tpu_status status = netmutant_run(&options, self->number, self->numbers,
                                      eager ? put_progress : NULL, name, self->result[at], why);
    if (eager) {
        (void)fprintf(stderr, "\n");
    }
    return status == TPU_OK ? check_control(&self->result[at][0], self->way[at], why) : status;
}

static tpu_status choose_numbers(netmutants_request *self, tpu_message *why) {
    self->number = calloc(self->faults + 1u, sizeof *self->number);
    if (self->number == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
    }
    uint32_t first = self->first > 0 ? self->first : 1;
    self->numbers = (self->first > 0 ? self->last : self->faults) - first + 2u;
    for (uint32_t i = 1; i < self->numbers; i++) {
        self->number[i] = first + i - 1;
    }
    return TPU_OK;
}

static tpu_status run_all(netmutants_request *self, tpu_message *why) {
    tpu_status status = build_models(self, why);
    if (status == TPU_OK) {
        status = open_models(self, why);
    }
    if (status == TPU_OK) {
        status = read_lists(self, why);
    }
    if (status == TPU_OK) {
        status = choose_numbers(self, why);
    }
    for (size_t i = 0; i < self->ways && status == TPU_OK; i++) {
        status = run_way(self, i, why);
    }
    return status;
}

static void clear(netmutants_request *self) {
    for (size_t i = 0; i < LOCKSTEP_WATCH_COUNT; i++) {
        free(self->result[i]);
    }
    free(self->number);
    netmutant_list_clear(&self->faulty);
    netmutant_rules_clear(&self->rules);
    for (size_t i = 0; i < NETMUTANTS_MODELS; i++) {
        loader_close(self->library[i]);
    }
}

int cli_netmutants(int argc, char **argv) {
    netmutants_request *asked = calloc(1, sizeof *asked);
    tpu_message why;
    bool found = false;
    if (asked == NULL) {
        return CLI_BROKEN;
    }
    tpu_status status = read_request(argc, argv, asked, &why);
    if (status == TPU_OK && asked->help) {
        (void)fputs(usage, stdout);
    } else if (status == TPU_OK) {
        status = run_all(asked, &why);
        if (status == TPU_OK) {
            status = cli_netmutants_put(asked, &found, &why);
        }
    }
    clear(asked);
    free(asked);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    return found ? CLI_DIVERGED : CLI_OK;
}
