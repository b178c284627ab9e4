// SPDX-License-Identifier: Apache-2.0
//
// Loading the specification and reaching into its tree.

#include "spec/specgen_spec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_BYTES_MAX (4u << 20)

uint64_t specgen_spec_hash(const char *data, size_t size) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)data[i]) * 0x100000001B3u;
    }
    return hash;
}

tpu_status specgen_spec_refuse(const specgen_spec *spec, tpu_message *why, const char *path,
                               const char *fmt, ...) {
    char sentence[400];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    return status_fail(why, TPU_REFUSED, "%s: %s: %s", spec->file, path, sentence);
}

static tpu_status read_text(const char *file, specgen_spec *out, tpu_message *why) {
    FILE *stream = fopen(file, "rb");
    if (stream == NULL) {
        return status_fail(why, TPU_REFUSED, "%s: cannot be opened for reading", file);
    }
    out->text = malloc(SPEC_BYTES_MAX + 1);
    if (out->text == NULL) {
        (void)fclose(stream);
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", file);
    }
    out->size = fread(out->text, 1, SPEC_BYTES_MAX + 1, stream);
    bool bad = ferror(stream) != 0;
    (void)fclose(stream);
    if (bad || out->size > SPEC_BYTES_MAX) {
        return status_fail(why, TPU_REFUSED, "%s: cannot be read, or is larger than %u bytes", file,
                           SPEC_BYTES_MAX);
    }
    out->text[out->size] = '\0';
    return TPU_OK;
}

static void place(const specgen_spec *spec, size_t offset, int *line, int *column) {
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset && i < spec->size; i++) {
        *column = spec->text[i] == '\n' ? 1 : *column + 1;
        *line += spec->text[i] == '\n' ? 1 : 0;
    }
}

static tpu_status check_ascii(const specgen_spec *spec, tpu_message *why) {
    for (size_t i = 0; i < spec->size; i++) {
        unsigned char c = (unsigned char)spec->text[i];
        if (c >= 127 || (c < 32 && c != '\n')) {
            int line = 0;
            int column = 0;
            place(spec, i, &line, &column);
            return status_fail(why, TPU_REFUSED,
                               "%s:%d:%d: found byte 0x%02X; only printable ASCII and line feeds "
                               "are allowed",
                               spec->file, line, column, c);
        }
    }
    return TPU_OK;
}

static tpu_status parse(specgen_spec *spec, tpu_message *why) {
    const char *end = NULL;
    spec->root = cJSON_ParseWithLengthOpts(spec->text, spec->size + 1, &end, 1);
    if (spec->root == NULL) {
        int line = 0;
        int column = 0;
        place(spec, end == NULL ? 0 : (size_t)(end - spec->text), &line, &column);
        return status_fail(why, TPU_REFUSED, "%s:%d:%d: the JSON ends or breaks here", spec->file,
                           line, column);
    }
    if (!cJSON_IsObject(spec->root)) {
        return status_fail(why, TPU_REFUSED, "%s:1:1: found no object; the file is one JSON object",
                           spec->file);
    }
    return TPU_OK;
}

tpu_status specgen_spec_load(const char *file, specgen_spec *out, tpu_message *why) {
    memset(out, 0, sizeof *out);
    out->file = file;
    tpu_status status = read_text(file, out, why);
    if (status == TPU_OK) {
        status = check_ascii(out, why);
    }
    if (status == TPU_OK) {
        out->hash = specgen_spec_hash(out->text, out->size);
        status = parse(out, why);
    }
    if (status != TPU_OK) {
        specgen_spec_clear(out);
    }
    return status;
}

void specgen_spec_clear(specgen_spec *spec) {
    free(spec->text);
    cJSON_Delete(spec->root);
    memset(spec, 0, sizeof *spec);
}

const cJSON *specgen_spec_at(const specgen_spec *spec, const char *path) {
    const cJSON *node = spec->root;
    while (node != NULL && *path != '\0') {
        char key[64] = {0};
        size_t length = strcspn(path, ".");
        if (length >= sizeof key) {
            return NULL;
        }
        memcpy(key, path, length);
        node = cJSON_GetObjectItemCaseSensitive(node, key);
        path += length + (path[length] == '.' ? 1u : 0u);
    }
    return node;
}

size_t specgen_spec_count(const specgen_spec *spec, const char *path) {
    return (size_t)cJSON_GetArraySize(specgen_spec_at(spec, path));
}

const char *specgen_spec_text(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

int64_t specgen_spec_number(const cJSON *node) {
    static const double limit = 9007199254740992.0; // 2^53
    if (!cJSON_IsNumber(node) || !(node->valuedouble > -limit && node->valuedouble < limit)) {
        return 0;
    }
    return (int64_t)node->valuedouble;
}

int64_t specgen_spec_int(const cJSON *object, const char *key) {
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);
    if (cJSON_IsNumber(node)) {
        return specgen_spec_number(node);
    }
    return cJSON_IsString(node) ? strtoll(node->valuestring, NULL, 0) : 0;
}

bool specgen_spec_bool(const cJSON *object, const char *key) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key)) != 0;
}

const cJSON *specgen_spec_list(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

int specgen_spec_find(const specgen_spec *spec, const char *path, const char *name) {
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        const char *found = specgen_spec_text(item, "name");
        if (found != NULL && name != NULL && strcmp(found, name) == 0) {
            return index;
        }
        index++;
    }
    return -1;
}

int specgen_spec_unit(const specgen_spec *spec, const char *name) {
    for (size_t i = 0; name != NULL && i < spec->unit_count; i++) {
        if (strcmp(spec->unit[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int specgen_spec_port(const specgen_unit *unit, const char *name) {
    for (size_t i = 0; name != NULL && i < unit->port_count; i++) {
        if (strcmp(unit->port[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int specgen_spec_opcode(const specgen_spec *spec, const char *name) {
    for (size_t i = 0; name != NULL && i < spec->opcode_count; i++) {
        if (strcmp(spec->opcode[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const cJSON *specgen_spec_operand(const specgen_opcode *opcode, const char *name) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, opcode->operands) {
        const char *found = specgen_spec_text(item, "name");
        if (found != NULL && strcmp(found, name) == 0) {
            return item;
        }
    }
    return NULL;
}
