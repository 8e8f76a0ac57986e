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
	timeline->end_ns = INT64_MIN;
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
	return tc_ctx_status(timeline->ctx);
}

int32_t tc_timeline_step_at(const struct tc_timeline *timeline, int64_t ts_ns)
{
	size_t at;

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

enum tc_role tc_span_role(const struct tc_timeline *timeline, const struct tc_span *span)
{
	return span->role != TC_ROLE_NONE ? (enum tc_role)span->role
					  : timeline->labels[span->label].role;
}

const char *tc_launch_method_name(enum tc_launch_method method)
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
