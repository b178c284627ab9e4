// SPDX-License-Identifier: Apache-2.0
//
// The tables: each unit's cycles by state with the causes below it, then the critical path by
// cause, then the array's use against a row a cycle.

#include "harness/show/cycles_report.h"

#include "harness/io/jsonnum.h"
#include "harness/io/textbuf.h"

#include <cjson/cJSON.h>

#include <stdlib.h>

typedef unsigned long long ull;

static double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

// ---- screen ----------------------------------------------------------------------------------

static void put_causes(textbuf *to, const char *what, const uint64_t counts[CYCLES_WAITS],
                       uint64_t total) {
    bool first = true;
    for (unsigned wait = 0; wait < CYCLES_WAITS; wait++) {
        if (counts[wait] > 0) {
            textbuf_add(to, "%s%s %llu (%.1f %%)", first ? what : ", ", cycles_wait_name(wait),
                        (ull)counts[wait], percent(counts[wait], total));
            first = false;
        }
    }
    if (!first) {
        textbuf_newline(to);
    }
}

static void put_units(textbuf *to, const cycles *account) {
    textbuf_add(to, "%-12s %9s %9s %9s %9s %9s\n", "unit", "busy", "starved", "blocked", "idle",
                "sum");
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        const cycles_split *of = &account->unit[u];
        uint64_t starved = cycles_sum(of->starved);
        uint64_t blocked = cycles_sum(of->blocked);
        textbuf_add(to, "%-12s %9llu %9llu %9llu %9llu %9llu\n", tpu_unit_names[u], (ull)of->busy,
                    (ull)starved, (ull)blocked, (ull)of->idle,
                    (ull)(of->busy + starved + blocked + of->idle));
        put_causes(to, "  starved on ", of->starved, account->total);
        put_causes(to, "  blocked by ", of->blocked, account->total);
    }
}

// One sum of the critical path, for sorting.
typedef struct share {
    tpu_unit unit;
    probe_unit cause;
    uint64_t cycles;
} share;

static int by_cycles(const void *left, const void *right) {
    const share *a = left;
    const share *b = right;
    if (a->cycles != b->cycles) {
        return a->cycles > b->cycles ? -1 : 1;
    }
    return (int)a->unit - (int)b->unit;
}

#define SHARES_MAX (TPU_UNIT_COUNT * (2 + 2 * (int)CYCLES_WAITS))

static void add_share(share *list, size_t *count, tpu_unit unit, probe_unit cause, uint64_t spent) {
    if (spent > 0) {
        list[(*count)++] = (share){unit, cause, spent};
    }
}

static size_t collect_shares(const cycles *account, share list[SHARES_MAX]) {
    size_t count = 0;
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        const cycles_split *of = &account->path[u];
        tpu_unit unit = (tpu_unit)u;
        add_share(list, &count, unit, (probe_unit){PROBE_BUSY, 0}, of->busy);
        add_share(list, &count, unit, (probe_unit){PROBE_IDLE, 0}, of->idle);
        for (uint8_t wait = 0; wait < CYCLES_WAITS; wait++) {
            add_share(list, &count, unit, (probe_unit){PROBE_STARVED, wait}, of->starved[wait]);
            add_share(list, &count, unit, (probe_unit){PROBE_BLOCKED, wait}, of->blocked[wait]);
        }
    }
    qsort(list, count, sizeof *list, by_cycles);
    return count;
}

static void put_cause(textbuf *to, tpu_unit unit, probe_unit cause) {
    textbuf_add(to, "%-12s %s", tpu_unit_names[unit], cycles_state_name(cause.state));
    if (cause.state == PROBE_STARVED) {
        textbuf_add(to, " on %s", cycles_wait_name(cause.wait));
    } else if (cause.state == PROBE_BLOCKED) {
        textbuf_add(to, " by %s", cycles_wait_name(cause.wait));
    }
}

static void put_path(textbuf *to, const cycles *account, bool list_path) {
    share list[SHARES_MAX];
    size_t count = collect_shares(account, list);
    textbuf_add(to, "\ncritical path: who decided each of the %llu cycles\n", (ull)account->total);
    for (size_t i = 0; i < count; i++) {
        textbuf_add(to, "  %9llu %5.1f %%  ", (ull)list[i].cycles,
                    percent(list[i].cycles, account->total));
        put_cause(to, list[i].unit, list[i].cause);
        textbuf_newline(to);
    }
    if (!list_path) {
        return;
    }
    textbuf_add(to, "\nstep by step, first and last cycle\n");
    for (size_t i = 0; i < account->step_count; i++) {
        const cycles_step *step = &account->step[i];
        textbuf_add(to, "  %9llu %9llu  ", (ull)step->first, (ull)step->last);
        put_cause(to, step->unit, step->cause);
        textbuf_newline(to);
    }
}

static void put_use(textbuf *to, const cycles *account, const cycles_report_context *context) {
    textbuf_add(to, "\n%llu rows through the array in %llu cycles: %.1f %% of a row a cycle\n",
                (ull)account->mm_rows, (ull)account->total,
                percent(account->mm_rows, account->total));
    if (context->ideal > 0) {
        textbuf_add(to,
                    "the program's own order of reads and writes needs %llu cycles at least: "
                    "%.1f %%\n",
                    (ull)context->ideal, percent(context->ideal, account->total));
    }
}

tpu_status cycles_report_screen(const cycles *account, const cycles_report_context *context,
                                char **out, tpu_message *why) {
    textbuf to = {.text = NULL};
    textbuf_add(&to, "%s: %s, cycles %llu to %llu%s\n\n",
                context->name != NULL ? context->name : "run",
                verdict_kind_name(context->seen->kind), (ull)account->window.first,
                (ull)account->window.last, account->whole ? " (all)" : "");
    put_units(&to, account);
    put_path(&to, account, context->list_path);
    put_use(&to, account, context);
    if (context->directory != NULL) {
        textbuf_add(&to,
                    "\n%s/timeline.json opens in ui.perfetto.dev or chrome://tracing,\n"
                    "%s/timeline.kanata in Konata\n",
                    context->directory, context->directory);
    }
    return textbuf_take(&to, out, why);
}

// ---- JSON ------------------------------------------------------------------------------------

static void add_causes(cJSON *to, const char *key, const uint64_t counts[CYCLES_WAITS]) {
    cJSON *out = cJSON_AddObjectToObject(to, key);
    for (unsigned wait = 0; wait < CYCLES_WAITS; wait++) {
        if (counts[wait] > 0) {
            jsonnum_add(out, cycles_wait_name(wait), counts[wait]);
        }
    }
}

static void add_split(cJSON *to, const char *key, const cycles_split *of) {
    cJSON *out = cJSON_AddObjectToObject(to, key);
    jsonnum_add(out, "busy", of->busy);
    jsonnum_add(out, "idle", of->idle);
    add_causes(out, "starved", of->starved);
    add_causes(out, "blocked", of->blocked);
}

static void add_steps(cJSON *to, const cycles *account) {
    cJSON *list = cJSON_AddArrayToObject(to, "steps");
    for (size_t i = 0; i < account->step_count; i++) {
        const cycles_step *step = &account->step[i];
        bool waits = step->cause.state == PROBE_STARVED || step->cause.state == PROBE_BLOCKED;
        cJSON *out = cJSON_CreateObject();
        jsonnum_add(out, "first", step->first);
        jsonnum_add(out, "last", step->last);
        (void)cJSON_AddStringToObject(out, "unit", tpu_unit_names[step->unit]);
        (void)cJSON_AddStringToObject(out, "state", cycles_state_name(step->cause.state));
        if (waits) {
            (void)cJSON_AddStringToObject(out, "cause", cycles_wait_name(step->cause.wait));
        }
        (void)cJSON_AddItemToArray(list, out);
    }
}

tpu_status cycles_report_json(const cycles *account, const cycles_report_context *context,
                              char **out, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(root, "kind", "timeline");
    (void)cJSON_AddStringToObject(root, "name", context->name != NULL ? context->name : "");
    (void)cJSON_AddStringToObject(root, "verdict", verdict_kind_name(context->seen->kind));
    jsonnum_add(root, "first", account->window.first);
    jsonnum_add(root, "last", account->window.last);
    jsonnum_add(root, "total", account->total);
    (void)cJSON_AddBoolToObject(root, "whole", account->whole);
    cJSON *units = cJSON_AddObjectToObject(root, "units");
    cJSON *path = cJSON_AddObjectToObject(root, "path");
    for (int u = 0; u < TPU_UNIT_COUNT; u++) {
        add_split(units, tpu_unit_names[u], &account->unit[u]);
        add_split(path, tpu_unit_names[u], &account->path[u]);
    }
    add_steps(root, account);
    jsonnum_add(root, "mm_rows", account->mm_rows);
    jsonnum_add(root, "mm_count", account->mm_count);
    if (context->ideal > 0) {
        jsonnum_add(root, "ideal", context->ideal);
    }
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    textbuf to = {.text = NULL};
    if (text == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "timeline: out of memory");
    }
    textbuf_add(&to, "%s\n", text);
    free(text);
    return textbuf_take(&to, out, why);
}
