/*
 * The tracks of a page and the curves beside them. The slices of a trace have consecutive ids, and
 * so have its tracks, so a track is found by an index, and the slices by two numbers. Points of
 * curves come in the order of time.
 */
#include "report/view/tracks.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/saturate.h"
#include "names/label/label.h"
#include "report/view/view.h"

static const char tracks_sql[] =
	"SELECT t.id, " TC_TRACK_NAME_SQL ", t.device FROM track t"
	" LEFT JOIN process p ON p.id = t.process_id LEFT JOIN thread h ON h.id = t.thread_id"
	" WHERE t.trace_id = ?1 ORDER BY t.device IS NULL,"
	" CAST(t.device AS INTEGER), t.device, t.engine, length(t.lane), t.lane,"
	" NOT EXISTS (SELECT 1 FROM host_event e WHERE e.thread_id = t.thread_id),"
	" p.sort_index, h.sort_index, t.process_id, t.id";

static void add_track(struct tc_page_tracks *tracks, enum tc_page_track_kind kind, int64_t id,
	struct tc_text name, struct tc_text device)
{
	const struct tc_page_track track = {.kind = kind,
		.id = id,
		.name = tc_text_dup(name),
		.device = device.ptr ? tc_text_dup(device) : NULL};

	if (!track.name || (device.ptr && !track.device))
		tc_no_memory(tracks->ctx);
	if (TC_PUSH(tracks->ctx, tracks->all, tracks->count, tracks->capacity, track))
		return;
	tc_free(track.name);
	tc_free(track.device);
}

/* Adds a thread, or a lane below the idle time and collectives of its device. */
static void add_row(struct tc_page_tracks *tracks, const struct tc_rows *row)
{
	struct tc_text device = tc_rows_text(row, 2);
	bool lane = device.ptr != NULL;

	if (lane && tc_strtab_intern(&tracks->devices, device) == tracks->idle_count) {
		TC_PUSH(tracks->ctx, tracks->idle_of, tracks->idle_count, tracks->idle_capacity,
			(uint32_t)tracks->count);
		add_track(tracks, TC_TRACK_IDLE, -1, TC_TEXT("idle, by cause"), device);
		add_track(tracks, TC_TRACK_COLLECTIVE, -1, TC_TEXT("collectives"), device);
	}
	add_track(tracks, lane ? TC_TRACK_LANE : TC_TRACK_HOST, tc_rows_int(row, 0),
		tc_rows_text(row, 1), device);
}

static void load_tracks(struct tc_page_tracks *tracks)
{
	add_track(tracks, TC_TRACK_STEPS, -1, TC_TEXT("steps"), TC_TEXT_NONE);
	add_track(tracks, TC_TRACK_PATH, -1, TC_TEXT("critical path"), TC_TEXT_NONE);
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db, tracks_sql, tracks->trace_id);
	while (tc_rows_next(&rows))
		add_row(tracks, &rows);
}

static void make_index(struct tc_page_tracks *tracks)
{
	int64_t first = INT64_MAX, last = -1;

	for (size_t i = 0; i < tracks->count; i++) {
		int64_t id = tracks->all[i].id;
		first = id >= 0 && id < first ? id : first;
		last = id > last ? id : last;
	}
	tracks->first_id = first;
	tracks->id_count = last < 0 ? 0 : (size_t)(last - first + 1);
	tracks->index_of = tc_malloc((tracks->id_count + 1) * sizeof(*tracks->index_of));
	if (!tracks->index_of) {
		tc_no_memory(tracks->ctx);
		return;
	}
	memset(tracks->index_of, 0xff, (tracks->id_count + 1) * sizeof(*tracks->index_of));
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->all[i].id >= 0)
			tracks->index_of[tracks->all[i].id - first] = (uint32_t)i;
}

/* The first slice from `low` on whose track is not before `track`; `high` when there is none. */
static int64_t first_slice_of(
	const struct tc_page_tracks *tracks, int64_t low, int64_t high, int64_t track)
{
	struct tc_rows rows = tc_rows_prepare(tracks->ctx, tracks->db,
		"SELECT id, track_id FROM slice_row WHERE id >= ?1 ORDER BY id LIMIT 1");

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		tc_rows_again(&rows, middle);
		if (tc_rows_next(&rows) && tc_rows_int(&rows, 1) < track)
			low = tc_rows_int(&rows, 0) + 1;
		else
			high = middle;
	}
	tc_rows_close(&rows);
	return low;
}

static void find_slices(struct tc_page_tracks *tracks)
{
	int64_t end = tc_rows_single(
		tracks->ctx, tracks->db, "SELECT coalesce(max(id), -1) + 1 FROM slice_row", 0);
	int64_t last = tracks->first_id + (int64_t)tracks->id_count;

	tracks->first_slice = first_slice_of(tracks, 0, end, tracks->first_id);
	tracks->last_slice = first_slice_of(tracks, tracks->first_slice, end, last) - 1;
}

static void find_times(struct tc_page_tracks *tracks)
{
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT start_ns, end_ns FROM trace WHERE id = ?1", tracks->trace_id);

	if (tc_rows_next(&rows)) {
		tracks->start_ns = tc_rows_int(&rows, 0);
		tracks->end_ns = tc_rows_int(&rows, 1);
	}
	tc_rows_close(&rows);
}

void tc_page_tracks_load(
	struct tc_page_tracks *tracks, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	*tracks = (struct tc_page_tracks){
		.ctx = ctx, .db = db, .trace_id = trace_id, .devices = {.ctx = ctx}};
	load_tracks(tracks);
	make_index(tracks);
	if (tracks->id_count > 0)
		find_slices(tracks);
	find_times(tracks);
}

void tc_page_tracks_clear(struct tc_page_tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++) {
		tc_free(tracks->all[i].name);
		tc_free(tracks->all[i].device);
	}
	tc_free(tracks->all);
	tc_strtab_clear(&tracks->devices);
	tc_free(tracks->idle_of);
	tc_free(tracks->index_of);
	*tracks = (struct tc_page_tracks){0};
}

uint32_t tc_tracks_find_kind(
	const struct tc_page_tracks *tracks, enum tc_page_track_kind kind, struct tc_text device)
{
	if (kind == TC_TRACK_STEPS || kind == TC_TRACK_PATH)
		return (uint32_t)kind; /* their order in load_tracks() */
	uint32_t number = tc_strtab_find(&tracks->devices, device);
	if (number >= tracks->idle_count) /* no such device, or memory was out */
		return UINT32_MAX;
	return tracks->idle_of[number] + (kind == TC_TRACK_COLLECTIVE);
}

struct tc_rows tc_page_tracks_slices(const struct tc_page_tracks *tracks)
{
	return TC_ROWS(tracks->ctx, tracks->db,
		"SELECT id, ts, dur, track_id, label_id FROM slice_row"
		" WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
		tracks->first_slice, tracks->last_slice);
}

/* ---- launches and starts of the work of each device */

static bool add_launch(struct tc_queue *queue, int64_t launch_ns, int64_t start_ns)
{
	if (!TC_GROW(queue->launches, queue->launch_capacity, queue->count + 1) ||
		!TC_GROW(queue->starts, queue->start_capacity, queue->count + 1))
		return false;
	queue->launches[queue->count] = launch_ns;
	queue->starts[queue->count++] = start_ns;
	return true;
}

static void next_run(struct tc_queues *queues)
{
	bool found = tc_rows_next(&queues->links);

	queues->first = found ? tc_rows_int(&queues->links, 0) : INT64_MAX;
	queues->last = found ? tc_rows_int(&queues->links, 1) : INT64_MAX;
	queues->launch_ns = found ? tc_rows_int(&queues->links, 2) : 0;
}

static void queues_open(struct tc_queues *queues, const struct tc_page_tracks *tracks)
{
	*queues = (struct tc_queues){.all = tc_calloc(tracks->count + 1, sizeof(*queues->all)),
		.count = tracks->count,
		.queue_of = tc_calloc(tracks->count + 1, sizeof(*queues->queue_of)),
		.first = -1,
		.last = -1};
	if (!queues->all || !queues->queue_of)
		tc_no_memory(tracks->ctx);
	for (size_t i = 0; i < tracks->count && queues->queue_of; i++)
		queues->queue_of[i] = tracks->all[i].kind == TC_TRACK_LANE
					      ? tc_tracks_find_kind(tracks, TC_TRACK_IDLE,
							tc_text_from(tracks->all[i].device))
					      : UINT32_MAX;
	queues->links = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT d.first_slice_id, d.last_slice_id, l.ts FROM device_link d"
		" CROSS JOIN slice_row l ON l.id = d.launch_slice_id"
		" WHERE d.first_slice_id BETWEEN ?1 AND ?2 ORDER BY d.first_slice_id",
		tracks->first_slice, tracks->last_slice);
}

/* Takes the next slice; ids ascend. False when memory is out. */
static bool queues_see(struct tc_queues *queues, int64_t id, int64_t ts, uint32_t track)
{
	while (queues->last < id)
		next_run(queues);
	return id < queues->first || queues->queue_of[track] == UINT32_MAX ||
	       add_launch(&queues->all[queues->queue_of[track]], queues->launch_ns, ts);
}

void tc_queues_clear(struct tc_queues *queues)
{
	for (size_t i = 0; queues->all && i < queues->count; i++) {
		tc_free(queues->all[i].launches);
		tc_free(queues->all[i].starts);
	}
	tc_free(queues->all);
	tc_free(queues->queue_of);
	*queues = (struct tc_queues){0};
}

/* Call it after the last slice: sorts the times of each queue. */
static void queues_close(struct tc_queues *queues)
{
	tc_rows_close(&queues->links);
	for (size_t i = 0; queues->all && i < queues->count; i++) {
		TC_SORT(queues->all[i].launches, queues->all[i].count, tc_compare_numbers);
		TC_SORT(queues->all[i].starts, queues->all[i].count, tc_compare_numbers);
	}
}

/* ---- curves */

static const char memory_sql[] =
	"SELECT ts, total_allocated_bytes, iif(device_type = 0, 'CPU memory in use',"
	" 'memory in use, device ' || device_id) AS name FROM memory_sample WHERE trace_id = ?1"
	" AND total_allocated_bytes IS NOT NULL ORDER BY device_type = 0, device_id, ts, id";
static const char own_sql[] = "SELECT ts, value, name FROM counter WHERE trace_id = ?1"
			      " ORDER BY name, process_id, ts, id";

/* A new counter. NULL when there are TC_COUNTERS_MOST already or memory is out. */
static struct tc_counter *add_counter(
	struct tc_counters *counters, struct tc_text name, bool is_bytes)
{
	if (counters->count == TC_COUNTERS_MOST)
		return NULL;
	char *taken = tc_text_dup(name);
	if (!taken)
		return NULL;
	struct tc_counter *counter = &counters->all[counters->count++];
	*counter = (struct tc_counter){.name = taken, .is_bytes = is_bytes};
	return counter;
}

static int64_t piece_of(const struct tc_page_tracks *tracks, int64_t ts)
{
	int64_t span_ns = tc_sub_saturated(tracks->end_ns, tracks->start_ns);

	span_ns = span_ns > 0 ? span_ns : 0;
	return tc_sub_saturated(ts, tracks->start_ns) / (span_ns / TC_COUNTER_PIECES + 1);
}

/* Keeps two points of each piece of time: the highest and the last. */
static void add_point(struct tc_counter *counter, const struct tc_page_tracks *tracks,
	struct tc_counter_point point)
{
	struct tc_counter_point *points = counter->points;
	size_t count = counter->count;
	int64_t piece = piece_of(tracks, point.ts);

	if (count > 1 && piece_of(tracks, points[count - 1].ts) == piece &&
		piece_of(tracks, points[count - 2].ts) == piece) {
		if (points[count - 1].value > points[count - 2].value)
			points[count - 2] = points[count - 1];
		points[count - 1] = point;
		return;
	}
	TC_PUSH(tracks->ctx, counter->points, counter->count, counter->capacity, point);
}

/* Reads rows of ts, value and name, ordered by name and time. */
static void load_counter_rows(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	const char *sql, bool is_bytes)
{
	struct tc_counter *counter = NULL;
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db, sql, tracks->trace_id);

	while (tc_rows_next(&rows)) {
		struct tc_text name = tc_rows_text(&rows, 2);
		if (!counter || !tc_text_equal(tc_text_from(counter->name), name))
			counter = add_counter(counters, name, is_bytes);
		if (!counter)
			break;
		add_point(counter, tracks,
			(struct tc_counter_point){tc_rows_int(&rows, 0), tc_rows_real(&rows, 1)});
	}
	tc_rows_close(&rows);
}

/* Joins all changes by time. */
static void merge_queue(
	struct tc_counter *counter, const struct tc_page_tracks *tracks, struct tc_queue *queue)
{
	size_t launch = 0, start = 0;

	while (start < queue->count) {
		int64_t ts = queue->starts[start];
		if (launch < queue->count && queue->launches[launch] < ts)
			ts = queue->launches[launch];
		while (launch < queue->count && queue->launches[launch] == ts)
			launch++;
		while (start < queue->count && queue->starts[start] == ts)
			start++;
		add_point(counter, tracks,
			(struct tc_counter_point){ts, (double)launch - (double)start});
	}
}

static void add_queue(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	const char *device, struct tc_queue *queue)
{
	struct tc_buf name = TC_BUF_EMPTY;

	if (queue->count == 0)
		return;
	tc_buf_format(&name, "queued work, device %s", device);
	struct tc_counter *counter = add_counter(counters, tc_buf_text(&name), false);
	tc_buf_clear(&name);
	if (counter)
		merge_queue(counter, tracks, queue);
}

void tc_counters_load(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	struct tc_queues *queues, bool with_own)
{
	*counters = (struct tc_counters){0};
	for (size_t i = 0; i < tracks->count && !tc_ctx_failed(tracks->ctx); i++)
		if (tracks->all[i].kind == TC_TRACK_IDLE && counters->count < TC_COUNTERS_MOST / 2)
			add_queue(counters, tracks, tracks->all[i].device, &queues->all[i]);
	load_counter_rows(counters, tracks, memory_sql, true);
	if (with_own)
		load_counter_rows(counters, tracks, own_sql, false);
}

void tc_counters_clear(struct tc_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		tc_free(counters->all[i].name);
		tc_free(counters->all[i].points);
	}
	*counters = (struct tc_counters){0};
}

/* ---- idle time */

/* A piece of the gap being read. */
struct piece {
	int64_t seen_ns, dur; /* when its cause was first seen */
	size_t cause;         /* index into causes */
	char name[TC_IDLE_NAME];
};

/* The gap being read. */
struct reading {
	struct tc_ctx *ctx;
	struct tc_idle *idle;
	struct piece *pieces;
	size_t count, capacity;
	int64_t ts, dur;
	uint32_t track, track_before; /* its device; that of the last gap or UINT32_MAX */
	size_t last_cause;
};

static void add_gap(struct reading *reading)
{
	struct tc_idle *idle = reading->idle;
	struct tc_idle_gap gap = {
		.ts = reading->ts, .end = tc_add_saturated(reading->ts, reading->dur)};

	if (reading->track != reading->track_before) {
		TC_PUSH(reading->ctx, idle->devices, idle->device_count, idle->device_capacity,
			idle->gap_count);
	} else {
		const struct tc_idle_gap *last = &idle->gaps[idle->gap_count - 1];
		gap.before_ns = tc_add_saturated(last->before_ns, last->end - last->ts);
	}
	if (TC_PUSH(reading->ctx, idle->gaps, idle->gap_count, idle->gap_capacity, gap))
		reading->track_before = reading->track;
}

TC_ORDER(by_time, struct piece, TC_UP(seen_ns) TC_UP_STRING(name));

/* Places the pieces of the gap one behind the other. */
static void end_gap(struct reading *reading)
{
	int64_t ts = reading->ts;
	bool has_work = false;

	TC_SORT(reading->pieces, reading->count, by_time);
	for (size_t i = 0; i < reading->count; i++) {
		const struct piece *piece = &reading->pieces[i];
		struct tc_idle_cause *cause = &reading->idle->causes[piece->cause];
		if (piece->dur > cause->dur || (piece->dur == cause->dur && ts < cause->ts)) {
			cause->ts = ts;
			cause->dur = piece->dur;
			cause->track = reading->track;
		}
		ts = tc_add_saturated(ts, piece->dur);
		has_work |= !cause->is_no_work;
	}
	reading->count = 0;
	if (has_work)
		add_gap(reading);
}

/* The index of a cause, which is often that of the row before. Adds a cause that is new. */
static size_t find_cause(struct reading *reading, struct tc_text name)
{
	struct tc_idle *idle = reading->idle;
	size_t at = reading->last_cause;

	if (at >= idle->cause_count || !tc_text_equal(tc_text_from(idle->causes[at].name), name))
		for (at = 0; at < idle->cause_count; at++)
			if (tc_text_equal(tc_text_from(idle->causes[at].name), name))
				break;
	if (at == idle->cause_count) {
		struct tc_idle_cause cause = {
			.is_no_work = tc_cause_find(name) == TC_CAUSE_NO_WORK};
		size_t len = name.len < sizeof(cause.name) ? name.len : sizeof(cause.name) - 1;
		memcpy(cause.name, name.ptr, len);
		TC_PUSH(reading->ctx, idle->causes, idle->cause_count, idle->cause_capacity, cause);
	}
	return reading->last_cause = at;
}

/* Columns gap_ts, gap_dur, device, cause, ts, dur. */
static void read_row(
	struct reading *reading, const struct tc_page_tracks *tracks, const struct tc_rows *row)
{
	int64_t ts = tc_rows_int(row, 0);
	struct tc_text device = tc_rows_text(row, 2);
	uint32_t track = reading->track;

	if (track == UINT32_MAX || !tc_text_equal(tc_text_from(tracks->all[track].device), device))
		track = tc_tracks_find_kind(tracks, TC_TRACK_IDLE, device);
	if (reading->count > 0 && (track != reading->track || ts != reading->ts))
		end_gap(reading);
	reading->track = track;
	reading->ts = ts;
	reading->dur = tc_rows_int(row, 1);
	if (track == UINT32_MAX)
		return;
	struct piece piece = {.seen_ns = tc_rows_int(row, 4),
		.dur = tc_rows_int(row, 5),
		.cause = find_cause(reading, tc_rows_text(row, 3))};
	if (piece.cause == reading->idle->cause_count)
		return; /* out of memory */
	memcpy(piece.name, reading->idle->causes[piece.cause].name, sizeof(piece.name));
	TC_PUSH(reading->ctx, reading->pieces, reading->count, reading->capacity, piece);
}

/* Call clear_idle() afterwards, also after a failure. */
static void clear_idle(struct tc_idle *idle)
{
	tc_free(idle->gaps);
	tc_free(idle->devices);
	tc_free(idle->causes);
	*idle = (struct tc_idle){0};
}

/* Call clear_idle() afterwards, also after a failure. */
static void load_idle(struct tc_idle *idle, const struct tc_page_tracks *tracks)
{
	struct reading reading = {
		.ctx = tracks->ctx, .idle = idle, .track = UINT32_MAX, .track_before = UINT32_MAX};

	*idle = (struct tc_idle){0};
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT gap_ts, gap_dur, device, cause, ts, dur FROM gap"
		" WHERE trace_id = ?1 AND gap_ts IS NOT NULL ORDER BY device, id",
		tracks->trace_id);
	while (tc_rows_next(&rows))
		read_row(&reading, tracks, &rows);
	if (reading.count > 0)
		end_gap(&reading);
	tc_free(reading.pieces);
}

int64_t tc_idle_until(const struct tc_idle *idle, size_t device, int64_t time, bool to_end_of_gap)
{
	const struct tc_idle_gap *gaps = &idle->gaps[idle->devices[device]];
	size_t last = device + 1 < idle->device_count ? idle->devices[device + 1] : idle->gap_count;
	size_t at;

	TC_BISECT(at, last - idle->devices[device], gaps[at].ts <= time);
	if (at == 0)
		return 0;
	const struct tc_idle_gap *gap = &gaps[at - 1];
	int64_t end = to_end_of_gap || gap->end < time ? gap->end : time;
	return tc_add_saturated(gap->before_ns, end - gap->ts);
}

const struct tc_idle_cause *tc_idle_longest(const struct tc_idle *idle, struct tc_text cause)
{
	const struct tc_idle_cause *longest = NULL;

	for (size_t i = 0; i < idle->cause_count; i++) {
		const struct tc_idle_cause *each = &idle->causes[i];
		struct tc_text name = tc_text_from(each->name);
		if (each->dur <= 0 ||
			(cause.len > 0 ? !tc_text_equal(name, cause) : each->is_no_work))
			continue;
		if (!longest || each->dur > longest->dur ||
			(each->dur == longest->dur &&
				(each->ts < longest->ts ||
					(each->ts == longest->ts && each->track < longest->track))))
			longest = each;
	}
	return longest;
}

/* ---- places. Idle time comes gap by gap, and the gaps of a device in the order of time, so the
 * idle time before any moment is found by bisection. */

static void want(struct tc_places *places, struct tc_ctx *ctx, size_t place, int64_t label_id)
{
	if (TC_PUSH(ctx, places->labels, places->label_count, places->label_capacity,
		    (struct tc_place_label){(uint32_t)place, places->first[label_id]}))
		places->first[label_id] = (uint32_t)places->label_count;
}

static void want_subject(
	struct tc_places *places, const struct tc_page_tracks *tracks, size_t index)
{
	const struct tc_finding *finding = places->all[index].finding;

	if (finding->evidence_count == 0)
		return;
	struct tc_rows rows = tc_rows_open(tracks->ctx, tracks->db, TC_SUBJECT_LABELS_SQL);
	tc_rows_bind_text(&rows, 1, tc_text_from(finding->evidence[0].subject));
	while (tc_rows_next(&rows))
		if ((uint64_t)tc_rows_int(&rows, 0) < places->first_count)
			want(places, tracks->ctx, index, tc_rows_int(&rows, 0));
}

void tc_places_weigh(struct tc_places *places, uint32_t at, struct tc_place slice, bool is_host)
{
	slice.found = true;
	for (size_t i = 0; is_host && i < places->idle.device_count; i++) {
		int64_t idle_ns = tc_idle_until(&places->idle, i,
					  tc_add_saturated(slice.ts, slice.dur), true) -
				  tc_idle_until(&places->idle, i, slice.ts, false);
		slice.cost_ns =
			tc_add_saturated(slice.cost_ns, idle_ns < slice.dur ? idle_ns : slice.dur);
	}
	for (; at > 0; at = places->labels[at - 1].next) {
		struct tc_place *place = &places->all[places->labels[at - 1].place];
		if (place->found &&
			(slice.cost_ns < place->cost_ns ||
				(slice.cost_ns == place->cost_ns && slice.dur <= place->dur)))
			continue;
		slice.finding = place->finding;
		*place = slice;
	}
}

void tc_places_init(struct tc_places *places, const struct tc_page_tracks *tracks,
	const struct tc_advice *advice)
{
	*places = (struct tc_places){0};
	places->first_count = (size_t)tc_rows_single(
		tracks->ctx, tracks->db, "SELECT coalesce(max(id), 0) + 1 FROM label", 0);
	places->first = tc_new(tracks->ctx, places->first_count, sizeof(*places->first));
	places->all = tc_new(tracks->ctx, advice->finding_count + 1, sizeof(*places->all));
	if (!places->first || !places->all)
		return;
	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_finding(advice, tracks->trace_id, finding));)
		places->all[places->count++].finding = finding;
	for (size_t i = 0; i < places->count; i++)
		want_subject(places, tracks, i);
	load_idle(&places->idle, tracks);
}

void tc_places_clear(struct tc_places *places)
{
	tc_free(places->all);
	tc_free(places->labels);
	tc_free(places->first);
	clear_idle(&places->idle);
	*places = (struct tc_places){0};
}

static void places_finish(struct tc_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		struct tc_place *place = &places->all[i];
		const struct tc_finding *finding = place->finding;
		if (place->found || finding->gain_ns <= 0)
			continue;
		struct tc_text cause = tc_evidence_text(finding, 0, "cause");
		const struct tc_idle_cause *idle = tc_idle_longest(&places->idle, cause);
		if (idle)
			*place = (struct tc_place){.finding = finding,
				.found = true,
				.ts = idle->ts,
				.dur = idle->dur,
				.track = idle->track};
	}
}

/* ---- the survey. Limits are powers of two. For each limit it counts the slices that are at
 * least as long. It also counts how often a short slice starts in another piece of time than the
 * last short slice on its track: each time a new merged item begins. */

#define LIMITS 35       /* the largest is 17 s */
#define ROWS_OF_TRACK 2 /* a guess: short slices in a piece of time lie on two rows */

struct survey {
	const struct tc_page_tracks *tracks;
	int64_t *pieces;       /* by track and limit: the piece of the last short slice */
	size_t longer[LIMITS]; /* slices at least as long as the limit */
	size_t changes[LIMITS];
	size_t all;
};

/* The index of the limit for a duration: the largest power of two not above it; 0 for 0. */
static size_t power_of(int64_t dur)
{
	size_t power = 0;

	while (power < LIMITS - 1 && dur >> (power + 1) > 0)
		power++;
	return power;
}

static void see(struct survey *survey, int64_t ts, int64_t dur, uint32_t track)
{
	uint64_t from_start =
		(uint64_t)tc_sub_saturated(ts, survey->tracks->start_ns) / TC_ITEM_PIECE;
	int64_t *pieces = &survey->pieces[track * LIMITS];
	size_t power = power_of(dur);

	survey->all++;
	survey->longer[power]++;
	for (size_t limit = power + 1; limit < LIMITS; limit++) {
		int64_t piece = (int64_t)(from_start >> limit);
		survey->changes[limit] += piece != pieces[limit];
		pieces[limit] = piece;
	}
}

static int64_t choose(const struct survey *survey, size_t budget)
{
	size_t shorter = 0;

	if (survey->all <= budget)
		return 0;
	for (size_t limit = 1; limit < LIMITS; limit++) {
		shorter += survey->longer[limit - 1];
		size_t merged = survey->changes[limit] * ROWS_OF_TRACK;
		if (survey->all - shorter + (merged < shorter ? merged : shorter) <= budget)
			return INT64_C(1) << limit;
	}
	return INT64_C(1) << LIMITS;
}

void tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget)
{
	struct survey survey = {.tracks = tracks,
		.pieces = tc_calloc(tracks->count * LIMITS + 1, sizeof(*survey.pieces))};

	*least_ns = 0;
	if (!survey.pieces) {
		tc_no_memory(tracks->ctx);
		return;
	}
	memset(survey.pieces, 0xff, tracks->count * LIMITS * sizeof(*survey.pieces));
	queues_open(queues, tracks);
	struct tc_rows rows = tc_page_tracks_slices(tracks);
	while (tc_rows_next(&rows)) {
		uint32_t track = tc_page_tracks_find(tracks, tc_rows_int(&rows, 3));
		int64_t ts = tc_rows_int(&rows, 1), dur = tc_slice_dur(&rows);
		if (track == UINT32_MAX)
			continue;
		if (!queues_see(queues, tc_rows_int(&rows, 0), ts, track))
			tc_no_memory(tracks->ctx);
		see(&survey, ts, dur, track);
		tc_places_see(places, tc_rows_int(&rows, 4), ts, dur, track,
			tracks->all[track].kind == TC_TRACK_HOST);
	}
	*least_ns = choose(&survey, budget);
	places_finish(places);
	tc_free(survey.pieces);
	queues_close(queues);
}

struct tc_place tc_place_find(const struct tc_page_tracks *tracks, const struct tc_advice *advice)
{
	struct tc_place place = {0};
	struct tc_places places = {0};
	struct tc_queues queues = {0};
	int64_t least_ns;

	if (tracks->id_count > 0) {
		tc_places_init(&places, tracks, advice);
		tc_survey(&least_ns, &places, &queues, tracks, SIZE_MAX);
		if (places.count > 0)
			place = places.all[0];
	}
	tc_queues_clear(&queues);
	tc_places_clear(&places);
	return place;
}
