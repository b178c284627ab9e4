// SPDX-License-Identifier: Apache-2.0
//
// From a fault to a line of the source. Yosys names every place that a cell went through: the
// instances around it, the process, the statement. The one to show is the narrowest that is no
// instance, in the module furthest inside.

#define _POSIX_C_SOURCE 200809L // strdup

#include "harness/io/textfile.h"
#include "harness/mutants/netmutant_rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file of the tree, cut into lines.
struct netmutant_file {
    char *name;
    char *text;
    const char **line;
    uint32_t lines;
};

static void cut(struct netmutant_file *self) {
    uint32_t lines = 1;
    for (const char *at = self->text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    self->line = calloc(lines, sizeof *self->line);
    if (self->line == NULL) {
        return;
    }
    for (char *at = self->text; at != NULL && self->lines < lines;) {
        char *end = strchr(at, '\n');
        self->line[self->lines++] = at;
        if (end != NULL) {
            *end++ = '\0';
        }
        at = end;
    }
}

static const struct netmutant_file *find_file(netmutant_tree *self, const char *name) {
    char path[PATH_MAX];
    for (size_t i = 0; i < self->count; i++) {
        if (strcmp(self->file[i].name, name) == 0) {
            return &self->file[i];
        }
    }
    void *more = realloc(self->file, (self->count + 1) * sizeof *self->file);
    if (more == NULL) {
        return NULL;
    }
    self->file = more;
    struct netmutant_file *out = &self->file[self->count];
    *out = (struct netmutant_file){.name = strdup(name)};
    if (out->name == NULL) {
        return NULL;
    }
    self->count++;
    (void)snprintf(path, sizeof path, "%s/%s", self->root, name);
    if (textfile_read(path, &out->text, NULL, NULL) == TPU_OK) {
        cut(out);
    }
    return out;
}

static const char *find_line(netmutant_tree *self, const netmutant_source *at) {
    const struct netmutant_file *file = find_file(self, at->file);
    return file != NULL && at->line >= 1 && at->line <= file->lines ? file->line[at->line - 1] : "";
}

// What stands there is "u_name (" or the end of a parameter list, ") u_name (".
static bool is_instance(const netmutant_source *at, const char *line) {
    const char *name = at->column >= 1 && at->column <= strlen(line) ? line + at->column - 1 : line;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return strncmp(name, "u_", 2) == 0 && strncmp(name + length, " (", 2) == 0;
}

// The core holds units, units hold the common parts.
static int depth_of(const char *file) {
    static const char *const inner[] = {"tpu_fifo.sv", "tpu_ram.sv", "tpu_rowfile.sv",
                                        "tpu_control.sv", "tpu_pe.sv"};
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
        if (strstr(file, inner[i]) != NULL) {
            return i < 2 ? 3 : 2;
        }
    }
    return strstr(file, "tpu_core.sv") != NULL ? 0 : 1;
}

const netmutant_source *netmutant_tree_line(netmutant_tree *self, const netmutant *of,
                                            const char **text) {
    const netmutant_source *best = NULL;
    uint32_t span = 0;
    for (size_t i = 0; i < of->source_count; i++) {
        const netmutant_source *at = &of->source[i];
        const char *line = find_line(self, at);
        uint32_t lines = at->last_line - at->line;
        if (at->line == 0 || is_instance(at, line)) {
            continue;
        }
        int deeper = best == NULL ? 1 : depth_of(at->file) - depth_of(best->file);
        if (deeper > 0 || (deeper == 0 && lines <= span)) {
            best = at;
            span = lines;
            *text = line;
        }
    }
    return best;
}

bool netmutant_tree_has(netmutant_tree *self, const netmutant *of, const char *file,
                        const char *text) {
    bool here = false;
    for (size_t i = 0; i < of->source_count && !here; i++) {
        const netmutant_source *at = &of->source[i];
        const char *line = strcmp(at->file, file) == 0 ? find_line(self, at) : "";
        here = strstr(line, text) != NULL && !is_instance(at, line);
    }
    return here;
}

void netmutant_tree_clear(netmutant_tree *self) {
    for (size_t i = 0; i < self->count; i++) {
        free(self->file[i].line);
        free(self->file[i].text);
        free(self->file[i].name);
    }
    free(self->file);
    *self = (netmutant_tree){.root = self->root};
}
