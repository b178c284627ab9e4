// SPDX-License-Identifier: Apache-2.0
//
// The derived properties, tried: each witness is built as a program and given to the expander, the
// check, the GEMM builder and the image builder.

#include "csim/isa/check.h"
#include "csim/isa/expand.h"
#include "csim/isa/image.h"
#include "csim/isa/limits.h"
#include "csim/isa/programs.h"
#include "spec/specgen_drift.h"
#include "spec/specgen_property.h"

#include <stdio.h>
#include <string.h>

static tpu_status add(isa_program *program, uint8_t op, uint8_t nr, const uint16_t f[TPU_FIELDS],
                      isa_term term) {
    isa_insn insn = {.op = op, .nr = nr, .term = {term}};
    memcpy(insn.f, f, sizeof insn.f);
    return isa_program_append(program, &insn);
}

// A and B loaded, then one mm in a loop of `trip` whose acc runs base, base + stride, ...
static tpu_status acc_program(isa_program *program, int64_t trip, int64_t base, int64_t stride) {
    static const uint16_t none[TPU_FIELDS] = {0};
    static const uint16_t activations[TPU_FIELDS] = {TPU_DMA_TO_VR, 0, 0, 0};
    static const uint16_t weights[TPU_FIELDS] = {TPU_DMA_SRC_B, 0, 0, 0};
    const uint16_t product[TPU_FIELDS] = {0, 0, (uint16_t)base, 0};
    const isa_term walk = {.target = 3, .level = 0, .stride = (uint16_t)stride};
    const isa_term off = {0};
    tpu_status status = add(program, TPU_OP_DMA_LD, 4, activations, off);
    if (status == TPU_OK) {
        status = add(program, TPU_OP_DMA_LD, 4, weights, off);
    }
    if (status == TPU_OK) {
        status = add(program, TPU_OP_LOOP, (uint8_t)trip, none, off);
    }
    if (status == TPU_OK) {
        status = add(program, TPU_OP_MM, 4, product, walk);
    }
    if (status == TPU_OK) {
        status = add(program, TPU_OP_ENDLOOP, 0, none, off);
    }
    return status == TPU_OK ? add(program, TPU_OP_MVOUT, 4, none, off) : status;
}

static tpu_status refuse(const specgen_spec *spec, const char *id, tpu_message *why,
                         const char *sentence) {
    char place[SPECGEN_PATH];
    (void)snprintf(place, sizeof place, "derived_properties[%s]", id);
    return specgen_spec_refuse(spec, why, place, "%s", sentence);
}

// The check's verdict on acc_program: the rule it breaks, or none.
static tpu_status acc_verdict(int64_t trip, int64_t base, int64_t stride, check_finding *finding) {
    isa_program program = {0};
    tpu_params params = params_default(4, 64);
    tpu_status status = acc_program(&program, trip, base, stride);
    if (status == TPU_OK) {
        status = check_program(&params, &program, finding, NULL);
    }
    isa_program_clear(&program);
    return status;
}

static tpu_status try_legal_trip(const specgen_spec *spec, const cJSON *witness,
                                 const cJSON *expect, tpu_message *why) {
    int64_t frontier = specgen_spec_int(expect, "trip");
    int64_t base = specgen_spec_int(witness, "base");
    int64_t stride = specgen_spec_int(witness, "stride");
    for (int64_t trip = 1; trip <= frontier + 2; trip++) {
        check_finding finding = {0};
        tpu_status status = acc_verdict(trip, base, stride, &finding);
        if (status != TPU_OK && status != TPU_REFUSED) {
            return status_fail(why, status, "out of memory");
        }
        if ((status == TPU_OK) != (trip <= frontier)) {
            return refuse(spec, "agu_terms_are_additively_monotone", why,
                          "the check's verdict turns at another trip than expected");
        }
        if (status == TPU_REFUSED &&
            (finding.rule != TPU_RULE_MM_ACC_FIELD || finding.field != 2)) {
            return refuse(spec, "agu_terms_are_additively_monotone", why,
                          "the check refuses the witness, but not for f2");
        }
    }
    return TPU_OK;
}

static tpu_status try_loop_field(const specgen_spec *spec, const cJSON *expect, tpu_message *why) {
    isa_program program = {0};
    const cJSON *values = specgen_spec_list(expect, "values");
    tpu_status status = acc_program(&program, cJSON_GetArraySize(values), 0, 1);
    expand it;
    isa_issue issue;
    bool done = false;
    int seen = 0;
    bool good = true;
    expand_start(&it, &program);
    while (status == TPU_OK && good && !done) {
        status = expand_next(&it, &issue, &done, why);
        if (status == TPU_OK && !done && issue.op == TPU_OP_MM) {
            const cJSON *due = cJSON_GetArrayItem(values, seen++);
            good = due != NULL && issue.f[2] == (uint32_t)specgen_spec_number(due);
        }
    }
    good = good && seen == cJSON_GetArraySize(values);
    isa_program_clear(&program);
    if (status == TPU_OK && !good) {
        return refuse(spec, "every_operand_field_is_an_agu_target", why,
                      "the expander resolves other values of acc than expected");
    }
    return status;
}

static int64_t used_terms(const isa_program *program) {
    for (size_t i = 0; i < program->count; i++) {
        const isa_insn *insn = &program->insn[i];
        if (insn->op == TPU_OP_MM && insn->f[2] == 1) {
            int64_t used = 0;
            for (size_t t = 0; t < TPU_AGU_TERMS; t++) {
                used += insn->term[t].target != 0 ? 1 : 0;
            }
            return used;
        }
    }
    return -1;
}

static tpu_status try_terms(const specgen_spec *spec, const cJSON *expect, tpu_message *why) {
    isa_program program = {0};
    tpu_params params = params_default(4, 64);
    tpu_status status = programs_gemm(&params, PROGRAMS_LOOPED, 8, 8, 8, false, &program, why);
    int64_t used = status == TPU_OK ? used_terms(&program) : -1;
    isa_program_clear(&program);
    if (status == TPU_OK && used != specgen_spec_int(expect, "used")) {
        return refuse(spec, "a_term_on_acc_costs_one_of_the_budget", why,
                      "the shipped accumulating mm uses another number of terms");
    }
    return status;
}

// Does a GEMM of this shape go through builder, check and image?
static tpu_status assembles(const tpu_params *params, uint32_t m, uint32_t k, uint32_t n,
                            bool *taken, tpu_message *why) {
    isa_program program = {0};
    image words = {0};
    tpu_status status = programs_gemm(params, PROGRAMS_LOOPED, m, k, n, false, &program, why);
    if (status == TPU_OK) {
        status = image_build(params, &program, true, &words, why);
    }
    image_clear(&words);
    isa_program_clear(&program);
    *taken = status == TPU_OK;
    return status == TPU_REFUSED ? TPU_OK : status;
}

static tpu_status try_ceiling_at(const specgen_spec *spec, uint32_t t, uint32_t addressing,
                                 uint32_t cubic, tpu_message *why) {
    const char *id = "the_maxdim_ceilings_are_the_encoding's";
    tpu_params at = params_default(t, addressing);
    tpu_params beyond = params_default(t, addressing + t);
    if (params_check(&at, NULL) != TPU_OK || params_check(&beyond, NULL) == TPU_OK) {
        return refuse(spec, id, why, "the parameter check turns at another MAXDIM");
    }
    if (limits_maxdim_addressing(t) != addressing || limits_maxdim_cubic_header(t) != cubic) {
        return refuse(spec, id, why, "the C code computes another ceiling");
    }
    bool taken = false;
    tpu_status status = TPU_OK;
    // Past MAXROWS the row limit refuses a cube before the header does: nothing to try there.
    if (cubic <= addressing && cubic + t <= TPU_MAXROWS) {
        status = assembles(&at, cubic, cubic, cubic, &taken, why);
        if (status == TPU_OK && !taken) {
            return refuse(spec, id, why, "a cubic GEMM at its ceiling does not assemble");
        }
        status = assembles(&at, cubic + t, cubic + t, cubic + t, &taken, why);
        if (status == TPU_OK && taken) {
            return refuse(spec, id, why, "a cubic GEMM past its ceiling assembles");
        }
    }
    return status;
}

static tpu_status try_ceilings(const specgen_spec *spec, const cJSON *witness, const cJSON *expect,
                               tpu_message *why) {
    const cJSON *sides = specgen_spec_list(witness, "t");
    tpu_status status = TPU_OK;
    for (int i = 0; status == TPU_OK && i < cJSON_GetArraySize(sides); i++) {
        const cJSON *a = cJSON_GetArrayItem(specgen_spec_list(expect, "addressing"), i);
        const cJSON *c = cJSON_GetArrayItem(specgen_spec_list(expect, "cubic_header"), i);
        if (a == NULL || c == NULL) {
            return refuse(spec, "the_maxdim_ceilings_are_the_encoding's", why,
                          "expect needs addressing and cubic_header for every t");
        }
        status =
            try_ceiling_at(spec, (uint32_t)specgen_spec_number(cJSON_GetArrayItem(sides, i)),
                           (uint32_t)specgen_spec_number(a), (uint32_t)specgen_spec_number(c), why);
    }
    return status;
}

// All limits of the specification for one shape: do those of the shipped layout fit?
static tpu_status spec_fits(const specgen_spec *spec, const tpu_params *params,
                            const int64_t shape[3], bool *fits, tpu_message *why) {
    limits_row rows[LIMITS_COUNT];
    limits_gemm(params, (uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2], rows);
    const cJSON *limit = NULL;
    int index = 0;
    *fits = true;
    cJSON_ArrayForEach(limit, specgen_spec_at(spec, "program_limits")) {
        int64_t over = 0;
        tpu_status status =
            specgen_property_over(spec, limit, params->t, params->maxdim, shape, &over, why);
        if (status != TPU_OK) {
            return status;
        }
        bool alternative = specgen_spec_bool(limit, "alternative");
        *fits = *fits && (over <= 0 || alternative);
        if (index >= LIMITS_COUNT || (int64_t)rows[index].over != (over > 0 ? over : 0) ||
            rows[index].alternative != alternative) {
            char place[SPECGEN_PATH];
            (void)snprintf(place, sizeof place, "program_limits[%d]", index);
            return specgen_spec_refuse(spec, why, place,
                                       "gives %lld over for %lldx%lldx%lld, the C code another "
                                       "number or meaning",
                                       (long long)over, (long long)shape[0], (long long)shape[1],
                                       (long long)shape[2]);
        }
        index++;
    }
    return TPU_OK;
}

static tpu_status try_shape(const specgen_spec *spec, const tpu_params *params,
                            const int64_t shape[3], tpu_message *why) {
    bool fits = false;
    bool taken = false;
    tpu_message inner = {{0}};
    tpu_status status = spec_fits(spec, params, shape, &fits, why);
    if (status == TPU_OK) {
        status = assembles(params, (uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2],
                           &taken, &inner);
    }
    if (status == TPU_OK && fits != taken) {
        char sentence[320];
        (void)snprintf(sentence, sizeof sentence,
                       "at T = %u, MAXDIM = %u the limits %s %lldx%lldx%lld and assembly %s it "
                       "%.160s",
                       (unsigned)params->t, (unsigned)params->maxdim, fits ? "take" : "refuse",
                       (long long)shape[0], (long long)shape[1], (long long)shape[2],
                       taken ? "takes" : "refuses", inner.text);
        return refuse(spec, "program_limits_predict_what_assembles", why, sentence);
    }
    return status;
}

// Extents at and around every limit, in all combinations that are multiples of T.
static tpu_status try_shapes(const specgen_spec *spec, uint32_t t, uint32_t maxdim,
                             tpu_message *why) {
    tpu_params params = params_default(t, maxdim);
    const int64_t ms[] = {t, 2 * t, maxdim / 2, TPU_MAXROWS + 1, maxdim};
    const int64_t ks[] = {t, maxdim / 2, maxdim};
    const int64_t ns[] = {t, maxdim, maxdim + t};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < 5 * 3 * 3; i++) {
        const int64_t shape[3] = {ms[i % 5], ks[i / 5 % 3], ns[i / 15]};
        status = try_shape(spec, &params, shape, why);
    }
    return status;
}

static tpu_status try_limits(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = try_shapes(spec, 4, 64, why);
    return status == TPU_OK ? try_shapes(spec, 8, 128, why) : status;
}

static tpu_status try_property(const specgen_spec *spec, const cJSON *item, tpu_message *why) {
    const cJSON *witness = specgen_spec_list(item, "witness");
    const cJSON *expect = specgen_spec_list(item, "expect");
    const char *kind = specgen_spec_text(witness, "kind");
    if (strcmp(kind, "loop_field") == 0) {
        return try_loop_field(spec, expect, why);
    }
    if (strcmp(kind, "legal_trip") == 0) {
        return try_legal_trip(spec, witness, expect, why);
    }
    if (strcmp(kind, "terms_of_shipped_mm") == 0) {
        return try_terms(spec, expect, why);
    }
    return strcmp(kind, "ceilings") == 0 ? try_ceilings(spec, witness, expect, why)
                                         : try_limits(spec, why);
}

// The accumulator contract: exactly the distance is taken, one less is refused.
static tpu_status try_distance(const specgen_spec *spec, tpu_message *why) {
    int64_t distance =
        specgen_spec_int(specgen_spec_at(spec, "contracts.accumulator_raw_distance"), "value");
    tpu_params params = params_default(4, 64);
    tpu_status status = TPU_OK;
    for (int64_t d = distance - 1; status == TPU_OK && d <= distance && d > 0; d++) {
        isa_program program = {0};
        check_finding finding = {0};
        status = programs_ar_distance(&params, (uint32_t)d, &program, why);
        bool taken = status == TPU_OK && check_program(&params, &program, &finding, NULL) == TPU_OK;
        isa_program_clear(&program);
        bool right = d == distance ? taken : finding.rule == TPU_RULE_RAW_DISTANCE;
        if (status == TPU_OK && !right) {
            return specgen_spec_refuse(spec, why, "contracts.accumulator_raw_distance.value",
                                       "is %lld, but the check %s a distance of %lld",
                                       (long long)distance, taken ? "takes" : "refuses",
                                       (long long)d);
        }
    }
    return status;
}

tpu_status specgen_drift_programs(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = try_distance(spec, why);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_properties")) {
        status = status == TPU_OK ? try_property(spec, item, why) : status;
    }
    return status;
}
