/*
 * Framework tally (table framework_op): operations that advice recognizes by their arguments or by
 * their order on a thread. An operation has a row if it is the outermost of its kind on its track
 * (names/label/framework_kinds.def). Some kinds have fewer rows. Of backward nodes only the first
 * of a pass is kept, which shows that the pass computes gradients. Of in-place additions only those
 * that a convolution makes are kept, of sums those of its gradient. Selects that follow each other
 * closely are a loop over rows and share a row.
 *
 * Most operations are matrix products. Table framework_shape sums them up by their shapes. Only the
 * first and last of a step on a thread, and the linear layer after a copy, have rows of their own.
 * framework.sql fills the columns that come from args and device work.
 */
#include "analysis/host_sweep.h"
#include "core/sort/paged.h"

/* A row of framework_op, without the columns that come from args and device work. */
struct row {
	int64_t slice_id, ts_ns, dur_ns, step;
	uint32_t label, sizes, types;
	int32_t thread;
	struct tc_framework_op previous;
	int64_t launch_count, launch_slice_id, input_copy_count;
};

/* No step seen yet; -1 means outside of steps. */
#define NO_STEP (-2)

/* State of a host thread. */
struct thread {
	struct tc_host_calls calls;
	int64_t copy_ns;           /* start of a copy with no layer since; INT64_MAX: none */
	bool has_last;             /* the row of last is not written yet */
	struct row last;           /* matrix product of the current step */
	struct row loop;           /* from the first of selects that follow each other */
	int64_t loop_count;        /* of these; 0: none */
	int64_t loop_launch_count; /* calls.launch_count when it began */
	int64_t step;              /* of the latest matrix product, NO_STEP before */
};

struct track {
	uint32_t open[TC_FRAMEWORK_COUNT];     /* slices by kind */
	struct tc_framework_op last;           /* ended last */
	struct tc_framework_op before_carrier; /* ended last when the outermost open one started */
};

struct framework {
	const struct tc_host_sweep *sweep;
	const struct tc_timeline *timeline;
	struct tc_op_totals
		shapes;          /* matrix products by label, types (data_type), sizes (recipe) */
	struct tc_paged threads; /* struct thread */
	struct tc_paged tracks;  /* struct track, by track of the timeline */
	int64_t backward_step;   /* step whose backward row is written; -1 is outside of steps */
};

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
static const struct track first_track = {.last = NO_OP};
static const struct thread first_thread = {.copy_ns = INT64_MAX, .step = NO_STEP};

static struct track *track_at(const struct framework *tally, uint32_t track)
{
	return TC_PAGED_AT(&tally->tracks, struct track, track);
}

static struct thread *thread_at(const struct framework *tally, int32_t thread)
{
	return TC_PAGED_AT(&tally->threads, struct thread, (size_t)thread);
}

static enum tc_framework_kind kind_of(
	const struct tc_timeline *timeline, const struct tc_span *span)
{
	return timeline->labels[span->label].framework;
}

static void begin_framework(void *self, const struct tc_host_sweep *sweep)
{
	const struct tc_timeline *timeline = sweep->timeline;
	struct framework *tally = self;

	*tally = (struct framework){.sweep = sweep, .timeline = timeline, .backward_step = NO_STEP};
	tc_op_totals_init(&tally->shapes, timeline->ctx);
	tc_paged_init(&tally->threads, timeline->ctx, sweep->survey->thread_count,
		sizeof(first_thread), &first_thread);
	tc_paged_init(&tally->tracks, timeline->ctx, timeline->track_count, sizeof(first_track),
		&first_track);
}

static void clear_framework(void *self)
{
	struct framework *tally = self;

	tc_op_totals_clear(&tally->shapes);
	tc_paged_clear(&tally->threads);
	tc_paged_clear(&tally->tracks);
}

static bool is_in_copy(const struct framework *tally, const struct tc_host_open *host)
{
	const struct tc_host_open *op =
		tc_host_innermost(&tally->sweep->state, host->thread, TC_HOST_OPS);

	return op && tally->timeline->labels[op->open.span.label].mark == TC_MARK_COPY_CARRIER;
}

/* Calls that concern a device: launches, copies, and the graphs that lazy mode accumulates. */
static void count_call(struct framework *tally, const struct tc_host_open *host)
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
		bool reads = tc_span_reads(&host->open.span, host->role) && is_in_copy(tally, host);
		calls->device_count++;
		if (reads)
			calls->read_end_ns = host->open.end_ns;
		/* A read may first build and launch the graph of what it reads. */
		calls->has_read =
			reads || (calls->has_read && host->open.start_ns < calls->read_end_ns);
	}
}

/* Whether a slice that ends now is an operation that computes on the CPU with a value just read
 * from a device: it takes a while and makes no device call. */
static bool is_on_cpu(const struct framework *tally, const struct tc_host_open *host)
{
	const struct tc_label *label = &tally->timeline->labels[host->open.span.label];

	return host->before.has_read && host->role == TC_ROLE_DISPATCH && label->is_op &&
	       label->mark != TC_MARK_COPY_CARRIER &&
	       host->open.end_ns - host->open.start_ns >= TC_ON_CPU_MIN_NS &&
	       thread_at(tally, host->thread)->calls.device_count == host->before.device_count;
}

static bool is_wanted(
	const struct framework *tally, const struct tc_host_open *host, enum tc_framework_kind kind)
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
	around = tc_host_innermost(&tally->sweep->state, host->thread, TC_HOST_OPS);
	return around && kind_of(tally->timeline, &around->open.span) == within[kind];
}

/* The operation before a slice that starts. For a copy it is the one before the conversion around
 * it; for a norm, the convolution that feeds it. */
static struct tc_framework_op previous_op(const struct track *track, enum tc_framework_kind kind)
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

/* Notes what was before a slice. */
static void before(void *self, struct tc_host_open *host)
{
	struct framework *tally = self;
	enum tc_framework_kind kind = kind_of(tally->timeline, &host->open.span);
	struct track *track = track_at(tally, host->open.span.track);

	if (kind != TC_FRAMEWORK_NONE) {
		if (kind == TC_FRAMEWORK_COPY_CARRIER && track->open[kind] == 0)
			track->before_carrier = track->last;
		host->step = tc_windows_step_at(tally->sweep->windows, host->open.start_ns);
		host->is_framework_row = is_wanted(tally, host, kind);
		host->previous = previous_op(track, kind);
		if (kind == TC_FRAMEWORK_BACKWARD && host->is_framework_row)
			tally->backward_step = host->step;
		else if (kind == TC_FRAMEWORK_DDP_FORWARD || kind == TC_FRAMEWORK_BATCH)
			tally->backward_step = NO_STEP;
	}
	host->before = thread_at(tally, host->thread)->calls;
	count_call(tally, host);
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

static struct row row_of(const struct framework *tally, const struct tc_host_open *host)
{
	const struct tc_span *span = &host->open.span;
	const struct tc_host_calls *calls = &thread_at(tally, host->thread)->calls;
	int64_t launch_count = calls->launch_count - host->before.launch_count;

	return (struct row){
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

static void write_row(const struct framework *tally, const struct row *row)
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
		tc_sql_int(tally->sweep->thread_ids[row->thread]),
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

	TC_TABLES_PUT(tally->sweep->tables,
		"framework_op (trace_id, slice_id, kind, name, ts, dur, thread_id,"
		" step_id, previous_slice_id, previous, previous_is_host, launch_count,"
		" launch_slice_id, input_copy_count, input_dims, input_types)",
		values);
}

static void write_last(const struct framework *tally, struct thread *thread)
{
	if (thread->has_last)
		write_row(tally, &thread->last);
	thread->has_last = false;
}

static void write_loop(const struct framework *tally, struct thread *thread)
{
	if (thread->loop_count >= TC_ROW_LOOP_MIN_COUNT)
		write_row(tally, &thread->loop);
	thread->loop_count = 0;
}

static void add_select(struct framework *tally, struct thread *thread, const struct row *row)
{
	struct row *loop = &thread->loop;
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

static void count_shape(struct framework *tally, const struct row *row)
{
	const struct tc_op_total key = {
		.label = row->label, .data_type = row->types, .recipe = row->sizes};
	struct tc_op_total *total = tc_op_totals_find(&tally->shapes, &key);

	if (!total)
		return;
	total->count++;
	total->dur_ns = tc_add_saturated(total->dur_ns, row->dur_ns > 0 ? row->dur_ns : 0);
}

static void add_product(struct framework *tally, struct thread *thread, const struct row *row)
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

static void add_row(struct framework *tally, const struct row *row)
{
	struct thread *thread = thread_at(tally, row->thread);
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

static struct tc_framework_op ended_op(
	const struct framework *tally, const struct tc_host_open *host, enum tc_framework_kind kind)
{
	const struct thread *thread = thread_at(tally, host->thread);
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

/* Writes the row of a slice that ends now, if it has one. */
static void end(void *self, struct tc_host_open *host)
{
	struct framework *tally = self;
	const struct tc_span *span = &host->open.span;
	enum tc_framework_kind kind = kind_of(tally->timeline, span);
	struct track *track = track_at(tally, span->track);

	host->is_on_cpu = is_on_cpu(tally, host);
	track->open[kind]--;
	if (tally->timeline->labels[span->label].is_op)
		track->last = ended_op(tally, host, kind);
	if (!host->is_framework_row)
		return;
	const struct row row = row_of(tally, host);
	add_row(tally, &row);
}

static void write_shapes(const struct framework *tally)
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
		TC_TABLES_PUT(tally->sweep->tables,
			"framework_shape (trace_id, kind, name, input_dims, input_types, count,"
			" dur_ns)",
			values);
	}
}

static void finish(void *self)
{
	struct framework *tally = self;

	for (size_t i = 0; i < tally->sweep->survey->thread_count; i++) {
		struct thread *thread = thread_at(tally, (int32_t)i);
		write_last(tally, thread);
		write_loop(tally, thread);
	}
	write_shapes(tally);
}

const struct tc_host_visitor tc_framework_visitor = {.size = sizeof(struct framework),
	.begin = begin_framework,
	.clear = clear_framework,
	.before = before,
	.end = end,
	.finish = finish};
