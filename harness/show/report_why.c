// SPDX-License-Identifier: Apache-2.0
//
// Wording of inputs, states and waits.

#include "harness/show/report_why.h"

void report_why_inputs(textbuf *to, const verdict *seen) {
    bool all = true;
    for (size_t i = 0; i < seen->input_count; i++) {
        const verdict_input *in = &seen->input[i];
        const char *name = tpu_streams[in->stream].name;
        textbuf_add(to, "%s%s %llu of %llu", i == 0 ? "" : ", ", name,
                    (unsigned long long)(in->seen < in->needed ? in->seen : in->needed),
                    (unsigned long long)in->needed);
        all = all && in->seen >= in->needed;
    }
    textbuf_add(to, " rows that it needs");
    if (all) {
        textbuf_add(to, ", all of them right");
    } else if (seen->diff == VERDICT_DIFF_VALUE) {
        textbuf_add(to, ": a row came out before what it is made from came in");
    }
}

static const char *wait_name(uint8_t wait) {
    if (wait < TPU_STREAM_COUNT) {
        return tpu_streams[wait].name;
    }
    if (wait == PROBE_WAIT_MEMORY) {
        return "the memory port";
    }
    return wait == PROBE_WAIT_HAZARD ? "an older access" : "?";
}

void report_why_state(textbuf *to, const probe_unit *unit) {
    switch (unit->state) {
    case PROBE_BUSY:
        textbuf_add(to, "busy");
        break;
    case PROBE_STARVED:
        textbuf_add(to, "starved of %s", wait_name(unit->wait));
        break;
    case PROBE_BLOCKED:
        textbuf_add(to, "blocked by %s", wait_name(unit->wait));
        break;
    default:
        textbuf_add(to, "idle");
        break;
    }
}

static void say_held(textbuf *to, const verdict *seen, int stream, uint32_t depth) {
    unsigned long long held = (unsigned long long)seen->held[stream];
    textbuf_add(to, ": %llu row%s pushed and not answered, room for %u", held, held == 1 ? "" : "s",
                depth);
}

static void say_edge(textbuf *to, const verdict *seen, const waitgraph_edge *edge, uint32_t depth) {
    const char *from = tpu_unit_names[edge->from];
    if (edge->to == WAITGRAPH_MEMORY) {
        textbuf_add(to, "%s waits for the memory port", from);
    } else if (edge->stream < 0) {
        textbuf_add(to, "%s waits for an older access of its own", from);
    } else if (edge->starved) {
        textbuf_add(to, "%s waits for %s: no row in %s", from, tpu_unit_names[edge->to],
                    tpu_streams[edge->stream].name);
        say_held(to, seen, edge->stream, depth);
    } else {
        textbuf_add(to, "%s waits for %s: valid without ready on %s", from,
                    edge->to >= 0 ? tpu_unit_names[edge->to] : "?", tpu_streams[edge->stream].name);
        say_held(to, seen, edge->stream, depth);
    }
}

void report_why_waits(textbuf *to, const verdict *seen, uint32_t depth, const char *indent) {
    waitgraph graph;
    waitgraph_build(seen->units, &graph);
    for (size_t i = 0; i < graph.edge_count; i++) {
        const waitgraph_edge *edge = &graph.edge[i];
        bool on_circle = (graph.circle >> edge->from & 1u) != 0;
        textbuf_add(to, "%s", indent);
        say_edge(to, seen, edge, depth);
        textbuf_add(to, "%s\n", on_circle ? " (on the circle)" : "");
    }
    textbuf_add(to, "%s%s\n", indent,
                graph.circle != 0 ? "the waits form a circle" : "no circle among the waits");
}
