// SPDX-License-Identifier: Apache-2.0
//
// Growable text.

#include "harness/io/textbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(textbuf *self, size_t more) {
    if (self->failed) {
        return false;
    }
    size_t wanted = self->length + more + 1;
    if (wanted <= self->capacity) {
        return true;
    }
    size_t capacity = self->capacity == 0 ? 256 : self->capacity;
    while (capacity < wanted) {
        capacity *= 2;
    }
    char *text = realloc(self->text, capacity);
    if (text == NULL) {
        self->failed = true;
        return false;
    }
    self->text = text;
    self->capacity = capacity;
    return true;
}

void textbuf_add(textbuf *self, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    int bytes = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (bytes < 0 || !reserve(self, (size_t)bytes)) {
        self->failed = true;
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(self->text + self->length, (size_t)bytes + 1, fmt, args);
    va_end(args);
    self->length += (size_t)bytes;
}

void textbuf_pad(textbuf *self, size_t column) {
    size_t start = self->length;
    while (start > 0 && self->text[start - 1] != '\n') {
        start--;
    }
    size_t at = self->length - start;
    if (at < column && column - at < INT32_MAX) {
        textbuf_add(self, "%*s", (int)(column - at), "");
    }
}

void textbuf_newline(textbuf *self) {
    while (self->length > 0 && self->text[self->length - 1] == ' ') {
        self->length--;
    }
    textbuf_add(self, "\n");
}

tpu_status textbuf_take(textbuf *self, char **out, tpu_message *why) {
    textbuf_add(self, "%s", "");
    if (self->failed) {
        textbuf_clear(self);
        return status_fail(why, TPU_ERR_MEMORY, "out of memory for a text");
    }
    *out = self->text;
    *self = (textbuf){.text = NULL, .length = 0, .capacity = 0, .failed = false};
    return TPU_OK;
}

void textbuf_clear(textbuf *self) {
    free(self->text);
    *self = (textbuf){.text = NULL, .length = 0, .capacity = 0, .failed = false};
}
