/* Steps, sorted and numbered; see steps.h. */
#include "model/slices/steps.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/text/decimal.h"
#include "core/saturate.h"

struct tc_step_row {
	struct tc_step step;
	uint32_t track;
	bool is_iteration; /* without a number of its own */
};

/* The number behind the '#'; false when there is none. */
static bool read_number(struct tc_text name, int64_t *out)
{
	const char *number = (const char *)memchr(name.ptr, '#', name.len) + 1;

	return tc_decimal_int64(
		out, (struct tc_text){number, name.len - (size_t)(number - name.ptr)});
}

enum tc_status tc_steps_add(struct tc_steps *steps, const struct tc_span *span,
	const struct tc_label *label, const int64_t *number)
{
	bool is_iteration = !number && label->is_iteration;
	struct tc_step step = {.ts_ns = span->ts_ns,
		.dur_ns = span->dur_ns,
		.slice_id = span->slice_id,
		.label = span->label};

	if (number)
		step.number = *number;
	else if (!is_iteration && !read_number(tc_label_name(label), &step.number))
		return TC_OK;
	if (span->dur_ns < 0)
		return TC_OK;
	if (!TC_GROW(steps->rows, steps->capacity, steps->count + 1))
		return tc_no_memory(steps->log->ctx);
	steps->rows[steps->count++] = (struct tc_step_row){step, span->track, is_iteration};
	return TC_OK;
}

TC_ORDER(compare_steps, struct tc_step_row, TC_UP(step.ts_ns) TC_UP(step.slice_id));

TC_ORDER(compare_tracks, struct tc_step_row, TC_UP(track));

TC_ORDER(compare_numbers, struct tc_step_row, TC_UP(step.number));

/* A trace of several ranks has the steps of its first rank only: those of others overlap them. */
static void keep_host_steps(struct tc_steps *steps, const struct tc_tracks *tracks)
{
	size_t count = 0;

	for (size_t i = 0; i < steps->count; i++) {
		const struct tc_track_row *track = &tracks->tracks[steps->rows[i].track];
		if (track->kind != TC_TRACK_LANE &&
			tracks->processes[track->process].rank == tracks->first_rank)
			steps->rows[count++] = steps->rows[i];
	}
	steps->count = count;
}

/* The track with most iterations, the first of several; their number. */
static size_t most_iterations(const struct tc_steps *steps, uint32_t *track)
{
	size_t most = 0, count = 0;

	/* Rows are sorted by track. */
	for (size_t i = 0; i < steps->count; i++) {
		bool is_next = i > 0 && steps->rows[i].track == steps->rows[i - 1].track;
		count = is_next ? count + 1 : 1;
		if (count <= most)
			continue;
		most = count;
		*track = steps->rows[i].track;
	}
	return most;
}

/* Numbered steps win. Else the outermost iterations of one thread, numbered in time order. */
static void choose_iterations(struct tc_steps *steps)
{
	size_t count = 0;
	uint32_t track = 0;
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < steps->count; i++)
		if (!steps->rows[i].is_iteration)
			steps->rows[count++] = steps->rows[i];
	if (count > 0 || steps->count == 0) {
		steps->count = count;
		return;
	}
	TC_SORT(steps->rows, steps->count, compare_tracks);
	bool is_loop = most_iterations(steps, &track) > 1;
	TC_SORT(steps->rows, steps->count, compare_steps);
	for (size_t i = 0; i < steps->count && is_loop; i++) {
		struct tc_step_row row = steps->rows[i];
		if (row.track != track || row.step.ts_ns < until_ns)
			continue;
		until_ns = tc_add_saturated(row.step.ts_ns, row.step.dur_ns);
		row.step.number = (int64_t)count;
		steps->rows[count++] = row;
	}
	steps->count = count;
	steps->are_iterations = count > 0;
}

static enum tc_status find_duplicates(
	struct tc_steps *steps, const struct tc_timeline *timeline, bool *found)
{
	enum tc_status status = TC_OK;

	*found = false;
	TC_SORT(steps->rows, steps->count, compare_numbers);
	for (size_t i = 1; i < steps->count && !status; i++) {
		const struct tc_step *step = &steps->rows[i].step;
		if (step->number != steps->rows[i - 1].step.number)
			continue;
		*found = true;
		status = tc_import_log_add_one(steps->log, TC_LOG_DUPLICATE_STEP, -1,
			tc_label_name(&timeline->labels[step->label]));
	}
	return status;
}

void tc_steps_clear(struct tc_steps *steps)
{
	tc_free(steps->rows);
	*steps = (struct tc_steps){.log = steps->log};
}

enum tc_status tc_steps_finish(struct tc_steps *steps, struct tc_timeline *timeline,
	const struct tc_tracks *tracks, int64_t *next_id)
{
	bool has_duplicates;

	keep_host_steps(steps, tracks);
	choose_iterations(steps);
	timeline->steps_are_iterations = steps->are_iterations;
	enum tc_status status = find_duplicates(steps, timeline, &has_duplicates);
	TC_SORT(steps->rows, steps->count, compare_steps);
	for (size_t i = 0; i < steps->count && !status; i++) {
		struct tc_step *step = &steps->rows[i].step;
		step->id = (*next_id)++;
		/* A number names one step in reports. Epochs may each count from 0. */
		if (has_duplicates)
			step->number = (int64_t)i;
		if (tc_timeline_add_step(timeline, step) < 0)
			status = tc_no_memory(timeline->ctx);
	}
	tc_steps_clear(steps);
	return status;
}
