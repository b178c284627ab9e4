// SPDX-License-Identifier: Apache-2.0
//
// A waveform file (FST) to look into: which signals it names, and their values at a time. Opens
// what a finished writer left and also what a killed one left, up to its last flush.

#ifndef WAVE_FILE_H
#define WAVE_FILE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct wave_file wave_file;

/** A named signal. Several names may mean the same one (`handle`). */
typedef struct wave_signal {
    char *name;      /**< with its scopes, "TOP.tpu_engine.probe_done" */
    char *range;     /**< as declared, "[31:0]"; "" = none */
    uint32_t bits;   /**< 0 = text */
    uint32_t handle; /**< the file's number of it, from 1 */
} wave_signal;

/**
 * @param[out] out  given: wave_file_close.
 * @return TPU_OK; TPU_REFUSED when it is no waveform or nothing of it can be read; TPU_ERR_MEMORY.
 */
tpu_status wave_file_open(const char *path, wave_file **out, tpu_message *why) TPU_NODISCARD;

/** NULL-safe. */
void wave_file_close(wave_file *self);

/** By its name, borrowed; NULL = there is none. */
const wave_signal *wave_file_find(const wave_file *self, const char *name);

/** Time of the first and of the last value. */
uint64_t wave_file_first(const wave_file *self);
uint64_t wave_file_last(const wave_file *self);

/**
 * Value at a time, as text: '0', '1', 'x', 'z' for each bit, highest first, or the text itself.
 * @return borrowed until the next call; NULL when the file has no value there.
 */
const char *wave_file_value(wave_file *self, const wave_signal *signal, uint64_t time);

#endif
