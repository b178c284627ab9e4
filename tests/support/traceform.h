// SPDX-License-Identifier: Apache-2.0
//
// Readers of the two timeline formats, written from their descriptions and from nothing of ours:
// they stop the test at the first line or event that a viewer would not take.

#ifndef TRACEFORM_H
#define TRACEFORM_H

#include <stddef.h>
#include <stdint.h>

/** What a Konata log holds. */
typedef struct traceform_kanata {
    size_t instructions;
    size_t retired;
    size_t flushed;
    uint64_t first_cycle;
    uint64_t last_cycle;
} traceform_kanata;

/** Reads a log: the head, cycles that only rise, ids in order, stages that begin and end once. */
traceform_kanata traceform_read_kanata(const char *text);

/** What a Chrome trace holds. */
typedef struct traceform_chrome {
    size_t slices;
    size_t instants;
    size_t counters;
    size_t tracks; /**< with a name */
} traceform_chrome;

/** Reads a trace: every event whole, every slice on a named track, no two of a track overlap. */
traceform_chrome traceform_read_chrome(const char *text);

/** Cycles covered by the slices of track `track` in process `process` whose name is `name`. */
uint64_t traceform_chrome_cycles(const char *text, const char *process, const char *track,
                                 const char *name);

#endif
