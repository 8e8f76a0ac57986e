/*
 * Devices by the names that drivers give them: devices.def says whose they are and which
 * architecture, hardware.def what their data sheets say. In both the first row that fits decides.
 */
#include "names/hardware/hardware.h"

#include <math.h>

#include "core/array.h"
#include "names/names.h"

/* Data sheets count 10^9 or 2^30 bytes as a GB, and drivers keep some for themselves. */
#define MIN_MEMORY_SHARE 0.75
#define MAX_MEMORY_SHARE 1.1

/* See tc_hardware_kept(). */
#define KEPT_BEST 0.6
#define KEPT_MARGIN 1.5
#define KEPT_BYTES 0.5

static const struct tc_hardware hardware[] = {
#define PEAK(precision, tflops) .flops_per_s[TC_PRECISION_##precision] = (tflops)*1e12
#define CLOCK(mhz) .core_mhz = (mhz)
#define TC_HARDWARE(name, cores, memory_gb, gb_per_s, links, text, link, ...)                      \
	{.pattern = (name),                                                                        \
		.core_count = (cores),                                                             \
		.memory_bytes = 1e9 * (memory_gb),                                                 \
		.bytes_per_s = 1e9 * (gb_per_s),                                                   \
		.link_bytes_per_s = 1e9 * (links),                                                 \
		.source = (text),                                                                  \
		.url = (link),                                                                     \
		__VA_ARGS__},
#include "names/hardware/hardware.def"
};

static bool fits(const struct tc_hardware *row, int64_t memory_bytes)
{
	double share = (double)memory_bytes / row->memory_bytes;

	return memory_bytes <= 0 || row->memory_bytes <= 0 ||
	       (share >= MIN_MEMORY_SHARE && share <= MAX_MEMORY_SHARE);
}

/* Whether the text is a part of a pattern. */
static bool is_part(struct tc_text part, const char *pattern)
{
	struct tc_text rest = tc_text_from(pattern);

	for (; rest.len >= part.len; rest = (struct tc_text){rest.ptr + 1, rest.len - 1})
		if (tc_text_equal((struct tc_text){rest.ptr, part.len}, part))
			return true;
	return false;
}

static const struct {
	const char *architecture, *device;
} usual[] = {
#define TC_USUAL(architecture, device) {architecture, device},
#include "names/hardware/devices.def"
};

const struct tc_hardware *tc_hardware_find(struct tc_text name, int64_t memory_bytes)
{
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(usual); i++)
		if (tc_text_equal(tc_text_from(usual[i].architecture), name))
			name = tc_text_from(usual[i].device);
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(hardware); i++)
		if (tc_pattern_match(hardware[i].pattern, name) && fits(&hardware[i], memory_bytes))
			return &hardware[i];
	for (size_t i = 0; memory_bytes < 0 && name.len > 0 && i < TC_COUNT_OF(hardware); i++)
		if (is_part(name, hardware[i].pattern))
			return &hardware[i];
	return NULL;
}

const struct tc_hardware *tc_hardware_like(int64_t core_count, int64_t memory_bytes)
{
	const struct tc_hardware *slowest = NULL;

	for (size_t i = 0; core_count > 0 && i < TC_COUNT_OF(hardware); i++) {
		const struct tc_hardware *row = &hardware[i];
		if (row->core_count == core_count && fits(row, memory_bytes) &&
			(!slowest || row->bytes_per_s < slowest->bytes_per_s))
			slowest = row;
	}
	return slowest;
}

static int64_t kept_ppm(double share)
{
	return (int64_t)(fmin(share, 1) * 1e6);
}

struct tc_kept tc_hardware_kept(const struct tc_hardware *device)
{
	const double *peaks = device ? device->flops_per_s : NULL;
	double low = peaks ? fmax(peaks[TC_PRECISION_FP16], peaks[TC_PRECISION_BF16]) : 0;

	if (low <= 0 || peaks[TC_PRECISION_FP32] <= 0)
		return (struct tc_kept){0};
	double ratio = peaks[TC_PRECISION_FP32] / low, margin = ratio * KEPT_MARGIN;
	return (struct tc_kept){.least_ppm = kept_ppm(ratio * KEPT_BEST),
		.likely_ppm = kept_ppm(fmin(margin, fmax(ratio, KEPT_BYTES))),
		.most_ppm = kept_ppm(fmax(margin, KEPT_BYTES))};
}

const struct tc_hardware *tc_hardware_all(size_t *count)
{
	*count = TC_COUNT_OF(hardware);
	return hardware;
}

#define ANY (-1)

static const struct device {
	const char *pattern, *vendor, *architecture;
} devices[] = {
#define TC_DEVICE(pattern, vendor, architecture) {pattern, vendor, architecture},
#include "names/hardware/devices.def"
};

static const struct {
	int64_t major, minor;
	const char *architecture;
} capabilities[] = {
#define TC_CAPABILITY(major, minor, architecture) {major, minor, architecture},
#include "names/hardware/devices.def"
};

static const struct device *find(struct tc_text name)
{
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(devices); i++)
		if (tc_pattern_match(devices[i].pattern, name))
			return &devices[i];
	return NULL;
}

const char *tc_device_vendor(struct tc_text name)
{
	const struct device *device = find(name);

	return device ? device->vendor : NULL;
}

static bool is_of_capability(const char *architecture)
{
	for (size_t i = 0; i < TC_COUNT_OF(capabilities); i++)
		if (strcmp(capabilities[i].architecture, architecture) == 0)
			return true;
	return false;
}

const char *tc_device_architecture(
	const char *vendor, struct tc_text name, int64_t major, int64_t minor)
{
	const struct device *device = find(name);
	bool is_cuda = vendor ? strcmp(vendor, "cuda") == 0
			      : device && strcmp(device->vendor, "cuda") == 0;

	if (is_cuda && device && device->architecture && !is_of_capability(device->architecture))
		return device->architecture;
	for (size_t i = 0; is_cuda && i < TC_COUNT_OF(capabilities); i++)
		if (capabilities[i].major == major &&
			(capabilities[i].minor == ANY || capabilities[i].minor == minor))
			return capabilities[i].architecture;
	if (!device || (vendor && strcmp(vendor, device->vendor) != 0))
		return NULL;
	return device->architecture;
}
