// SPDX-License-Identifier: Apache-2.0
//
// Writes a waveform file (FST) that holds everything of another one and signals of our own beside
// it, on one time axis. Own signals are declared in scopes and set cycle by cycle while the other
// file's changes stream through, so that memory stays flat however long the file is.

#ifndef WAVE_WRITER_H
#define WAVE_WRITER_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct wave_writer wave_writer;

/** A signal of our own. */
typedef uint32_t wave_lane;

/** Names of a signal's values, in the file for the viewer. Zero-terminated list of texts. */
typedef struct wave_names {
    const char *title; /**< one word */
    uint32_t bits;     /**< of the signal */
    const char *const *text;
    const uint32_t *value; /**< of each text; NULL = its index */
    size_t count;
} wave_names;

/** What goes beside the other file. */
typedef struct wave_source {
    void *user;     /**< borrowed, given back to each function */
    uint64_t first; /**< cycles, both included */
    uint64_t last;
    uint64_t cycle_time; /**< time units of a cycle; cycle c begins at c * cycle_time */
    const char *comment; /**< NULL = none */
    /** Declares scopes and signals. */
    void (*declare)(void *user, wave_writer *to);
    /** Sets what changes at the begin of the cycle. */
    void (*cycle)(void *user, wave_writer *to, uint64_t cycle);
} wave_source;

/**
 * Writes `path`, whole or not at all.
 * @param machine  the other file, may be `path` itself; NULL = none.
 * @return TPU_OK; TPU_REFUSED when `machine` is no waveform; TPU_ERR_IO, TPU_ERR_MEMORY.
 */
tpu_status wave_writer_run(const char *machine, const wave_source *ours, const char *path,
                           tpu_message *why) TPU_NODISCARD;

/** For `declare`: scopes nest. */
void wave_writer_open_scope(wave_writer *self, const char *name);
void wave_writer_close_scope(wave_writer *self);

/** For `declare`: a vector. `names` may be NULL; borrowed until the call returns. */
wave_lane wave_writer_add_bits(wave_writer *self, const char *name, uint32_t bits,
                               const wave_names *names);

/** For `declare`: a text. */
wave_lane wave_writer_add_text(wave_writer *self, const char *name);

/** For `cycle`: the low bits of a number. */
void wave_writer_set(wave_writer *self, wave_lane lane, uint64_t value);

/** For `cycle`: a little-endian byte string of at least as many bits as the signal has. */
void wave_writer_set_bytes(wave_writer *self, wave_lane lane, const uint8_t *bytes);

/** For `cycle`: the same character for every bit, 'x' or 'z'. */
void wave_writer_fill(wave_writer *self, wave_lane lane, char bit);

/** For `cycle`: a text signal's text. */
void wave_writer_say(wave_writer *self, wave_lane lane, const char *text);

#endif
