/*
 * Part of a trace as a smaller trace, see tracecoach/cut.h. The part is a range of time (from
 * steps, a time, or the place of a finding) or the work of a device. The file is passed over twice,
 * once to choose events and once to copy them as they stand, with one object around them and a
 * member that says what they are part of.
 */
#include "tracecoach/cut.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/limits.h"
#include "core/saturate.h"
#include "core/text/decimal.h"
#include "cut/choice.h"
#include "decode/decode.h"
#include "decode/json/json_text.h"
#include "report/view/tracks.h"
#include "source/codec.h"
#include "source/source.h"
#include "store/connection.h"
#include "store/sql.h"

/* ---- the range */

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

static struct tc_range read_times(struct tc_ctx *ctx, const char *option)
{
	struct tc_range range = {0};
	struct tc_text from, to;

	split(&from, &to, option);
	if (!read_time(&range.from_ns, from) || !read_time(&range.to_ns, to) ||
		range.from_ns >= range.to_ns)
		tc_fail(ctx, TC_ERR_USAGE,
			"--time %s: no range of time: give two times since the first slice, such "
			"as "
			"1.2s-1.4s or 300ms-450.5ms",
			option);
	return range;
}

/* Numbers of steps in place of times. */
static struct tc_range read_steps(struct tc_ctx *ctx, const char *option)
{
	struct tc_range range = {0};
	struct tc_text from, to;

	split(&from, &to, option);
	if (!tc_decimal_int64(&range.from_ns, from) || !tc_decimal_int64(&range.to_ns, to) ||
		range.from_ns > range.to_ns)
		tc_fail(ctx, TC_ERR_USAGE,
			"--steps %s: no range of steps: give their numbers, such as 4 or 3-5",
			option);
	return range;
}

static void check(struct tc_ctx *ctx, const struct tc_cut_options *options)
{
	int given = !!options->steps + !!options->time + !!options->finding + !!options->device;

	if (given != 1)
		tc_fail(ctx, TC_ERR_USAGE,
			"which part of the trace is not clear: give one of --steps, --time, "
			"--finding and --device");
	else if (options->steps)
		read_steps(ctx, options->steps);
	else if (options->time)
		read_times(ctx, options->time);
}

enum tc_status tc_cut_check(struct tc_ctx *ctx, const struct tc_cut_options *options)
{
	TC_ENTER(ctx);
	TC_CHECK_SIZE(ctx, options);
	if (!tc_ctx_failed(ctx))
		check(ctx, options);
	return tc_ctx_status(ctx);
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
static void no_steps(struct tc_ctx *ctx, sqlite3 *db, const char *asked)
{
	const struct tc_range numbers =
		ask_range(ctx, db, "SELECT min(number), max(number) FROM counted_step", 0);

	if (tc_ctx_failed(ctx))
		return;
	if (numbers.from_ns < 0)
		tc_fail(ctx, TC_ERR_USAGE, "--steps %s: no steps were recorded: give --time",
			asked);
	else
		tc_fail(ctx, TC_ERR_USAGE, "--steps %s: no such steps: the trace has %lld to %lld",
			asked, (long long)numbers.from_ns, (long long)numbers.to_ns);
}

/* Devices may be behind the host: the part goes on until they have done the work of its steps, and
 * what they do meanwhile is in it. */
static const char work_sql[] =
	"SELECT (SELECT min(n.ts) FROM step n WHERE n.ts > ?2), max(s.device_ts + s.device_dur)"
	" FROM counted_step s JOIN metric m ON m.trace_id = s.trace_id AND m.step IS NULL"
	" AND m.name = 'has_one_clock' AND m.value = 1 WHERE s.ts BETWEEN ?1 AND ?2";

/* Finds when the first of the steps begins, and the next after them. */
static struct tc_range find_steps(
	struct tc_range *part, struct tc_ctx *ctx, sqlite3 *db, const char *option)
{
	static const char sql[] =
		"SELECT min(ts), max(ts + dur) FROM counted_step WHERE number = ?1";
	const struct tc_range numbers = read_steps(ctx, option),
			      first = ask_range(ctx, db, sql, numbers.from_ns),
			      last = ask_range(ctx, db, sql, numbers.to_ns);

	if (first.to_ns == first.from_ns || last.to_ns == last.from_ns)
		no_steps(ctx, db, option);
	struct tc_range range = {first.from_ns, last.to_ns};
	struct tc_rows row = TC_ROWS(ctx, db, work_sql, first.from_ns, last.from_ns);
	*part = (struct tc_range){first.from_ns, INT64_MAX};
	if (tc_rows_next(&row)) {
		if (!tc_rows_null(&row, 0))
			part->to_ns = tc_rows_int(&row, 0);
		if (tc_rows_int(&row, 1) > range.to_ns && !tc_rows_null(&row, 1))
			range.to_ns = tc_rows_int(&row, 1);
	}
	tc_rows_close(&row);
	return range;
}

static struct tc_range find_time(struct tc_ctx *ctx, sqlite3 *db, const char *option)
{
	const struct tc_range times = read_times(ctx, option),
			      trace = ask_range(ctx, db, "SELECT start_ns, end_ns FROM trace", 0);

	if (times.from_ns >= trace.to_ns - trace.from_ns && !tc_ctx_failed(ctx))
		tc_fail(ctx, TC_ERR_USAGE,
			"--time %s: the trace has ended before that: it has %lld.%06lld ms", option,
			(long long)(trace.to_ns - trace.from_ns) / 1000000,
			(long long)(trace.to_ns - trace.from_ns) % 1000000);
	return (struct tc_range){tc_add_saturated(trace.from_ns, times.from_ns),
		tc_add_saturated(trace.from_ns, times.to_ns)};
}

/* A cut reaches one tenth of a place beyond both of its ends, for the work that ends a gap. */
enum { AROUND_PART = 10 };

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

	tc_page_tracks_load(&tracks, ctx, db, 0);
	const struct tc_place place = tc_place_find(&tracks, &advice);
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

static struct tc_range find_finding(struct tc_ctx *ctx, sqlite3 *db, const char *option)
{
	struct tc_range range = {0};
	int64_t id = 0; /* they start at 1 */
	struct tc_rows row =
		tc_rows_open(ctx, db, "SELECT min(id) FROM finding WHERE heuristic = ?1");

	tc_rows_bind_text(&row, 1, tc_text_from(option));
	if (tc_rows_next(&row))
		id = tc_rows_int(&row, 0);
	tc_rows_close(&row);
	if (id > 0)
		find_place(&range, ctx, db, id);
	if (!tc_ctx_failed(ctx) && range.from_ns == range.to_ns)
		tc_fail(ctx, TC_ERR_USAGE,
			id > 0 ? "--finding %s: it has no place of its own in the trace: give "
				 "--time or --steps"
			       : "--finding %s: no such finding: give its number in the report, "
				 "or its id",
			option);
	return range;
}

/* ---- the writer: members and events as they come. Members that come after events stand after the
 * list of events. */

enum { PIECE_BYTES = 64 * 1024 };

struct writer {
	struct tc_ctx *ctx;
	tc_write_fn write;
	void *user;
	struct tc_deflate *gzip; /* NULL for plain text */
	struct tc_buf text;      /* not written yet */
	struct tc_buf members;   /* those after events */
	int64_t event_count;
};

static void writer_clear(struct writer *writer)
{
	tc_deflate_free(writer->gzip);
	tc_buf_clear(&writer->text);
	tc_buf_clear(&writer->members);
}

/* Hands on the text when it is a piece, or all of it. */
static void flush(struct writer *writer, bool is_last)
{
	struct tc_buf *text = &writer->text;
	int result;

	if (tc_ctx_failed(writer->ctx) || (text->len < PIECE_BYTES && !is_last))
		return;
	if (writer->gzip)
		result = tc_deflate_write(writer->gzip, text->ptr, text->len, is_last);
	else
		result = writer->write(writer->user, text->ptr, text->len);
	tc_buf_reset(text);
	if (result != 0)
		tc_fail(writer->ctx, TC_ERR_IO, "cannot write all of the trace");
}

/* A member: its name, and its value as JSON. */
static void write_member(struct writer *writer, struct tc_text name, struct tc_text json)
{
	bool is_before = writer->event_count == 0;
	struct tc_buf *into = is_before ? &writer->text : &writer->members;

	if (!is_before)
		tc_buf_append_string(into, ",\n");
	tc_json_append_string(into, name);
	TC_APPEND(into, TC_TEXT(":"), json);
	if (is_before)
		tc_buf_append_string(into, ",\n");
	flush(writer, false);
}

static void start_list(struct writer *writer)
{
	tc_buf_append_string(&writer->text, "\"traceEvents\":[\n");
}

/* An event as JSON. */
static void write_event(struct writer *writer, struct tc_text json)
{
	if (writer->event_count++ == 0)
		start_list(writer);
	else
		tc_buf_append_string(&writer->text, ",\n");
	tc_buf_append_text(&writer->text, json);
	flush(writer, false);
}

static void finish(struct writer *writer)
{
	if (writer->event_count == 0)
		start_list(writer);
	TC_APPEND(&writer->text, TC_TEXT("\n]"), tc_buf_text(&writer->members), TC_TEXT("}\n"));
	flush(writer, true);
}

/* ---- the passes */

struct cut {
	struct tc_ctx *ctx;
	struct tc_buf path;
	int64_t read_bytes; /* of the file when it was imported, decompressed */
	struct tc_choice choice;
	struct tc_range steps; /* when those asked for begin; 0, 0 where none were */
	struct writer writer;
	int64_t event_count;
};

static enum tc_status see_event(void *user, const struct tc_raw_event *event)
{
	struct cut *cut = user;

	tc_choice_see(&cut->choice, event);
	return tc_ctx_status(cut->ctx);
}

static enum tc_status skip_member(void *user, struct tc_text key, struct tc_text json)
{
	(void)user;
	(void)key;
	(void)json;
	return TC_OK;
}

/* The import has the log of this file. */
static enum tc_status skip_log(void *user, const struct tc_log_entry *entry)
{
	(void)user;
	(void)entry;
	return TC_OK;
}

static enum tc_status copy_event(void *user, const struct tc_raw_event *event)
{
	struct cut *cut = user;

	cut->event_count++;
	if (tc_choice_wants(&cut->choice, event))
		write_event(&cut->writer, event->raw);
	return tc_ctx_status(cut->ctx);
}

/* A cut of a cut is one of that file. */
static enum tc_status copy_member(void *user, struct tc_text key, struct tc_text json)
{
	struct cut *cut = user;

	if (!tc_text_equal(key, TC_TEXT(TC_CUT_MEMBER)))
		write_member(&cut->writer, key, json);
	return tc_ctx_status(cut->ctx);
}

/* The mark by which a report knows that the trace is part of another:
 * {"of":"run.json","part":"steps 3-5",...}. */
static void write_mark(struct cut *cut, const struct tc_cut_options *options)
{
	const struct {
		const char *name, *value;
	} parts[] = {{"steps ", options->steps}, {"time ", options->time},
		{"the place of ", options->finding}, {"device ", options->device}};
	const char *path = tc_buf_string(&cut->path), *slash = path ? strrchr(path, '/') : NULL;
	struct tc_buf json = {.ctx = cut->ctx}, part = {.ctx = cut->ctx};

	for (size_t i = 0; i < TC_COUNT_OF(parts); i++)
		if (parts[i].value)
			tc_buf_format(&part, "%s%s", parts[i].name, parts[i].value);
	tc_buf_append_string(&json, "{\"of\":");
	tc_json_append_string(&json, tc_text_from(slash ? slash + 1 : path));
	tc_buf_append_string(&json, ",\"part\":");
	tc_json_append_string(&json, tc_buf_text(&part));
	if (options->steps)
		tc_buf_format(&json, ",\"steps_from_ns\":%lld,\"steps_until_ns\":%lld",
			(long long)cut->steps.from_ns, (long long)cut->steps.to_ns);
	tc_buf_append_char(&json, '}');
	write_member(&cut->writer, TC_TEXT(TC_CUT_MEMBER), tc_buf_text(&json));
	tc_buf_clear(&json);
	tc_buf_clear(&part);
}

static void decode(struct cut *cut, struct tc_source *source, struct tc_decoder *decoder)
{
	char *chunk = tc_malloc(TC_CHUNK_BYTES);
	size_t len = 1;
	int64_t read_bytes = 0;

	if (!chunk)
		tc_no_memory(cut->ctx);
	while (!tc_ctx_failed(cut->ctx) && len > 0) {
		tc_source_read(source, chunk, TC_CHUNK_BYTES, &len);
		read_bytes += (int64_t)len;
		if (!tc_ctx_failed(cut->ctx))
			tc_decoder_feed(decoder, chunk, len);
	}
	tc_free(chunk);
	if (!tc_ctx_failed(cut->ctx))
		tc_decoder_finish(decoder, tc_source_loss(source).is_at_end);
	if (!tc_ctx_failed(cut->ctx) && read_bytes != cut->read_bytes)
		tc_fail(cut->ctx, TC_ERR_READ,
			"%s: has changed since it was read first: cut it when nothing writes to it",
			tc_buf_string(&cut->path));
}

/* Reads the whole file once. */
static void pass(struct cut *cut, const struct tc_decode_sink *sink)
{
	struct tc_source *source = NULL;
	struct tc_decoder *decoder = NULL;

	if (tc_ctx_failed(cut->ctx))
		return;
	tc_source_open_regular(&source, cut->ctx, tc_buf_string(&cut->path));
	if (source)
		tc_decoder_new(&decoder, cut->ctx, sink);
	if (decoder)
		decode(cut, source, decoder);
	tc_decoder_free(decoder);
	tc_source_close(source);
}

static void find_path(struct cut *cut, sqlite3 *db)
{
	struct tc_rows row = tc_rows_open(cut->ctx, db, "SELECT path, read_bytes FROM trace");

	if (tc_rows_next(&row)) {
		tc_buf_append_text(&cut->path, tc_rows_text(&row, 0));
		cut->read_bytes = tc_rows_int(&row, 1);
	}
	if (tc_rows_next(&row))
		tc_fail(cut->ctx, TC_ERR_USAGE,
			"a cut is of one trace, and there are several: name one");
	tc_rows_close(&row);
	tc_buf_string(&cut->path); /* fails here, not between the passes */
}

static void choose(struct cut *cut, sqlite3 *db, const struct tc_cut_options *options)
{
	const struct tc_decode_sink sink = {cut, see_event, skip_member, skip_log};
	struct tc_ctx *ctx = cut->ctx;
	struct tc_range range = {0};

	if (tc_ctx_failed(ctx))
		return;
	find_path(cut, db);
	if (tc_ctx_failed(ctx))
		return;
	if (options->steps)
		range = find_steps(&cut->steps, ctx, db, options->steps);
	else if (options->time)
		range = find_time(ctx, db, options->time);
	else if (options->finding)
		range = find_finding(ctx, db, options->finding);
	cut->choice.launch_until_ns = options->steps ? cut->steps.to_ns : INT64_MAX;
	if (!tc_ctx_failed(ctx))
		tc_choice_begin(&cut->choice, db, &range, options->device);
	pass(cut, &sink);
	tc_choice_decide(&cut->choice);
}

static void copy(
	struct cut *cut, const struct tc_cut_options *options, tc_write_fn write, void *user)
{
	const struct tc_decode_sink sink = {cut, copy_event, copy_member, skip_log};
	struct tc_ctx *ctx = cut->ctx;

	if (tc_ctx_failed(ctx))
		return;
	cut->writer = (struct writer){.ctx = ctx,
		.write = write,
		.user = user,
		.text = {.ctx = ctx},
		.members = {.ctx = ctx}};
	if (options->gzip)
		tc_deflate_new(&cut->writer.gzip, ctx, write, user);
	tc_buf_append_char(&cut->writer.text, '{');
	write_mark(cut, options);
	pass(cut, &sink);
	finish(&cut->writer);
}

enum tc_status tc_cut(struct tc_cut_counts *counts, struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_cut_options *options, tc_write_fn write, void *user)
{
	struct cut cut = {.ctx = ctx, .path = {.ctx = ctx}, .choice = {.ctx = ctx}};

	TC_ENTER(ctx);
	TC_CHECK_SIZE(ctx, options);
	if (tc_ctx_failed(ctx))
		return tc_ctx_status(ctx);
	check(ctx, options);
	choose(&cut, tc_store_db(store), options);
	copy(&cut, options, write, user);
	if (!tc_ctx_failed(ctx))
		*counts = (struct tc_cut_counts){cut.event_count, cut.writer.event_count};
	writer_clear(&cut.writer);
	tc_choice_clear(&cut.choice);
	tc_buf_clear(&cut.path);
	return tc_ctx_status(ctx);
}
