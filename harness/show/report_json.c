// SPDX-License-Identifier: Apache-2.0
//
// The verdict as JSON. 64-bit integers are strings, since many readers keep numbers as doubles.

#include "csim/isa/disasm.h"
#include "harness/io/jsonnum.h"
#include "harness/lockstep/waitgraph.h"
#include "harness/show/report.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_name(cJSON *to, const char *key, const char *name) {
    if (name != NULL) {
        (void)cJSON_AddStringToObject(to, key, name);
    } else {
        (void)cJSON_AddNullToObject(to, key);
    }
}

static void add_index(cJSON *to, const char *key, int value) {
    if (value >= 0) {
        (void)cJSON_AddNumberToObject(to, key, value);
    } else {
        (void)cJSON_AddNullToObject(to, key);
    }
}

static void add_where(cJSON *to, const verdict *result) {
    const tpu_stream_info *stream = result->stream >= 0 ? &tpu_streams[result->stream] : NULL;
    jsonnum_add(to, "cycle", result->cycle);
    add_name(to, "stream", stream != NULL ? stream->name : NULL);
    add_name(to, "memory", result->memory >= 0 ? tpu_mem_names[result->memory] : NULL);
    add_name(to, "unit", result->unit >= 0 ? tpu_unit_names[result->unit] : NULL);
    jsonnum_add(to, "row", result->row);
    add_name(to, "field",
             stream != NULL && result->field >= 0 ? stream->fields[result->field].name : NULL);
    add_index(to, "lane", result->lane);
    add_index(to, "pe_row", result->pe_row);
    add_index(to, "pe_col", result->pe_col);
    jsonnum_add_signed(to, "expected", result->first.expected);
    jsonnum_add_signed(to, "got", result->first.got);
    add_name(to, "pattern", verdict_pattern_name(result->pattern));
    add_name(to, "shape", verdict_shape_name(result->shape));
    jsonnum_add(to, "lanes_differ", result->lanes_differ);
    jsonnum_add(to, "elements_differ", result->elements_differ);
    jsonnum_add(to, "elements_seen", result->elements_seen);
    add_name(to, "vote", verdict_vote_text(result->vote));
}

static const char *unit_of(int unit) {
    return unit >= 0 ? tpu_unit_names[unit] : NULL;
}

static void add_why(cJSON *to, const verdict *result) {
    cJSON *notes = cJSON_AddArrayToObject(to, "suggests");
    for (size_t i = 0; i < result->note_count; i++) {
        (void)cJSON_AddItemToArray(notes, cJSON_CreateString(result->note[i].text));
    }
    cJSON *inputs = cJSON_AddArrayToObject(to, "inputs");
    for (size_t i = 0; i < result->input_count; i++) {
        const verdict_input *in = &result->input[i];
        cJSON *one = cJSON_CreateObject();
        add_name(one, "stream", tpu_streams[in->stream].name);
        jsonnum_add(one, "needed", in->needed);
        jsonnum_add(one, "seen", in->seen);
        (void)cJSON_AddItemToArray(inputs, one);
    }
    cJSON *beside = cJSON_AddArrayToObject(to, "beside");
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if ((result->beside >> s & 1u) != 0) {
            (void)cJSON_AddItemToArray(beside, cJSON_CreateString(tpu_streams[s].name));
        }
    }
}

static cJSON *edge_object(const verdict *result, const waitgraph_edge *edge) {
    cJSON *out = cJSON_CreateObject();
    add_name(out, "from", unit_of(edge->from));
    add_name(out, "to", edge->to == WAITGRAPH_MEMORY ? "memory" : unit_of(edge->to));
    add_name(out, "stream", edge->stream >= 0 ? tpu_streams[edge->stream].name : NULL);
    add_name(out, "waits_for", edge->starved ? "a row" : edge->stream >= 0 ? "room" : "its own");
    if (edge->stream >= 0) {
        jsonnum_add(out, "held", result->held[edge->stream]);
    }
    return out;
}

static void add_node(cJSON *to, const verdict *result, int unit) {
    static const char *const states[] = {"idle", "busy", "starved", "blocked"};
    cJSON *out = cJSON_CreateObject();
    add_name(out, "unit", tpu_unit_names[unit]);
    add_name(out, "state", states[result->units[unit].state & 3u]);
    (void)cJSON_AddItemToArray(to, out);
}

// Nodes, edges and the circle; and what lies in each channel.
static void add_waits(cJSON *to, const verdict *result, uint32_t depth) {
    waitgraph graph;
    waitgraph_build(result->units, &graph);
    cJSON *out = cJSON_AddObjectToObject(to, "waits");
    cJSON *nodes = cJSON_AddArrayToObject(out, "nodes");
    cJSON *edges = cJSON_AddArrayToObject(out, "edges");
    cJSON *circle = cJSON_AddArrayToObject(out, "circle");
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        add_node(nodes, result, unit);
        if ((graph.circle >> unit & 1u) != 0) {
            (void)cJSON_AddItemToArray(circle, cJSON_CreateString(tpu_unit_names[unit]));
        }
    }
    for (size_t i = 0; i < graph.edge_count; i++) {
        (void)cJSON_AddItemToArray(edges, edge_object(result, &graph.edge[i]));
    }
    (void)cJSON_AddNumberToObject(out, "depth", depth);
    cJSON *held = cJSON_AddObjectToObject(out, "held");
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if (tpu_streams[s].reader >= 0) {
            jsonnum_add(held, tpu_streams[s].name, result->held[s]);
        }
    }
}

static cJSON *issue_object(const isa_issue *issue) {
    char text[DISASM_LINE_MAX];
    cJSON *out = cJSON_CreateObject();
    disasm_issue(issue, text, sizeof text);
    (void)cJSON_AddNumberToObject(out, "seq", issue->seq);
    (void)cJSON_AddNumberToObject(out, "pc", issue->pc);
    (void)cJSON_AddStringToObject(out, "text", text);
    cJSON *ivs = cJSON_AddArrayToObject(out, "iv");
    for (unsigned i = 0; i < issue->depth; i++) {
        (void)cJSON_AddItemToArray(ivs, cJSON_CreateNumber(issue->iv[i]));
    }
    return out;
}

static void add_issues(cJSON *to, const verdict *result) {
    if (result->issue.known) {
        cJSON *issue = issue_object(&result->issue.issue);
        (void)cJSON_AddNumberToObject(issue, "row", result->issue.row);
        (void)cJSON_AddNumberToObject(issue, "line", result->issue.line);
        (void)cJSON_AddItemToObject(to, "issue", issue);
    }
    cJSON *recent = cJSON_AddArrayToObject(to, "recent");
    for (size_t i = 0; i < result->recent_count; i++) {
        (void)cJSON_AddItemToArray(recent, issue_object(&result->recent[i]));
    }
}

static void add_hex(cJSON *to, const uint8_t *row, size_t bytes) {
    char *text = malloc(2 * bytes + 1);
    if (text == NULL) {
        return;
    }
    text[0] = '\0';
    for (size_t i = 0; i < bytes; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", row[i]);
    }
    (void)cJSON_AddItemToArray(to, cJSON_CreateString(text));
    free(text);
}

static void add_window(cJSON *to, const verdict_window *window) {
    cJSON *out = cJSON_AddObjectToObject(to, "window");
    jsonnum_add(out, "first_row", window->first);
    cJSON *want = cJSON_AddArrayToObject(out, "expected");
    cJSON *got = cJSON_AddArrayToObject(out, "got");
    for (size_t i = 0; i < window->rows; i++) {
        add_hex(want, window->expected + i * window->row_bytes, window->row_bytes);
    }
    for (size_t i = 0; i < window->seen; i++) {
        add_hex(got, window->got + i * window->row_bytes, window->row_bytes);
    }
}

static void add_counts(cJSON *to, const verdict *result) {
    cJSON *compared = cJSON_AddObjectToObject(to, "compared");
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        jsonnum_add(compared, tpu_streams[s].name, result->counts.compared[s]);
    }
    jsonnum_add(to, "memory_rows", result->counts.memory_rows);
    jsonnum_add(to, "c_cells", result->counts.c_cells);
    jsonnum_add(to, "oracle_cells", result->counts.oracle_cells);
}

static void add_machine(cJSON *to, const report_context *context) {
    const tpu_params *p = context->params;
    const uint32_t values[TPU_PARAM_COUNT] = {p->t,   p->maxdim,    p->spad_rows, p->nvr,
                                              p->nar, p->imem_size, p->qd,        p->dma_words};
    cJSON *params = cJSON_AddObjectToObject(to, "parameters");
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        (void)cJSON_AddNumberToObject(params, tpu_param_infos[i].name, values[i]);
    }
    add_name(to, "engine", context->engine);
    jsonnum_add(to, "seed", context->seed);
    add_name(to, "wave", context->wave);
    add_name(to, "left_out", context->absent);
    add_name(to, "again", context->replay);
}

static void add_digests(cJSON *to, const verdict *result) {
    jsonnum_add_hex(to, "digest", result->digest);
    cJSON *streams = cJSON_AddObjectToObject(to, "stream_digests");
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        jsonnum_add_hex(streams, tpu_streams[s].name, result->stream_digest[s]);
    }
}

static void fill(cJSON *root, const verdict *result, const report_context *context) {
    char signature[256];
    verdict_signature parts = verdict_signature_of(result);
    verdict_signature_format(&parts, signature, sizeof signature);
    add_name(root, "name", context->name);
    add_name(root, "source", context->source);
    add_name(root, "verdict", verdict_kind_name(result->kind));
    add_name(root, "difference", verdict_diff_name(result->diff));
    add_name(root, "signature", signature);
    add_name(root, "sentence", result->sentence.text);
    jsonnum_add(root, "cycles", result->status.cycles);
    jsonnum_add(root, "steps", result->steps);
    (void)cJSON_AddNumberToObject(root, "fault", result->status.fault);
    if (result->kind == VERDICT_MISMATCH || result->kind == VERDICT_HANG) {
        add_where(root, result);
        add_why(root, result);
        add_issues(root, result);
        add_window(root, &result->window);
    }
    if (result->kind == VERDICT_HANG) {
        add_waits(root, result, context->params->qd);
    }
    add_counts(root, result);
    add_digests(root, result);
    add_machine(root, context);
}

tpu_status report_json(const verdict *result, const report_context *context, char **out,
                       tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    if (root == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "report: out of memory");
    }
    fill(root, result, context);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (text == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "report: out of memory");
    }
    *out = text;
    return TPU_OK;
}
