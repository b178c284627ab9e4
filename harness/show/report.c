// SPDX-License-Identifier: Apache-2.0
//
// The verdict on one screen: what, where, which instruction, which element, how far, what came
// before, and how to see it again. Golden files hold the layout still.

#include "harness/show/report.h"

#include "csim/isa/disasm.h"
#include "harness/show/report_why.h"

#include <string.h>

#define LABEL_COLUMN 12
#define CELL_WIDTH 12

// More notes than these do not help on a screen: the JSON has them all.
#define NOTES_SHOWN 4u
#define WRAP_COLUMNS 100u

static void label(textbuf *to, const char *name) {
    textbuf_add(to, "  %s", name);
    textbuf_pad(to, LABEL_COLUMN);
}

static const char *unit_name(int unit) {
    return unit >= 0 && unit < TPU_UNIT_COUNT ? tpu_unit_names[unit] : "unknown";
}

static const char *place_name(const verdict *result) {
    if (result->stream >= 0) {
        return tpu_streams[result->stream].name;
    }
    return result->memory >= 0 ? tpu_mem_names[result->memory] : NULL;
}

static void say_title(textbuf *to, const verdict *result, const report_context *context) {
    textbuf_add(to, "%s", verdict_kind_name(result->kind));
    if (result->diff != VERDICT_DIFF_NONE) {
        textbuf_add(to, "  %s", verdict_diff_name(result->diff));
    }
    if (place_name(result) != NULL) {
        textbuf_add(to, " in %s", place_name(result));
    }
    if (context->name != NULL) {
        textbuf_add(to, "  --  %s", context->name);
    }
    textbuf_add(to, "\n");
    if (result->sentence.text[0] != '\0') {
        textbuf_add(to, "  %s\n", result->sentence.text);
    }
    textbuf_add(to, "\n");
}

static void say_pe(textbuf *to, const verdict *result) {
    if (result->pe_row >= 0 && result->pe_col >= 0) {
        textbuf_add(to, ", PE(%d,%d)", result->pe_row, result->pe_col);
    } else if (result->pe_col >= 0) {
        textbuf_add(to, ", PE column %d", result->pe_col);
    } else if (result->pe_row >= 0) {
        textbuf_add(to, ", PE row %d", result->pe_row);
    }
}

static void say_where(textbuf *to, const verdict *result) {
    label(to, "where");
    textbuf_add(to, "cycle %llu", (unsigned long long)result->cycle);
    if (place_name(result) != NULL) {
        textbuf_add(to, ", %s row %llu", place_name(result), (unsigned long long)result->row);
    }
    textbuf_add(to, ", unit %s", unit_name(result->unit));
    say_pe(to, result);
    textbuf_add(to, "\n");
}

static void add_ivs(textbuf *to, const isa_issue *issue) {
    for (unsigned level = 0; level < issue->depth; level++) {
        textbuf_add(to, "%siv%u=%u", level == 0 ? "  " : " ", level, issue->iv[level]);
    }
}

static void add_issue(textbuf *to, const isa_issue *issue) {
    char text[DISASM_LINE_MAX];
    disasm_issue(issue, text, sizeof text);
    textbuf_add(to, "#%-4u pc %-3u %s", issue->seq, issue->pc, text);
    add_ivs(to, issue);
}

static void say_instruction(textbuf *to, const verdict *result, const report_context *context) {
    uint16_t pc = result->issue.issue.pc;
    size_t at = TPU_NHDR + (size_t)pc * TPU_IWORDS;
    char text[DISASM_LINE_MAX];
    if (context->program != NULL && pc < context->program->count) {
        disasm_insn(&context->program->insn[pc], text, sizeof text);
        label(to, "written");
        textbuf_add(to, "%s", text);
        if (result->issue.line > 0) {
            textbuf_add(to, "   (%s%s%u)", context->source != NULL ? context->source : "line",
                        context->source != NULL ? ":" : " ", result->issue.line);
        }
        textbuf_add(to, "\n");
    }
    if (at + 1 < context->word_count) {
        label(to, "words");
        textbuf_add(to, "%016llx %016llx\n", (unsigned long long)context->words[at],
                    (unsigned long long)context->words[at + 1]);
    }
}

static void say_issue(textbuf *to, const verdict *result, const report_context *context) {
    if (!result->issue.known) {
        return;
    }
    label(to, "issue");
    add_issue(to, &result->issue.issue);
    textbuf_add(to, "  row %u of it\n", result->issue.row);
    say_instruction(to, result, context);
}

static uint64_t mask_of(uint8_t bytes) {
    return bytes >= 8 ? UINT64_MAX : (1ull << (8u * bytes)) - 1;
}

static void add_value(textbuf *to, int64_t value, uint8_t bytes) {
    textbuf_add(to, "%lld (0x%0*llx)", (long long)value, 2 * bytes,
                (unsigned long long)((uint64_t)value & mask_of(bytes)));
}

static void add_element_name(textbuf *to, const verdict *result) {
    if (result->field >= 0 && result->stream >= 0) {
        textbuf_add(to, "field %s", tpu_streams[result->stream].fields[result->field].name);
        return;
    }
    textbuf_add(to, "%s %d", result->memory == TPU_MEM_C ? "column" : "lane", result->lane);
}

static bool has_element(const verdict *result) {
    return result->first.bytes != 0;
}

static void say_element(textbuf *to, const verdict *result) {
    if (!has_element(result)) {
        return;
    }
    label(to, "element");
    add_element_name(to, result);
    textbuf_add(to, ": expected ");
    add_value(to, result->first.expected, result->first.bytes);
    textbuf_add(to, ", got ");
    add_value(to, result->first.got, result->first.bytes);
    textbuf_add(to, "\n");
    label(to, "extent");
    textbuf_add(to, "%s, %llu lane(s) of this row", verdict_pattern_name(result->pattern),
                (unsigned long long)result->lanes_differ);
    if (result->elements_seen > 0) {
        textbuf_add(to, ", %llu of %llu elements looked at (%s)",
                    (unsigned long long)result->elements_differ,
                    (unsigned long long)result->elements_seen, verdict_shape_name(result->shape));
    }
    textbuf_add(to, "\n");
}

static void say_inputs(textbuf *to, const verdict *result) {
    if (result->input_count > 0) {
        label(to, "inputs");
        report_why_inputs(to, result);
        textbuf_add(to, "\n");
    }
}

static void say_beside(textbuf *to, const verdict *result) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if ((result->beside >> s & 1u) != 0) {
            label(to, "beside");
            textbuf_add(to, "%s (%s) differs in the same cycle\n", tpu_streams[s].name,
                        unit_name((int)tpu_streams[s].unit));
        }
    }
}

// A note in lines of a screen's width, broken between words.
static void add_wrapped(textbuf *to, const char *text) {
    while (strlen(text) > WRAP_COLUMNS) {
        size_t cut = WRAP_COLUMNS;
        while (cut > 0 && text[cut] != ' ') {
            cut--;
        }
        if (cut == 0) {
            break;
        }
        textbuf_add(to, "%.*s\n", (int)cut, text);
        textbuf_add(to, "%*s", LABEL_COLUMN + 2, "");
        text += cut + 1;
    }
    textbuf_add(to, "%s\n", text);
}

static void say_notes(textbuf *to, const verdict *result) {
    for (size_t i = 0; i < result->note_count && i < NOTES_SHOWN; i++) {
        label(to, i == 0 ? "suggests" : "");
        add_wrapped(to, result->note[i].text);
    }
}

static void say_vote(textbuf *to, const verdict *result) {
    if (result->vote != VERDICT_VOTE_NONE) {
        label(to, "vote");
        textbuf_add(to, "%s\n", verdict_vote_text(result->vote));
    }
}

// How the elements of a row are reached: fields and lanes of a stream, or lanes of a memory.
typedef struct columns {
    int stream; // -1 = a memory
    uint8_t lane_bytes;
    bool fields; // the columns are fields, not lanes
    int first;
    int count;
} columns;

static columns choose_columns(const verdict *result) {
    const tpu_stream_info *info = result->stream >= 0 ? &tpu_streams[result->stream] : NULL;
    columns out = {.stream = result->stream};
    out.lane_bytes = info != NULL ? info->lane_bytes : (result->memory == TPU_MEM_AR ? 4 : 1);
    out.fields = info != NULL && (result->field >= 0 || info->lane_bytes == 0);
    size_t head = info != NULL ? info->head_bytes : 0;
    size_t total =
        out.fields ? info->field_count : (result->window.row_bytes - head) / out.lane_bytes;
    int middle = out.fields ? result->field : result->lane;
    out.first = middle > 2 ? middle - 2 : 0;
    if (out.first + VERDICT_WINDOW > (int)total) {
        out.first = (int)total > VERDICT_WINDOW ? (int)total - VERDICT_WINDOW : 0;
    }
    out.count = (int)total - out.first < VERDICT_WINDOW ? (int)total - out.first : VERDICT_WINDOW;
    return out;
}

static int64_t memory_element(const uint8_t *row, int lane, uint8_t bytes) {
    const uint8_t *at = row + (size_t)lane * bytes;
    if (bytes == 1) {
        return (int8_t)at[0];
    }
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

static int64_t element(const columns *what, const uint8_t *row, int column) {
    if (what->stream < 0) {
        return memory_element(row, column, what->lane_bytes);
    }
    tpu_stream stream = (tpu_stream)what->stream;
    return what->fields ? verdict_row_element(stream, row, column, -1)
                        : verdict_row_element(stream, row, -1, column);
}

static void add_cells(textbuf *to, const columns *what, const uint8_t *row, const uint8_t *other) {
    for (int i = what->first; i < what->first + what->count; i++) {
        int64_t value = element(what, row, i);
        bool wide = what->fields && tpu_streams[what->stream].fields[i].bytes > 4;
        bool differs = other != NULL && value != element(what, other, i);
        if (wide) {
            textbuf_add(to, " %016llx%c", (unsigned long long)value, differs ? '*' : ' ');
        } else {
            textbuf_add(to, "%*lld%c", CELL_WIDTH - 1, (long long)value, differs ? '*' : ' ');
        }
    }
}

static void add_window_head(textbuf *to, const columns *what) {
    textbuf_add(to, "                 ");
    for (int i = what->first; i < what->first + what->count; i++) {
        if (what->fields) {
            textbuf_add(to, "%*s ", CELL_WIDTH - 1, tpu_streams[what->stream].fields[i].name);
        } else {
            textbuf_add(to, "%*s%-3d ", CELL_WIDTH - 4, "lane ", i);
        }
    }
    textbuf_newline(to);
}

static void say_window(textbuf *to, const verdict *result) {
    const verdict_window *window = &result->window;
    if (window->rows == 0 && window->seen == 0) {
        return;
    }
    columns what = choose_columns(result);
    textbuf_add(to, "\n");
    add_window_head(to, &what);
    size_t rows = window->rows > window->seen ? window->rows : window->seen;
    for (size_t i = 0; i < rows; i++) {
        const uint8_t *want = i < window->rows ? window->expected + i * window->row_bytes : NULL;
        const uint8_t *got = i < window->seen ? window->got + i * window->row_bytes : NULL;
        textbuf_add(to, "  row %-5llu want ", (unsigned long long)(window->first + i));
        if (want != NULL) {
            add_cells(to, &what, want, NULL);
        }
        textbuf_newline(to);
        textbuf_add(to, "             got ");
        if (got != NULL) {
            add_cells(to, &what, got, want);
        } else {
            textbuf_add(to, "  (not seen)");
        }
        textbuf_newline(to);
    }
}

static void say_recent(textbuf *to, const verdict *result) {
    if (result->recent_count == 0) {
        return;
    }
    textbuf_add(to, "\n  last issues seen\n");
    for (size_t i = 0; i < result->recent_count; i++) {
        textbuf_add(to, "    ");
        add_issue(to, &result->recent[i]);
        textbuf_add(to, "\n");
    }
}

static void say_units(textbuf *to, const verdict *result) {
    textbuf_add(to, "\n");
    label(to, "units");
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        textbuf_add(to, "%s%s ", u == 0 ? "" : u == 4 ? "\n            " : "; ", tpu_unit_names[u]);
        report_why_state(to, &result->units[u]);
    }
    textbuf_add(to, "\n");
}

static void say_waits(textbuf *to, const verdict *result, const report_context *context) {
    if (result->kind == VERDICT_HANG) {
        textbuf_add(to, "\n  who waits for whom\n");
        report_why_waits(to, result, context->params->qd, "    ");
    }
}

static void say_machine(textbuf *to, const report_context *context) {
    const tpu_params *p = context->params;
    label(to, "machine");
    textbuf_add(
        to, "%s T=%u MAXDIM=%u SPAD=%u NVR=%u NAR=%u IMEM=%u QD=%u DMA_WORDS=%u, seed %llu\n",
        context->engine != NULL ? context->engine : "engine", p->t, p->maxdim, p->spad_rows, p->nvr,
        p->nar, p->imem_size, p->qd, p->dma_words, (unsigned long long)context->seed);
    if (context->wave != NULL) {
        label(to, "wave");
        textbuf_add(to, "%s\n", context->wave);
    }
    if (context->absent != NULL) {
        label(to, "left out");
        textbuf_add(to, "%s\n", context->absent);
    }
    if (context->replay != NULL) {
        label(to, "again");
        textbuf_add(to, "%s\n", context->replay);
    }
}

static void say_signature(textbuf *to, const verdict *result) {
    char text[256];
    verdict_signature signature = verdict_signature_of(result);
    verdict_signature_format(&signature, text, sizeof text);
    label(to, "signature");
    textbuf_add(to, "%s\n", text);
}

static void say_ok(textbuf *to, const verdict *result) {
    uint64_t rows = 0;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        rows += result->counts.compared[s];
    }
    label(to, "cycles");
    textbuf_add(to, "%llu\n", (unsigned long long)result->status.cycles);
    label(to, "compared");
    textbuf_add(
        to, "%llu rows of %d streams, %llu memory rows, %llu cells of C, %llu by the oracle\n",
        (unsigned long long)rows, TPU_STREAM_COUNT, (unsigned long long)result->counts.memory_rows,
        (unsigned long long)result->counts.c_cells,
        (unsigned long long)result->counts.oracle_cells);
    label(to, "digest");
    textbuf_add(to, "%016llx\n", (unsigned long long)result->digest);
}

tpu_status report_screen(const verdict *result, const report_context *context, char **out,
                         tpu_message *why) {
    textbuf text = {.text = NULL};
    say_title(&text, result, context);
    if (result->kind == VERDICT_OK) {
        say_ok(&text, result);
    } else if (result->kind == VERDICT_MISMATCH || result->kind == VERDICT_HANG) {
        say_where(&text, result);
        say_inputs(&text, result);
        say_beside(&text, result);
        say_issue(&text, result, context);
        say_element(&text, result);
        say_notes(&text, result);
        say_vote(&text, result);
        say_window(&text, result);
        say_recent(&text, result);
        say_waits(&text, result, context);
        say_units(&text, result);
        say_signature(&text, result);
    }
    say_machine(&text, context);
    return textbuf_take(&text, out, why);
}
