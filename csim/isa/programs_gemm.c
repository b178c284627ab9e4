// SPDX-License-Identifier: Apache-2.0
//
// One GEMM, five orders. Memory layout of all of them (MAXDIM = the DRAM row stride, so that any
// shape up to it fits):
//
//   vr    A block k (T columns of A), row m    at  k * MAXDIM + m
//   spad  B block n (T columns of B), row k    at  n * MAXDIM + k     (FAST: at k, one block only)
//   ar    the running output tile, row m       at  m                  (FAST: see below)
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
    bool relu;
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
    nest_iv kb = nest_open(&g->nest, g->kt, "k");
    load_a(g, nest_at(nest_base(0), kb, 1), nest_at(nest_base(0), kb, g->stride));
    nest_close(&g->nest, kb);
}

static void load_all_b(gemm *g) {
    nest_iv nb = nest_open(&g->nest, g->nt, "n");
    load_b(g, nest_at(nest_base(0), nb, 1), nest_at(nest_base(0), nb, g->stride));
    nest_close(&g->nest, nb);
}

// The products of one output tile whose B block lies at `spad`.
static void multiply(gemm *g, nest_ref spad) {
    nest_mm(&g->nest, nest_base(0), nest_base(0), nest_base(0), spad, g->m);
    if (g->kt > 1) {
        nest_iv kb = nest_open(&g->nest, g->kt - 1, "k");
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
    nest_iv nb = nest_open(&g->nest, g->nt, "n");
    multiply(g, nest_at(nest_base(0), nb, g->stride));
    retire(g, nest_base(0), nest_at(nest_base(0), nb, 1));
    nest_close(&g->nest, nb);
}

// Output tiles from `first` on, each B block loaded just before its products.
static void tiles_with_load(gemm *g, uint32_t first) {
    if (first == g->nt) {
        return;
    }
    nest_iv nb = nest_open(&g->nest, g->nt - first, "n");
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
        nest_iv kb = nest_open(&g->nest, g->kt - 1, "k");
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
// 1. The first mm needs T weight rows and its own activation rows and nothing else, so exactly
//    these are loaded before it; every further k tile of the first output tile brings its own.
//    A long first mm is cut in two, so that it starts when 2T of its rows are there.
// 2. Later tiles load their B block as a whole, always to the same spad rows: the scratchpad works
//    in order, and it runs ahead of the array by the weights that fit into the array's channel, so
//    the load hides under the last mms of the tile before.
// 3. Without relu, mvout reads ar rows just ahead of the overwriting mm of the next tile, so one ar
//    region is enough. With relu the rows are needed twice as long: tiles alternate between ar
//    regions. An address term cannot alternate, so the tiles form pairs (an inner loop of 2), or,
//    when all tiles fit into ar, each has its own region. An even number of tiles leaves an odd
//    rest after the first; then the first *two* tiles form the opening pair, and A is loaded twice.
// 4. A loop of one trip is no loop: its two fetches are saved.

// Opening tile(s): operands arrive in pieces. `ar` and `col` may walk a pair loop.
static void fast_first(gemm *g, nest_ref ar, nest_ref col, bool cut) {
    uint32_t head = cut && g->m >= 4 * g->t ? 2 * g->t : g->m;
    nest *n = &g->nest;
    nest_ref zero = nest_base(0);
    nest_dma_ld(n, NEST_FROM_B, NEST_TO_SPAD, zero, col, zero, g->t);
    nest_dma_ld(n, NEST_FROM_A, NEST_TO_VR, zero, zero, zero, head);
    nest_mm(n, zero, ar, zero, zero, head);
    if (head < g->m) {
        nest_ref rest = ar;
        rest.base += head;
        nest_dma_ld(n, NEST_FROM_A, NEST_TO_VR, nest_base(head), zero, nest_base(head),
                    g->m - head);
        nest_mm(n, nest_base(head), rest, zero, zero, g->m - head);
    }
    if (g->kt > 1) {
        nest_iv kb = nest_open_folded(n, g->kt - 1, "k");
        nest_ref row = nest_at(nest_base(g->t), kb, g->t);
        nest_ref vr = nest_at(nest_base(g->stride), kb, g->stride);
        nest_dma_ld(n, NEST_FROM_B, NEST_TO_SPAD, row, col, row, g->t);
        load_a(g, nest_at(nest_base(1), kb, 1), vr);
        nest_mm(n, vr, ar, nest_base(1), row, g->m);
        nest_close(n, kb);
    }
    retire(g, ar, col);
}

// A later tile: whole B block, A is there already.
static void fast_tile(gemm *g, nest_ref ar, nest_ref col) {
    nest *n = &g->nest;
    load_b(g, col, nest_base(0));
    nest_mm(n, nest_base(0), ar, nest_base(0), nest_base(0), g->m);
    if (g->kt > 1) {
        nest_iv kb = nest_open_folded(n, g->kt - 1, "k");
        nest_mm(n, nest_at(nest_base(g->stride), kb, g->stride), ar, nest_base(1),
                nest_at(nest_base(g->t), kb, g->t), g->m);
        nest_close(n, kb);
    }
    retire(g, ar, col);
}

// One tile, then the rest in a loop; `ar_step` rows lie between the ar regions of two tiles.
static void fast_line(gemm *g, uint32_t ar_step) {
    fast_first(g, nest_base(0), nest_base(0), true);
    if (g->nt == 1) {
        return;
    }
    nest_iv nb = nest_open_folded(&g->nest, g->nt - 1, "n");
    nest_ref ar = nest_base(ar_step);
    fast_tile(g, ar_step > 0 ? nest_at(ar, nb, ar_step) : ar, nest_at(nest_base(1), nb, 1));
    nest_close(&g->nest, nb);
}

// Tiles first .. Nt-1, an even number of them, alternating between two ar regions.
static void fast_pairs(gemm *g, uint32_t first, uint32_t other) {
    if (first == g->nt) {
        return;
    }
    nest_iv pair = nest_open_folded(&g->nest, (g->nt - first) / 2, "pair");
    nest_iv half = nest_open(&g->nest, 2, "half");
    nest_ref col = nest_at(nest_at(nest_base(first), pair, 2), half, 1);
    fast_tile(g, nest_at(nest_base(0), half, other), col);
    nest_close(&g->nest, half);
    nest_close(&g->nest, pair);
}

static void fast_alternating(gemm *g) {
    uint32_t other = g->m;
    if (g->nt % 2 == 1) {
        // The first tile takes the region that the pairs come to second.
        fast_first(g, nest_base(other), nest_base(0), true);
        fast_pairs(g, 1, other);
        return;
    }
    nest_iv half = nest_open(&g->nest, 2, "half");
    fast_first(g, nest_at(nest_base(0), half, other), nest_at(nest_base(0), half, 1), false);
    nest_close(&g->nest, half);
    fast_pairs(g, 2, other);
}

static void write_fast(gemm *g) {
    if (!g->relu || 2 * g->m > g->nar) {
        fast_line(g, 0);
    } else if (g->nt * g->m <= g->nar) {
        fast_line(g, g->m);
    } else {
        fast_alternating(g);
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
              .relu = relu};
    nest_start(&g.nest);
    writer[form](&g);
    return nest_finish(&g.nest, out, why);
}
