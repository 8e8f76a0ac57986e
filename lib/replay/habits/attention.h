/*
 * Attention that is not fused: two matrix products with a softmax between them. Finds the products
 * and the work between them.
 */
#ifndef TC_REPLAY_HABITS_ATTENTION_H
#define TC_REPLAY_HABITS_ATTENTION_H

#include "model/timeline/timeline.h"
#include "replay/walk/slice_bits.h"

enum {
	TC_ATTENTION_OPS = 40,      /* operations between the products */
	TC_ATTENTION_PARTS = 1024,  /* their parts, on all engines */
	TC_ATTENTION_PRODUCTS = 16, /* parts of a product */
};

/* What a device did since its last product. */
struct tc_attention {
	int64_t slices[TC_ATTENTION_PARTS], products[TC_ATTENTION_PRODUCTS];
	size_t slice_count, op_count, product_count;
	int64_t op_ts_ns, op_dur_ns; /* of the last operation, products included */
	uint32_t op_label;
	bool has_softmax, in_attention; /* in_attention: the last product ended an attention */
};

/* Work of a device comes in the order of its starts. */
void tc_attention_see(struct tc_attention *attention, struct tc_slice_facts *facts,
	const struct tc_timeline *timeline, const struct tc_span *span);

#endif
