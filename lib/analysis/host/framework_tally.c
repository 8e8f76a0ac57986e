/* Rows of framework_op; see framework_tally.h. */
#include "analysis/host/framework_tally.h"

extern const char tc_framework_sql[]; /* framework.sql, embedded by the build */

static const char *const kind_names[TC_FRAMEWORK_COUNT] = {
#define TC_FRAMEWORK_KIND(id, kind) [TC_FRAMEWORK_##id] = (kind),
#include "names/label/framework_kinds.def"
};

/* Kinds that only count within another kind. */
static const enum tc_framework_kind within[TC_FRAMEWORK_COUNT] = {
	[TC_FRAMEWORK_ADDITION] = TC_FRAMEWORK_CONVOLUTION,
	[TC_FRAMEWORK_SUM] = TC_FRAMEWORK_CONVOLUTION_BACKWARD,
};

#define NO_OP                                                                                      \
	{                                                                                          \
		.slice_id = TC_NO_ID, .convolution_id = TC_NO_ID                                   \
	}
static const struct tc_framework_op no_op = NO_OP;
static const struct tc_framework_track first_track = {.last = NO_OP};
static const struct tc_framework_thread first_thread = {
	.copy_ns = INT64_MAX, .step = TC_FRAMEWORK_NO_STEP};

static struct tc_framework_track *track_at(const struct tc_framework_tally *tally, uint32_t track)
{
	return TC_PAGED_AT(&tally->tracks, struct tc_framework_track, track);
}

static struct tc_framework_thread *thread_at(const struct tc_framework_tally *tally, int32_t thread)
{
	return TC_PAGED_AT(&tally->threads, struct tc_framework_thread, (size_t)thread);
}

static enum tc_framework_kind kind_of(
	const struct tc_timeline *timeline, const struct tc_span *span)
{
	return timeline->labels[span->label].framework;
}

enum tc_status tc_framework_tally_init(struct tc_framework_tally *tally, struct tc_tables *tables,
	const struct tc_windows *windows, const struct tc_survey *survey, const int64_t *thread_ids)
{
	const struct tc_timeline *timeline = windows->timeline;

	*tally = (struct tc_framework_tally){.timeline = timeline,
		.windows = windows,
		.tables = tables,
		.thread_ids = thread_ids,
		.backward_step = TC_FRAMEWORK_NO_STEP};
	tally->thread_count = survey->thread_count;
	tc_op_totals_init(&tally->shapes);
	enum tc_status status = tc_paged_init(&tally->threads, tables->ctx, survey->thread_count,
		sizeof(first_thread), &first_thread);
	if (!status)
		status = tc_paged_init(&tally->tracks, tables->ctx, timeline->track_count,
			sizeof(first_track), &first_track);
	if (status)
		tc_framework_tally_clear(tally);
	return status;
}

void tc_framework_tally_clear(struct tc_framework_tally *tally)
{
	tc_op_totals_clear(&tally->shapes);
	tc_paged_clear(&tally->threads);
	tc_paged_clear(&tally->tracks);
	*tally = (struct tc_framework_tally){0};
}

enum tc_status tc_framework_tally_status(const struct tc_framework_tally *tally)
{
	enum tc_status status = tc_paged_status(&tally->threads);

	return status ? status : tc_paged_status(&tally->tracks);
}

static bool is_in_copy(const struct tc_timeline *timeline, const struct tc_host_state *state,
	const struct tc_host_open *host)
{
	const struct tc_host_open *op = tc_host_state_innermost(state, host->thread, TC_HOST_OPS);

	return op && timeline->labels[op->open.span.label].mark == TC_MARK_COPY_CARRIER;
}

/* Calls that concern a device: launches, copies, and the graphs that lazy mode accumulates. */
static void count_call(struct tc_framework_tally *tally, const struct tc_host_state *state,
	const struct tc_host_open *host)
{
	const struct tc_label *label = &tally->timeline->labels[host->open.span.label];
	struct tc_host_calls *calls = &thread_at(tally, host->thread)->calls;

	if (label->is_launch) {
		calls->launch_count++;
		calls->launch_slice_id = host->open.span.slice_id;
	}
	if (host->role == TC_ROLE_INPUT_COPY)
		calls->input_copy_count++;
	if (label->is_launch || host->role == TC_ROLE_INPUT_COPY ||
		host->role == TC_ROLE_OUTPUT_COPY || host->role == TC_ROLE_GRAPH_BUILD) {
		bool reads = host->role == TC_ROLE_OUTPUT_COPY &&
			     is_in_copy(tally->timeline, state, host);
		calls->device_count++;
		if (reads)
			calls->read_end_ns = host->open.end_ns;
		/* A read may first build and launch the graph of what it reads. */
		calls->has_read =
			reads || (calls->has_read && host->open.start_ns < calls->read_end_ns);
	}
}

bool tc_framework_is_on_cpu(const struct tc_framework_tally *tally, const struct tc_host_open *host)
{
	const struct tc_label *label = &tally->timeline->labels[host->open.span.label];

	return host->before.has_read && host->role == TC_ROLE_DISPATCH && label->is_op &&
	       label->mark != TC_MARK_COPY_CARRIER &&
	       host->open.end_ns - host->open.start_ns >= TC_ON_CPU_MIN_NS &&
	       thread_at(tally, host->thread)->calls.device_count == host->before.device_count;
}

static bool is_wanted(const struct tc_framework_tally *tally, const struct tc_host_state *state,
	const struct tc_host_open *host, enum tc_framework_kind kind)
{
	const struct tc_host_open *around;

	if (!kind_names[kind])
		return false;
	if (kind == TC_FRAMEWORK_HOST_COLLECTIVE)
		return true; /* these end on another thread, and overlap */
	if (track_at(tally, host->open.span.track)->open[kind] > 0)
		return false;
	if (kind == TC_FRAMEWORK_BACKWARD)
		return tally->backward_step != host->step;
	if (within[kind] == TC_FRAMEWORK_NONE)
		return true;
	around = tc_host_state_innermost(state, host->thread, TC_HOST_OPS);
	return around && kind_of(tally->timeline, &around->open.span) == within[kind];
}

/* The operation before a slice that starts. For a copy it is the one before the conversion around
 * it; for a norm, the convolution that feeds it. */
static struct tc_framework_op previous_op(
	const struct tc_framework_track *track, enum tc_framework_kind kind)
{
	struct tc_framework_op previous = track->last;

	if (kind == TC_FRAMEWORK_COPY && track->open[TC_FRAMEWORK_COPY_CARRIER] > 0)
		return track->before_carrier;
	if (kind == TC_FRAMEWORK_NORM && previous.convolution_id >= 0) {
		previous.slice_id = previous.convolution_id;
		previous.label = previous.convolution_label;
	}
	return previous;
}

void tc_framework_tally_start(struct tc_framework_tally *tally, const struct tc_host_state *state,
	struct tc_host_open *host)
{
	enum tc_framework_kind kind = kind_of(tally->timeline, &host->open.span);
	struct tc_framework_track *track = track_at(tally, host->open.span.track);

	if (kind != TC_FRAMEWORK_NONE) {
		if (kind == TC_FRAMEWORK_COPY_CARRIER && track->open[kind] == 0)
			track->before_carrier = track->last;
		host->step = tc_windows_step_at(tally->windows, host->open.start_ns);
		host->is_framework_row = is_wanted(tally, state, host, kind);
		host->previous = previous_op(track, kind);
		if (kind == TC_FRAMEWORK_BACKWARD && host->is_framework_row)
			tally->backward_step = host->step;
		else if (kind == TC_FRAMEWORK_DDP_FORWARD || kind == TC_FRAMEWORK_BATCH)
			tally->backward_step = TC_FRAMEWORK_NO_STEP;
	}
	host->before = thread_at(tally, host->thread)->calls;
	count_call(tally, state, host);
	track->open[kind]++;
}

/* A list among the texts of the timeline. NULL without one, and for JSON that is none. */
static struct tc_sql_value list_value(const struct tc_timeline *timeline, uint32_t number)
{
	struct tc_text text = TC_TEXT_NONE;

	if (number != TC_STRTAB_NONE)
		text = tc_strtab_at(&timeline->texts, number);
	bool is_list = text.len > 1 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']';
	return tc_sql_text(is_list ? text : TC_TEXT_NONE);
}

static struct tc_framework_row row_of(
	const struct tc_framework_tally *tally, const struct tc_host_open *host)
{
	const struct tc_span *span = &host->open.span;
	const struct tc_host_calls *calls = &thread_at(tally, host->thread)->calls;
	int64_t launch_count = calls->launch_count - host->before.launch_count;

	return (struct tc_framework_row){
		.slice_id = span->slice_id,
		.ts_ns = span->ts_ns,
		.dur_ns = span->dur_ns,
		.step = host->step,
		.label = span->label,
		.sizes = span->sizes,
		.types = span->types,
		.thread = host->thread,
		.previous = host->previous,
		.launch_count = launch_count,
		.launch_slice_id = launch_count == 1 ? calls->launch_slice_id : TC_NO_ID,
		.input_copy_count = calls->input_copy_count - host->before.input_copy_count,
	};
}

static void write_row(const struct tc_framework_tally *tally, const struct tc_framework_row *row)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct tc_label *label = &timeline->labels[row->label];
	const struct tc_framework_op *previous = &row->previous;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_int(row->slice_id),
		tc_sql_string(kind_names[label->framework]),
		tc_sql_text(tc_label_name(label)),
		tc_sql_int(row->ts_ns),
		tc_sql_int(row->dur_ns),
		tc_sql_int(tally->thread_ids[row->thread]),
		tc_sql_id(tc_windows_step_id(timeline, row->step)),
		tc_sql_id(previous->slice_id),
		tc_sql_text(previous->slice_id >= 0
				    ? tc_label_name(&timeline->labels[previous->label])
				    : TC_TEXT_NONE),
		tc_sql_int(previous->is_host),
		tc_sql_int(row->launch_count),
		tc_sql_id(row->launch_slice_id),
		tc_sql_int(row->input_copy_count),
		list_value(timeline, row->sizes),
		list_value(timeline, row->types),
	};

	TC_TABLES_PUT(tally->tables,
		"framework_op (trace_id, slice_id, kind, name, ts, dur, thread_id,"
		" step_id, previous_slice_id, previous, previous_is_host, launch_count,"
		" launch_slice_id, input_copy_count, input_dims, input_types)",
		values);
}

static void write_last(const struct tc_framework_tally *tally, struct tc_framework_thread *thread)
{
	if (thread->has_last)
		write_row(tally, &thread->last);
	thread->has_last = false;
}

static void write_loop(const struct tc_framework_tally *tally, struct tc_framework_thread *thread)
{
	if (thread->loop_count >= TC_ROW_LOOP_MIN_COUNT)
		write_row(tally, &thread->loop);
	thread->loop_count = 0;
}

static void add_select(struct tc_framework_tally *tally, struct tc_framework_thread *thread,
	const struct tc_framework_row *row)
{
	struct tc_framework_row *loop = &thread->loop;
	int64_t end_ns = tc_add_saturated(row->ts_ns, row->dur_ns > 0 ? row->dur_ns : 0);

	if (thread->loop_count > 0 &&
		(loop->step != row->step ||
			!tc_row_loop_goes_on(row->ts_ns - loop->ts_ns - loop->dur_ns, loop->dur_ns,
				(size_t)thread->loop_count)))
		write_loop(tally, thread);
	if (thread->loop_count++ == 0) {
		*loop = *row;
		thread->loop_launch_count = thread->calls.launch_count;
	}
	loop->dur_ns = end_ns - loop->ts_ns;
	loop->launch_count = thread->calls.launch_count - thread->loop_launch_count;
	loop->launch_slice_id = TC_NO_ID;
}

static void count_shape(struct tc_framework_tally *tally, const struct tc_framework_row *row)
{
	const struct tc_op_total key = {
		.label = row->label, .data_type = row->types, .recipe = row->sizes};
	struct tc_op_total *total = tc_op_totals_find(&tally->shapes, &key);

	if (!total) {
		tc_tables_keep(tally->tables, tc_no_memory(tally->tables->ctx));
		return;
	}
	total->count++;
	total->dur_ns = tc_add_saturated(total->dur_ns, row->dur_ns > 0 ? row->dur_ns : 0);
}

static void add_product(struct tc_framework_tally *tally, struct tc_framework_thread *thread,
	const struct tc_framework_row *row)
{
	bool is_layer = tc_text_equal(
		tc_label_name(&tally->timeline->labels[row->label]), TC_TEXT("aten::linear"));
	bool is_first = thread->step != row->step;
	bool follows_copy = is_layer && row->ts_ns >= thread->copy_ns;

	count_shape(tally, row);
	if (is_first)
		write_last(tally, thread);
	thread->step = row->step;
	thread->has_last = !is_first && !follows_copy;
	thread->last = *row;
	if (follows_copy)
		thread->copy_ns = INT64_MAX;
	if (!thread->has_last)
		write_row(tally, row);
}

static void add_row(struct tc_framework_tally *tally, const struct tc_framework_row *row)
{
	struct tc_framework_thread *thread = thread_at(tally, row->thread);
	enum tc_framework_kind kind = tally->timeline->labels[row->label].framework;

	if (kind == TC_FRAMEWORK_COPY)
		thread->copy_ns = row->ts_ns;
	else if (kind == TC_FRAMEWORK_CONVOLUTION && row->ts_ns >= thread->copy_ns)
		thread->copy_ns = INT64_MAX;
	if (kind == TC_FRAMEWORK_MATMUL)
		add_product(tally, thread, row);
	else if (kind == TC_FRAMEWORK_SELECT)
		add_select(tally, thread, row);
	else
		write_row(tally, row);
}

static struct tc_framework_op ended_op(const struct tc_framework_tally *tally,
	const struct tc_host_open *host, enum tc_framework_kind kind)
{
	const struct tc_framework_thread *thread = thread_at(tally, host->thread);
	struct tc_framework_op op = no_op;

	op.slice_id = host->open.span.slice_id;
	op.label = host->open.span.label;
	op.is_host = thread->calls.device_count == host->before.device_count;
	if (kind == TC_FRAMEWORK_CONVOLUTION) {
		op.convolution_id = op.slice_id;
		op.convolution_label = op.label;
	} else if (kind == TC_FRAMEWORK_ADDITION) {
		op.convolution_id = host->previous.convolution_id;
		op.convolution_label = host->previous.convolution_label;
	}
	return op;
}

void tc_framework_tally_end(struct tc_framework_tally *tally, const struct tc_host_open *host)
{
	const struct tc_span *span = &host->open.span;
	enum tc_framework_kind kind = kind_of(tally->timeline, span);
	struct tc_framework_track *track = track_at(tally, span->track);

	track->open[kind]--;
	if (tally->timeline->labels[span->label].is_op)
		track->last = ended_op(tally, host, kind);
	if (!host->is_framework_row)
		return;
	const struct tc_framework_row row = row_of(tally, host);
	add_row(tally, &row);
}

static void write_shapes(const struct tc_framework_tally *tally)
{
	const struct tc_timeline *timeline = tally->timeline;

	for (size_t i = 0; i < tally->shapes.count; i++) {
		const struct tc_op_total *total = tally->shapes.rows[i];
		const struct tc_label *label = &timeline->labels[total->label];
		const struct tc_sql_value values[] = {
			tc_sql_int(timeline->trace_id),
			tc_sql_string(kind_names[label->framework]),
			tc_sql_text(tc_label_name(label)),
			list_value(timeline, total->recipe),
			list_value(timeline, total->data_type),
			tc_sql_int(total->count),
			tc_sql_int(total->dur_ns),
		};
		TC_TABLES_PUT(tally->tables,
			"framework_shape (trace_id, kind, name, input_dims, input_types, count,"
			" dur_ns)",
			values);
	}
}

void tc_framework_tally_flush(struct tc_framework_tally *tally)
{
	for (size_t i = 0; i < tally->thread_count; i++) {
		struct tc_framework_thread *thread = thread_at(tally, (int32_t)i);
		write_last(tally, thread);
		write_loop(tally, thread);
	}
	tc_tables_keep(tally->tables, tc_framework_tally_status(tally));
	write_shapes(tally);
}

void tc_framework_tally_finish(struct tc_tables *tables, const struct tc_timeline *timeline)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id), tc_sql_int(timeline->slice_base)};

	tc_tables_run(tables, tc_framework_sql, values, TC_COUNT_OF(values));
}
