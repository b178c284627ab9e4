// SPDX-License-Identifier: Apache-2.0
//
// From many files to one: every worker's rows are copied into campaign.sqlite, which knows them by
// their keys, so that a second merge finds nothing to do. Then what is there is read and added up.

#define _XOPEN_SOURCE 700 // symlink, scandir

#include "harness/campaign/campaign.h"
#include "harness/campaign/campaign_store.h"
#include "harness/io/textfile.h"
#include "harness/show/failure.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAIN_FILE "campaign.sqlite"

// ---- merging -----------------------------------------------------------------------------------

// Refuses with `sentence` and the first column when a query gives a row.
static tpu_status expect_none(campaign_store *self, const char *path, tpu_status otherwise,
                              const char *sentence, const char *sql, tpu_message *why) {
    sqlite3_stmt *query = NULL;
    bool row = false;
    tpu_status status = campaign_store_query(self, &query, why, "%s", sql);
    if (status == TPU_OK) {
        status = campaign_store_step(self, query, &row, why);
    }
    if (status == TPU_OK && row) {
        status = status_fail(why, otherwise, "%s: %s %.100s", path, sentence,
                             (const char *)sqlite3_column_text(query, 0));
    }
    (void)sqlite3_finalize(query);
    return status;
}

// BEGIN alone locks no more than it must: the worker's file is only read, so that the worker can go
// on, and the commit is one file's.
static tpu_status copy_rows(campaign_store *self, tpu_message *why) {
    return campaign_store_exec(self, why,
                               "BEGIN;"
                               "INSERT OR IGNORE INTO main.attempt SELECT * FROM w.attempt;"
                               "INSERT OR IGNORE INTO main.finding SELECT * FROM w.finding"
                               " WHERE unit NOT IN (SELECT id FROM main.unit);"
                               "INSERT OR IGNORE INTO main.unit SELECT * FROM w.unit;"
                               "COMMIT");
}

static tpu_status absorb_attached(campaign_store *self, const char *path, tpu_message *why) {
    tpu_status status =
        expect_none(self, path, TPU_REFUSED, "belongs to another campaign: it differs in",
                    "SELECT key FROM (SELECT * FROM w.plan EXCEPT SELECT * FROM main.plan) UNION "
                    "SELECT key FROM (SELECT * FROM main.plan EXCEPT SELECT * FROM w.plan)",
                    why);
    if (status == TPU_OK) {
        status = expect_none(self, path, TPU_ERR_INTERNAL,
                             "another worker ran the same unit and got another digest: unit",
                             "SELECT id FROM main.unit AS a JOIN w.unit AS b USING(id)"
                             " WHERE a.digest <> b.digest",
                             why);
    }
    if (status == TPU_OK) {
        status = copy_rows(self, why);
        if (status != TPU_OK) {
            (void)sqlite3_exec(self->base, "ROLLBACK", NULL, NULL, NULL);
        }
    }
    return status;
}

static tpu_status absorb(campaign_store *self, const char *path, tpu_message *why) {
    campaign_store worker = {.base = NULL};
    tpu_status status = campaign_store_open(path, &worker, why); // says whose damage it is
    campaign_store_close(&worker);
    if (status == TPU_OK) {
        status = campaign_store_exec(self, why, "ATTACH %Q AS w", path);
    }
    if (status != TPU_OK) {
        return status;
    }
    status = absorb_attached(self, path, why);
    (void)sqlite3_exec(self->base, "DETACH w", NULL, NULL, NULL);
    return status;
}

static int is_worker(const struct dirent *entry) {
    static const char ending[] = ".sqlite";
    size_t length = strlen(entry->d_name);
    return strncmp(entry->d_name, "worker_", 7) == 0 && length > sizeof ending &&
           strcmp(entry->d_name + length - (sizeof ending - 1), ending) == 0;
}

static tpu_status absorb_all(campaign_store *self, const char *directory, tpu_message *why) {
    struct dirent **entry = NULL;
    int count = scandir(directory, &entry, is_worker, alphasort);
    if (count < 0) {
        return status_fail(why, TPU_REFUSED, "%s: %s", directory, strerror(errno));
    }
    tpu_status status = TPU_OK;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        int length = snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
        if (status == TPU_OK && length > 0 && (size_t)length < sizeof path) {
            status = absorb(self, path, why);
        }
        free(entry[i]);
    }
    free(entry);
    return status;
}

static tpu_status open_main(const char *directory, campaign_store *out, tpu_message *why) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/" MAIN_FILE, directory);
    if (length < 0 || (size_t)length >= sizeof path) {
        return status_fail(why, TPU_REFUSED, "%s: the path is too long", directory);
    }
    return campaign_store_open(path, out, why);
}

// fail/<name> points to the shortest reproducer; the new link takes the place of the old one.
static tpu_status link_one(const char *directory, const campaign_bucket *bucket, tpu_message *why) {
    char name[FAILURE_NAME_MAX];
    char target[FUZZ_SIGNATURE_MAX + 96];
    char beside[PATH_MAX];
    char path[PATH_MAX];
    failure_name(bucket->signature, name, sizeof name);
    (void)snprintf(target, sizeof target, "../%s", bucket->directory);
    int length =
        snprintf(beside, sizeof beside, "%s/fail/.%s.%ld", directory, name, (long)getpid());
    (void)snprintf(path, sizeof path, "%s/fail/%s", directory, name);
    if (length < 0 || (size_t)length >= sizeof beside) {
        return status_fail(why, TPU_ERR_IO, "%s: the path is too long", directory);
    }
    (void)remove(beside);
    if (symlink(target, beside) != 0 || rename(beside, path) != 0) {
        tpu_status status =
            status_fail(why, TPU_ERR_IO, "%s: cannot be made: %s", path, strerror(errno));
        (void)remove(beside);
        return status;
    }
    return TPU_OK;
}

static tpu_status link_all(const char *directory, const campaign_result *result, tpu_message *why) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/fail", directory);
    tpu_status status = result->bucket_count > 0 ? textfile_make_directory(path, why) : TPU_OK;
    for (size_t i = 0; i < result->bucket_count && status == TPU_OK; i++) {
        if (result->bucket[i].runs > 0) {
            status = link_one(directory, &result->bucket[i], why);
        }
    }
    return status;
}

tpu_status campaign_merge(const char *directory, tpu_message *why) {
    campaign_store store = {.base = NULL};
    campaign_result *result = calloc(1, sizeof *result);
    if (result == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", directory);
    }
    tpu_status status = open_main(directory, &store, why);
    if (status == TPU_OK) {
        status = absorb_all(&store, directory, why);
    }
    campaign_store_close(&store);
    if (status == TPU_OK) {
        status = campaign_read(directory, result, why);
    }
    if (status == TPU_OK) {
        status = link_all(directory, result, why);
    }
    campaign_clear(result);
    free(result);
    return status;
}

// ---- reading -----------------------------------------------------------------------------------

static uint64_t column(sqlite3_stmt *row, int at) {
    return (uint64_t)sqlite3_column_int64(row, at);
}

static void copy_text(sqlite3_stmt *row, int at, char *out, size_t size) {
    const char *text = (const char *)sqlite3_column_text(row, at);
    (void)snprintf(out, size, "%s", text != NULL ? text : "");
}

static void add_point(campaign_point *to, const campaign_point *more) {
    to->units += more->units;
    to->finished += more->finished;
    to->sequences += more->sequences;
    to->programs += more->programs;
    to->cycles += more->cycles;
    to->issues += more->issues;
    to->rows += more->rows;
    to->findings += more->findings;
    to->digest += more->digest; // SQLite's own sum would overflow
    to->processor_seconds += more->processor_seconds;
}

static void add_unit(campaign_result *out, sqlite3_stmt *row) {
    const campaign_point one = {.finished = 1,
                                .sequences = column(row, 1),
                                .programs = column(row, 2),
                                .cycles = column(row, 3),
                                .issues = column(row, 4),
                                .rows = column(row, 5),
                                .findings = column(row, 6),
                                .digest = column(row, 7),
                                .processor_seconds = sqlite3_column_double(row, 8)};
    uint64_t point = column(row, 0);
    if (point < out->plan.point_count) {
        add_point(&out->point[point], &one);
        add_point(&out->total, &one);
    }
}

// What a row of the query below adds to the bucket of its signature. The first row is the earliest.
static void add_finding(campaign_bucket *to, sqlite3_stmt *row) {
    uint32_t instructions = (uint32_t)column(row, 6);
    uint32_t runs = (uint32_t)column(row, 7);
    if (to->count == 0) {
        copy_text(row, 0, to->signature, sizeof to->signature);
        to->sequence = column(row, 2);
        to->index = (uint32_t)column(row, 3);
        copy_text(row, 4, to->sentence, sizeof to->sentence);
        to->found_instructions = (uint32_t)column(row, 5);
        to->instructions = instructions;
        to->seed = column(row, 9);
        to->point = (uint32_t)column(row, 10);
        copy_text(row, 11, to->commit, sizeof to->commit);
    }
    to->count += column(row, 1);
    bool shorter = to->runs == 0 || instructions < to->instructions ||
                   (instructions == to->instructions && runs < to->runs);
    if (runs > 0 && shorter) {
        to->instructions = instructions;
        to->runs = runs;
        copy_text(row, 8, to->directory, sizeof to->directory);
    }
}

static tpu_status grow(campaign_result *out, tpu_message *why) {
    campaign_bucket *more = realloc(out->bucket, (out->bucket_count + 1) * sizeof *out->bucket);
    if (more == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "campaign: out of memory");
    }
    out->bucket = more;
    memset(&more[out->bucket_count], 0, sizeof *more);
    out->bucket_count++;
    return TPU_OK;
}

static tpu_status take_finding(campaign_result *out, sqlite3_stmt *row, tpu_message *why) {
    const char *signature = (const char *)sqlite3_column_text(row, 0);
    size_t last = out->bucket_count;
    bool same = last > 0 && strcmp(out->bucket[last - 1].signature, signature) == 0;
    tpu_status status = same ? TPU_OK : grow(out, why);
    if (status == TPU_OK) {
        add_finding(&out->bucket[out->bucket_count - 1], row);
    }
    return status;
}

static tpu_status take_unit(campaign_result *out, sqlite3_stmt *row, tpu_message *why) {
    (void)why;
    add_unit(out, row);
    return TPU_OK;
}

static tpu_status take_attempts(campaign_result *out, sqlite3_stmt *row, tpu_message *why) {
    (void)why;
    out->attempts = column(row, 0);
    return TPU_OK;
}

static tpu_status take_commit(campaign_result *out, sqlite3_stmt *row, tpu_message *why) {
    (void)why;
    size_t used = strlen(out->commits);
    (void)snprintf(out->commits + used, sizeof out->commits - used, "%s%s", used > 0 ? " " : "",
                   (const char *)sqlite3_column_text(row, 0));
    return TPU_OK;
}

// Gives every row of a query to `take`.
static tpu_status each(campaign_store *store, campaign_result *out, const char *sql,
                       tpu_status (*take)(campaign_result *, sqlite3_stmt *, tpu_message *),
                       tpu_message *why) {
    sqlite3_stmt *query = NULL;
    bool row = true;
    tpu_status status = campaign_store_query(store, &query, why, "%s", sql);
    while (status == TPU_OK && row) {
        status = campaign_store_step(store, query, &row, why);
        if (status == TPU_OK && row) {
            status = take(out, query, why);
        }
    }
    (void)sqlite3_finalize(query);
    return status;
}

static tpu_status read_all(campaign_store *store, campaign_result *out, tpu_message *why) {
    tpu_status status = each(store, out,
                             "SELECT point, sequences, programs, cycles, issues, rows, findings, "
                             "digest, processor FROM unit",
                             take_unit, why);
    if (status == TPU_OK) {
        status = each(store, out, "SELECT count(*) FROM attempt", take_attempts, why);
    }
    if (status == TPU_OK) {
        status = each(store, out,
                      "SELECT tested FROM unit WHERE tested <> '' GROUP BY tested ORDER BY min(id)",
                      take_commit, why);
    }
    if (status == TPU_OK) {
        status = each(store, out,
                      "SELECT signature, count, sequence, program, sentence, found_instructions, "
                      "instructions, runs, directory, seed, point, tested FROM finding JOIN unit "
                      "ON id = unit ORDER BY signature, unit",
                      take_finding, why);
    }
    return status;
}

tpu_status campaign_read(const char *directory, campaign_result *out, tpu_message *why) {
    campaign_store store = {.base = NULL};
    tpu_status status = open_main(directory, &store, why);
    if (status == TPU_OK) {
        status = campaign_store_plan(&store, &out->plan, why);
    }
    if (status == TPU_OK) {
        status = campaign_plan_check(&out->plan, why);
    }
    for (size_t i = 0; status == TPU_OK && i < out->plan.point_count; i++) {
        out->point[i].units = campaign_plan_units(&out->plan) / out->plan.point_count;
        out->total.units += out->point[i].units;
    }
    if (status == TPU_OK) {
        status = read_all(&store, out, why);
    }
    campaign_store_close(&store);
    return status;
}

void campaign_clear(campaign_result *self) {
    free(self->bucket);
    memset(self, 0, sizeof *self);
}

bool campaign_complete(const campaign_result *self) {
    return self->total.units > 0 && self->total.finished == self->total.units;
}
