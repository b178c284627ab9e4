// SPDX-License-Identifier: Apache-2.0
//
// Planted faults of the netlist: what of Yosys's list and of the survivors' file is read and what
// is refused, which rule explains a survivor, the runs on a fake machine, and the adding up.

#include "harness/mutants/netmutant.h"
#include "harness/mutants/netmutant_rules.h"
#include "harness/mutants/netmutant_run.h"
#include "harness/mutants/netmutant_totals.h"

#include "harness/io/textfile.h"
#include "tests/support/fake_engine.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE(number) "mutate -ctrl mutsel 10 " number " -mode inv -cell c -port A -portbit 3"
#define RULE "rule: one\nclass: unreachable\ncell: u_run.*\nwhy: because\n"

static char directory[256];
static char path[512];
static tpu_message why;

static void set_up(void) {
    scratch_make(directory, sizeof directory);
}

static void tear_down(void) {
    scratch_remove(directory);
}

TestSuite(netmutant, .init = set_up, .fini = tear_down, .timeout = 60);

static const char *put(const char *name, const char *text) {
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, text, strlen(text), &why), TPU_OK, "%s", why.text);
    return path;
}

// ---- the list ----------------------------------------------------------------------------------

Test(netmutant, reads_what_yosys_writes) {
    static const char text[] =
        "mutate -ctrl mutsel 10 1 -mode const0 -module tpu_core -cell u_x.y$dff -port Q "
        "-portbit 12 -wire u_x.y -wirebit 12 -src rtl/a.sv:31.5-45.4 -src rtl/b.sv:7\n"
        "mutate -ctrl mutsel 10 2 -mode cnot1 -module tpu_core -cell c -port A -portbit 0 "
        "-ctrlbit 5\n";
    netmutant_list list = {.text = NULL};
    cr_assert_eq(netmutant_list_read(put("list", text), &list, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(list.count, 2u);
    const netmutant *first = &list.item[0];
    cr_expect_eq(first->number, 1u);
    cr_expect_str_eq(first->kind, "const0");
    cr_expect_str_eq(first->cell, "u_x.y$dff");
    cr_expect_str_eq(first->port, "Q");
    cr_expect_eq(first->bit, 12u);
    cr_expect_str_eq(first->wire, "u_x.y");
    cr_assert_eq(first->source_count, 2u);
    cr_expect_str_eq(first->source[0].file, "rtl/a.sv");
    cr_expect_eq(first->source[0].line, 31u);
    cr_expect_eq(first->source[0].column, 5u);
    cr_expect_eq(first->source[0].last_line, 45u);
    cr_expect_str_eq(first->source[1].file, "rtl/b.sv");
    cr_expect_eq(first->source[1].last_line, 7u);
    cr_expect_str_eq(list.item[1].kind, "cnot1");
    cr_expect_eq(list.item[1].control, 5u);
    cr_expect_null(list.item[1].wire);
    cr_expect_eq(list.item[1].source_count, 0u);
    netmutant_list_clear(&list);
}

Test(netmutant, refuses_a_list_that_yosys_did_not_write) {
    static const char *const texts[] = {"",
                                        LINE("1"),
                                        "hello\n",
                                        LINE("2") "\n",
                                        LINE("1") " -color red\n",
                                        LINE("1") " -src nowhere\n",
                                        LINE("1") " -src a.sv:x\n",
                                        LINE("1") " -src\n",
                                        LINE("many") "\n",
                                        "mutate -ctrl mutsel 10 1 -mode inv -cell c\n",
                                        LINE("1") "\n" LINE("1") "\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        netmutant_list list = {.text = NULL};
        cr_expect_eq(netmutant_list_read(put("list", texts[i]), &list, &why), TPU_REFUSED, "%s",
                     texts[i]);
        cr_expect(strstr(why.text, "list") != NULL, "%s", why.text);
        netmutant_list_clear(&list);
    }
}

// ---- the rules ---------------------------------------------------------------------------------

Test(netmutant, refuses_rules_that_lack_something_or_say_too_much) {
    static const char *const texts[][2] = {
        {"class: unreachable\n", "rule: NAME"},
        {"rule: one\ncell: *\nwhy: because\n", "lacks a class"},
        {"rule: one\nclass: unreachable\ncell: *\n", "lacks a class"},
        {"rule: one\nclass: unreachable\nwhy: because\n", "lacks a class"},
        {"rule: one\nclass: unreachable\nwhy: because\n" RULE, "lacks a class"},
        {"rule: one\nclass: unlikely\n", "the class is not"},
        {RULE "test: tests/test_x.c\n", "go together"},
        {"rule: one\nclass: elsewhere\ncell: *\nwhy: because\n", "go together"},
        {RULE "bits: 3-1\n", "LOW-HIGH"},
        {RULE "bits: some\n", "LOW-HIGH"},
        {RULE "decides: 1-2\n", "not one bit"},
        {RULE "line: rtl/a.sv\n", "FILE: TEXT"},
        {RULE "choice: rtl/a.sv\n", "FILE: TEXT"},
        {RULE "why: again\n", "there twice"},
        {RULE "color: red\n", "unknown"},
        {RULE "nonsense\n", "key: value"},
        {"rule: one", "does not end"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        netmutant_rules rules = {.text = NULL};
        cr_expect_eq(netmutant_rules_read(put("rules", texts[i][0]), &rules, &why), TPU_REFUSED,
                     "%s", texts[i][0]);
        cr_expect(strstr(why.text, texts[i][1]) != NULL, "%s: %s", texts[i][0], why.text);
        netmutant_rules_clear(&rules);
    }
}

static const char *explained_by(const char *text, const netmutant *of) {
    static char name[64];
    netmutant_rules rules = {.text = NULL};
    netmutant_tree tree = {.root = directory};
    cr_assert_eq(netmutant_rules_read(put("rules", text), &rules, &why), TPU_OK, "%s", why.text);
    const netmutant_rule *rule = netmutant_rules_find(&rules, &tree, of);
    (void)snprintf(name, sizeof name, "%s", rule != NULL ? rule->name : "none");
    netmutant_tree_clear(&tree);
    netmutant_rules_clear(&rules);
    return name;
}

Test(netmutant, explains_a_survivor_by_the_first_rule_that_names_its_place) {
    static const char text[] = "# a comment\n\nrule: high\nclass: equivalent\ncell: u_a.pc*\n"
                               "bits: 6-15\nport: [DQ]\nwhy: small programs\n"
                               "rule: source\nclass: elsewhere\nline: unit.sv: assign busy\n"
                               "why: counters\ntest: a test\n"
                               "rule: rest\nclass: untested\ncell: u_a.*\nwhy: a hole\n";
    put("unit.sv", "module unit;\n  assign busy = 1;\n  assign other = 2;\nendmodule\n");
    netmutant of = {.cell = "u_a.pc_q$dff", .port = "D", .bit = 6, .kind = "inv"};
    cr_expect_str_eq(explained_by(text, &of), "high");
    of.bit = 5;
    cr_expect_str_eq(explained_by(text, &of), "rest");
    of.bit = 16;
    cr_expect_str_eq(explained_by(text, &of), "rest");
    of.bit = 15;
    of.port = "A";
    cr_expect_str_eq(explained_by(text, &of), "rest");
    of.cell = "$auto$1";
    cr_expect_str_eq(explained_by(text, &of), "none");
    of.wire = "u_a.x";
    cr_expect_str_eq(explained_by(text, &of), "rest");
    of.source[0] = (netmutant_source){.file = "unit.sv", .line = 2, .last_line = 2};
    of.source_count = 1;
    cr_expect_str_eq(explained_by(text, &of), "source");
    of.source[0].line = of.source[0].last_line = 3;
    cr_expect_str_eq(explained_by(text, &of), "rest");
    of.source[0].line = 99;
    cr_expect_str_eq(explained_by(text, &of), "rest");
}

Test(netmutant, explains_by_a_bit_that_is_always_zero_only_what_it_can) {
    static const char text[] = "rule: zero\nclass: equivalent\ncell: pc\nzero: 5-15\nwhy: small\n";
    netmutant of = {.cell = "pc", .port = "D", .bit = 5, .kind = "const0"};
    cr_expect_str_eq(explained_by(text, &of), "zero");
    of.bit = 4;
    cr_expect_str_eq(explained_by(text, &of), "none");
    of.bit = 9;
    of.kind = "const1";
    cr_expect_str_eq(explained_by(text, &of), "none");
    of.kind = "inv";
    cr_expect_str_eq(explained_by(text, &of), "none");
    of.kind = "cnot1";
    of.control = 0;
    cr_expect_str_eq(explained_by(text, &of), "none");
    of.bit = 0;
    of.control = 15;
    cr_expect_str_eq(explained_by(text, &of), "zero");
    of.kind = "cnot0";
    cr_expect_str_eq(explained_by(text, &of), "none");
}

Test(netmutant, explains_by_the_bit_that_decides_nothing_else) {
    static const char text[] = "rule: bit\nclass: equivalent\ncell: pc\nkind: cnot0\n"
                               "decides: 3\nwhy: the compare fails anyhow\n";
    netmutant of = {.cell = "pc", .port = "A", .bit = 5, .kind = "cnot0", .control = 3};
    cr_expect_str_eq(explained_by(text, &of), "bit");
    of.control = 4;
    cr_expect_str_eq(explained_by(text, &of), "none");
    of.control = 3;
    of.kind = "cnot1";
    cr_expect_str_eq(explained_by(text, &of), "none");
    static const char any[] = "rule: bit\nclass: equivalent\ncell: pc\ndecides: 3\nwhy: x\n";
    cr_expect_str_eq(explained_by(any, &of), "bit");
    of.kind = "inv";
    cr_expect_str_eq(explained_by(any, &of), "none");
}

// "case (" and "if (" stand where an instance's name and bracket would.
Test(netmutant, tells_what_chooses_from_what_is_computed_in_the_same_line) {
    static const char text[] = "rule: choice\nclass: equivalent\nchoice: unit.sv: case (\n"
                               "why: constants\n";
    put("unit.sv", "always_comb begin\n    case (phase)\n");
    netmutant of = {.cell = "$flatten\\u_x.$procmux$12",
                    .source = {{.file = "unit.sv", .line = 2, .column = 5, .last_line = 9}},
                    .source_count = 1};
    cr_expect_str_eq(explained_by(text, &of), "choice");
    of.cell = "$flatten\\u_x.$eq$unit.sv:2$7";
    cr_expect_str_eq(explained_by(text, &of), "none");
}

Test(netmutant, shows_the_narrowest_line_that_is_no_instance) {
    netmutant_tree tree = {.root = directory};
    const char *text = "";
    put("tpu_core.sv", "x\n  tpu_unit u_unit (\n");
    put("tpu_unit.sv", "always_ff begin\n  q <= d;\nend\n");
    const netmutant of = {
        .source = {{.file = "tpu_core.sv", .line = 2, .column = 12, .last_line = 9},
                   {.file = "tpu_unit.sv", .line = 2, .last_line = 2},
                   {.file = "tpu_unit.sv", .line = 1, .last_line = 3}},
        .source_count = 3};
    const netmutant_source *best = netmutant_tree_line(&tree, &of, &text);
    cr_assert_not_null(best);
    cr_expect_str_eq(best->file, "tpu_unit.sv");
    cr_expect_eq(best->line, 2u);
    cr_expect_str_eq(text, "  q <= d;");
    netmutant_tree_clear(&tree);
}

// ---- runs --------------------------------------------------------------------------------------

// The fake machine with one fault of its own for each number.
static tpu_status create_chosen(const engine_config *config, engine **out, tpu_message *message) {
    static const fake_fault faults[] = {{.kind = FAKE_FAULT_NONE},
                                        {.kind = FAKE_FAULT_FLIP, .stream = TPU_STREAM_ISSUE},
                                        {.kind = FAKE_FAULT_NONE},
                                        {.kind = FAKE_FAULT_C_CELL, .event = 7}};
    const char *chosen = getenv(NETMUTANT_VARIABLE);
    tpu_status status = fake_engine_api()->create(config, out, message);
    if (status == TPU_OK) {
        fake_engine_inject(*out, &faults[chosen != NULL ? atoi(chosen) : 0]);
    }
    return status;
}

static void run(lockstep_watch watch, uint32_t jobs, netmutant_result results[4]) {
    static const uint32_t numbers[] = {0, 1, 2, 3};
    engine_api api = *fake_engine_api();
    api.create = create_chosen;
    const netmutant_model models[] = {{.api = &api, .first = 1, .count = 2},
                                      {.api = &api, .first = 3, .count = 1}};
    const netmutant_options options = {
        .fuzz = {.config = {.params = params_default(4, 16), .watchdog = 500},
                 .hang_limit = 2000,
                 .seed = 3,
                 .programs = 140, // more than one sequence
                 .watch = watch},
        .model = models,
        .model_count = 2,
        .jobs = jobs};
    cr_assert_eq(netmutant_run(&options, numbers, 4, NULL, NULL, results, &why), TPU_OK, "%s",
                 why.text);
}

Test(netmutant, finds_each_fault_with_its_first_program_and_none_where_none_is) {
    netmutant_result of[4];
    run(LOCKSTEP_WATCH_EVERY, 2, of);
    cr_expect_eq(of[0].fate, NETMUTANT_SURVIVED, "%s", of[0].sentence);
    cr_expect_eq(of[0].programs, 140u);
    cr_expect_eq(of[1].fate, NETMUTANT_CAUGHT);
    cr_expect_eq(of[1].programs, 1u);
    cr_expect_eq(of[1].signature.stream, TPU_STREAM_ISSUE);
    cr_expect_eq(of[2].fate, NETMUTANT_SURVIVED);
    cr_expect_eq(of[2].cycles, of[0].cycles);
    cr_expect_eq(of[3].fate, NETMUTANT_CAUGHT);
    cr_expect_eq(of[3].signature.memory, TPU_MEM_C);
}

Test(netmutant, finds_less_when_less_is_watched) {
    netmutant_result every[4];
    netmutant_result of[4];
    run(LOCKSTEP_WATCH_EVERY, 1, every);
    run(LOCKSTEP_WATCH_C, 1, of);
    cr_expect_eq(of[1].fate, NETMUTANT_SURVIVED);
    cr_expect_eq(of[3].fate, NETMUTANT_CAUGHT);
    cr_expect_eq(of[3].cycles, every[3].cycles);
    run(LOCKSTEP_WATCH_HANG, 1, of);
    cr_expect_eq(of[3].fate, NETMUTANT_SURVIVED);
}

Test(netmutant, gives_the_same_results_for_any_number_of_jobs) {
    netmutant_result one[4];
    netmutant_result three[4];
    run(LOCKSTEP_WATCH_EVERY, 1, one);
    run(LOCKSTEP_WATCH_EVERY, 3, three);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(one[i].fate, three[i].fate);
        cr_expect_eq(one[i].programs, three[i].programs);
        cr_expect_eq(one[i].cycles, three[i].cycles);
        cr_expect_str_eq(one[i].sentence, three[i].sentence);
    }
}

Test(netmutant, refuses_a_number_that_no_machine_holds) {
    const netmutant_model model = {.api = fake_engine_api(), .first = 1, .count = 2};
    const netmutant_options options = {.model = &model, .model_count = 1, .jobs = 1};
    const uint32_t number = 3;
    netmutant_result result;
    cr_expect_eq(netmutant_run(&options, &number, 1, NULL, NULL, &result, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "there is no planted fault 3");
}

// ---- adding up ---------------------------------------------------------------------------------

Test(netmutant, counts_fates_and_takes_percentiles_of_those_caught) {
    // Cycles 10, 20, 30, 40 of those caught: the median is 20, the 95th percentile 40; seen first
    // at 10, 15, 25, 10, so 0, 5, 5, 30 behind it.
    netmutant_result of[6] = {{.fate = NETMUTANT_CAUGHT, .cycles = 40, .programs = 4},
                              {.fate = NETMUTANT_CAUGHT, .cycles = 10, .programs = 1},
                              {.fate = NETMUTANT_SURVIVED, .cycles = 999, .programs = 99},
                              {.fate = NETMUTANT_CAUGHT, .cycles = 30, .programs = 3},
                              {.fate = NETMUTANT_REFUSED},
                              {.fate = NETMUTANT_CAUGHT, .cycles = 20, .programs = 2}};
    netmutant_result every[6];
    memcpy(every, of, sizeof every);
    every[0].cycles = 10;
    every[3].cycles = 25;
    every[5].cycles = 15;
    of[0].signature = (verdict_signature){.kind = VERDICT_HANG, .stream = TPU_STREAM_CW};
    of[1].signature = (verdict_signature){.kind = VERDICT_MISMATCH, .stream = TPU_STREAM_CW};
    of[3].signature = (verdict_signature){.kind = VERDICT_MISMATCH, .stream = -1};
    of[5].signature = (verdict_signature){.kind = VERDICT_MISMATCH, .stream = TPU_STREAM_CW};
    netmutant_totals sum;
    cr_assert_eq(netmutant_totals_of(of, every, 6, &sum, &why), TPU_OK);
    cr_expect_eq(sum.all, 6u);
    cr_expect_eq(sum.caught, 4u);
    cr_expect_eq(sum.refused, 1u);
    cr_expect_eq(sum.failed, 0u);
    cr_expect_eq(sum.streams[TPU_STREAM_CW], 2u);
    cr_expect_eq(sum.elsewhere, 2u);
    cr_expect_eq(sum.programs[0], 2u);
    cr_expect_eq(sum.cycles[0], 20u);
    cr_expect_eq(sum.cycles[1], 40u);
    cr_expect_eq(sum.behind[0], 5u);
    cr_expect_eq(sum.behind[1], 30u);
    const netmutant_sorted sorted = {.explained = {[NETMUTANT_EQUIVALENT] = 3,
                                                   [NETMUTANT_UNREACHABLE] = 2,
                                                   [NETMUTANT_ELSEWHERE] = 7,
                                                   [NETMUTANT_ILLEGAL] = 5,
                                                   [NETMUTANT_UNTESTED] = 9}};
    cr_expect_eq(netmutant_totals_reachable(100, &sorted), 83u);
}
