// SPDX-License-Identifier: Apache-2.0
//
// Kanata 0004: tab-separated commands, one a line (C=, C, I, L, S, E, R, W). Chrome trace: JSON
// with traceEvents; phases X, i, C and M are known here.

#include "tests/support/traceform.h"

#include "base/status.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS_MAX 65536

// Of each instruction: begun (1), in a stage (its name), ended (2).
typedef struct reader {
    traceform_kanata out;
    char (*stage)[8];
    unsigned char *phase;
    uint64_t cycle;
} reader;

static unsigned long part(const char *line, int at) {
    for (; at > 0 && line != NULL; at--) {
        line = strchr(line, '\t');
        line = line != NULL ? line + 1 : NULL;
    }
    cr_assert(line != NULL && *line >= '0' && *line <= '9', "a number is missing");
    return strtoul(line, NULL, 10);
}

static const char *word(const char *line, int at) {
    for (; at > 0 && line != NULL; at--) {
        line = strchr(line, '\t');
        line = line != NULL ? line + 1 : NULL;
    }
    cr_assert(line != NULL && *line != '\0', "a word is missing");
    return line;
}

static void read_stage(reader *self, const char *line, unsigned long id) {
    char *stage = self->stage[id];
    cr_assert_eq(part(line, 2), 0, "lane 0 is the only one: %s", line);
    if (line[0] == 'S') {
        cr_assert_eq(stage[0], '\0', "%s begins in %s", line, stage);
        (void)snprintf(stage, sizeof self->stage[id], "%s", word(line, 3));
        return;
    }
    cr_assert_str_eq(stage, word(line, 3), "%s ends, not %s", line, stage);
    stage[0] = '\0';
}

static void read_one(reader *self, const char *line) {
    unsigned long id = part(line, 1);
    cr_assert_lt(id, IDS_MAX);
    if (line[0] == 'I') {
        cr_assert_eq(id, self->out.instructions, "ids come in order: %s", line);
        self->phase[id] = 1;
        self->out.instructions++;
        return;
    }
    cr_assert_eq(self->phase[id], 1, "of no living instruction: %s", line);
    if (line[0] == 'S' || line[0] == 'E') {
        read_stage(self, line, id);
    } else if (line[0] == 'R') {
        cr_assert_eq(self->stage[id][0], '\0', "retired in a stage: %s", line);
        cr_assert_eq(part(line, 2), self->out.retired + self->out.flushed, "%s", line);
        self->out.retired += part(line, 3) == 0 ? 1u : 0u;
        self->out.flushed += part(line, 3) == 1 ? 1u : 0u;
        self->phase[id] = 2;
    } else {
        cr_assert_eq(line[0], 'L', "no such command: %s", line);
        cr_assert_leq(part(line, 2), 2);
        (void)word(line, 3);
    }
}

static void read_line(reader *self, const char *line, size_t number) {
    if (number == 0) {
        cr_assert_str_eq(line, "Kanata\t0004");
    } else if (number == 1) {
        cr_assert_eq(strncmp(line, "C=\t", 3), 0, "%s", line);
        self->cycle = self->out.first_cycle = strtoull(line + 3, NULL, 10);
    } else if (line[0] == 'C') {
        cr_assert_gt(part(line, 1), 0, "%s", line);
        self->cycle += part(line, 1);
    } else {
        read_one(self, line);
    }
}

traceform_kanata traceform_read_kanata(const char *text) {
    reader self = {.cycle = 0};
    self.stage = calloc(IDS_MAX, sizeof *self.stage);
    self.phase = calloc(IDS_MAX, 1);
    char *copy = malloc(strlen(text) + 1);
    TPU_CHECK(self.stage != NULL && self.phase != NULL && copy != NULL, "no memory for a reader");
    memcpy(copy, text, strlen(text) + 1);
    size_t number = 0;
    for (char *line = copy, *next = NULL; *line != '\0'; line = next) {
        next = strchr(line, '\n');
        cr_assert(next != NULL, "the last line has no end");
        *next++ = '\0';
        read_line(&self, line, number++);
    }
    self.out.last_cycle = self.cycle;
    cr_expect_eq(self.out.retired + self.out.flushed, self.out.instructions);
    free(copy);
    free(self.phase);
    free(self.stage);
    return self.out;
}

static double number(const cJSON *event, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, key);
    cr_assert(cJSON_IsNumber(item), "an event has no number %s", key);
    cr_assert_geq(item->valuedouble, 0.0);
    return item->valuedouble;
}

static const char *text_of(const cJSON *event, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, key);
    cr_assert(cJSON_IsString(item), "an event has no text %s", key);
    return item->valuestring;
}

#define TRACKS_MAX 256

// Tracks by process and thread: named or not, and where the last slice ended.
typedef struct track {
    int pid;
    int tid;
    bool named;
    double end;
} track;

static track *find_track(track *list, size_t *count, const cJSON *event) {
    int pid = (int)number(event, "pid");
    int tid = (int)number(event, "tid");
    for (size_t i = 0; i < *count; i++) {
        if (list[i].pid == pid && list[i].tid == tid) {
            return &list[i];
        }
    }
    cr_assert_lt(*count, TRACKS_MAX);
    list[*count] = (track){.pid = pid, .tid = tid};
    return &list[(*count)++];
}

static void read_slice(track *at, const cJSON *event) {
    double start = number(event, "ts");
    double length = number(event, "dur");
    cr_assert_gt(length, 0.0);
    cr_assert_geq(start, at->end, "slices overlap on %d/%d at %.0f", at->pid, at->tid, start);
    at->end = start + length;
    cr_assert(at->named, "the slice at %.0f is on a track without a name", start);
}

// Names may stand behind the slices; they are taken first.
static void read_names(track *list, size_t *count, const cJSON *events, traceform_chrome *out) {
    const cJSON *event = NULL;
    cJSON_ArrayForEach(event, events) {
        if (strcmp(text_of(event, "ph"), "M") == 0 &&
            strcmp(text_of(event, "name"), "thread_name") == 0) {
            track *at = find_track(list, count, event);
            cr_assert(!at->named, "a track has two names");
            at->named = true;
            out->tracks++;
        }
    }
}

static cJSON *parse(const char *text) {
    cJSON *root = cJSON_Parse(text);
    cr_assert(root != NULL, "no JSON");
    cr_assert(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "traceEvents")));
    return root;
}

traceform_chrome traceform_read_chrome(const char *text) {
    traceform_chrome out = {.slices = 0};
    track list[TRACKS_MAX];
    size_t count = 0;
    cJSON *root = parse(text);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
    const cJSON *event = NULL;
    read_names(list, &count, events, &out);
    cJSON_ArrayForEach(event, events) {
        const char *phase = text_of(event, "ph");
        (void)text_of(event, "name");
        track *at = find_track(list, &count, event);
        if (phase[0] == 'X') {
            read_slice(at, event);
            out.slices++;
        } else if (phase[0] == 'i') {
            (void)number(event, "ts");
            cr_assert(strchr("gpt", text_of(event, "s")[0]) != NULL);
            out.instants++;
        } else if (phase[0] == 'C') {
            (void)number(event, "ts");
            (void)number(cJSON_GetObjectItemCaseSensitive(event, "args"), "value");
            out.counters++;
        } else {
            cr_assert_eq(phase[0], 'M', "no such phase: %s", phase);
        }
    }
    cJSON_Delete(root);
    return out;
}

// pid or tid of the metadata event `what` that gives the name `name` (in process `pid` when >= 0).
static int id_of(const cJSON *events, const char *what, const char *name, int pid) {
    const cJSON *event = NULL;
    cJSON_ArrayForEach(event, events) {
        if (text_of(event, "ph")[0] != 'M' || strcmp(text_of(event, "name"), what) != 0) {
            continue;
        }
        const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
        bool here = pid < 0 || (int)number(event, "pid") == pid;
        if (here && strcmp(text_of(args, "name"), name) == 0) {
            return (int)number(event, pid < 0 ? "pid" : "tid");
        }
    }
    return -1;
}

uint64_t traceform_chrome_cycles(const char *text, const char *process, const char *track_name,
                                 const char *name) {
    uint64_t sum = 0;
    cJSON *root = parse(text);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
    const cJSON *event = NULL;
    int pid = id_of(events, "process_name", process, -1);
    int tid = id_of(events, "thread_name", track_name, pid);
    cr_assert(pid >= 0 && tid >= 0, "no track %s of %s", track_name, process);
    cJSON_ArrayForEach(event, events) {
        if (text_of(event, "ph")[0] == 'X' && (int)number(event, "pid") == pid &&
            (int)number(event, "tid") == tid && strcmp(text_of(event, "name"), name) == 0) {
            sum += (uint64_t)number(event, "dur");
        }
    }
    cJSON_Delete(root);
    return sum;
}
