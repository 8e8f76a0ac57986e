/*
 * A byte buffer that grows, and the only file of lib/ that formats with vsnprintf. Invariant: len
 * is below capacity once there is memory, so that tc_buf_string() finds room for a terminator. A
 * broken buffer keeps its contents and takes nothing more.
 */
#include "core/buf.h"

#include <stdio.h>

#include "core/alloc.h"

void tc_buf_clear(struct tc_buf *buf)
{
	tc_free(buf->ptr);
	*buf = (struct tc_buf){.ctx = buf->ctx};
}

void tc_buf_reset(struct tc_buf *buf)
{
	buf->len = 0;
	buf->failed = false;
}

static void fail(struct tc_buf *buf)
{
	buf->failed = true;
	if (buf->ctx)
		tc_no_memory(buf->ctx);
}

/* Makes room for len more bytes and a terminator. */
static bool make_room(struct tc_buf *buf, size_t len)
{
	if (buf->failed || len > SIZE_MAX - buf->len - 1 ||
		!TC_GROW(buf->ptr, buf->capacity, buf->len + len + 1)) {
		fail(buf);
		return false;
	}
	return true;
}

void tc_buf_append(struct tc_buf *buf, const char *bytes, size_t len)
{
	if (len == 0 || !make_room(buf, len))
		return;
	memcpy(buf->ptr + buf->len, bytes, len);
	buf->len += len;
}

char *tc_buf_extend(struct tc_buf *buf, size_t len)
{
	if (!make_room(buf, len))
		return NULL;
	buf->len += len;
	return buf->ptr + buf->len - len;
}

void tc_buf_append_text(struct tc_buf *buf, struct tc_text text)
{
	tc_buf_append(buf, text.ptr, text.len);
}

void tc_buf_append_string(struct tc_buf *buf, const char *string)
{
	tc_buf_append(buf, string, strlen(string));
}

void tc_buf_append_char(struct tc_buf *buf, char c)
{
	tc_buf_append(buf, &c, 1);
}

void tc_buf_format(struct tc_buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tc_buf_vformat(buf, format, args);
	va_end(args);
}

void tc_buf_append_texts(struct tc_buf *buf, const struct tc_text *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tc_buf_append_text(buf, texts[i]);
}

const char *tc_buf_list(struct tc_buf *buf, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tc_buf_format(buf, "%s%s", i > 0 ? ", " : "", names[i]);
	const char *list = tc_buf_string(buf);
	return list ? list : "";
}

void tc_buf_append_varint(struct tc_buf *buf, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		tc_buf_append_char(buf, (char)(value | 0x80));
	tc_buf_append_char(buf, (char)value);
}

void tc_buf_append_escaped(
	struct tc_buf *buf, struct tc_text text, const char *special, const char *const *instead)
{
	size_t count = strlen(special), from = 0;

	for (size_t i = 0; i < text.len; i++) {
		const char *at = memchr(special, text.ptr[i], count);
		if (!at)
			continue;
		tc_buf_append(buf, text.ptr + from, i - from);
		tc_buf_append_string(buf, instead[at - special]);
		from = i + 1;
	}
	if (from < text.len)
		tc_buf_append(buf, text.ptr + from, text.len - from);
}

void tc_buf_vformat(struct tc_buf *buf, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, args);
	if (len < 0)
		fail(buf);
	else if (make_room(buf, (size_t)len)) {
		vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, again);
		buf->len += (size_t)len;
	}
	va_end(again);
}

void tc_buf_end(struct tc_buf *whole, struct tc_buf *part)
{
	if (part->failed)
		fail(whole);
	tc_buf_clear(part);
}

void tc_buf_consume(struct tc_buf *buf, size_t len)
{
	if (len == 0)
		return;
	memmove(buf->ptr, buf->ptr + len, buf->len - len);
	buf->len -= len;
}

const char *tc_buf_string(struct tc_buf *buf)
{
	if (!make_room(buf, 0))
		return NULL;
	buf->ptr[buf->len] = '\0';
	return buf->ptr;
}

char *tc_buf_take_string(struct tc_buf *buf)
{
	char *string = tc_buf_string(buf) ? buf->ptr : NULL;

	if (!string)
		tc_buf_clear(buf);
	*buf = (struct tc_buf){.ctx = buf->ctx};
	return string;
}

char *tc_text_dup(struct tc_text text)
{
	struct tc_buf copy = TC_BUF_EMPTY;

	tc_buf_append_text(&copy, text);
	return tc_buf_take_string(&copy);
}

char *tc_string_dup(const char *string)
{
	return tc_text_dup(tc_text_from(string));
}
