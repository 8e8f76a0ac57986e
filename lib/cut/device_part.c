
#include "core/alloc.h"
#include "core/array.h"
#include "core/text/decimal.h"
#include "cut/parts.h"
#include "report/view/rows.h"
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

static struct tc_scalar scalar_of(const struct tc_rows *row, int column)
{
	const struct tc_sql_value value = tc_sql_column(row->stmt, column);

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

/* The thread of a row (pid, tid, ...). */
static uint64_t track_of(const struct tc_rows *row)
{
	const struct tc_scalar pid = scalar_of(row, 0), tid = scalar_of(row, 1);

	return tc_ident_track(&pid, &tid);
}

static void take_lane(struct tc_device_part *part, const struct tc_rows *row)
{
	const struct tc_scalar device = scalar_of(row, 2);
	uint64_t track = track_of(row);

	if (device.kind != TC_SCALAR_NONE)
		track = shared_lane(track, &device);
	if (!tc_number_set_add(&part->lanes, track))
		tc_no_memory(row->ctx);
}

static void take_process(struct tc_device_part *part, const struct tc_rows *row)
{
	const struct tc_scalar pid = scalar_of(row, 0);

	if (!tc_number_set_add(&part->processes, tc_ident_hash(&pid)))
		tc_no_memory(row->ctx);
}

static void take_launch(struct tc_device_part *part, const struct tc_rows *row)
{
	TC_PUSH(row->ctx, part->launches, part->launch_count, part->launch_capacity,
		(struct tc_launch_place){track_of(row), tc_rows_int(row, 2)});
}

TC_ORDER(compare_launches, struct tc_launch_place, TC_UP(track) TC_UP(ts_ns));

/* Says which devices there are. */
static void no_device(struct tc_ctx *ctx, sqlite3 *db, const char *asked)
{
	struct tc_rows row = tc_rows_open(ctx, db,
		"SELECT group_concat(device, ', ') FROM (SELECT DISTINCT device FROM track"
		" WHERE device IS NOT NULL ORDER BY CAST(device AS INTEGER), device LIMIT 20)");

	if (tc_rows_next(&row) && tc_rows_null(&row, 0))
		tc_fail(ctx, TC_ERR_USAGE, "--device %s: the trace has no device work: give --time",
			asked);
	else if (!tc_ctx_failed(ctx))
		tc_fail(ctx, TC_ERR_USAGE, "--device %s: no such device: the trace has work of %s",
			asked, tc_rows_text(&row, 0).ptr);
	tc_rows_close(&row);
}

enum tc_status tc_device_part_load(
	struct tc_device_part *part, struct tc_ctx *ctx, sqlite3 *db, const char *device)
{
	static const struct {
		const char *sql;
		void (*take)(struct tc_device_part *part, const struct tc_rows *row);
	} queries[] = {
		{lanes_sql, take_lane}, {processes_sql, take_process}, {launches_sql, take_launch}};

	*part = (struct tc_device_part){0};
	part->has_number = tc_decimal_int64(&part->number, tc_text_from(device));
	for (size_t i = 0; i < TC_COUNT_OF(queries); i++) {
		struct tc_rows row = tc_rows_open(ctx, db, queries[i].sql);
		tc_rows_bind_text(&row, 1, tc_text_from(device));
		while (tc_rows_next(&row))
			queries[i].take(part, &row);
		if (part->lanes.count == 0 && !tc_ctx_failed(ctx))
			no_device(ctx, db, device);
	}
	TC_SORT(part->launches, part->launch_count, compare_launches);
	return tc_ctx_status(ctx);
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
