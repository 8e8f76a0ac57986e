/* Rows of views in the JSON report; see json_tables.h. */
#include "report/json/json_tables.h"

#include <string.h>

#include "core/array.h"
#include "report/json/json_rows.h"

#define ROWS 100 /* unless --top asks for more */

/* ?1: rows wanted of each trace. Tables of one group follow each other. */
static const struct {
	const char *group, *key, *sql;
} tables[] = {
	{"memory", "peaks",
		"SELECT trace_id, device, ts, step_id, in_use_bytes, reserved_bytes, unused_bytes,"
		" is_relative FROM memory_peak WHERE ?1 > 0 ORDER BY trace_id, device"},
	{"memory", "at_peak",
		"SELECT trace_id, device, operator, is_older, count, bytes FROM (SELECT *,"
		" row_number() OVER (PARTITION BY trace_id, device ORDER BY bytes DESC, is_older,"
		" operator) AS place FROM memory_at_peak) WHERE place <= ?1"
		" ORDER BY trace_id, device, place"},
	{"memory", "steps",
		"SELECT trace_id, device, step_id, event_count, allocation_count, allocated_bytes,"
		" freed_bytes, peak_bytes, least_bytes, end_bytes, reserved_peak_bytes, is_relative"
		" FROM memory_step WHERE ?1 > 0 ORDER BY trace_id, device, step_id"},
	{"memory", "operators",
		"SELECT trace_id, device, operator, thread_id, count, bytes, max_bytes, kept_count,"
		" kept_bytes, mean_lifetime_ns FROM (SELECT *, row_number() OVER"
		" (PARTITION BY trace_id, device ORDER BY bytes DESC, operator, thread_id) AS place"
		" FROM memory_operator) WHERE place <= ?1 ORDER BY trace_id, device, place"},
	{"memory", "kept",
		"SELECT trace_id, device, operator, count, bytes, step_count, looked_at_count, "
		"is_leak"
		" FROM (SELECT *, row_number() OVER (PARTITION BY trace_id, device"
		" ORDER BY bytes DESC, operator) AS place FROM memory_kept) WHERE place <= ?1"
		" ORDER BY trace_id, device, place"},
	{"communication", "totals",
		"SELECT trace_id, device, lane, kind, group_name, group_size, bytes, count, dur_ns,"
		" exposed_ns, wait_ns, algorithm_bytes_per_s, bus_bytes_per_s FROM (SELECT *,"
		" row_number() OVER (PARTITION BY trace_id ORDER BY exposed_ns DESC, dur_ns DESC, "
		"kind,"
		" group_name, bytes, device, lane) AS place FROM communication_total)"
		" WHERE place <= ?1 ORDER BY trace_id, place"},
	{"rooflines", "operators",
		"SELECT trace_id, name, input_dims, precision, work, count, device_ns, flops, "
		"bytes,"
		" intensity, flops_per_s, bytes_per_s, flops_pct, bytes_pct, bound FROM (SELECT *,"
		" row_number() OVER (PARTITION BY trace_id ORDER BY device_ns DESC, name,"
		" input_dims, precision, flops) AS place FROM roofline) WHERE place <= ?1"
		" ORDER BY trace_id, place"},
	{"rooflines", "utilisation",
		"SELECT trace_id, step_count, step_ns, flops, ideal_ns, flops_pct, known_pct,"
		" matrix_pct FROM utilisation WHERE ?1 > 0 ORDER BY trace_id"},
	{"rooflines", "steps",
		"SELECT trace_id, step_id, number, ns, flops, ideal_ns, flops_pct FROM"
		" step_utilisation WHERE ?1 > 0 AND flops > 0 ORDER BY trace_id, step_id"},
	{"occupancy", "devices",
		"SELECT trace_id, device, count, dur_ns, occupancy_pct, sm_efficiency_pct,"
		" tensor_core_pct, tensor_core_unknown_pct FROM device_occupancy WHERE ?1 > 0"
		" ORDER BY trace_id, device"},
	{"occupancy", "kernels",
		"SELECT trace_id, device, name, uses_tensor_cores, count, dur_ns, known_ns,"
		" occupancy_pct, sm_efficiency_pct, blocks_per_sm, warps_per_sm FROM (SELECT *,"
		" row_number() OVER (PARTITION BY trace_id, device ORDER BY dur_ns DESC, name)"
		" AS place FROM kernel_occupancy) WHERE place <= ?1"
		" ORDER BY trace_id, device, place"},
	{"queues", "streams",
		"SELECT trace_id, device, lane, track_id, launched_count, mean_delay_ns,"
		" max_delay_ns, early_count, mean_depth, max_depth, waiting_ns, full_ns"
		" FROM stream_queue WHERE ?1 > 0 ORDER BY trace_id, track_id"},
	{"queues", "idle",
		"SELECT trace_id, device, lane, track_id, cause, count, idle_ns FROM stream_idle"
		" WHERE ?1 > 0 ORDER BY trace_id, track_id, cause"},
};

/* True for views that go through all slices or events. They are null without --details. */
static bool is_costly(const char *group)
{
	return strcmp(group, "rooflines") != 0 && strcmp(group, "communication") != 0;
}

static bool begins_group(size_t i)
{
	return i == 0 || strcmp(tables[i].group, tables[i - 1].group) != 0;
}

static bool ends_group(size_t i)
{
	return i + 1 == TC_COUNT_OF(tables) || begins_group(i + 1);
}

static enum tc_status put_table(struct tc_json *json, struct tc_job *job, size_t i)
{
	struct tc_rows rows;

	if (begins_group(i))
		tc_json_object(json, tables[i].group);
	tc_rows_open(&rows, job->ctx, job->db, tables[i].sql);
	tc_rows_bind(&rows, 1, job->options.top > ROWS ? job->options.top : ROWS);
	enum tc_status status = tc_json_rows(json, &rows, tables[i].key);
	if (ends_group(i))
		tc_json_end(json);
	return status;
}

enum tc_status tc_json_tables(struct tc_json *json, struct tc_job *job)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < TC_COUNT_OF(tables) && !status; i++) {
		if (job->options.details || !is_costly(tables[i].group))
			status = put_table(json, job, i);
		else if (begins_group(i))
			tc_json_null(json, tables[i].group);
	}
	return status;
}
