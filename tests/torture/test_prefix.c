/*
 * Every prefix of every text: no crash, no failure, no event lost by cutting behind it. On the
 * way, every allocation fails once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>

#include "core/alloc.h"
#include "unit/decode/decode_cases.h"

/* Well-formed texts: each event is there as soon as its last byte is. */
static const char *const good[] = {
	"{\"a\": {\"b\": [1, \"x\"]}, \"traceEvents\": [ {\"ph\":\"X\",\"ts\":1.5,\"dur\":\"2\","
	"\"args\":{\"device\": 1,\"Input Dims\":[[1, 2]],\"s\":\"\\u00e9\\n\"}}, {\"name\":\"b\","
	"\"ph\":\"E\",\"id2\":{\"local\":\"0x1\"}}\n ], \"z\": null}\n",
	"[{\"ph\":\"B\",\"name\":\"\303\251\"},{\"ph\":\"E\"},\n{},3,{\"ph\":\"i\",\"args\":null}]",
	"{\"ph\":\"B\",\"pid\":1}\n{\"ph\":\"E\",\"tid\":\"x\"}\n{\"ph\":\"i\"}",
	"[{\"ph\":\"B\"}]\n[{\"ph\":\"E\"}]{\"traceEvents\":[{\"ph\":\"i\"}]}",
};

/* Damaged ones: a guess may change as more is seen, but never by more than one event. */
static const char *const damaged[] = {
	"[{\"ph\":\"B\",\"x\":NaN},{\"ph\":\"E\",\"name\":\"a\"b\",\"ts\":1},{\"ph\":\"i\"},]",
	"\"ts\":5},{\"ph\":\"B\",\"name\":\"it\\'s\"}{\"ph\":\"E\"},@@,{\"ph\":\"i\",\"a\":"
	"\"\xff\x01\"}",
	"{\"m\":{\"x\":inf},\"traceEvents\":[{\"ph\":\"B\",\"na{\"ph\":\"E\",\"ts\":+1},],\"z\":"
	"nan,}",
	"{\"ph\":\"B\"},\n{\"ph\":\"E\",\"args\":{\"a\":[1}},\n{\"ph\":\"i\",\"name\":\"\\ud800\"},"
	"\n",
	"\xef\xbb\xbf[{\"name\":\"x\ny\",\"ph\":\"B\"} {\"ph\":\"E\" \"ts\":} ] ]}",
};

static int64_t events_of(struct tc_text text, size_t chunk)
{
	struct decode_dump dump = {0};

	dump_decode(&dump, text, chunk);
	assert_int_equal(dump.status, TC_OK);
	assert_false(dump.bad_utf8);
	int64_t count = dump.event_count;
	dump_clear(&dump);
	return count;
}

/* In segments all is the same. */
static void check_segments(struct tc_text text)
{
	struct decode_dump whole = {0}, parts = {0};

	dump_decode(&whole, text, SIZE_MAX / 2);
	dump_decode_segments(&parts, text, 1);
	assert_true(tc_text_equal(tc_buf_text(&parts.text), tc_buf_text(&whole.text)));
	dump_clear(&whole);
	dump_clear(&parts);
}

/* Prefixes in steps; the count may fall by so many from one to the next, and rise by one. */
static void check_prefixes(struct tc_text text, size_t step, int64_t may_fall)
{
	static const size_t chunks[] = {SIZE_MAX / 2, 1, 5};
	int64_t last = 0;

	for (size_t len = 0; len <= text.len; len += step) {
		struct tc_text prefix = {text.ptr, len};
		int64_t count = events_of(prefix, chunks[0]);
		for (size_t i = 1; i < 3 && step == 1; i++)
			assert_int_equal(events_of(prefix, chunks[i]), count);
		assert_true(count >= last - may_fall);
		if (step == 1)
			assert_true(count <= last + 1 + may_fall);
		last = count;
	}
}

static void test_good_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check_prefixes(tc_text_from(good[i]), 1, 0);
}

static void test_damaged_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		check_prefixes(tc_text_from(damaged[i]), 1, 1);
}

/* And every suffix: a start anywhere. */
static void test_suffixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct tc_text text = tc_text_from(good[i]);
		for (; text.len > 0; text.ptr++, text.len--)
			assert_int_equal(events_of(text, 3), events_of(text, SIZE_MAX / 2));
	}
}

/* Every byte of every text replaced by each of these. */
static void test_mutations(void **state)
{
	static const char bytes[] = "{}[]\",:\\ \n0aN\xff";

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct tc_buf copy = TC_BUF_EMPTY;
		tc_buf_append_string(&copy, good[i]);
		for (size_t at = 0; at < copy.len; at++) {
			char kept = copy.ptr[at];
			for (size_t b = 0; b < sizeof(bytes); b++) {
				copy.ptr[at] = bytes[b];
				int64_t count = events_of(finished(&copy), SIZE_MAX / 2);
				assert_int_equal(events_of(finished(&copy), 4), count);
				check_segments(finished(&copy));
			}
			copy.ptr[at] = kept;
		}
		tc_buf_clear(&copy);
	}
}

/* A file: the first part byte by byte, then so many cuts. */
static void check_file(const char *path, size_t byte_count, size_t cut_count)
{
	struct tc_buf text = TC_BUF_EMPTY;
	static char chunk[65536];
	size_t len;
	FILE *file = fopen(path, "rb");

	if (!file)
		fail_msg("cannot open %s", path);
	while ((len = fread(chunk, 1, sizeof(chunk), file)) > 0)
		tc_buf_append(&text, chunk, len);
	fclose(file);
	struct tc_text all = finished(&text);
	size_t start = all.len < byte_count ? all.len : byte_count;
	check_prefixes((struct tc_text){all.ptr, start}, 1, 0);
	check_prefixes(all, all.len / cut_count + 1, 0);
	tc_buf_clear(&text);
}

static void check_files(const char *pattern, size_t byte_count, size_t cut_count)
{
	const char *root = getenv("TC_SOURCE_DIR");
	struct tc_buf path = TC_BUF_EMPTY;
	glob_t found = {0};

	tc_buf_format(&path, "%s/testdata/%s", root ? root : ".", pattern);
	assert_int_equal(glob(tc_buf_string(&path), 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i], byte_count, cut_count);
	globfree(&found);
	tc_buf_clear(&path);
}

static void test_example(void **state)
{
	(void)state;
	check_files("trace_example.json", 3000, 40);
}

static void test_fixtures(void **state)
{
	(void)state;
	check_files("heuristics/*/*.json", 200, 60);
}

/* Decodes with each allocation failing once. */
static void check_no_memory(
	void (*decode)(struct decode_dump *, struct tc_text, size_t), struct tc_text text)
{
	int64_t calls = 1;

	for (int64_t n = 0; n < calls; n++) {
		struct decode_dump dump = {0};
		tc_alloc_fail_after(n);
		decode(&dump, text, 16);
		int64_t made = tc_alloc_fail_after(-1);
		calls = made > n ? made : n;
		dump_clear(&dump);
	}
}

/* Each prefix of a damaged text. */
static void test_no_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		struct tc_text text = tc_text_from(damaged[i]);
		for (size_t len = 0; len <= text.len; len += 3)
			check_no_memory(dump_decode, (struct tc_text){text.ptr, len});
		check_no_memory(dump_decode_segments, text);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check_no_memory(dump_decode_segments, tc_text_from(good[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_prefixes),
		cmocka_unit_test(test_damaged_prefixes),
		cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
