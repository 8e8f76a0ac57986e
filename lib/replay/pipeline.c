#include "replay/pipeline.h"

#include "analysis/usual.h"
#include "core/array.h"
#include "core/saturate.h"

/* parts of long operations start further apart: within this fraction of the duration */
enum { PART_SHARE = 32 };

/* So many launches that waited show how short a queue is, and one in so many may have lost its
 * work. The rest of a call is at most this part of its wait. Our defaults, no published source. */
enum { WAITED_LEAST = 4, LOST_PART = 16, REST_PART = 4 };

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

/* Several engines or ports carry a part each of one piece of work. */
static void add(struct tc_pipeline_sum *sum, const struct tc_span *span)
{
	bool is_part = sum->ts_ns != INT64_MIN && sum->label == span->label &&
		       tc_sub_saturated(span->ts_ns, sum->ts_ns) <=
			       tc_part_jitter_ns(sum->end_ns - sum->ts_ns);

	if (is_part)
		return;
	sum->ts_ns = span->ts_ns;
	sum->end_ns = tc_span_end_ns(span);
	sum->label = span->label;
	sum->dur_ns = tc_add_saturated(sum->dur_ns, span->dur_ns);
	sum->count++;
}

static void see_sums(
	struct tc_pipeline *pipeline, const struct tc_span *span, enum tc_engine engine)
{
	const struct tc_label *label = &pipeline->timeline->labels[span->label];
	bool may_reduce = label->collective == TC_COLLECTIVE_NONE ||
			  label->collective == TC_COLLECTIVE_ALL_REDUCE;

	if (span->dur_ns <= 0)
		return;
	if (tc_engine_is_collective(engine)) {
		if (may_reduce)
			add(&pipeline->sums[TC_PIPELINE_REDUCES], span);
	} else if (label->name_class == TC_CLASS_UPDATE || label->phase == TC_PHASE_OPTIMIZER) {
		add(&pipeline->sums[TC_PIPELINE_UPDATES], span);
	}
}

/* One that began while the work so many launches before was under way. */
static void count_wait(struct tc_pipeline_waits *waits, const struct tc_pipeline_launch *launch,
	int64_t work_end_ns)
{
	int64_t waited_ns = tc_sub_saturated(work_end_ns, launch->ts_ns);
	size_t at = (size_t)waits->count % TC_SHORT_QUEUE_SAMPLES;

	waits->free_count += launch->return_ns <= work_end_ns;
	if (launch->return_ns <= work_end_ns || waited_ns <= TC_BLOCKED_NS)
		return;
	waits->waited_ns[at] = waited_ns;
	waits->rest_ns[at] = tc_sub_saturated(launch->return_ns, work_end_ns);
	waits->count++;
}

static void count_launch(struct tc_pipeline *pipeline, const struct tc_pipeline_launch *launch)
{
	for (int64_t n = 1; n <= TC_SHORT_QUEUE_MAX && n <= pipeline->launch_count; n++) {
		int64_t end_ns =
			pipeline->launches[(pipeline->launch_count - n) % TC_SHORT_QUEUE_MAX]
				.work_end_ns;
		if (launch->ts_ns < end_ns)
			count_wait(&pipeline->waits[n - 1], launch, end_ns);
	}
	pipeline->launches[pipeline->launch_count++ % TC_SHORT_QUEUE_MAX] = *launch;
}

static void see_launch(
	struct tc_pipeline *pipeline, const struct tc_span *span, enum tc_engine engine)
{
	const struct tc_pipeline_launch launch = {.id = span->launch_slice_id,
		.ts_ns = span->launch_ts_ns,
		.return_ns = span->launch_end_ns,
		.work_end_ns = tc_span_known_end_ns(span)};

	if (launch.id == TC_NO_ID || !tc_engine_computes(engine))
		return;
	for (int64_t i = 0; i < TC_SHORT_QUEUE_MAX && i < pipeline->launch_count; i++) {
		struct tc_pipeline_launch *known = &pipeline->launches[i];
		if (known->id != launch.id)
			continue;
		if (launch.work_end_ns > known->work_end_ns)
			known->work_end_ns = launch.work_end_ns;
		return;
	}
	count_launch(pipeline, &launch);
}

bool tc_pipeline_see(
	struct tc_pipeline *pipeline, const struct tc_span *span, enum tc_engine engine)
{
	int index = engine == TC_ENGINE_TPC;
	struct tc_pipeline_node *own = &pipeline->latest[index];
	int64_t end_ns = span->ts_ns + span->dur_ns;

	see_sums(pipeline, span, engine);
	see_launch(pipeline, span, engine);
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

/*
 * An Adam that is fused touches four bytes of each parameter seven times, a ring of all-reduces
 * sends each gradient twice. So they take 2/7 of the ratio of the bandwidths of memory and network,
 * as often as the update. That is 2 to 5 within a node (V100, A100, H100, MI300X, Gaudi 2), 9 to 17
 * over PCI Express, and 21 to 26 with a port of 200 or 400 Gbit/s for each device. The likely one
 * is the middle by ratio.
 */
static const int64_t transfers_of_update[TC_END_COUNT] = {
	[TC_END_LIKELY] = 7, [TC_END_LOW] = 26, [TC_END_HIGH] = 2};

static int64_t startup_of(const struct tc_pipeline *pipeline, int end)
{
	const struct tc_pipeline_sum *updates = &pipeline->sums[TC_PIPELINE_UPDATES];
	const struct tc_pipeline_sum *reduces = &pipeline->sums[TC_PIPELINE_REDUCES];
	int64_t moved_ns = tc_scale_saturated(updates->dur_ns, transfers_of_update[end], 1);

	if (updates->count == 0 || reduces->count == 0)
		return INT64_MAX;
	return tc_sub_saturated(reduces->dur_ns, moved_ns) / reduces->count;
}

static int64_t usual_ppm(const struct tc_pipeline *pipeline)
{
	uint32_t seen = 0;

	for (int64_t i = 0; i < TC_PIPELINE_BINS; i++) {
		seen += pipeline->counts[i];
		if (seen * 2 > pipeline->count)
			return (2 * i + 1) * TC_PPM / (2 * TC_PIPELINE_BINS);
	}
	return TC_PPM;
}

/* Whether launches waited for that end: the rest is what every call costs, short and alike, while
 * waits differ more. */
static bool shows_wait(struct tc_pipeline_waits *waits)
{
	size_t count = waits->count < TC_SHORT_QUEUE_SAMPLES ? (size_t)waits->count
							     : TC_SHORT_QUEUE_SAMPLES;

	if (count < WAITED_LEAST || waits->free_count > waits->count / LOST_PART)
		return false;
	int64_t rest_ns = tc_median(waits->rest_ns, count);
	int64_t waited_ns = tc_median(waits->waited_ns, count);
	return rest_ns <= waited_ns / REST_PART &&
	       tc_middle_half(waits->rest_ns, count) <= tc_middle_half(waits->waited_ns, count) / 2;
}

static int64_t short_queue(struct tc_pipeline *pipeline)
{
	for (int64_t i = 0; i < TC_SHORT_QUEUE_MAX; i++)
		if (shows_wait(&pipeline->waits[i]))
			return i + 1;
	return 0;
}

void tc_pipeline_end(int64_t *slice_ppm, int64_t startup_ns[TC_END_COUNT], int64_t *queue_places,
	struct tc_pipeline *pipeline)
{
	*slice_ppm = usual_ppm(pipeline);
	*queue_places = short_queue(pipeline);
	for (int end = 0; end < TC_END_COUNT; end++)
		startup_ns[end] = startup_of(pipeline, end);
}
