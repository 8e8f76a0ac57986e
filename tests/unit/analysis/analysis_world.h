/*
 * Random timelines: overlapping lanes, several logs of one thread, slices without duration or end,
 * overlapping steps, and times around 0, of the epoch, and at both ends of what is allowed.
 */
#ifndef TC_TESTS_ANALYSIS_WORLD_H
#define TC_TESTS_ANALYSIS_WORLD_H

#include "analysis_brute.h"

static uint32_t seed;
static bool any_links; /* launches may lie after their work, and be calls of any kind */

static inline int roll(int sides)
{
	seed = seed * 1664525U + 1013904223U;
	return (int)((seed >> 8) % (uint32_t)sides);
}

static const char *const device_names[] = {"0", "1", "2", NULL};

enum { RECIPES = 3, DEVICE_LABELS = 5 };
static const int64_t recipe_ids[] = {7, 65535, 7};
static const char *const recipe_shown[] = {"fwd #7", "fwd #65535", "#7"};

static inline void make_labels(struct fixture *f)
{
	static const char *const categories[] = {"cpu_op", "Runtime", "python_function"};

	for (int role = 0; role < TC_ROLE_COUNT; role++)
		add_label(f, categories[role % 3], role ? tc_role_name((enum tc_role)role) : "none",
			(enum tc_role)role, TC_ENGINE_NONE);
	f->timeline->labels[TC_ROLE_LAUNCH].call_class = TC_CALL_SYN_LAUNCH;
	add_label(f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	add_label(f, "kernel", "nccl", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	add_label(f, "gpu_memcpy", "copy", TC_ROLE_NONE, TC_ENGINE_COPY);
	add_label(f, "annotation", "range", TC_ROLE_NONE, TC_ENGINE_NONE);
	f->timeline
		->labels[add_label(
			f, "mtia_ccp_events", "event_record", TC_ROLE_NONE, TC_ENGINE_COMPUTE)]
		.mark = TC_MARK_EVENT_RECORD;
}

static inline void make_tracks(struct world *w)
{
	struct fixture *f = &w->f;

	for (int i = 0; i < w->threads; i++)
		for (int n = 1 + roll(2); n > 0; n--)
			add_thread(f, roll(4) ? "thread" : "Synapse/7", i);
	for (int i = 0; i < w->devices; i++) {
		bool gaudi = roll(2);
		int device = add_device(f, device_names[i]);
		f->timeline->devices[device].has_recipes = roll(2);
		for (int n = 1 + roll(4); n > 0; n--)
			add_lane(f, i, gaudi ? (enum tc_engine)(1 + roll(5)) : TC_ENGINE_NONE);
	}
}

/* A random slice; ends never lie beyond the range. */
static inline struct tc_span *make_slice(struct world *w, uint32_t track, uint32_t label)
{
	int start = roll(RANGE), ticks = roll(4) ? roll(8) : roll(RANGE);
	struct tc_span *span = &w->spans[w->count++];

	if (start + ticks > RANGE)
		ticks = RANGE - start;
	*span = make_span(&w->f, track, label, w->base_ns + start * TICK, ticks * TICK);
	if (roll(20) == 0)
		span->dur_ns = -1;
	return span;
}

static inline uint32_t random_track(const struct world *w, enum tc_track_kind kind)
{
	for (;;) {
		uint32_t track = (uint32_t)roll((int)w->f.timeline->track_count);
		if (w->f.timeline->tracks[track].kind == kind)
			return track;
	}
}

static inline int by_start(const void *a, const void *b)
{
	const struct tc_span *x = a, *y = b;

	return x->ts_ns < y->ts_ns ? -1 : x->ts_ns > y->ts_ns;
}

static inline void make_steps(struct world *w)
{
	struct tc_span steps[MAX_STEPS];

	for (int i = 0; i < w->steps; i++) {
		struct tc_span *span = make_slice(w, random_track(w, TC_TRACK_THREAD), 0);
		if (span->dur_ns < 0)
			span->dur_ns = 0;
		w->is_step_slice[w->count - 1] = true;
		steps[i] = *span;
	}
	qsort(steps, (size_t)w->steps, sizeof(steps[0]), by_start);
	for (int i = 0; i < w->steps; i++)
		add_step(&w->f, &steps[i], 5 + i);
}

/* Links device work to a host call; one that began before it, but for any_links. */
static inline void link_launch(struct world *w, struct tc_span *span)
{
	for (int tries = 0; tries < 10; tries++) {
		int i = roll(w->count);
		const struct tc_span *launch = &w->spans[i];
		if (!is_host(w, i))
			continue;
		if (!any_links && (!label_of(w, i)->is_launch || launch->ts_ns > span->ts_ns))
			continue;
		span->launch_slice_id = launch->slice_id;
		span->launch_ts_ns = launch->ts_ns;
		span->launch_end_ns = launch->ts_ns + launch->dur_ns;
		span->launch_label = launch->label;
		return;
	}
}

/* Recipe numbers: 0 and 1 with a name, 2 without; their texts are name, '#', bytes of the id. */
static inline void make_recipes(struct world *w)
{
	static const char *const names[] = {"fwd", "fwd", ""};

	for (int64_t i = 0; i < RECIPES; i++) {
		char text[32];
		size_t len = (size_t)snprintf(text, sizeof(text), "%s#", names[i]);
		int64_t id = recipe_ids[i];
		memcpy(text + len, &id, sizeof(id));
		assert_int_equal(tc_strtab_intern(&w->f.timeline->texts,
					 (struct tc_text){text, len + sizeof(id)}),
			i);
	}
}

static inline void make_host_slices(struct world *w)
{
	for (int n = roll(60); n > 0; n--) {
		/* One roll a statement: every compiler makes the same worlds. */
		int role = roll(3) ? 1 + roll(TC_ROLE_COUNT - 1) : TC_ROLE_LAUNCH;
		make_slice(w, random_track(w, TC_TRACK_THREAD), (uint32_t)role);
	}
}

static inline void make_device_ops(struct world *w, bool names_recipes)
{
	for (int n = roll(40); n > 0; n--) {
		uint32_t label = (uint32_t)(TC_ROLE_COUNT + roll(DEVICE_LABELS));
		struct tc_span *span = make_slice(w, random_track(w, TC_TRACK_LANE), label);
		span->step = roll(w->steps + 1) - 1;
		if (names_recipes && roll(4))
			span->recipe = (uint32_t)roll(RECIPES);
		if (roll(3))
			link_launch(w, span);
		if (span->launch_slice_id == TC_NO_ID && roll(3) == 0) {
			span->method = TC_LAUNCH_BEFORE;
			span->step = -1;
		}
	}
}

static inline void make_world(struct world *w, uint32_t number)
{
	static const int64_t bases[] = {0, INT64_C(1694128201426556000), -17 * TICK,
		-TC_TIME_MAX_NS, TC_TIME_MAX_NS - (RANGE + 8) * TICK};

	seed = number * 2654435761U + 12345U;
	memset(w, 0, sizeof(*w));
	fixture_open(&w->f);
	w->base_ns = bases[roll(5)];
	w->devices = roll(MAX_DEVICES + 1);
	w->threads = roll(MAX_THREADS + 1);
	w->steps = w->threads ? roll(MAX_STEPS + 1) : 0;
	make_labels(&w->f);
	for (size_t i = 0; i < w->f.timeline->label_count; i++)
		if (w->f.timeline->labels[i].engine == TC_ENGINE_COPY && roll(2))
			w->f.timeline->labels[i].direction =
				roll(2) ? TC_DIRECTION_HTOD : TC_DIRECTION_DTOH;
	make_tracks(w);
	make_recipes(w);
	bool names_recipes = roll(2);
	if (w->threads)
		make_host_slices(w);
	make_steps(w);
	if (w->devices)
		make_device_ops(w, names_recipes);
	for (int i = 0; i < w->count; i++)
		add_made(&w->f, &w->spans[i]);
	analyze(&w->f);
}

#endif
