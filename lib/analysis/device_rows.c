/*
 * What the device sweep hands operations to (totals, waits, communication), and rows of what it
 * found: operations, recipes and lanes, and the metrics of devices.
 * A scope is a device, or all of them together; a row of a step is of the work that the step
 * launched, whenever it ran.
 */
#include <inttypes.h>

#include "analysis/device_tally.h"
#include "analysis/intervals.h"
#include "analysis/name_functions.h"
#include "core/alloc.h"
#include "core/buf.h"

/* ---- totals by key: a text of its five numbers, which the string table numbers in turn */

void tc_op_totals_init(struct tc_op_totals *totals, struct tc_ctx *ctx)
{
	*totals = (struct tc_op_totals){.keys.ctx = ctx};
	tc_pool_init(&totals->pool, sizeof(struct tc_op_total));
	totals->pool.ctx = ctx;
}

void tc_op_totals_clear(struct tc_op_totals *totals)
{
	tc_strtab_clear(&totals->keys);
	tc_pool_clear(&totals->pool);
	tc_free(totals->rows);
	*totals = (struct tc_op_totals){0};
}

struct tc_op_total *tc_op_totals_find(struct tc_op_totals *totals, const struct tc_op_total *key)
{
	const uint32_t words[] = {
		key->device, key->label, key->data_type, key->recipe, (uint32_t)key->engine};
	uint32_t number = tc_strtab_intern(
		&totals->keys, (struct tc_text){(const char *)words, sizeof(words)});

	if (number < totals->count)
		return totals->rows[number];
	struct tc_op_total *total = number == TC_STRTAB_NONE || tc_ctx_failed(totals->pool.ctx)
					    ? NULL
					    : tc_pool_take(&totals->pool);
	if (!total ||
		!TC_PUSH(totals->pool.ctx, totals->rows, totals->count, totals->capacity, total))
		return NULL;
	*total = *key;
	return total;
}

/*
 * ---- waits
 *
 * They are open from their start until an operation ends after them. Each operation that ends is
 * offered to the open ones, and the last that was there before the wait began stays:
 *
 *   wait              |-----------------|
 *   operations   |--a--|    |-b-|   |-c-|       b was launched before the wait, c in it by another
 *                                               thread: b released it
 */

/* Waits are few, and end nearly in order. */
enum { SORT_BYTES = 256 * 1024 };

TC_ORDER(compare_slices, struct tc_wait_release, TC_UP(wait.slice_id));

static const struct tc_sorter_layout wait_layout = {
	sizeof(struct tc_wait_release), SORT_BYTES, compare_slices};

/* Closes the waits that end before a time; later ones may still be released. */
static void close_waits(struct tc_wait_tally *tally, int64_t time_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < tally->open_count; i++) {
		const struct tc_wait_release *release = &tally->open[i];
		if (release->wait.end_ns >= time_ns)
			tally->open[kept++] = *release;
		else if (release->op_slice_id != TC_NO_ID)
			tc_sorter_put(
				&tally->released, tally->timeline->ctx, &wait_layout, release);
	}
	tally->open_count = kept;
}

static void go_to(struct tc_wait_tally *tally, int64_t time_ns)
{
	close_waits(tally, time_ns);
	while (tally->next && tally->next->start_ns < time_ns) {
		if (tally->next->end_ns >= time_ns && tally->open_count < TC_WAITS_OPEN)
			tally->open[tally->open_count++] = (struct tc_wait_release){
				.wait = *tally->next, .op_slice_id = TC_NO_ID};
		tally->next = tc_sorter_next(tally->timeline->waits);
	}
}

/* All open waits have begun before the operation ends and end with it or later. Ends come in time
 * order. Of operations that end together, the first one offered counts. */
void tc_wait_tally_offer(struct tc_wait_tally *tally, const struct tc_open *open)
{
	const struct tc_span *span = &open->span;
	int64_t from_ns = open->start_ns;

	if (span->launch_slice_id != TC_NO_ID && tc_time_clamp(span->launch_ts_ns) < from_ns)
		from_ns = tc_time_clamp(span->launch_ts_ns);
	if (span->method == TC_LAUNCH_BEFORE)
		from_ns = TC_TIME_FIRST;
	go_to(tally, open->end_ns);
	for (size_t i = 0; i < tally->open_count; i++) {
		struct tc_wait_release *release = &tally->open[i];
		bool is_later =
			release->op_slice_id == TC_NO_ID || open->end_ns > release->op_end_ns;
		if (from_ns > release->wait.start_ns || !is_later)
			continue;
		release->op_slice_id = span->slice_id;
		release->op_end_ns = open->end_ns;
		release->launch_slice_id = span->launch_slice_id;
		release->device = tally->timeline->tracks[span->track].device;
	}
}

/* Writes the rows of waits, after all device work. */
static void write_waits(struct tc_wait_tally *tally, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct tc_wait_release *release = NULL;

	close_waits(tally, INT64_MAX);
	release = tc_sorter_first(tally->released);
	for (; release; release = tc_sorter_next(tally->released)) {
		const struct tc_sql_value values[] = {
			tc_sql_int(release->wait.slice_id),
			tc_sql_int(timeline->trace_id),
			tc_sql_text(timeline->devices[release->device].name),
			tc_sql_int(release->op_slice_id),
			tc_sql_int(release->op_end_ns),
			tc_sql_id(release->launch_slice_id),
		};
		TC_TABLES_PUT(tables,
			"wait_release (slice_id, trace_id, device, op_slice_id, op_end,"
			" launch_slice_id)",
			values);
	}
}

/*
 * ---- communication
 *
 * Which bytes an operation moves is in its args, so rows are made by a query (communication.sql)
 * that reads those, with the SQL functions for names.
 */

extern const char tc_communication_sql[]; /* communication.sql, embedded by the build */

struct row {
	int64_t slice_id, exposed_ns;
};

void tc_communication_tally_add(struct tc_communication_tally *tally, struct tc_ctx *ctx,
	int64_t slice_id, int64_t exposed_ns)
{
	const struct row row = {slice_id, exposed_ns};
	int64_t offset = 0;

	if (!tally->spill)
		tally->spill = tc_spill_new(ctx);
	if (!tc_ctx_failed(ctx)) {
		tc_spill_append(tally->spill, &row, sizeof(row), &offset);
		tally->count++;
	}
}

struct writing {
	const struct tc_communication_tally *tally;
	struct tc_tables *tables;
	int64_t trace_id;
};

static void fill(void *user)
{
	const struct writing *writing = user;

	for (int64_t i = 0; i < writing->tally->count; i++) {
		struct row row = {0};
		if (!tc_spill_read(writing->tally->spill, writing->tables->ctx, &row, sizeof(row),
			    i * (int64_t)sizeof(row)))
			return;
		const struct tc_sql_value values[] = {tc_sql_int(writing->trace_id),
			tc_sql_int(row.slice_id), tc_sql_int(row.exposed_ns)};
		TC_TABLES_PUT(writing->tables, tc_communication_sql, values);
	}
}

void tc_communication_tally_write(
	const struct tc_communication_tally *tally, struct tc_tables *tables, int64_t trace_id)
{
	struct writing writing = {tally, tables, trace_id};

	if (tally->count > 0)
		tc_with_name_functions(tables->ctx, tables->db, fill, &writing);
}

void tc_communication_tally_clear(struct tc_communication_tally *tally)
{
	tc_spill_free(tally->spill);
	*tally = (struct tc_communication_tally){0};
}

const struct tc_measure_info tc_measures[TC_MEASURE_COUNT] = {
#define TC_MEASURE(metric, any, with, without, where)                                              \
	{TC_METRIC_##metric, any, with, without, TC_MEASURE_##where},
#include "analysis/measures.def"
#undef TC_MEASURE
};

/* ---- rows */

static void write_operation(const struct tc_timeline *timeline, struct tc_tables *tables,
	const struct tc_op_total *total)
{
	const struct tc_label *label = &timeline->labels[total->label];
	enum tc_op_kind kind = label->kind == TC_OP_NONE ? TC_OP_OTHER : label->kind;
	enum tc_precision precision =
		total->precision == TC_PRECISION_UNKNOWN ? label->precision : total->precision;
	struct tc_text data_type = TC_TEXT_NONE;

	if (total->data_type != TC_STRTAB_NONE)
		data_type = tc_strtab_at(&timeline->texts, total->data_type);
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[total->device].name),
		tc_sql_text(tc_label_category(label)),
		tc_sql_text(tc_label_name(label)),
		tc_sql_string(tc_engine_name(total->engine)),
		tc_sql_string(tc_op_kind_name(kind)),
		tc_sql_text(data_type.len > 0 ? data_type : TC_TEXT_NONE),
		tc_sql_string(tc_class_name(label->name_class)),
		tc_sql_string(tc_precision_name(precision)),
		tc_sql_string(tc_collective_name(label->collective)),
		tc_sql_string(tc_phase_name(label->phase)),
		tc_sql_string(tc_mark_name(label->mark)),
		tc_sql_int(total->count),
		tc_sql_int(total->dur_ns),
		tc_sql_int(total->exclusive_ns),
		tc_sql_int(total->min_ns),
		tc_sql_int(total->max_ns),
	};

	TC_TABLES_PUT(tables,
		"op_total (trace_id, device, category, name, engine, kind, data_type,"
		" class, precision, collective, phase, mark, count, dur_ns, exclusive_ns,"
		" min_ns, max_ns)",
		values);
}

/* Formats a recipe as "name #id", or "#id" without a name. A recipe's text ends with '#' and the
 * bytes of its id. */
static void append_recipe(struct tc_buf *out, struct tc_text text)
{
	int64_t id = 0;
	size_t name_len = text.len - sizeof(id) - 1;

	memcpy(&id, text.ptr + text.len - sizeof(id), sizeof(id));
	tc_buf_append(out, text.ptr, name_len);
	tc_buf_format(out, "%s#%" PRId64, name_len > 0 ? " " : "", id);
}

static void write_recipe(const struct tc_timeline *timeline, struct tc_tables *tables,
	const struct tc_op_total *total)
{
	struct tc_buf recipe = {.ctx = timeline->ctx};

	if (total->recipe != TC_STRTAB_NONE)
		append_recipe(&recipe, tc_strtab_at(&timeline->texts, total->recipe));
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[total->device].name),
		tc_sql_text(recipe.len > 0 ? tc_buf_text(&recipe) : TC_TEXT_NONE),
		tc_sql_int(total->count),
		tc_sql_int(total->exclusive_ns),
	};
	TC_TABLES_PUT(
		tables, "recipe_total (trace_id, device, recipe, op_count, exclusive_ns)", values);
	tc_buf_clear(&recipe);
}

static void write_ops(struct tc_device_tally *devices, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = devices->timeline;
	const struct tc_op_totals *operations = &devices->ops.operations;
	const struct tc_op_totals *recipes = &devices->ops.recipes;
	bool *has_recipes;

	TC_ARENA(&devices->arena, has_recipes, timeline->device_count);
	for (size_t i = 0; i < operations->count; i++)
		if (operations->rows[i]->count > 0)
			write_operation(timeline, tables, operations->rows[i]);
	/* Only for devices whose work names recipes; others would have one row without a name. */
	for (size_t i = 0; i < recipes->count && has_recipes; i++)
		has_recipes[recipes->rows[i]->device] |= recipes->rows[i]->recipe != TC_STRTAB_NONE;
	for (size_t i = 0; i < recipes->count && has_recipes; i++)
		if (has_recipes[recipes->rows[i]->device] && recipes->rows[i]->count > 0)
			write_recipe(timeline, tables, recipes->rows[i]);
}

static bool runs_one_engine(const struct tc_lane_time *lane)
{
	return (lane->engines & (lane->engines - 1)) == 0;
}

static void write_lane(
	const struct tc_device_tally *devices, struct tc_tables *tables, uint32_t index)
{
	const struct tc_timeline *timeline = devices->timeline;
	const struct tc_lane_time *lane = &devices->lanes[index];
	int32_t device = timeline->tracks[index].device;

	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[device].name),
		tc_sql_string(runs_one_engine(lane) ? tc_engine_name(lane->engine) : NULL),
		tc_sql_int(timeline->track_base + index),
		tc_sql_int(lane->op_count),
		tc_sql_int(lane->busy_ns),
	};

	TC_TABLES_PUT(tables,
		"INSERT INTO lane_total (trace_id, device, engine, lane, track_id, op_count,"
		" busy_ns) VALUES (?1, ?2, ?3, (SELECT lane FROM track WHERE id = ?4), ?4, ?5, ?6)",
		values);
}

void tc_device_tally_write(struct tc_device_tally *devices, struct tc_tables *tables)
{
	write_ops(devices, tables);
	write_waits(&devices->waits, tables);
	for (size_t i = 0; i < devices->track_count; i++)
		if (devices->lanes[devices->tracks[i]].op_count > 0)
			write_lane(devices, tables, devices->tracks[i]);
	tc_communication_tally_write(&devices->communication, tables, devices->timeline->trace_id);
}

struct input {
	struct tc_metric_writer *writer;
	const struct tc_device_tally *devices;
	bool has_gaudi;
};

static bool is_written(const struct input *input, enum tc_measure measure, bool is_step)
{
	switch (tc_measures[measure].where) {
	case TC_MEASURE_RUN: return !is_step;
	case TC_MEASURE_GAUDI: return input->has_gaudi;
	case TC_MEASURE_GAUDI_RUN: return input->has_gaudi && !is_step;
	default: return true;
	}
}

/* How much of a range of work counts. */
static int64_t counted_ns(const struct tc_busy *busy, struct tc_interval extent)
{
	const struct tc_interval counted = {busy->from_ns, TC_TIME_LAST};

	return tc_interval_measure(tc_interval_cut(extent, counted));
}

/* The metrics that both a run and a step of a device have. */
static void write_busy(
	const struct input *input, const struct tc_busy *busy, struct tc_metric_scope scope)
{
	struct tc_metric_writer *writer = input->writer;

	for (int i = 0; i < TC_MEASURE_COUNT; i++) {
		enum tc_measure measure = (enum tc_measure)i;
		if (is_written(input, measure, scope.step != NULL))
			tc_metric_put(writer, tc_measures[measure].metric, scope, busy->ns[i]);
	}
	tc_metric_put(writer, TC_METRIC_DEVICE_OP_COUNT, scope, busy->op_count);
	if (tc_busy_has_work(busy))
		tc_metric_put(writer, TC_METRIC_STEP_DEVICE_TS, scope,
			counted_ns(busy, busy->work_extent));
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

/* Floating-point, of 16 bits or less. */
static bool is_low_precision(enum tc_precision precision)
{
	return precision == TC_PRECISION_FP16 || precision == TC_PRECISION_BF16 ||
	       precision == TC_PRECISION_FP8 || precision == TC_PRECISION_FP4;
}

static void write_precision(const struct input *input, size_t device, struct tc_metric_scope scope)
{
	const struct tc_op_totals *ops = &input->devices->ops.operations;
	size_t devices = input->devices->timeline->device_count;
	int64_t low_ns = 0, all_ns = 0;

	for (size_t i = 0; i < ops->count; i++) {
		const struct tc_op_total *total = ops->rows[i];
		if (total->engine != TC_ENGINE_MME || (device < devices && total->device != device))
			continue;
		all_ns = tc_add_saturated(all_ns, total->dur_ns);
		if (is_low_precision(total->precision))
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
	int64_t span_ns = counted_ns(run, run->busy_extent);

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
	for (size_t step = 0; step < tc_device_tally_step_count(input->devices, tally); step++) {
		scope.step = &timeline->steps[step].number;
		write_busy(input, tc_device_tally_step(input->devices, tally, step), scope);
	}
}

void tc_device_metrics_write(const struct tc_device_tally *devices, struct tc_metric_writer *writer)
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
	tc_metric_writer_flush(writer);
}
