/*
 * An independent count of what the analysis computes: one loop over ticks of time and all slices
 * at each. Slow, and nothing in it is shared with the tallies. Times are multiples of TICK.
 */
#ifndef TC_TESTS_ANALYSIS_BRUTE_H
#define TC_TESTS_ANALYSIS_BRUTE_H

#include "analysis_fixture.h"

#include "analysis/host_sweep.h"
#include "analysis/idle.h"

#define TICK INT64_C(2500)
#define RANGE 48
#define MAX_SPANS 160
#define MAX_DEVICES 3
#define MAX_STEPS 4
#define MAX_THREADS 4
#define ALL_DEVICES MAX_DEVICES

struct world {
	struct fixture f;
	int64_t base_ns; /* time of tick 0 */
	struct tc_span spans[MAX_SPANS];
	int count;
	int devices, steps, threads;
	bool is_step_slice[MAX_SPANS];
	bool is_held_up[MAX_SPANS]; /* find_held_up() */
};

static inline int64_t tick_of(const struct world *w, int64_t ns)
{
	return (ns - w->base_ns) / TICK;
}

static inline const struct tc_track *track_of(const struct world *w, int i)
{
	return &w->f.timeline->tracks[w->spans[i].track];
}

static inline const struct tc_label *label_of(const struct world *w, int i)
{
	return &w->f.timeline->labels[w->spans[i].label];
}

static inline bool is_host(const struct world *w, int i)
{
	return track_of(w, i)->kind == TC_TRACK_THREAD && w->spans[i].dur_ns >= 0;
}

static inline bool open_at(const struct world *w, int i, int64_t tick)
{
	return w->spans[i].dur_ns >= 0 && tick_of(w, w->spans[i].ts_ns) <= tick &&
	       tick < tick_of(w, w->spans[i].ts_ns + w->spans[i].dur_ns);
}

/* The order of tracks where their slices have equal times. */
static inline int compare_tracks(const struct tc_track *x, const struct tc_track *y)
{
	int order = tc_text_order(x->name, y->name);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (order != 0)
		return order;
	return x->device < y->device ? -1 : x->device > y->device;
}

/* True when i comes before j in the order of starts: outer slices first. */
static inline bool before(const struct world *w, int i, int j)
{
	const struct tc_span *a = &w->spans[i], *b = &w->spans[j];

	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	if (a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns;
	int order = compare_tracks(track_of(w, i), track_of(w, j));
	return order != 0 ? order < 0 : a->slice_id < b->slice_id;
}

static inline enum tc_engine engine_at(const struct world *w, int i)
{
	enum tc_engine engine = track_of(w, i)->engine;

	if (track_of(w, i)->kind != TC_TRACK_LANE)
		return TC_ENGINE_NONE;
	return engine ? engine : label_of(w, i)->engine;
}

static inline bool on_device(const struct world *w, int i, int device)
{
	return track_of(w, i)->kind == TC_TRACK_LANE &&
	       (device == ALL_DEVICES || track_of(w, i)->device == device);
}

static inline bool is_busy_engine(enum tc_engine engine)
{
	return engine == TC_ENGINE_MME || engine == TC_ENGINE_TPC || engine == TC_ENGINE_DMA ||
	       engine == TC_ENGINE_COMPUTE || engine == TC_ENGINE_COMMUNICATION ||
	       engine == TC_ENGINE_COPY;
}

static inline bool is_busy_op(const struct world *w, int i, int device)
{
	return w->spans[i].dur_ns >= 0 && on_device(w, i, device) &&
	       is_busy_engine(engine_at(w, i));
}

/* Beside the bits of engines: a copy or set that does not go between host and device. */
#define INNER_COPY (1U << 31)

static inline bool is_inner_copy(const struct world *w, int i)
{
	enum tc_engine engine = engine_at(w, i);

	if (engine == TC_ENGINE_COPY)
		return !label_of(w, i)->direction;
	return engine == TC_ENGINE_DMA && !label_of(w, i)->direction &&
	       (w->spans[i].recipe != TC_STRTAB_NONE ||
		       !w->f.timeline->devices[track_of(w, i)->device].has_recipes);
}

/* Engines at work, as bits; of one step's work, or of all (-1). */
static inline unsigned engines_at(const struct world *w, int device, int step, int64_t tick)
{
	unsigned bits = 0;

	for (int i = 0; i < w->count; i++)
		if (on_device(w, i, device) && open_at(w, i, tick) &&
			(step < 0 || w->spans[i].step == step))
			bits |= 1U << engine_at(w, i) | (is_inner_copy(w, i) ? INNER_COPY : 0);
	return bits;
}

static inline bool busy_at(const struct world *w, int device, int64_t tick)
{
	for (int i = 0; i < w->count; i++)
		if (is_busy_op(w, i, device) && open_at(w, i, tick))
			return true;
	return false;
}

static inline bool in_step_at(const struct world *w, int step, int64_t tick)
{
	const struct tc_step *s = &w->f.timeline->steps[step];

	return tick_of(w, s->ts_ns) <= tick && tick < tick_of(w, s->ts_ns + s->dur_ns);
}

/* How much the role of a slice says: nothing, dispatch, more. */
static inline int weight(const struct world *w, int i)
{
	enum tc_role role = label_of(w, i)->role;

	return role == TC_ROLE_NONE ? 0 : role == TC_ROLE_DISPATCH ? 1 : 2;
}

/* Of the open slices of a track with the weightiest roles the innermost, -1 when none has a role;
 * with_role false: the innermost of all. */
static inline int innermost(const struct world *w, uint32_t track, int64_t tick, bool with_role)
{
	int best = -1;

	for (int i = 0; i < w->count; i++) {
		if (w->spans[i].track != track || !open_at(w, i, tick) ||
			(with_role && weight(w, i) == 0))
			continue;
		if (best < 0 || (with_role && weight(w, i) > weight(w, best)) ||
			((!with_role || weight(w, i) == weight(w, best)) && before(w, best, i)))
			best = i;
	}
	return best;
}

static inline int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The lowest tenth of what launches of a label take, rounded down to four significant bits. */
static inline int64_t usual_launch_ns(const struct world *w, uint32_t label)
{
	int64_t all[MAX_SPANS], step = 1;
	int count = 0;

	for (int i = 0; i < w->count; i++)
		if (is_host(w, i) && w->spans[i].label == label)
			all[count++] = w->spans[i].dur_ns;
	qsort(all, (size_t)count, sizeof(*all), compare_ns);
	while (all[count / 10] / step >= 16)
		step *= 2;
	int64_t usual_ns = all[count / 10] / step * step;
	return usual_ns < 1 ? 1 : usual_ns < 100000 ? usual_ns : 100000;
}

/* The launch is long, devices work until it returns, and its own work comes later. */
static inline bool waits_for_queue(const struct world *w, int i)
{
	const struct tc_span *call = &w->spans[i];
	int64_t first_ns = INT64_MAX;

	if (!is_host(w, i) || label_of(w, i)->role != TC_ROLE_LAUNCH || call->dur_ns <= 20000 ||
		call->dur_ns / 3 <= usual_launch_ns(w, call->label))
		return false;
	for (int64_t tick = tick_of(w, call->ts_ns); tick < tick_of(w, call->ts_ns + call->dur_ns);
		tick++)
		if (!busy_at(w, ALL_DEVICES, tick))
			return false;
	for (int k = 0; k < w->count; k++)
		if (engine_at(w, k) != TC_ENGINE_NONE && w->spans[k].dur_ns >= 0 &&
			w->spans[k].launch_slice_id == call->slice_id &&
			w->spans[k].ts_ns < first_ns)
			first_ns = w->spans[k].ts_ns;
	return first_ns < INT64_MAX && first_ns > call->ts_ns + call->dur_ns + 10000;
}

static inline void find_held_up(struct world *w)
{
	for (int i = 0; i < w->count; i++)
		w->is_held_up[i] = waits_for_queue(w, i);
}

static inline enum tc_role role_of(const struct world *w, int i)
{
	return w->is_held_up[i] ? TC_ROLE_SYNC : label_of(w, i)->role;
}

/* The role of a thread: the best over its tracks. idle says that nothing is open. */
static inline enum tc_role role_at(const struct world *w, int thread, int64_t tick, bool *idle)
{
	enum tc_role best = TC_ROLE_NONE;

	*idle = true;
	for (uint32_t t = 0; t < w->f.timeline->track_count; t++) {
		const struct tc_track *track = &w->f.timeline->tracks[t];
		if (track->kind != TC_TRACK_THREAD || track->host_thread != thread)
			continue;
		*idle = *idle && innermost(w, t, tick, false) < 0;
		int i = innermost(w, t, tick, true);
		if (i >= 0 && (best == TC_ROLE_NONE || role_of(w, i) < best))
			best = role_of(w, i);
	}
	return best;
}

struct thread_facts {
	bool is_launching, is_counted;
	int launches, steps, builds, covered;
	int64_t first, last; /* ticks */
};

static inline struct thread_facts thread_facts(const struct world *w, int thread)
{
	struct thread_facts facts = {.first = INT64_MAX, .last = INT64_MIN};

	for (int i = 0; i < w->count; i++) {
		if (!is_host(w, i) || track_of(w, i)->host_thread != thread)
			continue;
		int64_t start = tick_of(w, w->spans[i].ts_ns);
		int64_t end = tick_of(w, w->spans[i].ts_ns + w->spans[i].dur_ns);
		facts.launches += label_of(w, i)->is_launch;
		facts.steps += w->is_step_slice[i];
		facts.builds += label_of(w, i)->role == TC_ROLE_GRAPH_BUILD;
		facts.first = start < facts.first ? start : facts.first;
		facts.last = end > facts.last ? end : facts.last;
	}
	for (int64_t tick = 0; tick < RANGE; tick++) {
		bool idle;
		role_at(w, thread, tick, &idle);
		facts.covered += !idle;
	}
	facts.is_launching = facts.launches + facts.steps + facts.builds > 0;
	return facts;
}

/* How much speaks for a thread being the main one, by steps, launches or covered time. */
static inline int merit(const struct thread_facts *facts, int kind)
{
	if (kind == 0)
		return facts->steps;
	return kind == 1 ? facts->launches : facts->covered;
}

/* The first thread with the most steps; if none has any, launches; then time. -1 for none. */
static inline int main_of(const struct world *w, const struct thread_facts *facts)
{
	int best = -1;

	for (int kind = 0; kind < 3 && best < 0; kind++)
		for (int i = 0; i < w->threads; i++)
			if (merit(&facts[i], kind) > (best < 0 ? 0 : merit(&facts[best], kind)))
				best = i;
	return best;
}

/* Facts of all threads; returns the main one, -1 for none. */
static inline int survey_threads(const struct world *w, struct thread_facts *facts)
{
	for (int i = 0; i < w->threads; i++)
		facts[i] = thread_facts(w, i);
	int main_thread = main_of(w, facts);
	if (main_thread >= 0)
		facts[main_thread].is_launching = true;
	for (int i = 0; i < w->threads; i++)
		facts[i].is_counted = facts[i].is_launching;
	for (uint32_t t = 0; t < w->f.timeline->track_count; t++) {
		const struct tc_track *track = &w->f.timeline->tracks[t];
		if (track->kind == TC_TRACK_THREAD && strncmp(track->name.ptr, "Synapse/", 8) == 0)
			facts[track->host_thread].is_counted = true;
	}
	return main_thread;
}

static inline bool is_event_record(const struct world *w, int i)
{
	return label_of(w, i)->mark == TC_MARK_EVENT_RECORD;
}

static inline bool starts_after(const struct world *w, int i, int device, int64_t tick)
{
	return is_busy_op(w, i, device) && tick_of(w, w->spans[i].ts_ns) > tick;
}

/* True when some operation after a tick does not record an event. */
static inline bool has_work_after(const struct world *w, int device, int64_t tick)
{
	for (int i = 0; i < w->count; i++)
		if (!is_event_record(w, i) && starts_after(w, i, device, tick))
			return true;
	return false;
}

/* Of operations that start together, the first with a launch ends the idle time. */
static inline bool ends_sooner(const struct world *w, int i, int best)
{
	bool linked = w->spans[i].launch_slice_id != TC_NO_ID;
	bool best_linked = w->spans[best].launch_slice_id != TC_NO_ID;

	if (w->spans[i].ts_ns != w->spans[best].ts_ns)
		return w->spans[i].ts_ns < w->spans[best].ts_ns;
	return linked != best_linked ? linked : before(w, i, best);
}

/* The operation that ends the idle time at a tick: the first to start after it that does not record
 * an event. Where all that follows records events, the first of that. -1 when nothing follows. */
static inline int next_op(const struct world *w, int device, int64_t tick)
{
	bool has_work = has_work_after(w, device, tick);
	int best = -1;

	for (int i = 0; i < w->count; i++)
		if (starts_after(w, i, device, tick) && !(has_work && is_event_record(w, i)) &&
			(best < 0 || ends_sooner(w, i, best)))
			best = i;
	return best;
}

static inline enum tc_cause role_cause(enum tc_role role)
{
	const char *name =
		role == TC_ROLE_NONE || role == TC_ROLE_OTHER ? "host_other" : tc_role_name(role);

	for (int i = 0; i < TC_CAUSE_COUNT; i++)
		if (strcmp(tc_cause_name((enum tc_cause)i), name) == 0)
			return (enum tc_cause)i;
	return TC_CAUSE_UNKNOWN;
}

static inline bool compiling_at(
	const struct world *w, const struct thread_facts *facts, int64_t tick)
{
	for (int i = 0; i < w->count; i++)
		if (is_host(w, i) && open_at(w, i, tick) &&
			label_of(w, i)->role == TC_ROLE_COMPILE &&
			facts[track_of(w, i)->host_thread].is_counted)
			return true;
	return false;
}

/* The best role of all launching threads; idle when none has a slice open. */
static inline enum tc_role best_role_at(
	const struct world *w, const struct thread_facts *facts, int64_t tick, bool *idle)
{
	enum tc_role best = TC_ROLE_NONE;

	*idle = true;
	for (int i = 0; i < w->threads; i++) {
		bool thread_idle = true;
		if (!facts[i].is_launching)
			continue;
		enum tc_role role = role_at(w, i, tick, &thread_idle);
		*idle = *idle && thread_idle;
		if (role && (!best || role < best))
			best = role;
	}
	return best;
}

/* True between the first and the last slice of the launching threads. */
static inline bool lives_at(const struct world *w, const struct thread_facts *facts, int64_t tick)
{
	bool before = false, after = false;

	for (int i = 0; i < w->threads; i++) {
		before = before || (facts[i].is_launching && facts[i].first <= tick);
		after = after || (facts[i].is_launching && tick < facts[i].last);
	}
	return before && after;
}

static inline bool may_wait_for_compile(enum tc_role role)
{
	return role == TC_ROLE_NONE || role == TC_ROLE_OTHER || role == TC_ROLE_LAUNCH ||
	       role == TC_ROLE_GRAPH_BUILD || role == TC_ROLE_DISPATCH;
}

/* What the host did at a tick, for a gap whose end was launched on thread (-1: not known). */
static inline enum tc_cause host_cause(const struct world *w, const struct thread_facts *facts,
	int main_thread, int thread, int64_t tick)
{
	bool idle = true, in_step = false;
	enum tc_role role = TC_ROLE_NONE;

	if (thread >= 0)
		role = role_at(w, thread, tick, &idle);
	if (idle && main_thread >= 0)
		role = role_at(w, main_thread, tick, &idle);
	if (idle)
		role = best_role_at(w, facts, tick, &idle);
	if ((idle || may_wait_for_compile(role)) && compiling_at(w, facts, tick))
		return TC_CAUSE_COMPILE;
	if (!idle)
		return role_cause(role);
	for (int i = 0; i < w->steps; i++)
		in_step = in_step || in_step_at(w, i, tick);
	return in_step || lives_at(w, facts, tick) ? TC_CAUSE_OTHER : TC_CAUSE_UNKNOWN;
}

/* The cause of an idle tick of a device; *step is that of the work that ends it. */
static inline enum tc_cause cause_at(const struct world *w, const struct thread_facts *facts,
	int main_thread, int device, int64_t tick, int *step)
{
	int op = next_op(w, device, tick);
	int thread = -1;
	const struct tc_span *span = &w->spans[op];

	*step = span->step;
	if (span->method == TC_LAUNCH_BEFORE)
		return TC_CAUSE_QUEUED;
	if (span->launch_slice_id != TC_NO_ID) {
		int64_t launch = tick_of(w, span->launch_ts_ns);
		int64_t arrived = tick_of(w, span->launch_end_ns + TC_LAUNCH_LATENCY_NS);
		if (tick >= launch)
			return tick < arrived ? TC_CAUSE_LAUNCH : TC_CAUSE_QUEUED;
		for (int i = 0; i < w->count; i++)
			if (w->spans[i].slice_id == span->launch_slice_id)
				thread = track_of(w, i)->host_thread;
	}
	return host_cause(w, facts, main_thread, thread, tick);
}

/* The thread whose operations a slice belongs to. */
static inline int calling_thread(const struct world *w, int main_thread, int i)
{
	int thread = track_of(w, i)->host_thread;

	for (uint32_t t = 0; t < w->f.timeline->track_count && main_thread >= 0; t++) {
		const struct tc_track *track = &w->f.timeline->tracks[t];
		if (track->kind == TC_TRACK_THREAD && track->host_thread == thread &&
			strncmp(track->name.ptr, "Synapse/", 8) == 0)
			return main_thread;
	}
	return thread;
}

static inline bool in_loader(const struct world *w, int i)
{
	for (int j = 0; j < w->count; j++)
		if (is_host(w, j) && label_of(w, j)->role == TC_ROLE_DATALOADER &&
			before(w, j, i) &&
			track_of(w, j)->host_thread == track_of(w, i)->host_thread &&
			w->spans[j].ts_ns + w->spans[j].dur_ns > w->spans[i].ts_ns)
			return true;
	return false;
}

/* True when i may be part of a graph: a framework operation of a thread that counts. */
static inline bool is_graph_op(const struct world *w, const struct thread_facts *facts, int i)
{
	return is_host(w, i) && label_of(w, i)->is_op && label_of(w, i)->role != TC_ROLE_LAUNCH &&
	       !in_loader(w, i) && facts[track_of(w, i)->host_thread].is_counted;
}

/* True when i is an operation of the graph that compile c compiles: no launch, and no compile that
 * has a row, of their thread starts between them. */
static inline bool is_compiled_by(const struct world *w, const struct thread_facts *facts,
	int main_thread, const bool *has_row, int i, int c)
{
	int thread = calling_thread(w, main_thread, c);

	if (!is_graph_op(w, facts, i) || !before(w, i, c) ||
		calling_thread(w, main_thread, i) != thread)
		return false;
	for (int j = 0; j < w->count; j++)
		if (is_host(w, j) && before(w, i, j) && before(w, j, c) &&
			facts[track_of(w, j)->host_thread].is_counted &&
			calling_thread(w, main_thread, j) == thread &&
			(label_of(w, j)->role == TC_ROLE_LAUNCH || has_row[j]))
			return false;
	return true;
}

/* True when a device operation ends within a wait, and was launched or at work when it began. */
static inline bool may_release(const struct world *w, int op, int wait)
{
	enum tc_engine engine = engine_at(w, op);
	const struct tc_span *span = &w->spans[op], *host = &w->spans[wait];
	int64_t from_ns = span->ts_ns, end_ns = span->ts_ns + span->dur_ns;

	if (engine == TC_ENGINE_NONE || engine == TC_ENGINE_OTHER || span->dur_ns < 0)
		return false;
	if (span->launch_slice_id != TC_NO_ID && span->launch_ts_ns < from_ns)
		from_ns = span->launch_ts_ns;
	if (span->method == TC_LAUNCH_BEFORE)
		from_ns = host->ts_ns;
	return from_ns <= host->ts_ns && host->ts_ns < end_ns &&
	       end_ns <= host->ts_ns + host->dur_ns;
}

/* First and last tick of what counts as busy; false when nothing does. */
static inline bool busy_range(const struct world *w, int device, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (int i = 0; i < w->count; i++) {
		if (!is_busy_op(w, i, device))
			continue;
		int64_t start = tick_of(w, w->spans[i].ts_ns);
		int64_t end = tick_of(w, w->spans[i].ts_ns + w->spans[i].dur_ns);
		*first = start < *first ? start : *first;
		*last = end > *last ? end : *last;
	}
	return *first <= *last;
}

/* What an idle tick counts as in idle_total; TC_CAUSE_COUNT where NICs work. */
static inline enum tc_cause idle_cause_at(const struct world *w, const struct thread_facts *facts,
	int main_thread, int device, int64_t tick)
{
	int64_t first, last;
	int step;

	if (engines_at(w, device, -1, tick) & (1U << TC_ENGINE_NIC))
		return TC_CAUSE_COUNT;
	if (!busy_range(w, device, &first, &last))
		return host_cause(w, facts, main_thread, -1, tick);
	return tick < last ? cause_at(w, facts, main_thread, device, tick, &step)
			   : TC_CAUSE_AFTER_LAST_WORK;
}

#endif
