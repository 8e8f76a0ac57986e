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

enum tc_status tc_links_add(struct tc_model *model, const struct tc_span *span)
{
	const struct link_row link = {span->slice_id, span->launch_slice_id, span->step,
		(enum tc_launch_method)span->method};
	enum tc_status status = TC_OK;

	if (link.launch_slice_id == TC_NO_ID && link.step < 0)
		return TC_OK;
	if (!model->links)
		status = tc_sorter_new(
			&model->links, model->ctx, sizeof(link), LINK_SORT_BYTES, compare_links);
	return status ? status : tc_sorter_add(model->links, &link);
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

enum tc_status tc_links_emit(struct tc_model *model)
{
	struct link_row first = {0};
	int64_t last_slice_id = TC_NO_ID;
	const void *record = NULL;

	if (!model->links)
		return TC_OK;
	enum tc_status status = tc_sorter_rewind(model->links);
	while (!status && !(status = tc_sorter_next(model->links, &record)) && record) {
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
