/*
 * One training step on Gaudi: load, copy in, forward, backward, collectives, update. At most two
 * steps are in flight; then the host waits. In lazy mode each pass is one graph (more when a
 * problem cuts it), in eager mode each block is a recipe.
 */
#include "gaudi.h"

enum { IN_FLIGHT = 2, BUCKETS = 4, REDUCE_NS = 8000000 };

static const char fused_attention[] = "sdpa_recomp_fwd_lazy";
static const struct tg_op dynamic_op = {"aten::nonzero", NULL, "nonzero_hpu_lazy"};

static const struct tg_op forward_ops[] = {
	{"aten::layer_norm", "aten::native_layer_norm", "empty_hpu_lazy"},
	{"aten::roll", NULL, "slice_hpu_lazy"},
	{"aten::view", NULL, "as_strided_hpu_lazy"},
	{"aten::linear", "aten::addmm", "matmul_hpu_lazy"},
	{"aten::permute", NULL, "permute_hpu_lazy"},
	{"hpu::sdpa_recomp_fwd", NULL, fused_attention},
	{"aten::linear", "aten::addmm", "matmul_hpu_lazy"},
	{"aten::add", NULL, "add_tensor_hpu_lazy"},
	{"aten::layer_norm", "aten::native_layer_norm", "empty_hpu_lazy"},
	{"aten::linear", "aten::addmm", "matmul_hpu_lazy"},
	{"aten::gelu", NULL, "empty_hpu_lazy"},
	{"aten::linear", "aten::addmm", "matmul_hpu_lazy"},
	{"aten::add", NULL, "add_tensor_hpu_lazy"},
};

static const struct tg_op backward_ops[] = {
	{"autograd::engine::evaluate_function: AddBackward0", "AddBackward0", "empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0",
		"matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: GeluBackward0", "GeluBackward0", "empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0",
		"matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: NativeLayerNormBackward0",
		"NativeLayerNormBackward0", "empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0",
		"matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: SDPABackward", "hpu::sdpa_recomp_bwd",
		"empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: PermuteBackward0", "PermuteBackward0",
		"permute_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0",
		"matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: RollBackward0", "RollBackward0", "slice_hpu_lazy"},
	{"autograd::engine::evaluate_function: NativeLayerNormBackward0",
		"NativeLayerNormBackward0", "empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
		"torch::autograd::AccumulateGrad", "add_tensor_hpu_lazy_"},
};

enum {
	FORWARD_OPS = sizeof(forward_ops) / sizeof(forward_ops[0]),
	BACKWARD_OPS = sizeof(backward_ops) / sizeof(backward_ops[0]),
	FORWARD_OP_NS = 88000,
	BACKWARD_OP_NS = 104000
};

/* Extra host time per operation when the host is the bottleneck. */
int64_t tg_op_overhead_ns(struct tg_sim *sim)
{
	int64_t ops = (int64_t)(FORWARD_OPS + BACKWARD_OPS) * tg_gaudi_blocks(sim);
	int64_t extra;

	if (!tg_on(sim, TG_HOST_BOUND)) {
		return 0;
	}
	extra = (sim->slack_ns + sim->amount_ns[TG_HOST_BOUND]) / ops;
	sim->injected_ns[TG_HOST_BOUND] += extra;
	return extra;
}

static bool warms_up(const struct tg_sim *sim)
{
	return sim->step == 0 && tg_on(sim, TG_WARM_UP);
}

/* A graph that is compiled in each step would be in the first one without the problem as well. */
static int compile_count(const struct tg_sim *sim, enum tg_problem cause)
{
	bool is_first = sim->opt->state[cause] == TG_FIXED && sim->step == 0;

	return is_first ? sim->opt->size[cause] : tg_size(sim, cause);
}

/* The recipe of a forward stretch; sets whether it has to be compiled. */
static uint32_t forward_recipe(struct tg_sim *sim, int index, bool *compiled)
{
	static const enum tg_problem causes[] = {TG_RECOMPILE, TG_LOOP_CONST, TG_DYN_SHAPES};

	*compiled = warms_up(sim);
	for (int i = 0, from = 0; i < 3; i++) {
		int count = compile_count(sim, causes[i]);

		if (index >= from && index < from + count) {
			*compiled = true;
			if (sim->step > 0) {
				sim->injected_ns[causes[i]] +=
					sim->healthy_step_ns / 100 * TG_COMPILE_PCT;
			}
			return 100 + ++sim->recipe_serial;
		}
		from += count;
	}
	return 16 + (uint32_t)index;
}

static void load_batch(struct tg_sim *sim)
{
	size_t loader = tg_open_annotation(
		sim, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
	int64_t start = sim->now_ns;
	bool late = tg_on(sim, TG_DATALOADER);
	int64_t extra = late ? sim->slack_ns + sim->amount_ns[TG_DATALOADER] : 0;
	bool slow_rank = tg_on(sim, TG_STRAGGLER) && sim->opt->rank == sim->opt->world_size - 1;
	int64_t straggle = slow_rank ? sim->slack_ns + sim->amount_ns[TG_STRAGGLER] : 0;

	extra = tg_jitter(sim, extra, 3, 41);
	tg_spend(sim, tg_jitter(sim, 410000, 10, 40) + extra + straggle);
	tg_close(sim, loader);
	sim->injected_ns[TG_DATALOADER] += extra;
	sim->injected_ns[TG_STRAGGLER] += straggle;
	sim->counts.loader_ns += sim->now_ns - start;
}

static void copy_inputs(struct tg_sim *sim)
{
	enum { IMAGE_BYTES = 38535168, LABEL_BYTES = 1024 };
	bool blocking = tg_on(sim, TG_INPUT_COPY);
	int64_t extra = blocking ? sim->slack_ns + sim->amount_ns[TG_INPUT_COPY] : 0;

	tg_copy_in(sim, IMAGE_BYTES, 1550000 + extra, blocking);
	tg_copy_in(sim, LABEL_BYTES, 9000, blocking);
	sim->injected_ns[TG_INPUT_COPY] += extra;
}

/* Attention is one operation, or the four it is made of when it is not fused. */
static void run_forward_op(struct tg_sim *sim, const struct tg_op *op)
{
	static const struct tg_op attention[] = {
		{"aten::matmul", "aten::bmm", "matmul_hpu_lazy"},
		{"aten::add", NULL, "add_tensor_hpu_lazy"},
		{"aten::softmax", "aten::_softmax", "empty_hpu_lazy"},
		{"aten::matmul", "aten::bmm", "matmul_hpu_lazy"},
	};

	if (op->bridge != fused_attention || !tg_on(sim, TG_ATTENTION)) {
		tg_run_op(sim, op, FORWARD_OP_NS, true);
		return;
	}
	for (int i = 0; i < 4; i++) {
		tg_run_op(sim, &attention[i], FORWARD_OP_NS / 2, true);
	}
}

/* A few operations that differ from step to step, and with them the graph. */
static void run_changing_ops(struct tg_sim *sim)
{
	static const struct tg_op ops[] = {
		{"aten::clamp", NULL, "empty_hpu_lazy"},
		{"aten::where", NULL, "empty_hpu_lazy"},
		{"aten::mul", NULL, "empty_hpu_lazy"},
		{"aten::cat", NULL, "empty_hpu_lazy"},
	};
	uint64_t draw = tg_hash(sim->opt->seed, sim->step, 61, 0);

	for (uint64_t i = 0; i < 2 + sim->step % 5; i++) {
		sim->op_serial = 300000 + (uint32_t)i;
		tg_run_op(sim, &ops[(draw >> 2 * i) % 4], FORWARD_OP_NS, true);
	}
}

/* How many graphs the forward pass is cut into. */
static int forward_pieces(const struct tg_sim *sim)
{
	int cuts = tg_size(sim, TG_CPU_FALLBACK) + 1;
	int compiled = compile_count(sim, TG_RECOMPILE) + compile_count(sim, TG_LOOP_CONST) +
		       compile_count(sim, TG_DYN_SHAPES);
	int pieces = cuts > compiled ? cuts : compiled;

	if (sim->opt->format == TG_GAUDI_KINETO) {
		return tg_gaudi_blocks(sim);
	}
	return pieces < tg_gaudi_blocks(sim) ? pieces : tg_gaudi_blocks(sim);
}

/* Whether the forward graph waits to be launched with the backward one. */
static bool defers(const struct tg_sim *sim)
{
	return tg_on(sim, TG_FWD_BWD) && !tg_on(sim, TG_CPU_FALLBACK) &&
	       !tg_on(sim, TG_RECOMPILE) && !tg_on(sim, TG_LOOP_CONST) &&
	       !tg_on(sim, TG_DYN_SHAPES);
}

static void forward(struct tg_sim *sim)
{
	int pieces = forward_pieces(sim);
	int from = 0;

	for (int piece = 0; piece < pieces; piece++) {
		int to = tg_gaudi_blocks(sim) * (piece + 1) / pieces;
		struct tg_stretch stretch = {TG_FORWARD, from, to, 0};
		bool compiled;

		if (piece == 0 && tg_on(sim, TG_RECOMPILE)) {
			run_changing_ops(sim);
		}
		if (piece == 0 && tg_on(sim, TG_DYN_SHAPES)) {
			tg_run_op(sim, &dynamic_op, FORWARD_OP_NS, false);
		}
		for (int i = from * FORWARD_OPS; i < to * FORWARD_OPS; i++) {
			sim->op_serial = (uint32_t)i;
			run_forward_op(sim, &forward_ops[i % FORWARD_OPS]);
		}
		stretch.recipe = forward_recipe(sim, piece, &compiled);
		if (piece == pieces - 1 && defers(sim)) {
			sim->deferred_first = from;
			sim->deferred_last = to;
		} else {
			tg_launch(sim, stretch, compiled, 2600000 / pieces);
		}
		if (piece < tg_size(sim, TG_CPU_FALLBACK)) {
			tg_fall_back(sim);
		}
		from = to;
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

/* The gradients of one stretch; `parts` of these make a step. */
static void reduce_gradients(struct tg_sim *sim, int part, int parts)
{
	enum { GRADIENT_BYTES = 113246208, LATENCY_NS = 300000 };
	int count = tg_on(sim, TG_SMALL_BUCKETS) ? tg_size(sim, TG_SMALL_BUCKETS) / parts : 1;
	int64_t total = tg_on(sim, TG_COMM) ? sim->amount_ns[TG_COMM] : REDUCE_NS;
	bool slow_rank = sim->opt->rank == sim->opt->world_size - 1;

	count = count < 1 ? 1 : count;
	for (int i = 0; i < count; i++) {
		int64_t dur = total / parts / count;

		if (tg_on(sim, TG_SMALL_BUCKETS)) {
			dur += LATENCY_NS;
			sim->injected_ns[TG_SMALL_BUCKETS] += LATENCY_NS;
		}
		if (tg_on(sim, TG_STRAGGLER) && !slow_rank && part == 0 && i == 0) {
			dur += tg_straggler_wait_ns(sim);
		}
		all_reduce(sim, dur, GRADIENT_BYTES / parts / count);
	}
}

static void backward_stretch(struct tg_sim *sim, const struct tg_stretch *stretch, int parts)
{
	sim->thread = TG_AUTOGRAD;
	tg_spend(sim, 20000);
	for (int i = stretch->first * BACKWARD_OPS; i < stretch->last * BACKWARD_OPS; i++) {
		sim->op_serial = 100000 + (uint32_t)i;
		tg_run_op(sim, &backward_ops[i % BACKWARD_OPS], BACKWARD_OP_NS, false);
	}
	if (sim->opt->format == TG_GAUDI_LAZY) {
		sim->thread = TG_MAIN; /* the step marker is called behind backward() */
	}
	tg_spend(sim, 20000);
	tg_launch(sim, *stretch, warms_up(sim), 3600000 / parts);
	sim->thread = TG_MAIN;
}

/* Gradients go out in buckets while the rest of the backward pass runs, or all behind it. */
static void backward(struct tg_sim *sim)
{
	int blocks = tg_gaudi_blocks(sim);
	bool reduces = sim->opt->world_size > 1;
	bool late = tg_on(sim, TG_COMM);
	int buckets = blocks < BUCKETS ? blocks : BUCKETS;
	int parts = sim->opt->format == TG_GAUDI_KINETO ? blocks : reduces ? buckets : 1;

	for (int part = 0; part < parts; part++) {
		struct tg_stretch stretch = {TG_BACKWARD, blocks * part / parts,
			blocks * (part + 1) / parts, 40 + (uint32_t)part};
		int bucket = buckets * part / parts;

		backward_stretch(sim, &stretch, parts);
		if (reduces && !late && buckets * (part + 1) / parts > bucket) {
			reduce_gradients(sim, bucket, buckets);
		}
	}
	for (int bucket = 0; bucket < buckets && reduces && late; bucket++) {
		reduce_gradients(sim, bucket, buckets);
	}
	sim->injected_ns[TG_COMM] += reduces && late ? sim->amount_ns[TG_COMM] : 0;
}

/* `count` small operations, taken from `ops` in turn. */
static void run_ops(struct tg_sim *sim, const struct tg_op *ops, int row, int count)
{
	enum { SMALL_OP_NS = 40000 };

	for (int i = 0; i < count; i++) {
		sim->op_serial = 200000 + (uint32_t)i;
		tg_run_op(sim, &ops[i % row], SMALL_OP_NS, false);
	}
}

static void update(struct tg_sim *sim)
{
	static const struct tg_op adamw = {
		"hpu::optimizer_adamw", NULL, "optimizer_adamw_hpu_lazy"};
	static const struct tg_op norm = {"hpu::fused_clip_norm", NULL, "fused_norm_hpu_lazy"};
	struct tg_stretch stretch = {TG_UPDATE, 0, 0, 9};
	static const struct tg_op norms[] = {
		{"aten::linalg_vector_norm", NULL, "empty_hpu_lazy"},
		{"aten::mul_", NULL, "empty_hpu_lazy"},
	};
	static const struct tg_op adams[] = {
		{"aten::mul_", NULL, "empty_hpu_lazy"},
		{"aten::addcmul_", NULL, "empty_hpu_lazy"},
		{"aten::sqrt", NULL, "empty_hpu_lazy"},
		{"aten::addcdiv_", NULL, "empty_hpu_lazy"},
	};
	bool unfused = tg_on(sim, TG_OPTIMIZER);
	size_t optimizer;

	if (tg_on(sim, TG_CLIP_NORM)) {
		run_ops(sim, norms, 2, 2 * tg_size(sim, TG_CLIP_NORM));
	} else {
		tg_run_op(sim, &norm, 400000, false);
	}
	optimizer = tg_open_annotation(
		sim, unfused ? "Optimizer.step#AdamW.step" : "Optimizer.step#FusedAdamW.step");
	tg_spend(sim, 100000);
	if (unfused) {
		run_ops(sim, adams, 4, 4 * tg_size(sim, TG_OPTIMIZER));
	} else {
		tg_run_op(sim, &adamw, 900000, false);
	}
	tg_close(sim, optimizer);
	tg_launch(sim, stretch, warms_up(sim), 900000);
}

static void throttle(struct tg_sim *sim)
{
	int64_t before = sim->now_ns;
	int64_t until = sim->step_device_end_ns[(sim->step + 4 - IN_FLIGHT) % 4];

	if (sim->step >= IN_FLIGHT && until > sim->now_ns) {
		tg_wait_event(sim, until);
	}
	sim->throttle_ns += sim->now_ns - before;
}

void tg_step_gaudi(struct tg_sim *sim)
{
	size_t step;
	int items = tg_size(sim, TG_DEVICE_SYNC);

	if (items == 0 && sim->opt->state[TG_FWD_BWD] != TG_OFF) {
		items = 1; /* without a wait in each step there is nothing to pipeline */
	}

	sim->thread = TG_MAIN;
	sim->step_start_ns = sim->now_ns;
	step = tg_open_annotation(sim, "ProfilerStep#");
	if (!sim->failed) {
		sim->events[step].number = 10 + sim->step;
	}
	tg_spend(sim, 10000);
	throttle(sim);
	load_batch(sim);
	copy_inputs(sim);
	forward(sim);
	if (items >= 3) {
		tg_item(sim);
	}
	backward(sim);
	if (items >= 2) {
		tg_item(sim);
	}
	update(sim);
	for (int i = items >= 3 ? 2 : items >= 2 ? 1 : 0; i < items; i++) {
		tg_item(sim);
	}
	if (items == 0 && sim->step % 20 == 19) {
		tg_item(sim);
	}
	tg_memory(sim, -38535168);
	tg_memory(sim, -1024);
	tg_spend(sim, 15000);
	tg_close(sim, step);
	sim->step_end_ns = sim->now_ns;
	sim->step_device_end_ns[sim->step % 4] = sim->compute_free_ns;
	tg_spend(sim, 6000);
}
