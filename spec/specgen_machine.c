// SPDX-License-Identifier: Apache-2.0
//
// The chapters of isa.md about the machine: units and what instructions cost them, dispatch,
// header, memories, streams, rules, probe values, registers.

#include "spec/specgen_cells.h"
#include "spec/specgen_derive.h"
#include "spec/specgen_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_ports(const specgen_unit *unit, specgen_text *text) {
    for (size_t i = 0; i < unit->port_count; i++) {
        specgen_text_add(text, "%s%s", i == 0 ? "" : ", ", unit->port[i].name);
        if (unit->port[i].physical > 1) {
            specgen_text_add(text, " x%d", unit->port[i].physical);
        }
    }
}

static void write_units(const specgen_spec *spec, specgen_text *text) {
    specgen_text_add(text, "## Units\n\n");
    HEAD(text, "number", "unit", "what it does", "ports (items a step)", "fed by", "II", "elastic");
    for (size_t u = 0; u < spec->unit_count; u++) {
        const specgen_unit *unit = &spec->unit[u];
        specgen_text ports = {0};
        char number[SPECGEN_NUMBER];
        char ii[SPECGEN_NUMBER];
        add_ports(unit, &ports);
        ROW(text, specgen_cells_number(number, (int64_t)u), unit->name, unit->role, ports.data,
            unit->control, specgen_cells_number(ii, unit->ii), unit->elastic ? "yes" : "no");
        specgen_text_clear(&ports);
    }
    specgen_text_add(text, "\n");
    specgen_cells_list(text, specgen_spec_at(spec, "work_rule"));
}

static tpu_status write_costs(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    specgen_text_add(text, "### Steps of each unit for one issue\n\nComputed from the actions and "
                           "the ports.\n\n");
    HEAD(text, "opcode", "unit", "steps", "at T = 4, nr = 8", "only if");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        for (size_t u = 0; u < spec->unit_count; u++) {
            specgen_cost cost;
            int64_t steps = 0;
            tpu_status status = specgen_derive_cost(spec, o, u, &cost, why);
            if (status == TPU_OK) {
                status = specgen_derive_steps(spec, &cost, 4, 8, &steps, why);
            }
            if (status != TPU_OK) {
                return status;
            }
            if (!cost.reached) {
                continue;
            }
            specgen_text formula = {0};
            char number[SPECGEN_NUMBER];
            specgen_derive_cost_text(&cost, &formula);
            ROW(text, spec->opcode[o].name, spec->unit[u].name, formula.data,
                specgen_cells_number(number, steps), cost.when);
            specgen_text_clear(&formula);
        }
    }
    specgen_text_add(text, "\n");
    return TPU_OK;
}

static tpu_status write_dispatch(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    const cJSON *dispatch = specgen_spec_at(spec, "dispatch");
    specgen_text_add(text, "### Dispatch\n\n");
    specgen_cells_prose(text, specgen_spec_text(dispatch, "order"));
    HEAD(text, "opcode", "goes to", "only if");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        for (size_t u = 0; u < spec->unit_count; u++) {
            specgen_cost cost;
            tpu_status status = specgen_derive_cost(spec, o, u, &cost, why);
            if (status != TPU_OK) {
                return status;
            }
            if (cost.reached && spec->unit[u].control != NULL) {
                ROW(text, spec->opcode[o].name, spec->unit[u].control, cost.when);
            }
        }
    }
    specgen_text_add(text, "\n");
    return TPU_OK;
}

static const char *reason(const specgen_spec *spec, const char *opcode, const char *unit) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "dispatch.notes")) {
        if (strcmp(specgen_spec_text(item, "opcode"), opcode) == 0 &&
            strcmp(specgen_spec_text(item, "unit"), unit) == 0) {
            return specgen_spec_text(item, "why");
        }
    }
    return NULL;
}

static void rewrite_row(const specgen_spec *spec, size_t o, size_t u, const specgen_cost *cost,
                        specgen_text *text) {
    const char *opcode = spec->opcode[o].name;
    const char *unit = spec->unit[u].name;
    specgen_text to = {0};
    specgen_text_add(&to, "nr = ");
    specgen_derive_cost_text(cost, &to);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "dispatch.carried")) {
        if (strcmp(specgen_spec_text(item, "opcode"), opcode) == 0 &&
            strcmp(specgen_spec_text(item, "unit"), unit) == 0) {
            specgen_text_add(&to, "; %s = %s", specgen_spec_text(item, "field"),
                             specgen_spec_text(item, "value"));
        }
    }
    ROW(text, opcode, unit, to.data, reason(spec, opcode, unit));
    specgen_text_clear(&to);
}

static tpu_status write_rewrites(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    specgen_text_add(text, "### Words rewritten for one unit\n\n");
    specgen_cells_prose(text, specgen_spec_text(specgen_spec_at(spec, "dispatch"), "why_rewrites"));
    HEAD(text, "opcode", "unit", "rewritten to", "why");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        for (size_t u = 0; u < spec->unit_count; u++) {
            specgen_cost cost;
            tpu_status status = specgen_derive_cost(spec, o, u, &cost, why);
            if (status != TPU_OK) {
                return status;
            }
            if (specgen_derive_rewritten(spec, u, &cost)) {
                rewrite_row(spec, o, u, &cost, text);
            }
        }
    }
    specgen_text_add(text, "\n");
    return TPU_OK;
}

static void add_work(const cJSON *work, specgen_text *text) {
    const char *kind = specgen_spec_text(work, "kind");
    if (strcmp(kind, "static_instructions") == 0) {
        specgen_text_add(text, "instructions of the program as written");
    } else if (strcmp(kind, "steps") == 0) {
        specgen_text_add(text, "steps of %s", specgen_spec_text(work, "unit"));
    } else if (strcmp(kind, "items") == 0) {
        specgen_text_add(text, "items on port %s of %s", specgen_spec_text(work, "port"),
                         specgen_spec_text(work, "unit"));
    } else {
        specgen_text_add(text, "rows of %s up to the last one that a load reads",
                         specgen_spec_text(work, "state"));
    }
}

static void write_header(const specgen_spec *spec, specgen_text *text) {
    specgen_text_add(text, "## Header of the instruction memory\n\nCounts are summed over the "
                           "issues that the program makes.\n\n");
    HEAD(text, "word", "bits", "name", "count", "consumer", "note");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "imem.entries")) {
        specgen_text work = {0};
        char word[SPECGEN_NUMBER + 8];
        char bits[SPECGEN_NUMBER * 2];
        int64_t lo = specgen_spec_int(item, "lo");
        (void)snprintf(word, sizeof word, "imem[%" PRId64 "]", specgen_spec_int(item, "index"));
        (void)snprintf(bits, sizeof bits, "[%" PRId64 ":%" PRId64 "]", lo,
                       lo + specgen_spec_int(item, "width"));
        add_work(specgen_spec_list(item, "work"), &work);
        ROW(text, word, bits, specgen_spec_text(item, "name"), work.data,
            specgen_spec_text(item, "consumer"), specgen_spec_text(item, "note"));
        specgen_text_clear(&work);
    }
    specgen_text_add(text, "\n");
    specgen_cells_prose(text, specgen_spec_text(specgen_spec_at(spec, "imem"), "note"));
}

tpu_status specgen_machine_units(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    write_units(spec, text);
    tpu_status status = write_costs(spec, text, why);
    if (status == TPU_OK) {
        status = write_dispatch(spec, text, why);
    }
    if (status == TPU_OK) {
        status = write_rewrites(spec, text, why);
    }
    write_header(spec, text);
    return status;
}

static void memory_row(const specgen_spec *spec, const cJSON *item, specgen_text *text) {
    const char *name = specgen_spec_text(item, "name");
    specgen_text writers = {0};
    specgen_text readers = {0};
    if (!specgen_derive_users(spec, name, SPECGEN_WRITE, &writers) ||
        specgen_spec_bool(item, "written_by_host")) {
        specgen_text_add(&writers, "the host");
    }
    if (!specgen_derive_users(spec, name, SPECGEN_READ, &readers)) {
        specgen_text_add(&readers, "%s",
                         specgen_spec_bool(item, "read_by_owner") ? specgen_spec_text(item, "owner")
                                                                  : "the host");
    }
    ROW(text, name, specgen_spec_text(item, "owner"), specgen_spec_text(item, "placement"),
        specgen_spec_text(item, "depth"), specgen_spec_text(item, "row_bits"),
        specgen_spec_text(item, "contents"), writers.data, readers.data,
        specgen_spec_bool(item, "cleared") ? "yes" : "no");
    specgen_text_clear(&writers);
    specgen_text_clear(&readers);
}

static void write_memories(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text, "## Memories\n\nWho writes and reads is computed from the actions.\n\n");
    HEAD(text, "memory", "owner", "where", "rows", "bits a row", "contents", "written by",
         "read by", "cleared at start");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "memories")) {
        memory_row(spec, item, text);
    }
    specgen_text_add(text, "\n");
    specgen_cells_prose(text, specgen_spec_text(spec->root, "memory_note"));
}

static void add_scalars(const cJSON *stream, specgen_text *text) {
    const cJSON *item = NULL;
    const cJSON *list = specgen_spec_list(stream, "scalars");
    cJSON_ArrayForEach(item, list) {
        specgen_text_add(text, "%s%s u%" PRId64, item == list->child ? "" : ", ",
                         specgen_spec_text(item, "name"), 8 * specgen_spec_int(item, "bytes"));
    }
}

static void write_streams(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    int64_t number = 0;
    specgen_text_add(
        text, "## Streams\n\nA stream is a sequence of rows that the program fixes, whatever the "
              "timing.\nA row is a byte string, little-endian: the scalars, then T lanes.\n\n");
    HEAD(text, "number", "stream", "from", "to", "scalars", "lanes", "contents");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "streams")) {
        specgen_text scalars = {0};
        char index[SPECGEN_NUMBER];
        const char *reader = specgen_spec_text(item, "reader");
        const char *lane = specgen_spec_text(item, "lane");
        add_scalars(item, &scalars);
        ROW(text, specgen_cells_number(index, number++), specgen_spec_text(item, "name"),
            specgen_spec_text(item, "writer"), strcmp(reader, "none") == 0 ? NULL : reader,
            scalars.data, strcmp(lane, "none") == 0 ? NULL : lane,
            specgen_spec_text(item, "contents"));
        specgen_text_clear(&scalars);
    }
    specgen_text_add(text, "\n");
}

static void valued_rows(const specgen_spec *spec, const char *path, const char *words,
                        specgen_text *text) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        char value[SPECGEN_NUMBER];
        ROW(text, specgen_cells_number(value, specgen_spec_int(item, "value")),
            specgen_spec_text(item, "name"), specgen_spec_text(item, words));
    }
    specgen_text_add(text, "\n");
}

static void write_rules(const specgen_spec *spec, specgen_text *text) {
    specgen_text_add(text, "## Rules and faults\n\nThe check names the rule that a program breaks; "
                           "the machine's fault register holds\nits value when the check was "
                           "skipped.\n\n");
    HEAD(text, "value", "rule", "what it demands");
    valued_rows(spec, "rules", "text", text);
    HEAD(text, "value", "fault", "what happened");
    valued_rows(spec, "faults", "text", text);
    specgen_text_add(text, "## Probe values\n\n");
    HEAD(text, "value", "state of a unit", "meaning");
    valued_rows(spec, "probe.states", "meaning", text);
    specgen_text_add(text, "What a starved or blocked unit waits for is a stream's number or:\n\n");
    HEAD(text, "value", "wait", "meaning");
    valued_rows(spec, "probe.waits", "meaning", text);
}

static void write_registers(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text, "## Registers\n\nAXI4-Lite, 32-bit words.\n\n");
    HEAD(text, "offset", "name", "words", "access", "meaning");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "registers")) {
        char offset[SPECGEN_NUMBER];
        char words[SPECGEN_NUMBER];
        (void)snprintf(offset, sizeof offset, "0x%03" PRIX64,
                       (uint64_t)specgen_spec_int(item, "offset"));
        ROW(text, offset, specgen_spec_text(item, "name"),
            specgen_cells_number(words, specgen_spec_int(item, "words")),
            specgen_spec_text(item, "access"), specgen_spec_text(item, "meaning"));
    }
    specgen_text_add(text, "\n");
}

void specgen_machine_memories(const specgen_spec *spec, specgen_text *text) {
    write_memories(spec, text);
    write_streams(spec, text);
    write_rules(spec, text);
    write_registers(spec, text);
}
