/* Habits that cost the host alike, whatever the device. */
#include "tracegen.h"

void tg_print_progress(struct tg_sim *sim, void (*read_value)(struct tg_sim *sim))
{
	enum { PRINT_NS = 900000 };
	int count = tg_on(sim, TG_PRINTING) ? tg_size(sim, TG_PRINTING) : sim->step % 20 == 19;
	size_t frame = tg_open_python(sim, "train.py(71): report");

	for (int i = 0; i < count; i++) {
		size_t call = tg_open_python(
			sim, "<built-in method item of Tensor object at 0x7f3c5c1b2a90>");

		read_value(sim);
		tg_close(sim, call);
		tg_spend(sim, 12000);
		call = tg_open_python(sim, "<built-in function print>");
		tg_spend(sim, tg_jitter(sim, PRINT_NS, 10, 49));
		tg_close(sim, call);
		sim->injected_ns[TG_PRINTING] += tg_on(sim, TG_PRINTING) ? PRINT_NS : 0;
	}
	tg_close(sim, frame);
	tg_spend(sim, 3000);
}

size_t tg_open_ddp(struct tg_sim *sim)
{
	static const enum tg_problem shown[] = {
		TG_REDUNDANT, TG_BUCKET_COPIES, TG_UNUSED, TG_SLOW_BACKEND};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (tg_planted(sim, shown[i])) {
			return tg_open_annotation(sim, "DistributedDataParallel.forward");
		}
	}
	return SIZE_MAX;
}

void tg_search_unused(struct tg_sim *sim)
{
	int64_t extra = tg_jitter(sim, sim->slack_ns + sim->amount_ns[TG_UNUSED], 3, 43);
	size_t op;

	if (!tg_on(sim, TG_UNUSED)) {
		return;
	}
	op = tg_open_op(sim, "torch.distributed.ddp.reducer::search_unused_parameters");
	tg_spend(sim, extra);
	tg_close(sim, op);
	sim->injected_ns[TG_UNUSED] += extra;
}
