/*
 * The host and the streams of a CUDA device: runtime calls, kernels and copies in stream order,
 * operations of the framework that launch them.
 */
#include "cuda.h"

enum { QUEUE_DEPTH = 1024, LATENCY_NS = 4500, PAUSE_NS = 900, OP_NS = 64000, LAUNCH_NS = 5200 };

size_t tg_cuda_open_runtime(struct tg_sim *sim, const char *name)
{
	struct tg_event *event = tg_add(sim, TG_SEC_SYNAPSE, name);

	event->args = TG_ARGS_CUDA;
	event->a = sim->external_id;
	event->c = ++sim->correlation;
	return sim->count - 1;
}

/* Blocks the host in a runtime call until `until_ns`. */
void tg_cuda_block_in(struct tg_sim *sim, const char *name, int64_t until_ns)
{
	size_t call = tg_cuda_open_runtime(sim, name);
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

/* A stream, and what it is free from. */
static int64_t *free_of(struct tg_sim *sim, int stream)
{
	switch (stream) {
	case TG_STREAM_COMM: return &sim->comm_free_ns;
	case TG_STREAM_HOST_LINK: return &sim->copy_free_ns;
	default: return &sim->compute_free_ns;
	}
}

struct work {
	const char *name;
	enum tg_class cls;
	int stream;
	int64_t ready_ns, dur_ns, bytes;
};

/* Work on a stream, behind what is there already; returns its end. */
static int64_t enqueue(struct tg_sim *sim, struct work work)
{
	int64_t *free_ns = free_of(sim, work.stream);
	int64_t start = sim->now_ns + LATENCY_NS;
	struct tg_event *event;

	start = *free_ns + PAUSE_NS > start ? *free_ns + PAUSE_NS : start;
	start = work.ready_ns > start ? work.ready_ns : start;
	*free_ns = start + work.dur_ns;
	tg_count_device(sim, start, start + work.dur_ns);
	sim->counts.nodes++;
	if (!sim->want_lanes) {
		return start + work.dur_ns;
	}
	event = tg_add(sim, TG_SEC_DEVICE, work.name);
	event->ts_ns = start;
	event->dur_ns = work.dur_ns;
	event->cls = (uint8_t)work.cls;
	event->category = work.cls == TG_DMA ? TG_CAT_MEMCPY : TG_CAT_KERNEL;
	event->lane = (uint16_t)work.stream;
	event->a = sim->external_id;
	event->b = (uint32_t)work.bytes;
	event->c = sim->correlation;
	return start + work.dur_ns;
}

/* Collectives start when the gradients are there. */
void tg_cuda_launch(struct tg_sim *sim, const char *kernel, enum tg_class cls, int64_t dur_ns)
{
	int64_t *slot = &sim->queue_ns[sim->counts.launches % QUEUE_DEPTH];
	bool comm = cls == TG_NIC;
	size_t call = tg_cuda_open_runtime(sim, comm ? "cudaLaunchKernelExC" : "cudaLaunchKernel");
	struct work work = {.name = kernel,
		.cls = cls,
		.stream = comm ? TG_STREAM_COMM : TG_STREAM_COMPUTE,
		.ready_ns = comm ? sim->compute_free_ns : 0,
		.dur_ns = dur_ns};

	if (sim->counts.launches >= QUEUE_DEPTH) {
		sim->throttle_ns += tg_wait(sim, *slot);
	}
	tg_spend(sim, LAUNCH_NS);
	*slot = enqueue(sim, work) - dur_ns;
	if (tg_on(sim, TG_BLOCKING))
		sim->injected_ns[TG_BLOCKING] += tg_wait(sim, *slot + dur_ns);
	tg_close(sim, call);
	if (!sim->failed) {
		sim->events[call].b = 1; /* an arrow starts here */
	}
	sim->counts.launches++;
}

/* Extra host time per operation when the host is the bottleneck. */
static int64_t overhead_ns(struct tg_sim *sim)
{
	int64_t ops = tg_cuda_op_count(sim);
	int64_t extra;

	if (!tg_on(sim, TG_HOST_BOUND)) {
		return 0;
	}
	extra = (sim->slack_ns + sim->amount_ns[TG_HOST_BOUND]) / ops;
	sim->injected_ns[TG_HOST_BOUND] += extra;
	return extra;
}

void tg_cuda_run_op(
	struct tg_sim *sim, const struct tg_kernel_op *op, int64_t dur_ns, bool numbered)
{
	size_t outer = tg_open_op(sim, op->name);
	size_t inner = SIZE_MAX;
	int64_t host_ns = op->host_us != 0 ? (int64_t)op->host_us * 1000 : OP_NS;
	int64_t cost = tg_jitter(sim, host_ns, 20, sim->op_serial);

	if (!sim->failed) {
		sim->events[outer].c = 32;
		sim->events[outer].b = numbered ? ++sim->sequence : 0;
		sim->events[outer].inputs = op->inputs;
	}
	tg_spend(sim, cost / 4 + overhead_ns(sim));
	if (op->inner != NULL) {
		inner = tg_open_op(sim, op->inner);
		tg_spend(sim, cost / 4);
	}
	if (op->kernel != NULL) {
		tg_cuda_launch(sim, op->kernel, TG_TPC, dur_ns);
	}
	tg_spend(sim, cost / 4);
	tg_close(sim, inner);
	tg_spend(sim, cost / 8);
	tg_close(sim, outer);
	tg_spend(sim, cost / 8);
}

void tg_cuda_run(struct tg_sim *sim, const struct tg_kernel_op *op)
{
	tg_cuda_run_op(
		sim, op, tg_jitter(sim, (int64_t)op->us * 1000, 2, sim->op_serial + 7000), false);
}

int64_t tg_cuda_copy_on(struct tg_sim *sim, int stream, const char *name, int64_t ready_ns,
	int64_t dur_ns, int64_t bytes)
{
	size_t call = tg_cuda_open_runtime(sim, "cudaMemcpyAsync");
	struct work work = {name, TG_DMA, stream, ready_ns, dur_ns, bytes};
	int64_t end;

	tg_spend(sim, 9000);
	end = enqueue(sim, work);
	tg_close(sim, call);
	if (!sim->failed) {
		sim->events[call].b = 1;
	}
	return end;
}

void tg_cuda_copy(struct tg_sim *sim, const char *name, int64_t dur_ns, int64_t bytes)
{
	tg_cuda_copy_on(sim, TG_STREAM_COMPUTE, name, 0, dur_ns, bytes);
}

void tg_cuda_item(struct tg_sim *sim)
{
	size_t outer = tg_open_op(sim, "aten::item");
	size_t inner;

	tg_spend(sim, 3000);
	inner = tg_open_op(sim, "aten::_local_scalar_dense");
	tg_spend(sim, 4000);
	tg_cuda_copy(sim, "Memcpy DtoH (Device -> Pageable)", 2100, 4);
	tg_cuda_block_in(sim, "cudaStreamSynchronize", sim->compute_free_ns);
	tg_close(sim, inner);
	tg_close(sim, outer);
	tg_spend(sim, 2000);
	sim->counts.items++;
}
