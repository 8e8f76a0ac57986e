/* The words of edits: what is taken, and what a fault says. */
#include "replay/replay_fixture.h"

static void test_sides_and_shares(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t clauses;
		bool first_is_host;
		int64_t saved_ppm;
	} cases[] = {
		{"remove role = dataloader", 1, true, 1000000},
		{"remove host role=cpu_fallback with-work", 2, true, 1000000},
		{"scale class = matrix, convolution precision = fp32 by 0.25", 1, false, 750000},
		{"scale name=aten::index* by 0", 3, true, 1000000},
		{"remove mark = zero_grad", 3, true, 1000000},
		{"scale device mark = optimizer_step by 1", 1, false, 0},
		{"nowait not in role = dataloader role = sync", 1, true, 1000000},
		{"overlap engine = mme", 1, false, 1000000},
		{"fuse device class = update by 0.1", 2, false, 900000},
		{"hide device engine = nic by 0.5", 1, false, 1000000},
		{"merge device engine = nic by 0.05", 1, false, 1000000},
		{"remove device shorter = 10000 repeated kind = kernel", 1, false, 1000000},
		{"remove device name = 'a, b = c*'", 1, false, 1000000},
		{"scale silence = pause in mark = loader_main steady by 0.3", 1, true, 700000},
	};
	struct tc_ctx *ctx = tc_ctx_new();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_edit edit;
		if (tc_edit_parse(&edit, ctx, tc_text_from(cases[i].text), keep_text, NULL))
			fail_msg("%s", tc_ctx_error(ctx));
		assert_int_equal(edit.clause_count, cases[i].clauses);
		assert_int_equal(edit.clauses[0].is_host, cases[i].first_is_host);
		assert_int_equal(edit.clauses[0].saved_ppm[TC_END_LIKELY], cases[i].saved_ppm);
	}
	tc_ctx_free(ctx);
}

/* The role of an edit counts where no other term asks for a place. */
static void test_concerns(void **state)
{
	static const struct {
		const char *text;
		enum tc_cause cause;
		bool concerns;
	} cases[] = {
		{"remove role = dataloader not in mark = loader_main", TC_CAUSE_DATALOADER, true},
		{"remove role = dataloader", TC_CAUSE_SYNC, false},
		{"remove role = sync, output_copy within-steps", TC_CAUSE_OUTPUT_COPY, true},
		{"nowait role = input_copy", TC_CAUSE_INPUT_COPY, true},
		{"scale own role = dispatch shorter = 1000000 by 0.2", TC_CAUSE_DISPATCH, true},
		{"scale own role = dispatch usual not silence = compile by 0.2", TC_CAUSE_DISPATCH,
			true},
		{"remove role = dispatch in mark = optimizer_step", TC_CAUSE_DISPATCH, false},
		{"remove role = sync after mark = debug_check", TC_CAUSE_SYNC, false},
		{"scale own host launches not role = launch by 0.2", TC_CAUSE_OTHER, true},
		{"scale own host launches not role = launch by 0.2", TC_CAUSE_LAUNCH, false},
		{"remove device kind = memcpy in role = sync", TC_CAUSE_SYNC, false},
		{"remove role = dataloader", TC_CAUSE_OTHER, false},
		{"remove silence = pause", TC_CAUSE_PAUSE, true},
		{"remove silence = pause", TC_CAUSE_COMPILE, false},
		{"remove silence = compile steady", TC_CAUSE_COMPILE, true},
		{"scale own host launches not silence = pause by 0.2", TC_CAUSE_PAUSE, false},
	};
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_edit edit;
		if (tc_edit_parse(&edit, ctx, tc_text_from(cases[i].text), keep_text, NULL))
			fail_msg("%s", tc_ctx_error(ctx));
		if (tc_edit_concerns(&edit, cases[i].cause) != cases[i].concerns)
			fail_msg("%s", cases[i].text);
	}
	tc_ctx_free(ctx);
}

static void test_a_factor_may_be_a_word(void **state)
{
	(void)state;
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_edit edit;

	assert_int_equal(tc_edit_parse(&edit, ctx, TC_TEXT("scale class = matrix by :kept"),
				 keep_text, NULL),
		TC_OK);
	assert_true(tc_text_equal(edit.factor, TC_TEXT(":kept")));
	tc_edit_set_factor(&edit, &(struct tc_factor){0.4, 0.4, 0.4});
	assert_int_equal(edit.clauses[0].saved_ppm[TC_END_LIKELY], 600000);
	tc_ctx_free(ctx);
}

/* Less stays where more is won: the low end of a gain is the high one of its share. */
static void test_a_share_may_have_a_range(void **state)
{
	(void)state;
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_edit edit;

	tc_edit_parse(&edit, ctx, TC_TEXT("fuse device class = matrix by 0.4"), keep_text, NULL);
	tc_edit_set_factor(&edit, &(struct tc_factor){0.4, 0.1, 0.7});
	assert_int_equal(edit.clause_count, 2);
	assert_int_equal(edit.clauses[0].saved_ppm[TC_END_LIKELY], 600000);
	assert_int_equal(edit.clauses[0].saved_ppm[TC_END_LOW], 300000);
	assert_int_equal(edit.clauses[0].saved_ppm[TC_END_HIGH], 900000);
	assert_true(edit.clauses[1].is_start);
	assert_int_equal(edit.clauses[1].saved_ppm[TC_END_LOW], 1000000);
	tc_edit_parse(&edit, ctx, TC_TEXT("hide device engine = nic by 0.5"), keep_text, NULL);
	tc_edit_set_factor(&edit, &(struct tc_factor){0.5, 0.4, 0.6});
	assert_int_equal(edit.clause_count, 3);
	for (int end = TC_END_LIKELY; end < TC_END_COUNT; end++) {
		static const int64_t beside_ppm[] = {500000, 400000, 600000};
		assert_true(edit.clauses[end].has_ends);
		assert_int_equal(edit.clauses[end].end, end);
		assert_int_equal(edit.clauses[end].beside_ppm, beside_ppm[end]);
	}
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_ctx_free(ctx);
}

static void test_a_share_may_come_from_peaks(void **state)
{
	(void)state;
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_edit edit;

	tc_edit_parse(
		&edit, ctx, TC_TEXT("scale class = matrix by peaks else :kept"), keep_text, NULL);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_true(edit.clauses[0].by_peaks);
	assert_true(tc_text_equal(edit.peaks, TC_TEXT("peaks else ")));
	assert_true(tc_text_equal(edit.factor, TC_TEXT(":kept")));
	struct tc_replay replay = {.clauses = edit.clauses};
	struct tc_clause_set set = {{0}}, low, high;
	tc_clause_set_add(&set, 0);
	low = high = set;
	tc_clause_set_to_end(&low, TC_END_LOW);
	tc_clause_set_to_end(&high, TC_END_HIGH);
	tc_edit_set_factor(&edit, &(struct tc_factor){0.4, 0.4, 0.4});
	assert_int_equal(tc_replay_share(&replay, &set, &low).saved_ppm, 600000);
	replay.kept =
		(struct tc_kept){.least_ppm = 100000, .likely_ppm = 150000, .most_ppm = 500000};
	assert_int_equal(tc_replay_share(&replay, &set, &set).saved_ppm, 850000);
	assert_int_equal(tc_replay_share(&replay, &set, &low).saved_ppm, 500000);
	assert_int_equal(tc_replay_share(&replay, &set, &high).saved_ppm, 900000);
	tc_ctx_free(ctx);
}

/* Device work of which a share stays is waited for, but at the end of the range where all of it
 * goes. */
static void test_what_stays_is_waited_for(void **state)
{
	static const struct {
		const char *edit;
		double most_saved; /* at the high end; half of it is likely, a quarter the low end
				    */
		bool frees[TC_END_COUNT];
	} cases[] = {{"scale device kind = kernel by :kept", 1, {false, false, true}},
		{"scale device kind = kernel by :kept", .8, {false, false, false}},
		{"scale role = sync by :kept", .8, {true, true, true}}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_edit edit;
		const double saved = cases[i].most_saved;

		tc_edit_parse(&edit, ctx, tc_text_from(cases[i].edit), keep_text, NULL);
		assert_int_equal(tc_ctx_status(ctx), TC_OK);
		tc_edit_set_factor(
			&edit, &(struct tc_factor){1 - saved / 2, 1 - saved, 1 - saved / 4});
		struct tc_replay replay = {.clauses = edit.clauses};
		for (int end = TC_END_LIKELY; end < TC_END_COUNT; end++) {
			struct tc_clause_set set = {{0}}, whatif;
			tc_clause_set_add(&set, 0);
			whatif = set;
			if (end != TC_END_LIKELY)
				tc_clause_set_to_end(&whatif, (enum tc_end)end);
			assert_int_equal(
				tc_replay_share(&replay, &set, &whatif).frees, cases[i].frees[end]);
		}
		tc_ctx_free(ctx);
	}
}

static void test_faults(void **state)
{
	(void)state;
	static const char nine_terms[] =
		"remove role = sync role = sync role = sync role = sync role = sync role = sync"
		" role = sync role = sync role = sync";
	static const char *const texts[] = {"", "delete role = sync", "remove", "remove role",
		"remove role =", "remove role = loader", "remove colour = red", "scale role = sync",
		"scale role = sync by", "fuse role = sync", "hide engine = nic",
		"scale role = sync by 2", "scale role = sync by peaks",
		"scale role = sync by peaks else", "scale role = sync by peaks 0.5",
		"remove shorter = soon", "remove in steady role = sync", "remove host",
		"remove name = a, b", "fuse class = matrix by peaks else 0.5",
		"tune host kind = kernel by 0.8", "tune own kind = kernel by 0.8",
		"nowait silence = pause", "fuse silence = pause by 0.5",
		"tune silence = pause by 0.8", "remove own silence = pause",
		"remove silence = pause not silence = compile",
		"remove silence = pause role = dispatch", "remove silence = pause repeated",
		nine_terms};
	struct tc_ctx *ctx = tc_ctx_new();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tc_edit edit;
		if (tc_edit_parse(&edit, ctx, tc_text_from(texts[i]), keep_text, NULL) !=
			TC_ERR_USAGE)
			fail_msg("no fault: %s", texts[i]);
		assert_non_null(strstr(tc_ctx_error(ctx), "edit '"));
		tc_ctx_clear_error(ctx);
	}
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sides_and_shares),
		cmocka_unit_test(test_concerns),
		cmocka_unit_test(test_a_factor_may_be_a_word),
		cmocka_unit_test(test_a_share_may_have_a_range),
		cmocka_unit_test(test_a_share_may_come_from_peaks),
		cmocka_unit_test(test_what_stays_is_waited_for),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
