// SPDX-License-Identifier: Apache-2.0
//
// The chapters of the ISA page, each appended by its own function.

#ifndef SPECGEN_PAGE_H
#define SPECGEN_PAGE_H

#include "spec/specgen_spec.h"
#include "spec/specgen_text.h"

/** Layout picture, fields, address terms, loops. */
void specgen_page_words(const specgen_spec *spec, specgen_text *text);

/** Opcodes and actions. */
void specgen_page_opcodes(const specgen_spec *spec, specgen_text *text);

/** Units, per-unit cost, dispatch and rewrites, header. */
tpu_status specgen_machine_units(const specgen_spec *spec, specgen_text *text,
                                 tpu_message *why) TPU_NODISCARD;

/** Memories, streams, rules, faults, probe values, registers. */
void specgen_machine_memories(const specgen_spec *spec, specgen_text *text);

/** Contracts, parameters, constants, constraints, ceilings, limits, numerics. */
tpu_status specgen_build_page(const specgen_spec *spec, specgen_text *text,
                              tpu_message *why) TPU_NODISCARD;

/** Derived properties with their witnesses. */
void specgen_build_properties(const specgen_spec *spec, specgen_text *text);

#endif
