// SPDX-License-Identifier: Apache-2.0
//
// Work counts and steps of accu, written by hand from the page of the instruction set.

#include "harness/oracle/oracle_law.h"

#include <stdlib.h>

#define DISTANCE 4u

typedef struct tally {
    uint64_t word[8];
    uint64_t mms;
    uint64_t mm_rows;
    uint64_t span[2]; // of A and B
} tally;

static void add_load(tally *self, const oracle_issue *issue) {
    uint64_t *span = &self->span[issue->f[0] & 1u];
    uint64_t end = (uint64_t)issue->f[1] + issue->nr;
    *span = end > *span ? end : *span;
    self->word[1] += issue->nr;
    self->word[(issue->f[0] & 2u) != 0 ? 3 : 2] += issue->nr;
}

static void add_issue(tally *self, const oracle_issue *issue, uint32_t t) {
    switch (issue->op) {
    case ORACLE_DMA_LD:
        add_load(self, issue);
        break;
    case ORACLE_VLD:
        self->word[2] += issue->nr;
        self->word[3] += issue->nr;
        break;
    case ORACLE_MM:
        self->word[2] += t + 1;
        self->word[3] += issue->nr;
        self->word[5] += issue->nr;
        self->mms++;
        self->mm_rows += issue->nr;
        break;
    case ORACLE_VADD:
    case ORACLE_VADDRELU:
        self->word[5] += 2ull * issue->nr;
        break;
    case ORACLE_VRELU:
        self->word[5] += issue->nr;
        break;
    case ORACLE_MVOUT:
        self->word[5] += issue->nr;
        self->word[6] += issue->nr;
        break;
    default:
        break;
    }
}

unsigned oracle_law_header(const oracle_flow *flow, uint32_t t, const uint64_t *words) {
    tally sum = {.mms = 0};
    for (size_t i = 0; i < flow->count; i++) {
        add_issue(&sum, &flow->issue[i], t);
    }
    sum.word[4] = sum.mms | sum.mm_rows << 16;
    sum.word[7] = sum.span[0] | sum.span[1] << 16;
    for (unsigned word = 1; word < 8; word++) {
        if (words[word] != sum.word[word]) {
            return word;
        }
    }
    return 0;
}

// ---- distance -----------------------------------------------------------------------------------

// Steps of accu so far, and of each row the step that wrote it, plus 1.
typedef struct track {
    uint64_t step;
    uint64_t *wrote;
    uint32_t rows;
    bool good;
} track;

static void read_row(track *self, uint32_t row, uint64_t step) {
    bool near =
        row < self->rows && self->wrote[row] != 0 && step - (self->wrote[row] - 1) < DISTANCE;
    self->good = self->good && !near;
}

static void write_row(track *self, uint32_t row, uint64_t step) {
    if (row < self->rows) {
        self->wrote[row] = step + 1;
    }
}

// The left row is read on the even step; the right one is read and the sum written on the odd one.
static void walk_pair(track *self, const oracle_issue *issue) {
    for (uint32_t i = 0; i < issue->nr; i++, self->step += 2) {
        read_row(self, issue->f[1] + i, self->step);
        read_row(self, issue->f[2] + i, self->step + 1);
        write_row(self, issue->f[0] + i, self->step + 1);
    }
}

static void walk_single(track *self, const oracle_issue *issue) {
    for (uint32_t i = 0; i < issue->nr; i++, self->step++) {
        if (issue->op == ORACLE_MM) {
            if (issue->f[2] == 1) {
                read_row(self, issue->f[1] + i, self->step);
            }
            write_row(self, issue->f[1] + i, self->step);
        } else if (issue->op == ORACLE_VRELU) {
            read_row(self, issue->f[1] + i, self->step);
            write_row(self, issue->f[0] + i, self->step);
        } else {
            read_row(self, issue->f[0] + i, self->step); // mvout
        }
    }
}

bool oracle_law_distance(const oracle_flow *flow, uint32_t rows) {
    track self = {.rows = rows, .good = true};
    self.wrote = calloc(rows, sizeof *self.wrote);
    for (size_t i = 0; i < flow->count && self.wrote != NULL; i++) {
        const oracle_issue *issue = &flow->issue[i];
        if (issue->op == ORACLE_VADD || issue->op == ORACLE_VADDRELU) {
            walk_pair(&self, issue);
        } else if (issue->op == ORACLE_MM || issue->op == ORACLE_VRELU ||
                   issue->op == ORACLE_MVOUT) {
            walk_single(&self, issue);
        }
    }
    free(self.wrote);
    return self.good;
}
