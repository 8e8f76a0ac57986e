/* A finished slice, with what is in its event. */
#ifndef TC_MODEL_SLICES_SLICE_H
#define TC_MODEL_SLICES_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"

/* Tracers number correlations from 1; 0 means none. */
#define TC_CORRELATION_NONE 0

struct tc_slice {
	int64_t ts_ns, dur_ns;
	uint32_t track, label;
	struct tc_text args;
	uint8_t zero_depth; /* as in tc_span */
	bool has_id;        /* args may hold numbers of the single event */
	bool has_step;      /* args say that it is a step, and its number */
	int64_t step_number;
	int64_t correlation;        /* TC_CORRELATION_NONE without one */
	uint32_t recipe, data_type; /* numbers in the timeline's texts, or TC_STRTAB_NONE */
	/* Framework operations, as in tc_span. */
	int64_t sequence;
	uint64_t shape;
	int32_t forward_thread;
	uint32_t stack, sizes, types;
};

#endif
