// SPDX-License-Identifier: Apache-2.0
//
// What the model refuses to execute: it must fail in a sentence and never leave its memories.

#include "tests/support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

static rig at;

static void open_small(void) {
    rig_open(&at, 4, 16);
}

static void close_rig(void) {
    rig_close(&at);
}

TestSuite(guard, .init = open_small, .fini = close_rig);

typedef struct illegal {
    const char *what;
    unsigned op, nr, f[4];
} illegal;

Test(guard, an_issue_that_leaves_a_memory_is_an_internal_error_and_emits_nothing) {
    static const illegal cases[] = {
        {"load beyond the matrix", DMA_LD, 2, {0, 15, 0, 0}},
        {"load beyond the row", DMA_LD, 1, {0, 0, 4, 0}},
        {"load beyond spad", DMA_LD, 2, {0, 0, 0, 63}},
        {"load beyond vr", DMA_LD, 2, {2, 0, 0, 63}},
        {"unknown mode", DMA_LD, 1, {4, 0, 0, 0}},
        {"copy beyond spad", VLD, 2, {0, 63, 0, 0}},
        {"copy beyond vr", VLD, 2, {63, 0, 0, 0}},
        {"activations beyond vr", MM, 2, {63, 0, 0, 0}},
        {"sums beyond ar", MM, 2, {0, 127, 0, 0}},
        {"weights beyond spad", MM, 1, {0, 0, 0, 61}},
        {"acc of two", MM, 1, {0, 0, 2, 0}},
        {"vadd target beyond ar", VADD, 2, {127, 0, 0, 0}},
        {"vadd left beyond ar", VADD, 2, {0, 127, 0, 0}},
        {"vadd right beyond ar", VADD, 2, {0, 0, 127, 0}},
        {"vrelu target beyond ar", VRELU, 1, {128, 0, 0, 0}},
        {"vrelu source beyond ar", VRELU, 1, {0, 2047, 0, 0}},
        {"vaddrelu beyond ar", VADDRELU, 1, {0, 0, 128, 0}},
        {"mvout beyond ar", MVOUT, 2, {127, 0, 0, 0}},
        {"mvout beyond C", MVOUT, 2, {0, 15, 0, 0}},
        {"mvout beyond the row", MVOUT, 1, {0, 0, 4, 0}},
        {"no rows", DMA_LD, 0, {0, 0, 0, 0}},
        {"too many rows", DMA_LD, 128, {0, 0, 0, 0}},
        {"a field above the spare bit", VRELU, 1, {0, 0, 0, 2048}},
        {"the retired store", DMA_ST, 1, {0, 0, 0, 0}},
        {"an unknown opcode", 11, 1, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const illegal *bad = &cases[i];
        rig_restart(&at);
        rig_add(&at, bad->op, bad->nr, bad->f[0], bad->f[1], bad->f[2], bad->f[3]);
        record_clear(&at.rows);
        cr_expect_eq(rig_run(&at), TPU_ERR_INTERNAL, "%s", bad->what);
        cr_expect_eq(record_total(&at.rows), 8, "%s: only the header", bad->what);
        cr_expect(strstr(at.why.text, "pc 0") != NULL, "%s: %s", bad->what, at.why.text);
    }
}

Test(guard, using_a_row_that_nothing_wrote_is_an_internal_error) {
    rig_add(&at, DMA_LD, 4, 0, 0, 0, 0);
    rig_add(&at, MM, 1, 5, 0, 0, 0);
    cr_expect_eq(rig_run(&at), TPU_ERR_INTERNAL);
    cr_expect_str_eq(at.why.text,
                     "the model was given an illegal program: pc 1 (mm) reads vr row 5, "
                     "which nothing wrote");
}

Test(guard, a_loop_that_is_not_open_is_an_internal_error) {
    rig_add(&at, ENDLOOP, 0, 0, 0, 0, 0);
    cr_expect_eq(rig_run(&at), TPU_ERR_INTERNAL);
}
