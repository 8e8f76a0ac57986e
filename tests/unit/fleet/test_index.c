/* Indexes: which files are one, and what the views say. */
#include "store_files.h"

#include "core/array.h"
#include "tracecoach/fleet.h"
#include "tracecoach/version.h"

extern const char tc_index_sql[];

static const char rows_sql[] =
	"INSERT INTO metric VALUES (0, 'wall_ns', 'ns'), (1, 'sync_count', 'count'), (2, 'gap_ns', "
	"'ns');"
	"INSERT INTO heuristic VALUES (0, 'late', 'fix', 'It is late', 'Be early');"
	"INSERT INTO job (id, path, state, pace_trace_id) VALUES (0, 'a', 'done', 0);"
	"INSERT INTO trace(id, job_id, path, size_bytes, mtime_ns, content_hash, side_hash, state,"
	" metric_set_id) VALUES (0, 0, 'a/x.json', 1, 2, 3, 0, 'done', 0);"
	"INSERT INTO metric_set VALUES (0, 0), (0, 1);"
	"INSERT INTO run_metric VALUES (0, 0, 400);"
	"INSERT INTO finding VALUES (0, 1, 0, 'high', 'measured', 100, 20.5, 'it');";

/* Makes an index with a job at path. */
static void make_index(const char *path, int version)
{
	char header[128];
	sqlite3 *db = NULL;

	snprintf(header, sizeof(header), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		TC_INDEX_APPLICATION_ID, version);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	exec_sql(db, tc_index_sql);
	exec_sql(db, rows_sql);
	exec_sql(db, header);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void what_is_zero_and_what_is_not_known_differ(void **state)
{
	struct tc_store *index = NULL;

	(void)state;
	make_index(files.path, TC_INDEX_VERSION);
	assert_int_equal(tc_index_open(&index, files.ctx, files.path), TC_OK);
	assert_string_equal(ask(tc_store_db(index),
				    "SELECT group_concat(name || '=' || value || unit, ' ') FROM"
				    " (SELECT * FROM trace_metric ORDER BY name)"),
		"sync_count=0count wall_ns=400ns");
	assert_string_equal(ask(tc_store_db(index),
				    "SELECT job_id || heuristic || gain_pct FROM trace_finding"),
		"0late20.5");
	assert_int_not_equal(
		sqlite3_exec(tc_store_db(index), "DELETE FROM job", NULL, NULL, NULL), SQLITE_OK);
	tc_store_close(index);
}

static void a_directory_stands_for_the_index_in_it(void **state)
{
	struct tc_store *index = NULL;
	char path[sizeof(files.directory) + sizeof("/" TC_INDEX_NAME)];

	(void)state;
	assert_false(tc_index_is(files.directory));
	snprintf(path, sizeof(path), "%s/" TC_INDEX_NAME, files.directory);
	make_index(path, TC_INDEX_VERSION);
	assert_true(tc_index_is(path));
	assert_true(tc_index_is(files.directory));
	assert_int_equal(tc_index_open(&index, files.ctx, files.directory), TC_OK);
	assert_string_equal(tc_store_path(index), path);
	tc_store_close(index);
	unlink(path);
}

static void stores_and_other_versions_are_refused(void **state)
{
	struct tc_store *index = NULL;

	(void)state;
	tc_store_close(make_store(files.path, 1));
	assert_false(tc_index_is(files.path));
	expect_error(tc_index_open(&index, files.ctx, files.path), TC_ERR_STORE,
		"an SQLite database, but no tracecoach index");
	unlink(files.path);
	make_index(files.path, TC_INDEX_VERSION + 1);
	assert_true(tc_index_is(files.path));
	expect_error(tc_index_open(&index, files.ctx, files.path), TC_ERR_STORE,
		"was made by a newer tracecoach");
	expect_error(
		tc_store_open(&index, files.ctx, files.path), TC_ERR_STORE, "no tracecoach store");
	assert_null(index);
}

/* What another program may have written: each is refused before anything reads it. */
static void values_that_no_batch_writes_are_refused(void **state)
{
	static const struct {
		const char *sql, *says;
	} wrong[] = {
		{"UPDATE job SET path = ''", "a job has no number or no name"},
		{"UPDATE job SET id = -1", "a job has no number or no name"},
		{"INSERT INTO batch VALUES ('1', 1, '/n', 0, 1 << 62)", "of all shards"},
		{"INSERT INTO batch VALUES ('1', 1, '/n', 0, -1)", "of all shards"},
		{"INSERT INTO batch VALUES ('1', 1, '/n', 3, 3)", "of all shards"},
		{"INSERT INTO batch VALUES ('1', 1, '/n', 3, NULL)", "of all shards"},
		{"UPDATE trace SET id = 9223372036854775807", "a trace is of no job"},
		{"UPDATE trace SET job_id = 7", "a trace is of no job"},
		{"UPDATE trace SET group_trace_id = 7", "recorded with one of another job"},
		{"UPDATE job SET pace_trace_id = 9223372036854775807", "stands for a job"},
		{"UPDATE run_metric SET value = -9223372036854775808", "a metric is out of range"},
		{"UPDATE run_metric SET value = 1e300", "a metric is out of range"},
		{"UPDATE run_metric SET value = 'x'", "a metric is out of range"},
		{"UPDATE finding SET heuristic_id = 999", "of no trace or heuristic"},
		{"UPDATE finding SET trace_id = 7", "of no trace or heuristic"},
		{"UPDATE finding SET severity = 'x'", "no severity that there is"},
		{"UPDATE finding SET confidence = 'x'", "no severity that there is"},
		{"UPDATE trace SET metric_set_id = -4", "metrics that there are not"},
		{"DELETE FROM metric WHERE id = 1", "metrics that there are not"},
		{"INSERT INTO run_metric VALUES (0, 9, 1)", "metrics that there are not"},
		{"UPDATE metric SET name = 'wall_ns'", "the name of another"},
		{"UPDATE metric SET unit = 'x'", "no unit that there is"},
		{"UPDATE trace SET size_bytes = -1", "time or size of a trace"},
		{"UPDATE trace SET start_ns = 2, end_ns = 1", "time or size of a trace"},
		{"UPDATE trace SET state = 'x'", "the state of a job or trace"},
		{"UPDATE job SET state = 'stopped'", "the state of a job or trace"},
		{"UPDATE job SET path = '../../x'", "a path leads out"},
		{"UPDATE job SET path = 'a/../x'", "a path leads out"},
		{"UPDATE trace SET path = '/abs'", "a path leads out"},
		{"UPDATE finding SET gain_ns = -1", "gain of a finding"},
		{"UPDATE finding SET gain_ns = 1 << 62", "gain of a finding"},
	};

	(void)state;
	for (size_t i = 0; i < TC_COUNT_OF(wrong); i++) {
		struct tc_store *index = NULL;
		sqlite3 *db = NULL;
		make_index(files.path, TC_INDEX_VERSION);
		assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
		exec_sql(db, wrong[i].sql);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		expect_error(
			tc_index_open(&index, files.ctx, files.path), TC_ERR_STORE, wrong[i].says);
		assert_null(index);
		unlink(files.path);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_zero_and_what_is_not_known_differ),
		TEST(a_directory_stands_for_the_index_in_it),
		TEST(stores_and_other_versions_are_refused),
		TEST(values_that_no_batch_writes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
