/*
 * Operations come in time order or in the order of their launches, files have them lane by lane or
 * nearly in time order. So the slices of the latest few launches are marked in bit sets, and runs
 * are read from a set when another launch needs its place. See links.h.
 */
#include "model/launch/links.h"

#include "core/alloc.h"
#include "core/array.h"

enum {
	LINK_SORT_BYTES = 2 * 1024 * 1024,
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
struct tc_link_group {
	struct run key; /* its slice ids do not count */
	int64_t base_id;
	size_t low, high; /* words with bits are in [low, high) */
	uint64_t words[GROUP_BITS / WORD_BITS];
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
static enum tc_status flush_group(struct tc_links *links, struct tc_link_group *group)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct run), LINK_SORT_BYTES, compare_runs};
	size_t limit = group->high * WORD_BITS;
	enum tc_status status = TC_OK;

	for (size_t word = group->low; word < group->high && !status; word++) {
		while (group->words[word] != 0 && !status) {
			size_t bit = (size_t)__builtin_ctzll(group->words[word]);
			size_t at = word * WORD_BITS + bit;
			size_t count = run_length(group->words, at, limit);
			struct run run = group->key;
			run.first_slice_id = group->base_id + (int64_t)at;
			run.last_slice_id = run.first_slice_id + (int64_t)count - 1;
			status = tc_sorter_put(&links->sorter, links->ctx, &layout, &run);
			for (size_t i = at; i < at + count; i++)
				group->words[i / WORD_BITS] &= ~(UINT64_C(1) << (i % WORD_BITS));
		}
	}
	group->low = group->high = 0;
	return status;
}

static bool holds(const struct tc_link_group *group, const struct run *link)
{
	return group->low < group->high && same_link(&group->key, link) &&
	       link->first_slice_id >= group->base_id &&
	       link->first_slice_id - group->base_id < GROUP_BITS;
}

/* The group of a link. A new one takes the place of the oldest. */
static enum tc_status find_group(
	struct tc_link_group **out, struct tc_links *links, const struct run *link)
{
	for (size_t i = 0; i < GROUP_COUNT; i++) {
		*out = &links->groups[(links->latest + i) % GROUP_COUNT];
		if (holds(*out, link))
			return TC_OK;
	}
	links->latest = (links->latest + GROUP_COUNT - 1) % GROUP_COUNT;
	*out = &links->groups[links->latest];
	enum tc_status status = flush_group(links, *out);
	(*out)->key = *link;
	(*out)->base_id = link->first_slice_id - GROUP_BITS / 2;
	(*out)->low = (*out)->high = GROUP_BITS / 2 / WORD_BITS;
	return status;
}

enum tc_status tc_links_add(struct tc_links *links, const struct tc_span *span)
{
	const struct run link = {span->slice_id, span->slice_id, span->launch_slice_id, span->step,
		(enum tc_launch_method)span->method};
	struct tc_link_group *group = NULL;

	if (link.launch_slice_id == TC_NO_ID && link.step < 0 && link.method != TC_LAUNCH_BEFORE)
		return TC_OK;
	if (!links->groups)
		links->groups = tc_calloc(GROUP_COUNT, sizeof(*links->groups));
	if (!links->groups)
		return tc_no_memory(links->ctx);
	enum tc_status status = find_group(&group, links, &link);
	if (status)
		return status;
	size_t bit = (size_t)(span->slice_id - group->base_id), word = bit / WORD_BITS;
	group->words[word] |= UINT64_C(1) << (bit % WORD_BITS);
	group->low = word < group->low ? word : group->low;
	group->high = word >= group->high ? word + 1 : group->high;
	return TC_OK;
}

void tc_links_clear(struct tc_links *links)
{
	tc_sorter_free(links->sorter);
	tc_free(links->groups);
}

/* Joins runs that follow each other. */
struct emitter {
	const struct tc_timeline *timeline;
	struct tc_row_sink *sink;
	struct run run; /* not yet emitted; last_slice_id TC_NO_ID for none */
};

static enum tc_status emit_run(const struct emitter *emitter)
{
	const struct run *run = &emitter->run;

	if (run->last_slice_id == TC_NO_ID)
		return TC_OK;
	struct tc_link_row *row = tc_batch_add_link(emitter->sink->batch);
	if (!row)
		return tc_row_sink_no_memory(emitter->sink);
	row->first_slice_id = run->first_slice_id;
	row->last_slice_id = run->last_slice_id;
	row->launch_slice_id = run->launch_slice_id == TC_NO_ID ? INT64_MIN : run->launch_slice_id;
	row->step_id = run->step < 0 ? INT64_MIN : emitter->timeline->steps[run->step].id;
	row->method = tc_launch_method_name(run->method);
	return tc_row_sink_flush(emitter->sink, false);
}

static enum tc_status on_run(void *user, const void *record)
{
	struct emitter *emitter = user;
	struct run *run = &emitter->run;
	const struct run *next = record;

	if (run->last_slice_id != TC_NO_ID && next->first_slice_id == run->last_slice_id + 1 &&
		same_link(run, next)) {
		run->last_slice_id = next->last_slice_id;
		return TC_OK;
	}
	enum tc_status status = emit_run(emitter);
	*run = *next;
	return status;
}

enum tc_status tc_links_emit(
	struct tc_links *links, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	struct emitter emitter = {timeline, sink, {.last_slice_id = TC_NO_ID}};
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < GROUP_COUNT && links->groups && !status; i++)
		status = flush_group(links, &links->groups[i]);
	if (!status)
		status = tc_sorter_each(links->sorter, on_run, &emitter);
	return status ? status : emit_run(&emitter);
}
