/*
 * The model of one trace: takes raw events by phase (the letter ph), resolves them when all are
 * there, and emits rows.
 *
 * A handler takes an event to its part: slices, flows, tracks, or a row of its own for events
 * without length. An event that is of no use is a row of the import log. Parts fail into the
 * context, and the decoder asks for its status after each event; so handlers go on without looking,
 * but use no row or number that a failure may have left out.
 *
 * Resolving has an order, because each stage needs the one before: lanes, then what the timeline
 * holds, then steps, then launches by id, then the order of slices, then all other launches.
 */
#include "model/model.h"

#include <math.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"
#include "model/slices/slices.h"
#include "names/hardware/hardware.h"

struct tc_model {
	struct tc_ctx *ctx;
	struct tc_import_log log;
	struct tc_row_sink sink;
	struct tc_tracks tracks;
	struct tc_labels labels;
	struct tc_metas metas;
	struct tc_timeline *timeline;
	struct tc_flows flows;
	struct tc_launches *launches;
	struct tc_slices *slices;
	struct tc_steps steps;
	struct core_count {
		int64_t count; /* 0: not known */
		int looked_at; /* kernels */
	} cores;
};

static void log_event(
	struct tc_model *model, enum tc_log_kind kind, const struct tc_raw_event *event)
{
	tc_import_log_add_event(&model->log, kind, event);
}

/* For an event without a row of its process, thread or track: the limit of tracks is reached,
 * unless the context has failed. */
static void drop(struct tc_model *model, const struct tc_raw_event *event)
{
	if (model->tracks.is_full)
		log_event(model, TC_LOG_TRACK_LIMIT, event);
}

/* ---- metadata: names, labels and sort indexes of processes and threads */

/* The members of a process or thread that a metadata event may set; labels is NULL for a thread. */
struct target {
	uint32_t *name, *labels;
	bool *has_sort_index;
	int64_t *sort_index;
};

static void set_text(struct tc_model *model, uint32_t *target, const struct tc_scalar *scalar)
{
	if (scalar->kind == TC_SCALAR_TEXT && scalar->text.ptr)
		*target = tc_tracks_string(&model->tracks, scalar->text);
}

/* member is the name of the event behind "process_" or "thread_". */
static void set_member(struct tc_model *model, const struct target *target,
	const struct tc_raw_event *event, struct tc_text member)
{
	if (tc_text_equal(member, TC_TEXT("name")))
		set_text(model, target->name, &event->arg[TC_ARG_NAME]);
	else if (target->labels && tc_text_equal(member, TC_TEXT("labels")))
		set_text(model, target->labels, &event->arg[TC_ARG_LABELS]);
	else if (tc_text_equal(member, TC_TEXT("sort_index")))
		*target->has_sort_index |=
			tc_scalar_integer(target->sort_index, &event->arg[TC_ARG_SORT_INDEX]);
	else
		log_event(model, TC_LOG_UNKNOWN_METADATA, event);
}

static void on_process(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_text member)
{
	uint32_t number = tc_tracks_process(&model->tracks, &event->pid);

	if (number == TC_INDEX_NONE) {
		drop(model, event);
		return;
	}
	struct tc_process_row *row = &model->tracks.processes[number];
	const struct target target = {
		&row->name, &row->labels, &row->has_sort_index, &row->sort_index};
	set_member(model, &target, event, member);
}

static void on_thread(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_text member)
{
	uint32_t number = tc_tracks_thread(&model->tracks, &event->pid, &event->tid);

	if (number == TC_INDEX_NONE) {
		drop(model, event);
		return;
	}
	struct tc_thread_row *row = &model->tracks.threads[number];
	const struct target target = {&row->name, NULL, &row->has_sort_index, &row->sort_index};
	set_member(model, &target, event, member);
}

/* Metadata may come anywhere, more than once (the last one counts), and without a ts. */
static void on_metadata(struct tc_model *model, const struct tc_raw_event *event)
{
	struct tc_text member;

	if (tc_text_starts(event->name, TC_TEXT("process_")) &&
		tc_text_after(event->name, TC_TEXT("process_"), &member))
		on_process(model, event, member);
	else if (tc_text_starts(event->name, TC_TEXT("thread_")) &&
		 tc_text_after(event->name, TC_TEXT("thread_"), &member))
		on_thread(model, event, member);
	else
		log_event(model, TC_LOG_UNKNOWN_METADATA, event);
}

/* ---- events without length: instants, values of counters, allocator events */

static char scope_of(const struct tc_raw_event *event)
{
	if (event->scope.len == 1 && (event->scope.ptr[0] == 'g' || event->scope.ptr[0] == 'p'))
		return event->scope.ptr[0];
	return 't';
}

static void add_instant(
	struct tc_model *model, const struct tc_raw_event *event, uint32_t track, uint32_t label)
{
	struct tc_row_sink *sink = &model->sink;
	struct tc_instant_row *row = tc_row_sink_instant(sink);

	if (event->bind_id.kind != TC_SCALAR_NONE)
		log_event(model, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	if (!row)
		return;
	*row = (struct tc_instant_row){
		.id = sink->next->instant++,
		.ts_ns = event->ts_ns,
		.track_id = (uint32_t)sink->first.track + track,
		.label_id = (uint32_t)sink->first.label + label,
		.scope = scope_of(event),
		.args = tc_row_sink_args(sink, event->args),
	};
	model->tracks.tracks[track].other_count++;
	tc_row_sink_flush(sink, false);
}

/* The name of a counter's series: "name key", or "name id: X key" when the event has an id. */
static void append_series(
	struct tc_buf *out, const struct tc_raw_event *event, const struct tc_json_member *member)
{
	tc_buf_append_text(out, event->name);
	if (event->id.kind == TC_SCALAR_INT)
		tc_buf_format(out, " id: %lld", (long long)event->id.i64);
	else if (event->id.kind == TC_SCALAR_TEXT || event->id.kind == TC_SCALAR_NUMBER) {
		tc_buf_append_string(out, " id: ");
		tc_buf_append_text(out, event->id.text);
	}
	tc_buf_append_char(out, ' ');
	tc_json_unescape(out, member->key);
}

/* Takes numbers, and strings of numbers. */
static bool counter_value(const struct tc_json_member *member, double *value)
{
	struct tc_text text = member->value;

	if (member->kind == TC_JSON_STRING && text.len >= 2)
		text = (struct tc_text){text.ptr + 1, text.len - 2};
	else if (member->kind != TC_JSON_NUMBER)
		return false;
	return tc_decimal_double(value, text);
}

static void add_value(struct tc_model *model, const struct tc_raw_event *event, uint32_t process,
	const struct tc_json_member *member)
{
	struct tc_row_sink *sink = &model->sink;
	double value;

	if (!counter_value(member, &value)) {
		log_event(model, TC_LOG_BAD_COUNTER, event);
		return;
	}
	struct tc_counter_row *row = tc_row_sink_counter(sink);
	if (!row)
		return;
	struct tc_buf *text = &sink->batch->text;
	row->id = sink->next->counter++;
	row->ts_ns = event->ts_ns;
	row->process_id = sink->first.process + process;
	row->name_offset = (uint32_t)text->len;
	append_series(text, event, member);
	row->name_len = (uint32_t)(text->len - row->name_offset);
	row->value = value;
}

/* Adds a row for each member of args. */
static void add_counter(struct tc_model *model, const struct tc_raw_event *event)
{
	struct tc_json_iter iter;
	struct tc_json_member member;
	int64_t count = 0;
	uint32_t process = tc_tracks_process(&model->tracks, &event->pid);

	if (process == TC_INDEX_NONE) {
		drop(model, event);
		return;
	}
	tc_json_iter_init(&iter, event->args);
	for (; tc_json_iter_next(&iter, &member); count++)
		add_value(model, event, process, &member);
	if (count == 0)
		log_event(model, TC_LOG_BAD_COUNTER, event);
	else if (!tc_ctx_failed(model->ctx))
		tc_row_sink_flush(&model->sink, false);
}

static int64_t integer_or_null(const struct tc_scalar *scalar)
{
	int64_t integer;

	return tc_scalar_integer(&integer, scalar) ? integer : INT64_MIN;
}

enum { MEMORY_SORT_BYTES = 512 * 1024 };

TC_ORDER(by_device, struct tc_memory_point,
	TC_UP(device_id) TC_UP(device_type) TC_UP(ts_ns) TC_UP(id));

/* Adds the memory that the allocator holds on a device; device type 0 is the CPU. */
static void add_point(struct tc_model *model, const struct tc_memory_row *row)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct tc_memory_point), MEMORY_SORT_BYTES, by_device};
	const struct tc_memory_point point = {row->device_id, row->device_type, row->ts_ns, row->id,
		row->allocated_bytes, row->reserved_bytes};

	if (row->device_type != 0 && row->device_type != INT64_MIN)
		tc_sorter_put(&model->timeline->memory, model->ctx, &layout, &point);
}

/* An instant of PyTorch's allocator. */
static void add_memory(struct tc_model *model, const struct tc_raw_event *event)
{
	struct tc_row_sink *sink = &model->sink;
	const struct tc_scalar *arg = event->arg, *addr = &arg[TC_ARG_MEM_ADDR];
	uint32_t thread = tc_tracks_thread(&model->tracks, &event->pid, &event->tid);

	if (thread == TC_INDEX_NONE) {
		drop(model, event);
		return;
	}
	struct tc_memory_row *row = tc_row_sink_memory(sink);
	if (!row)
		return;
	*row = (struct tc_memory_row){
		.id = sink->next->memory++,
		.thread_id = sink->first.thread + thread,
		.ts_ns = event->ts_ns,
		.device_type = integer_or_null(&arg[TC_ARG_MEM_DEVICE_TYPE]),
		.device_id = integer_or_null(&arg[TC_ARG_MEM_DEVICE_ID]),
		.bytes = integer_or_null(&arg[TC_ARG_MEM_BYTES]),
		.allocated_bytes = integer_or_null(&arg[TC_ARG_MEM_ALLOCATED]),
		.reserved_bytes = integer_or_null(&arg[TC_ARG_MEM_RESERVED]),
		.addr = integer_or_null(addr),
	};
	if (row->addr == INT64_MIN &&
		(addr->kind == TC_SCALAR_TEXT || addr->kind == TC_SCALAR_NUMBER)) {
		row->addr_offset = (uint32_t)sink->batch->text.len;
		row->addr_len = (uint32_t)addr->text.len;
		tc_buf_append_text(&sink->batch->text, addr->text);
	}
	add_point(model, row);
	tc_flows_add_memory(
		&model->flows, event->ts_ns, model->tracks.threads[thread].track, row->id);
	tc_row_sink_flush(sink, false);
}

/* ---- where and when an event is */

/* The thread, track and label of an event; track is TC_INDEX_NONE when it was dropped. */
struct spot {
	uint32_t thread, track, label;
};

/* Paddle puts the duration behind the name, "matmul[90.100 us]", which would make a label of each
 * slice. It is in dur, too. */
static struct tc_text without_duration(struct tc_text name)
{
	static const size_t tail_len = sizeof(".100 us]") - 1;
	size_t len = name.len;

	if (len <= tail_len || name.ptr[len - 1] != ']' || name.ptr[len - 2] != 's' ||
		(name.ptr[len - 3] != 'u' && name.ptr[len - 3] != 'm') ||
		name.ptr[len - 4] != ' ' || name.ptr[len - tail_len] != '.')
		return name;
	len -= tail_len;
	while (len > 0 && tc_is_digit(name.ptr[len - 1]))
		len--;
	if (len > 0 && name.ptr[len - 1] == '[')
		name.len = len - 1;
	return name;
}

/*
 * Plugins of the profiler for devices that PyTorch does not know (PrivateUse1: IBM's AIU, AWS
 * Neuron) write work of the device as calls of its driver: it names device and stream.
 */
static bool is_private_work(const struct tc_raw_event *event)
{
	return event->arg[TC_ARG_DEVICE].kind != TC_SCALAR_NONE &&
	       tc_text_equal(event->cat, TC_TEXT("privateuse1_driver"));
}

/* Ascend's exports have no categories. The type of a task says what its name may not: that it runs
 * on the CPU of the device. */
static struct tc_text category_of(const struct tc_raw_event *event)
{
	const struct tc_scalar *type = &event->arg[TC_ARG_TASK_TYPE];
	bool is_ai_cpu = event->cat.len == 0 && type->kind == TC_SCALAR_TEXT &&
			 tc_text_equal(type->text, TC_TEXT("AI_CPU"));

	return is_ai_cpu ? type->text : event->cat;
}

static struct spot find_spot(struct tc_model *model, const struct tc_raw_event *event)
{
	struct tc_tracks *tracks = &model->tracks;
	struct spot spot = {
		tc_tracks_thread(tracks, &event->pid, &event->tid), TC_INDEX_NONE, TC_LABEL_NONE};

	if (spot.thread != TC_INDEX_NONE)
		spot.label = tc_labels_intern(
			&model->labels, category_of(event), without_duration(event->name));
	if (spot.label == TC_LABEL_NONE) {
		drop(model, event);
		return spot;
	}
	const struct tc_label *label = &model->labels.rows[spot.label];
	bool is_private = is_private_work(event);
	if (label->engine == TC_ENGINE_NONE && !is_private)
		spot.track = tc_tracks_of_thread(tracks, spot.thread, label);
	else
		spot.track = tc_tracks_of_device(tracks, spot.thread, &event->arg[TC_ARG_DEVICE]);
	if (spot.track == TC_INDEX_NONE)
		drop(model, event);
	else if (is_private)
		tracks->tracks[spot.track].has_private_work = true;
	return spot;
}

/* False when the event has no usable ts, which is logged. */
static bool has_time(struct tc_model *model, const struct tc_raw_event *event)
{
	if (event->ts_state == TC_TIME_OK)
		return true;
	log_event(model,
		event->ts_state == TC_TIME_BAD ? TC_LOG_BAD_TIMESTAMP : TC_LOG_MISSING_TIMESTAMP,
		event);
	return false;
}

/* False when the event has no usable ts or no usable dur, which is logged. */
static bool has_extent(struct tc_model *model, const struct tc_raw_event *event)
{
	if (!has_time(model, event))
		return false;
	if (event->dur_state != TC_TIME_OK)
		log_event(model,
			event->dur_state == TC_TIME_BAD ? TC_LOG_BAD_DURATION
							: TC_LOG_MISSING_DURATION,
			event);
	else if (event->dur_ns < 0)
		log_event(model, TC_LOG_NEGATIVE_DURATION, event);
	return event->dur_state == TC_TIME_OK;
}

/* ---- cores of a device that the trace does not describe
 *
 * The profiler writes the blocks of a launch (grid) and their number for each core. Some writers
 * give two digits of the latter, so kernels with few blocks say too little.
 */

enum { KERNELS_MAX = 256 };

#define MIN_CORE_BLOCKS 4

/* The product of the numbers of a list "[8, 4, 1]"; 0 where one is none. */
static double product_of(struct tc_text list)
{
	double product = 1, number;
	size_t from = 1;

	for (size_t i = 1; i < list.len; i++) {
		if (list.ptr[i] != ',' && list.ptr[i] != ']')
			continue;
		while (from < i && list.ptr[from] == ' ')
			from++;
		if (!tc_decimal_double(&number, (struct tc_text){list.ptr + from, i - from}))
			return 0;
		product *= number;
		from = i + 1;
	}
	return product;
}

/* Looks at the args of a kernel: a grid of 1056 blocks, 8 of them for each core, is one of 132
 * cores.
 */
static void see_launch(struct core_count *cores, struct tc_text args)
{
	double grid = 0, core_blocks = 0, count;
	struct tc_json_iter iter;
	struct tc_json_member member;

	if (cores->count > 0 || cores->looked_at >= KERNELS_MAX || !args.ptr)
		return;
	cores->looked_at++;
	tc_json_iter_init(&iter, args);
	while (tc_json_iter_next(&iter, &member)) {
		if (tc_text_equal(member.key, TC_TEXT("blocks per SM")))
			core_blocks = tc_decimal_double(&count, member.value) ? count : 0;
		else if (tc_text_equal(member.key, TC_TEXT("grid")))
			grid = product_of(member.value);
	}
	count = core_blocks >= MIN_CORE_BLOCKS ? grid / core_blocks : 0;
	if (count >= 1 && count < INT32_MAX)
		cores->count = (int64_t)round(count);
}

/* ---- handlers of phases */

static void on_complete(struct tc_model *model, const struct tc_raw_event *event)
{
	if (!has_extent(model, event))
		return;
	const struct spot spot = find_spot(model, event);
	if (spot.track == TC_INDEX_NONE)
		return;
	if (model->labels.rows[spot.label].is_meta) {
		on_metadata(model, event);
		return;
	}
	if (!model->metas.hardware && model->labels.rows[spot.label].kind == TC_OP_KERNEL)
		see_launch(&model->cores, event->args);
	int64_t slice_id = tc_slices_add_event(model->slices, event, spot.track, spot.label);
	const struct tc_flow_end flow = tc_flows_read_v2(&model->flows, event);
	tc_flows_add_v2(&model->flows, &flow, event->ts_ns, spot.label, slice_id);
}

/* The spot of an event that needs a ts; its track is TC_INDEX_NONE when the event ends here. */
static struct spot timed_spot(struct tc_model *model, const struct tc_raw_event *event)
{
	return has_time(model, event) ? find_spot(model, event)
				      : (struct spot){TC_INDEX_NONE, TC_INDEX_NONE, TC_LABEL_NONE};
}

static void on_begin_end(struct tc_model *model, const struct tc_raw_event *event)
{
	const struct spot spot = timed_spot(model, event);

	if (spot.track != TC_INDEX_NONE)
		tc_slices_add_begin_end(
			model->slices, event, spot.track, spot.label, event->ph == 'B');
}

static void on_instant(struct tc_model *model, const struct tc_raw_event *event)
{
	if (!has_time(model, event))
		return;
	if (event->name.ptr && tc_text_equal(event->name, TC_TEXT("[memory]"))) {
		add_memory(model, event);
		return;
	}
	const struct spot spot = find_spot(model, event);
	if (spot.track != TC_INDEX_NONE)
		add_instant(model, event, spot.track, spot.label);
}

static void on_counter(struct tc_model *model, const struct tc_raw_event *event)
{
	if (has_time(model, event))
		add_counter(model, event);
}

/* The states that a scheduler gave a thread, ph T with a dur: complete slices on a track beside
 * that of the thread, because they run across its calls. */
static void on_thread_state(struct tc_model *model, const struct tc_raw_event *event)
{
	uint32_t track = TC_INDEX_NONE, label = TC_LABEL_NONE;

	if (!has_extent(model, event))
		return;
	uint32_t thread = tc_tracks_thread(&model->tracks, &event->pid, &event->tid);
	if (thread != TC_INDEX_NONE)
		track = tc_tracks_of_states(&model->tracks, thread);
	if (track != TC_INDEX_NONE)
		label = tc_labels_intern(&model->labels, event->cat, event->name);
	else
		drop(model, event);
	if (label != TC_LABEL_NONE)
		tc_slices_add_event(model->slices, event, track, label);
}

static bool has_async_id(const struct tc_raw_event *event)
{
	return event->id_scope != TC_ID_NONE &&
	       (event->id.kind == TC_SCALAR_INT || event->id.kind == TC_SCALAR_NUMBER ||
		       event->id.kind == TC_SCALAR_TEXT);
}

/* Async events: b and S begin, e and F end, n, T and p are instants on the same track. Without
 * an id and with a dur, T is the state of a thread. */
static void on_async(struct tc_model *model, const struct tc_raw_event *event)
{
	uint32_t track = TC_INDEX_NONE, label = TC_LABEL_NONE;

	if (event->ph == 'T' && event->id_scope == TC_ID_NONE && event->dur_state == TC_TIME_OK) {
		on_thread_state(model, event);
		return;
	}
	if (!has_time(model, event))
		return;
	if (!has_async_id(event)) {
		log_event(model, TC_LOG_BAD_ID, event);
		return;
	}
	uint32_t process = tc_tracks_process(&model->tracks, &event->pid);
	if (process != TC_INDEX_NONE)
		track = tc_tracks_async(&model->tracks, event, process);
	if (track != TC_INDEX_NONE)
		label = tc_labels_intern(&model->labels, event->cat, event->name);
	else
		drop(model, event);
	if (label == TC_LABEL_NONE)
		return;
	if (strchr("nTp", event->ph))
		add_instant(model, event, track, label);
	else
		tc_slices_add_begin_end(
			model->slices, event, track, label, event->ph == 'b' || event->ph == 'S');
}

static void on_flow(struct tc_model *model, const struct tc_raw_event *event)
{
	const struct spot spot = timed_spot(model, event);

	if (spot.track == TC_INDEX_NONE)
		return;
	model->tracks.tracks[spot.track].has_flow_end |= event->ph != 's';
	tc_flows_add(&model->flows, event, spot.track, spot.label);
}

static void on_unused(struct tc_model *model, const struct tc_raw_event *event)
{
	log_event(model, TC_LOG_UNUSED_PHASE, event);
}

typedef void (*phase_fn)(struct tc_model *model, const struct tc_raw_event *event);

/* Phases by letter. Samples (P) and objects (N O D) have no duration: they are kept as instants. */
static phase_fn phase_of(char ph)
{
	static const phase_fn table[128] = {
		['X'] = on_complete,
		['B'] = on_begin_end,
		['E'] = on_begin_end,
		['M'] = on_metadata,
		['i'] = on_instant,
		['I'] = on_instant,
		['R'] = on_instant,
		['P'] = on_instant,
		['N'] = on_instant,
		['O'] = on_instant,
		['D'] = on_instant,
		['C'] = on_counter,
		['b'] = on_async,
		['n'] = on_async,
		['e'] = on_async,
		['S'] = on_async,
		['T'] = on_async,
		['p'] = on_async,
		['F'] = on_async,
		['s'] = on_flow,
		['t'] = on_flow,
		['f'] = on_flow,
		['c'] = on_unused,
		['v'] = on_unused,
		['V'] = on_unused,
		['('] = on_unused,
		[')'] = on_unused,
	};

	return (unsigned char)ph < 128 ? table[(unsigned char)ph] : NULL;
}

static enum tc_status on_event(void *user, const struct tc_raw_event *event)
{
	struct tc_model *model = user;
	phase_fn handle = phase_of(event->ph);

	if (handle)
		handle(model, event);
	else
		tc_import_log_add_one(&model->log, TC_LOG_UNKNOWN_PHASE, event->byte_offset,
			(unsigned char)event->ph < 128 ? (struct tc_text){&event->ph, 1}
						       : TC_TEXT("not ASCII"));
	return tc_ctx_status(model->ctx);
}

static enum tc_status on_meta(void *user, struct tc_text key, struct tc_text json)
{
	struct tc_model *model = user;

	tc_metas_add(&model->metas, key, json);
	return tc_ctx_status(model->ctx);
}

static enum tc_status on_log(void *user, const struct tc_log_entry *entry)
{
	struct tc_model *model = user;

	tc_import_log_add(&model->log, entry);
	return tc_ctx_status(model->ctx);
}

struct tc_decode_sink tc_model_sink(struct tc_model *model)
{
	return (struct tc_decode_sink){model, on_event, on_meta, on_log};
}

/* ---- life */

/* Makes the parts, each with those that it needs. */
static void make_parts(struct tc_model *model)
{
	struct tc_ctx *ctx = model->ctx;

	model->log.ctx = model->sink.ctx = model->metas.strings.ctx = ctx;
	tc_labels_init(&model->labels, ctx);
	tc_tracks_init(&model->tracks, ctx);
	model->flows = (struct tc_flows){.ctx = ctx, .log = &model->log, .tracks = &model->tracks};
	model->timeline = tc_timeline_new(ctx, model->sink.first.trace);
	if (!model->timeline)
		return;
	model->launches =
		tc_launches_new(ctx, &model->log, &model->tracks, model->timeline, &model->flows);
	tc_steps_init(&model->steps);
	model->slices = tc_slices_new(&(struct tc_slice_parts){ctx, &model->log, &model->sink,
		&model->tracks, &model->labels, model->timeline, &model->flows, model->launches,
		&model->steps});
}

enum tc_status tc_model_new(struct tc_model **out, struct tc_ctx *ctx, struct tc_next_ids *ids,
	tc_take_batch_fn take, void *take_user, const struct tc_hardware *hardware)
{
	struct tc_model *model = tc_calloc(1, sizeof(*model));

	if (!model)
		return tc_no_memory(ctx);
	model->ctx = ctx;
	model->sink = (struct tc_row_sink){.next = ids, .first = *ids};
	make_parts(model);
	if (model->timeline)
		model->timeline->hardware = hardware;
	tc_row_sink_start(&model->sink, take, take_user);
	if (tc_ctx_failed(ctx))
		tc_model_free(model);
	else
		*out = model;
	return tc_ctx_status(ctx);
}

static void metas_clear(struct tc_metas *metas)
{
	tc_strtab_clear(&metas->strings);
	tc_free(metas->rows);
}

void tc_model_free(struct tc_model *model)
{
	if (!model)
		return;
	tc_slices_free(model->slices);
	tc_steps_clear(&model->steps);
	tc_launches_free(model->launches);
	tc_flows_clear(&model->flows);
	tc_timeline_free(model->timeline);
	metas_clear(&model->metas);
	tc_labels_clear(&model->labels);
	tc_tracks_clear(&model->tracks);
	tc_batch_free(model->sink.batch);
	tc_import_log_clear(&model->log);
	tc_free(model);
}

void tc_model_add_label(struct tc_model *model, struct tc_text category, struct tc_text name)
{
	tc_labels_intern(&model->labels, category, name);
}

/* ---- stages */

enum tc_status tc_model_end_events(struct tc_model *model, bool ends_early)
{
	model->timeline->ends_early = ends_early;
	tc_slices_end_pairs(model->slices);
	tc_import_log_add_count(&model->log, TC_LOG_STRING_LIMIT, model->labels.over_count,
		TC_TEXT("distinct pairs of category and name"));
	if (!tc_ctx_failed(model->ctx))
		tc_row_sink_flush(&model->sink, true);
	return tc_ctx_status(model->ctx);
}

static void log_ranks(struct tc_model *model)
{
	size_t count = model->tracks.rank_count;

	tc_import_log_add_count(&model->log, TC_LOG_MERGED_RANKS, count < 2 ? 0 : (int64_t)count,
		TC_TEXT("ranks in one file"));
}

static struct tc_track track_of(const struct tc_model *model, const struct tc_track_row *row)
{
	const struct tc_tracks *tracks = &model->tracks;
	int64_t first_thread = model->sink.first.thread;
	bool has_thread = row->thread != TC_INDEX_NONE, is_thread = row->kind == TC_TRACK_THREAD;
	const struct tc_thread_row *thread = has_thread ? &tracks->threads[row->thread] : NULL;

	return (struct tc_track){
		.kind = row->kind,
		.thread = has_thread ? first_thread + row->thread : -1,
		.host_thread = is_thread ? thread->host_number : -1,
		.host_thread_id = is_thread ? first_thread + thread->host_thread : -1,
		.device = row->device_index,
		.engine = row->engine,
		.name = tc_tracks_text(tracks, has_thread ? thread->name : row->name),
		.slice_count = row->slice_count,
		.last_slice_id = row->last_slice_id,
	};
}

/* A kernel does not run on devices older than what it was built for. */
static void find_hardware(
	struct tc_timeline *timeline, const struct tc_metas *metas, const struct core_count *cores)
{
	for (size_t i = 0; i < timeline->label_count; i++)
		if (timeline->labels[i].architecture > timeline->newest)
			timeline->newest = timeline->labels[i].architecture;
	const char *newest = tc_architecture_name(timeline->newest);
	if (!timeline->hardware)
		timeline->hardware = metas->hardware;
	if (!timeline->hardware && !metas->names_device)
		timeline->hardware = tc_hardware_like(cores->count, 0);
	if (!timeline->hardware && !metas->names_device)
		timeline->hardware = tc_hardware_find(tc_text_from(newest), 0);
}

static void fill_timeline(struct tc_model *model)
{
	const struct tc_next_ids *first = &model->sink.first;
	struct tc_timeline *timeline = model->timeline;

	timeline->track_base = first->track;
	timeline->label_base = first->label;
	timeline->slice_base = first->slice;
	timeline->memory_base = first->memory;
	tc_slices_hand_over(model->slices);
	tc_labels_hand_over(&model->labels, timeline);
	find_hardware(timeline, &model->metas, &model->cores);
	if (model->metas.is_cut) {
		timeline->steps_from_ns = model->metas.steps_from_ns;
		timeline->steps_until_ns = model->metas.steps_until_ns;
	}
	for (size_t i = 0; i < model->tracks.track_count; i++) {
		const struct tc_track track = track_of(model, &model->tracks.tracks[i]);
		TC_TIMELINE_ADD(timeline, track, &track);
	}
}

/* Ids follow those of the last rows, as in a store that others are joined to. */
static void advance_ids(struct tc_model *model)
{
	struct tc_next_ids *next = model->sink.next;
	size_t tracks = model->tracks.track_count;

	while (tracks > 0 && !tc_track_row_is_used(&model->tracks.tracks[tracks - 1]))
		tracks--;
	next->trace++;
	next->process += (int64_t)model->tracks.process_count;
	next->thread += (int64_t)model->tracks.thread_count;
	next->track += (int64_t)tracks;
	next->label += (int64_t)model->timeline->label_count;
}

enum tc_status tc_model_resolve(const struct tc_timeline **out, struct tc_model *model)
{
	tc_tracks_resolve(&model->tracks, model->timeline);
	log_ranks(model);
	fill_timeline(model);
	if (tc_ctx_failed(model->ctx))
		return tc_ctx_status(model->ctx);
	tc_steps_find(&model->steps, &model->tracks, &model->log, model->timeline,
		&model->sink.next->step);
	tc_launches_join(model->launches);
	tc_timeline_sort(model->timeline);
	tc_launches_resolve(model->launches);
	tc_timeline_find_warm_up(model->timeline);
	if (tc_ctx_failed(model->ctx))
		return tc_ctx_status(model->ctx);
	advance_ids(model);
	*out = model->timeline;
	return TC_OK;
}

void tc_model_write_tables(
	const struct tc_model *model, sqlite3 *db, const struct tc_input_facts *facts)
{
	const struct tc_trace trace = {model->ctx, db, &model->sink.first, facts, &model->metas,
		&model->tracks, model->timeline};

	tc_tables_write(&trace);
}

enum tc_status tc_model_emit_ties(struct tc_model *model, tc_take_batch_fn take, void *take_user)
{
	struct tc_row_sink *sink = &model->sink;

	tc_row_sink_start(sink, take, take_user);
	if (!tc_ctx_failed(model->ctx))
		tc_flows_emit(&model->flows, model->timeline, sink);
	if (!tc_ctx_failed(model->ctx))
		tc_launches_emit(model->launches, sink);
	if (!tc_ctx_failed(model->ctx))
		tc_row_sink_flush(sink, true);
	return tc_ctx_status(model->ctx);
}

void tc_model_write_log(const struct tc_model *model, sqlite3 *db)
{
	tc_import_log_write(&model->log, db, model->sink.first.trace);
}

struct tc_text tc_model_loss(const struct tc_model *model)
{
	return tc_import_log_loss(&model->log);
}
