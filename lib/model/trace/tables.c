/* Tables as a function that writes one row; see tables.h. */
#include "model/trace/tables.h"

#include "core/array.h"
#include "model/trace/trace_row.h"
#include "store/tables.h"

static struct tc_sql_value string_value(const struct tc_trace *trace, uint32_t string)
{
	return tc_sql_text(tc_tracks_text(trace->tracks, string));
}

static struct tc_sql_value ident_value(const struct tc_trace *trace, struct tc_ident ident)
{
	return ident.is_text ? string_value(trace, (uint32_t)ident.number)
			     : tc_sql_int(ident.number);
}

static void put_meta(struct tc_tables *tables, const struct tc_trace *trace, size_t i)
{
	const struct tc_sql_value values[] = {tc_sql_int(trace->first->trace),
		tc_sql_text(trace->metas->rows[i].key), tc_sql_text(trace->metas->rows[i].json)};

	TC_TABLES_PUT(tables, "trace_meta (trace_id, key, value)", values);
}

static void put_process(struct tc_tables *tables, const struct tc_trace *trace, size_t i)
{
	const struct tc_process_row *process = &trace->tracks->processes[i];
	const struct tc_sql_value values[] = {tc_sql_int(trace->first->process + (int64_t)i),
		tc_sql_int(trace->first->trace), ident_value(trace, process->pid),
		string_value(trace, process->name), string_value(trace, process->labels),
		tc_sql_int_if(process->has_sort_index, process->sort_index)};

	TC_TABLES_PUT(tables, "process (id, trace_id, pid, name, labels, sort_index)", values);
}

static void put_thread(struct tc_tables *tables, const struct tc_trace *trace, size_t i)
{
	const struct tc_thread_row *thread = &trace->tracks->threads[i];
	const struct tc_sql_value values[] = {tc_sql_int(trace->first->thread + (int64_t)i),
		tc_sql_int(trace->first->trace),
		tc_sql_int(trace->first->process + thread->process),
		ident_value(trace, thread->tid), string_value(trace, thread->name),
		tc_sql_int_if(thread->has_sort_index, thread->sort_index),
		tc_sql_int_if(
			thread->host_number >= 0, trace->first->thread + thread->host_thread)};

	TC_TABLES_PUT(tables,
		"thread (id, trace_id, process_id, tid, name, sort_index, host_thread_id)", values);
}

/* A lane has the name of its thread. Streams have a number instead of one. */
static void append_lane_name(
	struct tc_buf *out, const struct tc_tracks *tracks, const struct tc_track_row *track)
{
	const struct tc_thread_row *thread = &tracks->threads[track->thread];
	struct tc_text name = tc_tracks_text(tracks, thread->name);

	if (name.ptr && !thread->tid.is_text)
		tc_buf_append_text(out, name);
	else if (!thread->tid.is_text)
		tc_buf_append_string(out, "stream ");
	if (!name.ptr || thread->tid.is_text)
		tc_tracks_append_ident(tracks, thread->tid, out);
}

static void put_track(struct tc_tables *tables, const struct tc_trace *trace, size_t i)
{
	static const char *const kinds[] = {[TC_TRACK_THREAD] = "thread",
		[TC_TRACK_LANE] = "lane",
		[TC_TRACK_ASYNC] = "async",
		[TC_TRACK_STATE] = "thread_state"};
	const struct tc_track_row *track = &trace->tracks->tracks[i];
	bool has_thread = track->thread != TC_INDEX_NONE, is_lane = track->kind == TC_TRACK_LANE;
	uint32_t name = has_thread ? trace->tracks->threads[track->thread].name : track->name;
	struct tc_text device = TC_TEXT_NONE;
	struct tc_buf lane = TC_BUF_EMPTY;

	if (track->slice_count == 0 && track->other_count == 0)
		return;
	if (is_lane) {
		device = trace->timeline->devices[track->device_index].name;
		append_lane_name(&lane, trace->tracks, track);
		if (tc_buf_failed(&lane))
			tc_tables_keep(tables, tc_no_memory(trace->ctx));
	}
	const struct tc_sql_value values[] = {tc_sql_int(trace->first->track + (int64_t)i),
		tc_sql_int(trace->first->trace), tc_sql_string(kinds[track->kind]),
		tc_sql_int(trace->first->process + track->process),
		tc_sql_int_if(has_thread, trace->first->thread + track->thread),
		string_value(trace, name), tc_sql_text(device),
		tc_sql_string(tc_engine_name(track->engine)),
		is_lane ? tc_sql_text(tc_buf_text(&lane)) : tc_sql_null()};

	TC_TABLES_PUT(tables,
		"track (id, trace_id, kind, process_id, thread_id, name, device, engine, lane)",
		values);
	tc_buf_clear(&lane);
}

static void put_label(struct tc_tables *tables, const struct tc_trace *trace, size_t i)
{
	const struct tc_label *label = &trace->timeline->labels[i];
	const struct tc_sql_value values[] = {tc_sql_int(trace->first->label + (int64_t)i),
		tc_sql_text(tc_label_category(label)), tc_sql_text(tc_label_name(label)),
		tc_sql_string(tc_role_name(label->role)),
		tc_sql_string(tc_engine_name(label->engine)),
		tc_sql_string(tc_engine_name(label->task_engine)),
		tc_sql_string(tc_op_kind_name(label->kind)),
		tc_sql_string(tc_direction_name(label->direction)),
		tc_sql_string(tc_class_name(label->name_class)),
		tc_sql_string(tc_precision_name(label->precision)),
		tc_sql_string(tc_collective_name(label->collective)),
		tc_sql_string(tc_phase_name(label->phase)),
		tc_sql_string(tc_mark_name(label->mark))};

	TC_TABLES_PUT(tables,
		"label (id, category, name, role, engine, task_engine, kind, direction, class,"
		" precision, collective, phase, mark)",
		values);
}

static void put_step(struct tc_tables *tables, const struct tc_trace *trace, size_t i)
{
	const struct tc_step *step = &trace->timeline->steps[i];
	const struct tc_sql_value values[] = {tc_sql_int(step->id), tc_sql_int(trace->first->trace),
		tc_sql_int(step->number),
		tc_sql_text(tc_label_name(&trace->timeline->labels[step->label])),
		tc_sql_int(step->ts_ns), tc_sql_int(step->dur_ns), tc_sql_int(step->slice_id),
		tc_sql_int(false)};

	TC_TABLES_PUT(
		tables, "step (id, trace_id, number, name, ts, dur, slice_id, is_warm_up)", values);
}

enum tc_status tc_tables_write(const struct tc_trace *trace)
{
	const struct {
		size_t row_count;
		void (*put)(struct tc_tables *tables, const struct tc_trace *trace, size_t i);
	} kinds[] = {
		{trace->metas->count, put_meta},
		{trace->tracks->process_count, put_process},
		{trace->tracks->thread_count, put_thread},
		{trace->tracks->track_count, put_track},
		{trace->timeline->label_count, put_label},
		{trace->timeline->step_count, put_step},
	};
	struct tc_tables tables = TC_TABLES_OF(trace->ctx, trace->db);

	tc_trace_row_put(&tables, trace);
	for (size_t i = 0; i < TC_COUNT_OF(kinds); i++)
		for (size_t row = 0; row < kinds[i].row_count && !tables.status; row++)
			kinds[i].put(&tables, trace, row);
	return tc_tables_end(&tables);
}
