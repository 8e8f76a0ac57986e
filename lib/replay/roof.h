/*
 * Roof: how much of what the device can do an operator reaches, at one shape of its inputs. The
 * roof is the shorter of two times never: a call takes at least its FLOPs at the peak rate and its
 * bytes at the peak bandwidth, and no kernel takes less than a few microseconds to start and end.
 * The share is that time in the time that the kernels of the call took. Shares below
 * TC_ROOF_CLASSES * TC_ROOF_CLASS are in classes, from 1, which edits ask for (edit.h).
 *
 * A product that takes 100 us and could take 16 reaches (16 + 4) / 100, and is in class 6.
 */
#ifndef TC_REPLAY_ROOF_H
#define TC_REPLAY_ROOF_H

#include "core/collections/arena.h"
#include "model/timeline/timeline.h"
#include "names/hardware/hardware.h"

enum {
	TC_ROOF_CLASSES = 10,
	TC_ROOF_CLASS = 4, /* pct of the roof in a class */
	/* ns that a kernel takes whatever it computes: measured launches of empty kernels last 2 to
	 * 5 us on devices of today. The heuristic below-roof has it as a parameter. */
	TC_ROOF_START_NS = 4000,
};

/* The share of its time that work of a class keeps when it reaches a share of its roof. Work that
 * reaches half of the goal is as it should be, and keeps its time. */
static inline double tc_roof_kept(unsigned share_class, double goal, double reached)
{
	double low = (share_class - 1) * TC_ROOF_CLASS / 100.0;
	double high = share_class * TC_ROOF_CLASS / 100.0;

	if (reached <= 0 || high > goal / 2 + 1e-9 || low + high > 2 * reached)
		return 1;
	return (low + high) / 2 / reached;
}

/* Device time of the calls of one operator at one shape. */
struct tc_roof_sum {
	int64_t device_ns, call_count;
	bool has_fp32, has_tf32; /* what names of kernels say */
};

/* Device time by launching call, and sums by number of the timeline's works. */
struct tc_roof {
	uint32_t **launched; /* by slice id: 8 ns units, and above them bits of precisions */
	size_t launched_count;
	struct tc_roof_sum *sums;
	uint8_t *classes; /* 0: none */
};

enum { TC_ROOF_CHUNK = 1 << 15, TC_ROOF_UNIT_NS = 8 };

#define TC_ROOF_FP32 (UINT32_C(1) << 31)
#define TC_ROOF_TF32 (UINT32_C(1) << 30)
#define TC_ROOF_MOST (TC_ROOF_TF32 - 1)

/* Only kernels: copies and sets are not bound by these peaks. */
static inline bool tc_roof_is_kernel(const struct tc_label *label)
{
	return label->kind == TC_OP_KERNEL && label->collective == TC_COLLECTIVE_NONE;
}

/* Without peaks it stays empty. */
static inline void tc_roof_init(
	struct tc_roof *roof, struct tc_arena *arena, const struct tc_timeline *timeline)
{
	if (!timeline->hardware || timeline->hardware->bytes_per_s <= 0)
		return;
	TC_ARENA(arena, roof->sums, timeline->works.count);
	TC_ARENA(arena, roof->classes, timeline->works.count);
}

/* Takes device work. */
static inline void tc_roof_see(struct tc_roof *roof, struct tc_arena *arena,
	const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];

	if (!roof->sums || span->launch_slice_id < 0 || span->dur_ns <= 0 ||
		!tc_roof_is_kernel(label))
		return;
	size_t chunk = (size_t)span->launch_slice_id / TC_ROOF_CHUNK;
	if (!TC_ARENA_GROW(arena, roof->launched, roof->launched_count, chunk + 1))
		return;
	if (!roof->launched[chunk])
		roof->launched[chunk] = tc_arena_take(arena, TC_ROOF_CHUNK, sizeof(uint32_t));
	if (!roof->launched[chunk])
		return;
	uint32_t *at = &roof->launched[chunk][(size_t)span->launch_slice_id % TC_ROOF_CHUNK];
	int64_t units =
		(*at & TC_ROOF_MOST) + (span->dur_ns + TC_ROOF_UNIT_NS / 2) / TC_ROOF_UNIT_NS;
	*at = (*at & ~TC_ROOF_MOST) | (uint32_t)(units < TC_ROOF_MOST ? units : TC_ROOF_MOST);
	*at |= label->precision == TC_PRECISION_FP32 ? TC_ROOF_FP32 : 0;
	*at |= label->precision == TC_PRECISION_TF32 ? TC_ROOF_TF32 : 0;
}

/* Adds what a call launched to the sum of an operator around it. */
static inline void tc_roof_add(struct tc_roof *roof, uint32_t work, int64_t launch_slice_id)
{
	size_t chunk = (size_t)launch_slice_id / TC_ROOF_CHUNK;

	if (launch_slice_id < 0 || chunk >= roof->launched_count || !roof->launched[chunk])
		return;
	uint32_t launched = roof->launched[chunk][(size_t)launch_slice_id % TC_ROOF_CHUNK];
	struct tc_roof_sum *sum = &roof->sums[work];
	sum->device_ns += (int64_t)(launched & TC_ROOF_MOST) * TC_ROOF_UNIT_NS;
	sum->has_fp32 |= (launched & TC_ROOF_FP32) != 0;
	sum->has_tf32 |= (launched & TC_ROOF_TF32) != 0;
}

/* The peak for the precision; 0 when it is not known. Inputs of 32 bits may be computed as TF32,
 * which names of kernels tell, as in the view op_rate. */
static inline double tc_roof_peak(const struct tc_hardware *hardware, enum tc_precision precision,
	const struct tc_roof_sum *sum)
{
	if (precision != TC_PRECISION_FP32)
		return hardware->flops_per_s[precision];
	if (sum->has_tf32)
		return hardware->flops_per_s[TC_PRECISION_TF32];
	if (!sum->has_fp32 && hardware->flops_per_s[TC_PRECISION_TF32] > 0)
		return 0;
	return hardware->flops_per_s[TC_PRECISION_FP32];
}

/* The least time of a call. Without a peak for a matrix product's precision it is not known. */
static inline double tc_roof_least_ns(const struct tc_hardware *hardware,
	const struct tc_work *work, const struct tc_roof_sum *sum)
{
	double least = 1e9 * (double)work->bytes / hardware->bytes_per_s;

	if (work->is_matrix) {
		double peak = tc_roof_peak(hardware, work->precision, sum);
		double compute = peak > 0 ? 1e9 * (double)work->flops / peak : 0;
		if (peak <= 0 || work->flops == TC_WORK_UNKNOWN)
			return -1;
		least = compute > least ? compute : least;
	}
	return least;
}

/* When all sums are complete. */
static inline void tc_roof_find(struct tc_roof *roof, const struct tc_timeline *timeline)
{
	const struct tc_works *works = &timeline->works;

	for (size_t i = 0; roof->sums && i < works->count; i++) {
		const struct tc_roof_sum *sum = &roof->sums[i];
		if (works->rows[i].bytes == TC_WORK_UNKNOWN || sum->device_ns <= 0 ||
			sum->call_count == 0)
			continue;
		double least = tc_roof_least_ns(timeline->hardware, &works->rows[i], sum);
		double share = (least + TC_ROOF_START_NS) * (double)sum->call_count /
			       (double)sum->device_ns;
		if (least >= 0 && share * 100 < TC_ROOF_CLASSES * TC_ROOF_CLASS)
			roof->classes[i] = (uint8_t)(share * 100 / TC_ROOF_CLASS) + 1;
	}
}

#endif
