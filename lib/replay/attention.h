/*
 * Attention that is not fused: two matrix products with a softmax between them. Finds the products
 * and the work between them, and also the operators that become such nodes of a graph.
 */
#pragma once

#include "replay/match.h"

enum {
	TC_ATTENTION_OPS = 40,      /* operations between the products */
	TC_ATTENTION_PARTS = 1024,  /* their parts, on all engines */
	TC_ATTENTION_PRODUCTS = 16, /* parts of a product */
};

/* What a device or a thread did since its last product. */
struct tc_attention {
	int64_t slices[TC_ATTENTION_PARTS], products[TC_ATTENTION_PRODUCTS];
	size_t slice_count, op_count, product_count;
	int64_t op_ts_ns, op_dur_ns; /* of the last operation, products included */
	uint32_t op_label;
	/* is_forward: the softmax is no gradient; in_attention: the last product ended one */
	bool has_softmax, is_forward, has_other, in_attention;
};

/* Takes the next operation; label is that of the span. */
void tc_attention_see(struct tc_attention *attention, struct tc_slice_facts *facts,
	const struct tc_span *span, const struct tc_label *label, bool is_product);
