// SPDX-License-Identifier: Apache-2.0
//
// The array is a rigid wavefront: all of it moves in the cycles in which `advance` is up. A row
// that leaves in some cycle stood in PE(i,j) a fixed number of such steps before, so no bubble and
// no stall has to be followed.

#include "harness/show/peek.h"

#include "harness/show/wave.h"
#include "harness/show/wave_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY "TOP.tpu_engine.u_top.u_core.u_array."

// Well after the rising edge, well before the falling one.
#define WITHIN_CYCLE (WAVE_CYCLE / 2 - 1)

typedef struct view {
    const recording *from;
    wave_file *wave;
    uint32_t t;
    int8_t *a;       // the activation row
    int8_t *w;       // t * t
    uint64_t *cycle; // [m]: state of the array m steps before the row left
} view;

// ---- operands -----------------------------------------------------------------------------------

// The row `in_issue` of a stream within an issue, as the model has it; NULL = not in the window.
static const uint8_t *find_row(const recording *from, tpu_stream stream, uint32_t issue,
                               uint32_t in_issue) {
    for (size_t i = 0; i < from->event_count; i++) {
        const recording_event *event = &from->event[i];
        if (event->stream == stream && event->issue == issue && event->in_issue == in_issue &&
            !event->extra) {
            return recording_expected(from, event);
        }
    }
    return NULL;
}

static tpu_status read_operands(view *self, tpu_message *why) {
    const verdict *seen = &self->from->seen;
    const uint32_t issue = seen->issue.issue.seq;
    const uint8_t *row = find_row(self->from, TPU_STREAM_ACOL, issue, seen->issue.row);
    bool good = row != NULL;
    if (good) {
        memcpy(self->a, row, self->t);
    }
    for (uint32_t i = 0; i < self->t && good; i++) {
        row = find_row(self->from, TPU_STREAM_WCOL, issue, i + 1); // row 0 is the header
        good = row != NULL;
        if (good) {
            memcpy(self->w + (size_t)i * self->t, row, self->t);
        }
    }
    return good ? TPU_OK
                : status_fail(why, TPU_REFUSED, "the window does not hold the operands of the mm");
}

// ---- waveform -----------------------------------------------------------------------------------

static const wave_signal *find_signal(const view *self, const char *name, tpu_message *why) {
    const wave_signal *signal = wave_file_find(self->wave, name);
    if (signal == NULL) {
        (void)status_fail(why, TPU_REFUSED, "the waveform does not show %s", name);
    }
    return signal;
}

static const char *value_in(view *self, const wave_signal *signal, uint64_t cycle) {
    return wave_file_value(self->wave, signal, cycle * WAVE_CYCLE + WITHIN_CYCLE);
}

// The state after step m before the end stands until the cycle of the step that follows it.
static tpu_status find_steps(view *self, tpu_message *why) {
    const wave_signal *advance = find_signal(self, ARRAY "advance", why);
    const uint32_t steps = 2 * self->t - 1;
    uint64_t cycle = self->from->seen.cycle;
    if (advance == NULL) {
        return TPU_REFUSED;
    }
    self->cycle[0] = cycle;
    for (uint32_t m = 1; m < steps && cycle > self->from->window.first;) {
        const char *value = value_in(self, advance, --cycle);
        if (value != NULL && value[0] == '1') {
            self->cycle[m++] = cycle;
        }
        if (m == steps) {
            return TPU_OK;
        }
    }
    return status_fail(why, TPU_REFUSED, "the window begins after the row entered the array");
}

static bool read_word(const char *text, int32_t *out) {
    uint32_t value = 0;
    if (text == NULL || strlen(text) != 32) {
        return false;
    }
    for (int i = 0; i < 32; i++) {
        value = value << 1 | (text[i] == '1');
    }
    *out = (int32_t)value;
    return true;
}

static tpu_status sum_in(view *self, uint32_t i, uint32_t j, int32_t *out, tpu_message *why) {
    char name[128];
    (void)snprintf(name, sizeof name, ARRAY "gen_row[%u].gen_col[%u].u_pe.psum_q", i, j);
    const wave_signal *signal = find_signal(self, name, why);
    if (signal == NULL) {
        return TPU_REFUSED;
    }
    const uint64_t cycle = self->cycle[2 * self->t - 2 - i - j];
    return read_word(value_in(self, signal, cycle), out)
               ? TPU_OK
               : status_fail(why, TPU_REFUSED, "the waveform has no value of %s", name);
}

// ---- comparison ---------------------------------------------------------------------------------

static void note_element(peek *out, uint32_t i, uint32_t j, int32_t expected, int32_t got) {
    if (out->row < 0) {
        *out = (peek){.row = (int)i, .col = (int)j, .expected = expected, .got = got};
    } else if ((int)i != out->row) {
        out->others++;
    }
}

// Down one column, to the first sum that is wrong.
static tpu_status look_down(view *self, uint32_t j, peek *out, tpu_message *why) {
    int32_t expected = 0;
    for (uint32_t i = 0; i < self->t; i++) {
        int32_t got = 0;
        expected += self->a[i] * self->w[(size_t)i * self->t + j];
        tpu_status status = sum_in(self, i, j, &got, why);
        if (status != TPU_OK) {
            return status;
        }
        if (got != expected) {
            note_element(out, i, j, expected, got);
            return TPU_OK;
        }
    }
    return TPU_OK;
}

static tpu_status look(view *self, peek *out, tpu_message *why) {
    tpu_status status = read_operands(self, why);
    if (status == TPU_OK) {
        status = find_steps(self, why);
    }
    for (uint32_t j = 0; j < self->t && status == TPU_OK; j++) {
        status = look_down(self, j, out, why);
    }
    return status;
}

static bool has_question(const verdict *seen) {
    return seen->diff == VERDICT_DIFF_VALUE && seen->stream == TPU_STREAM_CW && seen->issue.known;
}

tpu_status peek_array(const recording *from, const char *wave, peek *out, tpu_message *why) {
    const uint32_t t = from->params.t;
    view self = {.from = from, .t = t};
    *out = (peek){.row = -1, .col = -1};
    if (!has_question(&from->seen)) {
        return status_fail(why, TPU_REFUSED, "no row of cw is wrong");
    }
    tpu_status status = wave_file_open(wave, &self.wave, why);
    if (status != TPU_OK) {
        return status;
    }
    self.a = calloc(t, 1);
    self.w = calloc(t, t);
    self.cycle = calloc(2 * (size_t)t, sizeof *self.cycle);
    status = self.a != NULL && self.w != NULL && self.cycle != NULL
                 ? look(&self, out, why)
                 : status_fail(why, TPU_ERR_MEMORY, "peek: out of memory");
    free(self.a);
    free(self.w);
    free(self.cycle);
    wave_file_close(self.wave);
    return status;
}

// A single element is at fault: theories about all of them are not.
static void drop_general_notes(verdict *seen) {
    size_t kept = 0;
    for (size_t i = 0; i < seen->note_count; i++) {
        if (strncmp(seen->note[i].text, "every PE", strlen("every PE")) != 0 &&
            strncmp(seen->note[i].text, "perhaps ", strlen("perhaps ")) != 0) {
            seen->note[kept++] = seen->note[i];
        }
    }
    seen->note_count = kept;
}

void peek_into(recording *from, const char *wave) {
    peek found;
    tpu_message why;
    if (peek_array(from, wave, &found, &why) != TPU_OK) {
        return;
    }
    verdict *seen = &from->seen;
    if (found.row < 0) {
        verdict_note_first(seen, "every partial sum inside the array is right: the row is changed "
                                 "on its way out");
        return;
    }
    seen->pe_row = found.row;
    seen->pe_col = found.col;
    if (found.others == 0) {
        drop_general_notes(seen);
    }
    char also[64] = "";
    if (found.others > 0) {
        (void)snprintf(also, sizeof also, "; in %u other columns too, at other rows", found.others);
    }
    verdict_note_first(seen, "inside the array the sum goes wrong in PE(%d,%d): %d, expected %d%s",
                       found.row, found.col, found.got, found.expected, also);
}
