// SPDX-License-Identifier: Apache-2.0
//
// Reads the RTL as text, line by line and without its comments. Four things are looked for:
// a package name that does not exist; a part select from a field's LO that is wider than the
// field; a literal step between fields or address terms that is not theirs; and a literal part
// select of an instruction word, unless it names whole header counts or only lists bits that the
// module leaves unused.

#define _POSIX_C_SOURCE 200809L // scandir

#include "spec/specgen_rtl.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (1u << 20)
#define LINE_BYTES 512
#define PATH_BYTES 1024
#define DEPTH_MAX 4
#define QUALIFIER "tpu_isa_pkg::"

// One line of one file.
typedef struct line {
    const char *file;
    int number;
    char text[LINE_BYTES];
    const char *package;
    tpu_message *why;
} line;

static size_t word_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') {
        length++;
    }
    return length;
}

// The value text behind "NAME ... = " in the package, or NULL.
static const char *package_value(const char *package, const char *name, size_t length) {
    for (const char *at = strstr(package, name); at != NULL; at = strstr(at + 1, name)) {
        bool whole = at > package && at[-1] == ' ' && word_length(at) == length;
        const char *equals = at + length + strspn(at + length, " ");
        if (whole && *equals == '=') {
            return equals + 1;
        }
    }
    return NULL;
}

static tpu_status refuse(const line *l, const char *sentence, size_t length, const char *found) {
    return status_fail(l->why, TPU_REFUSED, "%s:%d: found %.*s; %s", l->file, l->number,
                       (int)length, found, sentence);
}

// A literal width behind "NAME_LO +: " must not reach past the field.
static tpu_status check_width(const line *l, const char *name, size_t length) {
    char field[64];
    const char *at = name + length;
    at += strspn(at, " ");
    bool lowest = length > 3 && length < 56 && strncmp(name + length - 3, "_LO", 3) == 0;
    if (!lowest || strncmp(at, "+:", 2) != 0) {
        return TPU_OK;
    }
    at += 2 + strspn(at + 2, " ");
    if (!isdigit((unsigned char)*at)) {
        return TPU_OK;
    }
    (void)snprintf(field, sizeof field, "%.*s_WIDTH", (int)(length - 3), name);
    const char *width = package_value(l->package, field, strlen(field));
    if (width != NULL && strtol(at, NULL, 10) > strtol(width, NULL, 10)) {
        return refuse(l, "the part select is wider than the field", length, name);
    }
    return TPU_OK;
}

static bool differs(const line *l, const char *digits, const char *name) {
    const char *value = package_value(l->package, name, strlen(name));
    return value != NULL && strtol(digits, NULL, 10) != strtol(value, NULL, 10);
}

// "[19*t + tpu_isa_pkg::AGU_..." steps by whole terms, "F0_LO + 12*f" by whole fields.
static tpu_status check_step(const line *l, const char *name, size_t length) {
    char width[64];
    const char *open = name;
    while (open > l->text && *open != '[') {
        open--;
    }
    const char *digits = open + 1 + strspn(open + 1, " ");
    const char *after = digits + strspn(digits, "0123456789");
    bool factor = *open == '[' && after > digits && after[strspn(after, " ")] == '*';
    if (factor && strncmp(name, "AGU_", 4) == 0 && differs(l, digits, "AGU_TERM_BITS")) {
        return refuse(l, "the step between terms is AGU_TERM_BITS", length, name);
    }
    const char *plus = name + length + strspn(name + length, " ");
    if (length < 4 || length > 56 || strncmp(name + length - 3, "_LO", 3) != 0 || *plus != '+' ||
        plus[1] == ':') {
        return TPU_OK;
    }
    digits = plus + 1 + strspn(plus + 1, " ");
    after = digits + strspn(digits, "0123456789");
    (void)snprintf(width, sizeof width, "%.*s_WIDTH", (int)(length - 3), name);
    if (after > digits && after[strspn(after, " ")] == '*' && differs(l, digits, width)) {
        return refuse(l, "the step between fields is their width", length, name);
    }
    return TPU_OK;
}

static tpu_status check_names(const line *l) {
    const char *at = l->text;
    while ((at = strstr(at, QUALIFIER)) != NULL) {
        at += strlen(QUALIFIER);
        size_t length = word_length(at);
        char name[64] = {0};
        if (length == 0 || length >= sizeof name) {
            return refuse(l, "a name of the package belongs here", length, at);
        }
        memcpy(name, at, length);
        if (package_value(l->package, name, length) == NULL) {
            return refuse(l, "tpu_isa_pkg defines no such name", length, at);
        }
        tpu_status status = check_width(l, at, length);
        if (status == TPU_OK) {
            status = check_step(l, at, length);
        }
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

// Is the identifier that ends before `end` the name of an instruction word?
static bool names_word(const char *text, const char *end, size_t *length) {
    const char *start = end;
    while (start > text && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) {
        start--;
    }
    char name[64] = {0};
    *length = (size_t)(end - start);
    if (*length == 0 || *length >= sizeof name) {
        return false;
    }
    memcpy(name, start, *length);
    return strcmp(name, "word") == 0 || strncmp(name, "word0", 5) == 0 ||
           strncmp(name, "word1", 5) == 0 || strncmp(name, "word_", 5) == 0 ||
           strstr(name, "insn") != NULL;
}

static tpu_status check_slices(const line *l) {
    bool unused = strstr(l->text, "unused_") != NULL;
    const char *width = package_value(l->package, "COUNT_WIDTH", strlen("COUNT_WIDTH"));
    long slice = width == NULL ? 0 : strtol(width, NULL, 10);
    for (const char *at = strchr(l->text, '['); at != NULL && !unused; at = strchr(at + 1, '[')) {
        char *end = NULL;
        size_t length = 0;
        if (!isdigit((unsigned char)at[1]) || !names_word(l->text, at, &length)) {
            continue;
        }
        long hi = strtol(at + 1, &end, 10);
        long lo = hi;
        if (*end == ':') {
            lo = strtol(end + 1, &end, 10);
        }
        bool counts = slice > 0 && lo % slice == 0 && (hi + 1) % slice == 0;
        if (*end == ']' && !counts) {
            return refuse(l, "bounds of an instruction word come from tpu_isa_pkg",
                          (size_t)(end + 1 - at) + length, at - length);
        }
    }
    return TPU_OK;
}

static void take_line(line *l, const char *from, size_t length) {
    size_t kept = length < LINE_BYTES - 1 ? length : LINE_BYTES - 1;
    memcpy(l->text, from, kept);
    l->text[kept] = '\0';
    char *comment = strstr(l->text, "//");
    if (comment != NULL) {
        *comment = '\0';
    }
}

tpu_status specgen_rtl_check_text(const char *name, const char *text, const char *package,
                                  tpu_message *why) {
    line l = {.file = name, .package = package, .why = why};
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        l.number++;
        take_line(&l, at, length);
        tpu_status status = check_names(&l);
        if (status == TPU_OK) {
            status = check_slices(&l);
        }
        if (status != TPU_OK) {
            return status;
        }
        at += length + (at[length] == '\n' ? 1u : 0u);
    }
    return TPU_OK;
}

static tpu_status check_file(const char *path, const char *package, tpu_message *why) {
    FILE *stream = fopen(path, "rb");
    char *text = calloc(1, FILE_BYTES_MAX + 1);
    tpu_status status = TPU_OK;
    if (stream == NULL || text == NULL) {
        status = status_fail(why, TPU_ERR_IO, "%s: cannot be read", path);
    } else {
        size_t size = fread(text, 1, FILE_BYTES_MAX, stream);
        text[size] = '\0';
        status = specgen_rtl_check_text(path, text, package, why);
    }
    free(text);
    if (stream != NULL) {
        (void)fclose(stream);
    }
    return status;
}

static bool is_source(const char *name) {
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".sv") == 0;
}

static tpu_status walk(const char *directory, int depth, const char *package, size_t *files,
                       tpu_message *why) {
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, NULL, alphasort);
    tpu_status status = TPU_OK;
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s/%.255s", directory, entries[i]->d_name);
        bool hidden = entries[i]->d_name[0] == '.';
        bool source = is_source(entries[i]->d_name);
        free(entries[i]);
        if (status != TPU_OK || hidden) {
            continue;
        }
        if (source) {
            *files += 1;
            status = check_file(path, package, why);
        } else if (depth < DEPTH_MAX) {
            status = walk(path, depth + 1, package, files, why);
        }
    }
    free(entries);
    return status;
}

tpu_status specgen_rtl_check(const char *root, const char *package, size_t *files,
                             tpu_message *why) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/rtl", root);
    *files = 0;
    tpu_status status = walk(path, 0, package, files, why);
    if (status == TPU_OK && *files == 0) {
        return status_fail(why, TPU_REFUSED, "%s: holds no .sv file; does --root name the tree?",
                           path);
    }
    return status;
}
