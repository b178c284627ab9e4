// SPDX-License-Identifier: Apache-2.0
//
// Finds and opens an engine's shared object.

#define _POSIX_C_SOURCE 200809L

#include "harness/engine/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct loader {
    void *object;
    const engine_api *api;
};

void loader_file_name(const char *kind, const tpu_params *params, char *text, size_t size) {
    (void)snprintf(text, size, "libtpu_engine_%s_T%u_MD%u_SP%u_VR%u_AR%u_IM%u_QD%u_DW%u.so", kind,
                   params->t, params->maxdim, params->spad_rows, params->nvr, params->nar,
                   params->imem_size, params->qd, params->dma_words);
}

static void add_setting(char *text, size_t size, const char *name, uint32_t value) {
    size_t length = strlen(text);
    (void)snprintf(text + length, size - length, " %s=%u", name, value);
}

void loader_build_command(const char *kind, const tpu_params *params, char *text, size_t size) {
    tpu_params usual = params_default(params->t, params->maxdim);
    const uint32_t wanted[TPU_PARAM_COUNT] = {params->t,   params->maxdim,   params->spad_rows,
                                              params->nvr, params->nar,      params->imem_size,
                                              params->qd,  params->dma_words};
    const uint32_t normal[TPU_PARAM_COUNT] = {
        0, 0, usual.spad_rows, usual.nvr, usual.nar, usual.imem_size, usual.qd, usual.dma_words};
    (void)snprintf(text, size, "make engine");
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        if (wanted[i] != normal[i]) {
            add_setting(text, size, tpu_param_infos[i].env, wanted[i]);
        }
    }
    if (strcmp(kind, "verilator") != 0) {
        size_t length = strlen(text);
        (void)snprintf(text + length, size - length, " TPU_ENGINE=%s", kind);
    }
}

void loader_program_directory(char *text, size_t size) {
    ssize_t length = readlink("/proc/self/exe", text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(text, '/');
    if (slash != NULL) {
        *slash = '\0';
    } else {
        (void)snprintf(text, size, ".");
    }
}

// "<dir>/engines" beside the executable, or what the environment says.
static void engine_directory(char *text, size_t size) {
    const char *set = getenv("TPU_ENGINE_DIR");
    if (set != NULL && set[0] != '\0') {
        (void)snprintf(text, size, "%s", set);
        return;
    }
    char self[PATH_MAX];
    loader_program_directory(self, sizeof self);
    (void)snprintf(text, size, "%s/engines", self);
}

static tpu_status refuse_missing(const char *kind, const tpu_params *params, const char *path,
                                 tpu_message *why) {
    char command[256];
    loader_build_command(kind, params, command, sizeof command);
    return status_fail(why, TPU_REFUSED, "there is no engine %s; build it with: %s", path, command);
}

static tpu_status resolve(loader *self, const char *path, tpu_message *why) {
    // POSIX says how to turn dlsym's object pointer into a function pointer; ISO C has no way.
    engine_entry_fn entry = NULL;
    void *symbol = dlsym(self->object, ENGINE_ENTRY_NAME);
    memcpy(&entry, &symbol, sizeof entry);
    if (symbol == NULL) {
        return status_fail(why, TPU_REFUSED, "%s is no engine: it has no %s", path,
                           ENGINE_ENTRY_NAME);
    }
    self->api = entry();
    if (self->api == NULL || self->api->abi != ENGINE_ABI) {
        return status_fail(why, TPU_REFUSED,
                           "%s speaks interface %u, this program %u: build it "
                           "again",
                           path, self->api != NULL ? self->api->abi : 0, ENGINE_ABI);
    }
    return TPU_OK;
}

tpu_status loader_open(const char *kind, const tpu_params *params, loader **out, tpu_message *why) {
    char directory[PATH_MAX + 16];
    engine_directory(directory, sizeof directory);
    return loader_open_in(directory, kind, params, out, why);
}

tpu_status loader_open_in(const char *directory, const char *kind, const tpu_params *params,
                          loader **out, tpu_message *why) {
    char name[256];
    char path[PATH_MAX + 512];
    loader_file_name(kind, params, name, sizeof name);
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    if (access(path, R_OK) != 0) {
        return refuse_missing(kind, params, path, why);
    }
    loader *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "loader: out of memory");
    }
    self->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (self->object == NULL) {
        free(self);
        return status_fail(why, TPU_REFUSED, "%s cannot be opened: %s", path, dlerror());
    }
    tpu_status status = resolve(self, path, why);
    if (status != TPU_OK) {
        loader_close(self);
        return status;
    }
    *out = self;
    return TPU_OK;
}

void loader_close(loader *self) {
    if (self == NULL) {
        return;
    }
    (void)dlclose(self->object);
    free(self);
}

const engine_api *loader_api(const loader *self) {
    return self->api;
}
