/*
 * The queries of a comparison, and their rows of both sides. Each query runs on one store at a
 * time; the end of the report shows it as one query on both. {words} stand for parts that differ
 * between sides and stores. Rows are joined by their key, and operations, operators, host slices
 * and pieces of the critical path are kept as one list of both sides.
 */
#include "report/compare/compare.h"

#include "core/alloc.h"
#include "core/array.h"

/* ---- queries */

static const char step_sql[] =
	"SELECT {first} min_ns, lower_quartile_ns, median_ns, upper_quartile_ns, max_ns,"
	" coalesce(first_ns, -1) AS first_ns FROM {db}step_spread WHERE trace_id = {trace}";

static const char whole_sql[] =
	"SELECT 1 AS steps, value AS sum_ns, value AS min_ns, value AS lower_quartile_ns, value AS "
	"median_ns, value AS upper_quartile_ns, value AS max_ns, value AS first_ns FROM {db}metric "
	"WHERE trace_id ="
	" {trace} AND device IS NULL AND step IS NULL AND name = 'wall_ns'";

static const char step_both[] =
	"SELECT 'before' AS side, * FROM ({before}) UNION ALL SELECT 'after', * FROM ({after})";

/* The run without its warm-up or first step; metrics known only for the run (memory) are those of
 * the whole run. */
static const char metric_sql[] =
	"SELECT name, sum(iif(step IS NULL, value, -value)) AS value FROM {db}metric"
	" WHERE trace_id = {trace} AND device IS NULL AND {rows} AND name IN ({metrics})"
	" GROUP BY name";
static const char metric_both[] =
	"SELECT name, sum(before) AS before, sum(after) AS after FROM"
	" (SELECT name, value AS before, NULL AS after FROM ({before})"
	" UNION ALL SELECT name, NULL, value FROM ({after})) GROUP BY name ORDER BY name";

/* Times are added with total(): sum() fails where they exceed 64 bits, and below 2^53 ns, 104 days,
 * both are exact. */
static const char op_sql[] =
	"SELECT engine AS what, coalesce(name, '') AS name, sum(count) AS count,"
	" CAST(total(dur_ns) AS INTEGER) AS dur_ns, CAST(total(exclusive_ns) AS INTEGER) AS ns"
	" FROM {db}op_total WHERE trace_id = {trace} GROUP BY 1, 2 ORDER BY 1, 2";

/* Framework operators by the exclusive time of the device work that they launched themselves: a
 * kernel counts once, and so does each moment of the device. */
static const char operator_sql[] =
	"SELECT coalesce(class, '') AS what, coalesce(name, '') AS name, sum(count) AS count,"
	" CAST(total(self_exclusive_ns) AS INTEGER) AS dur_ns,"
	" CAST(total(self_exclusive_ns) AS INTEGER) AS ns FROM {db}operator_total"
	" WHERE trace_id = {trace} AND device_count > 0 GROUP BY 1, 2 ORDER BY 1, 2";

static const char operator_shape_sql[] =
	"SELECT coalesce(name, '') AS what, {dims} AS name, sum(count) AS count,"
	" CAST(total(self_exclusive_ns) AS INTEGER) AS dur_ns,"
	" CAST(total(self_exclusive_ns) AS INTEGER) AS ns FROM {db}operator_shape"
	" WHERE trace_id = {trace} AND device_count > 0 AND input_dims IS NOT NULL"
	" GROUP BY 1, 2 ORDER BY 1, 2";

/* Device operations by the operator that launched them, with the sizes of its inputs. */
static const char kernel_shape_sql[] =
	"SELECT coalesce(s.name || ' ' || s.dims, '') AS what, coalesce(k.name, '') AS name,"
	" sum(k.count) AS count, CAST(total(k.dur_ns) AS INTEGER) AS dur_ns,"
	" CAST(total(k.exclusive_ns) AS INTEGER) AS ns FROM {db}op_kernel k JOIN"
	" (SELECT name, shape, {dims} AS dims FROM {db}operator_shape WHERE trace_id = {trace}"
	" AND input_dims IS NOT NULL AND device_count > 0) s"
	" ON s.name = k.operator AND s.shape = k.shape WHERE k.trace_id = {trace}"
	" GROUP BY 1, 2 ORDER BY 1, 2";

/* Slices of the steps have the step's number at the end of their names. */
static const char slice_sql[] =
	"SELECT coalesce(role, '') AS what, iif(name GLOB '*[0-9]' AND name IN (SELECT name FROM"
	" {db}step WHERE trace_id = {trace}), rtrim(name, '0123456789') || 'N',"
	" coalesce(name, '')) AS name, sum(count) AS count, CAST(total(dur_ns) AS INTEGER) AS "
	"dur_ns, CAST(total(self_ns) AS INTEGER) AS ns FROM {db}host_total WHERE trace_id = {trace}"
	" AND is_launching GROUP BY 1, 2 ORDER BY 1, 2";

static const char row_both[] =
	"SELECT what, name, sum(bc) AS before_count, sum(ac) AS after_count, sum(bd) AS "
	"before_dur_ns, sum(ad) AS after_dur_ns, sum(b) AS before_sum_ns, sum(a) AS after_sum_ns,"
	" (sum(b) + {before_units} / 2) / {before_units} AS before_ns,"
	" (sum(a) + {after_units} / 2) / {after_units} AS after_ns FROM"
	" (SELECT what, name, count AS bc, dur_ns AS bd, ns AS b, 0 AS ac, 0 AS ad, 0 AS a"
	" FROM ({before}) UNION ALL SELECT what, name, 0, 0, 0, count, dur_ns, ns FROM ({after}))"
	" GROUP BY what, name ORDER BY abs(after_ns - before_ns) DESC, what, name LIMIT {top}";

/* Bytes are known when every copy has them. */
static const char copy_sql[] = "SELECT role, sum(detail ->> '$.bytes') AS bytes FROM {db}{events}"
			       " WHERE trace_id = {trace} AND role IN ('input_copy', 'output_copy')"
			       " GROUP BY role HAVING count(*) = count(detail ->> '$.bytes')";
static const char copy_both[] =
	"SELECT role, sum(before) AS before, sum(after) AS after FROM"
	" (SELECT role, bytes AS before, NULL AS after FROM ({before})"
	" UNION ALL SELECT role, NULL, bytes FROM ({after})) GROUP BY role ORDER BY role";

/* Calls by shape without the first dimension of the input; lead is its most frequent value. The
 * input is the first argument, or the second where the first is a bias. */
static const char shape_sql[] =
	"SELECT shape, lead, dimensions, count FROM (SELECT shape, lead, dimensions, count,"
	" row_number() OVER (PARTITION BY shape ORDER BY count DESC, lead) AS place FROM"
	" (SELECT name || ' ' || json_remove(dims -> i, '$[0]') || ' ' || (dims -> (i + 1)) AS "
	"shape,"
	" dims -> i ->> 0 AS lead, json_array_length(dims -> i) AS dimensions, sum(count) AS count"
	" FROM (SELECT name, dims, count, iif(json_array_length(dims, '$[0]') = 1, 1, 0) AS i FROM"
	" (SELECT name, input_dims AS dims, count FROM {db}framework_shape WHERE trace_id = {trace}"
	" UNION ALL SELECT name, input_dims, 1 FROM {db}framework_op WHERE trace_id = {trace}"
	" AND kind = 'convolution')) GROUP BY 1, 2, 3)"
	" WHERE shape IS NOT NULL AND typeof(lead) = 'integer' AND lead BETWEEN 1 AND 1000000000)"
	" WHERE place = 1 ORDER BY shape";
static const char shape_both[] =
	"SELECT shape, sum(b) AS before_lead, sum(a) AS after_lead, sum(bc) AS before_count,"
	" sum(ac) AS after_count FROM (SELECT shape, lead AS b, NULL AS a, count AS bc, 0 AS ac"
	" FROM ({before}) UNION ALL SELECT shape, NULL, lead, 0, count FROM ({after}))"
	" GROUP BY shape ORDER BY shape";

/* Calls of products by the two sizes of the weight, in either order, and of convolutions by all
 * sizes of weight and input but the batch; and the sum of all calls. Sizes above 64 are those that
 * compilers pad them to. */
#define SIZE(path)                                                                                 \
	"iif(typeof(weight ->> '" path "') = 'integer' AND weight ->> '" path                      \
	"' BETWEEN 1 AND 1000000000, iif(weight ->> '" path "' > 64, (weight ->> '" path           \
	"' + 63) / 64 * 64, weight ->> '" path "'), NULL)"
#define SIZES SIZE("$[#-2]") " AS a, " SIZE("$[#-1]") " AS b"
static const char weight_sql[] =
	"SELECT weight, sum(count) AS count, sum(sum(count)) OVER () AS total FROM"
	" (SELECT iif(kind = 'convolution', 'convolution ' || input || ' ' || weight,"
	" 'product ' || min(a, b) || ' x ' || max(a, b)) AS weight, count FROM"
	" (SELECT kind, input, weight, count, " SIZES " FROM"
	" (SELECT kind, json_remove(dims -> i, '$[0]') AS input, dims -> (i + 1) AS weight, count"
	" FROM (SELECT kind, dims, count, iif(json_array_length(dims, '$[0]') = 1, 1, 0) AS i FROM"
	" (SELECT kind, input_dims AS dims, count FROM {db}framework_shape WHERE trace_id = {trace}"
	" UNION ALL SELECT kind, input_dims, 1 FROM {db}framework_op WHERE trace_id = {trace}"
	" AND kind = 'convolution')))))"
	" WHERE weight IS NOT NULL AND count > 0 GROUP BY 1 ORDER BY 1";
static const char weight_both[] =
	"SELECT weight, sum(b) AS before_count, sum(a) AS after_count FROM (SELECT weight, count AS"
	" b, 0 AS a FROM ({before}) UNION ALL SELECT weight, 0, count FROM ({after}))"
	" GROUP BY weight ORDER BY weight";

/* The whole critical path, by piece and by the work on it. */
static const char path_sql[] =
	"SELECT piece AS what, coalesce(iif(piece = 'host', role, engine), '') AS name,"
	" sum(count) AS count, CAST(total(dur_ns) AS INTEGER) AS dur_ns,"
	" CAST(total(dur_ns) AS INTEGER) AS ns FROM {db}critical_path WHERE trace_id = {trace}"
	" GROUP BY 1, 2 ORDER BY 1, 2";

static const char advice_sql[] =
	"SELECT heuristic, gain_ns FROM {db}finding WHERE trace_id = {trace}";
static const char advice_both[] =
	"SELECT heuristic, sum(before) AS before_gain_ns, sum(after) AS after_gain_ns,"
	" max(is_before) AS is_before, max(is_after) AS is_after FROM"
	" (SELECT heuristic, gain_ns AS before, NULL AS after, 1 AS is_before, 0 AS is_after"
	" FROM ({before}) UNION ALL SELECT heuristic, NULL, gain_ns, 0, 1 FROM ({after}))"
	" GROUP BY heuristic ORDER BY heuristic";

static const struct {
	const char *name, *by_step, *whole, *both;
} queries[TC_QUERY_COUNT] = {
	[TC_QUERY_STEPS] = {"steps", step_sql, whole_sql, step_both},
	[TC_QUERY_METRICS] = {"metrics", metric_sql, metric_sql, metric_both},
	[TC_QUERY_OPERATIONS] = {"operations", op_sql, op_sql, row_both},
	[TC_QUERY_OPERATORS] = {"operators", operator_sql, operator_sql, row_both},
	[TC_QUERY_OPERATOR_SHAPES] = {"operator_shapes", operator_shape_sql, operator_shape_sql,
		row_both},
	[TC_QUERY_KERNEL_SHAPES] = {"kernel_shapes", kernel_shape_sql, kernel_shape_sql, row_both},
	[TC_QUERY_SLICES] = {"host_slices", slice_sql, slice_sql, row_both},
	[TC_QUERY_SHAPES] = {"shapes", shape_sql, shape_sql, shape_both},
	[TC_QUERY_WEIGHTS] = {"weights", weight_sql, weight_sql, weight_both},
	[TC_QUERY_PATH] = {"critical_path", path_sql, path_sql, row_both},
	[TC_QUERY_COPIES] = {"copies", copy_sql, copy_sql, copy_both},
	[TC_QUERY_ADVICE] = {"advice", advice_sql, advice_sql, advice_both},
};

/* The values of the {words} of a query. */
struct place {
	const struct tc_compare *compare;
	enum tc_compare_query query;
	enum tc_compare_index side;
	const char *db; /* "main." or "after." before the names of tables; "" for one store */
};

static void expand(struct tc_buf *buf, const char *sql, const struct place *place);

static void put_db(struct tc_buf *buf, const struct place *place)
{
	tc_buf_append_string(buf, place->db);
}

static void put_trace(struct tc_buf *buf, const struct place *place)
{
	tc_buf_format(buf, "%lld", (long long)place->compare->sides[place->side].view->id);
}

/* Steps and their sum. */
static void put_first(struct tc_buf *buf, const struct place *place)
{
	tc_buf_append_string(buf, place->compare->leaves_first
					  ? "steps - (first_ns IS NOT NULL) AS steps,"
					    " sum_ns - coalesce(first_ns, 0) AS sum_ns,"
					  : "steps, sum_ns,");
}

static void put_rows(struct tc_buf *buf, const struct place *place)
{
	if (place->compare->by_step)
		expand(buf,
			place->compare->leaves_first
				? "(step IS NULL OR step IN (SELECT number FROM {db}step"
				  " WHERE trace_id = {trace} ORDER BY ts, id LIMIT 1))"
				: "(step IS NULL OR step IN (SELECT number FROM {db}step"
				  " WHERE trace_id = {trace} AND is_warm_up))",
			place);
	else
		tc_buf_append_string(buf, "step IS NULL");
}

static void put_metric(struct tc_buf *buf, enum tc_metric id)
{
	tc_buf_format(buf, ", '%s'", tc_metric_info(id)->name);
}

static void put_metrics(struct tc_buf *buf, const struct place *place)
{
	size_t count;
	const struct tc_part *parts = tc_compare_parts(place->compare, &count);

	tc_buf_format(buf, "'%s'", tc_metric_info(TC_METRIC_IDLE)->name);
	put_metric(buf, TC_METRIC_START_AND_END);
	for (size_t i = 0; i < count; i++)
		put_metric(buf, parts[i].id);
	const struct tc_compare_amount *amounts = tc_compare_amounts(&count);
	for (size_t i = 0; i < count; i++)
		put_metric(buf, amounts[i].id);
	const struct tc_host_part *host = tc_host_parts(&count);
	for (size_t i = 0; i < count; i++) {
		put_metric(buf, host[i].own);
		put_metric(buf, host[i].exposed);
	}
}

static void put_events(struct tc_buf *buf, const struct place *place)
{
	tc_buf_append_string(buf, place->compare->by_step ? "steady_host_event" : "host_event");
}

/* Sizes of inputs. Where batches differ, a first size that equals the batch of either side becomes
 * N. */
static void put_dims(struct tc_buf *buf, const struct place *place)
{
	const struct tc_compare *compare = place->compare;
	bool differ = compare->unit == TC_UNIT_SAMPLE || compare->unit == TC_UNIT_INPUT_ROW;

	for (int side = 0; differ && side < TC_COMPARE_SIDES; side++)
		tc_buf_append_string(buf, "replace(replace(");
	tc_buf_append_string(buf, "input_dims");
	for (int side = 0; differ && side < TC_COMPARE_SIDES; side++) {
		long long batch = (long long)compare->sides[side].batch;
		tc_buf_format(buf, ", '[%lld,', '[N,'), '[%lld]', '[N]')", batch, batch);
	}
}

static void put_top(struct tc_buf *buf, const struct place *place)
{
	tc_buf_format(buf, "%d", place->compare->job->options.top);
}

static int64_t side_units(const struct tc_compared *side)
{
	return tc_mul_saturated(side->all_step_count, side->batch);
}

static void put_units(struct tc_buf *buf, const struct place *place, enum tc_compare_index side)
{
	tc_buf_format(buf, "%lld", (long long)side_units(&place->compare->sides[side]));
}

static void put_before_units(struct tc_buf *buf, const struct place *place)
{
	put_units(buf, place, TC_BEFORE);
}

static void put_after_units(struct tc_buf *buf, const struct place *place)
{
	put_units(buf, place, TC_AFTER);
}

static void put_side(
	struct tc_buf *buf, const struct place *place, enum tc_compare_index side, const char *db)
{
	const struct place there = {place->compare, place->query, side, db};

	expand(buf,
		place->compare->by_step ? queries[place->query].by_step
					: queries[place->query].whole,
		&there);
}

static void put_before(struct tc_buf *buf, const struct place *place)
{
	put_side(buf, place, TC_BEFORE, "main.");
}

static void put_after(struct tc_buf *buf, const struct place *place)
{
	put_side(buf, place, TC_AFTER, "after.");
}

static const struct {
	const char *word;
	void (*put)(struct tc_buf *buf, const struct place *place);
} words[] = {
	{"db", put_db},
	{"trace", put_trace},
	{"first", put_first},
	{"rows", put_rows},
	{"metrics", put_metrics},
	{"events", put_events},
	{"dims", put_dims},
	{"top", put_top},
	{"before_units", put_before_units},
	{"after_units", put_after_units},
	{"before", put_before},
	{"after", put_after},
};

static void expand(struct tc_buf *buf, const char *sql, const struct place *place)
{
	for (const char *open; (open = strchr(sql, '{')); sql = strchr(open, '}') + 1) {
		struct tc_text word = {open + 1, strcspn(open + 1, "}")};
		tc_buf_append(buf, sql, (size_t)(open - sql));
		for (size_t i = 0; i < TC_COUNT_OF(words); i++)
			if (tc_text_equal(word, tc_text_from(words[i].word)))
				words[i].put(buf, place);
	}
	tc_buf_append_string(buf, sql);
}

const char *tc_compare_query_name(enum tc_compare_query query)
{
	return queries[query].name;
}

static void append_side_sql(struct tc_buf *buf, const struct tc_compare *compare,
	enum tc_compare_query query, enum tc_compare_index side)
{
	const struct place place = {compare, query, side, ""};

	put_side(buf, &place, side, "");
}

void tc_compare_both_sql(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_query query)
{
	const struct place place = {compare, query, TC_BEFORE, ""};

	expand(buf, queries[query].both, &place);
}

struct tc_rows tc_compare_open(
	const struct tc_compare *compare, enum tc_compare_query query, enum tc_compare_index side)
{
	const struct tc_compared *compared = &compare->sides[side];
	struct tc_buf sql = TC_BUF_EMPTY;

	append_side_sql(&sql, compare, query, side);
	const char *string = tc_buf_string(&sql);
	if (!string)
		tc_no_memory(compared->job.ctx);
	struct tc_rows rows = tc_rows_open(compared->job.ctx, compared->job.db, string);
	tc_buf_clear(&sql);
	return rows;
}

void tc_pairs_begin(struct tc_pairs *pairs, int key_count)
{
	pairs->key_count = key_count;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		pairs->there[side] = pairs->has[side] = true;
}

void tc_pairs_open(struct tc_pairs *pairs, const struct tc_compare *compare,
	enum tc_compare_query query, int key_count)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		pairs->rows[side] = tc_compare_open(compare, query, (enum tc_compare_index)side);
	tc_pairs_begin(pairs, key_count);
}

/* Below 0: the key of the first side is less. */
static int order_of(const struct tc_rows *rows, int column)
{
	int64_t x = tc_rows_int(&rows[0], column), y = tc_rows_int(&rows[1], column);

	return sqlite3_column_type(rows[0].stmt, column) == SQLITE_INTEGER
		       ? (x > y) - (x < y)
		       : tc_text_order(
				 tc_rows_text(&rows[0], column), tc_rows_text(&rows[1], column));
}

bool tc_pairs_next(struct tc_pairs *pairs)
{
	int order = 0;

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (pairs->has[side])
			pairs->there[side] = tc_rows_next(&pairs->rows[side]);
	for (int i = 0; i < pairs->key_count && order == 0; i++)
		if (pairs->there[TC_BEFORE] && pairs->there[TC_AFTER])
			order = order_of(pairs->rows, i);
	pairs->has[TC_BEFORE] = pairs->there[TC_BEFORE] && order <= 0;
	pairs->has[TC_AFTER] = pairs->there[TC_AFTER] && order >= 0;
	bool found = pairs->has[TC_BEFORE] || pairs->has[TC_AFTER];
	for (int side = 0; side < TC_COMPARE_SIDES && !found; side++)
		tc_rows_close(&pairs->rows[side]);
	return found;
}

/* ---- rows */

/* A row with the names of one side, which has it, and the numbers of both. */
static void add_pair(
	struct tc_compare_rows *list, struct tc_compare *compare, const struct tc_pairs *pairs)
{
	const struct tc_rows *from = &pairs->rows[!pairs->has[TC_BEFORE]];
	struct tc_compare_row row = {.group = tc_arena_dup(&compare->texts, tc_rows_text(from, 0)),
		.name = tc_arena_dup(&compare->texts, tc_rows_text(from, 1))};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		if (!pairs->has[side])
			continue;
		row.name_count[side] = 1;
		row.count[side] = tc_rows_int(&pairs->rows[side], 2);
		row.dur_ns[side] = tc_rows_int(&pairs->rows[side], 3);
		row.sum_ns[side] = tc_rows_int(&pairs->rows[side], 4);
		row.mean_ns[side] =
			tc_compare_mean(row.sum_ns[side], side_units(&compare->sides[side]));
	}
	if (row.group && row.name)
		TC_PUSH(compare->job->ctx, list->rows, list->count, list->capacity, row);
}

static int64_t change_of(const struct tc_compare_row *row)
{
	return tc_magnitude_saturated(
		tc_sub_saturated(row->mean_ns[TC_AFTER], row->mean_ns[TC_BEFORE]));
}

TC_ORDER(by_change, struct tc_compare_row,
	TC_DOWN_OF(change_of) TC_UP_STRING(group) TC_UP_STRING(name));

/* A row that only one side has, with the short name that it may share with others. */
struct lone {
	struct tc_compare_row *row;
	const char *brief;
};

TC_ORDER(by_brief, struct lone,
	TC_UP_STRING(row->group) TC_UP_STRING(brief) TC_UP_STRING(row->name));

static bool is_alike(const struct lone *a, const struct lone *b)
{
	return strcmp(a->row->group, b->row->group) == 0 && strcmp(a->brief, b->brief) == 0;
}

static bool is_lone(const struct tc_compare_row *row)
{
	return (row->name_count[TC_BEFORE] == 0) != (row->name_count[TC_AFTER] == 0);
}

/* Adds a row to another and empties it. */
static void add_row(struct tc_compare_row *sum, struct tc_compare_row *row)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		sum->name_count[side] += row->name_count[side];
		sum->count[side] = tc_add_saturated(sum->count[side], row->count[side]);
		sum->dur_ns[side] = tc_add_saturated(sum->dur_ns[side], row->dur_ns[side]);
		sum->sum_ns[side] = tc_add_saturated(sum->sum_ns[side], row->sum_ns[side]);
		row->name_count[side] = 0;
	}
}

static void merge_run(struct lone *run, size_t count, const struct tc_compare *compare)
{
	struct tc_compare_row *sum = run[0].row;
	bool has[TC_COMPARE_SIDES] = {false, false};

	for (size_t i = 0; i < count; i++)
		has[run[i].row->name_count[TC_AFTER] > 0] = true;
	if (!has[TC_BEFORE] || !has[TC_AFTER])
		return;
	for (size_t i = 1; i < count; i++)
		add_row(sum, run[i].row);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		sum->mean_ns[side] =
			tc_compare_mean(sum->sum_ns[side], side_units(&compare->sides[side]));
	sum->name = run[0].brief;
}

/* Removes the rows that were added to others. */
static void drop_empty(struct tc_compare_rows *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const int64_t *names = list->rows[i].name_count;
		if (names[TC_BEFORE] + names[TC_AFTER] > 0)
			list->rows[kept++] = list->rows[i];
	}
	list->count = kept;
}

/* The key by which rows are joined; NULL when memory is out. */
static const char *brief_of(
	struct tc_arena *texts, const struct tc_compare_row *row, enum tc_compare_join join)
{
	struct tc_buf brief = TC_BUF_EMPTY;

	if (join == TC_JOIN_GROUPS)
		return row->group[0] ? row->group : row->name;
	tc_names_append(NULL, &brief, tc_text_from(row->name));
	return tc_arena_keep(texts, &brief);
}

/* Joins the rows that only one side has. */
static void merge(
	struct tc_compare *compare, struct tc_compare_rows *list, enum tc_compare_join join)
{
	struct tc_ctx *ctx = compare->job->ctx;
	struct lone *all = tc_new(ctx, list->count + 1, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < list->count && !tc_ctx_failed(ctx); i++)
		if (is_lone(&list->rows[i]))
			all[count++] = (struct lone){
				&list->rows[i], brief_of(&compare->texts, &list->rows[i], join)};
	if (count > 0 && !tc_ctx_failed(ctx)) {
		TC_SORT(all, count, by_brief);
		for (size_t from = 0, to; from < count; from = to) {
			for (to = from + 1; to < count && is_alike(&all[from], &all[to]); to++)
				;
			merge_run(all + from, to - from, compare);
		}
		drop_empty(list);
		TC_SORT(list->rows, list->count, by_change);
	}
	tc_free(all);
}

void tc_compare_rows_load(
	struct tc_compare *compare, enum tc_compare_query query, enum tc_compare_join join)
{
	struct tc_compare_rows *list = &compare->rows[query];
	struct tc_pairs pairs;

	compare->texts.ctx = compare->job->ctx;
	tc_pairs_open(&pairs, compare, query, 2);
	while (tc_pairs_next(&pairs))
		add_pair(list, compare, &pairs);
	TC_SORT(list->rows, list->count, by_change);
	if (join != TC_JOIN_NONE)
		merge(compare, list, join);
}
