/*
 * One training step of a transformer on CUDA: every operation launches its kernels itself, kernels
 * run in stream order behind the launch latency, collectives on a stream of their own. At most two
 * steps are in flight, because there are two input buffers, and at most QUEUE_DEPTH kernels; then
 * the host blocks in cudaEventSynchronize or in the launch.
 */
#include "cuda.h"

enum { BLOCKS = 12, IN_FLIGHT = 2, BUCKETS = 4 };

#define GEMM_BF16                                                                                  \
	"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"  \
	"segment_k_off_kernel__5x_cublas"
#define GEMM_F32                                                                                   \
	"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_"       \
	"aligna4_alignc4_execute_kernel__5x_cublas"

static const struct tg_kernel_op forward_ops[] = {
	{"aten::layer_norm", "aten::native_layer_norm",
		"void at::native::(anonymous "
		"namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
		"float>(int, float, c10::BFloat16 const*, c10::BFloat16*, float*, float*)",
		TG_PLAIN, 32, 0, NULL},
	{"aten::linear", "aten::addmm", GEMM_BF16, TG_MATMUL, 170, 0, NULL},
	{"aten::scaled_dot_product_attention", "aten::_flash_attention_forward",
		"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
		"128, "
		"128, 4, false, false, cutlass::bfloat16_t>>(pytorch_flash::Flash_fwd_params)",
		TG_ATTENTION_CORE, 140, 0, NULL},
	{"aten::linear", "aten::addmm", GEMM_BF16, TG_MATMUL, 70, 0, NULL},
	{"aten::add", NULL,
		TG_VECTORIZED "CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3> >",
		TG_POINTWISE, 30, 0, NULL},
	{"aten::layer_norm", "aten::native_layer_norm",
		"void at::native::(anonymous "
		"namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
		"float>(int, float, c10::BFloat16 const*, c10::BFloat16*, float*, float*)",
		TG_PLAIN, 32, 0, NULL},
	{"aten::linear", "aten::addmm", GEMM_BF16, TG_MATMUL, 230, 0, NULL},
	{"aten::gelu", NULL,
		TG_VECTORIZED "GeluCUDAKernelImpl<c10::BFloat16>, at::detail::Array<char*, 2> >",
		TG_POINTWISE, 78, 0, NULL},
	{"aten::linear", "aten::addmm", GEMM_BF16, TG_MATMUL, 230, 0, NULL},
	{"aten::add", NULL,
		TG_VECTORIZED "CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3> >",
		TG_POINTWISE, 30, 0, NULL},
};

static const struct tg_kernel_op backward_ops[] = {
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 230, 0, NULL},
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 230, 0, NULL},
	{TG_NODE "GeluBackward0", "aten::gelu_backward",
		TG_VECTORIZED
		"GeluBackwardCUDAKernelImpl<c10::BFloat16>, at::detail::Array<char*, 3> >",
		TG_POINTWISE, 110, 0, NULL},
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 230, 0, NULL},
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 230, 0, NULL},
	{TG_NODE "NativeLayerNormBackward0", "aten::native_layer_norm_backward",
		"void at::native::(anonymous "
		"namespace)::layer_norm_grad_input_kernel<c10::BFloat16, "
		"float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, int)",
		TG_PLAIN, 75, 0, NULL},
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 70, 0, NULL},
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 70, 0, NULL},
	{TG_NODE "ScaledDotProductFlashAttentionBackward0", "aten::_flash_attention_backward",
		"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::"
		"Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, "
		"cutlass::bfloat16_t>>"
		"(pytorch_flash::Flash_bwd_params)",
		TG_ATTENTION_CORE, 360, 0, NULL},
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 170, 0, NULL},
	{TG_NODE "AddmmBackward0", "aten::mm", GEMM_BF16, TG_MATMUL, 170, 0, NULL},
	{TG_NODE "NativeLayerNormBackward0", "aten::native_layer_norm_backward",
		"void at::native::(anonymous "
		"namespace)::layer_norm_grad_input_kernel<c10::BFloat16, "
		"float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, int)",
		TG_PLAIN, 75, 0, NULL},
	{TG_NODE "torch::autograd::AccumulateGrad", "aten::add_",
		TG_VECTORIZED "CUDAFunctor_add<float>, at::detail::Array<char*, 3> >", TG_POINTWISE,
		40, 0, NULL},
};

enum {
	FORWARD_OPS = sizeof(forward_ops) / sizeof(forward_ops[0]),
	BACKWARD_OPS = sizeof(backward_ops) / sizeof(backward_ops[0])
};

int tg_cuda_blocks(const struct tg_sim *sim)
{
	int blocks = BLOCKS * sim->opt->nodes / 100;

	return blocks < 1 ? 1 : blocks;
}

int tg_cuda_op_count(const struct tg_sim *sim)
{
	return (FORWARD_OPS + BACKWARD_OPS) * tg_cuda_blocks(sim);
}

int tg_cuda_share_count(const struct tg_sim *sim, int count, int block)
{
	int blocks = tg_cuda_blocks(sim);

	return count * (block + 1) / blocks - count * block / blocks;
}

/* The share of a problem's time for one of `parts` places in each block. */
static int64_t share_ns(const struct tg_sim *sim, enum tg_problem problem, int parts)
{
	return sim->amount_ns[problem] / (parts * tg_cuda_blocks(sim));
}

static int64_t kernel_ns(const struct tg_sim *sim, const struct tg_kernel_op *op)
{
	return tg_jitter(sim, (int64_t)op->us * 1000, 2, sim->op_serial + 7000);
}

static void run_attention(struct tg_sim *sim, const struct tg_kernel_op *fused)
{
	static const struct tg_kernel_op parts[] = {
		{"aten::matmul", "aten::bmm", GEMM_BF16, TG_PLAIN, 0, 0, NULL},
		{"aten::softmax", "aten::_softmax",
			"void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, "
			"c10::BFloat16, float, 10, false, false>(c10::BFloat16*, c10::BFloat16 "
			"const*, "
			"int, int, int, bool const*, int, bool)",
			TG_PLAIN, 0, 0, NULL},
		{"aten::matmul", "aten::bmm", GEMM_BF16, TG_PLAIN, 0, 0, NULL},
	};
	int64_t extra = share_ns(sim, TG_ATTENTION, 2);

	for (int i = 0; i < 3; i++) {
		tg_cuda_run_op(sim, &parts[i], (kernel_ns(sim, fused) + extra) / 3, false);
	}
	sim->injected_ns[TG_ATTENTION] += extra;
}

static void run_transpose(struct tg_sim *sim)
{
	static const struct tg_kernel_op transpose = {"aten::contiguous", "aten::clone",
		"void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, "
		"true, "
		"(cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>, __nv_bfloat16 "
		"const*, __nv_bfloat16*)",
		TG_PLAIN, 0, 0, NULL};
	int64_t dur = share_ns(sim, TG_TRANSPOSES, 12);

	tg_cuda_run_op(sim, &transpose, dur, false);
	sim->injected_ns[TG_TRANSPOSES] += dur;
}

static void run_small(struct tg_sim *sim)
{
	static const struct tg_kernel_op tiny[] = {
		{"aten::mul", NULL,
			TG_VECTORIZED "BinaryFunctor<float>, at::detail::Array<char*, 3> >",
			TG_PLAIN, 0, 0, NULL},
		{"aten::add", NULL,
			TG_VECTORIZED "CUDAFunctor_add<float>, at::detail::Array<char*, 3> >",
			TG_PLAIN, 0, 0, NULL},
	};
	enum { TINY_NS = 3000, EACH_NS = 54000 };
	int64_t left =
		share_ns(sim, TG_SMALL_KERNELS, 5) + sim->slack_ns / (5 * tg_cuda_blocks(sim));

	sim->injected_ns[TG_SMALL_KERNELS] += left;
	for (int i = 0; left >= EACH_NS; i++) {
		tg_cuda_run_op(sim, &tiny[i % 2], TINY_NS, false);
		left -= EACH_NS;
	}
}

static void run_kernel_op(struct tg_sim *sim, const struct tg_kernel_op *op, bool numbered)
{
	struct tg_kernel_op changed = *op;
	int64_t dur = kernel_ns(sim, op);
	uint64_t draw = tg_hash(sim->opt->seed, sim->op_serial, 6, 0) % 100;

	if (op->mark == TG_ATTENTION_CORE && tg_on(sim, TG_ATTENTION)) {
		run_attention(sim, op);
		return;
	}
	if (op->mark == TG_MATMUL && tg_on(sim, TG_TRANSPOSES)) {
		run_transpose(sim);
	}
	if (op->mark == TG_MATMUL) {
		tg_cuda_before_matmul(sim, &changed, &dur);
	}
	if (op->mark == TG_MATMUL && (int)draw < tg_size(sim, TG_MME_FP32)) {
		changed.kernel = GEMM_F32;
		sim->injected_ns[TG_MME_FP32] += dur;
		dur *= 2;
	}
	tg_cuda_run_op(sim, &changed, dur, numbered);
	if (op->mark == TG_POINTWISE && tg_on(sim, TG_SMALL_KERNELS)) {
		run_small(sim);
	}
}

static void copy_inputs(struct tg_sim *sim)
{
	enum { BYTES = 19267584 };
	bool blocking = tg_on(sim, TG_INPUT_COPY);
	int64_t start = sim->now_ns;
	size_t to = tg_open_op(sim, "aten::to");
	size_t inner;

	tg_spend(sim, 5000);
	inner = tg_open_op(sim, "aten::copy_");
	tg_spend(sim, 4000);
	tg_memory(sim, BYTES);
	tg_cuda_copy(sim,
		blocking ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy HtoD (Pinned -> Device)",
		780000 + sim->amount_ns[TG_INPUT_COPY], BYTES);
	if (blocking) {
		tg_cuda_block_in(sim, "cudaStreamSynchronize", sim->compute_free_ns);
		sim->injected_ns[TG_INPUT_COPY] += sim->amount_ns[TG_INPUT_COPY];
	}
	tg_close(sim, inner);
	tg_close(sim, to);
	tg_spend(sim, 5000);
	sim->counts.input_copy_ns += sim->now_ns - start;
}

static void load_batch(struct tg_sim *sim)
{
	size_t loader = tg_open_annotation(
		sim, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
	int64_t start = sim->now_ns;
	bool slow_rank = tg_on(sim, TG_STRAGGLER) && sim->opt->rank == sim->opt->world_size - 1;
	int64_t extra =
		tg_on(sim, TG_DATALOADER) ? sim->slack_ns + sim->amount_ns[TG_DATALOADER] : 0;
	int64_t straggle = slow_rank ? sim->slack_ns + sim->amount_ns[TG_STRAGGLER] : 0;

	extra = tg_jitter(sim, extra, 3, 41);
	tg_spend(sim, tg_jitter(sim, 210000, 10, 40) + extra + straggle);
	tg_close(sim, loader);
	sim->injected_ns[TG_DATALOADER] += extra;
	sim->injected_ns[TG_STRAGGLER] += straggle;
	sim->counts.loader_ns += sim->now_ns - start;
}

static void forward(struct tg_sim *sim)
{
	size_t ddp = tg_open_ddp(sim);

	for (int i = 0; i < tg_cuda_blocks(sim) * FORWARD_OPS; i++) {
		if (i % FORWARD_OPS == 0) {
			tg_cuda_before_block(sim, i / FORWARD_OPS);
		}
		sim->op_serial = (uint32_t)i;
		run_kernel_op(sim, &forward_ops[i % FORWARD_OPS], true);
		if (i % FORWARD_OPS == 0 && tg_on(sim, TG_DMA_EXPOSED)) {
			int64_t dur = share_ns(sim, TG_DMA_EXPOSED, 1);

			tg_cuda_copy(sim, "Memcpy DtoD (Device -> Device)", dur, 50331648);
			sim->injected_ns[TG_DMA_EXPOSED] += dur;
		}
	}
	tg_search_unused(sim);
	tg_close(sim, ddp);
}

/* The nodes of one block, from the last layer to the first. */
static void backward_block(struct tg_sim *sim, int block)
{
	tg_cuda_before_backward_block(sim, block);
	for (int i = block * BACKWARD_OPS; i < (block + 1) * BACKWARD_OPS; i++) {
		sim->op_serial = 100000 + (uint32_t)i;
		run_kernel_op(sim, &backward_ops[i % BACKWARD_OPS], false);
		tg_cuda_after_node(sim);
	}
}

static void backward(struct tg_sim *sim, bool reduces)
{
	int blocks = tg_cuda_blocks(sim);
	bool late = tg_on(sim, TG_COMM);
	int buckets = blocks < BUCKETS ? blocks : BUCKETS;

	sim->thread = TG_AUTOGRAD;
	for (int block = 0; block < blocks; block++) {
		int bucket = buckets * block / blocks;

		backward_block(sim, block);
		if (reduces) {
			tg_cuda_fill_bucket(sim, block);
		}
		if (reduces && !late && buckets * (block + 1) / blocks > bucket) {
			tg_cuda_reduce_bucket(sim, bucket, buckets);
		}
	}
	for (int bucket = 0; bucket < buckets && reduces && late; bucket++) {
		tg_cuda_reduce_bucket(sim, bucket, buckets);
	}
	sim->injected_ns[TG_COMM] += reduces && late ? sim->amount_ns[TG_COMM] : 0;
	if (reduces) {
		tg_cuda_finish_buckets(sim, buckets);
	}
	sim->thread = TG_MAIN;
}

static void clip_norms(struct tg_sim *sim)
{
	static const struct tg_kernel_op fused = {"aten::_foreach_norm", NULL,
		"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
		"(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::"
		"LpNormFunctor<float, (at::native::NormType)1, float, 1, 1, 0>, float*, int>",
		TG_PLAIN, 140, 0, NULL};
	static const struct tg_kernel_op norm = {"aten::linalg_vector_norm", NULL,
		"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::"
		"NormTwoOps<float, float, float>, unsigned int, float, 4> >",
		TG_PLAIN, 7, 0, NULL};

	if (!tg_on(sim, TG_CLIP_NORM)) {
		tg_cuda_run(sim, &fused);
		return;
	}
	for (int i = 0; i < tg_size(sim, TG_CLIP_NORM); i++) {
		tg_cuda_run(sim, &norm);
	}
}

/* A fill for each parameter where gradients are kept; dropping them costs the device nothing. */
static void zero_grad(struct tg_sim *sim)
{
	static const struct tg_kernel_op fill = {"aten::zero_", "aten::fill_",
		TG_VECTORIZED "FillFunctor<float>, at::detail::Array<char*, 1> >", TG_PLAIN, 6, 0,
		NULL};
	size_t call;

	if (!tg_on(sim, TG_ZERO_GRAD)) {
		return;
	}
	sim->op_serial = 300000;
	call = tg_open_annotation(sim, "Optimizer.zero_grad#AdamW.zero_grad");
	tg_spend(sim, 20000);
	for (int i = 0; i < tg_size(sim, TG_ZERO_GRAD); i++) {
		tg_cuda_run(sim, &fill);
	}
	tg_close(sim, call);
}

static void update(struct tg_sim *sim)
{
	static const struct tg_kernel_op fused = {"aten::_fused_adamw_", NULL,
		"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
		"(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, "
		"at::native::(anonymous "
		"namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, "
		"float "
		"const*, double, double, double, double, double, bool, float const*, float const*>",
		TG_PLAIN, 800, 0, NULL};
	static const struct tg_kernel_op single[] = {
		{"aten::mul_", NULL,
			TG_VECTORIZED "BUnaryFunctor<float>, at::detail::Array<char*, 2> >",
			TG_PLAIN, 9, 0, NULL},
		{"aten::addcmul_", NULL,
			TG_VECTORIZED "addcmul_cuda_kernel, at::detail::Array<char*, 4> >",
			TG_PLAIN, 12, 0, NULL},
		{"aten::sqrt", NULL,
			TG_VECTORIZED "sqrt_kernel_cuda, at::detail::Array<char*, 2> >", TG_PLAIN,
			8, 0, NULL},
		{"aten::addcdiv_", NULL,
			TG_VECTORIZED "addcdiv_cuda_kernel, at::detail::Array<char*, 4> >",
			TG_PLAIN, 12, 0, NULL},
	};
	size_t step;

	sim->op_serial = 200000;
	clip_norms(sim);
	step = tg_open_annotation(sim, "Optimizer.step#AdamW.step");
	tg_spend(sim, 60000);
	if (tg_on(sim, TG_OPTIMIZER)) {
		for (int i = 0; i < 4 * tg_size(sim, TG_OPTIMIZER); i++) {
			tg_cuda_run(sim, &single[i % 4]);
		}
	} else {
		tg_cuda_run(sim, &fused);
	}
	tg_close(sim, step);
}

static void throttle(struct tg_sim *sim)
{
	int64_t before = sim->now_ns;
	int64_t until = sim->step_device_end_ns[(sim->step + 4 - IN_FLIGHT) % 4];

	if (sim->step >= IN_FLIGHT && until > sim->now_ns) {
		tg_cuda_block_in(sim, "cudaEventSynchronize", until);
	}
	sim->throttle_ns += sim->now_ns - before;
}

void tg_step_cuda(struct tg_sim *sim)
{
	int items = tg_size(sim, TG_DEVICE_SYNC);
	int passes = tg_planted(sim, TG_REDUNDANT) ? tg_planted_size(sim, TG_REDUNDANT) : 1;
	size_t step;

	sim->thread = TG_MAIN;
	sim->step_start_ns = sim->now_ns;
	step = tg_open_annotation(sim, "ProfilerStep#");
	if (!sim->failed) {
		sim->events[step].number = 10 + sim->step;
	}
	tg_spend(sim, 8000);
	throttle(sim);
	for (int pass = 0; pass < passes; pass++) {
		bool last = pass == passes - 1;

		load_batch(sim);
		copy_inputs(sim);
		forward(sim);
		for (int i = 1; i < items && last; i++) {
			tg_cuda_item(sim);
		}
		if (pass == 0) {
			zero_grad(sim);
		}
		backward(sim, sim->opt->world_size > 1 && (last || tg_on(sim, TG_REDUNDANT)));
		if (!last) {
			tg_memory(sim, -19267584);
		}
	}
	update(sim);
	if (tg_planted(sim, TG_PRINTING)) {
		tg_print_progress(sim, tg_cuda_item);
	} else if (items > 0 || sim->step % 20 == 19) {
		tg_cuda_item(sim);
	}
	tg_memory(sim, -19267584);
	tg_spend(sim, 9000);
	tg_close(sim, step);
	sim->step_end_ns = sim->now_ns;
	sim->step_device_end_ns[sim->step % 4] = sim->compute_free_ns;
	tg_spend(sim, 4000);
}
