/*
 * Blocks: what no other event contains, ordered by their ends. Idle time, and copies that devices
 * do alone, belong to the last block that ends until their end:
 *
 *   host      |--item()--|                |--batch--|       item() is a block, and so is the loader
 *   device                  |gap|--work--|     |copy|       the gap is the cost of item()
 */
#include "analysis/host_block.h"

#include "core/saturate.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/strtab.h"
#include "names/label/label.h"
#include "store/sql.h"

/* Shorter loader calls do not count: a loader whose batch is ready still takes time to hand it
 * over. Our default, no published source. */
#define SHORTEST_NS INT64_C(100000)
#define SHORTEST_LOADER_NS INT64_C(1000000)

enum way { WAY_NONE, WAY_IN, WAY_OUT, WAY_UNKNOWN };

enum kind { KIND_SYNC, KIND_INPUT_COPY, KIND_CPU_FALLBACK, KIND_DATALOADER };

/* Whether a loader call ends the cost of the block before it. */
enum lens { LENS_WITHOUT_LOADER, LENS_ALL, LENS_COUNT };

/* The costs of what follows a block, up to the next block under the same lens. */
struct cost {
	int64_t idle_ns, host_ns, transfer_ns;
};

/* A host event that no other one contains. */
struct block {
	int64_t id, thread_id, ts_ns, dur_ns, transfer_ns;
	uint32_t caller;     /* into texts, TC_STRTAB_NONE without one */
	uint8_t way;         /* enum way */
	uint8_t kind;        /* enum kind */
	uint8_t half;        /* for a fallback made of two copies: WAY_IN or WAY_OUT */
	struct block *other; /* the last one until its end that is not a loader call */
	struct cost costs[LENS_COUNT];
};

/* Where the copies have come to under a lens. */
struct place {
	struct block *last; /* the last block that has ended; NULL before the first */
	size_t next;        /* index of the block after it */
};

struct tally {
	struct tc_tables tables;
	struct tc_strtab callers;
	struct block *blocks; /* starts and ends both ascend, as no block contains another */
	size_t count, capacity;
	int64_t until_ns; /* the latest end of an event so far */
	struct place places[LENS_COUNT];
};

/* Orders events so that each comes after all events that contain it. */
static const char events_sql[] =
	"SELECT e.id, e.thread_id, e.ts, e.dur, e.transfer_ns, e.caller, e.role, e.in_copy,"
	" e.follows_loader, (SELECT l.direction FROM wait_release r"
	"  JOIN slice_row s ON s.id = r.op_slice_id JOIN label l ON l.id = s.label_id"
	"  WHERE e.in_copy AND r.slice_id = e.slice_id)"
	" FROM steady_host_event e WHERE e.trace_id = ?1"
	" AND e.role IN ('sync', 'output_copy', 'input_copy', 'cpu_fallback', 'dataloader',"
	" 'dispatch')"
	" ORDER BY e.ts, e.dur DESC, e.id";

/* Idle times, each at its end. */
static const char gaps_sql[] = "SELECT g.ts + g.dur, g.dur, g.cause FROM steady_gap g"
			       " WHERE g.trace_id = ?1 AND g.count = 1";

/* Copies during which the host was late, in the order of time. */
static const char transfers_sql[] = "SELECT x.ts, x.ts + x.late_ns"
				    " FROM exposed_transfer x LEFT JOIN step s ON s.id = x.step_id"
				    " WHERE x.trace_id = ?1 AND x.count = 1 AND x.late_ns > 0"
				    " AND coalesce(s.is_warm_up, 0) = 0 ORDER BY x.ts";

static const char insert_sql[] =
	"INSERT INTO host_block SELECT h.id, h.trace_id, ?2, coalesce(?3, h.role), h.name, "
	"h.caller,"
	" h.python, s.number, h.ts, h.dur, h.exposed_ns, ?4, ?5, ?6, h.transfer_ns, ?7, ?8, ?9, ?10"
	" FROM host_event h LEFT JOIN step s ON s.id = h.step_id WHERE h.id = ?1";

static int64_t end_of(const struct block *block)
{
	return block->ts_ns + block->dur_ns;
}

static bool is_text(const struct tc_rows *row, int column, const char *text)
{
	return tc_text_equal(tc_rows_text(row, column), tc_text_from(text));
}

static enum tc_role role_of(const struct tc_rows *row)
{
	return tc_role_find(tc_rows_text(row, 6));
}

/* The direction of a copy, if the row shows it: of its call, or of what it waited for. */
static enum way way_of(const struct tc_rows *row)
{
	const enum tc_role role = role_of(row);

	if (role == TC_ROLE_INPUT_COPY)
		return WAY_IN;
	if (role == TC_ROLE_OUTPUT_COPY)
		return WAY_OUT;
	if (role != TC_ROLE_SYNC || tc_rows_int(row, 7) == 0)
		return WAY_NONE;
	if (is_text(row, 9, "DtoH"))
		return WAY_OUT;
	return tc_rows_int(row, 8) != 0 || is_text(row, 9, "HtoD") ? WAY_IN : WAY_UNKNOWN;
}

static enum kind kind_of(const struct tc_rows *row, enum way way)
{
	const enum tc_role role = role_of(row);

	if (role == TC_ROLE_CPU_FALLBACK || role == TC_ROLE_DISPATCH)
		return KIND_CPU_FALLBACK;
	if (way == WAY_IN)
		return KIND_INPUT_COPY;
	return role == TC_ROLE_DATALOADER ? KIND_DATALOADER : KIND_SYNC;
}

/* Keeps an event unless one before it contains it. */
static void take_event(struct tally *tally, const struct tc_rows *row)
{
	struct block block = {
		.id = tc_rows_int(row, 0),
		.thread_id = tc_rows_int(row, 1),
		.ts_ns = tc_rows_int(row, 2),
		.dur_ns = tc_rows_int(row, 3),
		.transfer_ns = tc_rows_int(row, 4),
		.caller = TC_STRTAB_NONE,
		.way = (uint8_t)way_of(row),
	};
	struct tc_text caller = tc_rows_text(row, 5);

	if (tally->count > 0 && end_of(&block) <= tally->until_ns)
		return;
	tally->until_ns = end_of(&block);
	block.kind = (uint8_t)kind_of(row, block.way);
	if (caller.ptr)
		block.caller = tc_strtab_intern(&tally->callers, caller);
	TC_PUSH(tally->tables.ctx, tally->blocks, tally->count, tally->capacity, block);
}

TC_ORDER(by_thread, struct block, TC_UP(thread_id) TC_UP(ts_ns) TC_UP(id));

TC_ORDER(by_end, struct block, TC_UP_OF(end_of) TC_UP(id));

/* An operation that is itself a copy is not a fallback. */
static bool may_fall_back(const struct tally *tally, const struct block *block)
{
	static const char *const copies[] = {
		"aten::to", "aten::_to_copy", "aten::copy_", "aten::item"};

	if (block->caller == TC_STRTAB_NONE)
		return false;
	for (size_t i = 0; i < TC_COUNT_OF(copies); i++)
		if (tc_text_equal(
			    tc_strtab_at(&tally->callers, block->caller), tc_text_from(copies[i])))
			return false;
	return true;
}

/* Whether a copy to the host and the next one of the thread, back to the device, are within one
 * operation. If the directions are not known, two copies with host work between them count. */
static bool is_fallback(const struct tally *tally, const struct block *down, const struct block *up)
{
	if (down->thread_id != up->thread_id || down->caller != up->caller ||
		!may_fall_back(tally, down))
		return false;
	if (down->way == WAY_UNKNOWN && up->way == WAY_UNKNOWN)
		return up->ts_ns - end_of(down) >= SHORTEST_NS;
	return down->way == WAY_OUT && up->way == WAY_IN;
}

/* Finds fallbacks that consist of two copies. A copy between two others is paired with the later
 * one. */
static void pair_copies(struct tally *tally)
{
	struct block *blocks = tally->blocks;

	TC_SORT(blocks, tally->count, by_thread);
	for (size_t i = 1; i < tally->count; i++)
		if (is_fallback(tally, &blocks[i - 1], &blocks[i])) {
			blocks[i - 1].half = WAY_OUT;
			blocks[i].half = WAY_IN;
		}
	for (size_t i = 0; i < tally->count; i++)
		if (blocks[i].half != WAY_NONE)
			blocks[i].kind = KIND_CPU_FALLBACK;
}

static bool is_long_enough(const struct block *block)
{
	if (block->kind == KIND_CPU_FALLBACK)
		return true;
	return block->dur_ns >= (block->kind == KIND_DATALOADER ? SHORTEST_LOADER_NS : SHORTEST_NS);
}

/* Drops blocks that are too short, sorts the rest by their ends, and finds the other block of each.
 */
static void choose_blocks(struct tally *tally)
{
	size_t kept = 0;

	for (size_t i = 0; i < tally->count; i++)
		if (is_long_enough(&tally->blocks[i]))
			tally->blocks[kept++] = tally->blocks[i];
	tally->count = kept;
	TC_SORT(tally->blocks, kept, by_end);
	struct block *other = NULL;
	for (size_t i = 0; i < kept; i++) {
		if (tally->blocks[i].kind != KIND_DATALOADER)
			other = &tally->blocks[i];
		tally->blocks[i].other = other;
	}
}

/* The last block that ends until a time; NULL before the first. */
static struct block *block_before(const struct tally *tally, int64_t time_ns)
{
	size_t at;

	TC_BISECT(at, tally->count, end_of(&tally->blocks[at]) <= time_ns);
	return at > 0 ? &tally->blocks[at - 1] : NULL;
}

static void add_cost(struct cost *cost, int64_t idle_ns, int64_t host_ns, int64_t transfer_ns)
{
	cost->idle_ns = tc_add_saturated(cost->idle_ns, idle_ns);
	cost->host_ns = tc_add_saturated(cost->host_ns, host_ns);
	cost->transfer_ns = tc_add_saturated(cost->transfer_ns, transfer_ns);
}

/* Whose idle time a cause is. */
enum owner { OWNER_NONE, OWNER_LOADER, OWNER_HOST, OWNER_OTHER };

static enum owner owner_of(struct tc_text cause)
{
	switch (tc_cause_find(cause)) {
	case TC_CAUSE_DATALOADER: return OWNER_LOADER;
	case TC_CAUSE_GRAPH_BUILD:
	case TC_CAUSE_DISPATCH:
	case TC_CAUSE_LAUNCH:
	case TC_CAUSE_OTHER: return OWNER_HOST;
	case TC_CAUSE_UNKNOWN:
	case TC_CAUSE_PAUSE:
	case TC_CAUSE_NO_WORK:
	case TC_CAUSE_QUEUED:
	case TC_CAUSE_UNRECORDED:
	case TC_CAUSE_AFTER_LAST_WORK:
	case TC_CAUSE_COUNT: return OWNER_NONE;
	default: return OWNER_OTHER;
	}
}

static void take_gap(struct tally *tally, const struct tc_rows *row)
{
	int64_t idle_ns = tc_rows_int(row, 1);
	enum owner owner = owner_of(tc_rows_text(row, 2));
	int64_t host_ns = owner == OWNER_HOST ? idle_ns : 0;
	struct block *block = block_before(tally, tc_rows_int(row, 0));

	if (!block || owner == OWNER_NONE)
		return;
	if (block->other)
		add_cost(&block->other->costs[LENS_WITHOUT_LOADER], idle_ns, host_ns, 0);
	if (owner != OWNER_LOADER)
		add_cost(&block->costs[LENS_ALL], idle_ns, host_ns, 0);
}

/* The first block under a lens that ends after a time; NULL behind the last one. */
static const struct block *block_after(struct tally *tally, enum lens lens, int64_t time_ns)
{
	struct place *place = &tally->places[lens];

	for (; place->next < tally->count; place->next++) {
		struct block *block = &tally->blocks[place->next];
		if (lens == LENS_WITHOUT_LOADER && block->kind == KIND_DATALOADER)
			continue;
		if (end_of(block) > time_ns)
			return block;
		place->last = block;
	}
	return NULL;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Copies between two blocks belong to the first of them. Those within a block are its own
 * already. */
static void share_transfer(struct tally *tally, enum lens lens, int64_t from_ns, int64_t until_ns)
{
	while (from_ns < until_ns) {
		const struct block *next = block_after(tally, lens, from_ns);
		struct block *last = tally->places[lens].last;
		if (next && next->ts_ns <= from_ns) {
			from_ns = end_of(next);
			continue;
		}
		int64_t end_ns = next ? earlier(until_ns, next->ts_ns) : until_ns;
		if (last)
			add_cost(&last->costs[lens], 0, 0, end_ns - from_ns);
		from_ns = end_ns;
	}
}

static void take_transfer(struct tally *tally, const struct tc_rows *row)
{
	for (int lens = 0; lens < LENS_COUNT; lens++)
		share_transfer(tally, (enum lens)lens, tc_rows_int(row, 0), tc_rows_int(row, 1));
}

static void write_block(struct tally *tally, const struct block *block)
{
	static const char *const kinds[] = {"sync", "input_copy", "cpu_fallback", "dataloader"};
	static const char *const halves[] = {
		[WAY_NONE] = NULL, [WAY_IN] = "input_copy", [WAY_OUT] = "output_copy"};
	const struct cost *other = &block->costs[LENS_WITHOUT_LOADER];
	const struct cost *next = &block->costs[LENS_ALL];
	int64_t most_ns = block->kind == KIND_CPU_FALLBACK ? INT64_MAX : block->dur_ns;
	int64_t cost_ns = tc_add_saturated(
		tc_add_saturated(other->idle_ns, block->transfer_ns), other->transfer_ns);

	const struct tc_sql_value values[] = {
		tc_sql_int(block->id),
		tc_sql_string(kinds[block->kind]),
		tc_sql_string(halves[block->half]),
		tc_sql_int(other->idle_ns),
		tc_sql_int(next->idle_ns),
		tc_sql_int(next->host_ns),
		tc_sql_int(other->transfer_ns),
		tc_sql_int(next->transfer_ns),
		tc_sql_int(earlier(cost_ns, most_ns)),
		tc_sql_int(earlier(next->host_ns, most_ns)),
	};

	TC_TABLES_PUT(&tally->tables, insert_sql, values);
}

TC_ORDER(by_id, struct block, TC_UP(id));

static void write_blocks(struct tally *tally)
{
	TC_SORT(tally->blocks, tally->count, by_id);
	for (size_t i = 0; i < tally->count; i++)
		write_block(tally, &tally->blocks[i]);
}

void tc_host_blocks_write(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	struct tally tally = {.tables = TC_TABLES_OF(ctx, db), .callers.ctx = ctx};
	struct tc_rows events = TC_ROWS(ctx, db, events_sql, trace_id);

	while (tc_rows_next(&events))
		take_event(&tally, &events);
	pair_copies(&tally);
	choose_blocks(&tally);
	if (tally.count > 0) {
		struct tc_rows gaps = TC_ROWS(ctx, db, gaps_sql, trace_id);
		while (tc_rows_next(&gaps))
			take_gap(&tally, &gaps);
		struct tc_rows transfers = TC_ROWS(ctx, db, transfers_sql, trace_id);
		while (tc_rows_next(&transfers))
			take_transfer(&tally, &transfers);
	}
	write_blocks(&tally);
	tc_strtab_clear(&tally.callers);
	tc_free(tally.blocks);
	tc_tables_end(&tally.tables);
}
