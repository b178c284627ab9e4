// SPDX-License-Identifier: Apache-2.0
//
// Everything that follows from the actions and is written nowhere: what an instruction costs a
// unit, which units it is sent to and with which rewritten nr, who reads and writes a memory.

#ifndef SPECGEN_DERIVE_H
#define SPECGEN_DERIVE_H

#include "spec/specgen_spec.h"
#include "spec/specgen_text.h"

/** Steps of one unit for one issue: fixed (an expression over T) + rows * nr. */
typedef struct specgen_cost {
    bool reached;      /**< the opcode has an action in the unit */
    const char *when;  /**< the one condition all its actions share, NULL when none */
    const char *fixed; /**< busiest port of the per-instruction phase, NULL = 0 */
    int rows;          /**< busiest port of the per-row phase */
} specgen_cost;

/** Cost of `opcode` in `unit`. @return TPU_REFUSED when it would depend on an operand's value. */
tpu_status specgen_derive_cost(const specgen_spec *spec, size_t opcode, size_t unit,
                               specgen_cost *out, tpu_message *why) TPU_NODISCARD;

/** Steps at a given T and nr. */
tpu_status specgen_derive_steps(const specgen_spec *spec, const specgen_cost *cost, int64_t t,
                                int64_t nr, int64_t *steps, tpu_message *why) TPU_NODISCARD;

/** Items an issue puts on one port at a given T and nr, conditions taken as true. */
tpu_status specgen_derive_items(const specgen_spec *spec, size_t opcode, size_t unit, int port,
                                int64_t t, int64_t nr, int64_t *items,
                                tpu_message *why) TPU_NODISCARD;

/** True when the unit is fed by a queue and its steps are not simply nr. */
bool specgen_derive_rewritten(const specgen_spec *spec, size_t unit, const specgen_cost *cost);

/** Appends "T + 1", "2 * nr", "(T + 1) + nr" or "nr". */
void specgen_derive_cost_text(const specgen_cost *cost, specgen_text *text);

/** Bit u set: the opcode reaches unit u. */
unsigned specgen_derive_unit_mask(const specgen_opcode *opcode);

/** Appends who reads (or writes) a memory, with roles and conditions; false when nobody does. */
bool specgen_derive_users(const specgen_spec *spec, const char *memory, specgen_kind kind,
                          specgen_text *text);

/** The operands of the opcode that conditions look at, and all their legal values together. */
typedef struct specgen_combo {
    const char *name[SPECGEN_ARGS];
    int64_t value[SPECGEN_ARGS];
    size_t count;
} specgen_combo;

/** The index-th combination of legal values; false behind the last. */
bool specgen_derive_combo(const specgen_opcode *opcode, size_t index, specgen_combo *out);

/** Is the action done under this combination? */
tpu_status specgen_derive_active(const specgen_spec *spec, const specgen_action *action,
                                 const specgen_combo *combo, bool *active,
                                 tpu_message *why) TPU_NODISCARD;

#endif
