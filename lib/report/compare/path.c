#include "report/compare/parts.h"

#include "core/saturate.h"
#include "report/text/format.h"

#define NAMED 3     /* pieces in a line */
#define LEAST_PCT 1 /* of the time before: smaller changes are not named */

static void append_host(struct tc_buf *buf, struct tc_text role)
{
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	if (role.len == 0)
		tc_buf_append_string(buf, "host: nothing recorded");
	else if (tc_text_equal(role, TC_TEXT("other")))
		tc_buf_append_string(buf, "other host work");
	else
		for (size_t i = 0; i < count; i++)
			if (tc_text_equal(tc_text_from(parts[i].role), role))
				tc_buf_append_string(buf, parts[i].name);
}

/* "data loader", "device TPC", "copy from launch to start" */
static void append_piece(struct tc_buf *buf, const struct tc_compare_row *row)
{
	struct tc_text piece = tc_text_from(row->group);
	struct tc_text engine = tc_engine_title(tc_text_from(row->name));

	if (tc_text_equal(piece, TC_TEXT("host")))
		append_host(buf, tc_text_from(row->name));
	else if (tc_text_equal(piece, TC_TEXT("device")))
		tc_buf_format(buf, "device %.*s", (int)engine.len, engine.ptr);
	else if (tc_text_equal(piece, TC_TEXT("launch")))
		tc_buf_format(buf, "%.*s from launch to start", (int)engine.len, engine.ptr);
	else if (tc_text_equal(piece, TC_TEXT("queue")))
		tc_buf_format(buf, "%.*s from the end of other work to its start", (int)engine.len,
			engine.ptr);
	else if (tc_text_equal(piece, TC_TEXT("wake")))
		tc_buf_append_string(buf, "host going on after a wait");
	else
		tc_buf_append_string(buf, "before the first work, or not known");
}

static int64_t change_of(const struct tc_compare_row *row)
{
	return tc_sub_saturated(row->mean_ns[TC_AFTER], row->mean_ns[TC_BEFORE]);
}

/* " -3.0 ms" */
static void append_change(struct tc_buf *line, int64_t change_ns)
{
	tc_buf_append_string(line, change_ns < 0 ? " -" : " +");
	tc_format_ns(line, tc_magnitude_saturated(change_ns));
}

/* Appends the changes in the direction of the total, or those against it, and adds them to
 * *sum_ns. */
static int append_changes(struct tc_buf *line, int64_t *sum_ns, const struct tc_compare *compare,
	bool along, const char *before)
{
	int64_t least_ns = compare->mean_ns[TC_BEFORE] / 100 * LEAST_PCT;
	int named = 0;

	for (size_t i = 0; i < compare->rows[TC_QUERY_PATH].count && named < NAMED; i++) {
		const struct tc_compare_row *row = &compare->rows[TC_QUERY_PATH].rows[i];
		int64_t change_ns = change_of(row);
		bool is_along = (change_ns < 0) == (compare->difference_ns < 0);
		if (is_along != along || tc_magnitude_saturated(change_ns) <= least_ns)
			continue;
		tc_buf_append_string(line, named++ > 0 ? ", " : before);
		append_piece(line, row);
		append_change(line, change_ns);
		*sum_ns = tc_add_saturated(*sum_ns, change_ns);
	}
	return named;
}

/* The means of all pieces together. */
static void sum_of(int64_t sum_ns[static TC_COMPARE_SIDES], const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		sum_ns[side] = 0;
		for (size_t i = 0; i < compare->rows[TC_QUERY_PATH].count; i++)
			sum_ns[side] = tc_add_saturated(
				sum_ns[side], compare->rows[TC_QUERY_PATH].rows[i].mean_ns[side]);
	}
}

void tc_compare_append_path(struct tc_buf *buf, const struct tc_compare *compare)
{
	int64_t all_ns[TC_COMPARE_SIDES], named_ns = 0;
	int along = append_changes(buf, &named_ns, compare, true, " On the critical path: ");
	int against = append_changes(
		buf, &named_ns, compare, false, along > 0 ? "; but " : " On the critical path: ");

	if (along + against == 0)
		return;
	sum_of(all_ns, compare);
	int64_t rest_ns =
		tc_sub_saturated(tc_sub_saturated(all_ns[TC_AFTER], all_ns[TC_BEFORE]), named_ns);
	if (rest_ns != 0) {
		tc_buf_append_string(buf, "; all others");
		append_change(buf, rest_ns);
	}
	tc_buf_append_char(buf, '.');
}

static void put_row(const struct tc_compare *compare, const struct tc_compare_row *row)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_cell_ns(tc_compare_doc(compare), row->mean_ns[side]);
	tc_doc_cell_change_ns(tc_compare_doc(compare), change_of(row));
	append_piece(tc_doc_cell(tc_compare_doc(compare)), row);
}

static void put_sum(const struct tc_compare *compare)
{
	int64_t sum_ns[TC_COMPARE_SIDES];

	sum_of(sum_ns, compare);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_cell_ns(tc_compare_doc(compare), sum_ns[side]);
	tc_doc_cell_change_ns(
		tc_compare_doc(compare), tc_sub_saturated(sum_ns[TC_AFTER], sum_ns[TC_BEFORE]));
	tc_doc_cell_string(tc_compare_doc(compare), "all of it");
}

void tc_compare_put_path(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "difference", "<piece", NULL};
	const struct tc_compare_rows *path = &compare->rows[TC_QUERY_PATH];
	const char *unit = tc_compare_unit_name(compare);

	tc_doc_heading(tc_compare_doc(compare), "The critical path");
	tc_doc_table(tc_compare_doc(compare), columns);
	for (size_t i = 0; i < path->count; i++)
		put_row(compare, &path->rows[i]);
	if (path->count > 0)
		put_sum(compare);
	if (path->count > 0 && unit)
		tc_buf_format(tc_doc_paragraph(tc_compare_doc(compare)),
			"What the end of the recording waited for, divided by all its %ss.", unit);
}
