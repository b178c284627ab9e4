// SPDX-License-Identifier: Apache-2.0
//
// The dictionary at the head of a .npy file: descr, fortran_order, shape. A small parser of exactly
// that, not of Python.

#include "harness/io/npy_header.h"

#include "harness/io/npy.h"

#include <string.h>

// A place in the dictionary. `name` is the file's, for sentences.
typedef struct cursor {
    const char *name;
    const char *at;
    const char *end;
} cursor;

static void skip_space(cursor *in) {
    while (in->at < in->end && strchr(" \t\n\r", *in->at) != NULL && *in->at != '\0') {
        in->at++;
    }
}

static bool take(cursor *in, char wanted) {
    skip_space(in);
    if (in->at < in->end && *in->at == wanted) {
        in->at++;
        return true;
    }
    return false;
}

static tpu_status malformed(const cursor *in, const char *wanted, tpu_message *why) {
    if (in->at >= in->end) {
        return status_fail(why, TPU_REFUSED, "%s: the .npy header ends where %s should follow",
                           in->name, wanted);
    }
    unsigned found = (unsigned char)*in->at;
    if (found >= 0x20 && found < 0x7f) {
        return status_fail(why, TPU_REFUSED, "%s: the .npy header has '%c' where %s should follow",
                           in->name, (char)found, wanted);
    }
    return status_fail(why, TPU_REFUSED,
                       "%s: the .npy header has byte 0x%02x where %s should follow", in->name,
                       found, wanted);
}

// A quoted word without escapes; `word` receives at most `room` - 1 characters.
static tpu_status take_word(cursor *in, char *word, size_t room, const char *wanted,
                            tpu_message *why) {
    skip_space(in);
    char quote = take(in, '\'') ? '\'' : take(in, '"') ? '"' : '\0';
    if (quote == '\0') {
        return malformed(in, wanted, why);
    }
    size_t length = 0;
    while (in->at < in->end && *in->at != quote && length + 1 < room) {
        word[length++] = *in->at++;
    }
    word[length] = '\0';
    return take(in, quote) ? TPU_OK : malformed(in, "a closing quote", why);
}

static tpu_status take_number(cursor *in, size_t *out, tpu_message *why) {
    skip_space(in);
    if (in->at >= in->end || *in->at < '0' || *in->at > '9') {
        return malformed(in, "a number of the shape", why);
    }
    size_t value = 0;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        if (value > NPY_BYTES_MAX) {
            return status_fail(why, TPU_REFUSED,
                               "%s: an extent of the shape is above the %zu that is read", in->name,
                               NPY_BYTES_MAX);
        }
        value = value * 10 + (size_t)(*in->at++ - '0');
    }
    *out = value;
    return TPU_OK;
}

static tpu_status read_descr(cursor *in, npy_header *out, tpu_message *why) {
    static const char *const allowed[] = {"|i1", "i1", "<i1", ">i1", "=i1"};
    char word[16];
    skip_space(in);
    if (in->at < in->end && *in->at == '[') {
        return status_fail(why, TPU_REFUSED,
                           "%s: a structured dtype was found, int8 ('|i1') is needed", in->name);
    }
    tpu_status status = take_word(in, word, sizeof word, "a dtype", why);
    if (status != TPU_OK) {
        return status;
    }
    out->seen_descr = true;
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        if (strcmp(word, allowed[i]) == 0) {
            return TPU_OK;
        }
    }
    return status_fail(why, TPU_REFUSED, "%s: dtype '%s' was found, int8 ('|i1') is needed",
                       in->name, word);
}

static bool take_text(cursor *in, const char *text) {
    size_t length = strlen(text);
    skip_space(in);
    if ((size_t)(in->end - in->at) < length || memcmp(in->at, text, length) != 0) {
        return false;
    }
    in->at += length;
    return true;
}

static tpu_status read_order(cursor *in, npy_header *out, tpu_message *why) {
    out->seen_order = true;
    out->fortran = take_text(in, "True");
    return out->fortran || take_text(in, "False") ? TPU_OK : malformed(in, "True or False", why);
}

static tpu_status read_shape(cursor *in, npy_header *out, tpu_message *why) {
    size_t extent[2] = {0, 0};
    size_t dimensions = 0;
    if (!take(in, '(')) {
        return malformed(in, "'(' of the shape", why);
    }
    while (!take(in, ')')) {
        size_t value = 0;
        tpu_status status = take_number(in, &value, why);
        if (status != TPU_OK) {
            return status;
        }
        if (dimensions < 2) {
            extent[dimensions] = value;
        }
        dimensions++;
        if (!take(in, ',') && (in->at >= in->end || *in->at != ')')) {
            return malformed(in, "',' or ')' of the shape", why);
        }
    }
    if (dimensions != 2) {
        return status_fail(why, TPU_REFUSED,
                           "%s: the shape has %zu dimension(s), 2 are needed (rows, columns)",
                           in->name, dimensions);
    }
    out->seen_shape = true;
    out->rows = extent[0];
    out->columns = extent[1];
    return TPU_OK;
}

static tpu_status read_entry(cursor *in, npy_header *out, tpu_message *why) {
    static const struct {
        const char *key;
        size_t seen; // offset of its flag
        tpu_status (*read)(cursor *, npy_header *, tpu_message *);
    } entries[] = {
        {"descr", offsetof(npy_header, seen_descr), read_descr},
        {"fortran_order", offsetof(npy_header, seen_order), read_order},
        {"shape", offsetof(npy_header, seen_shape), read_shape},
    };
    char key[32];
    tpu_status status = take_word(in, key, sizeof key, "a key", why);
    if (status != TPU_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(key, entries[i].key) != 0) {
            continue;
        }
        if (*((const char *)out + entries[i].seen) != 0) {
            return status_fail(why, TPU_REFUSED, "%s: the .npy header has '%s' twice", in->name,
                               key);
        }
        return take(in, ':') ? entries[i].read(in, out, why) : malformed(in, "':'", why);
    }
    return status_fail(why, TPU_REFUSED,
                       "%s: the .npy header has the key '%s'; descr, fortran_order and shape are "
                       "allowed",
                       in->name, key);
}

static tpu_status need_all_keys(const cursor *in, const npy_header *found, tpu_message *why) {
    const char *missing = !found->seen_descr   ? "descr"
                          : !found->seen_order ? "fortran_order"
                          : !found->seen_shape ? "shape"
                                               : NULL;
    if (missing == NULL) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED, "%s: the .npy header lacks '%s'", in->name, missing);
}

tpu_status npy_header_parse(const char *name, const uint8_t *text, size_t length, npy_header *out,
                            tpu_message *why) {
    cursor place = {.name = name, .at = (const char *)text, .end = (const char *)text + length};
    cursor *in = &place;
    *out = (npy_header){0};
    if (!take(in, '{')) {
        return malformed(in, "'{'", why);
    }
    while (!take(in, '}')) {
        tpu_status status = read_entry(in, out, why);
        if (status != TPU_OK) {
            return status;
        }
        skip_space(in);
        if (!take(in, ',') && (in->at >= in->end || *in->at != '}')) {
            return malformed(in, "',' or '}'", why);
        }
    }
    skip_space(in);
    return in->at == in->end ? need_all_keys(in, out, why)
                             : malformed(in, "nothing but spaces", why);
}
