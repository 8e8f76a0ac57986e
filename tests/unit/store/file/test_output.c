/* Outputs: refused where something is read, there when they are whole, gone when they are not. */
#include "store_files.h"

#include <fcntl.h>

#include "core/context.h"
#include "core/files/reads.h"
#include "tracecoach/output.h"

static char other[112];

static int set_up(void **state)
{
	int failed = set_up_files(state);

	snprintf(other, sizeof(other), "%s/other", files.directory);
	return failed;
}

static int tear_down(void **state)
{
	unlink(other);
	return tear_down_files(state);
}

static void put(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void opens(const char *path, const char *store_path)
{
	struct tc_output *output = NULL;

	assert_int_equal(tc_output_open(&output, files.ctx, path, store_path), TC_OK);
	assert_int_equal(tc_output_close(output, TC_ERR_INPUT), TC_ERR_INPUT);
}

static void is_refused(const char *path, const char *store_path, const char *words)
{
	struct tc_output *output = NULL;

	expect_error(tc_output_open(&output, files.ctx, path, store_path), TC_ERR_USAGE, words);
	assert_null(output);
}

static void places_in_use_are_refused(void **state)
{
	static const char database[] = "SQLite format 3";

	(void)state;
	opens(files.path, NULL);
	/* Nothing is there yet, and the names differ. */
	snprintf(other, sizeof(other), "%s/./trace.db", files.directory);
	is_refused(files.path, other, "--db makes the store there");
	snprintf(other, sizeof(other), "%s/trace.db-wal", files.directory);
	is_refused(other, files.path, "where SQLite looks");
	snprintf(other, sizeof(other), "%s/other", files.directory);
	opens(files.path, other);
	is_refused("", NULL, "an empty name");

	put(files.path, database, sizeof(database));
	is_refused(files.path, NULL, "an SQLite database");
	assert_int_equal(tc_reads_expect(files.ctx, files.path), 0);
	is_refused(files.path, NULL, "is read");
	assert_int_equal(symlink(files.path, other), 0);
	is_refused(other, NULL, "is read");
}

static void expect_text(const char *expected)
{
	char text[8] = "";
	int fd = open(files.path, O_RDONLY);

	assert_int_equal(read(fd, text, sizeof(text)), strlen(expected));
	close(fd);
	assert_memory_equal(text, expected, strlen(expected));
}

static void a_file_is_there_when_it_is_whole(void **state)
{
	struct tc_output *output = NULL;

	(void)state;
	put(files.path, "old", 3);
	assert_int_equal(tc_output_open(&output, files.ctx, files.path, NULL), TC_OK);
	assert_true(tc_output_fd(output) >= 0);
	assert_int_equal(tc_output_write(output, "whole", 5), 0);
	expect_text("old");
	assert_int_equal(tc_output_close(output, TC_OK), TC_OK);
	expect_text("whole");
}

static void what_came_to_be_read_meanwhile_stays(void **state)
{
	struct tc_output *output = NULL;

	(void)state;
	put(files.path, "old", 3);
	assert_int_equal(tc_output_open(&output, files.ctx, files.path, NULL), TC_OK);
	assert_int_equal(tc_output_write(output, "whole", 5), 0);
	assert_int_equal(tc_reads_expect(files.ctx, files.path), 0);
	expect_error(tc_output_close(output, TC_OK), TC_ERR_USAGE, "is read");
	expect_text("old");
}

static void what_has_failed_is_gone(void **state)
{
	struct tc_output *output = NULL;

	(void)state;
	assert_int_equal(tc_output_open(&output, files.ctx, files.path, NULL), TC_OK);
	assert_int_equal(tc_output_write(output, "half", 4), 0);
	assert_int_equal(tc_output_close(output, TC_ERR_STORE), TC_ERR_STORE);
	assert_int_equal(tc_output_close(NULL, TC_OK), TC_OK);
	assert_int_equal(count_files(), 0);
	/* No directory: nothing to close. */
	snprintf(other, sizeof(other), "%s/none/file", files.directory);
	assert_int_equal(tc_output_open(&output, files.ctx, other, NULL), TC_ERR_IO);
	tc_ctx_clear_error(files.ctx);
}

static void a_device_that_takes_nothing_fails_the_output(void **state)
{
	struct tc_output *output = NULL;

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	assert_int_equal(tc_output_open(&output, files.ctx, "/dev/full", NULL), TC_OK);
	assert_int_equal(tc_output_write(output, "text", 4), -1);
	expect_error(tc_output_close(output, TC_ERR_IO), TC_ERR_IO, "make room");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(places_in_use_are_refused),
		TEST(a_file_is_there_when_it_is_whole),
		TEST(what_came_to_be_read_meanwhile_stays),
		TEST(what_has_failed_is_gone),
		TEST(a_device_that_takes_nothing_fails_the_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
