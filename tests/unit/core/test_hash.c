/* XXH64 against published values, and in pieces against at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "core/hash.h"

static void it_is_xxh64(void **state)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} cases[] = {
		{"", UINT64_C(0xEF46DB3751D8E999)},
		{"a", UINT64_C(0xD24EC4F1A98C6E5B)},
		{"abc", UINT64_C(0x44BC2CF5AD770999)},
		{"Call me Ishmael. Some years ago--never mind how long precisely-",
			UINT64_C(0x02A2E85470D6FD96)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(tc_hash_of(cases[i].text, strlen(cases[i].text)) == cases[i].hash);
}

static void pieces_give_the_same(void **state)
{
	unsigned char bytes[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		for (size_t piece = 1; piece < 70; piece += 3) {
			struct tc_hash hash;

			tc_hash_init(&hash);
			for (size_t at = 0; at < len; at += piece)
				tc_hash_add(&hash, bytes + at, len - at < piece ? len - at : piece);
			assert_true(tc_hash_value(&hash) == tc_hash_of(bytes, len));
		}
	}
}

static void texts_are_kept_apart(void **state)
{
	struct tc_hash a, b;

	(void)state;
	tc_hash_init(&a);
	tc_hash_init(&b);
	tc_hash_add_string(&a, "ab");
	tc_hash_add_string(&a, "c");
	tc_hash_add_string(&b, "a");
	tc_hash_add_string(&b, "bc");
	assert_true(tc_hash_value(&a) != tc_hash_value(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_xxh64),
		cmocka_unit_test(pieces_give_the_same),
		cmocka_unit_test(texts_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
