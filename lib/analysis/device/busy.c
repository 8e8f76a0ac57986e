/* Turns the working engine classes into measures; see busy.h. Rows of measures.def define the
 * measures. */
#include "analysis/device/busy.h"

#include "analysis/time/intervals.h"

struct definition {
	enum tc_metric metric;
	uint32_t any, with, without;
	enum tc_measure_where where;
};

static const struct definition definitions[TC_MEASURE_COUNT] = {
#define TC_MEASURE(metric, any, with, without, where)                                              \
	{TC_METRIC_##metric, any, with, without, TC_MEASURE_##where},
#include "analysis/device/measures.def"
#undef TC_MEASURE
};

enum tc_metric tc_measure_metric(enum tc_measure measure)
{
	return definitions[measure].metric;
}

enum tc_measure_where tc_measure_where(enum tc_measure measure)
{
	return definitions[measure].where;
}

void tc_measure_table_init(struct tc_measure_table *table)
{
	for (uint32_t working = 0; working < UINT32_C(1) << TC_WORK_CLASSES; working++) {
		table->measures[working] = 0;
		for (uint32_t i = 0; i < TC_MEASURE_COUNT; i++) {
			const struct definition *row = &definitions[i];
			if ((working & row->any) && (!row->with || (working & row->with)) &&
				!(working & row->without))
				table->measures[working] |= UINT32_C(1) << i;
		}
	}
}

void tc_busy_init(struct tc_busy *busy)
{
	*busy = (struct tc_busy){.busy_extent = TC_INTERVAL_NONE, .work_extent = TC_INTERVAL_NONE};
}

/* Adds the time until now to the measures of the classes that worked, before these change. */
static void book(struct tc_busy *busy, const struct tc_measure_table *table, int64_t time_ns)
{
	int64_t ns = time_ns - busy->since_ns;

	if (busy->working && ns > 0)
		for (uint32_t left = table->measures[busy->working]; left; left &= left - 1)
			busy->ns[__builtin_ctz(left)] += ns;
	busy->since_ns = time_ns;
}

void tc_busy_start(struct tc_busy *busy, const struct tc_measure_table *table, uint32_t classes,
	const struct tc_interval *interval)
{
	if ((busy->working | classes) != busy->working)
		book(busy, table, interval->start_ns);
	for (uint32_t left = classes; left; left &= left - 1)
		busy->active[__builtin_ctz(left)]++;
	busy->working |= classes;
	busy->work_extent = tc_interval_join(busy->work_extent, *interval);
	if (classes & TC_WORK_BUSY)
		busy->busy_extent = tc_interval_join(busy->busy_extent, *interval);
}

void tc_busy_end(struct tc_busy *busy, const struct tc_measure_table *table, uint32_t classes,
	int64_t time_ns)
{
	uint32_t gone = 0;

	for (uint32_t left = classes; left; left &= left - 1)
		if (--busy->active[__builtin_ctz(left)] == 0)
			gone |= left & (~left + 1);
	if (!gone)
		return;
	book(busy, table, time_ns);
	busy->working &= ~gone;
}

int64_t tc_busy_span_ns(const struct tc_busy *busy)
{
	return tc_interval_measure(busy->busy_extent);
}
