// SPDX-License-Identifier: Apache-2.0
//
// What a name in an expression stands for: a local (nr, T, an operand), a parameter, a derived
// constant, or a number that some other part of the specification fixes (NHDR, IWORDS, ...).

#ifndef SPECGEN_NAMES_H
#define SPECGEN_NAMES_H

#include "spec/specgen_spec.h"

#define SPECGEN_PARAMS 16
#define SPECGEN_LOCALS 8

/** Zero-initialise, then set `spec` and what is known. */
typedef struct specgen_names {
    const specgen_spec *spec;
    int64_t param[SPECGEN_PARAMS];
    size_t param_count; /**< how many parameters, in order, have a value */
    const char *local[SPECGEN_LOCALS];
    int64_t local_value[SPECGEN_LOCALS];
    size_t local_count;
    int depth; /**< derived constants being looked up; bounds a cycle */
} specgen_names;

/** Adds a local name, borrowed; it hides a parameter of the same name. */
void specgen_names_set(specgen_names *names, const char *name, int64_t value);

/** The value of one name; false when it has none. */
bool specgen_names_value(specgen_names *names, const char *name, int64_t *value);

/** Parses and evaluates `text`. */
tpu_status specgen_names_eval(specgen_names *names, const char *text, int64_t *value,
                              tpu_message *why) TPU_NODISCARD;

/**
 * Gives every parameter its default, starting from those already known.
 * @param widen  use the widened default where a parameter has one.
 */
tpu_status specgen_names_default(specgen_names *names, bool widen, tpu_message *why) TPU_NODISCARD;

/** Largest value of a field of `width` bits under the encoding rule, -1 when it has none. */
int64_t specgen_names_usable(const specgen_spec *spec, int64_t width);

/** A number fixed by another part: NHDR, IWORDS, LOOP_DEPTH, F0_WIDTH, ...; false if unknown. */
bool specgen_names_fixed(const specgen_spec *spec, const char *name, int64_t *value);

/** True when a derived constant needs no parameter; then `*value` is it. */
bool specgen_names_constant(const specgen_spec *spec, const char *name, int64_t *value);

#endif
