/*
 * The timeline of one trace: its tables, the questions that the tables answer about a slice, and
 * which slices of a track are open. The slices themselves are in spans.c.
 *
 * Tables only grow while the model fills them, and texts in them are borrowed. After
 * tc_timeline_sort() nothing changes but the launches of slices, so threads may read at once.
 */
#include "model/timeline/timeline.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/hash.h"
#include "core/limits.h"
#include "core/saturate.h"

/* Waits are few, and those of a thread are in time order. */
enum { WAIT_SORT_BYTES = 256 * 1024 };

TC_ORDER(compare_waits, struct tc_wait, TC_UP(start_ns) TC_UP(slice_id));

struct tc_timeline *tc_timeline_new(struct tc_ctx *ctx, int64_t trace_id)
{
	struct tc_timeline *timeline = tc_new(ctx, 1, sizeof(*timeline));

	if (!timeline)
		return NULL;
	timeline->ctx = timeline->texts.ctx = timeline->device_names.ctx = ctx;
	timeline->works.keys.ctx = ctx;
	timeline->works.latest = TC_STRTAB_NONE;
	timeline->trace_id = trace_id;
	timeline->start_ns = INT64_MAX;
	timeline->end_ns = timeline->before_end_ns = timeline->steps_from_ns = INT64_MIN;
	timeline->part_from_ns = INT64_MIN;
	timeline->steps_until_ns = INT64_MAX;
	timeline->spans = tc_spans_new(ctx);
	if (timeline->spans)
		return timeline;
	tc_timeline_free(timeline);
	return NULL;
}

void tc_timeline_free(struct tc_timeline *timeline)
{
	if (!timeline)
		return;
	tc_spans_free(timeline->spans);
	tc_sorter_free(timeline->waits);
	tc_sorter_free(timeline->memory);
	tc_sorter_free(timeline->graph_runs);
	tc_strtab_clear(&timeline->texts);
	tc_strtab_clear(&timeline->device_names);
	tc_strtab_clear(&timeline->works.keys);
	tc_free(timeline->works.rows);
	tc_free(timeline->frames);
	tc_free(timeline->stacks);
	tc_free(timeline->labels);
	tc_free(timeline->tracks);
	tc_free(timeline->devices);
	tc_free(timeline->steps);
	tc_free(timeline->batch_copies);
	tc_free(timeline);
}

static int64_t clamp_time(int64_t time_ns)
{
	return time_ns > TC_TIME_MAX_NS    ? TC_TIME_MAX_NS
	       : time_ns < -TC_TIME_MAX_NS ? -TC_TIME_MAX_NS
					   : time_ns;
}

void tc_timeline_add_wait(struct tc_timeline *timeline, const struct tc_span *span)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct tc_wait), WAIT_SORT_BYTES, compare_waits};
	const struct tc_wait wait = {.start_ns = clamp_time(span->ts_ns),
		.end_ns = clamp_time(clamp_time(span->ts_ns) + span->dur_ns),
		.slice_id = span->slice_id};

	if (span->dur_ns >= 0)
		tc_sorter_put(&timeline->waits, timeline->ctx, &layout, &wait);
}

TC_ORDER(compare_graph_runs, struct tc_graph_run, TC_UP(start_ns) TC_UP(device) TC_UP(end_ns));

void tc_timeline_add_graph_run(struct tc_timeline *timeline, const struct tc_graph_run *run)
{
	static const struct tc_sorter_layout layout = {
		sizeof(*run), WAIT_SORT_BYTES, compare_graph_runs};

	tc_sorter_put(&timeline->graph_runs, timeline->ctx, &layout, run);
}

TC_ORDER_OF_POINTERS(compare_names, struct tc_track, TC_UP(kind) TC_UP_TEXT(name) TC_UP(device));

/* The place of every track among equal slices, which the caller frees; NULL without memory. It is a
 * matter of the tracks' names: neither of the order in the file nor of the numbers that it gives.
 */
static uint32_t *place_tracks(const struct tc_timeline *timeline)
{
	size_t count = timeline->track_count;
	const struct tc_track **tracks = tc_malloc(count * sizeof(*tracks));
	uint32_t *places = tc_calloc(count, sizeof(*places)), place = 0;

	if (!tracks || !places) {
		tc_no_memory(timeline->ctx);
		count = 0;
	}
	for (size_t i = 0; i < count; i++)
		tracks[i] = &timeline->tracks[i];
	TC_SORT(tracks, count, compare_names);
	for (size_t i = 0; i < count; i++) {
		place += i > 0 && compare_names(&tracks[i - 1], &tracks[i]) != 0;
		places[tracks[i] - timeline->tracks] = place;
	}
	tc_free(tracks);
	return places;
}

#define TAIL_PCT 2 /* of the slices of a file: those of its end; our own default */

/* The last work of devices: in the file, when that starts, and in time. */
struct last_work {
	int64_t slice_id, start_ns, end_ns;
};

static int64_t start_of(const struct tc_timeline *timeline, uint32_t track, int64_t slice_id)
{
	struct tc_cursor *cursor = tc_cursor_open(timeline->spans, &track, 1);
	int64_t start_ns = INT64_MIN;

	for (const struct tc_span *span; cursor && (span = tc_cursor_next(cursor));)
		if (span->slice_id == slice_id)
			start_ns = span->ts_ns;
	tc_cursor_close(cursor);
	return start_ns;
}

static struct last_work find_last_work(const struct tc_timeline *timeline)
{
	struct last_work last = {TC_NO_ID, INT64_MIN, INT64_MIN};
	size_t of = 0;

	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		size_t count;
		const struct tc_spans_range *ranges =
			tc_spans_ranges(&count, timeline->spans, (uint32_t)i);
		if (track->kind != TC_TRACK_LANE || track->slice_count == 0)
			continue;
		if (track->last_slice_id > last.slice_id) {
			last.slice_id = track->last_slice_id;
			of = i;
		}
		for (size_t k = 0; k < count; k++)
			if (ranges[k].last_ns > last.end_ns)
				last.end_ns = ranges[k].last_ns;
	}
	if (last.slice_id != TC_NO_ID)
		last.start_ns = start_of(timeline, (uint32_t)of, last.slice_id);
	return last;
}

/* The host beside the last work: when its last slice starts, and whether slices of it stand before
 * that work in the file, those after all work in time among them, or behind it without being later.
 */
struct host_end {
	int64_t start_ns;
	bool is_before, is_later_before, is_earlier_behind;
};

static struct host_end find_host_end(const struct tc_timeline *timeline, struct last_work last)
{
	struct host_end host = {.start_ns = last.end_ns};
	uint32_t *tracks = tc_new(timeline->ctx, timeline->track_count + 1, sizeof(*tracks));
	size_t count = 0;

	for (size_t i = 0; i < timeline->track_count && tracks; i++)
		if (timeline->tracks[i].kind == TC_TRACK_THREAD)
			tracks[count++] = (uint32_t)i;
	struct tc_cursor *cursor = tracks ? tc_cursor_open(timeline->spans, tracks, count) : NULL;
	for (const struct tc_span *span; cursor && (span = tc_cursor_next(cursor));) {
		bool is_before = span->slice_id < last.slice_id;
		host.is_before |= is_before;
		host.is_later_before |= is_before && span->ts_ns >= last.end_ns;
		host.is_earlier_behind |= !is_before && span->ts_ns < last.start_ns;
		if (span->ts_ns > host.start_ns)
			host.start_ns = span->ts_ns;
	}
	tc_cursor_close(cursor);
	tc_free(tracks);
	return host;
}

/*
 * A cut takes work of devices where none was read, or where that stands last in the file: few
 * slices follow, and what the host did later stands before it. In a file in the order of time, all
 * work until the cut is there, where the last slice starts. Where all work stands before the host,
 * the cut takes none.
 */
static void find_cut(struct tc_timeline *timeline)
{
	struct last_work last = find_last_work(timeline);
	struct host_end host = find_host_end(timeline, last);
	int64_t last_id = TC_NO_ID;

	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].slice_count > 0 &&
			timeline->tracks[i].last_slice_id > last_id)
			last_id = timeline->tracks[i].last_slice_id;

	timeline->work_is_cut = last.slice_id == TC_NO_ID ||
				((last_id - last.slice_id) * 100 <=
						(last_id + 1 - timeline->slice_base) * TAIL_PCT &&
					host.is_later_before);
	if (!timeline->work_is_cut && host.is_before && !host.is_earlier_behind)
		timeline->known_until_ns = host.start_ns;
}

enum tc_status tc_timeline_sort(struct tc_timeline *timeline)
{
	for (size_t i = 0; i < timeline->track_count; i++) {
		size_t count;
		const struct tc_spans_range *ranges =
			tc_spans_ranges(&count, timeline->spans, (uint32_t)i);

		for (size_t k = 0; k < count; k++) {
			if (ranges[k].first_ns < timeline->start_ns)
				timeline->start_ns = ranges[k].first_ns;
			if (ranges[k].last_ns > timeline->end_ns)
				timeline->end_ns = ranges[k].last_ns;
		}
	}
	uint32_t *places = place_tracks(timeline);
	tc_spans_sort(timeline->spans, places, places ? timeline->track_count : 0);
	tc_free(places);
	timeline->known_until_ns = TC_TIME_MAX_NS;
	if (timeline->ends_early && !tc_ctx_failed(timeline->ctx))
		find_cut(timeline);
	return tc_ctx_status(timeline->ctx);
}

/* Work that starts so long after its call returned waited for other work. Calls reach an idle
 * device within 10 us (analysis/host_sweep.h). */
#define QUEUED_NS INT64_C(1000000)

void tc_timeline_note_work(struct tc_timeline *timeline, const struct tc_span *span)
{
	enum tc_engine engine = tc_span_engine(timeline, span);
	int64_t end_ns = tc_span_known_end_ns(span);

	if (span->dur_ns < 0 || engine == TC_ENGINE_NONE || engine == TC_ENGINE_OTHER)
		return;
	if (span->step < 0) {
		if (end_ns > timeline->before_end_ns &&
			span->launch_ts_ns < timeline->steps_until_ns)
			timeline->before_end_ns = end_ns;
		return;
	}
	struct tc_step *step = &timeline->steps[span->step];
	if (tc_sub_saturated(span->ts_ns, step->ts_ns) >= TC_CLOCKS_APART_MIN_NS)
		return;
	if (span->step == 0 && (!step->has_work || span->ts_ns < timeline->first_work_ns)) {
		timeline->first_work_ns = span->ts_ns;
		int64_t queued_ns = tc_sub_saturated(span->ts_ns, span->launch_end_ns);
		bool was_queued = span->launch_slice_id != TC_NO_ID && queued_ns > QUEUED_NS;
		timeline->first_queued_ns = was_queued ? queued_ns : 0;
	}
	if (!step->has_work || end_ns > step->work_end_ns)
		step->work_end_ns = end_ns;
	step->has_work = true;
}

/* A first step is warm-up when it takes this many times as long as the median of the others. With a
 * single other step, this cannot be told. Our defaults, no published source. */
enum { WARM_UP_FACTOR = 2, WARM_UP_MIN_STEPS = 3 };

/* A step lasts from the end of the one before, device work included (the view step_time). */
static int64_t end_of_step(const struct tc_step *step)
{
	int64_t end_ns = tc_add_saturated(step->ts_ns, step->dur_ns);

	return step->has_work && step->work_end_ns > end_ns ? step->work_end_ns : end_ns;
}

/* When the first step begins for the device: once what was launched before is done. Where that is
 * not recorded, the first work of the step waits for it in the queue. What the host does before it
 * launches that work is part of the step. */
static int64_t start_of_first(const struct tc_timeline *timeline)
{
	const struct tc_step *first = &timeline->steps[0];
	int64_t from_ns = first->ts_ns;

	if (first->has_work)
		from_ns = tc_add_saturated(from_ns, timeline->first_queued_ns);
	if (timeline->before_end_ns > from_ns)
		from_ns = timeline->before_end_ns;
	return from_ns < end_of_step(first) ? from_ns : end_of_step(first);
}

static int64_t start_of_part(const struct tc_timeline *timeline)
{
	const struct tc_step *first = timeline->steps;
	int64_t from_ns = timeline->before_end_ns;

	if (timeline->steps_from_ns == INT64_MIN || timeline->step_count == 0)
		return INT64_MIN;
	if (first->has_work && timeline->first_work_ns < from_ns)
		from_ns = timeline->first_work_ns;
	if (from_ns > end_of_step(first))
		from_ns = end_of_step(first);
	return from_ns > first->ts_ns ? from_ns : INT64_MIN;
}

static bool is_long(int64_t first_ns, int64_t *others_ns, size_t count)
{
	int64_t usual_ns = tc_median(others_ns, count);

	return usual_ns > 0 && first_ns / WARM_UP_FACTOR >= usual_ns;
}

/* Warm-up takes long on the host, which compiles and allocates, and delays the device. A host that
 * is late but still ahead of the device delays nothing, and neither does the first step where the
 * device still works on what was launched before it. */
void tc_timeline_find_warm_up(struct tc_timeline *timeline)
{
	struct tc_step *steps = timeline->steps;
	size_t count = timeline->step_count;

	timeline->part_from_ns = start_of_part(timeline);
	if (count < WARM_UP_MIN_STEPS)
		return;
	int64_t *others_ns = tc_new(timeline->ctx, count, sizeof(*others_ns));
	int64_t until_ns = end_of_step(&steps[0]);
	int64_t first_ns = tc_sub_saturated(until_ns, start_of_first(timeline));
	for (size_t i = 1; others_ns && i < count; i++) {
		int64_t end_ns = end_of_step(&steps[i]);
		others_ns[i - 1] = end_ns > until_ns ? tc_sub_saturated(end_ns, until_ns) : 0;
		until_ns = end_ns > until_ns ? end_ns : until_ns;
	}
	bool delays = others_ns && is_long(first_ns, others_ns, count - 1);
	for (size_t i = 1; delays && i < count; i++)
		others_ns[i - 1] = steps[i].dur_ns;
	steps[0].is_warm_up = delays && is_long(steps[0].dur_ns, others_ns, count - 1);
	tc_free(others_ns);
}

int32_t tc_timeline_step_at(const struct tc_timeline *timeline, int64_t ts_ns)
{
	size_t at;

	if (ts_ns >= timeline->steps_until_ns && timeline->steps_until_ns < INT64_MAX)
		return -1;
	TC_BISECT(at, timeline->step_count, timeline->steps[at].ts_ns <= ts_ns);
	return (int32_t)at - 1;
}

enum tc_engine tc_span_engine(const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];
	enum tc_engine engine = timeline->tracks[span->track].engine;

	if (engine == TC_ENGINE_COMPUTE && label->task_engine != TC_ENGINE_NONE)
		return label->task_engine;
	return engine != TC_ENGINE_NONE ? engine : label->engine;
}

static bool is_batch_copy(const struct tc_timeline *timeline, const struct tc_span *span)
{
	size_t at, count = timeline->batch_copy_count;

	if (timeline->labels[span->label].call_class != TC_CALL_FRAMEWORK_COPY)
		return false;
	TC_BISECT(at, count, timeline->batch_copies[at] < span->slice_id);
	return at < count && timeline->batch_copies[at] == span->slice_id;
}

enum tc_role tc_span_role(const struct tc_timeline *timeline, const struct tc_span *span)
{
	enum tc_role role = timeline->labels[span->label].role;

	if (span->role == TC_ROLE_NONE && timeline->batch_copy_count > 0 &&
		is_batch_copy(timeline, span))
		return TC_ROLE_INPUT_COPY;
	/* A copy from the device by a call that waits for it is a wait, as the one of CUDA that
	 * follows an asynchronous copy. */
	if (span->role == TC_ROLE_NONE ||
		(span->role == TC_ROLE_OUTPUT_COPY && role == TC_ROLE_SYNC))
		return role;
	return (enum tc_role)span->role;
}

void tc_nesting_clear(struct tc_nesting *nesting)
{
	tc_free(nesting->items);
	*nesting = (struct tc_nesting){0};
}

/* Whether a slice without length holds another one of the same time: complete events nest in the
 * order of the file, begin and end events as they are written. */
static bool holds_at_once(const struct tc_nested *open, const struct tc_span *span)
{
	if (open->ts_ns != span->ts_ns || open->end_ns != span->ts_ns || span->dur_ns != 0)
		return false;
	return open->zero_depth == (span->zero_depth > 0 ? span->zero_depth - 1 : 0) &&
	       span->zero_depth != 1;
}

/* The innermost open slice that holds [ts, end) whole, or SIZE_MAX. */
static size_t find_parent(struct tc_nesting *nesting, const struct tc_span *span, int64_t end_ns)
{
	size_t floor =
		nesting->count > TC_NESTING_SEARCH_MAX ? nesting->count - TC_NESTING_SEARCH_MAX : 0;

	for (size_t i = nesting->count; i-- > floor;) {
		const struct tc_nested *open = &nesting->items[i];
		if (holds_at_once(open, span))
			return i;
		if (open->end_ns <= span->ts_ns && open->end_ns != INT64_MAX)
			continue;
		if (open->end_ns >= end_ns)
			return i;
		nesting->has_overlap = true;
	}
	return SIZE_MAX;
}

size_t tc_nesting_add(struct tc_nesting *nesting, struct tc_ctx *ctx, const struct tc_span *span)
{
	int64_t end_ns = tc_span_end_ns(span);
	size_t parent = find_parent(nesting, span, end_ns);

	TC_PUSH(ctx, nesting->items, nesting->count, nesting->capacity,
		(struct tc_nested){span->ts_ns, end_ns, span->slice_id,
			parent == SIZE_MAX ? 0 : nesting->items[parent].depth + 1,
			span->zero_depth});
	return parent;
}

/* ---- works: a number for each label and shape, and the work of its first call */

/* How a tensor lies: in rows, in another order, or, with elements between its own that are not its,
 * as a part of another one. A result is never a part. */
static struct tc_operand operand_of(bool *is_part, const struct tc_input *input)
{
	struct tc_operand operand = {0};
	int64_t step = 1, reach = 1, length = 0;
	bool in_rows = true;

	*is_part = false;
	if (!input || !tc_input_elements(&operand.elements, input) || operand.elements <= 1)
		return (struct tc_operand){0};
	for (size_t i = input->rank; input->stride_count == input->rank && i-- > 0;) {
		in_rows = in_rows && (input->size[i] == 1 || input->stride[i] == step);
		step *= input->size[i];
		if (__builtin_mul_overflow(input->size[i] - 1, input->stride[i], &length) ||
			__builtin_add_overflow(reach, length, &reach))
			reach = INT64_MAX;
	}
	*is_part = reach > operand.elements;
	if (!in_rows)
		operand.order =
			1 |
			(tc_hash_of(input->size, input->rank * sizeof(*input->size)) * 31 +
				tc_hash_of(input->stride, input->rank * sizeof(*input->stride)));
	return operand;
}

/* Sets what an operator over elements reads and writes, where its FLOPs are known. Its result lies
 * as the first input of its size. */
static void set_operands(
	struct tc_work *work, enum tc_work_kind kind, const struct tc_op_inputs *inputs)
{
	bool is_copy = kind == TC_WORK_COPY || kind == TC_WORK_FILL, has_order = is_copy, is_part;
	size_t count = 0;

	if (is_copy)
		work->written = operand_of(&is_part, tc_op_inputs_tensor(inputs, 0));
	else if (kind == TC_WORK_POINTWISE || kind == TC_WORK_COMPARISON ||
		 kind == TC_WORK_IN_PLACE)
		work->written.elements = work->flops > 0 ? work->flops : 0;
	for (size_t i = is_copy; i < inputs->count && count < TC_OPERANDS_MAX; i++) {
		work->read[count] = operand_of(&is_part, tc_op_inputs_tensor(inputs, i));
		if (!has_order && !is_part &&
			work->read[count].elements == work->written.elements) {
			work->written.order = work->read[count].order;
			has_order = true;
		}
		count += work->read[count].elements > 0;
	}
}

/* No trace has more shapes than its operator tree has nodes. */
enum { WORKS_MAX = 1 << 18 };

struct work_key {
	uint64_t shape;
	uint64_t label;
};

static struct tc_text key_text(const struct work_key *key)
{
	return (struct tc_text){(const char *)key, sizeof(*key)};
}

void tc_works_add(struct tc_works *works, struct tc_ctx *ctx, enum tc_work_kind kind,
	uint32_t label, uint64_t shape, struct tc_text args)
{
	const struct work_key key = {shape, label};
	struct tc_op_inputs inputs;

	if (works->count >= WORKS_MAX)
		return;
	works->latest = tc_strtab_intern_again(&works->keys, key_text(&key), works->latest);
	if (works->latest < works->count || tc_ctx_failed(ctx))
		return;
	struct tc_work work = {.flops = TC_WORK_UNKNOWN, .bytes = TC_WORK_UNKNOWN};
	if (tc_op_inputs_read(&inputs, args)) {
		work = tc_work_of(kind, &inputs);
		set_operands(&work, kind, &inputs);
	}
	TC_PUSH(ctx, works->rows, works->count, works->capacity, work);
}

uint32_t tc_works_find(const struct tc_works *works, uint32_t label, uint64_t shape)
{
	const struct work_key key = {shape, label};
	uint32_t number = tc_strtab_find(&works->keys, key_text(&key));

	return number < works->count && works->rows[number].bytes != TC_WORK_UNKNOWN ? number
										     : UINT32_MAX;
}
