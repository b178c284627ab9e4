// SPDX-License-Identifier: Apache-2.0
//
// Every stream's line is looked up in the real files: it must be there, and drive something. The
// files and ports of a few are written down here as a person finds them.

#include "harness/show/rtl_place.h"

#include "harness/io/textfile.h"
#include "spec/generated/tpu_isa.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(rtl_place, .timeout = 10);

static void read_line(const rtl_place *place, char *out, size_t size) {
    char *text = NULL;
    cr_assert_eq(textfile_read(place->file, &text, NULL, NULL), TPU_OK, "%s", place->file);
    const char *at = text;
    for (unsigned line = 1; line < place->line; line++) {
        at = strchr(at, '\n') + 1;
    }
    (void)snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    free(text);
}

Test(rtl_place, finds_a_line_that_drives_each_stream) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        rtl_place place;
        char line[256];
        int field = tpu_streams[s].field_count > 0 ? 0 : -1;
        rtl_place_find((int)tpu_streams[s].unit, s, field, &place);
        cr_expect_gt(place.line, 1u, "%s: %s", tpu_streams[s].name, place.file);
        read_line(&place, line, sizeof line);
        cr_expect(strstr(line, "_o") != NULL, "%s: %s", tpu_streams[s].name, line);
        cr_expect(strstr(line, "output") == NULL, "%s: %s", tpu_streams[s].name, line);
    }
}

Test(rtl_place, knows_the_three_files_of_the_sequencer) {
    rtl_place place;
    char line[256];
    rtl_place_find(TPU_UNIT_SEQUENCER, TPU_STREAM_ISSUE, 0, &place);
    cr_expect_str_eq(place.file, "rtl/core/tpu_sequencer.sv");
    rtl_place_find(TPU_UNIT_SEQUENCER, TPU_STREAM_ISSUE, 5, &place); // pc op nr f0 f1 f2
    cr_expect_str_eq(place.file, "rtl/core/tpu_agu.sv");
    read_line(&place, line, sizeof line);
    cr_expect(strstr(line, "issue_f2_o") != NULL, "%s", line);
    rtl_place_find(TPU_UNIT_SEQUENCER, TPU_STREAM_C_ACC, 0, &place);
    cr_expect_str_eq(place.file, "rtl/core/tpu_issue.sv");
    rtl_place_find(TPU_UNIT_SEQUENCER, TPU_STREAM_C_ACC, -1, &place); // no word came at all
    cr_expect_str_eq(place.file, "rtl/core/tpu_sequencer.sv");
}

Test(rtl_place, gives_the_file_alone_where_there_is_no_line) {
    rtl_place place;
    rtl_place_find(TPU_UNIT_DMA_ST, -1, -1, &place);
    cr_expect_str_eq(place.file, "rtl/core/tpu_dma_st.sv");
    cr_expect_eq(place.line, 1u);
    rtl_place_find(TPU_UNIT_ACCU, TPU_STREAM_CW, -1, &place); // another unit's stream
    cr_expect_str_eq(place.file, "rtl/core/tpu_accu.sv");
    cr_expect_eq(place.line, 1u);
    rtl_place_find(-1, TPU_STREAM_CW, -1, &place);
    cr_expect_str_eq(place.file, "");
    cr_assert_eq(chdir("/"), 0);
    rtl_place_find(TPU_UNIT_ARRAY, TPU_STREAM_CW, -1, &place);
    cr_expect_str_eq(place.file, "rtl/core/tpu_array.sv");
    cr_expect_eq(place.line, 1u);
}

Test(rtl_place, names_a_file_that_exists_for_every_unit) {
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        rtl_place place;
        rtl_place_find(unit, -1, -1, &place);
        cr_expect_eq(access(place.file, R_OK), 0, "%s", place.file);
    }
}
