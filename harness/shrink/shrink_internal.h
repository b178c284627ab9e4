// SPDX-License-Identifier: Apache-2.0
//
// What shrink.c (the passes and their order), shrink_program.c (instructions and loops),
// shrink_numbers.c (what stands in them) and shrink_data.c (runs, timing, operands) share. Nobody
// else includes this.

#ifndef SHRINK_INTERNAL_H
#define SHRINK_INTERNAL_H

#include "harness/shrink/shrink.h"

/** A reproducer on its way down. */
typedef struct shrink {
    const shrink_options *options;
    shrink_report *report;
    reproducer *best; // fails as wanted
    size_t subject;   // number of the run that is edited
    verdict_signature wanted;
    verdict_vote vote; // who stood alone; NONE = does not matter
    verdict seen;      // of the last candidate
    double begin;
    tpu_status status; // a failure of the harness ends everything
    tpu_message why;
} shrink;

/** The run that is being made small: the failing one, or one before it that must stay OK. */
reproducer_run *shrink_subject(shrink *self);

bool shrink_is_over(shrink *self);

/** Runs `best` as it stands, edited in place. True = it still fails as wanted. */
bool shrink_try(shrink *self);

/**
 * Tries a program in place of the subject's. It is taken (and `candidate` becomes the old one)
 * when it is legal and still fails as wanted; else nothing changes.
 */
bool shrink_try_program(shrink *self, isa_program *candidate);

/** A copy; false = out of memory, and the status says so. `to` is cleared first. */
bool shrink_copy_program(shrink *self, const isa_program *from, isa_program *to);

/** One pass over the program. @return true when anything became smaller. */
bool shrink_program_pass(shrink *self);

/** An edit of the copy at instruction `at`; false = there is nothing to edit there. */
typedef bool (*shrink_edit)(isa_program *program, size_t at, uint32_t variant);

/** Tries an edit at every instruction in every variant. `copy` is scratch. */
bool shrink_everywhere(shrink *self, isa_program *copy, shrink_edit how, uint32_t variants);

/** Row counts, terms, strides and fields, each by itself and rows of one memory together. */
bool shrink_numbers_pass(shrink *self, isa_program *copy);

/** Earlier runs and initial state: once. */
void shrink_data_settings(shrink *self);

/** No stalls, no latency in the subject's run. */
void shrink_data_timing(shrink *self);

/** The subject's operands: to 0, then what is left to small values. */
void shrink_data_operands(shrink *self);

#endif
