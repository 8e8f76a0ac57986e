/* Hardware peaks of the trace's device; see peaks.h. */
#include "model/trace/peaks.h"

#include "names/hardware/hardware.h"

static struct tc_sql_value real_if_known(double value)
{
	return value > 0 ? tc_sql_real(value) : tc_sql_null();
}

static void put_precision(struct tc_tables *tables, int64_t trace_id, const char *name, double peak)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(trace_id), tc_sql_string(name), tc_sql_real(peak)};

	if (peak > 0)
		TC_TABLES_PUT(tables, "precision_peak (trace_id, precision, flops_per_s)", values);
}

void tc_peaks_put(struct tc_tables *tables, int64_t trace_id, struct tc_text device_name,
	int64_t memory_bytes)
{
	const struct tc_hardware *hardware = tc_hardware_find(device_name, memory_bytes);

	if (!hardware)
		return;
	const struct tc_sql_value values[] = {
		tc_sql_int(trace_id),
		tc_sql_text(device_name),
		tc_sql_int_if(hardware->mme_lane_count > 0, hardware->mme_lane_count),
		tc_sql_int_if(hardware->tpc_lane_count > 0, hardware->tpc_lane_count),
		real_if_known(hardware->memory_bytes),
		real_if_known(hardware->bytes_per_s),
		tc_sql_string(hardware->source),
	};

	TC_TABLES_PUT(tables,
		"device_peak (trace_id, device_name, mme_lane_count, tpc_lane_count,"
		" hbm_bytes, hbm_bytes_per_s, source)",
		values);
	for (int i = 0; i < TC_PRECISION_COUNT; i++)
		put_precision(tables, trace_id, tc_precision_name((enum tc_precision)i),
			hardware->flops_per_s[i]);
}
