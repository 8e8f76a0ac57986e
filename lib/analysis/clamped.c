/*
 * Clamped timestamps: a writer that cannot map a device clock leaves work at ts 0, years before
 * the rest of the trace. Such work must not stretch spans, so it is found before the sweep. The
 * lanes are read twice only when something is at ts 0 at all.
 */
#include "analysis/device_account.h"

#include "analysis/sql.h"
#include "core/alloc.h"
#include "core/buf.h"

struct range {
	int64_t first_ns, last_ns;
	bool has_zero;
};

static const struct range no_range = {INT64_MAX, INT64_MIN, false};

static void take(struct range *range, const struct tc_span *span)
{
	struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);

	if (span->dur_ns < 0)
		return;
	if (span->ts_ns == 0) {
		range->has_zero = true;
		return;
	}
	if (interval.start_ns < range->first_ns)
		range->first_ns = interval.start_ns;
	if (interval.end_ns > range->last_ns)
		range->last_ns = interval.end_ns;
}

/* Reads tracks into the range of each device (or of the host, for slices of no device), up to the
 * first slice after ts 0 when only_zero. */
static enum tc_status read_ranges(struct range *ranges, struct range *host,
	const struct tc_timeline *timeline, const uint32_t *tracks, size_t count, bool only_zero)
{
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	enum tc_status status = tc_cursor_open(&cursor, timeline, tracks, count);

	while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
		int32_t device = timeline->tracks[span->track].device;
		if (only_zero && span->ts_ns > 0)
			break;
		if (host)
			take(host, span);
		else if (tc_span_engine(timeline, span) != TC_ENGINE_NONE)
			take(&ranges[device], span);
	}
	tc_cursor_close(cursor);
	return status;
}

static enum tc_status read_host(struct range *host, const struct tc_timeline *timeline)
{
	uint32_t *tracks = tc_calloc(timeline->track_count, sizeof(*tracks));
	size_t count = 0;

	if (!tracks)
		return tc_fail(timeline->ctx, TC_ERR_NOMEM, "no memory for device accounts");
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].kind == TC_TRACK_THREAD)
			tracks[count++] = (uint32_t)i;
	enum tc_status status = read_ranges(NULL, host, timeline, tracks, count, false);
	tc_free(tracks);
	return status;
}

/* Work at 0 stretches a range to more than double when the range is farther from 0 than long. */
static bool is_far(const struct range *range)
{
	return range->first_ns <= range->last_ns && range->first_ns > 0 &&
	       range->first_ns > range->last_ns - range->first_ns;
}

/* Reads all lanes and the host, once it is known that a device has something at ts 0. */
static enum tc_status judge(struct tc_device_account *account, struct range *ranges)
{
	const struct tc_timeline *timeline = account->timeline;
	struct range host = no_range;
	enum tc_status status =
		read_ranges(ranges, NULL, timeline, account->tracks, account->track_count, false);

	if (!status)
		status = read_host(&host, timeline);
	account->host = (struct tc_interval){host.first_ns, host.last_ns};
	for (size_t i = 0; i < timeline->device_count && !status; i++) {
		const struct range *other =
			ranges[i].first_ns <= ranges[i].last_ns ? &ranges[i] : &host;
		account->is_clamped[i] = ranges[i].has_zero && is_far(other);
	}
	return status;
}

enum tc_status tc_clamped_find(struct tc_device_account *account)
{
	const struct tc_timeline *timeline = account->timeline;
	struct range *ranges = tc_calloc(timeline->device_count, sizeof(*ranges));
	bool any = false;

	if (!ranges)
		return tc_fail(timeline->ctx, TC_ERR_NOMEM, "no memory for device accounts");
	for (size_t i = 0; i < timeline->device_count; i++)
		ranges[i] = no_range;
	enum tc_status status =
		read_ranges(ranges, NULL, timeline, account->tracks, account->track_count, true);
	for (size_t i = 0; i < timeline->device_count; i++) {
		any = any || ranges[i].has_zero;
		ranges[i] = (struct range){INT64_MAX, INT64_MIN, ranges[i].has_zero};
	}
	if (!status && any)
		status = judge(account, ranges);
	tc_free(ranges);
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
	tc_sql_integer(insert, 1, account->timeline->trace_id);
	tc_sql_integer(insert, 2, account->clamped_count[device]);
	tc_sql_text(insert, 3, tc_buf_text(&message));
	if (!status)
		status = tc_sql_run(ctx, insert, what);
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
	status = tc_sql_prepare(&insert, ctx, db,
		"INSERT INTO import_log (trace_id, kind, severity, byte_offset, count, message)"
		" VALUES (?, 'zero_timestamp', 'error', NULL, ?, ?)",
		"write the import log");
	for (size_t i = 0; i < account->timeline->device_count && !status; i++)
		if (account->clamped_count[i] > 0)
			status = log_device(account, ctx, insert, i);
	sqlite3_finalize(insert);
	return status;
}
