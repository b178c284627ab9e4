// SPDX-License-Identifier: Apache-2.0
//
// Reading is strict: a key that is not known is refused, since a misspelt one would silently waive
// more than was meant.

#define _POSIX_C_SOURCE 200809L // gmtime_r

#include "harness/campaign/waiver.h"

#include "harness/io/textfile.h"
#include "harness/lockstep/verdict.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FORMAT "tinytpu-waivers"
// Whole numbers beyond this are not exact in JSON.
#define LIMIT_MAX 9007199254740992.0

// Where a reader is, for its sentences.
typedef struct reader {
    const char *path;
    size_t number; // of the waiver, from 0
    tpu_message *why;
} reader;

static tpu_status refuse(const reader *at, const char *key, const char *allowed) {
    return status_fail(at->why, TPU_REFUSED, "%s: waivers[%zu].%s must be %s", at->path, at->number,
                       key, allowed);
}

// ---- dates -------------------------------------------------------------------------------------

static int two_digits(const char *text) {
    return (text[0] - '0') * 10 + (text[1] - '0');
}

static int days_in(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

bool waiver_date_valid(const char *text) {
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof form; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == 'd' ? !digit : text[i] != form[i]) {
            return false;
        }
    }
    int year = two_digits(text) * 100 + two_digits(text + 2);
    int month = two_digits(text + 5);
    int day = two_digits(text + 8);
    return month >= 1 && month <= 12 && day >= 1 && day <= days_in(year, month);
}

void waiver_date_today(char *text) {
    struct tm parts;
    time_t now = time(NULL);
    memset(&parts, 0, sizeof parts);
    (void)gmtime_r(&now, &parts);
    (void)strftime(text, WAIVER_DATE_SIZE, "%Y-%m-%d", &parts);
}

// ---- reading -----------------------------------------------------------------------------------

static waiver *find(const waiver_list *self, const char *signature) {
    for (size_t i = 0; i < self->count; i++) {
        if (strcmp(self->item[i].signature, signature) == 0) {
            return &self->item[i];
        }
    }
    return NULL;
}

static tpu_status read_text(const reader *at, const cJSON *from, const char *key, char *out,
                            size_t size) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0' ||
        strlen(item->valuestring) >= size) {
        return refuse(at, key, "a short text that is not empty");
    }
    (void)snprintf(out, size, "%s", item->valuestring);
    return TPU_OK;
}

// The text must be what the verdict would write: another spelling would never match.
static tpu_status read_signature(const reader *at, const cJSON *from, waiver *out) {
    verdict_signature parsed;
    char again[WAIVER_SIGNATURE_MAX];
    tpu_message inner;
    tpu_status status = read_text(at, from, "signature", out->signature, sizeof out->signature);
    if (status != TPU_OK) {
        return status;
    }
    if (verdict_signature_parse(out->signature, &parsed, &inner) != TPU_OK) {
        return status_fail(at->why, TPU_REFUSED, "%s: waivers[%zu].signature: %.300s", at->path,
                           at->number, inner.text);
    }
    verdict_signature_format(&parsed, again, sizeof again);
    if (strcmp(again, out->signature) != 0) {
        return status_fail(at->why, TPU_REFUSED, "%s: waivers[%zu].signature is written \"%s\"",
                           at->path, at->number, again);
    }
    return TPU_OK;
}

static tpu_status read_limit(const reader *at, const cJSON *from, waiver *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, "max_count");
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1) || item->valuedouble > LIMIT_MAX ||
        item->valuedouble != (double)(uint64_t)item->valuedouble) {
        return refuse(at, "max_count", "a whole number above 0");
    }
    out->limit = (uint64_t)item->valuedouble;
    return TPU_OK;
}

static tpu_status read_expiry(const reader *at, const cJSON *from, waiver *out) {
    char text[WAIVER_TEXT_MAX];
    tpu_status status = read_text(at, from, "expires", text, sizeof text);
    if (status != TPU_OK || !waiver_date_valid(text)) {
        return refuse(at, "expires", "a day that exists, as YYYY-MM-DD");
    }
    memcpy(out->expires, text, WAIVER_DATE_SIZE);
    return TPU_OK;
}

// Every key is known and there once.
static tpu_status check_keys(const reader *at, const cJSON *from) {
    static const char *const known[] = {"signature", "reason", "owner", "max_count", "expires"};
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, from) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            found = found || strcmp(item->string, known[i]) == 0;
        }
        if (!found || cJSON_GetObjectItemCaseSensitive(from, item->string) != item) {
            return status_fail(at->why, TPU_REFUSED, "%s: waivers[%zu]: the key \"%.60s\" is %s",
                               at->path, at->number, item->string,
                               found ? "there twice" : "not known");
        }
    }
    return TPU_OK;
}

static tpu_status read_one(const reader *at, const cJSON *from, waiver *out) {
    if (!cJSON_IsObject(from)) {
        return status_fail(at->why, TPU_REFUSED, "%s: waivers[%zu] must be an object", at->path,
                           at->number);
    }
    tpu_status status = check_keys(at, from);
    if (status == TPU_OK) {
        status = read_signature(at, from, out);
    }
    if (status == TPU_OK) {
        status = read_text(at, from, "reason", out->reason, sizeof out->reason);
    }
    if (status == TPU_OK) {
        status = read_text(at, from, "owner", out->owner, sizeof out->owner);
    }
    if (status == TPU_OK) {
        status = read_limit(at, from, out);
    }
    return status == TPU_OK ? read_expiry(at, from, out) : status;
}

static tpu_status read_items(const char *path, const cJSON *items, waiver_list *out,
                             tpu_message *why) {
    reader at = {.path = path, .why = why};
    const cJSON *item = NULL;
    out->item = calloc((size_t)cJSON_GetArraySize(items) + 1, sizeof *out->item);
    if (out->item == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    cJSON_ArrayForEach(item, items) {
        at.number = out->count;
        waiver *to = &out->item[out->count];
        tpu_status status = read_one(&at, item, to);
        if (status != TPU_OK) {
            return status;
        }
        if (find(out, to->signature) != NULL) {
            return status_fail(why, TPU_REFUSED,
                               "%s: waivers[%zu].signature contradicts another waiver of \"%s\"",
                               path, at.number, to->signature);
        }
        out->count++;
    }
    return TPU_OK;
}

static tpu_status read_root(const char *path, const cJSON *root, waiver_list *out,
                            tpu_message *why) {
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format");
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(root, "waivers");
    if (!cJSON_IsString(format) || strcmp(format->valuestring, FORMAT) != 0) {
        return status_fail(why, TPU_REFUSED, "%s: \"format\" must be \"" FORMAT "\"", path);
    }
    if (!cJSON_IsNumber(version) || version->valuedouble != WAIVER_VERSION) {
        return status_fail(why, TPU_REFUSED, "%s: \"version\" must be %d", path, WAIVER_VERSION);
    }
    if (!cJSON_IsArray(items)) {
        return status_fail(why, TPU_REFUSED, "%s: \"waivers\" must be an array", path);
    }
    return read_items(path, items, out, why);
}

tpu_status waiver_read(const char *path, waiver_list *out, tpu_message *why) {
    waiver_list made = {.item = NULL};
    char *text = NULL;
    size_t bytes = 0;
    tpu_status status = textfile_read(path, &text, &bytes, why);
    if (status != TPU_OK) {
        return status;
    }
    // A NUL inside would hide what is behind it.
    cJSON *root = strlen(text) == bytes ? cJSON_ParseWithOpts(text, NULL, 1) : NULL;
    status = root != NULL ? read_root(path, root, &made, why)
                          : status_fail(why, TPU_REFUSED, "%s: is no JSON, or cut short", path);
    cJSON_Delete(root);
    free(text);
    if (status != TPU_OK) {
        waiver_clear(&made);
        return status;
    }
    *out = made;
    return TPU_OK;
}

void waiver_clear(waiver_list *self) {
    free(self->item);
    *self = (waiver_list){.item = NULL};
}

// ---- judging -----------------------------------------------------------------------------------

bool waiver_note(waiver_list *self, const char *signature, uint64_t findings) {
    waiver *found = find(self, signature);
    if (found != NULL) {
        found->seen += findings;
    }
    return found != NULL;
}

waiver_state waiver_judge(const waiver *self, const char *today, bool complete,
                          tpu_message *sentence) {
    if (strcmp(today, self->expires) > 0) {
        (void)status_fail(sentence, TPU_OK,
                          "the waiver of %s expired on %s: mend the cause, or ask %.100s",
                          self->signature, self->expires, self->owner);
        return WAIVER_EXPIRED;
    }
    if (self->seen > self->limit) {
        (void)status_fail(sentence, TPU_OK,
                          "the waiver of %s covers %" PRIu64 " finding(s), and there are %" PRIu64,
                          self->signature, self->limit, self->seen);
        return WAIVER_EXCEEDED;
    }
    if (self->seen == 0 && complete) {
        (void)status_fail(sentence, TPU_OK,
                          "the waiver of %s was not used: remove it, or ask %.100s",
                          self->signature, self->owner);
        return WAIVER_UNUSED;
    }
    (void)status_fail(
        sentence, TPU_OK, "known: %s, %" PRIu64 " of at most %" PRIu64 " until %s: %.150s (%.60s)",
        self->signature, self->seen, self->limit, self->expires, self->reason, self->owner);
    return WAIVER_HOLDS;
}

size_t waiver_faults(const waiver_list *self, const char *today, bool complete) {
    size_t faults = 0;
    for (size_t i = 0; i < self->count; i++) {
        faults += waiver_judge(&self->item[i], today, complete, NULL) != WAIVER_HOLDS;
    }
    return faults;
}

const char *waiver_state_name(waiver_state state) {
    static const char *const names[WAIVER_STATE_COUNT] = {"holds", "expired", "exceeded", "unused"};
    return (unsigned)state < WAIVER_STATE_COUNT ? names[state] : NULL;
}
