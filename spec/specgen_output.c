// SPDX-License-Identifier: Apache-2.0
//
// Building, writing and comparing the generated files.

#include "spec/specgen_output.h"

#include "spec/specgen_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_BYTES 1024

typedef tpu_status (*writer)(const specgen_spec *, specgen_text *, tpu_message *);

static const struct file {
    const char *name;
    writer write;
} files[SPECGEN_OUTPUTS] = {
    {"tpu_isa.h", specgen_header_write},        {"tpu_isa.c", specgen_tables_write},
    {"tpu_isa_pkg.sv", specgen_package_write},  {"isa.md", specgen_page_write},
    {"opcodes.gtkw.txt", specgen_view_opcodes}, {"units.gtkw.txt", specgen_view_units},
    {"rules.gtkw.txt", specgen_view_rules},     {"states.gtkw.txt", specgen_view_states},
    {"waits.gtkw.txt", specgen_view_waits},
};
#define PACKAGE 2

const char *specgen_output_name(size_t index) {
    return files[index].name;
}

const char *specgen_output_package(const specgen_output *output) {
    return output->text[PACKAGE].data;
}

// The name that a "localparam TYPE NAME = " line defines; length 0 for other lines.
static const char *defined_name(const char *line, size_t *length) {
    *length = 0;
    if (strncmp(line, "  localparam ", 13) != 0) {
        return line;
    }
    const char *end = line + strcspn(line, "=");
    while (end > line && end[-1] == ' ') {
        end--;
    }
    const char *start = end;
    while (start > line && start[-1] != ' ') {
        start--;
    }
    *length = (size_t)(end - start);
    return start;
}

static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end == NULL ? NULL : end + 1;
}

static bool defined_before(const char *text, const char *line, const char *name, size_t length) {
    for (const char *old = text; old != line; old = next_line(old)) {
        size_t old_length = 0;
        const char *old_name = defined_name(old, &old_length);
        if (old_length == length && strncmp(old_name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static tpu_status names_once(const specgen_spec *spec, const char *package, tpu_message *why) {
    for (const char *line = package; line != NULL; line = next_line(line)) {
        size_t length = 0;
        const char *name = defined_name(line, &length);
        if (length > 0 && defined_before(package, line, name, length)) {
            return status_fail(why, TPU_REFUSED,
                               "%s: two entries would both be called %.*s in tpu_isa_pkg",
                               spec->file, (int)length, name);
        }
    }
    return TPU_OK;
}

tpu_status specgen_output_build(const specgen_spec *spec, specgen_output *out, tpu_message *why) {
    for (size_t i = 0; i < SPECGEN_OUTPUTS; i++) {
        tpu_status status = files[i].write(spec, &out->text[i], why);
        if (status != TPU_OK) {
            return status;
        }
        if (out->text[i].failed || out->text[i].data == NULL) {
            return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", files[i].name);
        }
    }
    return names_once(spec, out->text[PACKAGE].data, why);
}

static void path_of(char path[PATH_MAX_BYTES], const char *directory, size_t index,
                    const char *tail) {
    (void)snprintf(path, PATH_MAX_BYTES, "%s/%s%s", directory, files[index].name, tail);
}

static tpu_status write_aside(const specgen_text *text, const char *path, tpu_message *why) {
    FILE *stream = fopen(path, "wb");
    if (stream == NULL) {
        return status_fail(why, TPU_ERR_IO, "%s: cannot be created", path);
    }
    bool good = fwrite(text->data, 1, text->length, stream) == text->length;
    good = fclose(stream) == 0 && good;
    return good ? TPU_OK : status_fail(why, TPU_ERR_IO, "%s: cannot be written", path);
}

static void remove_aside(const char *directory) {
    for (size_t i = 0; i < SPECGEN_OUTPUTS; i++) {
        char path[PATH_MAX_BYTES];
        path_of(path, directory, i, ".new");
        (void)remove(path);
    }
}

tpu_status specgen_output_write(const specgen_output *output, const char *directory,
                                tpu_message *why) {
    char aside[PATH_MAX_BYTES];
    char path[PATH_MAX_BYTES];
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < SPECGEN_OUTPUTS; i++) {
        path_of(aside, directory, i, ".new");
        status = write_aside(&output->text[i], aside, why);
    }
    for (size_t i = 0; status == TPU_OK && i < SPECGEN_OUTPUTS; i++) {
        path_of(aside, directory, i, ".new");
        path_of(path, directory, i, "");
        if (rename(aside, path) != 0) {
            status = status_fail(why, TPU_ERR_IO, "%s: cannot be replaced", path);
        }
    }
    if (status != TPU_OK) {
        remove_aside(directory);
    }
    return status;
}

// How far two texts agree, and the line on which they stop.
static size_t agreement(const char *a, size_t a_size, const char *b, size_t b_size, int *line) {
    size_t i = 0;
    *line = 1;
    while (i < a_size && i < b_size && a[i] == b[i]) {
        *line += a[i] == '\n' ? 1 : 0;
        i++;
    }
    return i;
}

static tpu_status compare_one(const specgen_text *text, const char *path, tpu_message *why) {
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return status_fail(why, TPU_REFUSED, "%s: is missing; run specgen --write", path);
    }
    char *data = malloc(text->length + 2);
    if (data == NULL) {
        (void)fclose(stream);
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    size_t size = fread(data, 1, text->length + 1, stream);
    (void)fclose(stream);
    int line = 0;
    size_t same = agreement(data, size, text->data, text->length, &line);
    free(data);
    if (size == text->length && same == size) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED,
                       "%s:%d: is stale: it differs from what the specification gives; run "
                       "specgen --write",
                       path, line);
}

tpu_status specgen_output_compare(const specgen_output *output, const char *directory,
                                  tpu_message *why) {
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < SPECGEN_OUTPUTS; i++) {
        char path[PATH_MAX_BYTES];
        path_of(path, directory, i, "");
        status = compare_one(&output->text[i], path, why);
    }
    return status;
}

void specgen_output_clear(specgen_output *output) {
    for (size_t i = 0; i < SPECGEN_OUTPUTS; i++) {
        specgen_text_clear(&output->text[i]);
    }
}
