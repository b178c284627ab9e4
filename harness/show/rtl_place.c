// SPDX-License-Identifier: Apache-2.0
//
// Files are named after units; the sequencer has three. The line is looked up in the file, so that
// it is right whatever was edited, and is 1 where no source tree is at hand.

#include "harness/show/rtl_place.h"

#include "harness/io/textfile.h"
#include "spec/generated/tpu_isa.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The port through which the writer of a stream drives it.
static const char *const ports[TPU_STREAM_COUNT] = {
    [TPU_STREAM_ISSUE] = "insn_pc_o",          [TPU_STREAM_C_DLD] = "dld_data_o",
    [TPU_STREAM_C_SPM] = "spm_data_o",         [TPU_STREAM_C_VRU] = "vru_data_o",
    [TPU_STREAM_C_ACC] = "acc_data_o",         [TPU_STREAM_C_DST] = "dst_data_o",
    [TPU_STREAM_DMA2SP] = "sp_data_o",         [TPU_STREAM_DMA2VR] = "vr_data_o",
    [TPU_STREAM_SP2VR] = "vr_data_o",          [TPU_STREAM_WCOL] = "wcol_data_o",
    [TPU_STREAM_ACOL] = "acol_data_o",         [TPU_STREAM_CW] = "cw_data_o",
    [TPU_STREAM_AC2SP] = "ac_data_o",          [TPU_STREAM_SPAD_WRITE] = "probe_o",
    [TPU_STREAM_VR_WRITE] = "probe_o",         [TPU_STREAM_AR_WRITE_MM] = "probe_mm_o",
    [TPU_STREAM_AR_WRITE_ALU] = "probe_alu_o", [TPU_STREAM_C_WRITE] = "probe_o"};

// A field of an issue: "f2" is the address generator's.
static bool is_operand(int stream, int field) {
    return stream == TPU_STREAM_ISSUE && field >= 0 &&
           tpu_streams[stream].fields[field].name[0] == 'f';
}

static const char *module_of(int unit, int stream, int field) {
    if (unit != TPU_UNIT_SEQUENCER) {
        return tpu_unit_names[unit];
    }
    if (is_operand(stream, field)) {
        return "agu";
    }
    // A wrong word is made in issue; one that never comes is looked for from the start.
    bool word = stream >= TPU_STREAM_C_DLD && stream <= TPU_STREAM_C_DST && field >= 0;
    return word ? "issue" : "sequencer";
}

static void port_of(int stream, int field, char *text, size_t size) {
    if (is_operand(stream, field)) {
        (void)snprintf(text, size, "issue_%s_o", tpu_streams[stream].fields[field].name);
    } else {
        (void)snprintf(text, size, "%s", ports[stream]);
    }
}

// The first line with the port that does not declare it.
static unsigned find_line(const char *text, const char *port) {
    unsigned line = 1;
    for (const char *at = text; *at != '\0'; line++) {
        size_t length = strcspn(at, "\n");
        const char *found = strstr(at, port);
        bool here = found != NULL && found < at + length;
        const char *declared = strstr(at, "output");
        if (here && (declared == NULL || declared > found)) {
            return line;
        }
        at += length + (at[length] == '\n');
    }
    return 1;
}

void rtl_place_find(int unit, int stream, int field, rtl_place *out) {
    char port[32];
    char *text = NULL;
    *out = (rtl_place){.line = 1};
    if (unit < 0 || unit >= TPU_UNIT_COUNT) {
        return;
    }
    (void)snprintf(out->file, sizeof out->file, "rtl/core/tpu_%s.sv",
                   module_of(unit, stream, field));
    bool own = stream >= 0 && stream < TPU_STREAM_COUNT && (int)tpu_streams[stream].unit == unit;
    if (own && textfile_read(out->file, &text, NULL, NULL) == TPU_OK) {
        port_of(stream, field, port, sizeof port);
        out->line = find_line(text, port);
    }
    free(text);
}
