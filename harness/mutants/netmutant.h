// SPDX-License-Identifier: Apache-2.0
//
// The single faults that Yosys draws from the netlist of the core (ci/netmutants): one line of its
// command `mutate` each, read into plain data. What is done with them is in netmutant_run.h, and
// why some of them may survive in netmutant_rules.h.

#ifndef NETMUTANT_H
#define NETMUTANT_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Most places in the source that one fault is traced to. */
#define NETMUTANT_SOURCES 12

/** Largest number of faults in a list. */
#define NETMUTANT_MAX 65535u

/** A place in the source, from Yosys's attribute src. */
typedef struct netmutant_source {
    const char *file; /**< from the root of the tree */
    uint32_t line;
    uint32_t column;
    uint32_t last_line;
} netmutant_source;

/** One fault: `kind` of one bit at one port of one cell. Strings belong to the list. */
typedef struct netmutant {
    uint32_t number;  /**< what TPU_MUTANT chooses it by, from 1 */
    const char *kind; /**< inv, const0, const1, cnot0, cnot1: the last two by another bit */
    const char *cell;
    const char *port;
    uint32_t bit;
    uint32_t control; /**< cnot0, cnot1: the bit of the port that decides */
    const char *wire; /**< that the bit has a name by; NULL = none */
    netmutant_source source[NETMUTANT_SOURCES];
    size_t source_count;
} netmutant;

typedef struct netmutant_list {
    char *text; /**< what the strings point into */
    netmutant *item;
    size_t count;
} netmutant_list;

/**
 * Reads a list of `mutate` lines.
 * @param[in,out] out  zeroed; netmutant_list_clear ends it.
 * @return TPU_OK; TPU_REFUSED with file and line; TPU_ERR_MEMORY.
 */
tpu_status netmutant_list_read(const char *path, netmutant_list *out,
                               tpu_message *why) TPU_NODISCARD;

void netmutant_list_clear(netmutant_list *self);

#endif
