/* Chains by track; see spans.h. */
#include "model/timeline/spans.h"

#include "core/alloc.h"
#include "core/saturate.h"

enum { CHAIN_MAX_COUNT = 4 }; /* of a track; where more would be needed the last one is sorted */

/* No recording pauses for a day, while a clock may start at 0 long before it is set. What lies
 * before, within and after a recording is told apart. Our default, no published source. */
static const int64_t range_apart_ns = INT64_C(86400) * 1000 * 1000 * 1000;
enum { RANGE_MAX_COUNT = 3 };

struct track {
	struct tc_chain chain; /* the first one */
	struct tc_spans_range ranges[RANGE_MAX_COUNT];
	size_t range_count;
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

/* The range less than a day from the time, else a new one; the last where there is room for none.
 */
static struct tc_spans_range *range_at(struct track *track, int64_t ts_ns)
{
	size_t i = 0;

	while (i < track->range_count &&
		(tc_sub_saturated(track->ranges[i].first_ns, ts_ns) >= range_apart_ns ||
			tc_sub_saturated(ts_ns, track->ranges[i].last_ns) >= range_apart_ns))
		i++;
	if (i == RANGE_MAX_COUNT)
		return &track->ranges[RANGE_MAX_COUNT - 1];
	if (i == track->range_count)
		track->ranges[track->range_count++] =
			(struct tc_spans_range){INT64_MAX, INT64_MIN, 0, TC_NO_ID};
	return &track->ranges[i];
}

static void widen(struct track *track, const struct tc_span *span)
{
	struct tc_spans_range *range = range_at(track, span->ts_ns);
	int64_t end_ns = tc_span_end_ns(span);

	if (range->count == 0 || span->ts_ns < range->first_ns ||
		(span->ts_ns == range->first_ns && span->slice_id < range->first_slice_id))
		range->first_slice_id = span->slice_id;
	range->first_ns = span->ts_ns < range->first_ns ? span->ts_ns : range->first_ns;
	range->last_ns = end_ns > range->last_ns ? end_ns : range->last_ns;
	range->count++;
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

const struct tc_spans_range *tc_spans_ranges(
	size_t *count, const struct tc_spans *spans, uint32_t track)
{
	*count = track < spans->track_count ? spans->tracks[track].range_count : 0;
	return *count > 0 ? spans->tracks[track].ranges : NULL;
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
