// SPDX-License-Identifier: Apache-2.0
//
// Model and oracle, which share no code, on the shipped programs and on random legal ones: the
// same C, and the same cells written. Never the only evidence for either: see their own tests.

#include "base/rng.h"
#include "csim/isa/check.h"
#include "csim/isa/image.h"
#include "csim/isa/programs.h"
#include "harness/oracle/oracle.h"
#include "tests/support/record.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX (64 * 64)
#define RANDOM_PROGRAMS 300
#define BLOCKS 24

static int8_t a[CELLS_MAX], b[CELLS_MAX], before[CELLS_MAX], c[CELLS_MAX];
static uint8_t written[CELLS_MAX], shown[CELLS_MAX];
static tpu_message why;

// ---- one program through both ------------------------------------------------------------------

static void run_model(arch *model, const image *code, record *rows) {
    bool done = false;
    tpu_status status = arch_start(model, code->words, code->count, record_take, rows, &why);
    while (!done && status == TPU_OK) {
        status = arch_step(model, record_take, rows, &done, &why);
    }
    cr_assert_eq(status, TPU_OK, "%s", why.text);
}

static void mark_shown(const tpu_params *params, const record *rows) {
    memset(shown, 0, sizeof shown);
    for (size_t i = 0; i < record_count(rows, TPU_STREAM_C_WRITE); i++) {
        size_t row = (size_t)record_number(rows, TPU_STREAM_C_WRITE, i, 0, 2);
        size_t block = (size_t)record_number(rows, TPU_STREAM_C_WRITE, i, 2, 2);
        memset(shown + row * params->maxdim + block * params->t, 1, params->t);
    }
}

// The row counts that a unit is sent (bits 61:54) add up to what the header promised it.
static void expect_promise(const record *rows, tpu_stream channel, size_t front, const char *name) {
    uint64_t promised = record_number(rows, channel, 0, 0, 8) & 0xFFFF;
    uint64_t sent = 0;
    for (size_t i = front; i < record_count(rows, channel); i++) {
        sent += record_number(rows, channel, i, 0, 8) >> 54;
    }
    cr_expect_eq(sent, promised, "%s", name);
}

static void expect_promises(const record *rows) {
    expect_promise(rows, TPU_STREAM_C_DLD, 2, "dma_ld");
    expect_promise(rows, TPU_STREAM_C_SPM, 2, "spm");
    expect_promise(rows, TPU_STREAM_C_VRU, 1, "vru");
    expect_promise(rows, TPU_STREAM_C_ACC, 1, "accu");
    expect_promise(rows, TPU_STREAM_C_DST, 1, "dma_st");
    uint64_t counts = record_number(rows, TPU_STREAM_C_SPM, 1, 0, 8);
    cr_expect_eq(record_count(rows, TPU_STREAM_CW), counts >> 16);
}

static void expect_twins(const tpu_params *params, const isa_program *program, uint64_t seed) {
    size_t cells = params_region_bytes(params);
    image code = {0};
    record rows = {0};
    rng source;
    rng_seed(&source, seed);
    rng_fill(&source, a, cells);
    rng_fill(&source, b, cells);
    rng_fill(&source, before, cells);
    memcpy(c, before, cells);
    cr_assert_eq(image_build(params, program, true, &code, &why), TPU_OK, "%s", why.text);
    arch *model = arch_create(params);
    cr_assert_not_null(model);
    arch_set_memory(model, TPU_MEM_A, a, cells);
    arch_set_memory(model, TPU_MEM_B, b, cells);
    arch_set_memory(model, TPU_MEM_C, before, cells);
    run_model(model, &code, &rows);
    const oracle_shape shape = {.t = params->t, .maxdim = params->maxdim};
    tpu_status status = oracle_program(&shape, code.words, code.count, a, b, c, written, &why);
    cr_assert_eq(status, TPU_OK, "seed %llu: %s", (unsigned long long)seed, why.text);
    size_t bytes = 0;
    cr_expect_arr_eq(arch_memory(model, TPU_MEM_C, &bytes), c, cells, "seed %llu",
                     (unsigned long long)seed);
    mark_shown(params, &rows);
    cr_expect_arr_eq(shown, written, cells, "seed %llu", (unsigned long long)seed);
    expect_promises(&rows);
    arch_destroy(model);
    record_clear(&rows);
    image_clear(&code);
}

// ---- the shipped programs ----------------------------------------------------------------------

static tpu_params roomy(uint32_t t, uint32_t maxdim) {
    tpu_params params = params_default(t, maxdim);
    params.imem_size = 2048;
    return params;
}

Test(twins, every_form_of_the_gemm_agrees) {
    static const uint32_t shapes[][3] = {{4, 4, 4}, {8, 8, 8}, {16, 16, 8}, {12, 8, 16}};
    for (uint32_t t = 4; t <= 8; t += 4) {
        tpu_params params = roomy(t, 64);
        for (size_t i = 0; i < 4 * PROGRAMS_FORM_COUNT * 2; i++) {
            const uint32_t *shape = shapes[i % 4];
            programs_form form = (programs_form)(i / 4 % PROGRAMS_FORM_COUNT);
            isa_program program = {0};
            tpu_status status = programs_gemm(&params, form, shape[0], shape[1], shape[2],
                                              i / 4 / PROGRAMS_FORM_COUNT != 0, &program, &why);
            if (status == TPU_OK) {
                expect_twins(&params, &program, i);
            }
            isa_program_clear(&program);
        }
    }
}

static void expect_built(const tpu_params *params, tpu_status status, isa_program *program) {
    cr_assert_eq(status, TPU_OK, "%s", why.text);
    expect_twins(params, program, 11);
    isa_program_clear(program);
}

Test(twins, the_other_programs_agree) {
    tpu_params small = roomy(4, 64);
    tpu_params wide = roomy(8, 64);
    isa_program p = {0};
    expect_built(&small, programs_vadd(&small, 16, &p, &why), &p);
    expect_built(&small, programs_vector(&small, 8, &p, &why), &p);
    expect_built(&wide, programs_vector(&wide, 8, &p, &why), &p);
    expect_built(&small, programs_ar_distance(&small, 4, &p, &why), &p);
    expect_built(&small, programs_tiled(&small, 2, 2, 2, 4, &p, &why), &p);
    expect_built(&small, programs_pointwise(&small, 4, 16, true, &p, &why), &p);
}

// ---- random legal programs ---------------------------------------------------------------------

// Rows stay in a small window, so that what is written is often read.
static isa_insn random_insn(const tpu_params *params, rng *source) {
    static const uint8_t ops[] = {TPU_OP_DMA_LD, TPU_OP_DMA_LD, TPU_OP_VLD,      TPU_OP_MM,
                                  TPU_OP_MM,     TPU_OP_MM,     TPU_OP_VADD,     TPU_OP_VRELU,
                                  TPU_OP_MVOUT,  TPU_OP_MVOUT,  TPU_OP_VADDRELU, TPU_OP_NOP};
    isa_insn insn = {.op = ops[rng_below(source, sizeof ops)]};
    insn.nr = insn.op == TPU_OP_NOP ? 0 : (uint8_t)(1 + rng_below(source, 6));
    for (size_t i = 0; i < TPU_FIELDS && insn.op != TPU_OP_NOP; i++) {
        insn.f[i] = (uint16_t)rng_below(source, 12);
    }
    if (insn.op == TPU_OP_DMA_LD) {
        insn.f[0] = (uint16_t)rng_below(source, 4);
    }
    if (insn.op == TPU_OP_DMA_LD || insn.op == TPU_OP_MVOUT) {
        insn.f[2] = (uint16_t)rng_below(source, params_wpr(params));
    }
    if (insn.op == TPU_OP_MM) {
        insn.f[2] = (uint16_t)rng_below(source, 2);
    }
    return insn;
}

static void random_terms(rng *source, uint8_t depth, isa_insn *insn) {
    for (size_t i = 0; i < TPU_AGU_TERMS && insn->op != TPU_OP_NOP && depth > 0; i++) {
        insn->term[i].target = (uint8_t)rng_below(source, TPU_FIELDS + 1);
        insn->term[i].level = (uint8_t)rng_below(source, depth);
        insn->term[i].stride = (uint16_t)rng_below(source, 3);
    }
}

static void append(isa_program *program, isa_insn insn) {
    cr_assert_eq(isa_program_append(program, &insn), TPU_OK);
}

// One instruction or a nest around a few; what `check` refuses is taken back.
static void add_block(const tpu_params *params, rng *source, isa_program *program) {
    size_t kept = program->count;
    uint8_t depth = (uint8_t)(rng_below(source, 3) == 0 ? 1 + rng_below(source, 2) : 0);
    for (uint8_t i = 0; i < depth; i++) {
        append(program, (isa_insn){.op = TPU_OP_LOOP, .nr = (uint8_t)(1 + rng_below(source, 3))});
    }
    for (uint32_t i = 0; i <= (depth > 0 ? rng_below(source, 2) : 0); i++) {
        isa_insn insn = random_insn(params, source);
        random_terms(source, depth, &insn);
        append(program, insn);
    }
    for (uint8_t i = 0; i < depth; i++) {
        append(program, (isa_insn){.op = TPU_OP_ENDLOOP});
    }
    if (check_program(params, program, NULL, NULL) != TPU_OK) {
        program->count = kept;
    }
}

// Stores every accumulator row of the window that holds something; the row's age decides.
static void add_stores(const tpu_params *params, isa_program *program) {
    for (uint16_t row = 0; row < 12; row++) {
        isa_insn insn = {.op = TPU_OP_MVOUT, .nr = 1, .f = {row, row, row % 4u, 0}};
        append(program, insn);
        program->count -= check_program(params, program, NULL, NULL) != TPU_OK;
    }
}

static size_t count_op(const isa_program *program, uint8_t op) {
    size_t count = 0;
    for (size_t i = 0; i < program->count; i++) {
        count += program->insn[i].op == op;
    }
    return count;
}

static void expect_random_twins(uint32_t t, uint32_t maxdim) {
    tpu_params params = roomy(t, maxdim);
    size_t stores = 0;
    size_t sums = 0;
    for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
        rng source;
        isa_program program = {0};
        rng_seed(&source, seed * 1000 + t);
        append(&program, (isa_insn){.op = TPU_OP_DMA_LD, .nr = 12, .f = {0, 0, 1, 0}});
        append(&program, (isa_insn){.op = TPU_OP_DMA_LD, .nr = 9, .f = {3, 3, 0, 2}});
        append(&program, (isa_insn){.op = TPU_OP_MM, .nr = 5, .f = {3, 0, 0, 1}});
        for (size_t i = 0; i < 10 * BLOCKS && program.count < BLOCKS; i++) {
            add_block(&params, &source, &program);
        }
        add_stores(&params, &program);
        stores += count_op(&program, TPU_OP_MVOUT);
        sums += count_op(&program, TPU_OP_VADD) + count_op(&program, TPU_OP_VADDRELU);
        expect_twins(&params, &program, seed);
        isa_program_clear(&program);
    }
    cr_expect_geq(stores, 5 * RANDOM_PROGRAMS, "too few stores to mean anything");
    cr_expect_geq(sums, RANDOM_PROGRAMS / 4, "too few sums to mean anything");
}

Test(twins, random_programs_agree_at_width_4, .timeout = 120) {
    expect_random_twins(4, 16);
}

Test(twins, random_programs_agree_at_width_8, .timeout = 120) {
    expect_random_twins(8, 32);
}

Test(twins, random_programs_agree_at_an_odd_width, .timeout = 120) {
    expect_random_twins(5, 20);
}
