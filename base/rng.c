// SPDX-License-Identifier: Apache-2.0
//
// SplitMix64.

#include "base/rng.h"

#include <string.h>

void rng_seed(rng *source, uint64_t seed) {
    source->state = seed;
}

uint64_t rng_next(rng *source) {
    source->state += 0x9E3779B97F4A7C15u;
    uint64_t z = source->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint32_t rng_below(rng *source, uint32_t bound) {
    return (uint32_t)(((rng_next(source) >> 32) * bound) >> 32);
}

void rng_fill(rng *source, void *data, size_t bytes) {
    unsigned char *at = data;
    while (bytes > 0) {
        uint64_t word = rng_next(source);
        size_t step = bytes < sizeof word ? bytes : sizeof word;
        memcpy(at, &word, step);
        at += step;
        bytes -= step;
    }
}
