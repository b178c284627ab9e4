// SPDX-License-Identifier: Apache-2.0
//
// Plain CSV: commas, no quotes, numbers alone below the head.

#include "harness/show/page_growth.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16
#define NAME_MAX_BYTES 32

typedef struct head {
    char name[COLUMNS_MAX][NAME_MAX_BYTES];
    size_t count;
} head;

// Reads the first line; gives what follows it, NULL when it is no list of names.
static const char *read_head(const char *text, head *out) {
    out->count = 0;
    for (;;) {
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
        if (length == 0 || length >= NAME_MAX_BYTES || out->count == COLUMNS_MAX) {
            return NULL;
        }
        memcpy(out->name[out->count], text, length);
        out->name[out->count++][length] = '\0';
        text += length;
        if (*text == '\n') {
            return text + 1;
        }
        if (*text++ != ',') {
            return NULL;
        }
    }
}

static bool has(const head *self, const char *name) {
    for (size_t i = 0; i < self->count; i++) {
        if (strcmp(self->name[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool page_growth_is(const char *text) {
    head names;
    return read_head(text, &names) != NULL && has(&names, "seconds") && has(&names, "bins");
}

// One line into an object; gives what follows it, NULL when it is damaged.
static const char *read_line(const char *text, const head *names, cJSON *to) {
    for (size_t i = 0; i < names->count; i++) {
        char *end = NULL;
        if (*text < '0' || *text > '9') {
            return NULL;
        }
        double value = strtod(text, &end);
        char wanted = i + 1 < names->count ? ',' : '\n';
        if (*end != wanted) {
            return NULL;
        }
        (void)cJSON_AddNumberToObject(to, names->name[i], value);
        text = end + 1;
    }
    return text;
}

tpu_status page_growth_read(const char *text, const char *name, cJSON **out, tpu_message *why) {
    head names;
    cJSON *list = cJSON_CreateArray();
    size_t number = 2;
    const char *at = read_head(text, &names);
    while (at != NULL && *at != '\0') {
        cJSON *item = cJSON_CreateObject();
        at = read_line(at, &names, item);
        (void)cJSON_AddItemToArray(list, item);
        number += at != NULL;
    }
    if (at == NULL) {
        cJSON_Delete(list);
        return status_fail(why, TPU_REFUSED, "%s: line %zu must be %zu numbers with commas", name,
                           number, names.count);
    }
    *out = list;
    return TPU_OK;
}
