// SPDX-License-Identifier: Apache-2.0
//
// Whole programs: for every issue the actions say how many rows each stream carries, what the
// control channels get and what the header counts; the reference model and the image builder are
// asked the same.

#include "csim/arch/arch.h"
#include "csim/isa/codec.h"
#include "csim/isa/expand.h"
#include "csim/isa/image.h"
#include "csim/isa/programs.h"
#include "spec/specgen_derive.h"
#include "spec/specgen_drift.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What the model showed during one step.
typedef struct shown {
    size_t rows[TPU_STREAM_COUNT];
    uint64_t word[TPU_STREAM_COUNT]; /**< last row of a control channel */
} shown;

static void collect(void *user, tpu_stream stream, const uint8_t *row, size_t bytes) {
    shown *into = user;
    into->rows[stream] += 1;
    uint64_t word = 0;
    for (size_t i = 0; i < bytes && i < sizeof word; i++) {
        word |= (uint64_t)row[i] << (8 * i);
    }
    into->word[stream] = word;
}

// One issue of one program.
typedef struct seen {
    const specgen_spec *spec;
    const tpu_params *params;
    const isa_issue *issue;
    const char *program;
    tpu_message *why;
} seen;

// The resolved operands of the issue as a combination that conditions can be tried with.
static specgen_combo operands_of(const seen *s) {
    specgen_combo combo = {.count = 0};
    const cJSON *operand = NULL;
    cJSON_ArrayForEach(operand, s->spec->opcode[s->issue->op].operands) {
        int field = specgen_spec_text(operand, "field")[1] - '0';
        if (combo.count < SPECGEN_ARGS && field >= 0 && field < TPU_FIELDS) {
            combo.name[combo.count] = specgen_spec_text(operand, "name");
            combo.value[combo.count++] = s->issue->f[field];
        }
    }
    return combo;
}

static int64_t count_of(const seen *s, const specgen_action *action) {
    specgen_names names = {.spec = s->spec};
    int64_t count = 1;
    specgen_names_set(&names, "T", s->params->t);
    if (action->count != NULL &&
        specgen_names_eval(&names, action->count, &count, NULL) != TPU_OK) {
        return -1;
    }
    return action->per_instruction ? count : count * s->issue->nr;
}

// Does this action show on this stream: an emit on the channel, a write of the memory?
static bool shows(const specgen_spec *spec, const specgen_opcode *op, const specgen_action *action,
                  const cJSON *stream) {
    const char *name = specgen_spec_text(stream, "name");
    const char *state = specgen_spec_text(stream, "state");
    if (action->kind == SPECGEN_EMIT) {
        return strcmp(spec->unit[action->unit].port[action->port].name, name) == 0;
    }
    if (action->kind != SPECGEN_WRITE || state == NULL || strcmp(state, action->state) != 0) {
        return false;
    }
    const cJSON *opcodes = specgen_spec_list(stream, "opcodes");
    const cJSON *item = NULL;
    bool listed = opcodes == NULL;
    cJSON_ArrayForEach(item, opcodes) {
        listed = listed || strcmp(item->valuestring, op->name) == 0;
    }
    return listed;
}

static tpu_status due_rows(const seen *s, const cJSON *stream, int64_t *rows) {
    const specgen_opcode *op = &s->spec->opcode[s->issue->op];
    specgen_combo combo = operands_of(s);
    *rows = 0;
    for (size_t i = 0; i < op->action_count; i++) {
        bool active = false;
        tpu_status status = specgen_derive_active(s->spec, &op->action[i], &combo, &active, s->why);
        if (status != TPU_OK) {
            return status;
        }
        *rows +=
            active && shows(s->spec, op, &op->action[i], stream) ? count_of(s, &op->action[i]) : 0;
    }
    return TPU_OK;
}

static tpu_status stream_differs(const seen *s, int stream, size_t rows, int64_t due) {
    char place[SPECGEN_PATH];
    (void)snprintf(place, sizeof place, "opcodes[%d].actions", s->issue->op);
    return specgen_spec_refuse(
        s->spec, s->why, place,
        "put %lld rows on %s for the issue at pc %u of the %s program, but the model shows %zu",
        (long long)due, tpu_streams[stream].name, (unsigned)s->issue->pc, s->program, rows);
}

// The word that a unit's queue gets, from the derived rewrite.
static tpu_status due_word(const seen *s, size_t unit, const specgen_cost *cost, uint64_t *word) {
    uint32_t f[TPU_FIELDS];
    int64_t nr = s->issue->nr;
    memcpy(f, s->issue->f, sizeof f);
    tpu_status status = TPU_OK;
    if (specgen_derive_rewritten(s->spec, unit, cost)) {
        status = specgen_derive_steps(s->spec, cost, s->params->t, s->issue->nr, &nr, s->why);
        const cJSON *item = NULL;
        cJSON_ArrayForEach(item, specgen_spec_at(s->spec, "dispatch.carried")) {
            int field = specgen_spec_text(item, "field")[1] - '0';
            if (strcmp(specgen_spec_text(item, "opcode"), s->spec->opcode[s->issue->op].name) ==
                    0 &&
                strcmp(specgen_spec_text(item, "unit"), s->spec->unit[unit].name) == 0 &&
                field >= 0 && field < TPU_FIELDS) {
                f[field] = s->issue->nr;
            }
        }
    }
    *word = codec_word0(s->issue->op, f, (uint32_t)nr);
    return status;
}

// Is the issue sent to the unit, and with which steps?
static tpu_status reach(const seen *s, size_t unit, specgen_cost *cost, bool *reached) {
    tpu_status status = specgen_derive_cost(s->spec, s->issue->op, unit, cost, s->why);
    *reached = cost->reached;
    if (status == TPU_OK && cost->reached && cost->when != NULL) {
        specgen_combo combo = operands_of(s);
        const specgen_action probe = {.when = cost->when};
        status = specgen_derive_active(s->spec, &probe, &combo, reached, s->why);
    }
    return status;
}

static tpu_status check_control(const seen *s, size_t unit, const shown *model) {
    const char *name = s->spec->unit[unit].control;
    int stream = specgen_spec_find(s->spec, "streams", name);
    specgen_cost cost;
    bool reached = false;
    tpu_status status = reach(s, unit, &cost, &reached);
    if (status != TPU_OK) {
        return status;
    }
    if (model->rows[stream] != (reached ? 1u : 0u)) {
        return stream_differs(s, stream, model->rows[stream], reached ? 1 : 0);
    }
    uint64_t due = 0;
    status = due_word(s, unit, &cost, &due);
    if (status == TPU_OK && reached && model->word[stream] != due) {
        return specgen_spec_refuse(
            s->spec, s->why, "dispatch",
            "%s gets 0x%016" PRIx64 " on %s by the actions, but 0x%016" PRIx64 " in the model",
            s->spec->opcode[s->issue->op].name, due, name, model->word[stream]);
    }
    return status;
}

static tpu_status check_issue(const seen *s, const shown *model) {
    const cJSON *stream = NULL;
    int index = 0;
    tpu_status status = TPU_OK;
    for (size_t u = 0; status == TPU_OK && u < s->spec->unit_count; u++) {
        status = s->spec->unit[u].control == NULL ? TPU_OK : check_control(s, u, model);
    }
    cJSON_ArrayForEach(stream, specgen_spec_at(s->spec, "streams")) {
        bool control = tpu_streams[index].unit == TPU_UNIT_SEQUENCER;
        int64_t due = 0;
        if (status == TPU_OK && !control) {
            status = due_rows(s, stream, &due);
        }
        if (status == TPU_OK && !control && model->rows[index] != (size_t)due) {
            return stream_differs(s, index, model->rows[index], due);
        }
        index++;
    }
    return status;
}

// One header count, added up over the issues.
static tpu_status add_work(const seen *s, const cJSON *work, int64_t *count) {
    const char *kind = specgen_spec_text(work, "kind");
    int unit = specgen_spec_unit(s->spec, specgen_spec_text(work, "unit"));
    int64_t more = 0;
    tpu_status status = TPU_OK;
    if (strcmp(kind, "steps") == 0) {
        specgen_cost cost;
        bool reached = false;
        status = reach(s, (size_t)unit, &cost, &reached);
        if (status == TPU_OK && reached) {
            status =
                specgen_derive_steps(s->spec, &cost, s->params->t, s->issue->nr, &more, s->why);
        }
    } else if (strcmp(kind, "items") == 0) {
        int port = specgen_spec_port(&s->spec->unit[unit], specgen_spec_text(work, "port"));
        status = specgen_derive_items(s->spec, s->issue->op, (size_t)unit, port, s->params->t,
                                      s->issue->nr, &more, s->why);
    }
    *count += more;
    return status;
}

// The last row that a read of this memory reaches.
static tpu_status add_span(const seen *s, const char *state, int64_t *count) {
    const specgen_opcode *op = &s->spec->opcode[s->issue->op];
    specgen_combo combo = operands_of(s);
    for (size_t i = 0; i < op->action_count; i++) {
        const specgen_action *action = &op->action[i];
        bool active = false;
        tpu_status status = specgen_derive_active(s->spec, action, &combo, &active, s->why);
        if (status != TPU_OK) {
            return status;
        }
        bool reads = active && action->kind == SPECGEN_READ && strcmp(action->state, state) == 0;
        for (size_t c = 0; reads && c < combo.count; c++) {
            int64_t end = combo.value[c] + s->issue->nr;
            bool base = strcmp(combo.name[c], action->base) == 0;
            *count = base && end > *count ? end : *count;
        }
    }
    return TPU_OK;
}

static tpu_status check_header(const specgen_spec *spec, const tpu_params *params,
                               const isa_program *program, const image *words, const char *name,
                               tpu_message *why) {
    const cJSON *entry = NULL;
    int index = 0;
    cJSON_ArrayForEach(entry, specgen_spec_at(spec, "imem.entries")) {
        const cJSON *work = specgen_spec_list(entry, "work");
        const char *kind = specgen_spec_text(work, "kind");
        bool is_static = strcmp(kind, "static_instructions") == 0;
        int64_t count = is_static ? (int64_t)program->count : 0;
        expand it;
        isa_issue issue;
        bool done = is_static;
        tpu_status status = TPU_OK;
        expand_start(&it, program);
        while (status == TPU_OK && !done) {
            status = expand_next(&it, &issue, &done, why);
            seen s = {spec, params, &issue, name, why};
            if (status == TPU_OK && !done) {
                status = strcmp(kind, "row_span") == 0
                             ? add_span(&s, specgen_spec_text(work, "state"), &count)
                             : add_work(&s, work, &count);
            }
        }
        size_t at = (size_t)specgen_spec_int(entry, "index");
        uint64_t word = at < words->count ? words->words[at] : 0;
        uint64_t slice = word >> specgen_spec_int(entry, "lo") &
                         ((UINT64_C(1) << specgen_spec_int(entry, "width")) - 1);
        if (status == TPU_OK && slice != (uint64_t)count) {
            char place[SPECGEN_PATH];
            (void)snprintf(place, sizeof place, "imem.entries[%d]", index);
            return specgen_spec_refuse(spec, why, place,
                                       "%s is %lld for the %s program by the actions, but the "
                                       "image builder writes %" PRIu64,
                                       specgen_spec_text(entry, "name"), (long long)count, name,
                                       slice);
        }
        if (status != TPU_OK) {
            return status;
        }
        index++;
    }
    return TPU_OK;
}

static tpu_status check_steps(const specgen_spec *spec, const tpu_params *params,
                              const isa_program *program, const image *words, const char *name,
                              tpu_message *why) {
    arch *model = arch_create(params);
    if (model == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "out of memory");
    }
    shown header = {{0}, {0}};
    tpu_status status = arch_start(model, words->words, words->count, collect, &header, why);
    expand it;
    isa_issue issue;
    bool done = false;
    expand_start(&it, program);
    while (status == TPU_OK && !done) {
        shown rows = {{0}, {0}};
        bool model_done = false;
        status = expand_next(&it, &issue, &done, why);
        if (status == TPU_OK && !done) {
            status = arch_step(model, collect, &rows, &model_done, why);
        }
        seen s = {spec, params, &issue, name, why};
        if (status == TPU_OK && !done) {
            status = check_issue(&s, &rows);
        }
    }
    arch_destroy(model);
    return status;
}

static tpu_status check_one(const specgen_spec *spec, const tpu_params *params,
                            const isa_program *program, const char *name, tpu_message *why) {
    image words = {0};
    tpu_status status = image_build(params, program, true, &words, why);
    if (status == TPU_OK) {
        status = check_header(spec, params, program, &words, name, why);
    }
    if (status == TPU_OK) {
        status = check_steps(spec, params, program, &words, name, why);
    }
    image_clear(&words);
    return status;
}

// Every data opcode and both destinations of a load occur in these.
tpu_status specgen_drift_program(const tpu_params *params, size_t index, isa_program *program,
                                 const char **name, tpu_message *why) {
    switch (index) {
    case 0:
        *name = "looped GEMM";
        return programs_gemm(params, PROGRAMS_LOOPED, 2 * params->t, 2 * params->t, 2 * params->t,
                             true, program, why);
    case 1:
        *name = "interleaved GEMM";
        return programs_gemm(params, PROGRAMS_INTERLEAVED, 8, 2 * params->t, params->t, false,
                             program, why);
    case 2:
        *name = "vadd";
        return programs_vadd(params, 16, program, why);
    case 3:
        *name = "vector";
        return programs_vector(params, params->t, program, why);
    default: {
        isa_insn last = {
            .op = TPU_OP_VADDRELU, .nr = 4, .f = {4, 0, (uint16_t)(params->maxdim + 1), 0}};
        *name = "vaddrelu";
        tpu_status status = programs_vadd(params, 16, program, why);
        return status == TPU_OK ? isa_program_append(program, &last) : status;
    }
    }
}

tpu_status specgen_drift_work(const specgen_spec *spec, tpu_message *why) {
    static const uint32_t sides[] = {4, 8};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < 2 * SPECGEN_DRIFT_PROGRAMS; i++) {
        tpu_params params = params_default(sides[i / SPECGEN_DRIFT_PROGRAMS], 64);
        isa_program program = {0};
        const char *name = "";
        status = specgen_drift_program(&params, i % SPECGEN_DRIFT_PROGRAMS, &program, &name, why);
        if (status == TPU_OK) {
            status = check_one(spec, &params, &program, name, why);
        }
        isa_program_clear(&program);
    }
    return status;
}
