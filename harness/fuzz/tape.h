// SPDX-License-Identifier: Apache-2.0
//
// A tape: a short sequence of programs as a list of records, which is what a guided fuzzer changes.
// Every list of records is a legal sequence by construction, whatever their bytes say. A corpus
// file is one tape behind a head that names version, spec and machine.

#ifndef TAPE_H
#define TAPE_H

#include "base/rng.h"
#include "base/status.h"
#include "csim/isa/params.h"
#include "harness/stress/stress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_VERSION 1u

/** Programs of one tape; what comes behind them is ignored. */
#define TAPE_PROGRAMS_MAX 8u
#define TAPE_RECORDS_MAX 400u

/** Bytes of a file: a head, then the records. */
#define TAPE_HEAD 64u
#define TAPE_RECORD 16u
#define TAPE_BYTES_MAX (TAPE_HEAD + TAPE_RECORD * TAPE_RECORDS_MAX)

/** A seed's bit that opens a program. */
#define TAPE_OPENS 0x80000000u

/**
 * A record is a part of a program (harness/stress/stress.h). The first one of a program says what
 * it is like, the second one holds seeds of operands (value 0, 1) and of memory timing (value 2,
 * 3), the others are one thing each.
 */
typedef struct tape {
    size_t count;
    stress_part record[TAPE_RECORDS_MAX];
} tape;

/** One program of a tape. */
typedef struct tape_program {
    stress_part like;          /**< without TAPE_OPENS */
    uint32_t operands;         /**< seed */
    uint32_t timing;           /**< seed */
    const stress_part *things; /**< borrowed from the tape */
    size_t count;
} tape_program;

/**
 * Takes the next program.
 * @param[in,out] at  record to begin at; 0 the first time.
 * @return false at the end.
 */
bool tape_next(const tape *self, size_t *at, tape_program *out);

/** Programs of a tape. */
size_t tape_programs(const tape *self);

/**
 * Reads a file's bytes.
 * @param params  of the machine that is to run it.
 * @return TPU_OK; TPU_REFUSED: not a tape, cut short, damaged, of another version, spec or machine.
 */
tpu_status tape_decode(const uint8_t *data, size_t size, const tpu_params *params, tape *out,
                       tpu_message *why) TPU_NODISCARD;

/** Writes a file's bytes; `data` holds TAPE_BYTES_MAX. @return the size. */
size_t tape_encode(const tape *self, const tpu_params *params, uint8_t *data);

/** Digest of the records. */
uint64_t tape_digest(const tape *self);

/** Draws a new tape of one or a few programs. */
void tape_draw(tape *out, rng *source);

/** Changes a tape a little: never to nothing. */
void tape_mutate(tape *self, rng *source);

/** A tape of pieces of two others. */
void tape_cross(const tape *left, const tape *right, rng *source, tape *out);

#endif
