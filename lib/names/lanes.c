/* Lanes of a Gaudi; see names.h. */
#include "names/names.h"

#include "core/array.h"
#include "names/pattern.h"

/* Thread numbers are class * 1000 + engine; class is the position of the engine's prefix in the
 * writer's table. */
static enum tc_engine lane_of_tid(int64_t tid)
{
	static const enum tc_engine by_class[] = {TC_ENGINE_DMA, TC_ENGINE_MME, TC_ENGINE_TPC,
		TC_ENGINE_DMA, TC_ENGINE_DMA, TC_ENGINE_DMA, TC_ENGINE_MME, TC_ENGINE_TPC,
		TC_ENGINE_OTHER, TC_ENGINE_OTHER, TC_ENGINE_OTHER, TC_ENGINE_OTHER, TC_ENGINE_OTHER,
		TC_ENGINE_OTHER, TC_ENGINE_NIC, TC_ENGINE_NIC, TC_ENGINE_NIC, TC_ENGINE_NIC};

	/* Thread 0 also holds Python frames of process 0; engine numbers start above it. */
	if (tid <= 0 || tid / 1000 >= (int64_t)(TC_COUNT_OF(by_class)))
		return TC_ENGINE_NONE;
	return by_class[tid / 1000];
}

enum tc_engine tc_gaudi_lane_engine(struct tc_text thread_name, bool has_tid, int64_t tid)
{
	static const struct {
		const char *pattern;
		enum tc_engine engine;
	} rows[] = {
		{"*MME*", TC_ENGINE_MME},
		{"*TPC*", TC_ENGINE_TPC},
		{"*DMA*", TC_ENGINE_DMA},
		{"*NIC*", TC_ENGINE_NIC},
		{"*ROTATOR*", TC_ENGINE_OTHER},
		{"*ARC*", TC_ENGINE_OTHER},
		{"*PSOC*", TC_ENGINE_OTHER},
		{"*PMMU*", TC_ENGINE_OTHER},
		{"*DECODER*", TC_ENGINE_OTHER},
	};

	for (size_t i = 0; i < TC_COUNT_OF(rows); i++)
		if (thread_name.ptr && tc_pattern_match(rows[i].pattern, thread_name))
			return rows[i].engine;
	return has_tid ? lane_of_tid(tid) : TC_ENGINE_NONE;
}
