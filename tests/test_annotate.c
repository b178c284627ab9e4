// SPDX-License-Identifier: Apache-2.0
//
// Lines as the workflow commands of GitHub Actions are documented: properties after "::error",
// percent signs and line ends escaped in the text, colons and commas in properties as well.

#include "harness/show/annotate.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

TestSuite(annotate, .timeout = 10);

static void expect_error(annotate_place place, const char *sentence, const char *line) {
    char *out = NULL;
    cr_assert_eq(annotate_error(&place, sentence, &out, NULL), TPU_OK);
    cr_expect_str_eq(out, line);
    free(out);
}

Test(annotate, writes_a_workflow_command) {
    expect_error((annotate_place){.file = "a.s", .line = 7, .title = "t"}, "wrong",
                 "::error file=a.s,line=7,title=t::wrong\n");
    expect_error((annotate_place){.file = "a.s"}, "wrong", "::error file=a.s::wrong\n");
    expect_error((annotate_place){.title = "t"}, "wrong", "::error title=t::wrong\n");
    expect_error((annotate_place){.line = 3}, "wrong", "::error::wrong\n");
}

Test(annotate, escapes_what_would_end_a_line_or_a_property) {
    expect_error((annotate_place){.file = "a,b:c%.s", .title = "x: y"}, "50% of\nit: a, b\r",
                 "::error file=a%2Cb%3Ac%25.s,title=x%3A y::50%25 of%0Ait: a, b%0D\n");
}

static const char report[] =
    "{\"name\": \"gemm | 8\", \"source\": \"programs/gemm.s\", \"verdict\": \"MISMATCH\","
    "\"signature\": \"MISMATCH/value\", \"sentence\": \"lane 1 is 26, expected 10\","
    "\"cycle\": \"26\", \"unit\": \"array\", \"suggests\": [\"bit 4 is flipped\", \"more\"],"
    "\"issue\": {\"text\": \"mm rows=8\", \"line\": 12}, \"again\": \"tpucosim replay x\"}";

Test(annotate, points_at_the_line_of_the_program) {
    char *line = NULL;
    char *summary = NULL;
    cr_assert_eq(annotate_report(report, "fail/x", &line, &summary, NULL), TPU_OK);
    cr_expect_str_eq(line, "::error file=programs/gemm.s,line=12,title=gemm | 8::MISMATCH: lane 1 "
                           "is 26, expected 10; to blame: array; suggests: bit 4 is flipped\n");
    static const char wanted[] = "### MISMATCH: gemm | 8\n\n"
                                 "| | |\n|---|---|\n"
                                 "| what | lane 1 is 26, expected 10 |\n"
                                 "| cycle | 26 |\n"
                                 "| unit | array |\n"
                                 "| instruction | mm rows=8 |\n"
                                 "| suggests | bit 4 is flipped |\n"
                                 "| suggests | more |\n"
                                 "| signature | MISMATCH/value |\n"
                                 "| again | tpucosim replay x |\n"
                                 "| files | fail/x |\n\n";
    cr_expect_str_eq(summary, wanted);
    free(line);
    free(summary);
}

static void expect_line(const char *text, const char *start) {
    char *line = NULL;
    char *summary = NULL;
    cr_assert_eq(annotate_report(text, NULL, &line, &summary, NULL), TPU_OK, "%s", text);
    cr_expect_eq(strncmp(line, start, strlen(start)), 0, "%s", line);
    free(line);
    free(summary);
}

Test(annotate, points_at_the_unit_where_there_is_no_program_file) {
    expect_line("{\"verdict\": \"HANG\", \"sentence\": \"s\", \"unit\": \"dma_st\", "
                "\"source\": null, \"issue\": {\"line\": 3}}",
                "::error file=rtl/core/tpu_dma_st.sv,line=1::HANG: s");
    expect_line("{\"verdict\": \"HANG\", \"sentence\": \"s\", \"unit\": \"vru\", "
                "\"source\": \"fail/repro.json\", \"issue\": {\"line\": 3}}",
                "::error file=rtl/core/tpu_vru.sv,line=1::HANG: s");
    // The line in which tpu_agu.sv drives f1 is looked up: see test_rtl_place.c.
    expect_line("{\"verdict\": \"MISMATCH\", \"sentence\": \"s\", \"unit\": \"sequencer\", "
                "\"stream\": \"issue\", \"field\": \"f1\"}",
                "::error file=rtl/core/tpu_agu.sv,line=");
    expect_line("{\"verdict\": \"MISMATCH\", \"sentence\": \"s\", \"unit\": null}",
                "::error::MISMATCH: s");
}

Test(annotate, refuses_what_is_no_report) {
    static const char *const bad[] = {
        "", "{", "[]", "{}", "{\"verdict\": 3, \"sentence\": \"s\"}", "{\"verdict\": \"HANG\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *line = NULL;
        char *summary = NULL;
        tpu_message why = {{0}};
        cr_expect_eq(annotate_report(bad[i], NULL, &line, &summary, &why), TPU_REFUSED, "%s",
                     bad[i]);
        cr_expect(strlen(why.text) > 0);
        cr_expect(line == NULL && summary == NULL);
    }
}
