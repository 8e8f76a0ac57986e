/* The views of queues (stream_depth, stream_queue, stream_idle) against a count that asks every
 * nanosecond, and every pair of operations. */
#include "memory_store.h"

#include <stdbool.h>
#include <stdlib.h>

enum { OPS = 40, LANES = 2, ROUNDS = 60 };

/* The clock of real traces: more digits than a double has. */
#define EPOCH_NS 1694128201436207001

struct op {
	int lane;
	int64_t ts, dur, launch_ts; /* launch -1: not known */
};

struct world {
	sqlite3 *db;
	struct op ops[OPS];
};

static void put(struct world *world, char *sql)
{
	memory_store_exec(world->db, sql);
	sqlite3_free(sql);
}

/* Operations of a lane do not overlap; a launch may be after its work. Slices: operation i, call
 * 100 + i. */
static void make(struct world *world, int64_t start_ns)
{
	int64_t end[LANES] = {start_ns + 40, start_ns + 60};

	memory_store_exec(world->db,
		"INSERT INTO label(id, name, engine, kind) VALUES(1, 'k', 'compute', 'kernel'), "
		"(2, 'l', NULL, NULL);"
		"INSERT INTO track(id, trace_id, kind, device, lane) VALUES(0, 0, 'lane', '0', "
		"'stream 7'),"
		"(1, 0, 'lane', '0', 'stream 8'), (2, 0, 'thread', NULL, NULL)");
	for (int i = 0; i < OPS; i++) {
		struct op *op = &world->ops[i];

		op->lane = rand() % LANES;
		op->ts = end[op->lane] + (rand() % 3 ? rand() % 12 : rand() % 60);
		op->dur = rand() % 9;
		end[op->lane] = op->ts + op->dur;
		op->launch_ts = rand() % 6 ? op->ts + 2 - rand() % 40 : -1;
		put(world,
			sqlite3_mprintf(
				"INSERT INTO slice_row VALUES(%d, %lld, %lld, %d, 1, NULL, NULL)",
				i, op->ts, op->dur, op->lane));
		if (op->launch_ts >= 0)
			put(world, sqlite3_mprintf("INSERT INTO slice_row VALUES(%d, %lld, 1, 2, "
						   "2, NULL, NULL);"
						   "INSERT INTO device_link VALUES(%d, %d, %d, "
						   "NULL, 'correlation')",
					   100 + i, op->launch_ts, i, i, 100 + i));
	}
}

static int depth_at(const struct world *world, int lane, int64_t ts)
{
	int depth = 0;

	for (int i = 0; i < OPS; i++) {
		const struct op *op = &world->ops[i];

		if (op->lane == lane && op->launch_ts >= 0)
			depth += (op->launch_ts <= ts) - (op->ts <= ts);
	}
	return depth;
}

/* The first and the last change of a lane's depth; false when nothing of it was launched. */
static bool bounds(const struct world *world, int lane, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (int i = 0; i < OPS; i++) {
		const struct op *op = &world->ops[i];

		if (op->lane != lane || op->launch_ts < 0)
			continue;
		*first = op->launch_ts < *first ? op->launch_ts : *first;
		*first = op->ts < *first ? op->ts : *first;
		*last = op->launch_ts > *last ? op->launch_ts : *last;
		*last = op->ts > *last ? op->ts : *last;
	}
	return *first <= *last;
}

static void compare_queue(struct world *world, int lane)
{
	int64_t first, last, sum = 0, waiting = 0, delay = 0, count = 0;
	int most = INT32_MIN;

	if (!bounds(world, lane, &first, &last))
		return;
	for (int64_t ts = first; ts <= last; ts++) {
		int depth = depth_at(world, lane, ts);
		char *sql =
			sqlite3_mprintf("SELECT depth FROM depth WHERE track_id = %d AND ts <= %lld"
					" ORDER BY ts DESC LIMIT 1",
				lane, ts);

		assert_int_equal(memory_store_number(world->db, sql), depth);
		sqlite3_free(sql);
		most = depth > most ? depth : most;
		if (ts < last) {
			sum += depth;
			waiting += depth > 0;
		}
	}
	for (int i = 0; i < OPS; i++) {
		const struct op *op = &world->ops[i];

		if (op->lane == lane && op->launch_ts >= 0) {
			delay += op->ts - op->launch_ts;
			count++;
		}
	}
	char *sql = sqlite3_mprintf(
		"SELECT mean_delay_ns = %lld AND max_depth = %d AND waiting_ns = %lld AND full_ns "
		"= 0 AND"
		" abs(coalesce(mean_depth, 0) * %lld - %lld) < 1e-6 FROM stream_queue"
		" WHERE track_id = %d",
		delay / count, most, waiting, last - first, sum, lane);
	assert_int_equal(memory_store_number(world->db, sql), 1);
	sqlite3_free(sql);
}

/* The operation of the lane that is before this one, or NULL. */
static const struct op *before(const struct world *world, int index)
{
	for (int i = index; i-- > 0;)
		if (world->ops[i].lane == world->ops[index].lane)
			return &world->ops[i];
	return NULL;
}

static void compare_idle(struct world *world, int lane)
{
	static const char *const causes[] = {"host_wait", "kernel_wait", "other"};
	int64_t idle[3] = {0}, count[3] = {0};

	for (int i = 0; i < OPS; i++) {
		const struct op *op = &world->ops[i], *last = before(world, i);

		if (op->lane != lane || !last)
			continue;
		int64_t end = last->ts + last->dur;
		int cause = op->launch_ts > end ? 0 : op->ts - end < 30 ? 1 : 2;

		idle[cause] += op->ts - end;
		count[cause]++;
	}
	for (int i = 0; i < 3; i++) {
		char *sql =
			sqlite3_mprintf("SELECT count(*) = %d AND coalesce(sum(count), 0) = %lld"
					" AND coalesce(sum(idle_ns), 0) = %lld FROM stream_idle"
					" WHERE track_id = %d AND cause = %Q",
				count[i] > 0, count[i], idle[i], lane, causes[i]);

		assert_int_equal(memory_store_number(world->db, sql), 1);
		sqlite3_free(sql);
	}
}

static void test_random(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world = {.db = memory_store_open_trace()};

		srand((unsigned)round + 1);
		memory_store_exec(world.db, "BEGIN");
		make(&world, round % 2 ? EPOCH_NS : 0);
		memory_store_exec(
			world.db, "COMMIT; CREATE TABLE depth AS SELECT * FROM stream_depth");
		for (int lane = 0; lane < LANES; lane++) {
			compare_queue(&world, lane);
			compare_idle(&world, lane);
		}
		sqlite3_close(world.db);
	}
}

/* 2,000 launches at once, one start every 10 ns: full while 1,024 or more wait. */
static void test_full(void **state)
{
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	memory_store_exec(db,
		"INSERT INTO label(id, name, engine, kind) VALUES(1, 'k', 'compute', 'kernel');"
		"INSERT INTO track(id, trace_id, kind, device, lane) VALUES(0, 0, 'lane', '0', "
		"'stream 7'),"
		"(2, 0, 'thread', NULL, NULL);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
		" INSERT INTO slice_row SELECT i, 100 + 10 * i, 10, 0, 1, NULL, NULL FROM n"
		" UNION ALL SELECT 10000 + i, 100, 1, 2, 1, NULL, NULL FROM n;"
		"INSERT INTO device_link SELECT id, id, id + 10000, NULL, 'correlation' FROM "
		"slice_row WHERE id < 10000");
	/* 2,000 wait from 100 on, 2,000 - i from 100 + 10 i: 1,024 and more until 100 + 10 *
	 * 977. */
	assert_int_equal(memory_store_number(db, "SELECT full_ns FROM stream_queue"), 9770);
	assert_int_equal(memory_store_number(db, "SELECT max_depth FROM stream_queue"), 2000);
	assert_int_equal(memory_store_number(db, "SELECT max_delay_ns FROM stream_queue"), 20000);
	assert_int_equal(memory_store_number(db, "SELECT mean_delay_ns FROM stream_queue"), 10005);
	assert_int_equal(memory_store_number(db, "SELECT waiting_ns FROM stream_queue"), 20000);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
