// SPDX-License-Identifier: Apache-2.0
//
// Line by line: the verdict at the head, the label of each line, wrong cells (they end in a star),
// the blamed unit, and what is suggested. Six colours that every terminal has, in both schemes.

#include "harness/show/paint.h"

#include "harness/io/textbuf.h"

#include <ctype.h>
#include <string.h>

#define BAD "\033[1;31m"
#define GOOD "\033[1;32m"
#define STRONG "\033[1m"
#define HINT "\033[33m"
#define QUIET "\033[36m"
#define PLAIN "\033[0m"

// Labels stand in columns 2 to 11 of a line.
#define LABEL_FROM 2u
#define LABEL_TO 12u

bool paint_allowed(const char *no_color, const char *term) {
    bool asked_not = no_color != NULL && no_color[0] != '\0';
    return !asked_not && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

static void add(textbuf *to, const char *from, size_t length) {
    textbuf_add(to, "%.*s", (int)length, from);
}

static void add_in(textbuf *to, const char *colour, const char *from, size_t length) {
    textbuf_add(to, "%s%.*s" PLAIN, colour, (int)length, from);
}

static bool starts(const char *line, size_t length, const char *with) {
    size_t want = strlen(with);
    return length >= want && memcmp(line, with, want) == 0;
}

// "HANG  stuck in cw": the first word.
static bool paint_head(textbuf *to, const char *line, size_t length) {
    static const char *const bad[] = {"MISMATCH", "HANG", "ERROR", "REFUSED"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (starts(line, length, bad[i])) {
            add_in(to, BAD, line, strlen(bad[i]));
            add(to, line + strlen(bad[i]), length - strlen(bad[i]));
            return true;
        }
    }
    if (starts(line, length, "OK")) {
        add_in(to, GOOD, line, 2);
        add(to, line + 2, length - 2);
        return true;
    }
    return false;
}

// "        26*" in a row of cells: the number with its star.
static void paint_cells(textbuf *to, const char *line, size_t length) {
    size_t at = 0;
    while (at < length) {
        const char *star = memchr(line + at, '*', length - at);
        size_t stop = star != NULL ? (size_t)(star - line) : length;
        size_t from = stop;
        while (star != NULL && from > at && line[from - 1] != ' ') {
            from--;
        }
        add(to, line + at, from - at);
        if (star != NULL) {
            add_in(to, BAD, line + from, stop - from + 1);
            stop++;
        }
        at = stop;
    }
}

// Everything behind the label of "where": ", unit array, PE(2,1)" is what a person looks for.
static void paint_where(textbuf *to, const char *line, size_t length) {
    const char *mark = ", unit ";
    size_t size = strlen(mark);
    for (size_t at = LABEL_TO; at + size < length; at++) {
        if (memcmp(line + at, mark, size) == 0) {
            add(to, line + LABEL_TO, at + size - LABEL_TO);
            add_in(to, STRONG, line + at + size, length - at - size);
            return;
        }
    }
    add(to, line + LABEL_TO, length - LABEL_TO);
}

static bool is_labelled(const char *line, size_t length) {
    if (length <= LABEL_TO || !starts(line, length, "  ") || line[LABEL_TO] == ' ') {
        return false;
    }
    size_t at = LABEL_FROM;
    while (at < LABEL_TO && islower((unsigned char)line[at])) {
        at++;
    }
    if (at == LABEL_FROM || at == LABEL_TO) {
        return false;
    }
    while (at < LABEL_TO && line[at] == ' ') { // "row 19" is no label, nor is a sentence
        at++;
    }
    return at == LABEL_TO;
}

// The lines below "suggests" go on with its colour.
typedef struct brush {
    bool hint;
} brush;

static void paint_line(textbuf *to, brush *self, const char *line, size_t length) {
    bool labelled = is_labelled(line, length);
    bool below = self->hint && length > LABEL_TO && starts(line, length, "            ");
    self->hint = below || (labelled && starts(line, length, "  suggests"));
    if (below) {
        add_in(to, HINT, line, length);
    } else if (starts(line, length, "             got ")) {
        paint_cells(to, line, length);
    } else if (labelled) {
        add_in(to, QUIET, line, LABEL_TO);
        if (self->hint) {
            add_in(to, HINT, line + LABEL_TO, length - LABEL_TO);
        } else {
            paint_where(to, line, length);
        }
    } else if (!paint_head(to, line, length)) {
        add(to, line, length);
    }
}

tpu_status paint_report(const char *plain, char **out, tpu_message *why) {
    textbuf text = {.text = NULL};
    brush state = {.hint = false};
    while (*plain != '\0') {
        size_t length = strcspn(plain, "\n");
        paint_line(&text, &state, plain, length);
        plain += length;
        if (*plain == '\n') {
            textbuf_add(&text, "\n");
            plain++;
        }
    }
    return textbuf_take(&text, out, why);
}
