// SPDX-License-Identifier: Apache-2.0
//
// Merges through the FST reader and writer that Verilator ships. The other file's names, types,
// directions, aliases and value names are declared again, then its changes are passed on in order
// of time; before each new time, the cycles of ours that begin up to it are set.

#include "harness/show/wave_writer.h"

#include <fstapi.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A signal of ours. What is set within a cycle counts at its end, so that no viewer sees a glitch.
struct lane {
    uint32_t bits; // 0 = text
    char *now;     // NUL-terminated, `room` bytes
    size_t room;
    char *written; // as it stands in the file, `room` bytes; NULL = nothing yet
    bool changed;
};

struct wave_writer {
    void *to;
    void *from; // NULL = no other file
    const wave_source *ours;
    struct lane *lane; // own signals, by handle
    size_t lane_count;
    wave_lane *changed; // set in this cycle
    size_t changed_count;
    size_t changed_room;
    fstHandle *handle; // of the other file's signals in ours
    size_t handle_count;
    fstEnumHandle *names; // of the other file's value names in ours
    size_t names_count;
    fstEnumHandle refers; // value names of the next signal of the other file, 0 = none
    uint64_t next;        // cycle of ours that comes next
    uint64_t now;         // time written last
    bool begun;
    bool failed; // out of memory
};

// Makes room for element `index` of a zeroed array; false when memory is out.
static bool reach(wave_writer *self, void **array, size_t *count, size_t index, size_t size) {
    if (index < *count) {
        return true;
    }
    const size_t larger = 2 * index + 64;
    unsigned char *grown = realloc(*array, larger * size);
    if (grown == NULL) {
        self->failed = true;
        return false;
    }
    memset(grown + *count * size, 0, (larger - *count) * size);
    *array = grown;
    *count = larger;
    return true;
}

void wave_writer_open_scope(wave_writer *self, const char *name) {
    fstWriterSetScope(self->to, FST_ST_VCD_MODULE, name, NULL);
}

void wave_writer_close_scope(wave_writer *self) {
    fstWriterSetUpscope(self->to);
}

static void note_lane(wave_writer *self, fstHandle handle, uint32_t bits) {
    void *array = self->lane;
    if (reach(self, &array, &self->lane_count, handle, sizeof *self->lane)) {
        self->lane = array;
        self->lane[handle].bits = bits;
    }
}

// The lane with room for `length` characters, noted as changed; NULL when memory is out.
static struct lane *touch(wave_writer *self, wave_lane handle, size_t length) {
    void *list = self->changed;
    if (self->failed ||
        !reach(self, &list, &self->changed_room, self->changed_count, sizeof *self->changed)) {
        return NULL;
    }
    self->changed = list;
    struct lane *lane = &self->lane[handle];
    if (length + 1 > lane->room) {
        char *now = realloc(lane->now, length + 1);
        lane->now = now != NULL ? now : lane->now;
        char *written = now != NULL ? realloc(lane->written, length + 1) : NULL;
        if (written == NULL) {
            self->failed = true;
            return NULL;
        }
        if (lane->written == NULL) {
            written[0] = '\0'; // no value is empty
        }
        lane->written = written;
        lane->room = length + 1;
    }
    if (!lane->changed) {
        lane->changed = true;
        self->changed[self->changed_count++] = handle;
    }
    return lane;
}

static void binary(uint64_t value, uint32_t bits, char *text) {
    for (uint32_t bit = 0; bit < bits; bit++) {
        text[bits - 1 - bit] = bit < 64 && (value >> bit & 1) != 0 ? '1' : '0';
    }
    text[bits] = '\0';
}

static void refer_names(wave_writer *self, const wave_names *names) {
    enum { VALUE_BITS = 32 };
    char(*value)[VALUE_BITS + 1] = calloc(names->count, sizeof *value);
    const char **text = calloc(names->count, sizeof *text);
    const char **list = calloc(names->count, sizeof *list);
    if (value == NULL || text == NULL || list == NULL) {
        self->failed = true;
    } else {
        for (size_t i = 0; i < names->count; i++) {
            binary(names->value != NULL ? names->value[i] : i, names->bits, value[i]);
            list[i] = value[i];
            text[i] = names->text[i];
        }
        const fstEnumHandle made = fstWriterCreateEnumTable(
            self->to, names->title, (uint32_t)names->count, names->bits, text, list);
        fstWriterEmitEnumTableRef(self->to, made);
    }
    free(value);
    free(text);
    free(list);
}

wave_lane wave_writer_add_bits(wave_writer *self, const char *name, uint32_t bits,
                               const wave_names *names) {
    char text[128];
    if (bits > 1) {
        (void)snprintf(text, sizeof text, "%s [%u:0]", name, bits - 1);
    } else {
        (void)snprintf(text, sizeof text, "%s", name);
    }
    if (names != NULL) {
        refer_names(self, names);
    }
    const fstHandle made =
        fstWriterCreateVar(self->to, FST_VT_SV_LOGIC, FST_VD_IMPLICIT, bits, text, 0);
    note_lane(self, made, bits);
    return made;
}

wave_lane wave_writer_add_text(wave_writer *self, const char *name) {
    const fstHandle made =
        fstWriterCreateVar(self->to, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, name, 0);
    note_lane(self, made, 0);
    return made;
}

void wave_writer_set(wave_writer *self, wave_lane lane, uint64_t value) {
    const uint32_t bits = self->lane[lane].bits;
    struct lane *at = touch(self, lane, bits);
    if (at != NULL) {
        binary(value, bits, at->now);
    }
}

void wave_writer_set_bytes(wave_writer *self, wave_lane lane, const uint8_t *bytes) {
    const uint32_t bits = self->lane[lane].bits;
    struct lane *at = touch(self, lane, bits);
    for (uint32_t bit = 0; at != NULL && bit < bits; bit++) {
        at->now[bits - 1 - bit] = (bytes[bit / 8] >> bit % 8 & 1) != 0 ? '1' : '0';
    }
    if (at != NULL) {
        at->now[bits] = '\0';
    }
}

void wave_writer_fill(wave_writer *self, wave_lane lane, char bit) {
    const uint32_t bits = self->lane[lane].bits;
    struct lane *at = touch(self, lane, bits);
    if (at != NULL) {
        memset(at->now, bit, bits);
        at->now[bits] = '\0';
    }
}

void wave_writer_say(wave_writer *self, wave_lane lane, const char *text) {
    const size_t length = strlen(text);
    struct lane *at = touch(self, lane, length);
    if (at != NULL) {
        memcpy(at->now, text, length + 1);
    }
}

// Ends a cycle of ours.
static void put_changes(wave_writer *self) {
    for (size_t i = 0; i < self->changed_count; i++) {
        const wave_lane handle = self->changed[i];
        struct lane *lane = &self->lane[handle];
        lane->changed = false;
        if (strcmp(lane->now, lane->written) == 0) {
            continue;
        }
        const size_t length = strlen(lane->now);
        memcpy(lane->written, lane->now, length + 1);
        if (lane->bits > 0) {
            fstWriterEmitValueChange(self->to, handle, lane->now);
        } else {
            fstWriterEmitVariableLengthValueChange(self->to, handle, lane->now, (uint32_t)length);
        }
    }
    self->changed_count = 0;
}

static void copy_names(wave_writer *self, const struct fstHierAttr *attr) {
    const size_t number = (size_t)attr->arg;
    void *array = self->names;
    if (!reach(self, &array, &self->names_count, number, sizeof *self->names)) {
        return;
    }
    self->names = array;
    if (attr->name_length == 0) { // the next signal has these names
        self->refers = self->names[number];
        return;
    }
    struct fstETab *table = fstUtilityExtractEnumTableFromString(attr->name);
    if (table != NULL) {
        self->names[number] = fstWriterCreateEnumTable(self->to, table->name, table->elem_count, 0,
                                                       (const char **)(void *)table->literal_arr,
                                                       (const char **)(void *)table->val_arr);
        fstUtilityFreeEnumTable(table);
    }
}

static void copy_attribute(wave_writer *self, const struct fstHierAttr *attr) {
    if (attr->typ == FST_AT_MISC && attr->subtype == FST_MT_ENUMTABLE) {
        copy_names(self, attr);
    } else {
        fstWriterSetAttrBegin(self->to, (enum fstAttrType)attr->typ, attr->subtype, attr->name,
                              attr->arg);
    }
}

static void copy_signal(wave_writer *self, const struct fstHierVar *var) {
    void *array = self->handle;
    if (!reach(self, &array, &self->handle_count, var->handle, sizeof *self->handle)) {
        return;
    }
    self->handle = array;
    if (self->refers != 0) {
        fstWriterEmitEnumTableRef(self->to, self->refers);
        self->refers = 0;
    }
    const fstHandle same = var->is_alias ? self->handle[var->handle] : 0;
    const fstHandle made =
        fstWriterCreateVar(self->to, (enum fstVarType)var->typ, (enum fstVarDir)var->direction,
                           var->length, var->name, same);
    if (!var->is_alias) {
        self->handle[var->handle] = made;
    }
}

static void copy_hierarchy(wave_writer *self) {
    struct fstHier *at = NULL;
    while (!self->failed && (at = fstReaderIterateHier(self->from)) != NULL) {
        switch (at->htyp) {
        case FST_HT_SCOPE:
            fstWriterSetScope(self->to, (enum fstScopeType)at->u.scope.typ, at->u.scope.name,
                              at->u.scope.component);
            break;
        case FST_HT_UPSCOPE:
            fstWriterSetUpscope(self->to);
            break;
        case FST_HT_ATTRBEGIN:
            copy_attribute(self, &at->u.attr);
            break;
        case FST_HT_ATTREND:
            fstWriterSetAttrEnd(self->to);
            break;
        case FST_HT_VAR:
            copy_signal(self, &at->u.var);
            break;
        default:
            break;
        }
    }
}

static void go_to(wave_writer *self, uint64_t time) {
    if (!self->begun || time > self->now) {
        fstWriterEmitTimeChange(self->to, time);
        self->now = time;
        self->begun = true;
    }
}

// Sets the cycles of ours that begin up to `time`.
static void catch_up(wave_writer *self, uint64_t time) {
    const wave_source *ours = self->ours;
    while (self->next <= ours->last && self->next * ours->cycle_time <= time) {
        go_to(self, self->next * ours->cycle_time);
        ours->cycle(ours->user, self, self->next++);
        put_changes(self);
    }
}

static void pass_text(void *user, uint64_t time, fstHandle handle, const unsigned char *value,
                      uint32_t bytes) {
    wave_writer *self = user;
    catch_up(self, time);
    go_to(self, time);
    fstWriterEmitVariableLengthValueChange(self->to, self->handle[handle], value, bytes);
}

static void pass_bits(void *user, uint64_t time, fstHandle handle, const unsigned char *value) {
    wave_writer *self = user;
    catch_up(self, time);
    go_to(self, time);
    fstWriterEmitValueChange(self->to, self->handle[handle], value);
}

static void pass_changes(wave_writer *self) {
    const wave_source *ours = self->ours;
    if (self->from != NULL) {
        fstReaderSetFacProcessMaskAll(self->from);
        fstReaderIterBlocksSetNativeDoublesOnCallback(self->from, 1);
        (void)fstReaderIterBlocks2(self->from, pass_bits, pass_text, self, NULL);
    }
    catch_up(self, UINT64_MAX);
    go_to(self, (ours->last + 1) * ours->cycle_time); // so that the last cycle has its width
}

static void write_all(wave_writer *self) {
    fstWriterSetPackType(self->to, FST_WR_PT_LZ4);
    fstWriterSetTimescale(self->to, -12);
    fstWriterSetVersion(self->to, "tpucosim");
    if (self->ours->comment != NULL) {
        fstWriterSetComment(self->to, self->ours->comment);
    }
    if (self->from != NULL) {
        copy_hierarchy(self);
    }
    self->ours->declare(self->ours->user, self);
    if (!self->failed) {
        pass_changes(self);
    }
}

static void clear(wave_writer *self) {
    if (self->from != NULL) {
        fstReaderClose(self->from);
    }
    for (size_t i = 0; i < self->lane_count; i++) {
        free(self->lane[i].now);
        free(self->lane[i].written);
    }
    free(self->lane);
    free(self->changed);
    free(self->handle);
    free(self->names);
}

// The writer tells nothing of a full disk: a file that is not whole has no end.
static bool is_whole(const char *path, uint64_t end) {
    void *reader = fstReaderOpen(path);
    const bool whole = reader != NULL && fstReaderGetEndTime(reader) == end;
    if (reader != NULL) {
        fstReaderClose(reader);
    }
    return whole;
}

static tpu_status write_beside(wave_writer *self, const char *beside, const char *path,
                               tpu_message *why) {
    self->to = fstWriterCreate(beside, 1);
    if (self->to == NULL) {
        return status_fail(why, TPU_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    write_all(self);
    fstWriterClose(self->to);
    if (self->failed) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    if (!is_whole(beside, self->now) || rename(beside, path) != 0) {
        return status_fail(why, TPU_ERR_IO, "%s: cannot be written whole; is the disk full?", path);
    }
    return TPU_OK;
}

tpu_status wave_writer_run(const char *machine, const wave_source *ours, const char *path,
                           tpu_message *why) {
    wave_writer self = {.ours = ours, .next = ours->first};
    const size_t size = strlen(path) + sizeof ".part";
    char *beside = malloc(size);
    if (beside == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    (void)snprintf(beside, size, "%s.part", path);
    tpu_status status = TPU_OK;
    if (machine != NULL && (self.from = fstReaderOpen(machine)) == NULL) {
        status = status_fail(why, TPU_REFUSED, "%s: this is no waveform", machine);
    } else {
        status = write_beside(&self, beside, path, why);
    }
    if (status != TPU_OK) {
        (void)remove(beside);
    }
    clear(&self);
    free(beside);
    return status;
}
