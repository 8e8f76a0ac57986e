/* Classes, types and collectives of real names of kernels and calls, and the lookup against trying
 * all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "core/array.h"
#include "names/names.h"
#include "names_fixture.h"

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
	const char *name;
	enum tc_name_class name_class;
	enum tc_precision precision;
	enum tc_phase phase;
} kernels[] = {
#define KERNEL(name, a, b, c) {name, TC_CLASS_##a, TC_PRECISION_##b, TC_PHASE_##c},
#include "kernels.def"
#undef KERNEL
};

static void bytes_that_move_have_no_type(void **state)
{
	static const struct {
		const char *name;
		enum tc_precision precision;
	} rows[] = {
		{"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", TC_PRECISION_UNKNOWN},
		{"ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)", TC_PRECISION_UNKNOWN},
		{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWork*)", TC_PRECISION_UNKNOWN},
		{"ncclKernel_AllReduce_RING_LL_Sum_int8_t(ncclWork*)", TC_PRECISION_INT8},
		{"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", TC_PRECISION_BF16},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (label_of("kernel", rows[i].name).precision != rows[i].precision)
			fail_msg("%s", rows[i].name);
}

static const char *or_none(const char *name)
{
	return name ? name : "none";
}

static void kernels_have_their_meaning(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct tc_label label = label_of("kernel", kernels[i].name);
		if (label.name_class != kernels[i].name_class ||
			label.precision != kernels[i].precision || label.phase != kernels[i].phase)
			fail_msg("%s: class %s, precision %s, phase %s", kernels[i].name,
				or_none(tc_class_name(label.name_class)),
				tc_precision_name(label.precision),
				or_none(tc_phase_name(label.phase)));
		assert_int_equal(label.engine, TC_ENGINE_COMPUTE);
		assert_int_equal(label.collective, TC_COLLECTIVE_NONE);
	}
}

static const struct {
	const char *name;
	enum tc_collective collective;
} communicating[] = {
	{"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", TC_COLLECTIVE_ALL_REDUCE},
	{"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		TC_COLLECTIVE_REDUCE_SCATTER},
	{"ncclDevKernel_AllGather_RING_LL", TC_COLLECTIVE_ALL_GATHER},
	{"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", TC_COLLECTIVE_SEND_RECV},
	{"ncclDevKernel_Broadcast_RING_LL", TC_COLLECTIVE_BROADCAST},
	{"ncclDevKernel_Reduce_Sum_f32_RING_LL", TC_COLLECTIVE_REDUCE},
	{"ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC(x)", TC_COLLECTIVE_ALL_REDUCE},
	{"ncclSymDevKernel_AllGather_STMC(x)", TC_COLLECTIVE_ALL_GATHER},
	{"rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)", TC_COLLECTIVE_OTHER},
	{"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", TC_COLLECTIVE_ALL_TO_ALL},
	{"void deep_ep::internode_ll::combine<true, 7168, 9>(void*)", TC_COLLECTIVE_ALL_TO_ALL},
	{"void dpsk::ep::internode::dispatch_ll<7168>(x)", TC_COLLECTIVE_ALL_TO_ALL},
	{"_ZN7deep_ep9intranode8dispatchILi8ELi768ELi8192EEEvP4int4", TC_COLLECTIVE_ALL_TO_ALL},
	{"void multimem_all_reduce_kernel<c10::BFloat16, 16>(x)", TC_COLLECTIVE_ALL_REDUCE},
	{"void at::native::two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(x)",
		TC_COLLECTIVE_ALL_REDUCE},
	{"void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<x> "
	 ">(y)",
		TC_COLLECTIVE_ALL_REDUCE},
	{"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>(x)", TC_COLLECTIVE_ALL_REDUCE},
	{"_ZN5aiter26cross_device_reduce_2stageIDF16bLi8ELb0EEEv", TC_COLLECTIVE_ALL_REDUCE},
	{"void "
	 "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<x>("
	 "y)",
		TC_COLLECTIVE_ALL_REDUCE},
	{"my_allgather_kernel", TC_COLLECTIVE_ALL_GATHER},
	{"fused_reduce_scatter_ring", TC_COLLECTIVE_REDUCE_SCATTER},
	{"oneccl_allreduce_large_bf16", TC_COLLECTIVE_ALL_REDUCE},
	{"mscclKernel_Sum_float_LL(x)", TC_COLLECTIVE_OTHER},
	{"void nvshmemi_transfer_put(x)", TC_COLLECTIVE_OTHER},
	{"hcom_allReduce__012_0_1", TC_COLLECTIVE_ALL_REDUCE},
	{"all-reduce.3", TC_COLLECTIVE_ALL_REDUCE},
	{"userbuffers_fp16_sum_inplace_gpu_rw_ag(int)", TC_COLLECTIVE_ALL_GATHER},
	{"void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>(int)", TC_COLLECTIVE_REDUCE_SCATTER},
	{"void userbuffers_fp16_sum_inplace_gpu_mc<8>(int)", TC_COLLECTIVE_ALL_REDUCE},
	{"kuserbuffers_pushrecv(int, int, int)", TC_COLLECTIVE_SEND_RECV},
	{"kuserbuffers_inc(int*)", TC_COLLECTIVE_OTHER},
	{"c10d::symmetric_memory::barrier_kernel(unsigned int**)", TC_COLLECTIVE_BARRIER},
	{"_ZN4c10d16symmetric_memory14barrier_kernelEPPj", TC_COLLECTIVE_BARRIER},
	{"c10d::symmetric_memory::put_signal_kernel(unsigned int**)", TC_COLLECTIVE_OTHER},
	{"MoeDistributeDispatch", TC_COLLECTIVE_ALL_TO_ALL},
	{"aclnnMoeDistributeCombine_MoeDistributeCombine", TC_COLLECTIVE_ALL_TO_ALL},
};

static void kernels_that_communicate(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(communicating) / sizeof(communicating[0]); i++) {
		struct tc_label label = label_of("kernel", communicating[i].name);
		if (label.engine != TC_ENGINE_COMMUNICATION ||
			label.collective != communicating[i].collective)
			fail_msg("%s: engine %s, collective %s", communicating[i].name,
				tc_engine_name(label.engine), tc_collective_name(label.collective));
		assert_int_equal(label.name_class, TC_CLASS_COLLECTIVE);
	}
	assert_int_equal(
		label_of("kernel", "void blockAllReduce<float>(x)").engine, TC_ENGINE_COMPUTE);
}

static void host_collectives_have_kinds(void **state)
{
	static const struct {
		const char *name;
		enum tc_collective collective;
	} rows[] = {
		{"c10d::allreduce_", TC_COLLECTIVE_ALL_REDUCE},
		{"c10d::_allgather_base_", TC_COLLECTIVE_ALL_GATHER},
		{"c10d::alltoall_base_", TC_COLLECTIVE_ALL_TO_ALL},
		{"c10d::_reduce_scatter_base_", TC_COLLECTIVE_REDUCE_SCATTER},
		{"nccl:all_to_all", TC_COLLECTIVE_ALL_TO_ALL},
		{"nccl:send 0->1", TC_COLLECTIVE_SEND_RECV},
		{"nccl:broadcast", TC_COLLECTIVE_BROADCAST},
		{"nccl:reduce", TC_COLLECTIVE_REDUCE},
		{"nccl:_reduce_scatter_base", TC_COLLECTIVE_REDUCE_SCATTER},
		{"allreduce_hpu_lazy_", TC_COLLECTIVE_ALL_REDUCE},
		{"record_param_comms", TC_COLLECTIVE_NONE},
		{"fsdp::all_gather_copy_in", TC_COLLECTIVE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (label_of("cpu_op", rows[i].name).collective != rows[i].collective)
			fail_msg("%s", rows[i].name);
	assert_int_equal(
		tc_names_collective(names, TC_TEXT("_allgather_base")), TC_COLLECTIVE_ALL_GATHER);
	assert_int_equal(
		tc_names_collective(names, TC_TEXT("all_to_allv")), TC_COLLECTIVE_ALL_TO_ALL);
	assert_int_equal(tc_names_collective(names, TC_TEXT("broadcast")), TC_COLLECTIVE_BROADCAST);
	assert_int_equal(tc_names_collective(names, TC_TEXT("recv")), TC_COLLECTIVE_SEND_RECV);
	assert_int_equal(tc_names_collective(names, TC_TEXT("matmul")), TC_COLLECTIVE_NONE);
}

static void sets_hand_work_to_the_device(void **state)
{
	static const char *const calls[] = {"cudaMemset", "cudaMemsetAsync", "cudaMemset2DAsync",
		"hipMemset", "hipMemsetAsync", "hipMemsetD32Async", "cuMemsetD8Async",
		"cuMemsetD32_v2", "urEnqueueUSMFill", "piextUSMEnqueueMemset",
		"zeCommandListAppendMemoryFill", "musaMemsetAsync", "hsa_amd_memory_fill"};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct tc_label label = label_of("cuda_runtime", calls[i]);
		bool waits = label.mark == TC_MARK_BLOCKING_FILL;
		if (label.role != (waits ? TC_ROLE_SYNC : TC_ROLE_LAUNCH) || !label.is_launch)
			fail_msg("%s: role %s", calls[i], tc_role_name(label.role));
	}
	assert_int_equal(label_of("cuda_runtime", "cudaMemset").mark, TC_MARK_BLOCKING_FILL);
	assert_int_equal(label_of("cuda_runtime", "cudaMemsetAsync").mark, TC_MARK_NONE);
}

static void copies_may_wait(void **state)
{
	static const char *const waiting[] = {"hipMemcpy", "hipMemcpyWithStream", "hipMemcpyDtoH",
		"cudaMemcpy", "cudaMemcpy2D", "cuMemcpyDtoH_v2", "musaMemcpy"};
	static const char *const others[] = {"hipMemcpyAsync", "hipMemcpyPeerAsync",
		"hipMemcpyDtoHAsync", "cudaMemcpyAsync", "cudaMemcpy2DAsync",
		"cuMemcpyDtoHAsync_v2"};

	(void)state;
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++) {
		struct tc_label label = label_of("cuda_runtime", waiting[i]);
		if (label.role != TC_ROLE_SYNC || label.mark != TC_MARK_BLOCKING_COPY ||
			!label.is_launch)
			fail_msg("%s: role %s", waiting[i], tc_role_name(label.role));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (label_of("cuda_runtime", others[i]).role != TC_ROLE_LAUNCH)
			fail_msg("%s", others[i]);
}

static void marks_of_libraries_around_a_loop(void **state)
{
	(void)state;
	assert_int_equal(
		label_of("user_annotation", "## KJTAllToAllSplitsAwaitable wait() ##").mark,
		TC_MARK_EXCHANGE);
	assert_int_equal(label_of("user_annotation", "## all2all_data:kjt lengths ##").mark,
		TC_MARK_EXCHANGE);
	assert_int_equal(label_of("user_annotation", "## forward ##").mark, TC_MARK_NONE);
	assert_int_equal(label_of("user_annotation", "Optimizer.step#FusedAdam.step").name_class,
		TC_CLASS_OPTIMIZER);
	assert_int_equal(label_of("user_annotation", "Optimizer.step#FusedAdam.step").mark,
		TC_MARK_OPTIMIZER_STEP);
	assert_int_equal(
		label_of("user_annotation", "Optimizer.step#DistributedFusedLAMB.step").name_class,
		TC_CLASS_OPTIMIZER);
	assert_int_equal(
		label_of("user_annotation", "Optimizer.step#Adam.step").name_class, TC_CLASS_NONE);
}

static void marks_of_what_a_loop_should_not_do(void **state)
{
	(void)state;
	assert_int_equal(
		label_of("python_function", "<built-in function collect>").mark, TC_MARK_GARBAGE);
	assert_int_equal(label_of("cpu_op", "CheckpointFunctionBackward").mark, TC_MARK_RECOMPUTE);
	assert_int_equal(
		label_of("python_function", "torch/utils/checkpoint.py(1391): recompute_fn").mark,
		TC_MARK_RECOMPUTE);
	assert_int_equal(label_of("user_annotation", "_compile.compile_inner (dynamo_timed)").role,
		TC_ROLE_COMPILE);
	assert_int_equal(
		label_of("cpu_op", "AscendCL@aclopCompileAndExecute").role, TC_ROLE_COMPILE);
	assert_int_equal(
		label_of("python_function", "torch/_dynamo/convert_frame.py(551): _compile").role,
		TC_ROLE_COMPILE);
	assert_int_equal(
		label_of("python_function", "torch/_dynamo/convert_frame.py(92): __call__").role,
		TC_ROLE_NONE);
	assert_int_equal(
		label_of("python_function", "triton/compiler/compiler.py(184): compile").role,
		TC_ROLE_COMPILE);
	assert_int_equal(label_of("cpu_op", "aten::normal_").name_class, TC_CLASS_RANDOM);
	assert_int_equal(label_of("cpu_op", "aten::randn").name_class, TC_CLASS_RANDOM);
	assert_int_equal(label_of("cpu_op", "aten::zeros_like").name_class, TC_CLASS_MEMSET);
	assert_int_equal(label_of("cpu_op", "aten::norm").name_class, TC_CLASS_GRADIENT_NORM);
	assert_int_equal(label_of("cpu_op", "aten::add").name_class, TC_CLASS_ELEMENTWISE);
	assert_int_equal(
		label_of("cpu_op", "aten::gelu_backward").name_class, TC_CLASS_ELEMENTWISE);
	assert_int_equal(
		label_of("cpu_op", "aten::max_pool2d_with_indices").name_class, TC_CLASS_POOLING);
	assert_int_equal(label_of("cpu_op", "aten::_log_softmax").name_class, TC_CLASS_LOSS);
	assert_int_equal(label_of("cpu_op", "aten::index_select").name_class, TC_CLASS_INDEX);
	assert_int_equal(label_of(NULL, "IteratorGetNext").role, TC_ROLE_DATALOADER);
	assert_int_equal(label_of(NULL, "NEGOTIATE_ALLREDUCE").role, TC_ROLE_COLLECTIVE);
	assert_int_equal(label_of(NULL, "NEGOTIATE_ALLREDUCE").mark, TC_MARK_HOROVOD);
	assert_int_equal(label_of(NULL, "MEMCPY_IN_FUSION_BUFFER").role, TC_ROLE_COLLECTIVE);
	assert_int_equal(label_of(NULL, "DistributedSGD/HorovodAllreduce_grads_3_0").role,
		TC_ROLE_COLLECTIVE);
	assert_int_equal(label_of("user_annotation", "batch-generator").role, TC_ROLE_DATALOADER);
	assert_int_equal(
		label_of("user_annotation", "embedding-grads-all-reduce").role, TC_ROLE_COLLECTIVE);
	assert_int_equal(
		label_of("user_annotation", "optimizer-inner-step").phase, TC_PHASE_OPTIMIZER);
	assert_int_equal(label_of("user_annotation", "forward-backward").phase, TC_PHASE_NONE);
	assert_int_equal(label_of("user_annotation", "backward-compute").phase, TC_PHASE_BACKWARD);
	assert_int_equal(
		label_of(NULL, "Iterator::Root::Prefetch::GetNext").role, TC_ROLE_DATALOADER);
}

/* PyTorch without Kineto writes no categories; other writers without them have no such names. */
static void operations_without_categories(void **state)
{
	static const char *const operations[] = {"aten::mm", "torch::autograd::AccumulateGrad",
		"autograd::engine::evaluate_function: MmBackward0", "MmBackward0"};
	static const char *const others[] = {
		"ProfilerStep#3", "Backward", "jit(mm)", "my::aten::mm"};

	(void)state;
	for (size_t i = 0; i < TC_COUNT_OF(operations); i++)
		assert_true(label_of(NULL, operations[i]).is_op);
	for (size_t i = 0; i < TC_COUNT_OF(others); i++)
		assert_false(label_of(NULL, others[i]).is_op);
	assert_false(label_of("user_annotation", "aten::mm").is_op);
	assert_int_equal(label_of("STDIO", "fopen64").mark, TC_MARK_DFTRACER);
	assert_int_equal(label_of(NULL, "bmm_1 Cmpt Exec").mark, TC_MARK_FLEX);
	assert_int_equal(label_of("kernel", "bmm_1 Cmpt Exec").mark, TC_MARK_NONE);
}

static void dma_of_mtia_copies(void **state)
{
	struct tc_label label = label_of("mtia_ccp_events", "dma_request");

	(void)state;
	assert_int_equal(label.engine, TC_ENGINE_COPY);
	assert_int_equal(label.kind, TC_OP_KERNEL);
	assert_int_equal(label_of("mtia_ccp_events", "pe_exe").engine, TC_ENGINE_COMPUTE);
	assert_int_equal(label_of("mtia_ccp_events", "merge").mark, TC_MARK_NONE);
	assert_int_equal(label_of("mtia_ccp_events", "event_wait").mark, TC_MARK_DEVICE_WAIT);
}

/* What the table says of a name, by trying every row. */
static unsigned slow_fact(const struct tc_label *label, enum tc_name_where where, enum tc_fact fact)
{
	const struct tc_name_rule *rules;
	size_t count = tc_name_rules(&rules);

	for (size_t i = 0; i < count; i++)
		if (rules[i].name && (rules[i].holds_in & where) && rules[i].facts[fact] &&
			(!rules[i].category ||
				tc_pattern_match(rules[i].category, tc_label_category(label))) &&
			tc_pattern_match(rules[i].name, tc_label_name(label)))
			return rules[i].facts[fact] - 1u;
	return 0;
}

static void check_against_all(const char *category, const char *name)
{
	struct tc_label label = label_of(category, name);

	if ((unsigned)label.precision != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_PRECISION) ||
		(unsigned)label.mark != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_MARK) ||
		(unsigned)label.phase != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_PHASE) ||
		(unsigned)label.task_engine != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_TASK))
		fail_msg("%s", name);
}

/* A name that matches a pattern, with what '*' and '%' stand for. */
static void name_of(char *out, size_t size, const char *pattern, const char *any)
{
	size_t len = 0;

	for (; *pattern && len + strlen(any) + 2 < size; pattern++) {
		if (*pattern == '*')
			len += (size_t)snprintf(out + len, size - len, "%s", any);
		else
			out[len++] = *pattern == '%' ? '7' : *pattern;
	}
	out[len] = '\0';
}

static void the_lookup_finds_what_trying_all_finds(void **state)
{
	static const char *const between[] = {"", "x", "_float_gemm_", "bfloat16 allreduce"};
	const struct tc_name_rule *rules;
	size_t count = tc_name_rules(&rules);
	char name[512];

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		check_against_all("kernel", kernels[i].name);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; rules[i].name && j < sizeof(between) / sizeof(between[0]); j++) {
			name_of(name, sizeof(name), rules[i].name, between[j]);
			check_against_all("kernel", name);
		}
}

/* A row that earlier ones leave nothing to say is a mistake. */
static void every_rule_has_a_name_that_it_decides(void **state)
{
	const struct tc_name_rule *rules;
	size_t count = tc_name_rules(&rules);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i && rules[i].name; j++) {
			if (!rules[j].name || rules[i].category || rules[j].category ||
				(rules[i].holds_in & ~rules[j].holds_in) ||
				strcmp(rules[i].name, rules[j].name) != 0)
				continue;
			for (size_t fact = 0; fact < TC_FACT_COUNT; fact++)
				if (rules[i].facts[fact] && rules[j].facts[fact])
					fail_msg("%s says %s twice", rules[i].name,
						tc_fact_name((enum tc_fact)fact));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_have_their_meaning),
		cmocka_unit_test(bytes_that_move_have_no_type),
		cmocka_unit_test(kernels_that_communicate),
		cmocka_unit_test(host_collectives_have_kinds),
		cmocka_unit_test(sets_hand_work_to_the_device),
		cmocka_unit_test(copies_may_wait),
		cmocka_unit_test(marks_of_libraries_around_a_loop),
		cmocka_unit_test(marks_of_what_a_loop_should_not_do),
		cmocka_unit_test(operations_without_categories),
		cmocka_unit_test(dma_of_mtia_copies),
		cmocka_unit_test(the_lookup_finds_what_trying_all_finds),
		cmocka_unit_test(every_rule_has_a_name_that_it_decides),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
