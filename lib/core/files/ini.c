/*
 * inih reads the files; only this file uses it. It gets the lines from here: so their numbers are
 * known, also of the line whose value is wrong.
 */
#include "core/files/ini.h"

#include <ini.h>
#include <string.h>

#include "core/buf.h"
#include "core/context.h"
#include "core/files/reads.h"

struct reading {
	const struct tc_ini *ini;
	struct tc_ctx *ctx; /* nothing is read once it has failed */
	const char *path;
	struct tc_text rest; /* not read yet */
	int line;
};

static void fail_line(const struct reading *reading, const char *fault)
{
	tc_fail(reading->ctx, TC_ERR_USAGE, "%s:%d: %s", reading->path, reading->line, fault);
}

/* The next line without its leading blanks, as fgets() would; NULL at the end and after a fault. */
static char *read_line(char *out, int size, void *user)
{
	struct reading *reading = user;
	struct tc_text line = reading->rest;

	if (tc_ctx_failed(reading->ctx) || line.len == 0)
		return NULL;
	const char *end = memchr(line.ptr, '\n', line.len);
	if (end)
		line.len = (size_t)(end + 1 - line.ptr);
	reading->rest = (struct tc_text){line.ptr + line.len, reading->rest.len - line.len};
	reading->line++;
	for (; line.len > 0 && (*line.ptr == ' ' || *line.ptr == '\t'); line.len--)
		line.ptr++;
	if (line.len + 1 > (size_t)size) {
		fail_line(reading, "the line is too long: shorten it to 190 characters");
		return NULL;
	}
	memcpy(out, line.ptr, line.len);
	out[line.len] = '\0';
	return out;
}

static int take_value(void *user, const char *section, const char *key, const char *value)
{
	struct reading *reading = user;
	struct tc_ctx *ctx = reading->ctx;

	if (tc_ctx_failed(ctx))
		return 0;
	if (!*section) {
		fail_line(reading, reading->ini->homeless);
		return 0;
	}
	reading->ini->take(reading->ini->user, section, key, value ? value : "");
	if (tc_ctx_failed(ctx))
		tc_fail(ctx, tc_ctx_status(ctx), "%s:%d", reading->path, reading->line);
	return !tc_ctx_failed(ctx);
}

void tc_ini_read(const struct tc_ini *ini, struct tc_ctx *ctx, const char *path)
{
	struct tc_buf text = {.ctx = ctx};
	struct reading reading = {.ini = ini, .ctx = ctx, .path = path};

	tc_reads_all(&text, ctx, tc_reads_open(ctx, path), ini->limit_bytes, ini->what, path);
	if (!tc_ctx_failed(ctx) && text.len > ini->limit_bytes)
		tc_fail(ctx, TC_ERR_USAGE, "%s: longer than %zu bytes: give %s", path,
			ini->limit_bytes, ini->kind);
	reading.rest = tc_buf_text(&text);
	int bad_line = ini_parse_stream(read_line, &reading, take_value, &reading);
	tc_buf_clear(&text);
	if (!tc_ctx_failed(ctx) && bad_line > 0) {
		reading.line = bad_line;
		fail_line(&reading, ini->formless);
	}
}
