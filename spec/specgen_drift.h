// SPDX-License-Identifier: Apache-2.0
//
// Drift between the specification and the C code of the ISA: the code is asked what it does with
// words, parameter points and programs, and the answers are compared with what the specification's
// tables give by computation. Only the specgen_drift files of this room see csim.

#ifndef SPECGEN_DRIFT_H
#define SPECGEN_DRIFT_H

#include "csim/isa/isa.h"
#include "csim/isa/params.h"
#include "spec/specgen_names.h"
#include "spec/specgen_spec.h"

/** Every check below, in turn. @return TPU_REFUSED with the first difference and its JSON path. */
tpu_status specgen_drift_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Random and edge words of every opcode through encoder and decoder. */
tpu_status specgen_drift_codec(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Defaults under several environments; ranges and constraints on random points. */
tpu_status specgen_drift_points(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Derived properties tried on expander, check, assembler and programs. */
tpu_status specgen_drift_programs(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/** Header counts, dispatch, rewrites and stream rows of whole programs. */
tpu_status specgen_drift_work(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

/**
 * Executes the actions themselves, one program after the other, on memories of its own, and
 * compares every memory with the reference model's after every issue.
 */
tpu_status specgen_drift_meaning(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

#define SPECGEN_DRIFT_PROGRAMS 5

/** Small programs in which every data opcode occurs. @param[out] name  static storage. */
tpu_status specgen_drift_program(const tpu_params *params, size_t index, isa_program *program,
                                 const char **name, tpu_message *why) TPU_NODISCARD;

/** The names of `spec` with the values of a parameter point. */
specgen_names specgen_drift_names(const specgen_spec *spec, const tpu_params *params);

#endif
