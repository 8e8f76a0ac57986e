/* See counters.h. Points come in the order of time. */
#include "report/html/counters.h"

#include "core/alloc.h"
#include "core/saturate.h"

static const char memory_sql[] =
	"SELECT ts, total_allocated_bytes, iif(device_type = 0, 'CPU memory in use',"
	" 'memory in use, device ' || device_id) AS name FROM memory_sample WHERE trace_id = ?1"
	" AND total_allocated_bytes IS NOT NULL ORDER BY device_type = 0, device_id, ts, id";
static const char own_sql[] = "SELECT ts, value, name FROM counter WHERE trace_id = ?1"
			      " ORDER BY name, process_id, ts, id";

/* A new counter. NULL when there are TC_COUNTERS_MOST already or memory is out. */
static struct tc_counter *add_counter(
	struct tc_counters *counters, struct tc_text name, bool is_bytes)
{
	if (counters->count == TC_COUNTERS_MOST)
		return NULL;
	char *taken = tc_text_dup(name);
	if (!taken)
		return NULL;
	struct tc_counter *counter = &counters->all[counters->count++];
	*counter = (struct tc_counter){.name = taken, .is_bytes = is_bytes};
	return counter;
}

static int64_t piece_of(const struct tc_page_tracks *tracks, int64_t ts)
{
	int64_t span_ns = tc_sub_saturated(tracks->end_ns, tracks->start_ns);

	span_ns = span_ns > 0 ? span_ns : 0;
	return tc_sub_saturated(ts, tracks->start_ns) / (span_ns / TC_COUNTER_PIECES + 1);
}

/* Keeps two points of each piece of time: the highest and the last. */
static void add_point(struct tc_counter *counter, const struct tc_page_tracks *tracks,
	struct tc_counter_point point)
{
	struct tc_counter_point *points = counter->points;
	size_t count = counter->count;
	int64_t piece = piece_of(tracks, point.ts);

	if (count > 1 && piece_of(tracks, points[count - 1].ts) == piece &&
		piece_of(tracks, points[count - 2].ts) == piece) {
		if (points[count - 1].value > points[count - 2].value)
			points[count - 2] = points[count - 1];
		points[count - 1] = point;
		return;
	}
	TC_PUSH(tracks->ctx, counter->points, counter->count, counter->capacity, point);
}

/* Reads rows of ts, value and name, ordered by name and time. */
static void load_rows(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	const char *sql, bool is_bytes)
{
	struct tc_counter *counter = NULL;
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db, sql, tracks->trace_id);

	while (tc_rows_next(&rows)) {
		struct tc_text name = tc_rows_text(&rows, 2);
		if (!counter || !tc_text_equal(tc_text_from(counter->name), name))
			counter = add_counter(counters, name, is_bytes);
		if (!counter)
			break;
		add_point(counter, tracks,
			(struct tc_counter_point){tc_rows_int(&rows, 0), tc_rows_real(&rows, 1)});
	}
	tc_rows_close(&rows);
}

/* Sorts all changes by time and joins those at the same time. */
static void merge_queue(
	struct tc_counter *counter, const struct tc_page_tracks *tracks, struct tc_queue *queue)
{
	size_t launch = 0, start = 0;

	if (!tc_queue_sort(queue))
		tc_no_memory(tracks->ctx);
	while (start < queue->count) {
		int64_t ts = queue->starts[start];
		if (launch < queue->count && queue->launches[launch] < ts)
			ts = queue->launches[launch];
		while (launch < queue->count && queue->launches[launch] == ts)
			launch++;
		while (start < queue->count && queue->starts[start] == ts)
			start++;
		add_point(counter, tracks,
			(struct tc_counter_point){ts, (double)launch - (double)start});
	}
}

static void add_queue(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	const char *device, struct tc_queue *queue)
{
	struct tc_buf name = TC_BUF_EMPTY;

	if (queue->count == 0)
		return;
	tc_buf_format(&name, "queued work, device %s", device);
	struct tc_counter *counter = add_counter(counters, tc_buf_text(&name), false);
	tc_buf_clear(&name);
	if (counter)
		merge_queue(counter, tracks, queue);
}

void tc_counters_load(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	struct tc_queues *queues, bool with_own)
{
	*counters = (struct tc_counters){0};
	for (size_t i = 0; i < tracks->count && !tc_ctx_failed(tracks->ctx); i++)
		if (tracks->all[i].kind == TC_TRACK_IDLE && counters->count < TC_COUNTERS_MOST / 2)
			add_queue(counters, tracks, tracks->all[i].device, &queues->all[i]);
	load_rows(counters, tracks, memory_sql, true);
	if (with_own)
		load_rows(counters, tracks, own_sql, false);
}

void tc_counters_clear(struct tc_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		tc_free(counters->all[i].name);
		tc_free(counters->all[i].points);
	}
	*counters = (struct tc_counters){0};
}
