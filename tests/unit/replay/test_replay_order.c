/*
 * What the neighbours of a host slice tell, on random threads: what edits with before, after,
 * row-loop, adding-pass, zeroed-pass and clipped take off is counted again, slice by slice.
 */
#include "replay/replay_fixture.h"

/* Leaves are short: a longer one may wait for another thread, and what it waits is not its own. */
enum kind {
	FILL,
	CARRIER,
	SELECT,
	FORWARD,
	BATCH,
	BACKWARD,
	REDUCE,
	UPDATE,
	ZERO,
	NORM,
	LAUNCH,
	OTHER,
	KIND_COUNT
};
enum { THREADS = 2, LEAVES = 400 };

struct leaf {
	enum kind kind;
	int64_t ts_ns, dur_ns;
	/* what goes when it is removed, or it with the frame around it: the time to call it, too */
	int64_t taken_ns, framed_ns;
};

struct run {
	uint32_t seed, labels[KIND_COUNT], frame, threads[THREADS];
	struct leaf leaves[THREADS][LEAVES];
};

static int pick(struct run *run, int sides)
{
	run->seed = run->seed * 1664525U + 1013904223U;
	return (int)((run->seed >> 8) % (uint32_t)sides);
}

static void make_labels(struct run *run, struct fixture *f)
{
	for (int i = 0; i < KIND_COUNT; i++)
		run->labels[i] = add_label(f, "cpu_op", "op",
			i == LAUNCH ? TC_ROLE_LAUNCH : TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	run->frame = add_label(f, "python_function", "frame", TC_ROLE_NONE, TC_ENGINE_NONE);
	struct tc_label *labels = f->timeline->labels;
	labels[run->labels[FILL]].name_class = TC_CLASS_MEMSET;
	labels[run->labels[CARRIER]].mark = TC_MARK_COPY_CARRIER;
	labels[run->labels[SELECT]].framework = TC_FRAMEWORK_SELECT;
	labels[run->labels[FORWARD]].framework = TC_FRAMEWORK_DDP_FORWARD;
	labels[run->labels[BATCH]].framework = TC_FRAMEWORK_BATCH;
	labels[run->labels[BACKWARD]].framework = TC_FRAMEWORK_BACKWARD;
	labels[run->labels[REDUCE]].framework = TC_FRAMEWORK_ALL_REDUCE;
	labels[run->labels[ZERO]].mark = TC_MARK_ZERO_GRAD;
	labels[run->labels[NORM]].name_class = TC_CLASS_GRADIENT_NORM;
	labels[run->labels[UPDATE]].framework = TC_FRAMEWORK_OPTIMIZER_STEP;
}

/* Rare kinds stay rare, and loops over rows get long enough to count. */
static enum kind pick_kind(struct run *run, bool in_loop)
{
	if (in_loop && pick(run, 3))
		return SELECT;
	enum kind kind = (enum kind)pick(run, KIND_COUNT);
	return (kind == FORWARD || kind == BATCH || kind == UPDATE || kind == ZERO) && pick(run, 4)
		       ? OTHER
		       : kind;
}

static void fill_thread(struct run *run, struct fixture *f, int thread)
{
	int64_t now_ns =
		MS + thread * US / 2; /* no two slices of different threads begin at once */

	for (int i = 0; i < LEAVES; i++) {
		struct leaf *leaf = &run->leaves[thread][i];
		bool in_loop = i / 60 % 2;
		int64_t pause_ns = pick(run, in_loop ? 60 : 8) ? (1 + pick(run, 9)) * US : 3 * MS;
		now_ns += pause_ns;
		*leaf = (struct leaf){
			pick_kind(run, in_loop), now_ns, (1 + pick(run, 20)) * US, 0, 0};
		bool has_frame = leaf->kind != LAUNCH && pick(run, 3) == 0;
		leaf->taken_ns = leaf->dur_ns;
		leaf->framed_ns = leaf->dur_ns + (i > 0 && pause_ns < MS ? pause_ns : 0);
		if (has_frame)
			add_span(f, run->threads[thread], run->frame, now_ns, leaf->dur_ns);
		else
			leaf->taken_ns = leaf->framed_ns;
		add_span(f, run->threads[thread], run->labels[leaf->kind], now_ns, leaf->dur_ns);
		now_ns += leaf->dur_ns;
	}
}

/* ---- counted again */

static int64_t end_of(const struct leaf *leaf)
{
	return leaf->ts_ns + leaf->dur_ns;
}

/* The leaf that comes before (step -1) or after (step 1), launches aside; -1 for none near by. */
static int beside(const struct leaf *leaves, int at, int step)
{
	int other = at + step;

	while (other >= 0 && other < LEAVES && leaves[other].kind == LAUNCH)
		other += step;
	if (other < 0 || other >= LEAVES)
		return -1;
	int64_t pause_ns = step > 0 ? leaves[other].ts_ns - end_of(&leaves[at])
				    : leaves[at].ts_ns - end_of(&leaves[other]);
	return pause_ns > MS ? -1 : other;
}

static int64_t count_beside(const struct run *run, enum kind kind, enum kind other, int step)
{
	int64_t ns = 0;

	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < LEAVES; i++) {
			const struct leaf *leaf = &run->leaves[t][i];
			int at = leaf->kind == kind ? beside(run->leaves[t], i, step) : -1;
			if (at >= 0 && run->leaves[t][at].kind == other)
				ns += leaf->taken_ns;
		}
	return ns;
}

struct loop {
	int last; /* leaf of it */
	bool counts;
};

static struct loop loop_from(const struct leaf *leaves, int first)
{
	struct loop loop = {.last = first};
	int count = 1;

	for (int i = first + 1; i < LEAVES; i++) {
		if (leaves[i].kind != SELECT)
			continue;
		int64_t pause_ns = leaves[i].ts_ns - end_of(&leaves[loop.last]);
		int64_t mean_ns = (end_of(&leaves[loop.last]) - leaves[first].ts_ns) / count;
		if (pause_ns > MS || (count >= 4 && pause_ns / 4 > mean_ns))
			break;
		loop.last = i;
		count++;
	}
	loop.counts = count >= 16;
	return loop;
}

static int64_t count_loops(const struct run *run)
{
	int64_t ns = 0;

	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < LEAVES; i++) {
			if (run->leaves[t][i].kind != SELECT)
				continue;
			const struct loop loop = loop_from(run->leaves[t], i);
			for (; i <= loop.last; i++)
				ns += loop.counts ? run->leaves[t][i].framed_ns : 0;
			i = loop.last;
		}
	return ns;
}

/* The first leaf of some kinds (bits) after a time; NULL for none. */
static const struct leaf *next_of(const struct run *run, unsigned kinds, int64_t after_ns)
{
	const struct leaf *next = NULL;

	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < LEAVES; i++) {
			const struct leaf *leaf = &run->leaves[t][i];
			if ((kinds >> leaf->kind & 1) && leaf->ts_ns > after_ns &&
				(!next || leaf->ts_ns < next->ts_ns))
				next = leaf;
		}
	return next;
}

static const unsigned begins = 1U << FORWARD | 1U << BATCH;

/* From this begin of a pass to the next, or to an update, gradients are computed, then reduced. */
static bool reduces(const struct run *run, const struct leaf *mark)
{
	const struct leaf *end = next_of(run, begins | 1U << UPDATE, mark->ts_ns);
	const struct leaf *backward = next_of(run, 1U << BACKWARD, mark->ts_ns);
	const struct leaf *reduce = backward ? next_of(run, 1U << REDUCE, backward->ts_ns) : NULL;

	return reduce && (!end || reduce->ts_ns < end->ts_ns);
}

static bool adds(const struct run *run, const struct leaf *mark)
{
	const struct leaf *next = mark;

	if (!reduces(run, mark))
		return false;
	while ((next = next_of(run, begins | 1U << UPDATE, next->ts_ns)) && next->kind != UPDATE)
		if (reduces(run, next))
			return true;
	return false;
}

static int64_t count_fills(const struct run *run, int64_t from_ns, int64_t until_ns)
{
	int64_t ns = 0;

	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < LEAVES; i++) {
			const struct leaf *leaf = &run->leaves[t][i];
			if (leaf->kind == FILL && leaf->ts_ns >= from_ns && leaf->ts_ns < until_ns)
				ns += leaf->taken_ns;
		}
	return ns;
}

static int64_t count_passes(const struct run *run)
{
	int64_t ns = 0;

	for (const struct leaf *mark = next_of(run, begins, 0); mark;
		mark = next_of(run, begins, mark->ts_ns)) {
		if (!adds(run, mark))
			continue;
		int64_t end_ns = next_of(run, begins, mark->ts_ns)->ts_ns;
		ns += count_fills(run, mark->ts_ns, end_ns);
	}
	return ns;
}

/* From each zero_grad() that is the last before a backward pass, to the next begin or update. */
static int64_t count_zeroed(const struct run *run)
{
	int64_t ns = 0;

	for (const struct leaf *mark = next_of(run, 1U << ZERO, 0); mark;
		mark = next_of(run, 1U << ZERO, mark->ts_ns)) {
		const struct leaf *backward = next_of(run, 1U << BACKWARD, mark->ts_ns);
		const struct leaf *again = next_of(run, 1U << ZERO, mark->ts_ns);
		const struct leaf *end =
			backward ? next_of(run, begins | 1U << UPDATE, backward->ts_ns) : NULL;
		if (!end || (again && again->ts_ns < end->ts_ns))
			continue;
		ns += count_fills(run, mark->ts_ns, end->ts_ns);
	}
	return ns;
}

static bool is_in_update(const struct run *run, const struct leaf *norm)
{
	const struct leaf *leaves = &run->leaves[0][0];

	for (int i = 0; i < THREADS * LEAVES; i++)
		if (leaves[i].kind == UPDATE && leaves[i].ts_ns < norm->ts_ns &&
			norm->ts_ns < end_of(&leaves[i]))
			return true;
	return false;
}

/* From the first norm behind what begins, goes back or updates, to the next of these if it updates.
 * Those within an update are its own. */
static int64_t count_clipped(const struct run *run)
{
	const unsigned others = begins | 1U << BACKWARD | 1U << UPDATE;
	int64_t ns = 0, from_ns = 0;
	const struct leaf *norm;

	while ((norm = next_of(run, 1U << NORM, from_ns))) {
		from_ns = norm->ts_ns;
		if (is_in_update(run, norm))
			continue;
		const struct leaf *end = next_of(run, others, norm->ts_ns);
		if (!end)
			break;
		if (end->kind == UPDATE)
			ns += count_fills(run, norm->ts_ns, end->ts_ns);
		from_ns = end->ts_ns;
	}
	return ns;
}

static void test_neighbours_are_counted(void **state)
{
	(void)state;
	int64_t all_ns[6] = {0};

	for (uint32_t seed = 1; seed <= 60; seed++) {
		struct fixture f;
		struct run run = {.seed = seed * 2654435761U};
		struct replayed r = {0};

		fixture_open(&f);
		make_labels(&run, &f);
		for (int t = 0; t < THREADS; t++)
			run.threads[t] = add_thread(&f, t ? "second" : "first", t);
		for (int t = 0; t < THREADS; t++)
			fill_thread(&run, &f, t);
		assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
		const char *const edits[] = {
			"remove host class = memset before mark = copy_carrier",
			"remove host mark = copy_carrier after class = memset",
			"remove host row-loop", "remove host class = memset adding-pass",
			"remove host class = memset zeroed-pass",
			"remove host class = memset clipped"};
		const int64_t want_ns[] = {count_beside(&run, FILL, CARRIER, 1),
			count_beside(&run, CARRIER, FILL, -1), count_loops(&run),
			count_passes(&run), count_zeroed(&run), count_clipped(&run)};
		for (size_t i = 0; i < 6; i++)
			assert_int_equal(add_whatif(&r, f.ctx, edits[i]), i);
		replay(&r, &f);
		for (size_t i = 0; i < 6; i++) {
			if (r.shifts.won[i].removed_ns != want_ns[i])
				fail_msg("seed %u, %s: want %lld ns, got %lld", seed, edits[i],
					(long long)want_ns[i],
					(long long)r.shifts.won[i].removed_ns);
			all_ns[i] += want_ns[i];
		}
		replay_clear(&r);
		fixture_close(&f);
	}
	for (size_t i = 0; i < 6; i++)
		assert_true(all_ns[i] > 0);
}

/* aten::to() of a tensor that is on the device already copies nothing, and begins nothing. */
static void test_copies_of_nothing(void **state)
{
	struct fixture f;
	struct replayed r = {0};

	(void)state;
	fixture_open(&f);
	uint32_t fill = add_label(&f, "cpu_op", "aten::zeros", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t to = add_label(&f, "cpu_op", "aten::to", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t copy = add_label(&f, "cpu_op", "aten::_to_copy", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t thread = add_thread(&f, "main", 0);
	f.timeline->labels[fill].name_class = TC_CLASS_MEMSET;
	f.timeline->labels[to].mark = TC_MARK_COPY_CARRIER;
	f.timeline->labels[to].framework = TC_FRAMEWORK_COPY_CARRIER;
	add_span(&f, thread, fill, 0, 100);
	add_span(&f, thread, to, 110, 10);
	add_span(&f, thread, fill, 200, 1000);
	add_span(&f, thread, to, 1210, 50);
	add_span(&f, thread, copy, 1220, 30);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	add_whatif(&r, f.ctx, "remove host class = memset before mark = copy_carrier");
	replay(&r, &f);
	assert_int_equal(r.shifts.won[0].removed_ns, 1000 + 80); /* with the gap before it */
	replay_clear(&r);
	fixture_close(&f);
}

/* Two optimizers: the fills within the step of the first one, behind a norm, are its own, and not
 * those between a norm that follows it and the second step. */
static void test_norms_within_a_step(void **state)
{
	struct fixture f;
	struct replayed r = {0};
	struct run run = {0};

	(void)state;
	fixture_open(&f);
	make_labels(&run, &f);
	uint32_t thread = add_thread(&f, "main", 0);
	add_span(&f, thread, run.labels[UPDATE], 0, 1000);
	add_span(&f, thread, run.labels[NORM], 100, 50);
	add_span(&f, thread, run.labels[FILL], 150, 300);
	add_span(&f, thread, run.labels[NORM], 1000, 50);
	add_span(&f, thread, run.labels[FILL], 1050, 70);
	add_span(&f, thread, run.labels[UPDATE], 1120, 100);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	add_whatif(&r, f.ctx, "remove host class = memset clipped");
	replay(&r, &f);
	assert_int_equal(r.shifts.won[0].removed_ns, 70);
	replay_clear(&r);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_neighbours_are_counted),
		cmocka_unit_test(test_copies_of_nothing),
		cmocka_unit_test(test_norms_within_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
