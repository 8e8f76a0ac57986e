#include "report/viewer/packets.h"

#include <string.h>

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

void tc_packets_init(struct tc_packets *packets, struct tc_ctx *ctx, tc_write_fn write, void *user)
{
	*packets = (struct tc_packets){.ctx = ctx, .write = write, .user = user};
}

void tc_packets_clear(struct tc_packets *packets)
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

void tc_packets_finish(struct tc_packets *packets)
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
	struct tc_packets *packets, struct tc_strtab *table, struct tc_text name, uint64_t group)
{
	bool is_counter = table == &packets->counters;
	size_t count = table->count;
	uint32_t number = tc_strtab_intern(table, name);
	uint64_t last = packets->last_track;

	if (number == TC_STRTAB_NONE) {
		if (!tc_ctx_failed(packets->ctx))
			tc_strtab_fail(table, packets->ctx);
		return 0;
	}
	uint64_t track = UINT64_C(1) << (is_counter ? 41 : 40) | number;
	if (number == count) {
		packets->last_track = track - 1;
		put_track(packets, name, group, is_counter);
		packets->last_track = last;
	}
	return track;
}

uint64_t tc_packets_group(struct tc_packets *packets, struct tc_text name)
{
	return named_track(packets, &packets->groups, name, 0);
}

uint64_t tc_packets_track(struct tc_packets *packets, struct tc_text name, uint64_t group)
{
	return put_track(packets, name, group, false);
}

/* ---- events */

void tc_packets_begin(
	struct tc_packets *packets, enum tc_packet_type type, uint64_t track, int64_t ts)
{
	tc_buf_reset(&packets->event);
	packets->event_ns = ts;
	put_uint(&packets->event, EVENT_TYPE, type);
	put_uint(&packets->event, EVENT_TRACK, track);
}

void tc_packets_end(struct tc_packets *packets)
{
	put_packet(packets, EVENT, tc_buf_text(&packets->event));
}

void tc_packets_name(struct tc_packets *packets, struct tc_text name)
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

void tc_packets_number_name(
	struct tc_packets *packets, uint64_t number, const struct tc_text *new_name)
{
	if (new_name)
		put_new(packets, NEW_NAME, number + 1, *new_name);
	put_uint(&packets->event, EVENT_NAME_NUMBER, number + 1);
}

void tc_packets_flow(struct tc_packets *packets, uint64_t flow)
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

static void begin_arg(struct tc_packets *packets, struct tc_buf *arg, struct tc_text key)
{
	uint64_t number = number_of(packets, &packets->keys, key, NEW_KEY);

	if (number == 0)
		put_text(arg, ARG_KEY, key);
	else
		put_uint(arg, ARG_KEY_NUMBER, number);
}

static void end_arg(struct tc_packets *packets, struct tc_buf *arg)
{
	put_text(&packets->event, EVENT_ARG, tc_buf_text(arg));
	tc_buf_end(&packets->event, arg);
}

void tc_packets_int(struct tc_packets *packets, struct tc_text key, int64_t value)
{
	struct tc_buf arg = TC_BUF_EMPTY;

	begin_arg(packets, &arg, key);
	put_uint(&arg, ARG_INT, (uint64_t)value);
	end_arg(packets, &arg);
}

void tc_packets_real(struct tc_packets *packets, struct tc_text key, double value)
{
	struct tc_buf arg = TC_BUF_EMPTY;

	begin_arg(packets, &arg, key);
	put_real(&arg, ARG_REAL, value);
	end_arg(packets, &arg);
}

void tc_packets_bool(struct tc_packets *packets, struct tc_text key, bool value)
{
	struct tc_buf arg = TC_BUF_EMPTY;

	begin_arg(packets, &arg, key);
	put_uint(&arg, ARG_BOOL, value);
	end_arg(packets, &arg);
}

void tc_packets_text(struct tc_packets *packets, struct tc_text key, struct tc_text value)
{
	struct tc_buf arg = TC_BUF_EMPTY;
	uint64_t number = number_of(packets, &packets->values, value, NEW_VALUE);

	begin_arg(packets, &arg, key);
	if (number == 0)
		put_text(&arg, ARG_TEXT, value);
	else
		put_uint(&arg, ARG_TEXT_NUMBER, number);
	end_arg(packets, &arg);
}

void tc_packets_counter(struct tc_packets *packets, struct tc_text name, int64_t ts, double value)
{
	uint64_t track = named_track(packets, &packets->counters, name, 0);

	tc_packets_begin(packets, TC_PACKET_COUNTER, track, ts);
	put_real(&packets->event, EVENT_VALUE, value);
	tc_packets_end(packets);
}
