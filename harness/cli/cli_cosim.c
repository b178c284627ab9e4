// SPDX-License-Identifier: Apache-2.0
//
// cosim: the suite as a table or as JSON.

#define _POSIX_C_SOURCE 200809L

#include "harness/cli/cli.h"
#include "harness/io/jsonnum.h"
#include "harness/show/page_summary.h"
#include "harness/suite/suite.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: tpucosim cosim [OPTION]...\n\n"
    "Runs the benchmark shapes that fit, looped and flat, with and without relu, and the other\n"
    "programs, each in lockstep, and prints one table. Exit code 1 when a line is not exact.\n"
    "  --stress          add the stress calls and program families (TPU_TB=stress)\n"
    "  --shapes LIST     such as 8x8x8,16x16x8 instead of the benchmark shapes (TPU_SHAPES)\n"
    "  --digest          print the digest of every line, to compare timings\n"
    "  --fast            measure no speeds\n"
    "  --fail DIR        where failures leave their files, default fail\n"
    "  --page FILE       the table as one HTML page as well\n" CLI_SETTING_HELP;

// How the lines are shown.
typedef struct table {
    const suite_options *options;
    bool started; // the head is printed: not before the engine is there
    bool digest;
    bool progress; // a person is watching
    cJSON *rows;   // as JSON; NULL = nobody asks for it
    bool quiet;    // JSON instead of lines
} table;

static void put_head(const table *self) {
    (void)printf("%-19s %-10s %8s %8s %6s %9s %9s %9s %5s  %s\n", "program", "shape", "cycles",
                 "ideal", "util", "compares", "checked/s", "bare/s", "over",
                 self->digest ? "digest            verdict" : "verdict");
}

static void put_title(const suite_options *options) {
    const tpu_params *p = &options->config.params;
    const engine_timing *timing = &options->config.timing;
    (void)printf("%s  T=%u MAXDIM=%u SPAD=%u NVR=%u NAR=%u IMEM=%u QD=%u DMA_WORDS=%u  latency %u  "
                 "stall %u/1000  seed %" PRIu64 "\n\n",
                 options->engine, p->t, p->maxdim, p->spad_rows, p->nvr, p->nar, p->imem_size,
                 p->qd, p->dma_words, timing->read_latency, timing->stall_permille, options->seed);
}

static const char *shape_text(const suite_shape *shape, char *text, size_t size) {
    (void)snprintf(text, size, "%ux%ux%u", shape->m, shape->k, shape->n);
    return shape->m == 0 ? "-" : text;
}

static uint64_t total_of(const uint64_t compared[TPU_STREAM_COUNT]) {
    uint64_t total = 0;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        total += compared[s];
    }
    return total;
}

// "1.25M", "318k": three digits, the right size to compare by eye.
static const char *rate_text(double rate, char *text, size_t size) {
    if (rate <= 0) {
        return "-";
    }
    if (rate >= 999500) {
        (void)snprintf(text, size, "%.2fM", rate / 1e6);
    } else {
        (void)snprintf(text, size, "%.0fk", rate / 1e3);
    }
    return text;
}

static void put_cycles(const suite_row *row) {
    if (row->cycles == 0) { // the run did not come to its end
        (void)printf(" %8s %8s %6s", "-", "-", "-");
    } else if (row->ideal == 0) {
        (void)printf(" %8" PRIu64 " %8s %6s", row->cycles, "-", "-");
    } else {
        (void)printf(" %8" PRIu64 " %8" PRIu64 " %5.1f%%", row->cycles, row->ideal,
                     100.0 * (double)row->ideal / (double)row->cycles);
    }
}

static void put_verdict(const suite_row *row) {
    if (row->kind == VERDICT_OK) {
        (void)printf("  exact\n");
    }
    if (row->note.text[0] != '\0') {
        (void)printf("    %s\n", row->note.text);
    }
    if (row->kind == VERDICT_OK) {
        return;
    }
    (void)printf("  %s\n    %s\n", verdict_kind_name(row->kind), row->sentence.text);
    if (row->directory[0] != '\0') {
        (void)printf("    see %s/report.txt; run it again: tpucosim replay %s/repro.json\n",
                     row->directory, row->directory);
    }
}

static void put_row(const table *self, const suite_row *row) {
    char shape[40];
    char checked[24];
    char bare[24];
    char overhead[24] = "-";
    (void)printf("%-19s %-10s", row->program, shape_text(&row->shape, shape, sizeof shape));
    if (row->skipped) {
        (void)printf("  not run: %s\n", row->sentence.text);
        return;
    }
    if (row->bare > 0 && row->checked > 0) {
        (void)snprintf(overhead, sizeof overhead, "%.2f", row->bare / row->checked);
    }
    put_cycles(row);
    (void)printf(" %9" PRIu64 " %9s %9s %5s", total_of(row->compared) + row->cells,
                 rate_text(row->checked, checked, sizeof checked),
                 rate_text(row->bare, bare, sizeof bare), overhead);
    if (self->digest) {
        (void)printf("  %016" PRIx64, row->digest);
    }
    put_verdict(row);
}

static void add_compared(cJSON *to, const uint64_t compared[TPU_STREAM_COUNT]) {
    cJSON *out = cJSON_AddObjectToObject(to, "compared");
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        jsonnum_add(out, tpu_streams[s].name, compared[s]);
    }
}

static cJSON *row_object(const suite_row *row) {
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(out, "program", row->program);
    (void)cJSON_AddNumberToObject(out, "m", row->shape.m);
    (void)cJSON_AddNumberToObject(out, "k", row->shape.k);
    (void)cJSON_AddNumberToObject(out, "n", row->shape.n);
    (void)cJSON_AddBoolToObject(out, "skipped", row->skipped);
    (void)cJSON_AddStringToObject(out, "verdict",
                                  row->skipped ? "-" : verdict_kind_name(row->kind));
    (void)cJSON_AddStringToObject(out, "sentence", row->sentence.text);
    (void)cJSON_AddStringToObject(out, "note", row->note.text);
    (void)cJSON_AddStringToObject(out, "directory", row->directory);
    jsonnum_add(out, "cycles", row->cycles);
    jsonnum_add(out, "ideal", row->ideal);
    jsonnum_add(out, "cells", row->cells);
    add_compared(out, row->compared);
    (void)cJSON_AddNumberToObject(out, "checked_per_second", row->checked);
    (void)cJSON_AddNumberToObject(out, "bare_per_second", row->bare);
    jsonnum_add_hex(out, "digest", row->digest);
    return out;
}

static void on_row(void *user, const suite_row *row) {
    table *self = user;
    cli_annotate_directory(row->directory);
    if (self->rows != NULL) {
        (void)cJSON_AddItemToArray(self->rows, row_object(row));
    }
    if (self->quiet) {
        if (self->progress) {
            (void)fprintf(stderr, "\r%-30s", row->program);
        }
        return;
    }
    if (!self->started) {
        put_title(self->options);
        put_head(self);
        self->started = true;
    }
    put_row(self, row);
    (void)fflush(stdout);
}

static void put_foot(const suite_summary *summary) {
    (void)printf("\ncompared:");
    size_t column = 9;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        char item[64];
        int length = snprintf(item, sizeof item, " %s %" PRIu64 "%s", tpu_streams[s].name,
                              summary->compared[s], s + 1 < TPU_STREAM_COUNT ? "," : "");
        if (column + (size_t)length > 100) {
            (void)printf("\n         ");
            column = 9;
        }
        (void)fputs(item, stdout);
        column += (size_t)length;
    }
    (void)printf("\ndigest of all lines: %016" PRIx64 "\n", summary->digest);
    if (summary->skipped > 0) {
        (void)printf("%zu line(s) not run\n", summary->skipped);
    }
    if (summary->stopped) {
        (void)printf("the other lines were left out: this engine cannot start over in a process\n");
    }
    (void)printf("%zu of %zu exact\n", summary->exact, summary->run);
}

// The whole table as JSON, given; NULL when out of memory.
static char *table_text(table *self, const suite_summary *summary) {
    cJSON *root = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(root, "engine", self->options->engine);
    (void)cJSON_AddNumberToObject(root, "run", (double)summary->run);
    (void)cJSON_AddNumberToObject(root, "exact", (double)summary->exact);
    (void)cJSON_AddNumberToObject(root, "skipped", (double)summary->skipped);
    jsonnum_add_hex(root, "digest", summary->digest);
    (void)cJSON_AddItemToObject(root, "rows", self->rows);
    self->rows = NULL;
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

// What was asked for beside the lines of the table.
static tpu_status put_other_forms(table *self, const char *page, const suite_summary *summary,
                                  tpu_message *why) {
    tpu_status status = TPU_OK;
    if (self->rows == NULL) {
        return TPU_OK;
    }
    char *text = table_text(self, summary);
    if (text == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "cosim: out of memory");
    }
    if (self->quiet) {
        (void)puts(text);
    }
    if (page != NULL) {
        const page_summary_part part = {.name = "tpucosim cosim", .text = text};
        status = page_summary_write(&part, 1, "The suite in lockstep", page, why);
    }
    free(text);
    return status;
}

// "8x8x8,16x16x8": one shape from `text` on; returns what follows, NULL when it is malformed.
static const char *read_shape(const char *text, suite_shape *out) {
    uint32_t *extent[3] = {&out->m, &out->k, &out->n};
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        if (*text < '0' || *text > '9') {
            return NULL;
        }
        unsigned long value = strtoul(text, &end, 10);
        char wanted = i < 2 ? 'x' : *end == ',' ? ',' : '\0';
        if (value == 0 || value > UINT16_MAX || *end != wanted) {
            return NULL;
        }
        *extent[i] = (uint32_t)value;
        text = *end == '\0' ? end : end + 1;
    }
    return text;
}

static tpu_status read_shapes(const char *text, suite_options *options, suite_shape *shapes,
                              tpu_message *why) {
    const char *at = text;
    options->shapes = shapes;
    options->shape_count = 0;
    do {
        if (options->shape_count == SUITE_SHAPES_MAX) {
            return status_fail(why, TPU_REFUSED, "--shapes: more than %d shapes", SUITE_SHAPES_MAX);
        }
        at = read_shape(at, &shapes[options->shape_count++]);
    } while (at != NULL && *at != '\0');
    if (at == NULL || text[strlen(text) - 1] == ',') {
        return status_fail(why, TPU_REFUSED, "--shapes: \"%s\" is not a list like 8x8x8,16x16x8",
                           text);
    }
    return TPU_OK;
}

// What the command line makes of a run.
typedef struct request {
    cli_settings settings;
    suite_options suite;
    suite_shape shapes[SUITE_SHAPES_MAX];
    table table;
    const char *page; // file; NULL = none
} request;

static tpu_status take_variables(request *self, tpu_message *why) {
    const char *bench = getenv("TPU_TB");
    const char *shapes = getenv("TPU_SHAPES");
    if (bench != NULL && strcmp(bench, "stress") == 0) {
        self->suite.stress = true;
    } else if (bench != NULL && bench[0] != '\0' && strcmp(bench, "default") != 0) {
        return status_fail(why, TPU_REFUSED, "TPU_TB: \"%s\" is not default or stress", bench);
    }
    if (shapes != NULL && shapes[0] != '\0') {
        return read_shapes(shapes, &self->suite, self->shapes, why);
    }
    return TPU_OK;
}

static tpu_status take_one(int option, char *const *argv, request *self, tpu_message *why) {
    switch (option) {
    case 't':
        self->suite.stress = true;
        return TPU_OK;
    case 's':
        return read_shapes(optarg, &self->suite, self->shapes, why);
    case 'd':
        self->table.digest = true;
        return TPU_OK;
    case 'q':
        self->suite.speed_seconds = 0;
        return TPU_OK;
    case 'f':
        self->suite.fail_directory = optarg;
        return TPU_OK;
    case 'p':
        self->page = optarg;
        return TPU_OK;
    default:
        return cli_take_option(option, argv, &self->settings, why);
    }
}

static int run_suite(request *self) {
    suite_summary summary;
    tpu_message why;
    self->table.options = &self->suite;
    self->suite.extra = self->suite.shapes == NULL ? cli_digits : NULL;
    self->suite.engine = self->settings.engine;
    self->suite.config = self->settings.config;
    self->suite.hang_limit = self->settings.hang_limit;
    self->suite.seed = self->settings.seed;
    self->table.quiet = self->settings.json;
    self->table.progress = isatty(STDERR_FILENO) != 0;
    if (self->settings.json || self->page != NULL) {
        self->table.rows = cJSON_CreateArray();
    }
    tpu_status status = suite_run(&self->suite, on_row, &self->table, &summary, &why);
    if (status != TPU_OK) {
        cJSON_Delete(self->table.rows);
        return cli_fail(status, &why);
    }
    if (!self->settings.json) {
        put_foot(&summary);
    }
    status = put_other_forms(&self->table, self->page, &summary, &why);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    return summary.run == 0 ? cli_refuse("cosim: no program fits this machine")
                            : verdict_exit_code(summary.worst);
}

int cli_cosim(int argc, char **argv) {
    static const struct option options[] = {{"stress", no_argument, NULL, 't'},
                                            {"shapes", required_argument, NULL, 's'},
                                            {"digest", no_argument, NULL, 'd'},
                                            {"fast", no_argument, NULL, 'q'},
                                            {"fail", required_argument, NULL, 'f'},
                                            {"page", required_argument, NULL, 'p'},
                                            CLI_SETTING_OPTIONS};
    request self = {.suite = {.fail_directory = "fail", .speed_seconds = 0.02}};
    tpu_message why;
    int option = 0;
    tpu_status status = cli_read_settings(&self.settings, &why);
    if (status == TPU_OK) {
        status = take_variables(&self, &why);
    }
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        status = take_one(option, argv, &self, &why);
    }
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (argc != optind) {
        return cli_refuse("cosim takes no argument; see tpucosim cosim --help");
    }
    return run_suite(&self);
}
