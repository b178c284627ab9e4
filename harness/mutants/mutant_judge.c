// SPDX-License-Identifier: Apache-2.0
//
// Who notices a planted fault: the fuzzer in this process (RTL), the fuzzer of the mutated tree
// (model), or a test binary. A finding is shrunk as anybody's would be, and the clock runs.

#define _POSIX_C_SOURCE 200809L

#include "harness/mutants/mutant_internal.h"

#include "base/stopwatch.h"
#include "csim/isa/params.h"
#include "harness/engine/loader.h"
#include "harness/io/command.h"
#include "harness/io/textfile.h"
#include "harness/show/failure.h"
#include "harness/shrink/shrink.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Cycles without movement that end a run; as the command fuzz has it.
#define WATCHDOG 2000u
// Seconds for a test binary; the slowest needs about a third of it.
#define TEST_LIMIT 300.0
// Programs of a mutated model: a second's worth. A model is wrong from the first one on.
#define MODEL_PROGRAMS "4000"
// Illegal programs, where a mutant names them for its test: every rule some hundred times.
#define ILLEGAL_PROGRAMS "3000"

static void take_signature(mutant_job *job, const verdict_signature *seen) {
    mutant_result *result = job->result;
    const mutant *what = job->what;
    verdict_signature_format(seen, result->signature, sizeof result->signature);
    result->place_right = what->expect != NULL && mutant_expects(what, seen);
    result->unit_right = what->unit != NULL && mutant_blames(what, seen->unit);
}

// The harness itself stumbles: as good as a finding where the file says that it must.
static void take_failure(mutant_job *job, const char *sentence) {
    mutant_result *result = job->result;
    bool meant = mutant_expects_harness(job->what);
    result->outcome = meant ? MUTANT_CAUGHT : MUTANT_BROKEN;
    result->place_right = meant;
    result->refused = true;
    (void)snprintf(result->signature, sizeof result->signature, "%s", "ERROR");
    (void)snprintf(result->note, sizeof result->note, "%.250s", sentence);
}

// ---- small -------------------------------------------------------------------------------------

// What anybody would find in the directory of a failure, from the small program.
static tpu_status write_all(mutant_job *job, const failure *small, tpu_message *why) {
    char directory[MUTANT_PATH_MAX];
    mutant_path(directory, job->place, "fail");
    tpu_status status = textfile_make_directory(directory, why);
    return status == TPU_OK ? failure_write(small, directory, why) : status;
}

static tpu_status shrink_it(mutant_job *job, const engine_api *api, reproducer *repro,
                            tpu_message *why) {
    const shrink_options how = {.api = api, .seconds = job->options->shrink_seconds};
    char path[MUTANT_PATH_MAX];
    verdict again;
    size_t at = 0;
    verdict_init(&again);
    reproducer_replay(repro, api, NULL, &again, &at);
    reproducer_expect(repro, &again);
    const verdict_signature seen = verdict_signature_of(&again);
    take_signature(job, &seen);
    mutant_path(path, job->place, "found.json");
    tpu_status status = reproducer_write(repro, path, why);
    if (status == TPU_OK) {
        status = shrink_run(repro, &how, NULL, why);
    }
    if (status == TPU_OK) {
        const failure small = {.repro = repro, .api = api, .seen = &again};
        status = write_all(job, &small, why);
    }
    verdict_clear(&again);
    return status;
}

static void note_size(mutant_result *result, const reproducer *repro, double begin) {
    result->small = true;
    result->minimal = stopwatch_wall() - begin;
    result->runs = (uint32_t)repro->run_count;
    result->instructions = (uint32_t)repro->run[repro->run_count - 1].program.count;
}

static void make_small(mutant_job *job, const fuzz_options *fuzz, const fuzz_bucket *found) {
    reproducer repro = {.run = NULL};
    tpu_message why;
    double begin = stopwatch_wall();
    job->result->found_instructions = found->found_instructions;
    tpu_status status = fuzz_rebuild(fuzz, found->sequence, found->index, &repro, &why);
    if (status == TPU_OK) {
        status = shrink_it(job, fuzz->api, &repro, &why);
    }
    if (status == TPU_OK) {
        note_size(job->result, &repro, begin);
    } else {
        (void)snprintf(job->result->note, sizeof job->result->note, "%.250s", why.text);
    }
    reproducer_clear(&repro);
}

// ---- the fuzzer here ---------------------------------------------------------------------------

static bool stop_at_finding(void *user, const fuzz_summary *so_far) {
    (void)user;
    return so_far->findings == 0;
}

static fuzz_options fuzz_of(const mutant_job *job, const tpu_params *params,
                            const engine_api *api) {
    bool calm_end = mutant_must_survive(job->what);
    return (fuzz_options){.engine = "verilator",
                          .api = api,
                          .config = {.params = *params, .watchdog = WATCHDOG},
                          .seed = job->options->seed,
                          .jobs = 1,
                          .seconds =
                              calm_end ? job->options->control_seconds : job->options->seconds};
}

static void fuzz_engine(mutant_job *job, const tpu_params *params, const engine_api *api) {
    const fuzz_watcher watcher = {.progress = stop_at_finding};
    const fuzz_options fuzz = fuzz_of(job, params, api);
    mutant_result *result = job->result;
    tpu_message why;
    fuzz_summary *sum = calloc(1, sizeof *sum);
    if (sum == NULL) {
        take_failure(job, "out of memory");
        return;
    }
    double begin = stopwatch_wall();
    tpu_status status = fuzz_run(&fuzz, &watcher, sum, &why);
    result->detect = stopwatch_wall() - begin;
    result->programs = sum->programs;
    result->cycles = sum->cycles;
    if (sum->bucket_count > 0) {
        result->outcome = MUTANT_CAUGHT;
        result->detect = sum->bucket[0].seconds;
        make_small(job, &fuzz, &sum->bucket[0]);
    } else if (status != TPU_OK) {
        take_failure(job, why.text);
    } else {
        result->outcome = MUTANT_SURVIVED;
    }
    free(sum);
}

static tpu_status judge_engine(mutant_job *job, tpu_message *why) {
    tpu_params params;
    loader *library = NULL;
    (void)setenv("TPU_ENGINE_DIR", job->engines, 1);
    tpu_status status = params_from_env(NULL, &params, why);
    if (status == TPU_OK) {
        status = loader_open("verilator", &params, &library, why);
    }
    if (status == TPU_OK) {
        fuzz_engine(job, &params, loader_api(library));
        loader_close(library);
    }
    return status;
}

// ---- the fuzzer of a mutated model -------------------------------------------------------------

static double number_of(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *string_of(const cJSON *object, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text != NULL ? text : "";
}

// The bucket that was found first.
static const cJSON *first_bucket(const cJSON *root) {
    const cJSON *first = NULL;
    const cJSON *at = NULL;
    cJSON_ArrayForEach(at, cJSON_GetObjectItemCaseSensitive(root, "buckets")) {
        if (first == NULL || number_of(at, "seconds") < number_of(first, "seconds")) {
            first = at;
        }
    }
    return first;
}

// The mutated tree shrinks its own finding; the true model would not see it.
static void shrink_with(mutant_job *job, const char *binary, const char *found) {
    char small[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    char seconds[32];
    command_end end;
    tpu_message why;
    reproducer repro = {.run = NULL};
    mutant_path(small, job->place, "repro.json");
    mutant_path(log, job->place, "shrink.log");
    (void)snprintf(seconds, sizeof seconds, "%.0f", job->options->shrink_seconds);
    const char *const argv[] = {binary, "shrink", "--seconds", seconds, "-o", small, found, NULL};
    double begin = stopwatch_wall();
    tpu_status status = command_run(argv, NULL, log, TEST_LIMIT, &end, &why);
    if (status == TPU_OK && reproducer_read(small, &repro, &why) == TPU_OK) {
        note_size(job->result, &repro, begin);
        reproducer_clear(&repro);
    }
}

// Whether the report of the small program says that the model stands alone.
static bool blames_model(mutant_job *job, const char *binary) {
    char small[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    char *text = NULL;
    command_end end;
    tpu_message why;
    mutant_path(small, job->place, "repro.json");
    mutant_path(log, job->place, "replay.log");
    const char *const argv[] = {binary, "replay", "--json", small, NULL};
    if (command_run(argv, NULL, log, TEST_LIMIT, &end, &why) != TPU_OK ||
        textfile_read(log, &text, NULL, &why) != TPU_OK) {
        return false;
    }
    const char *json = strchr(text, '{');
    cJSON *root = cJSON_Parse(json != NULL ? json : "");
    bool alone = strcmp(string_of(root, "vote"), verdict_vote_text(VERDICT_VOTE_MODEL)) == 0;
    cJSON_Delete(root);
    free(text);
    return alone;
}

static void take_bucket(mutant_job *job, const char *binary, const cJSON *bucket) {
    verdict_signature seen;
    char found[MUTANT_PATH_MAX];
    mutant_result *result = job->result;
    if (verdict_signature_parse(string_of(bucket, "signature"), &seen, NULL) != TPU_OK) {
        take_failure(job, "the fuzzer's own signature cannot be read");
        return;
    }
    take_signature(job, &seen);
    result->outcome = MUTANT_CAUGHT;
    result->detect = number_of(bucket, "seconds");
    result->programs = (uint64_t)number_of(bucket, "programs_before");
    result->found_instructions = (uint32_t)number_of(bucket, "found_instructions");
    mutant_path(found, string_of(bucket, "directory"), "found.json");
    shrink_with(job, binary, found);
    // A small program whose words its mutated assembler wrote is refused here, and shown there.
    result->unit_right = blames_model(job, binary);
}

static void read_findings(mutant_job *job, const char *binary, const char *log) {
    char *text = NULL;
    tpu_message why;
    if (textfile_read(log, &text, NULL, &why) != TPU_OK) {
        take_failure(job, why.text);
        return;
    }
    const char *json = strchr(text, '{');
    cJSON *root = cJSON_Parse(json != NULL ? json : "");
    const cJSON *bucket = first_bucket(root);
    char *sentence = strstr(text, "tpucosim: "); // behind the JSON, when the harness stumbled
    if (bucket != NULL) {
        take_bucket(job, binary, bucket);
    } else if (sentence != NULL) {
        sentence[strcspn(sentence, "\n")] = '\0';
        take_failure(job, sentence);
    } else {
        take_failure(job, "the fuzzer failed without a sentence");
    }
    cJSON_Delete(root);
    free(text);
}

static tpu_status judge_model(mutant_job *job, tpu_message *why) {
    char build[MUTANT_PATH_MAX];
    char binary[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    char fail[MUTANT_PATH_MAX];
    char seed[32];
    command_end end;
    mutant_path(build, job->home, "c");
    mutant_path(binary, build, "tpucosim");
    mutant_path(log, job->place, "fuzz.log");
    mutant_path(fail, job->place, "fail");
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)job->options->seed);
    const char *const argv[] = {binary,      "fuzz",  "--json",   "--programs", MODEL_PROGRAMS,
                                "--seconds", "60",    "--shrink", "0",          "--seed",
                                seed,        "--out", fail,       NULL};
    (void)setenv("TPU_ENGINE_DIR", job->engines, 1);
    tpu_status status = command_run(argv, NULL, log, TEST_LIMIT, &end, why);
    job->result->detect = end.seconds;
    if (status == TPU_OK && end.code == 0) {
        job->result->outcome = MUTANT_SURVIVED;
    } else if (status == TPU_OK) {
        read_findings(job, binary, log);
    }
    return status;
}

// ---- a test binary -----------------------------------------------------------------------------

static void take_end(mutant_job *job, const command_end *end) {
    mutant_result *result = job->result;
    result->detect = end->seconds;
    result->outcome = end->code == 0 ? MUTANT_SURVIVED : MUTANT_CAUGHT;
    result->place_right = result->outcome == MUTANT_CAUGHT;
    result->unit_right = result->place_right;
    (void)snprintf(result->signature, sizeof result->signature, "%.100s%s", job->what->test,
                   end->timed_out ? " (never ended)" : "");
}

// A test of the harness is that of the mutated tree; one of the machine is anybody's.
static tpu_status judge_test(mutant_job *job, tpu_message *why) {
    const mutant *what = job->what;
    char build[MUTANT_PATH_MAX];
    char tests[MUTANT_PATH_MAX];
    char binary[MUTANT_PATH_MAX];
    char command[MUTANT_PATH_MAX];
    char source[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    char seed[32];
    command_end end;
    mutant_path(build, job->home, "c");
    const char *from = what->kind == MUTANT_HARNESS ? build : job->options->build;
    mutant_path(tests, from, "tests");
    mutant_path(binary, tests, what->test);
    mutant_path(command, from, "tpucosim");
    mutant_path(source, job->home, "source");
    mutant_path(log, job->place, "test.log");
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)job->options->seed);
    (void)setenv("TPU_ENGINE_DIR", job->engines, 1);
    (void)setenv("TPUCOSIM", command, 1);
    const char *const test[] = {binary, NULL};
    const char *const illegal[] = {command,      "fuzz",           "--illegal", "--seconds", "0",
                                   "--programs", ILLEGAL_PROGRAMS, "--seed",    seed,        NULL};
    bool is_illegal = strcmp(what->test, "illegal") == 0;
    tpu_status status =
        command_run(is_illegal ? illegal : test, source, log, TEST_LIMIT, &end, why);
    take_end(job, &end);
    return status;
}

tpu_status mutant_judge(mutant_job *job, tpu_message *why) {
    switch (job->what->kind) {
    case MUTANT_DESIGN:
    case MUTANT_SPEC:
        return judge_engine(job, why);
    case MUTANT_MODEL:
        return judge_model(job, why);
    default:
        return judge_test(job, why);
    }
}
