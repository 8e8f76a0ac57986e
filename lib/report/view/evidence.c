/*
 * Evidence in words: the rows of a finding, each column with the words that its heuristic gives it
 * ("-- says:"), or with its own name and the unit of its suffix. Columns that are the same in all
 * rows are written once, on a line of their own.
 */

#include <math.h>

#include "advice/advice_names.h"
#include "core/array.h"
#include "core/saturate.h"
#include "report/text/format.h"
#include "report/view/view.h"

/* A line being made. */
struct line {
	struct tc_buf *out;
	const struct tc_finding *finding;
	const struct tc_evidence *row;
	const struct tc_names *names;
	bool gain_said; /* the gain is in the line, so NOT_GAIN columns that equal it stay out */
	bool filled;    /* something follows the subject */
};

/* The words for a column, or NULL. */
static const struct tc_says *find_says(const struct tc_heuristic *heuristic, const char *column)
{
	const struct tc_says *says = heuristic->says;

	while (says && says->column && strcmp(says->column, column) != 0)
		says++;
	return says && says->column ? says : NULL;
}

/* Columns that the start of the line has already. */
static const char *const leading[] = {"subject", "gain_ns", "confidence", "count", "serious"};

static bool is_leading(const char *column)
{
	for (size_t i = 0; i < TC_COUNT_OF(leading); i++)
		if (strcmp(column, leading[i]) == 0)
			return true;
	return false;
}

static double real_of(const struct tc_field *field)
{
	return field->kind == TC_FIELD_INTEGER ? (double)field->integer
	       : field->kind == TC_FIELD_REAL  ? field->real
					       : 0;
}

static int64_t integer_of(const struct tc_field *field)
{
	return field->kind == TC_FIELD_INTEGER ? field->integer
					       : tc_integer_saturated(real_of(field));
}

static void format_ns(struct tc_buf *buf, const struct tc_field *field)
{
	tc_format_ns(buf, integer_of(field));
}

static void format_bytes(struct tc_buf *buf, const struct tc_field *field)
{
	tc_format_bytes(buf, integer_of(field));
}

/* In powers of 1000, as data sheets and NCCL's tests have them. */
static void format_rate(struct tc_buf *buf, const struct tc_field *field)
{
	double bytes = real_of(field);
	bool is_slow = bytes < 1e8; /* a network, and not one for collectives */
	double rate = bytes / (is_slow ? 1e6 : 1e9);

	tc_buf_format(buf, "%.*f %s", rate < 9.995 ? 2 : 1, rate, is_slow ? "MB/s" : "GB/s");
}

static void format_pct(struct tc_buf *buf, const struct tc_field *field)
{
	tc_format_pct(buf, real_of(field));
}

static void format_count(struct tc_buf *buf, const struct tc_field *field)
{
	if (field->kind == TC_FIELD_REAL && field->real != floor(field->real))
		tc_buf_format(buf, "%.1f", field->real);
	else
		tc_format_count(buf, integer_of(field));
}

/* "2.5", "322", "0.33": at most two decimals, without trailing zeros. */
static void format_ratio(struct tc_buf *buf, const struct tc_field *field)
{
	tc_buf_format(buf, "%.2f", real_of(field));
	for (int i = 0; i < 2 && buf->len > 0 && buf->ptr[buf->len - 1] == '0'; i++)
		buf->len--;
	if (buf->len > 0 && buf->ptr[buf->len - 1] == '.')
		buf->len--;
}

static void format_plain(struct tc_buf *buf, const struct tc_field *field)
{
	if (field->kind == TC_FIELD_TEXT)
		tc_buf_append_string(buf, field->text);
	else if (field->kind == TC_FIELD_INTEGER)
		tc_buf_format(buf, "%lld", (long long)field->integer);
	else
		tc_buf_format(buf, "%.15g", field->real);
}

static const struct suffix {
	const char *text;
	void (*format)(struct tc_buf *buf, const struct tc_field *field);
} suffixes[] = {
	{"_ns", format_ns},
	{"_bytes", format_bytes},
	{"_bytes_per_s", format_rate},
	{"_pct", format_pct},
	{"_count", format_count},
	{"_ratio", format_ratio},
	{"", format_plain},
};

static const struct suffix *suffix_of(const struct tc_field *field)
{
	struct tc_text name = tc_text_from(field->name);

	for (size_t i = 0; i < TC_COUNT_OF(suffixes); i++) {
		struct tc_text text = tc_text_from(suffixes[i].text);
		if (name.len > text.len && tc_text_ends(name, text))
			return &suffixes[i];
	}
	return &suffixes[TC_COUNT_OF(suffixes) - 1];
}

/* False for a value that adds nothing to the line. */
static bool is_news(const struct line *line, const struct tc_field *field, enum tc_says_when when)
{
	bool text = field->kind == TC_FIELD_TEXT, zero = !text && real_of(field) == 0;

	switch (when) {
	case TC_SAYS_ALWAYS: break;
	case TC_SAYS_NOT_ZERO: return !zero;
	case TC_SAYS_WITH_GAIN: return line->gain_said;
	case TC_SAYS_SEVERAL: return !zero && (line->row->count > 1 || line->row->count < 0);
	case TC_SAYS_IDLE:
	case TC_SAYS_NOT_GAIN:
		return !zero && !(line->gain_said && integer_of(field) == line->row->gain_ns);
	}
	return !text || strcmp(field->text, line->row->subject) != 0;
}

/* Whether the words continue the column before, without a comma: "(8.0 % of ...)". */
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

/* A text may be the name of a kernel or a slice, so it is shortened like one. */
static void append_value(struct line *line, const struct tc_field *field)
{
	if (field->kind == TC_FIELD_TEXT && strcmp(field->name, "engine") == 0)
		tc_buf_append_text(line->out, tc_part_title(tc_text_from(field->text)));
	else if (field->kind == TC_FIELD_TEXT)
		tc_names_append(line->names, line->out, tc_text_from(field->text));
	else
		suffix_of(field)->format(line->out, field);
}

/* Appends the words of a column with the value in its place. */
static void append_words(struct line *line, const struct tc_field *field, const char *text)
{
	append_separator(line, text[0]);
	for (text += text[0] == '+'; *text; text++) {
		if (*text == '%')
			append_value(line, field);
		else if (*text == '#')
			tc_format_count(line->out, integer_of(field));
		else if (*text == '~')
			tc_buf_append_string(line->out, integer_of(field) == 1 ? "" : "s");
		else if (*text == '@' && field->kind == TC_FIELD_TEXT)
			tc_buf_append_text(line->out, tc_cause_phrase(tc_text_from(field->text)));
		else
			tc_buf_append_char(line->out, *text);
	}
}

/* Without words, "exposed_ns" 280000000 is "exposed 280.0 ms". */
static void append_named(struct line *line, const struct tc_field *field)
{
	const struct suffix *suffix = suffix_of(field);
	size_t len = strlen(field->name);

	append_separator(line, ' ');
	if (suffix->format != format_count) /* "worker count 0", but "exposed 56.0 %" */
		len -= strlen(suffix->text);
	for (size_t i = 0; i < len; i++)
		tc_buf_append_char(line->out, field->name[i] == '_' ? ' ' : field->name[i]);
	tc_buf_append_char(line->out, ' ');
	append_value(line, field);
}

static void append_column(struct line *line, const struct tc_field *field)
{
	const struct tc_says *words = find_says(line->finding->heuristic, field->name);

	if (!words)
		append_named(line, field);
	else if (words->text[0] && is_news(line, field, words->when))
		append_words(line, field, words->text);
}

/* A count of 1 is left out, unless the heuristic has words for it that always apply: "1 gap". */
static void append_count(struct line *line)
{
	const struct tc_says *words = find_says(line->finding->heuristic, "count");
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

/* The gain of a single row is left out: the finding's gain, which may be capped, stands above
 * it. */
static void append_gain(struct line *line)
{
	const struct tc_finding *finding = line->finding;
	int64_t gain_ns = line->row->gain_ns;

	if (gain_ns == TC_GAIN_NONE || gain_ns == 0 || finding->evidence_count == 1)
		return;
	append_separator(line, ' ');
	tc_buf_format(line->out, "saves %s", tc_show_ns(gain_ns).text);
	line->gain_said = true;
}

static bool is_same(const struct tc_field *a, const struct tc_field *b)
{
	bool numbers = a->kind != TC_FIELD_TEXT && b->kind != TC_FIELD_TEXT;

	if (a->kind == TC_FIELD_NULL || b->kind == TC_FIELD_NULL)
		return false;
	if (a->kind == TC_FIELD_INTEGER && b->kind == TC_FIELD_INTEGER)
		return a->integer == b->integer;
	if (numbers)
		return real_of(a) >= real_of(b) && real_of(a) <= real_of(b);
	return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

/* Whether a column has one value in all rows. The leading columns stay in each line even
 * then. */
static bool is_alike(const struct tc_finding *finding, size_t column)
{
	const struct tc_field *first = &finding->evidence[0].fields[column];
	bool alike = finding->evidence_count > 1 && !is_leading(first->name);

	for (size_t i = 0; i < finding->evidence_count && alike; i++)
		alike = is_same(first, &finding->evidence[i].fields[column]);
	return alike;
}

/* A part is a column with the glued columns after it. Returns the first column after the part. */
static size_t part_end(const struct tc_finding *finding, size_t column)
{
	const struct tc_field *fields = finding->evidence[0].fields;
	const struct tc_says *words;

	do
		column++;
	while (fields[column].name &&
		(words = find_says(finding->heuristic, fields[column].name)) &&
		is_glued(words->text[0]));
	return column;
}

/* Appends the parts that are alike in all rows, or the others. A part is alike only if each of its
 * columns is. */
static void append_columns(struct line *line, bool alike)
{
	const struct tc_finding *finding = line->finding;
	const struct tc_field *fields = line->row->fields;

	for (size_t i = 0, end; fields[i].name; i = end) {
		bool all = true;

		end = part_end(finding, i);
		for (size_t k = i; k < end; k++)
			all = all && is_alike(finding, k);
		for (size_t k = i; k < end && all == alike; k++)
			if (fields[k].kind != TC_FIELD_NULL && !is_leading(fields[k].name))
				append_column(line, &fields[k]);
	}
}

void tc_evidence_line(
	struct tc_buf *line, struct tc_job *job, const struct tc_finding *finding, size_t index)
{
	struct line state = {.out = line,
		.finding = finding,
		.row = &finding->evidence[index],
		.names = &job->names};

	tc_names_append(&job->names, line, tc_text_from(state.row->subject));
	append_count(&state);
	append_gain(&state);
	append_columns(&state, false);
}

void tc_evidence_common(struct tc_buf *line, const struct tc_finding *finding)
{
	struct tc_evidence none = {.subject = "", .count = -1, .gain_ns = TC_GAIN_NONE};
	struct line state = {.out = line, .finding = finding, .row = &none};
	size_t before = line->len;

	if (finding->evidence_count < 2)
		return;
	none.fields = finding->evidence[0].fields;
	tc_buf_append_string(line, "the same for all");
	append_columns(&state, true);
	if (!state.filled)
		line->len = before;
}

/* The time that a fix takes off, as in the table of fixes: of a steady step where there are steps,
 * else of the run. beside_ns is what is left of that beside the fixes before it in the plan, or
 * beside all of the plan; -1 where it is the first, or there is no plan. */
struct planned {
	bool has_steps;
	int64_t alone_ns, beside_ns;
};

static struct planned planned_gain(const struct tc_job *job, const struct tc_finding *finding)
{
	struct planned gain = {.beside_ns = -1};
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT step_before_ns IS NOT NULL, alone_ns, CASE WHEN ord > 1 THEN added_ns END"
		" FROM plan WHERE trace_id = ?1 AND ord = ?2 UNION ALL"
		" SELECT w.step_before_ns IS NOT NULL, w.step_before_ns - w.step_after_ns,"
		" r.added_ns FROM whatif w LEFT JOIN plan_rest r ON r.trace_id = w.trace_id"
		"  AND r.fix = w.fix"
		" WHERE w.trace_id = ?1 AND w.gain_ns = ?3 AND w.fix = ?4 LIMIT 1",
		finding->trace_id, finding->plan_order, finding->gain_ns);

	tc_rows_bind_text(&rows, 4, tc_text_from(finding->heuristic->id));
	if (tc_rows_next(&rows))
		gain = (struct planned){tc_rows_int(&rows, 0) != 0, tc_rows_int(&rows, 1),
			tc_rows_null(&rows, 2) ? -1 : tc_rows_int(&rows, 2)};
	tc_rows_close(&rows);
	return gain;
}

struct tc_gain_shown tc_gain_like(const struct tc_finding *finding, int64_t likely_ns)
{
	const struct tc_gain_shown gain = tc_gain_of(finding);

	if (gain.likely_ns <= 0)
		return (struct tc_gain_shown){likely_ns, likely_ns, likely_ns};
	return (struct tc_gain_shown){likely_ns,
		tc_scale_saturated(likely_ns, gain.low_ns, gain.likely_ns),
		tc_scale_saturated(likely_ns, gain.high_ns, gain.likely_ns)};
}

bool tc_gain_lacks_step(const struct tc_job *job, const struct tc_finding *finding)
{
	if (!finding)
		return false;
	const struct planned planned = planned_gain(job, finding);
	return !planned.has_steps || planned.alone_ns <= 0;
}

struct tc_gain_shown tc_gain_of_unit(const struct tc_job *job, const struct tc_finding *finding,
	bool by_step, int64_t batch, int64_t unit_count)
{
	if (!finding || finding->gain_ns <= 0 || unit_count <= 0)
		return (struct tc_gain_shown){0};
	const struct planned planned = planned_gain(job, finding);
	bool is_planned = by_step && planned.has_steps && planned.alone_ns > 0;
	int64_t count = is_planned && batch > 0 ? batch : is_planned ? 1 : unit_count;
	int64_t ns = is_planned ? planned.alone_ns : finding->gain_ns;
	return tc_gain_like(finding, tc_add_saturated(ns, count / 2) / count);
}

/* "14.99 ms beside the fixes before it" */
static void append_beside(
	struct tc_buf *buf, const struct tc_finding *finding, const struct planned *planned)
{
	if (planned->beside_ns > 0)
		tc_buf_append_string(buf, tc_show_ns(planned->beside_ns).text);
	else
		tc_buf_append_string(buf, "nothing");
	tc_buf_append_string(buf, finding->plan_order > 0 ? " beside the fixes before it"
							  : " beside those of the plan");
}

/* "Saves 32 to 62 ms a step alone, 14.99 ms beside the fixes before it; in the steady run 190 to
 * 370 ms alone, likely 294.5 ms, 27.6 % of the run". */
static void append_saves(
	struct tc_buf *buf, const struct tc_finding *finding, const struct planned *planned)
{
	bool has_beside = planned->beside_ns >= 0;
	const char *alone = has_beside ? " alone" : "";
	const struct tc_gain_shown gain = tc_gain_of(finding);
	bool has_step = planned->has_steps && planned->alone_ns > 0;

	tc_buf_append_string(buf, "Saves ");
	if (has_step) {
		const struct tc_gain_shown step = tc_gain_like(finding, planned->alone_ns);
		tc_buf_format(buf, "%s a step%s", tc_show_gain(&step).text, alone);
	} else if (finding->gain_ns == 0) {
		tc_buf_format(buf, "nothing%s", alone);
	}
	if (has_beside && (has_step || finding->gain_ns == 0)) {
		tc_buf_append_string(buf, ", ");
		append_beside(buf, finding, planned);
	}
	if (finding->gain_ns == 0)
		return;
	if (has_step)
		tc_buf_append_string(buf, "; in the steady run ");
	tc_buf_format(buf, "%s%s, ", tc_show_gain(&gain).text, alone);
	if (tc_gain_is_range(&gain))
		tc_buf_format(buf, "likely %s, ", tc_show_ns(gain.likely_ns).text);
	tc_buf_format(buf, "%s of the run", tc_show_pct(finding->gain_pct).text);
	if (has_beside && !has_step) {
		tc_buf_append_string(buf, ", and ");
		append_beside(buf, finding, planned);
	}
}

void tc_evidence_gain(struct tc_buf *buf, struct tc_job *job, const struct tc_finding *finding)
{
	const struct planned planned = planned_gain(job, finding);

	if (finding->gain_ns > 0 || planned.beside_ns > 0)
		append_saves(buf, finding, &planned);
	else if (finding->gain_ns == 0)
		tc_buf_append_string(buf, "No time to save in this run");
	else if (finding->heuristic->kind == TC_HEURISTIC_FIX)
		tc_buf_append_string(buf, "Gain unknown: this recording does not show "
					  "what the fix saves");
}

void tc_evidence_severity(struct tc_buf *buf, const struct tc_finding *finding)
{
	bool has_gain =
		finding->gain_ns != TC_GAIN_NONE || finding->heuristic->kind == TC_HEURISTIC_FIX;

	tc_buf_format(buf, "%s%s, %s.", has_gain ? "; severity " : "Severity ",
		tc_severity_name(finding->severity), tc_confidence_name(finding->confidence));
}

struct tc_text tc_evidence_text(const struct tc_finding *finding, size_t row, const char *column)
{
	const struct tc_field *field =
		row < finding->evidence_count ? finding->evidence[row].fields : NULL;

	for (; field && field->name; field++)
		if (field->kind == TC_FIELD_TEXT && strcmp(field->name, column) == 0)
			return tc_text_from(field->text);
	return TC_TEXT_NONE;
}
