#include "replay/attention.h"

#include "replay/pipeline.h"

/* Another engine's part of the operation before it. */
static bool is_part(const struct tc_attention *attention, const struct tc_span *span)
{
	return attention->op_label == span->label &&
	       span->ts_ns - attention->op_ts_ns <= tc_part_jitter_ns(attention->op_dur_ns);
}

static void note_op(struct tc_attention *attention, const struct tc_span *span)
{
	attention->op_label = span->label;
	attention->op_ts_ns = span->ts_ns;
	attention->op_dur_ns = span->dur_ns;
}

static void add_between(struct tc_attention *attention, const struct tc_span *span, bool is_softmax)
{
	bool part = attention->op_count > 0 && is_part(attention, span);

	attention->has_softmax = attention->has_softmax || is_softmax;
	if (!part && attention->op_count <= TC_ATTENTION_OPS)
		attention->op_count++;
	if (attention->slice_count == TC_ATTENTION_PARTS)
		attention->op_count = TC_ATTENTION_OPS + 1;
	else
		attention->slices[attention->slice_count++] = span->slice_id;
	if (!part)
		note_op(attention, span);
}

static void set_all(
	struct tc_slice_bits *bits, struct tc_arena *arena, const int64_t *slices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tc_slice_bits_set(bits, arena, slices[i]);
}

static void add_product(
	struct tc_attention *attention, struct tc_slice_facts *facts, const struct tc_span *span)
{
	bool part = attention->op_count == 0 && attention->product_count > 0 &&
		    is_part(attention, span);

	if (!part) {
		attention->in_attention = attention->product_count > 0 && attention->has_softmax &&
					  attention->op_count <= TC_ATTENTION_OPS;
		if (attention->in_attention) {
			set_all(&facts->between, &facts->arena, attention->slices,
				attention->slice_count);
			set_all(&facts->beside, &facts->arena, attention->products,
				attention->product_count);
		}
		attention->slice_count = attention->op_count = attention->product_count = 0;
		attention->has_softmax = false;
		note_op(attention, span);
	}
	if (attention->product_count < TC_ATTENTION_PRODUCTS)
		attention->products[attention->product_count++] = span->slice_id;
	if (attention->in_attention)
		tc_slice_bits_set(&facts->beside, &facts->arena, span->slice_id);
}

void tc_attention_see(struct tc_attention *attention, struct tc_slice_facts *facts,
	const struct tc_span *span, bool is_product, bool is_softmax)
{
	if (is_product)
		add_product(attention, facts, span);
	else
		add_between(attention, span, is_softmax);
}
