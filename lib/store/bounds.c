/* Counts the time, memory and temporary files of a statement where SQLite takes them: in the
 * progress handler, in the allocator, and in the file system (file/vfs.c). A thread runs one
 * bounded statement at a time. */
#include "store/bounds.h"

#include <stddef.h>

#include "core/limits.h"
#include "core/saturate.h"
#include "store/sql.h"
#include "tracecoach/store.h"

static const struct {
	int id, value;
} limits[TC_BOUNDS_LIMITS] = {
	{SQLITE_LIMIT_LENGTH, TC_RULE_MAX_VALUE_BYTES},
	{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, TC_RULE_MAX_PATTERN_BYTES},
	{SQLITE_LIMIT_SQL_LENGTH, TC_RULE_MAX_SQL_BYTES},
	{SQLITE_LIMIT_FUNCTION_ARG, TC_RULE_MAX_ARGUMENT_COUNT},
	{SQLITE_LIMIT_COLUMN, TC_RULE_MAX_COLUMN_COUNT},
	{SQLITE_LIMIT_COMPOUND_SELECT, TC_RULE_MAX_COMPOUND_COUNT},
	{SQLITE_LIMIT_WORKER_THREADS, 0}, /* all of it happens on the thread that is watched */
};

#define TOO_MUCH_MEMORY "it took more than 128 MiB of memory and was stopped: ask for less at once"
#define TOO_MUCH_ROOM                                                                              \
	"it took more than 512 MiB of temporary files and was stopped: sort and join fewer rows"
_Static_assert(TC_RULE_MAX_MEMORY_BYTES == 128 * 1024 * 1024 &&
		       TC_RULE_MAX_TEMPORARY_BYTES == 512 * 1024 * 1024,
	"the messages say so");

/* The bounds of the statement that is prepared or run on this thread. */
static _Thread_local struct tc_bounds *watched;

static int check(void *user)
{
	struct tc_bounds *bounds = user;
	int64_t thousands = bounds->left_count / TC_RULE_CLOCK_INSTRUCTIONS;

	bounds->left_count -= TC_RULE_CHECK_INSTRUCTIONS;
	bool asks_clock = bounds->left_count / TC_RULE_CLOCK_INSTRUCTIONS != thousands;
	if (bounds->left_count < 0 || (asks_clock && tc_cpu_now_ns() > bounds->end_cpu_ns))
		bounds->exceeded = "it ran too long and was stopped: read tallies, not slices";
	else if (bounds->left_memory_bytes < 0)
		bounds->exceeded = TOO_MUCH_MEMORY;
	else if (bounds->left_temporary_bytes < 0)
		bounds->exceeded = TOO_MUCH_ROOM;
	return bounds->exceeded || tc_ctx_interrupted(bounds->ctx);
}

void tc_bounds_begin(struct tc_bounds *bounds, sqlite3 *db)
{
	if (bounds->left_count == 0)
		bounds->left_count = TC_RULE_MAX_INSTRUCTIONS;
	if (bounds->left_cpu_ns == 0)
		bounds->left_cpu_ns = TC_RULE_MAX_CPU_NS;
	if (bounds->left_memory_bytes == 0)
		bounds->left_memory_bytes = TC_RULE_MAX_MEMORY_BYTES;
	if (bounds->left_temporary_bytes == 0)
		bounds->left_temporary_bytes = TC_RULE_MAX_TEMPORARY_BYTES;
	bounds->end_cpu_ns = tc_add_saturated(tc_cpu_now_ns(), bounds->left_cpu_ns);
	bounds->db = db;
	for (int i = 0; i < TC_BOUNDS_LIMITS; i++)
		bounds->limits[i] = sqlite3_limit(db, limits[i].id, limits[i].value);
	sqlite3_progress_handler(db, TC_RULE_CHECK_INSTRUCTIONS, check, bounds);
	watched = bounds;
}

void tc_bounds_end(struct tc_bounds *bounds)
{
	watched = NULL;
	tc_sql_stop_on_interrupt(bounds->db, bounds->ctx);
	for (int i = 0; i < TC_BOUNDS_LIMITS; i++)
		sqlite3_limit(bounds->db, limits[i].id, bounds->limits[i]);
}

void tc_bounds_note_temporary(int64_t bytes)
{
	if (watched)
		watched->left_temporary_bytes -= bytes;
}

/* ---- memory, by way of the allocator that SQLite has otherwise */

static sqlite3_mem_methods usual;

static bool may_take(int64_t bytes)
{
	if (!watched || watched->runs || bytes <= watched->left_memory_bytes)
		return true;
	watched->exceeded = TOO_MUCH_MEMORY;
	return false;
}

static int64_t size_of(void *memory)
{
	return watched && memory ? usual.xSize(memory) : 0;
}

static void note_memory(int64_t bytes)
{
	if (watched)
		watched->left_memory_bytes -= bytes;
}

static void *take_memory(int bytes)
{
	void *memory = may_take(bytes) ? usual.xMalloc(bytes) : NULL;

	note_memory(size_of(memory));
	return memory;
}

static void give_back(void *memory)
{
	note_memory(-size_of(memory));
	usual.xFree(memory);
}

static void *resize_memory(void *memory, int bytes)
{
	int64_t before = size_of(memory);
	void *after = may_take(bytes - before) ? usual.xRealloc(memory, bytes) : NULL;

	if (after)
		note_memory(size_of(after) - before);
	return after;
}

bool tc_store_bound_memory(void)
{
	sqlite3_mem_methods ours;

	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &ours) != SQLITE_OK)
		return false;
	if (ours.xMalloc == take_memory)
		return true;
	usual = ours;
	ours.xMalloc = take_memory;
	ours.xFree = give_back;
	ours.xRealloc = resize_memory;
	return sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) == SQLITE_OK;
}
