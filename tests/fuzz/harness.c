/* What fuzz targets share. See harness.h. */
#include "fuzz/harness.h"

#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/text/utf8.h"
#include "decode/json/parser.h"
#include "report/text/format.h"
#include "tracecoach/query.h"

/* An input tries all heuristics or one part of them. */
enum { PARTS = 8 };

static uint64_t chance;     /* changes with each question */
static int64_t block_count; /* of SQLite, before the input */

/* The sanitizer keeps what was freed for a while, and new memory costs a fault for each page. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=16";
}

static const char *directory(void)
{
	return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static bool does_all(void)
{
	return getenv("TC_FUZZ_ALL") != NULL;
}

struct tc_ctx *fuzz_begin(const uint8_t *data, size_t size)
{
	static bool has_begun;

	if (!has_begun) {
		setenv("TMPDIR", directory(), true);
		fuzz_own_sqlite();
	}
	has_begun = true;
	block_count = fuzz_sqlite_blocks();
	chance = tc_hash_of(data, size);
	struct tc_ctx *ctx = tc_ctx_new();
	demand(ctx != NULL, "out of memory");
	return ctx;
}

void fuzz_end(struct tc_ctx *ctx)
{
	tc_ctx_free(ctx);
	demand(fuzz_sqlite_blocks() == block_count, "SQLite has memory of a statement left");
	for (int i = 0; i < FUZZ_PATHS; i++)
		unlink(fuzz_path(i));
}

/* A linear congruential generator (Knuth, MMIX): its high bits are the random ones. */
static unsigned draw(unsigned count)
{
	chance = chance * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(chance >> 33) % count;
}

bool fuzz_chance(unsigned one_in)
{
	return draw(one_in) == 0 || does_all();
}

const char *fuzz_path(int index)
{
	static char paths[FUZZ_PATHS][64];

	if (!paths[index][0])
		snprintf(paths[index], sizeof(paths[index]), "%s/tc-fuzz-%07ld-%d", directory(),
			(long)getpid(), index);
	return paths[index];
}

void fuzz_write_file(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "wb");

	demand(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0,
		"cannot write the input to a file");
}

void fuzz_write(int index, const void *bytes, size_t len)
{
	fuzz_write_file(fuzz_path(index), bytes, len);
}

/* Those whose number leaves that rest, or all for the part behind the last. */
static struct tc_settings *new_settings(struct tc_ctx *ctx, unsigned part)
{
	struct tc_settings *all = NULL, *some = NULL;
	struct tc_buf ids = TC_BUF_EMPTY;

	demand(tc_settings_new(&all, ctx, NULL) == TC_OK, tc_ctx_error(ctx));
	if (part == PARTS)
		return all;
	for (size_t i = part; tc_heuristic_at(all, i); i += PARTS)
		tc_buf_format(&ids, "%s%s", ids.len > 0 ? "," : "", tc_heuristic_at(all, i)->id);
	const char *const only[] = {tc_buf_string(&ids), NULL};
	const struct tc_settings_options options = {.only = only};
	demand(tc_settings_new(&some, ctx, &options) == TC_OK, tc_ctx_error(ctx));
	tc_buf_clear(&ids);
	tc_settings_free(all);
	return some;
}

const struct tc_settings *fuzz_settings(bool all)
{
	static struct tc_settings *settings[PARTS + 1];
	unsigned part = all || does_all() ? PARTS : draw(PARTS + 1);

	if (!settings[part]) {
		struct tc_ctx *ctx = tc_ctx_new();
		settings[part] = new_settings(ctx, part);
		tc_ctx_free(ctx);
	}
	return settings[part];
}

int fuzz_keep(void *user, const char *bytes, size_t len)
{
	tc_buf_append(user, bytes, len);
	return 0;
}

/* Any JSON is an element of a list. */
static void check_json(struct tc_text text)
{
	static const struct tc_parser_handlers none;
	struct tc_parser *parser = tc_parser_new(&none, NULL);

	demand(parser && tc_parser_restart(parser, "[") == TC_PARSER_TAKEN &&
			tc_parser_feed(parser, text.ptr, text.len) == TC_PARSER_TAKEN &&
			tc_parser_feed(parser, ",0]", 3) == TC_PARSER_TAKEN,
		"output that is no JSON");
	tc_parser_free(parser);
}

void fuzz_check_output(struct tc_buf *out, const char *format)
{
	struct tc_text text = tc_buf_text(out);

	if (strcmp(format, "json") == 0 && text.len > 0)
		check_json(text);
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

void fuzz_check_status(struct tc_ctx *ctx, enum tc_status status)
{
	bool is_ours = status == TC_ERR_INTERNAL || status == TC_ERR_NOMEM;

	if (is_ours)
		fprintf(stderr, "%s\n", tc_ctx_error(ctx));
	demand(!is_ours, "an error of ours");
	demand(tc_utf8_valid(tc_text_from(tc_ctx_error(ctx))) || status != TC_OK,
		"an error without status");
	tc_ctx_clear_error(ctx);
}

int64_t fuzz_number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	demand(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, sqlite3_errmsg(db));
	demand(sqlite3_step(stmt) == SQLITE_ROW, sql);
	int64_t value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static int stop(void *user, const struct tc_row_batch *rows)
{
	(void)user, (void)rows;
	return -1;
}

void fuzz_check_queries(
	struct tc_ctx *ctx, struct tc_store *store, const char *const *queries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fuzz_check_status(ctx, tc_query_rows(ctx, store, queries[i], NULL, stop, NULL));
}

void fuzz_check_reports(struct tc_ctx *ctx, struct tc_store *store, const struct tc_advice *advice,
	bool must_succeed)
{
	size_t count;
	const struct tc_renderer *all = tc_renderers(&count);
	const struct tc_report_options options = {.width = 60, .details = true};
	struct tc_buf out = TC_BUF_EMPTY;

	for (size_t i = 0; i < count; i++) {
		if (!fuzz_chance((unsigned)count))
			continue;
		enum tc_status status =
			all[i].render(ctx, store, advice, &options, fuzz_keep, &out);
		if (status && must_succeed)
			fprintf(stderr, "%s: %s\n", all[i].name, tc_ctx_error(ctx));
		demand(!status || !must_succeed, "a report failed");
		fuzz_check_status(ctx, status);
		fuzz_check_output(&out, all[i].name);
	}
	tc_buf_clear(&out);
}

void fuzz_check_compare(struct tc_ctx *ctx, const struct tc_compare_side sides[2])
{
	size_t count;
	const struct tc_compare_format *all = tc_compare_formats(&count);
	const struct tc_report_options options = {.width = 60, .top = 5};
	struct tc_buf out = TC_BUF_EMPTY;

	for (size_t i = 0; i < count; i++) {
		struct tc_compare_result result;
		const struct tc_compare_output to = {fuzz_keep, &out};
		if (!fuzz_chance((unsigned)count))
			continue;
		fuzz_check_status(ctx, tc_compare(&result, ctx, sides, &all[i], &options, &to));
		fuzz_check_output(&out, all[i].name);
	}
	tc_buf_clear(&out);
}
