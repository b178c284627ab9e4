// SPDX-License-Identifier: Apache-2.0
//
// The functional model: executes resolved issues one after another, as the spec's actions say, and
// emits every row of every stream. It knows no cycle, no RTL and no harness.

#ifndef ARCH_H
#define ARCH_H

#include "base/status.h"
#include "csim/isa/params.h"
#include "spec/generated/tpu_isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arch arch;

/**
 * Takes one expected row. Rows of one stream come in the order in which the machine must show
 * them; rows of different streams come in program order.
 * @param row  borrowed until return; `bytes` long, laid out as tpu_streams[stream] says.
 */
typedef void (*arch_sink)(void *user, tpu_stream stream, const uint8_t *row, size_t bytes);

/** Builds a machine whose memories are all zero. @return NULL when out of memory. */
arch *arch_create(const tpu_params *params);

/** Ends it; NULL-safe. */
void arch_destroy(arch *self);

/**
 * Sets the contents of an on-chip memory (spad, vr: T bytes a row; ar: 4*T bytes a row) or of A,
 * B, C (MAXDIM*MAXDIM bytes). Shorter data sets the start. Written flags are not touched.
 */
void arch_set_memory(arch *self, tpu_mem memory, const void *data, size_t bytes);

/** Borrowed view of a memory's bytes as they stand, until the next arch call. */
const uint8_t *arch_memory(const arch *self, tpu_mem memory, size_t *bytes);

/**
 * Starts a program: decodes the image (header, then two words an instruction), clears the written
 * flags and emits the rows that the header itself causes (counts on c_* and wcol).
 * @param words  borrowed until return.
 * @return TPU_OK, or TPU_REFUSED when a word cannot be decoded.
 */
tpu_status arch_start(arch *self, const uint64_t *words, size_t count, arch_sink sink, void *user,
                      tpu_message *why) TPU_NODISCARD;

/**
 * Executes the next issue and emits its rows. On the end of the program `*done` is true and
 * nothing is emitted. @pre the program passed `check`; a broken rule is TPU_ERR_INTERNAL.
 */
tpu_status arch_step(arch *self, arch_sink sink, void *user, bool *done,
                     tpu_message *why) TPU_NODISCARD;

/** Instructions fetched since arch_start, loops and ends of loops included. */
uint64_t arch_fetches(const arch *self);

#endif
