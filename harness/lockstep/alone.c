// SPDX-License-Identifier: Apache-2.0
//
// lockstep's unchecked mode with an onlooker that sums up the rows.

#include "harness/lockstep/alone.h"

#include "harness/lockstep/digest.h"

#include <string.h>

typedef struct onlooker {
    alone_result *out;
    size_t bytes[TPU_STREAM_COUNT]; // of a row
} onlooker;

static void look(void *user, const probe *seen) {
    onlooker *self = user;
    for (unsigned stream = 0; seen->fired >> stream != 0; stream++) {
        if ((seen->fired >> stream & 1u) != 0) {
            uint64_t *digest = &self->out->digest[stream];
            *digest = digest_row(*digest, seen->row[stream], self->bytes[stream]);
            self->out->rows[stream]++;
        }
    }
}

void alone_run(lockstep *pair, const tpu_params *params, const lockstep_job *job,
               alone_result *out) {
    onlooker self = {.out = out};
    verdict seen;
    memset(out, 0, sizeof *out);
    for (size_t s = 0; s < TPU_STREAM_COUNT; s++) {
        const tpu_stream_info *info = &tpu_streams[s];
        self.bytes[s] = info->head_bytes + (size_t)info->lane_bytes * params->t;
        out->digest[s] = DIGEST_START;
    }
    const lockstep_hooks hooks = {.user = &self, .cycle = look};
    lockstep_job alone = *job;
    alone.mode = LOCKSTEP_MODE_UNCHECKED;
    alone.hooks = &hooks;
    verdict_init(&seen);
    lockstep_run(pair, &alone, &seen);
    out->kind = seen.kind;
    out->cycles = seen.cycle + 1;
    out->assertions = seen.status.assertions;
    out->fault = seen.status.fault;
    out->sentence = seen.sentence;
    verdict_clear(&seen);
}

bool alone_same(const alone_result *left, const alone_result *right, uint32_t but, int *stream) {
    *stream = -1;
    if (left->kind != VERDICT_OK || right->kind != VERDICT_OK || left->fault != 0 ||
        right->fault != 0) {
        return false;
    }
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        bool counts = (but >> s & 1u) == 0;
        if (counts && (left->digest[s] != right->digest[s] || left->rows[s] != right->rows[s])) {
            *stream = s;
            return false;
        }
    }
    return true;
}

uint64_t alone_digest(const alone_result *self, uint32_t but) {
    uint64_t digest = DIGEST_START;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if ((but >> s & 1u) == 0) {
            digest = digest_word(digest_word(digest, self->digest[s]), self->rows[s]);
        }
    }
    return digest;
}
