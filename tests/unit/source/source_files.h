/*
 * For tests of the source room: a file of their own, what is written into it and what comes out.
 */
#ifndef TC_TEST_SOURCE_FILES_H
#define TC_TEST_SOURCE_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/alloc.h"
#include "core/buf.h"
#include "core/context.h"
#include "source/source.h"

static struct tc_ctx *ctx;
static char directory[64], path[128];

static int set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/tc-test-source-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/trace.json", directory);
	ctx = tc_ctx_new();
	return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	tc_ctx_free(ctx);
	return rmdir(directory);
}

static inline void write_file(const struct tc_buf *bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes->ptr ? bytes->ptr : "", 1, bytes->len, file), bytes->len);
	assert_int_equal(fclose(file), 0);
}

static inline void write_bytes(const char *bytes, size_t len)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	tc_buf_append(&buf, bytes, len);
	write_file(&buf);
	tc_buf_clear(&buf);
}

/* Appends text as one gzip member. */
static inline void append_gzip(struct tc_buf *out, const char *text, size_t len)
{
	z_stream stream = {0};
	size_t bound = compressBound(len) + 64;
	unsigned char *member = malloc(bound);

	assert_non_null(member);
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (Bytef *)(uintptr_t)text;
	stream.avail_in = (uInt)len;
	stream.next_out = member;
	stream.avail_out = (uInt)bound;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	tc_buf_append(out, (char *)member, bound - stream.avail_out);
	deflateEnd(&stream);
	free(member);
}

/* Text that does not compress to nothing, so that cuts fall everywhere. */
static inline void append_text(struct tc_buf *out, size_t len)
{
	uint64_t random = 99;

	for (size_t i = 0; i < len; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		tc_buf_append_char(out, "{\"name\": 123, xyz}"[(random >> 40) % 18]);
	}
}

/* Reads everything in pieces of up to capacity bytes. */
static inline enum tc_status read_all(struct tc_source *source, struct tc_buf *out, size_t capacity)
{
	char *piece = malloc(capacity);
	size_t len = 0;
	enum tc_status status;

	assert_non_null(piece);
	do {
		status = tc_source_read(source, piece, capacity, &len);
		if (!status)
			tc_buf_append(out, piece, len);
	} while (!status && len > 0);
	if (!status) { /* the end stays the end */
		assert_int_equal(tc_source_read(source, piece, capacity, &len), TC_OK);
		assert_int_equal(len, 0);
	}
	free(piece);
	return status;
}

/* Opens the file and compares all that comes out of it. */
static inline void expect_contents(const struct tc_buf *expected, size_t capacity, const char *cut)
{
	struct tc_source *source = NULL;
	struct tc_buf got = TC_BUF_EMPTY;

	assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
	assert_int_equal(read_all(source, &got, capacity), TC_OK);
	assert_int_equal(got.len, expected->len);
	if (got.len > 0)
		assert_memory_equal(got.ptr, expected->ptr, got.len);
	assert_int_equal(tc_source_loss(source).count, cut != NULL);
	if (cut)
		assert_non_null(strstr(tc_source_loss(source).reason, cut));
	else
		assert_null(tc_source_loss(source).reason);
	tc_source_close(source);
	tc_buf_clear(&got);
}

static inline void expect_refused(const char *name, enum tc_status status, const char *words)
{
	struct tc_source *source = NULL;

	assert_int_equal(tc_source_open(&source, ctx, name), status);
	assert_null(source);
	if (!strstr(tc_ctx_error(ctx), words))
		fail_msg("\"%s\" does not say \"%s\"", tc_ctx_error(ctx), words);
	tc_ctx_clear_error(ctx);
}

#endif
