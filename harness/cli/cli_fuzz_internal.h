// SPDX-License-Identifier: Apache-2.0
//
// What cli_fuzz.c (options and exit code), cli_fuzz_run.c (the work) and cli_fuzz_show.c (output)
// share. Nobody else includes this.

#ifndef CLI_FUZZ_INTERNAL_H
#define CLI_FUZZ_INTERNAL_H

#include "harness/cli/cli.h"
#include "harness/cli/cli_waiver.h"
#include "harness/fuzz/fuzz_workers.h"

#include <stdio.h>

/** What the command line asks for. */
typedef struct cli_fuzz_request {
    cli_settings settings;
    fuzz_options fuzz;
    cli_waivers waivers;
    const char *growth;   /**< file; NULL = none */
    const char *replay;   /**< directory of a corpus */
    const char *minimise; /**< directory of a corpus */
    uint64_t keep;        /**< files that minimising leaves; 0 = as many as it takes */
    bool traits;
    bool help;
} cli_fuzz_request;

/** Where progress goes. */
typedef struct cli_fuzz_display {
    bool eager;   /**< a line on the terminal */
    FILE *growth; /**< NULL = none */
} cli_fuzz_display;

/** Refuses what cannot be meant, and a corpus with a bad file, before anything runs. */
tpu_status cli_fuzz_check(const cli_fuzz_request *asked, tpu_message *why) TPU_NODISCARD;

/** Fuzzes, or runs a corpus. TPU_REFUSED: nothing ran. */
tpu_status cli_fuzz_run(cli_fuzz_request *asked, fuzz_summary *sum, tpu_message *why) TPU_NODISCARD;

/** A line on the terminal, a line of the growth file. `user` is a cli_fuzz_display. */
void cli_fuzz_show_progress(void *user, const fuzz_workers_state *state);

void cli_fuzz_show_text(const cli_fuzz_request *asked, const fuzz_summary *sum);
tpu_status cli_fuzz_show_json(const cli_fuzz_request *asked, const fuzz_summary *sum,
                              tpu_message *why) TPU_NODISCARD;

/** In GitHub Actions: each finding at its place. */
void cli_fuzz_show_annotations(const cli_fuzz_request *asked, const fuzz_summary *sum);

#endif
