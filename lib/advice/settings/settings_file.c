/*
 * Settings from an ini file, read with inih. We hand it the lines ourselves: so we know their
 * numbers, and an indented key is a key, not more of the value above. See settings.h.
 */
#include <ini.h>

#include "advice/settings/settings.h"
#include "core/buf.h"
#include "core/limits.h"
#include "core/files/reads.h"

struct reading {
	struct tc_settings *settings;
	struct tc_ctx *ctx;
	const char *path;
	struct tc_text rest; /* what is not read yet */
	int line;
	enum tc_status status; /* of the first fault; nothing is read after it */
};

static void fail_line(struct reading *reading, const char *what)
{
	reading->status = tc_fail(
		reading->ctx, TC_ERR_USAGE, "%s:%d: %s", reading->path, reading->line, what);
}

/* The next line without its leading blanks, as fgets() would; NULL at the end and after a fault. */
static char *read_line(char *out, int size, void *user)
{
	struct reading *reading = user;
	struct tc_text line = reading->rest;

	if (reading->status != TC_OK || line.len == 0)
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

static int take(void *user, const char *section, const char *name, const char *value)
{
	struct reading *reading = user;

	if (reading->status != TC_OK)
		return 0;
	if (!*section)
		fail_line(reading, "a parameter of no heuristic: write [HEURISTIC] above it");
	else
		reading->status = tc_settings_set(
			reading->settings, reading->ctx, section, name, value ? value : "");
	if (reading->status != TC_OK && *section)
		tc_fail(reading->ctx, reading->status, "%s:%d", reading->path, reading->line);
	return reading->status == TC_OK;
}

/* A pipe of the shell's will do, too: reading it waits for its writer. */
static enum tc_status read_file(struct tc_buf *out, struct tc_ctx *ctx, const char *path)
{
	enum tc_status status = tc_reads_all(out, ctx, tc_reads_open(ctx, path),
		TC_SETTINGS_MAX_FILE_BYTES, "the settings in", path);

	if (status != TC_OK)
		return status;
	if (out->len > TC_SETTINGS_MAX_FILE_BYTES)
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s: longer than %d bytes: give an ini file of settings", path,
			TC_SETTINGS_MAX_FILE_BYTES);
	return TC_OK;
}

enum tc_status tc_settings_read(struct tc_settings *settings, struct tc_ctx *ctx, const char *path)
{
	struct tc_buf text = TC_BUF_EMPTY;
	struct reading reading = {.settings = settings, .ctx = ctx, .path = path};

	reading.status = read_file(&text, ctx, path);
	reading.rest = tc_buf_text(&text);
	int bad_line = ini_parse_stream(read_line, &reading, take, &reading);
	tc_buf_clear(&text);
	if (reading.status == TC_OK && bad_line > 0) {
		reading.line = bad_line;
		fail_line(&reading, "neither [HEURISTIC] nor PARAMETER = VALUE");
	}
	return reading.status;
}
