/* Evidence in words. See evidence.h. SQLite reads the row's JSON. */
#include "report/evidence.h"

#include "report/format.h"

/* Said in the line's first half already. */
static bool is_leading(struct tc_text key)
{
	static const char *const leading[] = {
		"subject", "gain_ns", "confidence", "count", "serious"};

	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++)
		if (tc_text_equal(key, tc_text_from(leading[i])))
			return true;
	return false;
}

static void format_ns(struct tc_buf *buf, const struct tc_rows *row)
{
	tc_format_ns(buf, tc_rows_int(row, 1));
}

static void format_bytes(struct tc_buf *buf, const struct tc_rows *row)
{
	tc_format_bytes(buf, tc_rows_int(row, 1));
}

static void format_pct(struct tc_buf *buf, const struct tc_rows *row)
{
	tc_format_pct(buf, tc_rows_real(row, 1));
}

static void format_count(struct tc_buf *buf, const struct tc_rows *row)
{
	if (sqlite3_column_type(row->stmt, 1) == SQLITE_FLOAT)
		tc_buf_format(buf, "%.1f", tc_rows_real(row, 1));
	else
		tc_format_count(buf, tc_rows_int(row, 1));
}

static void format_ratio(struct tc_buf *buf, const struct tc_rows *row)
{
	tc_buf_format(buf, "%.2f", tc_rows_real(row, 1));
}

static void format_plain(struct tc_buf *buf, const struct tc_rows *row)
{
	tc_buf_append_text(buf, tc_rows_text(row, 1));
}

static const struct suffix {
	const char *text;
	void (*format)(struct tc_buf *buf, const struct tc_rows *row);
} suffixes[] = {
	{"_ns", format_ns},
	{"_bytes", format_bytes},
	{"_pct", format_pct},
	{"_count", format_count},
	{"_ratio", format_ratio},
	{"", format_plain},
};

static const struct suffix *suffix_of(struct tc_text key)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		struct tc_text text = tc_text_from(suffixes[i].text);
		if (key.len > text.len &&
			memcmp(key.ptr + key.len - text.len, text.ptr, text.len) == 0)
			return &suffixes[i];
	}
	return &suffixes[sizeof(suffixes) / sizeof(suffixes[0]) - 1];
}

/* "exposed_ns" 280000000 is "exposed 280.0 ms". */
static void append_column(struct tc_buf *line, const struct tc_rows *row, struct tc_text key)
{
	const struct suffix *suffix = suffix_of(key);

	if (suffix->format != format_count) /* "worker count 0", but "exposed 56.0 %" */
		key.len -= strlen(suffix->text);
	for (size_t i = 0; i < key.len; i++)
		tc_buf_append_char(line, key.ptr[i] == '_' ? ' ' : key.ptr[i]);
	tc_buf_append_char(line, ' ');
	suffix->format(line, row);
}

enum tc_status tc_evidence_line(
	struct tc_buf *line, struct tc_job *job, const struct tc_evidence *evidence)
{
	struct tc_rows rows;

	tc_buf_append_string(line, evidence->subject);
	const char *separator = ": ";
	if (evidence->count > 1) { /* that a thing is there once goes without saying */
		tc_buf_append_string(line, separator);
		tc_format_count(line, evidence->count);
		tc_buf_append_string(line, " times");
		separator = ", ";
	}
	if (evidence->gain_ns != TC_GAIN_NONE) {
		tc_buf_append_string(line, separator);
		tc_buf_append_string(line, "up to ");
		tc_format_ns(line, evidence->gain_ns);
		separator = ", ";
	}
	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT key, value FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END)"
		" WHERE value IS NOT NULL ORDER BY id");
	tc_rows_bind_text(&rows, 1, tc_text_from(evidence->json));
	while (tc_rows_next(&rows)) {
		struct tc_text key = tc_rows_text(&rows, 0);
		if (is_leading(key))
			continue;
		tc_buf_append_string(line, separator);
		append_column(line, &rows, key);
		separator = ", ";
	}
	return tc_rows_close(&rows);
}

enum tc_status tc_evidence_json(
	struct tc_text *out, struct tc_job *job, const struct tc_evidence *evidence)
{
	struct tc_rows rows;
	bool valid = false;

	tc_rows_open(&rows, job->ctx, job->db, "SELECT json_valid(?1)");
	tc_rows_bind_text(&rows, 1, tc_text_from(evidence->json));
	if (tc_rows_next(&rows))
		valid = tc_rows_int(&rows, 0) != 0;
	*out = valid ? tc_text_from(evidence->json) : TC_TEXT_NONE;
	return tc_rows_close(&rows);
}
