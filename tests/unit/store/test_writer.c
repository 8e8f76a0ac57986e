/* The writer: what goes in comes out, whole or not at all, and nothing of others is touched. */
#include "store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "core/alloc.h"
#include "tracecoach/version.h"

static uint32_t add_text(struct tc_batch *batch, const char *text)
{
	uint32_t offset = (uint32_t)batch->text.len;

	tc_buf_append_string(&batch->text, text);
	return offset;
}

static void fill_slices(struct tc_batch *batch)
{
	struct tc_slice_row *row = tc_batch_add_slice(batch);

	*row = (struct tc_slice_row){.id = 0, .ts_ns = INT64_C(1700000000123456789), .dur_ns = -1};
	row->args = (struct tc_row_args){
		.form_id = -1, .offset = add_text(batch, "{\"a\": \"\xc3\xa4\"}"), .len = 11};
	row = tc_batch_add_slice(batch);
	*row = (struct tc_slice_row){.id = 7, .ts_ns = -5, .dur_ns = 0, .track_id = UINT32_MAX - 1};
	row->args = (struct tc_row_args){.form_id = -1};
	row = tc_batch_add_slice(batch);
	*row = (struct tc_slice_row){.id = 8, .ts_ns = 1, .dur_ns = 2, .label_id = 3};
	row->args = (struct tc_row_args){.form_id = 0, .numbers = 5 | INT64_C(7) << 31};
	struct tc_form_row *form = tc_batch_add_form(batch);
	*form = (struct tc_form_row){0, add_text(batch, "{%d %d}"), 7, 31};
}

static void fill_others(struct tc_batch *batch)
{
	static const char scopes[] = "tpg";

	for (int i = 0; i < 3; i++) {
		struct tc_instant_row *row = tc_batch_add_instant(batch);
		*row = (struct tc_instant_row){.id = i, .ts_ns = 10 + i, .scope = scopes[i]};
		row->args = (struct tc_row_args){
			.form_id = -1, .offset = add_text(batch, "{}"), .len = i == 1 ? 2 : 0};
	}
	struct tc_counter_row *counter = tc_batch_add_counter(batch);
	*counter = (struct tc_counter_row){4, 20, -1, add_text(batch, "load x"), 6, 0.1};
	counter = tc_batch_add_counter(batch);
	*counter = (struct tc_counter_row){5, 21, 3, add_text(batch, ""), 0, -2};
	struct tc_memory_row *memory = tc_batch_add_memory(batch);
	*memory = (struct tc_memory_row){1, 30, 1, 0, -512, 1024, 2048, 4096, 0, 0, 6};
	memory = tc_batch_add_memory(batch);
	*memory = (struct tc_memory_row){2, 31, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN,
		INT64_MIN, INT64_MIN, add_text(batch, "18446744073709551615"), 20, 7};
	memory = tc_batch_add_memory(batch);
	*memory = (struct tc_memory_row){.id = 3, .addr = INT64_MIN};
	*tc_batch_add_memory_link(batch) = (struct tc_memory_link_row){2, 7};
}

static void check_rows(sqlite3 *db)
{
	static const char *const rows[][2] = {
		{"SELECT group_concat(quote(id) || ' ' || quote(ts) || ' ' || quote(dur) || ' ' ||"
		 " quote(track_id) || ' ' || quote(label_id) || ' ' || quote(args), ';')"
		 " FROM slice_row",
			"0 1700000000123456789 -1 0 0 '{\"a\": \"\xc3\xa4\"}';"
			"7 -5 0 4294967294 0 NULL;8 1 2 0 3 0"},
		{"SELECT group_concat(quote(numbers), ';') FROM slice_row",
			"NULL;NULL;15032385541"},
		{"SELECT group_concat(quote(args), ';') FROM slice_args",
			"'{\"a\": \"\xc3\xa4\"}';NULL;'{5 7}'"},
		{"SELECT group_concat(quote(id) || ' ' || trace_id || ' ' || ts || ' ' || scope"
		 " || ' ' || quote(args), ';') FROM instant_row",
			"0 9 10 thread NULL;1 9 11 process '{}';2 9 12 global NULL"},
		{"SELECT group_concat(id || ' ' || trace_id || ' ' || ts || ' ' ||"
		 " quote(process_id) || ' ' || quote(name) || ' ' || value, ';') FROM counter",
			"4 9 20 NULL 'load x' 0.1;5 9 21 3 '' -2.0"},
		{"SELECT group_concat(id || ' ' || trace_id || ' ' || ts || ' ' ||"
		 " quote(device_type) || ' ' || quote(device_id) || ' ' || quote(addr) || ' ' ||"
		 " quote(bytes) || ' ' || quote(total_allocated_bytes) || ' ' ||"
		 " quote(total_reserved_bytes) || ' ' || thread_id, ';') FROM memory_sample",
			"1 9 30 1 0 4096 -512 1024 2048 6;"
			"2 9 31 NULL NULL '18446744073709551615' NULL NULL NULL 7;"
			"3 9 0 0 0 NULL 0 0 0 0"},
		{"SELECT group_concat(memory_id || ' ' || slice_id, ';') FROM memory_slice", "2 7"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(ask(db, rows[i][0]), rows[i][1]);
}

static void every_column_comes_back(void **state)
{
	const char *const paths[] = {files.path, NULL};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tc_writer *writer = NULL;
		struct tc_store *store = NULL;
		struct tc_batch *batch = tc_batch_new();
		batch->trace_id = 9;
		assert_int_equal(tc_writer_open(&writer, files.ctx, paths[i]), TC_OK);
		fill_slices(batch);
		fill_others(batch);
		if (tc_writer_take_batch(writer, &batch))
			fail_msg("%s", tc_ctx_error(files.ctx));
		if (tc_writer_take_batch(writer, &batch))
			fail_msg("%s", tc_ctx_error(files.ctx));
		tc_batch_free(batch);
		assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
		check_rows(tc_store_db(store));
		assert_string_equal(ask(tc_store_db(store), "PRAGMA integrity_check"), "ok");
		tc_store_close(store);
	}
}

/* Any statement on the store being written, and its seal. */
static void interrupt_stops_statements(void **state)
{
	struct tc_writer *writer = NULL;
	struct tc_store *store = NULL;
	sqlite3 *db;

	(void)state;
	assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
	tc_ctx_interrupt(files.ctx);
	db = tc_writer_db(writer);
	assert_int_equal(sqlite3_exec(db, endless_sql, NULL, NULL, NULL), SQLITE_INTERRUPT);
	expect_error(tc_store_fail(files.ctx, db, "count"), TC_ERR_INTERRUPTED, "interrupted");
	assert_int_equal(tc_writer_seal(&store, writer), TC_ERR_INTERRUPTED);
	assert_int_equal(count_files(), 0);
}

static void ids_may_start_anywhere_and_have_gaps(void **state)
{
	static const int64_t ids[][4] = {{-5, -4, -3, -2}, {0, 1, 2, 3}, {4, 5, 6, 7},
		{9, 10, 11, 12}, {13, 14, 16, 17}, {18, 19, 20, 21}, {22, 23, 24, 25},
		{100, 101, 102, INT64_MAX}};
	struct tc_batch *batch = tc_batch_new();

	(void)state;
	for (size_t first = 0; first < 8; first++) {
		struct tc_writer *writer = NULL;
		struct tc_store *store = NULL;
		assert_int_equal(tc_writer_open(&writer, files.ctx, NULL), TC_OK);
		for (size_t i = first; i < 8; i++) {
			for (int j = 0; j < 4; j++) {
				struct tc_slice_row *slice = tc_batch_add_slice(batch);
				slice->id = slice->ts_ns = ids[i][j];
				slice->args.form_id = -1;
				struct tc_counter_row *counter = tc_batch_add_counter(batch);
				counter->id = counter->ts_ns = ids[i][j];
			}
			if (tc_writer_take_batch(writer, &batch))
				fail_msg("%s", tc_ctx_error(files.ctx));
		}
		assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
		sqlite3 *db = tc_store_db(store);
		int rows = 4 * (8 - (int)first);
		assert_int_equal(
			atoi(ask(db, "SELECT count(*) FROM slice_row WHERE id = ts")), rows);
		assert_int_equal(atoi(ask(db, "SELECT count(*) FROM counter WHERE id = ts")), rows);
		assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
		tc_store_close(store);
	}
	tc_batch_free(batch);
}

static void sealed_file_is_marked_and_sound(void **state)
{
	struct tc_store *store = make_store(files.path, 5000);
	sqlite3 *db = tc_store_db(store);

	(void)state;
	assert_int_equal(count_files(), 1);
	assert_string_equal(tc_store_path(store), files.path);
	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	assert_string_equal(ask(db, "PRAGMA page_size"), "16384");
	assert_int_equal(atoi(ask(db, "PRAGMA application_id")), TC_STORE_APPLICATION_ID);
	assert_int_equal(atoi(ask(db, "PRAGMA user_version")), TC_STORE_VERSION);
	assert_string_equal(ask(db, "SELECT count(*) FROM slice"), "5000");
	assert_string_equal(ask(db, "SELECT args FROM slice WHERE id = 3"), "{\"i\": 3}");
	assert_string_equal(ask(db, "SELECT args FROM slice WHERE id = 4"), "{\"i\": 4}");
	assert_string_equal(ask(db, "SELECT value FROM slice_arg WHERE slice_id = 4"), "4");
	tc_store_close(store);
	assert_int_equal(tc_store_open(&store, files.ctx, files.path), TC_OK);
	assert_string_equal(ask(tc_store_db(store), "SELECT max(id) FROM slice"), "4999");
	tc_store_close(store);
}

/* More than the cache holds, so that pages are written before the end. */
static void large_temporary_store_outlives_its_name(void **state)
{
	struct tc_writer *writer = NULL;
	struct tc_store *store = NULL;
	char *kept = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;

	(void)state;
	setenv("TMPDIR", files.directory, 1);
	assert_int_equal(tc_writer_open(&writer, files.ctx, NULL), TC_OK);
	assert_int_equal(count_files(), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(put_slices(writer, i * 8000, 8000), TC_OK);
	assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
	assert_null(tc_store_path(store));
	assert_int_equal(count_files(), 0);
	sqlite3 *db = tc_store_db(store);
	assert_string_equal(
		ask(db, "SELECT count(*) || ' ' || sum(id) FROM slice_row"), "800000 319999600000");
	exec_sql(db, "CREATE TEMP TABLE t (x); INSERT INTO t VALUES (1); DROP TABLE t");
	tc_store_close(store);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

static void discard_leaves_nothing(void **state)
{
	struct tc_writer *writer = NULL;

	(void)state;
	assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
	assert_int_equal(count_files(), 0); /* no name so far */
	assert_int_equal(put_slices(writer, 0, 1000), TC_OK);
	tc_writer_discard(writer);
	assert_int_equal(count_files(), 0);
	tc_writer_discard(NULL);
}

static void older_store_is_replaced_at_the_seal(void **state)
{
	struct tc_writer *writer = NULL;
	struct tc_store *store = NULL;

	(void)state;
	tc_store_close(make_store(files.path, 10));
	assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
	assert_int_equal(put_slices(writer, 0, 20), TC_OK);
	assert_int_equal(tc_store_open(&store, files.ctx, files.path), TC_OK);
	assert_string_equal(ask(tc_store_db(store), "SELECT count(*) FROM slice_row"), "10");
	tc_store_close(store);
	assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
	assert_string_equal(ask(tc_store_db(store), "SELECT count(*) FROM slice_row"), "20");
	tc_store_close(store);
}

static void write_text(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void others_files_are_not_replaced(void **state)
{
	static const char *const texts[] = {"", "notes", "SQLite format 3"};
	struct tc_writer *writer = NULL;
	sqlite3 *db;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		write_text(files.path, texts[i], strlen(texts[i]));
		expect_error(tc_writer_open(&writer, files.ctx, files.path), TC_ERR_USAGE,
			"not a tracecoach store");
		struct stat st;
		assert_int_equal(stat(files.path, &st), 0);
		assert_int_equal(st.st_size, strlen(texts[i]));
	}
	unlink(files.path);
	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, "CREATE TABLE theirs (x)");
	sqlite3_close(db);
	expect_error(tc_writer_open(&writer, files.ctx, files.path), TC_ERR_USAGE, files.path);
	expect_error(
		tc_writer_open(&writer, files.ctx, files.directory), TC_ERR_USAGE, files.directory);
	expect_error(tc_writer_open(&writer, files.ctx, "/dev/null"), TC_ERR_USAGE, "/dev/null");
	assert_null(writer);
	assert_int_equal(count_files(), 1);
}

/* Plain SQLite would apply them to the new store; they may also be somebody's only copy. */
static void journals_beside_the_place_are_refused(void **state)
{
	static const char *const ends[] = {"-wal", "-shm", "-journal"};
	char stray[128];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct tc_writer *writer = NULL;
		struct tc_store *store = NULL;
		snprintf(stray, sizeof(stray), "%s%s", files.path, ends[i]);
		write_text(stray, "stale", 5);
		expect_error(tc_writer_open(&writer, files.ctx, files.path), TC_ERR_USAGE, stray);
		assert_null(writer);
		unlink(stray);
		/* One that appears before the end. */
		assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
		write_text(stray, "stale", 5);
		expect_error(tc_writer_seal(&store, writer), TC_ERR_USAGE, stray);
		assert_int_equal(count_files(), 1);
		unlink(stray);
	}
}

static void places_that_cannot_be_written_are_told(void **state)
{
	struct tc_writer *writer = NULL;
	char path[160];

	(void)state;
	snprintf(path, sizeof(path), "%s/missing/trace.db", files.directory);
	expect_error(tc_writer_open(&writer, files.ctx, path), TC_ERR_IO, strerror(ENOENT));
	write_text(files.path, "x", 1);
	snprintf(path, sizeof(path), "%s/trace.db", files.path);
	expect_error(tc_writer_open(&writer, files.ctx, path), TC_ERR_IO, strerror(ENOTDIR));
	unlink(files.path);
	if (geteuid() != 0) {
		chmod(files.directory, 0500);
		expect_error(tc_writer_open(&writer, files.ctx, files.path), TC_ERR_IO,
			strerror(EACCES));
		chmod(files.directory, 0700);
	}
	assert_null(writer);
	assert_int_equal(count_files(), 0);
}

/* Names that mean something to SQLite are files to us. */
static void odd_names_are_files(void **state)
{
	static const char *const names[] = {":memory:", "file:x?mode=memory", "a b%41.db"};
	char before[4096];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(files.directory), 0);
	for (size_t i = 0; i < 3; i++) {
		struct tc_store *store = make_store(names[i], 10);
		tc_store_close(store);
		assert_int_equal(count_files(), 1);
		assert_int_equal(tc_store_open(&store, files.ctx, names[i]), TC_OK);
		assert_string_equal(
			ask(tc_store_db(store), "SELECT count(*) FROM slice_row"), "10");
		tc_store_close(store);
		assert_int_equal(unlink(names[i]), 0);
	}
	assert_int_equal(chdir(before), 0);
}

/* A file-size limit is a disk that fills up; at each size one message and no file. */
static void full_disk_leaves_nothing(void **state)
{
	static const rlim_t sizes[] = {0, 4096, 65536, 300000, 1000000, 3000000};
	struct rlimit kept, small;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &kept);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tc_writer *writer = NULL;
		struct tc_store *store = NULL;
		small = kept;
		small.rlim_cur = sizes[i];
		setrlimit(RLIMIT_FSIZE, &small);
		enum tc_status status = tc_writer_open(&writer, files.ctx, files.path);
		for (int j = 0; !status && j < 20; j++)
			status = put_slices(writer, j * 8000, 8000);
		if (!status)
			status = tc_writer_seal(&store, writer);
		else
			tc_writer_discard(writer);
		setrlimit(RLIMIT_FSIZE, &kept);
		assert_null(store);
		expect_error(status, TC_ERR_IO, "cannot write the store");
		assert_int_equal(count_files(), 0);
	}
	signal(SIGXFSZ, SIG_DFL);
}

static void failed_seal_keeps_the_older_store(void **state)
{
	struct tc_writer *writer = NULL;
	struct tc_store *store = NULL;
	sqlite3_stmt *forgotten;

	(void)state;
	tc_store_close(make_store(files.path, 10));
	assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
	sqlite3_prepare_v2(tc_writer_db(writer), "SELECT 1", -1, &forgotten, NULL);
	expect_error(tc_writer_seal(&store, writer), TC_ERR_INTERNAL, "still open");
	sqlite3_finalize(forgotten);
	assert_int_equal(count_files(), 1);
	assert_int_equal(tc_store_open(&store, files.ctx, files.path), TC_OK);
	assert_string_equal(ask(tc_store_db(store), "SELECT count(*) FROM slice_row"), "10");
	tc_store_close(store);
}

static void wrong_rows_are_refused(void **state)
{
	struct tc_writer *writer = NULL;

	(void)state;
	assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
	assert_int_equal(put_slices(writer, 0, 10), TC_OK);
	expect_error(put_slices(writer, 5, 1), TC_ERR_INTERNAL, "rows are not numbered");
	tc_writer_discard(writer);
}

/* SQL between the rows of two traces, as imports do it. */
static void rows_and_statements_take_turns(void **state)
{
	struct tc_writer *writer = NULL;
	struct tc_store *store = NULL;

	(void)state;
	assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(tc_writer_end_rows(writer), TC_OK);
		sqlite3 *db = tc_writer_db(writer);
		assert_int_equal(atoi(ask(db, "SELECT count(*) FROM slice_row")), i * 3000);
		exec_sql(db, "INSERT INTO process (id, trace_id, pid) SELECT count(*), 0, 1"
			     " FROM process");
		assert_int_equal(put_slices(writer, i * 3000, 1000), TC_OK);
		assert_int_equal(put_slices(writer, i * 3000 + 1000, 2000), TC_OK);
	}
	assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
	sqlite3 *db = tc_store_db(store);
	assert_string_equal(
		ask(db, "SELECT count(*) || ' ' || sum(id) FROM slice_row"), "15000 112492500");
	assert_string_equal(ask(db, "SELECT count(*) || ' ' || sum(id) FROM process"), "5 10");
	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	tc_store_close(store);
}

/* Drops after the first `kept` rows so many more; before SQL wrote something, or after that. */
static void drop_some(const char *path, int kept, int dropped, bool after_sql)
{
	struct tc_writer *writer = NULL;
	struct tc_store *store = NULL;

	assert_int_equal(tc_writer_open(&writer, files.ctx, path), TC_OK);
	tc_writer_keep(writer, true);
	if (kept > 0)
		assert_int_equal(put_slices(writer, 0, kept), TC_OK);
	assert_int_equal(tc_writer_end_rows(writer), TC_OK);
	exec_sql(tc_writer_db(writer), "INSERT INTO process (id, trace_id, pid) VALUES (0, 0, 1)");
	tc_writer_keep(writer, true);
	if (dropped > 0)
		assert_int_equal(put_slices(writer, kept, dropped), TC_OK);
	if (after_sql) {
		assert_int_equal(tc_writer_end_rows(writer), TC_OK);
		exec_sql(tc_writer_db(writer), "INSERT INTO process (id, trace_id, pid) SELECT id "
					       "+ 1, 0, 1 FROM slice_row");
	}
	tc_writer_drop(writer);
	assert_int_equal(put_slices(writer, kept, 10), TC_OK);
	assert_int_equal(tc_writer_end_rows(writer), TC_OK);
	tc_writer_keep(writer, true);
	tc_writer_keep(writer, false);
	assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
	sqlite3 *db = tc_store_db(store);
	assert_int_equal(atoi(ask(db, "SELECT count(*) FROM slice_row")), kept + 10);
	assert_string_equal(ask(db, "SELECT count(*) FROM process"), "1");
	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	tc_store_close(store);
	unlink(files.path);
}

static void what_is_dropped_leaves_no_trace(void **state)
{
	static const int counts[] = {0, 1, 300, 3000};

	(void)state;
	for (int i = 0; i < 32; i++)
		drop_some(
			i & 16 ? NULL : files.path, counts[i % 4], counts[i / 4 % 4], (i & 1) != 0);
	for (int i = 0; i < 4; i++)
		drop_some(files.path, counts[3], counts[i], true);
}

static void memory_may_fail_anywhere(void **state)
{
	const char *const paths[] = {files.path, NULL};

	(void)state;
	for (int n = 0; n < 120; n++) {
		struct tc_writer *writer = NULL;
		struct tc_store *store = NULL;
		tc_alloc_fail_after(n / 2);
		enum tc_status status = tc_writer_open(&writer, files.ctx, paths[n % 2]);
		if (!status)
			status = put_slices(writer, 0, 100);
		if (!status)
			status = tc_writer_seal(&store, writer);
		else
			tc_writer_discard(writer);
		tc_alloc_fail_after(-1);
		assert_int_equal(store != NULL, status == TC_OK);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_store_close(store);
		assert_int_equal(count_files(), status == TC_OK && n % 2 == 0);
		unlink(files.path);
		tc_ctx_clear_error(files.ctx);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_column_comes_back),
		TEST(interrupt_stops_statements),
		TEST(ids_may_start_anywhere_and_have_gaps),
		TEST(sealed_file_is_marked_and_sound),
		TEST(large_temporary_store_outlives_its_name),
		TEST(discard_leaves_nothing),
		TEST(older_store_is_replaced_at_the_seal),
		TEST(others_files_are_not_replaced),
		TEST(journals_beside_the_place_are_refused),
		TEST(places_that_cannot_be_written_are_told),
		TEST(odd_names_are_files),
		TEST(full_disk_leaves_nothing),
		TEST(failed_seal_keeps_the_older_store),
		TEST(wrong_rows_are_refused),
		TEST(rows_and_statements_take_turns),
		TEST(what_is_dropped_leaves_no_trace),
		TEST(memory_may_fail_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
