/*
 * The small tables, written when the trace is known whole: trace, trace_meta, process, thread,
 * track, label, step, and the links of device work to launches and steps.
 */
#include "core/alloc.h"
#include "core/decimal.h"
#include "decode/json_text.h"
#include "model/classify.h"
#include "model/state.h"
#include "store/sql.h"

enum { LINK_SORT_BYTES = 8 * 1024 * 1024 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct tc_sql_value name_value(const char *name)
{
	return tc_sql_text(tc_text_from(name));
}

static struct tc_sql_value string_value(const struct tc_model *model, uint32_t string)
{
	return tc_sql_text(tc_tracks_text(&model->tracks, string));
}

static struct tc_sql_value ident_value(const struct tc_model *model, struct tc_ident ident)
{
	return ident.is_text ? string_value(model, (uint32_t)ident.number)
			     : tc_sql_int(ident.number);
}

static enum tc_status write_processes(struct tc_model *model, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, model->ctx, db,
		"INSERT INTO process(id, trace_id, pid, name, labels, sort_index) "
		"VALUES (?, ?, ?, ?, ?, ?)");

	for (size_t i = 0; i < model->tracks.process_count && !status; i++) {
		const struct tc_process_row *row = &model->tracks.processes[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(model->first.process + (int64_t)i),
			tc_sql_int(model->first.trace),
			ident_value(model, row->pid),
			string_value(model, row->name),
			string_value(model, row->labels),
			tc_sql_int_if(row->has_sort_index, row->sort_index),
		};
		status = tc_sql_put(model->ctx, insert, values, COUNT(values));
	}
	sqlite3_finalize(insert);
	return status;
}

static enum tc_status write_threads(struct tc_model *model, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, model->ctx, db,
		"INSERT INTO thread(id, trace_id, process_id, tid, name, sort_index, "
		"host_thread_id) VALUES (?, ?, ?, ?, ?, ?, ?)");

	for (size_t i = 0; i < model->tracks.thread_count && !status; i++) {
		const struct tc_thread_row *row = &model->tracks.threads[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(model->first.thread + (int64_t)i),
			tc_sql_int(model->first.trace),
			tc_sql_int(model->first.process + row->process),
			ident_value(model, row->tid),
			string_value(model, row->name),
			tc_sql_int_if(row->has_sort_index, row->sort_index),
			tc_sql_int_if(
				row->host_number >= 0, model->first.thread + row->host_thread),
		};
		status = tc_sql_put(model->ctx, insert, values, COUNT(values));
	}
	sqlite3_finalize(insert);
	return status;
}

/* A lane is named by its thread, or as streams are by a bare number. */
static void lane_name(
	const struct tc_model *model, const struct tc_track_row *row, struct tc_buf *out)
{
	const struct tc_thread_row *thread = &model->tracks.threads[row->thread];
	struct tc_text name = tc_tracks_text(&model->tracks, thread->name);

	tc_buf_reset(out);
	if (name.ptr && !thread->tid.is_text)
		tc_buf_append_text(out, name);
	else if (!thread->tid.is_text)
		tc_buf_append_string(out, "stream ");
	if (!name.ptr || thread->tid.is_text)
		tc_tracks_append_ident(&model->tracks, thread->tid, out);
}

static enum tc_status write_track(
	struct tc_model *model, sqlite3_stmt *insert, size_t i, struct tc_buf *lane)
{
	static const char *const kinds[] = {
		[TC_TRACK_THREAD] = "thread", [TC_TRACK_LANE] = "lane", [TC_TRACK_ASYNC] = "async"};
	const struct tc_track_row *row = &model->tracks.tracks[i];
	bool has_thread = row->thread != TC_INDEX_NONE, is_lane = row->kind == TC_TRACK_LANE;
	struct tc_text device = TC_TEXT_NONE;
	uint32_t name = has_thread ? model->tracks.threads[row->thread].name : row->name;

	if (is_lane) {
		device = model->timeline->devices[row->device_index].name;
		lane_name(model, row, lane);
		if (tc_buf_failed(lane))
			return tc_model_no_memory(model);
	}
	const struct tc_sql_value values[] = {
		tc_sql_int(model->first.track + (int64_t)i),
		tc_sql_int(model->first.trace),
		name_value(kinds[row->kind]),
		tc_sql_int(model->first.process + row->process),
		tc_sql_int_if(has_thread, model->first.thread + row->thread),
		string_value(model, name),
		tc_sql_text(device),
		name_value(tc_engine_name(row->engine)),
		is_lane ? tc_sql_text(tc_buf_text(lane)) : tc_sql_null(),
	};
	return tc_sql_put(model->ctx, insert, values, COUNT(values));
}

static enum tc_status write_tracks(struct tc_model *model, sqlite3 *db)
{
	struct tc_buf lane = TC_BUF_EMPTY;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, model->ctx, db,
		"INSERT INTO track(id, trace_id, kind, process_id, thread_id, name, device, "
		"engine, lane) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");

	for (size_t i = 0; i < model->tracks.track_count && !status; i++) {
		const struct tc_track_row *row = &model->tracks.tracks[i];
		if (row->slice_count > 0 || row->other_count > 0)
			status = write_track(model, insert, i, &lane);
	}
	sqlite3_finalize(insert);
	tc_buf_clear(&lane);
	return status;
}

static enum tc_status write_labels(struct tc_model *model, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, model->ctx, db,
		"INSERT INTO label(id, category, name, role, engine, kind, direction) "
		"VALUES (?, ?, ?, ?, ?, ?, ?)");

	for (size_t i = 0; i < model->labels.count && !status; i++) {
		const struct tc_label *label = &model->labels.rows[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(model->first.label + (int64_t)i),
			tc_sql_text(label->category),
			tc_sql_text(label->name),
			name_value(tc_role_name(label->role)),
			name_value(tc_engine_name(label->engine)),
			name_value(tc_op_kind_name(label->kind)),
			name_value(label->direction),
		};
		status = tc_sql_put(model->ctx, insert, values, COUNT(values));
	}
	sqlite3_finalize(insert);
	return status;
}

static enum tc_status write_steps(struct tc_model *model, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, model->ctx, db,
		"INSERT INTO step(id, trace_id, number, name, ts, dur, slice_id, is_warm_up) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, 0)");

	for (size_t i = 0; i < model->timeline->step_count && !status; i++) {
		const struct tc_step *step = &model->timeline->steps[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(step->id),
			tc_sql_int(model->first.trace),
			tc_sql_int(step->number),
			tc_sql_text(model->labels.rows[step->label].name),
			tc_sql_int(step->ts_ns),
			tc_sql_int(step->dur_ns),
			tc_sql_int(step->slice_id),
		};
		status = tc_sql_put(model->ctx, insert, values, COUNT(values));
	}
	sqlite3_finalize(insert);
	return status;
}

static enum tc_status write_metas(struct tc_model *model, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, model->ctx, db,
		"INSERT INTO trace_meta(trace_id, key, value) VALUES (?, ?, ?)");

	for (size_t i = 0; i < model->meta_count && !status; i++) {
		const struct tc_sql_value values[] = {
			tc_sql_int(model->first.trace),
			string_value(model, model->metas[i].key),
			string_value(model, model->metas[i].value),
		};
		status = tc_sql_put(model->ctx, insert, values, COUNT(values));
	}
	sqlite3_finalize(insert);
	return status;
}

enum tc_status tc_tables_write(
	struct tc_model *model, sqlite3 *db, const struct tc_input_facts *facts)
{
	enum tc_status status = tc_trace_write(model, db, facts);

	if (!status)
		status = write_metas(model, db);
	if (!status)
		status = write_processes(model, db);
	if (!status)
		status = write_threads(model, db);
	if (!status)
		status = write_tracks(model, db);
	if (!status)
		status = write_labels(model, db);
	if (!status)
		status = write_steps(model, db);
	return status;
}

struct link_row {
	int64_t slice_id, launch_slice_id;
	int32_t step;
	enum tc_launch_method method;
};

static int compare_links(const void *a, const void *b)
{
	const struct link_row *x = a, *y = b;

	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}

/* Links in the order of slices, so that the table is appended to. */
static enum tc_status collect_links(struct tc_model *model, struct tc_sorter *links)
{
	enum tc_status status = TC_OK;

	for (uint32_t i = 0; i < model->tracks.track_count && !status; i++) {
		struct tc_cursor *cursor = NULL;
		const struct tc_span *span = NULL;
		if (model->tracks.tracks[i].kind != TC_TRACK_LANE)
			continue;
		status = tc_cursor_open(&cursor, model->timeline, &i, 1);
		while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
			const struct link_row link = {span->slice_id, span->launch_slice_id,
				span->step, (enum tc_launch_method)span->method};
			if (link.launch_slice_id != TC_NO_ID || link.step >= 0)
				status = tc_sorter_add(links, &link);
		}
		tc_cursor_close(cursor);
	}
	return status;
}

static bool same_link(const struct link_row *a, const struct link_row *b)
{
	return a->launch_slice_id == b->launch_slice_id && a->step == b->step &&
	       a->method == b->method;
}

static enum tc_status put_run(struct tc_model *model, sqlite3_stmt *insert,
	const struct link_row *first, int64_t last_slice_id)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(first->slice_id),
		tc_sql_int(last_slice_id),
		tc_sql_int_if(first->launch_slice_id != TC_NO_ID, first->launch_slice_id),
		first->step < 0 ? tc_sql_null()
				: tc_sql_int(model->timeline->steps[first->step].id),
		name_value(tc_launch_method_name(first->method)),
	};

	return tc_sql_put(model->ctx, insert, values, COUNT(values));
}

static enum tc_status write_runs(
	struct tc_model *model, struct tc_sorter *links, sqlite3_stmt *insert)
{
	struct link_row first = {0};
	int64_t last_slice_id = TC_NO_ID;
	const void *record = NULL;
	enum tc_status status = tc_sorter_rewind(links);

	while (!status && !(status = tc_sorter_next(links, &record)) && record) {
		const struct link_row *link = record;
		if (last_slice_id != TC_NO_ID && link->slice_id == last_slice_id + 1 &&
			same_link(&first, link)) {
			last_slice_id++;
			continue;
		}
		if (last_slice_id != TC_NO_ID)
			status = put_run(model, insert, &first, last_slice_id);
		first = *link;
		last_slice_id = link->slice_id;
	}
	if (!status && last_slice_id != TC_NO_ID)
		status = put_run(model, insert, &first, last_slice_id);
	return status;
}

enum tc_status tc_links_write(struct tc_model *model, sqlite3 *db)
{
	struct tc_sorter *links = NULL;
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sorter_new(
		&links, model->ctx, sizeof(struct link_row), LINK_SORT_BYTES, compare_links);

	if (!status)
		status = collect_links(model, links);
	if (!status)
		status = tc_sql_prepare(&insert, model->ctx, db,
			"INSERT INTO device_link(first_slice_id, last_slice_id, launch_slice_id, "
			"step_id, method) VALUES (?, ?, ?, ?, ?)");
	if (!status)
		status = write_runs(model, links, insert);
	sqlite3_finalize(insert);
	tc_sorter_free(links);
	return status;
}
