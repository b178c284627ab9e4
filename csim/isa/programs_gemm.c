// SPDX-License-Identifier: Apache-2.0
//
// One GEMM, five orders. Memory layout of all of them (MAXDIM = the DRAM row stride, so that any
// shape up to it fits):
//
//   vr    A block k (T columns of A), row m    at  k * MAXDIM + m
//   spad  B block n (T columns of B), row k    at  n * MAXDIM + k
//   ar    the running output tile, row m       at  m    (FAST: a second one behind it)
//
// The first k tile stands outside the k loop because it overwrites the accumulator (acc=0) where
// the others accumulate, and an address term cannot say "only the first time".

#include "csim/isa/programs.h"

#include "csim/isa/limits.h"
#include "csim/isa/nest.h"

#include <string.h>

// A GEMM being written: extents in rows and in tiles.
typedef struct gemm {
    nest nest;
    uint32_t t;
    uint32_t stride; // rows between two blocks in vr and in spad
    uint32_t m;
    uint32_t k;
    uint32_t kt;
    uint32_t nt;
    uint32_t nar;
    uint32_t max_instructions; // that imem holds
    bool relu;
    bool fold; // leave out loops of one trip
} gemm;

static const char *const form_names[PROGRAMS_FORM_COUNT] = {[PROGRAMS_LOOPED] = "looped",
                                                            [PROGRAMS_INTERLEAVED] = "interleaved",
                                                            [PROGRAMS_B_PER_TILE] = "b_per_tile",
                                                            [PROGRAMS_FLAT] = "flat",
                                                            [PROGRAMS_FAST] = "fast"};

const char *programs_form_name(programs_form form) {
    return (size_t)form < PROGRAMS_FORM_COUNT ? form_names[form] : NULL;
}

bool programs_form_from_name(const char *name, programs_form *out) {
    for (size_t i = 0; i < PROGRAMS_FORM_COUNT; i++) {
        if (strcmp(name, form_names[i]) == 0) {
            *out = (programs_form)i;
            return true;
        }
    }
    return false;
}

static nest_iv open_loop(gemm *g, uint32_t trips, const char *name) {
    return g->fold ? nest_open_folded(&g->nest, trips, name) : nest_open(&g->nest, trips, name);
}

// Rectifies (if asked) and retires the tile at ar row `ar` into column block `col` of C.
static void retire(gemm *g, nest_ref ar, nest_ref col) {
    if (g->relu) {
        nest_vrelu(&g->nest, ar, ar, g->m);
    }
    nest_mvout(&g->nest, ar, nest_base(0), col, g->m);
}

static void load_a(gemm *g, nest_ref block, nest_ref vr) {
    nest_dma_ld(&g->nest, NEST_FROM_A, NEST_TO_VR, nest_base(0), block, vr, g->m);
}

static void load_b(gemm *g, nest_ref block, nest_ref spad) {
    nest_dma_ld(&g->nest, NEST_FROM_B, NEST_TO_SPAD, nest_base(0), block, spad, g->k);
}

static void load_all_a(gemm *g) {
    nest_iv kb = open_loop(g, g->kt, "k");
    load_a(g, nest_at(nest_base(0), kb, 1), nest_at(nest_base(0), kb, g->stride));
    nest_close(&g->nest, kb);
}

static void load_all_b(gemm *g) {
    nest_iv nb = open_loop(g, g->nt, "n");
    load_b(g, nest_at(nest_base(0), nb, 1), nest_at(nest_base(0), nb, g->stride));
    nest_close(&g->nest, nb);
}

// The products of one output tile whose B block lies at `spad`.
static void multiply(gemm *g, nest_ref spad) {
    nest_mm(&g->nest, nest_base(0), nest_base(0), nest_base(0), spad, g->m);
    if (g->kt > 1) {
        nest_iv kb = open_loop(g, g->kt - 1, "k");
        nest_ref weights = spad;
        weights.base += g->t;
        nest_mm(&g->nest, nest_at(nest_base(g->stride), kb, g->stride), nest_base(0), nest_base(1),
                nest_at(weights, kb, g->t), g->m);
        nest_close(&g->nest, kb);
    }
}

static void write_looped(gemm *g) {
    load_all_a(g);
    load_all_b(g);
    nest_iv nb = open_loop(g, g->nt, "n");
    multiply(g, nest_at(nest_base(0), nb, g->stride));
    retire(g, nest_base(0), nest_at(nest_base(0), nb, 1));
    nest_close(&g->nest, nb);
}

// Output tiles from `first` on, each B block loaded just before its products.
static void tiles_with_load(gemm *g, uint32_t first) {
    if (first == g->nt) {
        return;
    }
    nest_iv nb = open_loop(g, g->nt - first, "n");
    nest_ref block = nest_at(nest_base(first), nb, 1);
    nest_ref spad = nest_at(nest_base(first * g->stride), nb, g->stride);
    load_b(g, block, spad);
    multiply(g, spad);
    retire(g, nest_base(0), block);
    nest_close(&g->nest, nb);
}

static void write_b_per_tile(gemm *g) {
    load_all_a(g);
    tiles_with_load(g, 0);
}

static void write_interleaved(gemm *g) {
    load_b(g, nest_base(0), nest_base(0));
    load_a(g, nest_base(0), nest_base(0));
    nest_mm(&g->nest, nest_base(0), nest_base(0), nest_base(0), nest_base(0), g->m);
    if (g->kt > 1) {
        nest_iv kb = open_loop(g, g->kt - 1, "k");
        nest_ref vr = nest_at(nest_base(g->stride), kb, g->stride);
        load_a(g, nest_at(nest_base(1), kb, 1), vr);
        nest_mm(&g->nest, vr, nest_base(0), nest_base(1), nest_at(nest_base(g->t), kb, g->t), g->m);
        nest_close(&g->nest, kb);
    }
    retire(g, nest_base(0), nest_base(0));
    tiles_with_load(g, 1);
}

static void flat_tile(gemm *g, uint32_t n) {
    for (uint32_t k = 0; k < g->kt; k++) {
        nest_mm(&g->nest, nest_base(k * g->stride), nest_base(0), nest_base(k > 0),
                nest_base(n * g->stride + k * g->t), g->m);
    }
    retire(g, nest_base(0), nest_base(n));
}

static void write_flat(gemm *g) {
    for (uint32_t k = 0; k < g->kt; k++) {
        load_a(g, nest_base(k), nest_base(k * g->stride));
    }
    for (uint32_t n = 0; n < g->nt; n++) {
        load_b(g, nest_base(n), nest_base(n * g->stride));
    }
    for (uint32_t n = 0; n < g->nt; n++) {
        flat_tile(g, n);
    }
}

// ---- FAST ------------------------------------------------------------------------------------
//
// A load moves one row a cycle, as the array does, so a first tile that loads all of A while it
// multiplies is held up by every row of B. Hence two output tiles open together: each block of A
// serves two mms, and the rows of B hide behind the second. They come in pieces, the T rows that
// the next mm needs, so the first mm starts after 2T rows of B and its own first row of A. The
// later tiles load whole blocks: the scratchpad runs ahead of the array, so these hide by
// themselves. Loops of one trip are folded away.

// The T rows of B at `row` that weigh the k tile there.
static void load_piece(gemm *g, nest_ref row, uint32_t col, nest_ref spad) {
    nest_dma_ld(&g->nest, NEST_FROM_B, NEST_TO_SPAD, row, nest_base(col), spad, g->t);
}

// One k tile of both output tiles. `last`: nothing follows, so each tile leaves as soon as it is
// done; else retiring waits for the second mm, which costs nothing.
static void pair_step(gemm *g, nest_ref block, nest_ref row, nest_ref vr, bool first, bool last) {
    nest *n = &g->nest;
    nest_ref acc = nest_base(first ? 0 : 1);
    nest_ref second = row;
    second.base += g->stride;
    load_piece(g, row, 0, row);
    if (first) {
        load_piece(g, row, 1, second);
    }
    load_a(g, block, vr);
    nest_mm(n, vr, nest_base(0), acc, row, g->m);
    if (last) {
        retire(g, nest_base(0), nest_base(0));
    }
    if (!first) {
        load_piece(g, row, 1, second);
    }
    nest_mm(n, vr, nest_base(g->m), acc, second, g->m);
    if (last) {
        retire(g, nest_base(g->m), nest_base(1));
    }
}

// k tiles 1 .. count in a loop.
static void pair_loop(gemm *g, uint32_t count) {
    if (count == 0) {
        return;
    }
    nest_iv kb = open_loop(g, count, "k");
    pair_step(g, nest_at(nest_base(1), kb, 1), nest_at(nest_base(g->t), kb, g->t),
              nest_at(nest_base(g->stride), kb, g->stride), false, false);
    nest_close(&g->nest, kb);
}

static void pair_retire(gemm *g) {
    nest_ref first = nest_base(0);
    nest_ref second = nest_base(g->m);
    if (g->relu && 2 * g->m <= TPU_MAXROWS) {
        nest_vrelu(&g->nest, first, first, 2 * g->m); // the two tiles are neighbours
    } else if (g->relu) {
        nest_vrelu(&g->nest, first, first, g->m);
        nest_vrelu(&g->nest, second, second, g->m);
    }
    nest_mvout(&g->nest, first, nest_base(0), nest_base(0), g->m);
    nest_mvout(&g->nest, second, nest_base(0), nest_base(1), g->m);
}

static void fast_pair(gemm *g) {
    nest_ref zero = nest_base(0);
    uint32_t last = g->kt - 1;
    if (g->nt > 2) {
        pair_step(g, zero, zero, zero, true, false);
        pair_loop(g, last);
        pair_retire(g);
        tiles_with_load(g, 2);
    } else if (last == 0) {
        pair_step(g, zero, zero, zero, true, true);
    } else {
        pair_step(g, zero, zero, zero, true, false);
        pair_loop(g, last - 1);
        pair_step(g, nest_base(last), nest_base(last * g->t), nest_base(last * g->stride), false,
                  true);
    }
}

// Without room for a pair in ar or in imem (one instruction too many for 24, with relu at M = 64),
// the interleaved order is the next best.
static void write_fast(gemm *g) {
    g->fold = true;
    bool long_relu = g->relu && g->nt > 2 && 2 * g->m > TPU_MAXROWS;
    if (g->nt < 2 || 2 * g->m > g->nar || (long_relu && g->max_instructions < 25)) {
        write_interleaved(g);
    } else {
        fast_pair(g);
    }
}

tpu_status programs_gemm(const tpu_params *params, programs_form form, uint32_t m, uint32_t k,
                         uint32_t n, bool relu, isa_program *out, tpu_message *why) {
    static void (*const writer[PROGRAMS_FORM_COUNT])(gemm * g) = {
        [PROGRAMS_LOOPED] = write_looped,
        [PROGRAMS_INTERLEAVED] = write_interleaved,
        [PROGRAMS_B_PER_TILE] = write_b_per_tile,
        [PROGRAMS_FLAT] = write_flat,
        [PROGRAMS_FAST] = write_fast,
    };
    TPU_CHECK((size_t)form < PROGRAMS_FORM_COUNT, "a GEMM is asked for in a form that exists");
    tpu_status status = limits_check_gemm(params, m, k, n, why);
    if (status != TPU_OK) {
        return status;
    }
    gemm g = {.t = params->t,
              .stride = params->maxdim,
              .m = m,
              .k = k,
              .kt = k / params->t,
              .nt = n / params->t,
              .nar = params->nar,
              .max_instructions = params_max_instructions(params),
              .relu = relu};
    nest_start(&g.nest);
    writer[form](&g);
    return nest_finish(&g.nest, out, why);
}
