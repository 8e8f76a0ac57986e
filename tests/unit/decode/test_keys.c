/* The tables of keys: each is found, and nothing that is only like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "decode/keys.h"

static const char *const arg_names[] = {
#define TC_ARG(id, key) [TC_ARG_##id] = (key),
#include "decode/args.def"
#undef TC_ARG
};

static struct tc_keys keys;

static int known_arg(const char *key, size_t len)
{
	for (int arg = 0; arg < TC_ARG_COUNT; arg++) {
		if (strlen(arg_names[arg]) == len && memcmp(arg_names[arg], key, len) == 0)
			return arg;
	}
	return -1;
}

/* Looks it up where it ends the memory that may be read, and with other bytes behind it. */
static void expect_arg(const char *key, size_t len, int wanted)
{
	char bytes[40];

	memset(bytes, '"', sizeof(bytes));
	memcpy(bytes, key, len);
	assert_int_equal(tc_keys_arg(&keys, bytes, len, bytes + len), wanted);
	assert_int_equal(tc_keys_arg(&keys, bytes, len, bytes + sizeof(bytes)), wanted);
}

static void args_are_found_and_nothing_like_them(void **state)
{
	(void)state;
	for (int arg = 0; arg < TC_ARG_COUNT; arg++) {
		char text[40] = {0};
		size_t len = strlen(arg_names[arg]);
		strcpy(text, arg_names[arg]);
		expect_arg(text, len, arg);
		expect_arg(text, len + 1, -1);
		expect_arg(text, len - 1, known_arg(text, len - 1));
		for (size_t at = 0; at < len; at++) {
			text[at] ^= 0x20;
			expect_arg(text, len, known_arg(text, len));
			text[at] ^= 0x20;
		}
	}
	expect_arg("", 0, -1);
	expect_arg("a key that is longer than any of ours", 37, -1);
}

static int field_of(const char *key)
{
	return tc_keys_field(&keys, key, strlen(key), key + strlen(key));
}

static void fields_are_found(void **state)
{
	(void)state;
	assert_int_equal(field_of("ph"), TC_FIELD_PH);
	assert_int_equal(field_of("s"), TC_FIELD_S);
	assert_int_equal(field_of("flow_in"), TC_FIELD_FLOW_IN);
	assert_int_equal(field_of("flow_out"), TC_FIELD_FLOW_OUT);
	assert_int_equal(field_of("traceEvents"), TC_FIELD_TRACE_EVENTS);
	assert_int_equal(field_of("traceEventz"), -1);
	assert_int_equal(field_of("xraceEvents"), -1);
	assert_int_equal(field_of("bytes"), -1);
	assert_int_equal(field_of(""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(args_are_found_and_nothing_like_them),
		cmocka_unit_test(fields_are_found),
	};

	tc_keys_init(&keys);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
