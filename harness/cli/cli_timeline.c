// SPDX-License-Identifier: Apache-2.0
//
// timeline: records a run, writes it for Perfetto and Konata, and says where its cycles went.

#define _POSIX_C_SOURCE 200809L

#include "harness/cli/cli.h"

#include "csim/isa/image.h"
#include "harness/engine/loader.h"
#include "harness/io/textfile.h"
#include "harness/replay/recording.h"
#include "harness/replay/reproducer.h"
#include "harness/show/cycles.h"
#include "harness/show/cycles_report.h"
#include "harness/show/life.h"
#include "harness/show/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tpucosim timeline FILE [-A A.npy] [-B B.npy] [-C C.npy] [OPTION]...\n\n"
    "Runs a reproducer (repro.json, or what run and gemm write with --save) or a program in\n"
    "lockstep, says where the cycles went, and writes timeline.json (Perfetto, chrome://tracing)\n"
    "and timeline.kanata (Konata). A reproducer brings its own machine, operands and timing; a\n"
    "program takes them from the options.\n"
    "  --out DIR         directory of the two files, default the current one\n"
    "  --cycles A-B      only these cycles of the run; default all of it\n"
    "  --path            list the critical path step by step\n" CLI_SETTING_HELP;

typedef struct work {
    cli_settings settings;
    const char *file;
    const char *matrix[3];
    const char *directory;
    recording_window window;
    bool list_path;
    reproducer run;
    loader *loader;
    recording seen;
    cycles account;
    life_list ideal;
} work;

static void work_clear(work *self) {
    life_list_clear(&self->ideal);
    cycles_clear(&self->account);
    recording_clear(&self->seen);
    loader_close(self->loader);
    reproducer_clear(&self->run);
}

// A program with its operands as a reproducer of one run.
typedef struct bench {
    isa_program program;
    image words;
    uint8_t *region[3];
} bench;

static void bench_clear(bench *self) {
    isa_program_clear(&self->program);
    image_clear(&self->words);
    for (int i = 0; i < 3; i++) {
        free(self->region[i]);
    }
}

static tpu_status place(const work *self, int which, uint8_t *region, tpu_message *why) {
    npy_matrix matrix = {.data = NULL};
    tpu_status status = cli_read_matrix(self->matrix[which], &matrix, why);
    if (status == TPU_OK) {
        status = cli_place(self->matrix[which], &matrix, self->settings.config.params.maxdim,
                           region, why);
    }
    npy_clear(&matrix);
    return status;
}

static tpu_status load_bench(const work *self, bench *out, tpu_message *why) {
    const tpu_params *params = &self->settings.config.params;
    tpu_status status = cli_read_program(self->file, &out->program, why);
    if (status == TPU_OK) {
        status = image_build(params, &out->program, true, &out->words, why);
    }
    for (int i = 0; i < 3 && status == TPU_OK; i++) {
        out->region[i] = calloc(params_region_bytes(params), 1);
        if (out->region[i] == NULL) {
            return status_fail(why, TPU_ERR_MEMORY, "out of memory for the operands");
        }
        if (self->matrix[i] != NULL) {
            status = place(self, i, out->region[i], why);
        }
    }
    return status;
}

static tpu_status make_run(work *self, tpu_message *why) {
    bench with = {.words = {.words = NULL}};
    tpu_status status = load_bench(self, &with, why);
    if (status == TPU_OK) {
        const lockstep_job job = {.mode = LOCKSTEP_MODE_CHECKED,
                                  .program = &with.program,
                                  .words = with.words.words,
                                  .word_count = with.words.count,
                                  .a = with.region[0],
                                  .b = with.region[1],
                                  .c = with.region[2]};
        (void)snprintf(self->run.engine, sizeof self->run.engine, "%s", self->settings.engine);
        self->run.config = self->settings.config;
        self->run.hang_limit = self->settings.hang_limit;
        self->run.seed = self->settings.seed;
        status = reproducer_add(&self->run, self->file, &job, &self->settings.config.timing, why);
    }
    bench_clear(&with);
    return status;
}

// JSON begins with a brace; no program text does.
static tpu_status is_reproducer(const char *path, bool *out, tpu_message *why) {
    char *text = NULL;
    tpu_status status = textfile_read(path, &text, NULL, why);
    if (status == TPU_OK) {
        *out = text[strspn(text, " \t\r\n")] == '{';
        free(text);
    }
    return status;
}

static tpu_status load(work *self, tpu_message *why) {
    bool recorded = false;
    tpu_status status = is_reproducer(self->file, &recorded, why);
    if (status != TPU_OK) {
        return status;
    }
    if (!recorded) {
        return make_run(self, why);
    }
    if (self->matrix[0] != NULL || self->matrix[1] != NULL || self->matrix[2] != NULL) {
        return status_fail(why, TPU_REFUSED, "%s brings its own operands; leave out -A, -B and -C",
                           self->file);
    }
    return reproducer_read(self->file, &self->run, why);
}

// A run is made once without a recorder, so that a long one does not fill the memory in vain.
static tpu_status check_length(const work *self, tpu_message *why) {
    verdict seen;
    size_t at = 0;
    verdict_init(&seen);
    reproducer_replay(&self->run, loader_api(self->loader), NULL, &seen, &at);
    uint64_t end = self->window.last < seen.cycle ? self->window.last : seen.cycle;
    uint64_t count = end > self->window.first ? end - self->window.first + 1 : 1;
    uint64_t all = seen.cycle;
    verdict_clear(&seen);
    if (count <= TIMELINE_CYCLES_MAX) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED,
                       "the run has %llu cycles, a timeline %u at most: choose some with --cycles "
                       "A-B",
                       (unsigned long long)all, TIMELINE_CYCLES_MAX);
}

static tpu_status record(work *self, tpu_message *why) {
    tpu_status status = loader_open(self->run.engine, &self->run.config.params, &self->loader, why);
    if (status == TPU_OK) {
        status = check_length(self, why);
    }
    if (status == TPU_OK) {
        status = recording_take(&self->run, loader_api(self->loader), &self->window, NULL,
                                &self->seen, why);
    }
    if (status == TPU_OK) {
        status = cycles_count(&self->seen, &self->account, why);
    }
    if (status == TPU_OK && self->account.whole) {
        status = life_ideal(&self->seen, &self->ideal, why);
    }
    return status;
}

static tpu_status show(const work *self, tpu_message *why) {
    char *text = NULL;
    const cycles_report_context context = {
        .name = self->run.run[self->seen.run].name,
        .seen = &self->seen.seen,
        .ideal = self->account.whole ? self->ideal.end : 0,
        .list_path = self->list_path,
        .directory = self->directory,
    };
    tpu_status status = self->settings.json
                            ? cycles_report_json(&self->account, &context, &text, why)
                            : cycles_report_screen(&self->account, &context, &text, why);
    if (status == TPU_OK) {
        (void)fputs(text, stdout);
    }
    free(text);
    return status;
}

static tpu_status take_window(const char *text, recording_window *out, tpu_message *why) {
    char first[24] = "";
    const char *dash = strchr(text, '-');
    size_t length = dash != NULL ? (size_t)(dash - text) : 0;
    if (length == 0 || length >= sizeof first) {
        return status_fail(why, TPU_REFUSED, "--cycles: \"%s\" is not a range like 100-400", text);
    }
    memcpy(first, text, length);
    tpu_status status = cli_read_number("--cycles", first, UINT64_MAX - 1, &out->first, why);
    if (status == TPU_OK) {
        status = cli_read_number("--cycles", dash + 1, UINT64_MAX - 1, &out->last, why);
    }
    if (status == TPU_OK && out->last < out->first) {
        return status_fail(why, TPU_REFUSED, "--cycles: %s ends before it begins", text);
    }
    return status;
}

static tpu_status take_one(int option, char *const *argv, work *self, tpu_message *why) {
    switch (option) {
    case 'A':
    case 'B':
    case 'C':
        self->matrix[option - 'A'] = optarg;
        return TPU_OK;
    case 'o':
        self->directory = optarg;
        return TPU_OK;
    case 'c':
        return take_window(optarg, &self->window, why);
    case 'p':
        self->list_path = true;
        return TPU_OK;
    default:
        return cli_take_option(option, argv, &self->settings, why);
    }
}

static tpu_status run_all(work *self, tpu_message *why) {
    tpu_status status = load(self, why);
    if (status == TPU_OK) {
        status = textfile_make_directory(self->directory, why);
    }
    if (status == TPU_OK) {
        status = record(self, why);
    }
    if (status == TPU_OK) {
        status = timeline_write(&self->seen, self->directory, why);
    }
    return status == TPU_OK ? show(self, why) : status;
}

int cli_timeline(int argc, char **argv) {
    static const struct option options[] = {{"out", required_argument, NULL, 'o'},
                                            {"cycles", required_argument, NULL, 'c'},
                                            {"path", no_argument, NULL, 'p'},
                                            CLI_SETTING_OPTIONS};
    work self = {.directory = ".", .window = {0, UINT64_MAX}};
    tpu_message why;
    int option = 0;
    tpu_status status = cli_read_settings(&self.settings, &why);
    while (status == TPU_OK && (option = getopt_long(argc, argv, "A:B:C:", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        status = take_one(option, argv, &self, &why);
    }
    if (status == TPU_OK && argc - optind != 1) {
        return cli_refuse("timeline takes one file; see tpucosim timeline --help");
    }
    if (status == TPU_OK) {
        self.file = argv[optind];
        status = run_all(&self, &why);
    }
    int code = status == TPU_OK ? verdict_exit_code(self.seen.seen.kind) : cli_fail(status, &why);
    work_clear(&self);
    return code;
}
