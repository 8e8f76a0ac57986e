/*
 * What the two Gaudi workloads share: the graph of a Swin-like step and the engines that run it.
 */
#ifndef TC_TOOLS_GAUDI_H
#define TC_TOOLS_GAUDI_H

#include "tracegen.h"

enum tg_phase { TG_FORWARD, TG_BACKWARD, TG_UPDATE };

/* A stretch of the graph that is launched at once. Blocks [first, last); the stretch that starts
 * at 0 carries the stem, the one that ends at the last block the head. */
struct tg_stretch {
	enum tg_phase phase;
	int first, last;
	uint32_t recipe;
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

#endif
