// SPDX-License-Identifier: Apache-2.0
//
// Looks into an FST file through the reader that Verilator ships. Names are sorted once; a value
// is read by walking the changes of that one signal, which is what the reader is good at.

#include "harness/show/wave_file.h"

#include <fstapi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wave_file {
    void *reader;
    wave_signal *signal; // sorted by name
    size_t count;
    size_t capacity;
    uint64_t wanted; // time asked for
    char *value;     // of the last look-up
    size_t room;
    bool found;
    bool failed; // out of memory
};

static int by_name(const void *left, const void *right) {
    const wave_signal *a = left;
    const wave_signal *b = right;
    return strcmp(a->name, b->name);
}

// "scope.name", and behind its NUL the bit range that the writer puts behind a blank.
static char *full_name(const char *scope, const char *name, char **range) {
    const size_t length = strcspn(name, " ");
    const char *tail = name + length + strspn(name + length, " ");
    const size_t size = strlen(scope) + length + 2;
    char *text = malloc(size + strlen(tail) + 1);
    if (text != NULL) {
        (void)snprintf(text, size, "%s%s%.*s", scope, scope[0] != '\0' ? "." : "", (int)length,
                       name);
        *range = text + size;
        memcpy(*range, tail, strlen(tail) + 1);
    }
    return text;
}

static void add_signal(wave_file *self, const struct fstHierVar *var) {
    if (self->count == self->capacity) {
        const size_t capacity = 2 * self->capacity + 256;
        wave_signal *grown = realloc(self->signal, capacity * sizeof *grown);
        if (grown == NULL) {
            self->failed = true;
            return;
        }
        self->signal = grown;
        self->capacity = capacity;
    }
    const char *scope = fstReaderGetCurrentFlatScope(self->reader);
    char *range = NULL;
    char *name = full_name(scope != NULL ? scope : "", var->name, &range);
    if (name == NULL) {
        self->failed = true;
        return;
    }
    const bool text = var->typ == FST_VT_GEN_STRING;
    self->signal[self->count++] = (wave_signal){
        .name = name, .range = range, .bits = text ? 0 : var->length, .handle = var->handle};
}

static void read_names(wave_file *self) {
    struct fstHier *at = NULL;
    while (!self->failed && (at = fstReaderIterateHier(self->reader)) != NULL) {
        if (at->htyp == FST_HT_SCOPE) {
            (void)fstReaderPushScope(self->reader, at->u.scope.name, NULL);
        } else if (at->htyp == FST_HT_UPSCOPE) {
            (void)fstReaderPopScope(self->reader);
        } else if (at->htyp == FST_HT_VAR) {
            add_signal(self, &at->u.var);
        }
    }
    if (self->count > 0) {
        qsort(self->signal, self->count, sizeof *self->signal, by_name);
    }
}

tpu_status wave_file_open(const char *path, wave_file **out, tpu_message *why) {
    wave_file *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: no memory to read it", path);
    }
    self->reader = fstReaderOpen(path);
    if (self->reader == NULL) {
        wave_file_close(self);
        return status_fail(why, TPU_REFUSED,
                           "%s: this is no waveform, or nothing of it was written", path);
    }
    read_names(self);
    if (self->failed) {
        wave_file_close(self);
        return status_fail(why, TPU_ERR_MEMORY, "%s: no memory to read it", path);
    }
    *out = self;
    return TPU_OK;
}

void wave_file_close(wave_file *self) {
    if (self == NULL) {
        return;
    }
    if (self->reader != NULL) {
        fstReaderClose(self->reader);
    }
    for (size_t i = 0; i < self->count; i++) {
        free(self->signal[i].name);
    }
    free(self->signal);
    free(self->value);
    free(self);
}

const wave_signal *wave_file_find(const wave_file *self, const char *name) {
    size_t low = 0;
    size_t high = self->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(self->signal[middle].name, name);
        if (order == 0) {
            return &self->signal[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

uint64_t wave_file_first(const wave_file *self) {
    return fstReaderGetStartTime(self->reader);
}

uint64_t wave_file_last(const wave_file *self) {
    return fstReaderGetEndTime(self->reader);
}

static void keep_value(wave_file *self, const void *data, size_t bytes) {
    if (bytes + 1 > self->room) {
        char *grown = realloc(self->value, bytes + 1);
        if (grown == NULL) {
            return;
        }
        self->value = grown;
        self->room = bytes + 1;
    }
    memcpy(self->value, data, bytes);
    self->value[bytes] = '\0';
    self->found = true;
}

static void see_text(void *user, uint64_t time, fstHandle handle, const unsigned char *value,
                     uint32_t bytes) {
    wave_file *self = user;
    (void)handle;
    if (time <= self->wanted) {
        keep_value(self, value, bytes);
    }
}

static void see_bits(void *user, uint64_t time, fstHandle handle, const unsigned char *value) {
    see_text(user, time, handle, value, (uint32_t)strlen((const char *)value));
}

const char *wave_file_value(wave_file *self, const wave_signal *signal, uint64_t time) {
    self->wanted = time;
    self->found = false;
    fstReaderClrFacProcessMaskAll(self->reader);
    fstReaderSetFacProcessMask(self->reader, signal->handle);
    (void)fstReaderIterBlocks2(self->reader, see_bits, see_text, self, NULL);
    return self->found ? self->value : NULL;
}
