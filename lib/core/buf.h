/*
 * A byte buffer that grows. After the first failed allocation it is "broken": appends do nothing
 * and tc_buf_failed() is true, so a run of appends needs one check at its end.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"

struct tc_buf {
	char *ptr; /* not terminated; use tc_buf_string() for a C string */
	size_t len, capacity;
	bool failed;
	struct tc_ctx *ctx; /* told when memory is out; NULL for none */
};

#define TC_BUF_EMPTY ((struct tc_buf){0})

void tc_buf_clear(struct tc_buf *buf); /* frees; ready for use again */
void tc_buf_reset(struct tc_buf *buf); /* empties, keeps the memory and heals "broken" */
void tc_buf_append(struct tc_buf *buf, const char *bytes, size_t len);
void tc_buf_append_text(struct tc_buf *buf, struct tc_text text);
void tc_buf_append_string(struct tc_buf *buf, const char *string);
void tc_buf_append_char(struct tc_buf *buf, char c);
/* Appends several texts: TC_APPEND(buf, TC_TEXT(" ("), name, TC_TEXT(")")); */
#define TC_APPEND(buf, ...)                                                                        \
	tc_buf_append_texts((buf), (const struct tc_text[]){__VA_ARGS__},                          \
		sizeof((const struct tc_text[]){__VA_ARGS__}) / sizeof(struct tc_text))
void tc_buf_append_texts(struct tc_buf *buf, const struct tc_text *texts, size_t count);
/* Appends text with each of some characters replaced: "&<" by {"&amp;", "&lt;"}. */
void tc_buf_append_escaped(
	struct tc_buf *buf, struct tc_text text, const char *special, const char *const *instead);
/* Appends "a, b, c" and returns all as a string, borrowed until the next change; "" when broken. */
const char *tc_buf_list(struct tc_buf *buf, const char *const *names, size_t count);
/* Appends a number as LEB128: seven bits a byte, the lowest first. */
void tc_buf_append_varint(struct tc_buf *buf, uint64_t value);
/* Appends len bytes of unset contents and returns where they are, NULL when broken. */
char *tc_buf_extend(struct tc_buf *buf, size_t len);
/* Appends as printf would. */
void tc_buf_format(struct tc_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void tc_buf_vformat(struct tc_buf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/* Clears part, which was made to go into whole: whole is broken if part was. */
void tc_buf_end(struct tc_buf *whole, struct tc_buf *part);
/* Drops the first len bytes. */
void tc_buf_consume(struct tc_buf *buf, size_t len);
/* The contents as a terminated string, borrowed until the next change; NULL when broken. */
const char *tc_buf_string(struct tc_buf *buf);
/* Takes the text out of the buffer, which is empty then; the caller's to free. */
char *tc_buf_take_string(struct tc_buf *buf);
/* A terminated copy, the caller's to free; NULL when memory is out. */
char *tc_text_dup(struct tc_text text);
char *tc_string_dup(const char *string);
static inline bool tc_buf_failed(const struct tc_buf *buf)
{
	return buf->failed;
}
static inline struct tc_text tc_buf_text(const struct tc_buf *buf)
{
	return (struct tc_text){buf->ptr ? buf->ptr : "", buf->len};
}
