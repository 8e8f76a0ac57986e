/*
 * Cuts the work of a device into executions, which launch calls can then be matched with.
 *
 * A run ends where the recipe changes. If a recipe has many more calls than such runs, a run also
 * ends where the device idles and a call that could launch the recipe begins. Executions of one
 * recipe without idle time between them are one run, which is cut into equal parts: as many as its
 * length holds usual runs of the recipe, or as there are calls, if these are still many more.
 * Pieces that together have the length of a usual run are one execution with lost slices in
 * between. No count has to be a multiple of another. Letters are operations of recipes, | is idle
 * time in which a call begins:
 *
 *   work        aaaa bb aaaa | aaaa bb aaaaaaaa
 *   runs        aaaa bb aaaa   aaaa bb aaaaaaaa     if there are as many calls of a as runs or more
 *   executions  aaaa bb aaaa   aaaa bb aaaa aaaa    the last run holds two usual runs
 */
#include "model/launch/executions.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"
#include "core/saturate.h"

enum {
	BREAK_NS = 10 * 1000, /* longer idle time ends a run, if a call begins in it */
	MIN_USUAL_COUNT = 8,  /* operations; the length of shorter runs is no evidence */
	LATE_CALLS = 16,      /* searched for one that begins while the device idles */
	AHEAD_RUNS = 8,       /* searched for the recipe of DMA work */
};

void tc_executions_init(
	struct tc_executions *executions, struct tc_ctx *ctx, const struct tc_call_list *calls)
{
	*executions = (struct tc_executions){.ctx = ctx, .calls = calls};
	for (size_t i = 0; i < TC_RUN_PENDING_COUNT; i++)
		executions->walk.pending[i].ts_ns = INT64_MAX;
}

void tc_executions_clear(struct tc_executions *executions)
{
	tc_free(executions->runs);
	tc_executions_init(executions, executions->ctx, executions->calls);
}

static bool is_break(
	const struct tc_executions *executions, int64_t end_ns, const struct tc_span *span)
{
	const struct tc_call_list *calls = executions->calls;

	if (tc_sub_saturated(span->ts_ns, end_ns) <= BREAK_NS)
		return false;
	size_t until = tc_calls_until(calls, span->ts_ns);
	for (size_t i = until; i-- > 0 && until - i <= LATE_CALLS && calls->rows[i].ts_ns > end_ns;)
		if (tc_recipes_fit(calls->rows[i].recipe, span->recipe))
			return true;
	return false;
}

/* The run that work belongs to. */
enum which_run { CURRENT, PREVIOUS, NEXT };

static enum which_run which_run(
	const struct tc_executions *executions, const struct tc_span *span, bool is_compute)
{
	const struct tc_run_walk *walk = &executions->walk;
	/* DMA work belongs to an execution until that ends. */
	int64_t end_ns = is_compute ? walk->end_ns : walk->ends_ns[0];

	if (walk->begun_count > 0 && span->recipe == walk->recipes[0] &&
		!is_break(executions, end_ns, span))
		return CURRENT;
	if (walk->begun_count > 1 && span->recipe == walk->recipes[1] &&
		span->ts_ns < walk->ends_ns[1])
		return PREVIOUS;
	return NEXT;
}

static void step_walk(struct tc_run_walk *walk, const struct tc_span *span, enum which_run which)
{
	int64_t end_ns = tc_span_known_end_ns(span);
	int before = which == PREVIOUS;

	if (which == NEXT) {
		walk->recipes[1] = walk->recipes[0];
		walk->seen_counts[1] = walk->seen_counts[0];
		walk->ends_ns[1] = walk->ends_ns[0];
		walk->recipes[0] = span->recipe;
		walk->seen_counts[0] = 0;
		walk->ends_ns[0] = end_ns;
		if (walk->begun_count++ == 0)
			walk->end_ns = end_ns;
	}
	walk->seen_counts[before]++;
	if (end_ns > walk->ends_ns[before])
		walk->ends_ns[before] = end_ns;
	if (end_ns > walk->end_ns)
		walk->end_ns = end_ns;
}

static void note_pending(struct tc_executions *executions, const struct tc_span *span)
{
	struct tc_run_walk *walk = &executions->walk;
	size_t at = 0;

	while (at < TC_RUN_PENDING_COUNT &&
		(walk->pending[at].recipe != span->recipe || walk->pending[at].ts_ns == INT64_MAX))
		at++;
	if (at == TC_RUN_PENDING_COUNT) {
		at = walk->next_pending;
		walk->next_pending = (at + 1) % TC_RUN_PENDING_COUNT;
		walk->pending[at].ts_ns = INT64_MAX;
	}
	/* Work before a break does not belong to the next run. */
	if (walk->pending[at].ts_ns == INT64_MAX ||
		is_break(executions, walk->pending[at].end_ns, span)) {
		walk->pending[at].recipe = span->recipe;
		walk->pending[at].ts_ns = span->ts_ns;
		walk->pending[at].end_ns = tc_span_known_end_ns(span);
	}
	if (tc_span_known_end_ns(span) > walk->pending[at].end_ns)
		walk->pending[at].end_ns = tc_span_known_end_ns(span);
}

/* The start of a run: that of its DMA work, if it is the first. */
static int64_t take_pending(struct tc_executions *executions, const struct tc_span *span)
{
	struct tc_run_walk *walk = &executions->walk;
	int64_t start_ns = span->ts_ns;

	for (size_t i = 0; i < TC_RUN_PENDING_COUNT; i++) {
		if (walk->pending[i].recipe != span->recipe || walk->pending[i].ts_ns > start_ns)
			continue;
		if (!is_break(executions, walk->pending[i].end_ns, span))
			start_ns = walk->pending[i].ts_ns;
		walk->pending[i].ts_ns = INT64_MAX;
	}
	return start_ns;
}

static void begin_run(struct tc_executions *executions, const struct tc_span *span)
{
	struct tc_run_walk *walk = &executions->walk;

	if (executions->run_count >= TC_RUN_MAX_COUNT) {
		executions->over_count++;
		return;
	}
	TC_PUSH(executions->ctx, executions->runs, executions->run_count, executions->run_capacity,
		(struct tc_run){
			.start_ns = take_pending(executions, span),
			.idle_from_ns = walk->begun_count > 0 ? walk->end_ns : INT64_MIN,
			.first_slice_id = span->slice_id,
			.recipe = span->recipe,
			.is_after_break = walk->begun_count > 0 && walk->recipes[0] == span->recipe,
		});
}

void tc_executions_add(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute)
{
	struct tc_run_walk *walk = &executions->walk;
	enum which_run which = which_run(executions, span, is_compute);

	if (!is_compute) {
		/* The device is not idle while it copies. */
		if (which == NEXT)
			note_pending(executions, span);
		else if (tc_span_known_end_ns(span) > walk->end_ns)
			walk->end_ns = tc_span_known_end_ns(span);
		return;
	}
	if (which == NEXT)
		begin_run(executions, span);
	step_walk(walk, span, which);
	size_t at = walk->begun_count - 1 - (which == PREVIOUS);
	if (at < executions->run_count) {
		executions->runs[at].op_count++;
		executions->runs[at].end_ns = walk->ends_ns[which == PREVIOUS];
	}
}

/* The runs of one recipe. */
struct lengths {
	int64_t op_count, call_count;
	int64_t usual; /* operations of one execution */
	bool by_calls; /* the usual length follows from the number of calls */
};

TC_ORDER_OF_POINTERS(compare_lengths, struct tc_run, TC_UP(recipe) TC_UP(op_count));

/* By recipe the calls before the end of the last run, and the runs that do not follow a break. */
struct counts {
	struct {
		int64_t calls, runs;
	} * recipes;
	size_t recipe_count;
	int64_t named_calls, calls, runs;
};

/* Counts nothing without memory. */
static void count_all(struct counts *counts, const struct tc_executions *executions)
{
	const struct tc_call_list *calls = executions->calls;
	int64_t last_ns = executions->runs[executions->run_count - 1].end_ns;

	for (size_t i = 0; i < executions->run_count; i++)
		if (executions->runs[i].recipe >= counts->recipe_count)
			counts->recipe_count = (size_t)executions->runs[i].recipe + 1;
	counts->recipes = tc_calloc(counts->recipe_count, sizeof(*counts->recipes));
	if (!counts->recipes) {
		tc_no_memory(executions->ctx);
		return;
	}
	for (size_t i = 0; i < executions->run_count; i++) {
		int64_t is_first = !executions->runs[i].is_after_break;
		counts->recipes[executions->runs[i].recipe].runs += is_first;
		counts->runs += is_first;
	}
	counts->calls = (int64_t)tc_calls_until(calls, last_ns);
	for (int64_t i = 0; i < counts->calls; i++) {
		counts->named_calls += calls->rows[i].recipe != TC_STRTAB_NONE;
		if (calls->rows[i].recipe < counts->recipe_count)
			counts->recipes[calls->rows[i].recipe].calls++;
	}
}

/* The calls of a recipe. If no call names a recipe, calls are spread over recipes in proportion
 * to their runs. */
static int64_t calls_of(const struct counts *counts, uint32_t recipe)
{
	return counts->named_calls > 0
		       ? counts->recipes[recipe].calls
		       : counts->calls * counts->recipes[recipe].runs / counts->runs;
}

/* True when there are clearly more calls than runs, even if some slices are lost. */
static bool are_more(int64_t call_count, int64_t run_count)
{
	return 2 * call_count >= 3 * run_count;
}

/* Joins runs at breaks that the number of calls does not support. */
static void join_breaks(struct tc_executions *executions, const struct counts *counts)
{
	size_t kept = 0;

	for (size_t i = 0; i < executions->run_count; i++) {
		const struct tc_run *run = &executions->runs[i];
		if (!run->is_after_break || are_more(calls_of(counts, run->recipe),
						    counts->recipes[run->recipe].runs)) {
			executions->runs[kept++] = *run;
			continue;
		}
		struct tc_run *last = &executions->runs[kept - 1];
		last->op_count += run->op_count;
		last->end_ns = run->end_ns > last->end_ns ? run->end_ns : last->end_ns;
	}
	executions->run_count = kept;
}

/* The usual length of the runs sorted[0] to sorted[count - 1], which are all of one recipe. */
static struct lengths measure(
	struct tc_run *const *sorted, size_t count, const struct counts *counts)
{
	struct lengths lengths = {.usual = sorted[count / 2]->op_count,
		.call_count = calls_of(counts, sorted[0]->recipe)};

	for (size_t i = 0; i < count; i++)
		lengths.op_count += sorted[i]->op_count;
	lengths.by_calls = are_more(lengths.call_count, (int64_t)count);
	if (lengths.by_calls)
		lengths.usual = lengths.op_count / lengths.call_count;
	if (lengths.usual == 0)
		lengths.usual = 1;
	return lengths;
}

static uint32_t parts_of(const struct tc_run *run, const struct lengths *lengths)
{
	int64_t parts = (run->op_count + lengths->usual / 2) / lengths->usual;
	int64_t off = llabs(run->op_count - parts * lengths->usual);

	/* Parts of short runs must have the usual length exactly. */
	int64_t slack = lengths->usual < MIN_USUAL_COUNT ? 0 : parts * lengths->usual / 8;
	if (parts < 1)
		return 1;
	return lengths->by_calls || off <= slack ? (uint32_t)parts : 1;
}

/* Sets part_count of every run, and in first the longest execution that it may be a piece of; 0:
 * it is no piece. */
static void measure_runs(
	struct tc_executions *executions, struct tc_run **sorted, const struct counts *counts)
{
	size_t count = executions->run_count;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &executions->runs[i];
	TC_SORT(sorted, count, compare_lengths);
	for (size_t i = 0, end = 0; i < count; i = end) {
		while (end < count && sorted[end]->recipe == sorted[i]->recipe)
			end++;
		struct lengths lengths = measure(sorted + i, end - i, counts);
		int64_t slack = lengths.usual / 20;
		bool may_break = !lengths.by_calls && lengths.usual >= MIN_USUAL_COUNT;
		for (size_t j = i; j < end; j++) {
			struct tc_run *run = sorted[j];
			bool is_piece = may_break && run->op_count < lengths.usual - slack;
			run->part_count = parts_of(run, &lengths);
			run->first = is_piece ? (uint32_t)(lengths.usual + slack) : 0;
		}
	}
}

/* Numbers the executions. Pieces that follow each other share a number as long as they fit in
 * one execution. */
static void number_runs(struct tc_executions *executions)
{
	uint32_t next = 0, length = 0;
	bool was_piece = false;

	for (size_t i = 0; i < executions->run_count; i++) {
		struct tc_run *run = &executions->runs[i];
		uint32_t limit = run->first;
		bool goes_on = was_piece && limit > 0 && run->is_after_break &&
			       length + run->op_count <= limit;
		length = goes_on ? length + run->op_count : run->op_count;
		was_piece = limit > 0;
		run->first = goes_on ? next - 1 : next;
		next = run->first + run->part_count;
	}
	executions->count = next;
}

void tc_executions_cut(struct tc_executions *executions)
{
	struct counts counts = {0};
	struct tc_run **sorted = NULL;

	executions->walk = (struct tc_run_walk){0};
	if (executions->run_count == 0)
		return;
	sorted = tc_calloc(executions->run_count, sizeof(*sorted));
	count_all(&counts, executions);
	if (sorted && counts.recipes) {
		join_breaks(executions, &counts);
		measure_runs(executions, sorted, &counts);
		number_runs(executions);
	} else {
		tc_no_memory(executions->ctx);
	}
	tc_free(counts.recipes);
	tc_free(sorted);
}

static int64_t execution_of(const struct tc_executions *executions, size_t at, uint32_t seen_count)
{
	if (at >= executions->run_count)
		return -1;
	const struct tc_run *run = &executions->runs[at];
	uint64_t part = (uint64_t)seen_count * run->part_count / run->op_count;
	return run->first + (part < run->part_count ? (int64_t)part : run->part_count - 1);
}

/* The execution of DMA work: of the current run or the one before until these end, else of the
 * next run of its recipe, else of the latest one. */
static int64_t execution_of_dma(const struct tc_executions *executions, const struct tc_span *span)
{
	const struct tc_run_walk *walk = &executions->walk;
	size_t begun = walk->begun_count;
	int64_t latest = -1;

	for (size_t i = 0; i < 2 && i < begun; i++) {
		if (walk->recipes[i] != span->recipe || begun - i > executions->run_count)
			continue;
		if (latest < 0)
			latest = execution_of(executions, begun - 1 - i, walk->seen_counts[i]);
		if (span->ts_ns <= executions->runs[begun - 1 - i].end_ns)
			return latest;
	}
	for (size_t i = begun; i < executions->run_count && i < begun + AHEAD_RUNS; i++)
		if (executions->runs[i].recipe == span->recipe)
			return executions->runs[i].first;
	return latest;
}

int64_t tc_executions_find(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute)
{
	struct tc_run_walk *walk = &executions->walk;
	enum which_run which = PREVIOUS;

	if (!is_compute)
		return execution_of_dma(executions, span);
	if (walk->begun_count >= executions->run_count
			? walk->recipes[0] != span->recipe
			: executions->runs[walk->begun_count].first_slice_id == span->slice_id)
		which = NEXT;
	else if (walk->recipes[0] == span->recipe)
		which = CURRENT;
	step_walk(walk, span, which);
	return execution_of(executions, walk->begun_count - 1 - (which == PREVIOUS),
		walk->seen_counts[which == PREVIOUS] - 1);
}
