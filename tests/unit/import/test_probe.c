/* What inputs are, by their first bytes, and which files an import is expected to read. */
#include "store_files.h"

#include <fcntl.h>

#include "core/alloc.h"
#include "core/files/reads.h"
#include "import/inputs/probe.h"

static char beside[112];

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void first_bytes_tell(void **state)
{
	static const struct {
		const char *text;
		enum tc_input input;
	} cases[] = {
		{"{\"traceEvents\": []}", TC_INPUT_TRACE},
		{"[{\"ph\": \"X\"}]", TC_INPUT_TRACE},
		{"{\"a\": 1}\n", TC_INPUT_OTHER},
		{" [1, 2]", TC_INPUT_OTHER},
		{"{\"a\": ", TC_INPUT_TRACE}, /* damaged: the import says how */
		{"no JSON", TC_INPUT_TRACE},
		{"", TC_INPUT_TRACE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_input_look look = {.input = TC_INPUT_SPECIAL};

		put(files.path, cases[i].text);
		assert_int_equal(tc_input_probe(&look, files.ctx, files.path), TC_OK);
		if (look.input != cases[i].input)
			fail_msg("'%s' is %d", cases[i].text, (int)look.input);
		assert_int_equal(look.rank, -1);
	}
	/* What is wrong with the file is nobody's failure. */
	assert_int_equal(tc_ctx_status(files.ctx), TC_OK);
}

static void ranks_are_told_by_what_stands_before_the_events(void **state)
{
	struct tc_input_look look;

	(void)state;
	put(files.path, "{\"rank\": 9, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3,\n"
			"\"world_size\" : 16}, \"traceEvents\": []}");
	assert_int_equal(tc_input_probe(&look, files.ctx, files.path), TC_OK);
	assert_int_equal(look.rank, 3);
	assert_int_equal(look.world_size, 16);
	put(files.path, "{\"distributedInfo\": {\"rank\": \"x\"}, \"traceEvents\": []}");
	assert_int_equal(tc_input_probe(&look, files.ctx, files.path), TC_OK);
	assert_int_equal(look.rank, -1);
	assert_int_equal(look.world_size, -1);
}

static void pipes_are_not_opened(void **state)
{
	struct tc_input_look look;

	(void)state;
	assert_int_equal(mkfifo(files.path, 0600), 0);
	assert_int_equal(tc_input_probe(&look, files.ctx, files.path), TC_OK);
	assert_int_equal(look.input, TC_INPUT_SPECIAL);
	assert_false(tc_import_is_store(files.ctx, files.path));
	assert_false(tc_import_is_store(files.ctx, "-"));
}

static void probing_survives_without_memory(void **state)
{
	struct tc_input_look look;

	(void)state;
	put(files.path, "{}");
	tc_alloc_fail_after(0);
	enum tc_status status = tc_input_probe(&look, files.ctx, files.path);
	tc_alloc_fail_after(-1);
	assert_int_equal(status, TC_ERR_NOMEM);
	tc_ctx_clear_error(files.ctx);
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
		TEST(first_bytes_tell),
		TEST(ranks_are_told_by_what_stands_before_the_events),
		TEST(pipes_are_not_opened),
		TEST(probing_survives_without_memory),
		TEST(side_files_are_expected_where_they_are_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
