/*
 * Writer: one private file, into which rows of batches and the connection write in turns. A failure
 * leaves the file as it is; afterwards the writer can only be discarded.
 */
#include "store/writer.h"

#include <assert.h>
#include <string.h>

#include "core/alloc.h"
#include "core/files/pending.h"
#include "core/files/files.h"
#include "store/layout/layout.h"
#include "store/functions/functions.h"
#include "store/sealed/guard.h"
#include "store/file/header.h"
#include "store/pages/row_pages.h"
#include "store/sql.h"
#include "store/file/vfs.h"
#include "tracecoach/version.h"

/* The statements in indexes.sql, several.sql, several_rows.sql and full.sql, embedded by the
 * build. */
extern const char tc_indexes_sql[], tc_several_sql[], tc_several_rows_sql[], tc_full_sql[];

/* To create an index, SQLite sorts in as much memory as its cache may use. */
#define CACHE_FOR_ROWS "PRAGMA cache_size = -8192;"
#define CACHE_FOR_INDEXES "PRAGMA cache_size = -2048;"

struct tc_writer {
	struct tc_ctx *ctx;
	sqlite3 *db;
	struct tc_row_pages *rows;
	struct tc_pending file; /* has no place for a temporary store */
	struct tc_buf name;     /* of the file, in errors */
	bool temporary;
	bool in_rows;    /* the file is open for rows, and the connection has no transaction */
	bool is_several; /* traces */
};

/* SQLite would apply such a file to the new store, and the program must not remove it. */
static void refuse_stray(struct tc_ctx *ctx, const struct tc_place *place)
{
	struct tc_buf stray = TC_BUF_EMPTY;

	if (tc_ctx_failed(ctx))
		return;
	if (tc_stray_find(&stray, place))
		tc_fail(ctx, TC_ERR_NOMEM, "cannot create the store: out of memory");
	else if (stray.len > 0)
		tc_fail(ctx, TC_ERR_USAGE,
			"%s is in the way: SQLite would take it for changes to the new store: "
			"remove it, or choose another name",
			stray.ptr);
	tc_buf_clear(&stray);
}

/* The reverse: the new store would be a journal of an existing database. */
static void refuse_stray_name(struct tc_ctx *ctx, const struct tc_place *place)
{
	struct tc_buf base = TC_BUF_EMPTY;

	if (tc_ctx_failed(ctx))
		return;
	if (tc_stray_base(&base, place) && tc_store_probe(base.ptr))
		tc_fail(ctx, TC_ERR_USAGE,
			"%s is where SQLite looks for changes to %s: choose another name",
			place->path.ptr, base.ptr);
	tc_buf_clear(&base);
}

/* The file in errors. */
static void set_name(struct tc_writer *writer)
{
	if (writer->temporary)
		tc_buf_format(&writer->name, "temporary store in %s", tc_temporary_directory());
	else
		tc_buf_format(&writer->name, "%s", writer->file.place.path.ptr);
}

static void write_failed(struct tc_writer *writer)
{
	tc_fail(writer->ctx, tc_store_fail(writer->ctx, writer->db, NULL), "%s",
		tc_buf_string(&writer->name));
}

/* Whether it worked; an error of another thread in the meantime is not one of this statement. */
static bool run_anyway(struct tc_writer *writer, const char *sql)
{
	const bool works = sqlite3_exec(writer->db, sql, NULL, NULL, NULL) == SQLITE_OK;

	if (!works)
		write_failed(writer);
	return works;
}

static bool run(struct tc_writer *writer, const char *sql)
{
	return !tc_ctx_failed(writer->ctx) && run_anyway(writer, sql);
}

static void open_database(struct tc_writer *writer)
{
	struct tc_ctx *ctx = writer->ctx;
	int error = tc_store_lay_out(writer->file.fd);

	if (error) {
		tc_fail_errno(ctx, TC_ERR_IO, error, TC_TO_WRITE, "%s: cannot write the store",
			tc_buf_string(&writer->name));
		return;
	}
	if (tc_vfs_open(&writer->db, writer->file.fd, true)) {
		tc_store_fail(ctx, writer->db, "create the store");
		return;
	}
	tc_sql_stop_on_interrupt(writer->db, ctx);
	if (tc_store_create(writer->db))
		write_failed(writer);
	run(writer, CACHE_FOR_ROWS);
	if (!tc_ctx_failed(ctx) && tc_store_functions(writer->db))
		tc_store_fail(ctx, writer->db, "create the store");
	if (!tc_ctx_failed(ctx))
		writer->rows = tc_row_pages_new(ctx, writer->db, tc_buf_string(&writer->name));
}

static void create_named(struct tc_pending *file, struct tc_ctx *ctx, const char *path)
{
	tc_store_check_target(ctx, path, TC_STORE_APPLICATION_ID, "a tracecoach store");
	if (!tc_ctx_failed(ctx))
		tc_pending_create(file, ctx, path);
	refuse_stray(ctx, &file->place);
	refuse_stray_name(ctx, &file->place);
}

enum tc_status tc_writer_open(struct tc_writer **out, struct tc_ctx *ctx, const char *path)
{
	struct tc_writer *writer = tc_calloc(1, sizeof(*writer));

	if (!writer)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot create the store: out of memory");
	writer->ctx = ctx;
	writer->name.ctx = ctx;
	writer->temporary = !path;
	writer->file = TC_PENDING_NONE;
	if (path)
		create_named(&writer->file, ctx, path);
	else
		tc_temporary_create(&writer->file.fd, ctx);
	if (!tc_ctx_failed(ctx))
		set_name(writer);
	if (!tc_ctx_failed(ctx))
		open_database(writer);
	if (tc_ctx_failed(ctx))
		tc_writer_discard(writer);
	else
		*out = writer;
	return tc_ctx_status(ctx);
}

/* ---- indexes */

static void make_indexes(struct tc_writer *writer, const char *sql)
{
	run(writer, CACHE_FOR_INDEXES);
	run(writer, sql);
	run(writer, CACHE_FOR_ROWS);
}

void tc_writer_index(struct tc_writer *writer, bool full)
{
	make_indexes(writer, tc_indexes_sql);
	if (writer->is_several)
		make_indexes(writer, tc_several_rows_sql);
	if (full)
		make_indexes(writer, tc_full_sql);
}

void tc_writer_expect_several(struct tc_writer *writer)
{
	if (!writer->is_several)
		make_indexes(writer, tc_several_sql);
	writer->is_several = true;
}

sqlite3 *tc_writer_db(struct tc_writer *writer)
{
	assert(!writer->in_rows);
	return writer->db;
}

/* ---- rows */

/* From the connection to rows, and back. Each step is taken or not by its own success, whatever
 * another thread does to the context meanwhile: what is dropped later depends on where it stopped.
 */
static void begin_rows(struct tc_writer *writer)
{
	if (!writer->in_rows && run(writer, "COMMIT"))
		writer->in_rows = tc_row_pages_begin(writer->rows, writer->file.fd);
}

enum tc_status tc_writer_end_rows(struct tc_writer *writer)
{
	if (writer->in_rows && !tc_ctx_failed(writer->ctx)) {
		writer->in_rows = !tc_row_pages_end(writer->rows);
		if (!writer->in_rows)
			run_anyway(writer, "BEGIN EXCLUSIVE");
	}
	return tc_ctx_status(writer->ctx);
}

/* Appends every row of the batch to its table, where numbers ascend. Until tc_writer_end_rows()
 * there is no connection. */
static void put_batch(struct tc_writer *writer, const struct tc_batch *batch)
{
	struct tc_ctx *ctx = writer->ctx;

	begin_rows(writer);
	if (!tc_ctx_failed(ctx) && tc_ctx_interrupted(ctx))
		tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (!tc_ctx_failed(ctx))
		tc_row_pages_put(writer->rows, batch);
}

void tc_writer_put_row(
	struct tc_writer *writer, size_t kind, const struct tc_sql_value *values, size_t count)
{
	begin_rows(writer);
	if (!tc_ctx_failed(writer->ctx))
		tc_row_pages_append(writer->rows, kind, values, count);
}

void tc_writer_keep(struct tc_writer *writer, bool may_drop)
{
	const char *sql = may_drop ? "COMMIT; PRAGMA journal_mode = MEMORY;"
				   : "COMMIT; PRAGMA journal_mode = OFF;";

	if (run(writer, sql) && tc_row_pages_save(writer->rows, may_drop ? writer->file.fd : -1))
		run_anyway(writer, "BEGIN EXCLUSIVE");
}

void tc_writer_drop(struct tc_writer *writer)
{
	if (!writer->in_rows)
		run(writer, "ROLLBACK");
	if (!tc_ctx_failed(writer->ctx))
		tc_row_pages_restore(writer->rows);
	writer->in_rows = true;
	tc_writer_end_rows(writer);
}

enum tc_status tc_writer_take_batch(void *user, struct tc_batch **batch)
{
	struct tc_writer *writer = user;

	if (!*batch) {
		*batch = tc_batch_new();
		return *batch ? TC_OK : tc_no_memory(writer->ctx);
	}
	put_batch(writer, *batch);
	tc_batch_reset(*batch);
	return tc_ctx_status(writer->ctx);
}

/* ---- the seal */

/* A temporary store dies with its connection, so the transaction stays open, and pages in the cache
 * need not be written. */
static void commit(struct tc_writer *writer)
{
	struct tc_buf sql = {.ctx = writer->ctx};

	tc_buf_format(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;%s",
		TC_STORE_APPLICATION_ID, TC_STORE_VERSION, writer->temporary ? "" : "COMMIT");
	const char *text = tc_buf_string(&sql);
	if (text)
		run(writer, text);
	tc_buf_clear(&sql);
}

/* A temporary store keeps the connection that wrote it: the file has no name to open it by. */
static void seal_temporary(struct tc_store **out, struct tc_writer *writer)
{
	sqlite3 *db = writer->db;

	writer->db = NULL;
	tc_store_take_db(out, writer->ctx, db, NULL);
}

/* Checks the place again: it may have changed since the store was begun. */
static void publish(struct tc_writer *writer)
{
	struct tc_ctx *ctx = writer->ctx;
	struct tc_place *place = &writer->file.place;

	tc_store_check_target(ctx, place->path.ptr, TC_STORE_APPLICATION_ID, "a tracecoach store");
	refuse_stray(ctx, place);
	if (!tc_ctx_failed(ctx) && tc_ctx_interrupted(ctx))
		tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (!tc_ctx_failed(ctx))
		tc_pending_publish(&writer->file, ctx);
}

/* Opens the store before it gets its name, so that nothing can fail afterwards. */
static void seal_named(struct tc_store **out, struct tc_writer *writer)
{
	const char *path = writer->file.place.path.ptr;
	struct tc_store *store = NULL;

	if (sqlite3_close(writer->db) != SQLITE_OK) {
		tc_fail(writer->ctx, TC_ERR_INTERNAL, "cannot seal %s: a statement is still open",
			path);
		return;
	}
	writer->db = NULL;
	tc_store_open_written(&store, writer->ctx, writer->file.fd, path);
	if (store)
		publish(writer);
	if (tc_ctx_failed(writer->ctx))
		tc_store_close(store);
	else
		*out = store;
}

enum tc_status tc_writer_seal(struct tc_store **out, struct tc_writer *writer)
{
	struct tc_ctx *ctx = writer->ctx;

	tc_writer_end_rows(writer);
	commit(writer);
	if (!tc_ctx_failed(ctx) && writer->temporary)
		seal_temporary(out, writer);
	else if (!tc_ctx_failed(ctx))
		seal_named(out, writer);
	tc_writer_discard(writer);
	return tc_ctx_status(ctx);
}

void tc_writer_discard(struct tc_writer *writer)
{
	if (!writer)
		return;
	tc_row_pages_free(writer->rows);
	sqlite3_close_v2(writer->db);
	tc_pending_discard(&writer->file);
	tc_buf_clear(&writer->name);
	tc_free(writer);
}
