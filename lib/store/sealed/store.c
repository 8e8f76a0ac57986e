/*
 * Sealed stores: checks that a file is one, opens it, and keeps it read-only. See
 * tracecoach/store.h and guard.h.
 */
#include "store/connection.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/files/place.h"
#include "core/files/reads.h"
#include "core/files/remedy.h"
#include "core/limits.h"
#include "store/sealed/check.h"
#include "store/functions/functions.h"
#include "store/sealed/guard.h"
#include "store/file/header.h"
#include "store/sql.h"
#include "store/file/stray.h"
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

static enum tc_status check_version(
	struct tc_ctx *ctx, int version, const char *name, const struct tc_store_kind *kind)
{
	bool is_old = version < kind->oldest;

	if (!is_old && version <= kind->version)
		return TC_OK;
	return tc_fail(ctx, TC_ERR_STORE,
		"%s was made by %s tracecoach (%s version %d, this one reads %d); %s", name,
		is_old ? "an older" : "a newer", kind->noun, version, kind->version,
		is_old ? kind->remedy_of_old : kind->remedy);
}

static enum tc_status check_header(int *version, struct tc_ctx *ctx, int fd, const char *name,
	const struct tc_store_kind *kind)
{
	struct tc_store_header header;
	int error = tc_store_header_read(&header, fd);

	if (error)
		return tc_fail(ctx, TC_ERR_READ, "cannot open %s: %s%s", name, strerror(error),
			tc_remedy(error, TC_TO_READ));
	if (!header.is_sqlite)
		return tc_fail(ctx, TC_ERR_STORE, "%s is not a tracecoach %s (%s): %s", name,
			kind->noun,
			tc_place_is_directory(name) ? "a directory" : "not even an SQLite database",
			kind->maker);
	if (header.application_id != kind->application_id)
		return tc_fail(ctx, TC_ERR_STORE,
			"%s is an SQLite database, but no tracecoach %s: %s", name, kind->noun,
			kind->mistaken && header.application_id == kind->mistaken_id
				? kind->mistaken
				: kind->maker);
	if (check_version(ctx, (int)header.user_version, name, kind))
		return TC_ERR_STORE;
	if (header.file_bytes < header.expected_bytes)
		return tc_fail(ctx, TC_ERR_STORE,
			"%s is cut short: %lld of %lld bytes are there; %s", name,
			(long long)header.file_bytes, (long long)header.expected_bytes,
			kind->remedy);
	*version = (int)header.user_version;
	return TC_OK;
}

/* The schema of an older version is not known; it must contain nothing that writes. */
static enum tc_status check_contents(struct tc_ctx *ctx, sqlite3 *db, const char *name,
	const struct tc_store_kind *kind, int version)
{
	bool is_known = version == kind->version;

	tc_sql_stop_on_interrupt(db, ctx);
	enum tc_status status =
		is_known ? tc_store_check_schema(ctx, db, kind) : tc_store_check_passive(ctx, db);
	if (!status && is_known)
		status = tc_store_check_values(ctx, db, kind);
	if (status == TC_ERR_STORE)
		return tc_fail(ctx, status, "%s is damaged or was changed by hand; %s", name,
			kind->remedy);
	return status;
}

/* The caller closes *db, also when it failed. */
static enum tc_status connect(sqlite3 **db, struct tc_ctx *ctx, int fd, const char *name)
{
	*db = NULL;
	if (tc_vfs_open(db, fd, false) || set_up(*db))
		return tc_fail(ctx, tc_store_fail(ctx, *db, "open the store"), "%s", name);
	return TC_OK;
}

enum tc_status tc_store_open_written(
	struct tc_store **out, struct tc_ctx *ctx, int fd, const char *name)
{
	sqlite3 *db;
	enum tc_status status = connect(&db, ctx, fd, name);

	if (!status)
		return tc_store_take_db(out, ctx, db, name);
	sqlite3_close_v2(db);
	return status;
}

/* Opens the database in the file behind fd (-1: not a regular file), which stays the caller's. */
static enum tc_status open_file(struct tc_store **out, struct tc_ctx *ctx, int fd, const char *name,
	const struct tc_store_kind *kind)
{
	int version = 0;
	enum tc_status status = check_header(&version, ctx, fd, name, kind);
	sqlite3 *db;

	if (status)
		return status;
	status = connect(&db, ctx, fd, name);
	if (!status)
		status = check_contents(ctx, db, name, kind, version);
	if (status) {
		sqlite3_close_v2(db);
		return status;
	}
	return tc_store_take_db(out, ctx, db, name);
}

/* A directory that cannot be opened is treated as empty. */
static enum tc_status note_stray(struct tc_ctx *ctx, const char *path)
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
	return error == ENOMEM ? tc_fail(ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", path)
			       : TC_OK;
}

enum tc_status tc_store_open_kind(struct tc_store **out, struct tc_ctx *ctx, const char *path,
	const struct tc_store_kind *kind)
{
	struct tc_store *store = NULL;
	int fd = -1, error = tc_store_file_open(&fd, path);

	if (!error && fd >= 0)
		error = tc_reads_add(ctx, fd);
	if (error && fd >= 0)
		close(fd);
	if (error)
		return tc_fail(ctx, error == ENOMEM ? TC_ERR_NOMEM : TC_ERR_READ,
			"cannot open %s: %s%s", path, strerror(error),
			tc_remedy(error, TC_TO_READ));
	enum tc_status status = open_file(&store, ctx, fd, path, kind);
	if (fd >= 0)
		close(fd);
	if (!status)
		status = note_stray(ctx, path);
	if (status)
		tc_store_close(store);
	else
		*out = store;
	return status;
}

enum tc_status tc_store_open(struct tc_store **out, struct tc_ctx *ctx, const char *path)
{
	tc_ctx_clear_error(ctx);
	return tc_store_open_kind(out, ctx, path, &store_of_traces);
}

enum tc_status tc_store_open_any(struct tc_store **out, struct tc_ctx *ctx, const char *path)
{
	struct tc_store *store = NULL;
	int64_t version = 0;
	bool found = false;

	tc_ctx_clear_error(ctx);
	enum tc_status status = tc_store_open_kind(&store, ctx, path, &tc_store_of_any_version);
	if (!status)
		status = tc_sql_lookup(
			&version, &found, ctx, store->db, "PRAGMA user_version", NULL);
	if (status) {
		tc_store_close(store);
		return status;
	}
	if (version < TC_STORE_VERSION)
		tc_ctx_note(ctx, TC_NOTE_HINT,
			"%s: a store of version %d: its tables and views are those of then, and "
			"the pages describe version %d",
			path, (int)version, TC_STORE_VERSION);
	*out = store;
	return TC_OK;
}

static enum tc_status attach_file(
	struct tc_ctx *ctx, struct tc_store *store, const char *name, int fd)
{
	char *sql = sqlite3_mprintf("ATTACH '%d' AS \"%w\"", fd, name);
	enum tc_status status = TC_OK;

	if (!sql)
		return tc_no_memory(ctx);
	sqlite3_set_authorizer(store->db, NULL, NULL);
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		status = tc_fail(ctx, TC_ERR_USAGE, "cannot attach a store as %s: %s", name,
			sqlite3_errmsg(store->db));
	tc_store_guard(store);
	sqlite3_free(sql);
	return status;
}

enum tc_status tc_store_attach(
	struct tc_ctx *ctx, struct tc_store *store, const char *name, const char *path)
{
	struct tc_store *checked = NULL;
	int fd = -1, error;
	enum tc_status status = tc_store_open(&checked, ctx, path);

	tc_store_close(checked);
	if (status)
		return status;
	error = tc_store_file_open(&fd, path);
	if (error || fd < 0)
		return tc_fail(ctx, TC_ERR_READ, "cannot open %s: %s", path, strerror(error));
	status = attach_file(ctx, store, name, fd);
	close(fd);
	return status;
}
