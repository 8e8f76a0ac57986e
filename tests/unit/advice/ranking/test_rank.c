/* ranking.c: the order, and that it does not depend on the order of arrival. */
#include "memory_store.h"

#include <stdlib.h>
#include <string.h>

#include "advice/ranking/ranking.h"

static const struct tc_heuristic a = {.id = "a", .kind = TC_HEURISTIC_FIX};
static const struct tc_heuristic b = {.id = "b", .kind = TC_HEURISTIC_FIX};
static const char *const nothing[] = {NULL}, *const host[] = {"host", NULL};
static const struct tc_heuristic p = {.id = "p", .kind = TC_HEURISTIC_QUALITY, .needs = host};
static const struct tc_heuristic q = {.id = "q", .kind = TC_HEURISTIC_QUALITY, .needs = nothing};

/* In the order in which they must be told. */
static const struct tc_finding wanted[] = {
	{.heuristic = &q, .severity = TC_SEVERITY_HIGH, .gain_ns = TC_GAIN_NONE},
	{.heuristic = &p, .severity = TC_SEVERITY_HIGH, .gain_ns = TC_GAIN_NONE},
	{.heuristic = &b, .severity = TC_SEVERITY_LOW, .gain_ns = 900},
	{.heuristic = &a,
		.severity = TC_SEVERITY_HIGH,
		.gain_ns = 800,
		.confidence = TC_CONFIDENCE_MEASURED},
	{.heuristic = &b,
		.severity = TC_SEVERITY_HIGH,
		.gain_ns = 800,
		.confidence = TC_CONFIDENCE_MEASURED},
	{.heuristic = &a,
		.severity = TC_SEVERITY_HIGH,
		.gain_ns = 800,
		.confidence = TC_CONFIDENCE_GUESSED},
	{.heuristic = &a,
		.severity = TC_SEVERITY_LOW,
		.gain_ns = 800,
		.confidence = TC_CONFIDENCE_MEASURED},
	{.heuristic = &a, .severity = TC_SEVERITY_INFO, .gain_ns = 0},
	{.heuristic = &a, .severity = TC_SEVERITY_INFO, .gain_ns = TC_GAIN_NONE},
	{.heuristic = &q, .severity = TC_SEVERITY_INFO, .gain_ns = TC_GAIN_NONE},
};
#define WANTED_COUNT (sizeof(wanted) / sizeof(wanted[0]))

static void test_order(void **state)
{
	(void)state;
	srand(1);
	for (int turn = 0; turn < 200; turn++) {
		struct tc_finding findings[WANTED_COUNT];
		for (size_t i = 0; i < WANTED_COUNT; i++)
			findings[i] = wanted[i];
		for (size_t i = WANTED_COUNT - 1; i > 0; i--) {
			size_t j = (size_t)rand() % (i + 1);
			struct tc_finding swap = findings[i];
			findings[i] = findings[j];
			findings[j] = swap;
		}
		tc_rank(findings, WANTED_COUNT);
		for (size_t i = 0; i < WANTED_COUNT; i++) {
			assert_ptr_equal(findings[i].heuristic, wanted[i].heuristic);
			assert_true(findings[i].gain_ns == wanted[i].gain_ns);
			assert_int_equal(findings[i].severity, wanted[i].severity);
			assert_int_equal(findings[i].confidence, wanted[i].confidence);
		}
	}
}

/* A general finding stands where its gain puts it, or what special cases leave of it that win most
 * of that gain; a guess leaves all. */
static void test_special_cases(void **state)
{
	static const char *const part_of[] = {"general", NULL};
	static const struct tc_heuristic general = {.id = "general"}, other = {.id = "other"};
	static const struct tc_heuristic special = {.id = "special", .part_of = part_of};
	static const struct tc_heuristic guess = {.id = "guess", .part_of = part_of};

	(void)state;
	for (int64_t special_ns = 79; special_ns <= 80; special_ns++) {
		bool is_explained = special_ns >= 80;
		struct tc_finding findings[] = {
			{.heuristic = &guess, .gain_ns = 99},
			{.heuristic = &general, .gain_ns = 100},
			{.heuristic = &special,
				.gain_ns = special_ns,
				.confidence = TC_CONFIDENCE_INFERRED},
			{.heuristic = &other, .gain_ns = 60},
		};
		tc_rank(findings, 4);
		assert_ptr_equal(findings[is_explained ? 0 : 1].heuristic, &guess);
		assert_ptr_equal(findings[is_explained ? 1 : 2].heuristic, &special);
		assert_ptr_equal(findings[is_explained ? 2 : 3].heuristic, &other);
		assert_ptr_equal(findings[is_explained ? 3 : 0].heuristic, &general);
		assert_int_equal(findings[is_explained ? 3 : 0].rank_ns,
			is_explained ? 100 - special_ns : 100);
		assert_int_equal(findings[is_explained ? 3 : 0].gain_ns, 100);
	}
}

/* Microseconds do not decide: of equal gains the special case comes first, then the surer one. */
static void test_equal_gains(void **state)
{
	static const char *const part_of[] = {"general", NULL};
	static const struct tc_heuristic c = {.id = "c"};
	static const struct tc_heuristic special = {.id = "special", .part_of = part_of};
	struct tc_finding findings[] = {
		{.heuristic = &a, .gain_ns = 1000000, .confidence = TC_CONFIDENCE_INFERRED},
		{.heuristic = &b, .gain_ns = 999999, .confidence = TC_CONFIDENCE_MEASURED},
		{.heuristic = &special, .gain_ns = 990000, .confidence = TC_CONFIDENCE_INFERRED},
		{.heuristic = &c, .gain_ns = 989999, .confidence = TC_CONFIDENCE_MEASURED},
		{.heuristic = &a, .gain_ns = 0},
		{.heuristic = &b, .gain_ns = TC_GAIN_NONE, .confidence = TC_CONFIDENCE_MEASURED},
	};

	(void)state;
	tc_rank(findings, 6);
	assert_ptr_equal(findings[0].heuristic, &special);
	assert_ptr_equal(findings[1].heuristic, &b);
	assert_ptr_equal(findings[2].heuristic, &a);
	assert_ptr_equal(findings[3].heuristic, &c);
	assert_int_equal(findings[4].gain_ns, 0);
	assert_true(findings[5].gain_ns == TC_GAIN_NONE);
}

/* A finding about the recording stays first, and its gain is equal to no other's: those behind it
 * go by their gains. */
static void test_only_gains_of_one_kind_are_equal(void **state)
{
	static const struct tc_heuristic cut = {.id = "cut", .kind = TC_HEURISTIC_QUALITY};
	static const char *const part_of[] = {"general", NULL};
	static const struct tc_heuristic special = {.id = "special", .part_of = part_of};
	struct tc_finding findings[] = {
		{.heuristic = &special, .gain_ns = 500, .confidence = TC_CONFIDENCE_MEASURED},
		{.heuristic = &cut, .gain_ns = 5, .severity = TC_SEVERITY_HIGH},
		{.heuristic = &a, .gain_ns = 1000},
	};

	(void)state;
	tc_rank(findings, 3);
	assert_ptr_equal(findings[0].heuristic, &cut);
	assert_ptr_equal(findings[1].heuristic, &a);
	assert_ptr_equal(findings[2].heuristic, &special);
}

static void test_nothing_to_rank(void **state)
{
	struct tc_finding findings[2] = {
		{.gain_ns = 1, .rank_ns = 7}, {.gain_ns = 2, .rank_ns = 8}};
	struct tc_finding before[2];

	(void)state;
	memcpy(before, findings, sizeof(before));
	tc_rank(NULL, 0);
	tc_rank(findings, 0);
	assert_memory_equal(findings, before, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_special_cases),
		cmocka_unit_test(test_equal_gains),
		cmocka_unit_test(test_only_gains_of_one_kind_are_equal),
		cmocka_unit_test(test_nothing_to_rank),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
