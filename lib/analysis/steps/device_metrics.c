/* Rows of devices; see device_metrics.h. */
#include "analysis/steps/device_metrics.h"

struct input {
	struct tc_metric_writer *writer;
	const struct tc_device_tally *devices;
	bool has_gaudi;
};

static bool is_written(const struct input *input, enum tc_measure measure, bool is_step)
{
	switch (tc_measure_where(measure)) {
	case TC_MEASURE_RUN: return !is_step;
	case TC_MEASURE_GAUDI: return input->has_gaudi;
	case TC_MEASURE_GAUDI_RUN: return input->has_gaudi && !is_step;
	default: return true;
	}
}

/* The metrics that both a run and a step of a device have. */
static void write_busy(
	const struct input *input, const struct tc_busy *busy, struct tc_metric_scope scope)
{
	struct tc_metric_writer *writer = input->writer;

	for (int i = 0; i < TC_MEASURE_COUNT; i++) {
		enum tc_measure measure = (enum tc_measure)i;
		if (is_written(input, measure, scope.step != NULL))
			tc_metric_put(writer, tc_measure_metric(measure), scope, busy->ns[i]);
	}
	tc_metric_put(writer, TC_METRIC_DEVICE_OP_COUNT, scope, busy->op_count);
	if (tc_busy_has_work(busy))
		tc_metric_put(writer, TC_METRIC_STEP_DEVICE_TS, scope,
			tc_interval_measure(busy->work_extent));
}

struct lanes {
	int64_t count, busy_ns;
};

/* The lanes of one engine, of one device or of all (device_count). */
static struct lanes lanes_of(
	const struct tc_device_tally *devices, size_t device, enum tc_engine engine)
{
	const struct tc_timeline *timeline = devices->timeline;
	struct lanes lanes = {0, 0};

	for (size_t i = 0; i < devices->track_count; i++) {
		uint32_t track = devices->tracks[i];
		const struct tc_lane_time *lane = &devices->lanes[track];
		if (lane->engine != engine)
			continue;
		if (device < timeline->device_count &&
			(size_t)timeline->tracks[track].device != device)
			continue;
		lanes.count++;
		lanes.busy_ns = tc_add_saturated(lanes.busy_ns, lane->busy_ns);
	}
	return lanes;
}

static void write_precision(const struct input *input, size_t device, struct tc_metric_scope scope)
{
	const struct tc_op_tally *ops = &input->devices->ops;
	int64_t low_ns = 0, all_ns = 0;

	for (size_t i = 0; i < ops->operations.count; i++) {
		const struct tc_op_total *total = ops->operations.rows[i];
		if (total->engine != TC_ENGINE_MME ||
			(device < ops->timeline->device_count && total->device != device))
			continue;
		all_ns = tc_add_saturated(all_ns, total->dur_ns);
		if (tc_precision_is_low(total->precision))
			low_ns = tc_add_saturated(low_ns, total->dur_ns);
	}
	tc_metric_put_ratio(input->writer, TC_METRIC_MME_LOW_PRECISION, scope, low_ns, all_ns);
}

static void write_gaudi(const struct input *input, size_t device, const struct tc_busy *busy,
	struct tc_metric_scope scope)
{
	struct lanes mme = lanes_of(input->devices, device, TC_ENGINE_MME);
	struct lanes tpc = lanes_of(input->devices, device, TC_ENGINE_TPC);

	tc_metric_put(input->writer, TC_METRIC_MME_LANES, scope, mme.count);
	tc_metric_put(input->writer, TC_METRIC_TPC_LANES, scope, tpc.count);
	tc_metric_put_ratio(input->writer, TC_METRIC_MME_OCCUPANCY, scope, mme.busy_ns,
		busy->ns[TC_MEASURE_MME_BUSY]);
	tc_metric_put_ratio(input->writer, TC_METRIC_TPC_OCCUPANCY, scope, tpc.busy_ns,
		busy->ns[TC_MEASURE_TPC_BUSY]);
	write_precision(input, device, scope);
}

static void write_scope(const struct input *input, size_t i)
{
	const struct tc_timeline *timeline = input->devices->timeline;
	size_t tally = tc_device_scope_tally(input->devices, i);
	const struct tc_busy *run = &input->devices->runs[tally];
	struct tc_metric_scope scope = {tc_device_scope_name(input->devices, i), NULL};
	int64_t span_ns = tc_busy_span_ns(run);

	if (run->op_count == 0)
		return;
	write_busy(input, run, scope);
	tc_metric_put(input->writer, TC_METRIC_DEVICE_SPAN, scope, span_ns);
	tc_metric_put(input->writer, TC_METRIC_DEVICE_IDLE, scope,
		span_ns - run->ns[TC_MEASURE_DEVICE_BUSY]);
	tc_metric_put(input->writer, TC_METRIC_LAUNCHED, scope, run->launched_count);
	tc_metric_put(input->writer, TC_METRIC_LAUNCHED_BEFORE_COUNT, scope, run->before_count);
	if (input->has_gaudi)
		write_gaudi(input, i, run, scope);
	for (size_t step = 0; step < timeline->step_count; step++) {
		scope.step = &timeline->steps[step].number;
		write_busy(input, tc_device_tally_step(input->devices, tally, step), scope);
	}
}

enum tc_status tc_device_metrics_write(
	struct tc_metric_writer *writer, const struct tc_device_tally *devices)
{
	struct input input = {.writer = writer, .devices = devices};
	int64_t device_count = 0;

	for (size_t i = 0; i < devices->track_count; i++)
		if (tc_engine_is_gaudi(devices->lanes[devices->tracks[i]].engine))
			input.has_gaudi = true;
	for (size_t i = 0; i < devices->timeline->device_count; i++)
		device_count += devices->runs[i].op_count > 0;
	tc_metric_put(writer, TC_METRIC_DEVICE_COUNT, TC_METRIC_RUN, device_count);
	for (size_t i = 0; i < tc_device_scope_count(devices); i++)
		write_scope(&input, i);
	return tc_metric_writer_flush(writer);
}
