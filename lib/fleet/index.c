/*
 * Indexes: what makes a file one, records, the reader and the writer. A record is the bytes of its
 * rows: the kind and the number of values of each, and of each value its kind and its bytes; a text
 * has its length before it. An index is written in one transaction without a journal in a pending
 * file, as a store is.
 */
#include "fleet/index.h"

#include <errno.h>
#include <unistd.h>

#include "analysis/metrics.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/files/pending.h"
#include "core/files/place.h"
#include "store/connection.h"
#include "store/file/header.h"
#include "store/file/vfs.h"
#include "store/sealed/kind.h"
#include "store/sql.h"
#include "tracecoach/fleet.h"
#include "tracecoach/version.h"

/* The text of index.sql, embedded by the build. */
extern const char tc_index_sql[];

static const char *const schema[] = {tc_index_sql, NULL};

/* A path that leads out of the directory of the batch: whoever follows it would leave that. */
#define LEADS_OUT "(substr(path, 1, 1) = '/' OR instr('/' || path || '/', '/../') > 0)"

/* Ranks are what the files say, so they may be any number. */
static const struct tc_store_check checks[] = {
	{"SELECT 1 FROM batch WHERE (shard IS NULL) <> (shard_count IS NULL) OR shard_count NOT"
	 " BETWEEN 1 AND " TC_CHECK_LIMIT(
		 TC_SHARD_MAX_COUNT) " OR shard NOT BETWEEN 0 AND shard_count - 1",
		"the number of its shard, or of all shards, is out of range"},
	{"SELECT 1 FROM job WHERE id NOT BETWEEN 0 AND " TC_CHECK_TIME_MAX " OR path = ''",
		"a job has no number or no name"},
	{"SELECT 1 FROM job WHERE price NOT BETWEEN 0 AND 1e9",
		"the price of a job is out of range"},
	{"SELECT 1 FROM job WHERE state NOT IN ('done', 'failed')"
	 " UNION ALL SELECT 1 FROM trace WHERE state NOT IN ('done', 'failed', 'stopped')",
		"the state of a job or trace is none that there is"},
	{"SELECT 1 FROM job WHERE " LEADS_OUT " UNION ALL SELECT 1 FROM trace WHERE " LEADS_OUT,
		"a path leads out of the directory of the batch"},
	{"SELECT 1 FROM trace WHERE size_bytes < 0 OR read_bytes < 0 OR event_count < 0"
	 " OR end_ns < start_ns",
		"the time or size of a trace is out of range"},
	{"SELECT 1 FROM trace t WHERE id NOT BETWEEN 0 AND " TC_CHECK_TIME_MAX
	 " OR job_id NOT IN (SELECT id FROM job) OR NOT EXISTS (SELECT 1 FROM trace g"
	 " WHERE g.id = coalesce(t.group_trace_id, t.id) AND g.job_id = t.job_id)",
		"a trace is of no job, or recorded with one of another job"},
	{"SELECT 1 FROM job WHERE pace_trace_id IS NOT NULL"
	 " AND pace_trace_id NOT IN (SELECT id FROM trace WHERE job_id = job.id)",
		"the trace that stands for a job is none of its traces"},
	{"SELECT 1 FROM metric WHERE unit NOT IN ('ns', 'bytes', 'count', 'pct', 'ratio')"
	 " UNION ALL SELECT 1 FROM metric GROUP BY name HAVING count(*) > 1",
		"a metric has no unit that there is, or the name of another"},
	{"SELECT 1 FROM trace WHERE metric_set_id IS NOT NULL"
	 " AND metric_set_id NOT IN (SELECT id FROM metric_set)"
	 " UNION ALL SELECT 1 FROM metric_set WHERE metric_id NOT IN (SELECT id FROM metric)"
	 " UNION ALL SELECT 1 FROM run_metric WHERE metric_id NOT IN (SELECT id FROM metric)",
		"a trace has metrics that there are not"},
	{"SELECT 1 FROM run_metric WHERE value NOT BETWEEN -" TC_CHECK_TIME_MAX
	 " AND " TC_CHECK_TIME_MAX,
		"a metric is out of range"},
	{"SELECT 1 FROM finding WHERE gain_ns NOT BETWEEN 0 AND " TC_CHECK_TIME_MAX
	 " OR gain_pct NOT BETWEEN 0 AND 100",
		"the gain of a finding is out of range"},
	{"SELECT 1 FROM finding WHERE heuristic_id NOT IN (SELECT id FROM heuristic)"
	 " OR trace_id NOT IN (SELECT id FROM trace)"
	 " OR severity NOT IN ('high', 'medium', 'low', 'info')"
	 " OR confidence NOT IN ('measured', 'inferred', 'guessed')",
		"a finding is of no trace or heuristic, or has no severity that there is"},
};

static const struct tc_store_kind index_kind = {
	.noun = "index",
	.maker = "'tracecoach batch' makes one of many traces",
	.remedy = "run the batch again",
	.remedy_of_old = "run the batch again",
	.application_id = TC_INDEX_APPLICATION_ID,
	.mistaken_id = TC_STORE_APPLICATION_ID,
	.mistaken = "it is a store of traces: 'tracecoach analyze' reports it",
	.version = TC_INDEX_VERSION,
	.oldest = TC_INDEX_VERSION,
	.schema = schema,
	.checks = checks,
	.check_count = TC_COUNT_OF(checks),
};

/* The path itself, or that of the index in a directory. NULL when memory is out. */
static const char *file_of(struct tc_buf *out, const char *path)
{
	tc_buf_append_string(out, path);
	if (tc_place_is_directory(path))
		tc_buf_append_string(out, "/" TC_INDEX_NAME);
	return tc_buf_string(out);
}

/* Like a file of a job, with any marks. */
static bool is_like_kept(struct tc_text name)
{
	while (name.len > 0 && name.ptr[name.len - 1] == '_')
		name.len--;
	return tc_text_ends(name, TC_TEXT(".db")) || tc_text_ends(name, TC_TEXT(".json")) ||
	       tc_text_ends(name, TC_TEXT(".html"));
}

void tc_index_append_kept(struct tc_buf *name, struct tc_text job)
{
	size_t start = 0;

	if (tc_text_equal(job, TC_TEXT("."))) {
		tc_buf_append_string(name, "root");
		return;
	}
	for (size_t i = 0; i < job.len; i++) {
		if (job.ptr[i] == '/') {
			if (is_like_kept((struct tc_text){job.ptr + start, i - start}))
				tc_buf_append_char(name, '_');
			start = i + 1;
		}
		tc_buf_append_char(name, job.ptr[i]);
	}
	/* The files of the root have the name "root". */
	while (job.len > 0 && job.ptr[job.len - 1] == '_')
		job.len--;
	if (tc_text_equal(job, TC_TEXT("root")))
		tc_buf_append_char(name, '_');
}

bool tc_index_is(const char *path)
{
	struct tc_buf file = TC_BUF_EMPTY;
	struct tc_store_header header;
	const char *name = file_of(&file, path);
	bool is_index = name && tc_store_header_find(&header, name) == 0 && header.is_sqlite &&
			header.application_id == TC_INDEX_APPLICATION_ID;

	tc_buf_clear(&file);
	return is_index;
}

enum tc_status tc_index_open(struct tc_store **out, struct tc_ctx *ctx, const char *path)
{
	TC_ENTER(ctx);
	struct tc_buf file = {.ctx = ctx};
	const char *name = file_of(&file, path);

	if (name && tc_place_is_directory(path) && access(name, F_OK) != 0 && errno == ENOENT)
		tc_fail(ctx, TC_ERR_READ,
			"%s: a directory without an index: run 'tracecoach batch' on it first, or "
			"'tracecoach merge' where shards have made theirs",
			path);
	else if (name)
		tc_store_open_kind(out, ctx, name, &index_kind);
	tc_buf_clear(&file);
	return tc_ctx_status(ctx);
}

enum tc_status tc_index_left_out(int64_t *done_count, struct tc_ctx *ctx, struct tc_store *index,
	void (*hear)(void *user, const char *path, const char *reason), void *user)
{
	TC_ENTER(ctx);
	struct tc_rows row = tc_rows_open(ctx, tc_store_db(index),
		"SELECT path, ifnull(reason, '') FROM trace WHERE state <> 'done'"
		" UNION ALL SELECT path, reason FROM left_out ORDER BY path");

	while (tc_rows_next(&row))
		hear(user, tc_rows_text(&row, 0).ptr, tc_rows_text(&row, 1).ptr);
	*done_count = tc_rows_single(
		ctx, tc_store_db(index), "SELECT count(*) FROM trace WHERE state = 'done'", 0);
	return tc_ctx_status(ctx);
}

static void add_value(struct tc_buf *record, const struct tc_sql_value *value)
{
	uint32_t len = (uint32_t)value->text.len;

	tc_buf_append_char(record, (char)value->kind);
	switch (value->kind) {
	case TC_SQL_NULL: break;
	case TC_SQL_INT:
		tc_buf_append(record, (const char *)&value->i64, sizeof(value->i64));
		break;
	case TC_SQL_REAL:
		tc_buf_append(record, (const char *)&value->real, sizeof(value->real));
		break;
	case TC_SQL_TEXT:
		tc_buf_append(record, (const char *)&len, sizeof(len));
		tc_buf_append(record, value->text.ptr, len);
		break;
	}
}

void tc_record_add(struct tc_buf *record, enum tc_row_kind kind, const struct tc_sql_value *values,
	size_t count)
{
	tc_buf_append_char(record, (char)kind);
	tc_buf_append_char(record, (char)count);
	for (size_t i = 0; i < count; i++)
		add_value(record, &values[i]);
}

/* Copies len bytes from the front, and drops them there. */
static bool take(void *out, struct tc_text *rest, size_t len)
{
	if (rest->len < len)
		return false;
	memcpy(out, rest->ptr, len);
	rest->ptr += len;
	rest->len -= len;
	return true;
}

static bool take_value(struct tc_sql_value *value, struct tc_text *rest)
{
	unsigned char kind;
	uint32_t len;

	*value = tc_sql_null();
	if (!take(&kind, rest, 1) || kind > TC_SQL_TEXT)
		return false;
	switch (kind) {
	case TC_SQL_INT: value->kind = TC_SQL_INT; return take(&value->i64, rest, 8);
	case TC_SQL_REAL: value->kind = TC_SQL_REAL; return take(&value->real, rest, 8);
	case TC_SQL_TEXT:
		if (!take(&len, rest, sizeof(len)) || rest->len < len)
			return false;
		*value = tc_sql_text((struct tc_text){rest->ptr, len});
		rest->ptr += len;
		rest->len -= len;
		return true;
	default: return true;
	}
}

bool tc_record_next(struct tc_row *row, struct tc_text *rest)
{
	static const unsigned char counts[] = {
		TC_JOB_VALUES, TC_TRACE_VALUES, TC_METRIC_VALUES, TC_FINDING_VALUES, TC_LOG_VALUES};
	struct tc_text left = *rest;
	unsigned char head[2];

	if (!take(head, &left, sizeof(head)) || head[0] >= sizeof(counts) ||
		head[1] != counts[head[0]])
		return false;
	row->kind = head[0];
	row->count = head[1];
	for (size_t i = 0; i < row->count; i++)
		if (!take_value(&row->values[i], &left))
			return false;
	*rest = left;
	return true;
}

/* Queries by the kind of their rows; the last one finds a job. Traces are numbered from the first
 * of the job. A job without traces has no such number, and needs none. */
enum { FIND_JOB = TC_ROW_LOG + 1, QUERY_COUNT };

static const struct {
	const char *sql;
	size_t count; /* columns that are values of the row */
} queries[QUERY_COUNT] = {
	[TC_ROW_JOB] = {"SELECT path, state, reason, pace_trace_id -"
			" (SELECT min(id) FROM trace WHERE job_id = ?1), owner, revision, price"
			" FROM job WHERE id = ?1",
		TC_JOB_VALUES},
	[TC_ROW_TRACE] = {"SELECT path, size_bytes, mtime_ns, content_hash, side_hash, state,"
			  " reason, format, vendor, device_name, rank, world_size, group_trace_id -"
			  " (SELECT min(id) FROM trace WHERE job_id = ?1), start_ns, end_ns,"
			  " event_count, read_bytes, is_judged, blind_count, fault_count, id"
			  " FROM trace WHERE job_id = ?1 ORDER BY id",
		TC_TRACE_VALUES},
	[TC_ROW_METRIC] = {"SELECT s.metric_id, coalesce(r.value, 0) FROM trace t"
			   " JOIN metric_set s ON s.id = t.metric_set_id LEFT JOIN run_metric r"
			   " ON r.trace_id = t.id AND r.metric_id = s.metric_id"
			   " WHERE t.id = ?1 ORDER BY s.metric_id",
		TC_METRIC_VALUES},
	[TC_ROW_FINDING] = {"SELECT ord, heuristic_id, severity, confidence, gain_ns, gain_pct,"
			    " subject"
			    " FROM finding WHERE trace_id = ?1 ORDER BY ord",
		TC_FINDING_VALUES},
	[TC_ROW_LOG] = {"SELECT kind, severity, count, message FROM import_log"
			" WHERE trace_id = ?1 ORDER BY kind, severity",
		TC_LOG_VALUES},
	[FIND_JOB] = {"SELECT id FROM job WHERE path = ?1", 0},
};

struct tc_index_reader {
	struct tc_ctx *ctx;
	struct tc_rows rows[QUERY_COUNT];
};

struct tc_index_reader *tc_index_reader_new(struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_index_reader *reader = tc_calloc(1, sizeof(*reader));

	if (!reader) {
		tc_fail(ctx, TC_ERR_NOMEM, "cannot read the index: out of memory");
		return NULL;
	}
	reader->ctx = ctx;
	for (int i = 0; i < QUERY_COUNT; i++)
		reader->rows[i] = tc_rows_prepare(ctx, db, queries[i].sql);
	if (!tc_ctx_failed(ctx))
		return reader;
	tc_index_reader_free(reader);
	return NULL;
}

void tc_index_reader_free(struct tc_index_reader *reader)
{
	for (int i = 0; reader && i < QUERY_COUNT; i++)
		tc_rows_close(&reader->rows[i]);
	tc_free(reader);
}

/* Appends the next row of a query; false at its end. */
static bool add_row(struct tc_buf *record, struct tc_index_reader *reader, enum tc_row_kind kind)
{
	struct tc_sql_value values[TC_TRACE_VALUES];
	bool has_row = tc_rows_next(&reader->rows[kind]);

	for (size_t i = 0; has_row && i < queries[kind].count; i++)
		values[i] = tc_rows_value(&reader->rows[kind], (int)i);
	if (has_row)
		tc_record_add(record, kind, values, queries[kind].count);
	return has_row;
}

int64_t tc_index_reader_find(struct tc_index_reader *reader, struct tc_text path)
{
	struct tc_rows *rows = &reader->rows[FIND_JOB];

	tc_rows_bind_text(rows, 1, path);
	int64_t id = tc_rows_next(rows) ? tc_rows_int(rows, 0) : -1;
	sqlite3_reset(rows->stmt);
	return id;
}

void tc_index_reader_get(
	struct tc_buf *record, struct tc_index_reader *reader, int64_t job_id, bool only_keys)
{
	struct tc_rows *rows = reader->rows, *traces = &rows[TC_ROW_TRACE];

	tc_rows_again(&rows[TC_ROW_JOB], job_id);
	add_row(record, reader, TC_ROW_JOB);
	tc_rows_again(traces, job_id);
	while (add_row(record, reader, TC_ROW_TRACE))
		for (int kind = TC_ROW_METRIC; kind <= TC_ROW_LOG && !only_keys; kind++) {
			tc_rows_again(&rows[kind], tc_rows_int(traces, TC_TRACE_VALUES));
			while (add_row(record, reader, (enum tc_row_kind)kind))
				;
		}
	sqlite3_reset(rows[TC_ROW_JOB].stmt);
}

/* The set of metrics that a trace has, one bit each. */
enum { SET_WORDS = 4 };
_Static_assert(TC_METRIC_COUNT <= SET_WORDS * 64, "a set has a bit for every metric");

struct metric_set {
	uint64_t words[SET_WORDS];
	int64_t id;
};

static const char metric_table[] = "metric (id, name, unit)";
static const char heuristic_table[] = "heuristic (id, name, kind, title, advice)";
static const char trace_table[] =
	"trace (id, job_id, path, size_bytes, mtime_ns, content_hash, side_hash, state, reason,"
	" format, vendor, device_name, rank, world_size, group_trace_id, start_ns, end_ns,"
	" event_count, read_bytes, is_judged, blind_count, fault_count, metric_set_id)";
static const char finding_table[] =
	"finding (trace_id, ord, heuristic_id, severity, confidence, gain_ns, gain_pct,"
	" subject)";

struct tc_index_writer {
	struct tc_ctx *ctx;
	struct tc_pending file;
	sqlite3 *db;
	struct tc_tables tables;
	struct metric_set *sets; /* in the order of their bits */
	size_t set_count, set_capacity;
	int64_t next_job, next_trace;
};

/* run() and the writers below do nothing once the context has failed. */
static void run(struct tc_index_writer *writer, const char *sql)
{
	if (!tc_ctx_failed(writer->ctx) && sqlite3_exec(writer->db, sql, NULL, NULL, NULL))
		tc_store_fail(writer->ctx, writer->db, "write the index");
}

static void start(struct tc_index_writer *writer, const struct tc_index_facts *facts)
{
	const bool is_shard = facts->shard_count > 0;
	const struct tc_sql_value batch[] = {tc_sql_string(facts->program_version),
		tc_sql_int(facts->settings_hash), tc_sql_string(facts->root),
		tc_sql_int_if(is_shard, facts->shard), tc_sql_int_if(is_shard, facts->shard_count)};

	run(writer, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		    "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
	run(writer, tc_index_sql);
	TC_TABLES_PUT(&writer->tables,
		"batch (program_version, settings_hash, root, shard, shard_count)", batch);
}

static void discard(struct tc_index_writer *writer)
{
	tc_tables_end(&writer->tables);
	sqlite3_close_v2(writer->db);
	tc_pending_discard(&writer->file);
	tc_free(writer->sets);
	tc_free(writer);
}

struct tc_index_writer *tc_index_writer_open(
	struct tc_ctx *ctx, const char *path, const struct tc_index_facts *facts)
{
	struct tc_index_writer *writer = tc_calloc(1, sizeof(*writer));

	if (!writer) {
		tc_fail(ctx, TC_ERR_NOMEM, "cannot create the index: out of memory");
		return NULL;
	}
	writer->ctx = ctx;
	writer->file = TC_PENDING_NONE;
	tc_store_check_target(ctx, path, TC_INDEX_APPLICATION_ID, "an index");
	if (!tc_ctx_failed(ctx))
		tc_pending_create(&writer->file, ctx, path);
	if (!tc_ctx_failed(ctx) && tc_vfs_open(&writer->db, writer->file.fd, true))
		tc_store_fail(ctx, writer->db, "create the index");
	if (!tc_ctx_failed(ctx)) {
		tc_sql_stop_on_interrupt(writer->db, ctx);
		writer->tables = TC_TABLES_OF(ctx, writer->db);
		start(writer, facts);
	}
	if (!tc_ctx_failed(ctx))
		return writer;
	discard(writer);
	return NULL;
}

static void write_heuristic(
	struct tc_index_writer *writer, int64_t id, const struct tc_heuristic *heuristic)
{
	char *advice = tc_heuristic_text(heuristic->advice);
	char *title = tc_heuristic_text(heuristic->title);
	const struct tc_sql_value row[] = {tc_sql_int(id), tc_sql_string(heuristic->id),
		tc_sql_string(tc_heuristic_kind_name(heuristic->kind)), tc_sql_string(title),
		tc_sql_string(advice)};

	if (advice && title)
		TC_TABLES_PUT(&writer->tables, heuristic_table, row);
	else
		tc_no_memory(writer->ctx);
	tc_free(advice);
	tc_free(title);
}

void tc_index_writer_names(struct tc_index_writer *writer, const struct tc_settings *settings)
{
	const struct tc_heuristic *heuristic;

	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		const struct tc_metric_info *info = tc_metric_info((enum tc_metric)i);
		const struct tc_sql_value row[] = {
			tc_sql_int(i), tc_sql_string(info->name), tc_sql_string(info->unit)};
		TC_TABLES_PUT(&writer->tables, metric_table, row);
	}
	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++)
		write_heuristic(writer, (int64_t)i, heuristic);
}

static void copy_rows(
	struct tc_index_writer *writer, const char *into, sqlite3 *index, const char *sql)
{
	struct tc_sql_value values[8];
	struct tc_rows row = tc_rows_open(writer->ctx, index, sql);

	while (tc_rows_next(&row)) {
		int count = sqlite3_column_count(row.stmt);
		for (int i = 0; i < count; i++)
			values[i] = tc_rows_value(&row, i);
		tc_tables_put(&writer->tables, into, values, (size_t)count);
	}
}

void tc_index_writer_copy_names(struct tc_index_writer *writer, sqlite3 *index)
{
	copy_rows(writer, metric_table, index, "SELECT id, name, unit FROM metric ORDER BY id");
	copy_rows(writer, heuristic_table, index,
		"SELECT id, name, kind, title, advice FROM heuristic ORDER BY id");
}

static int compare_sets(const struct metric_set *a, const struct metric_set *b)
{
	return memcmp(a->words, b->words, sizeof(a->words));
}

/* The position of the set among the sorted ones, or where it would be inserted. */
static size_t slot_of(const struct tc_index_writer *writer, const struct metric_set *set)
{
	size_t at;

	TC_BISECT(at, writer->set_count, compare_sets(&writer->sets[at], set) < 0);
	return at;
}

static void write_set(struct tc_index_writer *writer, const struct metric_set *set)
{
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		const struct tc_sql_value row[] = {tc_sql_int(set->id), tc_sql_int(i)};
		if (set->words[i / 64] >> i % 64 & 1)
			TC_TABLES_PUT(&writer->tables, "metric_set (id, metric_id)", row);
	}
}

/* The id of an equal set, or of a new one. */
static int64_t id_of(struct tc_index_writer *writer, struct metric_set *set)
{
	size_t at = slot_of(writer, set);

	if (at < writer->set_count && compare_sets(&writer->sets[at], set) == 0)
		return writer->sets[at].id;
	set->id = (int64_t)writer->set_count;
	if (!TC_PUSH(writer->ctx, writer->sets, writer->set_count, writer->set_capacity, *set))
		return -1;
	memmove(&writer->sets[at + 1], &writer->sets[at],
		(writer->set_count - 1 - at) * sizeof(*set));
	writer->sets[at] = *set;
	write_set(writer, set);
	return set->id;
}

/* The metrics in the rows after a trace's row, in any order. */
static struct metric_set set_of(struct tc_text rest)
{
	struct metric_set set = {0};
	struct tc_row row;

	while (tc_record_next(&row, &rest) && row.kind == TC_ROW_METRIC) {
		int64_t metric = row.values[TC_METRIC_ID].i64;
		if (metric >= 0 && metric < TC_METRIC_COUNT)
			set.words[metric / 64] |= UINT64_C(1) << metric % 64;
	}
	return set;
}

/* The id of a trace from its number within the job. */
static struct tc_sql_value trace_id(const struct tc_sql_value *counted, int64_t first)
{
	return counted->kind == TC_SQL_INT ? tc_sql_int(first + counted->i64) : tc_sql_null();
}

static void add_job(struct tc_index_writer *writer, const struct tc_row *row)
{
	const struct tc_sql_value values[] = {tc_sql_int(writer->next_job++),
		row->values[TC_JOB_PATH], row->values[TC_JOB_STATE], row->values[TC_JOB_REASON],
		trace_id(&row->values[TC_JOB_PACE], writer->next_trace), row->values[TC_JOB_OWNER],
		row->values[TC_JOB_REVISION], row->values[TC_JOB_PRICE]};

	TC_TABLES_PUT(&writer->tables,
		"job (id, path, state, reason, pace_trace_id, owner, revision, price)", values);
}

static void add_trace(struct tc_index_writer *writer, const struct tc_row *row, int64_t first_trace,
	struct tc_text rest)
{
	struct tc_sql_value values[TC_TRACE_VALUES + 3];
	struct metric_set set = set_of(rest);
	static const struct metric_set none;

	values[0] = tc_sql_int(writer->next_trace++);
	values[1] = tc_sql_int(writer->next_job - 1);
	memcpy(values + 2, row->values, sizeof(row->values));
	values[2 + TC_TRACE_GROUP] = trace_id(&row->values[TC_TRACE_GROUP], first_trace);
	values[2 + TC_TRACE_VALUES] =
		compare_sets(&set, &none) == 0 ? tc_sql_null() : tc_sql_int(id_of(writer, &set));
	TC_TABLES_PUT(&writer->tables, trace_table, values);
}

static bool is_zero(const struct tc_sql_value *value)
{
	return value->kind == TC_SQL_INT ? value->i64 == 0
					 : value->kind == TC_SQL_REAL && !(value->real != 0);
}

/* Adds a row that belongs to the last trace. */
static void add_below(struct tc_index_writer *writer, const char *into, const struct tc_row *row)
{
	struct tc_sql_value values[TC_FINDING_VALUES + 1];

	values[0] = tc_sql_int(writer->next_trace - 1);
	memcpy(values + 1, row->values, row->count * sizeof(values[0]));
	tc_tables_put(&writer->tables, into, values, row->count + 1);
}

void tc_index_writer_add(struct tc_index_writer *writer, struct tc_text record)
{
	const int64_t first_trace = writer->next_trace;
	struct tc_row row;

	while (tc_record_next(&row, &record))
		switch (row.kind) {
		case TC_ROW_JOB: add_job(writer, &row); break;
		case TC_ROW_TRACE: add_trace(writer, &row, first_trace, record); break;
		case TC_ROW_FINDING: add_below(writer, finding_table, &row); break;
		case TC_ROW_LOG:
			add_below(writer, "import_log (trace_id, kind, severity, count, message)",
				&row);
			break;
		case TC_ROW_METRIC:
			if (!is_zero(&row.values[TC_METRIC_VALUE]))
				add_below(writer, "run_metric (trace_id, metric_id, value)", &row);
		}
	if (record.len > 0)
		tc_fail(writer->ctx, TC_ERR_INTERNAL, "a record of a job is damaged");
}

void tc_index_writer_leave_out(struct tc_index_writer *writer, const char *path, const char *reason)
{
	const struct tc_sql_value row[] = {tc_sql_string(path), tc_sql_string(reason)};

	TC_TABLES_PUT(&writer->tables, "INSERT OR IGNORE INTO left_out VALUES (?1, ?2)", row);
}

void tc_index_writer_publish(struct tc_index_writer *writer)
{
	struct tc_ctx *ctx = writer->ctx;
	struct tc_buf sql = {.ctx = ctx};

	tc_buf_format(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
		TC_INDEX_APPLICATION_ID, TC_INDEX_VERSION);
	run(writer, tc_buf_string(&sql));
	tc_buf_clear(&sql);
	tc_tables_end(&writer->tables);
	if (!tc_ctx_failed(ctx) && sqlite3_close(writer->db) != SQLITE_OK)
		tc_fail(ctx, TC_ERR_INTERNAL, "a statement is still open");
	else if (!tc_ctx_failed(ctx))
		writer->db = NULL;
	if (!tc_ctx_failed(ctx))
		tc_store_check_target(
			ctx, writer->file.place.path.ptr, TC_INDEX_APPLICATION_ID, "an index");
	if (!tc_ctx_failed(ctx))
		tc_pending_publish(&writer->file, ctx);
	discard(writer);
}
