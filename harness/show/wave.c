// SPDX-License-Identifier: Apache-2.0
//
// The window's waveform as a whole: the scope `tpucosim`, with the cycle and the verdict at its
// top.

#include "harness/show/wave.h"

#include "harness/engine/device.h"
#include "harness/show/wave_internal.h"

#include <stdbool.h>
#include <stdio.h>

_Static_assert(WAVE_CYCLE == 2 * DEVICE_HALF, "the time axis of the machine's own file");

void wave_scope_name(const char *name, char *out, size_t size) {
    (void)snprintf(out, size, "%s", name);
    for (char *at = out; *at != '\0'; at++) {
        *at = *at == '.' ? '_' : *at;
    }
}

static void declare(void *user, wave_writer *to) {
    wave_both *self = user;
    wave_writer_open_scope(to, "tpucosim");
    self->cycle = wave_writer_add_bits(to, "cycle", 64, NULL);
    wave_writer_open_scope(to, "verdict");
    self->diverged = wave_writer_add_bits(to, "diverged", 1, NULL);
    self->verdict = wave_writer_add_text(to, "text");
    wave_writer_close_scope(to);
    wave_units_declare(self, to);
    for (int stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        wave_rows_declare(self, to, (tpu_stream)stream);
    }
    wave_writer_close_scope(to);
}

static bool diverged_at(const verdict *seen, uint64_t cycle) {
    return (seen->kind == VERDICT_MISMATCH || seen->kind == VERDICT_HANG) && seen->cycle == cycle;
}

static void show_verdict(wave_both *self, wave_writer *to) {
    const verdict *seen = &self->from->seen;
    wave_writer_set(to, self->diverged, 1);
    wave_writer_say(to, self->verdict, seen->sentence.text);
    const bool absent = seen->diff == VERDICT_DIFF_MISSING || seen->diff == VERDICT_DIFF_STUCK;
    if (absent && seen->stream >= 0 && seen->window.rows > 0 && seen->row >= seen->window.first &&
        seen->row < seen->window.first + seen->window.rows) {
        const size_t at = (size_t)(seen->row - seen->window.first) * seen->window.row_bytes;
        wave_rows_show(self, to, (tpu_stream)seen->stream, seen->row, NULL,
                       seen->window.expected + at);
    }
}

static void show_cycle(void *user, wave_writer *to, uint64_t cycle) {
    wave_both *self = user;
    if (cycle == self->from->window.first) {
        wave_writer_set(to, self->diverged, 0);
        wave_writer_say(to, self->verdict, " ");
        wave_rows_start(self, to);
        wave_units_start(self, to);
    }
    wave_writer_set(to, self->cycle, cycle);
    wave_rows_cycle(self, to, cycle);
    wave_units_cycle(self, to, cycle);
    if (diverged_at(&self->from->seen, cycle)) {
        show_verdict(self, to);
    }
}

static bool make(wave_both *self) {
    bool made = true;
    for (int stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        made = wave_rows_make(self, (tpu_stream)stream) && made;
    }
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        made = wave_units_make(self, (tpu_unit)unit) && made;
    }
    return made;
}

static void clear(wave_both *self) {
    for (int stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        wave_rows_clear(self, (tpu_stream)stream);
    }
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        wave_units_clear(self, (tpu_unit)unit);
    }
}

tpu_status wave_write_window(const recording *from, const char *machine, const char *path,
                             tpu_message *why) {
    wave_both self = {.from = from};
    char comment[sizeof from->seen.sentence.text + 64];
    (void)snprintf(comment, sizeof comment, "%s at cycle %llu: %s",
                   verdict_kind_name(from->seen.kind), (unsigned long long)from->seen.cycle,
                   from->seen.sentence.text);
    const wave_source ours = {.user = &self,
                              .first = from->window.first,
                              .last = from->window.last,
                              .cycle_time = WAVE_CYCLE,
                              .comment = comment,
                              .declare = declare,
                              .cycle = show_cycle};
    tpu_status status = make(&self) ? wave_writer_run(machine, &ours, path, why)
                                    : status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    clear(&self);
    return status;
}
