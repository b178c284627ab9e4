// SPDX-License-Identifier: Apache-2.0
//
// The failure directory. The run is made again with a recorder looking on; wave, timeline and page
// are drawn from what it kept.

#define _POSIX_C_SOURCE 200809L // PATH_MAX

#include "harness/show/failure.h"

#include "harness/io/textfile.h"
#include "harness/replay/recording.h"
#include "harness/show/page.h"
#include "harness/show/peek.h"
#include "harness/show/report.h"
#include "harness/show/timeline.h"
#include "harness/show/wave.h"
#include "harness/show/wave_view.h"

#include "csim/isa/disasm.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A failure on its way into a directory.
typedef struct scene {
    const failure *of;
    const char *directory;
    recording again;
    bool recorded;
    char wave[PATH_MAX];
    bool drawn;          // the wave is there
    tpu_message missing; // why something was left out; "" = nothing was
} scene;

static const reproducer_run *last_run(const failure *of) {
    return &of->repro->run[of->repro->run_count - 1];
}

static void path_of(const scene *self, const char *name, char path[PATH_MAX]) {
    (void)snprintf(path, PATH_MAX, "%s/%s", self->directory, name);
}

static tpu_status write_text(const scene *self, const char *name, const char *text,
                             tpu_message *why) {
    char path[PATH_MAX];
    path_of(self, name, path);
    return textfile_write(path, text, strlen(text), why);
}

static tpu_status write_reproducer(const scene *self, tpu_message *why) {
    char path[PATH_MAX];
    path_of(self, FAILURE_REPRODUCER, path);
    return reproducer_write(self->of->repro, path, why);
}

static tpu_status write_program(const scene *self, tpu_message *why) {
    const isa_program *program = &last_run(self->of)->program;
    char *text = NULL;
    if (program->count == 0) {
        return TPU_OK;
    }
    tpu_status status = disasm_program(program, &text, why);
    if (status == TPU_OK) {
        status = write_text(self, FAILURE_PROGRAM, text, why);
    }
    free(text);
    return status;
}

// Where to look: a shrunk program fails elsewhere than the one that was found.
static recording_window window_of(const failure *of) {
    const reproducer *repro = of->repro;
    verdict small;
    size_t at = 0;
    if (repro->expected_cycle == of->seen->cycle && repro->expected_digest == of->seen->digest) {
        return recording_window_of(of->seen, FAILURE_BEFORE, FAILURE_AFTER);
    }
    verdict_init(&small);
    reproducer_replay(repro, of->api, NULL, &small, &at);
    recording_window window = recording_window_of(&small, FAILURE_BEFORE, FAILURE_AFTER);
    verdict_clear(&small);
    return window;
}

// Runs it again. An engine without a trace leaves the wave with the streams alone, and says why.
static tpu_status record(scene *self, bool *traced, tpu_message *why) {
    const failure *of = self->of;
    if (strcmp(of->repro->engine, "systemc") == 0) {
        return status_fail(why, TPU_REFUSED, "a process can have one SystemC engine only");
    }
    if (!last_run(of)->checked) {
        return status_fail(why, TPU_REFUSED, "the run was not checked");
    }
    const recording_window window = window_of(of);
    tpu_status status =
        recording_take(of->repro, of->api, &window, self->wave, &self->again, &self->missing);
    *traced = status == TPU_OK;
    if (status != TPU_OK) {
        status = recording_take(of->repro, of->api, &window, NULL, &self->again, why);
    }
    self->recorded = status == TPU_OK;
    return status;
}

// A shrunk run has few rows to tell from. What was suggested when it was found comes first.
static void recall_notes(scene *self) {
    const verdict *found = self->of->seen;
    verdict *now = &self->again.seen;
    const verdict_signature before = verdict_signature_of(found);
    const verdict_signature after = verdict_signature_of(now);
    if (found->digest == now->digest || !verdict_signature_equal(&before, &after)) {
        return;
    }
    for (size_t i = found->note_count; i-- > 0;) {
        verdict_note_first(now, "as found: %.400s", found->note[i].text);
    }
}

// What is drawn from the second run.
static tpu_status draw(scene *self, tpu_message *why) {
    bool traced = false;
    path_of(self, FAILURE_WAVE, self->wave);
    tpu_status status = record(self, &traced, why);
    if (status == TPU_OK) {
        recall_notes(self);
        status = wave_write_window(&self->again, traced ? self->wave : NULL, self->wave, why);
        self->drawn = status == TPU_OK;
    }
    if (status == TPU_OK && traced) {
        peek_into(&self->again, self->wave);
    }
    if (status == TPU_OK) {
        status = wave_view_write(&self->again, self->wave, why);
    }
    if (status == TPU_OK) {
        status = timeline_write(&self->again, self->directory, why);
    }
    return status;
}

static const verdict *shown(const scene *self) {
    bool same =
        self->recorded && reproducer_same(self->of->repro, &self->again.seen, self->again.run);
    return same ? &self->again.seen : self->of->seen;
}

static tpu_status write_reports(const scene *self, const report_context *context,
                                tpu_message *why) {
    char *screen = NULL;
    char *json = NULL;
    tpu_status status = report_screen(shown(self), context, &screen, why);
    if (status == TPU_OK) {
        status = write_text(self, FAILURE_REPORT, screen, why);
    }
    if (status == TPU_OK) {
        status = report_json(shown(self), context, &json, why);
    }
    if (status == TPU_OK) {
        status = write_text(self, FAILURE_REPORT_JSON, json, why);
    }
    free(screen);
    free(json);
    return status;
}

static report_context context_of(const scene *self, const char *replay) {
    const reproducer *repro = self->of->repro;
    const reproducer_run *run = last_run(self->of);
    return (report_context){.name = run->name,
                            .source = self->of->source,
                            .engine = repro->engine,
                            .params = &repro->config.params,
                            .program = run->program.count > 0 ? &run->program : NULL,
                            .words = run->words,
                            .word_count = run->word_count,
                            .seed = repro->seed,
                            .wave = self->drawn ? self->wave : NULL,
                            .absent = self->missing.text[0] != '\0' ? self->missing.text : NULL,
                            .replay = replay};
}

static tpu_status write_all(scene *self, tpu_message *why) {
    char replay[PATH_MAX + 64];
    tpu_status status = write_reproducer(self, why);
    if (status == TPU_OK) {
        status = write_program(self, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    tpu_message undrawn;
    if (draw(self, &undrawn) != TPU_OK) {
        self->missing = undrawn;
    }
    (void)snprintf(replay, sizeof replay, "tpucosim replay %s/%s", self->directory,
                   FAILURE_REPRODUCER);
    const report_context context = context_of(self, replay);
    status = write_reports(self, &context, why);
    if (status == TPU_OK && self->recorded) {
        char page[PATH_MAX];
        path_of(self, FAILURE_PAGE, page);
        status = page_write(&self->again, &context, page, why);
    }
    return status;
}

// Appends what a part of a signature says: "stream=cw" says cw, "field=-" nothing.
static size_t add_part(const char *part, size_t bytes, char *text, size_t at, size_t size) {
    const char *value = memchr(part, '=', bytes);
    value = value != NULL ? value + 1 : part;
    size_t rest = bytes - (size_t)(value - part);
    if (rest == 1 && *value == '-') {
        return at;
    }
    if (at != 0 && at + 1 < size) {
        text[at++] = '-';
    }
    for (size_t i = 0; i < rest && at + 1 < size; i++) {
        text[at++] =
            (char)(isalnum((unsigned char)value[i]) ? tolower((unsigned char)value[i]) : '_');
    }
    return at;
}

void failure_name(const char *signature, char *text, size_t size) {
    size_t at = 0;
    while (*signature != '\0') {
        size_t bytes = strcspn(signature, "/");
        at = add_part(signature, bytes, text, at, size);
        signature += bytes + (signature[bytes] == '/');
    }
    text[at] = '\0';
}

tpu_status failure_write(const failure *of, const char *directory, tpu_message *why) {
    scene self = {.of = of, .directory = directory};
    tpu_status status = textfile_make_directory(directory, why);
    if (status == TPU_OK) {
        status = write_all(&self, why);
    }
    recording_clear(&self.again);
    return status;
}
