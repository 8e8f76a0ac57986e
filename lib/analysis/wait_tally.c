/*
 * Waits are open from their start until an operation ends after them. Each operation that ends is
 * offered to the open ones, and the last that was there before the wait began stays:
 *
 *   wait              |-----------------|
 *   operations   |--a--|    |-b-|   |-c-|       b was launched before the wait, c in it by another
 *                                               thread: b released it
 */
#include "analysis/wait_tally.h"

#include "analysis/intervals.h"

/* Waits are few, and end nearly in order. */
enum { SORT_BYTES = 256 * 1024 };

TC_ORDER(compare_slices, struct tc_wait_release, TC_UP(wait.slice_id));

static const struct tc_sorter_layout layout = {
	sizeof(struct tc_wait_release), SORT_BYTES, compare_slices};

void tc_wait_tally_init(struct tc_wait_tally *tally, const struct tc_timeline *timeline)
{
	*tally = (struct tc_wait_tally){.timeline = timeline};
	TC_SORTER_FIRST(timeline->waits, tally->next);
}

void tc_wait_tally_clear(struct tc_wait_tally *tally)
{
	tc_sorter_free(tally->released);
	*tally = (struct tc_wait_tally){0};
}

/* Closes the waits that end before a time; later ones may still be released. */
static void close_waits(struct tc_wait_tally *tally, int64_t time_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < tally->open_count; i++) {
		const struct tc_wait_release *release = &tally->open[i];
		if (release->wait.end_ns >= time_ns)
			tally->open[kept++] = *release;
		else if (release->op_slice_id != TC_NO_ID)
			tc_sorter_put(&tally->released, tally->timeline->ctx, &layout, release);
	}
	tally->open_count = kept;
}

static void go_to(struct tc_wait_tally *tally, int64_t time_ns)
{
	close_waits(tally, time_ns);
	while (tally->next && tally->next->start_ns < time_ns) {
		if (tally->next->end_ns >= time_ns && tally->open_count < TC_WAITS_OPEN)
			tally->open[tally->open_count++] = (struct tc_wait_release){
				.wait = *tally->next, .op_slice_id = TC_NO_ID};
		TC_SORTER_NEXT(tally->timeline->waits, tally->next);
	}
}

/* All open waits have begun before the operation ends and end with it or later. Ends come in time
 * order. Of operations that end together, the first one offered counts. */
void tc_wait_tally_offer(struct tc_wait_tally *tally, const struct tc_open *open)
{
	const struct tc_span *span = &open->span;
	int64_t from_ns = open->start_ns;

	if (span->launch_slice_id != TC_NO_ID && tc_time_clamp(span->launch_ts_ns) < from_ns)
		from_ns = tc_time_clamp(span->launch_ts_ns);
	if (span->method == TC_LAUNCH_BEFORE)
		from_ns = TC_TIME_FIRST;
	go_to(tally, open->end_ns);
	for (size_t i = 0; i < tally->open_count; i++) {
		struct tc_wait_release *release = &tally->open[i];
		bool is_later =
			release->op_slice_id == TC_NO_ID || open->end_ns > release->op_end_ns;
		if (from_ns > release->wait.start_ns || !is_later)
			continue;
		release->op_slice_id = span->slice_id;
		release->op_end_ns = open->end_ns;
		release->launch_slice_id = span->launch_slice_id;
		release->device = tally->timeline->tracks[span->track].device;
	}
}

void tc_wait_tally_write(struct tc_wait_tally *tally, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct tc_wait_release *release = NULL;

	close_waits(tally, INT64_MAX);
	TC_SORTER_FIRST(tally->released, release);
	for (; release; TC_SORTER_NEXT(tally->released, release)) {
		const struct tc_sql_value values[] = {
			tc_sql_int(release->wait.slice_id),
			tc_sql_int(timeline->trace_id),
			tc_sql_text(timeline->devices[release->device].name),
			tc_sql_int(release->op_slice_id),
			tc_sql_int(release->op_end_ns),
			tc_sql_id(release->launch_slice_id),
		};
		TC_TABLES_PUT(tables,
			"wait_release (slice_id, trace_id, device, op_slice_id, op_end,"
			" launch_slice_id)",
			values);
	}
}
