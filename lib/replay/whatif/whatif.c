/* See whatif.h. */
#include "replay/whatif/whatif.h"

#include "core/alloc.h"
#include "core/array.h"
#include "store/sql.h"

enum tc_status tc_whatif_run(
	struct tc_whatif *whatif, const struct tc_timeline *timeline, const struct tc_fixes *fixes)
{
	struct tc_clause_set *sets = tc_calloc(fixes->count + 1, sizeof(*sets));
	size_t count = 0;

	*whatif = (struct tc_whatif){.fixes = fixes};
	whatif->columns = tc_calloc(fixes->count + 1, sizeof(*whatif->columns));
	enum tc_status status = sets && whatif->columns
					? tc_replay_make(&whatif->replay, timeline, fixes->clauses,
						  fixes->clause_count)
					: tc_no_memory(timeline->ctx);
	for (size_t i = 0; i < fixes->count && !status; i++) {
		const struct tc_clause_set *set = &fixes->items[i].clauses;
		whatif->columns[i] = SIZE_MAX;
		if (tc_clause_set_meets(set, &whatif->replay.used)) {
			sets[count] = *set;
			whatif->columns[i] = count++;
		}
	}
	if (!status)
		status =
			tc_shifts_run(&whatif->shifts, timeline->ctx, &whatif->replay, sets, count);
	if (!status)
		status = tc_path_find(&whatif->path, &whatif->replay, timeline->ctx);
	tc_free(sets);
	return status;
}

void tc_whatif_clear(struct tc_whatif *whatif)
{
	tc_path_clear(&whatif->path);
	tc_shifts_clear(&whatif->shifts);
	tc_replay_clear(&whatif->replay);
	tc_free(whatif->columns);
	*whatif = (struct tc_whatif){0};
}

/* ---- tables */

struct tables {
	const struct tc_whatif *whatif;
	const struct tc_timeline *timeline;
	sqlite3 *db;
};

static enum tc_status write_fixes(const struct tables *tables)
{
	const struct tc_whatif *whatif = tables->whatif;
	struct tc_ctx *ctx = tables->timeline->ctx;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_insert(&insert, ctx, tables->db,
		"whatif (trace_id, fix, edit, gain_ns, step_before_ns, step_after_ns,"
		" removed_ns)");

	for (size_t i = 0; i < whatif->fixes->count && !status; i++) {
		const struct tc_fix *fix = &whatif->fixes->items[i];
		size_t column = whatif->columns[i];
		struct tc_won won = {0};
		if (column != SIZE_MAX)
			won = whatif->shifts.won[column];
		bool steady = won.step_before_ns > 0;
		const struct tc_sql_value values[] = {tc_sql_int(tables->timeline->trace_id),
			tc_sql_string(fix->id), tc_sql_string(fix->edit), tc_sql_int(won.gain_ns),
			tc_sql_int_if(steady, won.step_before_ns),
			tc_sql_int_if(steady, won.step_after_ns), tc_sql_int(won.removed_ns)};
		status = tc_sql_put(ctx, insert, values, TC_COUNT_OF(values));
	}
	sqlite3_finalize(insert);
	return status;
}

static enum tc_status write_steps_of(const struct tables *tables, sqlite3_stmt *insert, size_t fix)
{
	const struct tc_whatif *whatif = tables->whatif;
	const struct tc_shifts *shifts = &whatif->shifts;
	size_t column = whatif->columns[fix];
	enum tc_status status = TC_OK;

	if (column == SIZE_MAX || shifts->won[column].gain_ns == 0)
		return TC_OK;
	for (size_t i = 0; i < shifts->step_count && !status; i++) {
		int64_t then_ns = shifts->complete_then_ns[i * shifts->whatif_count + column];
		const struct tc_sql_value values[] = {tc_sql_int(tables->timeline->trace_id),
			tc_sql_string(whatif->fixes->items[fix].id),
			tc_sql_int(tables->timeline->steps[i].id),
			tc_sql_int(shifts->complete_ns[i]), tc_sql_int(then_ns)};
		if (shifts->complete_ns[i] != INT64_MIN)
			status = tc_sql_put(
				tables->timeline->ctx, insert, values, TC_COUNT_OF(values));
	}
	return status;
}

static enum tc_status write_steps(const struct tables *tables)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_insert(&insert, tables->timeline->ctx, tables->db,
		"whatif_step (trace_id, fix, step_id, complete_ns, complete_then_ns)");

	for (size_t i = 0; i < tables->whatif->fixes->count && !status; i++)
		status = write_steps_of(tables, insert, i);
	sqlite3_finalize(insert);
	return status;
}

static struct tc_text name_of(const struct tc_timeline *timeline, const struct tc_path_row *row)
{
	return row->label == UINT32_MAX ? TC_TEXT_NONE
					: tc_label_name(&timeline->labels[row->label]);
}

static struct tc_text device_of(const struct tc_timeline *timeline, const struct tc_path_row *row)
{
	return row->device == 0 || row->device > timeline->device_count
		       ? TC_TEXT_NONE
		       : timeline->devices[row->device - 1].name;
}

static const char *engine_of(const struct tc_path_row *row)
{
	return row->piece == TC_PIECE_HOST ? NULL
					   : tc_engine_name((enum tc_engine)row->role_or_engine);
}

/* A row of critical_path; false where the path has none of the kind. */
static bool path_values(
	struct tc_sql_value *values, const struct tables *tables, const struct tc_path_row *row)
{
	bool is_host = row->piece == TC_PIECE_HOST;

	values[0] = tc_sql_int(tables->timeline->trace_id);
	values[1] = tc_sql_string(tc_piece_name((enum tc_piece)row->piece));
	values[2] = tc_sql_string(is_host ? tc_role_name((enum tc_role)row->role_or_engine) : NULL);
	values[3] = tc_sql_string(engine_of(row));
	values[4] = tc_sql_text(device_of(tables->timeline, row));
	values[5] = tc_sql_text(name_of(tables->timeline, row));
	values[6] = tc_sql_int(row->path_ns);
	values[7] = tc_sql_int(row->path_count);
	return row->path_count > 0;
}

/* A row of slack; false where there is none. */
static bool slack_values(
	struct tc_sql_value *values, const struct tables *tables, const struct tc_path_row *row)
{
	values[0] = tc_sql_int(tables->timeline->trace_id);
	values[1] = tc_sql_text(device_of(tables->timeline, row));
	values[2] = tc_sql_string(engine_of(row));
	values[3] = tc_sql_text(name_of(tables->timeline, row));
	values[4] = tc_sql_int(row->count);
	values[5] = tc_sql_int(row->dur_ns);
	values[6] = tc_sql_int(row->least_slack_ns);
	return row->count > 0;
}

enum { PATH_COLUMNS = 8, SLACK_COLUMNS = 7 };

/* How rows of the path become rows of a table. */
struct form {
	const struct tables *tables;
	sqlite3_stmt *insert;
	size_t columns;
	bool (*values_of)(struct tc_sql_value *, const struct tables *, const struct tc_path_row *);
};

static enum tc_status write_row(void *user, const struct tc_path_row *row)
{
	const struct form *form = user;
	struct tc_sql_value values[PATH_COLUMNS];

	return form->values_of(values, form->tables, row)
		       ? tc_sql_put(
				 form->tables->timeline->ctx, form->insert, values, form->columns)
		       : TC_OK;
}

static enum tc_status write_rows(const struct tables *tables, const char *into, size_t columns,
	bool (*values_of)(struct tc_sql_value *, const struct tables *, const struct tc_path_row *))
{
	struct form form = {tables, NULL, columns, values_of};
	enum tc_status status =
		tc_sql_insert(&form.insert, tables->timeline->ctx, tables->db, into);

	if (!status)
		status = tc_path_each(&tables->whatif->path, write_row, &form);
	sqlite3_finalize(form.insert);
	return status;
}

/* The path was found from its end, so the last stretch comes first. */
static enum tc_status write_stretches(const struct tables *tables)
{
	const struct tc_timeline *timeline = tables->timeline;
	const struct tc_path *path = &tables->whatif->path;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_insert(&insert, timeline->ctx, tables->db,
		"critical_stretch (trace_id, ts, dur, piece, device, track_id)");

	for (size_t i = path->stretch_count; i-- > 0 && !status;) {
		const struct tc_path_stretch *stretch = &path->stretches[i];
		bool has_device = stretch->device > 0 && stretch->device <= timeline->device_count;
		const struct tc_sql_value values[] = {tc_sql_int(timeline->trace_id),
			tc_sql_int(stretch->ts), tc_sql_int(stretch->dur),
			tc_sql_string(tc_piece_name((enum tc_piece)stretch->piece)),
			tc_sql_text(has_device ? timeline->devices[stretch->device - 1].name
					       : TC_TEXT_NONE),
			tc_sql_int_if(
				stretch->track > 0, timeline->track_base + stretch->track - 1)};
		status = tc_sql_put(timeline->ctx, insert, values, TC_COUNT_OF(values));
	}
	sqlite3_finalize(insert);
	return status;
}

enum tc_status tc_whatif_write(
	const struct tc_whatif *whatif, const struct tc_timeline *timeline, sqlite3 *db)
{
	const struct tables tables = {whatif, timeline, db};
	enum tc_status status = write_fixes(&tables);

	if (!status)
		status = write_steps(&tables);
	if (!status)
		status = write_stretches(&tables);
	if (!status)
		status = write_rows(&tables,
			"critical_path (trace_id, piece, role, engine, device, name, dur_ns,"
			" count)",
			PATH_COLUMNS, path_values);
	if (!status)
		status = write_rows(&tables,
			"slack (trace_id, device, engine, name, count, dur_ns, least_slack_ns)",
			SLACK_COLUMNS, slack_values);
	return status;
}
