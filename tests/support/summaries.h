// SPDX-License-Identifier: Apache-2.0
//
// Small summaries as the commands print them with --json, written by hand for the tests of the
// summary page.

#ifndef SUMMARIES_H
#define SUMMARIES_H

#include "harness/show/page_summary.h"

/** cosim, bench, fuzz, campaign, mutants, timeline, illegal, equal, in this order. */
#define SUMMARIES_COUNT 8
extern const page_summary_part summaries[SUMMARIES_COUNT];

/** Two files of fuzz --growth: three lines and two. */
extern const page_summary_part summaries_growth[2];

#endif
