// SPDX-License-Identifier: Apache-2.0
//
// Program limits and MAXDIM ceilings as formulas over M, K, N and T. Both follow from numbers of
// the spec: rows an instruction can name, a header slice's largest count, an address field's rows.

#include "csim/isa/limits.h"

#include <inttypes.h>

static limits_row row(const char *name, uint64_t need, uint64_t allowed, bool alternative) {
    return (limits_row){.name = name,
                        .need = need,
                        .allowed = allowed,
                        .over = need > allowed ? need - allowed : 0,
                        .alternative = alternative};
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

// Steps of accu: one a row for every product tile and one a row for every retired tile.
static uint64_t accu_steps(uint64_t m, uint64_t k, uint64_t n, uint64_t t) {
    return (k / t) * m * (n / t) + m * (n / t);
}

void limits_gemm(const tpu_params *params, uint32_t m, uint32_t k, uint32_t n,
                 limits_row out[LIMITS_COUNT]) {
    out[0] = row("build_extent", larger(larger(m, k), n), params->maxdim, false);
    out[1] = row("rows_per_instruction.shipped_layout", larger(m, k), TPU_MAXROWS, false);
    out[2] = row("rows_per_instruction.split_operand_load", m, TPU_MAXROWS, true);
    out[3] = row("header_counts.accu", accu_steps(m, k, n, params->t), TPU_COUNT_MAX, false);
}

static tpu_status check_extent(const tpu_params *params, char name, uint32_t extent,
                               tpu_message *why) {
    if (extent != 0 && extent % params->t == 0) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED,
                       "%c=%" PRIu32 " is refused: the GEMM programs take multiples of T=%" PRIu32
                       " from T on (pad the matrix with zeros)",
                       name, extent, params->t);
}

tpu_status limits_check_gemm(const tpu_params *params, uint32_t m, uint32_t k, uint32_t n,
                             tpu_message *why) {
    if (m < TPU_AR_RAW_DIST) {
        return status_fail(
            why, TPU_REFUSED,
            "M=%" PRIu32 " is refused: the GEMM programs take %d rows or more, since "
            "an accumulator row may be read %d steps after its write at the earliest "
            "(pad A with zero rows)",
            m, TPU_AR_RAW_DIST, TPU_AR_RAW_DIST);
    }
    tpu_status status = check_extent(params, 'K', k, why);
    if (status == TPU_OK) {
        status = check_extent(params, 'N', n, why);
    }
    limits_row rows[LIMITS_COUNT];
    limits_gemm(params, m, k, n, rows);
    for (size_t i = 0; status == TPU_OK && i < LIMITS_COUNT; i++) {
        if (rows[i].over > 0 && !rows[i].alternative) {
            status =
                status_fail(why, TPU_REFUSED,
                            "GEMM %" PRIu32 "x%" PRIu32 "x%" PRIu32 " is refused by %s: needs "
                            "%" PRIu64 ", %" PRIu64 " is allowed, over by %" PRIu64,
                            m, k, n, rows[i].name, rows[i].need, rows[i].allowed, rows[i].over);
        }
    }
    return status;
}

static bool layout_fits(uint64_t maxdim, uint64_t t) {
    return maxdim / t * maxdim <= TPU_FIELD_MAX + 1;
}

static bool cubic_fits(uint64_t maxdim, uint64_t t) {
    return accu_steps(maxdim, maxdim, maxdim, t) <= TPU_COUNT_MAX;
}

// Both predicates grow with MAXDIM, so the first multiple of T that fails ends the search.
static uint32_t largest_multiple(uint32_t t, bool (*fits)(uint64_t maxdim, uint64_t t)) {
    uint32_t maxdim = 0;
    while (t > 0 && fits((uint64_t)maxdim + t, t)) {
        maxdim += t;
    }
    return maxdim;
}

uint32_t limits_maxdim_addressing(uint32_t t) {
    return largest_multiple(t, layout_fits);
}

uint32_t limits_maxdim_cubic_header(uint32_t t) {
    return largest_multiple(t, cubic_fits);
}
