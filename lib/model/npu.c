/* Ascend processes by their names; see npu.h. */
#include "model/npu.h"

#include "model/classify.h"

enum { DEVICE_BITS = 31 }; /* of a pid: msprof writes pid << 10 | layer << 5 | device */

static const char hardware[] = "Ascend Hardware*";
static const char *const communication[] = {"Communication*", "HCCL*"};

static bool is_communication(struct tc_text process_name)
{
	return process_name.ptr && (tc_pattern_match(communication[0], process_name) ||
					   tc_pattern_match(communication[1], process_name));
}

enum tc_engine tc_npu_lane_engine(struct tc_text process_name, struct tc_text thread_name)
{
	if (!process_name.ptr || !thread_name.ptr)
		return TC_ENGINE_NONE;
	if (tc_pattern_match(hardware, process_name) && tc_pattern_match("Stream*", thread_name))
		return TC_ENGINE_COMPUTE;
	if (is_communication(process_name) && tc_pattern_match("Group*Communication*", thread_name))
		return TC_ENGINE_COMMUNICATION;
	return TC_ENGINE_NONE;
}

static struct tc_text name_of(const struct tc_tracks *tracks, size_t process)
{
	return tc_tracks_text(tracks, tracks->processes[process].name);
}

static bool is_hardware(const struct tc_tracks *tracks, size_t process)
{
	struct tc_text name = name_of(tracks, process);

	return name.ptr && tc_pattern_match(hardware, name);
}

static uint32_t device_string(struct tc_tracks *tracks, size_t process)
{
	const struct tc_process_row *row = &tracks->processes[process];
	bool is_told = row->labels != TC_STRTAB_NONE;
	struct tc_buf pid = TC_BUF_EMPTY;
	uint32_t string = row->labels;

	for (size_t i = 0; i < tracks->process_count; i++)
		if (i != process && is_hardware(tracks, i))
			is_told &= tracks->processes[i].labels != row->labels;
	if (is_told)
		return string;
	tc_tracks_append_ident(tracks, row->pid, &pid);
	string = tc_buf_failed(&pid) ? TC_STRTAB_NONE : tc_tracks_string(tracks, tc_buf_text(&pid));
	tc_buf_clear(&pid);
	return string;
}

/* The hardware process that a communication process belongs to: the only one, or that of the same
 * device bits; TC_INDEX_NONE when neither tells. */
static uint32_t hardware_of(const struct tc_tracks *tracks, const struct tc_process_row *process)
{
	uint32_t only = TC_INDEX_NONE, same = TC_INDEX_NONE;
	size_t count = 0;

	for (uint32_t i = 0; i < tracks->process_count; i++) {
		const struct tc_process_row *other = &tracks->processes[i];
		if (!is_hardware(tracks, i))
			continue;
		only = i;
		count++;
		if (!process->pid.is_text && !other->pid.is_text &&
			(process->pid.number & DEVICE_BITS) == (other->pid.number & DEVICE_BITS))
			same = i;
	}
	return count == 1 ? only : same;
}

bool tc_npu_name_devices(struct tc_tracks *tracks)
{
	for (size_t i = 0; i < tracks->process_count; i++) {
		if (!is_hardware(tracks, i))
			continue;
		uint32_t string = device_string(tracks, i);
		if (string == TC_STRTAB_NONE)
			return false;
		tracks->processes[i].device = string;
	}
	for (size_t i = 0; i < tracks->process_count; i++) {
		struct tc_process_row *row = &tracks->processes[i];
		uint32_t home = is_communication(name_of(tracks, i)) ? hardware_of(tracks, row)
								     : TC_INDEX_NONE;
		if (home != TC_INDEX_NONE)
			row->device = tracks->processes[home].device;
	}
	return true;
}
