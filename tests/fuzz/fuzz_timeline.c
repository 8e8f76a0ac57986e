/*
 * Traces put together from events that profilers write (events.def), and everything that can be
 * done with one: import, reports, a replay with edits, a comparison with itself, a cut that is
 * imported again and compared, both exports. The input is four bytes, of the trace and the edits,
 * then seven for each event (struct record).
 */
#include <string.h>

#include "fuzz/harness.h"
#include "store/connection.h"
#include "tracecoach/cut.h"
#include "tracecoach/export.h"
#include "tracecoach/import.h"
#include "tracecoach/whatif.h"

/* The first bytes. */
struct head {
	uint8_t form; /* what the trace says of itself, where its clock begins, how fine it is */
	uint8_t edit, fix;
	uint8_t part; /* that is cut out */
};

struct record {
	uint8_t event;   /* row of events.def */
	uint8_t variant; /* bits of enum variant */
	uint8_t time;    /* since the record before; back, from 128 on */
	uint8_t duration;
	uint8_t place; /* bits: three of the thread or lane, one of the process, two of the device,
			  one of the rank */
	uint8_t id, number;
};

enum variant {
	HAS_FRACTION = 1,
	OTHER_PLACE = 2,
	OTHER_ARGS = 4, /* of the row behind */
	ODD_DURATION = 8,
	FAR_TIME = 16,
	SEVERAL = 32, /* of these, one after the other */
	NO_ARGS = 64,
	IN_STEP = 128 /* a step around it */
};

enum place { HOST, DEVICE };

static const struct event {
	char phase;
	enum place place;
	const char *members, *args;
} events[] = {
#define TC_EVENT(...) {__VA_ARGS__},
#include "fuzz/events.def"
};

enum { EVENTS = sizeof(events) / sizeof(events[0]), RANKS = 2, SEVERAL_COUNT = 18, MOST = 1000 };

static const char *const odd_values[] = {"-1", "0", "2147483648", "4294967296", "17179869184",
	"4611686018427387904", "9223372036854775807", "-9223372036854775808",
	"18446744073709551616", "1e308", "0.5", "-0.0", "null", "true", "''", "'x'", "'12'",
	"'0x1f'", "[]", "{}", "[[1,[2]],'a']", "{'name':'x'}", "[9223372036854775807]", "'\\u202e'",
	"'/device:HPU:0'", "1000000", "65536"};

static const char *const odd_durations[] = {"0", "-5", "0.0004", "1e3", "4611686018427387",
	"9223372036854775", "1e300", "'7'", "null", "100000000"};

enum {
	ODD_VALUES = sizeof(odd_values) / sizeof(odd_values[0]),
	ODD_DURATIONS = sizeof(odd_durations) / sizeof(odd_durations[0])
};

/* What is said once in a trace, beside its events; the forms take turns. */
static const char *const heads[] = {"",
	"'deviceProperties':[{'id':0,'name':'NVIDIA A100','totalGlobalMem':1000000}],",
	"'baseTimeNanoseconds':1700000000000000000,'record_shapes':1,'with_stack':1,",
	"'displayTimeUnit':'ns','traceName':'x','metadata':{'framework':'jax'},"};

/* A rank's trace while it is written. */
struct writer {
	struct tc_buf *out;
	int64_t base, unit, now; /* us; a step of time is so many */
	int count;
};

static const int64_t bases[] = {
	1000000, 0, 1700000000000000, -1000, 4611686018427000, -4611686018427000};
static const int64_t units[] = {1, 10, 1000, 100000};

static void put_mark(struct tc_buf *out, char mark, const struct record *record)
{
	switch (mark) {
	case 'i': tc_buf_format(out, "%d", record->id); break;
	case 'j': tc_buf_format(out, "%d", record->id / 2); break;
	case 'n': tc_buf_format(out, "%d", record->number); break;
	case 'x': tc_buf_append_string(out, odd_values[record->number % ODD_VALUES]); break;
	case 'd': tc_buf_format(out, "%d", record->place >> 4 & 3); break;
	case 's': tc_buf_format(out, "%d", 7 + (record->place & 7)); break;
	default: tc_buf_format(out, "%d", 100 + (record->place & 7)); break;
	}
}

/* Marks become numbers; quotes become those of JSON at the end. */
static void put(struct tc_buf *out, const char *text, const struct record *record)
{
	for (; *text; text++) {
		if (*text == '$')
			put_mark(out, *++text, record);
		else
			tc_buf_append_char(out, *text);
	}
}

static void put_duration(struct writer *writer, const struct record *record)
{
	if (record->variant & ODD_DURATION)
		tc_buf_format(
			writer->out, ",'dur':%s", odd_durations[record->duration % ODD_DURATIONS]);
	else
		tc_buf_format(writer->out, ",'dur':%lld%s",
			(long long)(record->duration * writer->unit),
			record->variant & HAS_FRACTION ? ".25" : "");
}

static void put_event(struct writer *writer, const struct record *record)
{
	const struct event *event = &events[record->event % EVENTS];
	const struct event *other = &events[(record->event + 1) % EVENTS];
	bool on_device = (event->place == DEVICE) != !!(record->variant & OTHER_PLACE);
	int lane = record->place & 7, device = record->place >> 4 & 3;
	struct tc_buf *out = writer->out;

	tc_buf_append_string(out, writer->count++ > 0 ? "," : "");
	tc_buf_format(out, "{'ph':'%c',", event->phase);
	put(out, event->members, record);
	tc_buf_format(out, ",'ts':%lld%s", (long long)(writer->base + writer->now),
		record->variant & HAS_FRACTION ? ".5" : "");
	if (event->phase == 'X')
		put_duration(writer, record);
	tc_buf_format(out, ",'pid':%d,'tid':%d",
		on_device ? device : 1000 + (record->place >> 3 & 1),
		on_device ? 7 + lane : 100 + lane);
	if (!(record->variant & NO_ARGS)) {
		tc_buf_append_string(out, ",'args':{");
		put(out, record->variant & OTHER_ARGS ? other->args : event->args, record);
		tc_buf_append_string(out, "}");
	}
	tc_buf_append_string(out, "}");
}

static void put_step(struct writer *writer, const struct record *record)
{
	tc_buf_format(writer->out,
		"%s{'ph':'X','cat':'user_annotation','name':'ProfilerStep#%d','pid':1000,'tid':100,"
		"'ts':%lld,'dur':%lld,'args':{}}",
		writer->count++ > 0 ? "," : "", record->id, (long long)(writer->base + writer->now),
		(long long)(100 * writer->unit));
}

static void put_record(struct writer *writer, struct record record)
{
	int repeats = record.variant & SEVERAL ? SEVERAL_COUNT : 1;
	int64_t step = record.time < 128 ? record.time : 128 - record.time;

	writer->now += step * writer->unit * (record.variant & FAR_TIME ? 1000 : 1);
	for (int i = 0; i < repeats && writer->count < MOST; i++) {
		if (record.variant & IN_STEP)
			put_step(writer, &record);
		put_event(writer, &record);
		writer->now += repeats > 1 ? (record.duration + 1) * writer->unit : 0;
		record.id++;
	}
}

/* Writes the trace of a rank; without ranks all records are in the first. */
static void put_trace(struct tc_buf *out, const struct head *head, const struct record *records,
	size_t count, int rank)
{
	struct writer writer = {.out = out,
		.base = bases[(head->form & 7) % (sizeof(bases) / sizeof(bases[0]))],
		.unit = units[head->form >> 4 & 3]};

	tc_buf_format(out, "{%s", heads[head->form >> 6]);
	if (head->form & 8)
		tc_buf_format(out, "'distributedInfo':{'backend':'nccl','rank':%d,'world_size':2},",
			rank);
	tc_buf_append_string(out, "'traceEvents':[");
	for (size_t i = 0; i < count; i++)
		if (!(head->form & 8) || (records[i].place >> 6) % RANKS == rank)
			put_record(&writer, records[i]);
	tc_buf_append_string(out, "]}");
	for (size_t i = 0; i < out->len; i++)
		if (out->ptr[i] == '\'')
			out->ptr[i] = '"';
}

/* A trace, or one for each rank, and what became of it. */
struct side {
	struct tc_store *store;
	struct tc_advice *advice;
};

static void clear(struct side *side)
{
	tc_advice_free(side->advice);
	tc_store_close(side->store);
}

static bool import(struct side *side, struct tc_ctx *ctx, int first, size_t count)
{
	const char *const paths[] = {fuzz_path(first), count > 1 ? fuzz_path(first + 1) : NULL};
	const struct tc_import_options options = {.inline_stages = true,
		.no_side_files = true,
		.settings = fuzz_settings(false),
		.advice = &side->advice};
	enum tc_status status = tc_import(&side->store, ctx, paths, count, NULL, &options);

	demand(status == TC_OK || status == TC_ERR_INPUT, tc_ctx_error(ctx));
	tc_ctx_clear_error(ctx);
	return !status;
}

static const char *const edits[] = {"remove role = sync", "remove role = dataloader",
	"scale host in mark = loader_main by 0.3", "remove host", "remove device",
	"scale device by 0", "scale host by 0.5", "fuse device shorter = 10000 by 0.5",
	"fuse device by 1", "nowait role = sync", "nowait device", "nowait host",
	"overlap device by 0.5", "overlap device engine = tpc", "hide collective = all_reduce by 1",
	"hide device by 0", "nowait rank = late", "nowait rank = 0", "remove host launches",
	"remove device softmax-product", "remove device around-softmax",
	"remove device update-graph", "remove device repeated", "remove host usual",
	"remove host steady", "remove host row-loop", "remove host adding-pass",
	"remove device zeroed-pass", "remove own recomputed", "remove host within-steps",
	"remove role = sync not ahead", "remove device in role = optimizer",
	"remove host before role = sync", "remove host after role = sync",
	"scale device not class = matrix by 0.9", "remove name = '*a*'",
	"scale name = '*e*' by 0.1"};

enum { EDITS = sizeof(edits) / sizeof(edits[0]) };

static void check_whatif(struct tc_ctx *ctx, struct tc_store *store, const struct head *head)
{
	const struct tc_settings *settings = fuzz_settings(false);
	const char *const some[] = {edits[head->edit % EDITS],
		head->edit & 128 ? edits[head->fix % EDITS] : NULL, NULL};
	size_t count = 0;
	struct tc_buf out = TC_BUF_EMPTY;

	while (tc_heuristic_at(settings, count))
		count++;
	const char *const fixes[] = {tc_heuristic_at(settings, head->fix % count)->id, NULL};
	const struct tc_whatif_options of_edits = {.settings = settings, .edits = some};
	const struct tc_whatif_options of_fixes = {.settings = settings, .fixes = fixes};
	fuzz_check_status(ctx, tc_whatif(ctx, store, fuzz_chance(2) ? &of_edits : &of_fixes,
				       TC_WHATIF_TEXT, fuzz_keep, &out));
	fuzz_check_output(&out, "text");
	fuzz_check_status(ctx, tc_whatif(ctx, store, fuzz_chance(2) ? &of_edits : &of_fixes,
				       TC_WHATIF_JSON, fuzz_keep, &out));
	fuzz_check_output(&out, "json");
	tc_buf_clear(&out);
}

/* Nothing is faster or slower than itself, nor other work. What has no steps to compare and what
 * lost a part is not judged. */
static bool is_same(const struct tc_compare_result *result)
{
	if (result->outcome == TC_COMPARE_DAMAGED)
		return result->damaged[TC_BEFORE] && result->damaged[TC_AFTER];
	return result->outcome == TC_COMPARE_SAME || result->outcome == TC_COMPARE_UNLIKE;
}

static void check_same(struct tc_ctx *ctx, const struct side *side)
{
	const struct tc_compare_side sides[] = {
		{side->store, side->advice, "x"}, {side->store, side->advice, "x"}};
	size_t count;
	const struct tc_compare_format *formats = tc_compare_formats(&count);
	const struct tc_report_options options = {.width = 60};
	struct tc_buf out = TC_BUF_EMPTY;
	const struct tc_compare_output to = {fuzz_keep, &out};
	struct tc_compare_result result;
	enum tc_status status = tc_compare(&result, ctx, sides, &formats[0], &options, &to);

	demand(status || is_same(&result), "a trace differs from itself");
	fuzz_check_status(ctx, status);
	fuzz_check_output(&out, formats[0].name);
	tc_buf_clear(&out);
	fuzz_check_compare(ctx, sides);
}

/* The part of a trace is a trace, whose events are those that the cut has kept. */
static void check_part(
	struct tc_ctx *ctx, const struct side *whole, const struct tc_cut_counts *counts)
{
	struct side part = {0};

	if (import(&part, ctx, 2, 1)) {
		const struct tc_compare_side sides[] = {
			{whole->store, whole->advice, "whole"}, {part.store, part.advice, "part"}};
		demand(fuzz_number(tc_store_db(part.store), "SELECT event_count FROM trace") ==
				counts->kept_count,
			"a cut trace has other events");
		fuzz_check_compare(ctx, sides);
	}
	clear(&part);
}

static void check_cut(struct tc_ctx *ctx, const struct side *side, uint8_t part)
{
	char steps[16], time[48];
	struct tc_cut_counts counts;
	struct tc_buf out = TC_BUF_EMPTY;
	const struct tc_cut_options options[] = {{.steps = steps}, {.time = time},
		{.device = part & 4 ? "1" : "0"},
		{.finding = tc_heuristic_at(fuzz_settings(false), part >> 6)->id}};

	snprintf(steps, sizeof(steps), "%d-%d", part >> 5, (part >> 5) + (part >> 2 & 7));
	snprintf(time, sizeof(time), "%dus-%dus", part, part * (part >> 2 & 15) + 1);
	enum tc_status status =
		tc_cut(&counts, ctx, side->store, &options[part & 3], fuzz_keep, &out);
	fuzz_check_status(ctx, status);
	if (!status) {
		fuzz_write(2, out.ptr, out.len);
		check_part(ctx, side, &counts);
	}
	tc_buf_clear(&out);
}

static void check_export(struct tc_ctx *ctx, const struct side *side, bool as_perfetto)
{
	const struct tc_export_options options = {.least_gap_ns = 1000, .as_perfetto = as_perfetto};
	struct tc_export *trace = NULL;
	struct tc_buf out = TC_BUF_EMPTY;
	enum tc_status status = tc_export_open(&trace, ctx, fuzz_path(0));

	if (!status)
		status = tc_export_write(
			trace, side->store, side->advice, &options, fuzz_keep, &out);
	if (!status && !as_perfetto)
		fuzz_check_output(&out, "json");
	fuzz_check_status(ctx, status);
	tc_export_close(trace);
	tc_buf_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tc_ctx *ctx = fuzz_begin(data, size);
	struct head head = {0};
	struct side side = {0};
	size_t record_count = 0, rank_count = 1;
	struct record *records = NULL;
	struct tc_buf text = TC_BUF_EMPTY;

	if (size > sizeof(head)) {
		memcpy(&head, data, sizeof(head));
		record_count = (size - sizeof(head)) / sizeof(*records);
		records = malloc((record_count + 1) * sizeof(*records));
		demand(records != NULL, "out of memory");
		memcpy(records, data + sizeof(head), record_count * sizeof(*records));
		rank_count = head.form & 8 ? RANKS : 1;
	}
	for (size_t rank = 0; rank < rank_count; rank++) {
		put_trace(&text, &head, records, record_count, (int)rank);
		fuzz_write((int)rank, text.ptr, text.len);
		tc_buf_reset(&text);
	}
	if (import(&side, ctx, 0, rank_count)) {
		if (fuzz_chance(3))
			fuzz_check_reports(ctx, side.store, side.advice, true);
		if (fuzz_chance(3))
			check_whatif(ctx, side.store, &head);
		if (fuzz_chance(6))
			check_same(ctx, &side);
		if (fuzz_chance(4))
			check_cut(ctx, &side, head.part);
		if (fuzz_chance(4))
			check_export(ctx, &side, fuzz_chance(2));
	}
	clear(&side);
	free(records);
	tc_buf_clear(&text);
	fuzz_end(ctx);
	return 0;
}
