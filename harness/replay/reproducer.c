// SPDX-License-Identifier: Apache-2.0
//
// Collecting, writing and replaying. All 64-bit integers are strings in the file; matrices and
// nothing else are base64; a checksum over the whole tree catches what a reader could not.

#include "harness/replay/reproducer.h"

#include "csim/isa/disasm.h"
#include "csim/isa/image.h"
#include "harness/io/base64.h"
#include "harness/io/jsonnum.h"
#include "harness/io/textfile.h"
#include "harness/lockstep/digest.h"
#include "harness/replay/reproducer_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const reproducer_init_names[3] = {"zeros", "ones", "random"};

void reproducer_params(tpu_params *params, uint32_t *out[TPU_PARAM_COUNT]) {
    out[0] = &params->t;
    out[1] = &params->maxdim;
    out[2] = &params->spad_rows;
    out[3] = &params->nvr;
    out[4] = &params->nar;
    out[5] = &params->imem_size;
    out[6] = &params->qd;
    out[7] = &params->dma_words;
}

void reproducer_run_clear(reproducer_run *run) {
    isa_program_clear(&run->program);
    free(run->words);
    free(run->a);
    free(run->b);
    free(run->c);
    memset(run, 0, sizeof *run);
}

void reproducer_forget(reproducer *self) {
    for (size_t i = 0; i < self->run_count; i++) {
        reproducer_run_clear(&self->run[i]);
    }
    free(self->run);
    self->run = NULL;
    self->run_count = 0;
}

void reproducer_clear(reproducer *self) {
    reproducer_forget(self);
    memset(self, 0, sizeof *self);
}

static void *copy_of(const void *data, size_t bytes) {
    void *copy = malloc(bytes > 0 ? bytes : 1);
    if (copy != NULL) {
        memcpy(copy, data, bytes);
    }
    return copy;
}

// The text goes into the file only when the words follow from it.
static bool is_faithful(const tpu_params *params, const lockstep_job *job, bool checked) {
    image built = {.words = NULL};
    if (job->program == NULL ||
        image_build(params, job->program, checked, &built, NULL) != TPU_OK) {
        return false;
    }
    bool same = built.count == job->word_count &&
                memcmp(built.words, job->words, built.count * sizeof *built.words) == 0;
    image_clear(&built);
    return same;
}

static bool copy_program(const lockstep_job *job, reproducer_run *run) {
    for (size_t i = 0; i < job->program->count; i++) {
        if (isa_program_append(&run->program, &job->program->insn[i]) != TPU_OK) {
            return false;
        }
    }
    return true;
}

static bool fill_run(const tpu_params *params, const char *name, const lockstep_job *job,
                     const engine_timing *timing, reproducer_run *run) {
    size_t region = params_region_bytes(params);
    memset(run, 0, sizeof *run);
    (void)snprintf(run->name, sizeof run->name, "%s", name);
    run->checked = job->mode == LOCKSTEP_MODE_CHECKED;
    run->gemm = job->gemm;
    run->timing = *timing;
    run->word_count = job->word_count;
    run->words = copy_of(job->words, job->word_count * sizeof *job->words);
    run->a = copy_of(job->a, region);
    run->b = copy_of(job->b, region);
    run->c = copy_of(job->c, region);
    bool good = run->words != NULL && run->a != NULL && run->b != NULL && run->c != NULL;
    if (good && is_faithful(params, job, run->checked)) {
        good = copy_program(job, run);
    }
    return good;
}

tpu_status reproducer_add(reproducer *self, const char *name, const lockstep_job *job,
                          const engine_timing *timing, tpu_message *why) {
    reproducer_run run;
    if (!fill_run(&self->config.params, name, job, timing, &run)) {
        reproducer_run_clear(&run);
        return status_fail(why, TPU_ERR_MEMORY, "reproducer: out of memory");
    }
    reproducer_run *more = realloc(self->run, (self->run_count + 1) * sizeof *more);
    if (more == NULL) {
        reproducer_run_clear(&run);
        return status_fail(why, TPU_ERR_MEMORY, "reproducer: out of memory");
    }
    self->run = more;
    self->run[self->run_count++] = run;
    return TPU_OK;
}

void reproducer_expect(reproducer *self, const verdict *seen) {
    self->expected = verdict_signature_of(seen);
    self->expected_cycle = seen->cycle;
    self->expected_digest = seen->digest;
}

static bool add_bytes(cJSON *to, const char *key, const uint8_t *data, size_t bytes) {
    char *text = malloc(base64_length(bytes) + 1);
    if (text == NULL) {
        return false;
    }
    base64_encode(data, bytes, text);
    bool good = cJSON_AddStringToObject(to, key, text) != NULL;
    free(text);
    return good;
}

const char *reproducer_stall_name(engine_stall mode) {
    static const char *const names[ENGINE_STALL_COUNT] = {
        "random", "edge", "alternate", "burst", "freeze", "ar", "r", "aw", "w", "b"};
    return (unsigned)mode < ENGINE_STALL_COUNT ? names[mode] : NULL;
}

static void add_timing(cJSON *to, const engine_timing *timing) {
    cJSON *out = cJSON_AddObjectToObject(to, "timing");
    (void)cJSON_AddNumberToObject(out, "read_latency", timing->read_latency);
    (void)cJSON_AddNumberToObject(out, "write_latency", timing->write_latency);
    (void)cJSON_AddNumberToObject(out, "stall_permille", timing->stall_permille);
    (void)cJSON_AddStringToObject(out, "stall_mode", reproducer_stall_name(timing->stall_mode));
    jsonnum_add(out, "stall_seed", timing->stall_seed);
}

static void add_gemm(cJSON *to, const lockstep_gemm *gemm) {
    if (gemm->m == 0) {
        (void)cJSON_AddNullToObject(to, "gemm");
        return;
    }
    cJSON *out = cJSON_AddObjectToObject(to, "gemm");
    (void)cJSON_AddNumberToObject(out, "m", gemm->m);
    (void)cJSON_AddNumberToObject(out, "k", gemm->k);
    (void)cJSON_AddNumberToObject(out, "n", gemm->n);
    (void)cJSON_AddBoolToObject(out, "relu", gemm->relu);
}

static bool add_program(cJSON *to, const reproducer_run *run) {
    char *text = NULL;
    if (run->program.count == 0) {
        return cJSON_AddNullToObject(to, "program") != NULL;
    }
    if (disasm_program(&run->program, &text, NULL) != TPU_OK) {
        return false;
    }
    bool good = cJSON_AddStringToObject(to, "program", text) != NULL;
    free(text);
    return good;
}

static bool add_run(cJSON *runs, const reproducer_run *run, size_t region) {
    char text[24];
    cJSON *out = cJSON_CreateObject();
    if (out == NULL || !cJSON_AddItemToArray(runs, out)) {
        cJSON_Delete(out);
        return false;
    }
    (void)cJSON_AddStringToObject(out, "name", run->name);
    (void)cJSON_AddBoolToObject(out, "checked", run->checked);
    add_timing(out, &run->timing);
    add_gemm(out, &run->gemm);
    bool good = add_program(out, run);
    cJSON *words = cJSON_AddArrayToObject(out, "words");
    for (size_t i = 0; i < run->word_count; i++) {
        (void)snprintf(text, sizeof text, "%016" PRIx64, run->words[i]);
        (void)cJSON_AddItemToArray(words, cJSON_CreateString(text));
    }
    return good && add_bytes(out, "a", run->a, region) && add_bytes(out, "b", run->b, region) &&
           add_bytes(out, "c", run->c, region);
}

static void add_parameters(cJSON *to, const tpu_params *params) {
    tpu_params copy = *params;
    uint32_t *values[TPU_PARAM_COUNT];
    reproducer_params(&copy, values);
    cJSON *out = cJSON_AddObjectToObject(to, "parameters");
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        (void)cJSON_AddNumberToObject(out, tpu_param_infos[i].name, *values[i]);
    }
}

static void add_expected(cJSON *to, const reproducer *self) {
    char text[256];
    cJSON *out = cJSON_AddObjectToObject(to, "expected");
    verdict_signature_format(&self->expected, text, sizeof text);
    (void)cJSON_AddStringToObject(out, "signature", text);
    jsonnum_add(out, "cycle", self->expected_cycle);
    jsonnum_add_hex(out, "digest", self->expected_digest);
}

static bool fill_tree(cJSON *root, const reproducer *self) {
    size_t region = params_region_bytes(&self->config.params);
    (void)cJSON_AddStringToObject(root, "format", REPRODUCER_FORMAT);
    (void)cJSON_AddNumberToObject(root, "version", REPRODUCER_VERSION);
    jsonnum_add_hex(root, "spec_hash", TPU_SPEC_HASH);
    (void)cJSON_AddStringToObject(root, "engine", self->engine);
    add_parameters(root, &self->config.params);
    (void)cJSON_AddStringToObject(root, "init", reproducer_init_names[self->config.init]);
    jsonnum_add(root, "init_seed", self->config.init_seed);
    (void)cJSON_AddNumberToObject(root, "watchdog", self->config.watchdog);
    jsonnum_add(root, "hang_limit", self->hang_limit);
    jsonnum_add(root, "seed", self->seed);
    add_expected(root, self);
    cJSON *runs = cJSON_AddArrayToObject(root, "runs");
    bool good = runs != NULL;
    for (size_t i = 0; i < self->run_count && good; i++) {
        good = add_run(runs, &self->run[i], region);
    }
    return good;
}

bool reproducer_checksum(cJSON *root, uint64_t *out) {
    cJSON *kept = cJSON_DetachItemFromObjectCaseSensitive(root, "checksum");
    char *text = cJSON_PrintUnformatted(root);
    if (kept != NULL) {
        (void)cJSON_AddItemToObject(root, "checksum", kept);
    }
    if (text == NULL) {
        return false;
    }
    *out = digest_row(DIGEST_START, (const uint8_t *)text, strlen(text));
    free(text);
    return true;
}

tpu_status reproducer_write(const reproducer *self, const char *path, tpu_message *why) {
    uint64_t checksum = 0;
    char *text = NULL;
    cJSON *root = cJSON_CreateObject();
    if (root != NULL && fill_tree(root, self) && reproducer_checksum(root, &checksum)) {
        jsonnum_add_hex(root, "checksum", checksum);
        text = cJSON_Print(root);
    }
    cJSON_Delete(root);
    if (text == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    tpu_status status = textfile_write(path, text, strlen(text), why);
    free(text);
    return status;
}

lockstep_job reproducer_job(const reproducer_run *run) {
    return (lockstep_job){.level = LOCKSTEP_LEVEL_ARCH,
                          .mode = run->checked ? LOCKSTEP_MODE_CHECKED : LOCKSTEP_MODE_UNCHECKED,
                          .program = run->program.count > 0 ? &run->program : NULL,
                          .words = run->words,
                          .word_count = run->word_count,
                          .a = run->a,
                          .b = run->b,
                          .c = run->c,
                          .gemm = run->gemm};
}

static void give_up(verdict *out, tpu_status status, const tpu_message *why) {
    out->kind = status == TPU_REFUSED ? VERDICT_REFUSED : VERDICT_ERROR;
    out->sentence = *why;
}

// What a replay works with.
typedef struct stage {
    const engine_api *api;
    engine *device;
    lockstep *both;
    const reproducer_watch *watch;
} stage;

// The last run has somebody who looks on.
static tpu_status prepare_watch(const stage *self, lockstep_job *job, tpu_message *why) {
    const reproducer_watch *watch = self->watch;
    if (watch == NULL) {
        return TPU_OK;
    }
    job->hooks = watch->hooks;
    job->after = watch->after;
    if (watch->ready != NULL) {
        watch->ready(watch->hooks->user, self->device);
    }
    return watch->wave != NULL ? self->api->trace_open(self->device, watch->wave, why) : TPU_OK;
}

static void replay_runs(const reproducer *self, const stage *on, verdict *out, size_t *at) {
    tpu_message why;
    for (size_t i = 0; i < self->run_count && out->kind == VERDICT_OK; i++) {
        lockstep_job job = reproducer_job(&self->run[i]);
        job.hang_limit = self->hang_limit;
        *at = i;
        tpu_status status = on->api->set_timing(on->device, &self->run[i].timing, &why);
        if (status == TPU_OK && i + 1 == self->run_count) {
            status = prepare_watch(on, &job, &why);
        }
        if (status != TPU_OK) {
            give_up(out, status, &why);
            return;
        }
        lockstep_run(on->both, &job, out);
    }
    if (on->watch != NULL && on->watch->ended != NULL && out->status.done) {
        on->watch->ended(on->watch->hooks->user, on->device);
    }
    tpu_status status = on->api->trace_close(on->device, &why);
    if (status != TPU_OK) {
        give_up(out, status, &why);
    }
}

void reproducer_replay(const reproducer *self, const engine_api *api, const reproducer_watch *watch,
                       verdict *out, size_t *at) {
    stage on = {.api = api, .watch = watch};
    tpu_message why;
    verdict_clear(out);
    *at = 0;
    tpu_status status = api->create(&self->config, &on.device, &why);
    if (status == TPU_OK) {
        status = api->reset(on.device, &why);
    }
    if (status == TPU_OK) {
        status = lockstep_create(api, on.device, &self->config.params, &on.both, &why);
    }
    if (status == TPU_OK) {
        replay_runs(self, &on, out, at);
    } else {
        give_up(out, status, &why);
    }
    lockstep_destroy(on.both);
    api->destroy(on.device);
}

bool reproducer_same(const reproducer *self, const verdict *seen, size_t at) {
    verdict_signature signature = verdict_signature_of(seen);
    return at + 1 == self->run_count && verdict_signature_equal(&signature, &self->expected) &&
           seen->cycle == self->expected_cycle && seen->digest == self->expected_digest;
}
