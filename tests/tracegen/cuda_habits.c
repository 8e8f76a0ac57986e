/*
 * Habits of a model's code that cost time on CUDA, each at its place in the step. What a habit
 * needs to be there (the convolutions, the rows, the tensors) stays when it is fixed.
 */
#include "cuda.h"

#define DISTRIBUTION                                                                               \
	"void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<"     \
	"float, 4, at::native::templates::cuda::uniform_and_transform<float, float> >(long, "      \
	"at::PhiloxCudaState)"
#define CHANNELS 256

static const char floats[] = "[\"float\", \"\", \"\", \"\", \"\"]";

/* aten::rand and a copy, or aten::rand on the device. */
static void make_tensor(struct tg_sim *sim)
{
	enum { FILL_NS = 1500000, COPY_NS = 480000, BYTES = 3211264 };
	static const struct tg_inputs size = {"[[], [], [], [], []]",
		"[\"ScalarList\", \"Scalar\", \"\", \"Device\", \"Scalar\"]",
		"[\"[32, 49, 512]\", \"6\", \"\", \"\", \"False\"]"};
	static const struct tg_inputs copied = {
		"[[32, 49, 512], [32, 49, 512], []]", "[\"float\", \"float\", \"Scalar\"]", NULL};
	static const struct tg_kernel_op fill = {
		"aten::uniform_", NULL, DISTRIBUTION, TG_PLAIN, 9, 14, NULL};
	bool on_host = tg_on(sim, TG_CPU_TENSORS);
	size_t rand = tg_open_op_with(sim, "aten::rand", &size);
	size_t op;

	tg_spend(sim, 6000);
	if (!on_host) {
		tg_cuda_run(sim, &fill);
		tg_close(sim, rand);
		return;
	}
	op = tg_open_op(sim, "aten::uniform_");
	tg_spend(sim, tg_jitter(sim, FILL_NS, 5, sim->op_serial + 47));
	tg_close(sim, op);
	tg_close(sim, rand);
	tg_spend(sim, 3000);
	rand = tg_open_op(sim, "aten::to");
	tg_spend(sim, 5000);
	op = tg_open_op_with(sim, "aten::copy_", &copied);
	tg_spend(sim, 4000);
	tg_cuda_copy(sim, "Memcpy HtoD (Pageable -> Device)", COPY_NS, BYTES);
	tg_cuda_block_in(sim, "cudaStreamSynchronize", sim->compute_free_ns);
	tg_close(sim, op);
	tg_close(sim, rand);
	tg_spend(sim, 4000);
	sim->injected_ns[TG_CPU_TENSORS] += FILL_NS + COPY_NS;
}

/* for i in range(rows): y[i] = x[index[i]] * w[i], or one operation for all rows. */
static void take_rows(struct tg_sim *sim, int rows)
{
	static const struct tg_kernel_op pick = {
		"aten::select", "aten::as_strided", NULL, TG_PLAIN, 0, 6, NULL};
	static const struct tg_kernel_op multiply = {"aten::mul", NULL,
		TG_VECTORIZED "BinaryFunctor<float>, at::detail::Array<char*, 3> >", TG_PLAIN, 2,
		14, NULL};
	static const struct tg_kernel_op store = {"aten::copy_", NULL,
		TG_VECTORIZED "direct_copy_kernel_cuda, at::detail::Array<char*, 2> >", TG_PLAIN, 2,
		15, NULL};
	static const struct tg_kernel_op gather = {"aten::index_select", NULL,
		"void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, "
		"unsigned "
		"int, 2, 2, -2, true>",
		TG_PLAIN, 36, 0, NULL};
	static const struct tg_kernel_op all = {"aten::mul", NULL,
		TG_VECTORIZED "BinaryFunctor<float>, at::detail::Array<char*, 3> >", TG_PLAIN, 20,
		0, NULL};

	if (!tg_on(sim, TG_ROW_LOOP)) {
		tg_cuda_run(sim, &gather);
		tg_cuda_run(sim, &all);
		return;
	}
	for (int i = 0; i < rows; i++) {
		tg_spend(sim, 5000); /* Python */
		tg_cuda_run(sim, &pick);
		tg_cuda_run(sim, &pick);
		tg_cuda_run(sim, &multiply);
		tg_cuda_run(sim, &pick);
		tg_cuda_run(sim, &store);
	}
}

/* A convolution and its norm; cuDNN adds the bias with a kernel of its own. */
static void convolve(struct tg_sim *sim)
{
	static const struct tg_inputs with_bias = {
		"[[32, 256, 56, 56], [256, 256, 3, 3], [256], [], [], [], []]", floats, NULL};
	static const struct tg_inputs without = {
		"[[32, 256, 56, 56], [256, 256, 3, 3], [], [], [], [], []]", floats, NULL};
	static const struct tg_kernel_op product = {"aten::cudnn_convolution", NULL,
		"sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
		"tilesize128x128x64_"
		"warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
		TG_PLAIN, 290, 30, NULL};
	static const struct tg_kernel_op bias = {"aten::add_", NULL,
		TG_VECTORIZED "CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 2> >",
		TG_PLAIN, 88, 15, NULL};
	static const struct tg_kernel_op count = {"aten::add_", NULL,
		TG_VECTORIZED "CUDAFunctorOnSelf_add<long>, at::detail::Array<char*, 2> >",
		TG_PLAIN, 2, 15, NULL};
	static const struct tg_kernel_op norm = {"aten::cudnn_batch_norm", NULL,
		"void cudnn::bn_fw_tr_1C11_kernel_NCHW<__nv_bfloat16, float, 512, true, 1>",
		TG_PLAIN, 120, 25, NULL};
	const struct tg_inputs *inputs = tg_on(sim, TG_CONV_BIAS) ? &with_bias : &without;
	size_t outer = tg_open_op_with(sim, "aten::conv2d", inputs);
	size_t inner = tg_open_op_with(sim, "aten::_convolution", inputs);

	tg_cuda_run(sim, &product);
	if (tg_on(sim, TG_CONV_BIAS)) {
		tg_cuda_run(sim, &bias);
		sim->injected_ns[TG_CONV_BIAS] += (int64_t)bias.us * 1000;
	}
	tg_close(sim, inner);
	tg_close(sim, outer);
	tg_spend(sim, 4000);
	tg_cuda_run(sim, &count);
	outer = tg_open_op(sim, "aten::batch_norm");
	tg_cuda_run(sim, &norm);
	tg_close(sim, outer);
	tg_spend(sim, 4000);
}

static void convolve_backward(struct tg_sim *sim)
{
	static const struct tg_kernel_op norm = {TG_NODE "CudnnBatchNormBackward0",
		"aten::cudnn_batch_norm_backward",
		"void cudnn::bn_bw_1C11_kernel_new<__nv_bfloat16, float, float2, 512, true, 1>",
		TG_PLAIN, 190, 30, NULL};
	static const struct tg_kernel_op products[] = {
		{"aten::cudnn_convolution_backward_input", NULL,
			"sm90_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
			"tilesize128x128x64_"
			"warpgroupsize1x1x1_g1_execute_kernel__5x_cudnn",
			TG_PLAIN, 300, 30, NULL},
		{"aten::cudnn_convolution_backward_weight", NULL,
			"sm90_xmma_wgrad_implicit_gemm_indexed_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
			"tilesize128x"
			"128x64_warpgroupsize1x1x1_g1_execute_kernel__5x_cudnn",
			TG_PLAIN, 310, 30, NULL}};
	static const struct tg_kernel_op sum = {"aten::sum", NULL,
		"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
		"at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, "
		"float, c10::BFloat16> >, unsigned int, c10::BFloat16, 4> >",
		TG_PLAIN, 60, 20, NULL};
	size_t node, op;

	tg_cuda_run(sim, &norm);
	node = tg_open_op(sim, TG_NODE "ConvolutionBackward0");
	op = tg_open_op(sim, "aten::convolution_backward");
	if (tg_on(sim, TG_CONV_BIAS)) {
		tg_cuda_run(sim, &sum);
		sim->injected_ns[TG_CONV_BIAS] += (int64_t)sum.us * 1000;
	}
	tg_cuda_run(sim, &products[0]);
	tg_cuda_run(sim, &products[1]);
	tg_close(sim, op);
	tg_close(sim, node);
	tg_spend(sim, 4000);
}

/* What is there `count` times per step, in this block. */
static void repeat(struct tg_sim *sim, enum tg_problem problem, int block, uint32_t serial,
	void (*run)(struct tg_sim *sim))
{
	int count = tg_cuda_share_count(sim, tg_planted_size(sim, problem), block);

	for (int i = 0; i < count; i++) {
		sim->op_serial = serial + (uint32_t)(block * 1000 + i);
		run(sim);
	}
}

void tg_cuda_before_block(struct tg_sim *sim, int block)
{
	repeat(sim, TG_CPU_TENSORS, block, 400000, make_tensor);
	repeat(sim, TG_CONV_BIAS, block, 420000, convolve);
	if (block == tg_cuda_blocks(sim) / 2 && tg_planted(sim, TG_ROW_LOOP)) {
		sim->op_serial = 440000;
		take_rows(sim, tg_planted_size(sim, TG_ROW_LOOP));
	}
}

void tg_cuda_before_backward_block(struct tg_sim *sim, int block)
{
	repeat(sim, TG_CONV_BIAS, block, 460000, convolve_backward);
}

/* A weight that lives elsewhere is copied, then used. */
static void copy_weight(struct tg_sim *sim)
{
	static const struct tg_inputs weight = {"[[512, 512], [512, 512], []]",
		"[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]", NULL};
	enum { LAYERS = 4 };
	int64_t dur = sim->amount_ns[TG_WEIGHT_COPIES] / (LAYERS * tg_cuda_blocks(sim));
	size_t copy = tg_open_op_with(sim, "aten::copy_", &weight);

	tg_spend(sim, 6000);
	tg_cuda_copy(sim, "Memcpy DtoD (Device -> Device)", dur, 524288);
	tg_spend(sim, 3000);
	tg_close(sim, copy);
	sim->injected_ns[TG_WEIGHT_COPIES] += dur;
}

void tg_cuda_before_matmul(struct tg_sim *sim, struct tg_kernel_op *op, int64_t *dur_ns)
{
	static const struct tg_inputs odd = {
		"[[32, 49, 511], [511, 511]]", "[\"c10::BFloat16\", \"c10::BFloat16\"]", NULL};
	static const char kernel[] =
		"sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_stage3_"
		"warpsize2x2x1_tensor16x8x16_aligna2_alignc2_execute_kernel__5x_cublas";
	uint64_t draw = tg_hash(sim->opt->seed, sim->op_serial, 8, 0) % 100;

	if (tg_on(sim, TG_WEIGHT_COPIES) && sim->thread == TG_MAIN) {
		copy_weight(sim);
	}
	if ((int)draw < tg_size(sim, TG_ODD_SIZES)) {
		op->kernel = kernel;
		op->inputs = &odd;
		sim->injected_ns[TG_ODD_SIZES] += *dur_ns / 2;
		*dur_ns += *dur_ns / 2;
	}
}

/* Anomaly detection looks for NaN in the result of each node and reads the answer. */
void tg_cuda_after_node(struct tg_sim *sim)
{
	static const struct tg_kernel_op compare = {"aten::isnan", "aten::ne",
		TG_VECTORIZED "CompareEqFunctor<c10::BFloat16>, at::detail::Array<char*, 3> >",
		TG_PLAIN, 14, 24, NULL};
	static const struct tg_kernel_op any = {"aten::_is_any_true", "aten::any",
		"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, at::native::"
		"func_wrapper_t<bool, at::native::or_kernel_cuda>, unsigned int, bool, 4> >",
		TG_PLAIN, 9, 28, NULL};
	uint64_t draw = tg_hash(sim->opt->seed, sim->op_serial, 9, 0) % 100;

	if ((int)draw >= tg_size(sim, TG_ANOMALY)) {
		return;
	}
	tg_cuda_run(sim, &compare);
	tg_cuda_run(sim, &any);
	tg_cuda_item(sim);
	sim->injected_ns[TG_ANOMALY] += (int64_t)(compare.us + any.us) * 1000;
}
