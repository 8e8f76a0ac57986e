/* Owner of an advice's strings and arrays; see box.h. */
#include "advice/box.h"

#include "core/alloc.h"

struct tc_box *tc_box_new(void)
{
	return tc_calloc(1, sizeof(struct tc_box));
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
	tc_arena_clear(&box->arena);
	tc_free(box->advice.findings);
	tc_free(box->advice.account);
	tc_free(box->advice.settings);
	tc_free(box);
}
