/*
 * Clamped timestamps: a writer that cannot map a device clock leaves work at ts 0, years before
 * the rest of the trace. Such work must not stretch spans, so it is found before the sweep. The
 * lanes are read twice only when something is at ts 0 at all.
 */
#include "analysis/device_account.h"

#include "analysis/statement.h"
#include "core/alloc.h"
#include "core/buf.h"

/* Nearer to 0 the trace may well begin there: clocks that get clamped count from the epoch, from
 * the start of a quarter or from when the machine was started. */
static const int64_t far_ns = INT64_C(1000000000);

/* From the first to the last slice that is not at ts 0. */
static void take(struct tc_interval *range, const struct tc_span *span)
{
	struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);

	if (interval.start_ns < range->start_ns)
		range->start_ns = interval.start_ns;
	if (interval.end_ns > range->end_ns)
		range->end_ns = interval.end_ns;
}

static bool is_at_zero(const struct tc_timeline *timeline, const struct tc_span *span)
{
	return span->ts_ns == 0 && span->dur_ns >= 0 &&
	       tc_span_engine(timeline, span) != TC_ENGINE_NONE;
}

/* Marks the devices with work at ts 0; reads the lanes only so far. */
static enum tc_status find_zeros(struct tc_device_account *account, bool *any)
{
	const struct tc_timeline *timeline = account->timeline;
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	enum tc_status status =
		tc_cursor_open(&cursor, timeline, account->tracks, account->track_count);

	while (!status && !(status = tc_cursor_next(cursor, &span)) && span && span->ts_ns <= 0) {
		if (!is_at_zero(timeline, span))
			continue;
		account->is_clamped[timeline->tracks[span->track].device] = true;
		*any = true;
	}
	tc_cursor_close(cursor);
	return status;
}

/* The ranges of the rest: of the host, and of all. */
static enum tc_status read_rest(struct tc_device_account *account, struct tc_interval *rest)
{
	const struct tc_timeline *timeline = account->timeline;
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	uint32_t *tracks = tc_calloc(timeline->track_count, sizeof(*tracks));
	size_t count = 0;

	if (!tracks)
		return tc_fail(timeline->ctx, TC_ERR_NOMEM, "no memory for device accounts");
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].kind != TC_TRACK_ASYNC)
			tracks[count++] = (uint32_t)i;
	enum tc_status status = tc_cursor_open(&cursor, timeline, tracks, count);
	while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
		if (span->ts_ns == 0 || span->dur_ns < 0)
			continue;
		take(rest, span);
		if (timeline->tracks[span->track].kind == TC_TRACK_THREAD)
			take(&account->host, span);
	}
	tc_cursor_close(cursor);
	tc_free(tracks);
	return status;
}

enum tc_status tc_clamped_find(struct tc_device_account *account)
{
	struct tc_interval rest = {INT64_MAX, INT64_MIN};
	bool any = false;
	enum tc_status status = find_zeros(account, &any);

	account->host = rest;
	if (!status && any)
		status = read_rest(account, &rest);
	/* Work at 0 more than doubles a range that is farther from 0 than it is long. */
	bool is_far = rest.start_ns <= rest.end_ns && rest.start_ns >= far_ns &&
		      rest.start_ns > rest.end_ns - rest.start_ns;
	for (size_t i = 0; i < account->timeline->device_count; i++)
		account->is_clamped[i] = account->is_clamped[i] && is_far;
	return status;
}

static enum tc_status log_device(const struct tc_device_account *account, struct tc_ctx *ctx,
	sqlite3_stmt *insert, size_t device)
{
	static const char what[] = "write the import log";
	struct tc_buf message = TC_BUF_EMPTY;
	struct tc_text name = account->timeline->devices[device].name;

	tc_buf_format(&message,
		"%lld operations of device %.*s at ts 0, far before the rest: not counted as busy",
		(long long)account->clamped_count[device], (int)name.len, name.ptr ? name.ptr : "");
	enum tc_status status = TC_OK;
	if (!tc_buf_string(&message))
		status = tc_fail(ctx, TC_ERR_NOMEM, "no memory for the import log");
	tc_statement_integer(insert, 1, account->timeline->trace_id);
	tc_statement_integer(insert, 2, account->clamped_count[device]);
	tc_statement_text(insert, 3, tc_buf_text(&message));
	if (!status)
		status = tc_statement_run(ctx, insert, what);
	sqlite3_clear_bindings(insert);
	tc_buf_clear(&message);
	return status;
}

enum tc_status tc_clamped_log(
	const struct tc_device_account *account, struct tc_ctx *ctx, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = TC_OK;

	if (account->clamped_total == 0)
		return TC_OK;
	status = tc_statement_compile(&insert, ctx, db,
		"INSERT INTO import_log (trace_id, kind, severity, byte_offset, count, message)"
		" VALUES (?, 'zero_timestamp', 'error', NULL, ?, ?)",
		"write the import log");
	for (size_t i = 0; i < account->timeline->device_count && !status; i++)
		if (account->clamped_count[i] > 0)
			status = log_device(account, ctx, insert, i);
	sqlite3_finalize(insert);
	return status;
}
