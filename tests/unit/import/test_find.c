/* Finding jobs: what becomes a job, what it is called, what is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/context.h"
#include "import/inputs/find.h"

static struct {
	struct tc_ctx *ctx;
	char root[64], here[512];
	char notes[1000];
	struct tc_find_options options;
} test;

static void hear(void *user, enum tc_note note, const char *text)
{
	(void)user;
	(void)note;
	strcat(test.notes, text);
	strcat(test.notes, "\n");
}

/* Works in a directory of its own, so that paths are short. */
static int set_up(void **state)
{
	(void)state;
	memset(&test, 0, sizeof(test));
	strcpy(test.root, "/tmp/tc-test-find-XXXXXX");
	test.ctx = tc_ctx_new();
	if (!test.ctx || !getcwd(test.here, sizeof(test.here)) || !mkdtemp(test.root))
		return -1;
	tc_ctx_set_note(test.ctx, hear, NULL);
	return chdir(test.root);
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	tc_ctx_free(test.ctx);
	snprintf(command, sizeof(command), "rm -rf %s", test.root);
	return chdir(test.here) || system(command);
}

static void make(const char *path, const char *text)
{
	char command[300];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", path);
	assert_int_equal(system(command), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_traces(const char *const *paths)
{
	for (; *paths; paths++)
		make(*paths, "{\"traceEvents\": []}");
}

/* All that was found as text: "job = trace trace; job = ...". */
static const char *find(const char *const *paths)
{
	static char text[4000];
	struct tc_found *found = NULL;
	size_t count = 0;

	while (paths[count])
		count++;
	found = tc_find_jobs(test.ctx, paths, count, &test.options);
	assert_non_null(found);
	snprintf(text, sizeof(text), "%s:", found->root);
	for (size_t i = 0; i < found->job_count; i++) {
		strcat(strcat(strcat(text, " "), found->jobs[i].path), " =");
		for (size_t k = 0; k < found->jobs[i].trace_count; k++)
			strcat(strcat(text, " "), found->jobs[i].traces[k].path);
		strcat(text, ";");
	}
	tc_found_free(found);
	return text;
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void each_directory_is_a_job(void **state)
{
	(void)state;
	make_traces(
		PATHS("n/b/vit/rank1.json", "n/b/vit/rank0.json", "n/a/bert/x_1.2.pt.trace.json",
			"n/a/bert/x_1.3.pt.trace.json", "n/top.json", "n/.cache/x.json"));
	assert_string_equal(find(PATHS("n")),
		"n: . = top.json; a/bert = a/bert/x_1.2.pt.trace.json a/bert/x_1.3.pt.trace.json;"
		" b/vit = b/vit/rank0.json b/vit/rank1.json;");
	assert_string_equal(find(PATHS("./n//b/")), "n/b: vit = vit/rank0.json vit/rank1.json;");
}

static void runs_of_one_directory_are_jobs(void **state)
{
	(void)state;
	make_traces(PATHS("flat/bert_rank0.json", "flat/bert_rank1.json", "flat/vit_rank0.json",
		"one/bert_rank0.json", "one/bert_rank1.json"));
	assert_string_equal(find(PATHS(".")),
		".: flat:bert = flat/bert_rank0.json flat/bert_rank1.json;"
		" flat:vit = flat/vit_rank0.json; one = one/bert_rank0.json one/bert_rank1.json;");
}

static void ranks_of_one_world_are_one_job_whatever_their_names(void **state)
{
	static const char rank0[] =
		"{\"distributedInfo\": {\"rank\": 0, \"world_size\": 2}, \"ph\": 0}";
	static const char rank1[] =
		"{\"distributedInfo\": {\"rank\": 1, \"world_size\": 2}, \"ph\": 0}";

	(void)state;
	make("two/a.json", rank0);
	make("two/b.json", rank1);
	assert_string_equal(find(PATHS("two")), "two: . = a.json b.json;");
	make("two/c.json", rank1); /* another job's */
	assert_string_equal(find(PATHS("two")), "two: .:a = a.json; .:b = b.json; .:c = c.json;");
}

/* What lies beside the ranks of a world has no say in what they are. */
static void ranks_of_several_worlds_are_a_job_each(void **state)
{
	static const struct {
		const char *path;
		int rank, world_size;
	} files[] = {{"all/a.json", 0, 2}, {"all/b.json", 1, 2}, {"all/v_0.json", 0, 4},
		{"all/w_3.json", 3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char text[96];
		snprintf(text, sizeof(text),
			"{\"distributedInfo\": {\"rank\": %d, \"world_size\": %d}, \"ph\": 0}",
			files[i].rank, files[i].world_size);
		make(files[i].path, text);
	}
	make_traces(PATHS("all/log.json"));
	assert_string_equal(find(PATHS("all")), "all: .:a = a.json b.json; .:log = log.json;"
						" .:v = v_0.json w_3.json;");
	make_traces(PATHS("all/w_2.json")); /* w is a run of which one says nothing */
	assert_string_equal(find(PATHS("all")), "all: .:a = a.json b.json; .:log = log.json;"
						" .:v = v_0.json; .:w = w_3.json w_2.json;");
}

/* Nothing says that they belong together, and a report of both has two jobs. */
static void handlers_names_are_jobs_where_no_rank_says_other(void **state)
{
	(void)state;
	make_traces(PATHS("pair/before.pt.trace.json", "pair/after.pt.trace.json"));
	assert_string_equal(find(PATHS("pair")),
		"pair: .:after = after.pt.trace.json; .:before = before.pt.trace.json;");
	for (int i = 0; i < 8; i++) { /* two recordings of two hosts with two ranks each */
		char path[64], text[96];
		snprintf(path, sizeof(path), "hosts/dgx%c_%d.%d.pt.trace.json", "ab"[i / 2 % 2], i,
			1000 + i);
		snprintf(text, sizeof(text),
			"{\"distributedInfo\": {\"rank\": %d, \"world_size\": 4}, \"ph\": 0}",
			i % 4);
		make(path, text);
	}
	assert_null(strstr(find(PATHS("hosts")), ":dgx"));
	for (int i = 0; i < 8; i++) { /* two runs of all ranks */
		char path[64], text[96];
		snprintf(path, sizeof(path), "runs/%s_%d.pt.trace.json", i < 4 ? "old" : "new", i);
		snprintf(text, sizeof(text),
			"{\"distributedInfo\": {\"rank\": %d, \"world_size\": 4}, \"ph\": 0}",
			i % 4);
		make(path, text);
	}
	assert_non_null(strstr(find(PATHS("runs")), ".:old = old_0.pt.trace.json old_1.pt"));
}

static void directories_of_ranks_belong_to_the_job_above(void **state)
{
	(void)state;
	make_traces(
		PATHS("job/rank0/trace.json", "job/rank1/trace.json", "job/node1/gpu0/trace.json"));
	assert_string_equal(find(PATHS(".")), ".: job = job/node1/gpu0/trace.json "
					      "job/rank0/trace.json job/rank1/trace.json;");
}

static void other_json_has_no_say_in_names(void **state)
{
	(void)state;
	make_traces(PATHS("job/trace.json"));
	make("job/config.json", "{\"layers\": 3}");
	make("alone/config.json", "{\"layers\": 3}");
	assert_string_equal(find(PATHS(".")), ".: job = job/trace.json;");
	assert_non_null(strstr(test.notes, "job/config.json: not read, it does not look like a"));
	test.options.by_name = true;
	assert_string_equal(find(PATHS(".")),
		".: alone = alone/config.json;"
		" job:config = job/config.json; job:trace = job/trace.json;");
}

/* Whether a directory whose only file has this text is a job. */
static bool is_trace(const char *text)
{
	make("one/x.json", text);
	return strcmp(find(PATHS("one")), "one: . = x.json;") == 0;
}

static void first_bytes_tell_traces_from_other_json(void **state)
{
	(void)state;
	assert_true(is_trace("{\"traceEvents\": []}"));
	assert_true(is_trace("[{\"ph\": \"X\"}]"));
	assert_false(is_trace("{\"a\": 1}\n"));
	assert_false(is_trace(" [1, 2]"));
	assert_true(is_trace("{\"a\": ")); /* damaged: the import says how */
	assert_true(is_trace("no JSON"));
	assert_true(is_trace(""));
	/* A fault of the file is no failure of the search. */
	assert_int_equal(tc_ctx_status(test.ctx), TC_OK);
}

static void ranks_stand_before_the_events(void **state)
{
	(void)state;
	make("two/a.json",
		"{\"rank\": 9, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3,\n"
		"\"world_size\" : 16}, \"traceEvents\": []}");
	make("two/b.json", "{\"distributedInfo\": {\"world_size\" :16,\t\"rank\":9}, \"ph\": 0}");
	assert_string_equal(find(PATHS("two")), "two: . = a.json b.json;");
	make("two/b.json",
		"{\"distributedInfo\": {\"rank\": \"x\", \"world_size\": 16}, \"ph\": 0}");
	assert_string_equal(find(PATHS("two")), "two: .:a = a.json; .:b = b.json;");
}

/* Memory that is out at any call fails the search and leaves nothing behind. */
static void finding_survives_without_memory(void **state)
{
	struct tc_found *found = NULL;
	int64_t calls = 0;

	(void)state;
	make_traces(PATHS("job/rank0.json", "job/rank1.json", "other/x.json"));
	make("job/config.json", "{}");
	for (; !found && calls < 1000; calls++) {
		tc_alloc_fail_after(calls);
		found = tc_find_jobs(test.ctx, PATHS("job", "other"), 2, &test.options);
		bool was_hit = tc_ctx_status(test.ctx) != TC_OK;
		tc_alloc_fail_after(-1);
		assert_int_equal(tc_ctx_status(test.ctx), was_hit ? TC_ERR_NOMEM : TC_OK);
		assert_true(was_hit == !found);
		tc_ctx_clear_error(test.ctx);
	}
	assert_true(calls > 20);
	assert_int_equal(found->job_count, 2);
	tc_found_free(found);
}

static void what_is_no_file_is_still_named(void **state)
{
	struct tc_found *found = NULL;

	(void)state;
	make_traces(PATHS("job/real.json", "elsewhere/x.json"));
	assert_int_equal(mkfifo("job/rank0.json", 0600), 0);
	assert_int_equal(symlink("/nowhere", "job/rank1.json"), 0);
	assert_int_equal(mkdir("job/rank2.json", 0700), 0);
	assert_int_equal(symlink("../elsewhere", "job/linked"), 0);
	assert_int_equal(symlink("../elsewhere", "job/linked.json"), 0);
	found = tc_find_jobs(test.ctx, PATHS("job"), 1, &test.options);
	assert_non_null(found);
	assert_int_equal(found->job_count, 2);
	assert_string_equal(found->jobs[0].path, ".");
	assert_int_equal(found->jobs[0].trace_count, 2);
	assert_true(found->jobs[0].traces[0].is_special);
	assert_int_equal(found->jobs[0].traces[1].size_bytes, 0);
	assert_string_equal(found->jobs[1].path, ".:real");
	assert_true(found->jobs[1].traces[0].mtime_ns > INT64_C(1000000000000000000));
	tc_found_free(found);
	tc_ctx_clear_error(test.ctx);
	assert_null(tc_find_jobs(test.ctx, PATHS("gone"), 1, &test.options));
	assert_int_equal(tc_ctx_status(test.ctx), TC_ERR_READ);
}

/* A directory whose path is too long for the system is a line, not nothing. */
static void what_cannot_be_looked_at_is_left_out(void **state)
{
	char name[201];
	struct tc_found *found = NULL;

	(void)state;
	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	make_traces(PATHS("n/x.json"));
	assert_int_equal(mkdir("n/deep", 0700) || chdir("n/deep"), 0);
	for (int i = 0; i < 25; i++)
		assert_int_equal(mkdir(name, 0700) || chdir(name), 0);
	assert_int_equal(chdir(test.root), 0);
	found = tc_find_jobs(test.ctx, PATHS("n"), 1, &test.options);
	assert_non_null(found);
	assert_int_equal(found->job_count, 1);
	assert_int_equal(found->left_out_count, 1);
	assert_memory_equal(found->left_out[0].path, "deep/ddd", 8);
	assert_string_equal(found->left_out[0].reason, strerror(ENAMETOOLONG));
	tc_found_free(found);
}

static void paths_are_below_what_inputs_have_in_common(void **state)
{
	char absolute[200];

	(void)state;
	make_traces(PATHS("n/a/1/x.json", "n/a/2/x.json", "n/b/x.json", "m/x.json"));
	assert_string_equal(
		find(PATHS("n/a", "n/b")), "n: a/1 = a/1/x.json; a/2 = a/2/x.json; b = b/x.json;");
	assert_string_equal(find(PATHS("n/a/1", "n/a", "n/a/1/x.json")),
		"n/a: 1 = 1/x.json; 2 = 2/x.json;"); /* each once */
	assert_string_equal(find(PATHS("m/x.json")), "m: . = x.json;");
	snprintf(absolute, sizeof(absolute), "%s/m", test.root);
	assert_non_null(strstr(find(PATHS("n/b", absolute)), ": m = m/x.json; n/b = n/b/x.json;"));
	assert_non_null(strstr(find(PATHS("n/a/../b", "m")), ": m = m/x.json; n/b = n/b/x.json;"));
}

static void one_name_is_never_two_jobs(void **state)
{
	(void)state;
	make_traces(PATHS("a/x_rank0.json", "a/y_rank0.json", "a:x/trace.json"));
	assert_string_equal(find(PATHS(".")), ".: a:x = a/x_rank0.json;"
					      " a:x: = a:x/trace.json; a:y = a/y_rank0.json;");
}

/* Every job is in exactly one shard, with the same name and traces; new neighbours move nothing. */
static void shards_are_parts_of_the_whole(void **state)
{
	enum { SHARDS = 5, JOBS = 60 };
	struct tc_found *all = NULL, *part = NULL;
	char path[64];
	size_t count = 0;

	(void)state;
	for (int i = 0; i < JOBS; i++) {
		snprintf(path, sizeof(path),
			i % 3 ? "team%d/job/rank0.json" : "flat/run_x%c%c.json",
			i % 3 ? i : 'a' + i / 20, 'a' + i % 20);
		make_traces(PATHS(path));
	}
	all = tc_find_jobs(test.ctx, PATHS("."), 1, &test.options);
	assert_non_null(all);
	test.options.shard_count = SHARDS;
	for (test.options.shard = 0; test.options.shard < SHARDS; test.options.shard++) {
		part = tc_find_jobs(test.ctx, PATHS("."), 1, &test.options);
		assert_non_null(part);
		assert_true(part->job_count > 0);
		for (size_t i = 0, k = 0; i < part->job_count; i++, count++) {
			while (k < all->job_count && strcmp(all->jobs[k].path, part->jobs[i].path))
				k++;
			assert_true(k < all->job_count);
			assert_int_equal(all->jobs[k].trace_count, part->jobs[i].trace_count);
		}
		tc_found_free(part);
	}
	assert_int_equal(count, all->job_count);
	tc_found_free(all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_directory_is_a_job),
		TEST(runs_of_one_directory_are_jobs),
		TEST(ranks_of_one_world_are_one_job_whatever_their_names),
		TEST(ranks_of_several_worlds_are_a_job_each),
		TEST(handlers_names_are_jobs_where_no_rank_says_other),
		TEST(directories_of_ranks_belong_to_the_job_above),
		TEST(other_json_has_no_say_in_names),
		TEST(first_bytes_tell_traces_from_other_json),
		TEST(ranks_stand_before_the_events),
		TEST(finding_survives_without_memory),
		TEST(what_is_no_file_is_still_named),
		TEST(what_cannot_be_looked_at_is_left_out),
		TEST(paths_are_below_what_inputs_have_in_common),
		TEST(one_name_is_never_two_jobs),
		TEST(shards_are_parts_of_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
