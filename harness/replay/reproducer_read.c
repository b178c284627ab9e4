// SPDX-License-Identifier: Apache-2.0
//
// Reading a reproducer: format and version first, then the checksum, then every member against
// what it may be, last whether the parts contradict each other.

#include "csim/isa/assembly.h"
#include "csim/isa/image.h"
#include "harness/io/base64.h"
#include "harness/io/textfile.h"
#include "harness/replay/reproducer_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where a reader is, for its sentences.
typedef struct reader {
    const char *path;
    tpu_message *why;
} reader;

static tpu_status refuse(const reader *at, const char *key, const char *allowed) {
    return status_fail(at->why, TPU_REFUSED, "%s: \"%s\" must be %s", at->path, key, allowed);
}

static tpu_status read_u32(const reader *at, const cJSON *from, const char *key, uint32_t least,
                           uint32_t *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= least) ||
        item->valuedouble > (double)UINT32_MAX ||
        item->valuedouble != (double)(uint32_t)item->valuedouble) {
        return refuse(at, key, least == 0 ? "a whole number" : "a whole number above 0");
    }
    *out = (uint32_t)item->valuedouble;
    return TPU_OK;
}

static bool parse_u64(const char *text, int base, uint64_t *out) {
    char *end = NULL;
    if (text[0] == '\0' || strchr("+- \t\n", text[0]) != NULL) {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, base);
    *out = value;
    return errno == 0 && *end == '\0';
}

static tpu_status read_u64(const reader *at, const cJSON *from, const char *key, int base,
                           uint64_t *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (!cJSON_IsString(item) || !parse_u64(item->valuestring, base, out)) {
        return refuse(at, key, "a 64-bit integer as a string");
    }
    return TPU_OK;
}

static tpu_status read_text(const reader *at, const cJSON *from, const char *key, char *out,
                            size_t size) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (!cJSON_IsString(item) || strlen(item->valuestring) >= size) {
        return refuse(at, key, "a short string");
    }
    (void)snprintf(out, size, "%s", item->valuestring);
    return TPU_OK;
}

static tpu_status read_bool(const reader *at, const cJSON *from, const char *key, bool *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (!cJSON_IsBool(item)) {
        return refuse(at, key, "true or false");
    }
    *out = cJSON_IsTrue(item);
    return TPU_OK;
}

static tpu_status read_parameters(const reader *at, const cJSON *root, tpu_params *out) {
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(root, "parameters");
    uint32_t *values[TPU_PARAM_COUNT];
    tpu_message inner;
    reproducer_params(out, values);
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        tpu_status status = read_u32(at, from, tpu_param_infos[i].name, 1, values[i]);
        if (status != TPU_OK) {
            return status;
        }
    }
    if (params_check(out, &inner) != TPU_OK) {
        return status_fail(at->why, TPU_REFUSED, "%s: contradicts itself: %.300s", at->path,
                           inner.text);
    }
    return TPU_OK;
}

static tpu_status read_init(const reader *at, const cJSON *root, engine_init *out) {
    char name[16];
    tpu_status status = read_text(at, root, "init", name, sizeof name);
    if (status != TPU_OK) {
        return status;
    }
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(name, reproducer_init_names[i]) == 0) {
            *out = (engine_init)i;
            return TPU_OK;
        }
    }
    return refuse(at, "init", "zeros, ones or random");
}

// A file from before there were modes has none: its stalls are random.
static tpu_status read_stall_mode(const reader *at, const cJSON *timing, engine_stall *out) {
    char name[16];
    *out = ENGINE_STALL_RANDOM;
    if (!cJSON_HasObjectItem(timing, "stall_mode")) {
        return TPU_OK;
    }
    tpu_status status = read_text(at, timing, "stall_mode", name, sizeof name);
    for (int mode = 0; status == TPU_OK && mode < ENGINE_STALL_COUNT; mode++) {
        if (strcmp(name, reproducer_stall_name((engine_stall)mode)) == 0) {
            *out = (engine_stall)mode;
            return TPU_OK;
        }
    }
    return status == TPU_OK ? refuse(at, "stall_mode", "a name such as random, edge or burst")
                            : status;
}

static tpu_status read_timing(const reader *at, const cJSON *run, engine_timing *out) {
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(run, "timing");
    tpu_status status = read_u32(at, from, "read_latency", 1, &out->read_latency);
    if (status == TPU_OK) {
        status = read_u32(at, from, "write_latency", 1, &out->write_latency);
    }
    if (status == TPU_OK) {
        status = read_u32(at, from, "stall_permille", 0, &out->stall_permille);
    }
    if (status == TPU_OK) {
        status = read_stall_mode(at, from, &out->stall_mode);
    }
    return status == TPU_OK ? read_u64(at, from, "stall_seed", 10, &out->stall_seed) : status;
}

static tpu_status read_gemm(const reader *at, const cJSON *run, const tpu_params *params,
                            lockstep_gemm *out) {
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(run, "gemm");
    if (cJSON_IsNull(from)) {
        return TPU_OK;
    }
    tpu_status status = read_u32(at, from, "m", 1, &out->m);
    if (status == TPU_OK) {
        status = read_u32(at, from, "k", 1, &out->k);
    }
    if (status == TPU_OK) {
        status = read_u32(at, from, "n", 1, &out->n);
    }
    if (status == TPU_OK) {
        status = read_bool(at, from, "relu", &out->relu);
    }
    if (status == TPU_OK &&
        (out->m > params->maxdim || out->k > params->maxdim || out->n > params->maxdim)) {
        status = refuse(at, "gemm", "within MAXDIM");
    }
    return status;
}

static tpu_status read_matrix(const reader *at, const cJSON *run, const char *key, size_t bytes,
                              uint8_t **out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(run, key);
    *out = malloc(bytes);
    if (*out == NULL) {
        return status_fail(at->why, TPU_ERR_MEMORY, "%s: out of memory", at->path);
    }
    if (!cJSON_IsString(item) || !base64_decode(item->valuestring, *out, bytes)) {
        return refuse(at, key, "MAXDIM*MAXDIM bytes in base64");
    }
    return TPU_OK;
}

static tpu_status read_words(const reader *at, const cJSON *run, uint32_t limit,
                             reproducer_run *out) {
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(run, "words");
    int count = cJSON_IsArray(from) ? cJSON_GetArraySize(from) : 0;
    if (count <= 0 || (uint32_t)count > limit) {
        return refuse(at, "words", "an array that fits instruction memory");
    }
    out->words = calloc((size_t)count, sizeof *out->words);
    if (out->words == NULL) {
        return status_fail(at->why, TPU_ERR_MEMORY, "%s: out of memory", at->path);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, from) {
        if (!cJSON_IsString(item) ||
            !parse_u64(item->valuestring, 16, &out->words[out->word_count])) {
            return refuse(at, "words", "an array of hexadecimal strings");
        }
        out->word_count++;
    }
    return TPU_OK;
}

// The words must be what the text assembles to.
static tpu_status compare_text(const reader *at, const tpu_params *params, reproducer_run *run) {
    image built = {.words = NULL};
    tpu_message inner;
    tpu_status status = image_build(params, &run->program, run->checked, &built, &inner);
    if (status != TPU_OK) {
        return status_fail(at->why, TPU_REFUSED, "%s: contradicts itself: %.300s", at->path,
                           inner.text);
    }
    bool same = built.count == run->word_count &&
                memcmp(built.words, run->words, built.count * sizeof *built.words) == 0;
    image_clear(&built);
    if (!same) {
        return status_fail(at->why, TPU_REFUSED,
                           "%s: contradicts itself: \"words\" are not what \"program\" says",
                           at->path);
    }
    return TPU_OK;
}

static tpu_status read_program(const reader *at, const cJSON *run, const tpu_params *params,
                               reproducer_run *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(run, "program");
    if (cJSON_IsNull(item)) {
        return TPU_OK;
    }
    if (!cJSON_IsString(item)) {
        return refuse(at, "program", "assembly text or null");
    }
    tpu_status status = assembly_parse(item->valuestring, at->path, &out->program, at->why);
    return status == TPU_OK ? compare_text(at, params, out) : status;
}

static tpu_status read_run(const reader *at, const cJSON *run, const tpu_params *params,
                           reproducer_run *out) {
    size_t region = params_region_bytes(params);
    tpu_status status = read_text(at, run, "name", out->name, sizeof out->name);
    if (status == TPU_OK) {
        status = read_bool(at, run, "checked", &out->checked);
    }
    if (status == TPU_OK) {
        status = read_timing(at, run, &out->timing);
    }
    if (status == TPU_OK) {
        status = read_gemm(at, run, params, &out->gemm);
    }
    if (status == TPU_OK) {
        status = read_words(at, run, params->imem_size, out);
    }
    if (status == TPU_OK) {
        status = read_program(at, run, params, out);
    }
    if (status == TPU_OK) {
        status = read_matrix(at, run, "a", region, &out->a);
    }
    if (status == TPU_OK) {
        status = read_matrix(at, run, "b", region, &out->b);
    }
    return status == TPU_OK ? read_matrix(at, run, "c", region, &out->c) : status;
}

static tpu_status read_runs(const reader *at, const cJSON *root, reproducer *out) {
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(root, "runs");
    int count = cJSON_IsArray(from) ? cJSON_GetArraySize(from) : 0;
    if (count <= 0) {
        return refuse(at, "runs", "an array with at least one run");
    }
    out->run = calloc((size_t)count, sizeof *out->run);
    if (out->run == NULL) {
        return status_fail(at->why, TPU_ERR_MEMORY, "%s: out of memory", at->path);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, from) {
        tpu_status status = read_run(at, item, &out->config.params, &out->run[out->run_count++]);
        if (status != TPU_OK) {
            return status;
        }
    }
    out->config.timing = out->run[0].timing;
    return TPU_OK;
}

static tpu_status read_expected(const reader *at, const cJSON *root, reproducer *out) {
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(root, "expected");
    char text[256];
    tpu_message inner;
    tpu_status status = read_text(at, from, "signature", text, sizeof text);
    if (status == TPU_OK && verdict_signature_parse(text, &out->expected, &inner) != TPU_OK) {
        status = status_fail(at->why, TPU_REFUSED, "%s: %.300s", at->path, inner.text);
    }
    if (status == TPU_OK) {
        status = read_u64(at, from, "cycle", 10, &out->expected_cycle);
    }
    return status == TPU_OK ? read_u64(at, from, "digest", 16, &out->expected_digest) : status;
}

static tpu_status read_head(const reader *at, const cJSON *root, reproducer *out) {
    tpu_status status = read_text(at, root, "engine", out->engine, sizeof out->engine);
    if (status == TPU_OK) {
        status = read_parameters(at, root, &out->config.params);
    }
    if (status == TPU_OK) {
        status = read_init(at, root, &out->config.init);
    }
    if (status == TPU_OK) {
        status = read_u64(at, root, "init_seed", 10, &out->config.init_seed);
    }
    if (status == TPU_OK) {
        status = read_u32(at, root, "watchdog", 1, &out->config.watchdog);
    }
    if (status == TPU_OK) {
        status = read_u64(at, root, "hang_limit", 10, &out->hang_limit);
    }
    return status == TPU_OK ? read_u64(at, root, "seed", 10, &out->seed) : status;
}

static tpu_status check_origin(const reader *at, const cJSON *root) {
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format");
    uint32_t version = 0;
    if (!cJSON_IsString(format) || strcmp(format->valuestring, REPRODUCER_FORMAT) != 0) {
        return status_fail(at->why, TPU_REFUSED, "%s: is no reproducer (\"format\" is not \"%s\")",
                           at->path, REPRODUCER_FORMAT);
    }
    tpu_status status = read_u32(at, root, "version", 1, &version);
    if (status == TPU_OK && version > REPRODUCER_VERSION) {
        status = status_fail(at->why, TPU_REFUSED,
                             "%s: has version %u, this program reads up to %d: use a newer one",
                             at->path, version, REPRODUCER_VERSION);
    }
    return status;
}

static tpu_status check_sum(const reader *at, cJSON *root) {
    uint64_t said = 0;
    uint64_t is = 0;
    tpu_status status = read_u64(at, root, "checksum", 16, &said);
    if (status != TPU_OK) {
        return status;
    }
    if (!reproducer_checksum(root, &is)) {
        return status_fail(at->why, TPU_ERR_MEMORY, "%s: out of memory", at->path);
    }
    if (said != is) {
        return status_fail(at->why, TPU_REFUSED,
                           "%s: is damaged: the checksum says %016" PRIx64
                           ", the content %016" PRIx64,
                           at->path, said, is);
    }
    return TPU_OK;
}

static tpu_status check_spec(const reader *at, const cJSON *root) {
    uint64_t hash = 0;
    tpu_status status = read_u64(at, root, "spec_hash", 16, &hash);
    if (status == TPU_OK && hash != TPU_SPEC_HASH) {
        status = status_fail(at->why, TPU_REFUSED,
                             "%s: was made for spec %016" PRIx64 ", this program is of %016" PRIx64,
                             at->path, hash, (uint64_t)TPU_SPEC_HASH);
    }
    return status;
}

static tpu_status read_tree(const reader *at, cJSON *root, reproducer *out) {
    tpu_status status = check_origin(at, root);
    if (status == TPU_OK) {
        status = check_sum(at, root);
    }
    if (status == TPU_OK) {
        status = check_spec(at, root);
    }
    if (status == TPU_OK) {
        status = read_head(at, root, out);
    }
    if (status == TPU_OK) {
        status = read_runs(at, root, out);
    }
    return status == TPU_OK ? read_expected(at, root, out) : status;
}

tpu_status reproducer_read(const char *path, reproducer *out, tpu_message *why) {
    const reader at = {.path = path, .why = why};
    char *text = NULL;
    size_t bytes = 0;
    tpu_status status = textfile_read(path, &text, &bytes, why);
    if (status != TPU_OK) {
        return status;
    }
    const char *end = text;
    cJSON *root = cJSON_ParseWithOpts(text, &end, 1);
    reproducer found = {.run = NULL};
    if (root == NULL) {
        status =
            status_fail(why, TPU_REFUSED, "%s: is no JSON or cut short: stops at byte %zu of %zu",
                        path, (size_t)(end - text), bytes);
    } else {
        status = read_tree(&at, root, &found);
    }
    cJSON_Delete(root);
    free(text);
    if (status != TPU_OK) {
        reproducer_clear(&found);
        return status;
    }
    *out = found;
    return TPU_OK;
}
