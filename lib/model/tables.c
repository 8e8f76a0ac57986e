/*
 * The small tables of the store, written once when a trace is known whole: a function for each that
 * writes one row. The row of trace takes the job and the device from the members of the file beside
 * its events, and the writer and the vendor from its labels and processes; beside it stand the
 * peaks of the device.
 */
#include "model/tables.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"
#include "names/hardware/hardware.h"
#include "store/sql.h"

/* The JSON text of a member, the last one of that key; ptr NULL when there is none. */
static struct tc_text find_meta(const struct tc_metas *metas, const char *key)
{
	for (size_t i = metas->count; i-- > 0;)
		if (tc_text_equal(metas->rows[i].key, tc_text_from(key)))
			return metas->rows[i].json;
	return TC_TEXT_NONE;
}

/* Rows of device_peak and precision_peak, if the device is one of names/hardware/hardware.def. */

static struct tc_sql_value real_if_known(double value)
{
	return value > 0 ? tc_sql_real(value) : tc_sql_null();
}

static void put_precision(struct tc_tables *tables, int64_t trace_id, const char *name, double peak)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(trace_id), tc_sql_string(name), tc_sql_real(peak)};

	if (peak > 0)
		TC_TABLES_PUT(tables, "precision_peak (trace_id, precision, flops_per_s)", values);
}

static void peaks_put(struct tc_tables *tables, int64_t trace_id, struct tc_text device_name,
	bool names_device, const struct tc_hardware *hardware)
{
	if (!hardware)
		return;
	int64_t kept_ppm = tc_hardware_kept(hardware).likely_ppm;
	const struct tc_sql_value values[] = {
		tc_sql_int(trace_id),
		names_device ? tc_sql_text(device_name) : tc_sql_string(hardware->pattern),
		tc_sql_int_if(hardware->core_count > 0, hardware->core_count),
		real_if_known(hardware->memory_bytes),
		real_if_known(hardware->bytes_per_s),
		real_if_known(hardware->link_bytes_per_s),
		real_if_known(hardware->core_mhz),
		tc_sql_string(hardware->source),
		kept_ppm > 0 ? tc_sql_real((double)kept_ppm / 1e6) : tc_sql_null(),
	};

	TC_TABLES_PUT(tables,
		"device_peak (trace_id, device_name, core_count,"
		" hbm_bytes, hbm_bytes_per_s, link_bytes_per_s, core_mhz, source,"
		" fp32_kept_ratio)",
		values);
	for (int i = 0; i < TC_PRECISION_COUNT; i++)
		put_precision(tables, trace_id, tc_precision_name((enum tc_precision)i),
			hardware->flops_per_s[i]);
}

/* The devices as Kineto describes them; PyTorch 1.8 has another key for them. */
static struct tc_text device_properties(const struct tc_metas *metas)
{
	struct tc_text found = find_meta(metas, "deviceProperties");

	return found.ptr ? found : find_meta(metas, "computeProperties");
}

/* The value of a member of a JSON object; ptr NULL when it is not there. */
static struct tc_text member_of(struct tc_text object, const char *key, enum tc_json_kind *kind)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	if (!object.ptr)
		return TC_TEXT_NONE;
	tc_json_iter_init(&iter, object);
	while (tc_json_iter_next(&iter, &member)) {
		if (!tc_text_equal(member.key, tc_text_from(key)))
			continue;
		*kind = member.kind;
		return member.value;
	}
	return TC_TEXT_NONE;
}

/* An integer member, also one written as a string. */
static struct tc_sql_value int_member(struct tc_text object, const char *key)
{
	enum tc_json_kind kind = TC_JSON_NULL;
	struct tc_text value = member_of(object, key, &kind);
	int64_t number;

	if (kind == TC_JSON_STRING && value.len >= 2)
		value = (struct tc_text){value.ptr + 1, value.len - 2};
	if (!value.ptr || !tc_decimal_int64(&number, value))
		return tc_sql_null();
	return tc_sql_int(number);
}

/* An integer member, absent where there is none. */
static int64_t number_member(struct tc_text object, const char *key, int64_t absent)
{
	struct tc_sql_value value = int_member(object, key);

	return value.kind == TC_SQL_INT ? value.i64 : absent;
}

/* A string member, unescaped into buf; ptr NULL when it is not there. */
static struct tc_text string_member(struct tc_text object, const char *key, struct tc_buf *buf)
{
	enum tc_json_kind kind = TC_JSON_NULL;
	struct tc_text value = member_of(object, key, &kind);

	if (!value.ptr || kind != TC_JSON_STRING || value.len < 2)
		return TC_TEXT_NONE;
	tc_json_unescape(buf, (struct tc_text){value.ptr + 1, value.len - 2});
	return tc_buf_text(buf);
}

/* The first device of deviceProperties, which is a list or, from some writers, an object. */
static struct tc_text first_device(struct tc_text properties)
{
	if (properties.ptr && properties.len > 2 && properties.ptr[0] == '[') {
		properties.ptr++;
		properties.len--;
		properties.len = tc_json_value_length(properties);
	}
	return properties;
}

static void find_hardware(struct tc_metas *metas)
{
	struct tc_text device = first_device(device_properties(metas));
	struct tc_buf buf = {.ctx = metas->strings.ctx};
	struct tc_text name = string_member(device, "name", &buf);

	int64_t memory_bytes = number_member(device, "totalGlobalMem", 0);

	/* Drivers without their table of names have one for all ("AMD Radeon Graphics"). */
	metas->names_device = tc_device_architecture(NULL, name, -1, -1) != NULL;
	metas->hardware = tc_hardware_find(name, memory_bytes);
	if (metas->hardware)
		metas->names_device = true;
	else if (!metas->names_device)
		metas->hardware =
			tc_hardware_like(number_member(device, "numSms", 0), memory_bytes);
	tc_buf_clear(&buf);
}

void tc_metas_add(struct tc_metas *metas, struct tc_text key, struct tc_text json)
{
	uint32_t key_string = tc_strtab_intern(&metas->strings, key);
	uint32_t json_string = tc_strtab_intern(&metas->strings, json);

	if (key_string != TC_STRTAB_NONE && json_string != TC_STRTAB_NONE)
		TC_PUSH(metas->strings.ctx, metas->rows, metas->count, metas->capacity,
			(struct tc_meta){tc_strtab_at(&metas->strings, key_string),
				tc_strtab_at(&metas->strings, json_string)});
	if (tc_text_ends(key, TC_TEXT("Properties")))
		find_hardware(metas);
	if (tc_text_equal(key, TC_TEXT(TC_CUT_MEMBER))) {
		metas->is_cut = true;
		metas->steps_from_ns = number_member(json, "steps_from_ns", INT64_MIN);
		metas->steps_until_ns = number_member(json, "steps_until_ns", INT64_MAX);
	}
}

/* Evidence for a vendor, weakest first: names of calls, which anyone may give to anything; the name
 * of the device; categories, which only a vendor's writer has. */
enum evidence { EVIDENCE_CALL, EVIDENCE_CATEGORY, EVIDENCE_COUNT };

struct origin {
	bool has_gaudi_lanes, has_bridge_log, has_kineto, has_synapse_log;
	bool has_bridge_kernels; /* "Kernel": the bridge of lazy mode; kineto writes "kernel" */
	const char *vendor;
	int64_t votes[EVIDENCE_COUNT][TC_VENDOR_COUNT]; /* labels that point to a vendor */
	int64_t marks[TC_MARK_COUNT];                   /* labels with a mark */
};

/* Annotations, Python functions and framework operations have names that users choose; they are
 * no calls of a runtime. */
static bool may_be_call(const struct tc_label *label)
{
	return !label->is_op && !label->is_python && !label->is_note &&
	       label->engine == TC_ENGINE_NONE &&
	       !tc_text_equal(tc_label_category(label), TC_TEXT("user_annotation"));
}

static void vote(struct origin *origin, const struct tc_label *label)
{
	origin->votes[EVIDENCE_CATEGORY][label->vendor]++;
	if (may_be_call(label))
		origin->votes[EVIDENCE_CALL][label->call_vendor]++;
}

/* The vendor with most labels of one kind of evidence, the first of vendors.def if several have
 * as many; NULL without any. */
static const char *vendor_by(const struct origin *origin, enum evidence evidence)
{
	enum tc_vendor best = TC_VENDOR_NONE;
	int64_t best_count = 0;

	for (int vendor = TC_VENDOR_NONE + 1; vendor < TC_VENDOR_COUNT; vendor++) {
		if (origin->votes[evidence][vendor] <= best_count)
			continue;
		best_count = origin->votes[evidence][vendor];
		best = (enum tc_vendor)vendor;
	}
	return tc_vendor_name(best);
}

static void read_labels(struct origin *origin, const struct tc_timeline *timeline)
{
	for (size_t i = 0; i < timeline->label_count; i++) {
		const struct tc_label *label = &timeline->labels[i];
		origin->has_kineto |=
			label->is_op || label->engine != TC_ENGINE_NONE || label->is_python ||
			tc_text_equal(tc_label_category(label), TC_TEXT("user_annotation"));
		origin->has_bridge_kernels |=
			tc_text_equal(tc_label_category(label), TC_TEXT("Kernel"));
		origin->has_synapse_log |=
			tc_text_starts(tc_label_name(label), TC_TEXT("call:syn"));
		vote(origin, label);
		origin->marks[label->mark]++;
	}
}

static struct origin read_origin(const struct tc_trace *trace, struct tc_text device_name)
{
	struct origin origin = {0};

	for (size_t i = 0; i < trace->tracks->process_count; i++) {
		const struct tc_process_row *process = &trace->tracks->processes[i];
		struct tc_text name = tc_tracks_text(trace->tracks, process->name);
		origin.has_gaudi_lanes |= process->is_gaudi;
		origin.has_bridge_log |= tc_text_equal(name, TC_TEXT("Bridge Logs")) ||
					 tc_text_equal(name, TC_TEXT("Synapse Logger"));
	}
	read_labels(&origin, trace->timeline);
	origin.vendor = trace->tracks->lane_vendor;
	if (origin.has_gaudi_lanes || origin.has_bridge_log || origin.has_synapse_log)
		origin.vendor = "gaudi";
	if (!origin.vendor)
		origin.vendor = vendor_by(&origin, EVIDENCE_CATEGORY);
	if (!origin.vendor)
		origin.vendor = tc_device_vendor(device_name);
	if (!origin.vendor)
		origin.vendor = vendor_by(&origin, EVIDENCE_CALL);
	return origin;
}

/* The architecture that the file gives for the device, else that of its kernels. */
static const char *architecture_of(const struct tc_timeline *timeline, const char *vendor,
	struct tc_text device, struct tc_text device_name)
{
	const char *in_file = tc_device_architecture(vendor, device_name,
		number_member(device, "computeMajor", -1),
		number_member(device, "computeMinor", -1));

	return in_file ? in_file : tc_architecture_name(timeline->newest);
}

/* The writer with most labels; NULL without any. */
static const char *writer_of(const struct origin *origin)
{
	enum tc_mark best = TC_MARK_NONE;

	for (int mark = TC_MARK_NONE + 1; mark < TC_MARK_COUNT; mark++)
		if (tc_writer_find(tc_text_from(tc_mark_name((enum tc_mark)mark))) &&
			origin->marks[mark] > (best ? origin->marks[best] : 0))
			best = (enum tc_mark)mark;
	return tc_mark_name(best);
}

static const char *format_of(const struct origin *origin, const struct tc_timeline *timeline)
{
	const char *writer = timeline->device_count == 0 ? writer_of(origin) : NULL;

	if (origin->has_bridge_log || (origin->has_gaudi_lanes && origin->has_bridge_kernels))
		return "gaudi-lazy";
	if (origin->has_gaudi_lanes)
		return "gaudi-kineto";
	if (origin->has_synapse_log)
		return "synapse-log";
	return origin->has_kineto ? "kineto" : writer ? writer : "trace-event";
}

static const char *form_name(enum tc_form form)
{
	static const char *const names[] = {
		[TC_FORM_UNKNOWN] = "unknown",
		[TC_FORM_OBJECT] = "object",
		[TC_FORM_ARRAY] = "array",
		[TC_FORM_LINES] = "lines",
	};

	return names[form];
}

/* baseTimeNanoseconds may be written as a fraction-free number of any length, or a string. */
static struct tc_sql_value base_time(const struct tc_metas *metas)
{
	struct tc_text value = find_meta(metas, "baseTimeNanoseconds");
	int64_t ns;

	if (value.ptr && value.len >= 2 && value.ptr[0] == '"')
		value = (struct tc_text){value.ptr + 1, value.len - 2};
	if (!value.ptr || !tc_decimal_scaled(&ns, value, 0))
		return tc_sql_null();
	return tc_sql_int(ns);
}

static void trace_row_put(struct tc_tables *tables, const struct tc_trace *trace)
{
	const struct tc_input_facts *facts = trace->facts;
	const struct tc_timeline *timeline = trace->timeline;
	struct tc_text job = find_meta(trace->metas, "distributedInfo");
	struct tc_text device = first_device(device_properties(trace->metas));
	struct tc_buf backend = {.ctx = trace->ctx}, device_name = {.ctx = trace->ctx};
	struct tc_text name = string_member(device, "name", &device_name);
	bool has_range = timeline->start_ns <= timeline->end_ns;
	const struct origin origin = read_origin(trace, name);
	const struct tc_sql_value values[] = {
		tc_sql_int(trace->first->trace),
		tc_sql_string(facts->path),
		tc_sql_string(format_of(&origin, timeline)),
		tc_sql_string(form_name(facts->form)),
		tc_sql_string(origin.vendor),
		int_member(job, "rank"),
		int_member(job, "world_size"),
		tc_sql_text(string_member(job, "backend", &backend)),
		tc_sql_text(name),
		int_member(device, "totalGlobalMem"),
		base_time(trace->metas),
		tc_sql_int_if(has_range, timeline->start_ns),
		tc_sql_int_if(has_range, timeline->end_ns),
		tc_sql_int(facts->read_bytes),
		tc_sql_int(facts->event_count),
		tc_sql_string(architecture_of(timeline, origin.vendor, device, name)),
	};

	TC_TABLES_PUT(tables,
		"trace (id, path, format, form, vendor, rank, world_size, backend,"
		" device_name, device_memory_bytes, base_time_ns, start_ns, end_ns,"
		" read_bytes, event_count, architecture)",
		values);
	peaks_put(
		tables, trace->first->trace, name, trace->metas->names_device, timeline->hardware);
	tc_buf_clear(&backend);
	tc_buf_clear(&device_name);
}

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
	struct tc_buf lane = {.ctx = trace->ctx};

	if (!tc_track_row_is_used(track))
		return;
	if (is_lane) {
		device = trace->timeline->devices[track->device_index].name;
		append_lane_name(&lane, trace->tracks, track);
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
		tc_sql_int(false), tc_sql_int(i == trace->timeline->step_count)};

	TC_TABLES_PUT(tables,
		"step (id, trace_id, number, name, ts, dur, slice_id, is_warm_up, is_unused)",
		values);
}

void tc_tables_write(const struct tc_trace *trace)
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
		{trace->timeline->step_count + trace->timeline->has_unused_step, put_step},
	};
	struct tc_tables tables = TC_TABLES_OF(trace->ctx, trace->db);

	trace_row_put(&tables, trace);
	for (size_t i = 0; i < TC_COUNT_OF(kinds); i++)
		for (size_t row = 0; row < kinds[i].row_count && !tc_ctx_failed(trace->ctx); row++)
			kinds[i].put(&tables, trace, row);
	tc_tables_end(&tables);
}
