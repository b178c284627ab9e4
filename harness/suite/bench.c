// SPDX-License-Identifier: Apache-2.0
//
// The benchmark: every figure comes from a run in lockstep, so a cycle count of a wrong result
// does not exist.

#include "harness/suite/bench.h"

#include "csim/isa/image.h"
#include "harness/stress/operands.h"
#include "harness/suite/session.h"
#include "harness/suite/suite.h"

#include <stdlib.h>
#include <string.h>

const uint32_t bench_latencies[BENCH_LATENCIES] = {1, 16, 64, 100};

// Targets and published figures belong to a T and MAXDIM; every other parameter is free.
typedef struct goal {
    uint32_t t;
    uint32_t maxdim;
    suite_shape shape;
    uint32_t published;
    uint32_t target;
} goal;

static const goal goals[] = {
    {4, 16, {4, 4, 4}, 144, 60},         {4, 16, {8, 8, 8}, 218, 95},
    {4, 16, {12, 12, 12}, 344, 185},     {4, 16, {16, 16, 8}, 390, 210},
    {4, 16, {16, 16, 16}, 590, 350},     {4, 64, {16, 16, 16}, 579, 355},
    {4, 64, {32, 32, 32}, 2820, 2200},   {4, 64, {48, 48, 48}, 8384, 7150},
    {4, 64, {64, 64, 64}, 19186, 16700}, {4, 64, {64, 32, 64}, 10450, 8450},
    {4, 64, {32, 64, 32}, 5188, 4300},   {8, 64, {8, 8, 8}, 231, 80},
    {8, 64, {16, 16, 16}, 381, 140},     {8, 64, {32, 32, 32}, 1260, 640},
    {8, 64, {48, 48, 48}, 3001, 1900},   {8, 64, {64, 64, 64}, 5986, 4350},
    {8, 64, {64, 32, 64}, 3831, 2250},   {16, 64, {64, 64, 64}, 0, 1250}};

#define SHALLOW_QD 2u

typedef struct bench {
    const bench_options *options;
    const tpu_params *params;
    session *session;
    session *shallow; // at QD = 2; NULL = there is no such engine
    uint8_t *a;
    uint8_t *b;
    uint8_t *c;
    bool broken; // a verdict ERROR: no other figure would mean anything
} bench;

static void find_goal(const tpu_params *params, bench_row *row) {
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        const goal *at = &goals[i];
        if (at->t == params->t && at->maxdim == params->maxdim && at->shape.m == row->m &&
            at->shape.k == row->k && at->shape.n == row->n) {
            row->target = at->target;
            row->published = at->published;
        }
    }
}

// The program of a row; false when the form cannot do the shape at this point.
static bool build(const bench *self, const bench_row *row, programs_form form, bool relu,
                  isa_program *program, image *words) {
    tpu_message why;
    if (programs_gemm(self->params, form, row->m, row->k, row->n, relu, program, &why) != TPU_OK) {
        return false;
    }
    if (image_build(self->params, program, true, words, &why) != TPU_OK) {
        isa_program_clear(program);
        return false;
    }
    return true;
}

static lockstep_job make_job(const bench *self, const bench_row *row, bool relu,
                             const isa_program *program, const image *words) {
    return (lockstep_job){.program = program,
                          .words = words->words,
                          .word_count = words->count,
                          .a = self->a,
                          .b = self->b,
                          .c = self->c,
                          .gemm = {.m = row->m, .k = row->k, .n = row->n, .relu = relu}};
}

static uint64_t run_exact(bench *self, session *on, const lockstep_job *job, bench_row *row) {
    verdict seen;
    uint64_t cycles = 0;
    verdict_init(&seen);
    session_run(on, "bench", job, &seen);
    self->broken = self->broken || seen.kind == VERDICT_ERROR;
    if (seen.kind == VERDICT_OK) {
        cycles = seen.status.cycles;
    } else if (row->exact) {
        row->exact = false;
        row->sentence = seen.sentence;
    }
    verdict_clear(&seen);
    return cycles;
}

static bool prepare(session *on, uint32_t latency, tpu_message *why) {
    const engine_timing timing = {.read_latency = latency, .write_latency = latency};
    return session_renew(on, why) == TPU_OK && session_set_timing(on, &timing, why) == TPU_OK;
}

// Cycles of one form at one latency in a fresh engine; 0 = does not fit, or was not exact.
static uint64_t cycles_of(bench *self, session *on, uint32_t latency, programs_form form, bool relu,
                          bench_row *row) {
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    uint64_t cycles = 0;
    if (!build(self, row, form, relu, &program, &words)) {
        return 0;
    }
    if (prepare(on, latency, &row->sentence)) {
        lockstep_job job = make_job(self, row, relu, &program, &words);
        cycles = run_exact(self, on, &job, row);
    } else {
        row->exact = false;
    }
    image_clear(&words);
    isa_program_clear(&program);
    return cycles;
}

static void find_best(bench *self, bench_row *row) {
    row->form = PROGRAMS_LOOPED;
    row->best[0] = row->shipped[0];
    for (programs_form form = 0; form < PROGRAMS_FORM_COUNT; form++) {
        uint64_t cycles = cycles_of(self, self->session, 1, form, false, row);
        if (cycles > 0 && (row->best[0] == 0 || cycles < row->best[0])) {
            row->best[0] = cycles;
            row->form = form;
        }
    }
}

static void measure(const bench *self, bench_row *row) {
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    tpu_message why;
    if (!build(self, row, row->form, false, &program, &words)) {
        return;
    }
    lockstep_job job = make_job(self, row, false, &program, &words);
    session_speed speed = {.checked = 0, .bare = 0};
    tpu_status status =
        session_measure(self->session, &job, self->options->speed_seconds, &speed, &why);
    row->checked = speed.checked;
    row->bare = speed.bare;
    if (status != TPU_OK && row->exact) {
        row->exact = false;
        row->sentence = why;
    }
    image_clear(&words);
    isa_program_clear(&program);
}

static void run_row(bench *self, const suite_shape *shape, bench_row *row) {
    const tpu_params *p = self->params;
    *row = (bench_row){.m = shape->m, .k = shape->k, .n = shape->n, .exact = true};
    row->ideal = (uint64_t)(row->n / p->t) * (row->k / p->t) * row->m;
    find_goal(p, row);
    operands_fill(OPERANDS_FULL, self->options->seed, p->maxdim, row->m, row->k, row->n, self->a,
                  self->b);
    for (size_t i = 0; i < BENCH_LATENCIES; i++) {
        row->shipped[i] =
            cycles_of(self, self->session, bench_latencies[i], PROGRAMS_LOOPED, false, row);
    }
    find_best(self, row);
    for (size_t i = 1; i < BENCH_LATENCIES; i++) {
        row->best[i] = cycles_of(self, self->session, bench_latencies[i], row->form, false, row);
    }
    row->relu = cycles_of(self, self->session, 1, row->form, true, row);
    if (self->shallow != NULL) {
        row->shallow = cycles_of(self, self->shallow, 1, row->form, false, row);
    }
    if (row->exact && self->options->speed_seconds > 0) {
        measure(self, row);
    }
}

static tpu_status open_one(const bench *self, uint32_t qd, session **out, tpu_message *why) {
    session_options options = {.engine = self->options->engine,
                               .config = self->options->config,
                               .seed = self->options->seed,
                               .api = self->options->api};
    options.config.params.qd = qd;
    options.config.timing = (engine_timing){.read_latency = 1, .write_latency = 1};
    return session_open(&options, out, why);
}

static tpu_status open_sessions(bench *self, tpu_message *why) {
    size_t region = params_region_bytes(self->params);
    self->a = calloc(region, 1);
    self->b = calloc(region, 1);
    self->c = calloc(region, 1);
    if (self->a == NULL || self->b == NULL || self->c == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "bench: out of memory");
    }
    tpu_message unused; // the column stays empty when there is no such engine
    tpu_status status = open_one(self, self->params->qd, &self->session, why);
    if (status == TPU_OK && open_one(self, SHALLOW_QD, &self->shallow, &unused) != TPU_OK) {
        self->shallow = NULL;
    }
    return status;
}

tpu_status bench_run(const bench_options *options, bench_on_row on_row, void *user,
                     tpu_message *why) {
    bench self = {.options = options, .params = &options->config.params};
    suite_shape shapes[SUITE_SHAPES_MAX];
    size_t count = suite_shapes(self.params, shapes, SUITE_SHAPES_MAX);
    tpu_status status = open_sessions(&self, why);
    for (size_t i = 0; i < count && status == TPU_OK; i++) {
        bench_row row;
        run_row(&self, &shapes[i], &row);
        if (self.broken) {
            status = status_fail(why, TPU_ERR_INTERNAL, "%s", row.sentence.text);
            break;
        }
        on_row(user, &row);
    }
    session_close(self.session);
    session_close(self.shallow);
    free(self.a);
    free(self.b);
    free(self.c);
    return status;
}
