// SPDX-License-Identifier: Apache-2.0
//
// The waveform of a window of a run with both sides in it: every signal of the machine, and in the
// scope `tpucosim` the model's rows beside the machine's, the instruction in each unit in text, and
// the verdict as a marker. Viewer files that show it: wave_view.h.

#ifndef WAVE_H
#define WAVE_H

#include "base/status.h"
#include "harness/replay/recording.h"

#include <stdint.h>

/** Time units (ps) of a cycle; cycle c begins at c * WAVE_CYCLE. */
#define WAVE_CYCLE 10u

/**
 * Writes a window as FST, whole or not at all.
 * @param machine  FST of the same cycles as the engine wrote it; may be `path` itself; NULL = only
 *                 the scope `tpucosim`.
 * @return TPU_OK; TPU_REFUSED when `machine` is no waveform; TPU_ERR_IO, TPU_ERR_MEMORY.
 */
tpu_status wave_write_window(const recording *from, const char *machine, const char *path,
                             tpu_message *why) TPU_NODISCARD;

/** Name of a stream or unit in the scope `tpucosim`: dots become underscores. */
void wave_scope_name(const char *name, char *out, size_t size);

#endif
