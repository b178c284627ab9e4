// SPDX-License-Identifier: Apache-2.0
//
// Parts of a report that the one-screen text and `explain` share: what the blamed unit was fed,
// what a unit does, and who waits for whom.

#ifndef REPORT_WHY_H
#define REPORT_WHY_H

#include "harness/io/textbuf.h"
#include "harness/lockstep/waitgraph.h"
#include "harness/show/report.h"

/** "wcol 11 of 11, acol 4 of 4": rows of each input there of those the wrong row is made from. */
void report_why_inputs(textbuf *to, const verdict *seen);

/** "starved of cw", "blocked by an older access", "busy", "idle". */
void report_why_state(textbuf *to, const probe_unit *unit);

/**
 * Who waits for whom, a line each, with what lies in the channel between them.
 * @param depth  of every channel. @param indent  what each line begins with.
 */
void report_why_waits(textbuf *to, const verdict *seen, uint32_t depth, const char *indent);

#endif
