/*
 * A trace of a store in Perfetto's format. Slices are read once in the order of the store and
 * sorted by track and time; the ends of arrows, sorted by slice, are read beside them.
 */

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/collections/strtab.h"
#include "core/context.h"
#include "core/saturate.h"
#include "core/sort/sorter.h"
#include "report/view/tracks.h"
#include "report/viewer/viewer.h"
#include "tracecoach/report.h"

/*
 * Writes a trace in Perfetto's format, packet by packet, with protocol buffers encoded by hand. It
 * has tracks (TrackDescriptor), slices as a begin and an end, instants, counters (TrackEvent), and
 * names that events refer to by number (InternedData). The field numbers come from
 * protos/perfetto/trace/ in Perfetto's sources.
 *
 * Readers sort events by time and keep the order of the file for equal times. So the end of a slice
 * may follow its begin at once, if the slices of a track come in the order of time, outer ones
 * first.
 */

enum tc_packet_type { TC_PACKET_BEGIN = 1, TC_PACKET_END, TC_PACKET_INSTANT, TC_PACKET_COUNTER };

struct tc_packets {
	struct tc_ctx *ctx;
	tc_write_fn write;
	void *user;
	int64_t earliest_ns; /* not positive; times count from here, since the format is unsigned */
	uint64_t last_track; /* given to a track; 0 is none */
	struct tc_strtab keys, values, groups, counters;
	struct tc_buf out;      /* not handed on yet */
	struct tc_buf event;    /* the event under way */
	struct tc_buf interned; /* names that this event is the first to use */
	struct tc_buf packet;   /* scratch */
	int64_t event_ns;
	bool has_begun; /* the first packet is written */
};

/* Longer texts, and texts that no longer fit into the table, have no number: each use writes them
 * in full. */
enum { PIECE_BYTES = 64 * 1024, TEXT_BYTES_MOST = 1024, TABLE_BYTES_MOST = 8 * 1024 * 1024 };

/* Field numbers of Trace and TracePacket. */
enum {
	PACKET = 1,
	TIMESTAMP = 8,
	SEQUENCE = 10,
	EVENT = 11,
	INTERNED = 12,
	FLAGS = 13,
	TRACK = 60
};

/* Bits of FLAGS: the reader forgets earlier names; this packet needs earlier names. */
enum { NAMES_CLEARED = 1, NAMES_NEEDED = 2 };

/* Field numbers of TrackDescriptor and CounterDescriptor. */
enum { TRACK_ID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8 };

/* Field numbers of TrackEvent. */
enum {
	EVENT_ARG = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_NUMBER = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_VALUE = 44,
	EVENT_FLOW = 47
};

/* Field numbers of DebugAnnotation. */
enum {
	ARG_KEY_NUMBER = 1,
	ARG_BOOL,
	ARG_INT = 4,
	ARG_REAL,
	ARG_TEXT,
	ARG_KEY = 10,
	ARG_TEXT_NUMBER = 17
};

/* Field numbers of InternedData and of its entries. */
enum { NEW_NAME = 2, NEW_KEY = 3, NEW_VALUE = 29, NEW_NUMBER = 1, NEW_TEXT = 2 };

enum wire { VARINT, FIXED64, BYTES };

/* ---- fields */

static void put_uint(struct tc_buf *buf, unsigned field, uint64_t value)
{
	tc_buf_append_varint(buf, field << 3 | VARINT);
	tc_buf_append_varint(buf, value);
}

static void put_fixed(struct tc_buf *buf, unsigned field, uint64_t value)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(value >> 8 * i);
	tc_buf_append_varint(buf, field << 3 | FIXED64);
	tc_buf_append(buf, bytes, sizeof(bytes));
}

static void put_real(struct tc_buf *buf, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_fixed(buf, field, bits);
}

/* Writes a text, or a message that is already encoded. */
static void put_text(struct tc_buf *buf, unsigned field, struct tc_text text)
{
	tc_buf_append_varint(buf, field << 3 | BYTES);
	tc_buf_append_varint(buf, text.len);
	tc_buf_append_text(buf, text);
}

/* ---- packets */

static void packets_init(
	struct tc_packets *packets, struct tc_ctx *ctx, tc_write_fn write, void *user)
{
	*packets = (struct tc_packets){
		.ctx = ctx, .write = write, .user = user, .groups.ctx = ctx, .counters.ctx = ctx};
}

static void packets_clear(struct tc_packets *packets)
{
	tc_strtab_clear(&packets->keys);
	tc_strtab_clear(&packets->values);
	tc_strtab_clear(&packets->groups);
	tc_strtab_clear(&packets->counters);
	tc_buf_clear(&packets->out);
	tc_buf_clear(&packets->event);
	tc_buf_clear(&packets->interned);
	tc_buf_clear(&packets->packet);
}

static void hand_on(struct tc_packets *packets)
{
	struct tc_ctx *ctx = packets->ctx;

	if (tc_buf_failed(&packets->out) || tc_buf_failed(&packets->packet) ||
		tc_buf_failed(&packets->event) || tc_buf_failed(&packets->interned))
		tc_no_memory(ctx);
	else if (tc_ctx_interrupted(ctx))
		tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	else if (packets->out.len > 0 &&
		 packets->write(packets->user, packets->out.ptr, packets->out.len))
		tc_fail(ctx, TC_ERR_IO, "cannot write the trace: its reader stopped");
	tc_buf_reset(&packets->out);
}

/* Passes the rest of the bytes to the writer. Nothing is written after a failure. */
static void packets_finish(struct tc_packets *packets)
{
	if (!tc_ctx_failed(packets->ctx))
		hand_on(packets);
}

/* Writes a packet with one message, and the names that this message is the first to use. */
static void put_packet(struct tc_packets *packets, unsigned field, struct tc_text message)
{
	struct tc_buf *packet = &packets->packet;

	tc_buf_reset(packet);
	if (field == EVENT)
		put_uint(packet, TIMESTAMP,
			(uint64_t)packets->event_ns - (uint64_t)packets->earliest_ns);
	put_uint(packet, SEQUENCE, 1);
	put_uint(packet, FLAGS, packets->has_begun ? NAMES_NEEDED : NAMES_CLEARED | NAMES_NEEDED);
	if (packets->interned.len > 0)
		put_text(packet, INTERNED, tc_buf_text(&packets->interned));
	tc_buf_reset(&packets->interned);
	put_text(packet, field, message);
	put_text(&packets->out, PACKET, tc_buf_text(packet));
	packets->has_begun = true;
	if (tc_ctx_failed(packets->ctx))
		tc_buf_reset(&packets->out);
	else if (packets->out.len >= PIECE_BYTES)
		hand_on(packets);
}

/* ---- tracks */

static uint64_t put_track(
	struct tc_packets *packets, struct tc_text name, uint64_t group, bool is_counter)
{
	struct tc_buf track = TC_BUF_EMPTY;

	put_uint(&track, TRACK_ID, ++packets->last_track);
	put_text(&track, TRACK_NAME, name);
	if (group > 0)
		put_uint(&track, TRACK_PARENT, group);
	if (is_counter)
		put_text(&track, TRACK_COUNTER, TC_TEXT(""));
	put_packet(packets, TRACK, tc_buf_text(&track));
	tc_buf_end(&packets->out, &track);
	return packets->last_track;
}

/* A track with a name that is looked up again. Such tracks have numbers far from those of other
 * tracks. */
static uint64_t named_track(
	struct tc_packets *packets, struct tc_strtab *table, struct tc_text name)
{
	bool is_counter = table == &packets->counters;
	size_t count = table->count;
	uint32_t number = tc_strtab_intern(table, name);
	uint64_t last = packets->last_track;

	if (number == TC_STRTAB_NONE)
		return 0;
	uint64_t track = UINT64_C(1) << (is_counter ? 41 : 40) | number;
	if (number == count) {
		packets->last_track = track - 1;
		put_track(packets, name, 0, is_counter);
		packets->last_track = last;
	}
	return track;
}

/* The number of the track that groups others, by its name. The first call with a name makes it. */
static uint64_t packets_group(struct tc_packets *packets, struct tc_text name)
{
	return named_track(packets, &packets->groups, name);
}

/* A new track for slices in a group. */
static uint64_t packets_track(struct tc_packets *packets, struct tc_text name, uint64_t group)
{
	return put_track(packets, name, group, false);
}

/* ---- events */

/* An event is a begin, its name and arguments, and an end. The name is a text, or a number; the
 * first use of a number gives its text. */
static void packets_begin(
	struct tc_packets *packets, enum tc_packet_type type, uint64_t track, int64_t ts)
{
	tc_buf_reset(&packets->event);
	packets->event_ns = ts;
	put_uint(&packets->event, EVENT_TYPE, type);
	put_uint(&packets->event, EVENT_TRACK, track);
}

static void packets_end(struct tc_packets *packets)
{
	put_packet(packets, EVENT, tc_buf_text(&packets->event));
}

static void packets_name(struct tc_packets *packets, struct tc_text name)
{
	put_text(&packets->event, EVENT_NAME, name);
}

static void put_new(struct tc_packets *packets, unsigned what, uint64_t number, struct tc_text text)
{
	struct tc_buf entry = TC_BUF_EMPTY;

	put_uint(&entry, NEW_NUMBER, number);
	put_text(&entry, NEW_TEXT, text);
	put_text(&packets->interned, what, tc_buf_text(&entry));
	tc_buf_end(&packets->interned, &entry);
}

static void packets_number_name(
	struct tc_packets *packets, uint64_t number, const struct tc_text *new_name)
{
	if (new_name)
		put_new(packets, NEW_NAME, number + 1, *new_name);
	put_uint(&packets->event, EVENT_NAME_NUMBER, number + 1);
}

static void packets_flow(struct tc_packets *packets, uint64_t flow)
{
	put_fixed(&packets->event, EVENT_FLOW, flow);
}

/* The number of a text in a table, from 1; 0 if it has none. The next packet carries new texts. */
static uint64_t number_of(
	struct tc_packets *packets, struct tc_strtab *table, struct tc_text text, unsigned what)
{
	uint32_t number = tc_strtab_find(table, text);

	if (number == TC_STRTAB_NONE && text.len <= TEXT_BYTES_MOST &&
		table->text_bytes < TABLE_BYTES_MOST) {
		number = tc_strtab_intern(table, text);
		if (number != TC_STRTAB_NONE)
			put_new(packets, what, (uint64_t)number + 1, text);
	}
	return number == TC_STRTAB_NONE ? 0 : (uint64_t)number + 1;
}

/* An argument with its key; a value follows, then end_arg(). */
static struct tc_buf begin_arg(struct tc_packets *packets, struct tc_text key)
{
	uint64_t number = number_of(packets, &packets->keys, key, NEW_KEY);
	struct tc_buf arg = TC_BUF_EMPTY;

	if (number == 0)
		put_text(&arg, ARG_KEY, key);
	else
		put_uint(&arg, ARG_KEY_NUMBER, number);
	return arg;
}

static void end_arg(struct tc_packets *packets, struct tc_buf *arg)
{
	put_text(&packets->event, EVENT_ARG, tc_buf_text(arg));
	tc_buf_end(&packets->event, arg);
}

/* field: ARG_INT or ARG_BOOL. */
static void packets_uint(
	struct tc_packets *packets, struct tc_text key, unsigned field, uint64_t value)
{
	struct tc_buf arg = begin_arg(packets, key);

	put_uint(&arg, field, value);
	end_arg(packets, &arg);
}

static void packets_real(struct tc_packets *packets, struct tc_text key, double value)
{
	struct tc_buf arg = begin_arg(packets, key);

	put_real(&arg, ARG_REAL, value);
	end_arg(packets, &arg);
}

static void packets_text(struct tc_packets *packets, struct tc_text key, struct tc_text value)
{
	uint64_t number = number_of(packets, &packets->values, value, NEW_VALUE);
	struct tc_buf arg = begin_arg(packets, key);

	if (number == 0)
		put_text(&arg, ARG_TEXT, value);
	else
		put_uint(&arg, ARG_TEXT_NUMBER, number);
	end_arg(packets, &arg);
}

/* A value of the counter with that name. */
static void packets_counter(
	struct tc_packets *packets, struct tc_text name, int64_t ts, double value)
{
	uint64_t track = named_track(packets, &packets->counters, name);

	packets_begin(packets, TC_PACKET_COUNTER, track, ts);
	put_real(&packets->event, EVENT_VALUE, value);
	packets_end(packets);
}

enum { SORT_BYTES = 4 * 1024 * 1024 };

#define OWN_FLOWS                                                                                  \
	(UINT64_C(1) << 52) /* arrows of ours; those of a trace have the numbers of their rows */
#define NO_END INT64_MAX

/* An end of an arrow. */
struct flow_end {
	int64_t slice_id, flow;
};

/* A slice, an instant, or an end of an arrow. An end of an arrow is sorted right after its
 * slice. */
struct event {
	int64_t ts, dur, id, flow; /* dur: NO_END when it has none; flow: 0 for none */
	uint32_t track, label;
	uint32_t is_instant, unused;
};

/* A line of slices that nest; it becomes a track of the result. */
struct line {
	uint64_t number;
	int64_t *ends; /* of open slices, the outermost first */
	size_t count, capacity;
};

struct perfetto {
	struct tc_ctx *ctx;
	sqlite3 *db;
	struct tc_packets packets;
	struct tc_page_tracks tracks;
	struct tc_sorter *flows, *events;
	uint64_t own_group, last_flow;
	unsigned char *is_named; /* a bit for each label: its name has a number */
	size_t label_count;
	/* The track that is being written: */
	int64_t track;
	struct tc_buf name;
	uint64_t group;
	struct line *lines;
	size_t line_count, line_capacity;
	struct tc_rows labels, args, instant_args;
};

/* ---- our own events: the form of tc_emit */

static void begin(struct tc_emit *emit, int64_t first)
{
	struct perfetto *perfetto = emit->to;

	(void)first;
	perfetto->own_group = packets_group(&perfetto->packets, TC_TEXT("tracecoach"));
}

static int64_t add_line(struct tc_emit *emit, struct tc_text name)
{
	struct perfetto *perfetto = emit->to;

	return (int64_t)packets_track(&perfetto->packets, name, perfetto->own_group);
}

static void slice(struct tc_emit *emit)
{
	struct perfetto *perfetto = emit->to;

	packets_begin(&perfetto->packets, TC_PACKET_BEGIN, (uint64_t)emit->line, emit->slice.ts);
	packets_name(&perfetto->packets, emit->slice.name);
}

static void integer(struct tc_emit *emit, const char *key, bool known, int64_t value)
{
	struct perfetto *perfetto = emit->to;

	if (known)
		packets_uint(&perfetto->packets, tc_text_from(key), ARG_INT, (uint64_t)value);
}

static void boolean(struct tc_emit *emit, const char *key, bool value)
{
	struct perfetto *perfetto = emit->to;

	packets_uint(&perfetto->packets, tc_text_from(key), ARG_BOOL, value);
}

static void text(struct tc_emit *emit, const char *key, struct tc_text value)
{
	struct perfetto *perfetto = emit->to;

	if (value.ptr)
		packets_text(&perfetto->packets, tc_text_from(key), value);
}

static void add_flow(struct perfetto *perfetto, int64_t slice_id, uint64_t flow)
{
	const struct flow_end end = {slice_id, (int64_t)flow};

	if (!tc_ctx_failed(perfetto->ctx))
		tc_sorter_add(perfetto->flows, &end);
}

static void end(struct tc_emit *emit, const struct tc_emit_call *call)
{
	struct perfetto *perfetto = emit->to;

	if (call) {
		uint64_t flow = OWN_FLOWS + ++perfetto->last_flow;
		packets_flow(&perfetto->packets, flow);
		add_flow(perfetto, call->slice_id, flow);
	}
	packets_end(&perfetto->packets);
	packets_begin(&perfetto->packets, TC_PACKET_END, (uint64_t)emit->line,
		tc_add_saturated(emit->slice.ts, emit->slice.dur));
	packets_end(&perfetto->packets);
}

static void counter(struct tc_emit *emit, struct tc_text name, int64_t ts, double value)
{
	struct perfetto *perfetto = emit->to;

	packets_counter(&perfetto->packets, name, ts, value);
}

static const struct tc_emit_form form = {
	begin, add_line, slice, integer, boolean, text, end, counter};

/* ---- sorting */

TC_ORDER(compare_flows, struct flow_end, TC_UP(slice_id) TC_UP(flow));

TC_ORDER(compare_events, struct event,
	TC_UP(track) TC_UP(ts) TC_DOWN(dur) TC_UP(is_instant) TC_UP(id) TC_UP(flow));

static void sort_flows(struct perfetto *perfetto)
{
	struct tc_rows rows = TC_ROWS(perfetto->ctx, perfetto->db,
		"SELECT id + 1, slice_out, slice_in FROM flow_row WHERE trace_id = ?1",
		perfetto->tracks.trace_id);

	while (tc_rows_next(&rows)) {
		add_flow(perfetto, tc_rows_int(&rows, 1), (uint64_t)tc_rows_int(&rows, 0));
		add_flow(perfetto, tc_rows_int(&rows, 2), (uint64_t)tc_rows_int(&rows, 0));
	}
}

/* Adds a slice and the ends of its arrows. *next is the next end, NULL after the last. */
static void sort_slice(struct perfetto *perfetto, const struct flow_end **next, struct event event)
{
	tc_sorter_add(perfetto->events, &event);
	while (*next && (*next)->slice_id <= event.id) {
		event.flow = (*next)->flow;
		if ((*next)->slice_id == event.id)
			tc_sorter_add(perfetto->events, &event);
		*next = tc_sorter_next(perfetto->flows);
	}
}

static void sort_slices(struct perfetto *perfetto)
{
	const struct flow_end *next = tc_sorter_first(perfetto->flows);
	struct tc_rows rows = tc_page_tracks_slices(&perfetto->tracks);

	while (tc_rows_next(&rows)) {
		int64_t dur = tc_rows_int(&rows, 2), track = tc_rows_int(&rows, 3);
		const struct event event = {.ts = tc_rows_int(&rows, 1),
			.dur = dur < 0 ? NO_END : dur,
			.id = tc_rows_int(&rows, 0),
			.track = (uint32_t)(track - perfetto->tracks.first_id),
			.label = (uint32_t)tc_rows_int(&rows, 4)};
		if (tc_page_tracks_find(&perfetto->tracks, track) != UINT32_MAX)
			sort_slice(perfetto, &next, event);
	}
}

static void sort_instants(struct perfetto *perfetto)
{
	struct tc_rows rows = TC_ROWS(perfetto->ctx, perfetto->db,
		"SELECT id, ts, track_id, label_id FROM instant_row WHERE trace_id = ?1",
		perfetto->tracks.trace_id);

	while (tc_rows_next(&rows)) {
		const struct event event = {.ts = tc_rows_int(&rows, 1),
			.id = tc_rows_int(&rows, 0),
			.track = (uint32_t)(tc_rows_int(&rows, 2) - perfetto->tracks.first_id),
			.label = (uint32_t)tc_rows_int(&rows, 3),
			.is_instant = 1};
		if (tc_page_tracks_find(&perfetto->tracks, tc_rows_int(&rows, 2)) != UINT32_MAX)
			tc_sorter_add(perfetto->events, &event);
	}
}

/* ---- writing */

static void clear_lines(struct perfetto *perfetto)
{
	for (size_t i = 0; i < perfetto->line_count; i++)
		tc_free(perfetto->lines[i].ends);
	perfetto->line_count = 0;
}

/* Lanes are in the group of their device, threads in that of their process. */
static void begin_track(struct perfetto *perfetto, int64_t track)
{
	clear_lines(perfetto);
	perfetto->track = track;
	tc_buf_reset(&perfetto->name);
	struct tc_rows rows = TC_ROWS(perfetto->ctx, perfetto->db,
		"SELECT " TC_TRACK_NAME_SQL ", iif(t.device IS NULL, coalesce(p.name || ' ', '') ||"
		" coalesce(p.pid, ''), 'device ' || t.device) FROM track t"
		" LEFT JOIN process p ON p.id = t.process_id WHERE t.id = ?1",
		track);
	if (tc_rows_next(&rows)) {
		tc_buf_append_text(&perfetto->name, tc_rows_text(&rows, 0));
		perfetto->group = packets_group(&perfetto->packets, tc_rows_text(&rows, 1));
	}
	tc_rows_close(&rows);
}

static void end_before(struct line *line, int64_t ts)
{
	while (line->count > 0 && line->ends[line->count - 1] <= ts)
		line->count--;
}

/* The first line on which the slice nests in the innermost open slice, or on which none is open; a
 * new line if there is none such. NULL when memory is out. */
static struct line *line_for(struct perfetto *perfetto, int64_t ts, int64_t end_ns)
{
	struct tc_buf name = TC_BUF_EMPTY;
	size_t i = 0;

	for (; i < perfetto->line_count; i++) {
		struct line *line = &perfetto->lines[i];
		end_before(line, ts);
		if (line->count == 0 || line->ends[line->count - 1] >= end_ns)
			return line;
	}
	tc_buf_append_text(&name, tc_buf_text(&perfetto->name));
	if (i > 0)
		tc_buf_format(&name, " (%zu)", i + 1);
	const struct line line = {
		.number = packets_track(&perfetto->packets, tc_buf_text(&name), perfetto->group)};
	tc_buf_clear(&name);
	return TC_PUSH(perfetto->ctx, perfetto->lines, perfetto->line_count,
		       perfetto->line_capacity, line)
		       ? &perfetto->lines[i]
		       : NULL;
}

static void put_name(struct perfetto *perfetto, uint32_t label)
{
	struct tc_text name = TC_TEXT("");

	if (label >= perfetto->label_count)
		return;
	if (perfetto->is_named[label / 8] >> label % 8 & 1) {
		packets_number_name(&perfetto->packets, label, NULL);
		return;
	}
	perfetto->is_named[label / 8] |= (unsigned char)(1 << label % 8);
	tc_rows_again(&perfetto->labels, label);
	if (tc_rows_next(&perfetto->labels) && !tc_rows_null(&perfetto->labels, 0))
		name = tc_rows_text(&perfetto->labels, 0);
	packets_number_name(&perfetto->packets, label, &name);
}

/* Writes a member of args by its JSON type; arrays and objects become JSON text. */
static void put_arg(struct tc_packets *packets, const struct tc_rows *row)
{
	struct tc_text key = tc_rows_text(row, 0), type = tc_rows_text(row, 1);

	if (tc_text_equal(type, TC_TEXT("integer")))
		packets_uint(packets, key, ARG_INT, (uint64_t)tc_rows_int(row, 2));
	else if (tc_text_equal(type, TC_TEXT("real")))
		packets_real(packets, key, tc_rows_real(row, 2));
	else if (tc_text_equal(type, TC_TEXT("true")) || tc_text_equal(type, TC_TEXT("false")))
		packets_uint(packets, key, ARG_BOOL, tc_rows_int(row, 2) != 0);
	else if (!tc_text_equal(type, TC_TEXT("null")))
		packets_text(packets, key, tc_rows_text(row, 2));
}

static void put_args(struct perfetto *perfetto, const struct event *event)
{
	struct tc_rows *rows = event->is_instant ? &perfetto->instant_args : &perfetto->args;

	tc_rows_again(rows, event->id);
	while (tc_rows_next(rows))
		put_arg(&perfetto->packets, rows);
}

/* Writes the arrows of an event, which are the next records. Returns the first record after
 * them. */
static const struct event *put_flows(struct perfetto *perfetto, const struct event *of)
{
	const struct event *event;

	while ((event = tc_sorter_next(perfetto->events)) && event->flow != 0 &&
		event->id == of->id && !event->is_instant)
		packets_flow(&perfetto->packets, (uint64_t)event->flow);
	return event;
}

/* Writes an event with its arrows. Returns the event after it. */
static const struct event *put_event(struct perfetto *perfetto, struct event event)
{
	int64_t track = perfetto->tracks.first_id + event.track;
	int64_t end_ns = event.dur == NO_END ? NO_END : tc_add_saturated(event.ts, event.dur);

	if (track != perfetto->track)
		begin_track(perfetto, track);
	struct line *line = line_for(perfetto, event.ts, end_ns);
	if (!line)
		return NULL;
	if (!event.is_instant)
		TC_PUSH(perfetto->ctx, line->ends, line->count, line->capacity, end_ns);
	packets_begin(&perfetto->packets, event.is_instant ? TC_PACKET_INSTANT : TC_PACKET_BEGIN,
		line->number, event.ts);
	put_name(perfetto, event.label);
	put_args(perfetto, &event);
	const struct event *next = put_flows(perfetto, &event);
	packets_end(&perfetto->packets);
	if (!event.is_instant && event.dur != NO_END) {
		packets_begin(&perfetto->packets, TC_PACKET_END, line->number, end_ns);
		packets_end(&perfetto->packets);
	}
	return next;
}

/* Key, type and value of each member; integers beyond 64 bits as text. */
#define ARGS_SQL(rows)                                                                             \
	"SELECT j.key, iif(typeof(j.value) = 'real', iif(j.type = 'integer', 'text', 'real'),"     \
	" j.type), iif(typeof(j.value) = 'real' AND j.type = 'integer', coalesce(a.args -> "       \
	"j.fullkey, j.value),"                                                                     \
	" j.value) FROM " rows ", json_each(iif(json_valid(a.args), a.args, NULL)) j"

static void open_queries(struct perfetto *perfetto)
{
	perfetto->labels = tc_rows_prepare(
		perfetto->ctx, perfetto->db, "SELECT name FROM label WHERE id = ?1");
	perfetto->args = tc_rows_prepare(
		perfetto->ctx, perfetto->db, ARGS_SQL("slice_args a") " WHERE a.slice_id = ?1");
	perfetto->instant_args = tc_rows_prepare(
		perfetto->ctx, perfetto->db, ARGS_SQL("instant_row a") " WHERE a.id = ?1");
}

static void put_events(struct perfetto *perfetto)
{
	open_queries(perfetto);
	for (const struct event *next = tc_sorter_first(perfetto->events); next;)
		next = put_event(perfetto, *next);
	tc_rows_close(&perfetto->labels);
	tc_rows_close(&perfetto->args);
	tc_rows_close(&perfetto->instant_args);
}

static void put_counters(struct perfetto *perfetto)
{
	struct tc_rows rows = TC_ROWS(perfetto->ctx, perfetto->db,
		"SELECT c.ts, c.value, c.name || coalesce(', ' || p.name, '') ||"
		" coalesce(' ' || p.pid, '') FROM counter c LEFT JOIN process p ON p.id = "
		"c.process_id WHERE c.trace_id = ?1 ORDER BY c.id",
		perfetto->tracks.trace_id);

	while (tc_rows_next(&rows))
		packets_counter(&perfetto->packets, tc_rows_text(&rows, 2), tc_rows_int(&rows, 0),
			tc_rows_real(&rows, 1));
}

/* ---- all of it */

static void open_all(struct perfetto *perfetto, int64_t trace_id)
{
	struct tc_ctx *ctx = perfetto->ctx;

	tc_page_tracks_load(&perfetto->tracks, ctx, perfetto->db, trace_id);
	perfetto->label_count = (size_t)tc_rows_single(
		ctx, perfetto->db, "SELECT coalesce(max(id), 0) + 1 FROM label", 0);
	perfetto->packets.earliest_ns = tc_rows_single(ctx, perfetto->db,
		"SELECT min(0, (SELECT coalesce(min(ts), 0) FROM slice_row),"
		" (SELECT coalesce(min(ts), 0) FROM instant_row),"
		" (SELECT coalesce(min(ts), 0) FROM counter),"
		" (SELECT coalesce(min(ts), 0) FROM memory_sample))",
		0);
	perfetto->is_named = tc_new(ctx, perfetto->label_count / 8 + 1, 1);
	perfetto->flows = tc_sorter_new(ctx, sizeof(struct flow_end), SORT_BYTES, compare_flows);
	perfetto->events = tc_sorter_new(ctx, sizeof(struct event), SORT_BYTES, compare_events);
}

static void close_all(struct perfetto *perfetto)
{
	clear_lines(perfetto);
	tc_free(perfetto->lines);
	tc_free(perfetto->is_named);
	tc_buf_clear(&perfetto->name);
	tc_sorter_free(perfetto->flows);
	tc_sorter_free(perfetto->events);
	tc_page_tracks_clear(&perfetto->tracks);
	packets_clear(&perfetto->packets);
}

void tc_perfetto_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_advice *advice,
	const struct tc_viewer_options *options, tc_write_fn write, void *user)
{
	struct perfetto perfetto = {.ctx = ctx, .db = db, .track = -1};
	struct tc_emit emit = {.ctx = ctx, .form = &form, .to = &perfetto};

	packets_init(&perfetto.packets, ctx, write, user);
	open_all(&perfetto, options->trace_id);
	if (!tc_ctx_failed(ctx)) {
		tc_viewer_put_events(&emit, db, advice, options);
		put_counters(&perfetto);
		sort_flows(&perfetto);
		sort_slices(&perfetto);
		sort_instants(&perfetto);
		put_events(&perfetto);
		packets_finish(&perfetto.packets);
	}
	close_all(&perfetto);
}
