// SPDX-License-Identifier: Apache-2.0
//
// The file, and how a list of records is read as programs. Head, little-endian: "TPUTAPE" and the
// version's digit, spec hash u64, eight parameters u32, records u32, 0 u32, digest of the records
// u64.

#include "harness/fuzz/tape.h"

#include "harness/lockstep/digest.h"

#include <string.h>

static const char magic[] = "TPUTAPE";

#define AT_VERSION 7u
#define AT_HASH 8u
#define AT_PARAMS 16u
#define AT_COUNT 48u
#define AT_DIGEST 56u

// ---- programs ----------------------------------------------------------------------------------

static bool opens(const stress_part *record) {
    return (record->seed & TAPE_OPENS) != 0;
}

bool tape_next(const tape *self, size_t *at, tape_program *out) {
    size_t first = *at;
    size_t end = first + 1;
    if (first >= self->count) {
        return false;
    }
    while (end < self->count && !opens(&self->record[end])) {
        end++;
    }
    *out = (tape_program){.like = self->record[first]};
    out->like.seed &= ~TAPE_OPENS;
    if (end > first + 1) {
        const uint16_t *value = self->record[first + 1].value;
        out->operands = (uint32_t)value[0] << 16 | value[1];
        out->timing = (uint32_t)value[2] << 16 | value[3];
    }
    size_t things = end < first + 2 ? end : first + 2;
    out->things = self->record + things;
    out->count = end - things;
    *at = end;
    return true;
}

size_t tape_programs(const tape *self) {
    size_t count = 0;
    size_t at = 0;
    tape_program program;
    while (tape_next(self, &at, &program)) {
        count++;
    }
    return count;
}

// ---- bytes -------------------------------------------------------------------------------------

static void put(uint8_t *to, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static uint64_t get(const uint8_t *from, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)from[i] << 8 * i;
    }
    return value;
}

static void put_record(const stress_part *record, uint8_t *to) {
    put(to, record->seed, 4);
    memcpy(to + 4, record->index, STRESS_FIXED);
    for (size_t i = 0; i < STRESS_FIXED; i++) {
        put(to + 8 + 2 * i, record->value[i], 2);
    }
}

static stress_part get_record(const uint8_t *from) {
    stress_part record = {.seed = (uint32_t)get(from, 4)};
    memcpy(record.index, from + 4, STRESS_FIXED);
    for (size_t i = 0; i < STRESS_FIXED; i++) {
        record.value[i] = (uint16_t)get(from + 8 + 2 * i, 2);
    }
    return record;
}

static void put_params(const tpu_params *params, uint8_t *to) {
    const uint32_t value[TPU_PARAM_COUNT] = {params->t,   params->maxdim,   params->spad_rows,
                                             params->nvr, params->nar,      params->imem_size,
                                             params->qd,  params->dma_words};
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        put(to + 4 * i, value[i], 4);
    }
}

static uint64_t digest_records(const uint8_t *records, size_t count) {
    return digest_row(DIGEST_START, records, count * TAPE_RECORD);
}

size_t tape_encode(const tape *self, const tpu_params *params, uint8_t *data) {
    uint8_t *records = data + TAPE_HEAD;
    memset(data, 0, TAPE_HEAD);
    memcpy(data, magic, AT_VERSION);
    data[AT_VERSION] = (uint8_t)('0' + TAPE_VERSION);
    put(data + AT_HASH, TPU_SPEC_HASH, 8);
    put_params(params, data + AT_PARAMS);
    put(data + AT_COUNT, self->count, 4);
    for (size_t i = 0; i < self->count; i++) {
        put_record(&self->record[i], records + i * TAPE_RECORD);
    }
    put(data + AT_DIGEST, digest_records(records, self->count), 8);
    return TAPE_HEAD + self->count * TAPE_RECORD;
}

uint64_t tape_digest(const tape *self) {
    uint8_t bytes[TAPE_RECORD];
    uint64_t digest = DIGEST_START;
    for (size_t i = 0; i < self->count; i++) {
        put_record(&self->record[i], bytes);
        digest = digest_row(digest, bytes, sizeof bytes);
    }
    return digest;
}

static tpu_status check_params(const uint8_t *data, const tpu_params *params, tpu_message *why) {
    uint8_t meant[4 * TPU_PARAM_COUNT];
    put_params(params, meant);
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        uint64_t has = get(data + AT_PARAMS + 4 * i, 4);
        uint64_t wants = get(meant + 4 * i, 4);
        if (has != wants) {
            return status_fail(why, TPU_REFUSED, "made for %s = %llu, this machine has %llu",
                               tpu_param_infos[i].name, (unsigned long long)has,
                               (unsigned long long)wants);
        }
    }
    return TPU_OK;
}

static tpu_status check_head(const uint8_t *data, size_t size, const tpu_params *params,
                             tpu_message *why) {
    if (size < TAPE_HEAD || memcmp(data, magic, AT_VERSION) != 0) {
        return status_fail(why, TPU_REFUSED, "not a corpus file");
    }
    if (data[AT_VERSION] != '0' + TAPE_VERSION) {
        return status_fail(why, TPU_REFUSED, "of another version of the corpus format than %u",
                           TAPE_VERSION);
    }
    if (get(data + AT_HASH, 8) != TPU_SPEC_HASH) {
        return status_fail(why, TPU_REFUSED, "made for spec %016llx, this is %016llx",
                           (unsigned long long)get(data + AT_HASH, 8),
                           (unsigned long long)TPU_SPEC_HASH);
    }
    return check_params(data, params, why);
}

tpu_status tape_decode(const uint8_t *data, size_t size, const tpu_params *params, tape *out,
                       tpu_message *why) {
    tpu_status status = check_head(data, size, params, why);
    if (status != TPU_OK) {
        return status;
    }
    uint64_t count = get(data + AT_COUNT, 4);
    if (count == 0 || count > TAPE_RECORDS_MAX) {
        return status_fail(why, TPU_REFUSED, "%llu records; there are 1 to %u",
                           (unsigned long long)count, TAPE_RECORDS_MAX);
    }
    if (size != TAPE_HEAD + count * TAPE_RECORD) {
        return status_fail(why, TPU_REFUSED, "%zu bytes, but %llu records take %llu: cut short?",
                           size, (unsigned long long)count,
                           (unsigned long long)(TAPE_HEAD + count * TAPE_RECORD));
    }
    if (get(data + AT_DIGEST, 8) != digest_records(data + TAPE_HEAD, (size_t)count)) {
        return status_fail(why, TPU_REFUSED, "damaged: the digest of the records differs");
    }
    out->count = (size_t)count;
    for (size_t i = 0; i < out->count; i++) {
        out->record[i] = get_record(data + TAPE_HEAD + i * TAPE_RECORD);
    }
    return TPU_OK;
}
