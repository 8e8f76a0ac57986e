/* Hardware peaks of the trace's device; see peaks.h. */
#include "model/trace/peaks.h"

#include "core/array.h"
#include "names/hardware/hardware.h"
#include "store/sql.h"

static struct tc_sql_value real_if_known(double value)
{
	return value > 0 ? tc_sql_real(value) : tc_sql_null();
}

static enum tc_status write_precision(const struct tc_trace *trace, const char *name, double peak)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(trace->first->trace), tc_sql_string(name), tc_sql_real(peak)};

	return tc_sql_add(trace->ctx, trace->db,
		"precision_peak (trace_id, precision, flops_per_s)", values, TC_COUNT_OF(values));
}

enum tc_status tc_peaks_write(
	const struct tc_trace *trace, struct tc_text device_name, int64_t memory_bytes)
{
	const struct tc_hardware *hardware = tc_hardware_find(device_name, memory_bytes);

	if (!hardware)
		return TC_OK;
	const struct tc_sql_value values[] = {
		tc_sql_int(trace->first->trace),
		tc_sql_text(device_name),
		tc_sql_int_if(hardware->mme_lane_count > 0, hardware->mme_lane_count),
		tc_sql_int_if(hardware->tpc_lane_count > 0, hardware->tpc_lane_count),
		real_if_known(hardware->memory_bytes),
		real_if_known(hardware->bytes_per_s),
		tc_sql_string(hardware->source),
	};
	enum tc_status status = tc_sql_add(trace->ctx, trace->db,
		"device_peak (trace_id, device_name, mme_lane_count, tpc_lane_count,"
		" hbm_bytes, hbm_bytes_per_s, source)",
		values, TC_COUNT_OF(values));

	for (int i = 0; i < TC_PRECISION_COUNT && !status; i++)
		if (hardware->flops_per_s[i] > 0)
			status = write_precision(trace, tc_precision_name((enum tc_precision)i),
				hardware->flops_per_s[i]);
	return status;
}
