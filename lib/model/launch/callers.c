/*
 * Which process launched work, where several processes of one file number their calls alike.
 *
 * Tracers count the calls of each process from 1, so when the traces of ranks are merged into one
 * file their ids mean several calls each. A device's work is under a process of its own, whose pid
 * is often the number of the device. What a file offers, best evidence first:
 *
 *  1. The lane is of a process that has calls: the work is of its calls.
 *  2. A device belongs to one process, whose calls explain its work: for each piece there is a call
 *     of that id before it, and one that may launch such work. Calls of another process with these
 *     ids explain only part of it, because there they are other calls, or later ones:
 *
 *        process A   [7]   [8]  [9]            device 0: A explains 7, 8, 9; B only 9: it is A's
 *        process B  [9]  [7] [8]               device 1: A explains 8, B all: it is B's
 *        device 0        7      8    9
 *        device 1       9      7 8
 *
 *     Where two explain it equally well, it belongs to the one that has no device yet.
 *  3. Processes that share a device (each rank saw one device, number 0). Files that were put one
 *     behind the other hold the slices of a process together, and its work with them. In other
 *     files work belongs to the only call of its id that has none yet, if there is one. Else
 *     nobody knows.
 *
 * Calls of one id in two processes that lie within each other are one call, seen by two layers
 * (msprof draws each layer as a process); such processes are one.
 */
#include "model/launch/launches.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"

/* By number and time; at one time calls before device work. */
TC_ORDER(compare_correlated, struct tc_correlated,
	TC_UP(correlation) TC_UP(span.ts_ns) TC_UP(is_device) TC_UP(span.slice_id));

const struct tc_sorter_layout tc_correlated_layout = {
	sizeof(struct tc_correlated), 2 * 1024 * 1024, compare_correlated};

/* A process that has calls, and its call of the id at hand. */
struct caller {
	uint32_t root;          /* the caller that it is one with, often itself */
	int64_t first_slice_id; /* of the process */
	int64_t last_slice_id;  /* of its calls, as the times are */
	int64_t first_ns, last_ns;
	int64_t launch_count;
	bool has_calls, has_device, is_alike;
	bool is_there; /* it has a call of the id at hand; that call: */
	bool is_open;  /* no work was given to it so far */
	int64_t call_ns, call_end_ns;
	uint32_t label;
};

/* How the calls of two processes lie that share an id. */
struct pair {
	int64_t nested_count, apart_count;
};

struct callers {
	struct tc_ctx *ctx; /* borrowed, as the next two */
	const struct tc_tracks *tracks;
	const struct tc_timeline *timeline;
	uint32_t *of_process; /* index of items, or TC_INDEX_NONE; by process */
	struct caller *items;
	size_t count, capacity;
	struct pair *pairs; /* of callers a < b at a * count + b */
	/* How much of its work each caller explains, by device and caller, and how much of it any
	 * caller does, by device. */
	int64_t *explained, *explained_by_any;
	size_t device_count; /* that are counted */
	uint32_t *owners;    /* by device: a caller, or TC_INDEX_NONE */
	int64_t id;          /* at hand */
	uint32_t *there;     /* callers with a call of it */
	size_t there_count;
	uint32_t latest;      /* the one whose call began last */
	bool is_concatenated; /* slices of one process follow those of another */
};

/* Callers times devices whose work is counted; that of further devices is of no one's. */
enum { SHARES_MAX_COUNT = 1 << 20 };

/* Any of several processes may have launched the work. */
enum { SPACE_UNKNOWN = -1 };

/* Ids of processes are in spaces apart from those of ranks that are known by their labels. */
#define PROCESS_SPACES (INT64_C(1) << 60)

/* ---- processes */

/* The process of the operating-system thread that a track records. */
static uint32_t process_of(const struct tc_tracks *tracks, uint32_t track)
{
	const struct tc_track_row *row = &tracks->tracks[track];

	return row->thread == TC_INDEX_NONE
		       ? row->process
		       : tracks->threads[tracks->threads[row->thread].host_thread].process;
}

/* Makes callers of the processes with calls, as long as there is room. */
static void find_callers(struct callers *callers)
{
	const struct tc_tracks *tracks = callers->tracks;

	for (size_t i = 0; i < tracks->process_count; i++)
		callers->of_process[i] = TC_INDEX_NONE;
	for (uint32_t i = 0; i < tracks->track_count; i++) {
		const struct tc_track_row *track = &tracks->tracks[i];
		if (track->kind == TC_TRACK_LANE || track->slice_count == 0)
			continue;
		uint32_t process = process_of(tracks, i), *caller = &callers->of_process[process];
		if (*caller == TC_INDEX_NONE && track->has_correlation &&
			callers->count < TC_CALLER_MAX_COUNT &&
			TC_PUSH(callers->ctx, callers->items, callers->count, callers->capacity,
				(struct caller){.root = (uint32_t)callers->count,
					.first_slice_id = track->first_slice_id}))
			*caller = (uint32_t)callers->count - 1;
	}
	for (uint32_t i = 0; i < tracks->track_count; i++) {
		const struct tc_track_row *track = &tracks->tracks[i];
		uint32_t caller = callers->of_process[process_of(tracks, i)];
		if (track->kind != TC_TRACK_LANE && track->slice_count > 0 &&
			caller != TC_INDEX_NONE &&
			track->first_slice_id < callers->items[caller].first_slice_id)
			callers->items[caller].first_slice_id = track->first_slice_id;
	}
}

/* Makes the tables, when the callers are known. */
static void make_tables(struct callers *callers)
{
	size_t count = callers->count, device_count = callers->timeline->device_count;

	if (count < 2)
		return;
	if (device_count > SHARES_MAX_COUNT / count)
		device_count = SHARES_MAX_COUNT / count;
	callers->device_count = device_count;
	callers->pairs = tc_new(callers->ctx, count * count, sizeof(*callers->pairs));
	callers->there = tc_new(callers->ctx, count, sizeof(*callers->there));
	callers->explained =
		tc_new(callers->ctx, device_count * count + 1, sizeof(*callers->explained));
	callers->explained_by_any =
		tc_new(callers->ctx, device_count + 1, sizeof(*callers->explained_by_any));
	callers->owners = tc_new(callers->ctx, device_count + 1, sizeof(*callers->owners));
	for (size_t i = 0; i < device_count && callers->owners; i++)
		callers->owners[i] = TC_INDEX_NONE;
}

static void free_callers(struct callers *callers)
{
	if (!callers)
		return;
	tc_free(callers->of_process);
	tc_free(callers->items);
	tc_free(callers->pairs);
	tc_free(callers->explained);
	tc_free(callers->explained_by_any);
	tc_free(callers->owners);
	tc_free(callers->there);
	tc_free(callers);
}

static struct callers *new_callers(
	struct tc_ctx *ctx, const struct tc_tracks *tracks, const struct tc_timeline *timeline)
{
	struct callers *callers = tc_new(ctx, 1, sizeof(*callers));

	if (!callers)
		return NULL;
	*callers = (struct callers){.ctx = ctx, .tracks = tracks, .timeline = timeline};
	callers->of_process = tc_new(ctx, tracks->process_count + 1, sizeof(*callers->of_process));
	if (callers->of_process)
		find_callers(callers);
	if (!tc_ctx_failed(ctx))
		make_tables(callers);
	if (!tc_ctx_failed(ctx))
		return callers;
	free_callers(callers);
	return NULL;
}

/* ---- calls and work of one id */

static void begin_id(struct callers *callers, int64_t id)
{
	if (id == callers->id)
		return;
	for (size_t i = 0; i < callers->there_count; i++)
		callers->items[callers->there[i]].is_there = false;
	callers->there_count = 0;
	callers->latest = TC_INDEX_NONE;
	callers->id = id;
}

/* Calls come in the order of their starts, so the other began before this one. */
static bool is_within(const struct tc_span *call, const struct caller *other)
{
	int64_t end_ns = tc_span_known_end_ns(call);

	return end_ns <= other->call_end_ns ||
	       (call->ts_ns == other->call_ns && end_ns >= other->call_end_ns);
}

static void compare_calls(struct callers *callers, uint32_t caller, const struct tc_span *call)
{
	for (size_t i = 0; i < callers->there_count; i++) {
		uint32_t other = callers->there[i];
		if (other == caller)
			continue;
		size_t low = other < caller ? other : caller, high = low == other ? caller : other;
		struct pair *pair = &callers->pairs[low * callers->count + high];
		if (is_within(call, &callers->items[other]))
			pair->nested_count++;
		else
			pair->apart_count++;
	}
}

/* Makes a call the one at hand of its process, unless it is part of the one before. */
static void take_call(struct callers *callers, uint32_t caller, const struct tc_span *call)
{
	struct caller *item = &callers->items[caller];

	if (item->is_there && tc_span_known_end_ns(call) <= item->call_end_ns)
		return;
	if (!item->is_there)
		callers->there[callers->there_count++] = caller;
	item->is_there = item->is_open = true;
	item->call_ns = call->ts_ns;
	item->call_end_ns = tc_span_known_end_ns(call);
	item->label = call->label;
	callers->latest = caller;
}

/* How well a call explains work: 0 not at all, 1 if it is not known for launches. */
static int64_t weight_of(
	const struct callers *callers, const struct caller *caller, const struct tc_span *work)
{
	const struct tc_label *call = &callers->timeline->labels[caller->label];
	const struct tc_label *done = &callers->timeline->labels[work->label];

	if (call->mark == TC_MARK_KERNEL_LAUNCH &&
		(done->kind == TC_OP_MEMCPY || done->kind == TC_OP_MEMSET))
		return 0;
	return call->is_launch ? 2 : 1;
}

static void see_call(struct callers *callers, uint32_t caller, const struct tc_span *call)
{
	struct caller *item = &callers->items[caller];

	compare_calls(callers, caller, call);
	take_call(callers, caller, call);
	if (!item->has_calls || call->ts_ns < item->first_ns)
		item->first_ns = call->ts_ns;
	if (!item->has_calls || item->call_end_ns > item->last_ns)
		item->last_ns = item->call_end_ns;
	if (call->slice_id > item->last_slice_id)
		item->last_slice_id = call->slice_id;
	item->has_calls = true;
	item->launch_count += callers->timeline->labels[call->label].is_launch;
}

/* The caller to whose process a lane belongs, or TC_INDEX_NONE. */
static uint32_t caller_of_lane(const struct callers *callers, uint32_t track)
{
	uint32_t caller = callers->of_process[callers->tracks->tracks[track].process];

	return caller != TC_INDEX_NONE && callers->items[caller].has_calls ? caller : TC_INDEX_NONE;
}

static size_t device_of(const struct callers *callers, const struct tc_span *work)
{
	int32_t device = callers->timeline->tracks[work->track].device;

	return device < 0 ? callers->device_count : (size_t)device;
}

static void see_work(struct callers *callers, const struct tc_span *work)
{
	size_t device = device_of(callers, work);
	uint32_t own = caller_of_lane(callers, work->track);
	int64_t most = 0;

	if (device >= callers->device_count)
		return;
	int64_t *explained = &callers->explained[device * callers->count];
	for (size_t i = 0; i < callers->there_count && own == TC_INDEX_NONE; i++) {
		uint32_t caller = callers->there[i];
		int64_t weight = weight_of(callers, &callers->items[caller], work);
		explained[caller] += weight;
		most = weight > most ? weight : most;
	}
	if (own != TC_INDEX_NONE) {
		most = 2;
		explained[own] += most;
	}
	callers->explained_by_any[device] += most;
}

static void see(struct callers *callers, int64_t id, const struct tc_span *span, bool is_work)
{
	uint32_t caller = callers->of_process[process_of(callers->tracks, span->track)];

	if (callers->count < 2)
		return;
	begin_id(callers, id);
	if (is_work)
		see_work(callers, span);
	else if (caller != TC_INDEX_NONE)
		see_call(callers, caller, span);
}

/* ---- whose the devices are */

static void join_callers(struct callers *callers, uint32_t from, uint32_t into)
{
	struct caller *a = &callers->items[into], *b = &callers->items[from];

	for (size_t i = 0; i < callers->count; i++)
		if (callers->items[i].root == from)
			callers->items[i].root = into;
	a->first_ns = b->first_ns < a->first_ns ? b->first_ns : a->first_ns;
	a->last_ns = b->last_ns > a->last_ns ? b->last_ns : a->last_ns;
	a->first_slice_id =
		b->first_slice_id < a->first_slice_id ? b->first_slice_id : a->first_slice_id;
	a->last_slice_id =
		b->last_slice_id > a->last_slice_id ? b->last_slice_id : a->last_slice_id;
	a->launch_count += b->launch_count;
	for (size_t i = 0; i < callers->device_count; i++) {
		int64_t *explained = &callers->explained[i * callers->count];
		if (explained[from] > explained[into])
			explained[into] = explained[from];
	}
}

/* Joins the layers of one process, and marks the callers whose ids others have. */
static void relate_callers(struct callers *callers)
{
	size_t count = callers->count;

	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = a + 1; b < count; b++) {
			const struct pair *pair = &callers->pairs[a * count + b];
			uint32_t x = callers->items[a].root, y = callers->items[b].root;
			if (pair->nested_count > pair->apart_count && x != y)
				join_callers(callers, x < y ? y : x, x < y ? x : y);
		}
	for (size_t a = 0; a < count; a++)
		for (size_t b = a + 1; b < count; b++) {
			struct caller *x = &callers->items[callers->items[a].root];
			struct caller *y = &callers->items[callers->items[b].root];
			if (x != y && callers->pairs[a * count + b].apart_count > 0)
				x->is_alike = y->is_alike = true;
		}
}

static bool is_root(const struct callers *callers, uint32_t caller)
{
	return callers->items[caller].root == caller;
}

/* The caller that explains the work of a device best, of several the only one without a device; or
 * TC_INDEX_NONE. Equally well is within one in a hundred, for work whose call was made before the
 * recording of its process began. */
static uint32_t best_caller(const struct callers *callers, size_t device)
{
	const int64_t *explained = &callers->explained[device * callers->count];
	uint32_t found = TC_INDEX_NONE, idle = TC_INDEX_NONE;
	size_t found_count = 0, idle_count = 0;
	int64_t most = 0;

	for (uint32_t i = 0; i < callers->count; i++)
		if (is_root(callers, i) && explained[i] > most)
			most = explained[i];
	/* Several that each explain a part: they share it. */
	if (most == 0 || most / 2 < callers->explained_by_any[device] / 3)
		return TC_INDEX_NONE;
	for (uint32_t i = 0; i < callers->count; i++) {
		if (!is_root(callers, i) || explained[i] < most - most / 100)
			continue;
		found = i;
		found_count++;
		if (!callers->items[i].has_device) {
			idle = i;
			idle_count++;
		}
	}
	if (found_count == 1)
		return found;
	return idle_count == 1 ? idle : TC_INDEX_NONE;
}

static void find_owners(struct callers *callers)
{
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		for (size_t i = 0; i < callers->device_count; i++) {
			uint32_t best = callers->owners[i] == TC_INDEX_NONE
						? best_caller(callers, i)
						: TC_INDEX_NONE;
			if (best == TC_INDEX_NONE)
				continue;
			callers->owners[i] = best;
			callers->items[best].has_device = has_changed = true;
		}
	}
}

/* A process that launches work must have a device. One without any shares those whose work its
 * calls explain. */
static void find_shared(struct callers *callers)
{
	for (size_t device = 0; device < callers->device_count; device++) {
		const int64_t *explained = &callers->explained[device * callers->count];
		for (uint32_t i = 0; i < callers->count; i++)
			if (is_root(callers, i) && !callers->items[i].has_device &&
				callers->items[i].launch_count > 0 &&
				explained[i] >= callers->items[i].launch_count)
				callers->owners[device] = TC_INDEX_NONE;
	}
}

/* Whether the slices of each process lie together in the file. */
static bool are_concatenated(const struct callers *callers)
{
	for (uint32_t a = 0; a < callers->count; a++)
		for (uint32_t b = 0; b < callers->count; b++) {
			const struct caller *x = &callers->items[a], *y = &callers->items[b];
			if (a != b && is_root(callers, a) && is_root(callers, b) &&
				x->first_slice_id < y->first_slice_id &&
				x->last_slice_id > y->first_slice_id)
				return false;
		}
	return true;
}

static size_t decide(struct callers *callers)
{
	size_t count = 0;

	if (callers->count < 2)
		return 0;
	begin_id(callers, 0);
	relate_callers(callers);
	for (size_t i = 0; i < callers->count; i++)
		count += callers->items[i].is_alike;
	if (count == 0)
		return 0;
	find_owners(callers);
	find_shared(callers);
	callers->is_concatenated = are_concatenated(callers);
	return count;
}

/* ---- spaces */

/* The last process whose slices begin before this one in the file; TC_INDEX_NONE before all. */
static uint32_t by_place(const struct callers *callers, int64_t slice_id)
{
	uint32_t best = TC_INDEX_NONE;

	for (uint32_t i = 0; i < callers->count; i++) {
		const struct caller *item = &callers->items[i];
		if (is_root(callers, i) && item->first_slice_id <= slice_id &&
			(best == TC_INDEX_NONE ||
				item->first_slice_id > callers->items[best].first_slice_id))
			best = i;
	}
	return best;
}

/* Whether a call waits for work that another may do as well: no later recording has begun. */
static bool may_launch(const struct callers *callers, const struct caller *caller)
{
	const struct caller *latest = &callers->items[callers->latest];

	return caller->is_open && (caller == latest || caller->last_ns >= latest->first_ns);
}

/* The only call without work that explains this work best; where all have work, the latest. */
static int64_t by_time(struct callers *callers, const struct tc_span *work)
{
	uint32_t found = callers->latest;
	int64_t most = 0;
	size_t count = 0;

	for (size_t i = 0; i < callers->there_count; i++) {
		const struct caller *item = &callers->items[callers->there[i]];
		int64_t weight = may_launch(callers, item) ? weight_of(callers, item, work) : 0;
		count = weight > most ? 1 : count + (weight > 0 && weight == most);
		if (weight > most) {
			most = weight;
			found = callers->there[i];
		}
	}
	if (count > 1)
		return SPACE_UNKNOWN;
	callers->items[found].is_open = false;
	return found + 1;
}

static int64_t space_of_work(struct callers *callers, const struct tc_span *work)
{
	size_t device = device_of(callers, work);
	uint32_t caller = caller_of_lane(callers, work->track);

	if (caller == TC_INDEX_NONE && device < callers->device_count)
		caller = callers->owners[device];
	if (caller == TC_INDEX_NONE && callers->is_concatenated)
		caller = by_place(callers, work->slice_id);
	if (caller != TC_INDEX_NONE)
		return callers->items[caller].root + 1;
	return callers->there_count > 0 ? by_time(callers, work) : 0;
}

static int64_t space_of(
	struct callers *callers, int64_t id, const struct tc_span *span, bool is_work)
{
	uint32_t caller = callers->of_process[process_of(callers->tracks, span->track)];

	begin_id(callers, id);
	if (is_work)
		return space_of_work(callers, span);
	if (caller == TC_INDEX_NONE)
		return 0;
	caller = callers->items[caller].root;
	take_call(callers, caller, span);
	return caller + 1;
}

/* ---- parting */

/* Slices with a correlation id, and whether they are work; notes of the profiler are neither. */
#define EACH_CORRELATED(sorter, item)                                                              \
	item = tc_sorter_first(sorter);                                                            \
	item;                                                                                      \
	item = tc_sorter_next(sorter)

/* The number of processes whose ids others have, too. */
static size_t count_alike(struct callers *callers, struct tc_sorter *sorter)
{
	const struct tc_correlated *item;

	for (EACH_CORRELATED(sorter, item))
		if (!tc_correlated_is_note(callers->timeline, item))
			see(callers, item->correlation, &item->span,
				tc_correlated_is_work(callers->timeline, item));
	return tc_ctx_failed(callers->ctx) ? 0 : decide(callers);
}

/* The slices with ids of their processes. Counts work that has none. */
static struct tc_sorter *part(
	struct callers *callers, struct tc_sorter *sorter, int64_t *unknown_count)
{
	struct tc_sorter *parted = NULL;
	const struct tc_correlated *item;

	for (EACH_CORRELATED(sorter, item)) {
		struct tc_correlated own = *item;
		int64_t space = 0;
		if (!tc_correlated_is_note(callers->timeline, item))
			space = space_of(callers, item->correlation, &item->span,
				tc_correlated_is_work(callers->timeline, item));
		if (space == SPACE_UNKNOWN) {
			++*unknown_count;
			own.span.method = TC_LAUNCH_TIME;
			space = TC_CALLER_MAX_COUNT + 1;
		}
		if (space > 0)
			own.correlation ^= PROCESS_SPACES | space << TC_CORRELATION_BITS;
		tc_sorter_put(&parted, callers->ctx, &tc_correlated_layout, &own);
	}
	return parted;
}

bool tc_launches_part(struct tc_import_log *log, const struct tc_tracks *tracks,
	struct tc_timeline *timeline, struct tc_sorter **sorter)
{
	struct callers *callers = *sorter ? new_callers(timeline->ctx, tracks, timeline) : NULL;
	size_t count = callers && callers->count > 1 ? count_alike(callers, *sorter) : 0;
	int64_t unknown_count = 0;

	if (count > 0) {
		struct tc_sorter *parted = part(callers, *sorter, &unknown_count);
		tc_sorter_free(*sorter);
		*sorter = parted;
	}
	free_callers(callers);
	timeline->has_unknown_callers |= unknown_count > 0;
	tc_import_log_add_count(log, TC_LOG_ALIKE_IDS, (int64_t)count,
		TC_TEXT("processes that number their calls alike"));
	tc_import_log_add_count(log, TC_LOG_UNKNOWN_CALLER, unknown_count,
		TC_TEXT("device work that calls of several processes may have launched"));
	return count > 0;
}
