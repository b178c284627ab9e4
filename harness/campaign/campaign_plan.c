// SPDX-License-Identifier: Apache-2.0
//
// Units are numbered so that neighbours are at different points: unit = chunk * points + point,
// chunk = seed * chunks of a seed + chunk within it.

#include "harness/campaign/campaign_plan.h"

#include "harness/io/textfile.h"
#include "spec/generated/tpu_isa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const init_names[] = {"zeros", "ones", "random"};

static uint64_t chunks_of_seed(const campaign_plan *self) {
    return (self->sequences + self->unit - 1) / self->unit;
}

static bool same_point(const tpu_params *left, const tpu_params *right) {
    return memcmp(left, right, sizeof *left) == 0;
}

static tpu_status refuse_units(tpu_message *why) {
    return status_fail(why, TPU_REFUSED,
                       "campaign: more than %" PRIu64
                       " units of work: take fewer seeds or sequences, or a larger --unit",
                       CAMPAIGN_UNITS_MAX);
}

tpu_status campaign_plan_check(const campaign_plan *self, tpu_message *why) {
    if (self->point_count == 0 || self->sequences == 0 || self->unit == 0) {
        return status_fail(why, TPU_REFUSED, "campaign: there is nothing to run");
    }
    if (self->first_seed > self->last_seed) {
        return status_fail(why, TPU_REFUSED,
                           "--seeds: %" PRIu64 "..%" PRIu64 " ends before it begins",
                           self->first_seed, self->last_seed);
    }
    for (size_t i = 0; i < self->point_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (same_point(&self->point[i], &self->point[j])) {
                return status_fail(why, TPU_REFUSED,
                                   "campaign: points %zu and %zu of the list are the same machine",
                                   j + 1, i + 1);
            }
        }
    }
    uint64_t seeds = self->last_seed - self->first_seed; // one less: it may be all of them
    if (self->sequences > CAMPAIGN_SEQUENCES_MAX || seeds >= CAMPAIGN_UNITS_MAX ||
        chunks_of_seed(self) > CAMPAIGN_UNITS_MAX ||
        (seeds + 1) * chunks_of_seed(self) * self->point_count > CAMPAIGN_UNITS_MAX) {
        return refuse_units(why);
    }
    return TPU_OK;
}

uint64_t campaign_plan_units(const campaign_plan *self) {
    return (self->last_seed - self->first_seed + 1) * chunks_of_seed(self) * self->point_count;
}

campaign_unit campaign_plan_unit(const campaign_plan *self, uint64_t id) {
    uint64_t chunk = id / self->point_count;
    uint64_t first = chunk % chunks_of_seed(self) * self->unit;
    uint64_t left = self->sequences - first;
    return (campaign_unit){.id = id,
                           .point = (size_t)(id % self->point_count),
                           .seed = self->first_seed + chunk / chunks_of_seed(self),
                           .first = first,
                           .count = left < self->unit ? (uint32_t)left : self->unit};
}

uint32_t campaign_plan_owner(const campaign_plan *self, uint64_t id, uint32_t processes) {
    return (uint32_t)((id / self->point_count + id % self->point_count) % processes);
}

// ---- as text -----------------------------------------------------------------------------------

const char *campaign_plan_key(campaign_key key) {
    static const char *const names[CAMPAIGN_KEY_COUNT] = {
        "schema", "spec",   "engine", "points", "seeds",   "sequences",
        "unit",   "cycles", "calm",   "init",   "watchdog"};
    return names[key];
}

void campaign_plan_point_text(const tpu_params *point, char *text, size_t size) {
    const uint32_t value[TPU_PARAM_COUNT] = {point->t,   point->maxdim,   point->spad_rows,
                                             point->nvr, point->nar,      point->imem_size,
                                             point->qd,  point->dma_words};
    size_t used = 0;
    for (size_t i = 0; i < TPU_PARAM_COUNT && used < size; i++) {
        int more = snprintf(text + used, size - used, "%s%s=%" PRIu32, i == 0 ? "" : " ",
                            tpu_param_infos[i].env, value[i]);
        used += more > 0 ? (size_t)more : 0;
    }
}

static void put_points(const campaign_plan *self, char *text) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < self->point_count; i++) {
        char one[256];
        campaign_plan_point_text(&self->point[i], one, sizeof one);
        int more = snprintf(text + used, CAMPAIGN_TEXT_MAX - used, "%s%s", i == 0 ? "" : "; ", one);
        used += more > 0 ? (size_t)more : 0;
        TPU_CHECK(used < CAMPAIGN_TEXT_MAX, "the text of all points has room");
    }
}

void campaign_plan_text(const campaign_plan *self, campaign_key key, char *text) {
    const size_t size = CAMPAIGN_TEXT_MAX;
    switch (key) {
    case CAMPAIGN_KEY_SCHEMA:
        (void)snprintf(text, size, "%d", CAMPAIGN_SCHEMA);
        break;
    case CAMPAIGN_KEY_SPEC:
        (void)snprintf(text, size, "%016" PRIx64, (uint64_t)TPU_SPEC_HASH);
        break;
    case CAMPAIGN_KEY_ENGINE:
        (void)snprintf(text, size, "%s", self->engine);
        break;
    case CAMPAIGN_KEY_POINTS:
        put_points(self, text);
        break;
    case CAMPAIGN_KEY_SEEDS:
        (void)snprintf(text, size, "%" PRIu64 "..%" PRIu64, self->first_seed, self->last_seed);
        break;
    case CAMPAIGN_KEY_SEQUENCES:
        (void)snprintf(text, size, "%" PRIu64, self->sequences);
        break;
    case CAMPAIGN_KEY_UNIT:
        (void)snprintf(text, size, "%" PRIu32, self->unit);
        break;
    case CAMPAIGN_KEY_CYCLES:
        (void)snprintf(text, size, "%" PRIu32, self->cycles);
        break;
    case CAMPAIGN_KEY_CALM:
        (void)snprintf(text, size, "%s", self->calm ? "yes" : "no");
        break;
    case CAMPAIGN_KEY_INIT:
        (void)snprintf(text, size, "%s", self->keep_init ? init_names[self->init] : "drawn");
        break;
    case CAMPAIGN_KEY_WATCHDOG:
    case CAMPAIGN_KEY_COUNT:
        (void)snprintf(text, size, "%" PRIu32, self->watchdog);
        break;
    }
}

// ---- from text ---------------------------------------------------------------------------------

static bool parse_u64(const char *text, const char *end, uint64_t *out) {
    char *stop = NULL;
    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *out = strtoull(text, &stop, 10);
    return errno == 0 && stop == end;
}

static tpu_status take_seeds(campaign_plan *self, const char *text, tpu_message *why) {
    const char *dots = strstr(text, "..");
    uint64_t first = 0;
    uint64_t last = 0;
    const char *end = text + strlen(text);
    bool good = dots != NULL ? parse_u64(text, dots, &first) && parse_u64(dots + 2, end, &last)
                             : parse_u64(text, end, &first);
    if (!good) {
        return status_fail(why, TPU_REFUSED, "--seeds: \"%.60s\" is not a range like 1..8", text);
    }
    self->first_seed = first;
    self->last_seed = dots != NULL ? last : first;
    return TPU_OK;
}

static tpu_status take_point(campaign_plan *self, const char *text, tpu_message *why) {
    if (self->point_count == CAMPAIGN_POINTS_MAX) {
        return status_fail(why, TPU_REFUSED, "more than %u points", CAMPAIGN_POINTS_MAX);
    }
    tpu_status status = params_from_text(text, &self->point[self->point_count], why);
    self->point_count += status == TPU_OK;
    return status;
}

static tpu_status take_points(campaign_plan *self, const char *text, tpu_message *why) {
    tpu_status status = TPU_OK;
    self->point_count = 0;
    while (status == TPU_OK && *text != '\0') {
        char one[512];
        size_t length = strcspn(text, ";");
        (void)snprintf(one, sizeof one, "%.*s", (int)length, text);
        status = take_point(self, one, why);
        text += length + (text[length] == ';');
    }
    return status;
}

static tpu_status take_number(campaign_key key, const char *text, uint64_t limit, uint64_t *out,
                              tpu_message *why) {
    if (!parse_u64(text, text + strlen(text), out) || *out > limit) {
        return status_fail(why, TPU_REFUSED, "\"%s\": \"%.60s\" is no number of at most %" PRIu64,
                           campaign_plan_key(key), text, limit);
    }
    return TPU_OK;
}

static tpu_status take_u32(campaign_key key, const char *text, uint32_t limit, uint32_t *out,
                           tpu_message *why) {
    uint64_t value = 0;
    tpu_status status = take_number(key, text, limit, &value, why);
    if (status == TPU_OK) {
        *out = (uint32_t)value;
    }
    return status;
}

static tpu_status take_init(campaign_plan *self, const char *text, tpu_message *why) {
    self->keep_init = strcmp(text, "drawn") != 0;
    for (size_t i = 0; i < sizeof init_names / sizeof init_names[0]; i++) {
        if (strcmp(text, init_names[i]) == 0) {
            self->init = (engine_init)i;
            return TPU_OK;
        }
    }
    return self->keep_init ? status_fail(why, TPU_REFUSED, "\"init\": \"%.60s\" is unknown", text)
                           : TPU_OK;
}

// Schema and hash are the program's own: another value is another campaign.
static tpu_status compare(const campaign_plan *self, campaign_key key, const char *text,
                          tpu_message *why) {
    char *own = malloc(CAMPAIGN_TEXT_MAX);
    if (own == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    }
    campaign_plan_text(self, key, own);
    tpu_status status =
        strcmp(own, text) == 0
            ? TPU_OK
            : status_fail(why, TPU_REFUSED, "\"%s\" is %.60s there and %.60s in this program",
                          campaign_plan_key(key), text, own);
    free(own);
    return status;
}

tpu_status campaign_plan_take(campaign_plan *self, campaign_key key, const char *text,
                              tpu_message *why) {
    switch (key) {
    case CAMPAIGN_KEY_ENGINE:
        (void)snprintf(self->engine, sizeof self->engine, "%s", text);
        return TPU_OK;
    case CAMPAIGN_KEY_POINTS:
        return take_points(self, text, why);
    case CAMPAIGN_KEY_SEEDS:
        return take_seeds(self, text, why);
    case CAMPAIGN_KEY_SEQUENCES:
        return take_number(key, text, CAMPAIGN_SEQUENCES_MAX, &self->sequences, why);
    case CAMPAIGN_KEY_UNIT:
        return take_u32(key, text, CAMPAIGN_UNIT_MAX, &self->unit, why);
    case CAMPAIGN_KEY_CYCLES:
        return take_u32(key, text, UINT32_MAX, &self->cycles, why);
    case CAMPAIGN_KEY_CALM:
        self->calm = strcmp(text, "yes") == 0;
        return TPU_OK;
    case CAMPAIGN_KEY_INIT:
        return take_init(self, text, why);
    case CAMPAIGN_KEY_WATCHDOG:
        return take_u32(key, text, UINT32_MAX, &self->watchdog, why);
    default:
        return compare(self, key, text, why);
    }
}

// ---- the list of points ------------------------------------------------------------------------

// One line, cut in place at its comment. @return TPU_OK also for a line that says nothing.
static tpu_status take_line(campaign_plan *self, char *line, tpu_message *why) {
    line[strcspn(line, "#")] = '\0';
    return line[strspn(line, " \t\r")] == '\0' ? TPU_OK : take_point(self, line, why);
}

tpu_status campaign_plan_read_points(const char *path, campaign_plan *out, tpu_message *why) {
    char *text = NULL;
    tpu_message inner;
    unsigned number = 1;
    campaign_plan *made = calloc(1, sizeof *made);
    tpu_status status = made != NULL ? textfile_read(path, &text, NULL, why)
                                     : status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    for (char *line = text; status == TPU_OK && line != NULL; number++) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        status = take_line(made, line, &inner);
        if (status != TPU_OK) {
            (void)status_fail(why, status, "%s:%u: %.400s", path, number, inner.text);
        }
        line = end != NULL ? end + 1 : NULL;
    }
    if (status == TPU_OK && made->point_count == 0) {
        status = status_fail(why, TPU_REFUSED, "%s: names no parameter point", path);
    }
    if (status == TPU_OK) {
        memcpy(out->point, made->point, sizeof made->point);
        out->point_count = made->point_count;
    }
    free(text);
    free(made);
    return status;
}
