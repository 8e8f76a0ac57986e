/* Captures of another trace's store; see companion.h. */
#include "analysis/operators/companion.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "store/sql.h"

/* A store that is added: its nodes come by id. */
struct reader {
	struct tc_companion *companion;
	struct tc_ctx *ctx;
	int64_t *ids; /* op_tree_row.id of its nodes */
	size_t count, capacity;
	size_t base; /* number of the first of them */
	int64_t trace_id, capture;
};

void tc_companion_clear(struct tc_companion *companion)
{
	tc_strtab_clear(&companion->texts);
	tc_strtab_clear(&companion->label_keys);
	tc_free(companion->labels);
	tc_free(companion->args);
	tc_tree_clear(&companion->tree);
	tc_captures_clear(&companion->captures);
	*companion = (struct tc_companion){0};
}

struct tc_text tc_companion_text(const struct tc_companion *companion, uint32_t number)
{
	return number == TC_STRTAB_NONE ? TC_TEXT_NONE : tc_strtab_at(&companion->texts, number);
}

/* TC_STRTAB_NONE for NULL. False when there is no room. */
static bool take_text(uint32_t *out, struct tc_companion *companion, struct tc_sql_value value)
{
	*out = TC_STRTAB_NONE;
	if (value.kind == TC_SQL_TEXT)
		*out = tc_strtab_intern(&companion->texts, value.text);
	return value.kind != TC_SQL_TEXT || *out != TC_STRTAB_NONE;
}

static bool take_label(uint32_t *out, struct tc_companion *companion, sqlite3_stmt *row)
{
	struct tc_companion_label label;

	if (!take_text(&label.category, companion, tc_sql_column(row, 3)) ||
		!take_text(&label.name, companion, tc_sql_column(row, 4)))
		return false;
	const struct tc_text key = {(const char *)&label, sizeof(label)};
	*out = tc_strtab_intern(&companion->label_keys, key);
	if (*out == TC_STRTAB_NONE ||
		!TC_GROW(companion->labels, companion->label_capacity, (size_t)*out + 1))
		return false;
	if (*out == companion->label_count)
		companion->labels[companion->label_count++] = label;
	return true;
}

static uint32_t node_of(const struct reader *reader, int64_t id)
{
	size_t at;

	TC_BISECT(at, reader->count, reader->ids[at] < id);
	return at < reader->count && reader->ids[at] == id ? (uint32_t)(reader->base + at)
							   : TC_NODE_NONE;
}

static uint32_t node_at(const struct reader *reader, sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL
		       ? TC_NODE_NONE
		       : node_of(reader, sqlite3_column_int64(row, column));
}

static enum tc_status take_node(void *user, sqlite3_stmt *row)
{
	struct reader *reader = user;
	struct tc_companion *companion = reader->companion;
	struct tc_tree *tree = &companion->tree;
	int64_t shape = sqlite3_column_int64(row, 5);
	struct tc_node_key key = {
		.parent = node_at(reader, row, 1), .forward = node_at(reader, row, 2)};

	memcpy(&key.shape, &shape, sizeof(shape));
	if (!TC_GROW(tree->nodes, tree->capacity, tree->count + 1) ||
		!TC_GROW(companion->args, companion->args_capacity, tree->count + 1) ||
		!TC_GROW(reader->ids, reader->capacity, reader->count + 1) ||
		!take_label(&key.label, companion, row) ||
		!take_text(&companion->args[tree->count], companion, tc_sql_column(row, 6)))
		return tc_no_memory(reader->ctx);
	reader->ids[reader->count++] = sqlite3_column_int64(row, 0);
	tree->nodes[tree->count++] = (struct tc_node){.key = key};
	return TC_OK;
}

static enum tc_status take_call(void *user, sqlite3_stmt *row)
{
	struct reader *reader = user;
	struct tc_captures *captures = &reader->companion->captures;
	int64_t trace_id = sqlite3_column_int64(row, 0), capture = sqlite3_column_int64(row, 1);
	uint32_t node = node_at(reader, row, 2);
	bool is_good = true;

	if (trace_id != reader->trace_id || capture != reader->capture)
		is_good = tc_captures_begin(captures);
	reader->trace_id = trace_id;
	reader->capture = capture;
	if (node == TC_NODE_NONE || !is_good)
		return is_good ? TC_OK : tc_no_memory(reader->ctx);
	if (sqlite3_column_type(row, 3) == SQLITE_NULL)
		is_good = tc_captures_add_work(captures, node);
	else
		is_good = tc_captures_add_call(captures, node, sqlite3_column_int(row, 3) != 0);
	return is_good ? TC_OK : tc_no_memory(reader->ctx);
}

enum tc_status tc_companion_add(struct tc_companion *companion, struct tc_ctx *ctx, sqlite3 *db)
{
	struct reader reader = {
		.companion = companion, .ctx = ctx, .base = companion->tree.count, .trace_id = -1};
	enum tc_status status = tc_sql_each(ctx, db,
		"WITH RECURSIVE used(id) AS (SELECT node_id FROM captured_call UNION"
		" SELECT iif(e.value, n.parent_id, n.forward_id) FROM used u JOIN op_tree_row n ON"
		" n.id = u.id JOIN (SELECT 0 AS value UNION ALL SELECT 1) e"
		" WHERE iif(e.value, n.parent_id, n.forward_id) IS NOT NULL)"
		" SELECT n.id, n.parent_id, n.forward_id, l.category, l.name, n.shape,"
		" iif(n.shape IS NULL, NULL, a.args) FROM op_tree_row n JOIN label l ON l.id = "
		"n.label_id"
		" LEFT JOIN op_args a ON a.node_id = n.id WHERE n.id IN (SELECT id FROM used)"
		" ORDER BY n.id",
		NULL, take_node, &reader);

	if (!status)
		status = tc_sql_each(ctx, db,
			"SELECT trace_id, capture, node_id, is_kernel FROM captured_call"
			" ORDER BY trace_id, capture, position",
			NULL, take_call, &reader);
	tc_free(reader.ids);
	return status;
}
