// SPDX-License-Identifier: Apache-2.0
//
// Counting and percentiles.

#include "harness/mutants/netmutant_totals.h"

#include <stdlib.h>
#include <string.h>

enum { MEDIAN = 50, MOST = 95 };

static int compare(const void *left, const void *right) {
    const uint64_t *a = left;
    const uint64_t *b = right;
    return (*a > *b) - (*a < *b);
}

uint64_t netmutant_totals_part(const uint64_t *sorted, size_t count, unsigned percent) {
    size_t at = (count * percent + 99) / 100; // at least one, if there is any
    return count > 0 ? sorted[at > 0 ? at - 1 : 0] : 0;
}

static void put_parts(uint64_t *values, size_t count, uint64_t out[2]) {
    qsort(values, count, sizeof *values, compare);
    out[0] = netmutant_totals_part(values, count, MEDIAN);
    out[1] = netmutant_totals_part(values, count, MOST);
}

static void count_one(const netmutant_result *of, netmutant_totals *out) {
    out->caught += of->fate == NETMUTANT_CAUGHT;
    out->refused += of->fate == NETMUTANT_REFUSED;
    out->failed += of->fate == NETMUTANT_FAILED || of->fate == NETMUTANT_WAITING;
    if (of->fate != NETMUTANT_CAUGHT) {
        return;
    }
    if (of->signature.stream >= 0 && of->signature.kind == VERDICT_MISMATCH) {
        out->streams[of->signature.stream]++;
    } else {
        out->elsewhere++;
    }
}

tpu_status netmutant_totals_of(const netmutant_result *of, const netmutant_result *every,
                               size_t count, netmutant_totals *out, tpu_message *why) {
    uint64_t *values = calloc(4 * count + 1, sizeof *values);
    size_t caught = 0;
    size_t both = 0;
    uint64_t microseconds[2];
    *out = (netmutant_totals){.all = count};
    if (values == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        count_one(&of[i], out);
        if (of[i].fate != NETMUTANT_CAUGHT) {
            continue;
        }
        values[caught] = of[i].programs;
        values[count + caught] = of[i].cycles;
        values[2 * count + caught++] = (uint64_t)(1e6 * of[i].seconds);
        if (every[i].fate == NETMUTANT_CAUGHT && every[i].cycles <= of[i].cycles) {
            values[3 * count + both++] = of[i].cycles - every[i].cycles;
        }
    }
    put_parts(values, caught, out->programs);
    put_parts(values + count, caught, out->cycles);
    put_parts(values + 2 * count, caught, microseconds);
    put_parts(values + 3 * count, both, out->behind);
    out->seconds[0] = 1e-6 * (double)microseconds[0];
    out->seconds[1] = 1e-6 * (double)microseconds[1];
    free(values);
    return TPU_OK;
}

size_t netmutant_totals_reachable(size_t all, const netmutant_sorted *sorted) {
    return all - sorted->explained[NETMUTANT_EQUIVALENT] -
           sorted->explained[NETMUTANT_UNREACHABLE] - sorted->explained[NETMUTANT_ELSEWHERE] -
           sorted->explained[NETMUTANT_ILLEGAL];
}
