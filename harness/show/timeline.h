// SPDX-License-Identifier: Apache-2.0
//
// A recording as files for two viewers: timeline.json for Perfetto and Chrome (one group of tracks
// a unit: what it did, and which instruction each of its streams served; beside it the earliest
// that the program allows), timeline.kanata for Konata. A cycle is a microsecond there.

#ifndef TIMELINE_H
#define TIMELINE_H

#include "base/status.h"
#include "harness/replay/recording.h"
#include "harness/show/cycles.h"
#include "harness/show/life.h"

/** Largest window, in cycles, that is turned into files: viewers give up on more. */
#define TIMELINE_CYCLES_MAX 1000000u

/**
 * Writes both files into a directory that exists; of a whole run also timeline_ideal.kanata, the
 * same instructions as early as the program allows.
 * @return TPU_OK; TPU_REFUSED when the window is longer than TIMELINE_CYCLES_MAX; TPU_ERR_IO,
 *         TPU_ERR_MEMORY.
 */
tpu_status timeline_write(const recording *from, const char *directory,
                          tpu_message *why) TPU_NODISCARD;

/**
 * Text of timeline.json.
 * @param ideal    NULL = the recording is not a whole run.
 * @param[out] out given, free().
 */
tpu_status timeline_text(const recording *from, const cycles *account, const life_list *lives,
                         const life_list *ideal, char **out, tpu_message *why) TPU_NODISCARD;

#endif
