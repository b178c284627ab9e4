// SPDX-License-Identifier: Apache-2.0
//
// The assembler's front: a hand-written reader, one line at a time, that points at the first
// character it cannot take. Mnemonics and operand names come from tpu_ops[].
//
//   line    := [ insn ] [ (';' | '#') comment ]
//   insn    := ".word" number number | mnemonic { 'x' number | name '=' number } [ agu ]
//   agu     := "agu:" term { ',' term }
//   term    := name "+=" "iv" level '*' number
//   number  := decimal digits | "0x" hexadecimal digits
//
// A field that the opcode does not name can be given as f0..f3, a row count it does not use as nr.

#include "csim/isa/assembly.h"

#include "csim/isa/codec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    const char *file;
    const char *line_start;
    const char *at;
    uint32_t line;
    tpu_message *why;
} reader;

// One instruction under construction: what was given already.
typedef struct draft {
    isa_insn insn;
    bool has_nr;
    bool has_field[TPU_FIELDS];
    size_t terms;
} draft;

// A piece of the text.
typedef struct word {
    const char *start;
    size_t length;
} word;

static const char *const raw_names[TPU_FIELDS] = {"f0", "f1", "f2", "f3"};

// ---- characters ------------------------------------------------------------------------------

static bool ends_line(char c) {
    return c == '\0' || c == '\n' || c == ';' || c == '#';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

static void skip_blanks(reader *in) {
    while (is_blank(*in->at)) {
        in->at++;
    }
}

static word take_name(reader *in) {
    word name = {in->at, 0};
    while (is_name(*in->at)) {
        in->at++;
    }
    name.length = (size_t)(in->at - name.start);
    return name;
}

static bool equals(word name, const char *text) {
    return strlen(text) == name.length && memcmp(name.start, text, name.length) == 0;
}

static bool take(reader *in, const char *text) {
    size_t length = strlen(text);
    if (strncmp(in->at, text, length) != 0) {
        return false;
    }
    in->at += length;
    return true;
}

// ---- refusals --------------------------------------------------------------------------------

// What stands at `at`, quoted and printable, for a message.
static void quote_found(const char *at, char *text, size_t size) {
    size_t used = 0;
    if (ends_line(*at)) {
        (void)snprintf(text, size, "the end of the line");
        return;
    }
    text[used++] = '"';
    for (; used + 2 < size && !ends_line(*at) && !is_blank(*at); at++) {
        text[used++] = *at > ' ' && *at <= '~' ? *at : '?';
    }
    text[used++] = '"';
    text[used] = '\0';
}

// "file:line:column: found <what stands at `at`>; <allowed>".
static tpu_status refuse(const reader *in, const char *at, const char *fmt, ...) TPU_PRINTF(3, 4);

static tpu_status refuse(const reader *in, const char *at, const char *fmt, ...) {
    char found[32];
    char sentence[320];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    quote_found(at, found, sizeof found);
    return status_fail(in->why, TPU_REFUSED, "%.128s:%" PRIu32 ":%td: found %s; %s", in->file,
                       in->line, at - in->line_start + 1, found, sentence);
}

static void append_text(char *list, size_t size, const char *text) {
    size_t used = strlen(list);
    (void)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", text);
}

// Names of an opcode's operands: "rows, vr_a, ar0, acc, spad_w".
static void list_operands(uint8_t op, char *list, size_t size) {
    list[0] = '\0';
    if (tpu_ops[op].has_rows) {
        append_text(list, size, "rows");
    }
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        if (tpu_ops[op].operand[i].name != NULL) {
            append_text(list, size, tpu_ops[op].operand[i].name);
        }
    }
    if (list[0] == '\0') {
        append_text(list, size, "no operand");
    }
}

static tpu_status refuse_name(const reader *in, const char *at, uint8_t op) {
    char list[160];
    list_operands(op, list, sizeof list);
    return refuse(in, at, "%s takes %s", tpu_ops[op].name, list);
}

static tpu_status refuse_mnemonic(const reader *in, const char *at) {
    char list[160] = "";
    for (size_t op = 0; op < TPU_OP_COUNT; op++) {
        if (!tpu_ops[op].retired) {
            append_text(list, sizeof list, tpu_ops[op].name);
        }
    }
    return refuse(in, at, "an instruction is one of %s, .word", list);
}

// ---- numbers ---------------------------------------------------------------------------------

// Value of a digit in `base`, or -1.
static int digit_value(char c, unsigned base) {
    int value = -1;
    if (is_digit(c)) {
        value = c - '0';
    } else if (c >= 'a' && c <= 'f') {
        value = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
        value = c - 'A' + 10;
    }
    return value < (int)base ? value : -1;
}

static tpu_status parse_number(reader *in, const char *what, uint64_t max, uint64_t *out) {
    const char *start = in->at;
    unsigned base = take(in, "0x") ? 16 : 10;
    const char *digits = in->at;
    uint64_t value = 0;
    bool fits = true;
    for (int digit; (digit = digit_value(*in->at, base)) >= 0; in->at++) {
        fits = fits && value <= (max - (uint64_t)digit) / base && (uint64_t)digit <= max;
        value = fits ? value * base + (uint64_t)digit : value;
    }
    if (in->at == digits || is_name(*in->at) || !fits) {
        return refuse(in, start, "%s is a number from 0 to %" PRIu64 ", decimal or 0x", what, max);
    }
    *out = value;
    return TPU_OK;
}

static tpu_status expect_text(reader *in, const char *text, const char *where) {
    skip_blanks(in);
    if (!take(in, text)) {
        return refuse(in, in->at, "\"%s\" is expected %s", text, where);
    }
    skip_blanks(in);
    return TPU_OK;
}

// ---- operands --------------------------------------------------------------------------------

// Index of the field that `name` names for this opcode, or TPU_FIELDS.
static size_t find_field(uint8_t op, word name) {
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        const char *own = tpu_ops[op].operand[i].name;
        if (equals(name, own != NULL ? own : raw_names[i])) {
            return i;
        }
    }
    return TPU_FIELDS;
}

static bool names_rows(uint8_t op, word name) {
    return !tpu_ops[op].is_loop && equals(name, tpu_ops[op].has_rows ? "rows" : "nr");
}

static tpu_status parse_rows(reader *in, draft *to, const char *start, const char *what) {
    uint64_t value = 0;
    if (to->has_nr) {
        return refuse(in, start, "%s was given already", what);
    }
    tpu_status status = parse_number(in, what, TPU_MAXROWS, &value);
    to->has_nr = true;
    to->insn.nr = (uint8_t)value;
    return status;
}

static tpu_status parse_field(reader *in, draft *to, size_t field, word name) {
    char what[32];
    uint64_t value = 0;
    (void)snprintf(what, sizeof what, "%.*s", (int)name.length, name.start);
    if (to->has_field[field]) {
        return refuse(in, name.start, "%s was given already", what);
    }
    tpu_status status = parse_number(in, what, TPU_FIELD_MAX, &value);
    to->has_field[field] = true;
    to->insn.f[field] = (uint16_t)value;
    return status;
}

static tpu_status parse_operand(reader *in, draft *to) {
    uint8_t op = to->insn.op;
    const char *start = in->at;
    if (tpu_ops[op].is_loop && *in->at == 'x') {
        in->at++;
        return parse_rows(in, to, start, "the trip count");
    }
    word name = take_name(in);
    size_t field = find_field(op, name);
    bool rows = names_rows(op, name);
    if (!rows && field == TPU_FIELDS) {
        return tpu_ops[op].is_loop ? refuse(in, start, "loop takes its trip count as x1..x127")
                                   : refuse_name(in, start, op);
    }
    tpu_status status = expect_text(in, "=", "after an operand's name");
    if (status != TPU_OK) {
        return status;
    }
    return rows ? parse_rows(in, to, start, tpu_ops[op].has_rows ? "rows" : "nr")
                : parse_field(in, to, field, name);
}

static tpu_status check_complete(const reader *in, const draft *given, const char *start) {
    uint8_t op = given->insn.op;
    if (!given->has_nr && tpu_ops[op].is_loop) {
        return refuse(in, start, "loop lacks its trip count, as in \"loop x7\"");
    }
    if (!given->has_nr && tpu_ops[op].has_rows) {
        return refuse(in, start, "%s lacks rows", tpu_ops[op].name);
    }
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        if (!given->has_field[i] && tpu_ops[op].operand[i].name != NULL) {
            return refuse(in, start, "%s lacks %s", tpu_ops[op].name, tpu_ops[op].operand[i].name);
        }
    }
    return TPU_OK;
}

// ---- address terms ---------------------------------------------------------------------------

static tpu_status parse_level(reader *in, isa_term *term) {
    const char *start = in->at;
    uint64_t level = 0;
    if (!take(in, "iv")) {
        return refuse(in, start, "iv0..iv%d is expected after \"+=\"", TPU_AGU_LEVEL_MAX);
    }
    tpu_status status = parse_number(in, "the loop level after iv", TPU_AGU_LEVEL_MAX, &level);
    term->level = (uint8_t)level;
    return status;
}

static tpu_status parse_term(reader *in, draft *to) {
    isa_term term = {0};
    uint64_t stride = 0;
    const char *start = in->at;
    size_t field = find_field(to->insn.op, take_name(in));
    if (field == TPU_FIELDS) {
        return refuse_name(in, start, to->insn.op);
    }
    if (to->terms == TPU_AGU_TERMS) {
        return refuse(in, start, "an instruction carries at most %d address terms", TPU_AGU_TERMS);
    }
    term.target = (uint8_t)(field + 1);
    tpu_status status = expect_text(in, "+=", "after the field of an address term");
    if (status == TPU_OK) {
        status = parse_level(in, &term);
    }
    if (status == TPU_OK) {
        status = expect_text(in, "*", "between induction variable and stride");
    }
    if (status == TPU_OK) {
        status = parse_number(in, "the stride", TPU_AGU_STRIDE_MAX, &stride);
    }
    term.stride = (uint16_t)stride;
    to->insn.term[to->terms++] = term;
    return status;
}

static tpu_status parse_terms(reader *in, draft *to) {
    tpu_status status = TPU_OK;
    bool more = true;
    while (status == TPU_OK && more) {
        skip_blanks(in);
        status = parse_term(in, to);
        skip_blanks(in);
        more = status == TPU_OK && take(in, ",");
    }
    if (status == TPU_OK && !ends_line(*in->at)) {
        return refuse(in, in->at, "a comma and a further term, or the end of the line is expected");
    }
    return status;
}

// ---- lines -----------------------------------------------------------------------------------

static tpu_status parse_word_line(reader *in, draft *to) {
    uint64_t words[TPU_IWORDS] = {0};
    skip_blanks(in);
    const char *start = in->at;
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < TPU_IWORDS; i++) {
        skip_blanks(in);
        status = parse_number(in, "each of the two words", UINT64_MAX, &words[i]);
    }
    skip_blanks(in);
    if (status == TPU_OK && !ends_line(*in->at)) {
        return refuse(in, in->at, ".word takes two numbers");
    }
    tpu_message reason;
    if (status == TPU_OK && codec_decode(words, &to->insn, &reason) != TPU_OK) {
        return refuse(in, start, "%s", reason.text);
    }
    return status;
}

static bool find_op(word name, uint8_t *op) {
    for (size_t i = 0; i < TPU_OP_COUNT; i++) {
        if (equals(name, tpu_ops[i].name)) {
            *op = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static tpu_status parse_insn(reader *in, draft *to) {
    const char *start = in->at;
    word name = take_name(in);
    if (equals(name, ".word")) {
        return parse_word_line(in, to);
    }
    if (!find_op(name, &to->insn.op)) {
        return refuse_mnemonic(in, start);
    }
    if (tpu_ops[to->insn.op].retired) {
        return refuse(in, start, "this opcode is retired: results leave through mvout");
    }
    tpu_status status = TPU_OK;
    bool terms = false;
    skip_blanks(in);
    while (status == TPU_OK && !terms && !ends_line(*in->at)) {
        terms = take(in, "agu:");
        status = terms ? parse_terms(in, to) : parse_operand(in, to);
        if (status == TPU_OK && !is_blank(*in->at) && !ends_line(*in->at)) {
            status = refuse(in, in->at, "a blank is expected between operands");
        }
        skip_blanks(in);
    }
    return status == TPU_OK ? check_complete(in, to, start) : status;
}

// Leaves the cursor on the first character of the next line.
static void next_line(reader *in) {
    while (*in->at != '\0' && *in->at != '\n') {
        in->at++;
    }
    if (*in->at == '\n') {
        in->at++;
        in->line++;
    }
    in->line_start = in->at;
}

static tpu_status parse_line(reader *in, isa_program *program) {
    skip_blanks(in);
    if (ends_line(*in->at)) {
        return TPU_OK;
    }
    draft to = {0};
    tpu_status status = parse_insn(in, &to);
    to.insn.line = in->line;
    if (status == TPU_OK && isa_program_append(program, &to.insn) != TPU_OK) {
        return status_fail(in->why, TPU_ERR_MEMORY, "no memory for the program");
    }
    return status;
}

tpu_status assembly_parse(const char *text, const char *file_name, isa_program *out,
                          tpu_message *why) {
    reader in = {.file = file_name, .line_start = text, .at = text, .line = 1, .why = why};
    isa_program program = {0};
    tpu_status status = TPU_OK;
    while (status == TPU_OK && *in.at != '\0') {
        status = parse_line(&in, &program);
        next_line(&in);
    }
    if (status != TPU_OK) {
        isa_program_clear(&program);
        return status;
    }
    *out = program;
    return TPU_OK;
}
