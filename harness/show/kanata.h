// SPDX-License-Identifier: Apache-2.0
//
// A recording as a Konata log (format Kanata 0004): one line of the viewer an instruction, with the
// stages Is (issued), Ld (operands), Cp (compute) and Rt (retire).

#ifndef KANATA_H
#define KANATA_H

#include "base/status.h"
#include "harness/replay/recording.h"
#include "harness/show/life.h"

/**
 * Text of the log. An instruction that was under way when the window ended is flushed, not
 * retired; one from before the window without a row in it is left out.
 * @param[out] out  given, free().
 */
tpu_status kanata_text(const recording *from, const life_list *lives, char **out,
                       tpu_message *why) TPU_NODISCARD;

#endif
