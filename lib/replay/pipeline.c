#include "replay/pipeline.h"

#include "core/saturate.h"

/* parts of long operations start further apart: within this fraction of the duration */
enum { PART_SHARE = 32 };

int64_t tc_part_jitter_ns(int64_t dur_ns)
{
	return dur_ns / PART_SHARE > TC_JITTER_NS ? dur_ns / PART_SHARE : TC_JITTER_NS;
}

int64_t tc_part_of(int64_t ns, int64_t ppm)
{
	return tc_scale_saturated(ns, ppm, TC_PPM);
}

/* The node starts while the other engine works on the node before it, and its own engine was free:
 * it waited for the first slice. */
static void count_start(struct tc_pipeline *pipeline, int engine, const struct tc_span *span)
{
	const struct tc_pipeline_node *own = &pipeline->latest[engine];
	const struct tc_pipeline_node *producer = &pipeline->latest[!engine];

	if (pipeline->last_engine != !engine || producer->launch_id != span->launch_slice_id ||
		producer->recipe != span->recipe || producer->end_ns <= span->ts_ns ||
		(own->end_ns != INT64_MIN && span->ts_ns - own->end_ns <= TC_JITTER_NS))
		return;
	int64_t ppm = tc_ppm_of(span->ts_ns - producer->ts_ns, producer->end_ns - producer->ts_ns);
	pipeline->counts[ppm * TC_PIPELINE_BINS / TC_PPM]++;
	pipeline->count++;
}

bool tc_pipeline_see(
	struct tc_pipeline *pipeline, const struct tc_span *span, enum tc_engine engine)
{
	int index = engine == TC_ENGINE_TPC;
	struct tc_pipeline_node *own = &pipeline->latest[index];
	int64_t end_ns = span->ts_ns + span->dur_ns;

	if ((engine != TC_ENGINE_MME && engine != TC_ENGINE_TPC) ||
		span->recipe == TC_STRTAB_NONE || span->dur_ns < 0)
		return false;
	if (own->end_ns != INT64_MIN && own->label == span->label && own->recipe == span->recipe &&
		span->ts_ns - own->ts_ns <= tc_part_jitter_ns(own->end_ns - own->ts_ns)) {
		if (end_ns > own->end_ns)
			own->end_ns = end_ns;
		return false;
	}
	count_start(pipeline, index, span);
	*own = (struct tc_pipeline_node){.ts_ns = span->ts_ns,
		.end_ns = end_ns,
		.launch_id = span->launch_slice_id,
		.label = span->label,
		.recipe = span->recipe};
	pipeline->last_engine = index;
	return true;
}

int64_t tc_pipeline_usual_ppm(const struct tc_pipeline *pipeline)
{
	uint32_t seen = 0;

	for (int64_t i = 0; i < TC_PIPELINE_BINS; i++) {
		seen += pipeline->counts[i];
		if (seen * 2 > pipeline->count)
			return (2 * i + 1) * TC_PPM / (2 * TC_PIPELINE_BINS);
	}
	return TC_PPM;
}
