// SPDX-License-Identifier: Apache-2.0
//
// The command itself, apart from main so that tests can call it.

#ifndef SPECGEN_RUN_H
#define SPECGEN_RUN_H

#include "spec/specgen_spec.h"

#include <stdio.h>

/**
 * Holds the C code of the ISA to the specification; refuses with a sentence about the first
 * difference. NULL where specgen is built without that code.
 */
typedef tpu_status (*specgen_run_behaviour)(const specgen_spec *spec, tpu_message *why);

/**
 * Runs one command line. Sentences about failures go to `err`, one line of success to `out`.
 * @return 0 done, 1 --check found a difference, 2 bad command line or refused specification,
 *         3 a file could not be written or memory ran out.
 */
int specgen_run(int argc, char *const argv[], specgen_run_behaviour behaviour, FILE *out,
                FILE *err);

#endif
