/*
 * Reads the ini file of --config with inih. We hand it the lines ourselves: so we know their
 * numbers, and an indented key is a key, not more of the value above.
 */
#include "config.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/remedy.h"
#include "core/reads.h"

#define LINE_BYTES 512

struct reading {
	struct tc_advice_settings *settings;
	struct tc_ctx *ctx;
	const char *path;
	FILE *file;
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
	char line[LINE_BYTES];

	if (reading->status != TC_OK || !fgets(line, sizeof(line), reading->file))
		return NULL;
	reading->line++;
	size_t blanks = strspn(line, " \t"), len = strlen(line + blanks);
	if (len + 1 > (size_t)size) {
		fail_line(reading, "the line is too long: shorten it to 190 characters");
		return NULL;
	}
	memcpy(out, line + blanks, len + 1);
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
		reading->status = tc_advice_settings_set(
			reading->settings, reading->ctx, section, name, value ? value : "");
	if (reading->status != TC_OK && *section)
		tc_fail(reading->ctx, reading->status, "%s:%d", reading->path, reading->line);
	return reading->status == TC_OK;
}

enum tc_status tc_config_read(
	struct tc_advice_settings *settings, struct tc_ctx *ctx, const char *path)
{
	struct reading reading = {.settings = settings, .ctx = ctx, .path = path};
	int bad_line;

	int fd = tc_reads_open(ctx, path, 0);
	reading.file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!reading.file && fd >= 0)
		close(fd);
	if (!reading.file)
		return tc_fail(ctx, errno == ENOMEM ? TC_ERR_NOMEM : TC_ERR_USAGE,
			"cannot read the settings in %s: %s%s", path, strerror(errno),
			tc_remedy(errno));
	errno = 0;
	bad_line = ini_parse_stream(read_line, &reading, take, &reading);
	if (reading.status == TC_OK && ferror(reading.file))
		reading.status = tc_fail(ctx, TC_ERR_USAGE, "cannot read the settings in %s: %s",
			path, strerror(errno));
	fclose(reading.file);
	if (reading.status == TC_OK && bad_line > 0) {
		reading.line = bad_line;
		fail_line(&reading, "neither [HEURISTIC] nor PARAMETER = VALUE");
	}
	return reading.status;
}
