// SPDX-License-Identifier: Apache-2.0
//
// Pairs of programs whose results are known to belong together without knowing either: the machine
// alone must show it. Finds what machine and model would both get wrong. Prints nothing.

#ifndef METAMORPH_H
#define METAMORPH_H

#include "base/status.h"
#include "harness/engine/engine.h"

#include <stdint.h>

/** One name and one text per relation. */
#define METAMORPH_LIST(X)                                                                          \
    X(ROWS, "rows of A in another order give rows of C in that order")                             \
    X(ZERO, "weights of zero give a product of zero")                                              \
    X(PAD, "twice the K, filled with zeros on one side, changes no product")                       \
    X(MOVE_SPAD, "another place in spad changes nothing")                                          \
    X(MOVE_VR, "another place in vr changes nothing")                                              \
    X(MOVE_AR, "another place in ar changes nothing")                                              \
    X(MOVE_A, "another place in A changes nothing")                                                \
    X(MOVE_B, "another place in B changes nothing")                                                \
    X(MOVE_C, "another place in C moves the result")                                               \
    X(FLAT, "loops written out change nothing")                                                    \
    X(NOPS, "nops put in change nothing")

typedef enum metamorph_kind {
#define METAMORPH_ENUM(name, text) METAMORPH_##name,
    METAMORPH_LIST(METAMORPH_ENUM)
#undef METAMORPH_ENUM
        METAMORPH_COUNT
} metamorph_kind;

/** Findings that are kept in words. */
#define METAMORPH_KEPT 8u

typedef struct metamorph_options {
    const engine_api *api; /**< borrowed */
    engine_config config;
    uint64_t hang_limit;
    uint64_t seed;
    uint64_t pairs; /**< of programs, of each relation */
} metamorph_options;

typedef struct metamorph_summary {
    uint64_t pairs[METAMORPH_COUNT]; /**< that were run */
    uint64_t findings[METAMORPH_COUNT];
    uint32_t kept;
    char sentence[METAMORPH_KEPT][256];
} metamorph_summary;

/** Text of a relation, static storage; NULL when out of range. */
const char *metamorph_text(metamorph_kind kind);

/**
 * Runs.
 * @param[in,out] out  zeroed.
 * @return TPU_OK, findings or not; what generator and engine say.
 */
tpu_status metamorph_run(const metamorph_options *options, metamorph_summary *out,
                         tpu_message *why) TPU_NODISCARD;

#endif
