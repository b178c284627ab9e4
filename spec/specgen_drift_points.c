// SPDX-License-Identifier: Apache-2.0
//
// Parameter points: what the C code makes of an environment, and which points it refuses, against
// the expressions of the specification evaluated here.

#include "base/rng.h"
#include "spec/specgen_drift.h"

#include <stdio.h>
#include <string.h>

#define RANDOM_POINTS 400
#define SEED 0x901175u

// The environments tried: variable and value pairs. params_from_env takes a plain function, so
// each environment is one.
static const char *env_default(const char *name) {
    (void)name;
    return NULL;
}

static const char *env_t8(const char *name) {
    return strcmp(name, "TPU_T") == 0 ? "8" : NULL;
}

static const char *env_t16_small(const char *name) {
    return strcmp(name, "TPU_T") == 0 ? "16" : strcmp(name, "TPU_MAXDIM") == 0 ? "16" : NULL;
}

static const char *env_wide(const char *name) {
    return strcmp(name, "TPU_DMA_WIDEN") == 0 ? "1" : NULL;
}

static const char *env_wide_t8(const char *name) {
    return strcmp(name, "TPU_DMA_WIDEN") == 0 ? "1" : env_t8(name);
}

static const char *env_ceiling(const char *name) {
    return strcmp(name, "TPU_MAXDIM") == 0 ? "88" : NULL;
}

static const struct environment {
    params_getenv read;
    int64_t t;
    int64_t maxdim; /**< 0 = the default */
    bool widen;
} environments[] = {
    {env_default, 4, 0, false}, {env_t8, 8, 0, false},     {env_t16_small, 16, 16, false},
    {env_wide, 4, 0, true},     {env_wide_t8, 8, 0, true}, {env_ceiling, 4, 88, false},
};

static void to_list(const tpu_params *params, int64_t list[TPU_PARAM_COUNT]) {
    const int64_t values[TPU_PARAM_COUNT] = {params->t,   params->maxdim,   params->spad_rows,
                                             params->nvr, params->nar,      params->imem_size,
                                             params->qd,  params->dma_words};
    memcpy(list, values, sizeof values);
}

static tpu_status check_environment(const specgen_spec *spec, const struct environment *env,
                                    tpu_message *why) {
    tpu_params params;
    tpu_message inner = {{0}};
    int64_t code[TPU_PARAM_COUNT];
    if (params_from_env(env->read, &params, &inner) != TPU_OK) {
        return specgen_spec_refuse(spec, why, "parameters",
                                   "the C code refuses a default build: %s", inner.text);
    }
    to_list(&params, code);
    specgen_names names = {.spec = spec, .param = {env->t, env->maxdim}};
    names.param_count = env->maxdim == 0 ? 1 : 2;
    tpu_status status = specgen_names_default(&names, env->widen, why);
    for (int i = 0; status == TPU_OK && i < TPU_PARAM_COUNT; i++) {
        if (names.param[i] != code[i]) {
            char place[SPECGEN_PATH];
            (void)snprintf(place, sizeof place, "parameters[%d].default", i);
            return specgen_spec_refuse(
                spec, why, place, "gives %lld at T = %lld, but the C code takes %lld",
                (long long)names.param[i], (long long)env->t, (long long)code[i]);
        }
    }
    return status;
}

static tpu_status check_infos(const specgen_spec *spec, tpu_message *why) {
    const cJSON *item = NULL;
    int i = 0;
    if (specgen_spec_count(spec, "parameters") != TPU_PARAM_COUNT) {
        return specgen_spec_refuse(spec, why, "parameters", "lists %zu, but the C code knows %d",
                                   specgen_spec_count(spec, "parameters"), TPU_PARAM_COUNT);
    }
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "parameters")) {
        const tpu_param_info *info = &tpu_param_infos[i];
        int64_t max = cJSON_IsString(specgen_spec_list(item, "max"))
                          ? (int64_t)UINT32_MAX
                          : specgen_spec_int(item, "max");
        bool good = strcmp(specgen_spec_text(item, "name"), info->name) == 0 &&
                    strcmp(specgen_spec_text(item, "env"), info->env) == 0 &&
                    specgen_spec_int(item, "min") == info->min && max == info->max;
        if (!good) {
            char place[SPECGEN_PATH];
            (void)snprintf(place, sizeof place, "parameters[%d]", i);
            return specgen_spec_refuse(spec, why, place,
                                       "name, env, min or max differ from the C code's %s (%s, %u "
                                       "to %u)",
                                       info->name, info->env, (unsigned)info->min,
                                       (unsigned)info->max);
        }
        i++;
    }
    return TPU_OK;
}

// A point near the edges of what is legal: sometimes inside, sometimes just outside.
static tpu_params random_point(rng *source) {
    static const uint32_t sides[] = {2, 4, 5, 8, 12, 16, 32};
    uint32_t t = sides[rng_below(source, sizeof sides / sizeof sides[0])];
    tpu_params p = params_default(t, t * (1 + rng_below(source, 24)));
    switch (rng_below(source, 8)) {
    case 0:
        p.maxdim += rng_below(source, 3);
        break;
    case 1:
        p.spad_rows = 2040 + rng_below(source, 16);
        break;
    case 2:
        p.nvr = p.maxdim / p.t * p.maxdim - rng_below(source, 2);
        break;
    case 3:
        p.nar = 2 * p.maxdim + rng_below(source, 4);
        break;
    case 4:
        p.imem_size = rng_below(source, 64);
        break;
    case 5:
        p.qd = rng_below(source, 4);
        break;
    case 6:
        p.dma_words = rng_below(source, 3);
        break;
    default:
        break;
    }
    return p;
}

// Index of the first constraint that the point breaks, -1 for none, -2 for a range.
static int spec_verdict(const specgen_spec *spec, const tpu_params *params) {
    specgen_names names = specgen_drift_names(spec, params);
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "parameters")) {
        bool unbounded = cJSON_IsString(specgen_spec_list(item, "max")) != 0;
        if (names.param[index] < specgen_spec_int(item, "min") ||
            (!unbounded && names.param[index] > specgen_spec_int(item, "max"))) {
            return -2;
        }
        index++;
    }
    index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "constraints")) {
        int64_t holds = 0;
        const char *text = specgen_spec_text(item, "expression");
        if (specgen_names_eval(&names, text, &holds, NULL) != TPU_OK || holds == 0) {
            return index;
        }
        index++;
    }
    return -1;
}

static tpu_status check_point(const specgen_spec *spec, const tpu_params *p, tpu_message *why) {
    tpu_message inner = {{0}};
    int verdict = spec_verdict(spec, p);
    bool taken = params_check(p, &inner) == TPU_OK;
    if (taken == (verdict == -1)) {
        return TPU_OK;
    }
    char place[SPECGEN_PATH] = "constraints";
    if (verdict >= 0) {
        (void)snprintf(place, sizeof place, "constraints[%d]", verdict);
    }
    return specgen_spec_refuse(spec, why, place,
                               "at T=%u MAXDIM=%u SPAD=%u NVR=%u NAR=%u IMEM=%u QD=%u the "
                               "specification %s the point and the C code %s it %.160s",
                               (unsigned)p->t, (unsigned)p->maxdim, (unsigned)p->spad_rows,
                               (unsigned)p->nvr, (unsigned)p->nar, (unsigned)p->imem_size,
                               (unsigned)p->qd, verdict == -1 ? "takes" : "refuses",
                               taken ? "takes" : "refuses", inner.text);
}

tpu_status specgen_drift_points(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = check_infos(spec, why);
    for (size_t i = 0; status == TPU_OK && i < sizeof environments / sizeof environments[0]; i++) {
        status = check_environment(spec, &environments[i], why);
    }
    rng source;
    rng_seed(&source, SEED);
    for (int i = 0; status == TPU_OK && i < RANDOM_POINTS; i++) {
        tpu_params point = random_point(&source);
        status = check_point(spec, &point, why);
    }
    return status;
}
