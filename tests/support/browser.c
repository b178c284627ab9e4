// SPDX-License-Identifier: Apache-2.0
//
// chromium --dump-dom. The dump is read with string functions: the pages set every attribute and
// text through the DOM, so its form is the browser's own.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/browser.h"

#include "base/status.h"
#include "harness/io/textfile.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_whole(const char *directory, const char *name) {
    char path[1024];
    char *text = NULL;
    tpu_message why;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_read(path, &text, NULL, &why), TPU_OK, "%s", why.text);
    return text;
}

// Lines of the log that come from the page's console, and nothing of the browser's own.
static char *console_of(char *log) {
    size_t kept = 0;
    char *next = NULL;
    for (char *line = log; *line != '\0'; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        char saved = line[length];
        line[length] = '\0';
        bool wanted = strstr(line, "CONSOLE") != NULL;
        line[length] = saved;
        if (wanted) {
            memmove(log + kept, line, length + 1);
            kept += length + 1;
        }
    }
    log[kept] = '\0';
    return log;
}

void browser_open(const char *path, const char *hash, const char *directory, browser *out) {
    static const char options[] =
        "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --disable-extensions --disable-default-apps "
        "--host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=2000 "
        "--window-size=1280,900 --enable-logging=stderr --v=0";
    char command[2048];
    FILE *page = fopen(path, "rb");
    cr_assert(page != NULL, "%s: no such page", path);
    (void)fclose(page);
    int length = snprintf(command, sizeof command,
                          "timeout 50 chromium %s --user-data-dir='%s/profile' --dump-dom "
                          "'file://%s%s' >'%s/dom' 2>'%s/log'; code=$?; rm -rf '%s/profile'; "
                          "exit $code",
                          options, directory, path, hash, directory, directory, directory);
    TPU_CHECK(length > 0 && (size_t)length < sizeof command, "the command is too long");
    int code = system(command); // NOLINT(cert-env33-c): paths of the test's own making
    char *log = read_whole(directory, "log");
    cr_assert_eq(code, 0, "chromium: exit code %d (ci/bootstrap test installs it): %.400s",
                 code / 256, log);
    out->dom = read_whole(directory, "dom");
    out->console = console_of(log);
    cr_assert(strstr(out->dom, "</html>") != NULL, "chromium dumped no page: %.400s", log);
}

void browser_clear(browser *self) {
    free(self->dom);
    free(self->console);
    *self = (browser){.dom = NULL};
}

// Text up to the next tag, in which &lt; &gt; &amp; &quot; &nbsp; stand for characters.
static char *text_at(const char *from) {
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&nbsp;"};
    static const char characters[] = "<>&\" ";
    size_t length = strcspn(from, "<");
    char *out = calloc(length + 1, 1);
    TPU_CHECK(out != NULL, "no memory for a text");
    size_t kept = 0;
    for (size_t i = 0; i < length;) {
        size_t skip = 1;
        out[kept] = from[i];
        for (size_t n = 0; n < sizeof names / sizeof names[0] && from[i] == '&'; n++) {
            if (strncmp(from + i, names[n], strlen(names[n])) == 0) {
                out[kept] = characters[n];
                skip = strlen(names[n]);
            }
        }
        kept++;
        i += skip;
    }
    return out;
}

char *browser_text(const browser *self, const char *id) {
    char mark[128];
    (void)snprintf(mark, sizeof mark, "id=\"%s\"", id);
    const char *at = strstr(self->dom, mark);
    at = at != NULL ? strchr(at, '>') : NULL;
    return at != NULL ? text_at(at + 1) : NULL;
}

static const cJSON *find(const cJSON *json, const char *path) {
    char key[256];
    while (json != NULL && *path != '\0') {
        size_t length = strcspn(path, "/");
        cr_assert_lt(length, sizeof key);
        memcpy(key, path, length);
        key[length] = '\0';
        path += length + (path[length] == '/');
        json = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, atoi(key))
                                   : cJSON_GetObjectItemCaseSensitive(json, key);
    }
    return json;
}

// The value as a reader of the JSON sees it.
static char *value_text(const cJSON *item) {
    if (cJSON_IsString(item)) {
        char *copy = malloc(strlen(item->valuestring) + 1);
        TPU_CHECK(copy != NULL, "no memory for a value");
        return strcpy(copy, item->valuestring); // NOLINT: as long as its source
    }
    return cJSON_PrintUnformatted(item);
}

static double read_double(const char *text) {
    char *end = NULL;
    double value = strtod(text, &end);
    cr_expect(end != text && *end == '\0', "\"%s\" is no number", text);
    return value;
}

// A number shown with fewer digits: within half of the last one.
static void compare_rounded(const char *path, const char *text, const cJSON *item, int digits) {
    double half = 0.5 + 1e-9;
    for (int i = 0; i < digits; i++) {
        half /= 10;
    }
    double value = cJSON_IsString(item) ? read_double(item->valuestring) : item->valuedouble;
    double shown = read_double(text);
    cr_expect(shown - value <= half && value - shown <= half, "%s: %s is not %.9g", path, text,
              value);
}

// Digits that an element rounds to; -1 = it shows the value as it is.
static int digits_of(const char *dom, const char *attribute) {
    static const char mark[] = "data-digits=\"";
    const char *tag = attribute;
    while (tag > dom && *tag != '<') {
        tag--;
    }
    const char *at = strstr(tag, mark);
    return at != NULL && at < attribute ? atoi(at + sizeof mark - 1) : -1;
}

static void compare_one(const char *path, const char *text, const cJSON *json, int digits) {
    const cJSON *item = find(json, path);
    if (item == NULL) {
        cr_expect(false, "the page shows \"%s\" at %s, which the JSON has not", text, path);
        return;
    }
    if (digits >= 0) {
        compare_rounded(path, text, item, digits);
        return;
    }
    char *want = value_text(item);
    cr_expect_str_eq(text, want, "%s", path);
    free(want);
}

size_t browser_compare(const browser *self, const char *prefix, const cJSON *json) {
    static const char mark[] = "data-json=\"";
    size_t count = 0;
    for (const char *at = strstr(self->dom, mark); at != NULL; at = strstr(at, mark)) {
        at += sizeof mark - 1;
        char *path = NULL;
        size_t length = strcspn(at, "\"");
        const char *text = strchr(at + length, '>');
        cr_assert(text != NULL);
        if (strncmp(at, prefix, strlen(prefix)) != 0) {
            continue;
        }
        path = calloc(length + 1, 1);
        TPU_CHECK(path != NULL, "no memory for a path");
        memcpy(path, at, length);
        char *shown = text_at(text + 1);
        compare_one(path + strlen(prefix), shown, json, digits_of(self->dom, at));
        free(shown);
        free(path);
        count++;
    }
    return count;
}
