/* Holes in the numbers that a profiler gave its events; see numbering.h. */
#include "model/slices/numbering.h"

#include "core/saturate.h"

/* Our defaults, without a published source. Of whole files, the thinnest have 1 of 2 external ids
 * (threads that take 1,024 each) and 1 of 36 correlation ids (a toy of six kernels). */
enum {
	THIN_EVENTS = 10, /* one of so many numbers is there, or fewer */
	THIN_CALLS = 50,
	MIN_COUNT = 100 /* numbers that make a proof */
};

static void add(struct tc_numbers *numbers, int64_t number)
{
	if (numbers->count == 0 || number < numbers->lowest)
		numbers->lowest = number;
	if (numbers->count == 0 || number > numbers->highest)
		numbers->highest = number;
	numbers->count++;
}

static int64_t one_of(const struct tc_numbers *numbers)
{
	if (numbers->count < MIN_COUNT)
		return 1;
	return tc_sub_saturated(numbers->highest, numbers->lowest) / numbers->count;
}

void tc_numbering_add(struct tc_numbering *numbering, const struct tc_raw_event *event,
	const struct tc_label *label)
{
	int64_t number;

	if (tc_scalar_integer(&number, &event->arg[TC_ARG_EVENT_INDEX])) {
		add(&numbering->events, number);
		if (tc_scalar_integer(&number, &event->arg[TC_ARG_EXTERNAL_ID]))
			add(&numbering->operations, number);
	} else if (label->engine == TC_ENGINE_NONE &&
		   tc_scalar_integer(&number, &event->arg[TC_ARG_CORRELATION])) {
		add(&numbering->calls, number);
	}
}

int64_t tc_numbering_one_of(const struct tc_numbering *numbering)
{
	int64_t events = one_of(&numbering->events), operations = one_of(&numbering->operations);

	if (events < THIN_EVENTS || operations < THIN_EVENTS ||
		one_of(&numbering->calls) < THIN_CALLS)
		return 1;
	return events < operations ? events : operations;
}
