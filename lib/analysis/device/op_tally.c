/* Device time by operation; see op_tally.h. */
#include "analysis/device/op_tally.h"

#include <inttypes.h>

#include "analysis/device/busy.h"
#include "core/buf.h"
#include "names/names.h"

enum { LIST_WORKING = 0 };

enum tc_status tc_op_tally_init(struct tc_op_tally *tally, const struct tc_timeline *timeline)
{
	*tally = (struct tc_op_tally){.timeline = timeline};
	tc_op_totals_init(&tally->operations);
	tc_op_totals_init(&tally->recipes);
	TC_ARENA(&tally->arena, tally->last_of_recipe, timeline->texts.count + 1);
	TC_ARENA(&tally->arena, tally->owners, timeline->device_count);
	return tc_arena_status(&tally->arena, timeline->ctx);
}

void tc_op_tally_clear(struct tc_op_tally *tally)
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

int tc_op_tally_find(struct tc_op_tally *tally, const struct tc_span *span, struct tc_op_open *op)
{
	op->total = operation_of(tally, span, tc_span_engine(tally->timeline, span));
	op->recipe = op->total ? recipe_of(tally, span) : NULL;
	return op->recipe ? 0 : -1;
}

void tc_op_total_count(struct tc_op_total *total, int64_t dur_ns)
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

void tc_op_tally_start(struct tc_op_tally *tally, struct tc_op_open *op)
{
	struct tc_op_owner *owner = &tally->owners[op->total->device];
	uint32_t list = list_of(tally, op->total);

	if (!(TC_WORK_OF(op->total->engine) & TC_WORK_BUSY))
		return;
	tc_open_list_append(&owner->working[list], LIST_WORKING, &op->open);
	owner->engines |= UINT32_C(1) << list;
	choose_owner(owner, op->open.start_ns);
}

void tc_op_tally_end(struct tc_op_tally *tally, struct tc_op_open *op)
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
