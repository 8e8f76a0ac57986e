/*
 * Sealed stores: checks that a file is one by its header, schema and values, opens it, and keeps it
 * read-only under an authorizer. A file with a name is opened read-only; a temporary store keeps
 * the connection that wrote it, and the authorizer makes that read-only.
 */
#include "store/connection.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/files/place.h"
#include "core/files/files.h"
#include "core/files/pending.h"
#include "core/files/reads.h"
#include "core/limits.h"
#include "store/functions/functions.h"
#include "store/layout/layout.h"
#include "store/sealed/guard.h"
#include "store/file/header.h"
#include "store/sql.h"
#include "store/file/vfs.h"
#include "tracecoach/version.h"

/* The statements in schema/, views/, indexes.sql and the like, embedded by the build. */
extern const char tc_schema_sql[], tc_views_sql[];
extern const char tc_indexes_sql[], tc_several_sql[], tc_several_rows_sql[], tc_full_sql[];

static const char *const schema[] = {tc_schema_sql, tc_views_sql, tc_indexes_sql, tc_several_sql,
	tc_several_rows_sql, tc_full_sql, NULL};

/* Indexes and sizes of arrays come from the numbers of labels, tracks and slices. What is asked
 * here takes no longer in a large store: the times of slices are checked where slices are loaded.
 */
static const struct tc_store_check checks[] = {
	{"SELECT 1 FROM (SELECT (SELECT min(id) FROM label) AS least,"
	 " (SELECT max(id) FROM label) AS most, (SELECT count(*) FROM label) AS count)"
	 " WHERE least <> 0 OR most <> count - 1",
		"its labels are not numbered from 0"},
	{"SELECT 1 FROM track GROUP BY trace_id HAVING min(id) < 0 OR max(id) - min(id) >="
	 " " TC_CHECK_LIMIT(TC_TRACK_MAX_COUNT),
		"the number of a track is out of range"},
	{"SELECT 1 FROM (SELECT (SELECT min(id) FROM slice_row) AS least,"
	 " (SELECT max(id) FROM slice_row) AS most), pragma_page_count, pragma_page_size"
	 " WHERE least < 0 OR most >= page_count * page_size",
		"the number of a slice is out of range"},
	{"SELECT 1 FROM trace WHERE start_ns NOT BETWEEN -" TC_CHECK_TIME_MAX
	 " AND " TC_CHECK_TIME_MAX " OR end_ns < start_ns OR read_bytes < 0 OR event_count < 0",
		"the time or size of a trace is out of range"},
	{"SELECT 1 FROM step WHERE ts NOT BETWEEN -" TC_CHECK_TIME_MAX " AND " TC_CHECK_TIME_MAX
	 " OR dur NOT BETWEEN -1 AND " TC_CHECK_TIME_MAX,
		"the time of a step is out of range"},
};

#define MAKER "'tracecoach import' makes one of a trace"
#define REMEDY_OF_OLD                                                                              \
	"'tracecoach import --again' reads its traces again into a new store, and 'tracecoach "    \
	"query' reads it as it is"

#define STORE_OF_TRACES(from)                                                                      \
	{                                                                                          \
		.noun = "store", .maker = MAKER, .remedy = "import the trace again",               \
		.remedy_of_old = REMEDY_OF_OLD, .application_id = TC_STORE_APPLICATION_ID,         \
		.version = TC_STORE_VERSION, .oldest = (from), .schema = schema, .checks = checks, \
		.check_count = TC_COUNT_OF(checks),                                                \
	}

static const struct tc_store_kind store_of_traces = STORE_OF_TRACES(TC_STORE_VERSION);
const struct tc_store_kind tc_store_of_any_version = STORE_OF_TRACES(1);

struct tc_store {
	struct tc_ctx *ctx;
	sqlite3 *db;
	char *path; /* NULL for a temporary one */
	bool strict;
};

/* PRAGMAs that only read, even with an argument. */
static const char *const describing_pragmas[] = {"table_info", "table_xinfo", "table_list",
	"index_list", "index_info", "index_xinfo", "foreign_key_list", "database_list",
	"function_list", "module_list", "pragma_list", "collation_list", "compile_options",
	"integrity_check", "quick_check"};
/* PRAGMAs that set a value with an argument, and read it without one. */
static const char *const header_pragmas[] = {
	"application_id", "user_version", "schema_version", "page_size", "page_count", "encoding"};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sqlite3_stricmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static int authorize_pragma(const char *name, const char *argument)
{
	if (is_one_of(name, describing_pragmas, TC_COUNT_OF(describing_pragmas)))
		return SQLITE_OK;
	if (!argument && is_one_of(name, header_pragmas, TC_COUNT_OF(header_pragmas)))
		return SQLITE_OK;
	return SQLITE_DENY;
}

/* Creating, changing and dropping. Temp tables are entered into sqlite_temp_master, which is in
 * temp too. */
static int authorize_write(const struct tc_store *store, const char *database)
{
	bool is_ours = !database || strcmp(database, "main") == 0;

	return store->strict || is_ours ? SQLITE_DENY : SQLITE_OK;
}

/* Authorizes one action of a statement that is being prepared; see sqlite3_set_authorizer(). */
static int authorize(void *user, int action, const char *first, const char *second,
	const char *database, const char *trigger)
{
	const struct tc_store *store = user;

	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION: return tc_sql_may_call(second) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_PRAGMA: return store->strict ? authorize_pragma(first, second) : SQLITE_OK;
	case SQLITE_ATTACH:
	case SQLITE_DETACH: return SQLITE_DENY;
	case SQLITE_UPDATE:
		/* The first use of json_each and similar functions declares a table, and SQLite
		 * asks for this. SQLITE_DBCONFIG_DEFENSIVE stops real writes there. */
		if (sqlite3_stricmp(first, "sqlite_master") == 0)
			return SQLITE_OK;
		return authorize_write(store, database);
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT: return store->strict ? SQLITE_DENY : SQLITE_OK;
	default: return authorize_write(store, database);
	}
}

void tc_store_guard(struct tc_store *store)
{
	sqlite3_set_authorizer(store->db, authorize, store);
	tc_sql_stop_on_interrupt(store->db, store->ctx);
}

void tc_store_set_strict(struct tc_store *store, bool strict)
{
	store->strict = strict;
}

/* Protects against malicious files, at no cost to queries. Must be called before anything is
 * read. */
static void distrust(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
}

/* Sets up a connection to a file from an unknown source; an SQLite code. */
static int set_up(sqlite3 *db)
{
	int code = tc_store_functions(db);

	distrust(db);
	return code ? code
		    : sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA cache_size = -2048",
			      NULL, NULL, NULL);
}

enum tc_status tc_store_take_db(
	struct tc_store **out, struct tc_ctx *ctx, sqlite3 *db, const char *name)
{
	struct tc_store *store = tc_calloc(1, sizeof(*store));

	if (store && name)
		store->path = tc_string_dup(name);
	if (!store || (name && !store->path)) {
		tc_free(store);
		sqlite3_close_v2(db);
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot open the store: out of memory");
	}
	store->ctx = ctx;
	store->db = db;
	distrust(db);
	tc_store_guard(store);
	*out = store;
	return TC_OK;
}

void tc_store_close(struct tc_store *store)
{
	if (!store)
		return;
	/* Statements still in use keep the connection open, but the guard's data is freed. */
	sqlite3_set_authorizer(store->db, NULL, NULL);
	sqlite3_progress_handler(store->db, 0, NULL, NULL);
	sqlite3_close_v2(store->db);
	tc_free(store->path);
	tc_free(store);
}

sqlite3 *tc_store_db(struct tc_store *store)
{
	return store->db;
}

const char *tc_store_path(const struct tc_store *store)
{
	return store->path;
}

/* ---- a copy as a file */

enum { COPY_BYTES = 1 << 20 };

/* Copies what SQLite reads the database from, by way of its own file system: a temporary store has
 * no name, and its file may be the one that the writer made or one that was opened. */
static void copy_file(struct tc_ctx *ctx, sqlite3 *db, int to)
{
	sqlite3_file *from = NULL;
	sqlite3_int64 size = 0;
	char *bytes = tc_malloc(COPY_BYTES);

	if (!bytes) {
		tc_no_memory(ctx);
		return;
	}
	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &from) != SQLITE_OK ||
		!from || !from->pMethods || from->pMethods->xFileSize(from, &size) != SQLITE_OK)
		tc_fail(ctx, TC_ERR_STORE, "cannot find the file of the store");
	for (sqlite3_int64 at = 0; at < size && !tc_ctx_failed(ctx); at += COPY_BYTES) {
		int len = size - at < COPY_BYTES ? (int)(size - at) : COPY_BYTES;
		int error = 0;

		if (tc_ctx_interrupted(ctx))
			tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
		else if (from->pMethods->xRead(from, bytes, len, at) != SQLITE_OK)
			tc_fail(ctx, TC_ERR_IO, "cannot read the store");
		else if ((error = tc_whole_write(to, bytes, (size_t)len, at)) != 0)
			tc_fail_errno(ctx, TC_ERR_IO, error, TC_TO_WRITE, "cannot write");
	}
	tc_free(bytes);
}

/* The transaction that wrote a temporary store is still open (writer.c), so that pages which fit
 * the cache are in no file: it ends here. */
static void end_writing(struct tc_ctx *ctx, struct tc_store *store)
{
	if (tc_ctx_failed(ctx) || sqlite3_get_autocommit(store->db))
		return;
	sqlite3_set_authorizer(store->db, NULL, NULL);
	if (sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		tc_store_fail(ctx, store->db, "end the store");
	tc_store_guard(store);
}

enum tc_status tc_store_save(struct tc_ctx *ctx, struct tc_store *store, const char *path)
{
	struct tc_pending file = TC_PENDING_NONE;

	TC_ENTER(ctx);
	if (tc_reads_has(ctx, path))
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s: is read, so it is not written over: give another name", path);
	tc_store_check_target(ctx, path, TC_STORE_APPLICATION_ID, "a tracecoach store");
	end_writing(ctx, store);
	if (!tc_ctx_failed(ctx))
		tc_pending_create(&file, ctx, path);
	if (!tc_ctx_failed(ctx))
		copy_file(ctx, store->db, file.fd);
	if (!tc_ctx_failed(ctx))
		tc_pending_publish(&file, ctx);
	tc_pending_discard(&file);
	return tc_ctx_failed(ctx) ? tc_fail(ctx, tc_ctx_status(ctx), "cannot save %s", path)
				  : TC_OK;
}

/* ---- is a file what this version writes? Reports and heuristics trust tables and views by name,
 * so a replaced view would run in place of the real one. */

/* The first difference by name between the schema that was found and the one that is wanted. */
static const char difference_sql[] =
	"SELECT says FROM (SELECT coalesce(f.name, '') AS name, iif(w.name IS NULL,"
	" 'it has something that is not ours: ' || coalesce(f.name, ''),"
	" 'its ' || f.name || ' is not that of this version') AS says"
	" FROM found f LEFT JOIN wanted w ON w.name = f.name"
	" WHERE (f.type, f.tbl_name, f.sql) IS NOT (w.type, w.tbl_name, w.sql)"
	" UNION ALL SELECT name, 'it has no table or view named ' || name FROM wanted"
	" WHERE type <> 'index' AND name NOT IN (SELECT name FROM found WHERE name IS NOT NULL))"
	" ORDER BY name LIMIT 1";

/* Compares sqlite_master of db, by text, with the schema that this version writes for that kind:
 * every table and view must be there as embedded, indexes may be there, and nothing else. */
static void check_schema(struct tc_ctx *ctx, sqlite3 *db, const struct tc_store_kind *kind)
{
	struct tc_tables ours = TC_TABLES_OF(ctx, NULL);
	int root = 0;
	int code = sqlite3_open(":memory:", &ours.db);

	if (code == SQLITE_OK)
		code = sqlite3_exec(ours.db,
			"CREATE TABLE wanted " TC_OBJECT_COLUMNS
			"; CREATE TABLE found " TC_OBJECT_COLUMNS,
			NULL, NULL, NULL);
	for (size_t i = 0; kind->schema[i] && code == SQLITE_OK; i++)
		code = tc_objects_put(ours.db, "wanted", kind->schema[i], &root);
	if (code != SQLITE_OK)
		tc_store_fail(ctx, ours.db, "make a list of the schema");
	struct tc_rows found = tc_rows_open(ctx, db,
		"SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT),"
		" CAST(sql AS TEXT) FROM sqlite_master WHERE sql IS NOT NULL");
	while (tc_rows_next(&found)) {
		const struct tc_sql_value values[] = {tc_rows_value(&found, 0),
			tc_rows_value(&found, 1), tc_rows_value(&found, 2),
			tc_rows_value(&found, 3)};
		TC_TABLES_PUT(&ours, "found (type, name, tbl_name, sql)", values);
	}
	struct tc_rows difference = tc_rows_open(ctx, ours.db, difference_sql);
	if (tc_rows_next(&difference))
		tc_fail(ctx, TC_ERR_STORE, "%s", tc_rows_text(&difference, 0).ptr);
	tc_rows_close(&difference);
	tc_tables_end(&ours);
	sqlite3_close(ours.db);
}

/* Whether the values are those that readers rely on. The schema is known to be that of the kind. */
static void check_values(struct tc_ctx *ctx, sqlite3 *db, const struct tc_store_kind *kind)
{
	bool found = false;
	int64_t ignored;

	for (size_t i = 0; i < kind->check_count && !tc_ctx_failed(ctx); i++) {
		tc_sql_lookup(&ignored, &found, ctx, db, kind->checks[i].sql, NULL);
		if (found)
			tc_fail(ctx, TC_ERR_STORE, "%s", kind->checks[i].says);
	}
}

/* Whether an unknown schema has only tables, views and indexes: no triggers, no virtual tables. A
 * virtual table has no page of its own. */
static void check_passive(struct tc_ctx *ctx, sqlite3 *db)
{
	int64_t count = 0;
	bool found;

	tc_sql_lookup(&count, &found, ctx, db,
		"SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'view', 'index')"
		" OR (type = 'table' AND coalesce(rootpage, 0) = 0)",
		NULL);
	if (count > 0)
		tc_fail(ctx, TC_ERR_STORE, "it has more than tables and views");
}

/* ---- opening a file */

/* What the kind says to do, in the words of the context; in room. */
static const char *advice_in(struct tc_buf *room, struct tc_ctx *ctx, const char *advice)
{
	tc_ctx_append_words(room, ctx, advice);
	const char *text = tc_buf_string(room);
	return text ? text : advice;
}

static void check_version(
	struct tc_ctx *ctx, int version, const char *name, const struct tc_store_kind *kind)
{
	struct tc_buf room = {.ctx = ctx};
	bool is_old = version < kind->oldest;

	if (is_old || version > kind->version)
		tc_fail(ctx, TC_ERR_STORE,
			"%s was made by %s tracecoach (%s version %d, this one reads %d); %s", name,
			is_old ? "an older" : "a newer", kind->noun, version, kind->version,
			advice_in(&room, ctx, is_old ? kind->remedy_of_old : kind->remedy));
	tc_buf_clear(&room);
}

/* Returns the version of the file. */
static int check_header(
	struct tc_ctx *ctx, int fd, const char *name, const struct tc_store_kind *kind)
{
	struct tc_store_header header = {0};
	struct tc_buf room = {.ctx = ctx};
	int error = tc_store_header_read(&header, fd);

	if (error)
		tc_fail_errno(
			ctx, TC_ERR_READ, error, TC_TO_READ, "cannot open %s", tc_path_shown(name));
	else if (!header.is_sqlite)
		tc_fail(ctx, TC_ERR_STORE, "%s is not a tracecoach %s (%s): %s", name, kind->noun,
			tc_place_is_directory(name) ? "a directory" : "not even an SQLite database",
			advice_in(&room, ctx, kind->maker));
	else if (header.application_id != kind->application_id)
		tc_fail(ctx, TC_ERR_STORE, "%s is an SQLite database, but no tracecoach %s: %s",
			name, kind->noun,
			advice_in(&room, ctx,
				kind->mistaken && header.application_id == kind->mistaken_id
					? kind->mistaken
					: kind->maker));
	else
		check_version(ctx, (int)header.user_version, name, kind);
	if (!tc_ctx_failed(ctx) && header.file_bytes < header.expected_bytes)
		tc_fail(ctx, TC_ERR_STORE, "%s is cut short: %lld of %lld bytes are there; %s",
			name, (long long)header.file_bytes, (long long)header.expected_bytes,
			kind->remedy);
	tc_buf_clear(&room);
	return (int)header.user_version;
}

/* The schema of an older version is not known; it must contain nothing that writes. */
static void check_contents(
	struct tc_ctx *ctx, sqlite3 *db, const struct tc_store_kind *kind, int version)
{
	tc_sql_stop_on_interrupt(db, ctx);
	if (version != kind->version) {
		check_passive(ctx, db);
	} else {
		check_schema(ctx, db, kind);
		check_values(ctx, db, kind);
	}
}

/* NULL when it failed. */
static sqlite3 *connect(struct tc_ctx *ctx, int fd)
{
	sqlite3 *db = NULL;

	if (tc_vfs_open(&db, fd, false) == SQLITE_OK && set_up(db) == SQLITE_OK)
		return db;
	tc_store_fail(ctx, db, "open the store");
	sqlite3_close_v2(db);
	return NULL;
}

enum tc_status tc_store_open_written(
	struct tc_store **out, struct tc_ctx *ctx, int fd, const char *name)
{
	sqlite3 *db = connect(ctx, fd);

	if (!db)
		tc_fail(ctx, tc_ctx_status(ctx), "%s", name);
	return db ? tc_store_take_db(out, ctx, db, name) : tc_ctx_status(ctx);
}

/* Opens the database in the file behind fd (-1: not a regular file), which stays the caller's. */
static struct tc_store *open_file(
	struct tc_ctx *ctx, int fd, const char *name, const struct tc_store_kind *kind)
{
	struct tc_store *store = NULL;
	int version = check_header(ctx, fd, name, kind);

	if (tc_ctx_failed(ctx))
		return NULL;
	sqlite3 *db = connect(ctx, fd);
	if (db)
		check_contents(ctx, db, kind, version);
	if (tc_ctx_status(ctx) == TC_ERR_STORE)
		tc_fail(ctx, TC_ERR_STORE, "%s is damaged or was changed by hand; %s", name,
			kind->remedy);
	else if (!db)
		tc_fail(ctx, tc_ctx_status(ctx), "%s", name);
	if (tc_ctx_failed(ctx))
		sqlite3_close_v2(db);
	else
		tc_store_take_db(&store, ctx, db, name);
	return store;
}

/* A directory that cannot be opened is treated as empty. */
static void note_stray(struct tc_ctx *ctx, const char *path)
{
	struct tc_buf stray = TC_BUF_EMPTY; /* stays empty, or is a terminated string */
	struct tc_place place;
	int error = tc_place_open(&place, path);

	if (!error) {
		error = tc_stray_find(&stray, &place);
		tc_place_close(&place);
	}
	if (!error && stray.len > 0)
		tc_ctx_note(ctx, TC_NOTE_WARNING,
			"warning: %s is there, but a store has no journal: it is not read: remove "
			"it, or import the trace again if another program has changed the store",
			stray.ptr);
	tc_buf_clear(&stray);
	if (error == ENOMEM)
		tc_fail(ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", path);
}

enum tc_status tc_store_open_kind(struct tc_store **out, struct tc_ctx *ctx, const char *path,
	const struct tc_store_kind *kind)
{
	struct tc_store *store = NULL;
	int fd = -1, error = tc_store_file_open(&fd, path);

	if (!error && fd >= 0)
		error = tc_reads_add(ctx, fd);
	if (error)
		tc_fail_errno(ctx, error == ENOMEM ? TC_ERR_NOMEM : TC_ERR_READ, error, TC_TO_READ,
			"cannot open %s", tc_path_shown(path));
	else
		store = open_file(ctx, fd, path, kind);
	if (fd >= 0)
		close(fd);
	if (store)
		note_stray(ctx, path);
	if (tc_ctx_failed(ctx))
		tc_store_close(store);
	else
		*out = store;
	return tc_ctx_status(ctx);
}

static void expect_traces(struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_rows traces = tc_rows_open(ctx, db, "SELECT path FROM trace");

	while (tc_rows_next(&traces)) {
		const char *path = tc_rows_text(&traces, 0).ptr;
		if (!path || tc_reads_expect(ctx, path) != 0)
			tc_no_memory(ctx);
	}
}

/* No report on a store is written over a trace that the store was made from. */
enum tc_status tc_store_open(struct tc_store **out, struct tc_ctx *ctx, const char *path)
{
	struct tc_store *store = NULL;

	TC_ENTER(ctx);
	tc_store_open_kind(&store, ctx, path, &store_of_traces);
	if (store)
		expect_traces(ctx, store->db);
	if (tc_ctx_failed(ctx))
		tc_store_close(store);
	else
		*out = store;
	return tc_ctx_status(ctx);
}

enum tc_status tc_store_open_any(struct tc_store **out, struct tc_ctx *ctx, const char *path)
{
	struct tc_store *store = NULL;
	int64_t version = 0;
	bool found = false;

	TC_ENTER(ctx);
	tc_store_open_kind(&store, ctx, path, &tc_store_of_any_version);
	if (store)
		tc_sql_lookup(&version, &found, ctx, store->db, "PRAGMA user_version", NULL);
	if (tc_ctx_failed(ctx)) {
		tc_store_close(store);
		return tc_ctx_status(ctx);
	}
	if (version < TC_STORE_VERSION)
		tc_ctx_note(ctx, TC_NOTE_HINT,
			"%s: a store of version %d: its tables and views are those of then, and "
			"the pages describe version %d",
			path, (int)version, TC_STORE_VERSION);
	*out = store;
	return TC_OK;
}

/* ---- another store beside it */

static void attach_file(struct tc_ctx *ctx, struct tc_store *store, const char *name, int fd)
{
	char *sql = sqlite3_mprintf("ATTACH '%d' AS \"%w\"", fd, name);

	if (!sql) {
		tc_no_memory(ctx);
		return;
	}
	sqlite3_set_authorizer(store->db, NULL, NULL);
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		tc_fail(ctx, TC_ERR_USAGE, "cannot attach a store as %s: %s", name,
			sqlite3_errmsg(store->db));
	tc_store_guard(store);
	sqlite3_free(sql);
}

enum tc_status tc_store_attach(
	struct tc_ctx *ctx, struct tc_store *store, const char *name, const char *path)
{
	struct tc_store *checked = NULL;
	int fd = -1;

	if (tc_store_open(&checked, ctx, path) != TC_OK)
		return tc_ctx_status(ctx);
	tc_store_close(checked);
	int error = tc_store_file_open(&fd, path);
	if (error || fd < 0)
		return tc_fail_errno(
			ctx, TC_ERR_READ, error, TC_TO_READ, "cannot open %s", tc_path_shown(path));
	attach_file(ctx, store, name, fd);
	close(fd);
	return tc_ctx_status(ctx);
}

/* ---- is a store fit for a report? */

/* Fails with the message when the query returns a row, or, with wanted, when it returns none. */
static void expect_row(
	struct tc_ctx *ctx, struct tc_store *store, const char *sql, bool wanted, const char *wrong)
{
	int64_t ignored;
	bool found = false;

	if (tc_ctx_failed(ctx))
		return;
	tc_sql_lookup(&ignored, &found, ctx, store->db, sql, NULL);
	if (tc_ctx_failed(ctx))
		tc_fail(ctx, tc_ctx_status(ctx), "%s", store->path);
	else if (found != wanted)
		tc_fail(ctx, TC_ERR_INPUT, "%s: %s", store->path, wrong);
}

enum tc_status tc_store_check(struct tc_ctx *ctx, struct tc_store *store, bool strict)
{
	TC_ENTER(ctx);
	expect_row(ctx, store, "SELECT 1 FROM trace LIMIT 1", true,
		"there is no trace in it: import the trace again");
	if (strict) {
		expect_row(ctx, store,
			"SELECT 1 FROM import_log WHERE severity = 'data_loss' LIMIT 1", false,
			"parts of a trace were lost: --strict refuses it: read its table "
			"import_log");
		expect_row(ctx, store, "SELECT 1 FROM left_out LIMIT 1", false,
			"inputs were left out of it: --strict refuses it: read its table left_out");
	}
	struct tc_rows left_out =
		tc_rows_open(ctx, store->db, "SELECT reason FROM left_out ORDER BY id");
	while (tc_rows_next(&left_out)) {
		const char *reason = tc_rows_text(&left_out, 0).ptr;
		tc_ctx_note(ctx, TC_NOTE_LEFT_OUT, "%s", reason ? reason : "no reason");
	}
	return tc_ctx_status(ctx);
}
