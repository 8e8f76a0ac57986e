/* Slices of a track in a spill file, with their launches; see chain.h. */
#include "model/timeline/chain.h"

#include <string.h>

#include "core/alloc.h"
#include "core/sort/sorter.h"

enum { SORT_BYTES = 4 * 1024 * 1024 };

_Static_assert(sizeof(struct tc_span) <= TC_SEQUENCE_RECORD_MAX_BYTES, "slices fit");

void tc_chain_clear(struct tc_chain *chain)
{
	struct tc_chain *next;

	for (struct tc_chain *other = chain; other; other = next) {
		next = other->next;
		tc_sequence_clear(&other->slices);
		if (other->links)
			tc_sequence_clear(other->links);
		tc_free(other->links);
		if (other != chain)
			tc_free(other);
	}
	*chain = (struct tc_chain){0};
}

bool tc_chain_continues(const struct tc_chain *chain, const struct tc_span *span)
{
	const struct tc_span *last = tc_sequence_last(&chain->slices, sizeof(*last));

	return !last || tc_span_compare(last, span) <= 0;
}

enum tc_status tc_chain_add(
	struct tc_chain *chain, const struct tc_chain_file *file, const struct tc_span *span)
{
	if (chain->slices.tail_count == 0)
		chain->first_ts_ns = span->ts_ns;
	chain->unsorted |= !tc_chain_continues(chain, span);
	chain->has_unlaunched |= span->launch_slice_id == TC_NO_ID;
	return tc_sequence_add(&chain->slices, file->ctx, file->spill, span, sizeof(*span));
}

void tc_chain_reader_init(struct tc_chain_reader *reader, struct tc_chain *chain)
{
	*reader = (struct tc_chain_reader){.chain = chain, .slices.sequence = &chain->slices};
	if (chain->links && chain->links->tail_count > 0)
		reader->links.sequence = chain->links;
}

void tc_chain_reader_clear(struct tc_chain_reader *reader)
{
	tc_sequence_reader_clear(&reader->slices);
	tc_sequence_reader_clear(&reader->links);
	tc_free(reader->linked);
}

static enum tc_status next_run(struct tc_chain_reader *reader, const struct tc_chain_file *file)
{
	enum tc_status status = TC_OK;

	if (reader->next_run == reader->links.count) {
		status = tc_sequence_read(
			&reader->links, file->ctx, file->spill, sizeof(reader->run));
		reader->next_run = 0;
	}
	if (!status && reader->next_run < reader->links.count)
		reader->run =
			((const struct tc_link_run *)reader->links.records)[reader->next_run++];
	return status;
}

static void set_launch(struct tc_span *slice, const struct tc_link_run *run)
{
	slice->launch_slice_id = run->launch_slice_id;
	slice->launch_ts_ns = run->launch_ts_ns;
	slice->launch_end_ns = run->launch_end_ns;
	slice->launch_label = run->launch_label;
	slice->step = run->step;
	slice->method = (uint8_t)run->method;
}

/* The records at hand, to be changed. The tail belongs to the chain and other readers use it. */
static struct tc_span *writable_records(struct tc_chain_reader *reader)
{
	const size_t bytes = reader->filled * sizeof(*reader->linked);

	if (!reader->slices.at_tail)
		return reader->slices.block;
	if (!reader->linked)
		reader->linked = tc_malloc(bytes);
	if (reader->linked && bytes > 0)
		memcpy(reader->linked, reader->slices.records, bytes);
	return reader->linked;
}

/* Sets the launches that were found after the records at hand were added. */
static enum tc_status set_launches(struct tc_chain_reader *reader, const struct tc_chain_file *file)
{
	struct tc_span *records = writable_records(reader);
	enum tc_status status = TC_OK;

	if (!records && reader->filled > 0)
		return tc_no_memory(file->ctx);
	reader->head = records;
	for (size_t i = 0; i < reader->filled && !status; i++) {
		if (reader->run.count == 0)
			status = next_run(reader, file);
		reader->run.count--;
		if (!status && !reader->run.is_kept)
			set_launch(&records[i], &reader->run);
	}
	return status;
}

enum tc_status tc_chain_read(struct tc_chain_reader *reader, const struct tc_chain_file *file)
{
	enum tc_status status =
		tc_sequence_read(&reader->slices, file->ctx, file->spill, sizeof(*reader->head));

	reader->at = 0;
	reader->filled = reader->slices.count;
	reader->head = reader->slices.records;
	return status || !reader->links.sequence ? status : set_launches(reader, file);
}

/* Adds all slices of a chain to a sorter. */
static enum tc_status fill_sorter(
	struct tc_sorter *sorter, struct tc_chain *chain, const struct tc_chain_file *file)
{
	struct tc_chain_reader reader;
	enum tc_status status;

	tc_chain_reader_init(&reader, chain);
	do {
		status = tc_chain_read(&reader, file);
		for (size_t i = 0; i < reader.filled && !status; i++)
			status = tc_sorter_add(sorter, &reader.head[i]);
	} while (!status && reader.filled > 0);
	tc_chain_reader_clear(&reader);
	return status;
}

enum tc_status tc_chain_sort(struct tc_chain *chain, const struct tc_chain_file *file)
{
	struct tc_sorter *sorter = NULL;
	struct tc_chain sorted = {.place = chain->place};
	const struct tc_span *span = NULL;
	enum tc_status status =
		tc_sorter_new(&sorter, file->ctx, sizeof(*span), SORT_BYTES, tc_span_compare);

	if (!status)
		status = fill_sorter(sorter, chain, file);
	if (!status)
		status = TC_SORTER_FIRST(sorter, span);
	while (!status && span)
		if (!(status = tc_chain_add(&sorted, file, span)))
			status = TC_SORTER_NEXT(sorter, span);
	if (!status) {
		sorted.next = chain->next;
		chain->next = NULL;
		tc_chain_clear(chain);
		*chain = sorted;
	} else {
		tc_chain_clear(&sorted);
	}
	tc_sorter_free(sorter);
	return status;
}

static bool has_launch_of(const struct tc_span *slice, const struct tc_link_run *run)
{
	return slice->launch_slice_id == run->launch_slice_id && slice->step == run->step &&
	       slice->method == run->method;
}

enum tc_status tc_chain_link(struct tc_chain *chain, const struct tc_chain_file *file,
	const struct tc_span *added, const struct tc_span *linked)
{
	const struct tc_link_run found = {
		.launch_slice_id = linked->launch_slice_id,
		.launch_ts_ns = linked->launch_ts_ns,
		.launch_end_ns = linked->launch_end_ns,
		.launch_label = linked->launch_label,
		.step = linked->step,
		.method = linked->method,
		.count = 1,
	};
	const struct tc_link_run kept = {.is_kept = 1, .count = 1};
	bool is_kept = has_launch_of(added, &found);

	if (!chain->links)
		chain->links = tc_calloc(1, sizeof(*chain->links));
	if (!chain->links)
		return tc_no_memory(file->ctx);
	struct tc_link_run *last = tc_sequence_last(chain->links, sizeof(*last));

	if (last && (is_kept ? last->is_kept : !last->is_kept && has_launch_of(linked, last))) {
		last->count++;
		return TC_OK;
	}
	return tc_sequence_add(
		chain->links, file->ctx, file->spill, is_kept ? &kept : &found, sizeof(found));
}
