/* Rows of lanes; see lane_total.h. */
#include "analysis/lane_total.h"

#include "analysis/statement.h"

static bool runs_one_engine(const struct tc_lane_time *lane)
{
	return (lane->engines & (lane->engines - 1)) == 0;
}

static void bind_lane(const struct tc_device_account *devices, sqlite3_stmt *insert, uint32_t index)
{
	const struct tc_timeline *timeline = devices->timeline;
	const struct tc_lane_time *lane = &devices->lanes[index];
	int32_t device = timeline->tracks[index].device;

	tc_statement_integer(insert, 1, timeline->trace_id);
	tc_statement_text(insert, 2, timeline->devices[device].name);
	tc_statement_string(insert, 3, runs_one_engine(lane) ? tc_engine_name(lane->engine) : NULL);
	tc_statement_integer(insert, 4, timeline->track_base + index);
	tc_statement_integer(insert, 5, lane->op_count);
	tc_statement_integer(insert, 6, lane->busy_ns);
}

enum tc_status tc_lane_totals_write(
	const struct tc_device_account *devices, struct tc_ctx *ctx, sqlite3 *db)
{
	static const char what[] = "write the totals of device lanes";
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_statement_compile(&insert, ctx, db,
		"INSERT INTO lane_total (trace_id, device, engine, lane, track_id, op_count,"
		" busy_ns) VALUES (?1, ?2, ?3, (SELECT lane FROM track WHERE id = ?4), ?4, ?5, ?6)",
		what);

	for (size_t i = 0; i < devices->track_count && !status; i++) {
		if (devices->lanes[devices->tracks[i]].op_count == 0)
			continue;
		bind_lane(devices, insert, devices->tracks[i]);
		status = tc_statement_run(ctx, insert, what);
	}
	sqlite3_finalize(insert);
	return status;
}
