/* Owner of an advice's strings and arrays; see box.h. They live in a list of single blocks: there
 * are a few thousand of them at most. */
#include "advice/box.h"

#include "core/alloc.h"

struct tc_box_block {
	struct tc_box_block *next;
	max_align_t bytes[];
};

struct tc_box *tc_box_new(void)
{
	return tc_calloc(1, sizeof(struct tc_box));
}

/* Room for size bytes, zeroed. */
static void *add_block(struct tc_box *box, size_t size)
{
	if (size > SIZE_MAX - sizeof(struct tc_box_block))
		return NULL;
	struct tc_box_block *block = tc_calloc(1, sizeof(*block) + size);

	if (!block)
		return NULL;
	block->next = box->blocks;
	box->blocks = block;
	return block->bytes;
}

const char *tc_box_dup(struct tc_box *box, struct tc_text text)
{
	char *copy = add_block(box, text.len + 1);

	if (copy && text.len)
		memcpy(copy, text.ptr, text.len);
	return copy;
}

void *tc_box_array(struct tc_box *box, size_t count, size_t size)
{
	return size && count > SIZE_MAX / size ? NULL : add_block(box, count * size);
}

struct tc_finding *tc_box_add_finding(struct tc_box *box)
{
	struct tc_advice *advice = &box->advice;

	if (!TC_GROW(advice->findings, box->finding_capacity, advice->finding_count + 1))
		return NULL;
	struct tc_finding *finding = &advice->findings[advice->finding_count++];
	*finding = (struct tc_finding){.gain_ns = TC_GAIN_NONE};
	return finding;
}

struct tc_account_row *tc_box_add_account(struct tc_box *box)
{
	struct tc_advice *advice = &box->advice;

	if (!TC_GROW(advice->account, box->account_capacity, advice->account_count + 1))
		return NULL;
	struct tc_account_row *row = &advice->account[advice->account_count++];
	*row = (struct tc_account_row){0};
	return row;
}

void tc_box_move_last(struct tc_box *box, size_t index)
{
	struct tc_finding *findings = box->advice.findings;
	size_t last = box->advice.finding_count - 1;
	struct tc_finding finding = findings[index];

	memmove(&findings[index], &findings[index + 1], (last - index) * sizeof(*findings));
	findings[last] = finding;
}

void tc_box_drop_finding(struct tc_box *box)
{
	struct tc_finding *finding = &box->advice.findings[--box->advice.finding_count];

	tc_free(finding->evidence);
}

void tc_advice_free(struct tc_advice *advice)
{
	struct tc_box *box = (struct tc_box *)advice;

	if (!box)
		return;
	while (box->advice.finding_count)
		tc_box_drop_finding(box);
	while (box->blocks) {
		struct tc_box_block *next = box->blocks->next;
		tc_free(box->blocks);
		box->blocks = next;
	}
	tc_free(box->advice.findings);
	tc_free(box->advice.account);
	tc_free(box->advice.settings);
	tc_free(box);
}
