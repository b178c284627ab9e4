// SPDX-License-Identifier: Apache-2.0
//
// Walks the JSON tree beside the schema table. Two paths are carried: the pattern ("units[].name")
// that finds the row, and the place ("units[3].name") that the message names.

#include "spec/specgen_schema.h"

#include "spec/specgen_expr.h"
#include "spec/specgen_schema_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 10
#define EXACT_MAX 9007199254740992.0 /* 2^53: above it a JSON number may lose digits */

typedef struct walk {
    const specgen_spec *spec;
    tpu_message *why;
    char pattern[SPECGEN_PATH];
    char place[SPECGEN_PATH];
    int depth;
} walk;

static const specgen_schema_row *row_of(const char *pattern) {
    for (size_t i = 0; i < specgen_schema_table_rows; i++) {
        if (strcmp(specgen_schema_table[i].pattern, pattern) == 0) {
            return &specgen_schema_table[i];
        }
    }
    return NULL;
}

static tpu_status refuse(const walk *w, const char *found, const char *allowed) {
    return specgen_spec_refuse(w->spec, w->why, w->place, "found %s; %s", found, allowed);
}

static const char *kind_text(const cJSON *node) {
    if (cJSON_IsObject(node)) {
        return "an object";
    }
    if (cJSON_IsArray(node)) {
        return "a list";
    }
    if (cJSON_IsString(node)) {
        return node->valuestring[0] == '\0' ? "an empty text" : "a text";
    }
    return cJSON_IsNumber(node) ? "a number" : cJSON_IsBool(node) ? "a truth value" : "null";
}

static tpu_status check_int(const walk *w, const specgen_schema_row *row, const cJSON *node) {
    double value = cJSON_IsNumber(node) ? node->valuedouble : 0;
    if (!cJSON_IsNumber(node)) {
        return refuse(w, kind_text(node), "a whole number belongs here");
    }
    if (value >= EXACT_MAX || value <= -EXACT_MAX) {
        return refuse(w, "a number beyond 2^53", "write it as a text");
    }
    if (value < (double)row->min || value > (double)row->max || value != (double)(int64_t)value) {
        return specgen_spec_refuse(w->spec, w->why, w->place,
                                   "found %.17g; a whole number from %ld to %ld is allowed", value,
                                   row->min, row->max);
    }
    return TPU_OK;
}

static bool is_word(const char *text, bool capitals) {
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        bool good =
            capitals ? isupper(c) || isdigit(c) || c == '_' : isalnum(c) || c == '_' || c == '.';
        if (!good) {
            return false;
        }
    }
    return isalpha((unsigned char)text[0]) != 0;
}

static tpu_status check_text(const walk *w, const specgen_schema_row *row, const cJSON *node) {
    const char *text = cJSON_GetStringValue(node);
    if (text == NULL) {
        return refuse(w, kind_text(node), "a text belongs here");
    }
    if (text[0] == '\0' || text[strspn(text, " ")] == '\0') {
        return refuse(w, "an empty text", "say it in words");
    }
    if (row->kind == SCHEMA_EXPR) {
        specgen_expr expr;
        tpu_message inner = {{0}};
        if (specgen_expr_parse(text, &expr, &inner) != TPU_OK) {
            return specgen_spec_refuse(w->spec, w->why, w->place, "%s", inner.text);
        }
    }
    bool capitals = row->kind == SCHEMA_CONSTANT;
    if ((capitals || row->kind == SCHEMA_NAME) && !is_word(text, capitals)) {
        return specgen_spec_refuse(w->spec, w->why, w->place, "found '%s'; %s", text,
                                   capitals ? "capitals, digits and '_' make a constant's name"
                                            : "letters, digits, '_' and '.' make a name");
    }
    return TPU_OK;
}

static tpu_status check_big(const walk *w, const cJSON *node) {
    const char *text = cJSON_GetStringValue(node);
    if (text == NULL) {
        return check_int(w, &(specgen_schema_row){.min = 0, .max = 2147483647}, node);
    }
    char *end = NULL;
    (void)strtoull(text, &end, 0);
    return *end == '\0' && isdigit((unsigned char)text[0])
               ? TPU_OK
               : refuse(w, "a text that is no number", "decimal or 0x digits belong here");
}

static tpu_status check_leaf(const walk *w, const specgen_schema_row *row, const cJSON *node) {
    switch (row->kind) {
    case SCHEMA_INT:
        return check_int(w, row, node);
    case SCHEMA_BOUND:
        if (cJSON_IsString(node) && strcmp(node->valuestring, "unbounded") == 0) {
            return TPU_OK;
        }
        return check_int(w, row, node);
    case SCHEMA_BIG:
        return check_big(w, node);
    case SCHEMA_BOOL:
        return cJSON_IsBool(node) ? TPU_OK
                                  : refuse(w, kind_text(node), "true or false belongs here");
    case SCHEMA_FREE:
        return cJSON_IsObject(node) ? TPU_OK : refuse(w, kind_text(node), "an object belongs here");
    default:
        return check_text(w, row, node);
    }
}

// A required key of the object at `pattern` that the object lacks, or NULL.
static const char *missing_key(const walk *w, const cJSON *object) {
    size_t length = strlen(w->pattern);
    for (size_t i = 0; i < specgen_schema_table_rows; i++) {
        const char *key = specgen_schema_table[i].pattern;
        if (length > 0 && (strncmp(key, w->pattern, length) != 0 || key[length] != '.')) {
            continue;
        }
        key += length > 0 ? length + 1 : 0;
        bool direct = strpbrk(key, ".[") == NULL;
        if (direct && !specgen_schema_table[i].optional &&
            cJSON_GetObjectItemCaseSensitive(object, key) == NULL) {
            return key;
        }
    }
    return NULL;
}

static bool doubled(const cJSON *object, const cJSON *child) {
    for (const cJSON *other = object->child; other != child; other = other->next) {
        if (strcmp(other->string, child->string) == 0) {
            return true;
        }
    }
    return false;
}

static tpu_status visit(walk *w, const cJSON *node);

// Goes one step down and restores both paths; false when a path has no room left.
static tpu_status descend(walk *w, const cJSON *child, const char *pattern, const char *place) {
    size_t pattern_end = strlen(w->pattern);
    size_t place_end = strlen(w->place);
    if (pattern_end + strlen(pattern) >= SPECGEN_PATH ||
        place_end + strlen(place) >= SPECGEN_PATH || w->depth >= DEPTH_MAX) {
        return refuse(w, "more nesting than any specification has", "flatten it");
    }
    memcpy(w->pattern + pattern_end, pattern, strlen(pattern) + 1);
    memcpy(w->place + place_end, place, strlen(place) + 1);
    w->depth++;
    tpu_status status = visit(w, child);
    w->depth--;
    w->pattern[pattern_end] = '\0';
    w->place[place_end] = '\0';
    return status;
}

static tpu_status visit_object(walk *w, const cJSON *node) {
    const char *missing = missing_key(w, node);
    if (missing != NULL) {
        return specgen_spec_refuse(w->spec, w->why, w->depth == 0 ? "(top)" : w->place,
                                   "the key '%s' is missing", missing);
    }
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, node) {
        char step[80];
        (void)snprintf(step, sizeof step, "%s%.70s", w->depth == 0 ? "" : ".", child->string);
        if (doubled(node, child)) {
            return specgen_spec_refuse(w->spec, w->why, w->depth == 0 ? "(top)" : w->place,
                                       "the key '%s' appears twice", child->string);
        }
        tpu_status status = descend(w, child, step, step);
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

static tpu_status visit_list(walk *w, const cJSON *node) {
    const cJSON *child = NULL;
    int index = 0;
    cJSON_ArrayForEach(child, node) {
        char step[24];
        (void)snprintf(step, sizeof step, "[%d]", index++);
        tpu_status status = descend(w, child, "[]", step);
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

static tpu_status visit(walk *w, const cJSON *node) {
    if (w->depth == 0) {
        return visit_object(w, node);
    }
    const specgen_schema_row *row = row_of(w->pattern);
    if (row == NULL) {
        return specgen_spec_refuse(w->spec, w->why, w->place, "this key is unknown");
    }
    if (row->kind == SCHEMA_OBJECT) {
        return cJSON_IsObject(node) ? visit_object(w, node)
                                    : refuse(w, kind_text(node), "an object belongs here");
    }
    if (row->kind == SCHEMA_LIST) {
        return cJSON_IsArray(node) ? visit_list(w, node)
                                   : refuse(w, kind_text(node), "a list belongs here");
    }
    return check_leaf(w, row, node);
}

tpu_status specgen_schema_check(const specgen_spec *spec, tpu_message *why) {
    walk w = {.spec = spec, .why = why};
    return visit(&w, spec->root);
}
