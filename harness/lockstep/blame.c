// SPDX-License-Identifier: Apache-2.0
//
// What a difference means: unit, instruction, and how far the difference reaches. A row is compared
// in the cycle in which it enters a channel, at least one cycle before it can be read. So whatever
// the first wrong row was made from has been compared and was right: its writer is to blame.
// What the difference suggests is asked in blame_why.c, a standstill in blame_hang.c.

#include "csim/isa/expand.h"
#include "harness/lockstep/lockstep_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Cycles stepped after a mismatch to see the rest of the issue's rows.
#define COLLECT_CYCLES 2000u

// Rows of the wrong instruction that are kept to find out why: more than one of 127 rows has.
#define ROWS_KEPT 256u

// How the differing elements lie, gathered one by one.
typedef struct scatter {
    uint64_t differ;
    uint64_t seen;
    uint64_t row; // of the first
    uint64_t lane;
    bool one_row;
    bool one_lane;
    bool falling; // row - lane stays
    bool rising;  // row + lane stays
} scatter;

static void scatter_add(scatter *self, uint64_t row, uint64_t lane) {
    if (self->differ++ == 0) {
        self->row = row;
        self->lane = lane;
        self->one_row = self->one_lane = self->falling = self->rising = true;
        return;
    }
    self->one_row = self->one_row && row == self->row;
    self->one_lane = self->one_lane && lane == self->lane;
    self->falling = self->falling && row + self->lane == self->row + lane;
    self->rising = self->rising && row + lane == self->row + self->lane;
}

static verdict_shape scatter_shape(const scatter *self) {
    if (self->differ <= 1) {
        return self->differ == 0 ? VERDICT_SHAPE_NONE : VERDICT_SHAPE_CELL;
    }
    if (self->differ == self->seen && !self->one_row && !self->one_lane) {
        return VERDICT_SHAPE_ALL;
    }
    if (self->one_row) {
        return VERDICT_SHAPE_ROW;
    }
    if (self->one_lane) {
        return VERDICT_SHAPE_COLUMN;
    }
    return self->falling || self->rising ? VERDICT_SHAPE_DIAGONAL : VERDICT_SHAPE_SCATTERED;
}

// Lanes of one row; heads are not elements.
static void scatter_row(scatter *self, uint64_t row, const uint8_t *want, const uint8_t *got,
                        size_t lanes, size_t lane_bytes) {
    self->seen += lanes;
    for (size_t lane = 0; lane < lanes; lane++) {
        if (memcmp(want + lane * lane_bytes, got + lane * lane_bytes, lane_bytes) != 0) {
            scatter_add(self, row, lane);
        }
    }
}

static void scatter_finish(const scatter *self, verdict *out) {
    out->shape = scatter_shape(self);
    out->elements_differ = self->differ;
    out->elements_seen = self->seen;
}

static bool window_create(verdict_window *self, uint64_t first, size_t row_bytes) {
    self->expected = calloc(VERDICT_WINDOW, row_bytes);
    self->got = calloc(VERDICT_WINDOW, row_bytes);
    self->first = first;
    self->row_bytes = row_bytes;
    self->rows = 0;
    self->seen = 0;
    return self->expected != NULL && self->got != NULL;
}

static void copy_row(uint8_t *rows, size_t at, const uint8_t *row, size_t bytes) {
    memcpy(rows + at * bytes, row, bytes);
}

// Expected rows around `row`; what was taken before it is known to be equal.
static void window_expected(lockstep *self, tpu_stream stream, uint64_t row) {
    verdict_window *window = &self->out->window;
    uint64_t first = row > EXPECTED_HISTORY ? row - EXPECTED_HISTORY : 0;
    if (!window_create(window, first, expected_row_bytes(self->model, stream))) {
        return;
    }
    while (window->rows < VERDICT_WINDOW) {
        uint64_t index = first + window->rows;
        expected_row want = expected_peek(self->model, stream, index);
        if (want.row == NULL) {
            break;
        }
        copy_row(window->expected, window->rows, want.row, window->row_bytes);
        if (index < row) {
            copy_row(window->got, window->seen++, want.row, window->row_bytes);
        }
        window->rows++;
    }
}

static void window_got(verdict_window *window, uint64_t index, const uint8_t *row) {
    if (window->got != NULL && index == window->first + window->seen &&
        window->seen < VERDICT_WINDOW) {
        copy_row(window->got, window->seen++, row, window->row_bytes);
    }
}

static void remember_recent(verdict *out, const isa_issue *issue) {
    if (out->recent_count == VERDICT_RECENT) {
        memmove(out->recent, out->recent + 1, sizeof out->recent - sizeof out->recent[0]);
        out->recent_count--;
    }
    out->recent[out->recent_count++] = *issue;
}

// Runs the control flow once more instead of keeping every issue of a long run in memory.
void blame_issue(lockstep *self, const expected_row *row) {
    const isa_program *program = self->job->program;
    verdict *out = self->out;
    if (program == NULL) {
        return;
    }
    uint64_t seen = expected_taken(self->model, TPU_STREAM_ISSUE);
    isa_issue issue;
    bool done = false;
    expand it;
    expand_start(&it, program);
    while (expand_next(&it, &issue, &done, NULL) == TPU_OK && !done) {
        if (issue.seq < seen) {
            remember_recent(out, &issue);
        }
        if (row->issue != EXPECTED_NO_ISSUE && issue.seq == row->issue) {
            out->issue = (verdict_issue){.known = true,
                                         .issue = issue,
                                         .cycle = lockstep_issue_cycle(self, issue.seq),
                                         .row = row->in_issue,
                                         .line = program->insn[issue.pc].line};
        }
        bool late = row->issue == EXPECTED_NO_ISSUE || issue.seq >= row->issue;
        if (late && issue.seq >= seen) {
            break;
        }
    }
}

// A lane of wcol, acol and cw belongs to a row or column of the array.
static void blame_pe(verdict *out, tpu_stream stream, uint32_t in_issue, bool header) {
    if (out->lane < 0 || header) {
        return;
    }
    if (stream == TPU_STREAM_CW) {
        out->pe_col = out->lane;
    } else if (stream == TPU_STREAM_ACOL) {
        out->pe_row = out->lane;
    } else if (stream == TPU_STREAM_WCOL && in_issue > 0) {
        out->pe_row = (int)in_issue - 1; // row 0 of an mm on wcol is its header
        out->pe_col = out->lane;
    }
}

static verdict_hint find_hint(lockstep *self, tpu_stream stream, uint64_t row, const uint8_t *got) {
    size_t bytes = expected_row_bytes(self->model, stream);
    expected_row next = expected_peek(self->model, stream, row + 1);
    if (next.row != NULL && memcmp(next.row, got, bytes) == 0) {
        return VERDICT_HINT_NEXT;
    }
    if (row == 0) {
        return VERDICT_HINT_NONE;
    }
    expected_row before = expected_peek(self->model, stream, row - 1);
    bool doubled = before.row != NULL && memcmp(before.row, got, bytes) == 0;
    return doubled ? VERDICT_HINT_PREVIOUS : VERDICT_HINT_NONE;
}

static void place(lockstep *self, verdict_diff diff, tpu_stream stream, uint64_t row) {
    verdict *out = self->out;
    out->kind = VERDICT_MISMATCH;
    out->diff = diff;
    out->stream = stream;
    out->unit = tpu_streams[stream].unit;
    out->row = row;
}

// Rows of the stream as they came, from the first wrong one to the end of its issue.
typedef struct harvest {
    uint8_t *rows; // ROWS_KEPT, or NULL when there is no memory for them
    size_t count;
    size_t bytes;
    scatter lie;
} harvest;

static void keep_row(harvest *self, const uint8_t *got) {
    if (self->rows != NULL && self->count < ROWS_KEPT) {
        copy_row(self->rows, self->count++, got, self->bytes);
    }
}

// Looks at one more row of the stream; false when the issue's rows are all seen.
static bool collect_row(lockstep *self, harvest *to, tpu_stream stream, uint64_t index,
                        const uint8_t *got) {
    const tpu_stream_info *info = &tpu_streams[stream];
    uint32_t issue = expected_peek(self->model, stream, self->out->row).issue;
    expected_row want = expected_peek(self->model, stream, index);
    if (want.row == NULL) {
        return false;
    }
    window_got(&self->out->window, index, got);
    if (want.issue == issue) {
        keep_row(to, got);
        size_t lanes = info->lane_bytes == 0 ? 0 : self->params.t;
        scatter_row(&to->lie, index, want.row + info->head_bytes, got + info->head_bytes, lanes,
                    info->lane_bytes);
    }
    bool window_open = self->out->window.seen < self->out->window.rows;
    return window_open || expected_peek(self->model, stream, index + 1).issue == issue;
}

// Lets the engine run on to see which rows of the same issue differ too. Nothing else is compared
// any more: the first difference is the finding.
static void collect(lockstep *self, harvest *to, tpu_stream stream, const uint8_t *got) {
    uint64_t index = self->out->row;
    bool more = collect_row(self, to, stream, index, got);
    for (unsigned i = 0; more && i < COLLECT_CYCLES; i++) {
        probe seen;
        if (lockstep_step(self, &seen, NULL) != TPU_OK || seen.done) {
            break;
        }
        if ((seen.fired >> stream & 1u) != 0) {
            more = collect_row(self, to, stream, ++index, seen.row[stream]);
        }
    }
    scatter_finish(&to->lie, self->out);
}

// A whole control word reads better in hexadecimal.
static void format_element(int64_t value, uint8_t bytes, char *text, size_t size) {
    if (bytes == 8) {
        (void)snprintf(text, size, "0x%016llx", (unsigned long long)value);
    } else {
        (void)snprintf(text, size, "%lld", (long long)value);
    }
}

static void say_value(verdict *out, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    char where[48];
    char got[24];
    char want[24];
    if (out->field >= 0) {
        (void)snprintf(where, sizeof where, "field %s", info->fields[out->field].name);
    } else {
        (void)snprintf(where, sizeof where, "lane %d", out->lane);
    }
    format_element(out->first.got, out->first.bytes, got, sizeof got);
    format_element(out->first.expected, out->first.bytes, want, sizeof want);
    (void)status_fail(&out->sentence, TPU_OK, "%s of row %llu of %s is %s, expected %s%s%s", where,
                      (unsigned long long)out->row, info->name, got, want,
                      out->hint != VERDICT_HINT_NONE ? "; " : "", verdict_hint_text(out->hint));
}

// Streams that are not right in this cycle, `first` and what comes behind it in their order.
static uint32_t wrong_at_once(lockstep *self, const probe *seen, tpu_stream first) {
    uint32_t wrong = 0;
    for (int s = (int)first + 1; s < TPU_STREAM_COUNT; s++) {
        if ((seen->fired >> s & 1u) == 0) {
            continue;
        }
        tpu_stream stream = (tpu_stream)s;
        expected_row want = expected_peek(self->model, stream, expected_taken(self->model, stream));
        size_t bytes = expected_row_bytes(self->model, stream);
        bool right = want.row != NULL && memcmp(want.row, seen->row[s], bytes) == 0;
        wrong |= right ? 0 : 1u << s;
    }
    return wrong;
}

// Of streams that differ in one cycle, none is made from another: rows take a cycle through a
// channel. The unit furthest upstream is named, since what else it does reaches the others.
static tpu_stream choose_stream(lockstep *self, const probe *seen, tpu_stream first) {
    uint32_t wrong = wrong_at_once(self, seen, first);
    tpu_stream chosen = first;
    for (int s = (int)first + 1; s < TPU_STREAM_COUNT; s++) {
        bool upstream = tpu_streams[s].unit < tpu_streams[chosen].unit;
        uint64_t index = expected_taken(self->model, (tpu_stream)s);
        if ((wrong >> s & 1u) != 0 && upstream &&
            expected_peek(self->model, (tpu_stream)s, index).row != NULL) {
            chosen = (tpu_stream)s;
        }
    }
    self->out->beside = (wrong | 1u << first) & ~(1u << chosen);
    if (chosen != first) {
        (void)expected_take(self->model, chosen); // as if it had been compared first
    }
    return chosen;
}

void blame_value(lockstep *self, const probe *seen, tpu_stream first, const uint8_t *row_seen) {
    verdict *out = self->out;
    const tpu_stream stream = choose_stream(self, seen, first);
    const uint8_t *got = stream == first ? row_seen : seen->row[stream];
    uint64_t row = expected_taken(self->model, stream) - 1;
    harvest kept = {.bytes = expected_row_bytes(self->model, stream)};
    kept.rows = calloc(ROWS_KEPT, kept.bytes);
    place(self, VERDICT_DIFF_VALUE, stream, row);
    out->cycle = seen->cycle;
    memcpy(out->units, seen->unit, sizeof seen->unit);
    out->hint = find_hint(self, stream, row, got);
    expected_row want = expected_peek(self->model, stream, row);
    verdict_describe_row(out, stream, want.row, got, expected_row_bytes(self->model, stream));
    blame_pe(out, stream, want.in_issue, want.issue == EXPECTED_NO_ISSUE);
    blame_issue(self, &want);
    say_value(out, stream);
    window_expected(self, stream, row);
    collect(self, &kept, stream, got);
    blame_why(self, kept.rows, kept.count);
    free(kept.rows);
    if (out->vote == VERDICT_VOTE_NONE) { // nobody could judge the row by itself
        settle_vote(self, false);
    }
}

void blame_extra(lockstep *self, const probe *seen, tpu_stream stream, const uint8_t *got) {
    verdict *out = self->out;
    uint64_t row = expected_taken(self->model, stream);
    place(self, VERDICT_DIFF_EXTRA, stream, row);
    out->cycle = seen->cycle;
    memcpy(out->units, seen->unit, sizeof seen->unit);
    window_expected(self, stream, row);
    window_got(&out->window, row, got);
    expected_row last = {.row = NULL, .issue = EXPECTED_NO_ISSUE, .in_issue = 0};
    if (row > 0) {
        last = expected_peek(self->model, stream, row - 1);
        out->hint =
            last.row != NULL && memcmp(last.row, got, expected_row_bytes(self->model, stream)) == 0
                ? VERDICT_HINT_PREVIOUS
                : VERDICT_HINT_NONE;
    }
    blame_issue(self, &last);
    out->issue.known = false; // the row belongs to none
    (void)status_fail(&out->sentence, TPU_OK, "row %llu of %s: the program makes only %llu%s%s",
                      (unsigned long long)row, tpu_streams[stream].name, (unsigned long long)row,
                      out->hint != VERDICT_HINT_NONE ? "; " : "", verdict_hint_text(out->hint));
    settle_vote(self, false);
}

void blame_missing(lockstep *self, tpu_stream stream) {
    verdict *out = self->out;
    place(self, VERDICT_DIFF_MISSING, stream, expected_taken(self->model, stream));
    expected_row oldest = expected_peek(self->model, stream, out->row);
    blame_issue(self, &oldest);
    blame_debt debt = blame_follow(self, (int)stream, out->units);
    if (debt.stream >= 0) {
        stream = (tpu_stream)debt.stream;
        place(self, VERDICT_DIFF_MISSING, stream, expected_taken(self->model, stream));
    }
    out->unit = debt.unit;
    uint64_t row = out->row;
    window_expected(self, stream, row);
    blame_why(self, NULL, 0);
    (void)status_fail(&out->sentence, TPU_OK, "the run ended after %llu of %llu rows of %s",
                      (unsigned long long)row,
                      (unsigned long long)expected_emitted(self->model, stream),
                      tpu_streams[stream].name);
    settle_vote(self, false);
}

static int64_t lane_value(const uint8_t *at, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint32_t)at[i] << (8 * i);
    }
    return bytes == 1 ? (int8_t)value : (int32_t)value;
}

static verdict_pattern memory_pattern(const uint8_t *want, const uint8_t *got, size_t lanes,
                                      size_t lane_bytes, uint64_t *count) {
    uint64_t differ = 0;
    uint64_t saturated = 0;
    for (size_t lane = 0; lane < lanes; lane++) {
        int64_t value = lane_value(want + lane * lane_bytes, lane_bytes);
        if (value != lane_value(got + lane * lane_bytes, lane_bytes)) {
            differ++;
            saturated += lane_bytes == 1 && (value == INT8_MIN || value == INT8_MAX);
        }
    }
    *count = differ;
    if (differ == 1) {
        return VERDICT_PATTERN_ONE;
    }
    if (differ == saturated) {
        return VERDICT_PATTERN_SATURATED;
    }
    return differ == lanes ? VERDICT_PATTERN_ALL : VERDICT_PATTERN_SOME;
}

static void memory_window(verdict *out, const uint8_t *want, const uint8_t *got, size_t rows,
                          size_t row_bytes) {
    uint64_t first = out->row > EXPECTED_HISTORY ? out->row - EXPECTED_HISTORY : 0;
    if (!window_create(&out->window, first, row_bytes)) {
        return;
    }
    size_t left = rows - (size_t)first;
    size_t take = left < VERDICT_WINDOW ? left : VERDICT_WINDOW;
    memcpy(out->window.expected, want + first * row_bytes, take * row_bytes);
    memcpy(out->window.got, got + first * row_bytes, take * row_bytes);
    out->window.rows = out->window.seen = take;
}

static int owner_of(tpu_mem memory) {
    switch (memory) {
    case TPU_MEM_SPAD:
        return TPU_UNIT_SPM;
    case TPU_MEM_VR:
        return TPU_UNIT_VRU;
    case TPU_MEM_AR:
        return TPU_UNIT_ACCU;
    case TPU_MEM_C:
        return TPU_UNIT_DMA_ST;
    default:
        return -1;
    }
}

void blame_memory(lockstep *self, tpu_mem memory, const uint8_t *want, const uint8_t *got,
                  size_t rows, size_t lanes, size_t lane_bytes) {
    verdict *out = self->out;
    size_t row_bytes = lanes * lane_bytes;
    scatter lie = {.differ = 0};
    for (size_t row = 0; row < rows; row++) {
        scatter_row(&lie, row, want + row * row_bytes, got + row * row_bytes, lanes, lane_bytes);
    }
    scatter_finish(&lie, out);
    size_t at = (size_t)lie.row * row_bytes;
    size_t lane = (size_t)lie.lane * lane_bytes;
    out->kind = VERDICT_MISMATCH;
    out->diff = VERDICT_DIFF_MEMORY;
    out->memory = memory;
    out->unit = owner_of(memory);
    out->row = lie.row;
    out->lane = (int)lie.lane;
    out->pattern = memory_pattern(want + at, got + at, lanes, lane_bytes, &out->lanes_differ);
    out->first = (verdict_element){.expected = lane_value(want + at + lane, lane_bytes),
                                   .got = lane_value(got + at + lane, lane_bytes),
                                   .bytes = (uint8_t)lane_bytes};
    memory_window(out, want, got, rows, row_bytes);
    expected_row none = {.row = NULL, .issue = EXPECTED_NO_ISSUE, .in_issue = 0};
    blame_issue(self, &none);
    size_t bytes = 0;
    const uint8_t *before = expected_initial(self->model, memory, &bytes);
    const blame_contents contents = {.memory = memory,
                                     .want = want,
                                     .got = got,
                                     .before = before != NULL ? before : self->job->c,
                                     .bytes = rows * row_bytes,
                                     .block = self->params.t * lane_bytes,
                                     .lane_bytes = lane_bytes,
                                     .at = at + lane};
    blame_why_memory(self, &contents);
    (void)status_fail(&out->sentence, TPU_OK,
                      "after the run lane %d of row %llu of %s is %lld, expected %lld", out->lane,
                      (unsigned long long)out->row, tpu_mem_names[memory],
                      (long long)out->first.got, (long long)out->first.expected);
}
