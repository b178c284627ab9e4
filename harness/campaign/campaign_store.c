// SPDX-License-Identifier: Apache-2.0
//
// The rollback journal, not WAL: the files may lie on a file system that several machines share.

#define _POSIX_C_SOURCE 200809L

#include "harness/campaign/campaign_store.h"

#include "harness/show/failure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// "TPUC"; tells the file from any other SQLite file.
#define APPLICATION 0x54505543
#define BUSY_MS 60000

static const char schema[] =
    "CREATE TABLE plan(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE state(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE attempt(worker INTEGER NOT NULL, serial INTEGER NOT NULL,"
    " unit INTEGER NOT NULL, process INTEGER NOT NULL, begun INTEGER NOT NULL,"
    " PRIMARY KEY(worker, serial)) WITHOUT ROWID;"
    "CREATE TABLE unit(id INTEGER PRIMARY KEY, worker INTEGER NOT NULL, point INTEGER NOT NULL,"
    " seed INTEGER NOT NULL, first INTEGER NOT NULL, sequences INTEGER NOT NULL,"
    " programs INTEGER NOT NULL, cycles INTEGER NOT NULL, issues INTEGER NOT NULL,"
    " rows INTEGER NOT NULL, findings INTEGER NOT NULL, digest INTEGER NOT NULL,"
    " processor REAL NOT NULL, tested TEXT NOT NULL, ended INTEGER NOT NULL);"
    "CREATE TABLE finding(unit INTEGER NOT NULL, signature TEXT NOT NULL,"
    " count INTEGER NOT NULL, sequence INTEGER NOT NULL, program INTEGER NOT NULL,"
    " sentence TEXT NOT NULL, found_instructions INTEGER NOT NULL,"
    " instructions INTEGER NOT NULL, runs INTEGER NOT NULL, directory TEXT NOT NULL,"
    " PRIMARY KEY(unit, signature)) WITHOUT ROWID;";

// ---- SQLite ------------------------------------------------------------------------------------

tpu_status campaign_store_fail(campaign_store *self, tpu_message *why) {
    const char *said = sqlite3_errmsg(self->base);
    switch (sqlite3_errcode(self->base)) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR: // a table or column that should be there is not
        return status_fail(why, TPU_REFUSED,
                           "%s: is damaged (%s); move it away, and what it held runs again",
                           self->path, said);
    case SQLITE_NOMEM:
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", self->path);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return status_fail(why, TPU_ERR_IO,
                           "%s: cannot be written (%s); make room and give the same command again",
                           self->path, said);
    default:
        return status_fail(why, TPU_ERR_IO, "%s: %s", self->path, said);
    }
}

static tpu_status exec_text(campaign_store *self, const char *sql, tpu_message *why) {
    if (sql == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", self->path);
    }
    int code = sqlite3_exec(self->base, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? TPU_OK : campaign_store_fail(self, why);
}

tpu_status campaign_store_exec(campaign_store *self, tpu_message *why, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *sql = sqlite3_vmprintf(fmt, args);
    va_end(args);
    tpu_status status = exec_text(self, sql, why);
    sqlite3_free(sql);
    return status;
}

tpu_status campaign_store_query(campaign_store *self, sqlite3_stmt **out, tpu_message *why,
                                const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *sql = sqlite3_vmprintf(fmt, args);
    va_end(args);
    *out = NULL;
    int code = sql != NULL ? sqlite3_prepare_v2(self->base, sql, -1, out, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return code == SQLITE_OK ? TPU_OK : campaign_store_fail(self, why);
}

tpu_status campaign_store_step(campaign_store *self, sqlite3_stmt *of, bool *row,
                               tpu_message *why) {
    int code = sqlite3_step(of);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? TPU_OK : campaign_store_fail(self, why);
}

// The first column of the only row; 0 when there is no row.
static tpu_status ask_number(campaign_store *self, sqlite3_stmt *of, int64_t *out,
                             tpu_message *why) {
    bool row = false;
    tpu_status status = campaign_store_step(self, of, &row, why);
    *out = status == TPU_OK && row ? sqlite3_column_int64(of, 0) : 0;
    return status;
}

static tpu_status open_base(campaign_store *self, const char *path, int flags, tpu_message *why) {
    (void)snprintf(self->path, sizeof self->path, "%s", path);
    int code = sqlite3_open_v2(path, &self->base, flags, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_busy_timeout(self->base, BUSY_MS);
    }
    return code == SQLITE_OK ? TPU_OK : campaign_store_fail(self, why);
}

void campaign_store_close(campaign_store *self) {
    (void)sqlite3_close(self->base); // NULL is fine
    self->base = NULL;
}

// ---- making and opening ------------------------------------------------------------------------

static tpu_status put_plan(campaign_store *self, const campaign_plan *plan, tpu_message *why) {
    tpu_status status = TPU_OK;
    char *text = malloc(CAMPAIGN_TEXT_MAX);
    if (text == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", self->path);
    }
    for (int key = 0; key < CAMPAIGN_KEY_COUNT && status == TPU_OK; key++) {
        campaign_plan_text(plan, (campaign_key)key, text);
        status = campaign_store_exec(self, why, "INSERT INTO plan VALUES(%Q, %Q)",
                                     campaign_plan_key((campaign_key)key), text);
    }
    free(text);
    return status;
}

static tpu_status fill(campaign_store *self, const campaign_plan *plan, tpu_message *why) {
    tpu_status status = campaign_store_exec(
        self, why, "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d; %s", APPLICATION,
        CAMPAIGN_SCHEMA, schema);
    if (status == TPU_OK) {
        status = put_plan(self, plan, why);
    }
    return status == TPU_OK ? exec_text(self, "COMMIT", why) : status;
}

tpu_status campaign_store_create(const char *path, const campaign_plan *plan, tpu_message *why) {
    campaign_store made = {.base = NULL};
    char beside[PATH_MAX];
    char journal[PATH_MAX];
    int length = snprintf(beside, sizeof beside, "%s.new", path);
    int longer = snprintf(journal, sizeof journal, "%s.new-journal", path);
    if (length < 0 || longer < 0 || (size_t)longer >= sizeof journal) {
        return status_fail(why, TPU_ERR_IO, "%s: the path is too long", path);
    }
    (void)remove(beside); // of one that was killed here
    (void)remove(journal);
    tpu_status status = open_base(&made, beside, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, why);
    if (status == TPU_OK) {
        status = fill(&made, plan, why);
    }
    campaign_store_close(&made);
    if (status == TPU_OK && rename(beside, path) != 0) {
        status = status_fail(why, TPU_ERR_IO, "%s: cannot be made: %s", path, strerror(errno));
    }
    if (status != TPU_OK) {
        (void)remove(beside);
        (void)remove(journal);
    }
    return status;
}

static tpu_status expect_number(campaign_store *self, const char *pragma, int64_t expected,
                                const char *otherwise, tpu_message *why) {
    sqlite3_stmt *query = NULL;
    int64_t found = 0;
    tpu_status status = campaign_store_query(self, &query, why, "PRAGMA %s", pragma);
    if (status == TPU_OK) {
        status = ask_number(self, query, &found, why);
    }
    (void)sqlite3_finalize(query);
    return status != TPU_OK || found == expected
               ? status
               : status_fail(why, TPU_REFUSED, "%s: %s", self->path, otherwise);
}

static tpu_status check_pages(campaign_store *self, tpu_message *why) {
    sqlite3_stmt *query = NULL;
    bool row = false;
    tpu_status status = campaign_store_query(self, &query, why, "PRAGMA quick_check(1)");
    if (status == TPU_OK) {
        status = campaign_store_step(self, query, &row, why);
    }
    if (status == TPU_OK) {
        const char *said = row ? (const char *)sqlite3_column_text(query, 0) : NULL;
        if (said == NULL || strcmp(said, "ok") != 0) {
            status = status_fail(why, TPU_REFUSED,
                                 "%s: is damaged (%.100s); move it away, and what it held runs "
                                 "again",
                                 self->path, said != NULL ? said : "no answer");
        }
    }
    (void)sqlite3_finalize(query);
    return status;
}

tpu_status campaign_store_open(const char *path, campaign_store *out, tpu_message *why) {
    if (access(path, F_OK) != 0) {
        return status_fail(why, TPU_REFUSED, "%s: %s", path, strerror(errno));
    }
    tpu_status status = open_base(out, path, SQLITE_OPEN_READWRITE, why);
    if (status == TPU_OK) {
        status = expect_number(out, "application_id", APPLICATION,
                               "is no file of a campaign, or damaged", why);
    }
    if (status == TPU_OK) {
        status = expect_number(out, "user_version", CAMPAIGN_SCHEMA,
                               "was written by another version of tpucosim", why);
    }
    return status == TPU_OK ? check_pages(out, why) : status;
}

// ---- the plan ----------------------------------------------------------------------------------

static tpu_status compare_key(campaign_store *self, const campaign_plan *plan, campaign_key key,
                              const char *stored, tpu_message *why) {
    char *asked = malloc(CAMPAIGN_TEXT_MAX);
    if (asked == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", self->path);
    }
    campaign_plan_text(plan, key, asked);
    tpu_status status = TPU_OK;
    if (strcmp(asked, stored) != 0) {
        status = status_fail(why, TPU_REFUSED,
                             "%s: was begun with %s %.140s, not %.140s: name another directory, or "
                             "leave that out to go on",
                             self->path, campaign_plan_key(key), stored, asked);
    }
    free(asked);
    return status;
}

static tpu_status take_key(campaign_store *self, campaign_plan *plan, campaign_key key,
                           sqlite3_stmt *query, tpu_message *why) {
    bool row = false;
    tpu_message inner;
    tpu_status status = campaign_store_step(self, query, &row, why);
    if (status != TPU_OK) {
        return status;
    }
    const char *stored = row ? (const char *)sqlite3_column_text(query, 0) : NULL;
    if (stored == NULL || strlen(stored) >= CAMPAIGN_TEXT_MAX) {
        return status_fail(why, TPU_REFUSED, "%s: is damaged: says nothing of \"%s\"", self->path,
                           campaign_plan_key(key));
    }
    if (plan->given[key]) {
        return compare_key(self, plan, key, stored, why);
    }
    status = campaign_plan_take(plan, key, stored, &inner);
    return status == TPU_OK ? TPU_OK
                            : status_fail(why, status, "%s: %.400s", self->path, inner.text);
}

tpu_status campaign_store_plan(campaign_store *self, campaign_plan *plan, tpu_message *why) {
    tpu_status status = TPU_OK;
    for (int key = 0; key < CAMPAIGN_KEY_COUNT && status == TPU_OK; key++) {
        sqlite3_stmt *query = NULL;
        status = campaign_store_query(self, &query, why, "SELECT value FROM plan WHERE key = %Q",
                                      campaign_plan_key((campaign_key)key));
        if (status == TPU_OK) {
            status = take_key(self, plan, (campaign_key)key, query, why);
        }
        (void)sqlite3_finalize(query);
    }
    return status;
}

tpu_status campaign_store_processes(campaign_store *self, uint32_t *out, tpu_message *why) {
    sqlite3_stmt *query = NULL;
    int64_t found = 0;
    tpu_status status =
        campaign_store_query(self, &query, why, "SELECT value FROM state WHERE key = 'processes'");
    if (status == TPU_OK) {
        status = ask_number(self, query, &found, why);
    }
    (void)sqlite3_finalize(query);
    *out = (uint32_t)found;
    return status;
}

tpu_status campaign_store_set_processes(campaign_store *self, uint32_t processes,
                                        tpu_message *why) {
    return campaign_store_exec(self, why, "INSERT OR REPLACE INTO state VALUES('processes', %u)",
                               processes);
}

// ---- units -------------------------------------------------------------------------------------

tpu_status campaign_store_begin(campaign_store *self, uint32_t worker, uint64_t unit,
                                tpu_message *why) {
    return campaign_store_exec(
        self, why,
        "INSERT INTO attempt SELECT %u, coalesce(max(serial), -1) + 1, %lld, %d, %lld FROM attempt",
        worker, (long long)unit, (int)getpid(), (long long)time(NULL));
}

static tpu_status put_unit(campaign_store *self, const campaign_outcome *of, tpu_message *why) {
    const campaign_unit *unit = &of->unit;
    const fuzz_summary *sum = of->sum;
    return campaign_store_exec(
        self, why,
        "INSERT INTO unit VALUES(%lld, %u, %u, %lld, %lld, %u, %lld, %lld, %lld, %lld, %lld, %lld, "
        "%.6f, %Q, %lld)",
        (long long)unit->id, of->worker, (unsigned)unit->point, (long long)unit->seed,
        (long long)unit->first, unit->count, (long long)sum->programs, (long long)sum->cycles,
        (long long)sum->issues, (long long)sum->rows, (long long)sum->findings,
        (long long)sum->digest, sum->processor_seconds, of->commit, (long long)time(NULL));
}

static tpu_status put_finding(campaign_store *self, const campaign_outcome *of,
                              const fuzz_bucket *found, tpu_message *why) {
    char name[FAILURE_NAME_MAX];
    char directory[FUZZ_SIGNATURE_MAX + 64];
    failure_name(found->signature, name, sizeof name);
    (void)snprintf(directory, sizeof directory, "found/%" PRIu64 "/%s", of->unit.id, name);
    return campaign_store_exec(
        self, why, "INSERT INTO finding VALUES(%lld, %Q, %lld, %lld, %u, %Q, %u, %u, %u, %Q)",
        (long long)of->unit.id, found->signature, (long long)found->count,
        (long long)found->sequence, found->index, found->sentence, found->found_instructions,
        found->instructions, found->runs, found->runs > 0 ? directory : "");
}

static tpu_status put_all(campaign_store *self, const campaign_outcome *of, const uint64_t *next,
                          tpu_message *why) {
    tpu_status status = put_unit(self, of, why);
    for (uint32_t i = 0; i < of->sum->bucket_count && status == TPU_OK; i++) {
        status = put_finding(self, of, &of->sum->bucket[i], why);
    }
    if (status == TPU_OK && next != NULL) {
        status = campaign_store_begin(self, of->worker, *next, why);
    }
    return status;
}

tpu_status campaign_store_finish(campaign_store *self, const campaign_outcome *outcome,
                                 const uint64_t *next, tpu_message *why) {
    tpu_status status = exec_text(self, "BEGIN IMMEDIATE", why);
    if (status != TPU_OK) {
        return status;
    }
    status = put_all(self, outcome, next, why);
    if (status == TPU_OK) {
        status = exec_text(self, "COMMIT", why);
    }
    if (status != TPU_OK) {
        (void)sqlite3_exec(self->base, "ROLLBACK", NULL, NULL, NULL); // may have happened already
    }
    return status;
}

tpu_status campaign_store_mark(campaign_store *self, uint8_t *finished, uint64_t units,
                               tpu_message *why) {
    sqlite3_stmt *query = NULL;
    bool row = true;
    tpu_status status = campaign_store_query(self, &query, why, "SELECT id FROM unit");
    while (status == TPU_OK && row) {
        status = campaign_store_step(self, query, &row, why);
        uint64_t id = row ? (uint64_t)sqlite3_column_int64(query, 0) : units;
        if (id < units) {
            finished[id] = 1;
        }
    }
    (void)sqlite3_finalize(query);
    return status;
}

tpu_status campaign_store_reproducers(campaign_store *self, const char *signature, uint64_t *out,
                                      tpu_message *why) {
    sqlite3_stmt *query = NULL;
    int64_t found = 0;
    tpu_status status = campaign_store_query(
        self, &query, why, "SELECT count(*) FROM finding WHERE signature = %Q AND runs > 0",
        signature);
    if (status == TPU_OK) {
        status = ask_number(self, query, &found, why);
    }
    (void)sqlite3_finalize(query);
    *out = (uint64_t)found;
    return status;
}
