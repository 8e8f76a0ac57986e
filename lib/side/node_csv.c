/* The Gaudi profiler's analyzed nodes: one row of node_stat a record; "nan" and "" are NULL. */
#include "core/array.h"
#include "core/text/decimal.h"
#include "side/csv.h"
#include "side/reader.h"

static const struct tc_side_table table = {
	"node_stat(trace_id, source, unit, node_id, node, op_type, start_ts, end_ts, "
	"duration_ns, active_ns, activation_count, engine_count, tpc_unexposed_ns, "
	"tpc_exposed_ns, mme_unexposed_ns, mme_exposed_ns, dma_exposed_ns, "
	"mme_utilization_pct, mme_expected_pct, tpc_read_pct, tpc_write_pct, bundle, "
	"mme_node, strategy, input_shapes, input_types, output_shapes, output_types)"};

enum form { TEXT, INTEGER, REAL, MICROSECONDS };

/* Columns of the file in the order of node_stat's. */
static const struct {
	const char *name;
	enum form form;
} columns[] = {
	{"Unit", TEXT},
	{"Unique node id", INTEGER},
	{"Node Name", TEXT},
	{"Op Type", TEXT},
	{"Start time of node", MICROSECONDS},
	{"End time of node", MICROSECONDS},
	{"Duration (us)", MICROSECONDS},
	{"Active (us)", MICROSECONDS},
	{"Num activations", INTEGER},
	{"Parallel Engines", INTEGER},
	{"Unexposed tpc (us)", MICROSECONDS},
	{"Exposed tpc (us)", MICROSECONDS},
	{"Unexposed mme (us)", MICROSECONDS},
	{"Exposed mme (us)", MICROSECONDS},
	{"Exposed dma (us)", MICROSECONDS},
	{"MME Compute Utilization (%)", REAL},
	{"MME expected vs actual (%)", REAL},
	{"TPC Input BW Utilization (%)", REAL},
	{"TPC Output BW Utilization (%)", REAL},
	{"Bundle index", INTEGER},
	{"MME Origin Node", TEXT},
	{"MME Node Strategy", TEXT},
	{"Input shapes", TEXT},
	{"Input Datatype", TEXT},
	{"Output shapes", TEXT},
	{"Output Datatype", TEXT},
};

enum { UNIT = 0, NODE = 2, DURATION = 6 };
enum { COLUMN_COUNT = TC_COUNT_OF(columns) };

_Static_assert((int)COLUMN_COUNT <= (int)TC_SIDE_COLUMN_MAX, "they fit into a row");

static bool is_nothing(struct tc_text text)
{
	return text.len == 0 || tc_text_equal(text, TC_TEXT("nan")) ||
	       tc_text_equal(text, TC_TEXT("[]")) || tc_text_equal(text, TC_TEXT("[Error]"));
}

/* False when a number is expected and the text is none. */
static bool convert(struct tc_sql_value *out, enum form form, struct tc_text text)
{
	int64_t integer;
	double real;

	*out = tc_sql_null();
	if (is_nothing(text))
		return true;
	switch (form) {
	case TEXT: *out = tc_sql_text(text); return true;
	case INTEGER:
		if (!tc_decimal_scaled(&integer, text, 0))
			return false;
		*out = tc_sql_int(integer);
		return true;
	case MICROSECONDS:
		if (!tc_decimal_us_to_ns(&integer, text))
			return false;
		*out = tc_sql_int(integer);
		return true;
	case REAL: break;
	}
	if (!tc_decimal_double(&real, text))
		return false;
	*out = tc_sql_real(real);
	return true;
}

static void read_record(void *user, const struct tc_text *values)
{
	struct tc_side_file *file = user;
	struct tc_sql_value row[COLUMN_COUNT];

	for (int i = 0; i < COLUMN_COUNT; i++) {
		bool required = i == UNIT || i == NODE || i == DURATION;
		if (!convert(&row[i], columns[i].form, values[i]) ||
			(required && row[i].kind == TC_SQL_NULL)) {
			tc_side_file_damaged(file);
			return;
		}
	}
	tc_side_file_put(file, &table, row, COLUMN_COUNT);
}

static bool is_node_csv(struct tc_text head)
{
	static const char *const words[] = {"Node Name", "Op Type", "Start time of node", NULL};

	return tc_sniff_has_heading(head, words);
}

static void read(struct tc_side_file *file)
{
	const char *wanted[COLUMN_COUNT + 1] = {NULL};

	for (int i = 0; i < COLUMN_COUNT; i++)
		wanted[i] = columns[i].name;
	tc_side_csv_read(file, wanted, read_record, file);
}

const struct tc_side_reader tc_side_node_csv = {
	.name = "node-csv",
	.capability = "has_node_stats",
	.beside = "_analyzed_nodes.csv",
	.is_it = is_node_csv,
	.read = read,
};
