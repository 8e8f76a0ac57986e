/* Rows of hardware.def; see hardware.h. */
#include "names/hardware/hardware.h"

#include "core/array.h"
#include "names/pattern.h"

/* Data sheets count 10^9 or 2^30 bytes as a GB, and drivers keep some for themselves. */
#define LEAST_MEMORY 0.75
#define MOST_MEMORY 1.1

static const struct tc_hardware hardware[] = {
#define PEAK(precision, tflops) [TC_PRECISION_##precision] = (tflops)*1e12
#define TC_HARDWARE(name, mme, tpc, memory_gb, gb_per_s, text, link, ...)                          \
	{.pattern = (name),                                                                        \
		.mme_lane_count = (mme),                                                           \
		.tpc_lane_count = (tpc),                                                           \
		.memory_bytes = 1e9 * (memory_gb),                                                 \
		.bytes_per_s = 1e9 * (gb_per_s),                                                   \
		.source = (text),                                                                  \
		.url = (link),                                                                     \
		.flops_per_s = {__VA_ARGS__}},
#include "names/hardware/hardware.def"
};

static bool fits(const struct tc_hardware *row, int64_t memory_bytes)
{
	double share = (double)memory_bytes / row->memory_bytes;

	return memory_bytes <= 0 || row->memory_bytes <= 0 ||
	       (share >= LEAST_MEMORY && share <= MOST_MEMORY);
}

const struct tc_hardware *tc_hardware_find(struct tc_text name, int64_t memory_bytes)
{
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(hardware); i++)
		if (tc_pattern_match(hardware[i].pattern, name) && fits(&hardware[i], memory_bytes))
			return &hardware[i];
	return NULL;
}

const struct tc_hardware *tc_hardware_all(size_t *count)
{
	*count = TC_COUNT_OF(hardware);
	return hardware;
}
