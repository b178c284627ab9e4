// SPDX-License-Identifier: Apache-2.0
//
// The specification as a machine: its actions are executed as they stand, without an arm for any
// opcode, and the memories compared with the reference model's after every issue. For an issue,
// the actions marked per instruction run first, then the others once for each row.
//
//   read -> value -> emit ~channel~> receive -> value -> compute -> value -> write
//
// A value belongs to a unit and has a name; here it is a block of lane rows.

#include "base/rng.h"
#include "csim/arch/arch.h"
#include "csim/isa/expand.h"
#include "csim/isa/image.h"
#include "spec/specgen_derive.h"
#include "spec/specgen_drift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 8
#define ROWS_MAX 2048
#define CELLS_MAX 4096
#define VALUES 16
#define SEED 0xAC7105u

// Rows of lanes that travel together; `present` is false when the condition of the source failed.
typedef struct block {
    bool present;
    int64_t rows;
    int64_t lane[LANES + 1][LANES];
} block;

// A named value of a unit, or the contents of a channel (unit -1).
typedef struct value {
    const char *name;
    int unit;
    block data;
} value;

typedef struct machine {
    const specgen_spec *spec;
    const tpu_params *params;
    int64_t output_min;
    int64_t output_max;
    int64_t memory[TPU_MEM_COUNT][ROWS_MAX][LANES]; /**< on-chip rows */
    int64_t cell[TPU_MEM_COUNT][CELLS_MAX];         /**< external cells */
    value values[VALUES];
    size_t value_count;
} machine;

// One action at one row of one issue.
typedef struct moment {
    machine *m;
    const specgen_opcode *op;
    const specgen_action *action;
    specgen_names names; /**< the operands as resolved, and T */
    int64_t row;
    bool good; /**< false when the action leaves the machine */
} moment;

static int64_t wrap32(int64_t sum) {
    uint32_t low = (uint32_t)((uint64_t)sum & UINT32_MAX);
    return low > INT32_MAX ? (int64_t)low - ((int64_t)1 << 32) : (int64_t)low;
}

static value *value_of(machine *m, int unit, const char *name) {
    for (size_t i = 0; i < m->value_count; i++) {
        if (m->values[i].unit == unit && strcmp(m->values[i].name, name) == 0) {
            return &m->values[i];
        }
    }
    TPU_CHECK(m->value_count < VALUES, "an opcode has at most 16 values and channels");
    value *fresh = &m->values[m->value_count++];
    memset(fresh, 0, sizeof *fresh);
    fresh->name = name;
    fresh->unit = unit;
    return fresh;
}

static const block *argument(const moment *now, size_t index) {
    return &value_of(now->m, now->action->unit, now->action->arg[index])->data;
}

static int64_t evaluate(moment *now, const char *text) {
    int64_t result = 0;
    if (text != NULL && specgen_names_eval(&now->names, text, &result, NULL) != TPU_OK) {
        now->good = false;
    }
    return result;
}

static int memory_of(const moment *now) {
    return specgen_spec_find(now->m->spec, "memories", now->action->state);
}

static bool external(int memory) {
    return memory == TPU_MEM_A || memory == TPU_MEM_B || memory == TPU_MEM_C;
}

// Where lane 0 of a row is: a row number on chip, a cell number outside. -1 when out of range.
static int64_t place_of(moment *now, int64_t row) {
    int memory = memory_of(now);
    int64_t at = evaluate(now, now->action->base) + row;
    int64_t limit = ROWS_MAX;
    if (external(memory)) {
        at = at * now->m->params->maxdim + evaluate(now, now->action->offset);
        limit = CELLS_MAX - LANES;
    }
    now->good = now->good && memory >= 0 && at >= 0 && at < limit;
    return now->good ? at : -1;
}

static int64_t *lane_at(moment *now, int64_t place, int64_t lane) {
    int memory = memory_of(now);
    return external(memory) ? &now->m->cell[memory][place + lane]
                            : &now->m->memory[memory][place][lane];
}

static void do_read(moment *now) {
    block *into = &value_of(now->m, now->action->unit, now->action->into)->data;
    int64_t rows = now->action->count == NULL ? 1 : evaluate(now, now->action->count);
    into->present = true;
    into->rows = rows;
    for (int64_t r = 0; r < rows && r <= LANES; r++) {
        int64_t place = place_of(now, now->row + r);
        for (int64_t j = 0; now->good && j < now->m->params->t; j++) {
            into->lane[r][j] = *lane_at(now, place, j);
        }
    }
}

static void do_write(moment *now) {
    const block *from = argument(now, 0);
    int64_t place = place_of(now, now->row);
    for (int64_t j = 0; now->good && j < now->m->params->t; j++) {
        *lane_at(now, place, j) = from->lane[0][j];
    }
}

static const char *port_of(const moment *now) {
    return now->m->spec->unit[now->action->unit].port[now->action->port].name;
}

static void do_emit(moment *now) {
    if (now->action->arg_count > 0) {
        value_of(now->m, -1, port_of(now))->data = *argument(now, 0);
    }
}

static void do_receive(moment *now) {
    block taken = value_of(now->m, -1, port_of(now))->data;
    value_of(now->m, now->action->unit, now->action->into)->data = taken;
}

static void matmul(const moment *now, block *out) {
    const block *activation = argument(now, 0);
    const block *weights = argument(now, 1);
    for (int64_t j = 0; j < now->m->params->t; j++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < now->m->params->t; i++) {
            sum = wrap32(sum + activation->lane[0][i] * weights->lane[i][j]);
        }
        out->lane[0][j] = sum;
    }
}

static int64_t clip(const machine *m, int64_t lane) {
    return lane < m->output_min ? m->output_min : lane > m->output_max ? m->output_max : lane;
}

static void lane_wise(const moment *now, block *out) {
    const char *function = now->action->compute;
    for (int64_t j = 0; j < now->m->params->t; j++) {
        const block *left = argument(now, 0);
        int64_t a = left->present ? left->lane[0][j] : 0;
        if (strcmp(function, "max0") == 0) {
            out->lane[0][j] = a > 0 ? a : 0;
        } else if (strcmp(function, "to_operand") == 0) {
            out->lane[0][j] = clip(now->m, a);
        } else {
            out->lane[0][j] = wrap32(a + argument(now, 1)->lane[0][j]);
        }
    }
}

static void do_compute(moment *now) {
    const char *function = now->action->compute;
    block out = {.present = true, .rows = 1};
    if (now->action->into == NULL) {
        return; // the loop stack: the expander has done it
    }
    if (strcmp(function, "select") == 0) {
        out = argument(now, 0)->present ? *argument(now, 0) : *argument(now, 1);
    } else if (strcmp(function, "matmul") == 0) {
        matmul(now, &out);
    } else if (strcmp(function, "add") == 0 || strcmp(function, "acc_add") == 0 ||
               strcmp(function, "max0") == 0 || strcmp(function, "to_operand") == 0) {
        lane_wise(now, &out);
    } else {
        now->good = false;
    }
    value_of(now->m, now->action->unit, now->action->into)->data = out;
}

static void do_action(moment *now) {
    static void (*const kinds[])(moment *) = {do_read, do_write, do_compute, do_emit, do_receive};
    if (now->action->when != NULL && evaluate(now, now->action->when) == 0) {
        if (now->action->into != NULL) {
            value_of(now->m, now->action->unit, now->action->into)->data.present = false;
        }
        return;
    }
    kinds[now->action->kind](now);
}

static bool run_phase(moment *now, bool per_instruction) {
    for (size_t i = 0; i < now->op->action_count && now->good; i++) {
        now->action = &now->op->action[i];
        if (now->action->per_instruction == per_instruction) {
            do_action(now);
        }
    }
    return now->good;
}

static bool run_issue(machine *m, const isa_issue *issue) {
    moment now = {.m = m, .op = &m->spec->opcode[issue->op], .names = {.spec = m->spec}};
    const cJSON *operand = NULL;
    now.good = true;
    m->value_count = 0;
    specgen_names_set(&now.names, "T", m->params->t);
    cJSON_ArrayForEach(operand, now.op->operands) {
        int field = specgen_spec_text(operand, "field")[1] - '0';
        if (field >= 0 && field < TPU_FIELDS) {
            specgen_names_set(&now.names, specgen_spec_text(operand, "name"), issue->f[field]);
        }
    }
    bool good = run_phase(&now, true);
    for (now.row = 0; good && now.row < issue->nr; now.row++) {
        good = run_phase(&now, false);
    }
    return good;
}

static int64_t model_lane(const uint8_t *bytes, int memory, size_t index) {
    if (memory != TPU_MEM_AR) {
        return bytes[index] > 127 ? (int64_t)bytes[index] - 256 : (int64_t)bytes[index];
    }
    uint32_t word = 0;
    for (size_t b = 0; b < 4; b++) {
        word |= (uint32_t)bytes[4 * index + b] << (8 * b);
    }
    return wrap32(word);
}

// The first lane of a memory that differs, as row and lane; false when none does.
static bool find_difference(const machine *m, const arch *model, int memory, size_t *row,
                            size_t *lane) {
    size_t bytes = 0;
    const uint8_t *data = arch_memory(model, (tpu_mem)memory, &bytes);
    size_t t = m->params->t;
    size_t count = bytes / (memory == TPU_MEM_AR ? 4 : 1);
    for (size_t i = 0; i < count; i++) {
        int64_t mine = external(memory) ? m->cell[memory][i] : m->memory[memory][i / t][i % t];
        if (mine != model_lane(data, memory, i)) {
            size_t width = external(memory) ? m->params->maxdim : t;
            *row = i / width;
            *lane = i % width;
            return true;
        }
    }
    return false;
}

static tpu_status compare(const machine *m, const arch *model, const isa_issue *issue,
                          const char *name, tpu_message *why) {
    static const int memories[] = {TPU_MEM_SPAD, TPU_MEM_VR, TPU_MEM_AR, TPU_MEM_C};
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        size_t row = 0;
        size_t lane = 0;
        if (find_difference(m, model, memories[i], &row, &lane)) {
            char place[SPECGEN_PATH];
            (void)snprintf(place, sizeof place, "opcodes[%d].actions", issue->op);
            return specgen_spec_refuse(m->spec, why, place,
                                       "leave another value in %s row %zu column %zu than the "
                                       "model, after the issue at pc %u of the %s program",
                                       tpu_mem_names[memories[i]], row, lane, (unsigned)issue->pc,
                                       name);
        }
    }
    return TPU_OK;
}

static void ignore(void *user, tpu_stream stream, const uint8_t *row, size_t bytes) {
    (void)user;
    (void)stream;
    (void)row;
    (void)bytes;
}

// The same random bytes in A, B and C of both machines.
static void fill(machine *m, arch *model) {
    static const int memories[] = {TPU_MEM_A, TPU_MEM_B, TPU_MEM_C};
    rng source;
    rng_seed(&source, SEED);
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        uint8_t bytes[CELLS_MAX];
        size_t count = (size_t)m->params->maxdim * m->params->maxdim;
        rng_fill(&source, bytes, count);
        arch_set_memory(model, (tpu_mem)memories[i], bytes, count);
        for (size_t c = 0; c < count; c++) {
            m->cell[memories[i]][c] = model_lane(bytes, memories[i], c);
        }
    }
}

static tpu_status run_both(machine *m, arch *model, const isa_program *program, const char *name,
                           tpu_message *why) {
    expand it;
    isa_issue issue;
    bool done = false;
    tpu_status status = TPU_OK;
    expand_start(&it, program);
    while (status == TPU_OK && !done) {
        bool model_done = false;
        status = expand_next(&it, &issue, &done, why);
        if (status != TPU_OK || done) {
            break;
        }
        status = arch_step(model, ignore, NULL, &model_done, why);
        if (status == TPU_OK && !run_issue(m, &issue)) {
            char place[SPECGEN_PATH];
            (void)snprintf(place, sizeof place, "opcodes[%d].actions", issue.op);
            return specgen_spec_refuse(m->spec, why, place,
                                       "leave the machine at pc %u of the %s program",
                                       (unsigned)issue.pc, name);
        }
        if (status == TPU_OK) {
            status = compare(m, model, &issue, name, why);
        }
    }
    return status;
}

static void take_output_range(machine *m) {
    const cJSON *list = specgen_spec_at(m->spec, "numerics.configurations");
    const char *active = specgen_spec_text(specgen_spec_at(m->spec, "numerics"), "active");
    int index = specgen_spec_find(m->spec, "numerics.configurations", active);
    const cJSON *output = specgen_spec_list(cJSON_GetArrayItem(list, index), "output");
    m->output_min = specgen_spec_int(output, "min");
    m->output_max = specgen_spec_int(output, "max");
}

static tpu_status run_program(const specgen_spec *spec, const tpu_params *params, size_t index,
                              tpu_message *why) {
    isa_program program = {0};
    image words = {0};
    const char *name = "";
    machine *m = calloc(1, sizeof *m);
    arch *model = arch_create(params);
    tpu_status status = m == NULL || model == NULL
                            ? status_fail(why, TPU_ERR_MEMORY, "out of memory")
                            : specgen_drift_program(params, index, &program, &name, why);
    if (status == TPU_OK) {
        m->spec = spec;
        m->params = params;
        take_output_range(m);
        fill(m, model);
        status = image_build(params, &program, true, &words, why);
    }
    if (status == TPU_OK) {
        status = arch_start(model, words.words, words.count, ignore, NULL, why);
    }
    if (status == TPU_OK) {
        status = run_both(m, model, &program, name, why);
    }
    image_clear(&words);
    isa_program_clear(&program);
    arch_destroy(model);
    free(m);
    return status;
}

tpu_status specgen_drift_meaning(const specgen_spec *spec, tpu_message *why) {
    static const uint32_t sides[] = {4, 8};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < 2 * SPECGEN_DRIFT_PROGRAMS; i++) {
        tpu_params params = params_default(sides[i / SPECGEN_DRIFT_PROGRAMS], 64);
        status = run_program(spec, &params, i % SPECGEN_DRIFT_PROGRAMS, why);
    }
    return status;
}
