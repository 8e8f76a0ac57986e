/*
 * A table of inputs and what the decoder must make of them (see decode_dump.h), each fed whole
 * and in chunks and segments of several sizes with the same result.
 */
#ifndef TC_TESTS_DECODE_CASES_H
#define TC_TESTS_DECODE_CASES_H

#include "decode_dump.h"

#define TC_TEXT_INIT(literal)                                                                      \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

struct decode_case {
	const char *name;
	struct tc_text input, expected;
};

static const size_t chunk_sizes[] = {1 << 20, 1, 2, 3, 7, 64};

static inline void check_dump(
	const struct decode_case *c, struct decode_dump *dump, const char *parts, size_t size)
{
	if (!tc_text_equal(tc_buf_text(&dump->text), c->expected))
		print_error("%s, %s of %zu:\n%.*s--- expected\n%.*s", c->name, parts, size,
			(int)dump->text.len, tc_buf_text(&dump->text).ptr, (int)c->expected.len,
			c->expected.ptr);
	assert_int_equal(dump->status, TC_OK);
	assert_true(tc_text_equal(tc_buf_text(&dump->text), c->expected));
	assert_false(dump->bad_utf8);
	dump_clear(dump);
}

static inline void check_case(const struct decode_case *c)
{
	for (size_t i = 0; i < sizeof(chunk_sizes) / sizeof(chunk_sizes[0]); i++) {
		struct decode_dump chunks = {0}, segments = {0};
		dump_decode(&chunks, c->input, chunk_sizes[i]);
		check_dump(c, &chunks, "chunks", chunk_sizes[i]);
		dump_decode_segments(&segments, c->input, chunk_sizes[i]);
		check_dump(c, &segments, "segments", chunk_sizes[i]);
	}
}

/* Memory for a trace that a test writes with tc_buf; a check at the end of writing. */
static inline struct tc_text finished(struct tc_buf *buf)
{
	assert_false(tc_buf_failed(buf));
	return tc_buf_text(buf);
}

#endif
