/*
 * Steps: the host slices that the profiler's schedule draws, ProfilerStep#N (ProfileStep#N in
 * Paddle), or the user with a step_num (JAX, TensorFlow). Where there are none, two or more turns
 * of a loop that a framework names (vLLM, SGLang, Lightning). The copies that some tracers draw on
 * device lanes are not steps.
 *
 * Steps follow each other, so they are those of one loop: of the process with most of them (of the
 * thread, for turns, which servers draw on several), and of these the outermost. What alone holds
 * all others, two or more, is an epoch and no step:
 *
 *   process 1   [---------epoch 0----------]     steps: 5, 6
 *                [--5-------] [--6-------]
 *                   [5]          [6]             in a step
 *   process 2    [--5-------] [--6-------]       another loop: the same job, or another one
 *
 * step() of PyTorch's profiler begins the next step. What comes after the loop does not count:
 *
 *     ProfilerStep#8 [launch launch]   ProfilerStep#9 [launch launch]   ProfilerStep#10 []
 */
#include "model/slices/steps.h"

#include "core/array.h"
#include "core/saturate.h"
#include "core/text/decimal.h"

/* A slice that may be a step. */
struct tc_step_row {
	struct tc_step step;
	uint32_t track, loop; /* loop: the process, or the track */
	bool is_iteration;    /* without a number of its own */
};

/* The number behind the '#'; false when there is none. */
static bool read_number(struct tc_text name, int64_t *out)
{
	const char *number = (const char *)memchr(name.ptr, '#', name.len) + 1;

	return tc_decimal_int64(
		out, (struct tc_text){number, name.len - (size_t)(number - name.ptr)});
}

void tc_steps_add(struct tc_steps *steps, struct tc_ctx *ctx, const struct tc_span *span,
	const struct tc_label *label, const int64_t *number)
{
	struct tc_step_row row = {
		.step = {.ts_ns = span->ts_ns,
			.dur_ns = span->dur_ns,
			.slice_id = span->slice_id,
			.label = span->label},
		.track = span->track,
		.is_iteration = !number && label->is_iteration,
	};

	if (number)
		row.step.number = *number;
	else if (!row.is_iteration && !read_number(tc_label_name(label), &row.step.number))
		return;
	if (span->dur_ns >= 0)
		TC_PUSH(ctx, steps->rows, steps->count, steps->capacity, row);
}

TC_ORDER(compare_times, struct tc_step_row,
	TC_UP(step.ts_ns) TC_DOWN(step.dur_ns) TC_UP(step.slice_id));

TC_ORDER(compare_loops, struct tc_step_row, TC_UP(loop));

TC_ORDER(compare_numbers, struct tc_step_row, TC_UP(step.number));

/* A trace of several ranks has the steps of its first rank only: those of others overlap them. Of a
 * cut those of its part count. */
static void keep_host(
	struct tc_steps *steps, const struct tc_tracks *tracks, const struct tc_timeline *timeline)
{
	size_t count = 0;

	for (size_t i = 0; i < steps->count; i++) {
		struct tc_step_row row = steps->rows[i];
		const struct tc_track_row *track = &tracks->tracks[row.track];
		if (track->kind == TC_TRACK_LANE || !tc_timeline_has_step(timeline, &row.step) ||
			tracks->processes[track->process].rank != tracks->first_rank)
			continue;
		row.loop = row.is_iteration ? row.track : track->process;
		steps->rows[count++] = row;
	}
	steps->count = count;
}

/* Numbered steps win. */
static void keep_numbered(struct tc_steps *steps)
{
	size_t count = 0;

	for (size_t i = 0; i < steps->count; i++)
		if (!steps->rows[i].is_iteration)
			steps->rows[count++] = steps->rows[i];
	if (count > 0)
		steps->count = count;
}

/* The loop with most steps, the first of several. Leaves them in time order. */
static void keep_one_loop(struct tc_steps *steps)
{
	size_t most = 0, length = 0, count = 0;
	uint32_t loop = 0;

	TC_SORT(steps->rows, steps->count, compare_loops);
	for (size_t i = 0; i < steps->count; i++) {
		bool is_next = i > 0 && steps->rows[i].loop == steps->rows[i - 1].loop;
		length = is_next ? length + 1 : 1;
		if (length <= most)
			continue;
		most = length;
		loop = steps->rows[i].loop;
	}
	for (size_t i = 0; i < steps->count; i++)
		if (steps->rows[i].loop == loop)
			steps->rows[count++] = steps->rows[i];
	steps->count = count;
	TC_SORT(steps->rows, count, compare_times);
}

static int64_t end_of(const struct tc_step_row *row)
{
	return tc_add_saturated(row->step.ts_ns, row->step.dur_ns);
}

/* How many of the first hold all that follow them, two or more beside each other. */
static size_t count_epochs(const struct tc_steps *steps)
{
	size_t epochs = 0;
	int64_t end_ns = INT64_MIN;

	for (size_t i = steps->count; i-- > 0;) {
		epochs = end_of(&steps->rows[i]) >= end_ns ? epochs + 1 : 0;
		if (end_of(&steps->rows[i]) > end_ns)
			end_ns = end_of(&steps->rows[i]);
	}
	return epochs < steps->count ? epochs : 0;
}

static void keep_outermost(struct tc_steps *steps)
{
	size_t first = count_epochs(steps), count = 0;
	int64_t until_ns = INT64_MIN;

	for (size_t i = first; i < steps->count; i++) {
		const struct tc_step_row *row = &steps->rows[i];
		if (row->step.ts_ns < until_ns && end_of(row) <= until_ns)
			continue;
		until_ns = end_of(row);
		steps->rows[count++] = *row;
	}
	steps->count = count;
}

/* Whether two steps have one number; logs it if so. */
static bool have_duplicates(
	struct tc_steps *steps, struct tc_import_log *log, const struct tc_timeline *timeline)
{
	bool found = false;

	TC_SORT(steps->rows, steps->count, compare_numbers);
	for (size_t i = 1; i < steps->count; i++) {
		const struct tc_step *step = &steps->rows[i].step;
		if (step->number != steps->rows[i - 1].step.number)
			continue;
		found = true;
		tc_import_log_add_one(log, TC_LOG_DUPLICATE_STEP, -1,
			tc_label_name(&timeline->labels[step->label]));
	}
	TC_SORT(steps->rows, steps->count, compare_times);
	return found;
}

/* No launch begins in the last step or later, but one does after the step before it began.
 * Operations stand for launches where no launch is recorded. */
static bool is_last_unused(const struct tc_steps *steps)
{
	size_t count = steps->count;
	int64_t last_ns =
		steps->last_launch_ns != INT64_MIN ? steps->last_launch_ns : steps->last_op_ns;

	return count > 1 && steps->rows[count - 2].step.ts_ns <= last_ns &&
	       steps->rows[count - 1].step.ts_ns > last_ns;
}

void tc_steps_find(struct tc_steps *steps, const struct tc_tracks *tracks,
	struct tc_import_log *log, struct tc_timeline *timeline, int64_t *next_id)
{
	keep_host(steps, tracks, timeline);
	keep_numbered(steps);
	bool are_turns = steps->count > 0 && steps->rows[0].is_iteration;
	size_t all = steps->count;
	keep_one_loop(steps);
	keep_outermost(steps);
	if (!are_turns)
		tc_import_log_add_count(log, TC_LOG_OTHER_STEPS, (int64_t)(all - steps->count),
			(struct tc_text){0});
	if (are_turns && steps->count < 2)
		steps->count = 0;
	timeline->steps_are_iterations = are_turns && steps->count > 0;
	/* A number names one step in reports. Epochs may each count from 0. */
	bool by_order = are_turns || have_duplicates(steps, log, timeline);
	for (size_t i = 0; i < steps->count; i++) {
		struct tc_step *step = &steps->rows[i].step;
		step->id = (*next_id)++;
		if (by_order)
			step->number = (int64_t)i;
		TC_TIMELINE_ADD(timeline, step, step);
	}
	timeline->has_unused_step = timeline->step_count > 0 && is_last_unused(steps);
	timeline->step_count -= timeline->has_unused_step;
}
