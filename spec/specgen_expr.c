// SPDX-License-Identifier: Apache-2.0
//
// Parser (precedence climbing), evaluator and C writer of the specification's expressions.
//
// Nodes lie in one array, children before parents, so evaluation is one pass without recursion.

#include "spec/specgen_expr.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16
#define BIGGEST ((int64_t)1 << 62)

typedef struct parser {
    const char *text;
    const char *at;
    specgen_expr *out;
    int depth;
    tpu_message *why;
} parser;

static const char *const operators[][9] = {
    {"or"},       {"and"},    {"==", "!=", "<=", ">=", "<", ">"},
    {"|"},        {"^"},      {"&"},
    {"<<", ">>"}, {"+", "-"}, {"//", "%", "*"},
    {"**"},
};
#define LEVELS (sizeof operators / sizeof operators[0])

static tpu_status complain(parser *p, const char *wanted) {
    return status_fail(p->why, TPU_REFUSED, "'%s' does not parse at column %d: expected %s",
                       p->text, (int)(p->at - p->text) + 1, wanted);
}

static void skip(parser *p) {
    while (*p->at == ' ') {
        p->at++;
    }
}

static tpu_status add_node(parser *p, const char *op, int left, int right, int *index) {
    if (p->out->count == SPECGEN_EXPR_NODES) {
        return complain(p, "a shorter expression");
    }
    specgen_expr_node *node = &p->out->node[p->out->count];
    memset(node, 0, sizeof *node);
    memcpy(node->op, op, strlen(op));
    node->left = left;
    node->right = right;
    *index = p->out->count++;
    return TPU_OK;
}

static tpu_status parse_level(parser *p, size_t level, int *index);

static tpu_status parse_number(parser *p, int *index) {
    char *end = NULL;
    unsigned long long value = strtoull(p->at, &end, 0);
    if (value >= (unsigned long long)BIGGEST || isalnum((unsigned char)*end)) {
        return complain(p, "a whole number below 2^62");
    }
    tpu_status status = add_node(p, "n", -1, -1, index);
    if (status == TPU_OK) {
        p->out->node[*index].value = (int64_t)value;
        p->at = end;
    }
    return status;
}

static tpu_status expect(parser *p, char c, const char *wanted) {
    skip(p);
    if (*p->at != c) {
        return complain(p, wanted);
    }
    p->at++;
    return TPU_OK;
}

// min and max of two or more: a chain to the left.
static tpu_status parse_call(parser *p, const char *name, int *index) {
    tpu_status status = parse_level(p, 0, index);
    int arguments = 1;
    for (skip(p); status == TPU_OK && *p->at == ','; skip(p)) {
        p->at++;
        int right = -1;
        status = parse_level(p, 0, &right);
        if (status == TPU_OK) {
            status = add_node(p, name, *index, right, index);
        }
        arguments++;
    }
    if (status == TPU_OK && arguments < 2) {
        return complain(p, "a second argument");
    }
    return status == TPU_OK ? expect(p, ')', "')'") : status;
}

static tpu_status parse_name(parser *p, int *index) {
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_') {
        length++;
    }
    if (length >= SPECGEN_EXPR_NAME) {
        return complain(p, "a name of at most 31 characters");
    }
    char name[SPECGEN_EXPR_NAME] = {0};
    memcpy(name, p->at, length);
    bool call = p->at[length] == '(';
    if (call && strcmp(name, "min") != 0 && strcmp(name, "max") != 0) {
        return complain(p, "min( or max(, the only functions");
    }
    p->at += length + (call ? 1 : 0);
    if (call) {
        return parse_call(p, name, index);
    }
    tpu_status status = add_node(p, "x", -1, -1, index);
    if (status == TPU_OK) {
        memcpy(p->out->node[*index].name, name, sizeof name);
    }
    return status;
}

static tpu_status parse_primary(parser *p, int *index) {
    skip(p);
    if (isdigit((unsigned char)*p->at)) {
        return parse_number(p, index);
    }
    if (isalpha((unsigned char)*p->at)) {
        return parse_name(p, index);
    }
    tpu_status status = expect(p, '(', "a number, a name or '('");
    if (status == TPU_OK) {
        status = parse_level(p, 0, index);
    }
    return status == TPU_OK ? expect(p, ')', "')'") : status;
}

// The operator of `level` that starts here, or NULL. "*" must not take the first half of "**".
static const char *operator_here(const parser *p, size_t level) {
    for (size_t i = 0; i < 9 && operators[level][i] != NULL; i++) {
        const char *op = operators[level][i];
        size_t length = strlen(op);
        if (strncmp(p->at, op, length) != 0) {
            continue;
        }
        char next = p->at[length];
        bool word = isalpha((unsigned char)op[0]) != 0;
        bool longer = (strcmp(op, "*") == 0 && next == '*') ||
                      ((strcmp(op, "<") == 0 || strcmp(op, ">") == 0) && next == op[0]);
        if (!longer && !(word && (isalnum((unsigned char)next) || next == '_'))) {
            return op;
        }
    }
    return NULL;
}

static tpu_status parse_level(parser *p, size_t level, int *index) {
    if (level == LEVELS) {
        return parse_primary(p, index);
    }
    if (level == 0 && ++p->depth > DEPTH_MAX) {
        return complain(p, "fewer nested parentheses");
    }
    tpu_status status = parse_level(p, level + 1, index);
    for (skip(p); status == TPU_OK; skip(p)) {
        const char *op = operator_here(p, level);
        if (op == NULL) {
            break;
        }
        p->at += strlen(op);
        int right = -1;
        status = parse_level(p, level + 1, &right);
        if (status == TPU_OK) {
            status = add_node(p, op, *index, right, index);
        }
    }
    p->depth -= level == 0 ? 1 : 0;
    return status;
}

tpu_status specgen_expr_parse(const char *text, specgen_expr *out, tpu_message *why) {
    memset(out, 0, sizeof *out);
    parser p = {.text = text, .at = text, .out = out, .why = why};
    tpu_status status = parse_level(&p, 0, &out->root);
    if (status == TPU_OK && *p.at != '\0') {
        return complain(&p, "an operator or the end");
    }
    return status;
}

static bool multiply(int64_t a, int64_t b, int64_t *value) {
    int64_t magnitude = b < 0 ? -b : b;
    if (magnitude != 0 && (a > BIGGEST / magnitude || a < -(BIGGEST / magnitude))) {
        return false;
    }
    *value = a * b;
    return true;
}

static bool power(int64_t a, int64_t b, int64_t *value) {
    *value = 1;
    if (b < 0 || b > 62) {
        return false;
    }
    for (int64_t i = 0; i < b; i++) {
        if (!multiply(*value, a, value)) {
            return false;
        }
    }
    return true;
}

// Division rounds down, as in the document's notation; only positive divisors occur.
static bool divide(const char *op, int64_t a, int64_t b, int64_t *value) {
    if (b <= 0) {
        return false;
    }
    int64_t quotient = a / b - (a % b < 0 ? 1 : 0);
    *value = op[0] == '%' ? a - quotient * b : quotient;
    return true;
}

static bool shift(const char *op, int64_t a, int64_t b, int64_t *value) {
    if (a < 0 || b < 0 || b > 62) {
        return false;
    }
    if (op[0] == '>') {
        *value = a >> b;
        return true;
    }
    return multiply(a, (int64_t)1 << b, value);
}

static bool compare(const char *op, int64_t a, int64_t b, int64_t *value) {
    bool equal = op[1] == '=';
    switch (op[0]) {
    case '=':
        *value = a == b;
        return true;
    case '!':
        *value = a != b;
        return true;
    case '<':
        *value = equal ? a <= b : a < b;
        return true;
    default:
        *value = equal ? a >= b : a > b;
        return true;
    }
}

static bool apply_bits(const char *op, int64_t a, int64_t b, int64_t *value) {
    if (a < 0 || b < 0) {
        return false;
    }
    uint64_t x = (uint64_t)a;
    uint64_t y = (uint64_t)b;
    *value = (int64_t)(op[0] == '&' ? x & y : op[0] == '|' ? x | y : x ^ y);
    return true;
}

static bool apply_word(const char *op, int64_t a, int64_t b, int64_t *value) {
    if (strcmp(op, "and") == 0) {
        *value = a != 0 && b != 0;
    } else if (strcmp(op, "or") == 0) {
        *value = a != 0 || b != 0;
    } else {
        *value = (strcmp(op, "min") == 0) == (a < b) ? a : b;
    }
    return true;
}

static bool apply(const char *op, int64_t a, int64_t b, int64_t *value) {
    if (isalpha((unsigned char)op[0])) {
        return apply_word(op, a, b, value);
    }
    if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0) {
        return shift(op, a, b, value);
    }
    switch (op[0]) {
    case '+':
        *value = a + b;
        return *value <= BIGGEST && *value >= -BIGGEST;
    case '-':
        *value = a - b;
        return *value <= BIGGEST && *value >= -BIGGEST;
    case '*':
        return op[1] == '*' ? power(a, b, value) : multiply(a, b, value);
    case '/':
    case '%':
        return divide(op, a, b, value);
    case '&':
    case '|':
    case '^':
        return apply_bits(op, a, b, value);
    default:
        return compare(op, a, b, value);
    }
}

tpu_status specgen_expr_eval(const specgen_expr *expr, specgen_expr_lookup lookup, void *user,
                             int64_t *value, tpu_message *why) {
    int64_t result[SPECGEN_EXPR_NODES] = {0};
    for (int i = 0; i < expr->count; i++) {
        const specgen_expr_node *node = &expr->node[i];
        if (node->op[0] == 'n') {
            result[i] = node->value;
        } else if (node->op[0] == 'x') {
            if (lookup == NULL || !lookup(user, node->name, &result[i])) {
                return status_fail(why, TPU_REFUSED, "the name '%s' has no value here", node->name);
            }
        } else if (!apply(node->op, result[node->left], result[node->right], &result[i])) {
            return status_fail(why, TPU_REFUSED, "%lld %s %lld has no value in 63 bits",
                               (long long)result[node->left], node->op,
                               (long long)result[node->right]);
        }
    }
    *value = result[expr->root];
    return TPU_OK;
}

typedef struct writer {
    const specgen_expr *expr;
    specgen_expr_name name;
    void *user;
    specgen_text *text;
    tpu_message *why;
} writer;

static const char *c_function(const char *op) {
    static const char *const table[][2] = {
        {"//", "quotient"}, {"%", "remainder_of"}, {"min", "smaller"}, {"max", "larger"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(op, table[i][0]) == 0) {
            return table[i][1];
        }
    }
    return NULL;
}

static const char *c_operator(const char *op) {
    return strcmp(op, "and") == 0 ? "&&" : strcmp(op, "or") == 0 ? "||" : op;
}

static tpu_status write_node(const writer *w, int index, bool nested);

static tpu_status write_pair(const writer *w, const specgen_expr_node *node, const char *between,
                             bool nested) {
    tpu_status status = write_node(w, node->left, nested);
    specgen_text_add(w->text, "%s", between);
    return status == TPU_OK ? write_node(w, node->right, nested) : status;
}

// Depth is bounded by the parser's own bound.
static tpu_status write_node(const writer *w, int index, bool nested) {
    const specgen_expr_node *node = &w->expr->node[index];
    if (node->op[0] == 'n') {
        specgen_text_add(w->text, "%lld", (long long)node->value);
        return TPU_OK;
    }
    if (node->op[0] == 'x') {
        return w->name(w->user, node->name, w->text)
                   ? TPU_OK
                   : status_fail(w->why, TPU_REFUSED, "the name '%s' may not be used here",
                                 node->name);
    }
    if (strcmp(node->op, "-") == 0 || strcmp(node->op, "**") == 0) {
        return status_fail(w->why, TPU_REFUSED,
                           "'%s' is not allowed here: these values are never negative", node->op);
    }
    const char *function = c_function(node->op);
    specgen_text_add(w->text, "%s%s", function != NULL ? function : "",
                     function != NULL || nested ? "(" : "");
    char between[8] = ", ";
    if (function == NULL) {
        const char *op = c_operator(node->op);
        size_t length = strlen(op);
        between[0] = ' ';
        memcpy(between + 1, op, length);
        memcpy(between + 1 + length, " ", 2);
    }
    tpu_status status = write_pair(w, node, between, function == NULL);
    specgen_text_add(w->text, "%s", function != NULL || nested ? ")" : "");
    return status;
}

tpu_status specgen_expr_c(const specgen_expr *expr, specgen_expr_name name, void *user,
                          specgen_text *text, tpu_message *why) {
    writer w = {.expr = expr, .name = name, .user = user, .text = text, .why = why};
    return write_node(&w, expr->root, false);
}
