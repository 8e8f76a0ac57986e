/* Operators, shapes, kernels, modules, phases and Python frames of a trace; see json_operators.h. */
#include "report/json/json_operators.h"

#include "core/array.h"
#include "report/json/json_rows.h"
#include "report/view/rows.h"

#define TOTALS                                                                                     \
	" count, host_ns, host_self_ns, device_count, device_self_ns, device_ns, backward_ns,"     \
	" backward_device_ns"
#define BY_SELF " ORDER BY device_self_ns DESC, host_self_ns DESC, "

/* ?1 trace, ?2 rows wanted. Sizes are read only for the rows that are wanted. */
static const struct {
	const char *key, *sql;
} tables[] = {
	{"by_name", "SELECT name, class," TOTALS " FROM operator_total WHERE trace_id = ?1" BY_SELF
		    "name LIMIT ?2"},
	{"by_shape", "SELECT name, class, input_dims, input_types, slice_id," TOTALS
		     " FROM operator_shape WHERE trace_id = ?1 AND node_id IN (SELECT node_id"
		     " FROM operator_shape WHERE trace_id = ?1" BY_SELF "node_id LIMIT ?2)" BY_SELF
		     "node_id LIMIT ?2"},
	{"kernels",
		"SELECT operator, name, lane, device, engine, kind, sum(count) AS count,"
		" sum(dur_ns) AS dur_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns"
		" FROM op_kernel WHERE trace_id = ?1"
		" GROUP BY operator, name, lane, device, engine, kind"
		" ORDER BY sum(dur_ns) DESC, operator, name, lane, device, engine, kind LIMIT ?2"},
	{"modules", "SELECT kind, name," TOTALS " FROM module_total WHERE trace_id = ?1"
		    " ORDER BY device_ns DESC, host_ns DESC, kind, name LIMIT ?2"},
	{"phases", "SELECT phase, count, host_ns, device_count, device_ns FROM phase_total"
		   " WHERE trace_id = ?1 ORDER BY device_ns DESC, host_ns DESC, phase LIMIT ?2"},
	{"python", "SELECT name, count, host_ns, host_self_ns, device_count, device_self_ns,"
		   " device_ns FROM python_total WHERE trace_id = ?1" BY_SELF "name LIMIT ?2"},
};

enum tc_status tc_json_operators(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	enum tc_status status = TC_OK;

	tc_json_object(json, "operators");
	for (size_t i = 0; i < TC_COUNT_OF(tables) && !status; i++) {
		struct tc_rows rows;

		tc_rows_open(&rows, job->ctx, job->db, tables[i].sql);
		tc_rows_bind(&rows, 1, trace_id);
		tc_rows_bind(&rows, 2, job->options.top);
		status = tc_json_rows(json, &rows, tables[i].key);
	}
	tc_json_end(json);
	return status;
}
