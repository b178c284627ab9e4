// SPDX-License-Identifier: Apache-2.0
//
// asm, disasm, check, expand and limits: the ISA tools at the command line. None of them needs an
// engine.

#include "csim/isa/check.h"
#include "csim/isa/disasm.h"
#include "csim/isa/expand.h"
#include "csim/isa/image.h"
#include "csim/isa/limits.h"
#include "harness/cli/cli.h"
#include "harness/io/textbuf.h"
#include "harness/io/textfile.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What these commands can be told.
typedef struct isa_options {
    const char *output;
    bool unchecked;
    bool json;
    tpu_params params;
} isa_options;

// Parses the options; returns -1 to go on, else the exit code.
static int take_options(int argc, char **argv, const char *usage, int arguments, isa_options *out) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"unchecked", no_argument, NULL, 'u'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    tpu_message why;
    int option = 0;
    *out = (isa_options){.output = NULL};
    while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        switch (option) {
        case 'o':
            out->output = optarg;
            break;
        case 'u':
            out->unchecked = true;
            break;
        case 'j':
            out->json = true;
            break;
        case 'h':
            (void)fputs(usage, stdout);
            return CLI_OK;
        default:
            return cli_refuse("%s: option \"%s\" is unknown or lacks its value", argv[0],
                              argv[optind - 1]);
        }
    }
    if (argc - optind != arguments) {
        return cli_refuse("%s takes %d argument(s), not %d; see tpucosim %s --help", argv[0],
                          arguments, argc - optind, argv[0]);
    }
    tpu_status status = params_from_env(NULL, &out->params, &why);
    return status == TPU_OK ? -1 : cli_fail(status, &why);
}

// To the file that was asked for, else to standard output.
static int put_text(const isa_options *options, textbuf *text) {
    tpu_message why;
    char *all = NULL;
    tpu_status status = textbuf_take(text, &all, &why);
    if (status == TPU_OK && options->output != NULL) {
        status = textfile_write(options->output, all, strlen(all), &why);
    } else if (status == TPU_OK) {
        (void)fputs(all, stdout);
    }
    free(all);
    return status == TPU_OK ? CLI_OK : cli_fail(status, &why);
}

static int put_json(const isa_options *options, cJSON *root) {
    textbuf text = {.text = NULL};
    char *printed = cJSON_Print(root);
    cJSON_Delete(root);
    textbuf_add(&text, "%s\n", printed != NULL ? printed : "");
    free(printed);
    return put_text(options, &text);
}

// The list as JSON or the text, whichever was asked for; takes both.
static int put_either(const isa_options *options, textbuf *text, cJSON *list, tpu_status status,
                      const tpu_message *why) {
    if (status == TPU_OK && !options->json) {
        cJSON_Delete(list);
        return put_text(options, text);
    }
    textbuf_clear(text);
    if (status == TPU_OK) {
        return put_json(options, list);
    }
    cJSON_Delete(list);
    return cli_fail(status, why);
}

int cli_asm(int argc, char **argv) {
    static const char usage[] =
        "usage: tpucosim asm PROGRAM.s [-o FILE] [--unchecked] [--json]\n\n"
        "Writes the image of instruction memory, header first, one 64-bit word a line in\n"
        "hexadecimal. A program that breaks a rule is refused unless --unchecked is given.\n";
    isa_options options;
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    tpu_message why;
    int code = take_options(argc, argv, usage, 1, &options);
    if (code >= 0) {
        return code;
    }
    tpu_status status = cli_read_program(argv[optind], &program, &why);
    if (status == TPU_OK) {
        status = image_build(&options.params, &program, !options.unchecked, &words, &why);
    }
    textbuf text = {.text = NULL};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < words.count; i++) {
        char word[24];
        (void)snprintf(word, sizeof word, "%016" PRIx64, words.words[i]);
        textbuf_add(&text, "%s\n", word);
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(word));
    }
    image_clear(&words);
    isa_program_clear(&program);
    return put_either(&options, &text, list, status, &why);
}

// One hexadecimal word a line; '#' starts a comment.
static tpu_status read_words(const char *path, uint64_t **words, size_t *count, tpu_message *why) {
    char *text = NULL;
    size_t bytes = 0;
    tpu_status status = textfile_read(path, &text, &bytes, why);
    if (status != TPU_OK) {
        return status;
    }
    uint64_t *list = calloc(bytes / 2 + 1, sizeof *list);
    size_t found = 0;
    unsigned line = 1;
    for (char *at = text; list != NULL && status == TPU_OK && *at != '\0'; line++) {
        size_t length = strcspn(at, "\n");
        size_t content = strcspn(at, "#\n");
        char *end = at;
        while (content > 0 && strchr(" \t\r", at[content - 1]) != NULL) {
            content--;
        }
        if (content > 0) {
            list[found] = strtoull(at, &end, 16);
            if (end != at + content || content > 18) {
                status = status_fail(why, TPU_REFUSED,
                                     "%s:%u: expected one 64-bit word in hexadecimal", path, line);
            }
            found++;
        }
        at += length + (at[length] == '\n');
    }
    free(text);
    if (list == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    if (status != TPU_OK) {
        free(list);
        return status;
    }
    *words = list;
    *count = found;
    return TPU_OK;
}

int cli_disasm(int argc, char **argv) {
    static const char usage[] =
        "usage: tpucosim disasm IMAGE [-o FILE] [--json]\n\n"
        "Reads what asm writes (one 64-bit word a line in hexadecimal) and gives the program.\n";
    isa_options options;
    isa_program program = {.insn = NULL};
    uint64_t *words = NULL;
    size_t count = 0;
    char *listing = NULL;
    tpu_message why;
    int code = take_options(argc, argv, usage, 1, &options);
    if (code >= 0) {
        return code;
    }
    tpu_status status = read_words(argv[optind], &words, &count, &why);
    if (status == TPU_OK) {
        status = image_decode(words, count, &program, &why);
    }
    if (status == TPU_OK) {
        status = disasm_program(&program, &listing, &why);
    }
    free(words);
    isa_program_clear(&program);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    textbuf text = {.text = NULL};
    textbuf_add(&text, "%s", listing);
    if (options.json) {
        textbuf_clear(&text);
        cJSON *root = cJSON_CreateObject();
        (void)cJSON_AddStringToObject(root, "program", listing);
        free(listing);
        return put_json(&options, root);
    }
    free(listing);
    return put_text(&options, &text);
}

static cJSON *finding_object(const check_finding *finding, const tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    const char *rule = tpu_rule_name(finding->rule);
    (void)cJSON_AddBoolToObject(root, "legal", finding->rule == TPU_RULE_NONE);
    if (finding->rule != TPU_RULE_NONE) {
        (void)cJSON_AddStringToObject(root, "rule", rule != NULL ? rule : "?");
        (void)cJSON_AddNumberToObject(root, "pc", finding->pc);
        (void)cJSON_AddNumberToObject(root, "line", finding->line);
        (void)cJSON_AddStringToObject(root, "sentence", why->text);
    }
    return root;
}

int cli_check(int argc, char **argv) {
    static const char usage[] =
        "usage: tpucosim check PROGRAM.s [--json]\n\n"
        "Says whether the program keeps every rule of the machine of TPU_T, TPU_MAXDIM, ...;\n"
        "exit code 2 and the first broken rule if not.\n";
    isa_options options;
    isa_program program = {.insn = NULL};
    image words = {.words = NULL};
    check_finding finding = {.rule = TPU_RULE_NONE};
    tpu_message why = {{0}};
    int code = take_options(argc, argv, usage, 1, &options);
    if (code >= 0) {
        return code;
    }
    tpu_status status = cli_read_program(argv[optind], &program, &why);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    status = check_program(&options.params, &program, &finding, &why);
    if (status == TPU_OK) { // size of imem and header counts
        status = image_build(&options.params, &program, true, &words, &why);
    }
    if (options.json && (status == TPU_OK || finding.rule != TPU_RULE_NONE)) {
        code = put_json(&options, finding_object(&finding, &why));
        code = code == CLI_OK ? cli_exit_code(status) : code;
    } else if (status != TPU_OK) {
        code = cli_fail(status, &why);
    } else {
        (void)printf("%s: legal, %zu instructions, %zu words\n", argv[optind], program.count,
                     words.count);
        code = CLI_OK;
    }
    image_clear(&words);
    isa_program_clear(&program);
    return code;
}

static void add_issue(textbuf *text, cJSON *list, const isa_issue *issue, bool json) {
    char line[DISASM_LINE_MAX];
    disasm_issue(issue, line, sizeof line);
    if (!json) {
        textbuf_add(text, "%6u  pc %-3u  %s", issue->seq, issue->pc, line);
        for (unsigned level = 0; level < issue->depth; level++) {
            textbuf_add(text, "%siv%u=%u", level == 0 ? "   " : " ", level, issue->iv[level]);
        }
        textbuf_add(text, "\n");
        return;
    }
    cJSON *item = cJSON_CreateObject();
    (void)cJSON_AddNumberToObject(item, "seq", issue->seq);
    (void)cJSON_AddNumberToObject(item, "pc", issue->pc);
    (void)cJSON_AddStringToObject(item, "text", line);
    cJSON *ivs = cJSON_AddArrayToObject(item, "iv");
    for (unsigned level = 0; level < issue->depth; level++) {
        (void)cJSON_AddItemToArray(ivs, cJSON_CreateNumber(issue->iv[level]));
    }
    (void)cJSON_AddItemToArray(list, item);
}

int cli_expand(int argc, char **argv) {
    static const char usage[] = "usage: tpucosim expand PROGRAM.s [-o FILE] [--json]\n\n"
                                "Lists every issue in order, as the sequencer resolves it.\n";
    isa_options options;
    isa_program program = {.insn = NULL};
    tpu_message why;
    int code = take_options(argc, argv, usage, 1, &options);
    if (code >= 0) {
        return code;
    }
    tpu_status status = cli_read_program(argv[optind], &program, &why);
    textbuf text = {.text = NULL};
    cJSON *list = cJSON_CreateArray();
    isa_issue issue;
    bool done = false;
    expand it;
    expand_start(&it, &program);
    while (status == TPU_OK && !done) {
        status = expand_next(&it, &issue, &done, &why);
        if (status == TPU_OK && !done) {
            add_issue(&text, list, &issue, options.json);
        }
    }
    isa_program_clear(&program);
    return put_either(&options, &text, list, status, &why);
}

static int put_limits(const isa_options *options, const limits_row rows[LIMITS_COUNT]) {
    cJSON *list = cJSON_CreateArray();
    textbuf text = {.text = NULL};
    textbuf_add(&text, "%-42s %10s %10s %8s\n", "limit", "need", "allowed", "over");
    for (size_t i = 0; i < LIMITS_COUNT; i++) {
        const limits_row *row = &rows[i];
        textbuf_add(&text, "%-42s %10" PRIu64 " %10" PRIu64 " %8" PRIu64 "%s\n", row->name,
                    row->need, row->allowed, row->over, row->alternative ? "  (alternative)" : "");
        cJSON *item = cJSON_CreateObject();
        (void)cJSON_AddStringToObject(item, "limit", row->name);
        (void)cJSON_AddNumberToObject(item, "need", (double)row->need);
        (void)cJSON_AddNumberToObject(item, "allowed", (double)row->allowed);
        (void)cJSON_AddNumberToObject(item, "over", (double)row->over);
        (void)cJSON_AddBoolToObject(item, "alternative", row->alternative);
        (void)cJSON_AddItemToArray(list, item);
    }
    return put_either(options, &text, list, TPU_OK, NULL);
}

int cli_limits(int argc, char **argv) {
    static const char usage[] =
        "usage: tpucosim limits M K N [--json]\n\n"
        "Which limit of the machine of TPU_T, TPU_MAXDIM, ... refuses the product of an M x K\n"
        "and a K x N matrix, and by how much. Exit code 2 when one does.\n";
    isa_options options;
    limits_row rows[LIMITS_COUNT];
    uint64_t extent[3];
    tpu_message why;
    int code = take_options(argc, argv, usage, 3, &options);
    if (code >= 0) {
        return code;
    }
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"M", "K", "N"};
        tpu_status status =
            cli_read_number(names[i], argv[optind + i], UINT32_MAX, &extent[i], &why);
        if (status == TPU_OK && extent[i] == 0) {
            status = status_fail(&why, TPU_REFUSED, "%s: must be at least 1", names[i]);
        }
        if (status != TPU_OK) {
            return cli_fail(status, &why);
        }
    }
    limits_gemm(&options.params, (uint32_t)extent[0], (uint32_t)extent[1], (uint32_t)extent[2],
                rows);
    code = put_limits(&options, rows);
    tpu_status status = limits_check_gemm(&options.params, (uint32_t)extent[0], (uint32_t)extent[1],
                                          (uint32_t)extent[2], &why);
    return code == CLI_OK && status != TPU_OK ? cli_fail(status, &why) : code;
}
