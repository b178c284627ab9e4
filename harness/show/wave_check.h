// SPDX-License-Identifier: Apache-2.0
//
// What must hold before a run whose waveform is wanted: the place can be written and has room, and
// the engine's dump has every probe and memory row in it. Asked first, since a long run is a bad
// moment to find out.

#ifndef WAVE_CHECK_H
#define WAVE_CHECK_H

#include "base/status.h"
#include "csim/isa/params.h"
#include "harness/engine/engine.h"
#include "harness/show/wave_file.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * The file can be made there and `bytes` more fit the disk. An existing file is left as it is.
 * @return TPU_OK or TPU_REFUSED.
 */
tpu_status wave_check_place(const char *path, uint64_t bytes, tpu_message *why) TPU_NODISCARD;

/**
 * Every probe of the machine is in the file, and every row of spad, vr and ar.
 * @param memories  false = the engine has no such names (a netlist).
 * @return TPU_OK, or TPU_REFUSED with how many are missing and which are the first.
 */
tpu_status wave_check_names(const wave_file *file, const tpu_params *params, bool memories,
                            tpu_message *why) TPU_NODISCARD;

/**
 * Dumps the first cycle of a fresh engine beside `path` and asks all of the above.
 * @param cycles  of the window to come.
 * @return TPU_OK; TPU_REFUSED; what the engine fails with.
 */
tpu_status wave_check_engine(const engine_api *api, const engine_config *config, const char *path,
                             uint64_t cycles, bool memories, tpu_message *why) TPU_NODISCARD;

#endif
