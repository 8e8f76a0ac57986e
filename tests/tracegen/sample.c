/*
 * Traces rebuilt from the five public outputs of habana_perf_tool. These are laid out, not
 * simulated: three steps whose quantities are those of the sample, exact to the nanosecond, with
 * no more structure than the quantities need.
 *
 * A step is: loader, input copies, compiles (first step only), launch, graph build, the rest. The
 * device works in one window per step, made of equal cells: TPC alone, TPC with MME, MME alone,
 * idle, DMA alone, TPC alone. Copies outside of the windows come before the first step; their
 * launches are not in the trace. Where only a rounded number is public, any value that rounds to
 * it serves.
 */
#include "tracegen.h"

#include <string.h>

enum { STEPS = 3, CALLS = 28, BUILDS = 40, COMPILES = 2, LAUNCH_NS = 600000 };

struct tg_sample {
	const char *name;
	bool relative_ts;
	int low, cells; /* per window: low of cells MME slices are bf16 */
	int64_t device_ns, total_ns, host_ns;
	int64_t mme_ns, overlap_ns, tpc_ns, dma_ns; /* TPC and DMA: outside of those before */
	int64_t early_dma_ns;                       /* of dma_ns, before the first window */
	int64_t graph_ns, loader_ns, input_ns, compile_ns;
	int64_t lead_ns; /* the first window starts so long after the start; 0: windows follow
			    steps */
};

static const struct tg_sample samples[] = {
	{"2023-unopt", false, 37, 48, 288393000, 467734000, 415491000, 88280000, 57940000,
		165360000, 29430000, 0, 60246000, 232592000, 19196000, 6310000, 0},
	{"2023-1st", false, 37, 48, 283428000, 312020000, 208177000, 88262000, 57950000, 165502000,
		26401000, 0, 59893000, 3248000, 24107000, 4746000, 16500000},
	{"2023-2nd", false, 37, 48, 280442000, 305698000, 201314000, 88220000, 57900000, 165440000,
		33710000, 8000000, 67762000, 3402000, 2677000, 4650000, 17500000},
	{"2024-03", false, 127, 156, 202930000, 716607000, 713275000, 78110000, 47340000, 98750000,
		26520000, 1000000, 123254000, 371402000, 17547000, 0, 0},
	{"2024-10", true, 53, 65, 193313984, 513299755, 507411370, 74868500, 46480000, 93328500,
		22788500, 0, 70039949, 280003883, 18406094, 0, 0},
};

const struct tg_sample *tg_sample_find(const char *name)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		if (strcmp(samples[i].name, name) == 0) {
			return &samples[i];
		}
	}
	return NULL;
}

bool tg_sample_is_relative(const struct tg_sample *sample)
{
	return sample->relative_ts;
}

/* Part `index` of `count` of a total, in whole quanta; the parts sum to the total exactly. */
static int64_t part(const struct tg_sim *sim, int64_t total, int64_t index, int64_t count)
{
	int64_t quantum = sim->host_quantum_ns;
	int64_t units = total / quantum;

	return (units * (index + 1) / count - units * index / count) * quantum +
	       (index + 1 == count ? total % quantum : 0);
}

static int64_t window_ns(const struct tg_sim *sim, int64_t total, int64_t step)
{
	int64_t cells = sim->opt->sample->cells;
	int64_t sum = 0;

	for (int64_t i = step * cells; i < (step + 1) * cells; i++) {
		sum += part(sim, total, i, STEPS * cells);
	}
	return sum;
}

static int64_t idle_of(const struct tg_sample *s)
{
	return s->device_ns - s->mme_ns - s->tpc_ns - (s->dma_ns - s->early_dma_ns);
}

static int64_t window_length(const struct tg_sim *sim, int64_t step)
{
	const struct tg_sample *s = sim->opt->sample;

	return window_ns(sim, s->mme_ns, step) + window_ns(sim, s->tpc_ns, step) +
	       window_ns(sim, s->dma_ns - s->early_dma_ns, step) + window_ns(sim, idle_of(s), step);
}

/* Windows end with the trace; they follow the steps, or each other with equal pauses. */
static int64_t window_start(const struct tg_sim *sim, int64_t step)
{
	const struct tg_sample *s = sim->opt->sample;
	int64_t last = sim->base_ns + s->total_ns - window_length(sim, STEPS - 1);
	int64_t pauses = s->total_ns - s->device_ns - s->lead_ns;
	int64_t start = sim->base_ns + s->lead_ns;

	if (s->lead_ns == 0) {
		for (int64_t i = step; i < STEPS - 1; i++) {
			last -= part(sim, s->host_ns, i, STEPS);
		}
		return last;
	}
	for (int64_t i = 0; i < step; i++) {
		start += window_length(sim, i) + part(sim, pauses, i, STEPS - 1);
	}
	return start;
}

static void put_lanes(struct tg_sim *sim, const char *name, enum tg_class cls, int64_t dur_ns,
	enum tg_dtype dtype)
{
	static const int lanes[] = {[TG_MME] = 4, [TG_TPC] = 24, [TG_DMA] = 2};

	sim->counts.nodes++;
	tg_count_device(sim, sim->now_ns, sim->now_ns + dur_ns);
	for (int i = 0; sim->want_lanes && i < lanes[cls]; i++) {
		struct tg_event *event = tg_add(sim, TG_SEC_DEVICE, name);

		event->dur_ns = dur_ns;
		event->cls = (uint8_t)cls;
		event->lane = (uint16_t)i;
		event->a = 15;
		event->b = dtype;
		event->args = cls == TG_DMA ? TG_ARGS_COPY : TG_ARGS_DEVICE;
		event->category = cls == TG_DMA ? TG_CAT_OTHER : TG_CAT_KERNEL;
	}
}

static void put_cell(struct tg_sim *sim, int64_t cell)
{
	const struct tg_sample *s = sim->opt->sample;
	int64_t count = (int64_t)STEPS * s->cells;
	int64_t mme = part(sim, s->mme_ns, cell, count);
	int64_t both = part(sim, s->overlap_ns, cell, count);
	int64_t tpc = part(sim, s->tpc_ns, cell, count);
	int64_t dma = part(sim, s->dma_ns - s->early_dma_ns, cell, count);
	int64_t idle = part(sim, idle_of(s), cell, count);
	int64_t before = tpc / 2 / sim->host_quantum_ns * sim->host_quantum_ns;
	bool low = cell * s->low % s->cells < s->low;

	put_lanes(sim, "fused_kernel_0x88805A4E_C_bf16", TG_TPC, before + both, TG_DTYPE_BF16);
	sim->now_ns += before;
	put_lanes(sim, "GEMM", TG_MME, mme, low ? TG_DTYPE_BF16 : TG_DTYPE_F32);
	sim->now_ns += mme + idle;
	put_lanes(sim, "DmaMemcpy", TG_DMA, dma, TG_DTYPE_NONE);
	sim->now_ns += dma;
	put_lanes(sim, "layer_norm_fwd_bf16", TG_TPC, tpc - before, TG_DTYPE_BF16);
	sim->now_ns += tpc - before;
}

static void put_window(struct tg_sim *sim)
{
	int64_t cells = sim->opt->sample->cells;
	int64_t host = sim->now_ns;

	sim->now_ns = window_start(sim, sim->step);
	for (int64_t i = 0; i < cells; i++) {
		put_cell(sim, sim->step * cells + i);
	}
	sim->now_ns = host;
}

static void put_copies(struct tg_sim *sim)
{
	int64_t total = part(sim, sim->opt->sample->input_ns, sim->step, STEPS);

	for (int64_t i = 0; i < CALLS; i++) {
		size_t op = tg_open_op(sim, "aten::copy_");
		size_t copy = tg_open(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_");
		size_t inner = tg_open(sim, TG_SEC_BRIDGE, "copy_hpu_lazy_H2D");

		sim->now_ns += part(sim, total, i, CALLS);
		tg_close(sim, inner);
		tg_close(sim, copy);
		tg_close(sim, op);
	}
	sim->counts.input_copy_ns += total;
}

static void put_compiles(struct tg_sim *sim)
{
	int64_t total = sim->opt->sample->compile_ns;

	for (int64_t i = 0; i < COMPILES && sim->step == 0 && total > 0; i++) {
		size_t logger = tg_open(sim, TG_SEC_LOGGER, "synGraphCompile");
		size_t synapse = tg_open(sim, TG_SEC_SYNAPSE, "compileGraph (accel0)");

		sim->now_ns += part(sim, total, i, COMPILES);
		tg_close(sim, synapse);
		tg_close(sim, logger);
		sim->counts.compiles++;
	}
	sim->counts.compile_ns += sim->step == 0 ? total : 0;
}

static void put_launch(struct tg_sim *sim)
{
	size_t sync = tg_open(sim, TG_SEC_BRIDGE, "SyncTensorsGraphInternal");
	size_t run = tg_open(sim, TG_SEC_BRIDGE, "ExecuteCachedGraph");
	size_t logger, synapse;

	sim->now_ns += LAUNCH_NS / 2;
	logger = tg_open(sim, TG_SEC_LOGGER, "synLaunchWithExternalEvents");
	synapse = tg_open(sim, TG_SEC_SYNAPSE, "enqueueWithExternalEventsExt (accel0)");
	if (!sim->failed) {
		sim->events[logger].args = TG_ARGS_LAUNCH;
		sim->events[logger].c = 24;
		sim->events[synapse].a = 15;
	}
	sim->now_ns += LAUNCH_NS / 2;
	tg_close(sim, synapse);
	tg_close(sim, logger);
	tg_close(sim, run);
	tg_close(sim, sync);
	sim->counts.launches++;
}

/* The rest of the graph build: forward on the main thread, backward on the autograd thread. */
static void put_builds(struct tg_sim *sim)
{
	int64_t total = part(sim, sim->opt->sample->graph_ns, sim->step, STEPS) - LAUNCH_NS;

	for (int64_t i = 0; i < BUILDS; i++) {
		bool forward = i < BUILDS / 2;
		size_t op, bridge;

		sim->thread = forward ? TG_MAIN : TG_AUTOGRAD;
		op = tg_open_op(sim, forward ? "aten::add" : "AddBackward0");
		bridge = tg_open(sim, TG_SEC_BRIDGE, "add_tensor_hpu_lazy");
		sim->now_ns += part(sim, total, i, BUILDS);
		tg_close(sim, bridge);
		tg_close(sim, op);
	}
	sim->thread = TG_MAIN;
}

static void put_early_copies(struct tg_sim *sim)
{
	enum { PAUSE_NS = 200000 };
	int64_t dur = sim->opt->sample->early_dma_ns;

	if (sim->step == 0 && dur > 0) {
		put_lanes(sim, "memcpy", TG_DMA, dur, TG_DTYPE_NONE);
		sim->now_ns += dur + PAUSE_NS;
	}
}

void tg_step_sample(struct tg_sim *sim)
{
	const struct tg_sample *s = sim->opt->sample;
	size_t step, loader;

	put_early_copies(sim);
	sim->step_start_ns = sim->now_ns;
	step = tg_open_annotation(sim, "ProfilerStep#");
	if (!sim->failed) {
		sim->events[step].number = 10 + sim->step;
	}
	loader = tg_open_annotation(
		sim, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
	sim->now_ns += part(sim, s->loader_ns, sim->step, STEPS);
	tg_close(sim, loader);
	sim->counts.loader_ns += part(sim, s->loader_ns, sim->step, STEPS);
	put_copies(sim);
	put_compiles(sim);
	put_launch(sim);
	put_builds(sim);
	put_window(sim);
	sim->now_ns = sim->step_start_ns + part(sim, s->host_ns, sim->step, STEPS);
	tg_close(sim, step);
	sim->step_end_ns = sim->now_ns;
}
