// SPDX-License-Identifier: Apache-2.0
//
// page: a failure, made from its reproducer, or the summaries of a whole run as one HTML page.

#define _POSIX_C_SOURCE 200809L

#include "harness/cli/cli.h"

#include "harness/engine/loader.h"
#include "harness/io/textfile.h"
#include "harness/replay/recording.h"
#include "harness/replay/reproducer.h"
#include "harness/show/failure.h"
#include "harness/show/page.h"
#include "harness/show/page_summary.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: tpucosim page FILE [-o OUT.html]\n"
    "       tpucosim page SUMMARY.json... [-o OUT.html] [--title TEXT]\n\n"
    "One HTML file that needs nothing but a browser. Of a reproducer (repro.json) it shows the\n"
    "failure, running it again; of what cosim, bench, fuzz, campaign, mutants and timeline say\n"
    "with --json, and of the CSV of fuzz --growth, it shows the whole run.\n"
    "  -o OUT.html       default report.html\n"
    "  --title TEXT      heading of a summary\n";

// Runs everything once to know where the verdict is, then records the cycles around it.
static tpu_status record(const reproducer *file, const engine_api *api, recording *out,
                         tpu_message *why) {
    verdict seen;
    size_t at = 0;
    verdict_init(&seen);
    reproducer_replay(file, api, NULL, &seen, &at);
    const recording_window window = recording_window_of(&seen, FAILURE_BEFORE, FAILURE_AFTER);
    verdict_clear(&seen);
    return recording_take(file, api, &window, NULL, out, why);
}

static tpu_status write_failure(const char *path, const char *out, tpu_message *why) {
    reproducer file = {.run = NULL};
    loader *machine = NULL;
    recording seen = {.event = NULL};
    char replay[4200];
    tpu_status status = reproducer_read(path, &file, why);
    if (status == TPU_OK) {
        status = loader_open(file.engine, &file.config.params, &machine, why);
    }
    if (status == TPU_OK) {
        status = record(&file, loader_api(machine), &seen, why);
    }
    if (status == TPU_OK) {
        const reproducer_run *run = &file.run[seen.run];
        (void)snprintf(replay, sizeof replay, "tpucosim replay %s", path);
        const report_context context = {.name = run->name,
                                        .engine = file.engine,
                                        .params = &file.config.params,
                                        .program = run->program.count > 0 ? &run->program : NULL,
                                        .words = run->words,
                                        .word_count = run->word_count,
                                        .seed = file.seed,
                                        .replay = replay};
        status = page_write(&seen, &context, out, why);
    }
    recording_clear(&seen);
    loader_close(machine);
    reproducer_clear(&file);
    return status;
}

// The texts of all files.
typedef struct texts {
    page_summary_part *part;
    char **text;
    size_t count;
} texts;

static void texts_clear(texts *self) {
    for (size_t i = 0; i < self->count && self->text != NULL; i++) {
        free(self->text[i]);
    }
    free(self->text);
    free(self->part);
}

static tpu_status read_texts(char **files, size_t count, texts *out, tpu_message *why) {
    tpu_status status = TPU_OK;
    out->count = count;
    out->part = calloc(count, sizeof *out->part);
    out->text = calloc(count, sizeof *out->text);
    if (out->part == NULL || out->text == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "page: out of memory");
    }
    for (size_t i = 0; i < count && status == TPU_OK; i++) {
        status = textfile_read(files[i], &out->text[i], NULL, why);
        out->part[i] = (page_summary_part){.name = files[i], .text = out->text[i]};
    }
    return status;
}

typedef struct request {
    const char *out;
    const char *title;
} request;

// One file that is no summary is taken for a reproducer, whose reader says what is wrong with it.
static tpu_status write_page(char **files, size_t count, const request *asked, tpu_message *why) {
    texts all = {.count = 0};
    tpu_status status = read_texts(files, count, &all, why);
    if (status == TPU_OK && count == 1 && page_summary_kind(all.text[0]) == NULL) {
        status = write_failure(files[0], asked->out, why);
    } else if (status == TPU_OK) {
        status = page_summary_write(all.part, count, asked->title, asked->out, why);
    }
    texts_clear(&all);
    return status;
}

int cli_page(int argc, char **argv) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"title", required_argument, NULL, 't'},
                                            {"help", no_argument, NULL, CLI_OPT_HELP},
                                            {NULL, 0, NULL, 0}};
    request asked = {.out = "report.html", .title = "What the run showed"};
    tpu_message why;
    int option = 0;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        if (option == 'o') {
            asked.out = optarg;
        } else if (option == 't') {
            asked.title = optarg;
        } else {
            return cli_refuse("page: %s is no option or lacks its value; see tpucosim page --help",
                              argv[optind - 1]);
        }
    }
    if (argc == optind) {
        return cli_refuse("page takes one file or more; see tpucosim page --help");
    }
    tpu_status status = write_page(argv + optind, (size_t)(argc - optind), &asked, &why);
    return status == TPU_OK ? CLI_OK : cli_fail(status, &why);
}
