/* The order of slices; see span.h. */
#include "model/timeline/span.h"

int tc_span_compare(const void *a, const void *b)
{
	const struct tc_span *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	int64_t x_end_ns = tc_span_end_ns(x), y_end_ns = tc_span_end_ns(y);
	if (x_end_ns != y_end_ns)
		return x_end_ns > y_end_ns ? -1 : 1;
	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}
