#include "replay/walk/threads.h"

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
	*threads = (struct tc_threads){0};
	TC_ARENA(&threads->arena, threads->host_tracks, timeline->track_count);
	TC_ARENA(&threads->arena, threads->lanes, timeline->track_count);
	TC_ARENA(&threads->arena, threads->is_unnamed, timeline->host_thread_count);
	TC_ARENA(&threads->arena, threads->named, timeline->host_thread_count);
	enum tc_status status = tc_arena_status(&threads->arena, timeline->ctx);
	if (!status)
		sort_out(threads, timeline);
	return status;
}
