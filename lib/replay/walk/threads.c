/* See threads.h. */
#include "replay/walk/threads.h"

#include "core/alloc.h"

static bool is_runtime_log(const struct tc_track *track)
{
	return track->name.ptr && tc_text_starts(track->name, TC_TEXT("Synapse/"));
}

static void sort_out(struct tc_threads *threads, const struct tc_timeline *timeline)
{
	for (size_t i = 0; i < timeline->host_thread_count; i++)
		threads->is_unnamed[i] = true;
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		if (track->kind == TC_TRACK_LANE) {
			threads->lanes[threads->lane_count++] = (uint32_t)i;
		} else if (track->kind == TC_TRACK_THREAD && track->host_thread >= 0 &&
			   (size_t)track->host_thread < timeline->host_thread_count) {
			threads->host_tracks[threads->host_track_count++] = (uint32_t)i;
			if (!is_runtime_log(track))
				threads->is_unnamed[track->host_thread] = false;
		}
	}
	for (size_t i = 0; i < timeline->host_thread_count; i++)
		if (!threads->is_unnamed[i])
			threads->named[threads->named_count++] = (uint32_t)i;
}

enum tc_status tc_threads_find(struct tc_threads *threads, const struct tc_timeline *timeline)
{
	size_t tracks = timeline->track_count + 1, count = timeline->host_thread_count + 1;

	*threads = (struct tc_threads){.host_tracks = tc_calloc(tracks, sizeof(uint32_t)),
		.lanes = tc_calloc(tracks, sizeof(uint32_t)),
		.is_unnamed = tc_calloc(count, sizeof(bool)),
		.named = tc_calloc(count, sizeof(uint32_t))};
	if (!threads->host_tracks || !threads->lanes || !threads->is_unnamed || !threads->named)
		return tc_no_memory(timeline->ctx);
	sort_out(threads, timeline);
	return TC_OK;
}

void tc_threads_clear(struct tc_threads *threads)
{
	tc_free(threads->host_tracks);
	tc_free(threads->lanes);
	tc_free(threads->is_unnamed);
	tc_free(threads->named);
}
