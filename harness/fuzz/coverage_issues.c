// SPDX-License-Identifier: Apache-2.0
//
// Issues: their row counts, edges, loops and terms, and how each meets the issues before it in a
// memory. Reads resolved operands from the issue stream; needs the program only for loop depth and
// the number of terms at a pc.

#include "harness/fuzz/coverage_internal.h"

#include <stdio.h>
#include <string.h>

// Dense opcodes, as coverage_op gives them.
enum { NOP, DMA_LD, VLD, MM, VADD, VADDRELU, VRELU, MVOUT };

// What an operand that names rows is bounded by.
typedef enum bound { BOUND_SPAD, BOUND_VR, BOUND_AR, BOUND_DRAM, BOUND_BLOCK, BOUND_DEST } bound;

typedef struct edge {
    uint8_t op;
    uint8_t field;
    uint8_t bound;
    const char *text;
} edge;

static const edge edges[COVERAGE_EDGES] = {
    {DMA_LD, 1, BOUND_DRAM, "dma_ld from DRAM row"},
    {DMA_LD, 2, BOUND_BLOCK, "dma_ld from column block"},
    {DMA_LD, 3, BOUND_DEST, "dma_ld to row"},
    {VLD, 0, BOUND_VR, "vld to vr row"},
    {VLD, 1, BOUND_SPAD, "vld from spad row"},
    {MM, 0, BOUND_VR, "mm of vr row"},
    {MM, 1, BOUND_AR, "mm to ar row"},
    {MM, 3, BOUND_SPAD, "mm with spad row"},
    {VADD, 0, BOUND_AR, "vadd to ar row"},
    {VADD, 1, BOUND_AR, "vadd from left ar row"},
    {VADD, 2, BOUND_AR, "vadd from right ar row"},
    {VADDRELU, 0, BOUND_AR, "vaddrelu to ar row"},
    {VADDRELU, 1, BOUND_AR, "vaddrelu from left ar row"},
    {VADDRELU, 2, BOUND_AR, "vaddrelu from right ar row"},
    {VRELU, 0, BOUND_AR, "vrelu to ar row"},
    {VRELU, 1, BOUND_AR, "vrelu from ar row"},
    {MVOUT, 0, BOUND_AR, "mvout of ar row"},
    {MVOUT, 1, BOUND_DRAM, "mvout to DRAM row"},
    {MVOUT, 2, BOUND_BLOCK, "mvout to column block"},
    {MM, 2, BOUND_BLOCK, "mm's acc"}, // two values: its edges are 0 and 1
};

// First edge of each op, and one behind the last.
static const uint8_t first_edge[COVERAGE_OPS + 1] = {0, 0, 3, 5, 8, 11, 14, 16, 19};

static void set_places(coverage *self) {
    uint8_t depth = 0;
    const isa_program *program = self->program;
    for (size_t pc = 0; pc < program->count && pc < self->place_room; pc++) {
        const isa_insn *insn = &program->insn[pc];
        uint8_t terms = 0;
        for (size_t i = 0; i < TPU_AGU_TERMS; i++) {
            terms = (uint8_t)(terms + (insn->term[i].target != 0));
        }
        depth = (uint8_t)(depth - (insn->op == TPU_OP_ENDLOOP && depth > 0));
        self->place[pc] = (coverage_place){.depth = depth, .terms = terms};
        depth = (uint8_t)(depth + (insn->op == TPU_OP_LOOP && depth < TPU_LOOP_DEPTH));
    }
}

void coverage_issues_begin(coverage *self) {
    self->recent_count = 0;
    self->tile = (coverage_tile){.length = 3};
    self->step = 0;
    for (uint32_t row = 0; row < self->params.nar; row++) {
        self->written[row] = INT32_MIN;
    }
    set_places(self);
}

// ---- one issue ---------------------------------------------------------------------------------

static uint32_t word16(const uint8_t *at) {
    return (uint32_t)(at[0] | at[1] << 8);
}

static coverage_span span(tpu_mem memory, uint32_t first, uint32_t rows) {
    return (coverage_span){.memory = (uint8_t)memory, .first = first, .rows = rows};
}

static void find_spans(const coverage *self, coverage_issue *out) {
    uint32_t nr = out->nr;
    const uint16_t *f = out->f;
    switch (out->op) {
    case DMA_LD:
        out->writes = span((f[0] & TPU_DMA_TO_VR) != 0 ? TPU_MEM_VR : TPU_MEM_SPAD, f[3], nr);
        break;
    case VLD:
        out->reads[0] = span(TPU_MEM_SPAD, f[1], nr);
        out->writes = span(TPU_MEM_VR, f[0], nr);
        break;
    case MM: // with acc it reads what it writes, which RAW and WAW tell apart anyway
        out->reads[0] = span(TPU_MEM_SPAD, f[3], self->params.t);
        out->reads[1] = span(TPU_MEM_VR, f[0], nr);
        out->writes = span(TPU_MEM_AR, f[1], nr);
        break;
    case VADD:
    case VADDRELU:
        out->reads[1] = span(TPU_MEM_AR, f[2], nr);
        out->reads[0] = span(TPU_MEM_AR, f[1], nr);
        out->writes = span(TPU_MEM_AR, f[0], nr);
        break;
    case VRELU:
        out->reads[0] = span(TPU_MEM_AR, f[1], nr);
        out->writes = span(TPU_MEM_AR, f[0], nr);
        break;
    case MVOUT: // column blocks of one row are apart by MAXDIM
        out->reads[0] = span(TPU_MEM_AR, f[0], nr);
        out->writes = span(TPU_MEM_C, f[1] + f[2] * self->params.maxdim, nr);
        break;
    default:
        break;
    }
}

bool coverage_meet(const coverage_span *a, const coverage_span *b, bool *same) {
    bool yes = a->rows > 0 && b->rows > 0 && a->memory == b->memory &&
               a->first < b->first + b->rows && b->first < a->first + a->rows;
    *same = *same || (yes && a->first == b->first);
    return yes;
}

// Memories that an op reads and writes, a bit each: spad, vr, ar, C.
static uint32_t reads_of(uint32_t op) {
    static const uint8_t reads[COVERAGE_OPS] = {0, 0, 1, 1 | 2, 4, 4, 4, 4};
    return reads[op];
}

static uint32_t writes_of(uint32_t op) {
    static const uint8_t writes[COVERAGE_OPS] = {0, 1 | 2, 2, 4, 4, 4, 4, 8};
    return writes[op];
}

// Bits: 1 reads what the older wrote, 2 writes what it read, 4 writes what it wrote.
static uint32_t relation(const coverage_issue *older, const coverage_issue *now, bool *same) {
    uint32_t out = 0;
    if (((reads_of(now->op) | writes_of(now->op)) & writes_of(older->op)) == 0 &&
        (writes_of(now->op) & reads_of(older->op)) == 0) {
        return 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        out |= coverage_meet(&now->reads[i], &older->writes, same) ? 1u : 0u;
        out |= coverage_meet(&now->writes, &older->reads[i], same) ? 2u : 0u;
    }
    return out | (coverage_meet(&now->writes, &older->writes, same) ? 4u : 0u);
}

// One row, as few as a tile of weights takes to load, more.
static uint32_t class_of_size(const coverage *self, uint32_t nr) {
    return nr <= 1 ? 0 : nr <= self->params.t + 1 ? 1 : 2;
}

static void mark_meetings(coverage *self, const coverage_issue *now) {
    uint32_t known = self->recent_count < COVERAGE_RECENT ? self->recent_count : COVERAGE_RECENT;
    for (uint32_t back = 1; back <= known; back++) {
        const coverage_issue *older = &self->recent[(self->recent_count - back) % COVERAGE_RECENT];
        bool same = false;
        uint32_t how = relation(older, now, &same);
        uint32_t ops = older->op * COVERAGE_OPS + now->op;
        if (back == 1) {
            uint32_t sizes = class_of_size(self, older->nr) * 3 + class_of_size(self, now->nr);
            coverage_mark(self, COVERAGE_BASE_NEXT + ops * 16 + how * 2 + same);
            coverage_mark(self, COVERAGE_BASE_SIZES + (ops * 8 + how) * 9 + sizes);
        } else {
            coverage_mark(self, COVERAGE_BASE_AFTER + ops * 8 + how);
        }
    }
}

static uint32_t class_of_rows(const coverage *self, uint32_t nr) {
    uint32_t t = self->params.t;
    if (nr <= 2) {
        return nr;
    }
    if (nr <= t + 1) {
        return nr < t ? 3 : nr == t ? 4 : 5;
    }
    return nr <= 2 * t + 2 ? 6 : nr < 48 ? 7 : 8;
}

static uint32_t rows_of(const coverage *self, const coverage_issue *now, uint8_t which) {
    switch ((bound)which) {
    case BOUND_SPAD:
        return self->params.spad_rows;
    case BOUND_VR:
        return self->params.nvr;
    case BOUND_AR:
        return self->params.nar;
    case BOUND_DRAM:
        return self->params.maxdim;
    case BOUND_BLOCK:
        return params_wpr(&self->params);
    default:
        return (now->f[0] & TPU_DMA_TO_VR) != 0 ? self->params.nvr : self->params.spad_rows;
    }
}

// 0 inside, 1 at the first row, 2 at the last, 3 both.
static uint32_t edge_of(const coverage *self, const coverage_issue *now, const edge *at) {
    uint32_t rows = rows_of(self, now, at->bound);
    uint32_t width = at->bound == BOUND_BLOCK                  ? 1
                     : at->op == MM && at->bound == BOUND_SPAD ? self->params.t
                                                               : now->nr;
    uint32_t first = now->f[at->field];
    return (first == 0 ? 1u : 0u) | (first + width == rows ? 2u : 0u);
}

static void mark_edges(coverage *self, const coverage_issue *now) {
    for (uint32_t i = first_edge[now->op]; i < first_edge[now->op + 1]; i++) {
        coverage_mark(self, COVERAGE_BASE_EDGE + i * 4 + edge_of(self, now, &edges[i]));
    }
    if (now->op == MM) {
        coverage_mark(self, COVERAGE_BASE_EDGE + 19 * 4 + (now->f[2] & 1u));
    }
    if (now->op == DMA_LD) {
        uint32_t to = edge_of(self, now, &edges[2]);
        uint32_t from = edge_of(self, now, &edges[0]);
        coverage_mark(self, COVERAGE_BASE_LOAD + ((now->f[0] & 3u) * 4 + to) * 4 + from);
    }
}

static void mark_place(coverage *self, const coverage_issue *now, uint32_t pc) {
    if (pc >= self->program->count || pc >= self->place_room) {
        return;
    }
    const coverage_place *place = &self->place[pc];
    uint32_t at = (now->op * (TPU_LOOP_DEPTH + 1u) + place->depth) * (TPU_AGU_TERMS + 1u);
    coverage_mark(self, COVERAGE_BASE_LOOP + at + place->terms);
    for (size_t i = 0; i < TPU_AGU_TERMS && place->terms > 0; i++) {
        const isa_term *term = &self->program->insn[pc].term[i];
        if (term->target != 0) {
            coverage_mark(self, COVERAGE_BASE_TERM +
                                    ((uint32_t)now->op * TPU_FIELDS + term->target - 1u) *
                                        TPU_LOOP_DEPTH +
                                    term->level);
        }
    }
}

void coverage_issues_row(coverage *self, const uint8_t *row) {
    coverage_issue now = {.op = (uint8_t)coverage_op(row[2]), .nr = row[3]};
    if (now.op == COVERAGE_OPS) {
        return;
    }
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        now.f[i] = (uint16_t)word16(row + 4 + 2 * i);
    }
    find_spans(self, &now);
    mark_meetings(self, &now);
    self->recent[self->recent_count++ % COVERAGE_RECENT] = now;
    mark_place(self, &now, word16(row));
    uint8_t load = self->cond[TPU_UNIT_DMA_LD];
    uint8_t accu = self->cond[TPU_UNIT_ACCU];
    if (load < COVERAGE_CONDS && accu < COVERAGE_CONDS) {
        coverage_mark(self, COVERAGE_BASE_ISSUED + (now.op * 6u + load - 4u) * 6u + accu - 29u);
    }
    if (now.op == NOP) {
        return;
    }
    coverage_mark(self,
                  COVERAGE_BASE_ROWS + now.op * COVERAGE_COUNTS + class_of_rows(self, now.nr));
    mark_edges(self, &now);
    coverage_ages_issue(self, &now);
}

// ---- names -------------------------------------------------------------------------------------

static const char *const edge_texts[4] = {"inside", "at the first row", "at the last row",
                                          "from the first to the last row"};

static void name_relation(uint32_t older, uint32_t now, uint32_t how, const char *rest, char *text,
                          size_t size) {
    static const char *const hows[8] = {"apart",
                                        "reads what it wrote",
                                        "writes what it read",
                                        "reads what it wrote, writes what it read",
                                        "writes what it wrote",
                                        "reads and writes what it wrote",
                                        "writes what it read and wrote",
                                        "reads what it wrote, writes what it read and wrote"};
    (void)snprintf(text, size, "%s and then %s, which %s%s", coverage_op_name(older),
                   coverage_op_name(now), how == 0 ? "lies apart" : hows[how], rest);
}

static void name_age(uint32_t at, char *text, size_t size) {
    static const char *const sources[COVERAGE_SOURCES] = {
        "mm adds to", "vadd reads as left", "vadd reads as right", "vrelu reads", "mvout reads"};
    static const char *const ages[COVERAGE_AGES] = {"4",       "5",        "6",         "7",
                                                    "8 .. 11", "12 .. 19", "20 or more"};
    static const char *const writers[3] = {"mm", "an addition", "vrelu"};
    (void)snprintf(text, size, "%s a row %s step(s) after %s wrote it",
                   sources[at / 3 / COVERAGE_AGES], ages[at / 3 % COVERAGE_AGES], writers[at % 3]);
}

static void name_tiles(uint32_t at, char *text, size_t size) {
    static const char *const lengths[3] = {"T rows or fewer", "T + 1 rows", "more rows"};
    static const char *const gaps[3] = {"at once", "after one issue", "after several issues"};
    uint32_t gap = at % 3;
    at /= 3;
    (void)snprintf(text, size, "mm (%s, %s), then %s mm (%s, %s) with %s weights%s",
                   lengths[at / 16 / 3], (at / 8 % 2) != 0 ? "acc" : "no acc", gaps[gap],
                   lengths[at / 16 % 3], (at / 4 % 2) != 0 ? "acc" : "no acc",
                   (at / 2 % 2) != 0 ? "the same" : "other",
                   (at % 2) != 0 ? ", the first ones reloaded" : "");
}

static void name_issued(uint32_t at, char *text, size_t size) {
    static const char *const load[6] = {"idle",           "busy",           "without a word",
                                        "blocked by spm", "blocked by vru", "waiting for memory"};
    static const char *const accu[6] = {
        "idle", "busy", "without a word", "blocked by dma_st", "waiting for sums", "in a hazard"};
    (void)snprintf(text, size, "%s while dma_ld is %s and accu %s", coverage_op_name(at / 36),
                   load[at / 6 % 6], accu[at % 6]);
}

static void name_rows(uint32_t at, char *text, size_t size) {
    static const char *const rows[COVERAGE_COUNTS] = {"0 rows",
                                                      "1 row",
                                                      "2 rows",
                                                      "3 .. T - 1 rows",
                                                      "T rows",
                                                      "T + 1 rows",
                                                      "up to 2 T + 2 rows",
                                                      "up to 47 rows",
                                                      "48 rows or more"};
    (void)snprintf(text, size, "%s of %s", coverage_op_name(at / COVERAGE_COUNTS),
                   rows[at % COVERAGE_COUNTS]);
}

static void name_load(uint32_t at, char *text, size_t size) {
    static const char *const modes[4] = {"A to spad", "B to spad", "A to vr", "B to vr"};
    (void)snprintf(text, size, "%s, written %s, read %s", modes[at / 16], edge_texts[at / 4 % 4],
                   edge_texts[at % 4]);
}

// Rows of the older and of the younger.
static const char *const size_texts[9] = {"; 1 row, 1 row",
                                          "; 1 row, up to T + 1",
                                          "; 1 row, more",
                                          "; up to T + 1 rows, 1",
                                          "; up to T + 1 rows, up to T + 1",
                                          "; up to T + 1 rows, more",
                                          "; more than T + 1 rows, 1",
                                          "; more than T + 1 rows, up to T + 1",
                                          "; more than T + 1 rows, more"};

void coverage_issues_name(coverage_group group, uint32_t at, char *text, size_t size) {
    uint32_t step = TPU_AGU_TERMS + 1u;
    switch (group) {
    case COVERAGE_ROWS:
        name_rows(at, text, size);
        return;
    case COVERAGE_EDGE:
        (void)snprintf(text, size, "%s %s", edges[at / 4].text, edge_texts[at % 4]);
        return;
    case COVERAGE_LOAD:
        name_load(at, text, size);
        return;
    case COVERAGE_NEXT:
        name_relation(at / 128, at / 16 % 8, at / 2 % 8, (at % 2) != 0 ? ", row for row" : "", text,
                      size);
        return;
    case COVERAGE_SIZES:
        name_relation(at / 576, at / 72 % 8, at / 9 % 8, size_texts[at % 9], text, size);
        return;
    case COVERAGE_AFTER:
        name_relation(at / 64, at / 8 % 8, at % 8, ", two or three issues later", text, size);
        return;
    case COVERAGE_AGE:
        name_age(at, text, size);
        return;
    case COVERAGE_LOOP:
        (void)snprintf(text, size, "%s in %u loop(s) with %u term(s)",
                       coverage_op_name(at / step / (TPU_LOOP_DEPTH + 1u)),
                       at / step % (TPU_LOOP_DEPTH + 1u), at % step);
        return;
    case COVERAGE_TERM:
        (void)snprintf(text, size, "f%u of %s walks with loop %u", at / TPU_LOOP_DEPTH % TPU_FIELDS,
                       coverage_op_name(at / TPU_LOOP_DEPTH / TPU_FIELDS), at % TPU_LOOP_DEPTH);
        return;
    case COVERAGE_TILES:
        name_tiles(at, text, size);
        return;
    default:
        name_issued(at, text, size);
    }
}

// ---- what can be -------------------------------------------------------------------------------

static bool meeting_possible(uint32_t older, uint32_t now, uint32_t how) {
    bool raw = (reads_of(now) & writes_of(older)) != 0;
    bool war = (writes_of(now) & reads_of(older)) != 0;
    bool waw = (writes_of(now) & writes_of(older)) != 0;
    return ((how & 1u) == 0 || raw) && ((how & 2u) == 0 || war) && ((how & 4u) == 0 || waw);
}

bool coverage_issues_possible(coverage_group group, uint32_t at) {
    uint32_t step = TPU_AGU_TERMS + 1u;
    switch (group) {
    case COVERAGE_ROWS:
        return at / COVERAGE_COUNTS != NOP && at % COVERAGE_COUNTS != 0;
    case COVERAGE_EDGE:
        return at < 19 * 4 || at % 4 < 2;
    case COVERAGE_NEXT:
        return meeting_possible(at / 128, at / 16 % 8, at / 2 % 8) &&
               (at / 2 % 8 > 0 || at % 2 == 0);
    case COVERAGE_SIZES:
        return meeting_possible(at / 576, at / 72 % 8, at / 9 % 8);
    case COVERAGE_AFTER:
        return meeting_possible(at / 64, at / 8 % 8, at % 8);
    case COVERAGE_LOOP: // terms need a loop and an operand
        return at % step == 0 ||
               (at / step % (TPU_LOOP_DEPTH + 1u) > 0 && at / step / (TPU_LOOP_DEPTH + 1u) != NOP);
    case COVERAGE_TERM:
        return at / TPU_LOOP_DEPTH / TPU_FIELDS != NOP;
    default:
        return true;
    }
}
