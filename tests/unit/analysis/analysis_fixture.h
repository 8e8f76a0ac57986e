/*
 * What the tests of the analysis share: a timeline and an empty store, both in memory, builders
 * with few arguments, and lookups in what was written.
 */
#ifndef TC_TESTS_ANALYSIS_FIXTURE_H
#define TC_TESTS_ANALYSIS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "analysis/analysis.h"
#include "core/alloc.h"
#include "model/timeline/timeline.h"

extern const char tc_schema_sql[];
extern const char tc_views_sql[];

#define US INT64_C(1000)
#define MS INT64_C(1000000)

struct fixture {
	struct tc_strtab keys; /* of labels */
	struct tc_ctx *ctx;
	sqlite3 *db;
	struct tc_timeline *timeline;
	int64_t next_slice;
};

static inline void sql_run(struct fixture *f, const char *sql)
{
	if (sqlite3_exec(f->db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sqlite3_errmsg(f->db), sql);
}

static inline void fixture_open(struct fixture *f)
{
	*f = (struct fixture){.ctx = tc_ctx_new()};
	assert_int_equal(sqlite3_open(":memory:", &f->db), SQLITE_OK);
	sql_run(f, tc_schema_sql);
	sql_run(f, tc_views_sql);
	sql_run(f, "BEGIN");
	f->timeline = tc_timeline_new(f->ctx, 0);
	assert_non_null(f->timeline);
}

static inline void fixture_close(struct fixture *f)
{
	tc_timeline_free(f->timeline);
	tc_strtab_clear(&f->keys);
	sqlite3_close(f->db);
	tc_ctx_free(f->ctx);
}

static inline uint32_t add_label(struct fixture *f, const char *category, const char *name,
	enum tc_role role, enum tc_engine engine)
{
	struct tc_buf key = TC_BUF_EMPTY;
	struct tc_label label = {
		.role = role,
		.engine = engine,
		.kind = engine == TC_ENGINE_COPY ? TC_OP_MEMCPY
						 : (engine ? TC_OP_KERNEL : TC_OP_NONE),
		.is_launch = role == TC_ROLE_LAUNCH,
		.is_op = strcmp(category, "cpu_op") == 0,
		.is_python = strcmp(category, "python_function") == 0,
	};

	tc_label_key(&key, tc_text_from(category), tc_text_from(name));
	tc_label_set_key(
		&label, tc_strtab_at(&f->keys, tc_strtab_intern(&f->keys, tc_buf_text(&key))));
	tc_buf_clear(&key);
	return (uint32_t)TC_TIMELINE_ADD(f->timeline, label, &label);
}

static inline uint32_t add_thread(struct fixture *f, const char *name, int host_thread)
{
	struct tc_track track = {
		.kind = TC_TRACK_THREAD,
		.thread = (int64_t)f->timeline->track_count,
		.host_thread_id = (int64_t)f->timeline->track_count,
		.host_thread = host_thread,
		.device = -1,
		.name = tc_text_from(name),
	};

	if ((size_t)host_thread >= f->timeline->host_thread_count)
		f->timeline->host_thread_count = (size_t)host_thread + 1;
	return (uint32_t)TC_TIMELINE_ADD(f->timeline, track, &track);
}

static inline int add_device(struct fixture *f, const char *name)
{
	struct tc_device device = {.name = tc_text_from(name)};

	return (int)TC_TIMELINE_ADD(f->timeline, device, &device);
}

static inline uint32_t add_lane(struct fixture *f, int device, enum tc_engine engine)
{
	struct tc_track track = {.kind = TC_TRACK_LANE,
		.thread = -1,
		.host_thread = -1,
		.device = device,
		.engine = engine,
		.name = tc_text_from("lane")};

	return (uint32_t)TC_TIMELINE_ADD(f->timeline, track, &track);
}

/* A span with nothing known about its launch, with the next slice id. */
static inline struct tc_span make_span(
	struct fixture *f, uint32_t track, uint32_t label, int64_t ts_ns, int64_t dur_ns)
{
	return (struct tc_span){
		.ts_ns = ts_ns,
		.dur_ns = dur_ns,
		.slice_id = f->next_slice++,
		.track = track,
		.label = label,
		.launch_slice_id = TC_NO_ID,
		.step = -1,
		.sizes = TC_STRTAB_NONE,
		.types = TC_STRTAB_NONE,
		.data_type = TC_STRTAB_NONE,
		.recipe = TC_STRTAB_NONE,
	};
}

static inline void add_made(struct fixture *f, const struct tc_span *span)
{
	f->timeline->tracks[span->track].slice_count++;
	tc_spans_add(f->timeline->spans, span);
	if (f->timeline->labels[span->label].role == TC_ROLE_SYNC)
		tc_timeline_add_wait(f->timeline, span);
	assert_int_equal(tc_ctx_status(f->ctx), TC_OK);
}

static inline struct tc_span add_span(
	struct fixture *f, uint32_t track, uint32_t label, int64_t ts_ns, int64_t dur_ns)
{
	struct tc_span span = make_span(f, track, label, ts_ns, dur_ns);

	add_made(f, &span);
	return span;
}

/* Device work launched by a host slice (NULL: not told) in a step (-1: none). */
static inline struct tc_span add_launched(
	struct fixture *f, const struct tc_span *place, const struct tc_span *launch, int step)
{
	struct tc_span span = *place;

	if (launch) {
		span.launch_slice_id = launch->slice_id;
		span.launch_ts_ns = launch->ts_ns;
		span.launch_end_ns = launch->ts_ns + launch->dur_ns;
		span.launch_label = launch->label;
	}
	span.step = step;
	if ((size_t)step < f->timeline->step_count || step < 0)
		tc_timeline_note_work(f->timeline, &span);
	add_made(f, &span);
	return span;
}

/* A step that is the given host slice, and its row in the store. */
static inline void add_step(struct fixture *f, const struct tc_span *span, int number)
{
	struct tc_step step = {
		.id = (int64_t)f->timeline->step_count + 100,
		.number = number,
		.ts_ns = span->ts_ns,
		.dur_ns = span->dur_ns,
		.slice_id = span->slice_id,
	};
	char *sql = sqlite3_mprintf("INSERT INTO step VALUES (%lld, 0, %d, 'ProfilerStep#%d', %lld,"
				    " %lld, %lld, NULL, NULL, 0, 0)",
		(long long)step.id, number, number, (long long)step.ts_ns, (long long)step.dur_ns,
		(long long)step.slice_id);

	sql_run(f, sql);
	sqlite3_free(sql);
	assert_true(TC_TIMELINE_ADD(f->timeline, step, &step) >= 0);
}

/* Analyses and writes, as an import does. */
static inline enum tc_status try_analyze(struct fixture *f)
{
	struct tc_analysis *analysis = NULL;

	if (!tc_analysis_new(&analysis, f->ctx, f->timeline))
		tc_analysis_write(analysis, f->db, NULL);
	tc_analysis_free(analysis);
	return tc_ctx_status(f->ctx);
}

static inline void analyze(struct fixture *f)
{
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
	tc_timeline_find_warm_up(f->timeline);
	if (try_analyze(f))
		fail_msg("%s", tc_ctx_error(f->ctx));
}

/* The first column of the first row of a query; INT64_MIN when there is none or it is NULL. */
static inline int64_t sql_int(struct fixture *f, const char *format, ...)
{
	va_list args;
	sqlite3_stmt *statement = NULL;
	int64_t value = INT64_MIN;

	va_start(args, format);
	char *sql = sqlite3_vmprintf(format, args);
	va_end(args);
	if (sqlite3_prepare_v2(f->db, sql, -1, &statement, NULL))
		fail_msg("%s: %s", sqlite3_errmsg(f->db), sql);
	if (sqlite3_step(statement) == SQLITE_ROW &&
		sqlite3_column_type(statement, 0) != SQLITE_NULL)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	return value;
}

static inline double sql_real(struct fixture *f, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	double value = -1;

	if (sqlite3_prepare_v2(f->db, sql, -1, &statement, NULL))
		fail_msg("%s: %s", sqlite3_errmsg(f->db), sql);
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_double(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

#define NO_STEP (-1)

/* A metric; device NULL for all or the host, step NO_STEP for the run. INT64_MIN: no such row. */
static inline int64_t metric(struct fixture *f, const char *name, const char *device, int step)
{
	char number[16] = "NULL";

	if (step != NO_STEP)
		snprintf(number, sizeof(number), "%d", step);
	return sql_int(f,
		"SELECT value FROM metric WHERE name = %Q AND device IS %Q AND step IS %s", name,
		device, number);
}

#define assert_metric(f, name, device, step, expected)                                             \
	do {                                                                                       \
		int64_t got = metric(f, name, device, step);                                       \
		if (got != (expected))                                                             \
			fail_msg("%s of device %s, step %d: want %lld, got %lld", name,            \
				(const char *)(device) ? (const char *)(device) : "-",             \
				(int)(step), (long long)(expected), (long long)got);               \
	} while (0)

#endif
