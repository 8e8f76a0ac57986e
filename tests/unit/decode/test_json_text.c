/* Walking, copying and merging JSON text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/array.h"
#include "decode/json/json_text.h"

static void assert_text(struct tc_text text, const char *expected)
{
	if (!tc_text_equal(text, tc_text_from(expected)))
		fail_msg("got <%.*s>, expected <%s>", (int)text.len, text.ptr, expected);
}

/* The members of an object as "key=value/kind;". */
static void walk(struct tc_buf *out, const char *object)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, tc_text_from(object));
	while (tc_json_iter_next(&iter, &member)) {
		tc_buf_append_text(out, member.key);
		tc_buf_append_char(out, '=');
		tc_buf_append_text(out, member.value);
		tc_buf_format(out, "/%d;", (int)member.kind);
	}
}

static void test_iter(void **state)
{
	static const struct {
		const char *object, *expected;
	} cases[] = {
		{NULL, ""},
		{"", ""},
		{"{}", ""},
		{"[1,2]", ""},
		{"\"a\"", ""},
		{"{\"a\":1}", "a=1/2;"},
		{"{\"a\":null,\"b\":true,\"c\":\"x\",\"d\":{\"e\":1},\"f\":[1,2]}",
			"a=null/0;b=true/1;c=\"x\"/3;d={\"e\":1}/4;f=[1,2]/5;"},
		{" { \"a\" : -1.5e3 , \"b\" : false } ", "a=-1.5e3/2;b=false/1;"},
		{"{\"a\\\"b\":\"}\\\\\",\"\":\"{\\\"\"}", "a\\\"b=\"}\\\\\"/3;=\"{\\\"\"/3;"},
		{"{\"a\":{\"b\":\"]}\"},\"c\":[\"}\",[{}]]}",
			"a={\"b\":\"]}\"}/4;c=[\"}\",[{}]]/5;"},
		/* cut or broken: what came before stays, nothing is read outside */
		{"{\"a\":1,\"b", "a=1/2;"},
		{"{\"a\":1,\"b\"", "a=1/2;"},
		{"{\"a\":1,\"b\":", "a=1/2;"},
		{"{\"a\":1,\"b\":\"x\\", "a=1/2;"},
		{"{\"a\":1,\"b\":[1", "a=1/2;"},
		{"{\"a\":1,\"b\":{\"x", "a=1/2;"},
		{"{\"a\":1,b:2}", "a=1/2;"},
		{"{\"a\":}", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_buf out = TC_BUF_EMPTY;
		walk(&out, cases[i].object);
		assert_text(tc_buf_text(&out), cases[i].expected);
		tc_buf_clear(&out);
	}
}

static void test_value_length(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} cases[] = {{"", 0}, {"1,2", 1}, {"\"a\\\"b\" x", 6}, {"\"a", 0}, {"[1,[2]] ]", 7},
		{"{\"a\":\"}\"}}", 9}, {"[1", 0}, {",", 0}, {"true}", 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tc_json_value_length(tc_text_from(cases[i].text)), cases[i].len);
}

static void test_unescape(void **state)
{
	static const struct {
		const char *raw, *expected;
	} cases[] = {
		{"", ""},
		{"plain", "plain"},
		{"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
		{"a\\u0041\\u00e9\\u20AC\\ud83d\\ude00z",
			"aA\303\251\342\202\254\360\237\230\200z"},
		{"\\ud800x", "\357\277\275x"},
		{"\\ud800\\u0041", "\357\277\275A"},
		{"\\udc00", "\357\277\275"},
		{"\\ud800\\ud83d\\ude00", "\357\277\275\360\237\230\200"},
		{"\\u0000", "\357\277\275"},
		{"\\u12", "\357\277\27512"},
		{"end\\", "end"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_buf out = TC_BUF_EMPTY;
		tc_json_unescape(&out, tc_text_from(cases[i].raw));
		assert_text(tc_buf_text(&out), cases[i].expected);
		tc_buf_clear(&out);
	}
}

/* Every byte goes through a string and back. */
static void test_string_round_trip(void **state)
{
	struct tc_buf out = TC_BUF_EMPTY, back = TC_BUF_EMPTY;
	char all[255];

	(void)state;
	for (int i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	tc_json_append_string(&out, (struct tc_text){all, sizeof(all)});
	assert_int_equal(tc_json_value_length(tc_buf_text(&out)), out.len);
	for (size_t i = 0; i < out.len; i++)
		assert_true((unsigned char)out.ptr[i] >= 0x20);
	tc_json_unescape(&back, (struct tc_text){out.ptr + 1, out.len - 2});
	assert_int_equal(back.len, sizeof(all));
	assert_memory_equal(back.ptr, all, sizeof(all));
	tc_buf_reset(&out);
	tc_json_append_string(&out, TC_TEXT_NONE);
	assert_text(tc_buf_text(&out), "\"\"");
	tc_buf_clear(&out);
	tc_buf_clear(&back);
}

/* The obvious way: a byte at a time. */
static void compact_slowly(struct tc_buf *out, struct tc_text json)
{
	bool string = false;

	for (size_t i = 0; i < json.len; i++) {
		char c = json.ptr[i];
		if (string && c == '\\' && i + 1 < json.len) {
			tc_buf_append(out, &json.ptr[i++], 2);
			continue;
		}
		if (c == '"')
			string = !string;
		if (string || !strchr(" \t\r\n", c))
			tc_buf_append_char(out, c);
	}
}

/* Random texts of quotes, backslashes, blanks and letters against the slow way. */
static void test_compact(void **state)
{
	static const char letters[] =
		"\"\"\\ \n{}[]:,abcdefgh1"; /* no escape of them is "\/" or "\u" */
	uint64_t random = 1;
	char text[64];

	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct tc_buf fast = TC_BUF_EMPTY, slow = TC_BUF_EMPTY;
		size_t len = (size_t)(random >> 33) % sizeof(text);
		for (size_t i = 0; i < len; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
			text[i] = letters[(random >> 33) % (sizeof(letters) - 1)];
		}
		random += 12345;
		random *= UINT64_C(6364136223846793005);
		/* a copy of its own size, so that reading past it is seen */
		char *copy = tc_malloc(len);
		memcpy(copy, text, len);
		tc_json_compact(&fast, (struct tc_text){copy, len});
		compact_slowly(&slow, (struct tc_text){copy, len});
		assert_int_equal(fast.len, slow.len);
		assert_true(tc_text_equal(tc_buf_text(&fast), tc_buf_text(&slow)));
		tc_free(copy);
		tc_buf_clear(&fast);
		tc_buf_clear(&slow);
	}
}

/* A string however it is escaped has one compact form, that of its characters. */
static void test_compact_escapes(void **state)
{
	static const char *const parts[] = {"a", "\xc3\xa4", "\\\"", "\\\\", "\\/", "\\n",
		"\\u0041", "\\u00e4", "\\u0022", "\\u005C", "\\u002f", "\\u000a", "\\u0007",
		"\\u001F", "\\u0000", "\\u20AC", "\\ud83d\\ude00", "\\ud83d", "\\ude00",
		"0123456789abcdefghij"};
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		struct tc_buf raw = TC_BUF_EMPTY, text = TC_BUF_EMPTY, expected = TC_BUF_EMPTY;
		tc_buf_append_char(&raw, '"');
		for (int i = 0; i < round % 8; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
			tc_buf_append_string(&raw, parts[(random >> 33) % TC_COUNT_OF(parts)]);
		}
		tc_buf_append_char(&raw, '"');
		tc_json_unescape(&text, (struct tc_text){raw.ptr + 1, raw.len - 2});
		tc_json_append_string(&expected, tc_buf_text(&text));
		/* Room for what it was and no more, so that a longer form is seen. */
		char *copy = tc_malloc(raw.len);
		struct tc_text compact = {
			copy, (size_t)(tc_json_compact_to(copy, tc_buf_text(&raw)) - copy)};
		assert_text(compact, tc_buf_string(&expected));
		tc_free(copy);
		tc_buf_clear(&raw);
		tc_buf_clear(&text);
		tc_buf_clear(&expected);
	}
}

static void test_merge(void **state)
{
	static const struct {
		const char *b, *e, *expected;
		bool conflict;
	} cases[] = {
		{"{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}", false},
		{"{\"a\":1,\"b\":{\"x\":1},\"c\":3}", "{\"b\":[2],\"d\":4}",
			"{\"a\":1,\"b\":[2],\"c\":3,\"d\":4}", true},
		{"{\"x\":1}", "{\"x\":2}", "{\"x\":2}", true},
		{"{}", "{}", "{}", false},
		{"{}", "{\"a\":1}", "{\"a\":1}", false},
		{"{\"a\":1}", NULL, "{\"a\":1}", false},
		{NULL, "{\"a\":1}", "{\"a\":1}", false},
		{NULL, NULL, "", false},
		{"[1]", "{\"a\":1}", "{\"a\":1}", false},
		{"{\"a\":1}", "[1]", "{\"a\":1}", false},
		{"[1]", "[2]", "[2]", false},
		{"[1]", NULL, "[1]", false},
		{"{\"a\":1}", "{\"b\":1,\"b\":2}", "{\"a\":1,\"b\":2}", false},
		{"{\"a\":1,\"a\":2}", "{\"a\":3}", "{\"a\":3}", true},
		{"{\"a\":1,\"a\":2}", "{}", "{\"a\":2}", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_buf out = TC_BUF_EMPTY;
		bool conflict = !cases[i].conflict;
		tc_json_merge(&out, tc_text_from(cases[i].b), tc_text_from(cases[i].e), &conflict);
		assert_text(tc_buf_text(&out), cases[i].expected);
		assert_int_equal(conflict, cases[i].conflict);
		tc_buf_clear(&out);
	}
}

/* Many members on both sides, and every allocation failing once. */
static void test_merge_large(void **state)
{
	struct tc_buf b = TC_BUF_EMPTY, e = TC_BUF_EMPTY;
	enum { MEMBERS = 3000 };
	bool conflict;

	(void)state;
	for (int i = 0; i < MEMBERS; i++) {
		tc_buf_format(&b, "%c\"b%d\":%d", i ? ',' : '{', i, i);
		tc_buf_format(&e, "%c\"b%d\":%d", i ? ',' : '{', i + MEMBERS / 2, -i);
	}
	tc_buf_append_char(&b, '}');
	tc_buf_append_char(&e, '}');
	tc_alloc_fail_after(-1);
	for (int64_t n = -1, calls = 0; n < calls; n++) {
		struct tc_buf out = TC_BUF_EMPTY;
		tc_alloc_fail_after(n);
		tc_json_merge(&out, tc_buf_text(&b), tc_buf_text(&e), &conflict);
		int64_t made = tc_alloc_fail_after(-1);
		if (n >= 0) {
			assert_true(tc_buf_failed(&out));
		} else {
			struct tc_buf keys = TC_BUF_EMPTY;
			calls = made;
			assert_true(conflict);
			assert_false(tc_buf_failed(&out));
			walk(&keys, tc_buf_string(&out));
			int count = 0;
			for (size_t i = 0; i < keys.len; i++)
				count += keys.ptr[i] == ';';
			assert_int_equal(count, MEMBERS + MEMBERS / 2);
			tc_buf_clear(&keys);
		}
		tc_buf_clear(&out);
	}
	tc_buf_clear(&b);
	tc_buf_clear(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iter),
		cmocka_unit_test(test_value_length),
		cmocka_unit_test(test_unescape),
		cmocka_unit_test(test_string_round_trip),
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_compact_escapes),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
