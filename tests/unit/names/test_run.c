/* Which run a file belongs to, by the names that profilers give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "names/run.h"

/* What a path must give: the directory of the job, and the run in it. */
static const struct {
	const char *path, *directory, *run;
} cases[] = {
	{"run/node7_4711.1699999999123.pt.trace.json.gz", "run", ""},
	{"run/dp0_pp0_tp3_rank3.1699999999.pt.trace.json.gz", "run", ""},
	{"log/plugins/profile/2026_11_22_10_15_00/host.trace.json.gz",
		"log/plugins/profile/2026_11_22_10_15_00", ""},
	{"job/rank-3.json.gz", "job", ""},
	{"job/rank3.json", "job", ""},
	{"job/3.json.zst", "job", ""},
	{"job/rank_3_of_8.json", "job", ""},
	{"job/rank3/trace.json", "job", "trace"},
	{"a/job/node0/gpu_3/trace_17.json", "a/job", "trace"},
	{"a/job/dp0_tp1/trace.json", "a/job", "trace"},
	{"flat/bert_rank0.json", "flat", "bert"},
	{"flat/bert-large_step_100_rank-7.json.gz", "flat", "bert-large"},
	{"flat/resnet50.20261122T101500Z.json", "flat", "resnet50"},
	{"flat/llama_7b.json", "flat", "llama_7b"},
	{"flat/ranking.json", "flat", "ranking"},
	{"flat/rank_ordered.json", "flat", "rank_ordered"},
	{"2026-11-22/17/trace.json", "2026-11-22/17", "trace"}, /* a date and a job's number stay */
	{"step_100/trace.json", "step_100", "trace"},
	{"rank0/trace.json", "", "trace"},
	{"/rank0/trace.json", "/", "trace"},
	{"trace.json", "", "trace"},
	{"", "", ""},
};

static void paths_give_directory_and_run(void **state)
{
	struct tc_buf run = TC_BUF_EMPTY;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_text path = tc_text_from(cases[i].path);

		tc_buf_reset(&run);
		tc_run_name(&run, path, false);
		if (!tc_text_equal(tc_run_directory(path), tc_text_from(cases[i].directory)))
			fail_msg("%s: directory %.*s", cases[i].path,
				(int)tc_run_directory(path).len, tc_run_directory(path).ptr);
		assert_string_equal(tc_buf_string(&run), cases[i].run);
	}
	tc_buf_clear(&run);
}

static void a_name_may_have_a_rank(void **state)
{
	static const struct {
		const char *path;
		int64_t rank;
	} ranks[] = {
		{"job/rank-3.json.gz", 3},
		{"job/t_rank12.json", 12},
		{"job/rank_3_of_8.json", 3},
		{"dp0_pp0_tp3_rank7.1699999999.pt.trace.json.gz", 7},
		{"job/node1/rank2/trace_17.json", 2},
		{"rank2/trace.json", 2},
		{"job/rank1/rank2.json", 2},
		{"rank5/job/trace.json", -1}, /* the job is in there */
		{"job/node7_4711.1699999999123.pt.trace.json.gz", -1},
		{"job/3.json", -1},
		{"job/rank_ordered.json", -1},
		{"job/rank99999999999999999999.json", -1},
		{"/rank4", 4},
		{"rank", -1},
		{"", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (tc_run_rank(tc_text_from(ranks[i].path)) != ranks[i].rank)
			fail_msg("%s: rank %lld", ranks[i].path,
				(long long)tc_run_rank(tc_text_from(ranks[i].path)));
}

static void traces_are_named_like_json(void **state)
{
	(void)state;
	assert_true(tc_run_is_trace(TC_TEXT("a.json")));
	assert_true(tc_run_is_trace(TC_TEXT("a.json.gz")));
	assert_true(tc_run_is_trace(TC_TEXT("a.pt.trace.json.zst")));
	assert_false(tc_run_is_trace(TC_TEXT(".json")));
	assert_false(tc_run_is_trace(TC_TEXT("json.gz")));
	assert_false(tc_run_is_trace(TC_TEXT("a.json.bz2")));
	assert_false(tc_run_is_trace(TC_TEXT("a.gz")));
	assert_false(tc_run_is_trace(TC_TEXT("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_give_directory_and_run),
		cmocka_unit_test(a_name_may_have_a_rank),
		cmocka_unit_test(traces_are_named_like_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
