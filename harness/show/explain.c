// SPDX-License-Identifier: Apache-2.0
//
// Each step is written by one function from the verdict and the recorded window. Nothing is judged
// here: what to say of a difference is decided where it is found.

#include "harness/show/explain.h"

#include "csim/isa/disasm.h"
#include "harness/show/report_why.h"
#include "harness/show/rtl_place.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lanes and fields of a row that are written out.
#define CELLS_MAX 16

// What a step is made from.
typedef struct subject {
    const recording *from;
    const verdict *seen;
    const report_context *context;
} subject;

static const char *unit_name(int unit) {
    return unit >= 0 && unit < TPU_UNIT_COUNT ? tpu_unit_names[unit] : "nobody";
}

// ---- the steps ----------------------------------------------------------------------------------

static void say_symptom(const subject *of, textbuf *to) {
    const verdict *seen = of->seen;
    textbuf_add(to, "%s in cycle %llu: %s", verdict_kind_name(seen->kind),
                (unsigned long long)seen->cycle, seen->sentence.text);
}

static void say_way(textbuf *to, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    textbuf_add(to, "%s is written by %s", info->name, tpu_unit_names[info->unit]);
    if (info->reader >= 0) {
        textbuf_add(to, " and read by %s", tpu_unit_names[info->reader]);
    }
}

static uint64_t rows_compared(const verdict *seen) {
    uint64_t rows = 0;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        rows += seen->counts.compared[s];
    }
    return rows;
}

static void say_cells(textbuf *to, tpu_stream stream, const uint8_t *row, const uint8_t *other,
                      uint32_t t) {
    const tpu_stream_info *info = &tpu_streams[stream];
    for (size_t f = 0; f < info->field_count; f++) {
        int64_t value = verdict_row_element(stream, row, (int)f, -1);
        bool differs = other != NULL && value != verdict_row_element(stream, other, (int)f, -1);
        if (info->fields[f].bytes > 4) {
            textbuf_add(to, " %s=%016llx%s", info->fields[f].name, (unsigned long long)value,
                        differs ? "*" : "");
        } else {
            textbuf_add(to, " %s=%lld%s", info->fields[f].name, (long long)value,
                        differs ? "*" : "");
        }
    }
    for (uint32_t lane = 0; info->lane_bytes != 0 && lane < t && lane < CELLS_MAX; lane++) {
        int64_t value = verdict_row_element(stream, row, -1, (int)lane);
        bool differs = other != NULL && value != verdict_row_element(stream, other, -1, (int)lane);
        textbuf_add(to, " %lld%s", (long long)value, differs ? "*" : "");
    }
    if (info->lane_bytes != 0 && t > CELLS_MAX) {
        textbuf_add(to, " ...");
    }
}

// Row `row` of the verdict's window; NULL = not in it.
static const uint8_t *window_row(const verdict_window *window, const uint8_t *rows, size_t count,
                                 uint64_t row) {
    bool inside = rows != NULL && row >= window->first && row - window->first < count;
    return inside ? rows + (size_t)(row - window->first) * window->row_bytes : NULL;
}

static void say_row(const subject *of, textbuf *to) {
    const verdict *seen = of->seen;
    const verdict_window *window = &seen->window;
    if (seen->stream < 0) {
        return;
    }
    tpu_stream stream = (tpu_stream)seen->stream;
    say_way(to, stream);
    textbuf_add(to, ". Before its row %llu, %llu rows of %d streams were compared and right.",
                (unsigned long long)seen->row,
                (unsigned long long)rows_compared(seen) - (seen->diff == VERDICT_DIFF_VALUE),
                TPU_STREAM_COUNT);
    const uint8_t *want = window_row(window, window->expected, window->rows, seen->row);
    const uint8_t *got = window_row(window, window->got, window->seen, seen->row);
    if (want != NULL) {
        textbuf_add(to, "\nexpected");
        say_cells(to, stream, want, NULL, of->context->params->t);
    }
    if (got != NULL) {
        textbuf_add(to, "\ngot     ");
        say_cells(to, stream, got, want, of->context->params->t);
    }
}

static void say_memory(const subject *of, textbuf *to) {
    const verdict *seen = of->seen;
    if (seen->memory < 0) {
        return;
    }
    textbuf_add(to,
                "All %llu rows of all streams were right; only the contents of %s after the run "
                "are not, first in row %llu.",
                (unsigned long long)rows_compared(seen), tpu_mem_names[seen->memory],
                (unsigned long long)seen->row);
}

static void say_issue(const subject *of, textbuf *to) {
    const verdict *seen = of->seen;
    const report_context *context = of->context;
    const isa_issue *issue = &seen->issue.issue;
    char text[DISASM_LINE_MAX];
    if (!seen->issue.known) {
        if (seen->stream >= 0) {
            textbuf_add(to, "The row belongs to no instruction: the header causes it, or nothing.");
        }
        return;
    }
    disasm_issue(issue, text, sizeof text);
    textbuf_add(to, "#%u, pc %u: %s", issue->seq, issue->pc, text);
    for (unsigned level = 0; level < issue->depth; level++) {
        textbuf_add(to, "%siv%u=%u", level == 0 ? "  with " : " ", level, issue->iv[level]);
    }
    if (context->program != NULL && issue->pc < context->program->count) {
        disasm_insn(&context->program->insn[issue->pc], text, sizeof text);
        textbuf_add(to, "\nwritten as: %s", text);
    }
    if (seen->issue.line > 0) {
        textbuf_add(to, "\nsource: %s%s%u", context->source != NULL ? context->source : "line",
                    context->source != NULL ? ":" : " ", seen->issue.line);
    }
    textbuf_add(to, "\nissued in cycle %llu; it is row %u of the instruction on this stream",
                (unsigned long long)seen->issue.cycle, seen->issue.row);
}

// How the difference went on: the first wrong row of each other stream, in the order of time.
static void say_spread(const subject *of, textbuf *to) {
    const recording *from = of->from;
    const verdict *seen = of->seen;
    uint32_t told = seen->stream >= 0 ? 1u << seen->stream : 0;
    for (size_t i = 0; i < from->event_count; i++) {
        const recording_event *event = &from->event[i];
        if (!event->differs || (told >> event->stream & 1u) != 0) {
            continue;
        }
        told |= 1u << event->stream;
        textbuf_add(to, "%s%s row %llu in cycle %llu", to->length == 0 ? "Then differ: " : ", ",
                    tpu_streams[event->stream].name, (unsigned long long)event->index,
                    (unsigned long long)event->cycle);
    }
    if (to->length == 0 && seen->diff == VERDICT_DIFF_VALUE && from->event_count > 0) {
        textbuf_add(to, "No other stream differs in the window.");
    }
}

static void say_element(const verdict *seen, textbuf *to) {
    if (seen->pe_row >= 0 && seen->pe_col >= 0) {
        textbuf_add(to, ", PE(%d,%d)", seen->pe_row, seen->pe_col);
    } else if (seen->pe_col >= 0) {
        textbuf_add(to, ", column %d of the array", seen->pe_col);
    } else if (seen->pe_row >= 0) {
        textbuf_add(to, ", row %d of the array", seen->pe_row);
    }
}

static const char *reason_of(const verdict *seen) {
    switch (seen->diff) {
    case VERDICT_DIFF_VALUE:
        return "it wrote the first wrong row, and what that is made from was right";
    case VERDICT_DIFF_EXTRA:
        return "it wrote a row that nothing asks for";
    case VERDICT_DIFF_MISSING:
        return "it owes a row whose inputs are all there";
    case VERDICT_DIFF_MEMORY:
    case VERDICT_DIFF_C_INSIDE:
    case VERDICT_DIFF_C_OUTSIDE:
        return "it owns that memory, and every row it wrote was right";
    case VERDICT_DIFF_FAULT:
        return "it raised the fault, and no row before that was wrong";
    case VERDICT_DIFF_ASSERTION:
        return "an assertion of the RTL leads to it, and no row is wrong";
    case VERDICT_DIFF_STUCK:
        return "the waits and the rows that are owed lead to it";
    case VERDICT_DIFF_EARLY:
        return "it was at work when the end was shown, and no row is wrong";
    default:
        return "nothing says more";
    }
}

static void say_blame(const subject *of, textbuf *to) {
    const verdict *seen = of->seen;
    textbuf_add(to, "%s", unit_name(seen->unit));
    say_element(seen, to);
    textbuf_add(to, ": %s.", reason_of(seen));
    if (seen->input_count > 0) {
        textbuf_add(to, "\ninputs: ");
        report_why_inputs(to, seen);
    }
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if ((seen->beside >> s & 1u) != 0) {
            textbuf_add(to, "\n%s of %s differs in the same cycle: a cause that both share?",
                        tpu_streams[s].name, tpu_unit_names[tpu_streams[s].unit]);
        }
    }
}

static void say_waits(const subject *of, textbuf *to) {
    if (of->seen->kind == VERDICT_HANG) {
        report_why_waits(to, of->seen, of->context->params->qd, "");
    }
}

static void say_notes(const subject *of, textbuf *to) {
    const verdict *seen = of->seen;
    for (size_t i = 0; i < seen->note_count; i++) {
        textbuf_add(to, "%s%s", i == 0 ? "" : "\n", seen->note[i].text);
    }
    if (seen->note_count == 0) {
        textbuf_add(to, "No pattern that is known fits.");
    }
}

static void say_vote(const subject *of, textbuf *to) {
    if (of->seen->vote != VERDICT_VOTE_NONE) {
        textbuf_add(to, "Of machine, model and oracle: %s.", verdict_vote_text(of->seen->vote));
    }
}

static void say_open(const subject *of, textbuf *to) {
    const verdict *seen = of->seen;
    rtl_place place;
    if (seen->unit >= 0) {
        rtl_place_find(seen->unit, seen->stream, seen->field, &place);
        textbuf_add(to, "%s:%u, and what it should do: docs/rtl/%s.md\n", place.file, place.line,
                    unit_name(seen->unit));
    }
    textbuf_add(to,
                "the wave around cycle %llu, group of %s: window.gtkw beside the reproducer, or "
                "tpucosim replay --wave",
                (unsigned long long)seen->cycle, unit_name(seen->unit));
    if (of->context->replay != NULL) {
        textbuf_add(to, "\n%s", of->context->replay);
    }
}

typedef void (*teller)(const subject *of, textbuf *to);

static tpu_status add_step(const subject *of, const char *key, teller tell, explain *out,
                           tpu_message *why) {
    textbuf text = {.text = NULL};
    char *made = NULL;
    tell(of, &text);
    tpu_status status = textbuf_take(&text, &made, why);
    if (status != TPU_OK) {
        return status;
    }
    size_t length = strlen(made);
    while (length > 0 && made[length - 1] == '\n') {
        made[--length] = '\0';
    }
    if (length == 0) {
        free(made);
    } else {
        out->step[out->count++] = (explain_step){.key = key, .text = made};
    }
    return TPU_OK;
}

tpu_status explain_make(const recording *from, const report_context *context, explain *out,
                        tpu_message *why) {
    static const struct {
        const char *key;
        teller tell;
    } tellers[EXPLAIN_STEPS] = {{"symptom", say_symptom}, {"row", say_row},
                                {"memory", say_memory},   {"instruction", say_issue},
                                {"spread", say_spread},   {"waits", say_waits},
                                {"blame", say_blame},     {"suggests", say_notes},
                                {"vote", say_vote},       {"open", say_open}};
    const subject of = {.from = from, .seen = &from->seen, .context = context};
    const bool fails = from->seen.kind == VERDICT_MISMATCH || from->seen.kind == VERDICT_HANG;
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < EXPLAIN_STEPS && status == TPU_OK && (fails || i == 0); i++) {
        status = add_step(&of, tellers[i].key, tellers[i].tell, out, why);
    }
    return status;
}

void explain_clear(explain *self) {
    for (size_t i = 0; i < self->count; i++) {
        free(self->step[i].text);
    }
    self->count = 0;
}

// ---- shown --------------------------------------------------------------------------------------

static void say_step(textbuf *to, size_t number, const explain_step *step) {
    textbuf head = {.text = NULL};
    char *title = NULL;
    textbuf_add(&head, "%zu %s", number, step->key);
    textbuf_pad(&head, 14);
    if (textbuf_take(&head, &title, NULL) == TPU_OK) {
        textbuf_add(to, "%s", title);
    }
    free(title);
    for (const char *at = step->text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        textbuf_add(to, "%s%.*s\n", at == step->text ? "" : "              ", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

tpu_status explain_text(const explain *self, const verdict *seen, const report_context *context,
                        char **out, tpu_message *why) {
    textbuf text = {.text = NULL};
    char signature[256];
    const verdict_signature parts = verdict_signature_of(seen);
    verdict_signature_format(&parts, signature, sizeof signature);
    textbuf_add(&text, "%s  %s\n%s\n\n", verdict_kind_name(seen->kind),
                context->name != NULL ? context->name : "", signature);
    for (size_t i = 0; i < self->count; i++) {
        say_step(&text, i + 1, &self->step[i]);
    }
    return textbuf_take(&text, out, why);
}

static void add_lines(cJSON *to, const char *text) {
    cJSON *lines = cJSON_AddArrayToObject(to, "says");
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char *line = malloc(length + 1);
        if (line == NULL) {
            return;
        }
        memcpy(line, text, length);
        line[length] = '\0';
        (void)cJSON_AddItemToArray(lines, cJSON_CreateString(line));
        free(line);
        text += length + (text[length] == '\n');
    }
}

tpu_status explain_json(const explain *self, const verdict *seen, const report_context *context,
                        char **out, tpu_message *why) {
    char signature[256];
    const verdict_signature parts = verdict_signature_of(seen);
    cJSON *root = cJSON_CreateObject();
    verdict_signature_format(&parts, signature, sizeof signature);
    (void)cJSON_AddStringToObject(root, "name", context->name != NULL ? context->name : "");
    (void)cJSON_AddStringToObject(root, "verdict", verdict_kind_name(seen->kind));
    (void)cJSON_AddStringToObject(root, "signature", signature);
    cJSON *steps = cJSON_AddArrayToObject(root, "steps");
    for (size_t i = 0; i < self->count; i++) {
        cJSON *step = cJSON_CreateObject();
        (void)cJSON_AddStringToObject(step, "step", self->step[i].key);
        add_lines(step, self->step[i].text);
        (void)cJSON_AddItemToArray(steps, step);
    }
    *out = cJSON_Print(root);
    cJSON_Delete(root);
    return *out != NULL ? TPU_OK : status_fail(why, TPU_ERR_MEMORY, "explain: out of memory");
}
