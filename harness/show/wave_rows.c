// SPDX-License-Identifier: Apache-2.0
//
// The streams in the scope `tpucosim`. A row is shown in the cycle in which its stream wrote it and
// 'z' stands in all others, so that rows stand out as boxes; texts stay until the next one.

#include "harness/show/wave_internal.h"

#include "harness/show/wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool wave_rows_make(wave_both *self, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    wave_rows *lanes = &self->stream[stream];
    lanes->bytes = recording_row_bytes(self->from, stream);
    lanes->part_count = info->field_count + (info->lane_bytes > 0 ? self->from->params.t : 0);
    lanes->part = calloc(lanes->part_count, sizeof *lanes->part);
    return lanes->part != NULL;
}

void wave_rows_clear(wave_both *self, tpu_stream stream) {
    free(self->stream[stream].part);
}

static uint64_t number_at(const uint8_t *row, const wave_part *what) {
    uint64_t value = 0;
    for (size_t i = what->bytes; i > 0; i--) {
        value = value << 8 | row[what->at + i - 1];
    }
    return value;
}

static void declare_part(wave_writer *to, wave_part *out, const char *name, size_t at,
                         size_t bytes) {
    char text[WAVE_NAME_MAX];
    out->at = at;
    out->bytes = bytes;
    (void)snprintf(text, sizeof text, "got_%s", name);
    out->got = wave_writer_add_bits(to, text, (uint32_t)(8 * bytes), NULL);
    (void)snprintf(text, sizeof text, "expected_%s", name);
    out->expected = wave_writer_add_bits(to, text, (uint32_t)(8 * bytes), NULL);
}

static void declare_parts(wave_writer *to, wave_rows *self, const tpu_stream_info *info) {
    for (size_t i = 0; i < self->part_count; i++) {
        if (i < info->field_count) {
            const tpu_stream_field *field = &info->fields[i];
            declare_part(to, &self->part[i], field->name, field->offset, field->bytes);
        } else {
            const size_t lane = i - info->field_count;
            char name[24];
            (void)snprintf(name, sizeof name, "%zu", lane);
            declare_part(to, &self->part[i], name, info->head_bytes + lane * info->lane_bytes,
                         info->lane_bytes);
        }
    }
}

void wave_rows_declare(wave_both *self, wave_writer *to, tpu_stream stream) {
    const tpu_stream_info *info = &tpu_streams[stream];
    wave_rows *lanes = &self->stream[stream];
    const uint32_t bits = (uint32_t)(8 * lanes->bytes);
    char name[WAVE_NAME_MAX];
    wave_scope_name(info->name, name, sizeof name);
    wave_writer_open_scope(to, name);
    lanes->valid = wave_writer_add_bits(to, "valid", 1, NULL);
    lanes->got = wave_writer_add_bits(to, "got", bits, NULL);
    lanes->expected = wave_writer_add_bits(to, "expected", bits, NULL);
    lanes->differs = wave_writer_add_bits(to, "differs", 1, NULL);
    lanes->index = wave_writer_add_bits(to, "index", 32, NULL);
    lanes->insn = wave_writer_add_text(to, "insn");
    if (info->lane_bytes > 0) {
        lanes->lanes_differ = wave_writer_add_bits(to, "lanes_differ", self->from->params.t, NULL);
    }
    declare_parts(to, lanes, info);
    wave_writer_close_scope(to);
}

static void hide_row(wave_writer *to, wave_rows *lanes, bool has_lanes) {
    wave_writer_set(to, lanes->valid, 0);
    wave_writer_set(to, lanes->differs, 0);
    wave_writer_fill(to, lanes->index, 'z');
    wave_writer_fill(to, lanes->got, 'z');
    wave_writer_fill(to, lanes->expected, 'z');
    if (has_lanes) {
        wave_writer_set(to, lanes->lanes_differ, 0);
    }
    for (size_t i = 0; i < lanes->part_count; i++) {
        wave_writer_fill(to, lanes->part[i].got, 'z');
        wave_writer_fill(to, lanes->part[i].expected, 'z');
    }
    lanes->shown = false;
}

static void set_side(wave_writer *to, wave_lane whole, const wave_rows *lanes, bool got,
                     const uint8_t *row) {
    if (row == NULL) { // the other side has no such row
        wave_writer_fill(to, whole, 'x');
    } else {
        wave_writer_set_bytes(to, whole, row);
    }
    for (size_t i = 0; i < lanes->part_count; i++) {
        const wave_part *what = &lanes->part[i];
        const wave_lane lane = got ? what->got : what->expected;
        if (row == NULL) {
            wave_writer_fill(to, lane, 'x');
        } else {
            wave_writer_set(to, lane, number_at(row, what));
        }
    }
}

static void set_lanes_differ(wave_writer *to, const wave_rows *lanes, size_t fields,
                             const uint8_t *got, const uint8_t *expected) {
    uint8_t bits[256 / 8 + 1] = {0}; // T is at most 254
    for (size_t i = fields; i < lanes->part_count; i++) {
        const wave_part *what = &lanes->part[i];
        const size_t lane = i - fields;
        const bool differs = got == NULL || expected == NULL ||
                             memcmp(got + what->at, expected + what->at, what->bytes) != 0;
        bits[lane / 8] = (uint8_t)(bits[lane / 8] | (uint8_t)(differs ? 1u << lane % 8 : 0));
    }
    wave_writer_set_bytes(to, lanes->lanes_differ, bits);
}

void wave_rows_show(wave_both *self, wave_writer *to, tpu_stream stream, uint64_t index,
                    const uint8_t *got, const uint8_t *expected) {
    wave_rows *lanes = &self->stream[stream];
    const tpu_stream_info *info = &tpu_streams[stream];
    const bool differs =
        got == NULL || expected == NULL || memcmp(got, expected, lanes->bytes) != 0;
    wave_writer_set(to, lanes->valid, got != NULL);
    wave_writer_set(to, lanes->differs, differs);
    wave_writer_set(to, lanes->index, index);
    set_side(to, lanes->got, lanes, true, got);
    set_side(to, lanes->expected, lanes, false, expected);
    if (info->lane_bytes > 0) {
        set_lanes_differ(to, lanes, info->field_count, got, expected);
    }
    lanes->shown = true;
}

static void show_event(wave_both *self, wave_writer *to, const recording_event *event) {
    const tpu_stream stream = (tpu_stream)event->stream;
    char text[WAVE_TEXT_MAX];
    wave_rows_show(self, to, stream, event->index, recording_got(self->from, event),
                   recording_expected(self->from, event));
    wave_issue_text(self->from, event->issue, text, sizeof text);
    wave_writer_say(to, self->stream[stream].insn, text);
}

void wave_rows_cycle(wave_both *self, wave_writer *to, uint64_t cycle) {
    const recording *from = self->from;
    for (int stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        if (self->stream[stream].shown) {
            hide_row(to, &self->stream[stream], tpu_streams[stream].lane_bytes > 0);
        }
    }
    for (; self->event < from->event_count && from->event[self->event].cycle <= cycle;
         self->event++) {
        show_event(self, to, &from->event[self->event]);
    }
}

void wave_rows_start(wave_both *self, wave_writer *to) {
    for (int stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        hide_row(to, &self->stream[stream], tpu_streams[stream].lane_bytes > 0);
        wave_writer_say(to, self->stream[stream].insn, " ");
    }
}
