// SPDX-License-Identifier: Apache-2.0
//
// Encoder and decoder against the field tables: the words are packed and unpacked here from the
// JSON's own lo and width, and compared bit for bit.

#include "base/rng.h"
#include "csim/isa/codec.h"
#include "spec/specgen_drift.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORDS_PER_OPCODE 64
#define SEED 0x5EEDu

static const char *const fields_path = "instruction_word.word0.fields";

// The instruction's value of a word-0 field by name.
static uint64_t field_value(const isa_insn *insn, const char *name) {
    if (strcmp(name, "op") == 0) {
        return insn->op;
    }
    if (strcmp(name, "nr") == 0) {
        return insn->nr;
    }
    int index = name[1] - '0';
    return index >= 0 && index < TPU_FIELDS ? insn->f[index] : 0;
}

static uint64_t term_value(const isa_term *term, const char *name) {
    return strcmp(name, "target") == 0  ? term->target
           : strcmp(name, "level") == 0 ? term->level
                                        : term->stride;
}

static uint64_t pack_word0(const specgen_spec *spec, const isa_insn *insn) {
    uint64_t word = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, fields_path)) {
        word |= field_value(insn, specgen_spec_text(item, "name")) << specgen_spec_int(item, "lo");
    }
    return word;
}

static uint64_t pack_word1(const specgen_spec *spec, const isa_insn *insn) {
    const cJSON *agu = specgen_spec_at(spec, "agu");
    uint64_t word = 0;
    for (int64_t i = 0; i < specgen_spec_int(agu, "terms") && i < TPU_AGU_TERMS; i++) {
        const cJSON *item = NULL;
        cJSON_ArrayForEach(item, specgen_spec_list(agu, "subfields")) {
            int64_t lo = specgen_spec_int(item, "lo") + i * specgen_spec_int(agu, "term_bits");
            word |= term_value(&insn->term[i], specgen_spec_text(item, "name")) << lo;
        }
    }
    return word;
}

static isa_insn random_insn(rng *source, uint8_t op) {
    isa_insn insn = {.op = op, .nr = (uint8_t)rng_below(source, TPU_MAXROWS + 1)};
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        insn.f[i] = (uint16_t)rng_below(source, TPU_FIELD_MAX + 1);
    }
    for (size_t i = 0; i < TPU_AGU_TERMS; i++) {
        insn.term[i] = (isa_term){.target = (uint8_t)rng_below(source, TPU_AGU_TARGET_MAX + 1),
                                  .level = (uint8_t)rng_below(source, TPU_AGU_LEVEL_MAX + 1),
                                  .stride = (uint16_t)rng_below(source, TPU_AGU_STRIDE_MAX + 1)};
    }
    return insn;
}

static tpu_status word_differs(const specgen_spec *spec, const char *path, const char *what,
                               uint64_t code, uint64_t due, tpu_message *why) {
    return specgen_spec_refuse(
        spec, why, path, "the C code's %s gives 0x%016" PRIx64 ", the field table 0x%016" PRIx64,
        what, code, due);
}

static tpu_status check_insn(const specgen_spec *spec, const isa_insn *insn, tpu_message *why) {
    uint64_t word[TPU_IWORDS] = {0};
    tpu_message inner = {{0}};
    if (codec_encode(insn, word, &inner) != TPU_OK) {
        return specgen_spec_refuse(spec, why, fields_path, "the encoder refuses a legal word: %s",
                                   inner.text);
    }
    uint64_t due = pack_word0(spec, insn);
    if (word[0] != due) {
        return word_differs(spec, fields_path, "encoder", word[0], due, why);
    }
    due = pack_word1(spec, insn);
    if (word[1] != due) {
        return word_differs(spec, "agu.subfields", "encoder", word[1], due, why);
    }
    isa_insn back = {0};
    if (codec_decode(word, &back, &inner) != TPU_OK) {
        return specgen_spec_refuse(spec, why, fields_path, "the decoder refuses a legal word: %s",
                                   inner.text);
    }
    due = pack_word0(spec, &back);
    if (word[0] != due || word[1] != pack_word1(spec, &back)) {
        return word_differs(spec, fields_path, "decoder", word[0], due, why);
    }
    return TPU_OK;
}

static tpu_status check_random(const specgen_spec *spec, tpu_message *why) {
    rng source;
    rng_seed(&source, SEED);
    for (uint8_t op = 0; op < TPU_OP_COUNT; op++) {
        for (int i = 0; i < WORDS_PER_OPCODE; i++) {
            isa_insn insn = random_insn(&source, op);
            tpu_status status = check_insn(spec, &insn, why);
            if (status != TPU_OK) {
                return status;
            }
        }
    }
    return TPU_OK;
}

// Sets one field to a value; op and nr are 8 bits wide in the struct.
static void set_field(isa_insn *insn, const char *name, int64_t value) {
    if (strcmp(name, "op") == 0) {
        insn->op = (uint8_t)value;
    } else if (strcmp(name, "nr") == 0) {
        insn->nr = (uint8_t)value;
    } else if (name[1] >= '0' && name[1] < '0' + TPU_FIELDS) {
        insn->f[name[1] - '0'] = (uint16_t)value;
    }
}

static void set_term(isa_term *term, const char *name, int64_t value) {
    if (strcmp(name, "target") == 0) {
        term->target = (uint8_t)value;
    } else if (strcmp(name, "level") == 0) {
        term->level = (uint8_t)value;
    } else {
        term->stride = (uint16_t)value;
    }
}

// The encoder takes `max` and refuses one more.
static tpu_status check_edge(const specgen_spec *spec, const char *path, int index,
                             const isa_insn *at_max, const isa_insn *beyond, int64_t max,
                             tpu_message *why) {
    char place[SPECGEN_PATH];
    uint64_t word[TPU_IWORDS];
    (void)snprintf(place, sizeof place, "%s[%d]", path, index);
    if (codec_encode(at_max, word, NULL) != TPU_OK) {
        return specgen_spec_refuse(spec, why, place, "the encoder refuses %lld, the largest value",
                                   (long long)max);
    }
    if (codec_encode(beyond, word, NULL) == TPU_OK) {
        return specgen_spec_refuse(spec, why, place, "the encoder takes %lld, one too large",
                                   (long long)max + 1);
    }
    return TPU_OK;
}

static tpu_status check_edges(const specgen_spec *spec, tpu_message *why) {
    const cJSON *item = NULL;
    int index = 0;
    tpu_status status = TPU_OK;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, fields_path)) {
        const char *name = specgen_spec_text(item, "name");
        int64_t max = specgen_names_usable(spec, specgen_spec_int(item, "width"));
        isa_insn at_max = {.op = TPU_OP_NOP};
        isa_insn beyond = at_max;
        set_field(&at_max, name, max);
        set_field(&beyond, name, max + 1);
        if (status == TPU_OK) {
            status = check_edge(spec, fields_path, index, &at_max, &beyond, max, why);
        }
        index++;
    }
    index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "agu.subfields")) {
        specgen_names names = {.spec = spec};
        int64_t max = 0;
        isa_insn at_max = {.op = TPU_OP_MM, .nr = 1};
        isa_insn beyond = at_max;
        if (status == TPU_OK) {
            status = specgen_names_eval(&names, specgen_spec_text(item, "max"), &max, why);
        }
        set_term(&at_max.term[0], specgen_spec_text(item, "name"), max);
        set_term(&beyond.term[0], specgen_spec_text(item, "name"), max + 1);
        if (status == TPU_OK) {
            status = check_edge(spec, "agu.subfields", index, &at_max, &beyond, max, why);
        }
        index++;
    }
    return status;
}

// A set spare bit is refused by the decoder.
static tpu_status check_spares(const specgen_spec *spec, const char *path, size_t word,
                               tpu_message *why) {
    const cJSON *bit = NULL;
    cJSON_ArrayForEach(bit, specgen_spec_at(spec, path)) {
        uint64_t words[TPU_IWORDS] = {0};
        isa_insn out;
        words[word] = UINT64_C(1) << (int)specgen_spec_number(bit);
        if (codec_decode(words, &out, NULL) == TPU_OK) {
            return specgen_spec_refuse(spec, why, path, "the decoder takes spare bit %d",
                                       (int)specgen_spec_number(bit));
        }
    }
    return TPU_OK;
}

tpu_status specgen_drift_codec(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = check_random(spec, why);
    if (status == TPU_OK) {
        status = check_edges(spec, why);
    }
    if (status == TPU_OK) {
        status = check_spares(spec, "instruction_word.word0.spare_bits", 0, why);
    }
    return status == TPU_OK ? check_spares(spec, "instruction_word.word1.spare_bits", 1, why)
                            : status;
}
