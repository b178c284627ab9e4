// SPDX-License-Identifier: Apache-2.0
//
// Functional coverage, counted from what lockstep compares anyway: units that wait for one another,
// instructions that meet, distances, edges, loops, values. Some thousand bins; each has a name, so
// that a person sees what never came about. It watches and judges nothing.

#ifndef COVERAGE_H
#define COVERAGE_H

#include "csim/isa/isa.h"
#include "csim/isa/params.h"
#include "harness/engine/probe.h"
#include "harness/lockstep/lockstep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Room for a bin's name. */
#define COVERAGE_NAME_MAX 160u

/** Bins; the same at every parameter point. */
#define COVERAGE_BINS_MAX 20480u

typedef struct coverage coverage;

/** @return given to the caller; NULL when out of memory. */
coverage *coverage_create(const tpu_params *params);

/** NULL-safe. */
void coverage_destroy(coverage *self);

/** Starts a run of `program` (borrowed until coverage_end). */
void coverage_begin(coverage *self, const isa_program *program);

/** Looks at one cycle of the run. */
void coverage_cycle(coverage *self, const probe *seen);

/** Ends the run: each bin that it hit counts one program more. */
void coverage_end(coverage *self);

/** Hooks whose `cycle` feeds `self`; borrowed, static for its life. */
const lockstep_hooks *coverage_hooks(coverage *self);

/** The bins that the last run hit, each once, in no order; borrowed until coverage_begin. */
const uint16_t *coverage_touched(const coverage *self, size_t *count);

/** Programs that hit each bin, coverage_bins() numbers; borrowed. */
const uint64_t *coverage_hits(const coverage *self);

/** Number of bins. */
uint32_t coverage_bins(void);

/** False for a place in the numbering that no program can reach by the instruction set. */
bool coverage_possible(uint32_t bin);

/** Number of the possible ones. */
uint32_t coverage_possible_count(void);

/** Writes "group: what"; empty when out of range. */
void coverage_name(uint32_t bin, char *text, size_t size);

/** Bins with a hit among `hits` (coverage_bins() numbers). */
uint32_t coverage_count(const uint64_t *hits);

#endif
