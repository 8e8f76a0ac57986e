/* A slice as cursors return it, and the order in which they return slices. */
#ifndef TC_MODEL_TIMELINE_SPAN_H
#define TC_MODEL_TIMELINE_SPAN_H

#include <stdint.h>

#define TC_NO_ID (-1)

struct tc_span {
	int64_t ts_ns, dur_ns; /* dur_ns -1: no end in the file */
	int64_t slice_id;
	uint32_t track, label; /* indexes of the timeline's tracks[], labels[] */
	/* Of lane slices. Whether a track is a lane is known only at the end of the file, so any
	 * slice may turn out to be one: what is known of a framework operation has members of its
	 * own. */
	int64_t launch_slice_id;             /* or TC_NO_ID */
	int64_t launch_ts_ns, launch_end_ns; /* of the launch; valid with launch_slice_id */
	uint32_t launch_label; /* of the launch, as label; valid with launch_slice_id */
	int32_t step;          /* index of steps[] the work belongs to, or -1 */
	/* Of framework operations. */
	int64_t sequence; /* autograd's number of the operation to be differentiated next, or -1 */
	uint64_t shape;   /* a hash of the sizes and types of its inputs; 0: not recorded */
	/* Of work of the backward pass: the profiler's number of the thread that counted sequence;
	 * -1 for other operations. */
	int32_t forward_thread;
	uint32_t stack; /* 1 more than the index of stacks[]; 0 for none */
	/* Of operations whose cost depends on shapes: sizes and types of their inputs, as JSON.
	 * Numbers in the timeline's texts, or TC_STRTAB_NONE, as are the two below. */
	uint32_t sizes, types;
	uint32_t data_type, recipe; /* of any slice */
	uint8_t method;             /* enum tc_launch_method; until launches are resolved that of
				       work whose call is not in the trace, by its id */
	/* Host slices without length: 1 more than the number of begin and end events without length
	 * around theirs; 0 for complete events and for all other slices. */
	uint8_t zero_depth;
	uint8_t role; /* enum tc_role of a copy call, from the direction of its copy; NONE: the role
			 of the label counts */
};

/* The end of a slice; one without an end is open for ever. */
static inline int64_t tc_span_end_ns(const struct tc_span *span)
{
	return span->dur_ns < 0 ? INT64_MAX : span->ts_ns + span->dur_ns;
}

/* The same, but a slice without an end has no length. */
static inline int64_t tc_span_known_end_ns(const struct tc_span *span)
{
	return span->ts_ns + (span->dur_ns < 0 ? 0 : span->dur_ns);
}

/* Orders by ts ascending, then end descending (so an enclosing slice comes before what it holds),
 * then slice_id ascending. */
int tc_span_compare(const void *a, const void *b);

#endif
