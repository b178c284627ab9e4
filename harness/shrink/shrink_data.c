// SPDX-License-Identifier: Apache-2.0
//
// Everything of a reproducer that is not its program: the runs before it, memory timing, initial
// state, operands. Operands go to zero in halves, like ddmin; bytes that must stay become 1, -1 or
// -128 where that will do.

#include "harness/replay/reproducer_internal.h"
#include "harness/shrink/shrink_internal.h"

#include <stdlib.h>
#include <string.h>

// Bytes that are tried alone; a program whose result hangs on more keeps them.
#define BYTES_MAX 64u

// ---- earlier runs ------------------------------------------------------------------------------

static void hide_runs(reproducer *repro, size_t first, size_t count, reproducer_run *hidden) {
    memcpy(hidden, repro->run + first, count * sizeof *hidden);
    memmove(repro->run + first, repro->run + first + count,
            (repro->run_count - first - count) * sizeof *hidden);
    repro->run_count -= count;
}

static void show_runs(reproducer *repro, size_t first, size_t count, const reproducer_run *hidden) {
    memmove(repro->run + first + count, repro->run + first,
            (repro->run_count - first) * sizeof *hidden);
    memcpy(repro->run + first, hidden, count * sizeof *hidden);
    repro->run_count += count;
}

// Tries without `count` runs; at most HIDE_MAX at a time, so that they fit on the stack.
#define HIDE_MAX 128u

static bool try_without(shrink *self, size_t first, size_t count) {
    reproducer_run hidden[HIDE_MAX];
    if (count == 0 || count > HIDE_MAX || shrink_is_over(self)) {
        return false;
    }
    hide_runs(self->best, first, count, hidden);
    bool same = shrink_try(self);
    if (!same) {
        show_runs(self->best, first, count, hidden);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        reproducer_run_clear(&hidden[i]);
    }
    return true;
}

static void drop_runs(shrink *self) {
    size_t before = self->best->run_count - 1;
    if (try_without(self, 0, before)) {
        return;
    }
    for (size_t size = (before + 1) / 2; size > 0; size = size == 1 ? 0 : (size + 1) / 2) {
        size_t first = 0;
        while (first + size < self->best->run_count && !shrink_is_over(self)) {
            if (!try_without(self, first, size)) {
                first += size;
            }
        }
    }
}

// ---- timing and initial state ------------------------------------------------------------------

static bool try_timing(shrink *self, engine_timing to) {
    engine_timing *at = &shrink_subject(self)->timing;
    const engine_timing old = *at;
    bool differs = old.read_latency != to.read_latency || old.write_latency != to.write_latency ||
                   old.stall_permille != to.stall_permille || old.stall_seed != to.stall_seed;
    if (!differs || shrink_is_over(self)) {
        return false;
    }
    *at = to;
    if (shrink_try(self)) {
        return true;
    }
    *at = old;
    return false;
}

void shrink_data_timing(shrink *self) {
    if (try_timing(self, (engine_timing){.read_latency = 1, .write_latency = 1})) {
        return;
    }
    engine_timing to = shrink_subject(self)->timing;
    to.stall_permille = 0;
    to.stall_seed = 0;
    (void)try_timing(self, to);
    to = shrink_subject(self)->timing;
    to.read_latency = 1;
    (void)try_timing(self, to);
    to = shrink_subject(self)->timing;
    to.write_latency = 1;
    (void)try_timing(self, to);
}

static void plain_init(shrink *self) {
    engine_config *config = &self->best->config;
    const engine_config old = *config;
    config->init = ENGINE_INIT_ZEROS;
    config->init_seed = 0;
    if (old.init == ENGINE_INIT_ZEROS || shrink_is_over(self) || !shrink_try(self)) {
        *config = old;
    }
}

void shrink_data_settings(shrink *self) {
    drop_runs(self);
    plain_init(self);
}

// ---- operands ----------------------------------------------------------------------------------

static bool is_zero(const uint8_t *data, size_t bytes) {
    while (bytes > 0 && data[bytes - 1] == 0) {
        bytes--;
    }
    return bytes == 0;
}

// Zeroes a span; its old contents are kept beside it meanwhile.
static bool try_zero(shrink *self, uint8_t *data, size_t bytes, uint8_t *kept) {
    if (shrink_is_over(self)) {
        return false;
    }
    memcpy(kept, data, bytes);
    memset(data, 0, bytes);
    if (shrink_try(self)) {
        return true;
    }
    memcpy(data, kept, bytes);
    return false;
}

// Halves, quarters, ... down to single bytes; spans that are zero cost nothing.
static void zero_in_parts(shrink *self, uint8_t *data, size_t bytes, uint8_t *kept) {
    for (size_t size = bytes; size > 0; size /= 2) {
        for (size_t at = 0; at < bytes && !shrink_is_over(self); at += size) {
            size_t part = bytes - at < size ? bytes - at : size;
            if (!is_zero(data + at, part)) {
                (void)try_zero(self, data + at, part, kept);
            }
        }
    }
}

static void plain_byte(shrink *self, uint8_t *byte) {
    static const int8_t plain[] = {1, -1, -128};
    const uint8_t old = *byte;
    for (size_t i = 0; i < sizeof plain && !shrink_is_over(self); i++) {
        if (old == (uint8_t)plain[i]) {
            return;
        }
        *byte = (uint8_t)plain[i];
        if (shrink_try(self)) {
            return;
        }
        *byte = old;
    }
}

static void plain_bytes(shrink *self, uint8_t *data, size_t bytes) {
    size_t tried = 0;
    for (size_t i = 0; i < bytes && tried < BYTES_MAX; i++) {
        if (data[i] != 0) {
            plain_byte(self, &data[i]);
            tried++;
        }
    }
}

void shrink_data_operands(shrink *self) {
    reproducer_run *run = shrink_subject(self);
    size_t region = params_region_bytes(&self->best->config.params);
    uint8_t *const data[] = {run->c, run->a, run->b};
    uint8_t *kept = malloc(region);
    if (kept == NULL) {
        self->status = TPU_ERR_MEMORY;
        return;
    }
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++) {
        zero_in_parts(self, data[i], region, kept);
    }
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++) {
        plain_bytes(self, data[i], region);
    }
    free(kept);
}
