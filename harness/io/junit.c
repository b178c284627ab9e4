// SPDX-License-Identifier: Apache-2.0
//
// JUnit XML, written by hand: three elements and four attributes.

#include "harness/io/junit.h"

#include "harness/io/textfile.h"

#include <stdlib.h>
#include <string.h>

// Attribute text. What XML cannot hold becomes '?'.
static void add_escaped(textbuf *to, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            textbuf_add(to, "&amp;");
            break;
        case '<':
            textbuf_add(to, "&lt;");
            break;
        case '>':
            textbuf_add(to, "&gt;");
            break;
        case '"':
            textbuf_add(to, "&quot;");
            break;
        default:
            textbuf_add(to, "%c", *text >= ' ' && *text <= '~' ? *text : '?');
        }
    }
}

void junit_add(junit *self, const char *name, double seconds, junit_kind kind,
               const char *message) {
    static const char *const element[JUNIT_KIND_COUNT] = {NULL, "failure", "error", "skipped"};
    textbuf *to = &self->cases;
    textbuf_add(to, "    <testcase name=\"");
    add_escaped(to, name);
    textbuf_add(to, "\" time=\"%.3f\"", seconds);
    self->count[kind]++;
    if (kind == JUNIT_PASSED) {
        textbuf_add(to, "/>\n");
        return;
    }
    textbuf_add(to, ">\n      <%s message=\"", element[kind]);
    add_escaped(to, message != NULL ? message : "");
    textbuf_add(to, "\"/>\n    </testcase>\n");
}

static void add_all(textbuf *to, const junit *self, const char *suite, double seconds) {
    unsigned tests = 0;
    for (int i = 0; i < JUNIT_KIND_COUNT; i++) {
        tests += self->count[i];
    }
    textbuf_add(to,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    add_escaped(to, suite);
    textbuf_add(to, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\">\n",
                tests, self->count[JUNIT_FAILED], self->count[JUNIT_ERROR],
                self->count[JUNIT_SKIPPED], seconds);
}

tpu_status junit_write(junit *self, const char *suite, double seconds, const char *path,
                       tpu_message *why) {
    textbuf whole = {.text = NULL};
    char *cases = NULL;
    char *text = NULL;
    add_all(&whole, self, suite, seconds);
    textbuf_add(&self->cases, "  </testsuite>\n</testsuites>\n");
    tpu_status status = textbuf_take(&self->cases, &cases, why);
    if (status == TPU_OK) {
        textbuf_add(&whole, "%s", cases);
        status = textbuf_take(&whole, &text, why);
    }
    if (status == TPU_OK) {
        status = textfile_write(path, text, strlen(text), why);
    }
    free(text);
    free(cases);
    textbuf_clear(&whole);
    junit_clear(self);
    return status;
}

void junit_clear(junit *self) {
    textbuf_clear(&self->cases);
    *self = (junit){.count = {0}};
}
