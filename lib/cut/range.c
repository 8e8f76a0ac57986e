#include "cut/parts.h"

#include "core/array.h"
#include "core/buf.h"
#include "core/text/decimal.h"
#include "core/limits.h"
#include "core/saturate.h"
#include "core/text.h"
#include "report/html/page.h"
#include "report/html/places.h"
#include "report/html/tracks.h"

/* Two texts around a dash; one text without a dash is both. */
static void split(struct tc_text *from, struct tc_text *to, const char *string)
{
	struct tc_text text = tc_text_from(string);

	*from = *to = text;
	if (tc_text_after(text, TC_TEXT("-"), to))
		*from = tc_text_before(text, to->ptr - 1);
}

/* "1.2s": digits, a point, a unit. */
static bool read_time(int64_t *out_ns, struct tc_text text)
{
	static const struct {
		struct tc_text name;
		int scale;
	} units[] = {{{"ns", 2}, 0}, {{"us", 2}, 3}, {{"ms", 2}, 6}, {{"s", 1}, 9}};

	for (size_t i = 0; i < TC_COUNT_OF(units); i++) {
		struct tc_text number = text;
		if (!tc_text_ends(text, units[i].name))
			continue;
		number.len -= units[i].name.len;
		return number.len > 0 && (tc_is_digit(number.ptr[0]) || number.ptr[0] == '.') &&
		       tc_decimal_scaled(out_ns, number, units[i].scale) &&
		       *out_ns <= TC_TIME_MAX_NS;
	}
	return false;
}

static enum tc_status read_times(
	struct tc_range *out, struct tc_ctx *ctx, const struct tc_cut_options *options)
{
	struct tc_text from, to;

	split(&from, &to, options->time);
	if (!read_time(&out->from_ns, from) || !read_time(&out->to_ns, to) ||
		out->from_ns >= out->to_ns)
		return tc_fail(ctx, TC_ERR_USAGE,
			"--time %s: no range of time: give two times since the first slice, such "
			"as "
			"1.2s-1.4s or 300ms-450.5ms",
			options->time);
	return TC_OK;
}

static enum tc_status read_steps(
	struct tc_range *out, struct tc_ctx *ctx, const struct tc_cut_options *options)
{
	struct tc_text from, to;

	split(&from, &to, options->steps);
	if (!tc_decimal_int64(&out->from_ns, from) || !tc_decimal_int64(&out->to_ns, to) ||
		out->from_ns > out->to_ns)
		return tc_fail(ctx, TC_ERR_USAGE,
			"--steps %s: no range of steps: give their numbers, such as 4 or 3-5",
			options->steps);
	return TC_OK;
}

enum tc_status tc_cut_check(struct tc_ctx *ctx, const struct tc_cut_options *options)
{
	int given = !!options->steps + !!options->time + !!options->finding + !!options->device;
	struct tc_range range;

	if (given != 1)
		return tc_fail(ctx, TC_ERR_USAGE,
			"which part of the trace is not clear: give one of --steps, --time, "
			"--finding and --device");
	if (options->steps)
		return read_steps(&range, ctx, options);
	return options->time ? read_times(&range, ctx, options) : TC_OK;
}

/* The range of the row (from, to) of a query, whose parameter, if it has one, is value. */
static struct tc_range ask_range(struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t value)
{
	struct tc_range range = {-1, -1};
	struct tc_rows row = tc_rows_open(ctx, db, sql);

	if (row.stmt && sqlite3_bind_parameter_count(row.stmt) > 0)
		tc_rows_bind(&row, 1, value);
	if (tc_rows_next(&row) && !tc_rows_null(&row, 0))
		range = (struct tc_range){tc_rows_int(&row, 0), tc_rows_int(&row, 1)};
	tc_rows_close(&row);
	return range;
}

/* Says which steps there are. */
static enum tc_status no_steps(struct tc_ctx *ctx, sqlite3 *db, const char *asked)
{
	const struct tc_range numbers =
		ask_range(ctx, db, "SELECT min(number), max(number) FROM step", 0);

	if (tc_ctx_failed(ctx))
		return tc_ctx_status(ctx);
	if (numbers.from_ns < 0)
		return tc_fail(ctx, TC_ERR_USAGE, "--steps %s: no steps were recorded: give --time",
			asked);
	return tc_fail(ctx, TC_ERR_USAGE, "--steps %s: no such steps: the trace has %lld to %lld",
		asked, (long long)numbers.from_ns, (long long)numbers.to_ns);
}

static enum tc_status find_steps(
	struct tc_range *out, struct tc_ctx *ctx, sqlite3 *db, const struct tc_cut_options *options)
{
	static const char sql[] = "SELECT min(ts), max(ts + dur) FROM step WHERE number = ?1";
	struct tc_range numbers;

	if (read_steps(&numbers, ctx, options))
		return TC_ERR_USAGE;
	const struct tc_range first = ask_range(ctx, db, sql, numbers.from_ns),
			      last = ask_range(ctx, db, sql, numbers.to_ns);
	if (first.to_ns == first.from_ns || last.to_ns == last.from_ns)
		return no_steps(ctx, db, options->steps);
	*out = (struct tc_range){first.from_ns, last.to_ns};
	return tc_ctx_status(ctx);
}

static enum tc_status find_time(
	struct tc_range *out, struct tc_ctx *ctx, sqlite3 *db, const struct tc_cut_options *options)
{
	struct tc_range times;

	if (read_times(&times, ctx, options))
		return TC_ERR_USAGE;
	const struct tc_range trace = ask_range(ctx, db, "SELECT start_ns, end_ns FROM trace", 0);
	if (times.from_ns >= trace.to_ns - trace.from_ns && !tc_ctx_failed(ctx))
		return tc_fail(ctx, TC_ERR_USAGE,
			"--time %s: the trace has ended before that: it has %lld.%06lld ms",
			options->time, (long long)(trace.to_ns - trace.from_ns) / 1000000,
			(long long)(trace.to_ns - trace.from_ns) % 1000000);
	*out = (struct tc_range){tc_add_saturated(trace.from_ns, times.from_ns),
		tc_add_saturated(trace.from_ns, times.to_ns)};
	return tc_ctx_status(ctx);
}

#define AROUND_PART                                                                                \
	10 /* of a place: so much of it before and after is there, too: what ends a gap */

/* A finding as the store has it, with what the search for its place looks at. */
struct stored {
	struct tc_finding finding;
	struct tc_evidence evidence;
	struct tc_field fields[2];
	struct tc_buf subject, cause;
};

static void read_stored(struct stored *stored, struct tc_ctx *ctx, sqlite3 *db, int64_t finding_id)
{
	*stored = (struct stored){.subject = TC_BUF_EMPTY, .cause = TC_BUF_EMPTY};
	struct tc_rows rows = TC_ROWS(ctx, db,
		"SELECT e.subject, json_extract(e.data, '$.cause'), coalesce(f.gain_ns, 0)"
		" FROM finding f JOIN evidence e ON e.finding_id = f.id AND e.ord = 1 WHERE f.id = "
		"?1",
		finding_id);
	if (tc_rows_next(&rows)) {
		tc_buf_append_text(&stored->subject, tc_rows_text(&rows, 0));
		tc_buf_append_text(&stored->cause, tc_rows_text(&rows, 1));
		stored->evidence.subject = tc_buf_string(&stored->subject);
		stored->finding.gain_ns = tc_rows_int(&rows, 2);
		stored->finding.evidence_count = stored->evidence.subject != NULL;
	}
	if (stored->cause.len > 0)
		stored->fields[0] = (struct tc_field){.name = "cause",
			.kind = TC_FIELD_TEXT,
			.text = tc_buf_string(&stored->cause)};
	stored->evidence.fields = stored->fields;
	stored->finding.evidence = &stored->evidence;
	tc_rows_close(&rows);
}

/* The place that the page shows. */
static struct tc_place search_place(struct tc_ctx *ctx, sqlite3 *db, struct stored *stored)
{
	const struct tc_advice advice = {.findings = &stored->finding, .finding_count = 1};
	struct tc_page_tracks tracks;
	struct tc_place place = {0};
	struct tc_places places = {0};
	struct tc_queues queues = {0};
	int64_t least_ns;

	tc_page_tracks_load(&tracks, ctx, db, 0);
	if (tracks.id_count > 0) {
		tc_places_init(&places, &tracks, &advice);
		tc_survey(&least_ns, &places, &queues, &tracks, SIZE_MAX);
		if (places.count > 0)
			place = places.all[0];
	}
	tc_queues_clear(&queues);
	tc_places_clear(&places);
	tc_page_tracks_clear(&tracks);
	return place;
}

static void find_place(struct tc_range *out, struct tc_ctx *ctx, sqlite3 *db, int64_t finding_id)
{
	struct stored stored;

	read_stored(&stored, ctx, db, finding_id);
	const struct tc_place place = search_place(ctx, db, &stored);
	if (place.found) {
		int64_t around_ns = place.dur / AROUND_PART;
		out->from_ns = tc_sub_saturated(place.ts, around_ns);
		out->to_ns = tc_add_saturated(tc_add_saturated(place.ts, place.dur), around_ns);
	}
	tc_buf_clear(&stored.subject);
	tc_buf_clear(&stored.cause);
}

static enum tc_status find_finding(
	struct tc_range *out, struct tc_ctx *ctx, sqlite3 *db, const struct tc_cut_options *options)
{
	int64_t id = 0; /* they start at 1 */
	struct tc_rows row =
		tc_rows_open(ctx, db, "SELECT min(id) FROM finding WHERE heuristic = ?1");

	tc_rows_bind_text(&row, 1, tc_text_from(options->finding));
	if (tc_rows_next(&row))
		id = tc_rows_int(&row, 0);
	tc_rows_close(&row);
	*out = (struct tc_range){0};
	if (id > 0)
		find_place(out, ctx, db, id);
	if (!tc_ctx_failed(ctx) && out->from_ns == out->to_ns)
		tc_fail(ctx, TC_ERR_USAGE,
			id > 0 ? "--finding %s: it has no place of its own in the trace: give "
				 "--time or --steps"
			       : "--finding %s: no such finding: give its number in the report, "
				 "or its id",
			options->finding);
	return tc_ctx_status(ctx);
}

enum tc_status tc_range_find(
	struct tc_range *out, struct tc_ctx *ctx, sqlite3 *db, const struct tc_cut_options *options)
{
	if (options->steps)
		return find_steps(out, ctx, db, options);
	return options->time ? find_time(out, ctx, db, options)
			     : find_finding(out, ctx, db, options);
}
