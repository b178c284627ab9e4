// SPDX-License-Identifier: Apache-2.0
//
// The set of generated files: built in memory first, then written all or none, or compared byte by
// byte with what is there.

#ifndef SPECGEN_OUTPUT_H
#define SPECGEN_OUTPUT_H

#include "spec/specgen_spec.h"
#include "spec/specgen_text.h"

#define SPECGEN_OUTPUTS 9

/** Zero-initialise before use; owns its texts. */
typedef struct specgen_output {
    specgen_text text[SPECGEN_OUTPUTS];
} specgen_output;

/** File name of one output, without a directory. @param index  below SPECGEN_OUTPUTS. */
const char *specgen_output_name(size_t index);

/** Runs every writer; also refuses a name that the SystemVerilog package would define twice. */
tpu_status specgen_output_build(const specgen_spec *spec, specgen_output *out,
                                tpu_message *why) TPU_NODISCARD;

/** Writes every file beside its place, then moves all of them; on failure nothing is replaced. */
tpu_status specgen_output_write(const specgen_output *output, const char *directory,
                                tpu_message *why) TPU_NODISCARD;

/** TPU_REFUSED with file and line of the first byte that differs. */
tpu_status specgen_output_compare(const specgen_output *output, const char *directory,
                                  tpu_message *why) TPU_NODISCARD;

/** The text of tpu_isa_pkg.sv. */
const char *specgen_output_package(const specgen_output *output);

/** Releases the texts. */
void specgen_output_clear(specgen_output *output);

#endif
