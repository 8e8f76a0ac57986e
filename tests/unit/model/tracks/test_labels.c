/* Labels: one for each pair of category and name, absent and empty told apart, limits told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "core/context.h"
#include "model/tracks/labels.h"

static struct tc_ctx *ctx; /* of all tests */

static uint32_t intern(struct tc_labels *labels, const char *category, const char *name)
{
	return tc_labels_intern(labels, tc_text_from(category), tc_text_from(name));
}

static void pairs_are_told_apart(void **state)
{
	static const char *const rows[][2] = {{NULL, NULL}, {NULL, ""}, {"", NULL}, {"", ""},
		{"a", "b"}, {"ab", ""}, {"", "ab"}, {"b", "a"}, {NULL, "ab"}, {"ab", NULL},
		{"A", "b"}};
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct tc_labels labels;

	(void)state;
	tc_labels_init(&labels, ctx);
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < COUNT; i++) {
			uint32_t at = round == 1 ? COUNT - 1 - i : i;
			assert_int_equal(intern(&labels, rows[at][0], rows[at][1]), at);
		}
	assert_int_equal(labels.count, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct tc_label *label = &labels.rows[i];
		assert_int_equal(tc_label_category(label).ptr == NULL, rows[i][0] == NULL);
		assert_int_equal(tc_label_name(label).ptr == NULL, rows[i][1] == NULL);
		assert_true(tc_text_equal(tc_label_category(label), tc_text_from(rows[i][0])));
		assert_true(tc_text_equal(tc_label_name(label), tc_text_from(rows[i][1])));
	}
	tc_labels_clear(&labels);
	assert_int_equal(labels.count, 0);
}

static void a_nul_does_not_confuse(void **state)
{
	struct tc_labels labels;

	(void)state;
	tc_labels_init(&labels, ctx);
	uint32_t cut = tc_labels_intern(&labels, TC_TEXT("a\0b"), TC_TEXT("c"));
	assert_int_equal(tc_labels_intern(&labels, TC_TEXT("a"), TC_TEXT("c")), cut);
	uint32_t other = tc_labels_intern(&labels, TC_TEXT("a"), TC_TEXT("b\0c"));
	assert_int_not_equal(other, cut);
	assert_int_equal(tc_label_name(&labels.rows[other]).len, 3);
	tc_labels_clear(&labels);
}

/* Lookups are remembered by their length and a few bytes of the name. */
static void names_that_look_alike_are_told_apart(void **state)
{
	static const char *const names[] = {"", "a", "b", "aaaaaaaa", "aaaaaaab", "baaaaaaa",
		"start ?1?????? middle ?1?????? end of it",
		"start ?2?????? middle ?1?????? end of it",
		"start ?1?????? middle ?2?????? end of it"};
	enum { COUNT = sizeof(names) / sizeof(names[0]) };
	struct tc_labels labels;

	(void)state;
	tc_labels_init(&labels, ctx);
	for (int round = 0; round < 4; round++)
		for (uint32_t i = 0; i < COUNT; i++) {
			assert_int_equal(intern(&labels, "cat", names[i]), 2 * i);
			assert_int_equal(intern(&labels, "tac", names[i]), 2 * i + 1);
			assert_int_equal(intern(&labels, "cat", names[i]), 2 * i);
		}
	assert_int_equal(labels.count, 2 * COUNT);
	tc_labels_clear(&labels);
}

static void texts_stay_where_they_are(void **state)
{
	struct tc_labels labels;
	char name[32];

	(void)state;
	tc_labels_init(&labels, ctx);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		assert_int_equal(intern(&labels, i % 2 ? "kernel" : NULL, name), i);
	}
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		assert_true(tc_text_equal(tc_label_name(&labels.rows[i]), tc_text_from(name)));
		assert_int_equal(labels.rows[i].engine, i % 2 ? TC_ENGINE_COMPUTE : TC_ENGINE_NONE);
	}
	tc_labels_clear(&labels);
}

static void beyond_the_limit_there_is_one_label(void **state)
{
	struct tc_labels labels;

	(void)state;
	tc_labels_init(&labels, ctx);
	labels.max_count = 2;
	assert_int_equal(intern(&labels, "a", "1"), 0);
	assert_int_equal(intern(&labels, "a", "2"), 1);
	assert_int_equal(labels.over_count, 0);
	uint32_t common = intern(&labels, "kernel", "3");
	assert_int_equal(common, 2);
	assert_int_equal(intern(&labels, "a", "4"), common);
	assert_int_equal(intern(&labels, "a", "1"), 0);
	assert_int_equal(intern(&labels, "a", "2"), 1);
	assert_int_equal(labels.over_count, 2);
	assert_int_equal(labels.rows[common].engine, TC_ENGINE_NONE);
	assert_null(tc_label_category(&labels.rows[common]).ptr);
	assert_non_null(tc_label_name(&labels.rows[common]).ptr);
	tc_labels_clear(&labels);
	labels.max_bytes = 12;
	assert_int_equal(intern(&labels, "a", "12345678"), 0);
	assert_int_equal(intern(&labels, "a", "b"), 1);
	assert_int_equal(labels.over_count, 1);
	tc_labels_clear(&labels);
}

static void survives_every_failed_allocation(void **state)
{
	bool done = false;

	(void)state;
	for (int n = 0; !done; n++) {
		struct tc_labels labels;
		tc_labels_init(&labels, ctx);
		tc_alloc_fail_after(n);
		done = true;
		for (uint32_t i = 0; i < 100 && done; i++) {
			char name[16];
			snprintf(name, sizeof(name), "%u", i);
			uint32_t got = intern(&labels, "c", name);
			done = got != TC_LABEL_NONE;
			assert_int_equal(tc_ctx_status(ctx), done ? TC_OK : TC_ERR_NOMEM);
			assert_true(!done || got == i);
		}
		tc_alloc_fail_after(-1);
		tc_ctx_clear_error(ctx);
		tc_labels_clear(&labels);
		assert_true(n < 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_told_apart),
		cmocka_unit_test(a_nul_does_not_confuse),
		cmocka_unit_test(names_that_look_alike_are_told_apart),
		cmocka_unit_test(texts_stay_where_they_are),
		cmocka_unit_test(beyond_the_limit_there_is_one_label),
		cmocka_unit_test(survives_every_failed_allocation),
	};

	ctx = tc_ctx_new();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	tc_ctx_free(ctx);
	return failed;
}
