/*
 * One training step on Gaudi: load, copy in, forward, backward, collectives, update. At most two
 * steps are in flight; then the host waits. In lazy mode each pass is one graph (more when a
 * problem cuts it), in eager mode each block is a recipe.
 */
#include "gaudi.h"

enum { IN_FLIGHT = 2, BUCKETS = 4 };

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
	size_t ddp = tg_open_ddp(sim);
	int pieces = forward_pieces(sim);
	int from = 0;

	for (int piece = 0; piece < pieces; piece++) {
		int to = tg_gaudi_blocks(sim) * (piece + 1) / pieces;
		struct tg_stretch stretch = {.phase = TG_FORWARD, .first = from, .last = to};
		bool compiled;

		if (piece == 0 && tg_on(sim, TG_RECOMPILE)) {
			run_changing_ops(sim);
		}
		if (piece == 0 && tg_on(sim, TG_DYN_SHAPES)) {
			tg_run_op(sim, &dynamic_op, FORWARD_OP_NS, false);
		}
		for (int i = from * FORWARD_OPS; i < to * FORWARD_OPS; i++) {
			if (i % FORWARD_OPS == 0) {
				tg_gaudi_before_block(sim, i / FORWARD_OPS);
			}
			sim->op_serial = (uint32_t)i;
			tg_gaudi_before_op(sim, &forward_ops[i % FORWARD_OPS]);
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
	tg_search_unused(sim);
	tg_close(sim, ddp);
}

static void backward_stretch(struct tg_sim *sim, const struct tg_stretch *stretch, int parts)
{
	sim->thread = TG_AUTOGRAD;
	tg_spend(sim, 20000);
	tg_gaudi_before_backward(sim, stretch->first, stretch->last);
	for (int i = stretch->first * BACKWARD_OPS; i < stretch->last * BACKWARD_OPS; i++) {
		sim->op_serial = 100000 + (uint32_t)i;
		tg_run_op(sim, &backward_ops[i % BACKWARD_OPS], BACKWARD_OP_NS, false);
	}
	tg_gaudi_fill_buckets(sim, stretch->first, stretch->last);
	if (sim->opt->format == TG_GAUDI_LAZY) {
		sim->thread = TG_MAIN; /* the step marker is called behind backward() */
	}
	tg_spend(sim, 20000);
	tg_launch(sim, *stretch, warms_up(sim), 3600000 / parts);
	sim->thread = TG_MAIN;
}

/* Operation after operation; what is looked at is launched and waited for at once. */
static void checked_block(struct tg_sim *sim, int block)
{
	enum { LOWER_NS = 300000 };
	struct tg_stretch stretch = {.phase = TG_BACKWARD, .first = block, .last = block + 1};

	sim->thread = TG_AUTOGRAD;
	tg_spend(sim, 20000);
	tg_gaudi_before_backward(sim, block, block + 1);
	stretch.cut.of = BACKWARD_OPS;
	for (int i = 0; i < BACKWARD_OPS; i++) {
		sim->op_serial = 100000 + (uint32_t)(block * BACKWARD_OPS + i);
		stretch.recipe = 200 + sim->op_serial % 100000;
		stretch.cut.to = i + 1;
		stretch.cut.checked = tg_gaudi_checks(sim);
		tg_run_op(sim, &backward_ops[i], BACKWARD_OP_NS, false);
		if (stretch.cut.checked) {
			tg_gaudi_check(sim);
		}
		if (stretch.cut.checked || i == BACKWARD_OPS - 1) {
			tg_launch(sim, stretch, warms_up(sim), LOWER_NS);
			stretch.cut.from = i + 1;
		}
		if (stretch.cut.checked) {
			tg_item(sim);
		}
	}
	sim->thread = TG_MAIN;
}

/* How many stretches the backward pass is cut into: buckets in lazy mode, else blocks. */
static int backward_parts(const struct tg_sim *sim, int buckets, bool reduces)
{
	if (sim->opt->format == TG_GAUDI_KINETO || tg_on(sim, TG_ANOMALY)) {
		return tg_gaudi_blocks(sim);
	}
	return reduces ? buckets : 1;
}

/* Gradients go out in buckets while the rest of the backward pass runs, or all behind it. */
static void backward(struct tg_sim *sim, bool reduces)
{
	int blocks = tg_gaudi_blocks(sim);
	bool late = tg_on(sim, TG_COMM);
	int buckets = blocks < BUCKETS ? blocks : BUCKETS;
	int parts = backward_parts(sim, buckets, reduces);

	for (int part = 0; part < parts; part++) {
		struct tg_stretch stretch = {.phase = TG_BACKWARD,
			.first = blocks * part / parts,
			.last = blocks * (part + 1) / parts,
			.recipe = 40 + (uint32_t)part};
		int bucket = buckets * part / parts;

		if (tg_on(sim, TG_ANOMALY)) {
			checked_block(sim, part);
		} else {
			backward_stretch(sim, &stretch, parts);
		}
		if (reduces && !late && buckets * (part + 1) / parts > bucket) {
			tg_gaudi_reduce_bucket(sim, bucket, buckets);
		}
	}
	for (int bucket = 0; bucket < buckets && reduces && late; bucket++) {
		tg_gaudi_reduce_bucket(sim, bucket, buckets);
	}
	sim->injected_ns[TG_COMM] += reduces && late ? sim->amount_ns[TG_COMM] : 0;
	if (reduces) {
		tg_gaudi_finish_buckets(sim);
	}
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
	struct tg_stretch stretch = {.phase = TG_UPDATE, .recipe = 9};
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

/* Values read behind backward and forward, and at the end of the step. */
static void read_values(struct tg_sim *sim, int items)
{
	for (int i = 0; i < items; i++) {
		tg_item(sim);
	}
}

static void free_inputs(struct tg_sim *sim)
{
	tg_memory(sim, -38535168);
	tg_memory(sim, -1024);
}

static void run_pass(struct tg_sim *sim, bool last, int items)
{
	load_batch(sim);
	copy_inputs(sim);
	forward(sim);
	read_values(sim, last && items >= 3);
	backward(sim, sim->opt->world_size > 1 && (last || tg_on(sim, TG_REDUNDANT)));
	if (!last && tg_on(sim, TG_REDUNDANT) && sim->compute_free_ns < sim->comm_free_ns) {
		sim->compute_free_ns = sim->comm_free_ns; /* the reducer waits for its buckets */
	}
	read_values(sim, last && items >= 2);
	if (!last) {
		free_inputs(sim);
	}
}

void tg_step_gaudi(struct tg_sim *sim)
{
	size_t step;
	int items = tg_size(sim, TG_DEVICE_SYNC);
	int passes = tg_planted(sim, TG_REDUNDANT) ? tg_planted_size(sim, TG_REDUNDANT) : 1;

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
	for (int pass = 0; pass < passes; pass++) {
		run_pass(sim, pass == passes - 1, items);
	}
	update(sim);
	read_values(sim, items >= 3 ? items - 2 : items >= 2 ? items - 1 : items);
	if (tg_planted(sim, TG_PRINTING)) {
		tg_print_progress(sim, tg_item);
	} else if (items == 0 && sim->step % 20 == 19) {
		tg_item(sim);
	}
	free_inputs(sim);
	tg_spend(sim, 15000);
	tg_close(sim, step);
	sim->step_end_ns = sim->now_ns;
	sim->step_device_end_ns[sim->step % 4] = sim->compute_free_ns;
	tg_spend(sim, 6000);
}
