/* The list of files that were read: by what they are, not by what they are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/files/reads.h"

static struct tc_ctx *ctx;
static char directory[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/tc-test-reads-XXXXXX");
	ctx = tc_ctx_new();
	return ctx && mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"a", "b", "hard", "soft"};

	(void)state;
	tc_ctx_free(ctx);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	return chdir("/") || rmdir(directory);
}

static void make(const char *path)
{
	close(open(path, O_WRONLY | O_CREAT, 0600));
}

static void files_are_known_by_every_name(void **state)
{
	(void)state;
	make("a");
	make("b");
	assert_int_equal(link("a", "hard"), 0);
	assert_int_equal(symlink("hard", "soft"), 0);
	int fd = tc_reads_open(ctx, "soft");
	assert_true(fd >= 0);
	assert_true(tc_reads_has_open(ctx, fd));
	close(fd);
	assert_true(tc_reads_has(ctx, "a"));
	assert_true(tc_reads_has(ctx, "hard"));
	assert_true(tc_reads_has(ctx, "./soft"));
	assert_false(tc_reads_has(ctx, "b"));
	assert_int_equal(tc_reads_expect(ctx, "b"), 0);
	assert_true(tc_reads_has(ctx, "b"));
}

static void what_is_not_there_or_no_file_is_not_entered(void **state)
{
	(void)state;
	assert_int_equal(tc_reads_open(ctx, "missing"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(tc_reads_expect(ctx, "missing"), 0);
	assert_false(tc_reads_has(ctx, "missing"));
	assert_int_equal(tc_reads_expect(ctx, "/dev/null"), 0);
	assert_false(tc_reads_has(ctx, "/dev/null"));
}

static void many_files_and_no_memory(void **state)
{
	(void)state;
	make("a");
	make("b");
	tc_alloc_fail_after(0);
	assert_int_equal(tc_reads_open(ctx, "a"), -1);
	assert_int_equal(errno, ENOMEM);
	tc_alloc_fail_after(-1);
	assert_false(tc_reads_has(ctx, "a"));
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tc_reads_expect(ctx, i == 500 ? "b" : "a"), 0);
	assert_true(tc_reads_has(ctx, "a") && tc_reads_has(ctx, "b"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_are_known_by_every_name),
		TEST(what_is_not_there_or_no_file_is_not_entered),
		TEST(many_files_and_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
