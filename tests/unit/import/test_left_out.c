/*
 * An input that fails, wherever the import stands with it, is left out: the store has what it has
 * without that input, and says so. To fail in the middle, read() fails here for files whose name
 * says so, and statements of the writer are refused.
 */
/* This file has a read() of its own, where fortified headers have an inline one. */
#undef _FORTIFY_SOURCE

#include "store_files.h"

#include <errno.h>
#include <sys/uio.h>

#include "tracecoach/import.h"

enum { PATH_BYTES = 160 };

/* Bytes that a file gives before reading it fails; -1: it does not. */
static int64_t fail_after_bytes = -1;
static ino_t failing_file;

ssize_t read(int fd, void *buffer, size_t size)
{
	struct stat status;

	if (fail_after_bytes >= 0 && fstat(fd, &status) == 0 && status.st_ino == failing_file) {
		int64_t left = fail_after_bytes - lseek(fd, 0, SEEK_CUR);
		if (left <= 0) {
			errno = EIO;
			return -1;
		}
		size = (int64_t)size > left ? (size_t)left : size;
	}
	return readv(fd, &(struct iovec){buffer, size}, 1);
}

/* INSERTs into this table are refused from one number to before another. While one trace is written
 * the next is read, so only the order of writing says which trace they are of. */
static const char *refused_table;
static int insert_count, refused_from, refused_until;

static int refuse(void *user, int action, const char *first, const char *second,
	const char *database, const char *trigger)
{
	(void)user, (void)second, (void)database, (void)trigger;
	if (action != SQLITE_INSERT || !refused_table || strcmp(first, refused_table) != 0)
		return SQLITE_OK;
	int number = insert_count++;
	return number >= refused_from && number < refused_until ? SQLITE_DENY : SQLITE_OK;
}

static int guard(sqlite3 *db, char **error, const struct sqlite3_api_routines *api)
{
	(void)error, (void)api;
	return sqlite3_set_authorizer(db, refuse, NULL);
}

static void path_of(char *path, const char *name)
{
	snprintf(path, PATH_BYTES, "%s/%s", files.directory, name);
}

/* One rank of two, whose names and numbers depend on seed, so that a row too many is seen. It says
 * its rank at its end, where nobody looks before the import, so that inputs stay in their order. */
static void write_trace(char *path, const char *name, int seed, int count)
{
	path_of(path, name);
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	fprintf(file, "{\"schemaVersion\":1,\"traceEvents\":[\n");
	for (int i = 0; i < count; i++) {
		int t = 1000 + i * 100;
		fprintf(file,
			"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::op%d_%d\",\"pid\":%d,"
			"\"tid\":1,\"ts\":%d.25,\"dur\":60,\"args\":{\"External id\":%d}},\n"
			"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":10,\"args\":{\"correlation\":%d}},"
			"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"nccl_%d\",\"pid\":0,"
			"\"tid\":%d,\"ts\":%d,\"dur\":70,\"args\":{\"device\":0,"
			"\"correlation\":%d}},\n"
			"{\"ph\":\"C\",\"name\":\"mem\",\"pid\":1,\"ts\":%d,\"args\":{\"x\":%d}}"
			"%s\n",
			seed, i % 37, seed, t + 1, i, seed, t + 5, i + 1, seed, 7 + i % 3, t + 30,
			i + 1, t, i, i + 1 < count ? "," : "");
	}
	fprintf(file, "],\"distributedInfo\":{\"rank\":%d,\"world_size\":2},\"traceName\":\"x%d\"}",
		seed % 2, seed);
	assert_int_equal(fclose(file), 0);
}

struct heard {
	int count;
	char reason[400];
};

static void hear(void *user, enum tc_note note, const char *reason)
{
	struct heard *heard = user;

	assert_int_equal(note, TC_NOTE_LEFT_OUT);
	heard->count++;
	snprintf(heard->reason, sizeof(heard->reason), "%s", reason);
}

static void import_to(struct heard *heard, const char *db, const char *const *paths, size_t count,
	bool inline_stages)
{
	const struct tc_import_options options = {.inline_stages = inline_stages};
	struct tc_store *store = NULL;

	*heard = (struct heard){0};
	tc_ctx_set_note(files.ctx, hear, heard);
	if (tc_import(&store, files.ctx, paths, count, db, &options) != TC_OK)
		fail_msg("%s", tc_ctx_error(files.ctx));
	tc_store_close(store);
}

/* Every table of the store at a has the rows of b, but for left_out. */
static void expect_same_rows(const char *a, const char *b)
{
	sqlite3 *db;
	sqlite3_stmt *tables;
	char sql[800];
	int count = 0;

	assert_int_equal(sqlite3_open_v2(a, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	snprintf(sql, sizeof(sql), "ATTACH '%s' AS b", b);
	exec_sql(db, sql);
	assert_int_equal(sqlite3_prepare_v2(db,
				 "SELECT name FROM main.sqlite_master WHERE type = 'table' AND "
				 "name <> 'left_out'",
				 -1, &tables, NULL),
		SQLITE_OK);
	for (; sqlite3_step(tables) == SQLITE_ROW; count++) {
		const char *name = (const char *)sqlite3_column_text(tables, 0);
		snprintf(sql, sizeof(sql),
			"WITH a AS (SELECT * FROM main.\"%s\"), c AS (SELECT * FROM b.\"%s\")"
			" SELECT ((SELECT count(*) FROM a) - (SELECT count(*) FROM c)) || ' ' ||"
			" count(*) FROM (SELECT * FROM a EXCEPT SELECT * FROM c)",
			name, name);
		if (strcmp(ask(db, sql), "0 0") != 0)
			fail_msg("%s differs: %s", name, ask(db, sql));
	}
	assert_true(count > 40);
	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	sqlite3_finalize(tables);
	sqlite3_close(db);
}

static void expect_same_bytes(const char *a, const char *b)
{
	char command[2 * PATH_BYTES + 20];

	snprintf(command, sizeof(command), "cmp %s %s", a, b);
	assert_int_equal(system(command), 0);
}

/* Refuses the rows of the trace at this place; inserts: how many INSERTs a trace has. */
static void refuse_from_place(int place, int inserts)
{
	insert_count = 0;
	refused_from = place * inserts;
	refused_until = refused_from + inserts;
}

/* The inputs a, bad and b, in every order, on threads and on one: as a and b alone. */
static void expect_left_out(const char *what)
{
	char a[PATH_BYTES], bad[PATH_BYTES], b[PATH_BYTES], with[PATH_BYTES], one[PATH_BYTES],
		without[PATH_BYTES];
	struct heard heard;

	write_trace(a, "a.json", 1, 300);
	write_trace(bad, "bad.json", 3, 11000); /* too large to read the next one meanwhile */
	write_trace(b, "b.json", 2, 300);
	path_of(with, "with.db");
	path_of(one, "one.db");
	path_of(without, "without.db");
	struct stat status;
	assert_int_equal(stat(bad, &status), 0);
	failing_file = status.st_ino;
	for (int place = 0; place < 3; place++) {
		const char *good[] = {a, b};
		const char *paths[3] = {place == 0 ? bad : a,
			place == 1   ? bad
			: place == 0 ? a
				     : b,
			place == 2 ? bad : b};
		refuse_from_place(-1, 0);
		import_to(&heard, without, good, 2, false);
		assert_int_equal(heard.count, 0);
		const int inserts = insert_count / 2;
		assert_true(!refused_table || inserts > 0);
		refuse_from_place(place, inserts);
		import_to(&heard, with, paths, 3, false);
		assert_int_equal(heard.count, 1);
		if (!strstr(heard.reason, what))
			fail_msg("\"%s\" does not say \"%s\"", heard.reason, what);
		refuse_from_place(place, inserts);
		import_to(&heard, one, paths, 3, true);
		expect_same_rows(with, without);
		expect_same_bytes(with, one);
		unlink(with);
		unlink(one);
		unlink(without);
	}
	unlink(a);
	unlink(bad);
	unlink(b);
}

static void a_file_that_cannot_be_read_to_its_end(void **state)
{
	(void)state;
	fail_after_bytes = 1500000;
	expect_left_out("cannot read");
	fail_after_bytes = 0;
	expect_left_out("at byte 0: Input/output error");
	fail_after_bytes = -1;
}

static void a_trace_whose_last_rows_cannot_be_written(void **state)
{
	(void)state;
	sqlite3_auto_extension((void (*)(void))guard);
	refused_table = "trace_meta";
	expect_left_out("not authorized");
	refused_table = "op_total";
	expect_left_out("not authorized");
	sqlite3_reset_auto_extension();
	refused_table = NULL;
}

static void rows_say_which_and_why(void **state)
{
	char a[PATH_BYTES], b[PATH_BYTES];
	struct heard heard;

	(void)state;
	write_trace(a, "a.json", 1, 300);
	write_trace(b, "b.json", 2, 300);
	const char *paths[] = {"nosuch.json", a, "nor/this.json", b, "nosuch.json"};
	import_to(&heard, files.path, paths, 5, false);
	assert_int_equal(heard.count, 3);
	sqlite3 *db;
	assert_int_equal(sqlite3_open_v2(files.path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_string_equal(
		ask(db, "SELECT group_concat(id || ' ' || (path = 'nosuch.json')) FROM left_out"),
		"0 1,2 0,4 1");
	assert_string_equal(ask(db, "SELECT reason FROM left_out WHERE id = 4"),
		"cannot open nosuch.json: No such file or directory: check the name and the "
		"directory you are in");
	assert_string_equal(ask(db, "SELECT group_concat(id) FROM trace"), "0,1");
	sqlite3_close(db);
	unlink(a);
	unlink(b);
}

static void nothing_is_left_of_nothing(void **state)
{
	const char *paths[] = {"nosuch.json", "nosuch.json"};
	const struct tc_import_options options = {.inline_stages = false};
	struct tc_store *store = NULL;

	(void)state;
	expect_error(tc_import(&store, files.ctx, paths, 2, files.path, &options), TC_ERR_INPUT,
		"none of the 2 inputs");
	assert_null(store);
	assert_int_equal(count_files(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_that_cannot_be_read_to_its_end),
		TEST(a_trace_whose_last_rows_cannot_be_written),
		TEST(rows_say_which_and_why),
		TEST(nothing_is_left_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
