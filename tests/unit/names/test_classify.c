/* Patterns, and what real names of traces mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "names/names.h"
#include "names_fixture.h"

static void patterns_match_whole_texts(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} rows[] = {
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"abc", "abc", true},
		{"abc", "ABC", true},
		{"ABC", "abc", true},
		{"abc", "abcd", false},
		{"abc", "ab", false},
		{"*", "", true},
		{"*", "anything", true},
		{"**", "", true},
		{"a*", "a", true},
		{"a*", "ba", false},
		{"*a", "a", true},
		{"*a", "aab", false},
		{"*a", "aba", true},
		{"a*b*c", "abc", true},
		{"a*b*c", "axxbyyc", true},
		{"a*b*c", "acb", false},
		{"*ab*ab*", "abab", true},
		{"*ab*ab*", "aba", false},
		{"*aab", "aaaab", true},
		{"*[]?.\\*", "x[]?.\\y", true},
		{"a?c", "abc", false},
		{"GPU%", "GPU12", true},
		{"GPU%", "GPU", false},
		{"GPU%", "GPU1x", false},
		{"% a%*", "12 a3b", true},
		{"*.%", "send.x.41", true},
		{"*.%", "send.4x", false},
		{"%", "%", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].pattern, tc_text_from(rows[i].text)) !=
			rows[i].matches)
			fail_msg("%s on %s", rows[i].pattern, rows[i].text);
	assert_true(tc_pattern_match("*", TC_TEXT_NONE));
	assert_false(tc_pattern_match("a*", TC_TEXT_NONE));
	/* Text is not terminated. */
	assert_true(tc_pattern_match("ab", (struct tc_text){"abc", 2}));
}

/* The same by trying every way. */
static bool matches_slowly(const char *pattern, const char *text)
{
	if (*pattern == '\0')
		return *text == '\0';
	if (*pattern == '*') {
		for (const char *rest = text;; rest++) {
			if (matches_slowly(pattern + 1, rest))
				return true;
			if (*rest == '\0')
				return false;
		}
	}
	if (*pattern == '%') {
		size_t digits = strspn(text, "0123456789");
		return digits > 0 && matches_slowly(pattern + 1, text + digits);
	}
	return (*pattern | 32) == (*text | 32) && matches_slowly(pattern + 1, text + 1);
}

static void patterns_match_as_every_way_tried(void **state)
{
	static const char letters[] = "aAb1**%.";
	uint32_t random = 1;
	char pattern[8], text[8];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		for (size_t j = 0; j < sizeof(pattern); j++) {
			random = random * 1664525 + 1013904223;
			pattern[j] = letters[random >> 29];
			text[j] = "aAb12.Ba"[random >> 20 & 7];
		}
		pattern[random >> 8 & 7] = text[random >> 12 & 7] = '\0';
		pattern[sizeof(pattern) - 1] = text[sizeof(pattern) - 1] = '\0';
		if (tc_pattern_match(pattern, tc_text_from(text)) != matches_slowly(pattern, text))
			fail_msg("%s on %s", pattern, text);
	}
}

static void hostile_names_cost_little(void **state)
{
	enum { LEN = 200000 };
	static char name[LEN];

	(void)state;
	memset(name, 's', sizeof(name));
	for (int i = 0; i < 5; i++)
		assert_false(tc_pattern_match("*synLaunch*end", (struct tc_text){name, LEN}));
}

/* Its texts are valid until the next call. */
static struct tc_label label_of(const char *category, const char *name)
{
	static struct tc_buf key;
	struct tc_label label = {.role = TC_ROLE_OTHER};

	tc_label_key(&key, tc_text_from(category), tc_text_from(name));
	tc_label_set_key(&label, tc_buf_text(&key));
	tc_names_classify(names, &label);
	return label;
}

static const struct {
	const char *category, *name;
	enum tc_role role;
	bool is_launch;
} role_rows[] = {
	{"user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
		TC_ROLE_DATALOADER, false},
	{"python_function", "/usr/lib/python3/torch/utils/data/dataloader.py(631): __next__",
		TC_ROLE_DATALOADER, false},
	{"Runtime", "compileGraph (accel0)", TC_ROLE_COMPILE, false},
	{"Runtime", "call:synGraphCompile", TC_ROLE_COMPILE, false},
	{"Runtime", "copy_hpu_lazy_H2D", TC_ROLE_INPUT_COPY, false},
	{"Runtime", "copy_hpu_lazy_D2H_internal", TC_ROLE_OUTPUT_COPY, false},
	{"Runtime", "copy_hpu_lazy_D2H_async", TC_ROLE_OUTPUT_COPY, false},
	{"Runtime", "copy_hpu_lazy_D2D", TC_ROLE_GRAPH_BUILD, false},
	{"Runtime", "add_tensor_hpu_lazy_", TC_ROLE_GRAPH_BUILD, false},
	{"Runtime", "optimizer_adamw_hpu_lazy", TC_ROLE_GRAPH_BUILD, false},
	{"Runtime", "allreduce_hpu_lazy_", TC_ROLE_COLLECTIVE, false},
	{"Runtime", "reduce_scatter_hpu_lazy_out", TC_ROLE_COLLECTIVE, false},
	{"Runtime", "SyncTensorsGraphInternal", TC_ROLE_GRAPH_BUILD, false},
	{"Runtime", "synEventSynchronize", TC_ROLE_SYNC, false},
	{"Runtime", "synchronizeStream (accel0)", TC_ROLE_SYNC, false},
	{"Runtime", "synchronizeAllStreams", TC_ROLE_SYNC, false},
	{"Runtime", "scal_completion_group_wait_always_interupt", TC_ROLE_SYNC, false},
	{"Runtime", "synLaunchWithExternalEvents", TC_ROLE_LAUNCH, true},
	{"", "call:synLaunchWithExternalEvents", TC_ROLE_LAUNCH, true},
	{"Runtime", "enqueueWithExternalEventsExt (accel0)", TC_ROLE_LAUNCH, true},
	{"Runtime", "memcpyAsync (accel0)", TC_ROLE_LAUNCH, true},
	{"privateuse1_runtime", "LaunchRecipeTask", TC_ROLE_LAUNCH, true},
	{"privateuse1_runtime", "launch_recipe", TC_ROLE_LAUNCH, true},
	{"privateuse1_runtime", "add_new_recipe", TC_ROLE_GRAPH_BUILD, false},
	{"python_function", "<built-in method replayV3 of PyCapsule object at 0x7f>",
		TC_ROLE_LAUNCH, true},
	{"Runtime", "hcclAllReduce", TC_ROLE_COLLECTIVE, false},
	{"Runtime", "eventRecord (accel0)", TC_ROLE_NONE, false},
	{"cpu_op", "aten::item", TC_ROLE_OUTPUT_COPY, false},
	{"cpu_op", "aten::_local_scalar_dense", TC_ROLE_OUTPUT_COPY, false},
	{"cpu_op", "aten::add", TC_ROLE_DISPATCH, false},
	{"Operator", "aten::add", TC_ROLE_DISPATCH, false},
	{"cpu_op", "c10d::allreduce_", TC_ROLE_COLLECTIVE, false},
	{"cpu_op", "ProfilerStep#4", TC_ROLE_NONE, false},
	{"user_annotation", "ProfilerStep#4", TC_ROLE_NONE, false},
	{"python_function", "train.py(12): main", TC_ROLE_NONE, false},
	{"cuda_runtime", "cudaLaunchKernel", TC_ROLE_LAUNCH, true},
	{"cuda_runtime", "cudaLaunchKernelExC", TC_ROLE_LAUNCH, true},
	{"cuda_driver", "cuLaunchKernelEx", TC_ROLE_LAUNCH, true},
	{"cuda_runtime", "cudaGraphLaunch", TC_ROLE_LAUNCH, true},
	{"cuda_runtime", "cudaMemcpyAsync", TC_ROLE_LAUNCH, true},
	{"cuda_runtime", "cudaMemsetAsync", TC_ROLE_LAUNCH, true},
	{"cuda_runtime", "cudaDeviceSynchronize", TC_ROLE_SYNC, false},
	{"cuda_runtime", "cudaMalloc", TC_ROLE_SETUP, false},
	{"cuda_runtime", "cudaFree", TC_ROLE_SETUP, false},
	{"cuda_driver", "cuModuleLoadDataEx", TC_ROLE_SETUP, false},
	{"cuda_runtime", "hipExtMallocWithFlags", TC_ROLE_SETUP, false},
	{"xpu_runtime", "urUSMDeviceAlloc", TC_ROLE_SETUP, false},
	{"cuda_runtime", "cudaStreamIsCapturing", TC_ROLE_NONE, false},
	{"cuda_runtime", "cudaStreamSynchronize", TC_ROLE_SYNC, false},
	{"cuda_runtime", "cudaEventSynchronize", TC_ROLE_SYNC, false},
	{"cuda_runtime", "cudaEventQuery", TC_ROLE_NONE, false},
	{"cuda_runtime", "hipLaunchKernel", TC_ROLE_LAUNCH, true},
	{"cuda_runtime", "hipExtModuleLaunchKernel", TC_ROLE_LAUNCH, true},
	{"cuda_runtime", "hipMemcpyWithStream", TC_ROLE_SYNC, true},
	{"cuda_runtime", "hipDeviceSynchronize", TC_ROLE_SYNC, false},
	{"xpu_runtime", "urEnqueueKernelLaunch", TC_ROLE_LAUNCH, true},
	{"xpu_runtime", "urEventWait", TC_ROLE_SYNC, false},
	{"xpu_runtime", "zeEventHostSynchronize", TC_ROLE_SYNC, false},
	{"mtia_runtime", "synchronize", TC_ROLE_SYNC, false},
	{"mtia_runtime", "runFunction - job_prep_and_submit_for_execution", TC_ROLE_LAUNCH, true},
	{"mtia_runtime", "enqueueCommand memcpyHtoDAsync", TC_ROLE_LAUNCH, true},
	{"mtia_runtime", "enqueueCommand waitOnEvent", TC_ROLE_NONE, false},
	{"python_function", "torch/mtia/__init__.py(80): synchronize", TC_ROLE_NONE, false},
	{"collective_comm", "xccl::allreduce", TC_ROLE_COLLECTIVE, false},
	{"xpu_sync", "zeEventHostSynchronize", TC_ROLE_SYNC, false},
	{"privateuse1_runtime", "rbln launch", TC_ROLE_LAUNCH, true},
	{"mlu_runtime", "cnInvokeKernel", TC_ROLE_LAUNCH, true},
	{"mlu_runtime", "cnrtQueueSync", TC_ROLE_SYNC, false},
	{"musa_runtime", "musaLaunchKernel", TC_ROLE_LAUNCH, true},
	{"musa_runtime", "musaStreamSynchronize", TC_ROLE_SYNC, false},
	{"gcu_runtime", "topsLaunchKernel", TC_ROLE_LAUNCH, true},
	{"privateuse1_runtime", "aiuLaunchControlBlocks", TC_ROLE_LAUNCH, true},
	{"privateuse1_runtime", "aiuScheduleWait", TC_ROLE_SYNC, false},
	{NULL, "AscendCL@aclnnAddmm", TC_ROLE_LAUNCH, true},
	{NULL, "AscendCL@aclrtMemcpyAsync", TC_ROLE_LAUNCH, true},
	{NULL, "AscendCL@aclrtSynchronizeStream", TC_ROLE_SYNC, false},
	{NULL, NULL, TC_ROLE_NONE, false},
	{NULL, "", TC_ROLE_NONE, false},
	{"cpu_op", NULL, TC_ROLE_DISPATCH, false},
};

static void names_have_roles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(role_rows) / sizeof(role_rows[0]); i++) {
		struct tc_label label = label_of(role_rows[i].category, role_rows[i].name);
		if (label.role != role_rows[i].role || label.is_launch != role_rows[i].is_launch)
			fail_msg("%s: role %s, launch %d", role_rows[i].name,
				tc_role_name(label.role), label.is_launch);
		assert_int_equal(label.engine, TC_ENGINE_NONE);
	}
	assert_int_equal(label_of("cpu_op", "fbgemm::permute_2D_sparse_data").name_class,
		TC_CLASS_EMBEDDING);
	assert_true(label_of("python_function", "x").is_python);
	assert_true(label_of("cpu_op", "x").is_op);
	assert_false(label_of("cuda_runtime", "x").is_op);
}

static void categories_tell_device_work(void **state)
{
	static const struct {
		const char *category, *name;
		enum tc_engine engine;
		enum tc_op_kind kind;
		const char *direction;
	} rows[] = {
		{"kernel", "volta_sgemm_128x32_nt", TC_ENGINE_COMPUTE, TC_OP_KERNEL, NULL},
		{"Kernel", "fused_kernel_0x88805A4E_C_f32", TC_ENGINE_COMPUTE, TC_OP_KERNEL, NULL},
		{"kernel", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)",
			TC_ENGINE_COMMUNICATION, TC_OP_KERNEL, NULL},
		{"kernel", "ncclDevKernel_AllGather_RING_LL", TC_ENGINE_COMMUNICATION, TC_OP_KERNEL,
			NULL},
		{"gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", TC_ENGINE_COPY, TC_OP_MEMCPY,
			"HtoD"},
		{"gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", TC_ENGINE_COPY, TC_OP_MEMCPY,
			"DtoH"},
		{"gpu_memcpy", "Memcpy PtoP (Device -> Device)", TC_ENGINE_COPY, TC_OP_MEMCPY,
			"PtoP"},
		{"gpu_memcpy", "CopyHostToDevice", TC_ENGINE_COPY, TC_OP_MEMCPY, "HtoD"},
		{"gpu_memcpy", "Memcpy M2D (MEMORY -> DEVICE)", TC_ENGINE_COPY, TC_OP_MEMCPY,
			"HtoD"},
		{"gpu_memcpy", "Memcpy D2M (DEVICE -> MEMORY)", TC_ENGINE_COPY, TC_OP_MEMCPY,
			"DtoH"},
		{"gpu_memcpy", "Memcpy", TC_ENGINE_COPY, TC_OP_MEMCPY, NULL},
		{"gpu_memset", "Memset (Device)", TC_ENGINE_COPY, TC_OP_MEMSET, NULL},
		{"Memcpy", "Memcpy DtoD (Device -> Device)", TC_ENGINE_COPY, TC_OP_MEMCPY, "DtoD"},
		{"mtia_ccp_events", "x", TC_ENGINE_COMPUTE, TC_OP_KERNEL, NULL},
		{"hpu_op", "DmaMemcpy", TC_ENGINE_NONE, TC_OP_MEMCPY, NULL},
		{"gpu_user_annotation", "ProfilerStep#1", TC_ENGINE_NONE, TC_OP_NONE, NULL},
		{"cpu_op", "aten::copy_", TC_ENGINE_NONE, TC_OP_NONE, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tc_label label = label_of(rows[i].category, rows[i].name);
		if (label.engine != rows[i].engine || label.kind != rows[i].kind)
			fail_msg("%s %s: engine %s, kind %s", rows[i].category, rows[i].name,
				tc_engine_name(label.engine), tc_op_kind_name(label.kind));
		if (rows[i].direction)
			assert_string_equal(tc_direction_name(label.direction), rows[i].direction);
		else
			assert_int_equal(label.direction, TC_DIRECTION_NONE);
	}
}

static void gaudi_lanes_by_name_or_number(void **state)
{
	static const struct {
		const char *name;
		bool has_tid;
		int64_t tid;
		enum tc_engine engine;
	} rows[] = {
		{"[HD0] TPC 3", true, 7003, TC_ENGINE_TPC},
		{"[HD0] MME", true, 6000, TC_ENGINE_MME},
		{"[D0] SPDMA 0", true, 3000, TC_ENGINE_DMA},
		{"*EDMA 0_1", true, 4001, TC_ENGINE_DMA},
		{"*NIC 4", true, 14004, TC_ENGINE_NIC},
		{"ARC_FARM 0", true, 12000, TC_ENGINE_OTHER},
		{"PMMU", true, 10000, TC_ENGINE_OTHER},
		/* The name wins over the number. */
		{"MME 1", true, 7001, TC_ENGINE_MME},
		{NULL, true, 1, TC_ENGINE_DMA},
		{NULL, true, 999, TC_ENGINE_DMA},
		{NULL, true, 1000, TC_ENGINE_MME},
		{NULL, true, 2999, TC_ENGINE_TPC},
		{NULL, true, 3000, TC_ENGINE_DMA},
		{NULL, true, 5999, TC_ENGINE_DMA},
		{NULL, true, 6000, TC_ENGINE_MME},
		{NULL, true, 7999, TC_ENGINE_TPC},
		{NULL, true, 8000, TC_ENGINE_OTHER},
		{NULL, true, 13999, TC_ENGINE_OTHER},
		{NULL, true, 14000, TC_ENGINE_NIC},
		{NULL, true, 17999, TC_ENGINE_NIC},
		{NULL, true, 18000, TC_ENGINE_NONE},
		{NULL, true, 0, TC_ENGINE_NONE},
		{NULL, true, -7000, TC_ENGINE_NONE},
		{NULL, true, INT64_MAX, TC_ENGINE_NONE},
		{NULL, true, INT64_MIN, TC_ENGINE_NONE},
		{NULL, false, 7000, TC_ENGINE_NONE},
		{"MainThread", true, 7000, TC_ENGINE_TPC},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_gaudi_lane_engine(tc_text_from(rows[i].name), rows[i].has_tid,
			    rows[i].tid) != rows[i].engine)
			fail_msg("%s %lld", rows[i].name, (long long)rows[i].tid);
}

static void test_precision_names(void **state)
{
	(void)state;
	assert_int_equal(tc_precision_of(TC_TEXT("bf16")), TC_PRECISION_BF16);
	assert_int_equal(tc_precision_of(TC_TEXT("BFloat16")), TC_PRECISION_BF16);
	assert_int_equal(tc_precision_of(TC_TEXT("fp8_143")), TC_PRECISION_FP8);
	assert_int_equal(tc_precision_of(TC_TEXT("float32")), TC_PRECISION_FP32);
	assert_int_equal(tc_precision_of(TC_TEXT("float")), TC_PRECISION_OTHER);
	assert_int_equal(tc_precision_of(TC_TEXT("int8")), TC_PRECISION_INT8);
	assert_int_equal(tc_precision_of(TC_TEXT("")), TC_PRECISION_UNKNOWN);
}

static void test_device_waits(void **state)
{
	(void)state;
	assert_int_equal(label_of(NULL, "event_wait").mark, TC_MARK_DEVICE_WAIT);
	assert_int_equal(label_of("kernel", "EVENT_WAIT_SQE").mark, TC_MARK_DEVICE_WAIT);
	assert_int_equal(label_of("mtia_ccp_events", "event_record").mark, TC_MARK_EVENT_RECORD);
	assert_int_equal(label_of(NULL, NULL).mark, TC_MARK_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_whole_texts),
		cmocka_unit_test(patterns_match_as_every_way_tried),
		cmocka_unit_test(hostile_names_cost_little),
		cmocka_unit_test(names_have_roles),
		cmocka_unit_test(categories_tell_device_work),
		cmocka_unit_test(test_precision_names),
		cmocka_unit_test(test_device_waits),
		cmocka_unit_test(gaudi_lanes_by_name_or_number),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
