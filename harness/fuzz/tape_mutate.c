// SPDX-License-Identifier: Apache-2.0
//
// How tapes change. Records are things that a program does, so what is inserted, left out, moved or
// copied is a thing as a whole, and what stays keeps its own draws.

#include "harness/fuzz/tape.h"

#include <string.h>

// Things of a drawn program; most programs are full before that.
#define THINGS_MAX 40u
// Draws of a thing that are worth fixing: kind, then what the kind draws first.
#define DRAWS 24u

static stress_part draw_record(rng *source) {
    stress_part record = {.seed = (uint32_t)rng_next(source) & ~TAPE_OPENS};
    memset(record.index, (int)STRESS_UNFIXED, sizeof record.index);
    return record;
}

static stress_part draw_around(rng *source) {
    stress_part record = draw_record(source);
    for (size_t i = 0; i < STRESS_FIXED; i++) {
        record.value[i] = (uint16_t)rng_below(source, 65536);
    }
    return record;
}

static void append_program(tape *to, rng *source) {
    size_t things = rng_below(source, 2) == 0 ? THINGS_MAX : 1 + rng_below(source, THINGS_MAX);
    if (to->count + things + 2 > TAPE_RECORDS_MAX) {
        return;
    }
    to->record[to->count] = draw_record(source);
    to->record[to->count++].seed |= TAPE_OPENS;
    to->record[to->count++] = draw_around(source);
    for (size_t i = 0; i < things; i++) {
        to->record[to->count++] = draw_record(source);
    }
}

void tape_draw(tape *out, rng *source) {
    size_t programs = rng_below(source, 32) > 0 ? 1 : 2;
    out->count = 0;
    for (size_t i = 0; i < programs; i++) {
        append_program(out, source);
    }
}

// Leaves one program of several: to run the unchanged ones again costs time and shows nothing.
static void single_out(tape *self, rng *source) {
    size_t first = rng_below(source, (uint32_t)self->count);
    while (first > 0 && (self->record[first].seed & TAPE_OPENS) == 0) {
        first--;
    }
    size_t end = first + 1;
    while (end < self->count && (self->record[end].seed & TAPE_OPENS) == 0) {
        end++;
    }
    memmove(self->record, self->record + first, (end - first) * sizeof self->record[0]);
    self->count = end - first;
}

// ---- single changes ----------------------------------------------------------------------------

// Moves `count` records from `from` on to a gap before `at`, and returns how many there was room
// for.
static size_t insert(tape *self, size_t at, const stress_part *from, size_t count) {
    size_t room = TAPE_RECORDS_MAX - self->count;
    count = count < room ? count : room;
    memmove(self->record + at + count, self->record + at, (self->count - at) * sizeof *from);
    memcpy(self->record + at, from, count * sizeof *from);
    self->count += count;
    return count;
}

static void erase(tape *self, size_t at, size_t count) {
    memmove(self->record + at, self->record + at + count,
            (self->count - at - count) * sizeof self->record[0]);
    self->count -= count;
}

// A thing, mostly: the two records before the things are few.
static size_t pick(const tape *self, rng *source) {
    size_t at = rng_below(source, (uint32_t)self->count);
    if ((self->record[at].seed & TAPE_OPENS) != 0 && rng_below(source, 4) > 0) {
        at = rng_below(source, (uint32_t)self->count);
    }
    return at;
}

static void renew(tape *self, rng *source) {
    stress_part *record = &self->record[pick(self, source)];
    uint32_t opens = record->seed & TAPE_OPENS;
    record->seed = ((uint32_t)rng_next(source) & ~TAPE_OPENS) | opens;
    if (rng_below(source, 2) == 0) {
        memset(record->index, (int)STRESS_UNFIXED, sizeof record->index);
    }
}

// Another value for one draw, or one nearby where it is given already.
static void fix(tape *self, rng *source) {
    stress_part *record = &self->record[pick(self, source)];
    size_t slot = rng_below(source, STRESS_FIXED);
    if (record->index[slot] != STRESS_UNFIXED && rng_below(source, 2) == 0) {
        uint32_t step = 1u << rng_below(source, 15);
        record->value[slot] =
            (uint16_t)(record->value[slot] + (rng_below(source, 2) == 0 ? step : 65536u - step));
        return;
    }
    record->index[slot] = (uint8_t)rng_below(source, rng_below(source, 2) == 0 ? 6 : DRAWS);
    record->value[slot] = (uint16_t)rng_below(source, 65536);
}

static void add(tape *self, rng *source) {
    size_t at = 1 + rng_below(source, (uint32_t)self->count);
    stress_part more[3];
    size_t count = 1 + rng_below(source, 3);
    for (size_t i = 0; i < count; i++) {
        more[i] = draw_record(source);
    }
    (void)insert(self, at, more, count);
}

static void drop(tape *self, rng *source) {
    if (self->count < 2) {
        return;
    }
    size_t at = 1 + rng_below(source, (uint32_t)self->count - 1);
    size_t most = self->count - at < 4 ? self->count - at : 4;
    erase(self, at, 1 + rng_below(source, (uint32_t)most));
}

// A few things once more, at another place or right behind themselves.
static void repeat(tape *self, rng *source) {
    stress_part copy[6];
    size_t at = rng_below(source, (uint32_t)self->count);
    size_t most = self->count - at < 6 ? self->count - at : 6;
    size_t count = 1 + rng_below(source, (uint32_t)most);
    memcpy(copy, self->record + at, count * sizeof copy[0]);
    size_t to =
        rng_below(source, 2) == 0 ? at + count : 1 + rng_below(source, (uint32_t)self->count);
    (void)insert(self, to, copy, count);
}

static void move(tape *self, rng *source) {
    size_t from = pick(self, source);
    size_t to = pick(self, source);
    if (from > 0 && to > 0) {
        stress_part kept = self->record[from];
        self->record[from] = self->record[to];
        self->record[to] = kept;
    }
}

// Other seeds of operands (at 0) or timing (at 2).
static void reseed(tape *self, size_t at, rng *source) {
    if (self->count > 1) {
        self->record[1].value[at] = (uint16_t)rng_below(source, 65536);
        self->record[1].value[at + 1] = (uint16_t)rng_below(source, 65536);
    }
}

static void change(tape *self, rng *source) {
    switch (rng_below(source, 16)) {
    case 0:
    case 1:
    case 2:
        renew(self, source);
        return;
    case 3:
    case 4:
    case 5:
    case 6:
        fix(self, source);
        return;
    case 7:
    case 8:
        add(self, source);
        return;
    case 9:
        drop(self, source);
        return;
    case 10:
    case 11:
        repeat(self, source);
        return;
    case 12:
        move(self, source);
        return;
    case 13:
    case 14:
        renew(self, source);
        return;
    default:
        reseed(self, 0, source);
    }
}

// Measured by new bins a program: the same things with other memory timing meet in other ways, and
// several changes at once do better than one; a single change without new timing finds next to
// nothing.
void tape_mutate(tape *self, rng *source) {
    uint32_t changes =
        rng_below(source, 8) > 0 ? 2 + rng_below(source, 2u << rng_below(source, 4)) : 0;
    if (self->count == 0) {
        tape_draw(self, source);
        return;
    }
    if (rng_below(source, 16) > 0) {
        single_out(self, source);
    }
    if (rng_below(source, 16) > 0) {
        reseed(self, 2, source);
    }
    for (uint32_t i = 0; i < changes; i++) {
        change(self, source);
    }
    if (rng_below(source, 64) == 0) {
        append_program(self, source);
    }
    self->record[0].seed |= TAPE_OPENS;
}

void tape_cross(const tape *left, const tape *right, rng *source, tape *out) {
    size_t keep = rng_below(source, (uint32_t)left->count + 1);
    size_t from = right->count > 0 ? rng_below(source, (uint32_t)right->count) : 0;
    size_t count = right->count - from;
    *out = *left;
    if (rng_below(source, 2) == 0) { // the start of one, the end of the other
        out->count = keep;
    } else { // a piece of one within the other
        count = count > 0 ? 1 + rng_below(source, (uint32_t)count) : 0;
    }
    (void)insert(out, keep < out->count ? keep : out->count, right->record + from, count);
    if (out->count == 0) {
        tape_draw(out, source);
    }
    tape_mutate(out, source);
}
