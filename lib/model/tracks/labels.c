/*
 * Labels by category and name. A string table numbers the pairs; its numbers are the indexes of the
 * labels. In front of it is a cache by a hash of a few bytes of the name, because every event looks
 * a label up and most repeat a recent one. Beyond the limits all new pairs share one label.
 */
#include "model/tracks/labels.h"

#include "core/alloc.h"
#include "core/limits.h"

void tc_labels_init(struct tc_labels *labels, struct tc_ctx *ctx)
{
	*labels = (struct tc_labels){.ctx = ctx,
		.keys.ctx = ctx,
		.key.ctx = ctx,
		.max_count = TC_LABEL_MAX_COUNT,
		.max_bytes = TC_LABEL_MAX_BYTES};
	memset(labels->recent, 0xff, sizeof(labels->recent));
}

void tc_labels_clear(struct tc_labels *labels)
{
	tc_strtab_clear(&labels->keys);
	tc_free(labels->rows);
	tc_buf_clear(&labels->key);
	tc_names_free(labels->names);
	tc_labels_init(labels, labels->ctx);
}

static bool same_text(struct tc_text a, struct tc_text b)
{
	return !a.ptr == !b.ptr && tc_text_equal(a, b);
}

static struct tc_label label_of_key(const struct tc_names *names, struct tc_text key)
{
	struct tc_label label = {0};

	tc_label_set_key(&label, key);
	tc_names_classify(names, &label);
	return label;
}

/* Replaces the key of a new label beyond the limits by that of the common label. */
static void apply_limits(struct tc_labels *labels)
{
	if (labels->count < labels->max_count &&
		labels->keys.text_bytes + (int64_t)labels->key.len <= labels->max_bytes)
		return;
	if (tc_strtab_find(&labels->keys, tc_buf_text(&labels->key)) != TC_STRTAB_NONE)
		return;
	labels->over_count++;
	tc_label_key(&labels->key, TC_TEXT_NONE, TC_TEXT("(more names than the limit)"));
}

/* The slot of a lookup in the cache: a hash of the start, the middle and the end of the name,
 * and of the lengths. Names that differ elsewhere share a slot, which only costs time. */
static size_t recent_slot(struct tc_text category, struct tc_text name)
{
	uint64_t words[3] = {0};

	if (name.len >= sizeof(words[0])) {
		memcpy(&words[0], name.ptr, sizeof(words[0]));
		memcpy(&words[1], name.ptr + (name.len - sizeof(words[0])) / 2, sizeof(words[0]));
		memcpy(&words[2], name.ptr + name.len - sizeof(words[0]), sizeof(words[0]));
	} else if (name.len > 0) {
		memcpy(&words[0], name.ptr, name.len);
	}
	uint64_t hash = (words[0] ^ name.len << 8 ^ category.len) * UINT64_C(0xff51afd7ed558ccd);
	hash = (hash ^ words[1]) * UINT64_C(0xc4ceb9fe1a85ec53);
	hash = (hash ^ hash >> 32 ^ words[2]) * UINT64_C(0xd6e8feb86659fd93);
	return (hash >> 32) % TC_LABEL_RECENT_COUNT;
}

uint32_t tc_labels_intern(struct tc_labels *labels, struct tc_text category, struct tc_text name)
{
	uint32_t *recent = &labels->recent[recent_slot(category, name)];

	if (*recent != TC_LABEL_NONE) {
		const struct tc_label *label = &labels->rows[*recent];
		if (same_text(tc_label_category(label), category) &&
			same_text(tc_label_name(label), name))
			return *recent;
	}
	/* A NUL inside a category would make the key ambiguous. The rest of the category is
	 * dropped. */
	if (category.ptr && memchr(category.ptr, '\0', category.len))
		category.len = strlen(category.ptr);
	tc_label_key(&labels->key, category, name);
	if (!tc_buf_failed(&labels->key))
		apply_limits(labels);
	if (tc_buf_failed(&labels->key))
		return TC_LABEL_NONE;
	uint32_t number = tc_strtab_intern(&labels->keys, tc_buf_text(&labels->key));
	if (number == TC_STRTAB_NONE)
		return TC_LABEL_NONE;
	if (number == labels->count) {
		if (!labels->names)
			labels->names = tc_names_new();
		if (!labels->names)
			tc_no_memory(labels->ctx);
		if (!labels->names ||
			!TC_PUSH(labels->ctx, labels->rows, labels->count, labels->capacity,
				label_of_key(labels->names, tc_strtab_at(&labels->keys, number))))
			return TC_LABEL_NONE;
	}
	*recent = number;
	return number;
}

/* Takes an array made by tc_malloc() as its labels; it has none yet. */
static void timeline_take_labels(
	struct tc_timeline *timeline, struct tc_label *labels, size_t count)
{
	timeline->labels = labels;
	timeline->label_count = timeline->label_capacity = count;
}

void tc_labels_hand_over(struct tc_labels *labels, struct tc_timeline *timeline)
{
	timeline_take_labels(timeline, labels->rows, labels->count);
	labels->rows = NULL;
	labels->count = labels->capacity = 0;
	tc_names_free(labels->names);
	labels->names = NULL;
	tc_strtab_drop_numbers(&labels->keys);
}
