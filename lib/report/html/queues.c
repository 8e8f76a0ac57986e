#include "report/html/queues.h"

#include <string.h>

#include "core/alloc.h"

static bool add(struct tc_queue *queue, int64_t launch_ns, int64_t start_ns)
{
	if (!TC_GROW(queue->launches, queue->launch_capacity, queue->count + 1) ||
		!TC_GROW(queue->starts, queue->start_capacity, queue->count + 1))
		return false;
	queue->launches[queue->count] = launch_ns;
	queue->starts[queue->count++] = start_ns;
	return true;
}

static void next_run(struct tc_queues *queues)
{
	bool found = tc_rows_next(&queues->links);

	queues->first = found ? tc_rows_int(&queues->links, 0) : INT64_MAX;
	queues->last = found ? tc_rows_int(&queues->links, 1) : INT64_MAX;
	queues->launch_ns = found ? tc_rows_int(&queues->links, 2) : 0;
}

void tc_queues_open(struct tc_queues *queues, const struct tc_page_tracks *tracks)
{
	*queues = (struct tc_queues){.all = tc_calloc(tracks->count + 1, sizeof(*queues->all)),
		.count = tracks->count,
		.queue_of = tc_calloc(tracks->count + 1, sizeof(*queues->queue_of)),
		.first = -1,
		.last = -1};
	if (!queues->all || !queues->queue_of)
		tc_no_memory(tracks->ctx);
	for (size_t i = 0; i < tracks->count && queues->queue_of; i++)
		queues->queue_of[i] = tracks->all[i].kind == TC_TRACK_LANE
					      ? tc_tracks_find_kind(tracks, TC_TRACK_IDLE,
							tc_text_from(tracks->all[i].device))
					      : UINT32_MAX;
	queues->links = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT d.first_slice_id, d.last_slice_id, l.ts FROM device_link d"
		" CROSS JOIN slice_row l ON l.id = d.launch_slice_id"
		" WHERE d.first_slice_id BETWEEN ?1 AND ?2 ORDER BY d.first_slice_id",
		tracks->first_slice, tracks->last_slice);
}

bool tc_queues_see(struct tc_queues *queues, int64_t id, int64_t ts, uint32_t track)
{
	while (queues->last < id)
		next_run(queues);
	return id < queues->first || queues->queue_of[track] == UINT32_MAX ||
	       add(&queues->all[queues->queue_of[track]], queues->launch_ns, ts);
}

void tc_queues_close(struct tc_queues *queues)
{
	tc_rows_close(&queues->links);
}

void tc_queues_clear(struct tc_queues *queues)
{
	for (size_t i = 0; queues->all && i < queues->count; i++) {
		tc_free(queues->all[i].launches);
		tc_free(queues->all[i].starts);
	}
	tc_free(queues->all);
	tc_free(queues->queue_of);
	*queues = (struct tc_queues){0};
}

/* The end of the ascending run that begins at an index. */
static size_t run_end(const int64_t *values, size_t begin, size_t count)
{
	size_t end = begin < count ? begin + 1 : count;

	while (end < count && values[end - 1] <= values[end])
		end++;
	return end;
}

/* Merges two runs that follow each other, [begin, middle) and [middle, end). */
static void merge_runs(int64_t *into, const int64_t *from, size_t begin, size_t middle, size_t end)
{
	size_t left = begin, right = middle;

	for (size_t i = begin; i < end; i++) {
		bool is_left = right == end || (left < middle && from[left] <= from[right]);
		into[i] = is_left ? from[left++] : from[right++];
	}
}

/* Sorts times. They come in a few ascending runs, one for each lane, so merging the runs takes few
 * rounds. */
static bool sort_times(int64_t *values, size_t count)
{
	int64_t *spare = tc_malloc((count + 1) * sizeof(*spare)), *from = values, *into = spare;

	while (spare && run_end(from, 0, count) < count) {
		for (size_t begin = 0, end; begin < count; begin = end) {
			size_t middle = run_end(from, begin, count);
			end = run_end(from, middle, count);
			merge_runs(into, from, begin, middle, end);
		}
		int64_t *merged = into;
		into = from;
		from = merged;
	}
	if (from != values)
		memcpy(values, from, count * sizeof(*values));
	tc_free(spare);
	return spare != NULL;
}

bool tc_queue_sort(struct tc_queue *queue)
{
	return sort_times(queue->launches, queue->count) && sort_times(queue->starts, queue->count);
}
