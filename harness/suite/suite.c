// SPDX-License-Identifier: Apache-2.0
//
// The table. Each line starts with a fresh engine, so that its reproducer is short; the calls of
// a stress line follow one another in one engine and inherit its memories.

#include "harness/suite/suite.h"

#include "csim/isa/image.h"
#include "csim/isa/programs.h"
#include "harness/lockstep/digest.h"
#include "harness/stress/operands.h"
#include "harness/suite/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Everything the lines share.
struct suite {
    const suite_options *options;
    const tpu_params *params;
    session *session;
    uint8_t *a; // params_region_bytes each
    uint8_t *b;
    uint8_t *c;
    suite_on_row on_row;
    void *user;
    suite_summary *summary;
    suite_row line; // the caller's, between suite_begin and suite_end
};

// One program with its operands.
typedef struct call {
    const char *name;
    programs_form form;
    bool relu;
    operands_kind operands;
    uint64_t seed;
    tpu_status (*build)(const suite *self, const struct call *what, const suite_shape *shape,
                        isa_program *out, tpu_message *why);
    uint32_t value[4]; // arguments of the program families
    bool is_gemm;
} call;

size_t suite_shapes(const tpu_params *params, suite_shape *out, size_t limit) {
    static const suite_shape all[] = {{4, 4, 4},    {8, 8, 8},    {12, 12, 12}, {16, 16, 8},
                                      {16, 16, 16}, {32, 32, 32}, {48, 48, 48}, {64, 64, 64},
                                      {64, 32, 64}, {32, 64, 32}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && count < limit; i++) {
        const suite_shape *s = &all[i];
        bool fits = s->m <= params->maxdim && s->k <= params->maxdim && s->n <= params->maxdim;
        if (fits && (s->m | s->k | s->n) % params->t == 0) {
            out[count++] = *s;
        }
    }
    return count;
}

static tpu_status build_gemm(const suite *self, const call *what, const suite_shape *shape,
                             isa_program *out, tpu_message *why) {
    return programs_gemm(self->params, what->form, shape->m, shape->k, shape->n, what->relu, out,
                         why);
}

static tpu_status build_vadd(const suite *self, const call *what, const suite_shape *shape,
                             isa_program *out, tpu_message *why) {
    (void)what;
    return programs_vadd(self->params, shape->m, out, why);
}

static tpu_status build_vector(const suite *self, const call *what, const suite_shape *shape,
                               isa_program *out, tpu_message *why) {
    (void)what;
    (void)shape;
    return programs_vector(self->params, self->params->t > 8 ? self->params->t : 8, out, why);
}

static tpu_status build_distance(const suite *self, const call *what, const suite_shape *shape,
                                 isa_program *out, tpu_message *why) {
    (void)what;
    (void)shape;
    return programs_ar_distance(self->params, TPU_AR_RAW_DIST, out, why);
}

static tpu_status build_tiled(const suite *self, const call *what, const suite_shape *shape,
                              isa_program *out, tpu_message *why) {
    (void)shape;
    return programs_tiled(self->params, what->value[0], what->value[1], what->value[2],
                          what->value[3], out, why);
}

static tpu_status build_pointwise(const suite *self, const call *what, const suite_shape *shape,
                                  isa_program *out, tpu_message *why) {
    (void)shape;
    return programs_pointwise(self->params, what->value[0], what->value[1], what->relu, out, why);
}

static void fill_operands(const suite *self, const call *what, const suite_shape *shape) {
    rng source;
    uint64_t shape_seed = (uint64_t)shape->m * 10000 + shape->k * 100 + shape->n;
    operands_fill(what->operands, self->options->seed + what->seed, self->params->maxdim, shape->m,
                  shape->k, shape->n, self->a, self->b);
    rng_seed(&source, self->options->seed + 4321 + shape_seed);
    rng_fill(&source, self->c, params_region_bytes(self->params));
}

static lockstep_job make_job(const suite *self, const call *what, const suite_shape *shape,
                             const isa_program *program, const image *words) {
    lockstep_job job = {.level = LOCKSTEP_LEVEL_ARCH,
                        .mode = LOCKSTEP_MODE_CHECKED,
                        .program = program,
                        .words = words->words,
                        .word_count = words->count,
                        .a = self->a,
                        .b = self->b,
                        .c = self->c};
    if (what->is_gemm) {
        job.gemm = (lockstep_gemm){.m = shape->m, .k = shape->k, .n = shape->n, .relu = what->relu};
    }
    return job;
}

// "fail/gemm_relu_flat_16x16x16"
static void name_directory(const suite *self, suite_row *row) {
    size_t base = strlen(self->options->fail_directory) + 1;
    (void)snprintf(row->directory, sizeof row->directory, "%s/%s_%ux%ux%u",
                   self->options->fail_directory, row->program, row->shape.m, row->shape.k,
                   row->shape.n);
    for (char *at = row->directory + base; base < sizeof row->directory && *at != '\0'; at++) {
        if (!isalnum((unsigned char)*at)) {
            *at = '_';
        }
    }
}

static void save_failure(const suite *self, const verdict *seen, suite_row *row) {
    tpu_message why;
    name_directory(self, row);
    if (session_save(self->session, row->directory, seen, NULL, &why) != TPU_OK) {
        row->sentence = why;
        row->directory[0] = '\0';
    }
}

// The cycles of a line are the least of its calls; of a GEMM's line only GEMMs count.
static void add_cycles(const verdict *seen, const lockstep_job *job, suite_row *row) {
    bool counts = row->ideal == 0 || job->gemm.m > 0;
    if (counts && (row->cycles == 0 || seen->status.cycles < row->cycles)) {
        row->cycles = seen->status.cycles;
    }
}

static void add_counts(const verdict *seen, suite_row *row) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        row->compared[s] += seen->counts.compared[s];
    }
    row->cells += seen->counts.memory_rows + seen->counts.c_cells;
    row->digest = digest_word(row->digest, seen->digest);
    row->calls++;
}

static void measure(const suite *self, const lockstep_job *job, suite_row *row) {
    session_speed speed = {.checked = 0, .bare = 0};
    tpu_message why;
    double seconds = self->options->speed_seconds;
    if (seconds > 0 && session_measure(self->session, job, seconds, &speed, &why) != TPU_OK) {
        row->kind = VERDICT_ERROR;
        row->sentence = why;
    }
    row->checked = speed.checked;
    row->bare = speed.bare;
}

static void run_job(const suite *self, const lockstep_job *job, bool timed, suite_row *row) {
    verdict seen;
    verdict_init(&seen);
    session_run(self->session, row->program, job, &seen);
    add_counts(&seen, row);
    add_cycles(&seen, job, row);
    row->kind = seen.kind;
    row->sentence = seen.sentence;
    if (seen.kind == VERDICT_OK && timed) {
        measure(self, job, row);
    } else if (seen.kind == VERDICT_MISMATCH || seen.kind == VERDICT_HANG) {
        save_failure(self, &seen, row);
    }
    verdict_clear(&seen);
}

// One call of a line. A program that this point cannot hold is skipped with the reason.
static void run_call(const suite *self, const call *what, bool timed, suite_row *row) {
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    tpu_status status = what->build(self, what, &row->shape, &program, &row->sentence);
    if (status == TPU_OK) {
        status = image_build(self->params, &program, true, &words, &row->sentence);
    }
    if (status == TPU_OK) {
        fill_operands(self, what, &row->shape);
        lockstep_job job = make_job(self, what, &row->shape, &program, &words);
        run_job(self, &job, timed, row);
    } else if (status == TPU_REFUSED) {
        row->skipped = row->calls == 0;
    } else {
        row->kind = VERDICT_ERROR;
    }
    image_clear(&words);
    isa_program_clear(&program);
}

static unsigned badness(verdict_kind kind) {
    static const unsigned order[VERDICT_KIND_COUNT] = {[VERDICT_OK] = 0,
                                                       [VERDICT_MISMATCH] = 1,
                                                       [VERDICT_HANG] = 2,
                                                       [VERDICT_REFUSED] = 3,
                                                       [VERDICT_ERROR] = 4};
    return order[kind];
}

static void finish_row(suite *self, const suite_row *row) {
    suite_summary *summary = self->summary;
    if (row->skipped) {
        summary->skipped++;
    } else {
        summary->run++;
        summary->exact += row->kind == VERDICT_OK;
        summary->digest = digest_word(summary->digest, row->digest);
    }
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        summary->compared[s] += row->compared[s];
    }
    if (badness(row->kind) > badness(summary->worst)) {
        summary->worst = row->kind;
    }
    if (self->on_row != NULL) {
        self->on_row(self->user, row);
    }
}

static tpu_status run_line(suite *self, const char *program, const suite_shape *shape,
                           const call *calls, size_t count, tpu_message *why) {
    suite_row row = {.shape = *shape, .kind = VERDICT_OK, .digest = DIGEST_START};
    const tpu_params *p = self->params;
    (void)snprintf(row.program, sizeof row.program, "%s", program);
    if (calls[0].is_gemm) {
        row.ideal = (uint64_t)(shape->n / p->t) * (shape->k / p->t) * shape->m;
    }
    if (!session_can_renew(self->session)) {
        self->summary->stopped = true;
        return TPU_OK;
    }
    tpu_status status = session_renew(self->session, why);
    for (size_t i = 0; i < count && status == TPU_OK && row.kind == VERDICT_OK; i++) {
        run_call(self, &calls[i], count == 1, &row);
    }
    if (status != TPU_OK) {
        return status;
    }
    finish_row(self, &row);
    if (row.kind == VERDICT_ERROR) { // a broken harness proves nothing in the other lines either
        return status_fail(why, TPU_ERR_INTERNAL, "%s: %.400s", row.program, row.sentence.text);
    }
    return TPU_OK;
}

static tpu_status run_gemms(suite *self, const suite_shape *shape, tpu_message *why) {
    static const call lines[] = {
        {"gemm looped", PROGRAMS_LOOPED, false, OPERANDS_FULL, 1, build_gemm, {0}, true},
        {"gemm relu looped", PROGRAMS_LOOPED, true, OPERANDS_CORNER, 2, build_gemm, {0}, true},
        {"gemm flat", PROGRAMS_FLAT, false, OPERANDS_MID, 3, build_gemm, {0}, true},
        {"gemm relu flat", PROGRAMS_FLAT, true, OPERANDS_BOUNDARY, 4, build_gemm, {0}, true}};
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && status == TPU_OK; i++) {
        status = run_line(self, lines[i].name, shape, &lines[i], 1, why);
    }
    return status;
}

// The calls of a stress line, in one engine after another.
static tpu_status run_stress(suite *self, const suite_shape *shape, tpu_message *why) {
    static const call calls[] = {
        {"corner", PROGRAMS_LOOPED, false, OPERANDS_CORNER, 900, build_gemm, {0}, true},
        {"full relu", PROGRAMS_LOOPED, true, OPERANDS_FULL, 901, build_gemm, {0}, true},
        {"boundary", PROGRAMS_LOOPED, false, OPERANDS_BOUNDARY, 902, build_gemm, {0}, true},
        {"mid relu", PROGRAMS_LOOPED, true, OPERANDS_MID, 903, build_gemm, {0}, true},
        {"vector", PROGRAMS_LOOPED, false, OPERANDS_FULL, 950, build_vector, {0}, false},
        {"distance", PROGRAMS_LOOPED, false, OPERANDS_FULL, 951, build_distance, {0}, false}};
    return run_line(self, "stress", shape, calls, sizeof calls / sizeof calls[0], why);
}

static tpu_status run_orders(suite *self, const suite_shape *shape, tpu_message *why) {
    static const call lines[] = {
        {"gemm interleaved", PROGRAMS_INTERLEAVED, false, OPERANDS_FULL, 5, build_gemm, {0}, true},
        {"gemm b_per_tile", PROGRAMS_B_PER_TILE, true, OPERANDS_FULL, 6, build_gemm, {0}, true},
        {"gemm fast", PROGRAMS_FAST, true, OPERANDS_FULL, 7, build_gemm, {0}, true}};
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && status == TPU_OK; i++) {
        status = run_line(self, lines[i].name, shape, &lines[i], 1, why);
    }
    return status;
}

// Programs that hang a machine whose pipelines freeze as a whole.
static tpu_status run_families(suite *self, tpu_message *why) {
    static const call lines[] = {
        {"tiled n2b2k2r4", 0, false, OPERANDS_FULL, 10, build_tiled, {2, 2, 2, 4}, false},
        {"tiled n1b2k2r4", 0, false, OPERANDS_FULL, 11, build_tiled, {1, 2, 2, 4}, false},
        {"tiled n2b1k2r4", 0, false, OPERANDS_FULL, 12, build_tiled, {2, 1, 2, 4}, false},
        {"tiled n1b1k2r4", 0, false, OPERANDS_FULL, 13, build_tiled, {1, 1, 2, 4}, false},
        {"tiled n2b2k1r4", 0, false, OPERANDS_FULL, 14, build_tiled, {2, 2, 1, 4}, false},
        {"tiled n2b2k2r8", 0, false, OPERANDS_FULL, 15, build_tiled, {2, 2, 2, 8}, false},
        {"pointwise n4r16relu", 0, true, OPERANDS_FULL, 16, build_pointwise, {4, 16}, false},
        {"pointwise n1r16relu", 0, true, OPERANDS_FULL, 17, build_pointwise, {1, 16}, false},
        {"pointwise n4r16", 0, false, OPERANDS_FULL, 18, build_pointwise, {4, 16}, false},
        {"pointwise n4r4relu", 0, true, OPERANDS_FULL, 19, build_pointwise, {4, 4}, false}};
    static const suite_shape none = {0, 0, 0};
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && status == TPU_OK; i++) {
        status = run_line(self, lines[i].name, &none, &lines[i], 1, why);
    }
    return status;
}

static tpu_status run_others(suite *self, tpu_message *why) {
    static const call vadd = {"vadd", 0, false, OPERANDS_FULL, 20, build_vadd, {0}, false};
    static const call vector = {"vector", 0, false, OPERANDS_FULL, 21, build_vector, {0}, false};
    const tpu_params *p = self->params;
    uint32_t rows = p->maxdim < 16 ? p->maxdim : p->t > 16 ? p->t : 16;
    const suite_shape shape = {rows, p->t, p->t};
    const suite_shape none = {0, 0, 0};
    tpu_status status = run_line(self, "vadd", &shape, &vadd, 1, why);
    return status == TPU_OK ? run_line(self, "vector", &none, &vector, 1, why) : status;
}

const tpu_params *suite_params(const suite *self) {
    return self->params;
}

tpu_status suite_begin(suite *self, const char *program, tpu_message *why) {
    self->line = (suite_row){.kind = VERDICT_OK, .digest = DIGEST_START};
    (void)snprintf(self->line.program, sizeof self->line.program, "%s", program);
    return session_renew(self->session, why);
}

static void place(uint8_t *region, uint32_t stride, const int8_t *from, uint32_t rows,
                  uint32_t columns) {
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(region + (size_t)row * stride, from + (size_t)row * columns, columns);
    }
}

static void crop(const uint8_t *region, uint32_t stride, int8_t *to, uint32_t rows,
                 uint32_t columns) {
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(to + (size_t)row * columns, region + (size_t)row * stride, columns);
    }
}

tpu_status suite_gemm(suite *self, const suite_product *product, tpu_message *why) {
    const call what = {.form = PROGRAMS_LOOPED,
                       .relu = product->relu,
                       .operands = OPERANDS_FULL,
                       .seed = 30,
                       .is_gemm = true};
    const suite_shape shape = {product->m, product->k, product->n};
    uint32_t stride = self->params->maxdim;
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    tpu_status status = build_gemm(self, &what, &shape, &program, why);
    if (status == TPU_OK) {
        status = image_build(self->params, &program, true, &words, why);
    }
    if (status == TPU_OK) {
        uint64_t least = self->line.cycles;
        fill_operands(self, &what, &shape);
        place(self->a, stride, product->a, product->m, product->k);
        place(self->b, stride, product->b, product->k, product->n);
        lockstep_job job = make_job(self, &what, &shape, &program, &words);
        self->line.cycles = 0;
        run_job(self, &job, false, &self->line);
        self->line.cycles += least; // a caller's line is one piece of work: its cycles add up
        crop(session_c(self->session), stride, product->machine, product->m, product->n);
        crop(session_model_c(self->session), stride, product->model, product->m, product->n);
        if (self->line.kind != VERDICT_OK) {
            status = status_fail(why, TPU_ERR_ENGINE, "%s", self->line.sentence.text);
        }
    }
    image_clear(&words);
    isa_program_clear(&program);
    return status;
}

void suite_end(suite *self, bool exact, const char *note) {
    if (!exact && self->line.kind == VERDICT_OK) {
        self->line.kind = VERDICT_MISMATCH;
    }
    (void)snprintf(self->line.note.text, sizeof self->line.note.text, "%s",
                   note != NULL ? note : "");
    finish_row(self, &self->line);
}

void suite_skip(suite *self, const tpu_message *why) {
    self->line.skipped = true;
    self->line.sentence = *why;
    finish_row(self, &self->line);
}

static tpu_status run_all(suite *self, const suite_shape *shapes, size_t count, tpu_message *why) {
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < count && status == TPU_OK; i++) {
        status = run_gemms(self, &shapes[i], why);
        if (status == TPU_OK && self->options->stress) {
            status = run_orders(self, &shapes[i], why);
        }
        if (status == TPU_OK && self->options->stress) {
            status = run_stress(self, &shapes[i], why);
        }
    }
    if (status == TPU_OK) {
        status = run_others(self, why);
    }
    if (status == TPU_OK && self->options->stress) {
        status = run_families(self, why);
    }
    if (status == TPU_OK && self->options->extra != NULL && session_can_renew(self->session)) {
        status = self->options->extra(self->options->extra_user, self, why);
    }
    return status;
}

static tpu_status open_session(suite *self, tpu_message *why) {
    const suite_options *options = self->options;
    const session_options with = {.engine = options->engine,
                                  .config = options->config,
                                  .hang_limit = options->hang_limit,
                                  .seed = options->seed,
                                  .api = options->api};
    size_t region = params_region_bytes(self->params);
    self->a = malloc(region);
    self->b = malloc(region);
    self->c = malloc(region);
    if (self->a == NULL || self->b == NULL || self->c == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "suite: out of memory");
    }
    return session_open(&with, &self->session, why);
}

tpu_status suite_run(const suite_options *options, suite_on_row on_row, void *user,
                     suite_summary *out, tpu_message *why) {
    suite self = {.options = options,
                  .params = &options->config.params,
                  .on_row = on_row,
                  .user = user,
                  .summary = out};
    suite_shape usual[SUITE_SHAPES_MAX];
    const suite_shape *shapes = options->shapes;
    size_t count = options->shape_count;
    if (shapes == NULL) {
        shapes = usual;
        count = suite_shapes(self.params, usual, SUITE_SHAPES_MAX);
    }
    *out = (suite_summary){.worst = VERDICT_OK, .digest = DIGEST_START};
    tpu_status status = open_session(&self, why);
    if (status == TPU_OK) {
        status = run_all(&self, shapes, count, why);
    }
    session_close(self.session);
    free(self.a);
    free(self.b);
    free(self.c);
    return status;
}
