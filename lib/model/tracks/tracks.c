/* Process, thread and track tables; see tracks.h. lanes.c decides which tracks are lanes. */
#include "model/tracks/tracks.h"

#include <string.h>

#include "core/alloc.h"
#include "core/text/decimal.h"
#include "core/limits.h"

void tc_tracks_init(struct tc_tracks *tracks)
{
	*tracks = (struct tc_tracks){.last_device_string = TC_STRTAB_NONE,
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
	tc_tracks_init(tracks);
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

/* False when memory is out. */
static bool ident_of(struct tc_tracks *tracks, const struct tc_scalar *scalar,
	struct tc_ident otherwise, struct tc_ident *ident)
{
	*ident = otherwise;
	switch (scalar->kind) {
	case TC_SCALAR_INT: *ident = (struct tc_ident){false, scalar->i64}; return true;
	case TC_SCALAR_NUMBER:
	case TC_SCALAR_TEXT: break;
	case TC_SCALAR_NONE:
	case TC_SCALAR_NULL:
	case TC_SCALAR_BOOL:
	case TC_SCALAR_JSON: return true;
	}
	if (tc_decimal_int64(&ident->number, scalar->text)) {
		ident->is_text = false;
		return true;
	}
	uint32_t string = tc_tracks_string(tracks, scalar->text);
	*ident = (struct tc_ident){true, string};
	return string != TC_STRTAB_NONE;
}

bool tc_tracks_ident(
	struct tc_tracks *tracks, const struct tc_scalar *scalar, struct tc_ident *ident)
{
	return ident_of(tracks, scalar, (struct tc_ident){false, 0}, ident);
}

/* A key of a row. It has no padding, so bytes can be compared. */
struct key {
	char what; /* p process, t thread, d device on a thread, s state of a thread, a async */
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
	if (!TC_GROW(tracks->key_rows, tracks->key_capacity, tracks->keys.count))
		return NULL;
	/* The row is missing because the limit was reached: without memory the import would have
	 * ended. */
	tracks->is_full = !*fresh && tracks->key_rows[number] == TC_INDEX_NONE;
	return &tracks->key_rows[number];
}

/* Tools that merge traces put a label of the rank before the pid; *rank becomes that label.
 * False when memory is out. */
static bool find_rank(struct tc_tracks *tracks, struct tc_ident pid, uint32_t *rank)
{
	size_t before = tracks->strings.count;

	*rank = TC_STRTAB_NONE;
	if (!pid.is_text)
		return true;
	struct tc_text text = tc_tracks_text(tracks, (uint32_t)pid.number);
	const char *end =
		text.len > 0 && text.ptr[0] == '[' ? memchr(text.ptr, ']', text.len) : NULL;
	if (!end || end + 1 == text.ptr + text.len || end[1] != ' ')
		return true;
	*rank = tc_tracks_string(tracks, (struct tc_text){text.ptr, (size_t)(end + 1 - text.ptr)});
	if (tracks->strings.count > before)
		tracks->rank_count++;
	if (tracks->first_rank == TC_STRTAB_NONE)
		tracks->first_rank = *rank;
	return *rank != TC_STRTAB_NONE;
}

static uint32_t add_process(struct tc_tracks *tracks, struct tc_ident pid)
{
	uint32_t rank;

	if (!find_rank(tracks, pid, &rank) ||
		!TC_GROW(tracks->processes, tracks->process_capacity, tracks->process_count + 1))
		return TC_INDEX_NONE;
	tracks->processes[tracks->process_count] = (struct tc_process_row){
		.pid = pid,
		.name = pid.is_text ? (uint32_t)pid.number : TC_STRTAB_NONE,
		.labels = TC_STRTAB_NONE,
		.device = TC_STRTAB_NONE,
		.rank = rank,
	};
	return (uint32_t)tracks->process_count++;
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
	if (tracks->is_full ||
		!TC_GROW(tracks->tracks, tracks->track_capacity, tracks->track_count + 1))
		return TC_INDEX_NONE;
	tracks->tracks[tracks->track_count] = *row;
	return (uint32_t)tracks->track_count++;
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
	if (!TC_GROW(tracks->threads, tracks->thread_capacity, tracks->thread_count + 1))
		return TC_INDEX_NONE;
	uint32_t thread = (uint32_t)tracks->thread_count;
	const struct tc_track_row row = new_track(TC_TRACK_THREAD, process, thread);
	uint32_t track = add_track(tracks, &row);
	if (track == TC_INDEX_NONE)
		return TC_INDEX_NONE;
	tracks->threads[tracks->thread_count++] = (struct tc_thread_row){
		.process = process,
		.tid = tid,
		.name = tid.is_text ? (uint32_t)tid.number : TC_STRTAB_NONE,
		.track = track,
		.device_track = track,
		.host_thread = thread,
		.host_number = -1,
	};
	return thread;
}

uint32_t tc_tracks_process(struct tc_tracks *tracks, const struct tc_scalar *pid)
{
	struct tc_ident ident;
	bool fresh;

	tracks->is_full = false;
	if (!ident_of(tracks, pid, (struct tc_ident){false, 0}, &ident))
		return TC_INDEX_NONE;
	struct key key = {.what = 'p', .is_text = ident.is_text, .number = ident.number};
	uint32_t *row = row_of_key(tracks, &key, &fresh);
	if (!row)
		return TC_INDEX_NONE;
	if (fresh)
		*row = add_process(tracks, ident);
	return *row;
}

static uint32_t find_thread(
	struct tc_tracks *tracks, const struct tc_scalar *pid, const struct tc_scalar *tid)
{
	struct tc_ident ident;
	bool fresh;

	uint32_t process = tc_tracks_process(tracks, pid);
	if (process == TC_INDEX_NONE)
		return TC_INDEX_NONE;
	if (!ident_of(tracks, tid, tracks->processes[process].pid, &ident))
		return TC_INDEX_NONE;
	struct key key = {
		.what = 't', .is_text = ident.is_text, .owner = process, .number = ident.number};
	uint32_t *row = row_of_key(tracks, &key, &fresh);
	if (!row)
		return TC_INDEX_NONE;
	if (fresh)
		*row = add_thread(tracks, process, ident);
	return *row;
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
	struct key key = {.what = 'p', .number = pid};
	uint32_t process = find_row(tracks, &key);

	if (process == TC_INDEX_NONE)
		return TC_INDEX_NONE;
	key = (struct key){
		.what = 't', .is_text = tid.is_text, .owner = process, .number = tid.number};
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

/* args.device as a string; TC_STRTAB_NONE when absent, and with *ok false when memory is out. */
static uint32_t device_string(struct tc_tracks *tracks, const struct tc_scalar *device, bool *ok)
{
	struct tc_buf text = TC_BUF_EMPTY;
	uint32_t string = TC_STRTAB_NONE;

	if (device->kind == TC_SCALAR_TEXT) {
		tracks->last_device_text = tc_strtab_intern_again(
			&tracks->strings, device->text, tracks->last_device_text);
		*ok = tracks->last_device_text != TC_STRTAB_NONE;
		return tracks->last_device_text;
	}
	if (device->kind != TC_SCALAR_INT)
		return TC_STRTAB_NONE;
	if (tracks->last_device_string != TC_STRTAB_NONE && tracks->last_device == device->i64)
		return tracks->last_device_string;
	tc_buf_format(&text, "%lld", (long long)device->i64);
	if (!tc_buf_failed(&text))
		string = tc_tracks_string(tracks, tc_buf_text(&text));
	tc_buf_clear(&text);
	*ok = string != TC_STRTAB_NONE;
	tracks->last_device = device->i64;
	tracks->last_device_string = string;
	return string;
}

/* The track of a named device on a thread. The first device gets the track that the thread has
 * already. */
static uint32_t track_of_name(struct tc_tracks *tracks, uint32_t thread, uint32_t string)
{
	const struct key key = {.what = 'd', .owner = thread, .number = string};
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
	bool ok = true;
	uint32_t string = device_string(tracks, device, &ok);
	uint32_t track = tracks->threads[thread].device_track;
	struct tc_process_row *process = &tracks->processes[tracks->threads[thread].process];

	tracks->is_full = false;
	if (!ok)
		return TC_INDEX_NONE;
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
	const struct key key = {.what = 's', .owner = thread};
	const struct tc_track_row row =
		new_track(TC_TRACK_STATE, tracks->threads[thread].process, thread);

	return track_of_key(tracks, &key, &row);
}

uint32_t tc_tracks_async(
	struct tc_tracks *tracks, const struct tc_raw_event *event, uint32_t process)
{
	struct tc_ident ident;
	bool local = event->id_scope == TC_ID_LOCAL;
	struct tc_track_row row = new_track(TC_TRACK_ASYNC, process, TC_INDEX_NONE);
	uint32_t category = tc_tracks_string(tracks, event->cat);

	row.name = tc_tracks_string(tracks, event->name);
	tracks->is_full = false;
	if (!ident_of(tracks, &event->id, (struct tc_ident){false, 0}, &ident) ||
		(event->cat.ptr && category == TC_STRTAB_NONE) ||
		(event->name.ptr && row.name == TC_STRTAB_NONE))
		return TC_INDEX_NONE;
	struct key key = {.what = 'a',
		.is_text = ident.is_text,
		.scope = {(char)('0' + (int)event->id_scope), 0},
		.owner = local ? process : 0,
		.number = ident.number,
		.category = category};
	return track_of_key(tracks, &key, &row);
}

enum tc_status tc_tracks_fail(const struct tc_tracks *tracks, struct tc_ctx *ctx)
{
	return tc_strtab_fail(&tracks->strings, ctx);
}

enum tc_status tc_tracks_drop(
	const struct tc_tracks *tracks, struct tc_import_log *log, const struct tc_raw_event *event)
{
	return tracks->is_full ? tc_import_log_add_event(log, TC_LOG_TRACK_LIMIT, event)
			       : tc_tracks_fail(tracks, log->ctx);
}
