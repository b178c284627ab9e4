// SPDX-License-Identifier: Apache-2.0
//
// fuzz: the work itself. Processes that fuzz until the time is up or somebody presses Ctrl-C, or
// the files of a corpus.

#define _POSIX_C_SOURCE 200809L // isatty, sigaction

#include "harness/cli/cli_fuzz_internal.h"
#include "harness/fuzz/corpus.h"
#include "harness/fuzz/guided.h"
#include "harness/io/textfile.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static tpu_status open_growth(const cli_fuzz_request *asked, FILE **out, tpu_message *why) {
    if (asked->growth == NULL) {
        return TPU_OK;
    }
    *out = fopen(asked->growth, "w");
    if (*out == NULL) {
        return status_fail(why, TPU_ERR_IO, "%s: %s", asked->growth, strerror(errno));
    }
    (void)fprintf(*out, "seconds,processor_seconds,programs,cycles,bins\n");
    return TPU_OK;
}

static volatile sig_atomic_t interrupted;

static void note_signal(int number) {
    (void)number;
    interrupted = 1;
}

// The first Ctrl-C asks for an end with everything kept, a second one ends at once.
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

static tpu_status run_workers(cli_fuzz_request *asked, fuzz_summary *sum, tpu_message *why) {
    cli_fuzz_display to = {.eager = isatty(STDERR_FILENO) != 0 && !asked->settings.json};
    tpu_status status = open_growth(asked, &to.growth, why);
    if (status != TPU_OK) {
        return status;
    }
    catch_signals();
    asked->fuzz.stop = &interrupted;
    status = fuzz_workers_run(&asked->fuzz, cli_fuzz_show_progress, &to, sum, why);
    if (to.growth != NULL) {
        (void)fclose(to.growth);
    }
    if (to.eager) {
        (void)fprintf(stderr, "\n");
    }
    return status;
}

static tpu_status check_options(const cli_fuzz_request *asked, tpu_message *why) {
    const bool guided = asked->fuzz.drive != NULL;
    if (asked->fuzz.corpus != NULL && !guided) {
        return status_fail(why, TPU_REFUSED, "fuzz: --corpus needs --guided");
    }
    if (asked->keep > 0 && asked->minimise == NULL) {
        return status_fail(why, TPU_REFUSED, "fuzz: --keep needs --minimise");
    }
    if ((asked->replay != NULL) + (asked->minimise != NULL) + guided > 1) {
        return status_fail(why, TPU_REFUSED,
                           "fuzz: --guided, --replay-corpus and --minimise are one or the other");
    }
    if (guided && !guided_available()) {
        return guided_run(&asked->fuzz, NULL, NULL, why); // says what is missing
    }
    return TPU_OK;
}

tpu_status cli_fuzz_check(const cli_fuzz_request *asked, tpu_message *why) {
    corpus files = {.count = 0};
    const char *directory = asked->replay != NULL     ? asked->replay
                            : asked->minimise != NULL ? asked->minimise
                                                      : asked->fuzz.corpus;
    tpu_status status = check_options(asked, why);
    if (status == TPU_OK && asked->fuzz.corpus != NULL) {
        status = textfile_make_directory(asked->fuzz.corpus, why);
    }
    if (status != TPU_OK || directory == NULL) {
        return status;
    }
    status = corpus_open(directory, &files, why);
    if (status == TPU_OK && files.count == 0 && asked->fuzz.corpus == NULL) {
        status = status_fail(why, TPU_REFUSED, "%s holds no corpus file", directory);
    }
    if (status == TPU_OK) {
        status = corpus_check(&files, &asked->fuzz.config.params, why);
    }
    corpus_clear(&files);
    return status;
}

static tpu_status run_corpus(const cli_fuzz_request *asked, fuzz_summary *sum, tpu_message *why) {
    corpus files = {.count = 0};
    size_t kept = 0;
    const char *directory = asked->replay != NULL ? asked->replay : asked->minimise;
    tpu_status status = corpus_open(directory, &files, why);
    if (status == TPU_OK && asked->replay != NULL) {
        status = corpus_replay(&files, &asked->fuzz, sum, why);
    } else if (status == TPU_OK) {
        status = corpus_minimise(&files, &asked->fuzz, (size_t)asked->keep, sum, &kept, why);
    }
    if (status == TPU_OK && asked->minimise != NULL && !asked->settings.json) {
        (void)printf("kept %zu of %zu files\n", kept, files.count);
    }
    corpus_clear(&files);
    return status;
}

tpu_status cli_fuzz_run(cli_fuzz_request *asked, fuzz_summary *sum, tpu_message *why) {
    bool replays = asked->replay != NULL || asked->minimise != NULL;
    return replays ? run_corpus(asked, sum, why) : run_workers(asked, sum, why);
}
