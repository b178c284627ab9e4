// SPDX-License-Identifier: Apache-2.0
//
// Does the specification make sense by itself? Each function looks at one part; all of them name
// the JSON path, what was found and what is allowed.

#ifndef SPECGEN_VALID_H
#define SPECGEN_VALID_H

#include "spec/specgen_spec.h"

/** Every part, in an order in which later parts may trust earlier ones. @pre resolved. */
tpu_status specgen_valid_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Bits of both words, address terms and header words: no overlap, no gap. */
tpu_status specgen_layout_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Actions: legal ports, states and names; channels received; values produced before use. */
tpu_status specgen_flow_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Units, memories and streams, and how they name each other. */
tpu_status specgen_parts_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Parameters, constants, constraints, numerics, limits. */
tpu_status specgen_value_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Refuses the first two objects of the list at `path` with the same text or number at `key`. */
tpu_status specgen_valid_unique(const specgen_spec *spec, const char *path, const char *key,
                                tpu_message *why) TPU_NODISCARD;

#endif
