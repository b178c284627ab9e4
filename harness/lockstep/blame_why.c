// SPDX-License-Identifier: Apache-2.0
//
// What a difference suggests: the model is asked once more about the row (witness.c), lanes are
// read as patterns (pattern.c), wrong sums are traced into the array (systolic.c). Sentences only;
// unit, stream and pattern, which the signature holds, are not touched here.

#include "csim/isa/codec.h"
#include "harness/lockstep/lockstep_internal.h"
#include "harness/lockstep/pattern.h"
#include "harness/lockstep/witness.h"
#include "harness/oracle/oracle_row.h"

#include <stdlib.h>
#include <string.h>

// Lanes as numbers; T is 254 at most.
#define LANES_MAX 256u

typedef struct lanes {
    int64_t want[LANES_MAX];
    int64_t got[LANES_MAX];
} lanes;

static void note_all(verdict *out, const tpu_message *text, size_t count) {
    for (size_t i = 0; i < count; i++) {
        verdict_note(out, "%s", text[i].text);
    }
}

static void note_pattern(verdict *out, const lanes *values, size_t count, unsigned bits) {
    tpu_message text[VERDICT_NOTES];
    const pattern_row row = {
        .want = values->want, .got = values->got, .lanes = count, .bits = bits};
    if (memcmp(values->want, values->got, count * sizeof values->want[0]) != 0) {
        note_all(out, text, pattern_describe(&row, text, VERDICT_NOTES));
    }
}

// ---- fields -------------------------------------------------------------------------------------

static const char *plural(int64_t count) {
    return count == 1 || count == -1 ? "" : "s";
}

static void note_address(verdict *out, const char *name, uint32_t in_issue) {
    int64_t off = out->first.got - out->first.expected;
    if (in_issue > 0 && off == -(int64_t)in_issue) {
        verdict_note(out, "the %s stays at that of the instruction's first row", name);
    } else if (out->first.got == (int64_t)in_issue) {
        verdict_note(out, "the %s counts from 0: the base of the instruction is left out", name);
    } else {
        verdict_note(out, "the %s is %lld place%s too %s", name, (long long)(off < 0 ? -off : off),
                     plural(off), off < 0 ? "low" : "high");
    }
}

// What address generation could have done instead.
static void note_term(const lockstep *self, verdict *out, int field) {
    const isa_program *program = self->job->program;
    if (program == NULL || !out->issue.known) {
        return;
    }
    const isa_issue *issue = &out->issue.issue;
    const isa_insn *insn = &program->insn[issue->pc];
    const int64_t off = out->first.got - out->first.expected;
    if (off != 0 && out->first.got == insn->f[field]) {
        verdict_note(out, "f%d is as written: no address term was added", field);
        return;
    }
    for (size_t i = 0; i < TPU_AGU_TERMS; i++) {
        const isa_term *term = &insn->term[i];
        if (term->target != field + 1) {
            continue;
        }
        const int64_t part = (int64_t)issue->iv[term->level] * term->stride;
        if (off == -part) {
            verdict_note(out, "term %zu (f%d += iv%u * %u) is left out", i, field, term->level,
                         term->stride);
        } else if (off == term->stride || off == -(int64_t)term->stride) {
            verdict_note(out, "iv%u is one %s in term %zu (f%d += iv%u * %u)", term->level,
                         off > 0 ? "ahead" : "behind", i, field, term->level, term->stride);
        }
    }
}

static void note_issue_field(const lockstep *self, verdict *out, const char *name) {
    const int64_t off = out->first.got - out->first.expected;
    if (strcmp(name, "pc") == 0) {
        verdict_note(out,
                     "another instruction was issued: a loop turned once too %s, or the fetch "
                     "went elsewhere",
                     off < 0 ? "often" : "seldom");
    } else if (name[0] == 'f') {
        note_term(self, out, name[1] - '0');
    } else if (name[0] == 'i') {
        verdict_note(out, "the induction value %s is %lld too %s", name,
                     (long long)(off < 0 ? -off : off), off < 0 ? "low" : "high");
    } else {
        verdict_note(out, "%s of the instruction word was changed on its way", name);
    }
}

// Which part of a control word is wrong.
static void note_word(verdict *out, bool header) {
    const uint64_t want[TPU_IWORDS] = {(uint64_t)out->first.expected};
    const uint64_t got[TPU_IWORDS] = {(uint64_t)out->first.got};
    isa_insn right;
    isa_insn wrong;
    if (header) {
        verdict_note(out, "a count of the header was changed on its way");
        return;
    }
    if (codec_decode(want, &right, NULL) != TPU_OK || codec_decode(got, &wrong, NULL) != TPU_OK) {
        return;
    }
    if (right.op != wrong.op) {
        verdict_note(out, "the word has opcode %u instead of %u", wrong.op, right.op);
    }
    if (right.nr != wrong.nr) {
        verdict_note(out,
                     "the word has nr = %u instead of %u: the count is not rewritten for "
                     "this unit, or wrongly",
                     wrong.nr, right.nr);
    }
    for (int i = 0; i < TPU_FIELDS; i++) {
        if (right.f[i] != wrong.f[i]) {
            verdict_note(out, "the word has f%d = %u instead of %u", i, wrong.f[i], right.f[i]);
        }
    }
}

static void note_field(const lockstep *self, verdict *out, const expected_row *want) {
    const tpu_stream stream = (tpu_stream)out->stream;
    const char *name = tpu_streams[stream].fields[out->field].name;
    if (stream == TPU_STREAM_ISSUE) {
        note_issue_field(self, out, name);
    } else if (stream <= TPU_STREAM_C_DST) {
        note_word(out, want->issue == EXPECTED_NO_ISSUE);
    } else if (strcmp(name, "written") == 0) {
        verdict_note(out, "the written flag of the row is %s",
                     out->first.got != 0 ? "set, nothing loaded it" : "clear, the row was loaded");
    } else {
        note_address(out, name, strcmp(name, "col_block") == 0 ? 0 : want->in_issue);
    }
}

// ---- lanes --------------------------------------------------------------------------------------

static void note_place(verdict *out, const witness *seen) {
    const char *memory = tpu_mem_names[seen->memory];
    if (seen->stale_start) {
        verdict_note(out,
                     "it is what row %u of %s still held from before this run: it was read "
                     "too early, or the write is lost",
                     seen->source, memory);
    } else if (seen->stale) {
        verdict_note(out,
                     "it is what row %u of %s held before it was written last: it was read "
                     "too early, or the write is lost",
                     seen->source, memory);
    }
    if (!seen->moved) {
        return;
    }
    if (seen->memory > TPU_MEM_AR) {
        verdict_note(out, "it is row %u, column block %u of %s; row %u, block %u is asked for",
                     seen->moved_to, seen->moved_block, memory, seen->source, seen->block);
        return;
    }
    int64_t off = (int64_t)seen->moved_to - seen->source;
    verdict_note(out, "it is row %u of %s; row %u is asked for, %lld row%s %s", seen->moved_to,
                 memory, seen->source, (long long)(off < 0 ? -off : off), plural(off),
                 off < 0 ? "earlier" : "further on");
}

static void note_again(verdict *out, const witness *seen) {
    uint64_t at = seen->again_at;
    bool next = at == out->row + 1;
    bool before = at + 1 == out->row;
    if (seen->again && !next && !before) { // these two are the verdict's hint
        verdict_note(out, "its lanes are those of row %llu of %s, %llu rows %s",
                     (unsigned long long)at, tpu_streams[out->stream].name,
                     (unsigned long long)(at > out->row ? at - out->row : out->row - at),
                     at > out->row ? "later" : "earlier");
    }
}

static void note_operands(verdict *out, const witness *seen, const lanes *values, size_t count) {
    int64_t left[LANES_MAX];
    int64_t right[LANES_MAX];
    tpu_message text;
    if (!seen->has_left && !seen->has_right) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        left[i] = seen->has_left ? seen->left[i] : 0;
        right[i] = seen->has_right ? seen->right[i] : 0;
    }
    const tpu_stream_info *info = &tpu_streams[out->stream];
    const pattern_row row = {
        .want = values->want, .got = values->got, .lanes = count, .bits = 8u * info->lane_bytes};
    if (pattern_combine(&row, left, seen->has_right ? right : NULL, &text) != 0) {
        verdict_note(out, "%s", text.text);
    }
}

static void note_shape(verdict *out) {
    switch (out->shape) {
    case VERDICT_SHAPE_COLUMN:
        verdict_note(out, "one lane in several rows: what belongs to lane %d alone", out->lane);
        break;
    case VERDICT_SHAPE_DIAGONAL:
        verdict_note(out, "a diagonal over rows and lanes: a slip in time, one lane a step");
        break;
    case VERDICT_SHAPE_ROW:
        if (out->elements_seen > out->lanes_differ + 1 && out->lanes_differ > 1) {
            verdict_note(out, "one row alone: a collision at one moment, or its own address");
        }
        break;
    case VERDICT_SHAPE_ALL:
        verdict_note(out, "every row of the instruction: a base, an operand or a selection");
        break;
    default:
        break;
    }
}

// ---- the array ----------------------------------------------------------------------------------

static int32_t sum_at(const uint8_t *row, uint32_t lane) {
    return (int32_t)verdict_row_element(TPU_STREAM_CW, row, -1, (int)lane);
}

// Sums of the mm from its first row on: the right ones before the wrong one are the model's.
static void trace_sums(verdict *out, witness *seen, const uint8_t *got, size_t rows) {
    const uint32_t t = seen->mm.t;
    systolic_answer answer;
    seen->mm.seen = seen->in_issue;
    for (size_t i = 0; i < rows && seen->mm.seen < seen->mm.rows; i++) {
        const uint8_t *row = got + i * 4 * t;
        for (uint32_t lane = 0; lane < t; lane++) {
            seen->sums[(size_t)seen->mm.seen * t + lane] = sum_at(row, lane);
        }
        seen->mm.seen++;
    }
    seen->mm.got = seen->sums;
    systolic_explain(&seen->mm, &answer);
    if (answer.right) {
        verdict_note(out, "the sums that came are right: the model gave a wrong row");
        return;
    }
    if (answer.theories > 0) {
        verdict_note(out, "%s", answer.reason.text);
    }
    out->pe_row = answer.row;
    out->pe_col = answer.col;
}

// ---- who stands alone ---------------------------------------------------------------------------

// The third opinion on this very row. C alone would not tell: few small programs store what
// differs.
static void ask_for_row(lockstep *self, const witness *seen, const uint8_t *want,
                        const uint8_t *got) {
    verdict *out = self->out;
    const lockstep_job *job = self->job;
    oracle_flow flow = {.issue = NULL};
    uint32_t from = 0;
    uint32_t to = 0;
    uint8_t *row = calloc(expected_row_bytes(self->model, (tpu_stream)out->stream) + 8, 1);
    if (row == NULL || oracle_flow_run(job->words, job->word_count, &flow, NULL) != TPU_OK ||
        (!seen->header && seen->issue >= flow.count)) {
        oracle_flow_clear(&flow);
        free(row);
        return;
    }
    const size_t t = self->params.t;
    const bool sums = seen->has_mm && seen->in_issue < seen->mm.rows;
    const oracle_row_facts facts = {.t = self->params.t,
                                    .maxdim = self->params.maxdim,
                                    .words = job->words,
                                    .issue = seen->header ? NULL : &flow.issue[seen->issue],
                                    .in_issue = seen->in_issue,
                                    .lanes = seen->has_lanes ? seen->lanes : NULL,
                                    .written = seen->written,
                                    .matrix_a = (const int8_t *)job->a,
                                    .matrix_b = (const int8_t *)job->b,
                                    .a = sums ? seen->mm.a + seen->in_issue * t : NULL,
                                    .w = sums ? seen->mm.w : NULL,
                                    .left = seen->has_left ? seen->left : NULL,
                                    .right = seen->has_right ? seen->right : NULL};
    if (oracle_row((unsigned)out->stream, &facts, row, &from, &to)) {
        bool machine = memcmp(got + from, row + from, to - from) == 0;
        bool model = memcmp(want + from, row + from, to - from) == 0;
        out->vote = machine && model ? VERDICT_VOTE_NONE
                    : machine        ? VERDICT_VOTE_MODEL
                    : model          ? VERDICT_VOTE_MACHINE
                                     : VERDICT_VOTE_SPLIT;
    }
    oracle_flow_clear(&flow);
    free(row);
}

// ---- all of it ----------------------------------------------------------------------------------

static void note_inputs(const lockstep *self, const witness *seen) {
    verdict *out = self->out;
    out->input_count = 0;
    for (int s = 0; s < TPU_STREAM_COUNT && out->input_count < VERDICT_INPUTS; s++) {
        if (tpu_streams[s].reader == out->unit) {
            out->input[out->input_count++] =
                (verdict_input){.stream = s,
                                .needed = seen->needed[s],
                                .seen = expected_taken(self->model, (tpu_stream)s)};
        }
    }
}

static void read_lanes(tpu_stream stream, const uint8_t *want, const uint8_t *got, size_t count,
                       lanes *out) {
    for (size_t i = 0; i < count; i++) {
        out->want[i] = verdict_row_element(stream, want, -1, (int)i);
        out->got[i] = verdict_row_element(stream, got, -1, (int)i);
    }
}

static void note_lanes(lockstep *self, witness *seen, const expected_row *want, const uint8_t *got,
                       size_t rows) {
    verdict *out = self->out;
    const tpu_stream stream = (tpu_stream)out->stream;
    const tpu_stream_info *info = &tpu_streams[stream];
    const size_t count = self->params.t < LANES_MAX ? self->params.t : LANES_MAX;
    lanes values;
    if (info->lane_bytes == 0 || want->row == NULL) {
        return;
    }
    read_lanes(stream, want->row, got, count, &values);
    if (memcmp(values.want, values.got, count * sizeof values.want[0]) == 0) {
        return;
    }
    if (seen->has_mm && stream == TPU_STREAM_CW) {
        trace_sums(out, seen, got, rows);
    }
    if (seen->memory >= 0) {
        note_place(out, seen);
    }
    note_operands(out, seen, &values, count);
    note_again(out, seen);
    note_pattern(out, &values, count, 8u * info->lane_bytes);
    note_shape(out);
}

static witness_query make_query(const lockstep *self, const uint8_t *got) {
    const lockstep_job *job = self->job;
    witness_query out = {.params = &self->params,
                         .words = job->words,
                         .word_count = job->word_count,
                         .stream = (tpu_stream)self->out->stream,
                         .index = self->out->row,
                         .got = got};
    size_t bytes = 0;
    for (tpu_mem memory = TPU_MEM_SPAD; memory <= TPU_MEM_AR; memory++) {
        out.memory[memory] = expected_initial(self->model, memory, &bytes);
    }
    out.memory[TPU_MEM_A] = job->a;
    out.memory[TPU_MEM_B] = job->b;
    out.memory[TPU_MEM_C] = job->c;
    return out;
}

void blame_why(lockstep *self, const uint8_t *got, size_t rows) {
    verdict *out = self->out;
    witness seen = {.memory = -1};
    const uint8_t *first = rows > 0 ? got : NULL;
    const witness_query query = make_query(self, first);
    if (witness_ask(&query, &seen, NULL) == TPU_OK && seen.known) {
        expected_row want = expected_peek(self->model, query.stream, query.index);
        note_inputs(self, &seen);
        if (first != NULL && want.row != NULL) {
            ask_for_row(self, &seen, want.row, first);
        }
        if (out->vote == VERDICT_VOTE_MODEL) {
            verdict_note(out, "the row that came follows from what it is made from: the model's "
                              "is wrong");
        }
        if (first != NULL && out->field >= 0) {
            note_field(self, out, &want);
        }
        if (first != NULL) {
            note_lanes(self, &seen, &want, first, rows);
        }
    }
    witness_clear(&seen);
}

// The block of the memory that should hold what this one holds, nearest to it; SIZE_MAX = none.
static size_t find_block(const blame_contents *of, size_t here) {
    size_t best = SIZE_MAX;
    size_t least = SIZE_MAX;
    for (size_t at = 0; at + of->block <= of->bytes; at += of->block) {
        size_t away = at > here ? at - here : here - at;
        if (at != here && away < least && memcmp(of->want + at, of->got + here, of->block) == 0) {
            best = at;
            least = away;
        }
    }
    return best;
}

static void note_block(const lockstep *self, const blame_contents *of, size_t here) {
    verdict *out = self->out;
    const char *name = tpu_mem_names[of->memory];
    const uint8_t *got = of->got + here;
    if (memcmp(got, of->before + here, of->block) == 0) {
        verdict_note(out, "it holds what was there before the run: a write did not arrive, or went "
                          "elsewhere");
        return;
    }
    size_t other = find_block(of, here);
    bool zeros = true;
    for (size_t i = 0; i < of->block && zeros; i++) {
        zeros = got[i] == 0;
    }
    if (other == SIZE_MAX || zeros) {
        return;
    }
    if (of->memory == TPU_MEM_C) {
        verdict_note(out, "it holds what belongs to C[%zu][%zu..]: written to the wrong place",
                     other / self->params.maxdim, other % self->params.maxdim);
    } else {
        verdict_note(out, "it holds what belongs to row %zu of %s: written to the wrong row",
                     other / of->block, name);
    }
}

void blame_why_memory(const lockstep *self, const blame_contents *of) {
    const size_t count = self->params.t < LANES_MAX ? self->params.t : LANES_MAX;
    const size_t here = of->at / of->block * of->block;
    lanes values;
    for (size_t i = 0; i < count; i++) {
        // ac2sp and cw have the lanes of a memory of bytes and of words
        tpu_stream like = of->lane_bytes == 1 ? TPU_STREAM_AC2SP : TPU_STREAM_CW;
        values.want[i] = verdict_row_element(like, of->want + here, -1, (int)i);
        values.got[i] = verdict_row_element(like, of->got + here, -1, (int)i);
    }
    note_block(self, of, here);
    note_pattern(self->out, &values, count, 8u * (unsigned)of->lane_bytes);
}
