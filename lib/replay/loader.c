/* One record for each name of a call, so memory does not grow with the number of calls. */
#include "replay/loader.h"

#include "core/saturate.h"

/* A call that takes less found its batch ready. */
#define LASTING_NS INT64_C(500000)
/* A wait is this many times as long as a batch costs that is ready. */
#define COST_TIMES 3
/* A wait for less than this part of a step alone shows no rate: any call may be held up a bit. */
#define STEP_PART 20
/* Times that differ by less than this part of a step, on average, do not vary. */
#define RIGID_PART 100
/* Where waits are more than this part of the time, the workers are busy all the time. */
#define BUSY_PART 5

static int64_t differ(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

const struct tc_loader *tc_loaders_at(const struct tc_loaders *loaders, uint32_t label)
{
	for (size_t i = 0; i < loaders->count; i++)
		if (loaders->items[i].label == label)
			return &loaders->items[i];
	return NULL;
}

static struct tc_loader *loader_of(struct tc_loaders *loaders, uint32_t label)
{
	const struct tc_loader *known = tc_loaders_at(loaders, label);

	if (known)
		return &loaders->items[known - loaders->items];
	if (loaders->count == TC_LOADERS_MAX)
		return NULL;
	loaders->items[loaders->count] = (struct tc_loader){.label = label};
	return &loaders->items[loaders->count++];
}

void tc_loaders_add(struct tc_loaders *loaders, uint32_t label, int64_t end_ns, int64_t stretch_ns)
{
	struct tc_loader *loader = loader_of(loaders, label);

	if (!loader)
		return;
	if (loader->call_count++ == 0)
		loader->first_end_ns = end_ns;
	loader->last_end_ns = end_ns;
	tc_durations_add(&loader->all, stretch_ns);
	if (stretch_ns < LASTING_NS)
		return;
	tc_durations_add(&loader->lasting, stretch_ns);
	loader->lasting_ns = tc_add_saturated(loader->lasting_ns, stretch_ns);
	int64_t batches = loader->call_count - loader->number;
	int64_t pace_ns = loader->number > 0 ? (end_ns - loader->end_ns) / batches : 0;
	if (pace_ns > 0 && batches <= TC_LOADER_AHEAD) {
		loader->near_count += batches;
		loader->near_ns = tc_add_saturated(loader->near_ns, end_ns - loader->end_ns);
	}
	if (pace_ns > 0 && loader->pace_ns > 0) {
		int64_t pace_differs_ns = differ(pace_ns, loader->pace_ns);
		int64_t length_differs_ns = differ(stretch_ns, loader->length_ns);
		loader->varying_count += length_differs_ns >= pace_differs_ns / 2;
		loader->even_count += length_differs_ns < pace_differs_ns / 2;
		loader->differ_ns = tc_add_saturated(
			loader->differ_ns, tc_add_saturated(pace_differs_ns, length_differs_ns));
	}
	loader->number = loader->call_count;
	loader->end_ns = end_ns;
	loader->length_ns = stretch_ns;
	loader->pace_ns = pace_ns;
}

/* Most lasting calls vary by less than half of what the time from batch to batch varies by, so they
 * do not wait. Where nothing varies, calls that are a small part of it do not. */
static bool is_price(const struct tc_loader *loader)
{
	int64_t count = loader->lasting.count;
	bool is_rigid = loader->differ_ns <= count * (loader->step_ns / RIGID_PART);

	if (is_rigid && count > 2)
		return loader->lasting_ns / count < loader->step_ns / STEP_PART;
	return loader->even_count > loader->varying_count;
}

void tc_loaders_find(struct tc_loaders *loaders)
{
	for (size_t i = 0; i < loaders->count; i++) {
		struct tc_loader *loader = &loaders->items[i];
		if (loader->call_count > 1)
			loader->step_ns = (loader->last_end_ns - loader->first_end_ns) /
					  (loader->call_count - 1);
		loader->is_rarely_late =
			loader->lasting_ns / loader->call_count < loader->step_ns / BUSY_PART;
		int64_t lowest_ns = tc_durations_lowest(&loader->all, 10);
		if (is_price(loader)) {
			loader->cost_ns = tc_durations_lowest(&loader->lasting, 2);
			continue;
		}
		if (lowest_ns < LASTING_NS)
			loader->cost_ns = lowest_ns;
		if (loader->varying_count > loader->even_count && loader->near_count > 0)
			loader->rate_ns = loader->near_ns / loader->near_count;
	}
}

enum tc_loader_wait tc_loader_wait_of(
	const struct tc_loader *loader, int64_t stretch_ns, int64_t since)
{
	int64_t waited_ns = stretch_ns - loader->cost_ns;
	bool is_small = waited_ns < loader->step_ns / STEP_PART;
	bool is_near = since > 0 && since <= TC_LOADER_AHEAD;

	if (stretch_ns < LASTING_NS || stretch_ns / COST_TIMES < loader->cost_ns)
		return TC_LOADER_READY;
	if (is_small)
		return loader->varying_count > loader->even_count ? TC_LOADER_RATE
								  : TC_LOADER_READY;
	return is_near || waited_ns <= loader->step_ns ? TC_LOADER_RATE : TC_LOADER_START;
}
