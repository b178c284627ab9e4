// SPDX-License-Identifier: Apache-2.0
//
// The actions of each opcode as a small dataflow program: every name leads somewhere, what goes
// into a channel comes out of it, and a value is produced before it is used.

#include "spec/specgen_derive.h"
#include "spec/specgen_expr.h"
#include "spec/specgen_names.h"
#include "spec/specgen_valid.h"

#include <stdio.h>
#include <string.h>

typedef struct flow {
    const specgen_spec *spec;
    const specgen_opcode *op;
    size_t opcode;
    size_t index; /**< of the action being looked at */
    tpu_message *why;
} flow;

static const specgen_action *action_of(const flow *f) {
    return &f->op->action[f->index];
}

static tpu_status refuse(const flow *f, const char *key, const char *sentence, const char *found) {
    char place[SPECGEN_PATH];
    (void)snprintf(place, sizeof place, "opcodes[%zu].actions[%zu]%s%s", f->opcode, f->index,
                   key[0] == '\0' ? "" : ".", key);
    return specgen_spec_refuse(f->spec, f->why, place, "found '%s'; %s", found, sentence);
}

static const char *port_name(const flow *f, const specgen_action *action) {
    return f->spec->unit[action->unit].port[action->port].name;
}

static bool same(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static const cJSON *item_of(const specgen_spec *spec, const char *list, const char *name) {
    int index = specgen_spec_find(spec, list, name);
    return index < 0 ? NULL : cJSON_GetArrayItem(specgen_spec_at(spec, list), index);
}

// Names an expression may use: the opcode's operands, and T where the text is about sizes.
static tpu_status check_expression(const flow *f, const char *key, const char *text, bool operands,
                                   bool t) {
    specgen_expr expr;
    if (text == NULL) {
        return TPU_OK;
    }
    if (specgen_expr_parse(text, &expr, NULL) != TPU_OK) {
        return refuse(f, key, "it has to parse", text);
    }
    for (int i = 0; i < expr.count; i++) {
        const char *name = expr.node[i].name;
        bool known = (t && strcmp(name, "T") == 0) ||
                     (operands && specgen_spec_operand(f->op, name) != NULL);
        if (expr.node[i].op[0] == 'x' && !known) {
            return refuse(f, key,
                          operands ? "only operands of the opcode may be named here"
                                   : "only T may be named here",
                          name);
        }
    }
    return TPU_OK;
}

static tpu_status check_when(const flow *f) {
    specgen_expr expr;
    const char *text = action_of(f)->when;
    tpu_status status = check_expression(f, "when", text, true, false);
    if (status != TPU_OK || text == NULL || specgen_expr_parse(text, &expr, NULL) != TPU_OK) {
        return status;
    }
    for (int i = 0; i < expr.count; i++) {
        const cJSON *operand = specgen_spec_operand(f->op, expr.node[i].name);
        if (operand != NULL && specgen_spec_list(operand, "legal_values") == NULL) {
            return refuse(f, "when", "a condition may only look at an operand with legal_values",
                          expr.node[i].name);
        }
    }
    return TPU_OK;
}

static tpu_status check_memory(const flow *f) {
    const specgen_action *action = action_of(f);
    const char *port = port_name(f, action);
    const char *dot = strchr(port, '.');
    const cJSON *memory = item_of(f->spec, "memories", action->state);
    const char *wanted = action->kind == SPECGEN_READ ? ".read" : ".write";
    if (memory == NULL) {
        return refuse(f, "state", "it has to name a memory",
                      action->state == NULL ? "nothing" : action->state);
    }
    if (!same(specgen_spec_text(memory, "owner"), f->spec->unit[action->unit].name)) {
        return refuse(f, "state", "only the owner of a memory reads or writes it", action->state);
    }
    bool external = same(specgen_spec_text(memory, "placement"), "external");
    const char *prefix = external ? "dram" : action->state;
    if (dot == NULL || strcmp(dot, wanted) != 0 ||
        strncmp(port, prefix, (size_t)(dot - port)) != 0 ||
        strlen(prefix) != (size_t)(dot - port)) {
        return refuse(f, "port", "a read or write uses the port of its own memory", port);
    }
    if (action->base == NULL || specgen_spec_operand(f->op, action->base) == NULL) {
        return refuse(f, "base", "it has to name an operand of the opcode",
                      action->base == NULL ? "nothing" : action->base);
    }
    if (action->kind == SPECGEN_READ && action->role == NULL) {
        return refuse(f, "role", "a read says in words what it reads", "nothing");
    }
    return check_expression(f, "offset", action->offset, true, true);
}

static tpu_status check_compute(const flow *f) {
    const specgen_action *action = action_of(f);
    const cJSON *primitive = item_of(f->spec, "primitives", action->compute);
    if (primitive == NULL) {
        return refuse(f, "compute", "it has to name a primitive",
                      action->compute == NULL ? "nothing" : action->compute);
    }
    if ((int64_t)action->arg_count != specgen_spec_int(primitive, "args")) {
        return refuse(f, "args", "the primitive takes another number of inputs", action->compute);
    }
    return TPU_OK;
}

static bool internal(const flow *f, const specgen_action *action) {
    return f->spec->unit[action->unit].port[action->port].internal;
}

static tpu_status check_channel(const flow *f) {
    const specgen_action *action = action_of(f);
    const char *port = port_name(f, action);
    const cJSON *stream = item_of(f->spec, "streams", port);
    if (internal(f, action)) {
        return TPU_OK;
    }
    const char *end = action->kind == SPECGEN_EMIT ? "writer" : "reader";
    if (stream == NULL || !same(specgen_spec_text(stream, end), f->spec->unit[action->unit].name)) {
        return refuse(f, "port",
                      action->kind == SPECGEN_EMIT ? "it has to be a stream that this unit writes"
                                                   : "it has to be a stream that this unit reads",
                      port);
    }
    return TPU_OK;
}

// An emit and a receive that carry the same items.
static bool pair(const flow *f, const specgen_action *a, const specgen_action *b) {
    return a->kind == SPECGEN_EMIT && b->kind == SPECGEN_RECEIVE &&
           strcmp(port_name(f, a), port_name(f, b)) == 0 && same(a->when, b->when) &&
           same(a->count, b->count) && a->per_instruction == b->per_instruction;
}

static tpu_status check_partner(const flow *f) {
    const specgen_action *action = action_of(f);
    bool emit = action->kind == SPECGEN_EMIT;
    size_t from = emit ? f->index + 1 : 0;
    size_t to = emit ? f->op->action_count : f->index;
    int partners = 0;
    for (size_t i = from; i < to; i++) {
        const specgen_action *other = &f->op->action[i];
        partners += emit ? pair(f, action, other) : pair(f, other, action);
    }
    if (partners == 1 || (emit && internal(f, action))) {
        return TPU_OK;
    }
    return refuse(f, "port",
                  emit ? "what is emitted is received exactly once, later, as often and under the "
                         "same condition"
                       : "what is received was emitted exactly once, before, as often and under "
                         "the same condition",
                  port_name(f, action));
}

static bool may_miss(const flow *f, const specgen_action *action) {
    const cJSON *primitive = item_of(f->spec, "primitives", action->compute);
    return primitive != NULL && specgen_spec_bool(primitive, "may_miss");
}

static tpu_status check_args(const flow *f) {
    const specgen_action *action = action_of(f);
    for (size_t a = 0; a < action->arg_count; a++) {
        const specgen_action *source = NULL;
        for (size_t i = 0; i < f->index && source == NULL; i++) {
            const specgen_action *old = &f->op->action[i];
            source = old->unit == action->unit && same(old->into, action->arg[a]) ? old : NULL;
        }
        if (source == NULL) {
            return refuse(f, "args", "the unit has not produced this value before", action->arg[a]);
        }
        bool always = source->when == NULL || same(source->when, action->when);
        if (!always && !may_miss(f, action)) {
            return refuse(f, "args", "the value is only there under a condition", action->arg[a]);
        }
    }
    return TPU_OK;
}

static tpu_status check_into(const flow *f) {
    const specgen_action *action = action_of(f);
    if (action->into == NULL) {
        return TPU_OK;
    }
    bool used = false;
    for (size_t i = 0; i < f->op->action_count; i++) {
        const specgen_action *other = &f->op->action[i];
        if (other->unit != action->unit) {
            continue;
        }
        if (i < f->index && same(other->into, action->into)) {
            return refuse(f, "into", "the unit has produced a value of this name before",
                          action->into);
        }
        for (size_t a = 0; i > f->index && a < other->arg_count; a++) {
            used = used || same(other->arg[a], action->into);
        }
    }
    return used ? TPU_OK : refuse(f, "into", "nothing in the unit uses this value", action->into);
}

// Which keys each kind of action carries.
static tpu_status check_keys(const flow *f) {
    const specgen_action *action = action_of(f);
    bool memory = action->kind == SPECGEN_READ || action->kind == SPECGEN_WRITE;
    bool produces = action->kind == SPECGEN_READ || action->kind == SPECGEN_RECEIVE;
    bool consumes =
        action->kind == SPECGEN_WRITE || (action->kind == SPECGEN_EMIT && !internal(f, action));
    if (!memory && (action->state != NULL || action->base != NULL || action->offset != NULL)) {
        return refuse(f, "", "state, base and offset belong to reads and writes",
                      port_name(f, action));
    }
    if (action->kind != SPECGEN_COMPUTE && action->compute != NULL) {
        return refuse(f, "compute", "it belongs to compute actions", action->compute);
    }
    if (produces && (action->into == NULL || action->arg_count > 0)) {
        return refuse(f, "into", "a read or receive produces one value and takes none",
                      port_name(f, action));
    }
    if (consumes && (action->into != NULL || action->arg_count != 1)) {
        return refuse(f, "args", "a write or emit takes one value and produces none",
                      port_name(f, action));
    }
    if (action->count != NULL && !action->per_instruction) {
        return refuse(f, "count", "a count needs per: instruction", action->count);
    }
    return TPU_OK;
}

static tpu_status check_kind(const flow *f) {
    switch (action_of(f)->kind) {
    case SPECGEN_READ:
    case SPECGEN_WRITE:
        return check_memory(f);
    case SPECGEN_COMPUTE:
        return check_compute(f);
    default:
        break;
    }
    tpu_status status = check_channel(f);
    return status == TPU_OK ? check_partner(f) : status;
}

static tpu_status check_action(const flow *f) {
    static tpu_status (*const checks[])(const flow *) = {check_keys, check_when, check_kind,
                                                         check_args};
    tpu_status status = check_expression(f, "count", action_of(f)->count, false, true);
    for (size_t i = 0; status == TPU_OK && i < sizeof checks / sizeof checks[0]; i++) {
        status = checks[i](f);
    }
    return status;
}

// "per" knows one word; the typed view only kept that it was there.
static tpu_status check_per(const specgen_spec *spec, tpu_message *why) {
    const cJSON *opcode = NULL;
    int o = 0;
    cJSON_ArrayForEach(opcode, specgen_spec_at(spec, "opcodes")) {
        const cJSON *action = NULL;
        int a = 0;
        cJSON_ArrayForEach(action, specgen_spec_list(opcode, "actions")) {
            const char *per = specgen_spec_text(action, "per");
            char place[SPECGEN_PATH];
            (void)snprintf(place, sizeof place, "opcodes[%d].actions[%d].per", o, a++);
            if (per != NULL && strcmp(per, "instruction") != 0) {
                return specgen_spec_refuse(spec, why, place, "found '%s'; allowed is instruction",
                                           per);
            }
        }
        o++;
    }
    return TPU_OK;
}

// A primitive, or a channel, that no action uses is a slip.
static tpu_status check_used(const specgen_spec *spec, const char *list, tpu_message *why) {
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, list)) {
        const char *name = specgen_spec_text(item, "name");
        const char *reader = specgen_spec_text(item, "reader");
        int unit = specgen_spec_unit(spec, reader);
        bool used =
            (reader != NULL && unit < 0) || (unit >= 0 && same(spec->unit[unit].control, name));
        for (size_t o = 0; o < spec->opcode_count && !used; o++) {
            for (size_t i = 0; i < spec->opcode[o].action_count && !used; i++) {
                const specgen_action *action = &spec->opcode[o].action[i];
                used = same(action->compute, name) ||
                       same(spec->unit[action->unit].port[action->port].name, name);
            }
        }
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "%s[%d]", list, index++);
        if (!used) {
            return specgen_spec_refuse(spec, why, place, "no action uses '%s'", name);
        }
    }
    return TPU_OK;
}

tpu_status specgen_flow_check(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = check_per(spec, why);
    for (size_t o = 0; o < spec->opcode_count; o++) {
        flow f = {.spec = spec, .op = &spec->opcode[o], .opcode = o, .why = why};
        for (f.index = 0; status == TPU_OK && f.index < f.op->action_count; f.index++) {
            status = check_action(&f);
        }
        for (f.index = 0; status == TPU_OK && f.index < f.op->action_count; f.index++) {
            status = check_into(&f);
        }
        for (size_t u = 0; status == TPU_OK && u < spec->unit_count; u++) {
            specgen_cost cost;
            status = specgen_derive_cost(spec, o, u, &cost, why);
        }
    }
    if (status == TPU_OK) {
        status = check_used(spec, "primitives", why);
    }
    return status == TPU_OK ? check_used(spec, "streams", why) : status;
}
