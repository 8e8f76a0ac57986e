/* Chains by track; see spans.h. */
#include "model/timeline/spans.h"

#include "core/alloc.h"

enum { CHAIN_MAX_COUNT = 4 }; /* of a track; where more would be needed the last one is sorted */

struct track {
	struct tc_chain chain; /* the first one */
	bool has_extent;
	int64_t first_ns, last_ns;
};

struct tc_spans {
	struct tc_chain_file file;
	struct track *tracks;
	size_t track_count, track_capacity;
};

enum tc_status tc_spans_new(struct tc_spans **out, struct tc_ctx *ctx)
{
	struct tc_spans *spans = tc_calloc(1, sizeof(*spans));

	if (!spans)
		return tc_no_memory(ctx);
	spans->file.ctx = ctx;
	enum tc_status status = tc_spill_new(&spans->file.spill, ctx);
	if (status)
		tc_free(spans);
	else
		*out = spans;
	return status;
}

void tc_spans_free(struct tc_spans *spans)
{
	if (!spans)
		return;
	for (size_t i = 0; i < spans->track_count; i++)
		tc_chain_clear(&spans->tracks[i].chain);
	tc_free(spans->tracks);
	tc_spill_free(spans->file.spill);
	tc_free(spans);
}

/* The first chain of a track that the slice continues, a new one, or the last. */
static struct tc_chain *chain_for(struct tc_chain *chain, const struct tc_span *span)
{
	for (int count = 1; !tc_chain_continues(chain, span); count++, chain = chain->next) {
		if (!chain->next && count < CHAIN_MAX_COUNT)
			chain->next = tc_calloc(1, sizeof(*chain));
		if (!chain->next)
			return chain; /* without memory for a new one this one will be sorted */
	}
	return chain;
}

static void widen(struct track *track, const struct tc_span *span)
{
	int64_t end_ns = tc_span_end_ns(span);

	if (!track->has_extent || span->ts_ns < track->first_ns)
		track->first_ns = span->ts_ns;
	if (!track->has_extent || end_ns > track->last_ns)
		track->last_ns = end_ns;
	track->has_extent = true;
}

enum tc_status tc_spans_add(struct tc_spans *spans, const struct tc_span *span)
{
	size_t old = spans->track_capacity;

	if (span->track >= spans->track_count) {
		if (!TC_GROW(spans->tracks, spans->track_capacity, (size_t)span->track + 1))
			return tc_no_memory(spans->file.ctx);
		for (size_t i = old; i < spans->track_capacity; i++)
			spans->tracks[i] = (struct track){0};
		spans->track_count = span->track + 1;
	}
	struct track *track = &spans->tracks[span->track];
	if (span->dur_ns >= 0)
		widen(track, span);
	return tc_chain_add(chain_for(&track->chain, span), &spans->file, span);
}

void tc_spans_extent(
	const struct tc_spans *spans, uint32_t track, int64_t *first_ns, int64_t *last_ns)
{
	bool has_extent = track < spans->track_count && spans->tracks[track].has_extent;

	*first_ns = has_extent ? spans->tracks[track].first_ns : INT64_MAX;
	*last_ns = has_extent ? spans->tracks[track].last_ns : INT64_MIN;
}

/* The first chain of a track, NULL when it has no slices. */
static struct tc_chain *chains_of(const struct tc_spans *spans, uint32_t track)
{
	return track < spans->track_count ? &spans->tracks[track].chain : NULL;
}

bool tc_spans_has_unlaunched(const struct tc_spans *spans, uint32_t track)
{
	const struct tc_chain *chain = chains_of(spans, track);

	while (chain && !chain->has_unlaunched)
		chain = chain->next;
	return chain != NULL;
}

void tc_spans_set_place(struct tc_spans *spans, uint32_t track, uint32_t place)
{
	for (struct tc_chain *chain = chains_of(spans, track); chain; chain = chain->next)
		chain->place = place;
}

enum tc_status tc_spans_sort(struct tc_spans *spans)
{
	enum tc_status status = TC_OK;

	for (uint32_t i = 0; i < spans->track_count; i++)
		for (struct tc_chain *chain = chains_of(spans, i); chain && !status;
			chain = chain->next)
			if (chain->unsorted)
				status = tc_chain_sort(chain, &spans->file);
	return status ? status : tc_spill_flush(spans->file.spill);
}

/* How many chains of the tracks have slices. They are put into chains when it is not NULL. */
static size_t list_chains(struct tc_chain **chains, const struct tc_spans *spans,
	const uint32_t *tracks, size_t track_count)
{
	size_t count = 0;

	for (size_t i = 0; i < track_count; i++)
		for (struct tc_chain *chain = chains_of(spans, tracks[i]); chain;
			chain = chain->next)
			if (chain->slices.tail_count > 0) {
				if (chains)
					chains[count] = chain;
				count++;
			}
	return count;
}

enum tc_status tc_spans_cursor(
	struct tc_cursor **out, struct tc_spans *spans, const uint32_t *tracks, size_t track_count)
{
	size_t count = list_chains(NULL, spans, tracks, track_count);
	struct tc_chain **chains = tc_malloc(count * sizeof(struct tc_chain *));

	if (!chains)
		return tc_no_memory(spans->file.ctx);
	list_chains(chains, spans, tracks, track_count);
	return tc_cursor_new(out, &spans->file, chains, count);
}

enum tc_status tc_spans_linked(struct tc_spans *spans)
{
	return tc_spill_flush(spans->file.spill);
}
