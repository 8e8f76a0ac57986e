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

/* Attention multiplies by the result of its softmax at once. That of a router or a sampler chooses
 * tokens, and that of a classifier or a gate is the end of its layer. */
static bool is_other_use(enum tc_name_class class)
{
	return class == TC_CLASS_SORT || class == TC_CLASS_INDEX || class == TC_CLASS_EMBEDDING ||
	       class == TC_CLASS_NORMALISATION || class == TC_CLASS_CONVOLUTION;
}

/* The gradient of a softmax comes after that of what reads its result. What comes after it, or
 * before the softmax itself, may be a bias by position, which is looked up in a table. */
static bool ends(struct tc_attention *attention, const struct tc_label *label)
{
	bool is_softmax = label->name_class == TC_CLASS_SOFTMAX;
	bool is_gradient = is_softmax && label->phase == TC_PHASE_BACKWARD;
	bool is_other = is_other_use(label->name_class);

	attention->is_forward |= is_softmax && !is_gradient;
	attention->has_softmax |= is_softmax;
	attention->has_other |= is_other;
	return (is_other && attention->is_forward) || (is_gradient && attention->has_other);
}

static void add_between(
	struct tc_attention *attention, const struct tc_span *span, const struct tc_label *label)
{
	bool part = attention->op_count > 0 && is_part(attention, span);

	if (!part && attention->op_count <= TC_ATTENTION_OPS)
		attention->op_count++;
	if (ends(attention, label) || attention->slice_count == TC_ATTENTION_PARTS)
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
		attention->has_softmax = attention->is_forward = attention->has_other = false;
		note_op(attention, span);
	}
	if (attention->product_count < TC_ATTENTION_PRODUCTS)
		attention->products[attention->product_count++] = span->slice_id;
	if (attention->in_attention)
		tc_slice_bits_set(&facts->beside, &facts->arena, span->slice_id);
}

void tc_attention_see(struct tc_attention *attention, struct tc_slice_facts *facts,
	const struct tc_span *span, const struct tc_label *label, bool is_product)
{
	if (is_product)
		add_product(attention, facts, span);
	else
		add_between(attention, span, label);
}
