// SPDX-License-Identifier: Apache-2.0
//
// Keys first, one a line, each at most once; then the three marks. The anchor and the replacement
// are kept byte for byte, without their last line end.

#define _POSIX_C_SOURCE 200809L

#include "harness/mutants/mutant.h"

#include "harness/io/textfile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[MUTANT_KIND_COUNT] = {"design", "spec", "fault", "model",
                                                          "harness"};

typedef struct reader {
    const char *path;
    char *at; // start of the next line
    unsigned line;
    mutant *into;
    bool has_kind;
    tpu_message *why;
} reader;

void mutant_clear(mutant *self) {
    free(self->text);
    memset(self, 0, sizeof *self);
}

const char *mutant_kind_name(mutant_kind kind) {
    return (unsigned)kind < MUTANT_KIND_COUNT ? kind_names[kind] : NULL;
}

#define REFUSE(self, ...) refuse_line((self)->why, (self)->path, (self)->line, __VA_ARGS__)

static tpu_status refuse_line(tpu_message *why, const char *path, unsigned line, const char *what,
                              const char *which) {
    return status_fail(why, TPU_REFUSED, "%s:%u: %s%s%s%s", path, line, what,
                       which[0] != '\0' ? " \"" : "", which, which[0] != '\0' ? "\"" : "");
}

// The next line, cut off; NULL = the file is over.
static char *next_line(reader *self) {
    char *line = self->at;
    if (*line == '\0') {
        return NULL;
    }
    char *end = strchr(line, '\n');
    self->line++;
    self->at = end != NULL ? end + 1 : line + strlen(line);
    if (end != NULL) {
        *end = '\0';
    }
    return line;
}

// ---- keys --------------------------------------------------------------------------------------

static tpu_status take_kind(reader *self, const char *value) {
    for (size_t i = 0; i < MUTANT_KIND_COUNT; i++) {
        if (strcmp(value, kind_names[i]) == 0) {
            self->into->kind = (mutant_kind)i;
            self->has_kind = true;
            return TPU_OK;
        }
    }
    return REFUSE(self, "kind is design, spec, fault, model or harness, not", value);
}

static const char **slot_of(mutant *into, const char *key) {
    const struct {
        const char *key;
        const char **slot;
    } keys[] = {{"why", &into->why},
                {"file", &into->file},
                {"expect", &into->expect},
                {"unit", &into->unit},
                {"test", &into->test},
                {"point", &into->point},
                {"equivalent", &into->equivalent}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].key) == 0) {
            return keys[i].slot;
        }
    }
    return NULL;
}

static tpu_status take_key(reader *self, char *line) {
    char *colon = strchr(line, ':');
    if (colon == NULL || colon[1] != ' ' || colon[2] == '\0') {
        return REFUSE(self, "expected \"key: value\" or \"--- find\", found", line);
    }
    *colon = '\0';
    const char *value = colon + 2;
    bool is_kind = strcmp(line, "kind") == 0;
    const char **slot = slot_of(self->into, line);
    if (!is_kind && slot == NULL) {
        return REFUSE(self, "there is no key", line);
    }
    if (is_kind ? self->has_kind : *slot != NULL) {
        return REFUSE(self, "a second time:", line);
    }
    if (is_kind) {
        return take_kind(self, value);
    }
    *slot = value;
    return TPU_OK;
}

static tpu_status read_keys(reader *self) {
    char *line = next_line(self);
    while (line != NULL && strcmp(line, "--- find") != 0) {
        tpu_status status = line[0] == '#' ? TPU_OK : take_key(self, line);
        if (status != TPU_OK) {
            return status;
        }
        line = next_line(self);
    }
    return line != NULL ? TPU_OK : REFUSE(self, "the file ends before its", "--- find");
}

// ---- anchor and replacement --------------------------------------------------------------------

// The lines up to a mark, as one string. Cutting lines off put NULs where their ends were.
static tpu_status read_block(reader *self, const char *mark, const char **out) {
    char *begin = self->at;
    char *line = next_line(self);
    char *last = NULL;
    while (line != NULL && strcmp(line, mark) != 0) {
        if (last != NULL) {
            line[-1] = '\n';
        }
        last = line;
        line = next_line(self);
    }
    if (line == NULL) {
        return REFUSE(self, "the file ends before its", mark);
    }
    *out = last != NULL ? begin : "";
    return TPU_OK;
}

static tpu_status read_blocks(reader *self) {
    mutant *into = self->into;
    unsigned find_line = self->line;
    tpu_status status = read_block(self, "--- replace", &into->find);
    if (status == TPU_OK && into->find[0] == '\0') {
        self->line = find_line;
        return REFUSE(self, "the anchor is empty", "");
    }
    if (status == TPU_OK) {
        status = read_block(self, "--- end", &into->replace);
    }
    if (status == TPU_OK && strcmp(into->find, into->replace) == 0) {
        return REFUSE(self, "anchor and replacement are the same", "");
    }
    if (status == TPU_OK && self->at[0] != '\0') {
        self->line++;
        return REFUSE(self, "something stands behind", "--- end");
    }
    return status;
}

// ---- what must stand together -----------------------------------------------------------------

static bool has_word(const char *list, const char *word, size_t length) {
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0) {
            return true;
        }
        at += here + (at[here] == ' ');
    }
    return false;
}

static bool is_name(const char *word, size_t length, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_place(const char *word, size_t length) {
    static const char *const others[] = {"hang", "fault", "assertion", "early", "harness"};
    for (size_t i = 0; i < TPU_STREAM_COUNT; i++) {
        if (is_name(word, length, &tpu_streams[i].name, 1)) {
            return true;
        }
    }
    return is_name(word, length, tpu_mem_names, TPU_MEM_COUNT) ||
           is_name(word, length, others, sizeof others / sizeof others[0]);
}

static bool is_unit(const char *word, size_t length) {
    static const char *const model = "model";
    return is_name(word, length, tpu_unit_names, TPU_UNIT_COUNT) ||
           is_name(word, length, &model, 1);
}

static tpu_status check_words(reader *self, const char *list, const char *what,
                              bool (*known)(const char *word, size_t length)) {
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, " ");
        char word[64];
        (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!known(at, length)) {
            return REFUSE(self, what, word);
        }
        at += length + (at[length] == ' ');
    }
    return TPU_OK;
}

static bool is_setting(const char *word, size_t length) {
    const char *equals = memchr(word, '=', length);
    return equals != NULL && length > 4 && strncmp(word, "TPU_", 4) == 0 &&
           equals + 1 < word + length;
}

// What kind of file the kind works on.
static bool is_fitting_file(const mutant *self) {
    bool is_rtl = strncmp(self->file, "rtl/", 4) == 0;
    bool climbs = strstr(self->file, "..") != NULL || self->file[0] == '/';
    bool wants_rtl =
        self->kind == MUTANT_DESIGN || self->kind == MUTANT_SPEC || self->kind == MUTANT_FAULT;
    return !climbs && is_rtl == wants_rtl;
}

static tpu_status check_whole(reader *self) {
    const mutant *is = self->into;
    bool by_test = is->kind == MUTANT_FAULT || is->kind == MUTANT_HARNESS;
    const struct {
        bool bad;
        const char *what;
        const char *which;
    } faults[] = {
        {!self->has_kind, "the file lacks its", "kind"},
        {is->why == NULL, "the file lacks its", "why"},
        {is->file == NULL, "the file lacks its", "file"},
        {is->file != NULL && !is_fitting_file(is),
         "design, spec and fault plant under rtl/, model and harness elsewhere; neither does",
         is->file},
        {by_test && is->test == NULL, "fault and harness need the key", "test"},
        {!by_test && is->test != NULL, "only fault and harness have the key", "test"},
        {!by_test && is->equivalent == NULL && is->expect == NULL, "the file lacks its", "expect"},
        {!by_test && is->equivalent == NULL && is->unit == NULL, "the file lacks its", "unit"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i].bad) {
            return REFUSE(self, faults[i].what, faults[i].which);
        }
    }
    tpu_status status = check_words(self, is->expect, "expect names no stream:", is_place);
    if (status == TPU_OK) {
        status = check_words(self, is->unit, "there is no unit", is_unit);
    }
    if (status == TPU_OK) {
        status = check_words(self, is->point, "point is \"TPU_NAME=value ...\", not", is_setting);
    }
    return status;
}

// ---- whole files -------------------------------------------------------------------------------

static bool take_name(const char *path, char *name) {
    static const char ending[] = ".mutant";
    const char *slash = strrchr(path, '/');
    const char *stem = slash != NULL ? slash + 1 : path;
    size_t length = strlen(stem);
    if (length < sizeof ending || length - (sizeof ending - 1) >= MUTANT_NAME_MAX ||
        strcmp(stem + length - (sizeof ending - 1), ending) != 0) {
        return false;
    }
    (void)snprintf(name, MUTANT_NAME_MAX, "%.*s", (int)(length - (sizeof ending - 1)), stem);
    return true;
}

tpu_status mutant_parse(const char *path, char *text, mutant *out, tpu_message *why) {
    mutant made = {.text = text};
    reader self = {.path = path, .at = text, .into = &made, .why = why};
    tpu_status status = TPU_OK;
    if (!take_name(path, made.name)) {
        status = status_fail(why, TPU_REFUSED, "%s: a mutant is a file NAME.mutant", path);
    }
    if (status == TPU_OK) {
        status = read_keys(&self);
    }
    if (status == TPU_OK) {
        status = read_blocks(&self);
    }
    if (status == TPU_OK) {
        status = check_whole(&self);
    }
    if (status == TPU_OK) {
        *out = made;
    } else {
        free(text);
    }
    return status;
}

tpu_status mutant_read(const char *path, mutant *out, tpu_message *why) {
    char *text = NULL;
    size_t bytes = 0;
    tpu_status status = textfile_read(path, &text, &bytes, why);
    if (status != TPU_OK) {
        return status;
    }
    if (strlen(text) != bytes) {
        free(text);
        return status_fail(why, TPU_REFUSED, "%s: this is no text: it holds a NUL", path);
    }
    return mutant_parse(path, text, out, why);
}

static int is_mutant_file(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".mutant") == 0;
}

static tpu_status read_all(const char *directory, struct dirent **names, size_t count, mutant *list,
                           tpu_message *why) {
    char path[4096];
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < count && status == TPU_OK; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]->d_name);
        status = mutant_read(path, &list[i], why);
    }
    return status;
}

static int by_name(const struct dirent **left, const struct dirent **right) {
    return strcmp((*left)->d_name, (*right)->d_name); // not alphasort: it asks the locale
}

tpu_status mutant_list(const char *directory, mutant **list, size_t *count, tpu_message *why) {
    struct dirent **names = NULL;
    int found = scandir(directory, &names, is_mutant_file, by_name);
    if (found <= 0) {
        free(names);
        return status_fail(why, TPU_REFUSED, "%s: there is no mutant file here", directory);
    }
    mutant *made = calloc((size_t)found, sizeof *made);
    tpu_status status = made != NULL ? read_all(directory, names, (size_t)found, made, why)
                                     : status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
    for (int i = 0; i < found; i++) {
        free(names[i]);
    }
    free(names);
    if (status != TPU_OK) {
        mutant_free(made, made != NULL ? (size_t)found : 0);
        return status;
    }
    *list = made;
    *count = (size_t)found;
    return TPU_OK;
}

void mutant_free(mutant *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        mutant_clear(&list[i]);
    }
    free(list);
}

tpu_status mutant_plant(const mutant *self, const char *source, char **planted, tpu_message *why) {
    const char *at = strstr(source, self->find);
    if (at == NULL) {
        return status_fail(why, TPU_REFUSED, "%s: its anchor does not occur in %s", self->name,
                           self->file);
    }
    if (strstr(at + 1, self->find) != NULL) {
        return status_fail(why, TPU_REFUSED, "%s: its anchor occurs more than once in %s",
                           self->name, self->file);
    }
    size_t before = (size_t)(at - source);
    const char *rest = at + strlen(self->find);
    size_t size = before + strlen(self->replace) + strlen(rest) + 1;
    *planted = malloc(size);
    if (*planted == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
    }
    (void)snprintf(*planted, size, "%.*s%s%s", (int)before, source, self->replace, rest);
    return TPU_OK;
}

// ---- verdict -----------------------------------------------------------------------------------

static bool lists(const char *list, const char *word) {
    return has_word(list, word, strlen(word));
}

bool mutant_expects(const mutant *self, const verdict_signature *seen) {
    if (seen->diff == VERDICT_DIFF_ASSERTION) {
        return lists(self->expect, "assertion");
    }
    if (seen->diff == VERDICT_DIFF_EARLY) {
        return lists(self->expect, "early");
    }
    if (seen->diff == VERDICT_DIFF_FAULT) {
        return lists(self->expect, "fault");
    }
    if (seen->kind == VERDICT_HANG) {
        return lists(self->expect, "hang");
    }
    if (seen->stream >= 0) {
        return lists(self->expect, tpu_streams[seen->stream].name);
    }
    return seen->memory >= 0 && lists(self->expect, tpu_mem_names[seen->memory]);
}

bool mutant_blames(const mutant *self, int unit) {
    return unit >= 0 && unit < TPU_UNIT_COUNT && lists(self->unit, tpu_unit_names[unit]);
}

bool mutant_expects_harness(const mutant *self) {
    return lists(self->expect, "harness");
}
