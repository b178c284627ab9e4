// SPDX-License-Identifier: Apache-2.0
//
// What a reader took must also go through what comes behind it: a program is checked, printed and
// read again, an image is built, a mutant is planted. Readers of files get them from memory.

#define _GNU_SOURCE // memfd_create

#include "tests/support/feed.h"

#include "csim/isa/assembly.h"
#include "csim/isa/check.h"
#include "csim/isa/disasm.h"
#include "csim/isa/image.h"
#include "harness/campaign/campaign_plan.h"
#include "harness/campaign/waiver.h"
#include "harness/fuzz/tape.h"
#include "harness/io/npy.h"
#include "harness/lockstep/lockstep.h"
#include "harness/lockstep/verdict.h"
#include "harness/mutants/mutant.h"
#include "harness/replay/reproducer.h"
#include "tests/support/resign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Yes without a doubt, or no with a sentence.
static bool judge(tpu_status status, const tpu_message *why) {
    if (status == TPU_OK) {
        return true;
    }
    if (status != TPU_REFUSED || strlen(why->text) < 8 || strchr(why->text, '\n') != NULL) {
        (void)fprintf(stderr, "status %d: \"%s\"\n", (int)status, why->text);
        abort();
    }
    return false;
}

void feed_stumble(const uint8_t *data, size_t size) {
    const tpu_message why = {""};
    (void)data;
    (void)size;
    (void)judge(TPU_REFUSED, &why);
}

static void must(bool holds, const char *sentence) {
    if (!holds) {
        (void)fprintf(stderr, "%s\n", sentence);
        abort();
    }
}

static char *copy_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    must(text != NULL, "out of memory");
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

// A file that is nowhere; the path is good until it is closed.
static int open_memory(const void *data, size_t size, char path[32]) {
    int file = memfd_create("feed", 0);
    must(file >= 0 && write(file, data, size) == (ssize_t)size, "no file in memory");
    (void)snprintf(path, 32, "/dev/fd/%d", file);
    return file;
}

// ---- programs ----------------------------------------------------------------------------------

// What `check` lets by must have an image and come back from it.
static void use_program(const isa_program *program) {
    const tpu_params params = params_default(4, 16);
    image words = {.words = NULL};
    isa_program again = {0};
    tpu_message why = {""};
    if (!judge(check_program(&params, program, NULL, &why), &why)) {
        return;
    }
    why.text[0] = '\0';
    if (judge(image_build(&params, program, true, &words, &why), &why)) {
        must(image_decode(words.words, words.count, &again, &why) == TPU_OK, why.text);
        must(again.count == program->count, "an instruction was lost in the image");
        isa_program_clear(&again);
    }
    image_clear(&words);
}

// Printed and read again it must be the same program.
static void print_program(const isa_program *program) {
    char line[DISASM_LINE_MAX];
    for (size_t pc = 0; pc < program->count; pc++) {
        isa_program again = {0};
        tpu_message why = {""};
        disasm_insn(&program->insn[pc], line, sizeof line);
        if (judge(assembly_parse(line, "line", &again, &why), &why)) {
            must(again.count == 1 && again.insn[0].op == program->insn[pc].op &&
                     again.insn[0].nr == program->insn[pc].nr &&
                     memcmp(again.insn[0].f, program->insn[pc].f, sizeof again.insn[0].f) == 0,
                 line);
        }
        isa_program_clear(&again);
    }
}

static bool give_assembly(const uint8_t *data, size_t size) {
    char *text = copy_text(data, size);
    isa_program program = {0};
    tpu_message why = {""};
    bool taken = judge(assembly_parse(text, "text", &program, &why), &why);
    if (taken) {
        print_program(&program);
        use_program(&program);
    }
    isa_program_clear(&program);
    free(text);
    return taken;
}

static bool give_image(const uint8_t *data, size_t size) {
    size_t count = size / 8;
    uint64_t *words = calloc(count + 1, sizeof *words);
    isa_program program = {0};
    tpu_message why = {""};
    must(words != NULL, "out of memory");
    memcpy(words, data, count * 8);
    bool taken = judge(image_decode(words, count, &program, &why), &why);
    if (taken) {
        print_program(&program);
        use_program(&program);
    }
    isa_program_clear(&program);
    free(words);
    return taken;
}

// ---- files -------------------------------------------------------------------------------------

static bool give_npy(const uint8_t *data, size_t size) {
    npy_matrix matrix = {0};
    tpu_message why = {""};
    bool taken = judge(npy_parse("matrix", data, size, &matrix, &why), &why);
    npy_clear(&matrix);
    return taken;
}

static bool read_reproducer(const char *text, size_t size) {
    char path[32];
    reproducer file = {.run = NULL};
    tpu_message why = {""};
    int from = open_memory(text, size, path);
    bool taken = judge(reproducer_read(path, &file, &why), &why);
    for (size_t i = 0; taken && i < file.run_count; i++) {
        const lockstep_job job = reproducer_job(&file.run[i]);
        must(job.word_count == 0 || job.words != NULL, "a run without words");
    }
    reproducer_clear(&file);
    (void)close(from);
    return taken;
}

// As it stands, and with a checksum that fits: most changes end at the checksum.
static bool give_reproducer(const uint8_t *data, size_t size) {
    char *text = copy_text(data, size);
    bool taken = read_reproducer(text, size);
    char *again = strlen(text) == size ? resign(text) : NULL;
    if (again != NULL) {
        taken = read_reproducer(again, strlen(again)) || taken;
    }
    free(again);
    free(text);
    return taken;
}

static bool give_mutant(const uint8_t *data, size_t size) {
    mutant file;
    char *planted = NULL;
    tpu_message why = {""};
    memset(&file, 0, sizeof file);
    bool taken =
        judge(mutant_parse("tests/mutants/fed.mutant", copy_text(data, size), &file, &why), &why);
    why.text[0] = '\0';
    if (taken && file.find != NULL &&
        judge(mutant_plant(&file, "one find two find\n", &planted, &why), &why)) {
        free(planted);
    }
    mutant_clear(&file);
    return taken;
}

static bool give_waiver(const uint8_t *data, size_t size) {
    char path[32];
    waiver_list list = {.item = NULL};
    tpu_message why = {""};
    int from = open_memory(data, size, path);
    bool taken = judge(waiver_read(path, &list, &why), &why);
    for (size_t i = 0; taken && i < list.count; i++) {
        (void)waiver_note(&list, list.item[i].signature, 1);
        (void)waiver_judge(&list.item[i], "2026-11-30", true, &why);
    }
    waiver_clear(&list);
    (void)close(from);
    return taken;
}

static void use_tape(const tape *from, const tpu_params *params) {
    isa_program program = {0};
    tpu_message why = {""};
    tape_program at;
    size_t record = 0;
    while (tape_next(from, &record, &at)) {
        // The things lie behind what they are like and two seeds.
        stress_part part[TAPE_RECORDS_MAX + 1];
        image words = {.words = NULL};
        const stress_parts parts = {.part = part, .count = at.count + 1};
        part[0] = at.like;
        memcpy(part + 1, at.things, at.count * sizeof part[0]);
        must(stress_program_parts(params, &parts, NULL, &program, &why) == TPU_OK, why.text);
        must(image_build(params, &program, true, &words, &why) == TPU_OK, why.text);
        image_clear(&words);
    }
    isa_program_clear(&program);
}

// As it stands; and as the records of a file whose head is right, which must come back and be
// legal programs whatever they hold.
static bool give_tape(const uint8_t *data, size_t size) {
    static tape read;
    static tape again;
    uint8_t bytes[TAPE_BYTES_MAX];
    const tpu_params params = params_default(4, 16);
    tpu_message why = {""};
    bool taken = judge(tape_decode(data, size, &params, &read, &why), &why);
    if (!taken) {
        size_t count = size / sizeof read.record[0];
        count = count < TAPE_RECORDS_MAX ? count : TAPE_RECORDS_MAX;
        memset(&read, 0, sizeof read);
        read.count = count > 0 ? count : 1;
        memcpy(read.record, data, count * sizeof read.record[0]);
    }
    size_t written = tape_encode(&read, &params, bytes);
    must(tape_decode(bytes, written, &params, &again, &why) == TPU_OK, why.text);
    must(tape_digest(&again) == tape_digest(&read), "a tape does not come back");
    use_tape(&read, &params);
    return taken;
}

static bool give_points(const uint8_t *data, size_t size) {
    static campaign_plan plan;
    char path[32];
    tpu_message why = {""};
    memset(&plan, 0, sizeof plan);
    int from = open_memory(data, size, path);
    bool taken = judge(campaign_plan_read_points(path, &plan, &why), &why);
    (void)close(from);
    return taken;
}

static bool give_signature(const uint8_t *data, size_t size) {
    char *text = copy_text(data, size);
    char again[256];
    verdict_signature signature;
    verdict_signature back;
    tpu_message why = {""};
    bool taken = judge(verdict_signature_parse(text, &signature, &why), &why);
    if (taken) {
        verdict_signature_format(&signature, again, sizeof again);
        must(verdict_signature_parse(again, &back, &why) == TPU_OK &&
                 verdict_signature_equal(&signature, &back),
             again);
    }
    free(text);
    return taken;
}

const feed_reader feed_readers[] = {{"assembly", give_assembly},
                                    {"image", give_image},
                                    {"npy", give_npy},
                                    {"reproducer", give_reproducer},
                                    {"mutant", give_mutant},
                                    {"waiver", give_waiver},
                                    {"signature", give_signature},
                                    {"tape", give_tape},
                                    {"points", give_points},
                                    {NULL, NULL}};

const feed_reader *feed_find(const char *name) {
    for (const feed_reader *reader = feed_readers; reader->name != NULL; reader++) {
        if (strcmp(reader->name, name) == 0) {
            return reader;
        }
    }
    return NULL;
}
