// SPDX-License-Identifier: Apache-2.0
//
// Growing text and its layouts.

#include "spec/specgen_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 100u

static bool reserve(specgen_text *text, size_t more) {
    if (text->failed) {
        return false;
    }
    size_t need = text->length + more + 1;
    if (need <= text->capacity) {
        return true;
    }
    size_t capacity = need * 2;
    char *data = realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void specgen_text_add(specgen_text *text, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    int wanted = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (wanted >= 0 && reserve(text, (size_t)wanted)) {
        (void)vsnprintf(text->data + text->length, (size_t)wanted + 1, fmt, again);
        text->length += (size_t)wanted;
    }
    va_end(again);
}

static size_t column_of(const specgen_text *text) {
    size_t column = 0;
    while (column < text->length && text->data[text->length - 1 - column] != '\n') {
        column++;
    }
    return column;
}

void specgen_text_pad(specgen_text *text, size_t column) {
    size_t at = column_of(text);
    if (at < column) {
        specgen_text_add(text, "%*s", (int)(column - at), "");
    }
}

void specgen_text_wrap(specgen_text *text, const char *first, const char *next,
                       const char *sentence) {
    specgen_text_add(text, "%s", first);
    const char *word = sentence;
    bool fresh = true;
    while (*word != '\0') {
        size_t length = strcspn(word, " ");
        if (!fresh && column_of(text) + 1 + length > COLUMNS) {
            specgen_text_add(text, "\n%s", next);
            fresh = true;
        }
        specgen_text_add(text, "%s%.*s", fresh ? "" : " ", (int)length, word);
        fresh = false;
        word += length;
        word += strspn(word, " ");
    }
    specgen_text_add(text, "\n");
}

// Characters a literal needs for `c`: quotes and backslashes are escaped.
static void add_escaped(specgen_text *text, const char *from, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (from[i] == '"' || from[i] == '\\') {
            specgen_text_add(text, "\\");
        }
        specgen_text_add(text, "%c", from[i]);
    }
}

void specgen_text_literal(specgen_text *text, const char *string, const char *tail) {
    size_t indent = column_of(text);
    specgen_text_add(text, "\"");
    const char *at = string;
    while (*at != '\0') {
        size_t word = strcspn(at, " ");
        size_t step = word + (at[word] == ' ' ? 1u : 0u);
        // The line still needs its closing quote, and the last one the tail too.
        size_t after = 1 + (at[step] == '\0' ? strlen(tail) : 0u);
        if (column_of(text) > indent + 1 && column_of(text) + step + after > COLUMNS) {
            specgen_text_add(text, "\"\n");
            specgen_text_pad(text, indent);
            specgen_text_add(text, "\"");
        }
        add_escaped(text, at, step);
        at += step;
    }
    specgen_text_add(text, "\"%s", tail);
}

void specgen_text_upper(specgen_text *text, const char *source) {
    for (const char *at = source; *at != '\0'; at++) {
        bool lower = *at >= 'a' && *at <= 'z';
        bool kept = (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        specgen_text_add(text, "%c", lower ? *at - 'a' + 'A' : kept ? *at : '_');
    }
}

void specgen_text_clear(specgen_text *text) {
    free(text->data);
    memset(text, 0, sizeof *text);
}
