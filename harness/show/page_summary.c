// SPDX-License-Identifier: Apache-2.0
//
// What a summary is, is told by its keys. Lists must hold objects and the keys that the page
// computes with must have their type, wherever they are there; the rest is shown as it stands.

#include "harness/show/page_summary.h"

#include "harness/io/textfile.h"
#include "harness/show/page.h"
#include "harness/show/page_growth.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How a value must be: a number also as a string of digits, since 64 bits travel so.
typedef enum form { FORM_NUMBER, FORM_TEXT, FORM_FLAG, FORM_LIST, FORM_OBJECT } form;

typedef struct rule {
    const char *kind;
    const char *list; // key of the list whose items are meant; "" = the summary itself
    const char *key;
    form form;
} rule;

static const rule rules[] = {
    {"cosim", "", "run", FORM_NUMBER},
    {"cosim", "rows", "program", FORM_TEXT},
    {"cosim", "rows", "cycles", FORM_NUMBER},
    {"cosim", "rows", "ideal", FORM_NUMBER},
    {"cosim", "rows", "verdict", FORM_TEXT},
    {"cosim", "rows", "skipped", FORM_FLAG},
    {"bench", "rows", "target", FORM_NUMBER},
    {"bench", "rows", "best", FORM_LIST},
    {"bench", "rows", "shipped", FORM_LIST},
    {"bench", "rows", "exact", FORM_FLAG},
    {"bench", "figures", "name", FORM_TEXT},
    {"fuzz", "", "findings", FORM_NUMBER},
    {"fuzz", "buckets", "signature", FORM_TEXT},
    {"fuzz", "buckets", "count", FORM_NUMBER},
    {"fuzz", "growth", "bins", FORM_NUMBER},
    {"campaign", "", "findings", FORM_NUMBER},
    {"campaign", "", "complete", FORM_FLAG},
    {"campaign", "points", "parameters", FORM_TEXT},
    {"campaign", "growth", "bins", FORM_NUMBER},
    {"campaign", "buckets", "signature", FORM_TEXT},
    {"illegal", "rules", "rule", FORM_TEXT},
    {"illegal", "", "finding_count", FORM_NUMBER},
    {"equal", "", "finding_count", FORM_NUMBER},
    {"mutants", "", "totals", FORM_OBJECT},
    {"mutants", "mutants", "name", FORM_TEXT},
    {"mutants", "mutants", "outcome", FORM_TEXT},
    {"mutants", "mutants", "detect_seconds", FORM_NUMBER},
    {"mutants", "mutants", "well", FORM_FLAG},
    {"timeline", "", "verdict", FORM_TEXT},
    {"timeline", "", "total", FORM_NUMBER},
    {"timeline", "", "units", FORM_OBJECT},
};

#define RULE_COUNT (sizeof rules / sizeof rules[0])

static bool has(const cJSON *json, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(json, key) != NULL;
}

static bool has_list(const cJSON *json, const char *key) {
    return cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(json, key));
}

static const char *kind_of(const cJSON *json) {
    if (has_list(json, "rules") && has(json, "finding_count")) {
        return "illegal";
    }
    if (has_list(json, "findings") && has(json, "finding_count")) {
        return "equal";
    }
    if (has_list(json, "mutants")) {
        return "mutants";
    }
    if (has_list(json, "points") && has(json, "first_seed")) {
        return "campaign";
    }
    if (has_list(json, "buckets") && has(json, "programs")) {
        return "fuzz";
    }
    if (has_list(json, "rows") && has_list(json, "figures")) {
        return "bench";
    }
    if (has_list(json, "rows") && has(json, "exact")) {
        return "cosim";
    }
    return has(json, "units") && has(json, "steps") && has(json, "total") ? "timeline" : NULL;
}

const char *page_summary_kind(const char *text) {
    if (page_growth_is(text)) {
        return "growth";
    }
    cJSON *json = cJSON_Parse(text);
    const char *kind = kind_of(json);
    cJSON_Delete(json);
    return kind;
}

static bool is_digits(const char *text) {
    return *text != '\0' && strspn(text, "0123456789.") == strlen(text);
}

static bool fits(const cJSON *item, form wanted) {
    switch (wanted) {
    case FORM_NUMBER:
        return cJSON_IsNumber(item) || (cJSON_IsString(item) && is_digits(item->valuestring));
    case FORM_TEXT:
        return cJSON_IsString(item);
    case FORM_FLAG:
        return cJSON_IsBool(item);
    case FORM_LIST:
        return cJSON_IsArray(item);
    default:
        return cJSON_IsObject(item);
    }
}

static const char *form_name(form wanted) {
    static const char *const names[] = {"a number", "a text", "true or false", "a list",
                                        "an object"};
    return names[wanted];
}

static tpu_status check_item(const rule *of, const cJSON *holder, const char *name,
                             const char *place, tpu_message *why) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(holder, of->key);
    if (item == NULL || fits(item, of->form)) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED, "%s: %s%s%s must be %s", name, place,
                       place[0] != '\0' ? "." : "", of->key, form_name(of->form));
}

static tpu_status check_list(const rule *of, const cJSON *json, const char *name,
                             tpu_message *why) {
    char place[96];
    int index = 0;
    const cJSON *item = NULL;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, of->list);
    if (list != NULL && !cJSON_IsArray(list)) {
        return status_fail(why, TPU_REFUSED, "%s: %s must be a list", name, of->list);
    }
    cJSON_ArrayForEach(item, list) {
        (void)snprintf(place, sizeof place, "%s[%d]", of->list, index++);
        if (!cJSON_IsObject(item)) {
            return status_fail(why, TPU_REFUSED, "%s: %s must be an object", name, place);
        }
        tpu_status status = check_item(of, item, name, place, why);
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

static tpu_status check(const char *kind, const cJSON *json, const char *name, tpu_message *why) {
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < RULE_COUNT && status == TPU_OK; i++) {
        if (strcmp(rules[i].kind, kind) == 0) {
            status = rules[i].list[0] == '\0' ? check_item(&rules[i], json, name, "", why)
                                              : check_list(&rules[i], json, name, why);
        }
    }
    return status;
}

static tpu_status read_json(const page_summary_part *part, const char **kind, cJSON **out,
                            tpu_message *why) {
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithOpts(part->text, &end, true);
    if (json == NULL) {
        return status_fail(why, TPU_REFUSED, "%s: no JSON from character %ld on", part->name,
                           end != NULL ? (long)(end - part->text) + 1 : 1L);
    }
    *kind = kind_of(json);
    tpu_status status = TPU_OK;
    if (*kind == NULL) {
        status = status_fail(why, TPU_REFUSED,
                             "%s: not what cosim, bench, fuzz, campaign, mutants or timeline say "
                             "with --json",
                             part->name);
    } else {
        status = check(*kind, json, part->name, why);
    }
    if (status != TPU_OK) {
        cJSON_Delete(json);
        return status;
    }
    *out = json;
    return TPU_OK;
}

static tpu_status add_part(cJSON *list, const page_summary_part *part, tpu_message *why) {
    const char *kind = "growth";
    cJSON *json = NULL;
    tpu_status status = page_growth_is(part->text)
                            ? page_growth_read(part->text, part->name, &json, why)
                            : read_json(part, &kind, &json, why);
    if (status != TPU_OK) {
        return status;
    }
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(out, "kind", kind);
    (void)cJSON_AddStringToObject(out, "file", part->name);
    (void)cJSON_AddItemToObject(out, "json", json);
    (void)cJSON_AddItemToArray(list, out);
    return TPU_OK;
}

tpu_status page_summary_json(const page_summary_part *parts, size_t count, const char *title,
                             char **out, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(root, "format", "tpucosim page");
    (void)cJSON_AddNumberToObject(root, "version", 1);
    (void)cJSON_AddStringToObject(root, "kind", "summary");
    (void)cJSON_AddStringToObject(root, "title", title);
    cJSON *list = cJSON_AddArrayToObject(root, "parts");
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < count && status == TPU_OK; i++) {
        status = add_part(list, &parts[i], why);
    }
    if (status == TPU_OK) {
        *out = cJSON_PrintUnformatted(root);
        status = *out != NULL ? TPU_OK : status_fail(why, TPU_ERR_MEMORY, "page: out of memory");
    }
    cJSON_Delete(root);
    return status;
}

tpu_status page_summary_write(const page_summary_part *parts, size_t count, const char *title,
                              const char *path, tpu_message *why) {
    char *data = NULL;
    char *html = NULL;
    size_t bytes = 0;
    tpu_status status = page_summary_json(parts, count, title, &data, why);
    if (status == TPU_OK) {
        status = page_build(data, title, &html, &bytes, why);
    }
    if (status == TPU_OK) {
        status = textfile_write(path, html, bytes, why);
    }
    free(data);
    free(html);
    return status;
}
