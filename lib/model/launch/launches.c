/*
 * Which call launched which device work: by correlation id, by arrows, and for the rest by order
 * and time.
 *
 * By correlation id: the tracer gives a host call and the device work that it launches the same
 * number. Both wait in a sorter until all are there; then each number is joined, before the
 * timeline is sorted, and goes to the timeline. A number may come back (two traces in one file,
 * counters that wrap), and driver calls nest in runtime calls with the same one. So work belongs to
 * the latest call that starts at or before it, the enclosing one of calls that nest; work before
 * all calls of its number (clocks apart) to the first. A number is walked in time order, and only
 * one call and the work before it are held:
 *
 *   calls of 7    [--A--]              [--C--]
 *                   [B]
 *   work of 7  w1        w2    w3              w4     w1, w2, w3 -> A, w4 -> C
 *
 * A copy gives its call a role: cudaMemcpyAsync is an input copy when its device work goes HtoD.
 *
 * By arrow: lanes whose work has no correlation id (rocprof, RPD, profilers of Ascend without the
 * CANN layer), but arrows from the host lead to it. The call is the slice where the arrow starts;
 * of several arrows the one that starts last counts, because its slice is nearest to the device.
 *
 * By order and time: matching.c. This work and that of arrows is read once more when the timeline
 * is sorted; what is found is kept beside the slices in the timeline (tc_cursor_link()).
 */
#include "model/launch/launches.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/strtab.h"
#include "core/limits.h"
#include "model/launch/matching.h"

/*
 * ---- work that was launched before the recording began
 *
 * Work without a call in the trace was either launched before the recording, or its call was not
 * recorded. Tracers count ids up, and a lane runs what it is given in order. So work was launched
 * before the recording
 *  - if its id is below that of every call and its lane runs nothing before it that was launched in
 *    the recording;
 *  - if its id is no evidence and its lane runs nothing before it that was launched in the
 *    recording, but something after it;
 *  - on a lane where no launch is known, if its id is no evidence and it starts before the first
 *    call.
 * Where no work at all has its call in the trace, nothing is known.
 */

/* Ids that fill more spaces than any job has ranks are not counted up, and are no evidence. */
enum { SPACE_MAX_COUNT = 1 << 14 };

struct first_launch {
	bool is_there;
	int64_t ts_ns; /* of the first work with a call */
};

struct recording {
	struct tc_ctx *ctx;      /* borrowed */
	struct tc_strtab spaces; /* in which ids are counted: of a rank, of a library */
	int64_t *lowest;         /* id of a call, by space */
	size_t capacity;
	int64_t space; /* the latest one, and its number */
	uint32_t number;
	struct first_launch *lanes; /* by track */
	size_t lane_count, lane_capacity;
	bool has_launched; /* a call of some work is in the trace */
	int64_t first_ns;  /* and this is the start of the first such call */
};

static struct tc_text text_of_space(const int64_t *space)
{
	return (struct tc_text){(const char *)space, sizeof(*space)};
}

/* Adds the id of a call. */
static void add_call_id(struct recording *recording, int64_t correlation)
{
	int64_t space = correlation >> TC_CORRELATION_BITS;
	struct tc_text text = text_of_space(&space);
	size_t count = recording->spaces.count;

	if (count == 0 || space != recording->space) {
		if (!TC_ROOM(recording->ctx, recording->lowest, recording->capacity, count + 1))
			return;
		uint32_t number = count < SPACE_MAX_COUNT
					  ? tc_strtab_intern(&recording->spaces, text)
					  : tc_strtab_find(&recording->spaces, text);
		if (number == TC_STRTAB_NONE)
			return;
		recording->number = number;
		recording->space = space;
	}
	if (recording->number == count || correlation < recording->lowest[recording->number])
		recording->lowest[recording->number] = correlation;
}

/* The first launch of a lane, NULL when none is known. */
static const struct first_launch *first_launch(const struct recording *recording, uint32_t track)
{
	return track < recording->lane_count && recording->lanes[track].is_there
		       ? &recording->lanes[track]
		       : NULL;
}

/* Adds work whose call is in the trace, or to which an arrow leads: ts_ns is its start. */
static void add_launch(struct recording *recording, uint32_t track, int64_t ts_ns, int64_t call_ns)
{
	const struct first_launch *first = first_launch(recording, track);

	while (recording->lane_count <= track)
		if (!TC_PUSH(recording->ctx, recording->lanes, recording->lane_count,
			    recording->lane_capacity, (struct first_launch){0}))
			return;
	if (!first || ts_ns < recording->lanes[track].ts_ns)
		recording->lanes[track] = (struct first_launch){true, ts_ns};
	if (!recording->has_launched || call_ns < recording->first_ns)
		recording->first_ns = call_ns;
	recording->has_launched = true;
}

/*
 * The launch of work without a call by its id: BEFORE when it is below that of every call; TIME
 * when it is not, so that its call was made in the recording and is missing; UNKNOWN when it is no
 * evidence. Asked for in ascending order of ids: on a lane with work of a lower id the order of the
 * lane decides.
 */
static enum tc_launch_method method_by_id(
	const struct recording *recording, uint32_t track, int64_t correlation)
{
	int64_t space = correlation >> TC_CORRELATION_BITS;
	uint32_t number = tc_strtab_find(&recording->spaces, text_of_space(&space));

	if (number == TC_STRTAB_NONE)
		return TC_LAUNCH_UNKNOWN;
	if (correlation < recording->lowest[number])
		return TC_LAUNCH_BEFORE;
	return first_launch(recording, track) ? TC_LAUNCH_UNKNOWN : TC_LAUNCH_TIME;
}

/* Whether work without a call in the trace was launched before the recording. */
static bool was_launched_before(const struct recording *recording, const struct tc_span *work)
{
	const struct first_launch *first = first_launch(recording, work->track);

	if (!recording->has_launched || work->method == TC_LAUNCH_TIME)
		return false;
	if (first)
		return work->ts_ns < first->ts_ns;
	return work->method == TC_LAUNCH_BEFORE || work->ts_ns < recording->first_ns;
}

enum { SORT_BYTES = 2 * 1024 * 1024 };

/*
 * ---- links: rows of device_link
 *
 * Runs of slices that follow each other in the file and share launch and step, because one launch
 * of a graph starts thousands of operations.
 *
 * Operations come in time order or in the order of their launches, while files have them lane by
 * lane or nearly in time order. So the slices of the latest few launches are marked in bit sets,
 * and the runs are read from a set when another launch needs its place:
 *
 *   slices 7 5 8 6 of launch 3, 9 of launch 4, 12 of launch 3
 *   sets   launch 3: bits 5 6 7 8 12    launch 4: bit 9
 *   rows   5-8 launch 3, 9 launch 4, 12 launch 3
 *
 * A launch whose set was given up and that comes again gets a new one; the sorter brings its runs
 * together, and those that touch are joined when they are emitted.
 */

enum {
	GROUP_COUNT = 4, /* launches whose work may alternate */
	GROUP_BITS = 64 * 1024,
	WORD_BITS = 64,
};

struct run {
	int64_t first_slice_id, last_slice_id;
	int64_t launch_slice_id;
	int32_t step;
	enum tc_launch_method method;
};

/* Slices of one launch and step; bit i of the set is slice base_id + i. */
struct link_group {
	struct run key; /* its slice ids do not count */
	int64_t base_id;
	size_t low, high; /* words with bits are in [low, high) */
	uint64_t words[GROUP_BITS / WORD_BITS];
};

/* All zero but for the context is an empty one. */
struct links {
	struct tc_ctx *ctx; /* borrowed */
	struct tc_sorter *sorter;
	struct link_group *groups; /* slices that are not yet in the sorter */
	size_t latest;             /* of groups */
};

TC_ORDER(compare_runs, struct run, TC_UP(first_slice_id));

static bool same_link(const struct run *a, const struct run *b)
{
	return a->launch_slice_id == b->launch_slice_id && a->step == b->step &&
	       a->method == b->method;
}

/* The length of the run of set bits in words that starts at bit at; limit is the end of words. */
static size_t run_length(const uint64_t *words, size_t at, size_t limit)
{
	size_t end = at;

	while (end < limit && words[end / WORD_BITS] >> (end % WORD_BITS) & 1)
		end++;
	return end - at;
}

/* Hands the runs of a group to the sorter and empties it. */
static void flush_group(struct links *links, struct link_group *group)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct run), SORT_BYTES, compare_runs};
	size_t limit = group->high * WORD_BITS;

	for (size_t word = group->low; word < group->high; word++) {
		while (group->words[word] != 0) {
			size_t bit = (size_t)__builtin_ctzll(group->words[word]);
			size_t at = word * WORD_BITS + bit;
			size_t count = run_length(group->words, at, limit);
			struct run run = group->key;
			run.first_slice_id = group->base_id + (int64_t)at;
			run.last_slice_id = run.first_slice_id + (int64_t)count - 1;
			tc_sorter_put(&links->sorter, links->ctx, &layout, &run);
			for (size_t i = at; i < at + count; i++)
				group->words[i / WORD_BITS] &= ~(UINT64_C(1) << (i % WORD_BITS));
		}
	}
	group->low = group->high = 0;
}

static bool holds(const struct link_group *group, const struct run *link)
{
	return group->low < group->high && same_link(&group->key, link) &&
	       link->first_slice_id >= group->base_id &&
	       link->first_slice_id - group->base_id < GROUP_BITS;
}

/* The group of a link. A new one takes the place of the oldest. */
static struct link_group *find_group(struct links *links, const struct run *link)
{
	struct link_group *group;

	for (size_t i = 0; i < GROUP_COUNT; i++) {
		group = &links->groups[(links->latest + i) % GROUP_COUNT];
		if (holds(group, link))
			return group;
	}
	links->latest = (links->latest + GROUP_COUNT - 1) % GROUP_COUNT;
	group = &links->groups[links->latest];
	flush_group(links, group);
	group->key = *link;
	group->base_id = link->first_slice_id - GROUP_BITS / 2;
	group->low = group->high = GROUP_BITS / 2 / WORD_BITS;
	return group;
}

static void add_link(struct links *links, const struct tc_span *span)
{
	const struct run link = {span->slice_id, span->slice_id, span->launch_slice_id, span->step,
		(enum tc_launch_method)span->method};

	if (link.launch_slice_id == TC_NO_ID && link.step < 0 && link.method != TC_LAUNCH_BEFORE)
		return;
	if (!links->groups)
		links->groups = tc_new(links->ctx, GROUP_COUNT, sizeof(*links->groups));
	if (!links->groups)
		return;
	struct link_group *group = find_group(links, &link);
	size_t bit = (size_t)(span->slice_id - group->base_id), word = bit / WORD_BITS;
	group->words[word] |= UINT64_C(1) << (bit % WORD_BITS);
	group->low = word < group->low ? word : group->low;
	group->high = word >= group->high ? word + 1 : group->high;
}

static void clear_links(struct links *links)
{
	tc_sorter_free(links->sorter);
	tc_free(links->groups);
}

/* NULL where it is not known. */
static const char *method_name(enum tc_launch_method method)
{
	static const char *const names[] = {
		[TC_LAUNCH_UNKNOWN] = NULL,
		[TC_LAUNCH_CORRELATION] = "correlation",
		[TC_LAUNCH_FLOW] = "flow",
		[TC_LAUNCH_RECIPE] = "recipe",
		[TC_LAUNCH_ORDER] = "order",
		[TC_LAUNCH_EXTERNAL_ID] = "external_id",
		[TC_LAUNCH_TIME] = "time",
		[TC_LAUNCH_BEFORE] = "before_recording",
	};

	return names[method];
}

static void emit_run(
	const struct run *run, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	struct tc_link_row *row = tc_row_sink_link(sink);

	if (!row)
		return;
	row->first_slice_id = run->first_slice_id;
	row->last_slice_id = run->last_slice_id;
	row->launch_slice_id = run->launch_slice_id == TC_NO_ID ? INT64_MIN : run->launch_slice_id;
	row->step_id = run->step < 0 ? INT64_MIN : timeline->steps[run->step].id;
	row->method = method_name(run->method);
	tc_row_sink_flush(sink, false);
}

static void emit_links(
	struct links *links, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	const struct run *next;
	struct run run = {.last_slice_id = TC_NO_ID}; /* not yet emitted; TC_NO_ID: none */

	for (size_t i = 0; i < GROUP_COUNT && links->groups; i++)
		flush_group(links, &links->groups[i]);
	for (next = tc_sorter_first(links->sorter); next; next = tc_sorter_next(links->sorter)) {
		if (run.last_slice_id != TC_NO_ID &&
			next->first_slice_id == run.last_slice_id + 1 && same_link(&run, next)) {
			run.last_slice_id = next->last_slice_id;
			continue;
		}
		if (run.last_slice_id != TC_NO_ID)
			emit_run(&run, timeline, sink);
		run = *next;
	}
	if (run.last_slice_id != TC_NO_ID && !tc_ctx_failed(links->ctx))
		emit_run(&run, timeline, sink);
}

/* ---- all launches */

struct tc_launches {
	struct tc_ctx *ctx; /* borrowed, as the next four */
	struct tc_import_log *log;
	const struct tc_tracks *tracks;
	struct tc_timeline *timeline;
	struct tc_flows *flows;
	struct recording recording;
	struct tc_sorter *correlated; /* slices with a correlation id */
	struct tc_sorter *calls;      /* that launch or copy, of runtimes without such ids */
	struct links links;           /* of work whose launch is known */
};

/* ---- by correlation id */

bool tc_launches_add(struct tc_launches *launches, const struct tc_span *span, int64_t id,
	const struct tc_label *label)
{
	bool is_device = label->engine != TC_ENGINE_NONE;
	const struct tc_correlated record = {id, *span, is_device};

	if (id == TC_CORRELATION_NONE) {
		/* A call of a runtime without correlation ids. */
		if (label->call_class != TC_CALL_NONE)
			tc_matcher_add_call(&launches->calls, launches->ctx, span,
				(enum tc_call_class)label->call_class);
		return false;
	}
	if (!is_device && !label->is_note)
		add_call_id(&launches->recording, id);
	tc_sorter_put(&launches->correlated, launches->ctx, &tc_correlated_layout, &record);
	return true;
}

/* Events of one number, in time order. */
struct group {
	struct tc_launches *launches;
	int64_t id;
	bool has_call;
	struct tc_span call;   /* of the work that follows */
	struct tc_span *early; /* work before the first call */
	size_t early_count, early_capacity;
	struct tc_graph_run run; /* of the work of the call, if it launches a graph */
	int64_t run_count;       /* operations in it */
	int64_t given_up_count;  /* work before the first call beyond the limit */
};

static enum tc_role role_of_copy(const struct tc_label *label)
{
	if (label->kind != TC_OP_MEMCPY)
		return TC_ROLE_NONE;
	if (label->direction == TC_DIRECTION_HTOD)
		return TC_ROLE_INPUT_COPY;
	return label->direction == TC_DIRECTION_DTOH ? TC_ROLE_OUTPUT_COPY : TC_ROLE_NONE;
}

/* Whether a call that waits for copies from and to the host only hands this one over, as those from
 * device to device. */
static bool is_early_return(
	const struct tc_timeline *timeline, const struct tc_span *call, const struct tc_span *work)
{
	return timeline->labels[call->label].mark == TC_MARK_BLOCKING_COPY &&
	       tc_span_known_end_ns(work) > tc_span_known_end_ns(call);
}

/* Extends the run of a graph by an operation. A run is of one device, that of the first
 * operation. */
static void widen_run(struct group *group, const struct tc_span *work)
{
	const struct tc_timeline *timeline = group->launches->timeline;
	int64_t device = timeline->tracks[work->track].device;
	int64_t end_ns = tc_span_known_end_ns(work);

	if (timeline->labels[group->call.label].mark != TC_MARK_GRAPH_LAUNCH || device < 0 ||
		work->dur_ns < 0 || tc_span_engine(timeline, work) == TC_ENGINE_OTHER)
		return;
	if (group->run_count == 0)
		group->run = (struct tc_graph_run){work->ts_ns, end_ns, device};
	if (group->run.device != device)
		return;
	group->run_count++;
	if (work->ts_ns < group->run.start_ns)
		group->run.start_ns = work->ts_ns;
	if (end_ns > group->run.end_ns)
		group->run.end_ns = end_ns;
}

static void end_run(struct group *group)
{
	if (group->run_count > 1)
		tc_timeline_add_graph_run(group->launches->timeline, &group->run);
	group->run_count = 0;
}

static void add_span(const struct group *group, const struct tc_span *span)
{
	tc_spans_add(group->launches->timeline->spans, span);
}

/* Joins work with the call at hand. */
static void join(struct group *group, const struct tc_span *work)
{
	struct tc_launches *launches = group->launches;
	const struct tc_timeline *timeline = launches->timeline;
	const struct tc_label *label = &timeline->labels[work->label];
	struct tc_span *call = &group->call, joined = *work;
	enum tc_role role = role_of_copy(label);

	if (role == TC_ROLE_NONE && call->role == TC_ROLE_NONE &&
		is_early_return(timeline, call, work))
		role = TC_ROLE_LAUNCH;
	if (role != TC_ROLE_NONE)
		call->role = (uint8_t)role;
	joined.launch_slice_id = call->slice_id;
	joined.launch_ts_ns = call->ts_ns;
	joined.launch_end_ns = tc_span_known_end_ns(call);
	joined.launch_label = call->label;
	joined.method =
		tc_is_external_id(group->id) ? TC_LAUNCH_EXTERNAL_ID : TC_LAUNCH_CORRELATION;
	joined.step = tc_timeline_step_at(timeline, call->ts_ns);
	add_launch(&launches->recording, work->track, work->ts_ns, call->ts_ns);
	widen_run(group, work);
	if (work->ts_ns < call->ts_ns)
		tc_import_log_add_one(launches->log, TC_LOG_CLOCK_SKEW, -1, tc_label_name(label));
	add_link(&launches->links, &joined);
	tc_timeline_note_work(launches->timeline, &joined);
	add_span(group, &joined);
}

/* Holds work before the first call of its number, or gives its launch up. */
static void hold_early(struct group *group, const struct tc_span *work)
{
	if (group->early_count < TC_EARLY_MAX_COUNT) {
		TC_PUSH(group->launches->ctx, group->early, group->early_count,
			group->early_capacity, *work);
		return;
	}
	group->given_up_count++;
	add_span(group, work);
}

static void first_call(struct group *group, const struct tc_span *call)
{
	group->has_call = true;
	group->call = *call;
	for (size_t i = 0; i < group->early_count; i++)
		join(group, &group->early[i]);
	group->early_count = 0;
	tc_import_log_add_count(group->launches->log, TC_LOG_LAUNCH_LIMIT, group->given_up_count,
		TC_TEXT("device work before the call of its correlation id"));
}

/* A call that ends later takes the place of the one at hand; one without an end makes room for the
 * next one. Calls that share the number of their operator leave open which of them launched what.
 */
static void on_call(struct group *group, const struct tc_span *call)
{
	if (group->has_call && tc_is_external_id(group->id))
		group->launches->timeline->has_unknown_callers = true;
	if (!group->has_call) {
		first_call(group, call);
	} else if (tc_span_known_end_ns(call) > tc_span_known_end_ns(&group->call)) {
		end_run(group);
		add_span(group, &group->call);
		group->call = *call;
	} else {
		add_span(group, call);
	}
}

/* The call goes to the timeline when all of its device work was seen. */
static void end_group(struct group *group)
{
	if (group->has_call) {
		end_run(group);
		add_span(group, &group->call);
	}
	for (size_t i = 0; i < group->early_count; i++) {
		struct tc_span *work = &group->early[i];
		if (work->method == TC_LAUNCH_UNKNOWN)
			work->method = (uint8_t)method_by_id(
				&group->launches->recording, work->track, group->id);
		add_span(group, work);
	}
	group->has_call = false;
	group->early_count = 0;
	group->given_up_count = 0;
}

/* The lowest id of the calls in each space, when the spaces have changed. */
static void count_call_ids(struct tc_launches *launches)
{
	const struct tc_correlated *item;

	tc_strtab_clear(&launches->recording.spaces);
	launches->recording.spaces.ctx = launches->ctx;
	for (item = tc_sorter_first(launches->correlated); item;
		item = tc_sorter_next(launches->correlated))
		if (!tc_correlated_is_work(launches->timeline, item))
			add_call_id(&launches->recording, item->correlation);
}

void tc_launches_join(struct tc_launches *launches)
{
	struct tc_timeline *timeline = launches->timeline;
	struct group group = {.launches = launches};
	const struct tc_correlated *item;

	if (tc_launches_part(launches->log, launches->tracks, timeline, &launches->correlated))
		count_call_ids(launches);
	for (item = tc_sorter_first(launches->correlated); item;
		item = tc_sorter_next(launches->correlated)) {
		if (tc_correlated_is_note(timeline, item)) {
			add_span(&group, &item->span);
			continue;
		}
		if (item->correlation != group.id)
			end_group(&group);
		group.id = item->correlation;
		if (!tc_correlated_is_work(timeline, item))
			on_call(&group, &item->span);
		else if (group.has_call)
			join(&group, &item->span);
		else
			hold_early(&group, &item->span);
	}
	end_group(&group);
	tc_free(group.early);
}

/* ---- by arrow */

/* An arrow to a slice of a lane. */
struct arrow {
	int64_t to, from;      /* slice ids */
	int64_t ts_ns, end_ns; /* of from */
	uint32_t label;        /* of from */
};

struct arrows {
	struct tc_launches *launches;
	struct arrow *rows;
	size_t count, capacity;
	int64_t over_count; /* beyond the limit */
};

/* Lanes with correlation ids or recipes have better evidence than arrows. */
static bool needs_arrows(const struct tc_tracks *tracks, uint32_t track)
{
	const struct tc_track_row *row = &tracks->tracks[track];

	return row->kind == TC_TRACK_LANE && row->has_flow_end && !row->has_correlation &&
	       !tc_engine_is_gaudi(row->engine) &&
	       (row->engine != TC_ENGINE_NONE || row->has_device_work);
}

static bool any_needs_arrows(const struct tc_tracks *tracks)
{
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (needs_arrows(tracks, i))
			return true;
	return false;
}

static void collect(void *user, const struct tc_flow_point *from, const struct tc_flow_point *to)
{
	struct arrows *arrows = user;
	struct tc_launches *launches = arrows->launches;

	if (to->is_v2 || launches->tracks->tracks[from->track].kind != TC_TRACK_THREAD ||
		!needs_arrows(launches->tracks, to->track))
		return;
	if (arrows->count >= TC_CALL_MAX_COUNT) {
		arrows->over_count++;
		return;
	}
	add_launch(&launches->recording, to->track, to->ts_ns, from->ts_ns);
	TC_PUSH(launches->ctx, arrows->rows, arrows->count, arrows->capacity,
		(struct arrow){.to = to->slice_id, .from = from->slice_id});
}

TC_ORDER(compare_from, struct arrow, TC_UP(from) TC_UP(to));

/* The last one to start comes first among arrows to one slice. */
TC_ORDER(compare_to, struct arrow, TC_UP(to) TC_DOWN(ts_ns) TC_DOWN(from));

/* The first row whose slice to, or from, is not below slice_id. */
static size_t first_of(const struct arrows *arrows, int64_t slice_id, bool by_to)
{
	const struct arrow *rows = arrows->rows;
	size_t at;

	TC_BISECT(at, arrows->count, (by_to ? rows[at].to : rows[at].from) < slice_id);
	return at;
}

/* Sets the times of the arrows that start on one host track. */
static void read_times(struct arrows *arrows, uint32_t track)
{
	struct tc_cursor *cursor = tc_cursor_open(arrows->launches->timeline->spans, &track, 1);
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor))) {
		for (size_t i = first_of(arrows, span->slice_id, false);
			i < arrows->count && arrows->rows[i].from == span->slice_id; i++) {
			arrows->rows[i].ts_ns = span->ts_ns;
			arrows->rows[i].end_ns = tc_span_known_end_ns(span);
			arrows->rows[i].label = span->label;
		}
	}
	tc_cursor_close(cursor);
}

/* Keeps the first row of every slice that arrows lead to. */
static void keep_nearest(struct arrows *arrows)
{
	size_t count = 0;

	for (size_t i = 0; i < arrows->count; i++)
		if (count == 0 || arrows->rows[count - 1].to != arrows->rows[i].to)
			arrows->rows[count++] = arrows->rows[i];
	arrows->count = count;
}

/* Finds the arrows, if a lane needs some: binds the points of flows, and takes the work that arrows
 * lead to as launched in the recording. */
static void find_arrows(struct arrows *arrows)
{
	const struct tc_launches *launches = arrows->launches;
	const struct tc_tracks *tracks = launches->tracks;

	if (!launches->flows->points || !any_needs_arrows(tracks))
		return;
	tc_flows_bind_each(launches->flows, launches->timeline, collect, arrows);
	if (arrows->count == 0)
		return;
	TC_SORT(arrows->rows, arrows->count, compare_from);
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (tracks->tracks[i].kind == TC_TRACK_THREAD)
			read_times(arrows, i);
	TC_SORT(arrows->rows, arrows->count, compare_to);
	keep_nearest(arrows);
	tc_import_log_add_count(launches->log, TC_LOG_LAUNCH_LIMIT, arrows->over_count,
		TC_TEXT("flows from launch calls to device work"));
}

/* The arrow to a slice, NULL when there is none. */
static const struct arrow *arrow_to(const struct arrows *arrows, int64_t slice_id)
{
	size_t at = first_of(arrows, slice_id, true);

	return at < arrows->count && arrows->rows[at].to == slice_id ? &arrows->rows[at] : NULL;
}

/* ---- work without a correlation id */

struct resolver {
	struct tc_launches *launches;
	struct arrows arrows;
	struct tc_matcher *matcher;
	/* The lanes of every device together, those of device d from starts[d] to starts[d + 1]. */
	uint32_t *lanes;
	size_t *starts;
};

/* False when no arrow leads to the operation. */
static bool follow_arrow(const struct resolver *resolver, struct tc_span *span)
{
	const struct arrow *arrow = arrow_to(&resolver->arrows, span->slice_id);

	if (!arrow)
		return false;
	span->launch_slice_id = arrow->from;
	span->launch_ts_ns = arrow->ts_ns;
	span->launch_end_ns = arrow->end_ns;
	span->launch_label = arrow->label;
	span->method = TC_LAUNCH_FLOW;
	span->step = tc_timeline_step_at(resolver->launches->timeline, arrow->ts_ns);
	return true;
}

/* Sets call and step of one operation to those of the match. */
static void take_match(
	const struct resolver *resolver, struct tc_span *span, const struct tc_match *match)
{
	enum tc_launch_method method = match->method;

	if (method == TC_LAUNCH_UNKNOWN)
		method = was_launched_before(&resolver->launches->recording, span)
				 ? TC_LAUNCH_BEFORE
				 : TC_LAUNCH_TIME;
	span->method = (uint8_t)method;
	if (method == TC_LAUNCH_BEFORE)
		return;
	if (match->call) {
		span->launch_slice_id = match->call->slice_id;
		span->launch_ts_ns = match->call->begin_ns;
		span->launch_end_ns = match->call->end_ns;
		span->launch_label = match->call->label;
	}
	span->step = tc_timeline_step_at(resolver->launches->timeline, match->step_ns);
}

static void resolve_op(const struct resolver *resolver, struct tc_span *span)
{
	if (span->launch_slice_id != TC_NO_ID ||
		tc_span_engine(resolver->launches->timeline, span) == TC_ENGINE_NONE)
		return;
	const struct tc_match match = tc_matcher_find(resolver->matcher, span);
	if (!follow_arrow(resolver, span))
		take_match(resolver, span, &match);
	add_link(&resolver->launches->links, span);
	tc_timeline_note_work(resolver->launches->timeline, span);
}

static void resolve_lanes(const struct resolver *resolver, const uint32_t *lanes, size_t lane_count)
{
	struct tc_cursor *cursor =
		tc_cursor_open(resolver->launches->timeline->spans, lanes, lane_count);
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor))) {
		struct tc_span linked = *span;
		resolve_op(resolver, &linked);
		tc_cursor_link(cursor, &linked);
	}
	tc_cursor_close(cursor);
}

/* Puts the lanes with work without a launch first; returns how many they are. */
static size_t unlaunched_first(const struct tc_spans *spans, uint32_t *lanes, size_t lane_count)
{
	size_t count = 0;

	for (size_t i = 0; i < lane_count; i++)
		if (tc_spans_has_unlaunched(spans, lanes[i])) {
			uint32_t lane = lanes[i];
			lanes[i] = lanes[count];
			lanes[count++] = lane;
		}
	return count;
}

static void resolve_device(const struct resolver *resolver, size_t device)
{
	uint32_t *lanes = resolver->lanes + resolver->starts[device];
	size_t lane_count = resolver->starts[device + 1] - resolver->starts[device];
	size_t count = unlaunched_first(resolver->launches->timeline->spans, lanes, lane_count);

	if (count == 0)
		return;
	tc_matcher_read(resolver->matcher, device, lanes, count);
	if (!tc_ctx_failed(resolver->launches->ctx))
		resolve_lanes(resolver, lanes, count);
}

static void group_lanes(struct resolver *resolver)
{
	const struct tc_tracks *tracks = resolver->launches->tracks;
	size_t device_count = resolver->launches->timeline->device_count;
	size_t *starts = resolver->starts =
		tc_new(resolver->launches->ctx, device_count + 2, sizeof(*starts));

	resolver->lanes =
		tc_new(resolver->launches->ctx, tracks->track_count, sizeof(*resolver->lanes));
	if (!resolver->lanes || !starts)
		return;
	/* Counted two places up: filling moves every start to its place. */
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (tracks->tracks[i].kind == TC_TRACK_LANE)
			starts[tracks->tracks[i].device_index + 2]++;
	for (size_t d = 2; d < device_count + 2; d++)
		starts[d] += starts[d - 1];
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (tracks->tracks[i].kind == TC_TRACK_LANE)
			resolver->lanes[starts[tracks->tracks[i].device_index + 1]++] = i;
}

void tc_launches_resolve(struct tc_launches *launches)
{
	struct tc_timeline *timeline = launches->timeline;
	struct resolver resolver = {.launches = launches, .arrows.launches = launches};

	find_arrows(&resolver.arrows);
	resolver.matcher = tc_matcher_open(timeline, launches->calls);
	group_lanes(&resolver);
	for (size_t i = 0; i < timeline->device_count && !tc_ctx_failed(launches->ctx); i++)
		resolve_device(&resolver, i);
	tc_import_log_add_count(launches->log, TC_LOG_LAUNCH_LIMIT,
		tc_matcher_close(resolver.matcher),
		TC_TEXT("launch calls and executions of recipes"));
	tc_spans_linked(timeline->spans);
	tc_free(resolver.arrows.rows);
	tc_free(resolver.lanes);
	tc_free(resolver.starts);
}

/* ---- life */

struct tc_launches *tc_launches_new(struct tc_ctx *ctx, struct tc_import_log *log,
	const struct tc_tracks *tracks, struct tc_timeline *timeline, struct tc_flows *flows)
{
	struct tc_launches *launches = tc_new(ctx, 1, sizeof(*launches));

	if (!launches)
		return NULL;
	*launches = (struct tc_launches){.ctx = ctx,
		.log = log,
		.tracks = tracks,
		.timeline = timeline,
		.flows = flows,
		.recording = {.ctx = ctx, .spaces.ctx = ctx},
		.links.ctx = ctx};
	return launches;
}

void tc_launches_free(struct tc_launches *launches)
{
	if (!launches)
		return;
	tc_strtab_clear(&launches->recording.spaces);
	tc_free(launches->recording.lowest);
	tc_free(launches->recording.lanes);
	tc_sorter_free(launches->correlated);
	tc_sorter_free(launches->calls);
	clear_links(&launches->links);
	tc_free(launches);
}

void tc_launches_emit(struct tc_launches *launches, struct tc_row_sink *sink)
{
	emit_links(&launches->links, launches->timeline, sink);
}
