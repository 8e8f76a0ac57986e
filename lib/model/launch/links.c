/*
 * Runs of slices that share a launch, for the table device_link.
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
#include "model/launch/links.h"

#include "core/alloc.h"
#include "core/array.h"

enum {
	SORT_BYTES = 2 * 1024 * 1024,
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
static void flush_group(struct tc_links *links, struct tc_link_group *group)
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

static bool holds(const struct tc_link_group *group, const struct run *link)
{
	return group->low < group->high && same_link(&group->key, link) &&
	       link->first_slice_id >= group->base_id &&
	       link->first_slice_id - group->base_id < GROUP_BITS;
}

/* The group of a link. A new one takes the place of the oldest. */
static struct tc_link_group *find_group(struct tc_links *links, const struct run *link)
{
	struct tc_link_group *group;

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

void tc_links_add(struct tc_links *links, const struct tc_span *span)
{
	const struct run link = {span->slice_id, span->slice_id, span->launch_slice_id, span->step,
		(enum tc_launch_method)span->method};

	if (link.launch_slice_id == TC_NO_ID && link.step < 0 && link.method != TC_LAUNCH_BEFORE)
		return;
	if (!links->groups)
		links->groups = tc_calloc(GROUP_COUNT, sizeof(*links->groups));
	if (!links->groups) {
		tc_no_memory(links->ctx);
		return;
	}
	struct tc_link_group *group = find_group(links, &link);
	size_t bit = (size_t)(span->slice_id - group->base_id), word = bit / WORD_BITS;
	group->words[word] |= UINT64_C(1) << (bit % WORD_BITS);
	group->low = word < group->low ? word : group->low;
	group->high = word >= group->high ? word + 1 : group->high;
}

void tc_links_clear(struct tc_links *links)
{
	tc_sorter_free(links->sorter);
	tc_free(links->groups);
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
	row->method = tc_launch_method_name(run->method);
	tc_row_sink_flush(sink, false);
}

void tc_links_emit(
	struct tc_links *links, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	const struct run *next;
	struct run run = {.last_slice_id = TC_NO_ID}; /* not yet emitted; TC_NO_ID: none */

	for (size_t i = 0; i < GROUP_COUNT && links->groups; i++)
		flush_group(links, &links->groups[i]);
	for (TC_SORTER_FIRST(links->sorter, next); next && !tc_ctx_failed(links->ctx);
		TC_SORTER_NEXT(links->sorter, next)) {
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
