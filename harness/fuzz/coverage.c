// SPDX-License-Identifier: Apache-2.0
//
// Bookkeeping: which bins a run hit, in how many programs, and what they are called.

#include "harness/fuzz/coverage.h"

#include "harness/fuzz/coverage_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(COVERAGE_BIN_COUNT <= COVERAGE_BINS_MAX, "COVERAGE_BINS_MAX is too small");

static const struct {
    const char *name;
    uint32_t first;
    uint32_t size;
} groups[COVERAGE_GROUP_COUNT] = {
#define COVERAGE_ROW(name, text, size) {text, COVERAGE_BASE_##name, size},
    COVERAGE_GROUPS(COVERAGE_ROW)
#undef COVERAGE_ROW
};

static const uint8_t ops[COVERAGE_OPS] = {TPU_OP_NOP,  TPU_OP_DMA_LD,   TPU_OP_VLD,   TPU_OP_MM,
                                          TPU_OP_VADD, TPU_OP_VADDRELU, TPU_OP_VRELU, TPU_OP_MVOUT};

uint32_t coverage_op(uint32_t opcode) {
    static const uint8_t dense[TPU_OP_COUNT] = {
        0, 1, COVERAGE_OPS, 2, 3, 4, 6, 7, COVERAGE_OPS, COVERAGE_OPS, 5};
    return opcode < TPU_OP_COUNT ? dense[opcode] : COVERAGE_OPS;
}

const char *coverage_op_name(uint32_t dense) {
    return dense < COVERAGE_OPS ? tpu_ops[ops[dense]].name : "?";
}

static void see_cycle(void *user, const probe *seen) {
    coverage_cycle(user, seen);
}

coverage *coverage_create(const tpu_params *params) {
    coverage *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->params = *params;
    self->hooks = (lockstep_hooks){.user = self, .cycle = see_cycle};
    self->written = calloc(params->nar, sizeof *self->written);
    self->writer = calloc(params->nar, 1);
    self->place_room = params->imem_size;
    self->place = calloc(self->place_room, sizeof *self->place);
    if (self->written == NULL || self->writer == NULL || self->place == NULL) {
        coverage_destroy(self);
        return NULL;
    }
    coverage_units_set_up(self);
    return self;
}

void coverage_destroy(coverage *self) {
    if (self == NULL) {
        return;
    }
    free(self->written);
    free(self->writer);
    free(self->place);
    free(self);
}

void coverage_begin(coverage *self, const isa_program *program) {
    for (size_t i = 0; i < self->touched_count; i++) {
        self->seen[self->touched[i]] = 0;
    }
    self->touched_count = 0;
    self->program = program;
    memset(self->both, 0, sizeof self->both);
    coverage_units_begin(self);
    coverage_issues_begin(self);
    coverage_values_begin(self);
}

static void take_event(coverage *self, tpu_stream stream, const uint8_t *row) {
    switch (stream) {
    case TPU_STREAM_ISSUE:
        coverage_issues_row(self, row);
        break;
    case TPU_STREAM_C_DLD:
    case TPU_STREAM_C_SPM:
    case TPU_STREAM_C_VRU:
    case TPU_STREAM_C_ACC:
    case TPU_STREAM_C_DST:
        coverage_words_give(self, stream, row);
        break;
    case TPU_STREAM_CW: // makes no bin by itself
        break;
    default:
        coverage_values_row(self, stream, row, coverage_words_take(self, stream));
    }
}

void coverage_cycle(coverage *self, const probe *seen) {
    coverage_units_states(self, seen);
    for (uint32_t left = seen->fired; left != 0; left &= left - 1) {
        uint32_t stream = (uint32_t)__builtin_ctz(left);
        self->both[stream] |= left;
        take_event(self, (tpu_stream)stream, seen->row[stream]);
    }
}

// Streams that wrote in one cycle, the lower one first.
static void mark_both(coverage *self) {
    for (uint32_t stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        for (uint32_t left = self->both[stream] & ~1u << stream; left != 0; left &= left - 1) {
            coverage_mark(self, COVERAGE_BASE_BOTH + stream * TPU_STREAM_COUNT +
                                    (uint32_t)__builtin_ctz(left));
        }
    }
}

void coverage_end(coverage *self) {
    mark_both(self);
    coverage_units_end(self);
    for (size_t i = 0; i < self->touched_count; i++) {
        self->hits[self->touched[i]]++;
    }
}

const lockstep_hooks *coverage_hooks(coverage *self) {
    return &self->hooks;
}

const uint16_t *coverage_touched(const coverage *self, size_t *count) {
    *count = self->touched_count;
    return self->touched;
}

const uint64_t *coverage_hits(const coverage *self) {
    return self->hits;
}

uint32_t coverage_bins(void) {
    return COVERAGE_BIN_COUNT;
}

uint32_t coverage_count(const uint64_t *hits) {
    uint32_t count = 0;
    for (uint32_t bin = 0; bin < COVERAGE_BIN_COUNT; bin++) {
        count += hits[bin] > 0;
    }
    return count;
}

// ---- names -------------------------------------------------------------------------------------

static coverage_group group_of(uint32_t bin) {
    uint32_t group = 0;
    while (group + 1 < COVERAGE_GROUP_COUNT && bin >= groups[group + 1].first) {
        group++;
    }
    return (coverage_group)group;
}

static bool is_of_units(coverage_group group) {
    return group <= COVERAGE_WORK;
}

static bool is_of_values(coverage_group group) {
    return group >= COVERAGE_SUM;
}

static void name_both(uint32_t at, char *text, size_t size) {
    (void)snprintf(text, size, "%s and %s write in one cycle",
                   tpu_streams[at / TPU_STREAM_COUNT].name,
                   tpu_streams[at % TPU_STREAM_COUNT].name);
}

void coverage_name(uint32_t bin, char *text, size_t size) {
    if (size > 0) {
        text[0] = '\0';
    }
    if (bin >= COVERAGE_BIN_COUNT || size == 0) {
        return;
    }
    coverage_group group = group_of(bin);
    uint32_t at = bin - groups[group].first;
    int head = snprintf(text, size, "%s: ", groups[group].name);
    if (head < 0 || (size_t)head >= size) {
        return;
    }
    text += head;
    size -= (size_t)head;
    if (group == COVERAGE_BOTH) {
        name_both(at, text, size);
    } else if (is_of_units(group)) {
        coverage_units_name(group, at, text, size);
    } else if (is_of_values(group)) {
        coverage_values_name(group, at, text, size);
    } else {
        coverage_issues_name(group, at, text, size);
    }
}

bool coverage_possible(uint32_t bin) {
    if (bin >= COVERAGE_BIN_COUNT) {
        return false;
    }
    coverage_group group = group_of(bin);
    uint32_t at = bin - groups[group].first;
    if (group == COVERAGE_BOTH) {
        return at / TPU_STREAM_COUNT < at % TPU_STREAM_COUNT;
    }
    if (is_of_units(group)) {
        return coverage_units_possible(group, at);
    }
    return is_of_values(group) || coverage_issues_possible(group, at);
}

uint32_t coverage_possible_count(void) {
    uint32_t count = 0;
    for (uint32_t bin = 0; bin < COVERAGE_BIN_COUNT; bin++) {
        count += coverage_possible(bin);
    }
    return count;
}
