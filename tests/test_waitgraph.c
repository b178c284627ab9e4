// SPDX-License-Identifier: Apache-2.0
//
// Waits of seven units written down by hand, with the edges and the circle that a person draws.

#include "harness/lockstep/waitgraph.h"

#include <criterion/criterion.h>

TestSuite(waitgraph, .timeout = 10);

Test(waitgraph, draws_an_edge_for_each_wait) {
    const probe_unit units[TPU_UNIT_COUNT] = {
        [TPU_UNIT_SEQUENCER] = {.state = PROBE_BLOCKED, .wait = TPU_STREAM_C_ACC},
        [TPU_UNIT_DMA_LD] = {.state = PROBE_STARVED, .wait = PROBE_WAIT_MEMORY},
        [TPU_UNIT_SPM] = {.state = PROBE_IDLE},
        [TPU_UNIT_VRU] = {.state = PROBE_BUSY},
        [TPU_UNIT_ARRAY] = {.state = PROBE_STARVED, .wait = TPU_STREAM_ACOL},
        [TPU_UNIT_ACCU] = {.state = PROBE_BLOCKED, .wait = PROBE_WAIT_HAZARD},
        [TPU_UNIT_DMA_ST] = {.state = PROBE_STARVED, .wait = TPU_STREAM_AC2SP}};
    static const struct {
        int from;
        int to;
        int stream;
        bool starved;
    } edges[] = {{TPU_UNIT_SEQUENCER, TPU_UNIT_ACCU, TPU_STREAM_C_ACC, false},
                 {TPU_UNIT_DMA_LD, WAITGRAPH_MEMORY, -1, true},
                 {TPU_UNIT_ARRAY, TPU_UNIT_VRU, TPU_STREAM_ACOL, true},
                 {TPU_UNIT_ACCU, TPU_UNIT_ACCU, -1, false},
                 {TPU_UNIT_DMA_ST, TPU_UNIT_ACCU, TPU_STREAM_AC2SP, true}};
    waitgraph graph;
    waitgraph_build(units, &graph);
    cr_assert_eq(graph.edge_count, sizeof edges / sizeof edges[0]);
    for (size_t i = 0; i < graph.edge_count; i++) {
        cr_expect_eq(graph.edge[i].from, edges[i].from, "edge %zu", i);
        cr_expect_eq(graph.edge[i].to, edges[i].to, "edge %zu", i);
        cr_expect_eq(graph.edge[i].stream, edges[i].stream, "edge %zu", i);
        cr_expect_eq(graph.edge[i].starved, edges[i].starved, "edge %zu", i);
    }
    cr_expect_eq(graph.circle, 0u);
    cr_expect(waitgraph_of(&graph, TPU_UNIT_SPM) == NULL);
    cr_expect(waitgraph_of(&graph, TPU_UNIT_VRU) == NULL);
}

Test(waitgraph, finds_the_units_on_a_circle_and_not_those_that_only_lead_to_it) {
    // spm has no room in wcol, array no row in acol, vru no row in sp2vr: a circle of three.
    const probe_unit units[TPU_UNIT_COUNT] = {
        [TPU_UNIT_DMA_LD] = {.state = PROBE_BLOCKED, .wait = TPU_STREAM_DMA2SP},
        [TPU_UNIT_SPM] = {.state = PROBE_BLOCKED, .wait = TPU_STREAM_WCOL},
        [TPU_UNIT_VRU] = {.state = PROBE_STARVED, .wait = TPU_STREAM_SP2VR},
        [TPU_UNIT_ARRAY] = {.state = PROBE_STARVED, .wait = TPU_STREAM_ACOL},
        [TPU_UNIT_ACCU] = {.state = PROBE_STARVED, .wait = TPU_STREAM_CW}};
    waitgraph graph;
    waitgraph_build(units, &graph);
    cr_expect_eq(graph.circle, 1u << TPU_UNIT_SPM | 1u << TPU_UNIT_ARRAY | 1u << TPU_UNIT_VRU);
}

Test(waitgraph, takes_a_wait_for_an_own_access_for_no_circle) {
    const probe_unit units[TPU_UNIT_COUNT] = {
        [TPU_UNIT_ACCU] = {.state = PROBE_BLOCKED, .wait = PROBE_WAIT_HAZARD}};
    waitgraph graph;
    waitgraph_build(units, &graph);
    cr_expect_eq(graph.edge_count, 1u);
    cr_expect_eq(graph.circle, 0u);
}
