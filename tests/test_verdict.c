// SPDX-License-Identifier: Apache-2.0
//
// Signatures survive their text, exit codes are fixed, and rows are described by hand-made pairs.

#include "harness/lockstep/verdict.h"

#include <criterion/criterion.h>

#include <string.h>

TestSuite(verdict, .timeout = 10);

Test(verdict, has_the_exit_codes_of_the_command_line) {
    cr_expect_eq(verdict_exit_code(VERDICT_OK), 0);
    cr_expect_eq(verdict_exit_code(VERDICT_MISMATCH), 1);
    cr_expect_eq(verdict_exit_code(VERDICT_HANG), 1);
    cr_expect_eq(verdict_exit_code(VERDICT_REFUSED), 2);
    cr_expect_eq(verdict_exit_code(VERDICT_ERROR), 3);
}

Test(verdict, writes_a_signature_as_one_word) {
    verdict_signature signature = {.kind = VERDICT_MISMATCH,
                                   .diff = VERDICT_DIFF_VALUE,
                                   .stream = TPU_STREAM_CW,
                                   .memory = -1,
                                   .unit = TPU_UNIT_ARRAY,
                                   .field = -1,
                                   .pattern = VERDICT_PATTERN_ONE};
    char text[256];
    verdict_signature_format(&signature, text, sizeof text);
    cr_expect_str_eq(text, "MISMATCH/value/stream=cw/memory=-/unit=array/field=-/"
                           "pattern=one-lane/fault=-");
}

Test(verdict, reads_back_every_signature_that_it_writes) {
    for (int stream = -1; stream < TPU_STREAM_COUNT; stream++) {
        int fields = stream < 0 ? 0 : (int)tpu_streams[stream].field_count;
        for (int field = -1; field < fields; field++) {
            verdict_signature in = {.kind = VERDICT_HANG,
                                    .diff = VERDICT_DIFF_STUCK,
                                    .stream = stream,
                                    .memory = stream % TPU_MEM_COUNT,
                                    .unit = stream % TPU_UNIT_COUNT,
                                    .field = field,
                                    .pattern = VERDICT_PATTERN_FIELD,
                                    .fault = TPU_FAULT_WATCHDOG};
            char text[256];
            verdict_signature out;
            tpu_message why = {{0}};
            verdict_signature_format(&in, text, sizeof text);
            cr_assert_eq(verdict_signature_parse(text, &out, &why), TPU_OK, "%s", why.text);
            cr_expect(verdict_signature_equal(&in, &out), "%s", text);
        }
    }
}

Test(verdict, tells_two_signatures_apart_by_any_of_their_parts) {
    const verdict_signature one = {.kind = VERDICT_MISMATCH,
                                   .diff = VERDICT_DIFF_VALUE,
                                   .stream = TPU_STREAM_CW,
                                   .memory = -1,
                                   .unit = TPU_UNIT_ARRAY,
                                   .field = -1,
                                   .pattern = VERDICT_PATTERN_ONE,
                                   .fault = 0};
    verdict_signature other[8] = {one, one, one, one, one, one, one, one};
    other[0].kind = VERDICT_HANG;
    other[1].diff = VERDICT_DIFF_EXTRA;
    other[2].stream = TPU_STREAM_ACOL;
    other[3].memory = TPU_MEM_C;
    other[4].unit = TPU_UNIT_VRU;
    other[5].field = 0;
    other[6].pattern = VERDICT_PATTERN_ALL;
    other[7].fault = 3;
    cr_expect(verdict_signature_equal(&one, &one));
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        cr_expect_not(verdict_signature_equal(&one, &other[i]), "part %zu", i);
    }
}

Test(verdict, refuses_a_signature_that_it_never_wrote) {
    static const char *const bad[] = {
        "",
        "MISMATCH",
        "MISMATCH/value/stream=cw/memory=-/unit=array/field=-/pattern=one-lane",
        "MAYBE/value/stream=cw/memory=-/unit=array/field=-/pattern=one-lane/fault=-",
        "MISMATCH/value/stream=xx/memory=-/unit=array/field=-/pattern=one-lane/fault=-",
        "MISMATCH/value/stream=-/memory=-/unit=array/field=pc/pattern=one-lane/fault=-",
        "-/value/stream=cw/memory=-/unit=array/field=-/pattern=one-lane/fault=-",
        "MISMATCH/value/stream=cw/memory=-/unit=array/field=-/pattern=one-lane/fault=-/more"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        verdict_signature out;
        tpu_message why = {{0}};
        cr_expect_eq(verdict_signature_parse(bad[i], &out, &why), TPU_REFUSED, "\"%s\"", bad[i]);
        cr_expect(strlen(why.text) > 0);
    }
}

Test(verdict, tells_lanes_that_are_all_wrong_from_saturated_ones) {
    // ac2sp: T int8 lanes, no head; here T = 4.
    static const struct {
        int8_t want[4];
        int8_t got[4];
        verdict_pattern pattern;
        int lane;
        uint64_t differ;
    } cases[] = {{{1, 2, 3, 4}, {1, 2, 9, 4}, VERDICT_PATTERN_ONE, 2, 1},
                 {{1, 2, 3, 4}, {5, 6, 7, 8}, VERDICT_PATTERN_ALL, 0, 4},
                 {{1, 127, 3, -128}, {1, -1, 3, 127}, VERDICT_PATTERN_SATURATED, 1, 2},
                 {{1, 2, 3, 4}, {1, 0, 3, 0}, VERDICT_PATTERN_SOME, 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        verdict out;
        uint8_t want[4];
        uint8_t got[4];
        memcpy(want, cases[i].want, 4);
        memcpy(got, cases[i].got, 4);
        verdict_init(&out);
        verdict_describe_row(&out, TPU_STREAM_AC2SP, want, got, 4);
        cr_expect(out.pattern == cases[i].pattern, "case %zu", i);
        cr_expect_eq(out.lane, cases[i].lane);
        cr_expect_eq(out.lanes_differ, cases[i].differ);
        cr_expect_eq(out.first.expected, cases[i].want[cases[i].lane]);
        cr_expect_eq(out.first.got, cases[i].got[cases[i].lane]);
    }
}

Test(verdict, sign_extends_lanes_and_not_fields) {
    // ar.write.mm: row u16, then int32 lanes, little-endian.
    static const uint8_t row[] = {0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x80};
    cr_expect_eq(verdict_row_element(TPU_STREAM_AR_WRITE_MM, row, 0, -1), 65535);
    cr_expect_eq(verdict_row_element(TPU_STREAM_AR_WRITE_MM, row, -1, 0), -2);
    cr_expect_eq(verdict_row_element(TPU_STREAM_AR_WRITE_MM, row, -1, 1), INT32_MIN);
}
