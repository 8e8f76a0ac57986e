/*
 * Steps: the host slices that the profiler's schedule draws, ProfilerStep#N (ProfileStep#N in
 * Paddle), or the user with a step_num (JAX, TensorFlow). The copies that some tracers draw on
 * device lanes are not steps.
 */
#include "model/state.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/decimal.h"

/* The number behind the '#'; false when there is none. */
static bool read_number(struct tc_text name, int64_t *out)
{
	const char *number = (const char *)memchr(name.ptr, '#', name.len) + 1;

	return tc_decimal_int64(
		out, (struct tc_text){number, name.len - (size_t)(number - name.ptr)});
}

enum tc_status tc_steps_add(
	struct tc_model *model, const struct tc_span *span, const int64_t *number)
{
	struct tc_step step = {.ts_ns = span->ts_ns,
		.dur_ns = span->dur_ns,
		.slice_id = span->slice_id,
		.label = span->label};
	void *steps = model->steps, *tracks = model->step_tracks;

	if (number)
		step.number = *number;
	else if (!read_number(model->labels.rows[span->label].name, &step.number))
		return TC_OK;
	if (span->dur_ns < 0)
		return TC_OK;
	if (tc_reserve(&steps, &model->step_capacity, model->step_count + 1, sizeof(step)))
		return tc_model_no_memory(model);
	model->steps = steps;
	if (tc_reserve(&tracks, &model->step_track_capacity, model->step_count + 1,
		    sizeof(*model->step_tracks)))
		return tc_model_no_memory(model);
	model->step_tracks = tracks;
	model->step_tracks[model->step_count] = span->track;
	model->steps[model->step_count++] = step;
	return TC_OK;
}

static int compare_steps(const void *a, const void *b)
{
	const struct tc_step *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct tc_step *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Of ranks that were merged into one file only the first one's: theirs overlap. */
static bool on_host(const struct tc_model *model, size_t i)
{
	const struct tc_tracks *tracks = &model->tracks;
	const struct tc_track_row *track = &tracks->tracks[model->step_tracks[i]];

	return track->kind != TC_TRACK_LANE &&
	       tracks->processes[track->process].rank == tracks->first_rank;
}

static enum tc_status find_duplicates(struct tc_model *model, size_t count, bool *found)
{
	enum tc_status status = TC_OK;

	*found = false;
	if (count > 1)
		qsort(model->steps, count, sizeof(model->steps[0]), compare_numbers);
	for (size_t i = 1; i < count && !status; i++) {
		if (model->steps[i].number != model->steps[i - 1].number)
			continue;
		*found = true;
		status = tc_model_log(model, TC_LOG_DUPLICATE_STEP, -1,
			model->timeline->labels[model->steps[i].label].name);
	}
	return status;
}

void tc_steps_clear(struct tc_model *model)
{
	tc_free(model->steps);
	tc_free(model->step_tracks);
	model->steps = NULL;
	model->step_tracks = NULL;
	model->step_count = model->step_capacity = model->step_track_capacity = 0;
}

enum tc_status tc_steps_finish(struct tc_model *model)
{
	size_t count = 0;
	bool has_duplicates;

	for (size_t i = 0; i < model->step_count; i++)
		if (on_host(model, i))
			model->steps[count++] = model->steps[i];
	model->step_count = count;
	enum tc_status status = find_duplicates(model, count, &has_duplicates);
	if (count > 1)
		qsort(model->steps, count, sizeof(model->steps[0]), compare_steps);
	for (size_t i = 0; i < count && !status; i++) {
		model->steps[i].id = model->ids->step++;
		/* What is told of a step goes by its number (epochs may each count from 0). */
		if (has_duplicates)
			model->steps[i].number = (int64_t)i;
		if (tc_timeline_add_step(model->timeline, &model->steps[i]) < 0)
			status = tc_model_no_memory(model);
	}
	tc_steps_clear(model);
	return status;
}

int32_t tc_steps_at_or_before(const struct tc_timeline *timeline, int64_t ts_ns)
{
	size_t low = 0, high = timeline->step_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (timeline->steps[middle].ts_ns <= ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (int32_t)low - 1;
}
