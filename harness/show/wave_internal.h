// SPDX-License-Identifier: Apache-2.0
//
// What wave.c (the whole), wave_rows.c (the streams) and wave_units.c (the units) share. Nobody
// else includes this.

#ifndef WAVE_INTERNAL_H
#define WAVE_INTERNAL_H

#include "csim/isa/disasm.h"
#include "harness/replay/recording.h"
#include "harness/show/wave_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAVE_NAME_MAX = 64, WAVE_TEXT_MAX = DISASM_LINE_MAX + 96 };

// A field or lane of a stream's row.
typedef struct wave_part {
    size_t at; // bytes from the start of the row
    size_t bytes;
    wave_lane got;
    wave_lane expected;
} wave_part;

typedef struct wave_rows {
    wave_lane valid;
    wave_lane index;
    wave_lane got;
    wave_lane expected;
    wave_lane differs;
    wave_lane lanes_differ; // bit per lane; only with lanes
    wave_lane insn;
    wave_part *part; // fields, then lanes
    size_t part_count;
    size_t bytes;
    bool shown; // a row stands in the current cycle
} wave_rows;

// From `cycle` on, a unit works on an issue.
typedef struct wave_work {
    uint64_t cycle;
    uint32_t seq; // RECORDING_NO_ISSUE = on none
} wave_work;

typedef struct wave_unit {
    wave_lane state;
    wave_lane wait;
    wave_lane waits_for;
    wave_lane insn;
    wave_lane issue;
    wave_lane pc;
    wave_lane iv[TPU_LOOP_DEPTH];
    size_t span;     // that comes next
    wave_work *work; // by cycle
    size_t work_count;
    size_t work_next;
} wave_unit;

typedef struct wave_both {
    const recording *from;
    wave_rows stream[TPU_STREAM_COUNT];
    wave_unit unit[TPU_UNIT_COUNT];
    wave_lane cycle;
    wave_lane diverged;
    wave_lane verdict;
    size_t event; // that comes next
} wave_both;

/** Text of an issue: "pc 4 iv 0 1: mm rows=4 ..."; a blank when it is not known. */
void wave_issue_text(const recording *from, uint32_t seq, char *text, size_t size);

/** Prepares a stream; false = out of memory. wave_rows_clear ends it. */
bool wave_rows_make(wave_both *self, tpu_stream stream);
void wave_rows_clear(wave_both *self, tpu_stream stream);
void wave_rows_declare(wave_both *self, wave_writer *to, tpu_stream stream);

/** No row in any stream yet. */
void wave_rows_start(wave_both *self, wave_writer *to);

/** The rows of a cycle. */
void wave_rows_cycle(wave_both *self, wave_writer *to, uint64_t cycle);

/** One row; NULL = that side has none. */
void wave_rows_show(wave_both *self, wave_writer *to, tpu_stream stream, uint64_t index,
                    const uint8_t *got, const uint8_t *expected);

/** Finds out what a unit works on when; false = out of memory. wave_units_clear ends it. */
bool wave_units_make(wave_both *self, tpu_unit unit);
void wave_units_clear(wave_both *self, tpu_unit unit);
void wave_units_declare(wave_both *self, wave_writer *to);
void wave_units_start(wave_both *self, wave_writer *to);
void wave_units_cycle(wave_both *self, wave_writer *to, uint64_t cycle);

#endif
