// SPDX-License-Identifier: Apache-2.0
//
// GitHub reads "::error key=value,...::text" on a job's output. In the text a percent sign and line
// ends are escaped, in a value also the colon and the comma.

#include "harness/show/annotate.h"

#include "harness/io/textbuf.h"
#include "harness/show/rtl_place.h"
#include "spec/generated/tpu_isa.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>

static void add_escaped(textbuf *to, const char *text, const char *special) {
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL) {
            textbuf_add(to, "%%%02X", (unsigned)(unsigned char)*text);
        } else {
            textbuf_add(to, "%c", *text);
        }
    }
}

static void add_property(textbuf *to, const char *key, const char *value, bool *any) {
    textbuf_add(to, "%s%s=", *any ? "," : " ", key);
    add_escaped(to, value, "%\r\n:,");
    *any = true;
}

tpu_status annotate_error(const annotate_place *place, const char *sentence, char **out,
                          tpu_message *why) {
    textbuf text = {.text = NULL};
    bool any = false;
    textbuf_add(&text, "::error");
    if (place->file != NULL) {
        add_property(&text, "file", place->file, &any);
    }
    if (place->file != NULL && place->line > 0) {
        textbuf_add(&text, ",line=%u", place->line);
    }
    if (place->title != NULL) {
        add_property(&text, "title", place->title, &any);
    }
    textbuf_add(&text, "::");
    add_escaped(&text, sentence, "%\r\n");
    textbuf_add(&text, "\n");
    return textbuf_take(&text, out, why);
}

static const char *string_of(const cJSON *from, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(from, key));
}

static int unit_of(const char *name) {
    for (int unit = 0; name != NULL && unit < TPU_UNIT_COUNT; unit++) {
        if (strcmp(name, tpu_unit_names[unit]) == 0) {
            return unit;
        }
    }
    return -1;
}

static int stream_of(const char *name) {
    for (int s = 0; name != NULL && s < TPU_STREAM_COUNT; s++) {
        if (strcmp(name, tpu_streams[s].name) == 0) {
            return s;
        }
    }
    return -1;
}

static int field_of(int stream, const char *name) {
    for (size_t f = 0; stream >= 0 && name != NULL && f < tpu_streams[stream].field_count; f++) {
        if (strcmp(name, tpu_streams[stream].fields[f].name) == 0) {
            return (int)f;
        }
    }
    return -1;
}

// A reproducer holds a program, but its lines are not the program's.
static bool is_program(const char *source) {
    const char *end = source != NULL ? strrchr(source, '.') : NULL;
    return end != NULL && strcmp(end, ".json") != 0;
}

// The program's line where the program is a file, else the RTL of the unit.
static annotate_place place_of(const cJSON *report, rtl_place *rtl) {
    annotate_place out = {.title = string_of(report, "name")};
    const cJSON *issue = cJSON_GetObjectItemCaseSensitive(report, "issue");
    const cJSON *line = cJSON_GetObjectItemCaseSensitive(issue, "line");
    const char *source = string_of(report, "source");
    int unit = unit_of(string_of(report, "unit"));
    if (is_program(source) && cJSON_IsNumber(line) && line->valuedouble >= 1) {
        out.file = source;
        out.line = (unsigned)line->valuedouble;
    } else if (unit >= 0) {
        int stream = stream_of(string_of(report, "stream"));
        rtl_place_find(unit, stream, field_of(stream, string_of(report, "field")), rtl);
        out.file = rtl->file;
        out.line = rtl->line;
    }
    return out;
}

static void say_sentence(textbuf *to, const cJSON *report) {
    const char *unit = string_of(report, "unit");
    textbuf_add(to, "%s: %s", string_of(report, "verdict"), string_of(report, "sentence"));
    if (unit != NULL) {
        textbuf_add(to, "; to blame: %s", unit);
    }
    const cJSON *notes = cJSON_GetObjectItemCaseSensitive(report, "suggests");
    const char *first = cJSON_GetStringValue(cJSON_GetArrayItem(notes, 0));
    if (first != NULL) {
        textbuf_add(to, "; suggests: %s", first);
    }
}

// A cell of a table of Markdown.
static void add_row(textbuf *to, const char *key, const char *value) {
    if (value == NULL || value[0] == '\0') {
        return;
    }
    textbuf_add(to, "| %s | ", key);
    for (; *value != '\0'; value++) {
        textbuf_add(to, *value == '|' ? "\\|" : *value == '\n' ? " " : "%c", *value);
    }
    textbuf_add(to, " |\n");
}

static void say_summary(textbuf *to, const cJSON *report, const char *directory) {
    const cJSON *issue = cJSON_GetObjectItemCaseSensitive(report, "issue");
    const cJSON *notes = cJSON_GetObjectItemCaseSensitive(report, "suggests");
    const char *name = string_of(report, "name");
    textbuf_add(to, "### %s: %s\n\n", string_of(report, "verdict"), name != NULL ? name : "a run");
    textbuf_add(to, "| | |\n|---|---|\n");
    add_row(to, "what", string_of(report, "sentence"));
    add_row(to, "cycle", string_of(report, "cycle"));
    add_row(to, "unit", string_of(report, "unit"));
    add_row(to, "instruction", string_of(issue, "text"));
    for (int i = 0; i < cJSON_GetArraySize(notes); i++) {
        add_row(to, "suggests", cJSON_GetStringValue(cJSON_GetArrayItem(notes, i)));
    }
    add_row(to, "signature", string_of(report, "signature"));
    add_row(to, "again", string_of(report, "again"));
    add_row(to, "files", directory);
    textbuf_add(to, "\n");
}

static tpu_status write_both(const cJSON *report, const char *directory, char **line,
                             char **summary, tpu_message *why) {
    rtl_place rtl;
    char *sentence = NULL;
    textbuf text = {.text = NULL};
    const annotate_place place = place_of(report, &rtl);
    say_sentence(&text, report);
    tpu_status status = textbuf_take(&text, &sentence, why);
    if (status == TPU_OK) {
        status = annotate_error(&place, sentence, line, why);
    }
    free(sentence);
    if (status != TPU_OK) {
        return status;
    }
    textbuf page = {.text = NULL};
    say_summary(&page, report, directory);
    status = textbuf_take(&page, summary, why);
    if (status != TPU_OK) {
        free(*line);
        *line = NULL;
    }
    return status;
}

tpu_status annotate_report(const char *report, const char *directory, char **line, char **summary,
                           tpu_message *why) {
    cJSON *root = cJSON_Parse(report);
    tpu_status status =
        string_of(root, "verdict") != NULL && string_of(root, "sentence") != NULL
            ? write_both(root, directory, line, summary, why)
            : status_fail(why, TPU_REFUSED, "annotation: this is no report of tpucosim");
    cJSON_Delete(root);
    return status;
}
