/* What holds for the replay of any recording, on random timelines. */
#include "sanitized.h"
#include "analysis/analysis_world.h"
#include "replay/replay_fixture.h"

static const char *const edits[] = {
	"remove role = dataloader",
	"scale role = dataloader by 0.5",
	"remove role = sync, output_copy",
	"nowait role = sync, input_copy",
	"scale engine = compute, mme, tpc by 0.5",
	"remove device engine = compute, mme, tpc",
	"nowait engine = communication, nic",
	"remove device repeated kind = memcpy, kernel",
	"scale own role = dispatch, graph_build by 0.2",
	"overlap engine = mme, tpc",
};

enum { EDIT_COUNT = sizeof(edits) / sizeof(edits[0]) };

static void replay_world(struct replayed *r, struct world *w)
{
	for (size_t i = 0; i < EDIT_COUNT; i++)
		add_whatif(r, w->f.ctx, edits[i]);
	add_joint(r, 0, 4);
	add_joint(r, 2, 5);
	r->whatif_count++; /* nothing changes */
	replay(r, &w->f);
}

#define NOTHING (EDIT_COUNT + 2)

static int64_t end_of(const struct replayed *r, size_t whatif)
{
	return r->shifts.won[whatif].end_ns;
}

/* Steps that the recording fills but shows no work of may win as much as the others. */
static int64_t most_of(const struct replayed *r, const struct tc_won *won)
{
	int64_t known = 0, latest_ns = INT64_MIN;

	for (size_t i = 0; i < r->shifts.step_count; i++)
		if (r->shifts.complete_ns[i] > latest_ns) {
			latest_ns = r->shifts.complete_ns[i];
			known++;
		}
	if (won->step_before_ns == 0 || won->steady_ns <= known * won->step_before_ns)
		return won->removed_ns;
	return won->removed_ns * won->steady_ns / (known * won->step_before_ns) + 1;
}

static void check_bounds(const struct replayed *r, uint32_t number)
{
	for (size_t i = 0; i < r->whatif_count; i++) {
		const struct tc_won *won = &r->shifts.won[i];
		if (won->gain_ns < 0 || won->gain_ns > most_of(r, won) || won->end_ns < 0 ||
			won->end_ns > won->removed_ns)
			fail_msg("world %u, what-if %zu: gain %lld, end %lld, removed %lld", number,
				i, (long long)won->gain_ns, (long long)won->end_ns,
				(long long)won->removed_ns);
	}
}

static void check_steps(const struct replayed *r)
{
	const struct tc_shifts *shifts = &r->shifts;

	for (size_t i = 0; i < shifts->step_count; i++)
		for (size_t w = 0; w < r->whatif_count; w++) {
			int64_t then_ns = shifts->complete_then_ns[i * r->whatif_count + w];
			assert_true(then_ns <= shifts->complete_ns[i]);
			if (w == NOTHING)
				assert_true(then_ns == shifts->complete_ns[i]);
		}
}

static void test_invariants(void **state)
{
	(void)state;
	any_links = true;
	for (uint32_t number = 0; number < TC_TEST_RUNS(600); number++) {
		static struct world w;
		static struct replayed r;

		memset(&r, 0, sizeof(r));
		make_world(&w, number);
		replay_world(&r, &w);
		assert_int_equal(end_of(&r, NOTHING), 0);
		assert_int_equal(r.shifts.won[NOTHING].gain_ns, 0);
		check_bounds(&r, number);
		check_steps(&r);
		assert_true(end_of(&r, 0) >= end_of(&r, 1));
		assert_true(end_of(&r, 5) >= end_of(&r, 4));
		assert_true(end_of(&r, EDIT_COUNT) >= end_of(&r, 0));
		assert_true(end_of(&r, EDIT_COUNT) >= end_of(&r, 4));
		assert_true(end_of(&r, EDIT_COUNT + 1) >= end_of(&r, 2));
		assert_true(end_of(&r, EDIT_COUNT + 1) >= end_of(&r, 5));
		replay_clear(&r);
		fixture_close(&w.f);
	}
	any_links = false;
}

/* What one what-if wins does not depend on those that are replayed beside it. */
static void test_alone_and_together(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < TC_TEST_RUNS(60); number++) {
		static struct world w;
		static struct replayed all;

		memset(&all, 0, sizeof(all));
		make_world(&w, number);
		replay_world(&all, &w);
		for (size_t i = 0; i < EDIT_COUNT; i++) {
			static struct replayed one;
			memset(&one, 0, sizeof(one));
			add_whatif(&one, w.f.ctx, edits[i]);
			replay(&one, &w.f);
			assert_memory_equal(
				&one.shifts.won[0], &all.shifts.won[i], sizeof(struct tc_won));
			replay_clear(&one);
		}
		replay_clear(&all);
		fixture_close(&w.f);
	}
}

/* Every n-th allocation fails: an error or a right answer, and nothing leaks. */
static void test_no_memory(void **state)
{
	(void)state;
	static struct world w;
	static struct replayed r;

	make_world(&w, 4);
	memset(&r, 0, sizeof(r));
	for (size_t i = 0; i < EDIT_COUNT; i++)
		add_whatif(&r, w.f.ctx, edits[i]);
	for (int64_t n = 0; n < 200; n++) {
		tc_alloc_fail_after(n);
		enum tc_status status =
			tc_replay_make(&r.replay, w.f.timeline, r.clauses, r.clause_count);
		if (!status) {
			status = tc_shifts_run(
				&r.shifts, w.f.ctx, &r.replay, r.whatifs, r.whatif_count);
			tc_shifts_clear(&r.shifts);
		}
		tc_alloc_fail_after(-1);
		if (status)
			assert_int_equal(status, TC_ERR_NOMEM);
		tc_replay_clear(&r.replay);
		tc_ctx_clear_error(w.f.ctx);
	}
	fixture_close(&w.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_invariants),
		cmocka_unit_test(test_alone_and_together),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
