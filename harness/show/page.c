// SPDX-License-Identifier: Apache-2.0
//
// The frame of harness/show/page/page.html with its four marks replaced. The data is JSON inside of
// a script element: every '<', '>' and '&' of it, which can stand in strings only, becomes its \u
// form, so that no text of the data can end the element or begin a comment.

#include "harness/show/page.h"

#include "harness/io/textbuf.h"
#include "harness/io/textfile.h"
#include "harness/show/page_assets.h"

#include <stdlib.h>
#include <string.h>

static void put_bytes(textbuf *to, const char *text, size_t bytes) {
    textbuf_add(to, "%.*s", (int)bytes, text);
}

static void put_data(textbuf *to, const char *data) {
    for (const char *at = data; *at != '\0';) {
        size_t plain = strcspn(at, "<>&");
        put_bytes(to, at, plain);
        at += plain;
        if (*at != '\0') {
            textbuf_add(to, "\\u%04x", (unsigned)(unsigned char)*at++);
        }
    }
}

// Text between tags. Bytes below blank are shown as one.
static void put_text(textbuf *to, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (*text == '<' || *text == '>' || *text == '&') {
            textbuf_add(to, "&#%u;", (unsigned)byte);
        } else {
            textbuf_add(to, "%c", byte < ' ' ? ' ' : *text);
        }
    }
}

static void put_mark(textbuf *to, const char *name, size_t bytes, const char *data,
                     const char *title) {
    if (strncmp(name, "STYLE", bytes) == 0) {
        put_bytes(to, page_assets_style, page_assets_style_bytes);
    } else if (strncmp(name, "SCRIPT", bytes) == 0) {
        put_bytes(to, page_assets_script, page_assets_script_bytes);
    } else if (strncmp(name, "DATA", bytes) == 0) {
        put_data(to, data);
    } else if (strncmp(name, "TITLE", bytes) == 0) {
        put_text(to, title);
    }
}

tpu_status page_build(const char *data, const char *title, char **html, size_t *bytes,
                      tpu_message *why) {
    textbuf to = {.text = NULL};
    for (const char *at = page_assets_frame; *at != '\0';) {
        size_t plain = strcspn(at, "@");
        put_bytes(&to, at, plain);
        at += plain;
        if (*at == '\0') {
            break;
        }
        size_t name = strcspn(at + 1, "@");
        put_mark(&to, at + 1, name, data, title);
        at += name + 2;
    }
    *bytes = to.length;
    return textbuf_take(&to, html, why);
}

static void put_title(const recording *from, const report_context *context, textbuf *to) {
    textbuf_add(to, "%s", verdict_kind_name(from->seen.kind));
    if (from->seen.stream >= 0) {
        textbuf_add(to, " in %s", tpu_streams[from->seen.stream].name);
    }
    textbuf_add(to, " - %s", context->name != NULL ? context->name : "tpucosim");
}

tpu_status page_write(const recording *from, const report_context *context, const char *path,
                      tpu_message *why) {
    textbuf heading = {.text = NULL};
    char *data = NULL;
    char *title = NULL;
    char *html = NULL;
    size_t bytes = 0;
    put_title(from, context, &heading);
    tpu_status status = textbuf_take(&heading, &title, why);
    if (status == TPU_OK) {
        status = page_json(from, context, &data, why);
    }
    if (status == TPU_OK) {
        status = page_build(data, title, &html, &bytes, why);
    }
    if (status == TPU_OK) {
        status = textfile_write(path, html, bytes, why);
    }
    free(data);
    free(title);
    free(html);
    return status;
}
