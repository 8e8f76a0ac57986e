/* See device_part.h. */
#include "cut/device_part.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/text/decimal.h"
#include "cut/ident.h"
#include "store/sql.h"

/* Columns pid, tid; the device as its work names it where its thread has work of others, too. */
static const char lanes_sql[] =
	"SELECT p.pid, h.tid, iif(EXISTS (SELECT 1 FROM track o WHERE o.thread_id = t.thread_id"
	" AND o.device <> t.device), (SELECT json_extract(a.args, '$.device') FROM slice_row s"
	" JOIN slice_args a ON a.slice_id = s.id WHERE s.track_id = t.id LIMIT 1), NULL)"
	" FROM track t JOIN thread h ON h.id = t.thread_id JOIN process p ON p.id = h.process_id"
	" WHERE t.device = ?1";

static const char processes_sql[] =
	"SELECT p.pid FROM process p JOIN track t ON t.process_id = p.id AND t.device IS NOT NULL"
	" GROUP BY p.id HAVING min(t.device = ?1)";

/* A thread that several processes record has the launch in all of them. */
static const char launches_sql[] =
	"WITH launched(id) AS (SELECT DISTINCT d.launch_slice_id FROM device_link d"
	" CROSS JOIN slice_row s ON s.id BETWEEN d.first_slice_id AND d.last_slice_id"
	" CROSS JOIN track t ON t.id = s.track_id AND t.device = ?1"
	" WHERE d.launch_slice_id IS NOT NULL),"
	" record(thread_id, pid, tid) AS MATERIALIZED (SELECT a.id, p.pid, b.tid FROM thread a"
	" JOIN thread b ON b.id = a.id OR b.host_thread_id = coalesce(a.host_thread_id, a.id)"
	" OR b.id = a.host_thread_id JOIN process p ON p.id = b.process_id)"
	" SELECT r.pid, r.tid, s.ts FROM launched l JOIN slice_row s ON s.id = l.id"
	" JOIN track t ON t.id = s.track_id JOIN record r ON r.thread_id = t.thread_id";

static struct tc_scalar scalar_of(sqlite3_stmt *row, int column)
{
	const struct tc_sql_value value = tc_sql_column(row, column);

	if (value.kind == TC_SQL_INT)
		return (struct tc_scalar){.kind = TC_SCALAR_INT, .i64 = value.i64};
	if (value.kind == TC_SQL_TEXT)
		return (struct tc_scalar){.kind = TC_SCALAR_TEXT, .text = value.text};
	return (struct tc_scalar){0};
}

static uint64_t shared_lane(uint64_t track, const struct tc_scalar *device)
{
	const uint64_t place[] = {track, tc_ident_hash(device)};

	return tc_hash_of(place, sizeof(place));
}

static enum tc_status take_lane(void *user, sqlite3_stmt *row)
{
	struct tc_device_part *part = user;
	const struct tc_scalar pid = scalar_of(row, 0), tid = scalar_of(row, 1),
			       device = scalar_of(row, 2);
	uint64_t track = tc_ident_track(&pid, &tid);

	if (device.kind != TC_SCALAR_NONE)
		track = shared_lane(track, &device);
	return tc_number_set_add(&part->lanes, track) ? TC_OK : tc_no_memory(part->ctx);
}

static enum tc_status take_process(void *user, sqlite3_stmt *row)
{
	struct tc_device_part *part = user;
	const struct tc_scalar pid = scalar_of(row, 0);

	return tc_number_set_add(&part->processes, tc_ident_hash(&pid)) ? TC_OK
									: tc_no_memory(part->ctx);
}

static enum tc_status take_launch(void *user, sqlite3_stmt *row)
{
	struct tc_device_part *part = user;
	const struct tc_scalar pid = scalar_of(row, 0), tid = scalar_of(row, 1);

	if (!TC_GROW(part->launches, part->launch_capacity, part->launch_count + 1))
		return tc_no_memory(part->ctx);
	part->launches[part->launch_count++] =
		(struct tc_launch_place){tc_ident_track(&pid, &tid), sqlite3_column_int64(row, 2)};
	return TC_OK;
}

TC_ORDER(compare_launches, struct tc_launch_place, TC_UP(track) TC_UP(ts_ns));

static enum tc_status take_text(void *user, sqlite3_stmt *row)
{
	tc_buf_append_text(user, tc_sql_column(row, 0).text);
	return TC_OK;
}

/* Says which devices there are. */
static enum tc_status no_device(struct tc_ctx *ctx, sqlite3 *db, const char *asked)
{
	struct tc_buf names = TC_BUF_EMPTY;
	enum tc_status status = tc_sql_each(ctx, db,
		"SELECT group_concat(device, ', ') FROM (SELECT DISTINCT device FROM track"
		" WHERE device IS NOT NULL ORDER BY CAST(device AS INTEGER), device LIMIT 20)",
		NULL, take_text, &names);

	if (!status && names.len == 0)
		status = tc_fail(ctx, TC_ERR_USAGE,
			"--device %s: the trace has no device work: give --time", asked);
	else if (!status)
		status = tc_fail(ctx, TC_ERR_USAGE,
			"--device %s: no such device: the trace has work of %s", asked,
			tc_buf_string(&names));
	tc_buf_clear(&names);
	return status;
}

enum tc_status tc_device_part_load(
	struct tc_device_part *part, struct tc_ctx *ctx, sqlite3 *db, const char *device)
{
	const struct tc_sql_value name = tc_sql_string(device);

	*part = (struct tc_device_part){.ctx = ctx};
	part->has_number = tc_decimal_int64(&part->number, tc_text_from(device));
	enum tc_status status = tc_sql_each(ctx, db, lanes_sql, &name, take_lane, part);
	if (!status && part->lanes.count == 0)
		return no_device(ctx, db, device);
	if (!status)
		status = tc_sql_each(ctx, db, processes_sql, &name, take_process, part);
	if (!status)
		status = tc_sql_each(ctx, db, launches_sql, &name, take_launch, part);
	if (part->launch_count > 0)
		qsort(part->launches, part->launch_count, sizeof(part->launches[0]),
			compare_launches);
	return status;
}

void tc_device_part_clear(struct tc_device_part *part)
{
	tc_number_set_clear(&part->lanes);
	tc_number_set_clear(&part->processes);
	tc_free(part->launches);
	*part = (struct tc_device_part){0};
}

static bool is_memory(const struct tc_device_part *part, const struct tc_raw_event *event)
{
	const struct tc_scalar *type = &event->arg[TC_ARG_MEM_DEVICE_TYPE],
			       *id = &event->arg[TC_ARG_MEM_DEVICE_ID];

	return part->has_number && type->kind == TC_SCALAR_INT && type->i64 != 0 &&
	       id->kind == TC_SCALAR_INT && id->i64 == part->number;
}

bool tc_device_part_has(
	const struct tc_device_part *part, const struct tc_raw_event *event, uint64_t track)
{
	const struct tc_scalar *device = &event->arg[TC_ARG_DEVICE];

	if (tc_number_set_has(&part->lanes, track))
		return true;
	if (event->ph == 'C')
		return tc_number_set_has(&part->processes, tc_ident_hash(&event->pid));
	return is_memory(part, event) ||
	       (device->kind != TC_SCALAR_NONE &&
		       tc_number_set_has(&part->lanes, shared_lane(track, device)));
}

bool tc_device_part_launches(
	const struct tc_device_part *part, uint64_t track, int64_t from_ns, int64_t to_ns)
{
	const struct tc_launch_place first = {track, from_ns};
	size_t at;

	TC_BISECT(at, part->launch_count, compare_launches(&part->launches[at], &first) < 0);
	if (at == part->launch_count || part->launches[at].track != track)
		return false;
	return part->launches[at].ts_ns < to_ns || part->launches[at].ts_ns == from_ns;
}
