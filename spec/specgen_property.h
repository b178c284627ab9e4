// SPDX-License-Identifier: Apache-2.0
//
// The derived properties, computed again from the tables: ceilings of MAXDIM, program limits, how
// long a loop may drive an operand. What each property expects is compared with that.

#ifndef SPECGEN_PROPERTY_H
#define SPECGEN_PROPERTY_H

#include "spec/specgen_spec.h"

/** Largest MAXDIM, a multiple of `t`, for which the predicate of the ceiling still holds. */
tpu_status specgen_property_ceiling(const specgen_spec *spec, const cJSON *ceiling, int64_t t,
                                    int64_t *value, tpu_message *why) TPU_NODISCARD;

/** By how much a GEMM shape {M, K, N} passes a program limit; 0 or less when it fits. */
tpu_status specgen_property_over(const specgen_spec *spec, const cJSON *limit, int64_t t,
                                 int64_t maxdim, const int64_t shape[3], int64_t *over,
                                 tpu_message *why) TPU_NODISCARD;

/** How many trips base, base + stride, ... stay inside the legal values of an operand. */
int64_t specgen_property_legal_trip(const cJSON *operand, int64_t base, int64_t stride);

/** Computes every property that needs only the specification and compares it with `expect`. */
tpu_status specgen_property_check(const specgen_spec *spec, tpu_message *why) TPU_NODISCARD;

#endif
