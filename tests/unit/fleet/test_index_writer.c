/* Indexes made of records, and records read back from indexes. */
#include "store_files.h"

#include "analysis/metrics.h"
#include "core/context.h"
#include "fleet/index.h"
#include "tracecoach/fleet.h"

static const struct tc_index_facts facts = {"1.2.3", "root", 42, 0, 0};

static struct tc_settings *settings;

static void add_trace(struct tc_buf *record, const char *path, int64_t group)
{
	struct tc_sql_value values[TC_TRACE_VALUES];

	for (int i = 0; i < TC_TRACE_VALUES; i++)
		values[i] = tc_sql_int(i);
	values[TC_TRACE_PATH] = tc_sql_string(path);
	values[TC_TRACE_STATE] = tc_sql_string("done");
	for (int i = TC_TRACE_REASON; i <= TC_TRACE_DEVICE; i++)
		values[i] = tc_sql_null();
	values[TC_TRACE_GROUP] = tc_sql_id(group);
	tc_record_add(record, TC_ROW_TRACE, values, TC_TRACE_VALUES);
}

static void add_metric(struct tc_buf *record, int metric, struct tc_sql_value value)
{
	const struct tc_sql_value values[] = {tc_sql_int(metric), value};

	tc_record_add(record, TC_ROW_METRIC, values, TC_METRIC_VALUES);
}

/* A job of two traces: the first has metrics, one of them 0, and a finding. */
static void make_record(struct tc_buf *record, const char *path)
{
	const struct tc_sql_value job[TC_JOB_VALUES] = {
		tc_sql_string(path), tc_sql_string("done"), tc_sql_null(), tc_sql_int(1)};
	const struct tc_sql_value finding[] = {tc_sql_int(1), tc_sql_int(0), tc_sql_string("high"),
		tc_sql_string("measured"), tc_sql_int(7), tc_sql_real(1.5), tc_sql_null()};
	const struct tc_sql_value log[] = {tc_sql_string("cut"), tc_sql_string("data_loss"),
		tc_sql_int(3), tc_sql_string("at the end")};

	tc_record_add(record, TC_ROW_JOB, job, TC_JOB_VALUES);
	add_trace(record, "x.json", -1);
	add_metric(record, TC_METRIC_WALL, tc_sql_int(99));
	add_metric(record, TC_METRIC_DEVICE_COUNT, tc_sql_int(0));
	tc_record_add(record, TC_ROW_FINDING, finding, TC_FINDING_VALUES);
	tc_record_add(record, TC_ROW_LOG, log, TC_LOG_VALUES);
	add_trace(record, "y.json", 1);
	add_metric(record, TC_METRIC_WALL, tc_sql_real(1.5));
	add_metric(record, TC_METRIC_DEVICE_COUNT, tc_sql_int(1));
}

static void make_index(const char *const *jobs)
{
	struct tc_index_writer *writer = tc_index_writer_open(files.ctx, files.path, &facts);

	assert_non_null(writer);
	tc_index_writer_names(writer, settings);
	for (; *jobs; jobs++) {
		struct tc_buf record = TC_BUF_EMPTY;
		make_record(&record, *jobs);
		tc_index_writer_add(writer, tc_buf_text(&record));
		tc_buf_clear(&record);
	}
	tc_index_writer_leave_out(writer, "d", "closed");
	tc_index_writer_leave_out(writer, "d", "again");
	tc_index_writer_publish(writer);
	assert_int_equal(tc_ctx_status(files.ctx), TC_OK);
}

#define JOBS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void ids_follow_the_order_of_jobs(void **state)
{
	struct tc_store *index = NULL;

	(void)state;
	make_index(JOBS("a", "b"));
	assert_int_equal(tc_index_open(&index, files.ctx, files.path), TC_OK);
	sqlite3 *db = tc_store_db(index);
	assert_string_equal(
		ask(db, "SELECT group_concat(path || id || pace_trace_id) FROM job"), "a01,b13");
	assert_string_equal(ask(db, "SELECT group_concat(id || job_id || coalesce(group_trace_id,"
				    " '-')) FROM trace"),
		"00-,101,21-,313");
	assert_string_equal(ask(db, "SELECT count(*) FROM run_metric"), "6");
	assert_string_equal(ask(db, "SELECT count(*) FROM trace_metric"), "8");
	assert_string_equal(ask(db, "SELECT count(DISTINCT id) FROM metric_set"), "1");
	assert_string_equal(ask(db, "SELECT value FROM trace_metric WHERE trace_id = 2 AND name ="
				    " 'device_count'"),
		"0");
	assert_string_equal(ask(db, "SELECT reason FROM left_out"), "closed");
	tc_store_close(index);
}

static void records_come_back_as_they_were(void **state)
{
	struct tc_store *index = NULL;
	struct tc_buf wanted = TC_BUF_EMPTY, got = TC_BUF_EMPTY;

	(void)state;
	make_index(JOBS("a", "b", "c"));
	make_record(&wanted, "b");
	assert_int_equal(tc_index_open(&index, files.ctx, files.path), TC_OK);
	struct tc_index_reader *reader = tc_index_reader_new(files.ctx, tc_store_db(index));
	assert_non_null(reader);
	int64_t id = tc_index_reader_find(reader, TC_TEXT("b"));
	assert_int_equal(id, 1);
	tc_index_reader_get(&got, reader, id, false);
	assert_int_equal(tc_ctx_status(files.ctx), TC_OK);
	/* Metrics come in the order of their numbers. */
	assert_int_equal(got.len, wanted.len);
	struct tc_text rest = tc_buf_text(&got);
	struct tc_row row;
	size_t rows = 0;
	for (; tc_record_next(&row, &rest); rows++)
		;
	assert_int_equal(rows, 9);
	assert_int_equal(rest.len, 0);
	assert_int_equal(tc_index_reader_find(reader, TC_TEXT("bb")), -1);
	tc_buf_clear(&wanted);
	tc_buf_clear(&got);
	tc_index_reader_free(reader);
	tc_store_close(index);
}

static void cut_records_are_none(void **state)
{
	struct tc_buf record = TC_BUF_EMPTY;
	struct tc_row row;

	(void)state;
	make_record(&record, "a");
	for (size_t len = 1; len < record.len; len++) {
		struct tc_text rest = {record.ptr, len};
		size_t rows = 0;
		while (tc_record_next(&row, &rest))
			rows++;
		assert_true(rows < 9);
		if (rows == 0)
			assert_int_equal(rest.len, len);
	}
	tc_buf_clear(&record);
}

static void an_index_that_has_failed_leaves_nothing(void **state)
{
	struct tc_index_writer *writer = tc_index_writer_open(files.ctx, files.path, &facts);

	(void)state;
	assert_non_null(writer);
	tc_index_writer_add(writer, TC_TEXT("\x09"));
	tc_index_writer_publish(writer);
	expect_error(tc_ctx_status(files.ctx), TC_ERR_INTERNAL, "damaged");
	assert_int_equal(count_files(), 0);
}

static int make_settings(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	enum tc_status status = tc_settings_new(&settings, ctx, NULL);

	(void)state;
	tc_ctx_free(ctx);
	return (int)status;
}

static int free_settings(void **state)
{
	(void)state;
	tc_settings_free(settings);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ids_follow_the_order_of_jobs),
		TEST(records_come_back_as_they_were),
		TEST(cut_records_are_none),
		TEST(an_index_that_has_failed_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, make_settings, free_settings);
}
