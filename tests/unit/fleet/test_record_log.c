/* The record log: what is in it after it was cut or damaged anywhere. */
#include "store_files.h"

#include "core/buf.h"
#include "fleet/record_log.h"

enum { RECORDS = 4 };

static const char *const records[RECORDS] = {"first", "", "a third one, which is longer", "last"};

struct seen {
	char text[200];
	int64_t places[RECORDS + 1];
	size_t count;
};

static void take(void *user, int64_t place, struct tc_text record)
{
	struct seen *seen = user;

	snprintf(seen->text + strlen(seen->text), 60, "%.*s;", (int)record.len, record.ptr);
	seen->places[seen->count++] = place;
}

static struct tc_record_log *open_log(struct seen *seen, const char *head)
{
	*seen = (struct seen){.count = 0};
	struct tc_record_log *log =
		tc_record_log_open(files.ctx, files.path, tc_text_from(head), take, seen);
	assert_non_null(log);
	return log;
}

static void append(struct tc_record_log *log, const char *text)
{
	assert_true(tc_record_log_append(log, tc_text_from(text)) >= 0);
}

/* Writes all records; returns the size of the file, and in ends where each record ends. */
static long make_log(long ends[RECORDS])
{
	struct seen seen;
	struct tc_record_log *log = open_log(&seen, "head");
	struct stat file;

	for (int i = 0; i < RECORDS; i++) {
		append(log, records[i]);
		assert_int_equal(stat(files.path, &file), 0);
		ends[i] = (long)file.st_size;
	}
	tc_record_log_close(log, false);
	return ends[RECORDS - 1];
}

static void expect_first(const struct seen *seen, int count)
{
	char want[200] = "";

	for (int i = 0; i < count; i++)
		strcat(strcat(want, records[i]), ";");
	assert_string_equal(seen->text, want);
}

static void what_was_appended_is_there(void **state)
{
	struct seen seen;
	struct tc_buf buf = TC_BUF_EMPTY;
	long ends[RECORDS];

	(void)state;
	make_log(ends);
	struct tc_record_log *log = open_log(&seen, "head");
	expect_first(&seen, RECORDS);
	tc_record_log_read(&buf, log, seen.places[2]);
	assert_int_equal(tc_ctx_status(files.ctx), TC_OK);
	assert_string_equal(tc_buf_string(&buf), records[2]);
	tc_buf_clear(&buf);
	tc_record_log_close(log, true);
	assert_int_equal(access(files.path, F_OK), -1);
}

static void a_cut_log_keeps_what_is_whole(void **state)
{
	long ends[RECORDS], size;
	struct seen seen;

	(void)state;
	size = make_log(ends);
	for (long len = size; len >= 0; len--) {
		int whole = 0;
		unlink(files.path);
		make_log(ends);
		assert_int_equal(truncate(files.path, len), 0);
		while (whole < RECORDS && ends[whole] <= len)
			whole++;
		struct tc_record_log *log = open_log(&seen, "head");
		expect_first(&seen, whole);
		append(log, "again");
		tc_record_log_close(log, false);
		log = open_log(&seen, "head");
		assert_int_equal(seen.count, whole + 1);
		tc_record_log_close(log, true);
	}
}

static void damage_ends_a_log(void **state)
{
	long ends[RECORDS], size;
	struct seen seen;

	(void)state;
	size = make_log(ends);
	for (long at = 0; at < size; at++) {
		int whole = 0;
		unlink(files.path);
		make_log(ends);
		FILE *file = fopen(files.path, "r+b");
		assert_non_null(file);
		fseek(file, at, SEEK_SET);
		int byte = fgetc(file);
		fseek(file, at, SEEK_SET);
		fputc(byte ^ 0x20, file);
		fclose(file);
		while (whole < RECORDS && ends[whole] <= at)
			whole++;
		struct tc_record_log *log = open_log(&seen, "head");
		expect_first(&seen, whole);
		tc_record_log_close(log, true);
	}
}

static void another_head_empties_it(void **state)
{
	long ends[RECORDS];
	struct seen seen;

	(void)state;
	make_log(ends);
	tc_record_log_close(open_log(&seen, "other"), false);
	assert_int_equal(seen.count, 0);
	tc_record_log_close(open_log(&seen, "head"), true);
	assert_int_equal(seen.count, 0);
}

static void one_at_a_time_has_it(void **state)
{
	struct seen seen;
	struct tc_record_log *log = open_log(&seen, "head");

	(void)state;
	assert_null(tc_record_log_open(files.ctx, files.path, TC_TEXT("head"), take, &seen));
	expect_error(tc_ctx_status(files.ctx), TC_ERR_USAGE, "another batch");
	tc_record_log_close(log, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_appended_is_there),
		TEST(a_cut_log_keeps_what_is_whole),
		TEST(damage_ends_a_log),
		TEST(another_head_empties_it),
		TEST(one_at_a_time_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
