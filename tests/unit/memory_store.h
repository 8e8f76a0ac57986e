/*
 * An empty store in memory for tests: the tables and views of a real one, filled by the test with
 * SQL.
 */
#ifndef TC_TEST_MEMORY_STORE_H
#define TC_TEST_MEMORY_STORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <sqlite3.h>

extern const char tc_schema_sql[];
extern const char tc_views_sql[];
extern const char tc_steady_sql[];

static inline void memory_store_exec(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s in: %s", message, sql);
}

static inline sqlite3 *memory_store_open(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	memory_store_exec(db, tc_schema_sql);
	memory_store_exec(db, tc_views_sql);
	return db;
}

/* A trace with that id and a wall time; names of capabilities, NULL at the end. */
static inline void memory_store_trace(
	sqlite3 *db, int id, int64_t wall_ns, const char *const *capabilities)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
		"INSERT INTO trace(id, path, format, form, read_bytes, event_count) "
		"VALUES(%d, 'x.json', 'kineto', 'object', 1000, 10);"
		"INSERT INTO metric VALUES(%d, 'wall_ns', NULL, NULL, %lld, 'ns');",
		id, id, (long long)wall_ns);
	memory_store_exec(db, sql);
	for (; *capabilities; capabilities++) {
		snprintf(sql, sizeof(sql),
			"INSERT INTO metric VALUES(%d, 'has_%s', NULL, NULL, 1, 'count')", id,
			*capabilities);
		memory_store_exec(db, sql);
	}
}

/* The steady run of all traces, as the analysis writes it once their metrics and steps are there.
 */
static inline void memory_store_steady(sqlite3 *db)
{
	sqlite3_stmt *traces, *steady;

	memory_store_exec(db, "DELETE FROM steady");
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT id FROM trace", -1, &traces, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, tc_steady_sql, -1, &steady, NULL), SQLITE_OK);
	while (sqlite3_step(traces) == SQLITE_ROW) {
		sqlite3_bind_int64(steady, 1, sqlite3_column_int64(traces, 0));
		assert_int_equal(sqlite3_step(steady), SQLITE_DONE);
		sqlite3_reset(steady);
	}
	sqlite3_finalize(traces);
	sqlite3_finalize(steady);
}

/* A metric over the whole trace; device NULL for the run. */
static inline void memory_store_metric(
	sqlite3 *db, int trace_id, const char *name, const char *device, int64_t value)
{
	char *sql = sqlite3_mprintf("INSERT INTO metric VALUES(%d, %Q, %Q, NULL, %lld, 'ns')",
		trace_id, name, device, (long long)value);

	memory_store_exec(db, sql);
	sqlite3_free(sql);
}

/* The same with one trace, 0, of a second and without capabilities. */
static inline sqlite3 *memory_store_open_trace(void)
{
	static const char *const none[] = {NULL};
	sqlite3 *db = memory_store_open();

	memory_store_trace(db, 0, 1000000000, none);
	return db;
}

/* Fills gap_total and gap_host from the rows of gap, as an import does. */
static inline void memory_store_total_gaps(sqlite3 *db)
{
	memory_store_exec(db,
		"DELETE FROM gap_total;"
		"INSERT INTO gap_total SELECT trace_id, device, step_id, cause,"
		" CAST(total(dur) AS INTEGER), sum(count), max(iif(count = 1, dur, NULL)),"
		" CAST(total(empty_ns) AS INTEGER),"
		" CAST(total(iif(gap_dur > 10000, 0, dur)) AS INTEGER)"
		" FROM gap GROUP BY 1, 2, 3, 4;"
		"DELETE FROM gap_host;"
		"INSERT INTO gap_host SELECT g.trace_id, g.device, g.cause,"
		" coalesce(s.is_warm_up, 0), r.label_id, CAST(total(g.host_ns) AS INTEGER)"
		" FROM gap g JOIN slice_row r ON r.id = g.host_slice_id"
		" LEFT JOIN step s ON s.id = g.step_id GROUP BY 1, 2, 3, 4, 5;");
}

/* A gap of trace 0 with one cause, outside of steps, and the metric that the gaps add up to. */
static inline void memory_store_gap(
	sqlite3 *db, const char *device, int ts_us, int dur_us, const char *cause)
{
	char *sql =
		sqlite3_mprintf("INSERT INTO gap VALUES(NULL, 0, %Q, NULL, %d000, %d000, %Q, NULL, "
				"0, %d000, NULL, NULL, 1, %d000, %d000, 0);"
				"DELETE FROM metric WHERE name = 'device_idle_ns' AND device = %Q;"
				"INSERT INTO metric SELECT 0, 'device_idle_ns', device, NULL, "
				"sum(dur), 'ns' FROM gap WHERE device = %Q",
			device, ts_us, dur_us, cause, dur_us, ts_us, dur_us, device, device);

	memory_store_exec(db, sql);
	sqlite3_free(sql);
	memory_store_total_gaps(db);
}

/* The integer in the first column of the first row of a query that has one. */
static inline int64_t memory_store_number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s in: %s", sqlite3_errmsg(db), sql);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	int64_t value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

#endif
