/*
 * DistributedDataParallel on CUDA: buckets of gradients that are reduced under the backward pass,
 * by NCCL on a stream of its own or by gloo on the host, and what its reducer does besides.
 *
 * gloo copies a bucket down on a stream of its own when the gradients are there. A thread of its
 * own waits for that, sends, and copies up; at the end of the backward pass the host waits for it
 * in code that records nothing.
 */
#include "cuda.h"

enum { REDUCE_NS = 7000000, GRADIENT_BYTES = 340000000 };

static const char all_reduce[] =
	"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

/* Gradients of a block are scaled into their bucket, with or without a view of it. */
void tg_cuda_fill_bucket(struct tg_sim *sim, int block)
{
	static const struct tg_kernel_op fill = {.name = "torch::distributed::reducer::mul_out",
		.inner = "aten::mul",
		.kernel = TG_VECTORIZED
		"AUnaryFunctor<float, float, float, at::native::binary_internal::"
		"MulFunctor<float> >, at::detail::Array<char*, 2> >",
		.us = 2,
		.host_us = 16};
	int count = tg_cuda_share_count(sim, tg_planted_size(sim, TG_BUCKET_COPIES), block);

	for (int i = 0; i < count; i++) {
		tg_cuda_run(sim, &fill);
	}
}

/* What one bucket of gloo costs: down the link, over the network, up the link. */
static void reduce_on_host(struct tg_sim *sim, int bucket, int buckets)
{
	enum { LINK_NS = 1600000, BYTES = GRADIENT_BYTES / 4 };
	int64_t network_ns = sim->amount_ns[TG_SLOW_BACKEND] / buckets;
	enum tg_thread thread = sim->thread;
	size_t call = tg_open_op(sim, "c10d::allreduce_");
	size_t work, copy;
	int64_t host_ns, down_ns;

	tg_spend(sim, 11000);
	work = tg_open_annotation(sim, "gloo:all_reduce");
	tg_spend(sim, 5000);
	copy = tg_open_op(sim, "aten::copy_");
	tg_spend(sim, 4000);
	down_ns = tg_cuda_copy_on(sim, TG_STREAM_HOST_LINK, "Memcpy DtoH (Device -> Pinned)",
		sim->compute_free_ns, LINK_NS, BYTES);
	tg_close(sim, copy);
	tg_spend(sim, 9000);
	tg_close(sim, call);
	tg_spend(sim, 4000);
	host_ns = sim->now_ns;
	sim->thread = TG_LAUNCHER;
	sim->now_ns = sim->launcher_ns > host_ns ? sim->launcher_ns : host_ns;
	tg_cuda_block_in(sim, "cudaStreamSynchronize", down_ns);
	tg_spend(sim, tg_jitter(sim, network_ns, 5, 45 + (uint64_t)bucket));
	sim->bucket_end_ns[bucket] = tg_cuda_copy_on(
		sim, TG_STREAM_HOST_LINK, "Memcpy HtoD (Pinned -> Device)", 0, LINK_NS, BYTES);
	tg_spend(sim, 5000);
	sim->launcher_ns = sim->now_ns;
	tg_close(sim, work);
	sim->now_ns = host_ns;
	sim->thread = thread;
	sim->injected_ns[TG_SLOW_BACKEND] += network_ns + 2 * LINK_NS;
}

static void reduce_on_device(struct tg_sim *sim, int64_t dur_ns)
{
	size_t op = tg_open_annotation(sim, "nccl:all_reduce");

	tg_spend(sim, 14000);
	tg_cuda_launch(sim, all_reduce, TG_NIC, dur_ns);
	tg_close(sim, op);
	tg_spend(sim, 6000);
}

void tg_cuda_reduce_bucket(struct tg_sim *sim, int bucket, int buckets)
{
	enum { SMALL_LATENCY_NS = 300000 };
	bool small = tg_on(sim, TG_SMALL_BUCKETS);
	int count = small ? tg_size(sim, TG_SMALL_BUCKETS) / buckets : 1;
	int64_t total = tg_on(sim, TG_COMM) ? sim->amount_ns[TG_COMM] : REDUCE_NS;

	if (tg_on(sim, TG_SLOW_BACKEND)) {
		reduce_on_host(sim, bucket, buckets);
		return;
	}
	count = count < 1 ? 1 : count;
	for (int i = 0; i < count; i++) {
		int64_t dur = total / buckets / count + (small ? SMALL_LATENCY_NS : 0);

		if (tg_on(sim, TG_STRAGGLER) && sim->opt->rank < sim->opt->world_size - 1 &&
			bucket == 0 && i == 0) {
			dur += tg_straggler_wait_ns(sim);
		}
		reduce_on_device(sim, dur);
		sim->injected_ns[TG_SMALL_BUCKETS] += small ? SMALL_LATENCY_NS : 0;
	}
	sim->bucket_end_ns[bucket] = sim->comm_free_ns;
}

/* The stream waits for what is not there yet (cudaStreamWaitEvent). */
static void wait_on_stream(struct tg_sim *sim, int64_t until_ns)
{
	if (sim->compute_free_ns < until_ns) {
		sim->compute_free_ns = until_ns;
	}
}

static void copy_back(struct tg_sim *sim, int count)
{
	for (int i = 0; i < count; i++) {
		size_t op = tg_open_op(sim, "torch.distributed.ddp.reducer::copy_bucket_to_grad");
		size_t copy;

		tg_spend(sim, 2000);
		copy = tg_open_op(sim, "aten::copy_");
		tg_spend(sim, 4000);
		tg_cuda_copy(sim, "Memcpy DtoD (Device -> Device)", 2200, 850000);
		tg_spend(sim, 1500);
		tg_close(sim, copy);
		tg_close(sim, op);
		tg_spend(sim, 1500);
	}
	sim->injected_ns[TG_BUCKET_COPIES] += (int64_t)count * 2200;
}

void tg_cuda_finish_buckets(struct tg_sim *sim, int buckets)
{
	int copies = tg_size(sim, TG_BUCKET_COPIES);

	if (tg_on(sim, TG_UNUSED)) {
		reduce_on_device(sim, 40000); /* the map of what was used */
	}
	if (tg_on(sim, TG_SLOW_BACKEND)) {
		tg_wait(sim, sim->launcher_ns);
	}
	for (int bucket = 0; bucket < buckets && copies > 0; bucket++) {
		wait_on_stream(sim, sim->bucket_end_ns[bucket]);
		copy_back(sim, copies * (bucket + 1) / buckets - copies * bucket / buckets);
	}
	wait_on_stream(sim, sim->comm_free_ns);
	if (tg_on(sim, TG_SLOW_BACKEND)) {
		wait_on_stream(sim, sim->copy_free_ns);
	}
}
