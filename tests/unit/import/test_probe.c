/* Which files are stores, and which files an import is expected to read. */
#include "store_files.h"

#include <fcntl.h>

#include "core/files/reads.h"
#include "tracecoach/import.h"

static char beside[112];

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void pipes_are_not_opened(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(files.path, 0600), 0);
	assert_false(tc_import_is_store(files.ctx, files.path));
	assert_false(tc_import_is_store(files.ctx, "-"));
}

static void side_files_are_expected_where_they_are_looked_for(void **state)
{
	const struct tc_import_options alone = {.no_side_files = true}, all = {0};
	const char *const path = files.path;

	(void)state;
	snprintf(files.path, sizeof(files.path), "%s/run.json", files.directory);
	snprintf(beside, sizeof(beside), "%s/run.csv", files.directory);
	put(files.path, "{}");
	put(beside, "{}");
	assert_int_equal(tc_import_expect(files.ctx, &path, 1, &alone), TC_OK);
	assert_true(tc_reads_has(files.ctx, files.path));
	assert_false(tc_reads_has(files.ctx, beside));
	assert_int_equal(tc_import_expect(files.ctx, &path, 1, &all), TC_OK);
	assert_true(tc_reads_has(files.ctx, beside));
	unlink(beside);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)
	const struct CMUnitTest tests[] = {
		TEST(pipes_are_not_opened),
		TEST(side_files_are_expected_where_they_are_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
