// SPDX-License-Identifier: Apache-2.0
//
// Work, dispatch and memory use as queries over the actions.
//
// Work of a unit for one issue: the actions marked "per instruction" are a first phase, the others
// repeat for each row; a phase costs what its busiest port carries, divided by how many of that
// port there are. Conditions are tried with every combination of the legal operand values.

#include "spec/specgen_derive.h"

#include "spec/specgen_names.h"

#include <string.h>

bool specgen_derive_combo(const specgen_opcode *opcode, size_t index, specgen_combo *out) {
    memset(out, 0, sizeof *out);
    const cJSON *operand = NULL;
    cJSON_ArrayForEach(operand, opcode->operands) {
        const cJSON *legal = specgen_spec_list(operand, "legal_values");
        if (legal == NULL || out->count == SPECGEN_ARGS) {
            continue;
        }
        size_t size = (size_t)cJSON_GetArraySize(legal);
        const cJSON *value = cJSON_GetArrayItem(legal, (int)(index % size));
        out->name[out->count] = specgen_spec_text(operand, "name");
        out->value[out->count++] = specgen_spec_number(value);
        index /= size;
    }
    return index == 0;
}

tpu_status specgen_derive_active(const specgen_spec *spec, const specgen_action *action,
                                 const specgen_combo *combo, bool *active, tpu_message *why) {
    int64_t value = 1;
    tpu_status status = TPU_OK;
    if (action->when != NULL) {
        specgen_names names = {.spec = spec};
        for (size_t i = 0; i < combo->count; i++) {
            specgen_names_set(&names, combo->name[i], combo->value[i]);
        }
        status = specgen_names_eval(&names, action->when, &value, why);
    }
    *active = value != 0;
    return status;
}

static tpu_status count_of(const specgen_spec *spec, const specgen_action *action, int64_t t,
                           int64_t *count, tpu_message *why) {
    *count = 1;
    if (action->count == NULL) {
        return TPU_OK;
    }
    specgen_names names = {.spec = spec};
    specgen_names_set(&names, "T", t);
    return specgen_names_eval(&names, action->count, count, why);
}

// What one phase carries on each port, and the text of the count that dominates.
typedef struct phase {
    int64_t items[SPECGEN_PORTS];
    const char *text[SPECGEN_PORTS];
} phase;

static tpu_status add_action(const specgen_spec *spec, const specgen_action *action, int64_t t,
                             phase phases[2], tpu_message *why) {
    int64_t count = 0;
    tpu_status status = count_of(spec, action, t, &count, why);
    phase *into = &phases[action->per_instruction ? 0 : 1];
    into->items[action->port] += count;
    into->text[action->port] = action->count == NULL ? "1" : action->count;
    return status;
}

// The port that carries most for its width; -1 for an empty phase.
static int busiest(const specgen_unit *unit, const phase *one, int64_t *steps) {
    int best = -1;
    *steps = 0;
    for (size_t p = 0; p < unit->port_count; p++) {
        int64_t width = unit->port[p].physical;
        int64_t cost = (one->items[p] + width - 1) / width * unit->ii;
        if (cost > *steps) {
            best = (int)p;
            *steps = cost;
        }
    }
    return best;
}

static tpu_status gather(const specgen_spec *spec, size_t opcode, size_t unit,
                         const specgen_combo *combo, int64_t t, phase phases[2], bool *reached,
                         tpu_message *why) {
    const specgen_opcode *op = &spec->opcode[opcode];
    memset(phases, 0, 2 * sizeof phases[0]);
    *reached = false;
    for (size_t i = 0; i < op->action_count; i++) {
        const specgen_action *action = &op->action[i];
        bool active = false;
        if (action->unit != (int)unit) {
            continue;
        }
        tpu_status status = specgen_derive_active(spec, action, combo, &active, why);
        if (status == TPU_OK && active) {
            *reached = true;
            status = add_action(spec, action, t, phases, why);
        }
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

static const char *shared_condition(const specgen_opcode *op, size_t unit) {
    const char *when = NULL;
    bool first = true;
    for (size_t i = 0; i < op->action_count; i++) {
        if (op->action[i].unit != (int)unit) {
            continue;
        }
        const char *now = op->action[i].when;
        if (now == NULL || (!first && strcmp(now, when) != 0)) {
            return NULL;
        }
        when = now;
        first = false;
    }
    return when;
}

static bool same_cost(const specgen_cost *a, const specgen_cost *b) {
    bool fixed = a->fixed == NULL || b->fixed == NULL ? a->fixed == b->fixed
                                                      : strcmp(a->fixed, b->fixed) == 0;
    return fixed && a->rows == b->rows;
}

static tpu_status cost_at(const specgen_spec *spec, size_t opcode, size_t unit,
                          const specgen_combo *combo, int64_t t, specgen_cost *out,
                          tpu_message *why) {
    phase phases[2];
    memset(out, 0, sizeof *out);
    tpu_status status = gather(spec, opcode, unit, combo, t, phases, &out->reached, why);
    int64_t steps = 0;
    int port = busiest(&spec->unit[unit], &phases[0], &steps);
    out->fixed = port < 0 ? NULL : phases[0].text[port];
    (void)busiest(&spec->unit[unit], &phases[1], &steps);
    out->rows = (int)steps;
    return status;
}

tpu_status specgen_derive_cost(const specgen_spec *spec, size_t opcode, size_t unit,
                               specgen_cost *out, tpu_message *why) {
    static const int64_t sides[] = {4, 8, 16};
    memset(out, 0, sizeof *out);
    specgen_combo combo;
    for (size_t i = 0; specgen_derive_combo(&spec->opcode[opcode], i, &combo); i++) {
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
            specgen_cost now;
            tpu_status status = cost_at(spec, opcode, unit, &combo, sides[s], &now, why);
            if (status != TPU_OK) {
                return status;
            }
            if (now.reached && out->reached && !same_cost(&now, out)) {
                return status_fail(why, TPU_REFUSED,
                                   "%s: opcodes[%zu].actions: the work of %s depends on an "
                                   "operand's value or on T in a way that the header cannot count",
                                   spec->file, opcode, spec->unit[unit].name);
            }
            *out = now.reached ? now : *out;
        }
    }
    out->when = shared_condition(&spec->opcode[opcode], unit);
    return TPU_OK;
}

tpu_status specgen_derive_steps(const specgen_spec *spec, const specgen_cost *cost, int64_t t,
                                int64_t nr, int64_t *steps, tpu_message *why) {
    int64_t fixed = 0;
    tpu_status status = TPU_OK;
    if (cost->fixed != NULL) {
        specgen_names names = {.spec = spec};
        specgen_names_set(&names, "T", t);
        status = specgen_names_eval(&names, cost->fixed, &fixed, why);
    }
    *steps = cost->reached ? fixed + cost->rows * nr : 0;
    return status;
}

tpu_status specgen_derive_items(const specgen_spec *spec, size_t opcode, size_t unit, int port,
                                int64_t t, int64_t nr, int64_t *items, tpu_message *why) {
    const specgen_opcode *op = &spec->opcode[opcode];
    *items = 0;
    for (size_t i = 0; i < op->action_count; i++) {
        const specgen_action *action = &op->action[i];
        if (action->unit != (int)unit || action->port != port) {
            continue;
        }
        int64_t count = 0;
        tpu_status status = count_of(spec, action, t, &count, why);
        if (status != TPU_OK) {
            return status;
        }
        *items += action->per_instruction ? count : count * nr;
    }
    return TPU_OK;
}

bool specgen_derive_rewritten(const specgen_spec *spec, size_t unit, const specgen_cost *cost) {
    bool plain = cost->fixed == NULL && cost->rows == 1;
    return cost->reached && spec->unit[unit].control != NULL && !plain;
}

void specgen_derive_cost_text(const specgen_cost *cost, specgen_text *text) {
    if (cost->fixed != NULL) {
        specgen_text_add(text, cost->rows > 0 ? "(%s) + " : "%s", cost->fixed);
    }
    if (cost->rows > 1) {
        specgen_text_add(text, "%d * nr", cost->rows);
    } else if (cost->rows == 1) {
        specgen_text_add(text, "nr");
    }
}

unsigned specgen_derive_unit_mask(const specgen_opcode *opcode) {
    unsigned mask = 0;
    for (size_t i = 0; i < opcode->action_count; i++) {
        mask |= 1u << opcode->action[i].unit;
    }
    return mask;
}

// An earlier action of the opcode that uses the memory in the same words.
static bool said_before(const specgen_opcode *op, size_t index) {
    const specgen_action *now = &op->action[index];
    for (size_t i = 0; i < index; i++) {
        const specgen_action *old = &op->action[i];
        bool same = old->kind == now->kind && old->state != NULL &&
                    strcmp(old->state, now->state) == 0 && old->when == NULL && now->when == NULL;
        if (same) {
            return true;
        }
    }
    return false;
}

bool specgen_derive_users(const specgen_spec *spec, const char *memory, specgen_kind kind,
                          specgen_text *text) {
    bool any = false;
    for (size_t o = 0; o < spec->opcode_count; o++) {
        const specgen_opcode *op = &spec->opcode[o];
        for (size_t i = 0; i < op->action_count; i++) {
            const specgen_action *action = &op->action[i];
            if (action->kind != kind || action->state == NULL ||
                strcmp(action->state, memory) != 0 || said_before(op, i)) {
                continue;
            }
            specgen_text_add(text, "%s%s", any ? ", " : "", op->name);
            if (action->role != NULL) {
                specgen_text_add(text, " (%s)", action->role);
            }
            if (action->when != NULL) {
                specgen_text_add(text, " [%s]", action->when);
            }
            any = true;
        }
    }
    return any;
}
