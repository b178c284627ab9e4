// SPDX-License-Identifier: Apache-2.0
//
// The reader of Yosys's list. It takes what `mutate -list` writes and nothing else: a line that is
// not understood is refused, since a fault that is skipped would look like one that was run.

#define _POSIX_C_SOURCE 200809L // strtok_r

#include "harness/mutants/netmutant.h"

#include "harness/io/textfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *path;
    uint32_t line;
    char *rest; // of the line, for strtok_r
    tpu_message *why;
} reader;

static tpu_status refuse(const reader *self, const char *what) {
    return status_fail(self->why, TPU_REFUSED, "%s:%u: %s; this is no list of Yosys's mutate",
                       self->path, self->line, what);
}

static char *next_word(reader *self) {
    return strtok_r(NULL, " ", &self->rest);
}

static tpu_status read_word(reader *self, const char **out) {
    *out = next_word(self);
    return *out != NULL ? TPU_OK : refuse(self, "the line ends early");
}

static bool to_number(const char *text, char **end, uint32_t *out) {
    errno = 0;
    unsigned long value = strtoul(text, end, 10);
    *out = (uint32_t)value;
    return text[0] >= '0' && text[0] <= '9' && errno == 0 && value <= UINT32_MAX;
}

static tpu_status read_number(reader *self, uint32_t *out) {
    const char *word = NULL;
    char *end = NULL;
    tpu_status status = read_word(self, &word);
    if (status == TPU_OK && (!to_number(word, &end, out) || *end != '\0')) {
        return refuse(self, "a number is missing");
    }
    return status;
}

// FILE:LINE.COLUMN-LINE.COLUMN, or FILE:LINE alone.
static tpu_status read_source(reader *self, netmutant *out) {
    char *word = next_word(self);
    char *end = word != NULL ? strrchr(word, ':') : NULL;
    netmutant_source at = {.file = word};
    if (end == NULL) {
        return refuse(self, "a place in the source is missing");
    }
    *end++ = '\0';
    bool good = to_number(end, &end, &at.line);
    at.last_line = at.line;
    if (good && *end == '.') {
        good = to_number(end + 1, &end, &at.column) && *end == '-' &&
               to_number(end + 1, &end, &at.last_line);
    }
    if (!good) {
        return refuse(self, "a place in the source is not FILE:LINE");
    }
    if (out->source_count < NETMUTANT_SOURCES) {
        out->source[out->source_count++] = at;
    }
    return TPU_OK;
}

static tpu_status read_control(reader *self, netmutant *out) {
    const char *name = NULL;
    uint32_t width = 0;
    tpu_status status = read_word(self, &name);
    if (status == TPU_OK) {
        status = read_number(self, &width);
    }
    return status == TPU_OK ? read_number(self, &out->number) : status;
}

static tpu_status read_option(reader *self, const char *option, netmutant *out) {
    const char *word = NULL;
    uint32_t number = 0;
    if (strcmp(option, "-ctrl") == 0) {
        return read_control(self, out);
    }
    if (strcmp(option, "-src") == 0) {
        return read_source(self, out);
    }
    if (strcmp(option, "-mode") == 0) {
        return read_word(self, &out->kind);
    }
    if (strcmp(option, "-cell") == 0) {
        return read_word(self, &out->cell);
    }
    if (strcmp(option, "-port") == 0) {
        return read_word(self, &out->port);
    }
    if (strcmp(option, "-wire") == 0) {
        return read_word(self, &out->wire);
    }
    if (strcmp(option, "-portbit") == 0) {
        return read_number(self, &out->bit);
    }
    if (strcmp(option, "-ctrlbit") == 0) {
        return read_number(self, &out->control);
    }
    if (strcmp(option, "-wirebit") == 0) {
        return read_number(self, &number);
    }
    return strcmp(option, "-module") == 0 ? read_word(self, &word)
                                          : refuse(self, "an option is unknown");
}

static tpu_status read_line(reader *self, char *line, uint32_t number, netmutant *out) {
    const char *word = strtok_r(line, " ", &self->rest);
    if (word == NULL || strcmp(word, "mutate") != 0) {
        return refuse(self, "the line does not begin with mutate");
    }
    while ((word = next_word(self)) != NULL) {
        tpu_status status = read_option(self, word, out);
        if (status != TPU_OK) {
            return status;
        }
    }
    if (out->kind == NULL || out->cell == NULL || out->port == NULL) {
        return refuse(self, "mode, cell or port is missing");
    }
    return out->number == number ? TPU_OK : refuse(self, "the faults are not numbered 1, 2, ...");
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static tpu_status read_lines(reader *self, netmutant_list *out) {
    char *line = out->text;
    for (char *end = strchr(line, '\n'); end != NULL; end = strchr(line, '\n')) {
        *end = '\0';
        self->line++;
        tpu_status status = read_line(self, line, self->line, &out->item[out->count]);
        if (status != TPU_OK) {
            return status;
        }
        out->count++;
        line = end + 1;
    }
    return *line == '\0' ? TPU_OK : refuse(self, "the last line does not end");
}

tpu_status netmutant_list_read(const char *path, netmutant_list *out, tpu_message *why) {
    reader self = {.path = path, .why = why};
    size_t bytes = 0;
    tpu_status status = textfile_read(path, &out->text, &bytes, why);
    if (status != TPU_OK) {
        return status;
    }
    size_t lines = count_lines(out->text);
    if (lines == 0 || lines > NETMUTANT_MAX || strlen(out->text) != bytes) {
        return status_fail(why, TPU_REFUSED, "%s: not a list of 1 to %u faults", path,
                           NETMUTANT_MAX);
    }
    out->item = calloc(lines, sizeof *out->item);
    if (out->item == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
    }
    return read_lines(&self, out);
}

void netmutant_list_clear(netmutant_list *self) {
    free(self->item);
    free(self->text);
    *self = (netmutant_list){.text = NULL};
}
