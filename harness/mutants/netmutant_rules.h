// SPDX-License-Identifier: Apache-2.0
//
// Why planted faults may survive: tests/mutants/netlist_survivors.txt. A rule names places in the
// machine, a class and a reason; a survivor that no rule explains is a hole of the tests.

#ifndef NETMUTANT_RULES_H
#define NETMUTANT_RULES_H

#include "base/status.h"
#include "harness/mutants/netmutant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum netmutant_class {
    NETMUTANT_EQUIVALENT,  /**< the machine does the same */
    NETMUTANT_UNREACHABLE, /**< no program and no memory makes the difference appear */
    NETMUTANT_ELSEWHERE,   /**< not lockstep but another test is there to see it: `test` */
    NETMUTANT_ILLEGAL,     /**< only an illegal program could show it, and none did */
    NETMUTANT_UNTESTED,    /**< a hole that is known */
    NETMUTANT_CLASS_COUNT
} netmutant_class;

/** One rule. Strings belong to the rules. */
typedef struct netmutant_rule {
    const char *name;
    netmutant_class class;
    const char *why;
    const char *test; /**< NULL unless ELSEWHERE */
    const char *port; /**< globs; NULL = any */
    const char *kind;
    uint32_t low; /**< bits of the port */
    uint32_t high;
    uint32_t decides; /**< the bit of the port that decides in a cnot; UINT32_MAX = any */
    bool zero;    /**< these bits are always 0: explains const0 of them, and cnot1 by one of them */
    size_t first; /**< of its places, in netmutant_rules.place */
    size_t places;
} netmutant_rule;

/** A place: a glob over the names of cell and wire, or a piece of text in a line of a file. */
typedef struct netmutant_place {
    const char *cell;
    const char *file;
    const char *text;
    bool choice; /**< only what chooses between the branches of a statement there */
} netmutant_place;

typedef struct netmutant_rules {
    char *text; /**< what the strings point into */
    netmutant_rule *rule;
    size_t count;
    netmutant_place *place;
    size_t place_count;
} netmutant_rules;

/**
 * Reads the rules.
 * @param[in,out] out  zeroed; netmutant_rules_clear ends it.
 * @return TPU_OK; TPU_REFUSED with file and line for anything that is not a rule; TPU_ERR_MEMORY.
 */
tpu_status netmutant_rules_read(const char *path, netmutant_rules *out,
                                tpu_message *why) TPU_NODISCARD;

void netmutant_rules_clear(netmutant_rules *self);

/** Lines of the sources, so that a rule can be asked for text. Zero-initialise. */
typedef struct netmutant_tree {
    const char *root; /**< borrowed; directory that the faults' files are relative to */
    struct netmutant_file *file;
    size_t count;
} netmutant_tree;

void netmutant_tree_clear(netmutant_tree *self);

/**
 * The line of the source that shows best where the fault is: the shortest span in the innermost
 * module.
 * @param[out] text  borrowed until netmutant_tree_clear; "" when the file has no such line.
 * @return NULL when the fault is traced to no source.
 */
const netmutant_source *netmutant_tree_line(netmutant_tree *self, const netmutant *of,
                                            const char **text);

/** True when a line that the fault is traced to is of this file and holds the text. */
bool netmutant_tree_has(netmutant_tree *self, const netmutant *of, const char *file,
                        const char *text);

/** The first rule that names a place of the fault; NULL = none. */
const netmutant_rule *netmutant_rules_find(const netmutant_rules *self, netmutant_tree *tree,
                                           const netmutant *of);

/** "equivalent", "unreachable", "elsewhere", "illegal", "untested". */
const char *netmutant_class_name(netmutant_class class);

#endif
