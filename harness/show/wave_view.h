// SPDX-License-Identifier: Apache-2.0
//
// What a viewer shows of a failure: the verdict, the guilty unit and the stream that differs, what
// goes into the unit and out of it, its neighbours, and its signals in the RTL; the cursor at the
// difference. As a GTKWave save file and as a Surfer command file.

#ifndef WAVE_VIEW_H
#define WAVE_VIEW_H

#include "base/status.h"
#include "harness/replay/recording.h"

/** Ends of the files' names in place of the waveform's ".fst". */
#define WAVE_VIEW_GTKWAVE ".gtkw"
#define WAVE_VIEW_SURFER ".sucl"

/**
 * Writes both files and the translation file beside the waveform, which must be there already.
 * @param wave  "<somewhere>/window.fst", as wave_write_window wrote it.
 * @return TPU_OK; TPU_REFUSED when a signal of the view is not in the waveform; TPU_ERR_IO,
 *         TPU_ERR_MEMORY.
 */
tpu_status wave_view_write(const recording *from, const char *wave, tpu_message *why) TPU_NODISCARD;

/**
 * The same with another end: "a/window.fst" and ".gtkw" give "a/window.gtkw".
 * @return given: free(); NULL = out of memory.
 */
char *wave_view_path(const char *wave, const char *end);

#endif
