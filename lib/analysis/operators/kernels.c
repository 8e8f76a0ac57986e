/* Totals of device work by node; see kernels.h. */
#include "analysis/operators/kernels.h"

#include "core/alloc.h"

void tc_node_kernels_clear(struct tc_node_kernels *kernels)
{
	tc_free(kernels->rows);
	tc_strtab_clear(&kernels->keys);
	*kernels = (struct tc_node_kernels){0};
}

static bool same_key(const struct tc_node_kernel *a, const struct tc_node_kernel *b)
{
	return a->node == b->node && a->label == b->label && a->track == b->track &&
	       a->capture == b->capture;
}

static bool find(struct tc_node_kernels *kernels, const struct tc_node_kernel *key)
{
	const uint32_t words[] = {key->node, key->label, key->track, key->capture};

	if (kernels->latest < kernels->count && same_key(&kernels->rows[kernels->latest], key))
		return true;
	kernels->latest = tc_strtab_intern(
		&kernels->keys, (struct tc_text){(const char *)words, sizeof(words)});
	if (kernels->latest < kernels->count)
		return true;
	if (kernels->latest == TC_STRTAB_NONE ||
		!TC_GROW(kernels->rows, kernels->capacity, kernels->count + 1))
		return false;
	struct tc_node_kernel *row = &kernels->rows[kernels->count++];
	*row = *key;
	row->count = row->max_ns = 0;
	row->time = (struct tc_work_time){0};
	row->min_ns = INT64_MAX;
	return true;
}

bool tc_node_kernels_add(
	struct tc_node_kernels *kernels, const struct tc_node_kernel *key, struct tc_work_time time)
{
	if (!find(kernels, key))
		return false;
	struct tc_node_kernel *row = &kernels->rows[kernels->latest];
	row->count++;
	tc_work_time_add(&row->time, time);
	if (time.dur_ns < row->min_ns)
		row->min_ns = time.dur_ns;
	if (time.dur_ns > row->max_ns)
		row->max_ns = time.dur_ns;
	return true;
}
