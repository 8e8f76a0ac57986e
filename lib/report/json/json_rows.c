/* Rows of a query as JSON; see members.h. */
#include "report/json/members.h"

#include "report/view/rows.h"

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

void tc_json_query(struct tc_json *json, struct tc_job *job, const char *key, const char *sql,
	const struct tc_query_place *place)
{
	struct tc_rows rows = tc_job_rows(job, sql, place);

	tc_json_array(json, key);
	while (tc_rows_next(&rows)) {
		tc_json_object(json, NULL);
		tc_json_columns(json, &rows, sqlite3_column_count(rows.stmt));
		tc_json_end(json);
	}
	tc_json_end(json);
}
