/* The tables op_tree_row and op_kernel_row; see operator_tally.h. */
#include "analysis/operators/operator_tally.h"

#include <inttypes.h>

#include "analysis/work/op_work.h"
#include "core/array.h"
#include "core/limits.h"
#include "store/sql.h"

struct rows {
	const struct tc_operator_tally *tally;
	sqlite3 *db;
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

enum { NODE_COLUMNS = 22 };

/* A value equal to that of the row before is not bound again. */
static enum tc_status write_node(
	const struct rows *rows, sqlite3_stmt *insert, struct tc_sql_value *before, uint32_t number)
{
	const struct tc_timeline *timeline = rows->tally->timeline;
	const struct tc_node *node = &rows->tally->tree.nodes[number];
	const struct tc_sql_value values[NODE_COLUMNS] = {
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
		tc_sql_int(node->work_count),
		tc_sql_int(node->work_ns),
		tc_sql_int(node->total_work_ns),
		tc_sql_int(node->backward_ns),
		tc_sql_int(node->backward_work_ns),
	};

	return tc_sql_put_next(timeline->ctx, insert, values, before, NODE_COLUMNS);
}

static enum tc_status write_nodes(const struct rows *rows)
{
	sqlite3_stmt *insert = NULL;
	struct tc_sql_value before[NODE_COLUMNS] = {{.kind = TC_SQL_NULL}};
	enum tc_status status = tc_sql_insert(&insert, rows->tally->timeline->ctx, rows->db,
		"op_tree_row (id, trace_id, parent_id, depth, kind, label_id, shape,"
		" phase, op_id, module_id, forward_id, is_outer, is_outer_shape,"
		" slice_id, count, host_ns, host_self_ns, device_count, device_self_ns,"
		" device_ns, backward_ns, backward_device_ns)");

	for (size_t i = 0; i < rows->tally->tree.count && !status; i++)
		status = write_node(rows, insert, before, (uint32_t)i);
	sqlite3_finalize(insert);
	return status;
}

static enum tc_status write_captured(const struct rows *rows, sqlite3_stmt *insert, size_t number)
{
	const struct tc_captures *captures = &rows->tally->captures;
	const struct tc_capture *capture = &captures->rows[number];
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < capture->count + capture->work_count && !status; i++) {
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
		status = TC_SQL_PUT(rows->tally->timeline->ctx, insert, values);
	}
	return status;
}

/* The calls that graphs were captured from, for other traces that replay them. */
static enum tc_status write_captures(const struct rows *rows)
{
	const struct tc_captures *captures = &rows->tally->captures;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_insert(&insert, rows->tally->timeline->ctx, rows->db,
		"captured_call (trace_id, capture, position, node_id, is_kernel)");

	for (size_t i = 0; i < captures->count && !status; i++)
		if (captures->rows[i].count > 0)
			status = write_captured(rows, insert, i);
	sqlite3_finalize(insert);
	return status;
}

/* The args of nodes whose calls were in another trace. */
static enum tc_status write_args(const struct rows *rows)
{
	const struct tc_operator_tally *tally = rows->tally;
	const struct tc_capture_places *given = &tally->given;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, tally->timeline->ctx, rows->db,
		"INSERT OR IGNORE INTO captured_args (node_id, args) VALUES (?, ?)");

	for (size_t i = 0; i < given->count && !status; i++) {
		uint32_t node = given->nodes[i];
		if (node == TC_NODE_NONE || tally->companion->args[i] == TC_STRTAB_NONE ||
			tally->tree.nodes[node].slice_id != TC_NO_ID)
			continue;
		const struct tc_sql_value values[] = {
			tc_sql_int(rows->base + node),
			tc_sql_text(tc_companion_text(tally->companion, tally->companion->args[i])),
		};
		status = TC_SQL_PUT(tally->timeline->ctx, insert, values);
	}
	sqlite3_finalize(insert);
	return status;
}

/* FLOPs and bytes of the operators that have a formula. */
static enum tc_status write_works(const struct rows *rows)
{
	const struct tc_timeline *timeline = rows->tally->timeline;
	struct tc_op_works works;
	enum tc_status status = tc_op_works_init(&works, timeline->ctx, rows->db);

	for (size_t i = 0; i < rows->tally->tree.count && !status; i++) {
		const struct tc_node *node = &rows->tally->tree.nodes[i];
		const struct tc_label *label = &timeline->labels[node->key.label];
		const struct tc_op_work work = {
			rows->base + (int64_t)i, timeline->trace_id, node->run_count, label->work};

		if (label->work != TC_WORK_NONE && node->key.shape != 0)
			status = tc_op_works_put(&works, &work);
	}
	tc_op_works_clear(&works);
	return status;
}

/* The steps in which these operators ran. */
static enum tc_status write_steps(const struct rows *rows)
{
	const struct tc_timeline *timeline = rows->tally->timeline;
	const struct tc_step_calls *calls = &rows->tally->steps;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, timeline->ctx, rows->db,
		"INSERT INTO op_step (node_id, trace_id, first_step_id, last_step_id, count)"
		" SELECT node_id, trace_id, ?2, ?3, ?4 FROM op_work WHERE node_id = ?1");

	for (size_t i = 0; i < calls->count && !status; i++) {
		const struct tc_step_stretch *stretch = &calls->rows[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(rows->base + stretch->node),
			tc_sql_int(timeline->steps[stretch->first].id),
			tc_sql_int(timeline->steps[stretch->last].id),
			tc_sql_int(stretch->count),
		};
		status = TC_SQL_PUT(timeline->ctx, insert, values);
	}
	sqlite3_finalize(insert);
	return status;
}

static enum tc_status write_kernels(const struct rows *rows)
{
	const struct tc_timeline *timeline = rows->tally->timeline;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_insert(&insert, timeline->ctx, rows->db,
		"op_kernel_row (trace_id, node_id, capture_id, label_id, track_id, count,"
		" dur_ns, min_ns, max_ns)");

	for (size_t i = 0; i < rows->tally->kernels.count && !status; i++) {
		const struct tc_node_kernel *kernel = &rows->tally->kernels.rows[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(timeline->trace_id),
			node_value(rows, kernel->node),
			node_value(rows, kernel->capture),
			tc_sql_int(timeline->label_base + kernel->label),
			tc_sql_int(timeline->track_base + kernel->track),
			tc_sql_int(kernel->count),
			tc_sql_int(kernel->dur_ns),
			tc_sql_int(kernel->min_ns),
			tc_sql_int(kernel->max_ns),
		};
		status = TC_SQL_PUT(timeline->ctx, insert, values);
	}
	sqlite3_finalize(insert);
	return status;
}

static enum tc_status log_limit(const struct rows *rows)
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
		return TC_OK;
	return tc_sql_run(rows->tally->timeline->ctx, rows->db,
		"INSERT INTO import_log (trace_id, kind, severity, count, message)"
		" VALUES (?1, 'tree_limit', 'error', ?2 + ?3, printf('the operator tree has at "
		"most %d"
		" nodes, and %d of them in a path: %d slices on other paths count as parts of the"
		" slices around them, and %d operators count without the sizes of their inputs',"
		" ?4, ?5, ?2, ?3))",
		values, TC_COUNT_OF(values));
}

enum tc_status tc_operator_rows_write(struct tc_operator_tally *tally, sqlite3 *db)
{
	struct rows rows = {tally, db, 0};
	bool found = false;
	int64_t last = 0;
	enum tc_status status = tc_sql_lookup(
		&last, &found, tally->timeline->ctx, db, "SELECT max(id) FROM op_tree_row", NULL);

	rows.base = found ? last + 1 : 0;
	if (!status)
		status = write_nodes(&rows);
	if (!status)
		status = write_captures(&rows);
	if (!status)
		status = write_args(&rows);
	if (!status)
		status = write_works(&rows);
	if (!status)
		status = write_steps(&rows);
	if (!status)
		status = write_kernels(&rows);
	return status ? status : log_limit(&rows);
}
