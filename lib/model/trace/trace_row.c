/* Writer, vendor, device and job of a trace; see trace_row.h. */
#include "model/trace/trace_row.h"

#include "core/text/decimal.h"
#include "decode/json/json_text.h"
#include "model/trace/peaks.h"
#include "names/hardware/devices.h"

/* What Kineto writes about the devices; PyTorch 1.8 has another key for it. */
static struct tc_text device_properties(const struct tc_metas *metas)
{
	struct tc_text found = tc_metas_find(metas, "deviceProperties");

	return found.ptr ? found : tc_metas_find(metas, "computeProperties");
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

/* The same as a number; absent where there is none. */
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
	return tc_buf_failed(buf) ? TC_TEXT_NONE : tc_buf_text(buf);
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

/* What points to a vendor, weakest first: names of calls, which anyone may give to anything; the
 * name of the device; categories, which only a vendor's writer has. */
enum evidence { EVIDENCE_CALL, EVIDENCE_CATEGORY, EVIDENCE_COUNT };

struct origin {
	bool has_gaudi_lanes, has_bridge_log, has_kineto, has_synapse_log;
	bool has_bridge_kernels; /* "Kernel": the bridge of lazy mode; kineto writes "kernel" */
	const char *vendor;
	int64_t votes[EVIDENCE_COUNT][TC_VENDOR_COUNT]; /* labels that point to a vendor */
	int64_t marks[TC_MARK_COUNT];                   /* labels with a mark */
	enum tc_architecture newest;                    /* that a kernel was built for */
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
		if (label->architecture > origin->newest)
			origin->newest = label->architecture;
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

/* The architecture that the file gives for the device; else the newest one that a kernel was
 * built for, because such a kernel does not run on older devices. */
static const char *architecture_of(
	const struct origin *origin, struct tc_text device, struct tc_text device_name)
{
	const char *in_file = tc_device_architecture(origin->vendor, device_name,
		number_member(device, "computeMajor", -1),
		number_member(device, "computeMinor", -1));
	bool is_cuda = !origin->vendor || strcmp(origin->vendor, "cuda") == 0;

	return in_file || !is_cuda ? in_file : tc_architecture_name(origin->newest);
}

/* The writer with most labels; NULL without any. */
static const char *writer_of(const struct origin *origin)
{
	enum tc_mark best = TC_MARK_NONE;

	for (int mark = TC_MARK_NONE + 1; mark < TC_MARK_COUNT; mark++)
		if (tc_writer_of((enum tc_mark)mark) &&
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
	struct tc_text value = tc_metas_find(metas, "baseTimeNanoseconds");
	int64_t ns;

	if (value.ptr && value.len >= 2 && value.ptr[0] == '"')
		value = (struct tc_text){value.ptr + 1, value.len - 2};
	if (!value.ptr || !tc_decimal_scaled(&ns, value, 0))
		return tc_sql_null();
	return tc_sql_int(ns);
}

void tc_trace_row_put(struct tc_tables *tables, const struct tc_trace *trace)
{
	const struct tc_input_facts *facts = trace->facts;
	const struct tc_timeline *timeline = trace->timeline;
	struct tc_text job = tc_metas_find(trace->metas, "distributedInfo");
	struct tc_text device = first_device(device_properties(trace->metas));
	struct tc_buf backend = TC_BUF_EMPTY, device_name = TC_BUF_EMPTY;
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
		tc_sql_string(architecture_of(&origin, device, name)),
	};

	TC_TABLES_PUT(tables,
		"trace (id, path, format, form, vendor, rank, world_size, backend,"
		" device_name, device_memory_bytes, base_time_ns, start_ns, end_ns,"
		" read_bytes, event_count, architecture)",
		values);
	tc_peaks_put(tables, trace->first->trace, name, number_member(device, "totalGlobalMem", 0));
	tc_buf_clear(&backend);
	tc_buf_clear(&device_name);
}
