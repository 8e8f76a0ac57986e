/* Rows of a query as JSON; see members.h. */
#include "report/json/members.h"

#include "core/array.h"
#include "report/view/rows.h"

#define ROWS 100 /* unless --top asks for more */

void tc_json_columns(struct tc_json *json, const struct tc_rows *row, int count)
{
	for (int i = 0; i < count; i++) {
		const char *name = sqlite3_column_name(row->stmt, i);
		if (!name) {
			json->sink->buf.failed = true;
			return;
		}
		int type = sqlite3_column_type(row->stmt, i);
		if (type == SQLITE_INTEGER)
			tc_json_int(json, name, tc_rows_int(row, i));
		else if (type == SQLITE_FLOAT)
			tc_json_real(json, name, tc_rows_real(row, i));
		else
			tc_json_text(json, name, tc_rows_text(row, i));
	}
}

static void bind(struct tc_rows *rows, const struct tc_job *job, const struct tc_json_place *place)
{
	const int64_t top = place && place->top ? place->top : job->options.top;
	const struct {
		const char *name;
		int64_t value;
	} known[] = {{":trace", place ? place->trace_id : -1}, {":step", job->options.step},
		{":top", top}, {":rows", top > ROWS ? top : ROWS}};

	for (size_t i = 0; i < TC_COUNT_OF(known) && rows->stmt; i++) {
		int at = sqlite3_bind_parameter_index(rows->stmt, known[i].name);
		if (at > 0)
			tc_rows_bind(rows, at, known[i].value);
	}
	int at = rows->stmt ? sqlite3_bind_parameter_index(rows->stmt, ":device") : 0;
	if (at > 0)
		tc_rows_bind_text(rows, at, tc_text_from(place->device));
}

void tc_json_query(struct tc_json *json, struct tc_job *job, const char *key, const char *sql,
	const struct tc_json_place *place)
{
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, sql);

	bind(&rows, job, place);
	tc_json_array(json, key);
	while (tc_rows_next(&rows)) {
		tc_json_object(json, NULL);
		tc_json_columns(json, &rows, sqlite3_column_count(rows.stmt));
		tc_json_end(json);
	}
	tc_json_end(json);
}
