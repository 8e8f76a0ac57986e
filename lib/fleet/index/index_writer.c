/* See index_writer.h. One transaction without a journal in a pending file, as for a store. */
#include "fleet/index/index_writer.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/metrics.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/files/pending.h"
#include "fleet/index/record.h"
#include "report/view/rows.h"
#include "store/file/header.h"
#include "store/sql.h"
#include "store/file/vfs.h"
#include "tracecoach/fleet.h"
#include "tracecoach/version.h"
#include "core/context.h"
#include "store/connection.h"

/* The set of metrics that a trace has, one bit each. */
enum { SET_WORDS = 4 };
_Static_assert(TC_METRIC_COUNT <= SET_WORDS * 64, "a set has a bit for every metric");

struct metric_set {
	uint64_t words[SET_WORDS];
	int64_t id;
};

enum {
	INSERT_JOB,
	INSERT_TRACE,
	INSERT_METRIC,
	INSERT_FINDING,
	INSERT_LOG,
	INSERT_SET,
	INSERT_COUNT
};

#define METRIC "metric (id, name, unit)"
#define HEURISTIC "heuristic (id, name, kind, title, advice)"
static const char *const inserts[INSERT_COUNT] = {
	[INSERT_JOB] = "job (id, path, state, reason, pace_trace_id)",
	[INSERT_TRACE] =
		"trace (id, job_id, path, size_bytes, mtime_ns, content_hash, side_hash, state,"
		" reason, format, vendor, device_name, rank, world_size, group_trace_id, start_ns,"
		" end_ns, event_count, read_bytes, is_judged, blind_count, fault_count, "
		"metric_set_id)",
	[INSERT_METRIC] = "run_metric (trace_id, metric_id, value)",
	[INSERT_FINDING] = ("finding (trace_id, ord, heuristic_id, severity, confidence, gain_ns,"
			    " subject)"),
	[INSERT_LOG] = "import_log (trace_id, kind, severity, count, message)",
	[INSERT_SET] = "metric_set (id, metric_id)",
};

struct tc_index_writer {
	struct tc_ctx *ctx;
	struct tc_pending file;
	sqlite3 *db;
	sqlite3_stmt *inserts[INSERT_COUNT];
	struct metric_set *sets; /* in the order of their bits */
	size_t set_count, set_capacity;
	int64_t next_job, next_trace;
};

/* These do nothing once something has failed. */
static void run(struct tc_index_writer *writer, const char *sql)
{
	if (!tc_ctx_failed(writer->ctx) && sqlite3_exec(writer->db, sql, NULL, NULL, NULL))
		tc_store_fail(writer->ctx, writer->db, "write the index");
}

static void put(
	struct tc_index_writer *writer, int insert, const struct tc_sql_value *values, size_t count)
{
	if (!tc_ctx_failed(writer->ctx))
		tc_sql_put(writer->ctx, writer->inserts[insert], values, count);
}

static void add(struct tc_index_writer *writer, const char *into, const struct tc_sql_value *values,
	size_t count)
{
	if (!tc_ctx_failed(writer->ctx))
		tc_sql_add(writer->ctx, writer->db, into, values, count);
}

static void start(struct tc_index_writer *writer, const struct tc_index_facts *facts)
{
	extern const char tc_index_sql[];
	const bool is_shard = facts->shard_count > 0;
	const struct tc_sql_value batch[] = {tc_sql_string(facts->program_version),
		tc_sql_int(facts->settings_hash), tc_sql_string(facts->root),
		tc_sql_int_if(is_shard, facts->shard), tc_sql_int_if(is_shard, facts->shard_count)};

	run(writer, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		    "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
	run(writer, tc_index_sql);
	for (int i = 0; i < INSERT_COUNT && !tc_ctx_failed(writer->ctx); i++)
		tc_sql_insert(&writer->inserts[i], writer->ctx, writer->db, inserts[i]);
	add(writer, "batch (program_version, settings_hash, root, shard, shard_count)", batch, 5);
}

enum tc_status tc_index_writer_open(struct tc_index_writer **out, struct tc_ctx *ctx,
	const char *path, const struct tc_index_facts *facts)
{
	struct tc_index_writer *writer = tc_calloc(1, sizeof(*writer));
	enum tc_status status =
		tc_store_check_target(ctx, path, TC_INDEX_APPLICATION_ID, "an index");

	if (!writer)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot create the index: out of memory");
	writer->ctx = ctx;
	writer->file = TC_PENDING_NONE;
	if (!status)
		status = tc_pending_create(&writer->file, ctx, path);
	if (!status && tc_vfs_open(&writer->db, writer->file.fd, true))
		status = tc_store_fail(ctx, writer->db, "create the index");
	if (!status) {
		tc_sql_stop_on_interrupt(writer->db, ctx);
		start(writer, facts);
		status = tc_ctx_status(ctx);
	}
	if (status)
		tc_index_writer_discard(writer);
	else
		*out = writer;
	return status;
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
		add(writer, HEURISTIC, row, 5);
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
		add(writer, METRIC, row, 3);
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
			values[i] = tc_sql_column(row.stmt, i);
		add(writer, into, values, (size_t)count);
	}
}

void tc_index_writer_copy_names(struct tc_index_writer *writer, sqlite3 *index)
{
	copy_rows(writer, METRIC, index, "SELECT id, name, unit FROM metric ORDER BY id");
	copy_rows(writer, HEURISTIC, index,
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
			put(writer, INSERT_SET, row, 2);
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
		trace_id(&row->values[TC_JOB_PACE], writer->next_trace)};

	put(writer, INSERT_JOB, values, TC_COUNT_OF(values));
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
	put(writer, INSERT_TRACE, values, TC_TRACE_VALUES + 3);
}

static bool is_zero(const struct tc_sql_value *value)
{
	return value->kind == TC_SQL_INT ? value->i64 == 0
					 : value->kind == TC_SQL_REAL && !(value->real != 0);
}

/* Adds a row that belongs to the last trace. */
static void add_below(struct tc_index_writer *writer, int insert, const struct tc_row *row)
{
	struct tc_sql_value values[TC_FINDING_VALUES + 1];

	values[0] = tc_sql_int(writer->next_trace - 1);
	memcpy(values + 1, row->values, row->count * sizeof(values[0]));
	put(writer, insert, values, row->count + 1);
}

void tc_index_writer_add(struct tc_index_writer *writer, struct tc_text record)
{
	const int64_t first_trace = writer->next_trace;
	struct tc_row row;

	while (tc_record_next(&row, &record))
		switch (row.kind) {
		case TC_ROW_JOB: add_job(writer, &row); break;
		case TC_ROW_TRACE: add_trace(writer, &row, first_trace, record); break;
		case TC_ROW_FINDING: add_below(writer, INSERT_FINDING, &row); break;
		case TC_ROW_LOG: add_below(writer, INSERT_LOG, &row); break;
		case TC_ROW_METRIC:
			if (!is_zero(&row.values[TC_METRIC_VALUE]))
				add_below(writer, INSERT_METRIC, &row);
		}
	if (record.len > 0)
		tc_fail(writer->ctx, TC_ERR_INTERNAL, "a record of a job is damaged");
}

void tc_index_writer_leave_out(struct tc_index_writer *writer, const char *path, const char *reason)
{
	const struct tc_sql_value row[] = {tc_sql_string(path), tc_sql_string(reason)};

	if (!tc_ctx_failed(writer->ctx))
		tc_sql_run(writer->ctx, writer->db,
			"INSERT OR IGNORE INTO left_out VALUES (?1, ?2)", row, 2);
}

static void finalize(struct tc_index_writer *writer)
{
	for (int i = 0; i < INSERT_COUNT; i++) {
		sqlite3_finalize(writer->inserts[i]);
		writer->inserts[i] = NULL;
	}
}

enum tc_status tc_index_writer_publish(struct tc_index_writer *writer)
{
	struct tc_buf sql = TC_BUF_EMPTY;

	tc_buf_format(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
		TC_INDEX_APPLICATION_ID, TC_INDEX_VERSION);
	if (tc_buf_string(&sql))
		run(writer, tc_buf_string(&sql));
	else
		tc_no_memory(writer->ctx);
	enum tc_status status = tc_ctx_status(writer->ctx);
	tc_buf_clear(&sql);
	finalize(writer);
	if (!status && sqlite3_close(writer->db) != SQLITE_OK)
		status = tc_fail(writer->ctx, TC_ERR_INTERNAL, "a statement is still open");
	else if (!status)
		writer->db = NULL;
	if (!status)
		status = tc_store_check_target(writer->ctx, writer->file.place.path.ptr,
			TC_INDEX_APPLICATION_ID, "an index");
	if (!status)
		status = tc_pending_publish(&writer->file, writer->ctx);
	tc_index_writer_discard(writer);
	return status;
}

void tc_index_writer_discard(struct tc_index_writer *writer)
{
	if (!writer)
		return;
	finalize(writer);
	sqlite3_close_v2(writer->db);
	tc_pending_discard(&writer->file);
	tc_free(writer->sets);
	tc_free(writer);
}
