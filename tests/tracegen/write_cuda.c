/*
 * CUDA events as kineto writes them: runtime calls and device work with their correlation, and the
 * arrow between the two.
 */
#include "kineto.h"

static void put_runtime(struct tg_kineto *k, const struct tg_event *event)
{
	bool launches = event->b != 0;
	bool copies = event->name[4] == 'M';

	tg_kineto_slice(k, event, "cuda_runtime");
	tg_kineto_field(k, ",\n    \"args\": {\n      \"External id\": ", event->a);
	tg_kineto_field(k, ", \"cbid\": ", copies ? 41 : launches ? 211 : 131);
	tg_kineto_field(k, ", \"correlation\": ", event->c);
	tg_put(k->out, "\n    }\n  }");
	if (launches) {
		tg_kineto_arrow(k, event, true);
	}
}

static void put_where(struct tg_kineto *k, const struct tg_event *event)
{
	tg_kineto_field(k, "\"device\": 0, \"context\": 1, \"stream\": ", event->lane);
	tg_kineto_field(k, ", \"correlation\": ", event->c);
}

/* GB/s is bytes per nanosecond; three decimals are enough. */
static void put_bandwidth(struct tg_kineto *k, const struct tg_event *event)
{
	int64_t thousandths = event->dur_ns > 0 ? (int64_t)event->b * 1000 / event->dur_ns : 0;

	tg_kineto_field(k, ", \"bytes\": ", event->b);
	tg_put(k->out, ", \"memory bandwidth (GB/s)\": ");
	tg_put_us_fixed(k->out, thousandths);
}

static void put_grid(struct tg_kineto *k, const struct tg_event *event)
{
	int64_t blocks = event->cls == TG_NIC ? 24 : event->dur_ns / 500 + 1;

	tg_put(k->out, ",\n      \"registers per thread\": 64, \"shared memory\": 16384");
	tg_put(k->out, ", \"blocks per SM\": ");
	tg_put_us_fixed(k->out, blocks * 1000 / 132);
	tg_put(k->out, ", \"warps per SM\": ");
	tg_put_us_fixed(k->out, blocks * 4000 / 132);
	tg_kineto_field(k, ",\n      \"grid\": [", blocks);
	tg_put(k->out, ", 1, 1], \"block\": [128, 1, 1]");
	tg_kineto_field(
		k, ", \"est. achieved occupancy %\": ", blocks > 264 ? 50 : blocks * 50 / 264);
}

static void put_device(struct tg_kineto *k, const struct tg_event *event)
{
	bool kernel = event->category == TG_CAT_KERNEL;

	tg_kineto_slice(k, event, kernel ? "kernel" : "gpu_memcpy");
	tg_kineto_field(k, ",\n    \"args\": {\n      \"External id\": ", event->a);
	tg_put(k->out, kernel ? ", \"queued\": 0, " : ", ");
	put_where(k, event);
	if (kernel) {
		put_grid(k, event);
	} else {
		put_bandwidth(k, event);
	}
	tg_put(k->out, "\n    }\n  }");
	tg_kineto_arrow(k, event, false);
}

void tg_kineto_put_cuda(struct tg_kineto *k, const struct tg_event *event)
{
	if (event->section == TG_SEC_DEVICE) {
		put_device(k, event);
	} else if (event->section == TG_SEC_SYNAPSE) {
		put_runtime(k, event);
	}
}
