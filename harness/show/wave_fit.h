// SPDX-License-Identifier: Apache-2.0
//
// Fits a GTKWave save file to a waveform: the ranges of the signals that it names become those of
// this machine's T, translation files are found, and a name that the waveform has not got is told
// (the viewer would leave it out without a word). Makes the same view for Surfer.

#ifndef WAVE_FIT_H
#define WAVE_FIT_H

#include "base/status.h"
#include "harness/show/wave_file.h"

/** Names of the translation files, as in spec/generated. */
#define WAVE_FIT_OPCODES "opcodes.gtkw.txt"
#define WAVE_FIT_RULES "rules.gtkw.txt"
#define WAVE_FIT_UNITS "units.gtkw.txt"

/** A view in the language of each viewer. */
typedef struct wave_fit {
    char *gtkw; /**< owned; a save file */
    char *sucl; /**< owned; a Surfer command file */
} wave_fit;

/**
 * A view without a cursor gets it at the first difference, if the waveform has one.
 * @param text   of a save file; signals may stand without their ranges.
 * @param names  directory of translation files, put before their names; NULL = none.
 * @param[out] out  given: wave_fit_clear; untouched on failure.
 * @return TPU_OK; TPU_REFUSED with the names that the waveform has not got; TPU_ERR_MEMORY.
 */
tpu_status wave_fit_make(const char *text, wave_file *file, const char *names, wave_fit *out,
                         tpu_message *why) TPU_NODISCARD;

void wave_fit_clear(wave_fit *self);

/** Writes the translation files into a directory. @return TPU_OK, TPU_ERR_IO, TPU_ERR_MEMORY. */
tpu_status wave_fit_write_names(const char *directory, tpu_message *why) TPU_NODISCARD;

#endif
