// SPDX-License-Identifier: Apache-2.0
//
// Bit layouts: each bit of a word belongs to exactly one field or is declared spare.

#include "spec/specgen_names.h"
#include "spec/specgen_valid.h"

#include <stdio.h>
#include <string.h>

#define WORD_BITS 64

// Who owns each bit so far; NULL = nobody.
typedef struct bits {
    const specgen_spec *spec;
    const char *path;
    const char *owner[WORD_BITS];
    int64_t size;
    tpu_message *why;
} bits;

static tpu_status claim(bits *b, int64_t bit, const char *owner, const char *place) {
    if (bit >= b->size) {
        return specgen_spec_refuse(b->spec, b->why, place, "%s reaches bit %lld; the last is %lld",
                                   owner, (long long)bit, (long long)b->size - 1);
    }
    if (b->owner[bit] != NULL) {
        return specgen_spec_refuse(b->spec, b->why, place,
                                   "bit %lld of %s belongs to both %s and %s", (long long)bit,
                                   b->path, b->owner[bit], owner);
    }
    b->owner[bit] = owner;
    return TPU_OK;
}

static tpu_status claim_run(bits *b, int64_t lo, int64_t width, const char *owner,
                            const char *place) {
    tpu_status status = TPU_OK;
    for (int64_t bit = lo; status == TPU_OK && bit < lo + width; bit++) {
        status = claim(b, bit, owner, place);
    }
    return status;
}

static tpu_status claim_fields(bits *b, const char *list) {
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(b->spec, list)) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "%s[%d]", list, index++);
        tpu_status status =
            claim_run(b, specgen_spec_int(item, "lo"), specgen_spec_int(item, "width"),
                      specgen_spec_text(item, "name"), place);
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

static tpu_status claim_spare(bits *b, const char *list) {
    const cJSON *item = NULL;
    tpu_status status = TPU_OK;
    cJSON_ArrayForEach(item, specgen_spec_at(b->spec, list)) {
        int64_t bit = specgen_spec_number(item);
        status = status == TPU_OK ? claim(b, bit, "a spare bit", list) : status;
    }
    return status;
}

static tpu_status no_gap(const bits *b) {
    for (int64_t bit = 0; bit < b->size; bit++) {
        if (b->owner[bit] == NULL) {
            return specgen_spec_refuse(
                b->spec, b->why, b->path,
                "bit %lld belongs to nothing; give it to a field or to spare_bits", (long long)bit);
        }
    }
    return TPU_OK;
}

static tpu_status check_word0(const specgen_spec *spec, tpu_message *why) {
    bits b = {.spec = spec, .path = "instruction_word.word0", .size = WORD_BITS, .why = why};
    tpu_status status = claim_fields(&b, "instruction_word.word0.fields");
    if (status == TPU_OK) {
        status = claim_spare(&b, "instruction_word.word0.spare_bits");
    }
    return status == TPU_OK ? no_gap(&b) : status;
}

static tpu_status check_word1(const specgen_spec *spec, tpu_message *why) {
    const cJSON *agu = specgen_spec_at(spec, "agu");
    int64_t width = specgen_spec_int(agu, "term_bits");
    bits term = {.spec = spec, .path = "agu.subfields", .size = width, .why = why};
    tpu_status status = claim_fields(&term, "agu.subfields");
    if (status == TPU_OK) {
        status = no_gap(&term);
    }
    bits b = {.spec = spec, .path = "instruction_word.word1", .size = WORD_BITS, .why = why};
    for (int64_t i = 0; status == TPU_OK && i < specgen_spec_int(agu, "terms"); i++) {
        status = claim_run(&b, i * width, width, "an address term", "agu.terms");
    }
    if (status == TPU_OK) {
        status = claim_spare(&b, "instruction_word.word1.spare_bits");
    }
    return status == TPU_OK ? no_gap(&b) : status;
}

// Fields that the rest of specgen, the codec and the RTL count on.
static tpu_status check_names(const specgen_spec *spec, tpu_message *why) {
    static const char *const needed[][2] = {{"instruction_word.word0.fields", "op"},
                                            {"instruction_word.word0.fields", "nr"},
                                            {"agu.subfields", "target"},
                                            {"agu.subfields", "level"},
                                            {"agu.subfields", "stride"}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (specgen_spec_find(spec, needed[i][0], needed[i][1]) < 0) {
            return specgen_spec_refuse(spec, why, needed[i][0], "there is no field '%s'",
                                       needed[i][1]);
        }
    }
    tpu_status status = specgen_valid_unique(spec, "instruction_word.word0.fields", "name", why);
    return status == TPU_OK ? specgen_valid_unique(spec, "agu.subfields", "name", why) : status;
}

static tpu_status check_targets(const specgen_spec *spec, int64_t *largest, tpu_message *why) {
    const cJSON *item = NULL;
    int64_t index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "agu.targets")) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "agu.targets[%lld]", (long long)index);
        const char *field = specgen_spec_text(item, "field");
        if (specgen_spec_int(item, "value") != index) {
            return specgen_spec_refuse(spec, why, place,
                                       "found value %lld; targets count up from 0",
                                       (long long)specgen_spec_int(item, "value"));
        }
        bool unused = strcmp(field, "none") == 0;
        bool known = specgen_spec_find(spec, "instruction_word.word0.fields", field) >= 0;
        if (unused != (index == 0) || (!unused && !known)) {
            return specgen_spec_refuse(
                spec, why, place,
                "found field '%s'; target 0 is none and every other one a field of word 0", field);
        }
        index++;
    }
    *largest = index - 1;
    return specgen_valid_unique(spec, "agu.targets", "field", why);
}

static tpu_status check_subfield(const specgen_spec *spec, const cJSON *item, const char *place,
                                 int64_t largest_target, tpu_message *why) {
    int64_t max = 0;
    tpu_message inner = {{0}};
    specgen_names names = {.spec = spec};
    if (specgen_names_eval(&names, specgen_spec_text(item, "max"), &max, &inner) != TPU_OK) {
        return specgen_spec_refuse(spec, why, place, "max: %s", inner.text);
    }
    int64_t usable = specgen_names_usable(spec, specgen_spec_int(item, "width"));
    if (max < 0 || max > usable) {
        return specgen_spec_refuse(
            spec, why, place,
            "max is %lld, but %lld bits carry at most %lld under the encoding rule", (long long)max,
            (long long)specgen_spec_int(item, "width"), (long long)usable);
    }
    const char *name = specgen_spec_text(item, "name");
    if (strcmp(name, "target") == 0 && max != largest_target) {
        return specgen_spec_refuse(spec, why, place, "max is %lld, but the largest target is %lld",
                                   (long long)max, (long long)largest_target);
    }
    int64_t depth = specgen_spec_int(specgen_spec_at(spec, "loop_stack"), "depth");
    if (strcmp(name, "level") == 0 && max != depth - 1) {
        return specgen_spec_refuse(spec, why, place, "max is %lld, but the innermost level is %lld",
                                   (long long)max, (long long)depth - 1);
    }
    return TPU_OK;
}

static tpu_status check_agu(const specgen_spec *spec, tpu_message *why) {
    int64_t largest = 0;
    tpu_status status = check_targets(spec, &largest, why);
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "agu.subfields")) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "agu.subfields[%d]", index++);
        status = status == TPU_OK ? check_subfield(spec, item, place, largest, why) : status;
    }
    return status;
}

static tpu_status check_header_word(const specgen_spec *spec, int64_t word, tpu_message *why) {
    bits b = {.spec = spec, .path = "imem.entries", .size = WORD_BITS, .why = why};
    const cJSON *item = NULL;
    int index = 0;
    bool any = false;
    int64_t slice = specgen_spec_int(specgen_spec_at(spec, "imem"), "count_slice_width");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "imem.entries")) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "imem.entries[%d]", index++);
        if (specgen_spec_int(item, "width") != slice) {
            return specgen_spec_refuse(spec, why, place, "width is %lld; counts are %lld bits wide",
                                       (long long)specgen_spec_int(item, "width"),
                                       (long long)slice);
        }
        if (specgen_spec_int(item, "index") != word) {
            continue;
        }
        any = true;
        tpu_status status = claim_run(&b, specgen_spec_int(item, "lo"), slice,
                                      specgen_spec_text(item, "name"), place);
        if (status != TPU_OK) {
            return status;
        }
    }
    return any ? TPU_OK
               : specgen_spec_refuse(spec, why, "imem.entries", "header word %lld holds nothing",
                                     (long long)word);
}

static tpu_status check_header(const specgen_spec *spec, tpu_message *why) {
    int64_t words = specgen_spec_int(specgen_spec_at(spec, "imem"), "header_words");
    tpu_status status = specgen_valid_unique(spec, "imem.entries", "name", why);
    for (int64_t word = 0; status == TPU_OK && word < words; word++) {
        status = check_header_word(spec, word, why);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "imem.entries")) {
        if (status == TPU_OK && specgen_spec_int(item, "index") >= words) {
            return specgen_spec_refuse(
                spec, why, "imem.entries", "%s is in word %lld, but the header has %lld words",
                specgen_spec_text(item, "name"), (long long)specgen_spec_int(item, "index"),
                (long long)words);
        }
    }
    return status;
}

tpu_status specgen_layout_check(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = check_names(spec, why);
    if (status == TPU_OK) {
        status = check_word0(spec, why);
    }
    if (status == TPU_OK) {
        status = check_word1(spec, why);
    }
    if (status == TPU_OK) {
        status = check_agu(spec, why);
    }
    return status == TPU_OK ? check_header(spec, why) : status;
}
