/* See communication_tally.h. The bytes that an operation moves are in its args, which this file
 * reads. */
#include "analysis/device/communication_tally.h"

#include "analysis/name_functions.h"

struct row {
	int64_t slice_id, exposed_ns;
};

enum tc_status tc_communication_tally_add(struct tc_communication_tally *tally, struct tc_ctx *ctx,
	int64_t slice_id, int64_t exposed_ns)
{
	const struct row row = {slice_id, exposed_ns};
	enum tc_status status = tally->spill ? TC_OK : tc_spill_new(&tally->spill, ctx);
	int64_t offset = 0;

	if (!status)
		status = tc_spill_append(tally->spill, &row, sizeof(row), &offset);
	tally->count += !status;
	return status;
}

/* Bytes are the larger of what a rank sends and what it receives. If the args of an operation lack
 * them, the inputs of the host range around the launch (NCCL before PyTorch 2.2) or of the call
 * itself (gloo) give what the rank sends. */
static const char insert_sql[] =
	"INSERT INTO communication (slice_id, trace_id, device, lane, by_lane, kind, name,"
	"  group_name, group_size, data_type, bytes, ts, dur, exposed_ns)"
	" WITH RECURSIVE operation AS ("
	"  SELECT s.id, t.device, iif(t.device IS NULL, NULL, t.lane) AS lane,"
	"   coalesce(t.engine, '') = 'nic' AS by_lane, l.collective, l.name, s.ts, s.dur,"
	"   (SELECT a.args FROM slice_args a WHERE a.slice_id = s.id) AS args"
	"  FROM slice_row s JOIN track t ON t.id = s.track_id JOIN label l ON l.id = s.label_id"
	"  WHERE s.id = ?2),"
	" read AS ("
	"  SELECT *, json_extract(args, '$.\"Collective name\"') AS told_name,"
	"   json_extract(args, '$.\"Process Group Name\"') AS group_name,"
	"   json_extract(args, '$.\"Process Group Ranks\"') AS group_ranks,"
	"   json_extract(args, '$.\"Group size\"') AS group_size,"
	"   json_extract(args, '$.dtype') AS data_type,"
	"   json_extract(args, '$.\"In msg nelems\"') AS given,"
	"   json_extract(args, '$.\"Out msg nelems\"') AS got FROM operation),"
	" around(id, level) AS ("
	"  SELECT coalesce((SELECT d.launch_slice_id FROM device_link d"
	"   WHERE d.last_slice_id >= ?2 AND d.first_slice_id = ("
	"    SELECT max(r.first_slice_id) FROM device_link r WHERE r.first_slice_id <= ?2)), ?2),"
	"   0 FROM read WHERE told_name IS NULL AND NOT by_lane"
	"  UNION ALL SELECT n.parent_id, a.level + 1 FROM around a"
	"   JOIN slice_nest n ON n.slice_id = a.id WHERE a.level < 8),"
	" call AS ("
	"  SELECT l.collective AS call_kind, iif(l.collective IN ('all_reduce', 'reduce_scatter',"
	"    'all_to_all', 'broadcast', 'reduce', 'send_recv'), tc_input_bytes(("
	"    SELECT a.args FROM slice_args a WHERE a.slice_id = s.id)), NULL) AS call_bytes"
	"  FROM around u JOIN slice_row s ON s.id = u.id JOIN label l ON l.id = s.label_id"
	"  WHERE l.mark IN ('device_backend', 'host_backend') AND l.collective IS NOT NULL"
	"  ORDER BY u.level LIMIT 1)"
	" SELECT id, ?1, device, lane, by_lane,"
	"  coalesce(tc_collective(told_name), call_kind, collective, 'other'), name,"
	"  nullif(coalesce(group_name, '') || coalesce(' ' || group_ranks, ''), ''),"
	"  iif(typeof(group_size) = 'integer' AND group_size > 0, group_size, NULL),"
	"  iif(typeof(data_type) = 'text', data_type, NULL),"
	"  iif(typeof(given) = 'integer' AND typeof(got) = 'integer'"
	"   AND max(given, got) BETWEEN 1 AND 1 << 56, max(given, got) * tc_type_bytes(data_type),"
	"   call_bytes), ts, max(dur, 0), ?3 FROM read LEFT JOIN call";

struct writing {
	const struct tc_communication_tally *tally;
	struct tc_tables *tables;
	int64_t trace_id;
};

static enum tc_status fill(void *user)
{
	const struct writing *writing = user;
	enum tc_status status = TC_OK;

	for (int64_t i = 0; i < writing->tally->count && !status; i++) {
		struct row row = {0};
		status = tc_spill_read(
			writing->tally->spill, &row, sizeof(row), i * (int64_t)sizeof(row));
		const struct tc_sql_value values[] = {tc_sql_int(writing->trace_id),
			tc_sql_int(row.slice_id), tc_sql_int(row.exposed_ns)};
		if (!status)
			TC_TABLES_PUT(writing->tables, insert_sql, values);
	}
	return status;
}

void tc_communication_tally_write(
	const struct tc_communication_tally *tally, struct tc_tables *tables, int64_t trace_id)
{
	struct writing writing = {tally, tables, trace_id};

	if (tally->count > 0)
		tc_tables_keep(
			tables, tc_with_name_functions(tables->ctx, tables->db, fill, &writing));
}

void tc_communication_tally_clear(struct tc_communication_tally *tally)
{
	tc_spill_free(tally->spill);
	*tally = (struct tc_communication_tally){0};
}
