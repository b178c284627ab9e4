// SPDX-License-Identifier: Apache-2.0
//
// A save file is lines: "@22" how the next signals are shown, "^1 FILE" their translation, "[...]"
// settings, "-TEXT" a comment or the edge of a group, and names. Only names and translations are
// changed here.

#include "harness/show/wave_fit.h"

#include "harness/io/textbuf.h"
#include "harness/io/textfile.h"
#include "spec/generated/tpu_isa.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD = 3, LINE_MAX_BYTES = 512 };

// Flags of a line "@...", in hexadecimal.
enum { FLAG_GROUP_BEGIN = 0x800000, FLAG_GROUP_END = 0x1000000 };

typedef struct fitting {
    const wave_file *file;
    const char *names;
    textbuf gtkw;
    textbuf sucl;
    unsigned long flags;         // of the next line
    unsigned long long diverged; // time of the first difference, 0 = none
    size_t missing;
    char first[256]; // missing names
} fitting;

static void note_missing(fitting *self, const char *name) {
    if (self->missing++ < TOLD) {
        const size_t used = strlen(self->first);
        (void)snprintf(self->first + used, sizeof self->first - used, "%s%.80s",
                       used > 0 ? ", " : "", name);
    }
}

// A name may end in a range, which is not of this machine, but not in an element "[3]" alone.
static const wave_signal *find(const wave_file *file, const char *line) {
    const wave_signal *found = wave_file_find(file, line);
    const char *bracket = strrchr(line, '[');
    if (found != NULL || bracket == NULL) {
        return found;
    }
    char name[LINE_MAX_BYTES];
    (void)snprintf(name, sizeof name, "%.*s", (int)(bracket - line), line);
    return wave_file_find(file, name);
}

static void add_signal(fitting *self, const char *line) {
    const wave_signal *found = find(self->file, line);
    if (found == NULL) {
        note_missing(self, line);
        return;
    }
    textbuf_add(&self->gtkw, "%s%s\n", found->name, found->range);
    textbuf_add(&self->sucl, "variable_add %s\n", found->name);
}

static void add_translation(fitting *self, const char *line) {
    const char *path = strchr(line, ' ');
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path == NULL || self->names == NULL) {
        textbuf_add(&self->gtkw, "%s\n", line);
        return;
    }
    const char *name = slash != NULL ? slash + 1 : path + 1;
    textbuf_add(&self->gtkw, "%.*s %s%s%s\n", (int)(path - line), line, self->names,
                self->names[0] != '\0' ? "/" : "", name);
}

// A view that stands nowhere stands at the difference; its cursor becomes Surfer's.
static void add_marker(fitting *self, const char *line) {
    unsigned long long time = 0;
    double zoom = 0;
    if (sscanf(line, "*%lf %llu", &zoom, &time) != 2 || time != 0 || self->diverged == 0) {
        textbuf_add(&self->gtkw, "%s\n", line);
    } else {
        time = self->diverged;
        textbuf_add(&self->gtkw, "*%f %llu %llu", zoom, time, time);
        for (int marker = 1; marker < 26; marker++) {
            textbuf_add(&self->gtkw, " -1");
        }
        textbuf_add(&self->gtkw, "\n");
    }
    if (time > 0) {
        textbuf_add(&self->sucl, "cursor_set %llu\nmarker_set #1\n", time);
    }
}

// 25 cycles before the difference, where a page still fits: GTKWave would show the begin otherwise.
static void add_setting(fitting *self, const char *line) {
    enum { LEAD = 250, PAGE = 560 };
    const uint64_t last = wave_file_last(self->file);
    const uint64_t latest = last > PAGE ? last - PAGE : 0;
    const uint64_t wanted = self->diverged > LEAD ? self->diverged - LEAD : 0;
    const uint64_t start = wanted < latest ? wanted : latest;
    if (strcmp(line, "[timestart] 0") == 0 && start > wave_file_first(self->file)) {
        textbuf_add(&self->gtkw, "[timestart] %llu\n", (unsigned long long)start);
    } else {
        textbuf_add(&self->gtkw, "%s\n", line);
    }
}

// The marker rises once and stays up.
static uint64_t find_divergence(wave_file *file) {
    const wave_signal *marker = wave_file_find(file, "tpucosim.verdict.diverged");
    uint64_t low = wave_file_first(file);
    uint64_t high = wave_file_last(file);
    const char *end = marker != NULL ? wave_file_value(file, marker, high) : NULL;
    if (end == NULL || end[0] != '1') {
        return 0;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const char *value = wave_file_value(file, marker, middle);
        if (value != NULL && value[0] == '1') {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

static void add_line(fitting *self, const char *line) {
    switch (line[0]) {
    case '@':
        self->flags = strtoul(line + 1, NULL, 16);
        textbuf_add(&self->gtkw, "%s\n", line);
        break;
    case '-':
        textbuf_add(&self->gtkw, "%s\n", line);
        if ((self->flags & FLAG_GROUP_END) == 0) {
            textbuf_add(&self->sucl, "divider_add %s\n", line + 1);
        }
        break;
    case '^':
        add_translation(self, line);
        break;
    case '*':
        add_marker(self, line);
        break;
    case '[':
        add_setting(self, line);
        break;
    case '\0':
        break;
    default:
        add_signal(self, line);
        break;
    }
}

static tpu_status finish(fitting *self, wave_fit *out, tpu_message *why) {
    wave_fit made = {.gtkw = NULL};
    if (self->missing > 0) {
        return status_fail(why, TPU_REFUSED,
                           "the waveform has not got %zu of the signals of the view: %s%s",
                           self->missing, self->first, self->missing > TOLD ? ", ..." : "");
    }
    textbuf_add(&self->sucl, "goto_cursor\n");
    tpu_status status = textbuf_take(&self->gtkw, &made.gtkw, why);
    if (status == TPU_OK) {
        status = textbuf_take(&self->sucl, &made.sucl, why);
    }
    if (status != TPU_OK) {
        wave_fit_clear(&made);
        return status;
    }
    *out = made;
    return TPU_OK;
}

tpu_status wave_fit_make(const char *text, wave_file *file, const char *names, wave_fit *out,
                         tpu_message *why) {
    fitting self = {.file = file, .names = names, .diverged = find_divergence(file)};
    char line[LINE_MAX_BYTES];
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
        add_line(&self, line);
        at += length + (at[length] == '\n');
    }
    const tpu_status status = finish(&self, out, why);
    textbuf_clear(&self.gtkw);
    textbuf_clear(&self.sucl);
    return status;
}

void wave_fit_clear(wave_fit *self) {
    free(self->gtkw);
    free(self->sucl);
    *self = (wave_fit){.gtkw = NULL};
}

static void list_opcodes(textbuf *to) {
    for (unsigned op = 0; op < TPU_OP_COUNT; op++) {
        textbuf_add(to, "%02X %s\n", op, tpu_ops[op].name);
    }
}

static void list_rules(textbuf *to) {
    for (unsigned value = 0; value <= UINT8_MAX; value++) {
        const char *name = value == 0 ? "none" : tpu_rule_name(value);
        if (name != NULL) {
            textbuf_add(to, "%02X %s\n", value, name);
        }
    }
}

static void list_units(textbuf *to) {
    for (unsigned unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        textbuf_add(to, "%02X %s\n", unit, tpu_unit_names[unit]);
    }
}

static tpu_status write_list(const char *directory, const char *name, void (*list)(textbuf *),
                             tpu_message *why) {
    textbuf text = {.text = NULL};
    textbuf path = {.text = NULL};
    char *names = NULL;
    char *file = NULL;
    list(&text);
    textbuf_add(&path, "%s/%s", directory, name);
    tpu_status status = textbuf_take(&text, &names, why);
    if (status == TPU_OK) {
        status = textbuf_take(&path, &file, why);
    }
    if (status == TPU_OK) {
        status = textfile_write(file, names, strlen(names), why);
    }
    textbuf_clear(&text);
    textbuf_clear(&path);
    free(names);
    free(file);
    return status;
}

tpu_status wave_fit_write_names(const char *directory, tpu_message *why) {
    tpu_status status = write_list(directory, WAVE_FIT_OPCODES, list_opcodes, why);
    if (status == TPU_OK) {
        status = write_list(directory, WAVE_FIT_RULES, list_rules, why);
    }
    return status == TPU_OK ? write_list(directory, WAVE_FIT_UNITS, list_units, why) : status;
}
