/*
 * Launches without correlation ids, as on Gaudi. The runtime's launch calls and the device's
 * executions are both first in, first out, so the k-th execution belongs to the k-th call:
 *
 *  - where calls name their recipe, per recipe: every execution of a recipe has the same number
 *    of operations, so its operations in time order are cut into as many equal parts as there
 *    were calls;
 *  - where they do not, an execution is a run of MME and TPC operations of one recipe. As many
 *    runs as calls, or a fixed number of calls per run (one graph, executed again and again):
 *    the runs are cut into equal parts as above.
 *
 * When the counts do not fit (a trace that begins or ends inside an execution), work is given to
 * the latest call that started before it, and says so (method time). Work that starts before the
 * first call of its recipe was launched before the recording. So is DMA work between two
 * executions, to the latest copy call: those are inputs and outputs. Work without any call belongs
 * to the latest step that had begun.
 *
 * So a device's operations are counted first, and then given out in time order.
 */
#include "model/launch/recipes.h"

#include "core/alloc.h"
#include "core/limits.h"
#include "model/state.h"

enum { SORT_BYTES = 2 * 1024 * 1024 };

static int compare_calls(const void *a, const void *b)
{
	const struct tc_call *x = a, *y = b;

	if (x->call_class != y->call_class)
		return x->call_class < y->call_class ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}

enum tc_status tc_recipes_add(
	struct tc_model *model, const struct tc_span *span, enum tc_call_class call_class)
{
	struct tc_call call = {span->ts_ns, span->ts_ns + (span->dur_ns < 0 ? 0 : span->dur_ns),
		span->slice_id, span->recipe, call_class};
	enum tc_status status = TC_OK;

	if (!model->recipe_calls)
		status = tc_sorter_new(
			&model->recipe_calls, model->ctx, sizeof(call), SORT_BYTES, compare_calls);
	return status ? status : tc_sorter_add(model->recipe_calls, &call);
}

/* The calls of one recipe. */
struct recipe {
	int64_t call_count;
	int64_t first_call; /* into by_recipe[]; where its calls begin */
};

/* MME and TPC operations of one recipe on one device. */
struct share {
	int64_t op_count;
	int64_t seen_count; /* while giving out: operations so far */
	int64_t last_run;   /* the latest run of it, -1 before the first */
};

struct share_key {
	uint32_t device, recipe;
};

/* The runs of one device. */
struct device {
	int64_t *run_ops; /* operations of each run */
	size_t run_count, run_capacity;
	uint32_t run_recipe;   /* of the latest run */
	int64_t run_seen;      /* while giving out: operations of the latest run so far */
	size_t next_run;       /* while giving out */
	int64_t calls_per_run; /* 0: the counts do not fit */
};

/* Calls in time order. */
struct call_list {
	struct tc_call *rows;
	size_t count, capacity;
};

struct tc_matcher {
	struct tc_model *model;
	struct call_list calls;  /* that launch recipes, of the chosen class */
	struct call_list copies; /* that copy, of the first class there is */
	bool calls_have_recipes;
	size_t *by_recipe;      /* indexes of calls[], by recipe and time */
	struct recipe *recipes; /* by number in texts */
	size_t recipe_count;
	struct tc_strtab share_keys;
	struct share *shares; /* by number of the key */
	size_t share_count, share_capacity;
	struct share no_share;  /* where nothing was counted */
	struct device *devices; /* by index in the timeline */
	int64_t over_count;     /* calls and runs beyond the limit */
};

static struct tc_text text_of(const struct share_key *key)
{
	return (struct tc_text){(const char *)key, sizeof(*key)};
}

static enum tc_status count_op(struct tc_matcher *matcher, uint32_t device, uint32_t recipe)
{
	const struct share_key key = {device, recipe};
	uint32_t number = tc_strtab_intern(&matcher->share_keys, text_of(&key));
	void *shares = matcher->shares;

	if (number == TC_STRTAB_NONE || tc_reserve(&shares, &matcher->share_capacity,
						(size_t)number + 1, sizeof(*matcher->shares)))
		return tc_model_no_memory(matcher->model);
	matcher->shares = shares;
	if (number == matcher->share_count)
		matcher->shares[matcher->share_count++] = (struct share){.last_run = -1};
	matcher->shares[number].op_count++;
	return TC_OK;
}

static struct share *share_of(struct tc_matcher *matcher, const struct tc_span *span)
{
	int32_t device = matcher->model->timeline->tracks[span->track].device;
	const struct share_key key = {(uint32_t)device, span->recipe};
	uint32_t number = tc_strtab_find(&matcher->share_keys, text_of(&key));

	return number == TC_STRTAB_NONE ? &matcher->no_share : &matcher->shares[number];
}

static struct device *device_of(struct tc_matcher *matcher, const struct tc_span *span)
{
	return &matcher->devices[matcher->model->timeline->tracks[span->track].device];
}

static enum tc_status keep_call(
	struct tc_matcher *matcher, struct call_list *list, const struct tc_call *call)
{
	void *rows = list->rows;

	if (list->count >= TC_CALL_MAX_COUNT) {
		matcher->over_count++;
		return TC_OK;
	}
	if (tc_reserve(&rows, &list->capacity, list->count + 1, sizeof(*call)))
		return tc_model_no_memory(matcher->model);
	list->rows = rows;
	list->rows[list->count++] = *call;
	return TC_OK;
}

/* Enqueue calls know the recipe; when there is one for each call kept, they lend it. */
static void lend_recipe(struct tc_matcher *matcher, size_t at, const struct tc_call *enqueue)
{
	if (at < matcher->calls.count && matcher->calls.rows[at].recipe == TC_STRTAB_NONE)
		matcher->calls.rows[at].recipe = enqueue->recipe;
}

/* The first class from first to before last with a call, last - 1 when none has any. */
static uint32_t class_with_calls(const int64_t *counts, uint32_t first, uint32_t last)
{
	while (first + 1 < last && counts[first] == 0)
		first++;
	return first;
}

static enum tc_status load_calls(struct tc_matcher *matcher)
{
	int64_t counts[TC_CALL_COUNT] = {0};
	size_t enqueue_at = 0;
	const void *record = NULL;
	struct tc_sorter *sorter = matcher->model->recipe_calls;
	enum tc_status status = tc_sorter_rewind(sorter);

	while (!status && !(status = tc_sorter_next(sorter, &record)) && record)
		counts[((const struct tc_call *)record)->call_class]++;
	uint32_t launching = class_with_calls(counts, TC_CALL_NONE + 1, TC_CALL_SYN_COPY);
	uint32_t copying = class_with_calls(counts, TC_CALL_SYN_COPY, TC_CALL_COUNT);
	if (!status)
		status = tc_sorter_rewind(sorter);
	while (!status && !(status = tc_sorter_next(sorter, &record)) && record) {
		const struct tc_call *call = record;
		if (call->call_class == launching)
			status = keep_call(matcher, &matcher->calls, call);
		else if (call->call_class == copying)
			status = keep_call(matcher, &matcher->copies, call);
		else if (call->call_class == TC_CALL_ENQUEUE &&
			 counts[TC_CALL_ENQUEUE] == counts[launching])
			lend_recipe(matcher, enqueue_at++, call);
	}
	return status;
}

/* by_recipe[]: the calls of each recipe together, in time order. */
static enum tc_status index_calls(struct tc_matcher *matcher)
{
	int64_t first = 0;

	matcher->recipe_count = matcher->model->timeline->texts.count;
	matcher->recipes = tc_calloc(matcher->recipe_count, sizeof(*matcher->recipes));
	matcher->by_recipe = tc_calloc(matcher->calls.count, sizeof(*matcher->by_recipe));
	matcher->devices =
		tc_calloc(matcher->model->timeline->device_count, sizeof(*matcher->devices));
	if (!matcher->recipes || !matcher->by_recipe || !matcher->devices)
		return tc_model_no_memory(matcher->model);
	for (size_t i = 0; i < matcher->calls.count; i++)
		if (matcher->calls.rows[i].recipe != TC_STRTAB_NONE) {
			matcher->recipes[matcher->calls.rows[i].recipe].call_count++;
			matcher->calls_have_recipes = true;
		}
	for (size_t i = 0; i < matcher->recipe_count; i++) {
		matcher->recipes[i].first_call = first;
		first += matcher->recipes[i].call_count;
		matcher->recipes[i].call_count = 0;
	}
	for (size_t i = 0; i < matcher->calls.count; i++)
		if (matcher->calls.rows[i].recipe != TC_STRTAB_NONE) {
			struct recipe *recipe = &matcher->recipes[matcher->calls.rows[i].recipe];
			matcher->by_recipe[recipe->first_call + recipe->call_count++] = i;
		}
	return TC_OK;
}

static bool is_compute(const struct tc_matcher *matcher, const struct tc_span *span)
{
	enum tc_engine engine = tc_span_engine(matcher->model->timeline, span);

	return engine == TC_ENGINE_MME || engine == TC_ENGINE_TPC;
}

static enum tc_status count_run(
	struct tc_matcher *matcher, struct device *device, const struct tc_span *span)
{
	void *runs = device->run_ops;

	if (device->run_count > 0 && device->run_recipe == span->recipe) {
		device->run_ops[device->run_count - 1]++;
		return TC_OK;
	}
	if (device->run_count >= TC_CALL_MAX_COUNT) {
		matcher->over_count++;
		return TC_OK;
	}
	if (tc_reserve(
		    &runs, &device->run_capacity, device->run_count + 1, sizeof(*device->run_ops)))
		return tc_model_no_memory(matcher->model);
	device->run_ops = runs;
	device->run_ops[device->run_count++] = 1;
	device->run_recipe = span->recipe;
	return TC_OK;
}

static enum tc_status count_together(
	struct tc_matcher *matcher, size_t device, const uint32_t *lanes, size_t lane_count)
{
	struct tc_timeline *timeline = matcher->model->timeline;
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	enum tc_status status = tc_cursor_open(&cursor, timeline, lanes, lane_count);

	while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
		if (span->recipe == TC_STRTAB_NONE || !is_compute(matcher, span))
			continue;
		timeline->devices[device].has_recipes = true;
		status = count_op(matcher, (uint32_t)device, span->recipe);
		if (!status && !matcher->calls_have_recipes)
			status = count_run(matcher, &matcher->devices[device], span);
	}
	tc_cursor_close(cursor);
	return status;
}

enum tc_status tc_matcher_count(
	struct tc_matcher *matcher, size_t device, const uint32_t *lanes, size_t lane_count)
{
	/* Only runs need the time order across lanes. */
	size_t together = matcher->calls_have_recipes ? 1 : lane_count;
	struct device *runs = &matcher->devices[device];
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < lane_count && !status; i += together)
		status = count_together(matcher, device, lanes + i, together);
	if (runs->run_count > 0 && matcher->calls.count % runs->run_count == 0)
		runs->calls_per_run = (int64_t)(matcher->calls.count / runs->run_count);
	/* A run is cut into equal parts, so each must have that many. */
	for (size_t i = 0; i < runs->run_count && runs->calls_per_run > 1; i++)
		if (runs->run_ops[i] % runs->calls_per_run != 0)
			runs->calls_per_run = 0;
	return status;
}

/* The index of the latest call that starts at or before ts_ns, -1 when there is none. */
static int64_t call_before(const struct call_list *list, int64_t ts_ns)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->rows[middle].ts_ns <= ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low - 1;
}

/* Where calls name their recipe. -1 when the counts do not fit. */
static int64_t call_by_recipe(
	struct tc_matcher *matcher, const struct tc_span *span, bool compute, struct share *share)
{
	const struct recipe *recipe = &matcher->recipes[span->recipe];

	if (recipe->call_count == 0 || share->op_count % recipe->call_count != 0)
		return -1;
	int64_t per_call = share->op_count / recipe->call_count;
	int64_t at = share->seen_count;
	if (compute)
		share->seen_count++;
	if (per_call == 0 || at / per_call >= recipe->call_count)
		return compute ? -1
			       : (int64_t)matcher
					 ->by_recipe[recipe->first_call + recipe->call_count - 1];
	return (int64_t)matcher->by_recipe[recipe->first_call + at / per_call];
}

/* Where they do not: by runs. */
static int64_t call_by_run(
	struct tc_matcher *matcher, const struct tc_span *span, bool compute, struct share *share)
{
	struct device *device = device_of(matcher, span);

	if (device->calls_per_run == 0)
		return -1;
	if (compute && (device->next_run == 0 || device->run_recipe != span->recipe)) {
		share->last_run = (int64_t)device->next_run++;
		device->run_recipe = span->recipe;
		device->run_seen = 0;
	}
	int64_t run = share->last_run;
	if (run < 0 || run >= (int64_t)device->run_count)
		return -1;
	int64_t part = 0;
	if (run + 1 == (int64_t)device->next_run)
		part = device->run_seen * device->calls_per_run / device->run_ops[run];
	else
		part = device->calls_per_run - 1;
	if (compute)
		device->run_seen++;
	if (part >= device->calls_per_run)
		part = device->calls_per_run - 1;
	return run * device->calls_per_run + part;
}

/* True for an operation outside MME and TPC between two executions of its recipe, as far as those
 * engines tell: a copy in or out rather than a part of the graph. */
static bool is_between_executions(
	struct tc_matcher *matcher, const struct tc_span *span, const struct share *share)
{
	if (span->recipe == TC_STRTAB_NONE)
		return true;
	const struct recipe *recipe = &matcher->recipes[span->recipe];
	if (matcher->calls_have_recipes)
		return recipe->call_count == 0 || share->op_count < recipe->call_count ||
		       share->seen_count % (share->op_count / recipe->call_count) == 0;
	const struct device *device = device_of(matcher, span);
	int64_t run = share->last_run;
	if (run < 0 || device->calls_per_run == 0 || run + 1 < (int64_t)device->next_run)
		return true;
	return device->run_seen % (device->run_ops[run] / device->calls_per_run) == 0;
}

const struct tc_call *tc_matcher_find(struct tc_matcher *matcher, struct tc_span *span)
{
	bool compute = is_compute(matcher, span);
	struct share *share = share_of(matcher, span);
	int64_t at = -1;

	if (!compute && matcher->copies.count > 0 && is_between_executions(matcher, span, share)) {
		int64_t copy = call_before(&matcher->copies, span->ts_ns);
		if (copy >= 0) {
			span->method = TC_LAUNCH_TIME;
			return &matcher->copies.rows[copy];
		}
	}
	if (span->recipe == TC_STRTAB_NONE || matcher->calls.count == 0)
		return NULL;
	at = matcher->calls_have_recipes ? call_by_recipe(matcher, span, compute, share)
					 : call_by_run(matcher, span, compute, share);
	/* Work cannot start before its call; where it would, the counts deceive. */
	if (at >= 0 && matcher->calls.rows[at].ts_ns <= span->ts_ns)
		span->method = TC_LAUNCH_RECIPE;
	else
		at = call_before(&matcher->calls, span->ts_ns);
	return at < 0 ? NULL : &matcher->calls.rows[at];
}

bool tc_matcher_precedes(const struct tc_matcher *matcher, const struct tc_span *span)
{
	const struct tc_call *calls = matcher->calls.rows;

	if (!tc_engine_is_gaudi(matcher->model->timeline->tracks[span->track].engine) ||
		span->recipe == TC_STRTAB_NONE || matcher->calls.count == 0)
		return false;
	const struct recipe *recipe = &matcher->recipes[span->recipe];
	size_t first = recipe->call_count > 0 ? matcher->by_recipe[recipe->first_call] : 0;
	return span->ts_ns < calls[first].ts_ns;
}

enum tc_status tc_matcher_log(struct tc_matcher *matcher)
{
	const struct tc_log_entry entry = {TC_LOG_LAUNCH_LIMIT, -1, matcher->over_count,
		TC_TEXT("launch calls and executions of recipes")};

	if (matcher->over_count == 0)
		return TC_OK;
	return tc_import_log_add(&matcher->model->log, &entry) ? TC_OK
							       : tc_model_no_memory(matcher->model);
}

enum tc_status tc_matcher_open(struct tc_matcher **out, struct tc_model *model)
{
	struct tc_matcher *matcher = tc_calloc(1, sizeof(*matcher));
	enum tc_status status = TC_OK;

	if (!matcher)
		return tc_model_no_memory(model);
	matcher->model = model;
	matcher->no_share.last_run = -1;
	if (model->recipe_calls)
		status = load_calls(matcher);
	if (!status)
		status = index_calls(matcher);
	if (status)
		tc_matcher_close(matcher);
	else
		*out = matcher;
	return status;
}

void tc_matcher_close(struct tc_matcher *matcher)
{
	if (!matcher)
		return;
	for (size_t i = 0; matcher->devices && i < matcher->model->timeline->device_count; i++)
		tc_free(matcher->devices[i].run_ops);
	tc_free(matcher->devices);
	tc_strtab_clear(&matcher->share_keys);
	tc_free(matcher->shares);
	tc_free(matcher->calls.rows);
	tc_free(matcher->copies.rows);
	tc_free(matcher->by_recipe);
	tc_free(matcher->recipes);
	tc_free(matcher);
}
