// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whom in a machine that stands still: one edge at most out of each unit, read off
// the units' own states. Finds a circle; whom to blame for it is decided in blame_hang.c.

#ifndef WAITGRAPH_H
#define WAITGRAPH_H

#include "harness/engine/probe.h"

#include <stdbool.h>
#include <stddef.h>

/** `to` of an edge that leads to no unit: the memory port. */
#define WAITGRAPH_MEMORY (-1)

/** One unit's wait. */
typedef struct waitgraph_edge {
    int from;     /**< tpu_unit */
    int to;       /**< tpu_unit, WAITGRAPH_MEMORY, or `from` for an older access of its own */
    int stream;   /**< tpu_stream it is about, -1 = none */
    bool starved; /**< waits for a row; else for room, and holds valid without ready */
} waitgraph_edge;

typedef struct waitgraph {
    waitgraph_edge edge[TPU_UNIT_COUNT]; /**< by `from` */
    size_t edge_count;
    unsigned circle; /**< bit u: unit u is on a circle; 0 = there is none */
} waitgraph;

/** Reads the states. */
void waitgraph_build(const probe_unit units[TPU_UNIT_COUNT], waitgraph *out);

/** The wait of a unit; NULL when it waits for nothing. */
const waitgraph_edge *waitgraph_of(const waitgraph *self, int unit);

#endif
