/*
 * What the two Gaudi workloads share: the graph of a Swin-like step and the engines that run it.
 */
#ifndef TC_TOOLS_GAUDI_H
#define TC_TOOLS_GAUDI_H

#include "tracegen.h"

enum tg_phase { TG_FORWARD, TG_BACKWARD, TG_UPDATE };

/* A stretch of the graph that is launched at once; of a block that is cut, the nodes of some of its
 * operations. Blocks [first, last); the stretch that starts
 * at 0 carries the stem, the one that ends at the last block the head. */
struct tg_stretch {
	enum tg_phase phase;
	int first, last;
	uint32_t recipe;
	struct {
		int from, to, of; /* of 0: the block is whole */
		bool checked;     /* the result is looked at */
	} cut;
};

struct tg_op {
	const char *name;
	const char *inner;  /* nested framework op, or NULL */
	const char *bridge; /* what the bridge logs in lazy mode */
};

struct tg_lanes {
	int mme, tpc;
};

int tg_gaudi_blocks(const struct tg_sim *sim);
struct tg_lanes tg_gaudi_lanes(const struct tg_sim *sim);

/* Runs a stretch on the engines, not before `ready_ns`; moves compute_free_ns. */
void tg_gaudi_execute(struct tg_sim *sim, const struct tg_stretch *stretch, int64_t ready_ns);

/* A copy on a DMA engine of the host link, not before `ready_ns`; returns its end. */
int64_t tg_gaudi_copy(struct tg_sim *sim, int64_t ready_ns, int64_t dur_ns, int64_t bytes);

/* A collective on the NIC lanes, not before `ready_ns`; returns its end. */
int64_t tg_gaudi_collective(struct tg_sim *sim, int64_t ready_ns, int64_t dur_ns, int64_t bytes);

/* Compiling a graph takes this share of a healthy step; more graphs compile in the first one. */
enum { TG_COMPILE_PCT = 90, TG_WARM_UP_PCT = 60 };

/* gaudi_step.c: extra host time of one operation when the host is the bottleneck */
int64_t tg_op_overhead_ns(struct tg_sim *sim);

/* gaudi_habits.c: problems of a model's own code, each at its place in the step */
void tg_gaudi_before_block(struct tg_sim *sim, int block);
void tg_gaudi_before_op(struct tg_sim *sim, const struct tg_op *op);
void tg_gaudi_before_backward(struct tg_sim *sim, int first, int last);
bool tg_gaudi_checks(const struct tg_sim *sim);
void tg_gaudi_check(struct tg_sim *sim);

/* gaudi_ddp.c: what DistributedDataParallel does around and in a pass */
void tg_gaudi_fill_buckets(struct tg_sim *sim, int first, int last);
void tg_gaudi_reduce_bucket(struct tg_sim *sim, int bucket, int buckets);
void tg_gaudi_finish_buckets(struct tg_sim *sim);

/* How many of `count` things per step fall to the blocks [first, last). */
int tg_gaudi_share_count(const struct tg_sim *sim, int count, int first, int last);

/* gaudi_host.c */
size_t tg_open_lazy(struct tg_sim *sim, enum tg_section section, const char *name);
void tg_run_op(struct tg_sim *sim, const struct tg_op *op, int64_t cost_ns, bool numbered);
void tg_launch(struct tg_sim *sim, struct tg_stretch stretch, bool compiled, int64_t lower_ns);
void tg_wait_event(struct tg_sim *sim, int64_t until_ns);
void tg_copy_in(struct tg_sim *sim, int64_t bytes, int64_t dur_ns, bool blocking);
void tg_item(struct tg_sim *sim);
void tg_fall_back(struct tg_sim *sim);

#endif
