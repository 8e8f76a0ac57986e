/*
 * What tracks are, decided when all metadata is known: device lanes with engine and device, and
 * which threads record the same operating-system thread. Facts: the Gaudi bridge writes its own
 * logs under the real pid plus an offset and the real tid, and names those processes.
 */
#include "model/tracks.h"

#include "core/alloc.h"
#include "model/classify.h"
#include "model/npu.h"

static bool is_gaudi_process(const struct tc_tracks *tracks, const struct tc_process_row *process)
{
	struct tc_text name = tc_tracks_text(tracks, process->name);

	return name.ptr && tc_pattern_match("/device:HPU*", name);
}

static enum tc_engine lane_engine(
	const struct tc_tracks *tracks, const struct tc_thread_row *thread)
{
	const struct tc_process_row *process = &tracks->processes[thread->process];
	struct tc_text thread_name = tc_tracks_text(tracks, thread->name);

	if (process->is_gaudi)
		return tc_classify_gaudi_lane(
			thread_name, !thread->tid.is_text, thread->tid.number);
	return tc_npu_lane_engine(tc_tracks_text(tracks, process->name), thread_name);
}

/* The device of a lane, by its text: args.device of its work or its process's, else the pid. */
static int64_t device_of(const struct tc_tracks *tracks, const struct tc_track_row *track,
	struct tc_timeline *timeline)
{
	const struct tc_process_row *process = &tracks->processes[track->process];
	uint32_t string = track->device != TC_STRTAB_NONE ? track->device : process->device;
	struct tc_buf name = TC_BUF_EMPTY;
	int64_t index = -1;

	if (string != TC_STRTAB_NONE)
		tc_buf_append_text(&name, tc_tracks_text(tracks, string));
	else
		tc_tracks_append_ident(tracks, process->pid, &name);
	if (!tc_buf_failed(&name)) {
		/* Both tables number from 0 in the order of first sight. */
		uint32_t number = tc_strtab_intern(&timeline->device_names, tc_buf_text(&name));
		index = number == TC_STRTAB_NONE ? -1 : (int64_t)number;
		if (index == (int64_t)timeline->device_count)
			index = tc_timeline_add_device(timeline,
				&(struct tc_device){
					.name = tc_strtab_at(&timeline->device_names, number)});
	}
	tc_buf_clear(&name);
	return index;
}

/* The log processes of the Gaudi bridge and what it adds to the real pid for each. */
static const struct {
	const char *name;
	int64_t offset;
} log_processes[] = {{"Synapse Logger", 10000}, {"Bridge Logs", 20000}, {"Memory Logs", 30000}};

enum { LOG_PROCESS_COUNT = sizeof(log_processes) / sizeof(log_processes[0]) };

#define PID_MAX (INT64_C(1) << 40) /* far above any pid, far below where sums overflow */

/* True, and the pid it logs for, when process is a log process. */
static bool logged_pid(
	const struct tc_tracks *tracks, const struct tc_process_row *process, int64_t *pid)
{
	struct tc_text name = tc_tracks_text(tracks, process->name);

	for (size_t i = 0; i < LOG_PROCESS_COUNT && name.ptr && !process->pid.is_text; i++) {
		if (tc_pattern_match(log_processes[i].name, name) &&
			process->pid.number >= log_processes[i].offset &&
			process->pid.number < PID_MAX) {
			*pid = process->pid.number - log_processes[i].offset;
			return true;
		}
	}
	return false;
}

/*
 * The thread row of the operating-system thread that thread records: itself, or for a log process
 * the thread of the same tid in the real process or, where that has none, in the first log.
 */
static uint32_t host_thread_of(const struct tc_tracks *tracks, uint32_t thread)
{
	const struct tc_thread_row *row = &tracks->threads[thread];
	int64_t pid;

	if (!logged_pid(tracks, &tracks->processes[row->process], &pid))
		return thread;
	uint32_t found = tc_tracks_find_thread(tracks, pid, row->tid);
	for (size_t i = 0; i < LOG_PROCESS_COUNT && found == TC_INDEX_NONE; i++)
		found = tc_tracks_find_thread(tracks, pid + log_processes[i].offset, row->tid);
	return found == TC_INDEX_NONE ? thread : found;
}

static void number_host_threads(struct tc_tracks *tracks, struct tc_timeline *timeline)
{
	int32_t count = 0;

	for (uint32_t i = 0; i < tracks->thread_count; i++)
		tracks->threads[i].host_thread = host_thread_of(tracks, i);
	for (uint32_t i = 0; i < tracks->thread_count; i++) {
		struct tc_thread_row *row = &tracks->threads[i];
		struct tc_thread_row *host = &tracks->threads[row->host_thread];
		if (tracks->tracks[row->track].kind == TC_TRACK_LANE)
			continue;
		if (host->host_number < 0)
			host->host_number = count++;
		row->host_number = host->host_number;
	}
	timeline->host_thread_count = (size_t)count;
}

enum tc_status tc_tracks_resolve(struct tc_tracks *tracks, struct tc_timeline *timeline)
{
	for (size_t i = 0; i < tracks->process_count; i++)
		tracks->processes[i].is_gaudi = is_gaudi_process(tracks, &tracks->processes[i]);
	if (!tc_npu_name_devices(tracks))
		return tc_fail(timeline->ctx, TC_ERR_NOMEM, "no memory for devices");
	for (size_t i = 0; i < tracks->track_count; i++) {
		struct tc_track_row *track = &tracks->tracks[i];
		if (track->kind != TC_TRACK_THREAD)
			continue;
		track->engine = lane_engine(tracks, &tracks->threads[track->thread]);
		if (track->engine == TC_ENGINE_NONE && !track->has_device_work)
			continue;
		track->kind = TC_TRACK_LANE;
		track->device_index = (int32_t)device_of(tracks, track, timeline);
		if (track->device_index < 0)
			return tc_fail(timeline->ctx, TC_ERR_NOMEM, "no memory for devices");
	}
	number_host_threads(tracks, timeline);
	return TC_OK;
}
