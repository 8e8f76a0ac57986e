/*
 * Links of device work to launches and steps, as rows of device_link: runs of slices that follow
 * each other in the file and share launch and step, since one launch of a graph stands for
 * thousands of operations.
 */
#include "model/state.h"

enum { LINK_SORT_BYTES = 8 * 1024 * 1024 };

struct link_row {
	int64_t slice_id, launch_slice_id;
	int32_t step;
	enum tc_launch_method method;
};

static int compare_links(const void *a, const void *b)
{
	const struct link_row *x = a, *y = b;

	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}

/* Links in the order of slices, so that the table is appended to. */
static enum tc_status collect_links(struct tc_model *model, struct tc_sorter *links)
{
	enum tc_status status = TC_OK;

	for (uint32_t i = 0; i < model->tracks.track_count && !status; i++) {
		struct tc_cursor *cursor = NULL;
		const struct tc_span *span = NULL;
		if (model->tracks.tracks[i].kind != TC_TRACK_LANE)
			continue;
		status = tc_cursor_open(&cursor, model->timeline, &i, 1);
		while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
			const struct link_row link = {span->slice_id, span->launch_slice_id,
				span->step, (enum tc_launch_method)span->method};
			if (link.launch_slice_id != TC_NO_ID || link.step >= 0)
				status = tc_sorter_add(links, &link);
		}
		tc_cursor_close(cursor);
	}
	return status;
}

static bool same_link(const struct link_row *a, const struct link_row *b)
{
	return a->launch_slice_id == b->launch_slice_id && a->step == b->step &&
	       a->method == b->method;
}

static enum tc_status emit_run(
	struct tc_model *model, const struct link_row *first, int64_t last_slice_id)
{
	struct tc_link_row *row = tc_batch_add_link(model->batch);

	if (!row)
		return tc_model_no_memory(model);
	row->first_slice_id = first->slice_id;
	row->last_slice_id = last_slice_id;
	row->launch_slice_id =
		first->launch_slice_id == TC_NO_ID ? INT64_MIN : first->launch_slice_id;
	row->step_id = first->step < 0 ? INT64_MIN : model->timeline->steps[first->step].id;
	row->method = tc_launch_method_name(first->method);
	return tc_model_flush(model, false);
}

static enum tc_status emit_runs(struct tc_model *model, struct tc_sorter *links)
{
	struct link_row first = {0};
	int64_t last_slice_id = TC_NO_ID;
	const void *record = NULL;
	enum tc_status status = tc_sorter_rewind(links);

	while (!status && !(status = tc_sorter_next(links, &record)) && record) {
		const struct link_row *link = record;
		if (last_slice_id != TC_NO_ID && link->slice_id == last_slice_id + 1 &&
			same_link(&first, link)) {
			last_slice_id++;
			continue;
		}
		if (last_slice_id != TC_NO_ID)
			status = emit_run(model, &first, last_slice_id);
		first = *link;
		last_slice_id = link->slice_id;
	}
	if (!status && last_slice_id != TC_NO_ID)
		status = emit_run(model, &first, last_slice_id);
	return status;
}

enum tc_status tc_links_emit(struct tc_model *model)
{
	struct tc_sorter *links = NULL;
	enum tc_status status = tc_sorter_new(
		&links, model->ctx, sizeof(struct link_row), LINK_SORT_BYTES, compare_links);

	if (!status)
		status = collect_links(model, links);
	if (!status)
		status = emit_runs(model, links);
	tc_sorter_free(links);
	return status;
}
