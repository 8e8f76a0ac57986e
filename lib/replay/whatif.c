#include "replay/whatif.h"

#include "store/sql.h"

/* ---- steps */

/* Steps whose completion is unknown have no row. */
static void put_step(
	struct tc_tables *tables, const struct tc_whatif_steps *steps, int64_t step_id, size_t step)
{
	const struct tc_shifts *shifts = steps->shifts;

	if (step >= shifts->step_count || shifts->complete_ns[step] == INT64_MIN)
		return;
	const struct tc_sql_value values[] = {tc_sql_int(steps->trace_id),
		tc_sql_string(steps->fix), tc_sql_int(step_id),
		tc_sql_int(shifts->complete_ns[step]),
		tc_sql_int(shifts->complete_then_ns[step * shifts->whatif_count + steps->column])};
	TC_TABLES_PUT(tables, "whatif_step (trace_id, fix, step_id, complete_ns, complete_then_ns)",
		values);
}

void tc_whatif_put_steps(struct tc_tables *tables, const struct tc_whatif_steps *steps)
{
	struct tc_rows rows = TC_ROWS(tables->ctx, tables->db,
		"SELECT id FROM counted_step WHERE trace_id = ?1 ORDER BY ts, id", steps->trace_id);

	for (size_t step = 0; tc_rows_next(&rows); step++)
		put_step(tables, steps, tc_rows_int(&rows, 0), step);
}

/* ---- ranges */

/* Its gain differs at its ends: shares have a range, or waits are unsure. */
static bool has_ends(const struct tc_fix *fix, const struct tc_clause_set *used)
{
	return tc_clause_set_meets(&fix->ranged, used) || tc_clause_set_has(used, TC_CLAUSE_UNSURE);
}

size_t tc_fix_add_sets(struct tc_clause_set *sets, size_t *count, const struct tc_fix *fix,
	const struct tc_clause_set *used)
{
	size_t first = *count;

	sets[(*count)++] = fix->clauses;
	if (has_ends(fix, used)) {
		sets[(*count)++] = fix->low;
		sets[(*count)++] = fix->high;
	}
	return first;
}

struct tc_gain tc_fix_gain(
	const struct tc_fix *fix, const struct tc_clause_set *used, const struct tc_won *won)
{
	bool ends = has_ends(fix, used);

	return tc_gain_between(&won[0], &won[ends ? TC_END_LOW : 0], &won[ends ? TC_END_HIGH : 0]);
}

enum tc_status tc_whatif_run(
	struct tc_whatif *whatif, const struct tc_timeline *timeline, const struct tc_fixes *fixes)
{
	struct tc_clause_set *sets;
	size_t count = 0;

	*whatif = (struct tc_whatif){.fixes = fixes, .arena.ctx = timeline->ctx};
	TC_ARENA(&whatif->arena, sets, TC_END_COUNT * fixes->count);
	TC_ARENA(&whatif->arena, whatif->columns, fixes->count);
	enum tc_status status = tc_ctx_status(timeline->ctx);
	if (!status)
		status = tc_replay_make(
			&whatif->replay, timeline, fixes->clauses, fixes->clause_count);
	for (size_t i = 0; i < fixes->count && !status; i++) {
		const struct tc_clause_set *set = &fixes->items[i].clauses;
		whatif->columns[i] = SIZE_MAX;
		if (tc_clause_set_meets(set, &whatif->replay.used))
			whatif->columns[i] = tc_fix_add_sets(
				sets, &count, &fixes->items[i], &whatif->replay.used);
	}
	if (!status)
		status =
			tc_shifts_run(&whatif->shifts, timeline->ctx, &whatif->replay, sets, count);
	if (!status)
		status = tc_path_find(
			&whatif->path, &whatif->replay, TC_PATH_ALL_WORK, timeline->ctx);
	return status;
}

void tc_whatif_clear(struct tc_whatif *whatif)
{
	tc_path_clear(&whatif->path);
	tc_shifts_clear(&whatif->shifts);
	tc_replay_clear(&whatif->replay);
	tc_arena_clear(&whatif->arena);
	*whatif = (struct tc_whatif){0};
}

/* ---- tables */

/* What is written, and where to. */
struct writing {
	const struct tc_whatif *whatif;
	const struct tc_timeline *timeline;
	struct tc_tables *tables;
};

static void write_fixes(const struct writing *to)
{
	const struct tc_whatif *whatif = to->whatif;

	for (size_t i = 0; i < whatif->fixes->count; i++) {
		const struct tc_fix *fix = &whatif->fixes->items[i];
		size_t column = whatif->columns[i];
		struct tc_won won = {0};
		struct tc_gain gain = {0};
		if (column != SIZE_MAX) {
			won = whatif->shifts.won[column];
			gain = tc_fix_gain(fix, &whatif->replay.used, &whatif->shifts.won[column]);
		}
		bool steady = won.step_before_ns > 0;
		const struct tc_sql_value values[] = {tc_sql_int(to->timeline->trace_id),
			tc_sql_string(fix->id), tc_sql_string(fix->edit), tc_sql_int(won.gain_ns),
			tc_sql_int_if(steady, won.step_before_ns),
			tc_sql_int_if(steady, won.step_after_ns), tc_sql_int(won.removed_ns),
			tc_sql_int(gain.low_ns), tc_sql_int(gain.high_ns)};
		TC_TABLES_PUT(to->tables,
			"whatif (trace_id, fix, edit, gain_ns, step_before_ns, step_after_ns,"
			" removed_ns, gain_low_ns, gain_high_ns)",
			values);
	}
}

/* Gains are shares of the time that the steps fill of which they are said. */
static void write_steady(const struct writing *to)
{
	const struct tc_shifts *shifts = &to->whatif->shifts;

	for (size_t i = 0; i < shifts->whatif_count; i++) {
		const struct tc_sql_value values[] = {
			tc_sql_int(to->timeline->trace_id), tc_sql_int(shifts->won[i].steady_ns)};
		if (shifts->won[i].steady_ns <= 0)
			continue;
		tc_tables_run(to->tables, "UPDATE steady SET gain_wall_ns = ?2 WHERE trace_id = ?1",
			values, TC_COUNT_OF(values));
		return;
	}
}

static void write_steps(const struct writing *to, size_t fix)
{
	const struct tc_whatif *whatif = to->whatif;
	const struct tc_shifts *shifts = &whatif->shifts;
	size_t column = whatif->columns[fix];

	if (column == SIZE_MAX || shifts->won[column].gain_ns == 0)
		return;
	const struct tc_whatif_steps steps = {
		to->timeline->trace_id, whatif->fixes->items[fix].id, shifts, column};
	for (size_t i = 0; i < shifts->step_count; i++)
		put_step(to->tables, &steps, to->timeline->steps[i].id, i);
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

static enum tc_status write_path(void *user, const struct tc_path_row *row)
{
	const struct writing *to = user;
	bool is_host = row->piece == TC_PIECE_HOST;
	const struct tc_sql_value values[] = {tc_sql_int(to->timeline->trace_id),
		tc_sql_string(tc_piece_name((enum tc_piece)row->piece)),
		tc_sql_string(is_host ? tc_role_name((enum tc_role)row->role_or_engine) : NULL),
		tc_sql_string(engine_of(row)), tc_sql_text(device_of(to->timeline, row)),
		tc_sql_text(name_of(to->timeline, row)), tc_sql_int(row->path_ns),
		tc_sql_int(row->path_count)};

	if (row->path_count > 0)
		TC_TABLES_PUT(to->tables,
			"critical_path (trace_id, piece, role, engine, device, name, dur_ns,"
			" count)",
			values);
	return tc_ctx_status(to->tables->ctx);
}

static enum tc_status write_slack(void *user, const struct tc_path_row *row)
{
	const struct writing *to = user;
	const struct tc_sql_value values[] = {tc_sql_int(to->timeline->trace_id),
		tc_sql_text(device_of(to->timeline, row)), tc_sql_string(engine_of(row)),
		tc_sql_text(name_of(to->timeline, row)), tc_sql_int(row->count),
		tc_sql_int(row->dur_ns), tc_sql_int(row->least_slack_ns)};

	if (row->count > 0)
		TC_TABLES_PUT(to->tables,
			"slack (trace_id, device, engine, name, count, dur_ns, least_slack_ns)",
			values);
	return tc_ctx_status(to->tables->ctx);
}

/* The path was found from its end, so the last stretch comes first. */
static void write_stretches(const struct writing *to)
{
	const struct tc_timeline *timeline = to->timeline;
	const struct tc_path *path = &to->whatif->path;

	for (size_t i = path->stretch_count; i-- > 0;) {
		const struct tc_path_stretch *stretch = &path->stretches[i];
		bool has_device = stretch->device > 0 && stretch->device <= timeline->device_count;
		const struct tc_sql_value values[] = {tc_sql_int(timeline->trace_id),
			tc_sql_int(stretch->ts), tc_sql_int(stretch->dur),
			tc_sql_string(tc_piece_name((enum tc_piece)stretch->piece)),
			tc_sql_text(has_device ? timeline->devices[stretch->device - 1].name
					       : TC_TEXT_NONE),
			tc_sql_int_if(
				stretch->track > 0, timeline->track_base + stretch->track - 1)};
		TC_TABLES_PUT(to->tables,
			"critical_stretch (trace_id, ts, dur, piece, device, track_id)", values);
	}
}

enum tc_status tc_whatif_write(
	const struct tc_whatif *whatif, const struct tc_timeline *timeline, sqlite3 *db)
{
	struct tc_tables tables = TC_TABLES_OF(timeline->ctx, db);
	struct writing to = {whatif, timeline, &tables};

	write_fixes(&to);
	write_steady(&to);
	for (size_t i = 0; i < whatif->fixes->count; i++)
		write_steps(&to, i);
	write_stretches(&to);
	tc_path_each(&whatif->path, write_path, &to);
	tc_path_each(&whatif->path, write_slack, &to);
	tc_tables_end(&tables);
	return tc_ctx_status(timeline->ctx);
}
