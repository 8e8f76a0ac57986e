/* Devices by name: vendor and architecture (devices.def), and the figures of its
 * data sheet (hardware.def). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/text.h"
#include "names/label/label.h"

struct tc_hardware {
	const char *pattern;
	int64_t core_count; /* what runs blocks: multiprocessors, TPCs; 0: not known; so are all
			       figures */
	double memory_bytes, bytes_per_s, link_bytes_per_s, core_mhz;
	const char *source, *url;               /* the data sheet, and where it is */
	double flops_per_s[TC_PRECISION_COUNT]; /* of matrix products, without sparsity */
};

/*
 * The row of a device: its name fits, and its memory where both are known (bytes 0 is not known),
 * for a name may have devices of several sizes, and a part of a device has the name of the whole.
 * With bytes below 0 a part of a name is enough. The name of an architecture stands for the usual
 * device of it. NULL for a device that is not listed.
 */
const struct tc_hardware *tc_hardware_find(struct tc_text name, int64_t memory_bytes);

/*
 * The row of a device without a name that tells it, by the number of its cores and its memory (0:
 * not known): where several fit, the one with the slowest memory. NULL when none does.
 */
const struct tc_hardware *tc_hardware_like(int64_t core_count, int64_t memory_bytes);

/* The part of the time of matrix products in fp32 that is left in 16 bits, in millionths. */
struct tc_kept {
	int64_t least_ppm, likely_ppm, most_ppm;
};

/*
 * By the ratio of the peaks in fp32 and in the faster one of fp16 and bf16. Likely is 1.5 times the
 * ratio, for 0.11 of the time is left on an A100 (ratio 0.06) and 0.19 on a T4 (0.12), but no more
 * than products take that only move half the bytes, unless the ratio is more. At least 0.6 times
 * the ratio: large products in fp32 reach two thirds of their peak on cards that count all lanes
 * for it, so 0.32 is left on an RTX 3090 or 4090 (ratio 0.5). At most 1.5 times the ratio, or a
 * half. All 0 where a peak is not known.
 */
struct tc_kept tc_hardware_kept(const struct tc_hardware *device); /* NULL: not known */

/* All rows, for docs and tests. */
const struct tc_hardware *tc_hardware_all(size_t *count);

/* The vendor, as in trace.vendor; NULL when the name does not say. */
const char *tc_device_vendor(struct tc_text name);

/* The architecture, as in trace.architecture: by the compute capability of a CUDA device (major -1
 * where the trace has none), else by the name; NULL when neither says. vendor may be NULL. */
const char *tc_device_architecture(
	const char *vendor, struct tc_text name, int64_t major, int64_t minor);
