// SPDX-License-Identifier: Apache-2.0
//
// Tests run with the root of the tree as their working directory, so the real specification is at
// its usual path.

#include "tests/support/spec_edit.h"

#include "base/status.h"
#include "tests/support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const real_spec = "spec/isa_spec.json";

char *spec_edit_read(const char *file, size_t *size) {
    FILE *stream = fopen(file, "rb");
    TPU_CHECK(stream != NULL, "the test's file can be read; tests run at the root of the tree");
    TPU_CHECK(fseek(stream, 0, SEEK_END) == 0, "the test's file has an end");
    long end = ftell(stream);
    TPU_CHECK(end >= 0, "the test's file has a size");
    rewind(stream);
    char *text = calloc(1, (size_t)end + 1);
    TPU_CHECK(text != NULL, "memory for the test's file");
    *size = fread(text, 1, (size_t)end, stream);
    (void)fclose(stream);
    return text;
}

void spec_edit_text(spec_edit *self, const char *text, size_t size) {
    FILE *stream = fopen(self->file, "wb");
    TPU_CHECK(stream != NULL, "the copy can be written");
    TPU_CHECK(fwrite(text, 1, size, stream) == size, "the copy can be written");
    (void)fclose(stream);
}

void spec_edit_open(spec_edit *self) {
    size_t size = 0;
    memset(self, 0, sizeof *self);
    scratch_make(self->directory, sizeof self->directory - 16);
    (void)snprintf(self->file, sizeof self->file, "%.490s/spec.json", self->directory);
    char *text = spec_edit_read(real_spec, &size);
    spec_edit_text(self, text, size);
    free(text);
}

void spec_edit_replace(spec_edit *self, const char *from, const char *to) {
    size_t size = 0;
    char *text = spec_edit_read(self->file, &size);
    char *at = strstr(text, from);
    TPU_CHECK(at != NULL, "the text to edit is in the specification");
    TPU_CHECK(strstr(at + 1, from) == NULL, "the text to edit is there once");
    size_t new_size = size - strlen(from) + strlen(to);
    char *edited = calloc(1, new_size + 1);
    TPU_CHECK(edited != NULL, "memory for the edited text");
    size_t before = (size_t)(at - text);
    memcpy(edited, text, before);
    memcpy(edited + before, to, strlen(to));
    memcpy(edited + before + strlen(to), at + strlen(from), size - before - strlen(from));
    spec_edit_text(self, edited, new_size);
    free(edited);
    free(text);
}

static void take(FILE *stream, char said[SPEC_EDIT_SAID]) {
    rewind(stream);
    size_t size = fread(said, 1, SPEC_EDIT_SAID - 1, stream);
    said[size] = '\0';
    (void)fclose(stream);
}

int spec_edit_run(spec_edit *self, const char *mode, specgen_run_behaviour behaviour) {
    char arguments[6][SPEC_EDIT_PATH] = {"specgen", "", "--spec", "", "--out", ""};
    char *argv[6];
    (void)snprintf(arguments[1], SPEC_EDIT_PATH, "%s", mode);
    (void)snprintf(arguments[3], SPEC_EDIT_PATH, "%s", self->file);
    (void)snprintf(arguments[5], SPEC_EDIT_PATH, "%s", self->directory);
    for (size_t i = 0; i < 6; i++) {
        argv[i] = arguments[i];
    }
    FILE *out = tmpfile();
    FILE *err = tmpfile();
    TPU_CHECK(out != NULL && err != NULL, "temporary files can be made");
    int code = specgen_run(6, argv, behaviour, out, err);
    take(out, self->said_well);
    take(err, self->said);
    return code;
}

void spec_edit_close(spec_edit *self) {
    scratch_remove(self->directory);
}
