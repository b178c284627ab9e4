// SPDX-License-Identifier: Apache-2.0
//
// The nearest other place counts: an address that is off is seldom off by much.

#include "harness/lockstep/witness_place.h"

#include <string.h>

static int8_t clip(int32_t value) {
    return (int8_t)(value > INT8_MAX ? INT8_MAX : value < INT8_MIN ? INT8_MIN : value);
}

static int32_t word_at(const uint8_t *at) {
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

// Does this memory row leave the machine as the lanes that came?
static bool gives(const witness_query *query, const uint8_t *row, const uint8_t *lanes) {
    if (query->stream != TPU_STREAM_AC2SP) {
        return memcmp(row, lanes, query->params->t) == 0;
    }
    for (uint32_t lane = 0; lane < query->params->t; lane++) {
        if (clip(word_at(row + (size_t)4 * lane)) != (int8_t)lanes[lane]) {
            return false;
        }
    }
    return true;
}

static uint32_t distance(uint32_t left, uint32_t right) {
    return left > right ? left - right : right - left;
}

void witness_place_in_memory(const witness_query *query, const shadow *from, const uint8_t *lanes,
                             witness *out) {
    for (uint32_t row = 0; row < from->rows; row++) {
        bool nearer =
            !out->moved || distance(row, out->source) < distance(out->moved_to, out->source);
        if (row != out->source && nearer && gives(query, from->now + row * from->bytes, lanes)) {
            out->moved = true;
            out->moved_to = row;
        }
    }
    if (out->source < from->rows && from->written[out->source]) {
        out->stale = gives(query, shadow_row_before(from, out->source), lanes) &&
                     !gives(query, shadow_row(from, out->source), lanes);
        out->stale_start = out->stale && !from->again[out->source];
    }
}

void witness_place_in_matrix(const witness_query *query, const uint8_t *lanes, witness *out) {
    const tpu_params *params = query->params;
    const uint32_t blocks = params->maxdim / params->t;
    uint32_t best = UINT32_MAX;
    for (uint32_t row = 0; row < params->maxdim; row++) {
        for (uint32_t block = 0; block < blocks; block++) {
            const uint8_t *at = query->memory[out->memory] + (size_t)row * params->maxdim +
                                (size_t)block * params->t;
            uint32_t away = distance(row, out->source) + distance(block, out->block);
            if (away != 0 && away < best && gives(query, at, lanes)) {
                best = away;
                out->moved = true;
                out->moved_to = row;
                out->moved_block = block;
            }
        }
    }
}
