/*
 * Launches by correlation id: the tracer gives a host call and the device work that it launches the
 * same number. Both wait in a sorter; when all are there, each group is joined and goes to the
 * timeline. A copy gives its call a role: cudaMemcpyAsync is an input copy when its device work
 * goes HtoD.
 *
 * A number may come back (two traces in one file, counters that wrap), and driver calls nest in
 * runtime calls with the same one. Work belongs to the latest call that starts at or before it,
 * the enclosing one of calls that nest; work before all calls of its number (clocks apart) to the
 * first. So a group is walked in time order, and only one call and the work before it are held.
 */
#ifndef TC_MODEL_LAUNCH_CORRELATION_H
#define TC_MODEL_LAUNCH_CORRELATION_H

#include "model/import_log.h"
#include "model/launch/links.h"
#include "model/launch/recording.h"

struct tc_correlation {
	struct tc_import_log *log; /* borrowed, as the next three */
	struct tc_timeline *timeline;
	struct tc_recording *recording;
	struct tc_links *links;
	struct tc_sorter *sorter;
};

enum tc_status tc_correlation_add(struct tc_correlation *correlation, const struct tc_span *span,
	int64_t id, const struct tc_label *label);
/* Joins what was added, when all of the timeline but its slices is there. */
enum tc_status tc_correlation_join(struct tc_correlation *correlation);

#endif
