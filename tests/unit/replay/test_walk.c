/*
 * The walk over host slices that overlap without nesting: which slice is around each, and which
 * thread makes the calls of a runtime's own log, compared with a search of all open slices.
 */
#include "analysis/analysis_fixture.h"

#include "replay/walk.h"

enum { SLICES = 600, NAMED = 3, THREADS = NAMED + 1 }; /* the last one is a log */

struct seen {
	uint32_t seed;
	const struct tc_walk_slice *open[SLICES]; /* by begin */
	const struct tc_walk_slice *tops[THREADS];
	int open_count;
	int around_count, moved_count, crossed_count; /* that the test has seen each */
};

static int pick(struct seen *seen, int sides)
{
	seen->seed = seen->seed * 1664525U + 1013904223U;
	return (int)((seen->seed >> 8) % (uint32_t)sides);
}

/* Of the open slices of a thread that last until a time, the one that began last. */
static const struct tc_walk_slice *holder(const struct seen *seen, uint32_t thread, int64_t end_ns)
{
	for (int i = seen->open_count; i-- > 0;)
		if (seen->open[i]->thread == thread && seen->open[i]->end_ns >= end_ns)
			return seen->open[i];
	return NULL;
}

static uint32_t caller(const struct seen *seen, int64_t end_ns)
{
	const struct tc_walk_slice *best = NULL;

	for (uint32_t i = 0; i < NAMED; i++) {
		const struct tc_walk_slice *slice = holder(seen, i, end_ns);
		if (!slice)
			continue;
		bool calls = slice->span.track == NAMED;
		bool best_calls = best && best->span.track == NAMED;
		if (!best || (best_calls && !calls) ||
			(best_calls == calls && slice->end_ns - slice->span.ts_ns <
							best->end_ns - best->span.ts_ns))
			best = slice;
	}
	return best ? best->thread : NAMED;
}

static void begins(void *user, struct tc_walk_slice *slice)
{
	struct seen *seen = user;
	bool is_logged = slice->span.track == NAMED;

	assert_int_equal(
		slice->thread, is_logged ? caller(seen, slice->end_ns) : slice->span.track);
	assert_ptr_equal(slice->around, holder(seen, slice->thread, slice->end_ns));
	seen->around_count += slice->around != NULL;
	seen->moved_count += is_logged && slice->thread != NAMED;
	seen->crossed_count += slice->around != seen->tops[slice->thread];
	seen->open[seen->open_count++] = slice;
	seen->tops[slice->thread] = slice;
}

/* When the last of a thread's slices ends, the one around it is then the last. */
static void ends(void *user, struct tc_walk_slice *slice)
{
	struct seen *seen = user;
	int kept = 0;

	for (int i = 0; i < seen->open_count; i++)
		if (seen->open[i] != slice)
			seen->open[kept++] = seen->open[i];
	assert_int_equal(kept, seen->open_count - 1);
	seen->open_count = kept;
	if (seen->tops[slice->thread] == slice)
		seen->tops[slice->thread] = slice->around;
	assert_ptr_equal(seen->tops[slice->thread], holder(seen, slice->thread, INT64_MIN));
}

static void make_slices(struct seen *seen, struct fixture *f)
{
	uint32_t label = add_label(f, "cpu_op", "aten::mm", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	uint32_t tracks[THREADS];

	for (int i = 0; i < THREADS; i++)
		tracks[i] = add_thread(f, i < NAMED ? "thread" : "Synapse/1", i);
	for (int i = 0; i < SLICES; i++) {
		int64_t most_ns = pick(seen, 4) ? 12 : SLICES;
		add_span(f, tracks[pick(seen, THREADS)], label, pick(seen, SLICES),
			pick(seen, (int)most_ns));
	}
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
}

static void test_overlapping_slices(void **state)
{
	const struct tc_walk walk = {.slice_bytes = sizeof(struct tc_walk_slice),
		.op_bytes = sizeof(struct tc_walk_op),
		.slice_begins = begins,
		.slice_ends = ends};

	(void)state;
	for (uint32_t number = 1; number <= 50; number++) {
		struct seen seen = {.seed = number * 2654435761U};
		struct tc_walk of_seen = walk;
		struct fixture f;

		fixture_open(&f);
		make_slices(&seen, &f);
		of_seen.user = &seen;
		tc_walk_run(&of_seen, f.timeline);
		assert_int_equal(tc_ctx_status(f.ctx), TC_OK);
		assert_int_equal(seen.open_count, 0);
		assert_true(seen.around_count > 0 && seen.moved_count > 0);
		assert_true(seen.crossed_count > 0);
		fixture_close(&f);
	}
}

static void note_thread(void *user, struct tc_walk_slice *slice)
{
	uint32_t *threads = user;

	threads[slice->span.slice_id] = slice->thread;
}

static void ignore_end(void *user, struct tc_walk_slice *slice)
{
	(void)user;
	(void)slice;
}

/* A thread that launches what others hand over makes the launching calls of a runtime's log. A wait
 * at that time is another thread's, if one is at work then. */
static void test_a_launching_thread_waits_for_nothing(void **state)
{
	uint32_t threads[16] = {0};
	const struct tc_walk walk = {.user = threads,
		.slice_bytes = sizeof(struct tc_walk_slice),
		.op_bytes = sizeof(struct tc_walk_op),
		.slice_begins = note_thread,
		.slice_ends = ignore_end};
	struct fixture f;

	(void)state;
	fixture_open(&f);
	uint32_t name = add_label(&f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t task = add_label(&f, "bridge", "task", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t inner = add_label(&f, "bridge", "run", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t wait = add_label(&f, "runtime", "wait", TC_ROLE_SYNC, TC_ENGINE_NONE);
	uint32_t call = add_label(&f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	f.timeline->labels[task].call_class = TC_CALL_LAUNCH_TASK;
	uint32_t main_track = add_thread(&f, "main", 0), launcher = add_thread(&f, "launcher", 1);
	uint32_t log = add_thread(&f, "Synapse/1", 2);
	add_span(&f, main_track, name, 0, 1000);
	for (int64_t ts_ns = 100; ts_ns < 2000; ts_ns += 1000) {
		add_span(&f, launcher, task, ts_ns, 100);
		add_span(&f, launcher, inner, ts_ns + 10, 80);
	}
	struct tc_span waits[] = {
		add_span(&f, log, wait, 120, 5), add_span(&f, log, wait, 1120, 5)};
	struct tc_span launch = add_span(&f, log, call, 130, 10);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	tc_walk_run(&walk, f.timeline);
	assert_int_equal(threads[waits[0].slice_id], 0);
	assert_int_equal(threads[waits[1].slice_id], 1); /* no other thread is at work */
	assert_int_equal(threads[launch.slice_id], 1);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_launching_thread_waits_for_nothing),
		cmocka_unit_test(test_overlapping_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
