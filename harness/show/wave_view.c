// SPDX-License-Identifier: Apache-2.0
//
// Composes the view of a failure as a save file without ranges; wave_fit.c makes it fit and
// translates it for Surfer.

#define _POSIX_C_SOURCE 200809L // strndup

#include "harness/show/wave_view.h"

#include "harness/io/textbuf.h"
#include "harness/io/textfile.h"
#include "harness/show/wave.h"
#include "harness/show/wave_file.h"
#include "harness/show/wave_fit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORE "TOP.tpu_engine.u_top.u_core."

// How GTKWave shows what follows; see its manual on trace flags.
#define AS_HEX "@22\n"
#define AS_BITS "@28\n"
#define AS_DECIMAL "@24\n"
#define AS_SIGNED "@420\n"
#define AS_NAMES "@100000028\n" // the names of the values, from the waveform
#define TRANSLATED "@2022\n^1 " WAVE_FIT_OPCODES "\n"

enum { RED = 1, ORANGE = 2, YELLOW = 3, BLUE = 5 };

// What is worth a look in the RTL of a unit; names below u_core.
typedef struct inside {
    const char *name;
    const char *as;
} inside;

static const inside rtl[TPU_UNIT_COUNT][8] = {
    [TPU_UNIT_SEQUENCER] = {{"u_sequencer.op", TRANSLATED},
                            {"u_sequencer.pc_q", AS_DECIMAL},
                            {"u_sequencer.depth_q", AS_DECIMAL},
                            {"u_sequencer.iv_q", AS_HEX},
                            {"u_sequencer.trip_q", AS_HEX}},
    [TPU_UNIT_DMA_LD] = {{"u_dma_ld.left_q", AS_DECIMAL},
                         {"u_dma_ld.addr_q", AS_HEX},
                         {"u_dma_ld.to_vr_q", AS_BITS},
                         {"u_dma_ld.from_b_q", AS_BITS}},
    [TPU_UNIT_SPM] = {{"u_spm.op", TRANSLATED},
                      {"u_spm.u_rows.wnext_q", AS_DECIMAL},
                      {"u_spm.u_rows.wleft_q", AS_DECIMAL},
                      {"u_spm.u_rows.rnext_q", AS_DECIMAL},
                      {"u_spm.u_rows.rleft_q", AS_DECIMAL}},
    [TPU_UNIT_VRU] = {{"u_vru.op", TRANSLATED},
                      {"u_vru.u_rows.wnext_q", AS_DECIMAL},
                      {"u_vru.u_rows.wleft_q", AS_DECIMAL},
                      {"u_vru.u_rows.rnext_q", AS_DECIMAL},
                      {"u_vru.u_rows.rleft_q", AS_DECIMAL}},
    [TPU_UNIT_ARRAY] = {{"u_array.load_q", AS_DECIMAL},
                        {"u_array.row_q", AS_DECIMAL},
                        {"u_array.left_q", AS_DECIMAL},
                        {"u_array.age_q", AS_DECIMAL},
                        {"u_array.in_flight_q", AS_BITS}},
    [TPU_UNIT_ACCU] = {{"u_accu.op", TRANSLATED},
                       {"u_accu.m_row_q", AS_DECIMAL},
                       {"u_accu.m_left_q", AS_DECIMAL},
                       {"u_accu.v_dst_q", AS_DECIMAL},
                       {"u_accu.v_left_q", AS_DECIMAL},
                       {"u_accu.r_row_q", AS_DECIMAL},
                       {"u_accu.r_left_q", AS_DECIMAL}},
    [TPU_UNIT_DMA_ST] = {{"u_dma_st.left_q", AS_DECIMAL},
                         {"u_dma_st.row_q", AS_DECIMAL},
                         {"u_dma_st.col_q", AS_DECIMAL},
                         {"u_dma_st.addr_q", AS_HEX},
                         {"u_dma_st.pending_q", AS_DECIMAL}},
};

typedef struct view {
    const recording *from;
    const wave_file *file;
    textbuf text;
} view;

static void begin(view *self, const char *title) {
    textbuf_add(&self->text, "@800200\n-%s\n", title);
}

static void end(view *self, const char *title) {
    textbuf_add(&self->text, "@1000200\n-%s\n", title);
}

static void add(view *self, const char *as, const char *scope, const char *name) {
    textbuf_add(&self->text, "%stpucosim.%s.%s\n", as, scope, name);
}

static void colour(view *self, int number) {
    textbuf_add(&self->text, "[color] %d\n", number);
}

static void add_verdict(view *self) {
    begin(self, "verdict");
    textbuf_add(&self->text, AS_DECIMAL "tpucosim.cycle\n");
    textbuf_add(&self->text, "[color] %d\n" AS_BITS "tpucosim.verdict.diverged\n", RED);
    textbuf_add(&self->text, "[color] %d\n" AS_BITS "tpucosim.verdict.text\n", RED);
    end(self, "verdict");
}

// Got and expected of one part of a row, signed in lanes.
static void add_part(view *self, const char *scope, const char *as, const char *part) {
    char name[48];
    (void)snprintf(name, sizeof name, "got_%s", part);
    colour(self, ORANGE);
    add(self, as, scope, name);
    (void)snprintf(name, sizeof name, "expected_%s", part);
    colour(self, YELLOW);
    add(self, as, scope, name);
}

static void add_parts(view *self, tpu_stream stream, const char *scope) {
    const tpu_stream_info *info = &tpu_streams[stream];
    for (size_t i = 0; i < info->field_count; i++) {
        add_part(self, scope, info->fields[i].bytes > 2 ? AS_HEX : AS_DECIMAL,
                 info->fields[i].name);
    }
    for (uint32_t lane = 0; info->lane_bytes > 0 && lane < self->from->params.t; lane++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%u", lane);
        add_part(self, scope, AS_SIGNED, name);
    }
}

// A stream in short: whole rows; `all` adds fields and lanes.
static void add_stream(view *self, tpu_stream stream, bool all) {
    const tpu_stream_info *info = &tpu_streams[stream];
    char scope[32];
    wave_scope_name(info->name, scope, sizeof scope);
    begin(self, info->name);
    colour(self, RED);
    add(self, AS_BITS, scope, "differs");
    add(self, AS_BITS, scope, "insn");
    add(self, AS_DECIMAL, scope, "index");
    colour(self, ORANGE);
    add(self, AS_HEX, scope, "got");
    colour(self, YELLOW);
    add(self, AS_HEX, scope, "expected");
    if (info->lane_bytes > 0 && all) {
        add(self, AS_BITS, scope, "lanes_differ");
    }
    if (all) {
        add_parts(self, stream, scope);
    }
    end(self, info->name);
}

static void add_unit(view *self, int unit, bool all) {
    const char *scope = tpu_unit_names[unit];
    begin(self, scope);
    colour(self, BLUE);
    add(self, AS_NAMES, scope, "state");
    add(self, AS_BITS, scope, "waits_for");
    add(self, AS_BITS, scope, "insn");
    if (all) {
        add(self, AS_DECIMAL, scope, "pc");
        add(self, AS_DECIMAL, scope, "iv0");
        add(self, AS_DECIMAL, scope, "iv1");
        add(self, AS_DECIMAL, scope, "iv2");
        add(self, AS_DECIMAL, scope, "iv3");
    }
    end(self, scope);
}

static void add_rtl(view *self, int unit) {
    char name[96];
    bool any = false;
    for (const inside *at = rtl[unit]; at->name != NULL; at++) {
        (void)snprintf(name, sizeof name, CORE "%s", at->name);
        if (wave_file_find(self->file, name) == NULL) {
            continue; // a netlist has names of its own
        }
        if (!any) {
            begin(self, "in the RTL");
            any = true;
        }
        textbuf_add(&self->text, "%s%s\n", at->as, name);
    }
    if (any) {
        end(self, "in the RTL");
    }
}

// Streams that the unit reads (true) or writes, but for `except`.
static void add_channels(view *self, int unit, bool reads, int except) {
    begin(self, reads ? "its inputs" : "its outputs");
    for (int stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        const tpu_stream_info *info = &tpu_streams[stream];
        const int owner = reads ? info->reader : (int)info->unit;
        if (owner == unit && stream != except) {
            add_stream(self, (tpu_stream)stream, false);
        }
    }
    end(self, reads ? "its inputs" : "its outputs");
}

static bool is_neighbour(int unit, int other) {
    for (int stream = 0; stream < TPU_STREAM_COUNT; stream++) {
        const tpu_stream_info *info = &tpu_streams[stream];
        if (((int)info->unit == other && info->reader == unit) ||
            ((int)info->unit == unit && info->reader == other)) {
            return true;
        }
    }
    return false;
}

static void add_units(view *self, int guilty) {
    const char *title = guilty < 0 ? "units" : "neighbours";
    begin(self, title);
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        if (unit != guilty && (guilty < 0 || is_neighbour(guilty, unit))) {
            add_unit(self, unit, false);
        }
    }
    end(self, title);
}

static void compose(view *self) {
    const verdict *seen = &self->from->seen;
    const bool failed = seen->kind == VERDICT_MISMATCH || seen->kind == VERDICT_HANG;
    // wave_fit puts the cursor where the waveform's marker rises. A cycle is about 20 dots wide.
    textbuf_add(&self->text, "[timestart] 0\n[size] 1600 900\n[pos] 0 0\n*-6.500000 0\n"
                             "[sst_width] 0\n[signals_width] 360\n[sst_expanded] 0\n");
    add_verdict(self);
    const int unit = failed ? seen->unit : -1;
    const int stream = failed ? seen->stream : -1;
    if (stream >= 0) {
        add_stream(self, (tpu_stream)stream, true);
    }
    if (unit >= 0) {
        add_unit(self, unit, true);
        add_channels(self, unit, true, stream);
        add_channels(self, unit, false, stream);
        add_rtl(self, unit);
    }
    add_units(self, unit);
}

char *wave_view_path(const char *wave, const char *end) {
    const size_t length = strlen(wave);
    const bool has_end = length > 4 && strcmp(wave + length - 4, ".fst") == 0;
    const size_t stem = has_end ? length - 4 : length;
    const size_t size = stem + strlen(end) + 1;
    char *path = malloc(size);
    if (path != NULL) {
        (void)snprintf(path, size, "%.*s%s", (int)stem, wave, end);
    }
    return path;
}

static tpu_status write_beside(const char *wave, const char *end, const char *text,
                               tpu_message *why) {
    char *path = wave_view_path(wave, end);
    const tpu_status status = path == NULL
                                  ? status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", wave)
                                  : textfile_write(path, text, strlen(text), why);
    free(path);
    return status;
}

static tpu_status write_names(const char *wave, tpu_message *why) {
    const char *slash = strrchr(wave, '/');
    char *directory = slash == NULL ? NULL : strndup(wave, (size_t)(slash - wave) + 1);
    const tpu_status status = wave_fit_write_names(directory != NULL ? directory : ".", why);
    free(directory);
    return status;
}

tpu_status wave_view_write(const recording *from, const char *wave, tpu_message *why) {
    view self = {.from = from};
    wave_file *file = NULL;
    wave_fit fit = {.gtkw = NULL};
    char *text = NULL;
    tpu_status status = wave_file_open(wave, &file, why);
    if (status == TPU_OK) {
        self.file = file;
        compose(&self);
        status = textbuf_take(&self.text, &text, why);
    }
    if (status == TPU_OK) {
        status = wave_fit_make(text, file, NULL, &fit, why);
    }
    if (status == TPU_OK) {
        status = write_beside(wave, WAVE_VIEW_GTKWAVE, fit.gtkw, why);
    }
    if (status == TPU_OK) {
        status = write_beside(wave, WAVE_VIEW_SURFER, fit.sucl, why);
    }
    if (status == TPU_OK) {
        status = write_names(wave, why);
    }
    wave_fit_clear(&fit);
    textbuf_clear(&self.text);
    wave_file_close(file);
    free(text);
    return status;
}
