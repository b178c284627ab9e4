// SPDX-License-Identifier: Apache-2.0
//
// The shape of the specification file: which keys exist, what kind of value each holds, which may
// be left out. What the values mean is not looked at here.

#ifndef SPECGEN_SCHEMA_H
#define SPECGEN_SCHEMA_H

#include "spec/specgen_spec.h"

/**
 * Checks the whole tree. @return TPU_OK, or TPU_REFUSED with the JSON path: unknown, doubled or
 * missing key, wrong kind of value, number out of range, empty prose, expression that does not
 * parse.
 */
tpu_status specgen_schema_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

#endif
