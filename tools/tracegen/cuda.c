/*
 * One training step of a transformer on CUDA: every operation launches its kernels itself, kernels
 * run in stream order behind the launch latency, collectives on a stream of their own. At most two
 * steps are in flight, because there are two input buffers, and at most QUEUE_DEPTH kernels; then
 * the host blocks in cudaEventSynchronize or in the launch.
 */
#include "kineto.h"

enum {
	BLOCKS = 12,
	QUEUE_DEPTH = 1024,
	IN_FLIGHT = 2,
	LATENCY_NS = 4500,
	OP_NS = 64000,
	LAUNCH_NS = 5200,
	BUCKETS = 4,
	REDUCE_NS = 7000000,
	GRADIENT_BYTES = 340000000
};

enum mark { PLAIN, MATMUL, ATTENTION, POINTWISE };

struct kernel_op {
	const char *name;
	const char *inner;
	const char *kernel;
	uint8_t mark;
	int us;
};

#define VECTORIZED "void at::native::vectorized_elementwise_kernel<4, at::native::"
#define GEMM_BF16                                                                                  \
	"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"  \
	"segment_k_off_kernel__5x_cublas"
#define GEMM_F32                                                                                   \
	"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_"       \
	"aligna4_alignc4_execute_kernel__5x_cublas"

static const struct kernel_op forward_ops[] = {
	{"aten::layer_norm", "aten::native_layer_norm",
		"void at::native::(anonymous "
		"namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
		"float>(int, float, c10::BFloat16 const*, c10::BFloat16*, float*, float*)",
		PLAIN, 32},
	{"aten::linear", "aten::addmm", GEMM_BF16, MATMUL, 170},
	{"aten::scaled_dot_product_attention", "aten::_flash_attention_forward",
		"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
		"128, "
		"128, 4, false, false, cutlass::bfloat16_t>>(pytorch_flash::Flash_fwd_params)",
		ATTENTION, 140},
	{"aten::linear", "aten::addmm", GEMM_BF16, MATMUL, 70},
	{"aten::add", NULL,
		VECTORIZED "CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3> >",
		POINTWISE, 30},
	{"aten::layer_norm", "aten::native_layer_norm",
		"void at::native::(anonymous "
		"namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
		"float>(int, float, c10::BFloat16 const*, c10::BFloat16*, float*, float*)",
		PLAIN, 32},
	{"aten::linear", "aten::addmm", GEMM_BF16, MATMUL, 230},
	{"aten::gelu", NULL,
		VECTORIZED "GeluCUDAKernelImpl<c10::BFloat16>, at::detail::Array<char*, 2> >",
		POINTWISE, 78},
	{"aten::linear", "aten::addmm", GEMM_BF16, MATMUL, 230},
	{"aten::add", NULL,
		VECTORIZED "CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3> >",
		POINTWISE, 30},
};

#define NODE "autograd::engine::evaluate_function: "

static const struct kernel_op backward_ops[] = {
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 230},
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 230},
	{NODE "GeluBackward0", "aten::gelu_backward",
		VECTORIZED
		"GeluBackwardCUDAKernelImpl<c10::BFloat16>, at::detail::Array<char*, 3> >",
		POINTWISE, 110},
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 230},
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 230},
	{NODE "NativeLayerNormBackward0", "aten::native_layer_norm_backward",
		"void at::native::(anonymous "
		"namespace)::layer_norm_grad_input_kernel<c10::BFloat16, "
		"float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, int)",
		PLAIN, 75},
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 70},
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 70},
	{NODE "ScaledDotProductFlashAttentionBackward0", "aten::_flash_attention_backward",
		"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::"
		"Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, "
		"cutlass::bfloat16_t>>"
		"(pytorch_flash::Flash_bwd_params)",
		ATTENTION, 360},
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 170},
	{NODE "AddmmBackward0", "aten::mm", GEMM_BF16, MATMUL, 170},
	{NODE "NativeLayerNormBackward0", "aten::native_layer_norm_backward",
		"void at::native::(anonymous "
		"namespace)::layer_norm_grad_input_kernel<c10::BFloat16, "
		"float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, int)",
		PLAIN, 75},
	{NODE "torch::autograd::AccumulateGrad", "aten::add_",
		VECTORIZED "CUDAFunctor_add<float>, at::detail::Array<char*, 3> >", POINTWISE, 40},
};

enum {
	FORWARD_OPS = sizeof(forward_ops) / sizeof(forward_ops[0]),
	BACKWARD_OPS = sizeof(backward_ops) / sizeof(backward_ops[0])
};

static int blocks_of(const struct tg_sim *sim)
{
	int blocks = BLOCKS * sim->opt->nodes / 100;

	return blocks < 1 ? 1 : blocks;
}

/* The share of a problem's time for one of `parts` places in each block. */
static int64_t share_ns(const struct tg_sim *sim, enum tg_problem problem, int parts)
{
	return sim->amount_ns[problem] / (parts * blocks_of(sim));
}

static size_t open_runtime(struct tg_sim *sim, const char *name)
{
	struct tg_event *event = tg_add(sim, TG_SEC_SYNAPSE, name);

	event->args = TG_ARGS_CUDA;
	event->a = sim->external_id;
	event->c = ++sim->correlation;
	return sim->count - 1;
}

/* Blocks the host in a runtime call until `until_ns`. */
static void block_in(struct tg_sim *sim, const char *name, int64_t until_ns)
{
	size_t call = open_runtime(sim, name);
	int64_t waited;

	tg_spend(sim, 2500);
	waited = tg_wait(sim, until_ns);
	tg_spend(sim, 1500);
	tg_close(sim, call);
	if (waited > 0) {
		sim->counts.blocking_waits++;
		sim->counts.blocked_ns += waited;
	}
}

/* Work on a stream, behind what is there already; returns its end. */
static int64_t enqueue(
	struct tg_sim *sim, const char *name, enum tg_class cls, int64_t dur_ns, int64_t bytes)
{
	bool comm = cls == TG_NIC;
	int64_t *free_ns = comm ? &sim->comm_free_ns : &sim->compute_free_ns;
	int64_t start = sim->now_ns + LATENCY_NS;
	struct tg_event *event;

	start = *free_ns + 900 > start ? *free_ns + 900 : start;
	if (comm && start < sim->compute_free_ns) {
		start = sim->compute_free_ns; /* the gradients have to be there */
	}
	*free_ns = start + dur_ns;
	tg_count_device(sim, start, start + dur_ns);
	sim->counts.nodes++;
	if (!sim->want_lanes) {
		return start + dur_ns;
	}
	event = tg_add(sim, TG_SEC_DEVICE, name);
	event->ts_ns = start;
	event->dur_ns = dur_ns;
	event->cls = (uint8_t)cls;
	event->category = cls == TG_DMA ? TG_CAT_MEMCPY : TG_CAT_KERNEL;
	event->lane = comm ? TG_STREAM_COMM : TG_STREAM_COMPUTE;
	event->a = sim->external_id;
	event->b = (uint32_t)bytes;
	event->c = sim->correlation;
	return start + dur_ns;
}

static void launch(struct tg_sim *sim, const char *kernel, enum tg_class cls, int64_t dur_ns)
{
	int64_t *slot = &sim->queue_ns[sim->counts.launches % QUEUE_DEPTH];
	size_t call = open_runtime(sim, cls == TG_NIC ? "cudaLaunchKernelExC" : "cudaLaunchKernel");

	if (sim->counts.launches >= QUEUE_DEPTH) {
		sim->throttle_ns += tg_wait(sim, *slot);
	}
	tg_spend(sim, LAUNCH_NS);
	*slot = enqueue(sim, kernel, cls, dur_ns, 0) - dur_ns;
	tg_close(sim, call);
	if (!sim->failed) {
		sim->events[call].b = 1; /* an arrow starts here */
	}
	sim->counts.launches++;
}

/* Extra host time per operation when the host is the bottleneck. */
static int64_t overhead_ns(struct tg_sim *sim)
{
	int64_t ops = (int64_t)(FORWARD_OPS + BACKWARD_OPS) * blocks_of(sim);
	int64_t extra;

	if (!tg_on(sim, TG_HOST_BOUND)) {
		return 0;
	}
	extra = (sim->slack_ns + sim->amount_ns[TG_HOST_BOUND]) / ops;
	sim->injected_ns[TG_HOST_BOUND] += extra;
	return extra;
}

static void run_op(struct tg_sim *sim, const struct kernel_op *op, int64_t dur_ns, bool numbered)
{
	size_t outer = tg_open_op(sim, op->name);
	size_t inner = SIZE_MAX;
	int64_t cost = tg_jitter(sim, OP_NS, 20, sim->op_serial);

	if (!sim->failed) {
		sim->events[outer].c = 32;
		sim->events[outer].b = numbered ? ++sim->sequence : 0;
	}
	tg_spend(sim, cost / 4 + overhead_ns(sim));
	if (op->inner != NULL) {
		inner = tg_open_op(sim, op->inner);
		tg_spend(sim, cost / 4);
	}
	launch(sim, op->kernel, TG_TPC, dur_ns);
	tg_spend(sim, cost / 4);
	tg_close(sim, inner);
	tg_spend(sim, cost / 8);
	tg_close(sim, outer);
	tg_spend(sim, cost / 8);
}

static int64_t kernel_ns(const struct tg_sim *sim, const struct kernel_op *op)
{
	return tg_jitter(sim, (int64_t)op->us * 1000, 2, sim->op_serial + 7000);
}

static void run_attention(struct tg_sim *sim, const struct kernel_op *fused)
{
	static const struct kernel_op parts[] = {
		{"aten::matmul", "aten::bmm", GEMM_BF16, PLAIN, 0},
		{"aten::softmax", "aten::_softmax",
			"void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, "
			"c10::BFloat16, float, 10, false, false>(c10::BFloat16*, c10::BFloat16 "
			"const*, "
			"int, int, int, bool const*, int, bool)",
			PLAIN, 0},
		{"aten::matmul", "aten::bmm", GEMM_BF16, PLAIN, 0},
	};
	int64_t extra = share_ns(sim, TG_ATTENTION, 2);

	for (int i = 0; i < 3; i++) {
		run_op(sim, &parts[i], (kernel_ns(sim, fused) + extra) / 3, false);
	}
	sim->injected_ns[TG_ATTENTION] += extra;
}

static void run_transpose(struct tg_sim *sim)
{
	static const struct kernel_op transpose = {"aten::contiguous", "aten::clone",
		"void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, "
		"true, "
		"(cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>, __nv_bfloat16 "
		"const*, __nv_bfloat16*)",
		PLAIN, 0};
	int64_t dur = share_ns(sim, TG_TRANSPOSES, 12);

	run_op(sim, &transpose, dur, false);
	sim->injected_ns[TG_TRANSPOSES] += dur;
}

static void run_small(struct tg_sim *sim)
{
	static const struct kernel_op tiny[] = {
		{"aten::mul", NULL,
			VECTORIZED "BinaryFunctor<float>, at::detail::Array<char*, 3> >", PLAIN, 0},
		{"aten::add", NULL,
			VECTORIZED "CUDAFunctor_add<float>, at::detail::Array<char*, 3> >", PLAIN,
			0},
	};
	enum { TINY_NS = 3000, EACH_NS = 54000 };
	int64_t left = share_ns(sim, TG_SMALL_KERNELS, 5) + sim->slack_ns / (5 * blocks_of(sim));

	sim->injected_ns[TG_SMALL_KERNELS] += left;
	for (int i = 0; left >= EACH_NS; i++) {
		run_op(sim, &tiny[i % 2], TINY_NS, false);
		left -= EACH_NS;
	}
}

static void run_kernel_op(struct tg_sim *sim, const struct kernel_op *op, bool numbered)
{
	struct kernel_op changed = *op;
	int64_t dur = kernel_ns(sim, op);
	uint64_t draw = tg_hash(sim->opt->seed, sim->op_serial, 6, 0) % 100;

	if (op->mark == ATTENTION && tg_on(sim, TG_ATTENTION)) {
		run_attention(sim, op);
		return;
	}
	if (op->mark == MATMUL && tg_on(sim, TG_TRANSPOSES)) {
		run_transpose(sim);
	}
	if (op->mark == MATMUL && (int)draw < tg_size(sim, TG_MME_FP32)) {
		changed.kernel = GEMM_F32;
		sim->injected_ns[TG_MME_FP32] += dur;
		dur *= 2;
	}
	run_op(sim, &changed, dur, numbered);
	if (op->mark == POINTWISE && tg_on(sim, TG_SMALL_KERNELS)) {
		run_small(sim);
	}
}

static void copy(struct tg_sim *sim, const char *name, int64_t dur_ns, int64_t bytes)
{
	size_t call = open_runtime(sim, "cudaMemcpyAsync");

	tg_spend(sim, 9000);
	enqueue(sim, name, TG_DMA, dur_ns, bytes);
	tg_close(sim, call);
	if (!sim->failed) {
		sim->events[call].b = 1;
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
	copy(sim, blocking ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy HtoD (Pinned -> Device)",
		780000 + sim->amount_ns[TG_INPUT_COPY], BYTES);
	if (blocking) {
		block_in(sim, "cudaStreamSynchronize", sim->compute_free_ns);
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

static void item(struct tg_sim *sim)
{
	size_t outer = tg_open_op(sim, "aten::item");
	size_t inner;

	tg_spend(sim, 3000);
	inner = tg_open_op(sim, "aten::_local_scalar_dense");
	tg_spend(sim, 4000);
	copy(sim, "Memcpy DtoH (Device -> Pageable)", 2100, 4);
	block_in(sim, "cudaStreamSynchronize", sim->compute_free_ns);
	tg_close(sim, inner);
	tg_close(sim, outer);
	tg_spend(sim, 2000);
	sim->counts.items++;
}

static void reduce_bucket(struct tg_sim *sim, int bucket, int buckets)
{
	static const char kernel[] =
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
	enum { SMALL_LATENCY_NS = 300000 };
	bool small = tg_on(sim, TG_SMALL_BUCKETS);
	int count = small ? tg_size(sim, TG_SMALL_BUCKETS) / buckets : 1;
	int64_t total = tg_on(sim, TG_COMM) ? sim->amount_ns[TG_COMM] : REDUCE_NS;

	count = count < 1 ? 1 : count;
	for (int i = 0; i < count; i++) {
		int64_t dur = total / buckets / count + (small ? SMALL_LATENCY_NS : 0);
		size_t op = tg_open_annotation(sim, "nccl:all_reduce");

		if (tg_on(sim, TG_STRAGGLER) && sim->opt->rank < sim->opt->world_size - 1 &&
			bucket == 0 && i == 0) {
			dur += tg_straggler_wait_ns(sim);
		}
		tg_spend(sim, 14000);
		launch(sim, kernel, TG_NIC, dur);
		tg_close(sim, op);
		tg_spend(sim, 6000);
		sim->injected_ns[TG_SMALL_BUCKETS] += small ? SMALL_LATENCY_NS : 0;
	}
}

static void forward(struct tg_sim *sim)
{
	for (int i = 0; i < blocks_of(sim) * FORWARD_OPS; i++) {
		sim->op_serial = (uint32_t)i;
		run_kernel_op(sim, &forward_ops[i % FORWARD_OPS], true);
		if (i % FORWARD_OPS == 0 && tg_on(sim, TG_DMA_EXPOSED)) {
			int64_t dur = share_ns(sim, TG_DMA_EXPOSED, 1);

			copy(sim, "Memcpy DtoD (Device -> Device)", dur, 50331648);
			sim->injected_ns[TG_DMA_EXPOSED] += dur;
		}
	}
}

static void backward(struct tg_sim *sim)
{
	int blocks = blocks_of(sim);
	bool reduces = sim->opt->world_size > 1;
	bool late = tg_on(sim, TG_COMM);
	int buckets = blocks < BUCKETS ? blocks : BUCKETS;

	sim->thread = TG_AUTOGRAD;
	for (int block = 0; block < blocks; block++) {
		int bucket = buckets * block / blocks;

		for (int i = block * BACKWARD_OPS; i < (block + 1) * BACKWARD_OPS; i++) {
			sim->op_serial = 100000 + (uint32_t)i;
			run_kernel_op(sim, &backward_ops[i % BACKWARD_OPS], false);
		}
		if (reduces && !late && buckets * (block + 1) / blocks > bucket) {
			reduce_bucket(sim, bucket, buckets);
		}
	}
	for (int bucket = 0; bucket < buckets && reduces && late; bucket++) {
		reduce_bucket(sim, bucket, buckets);
	}
	sim->injected_ns[TG_COMM] += reduces && late ? sim->amount_ns[TG_COMM] : 0;
	sim->thread = TG_MAIN;
	if (reduces && sim->compute_free_ns < sim->comm_free_ns) {
		sim->compute_free_ns =
			sim->comm_free_ns; /* cudaStreamWaitEvent before the update */
	}
}

static void clip_norms(struct tg_sim *sim)
{
	static const struct kernel_op fused = {"aten::_foreach_norm", NULL,
		"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
		"(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::"
		"LpNormFunctor<float, (at::native::NormType)1, float, 1, 1, 0>, float*, int>",
		PLAIN, 140};
	static const struct kernel_op norm = {"aten::linalg_vector_norm", NULL,
		"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::"
		"NormTwoOps<float, float, float>, unsigned int, float, 4> >",
		PLAIN, 7};

	if (!tg_on(sim, TG_CLIP_NORM)) {
		run_op(sim, &fused, kernel_ns(sim, &fused), false);
		return;
	}
	for (int i = 0; i < tg_size(sim, TG_CLIP_NORM); i++) {
		run_op(sim, &norm, kernel_ns(sim, &norm), false);
	}
}

/* A fill for each parameter where gradients are kept; dropping them costs the device nothing. */
static void zero_grad(struct tg_sim *sim)
{
	static const struct kernel_op fill = {"aten::zero_", "aten::fill_",
		VECTORIZED "FillFunctor<float>, at::detail::Array<char*, 1> >", PLAIN, 6};
	size_t call;

	if (!tg_on(sim, TG_ZERO_GRAD)) {
		return;
	}
	sim->op_serial = 300000;
	call = tg_open_annotation(sim, "Optimizer.zero_grad#AdamW.zero_grad");
	tg_spend(sim, 20000);
	for (int i = 0; i < tg_size(sim, TG_ZERO_GRAD); i++) {
		run_op(sim, &fill, kernel_ns(sim, &fill), false);
	}
	tg_close(sim, call);
}

static void update(struct tg_sim *sim)
{
	static const struct kernel_op fused = {"aten::_fused_adamw_", NULL,
		"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
		"(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, "
		"at::native::(anonymous "
		"namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, "
		"float "
		"const*, double, double, double, double, double, bool, float const*, float const*>",
		PLAIN, 800};
	static const struct kernel_op single[] = {
		{"aten::mul_", NULL,
			VECTORIZED "BUnaryFunctor<float>, at::detail::Array<char*, 2> >", PLAIN, 9},
		{"aten::addcmul_", NULL,
			VECTORIZED "addcmul_cuda_kernel, at::detail::Array<char*, 4> >", PLAIN, 12},
		{"aten::sqrt", NULL, VECTORIZED "sqrt_kernel_cuda, at::detail::Array<char*, 2> >",
			PLAIN, 8},
		{"aten::addcdiv_", NULL,
			VECTORIZED "addcdiv_cuda_kernel, at::detail::Array<char*, 4> >", PLAIN, 12},
	};
	size_t step;

	sim->op_serial = 200000;
	clip_norms(sim);
	step = tg_open_annotation(sim, "Optimizer.step#AdamW.step");
	tg_spend(sim, 60000);
	if (tg_on(sim, TG_OPTIMIZER)) {
		for (int i = 0; i < 4 * tg_size(sim, TG_OPTIMIZER); i++) {
			run_op(sim, &single[i % 4], kernel_ns(sim, &single[i % 4]), false);
		}
	} else {
		run_op(sim, &fused, kernel_ns(sim, &fused), false);
	}
	tg_close(sim, step);
}

static void throttle(struct tg_sim *sim)
{
	int64_t before = sim->now_ns;
	int64_t until = sim->step_device_end_ns[(sim->step + 4 - IN_FLIGHT) % 4];

	if (sim->step >= IN_FLIGHT && until > sim->now_ns) {
		block_in(sim, "cudaEventSynchronize", until);
	}
	sim->throttle_ns += sim->now_ns - before;
}

void tg_step_cuda(struct tg_sim *sim)
{
	int items = tg_size(sim, TG_DEVICE_SYNC);
	size_t step;

	sim->thread = TG_MAIN;
	sim->step_start_ns = sim->now_ns;
	step = tg_open_annotation(sim, "ProfilerStep#");
	if (!sim->failed) {
		sim->events[step].number = 10 + sim->step;
	}
	tg_spend(sim, 8000);
	throttle(sim);
	load_batch(sim);
	copy_inputs(sim);
	forward(sim);
	for (int i = 1; i < items; i++) {
		item(sim);
	}
	zero_grad(sim);
	backward(sim);
	update(sim);
	if (items > 0 || sim->step % 20 == 19) {
		item(sim);
	}
	tg_memory(sim, -19267584);
	tg_spend(sim, 9000);
	tg_close(sim, step);
	sim->step_end_ns = sim->now_ns;
	sim->step_device_end_ns[sim->step % 4] = sim->compute_free_ns;
	tg_spend(sim, 4000);
}
