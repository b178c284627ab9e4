// SPDX-License-Identifier: Apache-2.0
//
// The one random source: SplitMix64 (public domain, Steele, Lea and Flood 2014), same numbers on
// every machine for the same seed. Not for secrets.

#ifndef RNG_H
#define RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

/** Starts a sequence; equal seeds give equal sequences. */
void rng_seed(rng *source, uint64_t seed);

/** Next 64 bits. */
uint64_t rng_next(rng *source);

/** Uniform in 0 .. bound-1 by multiply-shift; bound 0 gives 0. */
uint32_t rng_below(rng *source, uint32_t bound);

/** Fills `bytes` bytes at `data` (borrowed). */
void rng_fill(rng *source, void *data, size_t bytes);

#endif
