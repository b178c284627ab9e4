// SPDX-License-Identifier: Apache-2.0
//
// Issues in accumulator steps: how old a row is when it is read, and which mm follows which.

#include "harness/fuzz/coverage_internal.h"

// Dense opcodes, as coverage_op gives them.
enum { DMA_LD = 1, MM = 3, VADD, VADDRELU, VRELU };

// ---- accumulator distances ---------------------------------------------------------------------

static uint32_t class_of_age(int32_t age) {
    return age < 4 ? 0 : age < 8 ? (uint32_t)age - 4 : age < 12 ? 4 : age < 20 ? 5 : 6;
}

static void mark_age(coverage *self, uint32_t source, uint32_t row, int32_t step) {
    if (row < self->params.nar && self->written[row] != INT32_MIN) {
        uint32_t at = source * COVERAGE_AGES + class_of_age(step - self->written[row]);
        coverage_mark(self, COVERAGE_BASE_AGE + at * 3 + self->writer[row]);
    }
}

static void write_row(coverage *self, uint32_t row, int32_t step, uint8_t writer) {
    if (row < self->params.nar) {
        self->written[row] = step;
        self->writer[row] = writer;
    }
}

static void walk_accumulators(coverage *self, const coverage_issue *now) {
    const uint16_t *f = now->f;
    int32_t step = self->step;
    for (uint32_t i = 0; i < now->nr; i++) {
        int32_t at = step + (int32_t)i;
        switch (now->op) {
        case MM:
            if (f[2] == 1) {
                mark_age(self, 0, f[1] + i, at);
            }
            write_row(self, f[1] + i, at, 0);
            break;
        case VADD:
        case VADDRELU:
            at += (int32_t)i;
            mark_age(self, 1, f[1] + i, at);
            mark_age(self, 2, f[2] + i, at + 1);
            write_row(self, f[0] + i, at + 1, 1);
            break;
        case VRELU:
            mark_age(self, 3, f[1] + i, at);
            write_row(self, f[0] + i, at, 2);
            break;
        default:
            mark_age(self, 4, f[0] + i, at);
        }
    }
    bool twice = now->op == VADD || now->op == VADDRELU;
    self->step += (int32_t)now->nr * (twice ? 2 : 1);
}

// ---- mm after mm -------------------------------------------------------------------------------

static void mark_tiles(coverage *self, const coverage_issue *now) {
    coverage_tile *last = &self->tile;
    const coverage_span tile = {
        .memory = TPU_MEM_SPAD, .first = last->weights, .rows = self->params.t};
    bool same = false;
    if (now->op != MM) {
        last->reloaded =
            last->reloaded || (now->op == DMA_LD && coverage_meet(&now->writes, &tile, &same));
        last->gap++;
        return;
    }
    uint32_t t = self->params.t;
    uint8_t length = now->nr <= t ? 0 : now->nr == t + 1 ? 1 : 2;
    uint8_t accumulate = now->f[2] & 1u;
    if (last->length < 3) {
        uint32_t at = last->length * 3u + length;
        at = at * 2 + last->accumulate;
        at = at * 2 + accumulate;
        at = at * 2 + (last->weights == now->f[3]);
        at = at * 2 + last->reloaded;
        at = at * 3 + (last->gap < 2 ? last->gap : 2);
        coverage_mark(self, COVERAGE_BASE_TILES + at);
    }
    *last = (coverage_tile){.length = length, .accumulate = accumulate, .weights = now->f[3]};
}

void coverage_ages_issue(coverage *self, const coverage_issue *now) {
    mark_tiles(self, now);
    if (now->op >= MM) {
        walk_accumulators(self, now);
    }
}
