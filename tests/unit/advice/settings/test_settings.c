/* settings.c: what may be set, to what, and what a run makes of it. */
#include "memory_store.h"
#include "catalogue_fixture.h"

#include <string.h>

#include "advice/settings/settings.h"
#include "core/alloc.h"
#include "advice/advise.h"

static const char *const host_and_device[] = {"host", "device", "framework", "loop", NULL};

/* A heuristic with a parameter that has a range on both sides of its default. */
static const struct tc_heuristic *with_param(const struct tc_param **param)
{
	for (size_t i = 0; i < tc_catalogue_count(built_in()); i++) {
		*param = tc_catalogue_at(built_in(), i)->params;
		if ((*param)->name && (*param)->min < (*param)->value &&
			(*param)->value < (*param)->max)
			return tc_catalogue_at(built_in(), i);
	}
	fail_msg("no heuristic has a parameter");
	return NULL;
}

/* Settings with one value set and one heuristic named each by --only and --skip; NULL: none of
 * that. NULL on failure. */
static struct tc_settings *settings_of(
	struct tc_ctx *ctx, const char *set, const char *only, const char *skip)
{
	const char *const sets[] = {set, NULL}, *const onlys[] = {only, NULL},
			  *const skips[] = {skip, NULL};
	const struct tc_settings_options options = {.sets = sets, .only = onlys, .skip = skips};
	struct tc_settings *settings = NULL;

	return tc_settings_new(&settings, ctx, &options) == TC_OK ? settings : NULL;
}

static const char *off(const char *set, const char *only, const char *skip, const char *id)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_settings *settings = settings_of(ctx, set, only, skip);

	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	const char *reason = tc_settings_off(settings, tc_catalogue_find(built_in(), id));
	tc_settings_free(settings);
	tc_ctx_free(ctx);
	return reason;
}

static void assert_refused(const char *id, const char *param, const char *value, const char *part)
{
	struct tc_ctx *ctx = tc_ctx_new();
	char set[200];

	snprintf(set, sizeof(set), "%s.%s=%s", id, param, value);
	assert_null(settings_of(ctx, set, NULL, NULL));
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_USAGE);
	if (!strstr(tc_ctx_error(ctx), part))
		fail_msg("'%s' is not in '%s'", part, tc_ctx_error(ctx));
	tc_ctx_free(ctx);
}

static void test_refused(void **state)
{
	const struct tc_param *param = NULL;
	const struct tc_heuristic *heuristic = with_param(&param);
	char text[64];

	(void)state;
	assert_refused("host-bond", "x", "1", "did you mean 'host-bound'?");
	assert_refused("", "x", "1", "no such heuristic");
	assert_refused("nothing-like-any-of-them", "x", "1", "tc_heuristic_at() lists them");
	snprintf(text, sizeof(text), "%sx", param->name);
	assert_refused(heuristic->id, text, "1", "no such parameter: did you mean '");
	assert_refused(heuristic->id, "", "1", "no such parameter");
	assert_refused(heuristic->id, "enable", "no", ".enabled'?");
	assert_refused(heuristic->id, "enabled", "perhaps", "give yes or no");
	assert_refused(heuristic->id, "enabled", "", "give yes or no");
	assert_refused(heuristic->id, param->name, "", "not a number");
	assert_refused(heuristic->id, param->name, "five", "not a number");
	assert_refused(heuristic->id, param->name, "5 %", "not a number");
	assert_refused(heuristic->id, param->name, "nan", "not a number");
	assert_refused(heuristic->id, param->name, "inf", "out of range");
	assert_refused(heuristic->id, param->name, "-1e300", "out of range");
	snprintf(text, sizeof(text), "%.17g", param->max * 1.001 + 1);
	assert_refused(heuristic->id, param->name, text, "out of range: give ");
}

/* The ends of the range belong to it, and the last value counts. */
static void test_range(void **state)
{
	const struct tc_param *param = NULL;
	const struct tc_heuristic *heuristic = with_param(&param);
	const double ends[] = {param->max, param->min};
	size_t at = tc_catalogue_find(built_in(), heuristic->id);
	char texts[2][100];

	(void)state;
	for (size_t i = 0; i < 2; i++)
		snprintf(texts[i], sizeof(texts[i]), "%s.%s=%.17g", heuristic->id, param->name,
			ends[i]);
	for (size_t i = 0; i < 2; i++) {
		const char *const sets[] = {texts[1 - i], texts[i], NULL};
		const struct tc_settings_options options = {.sets = sets};
		struct tc_settings *settings = NULL;
		struct tc_ctx *ctx = tc_ctx_new();
		assert_int_equal(tc_settings_new(&settings, ctx, &options), TC_OK);
		assert_memory_equal(tc_params_of(&settings->params, at), &ends[i], sizeof(ends[i]));
		tc_settings_free(settings);
		tc_ctx_free(ctx);
	}
}

static void test_switches(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	assert_null(off(NULL, NULL, NULL, "host-bound"));
	assert_non_null(
		strstr(off("host-bound.enabled=no", NULL, NULL, "host-bound"), "enabled = no"));
	assert_null(off("host-bound.enabled=on", NULL, NULL, "host-bound"));
	assert_null(off(NULL, "host-bound", NULL, "host-bound"));
	assert_string_equal(off(NULL, "host-bound", NULL, "no-steps"), "left out by only");
	assert_string_equal(
		off(NULL, "host-bound,no-steps", "host-bound", "host-bound"), "left out by skip");
	assert_null(settings_of(ctx, NULL, "no-stps", NULL));
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_USAGE);
	assert_null(settings_of(ctx, NULL, NULL, "no-stps"));
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_USAGE);
	tc_ctx_free(ctx);
}

/* Every heuristic is in the account, those that are off with the reason; values reach the query. */
static void test_run(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_settings *settings = settings_of(ctx, NULL, "no-steps", NULL);
	sqlite3 *db = memory_store_open();
	struct tc_advice *advice = NULL;
	size_t off_count = 0;

	(void)state;
	memory_store_trace(db, 0, 1000, host_and_device);
	advice = tc_advise(ctx, db, settings);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_int_equal(advice->account_count, tc_catalogue_count(built_in()));
	for (size_t i = 0; i < advice->account_count; i++) {
		const struct tc_account_row *row = &advice->account[i];
		if (strcmp(row->heuristic->id, "no-steps") == 0) {
			assert_int_equal(row->outcome, TC_OUTCOME_FIRED);
			continue;
		}
		assert_int_equal(row->outcome, TC_OUTCOME_NOT_ASKED);
		assert_string_equal(row->reason, "left out by only");
		off_count++;
	}
	assert_int_equal(off_count, tc_catalogue_count(built_in()) - 1);
	assert_int_equal(advice->finding_count, 1);
	assert_int_equal(advice->setting_count, 0);
	tc_advice_free(advice);
	tc_ctx_free(ctx);
	sqlite3_close(db);
	tc_settings_free(settings);
}

static void test_settings_are_told(void **state)
{
	const struct tc_param *param = NULL;
	const struct tc_heuristic *heuristic = with_param(&param);
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = memory_store_open();
	struct tc_advice *advice = NULL;
	char set[100];

	(void)state;
	snprintf(set, sizeof(set), "%s.%s=%.17g", heuristic->id, param->name, param->max);
	struct tc_settings *settings = settings_of(ctx, set, NULL, NULL);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	advice = tc_advise(ctx, db, settings);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_int_equal(advice->setting_count, 1);
	assert_string_equal(advice->settings[0].heuristic->id, heuristic->id);
	assert_string_equal(advice->settings[0].param->name, param->name);
	assert_memory_equal(&advice->settings[0].value, &param->max, sizeof(double));
	tc_advice_free(advice);
	tc_ctx_free(ctx);
	sqlite3_close(db);
	tc_settings_free(settings);
}

/* Reading all heuristics and setting takes many allocations: some of them fail once. */
static void test_setting_out_of_memory(void **state)
{
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	for (int64_t n = 0; status == TC_ERR_NOMEM; n += n < 50 ? 1 : 97) {
		struct tc_ctx *ctx = tc_ctx_new();

		tc_alloc_fail_after(n);
		assert_null(settings_of(ctx, NULL, NULL, "no-stps"));
		tc_alloc_fail_after(-1);
		status = tc_ctx_status(ctx);
		assert_true(status == TC_ERR_USAGE || status == TC_ERR_NOMEM);
		tc_ctx_free(ctx);
		assert_true(n < 100000);
	}
}

/* Default settings and a run with them: each allocation fails once. */
static void test_out_of_memory(void **state)
{
	sqlite3 *db = memory_store_open();
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	memory_store_trace(db, 0, 1000, host_and_device);
	built_in();
	for (int64_t n = 0; status != TC_OK; n++) {
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_advice *advice = NULL;

		tc_alloc_fail_after(n);
		struct tc_settings *settings = tc_settings_for(built_in());
		status = TC_ERR_NOMEM;
		if (settings) {
			settings->params.values[0] += 1;
			advice = tc_advise(ctx, db, settings);
			status = tc_ctx_status(ctx);
		}
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		assert_true((status == TC_OK) == (advice != NULL));
		tc_advice_free(advice);
		tc_settings_free(settings);
		tc_ctx_free(ctx);
		assert_true(n < 5000);
	}
	sqlite3_close(db);
}

/* A call that fails does not spoil the context for the next one. */
static void test_a_fault_does_not_stay(void **state)
{
	static const char *const wrong[] = {"host-bound.enabled=perhaps", NULL};
	static const char *const right[] = {"host-bound.enabled=no", NULL};
	struct tc_settings_options options = {.sets = wrong};
	struct tc_settings *settings = NULL;
	const struct tc_heuristic *heuristic = NULL;
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	assert_int_equal(tc_settings_new(&settings, ctx, &options), TC_ERR_USAGE);
	assert_null(settings);
	options.sets = right;
	assert_int_equal(tc_settings_new(&settings, ctx, &options), TC_OK);
	assert_string_equal(tc_ctx_error(ctx), "");
	assert_int_equal(tc_heuristic_find(&heuristic, ctx, settings, "host-bond"), TC_ERR_USAGE);
	assert_int_equal(tc_heuristic_find(&heuristic, ctx, settings, "host-bound"), TC_OK);
	assert_string_equal(heuristic->id, "host-bound");
	tc_settings_free(settings);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_settings_are_told),
		cmocka_unit_test(test_a_fault_does_not_stay),
		cmocka_unit_test(test_setting_out_of_memory),
		cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
