/*
 * For fuzz targets: writes every report of a store, and demands of each what every report promises:
 * valid UTF-8 without characters that hide, turn text around or move the cursor.
 */
#ifndef TC_FUZZ_REPORTS_H
#define TC_FUZZ_REPORTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/context.h"
#include "core/text/utf8.h"
#include "report/text/glyph.h"
#include "tracecoach/compare.h"
#include "tracecoach/report.h"
#include "tracecoach/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* A file for the inputs of this process, written anew for each. */
static inline const char *fuzz_path(void)
{
	static char path[64];

	if (!path[0])
		snprintf(path, sizeof(path), "/tmp/tc-fuzz-%ld", (long)getpid());
	return path;
}

static inline void fuzz_write(const void *bytes, size_t len)
{
	FILE *file = fopen(fuzz_path(), "wb");

	demand(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0,
		"cannot write to /tmp");
}

static inline int keep_bytes(void *user, const char *bytes, size_t len)
{
	tc_buf_append(user, bytes, len);
	return 0;
}

static inline void check_output(struct tc_buf *out, const char *format)
{
	struct tc_text text = tc_buf_text(out);

	demand(tc_utf8_valid(text), format);
	for (size_t at = 0; at < text.len;) {
		struct tc_glyph glyph = tc_glyph_at((struct tc_text){text.ptr + at, text.len - at});
		demand(!tc_glyph_hidden(glyph.code) || glyph.code == '\n' || glyph.code == '\t' ||
				glyph.code == '\r',
			format);
		at += glyph.len;
	}
	tc_buf_reset(out);
}

/* Advice with the built-in heuristics and their defaults. */
static inline enum tc_status fuzz_advise(
	struct tc_advice **out, struct tc_ctx *ctx, struct tc_store *store)
{
	static struct tc_settings *settings;

	if (!settings)
		demand(tc_settings_new(&settings, ctx, NULL) == TC_OK, tc_ctx_error(ctx));
	return tc_advise_store(out, ctx, store, settings);
}

/* A failure is fine where the store is at fault, never one of ours. */
static inline void check_status(struct tc_ctx *ctx, enum tc_status status)
{
	if (status == TC_ERR_INTERNAL)
		fprintf(stderr, "%s\n", tc_ctx_error(ctx));
	demand(status != TC_ERR_INTERNAL, "an internal error");
	demand(tc_utf8_valid(tc_text_from(tc_ctx_error(ctx))) || status != TC_OK,
		"an error without status");
	tc_ctx_clear_error(ctx);
}

/* Every renderer; all must succeed when the store is ours. */
static inline void check_reports(struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_advice *advice, bool must_succeed)
{
	size_t count;
	const struct tc_renderer *all = tc_renderers(&count);
	const struct tc_report_options options = {
		.width = 60, .step = -1, .rank = -1, .details = true};
	struct tc_buf out = TC_BUF_EMPTY;

	for (size_t i = 0; i < count; i++) {
		enum tc_status status =
			all[i].render(ctx, store, advice, &options, keep_bytes, &out);
		if (status && must_succeed)
			fprintf(stderr, "%s: %s\n", all[i].name, tc_ctx_error(ctx));
		demand(!status || !must_succeed, "a report failed");
		check_status(ctx, status);
		check_output(&out, all[i].name);
	}
	tc_buf_clear(&out);
}

static inline void check_compare(struct tc_ctx *ctx, const struct tc_compare_side sides[2])
{
	size_t count;
	const struct tc_compare_format *all = tc_compare_formats(&count);
	const struct tc_report_options options = {.width = 60, .top = 5, .step = -1, .rank = -1};
	struct tc_buf out = TC_BUF_EMPTY;

	for (size_t i = 0; i < count; i++) {
		struct tc_compare_result result;
		const struct tc_compare_output to = {keep_bytes, &out};
		check_status(ctx, tc_compare(&result, ctx, sides, &all[i], &options, &to));
		check_output(&out, all[i].name);
	}
	tc_buf_clear(&out);
}

#endif
