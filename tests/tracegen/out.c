/*
 * Buffered output and the number formats of the two writers. Formatting is integer arithmetic
 * throughout, so that the text is the same on every machine.
 */
#include "tracegen.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)1 << 18)

bool tg_out_open(struct tg_out *out, const char *path)
{
	memset(out, 0, sizeof(*out));
	if (path != NULL) {
		out->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
		if (out->file == NULL) {
			return false;
		}
	}
	out->buffer = malloc(BUFFER_BYTES);
	if (out->buffer == NULL && out->file != NULL && out->file != stdout) {
		fclose(out->file);
	}
	return out->buffer != NULL;
}

static void flush_buffer(struct tg_out *out)
{
	if (out->file != NULL && fwrite(out->buffer, 1, out->used, out->file) != out->used) {
		out->failed = true;
	}
	out->written += (int64_t)out->used;
	out->used = 0;
}

bool tg_out_close(struct tg_out *out)
{
	flush_buffer(out);
	free(out->buffer);
	out->buffer = NULL;
	if (out->file == stdout) {
		return fflush(stdout) == 0 && !out->failed;
	}
	if (out->file != NULL && fclose(out->file) != 0) {
		out->failed = true;
	}
	return !out->failed;
}

static void put_bytes(struct tg_out *out, const char *bytes, size_t length)
{
	if (BUFFER_BYTES - out->used < length) {
		flush_buffer(out);
	}
	memcpy(out->buffer + out->used, bytes, length);
	out->used += length;
}

void tg_put(struct tg_out *out, const char *text)
{
	put_bytes(out, text, strlen(text));
}

void tg_put_json(struct tg_out *out, const char *text)
{
	put_bytes(out, "\"", 1);
	tg_put(out, text);
	put_bytes(out, "\"", 1);
}

/* Digits of `value` right-aligned in `end`; returns where they start. */
static char *digits_before(char *end, uint64_t value, uint64_t base)
{
	do {
		*--end = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	return end;
}

void tg_put_int(struct tg_out *out, int64_t value)
{
	char text[24];
	char *end = text + sizeof(text);
	char *start = digits_before(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);

	if (value < 0) {
		*--start = '-';
	}
	put_bytes(out, start, (size_t)(end - start));
}

void tg_put_hex(struct tg_out *out, uint64_t value)
{
	char text[24];
	char *end = text + sizeof(text);
	char *start = digits_before(end, value, 16);

	tg_put(out, "0x");
	put_bytes(out, start, (size_t)(end - start));
}

/* From 1e15 us on the shortest double has an exponent; below it at least one decimal. */
static void put_exponent(struct tg_out *out, int64_t ns)
{
	char text[32];
	char *end = text + 24;
	char *start = digits_before(end, (uint64_t)ns / 100, 10);
	char *first = start - 1;

	first[0] = start[0];
	*start = '.';
	while (end[-1] == '0') {
		end--;
	}
	if (end[-1] == '.') {
		end--;
	}
	put_bytes(out, first, (size_t)(end - first));
	tg_put(out, "e+15");
}

void tg_put_us_double(struct tg_out *out, int64_t ns)
{
	char fraction[4];
	int64_t rest = ns % 1000;

	if (ns >= INT64_C(1000000000000000000)) {
		put_exponent(out, ns);
		return;
	}
	tg_put_int(out, ns / 1000);
	fraction[0] = '.';
	fraction[1] = (char)('0' + rest / 100);
	fraction[2] = (char)('0' + rest / 10 % 10);
	fraction[3] = (char)('0' + rest % 10);
	put_bytes(out, fraction, rest % 10 != 0 ? 4 : rest % 100 != 0 ? 3 : 2);
}

void tg_put_us_fixed(struct tg_out *out, int64_t ns)
{
	char fraction[4];
	int64_t rest = ns % 1000;

	tg_put_int(out, ns / 1000);
	fraction[0] = '.';
	fraction[1] = (char)('0' + rest / 100);
	fraction[2] = (char)('0' + rest / 10 % 10);
	fraction[3] = (char)('0' + rest % 10);
	put_bytes(out, fraction, 4);
}
