// SPDX-License-Identifier: Apache-2.0
//
// The shipped programs. Words, counts and headers come from the reference description of the
// original machine; that a form computes the same GEMM as another is shown on their issues.

#include "csim/isa/programs.h"

#include "csim/isa/check.h"
#include "csim/isa/expand.h"
#include "csim/isa/image.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static isa_program gemm(const tpu_params *params, programs_form form, uint32_t m, uint32_t k,
                        uint32_t n, bool relu) {
    isa_program program = {0};
    tpu_message why = {""};
    tpu_status status = programs_gemm(params, form, m, k, n, relu, &program, &why);
    cr_assert_eq(status, TPU_OK, "%ux%ux%u: %s", m, k, n, why.text);
    return program;
}

static image image_of(const tpu_params *params, const isa_program *program) {
    image built = {0};
    tpu_message why = {""};
    tpu_status status = image_build(params, program, true, &built, &why);
    cr_assert_eq(status, TPU_OK, "%s", why.text);
    return built;
}

static void expect_words(uint32_t m, uint32_t k, uint32_t n, bool relu, const uint64_t *words,
                         size_t count) {
    tpu_params params = params_default(4, 64);
    isa_program program = gemm(&params, PROGRAMS_LOOPED, m, k, n, relu);
    image built = image_of(&params, &program);
    cr_assert_eq(built.count, TPU_NHDR + count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(built.words[TPU_NHDR + i], words[i], "word %zu is %016" PRIx64, i,
                     built.words[TPU_NHDR + i]);
    }
    image_clear(&built);
    isa_program_clear(&program);
}

Test(programs, the_looped_8x8x8_with_relu_has_the_published_words) {
    static const uint64_t words[] = {
        0x0080000000000008, 0,
        0x0200000000000081, 0x0000000100200083,
        0x0000000000000009, 0,
        0x0080000000000008, 0,
        0x0200000000000041, 0x0000000100200083,
        0x0000000000000009, 0,
        0x0080000000000008, 0,
        0x0200000000000004, 0x0000000000002004,
        0x0040000000000008, 0,
        0x0200100040001004, 0x0000850100202011,
        0x0000000000000009, 0,
        0x0200000000000006, 0,
        0x0200000000000007, 0x0000000000000083,
        0x0000000000000009, 0,
    };
    expect_words(8, 8, 8, true, words, sizeof words / sizeof words[0]);
}

Test(programs, the_looped_4x4x4_has_the_published_words) {
    static const uint64_t words[] = {
        0x0040000000000008,
        0,
        0x0100000000000081,
        0x0000000100200083,
        9,
        0,
        0x0040000000000008,
        0,
        0x0100000000000041,
        0x0000000100200083,
        9,
        0,
        0x0040000000000008,
        0,
        0x0100000000000004,
        0x2004,
        0x0100000000000007,
        0x83,
        9,
        0,
    };
    expect_words(4, 4, 4, false, words, sizeof words / sizeof words[0]);
}

typedef struct published {
    uint32_t t, m, k, n;
    uint64_t issues, fetches; // 0 = not published
    uint64_t header[TPU_NHDR];
    uint64_t accu_relu; // 0 = not published
} published;

static const published table[] = {
    {4, 4, 4, 4, 4, 10, {10, 8, 9, 8, 262145, 8, 4, 262148}, 12},
    {4, 8, 8, 8, 10, 23, {13, 32, 36, 48, 2097156, 48, 16, 524296}, 64},
    {4, 12, 12, 12, 18, 39, {13, 72, 81, 144, 7077897, 144, 36, 786444}, 180},
    {4, 16, 16, 8, 16, 35, {13, 96, 72, 192, 8388616, 160, 32, 1048592}, 192},
    {4, 16, 16, 16, 28, 59, {13, 128, 144, 320, 16777232, 320, 64, 1048592}, 384},
    {4, 32, 32, 32, 88, 179, {13, 512, 576, 2304, 134217792, 2304, 256, 2097184}, 2560},
    {4, 48, 48, 48, 180, 363, {13, 1152, 1296, 7488, 452984976, 7488, 576, 3145776}, 8064},
    {4, 64, 64, 64, 304, 611, {13, 2048, 2304, 17408, 1073742080, 17408, 1024, 4194368}, 18432},
    {4, 64, 32, 64, 168, 339, {13, 1024, 1152, 8704, 536871040, 9216, 1024, 2097216}, 10240},
    {4, 32, 64, 32, 160, 323, {13, 1024, 1152, 4608, 268435584, 4352, 256, 4194336}, 4608},
    {8, 8, 8, 8, 0, 0, {10, 16, 17, 16, 524289, 16, 8, 524296}, 0},
    {8, 16, 16, 8, 0, 0, {13, 48, 34, 64, 2097154, 48, 16, 1048592}, 0},
    {8, 16, 16, 16, 0, 0, {13, 64, 68, 96, 4194308, 96, 32, 1048592}, 0},
    {8, 64, 64, 64, 0, 0, {13, 1024, 1088, 4608, 268435520, 4608, 512, 4194368}, 0},
};

#define TABLE_ROWS (sizeof table / sizeof table[0])

static void expect_header(const published *row, uint32_t maxdim, bool relu) {
    tpu_params params = params_default(row->t, maxdim);
    isa_program program = gemm(&params, PROGRAMS_LOOPED, row->m, row->k, row->n, relu);
    image built = image_of(&params, &program);
    uint64_t tiles = row->n / row->t;
    uint64_t wanted[TPU_NHDR];
    memcpy(wanted, row->header, sizeof wanted);
    if (relu) {
        wanted[0] += 1;
        wanted[5] += row->m * tiles;
        cr_expect(row->accu_relu == 0 || row->accu_relu == wanted[5]);
    }
    for (size_t i = 0; i < TPU_NHDR; i++) {
        cr_expect_eq(built.words[i], wanted[i], "T=%u %ux%ux%u MAXDIM=%u: word %zu is %" PRIu64,
                     row->t, row->m, row->k, row->n, maxdim, i, built.words[i]);
    }
    image_clear(&built);
    isa_program_clear(&program);
}

Test(programs, looped_headers_are_the_published_ones_at_every_maxdim) {
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        for (int relu = 0; relu < 2; relu++) {
            expect_header(&table[i], 64, relu != 0);
            if (table[i].m <= 16 && table[i].k <= 16 && table[i].n <= 16) {
                expect_header(&table[i], 16, relu != 0);
            }
        }
    }
}

Test(programs, looped_issue_and_fetch_counts_are_the_published_ones) {
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        if (table[i].issues == 0) {
            continue;
        }
        tpu_params params = params_default(table[i].t, 64);
        isa_program program =
            gemm(&params, PROGRAMS_LOOPED, table[i].m, table[i].k, table[i].n, false);
        image_counts counts;
        cr_assert_eq(image_count(&params, &program, &counts, NULL), TPU_OK);
        cr_expect_eq(counts.issues, table[i].issues);
        cr_expect_eq(counts.fetches, table[i].fetches);
        isa_program_clear(&program);
    }
}

// Whole run of a program as a list; the caller frees it.
static isa_issue *run(const isa_program *program, size_t *count) {
    size_t room = 4096;
    isa_issue *list = malloc(room * sizeof *list);
    expand it;
    expand_start(&it, program);
    bool done = false;
    *count = 0;
    while (true) {
        cr_assert_lt(*count, room);
        cr_assert_eq(expand_next(&it, &list[*count], &done, NULL), TPU_OK);
        if (done) {
            return list;
        }
        (*count)++;
    }
}

static void expect_same_run(const tpu_params *params, uint32_t m, uint32_t k, uint32_t n,
                            bool relu) {
    isa_program looped = gemm(params, PROGRAMS_LOOPED, m, k, n, relu);
    isa_program flat = gemm(params, PROGRAMS_FLAT, m, k, n, relu);
    size_t counts[2];
    isa_issue *lists[2] = {run(&looped, &counts[0]), run(&flat, &counts[1])};
    cr_expect_eq(counts[0], counts[1]);
    for (size_t i = 0; i < counts[0] && i < counts[1]; i++) {
        const isa_issue *a = &lists[0][i];
        const isa_issue *b = &lists[1][i];
        cr_expect(a->op == b->op && a->nr == b->nr && memcmp(a->f, b->f, sizeof a->f) == 0,
                  "%ux%ux%u issue %zu", m, k, n, i);
    }
    free(lists[0]);
    free(lists[1]);
    isa_program_clear(&looped);
    isa_program_clear(&flat);
}

Test(programs, looped_and_flat_run_alike_at_every_shape_and_relu) {
    for (uint32_t t = 4; t <= 8; t += 4) {
        tpu_params params = params_default(t, 64);
        for (uint32_t m = t; m <= 64; m += 4 * t) {
            for (uint32_t k = t; k <= 64; k += t) {
                for (uint32_t n = t; n <= 64; n += t) {
                    expect_same_run(&params, m, k, n, false);
                    expect_same_run(&params, m, k, n, true);
                }
            }
        }
    }
}

// Side of the test matrices: the DRAM row stride.
enum { SIDE = 64 };

// A tiny interpreter of issues on whole rows, written for this test alone: T lanes a row.
typedef struct toy {
    uint32_t t;
    int32_t a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    int32_t spad[2048][16], vr[2048][16], ar[2048][16];
} toy;

static void toy_mm(toy *self, const isa_issue *at, uint32_t row) {
    for (uint32_t j = 0; j < self->t; j++) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < self->t; i++) {
            sum += self->vr[at->f[0] + row][i] * self->spad[at->f[3] + i][j];
        }
        int32_t base = at->f[2] == 1 ? self->ar[at->f[1] + row][j] : 0;
        self->ar[at->f[1] + row][j] = base + sum;
    }
}

static void toy_row(toy *self, const isa_issue *at, uint32_t row) {
    for (uint32_t j = 0; at->op != TPU_OP_MM && j < self->t; j++) {
        const int32_t *source = (at->f[0] & 1) != 0 ? self->b : self->a;
        int32_t(*target)[16] = (at->f[0] & 2) != 0 ? self->vr : self->spad;
        switch (at->op) {
        case TPU_OP_DMA_LD:
            target[at->f[3] + row][j] = source[(at->f[1] + row) * SIDE + at->f[2] * self->t + j];
            break;
        case TPU_OP_VADD:
            self->ar[at->f[0] + row][j] = self->ar[at->f[1] + row][j] + self->ar[at->f[2] + row][j];
            break;
        case TPU_OP_VRELU:
            self->ar[at->f[0] + row][j] =
                self->ar[at->f[1] + row][j] > 0 ? self->ar[at->f[1] + row][j] : 0;
            break;
        default:
            self->c[(at->f[1] + row) * SIDE + at->f[2] * self->t + j] = self->ar[at->f[0] + row][j];
            break;
        }
    }
    if (at->op == TPU_OP_MM) {
        toy_mm(self, at, row);
    }
}

static toy *toy_run(const isa_program *program, uint32_t t) {
    toy *self = calloc(1, sizeof *self);
    self->t = t;
    for (int i = 0; i < SIDE * SIDE; i++) {
        self->a[i] = (i * 7 + 3) % 11 - 5;
        self->b[i] = (i * 5 + 1) % 13 - 6;
        self->c[i] = -99;
    }
    size_t count;
    isa_issue *list = run(program, &count);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t row = 0; row < list[i].nr; row++) {
            toy_row(self, &list[i], row);
        }
    }
    free(list);
    return self;
}

// C cell by the textbook; outside the window the marker -99 must stand.
static int32_t product(const toy *self, uint32_t row, uint32_t col, uint32_t k, bool relu) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < k; i++) {
        sum += self->a[row * SIDE + i] * self->b[i * SIDE + col];
    }
    return relu && sum < 0 ? 0 : sum;
}

static void expect_product(uint32_t t, programs_form form, uint32_t m, uint32_t k, uint32_t n,
                           bool relu) {
    tpu_params params = params_default(t, SIDE);
    isa_program program = gemm(&params, form, m, k, n, relu);
    tpu_message why = {""};
    cr_assert_eq(check_program(&params, &program, NULL, &why), TPU_OK, "%s T=%u %ux%ux%u: %s",
                 programs_form_name(form), t, m, k, n, why.text);
    toy *self = toy_run(&program, t);
    size_t wrong = 0;
    for (uint32_t row = 0; row < SIDE; row++) {
        for (uint32_t col = 0; col < SIDE; col++) {
            int32_t wanted = row < m && col < n ? product(self, row, col, k, relu) : -99;
            wrong += self->c[row * SIDE + col] != wanted;
        }
    }
    cr_expect_eq(wrong, 0, "%s T=%u %ux%ux%u relu=%d: %zu cells", programs_form_name(form), t, m, k,
                 n, relu, wrong);
    free(self);
    isa_program_clear(&program);
}

Test(programs, every_form_multiplies_and_touches_nothing_else) {
    static const uint32_t extents[] = {1, 2, 3, 4, 8};
    for (int form = 0; form < PROGRAMS_FORM_COUNT; form++) {
        for (size_t i = 0; i < 125; i++) {
            uint32_t t = i % 3 == 0 ? 8 : 4;
            uint32_t m = t * extents[i % 5];
            uint32_t k = t * extents[i / 5 % 5];
            uint32_t n = t * extents[i / 25];
            expect_product(t, (programs_form)form, m, k, n, i % 2 == 1);
        }
        expect_product(4, (programs_form)form, 64, 64, 64, true);
        expect_product(4, (programs_form)form, 64, 64, 64, false);
        expect_product(4, (programs_form)form, 64, 8, 60, true);
        expect_product(4, (programs_form)form, 5, 8, 12, true);
    }
}

Test(programs, all_forms_but_fast_promise_the_same_work) {
    tpu_params params = params_default(4, 64);
    isa_program looped = gemm(&params, PROGRAMS_LOOPED, 32, 16, 24, true);
    image_counts wanted;
    cr_assert_eq(image_count(&params, &looped, &wanted, NULL), TPU_OK);
    for (int form = PROGRAMS_INTERLEAVED; form <= PROGRAMS_FLAT; form++) {
        isa_program other = gemm(&params, (programs_form)form, 32, 16, 24, true);
        image_counts counts;
        cr_assert_eq(image_count(&params, &other, &counts, NULL), TPU_OK);
        cr_expect_eq(memcmp(&counts.dma_ld_rows, &wanted.dma_ld_rows, 9 * sizeof(uint64_t)), 0);
        isa_program_clear(&other);
    }
    isa_program_clear(&looped);
}

Test(programs, static_lengths_stay_in_their_bounds) {
    for (uint32_t n = 4; n <= 64; n += 4) {
        for (int relu = 0; relu < 2; relu++) {
            tpu_params params = params_default(4, 64);
            isa_program looped = gemm(&params, PROGRAMS_LOOPED, 64, 64, n, relu != 0);
            isa_program inter = gemm(&params, PROGRAMS_INTERLEAVED, 64, 64, n, relu != 0);
            isa_program fast = gemm(&params, PROGRAMS_FAST, 64, 64, n, relu != 0);
            cr_expect_leq(looped.count, 14);
            cr_expect_leq(inter.count, 18);
            cr_expect_leq(fast.count, 24, "n=%u relu=%d: %zu", n, relu, fast.count);
            isa_program_clear(&looped);
            isa_program_clear(&inter);
            isa_program_clear(&fast);
        }
    }
}

static void expect_image(const tpu_params *params, isa_program *program,
                         const uint64_t header[TPU_NHDR]) {
    image built = image_of(params, program);
    for (size_t i = 0; i < TPU_NHDR; i++) {
        cr_expect_eq(built.words[i], header[i], "word %zu is %" PRIu64, i, built.words[i]);
    }
    image_clear(&built);
    isa_program_clear(program);
}

Test(programs, vadd_has_the_published_header) {
    static const uint64_t header[TPU_NHDR] = {7, 20, 14, 48, 2097154, 96, 16, 262160};
    tpu_params params = params_default(4, 64);
    isa_program program = {0};
    cr_assert_eq(programs_vadd(&params, 16, &program, NULL), TPU_OK);
    expect_image(&params, &program, header);
}

Test(programs, vector_has_the_published_header) {
    static const uint64_t header[TPU_NHDR] = {14, 24, 39, 40, 1572867, 72, 24, 851979};
    tpu_params params = params_default(4, 64);
    isa_program program = {0};
    cr_assert_eq(programs_vector(&params, 8, &program, NULL), TPU_OK);
    expect_image(&params, &program, header);
}

Test(programs, ar_distance_has_the_published_header) {
    static const uint64_t header[TPU_NHDR] = {11, 8, 19, 15, 720899, 40, 11, 262148};
    tpu_params params = params_default(4, 64);
    isa_program program = {0};
    cr_assert_eq(programs_ar_distance(&params, 4, &program, NULL), TPU_OK);
    expect_image(&params, &program, header);
}

Test(programs, ar_distance_is_legal_from_four_on_and_refused_at_three) {
    tpu_params params = params_default(4, 64);
    for (uint32_t d = 1; d <= 32; d++) {
        isa_program program = {0};
        check_finding found;
        cr_assert_eq(programs_ar_distance(&params, d, &program, NULL), TPU_OK);
        tpu_status status = check_program(&params, &program, &found, NULL);
        cr_expect_eq(status, d >= 4 ? TPU_OK : TPU_REFUSED, "d=%u", d);
        cr_expect_eq(found.rule, d >= 4 ? TPU_RULE_NONE : TPU_RULE_RAW_DISTANCE, "d=%u", d);
        isa_program_clear(&program);
    }
}

// The family whose original versions hung in shallow channels: n_out, n_block, n_reduce, rows.
static const uint32_t tiled_family[][4] = {{2, 2, 2, 4}, {1, 2, 2, 4}, {2, 1, 2, 4},
                                           {1, 1, 2, 4}, {2, 2, 1, 4}, {2, 2, 2, 8}};

Test(programs, the_tiled_family_multiplies_within_24_instructions) {
    tpu_params params = params_default(4, SIDE);
    for (size_t i = 0; i < sizeof tiled_family / sizeof tiled_family[0]; i++) {
        const uint32_t *f = tiled_family[i];
        isa_program program = {0};
        cr_assert_eq(programs_tiled(&params, f[0], f[1], f[2], f[3], &program, NULL), TPU_OK);
        cr_expect_eq(check_program(&params, &program, NULL, NULL), TPU_OK);
        cr_expect_leq(program.count, 24);
        toy *self = toy_run(&program, 4);
        for (uint32_t row = 0; row < f[0] * f[3]; row++) {
            for (uint32_t col = 0; col < f[1] * 4; col++) {
                cr_expect_eq(self->c[row * SIDE + col], product(self, row, col, f[2] * 4, false));
            }
        }
        free(self);
        isa_program_clear(&program);
    }
}

static void expect_pointwise(uint32_t n_out, uint32_t rows, bool relu) {
    tpu_params params = params_default(4, SIDE);
    isa_program program = {0};
    cr_assert_eq(programs_pointwise(&params, n_out, rows, relu, &program, NULL), TPU_OK);
    cr_expect_eq(check_program(&params, &program, NULL, NULL), TPU_OK);
    cr_expect_leq(program.count, 24);
    toy *self = toy_run(&program, 4);
    for (uint32_t row = 0; row < n_out * rows; row++) {
        for (uint32_t col = 0; col < 4; col++) {
            cr_expect_eq(self->c[row * SIDE + col], 2 * product(self, row, col, 4, relu));
        }
    }
    free(self);
    isa_program_clear(&program);
}

Test(programs, the_pointwise_family_doubles_and_rectifies) {
    expect_pointwise(4, 16, true);
    expect_pointwise(1, 16, true);
    expect_pointwise(4, 16, false);
    expect_pointwise(4, 4, true);
}

Test(programs, the_test_programs_are_legal_at_every_t_that_has_room) {
    static const uint32_t points[][2] = {{4, 16}, {4, 64}, {8, 64}, {16, 64}, {12, 48}};
    for (size_t p = 0; p < sizeof points / sizeof points[0]; p++) {
        tpu_params params = params_default(points[p][0], points[p][1]);
        isa_program list[4] = {{0}};
        tpu_message why = {""};
        cr_assert_eq(programs_vector(&params, params.t, &list[0], &why), TPU_OK, "%s", why.text);
        cr_assert_eq(programs_vadd(&params, 16, &list[1], &why), TPU_OK, "%s", why.text);
        cr_assert_eq(programs_ar_distance(&params, 8, &list[2], &why), TPU_OK, "%s", why.text);
        cr_assert_eq(programs_tiled(&params, 2, 2, 2, 8, &list[3], &why), TPU_OK, "%s", why.text);
        for (size_t i = 0; i < 4; i++) {
            cr_expect_eq(check_program(&params, &list[i], NULL, &why), TPU_OK, "%s", why.text);
            isa_program_clear(&list[i]);
        }
    }
}

Test(programs, what_a_layout_cannot_hold_is_refused_with_a_sentence) {
    tpu_params params = params_default(4, 16);
    isa_program program = {0};
    tpu_message why = {""};
    cr_expect_eq(programs_gemm(&params, PROGRAMS_FAST, 16, 16, 20, false, &program, &why),
                 TPU_REFUSED);
    cr_expect_str_eq(why.text, "GEMM 16x16x20 is refused by build_extent: needs 20, 16 is allowed, "
                               "over by 4");
    cr_expect_eq(programs_vadd(&params, 17, &program, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "vadd cannot be built here: it needs M <= MAXDIM");
    cr_expect_eq(programs_vector(&params, 10, &program, &why), TPU_REFUSED);
    cr_expect_eq(programs_ar_distance(&params, 9, &program, &why), TPU_REFUSED);
    cr_expect_eq(programs_tiled(&params, 5, 1, 1, 4, &program, &why), TPU_REFUSED);
    cr_expect_eq(programs_pointwise(&params, 2, 3, true, &program, &why), TPU_REFUSED);
    cr_expect_eq(program.count, 0);
    cr_expect_null(program.insn);
}

Test(programs, form_names_go_both_ways) {
    for (int form = 0; form < PROGRAMS_FORM_COUNT; form++) {
        programs_form back;
        cr_assert(programs_form_from_name(programs_form_name((programs_form)form), &back));
        cr_expect_eq((int)back, form);
    }
    programs_form untouched = PROGRAMS_FLAT;
    cr_expect_not(programs_form_from_name("slow", &untouched));
    cr_expect_eq(untouched, PROGRAMS_FLAT);
}
