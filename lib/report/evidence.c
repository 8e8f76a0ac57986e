/* Evidence in words. See evidence.h. SQLite reads the rows' JSON. */
#include "report/evidence.h"

#include "report/format.h"
#include "report/view.h"

#define SAME_NUMBER 100 /* a gain that is less by a smaller part is no news */

/* A line being made. */
struct line {
	struct tc_buf *out;
	const struct tc_finding *finding;
	const struct tc_evidence *row;
	bool gain_told; /* NOT_GAIN columns equal to it say it again */
	bool filled;    /* something stands behind the subject */
};

/* The words for a column, or NULL. */
static const struct tc_says *find_says(const struct tc_heuristic *heuristic, struct tc_text column)
{
	const struct tc_says *says = heuristic->says;

	while (says && says->column && !tc_text_equal(tc_text_from(says->column), column))
		says++;
	return says && says->column ? says : NULL;
}

/* Said in the line's first half already. */
static const char *const leading[] = {"subject", "gain_ns", "confidence", "count", "serious"};

static bool is_leading(struct tc_text key)
{
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

/* "2.5", "322", "0.33": two decimals at most, none that is 0. */
static void format_ratio(struct tc_buf *buf, const struct tc_rows *row)
{
	tc_buf_format(buf, "%.2f", tc_rows_real(row, 1));
	for (int i = 0; i < 2 && buf->len > 0 && buf->ptr[buf->len - 1] == '0'; i++)
		buf->len--;
	if (buf->len > 0 && buf->ptr[buf->len - 1] == '.')
		buf->len--;
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
		if (key.len > text.len && tc_text_ends(key, text))
			return &suffixes[i];
	}
	return &suffixes[sizeof(suffixes) / sizeof(suffixes[0]) - 1];
}

/* False for a value that tells nothing beyond what the line says without it. */
static bool is_news(const struct line *line, const struct tc_rows *row, enum tc_says_when when)
{
	bool zero = sqlite3_column_type(row->stmt, 1) != SQLITE_TEXT && tc_rows_real(row, 1) == 0;

	switch (when) {
	case TC_SAYS_ALWAYS: break;
	case TC_SAYS_NOT_ZERO: return !zero;
	case TC_SAYS_WITH_GAIN: return line->gain_told;
	case TC_SAYS_SEVERAL: return !zero && (line->row->count > 1 || line->row->count < 0);
	case TC_SAYS_NOT_GAIN:
		return !zero && !(line->gain_told && tc_rows_int(row, 1) == line->row->gain_ns);
	}
	return sqlite3_column_type(row->stmt, 1) != SQLITE_TEXT ||
	       !tc_text_equal(tc_rows_text(row, 1), tc_text_from(line->row->subject));
}

/* Told behind the column before it, which it is part of: "of 95.1 GB", "(8.0 % of ...)". */
static bool is_glued(char first)
{
	return first == '(' || first == '+';
}

static void append_separator(struct line *line, char first)
{
	bool glued = line->filled && is_glued(first);

	tc_buf_append_string(line->out, !line->filled ? ": " : glued ? " " : ", ");
	line->filled = true;
}

/* The text of the words with the value in its place. */
static void append_words(
	struct line *line, const struct tc_rows *row, struct tc_text key, const char *text)
{
	append_separator(line, text[0]);
	for (text += text[0] == '+'; *text; text++) {
		if (*text == '%')
			suffix_of(key)->format(line->out, row);
		else if (*text == '#')
			tc_format_count(line->out, tc_rows_int(row, 1));
		else if (*text == '~')
			tc_buf_append_string(line->out, tc_rows_int(row, 1) == 1 ? "" : "s");
		else if (*text == '@')
			tc_buf_append_text(line->out, tc_cause_phrase(tc_rows_text(row, 1)));
		else
			tc_buf_append_char(line->out, *text);
	}
}

/* Without words, "exposed_ns" 280000000 is "exposed 280.0 ms". */
static void append_named(struct line *line, const struct tc_rows *row, struct tc_text key)
{
	const struct suffix *suffix = suffix_of(key);

	append_separator(line, ' ');
	if (suffix->format != format_count) /* "worker count 0", but "exposed 56.0 %" */
		key.len -= strlen(suffix->text);
	for (size_t i = 0; i < key.len; i++)
		tc_buf_append_char(line->out, key.ptr[i] == '_' ? ' ' : key.ptr[i]);
	tc_buf_append_char(line->out, ' ');
	suffix->format(line->out, row);
}

static void append_column(struct line *line, const struct tc_rows *row, struct tc_text key)
{
	const struct tc_says *words = find_says(line->finding->heuristic, key);

	if (!words)
		append_named(line, row, key);
	else if (words->text[0] && is_news(line, row, words->when))
		append_words(line, row, key, words->text);
}

/* That a thing is there once goes without saying, unless the words count something of their own:
 * "1 gap". */
static void append_count(struct line *line)
{
	const struct tc_says *words = find_says(line->finding->heuristic, tc_text_from("count"));
	const char *text = words ? words->text : "# time~";
	bool always = words && words->when == TC_SAYS_NOT_ZERO;
	int64_t count = line->row->count;

	if (!*text || count < (always ? 1 : 2))
		return;
	append_separator(line, ' ');
	for (; *text; text++) {
		if (*text == '#')
			tc_format_count(line->out, count);
		else if (*text == '~')
			tc_buf_append_string(line->out, count == 1 ? "" : "s");
		else
			tc_buf_append_char(line->out, *text);
	}
}

/* A single row's gain is that of the finding, which stands above it with what is capped of it, and
 * rows of an umbrella are not told apart by gain. */
static void append_gain(struct line *line)
{
	const struct tc_finding *finding = line->finding;
	int64_t gain_ns = line->row->gain_ns;

	if (gain_ns == TC_GAIN_NONE || gain_ns == 0 || finding->evidence_count == 1 ||
		finding->heuristic->combine == TC_COMBINE_REST)
		return;
	append_separator(line, ' ');
	tc_buf_append_string(line->out, "up to ");
	tc_format_ns(line->out, gain_ns);
	line->gain_told = true;
}

/* All rows as one JSON array. */
static void append_rows(struct tc_buf *json, const struct tc_finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++) {
		tc_buf_append_string(json, i == 0 ? "[" : ",");
		tc_buf_append_string(json, finding->evidence[i].json);
	}
	tc_buf_append_char(json, ']');
}

/* As a JSON array, the columns that are told behind the one before them. */
static void append_glued(struct tc_buf *json, const struct tc_heuristic *heuristic)
{
	const char *before = "[";

	for (const struct tc_says *says = heuristic->says; says && says->column; says++) {
		if (!is_glued(says->text[0]))
			continue;
		tc_buf_format(json, "%s\"%s\"", before, says->column);
		before = ",";
	}
	tc_buf_append_string(json, before[0] == '[' ? "[]" : "]");
}

/* As a JSON array, the columns of a line's first half, which each line has for itself. */
static void append_leading(struct tc_buf *json)
{
	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++)
		tc_buf_format(json, "%s\"%s\"", i == 0 ? "[" : ",", leading[i]);
	tc_buf_append_char(json, ']');
}

/* Appends the columns that all rows have alike, or those that they have not. A column and those
 * that are told behind it stay together, and are alike only when each of them is. */
static enum tc_status append_columns(struct line *line, struct tc_job *job, bool alike)
{
	struct tc_buf json = TC_BUF_EMPTY, glued = TC_BUF_EMPTY, first = TC_BUF_EMPTY;
	struct tc_rows rows;

	append_rows(&json, line->finding);
	append_glued(&glued, line->finding->heuristic);
	append_leading(&first);
	line->out->failed |= tc_buf_failed(&json) || tc_buf_failed(&glued) || tc_buf_failed(&first);
	tc_rows_open(&rows, job->ctx, job->db,
		"WITH cell AS (SELECT r.key AS row, e.key, e.value"
		" FROM json_each(CASE WHEN json_valid(?2) THEN ?2 ELSE '[]' END) r,"
		" json_each(r.value) e),"
		" alike AS (SELECT key FROM cell GROUP BY key HAVING count(*) > 1"
		" AND count(value) = (SELECT max(row) + 1 FROM cell)"
		" AND count(DISTINCT value) = 1"
		" AND key NOT IN (SELECT value FROM json_each(?5))),"
		" part AS (SELECT id, key, value, key IN alike AS is_alike, sum(key NOT IN"
		" (SELECT value FROM json_each(?4))) OVER (ORDER BY id) AS part"
		" FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END))"
		" SELECT key, value FROM (SELECT id, key, value,"
		" min(is_alike) OVER (PARTITION BY part) AS are_alike FROM part)"
		" WHERE value IS NOT NULL AND are_alike = ?3 ORDER BY id");
	tc_rows_bind_text(&rows, 1, tc_text_from(line->row->json));
	tc_rows_bind_text(&rows, 2, tc_buf_text(&json));
	tc_rows_bind(&rows, 3, alike);
	tc_rows_bind_text(&rows, 4, tc_buf_text(&glued));
	tc_rows_bind_text(&rows, 5, tc_buf_text(&first));
	while (tc_rows_next(&rows)) {
		struct tc_text key = tc_rows_text(&rows, 0);
		if (!is_leading(key))
			append_column(line, &rows, key);
	}
	tc_buf_clear(&json);
	tc_buf_clear(&glued);
	tc_buf_clear(&first);
	return tc_rows_close(&rows);
}

enum tc_status tc_evidence_line(
	struct tc_buf *line, struct tc_job *job, const struct tc_finding *finding, size_t index)
{
	struct line state = {.out = line, .finding = finding, .row = &finding->evidence[index]};

	tc_names_append(&job->names, line, tc_text_from(state.row->subject));
	append_count(&state);
	append_gain(&state);
	return append_columns(&state, job, false);
}

enum tc_status tc_evidence_common(
	struct tc_buf *line, struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_evidence none = {.subject = "", .count = -1, .gain_ns = TC_GAIN_NONE};
	struct line state = {.out = line, .finding = finding, .row = &none};
	size_t before = line->len;

	if (finding->evidence_count < 2)
		return TC_OK;
	none.json = finding->evidence[0].json;
	tc_buf_append_string(line, "the same for all");
	enum tc_status status = append_columns(&state, job, true);
	if (!state.filled)
		line->len = before;
	return status;
}

void tc_evidence_gain(struct tc_buf *buf, const struct tc_finding *finding)
{
	if (finding->gain_ns == TC_GAIN_NONE)
		return;
	if (finding->gain_ns == 0) {
		tc_buf_append_string(buf, "no time to win back in this run");
		return;
	}
	tc_buf_append_string(buf, "up to ");
	tc_format_ns(buf, finding->gain_ns);
	tc_buf_append_string(buf, ", ");
	tc_format_pct(buf, finding->gain_pct);
	tc_buf_append_string(buf, " of the run");
}

bool tc_evidence_is_capped(const struct tc_finding *finding)
{
	return finding->gain_ns >= 0 &&
	       finding->claimed_ns - finding->gain_ns > finding->claimed_ns / SAME_NUMBER;
}

void tc_evidence_cap(struct tc_buf *buf, const struct tc_finding *finding)
{
	if (!tc_evidence_is_capped(finding))
		return;
	tc_buf_append_string(buf, finding->evidence_count > 1
					  ? "The rows below and their query say "
					  : "Its query says ");
	tc_format_ns(buf, finding->claimed_ns);
	tc_buf_append_string(buf, finding->heuristic->combine == TC_COMBINE_REST
					  ? ": the gain is what other advice leaves of it."
					  : ": the run can give back no more of it than the gain.");
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
