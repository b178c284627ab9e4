// SPDX-License-Identifier: Apache-2.0
//
// The command line on the real machine (T=4, MAXDIM=16): the table is exact, its digest does not
// depend on timing, matrices come out as a triple loop says, an illegal program ends in a fault,
// and a reproducer replays to the cycle.

#define _POSIX_C_SOURCE 200809L

#include "base/rng.h"
#include "harness/io/npy.h"
#include "harness/io/textfile.h"
#include "tests/support/scratch.h"
#include "tests/support/shell.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[256];
static char output[SHELL_OUTPUT_MAX];

static void set_up(void) {
    (void)setenv("TPU_T", "4", 1);
    (void)setenv("TPU_MAXDIM", "16", 1);
    scratch_make(directory, sizeof directory);
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(cosim, .init = set_up, .fini = tear_down, .timeout = 120);

static int run(const char *arguments) {
    return shell_run(arguments, directory, output);
}

// The digest line of the table.
static uint64_t digest_of(const char *arguments) {
    cr_assert_eq(run(arguments), 0, "%s: %s", arguments, output);
    const char *at = strstr(output, "digest of all lines: ");
    cr_assert(at != NULL, "%s", output);
    return strtoull(at + strlen("digest of all lines: "), NULL, 16);
}

static void path_of(const char *name, char *path, size_t size) {
    (void)snprintf(path, size, "%s/%s", directory, name);
}

static void put_matrix(const char *name, const int8_t *data, size_t rows, size_t columns) {
    char path[512];
    path_of(name, path, sizeof path);
    cr_assert_eq(npy_write(path, data, rows, columns, columns, NPY_ORDER_FORTRAN, NULL), TPU_OK);
}

Test(cosim, is_exact_from_the_first_to_the_last_line) {
    cr_assert_eq(run("cosim --stress --fast --fail @"), 0, "%s", output);
    const char *last = output + strlen(output);
    for (int lines = 0; last > output && lines < 2; last--) {
        lines += last[-1] == '\n';
    }
    unsigned exact = 0;
    unsigned all = 0;
    cr_assert_eq(sscanf(last + 1, "%u of %u exact", &exact, &all), 2, "%s", last);
    cr_expect_eq(exact, all);
    // 5 shapes in 4 GEMM forms, 3 orders and 1 stress line, less what does not fit; the families.
    cr_expect_geq(all, 40u);
}

Test(cosim, gives_one_digest_for_every_timing_and_initial_state) {
    static const char *const timings[] = {"--latency 64", "--stall 300 --timing-seed 7",
                                          "--init ones", "--init zeros --latency 3 --stall 600"};
    uint64_t digest = digest_of("cosim --fast");
    for (size_t i = 0; i < sizeof timings / sizeof timings[0]; i++) {
        char arguments[128];
        (void)snprintf(arguments, sizeof arguments, "cosim --fast %s", timings[i]);
        cr_expect_eq(digest_of(arguments), digest, "%s", timings[i]);
    }
    cr_expect_neq(digest_of("cosim --fast --seed 2"), digest);
}

// 13x9 times 9x7: every extent is padded to a multiple of four and cropped again.
Test(cosim, multiplies_matrices_of_any_extent) {
    int8_t a[13 * 9];
    int8_t b[9 * 7];
    char path[512];
    rng source;
    npy_matrix got = {.data = NULL};
    rng_seed(&source, 4);
    rng_fill(&source, a, sizeof a);
    rng_fill(&source, b, sizeof b);
    put_matrix("a.npy", a, 13, 9);
    put_matrix("b.npy", b, 9, 7);
    cr_assert_eq(run("gemm @/a.npy @/b.npy -o @/c.npy --relu"), 0, "%s", output);
    path_of("c.npy", path, sizeof path);
    cr_assert_eq(npy_read(path, &got, NULL), TPU_OK);
    cr_assert_eq(got.rows, 13u);
    cr_assert_eq(got.columns, 7u);
    for (int i = 0; i < 13; i++) {
        for (int j = 0; j < 7; j++) {
            int sum = 0;
            for (int k = 0; k < 9; k++) {
                sum += a[i * 9 + k] * b[k * 7 + j];
            }
            int want = sum < 0 ? 0 : sum > 127 ? 127 : sum;
            cr_expect_eq(got.data[i * 7 + j], want, "C[%d][%d]", i, j);
        }
    }
    npy_clear(&got);
}

Test(cosim, ends_an_illegal_program_in_its_fault) {
    static const char text[] = "mvout rows=4 ar0=0 dram_row0=0 col_block=0\n";
    char path[512];
    path_of("bad.s", path, sizeof path);
    cr_assert_eq(textfile_write(path, text, strlen(text), NULL), TPU_OK);
    cr_expect_eq(run("run @/bad.s"), 2, "%s", output);
    cr_expect_eq(run("run --unchecked @/bad.s"), 0, "%s", output);
    cr_expect(strstr(output, "fault mem.write_before_read") != NULL, "%s", output);
}

Test(cosim, replays_a_reproducer_to_the_cycle) {
    int8_t a[64] = {1, 2, 3};
    put_matrix("a.npy", a, 8, 8);
    cr_assert_eq(run("gemm @/a.npy @/a.npy --save @/r.json --stall 200 --seed 9"), 0, "%s", output);
    cr_expect_eq(run("replay @/r.json"), 0, "%s", output);
    cr_expect(strstr(output, "The same verdict as in the file, at the same cycle") != NULL, "%s",
              output);
    cr_expect_eq(run("replay @/r.json --wave @/w.fst"), 0, "%s", output);
    cr_expect(strstr(output, "The same verdict as in the file, at the same cycle") != NULL, "%s",
              output);
}
