/* String tables, against a plain list searched from its start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/limits.h"
#include "core/collections/strtab.h"

static void numbers_follow_first_sight(void **state)
{
	struct tc_strtab table = TC_STRTAB_EMPTY;

	(void)state;
	assert_int_equal(tc_strtab_find(&table, TC_TEXT("a")), TC_STRTAB_NONE);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("b")), 0);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("a")), 1);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("b")), 0);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("")), 2);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT_NONE), 2);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("b\0")), 3);
	assert_int_equal(tc_strtab_find(&table, TC_TEXT("a")), 1);
	assert_int_equal(tc_strtab_find(&table, TC_TEXT("c")), TC_STRTAB_NONE);
	assert_true(tc_text_equal(tc_strtab_at(&table, 3), TC_TEXT("b\0")));
	assert_int_equal(table.count, 4);
	assert_int_equal(table.text_bytes, 4);
	tc_strtab_clear(&table);
	assert_int_equal(table.count, 0);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("a")), 0);
	tc_strtab_clear(&table);
}

/* Texts over two letters collide often, in lengths on both sides of the eight-byte words. */
static void agrees_with_a_list(void **state)
{
	enum { ROUNDS = 6000 };
	struct tc_strtab table = TC_STRTAB_EMPTY;
	char(*seen)[24] = calloc(ROUNDS, sizeof(*seen));
	size_t count = 0;
	uint64_t random = 7;

	(void)state;
	assert_non_null(seen);
	for (int i = 0; i < ROUNDS; i++) {
		char text[24] = {0};
		random = random * UINT64_C(6364136223846793005) + 1;
		size_t len = (random >> 40) % 20;
		for (size_t j = 0; j < len; j++)
			text[j] = (char)('a' + (random >> (20 + j) & 1));
		size_t expected = 0;
		while (expected < count && strcmp(seen[expected], text) != 0)
			expected++;
		uint32_t found = tc_strtab_find(&table, tc_text_from(text));
		assert_int_equal(found, expected < count ? expected : TC_STRTAB_NONE);
		if (expected == count)
			memcpy(seen[count++], text, sizeof(text));
		assert_int_equal(tc_strtab_intern(&table, tc_text_from(text)), expected);
	}
	assert_int_equal(table.count, count);
	for (size_t i = 0; i < count; i++)
		assert_true(
			tc_text_equal(tc_strtab_at(&table, (uint32_t)i), tc_text_from(seen[i])));
	free(seen);
	tc_strtab_clear(&table);
}

static void texts_never_move(void **state)
{
	struct tc_strtab table = TC_STRTAB_EMPTY;
	char *large = malloc(200000);

	(void)state;
	assert_non_null(large);
	memset(large, 'L', 200000);
	tc_strtab_intern(&table, TC_TEXT("first"));
	const char *first = tc_strtab_at(&table, 0).ptr;
	for (int i = 0; i < 20000; i++) {
		char text[32];
		snprintf(text, sizeof(text), "name %d", i);
		assert_int_equal(tc_strtab_intern(&table, tc_text_from(text)), 1 + i);
	}
	assert_int_equal(tc_strtab_intern(&table, (struct tc_text){large, 200000}), 20001);
	memset(large, 'M', 200000); /* the table keeps a copy */
	assert_int_equal(tc_strtab_at(&table, 20001).ptr[199999], 'L');
	assert_ptr_equal(tc_strtab_at(&table, 0).ptr, first);
	assert_memory_equal(first, "first", 5);
	free(large);
	tc_strtab_clear(&table);
}

static void byte_limit_is_kept(void **state)
{
	struct tc_strtab table = TC_STRTAB_EMPTY;

	(void)state;
	tc_strtab_intern(&table, TC_TEXT("a"));
	table.text_bytes = TC_STRING_MAX_BYTES - 2;
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("bcd")), TC_STRTAB_NONE);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("bc")), 1);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("d")), TC_STRTAB_NONE);
	assert_int_equal(tc_strtab_intern(&table, TC_TEXT("a")), 0);
	tc_strtab_clear(&table);
}

/* Whichever allocation fails, the table stays as it was and goes on afterwards. */
static void survives_every_failed_allocation(void **state)
{
	(void)state;
	for (int n = 0; n < 12; n++) {
		struct tc_strtab table = TC_STRTAB_EMPTY;
		uint32_t expected = 0;
		tc_alloc_fail_after(n);
		for (int i = 0; i < 3000; i++) {
			char text[80];
			int len = snprintf(text, sizeof(text), "%070d", i);
			struct tc_text key = {text, (size_t)len};
			uint32_t number = tc_strtab_intern(&table, key);
			if (number == TC_STRTAB_NONE) {
				assert_int_equal(tc_strtab_find(&table, key), TC_STRTAB_NONE);
				continue;
			}
			assert_int_equal(number, expected++);
			assert_true(tc_text_equal(tc_strtab_at(&table, number), key));
		}
		tc_alloc_fail_after(-1);
		assert_int_equal(table.count, expected);
		tc_strtab_clear(&table);
	}
}

static void the_last_one_is_found_again(void **state)
{
	struct tc_strtab table = TC_STRTAB_EMPTY;
	uint32_t last = TC_STRTAB_NONE;

	(void)state;
	for (uint32_t i = 0; i < 30; i++) {
		const char texts[][3] = {"a", "b", "b", "ab", ""};
		static const uint32_t numbers[] = {0, 1, 1, 2, 3};
		last = tc_strtab_intern_again(&table, tc_text_from(texts[i % 5]), last);
		assert_int_equal(last, numbers[i % 5]);
	}
	assert_int_equal(table.count, 4);
	tc_strtab_clear(&table);
}

/* The hash byte by byte. */
static uint64_t plain_hash(const unsigned char *bytes, size_t len)
{
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ len, word = 0;
	size_t i = 0;

	for (; i < len / 8 * 8; i++) {
		word |= (uint64_t)bytes[i] << i % 8 * 8;
		if (i % 8 == 7) {
			h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
			h ^= h >> 33;
			word = 0;
		}
	}
	for (; i < len; i++)
		word |= (uint64_t)bytes[i] << i % 8 * 8;
	h = (h ^ word) * UINT64_C(0xc4ceb9fe1a85ec53);
	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 29;
}

/* Stores depend on it: the same bytes hash alike on every machine and version. */
static void hash_is_fixed(void **state)
{
	(void)state;
	assert_true(tc_hash_bytes("", 0) == tc_hash_bytes(NULL, 0));
	assert_true(tc_hash_bytes("aten::item", 10) == UINT64_C(0x6be88d600bb069f3));
	assert_true(tc_hash_bytes("a\0", 2) != tc_hash_bytes("a", 1));
	for (size_t len = 0; len < 40; len++) {
		unsigned char *bytes = malloc(len + 1);
		assert_non_null(bytes);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (unsigned char)(255 - i * 37);
		assert_true(tc_hash_bytes((const char *)bytes, len) == plain_hash(bytes, len));
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_first_sight),
		cmocka_unit_test(agrees_with_a_list),
		cmocka_unit_test(texts_never_move),
		cmocka_unit_test(byte_limit_is_kept),
		cmocka_unit_test(survives_every_failed_allocation),
		cmocka_unit_test(the_last_one_is_found_again),
		cmocka_unit_test(hash_is_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
