// SPDX-License-Identifier: Apache-2.0
//
// explain: runs a reproducer again and walks from the symptom to the cause, in text. The wave that
// the look into the array needs goes into a temporary file.

#define _XOPEN_SOURCE 700 // mkstemp, P_tmpdir

#include "harness/cli/cli.h"
#include "harness/engine/loader.h"
#include "harness/show/explain.h"
#include "harness/show/failure.h"
#include "harness/show/peek.h"
#include "harness/show/wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: tpucosim explain FILE [--engine KIND] [--json]\n\n"
    "Runs the reproducer on a fresh engine and tells, step by step, what went wrong: the row that\n"
    "differs first, its instruction, how far the difference reached, which unit is to blame and\n"
    "why, what the pattern suggests, and what to open. Exit code: that of the verdict (1 while it\n"
    "still fails, 0 when it does not any more).\n"
    "  --engine KIND     another engine than the file's: verilator, systemc or netlist\n"
    "  --json            JSON on standard output\n";

typedef struct explanation {
    reproducer file;
    loader *loader;
    recording taken;
    explain steps;
} explanation;

static void explanation_clear(explanation *self) {
    explain_clear(&self->steps);
    recording_clear(&self->taken);
    loader_close(self->loader);
    reproducer_clear(&self->file);
}

// A name for the wave; false where no file can be made, and then there is no look into the array.
static bool make_wave_name(char *path, size_t size) {
    const char *place = getenv("TMPDIR");
    (void)snprintf(path, size, "%s/tpucosim_explain_XXXXXX",
                   place != NULL && place[0] != '\0' ? place : P_tmpdir);
    int file = mkstemp(path);
    if (file >= 0) {
        (void)close(file);
    }
    return file >= 0;
}

static tpu_status record(explanation *self, const recording_window *window, tpu_message *why) {
    const engine_api *api = loader_api(self->loader);
    char wave[512];
    bool single = strcmp(self->file.engine, "systemc") == 0; // one run a process
    bool traced = !single && make_wave_name(wave, sizeof wave);
    if (traced) {
        tpu_message ignored;
        traced = recording_take(&self->file, api, window, wave, &self->taken, &ignored) == TPU_OK;
        if (traced && wave_write_window(&self->taken, wave, wave, &ignored) == TPU_OK) {
            peek_into(&self->taken, wave);
        }
        (void)unlink(wave);
    }
    if (traced) {
        return TPU_OK;
    }
    recording_clear(&self->taken);
    return recording_take(&self->file, api, window, NULL, &self->taken, why);
}

// The window is where the file says; what a run shows that fails elsewhere is looked for again.
static tpu_status take(explanation *self, tpu_message *why) {
    verdict expected;
    verdict_init(&expected);
    expected.kind = self->file.expected.kind;
    expected.cycle = self->file.expected_cycle;
    const recording_window window = recording_window_of(&expected, FAILURE_BEFORE, FAILURE_AFTER);
    verdict_clear(&expected);
    tpu_status status = record(self, &window, why);
    if (status == TPU_REFUSED) { // it ends before the window begins
        const recording_window all = {.first = 0, .last = UINT64_MAX};
        recording_clear(&self->taken);
        status = record(self, &all, why);
    }
    return status;
}

static tpu_status put(explanation *self, const char *path, bool json, tpu_message *why) {
    const reproducer_run *run = &self->file.run[self->taken.run];
    char replay[1200];
    char *text = NULL;
    (void)snprintf(replay, sizeof replay, "tpucosim replay %s", path);
    const report_context context = {.name = run->name,
                                    .engine = self->file.engine,
                                    .params = &self->file.config.params,
                                    .program = run->program.count > 0 ? &run->program : NULL,
                                    .words = run->words,
                                    .word_count = run->word_count,
                                    .seed = self->file.seed,
                                    .replay = replay};
    const verdict *seen = &self->taken.seen;
    tpu_status status = explain_make(&self->taken, &context, &self->steps, why);
    if (status == TPU_OK) {
        status = json ? explain_json(&self->steps, seen, &context, &text, why)
                      : explain_text(&self->steps, seen, &context, &text, why);
    }
    if (status == TPU_OK) {
        cli_put_report(text);
        (void)fputs(json ? "\n" : "", stdout);
    }
    free(text);
    return status;
}

static int run(const char *path, const cli_settings *settings) {
    explanation self = {.loader = NULL};
    tpu_message why;
    tpu_status status = reproducer_read(path, &self.file, &why);
    if (status == TPU_OK && settings->engine != NULL) {
        (void)snprintf(self.file.engine, sizeof self.file.engine, "%s", settings->engine);
    }
    if (status == TPU_OK) {
        status = loader_open(self.file.engine, &self.file.config.params, &self.loader, &why);
    }
    if (status == TPU_OK) {
        status = take(&self, &why);
    }
    if (status == TPU_OK) {
        status = put(&self, path, settings->json, &why);
    }
    int code = status == TPU_OK ? verdict_exit_code(self.taken.seen.kind) : cli_fail(status, &why);
    explanation_clear(&self);
    return code;
}

int cli_explain(int argc, char **argv) {
    static const struct option options[] = {CLI_SETTING_OPTIONS};
    cli_settings settings = {.engine = NULL};
    tpu_message why;
    tpu_status status = TPU_OK;
    int option = 0;
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        if (option != CLI_OPT_ENGINE && option != CLI_OPT_JSON && option != '?') {
            return cli_refuse("explain: the file says everything but --engine");
        }
        status = cli_take_option(option, argv, &settings, &why);
    }
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (argc - optind != 1) {
        return cli_refuse("explain takes one file; see tpucosim explain --help");
    }
    return run(argv[optind], &settings);
}
