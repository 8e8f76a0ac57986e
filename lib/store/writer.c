/*
 * Writer: one private file, one connection, one transaction, one statement per kind of row. A
 * failure leaves the file as it is; the writer is then only good for tc_writer_discard().
 */
#include "store/writer.h"

#include <errno.h>
#include <string.h>

#include "core/alloc.h"
#include "store/guard.h"
#include "store/header.h"
#include "store/private.h"

/* The text of schema.sql and views.sql, embedded by the build. */
extern const char tc_schema_sql[], tc_views_sql[];

enum insert { INSERT_SLICE, INSERT_INSTANT, INSERT_COUNTER, INSERT_MEMORY, INSERT_COUNT };

static const char *const insert_sql[INSERT_COUNT] = {
	[INSERT_SLICE] = "INSERT INTO slice_row (id, ts, dur, track_id, label_id, args) "
			 "VALUES (?, ?, ?, ?, ?, ?)",
	[INSERT_INSTANT] = "INSERT INTO instant_row (id, trace_id, ts, track_id, label_id, scope, "
			   "args) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[INSERT_COUNTER] = "INSERT INTO counter (id, trace_id, ts, process_id, name, value) "
			   "VALUES (?, ?, ?, ?, ?, ?)",
	[INSERT_MEMORY] = "INSERT INTO memory_sample (id, trace_id, ts, device_type, device_id, "
			  "addr, bytes, total_allocated_bytes, total_reserved_bytes) "
			  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

/* The file is private until the seal, so nothing has to survive a crash before that: no journal,
 * no syncs, no locks. Large pages make appends cheap; spilled pages bound the cache. */
static const char start_sql[] = "PRAGMA page_size = 65536;"
				"PRAGMA journal_mode = OFF;"
				"PRAGMA synchronous = OFF;"
				"PRAGMA locking_mode = EXCLUSIVE;"
				"PRAGMA temp_store = FILE;"
				"PRAGMA cache_size = -16384;"
				"BEGIN EXCLUSIVE";

struct tc_writer {
	struct tc_ctx *ctx;
	sqlite3 *db;
	sqlite3_stmt *inserts[INSERT_COUNT];
	struct tc_private file;
	bool temporary;
};

/* Only a store of ours may be replaced. */
static enum tc_status check_target(struct tc_ctx *ctx, const char *path)
{
	struct tc_store_header header;
	int error = tc_store_header_read(&header, path);

	if (error == ENOENT)
		return TC_OK;
	if (error)
		return tc_fail(ctx, TC_ERR_IO, "cannot create %s: %s", path, strerror(error));
	if (!header.is_sqlite || header.application_id != TC_STORE_APPLICATION_ID)
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s exists and is no tracecoach store; it is not replaced: "
			"choose another name or remove it",
			path);
	return TC_OK;
}

static enum tc_status open_database(struct tc_writer *writer)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

	if (sqlite3_open_v2(writer->file.path.ptr, &writer->db, flags, NULL))
		return tc_store_fail(writer->ctx, writer->db, "create the store");
	if (sqlite3_exec(writer->db, start_sql, NULL, NULL, NULL) ||
		sqlite3_exec(writer->db, tc_schema_sql, NULL, NULL, NULL) ||
		sqlite3_exec(writer->db, tc_views_sql, NULL, NULL, NULL))
		return tc_store_fail(writer->ctx, writer->db, "make the tables of the store");
	return TC_OK;
}

enum tc_status tc_writer_open(struct tc_writer **out, struct tc_ctx *ctx, const char *path)
{
	enum tc_status status = path ? check_target(ctx, path) : TC_OK;
	struct tc_writer *writer = NULL;

	if (status)
		return status;
	writer = tc_calloc(1, sizeof(*writer));
	if (!writer)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot create the store: out of memory");
	writer->ctx = ctx;
	writer->temporary = !path;
	status = tc_private_create(&writer->file, ctx, path);
	if (!status)
		status = open_database(writer);
	if (status) {
		tc_writer_discard(writer);
		return status;
	}
	if (writer->temporary)
		tc_private_unlink(&writer->file);
	*out = writer;
	return TC_OK;
}

sqlite3 *tc_writer_db(struct tc_writer *writer)
{
	return writer->db;
}

static enum tc_status write_failed(struct tc_writer *writer)
{
	enum tc_status status = tc_store_fail(writer->ctx, writer->db, "write the store");

	return writer->temporary ? status
				 : tc_fail(writer->ctx, status, "%s", writer->file.final_path.ptr);
}

static enum tc_status prepare(struct tc_writer *writer, enum insert kind)
{
	if (writer->inserts[kind])
		return TC_OK;
	if (sqlite3_prepare_v3(writer->db, insert_sql[kind], -1, SQLITE_PREPARE_PERSISTENT,
		    &writer->inserts[kind], NULL))
		return write_failed(writer);
	return TC_OK;
}

/* Runs the insert; its bindings stay until the next row overwrites them. Binding cannot fail but
 * for memory, and then a NOT NULL constraint or the step tells. */
static enum tc_status insert_row(struct tc_writer *writer, sqlite3_stmt *insert)
{
	sqlite3_step(insert);
	if (sqlite3_reset(insert) != SQLITE_OK)
		return write_failed(writer);
	return TC_OK;
}

static void bind_text(sqlite3_stmt *insert, int column, const struct tc_batch *batch,
	uint32_t offset, uint32_t len)
{
	sqlite3_bind_text(insert, column, batch->text.ptr + offset, (int)len, SQLITE_STATIC);
}

/* INT64_MIN stands for NULL. */
static void bind_optional(sqlite3_stmt *insert, int column, int64_t value)
{
	if (value == INT64_MIN)
		sqlite3_bind_null(insert, column);
	else
		sqlite3_bind_int64(insert, column, value);
}

static void bind_args(sqlite3_stmt *insert, int column, const struct tc_batch *batch,
	const struct tc_row_args *args)
{
	if (args->same_as >= 0)
		sqlite3_bind_int64(insert, column, args->same_as);
	else if (args->len > 0)
		bind_text(insert, column, batch, args->offset, args->len);
	else
		sqlite3_bind_null(insert, column);
}

static enum tc_status put_slices(struct tc_writer *writer, const struct tc_batch *batch)
{
	enum tc_status status = prepare(writer, INSERT_SLICE);
	sqlite3_stmt *insert = writer->inserts[INSERT_SLICE];

	for (size_t i = 0; !status && i < batch->slice_count; i++) {
		const struct tc_slice_row *row = &batch->slices[i];
		sqlite3_bind_int64(insert, 1, row->id);
		sqlite3_bind_int64(insert, 2, row->ts_ns);
		sqlite3_bind_int64(insert, 3, row->dur_ns);
		sqlite3_bind_int64(insert, 4, row->track_id);
		sqlite3_bind_int64(insert, 5, row->label_id);
		bind_args(insert, 6, batch, &row->args);
		status = insert_row(writer, insert);
	}
	return status;
}

static const char *scope_name(char scope)
{
	return scope == 'g' ? "global" : scope == 'p' ? "process" : "thread";
}

static enum tc_status put_instants(struct tc_writer *writer, const struct tc_batch *batch)
{
	enum tc_status status = prepare(writer, INSERT_INSTANT);
	sqlite3_stmt *insert = writer->inserts[INSERT_INSTANT];

	for (size_t i = 0; !status && i < batch->instant_count; i++) {
		const struct tc_instant_row *row = &batch->instants[i];
		sqlite3_bind_int64(insert, 1, row->id);
		sqlite3_bind_int64(insert, 2, batch->trace_id);
		sqlite3_bind_int64(insert, 3, row->ts_ns);
		sqlite3_bind_int64(insert, 4, row->track_id);
		sqlite3_bind_int64(insert, 5, row->label_id);
		sqlite3_bind_text(insert, 6, scope_name(row->scope), -1, SQLITE_STATIC);
		bind_args(insert, 7, batch, &row->args);
		status = insert_row(writer, insert);
	}
	return status;
}

static enum tc_status put_counters(struct tc_writer *writer, const struct tc_batch *batch)
{
	enum tc_status status = prepare(writer, INSERT_COUNTER);
	sqlite3_stmt *insert = writer->inserts[INSERT_COUNTER];

	for (size_t i = 0; !status && i < batch->counter_count; i++) {
		const struct tc_counter_row *row = &batch->counters[i];
		sqlite3_bind_int64(insert, 1, row->id);
		sqlite3_bind_int64(insert, 2, batch->trace_id);
		sqlite3_bind_int64(insert, 3, row->ts_ns);
		bind_optional(insert, 4, row->process_id < 0 ? INT64_MIN : row->process_id);
		bind_text(insert, 5, batch, row->name_offset, row->name_len);
		sqlite3_bind_double(insert, 6, row->value);
		status = insert_row(writer, insert);
	}
	return status;
}

static enum tc_status put_memories(struct tc_writer *writer, const struct tc_batch *batch)
{
	enum tc_status status = prepare(writer, INSERT_MEMORY);
	sqlite3_stmt *insert = writer->inserts[INSERT_MEMORY];

	for (size_t i = 0; !status && i < batch->memory_count; i++) {
		const struct tc_memory_row *row = &batch->memories[i];
		sqlite3_bind_int64(insert, 1, row->id);
		sqlite3_bind_int64(insert, 2, batch->trace_id);
		sqlite3_bind_int64(insert, 3, row->ts_ns);
		bind_optional(insert, 4, row->device_type);
		bind_optional(insert, 5, row->device_id);
		if (row->addr_len > 0)
			bind_text(insert, 6, batch, row->addr_offset, row->addr_len);
		else
			bind_optional(insert, 6, row->addr);
		bind_optional(insert, 7, row->bytes);
		bind_optional(insert, 8, row->allocated_bytes);
		bind_optional(insert, 9, row->reserved_bytes);
		status = insert_row(writer, insert);
	}
	return status;
}

enum tc_status tc_writer_put(struct tc_writer *writer, const struct tc_batch *batch)
{
	enum tc_status status = TC_OK;

	if (batch->slice_count > 0)
		status = put_slices(writer, batch);
	if (!status && batch->instant_count > 0)
		status = put_instants(writer, batch);
	if (!status && batch->counter_count > 0)
		status = put_counters(writer, batch);
	if (!status && batch->memory_count > 0)
		status = put_memories(writer, batch);
	return status;
}

static void finalize_inserts(struct tc_writer *writer)
{
	for (int i = 0; i < INSERT_COUNT; i++) {
		sqlite3_finalize(writer->inserts[i]);
		writer->inserts[i] = NULL;
	}
}

static enum tc_status commit(struct tc_writer *writer)
{
	struct tc_buf sql = TC_BUF_EMPTY;

	finalize_inserts(writer);
	tc_buf_format(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
		TC_STORE_APPLICATION_ID, TC_STORE_VERSION);
	const char *text = tc_buf_string(&sql);
	enum tc_status status = TC_OK;
	if (!text)
		status = tc_fail(writer->ctx, TC_ERR_NOMEM, "cannot seal: out of memory");
	else if (sqlite3_exec(writer->db, text, NULL, NULL, NULL))
		status = write_failed(writer);
	tc_buf_clear(&sql);
	return status;
}

/* The connection that wrote a temporary store stays: the file has no name to open it by. */
static enum tc_status seal_temporary(struct tc_store **out, struct tc_writer *writer)
{
	sqlite3 *db = writer->db;

	writer->db = NULL;
	return tc_store_take_db(out, writer->ctx, db, NULL);
}

/* Opened before it gets its name, so that nothing can fail afterwards. */
static enum tc_status seal_named(struct tc_store **out, struct tc_writer *writer)
{
	struct tc_private *file = &writer->file;
	struct tc_store *store = NULL;

	if (sqlite3_close(writer->db) != SQLITE_OK)
		return tc_fail(writer->ctx, TC_ERR_INTERNAL,
			"cannot seal %s: a statement is still open", file->final_path.ptr);
	writer->db = NULL;
	enum tc_status status = tc_private_sync(file, writer->ctx);
	if (!status)
		status =
			tc_store_open_as(&store, writer->ctx, file->path.ptr, file->final_path.ptr);
	if (!status)
		status = tc_private_publish(file, writer->ctx);
	if (status) {
		tc_store_close(store);
		return status;
	}
	*out = store;
	return TC_OK;
}

enum tc_status tc_writer_seal(struct tc_store **out, struct tc_writer *writer)
{
	enum tc_status status = commit(writer);

	if (!status)
		status = writer->temporary ? seal_temporary(out, writer) : seal_named(out, writer);
	tc_writer_discard(writer);
	return status;
}

void tc_writer_discard(struct tc_writer *writer)
{
	if (!writer)
		return;
	finalize_inserts(writer);
	sqlite3_close_v2(writer->db);
	tc_private_clear(&writer->file);
	tc_free(writer);
}
