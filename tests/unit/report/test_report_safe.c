/*
 * What a trace says cannot harm whoever reads a report: every format gives valid UTF-8 without
 * characters that move the cursor, turn text around or hide, in time that grows with the texts.
 */
#include "report_fixture.h"

#include <time.h>

#include "core/text/utf8.h"
#include "report/text/format.h"
#include "store/functions/functions.h"

/* ESC, C1 (CSI), bidi override and isolate, zero width, soft hyphen, Arabic letter mark, tag,
 * interlinear anchor, DEL, a noncharacter; half a character, an overlong one, a surrogate. */
#define HOSTILE                                                                                    \
	"\033[2Ja\xc2\x9b"                                                                         \
	"2Jb\xe2\x80\xae"                                                                          \
	"c\xe2\x81\xa6"                                                                            \
	"d\xe2\x80\x8b\xc2\xad\xd8\x9c\xf3\xa0\x81\x81\xef\xbf\xb9\x7f\xef\xbf\xbf"                \
	"e\xe2\x80|\xe0\x9f\xbf|\xed\xa0\x80|\xff|\r\n\t\"`|,"

/* Every text column of every table holds it. */
static sqlite3 *hostile_store(void)
{
	sqlite3 *db = fixture_store();
	sqlite3_stmt *columns;

	assert_int_equal(
		sqlite3_prepare_v2(db,
			"SELECT format('UPDATE OR IGNORE \"%w\" SET \"%w\" = \"%w\" || ?1', m.name,"
			" c.name, c.name) FROM sqlite_schema m, pragma_table_info(m.name) c"
			" WHERE m.type = 'table' AND c.type = 'TEXT' AND NOT (m.name = 'metric'"
			" AND c.name = 'name')",
			-1, &columns, NULL),
		SQLITE_OK);
	while (sqlite3_step(columns) == SQLITE_ROW) {
		sqlite3_stmt *update;
		assert_int_equal(
			sqlite3_prepare_v2(db, (const char *)sqlite3_column_text(columns, 0), -1,
				&update, NULL),
			SQLITE_OK);
		sqlite3_bind_text(update, 1, HOSTILE, sizeof(HOSTILE) - 1, SQLITE_STATIC);
		sqlite3_step(update); /* a CHECK may refuse it */
		sqlite3_finalize(update);
	}
	sqlite3_finalize(columns);
	return db;
}

static bool is_safe(const char *text, size_t len, bool csv)
{
	if (!tc_utf8_valid((struct tc_text){text, len}))
		return false;
	for (size_t at = 0; at < len;) {
		struct tc_glyph glyph = tc_glyph_at((struct tc_text){text + at, len - at});
		bool plain =
			glyph.code == '\n' || glyph.code == '\t' || (csv && glyph.code == '\r');
		if (!plain && tc_glyph_hidden(glyph.code))
			return false;
		at += glyph.len;
	}
	return true;
}

static void every_format_is_safe(void **state)
{
	static const struct {
		const char *name;
		render_fn render;
	} rows[] = {
		{"text", tc_render_text},
		{"json", tc_render_json},
		{"md", tc_render_md},
		{"html", tc_render_html},
		{"csv", tc_render_csv},
		{"perf-tool", tc_render_perf_tool},
	};
	sqlite3 *db = hostile_store();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = fixture_text(db, fixture_advice(), rows[i].render);
		assert_true(strlen(text) > 300);
		if (!is_safe(text, strlen(text), rows[i].render == tc_render_csv))
			fail_msg("%s: %s", rows[i].name, text);
		free(text);
	}
	sqlite3_close(db);
}

/* Slices and pieces of a gap at the end of time. */
static void add_slices(sqlite3 *db, const char *value)
{
	char *sql = sqlite3_mprintf(
		"INSERT INTO track(id, trace_id, kind, name, device, lane)"
		" VALUES (900, 0, 'lane', 'a', '0', 'a'), (901, 0, 'thread', 'b', NULL, NULL);"
		"INSERT INTO label(id, name) VALUES (9000, 'x');"
		"INSERT INTO slice_row VALUES (90000, %s, %s, 900, 9000, NULL, NULL),"
		" (90001, 0, %s, 901, 9000, NULL, NULL), (90002, %s, 0, 901, 9000, NULL, NULL);"
		"INSERT INTO gap VALUES (7000, 0, '0', NULL, %s, %s, 'sync', NULL, 0, 0, NULL, "
		"NULL, 1, "
		"%s,"
		" %s, 0), (7001, 0, '0', NULL, 5, %s, 'launch', NULL, 0, 0, NULL, NULL, 1, %s, %s, "
		"0),"
		" (7002, 0, '0', NULL, 6, 1, 'queued', NULL, 0, 0, NULL, NULL, 1, %s, %s, 0)",
		value, value, value, value, value, value, value, value, value, value, value, value,
		value);

	memory_store_exec(db, sql);
	sqlite3_free(sql);
	memory_store_total_gaps(db);
}

/* Every number is the largest or the smallest there is; a sanitizer sees what overflows. */
static void numbers_may_be_anything(void **state)
{
	static const render_fn renderers[] = {tc_render_text, tc_render_json, tc_render_md,
		tc_render_html, tc_render_csv, tc_render_perf_tool};
	static const char *const values[] = {"9223372036854775807", "-9223372036854775807 - 1"};

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		sqlite3 *db = fixture_store();
		char *sql = sqlite3_mprintf(
			"UPDATE metric SET value = %s; UPDATE gap SET dur = %s, gap_dur "
			"= %s; UPDATE gap_total SET dur = %s, longest_ns = %s;"
			"UPDATE idle_total SET dur = %s, count = %s, longest_ns = %s;"
			"UPDATE op_total SET count = %s, dur_ns = %s, exclusive_ns = %s;"
			"UPDATE trace SET read_bytes = %s, start_ns = %s, event_count = %s",
			values[v], values[v], values[v], values[v], values[v], values[v], values[v],
			values[v], values[v], values[v], values[v], values[v], values[v],
			values[v]);
		assert_int_equal(tc_store_functions(db), SQLITE_OK);
		memory_store_exec(db, sql);
		add_slices(db, values[v]);
		for (size_t i = 0; i < sizeof(renderers) / sizeof(renderers[0]); i++)
			free(fixture_text(db, fixture_advice(), renderers[i]));
		sqlite3_free(sql);
		sqlite3_close(db);
	}
}

/* Writes text in pieces of a size and returns what arrives. */
static char *through(const char *text, size_t len, size_t piece, bool escapes, bool styled)
{
	struct output out = {0};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_sink sink;

	tc_sink_init(&sink, output_write, &out);
	sink.escapes = escapes;
	sink.styled = styled;
	for (size_t at = 0; at < len; at += piece)
		tc_sink_text(
			&sink, (struct tc_text){text + at, len - at < piece ? len - at : piece});
	assert_int_equal(tc_sink_close(&sink, ctx), TC_OK);
	tc_ctx_free(ctx);
	return out.text;
}

static void the_sink_makes_bytes_safe(void **state)
{
	static const struct {
		const char *given, *plain, *escaped;
	} rows[] = {
		{"a\tb\n", "a\tb\n", "a\tb\n"},
		{"\xc2\x9b"
		 "1",
			"?1", "\\u009b1"},
		{"\xe2\x80\xae", "?", "\\u202e"},
		{"\xf3\xa0\x81\x81", "?", "\\udb40\\udc41"},
		{"\xff.\xe2\x80.", "?.?.", "\xef\xbf\xbd.\xef\xbf\xbd."},
		{"\xe2\x80", "?", "\xef\xbf\xbd"},
		{"\r\033", "??", "\\u000d\\u001b"},
		{"\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80",
			"\xc3\xa9\xf0\x9f\x98\x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t piece = 1; piece < 4; piece++) {
			size_t len = strlen(rows[i].given);
			char *plain = through(rows[i].given, len, piece, false, false);
			char *escaped = through(rows[i].given, len, piece, true, false);
			assert_string_equal(plain, rows[i].plain);
			assert_string_equal(escaped, rows[i].escaped);
			free(plain);
			free(escaped);
		}
	}
	char *styled = through("\033[1mx", 5, 1, false, true);
	assert_string_equal(styled, "\033[1mx");
	free(styled);
}

/* Characters that the end of a buffer cuts are whole where they arrive. */
static void characters_may_be_cut_anywhere(void **state)
{
	size_t len = 200000;
	char *text = malloc(len + 1);

	(void)state;
	for (size_t from = 0; from < 3; from++) {
		memset(text, 'x', from);
		for (size_t at = from; at < len; at++)
			text[at] = "\xe2\x82\xac"[(at - from) % 3];
		len -= (len - from) % 3;
		text[len] = '\0';
		char *out = through(text, len, 7, false, false);
		assert_string_equal(out, text);
		free(out);
	}
	free(text);
}

static void an_interrupt_ends_the_report(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	struct tc_sink sink;

	(void)state;
	tc_sink_init(&sink, output_write, &out);
	sink.ctx = ctx;
	tc_sink_put(&sink, "before");
	assert_false(tc_sink_dead(&sink));
	tc_ctx_interrupt(ctx);
	tc_sink_put(&sink, "after");
	assert_true(tc_sink_dead(&sink));
	assert_int_equal(tc_sink_close(&sink, ctx), TC_ERR_INTERRUPTED);
	assert_null(out.text);
	tc_ctx_free(ctx);
}

static void names_are_bounded(void **state)
{
	size_t len = 8 << 20;
	char *text = malloc(len);
	struct tc_buf clean = TC_BUF_EMPTY, wrapped = TC_BUF_EMPTY;
	clock_t start = clock();

	(void)state;
	memset(text, 'a', len);
	tc_format_wrap(&wrapped, (struct tc_text){text, len}, 4, 4, 80); /* any caller's text */
	assert_true(wrapped.len > len);
	tc_format_clean(&clean, (struct tc_text){text, len}, false, 0);
	assert_int_equal(tc_format_columns(tc_buf_text(&clean)), TC_FORMAT_MAX_COLUMNS);
	tc_buf_reset(&clean);
	for (size_t at = 0; at < len; at++) /* no column, so no limit of columns holds them */
		text[at] = "\xcc\x81"[at % 2];
	tc_format_clean(&clean, (struct tc_text){text, len}, false, 0);
	assert_true(clean.len < 100);
	tc_buf_reset(&clean);
	memset(text, '<', len);
	tc_names_append(NULL, &clean, (struct tc_text){text, len});
	for (size_t at = 0; at < len; at++)
		text[at] = "a "[at % 2];
	tc_names_append(NULL, &clean, (struct tc_text){text, len});
	for (size_t at = 0; at < len; at++)
		text[at] = "a::<b,"[at % 6];
	tc_names_append(NULL, &clean, (struct tc_text){text, len});
	assert_true(clean.len < 2000);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 30);
	tc_buf_clear(&clean);
	tc_buf_clear(&wrapped);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_is_safe),
		cmocka_unit_test(numbers_may_be_anything),
		cmocka_unit_test(the_sink_makes_bytes_safe),
		cmocka_unit_test(characters_may_be_cut_anywhere),
		cmocka_unit_test(an_interrupt_ends_the_report),
		cmocka_unit_test(names_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
