/* The decoder on damaged input: what is mended, what is dropped, what the log says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/limits.h"
#include "decode_cases.h"

static const struct decode_case cases[] = {
	{"array without end", TC_TEXT_INIT("[{\"ph\":\"B\"}"),
		TC_TEXT_INIT("E 1 B\n"
			     "L unterminated 11 1\n")},
	{"array that ends with a comma", TC_TEXT_INIT("[{\"ph\":\"B\"},\n"),
		TC_TEXT_INIT("E 1 B\n"
			     "L unterminated 13 1\n")},
	{"array that has just begun", TC_TEXT_INIT("["), TC_TEXT_INIT("L unterminated 1 1\n")},
	{"list without end", TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"},"),
		TC_TEXT_INIT("E 16 B\n"
			     "L truncated 27 0\n")},
	{"object without end", TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"}]"),
		TC_TEXT_INIT("E 16 B\n"
			     "L truncated 27 0\n")},
	{"cut in metadata",
		TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"}],\"a\":1,\"distributedInfo\":{\"ra"),
		TC_TEXT_INIT("E 16 B\n"
			     "M a=1\n"
			     "L truncated 33 23\n")},
	{"cut before the list", TC_TEXT_INIT("{\"a\":1,\"b\":\"x"),
		TC_TEXT_INIT("M a=1\n"
			     "L truncated 6 7\n")},
	{"cut in an event", TC_TEXT_INIT("[{\"ph\":\"B\"},{\"ph\":\"E\",\"na"),
		TC_TEXT_INIT("E 1 B\n"
			     "L truncated 12 13\n")},
	{"cut in a number", TC_TEXT_INIT("[{\"ph\":\"B\"},{\"ph\":\"E\",\"ts\":12"),
		TC_TEXT_INIT("E 1 B\n"
			     "L truncated 12 17\n")},
	{"cut in a line",
		TC_TEXT_INIT("{\"ph\":\"B\"}\n"
			     "{\"ph\":\"E\",\"ts\""),
		TC_TEXT_INIT("E 0 B\n"
			     "L truncated 11 14\n")},
	{"cut after a damaged event", TC_TEXT_INIT("[{\"ph\":\"B\",\"x\":NaN,\"y\":[1"),
		TC_TEXT_INIT("L truncated 1 24\n")},
	{"trailing comma", TC_TEXT_INIT("[{\"ph\":\"B\"},]"),
		TC_TEXT_INIT("E 1 B\n"
			     "L trailing_comma 11 1\n")},
	{"trailing comma, object",
		TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"} , \n"
			     "],\"a\":1,}"),
		TC_TEXT_INIT("E 16 B\n"
			     "L trailing_comma 27 1\n"
			     "M a=1\n"
			     "L trailing_comma 37 1\n")},
	{"trailing commas inside",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"args\":{\"a\":1,},},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("L trailing_comma 24 2\n"
			     "E 1 B args={\"a\":1}\n"
			     "E 29 E\n")},
	{"missing comma",
		TC_TEXT_INIT("[{\"ph\":\"B\"}\n"
			     "{\"ph\":\"E\"} {\"ph\":\"i\"}]"),
		TC_TEXT_INIT("E 1 B\n"
			     "L missing_comma 12 1\n"
			     "E 12 E\n"
			     "L missing_comma 23 1\n"
			     "E 23 i\n")},
	{"missing commas inside",
		TC_TEXT_INIT("[{\"ph\":\"B\" \"ts\":1 \"args\":{\"a\":1 \"b\":2}}]"),
		TC_TEXT_INIT("L missing_comma 11 3\n"
			     "E 1 B ts=1000 args={\"a\":1,\"b\":2}\n")},
	{"two commas", TC_TEXT_INIT("[{\"ph\":\"B\"},,{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("E 1 B\n"
			     "E 13 E\n")},
	{"comma first", TC_TEXT_INIT("[,{\"ph\":\"B\"}]"), TC_TEXT_INIT("E 2 B\n")},
	{"bare numbers",
		TC_TEXT_INIT("[{\"ph\":\"C\",\"args\":{\"a\":NaN,\"b\":Infinity,\"c\":-Infinity,"
			     "\"d\":nan,\"e\":inf,\"f\":-inf,\"g\":-nan}}]"),
		TC_TEXT_INIT("L bare_nan 23 7\n"
			     "E 1 C args={\"a\":null,\"b\":null,\"c\":null,\"d\":null,\"e\":null,"
			     "\"f\":null,\"g\":null}\n")},
	{"bare NaN as ts",
		TC_TEXT_INIT(
			"[{\"ph\":\"X\",\"ts\":NaN,\"dur\":1},{\"ph\":\"X\",\"ts\":1,\"dur\":nan}"
			"]"),
		TC_TEXT_INIT("L bare_nan 16 1\n"
			     "E 1 X dur=1000\n"
			     "L bare_nan 52 1\n"
			     "E 29 X ts=1000\n")},
	{"bare NaN as element", TC_TEXT_INIT("[NaN,{\"ph\":\"B\"},inf]"),
		TC_TEXT_INIT("L not_an_event 1 1\n"
			     "E 5 B\n"
			     "L not_an_event 16 1\n")},
	{"odd numbers",
		TC_TEXT_INIT(
			"[{\"ph\":\"X\",\"ts\":+5,\"dur\":.5},{\"ph\":\"X\",\"ts\":05,\"dur\":1.}"
			"]"),
		TC_TEXT_INIT("E 1 X ts=5000 dur=500\n"
			     "E 29 X ts=5000 dur=1000\n")},
	{"no value", TC_TEXT_INIT("[{\"ph\":\"X\",\"ts\":,\"dur\":}]"),
		TC_TEXT_INIT("L bare_nan 16 2\n"
			     "E 1 X\n")},
	{"control characters",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"a\011b\n"
			     "c\001\",\"args\":{\"x\":\"\015\"}},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("L control_character 20 4\n"
			     "E 1 B name=a\011b\n"
			     "c\001 args={\"x\":\"\\r\"}\n"
			     "E 45 E\n")},
	{"NUL in a string", TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"a\000b\"}]"),
		TC_TEXT_INIT("L control_character 20 1\n"
			     "E 1 B name=a\357\277\275b\n")},
	{"bad UTF-8",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"a\377\303b\",\"args\":{\"\200\":"
			     "\"\355\240\200\364\220\200\200\300\257\"}"
			     "},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("L invalid_utf8 20 12\n"
			     "E 1 B name=a\357\277\275\357\277\275b "
			     "args={\"\357\277\275\":"
			     "\"\357\277\275\357\277\275\357\277\275\357\277\275\357\277\275\357"
			     "\277\275\357\277\275\357\277\275\357\277\275\"}"
			     "\n"
			     "E 51 E\n")},
	{"lone surrogates",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"\\ud800x\",\"args\":{\"a\":"
			     "\"\\udc00\\ud83d\\ude00\"}"
			     "},{\"ph\":\"E\",\"name\":\"\\ud83d\\u0041\"}]"),
		TC_TEXT_INIT(
			"L invalid_utf8 19 2\n"
			"E 1 B name=\357\277\275x args={\"a\":\"\357\277\275\360\237\230\200\"}\n"
			"L invalid_utf8 81 1\n"
			"E 63 E name=\357\277\275A\n")},
	{"bad UTF-8 in metadata",
		TC_TEXT_INIT("{\"a\":\"\377\",\"b\377\":\"\\ud800\",\"traceEvents\":[{\"ph\":\"B\"}"
			     "],\"c\":\"\377\"}"),
		TC_TEXT_INIT("M a=\"\357\277\275\"\n"
			     "M b\357\277\275=\"\357\277\275\"\n"
			     "E 38 B\n"
			     "M c=\"\357\277\275\"\n")},
	{"bad escapes", TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"it\\'s \\x41 \\u12 \\\"q\\\"\"}]"),
		TC_TEXT_INIT("L bad_escape 21 3\n"
			     "E 1 B name=it\\'s \\x41 \\u12 \"q\"\n")},
	{"unescaped quotes",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"say \"hi\" now\",\"ts\":1},{\"ph\":\"E\","
			     "\"name\":\"a \"b\"}]"),
		TC_TEXT_INIT("L unescaped_quote 23 2\n"
			     "E 1 B ts=1000 name=say \"hi\" now\n"
			     "L unescaped_quote 61 1\n"
			     "E 41 E name=a \"b\n")},
	{"unescaped quotes, commas and braces",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"{\"device\": \"cpu\", \"type\": \"f\"}(1): "
			     "run\",\"pid\":1},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("L unescaped_quote 20 8\n"
			     "E 1 B pid=I1 name={\"device\": \"cpu\", \"type\": \"f\"}(1): run\n"
			     "E 68 E\n")},
	{"unescaped quotes in args",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"args\":{\"cmd\":\"run \"x\", "
			     "\"y\"\",\"n\":1}},{\"ph\":\"E\"}"
			     "]"),
		TC_TEXT_INIT("L unescaped_quote 30 4\n"
			     "E 1 B args={\"cmd\":\"run \\\"x\\\", \\\"y\\\"\",\"n\":1}\n"
			     "E 48 E\n")},
	{"missing quote", TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"abc,\"ts\":1},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("L damaged_event 1 30\n"
			     "E 31 E\n")},
	{"torn event",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"name\":\"ab\n"
			     "{\"ph\":\"E\",\"ts\":1},{\"ph\":\"i\"}]"),
		TC_TEXT_INIT("L damaged_event 1 21\n"
			     "E 22 E ts=1000\n"
			     "E 40 i\n")},
	{"torn event, same line",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"ts\":{\"ph\":\"E\",\"ts\":1},{\"ph\":\"i\"}]"),
		TC_TEXT_INIT("L damaged_event 1 15\n"
			     "E 16 E ts=1000\n"
			     "E 34 i\n")},
	{"garbage between events", TC_TEXT_INIT("[{\"ph\":\"B\"},@@@ #,{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("E 1 B\n"
			     "L damaged_event 12 6\n"
			     "E 18 E\n")},
	{"NULs between events",
		TC_TEXT_INIT("[{\"ph\":\"B\"},\000\000\000\000\000\000\000\000\000{\"ph\":\"E\"}"
			     "]"),
		TC_TEXT_INIT("E 1 B\n"
			     "L damaged_event 12 9\n"
			     "E 21 E\n")},
	{"stray bracket", TC_TEXT_INIT("[{\"ph\":\"B\"}},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("E 1 B\n"
			     "L damaged_event 11 2\n"
			     "E 13 E\n")},
	{"garbage to the end", TC_TEXT_INIT("[{\"ph\":\"B\"},@@@"),
		TC_TEXT_INIT("E 1 B\n"
			     "L damaged_event 12 3\n"
			     "L unterminated 15 1\n")},
	{"starts in an event",
		TC_TEXT_INIT("\"dur\":5,\"args\":{\"name\":\"x\"}},\n"
			     "{\"ph\":\"B\",\"ts\":1},{\"ph\":\"E\"}],\"a\":1}"),
		TC_TEXT_INIT("L starts_midway 0 30\n"
			     "E 30 B ts=1000\n"
			     "E 48 E\n"
			     "M a=1\n")},
	{"starts in an event of an array",
		TC_TEXT_INIT("5,\"args\":{\"name\":\"x\"}},{\"ph\":\"B\",\"ts\":1},{\"ph\":\"E\"}"
			     "]"),
		TC_TEXT_INIT("L starts_midway 0 23\n"
			     "E 23 B ts=1000\n"
			     "E 41 E\n")},
	{"starts in a string, never ends",
		TC_TEXT_INIT("abc\",\"x\":1},{\"name\":\"n\",\"ph\":\"B\"},{\"ph\":\"E\"},"),
		TC_TEXT_INIT("L starts_midway 0 12\n"
			     "E 12 B name=n\n"
			     "E 34 E\n"
			     "L unterminated 45 1\n")},
	{"starts between events", TC_TEXT_INIT(",{\"ph\":\"B\"},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("E 1 B\n"
			     "L starts_midway 0 0\n"
			     "E 12 E\n")},
	{"events and commas without brackets",
		TC_TEXT_INIT("{\"ph\":\"B\"},\n"
			     "{\"ph\":\"E\"},\n"),
		TC_TEXT_INIT("E 0 B\n"
			     "L starts_midway 0 0\n"
			     "E 12 E\n"
			     "L unterminated 24 1\n")},
	{"lines, one damaged",
		TC_TEXT_INIT("{\"ph\":\"B\"}\n"
			     "{\"ph\":\"E\",\"ts\":NaN}\n"
			     "@@\n"
			     "{\"ph\":\"i\"}\n"),
		TC_TEXT_INIT("E 0 B\n"
			     "L bare_nan 26 1\n"
			     "E 11 E\n"
			     "L damaged_event 31 3\n"
			     "E 34 i\n")},
	{"lines, one torn",
		TC_TEXT_INIT("{\"ph\":\"B\"}\n"
			     "{\"ph\":\"E\",\"na\n"
			     "{\"ph\":\"i\"}\n"),
		TC_TEXT_INIT("E 0 B\n"
			     "L damaged_event 11 14\n"
			     "E 25 i\n")},
	{"garbage after", TC_TEXT_INIT("[{\"ph\":\"B\"}] trailing words"),
		TC_TEXT_INIT("E 1 B\n"
			     "L trailing_garbage 13 14\n")},
	{"brackets after", TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"}]}]}"),
		TC_TEXT_INIT("E 16 B\n"
			     "L trailing_garbage 28 2\n")},
	{"garbage before", TC_TEXT_INIT("<html>{\"traceEvents\":[{\"ph\":\"B\"}],\"a\":1}"),
		TC_TEXT_INIT("L starts_midway 0 22\n"
			     "E 22 B\n"
			     "M a=1\n")},
	{"no trace", TC_TEXT_INIT("hello, world"), TC_TEXT_INIT("L trailing_garbage 0 12\n")},
	{"no trace but JSON", TC_TEXT_INIT("\"just a string\""),
		TC_TEXT_INIT("L trailing_garbage 0 15\n")},
	{"random bytes", TC_TEXT_INIT("\234\377\000{\"\023[\200,}"),
		TC_TEXT_INIT("L trailing_garbage 0 10\n")},
	{"NaN in metadata",
		TC_TEXT_INIT("{\"a\":1,\"info\":{\"x\":NaN,\"y\":[inf,]},\"b\":2,\"traceEvents\":[{"
			     "\"ph\":\"B\"}"
			     "],\"c\":-Infinity,\"d\":3}"),
		TC_TEXT_INIT("M a=1\n"
			     "L trailing_comma 31 1\n"
			     "L bare_nan 19 2\n"
			     "M info={\"x\":null,\"y\":[null]}\n"
			     "M b=2\n"
			     "E 56 B\n"
			     "L bare_nan 72 1\n"
			     "M c=null\n"
			     "M d=3\n")},
	{"bad escape in metadata",
		TC_TEXT_INIT(
			"{\"traceEvents\":[{\"ph\":\"B\"}],\"cmd\":\"print(\\'x\\')\",\"d\":3}"),
		TC_TEXT_INIT("E 16 B\n"
			     "L bad_escape 41 2\n"
			     "M cmd=\"print(\\\\'x\\\\')\"\n"
			     "M d=3\n")},
	{"broken metadata",
		TC_TEXT_INIT("{\"a\":{\"x\" 1},\"traceEvents\":[{\"ph\":\"B\"}],\"c\":1}"),
		TC_TEXT_INIT("L damaged_event 5 7\n"
			     "E 28 B\n"
			     "M c=1\n")},
	{"broken metadata after",
		TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"}],\"a\":{\"x\" 1},\"c\":1}"),
		TC_TEXT_INIT("E 16 B\n"
			     "L damaged_event 32 7\n"
			     "M c=1\n")},
	{"mismatched brackets", TC_TEXT_INIT("[{\"ph\":\"B\",\"args\":{\"a\":[1}},{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("L damaged_event 1 27\n"
			     "E 28 E\n")},
	{"brace missing in metadata",
		TC_TEXT_INIT("{\"metadata\":{\"args\":{\"a\":1},\"traceEvents\":[{\"ph\":\"B\"}]"
			     ",\"c\":1}"),
		TC_TEXT_INIT("L damaged_event 12 31\n"
			     "E 43 B\n"
			     "M c=1\n")},
	{"odd blanks",
		TC_TEXT_INIT("{\"a\"\013:\014\"\\ud800\",\014\"traceEvents\":[\013{\"ph\":\"B\"}"
			     "\014,@,{\"ph\":\"E\"}]}"),
		TC_TEXT_INIT("M a=\"\357\277\275\"\n"
			     "E 33 B\n"
			     "L damaged_event 45 2\n"
			     "E 47 E\n")},
	{"lone surrogate in a key",
		TC_TEXT_INIT("[{\"ph\":\"B\",\"args\":{\"\\ud83d\\ue0d0\":2}},{\"\\udc00\":1,"
			     "\"ph\":\"E\"}"
			     "]"),
		TC_TEXT_INIT("L invalid_utf8 20 1\n"
			     "E 1 B args={\"\357\277\275\356\203\220\":2}\n"
			     "L invalid_utf8 40 1\n"
			     "E 38 E\n")},
	{"unescaped quote around an object",
		TC_TEXT_INIT(
			"[{\"ph\":\"B\",\"name\":\"run {\"name\": 1} x\",\"ts\":1},{\"ph\":\"E\"}"
			"]"),
		TC_TEXT_INIT("L unescaped_quote 24 2\n"
			     "E 1 B ts=1000 name=run {\"name\": 1} x\n"
			     "E 46 E\n")},
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
}

/* An event torn after any byte, the next one right behind it: only the torn one may go. */
static void test_torn_anywhere(void **state)
{
	static const char torn[] =
		"{\"ph\":\"X\",\"name\":\"k\",\"pid\":1,\"ts\":111,\"args\":{\"x\":1}}";
	static const char *const gaps[] = {"", "\n", ",\n"};

	(void)state;
	for (size_t cut = 1; cut < sizeof(torn) - 1; cut++) {
		for (size_t gap = 0; gap < 3; gap++) {
			struct tc_buf text = TC_BUF_EMPTY;
			struct decode_dump dump = {0};
			tc_buf_format(&text,
				"[{\"ph\":\"i\",\"ts\":7},%.*s%s{\"ph\":\"B\",\"name\":\"good\","
				"\"ts\":222},"
				"{\"ph\":\"E\",\"ts\":9}]",
				(int)cut, torn, gaps[gap]);
			dump_decode(&dump, finished(&text), 11);
			const char *out = tc_buf_string(&dump.text);
			assert_non_null(strstr(out, "i ts=7000"));
			assert_non_null(strstr(out, "B ts=222000 name=good"));
			assert_non_null(strstr(out, "E ts=9000"));
			assert_int_equal(dump.event_count, 3);
			assert_true(dump.log_count[TC_LOG_DAMAGED_EVENT] == 1);
			dump_clear(&dump);
			tc_buf_clear(&text);
		}
	}
}

/* Any bytes of two events are a hole, as a source leaves one: what it touches goes, and nothing is
 * made of the pieces on both sides. */
static void test_hole_anywhere(void **state)
{
	static const char first[] =
		"{\"ph\":\"X\",\"name\":\"k\",\"pid\":1,\"ts\":111,\"args\":{\"x\":1}}";
	static const char second[] = ",{\"ph\":\"B\",\"name\":\"good\",\"ts\":222}";
	static const char hole[TC_HOLE_BYTES];
	const size_t first_len = sizeof(first) - 1, len = first_len + sizeof(second) - 1;

	(void)state;
	for (size_t from = 1; from < first_len; from++) {
		for (size_t to = from; to < len; to++) {
			struct tc_buf text = TC_BUF_EMPTY, both = TC_BUF_EMPTY;
			struct decode_dump dump = {0};
			bool leaves_second = to <= first_len + 1;
			tc_buf_format(&both, "%s%s", first, second);
			tc_buf_format(&text, "[{\"ph\":\"i\",\"ts\":7},%.*s", (int)from, both.ptr);
			tc_buf_append(&text, hole, sizeof(hole));
			tc_buf_format(&text, "%.*s,{\"ph\":\"E\",\"ts\":9}]", (int)(len - to),
				both.ptr + to);
			dump_decode(&dump, finished(&text), 11);
			const char *out = tc_buf_string(&dump.text);
			assert_non_null(strstr(out, "i ts=7000"));
			assert_non_null(strstr(out, "E ts=9000"));
			assert_true(!leaves_second || strstr(out, "B ts=222000 name=good"));
			assert_int_equal(dump.event_count, leaves_second ? 3 : 2);
			dump_clear(&dump);
			tc_buf_clear(&text);
			tc_buf_clear(&both);
		}
	}
}

/* Each of many events needs mending: all are there, and it does not take long. */
static void test_all_damaged(void **state)
{
	static const struct {
		const char *format;
		enum tc_log_kind kind;
	} kinds[] = {
		{"{\"ph\":\"X\",\"ts\":%d,\"dur\":1,\"args\":{\"x\":NaN}},\n", TC_LOG_BARE_NAN},
		{"{\"ph\":\"X\",\"ts\":%d,\"dur\":1,\"name\":\"a\xff\"},\n", TC_LOG_INVALID_UTF8},
		{"{\"ph\":\"X\",\"ts\":%d,\"dur\":1,\"name\":\"a\"b\"c\"},\n",
			TC_LOG_UNESCAPED_QUOTE},
		{"{\"ph\":\"X\",\"ts\":%d,\"dur\":1}\n", TC_LOG_MISSING_COMMA},
		{"{\"ph\":\"X\",\"ts\":%d,\"dur\":1,},", TC_LOG_TRAILING_COMMA},
	};
	enum { EVENTS = 100000 };

	(void)state;
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		struct tc_buf text = TC_BUF_EMPTY;
		struct decode_dump dump = {0};
		tc_buf_append_char(&text, '[');
		for (int i = 0; i < EVENTS; i++)
			tc_buf_format(&text, kinds[kind].format, i);
		dump_decode(&dump, finished(&text), 65536);
		assert_int_equal(dump.event_count, EVENTS);
		int first = kinds[kind].kind == TC_LOG_MISSING_COMMA;
		assert_int_equal(dump.log_count[kinds[kind].kind], EVENTS - first);
		dump_clear(&dump);
		tc_buf_clear(&text);
	}
}

/* What would be endless without limits. */
static void test_bounded(void **state)
{
	static const char *const parts[][2] = {
		{"", "["},
		{"", "{\"a\":"},
		{"", "[{\"a\":"},
		{"\"", "aaaaaaaa"},
		{"[\"", "aaaaaaaa"},
		{"[{\"ph\":\"", "aaaaaaaa"},
		{"{\"m\":\"", "aaaaaaaa"},
		{"{\"traceEvents\":[],\"", "aaaaaaaa"},
		{"[", ",  ,,"},
		{"[", "{"},
		{"[{\"ph\":NaN,\"x\":\"", "\\\\\\\\"},
		{"[{\"name\":\"x\"y", "\" , "},
		{"[", "{\"ph\":\"X\","},
		{"[", "{\"ph\"x"},
		{"[", ":{\"ph\":"},
		{"]", "]}"},
		{"[{\"ph\":\"X\",\"args\":{", "\"a\":[1],"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct tc_buf text = TC_BUF_EMPTY;
		struct decode_dump dump = {0};
		tc_buf_append_string(&text, parts[i][0]);
		while (text.len < 3 * TC_EVENT_MAX_BYTES)
			tc_buf_append_string(&text, parts[i][1]);
		dump_decode(&dump, finished(&text), TC_CHUNK_BYTES);
		assert_int_equal(dump.status, TC_OK);
		assert_int_equal(dump.event_count, 0);
		assert_true(dump.text.len > 0);
		dump_clear(&dump);
		tc_buf_clear(&text);
	}
}

/* The source says that its end is a cut: an open array is then no habit of the writer. */
static void test_source_cut(void **state)
{
	static const struct {
		const char *text;
		int truncated;
	} ends[] = {{"[{\"ph\":\"B\"},", 1}, {"[{\"ph\":\"B\"}]", 0}, {"[{\"ph\":\"B\"},{\"p", 1}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct decode_dump dump = {0};
		struct tc_decode_sink sink = {&dump, dump_event, dump_meta, dump_log};
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_decoder *decoder = NULL;
		assert_int_equal(tc_decoder_new(&decoder, ctx, &sink), TC_OK);
		tc_decoder_feed(decoder, ends[i].text, strlen(ends[i].text));
		assert_int_equal(tc_decoder_finish(decoder, true), TC_OK);
		assert_int_equal(tc_decoder_finish(decoder, true), TC_OK);
		assert_int_equal(dump.event_count, 1);
		assert_int_equal(dump.log_count[TC_LOG_TRUNCATED], ends[i].truncated);
		assert_int_equal(dump.log_count[TC_LOG_UNTERMINATED], 0);
		tc_decoder_free(decoder);
		tc_ctx_free(ctx);
		dump_clear(&dump);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_torn_anywhere),
		cmocka_unit_test(test_hole_anywhere),
		cmocka_unit_test(test_all_damaged),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_source_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
