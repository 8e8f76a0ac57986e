/*
 * The tallies on random timelines against a count tick by tick, and the sums that must hold:
 * causes of idle time, host categories, exclusive times of operations and recipes, lanes.
 */
#include "sanitized.h"
#include "analysis_world.h"

#define BIT(engine) (1U << TC_ENGINE_##engine)

static void check_measures(struct world *w, int device, int step)
{
	const unsigned compute = BIT(MME) | BIT(TPC) | BIT(COMPUTE);
	const unsigned comm = BIT(NIC) | BIT(COMMUNICATION), copy = BIT(DMA) | BIT(COPY);
	int64_t busy = 0, computing = 0, exposed = 0, copying = 0, overlap = 0, tpc = 0, dma = 0;
	int64_t transferring = 0;
	int number = step < 0 ? NO_STEP : (int)w->f.timeline->steps[step].number;

	for (int64_t tick = 0; tick < RANGE; tick++) {
		unsigned at = engines_at(w, device, step, tick);
		busy += (at & (compute | copy | BIT(COMMUNICATION))) != 0;
		computing += (at & compute) != 0;
		exposed += (at & comm) && !(at & compute);
		copying += (at & copy) && !(at & (compute | comm));
		transferring += (at & copy) && !(at & (compute | comm | INNER_COPY));
		overlap += (at & BIT(MME)) && (at & BIT(TPC));
		tpc += (at & BIT(TPC)) && !(at & BIT(MME));
		dma += (at & BIT(DMA)) && !(at & (BIT(MME) | BIT(TPC)));
	}
	const char *name = device_names[device];
	if (metric(&w->f, "device_op_count", name, NO_STEP) == INT64_MIN)
		return; /* nothing on the device */
	assert_metric(&w->f, "device_busy_ns", name, number, busy * TICK);
	assert_metric(&w->f, "compute_busy_ns", name, number, computing * TICK);
	assert_metric(&w->f, "exposed_communication_ns", name, number, exposed * TICK);
	assert_metric(&w->f, "copy_exclusive_ns", name, number, copying * TICK);
	assert_metric(&w->f, "exposed_transfer_ns", name, number, transferring * TICK);
	if (metric(&w->f, "mme_busy_ns", name, number) == INT64_MIN)
		return;
	assert_metric(&w->f, "mme_tpc_overlap_ns", name, number, overlap * TICK);
	assert_metric(&w->f, "tpc_exclusive_ns", name, number, tpc * TICK);
	assert_metric(&w->f, "dma_exclusive_ns", name, number, dma * TICK);
}

/* Idle time and its causes, by step; and how much of the wall a device waits. */
static void check_gaps(struct world *w, int device)
{
	struct thread_facts facts[MAX_THREADS];
	int64_t sums[MAX_STEPS + 1][TC_CAUSE_COUNT] = {{0}};
	int64_t first, last, idle = 0;
	int main_thread = survey_threads(w, facts);
	const char *name = device_names[device];

	if (!busy_range(w, device, &first, &last))
		return;
	for (int64_t tick = first; tick < last; tick++) {
		int step = -1;
		if (busy_at(w, device, tick))
			continue;
		idle++;
		enum tc_cause cause = cause_at(w, facts, main_thread, device, tick, &step);
		sums[step + 1][cause] += TICK;
	}
	assert_metric(&w->f, "device_span_ns", name, NO_STEP, (last - first) * TICK);
	assert_metric(&w->f, "device_idle_ns", name, NO_STEP, idle * TICK);
	int64_t queued = 0;
	for (int step = 0; step <= w->steps; step++)
		for (int i = 0; i < TC_CAUSE_COUNT; i++) {
			int64_t got = sql_int(&w->f,
				"SELECT coalesce(sum(dur), 0) FROM gap WHERE device = %Q AND"
				" cause = %Q AND coalesce(step_id, -1) = %d",
				name, tc_cause_name((enum tc_cause)i), step ? 99 + step : -1);
			if (device != ALL_DEVICES && got != sums[step][i])
				fail_msg("device %s step %d cause %s: want %lld, got %lld", name,
					step - 1, tc_cause_name((enum tc_cause)i),
					(long long)sums[step][i], (long long)got);
			queued += i == TC_CAUSE_QUEUED ? sums[step][i] : 0;
		}
	assert_metric(&w->f, "queued_idle_ns", name, NO_STEP, queued);
}

/* The wall in ticks: the steps and the work they launched, or all slices. */
static bool wall_of(const struct world *w, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (int i = 0; i < w->count; i++) {
		enum tc_engine engine = engine_at(w, i);
		bool counts = w->steps == 0 ? w->spans[i].dur_ns >= 0 : w->is_step_slice[i];
		bool is_work = w->spans[i].dur_ns >= 0 && w->spans[i].step >= 0 &&
			       engine != TC_ENGINE_NONE && engine != TC_ENGINE_OTHER;
		int64_t start = tick_of(w, w->spans[i].ts_ns);
		int64_t end = tick_of(w, w->spans[i].ts_ns + w->spans[i].dur_ns);
		if (counts && start < *first)
			*first = start;
		if ((counts || is_work) && end > *last)
			*last = end;
	}
	return *first <= *last;
}

/* What of an idle tick is start and end: it is before the first or after the last work, or
 * there is none. */
static bool at_edge(const struct world *w, int device, int64_t tick)
{
	int64_t first, last;

	return !busy_range(w, device, &first, &last) || tick < first || tick >= last;
}

/* The rows of idle_total of a device, or of a step, and that they add up to idle_ns, with start and
 * end of a recording without steps where they are a hundredth of it or more. */
static void check_idle(struct world *w, int device, int step, int64_t first, int64_t last)
{
	struct thread_facts facts[MAX_THREADS];
	int main_thread = survey_threads(w, facts), number = step < 0 ? NO_STEP : 5 + step;
	int64_t sums[TC_CAUSE_COUNT + 1] = {0}, all = 0, edges = 0;
	const char *name = device_names[device];

	for (int64_t tick = first; tick < last; tick++) {
		if (busy_at(w, device, tick))
			continue;
		int cause = (int)idle_cause_at(w, facts, main_thread, device, tick);
		sums[cause] += TICK;
		edges += cause < TC_CAUSE_COUNT && at_edge(w, device, tick);
	}
	if (w->steps > 0 || edges * 100 < last - first)
		edges = 0;
	for (int cause = 0; cause < TC_CAUSE_COUNT; cause++) {
		int64_t got = sql_int(&w->f,
			"SELECT coalesce(sum(dur), 0) FROM idle_total WHERE device IS %Q AND"
			" cause = %Q AND coalesce(step_id, -1) = %d",
			name, tc_cause_name((enum tc_cause)cause), step < 0 ? -1 : 100 + step);
		all += sums[cause];
		if ((step < 0 || !name) && got != sums[cause])
			fail_msg("device %s step %d cause %s: want %lld, got %lld", name, step,
				tc_cause_name((enum tc_cause)cause), (long long)sums[cause],
				(long long)got);
	}
	if (step < 0)
		assert_metric(&w->f, "start_and_end_ns", name, NO_STEP, edges * TICK);
	assert_metric(&w->f, "idle_ns", name, number, all - edges * TICK);
}

static void check_waits(struct world *w, int device)
{
	int64_t first, last, waits = 0;

	if (!wall_of(w, &first, &last))
		return;
	for (int64_t tick = first; tick < last; tick++)
		waits += !busy_at(w, device, tick);
	assert_metric(&w->f, "wall_ns", NULL, NO_STEP, (last - first) * TICK);
	if (metric(&w->f, "device_op_count", device_names[device], NO_STEP) == INT64_MIN)
		return;
	assert_metric(&w->f, "device_wait_ns", device_names[device], NO_STEP, waits * TICK);
	check_idle(w, device, -1, first, last);
	for (int step = 0; step < w->steps; step++) {
		int64_t step_waits = 0;
		for (int64_t tick = 0; tick < RANGE; tick++)
			step_waits += in_step_at(w, step, tick) && !busy_at(w, device, tick);
		assert_metric(
			&w->f, "device_wait_ns", device_names[device], 5 + step, step_waits * TICK);
		const struct tc_step *s = &w->f.timeline->steps[step];
		check_idle(w, device, step, tick_of(w, s->ts_ns), tick_of(w, s->ts_ns + s->dur_ns));
	}
}

/* Who has the time of a busy device: the best engine, and there the first to start; -1: nobody. */
static int owner_at(const struct world *w, int device, int64_t tick)
{
	int best = -1;

	for (int i = 0; i < w->count; i++)
		if (is_busy_op(w, i, device) && open_at(w, i, tick) &&
			(best < 0 || engine_at(w, i) < engine_at(w, best) ||
				(engine_at(w, i) == engine_at(w, best) && before(w, i, best))))
			best = i;
	return best;
}

static void check_operations(struct world *w, int device)
{
	int64_t sums[TC_ENGINE_COUNT][DEVICE_LABELS] = {{0}};

	for (int64_t tick = 0; tick < RANGE; tick++) {
		int best = owner_at(w, device, tick);
		if (best >= 0)
			sums[engine_at(w, best)][w->spans[best].label - TC_ROLE_COUNT] += TICK;
	}
	for (int engine = 1; engine < TC_ENGINE_COUNT; engine++)
		for (int label = 0; label < DEVICE_LABELS; label++)
			assert_int_equal(
				sql_int(&w->f,
					"SELECT coalesce(sum(exclusive_ns), 0) FROM op_total"
					" WHERE device = %Q AND engine = %Q AND name = '%.*s'",
					device_names[device],
					tc_engine_name((enum tc_engine)engine),
					(int)tc_label_name(
						&w->f.timeline->labels[TC_ROLE_COUNT + label])
						.len,
					tc_label_name(&w->f.timeline->labels[TC_ROLE_COUNT + label])
						.ptr),
				sums[engine][label]);
}

/* A device operation that the tallies count: of an engine, with an end. */
static bool is_counted_op(const struct world *w, int i, int device)
{
	return on_device(w, i, device) && engine_at(w, i) != TC_ENGINE_NONE &&
	       w->spans[i].dur_ns >= 0;
}

/* Time and operations by recipe; the last of both for work without one. */
static void check_recipes(struct world *w, int device)
{
	int64_t sums[RECIPES + 1] = {0}, counts[RECIPES + 1] = {0};

	for (int i = 0; i < w->count; i++)
		if (is_counted_op(w, i, device))
			counts[w->spans[i].recipe < RECIPES ? w->spans[i].recipe : RECIPES]++;
	for (int64_t tick = 0; tick < RANGE; tick++) {
		int best = owner_at(w, device, tick);
		if (best >= 0)
			sums[w->spans[best].recipe < RECIPES ? w->spans[best].recipe : RECIPES] +=
				TICK;
	}
	bool any = counts[0] + counts[1] + counts[2] > 0;
	for (int i = 0; i <= RECIPES; i++) {
		const char *name = i < RECIPES ? recipe_shown[i] : NULL;
		bool has_row = any && counts[i] > 0;
		const char *sql = "SELECT %s FROM recipe_total WHERE device = %Q AND recipe IS %Q";
		const char *id = device_names[device];
		assert_int_equal(sql_int(&w->f, sql, "count(*)", id, name), has_row);
		assert_int_equal(
			sql_int(&w->f, sql, "op_count", id, name), has_row ? counts[i] : INT64_MIN);
		assert_int_equal(sql_int(&w->f, sql, "exclusive_ns", id, name),
			has_row ? sums[i] : INT64_MIN);
	}
}

/* Operations, engines and union of every lane of a device. */
static void check_lanes(struct world *w, int device)
{
	for (uint32_t t = 0; t < w->f.timeline->track_count; t++) {
		unsigned engines = 0;
		int64_t count = 0, busy = 0;
		if (w->f.timeline->tracks[t].kind != TC_TRACK_LANE ||
			w->f.timeline->tracks[t].device != device)
			continue;
		for (int i = 0; i < w->count; i++)
			if (w->spans[i].track == t && is_counted_op(w, i, device)) {
				engines |= 1U << engine_at(w, i);
				count++;
			}
		for (int64_t tick = 0; tick < RANGE; tick++) {
			bool open = false;
			for (int i = 0; i < w->count && !open; i++)
				open = w->spans[i].track == t && open_at(w, i, tick) &&
				       is_counted_op(w, i, device);
			busy += open ? TICK : 0;
		}
		const char *engine = NULL;
		for (int i = 1; i < TC_ENGINE_COUNT; i++)
			if (engines == 1U << i)
				engine = tc_engine_name((enum tc_engine)i);
		assert_int_equal(sql_int(&w->f,
					 "SELECT count(*) FROM lane_total WHERE device = %Q AND"
					 " track_id = %d AND engine IS %Q AND op_count = %lld"
					 " AND busy_ns = %lld",
					 device_names[device], (int)t, engine, (long long)count,
					 (long long)busy),
			count > 0);
	}
}

/* True within the given step, or any (-1); without steps, within the host's slices. */
static bool in_window(
	const struct world *w, const struct thread_facts *facts, int step, int64_t tick)
{
	bool inside = false;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (int i = 0; i < w->steps; i++)
		inside = inside || ((step < 0 || step == i) && in_step_at(w, i, tick));
	for (int i = 0; i < w->threads; i++) {
		first = facts[i].first < first ? facts[i].first : first;
		last = facts[i].last > last ? facts[i].last : last;
	}
	return w->steps > 0 ? inside : first <= tick && tick < last;
}

/* The waterfall and the plain unions over a step, or over all (-1). */
static void check_host_window(struct world *w, const struct thread_facts *facts, int step)
{
	int64_t own[TC_ROLE_COUNT] = {0}, exposed[TC_ROLE_COUNT] = {0}, window = 0, compiles = 0;
	int number = step < 0 ? NO_STEP : 5 + step;

	for (int64_t tick = 0; tick < RANGE; tick++) {
		bool idle;
		if (!in_window(w, facts, step, tick))
			continue;
		enum tc_role best = best_role_at(w, facts, tick, &idle);
		if (best == TC_ROLE_NONE)
			best = TC_ROLE_OTHER;
		window += TICK;
		own[best] += TICK;
		exposed[best] += busy_at(w, ALL_DEVICES, tick) ? 0 : TICK;
		compiles += compiling_at(w, facts, tick) ? TICK : 0;
	}
	for (int role = 1; role < TC_ROLE_COUNT; role++) {
		const char *name = tc_role_name((enum tc_role)role);
		char text[64];
		snprintf(text, sizeof(text), "host_%s_own_ns", name);
		assert_metric(&w->f, text, NULL, number, own[role]);
		snprintf(text, sizeof(text), "host_%s_exposed_ns", name);
		assert_metric(&w->f, text, NULL, number, exposed[role]);
	}
	assert_metric(&w->f, "compile_ns", NULL, number, compiles);
	if (step < 0)
		assert_metric(&w->f, "host_window_ns", NULL, NO_STEP, window);
}

struct label_sums {
	int64_t dur, self, self_exposed, exposed;
};

static bool label_open_at(const struct world *w, uint32_t label, int64_t tick)
{
	for (int i = 0; i < w->count; i++)
		if (is_host(w, i) && w->spans[i].label == label && open_at(w, i, tick))
			return true;
	return false;
}

/* Whether a slice is the same call as the operator's slice directly around it. */
static bool is_again(const struct world *w, int i)
{
	int around = -1;

	for (int k = 0; k < w->count; k++)
		if (k != i && w->spans[k].track == w->spans[i].track && before(w, k, i) &&
			open_at(w, k, tick_of(w, w->spans[i].ts_ns)) &&
			(around < 0 || before(w, around, k)))
			around = k;
	return around >= 0 && w->spans[around].label == w->spans[i].label && label_of(w, i)->is_op;
}

/* What host_total should say of a label. */
static struct label_sums sums_of(
	const struct world *w, const struct thread_facts *facts, uint32_t label)
{
	struct label_sums sums = {0, 0, 0, 0};

	for (int i = 0; i < w->count; i++)
		if (is_host(w, i) && w->spans[i].label == label && !is_again(w, i))
			sums.dur += w->spans[i].dur_ns;
	for (int64_t tick = 0; tick < RANGE; tick++) {
		bool exposed = in_window(w, facts, -1, tick) && !busy_at(w, ALL_DEVICES, tick);
		for (uint32_t t = 0; t < w->f.timeline->track_count; t++) {
			int i = innermost(w, t, tick, false);
			if (i < 0 || !is_host(w, i) || w->spans[i].label != label)
				continue;
			sums.self += TICK;
			sums.self_exposed += exposed ? TICK : 0;
		}
		if (exposed && label_open_at(w, label, tick))
			sums.exposed += TICK;
	}
	return sums;
}

static void check_host_totals(struct world *w, const struct thread_facts *facts)
{
	for (int role = 0; role < TC_ROLE_COUNT; role++) {
		const char *name = role ? tc_role_name((enum tc_role)role) : "none";
		struct label_sums sums = sums_of(w, facts, (uint32_t)role);
		if (sql_int(&w->f, "SELECT 1 FROM host_total WHERE name = %Q", name) != 1)
			continue;
		assert_int_equal(
			sql_int(&w->f, "SELECT dur_ns FROM host_total WHERE name = %Q", name),
			sums.dur);
		assert_int_equal(
			sql_int(&w->f, "SELECT self_ns FROM host_total WHERE name = %Q", name),
			sums.self);
		assert_int_equal(
			sql_int(&w->f, "SELECT self_exposed_ns FROM host_total WHERE name = %Q",
				name),
			sums.self_exposed);
		assert_int_equal(
			sql_int(&w->f, "SELECT exposed_ns FROM host_total WHERE name = %Q", name),
			sums.exposed);
	}
}

/* The compile of slice c: what it compiled, and whether the same was compiled before. */
static void check_compile(struct world *w, const struct thread_facts *facts, int main_thread,
	const bool *has_row, int c)
{
	static char sequences[MAX_SPANS][MAX_SPANS + 1];
	char *mine = sequences[c];
	int order[MAX_SPANS], count = 0;
	const char *kind = "first";

	for (int i = 0; i < w->count; i++)
		if (is_compiled_by(w, facts, main_thread, has_row, i, c)) {
			int at = count++;
			for (; at > 0 && before(w, i, order[at - 1]); at--)
				order[at] = order[at - 1];
			order[at] = i;
		}
	for (int i = 0; i < count; i++)
		mine[i] = (char)('A' + w->spans[order[i]].label);
	mine[count] = '\0';
	for (int i = 0; i < w->count && count > 0; i++)
		if (has_row[i] && before(w, i, c) && strcmp(sequences[i], mine) == 0)
			kind = "again";
	assert_int_equal(
		sql_int(&w->f,
			"SELECT count(*) FROM compile WHERE slice_id = %lld AND op_count = %d"
			" AND kind = %Q AND (op_sequence IS NULL) = %d AND op_count ="
			" (SELECT count(*) FROM compile_op o WHERE o.compile_id = compile.id)",
			(long long)w->spans[c].slice_id, count, count ? kind : "unknown",
			count == 0),
		1);
}

static void check_compiles(struct world *w)
{
	struct thread_facts facts[MAX_THREADS];
	int main_thread = survey_threads(w, facts), order[MAX_SPANS], rows = 0;
	bool has_row[MAX_SPANS];

	for (int i = 0; i < w->count; i++) {
		has_row[i] = sql_int(&w->f,
				     "SELECT count(*) FROM host_event WHERE role = 'compile'"
				     " AND slice_id = %lld",
				     (long long)w->spans[i].slice_id) == 1;
		if (!has_row[i])
			continue;
		int at = rows++;
		for (; at > 0 && before(w, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	assert_int_equal(sql_int(&w->f, "SELECT count(*) FROM compile"), rows);
	for (int i = 0; i < rows; i++)
		check_compile(w, facts, main_thread, has_row, order[i]);
	if (metric(&w->f, "compile_count", NULL, NO_STEP) != INT64_MIN)
		assert_int_equal(metric(&w->f, "compile_first_count", NULL, NO_STEP) +
					 metric(&w->f, "compile_again_count", NULL, NO_STEP),
			sql_int(&w->f,
				"SELECT count(*) FROM compile WHERE kind <> 'unknown' AND"
				" (step_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM step))"));
}

/* Each wait ends with the operation that released it, or with none where none could. */
static void check_releases(struct world *w)
{
	for (int i = 0; i < w->count; i++) {
		int64_t last = INT64_MIN;
		if (!is_host(w, i) || label_of(w, i)->role != TC_ROLE_SYNC)
			continue;
		for (int op = 0; op < w->count; op++)
			if (may_release(w, op, i) &&
				w->spans[op].ts_ns + w->spans[op].dur_ns > last)
				last = w->spans[op].ts_ns + w->spans[op].dur_ns;
		long long slice = (long long)w->spans[i].slice_id;
		assert_int_equal(
			sql_int(&w->f, "SELECT op_end FROM wait_release WHERE slice_id = %lld",
				slice),
			last);
		int64_t told = sql_int(
			&w->f, "SELECT op_slice_id FROM wait_release WHERE slice_id = %lld", slice);
		for (int op = 0; op < w->count; op++)
			if (w->spans[op].slice_id == told)
				assert_true(may_release(w, op, i) &&
					    w->spans[op].ts_ns + w->spans[op].dur_ns == last);
	}
}

/* The totals are the sums of the rows of gap, by what they share. */
static void check_gap_totals(struct world *w)
{
	assert_int_equal(
		sql_int(&w->f, "SELECT count(*) FROM (SELECT device, step_id, cause, sum(dur),"
			       " sum(count), max(iif(count = 1, dur, NULL)),"
			       " sum(empty_ns),"
			       " sum(iif(gap_dur > 10000, 0, dur)) FROM gap GROUP BY 1, 2, 3"
			       " EXCEPT SELECT device, step_id, cause, dur, count, longest_ns,"
			       " unrecorded_ns, short_ns FROM gap_total)"),
		0);
	assert_int_equal(
		sql_int(&w->f, "SELECT count(*) FROM gap WHERE host_ns + empty_ns > dur"
			       " OR empty_ns < 0 OR iif(host_slice_id IS NULL, host_ns <> 0,"
			       "  host_ns <= 0 OR host_ns < empty_ns)"),
		0);
	assert_int_equal(sql_int(&w->f, "SELECT count(*) FROM gap_total"),
		sql_int(&w->f, "SELECT count(*) FROM (SELECT DISTINCT device, step_id, cause"
			       " FROM gap)"));
	assert_int_equal(sql_int(&w->f, "SELECT count(*) FROM gap_host"),
		sql_int(&w->f, "SELECT count(*) FROM (SELECT DISTINCT device, cause, is_warm_up,"
			       " label_id FROM gap_host)"));
}

/* Idle time with a cause, while the host was in slices of a label. */
static void check_gap_host(struct world *w, uint32_t label)
{
	int64_t held_ns = 0;

	for (int i = 0; i < w->count; i++)
		if (is_host(w, i) && w->spans[i].label == label)
			held_ns += sql_int(&w->f,
				"SELECT coalesce(sum(host_ns), 0) FROM gap WHERE host_slice_id = "
				"%lld",
				(long long)w->spans[i].slice_id);
	assert_int_equal(
		sql_int(&w->f, "SELECT coalesce(sum(dur), 0) FROM gap_host WHERE label_id = %lld",
			(long long)(w->f.timeline->label_base + label)),
		held_ns);
}

static void test_random_timelines(void **state)
{
	(void)state;
	static struct world w;
	int rounds = getenv("TC_ROUNDS") ? atoi(getenv("TC_ROUNDS")) : TC_TEST_RUNS(400);

	for (int round = 0; round < rounds; round++) {
		struct thread_facts facts[MAX_THREADS];
		make_world(&w, (uint32_t)round);
		find_held_up(&w);
		for (int device = 0; device < w.devices; device++) {
			check_operations(&w, device);
			check_recipes(&w, device);
			check_lanes(&w, device);
		}
		for (int i = 0; i <= w.devices; i++) {
			int device = i == w.devices ? ALL_DEVICES : i;
			for (int step = -1; step < w.steps; step++)
				check_measures(&w, device, step);
			check_gaps(&w, device);
			check_waits(&w, device);
		}
		check_gap_totals(&w);
		for (uint32_t label = 0; label < w.f.timeline->label_count; label++)
			check_gap_host(&w, label);
		survey_threads(&w, facts);
		bool has_host = metric(&w.f, "host_window_ns", NULL, NO_STEP) != INT64_MIN;
		for (int step = -1; step < w.steps && has_host; step++)
			check_host_window(&w, facts, step);
		check_host_totals(&w, facts);
		check_compiles(&w);
		check_releases(&w);
		fixture_close(&w.f);
	}
}

/* The sums alone, also when work starts before its launch and links go anywhere. */
static void test_sums_hold_for_any_links(void **state)
{
	(void)state;
	static struct world w;
	any_links = true;
	for (uint32_t round = 0; round < TC_TEST_RUNS(200); round++) {
		make_world(&w, 90000 + round);
		assert_int_equal(
			sql_int(&w.f, "SELECT count(*) FROM metric m WHERE name ="
				      " 'device_idle_ns' AND device IS NOT NULL AND value <>"
				      " (SELECT coalesce(sum(dur), 0) FROM gap g WHERE g.device ="
				      " m.device)"),
			0);
		assert_int_equal(
			sql_int(&w.f, "SELECT count(*) FROM metric m WHERE name ="
				      " 'device_busy_ns' AND device IS NOT NULL AND step IS NULL"
				      " AND value <> (SELECT sum(exclusive_ns) FROM op_total o"
				      " WHERE o.device = m.device)"),
			0);
		assert_int_equal(
			sql_int(&w.f, "SELECT count(*) FROM (SELECT device, sum(exclusive_ns) AS"
				      " ns, sum(op_count) AS ops FROM recipe_total GROUP BY device)"
				      " r WHERE ns <> (SELECT value FROM metric m WHERE m.name ="
				      " 'device_busy_ns' AND m.device = r.device AND step IS NULL)"
				      " OR ops <> (SELECT sum(op_count) FROM lane_total l WHERE"
				      " l.device = r.device)"),
			0);
		assert_int_equal(sql_int(&w.f, "SELECT count(*) FROM gap WHERE dur <= 0"), 0);
		check_gap_totals(&w);
		assert_int_equal(
			sql_int(&w.f, "SELECT count(*) FROM host_event WHERE exposed_ns < 0 OR"
				      " transfer_ns < 0 OR exposed_ns + transfer_ns > dur OR"
				      " idle_after_ns < 0"),
			0);
		assert_int_equal(
			sql_int(&w.f, "SELECT count(*) FROM metric WHERE name ="
				      " 'exposed_transfer_ns' AND device IS NULL AND step IS NULL"
				      " AND value <> (SELECT coalesce(sum(dur), 0)"
				      " FROM exposed_transfer)"),
			0);
		assert_int_equal(sql_int(&w.f, "SELECT count(*) FROM exposed_transfer"
					       " WHERE late_ns NOT BETWEEN 0 AND dur"),
			0);
		fixture_close(&w.f);
	}
	any_links = false;
}

/* Every n-th allocation fails: an error or a right answer, and nothing leaks. */
static void test_no_memory(void **state)
{
	(void)state;
	static struct world w;
	make_world(&w, 4);
	for (int64_t n = 0; n < 400; n++) {
		sql_run(&w.f, "ROLLBACK; BEGIN");
		tc_alloc_fail_after(n);
		enum tc_status status = try_analyze(&w.f);
		tc_alloc_fail_after(-1);
		if (status)
			assert_int_equal(status, TC_ERR_NOMEM);
		tc_ctx_clear_error(w.f.ctx);
	}
	fixture_close(&w.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_timelines),
		cmocka_unit_test(test_sums_hold_for_any_links),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
