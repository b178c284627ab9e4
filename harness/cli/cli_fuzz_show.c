// SPDX-License-Identifier: Apache-2.0
//
// fuzz: what a person and a script see of a run.

#include "harness/cli/cli_fuzz_internal.h"
#include "harness/io/jsonnum.h"
#include "harness/show/failure.h"
#include "harness/stress/traits.h"

#include <cjson/cJSON.h>

#include <inttypes.h>

static double rate(uint64_t count, double seconds) {
    return seconds > 0 ? (double)count / seconds : 0;
}

void cli_fuzz_show_progress(void *user, const fuzz_workers_state *state) {
    const cli_fuzz_display *to = user;
    char bins[32] = "";
    if (to->growth != NULL) {
        (void)fprintf(to->growth, "%.2f,%.2f,%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n", state->seconds,
                      state->processor_seconds, state->programs, state->cycles, state->bins);
        (void)fflush(to->growth);
    }
    if (!to->eager) {
        return;
    }
    if (state->bins > 0) {
        (void)snprintf(bins, sizeof bins, "  %" PRIu32 " bins", state->bins);
    }
    (void)fprintf(stderr,
                  "\r%6.0f s  %" PRIu64 " programs (%.0f/s)  %" PRIu64 " cycles%s  %" PRIu64
                  " finding(s) ",
                  state->seconds, state->programs, rate(state->programs, state->seconds),
                  state->cycles, bins, state->findings);
}

static void put_bucket(const cli_fuzz_request *asked, const fuzz_bucket *bucket) {
    char name[FUZZ_SIGNATURE_MAX];
    failure_name(bucket->signature, name, sizeof name);
    (void)printf("\n%s\n  %s\n", bucket->signature, bucket->sentence);
    (void)printf("  %" PRIu64 " time(s), first in sequence %" PRIu64 ", program %" PRIu32
                 ", after %.2f s and %" PRIu64 " program(s)\n",
                 bucket->count, bucket->sequence, bucket->index, bucket->seconds, bucket->program);
    if (bucket->runs > 0) {
        (void)printf("  %" PRIu32 " instruction(s) of %" PRIu32 ", in %" PRIu32
                     " run(s): tpucosim replay %s/%s/repro.json\n",
                     bucket->instructions, bucket->found_instructions, bucket->runs,
                     asked->fuzz.directory, name);
    }
}

static void put_traits(const fuzz_summary *sum) {
    (void)printf("\nof %" PRIu64 " programs looked at:\n", sum->sampled);
    for (unsigned i = 0; i < TRAITS_COUNT; i++) {
        (void)printf("%8" PRIu64 "  %s\n", sum->traits[i], traits_text((traits_name)i));
    }
}

static void put_coverage(const fuzz_summary *sum) {
    char name[COVERAGE_NAME_MAX];
    (void)printf("\nprograms that hit each bin:\n");
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        if (sum->covered[bin] > 0 || coverage_possible(bin)) {
            coverage_name(bin, name, sizeof name);
            (void)printf("%8" PRIu64 "  %s\n", sum->covered[bin], name);
        }
    }
}

void cli_fuzz_show_text(const cli_fuzz_request *asked, const fuzz_summary *sum) {
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        put_bucket(asked, &sum->bucket[i]);
    }
    if (asked->traits) {
        put_traits(sum);
    }
    if (asked->fuzz.coverage) {
        put_coverage(sum);
    }
    cli_waivers_put(&asked->waivers, true);
    if (sum->bucket_count > 0 || asked->traits || asked->fuzz.coverage ||
        asked->waivers.list.count > 0) {
        (void)printf("\n");
    }
    (void)printf("seed %" PRIu64 ", %u job(s), %.1f s: %" PRIu64 " programs, %" PRIu64
                 " issues, %" PRIu64 " cycles checked, %" PRIu64 " rows compared\n",
                 asked->fuzz.seed, asked->fuzz.jobs, sum->seconds, sum->programs, sum->issues,
                 sum->cycles, sum->rows);
    (void)printf("%.0f programs/s, %.0f cycles/s; a second of processor time: %.0f programs, %.0f "
                 "cycles\n",
                 rate(sum->programs, sum->seconds), rate(sum->cycles, sum->seconds),
                 rate(sum->programs, sum->processor_seconds),
                 rate(sum->cycles, sum->processor_seconds));
    if (coverage_count(sum->covered) > 0) {
        (void)printf("%" PRIu32 " of %" PRIu32 " bins hit\n", coverage_count(sum->covered),
                     coverage_possible_count());
    }
    (void)printf("%" PRIu64 " finding(s) of %" PRIu32 " kind(s); digest %016" PRIx64 "\n",
                 sum->findings, sum->bucket_count, sum->digest);
}

// In GitHub Actions: each finding at the unit that it blames.
void cli_fuzz_show_annotations(const cli_fuzz_request *asked, const fuzz_summary *sum) {
    char path[FUZZ_SIGNATURE_MAX + 256];
    char name[FUZZ_SIGNATURE_MAX];
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        failure_name(sum->bucket[i].signature, name, sizeof name);
        (void)snprintf(path, sizeof path, "%.200s/%s", asked->fuzz.directory, name);
        cli_annotate_directory(sum->bucket[i].runs > 0 ? path : "");
    }
}

static void add_bucket(cJSON *to, const cli_fuzz_request *asked, const fuzz_bucket *bucket) {
    char name[FUZZ_SIGNATURE_MAX];
    char path[FUZZ_SIGNATURE_MAX + 256];
    cJSON *out = cJSON_CreateObject();
    failure_name(bucket->signature, name, sizeof name);
    (void)snprintf(path, sizeof path, "%.200s/%s", asked->fuzz.directory, name);
    (void)cJSON_AddItemToArray(to, out);
    (void)cJSON_AddStringToObject(out, "signature", bucket->signature);
    (void)cJSON_AddStringToObject(out, "sentence", bucket->sentence);
    (void)cJSON_AddNumberToObject(out, "count", (double)bucket->count);
    (void)cJSON_AddNumberToObject(out, "sequence", (double)bucket->sequence);
    (void)cJSON_AddNumberToObject(out, "index", bucket->index);
    (void)cJSON_AddNumberToObject(out, "programs_before", (double)bucket->program);
    (void)cJSON_AddNumberToObject(out, "seconds", bucket->seconds);
    (void)cJSON_AddNumberToObject(out, "found_instructions", bucket->found_instructions);
    (void)cJSON_AddNumberToObject(out, "instructions", bucket->instructions);
    (void)cJSON_AddNumberToObject(out, "runs", bucket->runs);
    if (bucket->runs > 0) {
        (void)cJSON_AddStringToObject(out, "directory", path);
    }
}

tpu_status cli_fuzz_show_json(const cli_fuzz_request *asked, const fuzz_summary *sum,
                              tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    jsonnum_add(root, "seed", asked->fuzz.seed);
    jsonnum_add_hex(root, "digest", sum->digest);
    (void)cJSON_AddNumberToObject(root, "jobs", asked->fuzz.jobs);
    (void)cJSON_AddNumberToObject(root, "seconds", sum->seconds);
    (void)cJSON_AddNumberToObject(root, "processor_seconds", sum->processor_seconds);
    (void)cJSON_AddNumberToObject(root, "programs", (double)sum->programs);
    (void)cJSON_AddNumberToObject(root, "issues", (double)sum->issues);
    (void)cJSON_AddNumberToObject(root, "cycles", (double)sum->cycles);
    (void)cJSON_AddNumberToObject(root, "rows", (double)sum->rows);
    (void)cJSON_AddNumberToObject(root, "findings", (double)sum->findings);
    cJSON *buckets = cJSON_AddArrayToObject(root, "buckets");
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        add_bucket(buckets, asked, &sum->bucket[i]);
    }
    (void)cJSON_AddItemToObject(root, "waivers", cli_waivers_json(&asked->waivers, true));
    return cli_put_json(root, why);
}
