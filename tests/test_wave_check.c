// SPDX-License-Identifier: Apache-2.0
//
// What is refused before a run whose waveform is wanted: a place that cannot be written, a disk
// without room, a dump that lacks signals.

#include "harness/show/wave_check.h"

#include "harness/io/textfile.h"
#include "harness/show/wave_writer.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char directory[256];
static char path[300];
static tpu_message why;

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/a.fst", directory);
    why.text[0] = '\0';
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(wave_check, .init = set_up, .fini = tear_down, .timeout = 20);

// What the dump below is to have, and how much of spad.
typedef struct dump {
    bool probes;
    uint32_t spad_rows;
    wave_lane clock;
    wave_lane noise; // does not compress
} dump;

static void add_rows(wave_writer *to, const char *const *scope, size_t count, uint32_t rows) {
    char name[32];
    for (size_t i = 0; i < count; i++) {
        wave_writer_open_scope(to, scope[i]);
    }
    for (uint32_t row = 0; row < rows; row++) {
        (void)snprintf(name, sizeof name, "mem_q[%u]", row);
        (void)wave_writer_add_bits(to, name, 32, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        wave_writer_close_scope(to);
    }
}

static void add_memories(wave_writer *to, uint32_t spad_rows) {
    static const char *const spad[] = {"u_top", "u_core", "u_spm", "u_rows", "u_ram"};
    static const char *const vr[] = {"u_top", "u_core", "u_vru", "u_rows", "u_ram"};
    add_rows(to, spad, 5, spad_rows);
    add_rows(to, vr, 5, 64);
    for (int bank = 0; bank < 4; bank++) {
        char name[32];
        (void)snprintf(name, sizeof name, "gen_bank[%d]", bank);
        const char *const ar[] = {"u_top", "u_core", "u_accu", name, "u_ram"};
        add_rows(to, ar, 5, 32);
    }
}

static void declare(void *user, wave_writer *to) {
    static const char *const probes[] = {
        "fired", "unit",  "done",       "issue",    "c_dld",       "c_spm",        "c_vru",
        "c_acc", "c_dst", "dma2sp",     "dma2vr",   "sp2vr",       "wcol",         "acol",
        "cw",    "ac2sp", "spad_write", "vr_write", "ar_write_mm", "ar_write_alu", "c_write"};
    dump *self = user;
    wave_writer_open_scope(to, "TOP");
    self->clock = wave_writer_add_bits(to, "clk_i", 1, NULL);
    self->noise = wave_writer_add_bits(to, "noise", 32, NULL);
    wave_writer_open_scope(to, "tpu_engine");
    for (size_t i = 0; self->probes && i < sizeof probes / sizeof probes[0]; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "probe_%s", probes[i]);
        (void)wave_writer_add_bits(to, name, 8, NULL);
    }
    add_memories(to, self->spad_rows);
    wave_writer_close_scope(to);
    wave_writer_close_scope(to);
}

static void tick(void *user, wave_writer *to, uint64_t cycle) {
    const dump *self = user;
    wave_writer_set(to, self->clock, cycle);
    wave_writer_set(to, self->noise, cycle * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static tpu_status check(dump *user, bool memories) {
    // T = 4, MAXDIM = 16: 64 rows of spad and vr, 128 of ar.
    const tpu_params params = params_default(4, 16);
    const wave_source source = {
        .user = user, .first = 0, .last = 1, .cycle_time = 10, .declare = declare, .cycle = tick};
    wave_file *file = NULL;
    cr_assert_eq(wave_writer_run(NULL, &source, path, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(wave_file_open(path, &file, &why), TPU_OK, "%s", why.text);
    const tpu_status status = wave_check_names(file, &params, memories, &why);
    wave_file_close(file);
    return status;
}

Test(wave_check, accepts_a_dump_with_everything) {
    cr_expect_eq(check(&(dump){.probes = true, .spad_rows = 64}, true), TPU_OK, "%s", why.text);
}

// As Verilator does it when nobody tells it otherwise: no row of an array of more than 32.
Test(wave_check, counts_the_rows_that_are_not_in_the_dump_and_names_the_first) {
    cr_expect_eq(check(&(dump){.probes = true, .spad_rows = 61}, true), TPU_REFUSED);
    cr_expect_str_eq(why.text, "the machine's dump lacks 3 of 277 signals that a window needs: "
                               "TOP.tpu_engine.u_top.u_core.u_spm.u_rows.u_ram.mem_q[61], "
                               "TOP.tpu_engine.u_top.u_core.u_spm.u_rows.u_ram.mem_q[62], "
                               "TOP.tpu_engine.u_top.u_core.u_spm.u_rows.u_ram.mem_q[63]");
}

Test(wave_check, wants_every_probe_even_of_a_netlist) {
    cr_expect_eq(check(&(dump){.probes = false}, false), TPU_REFUSED);
    cr_expect(strstr(why.text, "lacks 21 of 21") != NULL, "%s", why.text);
    cr_expect(strstr(why.text, "probe_fired") != NULL, "%s", why.text);
}

Test(wave_check, refuses_a_directory_that_is_not_there) {
    cr_expect_eq(wave_check_place("/no/such/place/a.fst", 0, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "/no/such/place/a.fst: a waveform cannot be written there") != NULL,
              "%s", why.text);
}

Test(wave_check, refuses_a_directory_in_place_of_a_file) {
    cr_expect_eq(wave_check_place(directory, 0, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "cannot be written") != NULL, "%s", why.text);
}

Test(wave_check, refuses_a_disk_without_room) {
    cr_expect_eq(wave_check_place(path, UINT64_MAX, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "the disk has ") != NULL, "%s", why.text);
    cr_expect_neq(access(path, F_OK), 0, "a file was left");
}

Test(wave_check, leaves_an_older_file_as_it_is) {
    char *text = NULL;
    cr_assert_eq(textfile_write(path, "old", 3, NULL), TPU_OK);
    cr_expect_eq(wave_check_place(path, 1, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(textfile_read(path, &text, NULL, NULL), TPU_OK);
    cr_expect_str_eq(text, "old");
    free(text);
}

// The writer tells nothing of a disk that fills while it writes; what is not whole is not kept.
Test(wave_check, keeps_no_file_that_could_not_be_written_whole) {
    const struct rlimit little = {.rlim_cur = 9000, .rlim_max = RLIM_INFINITY};
    dump user = {.probes = true, .spad_rows = 64};
    const wave_source source = {.user = &user,
                                .first = 0,
                                .last = 10000,
                                .cycle_time = 10,
                                .declare = declare,
                                .cycle = tick};
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    cr_expect_eq(wave_writer_run(NULL, &source, path, &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "is the disk full?") != NULL, "%s", why.text);
    cr_expect_neq(access(path, F_OK), 0, "a file was left");
}
