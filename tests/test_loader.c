// SPDX-License-Identifier: Apache-2.0
//
// Names and refusals of the loader. Opening a real engine is the lockstep label's business.

#define _POSIX_C_SOURCE 200809L

#include "harness/engine/loader.h"

#include "harness/io/textfile.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[256];

static void set_up(void) {
    scratch_make(directory, sizeof directory);
    cr_assert_eq(setenv("TPU_ENGINE_DIR", directory, 1), 0);
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(loader, .init = set_up, .fini = tear_down, .timeout = 10);

static tpu_params point(void) {
    return (tpu_params){.t = 8,
                        .maxdim = 64,
                        .spad_rows = 512,
                        .nvr = 512,
                        .nar = 136,
                        .imem_size = 56,
                        .qd = 2,
                        .dma_words = 1};
}

Test(loader, names_the_file_after_every_parameter) {
    char name[256];
    tpu_params params = point();
    loader_file_name("systemc", &params, name, sizeof name);
    cr_expect_str_eq(name, "libtpu_engine_systemc_T8_MD64_SP512_VR512_AR136_IM56_QD2_DW1.so");
}

Test(loader, names_the_command_with_what_is_not_at_its_default) {
    char command[256];
    tpu_params params = point();
    loader_build_command("verilator", &params, command, sizeof command);
    cr_expect_str_eq(command, "make engine TPU_T=8 TPU_MAXDIM=64 TPU_QD=2");
    params.qd = 16;
    loader_build_command("systemc", &params, command, sizeof command);
    cr_expect_str_eq(command, "make engine TPU_T=8 TPU_MAXDIM=64 TPU_ENGINE=systemc");
}

Test(loader, refuses_a_missing_engine_with_the_command_that_builds_it) {
    loader *out = NULL;
    tpu_message why = {{0}};
    tpu_params params = point();
    cr_expect_eq(loader_open("verilator", &params, &out, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "make engine TPU_T=8") != NULL, "%s", why.text);
    cr_expect(strstr(why.text, directory) != NULL, "%s", why.text);
    cr_expect(out == NULL);
}

Test(loader, refuses_a_file_that_is_no_engine) {
    char name[256];
    char path[600];
    loader *out = NULL;
    tpu_message why = {{0}};
    tpu_params params = point();
    loader_file_name("verilator", &params, name, sizeof name);
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, "not an object", 13, NULL), TPU_OK);
    cr_expect_eq(loader_open("verilator", &params, &out, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, name) != NULL, "%s", why.text);
}
