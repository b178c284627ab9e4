// SPDX-License-Identifier: Apache-2.0
//
// bench: cycles against the targets and the speed of the harness, as a table or as JSON.

#include "harness/cli/cli.h"
#include "harness/suite/bench_tools.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tpucosim bench [OPTION]...\n\n"
    "Cycles of every benchmark shape that fits, from start to the response of the last write, for\n"
    "the shipped program and for the fastest of the legal forms, at read latencies 1, 16, 64 and\n"
    "100; with relu, and at QD=2 where that engine is built; then checked and bare cycles a\n"
    "second. Every run is in lockstep; exit code 1 when one is not exact.\n"
    "  --quick           no speeds\n" CLI_SETTING_HELP;

// Processor time for a figure of the tools.
#define FIGURE_SECONDS 8.0

typedef struct view {
    const cli_settings *settings;
    bool started; // the head is printed: not before the engine is there
    cJSON *rows;  // JSON instead of lines
    cJSON *figures;
    size_t missed;
    size_t with_target;
    bool exact;
} view;

static void put_head(void) {
    (void)printf("%-10s %7s | %-29s | %-54s | %-16s |\n", "", "", "shipped program, cycles at L",
                 "best form, cycles at L", "");
    (void)printf("%-10s %7s | %7s %6s %6s %7s | %7s %6s %6s %7s %-11s %6s %6s | %6s %9s | %9s "
                 "%9s %5s\n",
                 "shape", "ideal", "1", "16", "64", "100", "1", "16", "64", "100", "form", "relu",
                 "QD=2", "target", "published", "checked/s", "bare/s", "over");
}

static void put_cycles(uint64_t cycles, int width) {
    if (cycles > 0) {
        (void)printf(" %*" PRIu64, width, cycles);
    } else {
        (void)printf(" %*s", width, "-");
    }
}

static void put_four(const uint64_t cycles[BENCH_LATENCIES]) {
    put_cycles(cycles[0], 7);
    put_cycles(cycles[1], 6);
    put_cycles(cycles[2], 6);
    put_cycles(cycles[3], 7);
}

static void put_speeds(const bench_row *row) {
    if (row->checked <= 0 || row->bare <= 0) {
        (void)printf(" %9s %9s %5s\n", "-", "-", "-");
        return;
    }
    (void)printf(" %8.0fk %8.0fk %5.2f\n", row->checked / 1e3, row->bare / 1e3,
                 row->bare / row->checked);
}

// '+' the target is reached, '!' it is not.
static char mark(const bench_row *row) {
    if (row->target == 0) {
        return ' ';
    }
    return row->best[0] > 0 && row->best[0] <= row->target ? '+' : '!';
}

static void put_row(const bench_row *row) {
    char shape[48];
    (void)snprintf(shape, sizeof shape, "%ux%ux%u", row->m, row->k, row->n);
    (void)printf("%-10s %7" PRIu64 " |", shape, row->ideal);
    put_four(row->shipped);
    (void)printf(" |");
    put_four(row->best);
    (void)printf(" %-11s", programs_form_name(row->form));
    put_cycles(row->relu, 6);
    put_cycles(row->shallow, 6);
    (void)printf(" |");
    put_cycles(row->target, 6);
    (void)printf("%c", mark(row));
    put_cycles(row->published, 8);
    (void)printf(" |");
    put_speeds(row);
    if (!row->exact) {
        (void)printf("    NOT EXACT: %s\n", row->sentence.text);
    }
}

static void add_cycles(cJSON *to, const char *key, const uint64_t cycles[BENCH_LATENCIES]) {
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (size_t i = 0; i < BENCH_LATENCIES; i++) {
        (void)cJSON_AddItemToArray(list, cJSON_CreateNumber((double)cycles[i]));
    }
}

static cJSON *row_object(const bench_row *row) {
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddNumberToObject(out, "m", row->m);
    (void)cJSON_AddNumberToObject(out, "k", row->k);
    (void)cJSON_AddNumberToObject(out, "n", row->n);
    (void)cJSON_AddNumberToObject(out, "ideal", (double)row->ideal);
    (void)cJSON_AddNumberToObject(out, "target", (double)row->target);
    (void)cJSON_AddNumberToObject(out, "published", (double)row->published);
    add_cycles(out, "shipped", row->shipped);
    add_cycles(out, "best", row->best);
    (void)cJSON_AddStringToObject(out, "form", programs_form_name(row->form));
    (void)cJSON_AddNumberToObject(out, "relu", (double)row->relu);
    (void)cJSON_AddNumberToObject(out, "qd2", (double)row->shallow);
    (void)cJSON_AddNumberToObject(out, "checked_per_second", row->checked);
    (void)cJSON_AddNumberToObject(out, "bare_per_second", row->bare);
    (void)cJSON_AddBoolToObject(out, "exact", row->exact);
    return out;
}

static cJSON *figure_object(const bench_figure *figure) {
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(out, "name", figure->name);
    (void)cJSON_AddStringToObject(out, "unit", figure->unit);
    (void)cJSON_AddNumberToObject(out, "value", figure->value);
    (void)cJSON_AddNumberToObject(out, "target", figure->target);
    (void)cJSON_AddBoolToObject(out, "at_most", figure->at_most);
    return out;
}

static void put_title(const cli_settings *settings) {
    const tpu_params *p = &settings->config.params;
    (void)printf("%s  T=%u MAXDIM=%u QD=%u DMA_WORDS=%u\n\n", settings->engine, p->t, p->maxdim,
                 p->qd, p->dma_words);
    put_head();
}

static void on_row(void *user, const bench_row *row) {
    view *self = user;
    self->exact = self->exact && row->exact;
    self->with_target += row->target > 0;
    self->missed += row->target > 0 && (row->best[0] == 0 || row->best[0] > row->target);
    if (self->rows != NULL) {
        (void)cJSON_AddItemToArray(self->rows, row_object(row));
        return;
    }
    if (!self->started) {
        put_title(self->settings);
        self->started = true;
    }
    put_row(row);
    (void)fflush(stdout);
}

// Beside the lines: what the tools reach. Left out where an engine can run once only.
static tpu_status add_figures(view *self, const bench_options *options, tpu_message *why) {
    bench_figure figure;
    if (options->speed_seconds <= 0 || strcmp(options->engine, "systemc") == 0) {
        return TPU_OK;
    }
    tpu_status status = bench_tools_fuzz(options, FIGURE_SECONDS, &figure, why);
    if (status != TPU_OK) {
        return status;
    }
    self->with_target += figure.target > 0;
    self->missed += !bench_tools_reached(&figure);
    if (self->figures != NULL) {
        (void)cJSON_AddItemToArray(self->figures, figure_object(&figure));
        return TPU_OK;
    }
    (void)printf("\n%-28s %10.2f %s", figure.name, figure.value, figure.unit);
    if (figure.target > 0) {
        (void)printf("   target %s %.6g%c", figure.at_most ? "<=" : ">=", figure.target,
                     bench_tools_reached(&figure) ? '+' : '!');
    }
    (void)printf("\n");
    return TPU_OK;
}

static tpu_status put_json(const view *self, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    (void)cJSON_AddItemToObject(root, "rows", self->rows);
    (void)cJSON_AddItemToObject(root, "figures", self->figures);
    return cli_put_json(root, why);
}

static int run_bench(const cli_settings *settings, double seconds) {
    const bench_options options = {.engine = settings->engine,
                                   .config = settings->config,
                                   .seed = settings->seed,
                                   .speed_seconds = seconds};
    view self = {.settings = settings, .exact = true};
    tpu_message why;
    if (settings->json) {
        self.rows = cJSON_CreateArray();
        self.figures = cJSON_CreateArray();
    }
    tpu_status status = bench_run(&options, on_row, &self, &why);
    if (status == TPU_OK) {
        status = add_figures(&self, &options, &why);
    }
    if (status != TPU_OK) {
        cJSON_Delete(self.rows);
        cJSON_Delete(self.figures);
        return cli_fail(status, &why);
    }
    if (settings->json) {
        status = put_json(&self, &why);
        if (status != TPU_OK) {
            return cli_fail(status, &why);
        }
    } else {
        (void)printf("\n%zu of %zu targets reached\n", self.with_target - self.missed,
                     self.with_target);
    }
    return self.exact ? CLI_OK : CLI_DIVERGED;
}

int cli_bench(int argc, char **argv) {
    static const struct option options[] = {{"quick", no_argument, NULL, 'q'}, CLI_SETTING_OPTIONS};
    cli_settings settings;
    tpu_message why;
    double seconds = 0.2;
    int option = 0;
    tpu_status status = cli_read_settings(&settings, &why);
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        if (option == 'q') {
            seconds = 0;
        } else {
            status = cli_take_option(option, argv, &settings, &why);
        }
    }
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (argc != optind) {
        return cli_refuse("bench takes no argument; see tpucosim bench --help");
    }
    return run_bench(&settings, seconds);
}
