/*
 * Busy tally: how long engines work, alone and together. It covers one device, or several as one,
 * and all work or that of one step. Fed with starts and ends in time order, it holds counts and no
 * intervals.
 */
#ifndef TC_ANALYSIS_DEVICE_BUSY_H
#define TC_ANALYSIS_DEVICE_BUSY_H

#include "analysis/time/intervals.h"
#include "analysis/metrics.h"
#include "model/timeline/timeline.h"

/* Classes of work, one bit each: one per engine, one for matrix work in a type other than fp32, one
 * for copies and sets that stay on the device, and one for work launched before the recording. */
#define TC_WORK_OF(engine) (UINT32_C(1) << (engine))
#define TC_WORK_MME TC_WORK_OF(TC_ENGINE_MME)
#define TC_WORK_TPC TC_WORK_OF(TC_ENGINE_TPC)
#define TC_WORK_DMA TC_WORK_OF(TC_ENGINE_DMA)
#define TC_WORK_NIC TC_WORK_OF(TC_ENGINE_NIC)
#define TC_WORK_MME_NOT_FP32 TC_WORK_OF(TC_ENGINE_COUNT)
#define TC_WORK_INNER_COPY TC_WORK_OF(TC_ENGINE_COUNT + 1)
#define TC_WORK_LAUNCHED_BEFORE TC_WORK_OF(TC_ENGINE_COUNT + 2)
#define TC_WORK_COMPUTE (TC_WORK_MME | TC_WORK_TPC | TC_WORK_OF(TC_ENGINE_COMPUTE))
#define TC_WORK_COMMUNICATION (TC_WORK_NIC | TC_WORK_OF(TC_ENGINE_COMMUNICATION))
#define TC_WORK_COPY (TC_WORK_DMA | TC_WORK_OF(TC_ENGINE_COPY))
/* Busy is kernels, copies and sets: NIC lanes and the lanes of no engine do not count. */
#define TC_WORK_BUSY (TC_WORK_COMPUTE | TC_WORK_COPY | TC_WORK_OF(TC_ENGINE_COMMUNICATION))
/* Work of these classes is more than a transfer between host and device. */
#define TC_WORK_NO_TRANSFER (TC_WORK_COMPUTE | TC_WORK_COMMUNICATION | TC_WORK_INNER_COPY)
#define TC_WORK_CLASSES (TC_ENGINE_COUNT + 3)

enum tc_measure {
#define TC_MEASURE(metric, any, with, without, where) TC_MEASURE_##metric,
#include "analysis/device/measures.def"
#undef TC_MEASURE
	TC_MEASURE_COUNT
};

/* Which rows a measure has: all; not per step; on Gaudi only; on Gaudi only and not per step. */
enum tc_measure_where { TC_MEASURE_ALL, TC_MEASURE_RUN, TC_MEASURE_GAUDI, TC_MEASURE_GAUDI_RUN };

enum tc_metric tc_measure_metric(enum tc_measure measure);
enum tc_measure_where tc_measure_where(enum tc_measure measure);

/* For every set of working classes, the set of measures that count. */
struct tc_measure_table {
	uint32_t measures[1 << TC_WORK_CLASSES];
};

void tc_measure_table_init(struct tc_measure_table *table);

struct tc_busy {
	uint32_t active[TC_WORK_CLASSES]; /* open slices of each class */
	uint32_t working;                 /* the classes with one */
	int64_t since_ns;                 /* since when these classes have worked */
	int64_t ns[TC_MEASURE_COUNT];
	struct tc_interval busy_extent; /* range of busy work; start > end: none */
	struct tc_interval work_extent; /* range of busy work and NIC lanes */
	/* All operations, also those left out of the time: those whose launching call is known, and
	 * those launched before the recording. */
	int64_t op_count, launched_count, before_count;
};

void tc_busy_init(struct tc_busy *busy);
/* A slice of the given classes starts or ends. */
void tc_busy_start(struct tc_busy *busy, const struct tc_measure_table *table, uint32_t classes,
	const struct tc_interval *interval);
void tc_busy_end(struct tc_busy *busy, const struct tc_measure_table *table, uint32_t classes,
	int64_t time_ns);

static inline bool tc_busy_has_work(const struct tc_busy *busy)
{
	return busy->work_extent.start_ns <= busy->work_extent.end_ns;
}

/* The device does nothing but copy between host and device. */
static inline bool tc_busy_only_transfers(const struct tc_busy *busy)
{
	return (busy->working & TC_WORK_COPY) && !(busy->working & TC_WORK_NO_TRANSFER);
}

static inline bool tc_busy_has_nics(const struct tc_busy *busy)
{
	return (busy->working & TC_WORK_NIC) != 0;
}

static inline bool tc_busy_is_busy(const struct tc_busy *busy)
{
	return (busy->working & TC_WORK_BUSY) != 0;
}

/* The time so far in which the device computes. */
static inline int64_t tc_busy_compute_ns(const struct tc_busy *busy, int64_t time_ns)
{
	return busy->ns[TC_MEASURE_COMPUTE_BUSY] +
	       (busy->working & TC_WORK_COMPUTE ? time_ns - busy->since_ns : 0);
}

/* From the first start to the last end of what counts as busy; 0 without any. */
int64_t tc_busy_span_ns(const struct tc_busy *busy);

#endif
