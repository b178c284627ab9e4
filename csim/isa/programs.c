// SPDX-License-Identifier: Apache-2.0
//
// The shipped programs that are no GEMM forms: two that exercise the vector operations, one that
// sits on the accumulator's distance contract, and the two unrolled families (row-tiled GEMM and
// element-wise) whose original versions hung in shallow channels.

#include "csim/isa/programs.h"

#include "csim/isa/nest.h"

#include <inttypes.h>

// One thing a layout needs; the sentence is "<program> needs <what>".
typedef struct demand {
    bool met;
    const char *what;
} demand;

static tpu_status check_demands(const char *program, const demand *list, size_t count,
                                tpu_message *why) {
    for (size_t i = 0; i < count; i++) {
        if (!list[i].met) {
            return status_fail(why, TPU_REFUSED, "%s cannot be built here: it needs %s", program,
                               list[i].what);
        }
    }
    return TPU_OK;
}

#define CHECK_DEMANDS(program, list, why)                                                          \
    check_demands((program), (list), sizeof(list) / sizeof((list)[0]), (why))

tpu_status programs_vadd(const tpu_params *params, uint32_t m, isa_program *out, tpu_message *why) {
    const demand needs[] = {
        {m >= TPU_AR_RAW_DIST && m <= TPU_MAXROWS, "M from 4 to 127 rows"},
        {m <= params->maxdim, "M <= MAXDIM"},
        {m <= params->nvr, "M <= NVR"},
        {(uint64_t)params->maxdim + 1 + m <= params->nar, "NAR >= MAXDIM + 1 + M"},
    };
    tpu_status status = CHECK_DEMANDS("vadd", needs, why);
    if (status != TPU_OK) {
        return status;
    }
    nest_ref zero = nest_base(0);
    nest_ref second = nest_base(params->maxdim + 1);
    nest n;
    nest_start(&n);
    nest_dma_ld(&n, NEST_FROM_A, NEST_TO_VR, zero, zero, zero, m);
    nest_dma_ld(&n, NEST_FROM_B, NEST_TO_SPAD, zero, zero, zero, params->t);
    nest_mm(&n, zero, zero, zero, zero, m);
    nest_mm(&n, zero, second, zero, zero, m);
    nest_vadd(&n, zero, zero, second, m);
    nest_vrelu(&n, zero, zero, m);
    nest_mvout(&n, zero, zero, zero, m);
    return nest_finish(&n, out, why);
}

// Regions of the vector program; `step` rows apart, so that neither M nor 2T rows overlap.
typedef struct vector_map {
    uint32_t sp_a, sp_w, vr1, vr2, ar[4];
} vector_map;

static vector_map map_vector(uint32_t t, uint32_t m) {
    uint32_t step = m > 2 * t ? m : 2 * t;
    return (vector_map){.sp_a = 1,
                        .sp_w = 1 + step,
                        .vr1 = 1,
                        .vr2 = 1 + step,
                        .ar = {1, 1 + step, 1 + 2 * step, 1 + 3 * step}};
}

static tpu_status check_vector(const tpu_params *params, uint32_t m, const vector_map *map,
                               tpu_message *why) {
    const demand needs[] = {
        {m % 2 == 0 && m >= params->t, "M even and at least T"},
        {2 * (uint64_t)m <= params->maxdim && m <= TPU_MAXROWS, "2 * M <= MAXDIM and M <= 127"},
        {3 + (uint64_t)m <= params->maxdim, "3 + M <= MAXDIM"},
        {params_wpr(params) >= 4, "MAXDIM / T >= 4"},
        {5 + 2 * (uint64_t)params->t <= params->maxdim, "5 + 2 * T <= MAXDIM"},
        {2 * params->t <= TPU_MAXROWS, "2 * T <= 127"},
        {map->sp_w + 2 * params->t <= params->spad_rows, "SPAD_ROWS for M and 2T rows"},
        {map->vr2 + m <= params->nvr, "NVR for two regions of M rows"},
        {map->ar[3] + m <= params->nar, "NAR for four regions of M rows"},
    };
    return CHECK_DEMANDS("vector", needs, why);
}

static void write_vector(nest *n, uint32_t t, uint32_t m, const vector_map *map) {
    nest_ref vr1 = nest_base(map->vr1);
    nest_ref vr2 = nest_base(map->vr2);
    nest_ref sp_a = nest_base(map->sp_a);
    nest_ref ar1 = nest_base(map->ar[0]);
    nest_ref ar2 = nest_base(map->ar[1]);
    nest_ref ar3 = nest_base(map->ar[2]);
    nest_ref ar4 = nest_base(map->ar[3]);
    nest_ref zero = nest_base(0);
    nest_ref one = nest_base(1);
    nest_dma_ld(n, NEST_FROM_A, NEST_TO_SPAD, nest_base(3), one, sp_a, m);
    nest_dma_ld(n, NEST_FROM_B, NEST_TO_VR, nest_base(2), nest_base(2), vr2, m);
    nest_dma_ld(n, NEST_FROM_B, NEST_TO_SPAD, nest_base(5), nest_base(3), nest_base(map->sp_w),
                2 * t);
    nest_vld(n, vr1, sp_a, m);
    nest_mm(n, vr1, ar1, zero, nest_base(map->sp_w), m);
    nest_mm(n, vr2, ar2, zero, nest_base(map->sp_w + t), m);
    nest_mm(n, vr1, ar2, one, sp_a, m);
    nest_vadd(n, ar3, ar1, ar2, m);
    nest_vrelu(n, ar4, ar3, m);
    nest_mvout(n, ar3, zero, one, m);
    nest_mvout(n, ar1, one, zero, m);
    nest_iv half = nest_open(n, 2, "half");
    nest_mvout(n, nest_at(ar4, half, m / 2), nest_at(nest_base(m), half, m / 2),
               nest_at(nest_base(2), half, 1), m / 2);
    nest_close(n, half);
}

tpu_status programs_vector(const tpu_params *params, uint32_t m, isa_program *out,
                           tpu_message *why) {
    vector_map map = map_vector(params->t, m);
    tpu_status status = check_vector(params, m, &map, why);
    if (status != TPU_OK) {
        return status;
    }
    nest n;
    nest_start(&n);
    write_vector(&n, params->t, m, &map);
    return nest_finish(&n, out, why);
}

// ar rows of the distance program.
enum { DIST_X = 10, DIST_RELU = 30, DIST_SUM = 40, DIST_Y = 50, DIST_LAST = 60 };

static void write_ar_distance(nest *n, uint32_t t, uint32_t d) {
    nest_ref zero = nest_base(0);
    nest_ref one = nest_base(1);
    nest_dma_ld(n, NEST_FROM_A, NEST_TO_VR, zero, zero, zero, d);
    nest_dma_ld(n, NEST_FROM_B, NEST_TO_SPAD, zero, one, zero, t);
    nest_mm(n, zero, nest_base(DIST_X), zero, zero, d);
    nest_mm(n, zero, nest_base(DIST_X), one, zero, d);
    nest_vrelu(n, nest_base(DIST_RELU), nest_base(DIST_X), d);
    nest_vadd(n, nest_base(DIST_SUM), nest_base(DIST_RELU), nest_base(DIST_X), d);
    nest_mvout(n, nest_base(DIST_SUM), zero, zero, d);
    if (d < 2) {
        return;
    }
    // One row less: a vadd writes on its second step, so d-1 rows put the next read at d steps.
    nest_mm(n, zero, nest_base(DIST_Y), zero, zero, d - 1);
    nest_vadd(n, nest_base(DIST_LAST), nest_base(DIST_SUM), nest_base(DIST_Y), d - 1);
    nest_mvout(n, nest_base(DIST_X), nest_base(d), one, d);
    nest_mvout(n, nest_base(DIST_LAST), zero, nest_base(2), d - 1);
}

tpu_status programs_ar_distance(const tpu_params *params, uint32_t d, isa_program *out,
                                tpu_message *why) {
    const demand needs[] = {
        {d >= 1 && d <= TPU_MAXROWS && 2 * (uint64_t)d <= params->maxdim,
         "d from 1 to MAXDIM / 2 and to 127"},
        {params_wpr(params) >= 3, "MAXDIM / T >= 3"},
        {DIST_LAST + (uint64_t)d <= params->nar, "NAR >= 60 + d"},
        {d <= params->nvr, "NVR >= d"},
    };
    tpu_status status = CHECK_DEMANDS("ar_distance", needs, why);
    if (status != TPU_OK) {
        return status;
    }
    nest n;
    nest_start(&n);
    write_ar_distance(&n, params->t, d);
    return nest_finish(&n, out, why);
}

// Row-tiled GEMM. The reference page only gives the family's names (n_out, n_block, n_reduce, rows,
// all unrolled); chosen here: B is loaded block by block first; then for each row tile its A
// blocks, each used at once by an mm into every column block, so that n_block accumulator tiles are
// open at a time; then the retirements. Each A block is loaded once, and mms of neighbouring issues
// share their activations.
typedef struct tiling {
    uint32_t t, rows, n_out, n_block, n_reduce;
} tiling;

static void tiled_row(nest *n, const tiling *g, uint32_t out) {
    uint32_t k_rows = g->n_reduce * g->t;
    for (uint32_t k = 0; k < g->n_reduce; k++) {
        nest_ref vr = nest_base((out * g->n_reduce + k) * g->rows);
        nest_dma_ld(n, NEST_FROM_A, NEST_TO_VR, nest_base(out * g->rows), nest_base(k), vr,
                    g->rows);
        for (uint32_t b = 0; b < g->n_block; b++) {
            nest_mm(n, vr, nest_base(b * g->rows), nest_base(k > 0),
                    nest_base(b * k_rows + k * g->t), g->rows);
        }
    }
    for (uint32_t b = 0; b < g->n_block; b++) {
        nest_mvout(n, nest_base(b * g->rows), nest_base(out * g->rows), nest_base(b), g->rows);
    }
}

static tpu_status check_tiled(const tpu_params *params, const tiling *g, tpu_message *why) {
    uint64_t m = (uint64_t)g->n_out * g->rows;
    uint64_t k = (uint64_t)g->n_reduce * g->t;
    const demand needs[] = {
        {g->n_out >= 1 && g->n_block >= 1 && g->n_reduce >= 1, "one tile or more each way"},
        {g->rows >= TPU_AR_RAW_DIST && g->rows <= TPU_MAXROWS, "from 4 to 127 rows a tile"},
        {m <= params->maxdim, "n_out * rows <= MAXDIM"},
        {g->n_block <= params_wpr(params), "n_block * T <= MAXDIM"},
        {k <= params->maxdim && k <= TPU_MAXROWS, "n_reduce * T <= MAXDIM and <= 127"},
        {m * g->n_reduce <= params->nvr, "NVR >= n_out * n_reduce * rows"},
        {k * g->n_block <= params->spad_rows, "SPAD_ROWS >= n_block * n_reduce * T"},
        {(uint64_t)g->n_block * g->rows <= params->nar, "NAR >= n_block * rows"},
    };
    return CHECK_DEMANDS("tiled", needs, why);
}

tpu_status programs_tiled(const tpu_params *params, uint32_t n_out, uint32_t n_block,
                          uint32_t n_reduce, uint32_t rows, isa_program *out, tpu_message *why) {
    const tiling g = {params->t, rows, n_out, n_block, n_reduce};
    tpu_status status = check_tiled(params, &g, why);
    if (status != TPU_OK) {
        return status;
    }
    nest n;
    nest_start(&n);
    for (uint32_t b = 0; b < n_block; b++) {
        nest_dma_ld(&n, NEST_FROM_B, NEST_TO_SPAD, nest_base(0), nest_base(b),
                    nest_base(b * n_reduce * g.t), n_reduce * g.t);
    }
    for (uint32_t tile = 0; tile < n_out; tile++) {
        tiled_row(&n, &g, tile);
    }
    return nest_finish(&n, out, why);
}

// Element-wise family. The reference page gives names only (n_out tiles of rows, with or without
// relu); chosen here: vector operations need accumulator rows, and only an mm makes them from
// operands, so each tile is one mm, one in-place vadd x + x, a vrelu when asked, and an mvout.
// Tiles alternate between two ar regions, so the next mm need not wait for the retirement.
static void pointwise_tile(nest *n, uint32_t tile, uint32_t rows, bool relu) {
    nest_ref row = nest_base(tile * rows);
    nest_ref x = nest_base(tile % 2 * rows);
    nest_dma_ld(n, NEST_FROM_A, NEST_TO_VR, row, nest_base(0), row, rows);
    nest_mm(n, row, x, nest_base(0), nest_base(0), rows);
    nest_vadd(n, x, x, x, rows);
    if (relu) {
        nest_vrelu(n, x, x, rows);
    }
    nest_mvout(n, x, row, nest_base(0), rows);
}

tpu_status programs_pointwise(const tpu_params *params, uint32_t n_out, uint32_t rows, bool relu,
                              isa_program *out, tpu_message *why) {
    uint64_t m = (uint64_t)n_out * rows;
    const demand needs[] = {
        {n_out >= 1, "one tile or more"},
        {rows >= TPU_AR_RAW_DIST && rows <= TPU_MAXROWS, "from 4 to 127 rows a tile"},
        {m <= params->maxdim, "n_out * rows <= MAXDIM"},
        {m <= params->nvr, "NVR >= n_out * rows"},
        {2 * (uint64_t)rows <= params->nar, "NAR >= 2 * rows"},
    };
    tpu_status status = CHECK_DEMANDS("pointwise", needs, why);
    if (status != TPU_OK) {
        return status;
    }
    nest n;
    nest_start(&n);
    nest_dma_ld(&n, NEST_FROM_B, NEST_TO_SPAD, nest_base(0), nest_base(0), nest_base(0), params->t);
    for (uint32_t tile = 0; tile < n_out; tile++) {
        pointwise_tile(&n, tile, rows, relu);
    }
    return nest_finish(&n, out, why);
}
