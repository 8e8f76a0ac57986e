/*
 * Events that belong together are points of a group: the first pass sorts points by group and time,
 * then pairs the begins and ends of one group after the other, as the model pairs them
 * (model/slices/slices.c). Example, with a range from 5 to 7:
 *
 *   B "step" ts 1, E ts 9       touches the range: both are wanted
 *   s id 3 ts 6, f id 3 ts 20   an arrow with a point in the range: both are wanted
 *   X ts 20 on that thread      starts where a wanted point stands: wanted
 *
 * Threads, groups and ids are compared by 64-bit hashes.
 */
#include "cut/choice.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/hash.h"
#include "core/text/decimal.h"
#include "store/sql.h"

/* ---- sets of numbers */

enum { FIRST_SLOT_COUNT = 1024 };

static void set_clear(struct tc_number_set *set)
{
	tc_free(set->slots);
	*set = (struct tc_number_set){0};
}

/* The slot of a number, or the free one where it would be. The numbers are hashes already. */
static size_t slot_of(const struct tc_number_set *set, uint64_t number)
{
	size_t at = (size_t)number & (set->slot_count - 1);

	while (set->slots[at] != 0 && set->slots[at] != number)
		at = (at + 1) & (set->slot_count - 1);
	return at;
}

static bool grow(struct tc_number_set *set)
{
	struct tc_number_set larger = *set;

	larger.slot_count = set->slot_count > 0 ? set->slot_count * 2 : FIRST_SLOT_COUNT;
	larger.slots = tc_calloc(larger.slot_count, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < set->slot_count; i++)
		if (set->slots[i] != 0)
			larger.slots[slot_of(&larger, set->slots[i])] = set->slots[i];
	tc_free(set->slots);
	*set = larger;
	return true;
}

static void set_add(struct tc_number_set *set, struct tc_ctx *ctx, uint64_t number)
{
	if (number == 0) {
		set->has_zero = true;
		return;
	}
	if (set->count >= set->slot_count / 2 && !grow(set)) {
		tc_no_memory(ctx);
		return;
	}
	size_t at = slot_of(set, number);
	set->count += set->slots[at] == 0;
	set->slots[at] = number;
}

static bool set_has(const struct tc_number_set *set, uint64_t number)
{
	if (number == 0)
		return set->has_zero;
	return set->count > 0 && set->slots[slot_of(set, number)] != 0;
}

/* ---- hashes of pids, tids and ids of events: 7, "7" and 7.0 are one, and none is 0, as for the
 * model */

static void hash_text(struct tc_hash *hash, struct tc_text text)
{
	tc_hash_add(hash, &text.len, sizeof(text.len));
	tc_hash_add(hash, text.ptr ? text.ptr : "", text.len);
}

static void hash_scalar(struct tc_hash *hash, const struct tc_scalar *scalar)
{
	bool is_text = scalar->kind == TC_SCALAR_NUMBER || scalar->kind == TC_SCALAR_TEXT;
	int64_t number = scalar->kind == TC_SCALAR_INT ? scalar->i64 : 0;

	if (is_text && !tc_decimal_int64(&number, scalar->text))
		hash_text(hash, scalar->text);
	else
		tc_hash_add(hash, &number, sizeof(number));
}

static uint64_t hash_of_scalar(const struct tc_scalar *scalar)
{
	struct tc_hash hash;

	tc_hash_init(&hash);
	hash_scalar(&hash, scalar);
	return tc_hash_value(&hash);
}

/* The number of a thread; an absent tid is the pid. */
static uint64_t hash_of_track(const struct tc_scalar *pid, const struct tc_scalar *tid)
{
	struct tc_hash hash;

	tc_hash_init(&hash);
	hash_scalar(&hash, pid);
	hash_scalar(&hash, tid->kind == TC_SCALAR_NONE ? pid : tid);
	return tc_hash_value(&hash);
}

/* ---- the part of a device */

/* Columns pid, tid; the device as its work names it where its thread has work of others, too. */
static const char lanes_sql[] =
	"WITH shared(thread_id) AS MATERIALIZED (SELECT thread_id FROM track"
	" GROUP BY thread_id HAVING min(device) <> max(device)),"
	" named(track_id, device) AS MATERIALIZED (SELECT s.track_id, json_extract(a.args, "
	"'$.device')"
	" FROM (SELECT min(id) AS id, track_id FROM slice_row WHERE track_id IN (SELECT id"
	" FROM track WHERE device = ?1 AND thread_id IN (SELECT thread_id FROM shared))"
	" GROUP BY track_id) s JOIN slice_args a ON a.slice_id = s.id)"
	" SELECT p.pid, h.tid, n.device FROM track t"
	" JOIN thread h ON h.id = t.thread_id JOIN process p ON p.id = h.process_id"
	" LEFT JOIN named n ON n.track_id = t.id WHERE t.device = ?1";

static const char processes_sql[] =
	"SELECT p.pid FROM process p JOIN track t ON t.process_id = p.id AND t.device IS NOT NULL"
	" GROUP BY p.id HAVING min(t.device = ?1)";

/* Columns pid, tid, ts, name of a launch, and whether it launches work of the device. A thread that
 * several processes record has the launch in all of them. */
static const char launches_sql[] =
	"WITH launched(id, is_ours) AS (SELECT d.launch_slice_id, max(t.device = ?1)"
	" FROM device_link d CROSS JOIN slice_row s ON s.id BETWEEN d.first_slice_id"
	" AND d.last_slice_id CROSS JOIN track t ON t.id = s.track_id"
	" WHERE d.launch_slice_id IS NOT NULL GROUP BY d.launch_slice_id),"
	" record(id, host_id, pid, tid) AS MATERIALIZED (SELECT h.id,"
	" coalesce(h.host_thread_id, h.id), p.pid, h.tid FROM thread h"
	" JOIN process p ON p.id = h.process_id)"
	" SELECT r.pid, r.tid, s.ts, s.name, l.is_ours FROM launched l"
	" CROSS JOIN slice s ON s.id = l.id CROSS JOIN track t ON t.id = s.track_id"
	" CROSS JOIN thread a ON a.id = t.thread_id"
	" CROSS JOIN record r ON r.host_id = coalesce(a.host_thread_id, a.id)";

static const char hosts_sql[] =
	"SELECT p.pid, h.tid FROM track t JOIN thread h ON h.id = t.thread_id"
	" JOIN process p ON p.id = h.process_id GROUP BY h.id HAVING count(t.device) = 0";

static struct tc_scalar scalar_of(const struct tc_rows *row, int column)
{
	const struct tc_sql_value value = tc_rows_value(row, column);

	if (value.kind == TC_SQL_INT)
		return (struct tc_scalar){.kind = TC_SCALAR_INT, .i64 = value.i64};
	if (value.kind == TC_SQL_TEXT)
		return (struct tc_scalar){.kind = TC_SCALAR_TEXT, .text = value.text};
	return (struct tc_scalar){0};
}

static uint64_t shared_lane(uint64_t track, const struct tc_scalar *device)
{
	const uint64_t place[] = {track, hash_of_scalar(device)};

	return tc_hash_of(place, sizeof(place));
}

/* The thread of a row (pid, tid, ...). */
static uint64_t track_of_row(const struct tc_rows *row)
{
	const struct tc_scalar pid = scalar_of(row, 0), tid = scalar_of(row, 1);

	return hash_of_track(&pid, &tid);
}

static void take_lane(struct tc_device_part *part, const struct tc_rows *row)
{
	const struct tc_scalar device = scalar_of(row, 2);
	uint64_t track = track_of_row(row);

	set_add(&part->lanes, row->ctx,
		device.kind == TC_SCALAR_NONE ? track : shared_lane(track, &device));
}

static void take_process(struct tc_device_part *part, const struct tc_rows *row)
{
	const struct tc_scalar pid = scalar_of(row, 0);

	set_add(&part->processes, row->ctx, hash_of_scalar(&pid));
}

static uint64_t hash_of_text(struct tc_text text)
{
	return text.len > 0 ? tc_hash_of(text.ptr, text.len) : 0;
}

static uint64_t hash_of_call(uint64_t track, int64_t ts_ns, uint64_t name)
{
	const uint64_t place[] = {track, (uint64_t)ts_ns, name};

	return tc_hash_of(place, sizeof(place));
}

static void take_launch(struct tc_device_part *part, const struct tc_rows *row)
{
	const struct tc_scalar pid = scalar_of(row, 0);
	bool is_ours = tc_rows_int(row, 4) != 0;

	set_add(is_ours ? &part->launching : &part->others, row->ctx, hash_of_scalar(&pid));
	if (!is_ours)
		set_add(&part->calls, row->ctx,
			hash_of_call(track_of_row(row), tc_rows_int(row, 2),
				hash_of_text(tc_rows_text(row, 3))));
}

/* A process that launches, but nothing of the device, works for others. */
static void take_host(struct tc_device_part *part, const struct tc_rows *row)
{
	const struct tc_scalar scalar = scalar_of(row, 0);
	uint64_t pid = hash_of_scalar(&scalar);

	if (set_has(&part->launching, pid) || !set_has(&part->others, pid))
		set_add(&part->hosts, row->ctx, track_of_row(row));
}

/* Says which devices there are. */
static void no_device(struct tc_ctx *ctx, sqlite3 *db, const char *asked)
{
	struct tc_rows row = tc_rows_open(ctx, db,
		"SELECT group_concat(device, ', ') FROM (SELECT DISTINCT device FROM track"
		" WHERE device IS NOT NULL ORDER BY CAST(device AS INTEGER), device LIMIT 20)");

	if (tc_rows_next(&row) && tc_rows_null(&row, 0))
		tc_fail(ctx, TC_ERR_USAGE, "--device %s: the trace has no device work: give --time",
			asked);
	else if (!tc_ctx_failed(ctx))
		tc_fail(ctx, TC_ERR_USAGE, "--device %s: no such device: the trace has work of %s",
			asked, tc_rows_text(&row, 0).ptr);
	tc_rows_close(&row);
}

static void choose_device(struct tc_choice *choice, sqlite3 *db, const char *device)
{
	static const struct {
		const char *sql;
		void (*take)(struct tc_device_part *part, const struct tc_rows *row);
	} queries[] = {{lanes_sql, take_lane}, {processes_sql, take_process},
		{launches_sql, take_launch}, {hosts_sql, take_host}};
	struct tc_device_part *part = &choice->device;
	struct tc_ctx *ctx = choice->ctx;

	choice->has_device = true;
	part->has_number = tc_decimal_int64(&part->number, tc_text_from(device));
	for (size_t i = 0; i < TC_COUNT_OF(queries); i++) {
		struct tc_rows row = tc_rows_open(ctx, db, queries[i].sql);
		if (row.stmt && sqlite3_bind_parameter_count(row.stmt) > 0)
			tc_rows_bind_text(&row, 1, tc_text_from(device));
		while (tc_rows_next(&row))
			queries[i].take(part, &row);
		if (part->lanes.count == 0 && !tc_ctx_failed(ctx))
			no_device(ctx, db, device);
	}
}

static bool is_memory(const struct tc_device_part *part, const struct tc_raw_event *event)
{
	const struct tc_scalar *type = &event->arg[TC_ARG_MEM_DEVICE_TYPE],
			       *id = &event->arg[TC_ARG_MEM_DEVICE_ID];

	return part->has_number && type->kind == TC_SCALAR_INT && type->i64 != 0 &&
	       id->kind == TC_SCALAR_INT && id->i64 == part->number;
}

/* Is the event on a lane of the device, or one of its counters, or of its memory? */
static bool part_has(
	const struct tc_device_part *part, const struct tc_raw_event *event, uint64_t track)
{
	const struct tc_scalar *device = &event->arg[TC_ARG_DEVICE];

	if (set_has(&part->lanes, track))
		return true;
	if (event->ph == 'C')
		return set_has(&part->processes, hash_of_scalar(&event->pid));
	return is_memory(part, event) || (device->kind != TC_SCALAR_NONE &&
						 set_has(&part->lanes, shared_lane(track, device)));
}

/* Is the slice of the host, and no call that launches work of other devices only? */
static bool has_host(
	const struct tc_device_part *part, uint64_t track, int64_t from_ns, uint64_t name)
{
	return set_has(&part->hosts, track) &&
	       !set_has(&part->calls, hash_of_call(track, from_ns, name));
}

/* ---- points */

enum {
	SORT_BYTES = 4 * 1024 * 1024,
	SEARCH_MAX_COUNT = 1024, /* open begins searched for an end: a limit for hostile input */
};

enum kind { ALONE, ARROW, BEGIN, END };

/* An event that belongs together with others: those of its group. */
struct point {
	int64_t ts_ns, number;
	uint64_t group, track;   /* hashes */
	uint64_t name, category; /* hashes, 0 when empty */
	enum kind kind;
	uint32_t is_of_device; /* 1 or 0: on a lane of the device that was asked for */
};

TC_ORDER(compare_points, struct point,
	TC_DOWN(kind == ARROW) TC_UP(group) TC_UP(ts_ns) TC_UP(number));

static const struct tc_sorter_layout layout = {sizeof(struct point), SORT_BYTES, compare_points};

static bool has_id(const struct tc_scalar *id)
{
	return id->kind == TC_SCALAR_INT || id->kind == TC_SCALAR_NUMBER ||
	       id->kind == TC_SCALAR_TEXT;
}

static bool is_one_of(const char *phases, char ph)
{
	return ph && strchr(phases, ph);
}

static enum kind kind_of(const struct tc_raw_event *event)
{
	bool has_group = event->ph == 'B' || event->ph == 'E' || has_id(&event->id);

	if (event->ts_state != TC_TIME_OK)
		return ALONE;
	if (event->ph == 'X' && has_id(&event->bind_id))
		return event->flow_in || event->flow_out ? ARROW : ALONE;
	if (!has_group)
		return ALONE;
	if (is_one_of("stf", event->ph))
		return ARROW;
	if (is_one_of("BbS", event->ph))
		return BEGIN;
	return is_one_of("EeF", event->ph) ? END : ALONE;
}

static uint64_t track_of(const struct tc_raw_event *event)
{
	return hash_of_track(&event->pid, &event->tid);
}

static uint64_t group_of(const struct tc_raw_event *event)
{
	struct tc_hash hash;

	if (event->ph == 'B' || event->ph == 'E')
		return track_of(event);
	tc_hash_init(&hash);
	if (event->ph == 'X') {
		hash_scalar(&hash, &event->bind_id);
		return tc_hash_value(&hash);
	}
	hash_text(&hash, event->cat);
	if (is_one_of("stf", event->ph)) {
		hash_text(&hash, event->name);
	} else {
		tc_hash_add(&hash, &event->id_scope, sizeof(event->id_scope));
		if (event->id_scope == TC_ID_LOCAL)
			hash_scalar(&hash, &event->pid);
	}
	hash_scalar(&hash, &event->id);
	return tc_hash_value(&hash);
}

static uint64_t anchor_of(uint64_t track, int64_t ts_ns)
{
	const uint64_t place[] = {track, (uint64_t)ts_ns};

	return tc_hash_of(place, sizeof(place));
}

static bool is_anchored(const struct tc_choice *choice, uint64_t track, int64_t ts_ns)
{
	return set_has(&choice->anchors, anchor_of(track, ts_ns));
}

static bool is_of_device(const struct tc_choice *choice, const struct tc_raw_event *event)
{
	return choice->has_device && part_has(&choice->device, event, track_of(event));
}

/* Is a part of [from, to) in the range? An event without a length is when its time is. */
static bool is_in_range(const struct tc_range *range, int64_t from_ns, int64_t to_ns)
{
	if (from_ns == to_ns)
		return from_ns >= range->from_ns && from_ns < range->to_ns;
	return from_ns < range->to_ns && to_ns > range->from_ns;
}

static bool touches(const struct tc_choice *choice, const struct tc_raw_event *event)
{
	bool has_length = event->dur_state == TC_TIME_OK && event->dur_ns > 0;

	return is_in_range(
		&choice->range, event->ts_ns, event->ts_ns + (has_length ? event->dur_ns : 0));
}

/* An event by itself, without those that belong together with it. */
static bool is_asked_for(const struct tc_choice *choice, const struct tc_raw_event *event)
{
	if (!choice->has_device)
		return touches(choice, event);
	return is_of_device(choice, event) ||
	       (event->ph == 'X' && has_host(&choice->device, track_of(event), event->ts_ns,
					    hash_of_text(event->name)));
}

/* Columns pid, tid, ts of a call and of the work that it launched, where one of the two is outside
 * of the range. A call is on all records of its thread. */
#define CALL_TOUCHES "(l.ts < ?2 AND (l.ts >= ?1 OR l.ts + l.dur > ?1))"
#define WORK_TOUCHES "(s.ts < ?2 AND (s.ts >= ?1 OR s.ts + s.dur > ?1))"
static const char links_sql[] =
	"WITH pair AS MATERIALIZED (SELECT l.track_id AS call_track, l.ts AS call_ts,"
	" s.track_id AS work_track, s.ts AS work_ts"
	" FROM device_link d CROSS JOIN slice_row l ON l.id = d.launch_slice_id"
	" CROSS JOIN slice_row s ON s.id BETWEEN d.first_slice_id AND d.last_slice_id"
	" WHERE " CALL_TOUCHES " <> " WORK_TOUCHES " AND (l.ts < ?3 OR " WORK_TOUCHES ")),"
	" place(track_id, ts) AS (SELECT call_track, call_ts FROM pair"
	" UNION SELECT work_track, work_ts FROM pair),"
	" record(host_id, pid, tid) AS MATERIALIZED"
	" (SELECT coalesce(h.host_thread_id, h.id), p.pid, h.tid"
	" FROM thread h JOIN process p ON p.id = h.process_id)"
	" SELECT r.pid, r.tid, x.ts FROM place x CROSS JOIN track t ON t.id = x.track_id"
	" CROSS JOIN thread a ON a.id = t.thread_id"
	" CROSS JOIN record r ON r.host_id = coalesce(a.host_thread_id, a.id)";

static void choose_range(struct tc_choice *choice, sqlite3 *db, const struct tc_range *range)
{
	choice->range = *range;
	struct tc_rows row = TC_ROWS(
		choice->ctx, db, links_sql, range->from_ns, range->to_ns, choice->launch_until_ns);

	while (tc_rows_next(&row))
		set_add(&choice->anchors, choice->ctx,
			anchor_of(track_of_row(&row), tc_rows_int(&row, 2)));
}

void tc_choice_begin(
	struct tc_choice *choice, sqlite3 *db, const struct tc_range *range, const char *device)
{
	if (device)
		choose_device(choice, db, device);
	else
		choose_range(choice, db, range);
}

void tc_choice_see(struct tc_choice *choice, const struct tc_raw_event *event)
{
	struct point point = {.kind = kind_of(event)};

	if (point.kind == ALONE)
		return;
	point.ts_ns = event->ts_ns;
	point.number = choice->point_count++;
	point.group = group_of(event);
	point.track = is_one_of("beSF", event->ph) ? 0 : track_of(event);
	point.name = hash_of_text(event->name);
	point.category = hash_of_text(event->cat);
	point.is_of_device = is_of_device(choice, event);
	bool is_in = choice->has_device ? point.is_of_device : touches(choice, event);
	bool is_later = event->ph == 's' && event->ts_ns >= choice->launch_until_ns;
	if (point.kind == ARROW && is_in && (choice->has_device || !is_later))
		set_add(&choice->arrows, choice->ctx, point.group);
	tc_sorter_put(&choice->points, choice->ctx, &layout, &point);
}

/* The pairing of one group after the other. */
struct pairing {
	struct tc_choice *choice;
	uint64_t group;
	struct point *open; /* begins, outermost first */
	size_t count, capacity;
};

static void want(struct tc_choice *choice, const struct point *point)
{
	choice->wanted[point->number / 8] |= (unsigned char)(1 << point->number % 8);
}

static bool wants_slice(const struct tc_choice *choice, const struct point *begin, int64_t end_ns)
{
	if (choice->has_device)
		return begin->is_of_device ||
		       has_host(&choice->device, begin->track, begin->ts_ns, begin->name) ||
		       is_anchored(choice, begin->track, begin->ts_ns);
	return is_in_range(&choice->range, begin->ts_ns, end_ns) ||
	       is_anchored(choice, begin->track, begin->ts_ns);
}

/* Whether to keep an end whose begin is not in the trace. */
static bool wants_end(const struct tc_choice *choice, const struct point *end)
{
	return choice->has_device ? end->is_of_device || set_has(&choice->device.hosts, end->track)
				  : is_in_range(&choice->range, end->ts_ns, end->ts_ns);
}

/* A begin without an end lasts to the end of the trace. */
static void end_group(struct pairing *pairing)
{
	for (size_t i = 0; i < pairing->count; i++)
		if (wants_slice(pairing->choice, &pairing->open[i], INT64_MAX))
			want(pairing->choice, &pairing->open[i]);
	pairing->count = 0;
}

static bool closes(const struct point *begin, const struct point *end)
{
	return (end->name == 0 || end->name == begin->name) &&
	       (end->category == 0 || end->category == begin->category);
}

static void on_end(struct pairing *pairing, const struct point *end)
{
	size_t at = pairing->count;
	size_t floor = at > SEARCH_MAX_COUNT ? at - SEARCH_MAX_COUNT : 0;

	while (at > floor && !closes(&pairing->open[at - 1], end))
		at--;
	if (at == floor) {
		if (wants_end(pairing->choice, end))
			want(pairing->choice, end);
		return;
	}
	if (wants_slice(pairing->choice, &pairing->open[at - 1], end->ts_ns)) {
		want(pairing->choice, &pairing->open[at - 1]);
		want(pairing->choice, end);
	}
	memmove(&pairing->open[at - 1], &pairing->open[at],
		(pairing->count - at) * sizeof(pairing->open[0]));
	pairing->count--;
}

static void on_arrow(struct tc_choice *choice, const struct point *point)
{
	if (!set_has(&choice->arrows, point->group))
		return;
	want(choice, point);
	set_add(&choice->anchors, choice->ctx, anchor_of(point->track, point->ts_ns));
}

static void on_point(struct pairing *pairing, const struct point *point)
{
	if (point->kind == ARROW) {
		on_arrow(pairing->choice, point);
		return;
	}
	if (point->group != pairing->group)
		end_group(pairing);
	pairing->group = point->group;
	if (point->kind == END)
		on_end(pairing, point);
	else
		TC_PUSH(pairing->choice->ctx, pairing->open, pairing->count, pairing->capacity,
			*point);
}

void tc_choice_decide(struct tc_choice *choice)
{
	struct pairing pairing = {.choice = choice};
	const struct point *point;

	if (tc_ctx_failed(choice->ctx))
		return;
	choice->wanted = tc_new(choice->ctx, (size_t)choice->point_count / 8 + 1, 1);
	if (!choice->wanted)
		return;
	for (point = tc_sorter_first(choice->points); point; point = tc_sorter_next(choice->points))
		on_point(&pairing, point);
	end_group(&pairing);
	tc_free(pairing.open);
	tc_sorter_free(choice->points);
	choice->points = NULL;
}

bool tc_choice_wants(struct tc_choice *choice, const struct tc_raw_event *event)
{
	enum kind kind = kind_of(event);
	bool is_wanted = false;

	if (kind != ALONE) {
		int64_t number = choice->asked_count++;
		is_wanted = number < choice->point_count && /* a file may grow between the passes */
			    choice->wanted[number / 8] >> number % 8 & 1;
	}
	if (is_wanted || event->ph == 'M')
		return true;
	if (event->ts_state != TC_TIME_OK || (kind != ALONE && event->ph != 'X'))
		return false;
	return is_asked_for(choice, event) ||
	       (event->ph == 'X' && choice->anchors.count > 0 &&
		       is_anchored(choice, track_of(event), event->ts_ns));
}

void tc_choice_clear(struct tc_choice *choice)
{
	tc_sorter_free(choice->points);
	tc_free(choice->wanted);
	set_clear(&choice->device.lanes);
	set_clear(&choice->device.processes);
	set_clear(&choice->device.launching);
	set_clear(&choice->device.others);
	set_clear(&choice->device.hosts);
	set_clear(&choice->device.calls);
	set_clear(&choice->arrows);
	set_clear(&choice->anchors);
	*choice = (struct tc_choice){0};
}
