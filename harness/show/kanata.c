// SPDX-License-Identifier: Apache-2.0
//
// The log is a list of commands in the order of their cycles. Each instruction gives its own
// commands; they are sorted, and the steps between cycles are put in when they are written.
//
//   issued        first row of operands   of results   of C        last row + 1
//   |---- Is ----|--------- Ld ----------|---- Cp ----|---- Rt ----|

#include "harness/show/kanata.h"

#include "csim/isa/disasm.h"
#include "harness/io/textbuf.h"

#include <stdlib.h>

typedef enum command_kind { COMMAND_BEGIN, COMMAND_STAGE, COMMAND_END } command_kind;

// The stages in their order; issue comes before those of life.h.
static const char *const stage_names[] = {"Is", "Ld", "Cp", "Rt"};

typedef struct command {
    uint64_t cycle;
    size_t order; // keeps what was made first in front within a cycle
    const life *of;
    uint32_t id; // in the log
    command_kind kind;
    const char *stage;  // that begins, or that ends
    const char *before; // stage that ends where another begins
} command;

typedef struct writer {
    const recording *from;
    command *list;
    size_t count;
    textbuf text;
} writer;

static void push(writer *self, command made) {
    made.order = self->count;
    self->list[self->count++] = made;
}

static int by_cycle(const void *left, const void *right) {
    const command *a = left;
    const command *b = right;
    if (a->cycle != b->cycle) {
        return a->cycle < b->cycle ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

// Cycle after the last thing that is known of an instruction.
static uint64_t end_of(const writer *self, const life *one) {
    uint64_t last = one->issued;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (one->stream[s].count > 0 && one->stream[s].last > last) {
            last = one->stream[s].last;
        }
    }
    return life_finished(one) ? last + 1 : self->from->window.last + 1;
}

static void push_life(writer *self, const life *one, uint32_t id) {
    command made = {.cycle = one->issued, .of = one, .id = id, .stage = stage_names[0]};
    push(self, made);
    made.kind = COMMAND_STAGE;
    for (int stage = 0; stage < LIFE_STAGE_COUNT; stage++) {
        const life_rows rows = life_stage_rows(one, (life_stage)stage);
        if (rows.count == 0) {
            continue;
        }
        made.before = made.stage;
        made.stage = stage_names[1 + stage];
        made.cycle = rows.first > made.cycle ? rows.first : made.cycle;
        push(self, made);
    }
    made.kind = COMMAND_END;
    made.cycle = end_of(self, one);
    push(self, made);
}

static bool is_shown(const recording *from, const life *one) {
    bool rows = one->issued >= from->window.first && one->issued <= from->window.last;
    for (int s = TPU_STREAM_ISSUE + 1; s < TPU_STREAM_COUNT && !rows; s++) {
        rows = one->stream[s].count > 0;
    }
    return rows;
}

static bool is_guilty(const recording *from, const life *one) {
    return from->seen.issue.known && from->seen.issue.issue.seq == one->of->issue.seq;
}

static void put_begin(writer *self, const command *what) {
    const isa_issue *issue = &what->of->of->issue;
    char text[DISASM_LINE_MAX];
    disasm_issue(issue, text, sizeof text);
    textbuf_add(&self->text, "I\t%u\t%u\t0\n", what->id, issue->seq);
    textbuf_add(&self->text, "L\t%u\t0\t%s%u: %s\n", what->id,
                is_guilty(self->from, what->of) ? "(!) " : "", issue->pc, text);
    textbuf_add(&self->text, "L\t%u\t1\tissue %u", what->id, issue->seq);
    for (unsigned level = 0; level < issue->depth; level++) {
        textbuf_add(&self->text, ", iv%u = %u", level, issue->iv[level]);
    }
    if (what->of->of->line > 0) {
        textbuf_add(&self->text, ", line %u", what->of->of->line);
    }
    textbuf_add(&self->text, "\nS\t%u\t0\t%s\n", what->id, what->stage);
}

static void put_one(writer *self, const command *what, uint32_t *retired) {
    switch (what->kind) {
    case COMMAND_BEGIN:
        put_begin(self, what);
        break;
    case COMMAND_STAGE:
        textbuf_add(&self->text, "E\t%u\t0\t%s\n", what->id, what->before);
        textbuf_add(&self->text, "S\t%u\t0\t%s\n", what->id, what->stage);
        break;
    case COMMAND_END:
        textbuf_add(&self->text, "E\t%u\t0\t%s\n", what->id, what->stage);
        textbuf_add(&self->text, "R\t%u\t%u\t%d\n", what->id, (*retired)++,
                    life_finished(what->of) ? 0 : 1);
        break;
    }
}

static void put_all(writer *self) {
    uint32_t retired = 0;
    uint64_t cycle = self->count > 0 ? self->list[0].cycle : self->from->window.first;
    textbuf_add(&self->text, "Kanata\t0004\nC=\t%llu\n", (unsigned long long)cycle);
    for (size_t i = 0; i < self->count; i++) {
        const command *what = &self->list[i];
        if (what->cycle > cycle) {
            textbuf_add(&self->text, "C\t%llu\n", (unsigned long long)(what->cycle - cycle));
            cycle = what->cycle;
        }
        put_one(self, what, &retired);
    }
}

tpu_status kanata_text(const recording *from, const life_list *lives, char **out,
                       tpu_message *why) {
    writer self = {.from = from};
    uint32_t id = 0;
    self.list = calloc(lives->count * (2 + LIFE_STAGE_COUNT) + 1, sizeof *self.list);
    if (self.list == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "timeline: out of memory");
    }
    for (size_t i = 0; i < lives->count; i++) {
        if (is_shown(from, &lives->one[i])) {
            push_life(&self, &lives->one[i], id++);
        }
    }
    qsort(self.list, self.count, sizeof *self.list, by_cycle);
    put_all(&self);
    free(self.list);
    return textbuf_take(&self.text, out, why);
}
