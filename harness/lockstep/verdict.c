// SPDX-License-Identifier: Apache-2.0
//
// Names of verdicts, the signature and its text, and what differs between two rows.

#include "harness/lockstep/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[VERDICT_KIND_COUNT] = {"OK", "MISMATCH", "HANG", "REFUSED",
                                                           "ERROR"};
static const char *const diff_names[VERDICT_DIFF_COUNT] = {
    "none",      "value",  "extra", "missing",   "memory", "c-inside",
    "c-outside", "oracle", "fault", "assertion", "stuck",  "early"};
static const char *const pattern_names[VERDICT_PATTERN_COUNT] = {
    "none", "field", "one-lane", "saturated-lanes", "all-lanes", "some-lanes"};
static const char *const shape_names[VERDICT_SHAPE_COUNT] = {
    "none", "one element", "one row", "one column", "a diagonal", "all elements", "scattered"};
static const char *const vote_texts[VERDICT_VOTE_COUNT] = {"not asked",
                                                           "all agree",
                                                           "the machine stands alone",
                                                           "the model stands alone",
                                                           "the oracle stands alone",
                                                           "no two agree"};
static const char *const hint_texts[VERDICT_HINT_COUNT] = {
    "", "it equals the row expected next: an event was dropped or swapped",
    "it equals the row before: an event was doubled"};

const char *verdict_kind_name(verdict_kind kind) {
    return (unsigned)kind < VERDICT_KIND_COUNT ? kind_names[kind] : NULL;
}

const char *verdict_diff_name(verdict_diff diff) {
    return (unsigned)diff < VERDICT_DIFF_COUNT ? diff_names[diff] : NULL;
}

const char *verdict_pattern_name(verdict_pattern pattern) {
    return (unsigned)pattern < VERDICT_PATTERN_COUNT ? pattern_names[pattern] : NULL;
}

const char *verdict_shape_name(verdict_shape shape) {
    return (unsigned)shape < VERDICT_SHAPE_COUNT ? shape_names[shape] : NULL;
}

const char *verdict_vote_text(verdict_vote vote) {
    return (unsigned)vote < VERDICT_VOTE_COUNT ? vote_texts[vote] : NULL;
}

const char *verdict_hint_text(verdict_hint hint) {
    return (unsigned)hint < VERDICT_HINT_COUNT ? hint_texts[hint] : NULL;
}

void verdict_init(verdict *out) {
    memset(out, 0, sizeof *out);
    out->stream = -1;
    out->memory = -1;
    out->unit = -1;
    out->field = -1;
    out->lane = -1;
    out->pe_row = -1;
    out->pe_col = -1;
}

void verdict_clear(verdict *self) {
    free(self->window.expected);
    free(self->window.got);
    verdict_init(self);
}

void verdict_note(verdict *self, const char *fmt, ...) {
    if (self->note_count == VERDICT_NOTES) {
        return;
    }
    tpu_message *note = &self->note[self->note_count++];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(note->text, sizeof note->text, fmt, args);
    va_end(args);
}

void verdict_note_first(verdict *self, const char *fmt, ...) {
    size_t kept = self->note_count < VERDICT_NOTES ? self->note_count : VERDICT_NOTES - 1;
    memmove(self->note + 1, self->note, kept * sizeof self->note[0]);
    self->note_count = kept + 1;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(self->note[0].text, sizeof self->note[0].text, fmt, args);
    va_end(args);
}

int verdict_exit_code(verdict_kind kind) {
    switch (kind) {
    case VERDICT_OK:
        return 0;
    case VERDICT_MISMATCH:
    case VERDICT_HANG:
        return 1;
    case VERDICT_REFUSED:
        return 2;
    case VERDICT_ERROR:
    case VERDICT_KIND_COUNT:
        break;
    }
    return 3;
}

verdict_signature verdict_signature_of(const verdict *self) {
    verdict_signature out = {.kind = self->kind,
                             .diff = self->diff,
                             .stream = self->stream,
                             .memory = self->memory,
                             .unit = self->unit,
                             .field = self->field,
                             .pattern = self->pattern,
                             .fault = self->status.fault};
    return out;
}

bool verdict_signature_equal(const verdict_signature *left, const verdict_signature *right) {
    return left->kind == right->kind && left->diff == right->diff &&
           left->stream == right->stream && left->memory == right->memory &&
           left->unit == right->unit && left->field == right->field &&
           left->pattern == right->pattern && left->fault == right->fault;
}

static const char *name_or_dash(int index, size_t count, const char *name) {
    return index >= 0 && (size_t)index < count && name != NULL ? name : "-";
}

void verdict_signature_format(const verdict_signature *self, char *text, size_t size) {
    const tpu_stream_info *stream =
        self->stream >= 0 && self->stream < TPU_STREAM_COUNT ? &tpu_streams[self->stream] : NULL;
    const char *field = "-";
    if (stream != NULL && self->field >= 0 && (size_t)self->field < stream->field_count) {
        field = stream->fields[self->field].name;
    }
    const char *fault = tpu_rule_name(self->fault);
    (void)snprintf(
        text, size, "%s/%s/stream=%s/memory=%s/unit=%s/field=%s/pattern=%s/fault=%s",
        verdict_kind_name(self->kind), verdict_diff_name(self->diff),
        stream != NULL ? stream->name : "-",
        name_or_dash(self->memory, TPU_MEM_COUNT,
                     self->memory >= 0 ? tpu_mem_names[self->memory % TPU_MEM_COUNT] : NULL),
        name_or_dash(self->unit, TPU_UNIT_COUNT,
                     self->unit >= 0 ? tpu_unit_names[self->unit % TPU_UNIT_COUNT] : NULL),
        field, verdict_pattern_name(self->pattern),
        self->fault == 0 || fault == NULL ? "-" : fault);
}

// Index of `word` in a list of names; -1 = "-", -2 = not there.
static int find_name(const char *word, const char *const *names, size_t count) {
    if (strcmp(word, "-") == 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, names[i]) == 0) {
            return (int)i;
        }
    }
    return -2;
}

static int find_stream(const char *word) {
    const char *names[TPU_STREAM_COUNT];
    for (size_t i = 0; i < TPU_STREAM_COUNT; i++) {
        names[i] = tpu_streams[i].name;
    }
    return find_name(word, names, TPU_STREAM_COUNT);
}

static int find_field(const char *word, int stream) {
    if (strcmp(word, "-") == 0) {
        return -1;
    }
    for (size_t i = 0; stream >= 0 && i < tpu_streams[stream].field_count; i++) {
        if (strcmp(word, tpu_streams[stream].fields[i].name) == 0) {
            return (int)i;
        }
    }
    return -2;
}

static int find_fault(const char *word) {
    if (strcmp(word, "-") == 0) {
        return 0;
    }
    for (unsigned value = 1; value < 256; value++) {
        const char *name = tpu_rule_name(value);
        if (name != NULL && strcmp(word, name) == 0) {
            return (int)value;
        }
    }
    return -2;
}

#define SIGNATURE_PARTS 8

// Cuts "a/b/key=c/..." in place; returns false unless there are exactly SIGNATURE_PARTS parts.
static bool split_signature(char *text, const char *part[SIGNATURE_PARTS]) {
    static const char *const keys[SIGNATURE_PARTS] = {
        "", "", "stream=", "memory=", "unit=", "field=", "pattern=", "fault="};
    for (size_t i = 0; i < SIGNATURE_PARTS; i++) {
        char *end = strchr(text, '/');
        if ((end == NULL) != (i + 1 == SIGNATURE_PARTS)) {
            return false;
        }
        if (end != NULL) {
            *end = '\0';
        }
        size_t key = strlen(keys[i]);
        if (strncmp(text, keys[i], key) != 0) {
            return false;
        }
        part[i] = text + key;
        text = end == NULL ? text : end + 1;
    }
    return true;
}

tpu_status verdict_signature_parse(const char *text, verdict_signature *out, tpu_message *why) {
    char copy[256];
    const char *part[SIGNATURE_PARTS];
    if (strlen(text) >= sizeof copy) {
        return status_fail(why, TPU_REFUSED, "signature: longer than %zu characters",
                           sizeof copy - 1);
    }
    memcpy(copy, text, strlen(text) + 1);
    if (!split_signature(copy, part)) {
        return status_fail(why, TPU_REFUSED,
                           "signature: \"%s\" is not KIND/diff/stream=../memory=../unit=../"
                           "field=../pattern=../fault=..",
                           text);
    }
    int stream = find_stream(part[2]);
    int found[SIGNATURE_PARTS] = {find_name(part[0], kind_names, VERDICT_KIND_COUNT),
                                  find_name(part[1], diff_names, VERDICT_DIFF_COUNT),
                                  stream,
                                  find_name(part[3], tpu_mem_names, TPU_MEM_COUNT),
                                  find_name(part[4], tpu_unit_names, TPU_UNIT_COUNT),
                                  find_field(part[5], stream),
                                  find_name(part[6], pattern_names, VERDICT_PATTERN_COUNT),
                                  find_fault(part[7])};
    for (size_t i = 0; i < SIGNATURE_PARTS; i++) {
        bool required = i == 0 || i == 1 || i == 6;
        if (found[i] == -2 || (required && found[i] < 0)) {
            return status_fail(why, TPU_REFUSED, "signature: \"%s\" is not known in \"%s\"",
                               part[i], text);
        }
    }
    *out = (verdict_signature){.kind = (verdict_kind)found[0],
                               .diff = (verdict_diff)found[1],
                               .stream = found[2],
                               .memory = found[3],
                               .unit = found[4],
                               .field = found[5],
                               .pattern = (verdict_pattern)found[6],
                               .fault = (unsigned)found[7]};
    return TPU_OK;
}

static uint64_t read_little(const uint8_t *from, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

int64_t verdict_row_element(tpu_stream stream, const uint8_t *row, int field, int lane) {
    const tpu_stream_info *info = &tpu_streams[stream];
    if (field >= 0) {
        return (int64_t)read_little(row + info->fields[field].offset, info->fields[field].bytes);
    }
    const uint8_t *at = row + info->head_bytes + (size_t)lane * info->lane_bytes;
    if (info->lane_bytes == 1) {
        return (int8_t)at[0];
    }
    return (int32_t)(uint32_t)read_little(at, 4);
}

static int first_field(const tpu_stream_info *info, const uint8_t *expected, const uint8_t *got) {
    for (size_t i = 0; i < info->field_count; i++) {
        const tpu_stream_field *field = &info->fields[i];
        if (memcmp(expected + field->offset, got + field->offset, field->bytes) != 0) {
            return (int)i;
        }
    }
    return -1;
}

static verdict_pattern lane_pattern(uint64_t differ, uint64_t saturated, uint64_t lanes) {
    if (differ == 1 && lanes > 1) {
        return VERDICT_PATTERN_ONE;
    }
    if (differ == saturated) {
        return VERDICT_PATTERN_SATURATED;
    }
    return differ == lanes ? VERDICT_PATTERN_ALL : VERDICT_PATTERN_SOME;
}

static void describe_lanes(verdict *out, tpu_stream stream, const uint8_t *expected,
                           const uint8_t *got, size_t lanes) {
    uint64_t saturated = 0;
    out->lane = -1;
    out->lanes_differ = 0;
    for (size_t lane = 0; lane < lanes; lane++) {
        int64_t want = verdict_row_element(stream, expected, -1, (int)lane);
        if (want == verdict_row_element(stream, got, -1, (int)lane)) {
            continue;
        }
        out->lane = out->lane < 0 ? (int)lane : out->lane;
        out->lanes_differ++;
        saturated += tpu_streams[stream].lane_bytes == 1 && (want == INT8_MAX || want == INT8_MIN);
    }
    out->pattern = lane_pattern(out->lanes_differ, saturated, lanes);
}

void verdict_describe_row(verdict *out, tpu_stream stream, const uint8_t *expected,
                          const uint8_t *got, size_t bytes) {
    const tpu_stream_info *info = &tpu_streams[stream];
    size_t lanes = info->lane_bytes == 0 ? 0 : (bytes - info->head_bytes) / info->lane_bytes;
    describe_lanes(out, stream, expected, got, lanes);
    out->field = first_field(info, expected, got);
    if (out->field >= 0) {
        out->pattern = VERDICT_PATTERN_FIELD;
        out->lane = -1;
    }
    out->first.bytes = out->field >= 0 ? info->fields[out->field].bytes : (uint8_t)info->lane_bytes;
    out->first.expected = verdict_row_element(stream, expected, out->field, out->lane);
    out->first.got = verdict_row_element(stream, got, out->field, out->lane);
}
