// SPDX-License-Identifier: Apache-2.0
//
// The table, the survivors and the JSON of `mutants --netlist`.

#include "harness/cli/cli_netmutants.h"
#include "harness/io/jsonnum.h"
#include "harness/mutants/netmutant_totals.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is said once the results are in.
typedef struct table {
    const netmutants_request *asked;
    netmutant_tree tree;
    netmutant_totals way[LOCKSTEP_WATCH_COUNT];
    netmutant_sorted sorted; // survivors of the first way
    size_t *used;            // survivors that each rule explains
    bool every;              // the first way watches every event, so that survivors mean something
} table;

// Of the faults alone, without the good machine.
static const netmutant_result *results_of(const netmutants_request *asked, size_t way) {
    return asked->result[way] + 1;
}

static const netmutant *fault_of(const netmutants_request *asked, size_t at) {
    return &asked->faulty.item[asked->number[at + 1] - 1];
}

static double percent(size_t part, size_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : 100.0;
}

// Of the good machine, in lockstep alone.
static double speed_of(const netmutant_result *good) {
    return good->run_seconds > 0 ? (double)good->steps / good->run_seconds : 0;
}

// ---- adding up ---------------------------------------------------------------------------------

static const netmutant_rule *explain(table *self, size_t at) {
    return netmutant_rules_find(&self->asked->rules, &self->tree, fault_of(self->asked, at));
}

static void sort_survivors(table *self) {
    const netmutants_request *asked = self->asked;
    for (size_t i = 0; i + 1 < asked->numbers; i++) {
        if (results_of(asked, 0)[i].fate != NETMUTANT_SURVIVED) {
            continue;
        }
        const netmutant_rule *rule = explain(self, i);
        if (rule == NULL) {
            self->sorted.unexplained++;
        } else {
            self->sorted.explained[rule->class]++;
            self->used[rule - asked->rules.rule]++;
        }
    }
}

static tpu_status add_up(table *self, tpu_message *why) {
    const netmutants_request *asked = self->asked;
    tpu_status status = TPU_OK;
    self->used = calloc(asked->rules.count + 1, sizeof *self->used);
    if (self->used == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
    }
    for (size_t i = 0; i < asked->ways && status == TPU_OK; i++) {
        status = netmutant_totals_of(results_of(asked, i), results_of(asked, 0), asked->numbers - 1,
                                     &self->way[i], why);
    }
    self->every = asked->way[0] == LOCKSTEP_WATCH_EVERY;
    sort_survivors(self);
    return status;
}

// ---- text --------------------------------------------------------------------------------------

// Faults that legal programs show or should.
static size_t legal_of(const table *self) {
    return netmutant_totals_reachable(self->way[0].all, &self->sorted) - self->way[0].refused;
}

static void put_ways(const table *self) {
    const netmutants_request *asked = self->asked;
    size_t reachable = legal_of(self);
    (void)printf("%-6s %7s %6s %9s  %15s  %19s  %19s  %9s\n", "watch", "caught", "%", "reachable",
                 "programs 50/95%", "cycles 50/95%", "behind it 50/95%", "cycles/s");
    for (size_t i = 0; i < asked->ways; i++) {
        const netmutant_totals *of = &self->way[i];
        (void)printf("%-6s %7zu %5.1f%% ", lockstep_watch_name(asked->way[i]), of->caught,
                     percent(of->caught, of->all));
        if (self->every) {
            (void)printf("%8.1f%%", percent(of->caught, reachable));
        } else {
            (void)printf("%9s", "-");
        }
        (void)printf("  %7" PRIu64 " %7" PRIu64 "  %9" PRIu64 " %9" PRIu64, of->programs[0],
                     of->programs[1], of->cycles[0], of->cycles[1]);
        if (self->every) {
            (void)printf("  %9" PRIu64 " %9" PRIu64, of->behind[0], of->behind[1]);
        } else {
            (void)printf("  %19s", "-");
        }
        (void)printf("  %9.0f\n", speed_of(&asked->result[i][0]));
    }
}

static void put_streams(const table *self) {
    const netmutant_totals *of = &self->way[0];
    (void)printf("\nfirst seen in");
    for (size_t s = 0; s < TPU_STREAM_COUNT; s++) {
        if (of->streams[s] > 0) {
            (void)printf(" %s %zu,", tpu_streams[s].name, of->streams[s]);
        }
    }
    (void)printf(" elsewhere (final contents, fault, hang) %zu\n", of->elsewhere);
    (void)printf("seconds of one processor until caught: median %.3f, 95th percentile %.3f\n",
                 of->seconds[0], of->seconds[1]);
}

static void put_fault(table *self, size_t at, const netmutant_rule *rule) {
    const netmutants_request *asked = self->asked;
    const netmutant *of = fault_of(asked, at);
    const char *text = "";
    const netmutant_source *line = netmutant_tree_line(&self->tree, of, &text);
    (void)printf("  %5" PRIu32 " %-6s %s.%s[%" PRIu32 "]", of->number, of->kind, of->cell, of->port,
                 of->bit);
    if (line != NULL) {
        (void)printf("\n        %s:%" PRIu32 ": %s", line->file, line->line,
                     text + strspn(text, " "));
    }
    if (rule != NULL) {
        (void)printf("\n        %s: %s", netmutant_class_name(rule->class), rule->name);
    }
    (void)printf("\n");
}

static void put_survivors(table *self) {
    const netmutants_request *asked = self->asked;
    for (size_t i = 0; i + 1 < asked->numbers; i++) {
        if (results_of(asked, 0)[i].fate != NETMUTANT_SURVIVED) {
            continue;
        }
        const netmutant_rule *rule = explain(self, i);
        if (rule == NULL || asked->list) {
            put_fault(self, i, rule);
        }
    }
}

static void put_fates(table *self) {
    static const char *const names[] = {"waiting", "caught", "illegal", "survived", "failed"};
    const netmutants_request *asked = self->asked;
    for (size_t i = 0; i + 1 < asked->numbers && asked->list; i++) {
        const netmutant_result *of = &results_of(asked, 0)[i];
        char seen[192] = "";
        if (of->fate == NETMUTANT_CAUGHT) {
            verdict_signature_format(&of->signature, seen, sizeof seen);
        }
        (void)printf("%5" PRIu32 " %-8s %6" PRIu64 " programs %9" PRIu64 " cycles  %s  %s\n",
                     fault_of(asked, i)->number, names[of->fate], of->programs, of->cycles, seen,
                     of->sentence);
    }
}

static void put_rules(const table *self) {
    const netmutants_request *asked = self->asked;
    for (size_t i = 0; i < asked->rules.count; i++) {
        const netmutant_rule *rule = &asked->rules.rule[i];
        if (self->used[i] > 0) {
            (void)printf("  %4zu %-11s %s: %s%s%s\n", self->used[i],
                         netmutant_class_name(rule->class), rule->name, rule->why,
                         rule->test != NULL ? "; see " : "", rule->test != NULL ? rule->test : "");
        }
    }
}

static void put_text(table *self) {
    const netmutants_request *asked = self->asked;
    const netmutant_totals *of = &self->way[0];
    const netmutant_sorted *sorted = &self->sorted;
    size_t survived = of->all - of->caught - of->refused - of->failed;
    put_fates(self);
    (void)printf("%zu planted faults (seed %" PRIu64 "), up to %" PRIu64
                 " programs each, in %zu machine(s)\n\n",
                 of->all, asked->seed, asked->run.fuzz.programs, asked->run.model_count);
    put_ways(self);
    put_streams(self);
    if (!self->every) {
        return;
    }
    (void)printf("illegal programs show %zu more; %zu survive: %zu equivalent, %zu unreachable, "
                 "%zu for another test, %zu for illegal programs, %zu known holes, %zu "
                 "unexplained; %zu failed\n",
                 of->refused, survived, sorted->explained[NETMUTANT_EQUIVALENT],
                 sorted->explained[NETMUTANT_UNREACHABLE], sorted->explained[NETMUTANT_ELSEWHERE],
                 sorted->explained[NETMUTANT_ILLEGAL], sorted->explained[NETMUTANT_UNTESTED],
                 sorted->unexplained, of->failed);
    put_rules(self);
    put_survivors(self);
    size_t illegal = of->refused + sorted->explained[NETMUTANT_ILLEGAL];
    (void)printf("of %zu faults that legal programs can show, %zu are caught: %.1f %%; of %zu that "
                 "only illegal ones can, %zu: %.1f %%\n",
                 legal_of(self), of->caught, percent(of->caught, legal_of(self)), illegal,
                 of->refused, percent(of->refused, illegal));
}

// ---- JSON --------------------------------------------------------------------------------------

static void add_way(cJSON *to, const table *self, size_t way) {
    const netmutant_totals *of = &self->way[way];
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddItemToArray(to, out);
    (void)cJSON_AddStringToObject(out, "watch", lockstep_watch_name(self->asked->way[way]));
    (void)cJSON_AddNumberToObject(out, "caught", (double)of->caught);
    (void)cJSON_AddNumberToObject(out, "illegal", (double)of->refused);
    (void)cJSON_AddNumberToObject(out, "failed", (double)of->failed);
    (void)cJSON_AddNumberToObject(out, "programs_median", (double)of->programs[0]);
    (void)cJSON_AddNumberToObject(out, "programs_95", (double)of->programs[1]);
    (void)cJSON_AddNumberToObject(out, "cycles_median", (double)of->cycles[0]);
    (void)cJSON_AddNumberToObject(out, "cycles_95", (double)of->cycles[1]);
    (void)cJSON_AddNumberToObject(out, "behind_median", (double)of->behind[0]);
    (void)cJSON_AddNumberToObject(out, "behind_95", (double)of->behind[1]);
    (void)cJSON_AddNumberToObject(out, "cycles_per_second", speed_of(&self->asked->result[way][0]));
}

static void add_fault(cJSON *to, table *self, size_t at) {
    static const char *const names[] = {"waiting", "caught", "illegal", "survived", "failed"};
    const netmutants_request *asked = self->asked;
    const netmutant *of = fault_of(asked, at);
    const netmutant_result *result = &results_of(asked, 0)[at];
    const char *text = "";
    const netmutant_source *line = netmutant_tree_line(&self->tree, of, &text);
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddItemToArray(to, out);
    (void)cJSON_AddNumberToObject(out, "number", of->number);
    (void)cJSON_AddStringToObject(out, "kind", of->kind);
    (void)cJSON_AddStringToObject(out, "cell", of->cell);
    (void)cJSON_AddStringToObject(out, "port", of->port);
    (void)cJSON_AddNumberToObject(out, "bit", of->bit);
    if (line != NULL) {
        (void)cJSON_AddStringToObject(out, "file", line->file);
        (void)cJSON_AddNumberToObject(out, "line", line->line);
    }
    (void)cJSON_AddStringToObject(out, "fate", names[result->fate]);
    (void)cJSON_AddNumberToObject(out, "programs", (double)result->programs);
    (void)cJSON_AddNumberToObject(out, "cycles", (double)result->cycles);
    (void)cJSON_AddNumberToObject(out, "seconds", result->seconds);
    if (result->fate == NETMUTANT_CAUGHT) {
        char seen[192];
        verdict_signature_format(&result->signature, seen, sizeof seen);
        (void)cJSON_AddStringToObject(out, "signature", seen);
    } else if (result->fate == NETMUTANT_SURVIVED) {
        const netmutant_rule *rule = explain(self, at);
        (void)cJSON_AddStringToObject(
            out, "class", rule != NULL ? netmutant_class_name(rule->class) : "unexplained");
    }
}

static tpu_status put_json(table *self, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    jsonnum_add(root, "seed", self->asked->seed);
    (void)cJSON_AddNumberToObject(root, "programs", (double)self->asked->run.fuzz.programs);
    (void)cJSON_AddNumberToObject(root, "unexplained", (double)self->sorted.unexplained);
    cJSON *ways = cJSON_AddArrayToObject(root, "ways");
    for (size_t i = 0; i < self->asked->ways; i++) {
        add_way(ways, self, i);
    }
    cJSON *faults = cJSON_AddArrayToObject(root, "faults");
    for (size_t i = 0; i + 1 < self->asked->numbers; i++) {
        add_fault(faults, self, i);
    }
    return cli_put_json(root, why);
}

tpu_status cli_netmutants_put(netmutants_request *asked, bool *found, tpu_message *why) {
    table self = {.asked = asked, .tree = {.root = asked->tree}};
    tpu_status status = add_up(&self, why);
    if (status == TPU_OK && asked->json) {
        status = put_json(&self, why);
    } else if (status == TPU_OK) {
        put_text(&self);
    }
    *found = self.every && (self.sorted.unexplained > 0 || self.way[0].failed > 0);
    free(self.used);
    netmutant_tree_clear(&self.tree);
    return status;
}
