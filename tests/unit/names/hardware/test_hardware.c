/* Data sheets of devices: which row a name and its memory choose, and that rows make sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "names/hardware/hardware.h"

static const struct tc_hardware *find(const char *name, int64_t memory_bytes)
{
	return tc_hardware_find(tc_text_from(name), memory_bytes);
}

static bool near(double a, double b)
{
	return a - b < 1e-6 && b - a < 1e-6;
}

/* Names and memory as real traces have them. */
static void test_devices(void **state)
{
	static const struct {
		const char *name;
		int64_t memory_bytes;
		double bf16_tflops, fp16_tflops, gb_per_s;
	} cases[] = {
		{"GAUDI2", 102106132480, 432, 0, 2460},
		{"Tesla V100-SXM2-32GB", 34079899648, 0, 125, 900},
		{"Tesla V100-DGXS-32GB", 34084028416, 0, 125, 900},
		{"NVIDIA A100-PG509-200", 42297524224, 312, 312, 1555},
		{"NVIDIA A100-SXM4-40GB", 42297524224, 312, 312, 1555},
		{"NVIDIA A100-SXM4-80GB", 85018279936, 312, 312, 2039},
		{"NVIDIA A100-SXM4-80GB", 0, 312, 312, 2039},
		{"NVIDIA H100 80GB HBM3", 85018279936, 989.4, 989.4, 3350},
		{"NVIDIA H100 NVL", 100000000000, 835.5, 835.5, 3900},
		{"NVIDIA GeForce RTX 2080 Ti", 11545870336, 0, 56.9, 616},
		{"NVIDIA GeForce RTX 3090", 25446907904, 71, 71, 936},
		{"NVIDIA GeForce RTX 4090", 25393692672, 165.2, 165.2, 1008},
		{"NVIDIA RTX A6000", 51041271808, 154.8, 154.8, 768},
		{"AMD Instinct MI210", 68702699520, 181, 181, 1638.4},
		{"AMD Instinct MI250X", 68702699520, 191.5, 191.5, 1638.4},
		{"AMD Instinct MI250X / MI250", 68702699520, 0, 0, 1638.4},
		{"AMD Instinct MI300X VF", 205571227648, 1307.4, 1307.4, 5300},
		{"Intel(R) Data Center GPU Max 1550", 137000000000, 838.9, 838.9, 3276.8},
		{"Intel(R) Data Center GPU Max 1550", 68700000000, 419.4, 419.4, 1638.4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tc_hardware *row = find(cases[i].name, cases[i].memory_bytes);

		assert_non_null(row);
		assert_true(near(row->flops_per_s[TC_PRECISION_BF16] / 1e12, cases[i].bf16_tflops));
		assert_true(near(row->flops_per_s[TC_PRECISION_FP16] / 1e12, cases[i].fp16_tflops));
		assert_true(near(row->bytes_per_s / 1e9, cases[i].gb_per_s));
	}
}

/* Where only the architecture is known. */
static void test_usual(void **state)
{
	(void)state;
	assert_ptr_equal(find("cdna3", 0), find("AMD Instinct MI300X", 0));
	assert_ptr_equal(find("hopper", 0), find("NVIDIA H100 80GB HBM3", 0));
	assert_int_equal(find("hopper", 0)->core_count, 132);
	assert_null(find("ampere", 0)); /* its kernels run on later devices */
}

static void test_kept(void **state)
{
	static const struct {
		const char *name;
		int64_t least_ppm, likely_ppm, most_ppm;
	} cases[] = {
		{"NVIDIA A100-SXM4-40GB", 37500, 93750, 500000},
		{"Tesla T4", 74769, 186923, 500000}, {"AMD Instinct MI100", 149837, 374593, 500000},
		{"NVIDIA GeForce RTX 2080 Ti", 149736, 374340, 500000},
		{"NVIDIA GeForce RTX 4090", 300000, 500000, 750000},
		{"GAUDI2", 0, 0, 0}, /* no data sheet has its rate in fp32 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tc_kept kept = tc_hardware_kept(find(cases[i].name, 0));

		assert_int_equal(kept.least_ppm, cases[i].least_ppm);
		assert_int_equal(kept.likely_ppm, cases[i].likely_ppm);
		assert_int_equal(kept.most_ppm, cases[i].most_ppm);
	}
	assert_int_equal(tc_hardware_kept(NULL).most_ppm, 0);

	const struct tc_hardware even = {
		.flops_per_s = {[TC_PRECISION_FP32] = 1e12, [TC_PRECISION_FP16] = 1e12}};
	assert_int_equal(tc_hardware_kept(&even).likely_ppm, 1000000); /* nothing to win */
}

/* A slice of a device has not its peaks, and what is not listed has none. */
static void test_unknown(void **state)
{
	(void)state;
	assert_null(find("NVIDIA A100-SXM4-80GB MIG 3g.40gb", 42000000000));
	assert_null(find("NVIDIA H100 80GB HBM3", 21000000000));
	assert_null(find("ARTEMIS", 0));
	assert_null(tc_hardware_find(TC_TEXT_NONE, 0));
}

/* Without a name: by cores and memory, and the slowest where several fit. */
static void test_nameless(void **state)
{
	static const struct {
		int64_t core_count, memory_bytes;
		double gb_per_s;
	} cases[] = {
		{132, 85018279936, 3350},
		{132, 150000000000, 4800},
		{132, 0, 3350},
		{114, 85018279936, 2000},
		{108, 42297524224, 1555},
		{108, 85097971712, 1935},
		{108, 0, 1555},
		{304, 205571227648, 5300},
		{104, 68702699520, 1638.4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tc_hardware *row =
			tc_hardware_like(cases[i].core_count, cases[i].memory_bytes);
		assert_non_null(row);
		assert_true(near(row->bytes_per_s, cases[i].gb_per_s * 1e9));
	}
	assert_null(tc_hardware_like(0, 85018279936));
	assert_null(tc_hardware_like(108, 21000000000)); /* more than a part of a device */
	assert_null(tc_hardware_like(7, 0));
}

/* Every row has a source and can be found by its memory; lower precision is never slower. */
static void test_rows(void **state)
{
	static const enum tc_precision faster[] = {TC_PRECISION_FP64, TC_PRECISION_FP32,
		TC_PRECISION_TF32, TC_PRECISION_BF16, TC_PRECISION_FP8, TC_PRECISION_FP4};
	size_t count;
	const struct tc_hardware *rows = tc_hardware_all(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		double before = 0;

		assert_true(rows[i].source && rows[i].source[0]);
		assert_true(rows[i].bytes_per_s >= 300e9 && rows[i].bytes_per_s <= 8000e9);
		for (size_t p = 0; p < sizeof(faster) / sizeof(faster[0]); p++) {
			double peak = rows[i].flops_per_s[faster[p]];

			assert_true(peak <= 0 || peak >= before);
			before = peak > 0 ? peak : before;
		}
	}
}

/* Clocks are those of the peaks: a core does a power of two of operations in a cycle. */
static void test_clocks(void **state)
{
	size_t count, clock_count = 0;
	const struct tc_hardware *rows = tc_hardware_all(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		double cycles = 1e6 * rows[i].core_mhz * (double)rows[i].core_count, power = 512;

		if (cycles <= 0)
			continue;
		while (power * 1.4 < rows[i].flops_per_s[TC_PRECISION_FP16] / cycles)
			power *= 2;
		assert_true(
			fabs(rows[i].flops_per_s[TC_PRECISION_FP16] / cycles / power - 1) < 0.02);
		clock_count++;
	}
	assert_true(clock_count > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_usual),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
