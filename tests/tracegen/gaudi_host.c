/*
 * The host side of a Gaudi step: framework operations, copies, waits and launches, and what the
 * bridge, the Synapse API logger and the Synapse host profiler record of them.
 *
 * In lazy mode a launch hands over a whole graph from the thread that built it. In eager mode it
 * is one small recipe, and a launching thread of its own hands it to the device.
 */
#include "gaudi.h"

enum { LAUNCH_LATENCY_NS = 15000 };

static bool is_lazy(const struct tg_sim *sim)
{
	return sim->opt->format == TG_GAUDI_LAZY;
}

/* Slices of the lazy bridge and of the API logger exist in lazy mode only. */
size_t tg_open_lazy(struct tg_sim *sim, enum tg_section section, const char *name)
{
	return is_lazy(sim) ? tg_open(sim, section, name) : SIZE_MAX;
}

static uint32_t batch_of(const struct tg_sim *sim)
{
	uint64_t draw = tg_hash(sim->opt->seed, sim->step, 31, 0);

	return tg_on(sim, TG_DYN_SHAPES) ? 96 + (uint32_t)(draw % 64) : 128;
}

void tg_run_op(struct tg_sim *sim, const struct tg_op *op, int64_t cost_ns, bool numbered)
{
	size_t outer = tg_open_op(sim, op->name);
	size_t inner = 0;
	size_t bridge;

	if (!sim->failed) {
		sim->events[outer].c = batch_of(sim);
		sim->events[outer].b = numbered ? ++sim->sequence : 0;
	}
	cost_ns = tg_jitter(sim, cost_ns, 20, sim->op_serial) + tg_op_overhead_ns(sim);
	tg_spend(sim, cost_ns / 8);
	if (op->inner != NULL) {
		inner = tg_open_op(sim, op->inner);
		tg_spend(sim, cost_ns / 8);
	}
	bridge = tg_open_lazy(sim, TG_SEC_BRIDGE, op->bridge);
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
	size_t index = tg_open_lazy(sim, TG_SEC_LOGGER, name);

	if (!sim->failed && index != SIZE_MAX) {
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

	tg_spend(sim, sim->healthy_step_ns / 100 *
			      (tg_on(sim, TG_WARM_UP) && sim->step == 0 ? TG_WARM_UP_PCT
									: TG_COMPILE_PCT));
	tg_close(sim, synapse);
	tg_close(sim, logger);
	sim->counts.compiles++;
	sim->counts.compile_ns += sim->now_ns - start;
}

/* Blocks the host until `until_ns`, as the Synapse calls show it. */
void tg_wait_event(struct tg_sim *sim, int64_t until_ns)
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
		struct tg_stretch deferred = {.phase = TG_FORWARD,
			.first = sim->deferred_first,
			.last = sim->deferred_last,
			.recipe = stretch->recipe};

		sim->deferred_last = 0;
		ready = ready < sim->input_ready_ns ? sim->input_ready_ns : ready;
		tg_gaudi_execute(sim, &deferred, ready);
	}
	tg_gaudi_execute(sim, stretch, ready);
	sim->counts.launches++;
}

/* A step marker: the accumulated operations become a recipe, compiled or found in the cache. */
static void launch_lazy(
	struct tg_sim *sim, const struct tg_stretch *stretch, bool compiled, int64_t lower_ns)
{
	size_t sync = tg_open(sim, TG_SEC_BRIDGE, "SyncTensorsGraphInternal");
	size_t run;

	tg_spend(sim, tg_jitter(sim, lower_ns, 10, stretch->recipe + 900));
	if (compiled) {
		compile(sim, stretch->recipe);
		run = tg_open(sim, TG_SEC_BRIDGE, "LaunchSyncTensorsGraph");
	} else {
		run = tg_open(sim, TG_SEC_BRIDGE, "ExecuteCachedGraph");
	}
	tg_spend(sim, lower_ns / 8);
	enqueue(sim, stretch);
	tg_spend(sim, 30000);
	tg_close(sim, run);
	tg_spend(sim, 20000);
	tg_close(sim, sync);
}

/* What the launching thread does with one recipe, as soon as it is handed over and free. */
static void launch_recipe(struct tg_sim *sim, const struct tg_stretch *stretch)
{
	int64_t main_ns = sim->now_ns;
	enum tg_thread thread = sim->thread;
	size_t task, inner;

	sim->thread = TG_LAUNCHER;
	sim->now_ns = sim->launcher_ns > main_ns ? sim->launcher_ns : main_ns;
	task = tg_open(sim, TG_SEC_BRIDGE, "LaunchRecipeTask");
	tg_spend(sim, 12000);
	inner = tg_open(sim, TG_SEC_BRIDGE, "launch_recipe");
	tg_spend(sim, 40000);
	enqueue(sim, stretch);
	tg_spend(sim, 15000);
	tg_close(sim, inner);
	tg_spend(sim, 6000);
	tg_close(sim, task);
	tg_spend(sim, 3000);
	sim->launcher_ns = sim->now_ns;
	sim->now_ns = main_ns;
	sim->thread = thread;
}

static void launch_eager(struct tg_sim *sim, const struct tg_stretch *stretch, bool compiled)
{
	size_t launch = tg_open(sim, TG_SEC_BRIDGE, "Launch");

	tg_spend(sim, 20000);
	if (compiled) {
		size_t add = tg_open(sim, TG_SEC_BRIDGE, "add_new_recipe");

		compile(sim, stretch->recipe);
		tg_close(sim, add);
	}
	tg_spend(sim, 30000);
	launch_recipe(sim, stretch);
	tg_spend(sim, 5000);
	tg_close(sim, launch);
}

void tg_launch(struct tg_sim *sim, struct tg_stretch stretch, bool compiled, int64_t lower_ns)
{
	if (is_lazy(sim)) {
		launch_lazy(sim, &stretch, compiled, lower_ns);
	} else {
		launch_eager(sim, &stretch, compiled);
	}
}

void tg_copy_in(struct tg_sim *sim, int64_t bytes, int64_t dur_ns, bool blocking)
{
	int64_t start = sim->now_ns;
	size_t to = tg_open_op(sim, "aten::to");
	size_t copy, bridge, inner, logger;

	tg_spend(sim, 4000);
	copy = tg_open_op(sim, "aten::copy_");
	tg_spend(sim, 3000);
	bridge = tg_open_lazy(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_");
	tg_spend(sim, 5000);
	tg_memory(sim, bytes);
	inner = tg_open_lazy(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_H2D");
	tg_spend(sim, 10000);
	logger = open_logger(sim, "synMemCopyAsync", TG_ARGS_SIZE, bytes);
	tg_spend(sim, 30000);
	sim->input_ready_ns = tg_gaudi_copy(sim, sim->now_ns + 5000, dur_ns, bytes);
	tg_close(sim, logger);
	if (blocking) {
		tg_wait_event(sim, sim->input_ready_ns);
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

/* Reads a value back: everything launched so far has to finish first. */
static void read_back(struct tg_sim *sim, const char *name, const char *inner_name, int64_t bytes)
{
	size_t outer = tg_open_op(sim, name);
	size_t inner, bridge, copy, logger;
	int64_t done;

	tg_spend(sim, 4000);
	inner = tg_open_op(sim, inner_name);
	tg_spend(sim, 3000);
	bridge = tg_open_lazy(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_D2H");
	tg_spend(sim, 8000);
	copy = tg_open_lazy(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_D2H_internal");
	logger = open_logger(sim, "synMemCopyAsync", TG_ARGS_SIZE, bytes);
	tg_spend(sim, 20000);
	tg_close(sim, logger);
	done = sim->now_ns > sim->compute_free_ns ? sim->now_ns : sim->compute_free_ns;
	done = tg_gaudi_copy(sim, done + 5000, 8000 + bytes / 25, bytes);
	tg_wait_event(sim, done);
	tg_spend(sim, 5000);
	tg_close(sim, copy);
	tg_close(sim, bridge);
	tg_spend(sim, 4000);
	tg_close(sim, inner);
	tg_spend(sim, 3000);
	tg_close(sim, outer);
}

void tg_item(struct tg_sim *sim)
{
	read_back(sim, "aten::item", "aten::_local_scalar_dense", 4);
	sim->counts.items++;
}

/* An operation the device lacks: values down, computed here, values up again. */
void tg_fall_back(struct tg_sim *sim)
{
	static const char *const names[] = {"aten::digamma", "aten::_linalg_svd", "aten::histc"};
	enum { TENSOR_BYTES = 6291456, CPU_NS = 4200000 };
	size_t op = tg_open_op(sim, names[sim->counts.fallbacks % 3]);
	int64_t start = sim->now_ns;
	int64_t waiting = sim->compute_free_ns - sim->now_ns;

	tg_spend(sim, 5000);
	read_back(sim, "aten::to", "aten::_to_copy", TENSOR_BYTES);
	tg_spend(sim, tg_jitter(sim, CPU_NS, 10, 55));
	tg_copy_in(sim, TENSOR_BYTES, 270000, true);
	tg_close(sim, op);
	sim->counts.fallbacks++;
	sim->injected_ns[TG_CPU_FALLBACK] += sim->now_ns - start - (waiting > 0 ? waiting : 0);
}
