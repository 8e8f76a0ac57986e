/* The views of memory (memory_curve, memory_block, memory_step, memory_peak, memory_at_peak,
 * memory_operator, memory_kept) against a count that goes through all pairs of events. */
#include "memory_store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 120, STEPS = 4, STEP_NS = 100, OPERATORS = 3, STEP_SLICE = 3, ROUNDS = 40 };

struct event {
	int id, device; /* 0 is the CPU */
	int64_t ts, bytes, total;
	int addr;        /* 0: not recorded */
	int operator_id; /* -1: no slice around it; STEP_SLICE: that of a step */
	int64_t in_use;
	int step; /* -1: outside */
	int end;  /* index of the event that ends it, or -1 */
};

static const char *const operators[OPERATORS] = {"aten::addmm", "aten::zeros", "backward"};

struct world {
	sqlite3 *db;
	struct event events[EVENTS];
	bool has_totals[3];
	bool has_addresses;
};

static void put(struct world *world, char *sql)
{
	memory_store_exec(world->db, sql);
	sqlite3_free(sql);
}

/* Of two events the one that comes first in time, by id at one time. */
static bool before(const struct event *a, const struct event *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->id < b->id);
}

/* Slices 10.. are the operators; 20.. allocate in them, directly or through a second one. */
static void put_slices(struct world *world)
{
	memory_store_exec(world->db,
		"INSERT INTO label(id, name, mark) VALUES(0, 'aten::empty', 'allocate'),"
		"(1, 'aten::empty_like', 'allocate'), (2, 'ProfilerStep#7', 'profiler_step');"
		"INSERT INTO slice_row VALUES(33, 0, 9, 0, 2, NULL, NULL)");
	for (int i = 0; i < OPERATORS; i++) {
		put(world, sqlite3_mprintf(
				   "INSERT INTO label(id, name) VALUES(%d, %Q);"
				   "INSERT INTO slice_row VALUES(%d, 0, 9, 0, %d, NULL, NULL),"
				   "(%d, 0, 9, 0, 1, NULL, NULL), (%d, 0, 9, 0, 0, NULL, NULL);"
				   "INSERT INTO slice_nest VALUES(%d, 1, %d), (%d, 2, %d)",
				   5 + i, operators[i], 10 + i, 5 + i, 20 + i, 30 + i, 20 + i,
				   10 + i, 30 + i, i == 0 ? 10 : 20 + i));
	}
}

static void make_events(struct world *world)
{
	int64_t totals[3] = {0, 1000, 5000};
	int64_t live[3][8] = {{0}};

	for (int i = 0; i < EVENTS; i++) {
		struct event *event = &world->events[i];
		int64_t *held;

		*event = (struct event){.id = i, .device = rand() % 3, .step = -1, .end = -1};
		event->ts = i * 5 - i % (1 + rand() % 3); /* with ties, not always in order */
		event->addr = world->has_addresses ? 1 + rand() % 7 : 0;
		held = &live[event->device][event->addr];
		event->bytes = *held > 0 && rand() % 8 > 0 ? -*held : 1 + rand() % 1000;
		*held = event->bytes > 0 ? event->bytes : 0;
		totals[event->device] += event->bytes;
		event->total = totals[event->device];
		event->operator_id = rand() % (STEP_SLICE + 2) - 1;
		if (event->ts >= 50 && event->ts < 50 + STEPS * STEP_NS &&
			(event->ts - 50) % STEP_NS < STEP_NS - 10)
			event->step = (int)(event->ts - 50) / STEP_NS;
	}
}

static void put_events(struct world *world)
{
	for (int i = 0; i < STEPS; i++)
		put(world,
			sqlite3_mprintf("INSERT INTO step VALUES(%d, 0, %d, 's', %d, %d, 1, NULL, "
					"NULL, 0, 0)",
				i, i + 7, 50 + i * STEP_NS, STEP_NS - 10));
	for (int i = 0; i < EVENTS; i++) {
		const struct event *event = &world->events[i];
		bool has_total = world->has_totals[event->device];

		put(world, sqlite3_mprintf("INSERT INTO memory_sample VALUES(%d, 0, %lld, %d, %d,"
					   " nullif(%d, 0), %lld, iif(%d, %lld, NULL), NULL, %d)",
				   event->id, event->ts, event->device > 0, event->device - 1,
				   event->addr, event->bytes, has_total, event->total, i % 2));
		if (event->operator_id >= 0)
			put(world, sqlite3_mprintf("INSERT INTO memory_slice VALUES(%d, %d)",
					   event->id, 30 + event->operator_id));
	}
}

/* What was in use after an event, and the event that ends it: the next one of its address. */
static void count(struct world *world)
{
	for (int i = 0; i < EVENTS; i++) {
		struct event *event = &world->events[i];

		event->in_use = world->has_totals[event->device] ? event->total : 0;
		for (int j = 0; j < EVENTS; j++) {
			const struct event *other = &world->events[j];

			if (other->device != event->device)
				continue;
			if (!world->has_totals[event->device] && !before(event, other))
				event->in_use += other->bytes;
			if (event->addr > 0 && other->addr == event->addr && before(event, other) &&
				(event->end < 0 || before(other, &world->events[event->end])))
				event->end = j;
		}
	}
}

static const char *device_name(int device)
{
	static const char *const names[] = {"cpu", "0", "1"};

	return names[device];
}

static const char *operator_of(const struct event *event)
{
	return event->operator_id >= 0 && event->operator_id < OPERATORS
		       ? operators[event->operator_id]
		       : NULL;
}

static void expect_events(struct world *world)
{
	memory_store_exec(world->db,
		"CREATE TABLE curve(id, device, ts, step_id, bytes, in_use, relative);"
		"CREATE TABLE block(id, device, bytes, operator, known, end_id, thread_id, "
		"step_id)");
	for (int i = 0; i < EVENTS; i++) {
		const struct event *event = &world->events[i];
		const char *name = operator_of(event);

		put(world, sqlite3_mprintf(
				   "INSERT INTO curve VALUES(%d, %Q, %lld, nullif(%d, -1), %lld, "
				   "%lld, %d)",
				   event->id, device_name(event->device), event->ts, event->step,
				   event->bytes, event->in_use, !world->has_totals[event->device]));
		if (event->bytes > 0)
			put(world, sqlite3_mprintf("INSERT INTO block VALUES(%d, %Q, %lld, %Q, %d,"
						   " nullif(%d, -1), %d, nullif(%d, -1))",
					   event->id, device_name(event->device), event->bytes,
					   name, event->addr > 0, event->end, i % 2, event->step));
	}
}

static const struct event *find_peak(const struct world *world, int device)
{
	const struct event *peak = NULL;

	for (int i = 0; i < EVENTS; i++) {
		const struct event *event = &world->events[i];

		if (event->device != device)
			continue;
		if (!peak || event->in_use > peak->in_use ||
			(event->in_use == peak->in_use && before(event, peak)))
			peak = event;
	}
	return peak;
}

static bool lives_at(const struct world *world, const struct event *event, const struct event *peak)
{
	if (event->device != peak->device || event->bytes < 0 || event->addr == 0)
		return false;
	return !before(peak, event) && (event->end < 0 || before(peak, &world->events[event->end]));
}

/* The peak of a device, and who holds it, by looking at every event. */
static void expect_peaks(struct world *world)
{
	memory_store_exec(world->db, "CREATE TABLE peak(device, id, in_use);"
				     "CREATE TABLE holder(device, id, operator, bytes)");
	for (int device = 0; device < 3; device++) {
		const char *name = device_name(device);
		const struct event *peak = find_peak(world, device);

		if (!peak)
			continue;
		put(world, sqlite3_mprintf("INSERT INTO peak VALUES(%Q, %d, %lld)", name, peak->id,
				   peak->in_use));
		for (int i = 0; i < EVENTS; i++) {
			const struct event *event = &world->events[i];

			if (lives_at(world, event, peak))
				put(world,
					sqlite3_mprintf(
						"INSERT INTO holder VALUES(%Q, %d, %Q, %lld)", name,
						event->id, operator_of(event), event->bytes));
		}
	}
}

static void same(sqlite3 *db, const char *got, const char *want)
{
	char *sql =
		sqlite3_mprintf("SELECT (SELECT count(*) FROM (%s EXCEPT %s)) + (SELECT count(*) "
				"FROM (%s EXCEPT %s)) + abs((SELECT count(*) FROM (%s)) - (SELECT "
				"count(*) FROM (%s)))",
			got, want, want, got, got, want);

	if (memory_store_number(db, sql) != 0)
		fail_msg("%s differs from %s", got, want);
	sqlite3_free(sql);
}

static void compare(sqlite3 *db)
{
	same(db,
		"SELECT id, device, ts, step_id, bytes, in_use_bytes, is_relative FROM "
		"memory_curve",
		"SELECT * FROM curve");
	same(db,
		"SELECT id, device, bytes, operator, has_address, end_id, thread_id FROM "
		"memory_block",
		"SELECT id, device, bytes, operator, known, end_id, thread_id FROM block");
	same(db, "SELECT device, id, in_use_bytes FROM memory_peak", "SELECT * FROM peak");
	same(db, "SELECT device, operator, count, bytes FROM memory_at_peak WHERE NOT is_older",
		"SELECT device, operator, count(*), sum(bytes) FROM holder GROUP BY 1, 2");
	same(db, "SELECT device, bytes FROM memory_at_peak WHERE is_older",
		"SELECT p.device, p.in_use - coalesce((SELECT sum(h.bytes) FROM holder h"
		" WHERE h.device = p.device), 0) FROM peak p WHERE"
		" (SELECT max(known) FROM block) AND NOT (SELECT max(c.relative) FROM curve c"
		" WHERE c.device = p.device)");
	same(db,
		"SELECT device, step_id, event_count, allocation_count, allocated_bytes, "
		"freed_bytes,"
		" peak_bytes, least_bytes, end_bytes FROM memory_step",
		"SELECT c.device, c.step_id, count(*), sum(c.bytes > 0), sum(max(c.bytes, 0)),"
		" -sum(min(c.bytes, 0)), max(c.in_use), min(c.in_use), (SELECT d.in_use FROM curve "
		"d"
		" WHERE d.device = c.device AND d.step_id IS c.step_id ORDER BY d.ts DESC, d.id "
		"DESC"
		" LIMIT 1) FROM curve c GROUP BY 1, 2");
	same(db,
		"SELECT device, operator, thread_id, count, bytes, kept_count, kept_bytes"
		" FROM memory_operator",
		"SELECT device, operator, thread_id, count(*), sum(bytes),"
		" iif(max(known), sum(end_id IS NULL), NULL),"
		" iif(max(known), sum(iif(end_id IS NULL, bytes, 0)), NULL)"
		" FROM block GROUP BY 1, 2, 3");
	same(db, "SELECT device, operator, count, bytes, step_count, is_leak FROM memory_kept",
		"SELECT device, operator, count(*), sum(bytes), count(DISTINCT step_id),"
		" count(DISTINCT step_id) = 3 FROM block WHERE known AND end_id IS NULL"
		" AND step_id < 3 GROUP BY 1, 2");
}

static void test_random(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world = {.db = memory_store_open_trace()};

		srand((unsigned)round + 1);
		world.has_addresses = round % 5 > 0;
		for (int i = 0; i < 3; i++)
			world.has_totals[i] = rand() % 3 > 0;
		make_events(&world);
		count(&world);
		put_slices(&world);
		memory_store_exec(world.db, "BEGIN");
		put_events(&world);
		expect_events(&world);
		expect_peaks(&world);
		memory_store_exec(world.db, "COMMIT");
		compare(world.db);
		sqlite3_close(world.db);
	}
}

/* Sizes that a trace invents add up to the largest number there is, and no further. */
static void test_huge(void **state)
{
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	memory_store_exec(db, "INSERT INTO memory_sample VALUES"
			      "(1, 0, 1, 1, 0, 16, 9223372036854775807, NULL, NULL, 0),"
			      "(2, 0, 2, 1, 0, 32, 9223372036854775807, NULL, NULL, 0)");
	assert_true(
		memory_store_number(db, "SELECT max(in_use_bytes) FROM memory_curve") == INT64_MAX);
	assert_true(memory_store_number(db, "SELECT bytes FROM memory_operator") == INT64_MAX);
	assert_true(memory_store_number(db, "SELECT kept_bytes FROM memory_operator") == INT64_MAX);
	assert_true(memory_store_number(db, "SELECT sum(bytes) FROM memory_at_peak") == INT64_MAX);
	assert_true(
		memory_store_number(db, "SELECT allocated_bytes FROM memory_step") == INT64_MAX);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_huge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
