/*
 * One training step in lazy mode: the host accumulates operations, each step marker hands a graph
 * to the device and goes on. At most two steps are in flight; then the host waits.
 */
#include "gaudi.h"

enum { COMPILE_PCT = 90, LAUNCH_LATENCY_NS = 15000, IN_FLIGHT = 2, BUCKETS = 4, REDUCE_NS = 8000000 };

struct op {
	const char *name;
	const char *inner;  /* nested framework op, or NULL */
	const char *bridge; /* what the bridge logs */
};

static const char fused_attention[] = "sdpa_recomp_fwd_lazy";
static const struct op dynamic_op = {"aten::nonzero", NULL, "nonzero_hpu_lazy"};

static const struct op forward_ops[] = {
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

static const struct op backward_ops[] = {
	{"autograd::engine::evaluate_function: AddBackward0", "AddBackward0", "empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: GeluBackward0", "GeluBackward0", "empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: NativeLayerNormBackward0", "NativeLayerNormBackward0",
		"empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: SDPABackward", "hpu::sdpa_recomp_bwd",
		"empty_hpu_lazy"},
	{"autograd::engine::evaluate_function: PermuteBackward0", "PermuteBackward0",
		"permute_hpu_lazy"},
	{"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "matmul_hpu_lazy"},
	{"autograd::engine::evaluate_function: RollBackward0", "RollBackward0", "slice_hpu_lazy"},
	{"autograd::engine::evaluate_function: NativeLayerNormBackward0", "NativeLayerNormBackward0",
		"empty_hpu_lazy"},
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
static int64_t op_overhead_ns(struct tg_sim *sim)
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

static uint32_t batch_of(const struct tg_sim *sim)
{
	uint64_t draw = tg_hash(sim->opt->seed, sim->step, 31, 0);

	return tg_on(sim, TG_DYN_SHAPES) ? 96 + (uint32_t)(draw % 64) : 128;
}

static void run_op(struct tg_sim *sim, const struct op *op, int64_t cost_ns, bool numbered)
{
	size_t outer = tg_open_op(sim, op->name);
	size_t inner = 0;
	size_t bridge;

	if (!sim->failed) {
		sim->events[outer].c = batch_of(sim);
		sim->events[outer].b = numbered ? ++sim->sequence : 0;
	}
	cost_ns = tg_jitter(sim, cost_ns, 20, outer) + op_overhead_ns(sim);
	tg_spend(sim, cost_ns / 8);
	if (op->inner != NULL) {
		inner = tg_open_op(sim, op->inner);
		tg_spend(sim, cost_ns / 8);
	}
	bridge = tg_open(sim, TG_SEC_BRIDGE, op->bridge);
	tg_spend(sim, cost_ns / 2);
	tg_close(sim, bridge);
	if (op->inner != NULL) {
		tg_close(sim, inner);
	}
	tg_spend(sim, cost_ns / 8);
	tg_close(sim, outer);
	tg_spend(sim, cost_ns / 8);
}

static size_t open_logger(struct tg_sim *sim, const char *name, enum tg_args args, int64_t value)
{
	size_t index = tg_open(sim, TG_SEC_LOGGER, name);

	if (!sim->failed) {
		sim->events[index].args = (uint8_t)args;
		sim->events[index].c = value;
	}
	return index;
}

static size_t open_synapse(struct tg_sim *sim, const char *name, uint32_t recipe)
{
	size_t index = tg_open(sim, TG_SEC_SYNAPSE, name);

	if (!sim->failed) {
		sim->events[index].args = TG_ARGS_HOST;
		sim->events[index].a = recipe;
	}
	return index;
}

static void compile(struct tg_sim *sim, uint32_t recipe)
{
	size_t logger = open_logger(sim, "synGraphCompile", TG_ARGS_STATUS, 0);
	size_t synapse = open_synapse(sim, "compileGraph (accel0)", recipe);
	int64_t start = sim->now_ns;

	tg_spend(sim, sim->healthy_step_ns / 100 * COMPILE_PCT);
	tg_close(sim, synapse);
	tg_close(sim, logger);
	sim->counts.compiles++;
	sim->counts.compile_ns += sim->now_ns - start;
}

/* Blocks the host until `until_ns`, as the Synapse calls show it. */
static void wait_event(struct tg_sim *sim, int64_t until_ns)
{
	size_t logger = open_logger(sim, "synEventSynchronize", TG_ARGS_STATUS, 0);
	size_t synapse;
	int64_t waited;

	tg_spend(sim, 2000);
	synapse = open_synapse(sim, "synchronizeEvent (accel0)", 0);
	waited = tg_wait(sim, until_ns);
	tg_spend(sim, 1000);
	tg_close(sim, synapse);
	tg_spend(sim, 1000);
	tg_close(sim, logger);
	if (waited > 0) {
		sim->counts.blocking_waits++;
		sim->counts.blocked_ns += waited;
	}
}

static void enqueue(struct tg_sim *sim, const struct tg_stretch *stretch)
{
	size_t logger = open_logger(sim, "synLaunchWithExternalEvents", TG_ARGS_LAUNCH, 24);
	size_t synapse;
	int64_t ready;

	tg_spend(sim, 5000);
	synapse = open_synapse(sim, "enqueueWithExternalEventsExt (accel0)", stretch->recipe);
	tg_spend(sim, 80000);
	ready = sim->now_ns + LAUNCH_LATENCY_NS;
	tg_spend(sim, 20000);
	tg_close(sim, synapse);
	tg_spend(sim, 5000);
	tg_close(sim, logger);
	if (stretch->phase == TG_FORWARD && ready < sim->input_ready_ns) {
		ready = sim->input_ready_ns;
	}
	if (stretch->phase == TG_UPDATE && ready < sim->comm_free_ns) {
		ready = sim->comm_free_ns;
	}
	if (stretch->phase == TG_BACKWARD && sim->deferred_first < sim->deferred_last) {
		struct tg_stretch deferred = {TG_FORWARD, sim->deferred_first, sim->deferred_last,
			stretch->recipe};

		sim->deferred_last = 0;
		ready = ready < sim->input_ready_ns ? sim->input_ready_ns : ready;
		tg_gaudi_execute(sim, &deferred, ready);
	}
	tg_gaudi_execute(sim, stretch, ready);
	sim->counts.launches++;
}

/* A step marker: the accumulated operations become a recipe, compiled or found in the cache. */
static void launch(struct tg_sim *sim, struct tg_stretch stretch, bool compiled, int64_t lower_ns)
{
	size_t sync = tg_open(sim, TG_SEC_BRIDGE, "SyncTensorsGraphInternal");
	size_t run;

	tg_spend(sim, tg_jitter(sim, lower_ns, 10, stretch.recipe + 900));
	if (compiled) {
		compile(sim, stretch.recipe);
		run = tg_open(sim, TG_SEC_BRIDGE, "LaunchSyncTensorsGraph");
	} else {
		run = tg_open(sim, TG_SEC_BRIDGE, "ExecuteCachedGraph");
	}
	tg_spend(sim, lower_ns / 8);
	enqueue(sim, &stretch);
	tg_spend(sim, 30000);
	tg_close(sim, run);
	tg_spend(sim, 20000);
	tg_close(sim, sync);
}

static bool warms_up(const struct tg_sim *sim)
{
	return sim->step == 0 && tg_on(sim, TG_WARM_UP);
}

/* The recipe of a forward stretch; sets whether it has to be compiled. */
static uint32_t forward_recipe(struct tg_sim *sim, int index, bool *compiled)
{
	static const enum tg_problem causes[] = {TG_RECOMPILE, TG_LOOP_CONST, TG_DYN_SHAPES};

	*compiled = warms_up(sim);
	for (int i = 0, from = 0; i < 3; i++) {
		if (index >= from && index < from + tg_size(sim, causes[i])) {
			*compiled = true;
			sim->injected_ns[causes[i]] += sim->healthy_step_ns / 100 * COMPILE_PCT;
			return 100 + ++sim->recipe_serial;
		}
		from += tg_size(sim, causes[i]);
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

static void copy_in(struct tg_sim *sim, int64_t bytes, int64_t dur_ns, bool blocking)
{
	int64_t start = sim->now_ns;
	size_t to = tg_open_op(sim, "aten::to");
	size_t copy, bridge, inner, logger;

	tg_spend(sim, 4000);
	copy = tg_open_op(sim, "aten::copy_");
	tg_spend(sim, 3000);
	bridge = tg_open(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_");
	tg_spend(sim, 5000);
	tg_memory(sim, bytes);
	inner = tg_open(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_H2D");
	tg_spend(sim, 10000);
	logger = open_logger(sim, "synMemCopyAsync", TG_ARGS_SIZE, bytes);
	tg_spend(sim, 30000);
	sim->input_ready_ns = tg_gaudi_copy(sim, sim->now_ns + 5000, dur_ns, bytes);
	tg_close(sim, logger);
	if (blocking) {
		wait_event(sim, sim->input_ready_ns);
	}
	tg_spend(sim, 10000);
	tg_close(sim, inner);
	tg_spend(sim, 5000);
	tg_close(sim, bridge);
	tg_close(sim, copy);
	tg_spend(sim, 3000);
	tg_close(sim, to);
	sim->counts.input_copy_ns += sim->now_ns - start;
}

static void copy_inputs(struct tg_sim *sim)
{
	enum { IMAGE_BYTES = 38535168, LABEL_BYTES = 1024 };
	bool blocking = tg_on(sim, TG_INPUT_COPY);
	int64_t extra = blocking ? sim->slack_ns + sim->amount_ns[TG_INPUT_COPY] : 0;

	copy_in(sim, IMAGE_BYTES, 1550000 + extra, blocking);
	copy_in(sim, LABEL_BYTES, 9000, blocking);
	sim->injected_ns[TG_INPUT_COPY] += extra;
}

/* Reads a value back: everything launched so far has to finish first. */
static void read_back(struct tg_sim *sim, const char *name, const char *inner_name, int64_t bytes)
{
	size_t outer = tg_open_op(sim, name);
	size_t inner, bridge, copy, logger;
	int64_t done;

	tg_spend(sim, 4000);
	inner = tg_open_op(sim, inner_name);
	tg_spend(sim, 3000);
	bridge = tg_open(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_D2H");
	tg_spend(sim, 8000);
	copy = tg_open(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_D2H_internal");
	logger = open_logger(sim, "synMemCopyAsync", TG_ARGS_SIZE, bytes);
	tg_spend(sim, 20000);
	tg_close(sim, logger);
	done = sim->now_ns > sim->compute_free_ns ? sim->now_ns : sim->compute_free_ns;
	done = tg_gaudi_copy(sim, done + 5000, 8000 + bytes / 25, bytes);
	wait_event(sim, done);
	tg_spend(sim, 5000);
	tg_close(sim, copy);
	tg_close(sim, bridge);
	tg_spend(sim, 4000);
	tg_close(sim, inner);
	tg_spend(sim, 3000);
	tg_close(sim, outer);
}

static void item(struct tg_sim *sim)
{
	read_back(sim, "aten::item", "aten::_local_scalar_dense", 4);
	sim->counts.items++;
}

/* An operation the device lacks: values down, computed here, values up again. */
static void fall_back(struct tg_sim *sim)
{
	static const char *const names[] = {"aten::digamma", "aten::_linalg_svd", "aten::histc"};
	enum { TENSOR_BYTES = 6291456, CPU_NS = 4200000 };
	size_t op = tg_open_op(sim, names[sim->counts.fallbacks % 3]);
	int64_t start = sim->now_ns;
	int64_t waiting = sim->compute_free_ns - sim->now_ns;

	tg_spend(sim, 5000);
	read_back(sim, "aten::to", "aten::_to_copy", TENSOR_BYTES);
	tg_spend(sim, tg_jitter(sim, CPU_NS, 10, 55));
	copy_in(sim, TENSOR_BYTES, 270000, true);
	tg_close(sim, op);
	sim->counts.fallbacks++;
	sim->injected_ns[TG_CPU_FALLBACK] +=
		sim->now_ns - start - (waiting > 0 ? waiting : 0);
}

/* Attention is one operation, or the four it is made of when it is not fused. */
static void run_forward_op(struct tg_sim *sim, const struct op *op)
{
	static const struct op attention[] = {
		{"aten::matmul", "aten::bmm", "matmul_hpu_lazy"},
		{"aten::add", NULL, "add_tensor_hpu_lazy"},
		{"aten::softmax", "aten::_softmax", "empty_hpu_lazy"},
		{"aten::matmul", "aten::bmm", "matmul_hpu_lazy"},
	};

	if (op->bridge != fused_attention || !tg_on(sim, TG_ATTENTION)) {
		run_op(sim, op, FORWARD_OP_NS, true);
		return;
	}
	for (int i = 0; i < 4; i++) {
		run_op(sim, &attention[i], FORWARD_OP_NS / 2, true);
	}
}

/* How many graphs the forward pass is cut into. */
static int forward_pieces(const struct tg_sim *sim)
{
	int cuts = tg_size(sim, TG_CPU_FALLBACK) + 1;
	int compiled = tg_size(sim, TG_RECOMPILE) + tg_size(sim, TG_LOOP_CONST) +
		       tg_size(sim, TG_DYN_SHAPES);
	int pieces = cuts > compiled ? cuts : compiled;

	return pieces < tg_gaudi_blocks(sim) ? pieces : tg_gaudi_blocks(sim);
}

/* Whether the forward graph waits to be launched with the backward one. */
static bool defers(const struct tg_sim *sim)
{
	return tg_on(sim, TG_FWD_BWD) && !tg_on(sim, TG_CPU_FALLBACK) &&
	       !tg_on(sim, TG_RECOMPILE) && !tg_on(sim, TG_LOOP_CONST) && !tg_on(sim, TG_DYN_SHAPES);
}

static void forward(struct tg_sim *sim)
{
	int pieces = forward_pieces(sim);
	int from = 0;

	for (int piece = 0; piece < pieces; piece++) {
		int to = tg_gaudi_blocks(sim) * (piece + 1) / pieces;
		struct tg_stretch stretch = {TG_FORWARD, from, to, 0};
		bool compiled;

		if (piece == 0 && tg_on(sim, TG_DYN_SHAPES)) {
			run_op(sim, &dynamic_op, FORWARD_OP_NS, false);
		}
		for (int i = from * FORWARD_OPS; i < to * FORWARD_OPS; i++) {
			run_forward_op(sim, &forward_ops[i % FORWARD_OPS]);
		}
		stretch.recipe = forward_recipe(sim, piece, &compiled);
		if (piece == pieces - 1 && defers(sim)) {
			sim->deferred_first = from;
			sim->deferred_last = to;
		} else {
			launch(sim, stretch, compiled, 2600000 / pieces);
		}
		if (piece < tg_size(sim, TG_CPU_FALLBACK)) {
			fall_back(sim);
		}
		from = to;
	}
}

static void all_reduce(struct tg_sim *sim, int64_t dur_ns, int64_t bytes)
{
	size_t op = tg_open_op(sim, "c10d::allreduce_");
	size_t bridge;

	tg_spend(sim, 8000);
	bridge = tg_open(sim, TG_SEC_BRIDGE, "allreduce_hpu_lazy_");
	tg_spend(sim, 30000);
	tg_close(sim, bridge);
	tg_spend(sim, 5000);
	tg_close(sim, op);
	tg_gaudi_collective(sim,
		sim->now_ns > sim->compute_free_ns ? sim->now_ns : sim->compute_free_ns, dur_ns,
		bytes);
}

/* How long the first collective of a step waits for the slow rank, which loses its amount in each
 * step while the others could keep the healthy pace. */
static int64_t straggler_wait_ns(struct tg_sim *sim)
{
	int64_t ready = sim->compute_free_ns;
	int64_t lag = sim->amount_ns[TG_STRAGGLER];
	int64_t arrives;

	if (sim->step == 0) {
		sim->straggler_ns = ready;
	}
	arrives = sim->straggler_ns + lag + (int64_t)sim->step * (sim->healthy_step_ns + lag);
	sim->injected_ns[TG_STRAGGLER] += lag;
	return arrives > ready ? arrives - ready : 0;
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
			dur += straggler_wait_ns(sim);
		}
		all_reduce(sim, dur, GRADIENT_BYTES / parts / count);
	}
}

static void backward(struct tg_sim *sim)
{
	int blocks = tg_gaudi_blocks(sim);
	bool reduces = sim->opt->world_size > 1;
	int parts = reduces && blocks >= BUCKETS ? BUCKETS : 1;

	for (int part = 0; part < parts; part++) {
		struct tg_stretch stretch = {TG_BACKWARD, blocks * part / parts,
			blocks * (part + 1) / parts, 40 + (uint32_t)part};

		sim->thread = TG_AUTOGRAD;
		tg_spend(sim, 20000);
		for (int i = stretch.first * BACKWARD_OPS; i < stretch.last * BACKWARD_OPS; i++) {
			run_op(sim, &backward_ops[i % BACKWARD_OPS], BACKWARD_OP_NS, false);
		}
		sim->thread = TG_MAIN;
		tg_spend(sim, 20000);
		launch(sim, stretch, warms_up(sim), 3600000 / parts);
		if (reduces && !tg_on(sim, TG_COMM)) {
			reduce_gradients(sim, part, parts);
		}
	}
	for (int part = 0; part < parts && reduces && tg_on(sim, TG_COMM); part++) {
		reduce_gradients(sim, part, parts);
	}
	sim->injected_ns[TG_COMM] += reduces && tg_on(sim, TG_COMM) ? sim->amount_ns[TG_COMM] : 0;
}

/* `count` small operations, taken from `ops` in turn. */
static void run_ops(struct tg_sim *sim, const struct op *ops, int row, int count)
{
	enum { SMALL_OP_NS = 40000 };

	for (int i = 0; i < count; i++) {
		run_op(sim, &ops[i % row], SMALL_OP_NS, false);
	}
}

static void update(struct tg_sim *sim)
{
	static const struct op adamw = {"hpu::optimizer_adamw", NULL, "optimizer_adamw_hpu_lazy"};
	static const struct op norm = {"hpu::fused_clip_norm", NULL, "fused_norm_hpu_lazy"};
	struct tg_stretch stretch = {TG_UPDATE, 0, 0, 48};
	static const struct op norms[] = {
		{"aten::linalg_vector_norm", NULL, "empty_hpu_lazy"},
		{"aten::mul_", NULL, "empty_hpu_lazy"},
	};
	static const struct op adams[] = {
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
		run_op(sim, &norm, 400000, false);
	}
	optimizer = tg_open_annotation(
		sim, unfused ? "Optimizer.step#AdamW.step" : "Optimizer.step#FusedAdamW.step");
	tg_spend(sim, 100000);
	if (unfused) {
		run_ops(sim, adams, 4, 4 * tg_size(sim, TG_OPTIMIZER));
	} else {
		run_op(sim, &adamw, 900000, false);
	}
	tg_close(sim, optimizer);
	launch(sim, stretch, warms_up(sim), 900000);
}

static void throttle(struct tg_sim *sim)
{
	int64_t before = sim->now_ns;
	int64_t until = sim->step_device_end_ns[(sim->step + 4 - IN_FLIGHT) % 4];

	if (sim->step >= IN_FLIGHT && until > sim->now_ns) {
		wait_event(sim, until);
	}
	sim->throttle_ns += sim->now_ns - before;
}

void tg_step_lazy(struct tg_sim *sim)
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
		item(sim);
	}
	backward(sim);
	if (items >= 2) {
		item(sim);
	}
	update(sim);
	for (int i = items >= 3 ? 2 : items >= 2 ? 1 : 0; i < items; i++) {
		item(sim);
	}
	if (items == 0 && sim->step % 20 == 19) {
		item(sim);
	}
	tg_memory(sim, -38535168);
	tg_memory(sim, -1024);
	tg_spend(sim, 15000);
	tg_close(sim, step);
	sim->step_end_ns = sim->now_ns;
	sim->step_device_end_ns[sim->step % 4] = sim->compute_free_ns;
	tg_spend(sim, 6000);
}
