/* Device work by launch; see launched.h. */
#include "analysis/device/launched.h"

/* Work comes nearly in the order of its launches. */
enum { SORT_BYTES = 1024 * 1024 };

static int compare_calls(const struct tc_launched *x, int64_t ts_ns, int64_t end_ns, int64_t id)
{
	if (x->launch_ts_ns != ts_ns)
		return x->launch_ts_ns < ts_ns ? -1 : 1;
	if (x->launch_end_ns != end_ns)
		return x->launch_end_ns > end_ns ? -1 : 1;
	return x->launch_slice_id < id ? -1 : x->launch_slice_id > id;
}

static int compare(const void *a, const void *b)
{
	const struct tc_launched *x = a, *y = b;
	int order = compare_calls(x, y->launch_ts_ns, y->launch_end_ns, y->launch_slice_id);

	if (!order)
		order = (x->ts_ns > y->ts_ns) - (x->ts_ns < y->ts_ns);
	return order ? order : (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

int tc_launched_compare(const struct tc_launched *work, const struct tc_span *host)
{
	return compare_calls(work, host->ts_ns, tc_span_end_ns(host), host->slice_id);
}

struct tc_launched tc_launched_of(const struct tc_span *span)
{
	struct tc_launched work = {
		.launch_ts_ns = INT64_MIN,
		.launch_slice_id = TC_NO_ID,
		.ts_ns = span->ts_ns,
		.time.dur_ns = span->dur_ns,
		.slice_id = span->slice_id,
		.label = span->label,
		.track = span->track,
	};

	if (span->launch_slice_id != TC_NO_ID) {
		work.launch_ts_ns = span->launch_ts_ns;
		work.launch_end_ns = span->launch_end_ns;
		work.launch_slice_id = span->launch_slice_id;
	}
	return work;
}

enum tc_status tc_launched_add(
	struct tc_sorter **sorter, struct tc_ctx *ctx, const struct tc_launched *work)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct tc_launched), SORT_BYTES, compare};

	return tc_sorter_put(sorter, ctx, &layout, work);
}
