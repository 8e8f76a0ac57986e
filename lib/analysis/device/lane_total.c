/* Rows of lanes; see lane_total.h. */
#include "analysis/device/lane_total.h"

static bool runs_one_engine(const struct tc_lane_time *lane)
{
	return (lane->engines & (lane->engines - 1)) == 0;
}

static void write_lane(
	const struct tc_device_tally *devices, struct tc_tables *tables, uint32_t index)
{
	const struct tc_timeline *timeline = devices->timeline;
	const struct tc_lane_time *lane = &devices->lanes[index];
	int32_t device = timeline->tracks[index].device;

	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[device].name),
		tc_sql_string(runs_one_engine(lane) ? tc_engine_name(lane->engine) : NULL),
		tc_sql_int(timeline->track_base + index),
		tc_sql_int(lane->op_count),
		tc_sql_int(lane->busy_ns),
	};

	TC_TABLES_PUT(tables,
		"INSERT INTO lane_total (trace_id, device, engine, lane, track_id, op_count,"
		" busy_ns) VALUES (?1, ?2, ?3, (SELECT lane FROM track WHERE id = ?4), ?4, ?5, ?6)",
		values);
}

void tc_lane_totals_write(const struct tc_device_tally *devices, struct tc_tables *tables)
{
	for (size_t i = 0; i < devices->track_count; i++)
		if (devices->lanes[devices->tracks[i]].op_count > 0)
			write_lane(devices, tables, devices->tracks[i]);
}
