/* The tables op_tree_row and op_kernel_row; see operator_tally.h. */

#include <inttypes.h>

#include "analysis/operators/operator_tally.h"
#include "analysis/work/formulas.h"
#include "core/array.h"
#include "core/limits.h"
#include "names/label/label.h"
#include "store/tables.h"

/* Rows of op_work: FLOPs and bytes of the nodes of the operator tree, from the arguments of their
 * first call. */

struct tc_op_work {
	int64_t node_id, trace_id, run_count;
	enum tc_work_kind kind;
};

static struct tc_sql_value known(int64_t value)
{
	return tc_sql_int_if(value != TC_WORK_UNKNOWN, value);
}

struct job {
	struct tc_tables *tables;
	const struct tc_op_work *work;
};

static enum tc_status take_args(void *user, sqlite3_stmt *row)
{
	const struct job *job = user;
	const struct tc_op_work *work = job->work;
	struct tc_text args = tc_sql_column(row, 0).text;
	struct tc_inputs inputs;

	if (!args.ptr || !tc_inputs_read(&inputs, args))
		return TC_OK;
	const struct tc_work found = tc_work_of(work->kind, &inputs);
	const struct tc_sql_value values[] = {
		tc_sql_int(work->node_id),
		tc_sql_int(work->trace_id),
		tc_sql_string(tc_work_name(work->kind)),
		tc_sql_int(found.is_matrix),
		tc_sql_string(tc_precision_name(found.precision)),
		known(found.flops),
		known(found.bytes),
		tc_sql_int(work->run_count),
	};

	TC_TABLES_PUT(job->tables,
		"op_work (node_id, trace_id, work, is_matrix, precision, flops, bytes, run_count)",
		values);
	return TC_OK;
}

/* Writes the row of a node; none when sizes and types are not recorded. */
static void op_work_put(struct tc_tables *tables, const struct tc_op_work *work)
{
	const struct tc_sql_value node = tc_sql_int(work->node_id);

	tc_tables_each(tables,
		"SELECT args FROM op_args WHERE node_id = ? AND typeof(args) = 'text'", &node,
		take_args, &(struct job){tables, work});
}

struct rows {
	const struct tc_operator_tally *tally;
	struct tc_tables *tables;
	int64_t base; /* op_tree_row.id of the first node */
};

static struct tc_sql_value node_value(const struct rows *rows, uint32_t node)
{
	return tc_sql_int_if(node != TC_NODE_NONE, rows->base + node);
}

/* A hash is stored as the integer of the same bits. */
static struct tc_sql_value shape_value(uint64_t shape)
{
	int64_t value;

	memcpy(&value, &shape, sizeof(value));
	return tc_sql_int_if(shape != 0, value);
}

/* The backward pass runs outside of modules. It gets the module of the operator that it
 * differentiates. */
static uint32_t module_of(const struct tc_tree *tree, const struct tc_node *node)
{
	uint32_t module = node->nearest[TC_NODE_MODULE];

	if (module == TC_NODE_NONE && node->key.forward != TC_NODE_NONE)
		module = tree->nodes[node->key.forward].nearest[TC_NODE_MODULE];
	return module;
}

static void write_node(const struct rows *rows, uint32_t number)
{
	const struct tc_timeline *timeline = rows->tally->timeline;
	const struct tc_node *node = &rows->tally->tree.nodes[number];
	const struct tc_node_sums *sums = tc_tree_sums_at(&rows->tally->tree, number);
	const struct tc_sql_value values[] = {
		tc_sql_int(rows->base + number),
		tc_sql_int(timeline->trace_id),
		node_value(rows, node->key.parent),
		tc_sql_int(node->depth),
		tc_sql_string(tc_node_kind_name((enum tc_node_kind)node->kind)),
		tc_sql_int(timeline->label_base + node->key.label),
		shape_value(node->key.shape),
		tc_sql_string(tc_node_phase_name((enum tc_node_phase)node->phase)),
		node_value(rows, node->nearest[TC_NODE_OPERATOR]),
		node_value(rows, module_of(&rows->tally->tree, node)),
		node_value(rows, node->key.forward),
		tc_sql_int(node->is_outer),
		tc_sql_int(node->is_outer_shape),
		tc_sql_id(node->slice_id),
		tc_sql_int(node->count),
		tc_sql_int(node->dur_ns),
		tc_sql_int(node->self_ns),
		tc_sql_int(sums->work_count),
		tc_sql_int(sums->work.dur_ns),
		tc_sql_int(sums->total_work.dur_ns),
		tc_sql_int(sums->backward_ns),
		tc_sql_int(sums->backward_work.dur_ns),
		tc_sql_int(sums->work.exclusive_ns),
		tc_sql_int(sums->total_work.exclusive_ns),
		tc_sql_int(sums->backward_work.exclusive_ns),
	};

	TC_TABLES_PUT(rows->tables,
		"op_tree_row (id, trace_id, parent_id, depth, kind, label_id, shape,"
		" phase, op_id, module_id, forward_id, is_outer, is_outer_shape,"
		" slice_id, count, host_ns, host_self_ns, device_count, device_self_ns,"
		" device_ns, backward_ns, backward_device_ns, self_exclusive_ns, exclusive_ns,"
		" backward_exclusive_ns)",
		values);
}

static void write_captured(const struct rows *rows, size_t number)
{
	const struct tc_captures *captures = &rows->tally->captures;
	const struct tc_capture *capture = &captures->rows[number];

	for (size_t i = 0; i < capture->count + capture->work_count; i++) {
		const bool is_call = i < capture->count;
		const struct tc_captured *call =
			is_call ? &captures->calls[capture->first + i] : NULL;
		uint32_t node = is_call ? call->node
					: captures->works[capture->first_work + i - capture->count];
		const struct tc_sql_value values[] = {
			tc_sql_int(rows->tally->timeline->trace_id),
			tc_sql_int((int64_t)number),
			tc_sql_int((int64_t)i),
			tc_sql_int(rows->base + node),
			tc_sql_int_if(is_call, is_call && call->is_kernel),
		};
		TC_TABLES_PUT(rows->tables,
			"captured_call (trace_id, capture, position, node_id, is_kernel)", values);
	}
}

/* The calls that graphs were captured from, for other traces that replay them. */
static void write_captures(const struct rows *rows)
{
	const struct tc_captures *captures = &rows->tally->captures;

	for (size_t i = 0; i < captures->count; i++)
		if (captures->rows[i].count > 0)
			write_captured(rows, i);
}

/* The args of nodes whose calls were in another trace. */
static void write_args(const struct rows *rows)
{
	const struct tc_operator_tally *tally = rows->tally;
	const struct tc_capture_places *given = &tally->given;

	for (size_t i = 0; i < given->count; i++) {
		uint32_t node = given->nodes[i];
		if (node == TC_NODE_NONE || tally->companion->args[i] == TC_STRTAB_NONE ||
			tally->tree.nodes[node].slice_id != TC_NO_ID)
			continue;
		const struct tc_sql_value values[] = {
			tc_sql_int(rows->base + node),
			tc_sql_text(tc_companion_text(tally->companion, tally->companion->args[i])),
		};
		TC_TABLES_PUT(rows->tables,
			"INSERT OR IGNORE INTO captured_args (node_id, args) VALUES (?, ?)",
			values);
	}
}

/* FLOPs and bytes of the operators that have a formula. */
static void write_works(const struct rows *rows)
{
	const struct tc_timeline *timeline = rows->tally->timeline;

	for (size_t i = 0; i < rows->tally->tree.count; i++) {
		const struct tc_node *node = &rows->tally->tree.nodes[i];
		const struct tc_label *label = &timeline->labels[node->key.label];
		const struct tc_op_work work = {rows->base + (int64_t)i, timeline->trace_id,
			tc_tree_sums_at(&rows->tally->tree, (uint32_t)i)->run_count, label->work};

		if (label->work != TC_WORK_NONE && node->key.shape != 0)
			op_work_put(rows->tables, &work);
	}
}

/* The steps in which these operators ran. */
static void write_steps(const struct rows *rows)
{
	const struct tc_timeline *timeline = rows->tally->timeline;
	const struct tc_step_calls *calls = &rows->tally->steps;

	for (size_t i = 0; i < calls->count; i++) {
		const struct tc_step_stretch *stretch = &calls->rows[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(rows->base + stretch->node),
			tc_sql_int(timeline->steps[stretch->first].id),
			tc_sql_int(timeline->steps[stretch->last].id),
			tc_sql_int(stretch->count),
		};
		TC_TABLES_PUT(rows->tables,
			"INSERT INTO op_step (node_id, trace_id, first_step_id, last_step_id, "
			"count)"
			" SELECT node_id, trace_id, ?2, ?3, ?4 FROM op_work WHERE node_id = ?1",
			values);
	}
}

static void write_kernels(const struct rows *rows)
{
	const struct tc_timeline *timeline = rows->tally->timeline;

	for (size_t i = 0; i < rows->tally->kernels.count; i++) {
		const struct tc_node_kernel *kernel = &rows->tally->kernels.rows[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(timeline->trace_id),
			node_value(rows, kernel->node),
			node_value(rows, kernel->capture),
			tc_sql_int(timeline->label_base + kernel->label),
			tc_sql_int(timeline->track_base + kernel->track),
			tc_sql_int(kernel->count),
			tc_sql_int(kernel->time.dur_ns),
			tc_sql_int(kernel->time.exclusive_ns),
			tc_sql_int(kernel->min_ns),
			tc_sql_int(kernel->max_ns),
		};
		TC_TABLES_PUT(rows->tables,
			"op_kernel_row (trace_id, node_id, capture_id, label_id, track_id, count,"
			" dur_ns, exclusive_ns, min_ns, max_ns)",
			values);
	}
}

static void log_limit(const struct rows *rows)
{
	const struct tc_tree *tree = &rows->tally->tree;
	const struct tc_sql_value values[] = {
		tc_sql_int(rows->tally->timeline->trace_id),
		tc_sql_int(tree->left_out_count),
		tc_sql_int(tree->without_shape_count),
		tc_sql_int(TC_TREE_MAX_COUNT),
		tc_sql_int(TC_TREE_MAX_DEPTH),
	};

	if (tree->left_out_count == 0 && tree->without_shape_count == 0)
		return;
	TC_TABLES_PUT(rows->tables,
		"INSERT INTO import_log (trace_id, kind, severity, count, message)"
		" VALUES (?1, 'tree_limit', 'error', ?2 + ?3, printf('the operator tree has at "
		"most %d"
		" nodes, and %d of them in a path: %d slices on other paths count as parts of the"
		" slices around them, and %d operators count without the sizes of their inputs',"
		" ?4, ?5, ?2, ?3))",
		values);
}

void tc_operator_rows_write(struct tc_operator_tally *tally, struct tc_tables *tables)
{
	struct rows rows = {tally, tables, 0};
	int64_t last = 0;

	if (tc_tables_find(&last, tables, "SELECT max(id) FROM op_tree_row", NULL))
		rows.base = last + 1;
	for (size_t i = 0; i < tally->tree.count; i++)
		write_node(&rows, (uint32_t)i);
	write_captures(&rows);
	write_args(&rows);
	write_works(&rows);
	write_steps(&rows);
	write_kernels(&rows);
	log_limit(&rows);
}
