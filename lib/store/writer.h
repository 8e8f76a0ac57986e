/*
 * Writer: builds one store. The database is a pending file (core/files/pending.h), written
 * without a journal (a half-written store is thrown away, never repaired), and tc_writer_seal()
 * gives it its name. Not thread-safe: one thread at a time owns a writer.
 */
#pragma once

#include <sqlite3.h>

#include "core/context.h"
#include "store/batch.h"
#include "store/connection.h"
#include "store/sql.h"

struct tc_writer;

/*
 * Starts a store that will be at path, or a temporary one without a name when path is NULL (see
 * core/files/files.h). TC_ERR_IO when the place cannot be written. TC_ERR_USAGE when path is an
 * existing file other than a tracecoach store, or has an SQLite journal next to it; an existing
 * store is replaced at the seal. The caller owns *out: seal or discard it.
 */
enum tc_status tc_writer_open(struct tc_writer **out, struct tc_ctx *ctx, const char *path);

/* The rows of a trace are in, or there were none. */
enum tc_status tc_writer_end_rows(struct tc_writer *writer);

/* Receives a model's batches (tc_take_batch_fn); user is the writer. Puts the batch and gives it
 * back empty. With *batch NULL it makes the first one. */
enum tc_status tc_writer_take_batch(void *user, struct tc_batch **batch);

/* Puts a row of one of the tables of batches, by its place in batch_rows.def, as another store has
 * it: all columns, the number of the row first. Numbers ascend. */
void tc_writer_put_row(
	struct tc_writer *writer, size_t kind, const struct tc_sql_value *values, size_t count);

/* Keeps everything written so far. may_drop allows what follows to be dropped: SQLite then holds
 * the pages changed since then in memory; it never reads them otherwise. Rows come before SQL: what
 * SQL wrote before rows is kept. Without it nothing can be dropped any more. */
void tc_writer_keep(struct tc_writer *writer, bool may_drop);
/* Drops everything written since then: the store is as it was, byte for byte. */
void tc_writer_drop(struct tc_writer *writer);

/* Makes the indexes on the tables of the analysis, when all traces are in; full: and those for many
 * questions about single slices (--index full). */
void tc_writer_index(struct tc_writer *writer, bool full);

/* Makes the indexes that only a store of several traces needs, before the second trace. */
void tc_writer_expect_several(struct tc_writer *writer);

/* The connection, for the stages that write small tables with SQL of their own, in one transaction.
 * Borrowed. */
sqlite3 *tc_writer_db(struct tc_writer *writer);

/*
 * Marks the file as a store (application_id, user_version), commits, syncs and renames it. The
 * caller owns *out, the finished store, which is read-only. The writer is freed, also when sealing
 * fails; then nothing is left at path.
 */
enum tc_status tc_writer_seal(struct tc_store **out, struct tc_writer *writer);

/* Deletes the unfinished store; NULL is fine. */
void tc_writer_discard(struct tc_writer *writer);
