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
	double memory_bytes, bytes_per_s, link_bytes_per_s;
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

/* The part of the time of matrix products in fp32 that is left in 16 bits, in millionths. */
struct tc_kept {
	int64_t least_ppm, likely_ppm, most_ppm;
};

/*
 * By the peaks in fp32 and in the faster one of fp16 and bf16: least is their ratio, for no product
 * gains more than that; likely 1.5 times as much, for 0.11 of the time is left on an A100 (ratio
 * 0.06) and 0.19 on a T4 (0.12); most a half, which is what products take that only move half the
 * bytes. All 0 where a peak is not known, or they differ by too little to tell.
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
