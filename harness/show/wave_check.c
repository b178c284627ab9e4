// SPDX-License-Identifier: Apache-2.0
//
// The questions before a run. The names are those of rtl/top/tpu_engine.sv and of the memories
// that engine_pins.h reads.

#define _POSIX_C_SOURCE 200809L // statvfs

#include "harness/show/wave_check.h"

#include "harness/show/wave.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define CORE "TOP.tpu_engine.u_top.u_core."

enum { NAMED = 3, AR_BANKS = 4 };

// A missing name is counted; the first ones are told.
typedef struct missing {
    const wave_file *file;
    size_t count;
    size_t asked;
    char first[256];
} missing;

static void ask(missing *self, const char *name) {
    self->asked++;
    if (wave_file_find(self->file, name) != NULL) {
        return;
    }
    if (self->count++ < NAMED) {
        const size_t used = strlen(self->first);
        (void)snprintf(self->first + used, sizeof self->first - used, "%s%s", used > 0 ? ", " : "",
                       name);
    }
}

static void ask_probes(missing *self) {
    static const char *const whole[] = {"fired", "unit", "done"};
    char name[96];
    char stream[32];
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        (void)snprintf(name, sizeof name, "TOP.tpu_engine.probe_%s", whole[i]);
        ask(self, name);
    }
    for (int i = 0; i < TPU_STREAM_COUNT; i++) {
        wave_scope_name(tpu_streams[i].name, stream, sizeof stream);
        (void)snprintf(name, sizeof name, "TOP.tpu_engine.probe_%s", stream);
        ask(self, name);
    }
}

static void ask_rows(missing *self, const char *memory, uint32_t rows) {
    char name[128];
    for (uint32_t row = 0; row < rows; row++) {
        (void)snprintf(name, sizeof name, CORE "%s.u_ram.mem_q[%u]", memory, row);
        ask(self, name);
    }
}

static void ask_memories(missing *self, const tpu_params *params) {
    ask_rows(self, "u_spm.u_rows", params->spad_rows);
    ask_rows(self, "u_vru.u_rows", params->nvr);
    for (uint32_t bank = 0; bank < AR_BANKS; bank++) {
        char name[32];
        (void)snprintf(name, sizeof name, "u_accu.gen_bank[%u]", bank);
        ask_rows(self, name, (params->nar - bank + AR_BANKS - 1) / AR_BANKS);
    }
}

tpu_status wave_check_names(const wave_file *file, const tpu_params *params, bool memories,
                            tpu_message *why) {
    missing self = {.file = file};
    ask_probes(&self);
    if (memories) {
        ask_memories(&self, params);
    }
    if (self.count == 0) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED,
                       "the machine's dump lacks %zu of %zu signals that a window needs: %s%s",
                       self.count, self.asked, self.first, self.count > NAMED ? ", ..." : "");
}

static tpu_status check_room(const char *path, const char *directory, uint64_t bytes,
                             tpu_message *why) {
    struct statvfs disk;
    if (statvfs(directory, &disk) != 0) {
        return TPU_OK; // nobody says how much there is
    }
    const uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (free_bytes < bytes) {
        return status_fail(why, TPU_REFUSED,
                           "%s: the waveform may need %llu bytes, the disk has %llu left", path,
                           (unsigned long long)bytes, (unsigned long long)free_bytes);
    }
    return TPU_OK;
}

static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char *text = malloc(length + 1);
    if (text != NULL) {
        memcpy(text, slash == NULL ? "." : path, length);
        text[length] = '\0';
    }
    return text;
}

tpu_status wave_check_place(const char *path, uint64_t bytes, tpu_message *why) {
    struct stat there;
    const bool exists = stat(path, &there) == 0;
    FILE *file = exists && S_ISDIR(there.st_mode) ? NULL : fopen(path, "ab");
    if (file == NULL) {
        return status_fail(why, TPU_REFUSED, "%s: a waveform cannot be written there: %s", path,
                           strerror(exists && S_ISDIR(there.st_mode) ? EISDIR : errno));
    }
    (void)fclose(file);
    if (!exists) {
        (void)remove(path);
    }
    char *directory = directory_of(path);
    if (directory == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    const tpu_status status = check_room(path, directory, bytes, why);
    free(directory);
    return status;
}

// One cycle of a fresh engine in a file.
static tpu_status dump_one(const engine_api *api, const engine_config *config, const char *path,
                           tpu_message *why) {
    engine *device = NULL;
    probe seen;
    tpu_status status = api->create(config, &device, why);
    if (status == TPU_OK) {
        status = api->trace_open(device, path, why);
    }
    if (status == TPU_OK) {
        status = api->start(device, why);
    }
    if (status == TPU_OK) {
        status = api->step(device, &seen, why);
    }
    if (device != NULL) {
        (void)api->trace_close(device, NULL);
        api->destroy(device);
    }
    return status;
}

// What a cycle costs beyond the first, by measurement a twentieth; rather too much than too little.
static uint64_t room_for(const char *first, uint64_t cycles) {
    struct stat there;
    const uint64_t bytes = stat(first, &there) == 0 ? (uint64_t)there.st_size : 0;
    return bytes + cycles / 8 * bytes;
}

tpu_status wave_check_engine(const engine_api *api, const engine_config *config, const char *path,
                             uint64_t cycles, bool memories, tpu_message *why) {
    tpu_status status = wave_check_place(path, 0, why);
    const size_t size = strlen(path) + sizeof ".first";
    char *first = status == TPU_OK ? malloc(size) : NULL;
    if (first == NULL) {
        return status == TPU_OK ? status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path)
                                : status;
    }
    (void)snprintf(first, size, "%s.first", path);
    wave_file *file = NULL;
    status = dump_one(api, config, first, why);
    if (status == TPU_OK) {
        status = wave_file_open(first, &file, why);
    }
    if (status == TPU_OK) {
        status = wave_check_names(file, &config->params, memories, why);
    }
    wave_file_close(file);
    const uint64_t bytes = room_for(first, cycles);
    (void)remove(first);
    free(first);
    return status == TPU_OK ? wave_check_place(path, bytes, why) : status;
}
