// SPDX-License-Identifier: Apache-2.0
//
// replay: runs a reproducer on a fresh engine and says whether the same verdict came back, to the
// cycle. With --wave it runs once more and keeps a window around the difference as a waveform.

#include "harness/cli/cli.h"
#include "harness/engine/loader.h"
#include "harness/replay/recording.h"
#include "harness/replay/reproducer.h"
#include "harness/show/report.h"
#include "harness/show/wave.h"
#include "harness/show/wave_check.h"
#include "harness/show/wave_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] =
    "usage: tpucosim replay FILE [--wave WAVE.fst [--before N] [--after N] | --whole]\n"
    "                       [--engine KIND] [--json]\n\n"
    "Runs everything in the reproducer on a fresh engine of its own parameters, shows the report\n"
    "and says whether it is the verdict of the file, to the cycle. Exit code: that of the verdict\n"
    "(1 while it still fails, 0 when it does not any more).\n"
    "  --wave WAVE       write a waveform (FST) of the cycles around the first difference, "
    "machine\n"
    "                    and model side by side, from where the guilty instruction was issued\n"
    "  --before N        cycles before the difference, default 200\n"
    "  --after N         cycles behind it, default 50\n"
    "  --whole           the whole of the last run\n"
    "  --engine KIND     another engine than the file's: verilator, systemc or netlist\n";

enum { BEFORE = 200, AFTER = 50 };

typedef struct replay {
    reproducer file;
    loader *loader;
    const char *wave;
    uint64_t before;
    uint64_t after;
    bool asked; // before or after was given
    bool whole;
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

static int put_report(const replay *self, bool json) {
    const reproducer_run *run = &self->file.run[self->at];
    const report_context context = {.name = run->name,
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
    cli_put_report(text);
    (void)fputs(json ? "\n" : "", stdout);
    free(text);
    cli_annotate_verdict(&self->seen, &context);
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

static const reproducer_run *last_run(const replay *self) {
    return &self->file.run[self->file.run_count - 1];
}

static bool has_memories(const replay *self) {
    return strcmp(self->file.engine, "netlist") != 0 && strcmp(self->file.engine, "mutants") != 0;
}

// A process can have one SystemC engine only: one pass has to do, and nothing can be tried before.
static bool is_single(const replay *self) {
    return strcmp(self->file.engine, "systemc") == 0;
}

static tpu_status check_window(const replay *self, tpu_message *why) {
    const reproducer *file = &self->file;
    if (self->whole && self->asked) {
        return status_fail(why, TPU_REFUSED, "--whole leaves nothing for --before and --after");
    }
    if (!last_run(self)->checked) {
        return self->asked ? status_fail(why, TPU_REFUSED,
                                         "the run was not checked, so there is no difference to "
                                         "put a window around; leave --before and --after out")
                           : TPU_OK;
    }
    if (self->asked && file->expected.kind == VERDICT_OK) {
        return status_fail(why, TPU_REFUSED,
                           "the verdict of the file is OK, so there is no difference to put a "
                           "window around; leave --before and --after out");
    }
    if (self->asked && self->before > file->expected_cycle) {
        return status_fail(why, TPU_REFUSED,
                           "--before %" PRIu64 ": the run differs at cycle %" PRIu64
                           ", no more than that lies before it",
                           self->before, file->expected_cycle);
    }
    return TPU_OK;
}

// Everything that would spoil the waveform is found before the run.
static tpu_status check_wave(const replay *self, tpu_message *why) {
    tpu_status status = check_window(self, why);
    if (status != TPU_OK || is_single(self)) {
        return status == TPU_OK ? wave_check_place(self->wave, 0, why) : status;
    }
    const bool all = self->whole || self->file.expected.kind == VERDICT_OK;
    const uint64_t cycles = all ? self->file.expected_cycle : self->before + self->after;
    return wave_check_engine(loader_api(self->loader), &self->file.config, self->wave, cycles,
                             has_memories(self), why);
}

static recording_window window_of(const replay *self) {
    const recording_window all = {.first = 0, .last = UINT64_MAX};
    if (self->whole) {
        return all;
    }
    if (!is_single(self)) {
        return recording_window_of(&self->seen, self->before, self->after);
    }
    verdict expected;
    verdict_init(&expected);
    expected.kind = self->file.expected.kind;
    expected.cycle = self->file.expected_cycle;
    return recording_window_of(&expected, self->before, self->after);
}

static void put_wave(const replay *self, const recording *taken, FILE *to) {
    struct stat there;
    const double kilobytes = stat(self->wave, &there) == 0 ? (double)there.st_size / 1000.0 : 0.0;
    (void)fprintf(to,
                  "Wave %s: cycles %" PRIu64 " to %" PRIu64 " of run %zu, machine and model, "
                  "%.0f kB.\n",
                  self->wave, taken->window.first, taken->window.last, taken->run + 1, kilobytes);
}

static tpu_status write_wave(replay *self, FILE *to, tpu_message *why) {
    recording taken = {.event = NULL};
    const recording_window window = window_of(self);
    tpu_status status =
        recording_take(&self->file, loader_api(self->loader), &window, self->wave, &taken, why);
    if (status == TPU_OK) {
        status = wave_write_window(&taken, self->wave, self->wave, why);
    }
    if (status == TPU_OK) {
        status = wave_view_write(&taken, self->wave, why);
    }
    if (status == TPU_OK && is_single(self)) {
        verdict_clear(&self->seen);
        self->seen = taken.seen; // given
        self->at = taken.run;
        verdict_init(&taken.seen);
    }
    if (status == TPU_OK) {
        put_wave(self, &taken, to);
    }
    recording_clear(&taken);
    return status;
}

static int run(replay *self, bool json) {
    FILE *beside = json ? stderr : stdout;
    tpu_message why;
    tpu_status status = self->wave != NULL ? check_wave(self, &why) : TPU_OK;
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    const bool both = self->wave != NULL && last_run(self)->checked;
    if (!both || !is_single(self)) {
        const reproducer_watch watch = {.wave = both ? NULL : self->wave};
        reproducer_replay(&self->file, loader_api(self->loader), &watch, &self->seen, &self->at);
    }
    if (both) {
        status = write_wave(self, beside, &why);
    }
    if (status != TPU_OK) {
        (void)cli_fail(status, &why);
    }
    const int code = put_report(self, json);
    put_comparison(self, beside);
    return status == TPU_OK ? code : cli_exit_code(status);
}

static tpu_status take_option(replay *self, int option, char *const *argv, cli_settings *settings,
                              tpu_message *why) {
    switch (option) {
    case 'w':
        self->wave = optarg;
        return TPU_OK;
    case 'b':
        self->asked = true;
        return cli_read_number("--before", optarg, UINT32_MAX, &self->before, why);
    case 'a':
        self->asked = true;
        return cli_read_number("--after", optarg, UINT32_MAX, &self->after, why);
    case 'W':
        self->whole = true;
        return TPU_OK;
    case CLI_OPT_ENGINE:
    case CLI_OPT_JSON:
    case '?':
        return cli_take_option(option, argv, settings, why);
    default:
        return status_fail(why, TPU_REFUSED, "replay: the file says everything but --engine");
    }
}

static int replay_file(replay *self, const char *path, const cli_settings *settings) {
    tpu_message why;
    verdict_init(&self->seen);
    if (self->wave == NULL && (self->asked || self->whole)) {
        return cli_refuse("--before, --after and --whole say which cycles --wave writes");
    }
    const tpu_status status = replay_load(self, path, settings->engine, &why);
    const int code = status == TPU_OK ? run(self, settings->json) : cli_fail(status, &why);
    replay_clear(self);
    return code;
}

int cli_replay(int argc, char **argv) {
    static const struct option options[] = {{"wave", required_argument, NULL, 'w'},
                                            {"before", required_argument, NULL, 'b'},
                                            {"after", required_argument, NULL, 'a'},
                                            {"whole", no_argument, NULL, 'W'},
                                            CLI_SETTING_OPTIONS};
    cli_settings settings = {.engine = NULL};
    replay self = {.loader = NULL, .before = BEFORE, .after = AFTER};
    tpu_message why;
    tpu_status status = TPU_OK;
    int option = 0;
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        status = take_option(&self, option, argv, &settings, &why);
    }
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (argc - optind != 1) {
        return cli_refuse("replay takes one file; see tpucosim replay --help");
    }
    return replay_file(&self, argv[optind], &settings);
}
