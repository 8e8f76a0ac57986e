/* Nesting with a stack of open slices; see nesting.h. */
#include "model/timeline/nesting.h"

#include "core/alloc.h"

void tc_nesting_clear(struct tc_nesting *nesting)
{
	tc_free(nesting->items);
	*nesting = (struct tc_nesting){0};
}

/* True when a slice without length holds another one of the same time: complete events nest in the
 * order of the file, begin and end events as they are written. */
static bool holds_at_once(const struct tc_nested *open, const struct tc_span *span)
{
	if (open->ts_ns != span->ts_ns || open->end_ns != span->ts_ns || span->dur_ns != 0)
		return false;
	return open->zero_depth == (span->zero_depth > 0 ? span->zero_depth - 1 : 0) &&
	       span->zero_depth != 1;
}

/* The innermost open slice that holds [ts, end) whole, or SIZE_MAX. */
static size_t find_parent(struct tc_nesting *nesting, const struct tc_span *span, int64_t end_ns)
{
	size_t floor =
		nesting->count > TC_NESTING_SEARCH_MAX ? nesting->count - TC_NESTING_SEARCH_MAX : 0;

	for (size_t i = nesting->count; i-- > floor;) {
		const struct tc_nested *open = &nesting->items[i];
		if (holds_at_once(open, span))
			return i;
		if (open->end_ns <= span->ts_ns && open->end_ns != INT64_MAX)
			continue;
		if (open->end_ns >= end_ns)
			return i;
		nesting->has_overlap = true;
	}
	return SIZE_MAX;
}

bool tc_nesting_add(size_t *parent, struct tc_nesting *nesting, const struct tc_span *span)
{
	int64_t end_ns = tc_span_end_ns(span);

	if (!TC_GROW(nesting->items, nesting->capacity, nesting->count + 1))
		return false;
	*parent = find_parent(nesting, span, end_ns);
	nesting->items[nesting->count++] = (struct tc_nested){span->ts_ns, end_ns, span->slice_id,
		*parent == SIZE_MAX ? 0 : nesting->items[*parent].depth + 1, span->zero_depth};
	return true;
}
