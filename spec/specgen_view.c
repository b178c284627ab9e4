// SPDX-License-Identifier: Apache-2.0
//
// Writes the viewer translation files: one "value text" line per value, the value spelled as the
// waveform viewer shows it in hexadecimal, '#' lines being comments.

#include "spec/specgen_names.h"
#include "spec/specgen_write.h"

#include <inttypes.h>

static void add_line(specgen_text *text, int digits, int64_t value, const char *name) {
    specgen_text_add(text, "%0*" PRIX64 " %s\n", digits, (uint64_t)value, name);
}

static void add_list(const specgen_spec *spec, const char *path, int digits, bool by_index,
                     specgen_text *text) {
    const cJSON *item = NULL;
    int64_t index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        add_line(text, digits, by_index ? index : specgen_spec_int(item, "value"),
                 specgen_spec_text(item, "name"));
        index++;
    }
}

tpu_status specgen_view_opcodes(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    (void)why;
    int64_t width = 0;
    bool known = specgen_names_fixed(spec, "OP_WIDTH", &width);
    TPU_CHECK(known, "validation demands a field named op");
    specgen_write_notice(spec, "#", text);
    add_list(spec, "opcodes", (int)(width + 3) / 4, false, text);
    return TPU_OK;
}

tpu_status specgen_view_units(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    (void)why;
    specgen_write_notice(spec, "#", text);
    add_list(spec, "units", 2, true, text);
    return TPU_OK;
}

tpu_status specgen_view_rules(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    (void)why;
    specgen_write_notice(spec, "#", text);
    add_line(text, 2, 0, "none");
    add_list(spec, "rules", 2, false, text);
    add_list(spec, "faults", 2, false, text);
    return TPU_OK;
}

tpu_status specgen_view_states(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    (void)why;
    specgen_write_notice(spec, "#", text);
    add_list(spec, "probe.states", 1, false, text);
    return TPU_OK;
}

tpu_status specgen_view_waits(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    (void)why;
    specgen_write_notice(spec, "#", text);
    add_list(spec, "streams", 2, true, text);
    add_list(spec, "probe.waits", 2, false, text);
    return TPU_OK;
}
