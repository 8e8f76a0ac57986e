/* The device sweep; see device_tally.h. */

#include "analysis/device/device_tally.h"

#include <inttypes.h>

#include "analysis/device/busy.h"
#include "analysis/time/intervals.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "names/names.h"

/* Waits are few, and end nearly in order. */
enum { SORT_BYTES = 256 * 1024 };

TC_ORDER(compare_slices, struct tc_wait_release, TC_UP(wait.slice_id));

static const struct tc_sorter_layout layout = {
	sizeof(struct tc_wait_release), SORT_BYTES, compare_slices};

static enum tc_status wait_tally_init(
	struct tc_wait_tally *tally, const struct tc_timeline *timeline)
{
	*tally = (struct tc_wait_tally){.timeline = timeline};
	return TC_SORTER_FIRST(timeline->waits, tally->next);
}

static void wait_tally_clear(struct tc_wait_tally *tally)
{
	tc_sorter_free(tally->released);
	*tally = (struct tc_wait_tally){0};
}

/* Closes the waits that end before a time; later ones may still be released. */
static enum tc_status close_waits(struct tc_wait_tally *tally, int64_t time_ns)
{
	enum tc_status status = TC_OK;
	size_t kept = 0;

	for (size_t i = 0; i < tally->open_count && !status; i++) {
		const struct tc_wait_release *release = &tally->open[i];
		if (release->wait.end_ns >= time_ns)
			tally->open[kept++] = *release;
		else if (release->op_slice_id != TC_NO_ID)
			status = tc_sorter_put(
				&tally->released, tally->timeline->ctx, &layout, release);
	}
	tally->open_count = kept;
	return status;
}

enum tc_status tc_wait_tally_go_to(struct tc_wait_tally *tally, int64_t time_ns)
{
	enum tc_status status = close_waits(tally, time_ns);

	while (!status && tally->next && tally->next->start_ns < time_ns) {
		if (tally->next->end_ns >= time_ns && tally->open_count < TC_WAITS_OPEN)
			tally->open[tally->open_count++] = (struct tc_wait_release){
				.wait = *tally->next, .op_slice_id = TC_NO_ID};
		status = TC_SORTER_NEXT(tally->timeline->waits, tally->next);
	}
	return status;
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

void tc_wait_tally_write(struct tc_wait_tally *tally, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct tc_wait_release *release = NULL;
	enum tc_status status = close_waits(tally, INT64_MAX);

	if (!status)
		status = TC_SORTER_FIRST(tally->released, release);
	for (; !status && release; status = TC_SORTER_NEXT(tally->released, release)) {
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
	tc_tables_keep(tables, status);
}

enum { LIST_WORKING = 0 };

static enum tc_status op_tally_init(struct tc_op_tally *tally, const struct tc_timeline *timeline)
{
	*tally = (struct tc_op_tally){.timeline = timeline};
	tc_op_totals_init(&tally->operations);
	tc_op_totals_init(&tally->recipes);
	TC_ARENA(&tally->arena, tally->last_of_recipe, timeline->texts.count + 1);
	TC_ARENA(&tally->arena, tally->owners, timeline->device_count);
	return tc_arena_status(&tally->arena, timeline->ctx);
}

static void op_tally_clear(struct tc_op_tally *tally)
{
	tc_op_totals_clear(&tally->operations);
	tc_op_totals_clear(&tally->recipes);
	tc_arena_clear(&tally->arena);
	*tally = (struct tc_op_tally){0};
}

static struct tc_op_total *operation_of(
	struct tc_op_tally *tally, const struct tc_span *span, enum tc_engine engine)
{
	struct tc_op_total key = {
		.device = (uint32_t)tally->timeline->tracks[span->track].device,
		.label = span->label,
		.data_type = span->data_type,
		.recipe = TC_STRTAB_NONE,
		.engine = engine,
		.min_ns = INT64_MAX,
	};
	struct tc_op_total **last = &tally->recent[span->label % TC_OP_RECENT];

	if (*last && (*last)->label == key.label && (*last)->device == key.device &&
		(*last)->data_type == key.data_type && (*last)->engine == engine)
		return *last;
	*last = tc_op_totals_find(&tally->operations, &key);
	if (*last && (*last)->count == 0 && key.data_type != TC_STRTAB_NONE)
		(*last)->precision =
			tc_precision_of(tc_strtab_at(&tally->timeline->texts, key.data_type));
	return *last;
}

static struct tc_op_total *recipe_of(struct tc_op_tally *tally, const struct tc_span *span)
{
	struct tc_op_total key = {
		.device = (uint32_t)tally->timeline->tracks[span->track].device,
		.label = TC_LABEL_ANY,
		.data_type = TC_STRTAB_NONE,
		.recipe = span->recipe,
		.min_ns = INT64_MAX,
	};
	size_t none = tally->timeline->texts.count;
	struct tc_op_total **last =
		&tally->last_of_recipe[span->recipe == TC_STRTAB_NONE ? none : span->recipe];

	if (!*last || (*last)->device != key.device)
		*last = tc_op_totals_find(&tally->recipes, &key);
	return *last;
}

/* Gives *op the totals that a slice belongs to, made when new; -1 when memory is out. */
static int op_tally_find(
	struct tc_op_tally *tally, const struct tc_span *span, struct tc_op_open *op)
{
	op->total = operation_of(tally, span, tc_span_engine(tally->timeline, span));
	op->recipe = op->total ? recipe_of(tally, span) : NULL;
	return op->recipe ? 0 : -1;
}

/* Counts a slice of dur_ns in a total. */
static void op_total_count(struct tc_op_total *total, int64_t dur_ns)
{
	total->count++;
	total->dur_ns = tc_add_saturated(total->dur_ns, dur_ns);
	if (dur_ns < total->min_ns)
		total->min_ns = dur_ns;
	if (dur_ns > total->max_ns)
		total->max_ns = dur_ns;
}

/* Chooses the operation that gets the time from now on. */
static void choose_owner(struct tc_op_owner *owner, int64_t time_ns)
{
	struct tc_open *first =
		owner->engines ? owner->working[__builtin_ctz(owner->engines)].first : NULL;
	struct tc_op_open *op = (struct tc_op_open *)(void *)first;

	if (op == owner->op)
		return;
	if (owner->op)
		owner->op->exclusive_ns += time_ns - owner->since_ns;
	owner->op = op;
	owner->since_ns = time_ns;
}

/* The list of its device that an operation belongs to. Operations that only wait are on the last
 * list. */
static uint32_t list_of(const struct tc_op_tally *tally, const struct tc_op_total *total)
{
	bool waits = tally->timeline->labels[total->label].mark == TC_MARK_DEVICE_WAIT;

	return waits ? TC_ENGINE_COUNT : total->engine;
}

/* The slice starts or ends; its exclusive_ns is complete when it has ended. */
static void op_tally_start(struct tc_op_tally *tally, struct tc_op_open *op)
{
	struct tc_op_owner *owner = &tally->owners[op->total->device];
	uint32_t list = list_of(tally, op->total);

	if (!(TC_WORK_OF(op->total->engine) & TC_WORK_BUSY))
		return;
	tc_open_list_append(&owner->working[list], LIST_WORKING, &op->open);
	owner->engines |= UINT32_C(1) << list;
	choose_owner(owner, op->open.start_ns);
}

static void op_tally_end(struct tc_op_tally *tally, struct tc_op_open *op)
{
	struct tc_op_owner *owner = &tally->owners[op->total->device];
	uint32_t list = list_of(tally, op->total);

	if (!(TC_WORK_OF(op->total->engine) & TC_WORK_BUSY))
		return;
	tc_open_list_remove(&owner->working[list], LIST_WORKING, &op->open);
	if (!owner->working[list].first)
		owner->engines &= ~(UINT32_C(1) << list);
	choose_owner(owner, op->open.end_ns);
	op->total->exclusive_ns += op->exclusive_ns;
	op->recipe->exclusive_ns += op->exclusive_ns;
}

static void write_operation(
	const struct tc_op_tally *tally, struct tc_tables *tables, const struct tc_op_total *total)
{
	const struct tc_timeline *timeline = tally->timeline;
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

static void write_recipe(
	const struct tc_op_tally *tally, struct tc_tables *tables, const struct tc_op_total *total)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_buf recipe = TC_BUF_EMPTY;

	if (total->recipe != TC_STRTAB_NONE)
		append_recipe(&recipe, tc_strtab_at(&timeline->texts, total->recipe));
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[total->device].name),
		tc_sql_text(recipe.len > 0 ? tc_buf_text(&recipe) : TC_TEXT_NONE),
		tc_sql_int(total->count),
		tc_sql_int(total->exclusive_ns),
	};
	if (tc_buf_failed(&recipe))
		tc_tables_keep(tables, tc_no_memory(tables->ctx));
	TC_TABLES_PUT(
		tables, "recipe_total (trace_id, device, recipe, op_count, exclusive_ns)", values);
	tc_buf_clear(&recipe);
}

void tc_op_tally_write(const struct tc_op_tally *tally, struct tc_tables *tables)
{
	const struct tc_op_totals *recipes = &tally->recipes;

	for (size_t i = 0; i < tally->operations.count; i++)
		write_operation(tally, tables, tally->operations.rows[i]);
	/* Only for devices whose work names recipes; others would have one row without a name. */
	for (size_t i = 0; i < recipes->count; i++)
		if (recipes->rows[i]->recipe != TC_STRTAB_NONE)
			tally->owners[recipes->rows[i]->device].has_recipes = true;
	for (size_t i = 0; i < recipes->count; i++)
		if (tally->owners[recipes->rows[i]->device].has_recipes)
			write_recipe(tally, tables, recipes->rows[i]);
}

static enum tc_status allocate(struct tc_device_tally *tally)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_arena *arena = &tally->arena;
	size_t devices = timeline->device_count, tallies = tally->tally_count;

	TC_ARENA(arena, tally->runs, tallies);
	tally->steps = tc_arena_take(arena, timeline->step_count, tallies * sizeof(*tally->steps));
	TC_ARENA(arena, tally->idle, tallies);
	TC_ARENA(arena, tally->graphs.until_ns, tallies);
	TC_ARENA(arena, tally->lanes, timeline->track_count);
	TC_ARENA(arena, tally->clamped_count, devices);
	TC_ARENA(arena, tally->is_clamped, devices);
	TC_ARENA(arena, tally->tracks, timeline->track_count);
	return tc_arena_status(arena, timeline->ctx);
}

enum tc_status tc_device_tally_init(struct tc_device_tally *tally,
	const struct tc_timeline *timeline, struct tc_gap_spool *spool)
{
	size_t devices = timeline->device_count;

	*tally = (struct tc_device_tally){
		.timeline = timeline,
		.spool = spool,
		.tally_count = devices > 1 ? devices + 1 : devices,
		.extent = TC_INTERVAL_NONE,
	};
	enum tc_status status = op_tally_init(&tally->ops, timeline);
	if (!status)
		status = wait_tally_init(&tally->waits, timeline);
	if (!status)
		status = allocate(tally);
	if (status) {
		tc_device_tally_clear(tally);
		return status;
	}
	tc_measure_table_init(&tally->table);
	for (size_t i = 0; i < tally->tally_count; i++)
		tc_busy_init(&tally->runs[i]);
	for (size_t i = 0; i < tally->tally_count; i++) {
		tally->graphs.until_ns[i] = INT64_MIN;
		tally->idle[i].from_ns = TC_TIME_FIRST;
	}
	for (size_t i = 0; i < tally->tally_count * timeline->step_count; i++)
		tc_busy_init(&tally->steps[i]);
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		if (track->kind == TC_TRACK_LANE && track->device >= 0 &&
			(size_t)track->device < devices)
			tally->tracks[tally->track_count++] = (uint32_t)i;
	}
	return TC_OK;
}

void tc_device_tally_clear(struct tc_device_tally *tally)
{
	op_tally_clear(&tally->ops);
	wait_tally_clear(&tally->waits);
	tc_communication_tally_clear(&tally->communication);
	for (size_t i = 0; tally->idle && i < tally->tally_count; i++) {
		tc_free(tally->idle[i].parts);
		tc_free(tally->idle[i].turns);
	}
	tc_sorter_free(tally->launched);
	tc_arena_clear(&tally->arena);
	*tally = (struct tc_device_tally){0};
}

/* The tallies a slice belongs to: its device, all devices, and both in its step. */
struct target {
	size_t tallies[2];
	size_t count;
	bool has_step;
	size_t step;
};

static struct target target_of(const struct tc_device_tally *tally, const struct tc_span *span)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct target target = {.count = 1};

	target.tallies[0] = (size_t)timeline->tracks[span->track].device;
	if (tally->tally_count > 1) {
		target.tallies[1] = tally->tally_count - 1;
		target.count = 2;
	}
	target.has_step = span->step >= 0 && (size_t)span->step < timeline->step_count;
	target.step = target.has_step ? (size_t)span->step : 0;
	return target;
}

static struct tc_busy *step_busy(
	const struct tc_device_tally *tally, const struct target *target, size_t i)
{
	return &tally->steps[target->tallies[i] * tally->timeline->step_count + target->step];
}

static void count_op(struct tc_device_tally *tally, const struct tc_span *span)
{
	struct target target = target_of(tally, span);
	int64_t launched = span->launch_slice_id != TC_NO_ID;
	int64_t before = span->method == TC_LAUNCH_BEFORE;

	for (size_t i = 0; i < target.count; i++) {
		tally->runs[target.tallies[i]].op_count++;
		tally->runs[target.tallies[i]].launched_count += launched;
		tally->runs[target.tallies[i]].before_count += before;
		if (target.has_step) {
			step_busy(tally, &target, i)->op_count++;
			step_busy(tally, &target, i)->launched_count += launched;
		}
	}
}

static void note_launch(struct tc_gap *gap, const struct tc_span *span)
{
	gap->launch_slice_id = span->launch_slice_id;
	gap->launch_ts_ns = tc_time_clamp(span->launch_ts_ns);
	gap->launch_end_ns = tc_time_clamp(span->launch_end_ns);
	gap->launch_label = span->launch_label;
	gap->step = span->step;
	gap->is_queued = span->method == TC_LAUNCH_BEFORE;
}

/* If only recorded events follow, each interval is a gap of its own, and so is the time before the
 * first work. */
static enum tc_status flush_gap(struct tc_device_tally *tally, size_t i)
{
	struct tc_idle_state *idle = &tally->idle[i];
	enum tc_status status = TC_OK;

	for (size_t part = 0; part < idle->part_count && !status; part++) {
		struct tc_gap *gap = &idle->parts[part];
		gap->goes_on =
			idle->is_over && part + 1 < idle->part_count && gap->place == gap[1].place;
		status = tc_gap_spool_add(tally->spool, gap);
	}
	idle->part_count = 0;
	return status;
}

/* Work other than the recording of an event starts. The first such operation ends the gap. Of
 * several that start at that time, the first whose launch is known counts. */
static void end_gap(struct tc_idle_state *idle, const struct tc_open *open)
{
	bool is_first = !idle->is_over;

	if (idle->part_count == 0)
		return;
	if (is_first)
		idle->over_ns = open->start_ns;
	idle->is_over = true;
	if (!is_first &&
		(idle->over_ns != open->start_ns || idle->parts[0].launch_slice_id != TC_NO_ID ||
			open->span.launch_slice_id == TC_NO_ID))
		return;
	for (size_t part = 0; part < idle->part_count; part++)
		note_launch(&idle->parts[part], &open->span);
}

/* Advances over the runs that began before a time. */
static enum tc_status pass_runs(struct tc_device_tally *tally, int64_t time_ns)
{
	struct tc_graph_clock *clock = &tally->graphs;
	size_t all = tally->tally_count - 1;
	enum tc_status status = TC_OK;

	while (clock->next && tc_time_clamp(clock->next->start_ns) < time_ns && !status) {
		int64_t end_ns = tc_time_clamp(clock->next->end_ns);
		int64_t *until_ns = &clock->until_ns[clock->next->device];
		*until_ns = end_ns > *until_ns ? end_ns : *until_ns;
		clock->until_ns[all] =
			end_ns > clock->until_ns[all] ? end_ns : clock->until_ns[all];
		status = TC_SORTER_NEXT(clock->runs, clock->next);
	}
	return status;
}

/* During the run of a graph the host is not involved, and operations follow each other at once. A
 * longer pause means that operations are missing from the trace. No run begins in idle time. */
static bool is_hole(const struct tc_device_tally *tally, size_t i, struct tc_interval idle)
{
	return tc_interval_measure(idle) >= TC_HOLE_MIN_NS &&
	       tally->graphs.until_ns[i] >= idle.end_ns;
}

/* Adds the idle time since from_ns, an interval for each time between turns of the NICs. In a hole
 * nobody knows what worked. */
static enum tc_status add_parts(
	struct tc_device_tally *tally, size_t i, struct tc_gap part, const struct tc_span *next)
{
	struct tc_idle_state *idle = &tally->idle[i];
	int64_t end_ns = part.end_ns;
	bool has_nics = idle->had_nics;

	if (!TC_GROW(idle->parts, idle->part_capacity, idle->part_count + idle->turn_count + 1))
		return tc_no_memory(tally->timeline->ctx);
	if (next)
		note_launch(&part, next);
	for (size_t turn = 0; turn <= idle->turn_count; turn++, has_nics = !has_nics) {
		if (turn < idle->turn_count && part.is_hole)
			continue;
		part.end_ns = turn < idle->turn_count ? idle->turns[turn] : end_ns;
		part.has_nics = has_nics && !part.is_hole;
		if (part.start_ns < part.end_ns)
			idle->parts[idle->part_count++] = part;
		part.start_ns = part.end_ns;
	}
	return TC_OK;
}

/* The first operation after idle time starts. The idle interval becomes a new gap or continues the
 * last one. */
static enum tc_status add_idle(
	struct tc_device_tally *tally, size_t i, const struct tc_span *next, int64_t time_ns)
{
	struct tc_idle_state *idle = &tally->idle[i];
	struct tc_interval interval = {idle->from_ns, time_ns};
	enum tc_status status = pass_runs(tally, time_ns);
	bool hole = idle->started && is_hole(tally, i, interval);
	const struct tc_gap part = {
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.tally = (int32_t)i,
		.thread = -1,
		.is_hole = hole,
		.place = idle->started ? TC_GAP_WITHIN : TC_GAP_BEFORE,
	};

	if (!status && (idle->is_over || idle->part_count >= TC_GAP_PARTS_HELD ||
			       (idle->part_count > 0 && idle->parts[0].is_hole != hole)))
		status = flush_gap(tally, i);
	if (!status)
		status = add_parts(tally, i, part, next);
	idle->is_over = false;
	if (!status && i == tally->tally_count - 1 && !hole && idle->started)
		status = tc_gap_spool_add_idle(tally->spool, interval);
	return status;
}

/* Idle time begins, or goes on in a new gap. */
static void begin_idle(struct tc_device_tally *tally, size_t i, int64_t time_ns)
{
	struct tc_idle_state *idle = &tally->idle[i];

	idle->from_ns = time_ns;
	idle->had_nics = tc_busy_has_nics(&tally->runs[i]);
	idle->turn_count = 0;
}

/* The NICs of an idle device started or stopped with an operation. */
static enum tc_status turn_nics(
	struct tc_device_tally *tally, size_t i, const struct tc_span *span, int64_t time_ns)
{
	struct tc_idle_state *idle = &tally->idle[i];

	if (idle->turn_count == TC_GAP_PARTS_HELD) {
		enum tc_status status = add_idle(tally, i, span, time_ns);
		idle->is_over = true;
		idle->over_ns = time_ns;
		begin_idle(tally, i, time_ns);
		return status;
	}
	if (!TC_GROW(idle->turns, idle->turn_capacity, idle->turn_count + 1))
		return tc_no_memory(tally->timeline->ctx);
	idle->turns[idle->turn_count++] = time_ns;
	return TC_OK;
}

/* The idle time after the last work; all the time where no work counts as busy. */
static enum tc_status end_idle(struct tc_device_tally *tally, size_t i)
{
	struct tc_idle_state *idle = &tally->idle[i];
	const struct tc_gap part = {
		.start_ns = idle->from_ns,
		.end_ns = TC_TIME_LAST,
		.launch_slice_id = TC_NO_ID,
		.tally = (int32_t)i,
		.step = -1,
		.thread = -1,
		.place = idle->started ? TC_GAP_AFTER : TC_GAP_BEFORE,
	};
	enum tc_status status = flush_gap(tally, i);

	if (status || tally->runs[i].op_count == 0)
		return status;
	idle->is_over = true;
	status = add_parts(tally, i, part, NULL);
	return status ? status : flush_gap(tally, i);
}

/* Stores the held transfers; next is the work after them. The host was late until it began to
 * launch that work. It was late all the time when the launch is not known, and not at all when no
 * such work follows (NULL) or it was launched before the recording. */
static enum tc_status flush_transfers(struct tc_device_tally *tally, const struct tc_span *next)
{
	bool has_launch = next && next->launch_slice_id != TC_NO_ID;
	bool on_time = !next || next->method == TC_LAUNCH_BEFORE;
	int64_t late_until_ns =
		on_time ? TC_TIME_FIRST
			: (has_launch ? tc_time_clamp(next->launch_ts_ns) : TC_TIME_LAST);
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < tally->transfer_count && !status; i++) {
		struct tc_transfer *transfer = &tally->transfers[i];
		if (transfer->late.end_ns > late_until_ns)
			transfer->late.end_ns = late_until_ns > transfer->late.start_ns
							? late_until_ns
							: transfer->late.start_ns;
		status = tc_gap_spool_add_transfer(tally->spool, transfer);
	}
	tally->transfer_count = 0;
	return status;
}

/* All devices together started or stopped doing nothing but transfers. */
static enum tc_status turn_transfer(struct tc_device_tally *tally, bool does, int64_t time_ns)
{
	int64_t from_ns = tally->transfer_from_ns;
	enum tc_status status = TC_OK;

	tally->transfer_from_ns = time_ns;
	if (does || from_ns == time_ns)
		return TC_OK;
	if (tally->transfer_count == TC_TRANSFERS_HELD)
		status = flush_transfers(tally, NULL);
	tally->transfers[tally->transfer_count++] =
		(struct tc_transfer){.late = {from_ns, time_ns}, .end_ns = time_ns};
	return status;
}

static enum tc_status start_busy(
	struct tc_device_tally *tally, size_t i, const struct tc_op_open *op)
{
	struct tc_busy *busy = &tally->runs[i];
	struct tc_idle_state *idle = &tally->idle[i];
	struct tc_interval interval = {op->open.start_ns, op->open.end_ns};
	bool was_idle = !tc_busy_is_busy(busy), had_nics = tc_busy_has_nics(busy);
	bool did_transfer = tc_busy_only_transfers(busy);

	tc_busy_start(busy, &tally->table, op->classes, &interval);
	enum tc_status status = TC_OK;
	if (i == tally->tally_count - 1 && did_transfer != tc_busy_only_transfers(busy))
		status = turn_transfer(tally, !did_transfer, interval.start_ns);
	if (!status && i == tally->tally_count - 1 && (op->classes & TC_WORK_NO_TRANSFER))
		status = flush_transfers(tally, &op->open.span);
	if (!status && was_idle && had_nics != tc_busy_has_nics(busy))
		status = turn_nics(tally, i, &op->open.span, interval.start_ns);
	if (status || !(op->classes & TC_WORK_BUSY))
		return status;
	if (was_idle && idle->from_ns < interval.start_ns)
		status = add_idle(tally, i, &op->open.span, interval.start_ns);
	idle->started = true;
	if (!status && tally->timeline->labels[op->open.span.label].mark != TC_MARK_EVENT_RECORD)
		end_gap(idle, &op->open);
	return status;
}

static void start_lane(struct tc_device_tally *tally, struct tc_op_open *op)
{
	struct tc_lane_time *lane = &tally->lanes[op->open.span.track];

	lane->engine = op->total->engine;
	op->is_timed = true;
	if (lane->active++ == 0)
		lane->since_ns = op->open.start_ns;
	tally->extent = tc_interval_join(
		tally->extent, (struct tc_interval){op->open.start_ns, op->open.end_ns});
}

/* Whether an operation is a copy between host and device, by its name. On Gaudi all copies have one
 * name; there it is a copy without a recipe on a device whose work has recipes. */
static bool is_transfer(const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];
	const struct tc_track *track = &timeline->tracks[span->track];

	if (label->direction == TC_DIRECTION_HTOD || label->direction == TC_DIRECTION_DTOH)
		return true;
	return label->direction == TC_DIRECTION_NONE && track->engine == TC_ENGINE_DMA &&
	       span->recipe == TC_STRTAB_NONE && label->kind != TC_OP_MEMSET &&
	       timeline->devices[track->device].has_recipes;
}

static uint32_t classes_of(const struct tc_timeline *timeline, const struct tc_span *span,
	const struct tc_op_total *total)
{
	if (total->engine == TC_ENGINE_OTHER)
		return 0;
	uint32_t classes = TC_WORK_OF(total->engine);
	if (total->engine == TC_ENGINE_MME && total->precision != TC_PRECISION_FP32 &&
		total->precision != TC_PRECISION_TF32)
		classes |= TC_WORK_MME_NOT_FP32;
	if ((classes & TC_WORK_COPY) && !is_transfer(timeline, span))
		classes |= TC_WORK_INNER_COPY;
	if (span->method == TC_LAUNCH_BEFORE)
		classes |= TC_WORK_LAUNCHED_BEFORE;
	return classes;
}

static enum tc_status on_start(void *user, struct tc_open *open)
{
	struct tc_device_tally *tally = user;
	struct tc_op_open *op = (struct tc_op_open *)(void *)open;
	enum tc_engine engine = tc_span_engine(tally->timeline, &open->span);
	int32_t device = tally->timeline->tracks[open->span.track].device;
	enum tc_status status = TC_OK;

	if (engine == TC_ENGINE_NONE)
		return TC_OK;
	if (op_tally_find(&tally->ops, &open->span, op))
		return tc_no_memory(tally->timeline->ctx);
	op->launched = tc_launched_of(&open->span);
	op_total_count(op->total, open->end_ns - open->start_ns);
	op_total_count(op->recipe, open->end_ns - open->start_ns);
	tally->lanes[open->span.track].op_count++;
	tally->lanes[open->span.track].engines |= TC_WORK_OF(engine);
	count_op(tally, &open->span);
	if (tally->is_clamped[device] && open->span.ts_ns == 0) {
		tally->clamped_count[device]++;
		tally->clamped_total++;
		return TC_OK;
	}
	if (!tc_clocks_know(&tally->clocks, open->start_ns)) {
		tally->other_clock_count++;
		return TC_OK;
	}
	/* A call on another clock has no usable time. */
	if (!tc_clocks_know(&tally->clocks, tc_time_clamp(open->span.launch_ts_ns)))
		open->span.launch_slice_id = TC_NO_ID;
	op->classes = classes_of(tally->timeline, &open->span, op->total);
	start_lane(tally, op);
	if (!op->classes)
		return TC_OK;
	struct target target = target_of(tally, &open->span);
	struct tc_interval interval = {open->start_ns, open->end_ns};
	if (op->classes & TC_WORK_COMMUNICATION)
		op->compute_ns = tc_busy_compute_ns(&tally->runs[device], open->start_ns);
	for (size_t i = 0; i < target.count && !status; i++) {
		status = start_busy(tally, target.tallies[i], op);
		if (target.has_step)
			tc_busy_start(step_busy(tally, &target, i), &tally->table, op->classes,
				&interval);
	}
	op_tally_start(&tally->ops, op);
	return status;
}

static enum tc_status end_communication(
	struct tc_device_tally *tally, const struct tc_op_open *op, const struct tc_busy *busy)
{
	const struct tc_open *open = &op->open;
	int64_t hidden_ns = tc_busy_compute_ns(busy, open->end_ns) - op->compute_ns;

	return tc_communication_tally_add(&tally->communication, tally->timeline->ctx,
		open->span.slice_id, open->end_ns - open->start_ns - hidden_ns);
}

static enum tc_status end_work(struct tc_device_tally *tally, struct tc_op_open *op)
{
	const struct tc_open *open = &op->open;
	struct target target = target_of(tally, &open->span);
	enum tc_status status = tc_wait_tally_end(&tally->waits, open);
	if (!status && (op->classes & TC_WORK_COMMUNICATION))
		status = end_communication(tally, op, &tally->runs[target.tallies[0]]);
	for (size_t i = 0; i < target.count && !status; i++) {
		struct tc_busy *busy = &tally->runs[target.tallies[i]];
		bool was_busy = tc_busy_is_busy(busy), had_nics = tc_busy_has_nics(busy);
		bool did_transfer = tc_busy_only_transfers(busy);
		tc_busy_end(busy, &tally->table, op->classes, open->end_ns);
		if (target.tallies[i] == tally->tally_count - 1 &&
			did_transfer != tc_busy_only_transfers(busy))
			status = turn_transfer(tally, !did_transfer, open->end_ns);
		if (was_busy && !tc_busy_is_busy(busy))
			begin_idle(tally, target.tallies[i], open->end_ns);
		else if (!status && !was_busy && had_nics != tc_busy_has_nics(busy))
			status = turn_nics(tally, target.tallies[i], &open->span, open->end_ns);
		if (target.has_step)
			tc_busy_end(step_busy(tally, &target, i), &tally->table, op->classes,
				open->end_ns);
	}
	op_tally_end(&tally->ops, op);
	return status;
}

static enum tc_status on_end(void *user, struct tc_open *open)
{
	struct tc_device_tally *tally = user;
	struct tc_op_open *op = (struct tc_op_open *)(void *)open;
	struct tc_lane_time *lane = &tally->lanes[open->span.track];

	if (!op->total) /* a lane without an engine */
		return TC_OK;
	if (op->is_timed && --lane->active == 0)
		lane->busy_ns += open->end_ns - lane->since_ns;
	enum tc_status status = op->classes ? end_work(tally, op) : TC_OK;
	op->launched.time.exclusive_ns = op->exclusive_ns;
	return status ? status
		      : tc_launched_add(&tally->launched, tally->timeline->ctx, &op->launched);
}

static enum tc_status on_endless(void *user, const struct tc_span *span)
{
	struct tc_device_tally *tally = user;

	if (tc_span_engine(tally->timeline, span) != TC_ENGINE_NONE)
		count_op(tally, span);
	return TC_OK;
}

enum tc_status tc_device_tally_run(struct tc_device_tally *tally)
{
	struct tc_sweep sweep = {
		.user = tally,
		.open_bytes = sizeof(struct tc_op_open),
		.start = on_start,
		.end = on_end,
		.endless = on_endless,
	};
	enum tc_status status = tc_clamped_find(tally);

	tally->clocks =
		(struct tc_clocks){.group_count = 1, .known = {TC_TIME_FIRST, TC_TIME_LAST}};
	if (!status && !tally->zero_is_no_time)
		status = tc_clocks_find(&tally->clocks, tally->timeline);
	for (size_t i = 0; i < tally->timeline->step_count && tally->zero_is_no_time; i++)
		tally->clocks.steps_apart |= tally->timeline->steps[i].ts_ns == 0;
	tally->graphs.runs = tally->timeline->graph_runs;
	if (!status && tally->tally_count > 0)
		status = TC_SORTER_FIRST(tally->graphs.runs, tally->graphs.next);
	if (!status)
		status = tc_sweep_run(&sweep, tally->timeline, tally->tracks, tally->track_count);
	for (size_t i = 0; i < tally->tally_count && !status; i++)
		status = end_idle(tally, i);
	return status ? status : flush_transfers(tally, NULL);
}
