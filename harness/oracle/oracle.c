// SPDX-License-Identifier: Apache-2.0
//
// The oracle goes backwards. It never holds what a memory contains: to know a row, it looks for
// the last issue before that wrote it, and asks that issue's sources in the same way.
//
//   C cell <- last mvout of it <- ar row <- last mm / vadd / vrelu of it
//                                   ^         |-> vr row   <- last dma_ld / vld of it -> A, B
//                                   |         |-> spad row <- last dma_ld of it       -> A, B
//                                   '---------|-> earlier ar rows
//
// An ar row that one step of one issue wrote is a node; its value is found once and kept, since a
// chain of additions would otherwise be walked over and over. Steps of an issue are rows.

#include "harness/oracle/oracle.h"

#include "harness/oracle/oracle_flow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE ((size_t)-1)

typedef struct trace {
    oracle_shape shape;
    const int8_t *a, *b; // borrowed
    oracle_flow flow;
    size_t nodes;
    size_t *first;   // per issue: its first node
    size_t *owner;   // per node: its issue
    uint8_t *known;  // per node
    int32_t *value;  // per node: t lanes
    size_t *pending; // stack of nodes to find, 2 * nodes + 1 of room
    tpu_message *why;
} trace;

static int8_t saturate(int64_t value) {
    if (value > 127) {
        return 127;
    }
    return (int8_t)(value < -128 ? -128 : value);
}

void oracle_gemm(size_t m, size_t k, size_t n, const int8_t *a, size_t lda, const int8_t *b,
                 size_t ldb, int relu, int8_t *c, size_t ldc) {
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (size_t x = 0; x < k; x++) {
                sum += a[i * lda + x] * b[x * ldb + j];
            }
            c[i * ldc + j] = saturate(relu != 0 && sum < 0 ? 0 : sum);
        }
    }
}

// The int32 that is congruent to `value` modulo 2^32.
static int32_t wrap(int64_t value) {
    const int64_t span = INT64_C(1) << 32;
    int64_t rest = value % span;
    if (rest > INT32_MAX) {
        rest -= span;
    }
    if (rest < INT32_MIN) {
        rest += span;
    }
    return (int32_t)rest;
}

// ---- who wrote a row -----------------------------------------------------------------------

static bool covers(uint32_t first, uint32_t count, uint32_t row) {
    return row >= first && row - first < count;
}

// First ar row that an issue writes; false when it writes none.
static bool ar_target(const oracle_issue *issue, uint32_t *first) {
    switch (issue->op) {
    case ORACLE_MM:
        *first = issue->f[1];
        return true;
    case ORACLE_VADD:
    case ORACLE_VRELU:
    case ORACLE_VADDRELU:
        *first = issue->f[0];
        return true;
    default:
        return false;
    }
}

// The node that last wrote ar row `row` before step `step` of issue `at`.
static size_t ar_writer(const trace *self, uint32_t row, size_t at, uint32_t step) {
    uint32_t first = 0;
    if (ar_target(&self->flow.issue[at], &first) && covers(first, step, row)) {
        return self->first[at] + (row - first);
    }
    for (size_t i = at; i-- > 0;) {
        const oracle_issue *issue = &self->flow.issue[i];
        if (ar_target(issue, &first) && covers(first, issue->nr, row)) {
            return self->first[i] + (row - first);
        }
    }
    return NONE;
}

static bool loads_to_vr(const oracle_issue *issue) {
    return (issue->f[0] & 2u) != 0;
}

// The t bytes of A or B that row `row` of a load brought; NULL when they lie outside.
static const int8_t *dram_source(const trace *self, const oracle_issue *load, uint32_t row) {
    uint32_t dram_row = load->f[1] + row;
    uint32_t column = load->f[2] * self->shape.t;
    if (dram_row >= self->shape.maxdim || column >= self->shape.maxdim) {
        return NULL;
    }
    const int8_t *matrix = (load->f[0] & 1u) != 0 ? self->b : self->a;
    return matrix + (size_t)dram_row * self->shape.maxdim + column;
}

static const int8_t *spad_source(const trace *self, uint32_t row, size_t before) {
    for (size_t i = before; i-- > 0;) {
        const oracle_issue *issue = &self->flow.issue[i];
        if (issue->op == ORACLE_DMA_LD && !loads_to_vr(issue) &&
            covers(issue->f[3], issue->nr, row)) {
            return dram_source(self, issue, row - issue->f[3]);
        }
    }
    return NULL;
}

static const int8_t *vr_source(const trace *self, uint32_t row, size_t before) {
    for (size_t i = before; i-- > 0;) {
        const oracle_issue *issue = &self->flow.issue[i];
        if (issue->op == ORACLE_DMA_LD && loads_to_vr(issue) &&
            covers(issue->f[3], issue->nr, row)) {
            return dram_source(self, issue, row - issue->f[3]);
        }
        if (issue->op == ORACLE_VLD && covers(issue->f[0], issue->nr, row)) {
            return spad_source(self, issue->f[1] + (row - issue->f[0]), i);
        }
    }
    return NULL;
}

// ---- what a node holds ---------------------------------------------------------------------

// The ar rows that step `step` of an issue reads; returns how many.
static size_t ar_rows_read(const oracle_issue *issue, uint32_t step, uint32_t rows[2]) {
    switch (issue->op) {
    case ORACLE_MM:
        rows[0] = issue->f[1] + step;
        return issue->f[2] == 1 ? 1 : 0;
    case ORACLE_VRELU:
        rows[0] = issue->f[1] + step;
        return 1;
    case ORACLE_VADD:
    case ORACLE_VADDRELU:
        rows[0] = issue->f[1] + step;
        rows[1] = issue->f[2] + step;
        return 2;
    default:
        return 0;
    }
}

static tpu_status need_writer(const trace *self, size_t at, const char *memory, uint32_t row) {
    return status_fail(self->why, TPU_REFUSED,
                       "oracle: issue %zu needs %s row %u, and nothing gave it a value", at, memory,
                       row);
}

static tpu_status add_products(const trace *self, size_t at, uint32_t step, int64_t *sums) {
    const oracle_issue *issue = &self->flow.issue[at];
    const int8_t *activation = vr_source(self, issue->f[0] + step, at);
    if (activation == NULL) {
        return need_writer(self, at, "vr", issue->f[0] + step);
    }
    for (uint32_t i = 0; i < self->shape.t; i++) {
        const int8_t *weight = spad_source(self, issue->f[3] + i, at);
        if (weight == NULL) {
            return need_writer(self, at, "spad", issue->f[3] + i);
        }
        for (uint32_t j = 0; j < self->shape.t; j++) {
            sums[j] += activation[i] * weight[j];
        }
    }
    return TPU_OK;
}

// Puts the nodes that `node` still needs on the stack.
static tpu_status push_sources(trace *self, size_t node, size_t *depth) {
    size_t at = self->owner[node];
    uint32_t step = (uint32_t)(node - self->first[at]);
    uint32_t rows[2];
    size_t count = ar_rows_read(&self->flow.issue[at], step, rows);
    for (size_t i = 0; i < count; i++) {
        size_t source = ar_writer(self, rows[i], at, step);
        if (source == NONE) {
            return need_writer(self, at, "ar", rows[i]);
        }
        if (self->known[source] == 0) {
            self->pending[(*depth)++] = source;
        }
    }
    return TPU_OK;
}

// All sources of `node` are known.
static tpu_status find_value(trace *self, size_t node, int64_t *sums) {
    size_t t = self->shape.t;
    size_t at = self->owner[node];
    const oracle_issue *issue = &self->flow.issue[at];
    uint32_t step = (uint32_t)(node - self->first[at]);
    uint32_t rows[2];
    memset(sums, 0, t * sizeof *sums);
    if (issue->op == ORACLE_MM) {
        tpu_status status = add_products(self, at, step, sums);
        if (status != TPU_OK) {
            return status;
        }
    }
    size_t count = ar_rows_read(issue, step, rows);
    for (size_t i = 0; i < count; i++) {
        size_t source = ar_writer(self, rows[i], at, step);
        for (size_t j = 0; j < t; j++) {
            sums[j] += self->value[source * t + j];
        }
    }
    bool rectify = issue->op == ORACLE_VRELU || issue->op == ORACLE_VADDRELU;
    for (size_t j = 0; j < t; j++) {
        int32_t value = wrap(sums[j]);
        self->value[node * t + j] = rectify && value < 0 ? 0 : value;
    }
    self->known[node] = 1;
    return TPU_OK;
}

// Depth first; a source always comes before its user, so the stack cannot run in a circle.
static tpu_status find_node(trace *self, size_t wanted, int64_t *sums) {
    size_t depth = 0;
    self->pending[depth++] = wanted;
    while (depth > 0) {
        size_t node = self->pending[depth - 1];
        size_t before = depth;
        tpu_status status = self->known[node] != 0 ? TPU_OK : push_sources(self, node, &depth);
        if (status == TPU_OK && depth == before) {
            depth--;
            status = self->known[node] != 0 ? TPU_OK : find_value(self, node, sums);
        }
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

// ---- from the cells of C -------------------------------------------------------------------

static tpu_status trace_row(trace *self, size_t at, uint32_t row, int64_t *sums, int8_t *lanes) {
    uint32_t ar_row = self->flow.issue[at].f[0] + row;
    size_t node = ar_writer(self, ar_row, at, 0);
    if (node == NONE) {
        return need_writer(self, at, "ar", ar_row);
    }
    tpu_status status = find_node(self, node, sums);
    for (size_t j = 0; j < self->shape.t && status == TPU_OK; j++) {
        lanes[j] = saturate(self->value[node * self->shape.t + j]);
    }
    return status;
}

// One mvout, whose cells later ones may have claimed already.
static tpu_status trace_mvout(trace *self, size_t at, int64_t *sums, int8_t *c, uint8_t *written) {
    const oracle_issue *issue = &self->flow.issue[at];
    size_t column = (size_t)issue->f[2] * self->shape.t;
    if (issue->f[1] + issue->nr > self->shape.maxdim || column >= self->shape.maxdim) {
        return status_fail(self->why, TPU_REFUSED, "oracle: issue %zu writes outside C", at);
    }
    for (uint32_t row = 0; row < issue->nr; row++) {
        size_t cell = (size_t)(issue->f[1] + row) * self->shape.maxdim + column;
        if (written[cell] != 0) {
            continue;
        }
        tpu_status status = trace_row(self, at, row, sums, c + cell);
        if (status != TPU_OK) {
            return status;
        }
        memset(written + cell, 1, self->shape.t);
    }
    return TPU_OK;
}

static tpu_status trace_all(trace *self, int64_t *sums, int8_t *c, uint8_t *written) {
    tpu_status status = TPU_OK;
    for (size_t i = self->flow.count; i-- > 0 && status == TPU_OK;) {
        if (self->flow.issue[i].op == ORACLE_MVOUT) {
            status = trace_mvout(self, i, sums, c, written);
        }
    }
    return status;
}

// Numbers the nodes: one for each ar row that each issue writes.
static bool number_nodes(trace *self) {
    uint32_t ignored = 0;
    self->first = calloc(self->flow.count + 1, sizeof *self->first);
    if (self->first == NULL) {
        return false;
    }
    for (size_t i = 0; i < self->flow.count; i++) {
        self->first[i] = self->nodes;
        self->nodes += ar_target(&self->flow.issue[i], &ignored) ? self->flow.issue[i].nr : 0;
    }
    self->first[self->flow.count] = self->nodes;
    self->owner = calloc(self->nodes + 1, sizeof *self->owner);
    self->known = calloc(self->nodes + 1, sizeof *self->known);
    self->value = calloc((self->nodes + 1) * self->shape.t, sizeof *self->value);
    self->pending = calloc(2 * self->nodes + 1, sizeof *self->pending);
    if (self->owner == NULL || self->known == NULL || self->value == NULL ||
        self->pending == NULL) {
        return false;
    }
    for (size_t i = 0; i < self->flow.count; i++) {
        for (size_t node = self->first[i]; node < self->first[i + 1]; node++) {
            self->owner[node] = i;
        }
    }
    return true;
}

static void clear_trace(trace *self) {
    free(self->first);
    free(self->owner);
    free(self->known);
    free(self->value);
    free(self->pending);
    oracle_flow_clear(&self->flow);
}

// Works on copies, so that a refusal leaves the caller's matrices alone.
static tpu_status run(trace *self, int8_t *c, uint8_t *written) {
    size_t cells = (size_t)self->shape.maxdim * self->shape.maxdim;
    int64_t *sums = calloc(self->shape.t, sizeof *sums);
    int8_t *result = malloc(cells);
    uint8_t *claimed = calloc(cells, 1);
    tpu_status status = TPU_ERR_MEMORY;
    if (sums != NULL && result != NULL && claimed != NULL && number_nodes(self)) {
        memcpy(result, c, cells);
        status = trace_all(self, sums, result, claimed);
    } else {
        (void)status_fail(self->why, status, "oracle: no memory to trace the program");
    }
    if (status == TPU_OK) {
        memcpy(c, result, cells);
        if (written != NULL) {
            memcpy(written, claimed, cells);
        }
    }
    free(claimed);
    free(result);
    free(sums);
    return status;
}

tpu_status oracle_program(const oracle_shape *shape, const uint64_t *words, size_t count,
                          const int8_t *a, const int8_t *b, int8_t *c, uint8_t *written,
                          tpu_message *why) {
    if (shape->t == 0 || shape->maxdim < shape->t || shape->maxdim % shape->t != 0) {
        return status_fail(why, TPU_REFUSED, "oracle: MAXDIM = %u is not a multiple of T = %u",
                           shape->maxdim, shape->t);
    }
    trace self = {.shape = *shape, .a = a, .b = b, .why = why};
    tpu_status status = oracle_flow_run(words, count, &self.flow, why);
    if (status == TPU_OK) {
        status = run(&self, c, written);
    }
    clear_trace(&self);
    return status;
}
