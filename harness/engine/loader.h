// SPDX-License-Identifier: Apache-2.0
//
// Finds the shared object of an engine for a parameter point and opens it. A missing one is
// refused with the command that builds it.

#ifndef LOADER_H
#define LOADER_H

#include "base/status.h"
#include "csim/isa/params.h"
#include "harness/engine/engine.h"

#include <stddef.h>

typedef struct loader loader;

/**
 * Opens `libtpu_engine_<kind>_T<t>_..._DW<words>.so` from $TPU_ENGINE_DIR, else from the
 * directory "engines" beside the executable.
 * @param kind  "verilator", "systemc", "netlist" or "mutants".
 * @param[out] out  given to the caller; ended by loader_close after the last engine of it.
 * @return TPU_OK; TPU_REFUSED when the file is missing, no engine, or of another ABI.
 */
tpu_status loader_open(const char *kind, const tpu_params *params, loader **out,
                       tpu_message *why) TPU_NODISCARD;

/** The same from a directory that the caller names. */
tpu_status loader_open_in(const char *directory, const char *kind, const tpu_params *params,
                          loader **out, tpu_message *why) TPU_NODISCARD;

/** NULL-safe. */
void loader_close(loader *self);

/** The engine's functions, valid until loader_close. */
const engine_api *loader_api(const loader *self);

/** Directory of the running program: the build tree. "." where the system does not say. */
void loader_program_directory(char *text, size_t size);

/** File name of a point's engine, without directory. */
void loader_file_name(const char *kind, const tpu_params *params, char *text, size_t size);

/** "make engine TPU_T=8 ...": what builds it; only parameters that are not at their default. */
void loader_build_command(const char *kind, const tpu_params *params, char *text, size_t size);

#endif
