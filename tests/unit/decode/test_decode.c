/* The decoder on well-formed input: forms, fields, scalars, args, metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/limits.h"
#include "decode_cases.h"

static const struct decode_case cases[] = {
	{"nothing", TC_TEXT_INIT(""), TC_TEXT_INIT("")},
	{"blanks only",
		TC_TEXT_INIT(" \n"
			     "\011 "),
		TC_TEXT_INIT("")},
	{"empty array", TC_TEXT_INIT("[]"), TC_TEXT_INIT("")},
	{"empty list", TC_TEXT_INIT("{\"traceEvents\":[]}"), TC_TEXT_INIT("")},
	{"bare array",
		TC_TEXT_INIT(
			"[{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":3,"
			"\"dur\":4}]"),
		TC_TEXT_INIT("E 1 X ts=3000 dur=4000 pid=I1 tid=I2 name=a cat=c\n")},
	{"object, members around",
		TC_TEXT_INIT("{\"schemaVersion\": 1, \"traceEvents\": [ {\"ph\":\"B\",\"ts\":5} "
			     "], \"displayTimeUnit\": \"ms\"}"),
		TC_TEXT_INIT("M schemaVersion=1\n"
			     "E 38 B ts=5000\n"
			     "M displayTimeUnit=\"ms\"\n")},
	{"nested metadata",
		TC_TEXT_INIT("{\"deviceProperties\":[{\"id\": 0, \"name\": "
			     "\"HL-325\"}],\"distributedInfo\":{\"rank\": "
			     "0},\"systemTraceEvents\":\"a\\nb\",\"traceEvents\":[],\"n\":null,"
			     "\"t\":true,"
			     "\"f\":-1.5e3}"),
		TC_TEXT_INIT("M deviceProperties=[{\"id\":0,\"name\":\"HL-325\"}]\n"
			     "M distributedInfo={\"rank\":0}\n"
			     "M systemTraceEvents=\"a\\nb\"\n"
			     "M n=null\n"
			     "M t=true\n"
			     "M f=-1.5e3\n")},
	{"metadata only", TC_TEXT_INIT("{\"a\":{\"b\":[1, 2]}}"),
		TC_TEXT_INIT("M a={\"b\":[1,2]}\n")},
	{"two lists in one object",
		TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"}],\"traceEvents\":[{\"ph\":\"E\"}]"
			     "}"),
		TC_TEXT_INIT("E 16 B\n"
			     "E 43 E\n")},
	{"traceEvents that is no list", TC_TEXT_INIT("{\"traceEvents\":{\"a\":1},\"x\":2}"),
		TC_TEXT_INIT("M traceEvents={\"a\":1}\n"
			     "M x=2\n")},
	{"escaped key", TC_TEXT_INIT("{\"trace\\u0045vents\":[{\"ph\":\"B\"}],\"a\\\"b\":1}"),
		TC_TEXT_INIT("E 21 B\n"
			     "M a\"b=1\n")},
	{"JSON lines",
		TC_TEXT_INIT("{\"ph\":\"B\",\"name\":\"a\"}\n"
			     "{\"ph\":\"E\"}\n"
			     "\n"
			     "  {\"ph\":\"i\",\"s\":\"t\"}\n"),
		TC_TEXT_INIT("E 0 B name=a\n"
			     "E 22 E\n"
			     "E 36 i s=t\n")},
	{"values without space", TC_TEXT_INIT("{\"ph\":\"B\"}{\"ph\":\"E\"}"),
		TC_TEXT_INIT("E 0 B\n"
			     "E 10 E\n")},
	{"one event", TC_TEXT_INIT("{\"name\":\"a\",\"ph\":\"B\"}"),
		TC_TEXT_INIT("E 0 B name=a\n")},
	{"two arrays",
		TC_TEXT_INIT("[{\"ph\":\"B\"}]\n"
			     "[{\"ph\":\"E\"}]"),
		TC_TEXT_INIT("E 1 B\n"
			     "L concatenated 13 1\n"
			     "E 14 E\n")},
	{"two objects",
		TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"}]}\n"
			     "{\"a\":1,\"traceEvents\":[{\"ph\":\"E\"}]}"),
		TC_TEXT_INIT("E 16 B\n"
			     "L concatenated 29 1\n"
			     "M a=1\n"
			     "E 51 E\n")},
	{"array after object", TC_TEXT_INIT("{\"traceEvents\":[{\"ph\":\"B\"}]}[]"),
		TC_TEXT_INIT("E 16 B\n"
			     "L concatenated 28 1\n")},
	{"phase by first letter",
		TC_TEXT_INIT(
			"[{\"ph\":\"XXX\"},{\"ph\":\"\"},{\"ph\":null},{\"ph\":7},{\"name\":\"x\"}"
			"]"),
		TC_TEXT_INIT("E 1 X\n"
			     "L no_phase 14 1\n"
			     "L no_phase 24 1\n"
			     "L no_phase 36 1\n"
			     "L no_phase 45 1\n")},
	{"times",
		TC_TEXT_INIT(
			"[{\"ph\":\"X\",\"ts\":5.1,\"dur\":500.1},{\"ph\":\"X\",\"ts\":\"200.5\","
			"\"dur\":\" 50 \"},{\"ph\":\"X\",\"ts\":1.5e3,\"dur\":1E-3},{\"ph\":\"X\","
			"\"ts\":1712167200123456.789,\"dur\":0.0004999},{\"ph\":\"X\",\"ts\":-1,"
			"\"dur\":-0.0005}]"),
		TC_TEXT_INIT("E 1 X ts=5100 dur=500100\n"
			     "E 33 X ts=200500 dur=50000\n"
			     "E 70 X ts=1500000 dur=1\n"
			     "E 103 X ts=1712167200123456789 dur=0\n"
			     "E 156 X ts=-1000 dur=-1\n")},
	{"bad times",
		TC_TEXT_INIT(
			"[{\"ph\":\"X\",\"ts\":\"100a\",\"dur\":\"\"},{\"ph\":\"X\",\"ts\":true,"
			"\"dur\":[1]},{\"ph\":\"X\",\"ts\":1e300,\"dur\":{\"a\":1}},{\"ph\":\"X\","
			"\"ts\":null,\"dur\":null}]"),
		TC_TEXT_INIT("E 1 X ts=BAD dur=BAD\n"
			     "E 33 X ts=BAD dur=BAD\n"
			     "E 64 X ts=BAD dur=BAD\n"
			     "E 100 X\n")},
	{"pid and tid",
		TC_TEXT_INIT(
			"[{\"ph\":\"B\",\"pid\":15514734831341844875,\"tid\":-5},{\"ph\":\"B\","
			"\"pid\":\"Spans\",\"tid\":\"stream 7\"},{\"ph\":\"B\",\"pid\":1.5,"
			"\"tid\":9223372036854775807},{\"ph\":\"B\",\"pid\":true,\"tid\":null}"
			",{\"ph\":\"B\",\"pid\":[1, 2],\"tid\":{\"a\": "
			"1}},{\"ph\":\"B\",\"pid\":\"\","
			"\"tid\":-9223372036854775808}]"),
		TC_TEXT_INIT("E 1 B pid=15514734831341844875 tid=I-5\n"
			     "E 48 B pid=Spans't tid=stream 7't\n"
			     "E 90 B pid=1.5 tid=I9223372036854775807\n"
			     "E 137 B pid=b1 tid=null\n"
			     "E 170 B pid=[1,2]'j tid={\"a\":1}'j\n"
			     "E 209 B pid='t tid=I-9223372036854775808\n")},
	{"ids",
		TC_TEXT_INIT(
			"[{\"ph\":\"b\",\"id\":7},{\"ph\":\"b\",\"id\":\"0x1f\"},{\"ph\":\"b\","
			"\"id2\":{\"local\":\"a\"}},{\"ph\":\"b\",\"id2\":{\"global\":5},\"id\":1}"
			",{\"ph\":\"b\",\"id\":1,\"id2\":{\"x\":5}},{\"ph\":\"b\",\"id2\":5}"
			",{\"ph\":\"b\",\"id2\":{\"local\":1,\"global\":2}},{\"ph\":\"b\",\"id2\":{"
			"\"global\":{\"local\":1}"
			"}},{\"ph\":\"b\",\"id\":null}]"),
		TC_TEXT_INIT("E 1 b id=I7\n"
			     "E 19 b id=0x1f't\n"
			     "E 42 b id.local=a't\n"
			     "E 73 b id.global=I5\n"
			     "E 110 b id=I1\n"
			     "E 142 b\n"
			     "E 161 b id.global=I2\n"
			     "E 201 b id.global={\"local\":1}'j\n"
			     "E 241 b\n")},
	{"flows",
		TC_TEXT_INIT(
			"[{\"ph\":\"s\",\"bind_id\":\"0x5\",\"flow_in\":true,\"flow_out\":false,"
			"\"bp\":\"e\"},{\"ph\":\"s\",\"flow_in\":1,\"flow_out\":0},{\"ph\":\"s\","
			"\"flow_in\":\"x\",\"flow_out\":\"false\"},{\"ph\":\"s\",\"flow_in\":\"\","
			"\"flow_out\":\"0\"},{\"ph\":\"s\",\"flow_in\":null,\"flow_out\":0.0}"
			",{\"ph\":\"s\",\"bind_id\":18446744073709551615}]"),
		TC_TEXT_INIT("E 1 s bind_id=0x5't flow_in bp=e\n"
			     "E 69 s flow_in\n"
			     "E 105 s flow_in\n"
			     "E 149 s\n"
			     "E 188 s\n"
			     "E 229 s bind_id=18446744073709551615\n")},
	{"name and category",
		TC_TEXT_INIT(
			"[{\"ph\":\"B\",\"name\":\"\",\"cat\":\"\"},{\"ph\":\"B\",\"name\":5,"
			"\"cat\":1.5},{\"ph\":\"B\",\"name\":null,\"cat\":[\"a\"]},{\"ph\":\"B\","
			"\"name\":\"\\u00e9\\ud83d\\ude00\\n\\\"\\\\\",\"cat\":"
			"\"\303\251\346\274\242\360\237\230\200\"}"
			",{\"ph\":\"B\",\"name\":\"a\\u0000b\"}]"),
		TC_TEXT_INIT("E 1 B name= cat=\n"
			     "E 31 B name=5 cat=1.5\n"
			     "E 61 B\n"
			     "E 96 B name=\303\251\360\237\230\200\n"
			     "\"\\ cat=\303\251\346\274\242\360\237\230\200\n"
			     "E 159 B name=a\357\277\275b\n")},
	{"args",
		TC_TEXT_INIT(
			"[{\"ph\":\"B\",\"args\":null},{\"ph\":\"B\",\"args\":{}},{\"ph\":\"B\","
			"\"args\":[ ]},{\"ph\":\"B\",\"args\":5},{\"ph\":\"B\",\"args\":true}"
			",{\"ph\":\"B\",\"args\":\"\"},{\"ph\":\"B\",\"args\":\"a\\\"b\"},{\"ph\":"
			"\"B\","
			"\"args\":[ 1, \"a b\" ]},{\"ph\":\"B\",\"args\": { \"a b\" : [ 1 ,"
			" { \"c\" : \"d  e\\\" \" } ] , \"x\" : null } }]"),
		TC_TEXT_INIT("E 1 B\n"
			     "E 24 B\n"
			     "E 45 B\n"
			     "E 67 B\n"
			     "E 87 B\n"
			     "E 110 B\n"
			     "E 131 B args=\"a\\\"b\"\n"
			     "E 156 B args=[1,\"a b\"]\n"
			     "E 187 B args={\"a b\":[1,{\"c\":\"d  e\\\" \"}],\"x\":null}\n")},
	{"known args",
		TC_TEXT_INIT("[{\"ph\":\"X\",\"args\":{\"device\": 1, \"stream\":\"7\", "
			     "\"correlation\":-3,"
			     " \"bytes\":1.5, \"External id\":18446744073709551615, \"name\": null,"
			     " \"labels\": true, \"Input Dims\": [ [1, 2], [] ], \"Input type\": "
			     "[\"a b\"], \"unknown\": 1}}]"),
		TC_TEXT_INIT(
			"E 1 X "
			"args={\"device\":1,\"stream\":\"7\",\"correlation\":-3,\"bytes\":1.5,"
			"\"External id\":18446744073709551615,\"name\":null,\"labels\":true,"
			"\"Input Dims\":[[1,2],[]],\"Input type\":[\"a b\"],\"unknown\":1} "
			".name=null .labels=b1 .device=I1 .stream=7't .correlation=I-3 .External "
			"id=18446744073709551615 .bytes=1.5 .Input Dims=[[1,2],[]]'j .Input "
			"type=[\"a b\"]'j\n")},
	{"known keys deeper or elsewhere",
		TC_TEXT_INIT("[{\"ph\":\"X\",\"args\":{\"a\":{\"device\":1},\"b\":[{\"stream\":2}"
			     "]},\"x\":{\"correlation\":3,\"ph\":\"B\"},\"device\":4}]"),
		TC_TEXT_INIT("E 1 X args={\"a\":{\"device\":1},\"b\":[{\"stream\":2}]}\n")},
	{"args given as array",
		TC_TEXT_INIT("[{\"ph\":\"X\",\"args\":[{\"device\":1},\"stream\",2]}]"),
		TC_TEXT_INIT("E 1 X args=[{\"device\":1},\"stream\",2]\n")},
	{"duplicates: last wins",
		TC_TEXT_INIT(
			"[{\"ph\":\"B\",\"ph\":\"E\",\"ts\":1,\"ts\":\"2\",\"pid\":1,\"pid\":null,"
			"\"args\":{\"device\":1,\"stream\":2},\"args\":{\"device\":3}},{\"ph\":"
			"\"B\","
			"\"args\":{\"device\":1},\"args\":null},{\"ph\":\"B\",\"args\":null,"
			"\"args\":{\"device\":[1],\"device\":[2, 3],\"x\":[1]}},{\"ph\":\"B\","
			"\"name\":\"a\",\"name\":\"b\\n\",\"args\":{\"Input Dims\":[1],\"Input "
			"Dims\":5}}]"),
		TC_TEXT_INIT("L duplicate_member 1 4\n"
			     "E 1 E ts=2000 pid=null args={\"device\":3} .device=I3\n"
			     "L duplicate_member 107 1\n"
			     "E 107 B\n"
			     "L duplicate_member 150 1\n"
			     "E 150 B args={\"device\":[1],\"device\":[2,3],\"x\":[1]} .device=[2,"
			     "3]'j\n"
			     "L duplicate_member 219 1\n"
			     "E 219 B name=b\n"
			     " args={\"Input Dims\":[1],\"Input Dims\":5} .Input Dims=I5\n")},
	{"empty event", TC_TEXT_INIT("[{},{\"ph\":\"B\"},{ }]"),
		TC_TEXT_INIT("L empty_event 1 1\n"
			     "E 4 B\n"
			     "L empty_event 15 1\n")},
	{"no events inside",
		TC_TEXT_INIT("[1,\"a\\n, b\",null,true,[{\"ph\":\"B\"}],{\"ph\":\"E\"},-1.5]"),
		TC_TEXT_INIT("L not_an_event 1 1\n"
			     "L not_an_event 3 1\n"
			     "L not_an_event 12 1\n"
			     "L not_an_event 17 1\n"
			     "L not_an_event 22 1\n"
			     "E 23 B\n"
			     "E 35 E\n"
			     "L not_an_event 46 1\n")},
	{"blanks before",
		TC_TEXT_INIT("\015\n"
			     "\011 {\"traceEvents\" : [ {\"ph\" : \"B\" } ] }"),
		TC_TEXT_INIT("E 23 B\n")},
	{"mark", TC_TEXT_INIT("\357\273\277[{\"ph\":\"B\"}]"),
		TC_TEXT_INIT("L bom_skipped 0 1\n"
			     "E 4 B\n")},
	{"blanks, then mark",
		TC_TEXT_INIT(" \n"
			     "\357\273\277 {\"traceEvents\":[{\"ph\":\"B\"}]}"),
		TC_TEXT_INIT("L bom_skipped 2 1\n"
			     "E 22 B\n")},
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
}

static enum tc_form form_of(const char *text)
{
	struct decode_dump dump = {0};

	dump_decode(&dump, tc_text_from(text), 5);
	enum tc_form form = dump.form;
	dump_clear(&dump);
	return form;
}

static void test_form(void **state)
{
	(void)state;
	assert_int_equal(form_of(" "), TC_FORM_UNKNOWN);
	assert_int_equal(form_of("hello"), TC_FORM_UNKNOWN);
	assert_int_equal(form_of("[]"), TC_FORM_ARRAY);
	assert_int_equal(form_of("[{\"ph\":\"B\"}]{\"traceEvents\":[]}"), TC_FORM_ARRAY);
	assert_int_equal(form_of("{\"traceEvents\":[]}[]"), TC_FORM_OBJECT);
	assert_int_equal(form_of("{\"a\":1}"), TC_FORM_OBJECT);
	assert_int_equal(form_of("{\"ph\":\"B\"}"), TC_FORM_LINES);
}

/* Counters of the decoder, asked for on the way. */
static void test_counters(void **state)
{
	static const char text[] = "{\"traceEvents\":[{\"ph\":\"B\"},{\"ph\":\"E\"}]}";
	struct decode_dump dump = {0};
	struct tc_decode_sink sink = {&dump, dump_event, dump_meta, dump_log};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_decoder *decoder = NULL;

	(void)state;
	assert_int_equal(tc_decoder_new(&decoder, ctx, &sink), TC_OK);
	assert_int_equal(tc_decoder_facts(decoder).list_count, 0);
	assert_int_equal(tc_decoder_feed(decoder, text, 30), TC_OK);
	assert_int_equal(tc_decoder_facts(decoder).event_count, 1);
	assert_int_equal(tc_decoder_facts(decoder).byte_count, 30);
	assert_int_equal(tc_decoder_feed(decoder, text + 30, sizeof(text) - 31), TC_OK);
	assert_int_equal(tc_decoder_finish(decoder, false), TC_OK);
	assert_int_equal(tc_decoder_facts(decoder).event_count, 2);
	assert_int_equal(tc_decoder_facts(decoder).byte_count, sizeof(text) - 1);
	assert_int_equal(tc_decoder_facts(decoder).list_count, 1);
	tc_decoder_free(decoder);
	tc_ctx_free(ctx);
	dump_clear(&dump);
}

/* A sink that fails ends the decoding with its status. */
static void test_sink_fails(void **state)
{
	static const char text[] = "[{\"ph\":\"B\"},{\"ph\":\"E\"},{\"ph\":\"i\"}]";

	(void)state;
	for (size_t chunk = 1; chunk < sizeof(text); chunk++) {
		struct decode_dump dump = {.fail_after = 2};
		dump_decode(&dump, tc_text_from(text), chunk);
		assert_int_equal(dump.status, TC_ERR_STORE);
		assert_int_equal(dump.event_count, 2);
		dump_clear(&dump);
	}
}

static void test_interrupt(void **state)
{
	struct decode_dump dump = {0};
	struct tc_decode_sink sink = {&dump, dump_event, dump_meta, dump_log};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_decoder *decoder = NULL;

	(void)state;
	assert_int_equal(tc_decoder_new(&decoder, ctx, &sink), TC_OK);
	tc_ctx_interrupt(ctx);
	assert_int_equal(tc_decoder_feed(decoder, "[", 1), TC_ERR_INTERRUPTED);
	tc_decoder_free(decoder);
	tc_ctx_free(ctx);
}

/* One event of exactly so many bytes, in a list with another one. */
static void decode_sized(struct decode_dump *dump, size_t size, size_t chunk)
{
	static const char head[] = "{\"ph\":\"B\",\"name\":\"", tail[] = "\"}";
	struct tc_buf text = TC_BUF_EMPTY;

	tc_buf_append_char(&text, '[');
	tc_buf_append_string(&text, head);
	for (size_t i = sizeof(head) + sizeof(tail) - 2; i < size; i++)
		tc_buf_append_char(&text, 'n');
	tc_buf_append_string(&text, tail);
	tc_buf_append_string(&text, ",{\"ph\":\"E\"}]");
	dump_decode(dump, finished(&text), chunk);
	tc_buf_clear(&text);
}

static void test_event_limit(void **state)
{
	static const size_t chunks[] = {SIZE_MAX / 2, TC_CHUNK_BYTES, 100000};

	(void)state;
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		struct decode_dump dump = {0};
		decode_sized(&dump, TC_EVENT_MAX_BYTES, chunks[i]);
		assert_int_equal(dump.event_count, 2);
		dump_clear(&dump);
		decode_sized(&dump, TC_EVENT_MAX_BYTES + 1, chunks[i]);
		assert_int_equal(dump.event_count, 1);
		assert_int_equal(dump.log_count[TC_LOG_EVENT_TOO_LARGE], 1);
		assert_int_equal(dump.log_count[TC_LOG_DAMAGED_EVENT], 0);
		dump_clear(&dump);
		decode_sized(&dump, 3 * TC_EVENT_MAX_BYTES, chunks[i]);
		assert_int_equal(dump.event_count, 1);
		assert_int_equal(dump.log_count[TC_LOG_EVENT_TOO_LARGE], 1);
		dump_clear(&dump);
	}
}

/* An event whose brackets are nested so deep, itself counted, in a list with another one. */
static void decode_deep(struct decode_dump *dump, int depth, size_t chunk)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_buf_append_string(&text, "[{\"ph\":\"B\",\"args\":");
	for (int i = 1; i < depth; i++)
		tc_buf_append_char(&text, '[');
	for (int i = 1; i < depth; i++)
		tc_buf_append_char(&text, ']');
	tc_buf_append_string(&text, "},{\"ph\":\"E\"}]");
	dump_decode(dump, finished(&text), chunk);
	tc_buf_clear(&text);
}

static void test_depth_limit(void **state)
{
	(void)state;
	for (size_t chunk = 1; chunk < 3000; chunk = chunk * 2 + 1) {
		struct decode_dump dump = {0};
		decode_deep(&dump, TC_JSON_MAX_DEPTH, chunk);
		assert_int_equal(dump.event_count, 2);
		dump_clear(&dump);
		decode_deep(&dump, TC_JSON_MAX_DEPTH + 1, chunk);
		assert_int_equal(dump.event_count, 1);
		assert_int_equal(dump.log_count[TC_LOG_EVENT_TOO_DEEP], 1);
		dump_clear(&dump);
	}
}

static void decode_meta(struct decode_dump *dump, size_t size, bool before)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_buf_append_string(&text, before ? "{" : "{\"traceEvents\":[{\"ph\":\"B\"}],");
	tc_buf_append_string(&text, "\"a\":1,\"big\":\"");
	for (size_t i = 2; i < size; i++)
		tc_buf_append_char(&text, 'm');
	tc_buf_append_string(&text, "\",\"b\":2");
	tc_buf_append_string(&text, before ? ",\"traceEvents\":[{\"ph\":\"B\"}]}" : "}");
	dump_decode(dump, finished(&text), TC_CHUNK_BYTES);
	tc_buf_clear(&text);
}

static void test_meta_limit(void **state)
{
	static const size_t large[] = {
		TC_META_MAX_BYTES + 1, 2 * TC_META_MAX_BYTES, 2 * TC_EVENT_MAX_BYTES};

	(void)state;
	for (int before = 0; before < 2; before++) {
		struct decode_dump dump = {0};
		decode_meta(&dump, TC_META_MAX_BYTES, before);
		assert_int_equal(dump.meta_count, 3);
		assert_int_equal(dump.event_count, 1);
		dump_clear(&dump);
		for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
			decode_meta(&dump, large[i], before);
			assert_int_equal(dump.meta_count, 2);
			assert_int_equal(dump.event_count, 1);
			assert_int_equal(dump.log_count[TC_LOG_META_TOO_LARGE], 1);
			assert_int_equal(dump.log_count[TC_LOG_TRUNCATED], 0);
			dump_clear(&dump);
		}
	}
}

/* Every allocation fails once; nothing leaks, and the status says so. */
static void test_no_memory(void **state)
{
	static const char text[] =
		"{\"a\":[1, 2],\"traceEvents\":[{\"ph\":\"B\",\"name\":\"x\\ny\",\"args\":{\"a\": "
		"1}},"
		"{\"ph\":\"E\",\"x\":NaN},@,{\"ph\":\"i\",\"args\":\"s\"}],\"b\":\"\\u00e9\",\"c\":"
		"inf}";
	struct tc_text input = TC_TEXT(text);

	(void)state;
	for (size_t chunk = 3; chunk < 300; chunk *= 9) {
		struct decode_dump whole = {0};
		tc_alloc_fail_after(-1);
		dump_decode(&whole, input, chunk);
		int64_t calls = tc_alloc_fail_after(-1);
		assert_int_equal(whole.event_count, 3);
		for (int64_t n = 0; n < calls; n++) {
			struct decode_dump dump = {0};
			tc_alloc_fail_after(n);
			dump_decode(&dump, input, chunk);
			tc_alloc_fail_after(-1);
			/* When the dump's own text failed, the decoder went on. */
			assert_true(dump.status == TC_ERR_NOMEM || tc_buf_failed(&dump.text));
			dump_clear(&dump);
		}
		dump_clear(&whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_sink_fails),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_event_limit),
		cmocka_unit_test(test_depth_limit),
		cmocka_unit_test(test_meta_limit),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
