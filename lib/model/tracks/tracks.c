/*
 * Processes, threads and tracks by the ids of the file. Each has a row, found by a key of fixed
 * size in one string table: p a process, t a thread of a process, d a device on a thread, s the
 * states of a thread, a async events of an id.
 *
 *   pid 7, tid 9                        p 7          thread of p: t 9       track 0
 *   a kernel there, args.device 1       the first device of the thread gets track 0 itself
 *   a kernel there, args.device 2       d 2          track 1, another track of that thread
 *
 * The latest lookups of threads are remembered, because every event makes one. Beyond the limit of
 * tracks no row is added (is_full); ids that have a row are still found. Rows never move to another
 * index, so events and slices refer to them by their numbers.
 */
#include "model/tracks/tracks.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/text/decimal.h"
#include "names/names.h"

void tc_tracks_clear(struct tc_tracks *tracks)
{
	tc_strtab_clear(&tracks->strings);
	tc_strtab_clear(&tracks->keys);
	tc_free(tracks->key_rows);
	tc_free(tracks->processes);
	tc_free(tracks->threads);
	tc_free(tracks->tracks);
	tc_tracks_init(tracks, tracks->ctx);
}

void tc_tracks_append_ident(
	const struct tc_tracks *tracks, struct tc_ident ident, struct tc_buf *buf)
{
	if (ident.is_text)
		tc_buf_append_text(buf, tc_tracks_text(tracks, (uint32_t)ident.number));
	else
		tc_buf_format(buf, "%lld", (long long)ident.number);
}

static struct tc_ident ident_or(
	struct tc_tracks *tracks, const struct tc_scalar *scalar, struct tc_ident absent)
{
	int64_t number;

	switch (scalar->kind) {
	case TC_SCALAR_INT: return (struct tc_ident){false, scalar->i64};
	case TC_SCALAR_NUMBER:
	case TC_SCALAR_TEXT: break;
	case TC_SCALAR_NONE:
	case TC_SCALAR_NULL:
	case TC_SCALAR_BOOL:
	case TC_SCALAR_JSON: return absent;
	}
	if (tc_decimal_int64(&number, scalar->text))
		return (struct tc_ident){false, number};
	return (struct tc_ident){true, tc_tracks_string(tracks, scalar->text)};
}

struct tc_ident tc_tracks_ident(struct tc_tracks *tracks, const struct tc_scalar *scalar)
{
	return ident_or(tracks, scalar, (struct tc_ident){false, 0});
}

/* A key of a row. It has no padding, so bytes can be compared. */
struct key {
	char kind; /* p process, t thread, d device on a thread, s state of a thread, a async */
	char is_text;
	char scope[2];
	uint32_t owner; /* process row; of d and s the thread row */
	int64_t number;
	uint32_t category;
	uint32_t unused;
};

static struct tc_text text_of(const struct key *key)
{
	return (struct tc_text){(const char *)key, sizeof(*key)};
}

/* Processes and threads have keys as tracks do, so there are up to twice as many keys as tracks. */
static bool has_room_for(struct tc_tracks *tracks, const struct key *key)
{
	if (tracks->keys.count < 2 * tracks->max_count)
		return true;
	return tc_strtab_find(&tracks->keys, text_of(key)) != TC_STRTAB_NONE;
}

/* The place for the row of key; *fresh when it is new. NULL when memory is out or the limit is
 * reached. */
static uint32_t *row_of_key(struct tc_tracks *tracks, const struct key *key, bool *fresh)
{
	size_t before = tracks->keys.count;

	tracks->is_full = !has_room_for(tracks, key);
	if (tracks->is_full)
		return NULL;
	uint32_t number = tc_strtab_intern(&tracks->keys, text_of(key));
	if (number == TC_STRTAB_NONE)
		return NULL;
	*fresh = tracks->keys.count > before;
	if (!TC_ROOM(tracks->ctx, tracks->key_rows, tracks->key_capacity, tracks->keys.count))
		return NULL;
	/* The row is missing because the limit was reached: without memory the import would have
	 * ended. */
	tracks->is_full = !*fresh && tracks->key_rows[number] == TC_INDEX_NONE;
	return &tracks->key_rows[number];
}

/* The label of the rank that tools which merge traces put before the pid; TC_STRTAB_NONE for none.
 */
static uint32_t find_rank(struct tc_tracks *tracks, struct tc_ident pid)
{
	size_t before = tracks->strings.count;

	if (!pid.is_text)
		return TC_STRTAB_NONE;
	struct tc_text text = tc_tracks_text(tracks, (uint32_t)pid.number);
	const char *end =
		text.len > 0 && text.ptr[0] == '[' ? memchr(text.ptr, ']', text.len) : NULL;
	if (!end || end + 1 == text.ptr + text.len || end[1] != ' ')
		return TC_STRTAB_NONE;
	uint32_t rank =
		tc_tracks_string(tracks, (struct tc_text){text.ptr, (size_t)(end + 1 - text.ptr)});
	if (tracks->strings.count > before)
		tracks->rank_count++;
	if (tracks->first_rank == TC_STRTAB_NONE)
		tracks->first_rank = rank;
	return rank;
}

static uint32_t add_process(struct tc_tracks *tracks, struct tc_ident pid)
{
	const struct tc_process_row row = {
		.pid = pid,
		.name = pid.is_text ? (uint32_t)pid.number : TC_STRTAB_NONE,
		.labels = TC_STRTAB_NONE,
		.device = TC_STRTAB_NONE,
		.rank = find_rank(tracks, pid),
	};

	return TC_PUSH(tracks->ctx, tracks->processes, tracks->process_count,
		       tracks->process_capacity, row)
		       ? (uint32_t)tracks->process_count - 1
		       : TC_INDEX_NONE;
}

/* thread is TC_INDEX_NONE for async tracks. */
static struct tc_track_row new_track(enum tc_track_kind kind, uint32_t process, uint32_t thread)
{
	return (struct tc_track_row){
		.kind = kind,
		.process = process,
		.thread = thread,
		.device = TC_STRTAB_NONE,
		.name = TC_STRTAB_NONE,
		.device_index = -1,
	};
}

static uint32_t add_track(struct tc_tracks *tracks, const struct tc_track_row *row)
{
	tracks->is_full = tracks->track_count >= tracks->max_count;
	if (tracks->is_full || !TC_PUSH(tracks->ctx, tracks->tracks, tracks->track_count,
				       tracks->track_capacity, *row))
		return TC_INDEX_NONE;
	return (uint32_t)tracks->track_count - 1;
}

/* The track of key, which is added as row when it is new. */
static uint32_t track_of_key(
	struct tc_tracks *tracks, const struct key *key, const struct tc_track_row *row)
{
	bool fresh;
	uint32_t *number = row_of_key(tracks, key, &fresh);

	if (number && fresh)
		*number = add_track(tracks, row);
	return number ? *number : TC_INDEX_NONE;
}

static uint32_t add_thread(struct tc_tracks *tracks, uint32_t process, struct tc_ident tid)
{
	uint32_t thread = (uint32_t)tracks->thread_count;
	const struct tc_track_row track_row = new_track(TC_TRACK_THREAD, process, thread);
	uint32_t track = add_track(tracks, &track_row);
	const struct tc_thread_row row = {
		.process = process,
		.tid = tid,
		.name = tid.is_text ? (uint32_t)tid.number : TC_STRTAB_NONE,
		.track = track,
		.device_track = track,
		.host_thread = thread,
		.host_number = -1,
	};

	if (track == TC_INDEX_NONE || !TC_PUSH(tracks->ctx, tracks->threads, tracks->thread_count,
					      tracks->thread_capacity, row))
		return TC_INDEX_NONE;
	return thread;
}

uint32_t tc_tracks_process(struct tc_tracks *tracks, const struct tc_scalar *pid)
{
	bool fresh;

	tracks->is_full = false;
	struct tc_ident ident = tc_tracks_ident(tracks, pid);
	struct key key = {.kind = 'p', .is_text = ident.is_text, .number = ident.number};
	uint32_t *row = row_of_key(tracks, &key, &fresh);
	if (row && fresh)
		*row = add_process(tracks, ident);
	return row ? *row : TC_INDEX_NONE;
}

static uint32_t find_thread(
	struct tc_tracks *tracks, const struct tc_scalar *pid, const struct tc_scalar *tid)
{
	bool fresh;
	uint32_t process = tc_tracks_process(tracks, pid);

	if (process == TC_INDEX_NONE)
		return TC_INDEX_NONE;
	struct tc_ident ident = ident_or(tracks, tid, tracks->processes[process].pid);
	struct key key = {
		.kind = 't', .is_text = ident.is_text, .owner = process, .number = ident.number};
	uint32_t *row = row_of_key(tracks, &key, &fresh);
	if (row && fresh)
		*row = add_thread(tracks, process, ident);
	return row ? *row : TC_INDEX_NONE;
}

static struct tc_recent_ident recent_ident(const struct tc_scalar *scalar)
{
	struct tc_recent_ident ident = {.words = {(uint64_t)scalar->i64}, .tag = 1};

	if (scalar->kind == TC_SCALAR_INT)
		return ident;
	ident = (struct tc_recent_ident){0};
	if (scalar->kind == TC_SCALAR_TEXT && scalar->text.len > 0 &&
		scalar->text.len <= sizeof(ident.words)) {
		memcpy(ident.words, scalar->text.ptr, scalar->text.len);
		ident.tag = 1 + scalar->text.len;
	}
	return ident;
}

uint32_t tc_tracks_thread(
	struct tc_tracks *tracks, const struct tc_scalar *pid, const struct tc_scalar *tid)
{
	struct tc_recent_thread now = {recent_ident(pid), recent_ident(tid), TC_INDEX_NONE};

	if (now.pid.tag == 0 || now.tid.tag == 0)
		return find_thread(tracks, pid, tid);
	uint64_t hash = now.pid.words[0] * 31 + now.pid.words[1] + now.tid.words[0] +
			now.tid.words[1] * 961;
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	struct tc_recent_thread *recent = &tracks->recent[(hash >> 32) % TC_RECENT_THREAD_COUNT];
	tracks->is_full = false;
	if (recent->thread == TC_INDEX_NONE ||
		memcmp(&recent->pid, &now.pid, sizeof(now.pid)) != 0 ||
		memcmp(&recent->tid, &now.tid, sizeof(now.tid)) != 0) {
		now.thread = find_thread(tracks, pid, tid);
		*recent = now;
	}
	return recent->thread;
}

static uint32_t find_row(const struct tc_tracks *tracks, const struct key *key)
{
	uint32_t number = tc_strtab_find(&tracks->keys, text_of(key));

	return number == TC_STRTAB_NONE ? TC_INDEX_NONE : tracks->key_rows[number];
}

/* The thread row of an integer pid and a tid, or TC_INDEX_NONE. */
static uint32_t find_thread_of(const struct tc_tracks *tracks, int64_t pid, struct tc_ident tid)
{
	struct key key = {.kind = 'p', .number = pid};
	uint32_t process = find_row(tracks, &key);

	if (process == TC_INDEX_NONE)
		return TC_INDEX_NONE;
	key = (struct key){
		.kind = 't', .is_text = tid.is_text, .owner = process, .number = tid.number};
	return find_row(tracks, &key);
}

uint32_t tc_tracks_of_thread(
	struct tc_tracks *tracks, uint32_t thread, const struct tc_label *label)
{
	uint32_t track = tracks->threads[thread].track;

	tracks->tracks[track].has_device_note |= label->is_note;
	tracks->tracks[track].has_host_slice |= label->is_host;
	return track;
}

/* args.device as a string; TC_STRTAB_NONE when absent. */
static uint32_t device_string(struct tc_tracks *tracks, const struct tc_scalar *device)
{
	struct tc_buf text = {.ctx = tracks->ctx};

	if (device->kind == TC_SCALAR_TEXT) {
		tracks->last_device_text = tc_strtab_intern_again(
			&tracks->strings, device->text, tracks->last_device_text);
		return tracks->last_device_text;
	}
	if (device->kind != TC_SCALAR_INT)
		return TC_STRTAB_NONE;
	if (tracks->last_device_string != TC_STRTAB_NONE && tracks->last_device == device->i64)
		return tracks->last_device_string;
	tc_buf_format(&text, "%lld", (long long)device->i64);
	tracks->last_device = device->i64;
	tracks->last_device_string = tc_tracks_string(tracks, tc_buf_text(&text));
	tc_buf_clear(&text);
	return tracks->last_device_string;
}

/* The track of a named device on a thread. The first device gets the track that the thread has
 * already. */
static uint32_t track_of_name(struct tc_tracks *tracks, uint32_t thread, uint32_t string)
{
	const struct key key = {.kind = 'd', .owner = thread, .number = string};
	struct tc_track_row *first = &tracks->tracks[tracks->threads[thread].track];

	if (first->device == TC_STRTAB_NONE)
		first->device = string;
	if (first->device == string)
		return tracks->threads[thread].track;
	struct tc_track_row row = new_track(TC_TRACK_THREAD, first->process, thread);
	row.device = string;
	return track_of_key(tracks, &key, &row);
}

uint32_t tc_tracks_of_device(
	struct tc_tracks *tracks, uint32_t thread, const struct tc_scalar *device)
{
	uint32_t string = device_string(tracks, device);
	uint32_t track = tracks->threads[thread].device_track;
	struct tc_process_row *process = &tracks->processes[tracks->threads[thread].process];

	tracks->is_full = false;
	if (string != TC_STRTAB_NONE)
		track = track_of_name(tracks, thread, string);
	if (track == TC_INDEX_NONE)
		return TC_INDEX_NONE;
	if (process->device == TC_STRTAB_NONE)
		process->device = string;
	tracks->threads[thread].device_track = track;
	tracks->tracks[track].has_device_work = true;
	return track;
}

uint32_t tc_tracks_of_states(struct tc_tracks *tracks, uint32_t thread)
{
	const struct key key = {.kind = 's', .owner = thread};
	const struct tc_track_row row =
		new_track(TC_TRACK_STATE, tracks->threads[thread].process, thread);

	return track_of_key(tracks, &key, &row);
}

uint32_t tc_tracks_async(
	struct tc_tracks *tracks, const struct tc_raw_event *event, uint32_t process)
{
	struct tc_track_row row = new_track(TC_TRACK_ASYNC, process, TC_INDEX_NONE);
	uint32_t category = tc_tracks_string(tracks, event->cat);

	row.name = tc_tracks_string(tracks, event->name);
	struct tc_ident ident = tc_tracks_ident(tracks, &event->id);
	const struct key key = {.kind = 'a',
		.is_text = ident.is_text,
		.scope = {(char)('0' + (int)event->id_scope), 0},
		.owner = event->id_scope == TC_ID_LOCAL ? process : 0,
		.number = ident.number,
		.category = category};
	return track_of_key(tracks, &key, &row);
}

/* ---- lanes
 *
 * Which tracks are lanes of a device, of which engine and which device; and which threads record
 * one thread of the operating system. Decided when all metadata is known, in this order:
 *
 *  1. A writer may mark device work by the names of processes and threads instead of categories.
 *     names/lanes.def is the table of such names; a row of it gives a process its device.
 *  2. A track is a lane if its names say so, or its slices are of a category that only devices
 *     have.
 *  3. The device of a lane has the name in args.device of its work, or that of its process. Where
 *     several processes have work with one name (ranks merged into one file), it is their pid.
 *  4. The threads that are left are numbered, those of a log together with the threads they log.
 */

/* Where the name of a lane's device comes from; names/lanes.def explains each. */
enum tc_naming { TC_NAMING_LABEL, TC_NAMING_NAME, TC_NAMING_THREAD, TC_NAMING_GUEST };

struct tc_named_lane {
	const char *process, *thread; /* patterns */
	enum tc_engine engine;        /* NONE: a lane without work */
	enum tc_naming naming;
	const char *vendor; /* as in trace.vendor; or NULL */
};

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

/* Whether the row fits a process. A row for all threads does not fit if a process of this name
 * has host slices: then it is the name of the program ("GPU0" by prctl()), which Kineto also
 * gives to the processes of devices. */
static bool fits(const struct tc_named_lane *row, const struct tc_tracks *tracks,
	const struct tc_process_row *process)
{
	struct tc_text name = tc_tracks_text(tracks, lookup_name(process));

	return name.ptr && tc_pattern_match(row->process, name) &&
	       !(process->has_host_name && strcmp(row->thread, "*") == 0);
}

/* After resolve_named_lanes(): the row for the track of a thread. NULL when no row fits, or
 * when the track has slices of a category that only host threads have. */
static const struct tc_named_lane *named_lane_of(
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
	/* The latest NPU process with these bits; or TC_INDEX_NONE. */
	uint32_t by_bits[DEVICE_MASK + 1];
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

static void find_hosts(struct hosts *hosts, const struct tc_tracks *tracks)
{
	for (size_t i = 0; i <= DEVICE_MASK; i++)
		hosts->by_bits[i] = TC_INDEX_NONE;
	for (uint32_t i = 0; i < tracks->process_count; i++) {
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
}

/* An id as a string. */
static uint32_t ident_string(struct tc_tracks *tracks, struct tc_ident ident)
{
	struct tc_buf text = {.ctx = tracks->ctx};

	tc_tracks_append_ident(tracks, ident, &text);
	uint32_t string = tc_tracks_string(tracks, tc_buf_text(&text));
	tc_buf_clear(&text);
	return string;
}

/* The name of the process if no other has it, else the pid. */
static uint32_t own_device(const struct hosts *hosts, struct tc_tracks *tracks,
	const struct tc_process_row *process, const struct tc_named_lane *row)
{
	uint32_t string = name_of(process, row);

	return string != TC_STRTAB_NONE && hosts->name_counts[string] == 1
		       ? string
		       : ident_string(tracks, process->pid);
}

static void name_hosts(const struct hosts *hosts, struct tc_tracks *tracks)
{
	for (size_t i = 0; i < tracks->process_count; i++) {
		struct tc_process_row *process = &tracks->processes[i];
		const struct tc_named_lane *row = row_of(tracks, process);
		if (has_device(process, row))
			process->device = own_device(hosts, tracks, process, row);
	}
}

/* The process that has the device of a guest: the only one, or the one with the same device
 * bits; else TC_INDEX_NONE. */
static uint32_t host_of(const struct hosts *hosts, const struct tc_process_row *guest)
{
	if (hosts->count == 1)
		return hosts->latest;
	return guest->pid.is_text ? TC_INDEX_NONE : hosts->by_bits[guest->pid.number & DEVICE_MASK];
}

/* Marks the processes whose name a process with host slices has. */
static void find_host_names(struct tc_tracks *tracks, uint8_t *is_host)
{
	for (size_t i = 0; i < tracks->track_count; i++) {
		const struct tc_track_row *track = &tracks->tracks[i];
		uint32_t name = lookup_name(&tracks->processes[track->process]);
		tracks->processes[track->process].has_slices |= track->slice_count > 0;
		if (track->has_host_slice && name != TC_STRTAB_NONE)
			is_host[name] = 1;
	}
	for (size_t i = 0; i < tracks->process_count; i++) {
		struct tc_process_row *process = &tracks->processes[i];
		uint32_t name = lookup_name(process);
		process->has_host_name = name != TC_STRTAB_NONE && is_host[name];
	}
}

/* Sets the device of processes with such lanes. */
static void resolve_named_lanes(struct tc_tracks *tracks)
{
	struct hosts hosts = {.name_counts = tc_calloc(tracks->strings.count + 1, 1)};
	uint8_t *is_host = tc_calloc(tracks->strings.count + 1, 1); /* by string */

	if (!hosts.name_counts || !is_host) {
		tc_no_memory(tracks->ctx);
	} else {
		find_host_names(tracks, is_host);
		find_hosts(&hosts, tracks);
		name_hosts(&hosts, tracks);
	}
	tc_free(is_host);
	tc_free(hosts.name_counts);
	for (size_t i = 0; i < tracks->process_count && !tc_ctx_failed(tracks->ctx); i++) {
		struct tc_process_row *process = &tracks->processes[i];
		const struct tc_named_lane *row = row_of(tracks, process);
		uint32_t host = row && row->naming == TC_NAMING_GUEST ? host_of(&hosts, process)
								      : TC_INDEX_NONE;
		if (host != TC_INDEX_NONE)
			process->device = tracks->processes[host].device;
	}
}

/* ---- lanes and their devices */

static bool is_gaudi_process(const struct tc_tracks *tracks, const struct tc_process_row *process)
{
	struct tc_text name = tc_tracks_text(tracks, process->name);

	return name.ptr && tc_pattern_match("/device:HPU*", name);
}

/* A track as a lane: if it is one, and of which engine. */
struct lane {
	bool is_lane;
	enum tc_engine engine;
	const struct tc_named_lane *named; /* the row of lanes.def that fits its names, or NULL */
};

static struct lane lane_of(const struct tc_tracks *tracks, const struct tc_track_row *track)
{
	const struct tc_thread_row *thread = &tracks->threads[track->thread];
	const struct tc_process_row *process = &tracks->processes[track->process];
	struct tc_text name = tc_tracks_text(tracks, thread->name);
	struct lane lane = {.engine = TC_ENGINE_NONE};

	if (process->is_gaudi)
		lane.engine = tc_gaudi_lane_engine(name, !thread->tid.is_text, thread->tid.number);
	else
		lane.named = named_lane_of(tracks, track);
	if (lane.named)
		lane.engine = lane.named->engine;
	else if (!process->is_gaudi && track->has_private_work && !track->has_host_slice)
		lane.engine = TC_ENGINE_COMPUTE;
	lane.is_lane =
		lane.engine != TC_ENGINE_NONE || track->has_device_work ||
		((lane.named || track->has_device_note) && process->device != TC_STRTAB_NONE);
	return lane;
}

/* Several processes have work that names the device. */
#define OWNER_SEVERAL (TC_INDEX_NONE - 1)

/* The process whose work names a device, by the string of the device. NULL when memory is out. */
static uint32_t *find_owners(struct tc_tracks *tracks)
{
	uint32_t *owners = tc_malloc((tracks->strings.count + 1) * sizeof(*owners));

	for (size_t i = 0; i < tracks->strings.count && owners; i++)
		owners[i] = TC_INDEX_NONE;
	for (size_t i = 0; i < tracks->track_count && owners; i++) {
		const struct tc_track_row *track = &tracks->tracks[i];
		struct tc_process_row *process = &tracks->processes[track->process];
		if (track->device == TC_STRTAB_NONE)
			continue;
		process->has_devices |= process->device != track->device;
		uint32_t *owner = &owners[track->device];
		*owner = *owner == TC_INDEX_NONE || *owner == track->process ? track->process
									     : OWNER_SEVERAL;
	}
	return owners;
}

/* Appends the pid; and the device, if the process has several or the pid is the name of a
 * device. */
static void append_pid(struct tc_buf *name, const struct tc_tracks *tracks,
	const struct tc_process_row *process, const uint32_t *owners, uint32_t device)
{
	tc_tracks_append_ident(tracks, process->pid, name);
	if (device == TC_STRTAB_NONE)
		return;
	uint32_t pid = tc_strtab_find(&tracks->strings, tc_buf_text(name));
	bool is_other = pid != TC_STRTAB_NONE && owners[pid] < OWNER_SEVERAL;
	if (!process->has_devices && !is_other)
		return;
	tc_buf_append_char(name, '/');
	tc_buf_append_text(name, tc_tracks_text(tracks, device));
}

/* The index of a lane's device. Its name is args.device of the lane's work or of its process. The
 * name has the pid instead if there is no such text, or if several processes have work with it
 * (ranks merged into one file). */
static int32_t device_of(const struct tc_tracks *tracks, const struct tc_track_row *track,
	const uint32_t *owners, struct tc_timeline *timeline)
{
	const struct tc_process_row *process = &tracks->processes[track->process];
	uint32_t string = track->device != TC_STRTAB_NONE ? track->device : process->device;
	struct tc_buf name = {.ctx = tracks->ctx};

	if (string != TC_STRTAB_NONE && owners[string] != OWNER_SEVERAL)
		tc_buf_append_text(&name, tc_tracks_text(tracks, string));
	else
		append_pid(&name, tracks, process, owners, string);
	/* Names and devices are both numbered from 0 in the order in which they appear. */
	uint32_t number = tc_strtab_intern(&timeline->device_names, tc_buf_text(&name));
	tc_buf_clear(&name);
	if (number == timeline->device_count)
		TC_TIMELINE_ADD(timeline, device,
			&(struct tc_device){.name = tc_strtab_at(&timeline->device_names, number)});
	return (int32_t)number;
}

/* ---- threads of the operating system */

/*
 * Processes that are logs of real ones, and how their pids are made of the real pid: the Gaudi
 * bridge adds an offset; msprof shifts it by the bits of layer and device, or appends the number of
 * the layer.
 */
static const struct {
	const char *name;
	int64_t offset, factor;
} log_processes[] = {
	{"Synapse Logger", 10000, 1},
	{"Bridge Logs", 20000, 1},
	{"Memory Logs", 30000, 1},
	{"CANN", 0, 1024},
	{"CANN", 0, 100},
};

enum { LOG_PROCESS_COUNT = TC_COUNT_OF(log_processes) };

#define PID_MAX (INT64_C(1) << 40) /* far above any pid, far below where sums overflow */

/*
 * The thread of the real process that a thread of the i-th log records: the one with the same tid.
 * Where the real process has none, a thread of the bridge records the one of the first log that has
 * this tid. TC_INDEX_NONE when it is no such log.
 */
static uint32_t logged_thread(
	const struct tc_tracks *tracks, const struct tc_thread_row *row, size_t i)
{
	const struct tc_process_row *process = &tracks->processes[row->process];
	struct tc_text name = tc_tracks_text(tracks, process->name);

	if (!name.ptr || !tc_pattern_match(log_processes[i].name, name) || process->pid.is_text ||
		process->pid.number < log_processes[i].offset || process->pid.number >= PID_MAX)
		return TC_INDEX_NONE;
	int64_t pid = (process->pid.number - log_processes[i].offset) / log_processes[i].factor;
	uint32_t found = find_thread_of(tracks, pid, row->tid);
	bool is_bridge = log_processes[i].offset > 0;
	for (size_t j = 0; is_bridge && j < LOG_PROCESS_COUNT && found == TC_INDEX_NONE; j++)
		found = find_thread_of(tracks, pid + log_processes[j].offset, row->tid);
	return found;
}

/* Paddle writes the Python and the C++ side of a thread under "101(Python)" and "101(C++)". */
static uint32_t paddle_thread(const struct tc_tracks *tracks, const struct tc_thread_row *row)
{
	const struct tc_process_row *process = &tracks->processes[row->process];
	static const struct tc_text python = {"(Python)", sizeof("(Python)") - 1};
	struct tc_buf name = {.ctx = tracks->ctx};

	if (!row->tid.is_text || process->pid.is_text)
		return TC_INDEX_NONE;
	struct tc_text tid = tc_tracks_text(tracks, (uint32_t)row->tid.number);
	if (!tc_pattern_match("%(Python)", tid))
		return TC_INDEX_NONE;
	tc_buf_append_text(&name, (struct tc_text){tid.ptr, tid.len - python.len});
	tc_buf_append_string(&name, "(C++)");
	uint32_t string = tc_strtab_find(&tracks->strings, tc_buf_text(&name));
	tc_buf_clear(&name);
	return string == TC_STRTAB_NONE ? TC_INDEX_NONE
					: find_thread_of(tracks, process->pid.number,
						  (struct tc_ident){true, string});
}

enum { SEARCH_MAX_COUNT = 64 }; /* processes: bounds hostile input */

/* Kineto puts events without a device (waits on XPU, profiler overhead) under pid -1, with the
 * real tid. */
static uint32_t thread_of_no_device(const struct tc_tracks *tracks, const struct tc_thread_row *row)
{
	struct tc_ident pid = tracks->processes[row->process].pid;
	uint32_t found = TC_INDEX_NONE;

	if (pid.is_text || pid.number != -1)
		return TC_INDEX_NONE;
	for (size_t i = 0; i < tracks->process_count && i < SEARCH_MAX_COUNT; i++) {
		struct tc_ident other = tracks->processes[i].pid;
		if (found == TC_INDEX_NONE && i != row->process && !other.is_text &&
			other.number > 0)
			found = find_thread_of(tracks, other.number, row->tid);
	}
	return found;
}

/* The thread row of the operating-system thread: the row itself, unless it belongs to a log. */
static uint32_t host_thread_of(const struct tc_tracks *tracks, uint32_t thread)
{
	const struct tc_thread_row *row = &tracks->threads[thread];
	uint32_t found = paddle_thread(tracks, row);

	if (found == TC_INDEX_NONE)
		found = thread_of_no_device(tracks, row);
	for (size_t i = 0; i < LOG_PROCESS_COUNT && found == TC_INDEX_NONE; i++)
		found = logged_thread(tracks, row, i);
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

/* Makes the track a lane, if it is one. */
static void resolve_track(struct tc_tracks *tracks, struct tc_track_row *track)
{
	if (track->kind != TC_TRACK_THREAD)
		return;
	struct lane lane = lane_of(tracks, track);
	if (!lane.is_lane)
		return;
	track->kind = TC_TRACK_LANE;
	track->engine = lane.engine;
	if (lane.named && lane.named->vendor && !tracks->lane_vendor)
		tracks->lane_vendor = lane.named->vendor;
	if (lane.named && lane.named->naming == TC_NAMING_THREAD)
		track->device = ident_string(tracks, tracks->threads[track->thread].tid);
}

static void number_devices(struct tc_tracks *tracks, struct tc_timeline *timeline)
{
	uint32_t *owners = find_owners(tracks);

	if (!owners)
		tc_no_memory(tracks->ctx);
	for (size_t i = 0; i < tracks->track_count && !tc_ctx_failed(tracks->ctx); i++) {
		struct tc_track_row *track = &tracks->tracks[i];
		if (track->kind == TC_TRACK_LANE)
			track->device_index = device_of(tracks, track, owners, timeline);
	}
	tc_free(owners);
}

void tc_tracks_resolve(struct tc_tracks *tracks, struct tc_timeline *timeline)
{
	for (size_t i = 0; i < tracks->process_count; i++)
		tracks->processes[i].is_gaudi = is_gaudi_process(tracks, &tracks->processes[i]);
	resolve_named_lanes(tracks);
	for (size_t i = 0; i < tracks->track_count; i++)
		resolve_track(tracks, &tracks->tracks[i]);
	number_devices(tracks, timeline);
	number_host_threads(tracks, timeline);
}
