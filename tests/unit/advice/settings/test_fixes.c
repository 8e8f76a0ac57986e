/* fixes.c: shares and their ranges, and what a user's setting makes of them. */
#include "memory_store.h"
#include "catalogue_fixture.h"

#include <string.h>

#include "advice/settings/fixes.h"
#include "advice/settings/settings.h"

/* The fix of a heuristic, with one setting; fixes are freed by the caller. */
static const struct tc_fix *find_fix(struct tc_fixes **fixes, struct tc_ctx *ctx, const char *id,
	const char *param, const char *value)
{
	char set[200];
	const char *const sets[] = {param ? set : NULL, NULL};
	const struct tc_settings_options options = {.sets = sets};
	struct tc_settings *settings = NULL;
	const struct tc_fix *found = NULL;

	snprintf(set, sizeof(set), "%s.%s=%s", id, param, value);
	assert_int_equal(tc_settings_new(&settings, ctx, &options), TC_OK);
	*fixes = tc_advice_fixes_new(ctx, settings);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	for (size_t i = 0; i < (*fixes)->count; i++)
		if (strcmp((*fixes)->items[i].id, id) == 0)
			found = &(*fixes)->items[i];
	assert_non_null(found);
	tc_settings_free(settings);
	return found;
}

static void test_ranges(void **state)
{
	static const struct {
		const char *id, *param, *value, *edit;
		bool is_ranged;
	} cases[] = {
		{"dataloader-bound", NULL, NULL, " by 0.3 (0 to 0.5)", true},
		{"dataloader-bound", "kept_ratio", "0.3", " by 0.3 (0 to 0.5)", true},
		{"dataloader-bound", "kept_ratio", "0.4", " by 0.4", false},
		{"gemm-fp32", NULL, NULL, " by peaks else 0.25 (0.1 to 0.75)", true},
		{"gemm-fp32", "kept_ratio", "0.2", " = fp32 by 0.2", false},
		{"exposed-communication", NULL, NULL, " by 0.55 (0.4 to 0.67)", true},
		{"exposed-communication", "beside_ratio", "0.5", " by 0.5", false},
		{"layout-transposes", NULL, NULL, " with-launches (0 to 2 times)", true},
		{"recompilation", NULL, NULL, "remove role = compile steady", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_fixes *fixes;
		const struct tc_fix *fix =
			find_fix(&fixes, ctx, cases[i].id, cases[i].param, cases[i].value);
		size_t len = strlen(fix->edit), end = strlen(cases[i].edit);

		assert_true(len >= end);
		assert_string_equal(fix->edit + len - end, cases[i].edit);
		assert_int_equal(!tc_clause_set_is_empty(&fix->ranged), cases[i].is_ranged);
		tc_advice_fixes_free(fixes);
		tc_ctx_free(ctx);
	}
}

/* Collectives that are hidden have a clause for each end; other clauses are for all of them. */
static void test_clauses_at_ends(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_fixes *fixes;
	const struct tc_fix *fix = find_fix(&fixes, ctx, "exposed-communication", NULL, NULL);

	(void)state;
	assert_false(tc_clause_set_meets(&fix->clauses, &fix->low));
	assert_false(tc_clause_set_meets(&fix->clauses, &fix->high));
	assert_int_equal(tc_clause_set_end(&fix->low), TC_END_LOW);
	assert_int_equal(tc_clause_set_end(&fix->high), TC_END_HIGH);
	tc_advice_fixes_free(fixes);
	fix = find_fix(&fixes, ctx, "dataloader-bound", NULL, NULL);
	assert_true(tc_clause_set_is_part(&fix->clauses, &fix->low));
	assert_true(tc_clause_set_is_part(&fix->clauses, &fix->high));
	assert_int_equal(tc_clause_set_end(&fix->clauses), TC_END_LIKELY);
	tc_advice_fixes_free(fixes);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_clauses_at_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
