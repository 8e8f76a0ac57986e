/* rank.c: the order, and that it does not depend on the order of arrival. */
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

/* A general finding stands where what its special cases leave of it puts it; a guess leaves all. */
static void test_special_cases(void **state)
{
	static const char *const part_of[] = {"general", NULL};
	static const struct tc_heuristic general = {.id = "general"}, other = {.id = "other"};
	static const struct tc_heuristic special = {.id = "special", .part_of = part_of};
	static const struct tc_heuristic guess = {.id = "guess", .part_of = part_of};

	(void)state;
	for (int64_t special_ns = 49; special_ns <= 50; special_ns++) {
		struct tc_finding findings[] = {
			{.heuristic = &guess, .gain_ns = 99},
			{.heuristic = &general, .gain_ns = 100},
			{.heuristic = &special,
				.gain_ns = special_ns,
				.confidence = TC_CONFIDENCE_INFERRED},
			{.heuristic = &other, .gain_ns = 60},
		};
		tc_rank(findings, 4);
		assert_ptr_equal(findings[0].heuristic, &guess);
		assert_ptr_equal(findings[1].heuristic, &other);
		assert_ptr_equal(findings[2].heuristic, special_ns < 50 ? &general : &special);
		assert_int_equal(findings[special_ns < 50 ? 2 : 3].rank_ns, 100 - special_ns);
		assert_int_equal(findings[special_ns < 50 ? 2 : 3].gain_ns, 100);
	}
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
		cmocka_unit_test(test_nothing_to_rank),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
