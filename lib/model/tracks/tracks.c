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
#include "core/text/decimal.h"
#include "core/limits.h"

void tc_tracks_init(struct tc_tracks *tracks, struct tc_ctx *ctx)
{
	*tracks = (struct tc_tracks){.ctx = ctx,
		.strings.ctx = ctx,
		.keys.ctx = ctx,
		.last_device_string = TC_STRTAB_NONE,
		.last_device_text = TC_STRTAB_NONE,
		.first_rank = TC_STRTAB_NONE,
		.max_count = TC_TRACK_MAX_COUNT};
	for (size_t i = 0; i < TC_RECENT_THREAD_COUNT; i++)
		tracks->recent[i].thread = TC_INDEX_NONE;
}

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

uint32_t tc_tracks_string(struct tc_tracks *tracks, struct tc_text text)
{
	return text.ptr ? tc_strtab_intern(&tracks->strings, text) : TC_STRTAB_NONE;
}

struct tc_text tc_tracks_text(const struct tc_tracks *tracks, uint32_t string)
{
	return string == TC_STRTAB_NONE ? TC_TEXT_NONE : tc_strtab_at(&tracks->strings, string);
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

uint32_t tc_tracks_find_thread(const struct tc_tracks *tracks, int64_t pid, struct tc_ident tid)
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
