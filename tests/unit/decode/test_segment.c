/*
 * Decoding in segments, on one thread and on several: whatever the bytes and the cuts, what is
 * delivered is what decoding from the first byte to the last delivers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "core/alloc.h"
#include "decode_cases.h"
#include "decode/fast/prefetch.h"

/* Random traces. */

static uint64_t random_state;

static size_t pick(size_t count)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (size_t)(random_state >> 11) % count;
}

#define PICK(list) (list)[pick(sizeof(list) / sizeof((list)[0]))]

static void add_event(struct tc_buf *out)
{
	static const char *const starts[] = {"\"ph\":\"X\",\"ts\":%zu",
		"\"name\":\"a\",\"ph\":\"X\",\"ts\":%zu", " \"ts\" : %zu.5 ,\n\"ph\":\"B\"",
		"\"n\\u0061me\":\"b\",\"ph\":\"E\",\"ts\":%zu",
		"\"own\":{\"ph\":%zu},\"ph\":\"i\""};
	static const char *const members[] = {"", ",\"pid\":1,\"tid\":\"t 2\",\"cat\":\"kernel\"",
		",\"args\":{\"stream\":7,\"Input Dims\":[[1, "
		"2],[]],\"bytes\":12345678901234567890}",
		",\"args\": {\"list\" : [{\"ph\":\"X\"},{\"ph\":\"Y\"}, {\"a\":[{}]}], \"device\" "
		":\"0\"}",
		",\"args\":{\"text\":\"}],},{\\\"ph\\\":\\\"X\\\"},{\\n\"}",
		",\"name\":\"},{\\\"ph\\\":\\\"X\\\"}, {\"",
		",\"name\":\"\\u00e9\\ud83d\\ude00\\u0000\"", ",\"id2\":{\"local\":\"0x1f\"}",
		",\"args\":\"text\"", ",\"args\":[{\"ph\":\"X\"},{\"ph\":\"X\"}]",
		",\"args\":[{\"stream\":7}]", ",\"args\":{\"stream\":7}",
		",\"args\":{\"Input Dims\":[[1, 2, 3, 4, 5, 6],[]], \"own\": [1, 2, 3, 4, 5, "
		"6, 7]}",
		",\"args\":{\"Input Dims\":[[1, 2, 3, 4, 5, 6], [7]],\"own\":[1, 2, 3, 4, 5, 6, "
		"7],\"bytes\":5}",
		",\"args\":{\"Input type\":[\"a\\\"] b\", \"c\\\\\"],\"own\":[\"] "
		"\",{\"bytes\":5},[8]]}",
		",\"id2\":{\"local\":[\"0x1f\", \"0x1f\"],\"global\":\"0x2\"}",
		",\"name\":{\"device\":[\"0x1f\", \"0x1f\"]}",
		",\"bind_id\":5,\"flow_in\":true,\"bp\":\"e\",\"s\":\"g\",\"args\":{}"};

	const char *start = PICK(starts);
	tc_buf_append_char(out, '{');
	tc_buf_format(out, start, pick(1000000));
	for (size_t n = pick(4); n > 0; n--)
		tc_buf_append_string(out, PICK(members));
	if (pick(40) == 0) {
		tc_buf_append_string(out, ",\"args\":{\"long\":[");
		for (size_t n = pick(300); n > 0; n--)
			tc_buf_append_string(out, "{\"ph\":\"X\"},");
		tc_buf_append_string(out, "1]}");
	}
	tc_buf_append_char(out, '}');
}

static void add_list(struct tc_buf *out, bool odd)
{
	static const char *const gaps[] = {",", ", ", ",\n", "\n , \t"};
	static const char *const odds[] = {
		"{},", "3,", "[{\"ph\":\"i\"},{\"ph\":\"i\"}],", "\"},{\","};

	tc_buf_append_char(out, '[');
	for (size_t n = pick(60) + 1; n > 0; n--) {
		if (odd && pick(20) == 0)
			tc_buf_append_string(out, PICK(odds));
		add_event(out);
		if (n > 1)
			tc_buf_append_string(out, PICK(gaps));
	}
	tc_buf_append_char(out, ']');
}

static void add_trace(struct tc_buf *out, bool odd)
{
	switch (pick(4)) {
	case 0: add_list(out, odd); break;
	case 1:
		for (size_t n = pick(30); n > 0; n--) {
			add_event(out);
			tc_buf_append_char(out, '\n');
		}
		break;
	default:
		tc_buf_append_string(out, "{\"m\": [{\"ph\":1},{\"ph\":2}],\"traceEvents\": ");
		add_list(out, odd);
		if (odd && pick(3) == 0) {
			tc_buf_append_string(out, ",\"x\":{},{\"traceEvents\":");
			add_list(out, odd);
		}
		tc_buf_append_string(out, ",\"z\":{\"a\":[{},{\"ph\":\"X\"}]}}\n");
	}
}

static void mangle(struct tc_buf *text)
{
	static const char bytes[] = "{}[],:\"\\ \n\xff"
				    "a1";

	for (size_t n = pick(6); n > 0 && text->len > 0; n--) {
		char *at = text->ptr + pick(text->len);
		*at = bytes[pick(sizeof(bytes) - 1)];
	}
	if (text->len > 10 && pick(3) == 0) {
		size_t from = pick(text->len - 1), len = pick(text->len - from);
		len = pick(2) ? len : len % 8;
		memmove(text->ptr + from, text->ptr + from + len, text->len - from - len);
		text->len -= len;
	}
	if (pick(4) == 0)
		text->len = pick(text->len + 1);
	if (pick(8) == 0)
		tc_buf_consume(text, pick(text->len + 1));
}

static void make_text(struct tc_buf *text, int number)
{
	tc_buf_reset(text);
	for (size_t n = pick(8) ? 1 : 3; n > 0; n--)
		add_trace(text, number % 4 == 3);
	assert_false(tc_buf_failed(text));
	if (number % 2)
		mangle(text);
}

static void expect_equal(const struct decode_dump *got, const struct decode_dump *wanted,
	struct tc_text text, size_t size)
{
	assert_int_equal(got->status, TC_OK);
	if (tc_text_equal(tc_buf_text(&got->text), tc_buf_text(&wanted->text)) &&
		got->form == wanted->form)
		return;
	struct tc_text a = tc_buf_text(&got->text), b = tc_buf_text(&wanted->text);
	size_t line = 0;

	for (size_t at = 0; at < a.len && at < b.len && a.ptr[at] == b.ptr[at]; at++)
		line = a.ptr[at] == '\n' ? at + 1 : line;
	print_error("%.*s\n", (int)text.len, text.ptr);
	fail_msg("segments of %zu give %.300s\nand not %.300s", size, a.ptr + line, b.ptr + line);
}

static void any_bytes_and_cuts_give_the_same(void **state)
{
	static const size_t steps[] = {1, 20, 100, 1000, 5000};
	struct tc_buf text = TC_BUF_EMPTY;
	int64_t taken_count = 0;

	(void)state;
	random_state = 88172645463325252u;
	for (int i = 0; i < 2000; i++) {
		struct decode_dump whole = {0}, parts = {0};
		size_t step = PICK(steps);
		make_text(&text, i);
		dump_decode(&whole, tc_buf_text(&text), SIZE_MAX / 2);
		dump_decode_segments(&parts, tc_buf_text(&text), step);
		expect_equal(&parts, &whole, tc_buf_text(&text), step);
		taken_count += parts.taken_count;
		dump_clear(&whole);
		dump_clear(&parts);
	}
	assert_true(taken_count > 5000);
	tc_buf_clear(&text);
}

/* Where a cut is guessed. */

static void expect_cut(const char *text, const char *rest)
{
	size_t cut = tc_segment_cut(tc_text_from(text));

	assert_string_equal(cut ? text + cut : "", rest);
}

static void cuts_are_where_events_seem_to_start(void **state)
{
	(void)state;
	expect_cut("", "");
	expect_cut("{\"ph\":1}", "");
	expect_cut("{\"ph\":1},{\"ph\":2}", "{\"ph\":2}");
	expect_cut("{\"ph\":1} \n, {\"ph\":2},{\"p", "{\"ph\":2},{\"p");
	expect_cut("{\"ph\":1},{\"a\":[{},{\"b\":1},{\"c\":1}", "{\"c\":1}");
	/* No comma, and no event before it. */
	expect_cut("{\"ph\":1}\n{\"ph\":2}", "");
	expect_cut("{\"a\":[1,{\"ph\":2}", "");
	/* In the second half only. */
	expect_cut("{\"ph\":1},{\"ph\":2,\"name\":\"an event that is longer\"}", "");
}

/* On threads. */

static char path[] = "/tmp/test_segment.XXXXXX";

static void write_text(struct tc_text text)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
	assert_int_equal(fclose(file), 0);
}

static void count_taken(void *user, int64_t read_bytes, bool was_ahead)
{
	struct decode_dump *dump = user;

	assert_true(read_bytes > 0);
	dump->taken_count += was_ahead;
}

static void dump_file(struct decode_dump *dump, struct tc_ctx *ctx, size_t size)
{
	struct tc_decode_sink sink = {dump, dump_event, dump_meta, dump_log};
	struct tc_source *source = NULL;
	struct tc_decoder *decoder = NULL;

	tc_ctx_clear_error(ctx);
	dump->status = tc_source_open(&source, ctx, path);
	if (!dump->status)
		dump->status = tc_decoder_new(&decoder, ctx, &sink);
	if (!dump->status)
		dump->status = tc_prefetch_feed(decoder, ctx, source, size, count_taken, dump);
	if (!dump->status)
		dump->status = tc_decoder_finish(decoder, false);
	if (decoder)
		dump->form = tc_decoder_facts(decoder).form;
	tc_decoder_free(decoder);
	tc_source_close(source);
}

static void threads_give_the_same(void **state)
{
	static const size_t sizes[] = {1, 50, 300, 2000, 100000};
	struct tc_buf text = TC_BUF_EMPTY;
	struct tc_ctx *ctx = tc_ctx_new();
	int64_t taken_count = 0;

	(void)state;
	random_state = 362436069;
	for (int i = 0; i < 1200; i++) /* few are taken: most events have a member twice */ {
		struct decode_dump whole = {0}, parts = {0};
		size_t size = PICK(sizes);
		make_text(&text, i);
		if (text.len == 0)
			tc_buf_append_char(&text, ' ');
		write_text(tc_buf_text(&text));
		dump_decode(&whole, tc_buf_text(&text), SIZE_MAX / 2);
		dump_file(&parts, ctx, size);
		expect_equal(&parts, &whole, tc_buf_text(&text), size);
		taken_count += parts.taken_count;
		dump_clear(&whole);
		dump_clear(&parts);
	}
	assert_true(taken_count > 300);
	tc_buf_clear(&text);
	tc_ctx_free(ctx);
}

/* Some 100 segments of 200 bytes, none of them decoded in vain. */
static void write_plain_trace(void)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_buf_append_char(&text, '[');
	for (int i = 0; i < 400; i++)
		tc_buf_format(&text, "{\"ph\":\"X\",\"name\":\"event\",\"ts\":%d,\"dur\":1},\n", i);
	tc_buf_append_string(&text, "{\"ph\":\"i\"}]");
	write_text(finished(&text));
	tc_buf_clear(&text);
}

static void plain_traces_are_taken(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct decode_dump dump = {0};

	(void)state;
	write_plain_trace();
	dump_file(&dump, ctx, 200);
	assert_int_equal(dump.status, TC_OK);
	assert_int_equal(dump.event_count, 401);
	assert_true(dump.taken_count > 80);
	dump_clear(&dump);
	tc_ctx_free(ctx);
}

/* However late the sink fails, and whichever allocation: the threads end. */
static void failures_end_the_threads(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	int no_memory_count = 0;

	(void)state;
	write_plain_trace();
	for (int64_t n = 1; n <= 401; n += 20) {
		struct decode_dump dump = {.fail_after = n};
		dump_file(&dump, ctx, 200);
		assert_int_equal(dump.status, TC_ERR_STORE);
		dump_clear(&dump);
	}
	for (int64_t n = 0; n < 400; n++) {
		struct decode_dump dump = {0};
		tc_alloc_fail_after(n);
		dump_file(&dump, ctx, 200);
		tc_alloc_fail_after(-1);
		assert_true(dump.status == TC_OK || dump.status == TC_ERR_NOMEM);
		no_memory_count += dump.status == TC_ERR_NOMEM;
		dump_clear(&dump);
	}
	assert_true(no_memory_count > 100);
	tc_ctx_free(ctx);
}

static void an_interrupt_ends_the_threads(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct decode_dump dump = {0};

	(void)state;
	write_plain_trace();
	tc_ctx_interrupt(ctx);
	dump_file(&dump, ctx, 200);
	assert_int_equal(dump.status, TC_ERR_INTERRUPTED);
	dump_clear(&dump);
	tc_ctx_free(ctx);
}

static int make_path(void **state)
{
	(void)state;
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes_and_cuts_give_the_same),
		cmocka_unit_test(cuts_are_where_events_seem_to_start),
		cmocka_unit_test(threads_give_the_same),
		cmocka_unit_test(plain_traces_are_taken),
		cmocka_unit_test(failures_end_the_threads),
		cmocka_unit_test(an_interrupt_ends_the_threads),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
