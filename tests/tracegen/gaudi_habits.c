/*
 * Habits of a model's code that cost time on Gaudi, each at its place in the step. What a habit
 * needs to be there (the rows, the tensors) stays when it is fixed.
 */
#include "gaudi.h"

#include <string.h>

/* aten::rand and a copy, or aten::rand on the device. */
static void make_tensor(struct tg_sim *sim)
{
	enum { FILL_NS = 1500000, COPY_NS = 150000, BYTES = 3211264 };
	static const struct tg_op on_device = {"aten::rand", "aten::uniform_", "uniform_hpu_lazy_"};
	size_t rand, fill;

	if (!tg_on(sim, TG_CPU_TENSORS)) {
		tg_run_op(sim, &on_device, 30000, false);
		return;
	}
	rand = tg_open_op(sim, "aten::rand");
	tg_spend(sim, 6000);
	fill = tg_open_op(sim, "aten::uniform_");
	tg_spend(sim, tg_jitter(sim, FILL_NS, 5, sim->op_serial + 47));
	tg_close(sim, fill);
	tg_close(sim, rand);
	tg_spend(sim, 3000);
	tg_copy_in(sim, BYTES, COPY_NS, true);
	sim->injected_ns[TG_CPU_TENSORS] += FILL_NS + COPY_NS;
}

/* for i in range(rows): y[i] = x[index[i]] * w[i], or one operation for all rows. */
static void take_rows(struct tg_sim *sim, int rows)
{
	static const struct tg_op pick = {
		"aten::select", "aten::as_strided", "as_strided_hpu_lazy"};
	static const struct tg_op multiply = {"aten::mul", NULL, "mul_hpu_lazy"};
	static const struct tg_op store = {"aten::copy_", NULL, "copy_hpu_lazy_D2D"};
	static const struct tg_op gather = {"aten::index_select", NULL, "index_select_hpu_lazy"};
	enum { PICK_NS = 11000, OP_NS = 20000, WHOLE_NS = 60000 };

	if (!tg_on(sim, TG_ROW_LOOP)) {
		tg_run_op(sim, &gather, WHOLE_NS, false);
		tg_run_op(sim, &multiply, WHOLE_NS, false);
		return;
	}
	for (int i = 0; i < rows; i++) {
		tg_spend(sim, 5000); /* Python */
		tg_run_op(sim, &pick, PICK_NS, false);
		tg_run_op(sim, &pick, PICK_NS, false);
		tg_run_op(sim, &multiply, OP_NS, false);
		tg_run_op(sim, &pick, PICK_NS, false);
		tg_run_op(sim, &store, OP_NS, false);
	}
}

static size_t open_bridged(
	struct tg_sim *sim, const char *name, const struct tg_inputs *inputs, const char *bridge)
{
	enum { OP_NS = 25000 };
	size_t op = tg_open_op_with(sim, name, inputs);
	size_t inner;

	tg_spend(sim, OP_NS / 4);
	inner = tg_open_lazy(sim, TG_SEC_BRIDGE, bridge);
	tg_spend(sim, OP_NS / 2);
	tg_close(sim, inner);
	tg_spend(sim, OP_NS / 4);
	return op;
}

static void convolve(struct tg_sim *sim)
{
	static const char types[] = "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]";
	static const struct tg_inputs with_bias = {
		"[[128, 256, 56, 56], [256, 256, 3, 3], [256], [], [], [], []]", types, NULL};
	static const struct tg_inputs without = {
		"[[128, 256, 56, 56], [256, 256, 3, 3], [], [], [], [], []]", types, NULL};
	static const struct tg_op norm = {
		"aten::batch_norm", "aten::native_batch_norm", "batch_norm_hpu_lazy"};
	bool bias = tg_on(sim, TG_CONV_BIAS);

	tg_close(sim, open_bridged(sim, "aten::conv2d", bias ? &with_bias : &without,
			      "convolution_hpu_lazy"));
	tg_spend(sim, 4000);
	tg_run_op(sim, &norm, 30000, false);
	sim->injected_ns[TG_CONV_BIAS] += bias ? 148000 : 0;
}

/* A weight that lives elsewhere is copied, then used. */
void tg_gaudi_before_op(struct tg_sim *sim, const struct tg_op *op)
{
	static const struct tg_inputs weight = {"[[512, 512], [512, 512], []]",
		"[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]", NULL};

	if (tg_on(sim, TG_WEIGHT_COPIES) && strcmp(op->name, "aten::linear") == 0) {
		tg_close(sim, open_bridged(sim, "aten::copy_", &weight, "copy_hpu_lazy_D2D"));
		tg_spend(sim, 4000);
	}
}

void tg_gaudi_before_backward(struct tg_sim *sim, int first, int last)
{
	static const struct tg_op nodes[] = {
		{"autograd::engine::evaluate_function: NativeBatchNormBackward0",
			"NativeBatchNormBackward0", "empty_hpu_lazy"},
		{"autograd::engine::evaluate_function: ConvolutionBackward0",
			"ConvolutionBackward0", "empty_hpu_lazy"},
	};
	int count = tg_gaudi_share_count(sim, tg_planted_size(sim, TG_CONV_BIAS), first, last);

	for (int i = 0; i < 2 * count; i++) {
		tg_run_op(sim, &nodes[i % 2], 30000, false);
	}
}

void tg_gaudi_before_block(struct tg_sim *sim, int block)
{
	int convolutions =
		tg_gaudi_share_count(sim, tg_planted_size(sim, TG_CONV_BIAS), block, block + 1);
	int tensors =
		tg_gaudi_share_count(sim, tg_planted_size(sim, TG_CPU_TENSORS), block, block + 1);

	for (int i = 0; i < tensors; i++) {
		sim->op_serial = 400000 + (uint32_t)(block * 1000 + i);
		make_tensor(sim);
	}
	for (int i = 0; i < convolutions; i++) {
		convolve(sim);
	}
	if (block == tg_gaudi_blocks(sim) / 2 && tg_planted(sim, TG_ROW_LOOP)) {
		sim->op_serial = 440000;
		take_rows(sim, tg_planted_size(sim, TG_ROW_LOOP));
	}
}

/* Whether the result of this node of the backward pass is looked at. */
bool tg_gaudi_checks(const struct tg_sim *sim)
{
	uint64_t draw = tg_hash(sim->opt->seed, sim->op_serial, 9, 0) % 100;

	return (int)draw < tg_size(sim, TG_ANOMALY);
}

void tg_gaudi_check(struct tg_sim *sim)
{
	static const struct tg_op compare = {"aten::isnan", "aten::ne", "ne_hpu_lazy"};
	static const struct tg_op any = {"aten::_is_any_true", "aten::any", "any_hpu_lazy"};

	tg_run_op(sim, &compare, 24000, false);
	tg_run_op(sim, &any, 28000, false);
	sim->injected_ns[TG_ANOMALY] += 24000;
}
