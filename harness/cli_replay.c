// SPDX-License-Identifier: Apache-2.0
//
// replay: runs a reproducer on a fresh engine and says whether the same verdict came back, to the
// cycle.

#include "harness/cli.h"
#include "harness/loader.h"
#include "harness/report.h"
#include "harness/reproducer.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: tpucosim replay FILE [--wave WAVE] [--engine KIND] [--json]\n\n"
    "Runs everything in the reproducer on a fresh engine of its own parameters, shows the report\n"
    "and says whether it is the verdict of the file, to the cycle. Exit code: that of the verdict\n"
    "(1 while it still fails, 0 when it does not any more).\n"
    "  --wave WAVE       write a waveform (FST) of the last run\n"
    "  --engine KIND     another engine than the file's: verilator, systemc or netlist\n";

typedef struct replay {
    reproducer file;
    loader *loader;
    const char *wave;
    verdict seen;
    size_t at; // number of the run that gave the verdict
} replay;

static void replay_clear(replay *self) {
    verdict_clear(&self->seen);
    loader_close(self->loader);
    reproducer_clear(&self->file);
}

static tpu_status replay_load(replay *self, const char *path, const char *kind, tpu_message *why) {
    tpu_status status = reproducer_read(path, &self->file, why);
    if (status != TPU_OK) {
        return status;
    }
    if (kind != NULL) {
        (void)snprintf(self->file.engine, sizeof self->file.engine, "%s", kind);
    }
    return loader_open(self->file.engine, &self->file.config.params, &self->loader, why);
}

static int put_report(const replay *self, const char *path, bool json) {
    const reproducer_run *run = &self->file.run[self->at];
    const report_context context = {.name = run->name,
                                    .source = path,
                                    .engine = self->file.engine,
                                    .params = &self->file.config.params,
                                    .program = run->program.count > 0 ? &run->program : NULL,
                                    .words = run->words,
                                    .word_count = run->word_count,
                                    .seed = self->file.seed,
                                    .wave = self->wave};
    tpu_message why;
    char *text = NULL;
    tpu_status status = json ? report_json(&self->seen, &context, &text, &why)
                             : report_screen(&self->seen, &context, &text, &why);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    (void)printf("%s%s", text, json ? "\n" : "");
    free(text);
    return verdict_exit_code(self->seen.kind);
}

static void put_comparison(const replay *self, FILE *to) {
    const reproducer *file = &self->file;
    char text[256];
    if (reproducer_same(file, &self->seen, self->at)) {
        (void)fprintf(to, "\nThe same verdict as in the file, at the same cycle %llu.\n",
                      (unsigned long long)self->seen.cycle);
        return;
    }
    verdict_signature_format(&file->expected, text, sizeof text);
    (void)fprintf(to, "\nNOT the verdict of the file, which is %s in run %zu at cycle %llu.\n",
                  text, file->run_count, (unsigned long long)file->expected_cycle);
}

int cli_replay(int argc, char **argv) {
    static const struct option options[] = {{"wave", required_argument, NULL, 'w'},
                                            CLI_SETTING_OPTIONS};
    cli_settings settings = {.engine = NULL};
    replay self = {.loader = NULL};
    tpu_message why;
    tpu_status status = TPU_OK;
    int option = 0;
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        if (option == 'w') {
            self.wave = optarg;
            continue;
        }
        if (option != CLI_OPT_ENGINE && option != CLI_OPT_JSON && option != '?') {
            return cli_refuse("replay: the file says everything but --engine");
        }
        status = cli_take_option(option, argv, &settings, &why);
    }
    if (status == TPU_OK && argc - optind != 1) {
        return cli_refuse("replay takes one file; see tpucosim replay --help");
    }
    verdict_init(&self.seen);
    if (status == TPU_OK) {
        status = replay_load(&self, argv[optind], settings.engine, &why);
    }
    int code = CLI_OK;
    if (status == TPU_OK) {
        const reproducer_watch watch = {.wave = self.wave};
        reproducer_replay(&self.file, loader_api(self.loader), &watch, &self.seen, &self.at);
        code = put_report(&self, argv[optind], settings.json);
        put_comparison(&self, settings.json ? stderr : stdout);
    } else {
        code = cli_fail(status, &why);
    }
    replay_clear(&self);
    return code;
}
