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
 *
 * DMA work belongs to the compute work of its recipe. Where a recipe has none in the whole
 * recording, its DMA work makes runs of its own, and ends the run that it lies between.
 *
 * Collectives have no recipe. Each network port has a part of a collective, so the next one begins
 * with work after the end of all parts, or with the second part on a port:
 *
 *   port 0      ---- -----  ---
 *   port 1      --- ------  ---
 *   collectives 1   2       3
 *
 * Where there are several such groups for each call, so many follow each other in one collective.
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
	LOST_PART = 8,        /* one in so many groups of a collective's parts may be lost */
};

void tc_executions_clear(struct tc_executions *executions)
{
	bool of_ports = executions->of_ports;

	tc_free(executions->runs);
	tc_free(executions->copies);
	tc_executions_init(executions, executions->ctx, executions->calls);
	executions->of_ports = of_ports;
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
		walk->at[1] = walk->at[0];
		walk->at[0] = walk->next;
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

static void push_run(struct tc_executions *executions, struct tc_run run)
{
	if (executions->run_count >= TC_RUN_MAX_COUNT) {
		executions->over_count++;
		return;
	}
	TC_PUSH(executions->ctx, executions->runs, executions->run_count, executions->run_capacity,
		run);
}

/* ---- collectives */

/* Moves the walk to a part of a collective; true when it is the first of one. */
static bool step_ports(struct tc_port_walk *walk, const struct tc_span *span)
{
	size_t port = span->track % TC_PORT_COUNT;
	uint64_t bit = UINT64_C(1) << port;
	int64_t end_ns = tc_span_known_end_ns(span);
	bool begins = walk->begun_count == 0 || span->ts_ns >= walk->end_ns ||
		      ((walk->ports & bit) && span->ts_ns >= walk->ends_ns[port]);

	if (begins) {
		walk->begun_count++;
		walk->ports = 0;
		walk->end_ns = end_ns;
	}
	if (end_ns > walk->end_ns)
		walk->end_ns = end_ns;
	if (!(walk->ports & bit) || end_ns > walk->ends_ns[port])
		walk->ends_ns[port] = end_ns;
	walk->ports |= bit;
	return begins;
}

static void add_part(struct tc_executions *executions, const struct tc_span *span)
{
	if (step_ports(&executions->ports, span))
		push_run(executions, (struct tc_run){.start_ns = span->ts_ns,
					     .idle_from_ns = executions->ports.idle_ns,
					     .recipe = TC_STRTAB_NONE,
					     .part_count = 1});
	if (executions->ports.begun_count <= executions->run_count)
		executions->runs[executions->run_count - 1].end_ns = executions->ports.end_ns;
}

static void cut_parts(struct tc_executions *executions)
{
	size_t group_count = executions->run_count;

	executions->ports = (struct tc_port_walk){0};
	if (group_count == 0)
		return;
	size_t call_count =
		tc_calls_until(executions->calls, executions->runs[group_count - 1].end_ns);
	/* A device that is far behind has many of calls before the recording. */
	size_t each = call_count > 0 ? (group_count + call_count / LOST_PART) / call_count : 1;
	for (size_t i = 0; i < group_count; i++)
		executions->runs[i].first = (uint32_t)(each > 1 ? i / each : i);
	executions->count = (size_t)executions->runs[group_count - 1].first + 1;
}

static int64_t execution_of_part(struct tc_executions *executions, const struct tc_span *span)
{
	step_ports(&executions->ports, span);
	size_t at = executions->ports.begun_count - 1;
	return at < executions->run_count ? (int64_t)executions->runs[at].first : -1;
}

/* ---- work of recipes */

static void begin_run(struct tc_executions *executions, const struct tc_span *span,
	bool is_after_break, const struct tc_run *copy)
{
	struct tc_run_walk *walk = &executions->walk;

	walk->next = executions->run_count;
	push_run(executions,
		(struct tc_run){.start_ns = take_pending(executions, span),
			.idle_from_ns = walk->begun_count > 0 ? walk->end_ns : INT64_MIN,
			.first_slice_id = span->slice_id,
			.recipe = span->recipe,
			.copy_recipe = copy ? copy->recipe : TC_STRTAB_NONE,
			.is_after_break = is_after_break,
			.is_after_copy = copy != NULL});
}

/* DMA work outside of runs: more of the latest copy, or the next one. */
static void note_copy(struct tc_executions *executions, const struct tc_span *span)
{
	struct tc_run_walk *walk = &executions->walk;
	struct tc_run *last =
		executions->copy_count > 0 ? &executions->copies[executions->copy_count - 1] : NULL;
	/* In first is how many runs had begun. */
	bool is_like_last =
		last && last->recipe == span->recipe && last->first == (uint32_t)walk->begun_count;
	int64_t end_ns = tc_span_known_end_ns(span);

	walk->is_copying = true;
	if (is_like_last && !is_break(executions, last->end_ns, span)) {
		last->op_count++;
		last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
	} else if (executions->copy_count < TC_RUN_MAX_COUNT) {
		TC_PUSH(executions->ctx, executions->copies, executions->copy_count,
			executions->copy_capacity,
			(struct tc_run){.start_ns = span->ts_ns,
				.end_ns = end_ns,
				.idle_from_ns = walk->begun_count > 0 ? walk->end_ns : INT64_MIN,
				.first_slice_id = span->slice_id,
				.recipe = span->recipe,
				.op_count = 1,
				.first = (uint32_t)walk->begun_count,
				.is_after_break = is_like_last,
				.is_copy = true});
	} else {
		executions->over_count++;
	}
}

/* The copy of another recipe that lies between compute work and the work before it; NULL: none. */
static const struct tc_run *copy_between(
	const struct tc_executions *executions, const struct tc_span *span)
{
	const struct tc_run_walk *walk = &executions->walk;
	const struct tc_run *copy =
		executions->copy_count > 0 ? &executions->copies[executions->copy_count - 1] : NULL;

	return walk->is_copying && copy && copy->recipe != span->recipe &&
			       copy->start_ns >= walk->end_ns && span->ts_ns >= copy->end_ns
		       ? copy
		       : NULL;
}

void tc_executions_add(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute)
{
	struct tc_run_walk *walk = &executions->walk;

	if (executions->of_ports) {
		add_part(executions, span);
		return;
	}
	enum which_run which = which_run(executions, span, is_compute);
	if (!is_compute) {
		/* The device is not idle while it copies. */
		if (which == NEXT) {
			note_pending(executions, span);
			note_copy(executions, span);
		} else if (tc_span_known_end_ns(span) > walk->end_ns) {
			walk->end_ns = tc_span_known_end_ns(span);
		}
		return;
	}
	const struct tc_run *copy = which == PREVIOUS ? NULL : copy_between(executions, span);
	bool is_same = walk->begun_count > 0 && walk->recipes[0] == span->recipe;
	if (which == NEXT || (copy && is_same)) {
		begin_run(executions, span, is_same && which == NEXT, is_same ? copy : NULL);
		which = NEXT;
	}
	walk->is_copying = false;
	step_walk(walk, span, which);
	size_t at = walk->at[which == PREVIOUS];
	if (at < executions->run_count) {
		executions->runs[at].op_count++;
		executions->runs[at].end_ns = walk->ends_ns[which == PREVIOUS];
	}
}

static void join_run(struct tc_run *last, const struct tc_run *run)
{
	last->op_count += run->op_count;
	last->end_ns = run->end_ns > last->end_ns ? run->end_ns : last->end_ns;
}

/* Joins runs again that began after copies of a recipe with compute work. */
static void join_copies(struct tc_executions *executions, const bool *computes)
{
	size_t kept = 0;

	for (size_t i = 0; i < executions->run_count; i++) {
		struct tc_run run = executions->runs[i];
		bool is_own = run.is_after_copy && !computes[run.copy_recipe];
		if (run.is_after_copy && !is_own && !run.is_after_break) {
			join_run(&executions->runs[kept - 1], &run);
			continue;
		}
		run.is_after_break &= !is_own;
		executions->runs[kept++] = run;
	}
	executions->run_count = kept;
}

/* Puts the copies that are runs between the other runs, in the order of their start. */
static void add_copies(struct tc_executions *executions)
{
	size_t run_count = executions->run_count, copy_count = executions->copy_count;
	struct tc_run *runs = executions->runs;

	for (size_t at = run_count + copy_count; copy_count > 0;) {
		const struct tc_run *copy = &executions->copies[copy_count - 1];
		struct tc_run *run = run_count > 0 ? &runs[run_count - 1] : NULL;
		if (run && run->start_ns > copy->start_ns) {
			if (copy->end_ns > run->idle_from_ns)
				run->idle_from_ns = copy->end_ns;
			runs[--at] = *run;
			run_count--;
		} else {
			runs[--at] = *copy;
			copy_count--;
		}
	}
	executions->run_count += executions->copy_count;
}

/* Makes runs of the DMA work of recipes that have no other work. */
static void take_copies(struct tc_executions *executions)
{
	size_t recipe_count = 0, kept = 0;
	bool *computes;

	for (size_t i = 0; i < executions->run_count; i++)
		if (executions->runs[i].recipe >= recipe_count)
			recipe_count = (size_t)executions->runs[i].recipe + 1;
	for (size_t i = 0; i < executions->copy_count; i++)
		if (executions->copies[i].recipe >= recipe_count)
			recipe_count = (size_t)executions->copies[i].recipe + 1;
	computes = tc_new(executions->ctx, recipe_count + 1, sizeof(*computes));
	if (!computes)
		return;
	for (size_t i = 0; i < executions->run_count; i++)
		computes[executions->runs[i].recipe] = true;
	join_copies(executions, computes);
	for (size_t i = 0; i < executions->copy_count; i++)
		if (!computes[executions->copies[i].recipe])
			executions->copies[kept++] = executions->copies[i];
	tc_free(computes);
	if (kept > TC_RUN_MAX_COUNT - executions->run_count) {
		executions->over_count += (int64_t)kept;
		kept = 0;
	}
	executions->copy_count = kept;
	if (kept > 0 && !TC_GROW(executions->runs, executions->run_capacity,
				executions->run_count + kept)) {
		tc_no_memory(executions->ctx);
		return;
	}
	add_copies(executions);
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
	counts->recipes = tc_new(executions->ctx, counts->recipe_count, sizeof(*counts->recipes));
	if (!counts->recipes)
		return;
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

/* Whether there are clearly more calls than runs, even if some slices are lost. */
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
		if (!run->is_after_break || executions->runs[kept - 1].recipe != run->recipe ||
			are_more(calls_of(counts, run->recipe), counts->recipes[run->recipe].runs))
			executions->runs[kept++] = *run;
		else
			join_run(&executions->runs[kept - 1], run);
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

/* The first run from a place on that is a copy, or that is none. */
static size_t next_run(const struct tc_executions *executions, size_t at, bool is_copy)
{
	while (at < executions->run_count && executions->runs[at].is_copy != is_copy)
		at++;
	return at;
}

void tc_executions_cut(struct tc_executions *executions)
{
	struct counts counts = {0};
	struct tc_run **sorted = NULL;

	if (executions->of_ports) {
		cut_parts(executions);
		return;
	}
	executions->walk = (struct tc_run_walk){0};
	if (executions->copy_count > 0)
		take_copies(executions);
	if (executions->run_count == 0 || tc_ctx_failed(executions->ctx))
		return;
	sorted = tc_calloc(executions->run_count, sizeof(*sorted));
	count_all(&counts, executions);
	if (sorted && counts.recipes) {
		join_breaks(executions, &counts);
		measure_runs(executions, sorted, &counts);
		number_runs(executions);
		executions->walk.next = next_run(executions, 0, false);
		executions->walk.next_copy = next_run(executions, 0, true);
		executions->walk.copy_at = executions->run_count;
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

/* The execution of DMA work whose recipe has no other: of the latest copy that has begun. */
static int64_t execution_of_copy(struct tc_executions *executions, const struct tc_span *span)
{
	struct tc_run_walk *walk = &executions->walk;

	if (walk->next_copy < executions->run_count &&
		executions->runs[walk->next_copy].first_slice_id == span->slice_id) {
		walk->copy_at = walk->next_copy;
		walk->next_copy = next_run(executions, walk->copy_at + 1, true);
		walk->copied_count = 0;
	}
	const struct tc_run *copy =
		walk->copy_at < executions->run_count ? &executions->runs[walk->copy_at] : NULL;
	return copy && copy->is_copy && copy->recipe == span->recipe
		       ? execution_of(executions, walk->copy_at, walk->copied_count++)
		       : -1;
}

/* The execution of DMA work: of the current run or the one before until these end, else of the
 * next run of its recipe, else of the latest one. */
static int64_t execution_of_dma(struct tc_executions *executions, const struct tc_span *span)
{
	const struct tc_run_walk *walk = &executions->walk;
	int64_t latest = execution_of_copy(executions, span);

	if (latest >= 0)
		return latest;
	for (size_t i = 0; i < 2 && i < walk->begun_count; i++) {
		if (walk->recipes[i] != span->recipe || walk->at[i] >= executions->run_count)
			continue;
		if (latest < 0)
			latest = execution_of(executions, walk->at[i], walk->seen_counts[i]);
		if (span->ts_ns <= executions->runs[walk->at[i]].end_ns)
			return latest;
	}
	for (size_t i = walk->next; i < executions->run_count && i < walk->next + AHEAD_RUNS; i++)
		if (executions->runs[i].recipe == span->recipe)
			return executions->runs[i].first;
	return latest;
}

int64_t tc_executions_find(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute)
{
	struct tc_run_walk *walk = &executions->walk;
	enum which_run which = PREVIOUS;

	if (executions->of_ports)
		return execution_of_part(executions, span);
	if (!is_compute)
		return execution_of_dma(executions, span);
	if (walk->next >= executions->run_count
			? walk->begun_count == 0 || walk->recipes[0] != span->recipe
			: executions->runs[walk->next].first_slice_id == span->slice_id)
		which = NEXT;
	else if (walk->recipes[0] == span->recipe)
		which = CURRENT;
	step_walk(walk, span, which);
	if (which == NEXT)
		walk->next = next_run(executions, walk->next + 1, false);
	return execution_of(
		executions, walk->at[which == PREVIOUS], walk->seen_counts[which == PREVIOUS] - 1);
}
