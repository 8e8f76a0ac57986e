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
#ifndef TC_REPORT_VIEWER_PACKETS_H
#define TC_REPORT_VIEWER_PACKETS_H

#include "core/buf.h"
#include "core/context.h"
#include "core/collections/strtab.h"
#include "tracecoach/report.h"

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

void tc_packets_init(struct tc_packets *packets, struct tc_ctx *ctx, tc_write_fn write, void *user);
/* Passes the rest of the bytes to the writer. Nothing is written after a failure. */
void tc_packets_finish(struct tc_packets *packets);
void tc_packets_clear(struct tc_packets *packets); /* frees */

/* The number of the track that groups others, by its name. The first call with a name makes it. */
uint64_t tc_packets_group(struct tc_packets *packets, struct tc_text name);
/* A new track for slices in a group. */
uint64_t tc_packets_track(struct tc_packets *packets, struct tc_text name, uint64_t group);

/* An event is a begin, its name and arguments, and an end. The name is a text, or a number; the
 * first use of a number gives its text. */
void tc_packets_begin(
	struct tc_packets *packets, enum tc_packet_type type, uint64_t track, int64_t ts);
void tc_packets_name(struct tc_packets *packets, struct tc_text name);
void tc_packets_number_name(
	struct tc_packets *packets, uint64_t number, const struct tc_text *new_name);
void tc_packets_flow(struct tc_packets *packets, uint64_t flow);
void tc_packets_int(struct tc_packets *packets, struct tc_text key, int64_t value);
void tc_packets_real(struct tc_packets *packets, struct tc_text key, double value);
void tc_packets_bool(struct tc_packets *packets, struct tc_text key, bool value);
void tc_packets_text(struct tc_packets *packets, struct tc_text key, struct tc_text value);
void tc_packets_end(struct tc_packets *packets);

/* A value of the counter with that name. */
void tc_packets_counter(struct tc_packets *packets, struct tc_text name, int64_t ts, double value);

#endif
