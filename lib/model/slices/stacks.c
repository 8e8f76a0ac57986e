/* Texts of call stacks to frames; see stacks.h. */
#include "model/slices/stacks.h"

/* A training script has some hundred stacks of a kilobyte. */
enum { STACKS_MAX_BYTES = 16 * 1024 * 1024 };

void tc_stacks_init(struct tc_stacks *stacks)
{
	*stacks = (struct tc_stacks){.last = TC_STRTAB_NONE};
}

void tc_stacks_clear(struct tc_stacks *stacks)
{
	tc_strtab_clear(&stacks->texts);
	tc_stacks_init(stacks);
}

uint32_t tc_stacks_number(struct tc_stacks *stacks, struct tc_text text)
{
	if (text.len == 0)
		return 0;
	uint32_t number = stacks->texts.text_bytes + (int64_t)text.len > STACKS_MAX_BYTES
				  ? tc_strtab_find(&stacks->texts, text)
				  : tc_strtab_intern_again(&stacks->texts, text, stacks->last);
	if (number == TC_STRTAB_NONE)
		return 0;
	stacks->last = number;
	return number + 1;
}

/* The frames from the last one, which is the outermost, to the first. */
static enum tc_status add_frames(
	struct tc_labels *labels, struct tc_timeline *timeline, struct tc_text text)
{
	while (text.len > 0) {
		size_t first = text.len;
		while (first > 0 && text.ptr[first - 1] != ';')
			first--;
		const struct tc_text name = {text.ptr + first, text.len - first};
		text.len = first > 0 ? first - 1 : 0;
		if (name.len == 0)
			continue;
		uint32_t label = tc_labels_intern(labels, TC_TEXT("python_function"), name);
		if (label == TC_LABEL_NONE || tc_timeline_add_frame(timeline, label) < 0)
			return tc_no_memory(timeline->ctx);
	}
	return TC_OK;
}

enum tc_status tc_stacks_hand_over(
	const struct tc_stacks *stacks, struct tc_labels *labels, struct tc_timeline *timeline)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < stacks->texts.count && !status; i++) {
		if (tc_timeline_add_stack(timeline) < 0)
			return tc_no_memory(timeline->ctx);
		status = add_frames(labels, timeline, tc_strtab_at(&stacks->texts, (uint32_t)i));
	}
	return status;
}
