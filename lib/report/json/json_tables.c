/* Members of the JSON report that are rows of queries; see members.h. A row here is a member. */
#include "report/json/members.h"

#include <string.h>

#include "core/array.h"

/* Tables of one group follow each other: they are members of one object. */
struct table {
	const char *group; /* or NULL */
	const char *key, *sql;
};

#define OF_STEP " g LEFT JOIN step s ON s.id = g.step_id WHERE (:step < 0 OR s.number = :step)"

/* The longest rows of host events are only those of one step if the user asked for one. A gap has
 * at most a row for each of fewer than 16 causes, so the longest ones are in 16 times as many rows:
 * to number all gaps, hundreds of thousands, would take long. */
static const struct table of_store[] = {
	{"gaps", "by_cause",
		"SELECT trace_id, device, cause, idle_ns AS dur_ns, count FROM idle_cause"
		" WHERE step IS nullif(:step, -1) ORDER BY trace_id, device, idle_ns DESC, cause"},
	{"gaps", "longest",
		"SELECT id, trace_id, device, step, ts, dur, cause, gap_ts, gap_dur,"
		" host_slice_id, next_launch_slice_id, launch_delay_ns FROM (SELECT *,"
		" dense_rank() OVER (ORDER BY gap_dur DESC, trace_id, device, gap_ts) AS place"
		" FROM (SELECT g.*, s.number AS step FROM gap" OF_STEP
		" AND g.gap_ts IS NOT NULL ORDER BY g.gap_dur DESC, g.trace_id, g.device, g.gap_ts"
		" LIMIT 16 * :rows)) WHERE place <= :rows ORDER BY place, dur DESC, id"},
	{NULL, "compiles",
		"SELECT c.id, c.trace_id, c.slice_id, s.number AS step, c.ts, c.dur, c.exposed_ns,"
		" c.is_warm_up, c.recipe, c.recipe_source, c.op_count, c.op_sequence, c.kind,"
		" c.previous_id, c.changed, c.changed_slice_id"
		" FROM compile c LEFT JOIN step s ON s.id = c.step_id"
		" WHERE :step < 0 OR s.number = :step ORDER BY c.dur DESC, c.id LIMIT :rows"},
	{NULL, "waits",
		"SELECT w.id, w.trace_id, w.slice_id, s.number AS step, w.name, w.ts, w.dur,"
		" w.exposed_ns, w.idle_after_ns, w.caller, w.python, w.device, w.op_slice_id, w.op,"
		" w.launch_slice_id, w.op_ns, w.return_ns"
		" FROM host_wait w LEFT JOIN step s ON s.id = w.step_id"
		" WHERE :step < 0 OR s.number = :step ORDER BY w.dur DESC, w.id LIMIT :rows"},
	{"memory", "peaks",
		"SELECT trace_id, device, ts, step_id, in_use_bytes, reserved_bytes, unused_bytes,"
		" is_relative FROM memory_peak ORDER BY trace_id, device"},
	{"memory", "at_peak",
		"SELECT trace_id, device, operator, is_older, count, bytes FROM (SELECT *,"
		" row_number() OVER (PARTITION BY trace_id, device ORDER BY bytes DESC, is_older,"
		" operator) AS place FROM memory_at_peak) WHERE place <= :rows"
		" ORDER BY trace_id, device, place"},
	{"memory", "steps",
		"SELECT trace_id, device, step_id, event_count, allocation_count, allocated_bytes,"
		" freed_bytes, peak_bytes, least_bytes, end_bytes, reserved_peak_bytes, is_relative"
		" FROM memory_step ORDER BY trace_id, device, step_id"},
	{"memory", "operators",
		"SELECT trace_id, device, operator, thread_id, count, bytes, max_bytes, kept_count,"
		" kept_bytes, mean_lifetime_ns FROM (SELECT *, row_number() OVER"
		" (PARTITION BY trace_id, device ORDER BY bytes DESC, operator, thread_id) AS place"
		" FROM memory_operator) WHERE place <= :rows ORDER BY trace_id, device, place"},
	{"memory", "kept",
		"SELECT trace_id, device, operator, count, bytes, step_count, looked_at_count, "
		"is_leak FROM (SELECT *, row_number() OVER (PARTITION BY trace_id, device"
		" ORDER BY bytes DESC, operator) AS place FROM memory_kept) WHERE place <= :rows"
		" ORDER BY trace_id, device, place"},
	{"communication", "totals",
		"SELECT trace_id, device, lane, kind, group_name, group_size, bytes, count, dur_ns,"
		" exposed_ns, wait_ns, algorithm_bytes_per_s, bus_bytes_per_s FROM (SELECT *,"
		" row_number() OVER (PARTITION BY trace_id" TC_BY_COLLECTIVE
		") AS place FROM communication_total)"
		" WHERE place <= :rows ORDER BY trace_id, place"},
	{"rooflines", "operators",
		"SELECT trace_id, name, input_dims, precision, work, count, device_ns, flops, "
		"bytes, intensity, flops_per_s, bytes_per_s, flops_pct, bytes_pct, bound FROM"
		" (SELECT *, row_number() OVER (PARTITION BY trace_id" TC_BY_WORK
		") AS place FROM roofline) WHERE place <= :rows"
		" ORDER BY trace_id, place"},
	{"rooflines", "utilisation",
		"SELECT trace_id, step_count, step_ns, flops, ideal_ns, flops_pct, known_pct,"
		" matrix_pct FROM utilisation ORDER BY trace_id"},
	{"rooflines", "steps",
		"SELECT trace_id, step_id, number, ns, flops, ideal_ns, flops_pct FROM"
		" step_utilisation WHERE flops > 0 ORDER BY trace_id, step_id"},
	{"occupancy", "devices",
		"SELECT trace_id, device, count, dur_ns, occupancy_pct, sm_efficiency_pct,"
		" tensor_core_pct, tensor_core_unknown_pct FROM device_occupancy"
		" ORDER BY trace_id, device"},
	{"occupancy", "kernels",
		"SELECT trace_id, device, name, uses_tensor_cores, count, dur_ns, known_ns,"
		" occupancy_pct, sm_efficiency_pct, blocks_per_sm, warps_per_sm FROM (SELECT *,"
		" row_number() OVER (PARTITION BY trace_id, device ORDER BY dur_ns DESC, name)"
		" AS place FROM kernel_occupancy) WHERE place <= :rows"
		" ORDER BY trace_id, device, place"},
	{"queues", "streams",
		"SELECT trace_id, device, lane, track_id, launched_count, mean_delay_ns,"
		" max_delay_ns, early_count, mean_depth, max_depth, waiting_ns, full_ns"
		" FROM stream_queue ORDER BY trace_id, track_id"},
	{"queues", "idle",
		"SELECT trace_id, device, lane, track_id, cause, count, idle_ns FROM stream_idle"
		" ORDER BY trace_id, track_id, cause"},
};

#define TOTALS                                                                                     \
	" count, host_ns, host_self_ns, device_count, device_self_ns, device_ns, backward_ns,"     \
	" backward_device_ns, self_exclusive_ns, exclusive_ns, backward_exclusive_ns"

/* One for each view of docs/operators.md. Sizes are read only for the rows that are wanted. */
static const struct table of_trace[] = {
	{"operators", "by_name",
		"SELECT name, class," TOTALS
		" FROM operator_total WHERE trace_id = :trace" TC_BY_SELF "name LIMIT :top"},
	{"operators", "by_shape",
		"SELECT name, class, input_dims, input_types, slice_id," TOTALS
		" FROM operator_shape WHERE trace_id = :trace AND node_id IN (SELECT node_id"
		" FROM operator_shape WHERE trace_id = :trace" TC_BY_SELF
		"node_id LIMIT :top)" TC_BY_SELF "node_id LIMIT :top"},
	{"operators", "kernels",
		"SELECT operator, name, lane, device, engine, kind, sum(count) AS count,"
		" CAST(total(dur_ns) AS INTEGER) AS dur_ns, CAST(total(exclusive_ns) AS INTEGER)"
		" AS exclusive_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns"
		" FROM op_kernel WHERE trace_id = :trace"
		" GROUP BY operator, name, lane, device, engine, kind" TC_BY_KERNEL
		", lane, device, engine, kind LIMIT :top"},
	{"operators", "modules",
		"SELECT kind, name," TOTALS
		" FROM module_total WHERE trace_id = :trace" TC_BY_MODULE " LIMIT :top"},
	{"operators", "phases",
		"SELECT phase, count, host_ns, device_count, device_ns, exclusive_ns FROM "
		"phase_total"
		" WHERE trace_id = :trace" TC_BY_PHASE " LIMIT :top"},
	{"operators", "python",
		"SELECT name, count, host_ns, host_self_ns, device_count, device_self_ns,"
		" device_ns, self_exclusive_ns, exclusive_ns FROM python_total"
		" WHERE trace_id = :trace" TC_BY_SELF "name LIMIT :top"},
};

/* Lanes are few, so all are listed. */
static const struct table of_device[] = {
	{NULL, "operations",
		"SELECT name, category, engine, kind, data_type, count, dur_ns, exclusive_ns, "
		"min_ns, max_ns FROM op_total WHERE trace_id = :trace AND device = :device"
		" ORDER BY exclusive_ns DESC, dur_ns DESC, name, category, engine, data_type LIMIT "
		":top"},
	{NULL, "lanes",
		"SELECT lane, engine, track_id, op_count, busy_ns FROM lane_total"
		" WHERE trace_id = :trace AND device = :device ORDER BY track_id"},
	{NULL, "recipes",
		"SELECT recipe, op_count, exclusive_ns FROM recipe_total"
		" WHERE trace_id = :trace AND device = :device"
		" ORDER BY exclusive_ns DESC, op_count DESC, recipe LIMIT :top"},
};

/* True for views that go through all slices or events. They are null without --details. */
static bool is_costly(const char *group)
{
	return group && (strcmp(group, "memory") == 0 || strcmp(group, "occupancy") == 0 ||
				strcmp(group, "queues") == 0);
}

static bool is_of_group(const struct table *table, const char *group)
{
	return table->group && group && strcmp(table->group, group) == 0;
}

static void put_tables(struct tc_json *json, struct tc_job *job, const struct table *tables,
	size_t count, const struct tc_json_place *place)
{
	for (size_t i = 0; i < count; i++) {
		const char *group = tables[i].group;
		bool begins = group && (i == 0 || !is_of_group(&tables[i - 1], group));
		bool ends = group && (i + 1 == count || !is_of_group(&tables[i + 1], group));

		if (is_costly(group) && !job->options.details) {
			if (begins)
				tc_json_null(json, group);
			continue;
		}
		if (begins)
			tc_json_object(json, group);
		tc_json_query(json, job, tables[i].key, tables[i].sql, place);
		if (ends)
			tc_json_end(json);
	}
}

void tc_json_tables(struct tc_json *json, struct tc_job *job)
{
	put_tables(json, job, of_store, TC_COUNT_OF(of_store), NULL);
}

void tc_json_trace_tables(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	const struct tc_json_place place = {.trace_id = trace_id};

	put_tables(json, job, of_trace, TC_COUNT_OF(of_trace), &place);
}

void tc_json_device_tables(
	struct tc_json *json, struct tc_job *job, int64_t trace_id, const char *device)
{
	const struct tc_json_place place = {.trace_id = trace_id, .device = device};

	put_tables(json, job, of_device, TC_COUNT_OF(of_device), &place);
}
