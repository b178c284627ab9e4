// SPDX-License-Identifier: Apache-2.0
//
// What the commands show where they run: colours on a terminal, annotations and a job summary in
// GitHub Actions, nothing of either anywhere else.

#define _POSIX_C_SOURCE 200809L

#include "harness/cli/cli.h"
#include "harness/io/textfile.h"
#include "harness/show/annotate.h"
#include "harness/show/failure.h"
#include "harness/show/paint.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_put_report(const char *text) {
    char *painted = NULL;
    bool colour = isatty(STDOUT_FILENO) != 0 && paint_allowed(getenv("NO_COLOR"), getenv("TERM"));
    if (colour && text[0] != '{' && paint_report(text, &painted, NULL) == TPU_OK) {
        (void)fputs(painted, stdout);
    } else {
        (void)fputs(text, stdout);
    }
    free(painted);
}

static bool in_actions(void) {
    const char *value = getenv("GITHUB_ACTIONS");
    return value != NULL && strcmp(value, "true") == 0;
}

// The summary is a file that every step appends to.
static void append_summary(const char *text) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (path == NULL || path[0] == '\0') {
        return;
    }
    FILE *file = fopen(path, "ab");
    bool good = file != NULL && fputs(text, file) >= 0;
    if (file != NULL) {
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        (void)fprintf(stderr, "tpucosim: the job summary %s cannot be written: %s\n", path,
                      strerror(errno));
    }
}

// On stderr: GitHub reads both, and standard output may be JSON.
static void put_line(const char *line) {
    (void)fflush(stdout);
    (void)fputs(line, stderr);
}

static void annotate(const char *report, const char *directory) {
    char *line = NULL;
    char *summary = NULL;
    tpu_message why;
    if (annotate_report(report, directory, &line, &summary, &why) == TPU_OK) {
        put_line(line);
        append_summary(summary);
    } else {
        (void)fprintf(stderr, "tpucosim: %s\n", why.text);
    }
    free(line);
    free(summary);
}

void cli_annotate_verdict(const verdict *seen, const report_context *context) {
    char *report = NULL;
    tpu_message why;
    if (!in_actions() || seen->kind == VERDICT_OK) {
        return;
    }
    if (report_json(seen, context, &report, &why) == TPU_OK) {
        annotate(report, NULL);
    } else {
        (void)fprintf(stderr, "tpucosim: %s\n", why.text);
    }
    free(report);
}

void cli_annotate_directory(const char *directory) {
    char path[PATH_MAX];
    char *report = NULL;
    tpu_message why;
    if (!in_actions() || directory[0] == '\0') {
        return;
    }
    (void)snprintf(path, sizeof path, "%s/%s", directory, FAILURE_REPORT_JSON);
    if (textfile_read(path, &report, NULL, &why) == TPU_OK) {
        annotate(report, directory);
    } else {
        (void)fprintf(stderr, "tpucosim: %s\n", why.text);
    }
    free(report);
}

void cli_annotate_error(const char *file, unsigned line, const char *title, const char *sentence) {
    const annotate_place place = {.file = file, .line = line, .title = title};
    char *text = NULL;
    if (in_actions() && annotate_error(&place, sentence, &text, NULL) == TPU_OK) {
        put_line(text);
    }
    free(text);
}
