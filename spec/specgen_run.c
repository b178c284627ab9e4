// SPDX-License-Identifier: Apache-2.0
//
// Command line, order of the steps, exit codes.

#include "spec/specgen_run.h"

#include "spec/specgen_output.h"
#include "spec/specgen_property.h"
#include "spec/specgen_resolve.h"
#include "spec/specgen_rtl.h"
#include "spec/specgen_schema.h"
#include "spec/specgen_valid.h"

#include <string.h>

enum { EXIT_DONE = 0, EXIT_DIFFERS = 1, EXIT_REFUSED = 2, EXIT_BROKEN = 3 };

typedef struct options {
    bool write;
    bool check;
    bool help;
    const char *spec;
    const char *out;
    const char *root;
} options;

static const char *const usage =
    "specgen --write | --check [--spec FILE] [--out DIR] [--root DIR]\n"
    "  --write      validates the specification and writes the generated files, all or none\n"
    "  --check      validates it and compares: derived properties, C code, RTL, generated files\n"
    "  --spec FILE  default spec/isa_spec.json\n"
    "  --out DIR    where the generated files are, default spec/generated\n"
    "  --root DIR   where rtl/ is, default .\n";

static bool take_value(int argc, char *const argv[], int *index, const char *name,
                       const char **value) {
    if (strcmp(argv[*index], name) != 0 || *index + 1 >= argc) {
        return false;
    }
    *value = argv[++*index];
    return true;
}

static tpu_status parse(int argc, char *const argv[], options *o, tpu_message *why) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--write") == 0) {
            o->write = true;
        } else if (strcmp(argv[i], "--check") == 0) {
            o->check = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            o->help = true;
        } else if (!take_value(argc, argv, &i, "--spec", &o->spec) &&
                   !take_value(argc, argv, &i, "--out", &o->out) &&
                   !take_value(argc, argv, &i, "--root", &o->root)) {
            return status_fail(why, TPU_REFUSED,
                               "%s: unknown option, or its value is missing; see specgen --help",
                               argv[i]);
        }
    }
    if (!o->help && o->write == o->check) {
        return status_fail(why, TPU_REFUSED, "give either --write or --check; see specgen --help");
    }
    return TPU_OK;
}

// Everything that can be said of the file alone; afterwards `output` holds what it gives.
static tpu_status prepare(const char *file, specgen_spec *spec, specgen_output *output,
                          tpu_message *why) {
    static tpu_status (*const steps[])(const specgen_spec *, tpu_message *) = {
        specgen_valid_check, specgen_property_check};
    tpu_status status = specgen_spec_load(file, spec, why);
    if (status == TPU_OK) {
        status = specgen_schema_check(spec, why);
    }
    if (status == TPU_OK) {
        status = specgen_resolve(spec, why);
    }
    for (size_t i = 0; status == TPU_OK && i < sizeof steps / sizeof steps[0]; i++) {
        status = steps[i](spec, why);
    }
    return status == TPU_OK ? specgen_output_build(spec, output, why) : status;
}

static int exit_of(tpu_status status, int refused) {
    return status == TPU_OK ? EXIT_DONE : status == TPU_REFUSED ? refused : EXIT_BROKEN;
}

// Says each kind of difference once; the worst exit code wins.
static int compare(const specgen_spec *spec, const specgen_output *output, const options *o,
                   specgen_run_behaviour behaviour, FILE *out, FILE *err) {
    tpu_message why[3] = {{{0}}, {{0}}, {{0}}};
    size_t files = 0;
    tpu_status status[3] = {TPU_OK, TPU_OK, TPU_OK};
    if (behaviour != NULL) {
        status[0] = behaviour(spec, &why[0]);
    }
    status[1] = specgen_rtl_check(o->root, specgen_output_package(output), &files, &why[1]);
    status[2] = specgen_output_compare(output, o->out, &why[2]);
    int worst = EXIT_DONE;
    for (size_t i = 0; i < 3; i++) {
        int code = exit_of(status[i], EXIT_DIFFERS);
        if (code != EXIT_DONE) {
            (void)fprintf(err, "specgen: %s\n", why[i].text);
        }
        worst = code > worst ? code : worst;
    }
    if (worst == EXIT_DONE) {
        (void)fprintf(out,
                      "specgen: %s holds: %zu opcodes, %zu units, %zu streams, %zu derived "
                      "properties, %d generated files, %zu RTL files, C code %s\n",
                      o->spec, spec->opcode_count, spec->unit_count,
                      specgen_spec_count(spec, "streams"),
                      specgen_spec_count(spec, "derived_properties"), SPECGEN_OUTPUTS, files,
                      behaviour == NULL ? "not looked at" : "agrees");
    }
    return worst;
}

static int write_all(const specgen_output *output, const options *o, FILE *out, FILE *err) {
    tpu_message why = {{0}};
    tpu_status status = specgen_output_write(output, o->out, &why);
    if (status != TPU_OK) {
        (void)fprintf(err, "specgen: %s\n", why.text);
        return EXIT_BROKEN;
    }
    (void)fprintf(out, "specgen: wrote %d files to %s\n", SPECGEN_OUTPUTS, o->out);
    return EXIT_DONE;
}

static int work(const options *o, specgen_run_behaviour behaviour, FILE *out, FILE *err) {
    tpu_message why = {{0}};
    specgen_spec spec = {0};
    specgen_output output = {0};
    tpu_status status = prepare(o->spec, &spec, &output, &why);
    int code = exit_of(status, EXIT_REFUSED);
    if (status != TPU_OK) {
        (void)fprintf(err, "specgen: %s\n", why.text);
    } else if (o->write) {
        code = write_all(&output, o, out, err);
    } else {
        code = compare(&spec, &output, o, behaviour, out, err);
    }
    specgen_output_clear(&output);
    specgen_spec_clear(&spec);
    return code;
}

int specgen_run(int argc, char *const argv[], specgen_run_behaviour behaviour, FILE *out,
                FILE *err) {
    options o = {.spec = "spec/isa_spec.json", .out = "spec/generated", .root = "."};
    tpu_message why = {{0}};
    if (parse(argc, argv, &o, &why) != TPU_OK) {
        (void)fprintf(err, "specgen: %s\n", why.text);
        return EXIT_REFUSED;
    }
    if (o.help) {
        (void)fprintf(out, "%s", usage);
        return EXIT_DONE;
    }
    return work(&o, behaviour, out, err);
}
