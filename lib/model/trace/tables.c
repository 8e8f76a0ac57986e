/*
 * The small tables, written when the trace is known whole: trace, trace_meta, process, thread,
 * track, label and step.
 */
#include "core/alloc.h"
#include "core/decimal.h"
#include "decode/json/json_text.h"
#include "model/state.h"
#include "store/sql.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	static const char *const kinds[] = {[TC_TRACK_THREAD] = "thread",
		[TC_TRACK_LANE] = "lane",
		[TC_TRACK_ASYNC] = "async",
		[TC_TRACK_STATE] = "thread_state"};
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
		tc_sql_string(kinds[row->kind]),
		tc_sql_int(model->first.process + row->process),
		tc_sql_int_if(has_thread, model->first.thread + row->thread),
		string_value(model, name),
		tc_sql_text(device),
		tc_sql_string(tc_engine_name(row->engine)),
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
		"INSERT INTO label(id, category, name, role, engine, task_engine, kind, direction, "
		"class, precision, collective, phase, mark) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

	for (size_t i = 0; i < model->timeline->label_count && !status; i++) {
		const struct tc_label *label = &model->timeline->labels[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(model->first.label + (int64_t)i),
			tc_sql_text(label->category),
			tc_sql_text(label->name),
			tc_sql_string(tc_role_name(label->role)),
			tc_sql_string(tc_engine_name(label->engine)),
			tc_sql_string(tc_engine_name(label->task_engine)),
			tc_sql_string(tc_op_kind_name(label->kind)),
			tc_sql_string(label->direction),
			tc_sql_string(tc_class_name(label->name_class)),
			tc_sql_string(tc_precision_name(label->precision)),
			tc_sql_string(tc_collective_name(label->collective)),
			tc_sql_string(tc_phase_name(label->phase)),
			tc_sql_string(tc_mark_name(label->mark)),
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
			tc_sql_text(model->timeline->labels[step->label].name),
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
