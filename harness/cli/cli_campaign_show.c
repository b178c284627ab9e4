// SPDX-License-Identifier: Apache-2.0
//
// The result of a campaign as text, JSON and JUnit XML.

#include "harness/cli/cli_campaign.h"

#include "harness/cli/cli.h"
#include "harness/io/jsonnum.h"
#include "harness/io/junit.h"
#include "harness/show/failure.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- text --------------------------------------------------------------------------------------

// The parameters that make the point's name: all, without the prefix of the variables.
static void name_point(const tpu_params *point, char *text, size_t size) {
    char whole[256];
    size_t used = 0;
    campaign_plan_point_text(point, whole, sizeof whole);
    for (const char *at = whole; *at != '\0' && used + 1 < size; at++) {
        if (strncmp(at, "TPU_", 4) == 0) {
            at += 4;
        }
        text[used++] = *at;
    }
    text[used] = '\0';
}

static void put_points(const campaign_result *result) {
    (void)printf("%-11s %12s %14s %14s %9s  %-16s  %s\n", "units", "programs", "cycles", "rows",
                 "findings", "digest", "point");
    for (size_t i = 0; i < result->plan.point_count; i++) {
        const campaign_point *point = &result->point[i];
        char name[256];
        char units[48];
        name_point(&result->plan.point[i], name, sizeof name);
        (void)snprintf(units, sizeof units, "%" PRIu64 "/%" PRIu64, point->finished, point->units);
        (void)printf("%-11s %12" PRIu64 " %14" PRIu64 " %14" PRIu64 " %9" PRIu64 "  %016" PRIx64
                     "  %s\n",
                     units, point->programs, point->cycles, point->rows, point->findings,
                     point->digest, name);
    }
}

static void put_bucket(const cli_campaign_view *view, size_t number) {
    const campaign_bucket *bucket = &view->result->bucket[number];
    char point[256];
    name_point(&view->result->plan.point[bucket->point], point, sizeof point);
    (void)printf("\n%s%s\n  %s\n", bucket->signature, view->waived[number] ? "  (waived)" : "",
                 bucket->sentence);
    (void)printf("  %" PRIu64 " time(s), first with seed %" PRIu64 ", sequence %" PRIu64
                 ", program %" PRIu32 "%s%s\n  at %s\n",
                 bucket->count, bucket->seed, bucket->sequence, bucket->index,
                 bucket->commit[0] != '\0' ? ", commit " : "", bucket->commit, point);
    if (bucket->runs > 0) {
        char name[FAILURE_NAME_MAX];
        failure_name(bucket->signature, name, sizeof name);
        (void)printf("  %" PRIu32 " instruction(s) of %" PRIu32 ", in %" PRIu32
                     " run(s): tpucosim replay %s/fail/%s/repro.json\n",
                     bucket->instructions, bucket->found_instructions, bucket->runs,
                     view->directory, name);
    }
}

static size_t count_waived(const cli_campaign_view *view) {
    size_t waived = 0;
    for (size_t i = 0; i < view->result->bucket_count; i++) {
        waived += view->waived[i];
    }
    return waived;
}

void cli_campaign_put_text(const cli_campaign_view *view) {
    const campaign_result *result = view->result;
    const campaign_plan *plan = &result->plan;
    const campaign_point *total = &result->total;
    (void)printf("%s  seeds %" PRIu64 "..%" PRIu64 ", %" PRIu64
                 " sequence(s) of %u programs each, %zu point(s)%s%s\n\n",
                 plan->engine, plan->first_seed, plan->last_seed, plan->sequences, FUZZ_SEQUENCE,
                 plan->point_count, result->commits[0] != '\0' ? ", commit " : "", result->commits);
    put_points(result);
    for (size_t i = 0; i < result->bucket_count; i++) {
        put_bucket(view, i);
    }
    cli_waivers_put(view->waivers, campaign_complete(result));
    (void)printf("\n%" PRIu64 " of %" PRIu64 " units, %" PRIu64 " sequences, %" PRIu64
                 " programs, %" PRIu64 " cycles checked, %.1f s of processor time\n",
                 total->finished, total->units, total->sequences, total->programs, total->cycles,
                 total->processor_seconds);
    (void)printf("%" PRIu64 " finding(s) of %zu kind(s), %zu of them waived; digest %016" PRIx64
                 "\n",
                 total->findings, result->bucket_count, count_waived(view), total->digest);
    if (!campaign_complete(result)) {
        (void)printf("not complete: tpucosim campaign %s goes on\n", view->directory);
    }
}

// ---- JSON --------------------------------------------------------------------------------------

static void add_numbers(cJSON *to, const campaign_point *point) {
    jsonnum_add(to, "units", point->units);
    jsonnum_add(to, "finished", point->finished);
    jsonnum_add(to, "sequences", point->sequences);
    jsonnum_add(to, "programs", point->programs);
    jsonnum_add(to, "cycles", point->cycles);
    jsonnum_add(to, "issues", point->issues);
    jsonnum_add(to, "rows", point->rows);
    jsonnum_add(to, "findings", point->findings);
    jsonnum_add_hex(to, "digest", point->digest);
    (void)cJSON_AddNumberToObject(to, "processor_seconds", point->processor_seconds);
}

static cJSON *bucket_object(const cli_campaign_view *view, size_t number) {
    const campaign_bucket *bucket = &view->result->bucket[number];
    cJSON *out = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(out, "signature", bucket->signature);
    (void)cJSON_AddStringToObject(out, "sentence", bucket->sentence);
    (void)cJSON_AddBoolToObject(out, "waived", view->waived[number]);
    jsonnum_add(out, "count", bucket->count);
    jsonnum_add(out, "seed", bucket->seed);
    jsonnum_add(out, "sequence", bucket->sequence);
    (void)cJSON_AddNumberToObject(out, "index", bucket->index);
    (void)cJSON_AddNumberToObject(out, "point", bucket->point);
    (void)cJSON_AddStringToObject(out, "commit", bucket->commit);
    (void)cJSON_AddNumberToObject(out, "found_instructions", bucket->found_instructions);
    (void)cJSON_AddNumberToObject(out, "instructions", bucket->instructions);
    (void)cJSON_AddNumberToObject(out, "runs", bucket->runs);
    (void)cJSON_AddStringToObject(out, "directory", bucket->directory);
    return out;
}

static cJSON *root_object(const cli_campaign_view *view) {
    const campaign_result *result = view->result;
    char text[256];
    cJSON *root = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(root, "directory", view->directory);
    (void)cJSON_AddStringToObject(root, "engine", result->plan.engine);
    jsonnum_add(root, "first_seed", result->plan.first_seed);
    jsonnum_add(root, "last_seed", result->plan.last_seed);
    jsonnum_add(root, "sequences_of_a_seed", result->plan.sequences);
    (void)cJSON_AddStringToObject(root, "commits", result->commits);
    (void)cJSON_AddBoolToObject(root, "complete", campaign_complete(result));
    jsonnum_add(root, "attempts", result->attempts);
    add_numbers(root, &result->total);
    cJSON *points = cJSON_AddArrayToObject(root, "points");
    for (size_t i = 0; i < result->plan.point_count; i++) {
        cJSON *point = cJSON_CreateObject();
        campaign_plan_point_text(&result->plan.point[i], text, sizeof text);
        (void)cJSON_AddStringToObject(point, "parameters", text);
        add_numbers(point, &result->point[i]);
        (void)cJSON_AddItemToArray(points, point);
    }
    cJSON *buckets = cJSON_AddArrayToObject(root, "buckets");
    for (size_t i = 0; i < result->bucket_count; i++) {
        (void)cJSON_AddItemToArray(buckets, bucket_object(view, i));
    }
    (void)cJSON_AddItemToObject(root, "waivers",
                                cli_waivers_json(view->waivers, campaign_complete(result)));
    return root;
}

tpu_status cli_campaign_put_json(const cli_campaign_view *view, tpu_message *why) {
    return cli_put_json(root_object(view), why);
}

// ---- JUnit -------------------------------------------------------------------------------------

static void add_point_case(junit *to, const campaign_result *result, size_t number) {
    const campaign_point *point = &result->point[number];
    char name[256];
    char message[128];
    name_point(&result->plan.point[number], name, sizeof name);
    (void)snprintf(message, sizeof message, "%" PRIu64 " of %" PRIu64 " units are finished",
                   point->finished, point->units);
    junit_add(to, name, point->processor_seconds,
              point->finished == point->units ? JUNIT_PASSED : JUNIT_ERROR, message);
}

static void add_bucket_case(junit *to, const cli_campaign_view *view, size_t number) {
    const campaign_bucket *bucket = &view->result->bucket[number];
    char message[512];
    (void)snprintf(message, sizeof message,
                   "%" PRIu64 " time(s), first with seed %" PRIu64 ", sequence %" PRIu64
                   ", program %" PRIu32 ": %s",
                   bucket->count, bucket->seed, bucket->sequence, bucket->index, bucket->sentence);
    junit_add(to, bucket->signature, 0, view->waived[number] ? JUNIT_SKIPPED : JUNIT_FAILED,
              message);
}

tpu_status cli_campaign_write_junit(const cli_campaign_view *view, const char *path,
                                    tpu_message *why) {
    junit file = {.count = {0}};
    const campaign_result *result = view->result;
    for (size_t i = 0; i < result->plan.point_count; i++) {
        add_point_case(&file, result, i);
    }
    for (size_t i = 0; i < result->bucket_count; i++) {
        add_bucket_case(&file, view, i);
    }
    for (size_t i = 0; i < view->waivers->list.count; i++) {
        const waiver *one = &view->waivers->list.item[i];
        tpu_message sentence;
        waiver_state state =
            waiver_judge(one, view->waivers->today, campaign_complete(result), &sentence);
        if (state != WAIVER_HOLDS) {
            char name[WAIVER_SIGNATURE_MAX + 16];
            (void)snprintf(name, sizeof name, "waiver of %s", one->signature);
            junit_add(&file, name, 0, JUNIT_FAILED, sentence.text);
        }
    }
    return junit_write(&file, "tpucosim campaign", view->seconds, path, why);
}
