/* Ascend processes by their names; see npu.h. */
#include "model/npu.h"

#include "core/alloc.h"
#include "model/classify.h"

enum { DEVICE_MASK = 31 }; /* of a pid: msprof writes pid << 10 | layer << 5 | device */

static const char hardware_name[] = "Ascend Hardware*";
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
	if (tc_pattern_match(hardware_name, process_name) &&
		tc_pattern_match("Stream*", thread_name))
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

	return name.ptr && tc_pattern_match(hardware_name, name);
}

/* The hardware processes of a trace, by what tells them apart. */
struct hardware {
	size_t count;
	uint32_t latest;                   /* process, when there is any */
	uint32_t by_bits[DEVICE_MASK + 1]; /* the latest of these bits; TC_INDEX_NONE for none */
	uint8_t *label_counts;             /* by string: how many are labelled so, 2 for more */
};

/* False when memory is out. */
static bool find_hardware(struct hardware *hardware, const struct tc_tracks *tracks)
{
	for (size_t i = 0; i <= DEVICE_MASK; i++)
		hardware->by_bits[i] = TC_INDEX_NONE;
	hardware->label_counts = tc_calloc(tracks->strings.count + 1, 1);
	for (uint32_t i = 0; i < tracks->process_count && hardware->label_counts; i++) {
		const struct tc_process_row *row = &tracks->processes[i];
		if (!is_hardware(tracks, i))
			continue;
		hardware->count++;
		hardware->latest = i;
		if (!row->pid.is_text)
			hardware->by_bits[row->pid.number & DEVICE_MASK] = i;
		if (row->labels != TC_STRTAB_NONE && hardware->label_counts[row->labels] < 2)
			hardware->label_counts[row->labels]++;
	}
	return hardware->label_counts != NULL;
}

/* What the labels tell, if those of no other process do, else the pid. */
static uint32_t device_string(
	const struct hardware *hardware, struct tc_tracks *tracks, const struct tc_process_row *row)
{
	struct tc_buf pid = TC_BUF_EMPTY;
	uint32_t string;

	if (row->labels != TC_STRTAB_NONE && hardware->label_counts[row->labels] == 1)
		return row->labels;
	tc_tracks_append_ident(tracks, row->pid, &pid);
	string = tc_buf_failed(&pid) ? TC_STRTAB_NONE : tc_tracks_string(tracks, tc_buf_text(&pid));
	tc_buf_clear(&pid);
	return string;
}

/* The hardware process that a communication process belongs to: the only one, or that of the same
 * device bits; TC_INDEX_NONE when neither tells. */
static uint32_t home_of(const struct hardware *hardware, const struct tc_process_row *process)
{
	if (hardware->count == 1)
		return hardware->latest;
	return process->pid.is_text ? TC_INDEX_NONE
				    : hardware->by_bits[process->pid.number & DEVICE_MASK];
}

/* False when memory is out. */
static bool name_hardware(const struct hardware *hardware, struct tc_tracks *tracks)
{
	for (size_t i = 0; i < tracks->process_count; i++) {
		struct tc_process_row *row = &tracks->processes[i];
		if (!is_hardware(tracks, i))
			continue;
		row->device = device_string(hardware, tracks, row);
		if (row->device == TC_STRTAB_NONE)
			return false;
	}
	return true;
}

bool tc_npu_name_devices(struct tc_tracks *tracks)
{
	struct hardware hardware = {0};
	bool named = find_hardware(&hardware, tracks) && name_hardware(&hardware, tracks);

	tc_free(hardware.label_counts);
	for (size_t i = 0; i < tracks->process_count && named; i++) {
		struct tc_process_row *row = &tracks->processes[i];
		uint32_t home = is_communication(name_of(tracks, i)) ? home_of(&hardware, row)
								     : TC_INDEX_NONE;
		if (home != TC_INDEX_NONE)
			row->device = tracks->processes[home].device;
	}
	return named;
}
