/*
 * The Gaudi device: a Swin-like graph, node after node on MME, TPC and DMA engines.
 *
 * A node starts when its engine is free and its producer has come far enough: the compiler slices
 * producer and consumer so that they overlap, except around DMA. A node never ends before its
 * producer. One node is one slice on each lane it uses; MME lanes show their two write buffers as
 * overlapping slices. The first lane of a node covers it from start to end.
 */
#include "gaudi.h"

enum { OVERLAP_PCT = 70, TAIL_NS = 4000, RING = 4, DEFAULT_BLOCKS = 6 };

struct proto {
	const char *kernel;
	uint8_t cls;
	uint8_t dtype;
	uint8_t back; /* producer: this many nodes before */
	uint8_t mark; /* enum mark */
	int us;
};

/* Where problems change the graph. */
enum mark { PLAIN, ATTENTION, POINTWISE, MATMUL };

#define BF16 TG_DTYPE_BF16
#define F32 TG_DTYPE_F32

static const struct proto stem[] = {
	{"cast_f32_to_bf16", TG_TPC, BF16, 1, PLAIN, 150},
	{"Convolution", TG_MME, F32, 1, PLAIN, 350},
	{"layer_norm_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 190},
};

static const struct proto forward_block[] = {
	{"layer_norm_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 190},
	{"DmaMemcpy", TG_DMA, TG_DTYPE_NONE, 1, PLAIN, 175},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 260},
	{"BatchGemm", TG_MME, F32, 1, PLAIN, 110},
	{"sdpa_recomp_core_fwd_bf16", TG_TPC, BF16, 1, ATTENTION, 420},
	{"BatchGemm", TG_MME, BF16, 1, PLAIN, 110},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 150},
	{"DmaMemcpy", TG_DMA, TG_DTYPE_NONE, 1, PLAIN, 175},
	{"fused_kernel_0x88805A4E_C_bf16", TG_TPC, BF16, 1, POINTWISE, 280},
	{"layer_norm_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 190},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 360},
	{"gelu_fwd_bf16", TG_TPC, BF16, 1, POINTWISE, 600},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 360},
	{"fused_kernel_0x17D2A0C3_C_bf16", TG_TPC, BF16, 1, POINTWISE, 420},
};

static const struct proto head[] = {
	{"reduce_mean_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 90},
	{"GEMM", TG_MME, BF16, 1, PLAIN, 80},
	{"log_softmax_fwd_f32", TG_TPC, F32, 1, PLAIN, 60},
};

static const struct proto backward_block[] = {
	{"fused_kernel_0x5B20F711_C_bf16", TG_TPC, BF16, 1, POINTWISE, 700},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 360},
	{"GEMM", TG_MME, BF16, 2, MATMUL, 360},
	{"gelu_bwd_bf16", TG_TPC, BF16, 2, POINTWISE, 1100},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 360},
	{"GEMM", TG_MME, BF16, 2, MATMUL, 360},
	{"layer_norm_bwd_bf16", TG_TPC, BF16, 2, PLAIN, 560},
	{"DmaMemcpy", TG_DMA, TG_DTYPE_NONE, 1, PLAIN, 250},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 150},
	{"GEMM", TG_MME, BF16, 2, MATMUL, 150},
	{"BatchGemm", TG_MME, F32, 2, PLAIN, 220},
	{"sdpa_recomp_core_bwd_bf16", TG_TPC, BF16, 1, ATTENTION, 1150},
	{"BatchGemm", TG_MME, F32, 1, PLAIN, 220},
	{"GEMM", TG_MME, BF16, 1, MATMUL, 260},
	{"GEMM", TG_MME, BF16, 2, MATMUL, 260},
	{"DmaMemcpy", TG_DMA, TG_DTYPE_NONE, 2, PLAIN, 500},
	{"layer_norm_bwd_bf16", TG_TPC, BF16, 1, PLAIN, 560},
	{"reduce_sum_fwd_f32", TG_TPC, F32, 1, PLAIN, 400},
};

static const struct proto fused_norm[] = {
	{"reduce_sum_square_fwd_f32", TG_TPC, F32, 1, PLAIN, 600},
};

static const struct proto fused_update[] = {
	{"optimizer_adamw_f32", TG_TPC, F32, 1, PLAIN, 1400},
	{"optimizer_adamw_f32", TG_TPC, F32, 1, PLAIN, 1400},
	{"optimizer_adamw_f32", TG_TPC, F32, 1, PLAIN, 1400},
};

struct span {
	int64_t start_ns, end_ns;
	uint8_t cls;
};

struct graph {
	struct tg_sim *sim;
	uint32_t recipe;
	int64_t free_ns[TG_CLASS_COUNT];
	struct span ring[RING];
	uint64_t serial;
	int64_t end_ns;
	int lanes; /* at most this many lanes for a TPC node; 0: all */
	bool copies_weights;
};

int tg_gaudi_blocks(const struct tg_sim *sim)
{
	int blocks = DEFAULT_BLOCKS * sim->opt->nodes / 100;

	return blocks < 1 ? 1 : blocks;
}

int tg_gaudi_share_count(const struct tg_sim *sim, int count, int first, int last)
{
	int blocks = tg_gaudi_blocks(sim);

	return count * last / blocks - count * first / blocks;
}

struct tg_lanes tg_gaudi_lanes(const struct tg_sim *sim)
{
	struct tg_lanes gaudi2 = {4, 24};
	struct tg_lanes gaudi3 = {8, 64};

	return sim->opt->format == TG_GAUDI_KINETO ? gaudi3 : gaudi2;
}

static void add_slice(const struct graph *g, const struct proto *node, struct span span, int lane)
{
	struct tg_event *event = tg_add(g->sim, TG_SEC_DEVICE, node->kernel);

	event->ts_ns = span.start_ns;
	event->dur_ns = span.end_ns - span.start_ns;
	event->cls = node->cls;
	event->lane = (uint16_t)lane;
	event->a = g->recipe;
	event->b = node->dtype;
	event->args = node->cls == TG_DMA ? TG_ARGS_COPY : TG_ARGS_DEVICE;
	event->category = node->cls == TG_DMA ? TG_CAT_OTHER : TG_CAT_KERNEL;
}

/* Two write buffers that take turns and overlap a little; together they cover the node. */
static void add_mme_lane(
	const struct graph *g, const struct proto *node, struct span span, int lane)
{
	int64_t quantum = g->sim->device_quantum_ns;
	int64_t half = (span.end_ns - span.start_ns) / 2 / quantum * quantum;
	struct span first = span;
	struct span second = span;

	if (half < 20000) {
		add_slice(g, node, span, lane);
		return;
	}
	first.end_ns = span.start_ns + half + half / 8;
	second.start_ns += half;
	add_slice(g, node, first, lane);
	add_slice(g, node, second, lane);
	if (!g->sim->failed) {
		g->sim->events[g->sim->count - 1].variant = 1;
	}
}

static int lanes_of(const struct graph *g, const struct proto *node)
{
	struct tg_lanes lanes = tg_gaudi_lanes(g->sim);

	switch (node->cls) {
	case TG_MME: return lanes.mme;
	case TG_TPC: return g->lanes != 0 ? g->lanes : lanes.tpc;
	default: return 2;
	}
}

static void add_lanes(const struct graph *g, const struct proto *node, struct span span)
{
	int64_t quantum = g->sim->device_quantum_ns;
	int64_t room = (span.end_ns - span.start_ns) / 64 / quantum;
	int lanes = lanes_of(g, node);

	for (int lane = 0; lane < lanes; lane++) {
		uint64_t draw = tg_hash(g->sim->opt->seed, g->serial, (uint64_t)lane, 77);
		struct span part = span;

		if (lane > 0 && room > 0) {
			part.start_ns += (int64_t)(draw % (uint64_t)room) * quantum;
			part.end_ns -= (int64_t)((draw >> 32) % (uint64_t)room) * quantum;
		}
		if (node->cls == TG_MME) {
			add_mme_lane(g, node, part, lane);
		} else {
			add_slice(g, node, part, lane);
		}
	}
}

static void count_node(struct graph *g, const struct proto *node, struct span span)
{
	struct tg_counts *counts = &g->sim->counts;

	counts->nodes++;
	if (g->sim->first_device_ns == 0) {
		g->sim->first_device_ns = span.start_ns;
	}
	tg_count_device(g->sim, span.start_ns, span.end_ns);
	if (g->sim->want_lanes) {
		add_lanes(g, node, span);
	}
}

static bool overlaps(const struct graph *g, const struct proto *node, uint8_t producer)
{
	uint64_t draw = tg_hash(g->sim->opt->seed, g->serial, 5, 0) % 100;

	return node->cls != TG_DMA && producer != TG_DMA &&
	       (int)draw >= tg_size(g->sim, TG_MME_TPC_SERIAL);
}

static void run_node(struct graph *g, const struct proto *node, int64_t dur_ns)
{
	struct span producer = g->ring[(g->serial + RING - node->back) % RING];
	int share = overlaps(g, node, producer.cls) ? OVERLAP_PCT : 0;
	int64_t start = producer.end_ns - (producer.end_ns - producer.start_ns) / 100 * share;
	struct span span = {.cls = node->cls};

	if (start + dur_ns < producer.end_ns + TAIL_NS) {
		start = producer.end_ns + TAIL_NS - dur_ns;
	}
	if (start < g->free_ns[node->cls]) {
		start = g->free_ns[node->cls];
	}
	span.start_ns = tg_round_up(start, g->sim->device_quantum_ns);
	span.end_ns = span.start_ns + dur_ns;
	g->free_ns[node->cls] = span.end_ns;
	g->ring[g->serial % RING] = span;
	g->serial++;
	if (span.end_ns > g->end_ns) {
		g->end_ns = span.end_ns;
	}
	count_node(g, node, span);
}

static int64_t node_ns(const struct graph *g, const struct proto *node)
{
	return tg_jitter(g->sim, (int64_t)node->us * 1000, 2, g->serial);
}

/* How much of a problem's time falls on one of the `parts` places it can happen at per step. */
static int64_t share_ns(const struct graph *g, enum tg_problem problem, int parts)
{
	return g->sim->amount_ns[problem] / (parts * tg_gaudi_blocks(g->sim));
}

static void run_attention(struct graph *g, const struct proto *node)
{
	static const struct proto parts[] = {
		{"add_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 0},
		{"softmax_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 0},
		{"dropout_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 0},
	};
	int64_t total = node_ns(g, node) + share_ns(g, TG_ATTENTION, 2);

	for (size_t i = 0; i < 3; i++) {
		run_node(g, &parts[i], total / 3);
	}
	g->sim->injected_ns[TG_ATTENTION] += share_ns(g, TG_ATTENTION, 2);
}

/* Tiny kernels on two lanes, each with a pause before it. */
static void run_small(struct graph *g)
{
	static const struct proto tiny[] = {
		{"mul_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 5},
		{"add_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 5},
		{"sub_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 5},
	};
	enum { TINY_NS = 5000, PAUSE_NS = 2000 };
	int64_t left = share_ns(g, TG_SMALL_KERNELS, 5);

	g->sim->injected_ns[TG_SMALL_KERNELS] += left;
	g->lanes = 2;
	for (size_t i = 0; left >= TINY_NS + PAUSE_NS; i++) {
		g->free_ns[TG_TPC] = g->end_ns + PAUSE_NS;
		run_node(g, &tiny[i % 3], TINY_NS);
		left -= TINY_NS + PAUSE_NS;
	}
	g->lanes = 0;
}

static void run_transpose(struct graph *g)
{
	static const struct proto transpose = {"Transpose", TG_TPC, BF16, 1, PLAIN, 0};
	int64_t dur = share_ns(g, TG_TRANSPOSES, 12);

	g->free_ns[TG_TPC] = g->end_ns;
	run_node(g, &transpose, dur);
	g->free_ns[TG_MME] = g->end_ns;
	g->sim->injected_ns[TG_TRANSPOSES] += dur;
}

/* A copy that nothing hides: everything waits for it. */
static void run_exposed_copy(struct graph *g, enum tg_problem problem, int parts)
{
	static const struct proto copy = {"DmaMemcpy", TG_DMA, TG_DTYPE_NONE, 1, PLAIN, 0};
	int64_t dur = share_ns(g, problem, parts);

	if (dur <= 0) {
		return;
	}
	g->free_ns[TG_DMA] = g->end_ns;
	run_node(g, &copy, dur);
	for (int cls = 0; cls < TG_NIC; cls++) {
		g->free_ns[cls] = g->end_ns;
	}
	g->sim->injected_ns[problem] += dur;
}

static void run_proto(struct graph *g, const struct proto *node)
{
	struct proto changed = *node;
	int64_t dur = node_ns(g, node);
	uint64_t draw = tg_hash(g->sim->opt->seed, g->serial, 6, 0) % 100;

	if (node->mark == ATTENTION && tg_on(g->sim, TG_ATTENTION)) {
		run_attention(g, node);
		return;
	}
	if (node->mark == MATMUL && g->copies_weights) {
		run_exposed_copy(g, TG_WEIGHT_COPIES, 4);
	}
	if (node->mark == MATMUL && tg_on(g->sim, TG_TRANSPOSES)) {
		run_transpose(g);
	}
	if (node->cls == TG_MME && node->dtype == BF16 &&
		(int)draw < tg_size(g->sim, TG_MME_FP32)) {
		changed.dtype = F32;
		g->sim->injected_ns[TG_MME_FP32] += dur;
		dur *= 2;
	}
	run_node(g, &changed, dur);
	if (node->mark == POINTWISE && tg_on(g->sim, TG_SMALL_KERNELS)) {
		run_small(g);
	}
}

static void run_all(struct graph *g, const struct proto *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		run_proto(g, &nodes[i]);
	}
}

#define RUN_ALL(g, nodes) run_all(g, nodes, sizeof(nodes) / sizeof((nodes)[0]))

/* One kernel after the other, each as short as a parameter of a small model makes it. */
static void run_unfused(struct graph *g, const char *const *kernels, int count, int64_t dur_ns)
{
	for (int i = 0; i < count; i++) {
		for (int k = 0; kernels[k] != NULL; k++) {
			struct proto node = {kernels[k], TG_TPC, F32, 1, PLAIN, 0};

			g->lanes = 8;
			run_node(g, &node, dur_ns);
		}
	}
	g->lanes = 0;
}

/* Convolutions and their norms; the addition of a bias, or the sum of its gradient, is a node. */
static void run_convolutions(struct graph *g, enum tg_phase phase, int count)
{
	static const struct proto forward[] = {
		{"Convolution", TG_MME, BF16, 1, PLAIN, 290},
		{"batch_norm_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 120},
		{"add_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 88},
	};
	static const struct proto backward[] = {
		{"batch_norm_bwd_bf16", TG_TPC, BF16, 1, PLAIN, 190},
		{"dedx", TG_MME, BF16, 1, PLAIN, 300},
		{"dedw", TG_MME, BF16, 2, PLAIN, 310},
		{"reduce_sum_fwd_bf16", TG_TPC, BF16, 1, PLAIN, 60},
	};
	size_t bias = tg_on(g->sim, TG_CONV_BIAS);

	for (int i = 0; i < count; i++) {
		if (phase == TG_FORWARD) {
			run_all(g, forward, 2 + bias);
		} else {
			run_all(g, backward, 3 + bias);
		}
	}
}

/* What habits of the code leave in the graph of the blocks [first, last). */
static void run_habits(struct graph *g, enum tg_phase phase, int first, int last)
{
	static const char *const rand[] = {"random_uniform_fwd_f32", NULL};
	static const char *const row[] = {"mult_fwd_f32", "memcpy_nd_fwd_f32", NULL};
	static const char *const rows[] = {"gather_fwd_f32", "mult_fwd_f32", NULL};
	static const char *const fill[] = {"mult_fwd_f32", NULL};
	enum { TINY_NS = 2500, RAND_NS = 9000, ROWS_NS = 30000 };
	int middle = tg_gaudi_blocks(g->sim) / 2;
	int tensors = tg_planted_size(g->sim, TG_CPU_TENSORS) - tg_size(g->sim, TG_CPU_TENSORS);
	int copies = tg_planted_size(g->sim, TG_BUCKET_COPIES);
	int count = tg_size(g->sim, TG_ROW_LOOP);
	int convolutions = tg_planted_size(g->sim, TG_CONV_BIAS);

	run_convolutions(g, phase, tg_gaudi_share_count(g->sim, convolutions, first, last));
	if (phase == TG_BACKWARD) {
		copies = tg_gaudi_share_count(g->sim, copies, first, last);
		run_unfused(g, fill, g->sim->opt->world_size > 1 ? copies : 0, TINY_NS);
		return;
	}
	run_unfused(g, rand, tg_gaudi_share_count(g->sim, tensors, first, last), RAND_NS);
	if (first <= middle && middle < last && tg_planted(g->sim, TG_ROW_LOOP)) {
		run_unfused(g, count > 0 ? row : rows, count > 0 ? count : 1,
			count > 0 ? TINY_NS : ROWS_NS);
	}
}

static void run_update(struct graph *g)
{
	static const char *const norm[] = {"reduce_L2_fwd_f32", "mult_fwd_f32", NULL};
	static const char *const adam[] = {
		"mult_fwd_f32", "addcmul_fwd_f32", "sqrt_fwd_f32", "addcdiv_fwd_f32", NULL};
	static const char *const copy[] = {"memcpy_nd_fwd_f32", NULL};

	run_unfused(g, copy, tg_size(g->sim, TG_BUCKET_COPIES), 2500);

	if (tg_on(g->sim, TG_CLIP_NORM)) {
		run_unfused(g, norm, tg_size(g->sim, TG_CLIP_NORM), 21000);
	} else {
		RUN_ALL(g, fused_norm);
	}
	if (tg_on(g->sim, TG_OPTIMIZER)) {
		run_unfused(g, adam, tg_size(g->sim, TG_OPTIMIZER), 38000);
	} else {
		RUN_ALL(g, fused_update);
	}
}

/* Some nodes of one backward block, and the check of their result. */
static void run_cut(struct graph *g, const struct tg_stretch *stretch)
{
	enum { NODES = sizeof(backward_block) / sizeof(backward_block[0]) };
	static const char *const check[] = {"isnan_fwd_bf16", "reduce_max_fwd_i8", NULL};
	int from = NODES * stretch->cut.from / stretch->cut.of;
	int to = NODES * stretch->cut.to / stretch->cut.of;

	g->serial += (uint64_t)from;
	run_all(g, &backward_block[from], (size_t)(to - from));
	run_unfused(g, check, stretch->cut.checked, 12000);
	if (to == NODES) {
		run_exposed_copy(g, TG_DMA_EXPOSED, 2);
		run_habits(g, TG_BACKWARD, stretch->first, stretch->last);
	}
}

static void run_stretch(struct graph *g, const struct tg_stretch *stretch)
{
	if (stretch->cut.of > 0) {
		run_cut(g, stretch);
		return;
	}
	if (stretch->phase == TG_UPDATE) {
		run_update(g);
		return;
	}
	if (stretch->phase == TG_FORWARD && stretch->first == 0) {
		RUN_ALL(g, stem);
	}
	for (int block = stretch->first; block < stretch->last; block++) {
		if (stretch->phase == TG_FORWARD) {
			RUN_ALL(g, forward_block);
		} else {
			RUN_ALL(g, backward_block);
		}
		run_exposed_copy(g, TG_DMA_EXPOSED, 2);
	}
	run_habits(g, stretch->phase, stretch->first, stretch->last);
	if (stretch->phase == TG_FORWARD && stretch->last == tg_gaudi_blocks(g->sim)) {
		RUN_ALL(g, head);
	}
}

void tg_gaudi_execute(struct tg_sim *sim, const struct tg_stretch *stretch, int64_t ready_ns)
{
	struct graph g = {.sim = sim, .recipe = stretch->recipe};
	int64_t start = ready_ns > sim->compute_free_ns ? ready_ns : sim->compute_free_ns;

	g.serial = (uint64_t)stretch->phase * 100000 + (uint64_t)stretch->first * 1000 + RING;
	for (int cls = 0; cls < TG_CLASS_COUNT; cls++) {
		g.free_ns[cls] = start;
	}
	for (int i = 0; i < RING; i++) {
		g.ring[i].start_ns = start;
		g.ring[i].end_ns = start;
	}
	g.end_ns = start;
	g.copies_weights = stretch->phase == TG_FORWARD && tg_on(sim, TG_WEIGHT_COPIES);
	run_stretch(&g, stretch);
	sim->compute_free_ns = g.end_ns;
}

int64_t tg_gaudi_copy(struct tg_sim *sim, int64_t ready_ns, int64_t dur_ns, int64_t bytes)
{
	int64_t start = ready_ns > sim->copy_free_ns ? ready_ns : sim->copy_free_ns;
	struct tg_event *event;

	start = tg_round_up(start, sim->device_quantum_ns);
	sim->copy_free_ns = start + dur_ns;
	sim->counts.nodes++;
	tg_count_device(sim, start, start + dur_ns);
	if (sim->want_lanes) {
		event = tg_add(sim, TG_SEC_DEVICE, "DmaMemcpy");
		event->ts_ns = start;
		event->dur_ns = dur_ns;
		event->cls = TG_DMA;
		event->lane = 4;
		event->args = TG_ARGS_COPY;
		event->c = bytes;
	}
	return start + dur_ns;
}

int64_t tg_gaudi_collective(struct tg_sim *sim, int64_t ready_ns, int64_t dur_ns, int64_t bytes)
{
	int64_t start = ready_ns > sim->comm_free_ns ? ready_ns : sim->comm_free_ns;

	start = tg_round_up(start, sim->device_quantum_ns);
	sim->comm_free_ns = start + dur_ns;
	sim->counts.nodes++;
	tg_count_device(sim, start, start + dur_ns);
	for (uint16_t lane = 0; sim->want_lanes && lane < 4; lane++) {
		struct tg_event *event = tg_add(sim, TG_SEC_DEVICE, "hcclAllReduce");

		event->ts_ns = start;
		event->dur_ns = dur_ns;
		event->cls = TG_NIC;
		event->lane = lane;
		event->args = TG_ARGS_COMM;
		event->c = bytes;
	}
	return start + dur_ns;
}
