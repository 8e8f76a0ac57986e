/*
 * Files to a store: on threads and inline the same bytes, whole or not at all, whatever the input,
 * the disk and the memory do.
 */
#include "store_files.h"
#include "catalogue_fixture.h"

#include <signal.h>
#include <sys/resource.h>

#include "core/alloc.h"
#include "core/buf.h"
#include "tracecoach/import.h"

enum { PATH_BYTES = 160 };

static void path_of(char *path, const char *name)
{
	snprintf(path, PATH_BYTES, "%s/%s", files.directory, name);
}

static void write_file(char *path, const char *name, const char *text, size_t len)
{
	path_of(path, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*len = (size_t)ftell(file);
	rewind(file);
	char *bytes = malloc(*len + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *len, file), *len);
	bytes[*len] = '\0';
	fclose(file);
	return bytes;
}

/* A CUDA-like trace of count rounds of everything; damage in the middle when asked for. */
static void make_trace(struct tc_buf *text, int count, bool damaged)
{
	tc_buf_append_string(text, "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":1},"
				   "\"traceEvents\":[\n");
	for (int i = 0; i < count; i++) {
		int t = i * 100;
		if (i % 500 == 0)
			tc_buf_format(text,
				"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#"
				"%d\","
				"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":49990},\n",
				i / 500, t);
		if (damaged && i == count / 2)
			tc_buf_append_string(text, "{\"ph\":\"X\",\"na\n\x01me: ],\n");
		tc_buf_format(text,
			"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::op%d\",\"pid\":1,"
			"\"tid\":1,"
			"\"ts\":%d.25,\"dur\":60,\"args\":{\"External id\":%d}},\n"
			"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":10,\"args\":{\"correlation\":%d}},\n"
			"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":%d,"
			"\"ts\":%d,\"dur\":70,\"args\":{\"device\":0,\"correlation\":%d}},\n"
			"{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%d,\"pid\":1,"
			"\"tid\":1,\"ts\":%d},{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"ac2g\",\"name\":"
			"\"ac2g\",\"id\":%d,\"pid\":0,\"tid\":%d,\"ts\":%d},\n"
			"{\"ph\":\"B\",\"name\":\"b%d\",\"pid\":1,\"tid\":2,\"ts\":%d},"
			"{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":%d},\n"
			"{\"ph\":\"C\",\"name\":\"mem\",\"pid\":1,\"ts\":%d,\"args\":{\"x\":%d}},"
			"{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":1,\"ts\":%d}%s\n",
			i % 37, t + 1, i, t + 5, i + 1, i % 11, 7 + i % 3, t + 30, i + 1, i + 1,
			t + 5, i + 1, 7 + i % 3, t + 30, i % 5, t + 2, t + 9, t, i, t + 3,
			i + 1 < count ? "," : "");
	}
	tc_buf_append_string(text, "],\"traceName\":\"x\"}");
	assert_false(tc_buf_failed(text));
}

static void write_trace(char *path, const char *name, int count, bool damaged)
{
	struct tc_buf text = TC_BUF_EMPTY;

	make_trace(&text, count, damaged);
	write_file(path, name, text.ptr, text.len);
	tc_buf_clear(&text);
}

static enum tc_status import_to(
	const char *db, const char *const *paths, size_t count, bool inline_stages, bool strict)
{
	const struct tc_import_options options = {
		.inline_stages = inline_stages, .strict = strict, .settings = default_settings()};
	struct tc_store *store = NULL;
	enum tc_status status = tc_import(&store, files.ctx, paths, count, db, &options);

	if (status)
		assert_null(store);
	tc_store_close(store);
	return status;
}

static void expect_same_bytes(const char *const *paths, size_t count)
{
	char one[PATH_BYTES], two[PATH_BYTES];
	size_t one_len, two_len;

	path_of(one, "one.db");
	path_of(two, "two.db");
	if (import_to(one, paths, count, false, false) || import_to(two, paths, count, true, false))
		fail_msg("%s: %s", paths[0], tc_ctx_error(files.ctx));
	char *one_bytes = read_file(one, &one_len), *two_bytes = read_file(two, &two_len);
	if (one_len != two_len || memcmp(one_bytes, two_bytes, one_len) != 0)
		fail_msg("%s: stores differ", paths[0]);
	free(one_bytes);
	free(two_bytes);
	unlink(one);
	unlink(two);
}

/* Events of the largest trace, which is too large to be read ahead, and how many files the first
 * set has. The thread sanitizer takes ten times as long, so there one set has them all. */
#ifdef __SANITIZE_THREAD__
enum { LARGE = 6000, AHEAD_FIRST = 9 };
#else
enum { LARGE = 12000, AHEAD_FIRST = 2 };
#endif

static void threads_and_one_thread_give_the_same_bytes(void **state)
{
	char big[PATH_BYTES], small[PATH_BYTES];
	const char *paths[3];

	(void)state;
	write_trace(big, "big.json", LARGE, true);
	write_trace(small, "small.json", 3, false);
	paths[0] = big;
	paths[1] = small;
	paths[2] = big;
	expect_same_bytes(paths, 1);
	expect_same_bytes(paths + 1, 1);
	expect_same_bytes(paths, 3);
	unlink(big);
	unlink(small);
}

/* Traces of all sizes, such as are read ahead and such as are not, and two that cannot be used. */
static void what_is_read_ahead_gives_the_same_bytes(void **state)
{
	static const int counts[] = {3, 700, 0, 40, 2000, 5, LARGE, 0, 1};
	enum { COUNT = sizeof(counts) / sizeof(counts[0]) };
	char names[COUNT][PATH_BYTES];
	const char *paths[COUNT];

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d.json", i);
		if (counts[i] > 0)
			write_trace(names[i], name, counts[i], i % 2 == 1);
		else
			write_file(names[i], name, "{}", 2);
		paths[i] = names[i];
	}
	for (size_t count = AHEAD_FIRST; count <= COUNT; count++)
		expect_same_bytes(paths, count);
	for (int i = 0; i < COUNT; i++)
		unlink(names[i]);
}

/* Appends a member with one stored block, without its trailer. */
static void append_cut_gzip(struct tc_buf *gzip, const char *text)
{
	static const unsigned char header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1};
	const uint32_t len = (uint32_t)strlen(text), lens = len | (~len << 16);

	tc_buf_append(gzip, (const char *)header, sizeof(header));
	for (unsigned shift = 0; shift < 32; shift += 8)
		tc_buf_append_char(gzip, (char)(lens >> shift & 0xff));
	tc_buf_append_string(gzip, text);
	assert_false(tc_buf_failed(gzip));
}

/* What the log of an import of that file says, and which events there are. */
static void expect_log(struct tc_buf *gzip, bool inline_stages, const char *events, const char *log)
{
	const struct tc_import_options options = {
		.inline_stages = inline_stages, .settings = default_settings()};
	char path[PATH_BYTES], db[PATH_BYTES];
	const char *paths[] = {path};
	struct tc_store *store = NULL;

	path_of(db, "cut.db");
	write_file(path, "cut.json.gz", gzip->ptr, gzip->len);
	assert_int_equal(tc_import(&store, files.ctx, paths, 1, db, &options), TC_OK);
	assert_string_equal(
		ask(tc_store_db(store), "SELECT group_concat(name, '') FROM slice"), events);
	assert_string_equal(
		ask(tc_store_db(store), "SELECT group_concat(kind || count) FROM import_log"), log);
	tc_store_close(store);
	unlink(db);
	unlink(path);
}

/* How much the decoder held back depends on the parts it was fed; the order of the log must not. */
static void a_cut_of_the_source_is_told_last(void **state)
{
	struct tc_buf gzip = TC_BUF_EMPTY;

	(void)state;
	append_cut_gzip(&gzip, "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
			       "\"dur\":1},{\"ph\"");
	for (int inline_stages = 0; inline_stages < 2; inline_stages++)
		expect_log(&gzip, inline_stages, "a", "truncated5,source_cut1");
	tc_buf_clear(&gzip);
}

/* The first member of a file is short: those behind it are read, and what is lost is told. */
static void reading_goes_on_behind_a_damaged_member(void **state)
{
	struct tc_buf gzip = TC_BUF_EMPTY;

	(void)state;
	append_cut_gzip(&gzip, "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
			       "\"dur\":1},{\"ph\":\"X\",\"name\":\"lost\",\"pid\":1,\"ts\":1");
	append_cut_gzip(&gzip, "7,\"dur\":1},{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,"
			       "\"ts\":3,\"dur\":1}]");
	const char trailer[] = "\x5a\x8b\x14\x79\x40\0\0";
	tc_buf_append(&gzip, trailer, sizeof(trailer));
	tc_buf_append_string(&gzip, "tail");
	for (int inline_stages = 0; inline_stages < 2; inline_stages++)
		expect_log(&gzip, inline_stages, "ab",
			"damaged_event113,source_cut1,trailing_garbage4");
	tc_buf_clear(&gzip);
}

static void several_files_are_several_traces(void **state)
{
	char one[PATH_BYTES], two[PATH_BYTES], again[PATH_BYTES];
	const char *paths[] = {one, two, again};
	struct tc_store *store = NULL;

	(void)state;
	write_trace(one, "one.json", 700, false);
	write_trace(two, "two.json", 20, false);
	write_trace(again, "again.json", 700, false);
	const struct tc_import_options options = {.settings = default_settings()};
	assert_int_equal(tc_import(&store, files.ctx, paths, 3, NULL, &options), TC_OK);
	sqlite3 *db = tc_store_db(store);
	assert_string_equal(ask(db, "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM slice "
				    "GROUP BY trace_id ORDER BY trace_id)"),
		"2802,81,2802");
	assert_string_equal(
		ask(db, "SELECT group_concat(n) FROM (SELECT count(DISTINCT s.trace_id) || '/' || "
			"count(*) AS n FROM device_op d JOIN slice s ON s.id = d.launch_slice_id "
			"AND s.trace_id = d.trace_id GROUP BY d.trace_id ORDER BY d.trace_id)"),
		"1/700,1/20,1/700");
	assert_string_equal(ask(db, "SELECT count(*) FROM trace WHERE rank = 1"), "3");
	/* The third has what the first has. */
	assert_string_equal(
		ask(db, "SELECT count(*) FROM metric a JOIN metric b ON b.name = a.name AND "
			"b.device IS a.device AND b.step IS a.step AND b.value IS NOT a.value "
			"WHERE a.trace_id = 0 AND b.trace_id = 2"),
		"0");
	tc_store_close(store);
	unlink(one);
	unlink(two);
	unlink(again);
}

static void a_file_given_twice_is_read_once(void **state)
{
	char one[PATH_BYTES];
	const char *paths[] = {one, one};
	struct tc_store *store = NULL;

	(void)state;
	write_trace(one, "one.json", 7, false);
	const struct tc_import_options options = {.inline_stages = true};
	assert_int_equal(tc_import(&store, files.ctx, paths, 2, NULL, &options), TC_OK);
	assert_string_equal(ask(tc_store_db(store), "SELECT count(*) FROM trace"), "1");
	tc_store_close(store);
	unlink(one);
}

static void unusable_input_leaves_nothing(void **state)
{
	static const struct {
		const char *text;
		enum tc_status status;
		const char *words;
	} rows[] = {
		{"", TC_ERR_INPUT, "bad.json"},
		{"hello", TC_ERR_INPUT, "no trace events"},
		{"{\"a\": 1}", TC_ERR_INPUT, "no trace events"},
		{"{\"traceEvents\": 3}", TC_ERR_INPUT, "bad.json"},
		{"PK\x03\x04", TC_ERR_INPUT, "bad.json"},
	};
	char path[PATH_BYTES];
	const char *paths[] = {path};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file(path, "bad.json", rows[i].text, strlen(rows[i].text));
		for (int inline_stages = 0; inline_stages < 2; inline_stages++) {
			expect_error(import_to(files.path, paths, 1, inline_stages, false),
				rows[i].status, rows[i].words);
			assert_int_equal(count_files(), 1);
		}
		unlink(path);
	}
	expect_error(import_to(files.path, paths, 1, false, false), TC_ERR_READ, "bad.json");
	paths[0] = files.directory;
	expect_error(import_to(files.path, paths, 1, false, false), TC_ERR_INPUT, "directory");
	assert_int_equal(count_files(), 0);
	/* Strictness does not leave one out among good ones. */
	char good[PATH_BYTES];
	write_trace(good, "good.json", 5, false);
	write_file(path, "bad.json", "x", 1);
	const char *both[] = {good, path};
	expect_error(import_to(files.path, both, 2, false, true), TC_ERR_INPUT, "bad.json");
	assert_int_equal(count_files(), 2);
	unlink(path);
	unlink(good);
}

/* A trace without events is a trace. */
static void an_empty_list_is_usable(void **state)
{
	char path[PATH_BYTES];
	const char *paths[] = {path};

	(void)state;
	write_file(path, "none.json", "{\"traceEvents\": []}", 19);
	expect_same_bytes(paths, 1);
	unlink(path);
}

static void strict_refuses_loss(void **state)
{
	char path[PATH_BYTES];
	const char *paths[] = {path};

	(void)state;
	write_trace(path, "hurt.json", 50, true);
	expect_error(
		import_to(files.path, paths, 1, false, true), TC_ERR_INPUT, "strict was given");
	assert_int_equal(count_files(), 1);
	assert_int_equal(import_to(files.path, paths, 1, false, false), TC_OK);
	unlink(files.path);
	write_trace(path, "hurt.json", 50, false);
	assert_int_equal(import_to(files.path, paths, 1, false, true), TC_OK);
	unlink(path);
}

/* What failed before is no verdict on the next import of the same context. */
static void an_old_error_does_not_stop_an_import(void **state)
{
	char path[PATH_BYTES];
	const char *paths[] = {path};

	(void)state;
	path_of(path, "t.json");
	assert_int_equal(import_to(files.path, paths, 1, false, false), TC_ERR_READ);
	write_trace(path, "t.json", 50, false);
	assert_int_equal(import_to(files.path, paths, 1, false, false), TC_OK);
	assert_int_equal(tc_ctx_status(files.ctx), TC_OK);
	assert_int_equal(import_to(files.path, paths, 1, true, true), TC_OK);
	unlink(path);
}

static void interrupt_now(void *user, const struct tc_progress *progress)
{
	(void)progress;
	tc_ctx_interrupt(user);
}

static void an_interrupt_leaves_nothing(void **state)
{
	char path[PATH_BYTES];
	const char *paths[] = {path};

	(void)state;
	write_trace(path, "t.json", 12000, false);
	for (int inline_stages = 0; inline_stages < 2; inline_stages++) {
		struct tc_ctx *kept = files.ctx;
		files.ctx = tc_ctx_new();
		tc_ctx_set_progress(files.ctx, interrupt_now, files.ctx);
		expect_error(import_to(files.path, paths, 1, inline_stages, false),
			TC_ERR_INTERRUPTED, "interrupted");
		assert_int_equal(count_files(), 1);
		tc_ctx_free(files.ctx);
		files.ctx = kept;
	}
	unlink(path);
}

/* However early or late the disk fills up, the stages end and nothing is left. */
static void a_full_disk_leaves_nothing(void **state)
{
	char path[PATH_BYTES];
	const char *paths[] = {path};
	struct rlimit old, small;

	(void)state;
	write_trace(path, "t.json", 12000, false);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	for (int inline_stages = 0; inline_stages < 2; inline_stages++)
		for (rlim_t kilobytes = 0; kilobytes < 2000; kilobytes = kilobytes * 3 + 1) {
			small.rlim_cur = kilobytes * 1024;
			alarm(120);
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
			enum tc_status status =
				import_to(files.path, paths, 1, inline_stages, false);
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
			alarm(0);
			if (status != TC_ERR_IO)
				fail_msg("%d KB: %s: %s", (int)kilobytes, tc_status_name(status),
					tc_ctx_error(files.ctx));
			tc_ctx_clear_error(files.ctx);
			assert_int_equal(count_files(), 1);
		}
	unlink(path);
}

/* How many allocations fail one by one, and how many are spread over the rest. On one thread the
 * thread sanitizer has nothing to find. */
#ifdef __SANITIZE_THREAD__
enum { FAILING_FIRST = 20, FAILING_SPREAD = 20 };
#else
enum { FAILING_FIRST = 300, FAILING_SPREAD = 200 };
#endif

static void every_failed_allocation_is_survived(void **state)
{
	char path[PATH_BYTES];
	const char *paths[] = {path};
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	write_trace(path, "t.json", 2, true);
	tc_alloc_fail_after(-1);
	assert_int_equal(import_to(files.path, paths, 1, true, false), TC_OK);
	int64_t calls = tc_alloc_fail_after(-1);
	unlink(files.path);
	for (int64_t n = 0; n < calls; n += n < FAILING_FIRST ? 1 : 1 + calls / FAILING_SPREAD) {
		tc_alloc_fail_after(n);
		status = import_to(files.path, paths, 1, true, false);
		tc_alloc_fail_after(-1);
		if (status != TC_ERR_NOMEM && status != TC_OK)
			fail_msg("call %d: %s: %s", (int)n, tc_status_name(status),
				tc_ctx_error(files.ctx));
		/* A failure that costs nothing (a cache) may be survived. */
		assert_int_equal(count_files(), status == TC_OK ? 2 : 1);
		tc_ctx_clear_error(files.ctx);
		unlink(files.path);
	}
	for (int64_t n = 0; n < 40; n++) {
		tc_alloc_fail_after(n * 7);
		status = import_to(files.path, paths, 1, false, false);
		tc_alloc_fail_after(-1);
		assert_int_equal(count_files(), status == TC_OK ? 2 : 1);
		tc_ctx_clear_error(files.ctx);
		unlink(files.path);
	}
	unlink(path);
}

/* True when the store has the counts that truth.json gives for a file. */
static const char check_sql[] =
	"WITH t AS (SELECT value AS v FROM truth, json_each(truth.json) WHERE key = ?1), "
	"m AS (SELECT j.key AS direction, j.value ->> 'count' AS n, "
	"j.value ->> 'total_ns' AS ns FROM t, json_each(t.v, '$.memcpy') j) "
	"SELECT (SELECT count(*) FROM main.slice) = v ->> '$.ph.X' "
	"AND (SELECT count(*) || ' ' || coalesce(sum(dur), 0) FROM main.device_op WHERE "
	"kind = "
	"'kernel') = (v ->> '$.kernels.count') || ' ' || (v ->> '$.kernels.total_ns') "
	"AND (SELECT count(*) || ' ' || coalesce(sum(dur), 0) FROM main.device_op WHERE "
	"kind = "
	"'memset') = (v ->> '$.memset.count') || ' ' || (v ->> '$.memset.total_ns') "
	"AND (SELECT count(*) FROM main.step) = v ->> '$.profiler_steps' "
	"AND (SELECT count(*) FROM main.step s WHERE s.name NOT IN (SELECT value FROM "
	"json_each(v, '$.profiler_step_names'))) = 0 "
	"AND NOT EXISTS (SELECT direction, count(*), sum(dur) FROM main.device_op WHERE "
	"kind = "
	"'memcpy' GROUP BY 1 EXCEPT SELECT direction, n, ns FROM m) "
	"AND NOT EXISTS (SELECT direction, n, ns FROM m EXCEPT SELECT direction, count(*), "
	"sum(dur) FROM main.device_op WHERE kind = 'memcpy' GROUP BY 1) "
	"AND (SELECT event_count FROM main.trace) = v ->> 'events' "
	"AND (SELECT end_ns - start_ns FROM main.trace) = v ->> '$.x_range_ns.len' FROM t";

/* A temporary table of one value: the text of truth.json. */
static void add_truth(sqlite3 *db, const char *json)
{
	sqlite3_stmt *add;

	exec_sql(db, "CREATE TEMP TABLE truth(json)");
	assert_int_equal(
		sqlite3_prepare_v2(db, "INSERT INTO temp.truth VALUES (?)", -1, &add, NULL),
		SQLITE_OK);
	sqlite3_bind_text(add, 1, json, -1, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(add), SQLITE_DONE);
	sqlite3_finalize(add);
}

static void check_truth(const char *shared, const char *name, const char *json)
{
	char path[600];
	const char *paths[] = {path};
	sqlite3_stmt *check;
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/corpus/%s", shared, name);
	if (import_to(files.path, paths, 1, false, true))
		fail_msg("%s", tc_ctx_error(files.ctx));
	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	add_truth(db, json);
	if (sqlite3_prepare_v2(db, check_sql, -1, &check, NULL))
		fail_msg("%s", sqlite3_errmsg(db));
	sqlite3_bind_text(check, 1, name, -1, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(check), SQLITE_ROW);
	if (sqlite3_column_int(check, 0) != 1)
		fail_msg("%s: counts differ", name);
	sqlite3_finalize(check);
	sqlite3_close(db);
	unlink(files.path);
}

/* Real traces against counts made from them by other means. */
static void real_traces_have_the_known_counts(void **state)
{
	const char *shared = getenv("TC_SHARED");
	char path[600];
	size_t len;
	int count = 0;
	sqlite3 *db;
	sqlite3_stmt *names;

	(void)state;
	if (!shared)
		skip();
	snprintf(path, sizeof(path), "%s/corpus/truth.json", shared);
	char *json = read_file(path, &len);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	add_truth(db, json);
	assert_int_equal(
		sqlite3_prepare_v2(db,
			"SELECT key FROM truth, json_each(truth.json) WHERE key LIKE '%.json.gz' "
			"AND value ->> '$.ph.X' IS NOT NULL ORDER BY key",
			-1, &names, NULL),
		SQLITE_OK);
	for (; sqlite3_step(names) == SQLITE_ROW; count++)
		check_truth(shared, (const char *)sqlite3_column_text(names, 0), json);
	assert_true(count >= 18);
	sqlite3_finalize(names);
	sqlite3_close(db);
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)
		TEST(threads_and_one_thread_give_the_same_bytes),
		TEST(a_cut_of_the_source_is_told_last),
		TEST(reading_goes_on_behind_a_damaged_member),
		TEST(what_is_read_ahead_gives_the_same_bytes),
		TEST(several_files_are_several_traces),
		TEST(a_file_given_twice_is_read_once),
		TEST(unusable_input_leaves_nothing),
		TEST(an_empty_list_is_usable),
		TEST(strict_refuses_loss),
		TEST(an_old_error_does_not_stop_an_import),
		TEST(an_interrupt_leaves_nothing),
		TEST(a_full_disk_leaves_nothing),
		TEST(every_failed_allocation_is_survived),
		TEST(real_traces_have_the_known_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
