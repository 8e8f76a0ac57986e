/*
 * The device time of a call is kept as a number of 30 bits of units of 8 ns, up to 8.6 s, beside
 * two bits that say what precision its kernels compute in: there is one such number for each
 * call.
 */
#include "replay/roof.h"

#include "names/hardware/hardware.h"

enum { CHUNK = 1 << 15, UNIT_NS = 8 };

#define FP32 (UINT32_C(1) << 31)
#define TF32 (UINT32_C(1) << 30)
#define UNITS_MAX (TF32 - 1)

double tc_roof_kept(unsigned share_class, double goal, double reached)
{
	double low = (share_class - 1) * TC_ROOF_CLASS / 100.0;
	double high = share_class * TC_ROOF_CLASS / 100.0;

	if (reached <= 0 || high > goal / 2 + 1e-9 || low + high > 2 * reached)
		return 1;
	return (low + high) / 2 / reached;
}

/* Only kernels: copies and sets are not bound by these peaks. */
static bool is_kernel(const struct tc_label *label)
{
	return label->kind == TC_OP_KERNEL && label->collective == TC_COLLECTIVE_NONE;
}

void tc_roof_init(struct tc_roof *roof, struct tc_arena *arena, const struct tc_timeline *timeline)
{
	if (!timeline->hardware || timeline->hardware->bytes_per_s <= 0)
		return;
	TC_ARENA(arena, roof->sums, timeline->works.count);
	TC_ARENA(arena, roof->classes, timeline->works.count);
}

void tc_roof_see(struct tc_roof *roof, struct tc_arena *arena, const struct tc_timeline *timeline,
	const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];

	if (!roof->sums || span->launch_slice_id < 0 || span->dur_ns <= 0 || !is_kernel(label))
		return;
	size_t chunk = (size_t)span->launch_slice_id / CHUNK;
	if (!TC_ARENA_GROW(arena, roof->launched, roof->launched_count, chunk + 1))
		return;
	if (!roof->launched[chunk])
		roof->launched[chunk] = tc_arena_take(arena, CHUNK, sizeof(uint32_t));
	if (!roof->launched[chunk])
		return;
	uint32_t *at = &roof->launched[chunk][(size_t)span->launch_slice_id % CHUNK];
	int64_t units = (*at & UNITS_MAX) + (span->dur_ns + UNIT_NS / 2) / UNIT_NS;
	*at = (*at & ~UNITS_MAX) | (uint32_t)(units < UNITS_MAX ? units : UNITS_MAX);
	*at |= label->precision == TC_PRECISION_FP32 ? FP32 : 0;
	*at |= label->precision == TC_PRECISION_TF32 ? TF32 : 0;
}

void tc_roof_add(struct tc_roof *roof, uint32_t work, int64_t launch_slice_id)
{
	size_t chunk = (size_t)launch_slice_id / CHUNK;

	if (launch_slice_id < 0 || chunk >= roof->launched_count || !roof->launched[chunk])
		return;
	uint32_t launched = roof->launched[chunk][(size_t)launch_slice_id % CHUNK];
	struct tc_roof_sum *sum = &roof->sums[work];
	sum->device_ns += (int64_t)(launched & UNITS_MAX) * UNIT_NS;
	sum->has_fp32 |= (launched & FP32) != 0;
	sum->has_tf32 |= (launched & TF32) != 0;
}

/* The peak for the precision; 0 when it is not known. Inputs of 32 bits may be computed as TF32,
 * which names of kernels tell, as in the view op_rate. */
static double peak_of(const struct tc_hardware *hardware, enum tc_precision precision,
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
static double least_ns(const struct tc_hardware *hardware, const struct tc_work *work,
	const struct tc_roof_sum *sum)
{
	double least = 1e9 * (double)work->bytes / hardware->bytes_per_s;

	if (work->is_matrix) {
		double peak = peak_of(hardware, work->precision, sum);
		double compute = peak > 0 ? 1e9 * (double)work->flops / peak : 0;
		if (peak <= 0 || work->flops == TC_WORK_UNKNOWN)
			return -1;
		least = compute > least ? compute : least;
	}
	return least;
}

void tc_roof_find(struct tc_roof *roof, const struct tc_timeline *timeline)
{
	const struct tc_works *works = &timeline->works;

	for (size_t i = 0; roof->sums && i < works->count; i++) {
		const struct tc_roof_sum *sum = &roof->sums[i];
		if (works->rows[i].bytes == TC_WORK_UNKNOWN || sum->device_ns <= 0 ||
			sum->call_count == 0)
			continue;
		double least = least_ns(timeline->hardware, &works->rows[i], sum);
		double share = (least + TC_ROOF_START_NS) * (double)sum->call_count /
			       (double)sum->device_ns;
		if (least >= 0 && share * 100 < TC_ROOF_CLASSES * TC_ROOF_CLASS)
			roof->classes[i] = (uint8_t)(share * 100 / TC_ROOF_CLASS) + 1;
		else if (least >= 0)
			roof->classes[i] = TC_ROOF_FAST;
	}
}
