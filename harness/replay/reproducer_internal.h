// SPDX-License-Identifier: Apache-2.0
//
// What writing (reproducer.c) and reading (reproducer_read.c) must agree on. Nobody else includes
// this.

#ifndef REPRODUCER_INTERNAL_H
#define REPRODUCER_INTERNAL_H

#include "harness/replay/reproducer.h"

#include <cjson/cJSON.h>

#define REPRODUCER_FORMAT "tinytpu-cosim reproducer"

/** Names of engine_init in the file. */
extern const char *const reproducer_init_names[3];

/** Pointers to the parameters in the spec's order. */
void reproducer_params(tpu_params *params, uint32_t *out[TPU_PARAM_COUNT]);

/** Checksum of the tree, its member "checksum" left out; false when out of memory. */
bool reproducer_checksum(cJSON *root, uint64_t *out);

/** Releases what a run owns. */
void reproducer_run_clear(reproducer_run *run);

#endif
