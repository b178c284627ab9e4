// SPDX-License-Identifier: Apache-2.0
//
// The rules' file: "key: value" lines, a rule begins with "rule:". Every key is known, every rule
// has a class, a reason and a place; anything else is refused, so that no survivor is explained by
// a slip of the pen.

#define _POSIX_C_SOURCE 200809L // fnmatch

#include "harness/mutants/netmutant_rules.h"

#include "harness/io/textfile.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[NETMUTANT_CLASS_COUNT] = {"equivalent", "unreachable",
                                                               "elsewhere", "illegal", "untested"};

typedef struct reader {
    const char *path;
    uint32_t line;
    netmutant_rules *to;
    bool classed;
    tpu_message *why;
} reader;

const char *netmutant_class_name(netmutant_class class) {
    return (unsigned)class < NETMUTANT_CLASS_COUNT ? class_names[class] : NULL;
}

// ---- reading -----------------------------------------------------------------------------------

static tpu_status refuse(const reader *self, const char *what) {
    return status_fail(self->why, TPU_REFUSED, "%s:%u: %s", self->path, self->line, what);
}

static netmutant_rule *last_rule(reader *self) {
    return self->to->count > 0 ? &self->to->rule[self->to->count - 1] : NULL;
}

static tpu_status end_rule(reader *self) {
    const netmutant_rule *rule = last_rule(self);
    if (rule == NULL) {
        return TPU_OK;
    }
    if (!self->classed || rule->why == NULL || rule->places == 0) {
        return refuse(self, "the rule above lacks a class, a reason (why) or a place");
    }
    if ((rule->class == NETMUTANT_ELSEWHERE) != (rule->test != NULL)) {
        return refuse(self, "the rule above: class elsewhere and a test go together");
    }
    return TPU_OK;
}

static tpu_status begin_rule(reader *self, const char *name) {
    tpu_status status = end_rule(self);
    self->to->rule[self->to->count++] = (netmutant_rule){
        .name = name, .high = UINT32_MAX, .decides = UINT32_MAX, .first = self->to->place_count};
    self->classed = false;
    return status;
}

static tpu_status set_class(reader *self, netmutant_rule *rule, const char *value) {
    for (int i = 0; i < NETMUTANT_CLASS_COUNT; i++) {
        if (strcmp(value, class_names[i]) == 0) {
            rule->class = (netmutant_class)i;
            self->classed = true;
            return TPU_OK;
        }
    }
    return refuse(self, "the class is not equivalent, unreachable, elsewhere, illegal or untested");
}

static tpu_status set_decides(const reader *self, netmutant_rule *rule, const char *value) {
    char *end = NULL;
    unsigned long bit = strtoul(value, &end, 10);
    if (end == value || *end != '\0' || bit >= UINT32_MAX) {
        return refuse(self, "what decides is not one bit");
    }
    rule->decides = (uint32_t)bit;
    return TPU_OK;
}

static tpu_status set_bits(const reader *self, netmutant_rule *rule, const char *value) {
    char *end = NULL;
    unsigned long low = strtoul(value, &end, 10);
    unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
    if (end == value || *end != '\0' || low > high || high > UINT32_MAX) {
        return refuse(self, "bits are not LOW-HIGH");
    }
    rule->low = (uint32_t)low;
    rule->high = (uint32_t)high;
    return TPU_OK;
}

static void add_place(reader *self, netmutant_rule *rule, netmutant_place place) {
    self->to->place[self->to->place_count++] = place;
    rule->places++;
}

// FILE: TEXT
static tpu_status add_line(reader *self, netmutant_rule *rule, bool choice, char *value) {
    char *text = strstr(value, ": ");
    if (text == NULL || text[2] == '\0') {
        return refuse(self, choice ? "choice is not FILE: TEXT" : "line is not FILE: TEXT");
    }
    *text = '\0';
    add_place(self, rule, (netmutant_place){.file = value, .text = text + 2, .choice = choice});
    return TPU_OK;
}

static tpu_status set_key(reader *self, const char *key, char *value) {
    netmutant_rule *rule = last_rule(self);
    if (strcmp(key, "rule") == 0) {
        return begin_rule(self, value);
    }
    if (rule == NULL) {
        return refuse(self, "a rule begins with \"rule: NAME\"");
    }
    if (strcmp(key, "class") == 0) {
        return set_class(self, rule, value);
    }
    if (strcmp(key, "cell") == 0) {
        add_place(self, rule, (netmutant_place){.cell = value});
        return TPU_OK;
    }
    if (strcmp(key, "line") == 0 || strcmp(key, "choice") == 0) {
        return add_line(self, rule, key[0] == 'c', value);
    }
    if (strcmp(key, "bits") == 0 || strcmp(key, "zero") == 0) {
        rule->zero = key[0] == 'z';
        return set_bits(self, rule, value);
    }
    if (strcmp(key, "decides") == 0) {
        return set_decides(self, rule, value);
    }
    const char **plain = strcmp(key, "why") == 0    ? &rule->why
                         : strcmp(key, "test") == 0 ? &rule->test
                         : strcmp(key, "port") == 0 ? &rule->port
                         : strcmp(key, "kind") == 0 ? &rule->kind
                                                    : NULL;
    if (plain == NULL || *plain != NULL) {
        return refuse(self, plain == NULL ? "the key is unknown" : "the key is there twice");
    }
    *plain = value;
    return TPU_OK;
}

static tpu_status read_line(reader *self, char *line) {
    if (line[0] == '\0' || line[0] == '#') {
        return TPU_OK;
    }
    char *value = strstr(line, ": ");
    if (value == NULL || value[2] == '\0') {
        return refuse(self, "a line is not \"key: value\"");
    }
    *value = '\0';
    return set_key(self, line, value + 2);
}

static tpu_status read_text(reader *self) {
    char *line = self->to->text;
    tpu_status status = TPU_OK;
    for (char *end = strchr(line, '\n'); end != NULL && status == TPU_OK;
         end = strchr(line, '\n')) {
        *end = '\0';
        self->line++;
        status = read_line(self, line);
        line = end + 1;
    }
    if (status == TPU_OK && *line != '\0') {
        return refuse(self, "the last line does not end");
    }
    return status == TPU_OK ? end_rule(self) : status;
}

tpu_status netmutant_rules_read(const char *path, netmutant_rules *out, tpu_message *why) {
    reader self = {.path = path, .to = out, .why = why};
    size_t bytes = 0;
    size_t lines = 1;
    tpu_status status = textfile_read(path, &out->text, &bytes, why);
    if (status != TPU_OK) {
        return status;
    }
    if (strlen(out->text) != bytes) {
        return status_fail(why, TPU_REFUSED, "%s: holds a zero byte", path);
    }
    for (const char *at = out->text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    out->rule = calloc(lines, sizeof *out->rule);
    out->place = calloc(lines, sizeof *out->place);
    if (out->rule == NULL || out->place == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
    }
    return read_text(&self);
}

void netmutant_rules_clear(netmutant_rules *self) {
    free(self->rule);
    free(self->place);
    free(self->text);
    *self = (netmutant_rules){.text = NULL};
}

// ---- matching ----------------------------------------------------------------------------------

static bool in_place(const netmutant_place *place, netmutant_tree *tree, const netmutant *of) {
    if (place->cell != NULL) {
        return fnmatch(place->cell, of->cell, FNM_NOESCAPE) == 0 ||
               (of->wire != NULL && fnmatch(place->cell, of->wire, FNM_NOESCAPE) == 0);
    }
    return (!place->choice || strstr(of->cell, "$procmux$") != NULL) &&
           netmutant_tree_has(tree, of, place->file, place->text);
}

// A bit that is always 0 may be stuck at it, and may decide by being 1 as it never is.
static bool has_bit(const netmutant_rule *rule, const netmutant *of) {
    bool decides = rule->zero && strcmp(of->kind, "cnot1") == 0;
    uint32_t bit = decides ? of->control : of->bit;
    return bit >= rule->low && bit <= rule->high &&
           (!rule->zero || decides || strcmp(of->kind, "const0") == 0);
}

// A cnot decided by the very bit that the rule names.
static bool is_decided(const netmutant_rule *rule, const netmutant *of) {
    return rule->decides == UINT32_MAX ||
           (strncmp(of->kind, "cnot", 4) == 0 && of->control == rule->decides);
}

static bool applies(const netmutant_rules *self, const netmutant_rule *rule, netmutant_tree *tree,
                    const netmutant *of) {
    bool here = false;
    if (!has_bit(rule, of) || !is_decided(rule, of) ||
        (rule->port != NULL && fnmatch(rule->port, of->port, 0) != 0) ||
        (rule->kind != NULL && fnmatch(rule->kind, of->kind, 0) != 0)) {
        return false;
    }
    for (size_t i = 0; i < rule->places && !here; i++) {
        here = in_place(&self->place[rule->first + i], tree, of);
    }
    return here;
}

const netmutant_rule *netmutant_rules_find(const netmutant_rules *self, netmutant_tree *tree,
                                           const netmutant *of) {
    for (size_t i = 0; i < self->count; i++) {
        if (applies(self, &self->rule[i], tree, of)) {
            return &self->rule[i];
        }
    }
    return NULL;
}
