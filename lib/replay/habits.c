/*
 * One pass over the lanes, and one over the host. The sections before them are what they look for:
 * graphs that a bridge makes, fallbacks to the CPU.
 */
#include "replay/habits.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "replay/attention.h"
#include "replay/match.h"
#include "replay/pipeline.h"

/* ---- lowering */

static void count_node(struct tc_lowered *graph, uint32_t clauses)
{
	size_t i = 0;

	graph->node_count++;
	if (clauses == 0)
		return;
	while (i < TC_LOWERED_GROUPS && graph->groups[i].clauses &&
		graph->groups[i].clauses != clauses)
		i++;
	if (i == TC_LOWERED_GROUPS)
		return;
	graph->groups[i].clauses = clauses;
	graph->groups[i].node_count++;
}

/* Adds a node of a graph. False when memory is out. */
static bool add_lowering(struct tc_lowerings *lowerings, int64_t launch_id, uint32_t clauses)
{
	size_t last = lowerings->count;

	if (last > 0 && lowerings->items[last - 1].launch_id == launch_id) {
		count_node(&lowerings->items[last - 1], clauses);
		return true;
	}
	if (!TC_GROW(lowerings->items, lowerings->capacity, last + 1))
		return false;
	lowerings->items[last] = (struct tc_lowered){.launch_id = launch_id, .slice_id = -1};
	lowerings->count++;
	count_node(&lowerings->items[last], clauses);
	return true;
}

TC_ORDER(by_launch, struct tc_lowered, TC_UP(launch_id));
TC_ORDER(by_slice, struct tc_lowered, TC_UP(slice_id) TC_UP(launch_id));

/* Graphs may take turns on a device: the parts of a graph become one. */
static void join_parts(struct tc_lowered *graph, const struct tc_lowered *part)
{
	for (size_t i = 0; i < TC_LOWERED_GROUPS; i++)
		for (uint32_t k = 0; k < part->groups[i].node_count; k++)
			count_node(graph, part->groups[i].clauses);
	uint32_t grouped = 0;
	for (size_t i = 0; i < TC_LOWERED_GROUPS; i++)
		grouped += part->groups[i].node_count;
	graph->node_count += part->node_count - grouped;
}

/* By launch, when all nodes are added. slice_id may be set afterwards. */
static void sort_lowerings(struct tc_lowerings *lowerings)
{
	size_t kept = 0;

	TC_SORT(lowerings->items, lowerings->count, by_launch);
	for (size_t i = 0; i < lowerings->count; i++)
		if (kept > 0 &&
			lowerings->items[i].launch_id == lowerings->items[kept - 1].launch_id)
			join_parts(&lowerings->items[kept - 1], &lowerings->items[i]);
		else
			lowerings->items[kept++] = lowerings->items[i];
	lowerings->count = kept;
}

static struct tc_lowered *lowering_of_launch(struct tc_lowerings *lowerings, int64_t launch_id)
{
	const struct tc_lowered asked = {.launch_id = launch_id};

	return lowerings->count == 0 ? NULL
				     : bsearch(&asked, lowerings->items, lowerings->count,
					       sizeof(asked), by_launch);
}

static void sort_lowerings_by_slice(struct tc_lowerings *lowerings)
{
	if (lowerings->count > 0)
		qsort(lowerings->items, lowerings->count, sizeof(*lowerings->items), by_slice);
}

const struct tc_lowered *tc_lowerings_of_slice(
	const struct tc_lowerings *lowerings, int64_t slice_id)
{
	size_t at;

	TC_BISECT(at, lowerings->count, lowerings->items[at].slice_id < slice_id);
	return at < lowerings->count && lowerings->items[at].slice_id == slice_id
		       ? &lowerings->items[at]
		       : NULL;
}

/* ---- fallbacks */

/*
 * Fallbacks: host slices that compute on the CPU what the device could compute. There are two
 * patterns. An operation copies from the device and back to it. Or operations that call no device
 * follow a copy of the framework from the device; then that copy belongs to them, and so does a
 * copy back after them.
 */

/* What a slice encloses, itself included: launches, and those of kernels; copies to and from the
 * device, by their roles; waits in operations that copy in a direction that no call shows. */
struct within {
	bool launches, kernels, reads, writes;
	bool is_round_trip; /* a copy to the device after one from it */
	uint32_t copy_wait_count;
	bool is_in_copy; /* the other way round: a framework copy encloses the slice */
};

/* State of a thread: a framework copy has read from the device, and no device call came since. */
struct on_cpu {
	bool has_read, has_computed; /* has_computed: since then, operations ran on the CPU */
	int64_t read_id;             /* slice id of that copy */
};

static const struct tc_label *label_of(
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice)
{
	return &timeline->labels[slice->span.label];
}

/* Adds what the slice's own role shows. */
static void note_itself(struct within *within, const struct tc_timeline *timeline,
	const struct tc_walk_slice *slice)
{
	enum tc_role role = tc_span_role(timeline, &slice->span);

	within->reads = within->reads || tc_span_reads(&slice->span, role);
	within->writes = within->writes || role == TC_ROLE_INPUT_COPY;
	within->kernels =
		within->kernels || label_of(timeline, slice)->mark == TC_MARK_KERNEL_LAUNCH;
	if (role == TC_ROLE_SYNC && !within->copy_wait_count && within->is_in_copy)
		within->copy_wait_count = 1;
}

static void join_within(struct within *around, const struct within *within)
{
	around->launches = around->launches || within->launches;
	around->is_round_trip =
		around->is_round_trip || within->is_round_trip || (around->reads && within->writes);
	around->reads = around->reads || within->reads;
	around->writes = around->writes || within->writes;
	around->kernels = around->kernels || within->kernels;
	if (!within->reads && !within->writes)
		around->copy_wait_count += within->copy_wait_count;
}

/* A copy of the framework, which says no direction itself, from the device. */
static bool is_read(const struct tc_label *label, const struct within *within)
{
	return label->mark == TC_MARK_COPY_CARRIER && within->reads && !within->writes;
}

/* It reads its input, computes on the host, and writes the result back, in this order. One that
 * launches kernels computes on the device: indexing with a mask reads a size and sends indices.
 * Where the calls do not show the directions of copies, two waits within copying operations show
 * it. */
static bool is_round_trip(const struct tc_label *label, const struct within *within)
{
	return label->is_op && label->role == TC_ROLE_DISPATCH && !within->kernels &&
	       label->mark != TC_MARK_COPY_CARRIER && label->mark != TC_MARK_READ_CARRIER &&
	       (within->is_round_trip || within->copy_wait_count >= 2);
}

static bool is_device_call(const struct tc_label *label, enum tc_role role)
{
	return label->is_launch || role == TC_ROLE_INPUT_COPY || role == TC_ROLE_OUTPUT_COPY ||
	       role == TC_ROLE_GRAPH_BUILD;
}

static bool is_computing(
	const struct tc_label *label, const struct tc_span *span, const struct within *within)
{
	return label->is_op && span->dur_ns >= TC_ON_CPU_MIN_NS && !within->launches &&
	       !within->reads && !within->writes;
}

/* An outermost framework copy has ended. */
static void note_copy(struct tc_slice_facts *facts, struct on_cpu *thread, int64_t id,
	const struct within *within)
{
	if (within->writes && thread->has_computed)
		tc_slice_bits_set(&facts->fallbacks, &facts->arena, id);

	if (within->launches || within->writes || within->reads)
		*thread = (struct on_cpu){
			.has_read = within->reads && !within->writes, .read_id = id};
}

static void note_on_cpu(struct tc_slice_facts *facts, struct on_cpu *thread,
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice,
	const struct within *within)
{
	const struct tc_label *label = label_of(timeline, slice);
	enum tc_role role = tc_span_role(timeline, &slice->span);

	if (within->is_in_copy)
		return;
	if (label->mark == TC_MARK_COPY_CARRIER) {
		note_copy(facts, thread, slice->span.slice_id, within);
		return;
	}
	if (is_device_call(label, role))
		thread->has_read = thread->has_computed = false;
	if (!thread->has_read || role != TC_ROLE_DISPATCH ||
		!is_computing(label, &slice->span, within))
		return;
	thread->has_computed = true;
	tc_slice_bits_set(&facts->fallbacks, &facts->arena, slice->span.slice_id);
	tc_slice_bits_set(&facts->fallbacks, &facts->arena, thread->read_id);
}

/* Looks at a slice that ends, and sets the bits of slices that are fallbacks. */
static void note_fallback(struct tc_slice_facts *facts, struct on_cpu *thread,
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice,
	const struct within *within)
{
	if (is_round_trip(label_of(timeline, slice), within))
		tc_slice_bits_set(&facts->fallbacks, &facts->arena, slice->span.slice_id);
	note_on_cpu(facts, thread, timeline, slice, within);
}

enum { CLAUSE_BITS = 32 }; /* of surveyed.met */

/* An operation computes something itself when it takes this long, and this many times as long as
 * half of the operations. */
#define LONG_NS INT64_C(1000000)
#define LONG_TIMES 10

bool tc_may_wait(const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];

	switch (tc_span_role(timeline, span)) {
	case TC_ROLE_SYNC:
	case TC_ROLE_LAUNCH:
	case TC_ROLE_INPUT_COPY:
	case TC_ROLE_OUTPUT_COPY:
	case TC_ROLE_COLLECTIVE: return true;
	case TC_ROLE_DATALOADER: return label->mark == TC_MARK_LOADER_WORKERS;
	default: return label->is_launch || tc_is_handover(label);
	}
}

struct surveyed {
	struct tc_walk_slice slice;
	int64_t longest_ns;
	/* Bits of habits.clauses: work of the clause was launched within it; other work was. */
	uint32_t met, other;
	/* works of the outermost and innermost operator around: number plus 1, or 0 */
	uint32_t work, inner_work;
	struct within within;
	struct tc_lowered *lowered; /* the graph that was launched within it, or NULL */
};

struct survey {
	struct tc_arena arena;
	struct tc_habits *habits;
	struct on_cpu *on_cpu; /* by thread */
	struct tc_order *order;
	struct tc_durations operations; /* the longest stretches of own time */
	int64_t *last_ns;               /* by thread: time of its last boundary */
	uint32_t *launched;             /* by thread: inner_work of its last launch */
	struct tc_walk_slice **tops;
	int64_t *handovers, *tasks; /* begins */
	size_t handover_capacity, task_capacity;
};

/* The stretch of the slice on top of its thread's stack ends. */
static void end_stretch(struct survey *survey, uint32_t thread, int64_t time_ns)
{
	struct surveyed *top = (struct surveyed *)(void *)survey->tops[thread];

	if (top) {
		int64_t from_ns = survey->last_ns[thread];
		if (from_ns < top->slice.span.ts_ns)
			from_ns = top->slice.span.ts_ns;
		if (time_ns - from_ns > top->longest_ns)
			top->longest_ns = time_ns - from_ns;
	}
	survey->last_ns[thread] = time_ns;
}

static void note_time(
	struct survey *survey, int64_t **times, size_t *capacity, int64_t count, int64_t time_ns)
{
	if (TC_GROW(*times, *capacity, (size_t)count + 1))
		(*times)[count] = time_ns;
	else
		tc_no_memory(survey->habits->timeline->ctx);
}

static void note_task(struct survey *survey, const struct tc_walk_slice *slice)
{
	struct tc_habits *habits = survey->habits;
	const struct tc_label *label = &habits->timeline->labels[slice->span.label];

	if (tc_is_handover(label))
		note_time(survey, &survey->handovers, &survey->handover_capacity,
			habits->handover_count++, slice->span.ts_ns);
	else if (tc_is_task(label)) {
		habits->threads[slice->thread].takes_tasks = true;
		note_time(survey, &survey->tasks, &survey->task_capacity, habits->task_count++,
			slice->span.ts_ns);
	}
}

/* A slice is enclosed by all that encloses the slice around it. */
static void begin_within(const struct tc_timeline *timeline, struct surveyed *begun)
{
	const struct surveyed *around = (const void *)begun->slice.around;

	if (!around)
		return;
	enum tc_mark mark = timeline->labels[around->slice.span.label].mark;
	begun->within.is_in_copy = around->within.is_in_copy || mark == TC_MARK_COPY_CARRIER;
	begun->work = around->work;
	begun->inner_work = around->inner_work;
}

static void begin_work(const struct tc_timeline *timeline, struct surveyed *begun)
{
	const struct tc_span *span = &begun->slice.span;

	if (timeline->labels[span->label].work == TC_WORK_NONE)
		return;
	begun->inner_work = tc_works_find(&timeline->works, span->label, span->shape) + 1;
	if (begun->work == 0)
		begun->work = begun->inner_work;
}

static void end_work(struct tc_habits *habits, const struct surveyed *ended)
{
	const struct surveyed *around = (const void *)ended->slice.around;
	struct tc_roof *roof = &habits->facts.roof;

	if (!roof->sums || ended->work == 0 || !ended->within.launches)
		return;
	if (tc_slice_bits_get(&habits->launches, ended->slice.span.slice_id))
		tc_roof_add(roof, ended->work - 1, ended->slice.span.slice_id);
	roof->sums[ended->work - 1].call_count += !around || around->work == 0;
}

static void see_begin(void *user, struct tc_walk_slice *slice)
{
	struct survey *survey = user;
	struct tc_habits *habits = survey->habits;
	const struct tc_timeline *timeline = habits->timeline;
	struct tc_habit_thread *thread = &habits->threads[slice->thread];

	begin_within(timeline, (struct surveyed *)(void *)slice);
	begin_work(timeline, (struct surveyed *)(void *)slice);
	end_stretch(survey, slice->thread, slice->span.ts_ns);
	survey->tops[slice->thread] = slice;
	tc_order_begin(survey->order, slice);
	tc_server_see(&habits->server, &timeline->labels[slice->span.label]);
	enum tc_role role = tc_span_role(timeline, &slice->span);
	tc_silences_see(&habits->silences, &slice->span, role);
	thread->roles |= 1U << role;
	if (tc_slice_bits_get(&habits->steps, slice->span.slice_id)) {
		thread->has_steps = true;
		if (habits->main_thread < 0)
			habits->main_thread = (int32_t)slice->thread;
	}
	note_task(survey, slice);
}

/* A slice that launches only what a clause removes is removed with it. */
static void find_gone(struct tc_habits *habits, struct surveyed *ended)
{
	const struct tc_span *span = &ended->slice.span;
	enum tc_role role = tc_span_role(habits->timeline, span);
	struct surveyed *around = (struct surveyed *)(void *)ended->slice.around;
	bool may_go =
		role == TC_ROLE_LAUNCH || role == TC_ROLE_DISPATCH || role == TC_ROLE_GRAPH_BUILD;

	bool is_launch = tc_slice_bits_get(&habits->launches, span->slice_id);
	for (size_t i = 0; i < habits->clause_count && is_launch; i++) {
		const struct tc_habit_clause *clause = &habits->clauses[i];
		uint32_t bit = 1U << i;
		if (tc_slice_bits_get(&clause->met, span->slice_id))
			ended->met |= bit;
		if (tc_slice_bits_get(&clause->other, span->slice_id) ||
			(clause->is_chained &&
				tc_slice_bits_get(&habits->facts.apart, span->slice_id)))
			ended->other |= bit;
	}
	for (uint32_t left = may_go ? ended->met & ~ended->other : 0; left; left &= left - 1) {
		struct tc_habit_clause *clause = &habits->clauses[__builtin_ctz(left)];
		if (clause->with_launches)
			tc_slice_bits_set(&clause->gone, &habits->arena, span->slice_id);
	}
	if (around) {
		around->met |= ended->met;
		around->other |= ended->other;
	}
}

/* The outermost slice that builds graphs around a launch made the graph. */
static void note_lowering(struct tc_habits *habits, struct surveyed *ended)
{
	struct surveyed *around = (struct surveyed *)(void *)ended->slice.around;
	const struct tc_span *span = &ended->slice.span;

	if (!ended->lowered && tc_slice_bits_get(&habits->launches, span->slice_id))
		ended->lowered = lowering_of_launch(&habits->lowerings, span->slice_id);
	if (!ended->lowered)
		return;
	if (tc_span_role(habits->timeline, span) == TC_ROLE_GRAPH_BUILD)
		ended->lowered->slice_id = span->slice_id;
	if (around && !around->lowered)
		around->lowered = ended->lowered;
}

/* Slices around a slice enclose all that it encloses. */
static void note_facts(struct survey *survey, struct surveyed *ended)
{
	struct tc_habits *habits = survey->habits;
	struct tc_slice_facts *facts = &habits->facts;
	const struct tc_span *span = &ended->slice.span;
	struct surveyed *around = (struct surveyed *)(void *)ended->slice.around;
	struct within *within = &ended->within;

	within->launches = within->launches || tc_slice_bits_get(&habits->launches, span->slice_id);
	note_itself(within, habits->timeline, &ended->slice);
	if (within->launches)
		tc_slice_bits_set(&facts->launching, &facts->arena, span->slice_id);
	note_fallback(facts, &survey->on_cpu[ended->slice.thread], habits->timeline, &ended->slice,
		within);
	if (is_read(&habits->timeline->labels[span->label], within))
		tc_slice_bits_set(&facts->reads, &facts->arena, span->slice_id);
	if (around)
		join_within(&around->within, within);
}

/* A call has waited for an event. The work of a step that had not ended then is not what it waits
 * for. */
static void see_event_wait(struct tc_habits *habits, const struct tc_walk_slice *slice)
{
	struct tc_ahead *ahead = &habits->ahead;
	int32_t step = tc_timeline_step_at(habits->timeline, slice->span.ts_ns);
	int32_t lead = ahead->lead > 1 ? ahead->lead : 1;

	while (lead < TC_AHEAD_MAX && lead <= step && ahead->ends_ns[step - lead] > slice->end_ns)
		lead++;
	if (lead > 1 && lead < TC_AHEAD_MAX && lead <= step)
		ahead->lead = lead;
	if (step > 0 && slice->span.dur_ns > TC_BLOCKED_NS &&
		ahead->ends_ns[step - 1] <= slice->end_ns)
		tc_slice_bits_set(
			&habits->facts.drains, &habits->facts.arena, slice->span.slice_id);
}

static void see_end(void *user, struct tc_walk_slice *slice)
{
	struct survey *survey = user;
	struct surveyed *ended = (struct surveyed *)(void *)slice;

	if (tc_slice_bits_get(&survey->habits->launches, slice->span.slice_id)) {
		tc_contention_launch(&survey->habits->contention, slice->span.slice_id,
			(int32_t)slice->thread, survey->habits->main_thread);
		tc_slice_facts_flow(&survey->habits->facts, survey->habits->timeline,
			&survey->launched[slice->thread], ended->inner_work, slice->span.slice_id);
	}
	find_gone(survey->habits, ended);
	note_facts(survey, ended);
	end_work(survey->habits, ended);
	tc_order_end(survey->order, slice);
	note_lowering(survey->habits, ended);
	end_stretch(survey, slice->thread, slice->end_ns);
	if (survey->tops[slice->thread] == slice)
		survey->tops[slice->thread] = slice->around;
	enum tc_role role = tc_span_role(survey->habits->timeline, &slice->span);
	if (role == TC_ROLE_DISPATCH)
		tc_durations_add(&survey->operations, ended->longest_ns);
	if (!tc_may_wait(survey->habits->timeline, &slice->span))
		return;
	if (survey->habits->timeline->labels[slice->span.label].is_event_wait)
		see_event_wait(survey->habits, slice);
	if (role == TC_ROLE_DATALOADER)
		tc_loaders_add(&survey->habits->loaders, slice->span.label, slice->end_ns,
			ended->longest_ns);
	tc_usual_add(&survey->habits->usual, slice->span.label, ended->longest_ns);
}

static int64_t long_operation(const struct tc_durations *operations)
{
	int64_t long_ns =
		operations->count > 0 ? LONG_TIMES * tc_durations_lowest(operations, 2) : 0;

	return long_ns > LONG_NS ? long_ns : LONG_NS;
}

/* Tasks are taken in the order of their hand-overs. Aligned from the end: a task whose hand-over is
 * before the recording has none, nor have the tasks before it. */
static void align_tasks(struct tc_habits *habits, const struct survey *survey)
{
	int64_t handover = habits->handover_count - 1, task = habits->task_count - 1;

	while (handover >= 0 && task >= 0 && survey->handovers[handover] > survey->tasks[task])
		handover--;
	while (handover > 0 && task > 0) {
		if (survey->handovers[handover - 1] > survey->tasks[task - 1])
			break;
		handover--;
		task--;
	}
	habits->handover_lead = handover - task;
}

static void classify_threads(struct tc_habits *habits)
{
	const uint32_t launch = 1U << TC_ROLE_LAUNCH, none = 1U << TC_ROLE_NONE;
	size_t count = habits->timeline->host_thread_count;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		struct tc_habit_thread *thread = &habits->threads[i];
		thread->only_launches =
			thread->takes_tasks ||
			((thread->roles & launch) && !(thread->roles & ~(launch | none)));
		thread->counts = thread->has_steps || (thread->roles & launch);
		any = any || thread->counts;
	}
	for (size_t i = 0; i < count && !any; i++)
		habits->threads[i].counts = true;
}

static void survey_host(struct tc_habits *habits, struct survey *survey, struct tc_match *match)
{
	const struct tc_timeline *timeline = habits->timeline;
	const struct tc_walk walk = {.user = survey,
		.slice_bytes = sizeof(struct surveyed),
		.op_bytes = sizeof(struct tc_walk_op),
		.slice_begins = see_begin,
		.slice_ends = see_end};

	TC_ARENA(&survey->arena, survey->last_ns, timeline->host_thread_count);
	TC_ARENA(&survey->arena, survey->tops, timeline->host_thread_count);
	TC_ARENA(&survey->arena, survey->launched, timeline->host_thread_count);
	TC_ARENA(&survey->arena, survey->on_cpu, timeline->host_thread_count);
	survey->order = tc_order_new(&habits->facts, timeline, match);
	if (tc_ctx_failed(timeline->ctx))
		return;
	for (size_t i = 0; i < timeline->host_thread_count; i++)
		survey->last_ns[i] = INT64_MIN;
	tc_walk_run(&walk, timeline);
	if (tc_ctx_failed(timeline->ctx))
		return;
	tc_order_finish(survey->order);
	tc_usual_find(&habits->usual);
	tc_loaders_find(&habits->loaders);
	habits->facts.long_ns = long_operation(&survey->operations);
	habits->facts.runs_ahead = habits->ahead.lead > 0;
	sort_lowerings_by_slice(&habits->lowerings);
	align_tasks(habits, survey);
	classify_threads(habits);
	tc_roof_find(&habits->facts.roof, timeline);
}

static void clear_survey(struct survey *survey)
{
	tc_arena_clear(&survey->arena);
	tc_order_free(survey->order);
	tc_free(survey->handovers);
	tc_free(survey->tasks);
}

/* Short times between work on one lane, and from launches to their work on a free lane: from the
 * begin of a call that had not returned yet. */
struct pauses {
	struct tc_durations engines[TC_ENGINE_COUNT], launched[TC_ENGINE_COUNT], launched_all;
	int64_t *ends_ns; /* by track: of the last work */
};

/* Notes which clauses the work of a launch meets. All work of a graph has the same launch. */
static void note_met(struct tc_habits *habits, int64_t launch, uint32_t met)
{
	bool is_noted = launch < 0 || (launch == habits->noted_launch && met == habits->noted_met);

	for (size_t i = 0; i < habits->clause_count && !is_noted; i++) {
		struct tc_habit_clause *clause = &habits->clauses[i];
		tc_slice_bits_set(
			met >> i & 1 ? &clause->met : &clause->other, &habits->arena, launch);
	}
	if (!is_noted) {
		habits->noted_launch = launch;
		habits->noted_met = met;
	}
}

/* Notes which calls launched the work of each clause. */
static void note_launch(
	struct tc_habits *habits, struct tc_match *match, const struct tc_span *span, bool is_node)
{
	const struct tc_walk_op op = {
		.span = *span, .engine = tc_span_engine(habits->timeline, span)};
	struct tc_op_match met;
	uint32_t goes_by = 0;

	if (op.engine == TC_ENGINE_NONE)
		return;
	tc_match_op(&met, match, &op, 0, span->track);
	for (size_t i = 0; i < habits->clause_count && span->launch_slice_id >= 0; i++)
		if (tc_clause_set_has(&met.save, habits->clauses[i].clause))
			goes_by |= 1U << i;
	note_met(habits, span->launch_slice_id, goes_by);
	if (is_node && span->launch_slice_id >= 0 &&
		!add_lowering(&habits->lowerings, span->launch_slice_id, goes_by))
		tc_no_memory(habits->timeline->ctx);
}

static void see_recipe(struct tc_habits *habits, const struct tc_span *span)
{
	struct tc_slice_facts *facts = &habits->facts;

	habits->has_recipes[span->track] = true;
	if (habits->timeline->labels[span->label].name_class == TC_CLASS_UPDATE)
		tc_slice_bits_set(&facts->update_recipes, &facts->arena, span->recipe);
	else if (tc_span_engine(habits->timeline, span) == TC_ENGINE_MME)
		tc_slice_bits_set(&facts->matrix_recipes, &facts->arena, span->recipe);
}

/* Every kernel of an engine needs the time of the shortest one to start and to end. */
static void see_start(struct tc_habits *habits, const struct tc_span *span)
{
	enum tc_engine engine = tc_span_engine(habits->timeline, span);
	int64_t *start_ns = &habits->start_ns[engine];

	if (tc_label_kind(&habits->timeline->labels[span->label]) == TC_OP_KERNEL &&
		span->dur_ns > 0 && (*start_ns == 0 || span->dur_ns < *start_ns))
		*start_ns = span->dur_ns;
}

static void see_start_time(
	struct pauses *pauses, const struct tc_timeline *timeline, const struct tc_span *span)
{
	int64_t *end_ns = &pauses->ends_ns[span->track];
	int64_t pause_ns = tc_sub_saturated(span->ts_ns, *end_ns);
	bool is_in_call = span->launch_end_ns > span->ts_ns;
	int64_t from_ns = is_in_call ? span->launch_ts_ns : span->launch_end_ns;
	int64_t launched_ns = tc_sub_saturated(span->ts_ns, from_ns);

	if (pause_ns >= 0 && pause_ns <= TC_QUEUED_NS &&
		(span->launch_slice_id == TC_NO_ID || span->launch_end_ns <= *end_ns))
		tc_durations_add(&pauses->engines[tc_span_engine(timeline, span)], pause_ns);
	if (span->launch_slice_id != TC_NO_ID && *end_ns <= from_ns && launched_ns >= 0 &&
		launched_ns <= TC_LAUNCHED_NS) {
		tc_durations_add(&pauses->launched[tc_span_engine(timeline, span)], launched_ns);
		tc_durations_add(&pauses->launched_all, launched_ns);
	}
	*end_ns = tc_span_end_ns(span);
}

static void see_step_end(struct tc_ahead *ahead, const struct tc_span *span)
{
	int64_t end_ns = span->ts_ns + span->dur_ns;

	if (span->step >= 0 && end_ns > ahead->ends_ns[span->step])
		ahead->ends_ns[span->step] = end_ns;
}

/* Work of a device comes in the order of its starts. */
static void see_attention(struct tc_attention *attention, struct tc_slice_facts *facts,
	const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];
	enum tc_engine engine = tc_span_engine(timeline, span);

	if (tc_engine_computes(engine))
		tc_attention_see(attention, facts, span, label,
			engine == TC_ENGINE_MME || label->name_class == TC_CLASS_MATRIX);
}

static void see_op(struct tc_habits *habits, const struct tc_span *span)
{
	if (span->recipe != TC_STRTAB_NONE)
		see_recipe(habits, span);
	tc_loading_see(&habits->facts.loading, habits->timeline, span);
	tc_server_see(&habits->server, &habits->timeline->labels[span->label]);
	tc_blocking_see(&habits->blocking, habits->timeline, span);
	see_start(habits, span);
	see_step_end(&habits->ahead, span);
	if (span->launch_slice_id >= 0)
		tc_slice_bits_set(&habits->launches, &habits->arena, span->launch_slice_id);
	habits->has_collectives |= tc_engine_is_collective(tc_span_engine(habits->timeline, span));
}

/* Whether work belongs to an attention shows at the next product, so what was launched since the
 * last one is noted then. */
enum { HELD_MAX = TC_ATTENTION_PARTS + TC_ATTENTION_PRODUCTS };
struct held {
	struct held_op {
		struct tc_span span;
		bool is_node;
	} ops[HELD_MAX];
	size_t count;
	struct tc_attention attention;
	struct tc_match *match;
};

/* Notes all but the last ones. */
static void note_held(struct tc_habits *habits, struct held *held, size_t keep)
{
	size_t count = held->count - keep;

	for (size_t i = 0; i < count; i++)
		note_launch(habits, held->match, &held->ops[i].span, held->ops[i].is_node);
	memmove(held->ops, &held->ops[count], keep * sizeof(held->ops[0]));
	held->count = keep;
}

static void hold(
	struct tc_habits *habits, struct held *held, const struct tc_span *span, bool is_node)
{
	const struct tc_attention *attention = &held->attention;

	see_attention(&held->attention, &habits->facts, habits->timeline, span);
	if (habits->clause_count == 0 && !is_node)
		return;
	held->ops[held->count++] = (struct held_op){*span, is_node};
	bool begins_product = attention->product_count == 1 && attention->slice_count == 0 &&
			      attention->products[0] == span->slice_id;
	if (held->count == HELD_MAX || attention->op_count > TC_ATTENTION_OPS)
		note_held(habits, held, 0);
	else if (begins_product)
		note_held(habits, held, 1);
}

static void survey_device(struct tc_habits *habits, struct tc_pipeline *pipeline,
	struct pauses *pauses, struct held *held, const uint32_t *lanes, size_t lane_count)
{
	struct tc_cursor *cursor = tc_cursor_open(habits->timeline->spans, lanes, lane_count);
	const struct tc_span *span;

	held->attention = (struct tc_attention){.op_count = 0};
	tc_pipeline_next_device(pipeline);
	while (!tc_ctx_failed(habits->timeline->ctx) && (span = tc_cursor_next(cursor))) {
		bool is_node =
			tc_pipeline_see(pipeline, span, tc_span_engine(habits->timeline, span));
		see_op(habits, span);
		hold(habits, held, span, is_node);
		see_start_time(pauses, habits->timeline, span);
		tc_roof_see(&habits->facts.roof, &habits->facts.arena, habits->timeline, span);
	}
	note_held(habits, held, 0);
	tc_cursor_close(cursor);
}

/* Takes the clauses that remove nodes, as many as there are bits. */
static void take_clauses(
	struct tc_habits *habits, const struct tc_clause *clauses, size_t clause_count)
{
	for (size_t i = 0; i < clause_count; i++)
		if ((clauses[i].with_launches || clauses[i].with_gaps) &&
			habits->clause_count < CLAUSE_BITS)
			habits->clauses[habits->clause_count++] =
				(struct tc_habit_clause){.clause = i,
					.with_launches = clauses[i].with_launches,
					.is_chained = clauses[i].is_chained,
					.fuses = clauses[i].with_gaps && i + 1 < clause_count};
}

/* A copy engine takes another way from the call to the start than those that compute. */
static int64_t late_start_ns(const struct tc_durations *launched)
{
	int64_t late_ns = launched->count > 0
				  ? TC_LATE_TIMES * tc_durations_lowest(launched, TC_STARTS_PART)
				  : 0;

	return late_ns > TC_UNEXPLAINED_NS ? late_ns : TC_UNEXPLAINED_NS;
}

/* The usual pause before queued work. */
static int64_t next_ns(const struct tc_timeline *timeline, const struct tc_durations *pauses)
{
	if (pauses->count >= TC_STARTS_LEAST)
		return tc_durations_lowest(pauses, TC_STARTS_PART);
	for (uint32_t i = 0; i < timeline->label_count; i++)
		if (timeline->labels[i].is_launch &&
			timeline->labels[i].call_vendor == TC_VENDOR_ROCM)
			return TC_NEXT_ROCM_NS;
	return TC_NEXT_NS;
}

static void survey_lanes(struct tc_habits *habits, struct tc_match *match)
{
	const struct tc_timeline *timeline = habits->timeline;
	size_t count = 0, at = 0;
	int64_t *lanes = tc_arena_take(&habits->arena, timeline->track_count, sizeof(*lanes));
	uint32_t *tracks = tc_arena_take(&habits->arena, timeline->track_count, sizeof(*tracks));
	struct pauses *pauses = tc_arena_take(&habits->arena, 1, sizeof(*pauses));
	struct held *held = tc_arena_take(&habits->arena, 1, sizeof(*held));
	struct tc_pipeline pipeline;

	if (pauses)
		TC_ARENA(&habits->arena, pauses->ends_ns, timeline->track_count);
	if (tc_ctx_failed(timeline->ctx))
		return;
	held->match = match;
	tc_pipeline_init(&pipeline, timeline);
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].kind == TC_TRACK_LANE)
			lanes[count++] =
				(int64_t)(timeline->tracks[i].device + 1) << 32 | (int64_t)i;
	TC_SORT(lanes, count, tc_compare_numbers);
	for (size_t i = 0; i < count; i++) {
		tracks[i] = (uint32_t)lanes[i];
		if (i + 1 == count || lanes[i + 1] >> 32 != lanes[i] >> 32) {
			survey_device(habits, &pipeline, pauses, held, &tracks[at], i + 1 - at);
			at = i + 1;
		}
	}
	for (size_t i = 0; i < TC_ENGINE_COUNT; i++) {
		habits->queue_ns[i] = next_ns(timeline, &pauses->engines[i]);
		habits->unexplained_ns[i] =
			late_start_ns(pauses->launched[i].count > 0 ? &pauses->launched[i]
								    : &pauses->launched_all);
	}
	sort_lowerings(&habits->lowerings);
	tc_pipeline_end(&habits->slice_ppm, habits->startup_ns, &habits->queue_places, &pipeline);
}

void tc_habits_find(struct tc_habits *habits, const struct tc_timeline *timeline,
	const struct tc_clause *clauses, size_t clause_count)
{
	struct survey survey = {.habits = habits, .arena.ctx = timeline->ctx};

	*habits = (struct tc_habits){.timeline = timeline,
		.arena.ctx = timeline->ctx,
		.facts.arena.ctx = timeline->ctx,
		.noted_launch = -1,
		.main_thread = -1};
	TC_ARENA(&habits->arena, habits->has_recipes, timeline->track_count);
	TC_ARENA(&habits->arena, habits->ahead.ends_ns, timeline->step_count);
	TC_ARENA(&habits->arena, habits->threads, timeline->host_thread_count);
	TC_ARENA(&habits->arena, habits->clauses, CLAUSE_BITS);
	tc_contention_init(&habits->contention, &habits->arena);
	tc_roof_init(&habits->facts.roof, &habits->arena, timeline);
	if (tc_ctx_failed(timeline->ctx))
		return;
	take_clauses(habits, clauses, clause_count);
	tc_usual_init(&habits->usual, timeline->ctx, timeline->label_count);
	tc_silences_init(&habits->silences, timeline);
	for (size_t i = 0; i < timeline->step_count; i++) {
		habits->ahead.ends_ns[i] = INT64_MIN;
		if (timeline->steps[i].slice_id >= 0)
			tc_slice_bits_set(
				&habits->steps, &habits->arena, timeline->steps[i].slice_id);
	}
	struct tc_match *match = tc_match_new(timeline, &habits->facts, clauses, clause_count);
	if (!tc_ctx_failed(timeline->ctx))
		survey_lanes(habits, match);
	if (!tc_ctx_failed(timeline->ctx))
		survey_host(habits, &survey, match);
	if (!tc_ctx_failed(timeline->ctx))
		tc_server_find(&habits->server, timeline);
	tc_silences_find(&habits->silences, &habits->server);
	if (habits->has_collectives && !tc_ctx_failed(timeline->ctx))
		tc_contention_survey(&habits->contention, timeline);
	tc_match_free(match);
	clear_survey(&survey);
}

void tc_habits_clear(struct tc_habits *habits)
{
	tc_free(habits->lowerings.items);
	tc_usual_clear(&habits->usual);
	tc_silences_clear(&habits->silences);
	tc_arena_clear(&habits->facts.arena);
	tc_arena_clear(&habits->arena);
	*habits = (struct tc_habits){0};
}
