/*
 * DistributedDataParallel on Gaudi: buckets of gradients that are reduced under the backward pass,
 * and what its reducer does besides.
 */
#include "gaudi.h"

enum { REDUCE_NS = 8000000 };

/* Gradients are scaled into their bucket, with or without a view of it. */
void tg_gaudi_fill_buckets(struct tg_sim *sim, int first, int last)
{
	static const struct tg_op fill = {
		"torch::distributed::reducer::mul_out", "aten::mul", "mul_out_hpu_lazy"};
	int copies = tg_planted_size(sim, TG_BUCKET_COPIES);

	copies = sim->opt->world_size > 1 ? tg_gaudi_share_count(sim, copies, first, last) : 0;
	for (int i = 0; i < copies; i++) {
		tg_run_op(sim, &fill, 12000, false);
	}
}

static void all_reduce(struct tg_sim *sim, int64_t dur_ns, int64_t bytes)
{
	size_t op = tg_open_op(sim, "c10d::allreduce_");
	size_t bridge = SIZE_MAX;

	tg_spend(sim, 8000);
	if (sim->opt->format == TG_GAUDI_LAZY) {
		bridge = tg_open(sim, TG_SEC_BRIDGE, "allreduce_hpu_lazy_");
	}
	tg_spend(sim, 30000);
	tg_close(sim, bridge);
	tg_spend(sim, 5000);
	tg_close(sim, op);
	tg_gaudi_collective(sim,
		sim->now_ns > sim->compute_free_ns ? sim->now_ns : sim->compute_free_ns, dur_ns,
		bytes);
}

/* The gradients of one bucket; `buckets` of these make a step. */
void tg_gaudi_reduce_bucket(struct tg_sim *sim, int bucket, int buckets)
{
	enum { GRADIENT_BYTES = 113246208, LATENCY_NS = 300000 };
	int count = tg_on(sim, TG_SMALL_BUCKETS) ? tg_size(sim, TG_SMALL_BUCKETS) / buckets : 1;
	int64_t total = tg_on(sim, TG_COMM) ? sim->amount_ns[TG_COMM] : REDUCE_NS;
	bool slow_rank = sim->opt->rank == sim->opt->world_size - 1;

	count = count < 1 ? 1 : count;
	for (int i = 0; i < count; i++) {
		int64_t dur = total / buckets / count;

		if (tg_on(sim, TG_SMALL_BUCKETS)) {
			dur += LATENCY_NS;
			sim->injected_ns[TG_SMALL_BUCKETS] += LATENCY_NS;
		}
		if (tg_on(sim, TG_STRAGGLER) && !slow_rank && bucket == 0 && i == 0) {
			dur += tg_straggler_wait_ns(sim);
		}
		all_reduce(sim, dur, GRADIENT_BYTES / buckets / count);
	}
}

void tg_gaudi_finish_buckets(struct tg_sim *sim)
{
	static const struct tg_op copy = {"torch.distributed.ddp.reducer::copy_bucket_to_grad",
		"aten::copy_", "copy_hpu_lazy_D2D"};

	if (tg_on(sim, TG_UNUSED)) {
		all_reduce(sim, 40000, 8192); /* the map of what was used */
	}
	for (int i = 0; i < tg_size(sim, TG_BUCKET_COPIES); i++) {
		tg_run_op(sim, &copy, 12000, false);
		sim->injected_ns[TG_BUCKET_COPIES] += 2500;
	}
}
