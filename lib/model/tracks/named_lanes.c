/* Devices by the names of processes; see named_lanes.h. */
#include "model/tracks/named_lanes.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "names/pattern.h"

enum { DEVICE_MASK = 31 }; /* of a pid: msprof writes pid << 10 | layer << 5 | device */

static const struct tc_named_lane rows[] = {
#define TC_NAMED_LANE(process, thread, engine, naming, vendor)                                     \
	{process, thread, TC_ENGINE_##engine, TC_NAMING_##naming, vendor},
#include "names/lanes.def"
};

enum { ROW_COUNT = TC_COUNT_OF(rows) };

/* The string by which a process is looked up: its name, or its labels if it has no name. */
static uint32_t lookup_name(const struct tc_process_row *process)
{
	return process->name != TC_STRTAB_NONE ? process->name : process->labels;
}

/* True when the row fits a process. A row for all threads does not fit if a process of this name
 * has host slices: then it is the name of the program ("GPU0" by prctl()), which Kineto also
 * gives to the processes of devices. */
static bool fits(const struct tc_named_lane *row, const struct tc_tracks *tracks,
	const struct tc_process_row *process)
{
	struct tc_text name = tc_tracks_text(tracks, lookup_name(process));

	return name.ptr && tc_pattern_match(row->process, name) &&
	       !(process->has_host_name && strcmp(row->thread, "*") == 0);
}

const struct tc_named_lane *tc_named_lane_of(
	const struct tc_tracks *tracks, const struct tc_track_row *track)
{
	const struct tc_process_row *process = &tracks->processes[track->process];
	struct tc_text name = tc_tracks_text(tracks, tracks->threads[track->thread].name);

	for (size_t i = 0; i < ROW_COUNT && !track->has_host_slice; i++)
		if (fits(&rows[i], tracks, process) && tc_pattern_match(rows[i].thread, name))
			return &rows[i];
	return NULL;
}

/* The first row that fits a process, whatever its threads are; NULL for none. */
static const struct tc_named_lane *row_of(
	const struct tc_tracks *tracks, const struct tc_process_row *process)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (fits(&rows[i], tracks, process))
			return &rows[i];
	return NULL;
}

/* The processes of a trace that each have a device. */
struct hosts {
	size_t count;
	uint32_t latest; /* the latest process; valid if count is not 0 */
	uint32_t by_bits[DEVICE_MASK +
			 1];  /* the latest NPU process with these bits; or TC_INDEX_NONE */
	uint8_t *name_counts; /* by string: how many processes have it as name, at most 2 */
};

static uint32_t name_of(const struct tc_process_row *process, const struct tc_named_lane *row)
{
	return row->naming == TC_NAMING_LABEL ? process->labels : process->name;
}

/* rocprof names the processes of all devices of a machine, also of those that did nothing. */
static bool has_device(const struct tc_process_row *process, const struct tc_named_lane *row)
{
	return row && process->has_slices &&
	       (row->naming == TC_NAMING_LABEL || row->naming == TC_NAMING_NAME);
}

/* False when memory is out. */
static bool find_hosts(struct hosts *hosts, const struct tc_tracks *tracks)
{
	for (size_t i = 0; i <= DEVICE_MASK; i++)
		hosts->by_bits[i] = TC_INDEX_NONE;
	hosts->name_counts = tc_calloc(tracks->strings.count + 1, 1);
	for (uint32_t i = 0; i < tracks->process_count && hosts->name_counts; i++) {
		const struct tc_process_row *process = &tracks->processes[i];
		const struct tc_named_lane *row = row_of(tracks, process);
		if (!has_device(process, row))
			continue;
		hosts->count++;
		hosts->latest = i;
		if (row->naming == TC_NAMING_LABEL && !process->pid.is_text)
			hosts->by_bits[process->pid.number & DEVICE_MASK] = i;
		uint32_t name = name_of(process, row);
		if (name != TC_STRTAB_NONE && hosts->name_counts[name] < 2)
			hosts->name_counts[name]++;
	}
	return hosts->name_counts != NULL;
}

/* The name of the process if no other has it, else the pid. */
static uint32_t device_string(const struct hosts *hosts, struct tc_tracks *tracks,
	const struct tc_process_row *process, const struct tc_named_lane *row)
{
	struct tc_buf pid = TC_BUF_EMPTY;
	uint32_t string = name_of(process, row);

	if (string != TC_STRTAB_NONE && hosts->name_counts[string] == 1)
		return string;
	tc_tracks_append_ident(tracks, process->pid, &pid);
	string = tc_buf_failed(&pid) ? TC_STRTAB_NONE : tc_tracks_string(tracks, tc_buf_text(&pid));
	tc_buf_clear(&pid);
	return string;
}

/* False when memory is out. */
static bool name_hosts(const struct hosts *hosts, struct tc_tracks *tracks)
{
	for (size_t i = 0; i < tracks->process_count; i++) {
		struct tc_process_row *process = &tracks->processes[i];
		const struct tc_named_lane *row = row_of(tracks, process);
		if (!has_device(process, row))
			continue;
		process->device = device_string(hosts, tracks, process, row);
		if (process->device == TC_STRTAB_NONE)
			return false;
	}
	return true;
}

/* The process that has the device of a guest: the only one, or the one with the same device
 * bits; else TC_INDEX_NONE. */
static uint32_t host_of(const struct hosts *hosts, const struct tc_process_row *guest)
{
	if (hosts->count == 1)
		return hosts->latest;
	return guest->pid.is_text ? TC_INDEX_NONE : hosts->by_bits[guest->pid.number & DEVICE_MASK];
}

/* Marks the processes whose name a process with host slices has. False when memory is out. */
static bool find_host_names(struct tc_tracks *tracks)
{
	uint8_t *is_host = tc_calloc(tracks->strings.count + 1, 1); /* by string */

	for (size_t i = 0; i < tracks->track_count && is_host; i++) {
		const struct tc_track_row *track = &tracks->tracks[i];
		uint32_t name = lookup_name(&tracks->processes[track->process]);
		tracks->processes[track->process].has_slices |= track->slice_count > 0;
		if (track->has_host_slice && name != TC_STRTAB_NONE)
			is_host[name] = 1;
	}
	for (size_t i = 0; i < tracks->process_count && is_host; i++) {
		struct tc_process_row *process = &tracks->processes[i];
		uint32_t name = lookup_name(process);
		process->has_host_name = name != TC_STRTAB_NONE && is_host[name];
	}
	bool found = is_host != NULL;
	tc_free(is_host);
	return found;
}

bool tc_named_lanes_resolve(struct tc_tracks *tracks)
{
	struct hosts hosts = {0};
	bool named =
		find_host_names(tracks) && find_hosts(&hosts, tracks) && name_hosts(&hosts, tracks);

	tc_free(hosts.name_counts);
	for (size_t i = 0; i < tracks->process_count && named; i++) {
		struct tc_process_row *process = &tracks->processes[i];
		const struct tc_named_lane *row = row_of(tracks, process);
		uint32_t host = row && row->naming == TC_NAMING_GUEST ? host_of(&hosts, process)
								      : TC_INDEX_NONE;
		if (host != TC_INDEX_NONE)
			process->device = tracks->processes[host].device;
	}
	return named;
}
