/*
 * The numbers of the comparison: those of random small stores counted again by brute force, and by
 * the queries that it tells.
 */
#include "sanitized.h"
#include "compare_fixture.h"

#include "analysis/metrics.h"

#define MAX_STEPS 12
#define MAX_OPS 20
#define RANDOM_ROUNDS TC_TEST_RUNS(150)

static uint64_t seed;

static int64_t random_below(int64_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((seed >> 33) % (uint64_t)limit);
}

/* What a side has, before it is rows. */
struct step_model {
	int64_t ts, dur, device_ts, device_dur; /* device_dur -1: no work */
};

struct op_model {
	int64_t engine, name, count, dur_ns, exclusive_ns;
};

static const enum tc_metric metric_ids[] = {TC_METRIC_IDLE, TC_METRIC_COMPUTE_BUSY,
	TC_METRIC_COMM_EXPOSED, TC_METRIC_COPY_EXCLUSIVE, TC_METRIC_HOST_DATALOADER_OWN,
	TC_METRIC_HOST_OTHER_OWN, TC_METRIC_HOST_OTHER_EXPOSED, TC_METRIC_SYNC_COUNT};
#define METRIC_COUNT (sizeof(metric_ids) / sizeof(metric_ids[0]))

struct model {
	struct step_model steps[MAX_STEPS];
	struct op_model ops[MAX_OPS];
	int64_t step_count, op_count, wall_ns;
	bool has_warm_up;
	int64_t run[METRIC_COUNT], first[METRIC_COUNT];
};

static void make_model(struct model *model)
{
	int64_t at = random_below(1000);

	*model = (struct model){.step_count = random_below(MAX_STEPS + 1),
		.op_count = random_below(MAX_OPS + 1),
		.wall_ns = 1 + random_below(100000)};
	model->has_warm_up = model->step_count > 1 && random_below(2) == 0;
	for (int64_t i = 0; i < model->step_count; i++) {
		struct step_model *step = &model->steps[i];
		*step = (struct step_model){at, 1 + random_below(500), 0, -1};
		if (random_below(3) > 0) {
			step->device_ts = at + random_below(300);
			step->device_dur = random_below(1500);
		}
		at += 1 + random_below(600); /* may start before the last one has ended */
	}
	for (int64_t i = 0; i < model->op_count; i++)
		model->ops[i] = (struct op_model){random_below(2), random_below(6),
			1 + random_below(9), random_below(1000), random_below(1000)};
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		model->run[i] = random_below(100000);
		model->first[i] = random_below(1000);
	}
}

static void store_model(sqlite3 *db, const struct model *model)
{
	memory_store_trace(db, 0, model->wall_ns, (const char *const[]){"device", NULL});
	for (int64_t i = 0; i < model->step_count; i++) {
		const struct step_model *step = &model->steps[i];
		/* Ids that run against the time. */
		exec_free(db,
			sqlite3_mprintf(
				"INSERT INTO step(id, trace_id, number, name, ts, dur, slice_id,"
				" device_ts, device_dur, is_warm_up, is_unused) VALUES(%lld, 0, "
				"%lld, 'x', "
				"%lld, %lld, 0, iif(%lld < 0, NULL, %lld),"
				" nullif(%lld, -1), %d, 0)",
				100 - i, i, step->ts, step->dur, step->device_dur, step->device_ts,
				step->device_dur, i == 0 && model->has_warm_up));
	}
	for (int64_t i = 0; i < model->op_count; i++) {
		const struct op_model *op = &model->ops[i];
		exec_free(db, sqlite3_mprintf("INSERT INTO op_total(trace_id, device, name, engine,"
					      " kind, count, dur_ns, exclusive_ns, min_ns, max_ns)"
					      " VALUES(0, %lld, nullif('op%lld', 'op0'), 'e%lld',"
					      " 'kernel', %lld, %lld, %lld, 0, 0)",
				      i % 3, op->name, op->engine, op->count, op->dur_ns,
				      op->exclusive_ns));
		exec_free(
			db, sqlite3_mprintf(
				    "INSERT INTO host_total(trace_id, category, name, role, count, "
				    "dur_ns, "
				    "self_ns, exposed_ns, is_launching) VALUES(0, NULL, 'h%lld', "
				    "'r%lld', %lld, %lld, %lld, 7, 1)",
				    op->name, op->engine, op->count, op->dur_ns, op->exclusive_ns));
	}
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		const char *name = tc_metric_info(metric_ids[i])->name;
		memory_store_metric(db, 0, name, NULL, model->run[i]);
		exec_free(db, sqlite3_mprintf("INSERT INTO metric VALUES"
					      "(0, %Q, NULL, 0, %lld, 'ns'),"
					      "(0, %Q, NULL, 1, 123456, 'ns')",
				      name, model->first[i], name));
	}
}

static int compare_numbers(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The times of the steps without warm-up, sorted; returns how many, and the first one that is no
 * warm-up, or -1. Steps are in time order. */
static int64_t count_steps(const struct model *model, int64_t *times, int64_t *first_ns)
{
	int64_t from = model->steps[0].ts, count = 0;

	for (int64_t i = 0; i < model->step_count; i++) {
		int64_t until = from;
		for (int64_t j = 0; j <= i; j++) {
			const struct step_model *step = &model->steps[j];
			int64_t device_end = step->device_ts + step->device_dur;
			until = step->ts + step->dur > until ? step->ts + step->dur : until;
			until = step->device_dur >= 0 && device_end > until ? device_end : until;
		}
		if (i > 0 || !model->has_warm_up)
			times[count++] = until - from;
		if (i == 0)
			*first_ns = model->has_warm_up ? -1 : until - from;
		from = until;
	}
	qsort(times, (size_t)count, sizeof(*times), compare_numbers);
	return count;
}

/* Whether the first step is warm-up on one side, and left out on the other, too, of which the other
 * steps take some time. */
static bool leave_first(const struct model *models)
{
	const struct model *other = &models[models[0].has_warm_up ? 1 : 0];
	int64_t times[MAX_STEPS] = {0}, first_ns = -1, sum_ns = 0;

	if (models[0].has_warm_up == models[1].has_warm_up)
		return false;
	int64_t count = count_steps(other, times, &first_ns);
	for (int64_t i = 0; i < count; i++)
		sum_ns += times[i];
	return count > 1 && sum_ns > first_ns;
}

/* What is expected of the compared steps of a side. */
struct expected {
	int64_t count, sum_ns, min_ns, q1_ns, median_ns, q3_ns, max_ns, all_count;
};

static int64_t ceil_div(int64_t a, int64_t b)
{
	return a / b + (a % b > 0);
}

static struct expected expect(const struct model *model, bool by_step, bool leaves_first)
{
	int64_t times[MAX_STEPS] = {0}, sum_ns = 0, first_ns = -1;
	int64_t count = by_step ? count_steps(model, times, &first_ns) : 1;

	if (!by_step)
		times[0] = model->wall_ns;
	if (count == 0)
		return (struct expected){0};
	for (int64_t i = 0; i < count; i++)
		sum_ns += times[i];
	bool leaves = leaves_first && first_ns >= 0;
	return (struct expected){count - leaves, sum_ns - leaves * first_ns, times[0],
		times[ceil_div(count, 4) - 1], times[ceil_div(count, 2) - 1],
		times[ceil_div(3 * count, 4) - 1], times[count - 1],
		by_step ? model->step_count : 1};
}

static int64_t rounded(int64_t sum, int64_t count)
{
	int64_t whole = sum / count, rest = sum % count; /* towards zero, so rest has sum's sign */

	if (2 * (rest < 0 ? -rest : rest) >= count)
		whole += sum < 0 ? -1 : 1;
	return whole;
}

static void check_side(sqlite3 *db, const char *json, int side, const struct expected *want)
{
	const struct {
		const char *member;
		int64_t value;
	} members[] = {{"count", want->count}, {"sum_ns", want->sum_ns}, {"min_ns", want->min_ns},
		{"q1_ns", want->q1_ns}, {"median_ns", want->median_ns}, {"q3_ns", want->q3_ns},
		{"max_ns", want->max_ns}};
	char path[64];

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		snprintf(path, sizeof(path), "$.%s.compared.%s", side_names[side],
			members[i].member);
		assert_int_equal(number_at(db, json, path), members[i].value);
	}
	snprintf(path, sizeof(path), "$.verdict.%s_ns", side_names[side]);
	assert_int_equal(number_at(db, json, path), rounded(want->sum_ns, want->count));
}

struct sum {
	int64_t ns, count;
};

/* A time of a section by its name: the sum and the mean of a side. */
static void check_time(sqlite3 *db, const char *json, const char *section, const char *name,
	int side, struct sum sum)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		"SELECT value ->> '$.%s_sum_ns' FROM json_each(?1, '$.%s') WHERE value ->> "
		"'$.name' "
		"= '%s'",
		side_names[side], section, name);
	assert_int_equal(number(db, json, sql), sum.ns);
	snprintf(sql, sizeof(sql),
		"SELECT value ->> '$.%s_ns' FROM json_each(?1, '$.%s') WHERE value ->> '$.name' = "
		"'%s'",
		side_names[side], section, name);
	assert_int_equal(number(db, json, sql), rounded(sum.ns, sum.count));
}

static void check_metrics(sqlite3 *db, const char *json, const struct model *model, int side,
	const struct expected *want, bool without_first)
{
	int64_t parts_ns = 0;
	char sql[128];

	for (size_t i = 0; i < METRIC_COUNT; i++) {
		enum tc_metric id = metric_ids[i];
		int64_t sum = model->run[i] - (without_first ? model->first[i] : 0);
		bool is_idle = id == TC_METRIC_IDLE;
		if (id == TC_METRIC_SYNC_COUNT) {
			snprintf(sql, sizeof(sql),
				"SELECT value ->> '$.%s' FROM json_each(?1, '$.amounts')"
				" WHERE value ->> '$.name' = 'sync_count'",
				side_names[side]);
			assert_int_equal(number(db, json, sql), sum);
			continue;
		}
		if (is_idle && sum < 0)
			sum = 0;
		check_time(db, json, i < 4 ? "device" : "host",
			is_idle ? "idle" : tc_metric_info(id)->name, side,
			(struct sum){sum, want->count});
		parts_ns += i < 4 ? sum : 0;
	}
	check_time(db, json, "device", "outside", side,
		(struct sum){want->sum_ns - parts_ns, want->count});
	snprintf(sql, sizeof(sql),
		"SELECT sum(value ->> '$.%s_sum_ns') FROM json_each(?1, '$.device')",
		side_names[side]);
	assert_int_equal(number(db, json, sql), want->sum_ns);
}

/* Sums of the model's operations of an engine and a name. */
static struct op_model sum_ops(const struct model *model, int64_t engine, int64_t name)
{
	struct op_model sum = {engine, name, 0, 0, 0};

	for (int64_t i = 0; i < model->op_count; i++) {
		const struct op_model *op = &model->ops[i];
		if (op->engine != engine || op->name != name)
			continue;
		sum.count += op->count;
		sum.dur_ns += op->dur_ns;
		sum.exclusive_ns += op->exclusive_ns;
	}
	return sum;
}

/* Every operation is told, once; "before_ns,after_ns,..." of each as the models have it. */
static void check_rows(
	sqlite3 *db, const char *json, const struct model *models, const struct expected *want)
{
	int64_t rows = 0;

	for (int64_t engine = 0; engine < 2; engine++) {
		for (int64_t name = 0; name < 6; name++) {
			struct op_model a = sum_ops(&models[0], engine, name);
			struct op_model b = sum_ops(&models[1], engine, name);
			int64_t before = rounded(a.exclusive_ns, want[0].all_count);
			int64_t after = rounded(b.exclusive_ns, want[1].all_count);
			char sql[512], expected[256];
			if (a.count + b.count == 0)
				continue;
			rows++;
			snprintf(expected, sizeof(expected),
				"%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%s",
				(long long)a.count, (long long)b.count, (long long)a.dur_ns,
				(long long)b.dur_ns, (long long)a.exclusive_ns,
				(long long)b.exclusive_ns, (long long)before, (long long)after,
				(long long)(after - before),
				a.count == 0   ? "new"
				: b.count == 0 ? "gone"
					       : "remains");
			snprintf(sql, sizeof(sql),
				"SELECT printf('%%s,%%s,%%s,%%s,%%s,%%s,%%s,%%s,%%s,%%s',"
				" v ->> 'before_count', v ->> 'after_count', v ->> 'before_dur_ns',"
				" v ->> 'after_dur_ns', v ->> 'before_sum_ns', v ->> "
				"'after_sum_ns',"
				" v ->> 'before_ns', v ->> 'after_ns', v ->> 'difference_ns',"
				" v ->> 'change') FROM (SELECT value AS v FROM json_each(?1,"
				" '$.operations.rows')) WHERE v ->> 'engine' = 'e%lld'"
				" AND v ->> 'name' = iif(%lld = 0, '', 'op%lld')",
				(long long)engine, (long long)name, (long long)name);
			assert_answer(db, sql, json, expected);
		}
	}
	assert_int_equal(number_at(db, json, "$.operations.count"), rows);
	assert_int_equal(
		number(db, json, "SELECT json_array_length(?1, '$.operations.rows')"), rows);
	assert_int_equal(
		number(db, json, "SELECT json_array_length(?1, '$.host_slices.rows')"), rows);
	assert_answer(db,
		"SELECT count(*) FROM (SELECT abs(value ->> '$.difference_ns') AS d,"
		" lag(abs(value ->> '$.difference_ns')) OVER (ORDER BY key) AS last"
		" FROM json_each(?1, '$.operations.rows')) WHERE d > last",
		json, "0");
}

/* The query of that name, run on both stores, is what the JSON says: no row of want EXCEPT got
 * and the reverse, with as many rows. want reads the JSON as ?1. */
static void check_query(
	sqlite3 *both, const char *json, const char *name, const char *columns, const char *want)
{
	char path[64];

	snprintf(path, sizeof(path), "$.queries.%s", name);
	char *query = ask(both, "SELECT json_extract(?1, ?2)", json, path);
	char *sql = sqlite3_mprintf(
		"WITH told AS (SELECT %s FROM (%s)), said AS (%s) SELECT (SELECT count(*) FROM "
		"told)"
		" || ' ' || (SELECT count(*) FROM said) || ' ' ||"
		" (SELECT count(*) FROM (SELECT * FROM told EXCEPT SELECT * FROM said))",
		columns, query, want);
	char *answer = ask(both, sql, json, NULL);
	long long told = -1, said = -1, apart = -1;
	if (!answer || sscanf(answer, "%lld %lld %lld", &told, &said, &apart) != 3 ||
		told != said || apart != 0)
		fail_msg("query %s: %s rows (told, said, apart) of\n%s\nin\n%s", name, answer, sql,
			json);
	sqlite3_free(answer);
	sqlite3_free(sql);
	sqlite3_free(query);
}

#define SIDE(name)                                                                                 \
	"SELECT '" name "', ?1 ->> '$." name ".compared.count', ?1 ->> '$." name                   \
	".compared.sum_ns', ?1 ->> '$." name ".compared.min_ns', ?1 ->> '$." name                  \
	".compared.q1_ns', ?1 ->> '$." name ".compared.median_ns', ?1 ->> '$." name                \
	".compared.q3_ns', ?1 ->> '$." name ".compared.max_ns'"
#define ROWS(list, group)                                                                          \
	"SELECT value ->> '$." group "', value ->> '$.name', value ->> '$.before_count',"          \
	" value ->> '$.after_count', value ->> '$.before_dur_ns', value ->> '$.after_dur_ns',"     \
	" value ->> '$.before_sum_ns', value ->> '$.after_sum_ns', value ->> '$.before_ns',"       \
	" value ->> '$.after_ns' FROM json_each(?1, '$." list ".rows')"

static void check_queries(sqlite3 *both, const char *json)
{
	check_query(both, json, "steps",
		"side, steps, sum_ns, min_ns, lower_quartile_ns, median_ns, "
		"upper_quartile_ns, max_ns",
		SIDE("before") " UNION ALL " SIDE("after"));
	check_query(both, json, "operations", "*", ROWS("operations", "engine"));
	check_query(both, json, "host_slices", "*", ROWS("host_slices", "role"));
	/* Parts of which neither side has a metric are zeros of the JSON, and no rows. */
	check_query(both, json, "metrics",
		"iif(name = 'idle_ns', 'idle', name) AS name, max(coalesce(before, 0), 0),"
		" max(coalesce(after, 0), 0)",
		"SELECT value ->> '$.name', max(value ->> '$.before_sum_ns', 0),"
		" max(value ->> '$.after_sum_ns', 0) FROM (SELECT * FROM json_each(?1, '$.device')"
		" UNION ALL SELECT * FROM json_each(?1, '$.host'))"
		" WHERE value ->> '$.name' IN ('idle', 'compute_busy_ns', "
		"'exposed_communication_ns',"
		" 'copy_exclusive_ns', 'host_dataloader_own_ns', 'host_other_own_ns',"
		" 'host_other_exposed_ns')"
		" UNION ALL SELECT value ->> '$.name', value ->> '$.before', value ->> '$.after'"
		" FROM json_each(?1, '$.amounts') WHERE value ->> '$.before' IS NOT NULL");
}

static void test_random(void **state)
{
	(void)state;
	for (int round = 0; round < RANDOM_ROUNDS; round++) {
		struct model models[TC_COMPARE_SIDES];
		struct expected want[TC_COMPARE_SIDES];
		sqlite3 *db[TC_COMPARE_SIDES];
		bool by_step = true;
		seed = (uint64_t)round + 1;
		for (int i = 0; i < TC_COMPARE_SIDES; i++) {
			make_model(&models[i]);
			db[i] = open_empty(i);
			store_model(db[i], &models[i]);
			want[i] = expect(&models[i], true, false);
			by_step &= want[i].sum_ns > 0;
		}
		sqlite3 *both = open_both();
		struct pair pair = pair_of(db[0], db[1]);
		char *json = text_of(&pair, "json");
		bool leaves_first = by_step && leave_first(models);
		for (int i = 0; i < TC_COMPARE_SIDES; i++) {
			want[i] = expect(&models[i], by_step, leaves_first);
			check_side(both, json, i, &want[i]);
			check_metrics(both, json, &models[i], i, &want[i],
				by_step && (models[i].has_warm_up || leaves_first));
		}
		assert_answer(both, "SELECT ?1 ->> '$.basis'", json, by_step ? "step" : "wall");
		check_rows(both, json, models, want);
		check_queries(both, json);
		free(json);
		sqlite3_close(both);
	}
}

/* The queries of what the models lack: copies and advice. */
static void test_other_queries(void **state)
{
	static const char rows[] =
		"UPDATE host_event SET role = 'input_copy', detail = '{\"bytes\":4096}' WHERE id = "
		"0;"
		"UPDATE host_event SET role = 'output_copy' WHERE id = 1;"
		"INSERT INTO finding VALUES(1, 0, 'dataloader-bound', 'x', 'high', 'measured', "
		"280000000, 280000000, 280000000, 56.0, 'SELECT 1')";
	sqlite3 *before = open_fixture(TC_BEFORE), *after = open_fixture(TC_AFTER);

	(void)state;
	memory_store_exec(before, rows);
	memory_store_exec(after, rows);
	memory_store_exec(after, "DELETE FROM finding; UPDATE step SET is_warm_up = 0;"
				 "UPDATE host_event SET is_warm_up = 0");
	sqlite3 *both = open_both();
	struct pair pair = pair_of(before, after);
	char *json = text_of(&pair, "json");
	/* The copy is in the warm-up step before; the other says no bytes. */
	check_query(both, json, "copies", "role, before, after",
		"SELECT 'input_copy', ?1 ->> '$.amounts[6].before', 4096");
	assert_int_equal(number_at(both, json, "$.amounts[6].after"), 4096);
	assert_answer(
		both, "SELECT json_extract(?1, '$.amounts[6].name')", json, "input_copy_bytes");
	assert_answer(both, "SELECT json_extract(?1, '$.amounts[7].after')", json, "(NULL)");
	check_query(both, json, "advice", "*", "SELECT 'dataloader-bound', 280000000, NULL, 1, 0");
	sqlite3_close(both);
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_other_queries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
