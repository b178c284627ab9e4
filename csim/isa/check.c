// SPDX-License-Identifier: Apache-2.0
//
// The rules, in two passes as the machine meets them: what the text of the program shows
// (opcodes, nesting, address terms), then every issue of one run with its resolved fields. The
// first broken rule ends it. Work is linear in the rows touched; nothing is allocated.

#include "csim/isa/check.h"

#include "csim/isa/disasm.h"
#include "csim/isa/expand.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// No address beyond this can be named, so no deeper memory can matter.
#define ROWS_MAX (TPU_FIELD_MAX + 1)

// An ar row nobody wrote in this program.
#define NEVER INT64_MIN

typedef struct judge {
    const tpu_params *params;
    const isa_program *program;
    check_finding found;
    tpu_message *why;
    isa_issue issue;              // the one being judged
    int64_t step;                 // accu steps before it
    uint8_t spad[ROWS_MAX];       // 1 = holds data of a dma_ld
    uint8_t vr[ROWS_MAX];         // likewise, directly or through vld
    int64_t ar_written[ROWS_MAX]; // accu step of the last write, or NEVER
} judge;

// `rows` rows from `first` on, in one memory.
typedef struct span {
    tpu_mem memory;
    uint32_t first;
    uint32_t rows;
} span;

static void name_place(const judge *self, char *text, size_t size) {
    const check_finding *at = &self->found;
    size_t used = 0;
    text[0] = '\0';
    if (at->line > 0) {
        used += (size_t)snprintf(text, size, ", line %" PRIu32, at->line);
    }
    for (unsigned i = 0; at->dynamic && i < at->depth; i++) {
        used += (size_t)snprintf(text + used, size - used, ", iv%u=%u", i, at->iv[i]);
    }
}

// "rule: instruction pc `text` (place): sentence".
static tpu_status refuse(judge *self, tpu_rule rule, const char *fmt, ...) TPU_PRINTF(3, 4);

static tpu_status refuse(judge *self, tpu_rule rule, const char *fmt, ...) {
    char insn[DISASM_LINE_MAX] = "";
    char place[96];
    char sentence[256];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    self->found.rule = rule;
    if (self->found.dynamic) {
        disasm_issue(&self->issue, insn, sizeof insn);
    } else if (self->found.pc < self->program->count) {
        disasm_insn(&self->program->insn[self->found.pc], insn, sizeof insn);
    }
    name_place(self, place, sizeof place);
    return status_fail(self->why, TPU_REFUSED, "%s: instruction %" PRIu32 "%s, %s: %s",
                       tpu_rule_name(rule), self->found.pc, place, insn, sentence);
}

static tpu_status refuse_field(judge *self, tpu_rule rule, int field, const char *sentence) {
    self->found.field = field;
    return refuse(self, rule, "f%d=%" PRIu32 " %s", field, self->issue.f[field], sentence);
}

static void note_rows(judge *self, tpu_mem memory, uint32_t first, uint32_t last) {
    self->found.memory = (int)memory;
    self->found.row_first = first;
    self->found.row_last = last;
}

// ---- static pass -----------------------------------------------------------------------------

static tpu_status check_terms(judge *self, const isa_insn *insn, uint32_t depth) {
    bool bare = insn->op == TPU_OP_NOP || tpu_ops[insn->op].is_control;
    for (unsigned i = 0; i < TPU_AGU_TERMS; i++) {
        const isa_term *term = &insn->term[i];
        if (term->target == 0) {
            continue;
        }
        if (bare) {
            return refuse(self, TPU_RULE_AGU_TERM,
                          "AGU term %u stands on an instruction without operands", i);
        }
        if (term->target > TPU_AGU_TARGET_MAX) {
            return refuse(self, TPU_RULE_AGU_TERM,
                          "AGU term %u has target %u; 0 (unused) and 1..%d (f0..f3) exist", i,
                          term->target, TPU_AGU_TARGET_MAX);
        }
        if (term->level >= depth) {
            return refuse(self, TPU_RULE_AGU_TERM,
                          "AGU term %u moves f%u with loop level %u, but %" PRIu32
                          " loop(s) are open here: the machine would add a stale induction value",
                          i, term->target - 1u, term->level, depth);
        }
        if (term->stride > TPU_AGU_STRIDE_MAX) {
            return refuse(self, TPU_RULE_AGU_TERM,
                          "AGU term %u has stride %u; 0..%d can be encoded", i, term->stride,
                          TPU_AGU_STRIDE_MAX);
        }
    }
    return TPU_OK;
}

static tpu_status check_loop(judge *self, const isa_insn *insn, uint32_t *depth) {
    if (*depth >= TPU_LOOP_DEPTH) {
        return refuse(self, TPU_RULE_LOOP_DEPTH,
                      "it is nested %" PRIu32 " deep, and the loop stack holds %d", *depth + 1,
                      TPU_LOOP_DEPTH);
    }
    if (insn->nr < 1 || insn->nr > TPU_MAXROWS) {
        return refuse(self, TPU_RULE_LOOP_TRIP,
                      "trip count %u is not in 1..%d (the machine tests after the body, so 0 would "
                      "run it once)",
                      insn->nr, TPU_MAXROWS);
    }
    (*depth)++;
    return TPU_OK;
}

static tpu_status check_opcode(judge *self, const isa_insn *insn, uint32_t *depth) {
    if (insn->op >= TPU_OP_COUNT) {
        return refuse(self, TPU_RULE_OP_UNKNOWN, "opcode %u does not exist", insn->op);
    }
    if (tpu_ops[insn->op].retired) {
        return refuse(self, TPU_RULE_OP_UNKNOWN,
                      "opcode %u is retired: results leave through mvout", insn->op);
    }
    if (insn->op == TPU_OP_LOOP) {
        return check_loop(self, insn, depth);
    }
    if (insn->op == TPU_OP_ENDLOOP) {
        if (*depth == 0) {
            return refuse(self, TPU_RULE_LOOP_UNBALANCED, "no loop is open here");
        }
        (*depth)--;
    }
    return TPU_OK;
}

// Values that no issue carries, so the second pass never sees them, yet the words must hold.
static tpu_status check_idle_fields(judge *self, const isa_insn *insn) {
    if (insn->op != TPU_OP_NOP && !tpu_ops[insn->op].is_control) {
        return TPU_OK;
    }
    for (int i = 0; i < TPU_FIELDS; i++) {
        if (insn->f[i] > TPU_FIELD_MAX) {
            self->found.field = i;
            return refuse(self, TPU_RULE_FIELD_RANGE, "f%d=%u is outside 0..%d", i, insn->f[i],
                          TPU_FIELD_MAX);
        }
    }
    if (insn->nr > TPU_MAXROWS) {
        return refuse(self, TPU_RULE_FIELD_RANGE, "nr=%u is outside 0..%d", insn->nr, TPU_MAXROWS);
    }
    return TPU_OK;
}

static tpu_status check_text(judge *self) {
    const isa_program *program = self->program;
    uint32_t depth = 0;
    if (program->count == 0) {
        self->found.rule = TPU_RULE_PROG_EMPTY;
        return status_fail(self->why, TPU_REFUSED, "%s: the program has no instruction",
                           tpu_rule_name(TPU_RULE_PROG_EMPTY));
    }
    for (size_t pc = 0; pc < program->count; pc++) {
        const isa_insn *insn = &program->insn[pc];
        self->found.pc = (uint32_t)pc;
        self->found.line = insn->line;
        self->found.op = insn->op;
        tpu_status status = check_opcode(self, insn, &depth);
        if (status == TPU_OK) {
            status = check_terms(self, insn, depth);
        }
        if (status == TPU_OK) {
            status = check_idle_fields(self, insn);
        }
        if (status != TPU_OK) {
            return status;
        }
    }
    if (depth > 0) {
        return refuse(self, TPU_RULE_LOOP_UNCLOSED,
                      "the program ends with %" PRIu32 " loop(s) still open", depth);
    }
    return TPU_OK;
}

// ---- dynamic pass: primitives ----------------------------------------------------------------

static uint32_t memory_rows(const judge *self, tpu_mem memory) {
    switch (memory) {
    case TPU_MEM_SPAD:
        return self->params->spad_rows;
    case TPU_MEM_VR:
        return self->params->nvr;
    default:
        return self->params->nar;
    }
}

// Rows of a memory that this machine has and a field can name; no other one is looked at.
static uint32_t rows_known(const judge *self, tpu_mem memory) {
    uint32_t rows = memory_rows(self, memory);
    return rows < ROWS_MAX ? rows : ROWS_MAX;
}

static tpu_status check_span(judge *self, span at) {
    uint32_t bound = rows_known(self, at.memory);
    if (at.first + at.rows <= bound) {
        return TPU_OK;
    }
    note_rows(self, at.memory, at.first, at.first + at.rows - 1);
    return refuse(self, TPU_RULE_MEM_RANGE,
                  "%s rows %" PRIu32 "..%" PRIu32 " are outside 0..%" PRIu32,
                  tpu_mem_names[at.memory], at.first, at.first + at.rows - 1, bound - 1);
}

static tpu_status refuse_unwritten(judge *self, tpu_mem memory, uint32_t first, uint32_t last,
                                   const char *role) {
    note_rows(self, memory, first, last);
    return refuse(self, TPU_RULE_WRITE_BEFORE_READ,
                  "%s row(s) %" PRIu32 "..%" PRIu32 " are read as %s, but nothing in this program "
                  "wrote them before; the hardware clears no memory",
                  tpu_mem_names[memory], first, last, role);
}

// Rows of spad or vr that must hold data of a dma_ld.
static tpu_status need_loaded(judge *self, span at, const char *role) {
    const uint8_t *written = at.memory == TPU_MEM_SPAD ? self->spad : self->vr;
    const uint8_t *hole = memchr(written + at.first, 0, at.rows);
    if (hole == NULL) {
        return TPU_OK;
    }
    uint32_t first = (uint32_t)(hole - written);
    uint32_t last = first;
    while (last + 1 < at.first + at.rows && !written[last + 1]) {
        last++;
    }
    return refuse_unwritten(self, at.memory, first, last, role);
}

// One accumulator row read at accu step `step`.
static tpu_status read_ar(judge *self, uint32_t row, int64_t step, const char *role) {
    int64_t written = self->ar_written[row];
    if (written == NEVER) {
        return refuse_unwritten(self, TPU_MEM_AR, row, row, role);
    }
    if (step - written < TPU_AR_RAW_DIST) {
        note_rows(self, TPU_MEM_AR, row, row);
        return refuse(self, TPU_RULE_RAW_DISTANCE,
                      "ar row %" PRIu32 " is read as %s %" PRId64
                      " accu step(s) after its write; %d or more are needed",
                      row, role, step - written, TPU_AR_RAW_DIST);
    }
    return TPU_OK;
}

static tpu_status check_dram(judge *self, tpu_rule rule, tpu_mem memory) {
    const isa_issue *issue = &self->issue;
    uint32_t wpr = params_wpr(self->params);
    if (issue->f[2] < wpr && issue->f[1] + issue->nr <= self->params->maxdim) {
        return TPU_OK;
    }
    note_rows(self, memory, issue->f[1], issue->f[1] + issue->nr - 1);
    return refuse(self, rule,
                  "%s rows %" PRIu32 "..%" PRIu32 ", column block %" PRIu32
                  " lie outside %s (rows 0..%" PRIu32 ", blocks 0..%" PRIu32 ")",
                  tpu_mem_names[memory], issue->f[1], issue->f[1] + issue->nr - 1, issue->f[2],
                  tpu_mem_names[memory], self->params->maxdim - 1, wpr - 1);
}

// ---- dynamic pass: one function an opcode ----------------------------------------------------

static tpu_status check_dma_ld(judge *self) {
    const isa_issue *issue = &self->issue;
    if (issue->f[0] > (TPU_DMA_SRC_B | TPU_DMA_TO_VR)) {
        return refuse_field(self, TPU_RULE_DMA_LD_FIELD, 0,
                            "is no mode: source (0 A, 1 B) plus destination (0 spad, 2 vr)");
    }
    tpu_mem source = (issue->f[0] & TPU_DMA_SRC_B) != 0 ? TPU_MEM_B : TPU_MEM_A;
    tpu_mem target = (issue->f[0] & TPU_DMA_TO_VR) != 0 ? TPU_MEM_VR : TPU_MEM_SPAD;
    tpu_status status = check_dram(self, TPU_RULE_OPERAND_RANGE, source);
    if (status == TPU_OK) {
        status = check_span(self, (span){target, issue->f[3], issue->nr});
    }
    if (status == TPU_OK) {
        memset((target == TPU_MEM_VR ? self->vr : self->spad) + issue->f[3], 1, issue->nr);
    }
    return status;
}

static tpu_status check_vld(judge *self) {
    const isa_issue *issue = &self->issue;
    tpu_status status = check_span(self, (span){TPU_MEM_SPAD, issue->f[1], issue->nr});
    if (status == TPU_OK) {
        status = check_span(self, (span){TPU_MEM_VR, issue->f[0], issue->nr});
    }
    if (status == TPU_OK) {
        memcpy(self->vr + issue->f[0], self->spad + issue->f[1], issue->nr);
    }
    return status;
}

static tpu_status check_mm_operands(judge *self) {
    const isa_issue *issue = &self->issue;
    const span weights = {TPU_MEM_SPAD, issue->f[3], self->params->t};
    const span activations = {TPU_MEM_VR, issue->f[0], issue->nr};
    tpu_status status = check_span(self, weights);
    if (status == TPU_OK) {
        status = need_loaded(self, weights, "weights");
    }
    if (status == TPU_OK) {
        status = check_span(self, activations);
    }
    if (status == TPU_OK) {
        status = need_loaded(self, activations, "activations");
    }
    return status;
}

static tpu_status check_mm(judge *self) {
    const isa_issue *issue = &self->issue;
    if (issue->f[2] > 1) {
        return refuse_field(self, TPU_RULE_MM_ACC_FIELD, 2,
                            "is neither 0 (overwrite) nor 1 (accumulate)");
    }
    tpu_status status = check_mm_operands(self);
    if (status == TPU_OK) {
        status = check_span(self, (span){TPU_MEM_AR, issue->f[1], issue->nr});
    }
    for (uint32_t i = 0; status == TPU_OK && i < issue->nr; i++) {
        if (issue->f[2] == 1) {
            status = read_ar(self, issue->f[1] + i, self->step + i, "the accumulate base");
        }
        self->ar_written[issue->f[1] + i] = self->step + i;
    }
    self->step += issue->nr;
    return status;
}

static tpu_status check_vadd(judge *self) {
    const isa_issue *issue = &self->issue;
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < 3; i++) {
        status = check_span(self, (span){TPU_MEM_AR, issue->f[i], issue->nr});
    }
    for (uint32_t i = 0; status == TPU_OK && i < issue->nr; i++) {
        int64_t even = self->step + 2 * (int64_t)i;
        status = read_ar(self, issue->f[1] + i, even, "the left source");
        if (status == TPU_OK) {
            status = read_ar(self, issue->f[2] + i, even + 1, "the right source");
        }
        self->ar_written[issue->f[0] + i] = even + 1;
    }
    self->step += 2 * (int64_t)issue->nr;
    return status;
}

static tpu_status check_vrelu(judge *self) {
    const isa_issue *issue = &self->issue;
    tpu_status status = check_span(self, (span){TPU_MEM_AR, issue->f[0], issue->nr});
    if (status == TPU_OK) {
        status = check_span(self, (span){TPU_MEM_AR, issue->f[1], issue->nr});
    }
    for (uint32_t i = 0; status == TPU_OK && i < issue->nr; i++) {
        status = read_ar(self, issue->f[1] + i, self->step + i, "the source");
        self->ar_written[issue->f[0] + i] = self->step + i;
    }
    self->step += issue->nr;
    return status;
}

static tpu_status check_mvout(judge *self) {
    const isa_issue *issue = &self->issue;
    tpu_status status = check_span(self, (span){TPU_MEM_AR, issue->f[0], issue->nr});
    for (uint32_t i = 0; status == TPU_OK && i < issue->nr; i++) {
        status = read_ar(self, issue->f[0] + i, self->step + i, "the value to retire");
    }
    self->step += issue->nr;
    return status == TPU_OK ? check_dram(self, TPU_RULE_RESULT_RANGE, TPU_MEM_C) : status;
}

static tpu_status check_fields(judge *self) {
    for (int i = 0; i < TPU_FIELDS; i++) {
        if (self->issue.f[i] > TPU_FIELD_MAX) {
            return refuse_field(self, TPU_RULE_FIELD_RANGE, i,
                                "is outside 0..2047, which is all that an address field carries");
        }
    }
    if (self->issue.nr < 1 || self->issue.nr > TPU_MAXROWS) {
        return refuse(self, TPU_RULE_ZERO_ROWS,
                      "it works on %u rows; 1..%d are allowed, and an instruction without rows is "
                      "to be left out",
                      self->issue.nr, TPU_MAXROWS);
    }
    return TPU_OK;
}

static tpu_status check_issue(judge *self) {
    static tpu_status (*const rule_of[TPU_OP_COUNT])(judge * self) = {
        [TPU_OP_DMA_LD] = check_dma_ld, [TPU_OP_VLD] = check_vld,     [TPU_OP_MM] = check_mm,
        [TPU_OP_VADD] = check_vadd,     [TPU_OP_VRELU] = check_vrelu, [TPU_OP_MVOUT] = check_mvout,
        [TPU_OP_VADDRELU] = check_vadd,
    };
    if (rule_of[self->issue.op] == NULL) {
        return TPU_OK; // nop
    }
    tpu_status status = check_fields(self);
    return status == TPU_OK ? rule_of[self->issue.op](self) : status;
}

static tpu_status check_run(judge *self) {
    expand it;
    expand_start(&it, self->program);
    bool done = false;
    tpu_status status = expand_next(&it, &self->issue, &done, self->why);
    while (status == TPU_OK && !done) {
        check_finding *at = &self->found;
        at->dynamic = true;
        at->pc = self->issue.pc;
        at->op = self->issue.op;
        at->line = self->program->insn[at->pc].line;
        at->seq = self->issue.seq;
        at->depth = self->issue.depth;
        memcpy(at->iv, self->issue.iv, sizeof at->iv);
        status = check_issue(self);
        if (status == TPU_OK) {
            status = expand_next(&it, &self->issue, &done, self->why);
        }
    }
    return status;
}

static void judge_start(judge *self, const tpu_params *params, const isa_program *program,
                        tpu_message *why) {
    self->params = params;
    self->program = program;
    self->why = why;
    self->found = (check_finding){.rule = TPU_RULE_NONE, .field = -1, .memory = -1};
    self->issue = (isa_issue){.op = 0};
    self->step = 0;
    memset(self->spad, 0, rows_known(self, TPU_MEM_SPAD));
    memset(self->vr, 0, rows_known(self, TPU_MEM_VR));
    for (size_t i = 0; i < rows_known(self, TPU_MEM_AR); i++) {
        self->ar_written[i] = NEVER;
    }
}

tpu_status check_program(const tpu_params *params, const isa_program *program, check_finding *out,
                         tpu_message *why) {
    judge self; // twenty kilobytes, of which most machines need a few
    judge_start(&self, params, program, why);
    tpu_status status = check_text(&self);
    if (status == TPU_OK) {
        status = check_run(&self);
    }
    if (out != NULL) {
        *out = status == TPU_OK ? (check_finding){.rule = TPU_RULE_NONE, .field = -1, .memory = -1}
                                : self.found;
    }
    return status;
}
