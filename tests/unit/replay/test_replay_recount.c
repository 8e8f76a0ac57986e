/*
 * The replay against a recount by the rules of docs/gain.md, on random timelines: one host thread
 * that works, launches and waits, and lanes whose work starts whenever it likes. The recount looks
 * at all events for each point, and shares nothing with the replay. And the critical path of any
 * recording, with and without a fix, adds up to its length.
 */
#include "analysis/analysis_world.h"
#include "replay/apply.h"
#include "replay/path.h"
#include "replay/replay_fixture.h"
#include "sanitized.h"

enum { EVENTS = 120, LANES = 3 };
enum kind { WORK, LAUNCH, SYNC, KIND_COUNT };

#define NEVER INT64_MIN
#define CALL_COST_NS (10 * US)
#define UNEXPLAINED_NS (10 * US)
#define CALLING_NS (50 * US) /* the code between operations calls them */

/* A host slice, or the device work that one launched (lane >= 0). */
struct event {
	enum kind kind;
	int lane, launch; /* of work: its launch's event */
	bool is_matrix;
	int64_t ts_ns, end_ns;
	int64_t start_shift_ns, end_shift_ns;
	int64_t lane_shift_ns; /* of work: of its lane's end, for the work that follows */
};

struct scene {
	uint32_t seed;
	int64_t queue_ns; /* usual time between work and work that is queued behind it */
	struct event events[2 * EVENTS];
	int count;
};

/* A fix: what it removes. */
struct fix {
	const char *edit;
	bool work, matrix, waits;
	int matrix_part; /* of their time, in halves, that goes */
};

static const struct fix fixes[] = {
	{"remove role = dispatch", true, false, false, 0},
	{"scale class = matrix by 0.5", false, false, false, 1},
	{"remove device class = matrix", false, true, false, 2},
	{"nowait role = sync", false, false, true, 0},
};

enum { FIX_COUNT = sizeof(fixes) / sizeof(fixes[0]) };

static int64_t draw(struct scene *s, int64_t low_ns, int64_t high_ns)
{
	s->seed = s->seed * 1664525U + 1013904223U;
	return low_ns + (int64_t)((s->seed >> 4) % (uint32_t)(high_ns - low_ns));
}

/* No two threads or lanes have a time in common, so that what came last is never in doubt. */
static int64_t apart(int64_t time_ns, int lane)
{
	return time_ns / (LANES + 1) * (LANES + 1) + lane + 1;
}

static void make_scene(struct scene *s, uint32_t number)
{
	int64_t host_ns = 1000 * US, lane_ns[LANES] = {0};

	*s = (struct scene){.seed = number * 2654435761U + 99};
	for (int i = 0; i < EVENTS; i++) {
		static const int64_t durs[][2] = {
			{1 * US, 90 * US}, {3 * US, 5 * US}, {17 * US, 400 * US}};
		enum kind kind = (enum kind)(draw(s, 0, 10) < 1 ? SYNC : draw(s, 0, 2));
		int64_t begin_ns = host_ns + draw(s, 0, 15 * US);
		begin_ns = apart(begin_ns + LANES, -1);
		host_ns = apart(begin_ns + draw(s, durs[kind][0], durs[kind][1]), -1);
		s->events[s->count++] = (struct event){
			.kind = kind, .lane = -1, .ts_ns = begin_ns, .end_ns = host_ns};
		if (kind != LAUNCH)
			continue;
		int lane = (int)draw(s, 0, LANES);
		int64_t start_ns = begin_ns + draw(s, 1 * US, 6 * US);
		if (start_ns < lane_ns[lane])
			start_ns = lane_ns[lane] + draw(s, 0, 3 * US);
		if (draw(s, 0, 4) == 0)
			start_ns += draw(s, 0, 60 * US);
		if (start_ns < lane_ns[lane] + 3 * US && lane_ns[lane] - 2 * US > begin_ns &&
			draw(s, 0, 3) == 0)
			start_ns = lane_ns[lane] - draw(s, 1, 2 * US);
		start_ns = apart(start_ns + LANES, lane);
		lane_ns[lane] = apart(start_ns + draw(s, 2 * US, 150 * US), lane);
		s->events[s->count] = (struct event){.lane = lane,
			.launch = s->count - 1,
			.is_matrix = draw(s, 0, 2) == 0,
			.ts_ns = start_ns,
			.end_ns = lane_ns[lane]};
		s->count++;
	}
}

/* ---- the recount */

/* One thing that a point waited for. cost_ns: how long after it the point could have come; NEVER:
 * the least slack. */
struct waited {
	int64_t shift_ns, slack_ns, cost_ns;
};

static void keep_least(struct waited *all, int *count, int64_t shift_ns, int64_t slack_ns)
{
	all[(*count)++] = (struct waited){shift_ns, slack_ns, NEVER};
}

static int64_t least_slack(const struct waited *all, int count)
{
	int64_t least_ns = INT64_MAX;

	for (int i = 0; i < count; i++)
		if (all[i].slack_ns < least_ns)
			least_ns = all[i].slack_ns;
	return least_ns;
}

static int64_t shift_of(const struct waited *all, int count)
{
	int64_t least_ns = least_slack(all, count), shift_ns = INT64_MAX;

	for (int i = 0; i < count; i++) {
		int64_t cost_ns = all[i].cost_ns == NEVER ? least_ns : all[i].cost_ns;
		if (all[i].shift_ns + all[i].slack_ns - cost_ns < shift_ns)
			shift_ns = all[i].shift_ns + all[i].slack_ns - cost_ns;
	}
	return count > 0 ? shift_ns : 0;
}

/* Of the work on a lane, or on all but it (not), the one that ended last until a time. */
static const struct event *ended_last(
	const struct scene *s, int64_t until_ns, int lane, bool not, int64_t begun_ns)
{
	const struct event *best = NULL;

	for (int i = 0; i < s->count; i++) {
		const struct event *e = &s->events[i];
		if (e->lane >= 0 && (lane < 0 || (e->lane == lane) != not ) &&
			e->end_ns <= until_ns && e->ts_ns < begun_ns &&
			(!best || e->end_ns > best->end_ns))
			best = e;
	}
	return best;
}

/* The host slice of which the begin, or the end, is the last until a time, and its shift there:
 * what slices take off is known at their ends. */
static int64_t host_shift_at(const struct scene *s, int64_t time_ns, int64_t *last_ns)
{
	int64_t shift_ns = 0;

	*last_ns = NEVER;
	for (int i = 0; i < s->count; i++) {
		const struct event *e = &s->events[i];
		if (e->lane >= 0 || e->ts_ns > time_ns)
			continue;
		*last_ns = e->ts_ns;
		if (e->end_ns <= time_ns) {
			*last_ns = e->end_ns;
			shift_ns = e->end_shift_ns;
		}
	}
	return shift_ns;
}

/* Of the work on a lane, what has all but ended at a time. */
static const struct event *ends_soon(const struct scene *s, int64_t time_ns, int lane)
{
	for (int i = 0; i < s->count; i++) {
		const struct event *e = &s->events[i];
		int64_t part_ns = (e->end_ns - e->ts_ns) / 32;
		if (e->lane == lane && e->ts_ns < time_ns && time_ns < e->end_ns &&
			e->end_ns - time_ns <= (part_ns > 3 * US ? part_ns : 3 * US))
			return e;
	}
	return NULL;
}

/* Of the short times between work on one lane, the lowest quarter. */
static int64_t find_queued(const struct scene *s)
{
	struct tc_durations pauses = {.count = 0};

	for (int i = 0; i < s->count; i++) {
		const struct event *e = &s->events[i], *before;
		if (e->lane < 0 || ends_soon(s, e->ts_ns, e->lane) ||
			!(before = ended_last(s, e->ts_ns, e->lane, false, e->ts_ns)))
			continue;
		if (e->ts_ns - before->end_ns <= UNEXPLAINED_NS &&
			s->events[e->launch].end_ns <= before->end_ns)
			tc_durations_add(&pauses, e->ts_ns - before->end_ns);
	}
	return pauses.count >= 8 ? tc_durations_lowest(&pauses, 4) : 1 * US;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* How much of the work of an event that was done at a time a fix takes off. */
static int64_t saved_until(const struct event *e, int64_t time_ns, const struct fix *fix)
{
	return e->is_matrix ? (time_ns - e->ts_ns) * fix->matrix_part / 2 : 0;
}

/* Work that began before the end of other work on its lane does not end sooner. */
static void recount_end(struct event *e, const struct event *open, const struct fix *fix)
{
	e->end_shift_ns = e->start_shift_ns + saved_until(e, e->end_ns, fix);
	if (open)
		e->end_shift_ns =
			least(e->end_shift_ns, open->lane_shift_ns + e->end_ns - open->end_ns);
	e->lane_shift_ns = e->end_shift_ns;
}

/* Keeps what the lane of the work makes it wait for: work that all but ends then, or has ended. */
static const struct event *keep_lane(const struct scene *s, const struct event *e,
	const struct event *open, const struct fix *fix, struct waited *slot)
{
	const struct event *before =
		open ? NULL : ended_last(s, e->ts_ns, e->lane, false, e->ts_ns);
	int count = 0;

	if (open)
		keep_least(
			slot, &count, open->start_shift_ns + saved_until(open, e->ts_ns, fix), 0);
	if (before)
		keep_least(slot, &count, before->lane_shift_ns, e->ts_ns - before->end_ns);
	return before;
}

static void recount_work(struct scene *s, struct event *e, const struct fix *fix)
{
	const struct event *call = &s->events[e->launch], *other;
	struct waited all[4];
	int count = 0;
	int64_t last_ns, shift_ns = host_shift_at(s, e->ts_ns, &last_ns);

	if (call->end_ns <= e->ts_ns) {
		shift_ns = call->end_shift_ns;
		last_ns = call->end_ns;
	}
	keep_least(all, &count, shift_ns, e->ts_ns - last_ns);
	const struct event *open = ends_soon(s, e->ts_ns, e->lane);
	const struct event *before = keep_lane(s, e, open, fix, &all[count]);
	count += open || before;
	int64_t slack_ns = least_slack(all, count);
	bool is_launched = before && all[0].slack_ns < all[1].slack_ns &&
			   (call->end_ns > e->ts_ns || slack_ns <= UNEXPLAINED_NS);
	int64_t gap_ns = is_launched ? least(s->queue_ns, slack_ns) : NEVER;
	all[1].cost_ns = gap_ns;
	other = ended_last(s, e->ts_ns, e->lane, true, e->ts_ns);
	bool is_elsewhere =
		slack_ns > UNEXPLAINED_NS && other && e->ts_ns - other->end_ns < slack_ns;
	if (is_elsewhere)
		keep_least(all, &count, other->lane_shift_ns, e->ts_ns - other->end_ns);
	slack_ns = least_slack(all, count);
	e->start_shift_ns = shift_of(all, count);
	if (e->is_matrix && fix->matrix && slack_ns > 0 && slack_ns <= UNEXPLAINED_NS)
		e->start_shift_ns += is_launched ? gap_ns : slack_ns;
	recount_end(e, open, fix);
}

static void recount_call(struct scene *s, struct event *e, const struct fix *fix)
{
	const struct event *work = ended_last(s, e->end_ns, -1, false, INT64_MAX);
	int64_t last_ns, dur_ns = e->end_ns - e->ts_ns;
	int64_t shift_ns = host_shift_at(s, e->ts_ns, &last_ns);

	e->end_shift_ns = shift_ns;
	host_shift_at(s, e->ts_ns - 1, &last_ns);
	if (e->kind == WORK && fix->work)
		e->end_shift_ns += dur_ns;
	if (e->kind == WORK && fix->work && last_ns != NEVER && e->ts_ns - last_ns <= CALLING_NS)
		e->end_shift_ns += e->ts_ns - last_ns;
	if (e->kind != SYNC)
		return;
	int64_t free_ns = dur_ns - CALL_COST_NS;
	struct waited all[2];
	int count = 0;
	keep_least(all, &count, shift_ns, free_ns);
	if (work)
		keep_least(all, &count, work->end_shift_ns, e->end_ns - work->end_ns);
	if (fix->waits)
		e->end_shift_ns = shift_ns + free_ns;
	else
		e->end_shift_ns = shift_of(all, count);
}

/* How much earlier the recording ends: events in the order of their ends, each looking at all. */
static int64_t recount(struct scene *s, const struct fix *fix)
{
	int64_t end_ns = 0, then_ns = 0, done_ns = 0, shift_ns;

	for (int n = 0; n < s->count; n++) {
		struct event *next = NULL;
		for (int i = 0; i < s->count; i++)
			if (s->events[i].end_ns > done_ns &&
				(!next || s->events[i].end_ns < next->end_ns))
				next = &s->events[i];
		if (next->lane >= 0)
			recount_work(s, next, fix);
		else
			recount_call(s, next, fix);
		done_ns = next->end_ns;
		shift_ns = next->lane >= 0 ? next->lane_shift_ns : next->end_shift_ns;
		if (done_ns - shift_ns > then_ns)
			then_ns = done_ns - shift_ns;
		end_ns = done_ns;
	}
	return end_ns - then_ns;
}

/* ---- the replay of the same */

static void record(struct fixture *f, const struct scene *s)
{
	uint32_t labels[KIND_COUNT], thread = add_thread(f, "main", 0), lanes[LANES];
	struct tc_span spans[2 * EVENTS];

	add_device(f, "0");
	for (int i = 0; i < LANES; i++)
		lanes[i] = add_lane(f, 0, TC_ENGINE_NONE);
	labels[WORK] = add_label(f, "cpu_op", "op", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	labels[LAUNCH] = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	labels[SYNC] = add_label(f, "runtime", "sync", TC_ROLE_SYNC, TC_ENGINE_NONE);
	uint32_t gemm = add_label(f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t gelu = add_label(f, "kernel", "gelu", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f->timeline->labels[gemm].name_class = TC_CLASS_MATRIX;
	for (int i = 0; i < s->count; i++) {
		const struct event *e = &s->events[i];
		int64_t dur_ns = e->end_ns - e->ts_ns;
		if (e->lane < 0) {
			spans[i] = add_span(f, thread, labels[e->kind], e->ts_ns, dur_ns);
			continue;
		}
		const struct tc_span work =
			make_span(f, lanes[e->lane], e->is_matrix ? gemm : gelu, e->ts_ns, dur_ns);
		add_launched(f, &work, &spans[e->launch], -1);
	}
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
}

static void test_recount(void **state)
{
	(void)state;
	static struct scene s;

	for (uint32_t number = 0; number < TC_TEST_RUNS(150); number++) {
		struct fixture f;
		struct replayed r = {0};

		make_scene(&s, number);
		s.queue_ns = find_queued(&s);
		fixture_open(&f);
		record(&f, &s);
		for (size_t i = 0; i < FIX_COUNT; i++)
			add_whatif(&r, f.ctx, fixes[i].edit);
		replay(&r, &f);
		for (size_t i = 0; i < FIX_COUNT; i++) {
			int64_t want_ns = recount(&s, &fixes[i]);
			if (r.shifts.won[i].end_ns != want_ns)
				fail_msg("scene %u, %s: want %lld ns, got %lld", number,
					fixes[i].edit, (long long)want_ns,
					(long long)r.shifts.won[i].end_ns);
		}
		replay_clear(&r);
		fixture_close(&f);
	}
}

/* ---- the critical path */

static void check_path(const struct tc_replay *recording, struct tc_ctx *ctx, uint32_t number)
{
	struct tc_path path;
	int64_t sum_ns = 0;

	assert_int_equal(tc_path_find(&path, recording, TC_PATH_ALL_WORK, ctx), TC_OK);
	for (size_t i = 0; i < path.count; i++) {
		assert_true(path.rows[i].path_ns >= 0);
		sum_ns += path.rows[i].path_ns;
	}
	if (recording->end_ns > recording->start_ns && sum_ns > 0 &&
		sum_ns != recording->end_ns - recording->start_ns)
		fail_msg("world %u: the path has %lld of %lld ns", number, (long long)sum_ns,
			(long long)(recording->end_ns - recording->start_ns));
	tc_path_clear(&path);
}

/* Kernels that follow each other on a stream, in whole microseconds, so that each seems to begin a
 * little before the end of the one before: the device never waits, and half of all their time can
 * be saved. */
static void test_a_stream_without_pauses(void **state)
{
	(void)state;
	struct fixture f;
	struct replayed r = {0};
	struct tc_path path;
	int64_t device_ns = 0;

	fixture_open(&f);
	uint32_t thread = add_thread(&f, "main", 0);
	uint32_t launch = add_label(&f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t gemm = add_label(&f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f.timeline->labels[gemm].name_class = TC_CLASS_MATRIX;
	add_device(&f, "0");
	uint32_t stream = add_lane(&f, 0, TC_ENGINE_NONE);
	for (int i = 0; i < 50; i++) {
		struct tc_span call = add_span(&f, thread, launch, i * 5 * US, 4 * US);
		struct tc_span work =
			make_span(&f, stream, gemm, (10 + i * 100) * US, (i % 2 ? 100 : 101) * US);
		add_launched(&f, &work, &call, -1);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t half = add_whatif(&r, f.ctx, "scale class = matrix by 0.5");
	replay(&r, &f);
	assert_int_equal(tc_path_find(&path, &r.replay, TC_PATH_ALL_WORK, f.ctx), TC_OK);
	for (size_t i = 0; i < path.count; i++)
		device_ns += path.rows[i].piece == TC_PIECE_DEVICE ? path.rows[i].path_ns : 0;
	assert_int_equal(device_ns, 50 * 100 * US);
	assert_in_range(r.shifts.won[half].end_ns, 2480 * US, 2500 * US);
	tc_path_clear(&path);
	replay_clear(&r);
	fixture_close(&f);
}

static void test_paths_add_up(void **state)
{
	(void)state;
	any_links = true;
	for (uint32_t number = 0; number < TC_TEST_RUNS(150); number++) {
		static struct world w;
		static struct replayed r;
		struct tc_replay applied;

		memset(&r, 0, sizeof(r));
		make_world(&w, number);
		for (size_t i = 0; i < FIX_COUNT; i++)
			add_whatif(&r, w.f.ctx, fixes[i].edit);
		replay(&r, &w.f);
		check_path(&r.replay, w.f.ctx, number);
		for (size_t i = 0; i < r.whatif_count; i++) {
			assert_int_equal(
				tc_replay_apply(&applied, w.f.ctx, &r.replay, &r.whatifs[i], NULL),
				TC_OK);
			check_path(&applied, w.f.ctx, number);
			tc_replay_clear(&applied);
		}
		replay_clear(&r);
		fixture_close(&w.f);
	}
	any_links = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recount),
		cmocka_unit_test(test_a_stream_without_pauses),
		cmocka_unit_test(test_paths_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
