// SPDX-License-Identifier: Apache-2.0
//
// The step from the JSON tree to the typed views of units, opcodes and actions.

#ifndef SPECGEN_RESOLVE_H
#define SPECGEN_RESOLVE_H

#include "spec/specgen_spec.h"

/** Fills the typed views. @pre the schema holds. @return TPU_REFUSED for an unknown unit or port.
 */
tpu_status specgen_resolve(specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

#endif
