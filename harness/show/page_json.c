// SPDX-License-Identifier: Apache-2.0
//
// What the page of a failure carries: the report as report_json writes it, the recording, the
// program, the account of the window's cycles, and the names that the lanes need. Cycles of the
// recording count from the first of the window, so that they fit the numbers of any reader.

#include "harness/show/page.h"

#include "csim/isa/disasm.h"
#include "harness/io/textbuf.h"
#include "harness/show/cycles.h"
#include "harness/show/cycles_report.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>

// Bytes of the recording in the page: what the frame, the report and the program leave.
#define RECORDING_BYTES 640000u

// Characters of an event without its rows, at most.
#define EVENT_BYTES 56u

// Instructions of the program in the page.
#define PROGRAM_MAX 2000u

typedef unsigned long long ull;

// Any text as a JSON string.
static void put_string(textbuf *to, const char *text) {
    cJSON *item = cJSON_CreateString(text);
    char *quoted = item != NULL ? cJSON_PrintUnformatted(item) : NULL;
    if (quoted == NULL) {
        to->failed = true;
    } else {
        textbuf_add(to, "%s", quoted);
    }
    free(quoted);
    cJSON_Delete(item);
}

// ---- names -----------------------------------------------------------------------------------

static void put_stream(textbuf *to, const tpu_stream_info *info) {
    textbuf_add(to, "{\"name\":\"%s\",\"unit\":%d,\"reader\":%d,\"head\":%u,\"lane_bytes\":%u",
                info->name, (int)info->unit, info->reader, info->head_bytes, info->lane_bytes);
    textbuf_add(to, ",\"fields\":[");
    for (size_t i = 0; i < info->field_count; i++) {
        textbuf_add(to, "%s{\"name\":\"%s\",\"offset\":%u,\"bytes\":%u}", i > 0 ? "," : "",
                    info->fields[i].name, info->fields[i].offset, info->fields[i].bytes);
    }
    textbuf_add(to, "]}");
}

static void put_machine(textbuf *to, const recording *from) {
    textbuf_add(to, "\"machine\":{\"t\":%u,\"units\":[", from->params.t);
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        textbuf_add(to, "%s\"%s\"", u > 0 ? "," : "", tpu_unit_names[u]);
    }
    textbuf_add(to, "],\n\"streams\":[");
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        textbuf_add(to, "%s", s > 0 ? ",\n" : "");
        put_stream(to, &tpu_streams[s]);
    }
    textbuf_add(to, "]},\n");
}

static void put_program(textbuf *to, const isa_program *program) {
    char text[DISASM_LINE_MAX];
    int depth = 0;
    size_t count = program != NULL ? program->count : 0;
    textbuf_add(to, "\"program\":[");
    for (size_t pc = 0; pc < count && pc < PROGRAM_MAX; pc++) {
        const isa_insn *insn = &program->insn[pc];
        depth -= insn->op == TPU_OP_ENDLOOP && depth > 0 ? 1 : 0;
        disasm_insn(insn, text, sizeof text);
        textbuf_add(to, "%s{\"pc\":%zu,\"line\":%u,\"depth\":%d,\"text\":", pc > 0 ? ",\n" : "", pc,
                    insn->line, depth);
        put_string(to, text);
        textbuf_add(to, "}");
        depth += insn->op == TPU_OP_LOOP ? 1 : 0;
    }
    textbuf_add(to, "],\n");
}

// ---- recording -------------------------------------------------------------------------------

static bool in(const recording_window *window, uint64_t cycle) {
    return cycle >= window->first && cycle <= window->last;
}

static size_t cost(const recording *from, const recording_window *window) {
    size_t bytes = 0;
    for (size_t i = 0; i < from->event_count; i++) {
        const recording_event *event = &from->event[i];
        if (in(window, event->cycle)) {
            size_t row = recording_row_bytes(from, (tpu_stream)event->stream);
            bytes += EVENT_BYTES + 2 * row * (event->differs ? 2u : 1u);
        }
    }
    return bytes;
}

// The part of the window around the verdict that the page has room for.
static recording_window choose_window(const recording *from) {
    recording_window window = from->window;
    uint64_t middle = from->seen.cycle;
    if (middle < window.first || middle > window.last) {
        middle = window.last;
    }
    while (cost(from, &window) > RECORDING_BYTES && window.last > window.first) {
        window.first = middle - (middle - window.first) / 2;
        window.last = middle + (window.last - middle) / 2;
    }
    return window;
}

static void put_spans(textbuf *to, const recording *from, const recording_window *window) {
    textbuf_add(to, "\"spans\":[");
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        const char *comma = "";
        textbuf_add(to, "%s[", u > 0 ? ",\n" : "");
        for (size_t i = 0; i < from->span_count[u]; i++) {
            const recording_span *span = &from->span[u][i];
            if (span->last < window->first || span->first > window->last) {
                continue;
            }
            uint64_t first = span->first > window->first ? span->first - window->first : 0;
            uint64_t last = span->last < window->last ? span->last : window->last;
            textbuf_add(to, "%s[%llu,%llu,%u,%u]", comma, (ull)first, (ull)(last - window->first),
                        span->unit.state, span->unit.wait);
            comma = ",";
        }
        textbuf_add(to, "]");
    }
    textbuf_add(to, "],\n");
}

static void put_row(textbuf *to, const uint8_t *row, size_t bytes) {
    textbuf_add(to, ",\"");
    for (size_t i = 0; row != NULL && i < bytes; i++) {
        textbuf_add(to, "%02x", row[i]);
    }
    textbuf_add(to, "\"");
}

// [cycle, stream, index, issue, row of the issue, flags, got, expected where it differs]
static void put_events(textbuf *to, const recording *from, const recording_window *window) {
    const char *comma = "";
    textbuf_add(to, "\"events\":[");
    for (size_t i = 0; i < from->event_count; i++) {
        const recording_event *event = &from->event[i];
        if (!in(window, event->cycle)) {
            continue;
        }
        size_t bytes = recording_row_bytes(from, (tpu_stream)event->stream);
        long long issue = event->issue == RECORDING_NO_ISSUE ? -1 : (long long)event->issue;
        textbuf_add(to, "%s[%llu,%u,%llu,%lld,%u,%d", comma, (ull)(event->cycle - window->first),
                    event->stream, (ull)event->index, issue, event->in_issue,
                    (event->differs ? 1 : 0) + (event->extra ? 2 : 0));
        put_row(to, recording_got(from, event), bytes);
        if (event->differs) {
            put_row(to, recording_expected(from, event), bytes);
        }
        textbuf_add(to, "]");
        comma = ",\n";
    }
    textbuf_add(to, "],\n");
}

// [cycle, number, pc, text, induction values, line]; a cycle before the window is negative.
static void put_issues(textbuf *to, const recording *from, const recording_window *window) {
    char text[DISASM_LINE_MAX];
    textbuf_add(to, "\"issues\":[");
    for (size_t i = 0; i < from->issue_count; i++) {
        const recording_issue *at = &from->issue[i];
        disasm_issue(&at->issue, text, sizeof text);
        textbuf_add(to, "%s[%lld,%u,%u,", i > 0 ? ",\n" : "",
                    (long long)(at->cycle - window->first), at->issue.seq, at->issue.pc);
        put_string(to, text);
        textbuf_add(to, ",[");
        for (unsigned level = 0; level < at->issue.depth; level++) {
            textbuf_add(to, "%s%u", level > 0 ? "," : "", at->issue.iv[level]);
        }
        textbuf_add(to, "],%u]", at->line);
    }
    textbuf_add(to, "]");
}

static void put_recording(textbuf *to, const recording *from) {
    const recording_window window = choose_window(from);
    bool cut = window.first != from->window.first || window.last != from->window.last;
    textbuf_add(to, "\"recording\":{\"first\":\"%llu\",\"last\":\"%llu\",\"run\":%zu,\"cut\":%s,\n",
                (ull)window.first, (ull)window.last, from->run, cut ? "true" : "false");
    put_spans(to, from, &window);
    put_events(to, from, &window);
    put_issues(to, from, &window);
    textbuf_add(to, "},\n");
}

// ---- the rest --------------------------------------------------------------------------------

static tpu_status put_account(textbuf *to, const recording *from, const char *name,
                              tpu_message *why) {
    cycles account = {.total = 0};
    const cycles_report_context context = {.name = name, .seen = &from->seen};
    char *text = NULL;
    tpu_status status = cycles_count(from, &account, why);
    if (status == TPU_OK) {
        status = cycles_report_json(&account, &context, &text, why);
    }
    if (status == TPU_OK) {
        textbuf_add(to, "\"cycles\":%s", text);
    }
    free(text);
    cycles_clear(&account);
    return status;
}

tpu_status page_json(const recording *from, const report_context *context, char **out,
                     tpu_message *why) {
    textbuf to = {.text = NULL};
    char *report = NULL;
    tpu_status status = report_json(&from->seen, context, &report, why);
    if (status != TPU_OK) {
        return status;
    }
    textbuf_add(&to, "{\"format\":\"tpucosim page\",\"version\":1,\"kind\":\"failure\",\n");
    textbuf_add(&to, "\"report\":%s,\n\"source\":", report);
    put_string(&to, context->source != NULL ? context->source : "");
    textbuf_add(&to, ",\n");
    free(report);
    put_machine(&to, from);
    put_program(&to, context->program);
    put_recording(&to, from);
    status = put_account(&to, from, context->name, why);
    textbuf_add(&to, "}\n");
    if (status != TPU_OK) {
        textbuf_clear(&to);
        return status;
    }
    return textbuf_take(&to, out, why);
}
