/*
 * Writer: builds one store. The database is a pending file (core/files/pending.h), written in
 * one transaction without a journal (a half-written store is thrown away, never repaired), and
 * tc_writer_seal() gives it its name. Not thread-safe: one thread at a time owns a writer.
 */
#ifndef TC_STORE_WRITER_H
#define TC_STORE_WRITER_H

#include <sqlite3.h>

#include "core/context.h"
#include "store/batch.h"
#include "store/connection.h"

struct tc_writer;

/*
 * Starts a store that will be path, or a temporary one without a name when path is NULL (see
 * core/files/temporary.h). TC_ERR_IO when the place cannot be written. Refuses with TC_ERR_USAGE a path
 * that is an existing file other than a tracecoach store, or that has an SQLite journal next to it;
 * a store there is replaced at the seal. *out is owned by the caller: seal or discard it.
 */
enum tc_status tc_writer_open(struct tc_writer **out, struct tc_ctx *ctx, const char *path);

/* Inserts every row of the batch; the batch is the caller's again. */
enum tc_status tc_writer_put(struct tc_writer *writer, const struct tc_batch *batch);

/* As the receiver of a model's batches (tc_take_batch_fn); user is the writer. Inserts the batch and
 * gives it back empty; makes the first one, for *batch NULL. */
enum tc_status tc_writer_take_batch(void *user, struct tc_batch **batch);

/* Makes it possible to drop what was written since the last tc_writer_keep(). To that end SQLite
 * holds in memory the pages of the store that were changed since; it never reads them otherwise. */
enum tc_status tc_writer_allow_drop(struct tc_writer *writer);
/* Keeps what was written until now. */
enum tc_status tc_writer_keep(struct tc_writer *writer);
/* Drops what was written since then: the store is as it was, byte for byte. */
enum tc_status tc_writer_drop(struct tc_writer *writer);
/* Keeps what was written; nothing can be dropped any more. */
enum tc_status tc_writer_end_drop(struct tc_writer *writer);

/* Makes the indexes over what the analysis wrote: when all traces are in. */
enum tc_status tc_writer_index(struct tc_writer *writer);

/* Makes those for people who ask many questions about single slices. */
enum tc_status tc_writer_index_full(struct tc_writer *writer);

/* Makes what a store of several traces needs besides; once, before the second one. */
enum tc_status tc_writer_expect_several(struct tc_writer *writer);

/* The connection, for the stages that write small tables with SQL of their own. Borrowed. */
sqlite3 *tc_writer_db(struct tc_writer *writer);

/*
 * Marks the file as ours (application_id, user_version), commits, syncs and renames it. *out, owned
 * by the caller, is the finished store, read-only. The writer is freed, also when sealing fails;
 * then nothing is left behind at path.
 */
enum tc_status tc_writer_seal(struct tc_store **out, struct tc_writer *writer);

/* Throws the unfinished store away; NULL is fine. */
void tc_writer_discard(struct tc_writer *writer);

#endif
