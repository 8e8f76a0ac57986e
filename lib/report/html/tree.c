/* See parts.h. Nodes with a small share of all time are left out, but for those that a kept node is
 * below. Such a node may have less time than what it calls: a call that never ended has none. */
#include "report/html/parts.h"

#define SHARES 4096 /* halved until few enough nodes have a larger part of all time */
#define NAME_COLUMNS 200

/* ?1 is the trace, ?2 the number of shares. The times of all nodes themselves are all time. */
#define KEPT_SQL                                                                                   \
	"WITH RECURSIVE heavy(id) AS (SELECT n.id FROM op_tree_row n,"                             \
	" (SELECT total(host_self_ns) AS host_ns, total(self_exclusive_ns) AS device_ns"           \
	" FROM op_tree_row WHERE trace_id = ?1) w WHERE n.trace_id = ?1"                           \
	" AND (n.host_ns > w.host_ns / ?2 OR n.exclusive_ns > w.device_ns / ?2)),"                 \
	" kept(id) AS (SELECT id FROM heavy UNION SELECT n.parent_id FROM kept"                    \
	" JOIN op_tree_row n ON n.id = kept.id WHERE n.parent_id IS NOT NULL) "

/* Sets *shares so that at most TC_TREE_NODES nodes are kept because some have more than 1 / *shares
 * of all time. Returns how many are. */
static int64_t choose(int64_t *shares, struct tc_job *job, int64_t trace_id)
{
	int64_t count = INT64_MAX;
	struct tc_rows rows =
		tc_rows_prepare(job->ctx, job->db, KEPT_SQL "SELECT count(*) FROM kept");

	for (*shares = SHARES; count > TC_TREE_NODES && *shares > 1;) {
		*shares /= 2;
		tc_rows_again(&rows, trace_id);
		tc_rows_bind(&rows, 2, *shares);
		count = tc_rows_next(&rows) ? tc_rows_int(&rows, 0) : 0;
	}
	tc_rows_close(&rows);
	return count;
}

static void put_node(struct tc_json *json, const struct tc_view *view, const struct tc_rows *row)
{
	struct tc_buf name = TC_BUF_EMPTY, clean = TC_BUF_EMPTY;

	tc_names_append(view->names, &name, tc_rows_text(row, 2));
	tc_format_clean(&clean, tc_buf_text(&name), false, NAME_COLUMNS);
	tc_json_array(json, NULL);
	tc_json_int(json, NULL, tc_rows_int(row, 0));
	tc_json_int(json, NULL, tc_rows_null(row, 1) ? -1 : tc_rows_int(row, 1));
	tc_json_take(json, NULL, &clean);
	tc_json_text(json, NULL, tc_rows_text(row, 3));
	for (int column = 4; column < 9; column++)
		tc_json_int(json, NULL, tc_rows_int(row, column));
	tc_json_end(json);
	tc_buf_end(&json->sink->buf, &name);
}

static void put_nodes(
	struct tc_buf *text, struct tc_job *job, const struct tc_view *view, int64_t shares)
{
	struct tc_sink sink;
	struct tc_json json = {.sink = &sink};

	tc_sink_init_buf(&sink, text);
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		KEPT_SQL "SELECT n.id, n.parent_id, n.name, n.phase, n.count, n.host_ns,"
			 " n.host_self_ns, n.exclusive_ns, n.self_exclusive_ns"
			 " FROM kept JOIN op_tree n ON n.id = kept.id ORDER BY n.id",
		view->id, shares);
	tc_json_array(&json, NULL);
	while (tc_rows_next(&rows))
		put_node(&json, view, &rows);
	tc_json_end(&json);
	tc_sink_close(&sink, job->ctx);
}

void tc_put_tree(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf text = TC_BUF_EMPTY;
	int64_t shares;

	if (choose(&shares, job, view->id) == 0)
		return;
	put_nodes(&text, job, view, shares);
	tc_sink_put(&job->sink, "<section class=\"tree\">\n<h2>Operator tree</h2>\n"
				"<script type=\"application/octet-stream\" class=\"tree\">");
	tc_columns_write(&job->sink, &text);
	tc_sink_put(&job->sink, "</script>\n</section>\n");
	tc_buf_clear(&text);
}
