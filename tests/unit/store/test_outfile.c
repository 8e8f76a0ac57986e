/* Output files: asked about before, there when they are whole, gone when they are not. */
#include "store_files.h"

#include <fcntl.h>

#include "core/reads.h"
#include "tracecoach/outfile.h"

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

static void conflicts_are_told_apart(void **state)
{
	static const char database[] = "SQLite format 3";

	(void)state;
	assert_int_equal(tc_outfile_check(files.ctx, files.path, NULL), TC_OUTFILE_FREE);
	/* Nothing is there yet, and the names differ. */
	snprintf(other, sizeof(other), "%s/./trace.db", files.directory);
	assert_int_equal(tc_outfile_check(files.ctx, files.path, other), TC_OUTFILE_STORE);
	snprintf(other, sizeof(other), "%s/other", files.directory);
	assert_int_equal(tc_outfile_check(files.ctx, files.path, other), TC_OUTFILE_FREE);

	put(files.path, database, sizeof(database));
	assert_int_equal(tc_outfile_check(files.ctx, files.path, NULL), TC_OUTFILE_DATABASE);
	assert_int_equal(tc_reads_expect(files.ctx, files.path), 0);
	assert_int_equal(tc_outfile_check(files.ctx, files.path, NULL), TC_OUTFILE_READ);
	assert_int_equal(symlink(files.path, other), 0);
	assert_int_equal(tc_outfile_check(files.ctx, other, NULL), TC_OUTFILE_READ);
}

static void a_file_is_there_when_it_is_whole(void **state)
{
	struct tc_outfile *file = NULL;
	char text[8] = "";

	(void)state;
	put(files.path, "old", 3);
	assert_int_equal(tc_outfile_open(&file, files.ctx, files.path), TC_OK);
	assert_int_equal(write(tc_outfile_fd(file), "whole", 5), 5);
	int fd = open(files.path, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	close(fd);
	assert_int_equal(tc_outfile_publish(file, files.ctx), TC_OK);
	tc_outfile_close(file);
	fd = open(files.path, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	close(fd);
	assert_memory_equal(text, "whole", 5);
}

static void what_is_not_published_is_gone(void **state)
{
	struct tc_outfile *file = NULL;

	(void)state;
	assert_int_equal(tc_outfile_open(&file, files.ctx, files.path), TC_OK);
	assert_int_equal(write(tc_outfile_fd(file), "half", 4), 4);
	tc_outfile_close(file);
	tc_outfile_close(NULL);
	assert_int_equal(count_files(), 0);
	/* No directory: nothing to close. */
	snprintf(other, sizeof(other), "%s/none/file", files.directory);
	assert_int_equal(tc_outfile_open(&file, files.ctx, other), TC_ERR_IO);
	tc_ctx_clear_error(files.ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(conflicts_are_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_is_there_when_it_is_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_published_is_gone, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
