// SPDX-License-Identifier: Apache-2.0
//
// The commands that write pages, on the real machine (T=4, MAXDIM=16): of a reproducer, of the
// suite, of several summaries; and what they refuse.

#define _POSIX_C_SOURCE 200809L

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

TestSuite(page_run, .init = set_up, .fini = tear_down, .timeout = 120);

static int run(const char *arguments) {
    return shell_run(arguments, directory, output);
}

// The page's text, "" = there is none; given.
static char *read_page(const char *name) {
    char path[512];
    char *text = NULL;
    tpu_message why;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    if (textfile_read(path, &text, NULL, &why) != TPU_OK) {
        text = calloc(1, 1);
    }
    return text;
}

static void write_file(const char *name, const char *text) {
    char path[512];
    tpu_message why;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(textfile_write(path, text, strlen(text), &why), TPU_OK, "%s", why.text);
}

static void expect_page(const char *name, const char *part) {
    char *text = read_page(name);
    cr_expect(strstr(text, "<!DOCTYPE html>") == text, "%s is no page", name);
    cr_expect(strstr(text, part) != NULL, "%s has no %s", name, part);
    free(text);
}

Test(page_run, draws_a_reproducer) {
    cr_assert_eq(run("run examples/one_tile.s --save @/run.json"), 0, "%s", output);
    cr_expect_eq(run("page @/run.json -o @/one.html"), 0, "%s", output);
    expect_page("one.html", "\"kind\":\"failure\"");
}

// The table is printed as ever; the page is written beside it.
Test(page_run, draws_the_suite) {
    cr_expect_eq(run("cosim --fast --shapes 4x4x4 --fail @ --page @/suite.html"), 0, "%s", output);
    cr_expect(strstr(output, " exact\n") != NULL, "%s", output);
    expect_page("suite.html", "\"kind\":\"cosim\"");
}

Test(page_run, puts_summaries_beside_each_other) {
    cr_assert_eq(run("cosim --fast --shapes 4x4x4 --fail @ --json"), 0);
    write_file("cosim.json", output);
    cr_assert_eq(run("timeline examples/one_tile.s --out @ --json"), 0);
    write_file("time.json", output);
    cr_expect_eq(run("page @/cosim.json @/time.json -o @/all.html --title 'A & B'"), 0, "%s",
                 output);
    expect_page("all.html", "<title>A &#38; B</title>");
    expect_page("all.html", "\"kind\":\"timeline\"");
}

Test(page_run, refuses_what_it_cannot_draw) {
    write_file("broken.json", "{\"rows\":[],\"exact\":");
    write_file("other.json", "{\"some\":\"thing\"}");
    write_file("good.json", "{\"rows\":[],\"exact\":0}");
    static const struct {
        const char *arguments;
        const char *sentence;
    } table[] = {
        {"page", "takes one file or more"},
        {"page @/none.json", "none.json"},
        {"page @/other.json -o @/x.html", "other.json"},
        {"page @/broken.json @/good.json -o @/x.html", "broken.json: no JSON"},
        {"page @/good.json @/other.json -o @/x.html", "other.json: not what cosim"},
        {"page @/good.json -o /proc/no/x.html", "/proc/no/x.html"},
        {"page --color", "is no option"},
        {"cosim --fast --shapes 4x4x4 --fail @ --page /proc/no/x.html", "/proc/no/x.html"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        cr_expect_eq(run(table[i].arguments), 2, "%s: %s", table[i].arguments, output);
        cr_expect(strstr(output, table[i].sentence) != NULL, "%s: %s", table[i].arguments, output);
    }
    char *text = read_page("x.html");
    cr_expect_str_eq(text, "", "nothing is written");
    free(text);
}
