// SPDX-License-Identifier: Apache-2.0
//
// The writers: each appends the whole text of one generated file. All of them take a specification
// that was validated, and give the same bytes for the same input.

#ifndef SPECGEN_WRITE_H
#define SPECGEN_WRITE_H

#include "spec/specgen_spec.h"
#include "spec/specgen_text.h"

/** Appends the notice that starts every generated file. @param mark  "//" or "#". */
void specgen_write_notice(const specgen_spec *spec, const char *mark, specgen_text *text);

/** tpu_isa.h. */
tpu_status specgen_header_write(const specgen_spec *spec, specgen_text *text,
                                tpu_message *why) TPU_NODISCARD;

/** tpu_isa.c. */
tpu_status specgen_tables_write(const specgen_spec *spec, specgen_text *text,
                                tpu_message *why) TPU_NODISCARD;

/** The part of tpu_isa.c about parameters: infos, constants, constraints, defaults. */
tpu_status specgen_params_write(const specgen_spec *spec, specgen_text *text,
                                tpu_message *why) TPU_NODISCARD;

/** tpu_isa_pkg.sv. */
tpu_status specgen_package_write(const specgen_spec *spec, specgen_text *text,
                                 tpu_message *why) TPU_NODISCARD;

/** isa.md: the whole specification as a page. */
tpu_status specgen_page_write(const specgen_spec *spec, specgen_text *text,
                              tpu_message *why) TPU_NODISCARD;

/** Viewer translations: opcode numbers. */
tpu_status specgen_view_opcodes(const specgen_spec *spec, specgen_text *text,
                                tpu_message *why) TPU_NODISCARD;

/** Viewer translations: unit numbers. */
tpu_status specgen_view_units(const specgen_spec *spec, specgen_text *text,
                              tpu_message *why) TPU_NODISCARD;

/** Viewer translations: rules and faults. */
tpu_status specgen_view_rules(const specgen_spec *spec, specgen_text *text,
                              tpu_message *why) TPU_NODISCARD;

/** Viewer translations: what a unit did. */
tpu_status specgen_view_states(const specgen_spec *spec, specgen_text *text,
                               tpu_message *why) TPU_NODISCARD;

/** Viewer translations: what a unit waits for. */
tpu_status specgen_view_waits(const specgen_spec *spec, specgen_text *text,
                              tpu_message *why) TPU_NODISCARD;

#endif
