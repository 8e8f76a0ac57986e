/* A slice as cursors return it, and the order in which they return slices. */
#ifndef TC_MODEL_TIMELINE_SPAN_H
#define TC_MODEL_TIMELINE_SPAN_H

#include <stdint.h>

#define TC_NO_ID (-1)

struct tc_span {
	int64_t ts_ns, dur_ns; /* dur_ns -1: no end in the file */
	int64_t slice_id;
	uint32_t track, label;   /* indexes of the timeline's tracks[], labels[] */
	int64_t launch_slice_id; /* of a lane slice, or TC_NO_ID */
	union {
		struct { /* of lane slices */
			/* Of the host slice that launched it; valid with launch_slice_id. */
			int64_t launch_ts_ns, launch_end_ns;
			int32_t step; /* index of steps[] the work belongs to, or -1 */
		};
		struct { /* of framework operations */
			/* Autograd's number of the operation that is to be differentiated next, or
			 * -1. */
			int64_t sequence;
			uint64_t shape; /* a hash of the sizes and types of its inputs; 0: not
					   recorded */
			/* Of work of the backward pass: the profiler's number of the thread that
			 * counted sequence; -1 for other operations. */
			int32_t forward_thread;
			uint32_t stack; /* 1 more than the index of stacks[]; 0 for none */
		};
	};
	/* Numbers in the timeline's texts, or TC_STRTAB_NONE. Framework operations whose cost
	 * depends on shapes have the types and sizes of their inputs here, as JSON. */
	uint32_t data_type, recipe;
	uint32_t launch_label; /* of the host slice that launched a lane slice, as label; valid with
				  launch_slice_id */
	uint8_t method;        /* enum tc_launch_method; until launches are resolved that of
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
