// SPDX-License-Identifier: Apache-2.0
//
// page: the HTML page of a failure, made from its reproducer.

#define _POSIX_C_SOURCE 200809L

#include "harness/cli.h"

#include "harness/failure.h"
#include "harness/loader.h"
#include "harness/page.h"
#include "harness/recording.h"
#include "harness/reproducer.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: tpucosim page FILE [-o OUT.html]\n\n"
    "Runs a reproducer (repro.json) again and writes its failure as one HTML file that needs\n"
    "nothing but a browser.\n"
    "  -o OUT.html       default report.html\n";

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

int cli_page(int argc, char **argv) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, CLI_OPT_HELP},
                                            {NULL, 0, NULL, 0}};
    const char *out = "report.html";
    tpu_message why;
    int option = 0;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        if (option != 'o') {
            return cli_refuse("page: no such option; see tpucosim page --help");
        }
        out = optarg;
    }
    if (argc - optind != 1) {
        return cli_refuse("page takes one file; see tpucosim page --help");
    }
    tpu_status status = write_failure(argv[optind], out, &why);
    return status == TPU_OK ? CLI_OK : cli_fail(status, &why);
}
