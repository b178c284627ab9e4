// SPDX-License-Identifier: Apache-2.0
//
// The specification in memory: the file's text, its JSON tree, and typed views of the parts that
// several writers and checks need (units, opcodes, actions). Strings are borrowed from the tree.

#ifndef SPECGEN_SPEC_H
#define SPECGEN_SPEC_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPECGEN_UNITS 8 /* a unit mask has 8 bits */
#define SPECGEN_PORTS 8
#define SPECGEN_OPCODES 32
#define SPECGEN_ACTIONS 24
#define SPECGEN_ARGS 4
#define SPECGEN_PATH 160

typedef struct specgen_port {
    const char *name;
    int physical;  /**< how many items it takes a step */
    bool internal; /**< counts something inside the unit: what it emits has no receiver */
} specgen_port;

typedef struct specgen_unit {
    const char *name;
    const char *role;
    const char *control; /**< its control channel, NULL when it is not fed by a queue */
    int ii;
    bool elastic;
    specgen_port port[SPECGEN_PORTS];
    size_t port_count;
} specgen_unit;

typedef enum specgen_kind {
    SPECGEN_READ,
    SPECGEN_WRITE,
    SPECGEN_COMPUTE,
    SPECGEN_EMIT,
    SPECGEN_RECEIVE
} specgen_kind;

/** One effect of an instruction. Absent strings are NULL. */
typedef struct specgen_action {
    int unit;
    int port; /**< index in the unit */
    specgen_kind kind;
    bool per_instruction;
    const char *state;
    const char *base;
    const char *offset;
    const char *count;
    const char *when;
    const char *compute;
    const char *into;
    const char *role;
    const char *arg[SPECGEN_ARGS];
    size_t arg_count;
} specgen_action;

typedef struct specgen_opcode {
    const char *name;
    const char *constant;
    const char *meaning;
    const char *nr;   /**< "rows", "trips" or "none" */
    const char *rows; /**< what nr counts, NULL when none */
    int value;
    bool retired;
    const cJSON *operands;
    specgen_action action[SPECGEN_ACTIONS];
    size_t action_count;
} specgen_opcode;

typedef struct specgen_spec {
    const char *file; /**< borrowed: the name for messages */
    char *text;
    size_t size;
    uint64_t hash; /**< FNV-1a 64 of the text */
    cJSON *root;
    specgen_unit unit[SPECGEN_UNITS];
    size_t unit_count;
    specgen_opcode opcode[SPECGEN_OPCODES];
    size_t opcode_count;
} specgen_spec;

/** Reads and parses `file`; fills text, size, hash and root. @return TPU_REFUSED for bad JSON. */
tpu_status specgen_spec_load(const char *file, specgen_spec *out, tpu_message *why) TPU_NODISCARD;

/** Releases everything; safe on a zeroed struct. */
void specgen_spec_clear(specgen_spec *spec);

/** FNV-1a 64 of `size` bytes. */
uint64_t specgen_spec_hash(const char *data, size_t size);

/** The node at a dotted path such as "imem.entries", or NULL. */
const cJSON *specgen_spec_at(const specgen_spec *spec, const char *path);

/** Elements of the list at a dotted path, 0 when there is none. */
size_t specgen_spec_count(const specgen_spec *spec, const char *path);

/** Text under `key` of an object, NULL when absent or no text. */
const char *specgen_spec_text(const cJSON *object, const char *key);

/** A number node as a whole number; 0 for anything else and from 2^53 on. */
int64_t specgen_spec_number(const cJSON *node);

/** Number under `key`; a text such as "0x10" is read as one. 0 when absent. */
int64_t specgen_spec_int(const cJSON *object, const char *key);

/** True when `key` is there and true. */
bool specgen_spec_bool(const cJSON *object, const char *key);

/** The list under `key`, NULL when absent; for use with cJSON_ArrayForEach. */
const cJSON *specgen_spec_list(const cJSON *object, const char *key);

/** Index of the object with this name in the list at `path`, -1 when there is none. */
int specgen_spec_find(const specgen_spec *spec, const char *path, const char *name);

/** Index of a unit by name, -1. */
int specgen_spec_unit(const specgen_spec *spec, const char *name);

/** Index of a port by name, -1. */
int specgen_spec_port(const specgen_unit *unit, const char *name);

/** Index of an opcode by name, -1. */
int specgen_spec_opcode(const specgen_spec *spec, const char *name);

/** The operand of an opcode with this name, NULL. */
const cJSON *specgen_spec_operand(const specgen_opcode *opcode, const char *name);

/** Refuses with "file: path: sentence". */
tpu_status specgen_spec_refuse(const specgen_spec *spec, tpu_message *why, const char *path,
                               const char *fmt, ...) TPU_PRINTF(4, 5);

#endif
