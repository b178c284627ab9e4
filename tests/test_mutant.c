// SPDX-License-Identifier: Apache-2.0
//
// Mutant files: what is read, what is refused and with which line, planting, who is named, and the
// adding up. Texts and numbers are written by hand.

#include "harness/mutants/mutant.h"
#include "harness/mutants/mutant_choice.h"
#include "harness/mutants/mutant_totals.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                       \
    "# a comment\nwhy: somebody slipped\nkind: design\nfile: rtl/core/tpu_pe.sv\n"                 \
    "expect: cw hang\nunit: array\n"
#define BLOCKS "--- find\na + b\n--- replace\na - b\n--- end\n"

static char *copy(const char *text) {
    char *out = malloc(strlen(text) + 1);
    cr_assert_not_null(out);
    memcpy(out, text, strlen(text) + 1);
    return out;
}

static void parse(const char *text, mutant *out) {
    tpu_message why;
    memset(out, 0, sizeof *out);
    cr_assert_eq(mutant_parse("dir/name.mutant", copy(text), out, &why), TPU_OK, "%s", why.text);
}

static void expect_refused(const char *text, const char *sentence) {
    mutant out = {.text = NULL};
    tpu_message why = {""};
    cr_expect_eq(mutant_parse("dir/name.mutant", copy(text), &out, &why), TPU_REFUSED, "%s", text);
    cr_expect_str_eq(why.text, sentence);
    cr_expect_null(out.text);
}

Test(mutant, says_what_its_file_says) {
    mutant is;
    parse(HEAD "point: TPU_T=12 TPU_MAXDIM=24\n" BLOCKS, &is);
    cr_expect_str_eq(is.name, "name");
    cr_expect_eq(is.kind, MUTANT_DESIGN);
    cr_expect_str_eq(is.why, "somebody slipped");
    cr_expect_str_eq(is.file, "rtl/core/tpu_pe.sv");
    cr_expect_str_eq(is.expect, "cw hang");
    cr_expect_str_eq(is.unit, "array");
    cr_expect_str_eq(is.point, "TPU_T=12 TPU_MAXDIM=24");
    cr_expect_null(is.test);
    cr_expect_null(is.equivalent);
    cr_expect_str_eq(is.find, "a + b");
    cr_expect_str_eq(is.replace, "a - b");
    mutant_clear(&is);
}

Test(mutant, keeps_blanks_and_line_ends_of_anchor_and_replacement) {
    mutant is;
    parse(HEAD "--- find\n  one\n\n  two \n--- replace\n--- end\n", &is);
    cr_expect_str_eq(is.find, "  one\n\n  two ");
    cr_expect_str_eq(is.replace, "");
    mutant_clear(&is);
}

Test(mutant, refuses_what_it_cannot_read_with_the_line) {
    expect_refused("why somebody\n" BLOCKS, "dir/name.mutant:1: expected \"key: value\" or "
                                            "\"--- find\", found \"why somebody\"");
    expect_refused("why: \n", "dir/name.mutant:1: expected \"key: value\" or \"--- find\", found "
                              "\"why: \"");
    expect_refused("# x\ncolour: red\n" BLOCKS, "dir/name.mutant:2: there is no key \"colour\"");
    expect_refused(HEAD "unit: accu\n" BLOCKS, "dir/name.mutant:7: a second time: \"unit\"");
    expect_refused("kind: design\nkind: spec\n" BLOCKS, "dir/name.mutant:2: a second time: "
                                                        "\"kind\"");
    expect_refused("kind: evil\n" BLOCKS, "dir/name.mutant:1: kind is design, spec, fault, model "
                                          "or harness, not \"evil\"");
    expect_refused(HEAD, "dir/name.mutant:6: the file ends before its \"--- find\"");
    expect_refused("", "dir/name.mutant:0: the file ends before its \"--- find\"");
    expect_refused(HEAD "--- find\na\n", "dir/name.mutant:8: the file ends before its \"--- "
                                         "replace\"");
    expect_refused(HEAD "--- find\na\n--- replace\nb\n", "dir/name.mutant:10: the file ends before "
                                                         "its \"--- end\"");
    expect_refused(HEAD "--- find\n--- replace\nb\n--- end\n", "dir/name.mutant:7: the anchor is "
                                                               "empty");
    expect_refused(HEAD "--- find\na\n--- replace\na\n--- end\n",
                   "dir/name.mutant:11: anchor and replacement are the same");
    expect_refused(HEAD BLOCKS "more\n", "dir/name.mutant:12: something stands behind \"--- end\"");
}

Test(mutant, refuses_keys_that_do_not_go_together) {
    const char *const end = "dir/name.mutant:10: ";
    char sentence[256];
    (void)snprintf(sentence, sizeof sentence, "%sthe file lacks its \"expect\"", end);
    expect_refused("why: x\nkind: design\nfile: rtl/a.sv\nunit: accu\n# x\n" BLOCKS, sentence);
    (void)snprintf(sentence, sizeof sentence, "%sthe file lacks its \"unit\"", end);
    expect_refused("why: x\nkind: design\nfile: rtl/a.sv\nexpect: cw\n# x\n" BLOCKS, sentence);
    (void)snprintf(sentence, sizeof sentence, "%sfault and harness need the key \"test\"", end);
    expect_refused("why: x\nkind: fault\nfile: rtl/a.sv\nexpect: cw\n# x\n" BLOCKS, sentence);
    (void)snprintf(sentence, sizeof sentence, "%sonly fault and harness have the key \"test\"",
                   end);
    expect_refused("why: x\nkind: model\nfile: csim/a.c\nexpect: cw\ntest: test_a\n" BLOCKS,
                   sentence);
    (void)snprintf(sentence, sizeof sentence, "%sexpect names no stream: \"wc\"", end);
    expect_refused("why: x\nkind: design\nfile: rtl/a.sv\nexpect: cw wc\nunit: accu\n" BLOCKS,
                   sentence);
    (void)snprintf(sentence, sizeof sentence, "%sthere is no unit \"alu\"", end);
    expect_refused("why: x\nkind: design\nfile: rtl/a.sv\nexpect: cw\nunit: alu\n" BLOCKS,
                   sentence);
    (void)snprintf(sentence, sizeof sentence,
                   "%sdesign, spec and fault plant under rtl/, model and harness elsewhere; "
                   "neither does \"csim/a.c\"",
                   end);
    expect_refused("why: x\nkind: design\nfile: csim/a.c\nexpect: cw\nunit: accu\n" BLOCKS,
                   sentence);
    expect_refused("why: x\nkind: model\nfile: ../a.c\nexpect: cw\nunit: model\n" BLOCKS,
                   "dir/name.mutant:10: design, spec and fault plant under rtl/, model and harness "
                   "elsewhere; neither does \"../a.c\"");
    expect_refused(HEAD "point: T=12\n" BLOCKS,
                   "dir/name.mutant:12: point is \"TPU_NAME=value ...\", not \"T=12\"");
}

Test(mutant, is_a_file_of_that_name) {
    mutant out = {.text = NULL};
    tpu_message why;
    cr_expect_eq(mutant_parse("dir/name.txt", copy(HEAD BLOCKS), &out, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "dir/name.txt: a mutant is a file NAME.mutant");
    cr_expect_eq(mutant_read("no/such.mutant", &out, &why), TPU_REFUSED);
}

Test(mutant, an_equivalent_one_needs_neither_stream_nor_unit) {
    mutant is;
    parse("why: x\nkind: design\nfile: rtl/a.sv\nequivalent: the same either way\n" BLOCKS, &is);
    cr_expect_str_eq(is.equivalent, "the same either way");
    cr_expect(mutant_must_survive(&is));
    mutant_clear(&is);
}

// ---- planting ----------------------------------------------------------------------------------

Test(mutant, plants_where_the_anchor_is_and_nowhere_else) {
    mutant is;
    char *planted = NULL;
    tpu_message why;
    parse(HEAD BLOCKS, &is);
    cr_assert_eq(mutant_plant(&is, "x = a + b;\ny = a;\n", &planted, &why), TPU_OK);
    cr_expect_str_eq(planted, "x = a - b;\ny = a;\n");
    free(planted);
    cr_expect_eq(mutant_plant(&is, "x = a+b;\n", &planted, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "name: its anchor does not occur in rtl/core/tpu_pe.sv");
    cr_expect_eq(mutant_plant(&is, "a + b a + b", &planted, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "name: its anchor occurs more than once in rtl/core/tpu_pe.sv");
    mutant_clear(&is);
}

Test(mutant, an_anchor_that_overlaps_itself_occurs_twice) {
    mutant is;
    char *planted = NULL;
    tpu_message why;
    parse(HEAD "--- find\nabab\n--- replace\nx\n--- end\n", &is);
    cr_expect_eq(mutant_plant(&is, "ababab", &planted, &why), TPU_REFUSED);
    mutant_clear(&is);
}

// ---- who is named ------------------------------------------------------------------------------

static bool expects(const char *list, verdict_signature seen) {
    const mutant is = {.expect = list};
    return mutant_expects(&is, &seen);
}

Test(mutant, knows_where_it_may_show) {
    const verdict_signature cw = {.kind = VERDICT_MISMATCH,
                                  .diff = VERDICT_DIFF_VALUE,
                                  .stream = TPU_STREAM_CW,
                                  .memory = -1};
    const verdict_signature c = {
        .kind = VERDICT_MISMATCH, .diff = VERDICT_DIFF_C_INSIDE, .stream = -1, .memory = TPU_MEM_C};
    const verdict_signature hang = {
        .kind = VERDICT_HANG, .diff = VERDICT_DIFF_STUCK, .stream = TPU_STREAM_CW, .memory = -1};
    const verdict_signature fault = {
        .kind = VERDICT_MISMATCH, .diff = VERDICT_DIFF_FAULT, .stream = -1, .memory = -1};
    const verdict_signature assertion = {
        .kind = VERDICT_MISMATCH, .diff = VERDICT_DIFF_ASSERTION, .stream = -1, .memory = -1};
    cr_expect(expects("acol cw", cw));
    cr_expect_not(expects("acol", cw));
    cr_expect_not(expects("c", cw));
    cr_expect(expects("C", c));
    cr_expect_not(expects("c.write", c));
    cr_expect(expects("hang", hang));
    cr_expect_not(expects("cw", hang));
    cr_expect(expects("ac2sp fault", fault));
    cr_expect(expects("assertion", assertion));
    cr_expect_not(expects("fault hang cw C", assertion));
}

Test(mutant, knows_whom_it_may_blame) {
    const mutant is = {.unit = "spm vru"};
    cr_expect(mutant_blames(&is, TPU_UNIT_SPM));
    cr_expect(mutant_blames(&is, TPU_UNIT_VRU));
    cr_expect_not(mutant_blames(&is, TPU_UNIT_ACCU));
    cr_expect_not(mutant_blames(&is, -1));
}

// ---- choosing and adding up --------------------------------------------------------------------

static const mutant six[] = {{.name = "a"}, {.name = "b"}, {.name = "c"},
                             {.name = "d"}, {.name = "e"}, {.name = "f"}};

static void choose(const mutant_wish *wish, char *names) {
    mutant list[6];
    memcpy(list, six, sizeof six);
    size_t count = mutant_choose(wish, list, 6);
    for (size_t i = 0; i < count; i++) {
        names[i] = list[i].name[0];
    }
    names[count] = '\0';
}

Test(mutant, all_run_unless_somebody_wishes_otherwise) {
    char names[8];
    choose(&(mutant_wish){.seed = 1}, names);
    cr_expect_str_eq(names, "abcdef");
    choose(&(mutant_wish){.only = "e,b", .seed = 1}, names);
    cr_expect_str_eq(names, "be");
    choose(&(mutant_wish){.sampled = true, .sample = 0}, names);
    cr_expect_str_eq(names, "");
}

Test(mutant, a_sample_holds_the_named_ones_and_others_of_the_seed) {
    char names[8];
    char again[8];
    bool differs = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const mutant_wish wish = {.only = "c", .sampled = true, .sample = 2, .seed = seed};
        choose(&wish, names);
        cr_expect_eq(strlen(names), 3u);
        cr_expect_not_null(strchr(names, 'c'));
        choose(&wish, again);
        cr_expect_str_eq(names, again);
        differs = differs || strcmp(names, "abc") != 0;
    }
    cr_expect(differs);
}

Test(mutant, a_name_that_is_not_there_is_refused) {
    tpu_message why;
    cr_expect_eq(mutant_check_names("a,f", six, 6, &why), TPU_OK);
    cr_expect_eq(mutant_check_names("a,g,f", six, 6, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "--only: there is no mutant \"g\"");
}

Test(mutant, totals_count_each_thing_once) {
    static const mutant list[] = {
        {.name = "control", .kind = MUTANT_DESIGN},
        {.name = "same", .kind = MUTANT_DESIGN, .file = "f", .equivalent = "p"},
        {.name = "one", .kind = MUTANT_DESIGN, .file = "f"},
        {.name = "two", .kind = MUTANT_SPEC, .file = "f"},
        {.name = "tested", .kind = MUTANT_FAULT, .file = "f", .test = "test_f"},
        {.name = "lives", .kind = MUTANT_DESIGN, .file = "f"},
        {.name = "refused", .kind = MUTANT_DESIGN, .file = "f"}};
    static const mutant_result results[] = {
        {.outcome = MUTANT_SURVIVED},
        {.outcome = MUTANT_CAUGHT},
        {.outcome = MUTANT_CAUGHT,
         .place_right = true,
         .unit_right = true,
         .detect = 1.0,
         .small = true,
         .instructions = 10,
         .minimal = 2.0},
        {.outcome = MUTANT_CAUGHT,
         .detect = 3.0,
         .small = true,
         .instructions = 11,
         .minimal = 4.0},
        {.outcome = MUTANT_CAUGHT, .place_right = true, .unit_right = true, .detect = 9.0},
        {.outcome = MUTANT_SURVIVED},
        {.outcome = MUTANT_CAUGHT, .place_right = true, .refused = true, .detect = 1.0}};
    mutant_totals sum;
    cr_assert_eq(mutant_add_up(list, results, 7, &sum, NULL), TPU_OK);
    cr_expect_eq(sum.asked, 5u);
    cr_expect_eq(sum.caught, 4u);
    cr_expect_eq(sum.right, 3u);
    cr_expect_eq(sum.fuzzed, 2u);
    cr_expect_eq(sum.blamed, 1u);
    cr_expect_eq(sum.shrunk, 2u);
    cr_expect_eq(sum.small, 1u);
    cr_expect_eq(sum.silent, 2u);
    cr_expect_eq(sum.quiet, 1u);
    cr_expect_eq(sum.bad, 3u); // the noticed equivalent, the wrong place, the survivor
    cr_expect_float_eq(sum.detect[0], 1.0, 1e-9);
    cr_expect_float_eq(sum.detect[1], 3.0, 1e-9);
    cr_expect_float_eq(sum.minimal[0], 2.0, 1e-9);
}

Test(mutant, controls_are_one_for_each_way_of_looking) {
    static const mutant list[] = {{.name = "a", .kind = MUTANT_DESIGN, .file = "f"},
                                  {.name = "b", .kind = MUTANT_MODEL, .file = "f"},
                                  {.name = "c", .kind = MUTANT_DESIGN, .file = "f", .point = "P=1"},
                                  {.name = "d", .kind = MUTANT_FAULT, .file = "f", .test = "t"},
                                  {.name = "e", .kind = MUTANT_FAULT, .file = "f", .test = "t"},
                                  {.name = "f", .kind = MUTANT_HARNESS, .file = "f", .test = "u"}};
    mutant *controls = NULL;
    size_t made = 0;
    cr_assert_eq(mutant_controls(list, 6, &controls, &made, NULL), TPU_OK);
    cr_expect_eq(made, 4u);
    for (size_t i = 0; i < made; i++) {
        cr_expect(mutant_must_survive(&controls[i]));
    }
    mutant_free(controls, made);
}
